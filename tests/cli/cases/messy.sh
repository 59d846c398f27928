# Tables as they come: titles above them, many names, line ends of old Macs.
people() { # rows: three groups by age and income, a name that says nothing
    awk -v n="$1" 'BEGIN {
        seed = 5; print "id,name,city,age,income"; split("Lyon Nice Lille", city, " ")
        for (i = 0; i < n; i++) {
            seed = (seed * 1103515245 + 12345) % 2147483648; u = seed / 2147483648
            name = int(u * 1000) % 30
            printf "P%d,Name %d,%s,%.1f,%.2f\n", i, name, city[1 + i % 3], 25 + 20 * (i % 3) + 6 * u, \
                20000 + 30000 * (i * i % 3) + 4000 * ((u * 50) % 1)
        }
    }'
}

# The recipe's weights stay: a rare name does not count as much as the age.
people 240 >people.csv
expect 0 decant fit people.csv -k auto --no-report --threads 1 --finetune-iterations 100 -o run
says 'name    category  30 values'
! grep -q 'columns in different units' stdout || fail 'columns of a recipe are scaled again'
says '240 rows of 35 numbers, 3 clusters' stdout

# A title, as bank statements have it, also with cells of its own.
{ printf 'Sales of 2025\n\n'; cat people.csv; } >title.csv
expect 0 decant info title.csv
says 'note: title.csv: what is above line 3 is not of the table' stdout
says '240 rows of 35 numbers' stdout
{ printf 'Bank\nAccount;DE123\nMade;2025-01-01\n\n'; sed 's/,/;/g; s/\./,/g' people.csv; } >bank.csv
expect 0 decant info bank.csv
says 'what is above line 5 is not of the table' stdout
says '240 rows of 35 numbers' stdout
expect 0 decant predict run title.csv -q
expect 0 decant fit title.csv -k 3 --method kmeans --no-report -o titled
says 'title.csv: what is above line 3'
# A row with a cell too many is no end of a title.
{ head -3 people.csv; echo 'P9,Name 1,Lyon,1,2,3'; tail -n +4 people.csv; } >long.csv
expect 1 decant info long.csv
says 'long.csv: line 4: expected 5 cells, found more than 5; --on-error skip leaves such lines out'
one_sentence

# Lines that are no rows: refused by default, left out and told if asked, as if they had not been there.
{ sed '100s/,.*//' people.csv; printf 'P9,"a"b,Lyon,1,2\nP8,Rare,Lyon,1\n'; } | sed '40s/$/,7/' >ragged.csv
sed '40d;100d' people.csv >whole.csv
expect 1 decant info ragged.csv
says 'ragged.csv: line 40: expected 5 cells, found more than 5; --on-error skip leaves such lines out'
expect 0 decant info ragged.csv --on-error skip
says '238 rows of' stdout
says 'note: ragged.csv: skipped 4 lines without the 5 cells of the others: lines 40, 100, 242 and 243' stdout
for name in ragged whole; do
    expect 0 decant fit $name.csv -k 3 --method kmeans --on-error skip --no-report -o run-$name
done
same run-ragged/labels.csv run-whole/labels.csv
same run-ragged/model.safetensors run-whole/model.safetensors
expect 0 decant predict run ragged.csv --on-error skip
says 'skipped 4 lines'; says 'assigned 238 rows'
sed 's/,[0-9.]*,[01]$//' stdout >left
expect 0 decant predict run whole.csv -q
sed 's/,[0-9.]*,[01]$//' stdout >right; same left right
expect 2 decant predict run ragged.csv --on-error skip --append
says '--append needs every row of the file'
expect 0 decant fit ragged.csv --text-column city -k 2 --method kmeans --on-error skip --no-report -o run-words
says 'note: skipped: ragged.csv: line 40: expected 5 cells'
expect 1 decant fit ragged.csv --text-column city -k 2 --method kmeans --no-report -o no
says 'ragged.csv: line 40: expected 5 cells, found more than 5; --on-error skip leaves such lines out'
one_sentence
# More bad lines than good ones: then the first one is wrong, or it is no table.
{ echo "a,b"; for i in $(seq 200); do echo "$i,$i"; done; for i in $(seq 201); do echo "$i,2,3"; done; } >most.csv
expect 1 decant info most.csv --on-error skip
says 'most.csv: 201 of 401 lines do not have 2 cells as the first has, and these are too many to leave out'
one_sentence

# One is one.
printf 'x\n1\n' >one.csv
expect 0 decant info one.csv
says '1 row of 1 number, dense' stdout
expect 0 decant predict run <(head -2 people.csv)
says 'assigned 1 row'; ! grep -q 'rows' stderr || fail "$(cat stderr)"

# Names that are written otherwise, if only one is meant.
sed '1s/.*/ID,name," City ",AGE,income/' people.csv >upper.csv
expect 0 decant predict run people.csv -q
sort stdout >right
expect 0 decant predict run upper.csv
says 'note: upper.csv: names that are written in another way than the model'"'"'s: "ID" for "id", " City " for "city", "AGE" for "age"'
sort stdout >left; same left right
sed '1s/.*/id,name,city,AGE,Age/' people.csv >two.csv
expect 0 decant predict run two.csv
says 'columns of the model that are missing, and count as empty: age, income'

tr '\n' '\r' <people.csv >old.csv
expect 1 decant fit old.csv -k auto
says "old.csv: is a text whose lines end with CR alone; to convert it: tr '\\r' '\\n' < old.csv > old.csv.csv"
one_sentence

# Next week's file from a program that writes 1.234,50: the same numbers, the same clusters.
expect 0 decant predict run people.csv -q
cut -d, -f1,2 stdout >right
awk -F, 'NR == 1 { gsub(/,/, ";"); print; next } { n = int($5); f = sprintf("%02d", ($5 - n) * 100 + 0.5)
    a = $4; sub(/\./, ",", a); printf "%s;%s;%s;%s;%d.%03d,%s\n", $1, $2, $3, a, n / 1000, n % 1000, f }' people.csv >comma.csv
expect 0 decant predict run comma.csv
! grep -q 'cannot be read' stderr || fail "numbers with a comma count as missing: $(cat stderr)"
cut -d, -f1,2 stdout >turned; same right turned

# An id that comes again is used, and told.
awk 'BEGIN { print "order_id,customer_id,amount"; for (i = 0; i < 60; i++) print i * 3 % 61 "," 1000 + i % 20 "," i % 7 * 10 }' >orders.csv
expect 0 decant info orders.csv
says 'order_id     id' stdout
says 'note: customer_id: is used to cluster, as it comes more than once; if it only identifies something, --drop leaves it out' stdout
expect 0 decant info orders.csv --types customer_id=category
! grep -q 'is used to cluster, as' stdout || fail 'a note on what the user asked for'

# What is there, where a name is not.
expect 1 decant fit people.csv -k 3 --columns agee
says 'people.csv: expected a column named or numbered "agee" for the columns, found 5 columns: "id", "name", "city"'
one_sentence
mkdir tables && cp people.csv tables
expect 1 decant fit tables -k 3
says 'tables: is a folder of tables; name the files, as in tables/*.csv'
one_sentence
mkdir empty
expect 1 decant fit empty -k 3
says 'empty: is a folder without images or texts; tables are named one by one, as empty/NAME.csv'

# "2B" above plain numbers is a name, not two of something.
printf 'player,AB,2B,HR\n' >batting.csv
awk 'BEGIN { for (i = 0; i < 60; i++) printf "p%d,%d,%d,%d\n", i, i * 7 % 50, i % 9, i % 4 }' >>batting.csv
expect 0 decant info batting.csv
says '60 rows of 3 numbers' stdout
says '2B ' stdout
sed 1d batting.csv | sed 's/,\([0-9]*\),\([0-9]*\),/,\1 kg,\2B,/' >units.csv
expect 0 decant info units.csv
says '60 rows' stdout

# The names that pandas gives, without an index: names, above columns of fractions and above many.
{ echo 0,1,2; plain_blobs 60 | cut -d, -f1-3; } >pandas.csv
expect 0 decant fit pandas.csv -k 3 --method kmeans --no-report -o run-pandas
says 'read CSV: 60 rows of 3 numbers'
tail -n +2 pandas.csv >rows.csv
expect 0 decant predict run-pandas rows.csv -q; same_clusters stdout run-pandas/labels.csv
expect 0 decant predict run-pandas pandas.csv -q; same_clusters stdout run-pandas/labels.csv
awk 'BEGIN { for (i = 0; i < 40; i++) for (j = 0; j < 12; j++) printf "%d%s", i ? (i * i + j * i) % 7 : j, j < 11 ? "," : "\n" }' >many.csv
expect 0 decant info many.csv; says '39 rows of 12 numbers' stdout
# Rows that count are rows, and so is what may be a time and two values.
awk 'BEGIN { for (i = 0; i < 40; i++) for (j = 0; j < 12; j++) printf "%d%s", 12 * i + j, j < 11 ? "," : "\n" }' >counting.csv
expect 0 decant info counting.csv; says '40 rows of 12 numbers' stdout
awk 'BEGIN { print "0,1,2"; for (i = 1; i < 40; i++) printf "%d,%.2f,%.2f\n", i, i / 7, i / 3 }' >times.csv
expect 0 decant info times.csv; says '40 rows of 3 numbers' stdout

# One thing is no plural.
sed '3s/,[^,]*$/,x/' people.csv >odd.csv
expect 0 decant info odd.csv; says 'note: income: 1 cell is no number and counts as missing' stdout
