# No command overwrites a file that it reads, under any name of that file.
blobs 60 >d.csv
read=(--label-column kind -q)
expect 0 decant fit d.csv -k 3 "${read[@]}" -o run "${fast[@]}"
cp d.csv before.csv
ln -s d.csv link.csv; ln d.csv hard.csv; mkdir sub; ln -s ../d.csv sub/far.csv
refused() {
    expect 2 "$@"
    one_sentence
    says 'name another file'
    same d.csv before.csv
}
for name in d.csv ./d.csv "$PWD/d.csv" sub/../d.csv link.csv hard.csv sub/far.csv; do
    refused decant predict run d.csv "${read[@]}" -o "$name"
    [ -e "$name" ] || fail "$name is gone"
done
refused decant predict run link.csv "${read[@]}" -o d.csv
refused decant embed run d.csv "${read[@]}" -o d.csv
cp d.csv d.npy; refused decant tsne d.npy "${read[@]}" -o ./d.npy
cut -d, -f5 d.csv | tail -n +2 >truth.txt; cut -d, -f1-4 d.csv | tail -n +2 >p.csv
cp truth.txt truth.before
refused decant predict run p.csv --labels truth.txt -o truth.txt -q
same truth.txt truth.before

# The model, too, alone or in its folder; other files of a run folder may be written.
cp run/model.safetensors model.before
refused decant predict run p.csv -o run/model.safetensors -q
refused decant predict run/model.safetensors p.csv -o run/model.safetensors -q
same run/model.safetensors model.before
for i in 1 2; do expect 0 decant predict run p.csv -o run/predicted.csv -q; done

# A folder of texts, and the files that features writes beside its own.
mkdir texts; for i in 1 2 3 4; do echo "some words about thing number $i and more" >texts/$i.txt; done
refused decant features tfidf texts -o texts/1.txt -q
says 'number 1' texts/1.txt
cp texts/1.txt matrix.rows.csv
refused decant features tfidf matrix.rows.csv texts/2.txt -o matrix -q
says 'number 1' matrix.rows.csv

# --force empties a run folder, and not one that holds the data.
expect 2 decant fit run/embedding.npy -k 3 -o run --force -q "${fast[@]}"
one_sentence
[ -s run/embedding.npy ] && [ -s run/manifest.json ] || fail "the run is gone"

# Other files are replaced, as ever.
echo old >out.csv
expect 0 decant predict run d.csv "${read[@]}" -o out.csv
[ "$(wc -l <out.csv)" -eq 61 ] || fail "out.csv"
