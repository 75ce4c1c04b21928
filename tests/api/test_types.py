"""The types of the public functions: what type checkers accept and refuse, and that they follow the settings."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts import loaded

import reportgen
from reportgen.settings import Settings

HOME = Path(__file__).parents[2]

SCRIPT = '''
"""What a user writes."""

from pathlib import Path

import pandas as pd

import reportgen
from reportgen.errors import ReportgenError

rows = [{"id": "a", "h1": 1, "h2": 2, "engine": 1.5}, {"id": "b", "h1": 3, "h2": 3, "engine": 2.5}]
columns = {"id": ["a", "b"], "h1": [1, 3], "engine": [1.5, 2.5]}
print(reportgen.__version__, reportgen.metrics.quadratic_weighted_kappa([1, 2], [1, 2]))

found = reportgen.look(rows, human=["h1", "h2"], system="engine", id="id")
if not found.questions:
    print(found.columns("human"), found.scale)
try:
    report = reportgen.evaluate(
        pd.DataFrame(columns), Path("out"), human="h1", system="engine", scale=(1, 6), policy=Path("ours.toml"),
        groups=[], formats=["html", "pdf"], confidence_level=0.9, min_n_per_group=20, seed=7, force=True,
        labels_file="labels.csv", intersections=[["gender", "language"]],
    )
except ReportgenError as error:
    raise SystemExit(error.exit_code) from error
qwk = report.evaluation.estimates["system.qwk"]
if qwk.value is not None and qwk.low is not None:
    print(f"{qwk.value:.2f}, at least {qwk.low:.2f}")
if report.verdict is not None:
    for check in report.verdict.checks:
        print(check.outcome, check.sentence.upper())
page: str = report.to_html()
plain: dict[str, object] = report.to_dict()
frame: pd.DataFrame = report.evaluation.tables["system_human.association"].frame()
again = reportgen.render(report, "pages", formats=["html"], language="es", colours={"engine": "#aa0000"})
stored = reportgen.load(Path("out"))
where: Path | None = stored.page
verdict = reportgen.check(stored, policy="prmse")
reportgen.batch("scores.csv", "reports", by="item", scale="1:6", human=["h1", "h2"], workers=2)
reportgen.item_tables("scores.parquet", by=["item"], human="h1", formats=["csv"]).tables
reportgen.compare(columns, systems=["a", "b"], human="h1", title="Two engines")
reportgen.summarize("run_1", "run_2", out="summary", names=["One", "Two"])
reportgen.export("out", "paper", tables=["latex"], language="en")
answers = [each.about for each in reportgen.verify("out", ["scores.csv"])]
'''

WRONG = """
import reportgen

reportgen.evaluate("s.csv", humann="h1")
reportgen.batch("s.csv", "out", by="item", sytem="engine")
reportgen.compare("a", "b", titel="x")
reportgen.render("out", "pages", format=["html"])
reportgen.item_tables("s.csv", by="item", human=3)
reportgen.look("s.csv", confidence_level="high")
"""


@pytest.mark.slow
def test_type_checker_accepts_valid_calls_and_rejects_invalid_ones(tmp_path: Path) -> None:
    readme = re.findall(
        r"```python\n(import reportgen\n.*?)```", (HOME / "README.md").read_text(encoding="utf-8"), re.S
    )
    scripts = {"right.py": SCRIPT, "wrong.py": WRONG, "readme.py": readme[0]}
    for name, text in scripts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--cache-dir", HOME / ".mypy_cache", *scripts],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert {int(line.split(":")[1]) for line in errors if line.startswith("wrong.py")} == set(range(4, 10))
    assert [line for line in errors if not line.startswith("wrong.py")] == []


def test_types_follow_the_settings() -> None:
    build = loaded("docs/build_keywords.py")
    assert build.text() == build.TARGET.read_text(encoding="utf-8"), "type: make docs"
    known = {keyword for keyword, (table, _) in Settings.keywords().items() if table != "runs"}
    assert set(re.findall(r"^    (\w+): ", build.text(), re.MULTILINE)) == {*known, "traits"} - {"by"}


def test_only_public_names_are_listed() -> None:
    assert dir(reportgen) == sorted(reportgen.__all__)
    assert all(getattr(reportgen, name) is not None for name in dir(reportgen))
    assert not {"Any", "Mapping", "TYPE_CHECKING", "annotations"} & set(dir(reportgen))
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", reportgen.__version__)
    code = "import reportgen; print(reportgen.metrics.__name__, reportgen.sections.Section.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[1] == "Section"
