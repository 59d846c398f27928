try decant help
try decant --version
try decant version
try decant help predict
try decant eval --help
decant --help >a; decant help >b; decant -h >c
same a b; same b c
decant fit --help >a; decant help fit >b
same a b
decant -V >a; decant version >b
same a b

# What most fits need fits a screen; the rest is one step away.
decant fit -h >short
[ "$(wc -l <short)" -le 40 ] || fail "fit -h has $(wc -l <short) lines"
for name in DATA -k --output --labels --method --seed --threads --resume 'fit --help'; do says "$name" short; done
decant predict -h >a; decant predict --help >b
same a b

# One option or flag.
try decant help seed
try decant help --method
try decant help resume
try decant help sede
try decant help clusters

# As wide as the terminal, within reason.
widest() { tr -d '\r' <"$1" | awk '{ if (length($0) > most) most = length($0) } END { print most }'; }
[ "$(widest <(decant help fit))" -le 79 ] || fail "too wide for a file"
script -qec true /dev/null >/dev/null 2>&1 || exit 0
for columns in 60 100 200; do
    script -qec "stty cols $columns; decant help options" typed >/dev/null
    grep -v '^Script' typed >lines
    [ "$(widest lines)" -lt $columns ] || fail "$(widest lines) columns on a terminal of $columns"
    [ $columns -eq 60 ] || [ "$(widest lines)" -gt 85 ] || fail "a terminal of $columns is not used"
done
