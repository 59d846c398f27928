"""Rows are not copied: the peak of memory while numbers of every type and layout are fitted."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import decant

if not Path("/proc/self/clear_refs").exists():
    pytest.skip("needs Linux's /proc", allow_module_level=True)

START = """
import sys
from pathlib import Path
import numpy as np
import decant

def high_water():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1000

def growth(values):
    "MB by which a fit raises the peak."
    Path("/proc/self/clear_refs").write_text("5")
    before = high_water()
    decant.KMeans(2, n_jobs=1, restarts=1, kmeans_iterations=2, scaling="none").fit(values)
    return high_water() - before

x = np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32)
growth(x)
rows, columns = 50_000, 256  # 51 MB as float32
numbers = np.random.default_rng(0).integers(0, 100, rows * columns, dtype=np.int8)
numbers = numbers.reshape(rows, columns)
"""
DENSE = """
for name, make in {
    "float32": lambda: numbers.astype(np.float32),
    "float64": lambda: numbers.astype(np.float64),
    "by columns": lambda: np.asfortranarray(numbers, dtype=np.float64),
    "int8": lambda: numbers,
    "int64": lambda: numbers.astype(np.int64),
    "bool": lambda: numbers > 50,
    "every other column": lambda: np.repeat(numbers.astype(np.float32), 2, axis=1)[:, ::2],
    "backwards": lambda: numbers.astype(np.float32)[::-1, ::-1],
    "big-endian": lambda: numbers.astype(">f4"),
}.items():
    values = make()
    print(f"{name}: {growth(values):.1f}")
"""
FRAME = """
import pandas
half = columns // 2
left = pandas.DataFrame(numbers[:, :half].astype(np.float64))
right = pandas.DataFrame(numbers[:, half:])
frame = pandas.concat([left, right], axis=1, ignore_index=True)
del left, right
growth(frame.iloc[:50])
print(f"frame: {growth(frame):.1f}")
"""
CSC = """
import scipy.sparse
matrix = scipy.sparse.csc_matrix(numbers * (numbers > 40), dtype=np.float64)
growth(matrix[:50])
print(f"csc: {(growth(matrix) - 8e-6 * matrix.nnz):.1f}")
"""


@pytest.mark.parametrize("code", [DENSE, FRAME, CSC], ids=["dense", "frame", "csc"])
def test_no_second_array(code):
    if code is not DENSE:
        pytest.importorskip("pandas" if code is FRAME else "scipy")
    run = subprocess.run([sys.executable, "-c", START + code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    print(run.stdout)
    found = dict(line.split(": ") for line in run.stdout.splitlines())
    assert len(found) == (9 if code is DENSE else 1)
    for name, megabytes in found.items():
        assert float(megabytes) < 30, run.stdout  # a copy as float32 takes 51


# A process inherits the peak of the one that started it: this one is small.
MEASURE = """
import os, sys
_, status, used = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
assert status == 0
print(used.ru_maxrss * 1024 / 1e6)
"""


def peak(*command):
    """MB that a process had at most."""
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, *command], capture_output=True, text=True, check=True
    )
    return float(run.stdout.split()[-1])


FIT = """
import sys
import numpy as np
import decant
model = decant.DEC(4, layers=(16, 4), finetune_iterations=20, max_iterations=20, n_jobs=1)
model.fit(np.load(sys.argv[1], mmap_mode="r")).save(sys.argv[2])
assert not {"numpy.ma", "pathlib", "tempfile"} & set(sys.modules), "nobody needed it"
"""


def test_little_more_than_the_program(tmp_path):
    """The interpreter and numpy take about 25 MB, of which the program has some itself."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(20000, 64)) + 3 * rng.integers(0, 4, (20000, 1))
    np.save(tmp_path / "x.npy", rows.astype(np.float32))
    program = str(Path(decant.__file__).parent / "bin" / "decant")
    ours = peak(sys.executable, "-c", FIT, tmp_path / "x.npy", tmp_path / "m.safetensors")
    theirs = peak(
        program, "fit", tmp_path / "x.npy", "-k", "4", "--layers", "16,4", "--finetune-iterations", "20",
        "--max-iterations", "20", "--threads", "1", "-q", "--no-report", "-o", tmp_path / "run",
    )
    saved = [tmp_path / "m.safetensors", tmp_path / "run" / "model.safetensors"]
    assert saved[0].read_bytes() == saved[1].read_bytes()
    print(ours, theirs)
    assert ours - theirs < 26  # a copy of the rows takes 5
