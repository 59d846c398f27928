"""The C library: loads it, and calls it so that errors are exceptions and Ctrl-C works."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from typing import Any, Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from . import _header as c
from .errors import DivergedError, Error, FileError, InputError, OutOfMemoryError

EXCEPTIONS: dict[int, type[Error]] = {
    c.DECANT_ENOMEM: OutOfMemoryError,
    c.DECANT_EINVAL: InputError,
    c.DECANT_EIO: FileError,
    c.DECANT_EFORMAT: InputError,
    c.DECANT_EDIVERGED: DivergedError,
}


def _load() -> Any:
    library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libdecant.so"))
    for name, (result, arguments) in c.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _load()


def text(value: bytes | None) -> str:
    return "" if value is None else value.decode("utf-8", "replace")


def check(status: int) -> None:
    if status != c.DECANT_OK:
        raise EXCEPTIONS.get(status, Error)(text(lib.decant_last_error()))


def address(array: np.ndarray[Any, Any]) -> int:
    return int(array.ctypes.data)


def strings(values: Sequence[str]) -> Any:
    """A `const char *const *`; it lives as long as the object that is returned."""
    return (ctypes.c_char_p * len(values))(*[value.encode("utf-8", "replace") for value in values])


class Handle:
    """A pointer that belongs to Python, and the function that frees it, which may take a pointer to
    a struct. Nothing of ctypes is called to free it: at the end of the interpreter it is gone."""

    def __init__(self, pointer: int | None, free: Any, struct: Any = None) -> None:
        self.pointer = pointer
        self._free = free
        self._argument: Any = pointer
        if struct is not None:
            self._argument = ctypes.cast(ctypes.c_void_p(pointer), ctypes.POINTER(struct))

    def __del__(self) -> None:
        if self.pointer is not None:
            self._free(self._argument)
        self.pointer = self._argument = None


class _Memory:
    """Numbers in memory of the C library, for numpy. Keeps their owner alive."""

    def __init__(self, pointer: int, shape: tuple[int, ...], dtype: Any, owner: Handle) -> None:
        self._owner = owner
        self.__array_interface__ = {
            "data": (pointer, False),
            "shape": shape,
            "typestr": np.dtype(dtype).str,
            "version": 3,
        }


def view(
    pointer: int | None, shape: tuple[int, ...], dtype: Any, owner: Handle
) -> np.ndarray[Any, Any] | None:
    if not pointer:
        return None
    if 0 in shape:
        return np.zeros(shape, dtype)
    return np.asarray(_Memory(pointer, shape, dtype, owner))


# ---- options ----------------------------------------------------------------------------------


def whole(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """A whole number; one that C would wrap around or cut off is an error."""
    fits = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not fits or (least is not None and value < least) or (most is not None and value > most):
        wanted = "a whole number" if least is None else f"a whole number from {least} to {most}"
        raise InputError(f"{name} must be {wanted}, got {value!r}")
    return int(value)


def number(name: str, value: Any) -> float:
    if not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"{name} must be a number, got {value!r}")
    return float(value)


def option_text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, range) and value.step == 1 and len(value) > 0:
        return f"{value[0]}..{value[-1]}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(str(one) for one in value)
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def make_options(settings: Sequence[tuple[str, Any]]) -> Any:
    """Options by name, in this order: preset and method first."""
    options = c.decant_options()
    lib.decant_options_init(ctypes.byref(options), ctypes.sizeof(options))
    for name, value in settings:
        check(
            lib.decant_options_set(
                ctypes.byref(options), name.encode(), option_text(value).encode()
            )
        )
    return options


def option_value(options: Any, name: str) -> str:
    buffer = ctypes.create_string_buffer(1024)
    check(lib.decant_options_get(ctypes.byref(options), name.encode(), buffer, len(buffer)))
    return text(buffer.value)


# ---- long calls -------------------------------------------------------------------------------


class Bar:
    """Shows the progress of a call: a tqdm bar for each phase, or a line on stderr."""

    def __init__(self, progress: bool, verbose: int) -> None:
        self._verbose = int(number("verbose", verbose))
        self._phase = ""
        self._bar: Any = None
        self._make: Any = None
        if progress:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self._verbose = max(self._verbose, 1)
            else:
                self._make = tqdm

    @property
    def wanted(self) -> bool:
        return self._make is not None or self._verbose > 0

    def show(self, phase: str, step: int, steps: int, loss: float) -> None:
        if phase != self._phase:
            self.close()
            self._phase = phase
            if self._verbose > 0 and self._make is None:
                print(f"decant: {phase}", file=sys.stderr)
            if self._make is not None:
                self._bar = self._make(total=steps or None, desc=phase, leave=False)
        if self._bar is not None:
            if self._bar.total != (steps or None):
                self._bar.total = steps or None
            self._bar.update(step - self._bar.n)
            if loss == loss:
                self._bar.set_postfix_str(f"loss {loss:.4g}", refresh=False)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


@contextmanager
def _interrupts(stopped: list[BaseException]) -> Iterator[bool]:
    """Collects what the handler of SIGINT raises while C code runs on the main thread: it must not
    be raised inside of a callback, where it would be lost."""
    previous = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(previous):
        yield False
        return

    def handle(number: int, frame: Any) -> None:
        try:
            previous(number, frame)
        except BaseException as error:  # KeyboardInterrupt, or what the program made of it
            stopped.append(error)

    signal.signal(signal.SIGINT, handle)
    try:
        yield True
    finally:
        signal.signal(signal.SIGINT, previous)


def run(function: Any, make: Callable[[Any], tuple[Any, ...]], bar: Bar | None = None) -> None:
    """Calls a function of the library that takes a monitor: function(*make(monitor)). The GIL is
    released while it works."""
    stopped: list[BaseException] = []
    monitor = c.decant_monitor()
    lib.decant_monitor_init(ctypes.byref(monitor), ctypes.sizeof(monitor))

    def report(pointer: Any, user: Any) -> int:
        try:
            if bar is not None and bar.wanted and not stopped:
                now = pointer.contents
                bar.show(text(now.phase), now.step, now.steps, now.loss)
        except BaseException as error:
            stopped.append(error)
        return 1 if stopped else 0

    with _interrupts(stopped) as watched:
        callback = c.decant_progress_fn(report)
        if watched or (bar is not None and bar.wanted):
            monitor.progress = callback
        try:
            status = function(*make(ctypes.byref(monitor)))
            sentence = text(lib.decant_last_error()) if status != c.DECANT_OK else ""
        finally:
            if bar is not None:
                bar.close()
    if stopped:
        raise stopped[0]
    if status != c.DECANT_OK:
        raise EXCEPTIONS.get(status, Error)(sentence)
