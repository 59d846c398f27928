#!/usr/bin/env python3
"""Writes assign_reference.h: DEC's soft assignment (eq. 1), target (eq. 3), loss (eq. 2) and its
gradients for a few points, with 60 decimal digits. The gradients are central differences of the
loss, so that they do not depend on eq. 4 and 5. Needs only Python's standard library; the build
does not need it."""
import random
from decimal import Decimal, getcontext

getcontext().prec = 60
N, L, K = 7, 3, 4
ALPHAS = ["1", "0.5", "3"]
STEP = Decimal(10) ** -20


def soft_assign(z, mu, alpha):
    q = []
    for zi in z:
        row = []
        for mj in mu:
            d2 = sum((a - b) ** 2 for a, b in zip(zi, mj))
            row.append((1 + d2 / alpha) ** (-(alpha + 1) / 2))
        total = sum(row)
        q.append([x / total for x in row])
    return q


def target(q):
    f = [sum(row[j] for row in q) for j in range(K)]
    p = []
    for row in q:
        w = [row[j] ** 2 / f[j] for j in range(K)]
        total = sum(w)
        p.append([x / total for x in w])
    return f, p


def loss(z, mu, alpha, p):
    q = soft_assign(z, mu, alpha)
    return sum(p[i][j] * (p[i][j] / q[i][j]).ln() for i in range(N) for j in range(K))


def gradient(matrix, value):
    out = []
    for row in matrix:
        line = []
        for c in range(len(row)):
            kept = row[c]
            row[c] = kept + STEP
            up = value()
            row[c] = kept - STEP
            down = value()
            row[c] = kept
            line.append((up - down) / (2 * STEP))
        out.append(line)
    return out


def table(name, rows, kind="double"):
    suffix = "F" if kind == "float" else ""
    body = ",\n".join(
        "    " + ", ".join(f"{float(x)!r}{suffix}" for x in row) for row in rows)
    return f"static const {kind} {name}[] = {{\n{body}}};\n"


def main():
    draw = random.Random(2016)
    # Multiples of 1/64, so that floats hold them exactly.
    z = [[Decimal(draw.randint(-150, 150)) / 64 for _ in range(L)] for _ in range(N)]
    mu = [[Decimal(draw.randint(-150, 150)) / 64 for _ in range(L)] for _ in range(K)]
    print("/* Written by gen_assign.py. */")
    print(f"enum {{ REFERENCE_N = {N}, REFERENCE_L = {L}, REFERENCE_K = {K} }};")
    print(table("reference_z", z, "float"), end="")
    print(table("reference_mu", mu, "float"), end="")
    entries = []
    for number, text in enumerate(ALPHAS):
        alpha = Decimal(text)
        q = soft_assign(z, mu, alpha)
        f, p = target(q)
        value = lambda: loss(z, mu, alpha, p)
        dz, dmu = gradient(z, value), gradient(mu, value)
        rows = [[sum(p[i][j] * (p[i][j] / q[i][j]).ln() for j in range(K))] for i in range(N)]
        for name, rows_of in (("q", q), ("f", [f]), ("p", p), ("dz", dz), ("dmu", dmu),
                              ("loss", rows)):
            print(table(f"reference_{name}_{number}", rows_of), end="")
        fields = ", ".join(f"reference_{name}_{number}" for name in
                           ("q", "f", "p", "dz", "dmu", "loss"))
        entries.append(f"    {{{text}, {fields}}}")
    print("static const struct {\n    double alpha;\n"
          "    const double *q, *f, *p, *dz, *dmu, *loss;\n"
          f"}} reference[{len(ALPHAS)}] = {{\n" + ",\n".join(entries) + "};")


if __name__ == "__main__":
    main()
