"""Everything that can be fitted: each gives what plain float32 rows give."""

import pickle
import warnings

import numpy as np
import pytest
from conftest import SMALL

import decant
from decant._data import make_dataset


def labels_of(values):
    return decant.KMeans(3, n_jobs=1).fit(values).labels_


@pytest.fixture(scope="module")
def expected(data):
    return labels_of(data[0])


def test_dtypes_and_layouts(data, expected, tmp_path):
    x = data[0]
    wide = np.zeros((len(x), 20), np.float32)
    wide[:, 3:15] = x
    np.save(tmp_path / "x.npy", x)
    for values in (
        x.astype(np.float64),
        np.asfortranarray(x),
        wide[:, 3:15],
        np.repeat(x, 2, axis=0)[::2],
        np.repeat(x, 2, axis=1)[:, ::2],
        x.astype(">f4"),
        np.load(tmp_path / "x.npy", mmap_mode="r"),
        x.tolist(),
    ):
        np.testing.assert_array_equal(labels_of(values), expected)
    small = np.round(x * 10).astype(np.int8)
    for kind in (np.int64, np.int16, np.float16):
        np.testing.assert_array_equal(labels_of(small.astype(kind)), labels_of(small))


def test_rows_are_borrowed_where_they_can_be(data, tmp_path):
    x = data[0]
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    for values in (x, x.astype(np.float64), x[::2], x[:, ::-1], x.T, x > 0, x.astype(">f8"), mapped):
        assert np.shares_memory(make_dataset(values)._keep[0], values)


def test_sparse(data, expected):
    sparse = pytest.importorskip("scipy.sparse")
    x = np.where(np.abs(data[0]) > 0.5, data[0], 0)
    dense = labels_of(x)
    matrix = sparse.csr_matrix(x)
    for values in (matrix, matrix.tocsc(), matrix.tocoo(), sparse.csr_array(x),
                   matrix.astype(np.float64)):
        assert decant.metrics.accuracy(dense, labels_of(values)) == 1
    long = matrix.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    assert decant.metrics.accuracy(dense, labels_of(long)) == 1
    assert np.shares_memory(make_dataset(matrix)._keep[2], matrix.data)


def test_pandas(data, expected):
    pandas = pytest.importorskip("pandas")
    names = [f"c{i}" for i in range(12)]
    frame = pandas.DataFrame(data[0], columns=names)
    model = decant.KMeans(3, n_jobs=1).fit(frame)
    np.testing.assert_array_equal(model.labels_, expected)
    assert list(model.feature_names_in_) == names
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"c0": "other"}))
    dec = decant.DEC(3, **SMALL).set_output(transform="pandas").fit(frame)
    assert list(dec.transform(frame).columns) == ["dec0", "dec1", "dec2", "dec3"]


def test_tables(data):
    """Words, categories, dates and holes, as the program reads them in a CSV file."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    group = np.arange(120) % 3
    frame = pandas.DataFrame(
        {
            "age": np.where(rng.random(120) < 0.1, np.nan, 20 + 20 * group + rng.normal(0, 2, 120)),
            "city": np.array(["Lyon", "Oslo", "Rome"])[group],
            "plan": pandas.Categorical(np.array(["a", "b", "c"])[group]),
            "since": pandas.Timestamp("2020-01-01") + pandas.to_timedelta(group * 300, unit="D"),
            "active": group == 1,
        }
    )
    model = decant.KMeans(3, n_jobs=1).fit(frame)
    assert decant.metrics.accuracy(group, model.labels_) == 1
    assert list(model.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(model.predict(frame[::-1])[::-1], model.labels_)
    polars = pytest.importorskip("polars")
    plain = frame.drop(columns=["plan", "since"])
    other = decant.KMeans(3, n_jobs=1).fit(polars.DataFrame(plain.to_dict("list")))
    known = ~np.isnan(frame["age"].to_numpy())  # the median of the ages is that of the group in the middle
    assert decant.metrics.accuracy(group[known], other.labels_[known]) == 1


def test_frames_of_a_table_in_a_file(tmp_path):
    """Columns are found by their names; what is odd about the rows is a warning, as a note of the
    program."""
    pandas = pytest.importorskip("pandas")
    group = np.arange(90) % 3
    frame = pandas.DataFrame(
        {
            "who": [f"c{i}" for i in range(90)],
            "age": 20.0 + 20 * group + np.arange(90) % 7,
            "city": np.array(["Lyon", "Oslo", "Rome"])[group],
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    of_file = decant.KMeans(3, n_jobs=1).fit(tmp_path / "t.csv")
    of_file.save(tmp_path / "m.safetensors")
    of_frame = decant.KMeans(3, n_jobs=1).fit(frame)
    of_frame.save(tmp_path / "f.safetensors")
    loaded = [decant.load(tmp_path / name) for name in ("m.safetensors", "f.safetensors")]
    again = pickle.loads(pickle.dumps(loaded[0]))
    for model, labels in [
        (of_file, of_file.labels_),
        (loaded[0], of_file.labels_),
        (again, of_file.labels_),
        (loaded[1], of_frame.labels_),
    ]:
        assert model.n_features_in_ == 3
        assert list(model.feature_names_in_) == ["who", "age", "city"]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(model.predict(frame), labels)
            np.testing.assert_array_equal(model.predict(frame[["city", "age", "who"]]), labels)
            np.testing.assert_array_equal(model.predict(tmp_path / "t.csv"), labels)
        with pytest.warns(UserWarning, match="the model does not know.*Paris") as warned:
            model.predict(frame.assign(city="Paris"))
        assert warned[0].filename == __file__
        with pytest.warns(UserWarning, match="missing, and count as empty: age"):
            model.predict(frame.drop(columns="age"))
        with pytest.raises(decant.InputError, match="columns that the model was fitted on"):
            model.predict(frame[["who"]])
    with pytest.raises(ValueError, match="(?i)feature names"):  # a frame was fitted, as in scikit-learn
        of_frame.predict(frame[["city", "age", "who"]])
    of_file.fit(frame[["age"]])
    with pytest.raises(ValueError, match="(?i)feature names"):
        of_file.predict(frame[["age"]].rename(columns={"age": "years"}))


def test_polars(data, expected):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(data[0], schema=[f"c{i}" for i in range(12)])
    np.testing.assert_array_equal(labels_of(frame), expected)
    assert list(decant.KMeans(3, n_jobs=1).fit(frame).feature_names_in_) == frame.columns
    words = polars.Series("word", [f"w{one}" for one in data[1]])
    plain = decant.KMeans(3, n_jobs=1).fit(frame.with_columns(words)).cluster_centers_
    for kind in (polars.Categorical, polars.Enum(["w0", "w1", "w2"])):
        table = frame.with_columns(words.cast(kind))
        model = decant.KMeans(3, n_jobs=1).fit(table)
        np.testing.assert_array_equal(model.cluster_centers_, plain)
        np.testing.assert_array_equal(model.predict(table), model.labels_)


def test_torch(data, expected):
    torch = pytest.importorskip("torch")
    np.testing.assert_array_equal(labels_of(torch.tensor(data[0], requires_grad=True)), expected)
    with pytest.raises(decant.InputError, match="BFloat16: .*float"):
        labels_of(torch.tensor(data[0]).bfloat16())


def test_documents_and_pictures(tmp_path):
    words = ["apple pear plum, \"fruit\"", "engine wheel\nbrake road", "violin flute piano drum"]
    documents = [f"{words[i % 3]} {words[i % 3].split()[i % 2]}" for i in range(60)]
    model = decant.KMeans(3, n_jobs=1).fit(documents)
    assert decant.metrics.accuracy(np.arange(60) % 3, model.labels_) == 1
    np.testing.assert_array_equal(model.predict(documents[:9]), model.labels_[:9])
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    pictures = []
    for i in range(30):
        pixels = rng.integers(0, 40, (8, 8)).astype(np.uint8)
        pixels[:, :4] += np.uint8(180 * (i % 2))
        pictures.append(image.fromarray(pixels))
    model = decant.KMeans(2, n_jobs=1).fit(pictures)
    assert decant.metrics.accuracy(np.arange(30) % 2, model.labels_) == 1
    paths = []
    for i, picture in enumerate(pictures):
        paths.append(tmp_path / f"{i:03d}.png")
        picture.save(paths[-1])
    np.testing.assert_array_equal(model.predict(paths), model.labels_)


def test_modes_of_pictures(tmp_path):
    """A picture in memory is what its file is: transparency, palettes and 16 bits, too."""
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        folder = tmp_path / mode.replace(";", "-")
        folder.mkdir()
        pictures = []
        for i in range(12):
            pixels = rng.integers(0, 255, (8, 8, 4)).astype(np.uint8)
            pixels[:, :, 3] //= 1 + i % 3
            picture = image.fromarray(pixels)
            if mode == "I;16":
                picture = image.fromarray(pixels[:, :, 0].astype(np.uint16) * (1 + 100 * (i % 3)))
            pictures.append(picture if picture.mode == mode else picture.convert(mode))
            pictures[-1].save(folder / f"{i:02d}.png")
        fits = [decant.KMeans(3, n_jobs=1).fit(values) for values in (pictures, folder)]
        np.testing.assert_array_equal(*(fit.cluster_centers_ for fit in fits))
        np.testing.assert_array_equal(*(fit.labels_ for fit in fits))
    with pytest.raises(decant.InputError, match="picture 1 has the mode F"):
        decant.KMeans(3).fit([picture.convert("F") for picture in pictures])
    with pytest.raises(decant.InputError, match="number 13 is a NoneType"):
        decant.KMeans(3).fit([*pictures, None])
    with pytest.raises(decant.InputError, match="a list of them is needed"):
        decant.KMeans(3).fit(pictures[0])


def test_anndata(data):
    anndata = pytest.importorskip("anndata")
    adata = anndata.AnnData(np.abs(data[0]))
    decant.tl.dec(adata, 3, **SMALL)
    assert list(adata.obs["decant"].cat.categories) == ["0", "1", "2"]
    assert adata.obsm["X_decant"].shape == (300, 4)
    assert adata.uns["decant"]["params"]["n_clusters"] == 3
    adata.obsm["rep"] = data[0]
    decant.tl.dec(adata, 3, use_rep="rep", key_added="other", **SMALL)
    assert decant.metrics.accuracy(data[1], adata.obs["other"]) > 0.99


def test_pipeline_and_grid_search(data):
    pytest.importorskip("sklearn")
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pipeline = make_pipeline(StandardScaler(), decant.KMeans(3, n_jobs=1))
    assert decant.metrics.accuracy(data[1], pipeline.fit_predict(data[0])) == 1
    search = GridSearchCV(
        decant.KMeans(3, n_jobs=1), {"n_clusters": [2, 3]}, cv=2, n_jobs=2,
        scoring=lambda model, x, y: decant.metrics.ari(y, model.predict(x)),
    )
    assert search.fit(data[0], data[1]).best_params_ == {"n_clusters": 3}
