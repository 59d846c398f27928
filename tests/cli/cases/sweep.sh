# Nine values of a method's one option, from one pretraining and one graph.
blobs 150 >d.csv
expect 0 decant sweep d.csv --label-column kind -k 3 --method ldmgi -o folder --threads 1 --restarts 2
says 'ACC from' stdout
[ "$(grep -c '^1e' stdout)" -eq 9 ] || fail "not nine values: $(cat stdout)"
[ "$(wc -l <folder/sweep.csv)" -eq 10 ] || fail "sweep.csv"
[ "$(head -1 folder/labels.csv | tr ',' '\n' | wc -l)" -eq 10 ] || fail "labels.csv"
[ -e folder/checkpoint.safetensors ] && fail "the checkpoint stayed"

# A value of the sweep is the fit with that value.
expect 0 decant fit d.csv --label-column kind -k 3 --method ldmgi --lambda 1e2 -o run --threads 2 --restarts 2 -q
cut -d, -f2 run/labels.csv | tail -n +2 >one
cut -d, -f7 folder/labels.csv | tail -n +2 >other
same one other

expect 0 decant sweep d.csv --label-column kind -k 3 --method dec "${short[@]}" --json
valid_json stdout
says '"option": "update-interval"' stdout
says '"value": 2560' stdout
expect 0 decant sweep d.csv --label-column kind -k 3 --method kmeans --restarts 2 --seed 5
says 'seed' stdout
grep -q '^13 ' stdout || fail "the last seed is 13: $(cat stdout)"
expect 2 decant sweep d.csv --method kmeans
expect 1 decant sweep nothing.csv -k 3
one_sentence
