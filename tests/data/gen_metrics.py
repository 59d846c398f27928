"""Writes metrics_cases.h: label pairs and their scores by scikit-learn and scipy.

    /usr/bin/python3 tests/data/gen_metrics.py > tests/data/metrics_cases.h
"""
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix


def scores(clusters, classes):
    table = contingency_matrix(clusters, classes)
    row, column = linear_sum_assignment(-table)
    return (table[row, column].sum() / len(clusters),
            normalized_mutual_info_score(classes, clusters),
            adjusted_rand_score(classes, clusters),
            table.max(axis=1).sum() / len(clusters))


def cases():
    rng = np.random.default_rng(2016)
    truth = rng.integers(0, 5, 120)
    noisy = np.where(rng.random(120) < 0.3, rng.integers(0, 5, 120), (truth + 2) % 5)
    yield "noisy copy", noisy, truth
    yield "independent", rng.integers(0, 4, 150), rng.integers(0, 6, 150)
    yield "more clusters than classes", rng.integers(0, 3, 90) + 3 * (np.arange(90) % 4), \
        np.arange(90) % 4
    yield "fewer clusters than classes", np.arange(80) % 10 // 5, np.arange(80) % 10
    yield "sparse large labels", np.array([7, 2147483647, 90000])[rng.integers(0, 3, 60)], \
        np.array([0, 1999999999])[rng.integers(0, 2, 60)]
    yield "one cluster, many classes", np.zeros(30, int), np.arange(30) % 3
    yield "many clusters, one class", np.arange(30) % 3, np.full(30, 8)
    yield "one cluster, one class", np.full(20, 3), np.full(20, 9)
    yield "every row alone", np.arange(25)[::-1], np.arange(25)
    yield "one row", np.array([4]), np.array([2])
    yield "unbalanced", (rng.random(200) < 0.02).astype(int), (rng.random(200) < 0.97).astype(int)


def array(values):
    return ", ".join(str(int(v)) for v in values)


print("/* Written by gen_metrics.py; not to be edited. */")
print("static const struct {\n    const char *name;\n    size_t n;\n    int32_t clusters[200], "
      "classes[200];\n    decant_scores scores;\n} metrics_cases[] = {")
for name, clusters, classes in cases():
    values = ", ".join("%.17g" % v for v in scores(clusters, classes))
    print('    {"%s",\n     %d,\n     {%s},\n     {%s},\n     {%s}},'
          % (name, len(clusters), array(clusters), array(classes), values))
print("};")
