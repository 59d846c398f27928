#!/usr/bin/env python3
"""Writes src/base/log_table.h: the table of decant__log (src/base/elementary.c).

    tools/make_log_table.py >src/base/log_table.h

For i = 90 .. 181 the row has r, i/128's inverse rounded to 10 bits after the point, and -log(r) as
a multiple of 2^-42 and the rest. Plain Python: the logarithms are series in exact fractions, their
remainder below 2^-160.
"""
from fractions import Fraction

FIRST, LAST = 90, 181


def log(x):
    """log x = 2 (s + s^3/3 + s^5/5 + ...), s = (x - 1) / (x + 1), for x near 1."""
    s = (x - 1) / (x + 1)
    total, power, k = Fraction(0), s, 1
    while abs(power) > Fraction(1, 2**170):
        total += power / k
        power *= s * s
        power = Fraction(round(power * 2**220), 2**220)
        k += 2
    return 2 * total


def head_and_rest(value):
    """A multiple of 2^-42, and what is left as a double."""
    head = Fraction(round(value * 2**42), 2**42)
    return float(head), float(value - head)


def main():
    two = 2 * log(Fraction(3, 2)) - log(Fraction(9, 8))
    high, low = head_and_rest(two)
    print("/* Made by tools/make_log_table.py. log 2 in two parts; then for i = 90 .. 181 an inverse r of")
    print(" * i/128 with 10 bits after the point, and -log r in two parts, the first a multiple of 2^-42. */")
    print("#ifndef DECANT_BASE_LOG_TABLE_H\n#define DECANT_BASE_LOG_TABLE_H\n")
    print(f"#define LOG_2_HIGH {high.hex()}\n#define LOG_2_LOW {low.hex()}\n")
    print("static const struct {\n    double inverse, high, low;\n} log_table[] = {")
    for i in range(FIRST, LAST + 1):
        inverse = Fraction(round(Fraction(128, i) * 2**10), 2**10)
        high, low = head_and_rest(-log(inverse))
        print(f"    {{{float(inverse).hex()}, {high.hex()}, {low.hex()}}},")
    print("};\n\n#endif")


if __name__ == "__main__":
    main()
