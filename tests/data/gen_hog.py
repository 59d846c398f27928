#!/usr/bin/env python3
"""Makes hog_reference.h: features of images that both sides make by the same formula. Needs numpy.

    python3 tests/data/gen_hog.py > tests/data/hog_reference.h
"""
import numpy as np
from hog_numpy import colormap, hog


def image(width, height, channels):
    seed = width * 1000 + height
    pixels = []
    for _ in range(width * height * channels):
        seed = (seed * 1103515245 + 12345) % 2 ** 31
        pixels.append(seed >> 16 & 255)
    return np.array(pixels, dtype=np.uint8).reshape(height, width, channels)


def table(name, values):
    print("static const float %s[%d] = {" % (name, len(values)))
    for i in range(0, len(values), 8):
        print("    " + ", ".join("%.9gf" % v if v != int(v) else "%.1ff" % v for v in values[i:i + 8]) + ",")
    print("};")


print("/* Made by gen_hog.py. */")
table("hog_24x24x3", hog(image(24, 24, 3)))
table("hog_40x33x3", hog(image(40, 33, 3)))
table("hog_44x20x1", hog(image(44, 20, 1)))
table("hog31_40x33x3", hog(image(40, 33, 3), signed=True))
table("colormap_96x96x3", colormap(image(96, 96, 3)))
table("colormap_16x32x1", colormap(image(16, 32, 1)))
