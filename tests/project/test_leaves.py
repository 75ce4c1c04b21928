"""The core works without the leaves: they attach by entry points, and no module of the core imports one."""

import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEAVES = {"governance": "packet*", "judges": "", "office": "", "studies": "study_*"}
"""A leaf -> its sections."""

CORE = """
import importlib, pkgutil, reportgen, report_sections
for package in (reportgen, report_sections):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
"""


@pytest.mark.parametrize("leaves", [tuple(LEAVES), *(pytest.param((leaf,), marks=pytest.mark.slow) for leaf in LEAVES)])
def test_the_core_works_standalone(leaves: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("reportgen", "report_sections", "templates"):
        shutil.copytree(ROOT / package, tmp_path / package)  # with what is compiled
    installed = Path(str(distribution("reportgen-scoring").locate_file("")))
    (metadata,) = installed.glob("reportgen_scoring-*.dist-info")
    shutil.copytree(metadata, tmp_path / metadata.name)
    points, sections = tmp_path / metadata.name / "entry_points.txt", [LEAVES[leaf] for leaf in leaves if LEAVES[leaf]]
    for leaf in leaves:
        shutil.rmtree(tmp_path / "reportgen" / leaf)
    for path in [path for pattern in sections for path in (tmp_path / "report_sections").glob(pattern)]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    gone = [rf"reportgen\.{leaf}\b" for leaf in leaves] + [rf"report_sections\.{each[:-1]}" for each in sections]
    kept = [line for line in points.read_text().splitlines() if not re.search("|".join(gone), line)]
    points.write_text("\n".join(kept))

    def run(*words: str) -> str:
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        command, out = [sys.executable, *words], subprocess.PIPE
        return subprocess.run(command, cwd=tmp_path, stdout=out, text=True, check=True).stdout

    scores = str(ROOT / "example_reports" / "asap2" / "scores.csv")
    code = CORE + "from reportgen.cli.app import main\nimport sys\nsys.argv[0] = 'reportgen'\nmain()\n"
    run("-c", code, "evaluate", scores, "report", "--scale", "1:6", "--formats", "html", "--quiet")
    assert (tmp_path / "report" / "report.html").is_file()
