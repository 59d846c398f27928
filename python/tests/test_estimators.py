"""Fits and what follows from them."""

import copy
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import SMALL

import decant

ALL = [
    decant.KMeans,
    decant.GaussianMixture,
    decant.SpectralClustering,
    decant.SEC,
    decant.LDMGI,
]


def test_dec_finds_the_clusters(data, fitted):
    x, labels = data
    assert decant.metrics.accuracy(labels, fitted.labels_) > 0.99
    assert fitted.labels_.dtype == np.int32
    assert fitted.embedding_.shape == (300, 4)
    assert fitted.cluster_centers_.shape == (3, 4)
    assert fitted.history_["phase"][-1] == "refine"
    np.testing.assert_array_equal(fitted.predict(x), fitted.labels_)
    np.testing.assert_array_equal(fitted.transform(x), fitted.embedding_)
    soft = fitted.predict_proba(x)
    np.testing.assert_allclose(soft.sum(1), 1, atol=1e-5)
    np.testing.assert_array_equal(soft.max(1), fitted.confidence_)


@pytest.mark.parametrize("kind", ALL)
def test_other_methods_find_the_clusters(kind, data):
    x, labels = data
    model = kind(3, n_jobs=1).fit(x)
    assert decant.metrics.accuracy(labels, model.labels_) > 0.99
    assert hasattr(model, "predict") == (kind not in (decant.SpectralClustering, decant.LDMGI))
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(model.predict(x), model.labels_)


def test_centers_of_kmeans_are_means_of_the_data(data):
    x, _ = data
    model = decant.KMeans(3, n_jobs=1).fit(x)
    for cluster in range(3):
        mean = x[model.labels_ == cluster].mean(0)
        np.testing.assert_allclose(model.cluster_centers_[cluster], mean, atol=1e-4)


@pytest.mark.parametrize("kind", [decant.DEC, decant.KMeans])
def test_same_seed_same_bytes_as_the_program(kind, data, tmp_path):
    x, _ = data
    np.save(tmp_path / "x.npy", x)
    options = SMALL if kind is decant.DEC else {"n_jobs": 1, "method": "kmeans"}
    params = {name: value for name, value in options.items() if name != "method"}
    model = kind(3, **params).fit(np.load(tmp_path / "x.npy", mmap_mode="r"))
    model.save(tmp_path / "m.safetensors")
    program = Path(decant.__file__).parent / "bin" / "decant"
    flags = []
    for name, value in options.items():
        flag = "--threads" if name == "n_jobs" else "--" + name.replace("_", "-")
        flags += [flag, "32,4" if name == "layers" else str(value)]
    subprocess.run(
        [program, "fit", tmp_path / "x.npy", "-k", "3", "-q", "-o", tmp_path / "run", *flags],
        check=True, capture_output=True,
    )
    expected = (tmp_path / "run" / "model.safetensors").read_bytes()
    assert (tmp_path / "m.safetensors").read_bytes() == expected
    if kind is decant.DEC:
        features = np.load(tmp_path / "run" / "embedding.npy")
        np.testing.assert_array_equal(features, model.embedding_)
    again = decant.load(tmp_path / "run")
    assert isinstance(again, kind)
    np.testing.assert_array_equal(again.predict(x), model.labels_)


def test_save_load_pickle_copy(data, fitted, tmp_path):
    x, _ = data
    fitted.save(tmp_path / "m.safetensors")
    loaded = decant.load(tmp_path / "m.safetensors")
    assert loaded.get_params()["layers"] == "32,4"
    others = [loaded, pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)]
    try:
        import joblib
    except ImportError:
        pass
    else:
        joblib.dump(fitted, tmp_path / "m.joblib")
        others.append(joblib.load(tmp_path / "m.joblib"))
    for other in others:
        np.testing.assert_array_equal(other.predict(x), fitted.labels_)
    with pytest.raises(decant.InputError, match="the rows are gone"):
        loaded.report()
    (tmp_path / "bad").write_bytes(b"no model")
    with pytest.raises(decant.InputError):
        decant.load(tmp_path / "bad")
    with pytest.raises(decant.FileError):
        decant.load(tmp_path / "none")


def test_auto_chooses_the_number_of_clusters(data):
    x, labels = data
    model = decant.DEC("auto", **SMALL).fit(x)
    assert model.n_clusters_ == len(model.cluster_centers_) == 3
    assert decant.metrics.accuracy(labels, model.labels_) > 0.99
    assert not hasattr(model, "score")  # there is no such thing as the score of a clustering


def test_errors_are_sentences_of_the_library(data):
    x, _ = data
    with pytest.raises(ValueError, match="alpha"):
        decant.DEC(3, alpha=-1).fit(x)
    with pytest.raises(decant.InputError, match="only 300 rows"):
        decant.KMeans(301).fit(x)
    with pytest.raises(decant.Error, match="no network"):
        decant.DEC(3, method="kmeans", n_jobs=1).fit(x).transform(x)
    with pytest.raises(TypeError):
        decant.DEC(3, no_such_option=1)


def test_select_k(data):
    found = decant.select_k(data[0], "2..4", **SMALL)
    assert found.k in (2, 3, 4)
    assert list(found.trials["k"]) == [2, 3, 4]
    assert found.svg().startswith("<svg")


def test_tsne(data):
    model = decant.TSNE(max_iter=100, n_jobs=1)
    points = model.fit_transform(data[0])
    assert points.shape == (300, 2)
    assert np.isfinite(points).all() and model.kl_divergence_ > 0


def test_metrics():
    true, found = ["a", "a", "b", "b"], [1, 1, 0, 0]
    assert decant.metrics.scores(true, found) == (1, 1, 1, 1)
    assert decant.metrics.confusion(true, found).tolist() == [[0, 2], [2, 0]]
    assert decant.metrics.purity([0, 0, 1, 1], [0, 0, 0, 0]) == 0.5
    with pytest.raises(decant.InputError, match="4 known labels, but 3"):
        decant.metrics.ari(true, [0, 1, 2])


def test_report_and_html(data, fitted, tmp_path):
    report = fitted.report(labels=data[1])
    assert "<iframe" in report._repr_html_()
    report.save(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html") and len(page) > 50_000
    assert "<title>DEC" in page
    assert fitted._repr_html_().count("<tr>") == 4


def test_overview_shows_what_people_know():
    documents = ["apple pear plum <b>", "engine wheel brake road"] * 10
    page = decant.KMeans(2, n_jobs=1).fit(documents)._repr_html_()
    assert "apple pear plum &lt;b&gt;" in page and "engine wheel brake road" in page
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 255, (10, 8, 8)).astype(np.uint8)
    model = decant.KMeans(2, n_jobs=1).fit([image.fromarray(one) for one in pixels])
    assert model._repr_html_().count("<img src=") >= 6
    again = pickle.loads(pickle.dumps(model))._repr_html_()  # the pictures are gone, not the rest
    assert again.count("<tr>") == 3 and "<img" not in again
    for library in ("pandas", "polars"):
        frame = pytest.importorskip(library).DataFrame({"age": [20.5, 21, 70, 71], "city": [*"abab"]})
        model = decant.KMeans(2, n_jobs=1).fit(frame)
        assert "0: age 20.5, city a<br>" in model._repr_html_()
        del frame  # it is not kept
        assert "age" not in model._repr_html_() and model._repr_html_().count("<tr>") == 3


def test_plots(fitted):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    assert len(fitted.plot_history(pyplot.figure().gca()).lines) == 2
    assert len(fitted.plot_map(pyplot.figure().gca()).collections) == 3
    with pytest.raises(decant.InputError, match="no history"):
        decant.KMeans(2, n_jobs=1).fit(np.eye(4)).plot_history()


def test_gil_is_released(data):
    x, _ = data
    ticks = []
    done = threading.Event()

    def fit():
        decant.DEC(3, **{**SMALL, "finetune_iterations": 4000}, pretrain_epochs=0).fit(x)
        done.set()

    thread = threading.Thread(target=fit)
    thread.start()
    while not done.is_set():
        ticks.append(time.monotonic())
        time.sleep(0.001)
    thread.join()
    assert len(ticks) > 5


def test_progress_and_verbose(data, capfd):
    decant.KMeans(3, n_jobs=1, verbose=1).fit(data[0])
    assert "decant: kmeans" in capfd.readouterr().err
    pytest.importorskip("tqdm")
    decant.DEC(3, progress=True, **SMALL).fit(data[0])
    assert "finetune" in capfd.readouterr().err


def test_forked_worker(data):
    x, _ = data
    here = decant.KMeans(3, n_jobs=2).fit(x).labels_
    code = os.fork()
    if code == 0:
        same = (decant.KMeans(3, n_jobs=2).fit(x).labels_ == here).all()
        os._exit(0 if same else 1)
    assert os.waitpid(code, 0)[1] == 0


def test_memory_does_not_grow(data):
    x, _ = data
    resident = Path("/proc/self/statm")
    if not resident.exists():
        pytest.skip("needs /proc")

    def fits(count):
        for _ in range(count):
            decant.KMeans(3, n_jobs=1, restarts=1).fit(x).predict(x)
        return int(resident.read_text().split()[1]) * 4096

    before = fits(50)
    assert fits(300) - before < 2_000_000


def test_import_is_quick_and_program_runs():
    code = "import time; t = time.process_time(); import decant; print(time.process_time() - t)"
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)
        for _ in range(3)
    ]
    assert min(times) < 0.2
    program = Path(sys.executable).parent / "decant"
    if program.exists():
        output = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
        assert decant.__version__ in output
