#!/usr/bin/env python3
"""Writes the seeds of the fuzz corpora: small inputs of each kind, good and broken. Files that are
not named seed-* (findings) are left alone. Needs only Python's own library.

    python3 tests/fuzz/gen_corpus.py build/release/tests/fuzz/fuzz_replay

The program is asked for the files of a small run.
"""
import glob
import gzip
import io
import json
import os
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
formats = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "formats")


def seed(target, name, content):
    folder = os.path.join(here, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "seed-" + name), "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)


def zipped(content):
    return gzip.compress(content if isinstance(content, bytes) else content.encode(), mtime=0)


def known(name):
    with open(os.path.join(formats, name), "rb") as file:
        return file.read()


# ---- pictures ----

def chunk(kind, content):
    return (struct.pack(">I", len(content)) + kind + content +
            struct.pack(">I", zlib.crc32(kind + content)))


def png(width, height, colour=0, depth=8, palette=False, interlaced=0):
    bits = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour] * depth
    line = (width * bits + 7) // 8
    rows = b"".join(b"\0" + bytes((17 * y + 5 * x) % (4 if palette else 256) for x in range(line))
                    for y in range(height))
    if interlaced:
        rows = b"\0" * (4 * line * height + 64)
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(
        ">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))
    if palette:
        out += chunk(b"PLTE", bytes(range(12))) + chunk(b"tRNS", bytes([0, 128, 255, 9]))
    return out + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def segment(marker, content):
    return bytes([0xff, marker]) + struct.pack(">H", len(content) + 2) + content


def exif(orientation):
    return segment(0xe1, b"Exif\0\0II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x112, 3, 1,
                                                        orientation, 0, 0))


def jpeg(width, height, components=1, extra=b"", start=0xc0):
    """Flat blocks: a DC of 5 in the first, then no difference; two codes a table."""
    quantity = segment(0xdb, b"\0" + b"\x08" * 64)
    ids = range(1, components + 1)
    frame = segment(start, struct.pack(">BHHB", 8, height, width, components) +
                    b"".join(bytes([i, 0x11, 0]) for i in ids))
    dc = segment(0xc4, b"\x00" + bytes([1, 1] + [0] * 14) + bytes([0, 3]))  # 0: "0", 3: "10"
    ac = segment(0xc4, b"\x10" + bytes([1] + [0] * 15) + bytes([0]))        # end of block: "0"
    scan = segment(0xda, bytes([components]) + b"".join(bytes([i, 0]) for i in ids) + b"\0\x3f\0")
    blocks = ((width + 7) // 8) * ((height + 7) // 8)
    bits = ("10" + "101" + "0") * components + "00" * components * (blocks - 1)
    bits += "1" * (-len(bits) % 8)
    data = bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8)).replace(b"\xff", b"\xff\0")
    return b"\xff\xd8" + extra + quantity + frame + dc + ac + scan + data + b"\xff\xd9"


# ---- tables ----

seed("csv", "plain", "1,2.5,-3\n4,5e1,.5\n")
seed("csv", "header", "id,label,x,y\na,red,1,2\nb,blue,3,4\nc,red,5,6\n")
seed("csv", "quotes", '"a,;","label","c""c"\n"1","b\nb","-3"\n4,"5e1",.5\n')
seed("csv", "crlf", "\ufefflabel;x\r\n1;2\r\n3;4\r\n\r\n")
seed("csv", "tsv", "id\tlabel\tx\n1\ta\t2\n2\tb\t4\n")
seed("csv", "ragged", "1,2\n3\n")
seed("csv", "hole", "1,2\n,4\n")
seed("csv", "huge", "1e300,1e-300,-0\nnan,inf,0x10\n")
seed("csv", "latin1", b"label,x\n\xe9,1\n\xe8,2\n")
seed("svmlight", "one", known("one.svm"))
seed("svmlight", "zero", known("zero.svm"))
seed("svmlight", "far", "1 1:1 4000:2\n-1 3:1e9\n")
seed("svmlight", "index", "1 2:1 1:2\n")
seed("svmlight", "column", "1 200000000:1\n2 1:1\n")
for name in ["coordinate", "array", "symmetric"]:
    seed("mtx", name, known(name + ".mtx"))
seed("mtx", "pattern", "%%MatrixMarket matrix coordinate pattern general\n%x\n2 3 2\n1 1\n2 3\n")
seed("mtx", "skew", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n")
seed("mtx", "large", "%%MatrixMarket matrix coordinate real general\n4000000000 4 1\n1 1 1\n")
for path in sorted(glob.glob(os.path.join(formats, "*.npy"))):
    seed("npy", os.path.basename(path)[:-4], known(os.path.basename(path)))
head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 99999999), }\n"
seed("npy", "large", b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head)
seed("idx", "bytes", b"\0\0\x08\2" + struct.pack(">II", 2, 3) + bytes(range(6)))
seed("idx", "labels", b"\0\0\x08\1" + struct.pack(">I", 4) + bytes([1, 2, 1, 9]))
seed("idx", "floats", b"\0\0\x0d\2" + struct.pack(">II4f", 2, 2, 1.5, -2, 3, 4))
seed("idx", "cube", b"\0\0\x0b\3" + struct.pack(">III8h", 2, 2, 2, *range(8)))
seed("idx", "cut", b"\0\0\x08\2" + struct.pack(">II", 4000000000, 3) + bytes(3))
for name in ("one.npz", "two.npz", "csr.npz", "csc.npz", "coo.npz"):
    seed("npz", name, known(name))
for name in ("table.csv.xz", "table.csv.bz2", "table.csv.zst", "table.csv.zip"):
    seed("packed", name, known(name))
    seed("packed", "cut-" + name, known(name)[:-9])
for name in ("one.h5", "two.h5", "tiny-dense.h5ad", "tiny-csr.h5ad", "tiny-csc.h5ad"):
    seed("hdf5", name, known(name))
seed("jsonl", "table", known("table.jsonl"))
seed("jsonl", "keys", '{"a": 1, "b": {"c": [2, 3]}}\n\n{"b": null, "a": -4e1}\n')
seed("jsonl", "text", '{"text": "the \\u00e9t\\u00e9\\n sun", "id": 1}\n{"text": "rain \\"x\\", sun"}\n')
seed("jsonl", "broken", '{"a": 1}\n{"a": tru}\n')
with io.BytesIO() as buffer:
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a/1.png", "a/2.png", "b/3.png", "notes.txt"):
            archive.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)),
                             png(5, 4) if name.endswith("png") else "text")
    seed("zip", "images", buffer.getvalue())
with io.BytesIO() as buffer:
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in ("a.txt", "b.txt"):
            archive.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), "some words of a text")
    seed("zip", "texts", buffer.getvalue())
seed("gzip", "npy", known("f4.npy.gz"))
seed("gzip", "csv", zipped("id,label,x\n1,a,2\n2,b,4\n"))
seed("gzip", "idx", zipped(b"\0\0\x08\2" + struct.pack(">II", 2, 3) + bytes(range(6))))
seed("gzip", "two", zipped("1,2\n") + zipped("3,4\n"))
seed("gzip", "cut", zipped("1,2\n3,4\n")[:-5])
seed("gzip", "zeros", zipped("1,2\n" * 5000))

for name in ("one.npz", "csr.npz", "table.csv.xz", "table.csv.bz2", "table.csv.zst", "table.csv.zip", "table.jsonl",
             "f4.npy.gz", "one.svm", "array.mtx"):
    seed("pipe", name, known(name))
seed("pipe", "table", "id,city,text,x\na,Lyon,red apples and pears,1\nb,Nice,green pears,2,5\nc,Lyon,blue sky,3\n")
seed("pipe", "comma", "sep=;\r\nx;y\r\n1,5;NA\r\n2,5;3\r\n")
seed("pipe", "utf16", "a\tb\n1\t\u00e9\n2\tx\n3\tx\n".encode("utf-16"))
seed("pipe", "lines", "The cats are running.\nA dog runs in the rain\n\nRain, rain; rain!\n")
seed("pipe", "image", png(5, 4))
seed("pipe", "cut", zipped("1,2\n3,4\n")[:-5])
seed("pipe", "long", "x,y\n" + "1.5,2\n3,NA\n" * 40)

# ---- texts ----

seed("texts", "column", 'id,text,label\n1,"The cat, and the dogs",a\n2,dogs running,b\n3,,a\n')
seed("texts", "bare", "1\tcats run\n2\tdogs ran\n")
seed("lines", "english", "The cats are running.\nA dog runs in the rain\n\nRain, rain; rain!\n")
seed("lines", "utf8", "caf\u00e9 na\u00efve \u4f60\u597d \U0001f600\nSTRASSE stra\u00dfe\n")
seed("lines", "latin1", b"caf\xe9 na\xefve words\nplain words here\n")
seed("lines", "zipped", zipped("The cats are running.\nA dog runs in the rain\n"))
seed("tokens", "three", ".I 1\n.W\nshare bank share\nrain\n\n.I 2\n.W\nsun\n\n.I 3\n.W\nbank sun\n")
seed("tokens", "cut", ".I 1\n.W\nshare bank\n\n.I 2\n")
seed("topics", "roots", "CCAT 1 1\nMCAT 2 1\nC15 3 1\nGCAT 3 1\n")
seed("topics", "two", "CCAT 1 1\nMCAT 1 1\nECAT 2 1\n")

# ---- pictures ----

seed("image", "grey.png", png(9, 8))
seed("image", "colour.png", png(8, 9, 2))
seed("image", "palette.png", png(5, 4, 3, 4, palette=True))
seed("image", "alpha.png", png(4, 4, 6))
seed("image", "deep.png", png(3, 3, 2, 16))
seed("image", "bits.png", png(9, 3, 0, 1))
seed("image", "interlaced.png", png(9, 9, 0, 8, interlaced=1))
seed("image", "cut.png", png(8, 8)[:-20])
seed("image", "wide.png", png(8, 8).replace(struct.pack(">II", 8, 8), struct.pack(">II", 1 << 30, 8)))
seed("image", "grey.jpg", jpeg(16, 9))
seed("image", "colour.jpg", jpeg(8, 8, 3))
seed("image", "four.jpg", jpeg(8, 8, 4))
seed("image", "turned.jpg", jpeg(16, 8, 1, exif(6)))
seed("image", "mirrored.jpg", jpeg(16, 8, 3, exif(2)))
seed("image", "progressive.jpg", jpeg(8, 8, 1, start=0xc2))
seed("image", "cut.jpg", jpeg(16, 16)[:-6])
seed("image", "large.jpg", jpeg(8, 8).replace(struct.pack(">HH", 8, 8), b"\xff\xff\xff\xff"))
seed("stl10", "two", bytes([2, 2, 1, 10]) + bytes(range(256)))
seed("stl10", "label", bytes([1, 1, 11]))
seed("stl10", "ragged", bytes([129, 0]))

# ---- labels and folders ----

seed("labels", "numbers", "1\n2\n1\n")
seed("labels", "names", "red\nblue\nred\n")
seed("labels", "column", "id,class\na,1\nb,2\nc,1\n")
seed("labels", "idx", b"\0\0\x08\1" + struct.pack(">I", 3) + bytes([1, 2, 1]))
seed("labels", "npy", known("line.npy"))
seed("labels", "svmlight", known("one.svm"))


def folder(name, *files):
    seed("folder", name, b"\n=== ".join(
        path.encode() + b"\n" + (content.encode() if isinstance(content, str) else content)
        for path, content in files))


folder("texts", ("cats/a.txt", "The cats run\n"), ("dogs/b.txt", "Dogs ran away"), (".hidden", "x"))
folder("images", ("a/1.png", png(3, 3)), ("b/2.png", png(2, 4)), ("b/3.jpg", jpeg(8, 8)))
folder("broken", ("a.png", png(3, 3)), ("b.png", "not a picture"))
digits = b"\0\0\x08\3" + struct.pack(">III", 2, 2, 2) + bytes(8)
classes = b"\0\0\x08\1" + struct.pack(">I", 2) + bytes([0, 1])
folder("mnist", ("train-images-idx3-ubyte", digits), ("train-labels-idx1-ubyte", classes),
       ("t10k-images-idx3-ubyte", digits), ("t10k-labels-idx1-ubyte", classes))
folder("tokens", ("a.dat", ".I 1\n.W\nsun rain\n"), ("rcv1-v2.topics.qrels", "CCAT 1 1\n"))
folder("names", ("\x1b[31mred.txt", "red words"), ("a\tb.txt", "more words"), ("-.txt", "a"))
folder("empty")

# ---- files that decant writes ----

seed("model", "raw", struct.pack("<Q", 104) + json.dumps(
    {"__metadata__": {"format": "decant-model", "format_version": "1", "checksum": "0" * 32}},
    separators=(",", ":")).ljust(104).encode())
for base in range(7):
    seed("model", "good%d" % base, "%d\n" % base)
seed("model", "columns", "0\ncolumns=4000000000\ndepth=3\n")
seed("model", "shape", '0\n@centroids={"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}\n')
seed("model", "offsets", '1\n@centroids={"dtype":"F32","shape":[2,3],"data_offsets":[-24,0]}\n')
seed("model", "nan", "0\n#centroids+0=0000c07f\n")
seed("model", "option", "2\noption.k=3\noption.alpha=0\n-data_digest\n")
seed("model", "stems", "6\nfeatures.stems=a\nfeatures.language=klingon\n")
for base in range(10):
    seed("checkpoint", "good%d" % base, "%d\n" % base)
seed("checkpoint", "labels", "5\n#labels+0=ffffff7f\n#initial_labels+4=feffffff\n")
seed("checkpoint", "history", "5\n#history+0=0000000000c0f87f\n")
seed("checkpoint", "trials", "6\n#trials+0=000000000000f07f\ntrials.rows=1\n")
seed("checkpoint", "phase", "4\nphase=5\nstage=1\nstep=18446744073709551615\n")
seed("checkpoint", "trace", "5\ntrace.frames=12\ntrace.stride=0\n")
seed("checkpoint", "nan", "5\n#params+0=0000c07f\n#target+4=000080ff\n")
seed("checkpoint", "clusters", "4\nclusters=2147483647\n")
seed("network", "good", "0\n")
seed("network", "nan", "0\n#params+8=0000807f\n")
seed("network", "rows", "0\nrows=13\n")
seed("graph", "good", "0\n")
seed("graph", "column", "0\n#column+0=0c000000\n#column+4=ffffffff\n")
seed("graph", "start", "0\n#start+4=ffffff7f\n")
seed("graph", "value", "0\n#value+0=0000c0ff\n")
seed("graph", "neighbours", "0\nneighbours=4000000000\n")
seed("trace", "good", "0\n")
seed("trace", "rows", "0\n#row+0=0c000000\n#row+4=ffffffff\n")
seed("trace", "labels", "0\n#labels+0=02000000\n")
seed("trace", "step", "0\n#step+0=0000000000c0f87f\n")
seed("options", "some", "k=3\nlayers=500,500,2000,10\nmemory=2G\nalpha=1e-3\npreset=paper\n")
seed("options", "range", "k=2-9\nresize=32x32\nlanguage=german\ndropout=1.5\nseed=18446744073709551615\n")
seed("options", "words", "method=ae+sec\noptimizer=sgd\nstop-words=no\nthreads=-1\nfeatures=hog\n")

# ---- a run folder ----

with tempfile.TemporaryDirectory() as run:
    subprocess.run([sys.argv[1], "--run", run], check=True)

    def content(folder, name):
        with open(os.path.join(run, folder, name), "rb") as file:
            return file.read()

    for kind in ["plain", "mapped"]:
        manifest = json.loads(content(kind, "manifest.json"))
        manifest["machine"] = {"system": "Linux", "release": "6", "processor": "any", "cores": 2}
        manifest["started"] = manifest["finished"] = "2026-01-01T00:00:00Z"
        seed("manifest", kind, json.dumps(manifest))
        seed("clusters", kind, content(kind, "clusters.json"))
        seed("history", kind, content(kind, "history.csv"))
        seed("runlabels", kind, content(kind, "labels.csv"))
    manifest["data"] = {"paths": ["rows.csv"], "labels": ["rows.csv"], "id_column": "1",
                        "label_column": None, "text_column": None, "topics": None,
                        "folder_labels": True, "skip_broken": False}
    manifest["selection"] = {"k": 2, "reason": "stability", "stability": [[2, 0.9], [3, None]]}
    manifest["metrics"] = {"acc": 0.5, "nmi": 1, "ari": None, "purity": "x"}
    manifest["cluster_classes"] = ["a", None]
    manifest["warnings"] = ["</script>", 7]
    seed("manifest", "origin", json.dumps(manifest))
    seed("embedding", "good", content("mapped", "embedding.npy"))
clusters = {"clusters": [{"cluster": 0, "size": 6, "typical": [{"row": 0, "id": "a", "confidence": 1}],
                          "doubtful": [{"row": 11, "id": None, "confidence": 0.5}],
                          "stems": ["rain", "sun"], "stems_by_lift": [{"stem": 1}, []]},
                         {"cluster": 1, "size": 6, "typical": [], "doubtful": [], "stems": {}}]}
seed("clusters", "stems", json.dumps(clusters))
seed("history", "odd", "phase,step,seconds,loss,changed,smallest\nrefine,1e99,nan,,2,-1\n,,,,,\n")
