"""Test a hundred hostile inputs, the same in every run; ``python -m fuzz`` tests more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("resource")
TESTS = Path(__file__).parents[1]
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


@pytest.mark.slow
def test_no_hostile_input_is_more_than_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "fuzz", "--seed", "7", "--cases", "120", "--work", str(tmp_path)]
    done = subprocess.run(
        command, cwd=TESTS, env={**os.environ, **ONE_THREAD}, capture_output=True, text=True, check=False
    )
    told = [path.read_text(encoding="utf-8") for path in sorted(tmp_path.glob("found/*/CASE.txt"))]
    assert done.returncode == 0, "\n".join([done.stdout, done.stderr, *told])
