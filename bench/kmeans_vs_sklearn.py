"""Times decant's k-means and scikit-learn's on the same rows, one after the other, several rounds.

    /usr/bin/python3 bench/kmeans_vs_sklearn.py build/release/src/libdecant.a [rows.npy] [restarts]

Without rows.npy: a random mixture of 70000 x 10. decant is called through a small program that is
compiled against the static library, so that neither side pays for reading files."""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.cluster import KMeans

DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include "cluster/kmeans.h"
int main(int argc, char **argv) {
    size_t n = strtoul(argv[2], 0, 10), d = strtoul(argv[3], 0, 10), k = strtoul(argv[4], 0, 10);
    float *x = malloc(n * d * 4), *centers = malloc(k * d * 4);
    int32_t *labels = malloc(n * 4);
    FILE *file = fopen(argv[1], "rb");
    if (argc < 6 || file == NULL || fread(x, 4, n * d, file) != n * d) return 1;
    decant__source source = decant__source_dense(x, n, d);
    decant__kmeans_options options = {.k = k, .restarts = strtoul(argv[5], 0, 10),
                                      .iterations = 300, .tol = 1e-4, .seed = 1};
    decant__kmeans_info info;
    double began = decant__seconds();
    if (decant__kmeans_fit(&source, &options, NULL, centers, labels, &info) != DECANT_OK) return 1;
    printf("%.6f %.9g %zu\n", decant__seconds() - began, info.inertia, info.iterations);
    return 0;
}
"""


def build(library, folder):
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    source, program = os.path.join(folder, "driver.c"), os.path.join(folder, "driver")
    with open(source, "w") as file:
        file.write(DRIVER)
    generated = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(library))), "include")
    subprocess.check_call(["cc", "-O2", "-fopenmp", "-I" + root + "/src", "-I" + root + "/include",
                           "-I" + generated, source, library, "-o", program, "-lopenblas", "-lz",
                           "-ljansson", "-lxxhash", "-lm"])
    return program


def mixture(n=70000, d=10, k=10):
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(k, d)) * 1.5
    return (centers[rng.integers(0, k, n)] + rng.normal(size=(n, d))).astype(np.float32)


def main():
    x = np.load(sys.argv[2]).astype(np.float32) if len(sys.argv) > 2 else mixture()
    restarts, k = int(sys.argv[3]) if len(sys.argv) > 3 else 20, 10
    with tempfile.TemporaryDirectory() as folder:
        program, raw = build(sys.argv[1], folder), os.path.join(folder, "rows")
        x.tofile(raw)
        for _ in range(3):
            out = subprocess.check_output([program, raw, str(x.shape[0]), str(x.shape[1]), str(k),
                                           str(restarts)], text=True).split()
            began = time.perf_counter()
            model = KMeans(k, n_init=restarts, init="k-means++", random_state=1).fit(x)
            seconds = time.perf_counter() - began
            print("%d x %d, k %d, %d starts: decant %.2f s (inertia %.6g), scikit-learn %.2f s "
                  "(%.6g): %.1f times as fast" % (*x.shape, k, restarts, float(out[0]),
                                                  float(out[1]), seconds, model.inertia_,
                                                  seconds / float(out[0])), flush=True)


main()
