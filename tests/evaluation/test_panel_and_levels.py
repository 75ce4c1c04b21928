"""The agreement panel and the statistics by score level: against plain rows, jackknives, and other scales."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen import metrics
from reportgen.evaluation import panel
from reportgen.evaluation.levels import FEW_AT_A_LEVEL, level_results
from reportgen.evaluation.panel import NO_POINTS, engine_panel, everyone_panel, panel_results, rater_panels
from reportgen.evaluation.points import Preparation
from reportgen.evaluation.tables.data import distribution_tables
from reportgen.evaluation.tallied_scores import Plan, TalliedScores, tally_scores
from reportgen.metrics.chance_corrected import patterns_of
from reportgen.metrics.krippendorff import PANEL
from reportgen.results import Cell, Estimate, Scale, Table

Floats = NDArray[np.float64]
SIX = Scale(1, 6, 1, assumed=False)
POINTS = np.arange(1, 7.0)


def scores(n: int = 120, seed: int = 8) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return engine scores, ratings of three raters with gaps, and candidates with one to three responses."""
    rng = np.random.default_rng(seed)
    candidate = np.sort(rng.integers(0, n // 2, n))
    true = rng.normal(3.5, 1, n) + rng.normal(0, 0.6, n)[candidate]
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (n, 3))), 1, 6)
    human[rng.random(n) < 0.3, 1] = np.nan
    human[rng.random(n) < 0.5, 2] = np.nan
    return true + rng.normal(0, 0.5, n), human, candidate


def tallied(
    system: Floats, human: Floats, candidates: NDArray[np.int64] | None = None, scale: Scale = SIX
) -> TalliedScores:
    prepared = Preparation((scale.low, scale.high), 0.4998)
    raters = tuple(f"h{k + 1}" for k in range(human.shape[1]))
    return tally_scores(
        system, human, {}, Plan(raters=raters, scale=scale, preparation=prepared), candidates=candidates
    )


def jackknife(values: Floats) -> float:
    k = len(values)
    return float(np.sqrt((k - 1) / k * ((values - values.mean()) ** 2).sum()))


def rounded(system: Floats) -> Floats:
    return np.rint(np.clip(system, 1 - 0.4998, 6 + 0.4998))


# --- the panel ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("by_candidate", [False, True])
@pytest.mark.parametrize("who", ["engine", "pair", "everyone"])
def test_standard_errors_are_those_of_a_jackknife(who: str, by_candidate: bool) -> None:
    """Leaving out one response, or one candidate, at a time; 10 % is the size of what linearising leaves out."""
    system, human, candidate = scores()
    columns = {"engine": np.column_stack([rounded(system), human[:, 0]]), "pair": human[:, :2], "everyone": human}[who]
    made = tallied(system, human, candidate if by_candidate else None)
    found = {"engine": engine_panel, "pair": lambda s: rater_panels(s)[0], "everyone": everyone_panel}[who](made)
    assert found is not None
    kept = np.isfinite(columns).all(axis=1) if who == "pair" else np.isfinite(columns).any(axis=1)
    columns, units = columns[kept], (candidate if by_candidate else np.arange(len(candidate)))[kept]
    for key, of in PANEL.items():
        estimate = found.estimates[key]
        whole = of(patterns_of(columns, POINTS)).value
        if estimate.value is None:
            assert np.isnan(whole)
            continue
        assert estimate.value == pytest.approx(whole, abs=1e-12), key
        left_out = [of(patterns_of(columns[units != unit], POINTS)).value for unit in np.unique(units)]
        assert estimate.standard_error == pytest.approx(jackknife(np.array(left_out)), rel=0.1), key
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < estimate.value < estimate.high


def test_every_pair_and_all_raters_are_there() -> None:
    system, human, _ = scores()
    tables, estimates = panel_results(tallied(system, human))
    by_key = {table.key: table for table in tables}
    assert [row.cells[0] for row in by_key["panel.pairs"].rows] == ["h1, h2", "h1, h3", "h2, h3"]
    assert [column.key for column in by_key["panel.agreement"].columns] == ["coefficient", "engine", "human", "raters"]
    both = np.isfinite(human[:, 1]) & np.isfinite(human[:, 2])
    expected = metrics.gwet_ac(human[both][:, 1:], categories=POINTS, weights="quadratic").value
    pair = by_key["panel.pairs"].row("h2, h3")
    assert number(pair["ac2_quadratic"]) == pytest.approx(expected, abs=1e-12)
    assert pair["n"] == both.sum()
    assert estimates["panel.raters.kappa"].value == pytest.approx(
        metrics.conger_kappa(human, categories=POINTS).value, abs=1e-12
    )
    assert estimates["panel.kappa"].value == pytest.approx(
        metrics.cohen_kappa(human[:, 0], rounded(system), categories=POINTS).value, abs=1e-12
    )


def number(cell: Cell) -> float:
    assert isinstance(cell, Estimate)
    assert cell.value is not None
    return cell.value


def test_raters_who_never_met_have_no_panel() -> None:
    system, human, _ = scores()
    human[::2, 1], human[1::2, 2] = np.nan, np.nan
    human[:, 0] = np.where(np.isfinite(human[:, 0]), human[:, 0], 3)
    assert [each.name for each in rater_panels(tallied(system, human))] == ["h1, h2", "h1, h3"]


def test_unrounded_ranks_are_exact_and_have_a_jackknifes_error() -> None:
    system, human, candidate = scores()
    found = panel.unrounded_ranks(tallied(system, human, candidate))
    assert found is not None
    assert found.width == 0
    given = np.clip(system, 1 - 0.4998, 6 + 0.4998)
    of: dict[str, Callable[[Floats, Floats], float]] = {
        "tau_b": metrics.kendall_tau_b,
        "spearman": metrics.spearman_rho,
    }
    for key, public in of.items():
        assert found.estimates[key].value == pytest.approx(public(human[:, 0], given), abs=1e-12)
        left_out = [public(human[candidate != c, 0], given[candidate != c]) for c in np.unique(candidate)]
        assert found.estimates[key].standard_error == pytest.approx(jackknife(np.array(left_out)), rel=0.1)


def test_many_distinct_scores_are_grouped_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    system, human, _ = scores(900)
    exact = panel.unrounded_ranks(tallied(system, human))
    monkeypatch.setattr("reportgen.evaluation.counting.MOST_CELLS", 6 * 200)
    grouped = panel.unrounded_ranks(tallied(system, human))
    assert exact is not None
    assert grouped is not None
    assert 0.005 < grouped.width < 0.1
    for key, estimate in exact.estimates.items():
        assert number(grouped.estimates[key]) == pytest.approx(number(estimate), abs=5e-3)
        assert grouped.estimates[key].value != estimate.value


def test_the_scale_counts_not_the_labels_seen() -> None:
    """Six pairs give a quadratic AC of .551 on 1-4 and .850 on 1-6; on labels seen the table says so."""
    pairs = np.array([[1, 1], [1, 1], [1, 4], [2, 2], [2, 2], [4, 4.0]])
    for scale, value in ((Scale(1, 4, 1, False), 0.551), (SIX, 0.850), (Scale(1, 4, 1, True), 0.551)):
        tables, estimates = panel_results(tallied(pairs[:, 1], pairs[:, :1], scale=scale))
        assert round(number(estimates["panel.ac2_quadratic"]), 3) == value
        assert ("scale_not_declared" in tables[0].notes) == scale.assumed


def test_kappa_and_ac_part_where_one_score_prevails() -> None:
    """90 % of both raters' labels are 1: chance takes .82 in kappa's eyes and .18 in AC1's."""
    human = np.array([1.0] * 85 + [1] * 5 + [2] * 5 + [2] * 5)[:, None]
    system = np.array([1.0] * 85 + [2] * 5 + [1] * 5 + [2] * 5)
    tables, _ = panel_results(tallied(system, human, scale=Scale(1, 2, 1, False)))
    row = next(table for table in tables if table.key == "panel.divergence").row("engine_and_first_rater")
    assert row["weights"] == "identity"
    assert row["chance_kappa"] == pytest.approx(82)
    assert row["chance_ac"] == pytest.approx(18)
    assert number(row["difference"]) == pytest.approx((0.9 - 0.18) / 0.82 - (0.9 - 0.82) / 0.18)
    assert row["by_prevalence"] == pytest.approx(number(row["difference"]))
    assert row["by_unequal_use"] == pytest.approx(0)
    assert row["prevalent"] == "1"
    assert row["prevalence"] == pytest.approx(90)
    assert row["shift"] == pytest.approx(0)


def test_perfect_agreement_has_a_value_and_no_interval() -> None:
    human = np.array([1.0, 2, 3, 4, 5, 6] * 5)[:, None]
    found = engine_panel(tallied(human[:, 0], human))
    for key, estimate in found.estimates.items():
        assert estimate.value == pytest.approx(100 if key == "exact_agreement" else 1)
        assert (estimate.low is None) == (key != "exact_agreement")
        assert key == "exact_agreement" or estimate.interval_reason


def test_a_constant_engine_has_no_interval_of_kappa() -> None:
    """Whatever response is added, kappa of a constant score stays 0: that says nothing about uncertainty."""
    human = np.tile([1.0, 2, 3], 10)[:, None]
    found = engine_panel(tallied(np.full(30, 3.0), human)).estimates
    for key in ("kappa", "kappa_linear", "kappa_quadratic"):
        assert found[key].value == pytest.approx(0, abs=1e-12)
        assert found[key].low is None
    assert found["ac1"].low is not None
    assert found["tau_b"].value is None


def test_a_continuous_scale_has_alpha_and_ranks_only() -> None:
    system, human, _ = scores()
    rng = np.random.default_rng(1)
    human = human + rng.uniform(-0.4, 0.4, human.shape)
    tables, estimates = panel_results(tallied(system, human, scale=Scale(0, 7, 0, False)))
    assert [row.cells[0] for row in tables[0].rows] == ["alpha_interval", "tau_b", "spearman"]
    assert estimates["panel.kappa"].value is None
    assert estimates["panel.kappa"].reason == NO_POINTS
    both = np.isfinite(human[:, 1])
    assert estimates["panel.human.spearman"].value == pytest.approx(
        metrics.spearman_rho(human[both, 0], human[both, 1]), abs=1e-12
    )


# --- levels -------------------------------------------------------------------------------------


def tables_of(made: TalliedScores) -> tuple[dict[str, Table], dict[str, Estimate]]:
    tables, estimates = level_results(made)
    return {table.key: table for table in tables}, estimates


def test_levels_against_plain_rows() -> None:
    system, human, _ = scores(400)
    tables, estimates = tables_of(tallied(system, human))
    s, r, h = np.clip(system, 1 - 0.4998, 6 + 0.4998), rounded(system), human[:, 0]
    for level in range(1, 7):
        row = tables["levels.by_human"].row(str(level))
        here = h == level
        assert row["n"] == here.sum()
        assert number(row["recall"]) == pytest.approx(100 * (r[here] == level).mean())
        assert number(row["off_by_two"]) == pytest.approx(100 * (abs(r[here] - level) >= 2).mean())
        assert number(row["mean_error"]) == pytest.approx((s[here] - level).mean(), abs=1e-12)
        assert number(row["level_rmse"]) == pytest.approx(np.sqrt(((s[here] - level) ** 2).mean()), abs=1e-12)
        band, here = tables["calibration"].row(str(level)), r == level
        assert number(band["mean_human"]) == pytest.approx(h[here].mean(), abs=1e-12)
        assert band["mean_system"] == pytest.approx(s[here].mean(), abs=1e-12)
        assert number(band["calibration_gap"]) == pytest.approx((h - s)[here].mean(), abs=1e-12)
        assert number(band["precision"]) == pytest.approx(100 * (h[here] == level).mean())
        mean_human = band["mean_human"]
        assert isinstance(mean_human, Estimate)
        assert mean_human.standard_error == pytest.approx(h[here].std(ddof=1) / np.sqrt(here.sum()))
    ends = (h == 1) | (h == 6)
    expected = {
        "levels.macro_rmse": metrics.macro_averaged_rmse(h, s),
        "levels.off_by_two": 100 * (abs(r - h) >= 2).mean(),
        "levels.lowest_kept": 100 * (r[h == 1] == 1).mean(),
        "levels.highest_kept": 100 * (r[h == 6] == 6).mean(),
        "levels.extremes_kept": 100 * (r[ends] == h[ends]).mean(),
        "levels.calibration_slope": np.polyfit(s, h, 1)[0],
        "levels.error_slope": np.polyfit(h, s - h, 1)[0],
    }
    for key, value in expected.items():
        assert number(estimates[key]) == pytest.approx(value, abs=1e-9), key


@pytest.mark.parametrize("by_candidate", [False, True])
def test_errors_by_level_are_those_of_a_jackknife(by_candidate: bool) -> None:
    system, human, candidate = scores(400)
    units = candidate if by_candidate else np.arange(400)
    tables, estimates = tables_of(tallied(system, human, candidate if by_candidate else None))
    s, r, h = np.clip(system, 1 - 0.4998, 6 + 0.4998), rounded(system), human[:, 0]

    def expected_slope(keep: NDArray[np.bool_]) -> float:
        many = human[keep & (np.isfinite(human).sum(axis=1) > 1)]
        within = np.nansum((many - np.nanmean(many, axis=1, keepdims=True)) ** 2)
        return float(-within / (np.isfinite(many).sum(axis=1) - 1).sum() / h[keep].var(ddof=1))

    statistics: dict[str, Callable[[NDArray[np.bool_]], float]] = {
        "levels.macro_rmse": lambda k: metrics.macro_averaged_rmse(h[k], s[k]),
        "levels.error_slope": lambda k: float(np.polyfit(h[k], s[k] - h[k], 1)[0]),
        "levels.calibration_slope": lambda k: float(np.polyfit(s[k], h[k], 1)[0]),
        "levels.expected_error_slope": expected_slope,
        "calibration": lambda k: float((h - s)[k & (r == 3)].mean()),
    }
    found = {**estimates, "calibration": tables["calibration"].row("3")["calibration_gap"]}
    for key, of in statistics.items():
        estimate = found[key]
        assert isinstance(estimate, Estimate)
        assert number(estimate) == pytest.approx(of(np.ones(400, bool)), abs=1e-9)
        left_out = np.array([of(units != unit) for unit in np.unique(units)])
        assert estimate.standard_error == pytest.approx(jackknife(left_out), rel=0.12), key


def test_an_engine_without_error_slopes_as_expected_and_is_calibrated() -> None:
    """The engine is the true score: by human score its error slopes by reliability - 1, by engine score it does not."""
    rng = np.random.default_rng(2)
    true = rng.normal(0, 1, 6000)
    human = true[:, None] + rng.normal(0, 0.8, (6000, 2))
    wide = Scale(-8, 8, 0, assumed=False)
    tables, estimates = tables_of(tallied(true, human, scale=wide))
    reliability = 1 / (1 + 0.8**2)
    slope, expected = number(estimates["levels.error_slope"]), number(estimates["levels.expected_error_slope"])
    assert slope == pytest.approx(reliability - 1, abs=0.03)
    assert expected == pytest.approx(reliability - 1, abs=0.03)
    assert number(estimates["levels.calibration_slope"]) == pytest.approx(1, abs=0.04)
    for row in tables["levels.by_human"].rows:
        cells = dict(zip((column.key for column in tables["levels.by_human"].columns), row.cells, strict=True))
        error = cells["mean_error"]
        if isinstance(error, Estimate) and error.n > 50:
            assert error.value == pytest.approx(number(cells["expected_error"]), abs=0.15)


@pytest.mark.parametrize(("step", "start"), [(0.5, 1.0), (2.0, 10.0), (0.1, -3.0)])
def test_another_step_is_the_same_scale(step: float, start: float) -> None:
    """Levels, shares and coefficients do not depend on how points are written; errors scale with the step."""
    system, human, candidate = scores(300)
    system = np.clip(system, 0.6, 6.4)  # nothing is trimmed on either scale
    here = tallied(system, human, candidate)
    points = Scale(start, start + 5 * step, step, False)
    prepared = Preparation((points.low, points.high), 0.45 * step)
    there = tally_scores(
        start + step * (system - 1),
        start + step * (human - 1),
        {},
        Plan(raters=("h1", "h2", "h3"), scale=points, preparation=prepared),
        candidates=candidate,
    )
    assert panel_values(here) == pytest.approx(panel_values(there), abs=1e-9)
    assert any(note.startswith("points_apart") for note in panel_results(there)[0][0].notes)
    assert not any(note.startswith("points_apart") for note in panel_results(here)[0][0].notes)
    mine, theirs = tables_of(here)[1], tables_of(there)[1]
    for key, estimate in mine.items():
        scaled = step if key in ("levels.macro_rmse", "levels.true_sd") else 1.0
        assert number(theirs[key]) == pytest.approx(scaled * number(estimate), abs=1e-9), key
        assert theirs[key].standard_error == pytest.approx(scaled * (estimate.standard_error or 0.0), rel=1e-6), key
    mine_shares, their_shares = (
        next(table for table in distribution_tables(each) if table.key == "distribution") for each in (here, there)
    )
    assert mine_shares.column("human_n") == their_shares.column("human_n")
    assert mine_shares.column("system_n") == their_shares.column("system_n")
    assert their_shares.column("score")[1] == f"{start + step:g}".replace("-", "−")


def panel_values(made: TalliedScores) -> dict[str, float]:
    return {key: number(estimate) for key, estimate in engine_panel(made).estimates.items()}


def test_a_long_scale_has_bands() -> None:
    rng = np.random.default_rng(3)
    human = np.clip(np.rint(rng.normal(60, 18, (500, 1))), 0, 100)
    system = human[:, 0] + rng.normal(0, 6, 500)
    tables, estimates = tables_of(tallied(system, human, scale=Scale(0, 100, 1, False)))
    names = tables["levels.by_human"].column("human")
    assert names[0] == "0 to 9"
    assert names[-1] == "90 to 100"
    r = np.rint(np.clip(system, 0, 100))
    bands = [np.minimum(x // 10, 9) for x in (human[:, 0], r)]
    assert number(estimates["levels.off_by_two"]) == pytest.approx(100 * (abs(bands[0] - bands[1]) >= 2).mean())
    assert "in_bands(points=101, width=10)" in tables["levels.by_human"].notes


def test_differences_of_shares_are_paired() -> None:
    system, human, _ = scores(300)
    table = next(table for table in distribution_tables(tallied(system, human)) if table.key == "distribution")
    moved = 100.0 * ((rounded(system) == 4) * 1.0 - (human[:, 0] == 4))
    difference = table.row("4")["difference"]
    assert isinstance(difference, Estimate)
    assert number(difference) == pytest.approx(moved.mean())
    assert difference.standard_error == pytest.approx(moved.std(ddof=1) / np.sqrt(300))


def test_what_is_not_there_has_a_reason() -> None:
    human = np.array([2.0, 3, 3, 4, 4, 5] * 4)[:, None]
    tables, estimates = tables_of(tallied(human[:, 0] + 0.2, human))
    assert estimates["levels.lowest_kept"].value is None
    assert "human score 1" in estimates["levels.lowest_kept"].reason
    assert estimates["levels.expected_error_slope"].value is None
    assert "scored twice" in estimates["levels.expected_error_slope"].reason
    assert tables["levels.by_human"].row("1")["n"] == 0
    once = np.array([1.0, 2, 2, 3, 3])[:, None]
    macro = tables_of(tallied(once[:, 0] + 0.1, once))[1]["levels.macro_rmse"]
    assert macro.low is None
    assert macro.interval_reason == FEW_AT_A_LEVEL


def test_errors_of_one_size_in_every_level_have_no_interval() -> None:
    """Nothing varies within a level, so that the sum of squares is rounding, of either sign."""
    human = np.tile(np.arange(1, 7.0), 20)[:, None]
    for shift in (0.1, 0.2, 0.3, 1 / 3):
        macro = tables_of(tallied(human[:, 0] + shift, human))[1]["levels.macro_rmse"]
        assert macro.value == pytest.approx(shift)
        assert macro.low is None or macro.low == pytest.approx(shift)


def test_raters_who_rated_nothing_change_nothing() -> None:
    """Conger's kappa is about the raters there are: a blank column more leaves every coefficient as it was."""
    system, human, _ = scores()
    blank = np.full((len(human), 1), np.nan)
    without, beside = (everyone_panel(tallied(system, each)) for each in (human, np.hstack([human, blank])))
    assert without is not None
    assert without == beside
    assert without.estimates["kappa"].defined
    assert everyone_panel(tallied(system, np.hstack([human[:, :2], blank]))) is None


def test_a_kappa_without_a_table_tells_why_and_of_how_many() -> None:
    human = np.random.default_rng(3).integers(0, 600, (900, 2)).astype(float)
    found = tallied(human[:, 0], human, scale=Scale(0, 600, 1, False))
    kappa = found.estimates(found.primary_rounded).estimate("human.kappa")
    assert (kappa.value, kappa.n, kappa.reason) == (None, 900, "the scores have too many points for a table")
