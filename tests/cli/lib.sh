# Helpers for the cases.

# A fit that takes a fraction of a second, also on a busy machine.
short=(--threads 1 --layers 8,2 --finetune-iterations 200 --restarts 2 --max-iterations 300 --update-interval 50)
fast=(--no-report "${short[@]}")

fail() { echo "$*" >&2; exit 1; }
skip() { echo "$*" >&2; exit 77; }

# Shows a command, both its outputs and its exit code: for cases with an expected output.
try() {
    echo "\$ $*"
    "$@" 2>&1
    local code=$?
    [ $code -eq 0 ] || echo "(exit $code)"
}

# expect CODE COMMAND...: the command's stdout and stderr are kept in files of that name.
expect() {
    local wanted=$1; shift
    "$@" >stdout 2>stderr
    local code=$?
    [ $code -eq "$wanted" ] || fail "exit $code and not $wanted: $* : $(cat stderr)"
}

# says TEXT [FILE]: the last command's stderr (or the file) has this text in it.
says() { grep -qF -- "$1" "${2:-stderr}" || fail "'$1' is not in ${2:-stderr}: $(cat "${2:-stderr}")"; }

# One line, of the program's own form.
one_sentence() {
    [ "$(wc -l <stderr)" -eq 1 ] || fail "stderr has more than one line: $(cat stderr)"
    says 'decant: '
}

same() { cmp "$1" "$2" >&2 || fail "$1 and $2 differ"; }

# same_clusters PREDICTED LABELS: what predict wrote, without novelty and outlier, beside labels.csv.
same_clusters() {
    sed -E 's/,novelty,outlier$//; s/,[0-9.]+,[01]$//' "$1" | cmp - "$2" >&2 || fail "$1 and $2 differ"
}

# interrupt PID FOLDER [SIGNAL]: ends a fit in the background as soon as its training has begun and
# gives its exit code. `set -m` must be on, or the shell starts background jobs with SIGINT ignored.
interrupt() {
    while kill -0 "$1" 2>/dev/null && [ ! -e "$2/checkpoint.safetensors" ]; do sleep 0.02; done
    kill "-${3:-INT}" "$1" 2>/dev/null || fail "it ended before it could be interrupted: $(cat stderr)"
    wait "$1"
}

# A tool for looking at JSON is not needed to build or to run; where there is none, this checks less.
valid_json() {
    [ -s "$1" ] || fail "$1 is empty"
    if command -v python3 >/dev/null; then python3 -m json.tool "$1" >/dev/null || fail "$1 is not JSON"; fi
}

# blobs N: a CSV with a header, four numbers and the class of N rows in three groups.
blobs() {
    awk -v n="$1" 'BEGIN {
        seed = 7; print "w,x,y,z,kind"; split("red green blue", name, " ")
        for (i = 0; i < n; i++) {
            c = i % 3; line = ""
            for (j = 0; j < 4; j++) {
                seed = (seed * 1103515245 + 12345) % 2147483648
                line = line sprintf("%.4f,", (c == j ? 4 : 0) + seed / 2147483648)
            }
            print line name[c + 1]
        }
    }'
}

# The numbers only.
plain_blobs() { blobs "$1" | tail -n +2 | cut -d, -f1-4; }

# How many ranks share the rows. Sanitizers look at four alone: there is nothing that only two of them do.
rank_counts() { if [ "${DECANT_TEST_SLOWER:-1}" -gt 1 ]; then echo 4; else echo 2 4; fi; }

# ranks N COMMAND...: N processes of decant-mpi under the launcher, also as root and on few cores.
# Open MPI 4 and 5 are asked by variables that MPICH's launcher does not mind. What the libraries of
# an MPI leak is theirs.
ranks() {
    local count=$1; shift
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
        OMPI_MCA_btl_vader_single_copy_mechanism=none \
        PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe ASAN_OPTIONS=detect_leaks=0 \
        timeout 250 "${DECANT_MPIRUN:-mpirun}" -n "$count" "$@"
}

# Two ranks, the second of which sees a folder of its own instead of FOLDER, as on a disk that is not
# shared; CHANGE puts files there (the ones of the first rank are in `here`).
# apart FOLDER CHANGE COMMAND...
apart() {
    local folder=$1 change=$2; shift 2
    # shellcheck disable=SC2016 # for the shell of that rank
    ranks 1 "$@" : -n 1 unshare -m sh -c 'folder=$1 change=$2; shift 2
        here=$(mktemp -d) && cp -r "$folder/." "$here" && mount -t tmpfs none "$folder" || exit 9
        eval "$change"; rm -rf "$here"; exec "$@"' sh "$folder" "$change" "$@"
}

needs_mpi() {
    command -v decant-mpi >/dev/null || skip "decant-mpi was not built"
    command -v "${DECANT_MPIRUN:-mpirun}" >/dev/null || skip "there is no mpirun"
}

# The files whose bytes are promised.
same_run() {
    local file
    for file in labels.csv model.safetensors embedding.npy trace.safetensors clusters.json; do
        same "$1/$file" "$2/$file"
    done
}

# A module `png` for python3 in this folder: png(path, width, height, pixel), pixel(x, y) being three
# numbers up to 255. Skips the case where there is no python3.
needs_png() {
    python3 -c 'import zlib' 2>/dev/null || skip 'needs python3 to make images'
    cat >png.py <<'PYTHON'
import struct, zlib

def png(path, width, height, pixel):
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(width)) for y in range(height))
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    open(path, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) +
                           chunk(b"IEND", b""))
PYTHON
}
