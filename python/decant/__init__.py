"""Deep embedded clustering (DEC): a feature space and a clustering, learned together.

    import decant
    model = decant.DEC(n_clusters=10).fit(X)
    model.labels_, model.confidence_, model.embedding_
    model.predict(new_rows)
    model.report()                  # a page with a map, shown in a notebook
    model.save("model.safetensors") # the same file as the program's

The work is done by the C library libdecant, which is a part of this package, and so is the program
`decant`. Names are loaded when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import metrics as metrics
    from . import tl as tl
    from ._base import load as load
    from ._estimators import DEC as DEC
    from ._estimators import LDMGI as LDMGI
    from ._estimators import SEC as SEC
    from ._estimators import GaussianMixture as GaussianMixture
    from ._estimators import KMeans as KMeans
    from ._estimators import SpectralClustering as SpectralClustering
    from ._select import Selection as Selection
    from ._select import select_k as select_k
    from ._tsne import TSNE as TSNE
    from .errors import DivergedError as DivergedError
    from .errors import Error as Error
    from .errors import FileError as FileError
    from .errors import InputError as InputError
    from .errors import OutOfMemoryError as OutOfMemoryError

    __version__: str

_PLACES = {
    "DEC": "_estimators",
    "GaussianMixture": "_estimators",
    "KMeans": "_estimators",
    "LDMGI": "_estimators",
    "SEC": "_estimators",
    "SpectralClustering": "_estimators",
    "TSNE": "_tsne",
    "Selection": "_select",
    "select_k": "_select",
    "load": "_base",
    "DivergedError": "errors",
    "Error": "errors",
    "FileError": "errors",
    "InputError": "errors",
    "OutOfMemoryError": "errors",
}

__all__ = [*sorted(_PLACES), "metrics", "tl"]


def __getattr__(name: str) -> Any:
    if name in ("metrics", "tl", "errors"):
        return import_module(f"decant.{name}")
    if name == "__version__":
        from ._library import lib, text

        return text(lib.decant_version())
    if name not in _PLACES:
        raise AttributeError(f"module 'decant' has no attribute {name!r}")
    value = getattr(import_module(f"decant.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
