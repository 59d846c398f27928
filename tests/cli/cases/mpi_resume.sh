# A killed rank ends the job; --resume goes on with another number of ranks, or none, to the same
# bytes. SIGTERM to all ranks, as a launcher sends it, writes a checkpoint.
needs_mpi
blobs 400 >d.csv
begin() { # COUNT: a job in the background, until it has written a checkpoint
    sleep 0.05; touch marker
    ranks "$1" decant-mpi fit "${options[@]}" -o cut --resume >stdout 2>stderr &
    job=$!
    while kill -0 $job 2>/dev/null && [ ! cut/checkpoint.safetensors -nt marker ]; do sleep 0.01; done
}
ranks_of() { pgrep -f "decant-mpi fit ${options[0]} .*-o cut" | while read -r pid; do
    [ "$(readlink "/proc/$pid/exe")" = "$(command -v decant-mpi)" ] && [ "$(readlink "/proc/$pid/cwd")" = "$PWD" ] && echo "$pid"
done; }
kill_one() { # COUNT
    begin "$1"
    kill -9 "$(ranks_of | tail -1)" || fail "it ended before a rank could be killed: $(cat stderr)"
    wait $job && fail "the job went on without a rank"
    [ -e cut/checkpoint.safetensors ] || fail "no checkpoint"
}
stop_all() { # COUNT
    begin "$1"
    # shellcheck disable=SC2046 # a list of processes
    kill -TERM $(ranks_of) || fail "it ended before it could be stopped: $(cat stderr)"
    wait $job; code=$?
    [ $code -ne 0 ] || fail "an interrupted job ended with 0"
    says "stopped during"
    [ -e cut/checkpoint.safetensors ] || fail "no checkpoint after SIGTERM"
}
is_in() { # PHASE (a number, store/state.h): where the checkpoint was written
    grep -aq "\"phase\":\"$1\"" cut/checkpoint.safetensors || fail "not in phase $1, which is too short"
}
common=(d.csv --label-column kind -k 3 -q --no-report --threads 1 --layers 24,3 --pretrain-epochs 0
    --max-iterations 200 --tol 0 --restarts 2 --checkpoint-seconds 0.02)
# Adam, of which a rank has the moments of its slice of the parameters.
options=("${common[@]}" --greedy-iterations 100 --finetune-iterations 2400)
expect 0 decant fit "${options[@]}" -o whole
kill_one 2
cp -r cut other
stop_all 4
expect 0 ranks 2 decant-mpi fit "${options[@]}" -o cut --resume
same_run whole cut
expect 0 decant fit "${options[@]}" -o other --resume
same_run whole other
# Greedy stages, whose two layers do not lie together, by sgd; biases have a rate of their own.
rm -r cut
options=("${common[@]}" --greedy-iterations 3000 --finetune-iterations 50 --optimizer sgd
    --pretrain-rate 0.01 --bias-rate 2)
expect 0 decant fit "${options[@]}" -o greedy
stop_all 4
is_in 0
kill_one 2
expect 0 ranks 8 decant-mpi fit "${options[@]}" -o cut --resume
same_run greedy cut
exit 0
