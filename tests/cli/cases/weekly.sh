# A table with words, dates and holes: fitted once, and next week's file by the same rules.
customers() { # rows, first number
    awk -v n="$1" -v first="$2" 'BEGIN {
        seed = 11 + first; print "customer_id,name,city,age,income,signup,active,discount,comment"
        split("Lyon Nice Lille", city, " ")
        for (i = 0; i < n; i++) {
            c = i % 3
            seed = (seed * 1103515245 + 12345) % 2147483648; u = seed / 2147483648
            age = int(25 + 20 * c + 8 * u); if (i % 11 == 5) age = "NA"
            printf "C%d,\"P, %d\",%s,%s,\"$%d,%03d\",2024-%02d-%02d,%s,%d %%,a remark on row %d of this table\n",
                first + i, first + i, city[c + 1], age, 20 + 30 * c + 5 * u, int(999 * u), 1 + i % 12, 1 + i % 28,
                c == 1 ? "yes" : "no", 10 * c + i % 3, i
        }
    }'
}
customers 120 1000 >week1.csv
expect 0 decant fit week1.csv -k 3 -o run --method kmeans --no-report --threads 1
says 'customer_id  id        identifies the rows'
says 'name         category  left out: each row has its own'
says 'city         category  3 values'
says 'age          number    centred, scaled by its deviation; 9 % missing: filled with the median'
says 'income       number    in $'
says 'signup       date'; says 'active       yes/no'; says 'discount     number    in %'
says 'comment      text      left out'
grep -q '"sentence": ".* vs ' run/clusters.json || fail 'clusters.json has no sentence'
grep -q 'lower discount (0 % vs ' run/clusters.json || fail 'a mean is not rounded as people read it'
grep -q '"value": "Lyon"' run/clusters.json || fail 'clusters.json has no share of Lyon'
grep -q '^C1000,' run/labels.csv || fail 'labels.csv has no ids'

# The same rows, shuffled and with the columns in another order: the same clusters.
tail -n +2 run/labels.csv | cut -d, -f1,2 | sort >fitted
expect 0 decant predict run week1.csv -q
tail -n +2 stdout | cut -d, -f1,2 | sort >again; same fitted again
{ head -1 week1.csv; tail -n +2 week1.csv | sort -r; } >turned.csv
awk -v FPAT='([^,]*)|("[^"]*")' -v OFS=, '{ print $9, $5, $1, $3, $8, $4, $2, $7, $6 }' turned.csv >turned2.csv 2>/dev/null
awk --version 2>/dev/null | grep -q GNU || cp turned.csv turned2.csv
expect 0 decant predict run turned2.csv -q
tail -n +2 stdout | cut -d, -f1,2 | sort >again; same fitted again

# Next week: no discount, a new column, a city that was not there, other missing cells.
customers 60 2000 | sed '1s/.*/customer_id,name,city,age,income,signup,active,region,comment/
    2,$s/,[0-9]* %,/,north,/; 3s/Nice/Berlin/; 4s/,no,/,?,/' >week2.csv
expect 0 decant predict run week2.csv -o next.csv
says 'missing, and count as empty: discount'; says 'not used: region'; says 'city: values that the model does not know'
says Berlin; says 'assigned 60 rows'
awk -F, 'NR > 1 { print (NR - 2) % 3, $2 }' next.csv | sort | uniq -c | sort -rn | head -3 | awk '{ s += $1 } END { exit s < 57 }' ||
    fail 'the groups of the second week are not those of the first'

# The whole story: a fit, names, next week's file, a refit that keeps numbers and names.
expect 0 decant fit week1.csv -k 3 -o first --no-report --threads 1 -q
for c in 0 1 2; do expect 0 decant name first $c "group $c" -q; done
expect 0 decant predict first week2.csv -o assigned.csv -q
says 'id,cluster,confidence,name,novelty,outlier' assigned.csv
expect 0 decant fit week2.csv --like first -o second --threads 1 --no-report
says 'missing, and count as empty: discount'; says 'not used: region'; says Berlin
says '0 rows stayed in their cluster, 0 moved, 60 are new, 120 are gone' stdout
says ',group 0' second/labels.csv
cut -d, -f1,2,4 assigned.csv | sort >a; cut -d, -f1,2,4 second/labels.csv | sort >b
[ "$(comm -12 a b | wc -l)" -ge 58 ] || fail 'the refit gave other clusters or names than predict'
expect 0 decant predict second week1.csv -q
tail -n +2 stdout | cut -d, -f1,2,4 | sort >again; tail -n +2 first/labels.csv | cut -d, -f1,2,4 | sort >fitted
[ "$(comm -12 fitted again | wc -l)" -ge 114 ] || fail 'the second model assigns the first week to other clusters'

# A number with a unit where the model has none, and -1 with one.
awk 'BEGIN { print "city,rate"; for (i = 0; i < 60; i++) print substr("abc", i % 3 + 1, 1) "," 20 * (i % 3) + i % 7 }' >bare.csv
expect 0 decant fit bare.csv -k 3 -o bare --method kmeans --no-report --threads 1 -q
sed '2,$s/$/ %/; 3s/[0-9]* %$/-1 %/' bare.csv >units.csv
expect 0 decant predict bare units.csv -o units.out
says 'rate: has numbers in %, which the model did not have'
! grep -q 'cannot be read' stderr || fail 'a number with a unit cannot be read'
tail -n +4 units.out | cut -d, -f1,2 >again; tail -n +4 bare/labels.csv | cut -d, -f1,2 >fitted; same fitted again

# And the other way round: 0.05 where the model has 5 %. Where both are written, each is known.
expect 0 decant fit units.csv -k 3 -o with --method kmeans --no-report --threads 1 -q
expect 0 decant predict with bare.csv
says 'rate: has numbers without %, which the model had; they are taken as they are'
sed '5s/ %//' units.csv >mixed.csv
expect 0 decant predict with mixed.csv
! grep -q 'without %' stderr || fail "$(cat stderr)"

# Too little is left, or the user knows better.
cut -d, -f1,2 week1.csv >few.csv
expect 1 decant predict run few.csv
says 'few.csv: has only 0 of the 6 columns that the model was fitted on'; one_sentence
expect 0 decant fit week1.csv -k 3 -o two "${fast[@]}" --columns city,age --types age=category
says 'age          category'; says 'income       -         left out (asked)'

# What missing cells were filled with is no part of a mean, and many of them are worth a word.
awk 'BEGIN { print "x,y,shift,at"; for (i = 0; i < 120; i++)
    printf "%s,%d,%02d:%02d,2024-03-05 %02d:00\n", i % 2 ? 98 + i % 5 : i % 3 ? 8 + i % 5 : "", i % 9,
        i % 2 ? 18 : 6, i % 60, i % 24 }' >holes.csv
expect 0 decant fit holes.csv -k 2 -o holes --method kmeans --no-report --threads 1
says 'lower x (10.0 vs 100)' stdout
says '33 % x missing (vs 0 %)' holes/clusters.json
# Times alone have no date, and dates of one day have their times.
says 'earlier shift (06:' stdout
! grep -q 1970 stdout || fail "$(cat stdout)"
expect 0 decant info holes.csv
says '06:00 to 18:59' stdout; says '2024-03-05 00:00 to 2024-03-05 23:00' stdout

# Without fitting: what is in the table.
expect 0 decant info week1.csv
says 'city' stdout; says 'Lyon 33 %' stdout; says 'missing' stdout
expect 0 decant info week1.csv --json
valid_json stdout; says '"type": "category"' stdout

# Blanks, bars, a decimal comma, quotes, a byte order mark, Windows line ends, comments: one table.
printf 'a b c\n1 2 x\n3 4 y\n5 6 x\n7 9 y\n' >blanks.txt
sed 's/ /|/g' blanks.txt >bars.txt
{ printf '\357\273\277# made by a program\r\n'; sed 's/ /;/g; s/$/\r/' blanks.txt; } >dos.csv
{ echo 'sep=;'; sed 's/ /";"/g; s/^/"/; s/$/"/' blanks.txt; } >excel.csv
for file in blanks.txt bars.txt dos.csv excel.csv; do
    expect 0 decant info $file
    tail -n +2 stdout >$file.about
    same blanks.txt.about $file.about
done

# So is one with a column of documents, which have such marks, too.
printf 'id,text\n1,"red apples, green; pears"\n2,"green pears | blue sky"\n3,"a red sky"\n' >docs.csv
sed 's/,"/|"/; s/id,/id|/' docs.csv >docs-bars.csv
{ printf '\357\273\277sep=;\r\n'; sed 's/,"/;"/; s/id,/id;/; s/$/\r/' docs.csv; } >docs-excel.csv
for file in docs.csv docs-bars.csv docs-excel.csv; do
    expect 0 decant info $file --text-column text --id-column id
    tail -n +2 stdout >$file.about
    same docs.csv.about $file.about
    says '3 rows of' stdout; says 'rows have ids' stdout
done
