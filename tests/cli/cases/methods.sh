# The methods other than dec: fit, and predict or one clear sentence if they cannot.
blobs 300 >d.csv
plain_blobs 300 >new.csv
for method in kmeans gmm spectral sec ldmgi ae+gmm ae+sec; do
    expect 0 decant fit d.csv --label-column kind -k 3 -o "$method" "${fast[@]}" --method "$method"
    says "method $method" stdout
    says '1.0000' stdout
    case $method in
        spectral | ldmgi)
            expect 1 decant predict "$method" new.csv
            one_sentence
            says 'cannot assign'
            ;;
        *) expect 0 decant predict "$method" new.csv ;;
    esac
    expect 0 decant info "$method/model.safetensors"
    says "method $method" stdout
done
expect 1 decant embed ldmgi new.csv -o z.npy
one_sentence
[ -e z.npy ] && fail "no feature space, but a file"

# The neighbour graph is written once and used again.
expect 0 decant fit d.csv --label-column kind -k 3 -o a "${fast[@]}" --method ldmgi --graph g
cp g before
expect 0 decant fit d.csv --label-column kind -k 3 -o b "${fast[@]}" --method ldmgi --graph g
same g before
same a/labels.csv b/labels.csv
echo rubbish >g
expect 1 decant fit d.csv --label-column kind -k 3 -o c "${fast[@]}" --method ldmgi --graph g -q
one_sentence
