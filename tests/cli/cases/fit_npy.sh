# A .npy of bytes, made here: two groups of 20 rows in 3 columns.
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (40, 3), }"
    for ((i = 0; i < 20; i++)); do printf '\001\002\003\310\311\312'; done
} >d.npy
expect 0 decant fit d.npy -k 2 -o run "${fast[@]}" --method kmeans
says '40 rows of 3 numbers'
says '20   50.0%' stdout
[ -e run/embedding.npy ] && fail "kmeans has no feature space"
expect 1 decant embed run d.npy -o z.npy
one_sentence
[ "$(awk -F, 'NR % 2 == 0 {print $2}' run/labels.csv | sort -u | wc -l)" -eq 1 ] || fail "labels"
expect 0 decant predict run d.npy
same_clusters stdout run/labels.csv
