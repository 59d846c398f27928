"""FAISS as a contender: kmeans, graph."""
import sys

import faiss
import numpy as np

import rival

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
    setup = rival.setup()
    faiss.omp_set_num_threads(int(setup["threads"]))
    x = np.ascontiguousarray(np.load(sys.argv[2]), dtype=np.float32)
    rival.serve(lambda: rival.timed(lambda: task(x, setup)))


main()
