# A model keeps the names of columns and the first index of svmlight files.
blobs 90 >d.csv
expect 0 decant fit d.csv -k 3 --label-column kind -o run "${fast[@]}" -q
blobs 90 | cut -d, -f1-4 >named.csv
expect 0 decant predict run named.csv -q
cut -d, -f1,2 stdout >right

# Columns are matched by name, in any order; without most of them a file is refused.
blobs 90 | awk -F, '{ print $2 "," $1 "," $3 "," $4 }' >order.csv
expect 0 decant predict run order.csv -q
cut -d, -f1,2 stdout >turned; same right turned
blobs 90 | sed '1s/y/why/' | cut -d, -f1-4 >renamed.csv
expect 0 decant embed run renamed.csv -o z.npy
says 'columns of the model that are missing, and count as empty: y'
says 'columns that the model does not know, and are not used: why'
blobs 90 | sed '1s/^w,x,y/a,b,c/' | cut -d, -f1-4 >other.csv
expect 1 decant predict run other.csv
says 'other.csv: has only 1 of the 4 columns that the model was fitted on; missing: w, x, y'; one_sentence
[ ! -s stdout ] || fail "something on stdout"

# Without names, in the file or in the model, there is nothing to compare.
plain_blobs 90 >plain.csv
expect 0 decant predict run plain.csv -q
cut -d, -f1,2 stdout >same_rows; same right same_rows
expect 0 decant fit plain.csv -k 3 -o nameless "${fast[@]}" -q
expect 0 decant predict nameless order.csv -q

# Two files of one table: in any order, but with the same names.
expect 0 decant fit named.csv order.csv -k 3 -o two "${fast[@]}" -q
tail -n +2 two/labels.csv | head -90 | cut -d, -f2 >first; tail -n +92 two/labels.csv | cut -d, -f2 >second
same first second
expect 1 decant fit named.csv renamed.csv -k 3 -o none "${fast[@]}" -q
says 'renamed.csv: has no column "y", which '

# Names that need quoting survive the model file.
{ printf '"a\nb",c\\n,\351,"d,e"\n'; plain_blobs 90; } >odd.csv
expect 0 decant fit odd.csv -k 3 -o odd "${fast[@]}" -q
expect 0 decant predict odd odd.csv -q
{ printf '"a\nb",c\\n,\350,"d,e"\n'; plain_blobs 90; } >odder.csv
expect 0 decant predict odd odder.csv
says 'missing, and count as empty: é'

# svmlight from 0: rows that happen to have no index 0 keep their columns.
plain_blobs 90 | awk -F, '{ printf "%d", NR % 3; for (j = 1; j <= 4; j++) printf " %d:%s", j - 1, $j; print "" }' |
    awk 'NR % 2 { sub(/ 0:[^ ]*/, "") } { print }' >zero.svm
expect 0 decant fit zero.svm -k 3 -o zero "${fast[@]}" -q
awk 'NR % 2' zero.svm >part.svm
grep -q ' 0:' part.svm && fail "part.svm has an index 0"
expect 0 decant predict zero part.svm -q
tail -n +2 stdout | cut -d, -f2 >found
tail -n +2 zero/labels.csv | awk 'NR % 2' | cut -d, -f2 >fitted
same found fitted
head -20 part.svm >first.svm; tail -n +21 part.svm >second.svm
expect 0 decant predict zero first.svm second.svm -q
tail -n +2 stdout | cut -d, -f2 >found
same found fitted
expect 0 decant embed zero part.svm -o part.npy -q

# And from 1: a 0 in new rows is refused.
sed -E 's/ 3:/ 4:/; s/ 2:/ 3:/; s/ 1:/ 2:/; s/ 0:/ 1:/' zero.svm >one.svm
expect 0 decant fit one.svm -k 3 -o one "${fast[@]}" -q
expect 1 decant predict one zero.svm -q
says 'expected indices from 1'

# An index that no memory could take, at once and with little memory.
for index in 200000000 2147483647; do
    printf '1 1:1\n2 2:1\n1 3:1\n2 %d:1\n' $index >huge.svm
    expect 1 timeout 10 decant fit huge.svm -k 2 -o huge "${fast[@]}" -q
    says "huge.svm: line 4: the index $index asks for more columns than the 33554432 that the memory option"
done
printf '1 1:1\n2 100000:1\n1 2:1\n2 3:1\n' >large.svm
expect 1 decant fit large.svm -k 2 -o large --memory 1M "${fast[@]}" -q
says 'large.svm: line 2: the index 100000 asks for more columns than the 32768'
printf '%%%%MatrixMarket matrix coordinate real general\n4 2147483647 1\n1 1 1\n' >huge.mtx
expect 1 timeout 10 decant fit huge.mtx -k 2 -o huge "${fast[@]}" -q
says 'huge.mtx: has 2147483647 columns'
printf '%%%%MatrixMarket matrix coordinate real general\n4294967295 4 1\n1 1 1\n' >tall.mtx
expect 1 timeout 10 decant fit tall.mtx -k 2 -o huge "${fast[@]}" -q
says 'tall.mtx: expected entries for 4294967295 rows'
