"""The number of clusters."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _header as c
from ._data import make_dataset
from ._library import Handle, lib, run, text
from ._show import selection_svg


class Selection:
    """How a number of clusters was chosen. k: the one to take; reason: why, in one sentence;
    trials: an array with what was measured of each k."""

    def __init__(self, pointer: int, data: Any) -> None:
        self._handle = Handle(pointer, lib.decant_selection_free, c.decant_selection)
        self._data = data
        found = ctypes.cast(pointer, ctypes.POINTER(c.decant_selection)).contents
        self.k = int(found.k)
        self.reason = text(found.reason)
        fields = [
            (name, kind)
            for name, kind, *_ in c.decant_k_trial._fields_
            if kind in (ctypes.c_size_t, ctypes.c_double)
        ]
        rows = ctypes.cast(found.trial, ctypes.POINTER(c.decant_k_trial))
        self.trials = np.array(
            [tuple(getattr(rows[i], name) for name, _ in fields) for i in range(found.count)],
            dtype=[(n, np.int64 if t is ctypes.c_size_t else np.float64) for n, t in fields],
        )

    def svg(self) -> str:
        """What was measured of each k, as a drawing."""
        assert self._handle.pointer is not None
        return selection_svg(self._handle.pointer, self._data)

    def _repr_html_(self) -> str:
        return f"<p>{self.reason}</p>{self.svg()}"

    def __repr__(self) -> str:
        return f"<decant selection: k = {self.k}; {self.reason}>"


def select_k(
    X: Any, k: str | range = "2..10", *, labels: Any = None, **options: Any
) -> Selection:
    """Tries each number of clusters in a range, "5..15" or range(5, 16), and recommends one, by
    the stability of the clusters. options: keywords of DEC. labels: known classes, for the drawing
    only."""
    from ._estimators import DEC

    estimator = DEC(n_clusters=k, **options)
    settings, bar = estimator._options(), estimator._bar()
    data = make_dataset(X, settings, None, bar)
    if labels is not None:
        data.set_labels(labels)
    out = ctypes.c_void_p()
    run(
        lib.decant_select_k,
        lambda monitor: (data.pointer, ctypes.byref(settings), monitor, ctypes.byref(out)),
        bar,
    )
    assert out.value is not None
    return Selection(out.value, data)
