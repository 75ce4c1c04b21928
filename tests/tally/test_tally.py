"""Any split, order, or partition of the same responses gives the same tally."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.evaluation.estimates import estimate_slices
from reportgen.tally import (
    AS_GIVEN,
    OVERALL,
    ROUNDED,
    TRIMMED,
    Form,
    Tallier,
    Tally,
    human_contingency,
    merge,
    moments,
    system_contingency,
    tally_of,
)
from reportgen.tally.cells import sums_of_ratings
from reportgen.tally.contingency_tables import error_sums

Floats = NDArray[Any]
BOUNDS = (0.5002, 6.4998)
LABELS = ["ash", "birch", "cedar"]


def responses(seed: int, n: int, raters: int = 2, step: float = 1.0) -> tuple[Floats, Floats, Floats]:
    """Return system scores, human scores with gaps after the first rater, and group codes."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1.1, n)
    human = np.clip(np.rint((true[:, None] + rng.normal(0, 0.6, (n, raters))) / step) * step, 1, 6)
    human[:, 1:][rng.random((n, raters - 1)) < 0.5] = np.nan
    system = np.round(true + rng.normal(0, 0.5, n), int(rng.integers(0, 7)))
    return system, human, rng.integers(0, len(LABELS), n)


def tally(system: Floats, human: Floats, codes: Floats) -> Tally:
    return tally_of(system, human, {"tree": (codes, LABELS)}, BOUNDS)


def assert_same(one: Tally, other: Tally) -> None:
    """Compare cells and counts exactly, and sums to 1e-12 of the number of responses."""
    np.testing.assert_array_equal(one.cells.keys(), other.cells.keys())
    assert one.slices.keys() == other.slices.keys()
    for name, slices in one.slices.items():
        twin = other.slices[name]
        assert slices.labels == twin.labels
        np.testing.assert_array_equal(slices.level, twin.level)
        np.testing.assert_array_equal(slices.cell, twin.cell)
        np.testing.assert_array_equal(slices.sums[0], twin.sums[0])
        np.testing.assert_allclose(slices.sums, twin.sums, rtol=0, atol=1e-12 * one.n)
        np.testing.assert_array_equal(slices.minimum, twin.minimum)
        np.testing.assert_array_equal(slices.maximum, twin.maximum)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 400),
    raters=st.integers(1, 4),
    step=st.sampled_from([1.0, 0.5, 0.1]),
    cuts=st.lists(st.integers(1, 399), max_size=6),
)
def test_tally_does_not_depend_on_order_and_partition(
    seed: int, n: int, raters: int, step: float, cuts: list[int]
) -> None:
    system, human, codes = responses(seed, n, raters, step)
    whole = tally(system, human, codes)
    order = np.random.default_rng(seed + 1).permutation(n)
    pieces = [piece for piece in np.split(order, sorted(cut % n for cut in cuts)) if len(piece)]
    parts = [tally(system[piece], human[piece], codes[piece]) for piece in pieces]
    together = merge(parts[::-1])
    assert_same(whole, together)
    for grouping in (OVERALL, "tree"):
        one = estimate_slices(whole, grouping, TRIMMED, 0.95, None)
        other = estimate_slices(together, grouping, TRIMMED, 0.95, None)
        for key, numbers in one.numbers.items():
            scale = np.nanmax(np.abs(np.append(numbers.value, 1.0)))
            np.testing.assert_allclose(
                numbers.value, other.numbers[key].value, rtol=1e-10, atol=1e-12 * scale, err_msg=key
            )


def test_tallier_accepts_new_labels_and_ranges() -> None:
    system, human, codes = responses(5, 3000)
    system[2500:] += 40
    whole = tally_of(system, human, {"tree": (codes, LABELS)}, BOUNDS)
    tallier = Tallier(BOUNDS)
    for start in range(0, 3000, 500):
        rows = slice(start, start + 500)
        used, own = np.unique(codes[rows], return_inverse=True)
        tallier.add(human[rows], system[rows], {"tree": (own, [LABELS[code] for code in used])})
    assert_same(whole, tallier.tally())


@pytest.mark.parametrize("step", [1.0, 0.5, 1 / 3])
@pytest.mark.parametrize("form", [AS_GIVEN, TRIMMED, ROUNDED])
def test_moments_match_rows(form: Form, step: float) -> None:
    system, human, codes = responses(7, 1500, step=step)
    score = np.clip(system, *BOUNDS) if form.trimmed else system
    score = np.rint(score) if form.rounded else score
    found = moments(tally(system, human, codes), "tree", form)
    for level, label in enumerate(found.labels):
        rows = codes == LABELS.index(label)
        h, s, h2 = human[rows, 0], score[rows], human[rows, 1]
        both = ~np.isnan(h2)
        sums = found.named()
        assert sums.system.n[level] == rows.sum()
        assert sums.system.exact[level] == (s == h).sum()
        assert sums.system.adjacent[level] == (np.abs(h - s) <= 1).sum()
        assert sums.human.exact[level] == (h == h2).sum()
        np.testing.assert_allclose(sums.system.absolute[level], np.abs(s - h).sum(), rtol=1e-12)
        x, y = h - found.centre, s - found.centre
        np.testing.assert_allclose(sums.system.xy[level], (x * y).sum(), rtol=1e-10, atol=1e-9)
        np.testing.assert_allclose(sums.human.yy[level], ((h2[both] - found.centre) ** 2).sum(), rtol=1e-10)
        counts = np.isfinite(human[rows]).sum(axis=1)
        mean = np.nanmean(human[rows], axis=1)
        np.testing.assert_allclose(
            sums.ratings.within[level], np.nansum((human[rows] - mean[:, None]) ** 2), rtol=1e-10, atol=1e-9
        )
        np.testing.assert_allclose(sums.ratings.css[level], (counts * y**2).sum(), rtol=1e-10)
        # sums over rows of products of features, such as (h, s, s^2)
        features = np.column_stack([x, y, y**2])
        np.testing.assert_allclose(
            found.products[level][np.ix_([1, 2, 4], [1, 2, 4])], features.T @ features, rtol=1e-9, atol=1e-8
        )


def test_contingency_tables_match_rows() -> None:
    system, human, codes = responses(11, 800)
    counted = tally(system, human, codes)
    table = system_contingency(counted, OVERALL, ROUNDED, points=(0.0, 9.0))
    rounded = np.rint(np.clip(system, *BOUNDS))
    for row, label in enumerate(table.points):
        for column, other in enumerate(table.points):
            assert table.counts[0, row, column] == ((human[:, 0] == label) & (rounded == other)).sum()
    assert table.points[0] == 0.0
    assert table.points[-1] == 9.0
    assert human_contingency(counted, OVERALL).counts.sum() == np.isfinite(human[:, 1]).sum()


def test_error_sums_match_rows() -> None:
    system, human, codes = responses(13, 900)
    sums = error_sums(tally(system, human, codes), "tree", TRIMMED)
    error = np.clip(system, *BOUNDS) - human[:, 0]
    for level, label in enumerate(sums.labels):
        for index, score in enumerate(sums.human):
            rows = (codes == LABELS.index(label)) & (human[:, 0] == score)
            for power in range(5):
                expected = (error[rows] ** power).sum()
                np.testing.assert_allclose(sums.sums[power, level, index], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("offset", [1e2, 1e4, 1e6])
def test_estimates_far_from_zero_are_precise(offset: float) -> None:
    system, human, _ = responses(17, 2000)
    near = estimate_slices(tally_of(system, human), OVERALL, AS_GIVEN, 0.95, None)
    far = estimate_slices(tally_of(system + offset, human + offset), OVERALL, AS_GIVEN, 0.95, None)
    for key in ("system.r", "system.qwk", "system.rmse", "true_score.prmse"):
        np.testing.assert_allclose(far.numbers[key].value, near.numbers[key].value, rtol=1e-8)


def test_ratings_without_system_score_count_in_rater_error() -> None:
    system, human, codes = responses(4, 300)
    ratings, level = np.random.default_rng(2).integers(1, 7, (40, 2)).astype(float), np.arange(40) % 3
    names = [LABELS[0], "elsewhere", LABELS[1]]
    parts = [sums_of_ratings(ratings[rows], (level[rows], names)) for rows in (slice(15), slice(15, None))]
    own = replace(tally(system, human, codes), ratings_alone={"tree": parts[0] + parts[1]})
    plain, found = (moments(each, "tree", TRIMMED) for each in (tally(system, human, codes), own))
    for name, place in ((names[0], 0), (names[2], 2)):
        difference, at = np.diff(ratings[level == place], axis=1), plain.labels.index(name)
        more = found.named().ratings.within[at] - plain.named().ratings.within[at]
        assert more == pytest.approx((difference**2).sum() / 2, rel=1e-12)
        assert found.units.multiple[at] - plain.units.multiple[at] == len(difference)
    others = [at for at, label in enumerate(plain.labels) if label not in names]
    np.testing.assert_array_equal(found.sums[others], plain.sums[others])
    np.testing.assert_array_equal(found.products[others], plain.products[others])
