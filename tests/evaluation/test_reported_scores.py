"""Reported scores with the engine's score of one item, and its required PRMSE, compared with rows."""

import re
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import oracles
import pytest
from numpy.typing import NDArray
from oracles import ends, jackknife_error
from simulated import evaluation_of, framed, simulated

from report_sections.summary import Summary
from report_sections.test_impact import TestImpact
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.errors import SettingsError
from reportgen.evaluation import evaluate
from reportgen.metrics import cronbach_alpha, required_prmse
from reportgen.policies import load_policy
from reportgen.results import Evaluation
from reportgen.scores import read
from reportgen.sections import unmet_need
from reportgen.settings import from_keywords
from reportgen.studies.score_impact.forms import AUTOMATED, analyse_form
from reportgen.studies.score_impact.forms import Test as TakenTest
from reportgen.testing import text_of
from reportgen.verdicts import judged
from reportgen.wording.vocabulary import Vocabulary

Columns = dict[str, list[Any]]
Floats = NDArray[np.float64]

ITEMS = [f"i{number}" for number in range(1, 6)]
CUTS = (140.0, 160.0)


def columns_of(n: int = 240, seed: int = 5) -> Columns:
    """Return scores of a test of five short items and an essay with two raters and an engine."""
    random = np.random.default_rng(seed)
    ability = random.normal(0, 1, n)
    made: Columns = {"id": [f"r{place}" for place in range(n)]}
    quality = 3 + ability * 0.7 + random.normal(0, 0.5, n)
    for name in ("h1", "h2"):
        made[name] = np.clip(np.rint(quality + random.normal(0, 0.4, n)), 1, 5).tolist()
    made["engine"] = (quality - 0.2 + random.normal(0, 0.4, n)).tolist()
    for number, name in enumerate(ITEMS):
        made[name] = (ability + random.logistic(0, 0.6, n) > number / 2 - 1).astype(float).tolist()
    made["gender"] = ["f" if place % 3 else "m" for place in range(n)]
    return made


evaluated = partial(evaluation_of, scale="1:5", groups=["gender"], item_scores=ITEMS)


def scaled(made: Columns, other: str, slope: float, intercept: float) -> Floats:
    """Return scale scores from the rows."""
    score = np.array(made[other], float)
    if other == "engine":
        score = np.rint(np.clip(score, 0.5002, 5.4998))
    total: Floats = np.array([made[name] for name in ITEMS], float).sum(axis=0) + score
    return slope * total + intercept


def value(evaluation: Evaluation, key: str) -> float:
    return oracles.value(evaluation.estimates[f"impact.{key}"])


def test_reported_scores_match_rows() -> None:
    made = columns_of()
    found = evaluated(made, impact_slope=10, impact_intercept=100, impact_cuts=CUTS)
    human, engine = (scaled(made, name, 10, 100) for name in ("h1", "engine"))
    gap = engine - human
    assert value(found, "mean_difference") == pytest.approx(gap.mean(), abs=1e-9)
    assert value(found, "rmsd") == pytest.approx(np.sqrt((gap**2).mean()))
    levels = [np.searchsorted(CUTS, each, side="right") for each in (human, engine)]
    for key, part in {"same_level": levels[0] == levels[1], "lower": levels[1] < levels[0],
                      "higher": levels[1] > levels[0]}.items():  # fmt: skip
        assert value(found, key) == pytest.approx(100 * part.mean())
    items = np.array([made[name] for name in ITEMS], float).T
    rounded = np.rint(np.clip(made["engine"], 0.5002, 5.4998))
    for key, score in {"reference": np.array(made["h1"]), "other": rounded}.items():
        alpha = cronbach_alpha(np.column_stack([items, score])).value
        sd = (items.sum(axis=1) + score).std(ddof=1)
        assert value(found, f"alpha_{key}") == pytest.approx(alpha)
        assert value(found, f"sem_{key}") == pytest.approx(10 * sd * np.sqrt(1 - alpha))
    assert value(found, "alpha_change") == pytest.approx(value(found, "alpha_other") - value(found, "alpha_reference"))
    described = found.tables["impact.scores"].row("engine")
    assert oracles.value(described["mean"]) == pytest.approx(engine.mean())
    assert oracles.value(described["sd"]) == pytest.approx(engine.std(ddof=1))
    table = found.tables["impact.levels"]
    counts = np.array([[int(str(cell)) for cell in row.cells[1:-1]] for row in table.rows])
    assert counts.tolist() == [
        [int(((levels[0] == one) & (levels[1] == other)).sum()) for other in range(3)] for one in range(3)
    ]
    moves = found.tables["impact.moves"]
    assert dict(zip(moves.column("difference"), moves.column("n"), strict=True)) == {
        float(step): int((gap == step).sum()) for step in np.unique(gap)
    }


def test_reported_scores_by_group_and_rater_match_rows() -> None:
    made = columns_of()
    made["h2"] = [score if place % 4 == 0 else None for place, score in enumerate(made["h2"])]
    found = evaluated(made, impact_slope=2)
    gap = scaled(made, "engine", 2, 0) - scaled(made, "h1", 2, 0)
    for gender in ("f", "m"):
        here = np.array(made["gender"]) == gender
        row = found.tables["impact.by_group.gender"].row(gender)
        assert row["n"] == here.sum()
        assert oracles.value(row["mean_difference"]) == pytest.approx(gap[here].mean())
        half = (ends(row["mean_difference"])[1] - ends(row["mean_difference"])[0]) / 2
        assert half == pytest.approx(1.97 * gap[here].std(ddof=1) / np.sqrt(here.sum()), rel=0.02)
    raters = found.tables["impact.differences"].row("second_rater")
    twice = [place for place, score in enumerate(made["h2"]) if score is not None]
    between = 2 * (np.array([made["h2"][place] for place in twice]) - np.array([made["h1"][place] for place in twice]))
    assert raters["rmsd"].n == len(twice)  # type: ignore[union-attr]
    assert oracles.value(raters["rmsd"]) == pytest.approx(np.sqrt((between**2).mean()))


@pytest.mark.slow
def test_reported_score_errors_match_jackknife() -> None:
    n = 60
    made = columns_of(n, seed=8)
    whole = evaluated(made, groups=[], impact_slope=3)
    keys = ("mean_difference", "rmsd", "alpha_reference", "alpha_change", "sem_other")

    def left(kept: NDArray[np.bool_]) -> list[float]:
        fewer = {name: np.array(column, object)[kept].tolist() for name, column in made.items()}
        found = evaluated(fewer, groups=[], impact_slope=3)
        return [value(found, key) for key in keys]

    errors = [whole.estimates[f"impact.{key}"].standard_error for key in keys]
    assert errors == pytest.approx(jackknife_error(left, n), rel=0.06)


def test_reported_scores_take_candidates_as_units() -> None:
    made = columns_of(120)
    single = evaluated(made, impact_cuts=(4, 6))
    twice = {name: [*column, *column] for name, column in made.items()}
    twice["id"] = [f"r{place}" for place in range(240)]
    candidates = [f"c{place % 120}" for place in range(240)]
    found = evaluated({**twice, "student_id": candidates}, impact_cuts=(4, 6))
    for key in ("mean_difference", "rmsd", "alpha_other", "sem_other"):
        one, other = single.estimates[f"impact.{key}"], found.estimates[f"impact.{key}"]
        assert other.n == 240
        assert ends(other) == pytest.approx(ends(one), rel=0.01)
    assert "clusters" in found.estimates["impact.rmsd"].method
    loose, tight = ends(evaluated(twice).estimates["impact.rmsd"]), ends(found.estimates["impact.rmsd"])
    assert loose[1] - loose[0] < 0.8 * (tight[1] - tight[0])


def test_weight_without_items_multiplies_rmsd_of_item() -> None:
    made = columns_of()
    alone = evaluated({name: made[name] for name in ("id", "h1", "h2", "engine", "gender")}, item_scores=[],
                      impact_weight=2.5, impact_slope=4)  # fmt: skip
    rounded = np.rint(np.clip(made["engine"], 0.5002, 5.4998))
    item = np.sqrt(((rounded - np.array(made["h1"])) ** 2).mean())
    assert value(alone, "rmsd") == pytest.approx(item * 2.5 * 4)
    rows = evaluated(made, impact_weight=2.5, impact_slope=4)
    for key in ("rmsd", "mean_difference"):
        assert ends(alone.estimates[f"impact.{key}"]) == pytest.approx(ends(rows.estimates[f"impact.{key}"]))
    assert "impact.alpha_other" not in alone.estimates
    assert "impact.scores" not in alone.tables
    assert "10 points on the reported scale (weight 2.5 times slope 4)" in text_of(TestImpact(), alone).annex


def test_scale_ends_limit_differences() -> None:
    made = columns_of()
    found = evaluated(made, impact_low=4, impact_high=7)
    human, engine = (np.clip(scaled(made, name, 1, 0), 4, 7) for name in ("h1", "engine"))
    assert value(found, "rmsd") == pytest.approx(np.sqrt(((engine - human) ** 2).mean()))


@pytest.mark.parametrize(("scale", "step"), [("1:5:0.5", 0.5), ("1:5:0", 0.0)])
def test_engine_scores_are_rounded_to_scale(scale: str, step: float) -> None:
    made = columns_of()
    engine = np.array(made["engine"])
    used = np.clip(np.rint(engine / step) * step, 1, 5) if step else np.clip(engine, 1, 5)
    found = evaluated(made, scale=scale)
    assert value(found, "rmsd") == pytest.approx(np.sqrt(((used - np.array(made["h1"])) ** 2).mean()))


def test_item_response_scoring_matches_study() -> None:
    made = columns_of(400, seed=11)
    found = evaluated(made, impact_scoring="irt", impact_slope=20, impact_intercept=100, impact_cuts=(95, 110))
    items = np.array([made[name] for name in ITEMS], np.int64).T
    human = np.array(made["h1"], np.int64) - 1
    engine = np.rint(np.clip(made["engine"], 0.5002, 5.4998)) - 1
    test = TakenTest(np.column_stack([items, human]), (1, 1, 1, 1, 1, 4), 5, engine, np.full(400, np.nan),
                     {"all": tuple(range(6))})  # fmt: skip
    from reportgen.scale_scores import Reporting

    form = analyse_form("all", test, {AUTOMATED: engine}, Reporting(20, 100, 20, 180, (95.0, 110.0)))
    numbers = form.numbers(AUTOMATED)
    expected = {
        "mean_difference": numbers["mean_human"],
        "rmsd": numbers["rmsd_human"],
        "same_level": numbers["exact"],
        "sem_other": form.reported[AUTOMATED].standard_error,
        "alpha_other": form.reported[AUTOMATED].alpha,
    }
    assert {key: value(found, key) for key in expected} == pytest.approx(expected)
    assert "item parameters taken as known" in found.estimates["impact.rmsd"].method
    for key in ("same_level", "lower", "higher", "sem_reference", "sem_other"):
        assert found.estimates[f"impact.{key}"].low is None
        assert "calibrations" in found.estimates[f"impact.{key}"].interval_reason
    assert "calibrated together" in text_of(TestImpact(), found).annex
    assert len(found.tables["impact.differences"].rows) == 1


@pytest.mark.parametrize(
    ("change", "n", "reason"),
    [
        ({"i2": 0.5}, 240, "The column i2 has scores between whole numbers"),
        ({"i2": 1.0}, 240, "The column i2 has the score 1 for everyone"),
        ({}, 80, "80 test takers have every item score; calibrating items needs 100"),
        ({"engine": 3.2}, 240, "The engine's rounded score gives no one the score 1"),
    ],
)
def test_uncalibrated_items_have_reason(change: dict[str, float], n: int, reason: str) -> None:
    made = columns_of(n)
    for name, score in change.items():
        made[name] = [score] * n if score != 0.5 else [0.5, *made[name][1:]]
    found = evaluated(made, impact_scoring="irt")
    words = text_of(TestImpact(), found)
    assert words.finding == "Effects on reported scores could not be computed."
    assert reason in words
    assert not any(key.startswith("impact.") for key in (*found.estimates, *found.tables))


def test_missing_item_scores_exclude_test_taker_and_withhold_groups() -> None:
    made = columns_of()
    made["i3"] = [None if place in (3, 4, 7) else score for place, score in enumerate(made["i3"])]
    made["i4"] = ["absent" if place == 9 else str(score) for place, score in enumerate(made["i4"])]
    found = evaluated(made)
    assert found.facts["impact"]["left_out"] == 4
    assert found.estimates["impact.rmsd"].n == 236
    assert "1 non-numeric value in 'i4' counts as missing (row 10)." in found.warnings
    # 156 f less 153 with all items would be 3 persons: neither group is shown
    assert [row.cells[0] for row in found.tables["impact.by_group.gender"].rows] == ["All data"]
    assert {row.cells for row in found.tables["privacy.withheld"].rows} == {
        ("gender", gender, "of_reported_scores") for gender in ("f", "m")
    }
    words = text_of(TestImpact(), found)
    assert "4 responses lack the score of another item and are excluded here; 236 remain." in words
    assert "2 groups of gender are not shown here" in words
    shown = evaluated(made, withhold_small_groups=False)
    assert len(shown.tables["impact.by_group.gender"].rows) == 3


def test_equal_scores_change_no_scale_score() -> None:
    made = columns_of()
    made["engine"] = list(made["h1"])
    found = evaluated(made, impact_cuts=(5.0,))
    assert value(found, "rmsd") == 0
    assert found.estimates["impact.rmsd"].low is None
    assert found.estimates["impact.rmsd"].interval_reason == "no scale score differs"
    assert value(found, "same_level") == 100
    assert ends(found.estimates["impact.same_level"])[0] < 100
    words = text_of(TestImpact(), found)
    assert words.finding == "Using the engine does not change any scale score."
    assert "All 240 test takers get the same scale score" in words


def test_large_differences_are_counted_in_bands() -> None:
    made = columns_of()
    found = evaluated(made, scale="1:5:0", impact_slope=7)
    table = found.tables["impact.moves"]
    assert 5 <= len(table.rows) <= 14
    assert sum(int(str(n)) for n in table.column("n")) == 240
    assert "In bands of" in Vocabulary().say(table.notes[0])


def test_section_matches_tables() -> None:
    found = evaluated(columns_of(), impact_slope=10, impact_intercept=100, impact_cuts=CUTS)
    words, findings = text_of(TestImpact(), found), TestImpact().findings(found)
    moved, again = words.finding.split("; ")
    assert re.fullmatch(r"\d+% of test takers would be placed at a different level", moved)
    assert re.fullmatch(r"with a second rater, (the same share|\d+%)\.", again)
    for phrase in ("% of test takers keep their level,", "Using the engine moves a test taker's scale score by about",
                   "A second rater moves it by", "Reliability (Cronbach's alpha) is"):  # fmt: skip
        assert phrase in words.words
    assert "By gender" not in words, "no group clearly moves"
    made = columns_of()
    made["engine"] = [score - (sex == "m") for score, sex in zip(made["engine"], made["gender"], strict=True)]
    assert "By gender, the average change ranges from −" in text_of(TestImpact(), evaluated(made))
    assert "The reported score is 10 × sum + 100. The sum includes 5 other items and this one." in words.annex
    assert [chart.key for chart in findings.charts] == [
        "impact.moves.chart", "impact.levels.chart", "impact.by_group.gender.chart",
    ]  # fmt: skip
    assert words.text.count("report.show(") == 1, "one figure; tables are in the annex"
    assert all(Vocabulary().said(chart).alt.endswith(".") for chart in findings.charts)
    assert unmet_need(TestImpact(), found) == ""


FOUR_ITEMS = ("a", "b", "c", "d")


def evaluated_items(*, items: bool = True, **keywords: Any) -> Evaluation:
    scores, names = simulated(300, 2, mean=3, error=0.4, noise=0.4, ends=(1, 5)), FOUR_ITEMS if items else []
    frame = framed(scores).assign(**{name: scores.rng.integers(0, 5, 300) for name in names})
    settings = from_keywords(scale="1:5", **({"item_scores": names} if names else {}), **keywords)
    return evaluate(read(frame, settings), settings, {})


def test_required_prmse_of_item_with_fifth_of_points() -> None:
    found = evaluated_items()
    needed = found.facts["design"]["required"]
    assert needed["share"] == pytest.approx(20)
    assert needed["prmse"] == pytest.approx(required_prmse(0.2)) == pytest.approx(0.9838, abs=1e-4)
    text = text_of(TestImpact(), found)
    assert "This item has 20.0% of the test's points." in text
    assert "To move scores as little here, the engine needs a PRMSE of 0.984" in text
    assert "Casabianca et al. (2023)" in text_of(TestImpact(), found, language="es")


def test_required_prmse_depends_on_weight_and_items() -> None:
    assert evaluated_items(impact_weight=4.0).facts["design"]["required"]["share"] == pytest.approx(50)
    alone = evaluated_items(items=False, impact_weight=2.0)
    assert "required" not in alone.facts["design"]
    assert "of the test's points" not in text_of(TestImpact(), alone)


def test_required_prmse_of_declared_share() -> None:
    found = evaluated_items(items=False, impact_share=20, impact_machine_scored=3)
    needed = found.facts["design"]["required"]
    assert (needed["share"], needed["items"]) == (20, 3)
    assert needed["prmse"] == pytest.approx(required_prmse(0.2, 3))
    assert "20.0% of the test’s points and the engine scores 3 such items" in text_of(
        Summary(), judged(found, load_policy("default"))
    )
    with pytest.raises(SettingsError, match="6 items with 20% of the points each exceed the test; expected at most 5"):
        evaluated_items(items=False, impact_share=20, impact_machine_scored=6)


def test_page_one_uses_required_prmse() -> None:
    found = evaluated_items()
    check = next(each for each in judged(found, load_policy("default")).checks if each.statistic == "true_score.prmse")
    assert check.low == found.facts["design"]["required"]["limit"] == pytest.approx(0.984)
    assert check.outcome == "not met"
    assert "share of the test's points" in check.source
    assert "depends on the weight" not in text_of(TrueScoreEvaluation(), judged(found, load_policy("default")))
    assert "depends on the weight" in text_of(
        TrueScoreEvaluation(), judged(evaluated_items(items=False), load_policy("default"))
    )
    light = evaluated_items(items=False, impact_weight=2.0)
    assert next(each.low for each in judged(light, load_policy("prmse")).checks) == 0.70


def test_without_item_scores_nothing_is_imported() -> None:
    code = """
import sys, pyarrow as pa
from reportgen.evaluation import evaluate
from reportgen.scores import read
from reportgen.sections import unmet_need
from reportgen.settings import Settings
from report_sections.test_impact import TestImpact
found = evaluate(read(pa.table({"human": [1, 2, 3] * 9, "system": [1.5, 2.5, 2.75] * 9})), Settings(), {})
assert unmet_need(TestImpact(), found).startswith("neither the scores of other items")
assert not [key for key in (*found.tables, *found.estimates, *found.facts) if key.startswith("impact")]
assert not [name for name in sys.modules if name.startswith(("reportgen.item_response", "reportgen.scale_scores"))]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
