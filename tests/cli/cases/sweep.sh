# Nine values of a method's one option: nine runs that share a network and a graph.
blobs 150 >d.csv
ldmgi=(decant sweep d.csv --label-column kind -k 3 --method ldmgi --threads 1 --restarts 2)
expect 0 "${ldmgi[@]}" -o folder
says 'ACC from' stdout
[ "$(grep -c '^1e' stdout)" -eq 9 ] || fail "not nine values: $(cat stdout)"
[ "$(wc -l <folder/sweep.csv)" -eq 10 ] || fail "sweep.csv"
[ -s folder/graph.safetensors ] || fail "no shared graph"
[ "$(ls -d folder/lambda-1e*/manifest.json | wc -l)" -eq 9 ] || fail "not nine runs"

# A value of the sweep is the fit with that value.
expect 0 decant fit d.csv --label-column kind -k 3 --method ldmgi --lambda 1e2 -o run --threads 2 --restarts 2 -q --no-report
same run/labels.csv folder/lambda-1e2/labels.csv

# A finished sweep is not begun again unawares; one that lost a run makes only that one.
expect 1 "${ldmgi[@]}" -o folder
one_sentence
says 'finished sweep'
rm -r folder/lambda-1e4 folder/sweep.csv
expect 1 "${ldmgi[@]}" -o folder
says '--resume continues'
touch -d '2001-01-01' folder/lambda-1e2/manifest.json
expect 0 "${ldmgi[@]}" -o folder --resume
[ -s folder/lambda-1e4/manifest.json ] || fail "the missing run was not made"
[ folder/lambda-1e2/manifest.json -ot d.csv ] || fail "a finished run was made again"
expect 1 "${ldmgi[@]}" -o folder --resume --restarts 3
says 'other options'
expect 0 "${ldmgi[@]}" -o folder --force --restarts 3
expect 2 "${ldmgi[@]}" -o folder --force --resume

expect 0 decant sweep d.csv --label-column kind -k 3 --method dec "${short[@]}" --json -o json
valid_json stdout
says '"option": "update-interval"' stdout
says '"value": 2560' stdout
[ -s json/network.safetensors ] || fail "no shared network"
expect 0 decant sweep d.csv --label-column kind -k 3 --method kmeans --restarts 2 --seed 5
says 'seed' stdout
grep -q '^13 ' stdout || fail "the last seed is 13: $(cat stdout)"
[ -s decant-sweep/sweep.csv ] || fail "no default folder"
expect 2 decant sweep d.csv --method kmeans
expect 1 decant sweep nothing.csv -k 3 -o other
one_sentence
