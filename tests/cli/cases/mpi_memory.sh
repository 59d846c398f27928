# One rank runs out of memory, at many places, also in the updates of refinement: both say so, once,
# and nobody waits for ever. An update has eight allocations: the stride meets each of them.
needs_mpi
shim=$(dirname "$(command -v decant-mpi)")/../tests/fault/libfault_shim.so
[ -e "$shim" ] || skip "the shim of tests/fault was not built"
fit=(decant-mpi fit "$DECANT_TESTS/../../examples/digits/digits.npy" -k 10 -q --no-report --threads 1
    --layers "20,4" --greedy-iterations 0 --finetune-iterations 20 --max-iterations 200
    --update-interval 2 --tol 0 --restarts 2)
for ((n = 7; ; n += n < 900 ? 237 : 79)); do
    rm -rf r mark
    ranks 1 "${fit[@]}" -o r : -n 1 env LD_PRELOAD="$shim" DECANT_FAULT=alloc:$n \
        DECANT_FAULT_MARK="$PWD/mark" "${fit[@]}" -o r >stdout 2>stderr
    code=$?
    [ -e mark ] || break # fewer allocations than that
    [ $code -ne 124 ] || fail "allocation $n: ranks wait for ever"
    [ "$(grep -c '^decant: rank 1 on .*memory' stderr)" -eq 1 ] || [ $code -eq 0 ] ||
        fail "allocation $n: exit $code, $(cat stderr)"
    grep -q JSON stderr && break # the fit is done
done
[ "$n" -gt 1700 ] || fail "only $n allocations: none in refinement"
exit 0
