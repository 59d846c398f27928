"""decant in a notebook: a tour that runs. Each part stands alone; `python examples/tutorial.py` runs
all of them, and so does a test. Parts whose libraries are not installed are left out.

The settings are small, so that the whole tour takes a minute: for real work leave them out."""

# %% Images: 1797 handwritten digits, as rows of pixels
from pathlib import Path

import numpy as np

import decant

digits = Path(__file__).resolve().parent / "digits"
X = np.load(digits / "digits.npy", mmap_mode="r")  # stays in its file
y = np.load(digits / "digits-labels.npy")  # for scores only
quick = {"layers": (128, 10), "finetune_iterations": 400, "max_iterations": 280}

model = decant.DEC(n_clusters=10, **quick).fit(X)
print("DEC     accuracy", round(decant.metrics.accuracy(y, model.labels_), 3))
print(model.history_[-1])
page = model.report(labels=y)  # in a notebook this line shows the report
print(page)

# %% Compared with k-means on the pixels
kmeans = decant.KMeans(n_clusters=10).fit(X)
print("k-means accuracy", round(decant.metrics.accuracy(y, kmeans.labels_), 3))
print("agreement", round(decant.metrics.ari(kmeans.labels_, model.labels_), 3))

# %% How many clusters?
selection = decant.select_k(X[:600], "8..11", **quick)
print(selection.reason)

# %% New rows: cluster, soft assignments, features
print(model.predict(X[:5]), model.predict_proba(X[:2]).round(2), model.transform(X[:2]).shape)

# %% Documents: tf-idf of their stems
topics = [
    "the striker scored a goal in the last minute of the match",
    "parliament voted on the budget and the taxes of the government",
    "the telescope found a planet near a distant star",
]
documents = [f"{topics[i % 3]} number {i}" for i in range(90)]
texts = decant.KMeans(n_clusters=3).fit(documents)
print("documents", np.bincount(texts.labels_), texts.predict(["a goal in the match"]))

# %% A DataFrame with words, categories, dates and holes
try:
    import pandas
except ImportError:
    pandas = None
if pandas is not None:
    rng = np.random.default_rng(0)
    group = np.arange(300) % 3
    customers = pandas.DataFrame(
        {
            "age": np.where(rng.random(300) < 0.1, np.nan, 25 + 15 * group + rng.normal(0, 3, 300)),
            "city": np.array(["Lyon", "Oslo", "Rome"])[(group + (rng.random(300) < 0.1)) % 3],
            "plan": pandas.Categorical(np.array(["free", "basic", "pro"])[group]),
            "since": pandas.Timestamp("2021-01-01")
            + pandas.to_timedelta(group * 200 + rng.integers(0, 90, 300), unit="D"),
        }
    )
    table = decant.DEC(n_clusters=3, **quick).fit(customers)
    print("customers", decant.metrics.accuracy(group, table.labels_), table.predict(customers[:3]))

# %% A pipeline of scikit-learn, and HDBSCAN on a map as a rival
try:
    from sklearn.cluster import HDBSCAN
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
except ImportError:
    pass
else:
    pipeline = make_pipeline(StandardScaler(), decant.KMeans(n_clusters=10))
    print("pipeline accuracy", round(decant.metrics.accuracy(y, pipeline.fit_predict(X)), 3))
    try:
        from umap import UMAP

        points = UMAP(random_state=1).fit_transform(X)
        print("UMAP", end=" ")
    except ImportError:
        points = decant.TSNE(max_iter=300).fit_transform(X)
        print("t-SNE", end=" ")
    found = HDBSCAN(min_cluster_size=30, copy=True).fit_predict(points)
    print("+ HDBSCAN accuracy", round(decant.metrics.accuracy(y, found), 3))

# %% Single cells: writes obs, obsm and uns
try:
    import anndata
except ImportError:
    pass
else:
    cells = anndata.AnnData(np.random.default_rng(1).poisson(1 + 3 * np.eye(4)[np.arange(200) % 4]
                                                             .repeat(10, axis=1)).astype(np.float32))
    decant.tl.dec(cells, n_clusters=4, **quick)
    print(cells.obs["decant"].value_counts().to_dict(), cells.obsm["X_decant"].shape)

# %% Saved for the program and for other machines; served by ONNX
model.save("digits.safetensors")
again = decant.load("digits.safetensors")
assert (again.predict(X) == model.labels_).all()
model.to_onnx("digits.onnx")
try:
    import onnxruntime
except ImportError:
    pass
else:
    session = onnxruntime.InferenceSession("digits.onnx")
    labels = session.run(["label"], {"x": np.asarray(X, dtype=np.float32)})[0]
    print("the same labels by onnxruntime:", float((labels == model.labels_).mean()))

# %% A Dask DataFrame on a local cluster, partition by partition (bench/python_dask.py: ten million rows)
try:
    import dask.dataframe
    from distributed import Client
except ImportError:
    pass
else:
    frame = pandas.DataFrame(np.asarray(X), columns=[f"p{i}" for i in range(64)])
    fitted = decant.KMeans(n_clusters=10, n_jobs=1).fit(frame)  # the model goes to the workers
    with Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None):
        parts = dask.dataframe.from_pandas(frame, npartitions=4)
        found = parts.map_partitions(
            lambda part: pandas.Series(fitted.predict(part), index=part.index), meta=("cluster", "i4")
        ).compute()
    print("Dask", bool((found.to_numpy() == fitted.labels_).all()))
