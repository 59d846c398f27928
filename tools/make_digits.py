#!/usr/bin/env python3
"""Makes examples/digits/digits.npy and digits-labels.npy from scikit-learn's digits.csv.gz.

    tools/make_digits.py DIGITS_CSV_GZ [FOLDER]

The source file comes with every scikit-learn (sklearn/datasets/data/digits.csv.gz; in Debian's
package python3-sklearn: `dpkg -L python3-sklearn | grep digits.csv`). Only the standard library is
used. What the data is and whose: examples/digits/ATTRIBUTION.md.
"""
import csv
import gzip
import pathlib
import sys

ROWS, COLUMNS, LARGEST = 1797, 64, 16


def npy(shape, payload):
    """The bytes of a version 1.0 .npy file of uint8 in C order."""
    header = "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }" % (shape,)
    room = 10 + len(header) + 1  # magic, version, length, header, newline: a multiple of 64
    header += " " * (-room % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + payload


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else "examples/digits")
    with gzip.open(sys.argv[1], "rt", newline="") as file:
        rows = [[int(float(cell)) for cell in row] for row in csv.reader(file)]
    pixels = bytes(value for row in rows for value in row[:-1])
    labels = bytes(row[-1] for row in rows)
    assert len(labels) == ROWS and len(pixels) == ROWS * COLUMNS
    assert max(pixels) == LARGEST and set(labels) == set(range(10))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "digits.npy").write_bytes(npy((ROWS, COLUMNS), pixels))
    (folder / "digits-labels.npy").write_bytes(npy((ROWS,), labels))


if __name__ == "__main__":
    main()
