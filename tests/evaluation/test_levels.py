"""Statistics by score level, compared with rows, the jackknife, and other scales."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error, value
from plans import tallied
from test_panel_and_levels import rounded, scores

from reportgen import metrics
from reportgen.evaluation.levels import FEW_AT_A_LEVEL, level_results
from reportgen.evaluation.panel import engine_panel, panel_results
from reportgen.evaluation.points import Preparation
from reportgen.evaluation.tables.data import distribution_tables
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Estimate, Scale, Table


def tables_of(made: TalliedScores) -> tuple[dict[str, Table], dict[str, Estimate]]:
    tables, estimates = level_results(made)
    return {table.key: table for table in tables}, estimates


def test_levels_match_rows() -> None:
    system, human, _ = scores(400)
    tables, estimates = tables_of(tallied(system, human))
    s, r, h = np.clip(system, 1 - 0.4998, 6 + 0.4998), rounded(system), human[:, 0]
    for level in range(1, 7):
        row = tables["levels.by_human"].row(str(level))
        here = h == level
        assert row["n"] == here.sum()
        assert value(row["recall"]) == pytest.approx(100 * (r[here] == level).mean())
        assert value(row["off_by_two"]) == pytest.approx(100 * (abs(r[here] - level) >= 2).mean())
        assert value(row["mean_error"]) == pytest.approx((s[here] - level).mean(), abs=1e-12)
        assert value(row["level_rmse"]) == pytest.approx(np.sqrt(((s[here] - level) ** 2).mean()), abs=1e-12)
        band, here = tables["calibration"].row(str(level)), r == level
        assert value(band["mean_human"]) == pytest.approx(h[here].mean(), abs=1e-12)
        assert band["mean_system"] == pytest.approx(s[here].mean(), abs=1e-12)
        assert value(band["calibration_gap"]) == pytest.approx((h - s)[here].mean(), abs=1e-12)
        assert value(band["precision"]) == pytest.approx(100 * (h[here] == level).mean())
        error = band["mean_human"].standard_error  # type: ignore[union-attr]
        assert error == pytest.approx(h[here].std(ddof=1) / np.sqrt(here.sum()))
    extreme = (h == 1) | (h == 6)
    expected = {
        "levels.macro_rmse": metrics.macro_averaged_rmse(h, s),
        "levels.off_by_two": 100 * (abs(r - h) >= 2).mean(),
        "levels.lowest_kept": 100 * (r[h == 1] == 1).mean(),
        "levels.highest_kept": 100 * (r[h == 6] == 6).mean(),
        "levels.extremes_kept": 100 * (r[extreme] == h[extreme]).mean(),
        "levels.calibration_slope": np.polyfit(s, h, 1)[0],
        "levels.error_slope": np.polyfit(h, s - h, 1)[0],
    }
    for key, number in expected.items():
        assert value(estimates[key]) == pytest.approx(number, abs=1e-9), key


@pytest.mark.parametrize("by_candidate", [False, True])
def test_level_errors_match_jackknife(by_candidate: bool) -> None:
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
        assert value(estimate) == pytest.approx(of(np.ones(400, bool)), abs=1e-9)
        assert estimate.standard_error == pytest.approx(jackknife_error(of, units), rel=0.12), key  # type: ignore[union-attr]


def test_levels_of_true_scores_have_expected_slopes() -> None:
    """The engine is the true score: its error slope is reliability - 1 by human score and 0 by engine score."""
    rng = np.random.default_rng(2)
    true = rng.normal(0, 1, 6000)
    human = true[:, None] + rng.normal(0, 0.8, (6000, 2))
    wide = Scale(-8, 8, 0, assumed=False)
    tables, estimates = tables_of(tallied(true, human, scale=wide))
    reliability = 1 / (1 + 0.8**2)
    slope, expected = value(estimates["levels.error_slope"]), value(estimates["levels.expected_error_slope"])
    assert slope == pytest.approx(reliability - 1, abs=0.03)
    assert expected == pytest.approx(reliability - 1, abs=0.03)
    assert value(estimates["levels.calibration_slope"]) == pytest.approx(1, abs=0.04)
    for row in tables["levels.by_human"].rows:
        cells = dict(zip((column.key for column in tables["levels.by_human"].columns), row.cells, strict=True))
        error = cells["mean_error"]
        if isinstance(error, Estimate) and error.n > 50:
            assert error.value == pytest.approx(value(cells["expected_error"]), abs=0.15)


@pytest.mark.parametrize(("step", "start"), [(0.5, 1.0), (2.0, 10.0), (0.1, -3.0)])
def test_panel_and_levels_do_not_depend_on_step(step: float, start: float) -> None:
    """Levels, shares, and coefficients do not depend on the step. Errors are proportional to it."""
    system, human, candidate = scores(300)
    system = np.clip(system, 0.6, 6.4)  # nothing is trimmed on either scale
    here = tallied(system, human, candidate)
    points = Scale(start, start + 5 * step, step, False)
    prepared = Preparation((points.low, points.high), 0.45 * step)
    system, human = (start + step * (each - 1) for each in (system, human))
    there = tallied(system, human, candidate, scale=points, preparation=prepared)
    assert panel_values(here) == pytest.approx(panel_values(there), abs=1e-9)
    assert any(note.startswith("points_apart") for note in panel_results(there)[0][0].notes)
    assert not any(note.startswith("points_apart") for note in panel_results(here)[0][0].notes)
    mine, theirs = tables_of(here)[1], tables_of(there)[1]
    for key, estimate in mine.items():
        scaled = step if key in ("levels.macro_rmse", "levels.true_sd") else 1.0
        assert value(theirs[key]) == pytest.approx(scaled * value(estimate), abs=1e-9), key
        assert theirs[key].standard_error == pytest.approx(scaled * (estimate.standard_error or 0.0), rel=1e-6), key
    mine_shares, their_shares = (
        next(table for table in distribution_tables(each) if table.key == "distribution") for each in (here, there)
    )
    assert mine_shares.column("human_n") == their_shares.column("human_n")
    assert mine_shares.column("system_n") == their_shares.column("system_n")
    assert their_shares.column("score")[1] == f"{start + step:g}".replace("-", "−")


def panel_values(made: TalliedScores) -> dict[str, float]:
    return {key: value(estimate) for key, estimate in engine_panel(made).estimates.items()}


def test_levels_of_long_scale_are_bands() -> None:
    rng = np.random.default_rng(3)
    human = np.clip(np.rint(rng.normal(60, 18, (500, 1))), 0, 100)
    system = human[:, 0] + rng.normal(0, 6, 500)
    tables, estimates = tables_of(tallied(system, human, scale=Scale(0, 100, 1, False)))
    names = tables["levels.by_human"].column("human")
    assert names[0] == "0 to 9"
    assert names[-1] == "90 to 100"
    r = np.rint(np.clip(system, 0, 100))
    bands = [np.minimum(x // 10, 9) for x in (human[:, 0], r)]
    assert value(estimates["levels.off_by_two"]) == pytest.approx(100 * (abs(bands[0] - bands[1]) >= 2).mean())
    assert "in_bands(points=101, width=10)" in tables["levels.by_human"].notes


def test_distribution_differences_are_paired() -> None:
    system, human, _ = scores(300)
    table = next(table for table in distribution_tables(tallied(system, human)) if table.key == "distribution")
    moved = 100.0 * ((rounded(system) == 4) * 1.0 - (human[:, 0] == 4))
    difference = table.row("4")["difference"]
    assert value(difference) == pytest.approx(moved.mean())
    assert difference.standard_error == pytest.approx(moved.std(ddof=1) / np.sqrt(300))  # type: ignore[union-attr]


def test_undefined_level_statistics_have_reasons() -> None:
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


def test_macro_rmse_of_constant_errors_has_no_interval() -> None:
    """Nothing varies within a level, so the sum of squares is rounding error of either sign."""
    human = np.tile(np.arange(1, 7.0), 20)[:, None]
    for shift in (0.1, 0.2, 0.3, 1 / 3):
        macro = tables_of(tallied(human[:, 0] + shift, human))[1]["levels.macro_rmse"]
        assert macro.value == pytest.approx(shift)
        assert macro.low is None or macro.low == pytest.approx(shift)
