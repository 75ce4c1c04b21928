"""A statistic of another package is one entry: everything the program says of its own, it says of this one."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import page_text, reportgen
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Stored = dict[str, Any]

ENTRY = '''
from reportgen.metrics import PairStatistic, pair

def concordance(sums):
    """Return Lin's concordance coefficient, its moments with divisor n - 1."""
    gap = pair.mean_x(sums) - pair.mean_y(sums)
    divisor = sums.n - 1
    own = (pair.squares_x(sums) + pair.squares_y(sums)) / divisor
    return pair.ratio(2 * pair.products(sums) / divisor, own + gap**2)

CCC = PairStatistic(
    key="ccc", label="Concordance coefficient", abbreviation="CCC", kind="coefficient", range=(-1, 1), better="high",
    formula="2 cov(h, s) / (var h + var s + (mean h - mean s)^2), divisor n - 1", source="Lin 1989",
    transform="fisher", both_vary=True, question="How far do the scores lie on the line of equality?",
    formula_on_sums=concordance,
    tables=("system_human.association", "by_group", "human_human.agreement", "human_human.degradation"),
)
ROUGH = PairStatistic(
    key="rough", label="Rough", abbreviation="rough", kind="coefficient", range=(-1, 1), better="high",
    formula="r", source="nobody", formula_on_sums=lambda sums: pair.pearson_r(sums).real,
)
'''
POLICY = """
name = "concordance"
[[criteria]]
statistic = "system.ccc"
low = 0.99
"""


def plugin(folder: Path, entry: str = "ccc = lin:CCC") -> dict[str, str]:
    """Install a package with a statistic in a folder; return the environment in which it is found."""
    information = folder / "lin-0.3.dist-info"
    information.mkdir(parents=True)
    (folder / "lin.py").write_text(ENTRY, encoding="utf-8")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: lin\nVersion: 0.3\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(f"[reportgen.statistics]\n{entry}\n", encoding="utf-8")
    return {"PYTHONPATH": str(folder)}


def drawn() -> Floats:
    """Return true scores, three ratings and engine scores, from 1 to 6."""
    rng = np.random.default_rng(11)
    true = rng.normal(3.5, 1.1, 400)
    ratings = [np.clip(np.rint(true + rng.normal(0, 0.6, 400)), 1, 6) for _ in range(3)]
    return np.column_stack([*ratings, np.clip(true + rng.normal(0.2, 0.5, 400), 1, 6).round(2)])


def lin(x: Floats, y: Floats) -> float:
    """Return the coefficient by numpy alone."""
    covariance = np.cov(x, y)
    return float(2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + (x.mean() - y.mean()) ** 2))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scores, and what the program makes of them when the package is installed."""
    folder = tmp_path_factory.mktemp("statistic")
    environment = plugin(folder / "site")
    rows = [f"{a:g},{b:g},{c:g},{s},{'fm'[i % 2]},{'pq'[i // 200]}" for i, (a, b, c, s) in enumerate(drawn())]
    (folder / "scores.csv").write_text("\n".join(["h1,h2,h3,engine,sex,prompt", *rows, ""]), encoding="utf-8")
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    roles = ("--scale", "1:6", "--group", "sex", "--system", "engine")
    reportgen("evaluate", "scores.csv", "out", *roles, "--formats", "html", cwd=folder, environment=environment)
    reportgen("tables", "scores.csv", "items", *roles, "--by", "prompt", cwd=folder, environment=environment)
    return folder


@pytest.fixture(scope="module")
def evaluation(home: Path) -> Stored:
    found: Stored = json.loads((home / "out" / "results.json").read_text(encoding="utf-8"))["report"]["evaluation"]
    return found


def column(table: Stored, key: str) -> list[Any]:
    """Return the cells of a column of a stored table."""
    place = [each["key"] for each in table["columns"]].index(key)
    return [row["cells"][place] for row in table["rows"]]


@pytest.mark.slow
def test_it_is_among_the_estimates_with_an_interval(evaluation: Stored) -> None:
    scores = drawn()
    found = evaluation["estimates"]
    assert found["system.ccc"]["value"] == pytest.approx(lin(scores[:, 0], scores[:, 3]), abs=1e-12)
    assert found["human.ccc"]["value"] == pytest.approx(lin(scores[:, 0], scores[:, 1]), abs=1e-12)
    assert found["degradation.ccc"]["value"] == pytest.approx(
        lin(scores[:, 0], scores[:, 3]) - lin(scores[:, 0], scores[:, 1]), abs=1e-12
    )
    for each in (found["system.ccc"], found["human.ccc"], found["degradation.ccc"]):
        assert each["low"] < each["value"] < each["high"]


@pytest.mark.slow
def test_its_interval_covers_like_that_of_resamples(evaluation: Stored) -> None:
    scores, rng = drawn(), np.random.default_rng(3)
    resampled = [lin(drawn_again[:, 0], drawn_again[:, 3]) for drawn_again in
                 (scores[rng.integers(0, 400, 400)] for _ in range(2000))]  # fmt: skip
    assert evaluation["estimates"]["system.ccc"]["standard_error"] == pytest.approx(np.std(resampled), rel=0.1)


def test_it_stands_in_tables_of_the_report(evaluation: Stored, home: Path) -> None:
    tables, scores = evaluation["tables"], drawn()
    assert column(tables["system_human.association"], "ccc")[0]["low"] is not None
    pairs = column(tables["human_human.agreement"], "ccc")
    expected = [lin(scores[:, a], scores[:, b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert [each["value"] for each in pairs[:3]] == pytest.approx(expected, abs=1e-12)
    assert "Concordance coefficient" in [row["cells"][0] for row in tables["human_human.degradation"]["rows"]]
    assert "CCC" in page_text(home / "out" / "report.html")


def test_it_is_there_by_group(evaluation: Stored) -> None:
    scores = drawn()
    found = column(evaluation["tables"]["by_group.sex"], "ccc")
    labels = column(evaluation["tables"]["by_group.sex"], "level")
    women = scores[::2]
    assert found[labels.index("f")]["value"] == pytest.approx(lin(women[:, 0], women[:, 3]), abs=1e-12)
    assert found[labels.index("f")]["low"] is not None


@pytest.mark.parametrize("name", ["system_human.association", "by_group", "human_human.agreement"])
def test_it_is_in_the_tables_of_items(home: Path, name: str) -> None:
    with next((home / "items").glob(f"{name}.csv")).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(float(row["ccc_low"]) < float(row["ccc"]) < float(row["ccc_high"]) for row in rows)
    if name == "system_human.association":
        first = drawn()[:200]
        assert float(rows[0]["ccc"]) == pytest.approx(lin(first[:, 0], first[:, 3]), abs=1e-9)


@pytest.mark.slow
def test_a_policy_asks_for_it(home: Path) -> None:
    done = reportgen(
        "check", "out", "--policy", "policy.toml", cwd=home, code=1, environment={"PYTHONPATH": str(home / "site")}
    )
    assert "oncordance coefficient" in done.stdout


def test_the_reference_names_it(home: Path) -> None:
    code = "import build_api; print(build_api.pages()['statistics.md'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": f"{home / 'site'}:{Path(__file__).parents[2] / 'docs'}"},
    )  # fmt: skip
    (part,) = (part for part in done.stdout.split("\n## ") if "`ccc`" in part)
    assert "How far do the scores lie on the line of equality?" in part
    assert "Lin 1989" in part


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("ccc = lin:NOTHING", r"cannot be loaded \(AttributeError: .*NOTHING"),
        ("ccc = lin:concordance", "is a function, expected a reportgen.metrics.PairStatistic"),
        ("rough = lin:ROUGH", "loses complex numbers"),
        ("ccc = lin:CCC\nagain = lin:CCC", "'ccc' of lin 0.3 has the key of another one"),
    ],
)
def test_a_statistic_that_is_none_is_refused(entry: str, said: str, home: Path, tmp_path: Path) -> None:
    environment = plugin(tmp_path / "site", entry)
    done = reportgen("evaluate", home / "scores.csv", "out", cwd=tmp_path, code=2, environment=environment)
    (line,) = done.stderr.strip().split("\n")
    assert re.search(said, line)
    assert len(line) <= 300
    assert not (tmp_path / "out").exists()
