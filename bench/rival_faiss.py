"""FAISS as a contender: the same protocol as worker.c.

    python rival_faiss.py kmeans|graph DATA [key=value ...]"""
import json
import sys
import time

import faiss
import numpy as np

ITERATIONS = 25  # FAISS does not look for convergence: its own default


def kmeans(x, setup):
    model = faiss.Kmeans(x.shape[1], 10, niter=ITERATIONS, nredo=int(setup["restarts"]), seed=1,
                         max_points_per_centroid=len(x))
    model.train(x)
    return float(model.index.search(x, 1)[0].astype(float).sum())


def graph(x, setup):
    index = faiss.IndexFlatL2(x.shape[1])
    index.add(x)
    return float(np.sqrt(np.maximum(index.search(x, 6)[0][:, 1:], 0)).sum())


def main():
    task = {"kmeans": kmeans, "graph": graph}[sys.argv[1]]
    setup = dict(argument.split("=", 1) for argument in sys.argv[3:])
    faiss.omp_set_num_threads(int(setup["threads"]))
    x = np.ascontiguousarray(np.load(sys.argv[2]), dtype=np.float32)
    print("ready", flush=True)
    for _ in sys.stdin:
        began = time.perf_counter()
        value = task(x, setup)
        seconds = time.perf_counter() - began
        print(json.dumps({"seconds": seconds, "value": value}), flush=True)


main()
