"""Test the outcome rule by comparing every value of the interval with the bounds."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.policies import load_policy
from reportgen.results import CONSTANT, Basis, Check, Estimate
from reportgen.verdicts import judge
from reportgen.wording.numbers import MINUS, other_limit

TENTHS = st.integers(-20, 20).map(lambda k: k / 10)


def inside(value: float, low: float | None, high: float | None, strict: bool) -> bool:
    """Compare one value with bounds, independently of the implementation."""
    if value in (low, high):
        return not strict
    return not (low is not None and value < low) and not (high is not None and value > high)


@given(st.lists(TENTHS, min_size=3, max_size=3), st.lists(st.none() | TENTHS, min_size=2, max_size=2), st.booleans())
def test_outcome_follows_whole_interval(ends: list[float], bounds: list[float | None], strict: bool) -> None:
    left, value, right = sorted(ends)
    low, high = bounds
    if low is None and high is None:
        return
    if low is not None and high is not None:
        low, high = min(low, high), max(low, high)
        if low == high and strict:
            return
    edges = sorted({left, right, *(edge for edge in (low, high) if edge is not None and left <= edge <= right)})
    points = [*edges, *((a + b) / 2 for a, b in pairwise(edges))]  # one point in every range between bounds
    held = {inside(point, low, high, strict) for point in points}
    expected = "not yet known" if len(held) > 1 else "met" if True in held else "not met"
    assert judge(Estimate("m", value, 100, left, right), low, high, strict=strict) == expected
    assert judge(Estimate("m", left, 100), low, high, strict=strict, by="estimate") == (
        "met" if inside(left, low, high, strict) else "not met"
    )


EDGES = [
    ("system.qwk", 0.70, True),
    ("system.r", 0.70, True),
    ("true_score.prmse", 0.70, True),
    ("system.smd", 0.15, False),
    ("system.smd", -0.15, False),
    ("degradation.qwk", -0.10, False),
    ("degradation.r", -0.10, False),
    ("system.dsm", 0.10, True),
    ("system.dsm", -0.10, True),
]


@pytest.mark.parametrize(("statistic", "bound", "holds"), EDGES)
def test_equality_with_bound(statistic: str, bound: float, holds: bool) -> None:
    """“At least .70” includes .70; “less than .15” and “less than .10” exclude .15 and .10."""
    criterion = next(each for each in load_policy("default").criteria if each.statistic == statistic)
    exact = Estimate("m", bound, 100, bound, bound)
    outcome = judge(exact, criterion.low, criterion.high, strict=criterion.strict)
    assert outcome == ("met" if holds else "not met")


@pytest.mark.parametrize(
    ("by", "outcome"), [("interval", "not yet known"), ("estimate", "met"), ("lower", "not met"), ("upper", "met")]
)
def test_basis_is_compared_with_bound(by: Basis, outcome: str) -> None:
    assert judge(Estimate("qwk", 0.71, 100, 0.65, 0.76), 0.70, None, by=by) == outcome


@pytest.mark.parametrize("by", ["interval", "lower", "upper"])
def test_missing_interval_is_not_yet_known(by: Basis) -> None:
    assert judge(Estimate("qwk", 0.9, 100), 0.70, None, by=by) == "not yet known"


def test_too_few_responses_are_insufficient() -> None:
    assert judge(Estimate("qwk", 0.9, 9, 0.8, 0.95), 0.70, None, 10) == "insufficient"
    assert judge(Estimate("qwk", 0.9, 10, 0.8, 0.95), 0.70, None, 10) == "met"
    assert judge(Estimate("qwk", None, 500, reason="all equal"), 0.70, None) == "insufficient"


@given(st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted), st.sampled_from([(1, None), (None, 1), (-1, 1)]),
       st.integers(0, 10), st.booleans())  # fmt: skip
def test_outcome_holds_at_the_other_limit_that_the_page_shows(
    ends: list[float], sides: tuple[int | None, int | None], tenths: int, strict: bool
) -> None:
    estimate = Estimate("m", ends[0], 100, ends[0], ends[1], kind="coefficient")
    low, high = (side and side * tenths / 10 for side in sides)
    check = Check("m", estimate, judge(estimate, low, high, strict=strict), low, high, strict=strict)
    if written := other_limit(check):
        other = float(written.replace(MINUS, "-").lstrip("±"))
        other += 0 if check.outcome == "met" else 1e-9 if high is None else -1e-9  # "above", "below"
        low, high = (side and side * other for side in sides)
        assert judge(estimate, low, high, strict=strict) == check.outcome


def test_an_engine_with_one_score_does_not_meet_a_requirement_on_agreement() -> None:
    constant = Estimate("qwk", 0.0, 200, interval_reason=CONSTANT)
    assert judge(constant, 0.7, None) == "not met"
    assert judge(constant, -0.1, None) == "not yet known"
    assert judge(Estimate("qwk", 0.0, 200, interval_reason="too few responses"), 0.7, None) == "not yet known"
