# A pretrained network is written once and used again, by any method that has one.
blobs 120 >d.csv
fit=(decant fit d.csv --label-column kind -k 3 "${fast[@]}")
expect 0 "${fit[@]}" -o plain
expect 0 "${fit[@]}" -o first --pretrained net
expect 0 "${fit[@]}" -o second --pretrained net
same plain/labels.csv first/labels.csv
same first/labels.csv second/labels.csv
same first/model.safetensors second/model.safetensors
grep -q '^finetune' first/history.csv || fail "the first run has no pretraining"
grep -q '^finetune' second/history.csv && fail "the second run pretrained again"

# Other clusters, other methods, another target.
expect 0 "${fit[@]}" -o paper --pretrained net --smooth-steps 0 --neighbours 0
expect 0 "${fit[@]}" -o features --pretrained net --method ae+kmeans
expect 0 decant fit d.csv --label-column kind -k 4 "${fast[@]}" -o four --pretrained net

# Another seed clusters the same features.
expect 0 "${fit[@]}" -o seed --pretrained net --seed 2
grep -q '^finetune' seed/history.csv && fail "another seed pretrained again"

# A network of another form, of other data, and no network at all.
expect 1 "${fit[@]}" -o no --pretrained net --layers 9,2 -q
says 'pretrained with layers = 8,2, not 9,2' stderr
one_sentence
blobs 90 >e.csv
expect 1 decant fit e.csv --label-column kind -k 3 "${fast[@]}" -o no --pretrained net -q
says 'other data' stderr
sed '2s/^[^,]*/7.5/' d.csv >f.csv # as many rows, one number changed
expect 1 decant fit f.csv --label-column kind -k 3 "${fast[@]}" -o no --pretrained net -q
says 'other data' stderr
expect 1 "${fit[@]}" -o no --pretrained first/model.safetensors -q
says 'expected a decant-network' stderr
head -c 200 net >cut
expect 1 "${fit[@]}" -o no --pretrained cut -q
one_sentence
expect 1 "${fit[@]}" -o no --pretrained missing/folder/net -q
one_sentence
