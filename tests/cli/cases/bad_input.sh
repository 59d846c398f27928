# An error in a file is one sentence that names the file; exit 1.
blobs 30 >d.csv; plain_blobs 30 >p.csv
expect 0 decant fit p.csv -k 3 -o run "${fast[@]}" -q
bad() { expect 1 "$@"; one_sentence; }
bad decant fit missing.csv -k 3; says missing.csv
printf 'name\nann\nbob\neve\n' >names.csv
bad decant fit names.csv -k 2; says 'names.csv: no column is left to cluster by'
bad decant fit d.csv -k 3 --types kind=colour; says 'expected NAME=TYPE'
bad decant fit d.csv -k 3 --drop why; says why
printf '1,2\n3\n' >ragged.csv
bad decant fit ragged.csv -k 2; says 'ragged.csv: line 2'
bad decant predict nomodel p.csv; says nomodel
bad decant predict p.csv p.csv; says p.csv
cut -d, -f1-3 p.csv >narrow.csv
bad decant predict run narrow.csv; says narrow.csv
bad decant embed run narrow.csv -o z.npy; says narrow.csv
ls z.npy* 2>/dev/null && fail "a failed embed left a file"
head -c 200 run/model.safetensors >cut.safetensors
bad decant predict cut.safetensors p.csv; says cut.safetensors
bad decant info cut.safetensors; says cut.safetensors
bad decant fit p.csv -k 3 --labels missing.txt; says missing.txt
bad decant fit p.csv -k 3 --labels p.csv --labels p.csv
[ -e decant-run ] && fail "a folder was left behind"
exit 0
