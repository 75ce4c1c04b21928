"""What rater error explains, what an engine could reach, and statements that fit who rated what."""

import re
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from simulated import evaluation_of, framed, simulated

from report_sections.human_human_agreement import HumanHumanAgreement
from report_sections.raters_report import RatersEach, RatersSummary
from report_sections.score_distributions import ScoreDistributions
from report_sections.summary import Summary
from report_sections.system_human_agreement import SystemHumanAgreement
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.results import Estimate, Evaluation
from reportgen.testing import text_of

evaluated = partial(evaluation_of, groups=[])


def true_scores(rng: np.random.Generator, shape: str, n: int) -> np.ndarray:
    if shape == "skewed":
        return 1 + np.minimum(rng.gamma(1.2, 1.0, n), 5)
    return np.where(rng.random(n) < 0.6, rng.normal(2, 0.4, n), rng.normal(5, 0.4, n))


def double_scored(
    rng: np.random.Generator, true: np.ndarray, double: float, *, error: float = 0.7, engine: Any = None
) -> pd.DataFrame:
    """Return two ratings on 1 to 6, the second for a random part, with an engine."""
    n = len(true)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, error, (n, 2))), 1, 6)
    human[rng.random(n) >= double, 1] = np.nan
    system = true if engine is None else engine
    return pd.DataFrame({"id": range(n), "human1": human[:, 0], "human2": human[:, 1], "system": system})


def accused(evaluation: Evaluation) -> list[dict[str, Any]]:
    return [case for case in Summary().findings(evaluation).values["know"] if case["case"] == "error_at_score"]


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["skewed", "two peaks"])
def test_a_perfect_engine_is_rarely_accused_and_a_compressing_one_is(shape: str) -> None:
    rng, perfect, compressing = np.random.default_rng(3), 0, 0
    for _ in range(10):
        true = true_scores(rng, shape, 600)
        perfect += bool(accused(evaluated(double_scored(rng, true, 0.5), scale="1:6")))
        squeezed = true.mean() + 0.4 * (true - true.mean())
        frame = double_scored(rng, true, 0.5, engine=squeezed)
        compressing += bool(accused(evaluated(frame, scale="1:6")))
    assert perfect <= 1
    assert compressing >= 9


def test_what_rater_error_explains_is_another_rating_less_the_rating() -> None:
    rng = np.random.default_rng(9)
    frame = double_scored(rng, true_scores(rng, "skewed", 800), 0.6)
    table = evaluated(frame, scale="1:6").tables["levels.by_human"]
    first, second = (frame.dropna()[name].to_numpy() for name in ("human1", "human2"))
    apart = second - first - (second - first).mean()
    for label, expected in zip(table.column("human"), table.column("expected_error"), strict=True):
        assert isinstance(label, str | int | float)
        found = apart[first == float(label)]
        assert (expected is None) == (len(found) < 10)
        if expected is not None:
            assert isinstance(expected, Estimate)
            assert expected.value == pytest.approx(found.mean())


def test_few_double_scores_explain_nothing_and_accuse_no_one() -> None:
    rng = np.random.default_rng(1)
    true = true_scores(rng, "skewed", 400)
    frame = double_scored(rng, true, 0.02, engine=true.mean() + 0.3 * (true - true.mean()))
    evaluation = evaluated(frame, scale="1:6")
    assert not accused(evaluation)
    assert ScoreDistributions().findings(evaluation).values["errors"]["beyond"] == 0


def ratings_of(n: int, double: int, rng: np.random.Generator, **how: float) -> pd.DataFrame:
    scores = simulated(n, rng, **how)  # type: ignore[arg-type]
    scores.human[rng.permutation(n)[double:], 1] = np.nan
    return framed(scores, "human", "system", id=range(n))


@pytest.mark.slow
@pytest.mark.parametrize("double", [40, 100])
def test_a_ceiling_is_never_below_what_the_engine_reaches(double: int) -> None:
    rng, shown = np.random.default_rng(double), 0
    for _ in range(8):
        frame = ratings_of(400, double, rng, error=0.9, noise=0.2)
        evaluation = evaluated(frame, scale="1:6")
        reached, best = (evaluation.estimates[key] for key in ("system.r", "attainable.true_r"))
        page = str(text_of(Summary(), evaluation)) + str(text_of(SystemHumanAgreement(), evaluation))
        assert best.value is None or best.value >= reached.value  # type: ignore[operator]
        assert ("best possible engine would reach a" in page) == best.defined
        assert best.defined or "too few" in page
        shown += best.defined
    assert shown == 0 if double < 100 else shown > 0


@pytest.mark.slow
def test_raters_get_no_advice_from_few_double_scores() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        evaluation = evaluated(ratings_of(300, 40, rng, error=2.0), scale="1:6")
        assert evaluation.verdict is None or evaluation.verdict.decision != "out of reach with these raters"
        assert "Improve the ratings first" not in str(text_of(Summary(), evaluation))


def no_overlap(rng: np.random.Generator, n: int = 150) -> pd.DataFrame:
    """Return responses of which half have an engine score and the others a second rating."""
    frame = ratings_of(2 * n, 2 * n, rng)
    odd = np.arange(2 * n) % 2 == 1
    frame.loc[~odd, "human2"] = np.nan
    frame.loc[odd, "system"] = np.nan
    return frame


def prmse_of(frame: pd.DataFrame) -> tuple[float, float]:
    twice, scored = frame.dropna(subset=["human2"]), frame.dropna(subset=["system"])
    error = float(((twice["human1"] - twice["human2"]) ** 2).mean() / 2)
    system = scored["system"].clip(1 - 0.4998, 6 + 0.4998)
    off = float(((scored["human1"] - system) ** 2).mean())
    return error, 1 - (off - error) / (float(scored["human1"].var()) - error)


def test_second_ratings_count_without_an_engine_score() -> None:
    frame = no_overlap(np.random.default_rng(11))
    evaluation = evaluated(frame, scale="1:6")
    error, prmse = prmse_of(frame)
    assert evaluation.estimates["true_score.error_variance"].value == pytest.approx(error)
    assert evaluation.estimates["true_score.prmse"].value == pytest.approx(prmse)
    page = " ".join(str(text_of(section(), evaluation)) for section in (Summary, TrueScoreEvaluation))
    assert "150" in page
    assert not re.search(r"[Nn]o response (was|has)", page)


@pytest.mark.slow
def test_the_interval_of_prmse_includes_the_error_of_ratings_without_an_engine() -> None:
    rng, covered = np.random.default_rng(12), 0
    draws = [no_overlap(rng, 120) for _ in range(12)]
    _, truth = prmse_of(no_overlap(rng, 100_000))
    for frame in draws:
        found = evaluated(frame, scale="1:6").estimates["true_score.prmse"]
        covered += found.low <= truth <= found.high  # type: ignore[operator]
    assert covered >= 10


def test_prmse_after_rescaling_is_one_number() -> None:
    rng = np.random.default_rng(13)
    frame = ratings_of(40, 30, rng)
    frame["system"] = frame["system"].mean() + 1.8 * (frame["system"] - frame["system"].mean())
    evaluation = evaluated(frame, scale="1:6", system_scale="1:6")
    table = evaluation.tables["true_score.rescaling"]
    best = evaluation.estimates["true_score.best_prmse"].value
    assert list(table.column("prmse"))[1] == pytest.approx(best)


SECTIONS = (Summary, SystemHumanAgreement, HumanHumanAgreement, ScoreDistributions, TrueScoreEvaluation)


def on_scale(values: np.ndarray, low: float = 1, high: float = 5) -> np.ndarray:
    return np.asarray(np.clip(np.rint(values), low, high))


@cache
def crowd(raters: int = 40, severity: float = 0.0, engine: bool = True) -> pd.DataFrame:
    """Return one row per rating: 300 responses, one to four raters each."""
    rng = np.random.default_rng(3)
    true, harsh = rng.normal(3, 1, 300), rng.normal(0, severity, raters)
    system = np.clip(true + rng.normal(0, 0.5, 300), 1, 5).round(2)
    rows = [
        (f"e{i}", f"w{j:03d}", *on_scale(true[i : i + 1] + harsh[j] + rng.normal(0, 0.6, 1)), system[i])
        for i in range(300)
        for j in rng.choice(raters, rng.integers(1, 5), replace=False)
    ]
    frame = pd.DataFrame(rows, columns=["id", "rater", "score", "engine"])
    return frame if engine else frame.drop(columns="engine")


@pytest.fixture(scope="module")
def interchangeable() -> Evaluation:
    return evaluation_of(crowd())


@pytest.mark.parametrize("section", SECTIONS)
def test_interchangeable_raters_have_no_first_rater(interchangeable: Evaluation, section: type) -> None:
    found = text_of(section(), interchangeable)
    text = f"{found.text} {found.annex}".casefold()
    assert interchangeable.facts["design"]["record"] is None
    for false in ("first rater", "; two raters scored", "all 2 raters", "conger"):
        assert false not in text


def test_differences_that_are_zero_by_construction_have_no_value(interchangeable: Evaluation) -> None:
    tables = interchangeable.tables
    assert not interchangeable.estimates.get("human.smd") or not interchangeable.estimates["human.smd"].defined
    assert "smd" not in [row.cells[0] for row in tables["human_human.degradation"].rows]
    assert not {"rater_gap", "second_engine"} & {column.key for column in tables["human_equivalence.exchange"].columns}


@pytest.mark.parametrize("key", ["confusion.system", "confusion.human"])
def test_rows_of_counts_add_up_to_their_totals(interchangeable: Evaluation, key: str) -> None:
    for row in interchangeable.tables[key].rows:
        *counts, total = row.cells[1:]
        assert sum(counts) == total  # type: ignore[arg-type]


def test_row_totals_are_the_numbers_of_responses_in_other_tables(interchangeable: Evaluation) -> None:
    totals = [row.cells[-1] for row in interchangeable.tables["confusion.system"].rows]
    for key in ("distribution", "levels.by_human"):
        assert [row.cells[1] for row in interchangeable.tables[key].rows] == totals


def test_two_annotators_who_agree_are_not_one_column() -> None:
    true = np.random.default_rng(1).normal(3, 1, 60)
    rows = [(f"e{i}", who, int(on_scale(t)), round(t + 0.3, 2)) for i, t in enumerate(true) for who in ("ann", "bob")]
    evaluation = evaluation_of(pd.DataFrame(rows, columns=["id", "rater", "score", "engine"]))
    assert not evaluation.facts.get("doubts")


def test_a_rating_column_that_repeats_another_is_questioned() -> None:
    frame = pd.DataFrame({"id": range(60), "human1": np.arange(60) % 6 + 1, "system": np.arange(60) % 5 + 1.25})
    evaluation = evaluation_of(frame.assign(human2=frame["human1"]), human=["human1", "human2"])
    assert len(evaluation.facts["doubts"]) == 1


@pytest.mark.parametrize("given", [True, False])
def test_a_score_that_only_the_second_rater_gave_counts_as_used(given: bool) -> None:
    rng = np.random.default_rng(2)
    true = rng.normal(3, 1, 200)
    human1, human2 = (on_scale(true + rng.normal(0, 0.5, 200)) for _ in range(2))
    human2[:3] = 6 if given else 5
    frame = pd.DataFrame({"id": range(200), "human1": human1, "human2": human2, "system": on_scale(true)})
    evaluation = evaluation_of(frame, scale="1:6")
    assert ScoreDistributions().findings(evaluation).values["unused"]["both"] == ([] if given else ["6"])
    cases = [case for case in Summary().findings(evaluation).values["know"] if case["case"] == "unused"]
    assert [case["points"] for case in cases] == ([] if given else [["6"]])


def test_the_severity_chart_shows_the_raters_who_differ_most() -> None:
    everyone = {"show_rater_names": True, "withhold_small_groups": False}
    evaluation = evaluation_of(crowd(130, 0.8, engine=False), ratings_only=True, **everyone)
    rows = evaluation.tables["human_raters.raters"]
    place = [column.key for column in rows.columns].index("expected")
    sizes = {
        row.cells[0]: abs(cell.value)
        for row in rows.rows
        if isinstance(cell := row.cells[place], Estimate) and cell.value is not None
    }
    (chart,) = RatersEach().findings(evaluation).charts
    shown = set(chart.y.categories)
    named = [each["rater"] for each in RatersSummary().findings(evaluation).values["severe"][:3]]
    assert len(sizes) > len(shown) == 40
    assert named
    assert {*named, *sorted(sizes, key=lambda rater: -sizes[rater])[:3]} <= shown
