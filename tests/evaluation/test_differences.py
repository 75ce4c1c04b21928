"""Group differences given the true score, compared with rows, the jackknife, and complex steps."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error
from plans import one_to_six

from reportgen.evaluation.differences import Differences, differences
from reportgen.evaluation.levels import conditional_means
from reportgen.evaluation.points import Preparation
from reportgen.evaluation.tallied_scores import TalliedScores, tally_scores
from reportgen.metrics import group_differences_given_true_score
from reportgen.metrics.pair import ratio, root
from reportgen.tally import CellScores, Polynomial
from reportgen.tally.contingency_tables import error_sums
from reportgen.tally.sums import Floats

Sample = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]
LABELS = ["a", "b", "c"]
OUTPUTS = ("points", "standardized", "from_others", "rater_error")


def sample(seed: int, n: int = 240) -> Sample:
    """Return system scores, ratings, codes of three groups, and candidates with responses in several groups."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n // 3), 3)
    codes = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    true = 3.6 + rng.normal(0, 0.8, n // 3)[who] + rng.normal(0, 0.4, n) - 0.5 * (codes == 1)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.5, (n, 3))), 1, 6)
    human[rng.random((n, 3)) < [0, 0.5, 0.8]] = np.nan
    return true + rng.normal(0, 0.3, n) + 0.2 * (codes == 2), human, codes, who


def tallied(data: Sample, *, clustered: bool = False, given: float | None = None) -> TalliedScores:
    """Return the study of a sample whose scores are not trimmed."""
    system, human, codes, who = data
    plan = one_to_six(human.shape[1], preparation=Preparation((-99.0, 99.0), 0.0), rater_error_variance=given)
    return tally_scores(system, human, {"g": (codes, LABELS)}, plan, candidates=who if clustered else None)


def found(data: Sample, **options: Any) -> Differences:
    return differences(tallied(data, **options), "g")


@pytest.mark.parametrize("given", [None, 0.3])
def test_differences_match_plain_numpy(given: float | None) -> None:
    system, human, codes, _ = data = sample(1)
    result = found(data, given=given)
    first = human[:, 0]
    rated = np.isfinite(human).sum(axis=1)
    error = np.nansum((human - np.nanmean(human, axis=1)[:, None]) ** 2) / (rated - 1).sum() if given is None else given
    h, m = (x - np.array([x[codes == k].mean() for k in range(3)])[codes] for x in (first, system))
    slope = (h * m).sum() / ((h * h).sum() - (len(h) - 3) * error)
    residual = system - slope * first
    assert result.slope == pytest.approx(slope)
    assert result.error_variance == pytest.approx(error)
    points = [residual[codes == k].mean() - residual[codes == 0].mean() for k in range(3)]
    others = [residual[codes == k].mean() - residual[codes != k].mean() for k in range(3)]
    np.testing.assert_allclose(result.points.value, points, atol=1e-12)
    np.testing.assert_allclose(result.standardized.value, points / first.std(ddof=1), atol=1e-12)
    np.testing.assert_allclose(result.from_others.value, others / first.std(ddof=1), atol=1e-12)
    gap = np.array([first[codes == k].mean() - first[codes == 0].mean() for k in range(3)])
    np.testing.assert_allclose(result.rater_error.value, slope * (1 - result.reliability) * gap, atol=1e-12)
    public = group_differences_given_true_score(system, human, [LABELS[k] for k in codes], error_variance=given)
    np.testing.assert_allclose(public.difference, points, atol=1e-12)
    np.testing.assert_allclose(public.standardized, result.standardized.value, atol=1e-12)
    assert public.reference == "a"


@pytest.mark.parametrize("clustered", [False, True])
def test_difference_errors_match_jackknife(clustered: bool) -> None:
    data = sample(2)

    def left(kept: NDArray[np.bool_]) -> list[Floats]:
        without = found(tuple(part[kept] for part in data))  # type: ignore[arg-type]
        return [getattr(without, name).value for name in OUTPUTS]

    full = found(data, clustered=clustered)
    for name, jackknife in zip(OUTPUTS, jackknife_error(left, data[3] if clustered else 240), strict=True):
        error = getattr(full, name).error
        kept = np.isfinite(error)
        assert kept.sum() == (3 if name == "from_others" else 2)
        np.testing.assert_allclose(error[kept], jackknife[kept], rtol=0.06, err_msg=name)


def features(scores: CellScores) -> Mapping[str, Polynomial]:
    """Return the sums that the difference depends on."""
    first, engine = scores.ratings[0], scores.score
    values, present = np.stack([rating.c[0] for rating in scores.ratings]), scores.present
    count = present.sum(axis=0)
    mean = (values * present).sum(axis=0) / count
    within = (((values - mean) * present) ** 2).sum(axis=0)
    made = {"n": scores.one, "h": first, "m": engine, "hh": first * first, "hm": first * engine}
    return made | {"within": within * scores.one, "again": (count - 1.0) * scores.one}


def statistics(sums: Mapping[str, Floats], centre: float) -> dict[str, Floats]:
    n, h, m = sums["n"], sums["h"], sums["m"]
    squares = (sums["hh"] - ratio(h**2, n)).sum(axis=-1)
    products = (sums["hm"] - ratio(h * m, n)).sum(axis=-1)
    error = ratio(sums["within"].sum(axis=-1), sums["again"].sum(axis=-1))
    size = n.sum(axis=-1)
    slope = ratio(products, squares - (size - n.shape[-1]) * error)[..., None]
    total = ratio(h.sum(axis=-1) ** 2, size)
    spread = root(ratio(sums["hh"].sum(axis=-1) - total, size - 1))[..., None]
    points = ratio(m, n) - ratio(m, n)[..., :1] - slope * (ratio(h, n) - ratio(h, n)[..., :1])
    return {"points": points, "standardized": ratio(points, spread)}


@pytest.mark.parametrize("clustered", [False, True])
def test_difference_influences_match_complex_step(clustered: bool) -> None:
    counted = tallied(sample(3), clustered=clustered)
    other = counted.joint(counted.primary, features, statistics, rests_on="n", grouping="g")
    result = differences(counted, "g")
    for name in ("points", "standardized"):
        numbers = getattr(result, name)
        np.testing.assert_allclose(numbers.value, other[name].value, atol=1e-12)
        # the two differ in the small-sample factor alone
        np.testing.assert_allclose(numbers.error[1:], other[name].error[1:], rtol=0.015, err_msg=name)


def test_undefined_differences_have_reasons() -> None:
    system, human, codes, who = sample(4)
    alone = found((system, human[:, :1], codes, who))
    assert alone.reason == "no response has two ratings and no rater error variance was given"
    assert np.isnan(alone.points.value).all()
    noise = found((system, human, codes, who), given=5.0)
    assert noise.reason == "human scores differ within groups no more than rater error alone would explain"
    assert not found((system, human[:, :1], codes, who), given=0.2).reason


def test_conditional_means_take_candidates_as_units() -> None:
    system, human, codes, who = data = sample(6)
    counted = tallied(data, clustered=True)
    sums = error_sums(counted.tally, "g", counted.primary.form)
    mean, error, units = conditional_means(counted, "g", sums)
    for level in range(3):
        for place, score in enumerate(sums.human):
            here = (codes == level) & (human[:, 0] == score)
            people = np.unique(who[here])
            assert units[level, place] == len(people)
            if len(people) < 3:
                continue
            assert mean[level, place] == pytest.approx(system[here].mean())
            deviation = system[here] - system[here].mean()
            totals = np.array([deviation[who[here] == person].sum() for person in people])
            expected = np.sqrt((totals**2).sum() * len(people) / (len(people) - 1)) / here.sum()
            assert error[level, place] == pytest.approx(expected)
    alone = conditional_means(tallied(data), "g", sums)[1]
    here = (codes == 0) & (human[:, 0] == 4)
    assert alone[0, list(sums.human).index(4)] == pytest.approx(system[here].std(ddof=1) / np.sqrt(here.sum()))
