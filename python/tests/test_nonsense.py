"""What makes no sense is refused with a sentence, at once; what makes sense in Python is taken."""

import copy
import os
import pickle
import warnings
from datetime import timedelta

import numpy as np
import pytest
from conftest import SMALL

import decant

DOCUMENTS = ["apple pear plum", "engine wheel road"] * 10


@pytest.mark.parametrize(
    "params, sentence",
    [
        ({"n_clusters": 0}, "at least 1 cluster"),
        ({"n_clusters": 2.5}, "option k"),
        ({"n_clusters": "2..4"}, "k can only be chosen for dec"),
        ({"random_state": "a"}, "random_state must be"),
        ({"random_state": -1}, "option seed"),
        ({"n_jobs": "2"}, "n_jobs must be a whole number"),
        ({"n_jobs": 1.5}, "n_jobs must be a whole number"),
        ({"verbose": "x"}, "verbose must be a number"),
        ({"scaling": "foo"}, "option scaling: expected auto"),
    ],
)
def test_parameters(params, sentence, data):
    with pytest.raises(decant.InputError, match=sentence):
        decant.KMeans(**params).fit(data[0])


@pytest.mark.parametrize("layers", [(16.7, 4), "abc", (0,), [], (16, -4), ((16,), 4)])
def test_layers(layers, data):
    with pytest.raises(decant.InputError, match="option layers"):
        decant.DEC(3, layers=layers).fit(data[0])


def test_tsne_parameters(data):
    for wrong in (-5, 10.5, "a"):  # -5 would be 2^64 - 5 iterations
        with pytest.raises(decant.InputError, match="max_iter must be a whole number"):
            decant.TSNE(max_iter=wrong).fit(data[0])
    with pytest.raises(decant.InputError, match="perplexity must be a number"):
        decant.TSNE(perplexity="a").fit(data[0])


def with_one(x, value):
    changed = x.astype(np.float64)
    changed[3, 2] = value
    return changed


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda x: with_one(x, np.nan), "row 4, column 3: expected a finite .* found NaN"),
        (lambda x: with_one(x, 1e300), "row 4, column 3: expected a finite .* found inf"),
        (lambda x: x[:1], "1 sample"),
        (lambda x: x[:0], "0 sample"),
        (lambda x: np.ma.masked_greater(x, 3), "masked"),
        (lambda x: x.reshape(100, 3, 12), "makes a row of each picture"),
        (lambda x: np.ones((10, 3)), "too few for 3 clusters"),
        (lambda x: None, "X is a NoneType"),
        (lambda x: {"a": [1]}, "X is a dict"),
        (lambda x: [*DOCUMENTS, None], "number 21 is None"),
        (lambda x: ["", " "], "none of them has a word"),
        (lambda x: [b"one document", b"another"], "number 1 is b'one document'"),
        (lambda x: [[1, 2], [3]], "inhomogeneous"),
        (lambda x: [["a", "b"], ["c", "d"]], "could not convert string"),
        (lambda x: [os.path.abspath(__file__)] * 5, "names of files"),
    ],
)
def test_rows(make, sentence, data):
    with pytest.raises(ValueError, match=sentence):
        decant.KMeans(3, n_jobs=1).fit(make(data[0]))


def test_damaged_sparse_matrix(data):
    sparse = pytest.importorskip("scipy.sparse")
    for place, value in ((3, 10**6), (0, 5), (-1, 10**6)):  # scipy itself would read there
        matrix = sparse.csr_matrix(data[0])
        matrix.indptr[place] = value
        with pytest.raises(decant.InputError, match="damaged"):
            decant.KMeans(3).fit(matrix)


def test_files_that_are_not_there(data, tmp_path):
    model = decant.KMeans(2, n_jobs=1).fit(DOCUMENTS)
    with pytest.raises(decant.FileError, match=r"documents are given as a list, \[document\]"):
        model.predict("one document")
    with pytest.raises(decant.FileError, match="report.html: cannot be written"):
        model.report().save(tmp_path / "none" / "report.html")
    with pytest.raises(decant.FileError, match="cannot be written"):
        model.to_onnx(tmp_path)


def test_folders_go_with_their_rows():
    model = decant.KMeans(2, n_jobs=1).fit(DOCUMENTS)
    folder = model._fit.data._keep.path
    worker = os.fork()
    if worker == 0:
        del model  # the worker's copy alone
        os._exit(0)
    os.waitpid(worker, 0)
    assert folder.is_dir() and "apple" in model.report().html
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del model
    assert not folder.exists()


def test_new_rows(data, fitted):
    with pytest.raises(ValueError, match="found NaN"):
        fitted.predict(with_one(data[0], np.nan))
    with pytest.raises(ValueError, match="^the list of documents: is not made of numbers"):
        fitted.predict(DOCUMENTS)
    with pytest.raises(TypeError, match="sample_weight"):
        decant.KMeans(3).fit_predict(data[0], sample_weight=np.ones(300))


def test_ranges(data):
    assert decant.DEC(range(2, 4), **SMALL).fit(data[0]).n_clusters_ in (2, 3)
    assert list(decant.select_k(data[0], range(2, 4), **SMALL).trials["k"]) == [2, 3]


def test_a_fit_that_fails_changes_nothing(data):
    x = data[0]
    model = decant.DEC(3, **SMALL)
    with pytest.raises(decant.InputError):
        model.fit(with_one(x, np.nan))
    with pytest.raises((ValueError, AttributeError), match="not fitted yet"):
        model.predict(x)
    model.fit(x)
    before = model.predict(x)
    model.set_params(n_clusters=1000)
    with pytest.raises(decant.InputError, match="only 300 rows"):
        model.fit(x[:, :5])
    assert model.n_features_in_ == 12
    np.testing.assert_array_equal(model.predict(x), before)


def test_rows_that_changed_since_the_fit(data):
    x = data[0].copy()
    model = decant.KMeans(3, n_jobs=1).fit(x)
    x[:] = 0
    with pytest.raises(decant.InputError, match="changed since the fit"):
        model.report()


def test_copies_and_repr(fitted):
    for other in (copy.copy(fitted), pickle.loads(pickle.dumps(fitted))):
        assert repr(other) == repr(fitted)
        with pytest.raises(decant.InputError, match="the rows are gone"):
            other.report()
    assert repr(pickle.loads(pickle.dumps(decant.DEC(3)))).replace("\n", "") == "DEC(n_clusters=3)"
    assert fitted.history_["phase"][-1] == "refine"


def test_labels_that_cannot_be_compared():
    with pytest.raises(decant.InputError, match="different kinds"):
        decant.metrics.nmi(np.array(["a", 1], dtype=object), [1, 2])
    with pytest.raises(decant.InputError, match="different kinds"):
        labels = np.array([1, 3, "a", 2], dtype=object)
        decant.KMeans(2, n_jobs=1).fit(np.eye(4)).report(labels=labels)


def test_pandas_oddities():
    pandas = pytest.importorskip("pandas")
    days = pandas.to_timedelta([1, 2, 900, 901, None], unit="D")
    model = decant.KMeans(2, n_jobs=1).fit(pandas.DataFrame({"a": days, "b": np.ones(5)}))
    assert model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3]
    with pytest.raises(decant.InputError, match="Complex"):
        decant.KMeans(2).fit(pandas.DataFrame({"a": [1j, 2, 3]}))
    names = pandas.DataFrame(np.eye(3), index=["x", "y", "z"])
    assert decant.KMeans(2, n_jobs=1).fit(names)._fit.data.id(1) == "y"


def test_polars_oddities(data):
    polars = pytest.importorskip("polars")
    labels = decant.KMeans(2, n_jobs=1).fit(polars.Series(DOCUMENTS)).labels_
    assert decant.metrics.accuracy(np.arange(20) % 2, labels) == 1
    with pytest.raises(decant.InputError, match="collect"):
        decant.KMeans(2).fit(polars.DataFrame(data[0]).lazy())
    frame = polars.DataFrame({"a": [timedelta(days=d) for d in (1, 2, 900, 901)], "b": [1.0] * 4})
    labels = decant.KMeans(2, n_jobs=1).fit(frame).labels_
    assert labels[0] == labels[1] != labels[2] == labels[3]


def test_single_cells(tmp_path):
    anndata = pytest.importorskip("anndata")
    sparse = pytest.importorskip("scipy.sparse")
    group = np.arange(60) % 3
    counts = np.random.default_rng(0).poisson(0.3 + 6 * np.eye(3)[group].repeat(6, axis=1))
    cells = anndata.AnnData(sparse.csr_matrix(counts.astype(np.float32)))
    cells.layers["counts"] = counts.astype(np.float32)
    decant.tl.dec(cells, 3, **SMALL)  # recognised as counts
    decant.tl.dec(cells, 3, layer="counts", scaling="counts", key_added="dense", **SMALL)
    for key in ("decant", "dense"):
        assert decant.metrics.accuracy(group, cells.obs[key]) > 0.95
    cells.write_h5ad(tmp_path / "cells.h5ad")  # tuples and generators cannot be written
    again = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    assert again.uns["decant"]["params"]["layers"] == "32,4"
    labels = decant.DEC(3, **SMALL).fit(again).labels_  # rows of a file that is open
    np.testing.assert_array_equal(labels, again.obs["decant"].astype(int))
    with pytest.raises(decant.InputError, match="'X_pca' is not in adata.obsm"):
        decant.tl.dec(cells, 3, use_rep="X_pca")
    with pytest.raises(decant.InputError, match="an AnnData is needed"):
        decant.tl.dec(counts, 3)


@pytest.mark.parametrize(
    "labels", [[0.0, 1.0, np.nan], ["a", "b", None], np.array(["a", "b", np.nan], dtype=object)]
)
def test_missing_labels_are_no_class(labels):
    with pytest.raises(decant.InputError, match="labels_true: number 3 is missing"):
        decant.metrics.accuracy(labels, [0, 1, 1])
    with pytest.raises(decant.InputError, match="number 3 is missing"):
        decant.metrics.accuracy([0, 1, 1], labels)
    with pytest.raises(decant.InputError, match="number 3 is missing"):
        decant.KMeans(2, n_jobs=1).fit(np.eye(3)).report(labels=labels)
