#!/usr/bin/env python3
"""A table of 1 000 000 rows and 31 mixed columns: the time and memory that decant and pandas take to read it.

    pip install pandas
    bench/read_table.py --decant build/release/bin/decant --out /tmp/million.csv --rounds 3

Makes the table if it is not there, and reads it by each in turn, decant with one thread.
"""
import argparse
import os
import subprocess
import sys
import time


def make(path, n=1_000_000):
    import numpy as np
    import pandas as pd
    rng = np.random.default_rng(1)
    columns = {"id": [f"c{i:07d}" for i in range(n)]}
    for j in range(14):
        columns[f"num{j}"] = np.round(rng.normal(50, 10, n), 3)
    for j in range(4):
        columns[f"int{j}"] = rng.integers(0, 1000, n)
    for j in range(6):
        columns[f"cat{j}"] = rng.choice([f"value {v}" for v in range(4 + 3 * j)], n)
    for j in range(2):
        columns[f"flag{j}"] = rng.choice(["yes", "no"], n)
    for j in range(2):
        columns[f"day{j}"] = (np.datetime64("2015-01-01") + rng.integers(0, 3000, n)).astype(str)
    age = np.round(rng.normal(40, 9, n), 1).astype(object)
    age[rng.random(n) < 0.07] = ""
    columns["age"] = age
    pd.DataFrame(columns).to_csv(path, index=False)


def measure(name, command):
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - began
    assert status == 0, command
    print(f"| {name} | {used.ru_utime:.1f} + {used.ru_stime:.1f} | {wall:.1f} s | {used.ru_maxrss / 1000:.0f} MB |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decant", default="decant")
    parser.add_argument("--out", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if not os.path.exists(given.out):
        make(given.out)
    print("| | CPU seconds, user + system | wall | peak memory |\n| --- | --- | --- | --- |")
    for _ in range(given.rounds):
        measure("decant", [given.decant, "info", given.out, "--threads", "1"])
        measure("pandas", [sys.executable, "-c", f"import pandas; pandas.read_csv({given.out!r})"])


if __name__ == "__main__":
    main()
