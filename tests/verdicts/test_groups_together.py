"""Requirements are judged by whole intervals, and chance differences among many groups do not fail."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from simulated import evaluation_of, framed, simulated

from reportgen.errors import SettingsError
from reportgen.policies import Criterion, load_policy
from reportgen.results import CONSTANT, Basis, Check, Estimate
from reportgen.verdicts import again, judge, verdict
from reportgen.verdicts.bench import Bench
from reportgen.verdicts.judging import together
from reportgen.wording.numbers import MINUS, other_limit
from reportgen.wording.vocabulary import english


def group(value: float, error: float = 0.04, *, level: str = "a", column: str = "l1", n: int = 200) -> Check:
    half = float(stats.t.ppf(0.975, n - 1)) * error
    estimate = Estimate("dsm", value, n, value - half, value + half, error, kind="difference")
    outcome = judge(estimate, -0.1, 0.1, 10)
    return Check("DSM", estimate, outcome, -0.1, 0.1, statistic="system.dsm", column=column, level=level)


def judged(*checks: Check) -> list[Check]:
    return together(checks, lambda check, wider: replace(check, waits_for="responses"))


def fair(n: int) -> list[Check]:
    return [group(0.01 * (-1) ** place, level=f"g{place}") for place in range(n)]


def test_chance_difference_among_many_groups_is_inconclusive() -> None:
    alone = group(-0.19)
    assert alone.outcome == "not met"
    found = judged(alone, *fair(20))[0]
    assert (found.outcome, found.among, found.beyond_alone) == ("not yet known", 21, True)
    assert found.waits_for == "responses"
    p = 21 * stats.t.sf(0.09 / 0.04, 199)
    assert found.adjusted_p == pytest.approx(p)
    said = english().phrases("decision").way_out(found)
    assert "among 21 groups, chance could explain it (adjusted p = .268)" in said
    because = english().phrases("brief").not_told([{"name": "groups", "outcome": found.outcome, "leading": found}])
    assert "the difference is 0.19 SD. Alone, it would be beyond the limit; among 21 groups" in because


@pytest.mark.parametrize(
    ("low", "high", "words"), [(0.08, 0.2, "higher than"), (-0.2, -0.08, "lower than"), (-0.1, 0.2, "too high or too")]
)
def test_scores_on_one_side_are_not_called_too_high_or_too_low(low: float, high: float, words: str) -> None:
    found = Check("SMD", Estimate("smd", (low + high) / 2, 90, low, high), "not yet known", -0.15, 0.15)
    open_ = {"name": "severity", "outcome": found.outcome, "leading": found}
    assert english().phrases("brief").not_told([open_]).split("whether scores are ")[1].startswith(words)


def test_clear_outcomes_survive_adjustment() -> None:
    found = judged(group(-0.30), *fair(20))
    assert [each.outcome for each in found] == ["not met", *["met"] * 20]
    assert not found[0].beyond_alone


def test_two_groups_of_column_count_once() -> None:
    pair = [group(0.19, level="a"), group(-0.19, level="b")]
    assert [each.adjusted_p for each in judged(*pair)] == pytest.approx([stats.t.sf(0.09 / 0.04, 199)] * 2)
    assert [each.outcome for each in judged(*pair)] == ["not met"] * 2


def test_small_and_withheld_groups_are_not_counted() -> None:
    nothing = replace(group(0.0), estimate=Estimate("dsm", None, 3, reason="too few"), outcome="insufficient")
    assert {each.among for each in judged(group(-0.19), group(0.0, level="b"), nothing) if each.estimate.n > 3} == {2}
    assert judged(group(-0.19), nothing)[0] == group(-0.19)


@pytest.mark.parametrize(("extra", "why"), [({}, "groups"), ({"groups": True, "by": "estimate"}, "intervals")])
def test_simultaneous_requires_groups_and_intervals(extra: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Criterion(statistic="system.qwk", low=0.7, simultaneous=True, **extra)  # type: ignore[arg-type]


def many_fair_groups(seed: int) -> pd.DataFrame:
    """Return 500 responses in 21 groups of unequal size, scored without regard to group."""
    scores, share = simulated(500, seed, sd=0.9), 1 / np.sqrt(np.arange(1, 22))
    return framed(scores, l1=[f"g{place}" for place in scores.rng.choice(21, 500, p=share / share.sum())])


def test_fair_groups_rarely_fail() -> None:
    """Without adjustment, a fifth of such files have a group beyond ±.10; with it, none of these."""
    alone = Criterion(statistic="system.dsm", groups=True, low=-0.1, high=0.1)
    plain = found = 0
    for seed in range(8):
        evaluation = evaluation_of(
            many_fair_groups(seed), system="engine", human=["h1", "h2"], groups=["l1"], scale="1:6",
            withhold_small_groups=False,
        )  # fmt: skip
        plain += any(each.outcome == "not met" for each in Bench(evaluation).checks(alone, "ours"))
        made = verdict(evaluation, load_policy("default"))
        found += any(each.outcome == "not met" for each in made.checks if each.column)
        assert evaluation.ruling is not None
        own = replace(evaluation, settings={"verdict": {"policy": "./own.toml"}})
        assert again(own, evaluation.ruling) == made
    assert (plain > 0, found) == (True, 0)


def test_invalid_simultaneous_raises(tmp_path: Path) -> None:
    ours = tmp_path / "ours.toml"
    ours.write_text('name = "x"\n[[criteria]]\nstatistic = "system.qwk"\nlow = 0.7\nsimultaneous = true\n')
    with pytest.raises(SettingsError, match="simultaneous = true requires groups"):
        load_policy(ours)


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
