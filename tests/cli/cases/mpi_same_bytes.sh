# One, two, four and eight processes, and one without a launcher: the same files.
needs_mpi
data=$DECANT_TESTS/../../examples/digits
options=(-k 10 -q --no-report --threads 1 --layers 40,30,6 --greedy-iterations 40
    --finetune-iterations 60 --max-iterations 60 --update-interval 20 --restarts 2)
fit=(fit "$data/digits.npy" --labels "$data/digits-labels.npy" "${options[@]}")
expect 0 decant "${fit[@]}" -o alone
for count in 1 2 4 8; do
    expect 0 ranks $count decant-mpi "${fit[@]}" -o ranks$count
    [ -s stdout ] || fail "rank 0 of $count printed nothing"
    [ "$(grep -c ACC stdout)" -le 1 ] || fail "several ranks printed: $(cat stdout)"
    same_run alone ranks$count
    [ -e ranks$count/checkpoint.safetensors ] && fail "the checkpoint was left"
done
# A float32 array, of which each rank reads its rows: at once, or, where all rows are too many for the
# memory, as they are needed (and greedy stages have no cache then). Two threads a rank; a column
# scaling.
expect 0 decant "${fit[@]}" --method ae+kmeans --layers 80 --finetune-iterations 5 -o wide
for memory in 1M 1G; do
    more=(fit wide/embedding.npy -k 10 -q --no-report --layers 200,20,4 --greedy-iterations 20
        --finetune-iterations 20 --max-iterations 20 --update-interval 10 --restarts 2
        --scaling standard --batch 100 --memory "$memory")
    expect 0 decant "${more[@]}" --threads 1 -o "float$memory"
    expect 0 ranks 2 decant-mpi "${more[@]}" --threads 2 -o "both$memory"
    same_run "float$memory" "both$memory"
done
# A rate at which pretraining and refinement are rolled back: ranks write parameters outside of steps.
steep=(fit "$data/digits.npy" -k 10 -q --no-report --threads 1 --layers 200,100,6 --greedy-iterations 30
    --finetune-iterations 200 --max-iterations 40 --update-interval 20 --restarts 5 --pretrain-rate 0.1
    --refine-rate 20)
expect 0 decant "${steep[@]}" -o steep
grep -q '"rollbacks": [1-9]' steep/manifest.json || fail "training was not rolled back"
expect 0 ranks 4 decant-mpi "${steep[@]}" -o steep4
same_run steep steep4
# Networks that lose what the data shows: another one is trained, and the best of all is taken.
poor=(fit "$data/digits.npy" -k 10 -q --no-report --threads 1 --layers 16,2 --finetune-iterations 10
    --max-iterations 10 --update-interval 5 --restarts 2)
expect 0 decant "${poor[@]}" -o poor
grep -q '^  "networks": 3,' poor/manifest.json || fail "the first network was taken"
expect 0 ranks 4 decant-mpi "${poor[@]}" -o poor4
same_run poor poor4
# Whether rows are diffuse is seen by a sample of all ranks' rows: numbers without any groups, sparse and
# dense.
awk 'BEGIN { srand(1)
    for (i = 0; i < 300; i++) { line = i % 3; csv = ""
        for (j = 1; j <= 400; j++) {
            v = rand() < 0.1 ? 1 + int(1000 * rand()) : 0
            csv = csv (j > 1 ? "," : "") v
            if (v) line = line " " j ":" v }
        print line >"diffuse.svm"; print csv >"diffuse.csv" } }'
for file in diffuse.svm diffuse.csv; do
    few=(fit $file -k 3 -q --no-report --threads 1 --layers 20,4 --finetune-iterations 30 --diffuse-iterations 11
        --max-iterations 10 --update-interval 5 --restarts 2)
    expect 0 decant "${few[@]}" -o $file.alone
    grep -q '"finetune_iterations": 11' $file.alone/manifest.json || fail "$file: not seen as diffuse"
    expect 0 ranks 4 decant-mpi "${few[@]}" -o $file.ranks
    same_run $file.alone $file.ranks
done
# idec has the decoder in refinement. Sums in memory that all ranks see, where nothing is sent; by
# slices; and as between hosts, while the layers below are computed.
fit+=(--method idec --bias-rate 2)
expect 0 decant "${fit[@]}" -o idec
for way in "1 0" "0 0" "1 1"; do
    read -r shared overlap <<<"$way"
    DECANT_MPI_TRAFFIC=1 DECANT_MPI_SHARED=$shared DECANT_MPI_OVERLAP=$overlap expect 0 ranks 4 \
        decant-mpi "${fit[@]}" -o "idec$shared$overlap"
    same_run idec "idec$shared$overlap"
    sent=$(grep -c 'sent 0.0 MB in sums' stderr)
    [ ! -w /dev/shm ] || [ "$sent" = "$([ "$way" = "1 0" ] && echo 4 || echo 0)" ] || fail "$way: $(cat stderr)"
done
exit 0
