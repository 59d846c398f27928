"""What scikit-learn expects of an estimator, without importing it: parameters, containers, columns."""

from __future__ import annotations

import inspect
import os
import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from ._data import Dataset, column_names, matrix_of, table_names
from ._library import lib, whole
from .errors import InputError

Array = np.ndarray[Any, Any]


def sklearn_is_loaded() -> bool:
    """Is scikit-learn in use? To import it takes a second and 100 MB, which nobody needs who does
    not use it. So estimators follow its conventions by themselves."""
    return sys.modules.get("sklearn") is not None


if TYPE_CHECKING or not sklearn_is_loaded():

    class Base:
        """Nothing: scikit-learn was not imported before."""

    class ClusterBase:
        """Nothing, either."""

else:  # what isinstance asks for
    from sklearn.base import BaseEstimator as Base
    from sklearn.base import ClusterMixin as ClusterBase


class Params(Base):
    """What scikit-learn expects of every estimator."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; deep is there for scikit-learn's sake."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self: Any, **params: Any) -> Any:
        """Sets parameters by name."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise InputError(f"{type(self).__name__} has no parameter {name!r}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        fresh = inspect.signature(type(self)).parameters
        changed = {
            n: v for n, v in self.get_params().items() if repr(v) != repr(fresh[n].default)
        }
        return f"{type(self).__name__}({', '.join(f'{n}={v!r}' for n, v in changed.items())})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.base import BaseEstimator

        tags = BaseEstimator.__sklearn_tags__(self)
        tags.input_tags.sparse = True
        return tags

    def get_metadata_routing(self) -> Any:
        """No method takes more than X and y."""
        from sklearn.utils.metadata_routing import MetadataRequest

        return MetadataRequest(owner=self)


class Transformer:
    """What scikit-learn expects of what has transform: rows in the container that was asked for."""

    _sklearn_auto_wrap_output_keys = {"transform"}

    def set_output(self: Any, *, transform: str | None = None) -> Any:
        """transform: "default", "pandas" or "polars", what transform and fit_transform return."""
        if transform is not None:
            # scikit-learn clones this attribute.
            self._sklearn_output_config = {"transform": transform}
        return self

    def _contain(self: Any, X: Any, values: Array) -> Any:
        """The values, in the container of set_output or of sklearn.set_config."""
        config = getattr(self, "_sklearn_output_config", {})
        if not config and not sklearn_is_loaded():
            return values
        from sklearn.base import TransformerMixin

        names = self.get_feature_names_out()

        class Output(TransformerMixin):  # type: ignore[misc]
            def transform(self, X: Any) -> Any:
                return values

            def get_feature_names_out(self, input_features: Any = None) -> Any:
                return names

        return Output().set_output(**config).transform(X)


class NotFitted(InputError, AttributeError):
    """predict before fit, where scikit-learn is not in use."""


def check_fitted(estimator: Any) -> None:
    if hasattr(estimator, "_model"):
        return
    sentence = f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' first."
    if sklearn_is_loaded():
        from sklearn.exceptions import NotFittedError

        raise NotFittedError(sentence)
    raise NotFitted(sentence)


def draw_seed(random_state: Any) -> int:
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    if random_state is None:
        random_state = np.random
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if not hasattr(random_state, "randint"):
        raise InputError(
            "random_state must be a whole number, a RandomState, a Generator or None, got "
            f"{random_state!r}"
        )
    return int(random_state.randint(2**31 - 1))


def thread_count(n_jobs: int | None) -> int:
    """All cores for None and -1; -2 is all but one, as in joblib."""
    if n_jobs is None or n_jobs == -1:
        return 0
    count = whole("n_jobs", n_jobs)
    return max(1, (os.cpu_count() or 1) + 1 + count) if count < 0 else count


COLUMNS = ("n_features_in_", "feature_names_in_", "_matches_names")


def take_table_columns(estimator: Any, names: list[str]) -> None:
    """Those of a table in a file. New rows are then matched with it by their names, in any order
    and with warnings, as the program does: whoever has a frame of its rows did not fit a frame."""
    estimator.n_features_in_ = len(names)
    if all(names):
        estimator.feature_names_in_ = np.asarray(names, dtype=object)
    estimator._matches_names = True


def check_columns(estimator: Any, values: Any, data: Dataset, fitting: bool) -> None:
    """n_features_in_ and feature_names_in_, as scikit-learn has them."""
    matrix = matrix_of(values)
    if fitting:
        vars(estimator).pop("_matches_names", None)
    elif getattr(estimator, "_matches_names", False) and column_names(matrix) is not None:
        return
    if sklearn_is_loaded() and not data.raw:
        from sklearn.utils.validation import validate_data

        plain = matrix if hasattr(matrix, "shape") else np.asarray(matrix)
        validate_data(estimator, plain, reset=fitting, skip_check_array=True)
    elif fitting:
        names = None if data.raw else column_names(matrix)
        estimator.n_features_in_ = data.columns if names is None else len(names)
        if names is not None:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
        table = lib.decant_dataset_table(data.pointer) if data.raw else None
        if table:
            take_table_columns(estimator, table_names(table))
    else:
        check_names(estimator, matrix, data)


def check_names(estimator: Any, matrix: Any, data: Dataset) -> None:
    """Are these the columns of fit?"""
    names, known = column_names(matrix), getattr(estimator, "feature_names_in_", None)
    if data.raw:
        return
    if names is not None and known is not None and names != list(known):
        raise InputError(
            "The feature names should match those that were passed during fit, in the same order: "
            f"expected {', '.join(map(str, known[:5]))}{', ...' if len(known) > 5 else ''}"
        )
    found = len(names) if names is not None else data.columns
    if found != estimator.n_features_in_:
        raise InputError(
            f"X has {found} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input"
        )
