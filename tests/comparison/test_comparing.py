"""Comparisons of runs: pairing, readings, written pages, and human ratings that differ."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import page_text
from command import reportgen as command
from samples import estimate_in, scores, write_csv
from simulated import framed, simulated

import reportgen
from report_sections.comparison import changes
from reportgen import metrics
from reportgen.comparison.changes import Pair, movement
from reportgen.results import Estimate, Report
from reportgen.results.term import Term
from reportgen.runs.configurations import open_folder
from reportgen.runs.model import NumberPlace
from reportgen.storing import results_file
from reportgen.testing import Prose, text_of
from reportgen.wording.vocabulary import Vocabulary

DATA: dict[str, Any] = {"human": ["h1", "h2"], "groups": ["language"], "id": "id", "scale": "1:6"}


def evaluated(folder: Path, data: Path, system: str) -> Path:
    """Evaluate one system; return the folder of the run."""
    out = folder / f"run_{system}"
    reportgen.evaluate(data, out, system=system, formats=[], **DATA)
    return out


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("comparing")
    write_csv(folder / "scores.csv")
    for system in ("engine_a", "engine_b"):
        evaluated(folder, folder / "scores.csv", system)
    return folder


@pytest.fixture(scope="module")
def report(home: Path) -> Report:
    return reportgen.compare(home / "run_engine_a", home / "run_engine_b")


@pytest.fixture(scope="module")
def direct(home: Path) -> Report:
    """The comparison of two columns of the file."""
    return reportgen.compare(home / "scores.csv", systems=["engine_a", "engine_b"], **DATA)


def compared(*runs: Path, **asked: Any) -> Report:
    """Return a comparison with its first page and tables only."""
    return reportgen.compare(*runs, sections=["comparison_summary"], **asked)


def overall(report: Report, metric: str = "qwk") -> dict[str, Any]:
    return dict(report.evaluation.tables["comparison.overall"].row(metric))


def first_page(report: Report) -> Prose:
    """Return the words of the first section."""
    return text_of(report.sections[0], report.evaluation)


def test_runs_of_same_responses_are_paired(report: Report) -> None:
    (pair,) = report.evaluation.facts["pairs"]
    assert pair["paired"]
    assert pair["shared"] == 240
    assert not report.evaluation.warnings


def test_difference_is_new_minus_old_with_paired_interval(report: Report, home: Path) -> None:
    row = overall(report)
    old, new, change = row["old"], row["new"], row["change"]
    for run, estimate in (("run_engine_a", old), ("run_engine_b", new)):
        stored = reportgen.load(home / run).evaluation.estimates["system.qwk"]
        assert (estimate.value, estimate.low) == (pytest.approx(stored.value), pytest.approx(stored.low))
    assert change.value == pytest.approx(new.value - old.value, abs=1e-12)
    assert change.low < change.value < change.high
    assert change.standard_error < np.hypot(old.standard_error, new.standard_error)
    assert "paired" in change.method


def test_columns_of_file_compare_like_runs(report: Report, direct: Report) -> None:
    one, other = (overall(each)["change"] for each in (report, direct))
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
    assert direct.evaluation.source.name == "scores.csv"


def test_comparison_ignores_order_of_rows(report: Report, home: Path, tmp_path: Path) -> None:
    header, *lines = (home / "scores.csv").read_text().splitlines()
    shuffled = tmp_path / "shuffled.csv"
    shuffled.write_text("\n".join([header, *np.random.default_rng(0).permutation(lines)]) + "\n")
    other = compared(home / "run_engine_a", evaluated(tmp_path, shuffled, "engine_b"))
    assert overall(other)["change"].value == pytest.approx(overall(report)["change"].value, abs=1e-12)
    assert overall(other)["change"].low == pytest.approx(overall(report)["change"].low, abs=1e-9)


def test_run_does_not_differ_from_itself(home: Path) -> None:
    report = compared(home / "run_engine_a", home / "run_engine_a", names=["one", "two"])
    for row in report.evaluation.tables["comparison.overall"].rows:
        assert estimate_in(row.cells[-2]).value == 0
        assert row.cells[-1] == "the same"
    assert "“one” and “two” have the same PRMSE." in first_page(report)


def test_comparison_without_scores_is_unpaired(home: Path, tmp_path: Path) -> None:
    for system in ("engine_a", "engine_b"):
        shutil.copytree(home / f"run_{system}", tmp_path / system)
        (tmp_path / system / "config.toml").unlink()
    report = compared(tmp_path / "engine_a", tmp_path / "engine_b")
    row = overall(report)
    assert row["change"].value == row["new"].value - row["old"].value
    assert row["change"].standard_error == pytest.approx(
        np.hypot(row["old"].standard_error, row["new"].standard_error), rel=1e-12
    )
    (warning,) = report.evaluation.warnings
    assert isinstance(warning, Term)
    assert warning.key == "not_paired"
    assert "the same 240 responses and ratings but cannot be paired, so intervals are wider" in first_page(report)
    assert "config.toml does not exist" in first_page(report)
    assert "comparison.movement" not in report.evaluation.tables
    assert "comparison.by_group.language" in report.evaluation.tables


def test_changed_file_is_not_read(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "copy")
    (found,) = open_folder(tmp_path / "copy" / "run_engine_a")
    assert found.rows is not None
    with (tmp_path / "copy" / "scores.csv").open("a") as file:
        file.write("r999,3,,3.2,3.1,Korean\n")
    (found,) = open_folder(tmp_path / "copy" / "run_engine_a")
    assert found.rows is None
    assert "has changed" in found.no_rows


def test_different_ratings_are_not_paired(home: Path, tmp_path: Path) -> None:
    data = write_csv(tmp_path / "other.csv", seed=9)
    report = compared(home / "run_engine_a", evaluated(tmp_path, data, "engine_b"))
    (pair,) = report.evaluation.facts["pairs"]
    assert not pair["paired"]
    assert pair["reason"].key == "apart.rated_otherwise"


def test_responses_missing_in_one_run_are_excluded(home: Path, tmp_path: Path) -> None:
    lines = (home / "scores.csv").read_text().splitlines()
    data = tmp_path / "fewer.csv"
    data.write_text("\n".join(lines[:221]) + "\n")
    report = compared(home / "run_engine_a", evaluated(tmp_path, data, "engine_b"))
    (pair,) = report.evaluation.facts["pairs"]
    assert (pair["paired"], pair["shared"], pair["old_only"]) == (True, 220, 20)
    assert overall(report)["old"].n == 220
    assert "are compared on the 220 responses that they share. Excluded: 20 only in the first" in first_page(report)


def test_movement_counts_each_response_once(home: Path) -> None:
    old, new = (open_folder(home / f"run_{system}")[0] for system in ("engine_a", "engine_b"))
    moved = movement(Pair.of(old, new))
    assert moved is not None
    made = scores(1, 240)
    for axis, system in ((1, "a"), (0, "b")):
        rounded = np.rint(np.clip(made[system].round(4), 0.5002, 6.4998))
        counted = [int((rounded == point).sum()) for point in moved.points]
        assert moved.counts.sum(axis=axis).tolist() == counted


@pytest.mark.parametrize(
    ("old", "new", "reading"),
    [
        pytest.param(0.30, 0.05, "better", marks=pytest.mark.slow),
        (-0.30, -0.05, "better"),
        pytest.param(0.05, 0.60, "worse", marks=pytest.mark.slow),
        (-0.40, 0.40, "higher"),
        pytest.param(0.3, 0.3, "the same", marks=pytest.mark.slow),
    ],
)
def test_smd_closer_to_zero_is_better(tmp_path: Path, old: float, new: float, reading: str) -> None:
    """A shift of the system toward the human mean improves the SMD."""
    made = scores(1, 240)
    level = made["a"] - made["a"].mean() + made["human"][:, 0].mean()
    sd = made["human"][:, 0].std(ddof=1)
    data = write_csv(tmp_path / "scores.csv", one=(level + old * sd).tolist(), two=(level + new * sd).tolist())
    report = compared(data, systems=["one", "two"], **{**DATA, "scale": "-20:20"})
    assert overall(report, "smd")["reading"] == reading


def test_better_system_is_reported_in_any_order(tmp_path: Path) -> None:
    human, rng = scores(1, 240)["human"][:, 0], np.random.default_rng(0)
    good, poor = ((human + rng.normal(0, sd, 240)).tolist() for sd in (0.2, 1.5))
    data = write_csv(tmp_path / "s.csv", good=good, poor=poor)
    for systems, finding in ((["poor", "good"], "“good” is better than “poor”"),
                             (["good", "poor"], "“poor” is worse than “good”")):  # fmt: skip
        assert finding in first_page(compared(data, systems=systems, **DATA))


def test_ranks_depend_on_differences(tmp_path: Path) -> None:
    made = scores(1, 240)
    rng = np.random.default_rng(0)
    one = made["a"] + rng.normal(0, 0.3, 240)
    noisy = {f"noisy{sd}": (one + rng.normal(0, sd, 240)).tolist() for sd in (0.6, 2.0)}
    data = write_csv(tmp_path / "s.csv", one=one.tolist(), **noisy)
    report = compared(data, systems=["one", *noisy], primary="r", **DATA)
    first, second, third = report.evaluation.records("comparison.ranking")
    assert estimate_in(first["value"]).low < estimate_in(second["value"]).high  # type: ignore[operator]
    assert [(row["rank"], row["last_rank"]) for row in (first, second, third)] == [(1, 1), (2, 2), (3, 3)]
    assert "noisy0.6 and noisy2.0 are worse than “one”" in first_page(report)


def test_primary_measure_decides(home: Path, report: Report) -> None:
    one, other = (home / f"run_engine_{letter}" for letter in "ab")
    for found, finding, decides in (
        (report, "Neither run_engine_a nor run_engine_b is clearly better on proportional", "compared on PRMSE;"),
        (
            compared(one, other, primary="qwk"),
            "Neither run_engine_a nor run_engine_b is clearly better on quadratic weighted kappa (QWK)", "within ±0.05",
        ),
        (
            compared(one, other, smallest_difference=0.3),
            "run_engine_a and run_engine_b are equivalent on proportional", "within ±0.30",
        ),
    ):  # fmt: skip
        assert finding in first_page(found)
        assert decides in first_page(found)


def test_three_systems_are_compared_and_ranked(home: Path, tmp_path: Path) -> None:
    made = scores(1, 240)
    data = write_csv(tmp_path / "three.csv", engine_c=(made["b"] + 0.4).tolist())
    report = reportgen.compare(data, systems=["engine_a", "engine_b", "engine_c"], **DATA)
    assert [pair["old"] for pair in report.evaluation.facts["pairs"]] == ["engine_a", "engine_a"]
    assert {"comparison.ranking", "comparison.movement.3"} <= set(report.evaluation.tables)
    assert not any(section.error for section in report.sections)


def test_comparison_results_round_trip(report: Report) -> None:
    text = results_file.dumps(report)
    assert json.loads(text)["report"]["evaluation"]["kind"] == "comparison"
    assert results_file.loads(text).evaluation.tables == report.evaluation.tables


def test_comparison_with_hostile_names_is_written(home: Path, tmp_path: Path) -> None:
    out, runs = tmp_path / "out", [home / "run_engine_a", home / "run_engine_b"]
    names = ["<script>alert(1)</script>", "=cmd()|'x'!A1 {{ 7*7 }}"]
    report = reportgen.compare(*runs, out=out, names=names, formats=["html"])
    assert not any(section.error for section in report.sections)
    page = page_text(out / "report.html").replace("’", "'")
    assert all(name in page for name in names)
    titles = (Vocabulary().table(table).caption for table in report.sections[1].findings.tables)
    assert all(title and title in page for title in titles)
    written = {path.name: path.read_text().splitlines() for path in (out / "tables").iterdir()}
    assert set(written) == {table.file_name for table in report.evaluation.tables.values()}
    assert not any(cell.startswith("=cmd") for lines in written.values() for line in lines for cell in line.split(","))
    assert "<script>alert" not in (out / "report.html").read_text(encoding="utf-8")
    with pytest.raises(reportgen.errors.OutputError, match="already contains a report"):
        reportgen.compare(*runs, out=out)


def test_columns_are_judged_like_their_reports(report: Report, direct: Report) -> None:
    stored, here = (each.evaluation.facts["decisions"] for each in (report, direct))
    assert [each["decision"] for each in here] == [each["decision"] for each in stored]
    assert [[check.outcome for check in each["checks"]] for each in here] == [
        [check.outcome for check in each["checks"]] for each in stored
    ]
    assert [each["here"] for each in (*stored, *here)] == [False, False, True, True]


def test_repr_of_comparison_is_short(report: Report) -> None:
    said = repr(report)
    assert said.splitlines()[0].startswith("Comparison of run_engine_a and run_engine_b")
    assert "comparison.overall" in said
    assert len(said) < 4000


def test_stored_estimates_match_rows(home: Path) -> None:
    (run,) = open_folder(home / "run_engine_a")
    stored = {place: estimate for place, estimate in run.stored.items() if estimate.defined}
    assert NumberPlace("system.qwk", "", "language", "Korean") in stored
    assert NumberPlace("system.rmse", "raw_trim_round") in stored
    for place, estimate in stored.items():
        counted = run.estimate(place)
        if counted is not None and counted.defined:
            assert counted.value == pytest.approx(estimate.value, abs=1e-9), place


N = 200


def frame() -> pd.DataFrame:
    """Return two ratings and an engine's score of every response."""
    scores = simulated(N, 7, sd=1.2)
    frame = framed(scores, "human_", "system").astype({"human_1": int, "human_2": int}).clip(1, 6).round(3)
    return frame.assign(id=[f"r{i}" for i in range(N)], gender=scores.rng.choice(["f", "m"], N))


DIFFER = "The human ratings of old and new differ on {} of 200 responses, by up to 2 points. {}"


def other(column: str, n: int, by: int = 2) -> pd.DataFrame:
    """Return the frame with `n` ratings of one column moved to the middle, and another engine."""
    made, rng = frame(), np.random.default_rng(8)
    rows = rng.choice(N, n, replace=False)
    made.loc[rows, column] += np.where(made.loc[rows, column] > 3, -by, by)
    return made.assign(system=np.clip(made["system"] + rng.normal(0, 0.4, N), 1, 6).round(3))


@pytest.fixture
def compared_ratings(tmp_path: Path) -> Callable[[pd.DataFrame, pd.DataFrame], Report]:
    """Return a function that compares the runs of two frames."""

    def compare(old: pd.DataFrame, new: pd.DataFrame) -> Report:
        for name, data in (("old", old), ("new", new)):
            data.to_csv(tmp_path / f"{name}.csv", index=False)
            command("evaluate", f"{name}.csv", name, "--scale", "1:6", "--tables-only", "--force", cwd=tmp_path)
        return reportgen.compare(tmp_path / "old", tmp_path / "new")

    return compare


def first_page_of(report: Report) -> str:
    """Return the words of the first page."""
    return text_of(report.sections[0], report.evaluation).words


def keys_with(report: Report, what: str) -> list[str]:
    """Return the keys of estimates and tables that contain a text."""
    evaluation = report.evaluation
    return [key for key in (*evaluation.estimates, *evaluation.tables) if what in key]


def readings(report: Report, table: str, metric: str) -> set[str]:
    """Return the readings of a metric in a table of changes."""
    rows = changes(report.evaluation, table)
    assert rows
    return {row.reading for row in rows if row.metric == metric}


@pytest.mark.slow
def test_different_first_ratings_compare_engines_only(compared_ratings: Any) -> None:
    old, new = frame(), other("human_1", 40)
    report = compared_ratings(old, new)
    told = "Therefore, agreement with raters is not compared, but the engines' scores are compared with each other."
    assert DIFFER.format(40, told) in first_page_of(report)
    for what in ("confusion", "by_group"):
        assert keys_with(report, what) == [], what
    for metric in ("qwk", "r", "r_squared", "rmse", "mae", "smd", "kappa", "exact_agreement"):
        change = report.evaluation.estimates[f"change2.system.{metric}"]
        assert change.value is None, metric
    for key in ("overall", "score_types", "degradation"):
        assert readings(report, f"comparison.{key}", "qwk") == {"not comparable: different raters"}
    assert report.evaluation.checks == ()
    value = report.evaluation.tables["comparison.engines"].rows[0].cells[2]
    assert isinstance(value, Estimate)
    expected = metrics.quadratic_weighted_kappa(np.rint(old["system"]), np.rint(new["system"]))
    assert value.value == pytest.approx(expected)
    change = report.evaluation.estimates["change2.system.system_mean"]
    assert change.value == pytest.approx((new["system"] - old["system"]).mean(), abs=1e-9)
    assert not any(section.error for section in report.sections)


@pytest.mark.slow
def test_different_second_ratings_compare_first_ratings(compared_ratings: Any) -> None:
    report = compared_ratings(frame(), other("human_2", 40))
    told = "The first ratings are the same; results based on the other ratings are not judged."
    assert DIFFER.format(40, told) in first_page_of(report)
    assert report.evaluation.estimates["change2.system.qwk"].value is not None
    assert readings(report, "comparison.degradation", "qwk") == {"not comparable: different raters"}
    for key, metric in (("true_score", "prmse"), ("raters", "qwk"), ("disattenuated", "disattenuated_r")):
        assert readings(report, f"comparison.{key}", metric) <= {"higher", "lower", "not distinguishable"}
    assert {each.statistic.split(".")[0] for each in report.evaluation.checks} == {"system"}
    assert not any(section.error for section in report.sections)


@pytest.mark.slow
def test_equal_engines_are_never_better(compared_ratings: Any) -> None:
    for column in ("human_1", "human_2"):
        new = other(column, 40).assign(system=frame()["system"])
        report = compared_ratings(frame(), new)
        assert " better " not in first_page_of(report)
        assert " worse " not in first_page_of(report)


@pytest.mark.slow
@pytest.mark.parametrize("column", ["human_1", "human_2"])
def test_few_responses_that_were_rated_otherwise_are_left_out(column: str, compared_ratings: Any) -> None:
    report = compared_ratings(frame(), other(column, 4))
    assert DIFFER.format(4, "These responses are excluded.") in first_page_of(report)
    assert report.evaluation.estimates["change2.system.qwk"].n == 196
    assert report.evaluation.estimates["change2.true_score.prmse"].value is not None


@pytest.mark.slow
def test_the_order_of_further_raters_is_no_difference(compared_ratings: Any) -> None:
    old, rng = frame(), np.random.default_rng(3)
    old["human_3"] = np.clip(old["human_2"] + rng.integers(-1, 2, N), 1, 6)
    new = old.assign(human_2=old["human_3"], human_3=old["human_2"])
    report = compared_ratings(old, new)
    assert "ratings of old and new differ" not in first_page_of(report)
    assert report.evaluation.facts["pairs"][0].get("ratings_differ") is None


@pytest.mark.slow
def test_rating_in_one_run_only_is_different(compared_ratings: Any) -> None:
    report = compared_ratings(frame(), frame().assign(human_2=np.repeat([np.nan, 3.0], N // 2)))
    assert "differ on " in first_page_of(report)
    assert readings(report, "comparison.true_score", "prmse") <= {"higher", "lower", "not distinguishable"}
