# From a table to a run folder; predict and embed give the same as the fit.
blobs 150 >d.csv
expect 0 decant fit d.csv -k 3 --label-column kind -o run "${fast[@]}"
says '150 rows of 4 numbers' stderr
says '3 classes' stderr
says '150 rows of 4 numbers, 3 clusters in a space of 2 features' stdout
says 'run folder: run' stdout
says 'ae+kmeans' stdout
[ "$(ls run | tr '\n' ' ')" = "clusters.json embedding.npy history.csv labels.csv manifest.json model.safetensors trace.safetensors " ] ||
    fail "run holds $(ls run)"
[ "$(head -1 run/labels.csv)" = id,cluster,confidence ] || fail "first line of labels.csv"
[ "$(wc -l <run/labels.csv)" -eq 151 ] || fail "rows of labels.csv"
[ "$(head -1 run/history.csv)" = phase,step,seconds,loss,changed,smallest ] || fail "history.csv"
# A number that was not measured is an empty cell.
grep -q '^finetune,[0-9]*,[0-9.]*,[0-9.e-]*,,$' run/history.csv || fail "finetune in $(cat run/history.csv)"
expect 0 decant predict run d.csv --label-column kind
same_clusters stdout run/labels.csv
says ACC stderr
expect 0 decant predict run/model.safetensors d.csv --label-column kind -o p.csv
same_clusters p.csv run/labels.csv
expect 0 decant embed run d.csv --label-column kind -o z.npy
says 'embedded 150 rows of 2 features'
tail -c 1200 z.npy >a; tail -c 1200 run/embedding.npy >b
same a b
decant embed run d.csv --label-column kind -q >piped.npy || fail "embed to stdout"
same piped.npy z.npy
expect 0 decant info z.npy
says '150 rows of 2 numbers' stdout
