#!/usr/bin/env python3
"""Tables with known classes: dec and k-means on the same encoded columns, and k-prototypes; ACC and ARI, mean of 5 seeds.

    pip install pandas scikit-learn palmerpenguins kmodes
    bench/table_accuracy.py --decant build/release/bin/decant --out /tmp/accuracy

The classes are left out of the tables and used for scores alone; k is their number. k-prototypes gets the numbers
standardised and the categories as they are, missing cells filled by the median or as a value of their own.
"""
import argparse
import json
import os
import subprocess

import numpy as np
import pandas as pd


def tables():
    import palmerpenguins
    import sklearn.datasets
    penguins = palmerpenguins.load_penguins()
    yield "penguins", penguins.drop(columns="species"), penguins["species"]
    raw = palmerpenguins.load_penguins_raw()
    yield "penguins-raw", raw.drop(columns="Species"), raw["Species"]
    for name in ("iris", "wine", "breast_cancer"):
        frame = getattr(sklearn.datasets, "load_" + name)(as_frame=True).frame
        yield name, frame.drop(columns="target"), frame["target"]


def decant(program, path, k, method, seed, out):
    folder = os.path.join(out, "run")
    subprocess.run([program, "fit", path, "-k", str(k), "--label-column", "class", "--method", method, "--seed", str(seed),
                    "--threads", "1", "-q", "--no-report", "--force", "-o", folder], check=True, capture_output=True)
    metrics = json.load(open(os.path.join(folder, "manifest.json"), encoding="utf-8"))["metrics"]
    return metrics["acc"], metrics["ari"]


def scores(clusters, classes):
    from scipy.optimize import linear_sum_assignment
    from sklearn.metrics import adjusted_rand_score
    counts = pd.crosstab(clusters, classes).to_numpy()
    rows, columns = linear_sum_assignment(-counts)
    return counts[rows, columns].sum() / len(classes), adjusted_rand_score(classes, clusters)


def prototypes(frame, classes, k, seed):
    from kmodes.kmodes import KModes
    from kmodes.kprototypes import KPrototypes
    numbers = frame.select_dtypes("number")
    numbers = ((numbers.fillna(numbers.median()) - numbers.mean()) / numbers.std()).fillna(0)
    words = frame.select_dtypes(exclude="number").astype(object).fillna("missing").astype(str)
    words = words[[c for c in words if 1 < words[c].nunique() <= len(words) / 4]]
    if words.shape[1] == 0:
        from sklearn.cluster import KMeans
        found = KMeans(k, n_init=20, random_state=seed).fit_predict(numbers)
    elif numbers.shape[1] == 0:
        found = KModes(k, n_init=5, random_state=seed).fit_predict(words)
    else:
        both = pd.concat([numbers, words], axis=1)
        first = numbers.shape[1]
        found = KPrototypes(k, n_init=5, random_state=seed).fit_predict(
            both.to_numpy(), categorical=list(range(first, both.shape[1])))
    return scores(found, classes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decant", default="decant")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    os.makedirs(given.out, exist_ok=True)
    print("| table | rows | classes | dec ACC | ARI | k-means ACC | ARI | k-prototypes ACC | ARI |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, frame, classes in tables():
        path = os.path.join(given.out, name + ".csv")
        frame.assign(**{"class": classes.to_numpy()}).to_csv(path, index=False)
        k, cells = classes.nunique(), []
        for way in ("dec", "kmeans", "prototypes"):
            found = [prototypes(frame, classes, k, s) if way == "prototypes"
                     else decant(given.decant, path, k, way, s, given.out) for s in range(1, given.seeds + 1)]
            acc, ari = np.mean(found, axis=0)
            cells += [f"{100 * acc:.1f}", f"{ari:.3f}"]
        print(f"| {name} | {len(frame)} | {k} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
