# Ids are written as they were read, quoted if CSV needs it.
{
    echo 'name,x,y'
    for ((i = 0; i < 12; i++)); do echo "\"row, \"\"$i\"\"\",$((i % 2 * 5)),$((i % 2 * 5 + i % 3))"; done
} >d.csv
expect 0 decant fit d.csv -k 2 --id-column name -o run --method kmeans -q
[ "$(sed -n 2p run/labels.csv | cut -d, -f1,2)" = '"row, ""0"""' ] || fail "$(head -2 run/labels.csv)"
expect 0 decant predict run d.csv --id-column name -q
same_clusters stdout run/labels.csv
