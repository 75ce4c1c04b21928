"""AC and tau-b of the engine less those of two raters: values, intervals, and why there is none."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.evaluation import tally_screened
from reportgen.evaluation.panel import panel_beside_raters
from reportgen.metrics import gwet_ac, kendall_tau_b
from reportgen.results import Estimate
from reportgen.scores import read
from reportgen.settings import from_keywords

KEYS = ("degradation.ac2_quadratic", "degradation.tau_b")


def scored(n: int, seed: int = 3, noise: float = 0.6) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1.0, n)
    made = {name: np.clip(np.rint(true + rng.normal(0, sd, n)), 1, 6) for name, sd in
            (("h1", 0.6), ("h2", 0.6), ("system", noise))}  # fmt: skip
    return pd.DataFrame(made)


def compared(frame: pd.DataFrame, scale: str = "1:6") -> dict[str, Estimate]:
    human = [column for column in frame if str(column).startswith("h")]
    settings = from_keywords(system="system", human=human, scale=scale)
    return panel_beside_raters(tally_screened(read(frame, settings), settings))


def ends(found: Estimate) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def test_the_difference_is_that_of_the_public_functions() -> None:
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
def test_the_standard_error_is_that_of_many_samples(key: str) -> None:
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
        (
            lambda frame: frame.assign(h2=[3.0, *[np.nan] * (len(frame) - 1)]),
            "1:6",
            "only one response was scored twice",
        ),
        (lambda frame: frame + 0.123 * np.arange(len(frame))[:, None] / len(frame), "1:7:0", "no points"),
    ],
)
def test_there_is_a_reason_where_there_is_no_difference(change: Any, scale: str, reason: str) -> None:
    found = compared(change(scored(60)), scale)
    for key in KEYS:
        assert found[key].value is None
        assert reason in found[key].reason


@pytest.mark.parametrize("record", ["any", "h1"])
def test_one_double_scored_response_is_compared_with_nothing(record: str) -> None:
    """Its two ratings agree by 1 or -1: a requirement shows no number of one response either."""
    frame = scored(60)
    frame["h2"] = [7 - frame["h1"][0], *[np.nan] * 59]
    evaluation = reportgen.evaluate(frame, sections=[], scale="1:6", record=record).evaluation
    compared = [check.estimate for check in evaluation.checks if check.statistic.startswith("degradation.")]
    assert compared
    assert [each.value for each in compared] == [None] * len(compared)
