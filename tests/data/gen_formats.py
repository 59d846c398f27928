#!/usr/bin/env python3
"""Small data files from numpy, scipy and scikit-learn, so that our readers are checked against
files that we did not write ourselves. The expected numbers are a formula that the tests know:
x[i][j] = (i * 5 + j * 3) % 11 - 2 (unsigned: without the -2; bool: odd or not).

    python3 tests/data/gen_formats.py      # rewrites tests/data/formats/
"""
import bz2
import gzip
import json
import lzma
import os
import subprocess
import zipfile

import anndata
import h5py
import numpy as np
import pandas
import scipy.io
import scipy.sparse
import sklearn.datasets

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "formats")
os.makedirs(here, exist_ok=True)


def path(name):
    return os.path.join(here, name)


i, j = np.mgrid[0:4, 0:6]
unsigned = (i * 5 + j * 3) % 11
signed = unsigned - 2

for order in "<>":
    side = "le" if order == "<" else "be"
    for kind in ["u1", "u2", "u4", "u8"]:
        np.save(path(f"{kind}_{side}.npy"), unsigned.astype(order + kind))
    for kind in ["i1", "i2", "i4", "i8", "f2", "f4", "f8"]:
        np.save(path(f"{kind}_{side}.npy"), signed.astype(order + kind))
np.save(path("b1.npy"), unsigned % 2 == 1)
np.save(path("fortran.npy"), np.asfortranarray(signed.astype("f8")))
np.save(path("cube.npy"), signed.reshape(4, 2, 3).astype("i4"))
np.save(path("cube_fortran.npy"), np.asfortranarray(signed.reshape(4, 2, 3).astype("i4")))
np.save(path("line.npy"), signed[:, 0].astype("i8"))
for version in [(2, 0), (3, 0)]:
    with open(path(f"version{version[0]}.npy"), "wb") as file:
        np.lib.format.write_array(file, signed.astype("f4"), version=version)
with gzip.GzipFile(path("f4.npy.gz"), "wb", mtime=0) as file:
    np.save(file, signed.astype("f4"))
# Half precision: subnormals, the largest, signed zero, and what lies between.
np.save(path("half.npy"), np.array([[5.9604645e-08, 6.097555e-05, 6.1035156e-05],
                                    [65504, -0.0, -1.0009766]], "f2"))

sparse = scipy.sparse.csr_matrix(np.where(unsigned % 3 == 0, signed, 0).astype("f8"))
labels = np.array([1, -1, 1, 2])
sklearn.datasets.dump_svmlight_file(sparse, labels, path("one.svm"), zero_based=False)
sklearn.datasets.dump_svmlight_file(sparse, labels, path("zero.svm"), zero_based=True, comment="x",
                                    query_id=np.array([1, 1, 2, 2]))
scipy.io.mmwrite(path("coordinate.mtx"), sparse.tocoo())
scipy.io.mmwrite(path("array.mtx"), signed.astype("f8"))
square = signed[:, :4] + signed[:, :4].T
scipy.io.mmwrite(path("symmetric.mtx"), scipy.sparse.coo_matrix(square), symmetry="symmetric")

# Archives: numpy's, scipy's, and a zip file as other programs write it.
f4 = signed.astype("f4")
np.savez(path("one.npz"), f4)
np.savez_compressed(path("two.npz"), X=f4, y=np.arange(4) % 2)
scipy.sparse.save_npz(path("csr.npz"), sparse)
scipy.sparse.save_npz(path("csc.npz"), sparse.tocsc(), compressed=False)
scipy.sparse.save_npz(path("coo.npz"), sparse.tocoo())

# HDF5: a dataset in chunks, two datasets, and AnnData files.
with h5py.File(path("one.h5"), "w") as file:
    file.create_dataset("a/b", data=f4, chunks=(3, 6), compression="gzip", shuffle=True)
with h5py.File(path("two.h5"), "w") as file:
    file["X"] = signed
    file["y"] = np.arange(4) % 2
obs = pandas.DataFrame({"kind": pandas.Categorical(["a", "b", None, "a"]), "number": [7, 8, 9, 10],
                        "flag": [True, False, True, True]}, index=["c0", "c1", "c2", "c3"])
var = pandas.DataFrame(index=[f"g{j}" for j in range(6)])
for name, x in (("dense", f4), ("csr", sparse), ("csc", sparse.tocsc())):
    cells = anndata.AnnData(x, obs=obs, var=var)
    cells.layers["twice"] = x * 2
    cells.write_h5ad(path(f"{name}.h5ad"))
# The same structure in the newest and most compact layout: seeds for tests/fuzz must be small.
for name, x in (("dense", f4), ("csr", sparse), ("csc", sparse.tocsc())):
    with h5py.File(path(f"tiny-{name}.h5ad"), "w", libver="latest") as file:
        file["obs/_index"] = np.array([b"c0", b"c1", b"c2", b"c3"])
        file["obs/number"] = np.array([7, 8, 9, 10], "i1")
        file["obs/kind/categories"] = np.array([b"a", b"b"])
        file["obs/kind/codes"] = np.array([0, 1, -1, 0], "i1")
        file["obs/kind"].attrs["encoding-type"] = np.bytes_("categorical")
        file["obs"].attrs["_index"] = np.bytes_("_index")
        file["obs"].attrs["encoding-type"] = np.bytes_("dataframe")
        for place in ("X", "layers/twice"):
            if name == "dense":
                file[place] = x
                continue
            for part in ("data", "indices", "indptr"):
                file[f"{place}/{part}"] = getattr(x, part).astype("f4" if part == "data" else "i4")
            file[place].attrs["encoding-type"] = np.bytes_(name + "_matrix")
            file[place].attrs["shape"] = np.array(x.shape)

# JSON lines, and one table in every compression.
lines = "".join(json.dumps({"id": f"r{i}", "a": row[0], "b": {"c": row[1], "d": row[2:]},
                            "kind": "xy"[i % 2]}) + "\n" for i, row in enumerate(signed.tolist()))
with open(path("table.jsonl"), "w") as file:
    file.write(lines)
table = "".join(",".join(map(str, row)) + "\n" for row in signed.tolist()).encode()
with open(path("table.csv.xz"), "wb") as file:
    file.write(lzma.compress(table))
with open(path("table.csv.bz2"), "wb") as file:
    file.write(bz2.compress(table))
with open(path("table.csv.zst"), "wb") as file:
    file.write(subprocess.run(["zstd", "-qc"], input=table, stdout=subprocess.PIPE).stdout)
with zipfile.ZipFile(path("table.csv.zip"), "w", zipfile.ZIP_DEFLATED) as file:
    file.writestr(zipfile.ZipInfo("folder/table.csv", (2000, 1, 1, 0, 0, 0)), table)
