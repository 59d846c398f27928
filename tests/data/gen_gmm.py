"""Reference values for test_gmm.c: scikit-learn's mixtures from a k-means start.

    python3 tests/data/gen_gmm.py > tests/data/gmm_reference.h

Rows are written as whole numbers of 1/64, so that float holds them exactly."""
import numpy as np
from sklearn.mixture import GaussianMixture

N, D, K = 240, 3, 3
rng = np.random.default_rng(7)
centers = np.array([[0, 0, 0], [3, 0.5, 1], [0, 3.5, -1]])
spread = np.array([[[1, 0.5, 0], [0, 1, 0], [0, 0, 0.5]], [[0.7, 0, 0], [0.6, 1.2, 0], [0, 0, 1]],
                   [[1.5, 0, 0.3], [0, 0.6, 0], [0, 0.4, 1]]])
x = np.array([centers[i % K] + rng.normal(size=D) @ spread[i % K] for i in range(N)])
x = np.round(x * 64) / 64


def rows(name, values):
    print("static const float %s[%d] = {" % (name, values.size))
    for line in values.reshape(-1, 10):
        print("    " + ", ".join("%.17gF" % v if "." in "%.17g" % v else "%g.0F" % v for v in line) + ",")
    print("};")


print("/* Made by gen_gmm.py. */")
print("enum { GMM_N = %d, GMM_D = %d, GMM_K = %d };" % (N, D, K))
rows("gmm_rows", x)
for kind in ("diag", "full"):
    model = GaussianMixture(K, covariance_type=kind, random_state=0).fit(x)
    assert model.converged_
    print("static const double gmm_%s_likelihood = %.12f;" % (kind, model.lower_bound_))
    print("static const int gmm_%s_iterations = %d;" % (kind, model.n_iter_))
