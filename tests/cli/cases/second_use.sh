# A run folder that is used again, by other commands than the one that made it: nothing that was
# asked for is left out without a word, and nothing of the run is lost.
blobs 90 >d.csv
expect 0 decant fit d.csv -k 3 --drop kind -o plain "${fast[@]}" -q
sed 's/,kind/,city/' d.csv >table.csv
expect 0 decant fit table.csv -k 3 -o run --no-report --threads 1 -q

# --like keeps network, scaling and columns of the earlier run: another value is refused.
like=(decant fit table.csv --like run --no-report --threads 1 -q -o next)
for flags in "--method gmm" "--layers 9,3" "--scaling minmax" "--alpha 3" "--columns w" "--drop w" "--types w=category" \
    "--text-column city"; do
    # shellcheck disable=SC2086 # a flag and its value
    expect 2 "${like[@]}" $flags
    one_sentence
    says "${flags%% *}"; says 'leave '
    [ ! -e next ] || fail "a refused fit wrote a folder"
done
says 'leave out --text-column'
expect 0 "${like[@]}" --method dec --alpha 1 --scaling auto --max-iterations 100
for command in predict embed; do
    expect 2 decant $command run table.csv --columns w,x -o out
    one_sentence
    says 'leave out --columns'
    [ ! -e out ] || fail "$command left a file"
done
# The same as the recipe has is no other value: whoever repeats the flags of the fit is not stopped.
expect 0 decant predict run table.csv --columns city,w,x,y,z --types city=category -q
expect 0 decant predict plain d.csv --drop kind -q
expect 2 decant predict plain d.csv --drop x -q; says 'leave out --drop'

# No file of the run is replaced by another result; others may be written there.
for name in model.safetensors labels.csv embedding.npy manifest.json clusters.json history.csv trace.safetensors; do
    cp run/$name kept
    expect 2 decant predict run table.csv -q -o run/$name
    one_sentence; says 'name another file'
    same run/$name kept
done
expect 2 decant embed run table.csv -q -o run/embedding.npy
expect 0 decant embed run table.csv -q -o run/new.npy
expect 2 decant embed run table.csv -q -o embedding.csv; one_sentence; says 'embed writes NPY and not .csv'
expect 2 decant export run -o model.csv; one_sentence

# How data is read belongs to data.
expect 2 decant report run --labels table.csv; one_sentence; says 'name the data'
expect 2 decant report run --label-column city; one_sentence
expect 2 decant report run table.csv --columns w; one_sentence; says 'leave out --columns'
cut -d, -f1-4 d.csv >four.csv
tail -n +2 d.csv | cut -d, -f5 >kinds.txt
expect 0 decant report plain four.csv --labels kinds.txt -q
says 'Known classes' plain/report.html

# Rows that have moved: a report without them says so, and how to have them in it.
expect 0 decant report run
! grep -q 'without the rows' stderr || fail "$(cat stderr)"
grep -q 'city red' run/report.html || fail 'no row is shown with its city'
! grep -q 'city not' run/report.html || fail 'beside its city, a row says which cities it is not'
mv table.csv moved.csv
expect 0 decant report run
says 'without the rows: the data files no longer exist; to write it with them: decant report run DATA'
expect 0 decant name run 0 zero
says 'decant report run DATA'
expect 0 decant report run moved.csv
! grep -q 'without the rows' stderr || fail "$(cat stderr)"

# Names from a file: none is dropped or cut.
names() { printf %b "$1" >names.csv; cp run/model.safetensors kept; }
names 'cluster,name\n0,a\n0,b\n'
expect 1 decant name run --names names.csv; one_sentence; says 'two names for cluster 0'; same run/model.safetensors kept
names 'cluster,name\n0,Berlin, Germany\n'
expect 1 decant name run --names names.csv; one_sentence; says 'needs quotes'; same run/model.safetensors kept
for text in '' 'cluster,name\n'; do
    names "$text"
    expect 1 decant name run --names names.csv; one_sentence; says 'has no names'
done
names 'cluster,name,rows\n0,"Berlin, Germany",30\n1,b,\n2,c\n'
expect 0 decant name run --names names.csv; says '      0  Berlin, Germany' stdout
names '0,a,,\n'
expect 0 decant name run --names names.csv; says '      0  a' stdout

# A row without a class is none of its own; one thing is no plural.
awk -F, 'BEGIN { print "id,kind" } NR > 1 { print NR - 2 "," (NR < 6 ? "" : $5) }' d.csv >truth.csv
expect 0 decant eval plain truth.csv --id-column id --label-column kind
says '86 rows, 3 clusters, 3 classes' stdout; says 'ACC 1.0000' stdout
says 'left out, because they have no class: 4 rows'
sed 's/,.*/,/; 1s/.*/id,kind/' truth.csv >nothing.csv
expect 1 decant eval plain nothing.csv --id-column id --label-column kind; one_sentence
sed '2,$s/,.*/,one/' truth.csv >one.csv
expect 0 decant eval plain one.csv --id-column id --label-column kind; says '90 rows, 3 clusters, 1 class' stdout
! grep -q '1 classes' stdout || fail "$(cat stdout)"

# A variable of the shell that is not set.
expect 2 decant predict "" d.csv; one_sentence; says 'an empty word'
expect 2 decant predict plain ""; one_sentence
expect 2 decant fit d.csv -k 3 -o ""; one_sentence; says '--output'
expect 0 decant name run 0 ""

# Several that name clusters at the same time: none of the names is lost.
for try in 1 2 3; do
    expect 0 decant fit d.csv -k 3 --drop kind -o named "${fast[@]}" --method kmeans --force -q
    for c in 0 1 2; do decant name named $c "name $c" -q >/dev/null 2>err$c & done
    wait
    decant name named >stdout
    for c in 0 1 2; do says "name $c" stdout; done
    [ "$(grep -c ',name [012]$' named/labels.csv)" -eq 90 ] || fail "labels.csv has not all names in try $try"
done

# A number of steps is a whole one, and one that can be counted to.
for count in 0.5 1e30 0 nan; do
    expect 2 decant tsne four.csv -o map.svg --iterations $count --threads 1
    one_sentence; says '--iterations: expected a'
done
head -2 four.csv >single.csv
expect 0 decant tsne single.csv -o map.svg --iterations 10 --threads 1; says 'a map of 1 row,'
