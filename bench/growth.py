#!/usr/bin/env python3
"""`make growth`: does the time of a fit grow with the number of rows, and no faster?

    bench/growth.py [--build DIR] [--data DIR] [--sizes N,N,...] [--epochs E] [--json FILE]

The same fit, as many passes over the data each, on 70 000 rows and on 2, 4 and 8 times as many;
printed are microseconds a row for each phase and the peak memory. Rows are those of bench/run.py:
MNIST repeated with noise, or made up. The target is updated equally often in a pass, too."""
import argparse
import json
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BATCH, LEAST, UPDATES = 256, 70000, 2


def make_rows(options, folder, rows):
    path = os.path.join(folder, "%s-%d.npy" % ("mnist" if options.data else "made-up", rows))
    if not os.path.exists(path):
        maker = os.path.join(options.build, "bench", "decant_bench_data")
        subprocess.check_call([maker, "dense", path, str(rows)] +
                              ([options.data] if options.data else []))
    return path


def fit(options, path, rows, folder):
    """Seconds by phase, seconds in all and peak memory of one fit."""
    epoch = (rows + BATCH - 1) // BATCH
    command = [os.path.join(options.build, "bin", "decant"), "fit", path, "-k", "10", "-o", folder,
               "--force", "--no-report", "--json", "--pretrain-epochs", "0",
               "--finetune-iterations", str(options.epochs * epoch),
               "--max-iterations", str(options.epochs * epoch),
               "--update-interval", str(epoch // UPDATES), "--tol", "0"] + options.option
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        sys.exit("growth: decant failed: " + errors[-400:])
    seconds = time.perf_counter() - began
    with open(os.path.join(folder, "manifest.json")) as file:
        phases = json.load(file)["seconds"]
    phases.pop("total")
    phases["else"] = seconds - sum(phases.values())
    return {"rows": rows, "seconds": seconds, "phases": phases, "peak_bytes": usage.ru_maxrss * 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--data", default=os.environ.get("DECANT_MNIST"))
    parser.add_argument("--sizes", default=",".join(str(LEAST * f) for f in (1, 2, 4, 8)))
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--option", action="append", default=[], help="passed on to decant fit")
    parser.add_argument("--keep", action="store_true", help="keep the data files")
    parser.add_argument("--json", help="where the figures go (build folder: growth.json)")
    options = parser.parse_args()
    folder = os.path.join(options.build, "bench-data")
    os.makedirs(folder, exist_ok=True)
    fits = []
    for rows in (int(size) for size in options.sizes.split(",")):
        path = make_rows(options, folder, rows)
        fits.append(fit(options, path, rows, os.path.join(folder, "growth-run")))
        if not options.keep:
            os.remove(path)
        here = fits[-1]
        if len(fits) == 1:
            print("microseconds a row, %d epochs of pretraining and of refinement" % options.epochs)
            print("%10s" % "rows" + "".join("%10s" % name for name in here["phases"]) +
                  "%10s%10s%10s" % ("all", "ratio", "peak MB"))
        all_here = 1e6 * here["seconds"] / rows
        print("%10d" % rows + "".join("%10.1f" % (1e6 * s / rows) for s in here["phases"].values())
              + "%10.1f%10.3f%10.0f" % (all_here, all_here / (1e6 * fits[0]["seconds"] /
                                                             fits[0]["rows"]),
                                        here["peak_bytes"] / 1e6), flush=True)
    with open(options.json or os.path.join(options.build, "growth.json"), "w") as file:
        json.dump({"epochs": options.epochs, "fits": fits}, file, indent=1)


main()
