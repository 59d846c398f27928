# A map as numbers and as a drawing.
blobs 90 >d.csv
expect 0 decant tsne d.csv --label-column kind -o map.npy --iterations 100 --threads 1
says 'a map of 90 rows'
expect 0 decant tsne d.csv --label-column kind -o again.npy --iterations 100 --threads 3 -q
[ -s stderr ] && fail "not quiet"
same map.npy again.npy
[ "$(wc -c <map.npy)" -eq $((128 + 90 * 8)) ] || fail "map.npy: $(wc -c <map.npy) bytes"
expect 0 decant tsne d.csv --label-column kind -o other.npy --iterations 100 --seed 2 -q
cmp -s map.npy other.npy && fail "the seed does nothing"
expect 0 decant tsne d.csv --label-column kind -o map.svg --iterations 50 -q
[ "$(grep -o 'h0' map.svg | wc -l)" -eq 90 ] || fail "90 points"
[ "$(grep -c '<circle' map.svg)" -eq 3 ] || fail "3 names"
says '>green</text>' map.svg
# Names are texts, not markup.
sed 's/green/<script>"&"/' d.csv >e.csv
expect 0 decant tsne e.csv --label-column kind -o e.svg --iterations 50 -q
grep -q '<script' e.svg && fail "a name became markup"
# A table in Latin-1 is read as such, and a drawing is UTF-8.
sed 's/green/gr\xfcn/' d.csv >latin.csv
expect 0 decant tsne latin.csv --label-column kind -o latin.svg --iterations 50 -q
says '>grün</text>' latin.svg
expect 2 decant tsne d.csv
expect 2 decant tsne d.csv -o map.txt
expect 2 decant tsne d.csv -o map.npy --perplexity x
expect 1 decant tsne d.csv --label-column kind -o map.npy --perplexity 1
one_sentence
expect 1 decant tsne d.csv --label-column kind -o nowhere/map.svg --iterations 10 -q
one_sentence
decant tsne d.csv --label-column kind -o map.png --iterations 10 -q 2>stderr
if grep -q 'without librsvg' stderr; then exit 0; fi
[ "$(head -c 4 map.png | tail -c 3)" = PNG ] || fail "map.png is no PNG"
