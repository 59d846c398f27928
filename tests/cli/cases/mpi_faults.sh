# What one rank finds, all say once; nobody hangs. What is not spread is refused.
needs_mpi
plain_blobs 200 >d.csv
fit=(decant-mpi fit -k 3 -q --no-report --threads 1 --layers 8,2 --greedy-iterations 0
    --finetune-iterations 20 --max-iterations 10 --restarts 2)
fails() { # CODE SENTENCE COMMAND...
    local wanted=$1 sentence=$2; shift 2
    expect "$wanted" "$@"
    says "$sentence"
    [ "$(grep -c '^decant: ' stderr)" -eq 1 ] || fail "not one sentence: $(cat stderr)"
}
fails 2 "expected 1, 2, 4, 8 or 16 processes, found 3" ranks 3 "${fit[@]}" d.csv -o r
fails 1 "nowhere.csv" ranks 2 "${fit[@]}" nowhere.csv -o r
fails 2 "is for one process" ranks 2 decant-mpi info d.csv
fails 1 "cannot be spread" ranks 2 "${fit[@]}" d.csv --method kmeans -o r
fails 1 "give a number of clusters" ranks 2 "${fit[@]}" d.csv -k auto -o r
fails 1 "standard input" ranks 2 "${fit[@]}" - -o r
fails 1 "only 200 rows" ranks 2 "${fit[@]}" d.csv -k 250 -o r
[ -e r ] && fail "a run folder was left"
# A value that is not finite, in the rows of the last rank: only that one sees it.
if command -v python3 >/dev/null; then
    python3 - <<'PYTHON'
import struct
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (64, 4), }"
header += b" " * (118 - len(header) - 1) + b"\n"
rows = [float(i % 7 + j) for i in range(64) for j in range(4)]
rows[60 * 4 + 2] = float("nan")
open("nan.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header
                            + struct.pack("<256f", *rows))
PYTHON
    fails 1 "row 61, column 3" ranks 4 "${fit[@]}" nan.npy -o r
    says "rank 3 on "
    [ -e r ] && fail "a run folder was left"
fi
# A disk that is not shared: one rank has a folder of its own in the place of the data, which is
# empty or has other rows; then one in the place of the run.
if unshare -m mount -t tmpfs none /mnt 2>/dev/null; then
    mkdir -p disk runs
    plain_blobs 200 >disk/d.csv
    fails 1 "disk/d.csv: cannot be opened" apart disk true "${fit[@]}" disk/d.csv -o r
    says "rank 1 on "
    # shellcheck disable=SC2016 # for the shell of that rank
    fails 1 "the data here is not that of rank 0" apart disk \
        'sed "150s/[0-4]/7/" "$here/d.csv" >disk/d.csv' "${fit[@]}" disk/d.csv -o r
    says "rank 1 on "
    [ -e r ] && fail "a run folder was left"
    long=("${fit[@]}" disk/d.csv -o runs/c --finetune-iterations 1000000 --pretrain-epochs 0
        --checkpoint-seconds 0.05)
    ranks 2 "${long[@]}" >stdout 2>stderr & job=$!
    while kill -0 $job 2>/dev/null && [ ! -e runs/c/checkpoint.safetensors ]; do sleep 0.05; done
    pkill -TERM -P $job; wait $job
    flock -w 20 runs/c true || fail "a rank lives on" # the launcher can end before its ranks
    fails 1 "the checkpoint here is not that of rank 0" apart runs true "${long[@]}" --resume
    says "rank 1 on "
    # Memory that ranks do not see together, or too little of it, for all or for the gradients only:
    # sums go by messages.
    export OMPI_MCA_btl_vader_backing_directory=$PWD
    export -f ranks
    # shellcheck disable=SC2016 # for that shell
    small=(unshare -m bash -c 'mount -t tmpfs -o "size=$1" none /dev/shm && shift && ranks 2 "$@"' sh)
    expect 0 decant "${fit[@]:1}" d.csv -o alone
    for size in 0 100k 200k; do
        case $size in
        0) expect 0 apart /dev/shm true "${fit[@]}" d.csv -o shm$size ;;
        *) expect 0 "${small[@]}" $size "${fit[@]}" d.csv -o shm$size ;;
        esac
        same_run alone shm$size
    done
    unset OMPI_MCA_btl_vader_backing_directory
fi
# A folder that is taken.
expect 0 ranks 2 "${fit[@]}" d.csv -o r
fails 1 "holds a finished run" ranks 2 "${fit[@]}" d.csv -o r
exit 0
