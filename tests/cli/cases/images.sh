# Images from files to labels and back. The files are made by python3; the unit tests need no such help.
needs_png
python3 - <<'PYTHON' || fail 'the images could not be made'
import os, random
from png import png

random.seed(1)
os.makedirs("photos/stripes")
os.makedirs("photos/bars")
for i in range(30):
    phase, noise = random.randrange(2), lambda: random.randrange(40)
    png("photos/stripes/%02d.png" % i, 40, 40, lambda x, y: ((y + phase) % 8 * 25 + noise(), 30, noise()))
    png("photos/bars/%02d.png" % i, 40, 40, lambda x, y: (30, (x + phase) % 8 * 25 + noise(), noise()))
png("new.png", 80, 60, lambda x, y: (30, x % 16 * 12, 20))
png("whole.png", 50, 50, lambda x, y: (x * 5, y * 5, 7))
PYTHON
expect 0 decant fit photos -k 2 --folder-labels "${fast[@]}" -o run
says 'read colour images of 40x40, as hog+colormap: 60 rows of 245 numbers, 2 classes'
says 'typical' stdout
says 'stripes/' stdout
valid_json run/clusters.json
expect 0 decant info run
says 'doubtful' stdout

# The model takes raw images of any size, one by one or as a folder.
expect 0 decant predict run photos --folder-labels -o again.csv
same_clusters again.csv run/labels.csv
expect 0 decant predict run new.png photos/bars/00.png -o new.csv
says 'new.png,' new.csv
expect 0 decant embed run photos -o z.npy
same z.npy run/embedding.npy
expect 1 decant predict run lines.txt
printf 'many words are in this line\n' >lines.txt
expect 1 decant predict run lines.txt
one_sentence
says 'is text, but the model was fitted on images'

# The two kinds differ in colour.
expect 0 decant fit photos -k 2 --folder-labels --features colormap --method kmeans -o kmeans
awk '/^kmeans /{ exit !($2 > 0.99) }' stdout || fail "the two kinds were not found: $(cat stdout)"

# The same bytes for any number of threads.
for t in 1 4; do expect 0 decant features hog31 photos --resize 32x32 --threads $t -o hog$t.npy; done
same hog1.npy hog4.npy
expect 0 decant info hog1.npy
says '60 rows of 124 numbers, dense' stdout
expect 0 decant fit hog1.npy -k 2 "${fast[@]}" --pretrain-extra hog4.npy -o extra
says '60 more for pretraining'
expect 0 decant fit photos -k 2 --pretrain-extra whole.png "${fast[@]}" -o extra2
says '1 more for pretraining'

# Broken ones: the run stops with one sentence, or goes on without them.
head -c 900 whole.png >photos/cut.png
expect 1 decant fit photos -k 2 "${fast[@]}" -o broken
one_sentence
says 'photos/cut.png: is a damaged PNG'
says '; --on-error skip leaves such files out'
head -c 300 photos/bars/01.png >photos/short.jpg
: >photos/none.png
expect 1 decant fit photos -k 2 "${fast[@]}" -o broken
one_sentence
[ ! -e broken ] || fail 'a folder was left behind'
expect 1 decant features pixels photos/cut.png -o cut.npy
! grep -q on-error stderr || fail 'of one file none can be left out'
expect 0 decant fit photos -k 2 --on-error skip "${fast[@]}" -o broken
says 'note: skipped: photos/cut.png: is a damaged PNG'
says 'note: skipped: photos/none.png: expected a PNG or JPEG image, found an empty file'
[ "$(wc -l <broken/labels.csv)" -eq 61 ] || fail 'rows were lost'
says '"skipped": 3' broken/manifest.json
