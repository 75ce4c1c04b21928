"""Intervals of candidates with several responses, which take the candidate as the unit."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error

from reportgen.evaluation.estimates import SliceEstimates, estimate_slices
from reportgen.evaluation.statistics import METHOD_WILSON
from reportgen.tally import OVERALL, ROUNDED, TRIMMED, ClusteredRows, Form, tally_of
from reportgen.tally.clusters import CellFinder

BOUNDS = (0.5002, 6.4998)
Sample = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def sample(seed: int, candidates: int = 80, each: int = 6, *, within: bool = False) -> Sample:
    """Return system scores, ratings, groups, and candidates who share ability and engine error.

    within: whether the responses of a candidate can belong to both groups.
    """
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(candidates), each)
    true = 3.5 + rng.normal(0, 0.9, candidates)[who] + rng.normal(0, 0.5, len(who))
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.55, (len(who), 2))), 1, 6)
    human[rng.random(len(who)) < 0.5, 1] = np.nan
    system = true + rng.normal(0, 0.4, candidates)[who] + rng.normal(0, 0.2, len(who))
    groups = (rng.random(len(who) if within else candidates) < 0.4).astype(int)
    return system, human, groups if within else groups[who], who


def estimates(data: Sample, grouping: str, form: Form = TRIMMED, *, clustered: bool = True) -> SliceEstimates:
    system, human, codes, who = data
    groups = {"g": (codes, ["a", "b"])}
    tally = tally_of(system, human, groups, BOUNDS)
    rows = ClusteredRows.of(tally, system, human, groups, who) if clustered else None
    return estimate_slices(tally, grouping, form, 0.95, None, rows)


@pytest.mark.parametrize("form", [TRIMMED, ROUNDED])
@pytest.mark.parametrize("grouping", [OVERALL, "g"])
def test_candidates_with_one_response_change_nothing(form: Form, grouping: str) -> None:
    system, human, codes, _ = sample(1)
    data = (system, human, codes, np.arange(len(system)))
    one, other = estimates(data, grouping, form), estimates(data, grouping, form, clustered=False)
    for key, numbers in one.numbers.items():
        np.testing.assert_allclose(numbers.value, other.numbers[key].value, rtol=1e-9, atol=1e-12, err_msg=key)
        # with few units, two points represent three or more responses of a cell
        far = 1e-4 if {*other.numbers[key].method} - {"", METHOD_WILSON} else 1e-7
        np.testing.assert_allclose(numbers.error, other.numbers[key].error, rtol=far, atol=1e-8, err_msg=key)


@pytest.mark.slow
@pytest.mark.parametrize("within", [False, True])
def test_clustered_errors_match_jackknife(within: bool) -> None:
    system, human, codes, who = data = sample(2, within=within)
    full = estimates(data, "g", ROUNDED)

    def left(kept: NDArray[np.bool_]) -> list[Any]:
        found = estimates((system[kept], human[kept], codes[kept], who[kept]), "g", ROUNDED, clustered=False)
        return [each.value for each in found.numbers.values()]

    for (key, numbers), jackknife in zip(full.numbers.items(), jackknife_error(left, who), strict=True):
        np.testing.assert_allclose(numbers.error, jackknife, rtol=0.12, atol=1e-9, err_msg=key)


@pytest.mark.slow
def test_clustered_intervals_cover() -> None:
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
            assert covered[1] < covered[0] - 0.05, "intervals of independent responses are too short"


@pytest.mark.parametrize("most_products", [0, 1 << 11])
@pytest.mark.parametrize("block", [1, 50, 1 << 14])
def test_cluster_sums_match_rows(block: int, most_products: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with sums over rows for any block size, one large cluster, and withheld levels."""
    monkeypatch.setattr("reportgen.tally.clusters.BLOCK_ROWS", block)
    monkeypatch.setattr("reportgen.tally.clusters.MOST_PRODUCTS", most_products)
    system, human, _, who = sample(3)
    who = np.where(who < 9, 4, who)
    rng = np.random.default_rng(8)
    shuffled = rng.permutation(len(who))
    system, human, who = system[shuffled], human[shuffled], who[shuffled]
    codes = rng.integers(0, 4, len(who))
    groups = {"g": (codes, ["a", "b", "c", "d"])}
    tally = tally_of(system, human, groups, BOUNDS).without({"g": ["b"]})
    rows = ClusteredRows.of(tally, system, human, groups, who)
    cell, u = CellFinder(tally).find(system, human)
    np.testing.assert_array_equal(tally.cells.system[cell] + u, system)
    moved = rng.normal(size=(40, 3, len(tally.cells)))
    added = moved[:, 0, cell] + u * moved[:, 1, cell] + u**2 * moved[:, 2, cell]
    expected = [(np.bincount(who, each) ** 2).sum() for each in added]
    np.testing.assert_allclose(rows.squared(OVERALL, moved)[:, 0], expected, rtol=1e-12)
    slices = tally.slices["g"]
    influence = rng.normal(size=(2, len(slices.cell)))
    counted = rng.random(len(tally.cells)) < 0.5
    for place, (level, label) in enumerate([(0, "a"), (2, "c"), (3, "d")]):
        assert slices.labels[place] == label
        here = np.flatnonzero(codes == level)
        of_cell = np.zeros((2, len(tally.cells)))
        of_cell[:, slices.cell[slices.level == place]] = influence[:, slices.level == place]
        expected = [(np.bincount(who[here], each[cell[here]]) ** 2).sum() for each in of_cell]
        np.testing.assert_allclose(rows.squared("g", influence, slices.level, 3)[:, place], expected, rtol=1e-12)
        assert rows.units("g", counted)[place] == len(set(who[here][counted[cell[here]]].tolist()))
    everyone = np.where(counted, 0, -1)  # of two places one may be empty
    assert rows.units_at(OVERALL, everyone, 2).tolist() == [rows.units(OVERALL, counted)[0], 0]
    assert rows.units(OVERALL, counted) == len(set(who[counted[cell]].tolist()))


def test_opposite_influences_within_clusters_cancel() -> None:
    """The responses of each candidate have opposite influences, so the standard error is exactly 0."""
    human = np.tile([[1.0], [2.0]], (50, 1))
    system, who = np.tile([1.25, 2.25], 50), np.repeat(np.arange(50), 2)
    tally = tally_of(system, human)
    rows = ClusteredRows.of(tally, system, human, {}, who)
    moved = np.zeros((1, 3, 2))
    moved[0, 0] = 1 / 3, -1 / 3
    assert rows.squared(OVERALL, moved).tolist() == [[0.0]]
