#!/bin/bash
# kill -9 of a random rank at random moments, resume with another number of ranks, and again; at the
# end the files must be those of one process that was left alone:
# tests/cli/mpi_kill_resume.sh BUILD_DIR [KILLS]
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?BUILD_DIR}" && pwd) || exit 2
kills=${2:-20}
export PATH="$build/bin:$PATH" LC_ALL=C
. "$here/lib.sh"
if ! command -v decant-mpi >/dev/null || ! command -v "${DECANT_MPIRUN:-mpirun}" >/dev/null; then
    echo "SKIP: decant-mpi was not built, or there is no mpirun"
    exit 0
fi
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 2

blobs 500 >d.csv
options=(d.csv --label-column kind -k 3 --layers "48,24,3" -q --no-report --checkpoint-seconds 0.02 --threads 1
    --pretrain-epochs 0 --greedy-iterations 200 --finetune-iterations 600 --restarts 20
    --max-iterations 600 --tol 0)
decant fit "${options[@]}" -o whole >/dev/null || fail "the uninterrupted run failed"
began=$EPOCHREALTIME
ranks 2 decant-mpi fit "${options[@]}" -o two >/dev/null || fail "the run of two ranks failed"
span=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN {print b - a}')
same_run whole two

# The processes of the job in this folder; the launcher is not one of them.
members() {
    local pid
    for pid in $(pgrep -x decant-mpi); do
        [ "$(readlink "/proc/$pid/cwd")" = "$scratch" ] && echo "$pid"
    done
}

killed=0 finished=0 rounds=0
counts=(1 2 4 8)
while [ $killed -lt "$kills" ]; do
    rounds=$((rounds + 1)); run=run$rounds; log=
    while [ ! -e $run/manifest.json ]; do
        count=${counts[$((RANDOM % 4))]}
        ranks "$count" decant-mpi fit "${options[@]}" -o $run --resume >/dev/null 2>stderr &
        job=$!
        if [ $killed -lt "$kills" ]; then
            sleep "$(awk -v r=$RANDOM -v span="$span" 'BEGIN {print 0.3 + span * r / 32768}')"
            mapfile -t list < <(members)
            if [ ${#list[@]} -gt 0 ] && kill -9 "${list[$((RANDOM % ${#list[@]}))]}" 2>/dev/null; then
                killed=$((killed + 1)) log="$log $count"
            fi
        fi
        wait $job 2>/dev/null
        code=$?
        [ $code -ne 124 ] || fail "the job of $count ranks went on without one of them"
        grep -q '^decant: ' stderr && fail "not killed, but: $(cat stderr)"
    done
    same_run whole $run
    finished=$((finished + 1))
    echo "PASS run $rounds, killed with ranks:$log"
    rm -rf $run
done
echo "$killed kills, $finished runs, all with the bytes of one process ($span s)"
