# predict as CSV and as JSON lines, on stdout and in a file; a failure leaves nothing behind.
blobs 90 >d.csv
plain_blobs 90 >p.csv
expect 0 decant fit d.csv -k 3 --label-column kind -o run "${fast[@]}" -q

# One JSON object a row, with the numbers of the CSV.
expect 0 decant predict run p.csv --json
[ "$(wc -l <stdout)" -eq 90 ] || fail "not a line a row"
grep -vqE '^\{"id": [0-9]+, "cluster": [0-2], "confidence": [0-9.]+, "novelty": [0-9.]+, "outlier": (true|false)\}$' stdout && fail "$(head -2 stdout)"
sed -E 's/.*"id": ([0-9]+), "cluster": ([0-9]+).*/\1,\2/' stdout >from_json
tail -n +2 run/labels.csv | cut -d, -f1,2 >from_csv
same from_json from_csv
head -1 stdout >one.json; valid_json one.json

# Into a file; then stdout is free for the scores.
expect 0 decant predict run d.csv --label-column kind --json -o rows.jsonl
[ "$(wc -l <rows.jsonl)" -eq 90 ] || fail "rows.jsonl"
valid_json stdout
says '"n": 90' stdout; says '"acc": 1.0' stdout
expect 0 decant predict run d.csv --label-column kind --json
[ "$(wc -l <stdout)" -eq 90 ] || fail "scores among the rows"
says 'ACC 1.0000'

# Ids are texts, whatever is in them.
{ echo 'name,w,x,y,z'; awk '{ printf "\"a \"\"%d\"\" \\\\ \303\274\",%s\n", NR, $0 }' p.csv; } >ids.csv
expect 0 decant predict run ids.csv --id-column name --json -q
grep -qF '{"id": "a \"1\" \\ü", "cluster": ' stdout || grep -qF '"a \"1\" \\\\ ü"' stdout || fail "$(head -1 stdout)"
head -1 stdout >one.json; valid_json one.json

# -o - is stdout.
expect 0 decant predict run p.csv -o - -q
same_clusters stdout run/labels.csv
[ ! -e - ] || fail "a file called -"

# What fails before the first rows are there leaves stdout empty.
printf '1,2,3,4\n1,2,4\n' >bad.csv
for way in "" --json; do
    expect 1 decant predict run bad.csv $way
    [ ! -s stdout ] || fail "stdout holds $(cat stdout)"
    expect 1 decant predict run missing.csv $way
    [ ! -s stdout ] || fail "stdout holds $(cat stdout)"
done
expect 1 decant predict run bad.csv -o none.csv
[ ! -e none.csv ] || fail "a file was left behind"
exit 0
