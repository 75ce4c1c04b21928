"""Differences of AC and tau-b between the engine and two raters: values, intervals, and reasons."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracles import ends
from simulated import evaluation_of, framed, simulated

from reportgen.evaluation import tally_screened
from reportgen.evaluation.panel import panel_beside_raters
from reportgen.metrics import gwet_ac, kendall_tau_b
from reportgen.results import Estimate
from reportgen.scores import read
from reportgen.settings import from_keywords

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
