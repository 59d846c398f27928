"""The tutorial runs from its first line to its last."""

import subprocess
import sys
from pathlib import Path

TUTORIAL = Path(__file__).parents[2] / "examples" / "tutorial.py"


def test_tutorial(tmp_path):
    run = subprocess.run(
        [sys.executable, str(TUTORIAL)], cwd=tmp_path, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert "DEC     accuracy 0." in run.stdout
    assert (tmp_path / "digits.onnx").exists()
