#!/usr/bin/env python3
"""Writes elementary_reference.h: values of exp, log, pow, cos and sin to twice double precision.

    tests/data/gen_elementary.py >tests/data/elementary_reference.h    (needs mpmath)

Each value is the nearest double and the rest in units of that double's last place, so that a test
can measure errors of less than a unit on a machine whose long double is no longer than a double.
"""
import math
import random
import mpmath

mpmath.mp.prec = 400
COUNT = 60


def parts(value):
    high = float(value)
    return high.hex(), float((value - mpmath.mpf(high)) / math.ulp(high)).hex()


def table(name, function, arguments):
    print(f"static const reference {name}[] = {{")
    for x, y in arguments:
        high, low = parts(function(mpmath.mpf(x), mpmath.mpf(y)))
        print(f"    {{{x.hex()}, {y.hex()}, {high}, {low}}},")
    print("};\n")


def main():
    draw = random.Random(17)
    print("/* Made by gen_elementary.py: arguments, the nearest double and the rest in units of its last place. */")
    print("typedef struct reference {\n    double x, y, nearest, rest;\n} reference;\n")
    table("exp_values", lambda x, y: mpmath.exp(x),
          [(draw.uniform(-745, 709), 0.0) for _ in range(COUNT)] +
          [(draw.uniform(-1, 1), 0.0) for _ in range(COUNT)] +
          [(-708.5, 0.0), (-744.4, 0.0), (709.78, 0.0), (2.0**-60, 0.0)])
    table("log_values", lambda x, y: mpmath.log(x),
          [(draw.uniform(0, 2), 0.0) for _ in range(COUNT)] +
          [(1 + draw.uniform(-1, 1) * 2.0**-draw.randrange(1, 45), 0.0) for _ in range(COUNT)] +
          [(draw.uniform(1, 2) * 2.0**draw.randrange(-1022, 1023), 0.0) for _ in range(COUNT)] +
          [(5e-324, 0.0), (2.0**-1060 * 1.5, 0.0), (1.7976931348623157e308, 0.0),
           (1 + 2.0**-52, 0.0), (1 - 2.0**-53, 0.0), (1.4140625, 0.0), (1.4140624999999998, 0.0)])
    table("pow_values", lambda x, y: mpmath.power(x, y),
          [(draw.uniform(0, 10), draw.uniform(-50, 50)) for _ in range(COUNT)] +
          [(draw.uniform(1, 9), -(draw.randrange(1, 40) + 1) / 2) for _ in range(COUNT)] +
          [(0.9, float(draw.randrange(1, 3000))) for _ in range(20)] +
          [(0.999, float(draw.randrange(1, 300000))) for _ in range(20)] +
          [(1 + 2.0**-40, 2.0**49), (1 - 2.0**-53, 2.0**62), (-3.5, 7.0), (-3.5, -8.0),
           (2.0, -1074.0), (5e-324, 0.5), (10.0, -5.0), (10.0, 308.0)])
    turns = [draw.uniform(-1, 1) for _ in range(COUNT)] + [k / 24 for k in range(25) if k % 6]
    turns += [draw.uniform(0, 1) * 2.0**-draw.randrange(1, 300) for _ in range(20)]
    turns += [1e6 + 0.3, 2.0**51 + 0.5 + 0.25 - 0.125, 0.25 + 2.0**-54, 0.5 - 2.0**-54]
    table("cos_values", lambda x, y: mpmath.cos(2 * mpmath.pi * x), [(x, 0.0) for x in turns])
    table("sin_values", lambda x, y: mpmath.sin(2 * mpmath.pi * x),
          [(x, 0.0) for x in turns if x != 0.5 * round(2 * x)])


if __name__ == "__main__":
    main()
