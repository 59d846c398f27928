blobs 60 >'a b.csv'
expect 0 decant fit 'a b.csv' -k 3 --label-column kind -o run "${fast[@]}" --json --seed 18446744073709551615
same stdout run/manifest.json
valid_json run/manifest.json
for key in kind format_version decant command options seed threads n d k latent converged iterations \
    reseeded rollbacks loss data_digest metrics metrics_initial cluster_sizes cluster_confidence \
    cluster_classes warnings seconds peak_memory_bytes machine started finished; do
    says "\"$key\":" run/manifest.json
done
says "decant fit 'a b.csv' -k 3" run/manifest.json
says '"seed": "18446744073709551615"' run/manifest.json
decant help options | grep -o -- '^  --[a-z-]*' | tr -d ' -' | sort >wanted
sed -n '/"options"/,/^  }/p' run/manifest.json | grep -o '"[a-z-]*":' | tr -d '":-' | sort >found
for name in $(cat wanted); do grep -qx "$name" found || fail "option $name is not in the manifest"; done
expect 0 decant fit <(plain_blobs 60) -k 3 -o plain "${fast[@]}" --json
says '"acc": null' stdout
# A table with one column in other units: auto gives each column its own scale, and says so.
says '"scaling": "paper"' run/manifest.json
plain_blobs 60 | awk -F, -v OFS=, '{ $1 *= 1000 } 1' >units.csv
expect 0 decant fit units.csv -k 3 -o units "${fast[@]}"
says 'columns in different units' stdout
says '"scaling": "standard"' units/manifest.json
expect 0 decant fit units.csv -k 3 -o units --force "${fast[@]}" --scaling paper
! grep -q 'columns in different units' stdout || fail "a scaling that was asked for is told as found"
says '"scaling": "paper"' units/manifest.json
