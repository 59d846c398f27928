#!/usr/bin/env python3
"""Writes the two modules of the package that follow from the C library, when it is built:

    generate.py header INCLUDE_FOLDER        _header.py: every declaration of the public headers
    generate.py estimators HEADER.py LIBRARY _estimators.py: the estimators, with a keyword for
                                             each option of the options table

Nothing of C is written down a second time in this package, so nothing can differ from it.
"""

import ctypes
import importlib.util
import re
import sys
import textwrap
from pathlib import Path

# ---- C declarations as ctypes -----------------------------------------------------------------

NUMBERS = {
    "int": "c_int",
    "unsigned": "c_uint",
    "char": "c_char",
    "float": "c_float",
    "double": "c_double",
    "size_t": "c_size_t",
    "ptrdiff_t": "c_ssize_t",
    "int32_t": "c_int32",
    "int64_t": "c_int64",
    "uint8_t": "c_uint8",
    "uint32_t": "c_uint32",
    "uint64_t": "c_uint64",
}


class Declarations:
    """What the headers declare: constants, structs with their fields, and functions."""

    def __init__(self, text):
        self.constants, self.structs, self.functions, self.callbacks = {}, {}, {}, {}
        self.enums = set()
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        for name, value in re.findall(r"^#define (DECANT_[A-Z_]+) (\d+)$", text, flags=re.M):
            self.constants[name] = int(value)
        text = re.sub(r"^#.*$", " ", text, flags=re.M)
        text = re.sub(r"__attribute__\(\(.*?\)\)\)", " ", text)
        text = text.replace('extern "C" {', " ")
        text = re.sub(r"\s+", " ", text)
        for values, name in re.findall(r"typedef enum \w+ \{([^}]*)\} (\w+);", text):
            self.add_enum(name, values)
        known = re.findall(r"(?:typedef )?struct (\w+) \{", text)
        for name in known:
            self.structs[name] = None
        for result, name, arguments in re.findall(
            r"typedef (\w+) \(\*(\w+)\)\(([^)]*)\);", text
        ):
            self.callbacks[name] = self.callback(result, arguments)
        for name, fields in re.findall(r"struct (\w+) \{([^}]*)\}", text):
            self.structs[name] = [f for one in fields.split(";") for f in self.fields(one)]
        for result, name, arguments in re.findall(r"DECANT_API ([\w ]+?\*?) ?(decant_\w+)\(([^;]*)\);", text):
            self.functions[name] = (self.type(result, True), self.arguments(arguments))

    def add_enum(self, name, values):
        self.enums.add(name)
        at = -1
        for value in values.split(","):
            match = re.match(r"\s*(\w+)(?:\s*=\s*(\d+))?\s*$", value)
            if match is None:
                raise SystemExit(f"generate: enum {name}: {value!r} is not understood")
            at = int(match[2]) if match[2] else at + 1
            self.constants[match[1]] = at

    def type(self, text, result=False):
        """The type of a parameter, result or field, without its name."""
        words = re.sub(r"\b(const|struct)\b", " ", text).replace("*", " * ").split()
        name, stars = words[0], words.count("*")
        if name == "void" and stars == 0:
            return "None"
        if stars == 0:
            if name in NUMBERS:
                return NUMBERS[name]
            if name in self.enums:
                return "c_int"
            if name in self.callbacks or name in self.structs:
                return name
            raise SystemExit(f"generate: the type {text!r} is not understood")
        if name == "char" and stars == 1:
            return "c_char_p"
        if stars == 1 and name in self.structs:
            return f"POINTER({name})"
        return "c_void_p"

    def callback(self, result, arguments):
        return f"CFUNCTYPE({', '.join([self.type(result)] + self.arguments(arguments))})"

    def arguments(self, text):
        found = []
        for argument in text.split(","):
            argument = argument.strip()
            if argument in ("", "void"):
                continue
            if argument == "...":
                return found
            match = re.match(r"(.*?[\s*])(\w+)(\[\w*\])?$", argument)
            found.append("c_void_p" if match[3] else self.type(match[1]))
        return found

    def fields(self, text):
        """`size_t n, d` or `char phase[16]` or a function pointer, as pairs of name and type."""
        text = text.strip()
        if not text:
            return []
        pointer = re.match(r"(\w+) \(\*(\w+)\)\((.*)\)$", text)
        if pointer:
            return [(pointer[2], self.callback(pointer[1], pointer[3]))]
        match = re.match(r"((?:const |struct )*\w+(?: const)?)\s*(.*)$", text)
        found = []
        for name in match[2].split(","):
            stars = name.count("*")
            name = re.sub(r"\bconst\b", " ", name).replace("*", " ").strip()
            kind = self.type(match[1] + " *" * stars)
            array = re.match(r"(\w+)\[(\w+)\]$", name)
            if array:
                size = array[2] if array[2].isdigit() else str(self.constants[array[2]])
                found.append((array[1], f"{kind} * {size}"))
            else:
                found.append((name, kind))
        return found


def read_headers(folder):
    headers = sorted(Path(folder).glob("*.h"), key=lambda path: (path.name != "decant.h", path.name))
    return Declarations("\n".join(path.read_text() for path in headers))


def write_header(folder):
    found = read_headers(folder)
    out = [
        '"""The declarations of decant\'s public headers. Made by generate.py: do not edit."""',
        "",
        "from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_float, c_int,",
        "    c_int32, c_int64, c_size_t, c_ssize_t, c_uint, c_uint8, c_uint32, c_uint64, c_void_p)",
        "from typing import Any, Dict, List, Tuple",
        "",
    ]
    out += [f"{name} = {value}" for name, value in found.constants.items()]
    out.append("")
    names = list(found.structs)
    for name in names:
        out += [f"class {name}(Structure):", "    pass", ""]
    out += [f"{name} = {kind}" for name, kind in found.callbacks.items()]
    out.append("")
    for name in names:
        fields = ", ".join(f'("{field}", {kind})' for field, kind in found.structs[name])
        out.append(f"{name}._fields_ = [{fields}]")
    out += ["", "STRUCTS: List[Any] = [" + ", ".join(names) + "]"]
    out += ["", "FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {"]
    for name, (result, arguments) in found.functions.items():
        out.append(f'    "{name}": ({result}, [{", ".join(arguments)}]),')
    out += ["}", ""]
    print("\n".join(out))


# ---- the estimators ---------------------------------------------------------------------------

# Names that scikit-learn has for the same thing.
RENAMED = {"k": "n_clusters", "seed": "random_state", "threads": "n_jobs", "lambda": "lambda_"}
FIRST = {"method": "dec", "preset": "fast"}  # come first, with a default of their own
RAW = ["features", "resize", "vocabulary", "vocabulary-by", "language", "stop-words"]
COMMON = ["scaling", "memory", *RAW]
# The options of each estimator; None is all of them.
ESTIMATORS = {
    "DEC": (
        None,
        "NetworkEstimator",
        "Deep embedded clustering: learns a feature space and a clustering in it together.",
    ),
    "KMeans": (
        ["seeding", "restarts", "kmeans-iterations", "alpha", *COMMON],
        "PredictingEstimator",
        "k-means: Lloyd's algorithm from k-means++, the best of several restarts.",
    ),
    "GaussianMixture": (
        ["covariance", "seeding", "restarts", "kmeans-iterations", *COMMON],
        "PredictingEstimator",
        "A mixture of Gaussians, by expectation and maximisation.",
    ),
    "SpectralClustering": (
        ["neighbours", "discretise", "skip-constant", "knn", "restarts", "seeding",
         "kmeans-iterations", *COMMON],
        "Estimator",
        "Normalised cuts of the graph of nearest neighbours. It cannot assign new rows.",
    ),
    "SEC": (
        ["neighbours", "mu", "gamma", "laplacian", "lambda", "discretise", "skip-constant", "knn",
         "restarts", "seeding", "kmeans-iterations", *COMMON],
        "PredictingEstimator",
        "Spectral embedded clustering: spectral clustering with a linear map for new rows.",
    ),
    "LDMGI": (
        ["neighbours", "lambda", "discretise", "skip-constant", "knn", "restarts", "seeding",
         "kmeans-iterations", *COMMON],
        "Estimator",
        "Local discriminant models and global integration. It cannot assign new rows.",
    ),
}
METHODS = {
    "DEC": "dec",
    "KMeans": "kmeans",
    "GaussianMixture": "gmm",
    "SpectralClustering": "spectral",
    "SEC": "sec",
    "LDMGI": "ldmgi",
}
SPECIAL = {"k", "seed", "threads", "method", "preset"}


def keyword(name):
    return RENAMED.get(name, name.replace("-", "_"))


def load_module(path):
    spec = importlib.util.spec_from_file_location("_header", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_options(header, library):
    """The rows of the options table, as dictionaries."""
    header, library = load_module(header), ctypes.CDLL(str(library))
    at = library.decant_option_at
    at.restype, at.argtypes = header.FUNCTIONS["decant_option_at"]
    rows = []
    for index in range(library.decant_option_count()):
        info = at(index).contents
        rows.append(
            {
                field: value.decode() if isinstance(value, bytes) else value
                for field, value in ((name, getattr(info, name)) for name, *_ in info._fields_)
            }
        )
    return rows


def type_of(row):
    if row["argument"] is None:
        return "bool | None"
    if "|" in row["argument"]:
        choices = ", ".join(f'"{choice}"' for choice in row["argument"].split("|"))
        return f"Literal[{choices}] | None"
    if row["name"] == "layers":
        return "Sequence[int] | str | None"
    if row["argument"] == "X":
        return "float | None"
    if row["argument"] == "SIZE":
        return "int | str | None"
    if row["argument"] in ("N", "COUNT"):
        return "int | None"
    return "str | None"


def document(row):
    range_text = f" Range: {row['range']}." if row["range"] else ""
    if row["argument"] and "|" in row["argument"]:
        range_text = f" One of {row['argument'].replace('|', ', ')}."
    paper = f" (preset paper: {row['paper']})" if row["paper"] else ""
    return f"{row['help']}.{range_text} Default: {row['fallback']}{paper}."


SHARED_DOCS = [
    ("n_clusters : int, str or range, default=8",
     'Number of clusters; from a range, "5..15" or range(5, 16), or "auto" (2 to 20), the one with the most '
     "stable clusters is chosen{auto}."),
    ("random_state : int, RandomState or None, default=1",
     "Seed of all random numbers. The same seed gives the same bytes. None draws one from numpy."),
    ("n_jobs : int or None, default=None",
     "Number of threads; None, 0 or -1 is one for each core. The result is the same for any number."),
    ("verbose : int, default=0", "1 writes a line to stderr for each phase."),
    ("progress : bool, default=False", "Shows a progress bar, if tqdm is installed."),
]
ATTRIBUTES = [
    ("labels_ : ndarray of int32 (n_samples,)", "Cluster of each row."),
    ("confidence_ : ndarray of float32 (n_samples,)", "Largest soft assignment of each row."),
    ("cluster_centers_ : ndarray (n_clusters, n_features)",
     "Centroids, in the feature space if there is a network, else in that of the data."),
    ("embedding_ : ndarray (n_samples, n_features_out) or None",
     "Each row in the feature space; None for methods without a network."),
    ("history_ : structured ndarray",
     "A row for each epoch of pretraining and each update of the target."),
    ("n_clusters_ : int", "Number of clusters that were found, also if n_clusters is a range."),
    ("n_iter_ : int", "Iterations of refinement, or of the method."),
    ("converged_ : bool", "False if the cap on iterations came first."),
    ("n_features_in_ : int", "Number of columns."),
    ("feature_names_in_ : ndarray of str", "Their names, if the data had names."),
]


EXAMPLE = [
    ">>> import decant, numpy",
    ">>> X = numpy.random.default_rng(0).normal(size=(60, 4))",
    ">>> X[20:40, 0] += 9; X[40:, 1] += 9",
    ">>> model = decant.{name}(n_clusters=3).fit(X)",
    ">>> numpy.bincount(model.labels_).tolist()",
    "[20, 20, 20]",
]


def paragraph(text, indent):
    return textwrap.fill(text, 96, initial_indent=indent, subsequent_indent=indent)


def docstring(name, about, rows):
    lines = [f'    """{about}', "", "    Parameters", "    ----------"]
    auto = "" if name == "DEC" else " (DEC only)"
    shared = [(head, text.format(auto=auto)) for head, text in SHARED_DOCS]
    for head, text in shared[:1]:
        lines += [f"    {head}", paragraph(text, " " * 8)]
    if name == "DEC":
        for row in rows:
            if row["name"] in FIRST:
                default = FIRST[row["name"]]
                lines += [f"    {row['name']} : str, default=\"{default}\"", paragraph(document(row), " " * 8)]
    for head, text in shared[1:]:
        lines += [f"    {head}", paragraph(text, " " * 8)]
    for row in rows:
        if row["name"] not in SPECIAL:
            kind = type_of(row).replace(" | None", "")
            kind = "str" if kind.startswith("Literal") else kind.replace(" | ", " or ")
            lines += [f"    {keyword(row['name'])} : {kind}, optional", paragraph(document(row), " " * 8)]
    lines += ["", "    Attributes", "    ----------"]
    for head, text in ATTRIBUTES:
        lines += [f"    {head}", paragraph(text, " " * 8)]
    lines += ["", "    Examples", "    --------"]
    lines += [f"    {line}".format(name=name) for line in EXAMPLE]
    return "\n".join(lines + ['    """'])


def write_class(name, rows):
    wanted, base, about = ESTIMATORS[name]
    chosen = [row for row in rows if wanted is None or row["name"] in wanted]
    arguments = ["n_clusters: int | str | range = 8", "*"]
    if name == "DEC":
        for row in rows:
            if row["name"] in FIRST:
                default = FIRST[row["name"]]
                kind = type_of(row).replace(" | None", "")
                arguments.append(f'{row["name"]}: {kind} = "{default}"')
    arguments += [
        "random_state: Any = 1",
        "n_jobs: int | None = None",
        "verbose: int = 0",
        "progress: bool = False",
    ]
    arguments += [
        f"{keyword(row['name'])}: {type_of(row)} = None"
        for row in chosen
        if row["name"] not in SPECIAL
    ]
    names = [re.match(r"\w+", argument)[0] for argument in arguments if argument != "*"]
    lines = [f"class {name}({base}):", docstring(name, about, chosen), ""]
    lines += [f'    _method = "{METHODS[name]}"', "", "    def __init__(", "        self,"]
    lines += [f"        {argument}," for argument in arguments]
    lines += ["    ) -> None:"]
    lines += [f"        self.{one} = {one}" for one in names]
    return "\n".join(lines) + "\n"


def write_estimators(header, library):
    rows = read_options(header, library)
    known = {row["name"] for row in rows}
    for name, (wanted, _, _) in ESTIMATORS.items():
        if wanted is not None and set(wanted) - known:
            raise SystemExit(f"generate: {name}: no such option: {sorted(set(wanted) - known)}")
    print('"""The estimators. Made by generate.py from the table of options: do not edit."""\n')
    print("from __future__ import annotations\n")
    print("from typing import Any, Literal, Sequence\n")
    print("from ._base import Estimator, NetworkEstimator, PredictingEstimator\n")
    print(f"__all__ = {list(ESTIMATORS)!r}\n\n")
    options = {keyword(row["name"]): row["name"] for row in rows if row["name"] not in SPECIAL}
    print("\n\n".join(write_class(name, rows) for name in ESTIMATORS))
    print("\n# The option of each keyword, in the order of the table.")
    print("OPTIONS: dict[str, str] = {")
    for key, option in options.items():
        print(f'    "{key}": "{option}",')
    print("}")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "header":
        write_header(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "estimators":
        write_estimators(sys.argv[2], sys.argv[3])
    else:
        raise SystemExit(__doc__)
