#!/usr/bin/env python3
"""Writes optimizer_reference.h: steps of SGD with momentum and of Adam in double precision, from
the formulas in the papers. Needs only Python's standard library; the build does not need it."""
import math

GRADIENTS = [[0.5, -1.25, 3.0], [0.25, 0.75, -2.0], [-1.5, 0.125, 0.0], [0.5, -0.5, 4.0]]
START = [1.0, -2.0, 0.5]


def sgd(rate=0.1, momentum=0.9):
    p, v, out = START[:], [0.0] * 3, []
    for g in GRADIENTS:
        v = [momentum * v[i] + rate * g[i] for i in range(3)]
        p = [p[i] - v[i] for i in range(3)]
        out.append(p)
    return out


def adam(rate=0.01, b1=0.9, b2=0.999, eps=1e-8):
    p, m, s, out = START[:], [0.0] * 3, [0.0] * 3, []
    for t, g in enumerate(GRADIENTS, 1):
        m = [b1 * m[i] + (1 - b1) * g[i] for i in range(3)]
        s = [b2 * s[i] + (1 - b2) * g[i] ** 2 for i in range(3)]
        p = [p[i] - rate * (m[i] / (1 - b1**t)) / (math.sqrt(s[i] / (1 - b2**t)) + eps)
             for i in range(3)]
        out.append(p)
    return out


def table(name, rows):
    body = ",\n".join("    {" + ", ".join(repr(float(x)) for x in row) + "}" for row in rows)
    return f"static const double {name}[{len(rows)}][3] = {{\n{body}}};\n"


if __name__ == "__main__":
    print("/* Written by gen_optimizer.py. */")
    print(table("reference_gradients", GRADIENTS), end="")
    print(table("reference_sgd", sgd()), end="")
    print(table("reference_adam", adam()), end="")
