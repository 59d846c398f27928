"""scikit-learn as a contender: kmeans, graph, spectral, gmm, tsne."""
import json
import struct
import sys

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.manifold import TSNE
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import NearestNeighbors

import rival


def kmeans(x, setup):
    return KMeans(10, n_init=int(setup["restarts"]), max_iter=300, random_state=1).fit(x).inertia_


def graph(x, setup):
    found = NearestNeighbors(n_neighbors=6, algorithm="brute", n_jobs=-1).fit(x).kneighbors(x)[0]
    return float(found[:, 1:].sum())


def read_graph(path):
    """decant's file of neighbours, as weights exp(-d^2 / (s_i s_j)), symmetric."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        body = file.read()
    kinds = {"I32": np.int32, "F32": np.float32}

    def tensor(name):
        begin, end = header[name]["data_offsets"]
        return np.frombuffer(body[begin:end], kinds[header[name]["dtype"]])

    start, column, value = tensor("start"), tensor("column"), tensor("value").astype(float)
    n, count = len(start) - 1, start[1]
    width = np.sqrt(np.maximum(value.reshape(n, count)[:, -1], 1e-300))
    rows = np.repeat(np.arange(n), count)
    weights = csr_matrix((np.exp(-value / (width[rows] * width[column])), column, start), (n, n))
    return weights.maximum(weights.T)


def spectral(weights, setup):
    model = SpectralClustering(10, affinity="precomputed", assign_labels="discretize",
                               eigen_solver=setup["solver"], random_state=1).fit(weights)
    return float(len(np.unique(model.labels_)))


def gmm(x, setup):
    model = GaussianMixture(10, covariance_type=setup["covariance"], random_state=1).fit(x)
    return float(model.score(x))


def tsne(x, setup):
    model = TSNE(init="pca", random_state=1, n_jobs=int(setup["threads"])).fit(x)
    return float(model.kl_divergence_)


def main():
    task = {"kmeans": kmeans, "graph": graph, "spectral": spectral, "gmm": gmm,
            "tsne": tsne}[sys.argv[1]]
    setup = rival.setup()
    x = read_graph(setup["graph"]) if task is spectral else np.load(sys.argv[2])
    KMeans(2, n_init=1, random_state=1).fit(np.arange(200.0).reshape(100, 2))  # starts its threads
    rival.serve(lambda: rival.timed(lambda: task(x, setup)))


main()
