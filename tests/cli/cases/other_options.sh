# A checkpoint of other options or other data is refused, not mixed.
set -m
blobs 600 >d.csv; blobs 300 >e.csv
options=(--label-column kind -k 3 --threads 1 --layers 64,32,3 --finetune-iterations 100000 --pretrain-epochs 0 -o run -q
    --checkpoint-seconds 0.05)
decant fit d.csv "${options[@]}" 2>stderr &
interrupt $! run
[ $? -eq 130 ] || fail "not interrupted: $(cat stderr)"
expect 1 decant fit d.csv "${options[@]}" --resume --seed 2
one_sentence; says seed
expect 1 decant fit e.csv "${options[@]}" --resume
one_sentence
