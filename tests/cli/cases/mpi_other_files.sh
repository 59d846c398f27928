# Files that are read past the rows of others: svmlight (an index 0 in the last row alone), CSV,
# gzipped IDX. predict and embed write what one process writes.
needs_mpi
short=(-k 3 -q --no-report --threads 1 --layers 12,3 --greedy-iterations 30 --finetune-iterations 60
    --max-iterations 40 --update-interval 10 --restarts 2)
awk 'BEGIN { seed = 7
    for (i = 0; i < 300; i++) {
        line = "c" i % 3
        for (j = 1; j <= 40; j++) {
            seed = (seed * 1103515245 + 12345) % 2147483648
            if (i == 299 && j == 1) line = line " 0:1"
            if (seed % 7 == 0 || int(j / 5) % 3 == i % 3 && seed % 2 == 0)
                line = line sprintf(" %d:%.3f", j, 1 + seed / 2147483648)
        }
        print line
    } }' >d.svm
blobs 200 >d.csv
for file in d.svm "d.csv --label-column kind"; do
    # shellcheck disable=SC2086 # a file and its flags
    expect 0 decant fit $file "${short[@]}" -o alone
    for count in 2 4; do
        # shellcheck disable=SC2086
        expect 0 ranks $count decant-mpi fit $file "${short[@]}" -o ranks$count
        same_run alone ranks$count
    done
    # shellcheck disable=SC2086
    expect 0 decant predict alone $file -q -o p1
    # shellcheck disable=SC2086
    expect 0 ranks 4 decant-mpi predict alone $file -q -o p4
    same p1 p4
    # shellcheck disable=SC2086
    expect 0 decant embed alone ${file%% *} ${file#"${file%% *}"} -q -o z1.npy
    # shellcheck disable=SC2086
    expect 0 ranks 2 decant-mpi embed alone ${file%% *} ${file#"${file%% *}"} -q -o z2.npy
    same z1.npy z2.npy
    rm -rf alone ranks2 ranks4
done
exit 0
