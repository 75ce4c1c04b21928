"""Compare rater statistics with rows and the jackknife, and detect simulated faults of raters."""

from typing import Any

import numpy as np
import pytest
from oracles import ends, jackknife_error, value
from plans import one_to_six, tallied
from test_rater_tables import Floats, scores

from reportgen import metrics
from reportgen.evaluation import TalliedScores, tally_scores
from reportgen.evaluation.human_raters import human_raters
from reportgen.evaluation.rater_effects import named_rows, rater_rows
from reportgen.evaluation.rater_error import error_by_group, error_by_score, severity_effect
from reportgen.evaluation.reliability import crossed
from reportgen.evaluation.sampling import balance
from reportgen.results import Estimate, Scale
from reportgen.results.term import Term
from reportgen.scores.table import RaterIds

# --- what PRMSE supposes -------------------------------------------------------------------------------


def test_balance_compares_double_scored_responses_with_others() -> None:
    system, human = scores(raters=2, n=160)
    rows = np.column_stack([system, human])

    def difference(rows: Floats) -> float:
        again = ~np.isnan(rows[:, 2])
        return float((rows[again, 1].mean() - rows[~again, 1].mean()) / rows[:, 1].std())

    cells: Any = balance(tallied(system, human))[0].cells
    assert value(cells[-1]) == pytest.approx(difference(rows))
    expected = jackknife_error(lambda kept: difference(rows[kept]), 160)
    assert cells[-1].standard_error == pytest.approx(expected, rel=0.05)
    assert cells[2] == pytest.approx(human[~np.isnan(human[:, 1]), 0].mean())


def test_balance_does_not_test_shares_of_rare_scores() -> None:
    rng = np.random.default_rng(3)
    human = rng.integers(1, 5, (700, 2)).astype(float)
    human[85:, 1] = np.nan
    human[100:120, 0] = 0  # 0 of 85 double-scored responses have the score 0; 2.4 are expected
    rows: list[Any] = [row.cells for row in balance(tallied(rng.integers(1, 5, 700).astype(float), human))]
    found = {level: difference for what, level, *_, difference in rows if what == Term("share_of_first_rater")}
    assert (found["0"].value, found["0"].reason) == (None, "too few responses")
    assert found["1"].value is not None


def test_balance_detects_selection_by_score() -> None:
    system, human = scores(raters=2)
    chosen = human.copy()
    chosen[system > 3.5, 1] = np.nan
    found: list[Any] = balance(tallied(system, chosen))
    means = [row for row in found if row.cells[0] in (Term("score_of_first_rater"), Term("score_of_engine"))]
    assert len(means) == 2
    assert all((row.cells[-1].high or 0) < -0.5 for row in means)
    assert balance(tallied(system, np.where(np.isnan(human), human[:, :1], human))) == []


def test_error_variance_by_engine_score_matches_rows() -> None:
    system, human = scores(raters=3)
    rounded = np.rint(np.clip(system, 1 - 0.4998, 6 + 0.4998))
    found = error_by_score(tallied(system, human))
    for band in found.bands:
        inside = human[(rounded >= band.low) & (rounded <= band.high)]
        assert value(band.variance) == pytest.approx(metrics.rater_error_variance(inside))
    assert sum(band.variance.n for band in found.bands) == ((~np.isnan(human)).sum(axis=1) > 1).sum()


def test_constant_error_variance_has_no_trend() -> None:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(60):
        true = rng.normal(3.5, 0.8, 400)
        human = true[:, None] + rng.normal(0, 0.5, (400, 2))
        made = error_by_score(continuous(true + rng.normal(0, 0.4, 400), human))
        assert made.differ is not None
        found.append((made.differ.p < 0.05, (made.trend.low or 0) > 0 or (made.trend.high or 0) < 0))
    assert np.mean(found, axis=0).max() <= 0.15


def test_growing_error_variance_has_trend() -> None:
    rng = np.random.default_rng(6)
    true = rng.normal(3.5, 0.8, 800)
    human = true[:, None] + rng.normal(0, 1, (800, 2)) * (0.2 + 0.15 * np.clip(true, 1, 6))[:, None]
    found = error_by_score(continuous(true + rng.normal(0, 0.3, 800), human))
    assert (found.trend.low or 0) > 0.1
    assert found.differ is not None
    assert found.differ.p < 0.001


def continuous(system: Floats, human: Floats) -> TalliedScores:
    """Return the study of continuous ratings."""
    return tallied(system, human, scale=Scale(0, 7, 0, False))


def test_error_variance_by_group_matches_rows() -> None:
    system, human = scores(raters=2)
    code = np.arange(500, dtype=np.int32) % 2
    made = tally_scores(system, human, {"g": (code, ("a", "b"))}, one_to_six())
    found = dict(error_by_group(made, "g"))
    assert value(found["b"]) == pytest.approx(metrics.rater_error_variance(human[code == 1]))


def test_severity_effect_is_half_squared_difference() -> None:
    system, human = scores(raters=2)
    found = severity_effect(tallied(system, human))
    assert found is not None
    gap = np.diff(human, axis=1)[~np.isnan(human[:, 1]), 0]
    assert value(found.variance) == pytest.approx((gap**2).mean() / 2)
    assert value(found.variance_without) == pytest.approx(gap.var(ddof=1) / 2)
    trimmed = np.clip(system, 1 - 0.4998, 6 + 0.4998)
    less = metrics.prmse(trimmed, human, error_variance=gap.var(ddof=1) / 2).prmse
    assert value(found.rise) == pytest.approx(metrics.prmse(trimmed, human).prmse - less)


# --- raters by name ------------------------------------------------------------------------------------


def named(n: int = 600) -> tuple[TalliedScores, Floats, RaterIds, Floats]:
    """Return a study of named raters and their true severities."""
    rng = np.random.default_rng(7)
    severity = np.array([0.6, 0.0, -0.6, 0.0, 0.1, -0.1, 0.0, 0.0])
    who = np.array([rng.choice(8, 2, replace=False) for _ in range(n)], np.int32)
    true = rng.normal(3.5, 1, n)
    human = np.clip(np.rint(true[:, None] + severity[who] + rng.normal(0, 0.5, (n, 2))), 1, 6)
    ids = RaterIds(who, tuple(f"Dr Planted {letter}" for letter in "ABCDEFGH"), rng.uniform(0, 30, (n, 2)))
    return tallied(true + rng.normal(0, 0.4, n), human), human, ids, severity


def test_severe_raters_are_detected_without_names() -> None:
    made, human, ids, _ = named()
    found, open_names = rater_rows(made, human, ids, False), rater_rows(made, human, ids, True)
    assert found is not None
    assert open_names is not None
    assert {row["rater"] for row in found.rows} == {f"Rater {number}" for number in range(1, 9)}
    by_name: dict[Any, Any] = {row["rater"]: row for row in open_names.rows}
    assert (by_name["Dr Planted A"]["expected"].low or 0) > 0.3
    assert (by_name["Dr Planted C"]["expected"].high or 0) < -0.3
    public = metrics.rater_severity(human, ids.codes)
    assert value(by_name["Dr Planted B"]["severity"]) == pytest.approx(public.observed[1])
    ratings: list[Any] = [row["n"] for row in found.rows]
    assert ratings == sorted(ratings, reverse=True)
    tables = (human_raters(made, human, ids) or pytest.fail("no raters"))[0]
    assert "Planted" not in str(tables)
    assert any(table.key == "human_raters.raters" for table in tables)


def test_rater_rows_ignore_names_without_ratings() -> None:
    made, human, ids, _ = named()
    more = RaterIds(ids.codes + 1, ("Nobody", *ids.names), None)
    found = rater_rows(made, human, more, True)
    assert found is not None
    assert len(found.rows) == 8
    assert all("drift" not in row for row in found.rows)


# --- together ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("raters", [2, 3, 9])
def test_human_raters_reports_statistics_for_any_number(raters: int) -> None:
    system, human = scores(raters=raters, n=120)
    made = tallied(system, human)
    found = human_raters(made, human)
    assert found is not None
    tables, numbers, _ = found
    assert {"raters.mean_difference", "reliability.icc_a1", "reliability.generalizability"} <= set(numbers)
    assert all(isinstance(each, Estimate) for each in numbers.values())
    keys = [table.key for table in tables]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    "ratings",
    [
        [[3, 3]] * 12, [[2, np.nan], [3, np.nan], [4, 4], [4, np.nan]], [[2, 2], [3, 3], [5, 5]],
        [[2, np.nan, 3], [3, np.nan, 3], [5, np.nan, 4]],
    ],
    ids=["constant", "one pair", "no error", "an empty rater"],
)  # fmt: skip
def test_degenerate_ratings_have_reasons(ratings: list[list[float]]) -> None:
    human = np.array(ratings, float)
    found = human_raters(tallied(np.linspace(2, 5, len(human)), human), human)
    assert found is not None
    for cell in (cell for table in found[0] for row in table.rows for cell in row.cells):
        assert not isinstance(cell, Estimate) or cell.value is not None or cell.reason
        assert not isinstance(cell, float) or np.isfinite(cell)


def test_human_raters_of_single_rater_is_none() -> None:
    system, human = scores()
    assert human_raters(tallied(system, human[:, :1]), human[:, :1]) is None
    alone = np.column_stack([human[:, 0], np.full(500, np.nan)])
    assert human_raters(tallied(system, alone), alone) is None


def test_gain_interval_spans_reliability_of_one_rating() -> None:
    rng = np.random.default_rng(9)
    true = rng.normal(3.5, 1, 300)
    human = true[:, None] + rng.normal(0, 1.2, (300, 2))  # a reliability near .41, where the gain is largest
    found = crossed(continuous(true, human))
    assert found is not None
    low, high = ends(found.coefficient[0])
    assert low < np.sqrt(2) - 1 < high
    least = min(float(metrics.spearman_brown(end, 2)) - end for end in (low, high))
    assert ends(found.gain[0]) == pytest.approx((least, 3 - 2 * np.sqrt(2)), abs=1e-4)


def test_rise_of_prmse_interval_follows_difference_of_means() -> None:
    system, human = scores(raters=2)
    found = severity_effect(tallied(system, human))
    assert found is not None
    paired = metrics.paired_mean_difference(human[:, 0], human[:, 1])
    trimmed = np.clip(system, 1 - 0.4998, 6 + 0.4998)
    variance, prmse = metrics.rater_error_variance(human), metrics.prmse(trimmed, human).prmse
    less = [metrics.prmse(trimmed, human, error_variance=variance - gap**2 / 2) for gap in (paired.low, paired.high)]
    assert paired.low > 0
    assert ends(found.rise) == pytest.approx(tuple(prmse - each.prmse for each in less), rel=1e-8)


# --- raters by name --------------------------------------------------------------------------------------


def test_severity_effect_uses_named_raters() -> None:
    """Compare with least squares on responses and persons."""
    made, human, ids, _ = named()
    rows, raters = named_rows(made, human, ids), rater_rows(made, human, ids, False)
    parts, effect = crossed(made, rows), severity_effect(made, rows)
    assert parts is not None
    assert effect is not None
    assert raters is not None
    row, column = np.nonzero(np.isfinite(human))
    design = np.hstack([np.eye(len(human))[row], np.eye(len(ids.names))[ids.codes[row, column]]])
    _, _, rank, _ = np.linalg.lstsq(design, human[row, column], rcond=None)
    fitted = design @ np.linalg.lstsq(design, human[row, column], rcond=None)[0]
    residual = float(((human[row, column] - fitted) ** 2).sum() / (len(row) - rank))
    assert value(parts.residual) == pytest.approx(residual)
    assert value(effect.variance_without) == pytest.approx(residual)
    assert raters.error_variance == pytest.approx(residual)
    assert value(effect.variance) > 1.15 * residual
    _, numbers, _ = human_raters(made, human, ids) or pytest.fail("no raters")
    assert [key for key in numbers if key.startswith("reliability.icc")] == ["reliability.icc_1", "reliability.icc_k"]


def test_prmse_by_named_raters_error_matches_jackknife() -> None:
    made, human, ids, _ = named()
    system = made.scores[0] if made.scores is not None else pytest.fail("no scores")
    rows = np.column_stack([np.clip(system, *made.preparation.bounds), human, ids.codes])[:90]

    def without(kept: Floats) -> float:
        error = metrics.reliability.generalizability_of_raters(kept[:, 1:3], kept[:, 3:].astype(int)).found.residual
        return metrics.prmse(kept[:, 0], kept[:, 1:3], error_variance=error).prmse

    small = tallied(system[:90], human[:90])
    names = RaterIds(ids.codes[:90], ids.names, None)
    found = severity_effect(small, named_rows(small, human[:90], names))
    assert found is not None
    assert value(found.prmse_without) == pytest.approx(without(rows))
    expected = jackknife_error(lambda kept: without(rows[kept]), 90)
    assert found.prmse_without.standard_error == pytest.approx(expected, rel=0.12)
    assert found.rise.low is None


def test_named_rows_require_mixed_columns() -> None:
    system, human = scores(raters=2)
    codes = np.tile(np.arange(2, dtype=np.int32), (len(human), 1))
    made = tallied(system, human)
    assert named_rows(made, human, RaterIds(codes, ("A", "B"), None)) is None
    codes[0] = codes[0, ::-1]
    assert named_rows(made, human, RaterIds(codes, ("A", "B"), None)) is not None


def test_prmse_interval_is_same_in_severity_effect() -> None:
    system, human = scores()
    made = tallied(system, human)
    found = severity_effect(made)
    assert found is not None
    assert found.prmse == made.estimates(made.primary).estimate("true_score.prmse")
    assert "Fieller" in found.prmse_without.method
