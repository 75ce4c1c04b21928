"""If raters differ in quality, no engine is reported as better or worse (Loukina et al., 2020)."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from oracles import value
from samples import estimate_in

import reportgen
from report_sections.comparison import changes
from reportgen.reports.batch_folder import Entry
from reportgen.reports.parts import Listed, worst_first
from reportgen.results import Report
from reportgen.runs.configurations import open_folder
from reportgen.runs.model import NumberPlace
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

N = 400
NOT_COMPARABLE = ("qwk", "r", "r_squared", "rmse", "mae", "smd", "kappa", "exact_agreement", "adjacent_agreement")


def scored(folder: Path, name: str, noise: float, start: int = 0, human: str = "", **more: float) -> Path:
    """Return the run of an engine that explains .8 of true scores, with two raters of some noise."""
    rng = np.random.default_rng(start + 1)
    true = rng.normal(0, 1, N)
    engine = 0.8 * true + rng.normal(0, 0.4, N)
    ratings = np.clip(np.rint(3.5 + true[:, None] + rng.normal(0, noise, (N, 2))), 1, 6).astype(int)
    frame = pd.DataFrame({
        "id": [f"{human}{start + place}" for place in range(N)], "human_1": ratings[:, 0], "human_2": ratings[:, 1],
        "system": 3.5 + engine, **more,
    })  # fmt: skip
    frame.to_csv(folder / f"{name}.csv", index=False)
    reportgen.evaluate(folder / f"{name}.csv", folder / name, scale="1:6", formats=[])
    return folder / name


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return runs of one engine: good raters, poor raters of other responses, and poor raters of the same responses."""
    home = tmp_path_factory.mktemp("raters")
    return [scored(home, "good", 0.3), scored(home, "poor", 1.0, start=1000), scored(home, "poor_same", 1.0)]


@pytest.fixture(scope="module", params=[1, 2], ids=["other responses", "same responses"])
def report(request: pytest.FixtureRequest, runs: list[Path]) -> Report:
    return reportgen.compare(runs[0], runs[request.param])


def words(report: Report) -> str:
    """Return all words of a report."""
    return " ".join(text_of(section, report.evaluation).words for section in report.sections)


@pytest.mark.slow
def test_different_raters_have_no_better_engine(report: Report) -> None:
    assert not any(section.error for section in report.sections)
    assert "The raters of the two runs differ" in text_of(report.sections[0], report.evaluation)
    text = words(report).replace("Which engine agrees better with raters?", "").replace("best possible engine", "")
    for word in ("better", "worse", "rank", "best"):
        assert word not in text, word
    for key in ("overall", "score_types", "raters", "degradation", "disattenuated", "true_score"):
        assert not {"better", "worse"} & {row.reading for row in changes(report.evaluation, f"comparison.{key}")}


def test_statistics_that_depend_on_raters_have_no_difference(report: Report) -> None:
    rows = changes(report.evaluation, "comparison.overall")
    for metric in NOT_COMPARABLE:
        found = [row for row in rows if row.metric == metric]
        assert found
        assert {row.reading for row in found} == {"not comparable: different raters"}, metric
        assert not any(row.change.defined for row in found)
        assert all(row.old.defined and row.new.defined for row in found)
    degraded = changes(report.evaluation, "comparison.degradation")
    assert {row.reading for row in degraded} == {"not comparable: different raters"}


def test_first_page_begins_with_true_score_accuracy(report: Report) -> None:
    first = text_of(report.sections[0], report.evaluation).words
    phrases = ("of predicting true scores", "disattenuated correlation", "to expert judgment")
    leads = [first.index(each) for each in phrases]
    assert leads == sorted(leads)
    assert first.index("cannot be compared by their agreement") < first.index("report.show(") < leads[0]
    assert "The correlation between two raters is" in first
    (prmse,) = [row for row in changes(report.evaluation, "comparison.true_score") if row.metric == "prmse"]
    assert prmse.change.low is not None
    assert prmse.reading in ("higher", "lower", "not distinguishable")


def test_similar_raters_of_other_responses_are_not_comparable(tmp_path: Path) -> None:
    report = reportgen.compare(scored(tmp_path, "one", 0.3), scored(tmp_path, "two", 0.3, start=5000))
    (pair,) = report.evaluation.facts["pairs"]
    assert (pair["state"], pair["raters_differ"]) == ("other responses", False)
    assert "The two runs scored different responses" in text_of(report.sections[0], report.evaluation)
    (qwk,) = [row for row in changes(report.evaluation, "comparison.overall") if row.metric == "qwk"]
    assert qwk.reading == "not comparable: different responses"


@pytest.mark.slow
def test_stored_digest_identifies_same_ratings(tmp_path: Path) -> None:
    """The files differ in an unused column, and their scores cannot be read."""
    folders = [scored(tmp_path, "one", 0.3), scored(tmp_path, "two", 0.3, note=1.0), scored(tmp_path, "other", 0.4)]
    for folder in folders:
        (folder / "config.toml").unlink()
    one, two, _ = (open_folder(folder)[0] for folder in folders)
    assert one.rows is None
    assert one.source.sha256 != two.source.sha256
    same, apart = (reportgen.compare(folders[0], each) for each in folders[1:])
    assert same.evaluation.facts["pairs"][0]["state"] == "same ratings"
    assert {row.reading for row in changes(same.evaluation, "comparison.overall")} == {"not distinguishable"}
    assert apart.evaluation.facts["pairs"][0]["state"] == "other responses"
    assert "are treated as different responses (400 and 400)" in words(apart)


def test_copy_without_digest_is_identified_by_file(tmp_path: Path) -> None:
    """Older reports have no digest."""
    folder = scored(tmp_path, "one", 0.3)
    shutil.copytree(folder, tmp_path / "copy")
    for each in (folder, tmp_path / "copy"):
        (each / "config.toml").unlink()
        text = (each / "results.json").read_text()
        assert '"ratings_sha256"' in text
        (each / "results.json").write_text(text.replace('"ratings_sha256"', '"of_no_use"'))
    report = reportgen.compare(folder, tmp_path / "copy")
    assert report.evaluation.facts["pairs"][0]["state"] == "same ratings"


def test_summary_of_different_raters_has_no_ranking(runs: list[Path]) -> None:
    report = reportgen.summarize(*runs[:2])
    assert not any(section.error for section in report.sections)
    assert "summary.ranking" not in report.evaluation.tables
    first = text_of(report.sections[0], report.evaluation).words
    assert "so they are not ranked" in first
    assert "with different raters: QWK, r, RMSE, SMD, and engine-minus-human agreement." in first
    finding = text_of(report.sections[1], report.evaluation).finding
    assert finding.startswith("Accuracy in predicting true scores (PRMSE) is between")
    assert finding.endswith("the data differ, so this is not a ranking.")
    assert not [word for word in ("better", "worse", "best", "first rank") if word in words(report)]


def test_items_are_ordered_by_prmse(runs: list[Path], tmp_path: Path) -> None:
    home = runs[0].parent
    both = [pd.read_csv(home / f"{name}.csv").assign(item=name) for name in ("good", "poor")]
    report = reportgen.batch(pd.concat(both), tmp_path / "b", by="item", scale="1:6", groups=[], tables_only=True)
    table = report.evaluation.tables["summary.items"]
    raters = {str(row.cells[0]): estimate_in(dict(table.row(str(row.cells[0])))["human_r"]).value for row in table.rows}
    assert raters["good"] - raters["poor"] > 0.2  # type: ignore[operator]
    page = text_of(report.sections[0], report.evaluation).words
    assert "“poor”: PRMSE" in page
    assert "cannot be compared between items with different raters" in page


def test_worst_first_orders_by_prmse(runs: list[Path]) -> None:
    """Poor raters reduce QWK, so reports are ordered by PRMSE."""
    good, poor = (open_folder(folder)[0] for folder in runs[:2])
    listed = [Listed(run.name, Entry({}, run.name, "", run.n), run) for run in (good, poor)]
    qwk, prmse = (
        [value(run.estimate(NumberPlace(key))) for run in (good, poor)] for key in ("system.qwk", "true_score.prmse")
    )
    assert qwk[0] > qwk[1]
    assert worst_first(listed) == ([0, 1] if prmse[0] < prmse[1] else [1, 0])
    bare = [replace(each, run=replace(each.run, rows=None, stored={}, _studies=[])) for each in listed if each.run]
    assert worst_first(bare) == [0, 1]


def test_movement_sentence_adds_up() -> None:
    """A score can change sides and have the same distance from the rating."""
    pair = {"changed": 538, "scores": 1000, "nearer": 300, "farther": 221, "up": 270, "down": 268}
    sentence = Vocabulary().phrases("runs").movement(pair)
    moved = "300 move closer to the rater's score, 221 move farther away, "
    assert (
        sentence
        == f"538 of 1,000 rounded scores change: {moved}and 17 are off by the same amount in the opposite direction"
    )


def test_movement_table_adds_up(tmp_path: Path) -> None:
    data = pd.DataFrame({"id": list("abcd"), "human": [3, 3, 3, 4], "one": [2, 2, 3, 3], "two": [4, 3, 2, 3]})
    report = reportgen.compare(pd.concat([data] * 5).assign(id=[f"r{i}" for i in range(20)]), systems=["one", "two"],
                               human="human", id="id", scale="1:6")  # fmt: skip
    counts = {str(row.cells[0]): row.cells[2] for row in report.evaluation.tables["comparison.movement"].rows}
    assert (counts["moves.nearer"], counts["moves.farther"], counts["moves.as_far"]) == (5, 5, 5)
    assert counts["moves.same"] == 5
