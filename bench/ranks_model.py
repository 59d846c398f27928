#!/usr/bin/env python3
"""What a fit by R ranks costs, phase by phase: fitted to measured runs, and extrapolated.

    bench/ranks_model.py RUNS.csv [--rows N] [--ranks R,R,...] [--gbit G,G,...] [--latency S]

RUNS.csv has a line for each phase of each run (or one named all): rows, ranks, phase, seconds of a
rank, of fits of the network below, with the same part of an epoch each. A phase takes

    n (u / R + v) + w + 8 P (1 - 1/R) steps / W + g n / W + m L

with u the work a row that is shared among the ranks, v that which every rank does for all rows, w what
does not depend on the rows, P parameters whose gradients are summed in every step, g bytes a row
that are gathered, W bytes a second, m messages and L their latency. u, v and w are fitted by least
squares that are never negative (one phase has few runs); the bytes and messages are those of
docs/architecture.md."""
import argparse
import csv
import itertools
import math

PARAMETERS = 2 * (100 * 64 + 64 * 32 + 32 * 10)
BATCH, FEATURES, NEIGHBOURS, PART = 256, 10, 5, 0.25


def fit_phase(runs):
    """u, v, w >= 0 of seconds = n u / R + n v + w with the least sum of squared relative errors: of
    all sets of terms, the best one whose factors are all positive."""
    best = (math.inf, (0, 0, 0))
    for size in (1, 2, 3):
        for terms in itertools.combinations(range(3), size):
            rows = [([(n / r, n, 1)[t] / s for t in terms], 1.0) for n, r, s in runs]
            solution = solve(rows, size)
            if solution is None or min(solution) < 0:
                continue
            error = sum((sum(a * x for a, x in zip(row, solution)) - y) ** 2 for row, y in rows)
            if error < best[0] - 1e-9:
                full = [0.0] * 3
                for t, x in zip(terms, solution):
                    full[t] = x
                best = (error, tuple(full))
    return best[1]


def solve(rows, size):
    """Normal equations by Gaussian elimination; None where they are singular."""
    a = [[sum(r[i] * r[j] for r, _ in rows) for j in range(size)] + [sum(r[i] * y for r, y in rows)]
         for i in range(size)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(a[k][i]))
        if abs(a[pivot][i]) < 1e-18 * max(1e-300, abs(a[0][0])):
            return None
        a[i], a[pivot] = a[pivot], a[i]
        for k in range(size):
            if k != i:
                factor = a[k][i] / a[i][i]
                a[k] = [x - factor * y for x, y in zip(a[k], a[i])]
    return [a[i][size] / a[i][i] for i in range(size)]


def traffic(phase, n, ranks):
    """Bytes that a rank sends or receives, and messages one after the other."""
    if ranks == 1:
        return 0, 0
    if phase == "all":
        parts = [traffic(p, n, ranks) for p in ("finetune", "kmeans", "start", "refine", "labels")]
        return sum(p[0] for p in parts), sum(p[1] for p in parts)
    steps = PART * n / BATCH
    if phase == "finetune":
        return steps * 8 * PARAMETERS * (1 - 1 / ranks), steps * 3 * math.log2(ranks)
    if phase == "refine": # half of the network; three updates gather the features
        return (steps * 4 * PARAMETERS * (1 - 1 / ranks) + 3 * 4 * n * FEATURES,
                steps * 3 * math.log2(ranks))
    if phase == "kmeans":
        return 4 * n * FEATURES, ranks
    if phase == "start":
        return n * (4 * FEATURES + 8 * NEIGHBOURS), ranks
    return n * (4 * FEATURES + 12), ranks # labels, confidence, distance, embedding


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs")
    parser.add_argument("--rows", type=float, default=1e8)
    parser.add_argument("--ranks", default="1,2,4,8,16,64")
    parser.add_argument("--gbit", default="1,10,100")
    parser.add_argument("--latency", type=float, default=20e-6)
    options = parser.parse_args()
    runs = {}
    with open(options.runs) as file:
        for line in csv.DictReader(file):
            runs.setdefault(line["phase"], []).append(
                (float(line["rows"]), int(line["ranks"]), float(line["seconds"])))
    terms = {phase: fit_phase(list_of) for phase, list_of in runs.items()}
    print("| phase | shared, us a row | by every rank, us a row | once, s | worst error of the fit |")
    print("| --- | --- | --- | --- | --- |")
    for phase, (u, v, w) in terms.items():
        worst = max(abs(n * (u / r + v) + w - s) / s for n, r, s in runs[phase])
        print("| %s | %.2f | %.2f | %.1f | %.0f %% |" % (phase, 1e6 * u, 1e6 * v, w, 100 * worst))
    print("\nSeconds for %.0e rows (compute / network):\n" % options.rows)
    ranks = [int(r) for r in options.ranks.split(",")]
    print("| Gbit/s | " + " | ".join("R = %d" % r for r in ranks) + " |")
    print("| --- " * (len(ranks) + 1) + "|")
    for gbit in options.gbit.split(","):
        cells = []
        for r in ranks:
            compute = sum(options.rows * (u / r + v) + w for u, v, w in terms.values())
            network = 0.0
            for phase in terms:
                sent, messages = traffic(phase, options.rows, r)
                network += sent / (float(gbit) * 1e9 / 8) + messages * options.latency
            cells.append("%.0f / %.0f" % (compute, network))
        print("| %s | %s |" % (gbit, " | ".join(cells)))


if __name__ == "__main__":
    main()
