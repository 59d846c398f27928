# Ctrl-C writes a checkpoint and prints how to continue; the result is the same as without it.
set -m # or the shell starts background jobs with SIGINT ignored
blobs 600 >d.csv
options=(d.csv --label-column kind -k 3 --no-report --threads 1 --layers 48,3 --finetune-iterations 4000 --pretrain-epochs 0 --max-iterations 600
    --checkpoint-seconds 0.05)
expect 0 decant fit "${options[@]}" -o whole -q
decant fit "${options[@]}" -o cut >stdout 2>stderr &
interrupt $! cut
code=$?
[ $code -eq 130 ] || fail "exit $code: $(cat stderr)"
[ -e cut/checkpoint.safetensors ] || fail "no checkpoint"
[ ! -s stdout ] || fail "an interrupted run printed a result"
next=$(sed -n 's/^to continue: //p' stderr)
[ "$next" = "decant fit --resume -o cut" ] || fail "wrong command: $next"
expect 0 decant info cut
says unfinished stdout
expect 1 decant fit "${options[@]}" -o cut
one_sentence; says --resume
cp -r cut cut2
eval "$next" -q >stdout 2>stderr || fail "resume: $(cat stderr)"
expect 0 decant fit "${options[@]}" --resume -o cut2 -q
same whole/labels.csv cut2/labels.csv
for file in labels.csv model.safetensors embedding.npy; do same whole/$file cut/$file; done
[ -e cut/checkpoint.safetensors ] && fail "the checkpoint was left"
exit 0
