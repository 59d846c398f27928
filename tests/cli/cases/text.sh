# Texts from files to labels and back: fit, predict on raw text, features against scikit-learn.
awk 'BEGIN {
    seed = 3
    split("goal team match player coach league", sport, " ")
    split("bank share price market profit trade", money, " ")
    split("the of and in a to with for on over", plain, " ")
    for (i = 0; i < 120; i++) {
        line = ""
        for (j = 0; j < 12; j++) {
            seed = (seed * 1103515245 + 12345) % 2147483648
            r = int(seed / 65536)
            if (j % 3 == 0) word = plain[r % 10 + 1]
            else word = i % 2 ? sport[r % 6 + 1] "s" : money[r % 6 + 1]
            line = line word " "
        }
        print line
    }
}' >lines.txt
seq 0 119 | awk '{ print $1 % 2 }' >truth.txt

learn=("${fast[@]}" --layers 32,8 --pretrain-epochs 0 --finetune-iterations 1000)
expect 0 decant fit lines.txt -k 2 --labels truth.txt "${learn[@]}" -o run
says 'read text, one document a line, as tf-idf of 12 english stems: 120 rows of 12 numbers, sparse, 2 classes'
awk '/^dec /{ exit !($2 > 0.9) }' stdout || fail "the two topics were not found: $(cat stdout)"

cp stdout about

# Raw text goes through the model's own vocabulary, and the same text gives the same labels.
expect 0 decant predict run lines.txt -o again.csv
same_clusters again.csv run/labels.csv
printf 'Players and coaches of the league\nshare prices\n' >new.txt
expect 0 decant predict run new.txt -o new.csv
[ "$(sed -n 2p new.csv | cut -d, -f2)" = "$(sed -n 3p run/labels.csv | cut -d, -f2)" ] || fail 'sport'
[ "$(sed -n 3p new.csv | cut -d, -f2)" = "$(sed -n 2p run/labels.csv | cut -d, -f2)" ] || fail 'money'
expect 0 decant embed run new.txt -o new.npy

# What the clusters are about: words, not stems, and, where items have names, items.
grep -Eq '^ +[01]  .*(goals?|coach(es)?|league)' about || fail 'words'
valid_json run/clusters.json
says '"stem": "bank"' run/clusters.json

# A folder of the same texts.
mkdir -p folder/sport folder/money
awk '{ print > sprintf("folder/%s/%03d.txt", NR % 2 ? "money" : "sport", NR) }' lines.txt
expect 0 decant fit folder -k 2 --folder-labels "${fast[@]}" -o run2
says 'read a folder of texts, as tf-idf of 12 english stems: 120 rows of 12 numbers, sparse, 2 classes'
says 'money/001.txt,' run2/labels.csv
grep -Eq 'typical +(money|sport)/[0-9]+.txt, ' stdout || fail 'typical items'
expect 0 decant predict run2 lines.txt -o lines.csv
expect 0 decant info run2/model.safetensors

# Wrong usage and wrong files.
expect 2 decant fit lines.txt -k 2 --on-error maybe -o x
expect 1 decant fit lines.txt -k 2 --language klingon -o x
one_sentence
says 'expected none, arabic'
blobs 9 | tail -n +2 | cut -d, -f1-4 >numbers.csv
expect 0 decant fit numbers.csv -k 2 "${fast[@]}" -o numbers
expect 1 decant predict numbers lines.txt
one_sentence
says 'lines.txt: expected 4 columns, found 1'
printf 'caf\201 au lait and more words\n' >latin.txt
expect 1 decant fit latin.txt -k 2 -o x
one_sentence
says 'latin.txt: line 1: expected UTF-8 text, found the byte 0x81 at place 4'

# The matrix by itself.
expect 0 decant features tfidf lines.txt --language none --vocabulary 15 -o matrix.svm
says 'wrote 120 rows of 15 numbers'
[ "$(wc -l <matrix.svm)" -eq 120 ] || fail 'rows'
[ "$(wc -l <matrix.svm.stems.csv)" -eq 16 ] || fail 'stems'
says 'id,class' matrix.svm.rows.csv
expect 1 decant features tfidf numbers/embedding.npy -o x
says 'holds numbers already'
expect 2 decant features sausage lines.txt -o x
expect 2 decant features tfidf lines.txt
[ ! -e x ] || fail 'a file was left behind'

# A column of a table: later files are read by the same columns, in any order, without the flags.
awk 'BEGIN { print "key,topic,story" } { printf "k%d,%d,\"%s\"\n", NR, NR % 2, $0 }' lines.txt >stories.csv
expect 0 decant fit stories.csv -k 2 --text-column story --id-column key "${learn[@]}" -o stories
awk -F, 'BEGIN { print "story;other;key" } NR > 1 { print $3 ";x;" $1 }' stories.csv >later.csv
expect 0 decant predict stories later.csv -q
same_clusters stdout stories/labels.csv
expect 0 decant predict stories stories.csv -q; same_clusters stdout stories/labels.csv
expect 0 decant predict stories - -q <later.csv; same_clusters stdout stories/labels.csv
awk -F, 'NR > 1 { printf "{\"key\": \"%s\", \"story\": %s}\n", $1, $3 }' stories.csv >later.jsonl
expect 0 decant predict stories later.jsonl -q; same_clusters stdout stories/labels.csv
expect 0 decant predict stories lines.txt -q # without such a column: a document on each line
[ "$(wc -l <stdout)" -eq 121 ] || fail 'lines of text are not 120 rows'

# Text beside numbers: both count, and predict needs no flag.
awk 'BEGIN { print "key,size,story" } { printf "k%d,%d,\"%s\"\n", NR, NR % 4 < 2 ? 10 : 500, $0 }' lines.txt >mixed.csv
expect 0 decant fit mixed.csv -k 4 --text-column story --columns size --id-column key "${learn[@]}" -o mixed
says 'story  text'; says 'tf-idf'
tail -n +2 mixed/labels.csv | awk -F, '{ n = (NR - 1) % 4; count[n, $2]++ } END { for (i in count) if (count[i] >= 27) large++; exit large != 4 }' ||
    fail 'size and story do not make four clusters'
{ head -1 mixed.csv; tail -n +2 mixed.csv | sort -r; } | awk -F, -v OFS=, '{ print $3, $1, $2 }' >turned.csv
expect 0 decant predict mixed turned.csv -q
tail -n +2 stdout | cut -d, -f1,2 | sort >found; tail -n +2 mixed/labels.csv | cut -d, -f1,2 | sort >wanted; same wanted found

# A column of texts may be a field of JSON lines or in UTF-16, and all of it may come from a pipe: the same rows.
wide() { # little-endian UTF-16 with its mark, of ASCII
    printf '\377\376'; od -An -v -tx1 | tr -s ' ' '\n' | sed '/^$/d; s/$/00/; s/../\\x&/g' | tr -d '\n' | xargs -0 printf '%b'
}
awk 'BEGIN { split("apple pear plum;goal team match;rain sun cloud", topic, ";"); print "id,text"
    for (i = 0; i < 60; i++) { split(topic[1 + i % 3], w, " "); print "d" i ",some " w[1 + i % 2] " and " w[3] " with " w[1 + int(i / 3) % 3] } }' >docs.csv
awk -F, 'NR > 1 { printf "{\"id\": \"%s\", \"text\": \"%s\"}\n", $1, $2 }' docs.csv >docs.jsonl
wide <docs.csv >docs16.csv
wide <docs.jsonl >docs16.jsonl
expect 0 decant fit docs.csv --text-column text --id-column id -k 3 -o docs-csv "${fast[@]}" -q
for file in docs.jsonl docs16.csv docs16.jsonl; do
    expect 0 decant fit $file --text-column text --id-column id -k 3 -o docs-run --force "${fast[@]}" -q
    same docs-csv/labels.csv docs-run/labels.csv
    expect 0 decant fit - --text-column text --id-column id -k 3 -o docs-run --force "${fast[@]}" -q < <(cat $file)
    same docs-csv/labels.csv docs-run/labels.csv
    expect 0 decant predict docs-csv $file -q
    same_clusters stdout docs-csv/labels.csv
done
expect 0 decant fit - --text-column text --id-column id -k 3 -o docs-run --force "${fast[@]}" -q < <(cat docs.csv)
same docs-csv/labels.csv docs-run/labels.csv
printf 'PAR1\0\0' >docs.parquet
expect 1 decant fit docs.parquet --text-column text -k 3 -o no -q
one_sentence; says 'is a Parquet file; to convert it'

# A document a line in UTF-16 is no table.
tail -n +2 docs.csv | cut -d, -f2 >talk.txt
wide <talk.txt >talk16.txt
expect 0 decant fit talk.txt -k 3 -o talk "${fast[@]}" -q
expect 0 decant fit talk16.txt -k 3 -o talk16 "${fast[@]}"
says 'note: talk16.txt: was read as UTF-16'
same talk/labels.csv talk16/labels.csv
expect 0 decant fit talk16.txt talk.txt -k 3 -o both16 "${fast[@]}" -q
tail -n +2 both16/labels.csv | head -60 | cut -d, -f2 >one; tail -n +62 both16/labels.csv | cut -d, -f2 >two
same one two

# A model of such lines, and a table: told, or refused where it cannot be meant.
expect 0 decant predict talk docs.csv
says 'note: docs.csv: looks like a table, but each line is read as a text'
expect 1 decant predict talk docs.jsonl
one_sentence; says 'docs.jsonl: is a table (JSON lines), but the model was fitted on texts; --text-column NAME uses one of its columns'
expect 0 decant predict talk docs.jsonl --text-column text -q
same_clusters stdout talk/labels.csv
blobs 90 >points.csv
expect 0 decant fit points.csv -k 3 --label-column kind -o blobs "${fast[@]}" -q
expect 1 decant match talk blobs
one_sentence; says 'talk and blobs are of different kinds of data and have no ids in common'

# New columns go behind the bytes of a file as they are: not into UTF-16.
wide <points.csv >points16.csv
expect 1 decant predict blobs points16.csv --append
one_sentence; says 'points16.csv: is UTF-16, and --append needs a plain CSV file'
gzip -c points.csv >points.gz
expect 1 decant predict blobs points.gz --append
one_sentence; says 'points.gz: is compressed, and --append needs a plain CSV file'

# The matrix, by another program.
python3 -c 'import sklearn' 2>/dev/null || exit 0
python3 - <<'PYTHON' >&2 || fail 'scikit-learn has other numbers'
import csv
import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
texts = open("lines.txt").read().split("\n")[:-1]
counter = CountVectorizer()
counts = counter.fit_transform(texts)
names = counter.get_feature_names_out()
total = np.asarray(counts.sum(axis=0)).ravel()
keep = sorted(sorted(range(len(names)), key=lambda i: (-total[i], names[i]))[:15], key=lambda i: names[i])
theirs = TfidfTransformer(sublinear_tf=True).fit_transform(counts[:, keep]).toarray()
ours = load_svmlight_file("matrix.svm", n_features=15)[0].toarray() / np.sqrt(15)
assert [row[1] for row in csv.reader(open("matrix.svm.stems.csv"))][1:] == [names[i] for i in keep]
assert np.abs(ours - theirs).max() < 1e-6, np.abs(ours - theirs).max()
PYTHON
