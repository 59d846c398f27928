# The name of the run folder, and what happens if it exists.
plain_blobs 30 >d.csv
expect 0 decant fit d.csv -k 3 "${fast[@]}" -q
expect 0 decant fit d.csv -k 3 "${fast[@]}" -q
[ ! -s stderr ] || fail "--quiet is not quiet: $(cat stderr)"
[ -e decant-run/manifest.json ] && [ -e decant-run-2/manifest.json ] || fail "default folders"
same decant-run/labels.csv decant-run-2/labels.csv
cp decant-run/manifest.json before
expect 1 decant fit d.csv -k 3 "${fast[@]}" -o decant-run
one_sentence; says 'decant-run: holds a finished run'; says --force
same before decant-run/manifest.json
expect 0 decant fit d.csv -k 3 "${fast[@]}" -o decant-run --resume
says 'already finished'; says 'run folder: decant-run' stdout
same before decant-run/manifest.json
expect 0 decant fit d.csv -k 2 "${fast[@]}" -o decant-run --force
says '2 clusters' stdout
mkdir taken; touch taken/checkpoint.safetensors
expect 1 decant fit d.csv -k 3 "${fast[@]}" -o taken
one_sentence; says --resume; says --force
mkdir mine; echo precious >mine/labels.csv
expect 1 decant fit d.csv -k 3 "${fast[@]}" -o mine -q
one_sentence; says 'mine/labels.csv'
[ "$(cat mine/labels.csv)" = precious ] || fail "a file was overwritten"
expect 1 decant fit d.csv -k 31 "${fast[@]}" -o toomany -q
one_sentence
[ -e toomany ] && fail "a failed fit left a folder"
expect 1 decant fit d.csv -k 3 -o no/such/place -q
one_sentence; says no/such/place
expect 0 decant fit d.csv -k 3 "${fast[@]}" -o fresh --resume -q
