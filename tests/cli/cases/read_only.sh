# Folders that may not be written: one sentence that names them. Root may write everywhere, so root
# becomes nobody for this.
plain_blobs 30 >d.csv
mkdir locked; chmod 555 locked
as=()
if [ "$(id -u)" -eq 0 ]; then
    as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    chmod 755 . ..
    "${as[@]}" decant version >/dev/null 2>&1 && "${as[@]}" test -r d.csv || skip "nobody may not run the program here"
    : >stdout; : >stderr
fi
expect 1 "${as[@]}" decant fit d.csv -k 3 "${fast[@]}" -o locked -q
one_sentence; says locked
expect 1 "${as[@]}" decant fit d.csv -k 3 "${fast[@]}" -o locked/run -q
one_sentence; says locked/run
expect 1 "${as[@]}" decant tsne d.csv -o locked/map.npy --iterations 10 -q
one_sentence; says locked/map.npy
[ -z "$(ls locked)" ] || fail "something was written: $(ls locked)"
