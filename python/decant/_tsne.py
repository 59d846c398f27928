"""Maps by t-SNE."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _header as c
from ._conventions import Params, Transformer, check_columns, draw_seed, thread_count
from ._data import Dataset, make_dataset
from ._library import Bar, address, lib, make_options, number, run, whole
from .errors import InputError

Array = np.ndarray[Any, Any]


class TSNE(Transformer, Params):
    """A map of the rows in two dimensions (van der Maaten and Hinton 2008).

    Parameters
    ----------
    perplexity : float, default=30
        About how many neighbours count; less where there are few rows.
    max_iter : int, default=1000
        Number of iterations.
    scaling : str, default="none"
        Scaling of the columns: none, paper, standard, minmax, counts or auto.
    random_state : int, RandomState or None, default=1
        Seed of the start.
    n_jobs : int or None, default=None
        Number of threads; None or -1 is one for each core. The map is the same for any number.
    progress : bool, default=False
        Shows a progress bar, if tqdm is installed.

    Attributes
    ----------
    embedding_ : ndarray of float32 (n_samples, 2)
        The map.
    kl_divergence_ : float
        The divergence that is left.
    n_iter_ : int
        Number of iterations.
    """

    embedding_: Array
    kl_divergence_: float

    def __init__(
        self,
        *,
        perplexity: float = 30.0,
        max_iter: int = 1000,
        scaling: str = "none",
        random_state: Any = 1,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.perplexity = perplexity
        self.max_iter = max_iter
        self.scaling = scaling
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        return tags

    def fit(self, X: Any, y: Any = None) -> TSNE:
        """Finds the map of the rows of X."""
        bar = Bar(self.progress, 0)
        data = X if isinstance(X, Dataset) else make_dataset(X, None, None, bar)
        if data.rows < 2:
            raise InputError("1 sample has no map: at least 2 are needed")
        if data is not X:
            check_columns(self, X, data, fitting=True)
        options = c.decant_map_options()
        lib.decant_map_options_init(ctypes.byref(options), ctypes.sizeof(options))
        options.perplexity = number("perplexity", self.perplexity)
        options.iterations = whole("max_iter", self.max_iter, 0, 10**9)
        options.scaling = make_options([("scaling", self.scaling)]).scaling
        options.threads = thread_count(self.n_jobs)
        options.seed = draw_seed(self.random_state)
        points, kl = np.empty((data.rows, 2), np.float32), ctypes.c_double()
        run(
            lib.decant_map_rows,
            lambda monitor: (
                data.pointer, ctypes.byref(options), monitor, address(points), ctypes.byref(kl),
            ),
            bar,
        )
        self.embedding_ = points
        self.kl_divergence_ = kl.value
        self.n_iter_ = int(self.max_iter)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Finds the map of the rows of X, and returns it."""
        return self._contain(X, self.fit(X).embedding_)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """tsne0 and tsne1."""
        return np.asarray(["tsne0", "tsne1"], dtype=object)
