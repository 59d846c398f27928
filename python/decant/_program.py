"""The program `decant` of this package, as a console script."""

import os
import sys
from pathlib import Path


def main() -> None:
    program = str(Path(__file__).parent / "bin" / "decant")
    os.execv(program, ["decant", *sys.argv[1:]])
