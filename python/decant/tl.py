"""Tools for single cells, in scverse's conventions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._library import option_text
from .errors import InputError

__all__ = ["dec"]


def dec(
    adata: Any,
    n_clusters: int | str | range = 8,
    *,
    layer: str | None = None,
    use_rep: str | None = None,
    key_added: str = "decant",
    copy: bool = False,
    **options: Any,
) -> Any:
    """Clusters the cells of an AnnData by DEC.

    use_rep: None or "X" for adata.X, else a key of adata.obsm; layer: a key of adata.layers, instead
    of adata.X. Raw counts in a sparse matrix are recognised; for those in a dense one, say
    scaling="counts". Writes adata.obs[key_added] (the
    cluster, categorical), adata.obs[key_added + "_confidence"], adata.obsm["X_" + key_added] (the
    feature space) and adata.uns[key_added] (the parameters). options: keywords of decant.DEC.
    Returns None, or with copy=True a changed copy."""
    import pandas

    from ._estimators import DEC

    adata = adata.copy() if copy else adata
    values = _values(adata, layer, use_rep)
    model = DEC(n_clusters, **options).fit(values)
    names = [str(cluster) for cluster in range(len(model.cluster_centers_))]
    adata.obs[key_added] = pandas.Categorical.from_codes(
        model.labels_.astype(np.int64), categories=names
    )
    adata.obs[f"{key_added}_confidence"] = np.array(model.confidence_)
    if model.embedding_ is not None:
        adata.obsm[f"X_{key_added}"] = np.array(model.embedding_)
    adata.uns[key_added] = {
        "params": {**_params(model), "use_rep": use_rep or "X", **({"layer": layer} if layer else {})},
        "n_iter": model.n_iter_,
        "converged": model.converged_,
    }
    return adata if copy else None


def _values(adata: Any, layer: str | None, use_rep: str | None) -> Any:
    """The matrix that is clustered."""
    if not hasattr(adata, "obsm"):
        raise InputError(f"an AnnData is needed, and this is a {type(adata).__name__}")
    if layer is not None and use_rep is not None:
        raise InputError("layer and use_rep exclude each other")
    if layer is None and use_rep in (None, "X"):
        if adata.X is None:
            raise InputError("adata.X is None: name a layer or use_rep")
        return adata.X
    place, key, name = (
        (adata.layers, layer, "layers") if layer is not None else (adata.obsm, use_rep, "obsm")
    )
    if key not in place:
        raise InputError(f"{key!r} is not in adata.{name}, which has: {', '.join(place) or 'nothing'}")
    return place[key]


def _params(model: Any) -> dict[str, Any]:
    """The parameters that are set, as numbers and texts: what a .h5ad file can hold."""
    return {
        name: value if isinstance(value, (bool, int, float, str)) else option_text(value)
        for name, value in model.get_params().items()
        if value is not None
    }
