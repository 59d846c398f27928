# Every k of a range from one pretraining, a recommended one, and the same choice by fit -k auto.
set -m # or the shell starts background jobs with SIGINT ignored
blobs 240 >d.csv
options=(d.csv --label-column kind "${short[@]}")
expect 0 decant select-k "${options[@]}" --k 2..5 -o folder
says '3 clusters: the most stable number of those tried; stability ' stdout
says 'labels were not used' stdout
grep -q '^\*    3 ' stdout || fail "3 is not marked: $(cat stdout)"
[ "$(grep -cE '^[* ] +[2-5] ' stdout)" -eq 4 ] || fail "not four rows: $(cat stdout)"
valid_json folder/select-k.json
says '"k": 3,' folder/select-k.json
says '"nmi":' folder/select-k.json
says 'NMI' folder/figure6.svg
says 'k = 3' folder/figure6.svg
[ -e folder/checkpoint.safetensors ] && fail "the checkpoint stayed"
if [ -e folder/figure6.png ]; then head -c 4 folder/figure6.png | grep -q PNG || fail "not a PNG"; fi

# Labels change nothing but the scores; so do threads.
cut -d, -f1-4 d.csv | tail -n +2 >plain.csv
expect 0 decant select-k plain.csv "${short[@]}" --threads 2 -k 2..5 --json -q
valid_json stdout
says '"k": 3,' stdout
grep -q nmi stdout && fail "scores without labels"
for key in stability generalizability silhouette; do
    grep -o "\"$key\": [^,]*" stdout >one
    grep -o "\"$key\": [^,]*" folder/select-k.json >other
    same one other
done

# What is there is not lost.
expect 1 decant select-k "${options[@]}" --k 2..5 -o folder
one_sentence; says --force
expect 0 decant select-k "${options[@]}" --k 3..4 -o folder --force -q

# A fit that chooses k is the fit with that k, and says why.
expect 0 decant fit "${options[@]}" -k 3 -o given -q --no-report
for k in auto 2..5; do
    expect 0 decant fit "${options[@]}" -k $k -o chosen -q --force --no-report
    says '3 clusters: the most stable number of those tried' stdout
    for file in labels.csv model.safetensors embedding.npy; do same given/$file chosen/$file; done
    says '"reason": "the most stable' chosen/manifest.json
    valid_json chosen/manifest.json
done
says '"k": "2..5"' chosen/manifest.json

# Ctrl-C keeps what is done.
long=(d.csv --label-column kind --threads 1 --layers 96,64,3 --pretrain-epochs 0 --finetune-iterations 1500
    --max-iterations 1500 --tol 0 --checkpoint-seconds 0.05 -k 2..5)
decant select-k "${long[@]}" -o cut >stdout 2>stderr &
interrupt $! cut
code=$?
[ $code -eq 130 ] || fail "exit $code: $(cat stderr)"
[ -e cut/checkpoint.safetensors ] || fail "no checkpoint"
next=$(sed -n 's/^to continue: //p' stderr)
[ "$next" = "decant select-k --resume ${long[*]} -o cut" ] || fail "wrong command: $next"
expect 1 decant select-k "${long[@]}" -o cut
one_sentence; says --resume
eval "$next" -q >stdout 2>stderr || fail "resume: $(cat stderr)"
expect 0 decant select-k "${long[@]}" -o whole -q
grep -o '"generalizability": [^,]*' whole/select-k.json >one
grep -o '"generalizability": [^,]*' cut/select-k.json >other
same one other

# What makes no sense.
for range in 5..3 0..4 a..b 2..500 5.. many; do
    expect 2 decant select-k d.csv --k $range
    one_sentence
done
expect 2 decant select-k d.csv -k 5
says '5..15'
expect 2 decant sweep d.csv -k 2..5
expect 1 decant select-k plain.csv -k 200..250
one_sentence; says 'only 240 rows'
expect 1 decant select-k plain.csv -k 50..70
one_sentence; says '280 different rows'
expect 1 decant fit plain.csv -k auto --method kmeans -o nowhere -q
one_sentence; says 'give a number'
expect 1 decant select-k nothing.csv -k 2..4
one_sentence
