"""Standard errors and intervals, also with candidates as units, compared with the jackknife and simulations."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error
from simulated import simulated

from reportgen.evaluation.estimates import SliceEstimates, estimate_slices
from reportgen.evaluation.statistics import METHOD_LEFT_OUT, METHOD_WILSON
from reportgen.metrics import METRICS
from reportgen.tally import AS_GIVEN, OVERALL, ROUNDED, TRIMMED, ClusteredRows, Form, limits, tally_of
from reportgen.tally.clusters import CellFinder
from reportgen.tally.intervals import SCALES

Floats = NDArray[Any]


def sample(seed: int, n: int, double: float = 0.4) -> tuple[Floats, Floats, Floats]:
    _, human, engine, rng = simulated(n, seed, error=0.55, noise=0.45, twice=double)
    return engine, human, (rng.random(n) < 0.3).astype(int)


def estimates(system: Floats, human: Floats, codes: Floats, form: Form = TRIMMED) -> SliceEstimates:
    tally = tally_of(system, human, {"g": (codes, ["a", "b"])}, (0.5002, 6.4998))
    return estimate_slices(tally, "g", form, 0.95, None)


def test_errors_match_jackknife() -> None:
    """With 400 responses, both differ by a few parts in a thousand. Small levels use the scale of the interval."""
    n, times = 400, 5
    system, human, codes = (np.concatenate([each] * times) for each in sample(1, n // times))
    full = estimates(system, human, codes)
    left_out = []  # equal rows have equal results
    for row in range(n // times):
        keep = np.arange(n) != row
        left_out += [estimates(system[keep], human[keep], codes[keep])] * times
    for key, numbers in full.numbers.items():
        values = np.array([other.numbers[key].value for other in left_out])
        jackknife = np.sqrt((n - 1) / n * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
        few = np.array([METHOD_LEFT_OUT in numbers.method[level : level + 1] for level in range(len(jackknife))])
        scale = "none" if key.startswith("degradation.") else METRICS[numbers.metric].transform
        with np.errstate(all="ignore"):
            scaled = SCALES[scale].forward(values)
            own = np.sqrt((n - 1) / n * ((scaled - scaled.mean(axis=0)) ** 2).sum(axis=0))
            own *= np.abs(SCALES[scale].slope(numbers.value))
        np.testing.assert_allclose(numbers.error[~few], jackknife[~few], rtol=0.06, atol=1e-9, err_msg=key)
        np.testing.assert_allclose(numbers.error[few], own[few], rtol=0.02, atol=1e-9, err_msg=key)


@pytest.mark.slow
@pytest.mark.parametrize("form", [TRIMMED, ROUNDED])
def test_intervals_cover(form: Form) -> None:
    """In 150 samples of 600, 95% intervals must cover the mean of the estimates in 89% to 100%."""
    runs = [estimates(*sample(seed, 600), form=form) for seed in range(150)]
    for key in ("system.qwk", "system.r", "system.smd", "system.dsm", "system.kappa", "degradation.qwk",
                "human.qwk", "true_score.prmse", "system.rmse", "system.exact_agreement"):  # fmt: skip
        numbers = [run.numbers[key] for run in runs]
        truth = np.mean([one.value[1] for one in numbers])
        if key == "system.exact_agreement" and form is TRIMMED:
            continue  # unrounded scores never agree exactly
        covered = np.mean([one.low[1] <= truth <= one.high[1] for one in numbers])
        assert covered >= 0.89, f"{key}: {covered}"


def test_overall_errors_do_not_depend_on_groups() -> None:
    system, human, codes = sample(2, 500)
    tally = tally_of(system, human, {"g": (codes, ["a", "b"])}, (0.5002, 6.4998))
    overall = estimate_slices(tally, OVERALL, TRIMMED, 0.95, None)
    one_level = tally_of(system, human, {"g": (np.zeros(500, int), ["all"])}, (0.5002, 6.4998))
    same = estimate_slices(one_level, "g", TRIMMED, 0.95, None)
    for key, numbers in overall.numbers.items():
        if not key.endswith("dsm"):
            np.testing.assert_allclose(numbers.error, same.numbers[key].error, rtol=1e-9, err_msg=key)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize(("far", "digits"), [(128.0, 1e-10), (8192.0, 1e-6)])
def test_intervals_of_shifted_engine_match(far: float, digits: float, clustered: bool) -> None:
    system, human, codes = sample(4, 200)
    system = np.rint(system * 64) / 64  # so that the shift is exact
    found = []
    for moved in (system, system + far):
        groups = {"g": (codes, ["a", "b"])}
        tally = tally_of(moved, human, groups)
        rows = ClusteredRows.of(tally, moved, human, groups, np.arange(200) // 2) if clustered else None
        found.append(estimate_slices(tally, "g", AS_GIVEN, 0.95, None, rows).numbers)
    near, away = found
    for key in ("system.r", "system.system_sd", "system.system_mean", "human.qwk"):
        if key in near:
            few = np.array([bool(way) for way in near[key].method]) & (not clustered)
            # ties round to even numbers, so other responses share a cell
            np.testing.assert_allclose(away[key].error[few], near[key].error[few], rtol=1e-3, err_msg=key)
            np.testing.assert_allclose(away[key].error[~few], near[key].error[~few], rtol=digits, err_msg=key)
            assert np.isfinite(away[key].low).all(), key
    assert {"system.r"} <= near.keys()


def test_intervals_of_few_responses_stay_in_range() -> None:
    clipped = 0
    for seed in range(60):
        system, human, codes = sample(seed, 3 + seed % 4, double=1.0)
        found = estimates(system, human, codes * 0)
        for key, numbers in found.numbers.items():
            low, high = METRICS[numbers.metric].range
            if key.startswith("degradation."):
                low, high = low - high, high - low
            known = np.isfinite(numbers.low)
            assert (numbers.low[known] >= low).all(), (key, seed)
            assert (numbers.high[known] <= high).all(), (key, seed)
            clipped += int((numbers.low[known] == low).sum())
    assert clipped > 0


def test_limits_by_transform() -> None:
    one = np.ones(1)
    low, high = limits(0.5 * one, 0.1 * one, 1e6 * one, "none", 0.95)
    np.testing.assert_allclose([low[0], high[0]], [0.304, 0.696], atol=1e-3)
    low, high = limits(0.95 * one, 0.1 * one, 1e6 * one, "fisher", 0.95)
    assert -1 < low[0] < 0.95 < high[0] < 1
    # Wilson (1927) at 7 of 10, z = 1.96: .397 to .892
    low, high = limits(70 * one, 0 * one, 1e6 * one, "wilson", 0.95, 10 * one)
    np.testing.assert_allclose([low[0], high[0]], [39.7, 89.2], atol=0.1)
    # at 9 of 10 the upper end assumes a Poisson count of 1: 1 + log(.95) / 10
    low, high = limits(90 * one, 0 * one, 1e6 * one, "wilson", 0.95, 10 * one)
    np.testing.assert_allclose([low[0], high[0]], [59.6, 100 + 10 * np.log(0.95)], atol=0.1)
    assert np.isnan(limits(0.5 * one, 0 * one, 10 * one, "none", 0.95)[0][0])


BOUNDS = (0.5002, 6.4998)
Sample = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def clustered_sample(seed: int, candidates: int = 80, each: int = 6, *, within: bool = False) -> Sample:
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


def estimates_of_candidates(
    data: Sample, grouping: str, form: Form = TRIMMED, *, clustered: bool = True
) -> SliceEstimates:
    system, human, codes, who = data
    groups = {"g": (codes, ["a", "b"])}
    tally = tally_of(system, human, groups, BOUNDS)
    rows = ClusteredRows.of(tally, system, human, groups, who) if clustered else None
    return estimate_slices(tally, grouping, form, 0.95, None, rows)


@pytest.mark.parametrize("form", [TRIMMED, ROUNDED])
@pytest.mark.parametrize("grouping", [OVERALL, "g"])
def test_candidates_with_one_response_change_nothing(form: Form, grouping: str) -> None:
    system, human, codes, _ = clustered_sample(1)
    data = (system, human, codes, np.arange(len(system)))
    one, other = (
        estimates_of_candidates(data, grouping, form),
        estimates_of_candidates(data, grouping, form, clustered=False),
    )
    for key, numbers in one.numbers.items():
        np.testing.assert_allclose(numbers.value, other.numbers[key].value, rtol=1e-9, atol=1e-12, err_msg=key)
        # with few units, two points represent three or more responses of a cell
        far = 1e-4 if {*other.numbers[key].method} - {"", METHOD_WILSON} else 1e-7
        np.testing.assert_allclose(numbers.error, other.numbers[key].error, rtol=far, atol=1e-8, err_msg=key)


@pytest.mark.slow
@pytest.mark.parametrize("within", [False, True])
def test_clustered_errors_match_jackknife(within: bool) -> None:
    system, human, codes, who = data = clustered_sample(2, within=within)
    full = estimates_of_candidates(data, "g", ROUNDED)

    def left(kept: NDArray[np.bool_]) -> list[Any]:
        found = estimates_of_candidates(
            (system[kept], human[kept], codes[kept], who[kept]), "g", ROUNDED, clustered=False
        )
        return [each.value for each in found.numbers.values()]

    for (key, numbers), jackknife in zip(full.numbers.items(), jackknife_error(left, who), strict=True):
        np.testing.assert_allclose(numbers.error, jackknife, rtol=0.12, atol=1e-9, err_msg=key)


@pytest.mark.slow
def test_clustered_intervals_cover() -> None:
    runs = [
        (
            estimates_of_candidates(clustered_sample(seed), OVERALL),
            estimates_of_candidates(clustered_sample(seed), OVERALL, clustered=False),
        )
        for seed in range(120)
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
    system, human, _, who = clustered_sample(3)
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
