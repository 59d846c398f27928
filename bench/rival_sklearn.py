"""scikit-learn's k-means as a contender: the same protocol as worker.c.

    python rival_sklearn.py kmeans DATA [key=value ...]"""
import json
import sys
import time

import numpy as np
from sklearn.cluster import KMeans


def main():
    setup = dict(argument.split("=", 1) for argument in sys.argv[3:])
    x = np.load(sys.argv[2])
    KMeans(10, n_init=1, max_iter=2, random_state=1).fit(x)
    print("ready", flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        model = KMeans(10, n_init=int(setup["restarts"]), max_iter=300, random_state=1).fit(x)
        seconds = time.perf_counter() - began
        print(json.dumps({"seconds": seconds, "value": float(model.inertia_)}), flush=True)


main()
