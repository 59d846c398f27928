"""Data for the tests in a browser: 5000 pictures of 28 x 28 pixels with labels, made from the 8 x 8 digits of the
examples; 300 texts, one of which is a script; a table without labels.  make_data.py DIGITS_FOLDER"""
import os
import random
import struct
import sys

ROWS, SIDE = 5000, 28


def npy(path):
    """Rows of numbers of a small .npy of floats or integers."""
    with open(path, "rb") as file:
        head = file.read(10)
        text = file.read(struct.unpack("<H", head[8:10])[0]).decode()
        shape = [int(n) for n in text.split("(")[1].split(")")[0].split(",") if n.strip()]
        kind = text.split("'descr': '")[1].split("'")[0]
        code, size = {"f4": ("f", 4), "i4": ("i", 4), "i8": ("q", 8), "u1": ("B", 1), "i2": ("h", 2), "f8": ("d", 8)}[kind[1:]]
        columns = shape[1] if len(shape) > 1 else 1
        return [struct.unpack("<%d%s" % (columns, code), file.read(columns * size)) for _ in range(shape[0])]


def enlarge(digit, dx, dy):
    """Bilinear, moved by a fraction of a pixel."""
    out = bytearray(SIDE * SIDE)
    for y in range(SIDE):
        v = min(max((y + dy) * 7 / (SIDE - 1), 0), 6.999)
        for x in range(SIDE):
            u = min(max((x + dx) * 7 / (SIDE - 1), 0), 6.999)
            i, j, a, b = int(v), int(u), v - int(v), u - int(u)
            top = digit[8 * i + j] * (1 - b) + digit[8 * i + j + 1] * b
            low = digit[8 * i + 8 + j] * (1 - b) + digit[8 * i + 9 + j] * b
            out[SIDE * y + x] = min(255, int(16 * (top * (1 - a) + low * a)))
    return out


def pictures(folder):
    digits = npy(os.path.join(folder, "digits.npy"))
    labels = [int(row[0]) for row in npy(os.path.join(folder, "digits-labels.npy"))]
    with open("pictures.idx", "wb") as file:
        file.write(struct.pack(">IIII", 0x803, ROWS, SIDE, SIDE))
        for i in range(ROWS):
            file.write(enlarge(digits[i % len(digits)], random.uniform(-2, 2), random.uniform(-2, 2)))
    with open("labels.idx", "wb") as file:
        file.write(struct.pack(">II", 0x801, ROWS) + bytes(labels[i % len(labels)] for i in range(ROWS)))


def texts():
    topics = {"sport": "goal team match player coach league", "money": "bank share price market profit trade",
              "space": "rocket orbit moon planet launch crew"}
    with open("texts.csv", "w") as file:
        file.write("text,topic\n")
        for i in range(300):
            topic = random.choice(sorted(topics))
            words = " ".join(random.choice(topics[topic].split()) for _ in range(20))
            begin = "<script>alert(1)</script><img src=x onerror=alert(2)> " if i % 3 == 0 else ""
            file.write('"%s%s","%s"\n' % (begin, words, "<i>" + topic))


def table():
    with open("table.csv", "w") as file:
        file.write("height,weight,<b>age</b>,income\n")
        for i in range(400):
            c = i % 20
            file.write(",".join("%.3f" % (3 * (c * (j + 3) % 7) + random.random()) for j in range(4)) + "\n")


random.seed(1)
pictures(sys.argv[1])
texts()
table()
