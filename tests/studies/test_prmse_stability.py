"""The simulation of Loukina et al. (2020): repeated to the printed digit, and one's own design."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import reportgen
from reportgen.errors import SettingsError
from reportgen.metrics import prmse
from reportgen.results import Evaluation
from reportgen.studies.prmse_stability.measures import pair_sums, rating_sums
from reportgen.studies.prmse_stability.simulation import error_sd
from reportgen.testing import said
from reportgen.wording.vocabulary import Vocabulary

WORDS = Vocabulary()


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("prmse-stability", replicates=1).evaluation


@pytest.mark.slow
def test_every_printed_number_is_repeated(paper: Evaluation) -> None:
    table = paper.tables["study.published"]
    assert len(table.rows) == 87
    two_decimals, one_decimal = table.rows[:85], table.rows[85:]
    for rows, half_unit in ((two_decimals, 0.0051), (one_decimal[1:], 0.051)):
        for row in rows:
            assert float(row.cells[3]) == pytest.approx(float(row.cells[2]), abs=half_unit)  # type: ignore[arg-type]
    # 0.1 % in print is 1 % by the paper's own R² of .99
    assert list(table.column("agrees")) == ["yes"] * 85 + ["no", "yes"]


def test_unprinted_digits_of_the_replay(paper: Evaluation) -> None:
    """From an independent replay of the authors' published seeds."""
    table = paper.tables["study.published"]
    found = {WORDS.say(what): here for what, here in zip(table.column("what"), table.column("here"), strict=True)}
    expected = {
        "low: r of two raters": 0.4010451136043976,
        "high: SD": 0.8284532820682655,
        "perfect: r with raters": 0.8010933253478087,
        "1,000 double-scored, average raters: range": 0.0846402933874083,
        "5,000 double-scored, low raters: range": 0.0832168893850338,
        "PRMSE: lowest of all pairs": 0.7622301379909687,
        "R²: highest of all pairs": 0.7121063428874435,
    }
    for what, value in expected.items():
        assert found[what] == pytest.approx(value, abs=1e-9), what


def test_fresh_data_lie_where_120_replicates_of_the_design_did(paper: Evaluation) -> None:
    """Bounds: smallest and largest of 120 independent replicates, a quarter of their distance added."""
    rows = paper.tables["study.stability"].frame().set_index(["metric", "reference", "category"])["mean"]
    assert rows["short_name.r", "against_mean", "category.low"] == pytest.approx(0.690, abs=0.005)
    assert rows["short_name.r", "against_mean", "category.high"] == pytest.approx(0.857, abs=0.005)
    assert rows["short_name.prmse", "against_mean", "category.average"] == pytest.approx(0.80, abs=0.02)
    ranking = paper.tables["study.ranking"].frame().set_index("metric")
    assert ranking.loc["short_name.prmse", "in_order"] == 1
    assert ranking.loc[[f"short_name.{key}" for key in ("r", "qwk", "degradation")], "in_order"].tolist() == [0, 0, 0]
    assert ranking["tau_same"].min() > 0.8


def test_one_prmse_is_that_of_the_public_function() -> None:
    rng = np.random.default_rng(3)
    true = rng.normal(4, 1, 300)
    ratings = np.rint(true[:, None] + rng.normal(0, 0.7, (300, 2)))
    system = true[:, None] + rng.normal(0, 0.5, (300, 1))
    double = rng.random((300, 1)) < 0.4
    sums = rating_sums(system, ratings[:, [0]], ratings[:, [1]], double)
    from reportgen.metrics import true_score

    given = np.where(np.column_stack([np.ones((300, 1), bool), double]), ratings, np.nan)
    assert true_score.prmse(sums)[0] == pytest.approx(prmse(system[:, 0], given).prmse, rel=1e-12)
    assert pair_sums(ratings[:, [0]], system).n.tolist() == [300]


def test_the_error_of_raters_gives_the_correlation_that_was_asked_for() -> None:
    rng = np.random.default_rng(4)
    true = np.clip(rng.normal(2, 0.8, 20_000), 0, 4)
    sd = error_sd(true, 0.5, 0, 4)
    ratings = np.clip(np.rint(true[:, None] + rng.normal(0, sd, (20_000, 12))), 0, 4)
    together = np.corrcoef(ratings.T)
    assert (together.sum() - 12) / (12 * 11) == pytest.approx(0.5, abs=0.006)


def test_ones_own_design_answers_how_many_double_scores() -> None:
    report = reportgen.study(
        "prmse-stability", responses=3000, mean=2, sd=0.8, scale="0:4", agreement=(0.5, 0.8), raters=12,
        accuracy=(0.5, 0.7), studied=0.7, pairs=40, double_scored=(100, 300, 1000, 3000), replicates=3,
    )  # fmt: skip
    evaluation = report.evaluation
    assert "study.published" not in evaluation.tables
    needed = evaluation.facts["needed"]
    assert 100 < needed["r = 0.80"] < 1000
    assert needed["r = 0.50"] is None or needed["r = 0.50"] > needed["r = 0.80"]
    assert (evaluation.scale.low, evaluation.scale.high) == (0, 4)
    assert f"{round(needed['r = 0.80'], -1):.0f} at 0.80" in said(report.sections[1], evaluation)
    # half-widths fall about as one over the root of the number of double scores
    rows = evaluation.tables["study.double_scoring"].frame().set_index(["double", "category"])["half_width"]
    assert rows[100, "r = 0.80"] / rows[1000, "r = 0.80"] == pytest.approx(np.sqrt(10), rel=0.6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"mean": 9}, "mean: expected a mean on the scale 1:6, found 9"),
        ({"studied": 0.5}, "studied: expected one of accuracy"),
        ({"scale": "low to high"}, "scale: expected two whole numbers as in 1:6"),
        ({"double_scored": (20_000,)}, "double_scored: expected numbers from 10 to 10000"),
        ({"raters": 5}, "5 raters have only 10 pairs"),
        ({"agreement": (0.4, 0.4)}, "every category needs a value of its own"),
        ({"agreement": (1.4,)}, "below 1"),
        ({"mean": 1, "sd": 0.01, "responses": 100, "double_scored": (50,)}, "the same score"),
    ],
)
def test_a_design_that_cannot_be_carried_out_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        reportgen.study("prmse-stability", **options)


def test_raters_that_miss_the_agreement_asked_for_are_told() -> None:
    report = reportgen.study(
        "prmse-stability", responses=50, agreement=(0.4,), raters=4, pairs=5, double_scored=(50,), seed=5
    )
    found = report.evaluation.tables["study.raters"].frame()["r"][0]
    told = [warning for warning in report.evaluation.warnings if f"correlate {found:.2f} in the data" in warning]
    assert bool(told) == (abs(found - 0.4) > 0.02)
    assert told
