"""The Python lines of the README run as they stand there."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_lines_of_the_readme(tmp_path):
    readme = ROOT / "README.md"
    if not readme.exists():
        pytest.skip("needs the sources")
    text = readme.read_text()
    lines = re.search(r"<!-- python -->\n```python\n(.*?)```", text, flags=re.S)[1]
    assert len(lines.strip().splitlines()) <= 12
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    run = subprocess.run(
        [sys.executable, "-c", lines], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ},
    )
    assert run.returncode == 0, run.stderr
    accuracy = float(re.search(r"accuracy ([\d.]+)", run.stdout)[1])
    assert accuracy > 0.75
    assert (tmp_path / "report.html").exists() and (tmp_path / "digits.safetensors").exists()
