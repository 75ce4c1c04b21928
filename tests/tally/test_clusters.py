"""Intervals when candidates gave several responses: the candidate is the unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.evaluation.estimates import SliceEstimates, estimate_slices
from reportgen.tally import OVERALL, ROUNDED, TRIMMED, ClusteredRows, Form, tally_of

BOUNDS = (0.5002, 6.4998)
Sample = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def sample(seed: int, candidates: int = 80, each: int = 6) -> Sample:
    """Return system, ratings, groups and candidates; ability and engine error are shared within a candidate."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(candidates), each)
    true = 3.5 + rng.normal(0, 0.9, candidates)[who] + rng.normal(0, 0.5, len(who))
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.55, (len(who), 2))), 1, 6)
    human[rng.random(len(who)) < 0.5, 1] = np.nan
    system = true + rng.normal(0, 0.4, candidates)[who] + rng.normal(0, 0.2, len(who))
    return system, human, (rng.random(candidates) < 0.4).astype(int)[who], who


def estimates(data: Sample, grouping: str, form: Form = TRIMMED, *, clustered: bool = True) -> SliceEstimates:
    system, human, codes, who = data
    groups = {"g": (codes, ["a", "b"])}
    tally = tally_of(system, human, groups, BOUNDS)
    rows = ClusteredRows.of(tally, system, human, groups, who) if clustered else None
    return estimate_slices(tally, grouping, form, 0.95, None, rows)


@pytest.mark.parametrize("form", [TRIMMED, ROUNDED])
@pytest.mark.parametrize("grouping", [OVERALL, "g"])
def test_one_response_each_is_no_clustering(form: Form, grouping: str) -> None:
    system, human, codes, _ = sample(1)
    data = (system, human, codes, np.arange(len(system)))
    one, other = estimates(data, grouping, form), estimates(data, grouping, form, clustered=False)
    for key, numbers in one.numbers.items():
        np.testing.assert_allclose(numbers.value, other.numbers[key].value, rtol=1e-9, atol=1e-12, err_msg=key)
        np.testing.assert_allclose(numbers.error, other.numbers[key].error, rtol=1e-7, atol=1e-8, err_msg=key)


def test_standard_errors_are_those_of_deleting_one_candidate_at_a_time() -> None:
    system, human, codes, who = sample(2)
    full = estimates((system, human, codes, who), "g", ROUNDED)
    left_out = []
    for candidate in range(80):
        keep = who != candidate
        left_out.append(estimates((system[keep], human[keep], codes[keep], who[keep]), "g", ROUNDED, clustered=False))
    for key, numbers in full.numbers.items():
        values = np.array([other.numbers[key].value for other in left_out])
        jackknife = np.sqrt(79 / 80 * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
        np.testing.assert_allclose(numbers.error, jackknife, rtol=0.12, atol=1e-9, err_msg=key)


def test_shared_errors_widen_the_interval_and_it_covers() -> None:
    runs = [
        (estimates(sample(seed), OVERALL), estimates(sample(seed), OVERALL, clustered=False)) for seed in range(120)
    ]
    for key in ("system.smd", "system.qwk", "system.r", "true_score.prmse"):
        truth = np.mean([clustered.numbers[key].value[0] for clustered, _ in runs])
        covered = [
            np.mean([run[which].numbers[key].low[0] <= truth <= run[which].numbers[key].high[0] for run in runs])
            for which in (0, 1)
        ]
        assert covered[0] >= 0.88, key
        if key == "system.smd":
            assert covered[1] < covered[0] - 0.05, "responses taken as independent cover too seldom here"
