"""Are the raters fit to judge by: each number from the rows, each error beside leave-one-out, planted faults found."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from plans import one_to_six
from test_rater_tables import Floats, scores, tallied, value

from reportgen import metrics
from reportgen.evaluation import Plan, Preparation, TalliedScores, tally_scores
from reportgen.evaluation.human_raters import human_raters
from reportgen.evaluation.rater_effects import named_rows, rater_rows
from reportgen.evaluation.rater_error import error_by_group, error_by_score, severity_effect
from reportgen.evaluation.reliability import ICC_KEYS, crossed, intraclass
from reportgen.evaluation.sampling import balance
from reportgen.results import Estimate, Scale
from reportgen.results.term import Term
from reportgen.scores.table import RaterIds


def leave_one_out(rows: Floats, statistic: Callable[[Floats], float]) -> float:
    """Return the delete-one jackknife standard error of a statistic of rows."""
    n = len(rows)
    left = np.array([statistic(np.delete(rows, i, axis=0)) for i in range(n)])
    return float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))


# --- reliability -------------------------------------------------------------------------------------


def test_intraclass_correlations_are_the_public_ones_with_their_limits() -> None:
    system, human = scores()
    found, public = intraclass(tallied(system, human)), metrics.intraclass_correlation(human)
    for name, key in ICC_KEYS.items():
        assert value(found[key]) == pytest.approx(getattr(public, name), rel=1e-10)
        assert (found[key].low, found[key].high) == pytest.approx(public.intervals[name], rel=1e-8)
        assert found[key].n == public.n


def test_intraclass_intervals_by_candidate_are_wider_where_candidates_matter() -> None:
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(80, dtype=np.int32), 5)
    true = 3.5 + rng.normal(0, 0.9, 80)[who] + rng.normal(0, 0.3, 400)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (400, 2))), 1, 6)
    alone, by_candidate = (intraclass(tallied(true, human, each))["icc_a1"] for each in (None, who))
    assert value(alone) == pytest.approx(value(by_candidate))
    assert (by_candidate.high or 0) - (by_candidate.low or 0) > (alone.high or 0) - (alone.low or 0)
    assert "one cluster at a time" in by_candidate.method


def test_components_and_their_errors() -> None:
    system, human = scores(n=140)
    found, public = crossed(tallied(system, human)), metrics.generalizability(human)
    assert found is not None
    assert (value(found.person), value(found.rater), value(found.residual)) == pytest.approx(
        (public.person, public.rater, public.residual)
    )
    assert value(found.coefficient[2]) == pytest.approx(public.coefficient(3))
    assert value(found.dependability[1]) == pytest.approx(public.dependability(2))
    assert value(found.gain[0]) == pytest.approx(public.coefficient(2) - public.coefficient(1))
    for estimate, of in (
        (found.coefficient[0], lambda rows: metrics.generalizability(rows).coefficient(1)),
        (found.dependability[1], lambda rows: metrics.generalizability(rows).dependability(2)),
    ):
        assert estimate.standard_error == pytest.approx(leave_one_out(human, of), rel=0.06)


def test_raters_who_are_not_linked_have_no_components() -> None:
    system, human = scores(raters=4, n=60)
    human[:30, 2:], human[30:, 1] = np.nan, np.nan
    human[30:, 0] = np.nan
    human[30:, 2:] = 3.0
    assert crossed(tallied(system, np.where(np.isnan(human), human, np.rint(human)))) is None


# --- what PRMSE supposes -------------------------------------------------------------------------------


def test_responses_scored_again_are_compared_with_the_rest() -> None:
    system, human = scores(raters=2, n=160)
    rows = np.column_stack([system, human])

    def difference(rows: Floats) -> float:
        again = ~np.isnan(rows[:, 2])
        return float((rows[again, 1].mean() - rows[~again, 1].mean()) / rows[:, 1].std())

    cells: Any = balance(tallied(system, human))[0].cells
    assert value(cells[-1]) == pytest.approx(difference(rows))
    assert cells[-1].standard_error == pytest.approx(leave_one_out(rows, difference), rel=0.05)
    assert cells[2] == pytest.approx(human[~np.isnan(human[:, 1]), 0].mean())


def test_a_choice_by_score_is_seen_and_full_double_scoring_needs_no_test() -> None:
    system, human = scores(raters=2)
    chosen = human.copy()
    chosen[system > 3.5, 1] = np.nan
    found: list[Any] = balance(tallied(system, chosen))
    means = [row for row in found if row.cells[0] in (Term("score_of_first_rater"), Term("score_of_engine"))]
    assert len(means) == 2
    assert all((row.cells[-1].high or 0) < -0.5 for row in means)
    full = np.where(np.isnan(human), human[:, :1], human)
    assert balance(tallied(system, full)) == []


def test_error_variance_by_engine_score_is_that_of_the_rows() -> None:
    system, human = scores(raters=3)
    rounded = np.rint(np.clip(system, 1 - 0.4998, 6 + 0.4998))
    found = error_by_score(tallied(system, human))
    for band in found.bands:
        inside = human[(rounded >= band.low) & (rounded <= band.high)]
        assert value(band.variance) == pytest.approx(metrics.rater_error_variance(inside))
    assert sum(band.variance.n for band in found.bands) == ((~np.isnan(human)).sum(axis=1) > 1).sum()


def test_constant_error_is_not_called_changing_though_levels_by_rating_would_say_so() -> None:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(60):
        true = rng.normal(3.5, 0.8, 400)
        human = true[:, None] + rng.normal(0, 0.5, (400, 2))
        made = error_by_score(continuous(true + rng.normal(0, 0.4, 400), human))
        assert made.differ is not None
        found.append((made.differ.p < 0.05, (made.trend.low or 0) > 0 or (made.trend.high or 0) < 0))
    assert np.mean(found, axis=0).max() <= 0.15


def test_error_that_grows_along_the_scale_is_seen() -> None:
    rng = np.random.default_rng(6)
    true = rng.normal(3.5, 0.8, 800)
    human = true[:, None] + rng.normal(0, 1, (800, 2)) * (0.2 + 0.15 * np.clip(true, 1, 6))[:, None]
    found = error_by_score(continuous(true + rng.normal(0, 0.3, 800), human))
    assert (found.trend.low or 0) > 0.1
    assert found.differ is not None
    assert found.differ.p < 0.001


def continuous(system: Floats, human: Floats) -> TalliedScores:
    """Return the study of continuous ratings."""
    return tally_scores(
        system, human, {}, Plan(raters=("a", "b"), scale=Scale(0, 7, 0, False), preparation=Preparation((0, 7), 0.4998))
    )


def test_error_variance_by_group_is_that_of_the_rows() -> None:
    system, human = scores(raters=2)
    code = np.arange(500, dtype=np.int32) % 2
    made = tally_scores(system, human, {"g": (code, ("a", "b"))}, one_to_six())
    found = dict(error_by_group(made, "g"))
    assert value(found["b"]) == pytest.approx(metrics.rater_error_variance(human[code == 1]))


def test_severity_adds_half_the_squared_difference_of_two_raters() -> None:
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
    """Return a study whose ratings say who gave them, and the severities behind them."""
    rng = np.random.default_rng(7)
    severity = np.array([0.6, 0.0, -0.6, 0.0, 0.1, -0.1, 0.0, 0.0])
    who = np.array([rng.choice(8, 2, replace=False) for _ in range(n)], np.int32)
    true = rng.normal(3.5, 1, n)
    human = np.clip(np.rint(true[:, None] + severity[who] + rng.normal(0, 0.5, (n, 2))), 1, 6)
    ids = RaterIds(who, tuple(f"Dr Planted {letter}" for letter in "ABCDEFGH"), rng.uniform(0, 30, (n, 2)))
    return tallied(true + rng.normal(0, 0.4, n), human), human, ids, severity


def test_severe_and_lenient_raters_are_found_and_not_named() -> None:
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


def test_names_without_a_rating_do_not_count() -> None:
    made, human, ids, _ = named()
    more = RaterIds(ids.codes + 1, ("Nobody", *ids.names), None)
    found = rater_rows(made, human, more, True)
    assert found is not None
    assert len(found.rows) == 8
    assert all("drift" not in row for row in found.rows)


# --- together ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("raters", [2, 3, 9])
def test_everything_is_said_for_any_number_of_raters(raters: int) -> None:
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
    "human",
    [
        np.array([[3.0, 3.0]] * 12),
        np.array([[2.0, np.nan], [3.0, np.nan], [4.0, 4.0], [4.0, np.nan]]),
        np.array([[2.0, 2.0], [3.0, 3.0], [5.0, 5.0]]),
        np.array([[2.0, np.nan, 3.0], [3.0, np.nan, 3.0], [5.0, np.nan, 4.0]]),
    ],
    ids=["constant", "one pair", "no error", "an empty rater"],
)
def test_degenerate_ratings_give_reasons_not_errors(human: Floats) -> None:
    system = np.linspace(2, 5, len(human))
    made = tallied(system, human)
    found = human_raters(made, human)
    assert found is not None
    for table in found[0]:
        for row in table.rows:
            for cell in row.cells:
                if isinstance(cell, Estimate) and cell.value is None:
                    assert cell.reason
                if isinstance(cell, float):
                    assert np.isfinite(cell)


def test_a_single_rater_says_nothing() -> None:
    system, human = scores()
    assert human_raters(tallied(system, human[:, :1]), human[:, :1]) is None
    alone = np.column_stack([human[:, 0], np.full(500, np.nan)])
    assert human_raters(tallied(system, alone), alone) is None


def test_the_gain_of_a_rating_has_the_range_over_the_reliability_of_one() -> None:
    rng = np.random.default_rng(9)
    true = rng.normal(3.5, 1, 300)
    human = true[:, None] + rng.normal(0, 1.2, (300, 2))  # a reliability near .41, where the gain is largest
    found = crossed(continuous(true, human))
    assert found is not None
    low, high = found.coefficient[0].low or 0.0, found.coefficient[0].high or 0.0
    assert low < np.sqrt(2) - 1 < high
    assert found.gain[0].high == pytest.approx(3 - 2 * np.sqrt(2), abs=1e-4)
    ends = [float(metrics.spearman_brown(end, 2)) - end for end in (low, high)]
    assert found.gain[0].low == pytest.approx(min(ends))


def test_the_rise_of_prmse_follows_the_interval_of_the_difference_of_means() -> None:
    system, human = scores(raters=2)
    found = severity_effect(tallied(system, human))
    assert found is not None
    paired = metrics.paired_mean_difference(human[:, 0], human[:, 1])
    trimmed = np.clip(system, 1 - 0.4998, 6 + 0.4998)
    variance, prmse = metrics.rater_error_variance(human), metrics.prmse(trimmed, human).prmse
    ends = [
        prmse - metrics.prmse(trimmed, human, error_variance=variance - gap**2 / 2).prmse
        for gap in (paired.low, paired.high)
    ]
    assert paired.low > 0
    assert (found.rise.low, found.rise.high) == pytest.approx(tuple(ends), rel=1e-8)


# --- raters by name --------------------------------------------------------------------------------------


def test_severity_is_that_of_the_persons_named_not_of_the_columns() -> None:
    """By least squares on a design of responses and persons, and by leaving responses out."""
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
    _, numbers, facts = human_raters(made, human, ids) or pytest.fail("no raters")
    assert [key for key in numbers if key.startswith("reliability.icc")] == ["reliability.icc_1", "reliability.icc_k"]
    assert facts["components"] == {"named": True, "n": parts.n, "raters": 8}


def test_prmse_by_named_raters_has_the_standard_error_of_leaving_out() -> None:
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
    assert found.prmse_without.standard_error == pytest.approx(leave_one_out(rows, without), rel=0.12)
    assert found.rise.low is None


def test_columns_of_one_rater_each_are_raters() -> None:
    system, human = scores(raters=2)
    codes = np.tile(np.arange(2, dtype=np.int32), (len(human), 1))
    made = tallied(system, human)
    assert named_rows(made, human, RaterIds(codes, ("A", "B"), None)) is None
    codes[0] = codes[0, ::-1]
    assert named_rows(made, human, RaterIds(codes, ("A", "B"), None)) is not None


def test_prmse_has_one_interval_everywhere() -> None:
    system, human = scores()
    made = tallied(system, human)
    found = severity_effect(made)
    assert found is not None
    assert found.prmse == made.estimates(made.primary).estimate("true_score.prmse")
    assert "Fieller" in found.prmse_without.method
