# The experiments on a small data set in the place of MNIST: planned, made, resumed, shown again.
expect 0 decant reproduce list
says 'table2' stdout
says 'images' stdout
expect 2 decant reproduce table9 --data .
says 'did you mean'
expect 2 decant reproduce table2
expect 1 decant reproduce table2 --data nothing-here
one_sentence

# Nothing is there: every data set is named with its place, and the table is made of the paper's numbers.
mkdir data
expect 0 decant reproduce table1 table2 --data data -o out -q
says 'MNIST is missing' stdout
says 'DATA/mnist' stdout
says '| DEC | | 0.8430 |' stdout
expect 0 decant reproduce table2 --data data -o out
says 'not in data: MNIST, STL-HOG, REUTERS-10k-like, REUTERS'
says 'no data set was found'
grep -q 'already' stderr && fail "runs that cannot be made are said to be there: $(cat stderr)"
valid_json out/fast/table2.json
[ -s out/fast/table2.md ] || fail "no page"
grep -q '<h2>Table 2' out/fast/results.html || fail "no page of all results"
grep -q '<h2>Table 1' out/fast/results.html || fail "only one table on the page of all"

# A page is made from the JSON alone.
expect 0 decant reproduce page out/fast/table2.json
same stdout out/fast/table2.md
echo '{"kind": "something else"}' >other.json
expect 1 decant reproduce page other.json
one_sentence
expect 1 decant reproduce page missing.json
one_sentence

# With a small set of the right form: REUTERS-10k-like's place takes any svmlight file of 4 classes.
mkdir data/reuters
for i in $(seq 1 60); do
    c=$((i % 4))
    echo "$c $((c * 3 + 1)):$((1 + i % 3)) $((c * 3 + 2)):$((1 + i % 5)) 13:1"
done >data/reuters/reuters10k_like.svm.gz
expect 0 decant reproduce table1 --data data -o out -q
says '| REUTERS-10k-like | 60 | 10000 | 4 | 4 |' stdout

# Runs are kept: the second time there is nothing to do, and the result is the same.
expect 0 decant reproduce defaults --data data -o out --seeds 1 --threads 1
says 'runs will take about'
says 'not in data: MNIST, Fashion-MNIST'
says 'runs/reuters10k.dec.seed1'
[ -s out/fast/networks/reuters10k.seed1.safetensors ] || fail "no network was kept"
grep -v '"date"' out/fast/defaults.json >first
expect 0 decant reproduce defaults --data data -o out --seeds 1 --threads 1
says 'all runs are done already'
grep -v '"date"' out/fast/defaults.json >second
same first second

# Stopped and started again: the same numbers, from the network that is there.
cp -r out other
rm -r other/fast/runs/reuters10k.dec.seed1 other/fast/runs/reuters10k.kmeans.seed1
timeout -s TERM 1 decant reproduce defaults --data data -o other --seeds 1 --threads 1 -q >/dev/null 2>&1
expect 0 decant reproduce defaults --data data -o other --seeds 1 --threads 1 -q
grep -v '"date"' other/fast/defaults.json >third
same first third

# A run that was made with other options is not taken for one of these.
sed -i 's/"finetune-iterations": 3000/"finetune-iterations": 4000/' other/fast/runs/reuters10k.dec.seed1/manifest.json
expect 1 decant reproduce defaults --data data -o other --seeds 1 --threads 1 -q
says 'other options'
