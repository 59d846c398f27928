"""What people look at: the report in a notebook, an overview of the clusters, two plots."""

from __future__ import annotations

import base64
import ctypes
import html
import io
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from . import _header as c
from ._library import check, lib, run
from .errors import FileError, InputError


class Report:
    """The report of a fit: one HTML page that needs no network."""

    def __init__(self, fit: Any, labels: Any = None, title: str = "run") -> None:
        if labels is not None:
            fit.data.set_labels(labels)
        with tempfile.TemporaryDirectory(prefix="decant-") as scratch:
            folder = str(Path(scratch) / title)  # the page's title, where no file has a name
            check(
                lib.decant_run_write(
                    os.fsencode(folder), fit.data.pointer, ctypes.byref(fit.options),
                    ctypes.byref(fit.result), None,
                )
            )
            options = c.decant_report_options()
            lib.decant_report_options_init(ctypes.byref(options), ctypes.sizeof(options))
            options.threads = fit.options.threads
            try:
                run(
                    lib.decant_report_write,
                    lambda monitor: (
                        os.fsencode(folder), fit.data.pointer, ctypes.byref(options), monitor,
                    ),
                )
            except InputError as error:  # they were good when they were fitted
                raise InputError(
                    "the rows have changed since the fit, and the report shows them: fit again"
                ) from error
            self.html = Path(folder, "report.html").read_text(encoding="utf-8")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        write_bytes(path, self.html.encode())

    def _repr_html_(self) -> str:
        page = base64.b64encode(self.html.encode()).decode()
        return (
            f'<iframe src="data:text/html;charset=utf-8;base64,{page}" width="100%" height="800" '
            'style="border:0" title="decant report"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<decant report of {len(self.html) / 1e6:.1f} MB: .save(path), or show it in a notebook>"


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: cannot be written: {error.strerror}") from error


TYPICAL = 5  # items of each cluster
WORDS = 60  # characters of a document


def _item(data: Any, row: int) -> str:
    """A row as people know it: its picture, the beginning of its text, its name, its number."""
    name = html.escape(data.id(row))
    item = None if data.items is None else data.items[row]
    if isinstance(item, str):
        line = " ".join(item.split())
        return html.escape(line if len(line) <= WORDS else line[: WORDS - 1] + "…") + "<br>"
    if item is not None:
        small = item.convert("RGB")
        small.thumbnail((48, 48))
        file = io.BytesIO()
        small.save(file, "PNG")
        code = base64.b64encode(file.getvalue()).decode()
        return f'<img src="data:image/png;base64,{code}" alt="{row}" title="{row}" height="40"> '
    return f"{name}, "


def overview(estimator: Any) -> str:
    """A table of the clusters: sizes, confidence, and the rows that are most typical."""
    head = f"<pre>{html.escape(repr(estimator))}</pre>"
    if not hasattr(estimator, "labels_"):
        return head
    labels, confidence = estimator.labels_, estimator.confidence_
    fit = getattr(estimator, "_fit", None)
    rows = []
    for cluster in range(len(estimator.cluster_centers_)):
        members = np.flatnonzero(labels == cluster)
        order = members[np.argsort(-confidence[members], kind="stable")][:TYPICAL].tolist()
        items = [_item(fit.data, row) if fit is not None else f"{row}, " for row in order]
        mean = f"{confidence[members].mean():.3f}" if len(members) else ""
        rows.append(
            f"<tr><td>{cluster}</td><td>{len(members)}</td>"
            f"<td>{100 * len(members) / len(labels):.1f}%</td><td>{mean}</td>"
            f'<td style="text-align: left">{"".join(items).rstrip(", ")}</td></tr>'
        )
    return (
        f"{head}<table><thead><tr><th>cluster</th><th>size</th><th>share</th><th>mean confidence</th>"
        '<th style="text-align: left">most typical</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as pyplot

    return pyplot.gca()


def plot_map(estimator: Any, ax: Any, labels: Any) -> Any:
    from ._tsne import TSNE

    fit = estimator._last_fit()
    values = estimator.embedding_ if estimator.embedding_ is not None else fit.data
    points = TSNE(n_jobs=estimator.n_jobs).fit_transform(values)
    colours = estimator.labels_ if labels is None else np.asarray(labels)
    axes = _axes(ax)
    groups = np.unique(colours)
    for number, one in enumerate(groups):
        chosen = colours == one
        # Ten colours of their own, or twenty.
        shade = f"C{number}" if len(groups) <= 10 else _twenty(number)
        axes.scatter(points[chosen, 0], points[chosen, 1], s=4, color=shade, label=str(one))
    axes.set_xticks([])
    axes.set_yticks([])
    axes.legend(markerscale=3, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
    return axes


def _twenty(number: int) -> Any:
    import matplotlib

    return matplotlib.colormaps["tab20"](number % 20)


def plot_history(estimator: Any, ax: Any) -> Any:
    history = estimator.history_
    if len(history) == 0:
        raise InputError(f"{estimator!r} trains nothing, so it has no history")
    axes = _axes(ax)
    done = 0
    for phase in dict.fromkeys(history["phase"].tolist()):
        chosen = history[history["phase"] == phase]
        steps = done + chosen["step"].astype(np.int64)
        axes.plot(steps, chosen["loss"], marker=".", label=f"loss, {phase}")
        done = int(steps[-1])
    axes.set_xlabel("iteration")
    axes.set_ylabel("loss")
    changed = history[~np.isnan(history["changed"])]
    if len(changed):
        right = axes.twinx()
        steps = done - int(changed["step"][-1]) + changed["step"].astype(np.int64)
        right.plot(steps, changed["changed"], "--", color="grey")
        right.set_ylabel("share of labels that changed (dashed)")
    axes.legend(fontsize="small")
    return axes


def selection_svg(selection: int, data: Any) -> str:
    out = ctypes.c_void_p()
    check(lib.decant_selection_svg(ctypes.cast(selection, ctypes.POINTER(c.decant_selection)),
                                   data.pointer, ctypes.byref(out)))
    assert out.value is not None
    try:
        return ctypes.string_at(out.value).decode()
    finally:
        lib.decant_text_free(ctypes.cast(out, ctypes.c_char_p))


