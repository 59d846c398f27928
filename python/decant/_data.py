"""From what people have in memory to datasets of the C library, without copies where possible.

Arrays of numbers of any type, order and layout, mapped or not, the columns of frames, and CSR
matrices are borrowed; the library turns them into floats block by block. Documents and pictures go
through files, as the program reads them."""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import warnings
import weakref
from typing import Any, Sequence

import numpy as np

from . import _header as c
from ._library import Bar, Handle, address, check, lib, strings, text
from .errors import FileError, InputError

TYPES = {
    np.dtype(name): getattr(c, f"DECANT_{name.upper()}")
    for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
                 "uint16", "uint32", "uint64", "bool")
}


class Dataset:
    """Rows for the C library, and what they borrow from."""

    def __init__(self, pointer: int, keep: Any, raw: bool = False) -> None:
        self.handle = Handle(pointer, lib.decant_dataset_free)
        self._keep = keep
        self.raw = raw  # made of documents, pictures or files
        self.items: Any = None  # documents, pictures or rows of a frame, for people to look at
        self.rows: int = lib.decant_dataset_rows(pointer)
        self.columns: int = lib.decant_dataset_columns(pointer)

    @property
    def pointer(self) -> int | None:
        return self.handle.pointer

    def warn(self) -> None:
        """What was noted while they were read, as the program prints it."""
        most = 10
        for number in itertools.count():
            note = lib.decant_dataset_note(self.pointer, number)
            if note is None:
                break
            if number < most:
                warnings.warn(text(note), UserWarning, stacklevel=_outside())
        if number > most:
            warnings.warn(f"and {number - most} more notes", UserWarning, stacklevel=_outside())

    def set_ids(self, ids: Sequence[str]) -> None:
        check(lib.decant_dataset_set_ids(self.pointer, strings(ids)))

    def set_column_names(self, names: Sequence[str]) -> None:
        check(lib.decant_dataset_set_column_names(self.pointer, strings(names)))

    def set_labels(self, labels: Any) -> None:
        """Known classes, for scores and reports only."""
        classes, numbers = number_classes(labels, "labels")
        if len(numbers) != self.rows:
            raise InputError(f"{len(numbers)} labels for {self.rows} rows")
        names = [str(name) for name in classes]
        check(lib.decant_dataset_set_labels(self.pointer, address(numbers)))
        check(lib.decant_dataset_set_class_names(self.pointer, strings(names), len(names)))

    def column_name(self, column: int) -> str | None:
        name = lib.decant_dataset_column_name(self.pointer, column)
        return None if name is None else text(name)

    def id(self, row: int) -> str:
        name = lib.decant_dataset_id(self.pointer, row)
        return str(row) if name is None else text(name)


def _outside() -> int:
    """The stack level, for a warning, of the first caller that is not a part of this package."""
    folder, level = os.path.dirname(__file__), 1
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == folder:
        frame, level = frame.f_back, level + 1
    return level


def table_names(table: int) -> list[str]:
    """The columns of a table of the library, used or not; "" for one without a name."""
    count = int(lib.decant_table_columns(table))
    names = [lib.decant_table_name(table, column) for column in range(count)]
    return ["" if name is None else text(name) for name in names]


def _is_missing(one: Any) -> bool:
    """None, NaN, and pandas' NA and NaT."""
    kinds = ("NAType", "NaTType")
    return one is None or type(one).__name__ in kinds or (isinstance(one, float) and one != one)


def number_classes(
    values: Any, name: str
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The different labels in their order, and the number of each row's."""
    array = np.asarray(values)
    if array.ndim != 1:
        raise InputError(f"{name}: expected one label for each row, found shape {array.shape}")
    for row in np.flatnonzero([_is_missing(one) for one in array] if array.dtype.kind == "O" else
                              np.isnan(array) if array.dtype.kind == "f" else []):
        raise InputError(f"{name}: number {row + 1} is missing, which is no class: leave such rows out")
    try:
        classes, numbers = np.unique(array, return_inverse=True)
    except TypeError as error:
        raise InputError(f"{name}: labels of different kinds cannot be compared: {error}") from error
    return classes, np.ascontiguousarray(numbers, dtype=np.int32)


# ---- dense ------------------------------------------------------------------------------------


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) > 2:
        raise InputError(
            f"Expected 2D array, got {len(shape)}D array instead. Reshape your data: "
            "array.reshape(len(array), -1) makes a row of each picture."
        )
    if len(shape) != 2:
        raise InputError(
            f"Expected 2D array, got {len(shape)}D array instead. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it "
            "contains a single sample."
        )
    for size, what in zip(shape, ("sample", "feature")):
        if size == 0:
            raise InputError(
                f"Found array with 0 {what}(s) (shape={shape}) while a minimum of 1 is required."
            )


def _numbers(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array that the C library can read: this one, unless its numbers are objects."""
    if array.dtype.newbyteorder("=") in TYPES:
        return array
    try:
        return array.astype(np.float64)
    except ValueError as error:  # a word
        raise InputError(str(error)) from error


def _describe(array: np.ndarray[Any, Any]) -> Any:
    """Where the library finds the numbers of an array with two dimensions."""
    return c.decant_array(
        x=address(array),
        type=TYPES[array.dtype.newbyteorder("=")],
        swapped=0 if array.dtype.isnative else 1,
        columns=array.shape[1],
        row_step=array.strides[0],
        column_step=array.strides[1],
    )


def _continues(left: Any, right: Any) -> bool:
    """Is the column on the right the next one of the array on the left?"""
    step = left.column_step if left.columns > 1 else right.x - left.x
    return bool(
        (left.type, left.swapped, left.row_step) == (right.type, right.swapped, right.row_step)
        and right.x == left.x + left.columns * step
    )


def _lend(arrays: Sequence[np.ndarray[Any, Any]]) -> Dataset:
    """Arrays side by side. Columns of one matrix are put together again."""
    parts: list[Any] = []
    for array in arrays:
        part = _describe(array)
        if parts and part.columns == 1 and _continues(parts[-1], part):
            if parts[-1].columns == 1:
                parts[-1].column_step = part.x - parts[-1].x
            parts[-1].columns += 1
        else:
            parts.append(part)
    out = ctypes.c_void_p()
    table = (c.decant_array * len(parts))(*parts)
    check(
        lib.decant_dataset_from_arrays(table, len(parts), arrays[0].shape[0], ctypes.byref(out))
    )
    assert out.value is not None
    return Dataset(out.value, list(arrays))


def _from_array(values: Any) -> Dataset:
    # numpy.ma takes a megabyte; where nobody has imported it, nothing is masked.
    if "numpy.ma" in sys.modules and np.ma.is_masked(values):
        raise InputError("X has masked numbers: fill them, or put them into a DataFrame as missing")
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise InputError(str(error)) from error
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported")
    if array.ndim == 0 and array.dtype.kind == "O":
        raise InputError(
            f"Expected 2D array, and X is a {type(values).__name__}: rows of numbers, a DataFrame, "
            "documents, pictures or a path are needed"
        )
    if array.ndim == 1 and any(isinstance(one, (str, bytes)) for one in array):
        raise InputError(_not_all_documents(values))
    _check_shape(array.shape)
    if array.dtype.kind not in "fiubOUS":
        raise InputError(f"numbers are needed, and the type of these is {array.dtype}")
    return _lend([_numbers(array)])


# ---- sparse -----------------------------------------------------------------------------------


def _is_sparse(values: Any) -> bool:
    return hasattr(values, "tocsr") and hasattr(values, "nnz")


def _from_sparse(values: Any) -> Dataset:
    if values.dtype.kind == "c":
        raise InputError("Complex data not supported")
    _check_shape(values.shape)
    by_columns = values.format == "csc"
    matrix = values if by_columns else values.tocsr()
    # scipy reads as far as indptr says, also beyond the end.
    starts = matrix.indptr
    if starts[0] != 0 or starts[-1] > len(matrix.indices) or (starts[1:] < starts[:-1]).any():
        raise InputError("the sparse matrix is damaged: its indptr does not rise from 0 to its end")
    if not matrix.has_canonical_format:
        if matrix is values:
            matrix = matrix.copy()
        matrix.sum_duplicates()
    data = matrix.data if matrix.data.dtype in TYPES else matrix.data.astype(np.float32)
    arrays = [np.ascontiguousarray(one) for one in (matrix.indptr, matrix.indices, data)]
    csr = c.decant_csr(
        rows=matrix.shape[0],
        columns=matrix.shape[1],
        nonzeros=matrix.nnz,
        start=address(arrays[0]),
        column=address(arrays[1]),
        value=address(arrays[2]),
        start_type=TYPES[arrays[0].dtype],
        column_type=TYPES[arrays[1].dtype],
        value_type=TYPES[arrays[2].dtype],
    )
    out = ctypes.c_void_p()
    make = lib.decant_dataset_from_csc if by_columns else lib.decant_dataset_from_csr
    check(make(ctypes.byref(csr), ctypes.byref(out)))
    assert out.value is not None
    return Dataset(out.value, None if by_columns else arrays)


# ---- how tables and files are read ------------------------------------------------------------


def reading_of(options: Any, model: int | None) -> Any:
    """options: those of a fit; model: the pointer of one, whose columns and features they are."""
    reading = c.decant_read_options()
    lib.decant_read_options_init(ctypes.byref(reading), ctypes.sizeof(reading))
    if model is not None:
        check(lib.decant_model_reading(model, ctypes.byref(reading)))
    if options is not None:
        reading.options = ctypes.pointer(options)
    return reading


def _not_all_documents(values: Any) -> str:
    row = next(i for i, one in enumerate(values) if not isinstance(one, str))
    return (
        "Expected 2D array, got 1D array instead: rows of numbers, or documents, which are strings; "
        f"number {row + 1} is {list(values)[row]!r}"
    )


# ---- frames -----------------------------------------------------------------------------------


def _is_frame(values: Any) -> bool:
    return hasattr(values, "to_numpy") and hasattr(values, "columns") and hasattr(values, "dtypes")


def _columns(frame: Any) -> list[Any]:
    """The columns, also those that have the same name."""
    if hasattr(frame, "iter_columns"):  # polars
        return list(frame.iter_columns())
    return [frame.iloc[:, place] for place in range(frame.shape[1])]


def _from_frame(values: Any, options: Any, model: int | None) -> Dataset:
    """Numbers without holes are rows as they are; else the frame is a table, as a CSV file is."""
    _check_shape(values.shape)
    names = [str(name) for name in values.columns]
    columns = [_column(_seconds(column)) for column in _columns(values)]
    has_table = model is not None and bool(lib.decant_model_table(model))
    complete = all(kind == "number" and not gaps for kind, gaps, _ in columns)
    if has_table or (model is None and not complete):
        data = _from_columns(names, columns, options, model)
    else:
        data = _lend([_numbers(_plain(column))[:, None] for _, _, column in columns])
        data.set_column_names(names)
    data.items = _Lines(values)
    index = getattr(values, "index", None)
    if index is not None and getattr(getattr(index, "dtype", None), "kind", None) == "O":
        data.set_ids([str(one) for one in index])
    return data


class _Lines:
    """The rows of a frame as text, for as long as others keep the frame."""

    def __init__(self, frame: Any) -> None:
        self._frame = weakref.ref(frame)

    def __getitem__(self, row: int) -> str | None:
        frame = self._frame()
        if frame is None or row >= len(frame):
            return None
        cells = frame.row(row) if hasattr(frame, "iter_columns") else frame.iloc[row]
        name = str(frame.index[row]) if hasattr(frame, "index") else str(row)
        pairs = (
            f"{column} {cell:.4g}" if isinstance(cell, (float, np.floating)) else f"{column} {cell}"
            for column, cell in zip(frame.columns, cells)
        )
        return f"{name}: {', '.join(pairs)}"


def _plain(column: Any) -> np.ndarray[Any, Any]:
    """The numbers of a column, where they are if they are numpy's; NaN where one is missing."""
    array: np.ndarray[Any, Any] = column.to_numpy()
    if array.dtype.kind not in "fiub":
        if hasattr(column, "isna"):
            return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
        return np.asarray(column.cast(float).to_numpy())
    return array


def _seconds(column: Any) -> Any:
    """Durations as numbers of seconds, missing ones as NaN; other columns as they are."""
    if getattr(column.dtype, "kind", None) == "m":
        return column.dt.total_seconds()
    if str(column.dtype).startswith("Duration"):  # polars
        return column.dt.total_microseconds() / 1e6
    return column


def _column(column: Any) -> tuple[str, bool, Any]:
    """number, date, category or string; whether cells are missing; and the column."""
    kind = getattr(column.dtype, "kind", None)
    if kind is None:  # polars
        kind = "f" if column.dtype.is_numeric() or str(column.dtype) == "Boolean" else "O"
        if column.dtype.is_temporal():
            kind = "M"
    if kind == "c":
        raise InputError("Complex data not supported")
    gaps = bool((column.is_null() if hasattr(column, "is_null") else column.isna()).any())
    if hasattr(column, "cat") and hasattr(column.cat, "codes"):
        return "category", gaps, column
    if kind in "fiub":
        if kind == "f" and not gaps:
            gaps = bool(np.isnan(_plain(column)).any())
        return "number", gaps, column
    if kind == "O" and hasattr(column, "isna") and all(
        isinstance(one, (int, float, np.number)) for one in column
    ):
        return "number", gaps, column
    return ("date" if kind == "M" else "string"), gaps, column


def _cells(column: Any) -> list[bytes | None]:
    missing = column.is_null() if hasattr(column, "is_null") else column.isna()
    return [
        None if gone else str(one).encode("utf-8", "replace")
        for one, gone in zip(column.to_list(), missing.to_list())
    ]


def _from_columns(
    names: list[str], columns: list[tuple[str, bool, Any]], options: Any, model: int | None
) -> Dataset:
    reading = reading_of(options, model)
    dates = [f"{name}=date" for name, (kind, _, _) in zip(names, columns) if kind == "date"]
    if dates and model is None:
        reading.types = ",".join(dates).encode()
    rows = len(columns[0][2]) if columns else 0
    keep: list[Any] = []
    table = (c.decant_column * len(columns))()
    for place, name, (kind, _, column) in zip(table, names, columns):
        place.struct_size, place.name = ctypes.sizeof(place), name.encode("utf-8", "replace")
        if kind == "number":
            array = _numbers(_plain(column))[:, None]
            part = _describe(array)
            place.array = ctypes.pointer(part)
            keep += [array, part]
        elif kind == "category":
            codes = np.ascontiguousarray(column.cat.codes, dtype=np.int32)
            words = strings([str(one) for one in column.cat.categories])
            place.codes, place.category_count = address(codes), len(words)
            place.categories = ctypes.addressof(words)
            keep += [codes, words]
        else:
            cells = (ctypes.c_char_p * rows)(*_cells(column))
            place.strings = ctypes.addressof(cells)
            keep.append(cells)
    out = ctypes.c_void_p()
    check(
        lib.decant_dataset_from_columns(
            table, len(columns), rows, ctypes.byref(reading), ctypes.byref(out)
        )
    )
    assert out.value is not None
    return Dataset(out.value, None)


# ---- files, documents, pictures: _files.py does the work -----------------------------------------


def _all_are(values: Any, kind: Any) -> bool:
    return len(values) > 0 and all(isinstance(one, kind) for one in values)


def _is_picture(value: Any) -> bool:
    return hasattr(value, "convert") and hasattr(value, "mode") and hasattr(value, "size")


def _check_pictures(values: Any) -> None:
    if _is_picture(values):
        raise InputError("one picture: a list of them is needed, [picture]")
    if isinstance(values, (list, tuple)) and any(_is_picture(one) for one in values):
        for number, one in enumerate(values):
            if not _is_picture(one):
                raise InputError(f"a list of pictures, but number {number + 1} is a {type(one).__name__}")


# ---- all --------------------------------------------------------------------------------------


def is_raw(values: Any) -> bool:
    """Documents, pictures, paths: what scikit-learn's checks of arrays are not for."""
    if isinstance(values, (str, os.PathLike)):
        return True
    if isinstance(values, np.ndarray) or type(values).__name__ == "Series":
        return len(values.shape) == 1 and _all_are(list(values), str)
    if isinstance(values, (list, tuple)):
        return (
            _all_are(values, str)
            or _all_are(values, os.PathLike)
            or (len(values) > 0 and all(_is_picture(one) for one in values))
        )
    return False


def matrix_of(values: Any) -> Any:
    """The matrix of what carries one: AnnData, tensors. Others as they are."""
    if hasattr(values, "obs_names") and hasattr(values, "var_names"):
        return values.X
    if hasattr(values, "collect_schema") and hasattr(values, "collect"):
        raise InputError("a LazyFrame has no rows yet: call its collect method")
    if hasattr(values, "detach") and hasattr(values, "cpu"):
        try:
            return values.detach().numpy()
        except (TypeError, RuntimeError) as error:  # on a GPU, sparse, of 16 bits in Google's format
            sentence = str(error).rstrip(".")
            raise InputError(f"{sentence}: X.to_dense().float().cpu() can be read") from error
    return values


def column_names(values: Any) -> list[str] | None:
    """The names of a frame's columns, if all of them are strings; as in scikit-learn."""
    if not _is_frame(values):
        return None
    names = list(values.columns)
    return names if names and all(isinstance(name, str) for name in names) else None


def make_dataset(
    values: Any, options: Any = None, model: int | None = None, bar: Bar | None = None
) -> Dataset:
    """options: for raw files, those of the fit; model: the pointer of one, for new rows."""
    if isinstance(values, (str, os.PathLike)):
        from ._files import read

        try:
            return read([os.fspath(values)], options, model, None, bar, None)
        except FileError as error:
            hint = "; documents are given as a list, [document]" if isinstance(values, str) else ""
            raise FileError(f"{error}{hint}") from None
    _check_pictures(values)
    if is_raw(values):
        from ._files import from_documents, from_pictures, read

        values = list(values)
        if isinstance(values[0], str):
            if model is None and all(os.path.isfile(one) for one in values):
                raise InputError(
                    "all of these strings are names of files: to read the files, pass pathlib.Path "
                    "objects, [Path(name) for name in X]"
                )
            return from_documents(values, options, model, bar)
        if isinstance(values[0], os.PathLike):
            return read([os.fspath(one) for one in values], options, model, None, bar, None)
        return from_pictures(values, options, model, bar)
    matrix = matrix_of(values)
    if hasattr(matrix, "to_memory"):  # a sparse matrix of an AnnData that is in its file
        matrix = matrix.to_memory()
    if _is_sparse(matrix):
        data = _from_sparse(matrix)
    elif _is_frame(matrix):
        data = _from_frame(matrix, options, model)
    else:
        data = _from_array(matrix)
    if matrix is not values and hasattr(values, "var_names"):
        data.set_ids([str(one) for one in values.obs_names])
        data.set_column_names([str(one) for one in values.var_names])
    return data
