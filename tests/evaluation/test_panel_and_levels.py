"""The agreement panel, its differences from raters, and score levels, compared with rows and the jackknife."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from oracles import ends, jackknife_error, value
from plans import SIX, tallied
from simulated import evaluation_of, framed, simulated

from reportgen import metrics
from reportgen.evaluation import panel, tally_screened
from reportgen.evaluation.panel import (
    NO_POINTS,
    engine_panel,
    everyone_panel,
    panel_beside_raters,
    panel_results,
    rater_panels,
)
from reportgen.metrics import gwet_ac, kendall_tau_b
from reportgen.metrics.chance_corrected import patterns_of
from reportgen.metrics.krippendorff import PANEL
from reportgen.results import Estimate, Scale
from reportgen.scores import read
from reportgen.settings import from_keywords

Floats = NDArray[np.float64]
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


def rounded(system: Floats) -> Floats:
    return np.rint(np.clip(system, 1 - 0.4998, 6 + 0.4998))


@pytest.mark.slow
@pytest.mark.parametrize("by_candidate", [False, True])
@pytest.mark.parametrize("who", ["engine", "pair", "everyone"])
def test_panel_errors_match_jackknife(who: str, by_candidate: bool) -> None:
    """Leave out one response or one candidate at a time. Linearization differs by up to 10%."""
    system, human, candidate = scores()
    columns = {"engine": np.column_stack([rounded(system), human[:, 0]]), "pair": human[:, :2], "everyone": human}[who]
    made = tallied(system, human, candidate if by_candidate else None)
    found = {"engine": engine_panel, "pair": lambda s: rater_panels(s)[0], "everyone": everyone_panel}[who](made)
    assert found is not None
    kept = np.isfinite(columns).all(axis=1) if who == "pair" else np.isfinite(columns).any(axis=1)
    columns, units = columns[kept], (candidate if by_candidate else np.arange(len(candidate)))[kept]

    def values(rows: NDArray[np.bool_]) -> list[float]:
        return [of(patterns_of(columns[rows], POINTS)).value for of in PANEL.values()]

    errors = dict(zip(PANEL, jackknife_error(values, units), strict=True))
    for key, whole in zip(PANEL, values(np.ones(len(units), bool)), strict=True):
        estimate = found.estimates[key]
        if estimate.value is None:
            assert np.isnan(whole)
            continue
        assert estimate.value == pytest.approx(whole, abs=1e-12), key
        assert estimate.standard_error == pytest.approx(errors[key], rel=0.1), key
        low, high = ends(estimate)
        assert low < estimate.value < high


def test_panel_tables_have_every_pair() -> None:
    system, human, _ = scores()
    tables, estimates = panel_results(tallied(system, human))
    by_key = {table.key: table for table in tables}
    assert [row.cells[0] for row in by_key["panel.pairs"].rows] == ["h1, h2", "h1, h3", "h2, h3"]
    assert [column.key for column in by_key["panel.agreement"].columns] == ["coefficient", "engine", "human", "raters"]
    both = np.isfinite(human[:, 1]) & np.isfinite(human[:, 2])
    expected = metrics.gwet_ac(human[both][:, 1:], categories=POINTS, weights="quadratic").value
    pair = by_key["panel.pairs"].row("h2, h3")
    assert value(pair["ac2_quadratic"]) == pytest.approx(expected, abs=1e-12)
    assert pair["n"] == both.sum()
    assert estimates["panel.raters.kappa"].value == pytest.approx(
        metrics.conger_kappa(human, categories=POINTS).value, abs=1e-12
    )
    assert estimates["panel.kappa"].value == pytest.approx(
        metrics.cohen_kappa(human[:, 0], rounded(system), categories=POINTS).value, abs=1e-12
    )


def test_panel_requires_common_responses() -> None:
    system, human, _ = scores()
    human[::2, 1], human[1::2, 2] = np.nan, np.nan
    human[:, 0] = np.where(np.isfinite(human[:, 0]), human[:, 0], 3)
    assert [each.name for each in rater_panels(tallied(system, human))] == ["h1, h2", "h1, h3"]


def test_unrounded_ranks_match_public_functions_and_jackknife() -> None:
    system, human, candidate = scores()
    found = panel.unrounded_ranks(tallied(system, human, candidate))
    assert found is not None
    assert found.width == 0
    given = np.clip(system, 1 - 0.4998, 6 + 0.4998)

    def values(rows: NDArray[np.bool_]) -> list[float]:
        return [of(human[rows, 0], given[rows]) for of in (metrics.kendall_tau_b, metrics.spearman_rho)]

    estimates = [found.estimates[key] for key in ("tau_b", "spearman")]
    assert [each.value for each in estimates] == pytest.approx(values(np.ones(len(given), bool)), abs=1e-12)
    assert [each.standard_error for each in estimates] == pytest.approx(jackknife_error(values, candidate), rel=0.1)


def test_unrounded_ranks_group_many_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    system, human, _ = scores(900)
    exact = panel.unrounded_ranks(tallied(system, human))
    monkeypatch.setattr("reportgen.evaluation.counting.MOST_CELLS", 6 * 200)
    grouped = panel.unrounded_ranks(tallied(system, human))
    assert exact is not None
    assert grouped is not None
    assert 0.005 < grouped.width < 0.1
    for key, estimate in exact.estimates.items():
        assert value(grouped.estimates[key]) == pytest.approx(value(estimate), abs=5e-3)
        assert grouped.estimates[key].value != estimate.value


def test_panel_uses_declared_scale() -> None:
    """Quadratic AC of six pairs is .551 on 1 to 4 and .850 on 1 to 6. An assumed scale has a note."""
    pairs = np.array([[1, 1], [1, 1], [1, 4], [2, 2], [2, 2], [4, 4.0]])
    for scale, printed in ((Scale(1, 4, 1, False), 0.551), (SIX, 0.850), (Scale(1, 4, 1, True), 0.551)):
        tables, estimates = panel_results(tallied(pairs[:, 1], pairs[:, :1], scale=scale))
        assert round(value(estimates["panel.ac2_quadratic"]), 3) == printed
        assert ("scale_not_declared" in tables[0].notes) == scale.assumed


def test_divergence_with_prevalent_score() -> None:
    """If 90% of the labels of both raters are 1, chance agreement is .82 for kappa and .18 for AC1."""
    human = np.array([1.0] * 85 + [1] * 5 + [2] * 5 + [2] * 5)[:, None]
    system = np.array([1.0] * 85 + [2] * 5 + [1] * 5 + [2] * 5)
    tables, _ = panel_results(tallied(system, human, scale=Scale(1, 2, 1, False)))
    row = next(table for table in tables if table.key == "panel.divergence").row("engine_and_first_rater")
    assert (row["weights"], row["prevalent"]) == ("identity", "1")
    difference = (0.9 - 0.18) / 0.82 - (0.9 - 0.82) / 0.18
    assert value(row["difference"]) == pytest.approx(difference)
    expected = {"chance_kappa": 82, "chance_ac": 18, "by_prevalence": difference, "by_unequal_use": 0, "prevalence": 90,
                "shift": 0}  # fmt: skip
    assert {key: row[key] for key in expected} == pytest.approx(expected)


def test_panel_of_perfect_agreement_has_no_interval() -> None:
    human = np.array([1.0, 2, 3, 4, 5, 6] * 5)[:, None]
    found = engine_panel(tallied(human[:, 0], human))
    for key, estimate in found.estimates.items():
        assert estimate.value == pytest.approx(100 if key == "exact_agreement" else 1)
        assert (estimate.low is None) == (key != "exact_agreement")
        assert key == "exact_agreement" or estimate.interval_reason


def test_panel_of_constant_engine_has_no_kappa_interval() -> None:
    """Kappa of a constant score is 0 for any responses, so it has no uncertainty to estimate."""
    human = np.tile([1.0, 2, 3], 10)[:, None]
    found = engine_panel(tallied(np.full(30, 3.0), human)).estimates
    for key in ("kappa", "kappa_linear", "kappa_quadratic"):
        assert found[key].value == pytest.approx(0, abs=1e-12)
        assert found[key].low is None
    assert found["ac1"].low is not None
    assert found["tau_b"].value is None


def test_panel_of_continuous_scale_has_alpha_and_ranks() -> None:
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


def test_panel_ignores_blank_raters() -> None:
    """A blank column of ratings leaves every coefficient as it was."""
    system, human, _ = scores()
    blank = np.full((len(human), 1), np.nan)
    without, beside = (everyone_panel(tallied(system, each)) for each in (human, np.hstack([human, blank])))
    assert without is not None
    assert without == beside
    assert without.estimates["kappa"].defined
    assert everyone_panel(tallied(system, np.hstack([human[:, :2], blank]))) is None


def test_kappa_of_too_many_points_has_reason() -> None:
    human = np.random.default_rng(3).integers(0, 600, (900, 2)).astype(float)
    found = tallied(human[:, 0], human, scale=Scale(0, 600, 1, False))
    kappa = found.estimates(found.primary_rounded).estimate("human.kappa")
    assert (kappa.value, kappa.n, kappa.reason) == (None, 900, "the scores have too many points for a table")


KEYS = ("degradation.ac2_quadratic", "degradation.tau_b")


def scored(n: int, seed: int = 3, noise: float = 0.6) -> pd.DataFrame:
    return framed(simulated(n, seed, noise=noise), engine="system").round().clip(1, 6)


def compared(frame: pd.DataFrame, scale: str = "1:6") -> dict[str, Estimate]:
    human = [column for column in frame if str(column).startswith("h")]
    settings = from_keywords(system="system", human=human, scale=scale)
    return panel_beside_raters(tally_screened(read(frame, settings), settings))


def test_panel_difference_matches_public_functions() -> None:
    frame = scored(250)
    frame.loc[100:, "h2"] = np.nan
    found = compared(frame)
    twice = frame.dropna()
    points = [1, 2, 3, 4, 5, 6]
    ac = [
        gwet_ac(pair.to_numpy(), categories=points, weights="quadratic").value
        for pair in (frame[["h1", "system"]], twice[["h1", "h2"]])
    ]
    tau = [kendall_tau_b(frame["h1"], frame["system"]), kendall_tau_b(twice["h1"], twice["h2"])]
    for key, (own, theirs) in zip(KEYS, (ac, tau), strict=True):
        assert found[key].value == pytest.approx(own - theirs, abs=1e-12)
        assert (found[key].n, found[key].kind) == (100, "difference")
        low, high = ends(found[key])
        assert low < own - theirs < high


@pytest.mark.parametrize("key", KEYS)
def test_panel_difference_error_matches_simulation(key: str) -> None:
    made = [compared(scored(300, seed))[key] for seed in range(60)]
    values = [each.value or 0.0 for each in made]
    errors = [each.standard_error or 0.0 for each in made]
    assert np.mean(errors) == pytest.approx(np.std(values, ddof=1), rel=0.25)
    truth = float(np.mean(values))
    assert sum(low <= truth <= high for low, high in map(ends, made)) >= 53


@pytest.mark.parametrize(
    ("change", "scale", "reason"),
    [
        (lambda frame: frame.drop(columns="h2"), "1:6", "no response was scored twice"),
        (lambda frame: frame.assign(h2=[3.0, *[np.nan] * 59]), "1:6", "only one response was scored twice"),
        (lambda frame: frame + 0.123 * np.arange(60)[:, None] / 60, "1:7:0", "no points"),
    ],
)
def test_undefined_panel_difference_has_reason(change: Any, scale: str, reason: str) -> None:
    found = compared(change(scored(60)), scale)
    for key in KEYS:
        assert found[key].value is None
        assert reason in found[key].reason


@pytest.mark.parametrize("record", ["any", "h1"])
def test_panel_difference_of_one_response_is_undefined(record: str) -> None:
    """Agreement on one response is 1 or -1, so requirements have no number either."""
    frame = scored(60)
    frame["h2"] = [7 - frame["h1"][0], *[np.nan] * 59]
    evaluation = evaluation_of(frame, scale="1:6", record=record)
    compared = [check.estimate for check in evaluation.checks if check.statistic.startswith("degradation.")]
    assert compared
    assert [each.value for each in compared] == [None] * len(compared)
