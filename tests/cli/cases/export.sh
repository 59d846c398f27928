# A model as an ONNX graph: whole or not at all, and a refusal where there is nothing to export.
plain_blobs 90 >p.csv
expect 0 decant fit p.csv -k 3 --method kmeans -o run -q
expect 0 decant export run -o model.onnx
says 'exported a graph from'
expect 0 decant export run/model.safetensors -o other.onnx -q
same model.onnx other.onnx
decant export run >piped.onnx || fail "export to a pipe"
same model.onnx piped.onnx
grep -qa probabilities model.onnx || fail "no output of that name"
expect 0 decant fit p.csv -k 3 --method spectral -o spectral -q
expect 1 decant export spectral -o none.onnx
says 'spectral cannot assign rows'
[ ! -e none.onnx ] || fail "half a file"
expect 2 decant export
