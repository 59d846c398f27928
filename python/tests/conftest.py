"""Small data with known clusters, and a network that is trained on it in a moment."""

import numpy as np
import pytest

try:  # before decant: its estimators are then also instances of scikit-learn's classes
    import sklearn.base  # noqa: F401
except ImportError:
    pass

import decant

SMALL = {
    "layers": (32, 4),
    "finetune_iterations": 60,
    "max_iterations": 60,
    "update_interval": 20,
    "n_jobs": 1,
}


def blobs(n=300, d=12, k=3, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(k, size=n)
    x = rng.normal(0, 0.3, (n, d)).astype(np.float32)
    x[np.arange(n), labels] += 4
    return x, labels


def pytest_collection_modifyitems(items):
    """Long tests first, so that two workers end at the same time."""
    items.sort(key=lambda item: item.path.stem not in ("test_readme", "test_tutorial", "test_memory"))


@pytest.fixture(scope="session")
def data():
    return blobs()


@pytest.fixture(scope="session")
def fitted(data):
    return decant.DEC(3, **SMALL).fit(data[0])
