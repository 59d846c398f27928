# Two processes cannot write one run.
plain_blobs 300 >d.csv
decant fit d.csv -k 3 --threads 1 --layers 64,4 --finetune-iterations 100000 --pretrain-epochs 0 -o run -q &
first=$!
for ((i = 0; i < 400; i++)); do [ -e run/command.json ] && break; sleep 0.05; done # written under the lock
expect 1 decant fit d.csv -k 3 --resume -o run -q
one_sentence; says 'another process'
expect 1 decant fit d.csv -k 3 --force -o run -q
one_sentence; says 'another process'
kill -TERM $first; wait $first
[ $? -eq 130 ] || fail "SIGTERM does not end in 130"
