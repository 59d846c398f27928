# Ctrl-C also ends a command that waits for its data, soon and with one sentence.
set -m # or the shell starts background jobs with SIGINT ignored
plain_blobs 60 >p.csv
expect 0 decant fit p.csv -k 3 -o run "${fast[@]}" -q
mkfifo pipe
# stops COMMAND...: the command reads a pipe that stays open and empty
stops() {
    sleep 20 >pipe & # the pipe stays open, and nothing more comes
    local writer=$! command began code
    "$@" >stdout 2>stderr &
    command=$!
    for ((i = 0; i < 200; i++)); do ls -l /proc/$command/fd 2>/dev/null | grep -q /pipe && break; sleep 0.02; done
    sleep 0.2
    kill -0 $command 2>/dev/null || fail "it did not wait: $*: $(cat stderr)"
    began=$EPOCHREALTIME
    kill -INT $command; wait $command
    code=$?
    kill $writer; wait $writer 2>/dev/null
    [ $code -eq 130 ] || fail "exit $code and not 130: $*: $(cat stderr)"
    one_sentence
    [ ! -s stdout ] || fail "stdout: $(cat stdout)"
    # half a second; this machine may be busy with other tests
    awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { exit !(b - a < 3) }' || fail "it took too long: $*"
}
stops decant fit pipe -k 3 -o cut -q
[ ! -e cut ] || fail "a folder was left behind"
stops decant select-k pipe -k 2..3 -q
stops decant sweep pipe -k 3 --method kmeans -o cut -q
stops decant predict run pipe -q
stops decant predict run pipe -o out.csv -q
[ ! -e out.csv ] || fail "a file was left behind"
stops decant embed run pipe -o out.npy -q
stops decant tsne pipe -o out.npy -q
stops decant report run pipe -q
stops decant info pipe
stops decant eval pipe run/labels.csv

# While rows are assigned: data without end.
for command in "predict run - -o out.csv" "predict run - -o out.csv --json" "embed run - -o out.npy" \
    "fit - -k 3 -o cut" "tsne - -o out.npy"; do
    timeout 30 yes 1,2,3,4 2>/dev/null | { decant $command -q >stdout 2>stderr & command_id=$!
        sleep 0.7; kill -TERM $command_id; began=$EPOCHREALTIME; wait $command_id
        echo "$? $began $EPOCHREALTIME" >ended; }
    read -r code began end <ended
    [ "$code" -eq 130 ] || fail "exit $code and not 130: $command: $(cat stderr)"
    one_sentence
    awk -v a="$began" -v b="$end" -v most=$((3 * ${DECANT_TEST_SLOWER:-1})) 'BEGIN { exit !(b - a < most) }' ||
        fail "it took too long: $command"
    [ -z "$(ls | grep -v -e ended -e pipe -e p.csv -e run -e std)" ] || fail "$command left $(ls)"
done
