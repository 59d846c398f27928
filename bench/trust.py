#!/usr/bin/env python3
"""How far maps keep the neighbours of their rows: trustworthiness of MAP.npy (rows x 2), of each map given
and of scikit-learn's own, whose Kullback-Leibler divergence is printed too.

    decant tsne rows.npy -o map.npy && bench/trust.py rows.npy map.npy
"""
import sys

import numpy as np
from sklearn.manifold import TSNE, trustworthiness


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: trust.py ROWS.npy MAP.npy...")
    rows = np.load(sys.argv[1])
    for path in sys.argv[2:]:
        print("%-30s trustworthiness %.4f" % (path, trustworthiness(rows, np.load(path), n_neighbors=5)))
    model = TSNE(init="pca", random_state=1).fit(rows)
    print("%-30s trustworthiness %.4f, KL divergence %.4f" %
          ("scikit-learn", trustworthiness(rows, model.embedding_, n_neighbors=5),
           model.kl_divergence_))


main()
