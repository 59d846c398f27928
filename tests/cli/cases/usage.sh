# Every wrong command line: one line on stderr, exit 2, and where to find help.
blobs 9 >d.csv
try decant
try decant fti d.csv -k 3
try decant cluster d.csv
try decant fit
try decant fit d.csv
try decant fit d.csv -k 1
try decant fit d.csv -k
try decant fit d.csv -k three
try decant fit d.csv -k 3 --treads 2
try decant fit d.csv -k 3 --wibble
try decant fit d.csv -k 3 -z
try decant fit d.csv -k 3 --batch 0
try decant fit d.csv -k 3 --tol=2
try decant fit d.csv -k 3 --tol=nan
try decant fit d.csv -k 3 --seed -1
try decant fit d.csv -k 3 --method som
try decant fit d.csv -k 3 --method decc
try decant fit d.csv -k 3 --method k-means
try decant fit d.csv --clusters 3
try decant fit d.csv -k 3 --epochs 10
try decant fit d.csv -k 3 --batch-size=10
try decant predict model d.csv --clusters 3
try decant fit d.csv -k 3 --on-error skp
try decant fit d.csv -k 3 --layers 10,,2
try decant fit d.csv -k 3 --shuffle=maybe
try decant fit d.csv -k 3 --memory 12X
try decant fit d.csv -k 3 --output --json
try decant fit d.csv -k 3 --json=1
try decant fit d.csv -k 3 --checkpoint-seconds 0
try decant fit d.csv -k 3 --resume --force
try decant predict model
try decant predict model d.csv --seed 3
try decant eval one
try decant eval one two three
try decant info one two
try decant help nothing
ls
