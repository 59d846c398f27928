"""Beside other libraries in one process, before and after them; in worker processes of others."""

import multiprocessing
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import SMALL, blobs

import decant

FITS = """
import numpy as np
def ours():
    import decant
    x = np.random.default_rng(0).normal(size=(200, 8)).astype(np.float32)
    model = decant.DEC(3, layers=(16, 4), finetune_iterations=20, max_iterations=20, n_jobs=2)
    return model.fit(x).labels_, decant.GaussianMixture(3, covariance="full", n_jobs=2).fit(x).labels_
def torch():
    import torch
    layer = torch.nn.Linear(64, 64)
    loss = layer(torch.ones(256, 64)).square().mean()
    loss.backward()
    assert torch.linalg.eigh(torch.eye(50))[0].sum() == 50
def scikit_learn():
    from sklearn.cluster import KMeans
    KMeans(3, n_init=2, random_state=0).fit(np.random.default_rng(1).normal(size=(500, 8)))
"""


@pytest.mark.parametrize("other", ["torch", "scikit_learn"])
def test_beside(other):
    pytest.importorskip({"torch": "torch", "scikit_learn": "sklearn"}[other])
    results = []
    for order in (f"{other}(); a = ours(); {other}(); b = ours()", f"a = ours(); {other}(); b = ours()"):
        code = f"{FITS}\n{order}\nassert all((p == q).all() for p, q in zip(a, b))\nprint(a)"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        results.append(run.stdout)
    assert results[0] == results[1]


def fit_labels(seed):
    x, _ = blobs(seed=seed)
    return decant.DEC(3, **{**SMALL, "n_jobs": 2}).fit(x).labels_


@pytest.mark.parametrize("way", ["threads", "fork", "forkserver", "joblib"])
def test_workers(way):
    here = [fit_labels(seed) for seed in range(4)]
    if way == "threads":
        with ThreadPoolExecutor(2) as pool:
            there = list(pool.map(fit_labels, range(4)))
    elif way == "joblib":
        joblib = pytest.importorskip("joblib")
        there = joblib.Parallel(n_jobs=2)(joblib.delayed(fit_labels)(seed) for seed in range(4))
    else:
        with multiprocessing.get_context(way).Pool(2) as pool:
            there = pool.map(fit_labels, range(4))
    for one, other in zip(here, there):
        np.testing.assert_array_equal(one, other)


FREE = """
import sys
import numpy
import decant
model = decant.DEC(2, layers=(8, 2), finetune_iterations=5, max_iterations=5).fit(numpy.eye(20))
again = model.fit(numpy.eye(20))  # freed when the interpreter ends
assert not sys._is_gil_enabled()
"""


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="has a GIL")
def test_python_stays_free_threaded():
    run = subprocess.run([sys.executable, "-c", FREE], capture_output=True, text=True)
    assert run.returncode == 0 and run.stderr == "", run.stderr
