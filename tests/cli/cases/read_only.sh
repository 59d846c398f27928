plain_blobs 30 >d.csv
[ "$(id -u)" -ne 0 ] || skip "root may write everywhere"
mkdir locked; chmod 555 locked
expect 1 decant fit d.csv -k 3 "${fast[@]}" -o locked -q
one_sentence; says locked
expect 1 decant fit d.csv -k 3 "${fast[@]}" -o locked/run -q
one_sentence; says locked/run
