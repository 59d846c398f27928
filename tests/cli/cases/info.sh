# Each kind of thing, for people and as JSON.
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
expect 1 decant info missing
one_sentence; says missing
: >empty
expect 1 decant info empty
one_sentence; says empty
