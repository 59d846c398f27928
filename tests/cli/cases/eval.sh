# Scores that were computed by hand (and agree with scikit-learn).
printf 'id,cluster,confidence\n0,1,0.9\n1,1,0.9\n2,0,0.8\n3,0,0.7\n4,0,0.7\n5,2,0.5\n' >labels.csv
printf 'a\na\nb\nb\na\nc\n' >truth.txt
try decant eval labels.csv truth.txt
try decant eval --json labels.csv truth.txt
printf 'x,class\n1,a\n2,a\n3,b\n4,b\n5,a\n6,c\n' >truth.csv
try decant eval labels.csv truth.csv --label-column class
decant eval labels.csv truth.txt >a; decant eval labels.csv truth.csv --label-column 2 >b
same a b
head -3 truth.txt >short.txt
try decant eval labels.csv short.txt
try decant eval labels.csv missing.txt
decant eval --json labels.csv truth.txt >j
valid_json j
printf '\000\000\010\001\000\000\000\006\001\001\000\000\000\002' >labels.idx
try decant eval labels.idx truth.txt
# The same ids in another order are the same rows; other ids are joined if asked, else rows are taken in their order.
printf 'id,label\n5,c\n4,a\n3,b\n2,b\n1,a\n0,a\n' >turned.csv
decant eval labels.csv turned.csv >b || fail 'eval by the same ids'
same a b
sed 's/^\([0-9]\),/\1\1,/' turned.csv >other.csv
decant eval labels.csv other.csv >b || fail 'eval in order'
! cmp -s a b || fail 'other ids were joined'
# A run is its labels.csv.
mkdir run && cp labels.csv run
decant eval run truth.txt >b || fail 'eval of a run'
same a b
decant eval run turned.csv --id-column id >b || fail 'eval of a run by id'
same a b
