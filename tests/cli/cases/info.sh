# Data, models and run folders, as text and as JSON.
blobs 60 >d.csv
expect 0 decant fit d.csv -k 3 --label-column kind -o run "${fast[@]}" -q
for thing in run run/model.safetensors run/embedding.npy run/manifest.json; do
    expect 0 decant info $thing
    [ -s stdout ] || fail "nothing about $thing"
    expect 0 decant info $thing --json
    valid_json stdout
done
plain_blobs 60 >p.csv
expect 0 decant info p.csv
says '60 rows of 4 numbers, dense' stdout; says 'no labels' stdout; says CSV stdout
expect 0 decant info run/model.safetensors
says '3 clusters of rows of 4 numbers in a space of 2 features' stdout; says '8,2' stdout
printf '1 1:0.5 3:2\n2 2:1\n1 3:4\n' >d.svm
expect 0 decant info d.svm
says '3 rows of 3 numbers, sparse' stdout; says 'non-zero 44.44%' stdout
expect 0 decant info d.svm --json
valid_json stdout; says '"sparse": true' stdout
# With the flags of a fit: what that fit would read.
expect 0 decant info d.csv
says 'kind' stdout; says 'category' stdout
expect 0 decant info d.csv --label-column kind
says '60 rows of 4 numbers, dense' stdout; says 'green                        20' stdout
awk -F, -v OFS=, '{ print NR == 1 ? "name" : "row " NR, $0 }' d.csv >ids.csv
expect 0 decant info ids.csv --label-column kind --id-column name --json
valid_json stdout; says '"columns": 4' stdout; says '"ids": true' stdout; says '"rows": 60' stdout
printf 'topic,text\n%s\n%s\n' 'a,one or two words' 'b,and two more words' >docs.csv
expect 0 decant info docs.csv --text-column text --label-column topic
says 'tf-idf' stdout; says '2 rows of' stdout
yes red | head -60 >labels.txt
expect 0 decant info p.csv --labels labels.txt
says 'red                          60' stdout
expect 1 decant info d.csv --label-column kin
one_sentence; says kin

expect 1 decant info missing
one_sentence; says missing
: >empty
expect 1 decant info empty
one_sentence; says empty
# Without a file: which kernel computes, and why. One that is not there is refused by a fit.
expect 0 decant info
says 'kernel: ' stdout; says 'for the widest vectors of this processor' stdout
DECANT_KERNEL=plain expect 0 decant info --json
valid_json stdout; says '"kernel": "plain"' stdout
DECANT_KERNEL=sse expect 1 decant fit p.csv -k 3 -o refused "${fast[@]}" -q
one_sentence; says "DECANT_KERNEL is 'sse'"
[ ! -e refused ] || [ -z "$(ls -A refused)" ] || fail 'a refused fit left files'
