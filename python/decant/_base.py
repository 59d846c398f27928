"""What all estimators share: fit, predict and the rest are calls of the C library."""

from __future__ import annotations

import ctypes
import os
from typing import Any, TypeVar

import numpy as np

from . import _header as c
from ._conventions import (
    COLUMNS,
    ClusterBase,
    Params,
    Transformer,
    check_columns,
    check_fitted,
    draw_seed,
    take_table_columns,
    thread_count,
)
from ._data import Dataset, make_dataset, table_names
from ._library import (
    Bar,
    Handle,
    address,
    check,
    lib,
    make_options,
    option_value,
    run,
    text,
    view,
)
from .errors import InputError

Array = np.ndarray[Any, Any]
Self = TypeVar("Self", bound="Estimator")


class Model:
    """A fitted model of the C library. It is pickled as the bytes of its file."""

    def __init__(self, pointer: int) -> None:
        self.handle = Handle(pointer, lib.decant_model_free)

    @property
    def pointer(self) -> int | None:
        return self.handle.pointer

    @staticmethod
    def load(path: str) -> Model:
        out = ctypes.c_void_p()
        check(lib.decant_model_load(os.fsencode(path), ctypes.byref(out)))
        assert out.value is not None
        return Model(out.value)

    @staticmethod
    def from_bytes(data: bytes) -> Model:
        out = ctypes.c_void_p()
        check(lib.decant_model_from_bytes(data, len(data), ctypes.byref(out)))
        assert out.value is not None
        return Model(out.value)

    def to_bytes(self) -> bytes:
        return self._bytes(lib.decant_model_to_bytes)

    def to_onnx(self) -> bytes:
        return self._bytes(lib.decant_model_to_onnx)

    def _bytes(self, function: Any) -> bytes:
        out, size = ctypes.c_void_p(), ctypes.c_size_t()
        check(function(self.pointer, ctypes.byref(out), ctypes.byref(size)))
        assert out.value is not None
        try:
            return ctypes.string_at(out.value, size.value)
        finally:
            lib.decant_bytes_free(out)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model.from_bytes, (self.to_bytes(),)

    @property
    def clusters(self) -> int:
        return int(lib.decant_model_clusters(self.pointer))

    @property
    def columns(self) -> int:
        return int(lib.decant_model_columns(self.pointer))

    @property
    def latent(self) -> int:
        return int(lib.decant_model_latent(self.pointer))

    def options(self) -> Any:
        options = make_options([])
        check(lib.decant_model_options(self.pointer, ctypes.byref(options)))
        return options

    def column_names(self) -> list[str] | None:
        reading = c.decant_read_options()
        lib.decant_read_options_init(ctypes.byref(reading), ctypes.sizeof(reading))
        check(lib.decant_model_reading(self.pointer, ctypes.byref(reading)))
        if not reading.column_names:
            return None
        names = ctypes.cast(reading.column_names, ctypes.POINTER(ctypes.c_char_p))
        return [text(names[column]) for column in range(self.columns)]

    def table_names(self) -> list[str] | None:
        """The columns of the table that it was fitted on, also those that are not used; None: it
        was fitted on none."""
        table = lib.decant_model_table(self.pointer)
        return table_names(table) if table else None

    def centroids(self) -> Array:
        centroids = np.empty((self.clusters, self.latent), np.float32)
        check(lib.decant_model_centroids(self.pointer, address(centroids)))
        return centroids


class Fit:
    """What a fit found, and the rows that it found it in: for reports and pictures. It is not
    pickled."""

    def __init__(self, result: int, data: Dataset, options: Any) -> None:
        self.handle = Handle(result, lib.decant_result_free, c.decant_result)
        self.data, self.options = data, options

    @property
    def result(self) -> Any:
        return ctypes.cast(
            ctypes.c_void_p(self.handle.pointer), ctypes.POINTER(c.decant_result)
        ).contents


class Estimator(ClusterBase, Params):
    """fit and fit_predict, and what follows from them."""

    _method = "dec"

    # The parameters that every estimator has.
    n_clusters: int | str | range
    random_state: Any
    n_jobs: int | None
    verbose: int
    progress: bool
    # What fit finds.
    labels_: Array
    confidence_: Array
    cluster_centers_: Array
    embedding_: Array | None
    history_: Array
    n_iter_: int
    converged_: bool
    n_features_in_: int
    _model: Model

    # ---- parameters

    def _options(self) -> Any:
        from ._estimators import OPTIONS

        params = self.get_params(deep=False)
        settings: list[tuple[str, Any]] = []
        if "preset" in params:
            settings.append(("preset", params["preset"]))
        settings.append(("method", params.get("method", self._method)))
        settings.append(("k", params["n_clusters"]))
        settings.append(("seed", draw_seed(params["random_state"])))
        settings.append(("threads", thread_count(params["n_jobs"])))
        settings += [
            (option, params[name])
            for name, option in OPTIONS.items()
            if params.get(name) is not None
        ]
        return make_options(settings)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def _bar(self) -> Bar:
        return Bar(self.progress, self.verbose)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        return tags

    # ---- fit

    def fit(self: Self, X: Any, y: Any = None) -> Self:
        """Finds clusters in the rows of X. y is not used; it is there for scikit-learn's sake.

        X: an array of numbers, a scipy.sparse matrix, a DataFrame, a torch tensor, an AnnData, a
        list of documents, a list of paths or PIL images, or the path of a file that the program
        would read. Rows are not copied: the estimator refers to X for its report and its map."""
        options, bar = self._options(), self._bar()
        data = make_dataset(X, options, None, bar)
        if data.rows < 2:
            raise InputError("1 sample cannot be clustered: at least 2 are needed")
        data.warn()
        before = {name: vars(self)[name] for name in COLUMNS if name in vars(self)}
        check_columns(self, X, data, fitting=True)
        out = ctypes.c_void_p()
        try:
            run(
                lib.decant_fit,
                lambda monitor: (data.pointer, ctypes.byref(options), monitor, ctypes.byref(out)),
                bar,
            )
        except BaseException:  # what was fitted before stays as it was
            for name in COLUMNS:
                vars(self).pop(name, None)
            vars(self).update(before)
            raise
        assert out.value is not None
        self._take(Fit(out.value, data, options))
        return self

    def _take(self, fit: Fit) -> None:
        result, owner = fit.result, fit.handle
        data = self._fit = fit
        labels = view(result.labels, (result.n,), np.int32, owner)
        confidence = view(result.confidence, (result.n,), np.float32, owner)
        assert labels is not None and confidence is not None
        self.labels_, self.confidence_ = labels, confidence
        self.embedding_ = view(result.embedding, (result.n, result.latent), np.float32, owner)
        self.history_ = _history(result)
        self.n_iter_ = int(result.iterations)
        self.converged_ = bool(result.converged)
        self._model = _borrowed_model(data)
        self.cluster_centers_ = self._model.centroids()
        self.n_clusters_ = self._model.clusters

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Fits, and returns labels_."""
        return self.fit(X).labels_

    # ---- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model, the same file as the program's: a safetensors file."""
        check_fitted(self)
        check(lib.decant_model_save(self._model.pointer, os.fsencode(path)))

    def to_onnx(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """The model as an ONNX graph, also written to the path if there is one. Rows of documents,
        pictures and tables enter it after their features; grey images that are compared by their
        gradients enter as their pixels."""
        check_fitted(self)
        graph = self._model.to_onnx()
        if path is not None:
            from ._show import write_bytes

            write_bytes(path, graph)
        return graph

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_fit"}

    # ---- for people

    def report(self, labels: Any = None) -> Any:
        """The report of the last fit, which shows itself in a notebook and can be saved. labels:
        known classes, for the confusion matrix."""
        from ._show import Report

        check_fitted(self)
        return Report(self._last_fit(), labels, type(self).__name__)

    def plot_map(self, ax: Any = None, labels: Any = None) -> Any:
        """A map of the rows by t-SNE, coloured by cluster or by labels. Needs matplotlib."""
        from ._show import plot_map

        check_fitted(self)
        return plot_map(self, ax, labels)

    def plot_history(self, ax: Any = None) -> Any:
        """Loss and share of changed labels during training. Needs matplotlib."""
        from ._show import plot_history

        check_fitted(self)
        return plot_history(self, ax)

    def _last_fit(self) -> Fit:
        fit: Fit | None = getattr(self, "_fit", None)
        if fit is None:
            raise InputError(
                "the rows are gone: an estimator that was loaded, unpickled or copied does not have "
                "them; fit it again"
            )
        return fit

    def _repr_html_(self) -> str:
        from ._show import overview

        return overview(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def _history(result: Any) -> Array:
    kinds = {
        ctypes.c_size_t: np.uintp,
        ctypes.c_double: np.float64,
    }
    fields = c.decant_history_row._fields_
    dtype = np.dtype(
        {
            "names": [name for name, *_ in fields],
            "formats": [
                kinds.get(kind, f"S{ctypes.sizeof(kind)}") for _, kind, *_ in fields
            ],
            "offsets": [getattr(c.decant_history_row, name).offset for name, *_ in fields],
            "itemsize": ctypes.sizeof(c.decant_history_row),
        }
    )
    count = int(result.history_count)
    size = count * ctypes.sizeof(c.decant_history_row)
    rows = np.frombuffer(ctypes.string_at(result.history, size), dtype=dtype)
    texts = [
        (name, f"U{dtype[name].itemsize}" if dtype[name].kind == "S" else dtype[name])
        for name, *_ in fields
    ]
    return rows.astype(texts)


class _Borrowed(Model):
    """The model inside of a result, which stays its owner. A pickle has a model of its own."""

    def __init__(self, fit: Fit) -> None:
        self.handle = Handle(fit.result.model, lambda pointer: None)
        self._owner = fit.handle


def _borrowed_model(fit: Fit) -> Model:
    return _Borrowed(fit)


class PredictingEstimator(Estimator):
    """Methods that can assign new rows."""

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        # scikit-learn asks what has predict_proba how many classes it can tell apart.
        tags.classifier_tags = ClassifierTags()
        return tags

    def _rows(self, X: Any) -> Dataset:
        check_fitted(self)
        data = make_dataset(X, None, self._model.pointer, self._bar())
        check_columns(self, X, data, fitting=False)
        data.warn()
        return data

    def predict(self, X: Any) -> Array:
        """The cluster of each row."""
        data = self._rows(X)
        labels = np.empty(data.rows, np.int32)
        self._apply(lib.decant_model_predict, data, address(labels), None)
        return labels

    def predict_proba(self, X: Any) -> Array:
        """The soft assignments of each row: (n_samples, n_clusters), rows sum to 1."""
        data = self._rows(X)
        soft = np.empty((data.rows, self._model.clusters), np.float32)
        self._apply(lib.decant_model_assign, data, address(soft))
        return soft

    def _apply(self, function: Any, data: Dataset, *outputs: Any) -> None:
        model, threads = self._model.pointer, thread_count(self.n_jobs)
        run(
            function,
            lambda monitor: (model, data.pointer, threads, monitor, *outputs),
            self._bar(),
        )


class NetworkEstimator(Transformer, PredictingEstimator):
    """Methods with a feature space of their own."""

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags(preserves_dtype=["float32"])
        return tags

    def transform(self, X: Any) -> Any:
        """Each row in the feature space."""
        return self._contain(X, self._features(X))

    def _features(self, X: Any) -> Array:
        data = self._rows(X)
        z = np.empty((data.rows, self._model.latent), np.float32)
        self._apply(lib.decant_model_embed, data, address(z))
        return z

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits, and returns embedding_."""
        self.fit(X)
        return self._contain(X, self._features(X) if self.embedding_ is None else self.embedding_)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """dec0, dec1, ...: a name for each feature."""
        check_fitted(self)
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}{i}" for i in range(self._model.latent)], dtype=object)


# ---- from files -------------------------------------------------------------------------------

CLASSES = {"kmeans": "KMeans", "gmm": "GaussianMixture", "spectral": "SpectralClustering",
           "sec": "SEC", "ldmgi": "LDMGI"}


def load(path: str | os.PathLike[str]) -> Any:
    """An estimator from a model file, or from the run folder of the program."""
    from . import _estimators

    place = os.fspath(path)
    model = Model.load(os.path.join(place, "model.safetensors") if os.path.isdir(place) else place)
    options = model.options()
    method = option_value(options, "method")
    kind: Any = getattr(_estimators, CLASSES.get(method, "DEC"))
    estimator = kind(n_clusters=model.clusters)
    params = estimator.get_params(deep=False)
    settings: dict[str, Any] = {}
    for name in ("preset", "method"):
        if name in params:
            settings[name] = option_value(options, name)
    settings["random_state"] = int(options.seed)
    usual = make_options(
        [(n, settings[n]) for n in ("preset",) if n in settings] + [("method", method)]
    )
    for name, option in _estimators.OPTIONS.items():
        value = option_value(options, option)
        if name in params and value != option_value(usual, option):
            settings[name] = _typed(value)
    estimator.set_params(**settings)
    estimator._model = model
    estimator.n_features_in_ = model.columns
    estimator.cluster_centers_ = model.centroids()
    estimator.n_clusters_ = model.clusters
    table, names = model.table_names(), model.column_names()
    if table is not None:
        take_table_columns(estimator, table)
    elif names is not None:
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    return estimator


def _typed(value: str) -> Any:
    if value in ("yes", "no"):
        return value == "yes"
    for kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass
    return value
