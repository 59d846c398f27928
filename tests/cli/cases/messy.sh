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
says 'long.csv: line 4: expected 5 cells, found more than 5'

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
