"""Every check of scikit-learn for every estimator, without an expected failure."""

import subprocess
import sys

import pytest

sklearn = pytest.importorskip("sklearn")
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import decant  # noqa: E402

# Four clusters: a check expects predict_proba to have as many columns as its y has classes.
ESTIMATORS = [
    decant.DEC(n_clusters=4, n_jobs=1),
    decant.KMeans(n_clusters=4, n_jobs=1),
    decant.GaussianMixture(n_clusters=4, n_jobs=1),
    decant.SpectralClustering(n_clusters=4, n_jobs=1),
    decant.SEC(n_clusters=4, n_jobs=1),
    decant.LDMGI(n_clusters=4, n_jobs=1),
    decant.TSNE(n_jobs=1, max_iter=250),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)


LATE = """
import sys
import numpy as np
import decant

x = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
x[::2] += 5
small = dict(layers=(8, 2), finetune_iterations=5, max_iterations=5, n_jobs=1)
model = decant.DEC(2, **small).fit(x)
assert model.n_features_in_ == 3
try:
    model.predict(x[:, :2])
except ValueError as error:
    assert "X has 2 features, but DEC is expecting 3 features" in str(error)
else:
    sys.exit("two columns were taken for three")
try:
    decant.KMeans(2).predict(x)
except (ValueError, AttributeError) as error:
    assert "not fitted yet" in str(error)
assert "sklearn" not in sys.modules, "nobody asked for it"

from sklearn.base import clone, is_clusterer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

assert is_clusterer(model) and clone(model).get_params() == model.get_params()
assert (make_pipeline(StandardScaler(), clone(model)).fit(x).predict(x) < 2).all()
search = GridSearchCV(decant.KMeans(2, n_jobs=1), {"n_clusters": [2, 3]}, cv=2,
                      scoring=lambda model, x, y: decant.metrics.ari(y, model.predict(x)))
assert search.fit(x, np.arange(60) % 2).best_params_ == {"n_clusters": 2}
import pandas
frame = clone(model).set_output(transform="pandas").fit_transform(pandas.DataFrame(x))
assert list(frame.columns) == ["dec0", "dec1"]
"""


def test_scikit_learn_after_decant():
    """It is not imported by decant; estimators work with it when it comes later."""
    pytest.importorskip("pandas")
    run = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
