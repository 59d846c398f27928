# Same command, same bytes, for any number of threads.
blobs 400 >d.csv
options=(d.csv -k 3 --label-column kind -q "${fast[@]}" --layers 32,16,3)
for run in 1a:1 1b:1 2a:2 2b:2 3:3; do
    expect 0 decant fit "${options[@]}" -o "${run%:*}" --threads "${run#*:}"
done
for run in 1b 2a 2b 3; do
    for file in labels.csv model.safetensors embedding.npy trace.safetensors; do same 1a/$file $run/$file; done
done
expect 0 decant predict 1a d.csv --label-column kind --threads 1 -o p1 -q
expect 0 decant predict 1a d.csv --label-column kind --threads 2 -o p2 -q
same p1 p2
