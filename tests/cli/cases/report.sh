# The report: written by fit, written again by report, with and without the data. What it looks like
# in a browser is tested in tests/browser.
payload() { grep -o '<script type="application/json"[^>]*>.*</script>' "$1" | sed 's/^<[^>]*>//; s/<.*//'; }

blobs 90 >d.csv
expect 0 decant fit d.csv -k 3 --label-column kind "${short[@]}" -o run
says 'report '
says 'report: run/report.html' stdout
says '90 rows fall into 3 clusters of 30 rows each; 100.0 % of them agree' run/report.html
says "default-src 'none'" run/report.html
payload run/report.html >first.json
valid_json first.json
says '"name":"w"' first.json
cp run/report.html first.html

# The same bytes again, also from another folder and with the data named.
expect 0 decant report run --threads 3
says 'run/report.html' stdout
same run/report.html first.html
mkdir elsewhere
(cd elsewhere && decant report ../run -q) || fail 'not from another folder'
same run/report.html first.html
cp d.csv copy.csv
expect 0 decant report run copy.csv --label-column kind
same run/report.html first.html

# Other data is refused, lost data is done without.
blobs 91 >other.csv
expect 1 decant report run other.csv --label-column kind -q
one_sentence
says 'was made from other data'
same run/report.html first.html
mv d.csv away.csv
expect 0 decant report run
says '"missing":"the data files no longer exist"' run/report.html
payload run/report.html >lost.json
valid_json lost.json
mv away.csv d.csv

# A fit without one; and one that starts over leaves no old report behind.
expect 0 decant fit d.csv -k 3 --label-column kind "${fast[@]}" --force -o run
[ ! -e run/report.html ] || fail 'an old report was left'
expect 0 decant report run
says '"missing":null' run/report.html

# A resumed run traces the same.
decant fit d.csv -k 3 --label-column kind "${fast[@]}" -o whole -q >/dev/null || fail 'whole'
same whole/trace.safetensors run/trace.safetensors

# Methods without a network have a map, too.
expect 0 decant fit d.csv -k 3 --label-column kind --method kmeans -o kmeans
payload kmeans/report.html >kmeans.json
valid_json kmeans.json
grep -q '"frames":\[{' kmeans.json || fail 'no map'

# No text of a user becomes markup.
awk 'BEGIN { for (i = 0; i < 40; i++)
    print (i % 2 ? "<script>alert(1)</script> the goal of the match" : "<b>the market</b> & the </script> price of a share") }' >lines.txt
expect 0 decant fit lines.txt -k 2 "${short[@]}" -o text
[ "$(grep -c '<script' text/report.html)" -eq 2 ] || fail 'a text became a script'
grep -q '<b>the' text/report.html && fail 'a text became markup'
says 'u003cscript' text/report.html
says '"stems":["' text/report.html

# Pictures: squares are recognised, other shapes are told.
awk 'BEGIN { for (i = 0; i < 60; i++) { line = ""
    for (y = 0; y < 8; y++) for (x = 0; x < 8; x++) line = line (i % 2 ? (x - 3) * (x - 3) : 49 - (y - 4) * (y - 4)) + i % 7 (x + y < 14 ? "," : "")
    print line } }' >squares.csv
expect 0 decant fit squares.csv -k 2 "${short[@]}" -o squares
says '"pictures":{"width":8,"height":8,' squares/report.html
expect 0 decant report squares --image 16x4
says '"pictures":{"width":16,"height":4,' squares/report.html
expect 1 decant report squares --image 9x9
one_sentence
says 'rows of 64 numbers cannot be pictures of 9x9'
expect 2 decant report squares --image 9
expect 2 decant fit squares.csv -k 2 --image 0x7 -o none
[ ! -e none ] || fail 'a folder was left behind'

# Drawings.
expect 0 decant report run --figures drawings
for name in map-clusters map-classes forming gradient refinement accuracy confusion; do
    head -1 drawings/$name.svg | grep -q '^<svg ' || fail "no drawing $name"
done
[ ! -e drawings/best.svg ] || fail 'a table has no pictures'
expect 0 decant report squares --figures drawings
says 'href="data:image/png;base64,' drawings/best.svg
if [ -e drawings/best.png ]; then [ "$(head -c 4 drawings/best.png | tail -c 3)" = PNG ] || fail 'best.png'; fi
: >file
expect 1 decant report run --figures file/there -q
one_sentence
expect 1 decant report run --figures file -q
one_sentence

# Damage.
expect 1 decant report nowhere
one_sentence
cp -r run broken
head -c 300 run/trace.safetensors >broken/trace.safetensors
expect 1 decant report broken
one_sentence
cp run/trace.safetensors broken/
printf 'id,cluster,confidence\n0,7,0.5\n' >broken/labels.csv
expect 1 decant report broken
one_sentence
