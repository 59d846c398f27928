"""Files, documents and pictures: read as the program reads them. Imported when there are some."""

from __future__ import annotations

import csv
import ctypes
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Sequence

from ._data import Dataset, reading_of
from ._library import Bar, lib, run, strings
from .errors import InputError


def read(
    paths: Sequence[str], options: Any, model: Any, keep: Any, bar: Bar | None, column: str | None
) -> Dataset:
    reading = reading_of(options, model)
    if column is not None:
        reading.text_column = column.encode()
    names, out = strings(paths), ctypes.c_void_p()
    run(
        lib.decant_dataset_read,
        lambda monitor: (names, len(paths), ctypes.byref(reading), monitor, ctypes.byref(out)),
        bar,
    )
    assert out.value is not None
    return Dataset(out.value, keep, raw=True)


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked worker has no right to it
        shutil.rmtree(path, ignore_errors=True)


class _Folder:
    """A folder that is removed when nobody refers to it."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="decant-"))
        weakref.finalize(self, _remove, self.path, os.getpid())

    def read(self, path: str, name: str, options: Any, model: Any, bar: Bar | None,
             column: str | None) -> Dataset:
        """What was written here; in sentences it has a name, as its path tells nobody anything."""
        try:
            return read([path], options, model, self, bar, column)
        except InputError as error:
            raise InputError(str(error).replace(path, name)) from error


def from_documents(
    documents: Sequence[str], options: Any, model: Any, bar: Bar | None
) -> Dataset:
    folder = _Folder()
    path = str(folder.path / "documents.csv")
    with open(path, "w", encoding="utf-8", errors="replace", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["text"])
        writer.writerows([document.replace("\0", " ")] for document in documents)
    data = folder.read(path, "the list of documents", options, model, bar, "text")
    data.items = documents
    return data


def from_pictures(pictures: Sequence[Any], options: Any, model: Any, bar: Bar | None) -> Dataset:
    folder = _Folder()
    for number, picture in enumerate(pictures):
        _as_png(picture, number).save(folder.path / f"{number:09d}.png", compress_level=1)
    data = folder.read(str(folder.path), "the list of pictures", options, model, bar, None)
    data.items = pictures
    return data


def _as_png(picture: Any, number: int) -> Any:
    """A picture that a PNG file holds without a loss, so that it is read as its file would be."""
    if picture.mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
        return picture
    if picture.mode in ("F", "I"):
        lowest, highest = picture.getextrema()
        if picture.mode == "F" or lowest < 0 or highest > 65535:
            raise InputError(
                f"picture {number + 1} has the mode {picture.mode}, whose numbers have no known range: "
                "make rows of numbers of them, np.stack([np.ravel(one) for one in X])"
            )
        return picture.convert("I;16")
    return picture.convert("RGB")
