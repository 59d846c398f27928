#!/bin/bash
# kill -9 at random moments, resume, and again; at the end the files must be those of a run that was
# left alone: tests/cli/kill_resume.sh BUILD_DIR [KILLS]
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?BUILD_DIR}" && pwd) || exit 2
kills=${2:-20}
export PATH="$build/bin:$PATH" LC_ALL=C
. "$here/lib.sh"
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2

blobs 500 >d.csv
# One thread: small steps on a busy machine would otherwise mostly wait for each other.
options=(d.csv --label-column kind -k 3 --layers "48,24,3" -q --no-report --checkpoint-seconds 0.02 --threads 1
    --pretrain-epochs 0 --greedy-iterations 300 --finetune-iterations 1000 --restarts 2000
    --max-iterations 1000 --tol 0)
began=$EPOCHREALTIME
decant fit "${options[@]}" -o whole >/dev/null || fail "the uninterrupted run failed"
span=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN {print b - a}')

killed=0 finished=0 rounds=0
while [ $killed -lt "$kills" ]; do
    rounds=$((rounds + 1)); run=run$rounds; log=
    while [ ! -e $run/manifest.json ]; do
        decant fit "${options[@]}" -o $run --resume >/dev/null 2>stderr &
        fit=$!
        if [ $killed -lt "$kills" ]; then
            # A third of a whole run at most: most runs are killed several times.
            sleep "$(awk -v r=$RANDOM -v span="$span" 'BEGIN {print 0.01 + span / 3 * r / 32768}')"
            kill -9 $fit 2>/dev/null && killed=$((killed + 1)) && log="$log k"
        fi
        wait $fit 2>/dev/null
        code=$?
        [ $code -eq 0 ] || [ $code -eq 137 ] || fail "exit $code: $(cat stderr)"
    done
    for file in labels.csv model.safetensors embedding.npy trace.safetensors; do same whole/$file $run/$file; done
    finished=$((finished + 1))
    echo "PASS run $rounds, killed$log"
    rm -rf $run
done
echo "$killed kills, $finished runs, all with the bytes of the uninterrupted run ($span s)"
