# The reader closes the pipe: no error message, and the exit code of a program that SIGPIPE ended.
plain_blobs 20000 >d.csv # more than a pipe holds
head -60 d.csv >small.csv
expect 0 decant fit small.csv -k 3 -o run "${fast[@]}" -q
silent() { # silent COMMAND...: its reader takes one byte and goes
    "$@" 2>stderr | head -c 1 >/dev/null
    local code=${PIPESTATUS[0]}
    [ "$code" -eq 141 ] || fail "exit $code and not 141: $*"
    [ ! -s stderr ] || fail "$*: $(cat stderr)"
}
silent decant predict run d.csv -q
silent decant predict run d.csv -q --json
silent decant embed run d.csv -q
silent decant predict run d.csv -q -o /dev/stdout
mkfifo pipe
for command in 'help fit' 'help --man' 'info run' 'eval run/labels.csv run/labels.csv' 'info run --json'; do
    sleep 60 <pipe & reader=$!
    exec 3>pipe
    kill $reader; wait $reader 2>/dev/null # the pipe is open, and nobody is at its other end
    decant $command >&3 2>stderr
    code=$?
    exec 3>&-
    [ $code -eq 141 ] || fail "$command: exit $code and not 141"
    [ ! -s stderr ] || fail "$command: $(cat stderr)"
done

# A fit ends its work all the same.
sleep 60 <pipe & reader=$!
exec 3>pipe
kill $reader; wait $reader 2>/dev/null
decant fit small.csv -k 3 -o kept "${fast[@]}" >&3 2>&3
code=$?
exec 3>&-
[ $code -eq 141 ] || fail "fit: exit $code"
same kept/labels.csv run/labels.csv
[ -s kept/manifest.json ] || fail "the run is not finished"

# Where SIGPIPE is ignored from the start it is an error like others.
( trap '' PIPE; decant predict run d.csv -q 2>stderr; echo $? >code ) | head -c 1 >/dev/null
[ "$(cat code)" -eq 1 ] || fail "exit $(cat code) with SIGPIPE ignored"
one_sentence; says 'standard output'
