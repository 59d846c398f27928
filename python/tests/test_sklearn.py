"""Every check of scikit-learn for every estimator, without an expected failure."""

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
