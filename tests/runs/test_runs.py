"""Reading finished runs and configurations, what is refused, and a group named like all responses."""

import contextlib
import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import refused
from command import reportgen as run
from oracles import value

import reportgen
from reportgen import testing
from reportgen.errors import ReportgenError
from reportgen.reports import single
from reportgen.results import Estimate
from reportgen.rsmtool.tables import PAIR
from reportgen.runs.configurations import open_folder
from reportgen.runs.model import NumberPlace, positions_of
from reportgen.storing.report_folder import Writing

N = 90


def estimate_in(cell: object) -> Estimate:
    """Return the estimate that a cell must hold."""
    assert isinstance(cell, Estimate)
    return cell


def write_scores(path: Path, system: str = "engine", seed: int = 0, top: int = 5, **levels: str) -> Path:
    rng = np.random.default_rng(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "h1", "h2", system, *levels])
        for row in range(N):
            human = 1 + row % top
            second = "" if row % 3 else min(top, human + row % 2)
            group = [level.split("|")[row % len(level.split("|"))] for level in levels.values()]
            writer.writerow([f"{row:03d}", human, second, round(human + float(rng.normal(0, 0.5)), 4), *group])
    return path


def write_run(folder: Path, name: str, **settings: object) -> Path:
    """Evaluate made-up scores with reportgen."""
    folder.mkdir(exist_ok=True)
    data = write_scores(folder / f"{name}.csv", seed=len(name), L1="a|b")
    given: dict[str, Any] = {
        "system": "engine", "human": ["h1", "h2"], "groups": ["L1"], "scale": "1:5", "formats": [], **settings,
    }  # fmt: skip
    reportgen.evaluate(data, folder / name, **given)
    return folder / name


def write_experiment(folder: Path, name: str = "pilot", **fields: object) -> Path:
    """Evaluate made-up scores in RSMTool's layout."""
    folder.mkdir(exist_ok=True, parents=True)
    data = write_scores(folder / "scores.csv", L1="NA|a.b", odd="x|y")
    config = {
        "experiment_id": name, "predictions_file": str(data), "system_score_column": "engine", "trim_min": 1,
        "trim_max": 5, "human_score_column": "h1", "second_human_score_column": "h2", "id_column": "id",
        "subgroups": ["L1"], **fields,
    }  # fmt: skip
    path = folder / "config.json"
    path.write_text(json.dumps(config), encoding="utf-8")
    run("evaluate", path, folder, "--tables-only", "--force", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder, "mine")
    write_experiment(folder / "theirs")
    return folder


@pytest.mark.slow
def test_a_run_of_rsmeval_gives_the_numbers_of_its_tables(home: Path) -> None:
    (found,) = open_folder(home / "theirs")
    assert (found.name, found.origin, found.n) == ("pilot", "rsmeval", N)
    assert found.groups == ("L1",)
    assert found.levels("L1") == ("NA", "a.b"), "a level named NA is a level, and a dot cuts nothing"
    assert [kind.key for kind in found.score_types] == ["raw", "raw_trim", "raw_trim_round"]
    with (home / "theirs" / "output" / "pilot_eval.csv").open(encoding="utf-8", newline="") as file:
        told = {row[""]: row for row in csv.DictReader(file)}["raw_trim"]
    for name in ("wtkappa", "corr", "R2", "RMSE", "SMD", "h_mean", "sys_sd"):
        value = estimate_in(found.estimate(NumberPlace(f"system.{PAIR[name]}"))).value
        assert value == pytest.approx(float(told[name]), abs=1e-9), name
    assert estimate_in(found.estimate(NumberPlace("human.qwk"))).low is not None, (
        "the second scores are read, so there is an interval"
    )


@pytest.mark.slow
def test_runs_of_both_origins_are_paired_when_they_scored_the_same(home: Path, tmp_path: Path) -> None:
    data = home / "theirs" / "scores.csv"
    reportgen.evaluate(data, tmp_path / "ours", system="engine", human=["h1", "h2"], groups=["L1"], id="id",
                       scale="1:5", formats=[])  # fmt: skip
    report = reportgen.compare(home / "theirs", tmp_path / "ours")
    assert report.evaluation.facts["pairs"][0]["paired"]
    for row in report.evaluation.tables["comparison.overall"].rows:
        assert estimate_in(row.cells[-2]).value == pytest.approx(0, abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "tsv", "xlsx"])
def test_tables_of_every_format_are_read(tmp_path: Path, kind: str) -> None:
    write_experiment(tmp_path, file_format=kind)
    (found,) = open_folder(tmp_path)
    assert estimate_in(found.estimate(NumberPlace("system.qwk"))).defined


@pytest.mark.slow
def test_the_default_of_the_scaled_flag_is_what_the_experiment_has(tmp_path: Path) -> None:
    """rsmcompare stops with a traceback when its default, unscaled scores, are not there."""
    write_experiment(tmp_path / "one", scale_with="asis")
    for flag in (None, False, True):
        config = comparison(tmp_path, use_scaled_predictions_new=flag)
        report = reportgen.compare(config)
        assert estimate_in(report.evaluation.tables["comparison.overall"].row("r")["new"]).defined
        assert any("use_scaled_predictions_new" in text for text in report.evaluation.warnings) == (flag is False)


def comparison(folder: Path, **fields: object) -> Path:
    """Write an rsmcompare configuration of an experiment with itself."""
    content = {"comparison_id": "both", "experiment_id_old": "pilot", "experiment_dir_old": "one",
               "description_old": "old", "experiment_id_new": "pilot", "experiment_dir_new": "one",
               "description_new": "new", **fields}  # fmt: skip
    path = folder / "compare.json"
    path.write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return path


@pytest.mark.slow
def test_subgroups_of_the_configuration_are_the_ones_compared(tmp_path: Path) -> None:
    write_experiment(tmp_path / "one", subgroups=["L1", "odd"])
    assert reportgen.compare(comparison(tmp_path)).evaluation.groups == ("L1", "odd")
    assert reportgen.compare(comparison(tmp_path, subgroups=["odd"])).evaluation.groups == ("odd",)


@pytest.mark.slow
def test_summary_of_mixed_origins(home: Path) -> None:
    report = reportgen.summarize(home / "mine", home / "theirs")
    tables = report.evaluation.tables
    assert report.evaluation.kind == "summary"
    assert not any(section.error for section in report.sections)
    assert tables["summary.association"].column("run") == ("mine", "pilot")
    stored = reportgen.load(home / "mine").evaluation.estimates["system.qwk"]
    assert estimate_in(tables["summary.association"].row("mine")["qwk"]).value == pytest.approx(stored.value)
    assert {row.cells[0] for row in tables["summary.by_group.L1"].rows} == {"a", "b", "NA", "a.b"}
    assert set(tables["summary.ranking"].column("run")) == {"mine", "pilot"}
    drawn = {chart.key for section in report.sections for chart in section.findings.charts}
    assert "summary.by_group.L1.qwk" in drawn
    assert "summary.history" not in tables


@pytest.mark.slow
def test_history_needs_two_dates(tmp_path: Path) -> None:
    runs = [write_run(tmp_path, name, created=day) for name, day in (("new", "2026-03-01"), ("old", "2025-03-01"))]
    table = reportgen.summarize(*runs).evaluation.tables["summary.history"]
    assert table.column("created") == ("2025-03-01", "2026-03-01")
    assert table.column("run") == ("old", "new")


def test_experiment_names_of_a_summary(home: Path, tmp_path: Path) -> None:
    config = tmp_path / "summary.json"
    content = {"summary_id": "all", "experiment_dirs": [str(home / "theirs"), str(home / "theirs")]}
    config.write_text(json.dumps(content))
    assert reportgen.summarize(config).evaluation.facts["runs"] == ["pilot", "pilot (2)"]
    config.write_text(json.dumps({**content, "experiment_names": ["first", "second"]}))
    found = reportgen.summarize(config, out=tmp_path / "out", tables_only=True)
    assert found.evaluation.facts["runs"] == ["first", "second"]
    for table in ("eval_short", "true_score_eval"):
        rows = list(csv.reader((tmp_path / f"out/output/all_{table}.csv").read_text().splitlines()))
        assert [row[0] for row in rows] == ["", "first", "second"], table


def test_positions_of_ids() -> None:
    import pyarrow as pa

    assert positions_of(pa.array(["02", "2"]), pa.array(["2", "1", "02"])).tolist() == [2, 0]


def test_folders_that_hold_no_run(home: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "does not contain a run" in refused("compare", home / "mine", "empty", "--out", "out", cwd=tmp_path)
    assert "was not found" in refused("compare", home / "mine", "nowhere", "--out", "out", cwd=tmp_path)
    assert "does not contain a run" in refused("summarize", "empty", "--out", "out", cwd=tmp_path)


def test_one_run_is_no_comparison(home: Path, tmp_path: Path) -> None:
    assert "at least two runs" in refused("compare", home / "mine", "--out", "out", cwd=tmp_path)


def test_two_runs_of_one_name(home: Path, tmp_path: Path) -> None:
    sentence = refused("compare", home / "mine", home / "mine", "--out", "out", cwd=tmp_path)
    assert "2 runs are named 'mine'" in sentence
    assert "--name" in sentence
    assert "a name for each of 2 runs" in refused(
        "summarize", home / "mine", home / "theirs", "--name", "x", "--out", "out", cwd=tmp_path
    )


def test_runs_of_different_scales(home: Path, tmp_path: Path) -> None:
    data = write_scores(tmp_path / "wide.csv", top=9)
    reportgen.evaluate(data, tmp_path / "wide", system="engine", human=["h1"], scale="1:9", formats=[])
    sentence = refused("compare", home / "mine", "wide", "--out", "out", cwd=tmp_path)
    assert "1 to 5" in sentence
    assert "1 to 9" in sentence


def test_an_assumed_scale_may_be_part_of_a_declared_one(home: Path, tmp_path: Path) -> None:
    data = write_scores(tmp_path / "narrow.csv", top=4)
    reportgen.evaluate(data, tmp_path / "narrow", system="engine", human=["h1"], formats=[])
    report = reportgen.compare(home / "mine", tmp_path / "narrow")
    assert any("trimmed_differently" in warning for warning in report.evaluation.warnings)


def test_configurations_of_other_tools(home: Path, tmp_path: Path) -> None:
    config = home / "theirs" / "config.json"
    assert "configures rsmeval, not rsmcompare" in refused("compare", config, "out", cwd=tmp_path)
    assert "configures rsmeval, not rsmsummarize" in refused("summarize", config, "out", cwd=tmp_path)
    summary = tmp_path / "summary.json"
    summary.write_text(json.dumps({"summary_id": "all", "experiment_dirs": ["x"]}))
    assert "reportgen summarize" in refused("compare", summary, "out", cwd=tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"experiment_id_old": "pilto"}, "did you mean 'pilot'"),
        ({"experiment_dir_old": "nowhere"}, "does not contain a folder 'output'"),
        ({"experiment_id_new": None}, "requires the field 'experiment_id_new'"),
        ({"experiment_id": "x"}, "not a field of rsmcompare"),
        ({"use_scaled_predictions_old": "maybe"}, "expected true or false"),
    ],
)
def test_wrong_fields_of_a_comparison(home: Path, tmp_path: Path, change: dict[str, object], words: str) -> None:
    (tmp_path / "one").symlink_to(home / "theirs")
    comparison(tmp_path, **change)
    assert words in refused("compare", "compare.json", "out", cwd=tmp_path)


def test_wrong_fields_of_a_summary(home: Path, tmp_path: Path) -> None:
    config = tmp_path / "summary.json"
    config.write_text(json.dumps({"summary_id": "all", "experiment_dirs": [str(home)], "experiment_names": ["a", "b"]}))
    assert "expected 1 names" in refused("summarize", config, "out", cwd=tmp_path)
    config.write_text(json.dumps({"summary_id": "all", "experiment_dirs": [str(tmp_path)]}))
    assert "does not contain a run" in refused("summarize", config, "out", cwd=tmp_path)


def test_columns_that_are_not_two_systems(tmp_path: Path) -> None:
    data = write_scores(tmp_path / "scores.csv")
    assert "repeat --system" in refused("compare", data, "out", "--system", "engine", cwd=tmp_path)
    assert "listed twice" in refused("compare", data, "out", "--system", "engine", "--system", "engine", cwd=tmp_path)
    assert "'engnie'" in refused("compare", data, "out", "--system", "engine", "--system", "engnie", cwd=tmp_path)
    assert "--system" in refused("compare", data, "out", "--human", "h1", cwd=tmp_path)


def test_an_experiment_without_its_predictions_is_refused(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "theirs" / "output", tmp_path / "run" / "output")
    (tmp_path / "run" / "output" / "pilot_pred_processed.csv").unlink()
    assert "has no table 'pred_processed'" in refused("compare", "run", home / "mine", "--out", "out", cwd=tmp_path)


def test_a_comparison_is_no_run(home: Path, tmp_path: Path) -> None:
    reportgen.compare(home / "mine", home / "theirs", out=tmp_path / "both", formats=[])
    assert "is a comparison" in refused("summarize", "both", home / "mine", "--out", "out", cwd=tmp_path)


@pytest.mark.parametrize("name", ["pilot_eval.csv", "pilot_pred_processed.csv", "pilot_rsmeval.json"])
@pytest.mark.parametrize("content", ["", "x", "a,b\n1,2\n", '{"trim_min": 1}', "\x00\xff"])
def test_mangled_experiments_give_one_sentence_or_a_run(home: Path, tmp_path: Path, name: str, content: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(home / "theirs" / "output", folder / "output")
    (folder / "output" / name).write_text(content, encoding="latin-1")
    with contextlib.suppress(ReportgenError):
        assert all(found.n >= 0 for found in open_folder(folder))


@pytest.mark.slow
def test_commands_write_where_they_are_told(home: Path, tmp_path: Path) -> None:
    said = run("compare", home / "mine", home / "theirs", "--out", "both", "--formats", "html", cwd=tmp_path).stdout
    assert "both/report.html" in said
    report = reportgen.load(tmp_path / "both")
    first = testing.text_of(report.sections[0], report.evaluation)
    assert f"result        {first.finding}\n" in said
    assert "Neither “mine” nor “pilot” is clearly better" in first.text
    assert sorted(path.name for path in (tmp_path / "both").iterdir()) == [
        "config.toml", "references.bib", "references.json", "report.html", "report.ipynb", "results.json", "tables",
    ]  # fmt: skip
    again = ("compare", home / "mine", home / "theirs", "--out", "both", "--tables-only")
    assert "already contains a report" in refused(*again, cwd=tmp_path)
    run(*again, "--force", cwd=tmp_path)
    run("summarize", home / "mine", home / "theirs", "--tables-only", cwd=tmp_path)
    assert (tmp_path / "summary_report" / "tables" / "summary.runs.csv").is_file()
    run("render", tmp_path / "both" / "results.json", "again", "--formats", "html", cwd=tmp_path)
    assert (tmp_path / "again" / "report.html").is_file()


GROUPS = ("All data", "north")


def write_two_groups(path: Path, names: tuple[str, ...] = GROUPS) -> tuple[Path, dict[str, float]]:
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
    path, means = write_two_groups(tmp_path / "s.csv", names)
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
    path, means = write_two_groups(tmp_path / "s.csv")
    for name in ("old", "new"):
        reportgen.evaluate(path, tmp_path / name, scale="1:6", groups=["region"], formats=[])
    (run,) = open_folder(tmp_path / "old")
    stored = {name: run.stored[NumberPlace("system.h_mean", "", "region", name)].value for name in GROUPS}
    assert stored == pytest.approx(means)
    report = reportgen.compare(tmp_path / "old", tmp_path / "new")
    levels = {row.cells[2] for row in report.evaluation.tables["comparison.by_group.region"].rows}
    assert levels == set(GROUPS)


def test_in_the_layout_of_the_peer_the_group_is_the_second_row(tmp_path: Path) -> None:
    path, means = write_two_groups(tmp_path / "s.csv")
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
