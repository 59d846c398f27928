#!/usr/bin/env python3
"""Clusters of a Dask DataFrame that nobody has in memory: each worker predicts its partitions.

    pip install "dask[dataframe,distributed]"
    bench/python_dask.py [--rows 10000000] [--partitions 100] [--workers 2]

The model is fitted on one partition and goes to the workers as the bytes of its file; each of them predicts by one
thread. Prints seconds, rows a second, the largest peak of a worker, and whether the first partition got the same labels
as here."""
import argparse
import resource
import time

import dask.dataframe
import numpy as np
import pandas
from distributed import Client, LocalCluster

import decant

COLUMNS = [f"c{i}" for i in range(16)]


def partition(number, rows):
    """Rows around ten centres; the same ones whenever it is asked for."""
    rng = np.random.default_rng(number)
    centres = np.random.default_rng(10**9).normal(0, 10, (10, len(COLUMNS)))
    values = centres[rng.integers(10, size=rows)] + rng.normal(size=(rows, len(COLUMNS)))
    return pandas.DataFrame(values.astype(np.float32), columns=COLUMNS)


def predict(rows, model):
    return pandas.Series(model.predict(rows), index=rows.index, name="cluster")


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--partitions", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    size = options.rows // options.partitions
    first = partition(0, size)
    model = decant.KMeans(n_clusters=10, n_jobs=1).fit(first)
    with LocalCluster(n_workers=options.workers, threads_per_worker=1, dashboard_address=None,
                      host="127.0.0.1") as cluster, Client(cluster) as client:
        frame = dask.dataframe.from_map(partition, range(options.partitions), rows=size)
        began = time.perf_counter()
        found = frame.map_partitions(predict, model, meta=("cluster", "i4"))
        counts = found.value_counts().compute()
        seconds = time.perf_counter() - began
        largest = max(client.run(peak).values())
        same = bool((found.get_partition(0).compute().to_numpy() == model.labels_).all())
    print(f"{counts.sum()} rows in {options.partitions} partitions: {seconds:.1f} s, {counts.sum() / seconds:.0f} rows/s "
          f"(making the rows included), peak of a worker {largest:.0f} MiB, the same labels: {same}")
    print("sizes", sorted(counts.tolist()))


if __name__ == "__main__":
    main()
