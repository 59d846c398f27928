"""Made-up rows with known classes, for bench/unseen.py."""
import numpy as np

MADE = ["faces", "turntable", "cells", "sparse-20000", "duplicates", "outlier-column", "two-columns"]


def made(name):
    random = np.random.default_rng(5 if name == "sparse-20000" else 11)
    if name == "faces":  # 40 classes of 10: a smooth picture, light from a side, noise
        grid = np.mgrid[0:32, 0:32] / 32.0
        waves = np.stack([np.cos(np.pi * a * grid[0]) * np.cos(np.pi * b * grid[1]) for a in range(8) for b in range(8)]).reshape(64, -1)
        own, light = random.normal(size=(40, 64)) / np.sqrt(1 + np.arange(64)), random.normal(size=(400, 3)) @ waves[[1, 8, 9]] * 0.7
        labels = np.repeat(np.arange(40), 10)
        return own[labels] @ waves + light + random.normal(0, 0.15, (400, 1024)), labels
    if name == "turntable":  # 20 closed curves of 72 rows, each around a place of its own
        labels, angle = np.repeat(np.arange(20), 72), np.tile(np.arange(72) * np.pi / 36, 20)
        turns = np.stack([f(m * angle) / m for m in (1, 2, 3) for f in (np.cos, np.sin)], 1)
        basis, place = random.normal(size=(20, 6, 40)), random.normal(size=(20, 40)) * 0.9
        rows = np.einsum("ni,nij->nj", turns, basis[labels]) + place[labels]
        return rows @ random.normal(size=(40, 1024)) / 6 + random.normal(0, 0.1, (1440, 1024)), labels
    if name == "cells":  # counts of 8 types of 70 to 1015 rows, between which a tenth of the columns differ
        labels = np.repeat(np.arange(8), np.linspace(70, 1015, 8).astype(int))
        kinds = random.lognormal(-2, 1.3, 2000) * np.where(random.random((8, 2000)) < 0.1, random.lognormal(0, 1, (8, 2000)), 1)
        return random.poisson(random.gamma(2, kinds[labels] / 2) * random.lognormal(0, 0.4, (len(labels), 1))), labels
    if name == "sparse-20000":  # 80 words of 20 000; each class has a thousand that are six times as frequent
        own, labels = random.permutation(20000)[:6000].reshape(6, 1000), random.integers(0, 6, 3000)
        weight = np.tile(1 / (20 + np.arange(20000)), (6, 1))
        for c in range(6):
            weight[c, own[c]] *= 6
        return np.stack([np.bincount(random.choice(20000, 80, p=weight[c] / weight[c].sum()), minlength=20000) for c in labels]), labels
    if name == "duplicates":
        rows, labels = random.normal(size=(60, 8)), np.repeat(np.arange(6), 10)
        return np.tile(rows + 4 * random.normal(size=(6, 8))[labels], (40, 1)) + random.normal(0, 1e-4, (2400, 8)), np.tile(labels, 40)
    labels = np.sort(random.integers(0, 5, 2000))
    rows = (3 * random.normal(size=(5, 12)))[labels] + random.normal(size=(2000, 12)) * np.array([0.5, 1, 1.5, 1, 2])[labels][:, None]
    if name == "outlier-column":
        rows[:, 3] = random.standard_cauchy(2000) ** 3 * 1e3
    return (rows[:, :2] if name == "two-columns" else rows), labels
