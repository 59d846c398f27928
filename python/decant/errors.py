"""What can go wrong. The text of every exception is the sentence of the C library."""

from __future__ import annotations

__all__ = ["DivergedError", "Error", "FileError", "InputError", "OutOfMemoryError"]


class Error(Exception):
    """Any failure of decant."""


class InputError(Error, ValueError):
    """Data, a file or an option that makes no sense."""


class FileError(Error, OSError):
    """The system refused to read or write."""


class OutOfMemoryError(Error, MemoryError):
    """Memory ran out."""


class DivergedError(Error, ArithmeticError):
    """Training diverged again and again."""
