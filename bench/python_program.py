#!/usr/bin/env python3
"""A fit through Python beside the same fit by the program: bytes, memory, processor seconds.

    bench/python_program.py ROWS.npy [key=value ...]

ROWS.npy is mapped by Python and read by the program. key=value: options of the fit, 10 clusters, one thread and 40
iterations of each phase unless they say otherwise. Run it with a Python that has the package; the program is the one
inside of it. Peaks are those of the kernel (ru_maxrss), and how much of it was the process's own and how much were pages
of files (programs, libraries, mapped rows) is looked up every 50 ms; a Python is measured with numpy alone and with
scikit-learn, and what it takes before decant does anything is shown beside its peak. python=numpy measures the first
alone. Seconds are those of the clock and of the processor, for the whole process."""
import filecmp
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FIT = """
import sys
from pathlib import Path

def resident():
    return next(int(line.split()[1]) / 1024 for line in Path("/proc/self/status").read_text().splitlines()
                if line.startswith("VmRSS"))

if sys.argv[1] == "numpy":
    sys.modules["sklearn"] = None  # as if it were not installed
import numpy as np
if sys.argv[1] == "scikit-learn":
    import sklearn.base
before = resident()
import decant
settings = dict(pair.split("=", 1) for pair in sys.argv[4:])
settings["n_jobs"] = int(settings["n_jobs"])
model = decant.DEC(**settings)
model.fit(np.load(sys.argv[2], mmap_mode="r"))
model.save(sys.argv[3])
print(before)
"""
NAMES = {"n_clusters": "k", "n_jobs": "threads", "random_state": "seed"}


def split(pid):
    """MiB of a process: all of it, and what is its own."""
    found = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, value = line.partition(":")
        if name in ("Rss", "Anonymous"):
            found[name] = int(value.split()[0]) / 1024
    return found.get("Rss", 0), found.get("Anonymous", 0)


def run(command):
    """Peak in MiB, the same with its parts and the seconds as text, and what it printed."""
    start, largest = time.monotonic(), (0, 0)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid != 0:
            break
        try:
            largest = max(largest, split(process.pid))
        except OSError:  # it is ending
            pass
        time.sleep(0.05)
    if status != 0:
        sys.exit(f"{command[0]} failed")
    peak = used.ru_maxrss / 1024
    text = (f"peak {peak:6.1f} MiB ({largest[1]:.1f} its own, {largest[0] - largest[1]:.1f} of files)  "
            f"{time.monotonic() - start:6.1f} s, {used.ru_utime + used.ru_stime:6.1f} s of the processor")
    return peak, text, process.stdout.read()


def main():
    rows, settings = sys.argv[1], {"n_clusters": "10", "n_jobs": "1", "finetune_iterations": "40",
                                   "max_iterations": "40"}
    settings.update(argument.split("=", 1) for argument in sys.argv[2:])
    kinds = settings.pop("python", "numpy,scikit-learn").split(",")
    import decant
    program = str(Path(decant.__file__).parent / "bin" / "decant")
    with tempfile.TemporaryDirectory() as folder:
        flags = [part for name, value in settings.items()
                 for part in (f"--{NAMES.get(name, name).replace('_', '-')}", value)]
        peak, text, _ = run([program, "fit", rows, "-q", "--no-report", "-o", f"{folder}/run", *flags])
        print(f"{'program':24} {text}", flush=True)
        for kind in kinds:
            model = f"{folder}/{kind}.safetensors"
            pairs = [f"{name}={value}" for name, value in settings.items()]
            found, text, before = run([sys.executable, "-c", FIT, kind, rows, model, *pairs])
            same = filecmp.cmp(model, f"{folder}/run/model.safetensors", shallow=False)
            print(f"{'Python, ' + kind:24} {text}  {found - peak:+.1f} MiB  before decant "
                  f"{float(before):.1f} MiB  {'the same bytes' if same else 'OTHER BYTES'}")


main()
