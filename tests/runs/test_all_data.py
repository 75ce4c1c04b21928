"""A group called "All data", as the row of all responses is: nothing takes one for the other."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from oracles import value

import reportgen
from reportgen.reports import single
from reportgen.runs.configurations import open_folder
from reportgen.runs.model import NumberPlace
from reportgen.storing.report_folder import Writing

GROUPS = ("All data", "north")


def write_scores(path: Path, names: tuple[str, ...] = GROUPS) -> tuple[Path, dict[str, float]]:
    """Write scores of some groups, each rated differently; return the mean human score of each."""
    rng = np.random.default_rng(5)
    rows, means = [], {}
    for place, name in enumerate(names):
        true = rng.normal(3 + place, 0.8, 60)
        first, second = (np.clip(np.rint(true + rng.normal(0, 0.5, 60)), 1, 6).astype(int) for _ in range(2))
        engine = true + rng.normal(0, 0.4, 60)
        means[name] = float(first.mean())
        rows += [f"{name}{i},{first[i]},{second[i]},{engine[i]:.3f},{name}" for i in range(60)]
    path.write_text("\n".join(["id,h1,h2,engine,region", *rows]) + "\n")
    return path, means


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "whole"),
    [
        (("south", "north"), "All data"),
        (GROUPS, "All data (all groups)"),
        (("all DATA", "All data (all groups)"), "All data (all groups) (all groups)"),
    ],
)
def test_the_row_of_all_responses_has_a_name_of_its_own(names: tuple[str, ...], whole: str, tmp_path: Path) -> None:
    path, means = write_scores(tmp_path / "s.csv", names)
    out = tmp_path / "out"
    report = reportgen.evaluate(path, out, scale="1:6", groups=["region"], formats=["html"])
    for key, column in (("by_group.region", "human_mean"), ("human_human.by.region", "h1_mean")):
        table = report.evaluation.tables[key]
        (row,) = (row for row in table.rows if row.mark == "overall")
        assert row.cells[0] == whole
        found = {str(line.cells[0]): value(table.row(str(line.cells[0]))[column]) for line in table.rows}
        assert found == pytest.approx({whole: np.mean(list(means.values())), **means})
        with (out / "tables" / table.file_name).open(newline="") as file:
            told = {line["level"]: float(line[column]) for line in csv.DictReader(file)}
        assert told == pytest.approx(found)
    page = (out / "report.html").read_text(encoding="utf-8")
    shown = "All responses" if whole == "All data" else whole
    assert page.count(f">{shown}</th>") >= 1
    assert {check.level for check in report.evaluation.checks if check.column == "region"} == set(names)


@pytest.mark.slow
def test_a_comparison_takes_the_group_for_the_group(tmp_path: Path) -> None:
    path, means = write_scores(tmp_path / "s.csv")
    for name in ("old", "new"):
        reportgen.evaluate(path, tmp_path / name, scale="1:6", groups=["region"], formats=[])
    (run,) = open_folder(tmp_path / "old")
    stored = {name: run.stored[NumberPlace("system.h_mean", "", "region", name)].value for name in GROUPS}
    assert stored == pytest.approx(means)
    report = reportgen.compare(tmp_path / "old", tmp_path / "new")
    levels = {row.cells[2] for row in report.evaluation.tables["comparison.by_group.region"].rows}
    assert levels == set(GROUPS)


def test_in_the_layout_of_the_peer_the_group_is_the_second_row(tmp_path: Path) -> None:
    path, means = write_scores(tmp_path / "s.csv")
    config = {
        "experiment_id": "pilot", "predictions_file": str(path), "system_score_column": "engine", "trim_min": 1,
        "trim_max": 6, "human_score_column": "h1", "second_human_score_column": "h2", "id_column": "id",
        "subgroups": ["region"],
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    single.evaluate_rsmeval(tmp_path / "config.json", {}, Writing(tmp_path / "theirs", tables_only=True))
    (run,) = open_folder(tmp_path / "theirs")
    for name in GROUPS:
        assert value(run.estimate(NumberPlace("system.h_mean", "", "region", name))) == pytest.approx(means[name])
