# The data and the runs of tests/portable/run. Small: plain C and an emulated processor take them, too.
digits=$here/../../examples/digits/digits.npy

# make_data FOLDER: from a generator whose numbers awk holds exactly.
make_data() (
    cd "$1" || exit 1
    awk '
    function draw(below) { seed = seed * 16807 % 2147483647; return int(seed / 1024) % below }
    # rows of four groups in eight columns of different units
    function table(file, rows,    i, j) {
        print "a,b,c,d,e,f,g,h" >file
        for (i = 0; i < rows; i++)
            for (j = 0; j < 8; j++)
                printf "%d.%03d%s", (j % 3 + 1) * ((i % 4 == j % 4) * 20 + draw(9)), draw(1000), \
                    j < 7 ? "," : "\n" >file
    }
    # rows of five groups, about 12 of 400 columns in each row
    function sparse(file, rows,    i, j, column) {
        for (i = 0; i < rows; i++) {
            printf "%d", i % 5 >file
            for (column = j = 0; j < 12; j++) {
                column = j * 33 + 1 + (draw(3) ? i % 5 * 6 + draw(6) : draw(33))
                printf " %d:%d.%02d", column, draw(4), draw(100) >file
            }
            printf "\n" >file
        }
    }
    # documents of three topics
    function texts(file, rows,    i, j, k, word) {
        for (i = 0; i < rows; i++) {
            for (j = 0; j < 20; j++) {
                word = ""
                for (k = 0; k < 3; k++) word = word syllable[draw(4) + (j % 2 ? 0 : 4 * (i % 3 + 1))]
                printf "%s%s", word, j < 19 ? " " : "\n" >file
            }
        }
    }
    # STL-10: 96 x 96 x 3 bytes an image, none of them 0; stripes, bars and waves
    function images(file, count,    i, x, y, c) {
        for (i = 0; i < count; i++)
            for (c = 0; c < 3; c++)
                for (x = 0; x < 96; x++)
                    for (y = 0; y < 96; y++)
                        printf "%c", 1 + draw(40) + 50 * int((i % 3 == 0 ? x : i % 3 == 1 ? y : x + y) / (6 + c)) % 200 >file
    }
    # 16 x 16 pixels: four strokes somewhere, of three directions
    function drawings(file, rows,    i, s, p, x, y, v, pixel) {
        for (i = 0; i < rows; i++) {
            for (p = 0; p < 256; p++) pixel[p] = 0
            for (s = 0; s < 4; s++) {
                x = draw(16); y = draw(16)
                for (p = 0; p < 256; p++) {
                    v = 200 - stroke(i % 3, p % 16 - x, int(p / 16) - y)
                    if (v > pixel[p]) pixel[p] = v
                }
            }
            for (p = 0; p < 256; p++) printf "%d%s", pixel[p], p < 255 ? "," : "\n" >file
        }
    }
    # rows of three classes of 25 topics each, with a part of a second topic
    function topics(file, rows,    i, j, t, other, part) {
        for (t = 0; t < 75; t++)
            for (j = 0; j < 12; j++) center[t, j] = draw(1000) + (t % 3 == j ? 1500 : 0)
        for (i = 0; i < rows; i++) {
            t = i % 75; other = (i * 7 + int(i / 75)) % 75; part = i % 11
            for (j = 0; j < 12; j++)
                printf "%d%s", (22 - part) * center[t, j] + part * center[other, j] + draw(3000), \
                    j < 11 ? "," : "\n" >file
        }
    }
    function stroke(kind, x, y) {
        if (kind == 0) return 90 * x * x + 6 * y * y
        if (kind == 1) return 6 * x * x + 90 * y * y
        return 45 * (x - y) * (x - y) + 3 * (x + y) * (x + y)
    }
    BEGIN {
        seed = 7
        split("ba de gi ko nu ra té si mo lü pa fe ви jo zu ßa", list, " ")
        for (s in list) syllable[s - 1] = list[s]
        table("table.csv", 480); table("other.csv", 100)
        sparse("rows.svm", 500); sparse("other.svm", 100)
        texts("lines.txt", 240); texts("other.txt", 60)
        images("train_X.bin", 18)
        drawings("drawings.csv", 300); drawings("others.csv", 60)
        topics("topics.csv", 1200)
    }'
)

quiet=(-q --no-report --checkpoint-seconds 0.01)
short=(--batch 64 --finetune-iterations 40 --restarts 3 --max-iterations 40 --update-interval 20 --tol 0)

# fit ARGUMENT...: a fit into the folder `fit`, unless there is another -o.
fit() { decant fit -o fit "${quiet[@]}" --threads $threads "$@"; }

# other FILE: cluster, confidence and features of rows that the model has not seen.
other() {
    decant predict fit "$1" --threads $threads -q -o predicted.csv
    decant embed fit "$1" --threads $threads -q -o embedded.npy
}

all_runs=(dense wide paper best table sparse topics text image drawings kmeans gmm select tsne)
resumed_runs=(dense paper best sparse)

# The default method, and its batch.
run_dense() { fit "$digits" -k 10 --layers 48,32,10 "${short[@]}" --batch 256; }
# Layers of several tiles, none of them filled.
run_wide() {
    fit "$data/table.csv" -k 4 --layers 130,290,10 --batch 70 --finetune-iterations 4 \
        --max-iterations 4 --update-interval 2 --tol 0
}
# Greedy stages with dropout, SGD, the paper's target.
run_paper() { fit "$digits" -k 10 --preset paper --layers 32,24,8 --greedy-iterations 20 "${short[@]}"; }
# The student, on dense and on sparse rows.
run_best() {
    fit "$digits" -k 10 --preset best --layers 48,32,10 --student-width 70 --student-iterations 12 "${short[@]}"
    other "$digits"
    fit "$data/rows.svm" -k 5 --preset best --layers 40,5 --student-width 30 --student-iterations 12 "${short[@]}" -o sparse
}
# Columns with units, the reconstruction kept, whitening; k of a range.
run_table() {
    fit "$data/table.csv" -k 3..5 --method idec --layers 24,4 --whiten 0.5 --alpha 2 "${short[@]}"
    other "$data/other.csv"
}
run_sparse() {
    fit "$data/rows.svm" -k 5 --layers 40,5 "${short[@]}"
    other "$data/other.svm"
}
# Far more communities than clusters: k-means on the features and the components as one.
run_topics() {
    fit "$data/topics.csv" -k 3 --layers 32,6 "${short[@]}" --finetune-iterations 110
    grep -q '"start": "joint-kmeans",' fit/manifest.json || fail "topics do not start from both spaces"
}
run_text() {
    fit "$data/lines.txt" -k 3 --layers 32,4 "${short[@]}"
    other "$data/other.txt"
}
run_image() {
    fit "$data/train_X.bin" -k 3 --features hog+colormap --layers 16,3 "${short[@]}"
    decant features hog "$data/train_X.bin" -q -o hog.npy
}
# Rows of pixels, which are compared by their gradients.
run_drawings() {
    fit "$data/drawings.csv" -k 3 --layers 48,32,10 "${short[@]}"
    grep -q '"scaling": "gradients",' fit/manifest.json || fail "the drawings are not seen as images"
    other "$data/others.csv"
}
# New starts, and some that change the best one.
run_kmeans() {
    fit "$digits" -k 10 --method kmeans --restarts 14
    fit "$data/rows.svm" -k 40 --method kmeans --restarts 14 -o sparse
}
# Full covariances would need LAPACK, as spectral, sec and ldmgi do.
run_gmm() {
    fit "$digits" -k 10 --method ae+gmm --layers 24,6 "${short[@]}"
    fit "$data/table.csv" -k 3 --method gmm --covariance full -o full
}
run_select() {
    decant select-k "$data/table.csv" -k 2..5 --layers 16,3 "${short[@]}" --threads $threads -q -o folder
    # Without the file's name and the times.
    grep -oE '"(k|stability|generalizability|silhouette)": [^,]*' folder/select-k.json >scores
    rm -r folder
}
# Repulsion by pairs of rows, and on the grid.
run_tsne() {
    decant tsne "$data/other.csv" --iterations 150 --threads $threads -q -o pairs.npy
    decant tsne "$digits" --iterations 25 --threads $threads -q -o grid.npy
}
