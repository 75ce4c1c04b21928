"""Test that a plugin statistic appears wherever built-in statistics appear."""

import csv
import json
import os
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
import dataclasses
import numpy as np
from reportgen.metrics import PairStatistic, TableStatistic, pair

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
def shared(counts):
    """Return the entropy that two scores share over that of the first, which is smooth in the counts."""
    p = counts / counts.sum(axis=(-2, -1), keepdims=True)
    rows, columns, both = ((x * np.log(np.where(x == 0, 1, x))).sum(axis=-1) for x in
                           (p.sum(axis=-1), p.sum(axis=-2), p.reshape(*p.shape[:-2], -1)))
    return (rows + columns - both) / rows

TOLD = TableStatistic(
    key="told", label="Entropy told", abbreviation="told", kind="coefficient", range=(0, 1), better="high",
    formula="(H(h) + H(s) - H(h, s)) / H(h)", source="information theory", transform="logit", formula_on_counts=shared,
    tables=("system_human.agreement", "by_group", "human_human.agreement", "human_human.degradation"),
)
ROUGH = PairStatistic(
    key="rough", label="Rough", abbreviation="rough", kind="coefficient", range=(-1, 1), better="high",
    formula="r", source="nobody", formula_on_sums=lambda sums: pair.pearson_r(sums).real,
)
GAMMA, LOST = dataclasses.replace(CCC, key="gamma"), dataclasses.replace(CCC, tables=("by_groups",))
'''
POLICY = """
name = "concordance"
[[criteria]]
statistic = "system.ccc"
low = 0.99
[[criteria]]
statistic = "system.told"
groups = ["sex"]
high = 0.01
"""


def on_path(*folders: Path) -> dict[str, str]:
    """Return an environment that also finds packages in these folders."""
    return {"PYTHONPATH": os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])}


def plugin(folder: Path, entry: str = "ccc = lin:CCC\ntold = lin:TOLD") -> dict[str, str]:
    """Install a package with a statistic in a folder; return an environment that finds it."""
    information = folder / "lin-0.3.dist-info"
    information.mkdir(parents=True)
    (folder / "lin.py").write_text(ENTRY, encoding="utf-8")
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: lin\nVersion: 0.3\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(f"[reportgen.statistics]\n{entry}\n", encoding="utf-8")
    return on_path(folder)


def drawn() -> Floats:
    """Return true scores, three ratings, and engine scores, from 1 to 6."""
    rng = np.random.default_rng(11)
    true = rng.normal(3.5, 1.1, 400)
    ratings = [np.clip(np.rint(true + rng.normal(0, 0.6, 400)), 1, 6) for _ in range(3)]
    return np.column_stack([*ratings, np.clip(true + rng.normal(0.2, 0.5, 400), 1, 6).round(2)])


def lin(x: Floats, y: Floats) -> float:
    """Compute the coefficient with NumPy only."""
    covariance = np.cov(x, y)
    return float(2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + (x.mean() - y.mean()) ** 2))


def told(x: Floats, y: Floats) -> float:
    """Compute the share of the entropy of x that y explains, with rounded engine scores."""
    shares = [np.unique(each, axis=0, return_counts=True)[1] / len(x)
              for each in (x, np.rint(y), np.column_stack([x, np.rint(y)]))]  # fmt: skip
    first, second, both = (-float((p * np.log(p)).sum()) for p in shares)
    return (first + second - both) / first


STATISTICS = {"ccc": (lin, "system_human.association", "Concordance coefficient", "CCC"),
              "told": (told, "system_human.agreement", "Entropy told", "told")}  # fmt: skip
"""Key -> the statistic in NumPy, its table, name, and abbreviation."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scores, and the output with the package installed."""
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


@pytest.mark.parametrize("key", STATISTICS)
def test_plugin_statistic_has_interval(evaluation: Stored, key: str) -> None:
    scores, found, of = drawn(), evaluation["estimates"], STATISTICS[key][0]
    system, human = of(scores[:, 0], scores[:, 3]), of(scores[:, 0], scores[:, 1])
    for family, value in {"system": system, "human": human, "degradation": system - human}.items():
        each = found[f"{family}.{key}"]
        assert each["value"] == pytest.approx(value, abs=1e-12)
        assert each["low"] < each["value"] < each["high"]


@pytest.mark.slow
def test_plugin_interval_matches_bootstrap(evaluation: Stored) -> None:
    scores, rng = drawn(), np.random.default_rng(3)
    resampled = [lin(drawn_again[:, 0], drawn_again[:, 3]) for drawn_again in
                 (scores[rng.integers(0, 400, 400)] for _ in range(2000))]  # fmt: skip
    assert evaluation["estimates"]["system.ccc"]["standard_error"] == pytest.approx(np.std(resampled), rel=0.1)


@pytest.mark.parametrize("key", STATISTICS)
def test_plugin_statistic_is_in_report_tables(evaluation: Stored, home: Path, key: str) -> None:
    tables, scores, (of, name, label, short) = evaluation["tables"], drawn(), STATISTICS[key]
    assert column(tables[name], key)[-1]["low"] is not None
    pairs = column(tables["human_human.agreement"], key)
    expected = [of(scores[:, a], scores[:, b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert [each["value"] for each in pairs[:3]] == pytest.approx(expected, abs=1e-12)
    assert label in [row["cells"][0] for row in tables["human_human.degradation"]["rows"]]
    assert short in page_text(home / "out" / "report.html")
    women = column(tables["by_group.sex"], key)[column(tables["by_group.sex"], "level").index("f")]
    assert women["value"] == pytest.approx(of(scores[::2, 0], scores[::2, 3]), abs=1e-12)
    assert women["low"] is not None


@pytest.mark.parametrize("key", STATISTICS)
def test_plugin_statistic_is_in_item_tables(home: Path, key: str) -> None:
    of, first = STATISTICS[key][0], drawn()[:200]
    for name in (STATISTICS[key][1], "by_group", "human_human.agreement"):
        with (home / "items" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row[key]]
        assert all(float(row[f"{key}_low"]) < float(row[key]) < float(row[f"{key}_high"]) for row in rows)
        if name.startswith("human"):
            assert float(rows[0][key]) == pytest.approx(of(first[:, 0], first[:, 1]), abs=1e-9)


def test_policy_accepts_plugin_statistic(home: Path) -> None:
    done = reportgen("check", "out", "--policy", "policy.toml", cwd=home, code=1, environment=on_path(home / "site"))
    assert "oncordance coefficient" in done.stdout
    assert "ntropy told" in done.stdout


def test_reference_lists_plugin_statistic(home: Path) -> None:
    code = "import build_statistics; print(*build_statistics.pages().values())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=on_path(home / "site", Path(__file__).parents[2] / "docs"),
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
        ("gamma = lin:GAMMA", "'gamma' of lin 0.3 has the key of a statistic of reportgen"),
        ("lost = lin:LOST", "has 'by_groups' as tables, expected system_human.association, .*by_group"),
    ],
)
def test_invalid_plugin_statistic_raises(entry: str, said: str, home: Path, tmp_path: Path) -> None:
    environment = plugin(tmp_path / "site", entry)
    done = reportgen("evaluate", home / "scores.csv", "out", cwd=tmp_path, code=2, environment=environment)
    line, *_ = done.stderr.split("\nhint: ")
    assert re.search(said, line)
    assert len(line) <= 300
    assert not (tmp_path / "out").exists()
