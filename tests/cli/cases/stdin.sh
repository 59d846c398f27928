# "-" is standard input, for every command that reads data.
blobs 90 >d.csv; plain_blobs 90 >p.csv
expect 0 decant fit d.csv -k 3 --label-column kind -o run "${fast[@]}" -q
expect 0 decant fit - -k 3 --label-column kind -o piped "${fast[@]}" -q < <(cat d.csv)
same run/labels.csv piped/labels.csv
same run/model.safetensors piped/model.safetensors
expect 0 decant fit - -k 3 --label-column kind -o redirected "${fast[@]}" -q <d.csv
same run/labels.csv redirected/labels.csv
expect 0 decant fit - -k 3 --label-column kind -o zipped "${fast[@]}" -q < <(gzip -c d.csv)
same run/labels.csv zipped/labels.csv
expect 0 decant predict run - -q < <(cat p.csv)
same_clusters stdout run/labels.csv
expect 0 decant embed run - -o z.npy -q < <(cat p.csv)
same z.npy run/embedding.npy
expect 0 decant info - < <(cat p.csv)
says '90 rows of 4 numbers' stdout
expect 0 decant eval - run/labels.csv < <(cat run/labels.csv)
says 'ACC 1.0000' stdout
expect 0 decant tsne - -o map.npy --iterations 20 -q < <(cat run/embedding.npy)
expect 0 decant tsne run/embedding.npy -o direct.npy --iterations 20 -q
same map.npy direct.npy
cut -d, -f5 d.csv | tail -n +2 >truth.txt
expect 0 decant fit p.csv --labels - -k 3 -o labelled "${fast[@]}" < <(cat truth.txt)
says '3 classes'

# A wrong line is named, an empty pipe too, and what needs more than one look says so.
expect 1 decant fit - -k 3 -o no -q < <({ cat p.csv; echo 1,2,4; })
one_sentence; says 'line 91'
expect 1 decant fit - -k 3 -o no -q < <(:)
one_sentence; says '/dev/stdin'
seq 30 | sed 's/.*/one or two words about & and more/' >t.txt
expect 0 decant info t.txt --json; grep -v '"file"\|"path' stdout >wanted
expect 0 decant info - --json < <(cat t.txt); grep -v '"file"\|"path' stdout >found
same wanted found
expect 1 decant info - < <(cat "$DECANT_TESTS/../fuzz/corpus/image/seed-grey.png")
one_sentence; says '/dev/stdin: is an image, which cannot come from a pipe; a zip archive of images can'
expect 1 decant embed run - -q < <(cat p.csv)
one_sentence; says 'pipe'
expect 1 decant predict - p.csv -q < <(cat run/model.safetensors)
one_sentence
[ ! -e no ] || fail "a folder was left behind"
exit 0
