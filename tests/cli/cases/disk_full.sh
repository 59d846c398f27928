# Full disk: one sentence, exit 1, and old files are unchanged.
blobs 3000 >d.csv
read=(d.csv --label-column kind -q)
expect 0 decant fit "${read[@]}" -k 3 -o run "${fast[@]}"
echo old >p.csv; echo old >z.npy
limited() { (ulimit -f 8; "$@") >stdout 2>stderr; }
limited decant predict run "${read[@]}" -o p.csv && fail "predict did not fail"
one_sentence; says p.csv
limited decant embed run "${read[@]}" -o z.npy && fail "embed did not fail"
one_sentence; says z.npy
[ "$(cat p.csv z.npy)" = "$(printf 'old\nold')" ] || fail "an old file was lost"
limited decant fit "${read[@]}" -k 3 -o run2 "${fast[@]}" && fail "fit did not fail"
one_sentence; says run2/
[ -e run2/manifest.json ] && fail "a failed run looks finished"
ls ./*.tmp run2/*.tmp 2>/dev/null && fail "temporary files were left"
[ -e /dev/full ] || exit 0
for command in "predict run ${read[*]}" "embed run ${read[*]}" "info run" "help" "help --man" \
    "eval run/labels.csv run/labels.csv"; do
    decant $command >/dev/full 2>stderr && fail "$command: writing to a full device went well"
    one_sentence; says 'standard output'
done
expect 1 decant predict run "${read[@]}" -o /dev/full
one_sentence
