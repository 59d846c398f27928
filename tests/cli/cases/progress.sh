# A bar on a terminal, plain lines elsewhere; each phase ends with a line that stays.
plain_blobs 300 >d.csv
options=(--no-report --threads 1 -k 3 --layers 64,32,2 --finetune-iterations 3000 --pretrain-epochs 0 --max-iterations 300)
expect 0 decant fit d.csv "${options[@]}" -o lines
grep -q 'finetune .* 3000/3000 .* in [0-9.]* s' stderr || fail "no last line of finetune: $(cat stderr)"
grep -q 'refine ' stderr || fail "no last line of refine"
[ "$(grep -c ' in [0-9.]* s$' stderr)" -ge 4 ] || fail "not a line a phase: $(cat stderr)"
[ "$(wc -l <stderr)" -le 8 ] || fail "too many lines: $(cat stderr)"
# Only refinement may end before its cap.
grep -v '^refine' stderr | awk '/ in [0-9.]* s$/ { split($2, done, "/"); if (done[1] != done[2]) exit 1 }' ||
    fail "a phase that ended in its middle: $(cat stderr)"
grep -q "$(printf '\033')" stderr && fail "terminal codes in a file"
script -qec true /dev/null >/dev/null 2>&1 || skip "script(1) cannot make a terminal here"
TERM=xterm script -qec "stty cols 100; decant fit d.csv ${options[*]} -o bar" typed >/dev/null || fail "fit on a terminal"
grep -q '\[#*\.*\] *[0-9]*%  [0-9]*/3000  .* it/s  loss .* left' typed || fail "no bar: $(cat -v typed)"
TERM=dumb script -qec "decant fit d.csv ${options[*]} -o dumb" typed >/dev/null || fail "dumb terminal"
grep -q '\[#' typed && fail "a bar on a dumb terminal"
exit 0
