# Images and texts by several ranks, each making its part: fit, features, predict and embed write what
# one process writes. A broken image is found by whoever reads it, and said by all once, or skipped.
needs_mpi
needs_png
python3 - <<'PYTHON' || fail 'the images could not be made'
import os, random
from png import png

random.seed(1)
for kind in "stripes", "bars":
    os.makedirs("photos/" + kind)
    for i in range(150): # more than a chunk
        phase, noise = random.randrange(2), lambda: random.randrange(40)
        png("photos/%s/%03d.png" % (kind, i), 24, 24,
            lambda x, y: (((y if kind == "bars" else x) + phase) % 8 * 25 + noise(), 30, noise()))
words = ["red round sweet juice tree apple pear fruit", "wheel engine road drive fast motor car truck",
         "note song string drum loud tune band choir"]
os.makedirs("texts")
lines = open("lines.txt", "w")
for i in range(90):
    text = " ".join(random.choice(words[i % 3].split()) for _ in range(12))
    if i in (40, 77): text = "qq%d" % i # too rare to be in the vocabulary
    os.makedirs("texts/%d" % (i % 3), exist_ok=True)
    open("texts/%d/%03d.txt" % (i % 3, i), "w").write(text + "\n")
    lines.write(text + "\n")
os.makedirs("tokens")
cells = open("cells.csv", "w")
cells.write("id,body,kind\n")
for first, last, path in (1, 180, "train"), (180, 260, "test_pt0"):
    with open("tokens/lyrl2004_tokens_%s.dat" % path, "w") as file:
        for i in range(first, last):
            text = [" ".join(random.choice(words[i % 3].split()) for _ in range(5)) for _ in range(3)]
            file.write(".I %d\n.W\n%s\n" % (i, "\n".join(text)) + "\n" * (i % 3))
            cells.write('%d,"%s\n""%s""",%s\n' % (i, text[0], text[1], "abc"[i % 3]))
with open("tokens/rcv1-v2.topics.qrels", "w") as file:
    for i in range(1, 260): # some have two roots, some none
        if i % 11 != 3: file.write("%s %d 1\n" % (["CCAT", "GCAT", "MCAT"][i % 3], i))
        if i % 17 == 1: file.write("ECAT %d 1\n" % i)
PYTHON
gzip -k lines.txt
short=(--no-report --threads 1 --layers 12,3 --greedy-iterations 20 --finetune-iterations 40
    --max-iterations 20 --update-interval 10 --restarts 2)
for data in "photos -k 2 --folder-labels" "texts -k 3 --folder-labels --vocabulary 24" "lines.txt -k 3 --vocabulary 24" \
    "lines.txt lines.txt.gz -k 3 --vocabulary 24" "tokens -k 3 --vocabulary 24" \
    "cells.csv --text-column body --id-column id --label-column kind -k 3 --vocabulary 24"; do
    # shellcheck disable=SC2086 # a folder and its flags
    expect 0 decant fit $data "${short[@]}" -o alone
    grep -e 'no known stem' -e 'left out' stderr >notes1
    for count in $(rank_counts); do
        # shellcheck disable=SC2086
        expect 0 ranks $count decant-mpi fit $data "${short[@]}" -o ranks
        same_run alone ranks
        grep -e 'no known stem' -e 'left out' stderr >notes2
        same notes1 notes2
        rm -rf ranks
    done
    case $data in photos* | texts* | "lines.txt -k"*) ;; *) rm -rf alone; continue ;; esac
    expect 0 decant predict alone "${data%% *}" -q -o p1
    expect 0 ranks 4 decant-mpi predict alone "${data%% *}" -q -o p4
    same p1 p4
    expect 0 decant embed alone "${data%% *}" -q -o z1.npy
    expect 0 ranks 2 decant-mpi embed alone "${data%% *}" -q -o z2.npy
    same z1.npy z2.npy
    rm -rf alone
done
for kind in "hog photos" "pixels photos --folder-labels" "tfidf texts --vocabulary 24" "tfidf lines.txt --vocabulary 24"; do
    # shellcheck disable=SC2086
    expect 0 decant features $kind -q -o f1
    for count in $(rank_counts); do
        # shellcheck disable=SC2086
        expect 0 ranks $count decant-mpi features $kind -q -o f2
        for file in f1*; do same "$file" "f2${file#f1}"; done
        rm -f f2*
    done
    rm -f f1*
done
# A pipe: rank 0 alone knows that it is one.
expect 0 decant fit photos -k 2 -q "${short[@]}" -o alone
expect 0 decant embed alone photos -q -o z1.npy
# shellcheck disable=SC2094
ranks 2 decant-mpi embed alone photos -q -o /dev/stdout 2>stderr | cat >z2.npy
same z1.npy z2.npy
# A disk that is not shared: one rank misses an image.
if unshare -m mount -t tmpfs none /mnt 2>/dev/null; then
    # shellcheck disable=SC2016 # for the shell of that rank
    expect 1 apart photos 'cp -r "$here/." photos; rm photos/bars/007.png' \
        decant-mpi fit photos -k 2 -q "${short[@]}" -o missing
    says 'the list of images here is not that of rank 0'
fi
# A broken image, of the last rank.
printf 'GIF89a, not a PNG' >photos/stripes/140.png
expect 1 ranks 4 decant-mpi features hog photos -q -o f2
says 'stripes/140.png'
[ "$(grep -c '^decant: ' stderr)" -eq 1 ] || fail "not one sentence: $(cat stderr)"
[ -e f2 ] && fail 'a matrix was left'
expect 1 ranks 4 decant-mpi fit photos -k 2 -q "${short[@]}" -o broken
says 'stripes/140.png'
expect 0 decant fit photos -k 2 "${short[@]}" --on-error skip -o alone --force
expect 0 ranks 4 decant-mpi fit photos -k 2 "${short[@]}" --on-error skip -o ranks
says 'skipped: photos/stripes/140.png'
same_run alone ranks
exit 0
