"""The image: what its Dockerfile names is there, and its steps make an image that makes the example offline.

The steps are taken on demand, ``REPORTGEN_IMAGE=1 pytest tests/project/test_dockerfile.py``, as root on Debian with
debootstrap: minutes, and a network.
"""

import fnmatch
import os
import re
import subprocess
from pathlib import Path

import pytest
from image_steps import Image, instructions

ROOT = Path(__file__).parents[2]
STEPS = instructions(ROOT / "Dockerfile")


def copied() -> list[str]:
    return [name for word, text in STEPS if word == "COPY" for name in text.split()[:-1]]


def test_copied_files_exist_and_are_not_ignored() -> None:
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line[:1] == "!"]
    assert [name for name in copied() if not (ROOT / name).exists()] == []
    assert [name for name in copied() if not any(fnmatch.fnmatch(name, f"{each}*") for each in kept)] == []
    assert {"pyproject.toml", "README.md", "LICENSE", "NOTICE", "reportgen", "templates"} <= set(copied())


def test_the_image_has_the_libraries_that_setup_installs() -> None:
    (wanted,) = re.findall(r"debian (lib[\w. -]+?) &&", (ROOT / ".ci" / "setup").read_text(encoding="utf-8"))
    (installed,) = [text for word, text in STEPS if word == "RUN" and "apt-get install" in text]
    assert set(wanted.split()) <= set(installed.split())


def test_the_user_of_the_image_has_no_rights() -> None:
    assert [text for word, text in STEPS if word == "USER"] == ["reportgen"]


@pytest.mark.skipif(not os.environ.get("REPORTGEN_IMAGE"), reason="on demand: REPORTGEN_IMAGE=1")
def test_the_steps_build_an_image_that_runs_the_example_offline(tmp_path: Path) -> None:
    image = Image(tmp_path / "root", ROOT)
    image.build(ROOT / "Dockerfile")
    help_ = image.start("--help")
    assert help_.returncode == 0, help_.stderr
    done = image.start("evaluate", "/example/config.toml", "report")
    assert done.returncode == 0, done.stdout + done.stderr
    report = tmp_path / "root" / "work" / "report"
    assert {"report.html", "report.pdf", "results.json"} <= {each.name for each in report.iterdir()}
    assert report.stat().st_uid != 0
    weight = subprocess.run(["du", "-sm", image.root / "opt", image.root], capture_output=True, text=True, check=True)
    print(weight.stdout)  # with -s: megabytes of the environment, and of the whole image
