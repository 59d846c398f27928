"""Tools for single cells, in scverse's conventions."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["dec"]


def dec(
    adata: Any,
    n_clusters: int | str = 8,
    *,
    use_rep: str | None = None,
    key_added: str = "decant",
    copy: bool = False,
    **options: Any,
) -> Any:
    """Clusters the cells of an AnnData by DEC.

    use_rep: None or "X" for adata.X, else a key of adata.obsm. Writes adata.obs[key_added] (the
    cluster, categorical), adata.obs[key_added + "_confidence"], adata.obsm["X_" + key_added] (the
    feature space) and adata.uns[key_added] (the parameters). options: keywords of decant.DEC.
    Returns None, or with copy=True a changed copy."""
    import pandas

    from ._estimators import DEC

    adata = adata.copy() if copy else adata
    values = adata.X if use_rep in (None, "X") else adata.obsm[use_rep]
    model = DEC(n_clusters, **options).fit(values)
    names = [str(cluster) for cluster in range(len(model.cluster_centers_))]
    adata.obs[key_added] = pandas.Categorical.from_codes(
        model.labels_.astype(np.int64), categories=names
    )
    adata.obs[f"{key_added}_confidence"] = np.array(model.confidence_)
    if model.embedding_ is not None:
        adata.obsm[f"X_{key_added}"] = np.array(model.embedding_)
    params = {name: value for name, value in model.get_params().items() if value is not None}
    adata.uns[key_added] = {
        "params": {**params, "use_rep": use_rep or "X"},
        "n_iter": model.n_iter_,
        "converged": model.converged_,
    }
    return adata if copy else None
