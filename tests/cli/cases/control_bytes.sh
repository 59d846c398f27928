# Names can contain terminal escape sequences; messages show them escaped.
esc=$(printf '\033]0;owned\007')
clean() { # nothing below a blank but line ends, on both outputs
    for file in stdout stderr; do
        if LC_ALL=C tr -d '\n' <$file | LC_ALL=C grep -q '[[:cntrl:]]'; then fail "$file: $(cat -v $file)"; fi
    done
}
says_escaped() { says '\x1b]0;owned\x07'; clean; }
plain_blobs 30 >"d$esc.csv"
expect 1 decant fit "missing$esc.csv" -k 3; says_escaped; one_sentence
printf '1,2\n3\n' >"bad$esc.csv"
expect 1 decant fit "bad$esc.csv" -k 2; says_escaped; one_sentence
expect 2 decant "fit$esc"; says_escaped
expect 2 decant fit x --method "dec$esc" -k 2; says_escaped
expect 2 decant fit x "--wibble$esc" -k 2; says_escaped
expect 2 decant help "x$esc"; says_escaped
expect 1 decant info "missing$esc"; says_escaped
expect 1 decant predict "missing$esc" x; says_escaped
expect 1 decant fit "d$esc.csv" -k 3 --id-column "no$esc"; clean
expect 0 decant fit "d$esc.csv" -k 3 -o "run$esc" "${fast[@]}"; clean
expect 0 decant info "run$esc"; clean
expect 0 decant info "d$esc.csv"; clean
expect 1 decant fit "d$esc.csv" -k 3 -o "run$esc"; says_escaped; one_sentence
expect 0 decant info "run$esc" --json; valid_json stdout; clean

# A path for a program is the path, on a terminal it is shown.
expect 0 decant report "run$esc" -q
[ "$(cat stdout)" = "run$esc/report.html" ] || fail "another path: $(cat -v stdout)"
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "decant report run* -q" typed >/dev/null
    says 'run\x1b]0;owned\x07/report.html' typed
fi

# Class names, in tables.
{ echo 'id,class'; for i in 1 2 3; do printf '%d,one\n%d,two\033[2J\n' $i $i; done; } >t.csv
expect 0 decant eval t.csv t.csv --label-column class
says 'two\x1b[2J' stdout; clean
expect 0 decant eval t.csv t.csv --label-column class --json; valid_json stdout; clean

# A cell of a file that is quoted in a sentence.
printf '1,2\n3,\033[2Jx\n' >cell.csv
expect 1 decant fit cell.csv -k 2 --types "$(printf '\033[2Jx')=number"; one_sentence; clean
expect 0 decant info cell.csv; clean

# Latin-1 and other bytes that are no UTF-8.
expect 1 decant fit "$(printf 'caf\351.csv')" -k 2; says 'caf\xe9.csv'

# The command to go on with can be pasted, whatever the name.
set -m
options=(-k 3 --no-report --threads 1 --layers 64,3 --finetune-iterations 1000000 --pretrain-epochs 0 --checkpoint-seconds 0.05)
decant fit "d$esc.csv" "${options[@]}" -o "cut$esc" >stdout 2>stderr &
interrupt $! "cut$esc"
[ $? -eq 130 ] || fail "not interrupted: $(cat stderr)"
clean
next=$(sed -n 's/^to continue: //p' stderr)
[ -n "$next" ] || fail "no command: $(cat stderr)"
eval "set -- $next"
[ "$5" = "cut$esc" ] || fail "another name: $next"
expect 1 "$@" --seed 2 -q; one_sentence; says seed; clean # it finds the data
