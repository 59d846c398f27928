# A limit on address space: one sentence, or the work done, and never an endless wait in OpenBLAS.
limited() { # limited MEGABYTES COMMAND...
    local megabytes=$1; shift
    (ulimit -v $((megabytes * 1024)) && exec timeout --kill-after=5 60 "$@")
}
limited 4000 decant --version >/dev/null 2>&1 || skip "this build cannot run with a limit at all"
plain_blobs 200 >d.csv
expect 0 decant fit d.csv -k 3 -o run "${fast[@]}" -q
refused=0 done=0
for megabytes in 150 200 250 300 350 400 450 500 600 800; do
    for command in '--version' "fit d.csv -k 3 -o $megabytes ${fast[*]} -q" 'predict run d.csv -q'; do
        # shellcheck disable=SC2086 # several words
        limited $megabytes decant $command >stdout 2>stderr
        code=$?
        # 127: not even the libraries fit in; that is the loader's sentence
        [ $code -eq 127 ] && continue
        [ $code -le 1 ] || fail "$command with $megabytes MB: exit $code: $(cat stderr)"
        if [ $code -eq 1 ]; then one_sentence; refused=$((refused + 1)); else done=$((done + 1)); fi
    done
    [ ! -e $megabytes/labels.csv ] || same $megabytes/labels.csv run/labels.csv
done
[ $refused -gt 0 ] || fail "no limit was too low"
[ $done -gt 0 ] || fail "no limit was high enough"

# Threads that cannot be created are done without.
limited 1500 decant fit d.csv -k 3 -o many "${fast[@]}" --threads 200 -q >stdout 2>stderr
code=$?
[ $code -eq 1 ] && one_sentence || [ $code -eq 0 ] || fail "200 threads: exit $code: $(cat stderr)"
