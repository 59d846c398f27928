# Clusters that are merged, matched with an earlier run, dissolved, or added.
rows() { # FROM TO SEED GROUPS: ids, four numbers in groups
    awk -v from="$1" -v to="$2" -v seed="$3" -v groups="$4" 'BEGIN {
        print "id,a,b,c,d"
        for (i = from; i < to; i++) {
            line = "c" i
            for (j = 0; j < 4; j++) {
                seed = (seed * 1103515245 + 12345) % 2147483648
                line = line sprintf(",%.4f", (i % groups == j ? 5 : 0) + seed / 2147483648)
            }
            print line
        }
    }'
}
rows 0 120 7 4 >old.csv
expect 0 decant fit old.csv -k 4 --id-column id -o old "${short[@]}" -q
expect 0 decant name old 1 students
expect 0 decant name old 3 others
expect 0 decant info old; says '  name' stdout; says '  students' stdout
expect 0 decant info old --json; says '"students"' stdout; valid_json stdout

# One cluster of two: the same rows, everywhere.
cp -r old before
expect 0 decant merge old 1 3 -o merged
says '      1  1 + 3  students + others' stdout; says '      2  2' stdout; says 'run folder: merged' stdout
for file in labels.csv model.safetensors manifest.json clusters.json; do same old/$file before/$file; done
awk -F, 'NR > 1 { c = $2 == 3 ? 1 : $2; print $1 "," c }' old/labels.csv >wanted
tail -n +2 merged/labels.csv | cut -d, -f1,2 >found; same wanted found
expect 0 decant predict merged old.csv -q
tail -n +2 stdout | cut -d, -f1,2 >found; same wanted found
cut -d, -f1-4 stdout >again; same again merged/labels.csv
grep -q ',students + others$' merged/labels.csv || fail 'the name is not in labels.csv'
same old/embedding.npy merged/embedding.npy
valid_json merged/clusters.json; valid_json merged/manifest.json
[ "$(grep -c '"cluster":' merged/clusters.json)" -eq 3 ] || fail 'clusters.json has not three clusters'
says '"k": 3' merged/manifest.json; says 'decant merge old 1 3 -o merged' merged/manifest.json
says '"regrouped_from": "decant fit' merged/manifest.json
[ -s merged/report.html ] || fail 'no report'
expect 0 decant report merged -q
expect 0 decant export merged -o merged.onnx -q
expect 0 decant merge merged 0 2 -o twice --no-report
[ ! -e twice/report.html ] || fail 'a report that was not wanted'
expect 0 decant predict twice old.csv -q
tail -n +2 stdout | cut -d, -f1,2 >found; tail -n +2 twice/labels.csv | cut -d, -f1,2 >wanted; same wanted found
expect 0 decant fit old.csv --like merged --id-column id -o like -q --threads 1 --no-report --max-iterations 100 --update-interval 50
says '120 rows stayed in their cluster, 0 moved' stdout

expect 1 decant merge old 1 4 -o no; one_sentence; says "'4' is no cluster of this run: they are 0 to 3"
expect 1 decant merge old 1 1 -o no; one_sentence; says 'given twice'
expect 2 decant merge old 1
expect 1 decant merge old.csv 1 2; one_sentence
expect 1 decant merge old 1 2 -o merged --no-report; one_sentence; says 'merged: holds a finished run'
mv old.csv elsewhere.csv
expect 1 decant merge old 1 2 -o no; one_sentence; says '--data FILE names the rows'
expect 0 decant merge old 1 2 -o moved --data elsewhere.csv --no-report
mv elsewhere.csv old.csv
[ ! -e no ] || fail 'a folder was left behind'

# A refit with another seed gets the old numbers and names; without ids, by the old model.
rows 60 180 9 4 >new.csv
expect 0 decant fit new.csv -k 4 --id-column id --seed 5 -o new "${fast[@]}" -q
expect 0 decant match new old -o matched --no-report
says 'matched by the same rows: 60 rows' stdout
says '60 rows stayed in their cluster, 0 moved, 60 are new, 60 are gone' stdout
expect 0 decant predict old new.csv -q; tail -n +2 stdout | cut -d, -f1,2 >wanted
tail -n +2 matched/labels.csv | cut -d, -f1,2 >found; same wanted found
expect 0 decant predict matched new.csv -q; tail -n +2 stdout | cut -d, -f1,2 >found; same wanted found
grep -q ',students$' matched/labels.csv || fail 'the name was not carried over'
grep ',students$' matched/labels.csv | cut -d, -f2 | sort -u >wanted
# It is the name of that cluster alone, also if the run had given it to others.
for c in 0 1 2 3; do expect 0 decant name new "$c" students; done
expect 0 decant match new old -o renamed --no-report
grep ',students$' renamed/labels.csv | cut -d, -f2 | sort -u >found; same wanted found
cut -d, -f2- old.csv >old-plain.csv; cut -d, -f2- new.csv >new-plain.csv
expect 0 decant fit old-plain.csv -k 4 -o old-plain "${fast[@]}" -q
expect 0 decant name old-plain 2 two -q
expect 0 decant fit new-plain.csv -k 4 --seed 5 -o new-plain "${fast[@]}" -q
expect 0 decant match new-plain old-plain -o matched-plain --no-report
says 'matched by the earlier model: 120 rows' stdout; says 'as before  two' stdout
expect 0 decant predict old-plain new-plain.csv -q; tail -n +2 stdout | cut -d, -f1,2 >wanted
tail -n +2 matched-plain/labels.csv | cut -d, -f1,2 >found; same wanted found
expect 0 decant fit old-plain.csv -k 4 --seed 6 -o again-plain "${fast[@]}" -q
expect 0 decant match again-plain old-plain -o same-plain --no-report
says 'matched by the same rows: 120 rows' stdout; says '120 rows stayed' stdout
# Fewer clusters than before, and more.
expect 0 decant fit old.csv -k 3 --id-column id -o three "${fast[@]}" -q
expect 0 decant match three old -o three-matched --no-report
says '  died' stdout
expect 0 decant match old three -o four-matched --no-report
says 'cluster 3 is new' stdout; says '  appeared' stdout
expect 1 decant match old three -o four-matched --no-report; one_sentence

# No cluster below a size, and predict agrees.
expect 0 decant fit old.csv -k 12 --min-size 25 --id-column id -o large "${fast[@]}" -q
says 'clusters that were dissolved, being smaller than --min-size: ' stdout
tail -n +2 large/labels.csv | cut -d, -f2 | sort | uniq -c | awk '$1 < 25 { exit 1 }' || fail 'a cluster is too small'
expect 0 decant predict large old.csv -q; same_clusters stdout large/labels.csv
expect 1 decant fit old.csv -k 3 --min-size 121 --id-column id -o no "${fast[@]}" -q; one_sentence; says 'min-size is 121'

# More clusters than the earlier run has: what is new gets its own.
rows 0 90 7 3 >few.csv
expect 0 decant fit few.csv -k 3 --id-column id -o few "${fast[@]}" -q
expect 0 decant name few 0 zero -q
expect 0 decant fit old.csv --like few -k 4 --id-column id -o more -q --threads 1 --no-report --max-iterations 300 --update-interval 50
says '  appeared' stdout; says ',zero' more/labels.csv
awk -F, 'NR > 1 { n = substr($1, 2) % 4; if (!((n, $2) in seen)) { seen[n, $2]; pairs++ } } END { exit pairs != 4 }' more/labels.csv ||
    fail 'the four groups are not the four clusters'
expect 1 decant fit old.csv --like few -k 2 --id-column id -o no -q; one_sentence; says 'k must be 3, as in the model to start from, or more'
