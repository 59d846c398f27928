# A zip of images is a folder of images, FILE:NAME is a file in it, and no input is overwritten.
seeds=$DECANT_TESTS/../fuzz/corpus formats=$DECANT_TESTS/../data/formats
expect 0 decant info "$seeds/zip/seed-images"
says '3 rows' stdout
expect 0 decant info - < <(cat "$seeds/zip/seed-images")
says '3 rows' stdout
expect 0 decant info "$formats/two.npz:X"
says '4 rows of 6 numbers' stdout
cp "$formats/two.npz" two.npz
expect 0 decant fit two.npz:X -k 2 --labels two.npz:y -o run "${fast[@]}" -q
expect 2 decant predict run two.npz:X -o two.npz
same two.npz "$formats/two.npz"
expect 1 decant info "$formats/two.npz"
one_sentence; says 'holds 2 arrays (X, y)'
printf 'PAR1\0\0' >t.parquet
expect 1 decant info t.parquet
one_sentence; says "pandas.read_parquet('t.parquet').to_csv('t.parquet.csv'"
