#!/usr/bin/env python3
"""DEC of decant and of ClustPy on the same rows: accuracy, processor seconds, peak of memory, over seeds.

    pip install clustpy torch
    bench/python_clustpy.py ROWS.npy LABELS.npy [--seeds 1,2,3] [--only decant|clustpy] [--threads 1]

Both with their defaults, and the number of classes. Each fit is a process of its own; its seconds are those of the
clock for the fit alone, and of the processor for the whole process; its peak is the kernel's (ru_maxrss), imports
included, and beside it is what the imports alone had taken. The rows are divided by their largest value for ClustPy,
which does not scale; decant scales by itself. The lines below are what a user writes for each."""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

import decant

CLUSTPY = """
from clustpy.deep import DEC

found = DEC(n_clusters=k, random_state=seed).fit(rows / rows.max()).labels_
"""
DECANT = """
from decant import DEC

found = DEC(n_clusters=k, random_state=seed, n_jobs=threads).fit(rows).labels_
"""
FIT = """
import resource
import sys
import time
import numpy as np
threads, seed, k = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
{imports}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
rows = np.load(sys.argv[4])
start = time.monotonic()
{call}
print("took", time.monotonic() - start, before)
np.save(sys.argv[5], found)
"""


def fit(lines, threads, seed, path, labels):
    """ACC, seconds by the clock and of the processor, peak in MiB, and what imports took of it."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    imports, call = lines.strip().split("\n\n")
    with tempfile.TemporaryDirectory() as folder:
        found = f"{folder}/found.npy"
        process = subprocess.Popen(
            [sys.executable, "-c", FIT.format(imports=imports, call=call), str(threads), seed,
             str(len(np.unique(labels))), path, found],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        output = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit("a fit failed")
        accuracy = decant.metrics.accuracy(labels, np.load(found))
    took, before = next(line for line in output.splitlines() if line.startswith("took ")).split()[1:]
    return accuracy, float(took), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, float(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows")
    parser.add_argument("labels")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--only", choices=["decant", "clustpy"])
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    labels = np.load(options.labels)
    for seed in options.seeds.split(","):
        for name, lines in (("decant", DECANT), ("clustpy", CLUSTPY)):
            if options.only in (None, name):
                accuracy, took, used, peak, before = fit(lines, options.threads, seed, options.rows, labels)
                print(f"{name:8} seed {seed}  ACC {accuracy:.4f}  {took:7.1f} s  {used:7.1f} s of the processor  "
                      f"peak {peak:6.0f} MiB, imports {before:4.0f}", flush=True)


main()
