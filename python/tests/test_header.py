"""The declarations of the package are those of the headers, as a C compiler sees them."""

import ctypes
import doctest
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from decant import _estimators, _header
from decant._library import lib, make_options, option_value

INCLUDE = Path(__file__).parents[2] / "include"


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """What the compiler says: sizes, offsets of fields, values of constants."""
    compiler = shutil.which("cc")
    if compiler is None or not INCLUDE.is_dir():
        pytest.skip("needs a C compiler and the sources")
    folder = tmp_path_factory.mktemp("header")
    (folder / "decant").mkdir()
    (folder / "decant" / "export.h").write_text("#define DECANT_API\n")
    lines = ["#include <stddef.h>", "#include <stdio.h>"]
    lines += [f'#include "decant/{path.name}"' for path in sorted(INCLUDE.glob("decant/*.h"))]
    lines.append("int main(void) {")
    for struct in _header.STRUCTS:
        name = struct.__name__
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        for field, *_ in struct._fields_:
            lines.append(
                f'printf("{name}.{field} %zu %zu\\n", offsetof(struct {name}, {field}), '
                f"sizeof(((struct {name} *)0)->{field}));"
            )
    for name in constants():
        lines.append(f'printf("{name} %d\\n", (int){name});')
    lines.append("return 0; }")
    (folder / "measure.c").write_text("\n".join(lines))
    program = str(folder / "measure")
    subprocess.run(
        [compiler, f"-I{INCLUDE}", f"-I{folder}", "-o", program, str(folder / "measure.c")],
        check=True,
    )
    output = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    return dict(line.split(" ", 1) for line in output.splitlines())


def constants():
    return [name for name in vars(_header) if name.startswith("DECANT_")]


def test_structs(measured):
    assert len(_header.STRUCTS) >= 16
    for struct in _header.STRUCTS:
        assert measured[struct.__name__] == str(ctypes.sizeof(struct))
        for field, *_ in struct._fields_:
            place = getattr(struct, field)
            assert measured[f"{struct.__name__}.{field}"] == f"{place.offset} {place.size}"


def test_constants(measured):
    assert len(constants()) > 50
    for name in constants():
        assert measured[name] == str(getattr(_header, name))


def test_every_function_is_declared():
    if not INCLUDE.is_dir():
        pytest.skip("needs the sources")
    text = "".join(path.read_text() for path in INCLUDE.glob("decant/*.h"))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    declared = set(re.findall(r"\b(decant_\w+)\([^)]", re.sub(r"\s+", " ", text)))
    declared -= set(re.findall(r"\(\*(\w+)\)", text))
    assert set(_header.FUNCTIONS) == {name for name in declared if hasattr(lib, name)}
    assert len(_header.FUNCTIONS) == text.count("DECANT_API")


def test_every_option_is_a_keyword_of_dec():
    names = {
        lib.decant_option_at(i).contents.name.decode() for i in range(lib.decant_option_count())
    }
    special = {"k": "n_clusters", "seed": "random_state", "threads": "n_jobs"}
    params = _estimators.DEC().get_params()
    for name in names:
        keyword = special.get(name, name.replace("-", "_"))
        keyword += "_" if keyword == "lambda" else ""
        assert keyword in params, name
        assert re.search(rf"(?m)^ *{keyword} : ", _estimators.DEC.__doc__)
    assert set(_estimators.OPTIONS.values()) | {*special, "method", "preset"} == names


def test_examples_of_the_docstrings_run():
    examples = doctest.DocTestFinder().find(_estimators)
    examples = [one for one in examples if one.examples]
    assert len(examples) == len(_estimators.__all__)
    for example in examples:
        assert doctest.DocTestRunner().run(example).failed == 0


def test_options_go_to_c():
    options = _estimators.DEC(7, preset="paper", alpha=0.5, shuffle=True, layers=(20, 5))._options()
    assert options.k == 7
    assert option_value(options, "alpha") == "0.5"
    assert option_value(options, "layers") == "20,5"
    assert option_value(options, "shuffle") == "yes"
    assert option_value(options, "preset") == "paper"
    paper = make_options([("preset", "paper")])
    for name in ("optimizer", "max-iterations", "refine-rate"):
        assert option_value(options, name) == option_value(paper, name)
