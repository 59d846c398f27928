# Hard cases of graph methods: tiny classes, disconnected components, equal rows, extreme k.

# A class of 3 points among 10 000, in a part of the graph of its own.
{
    blobs 9997 | sed 's/,[a-z]*$/,many/; 1s/many/kind/'
    printf '%s\n' '90,90,90,90,few' '90.1,90,90,90,few' '90,90.1,90,90,few'
} >three.csv
for method in kmeans gmm spectral ldmgi; do
    expect 0 decant fit three.csv --label-column kind -k 4 --method "$method" --neighbours 2 --threads 1 --no-report \
        -o "three-$method" --json -q
    # The three are one cluster, and nothing else is in it.
    tail -n 3 "three-$method/labels.csv" | cut -d, -f2 | sort -u >cluster
    [ "$(wc -l <cluster)" -eq 1 ] || fail "$method tore the three apart: $(cat cluster)"
done
says '10000' three-kmeans/manifest.json
expect 0 decant fit three.csv --label-column kind -k 4 --method sec --threads 1 --no-report -o three-sec -q

# k = 2, and k = n/2.
plain_blobs 60 >small.csv
for method in kmeans gmm spectral sec ldmgi; do
    expect 0 decant fit small.csv -k 2 --method "$method" --threads 1 --no-report -o "two-$method" -q
    expect 0 decant fit small.csv -k 30 --method "$method" --threads 1 --no-report -o "half-$method" -q
    cut -d, -f2 "half-$method/labels.csv" | tail -n +2 | sort -u | wc -l >count
    [ "$(cat count)" -gt 15 ] || fail "$method: $(cat count) clusters of 30"
done

# Every row 20 times over: distances of 0, and parts without a link between them.
for _ in $(seq 20); do cat small.csv; done >repeated.csv
for method in kmeans gmm spectral sec ldmgi; do
    expect 0 decant fit repeated.csv -k 3 --method "$method" --threads 1 --no-report -o "repeated-$method" -q
done

# All rows equal: a sentence.
for _ in $(seq 50); do echo 1,2,3; done >equal.csv
for method in kmeans gmm spectral sec ldmgi; do
    expect 1 decant fit equal.csv -k 2 --method "$method" --threads 1 --no-report -o "equal-$method" -q
    one_sentence
    says '1 different row,'
done
