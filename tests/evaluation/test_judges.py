"""Analyses of judges from a data frame to sentences, compared with public functions."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error
from simulated import evaluation_of

import reportgen
from reportgen import testing
from reportgen.errors import InputError, SettingsError
from reportgen.metrics import alternative_annotator_test, association_given_true_score, calibrated_mean
from reportgen.metrics.alternative_annotators import wins
from reportgen.results import Estimate, Report, SectionResult
from reportgen.wording.vocabulary import Vocabulary

N, UNSCORED = 360, 60
NAMED: dict[str, Any] = {"human": ["h1", "h2", "h3"], "system": "judge", "scale": "1:6", "groups": []}


def drawn(*, reward: float = 0.0, shift: float = 0.0, seed: int = 1) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1, N)
    length = 300 + 80 * (0.6 * (true - 3.5) + 0.8 * rng.normal(0, 1, N))
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (N, 3))), 1, 6)
    position = rng.choice(["first", "second"], N)
    judge = true + reward * (length - 300) / 80 + shift * (position == "second") + rng.normal(0, 0.3, N)
    human[-UNSCORED:] = np.nan
    raters = {f"h{k + 1}": human[:, k] for k in range(3)}
    return {**raters, "judge": judge, "length": length, "position": position}


def frame(data: dict[str, NDArray[Any]], **more: Any) -> Any:
    columns = {
        name: pa.array(column, mask=np.isnan(column)) if column.dtype.kind == "f" else pa.array(column.tolist())
        for name, column in (data | more).items()
    }
    return pa.table(columns)


def section(report: Report) -> SectionResult | None:
    return next((each for each in report.sections if each.name == "judges"), None)


def text_of(report: Report) -> str:
    found = section(report)
    assert found is not None
    assert not found.error
    return testing.text_of(found, report.evaluation).words


def test_judge_estimates_match_public_functions() -> None:
    data = drawn(reward=0.3, shift=-0.4)
    report = reportgen.evaluate(frame(data), **NAMED, length="length", position="position")
    numbers, kept = report.evaluation.estimates, N - UNSCORED
    human = np.column_stack([data[name] for name in ("h1", "h2", "h3")])
    judge = np.clip(data["judge"], 1 - 0.4998, 6.4998)
    rounded = np.rint(judge)
    test = alternative_annotator_test(rounded, human, margin=0.15)
    assert numbers["judges.advantage"].value == pytest.approx(test.advantage)
    rows = report.evaluation.tables["judges.annotators"].rows
    assert [row.cells[1:4] + row.cells[5:6] for row in rows] == [
        (each.n, each.system_advantage, each.annotator_advantage, each.p) for each in test.comparisons
    ]
    won = wins(rounded[:kept], human[:kept])
    for row, gap in zip(rows, (won.system - won.annotator).T, strict=True):
        difference = row.cells[4]
        assert isinstance(difference, Estimate)
        assert difference.value == pytest.approx(gap.mean())
        assert difference.standard_error == pytest.approx(gap.std(ddof=1) / np.sqrt(kept))
    length = association_given_true_score(judge[:kept], human[:kept], data["length"][:kept])
    assert numbers["judges.length_points"].value == pytest.approx(length.points)
    assert numbers["judges.length_given_human_score"].value == pytest.approx(length.given_human_score)
    mean = calibrated_mean(judge[:kept], human[:kept, 0], judge[kept:])
    found = numbers["judges.calibrated_mean"]
    assert (found.value, found.low, found.high) == pytest.approx((mean.value, mean.low, mean.high))
    assert report.evaluation.estimates["system.qwk"].n == kept  # only responses with ratings
    text = text_of(report)
    assert "The judge rewards length" in text
    assert "The position of an output changes its score" in text
    assert f"The mean human score of all {N:,} outputs" in text


def test_fair_judge_has_no_findings() -> None:
    report = reportgen.evaluate(frame(drawn(seed=6)), **NAMED, length="length", position="position")
    text = text_of(report)
    assert "The judge could stand in for an annotator" in text
    assert "The data do not show that the judge rewards or penalizes length" in text
    assert "The data do not show that the position of an output changes its score" in text


def test_random_judge_cannot_replace_rater() -> None:
    data = drawn()
    data["judge"] = np.random.default_rng(2).uniform(1, 6, N)
    assert "The data do not show that the judge could stand in" in text_of(reportgen.evaluate(frame(data), **NAMED))


def test_two_raters_have_no_judges_section() -> None:
    data = {name: column[: N - UNSCORED] for name, column in drawn().items()}
    assert section(reportgen.evaluate(frame(data), **{**NAMED, "human": ["h1", "h2"]})) is None


def test_annotator_test_requires_two_ratings() -> None:
    """In a file with two of five raters for each response, three or more annotators are tested."""
    data, rng, rows = drawn(), np.random.default_rng(9), []
    for i in range(N):
        rows += [
            (f"e{i}", f"person {k}", np.clip(np.rint(data["judge"][i] + rng.normal(0, 0.6)), 1, 6))
            for k in rng.permutation(5)[: 1 if i % 10 == 0 else 2]
        ]
        rows.append((f"e{i}", "engine", data["judge"][i]))
    columns = dict(zip(("id", "rater", "score"), zip(*rows, strict=True), strict=True))
    report = reportgen.evaluate(pa.table(columns), scale="1:6", system="engine")
    table, few = report.evaluation.tables["judges.annotators"], (N + 9) // 10
    assert report.evaluation.facts["annotator_test"]["annotators"] == 5
    assert sum(int(row.cells[1]) for row in table.rows if isinstance(row.cells[1], int)) == 2 * (N - few)
    assert f"{few} responses with fewer than 2 ratings are excluded." in Vocabulary().table(table).notes
    stricter = reportgen.evaluate(pa.table(columns), scale="1:6", system="engine", annotator_min_ratings=3)
    assert "judges.annotators" not in stricter.evaluation.tables


def test_annotator_test_rounds_to_scale() -> None:
    """Multiplying all scores by ten changes nothing. Unrounded scores rarely tie, so they win less."""
    data = drawn()
    scaled = {name: 10 * data[name] if name in ("h1", "h2", "h3", "judge") else data[name] for name in data}
    found, tenfold, unrounded = (
        evaluation_of(frame(each), **{**NAMED, "scale": scale, "annotator_rounded": rounded})
        for each, scale, rounded in ((data, "1:6", True), (scaled, "10:60:10", True), (data, "1:6", False))
    )
    advantage = [each.estimates["judges.advantage"].value or 0.0 for each in (found, tenfold, unrounded)]
    assert advantage[1] == pytest.approx(advantage[0], abs=0.02)  # trimming keeps half a point, not half a step
    assert advantage[2] < advantage[0]
    notes = [" ".join(Vocabulary().table(each.tables["judges.annotators"]).notes) for each in (found, unrounded)]
    assert ["trimmed and rounded" in each for each in notes] == [True, False]


def test_length_of_text_column_is_counted() -> None:
    data = drawn()
    texts = np.array(["x" * int(length) + "  " for length in data["length"]])
    counted = evaluation_of(frame(data, text=texts), **NAMED, length="text").estimates
    given = evaluation_of(frame(data, length=np.floor(data["length"])), **NAMED, length="length").estimates
    assert counted["judges.length_points"].value == pytest.approx(given["judges.length_points"].value)
    with pytest.raises(InputError, match="length column 'text' is blank"):
        reportgen.evaluate(frame(data, text=np.array([" "] * N)), **NAMED, length="text")
    with pytest.raises(SettingsError, match="length column 'nowhere' does not exist"):
        reportgen.evaluate(frame(data), **NAMED, length="nowhere")


def test_annotators_of_long_file_are_not_named() -> None:
    data = drawn()
    rng, rows = np.random.default_rng(4), []
    for i in range(N):
        for k in rng.permutation(5)[:3]:
            score = np.clip(np.rint(data["judge"][i] + rng.normal(0, 0.6)), 1, 6)
            rows.append((f"e{i}", f"Secret{k}", score, data["judge"][i]))
    columns = dict(zip(("id", "rater", "score", "engine"), zip(*rows, strict=True), strict=True))
    report = reportgen.evaluate(pa.table(columns), scale="1:6")
    names = [row.cells[0] for row in report.evaluation.tables["judges.annotators"].rows]
    assert names == [f"Rater {k}" for k in range(1, 6)]
    assert report.evaluation.facts["annotator_test"]["annotators"] == 5


def test_advantage_error_matches_jackknife() -> None:
    data = {name: column[:120] for name, column in drawn(seed=5).items()}
    found = evaluation_of(frame(data), **NAMED).estimates["judges.advantage"]
    human = np.column_stack([data[name] for name in ("h1", "h2", "h3")])
    judge = np.rint(data["judge"])
    left = jackknife_error(lambda kept: alternative_annotator_test(judge[kept], human[kept], margin=0.1).advantage, 120)
    assert found.standard_error == pytest.approx(left, rel=0.02)
