# decant fit --resume -o RUN continues a run by its folder alone.
set -m # or the shell starts background jobs with SIGINT ignored
mkdir here there
blobs 400 >'here/my data.csv'
cd here
options=('my data.csv' --label-column kind -k 3 --no-report --threads 1 --layers 32,3 --finetune-iterations 3000
    --pretrain-epochs 0 --max-iterations 100 --tol 0)
expect 0 decant fit "${options[@]}" -o whole -q
begin() { # begin FOLDER: a run that is stopped in the middle of its training
    decant fit "${options[@]}" -o "$1" --checkpoint-seconds 0.05 >stdout 2>stderr &
    interrupt $! "$1" "${2:-INT}"
}
begin cut
[ $? -eq 130 ] || fail "not interrupted: $(cat stderr)"
says 'to continue: decant fit --resume -o cut'
expect 0 decant info cut
says 'unfinished' stdout; says 'to continue: decant fit --resume -o cut' stdout
cp -r cut cut2; cp -r cut cut3; cp -r cut cut4
expect 0 decant fit --resume -o cut -q
for file in labels.csv model.safetensors embedding.npy; do same whole/$file cut/$file; done
says '"command": "decant fit '"'my data.csv'"' --label-column kind -k 3 --no-report' cut/manifest.json
[ ! -e cut/report.html ] || fail "--no-report was forgotten"
[ ! -e cut/command.json ] || fail "command.json was left"

# From elsewhere, and with flags that do not change the result.
cd ../there
expect 0 decant fit --resume -o ../here/cut2 -q --checkpoint-seconds 9
same ../here/whole/labels.csv ../here/cut2/labels.csv
cd ../here

# Finished: nothing to do. Nothing there: say so.
expect 0 decant fit --resume -o cut
says 'already finished'
expect 1 decant fit --resume -o nothing
one_sentence; says 'name the data'
mkdir empty
expect 1 decant fit --resume -o empty
one_sentence; says 'name the data'

# Other options, other data, no data.
expect 1 decant fit --resume -o cut3 -q --seed 5
one_sentence; says seed
blobs 399 >other.csv; cp 'my data.csv' kept.csv; cp other.csv 'my data.csv'
expect 1 decant fit --resume -o cut3 -q
one_sentence; says 'other data'
rm 'my data.csv'
expect 1 decant fit --resume -o cut3 -q
one_sentence; says 'my data.csv'
cp kept.csv 'my data.csv'
echo '{' >cut4/command.json
expect 1 decant fit --resume -o cut4 -q
one_sentence; says 'cut4/command.json: is damaged'
expect 0 decant fit "${options[@]}" --resume -o cut4 -q
expect 0 decant fit --resume -o cut3 -q
same whole/labels.csv cut3/labels.csv

# After kill -9, too; and one that is begun again is begun from its command.
begin killed KILL
expect 0 decant fit --resume -o killed -q
same whole/labels.csv killed/labels.csv
mkdir early
begin early2; mv early2/command.json early/
expect 1 decant fit "${options[@]}" -o early -q
one_sentence; says --resume
expect 0 decant fit --resume -o early -q
same whole/labels.csv early/labels.csv

# A fit that fails leaves no command behind.
expect 1 decant fit 'my data.csv' --label-column kind -k 401 -o failed -q
[ ! -e failed ] || fail "a failed fit left $(ls failed)"
exit 0
