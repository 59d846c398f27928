# Files of which each rank reads its own rows: svmlight (an index 0 in the last row alone, comments,
# two files), CSV (cells of several lines, empty lines, words, dates, holes), also compressed, where
# it reads past those of others. predict and embed write what one process writes.
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
{ echo '# the same rows'; sed 's/ 0:1//; s/^c1/ c1/; s/$/ # &/' d.svm; echo ' # no row'; } >e.svm
gzip -k d.svm
awk 'BEGIN { seed = 3; quote = "\""; print "name,kind,x,y,when,number,mixed,note"
    split("red|green, dark|two\nlines|", word, "|")
    for (i = 0; i < 400; i++) {
        for (j = 0; j < 6; j++) r[j] = seed = (seed * 1103515245 + 12345) % 2147483648
        printf "%sr%d%s,%s,%.3f,%s,2024-%02d-%02d,%d,%s,", quote, i, quote, substr("abc", i % 3 + 1, 1),
            4 * (i % 3 == 0) + r[0] / 2^31, r[1] % 10 == 0 ? "" : sprintf("%.3f", 5 * (i % 3 == 1) + r[1] / 2^31),
            r[2] % 12 + 1, r[3] % 28 + 1, 10000000 + r[4] % 900000000, r[5] % 37 == 0 ? "n/k" : sprintf("%.4f", r[5] / 2^31)
        text = word[int(r[0] / 7) % 4 + 1]
        print text ~ /[,\n]/ ? quote text quote : text
        if (r[1] % 50 == 0) print ""
    } }' >t.csv
gzip -k t.csv
tail -n +120 t.csv | grep -n '^"r' | head -1 | cut -d: -f1 >cut
{ head -1 t.csv; tail -n +120 t.csv | tail -n "+$(cat cut)"; } >u.csv
for file in d.svm "d.csv --label-column kind" "e.svm d.svm" "d.svm.gz" "t.csv --label-column kind" \
    "t.csv u.csv --id-column name" "t.csv.gz --types kind=category" \
    "t.csv --text-column note --columns x,y,note --vocabulary 4"; do
    # shellcheck disable=SC2086 # a file and its flags
    expect 0 decant fit $file "${short[@]}" -o alone
    for count in $(rank_counts); do
        # shellcheck disable=SC2086
        expect 0 ranks $count decant-mpi fit $file "${short[@]}" -o ranks$count
        same_run alone ranks$count
    done
    case $file in d.*) ;; *) rm -rf alone ranks2 ranks4; continue ;; esac
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
# What is wrong is found by the rank that has the row, with the line that it is in.
sed '350s/$/,9/' t.csv >ragged.csv
expect 1 decant fit ragged.csv "${short[@]}" -o bad
sed 's/^decant: //' stderr >sentence
expect 1 ranks 4 decant-mpi fit ragged.csv "${short[@]}" -o bad
says "$(cat sentence)"
sed '250s/ [0-9]*:/ 3:3&/' d.svm >broken.svm
expect 1 decant fit broken.svm "${short[@]}" -o bad
sed 's/^decant: //' stderr >sentence
expect 1 ranks 4 decant-mpi fit broken.svm "${short[@]}" -o bad
says "$(cat sentence)"
exit 0
