#!/usr/bin/env python3
"""DEC of decant and of ClustPy on the same rows: accuracy, processor seconds, peak of memory, over seeds.

    pip install clustpy torch
    bench/python_clustpy.py ROWS.npy LABELS.npy [--seeds 3] [--only decant|clustpy] [--threads 1]

Both with their defaults, and the number of classes. Each fit is a process of its own; its peak is the kernel's
(ru_maxrss), imports included. The rows are divided by their largest value for ClustPy, which does not scale; decant
scales by itself. The lines below are what a user writes for each."""
import argparse
import os
import subprocess
import sys

CLUSTPY = """
from clustpy.deep import DEC
found = DEC(n_clusters=k, random_state=seed).fit(rows / rows.max()).labels_
"""
DECANT = """
from decant import DEC
found = DEC(n_clusters=k, random_state=seed, n_jobs=threads).fit(rows).labels_
"""
FIT = """
import sys
import numpy as np
threads, seed = int(sys.argv[1]), int(sys.argv[2])
rows, labels = np.load(sys.argv[3]), np.load(sys.argv[4])
rows = np.asarray(rows, dtype=np.float32)
k = len(np.unique(labels))
{lines}
import decant
print("ACC", decant.metrics.accuracy(labels, found))
"""


def fit(lines, threads, seed, paths):
    """ACC, processor seconds and peak in MiB."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    process = subprocess.Popen([sys.executable, "-c", FIT.format(lines=lines), str(threads), str(seed), *paths],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    output = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("a fit failed")
    accuracy = float(next(line for line in output.splitlines() if line.startswith("ACC ")).split()[1])
    return accuracy, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows")
    parser.add_argument("labels")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", choices=["decant", "clustpy"])
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    for name, lines in (("decant", DECANT), ("clustpy", CLUSTPY)):
        if options.only in (None, name):
            for seed in range(1, options.seeds + 1):
                accuracy, seconds, peak = fit(lines, options.threads, seed, [options.rows, options.labels])
                print(f"{name:8} seed {seed}  ACC {accuracy:.4f}  {seconds:7.1f} s  {peak:6.0f} MiB  "
                      f"{len(lines.strip().splitlines())} lines", flush=True)


main()
