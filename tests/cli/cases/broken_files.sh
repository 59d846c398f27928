# Broken files of every format: one sentence that names the file and what is wrong with it; exit 1.
kinds=0
# broken FILE TEXT: the file does not become a clustering, and the sentence has the text.
broken() {
    kinds=$((kinds + 1))
    expect 1 decant fit "$1" -k 2 -o run
    one_sentence
    says "$1"
    says "$2"
    [ -e run ] && fail "$1 left a run folder behind"
    expect 1 decant info "$1"
}
npy() { # npy FILE HEADER: a version 1.0 file with this header and 32 bytes of data
    printf '\223NUMPY\001\000\166\000%-117s\n' "$2" >"$1"
    head -c 32 /dev/zero >>"$1"
}

: >empty
broken empty empty
head -c 100 /dev/zero >zeros
broken zeros zeros
head -c 3000 /bin/sh >program
broken program program
mkdir folder
broken folder folder

printf '\000\000\010\003\000\000\000\002\000\000\000\002\000\000\000\002\001\002\003' >cut.idx
broken cut.idx 'IDX'
printf '\000\000\010\003\377\377\377\377\377\377\377\377\377\377\377\377\001' >huge.idx
broken huge.idx huge.idx
printf '\000\000\007\001\000\000\000\002\001\002' >type.idx
broken type.idx type.idx
printf '\000\000\010\011\000\000\000\002\001\002' >dimensions.idx
broken dimensions.idx dimensions.idx
printf '\000\000\010\002\000\000\000\000\000\000\000\002' >norows.idx
broken norows.idx norows.idx
printf '\000\000\015\002\000\000\000\002\000\000\000\001\177\300\000\000\077\200\000\000' >nan.idx
broken nan.idx finite

npy type.npy "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 1), }"
broken type.npy c16
npy object.npy "{'descr': '|O', 'fortran_order': False, 'shape': (4, 1), }"
broken object.npy object.npy
npy short.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (9, 1), }"
broken short.npy short.npy
npy huge.npy "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 8), }"
broken huge.npy huge.npy
npy negative.npy "{'descr': '<f4', 'fortran_order': False, 'shape': (-4, 2), }"
broken negative.npy negative.npy
npy header.npy "descr <f4"
broken header.npy header
printf '\223NUMPY\011\000\166\000' >version.npy
broken version.npy version
printf '\223NUM' >magic.npy
broken magic.npy magic.npy

printf '1,2\n"3"x,4\n' >cell.csv
broken cell.csv 'line 2, column 1'
printf '1,2\n3,4,5\n' >ragged.csv
broken ragged.csv 'line 2'
printf 'a,b\nnan,\n-,1e999\n' >nan.csv
broken nan.csv 'no column is left to cluster by (a: left out: it has no value; b: left out: it has no value)'
printf '1,2\n3,"4\n5,6\n' >quote.csv
broken quote.csv quote
printf 'a,b\n' >header.csv
broken header.csv header.csv

printf '1 1:2 3:4\n0 3:1 2:1\n' >order.svm
broken order.svm 'line 2'
printf '1 1:2\n0 1:x\n' >value.svm
broken value.svm 'line 2'
printf '1 1:2\n0 1:inf\n' >infinite.svm
broken infinite.svm 'line 2'
printf '1 1:2\n0 99999999999:1\n' >index.svm
broken index.svm 'line 2'

banner='%%MatrixMarket matrix coordinate real general'
printf '%s\n2 2 2\n1 1 1\n' "$banner" >few.mtx
broken few.mtx few.mtx
printf '%s\n2 2 1\n3 1 1\n' "$banner" >outside.mtx
broken outside.mtx 'line 3'
printf '%s\n99999999999 99999999999 1\n1 1 1\n' "$banner" >huge.mtx
broken huge.mtx huge.mtx
printf '%%%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n' >complex.mtx
broken complex.mtx complex

plain_blobs 40 | gzip >whole.gz
head -c 100 whole.gz >cut.gz
broken cut.gz cut.gz
{ head -c 60 whole.gz; printf 'xxxxxxxx'; tail -c +69 whole.gz; } >damaged.gz
broken damaged.gz damaged.gz

echo "$kinds kinds of broken files"
[ "$kinds" -ge 30 ]
