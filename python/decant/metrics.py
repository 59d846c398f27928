"""How well clusters agree with known classes. All scores are 1 for a perfect match."""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import numpy as np

from . import _header as c
from ._data import number_classes
from ._library import address, check, lib
from .errors import InputError

__all__ = ["Scores", "accuracy", "ari", "confusion", "nmi", "purity", "scores"]


class Scores(NamedTuple):
    """The four scores of a clustering."""

    accuracy: float
    nmi: float
    ari: float
    purity: float


def _pair(
    labels_true: Any, labels_pred: Any
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    classes, true = number_classes(labels_true, "labels_true")
    clusters, found = number_classes(labels_pred, "labels_pred")
    if len(true) != len(found):
        raise InputError(f"{len(true)} known labels, but {len(found)} clusters")
    return classes, true, clusters, found


def scores(labels_true: Any, labels_pred: Any) -> Scores:
    """Accuracy, NMI, ARI and purity at once."""
    _, true, _, found = _pair(labels_true, labels_pred)
    out = c.decant_scores()
    check(lib.decant_score(address(found), address(true), len(true), ctypes.byref(out)))
    return Scores(out.acc, out.nmi, out.ari, out.purity)


def accuracy(labels_true: Any, labels_pred: Any) -> float:
    """Share of rows in the class matched to their cluster, by the best one-to-one matching."""
    return scores(labels_true, labels_pred).accuracy


def nmi(labels_true: Any, labels_pred: Any) -> float:
    """Mutual information over the arithmetic mean of the entropies."""
    return scores(labels_true, labels_pred).nmi


def ari(labels_true: Any, labels_pred: Any) -> float:
    """Adjusted Rand index."""
    return scores(labels_true, labels_pred).ari


def purity(labels_true: Any, labels_pred: Any) -> float:
    """Share of rows in the majority class of their cluster."""
    return scores(labels_true, labels_pred).purity


def confusion(labels_true: Any, labels_pred: Any) -> np.ndarray[Any, Any]:
    """Counts of rows: clusters down, classes across, both in the order of numpy.unique."""
    classes, true, clusters, found = _pair(labels_true, labels_pred)
    counts = np.zeros((len(clusters), len(classes)), dtype=np.uintp)
    check(
        lib.decant_confusion(
            address(found), address(true), len(true), len(clusters), len(classes),
            address(counts), None,
        )
    )
    return counts.astype(np.int64)
