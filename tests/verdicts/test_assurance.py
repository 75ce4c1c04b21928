"""Test the chances of a clear answer with more data, and the cheapest design."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from reportgen.metrics.double_scoring import chances, prmse_standard_error, sizes
from reportgen.policies import Criterion
from reportgen.results import ENOUGH, Check, Estimate
from reportgen.verdicts import check
from reportgen.verdicts.assurance import outlook
from reportgen.wording.numbers import roughly
from reportgen.wording.vocabulary import Vocabulary


def said(found: Check) -> str:
    return str(Vocabulary().phrases("decision").check(found))


def smd(value: float, half: float, n: int) -> Check:
    criterion = Criterion(statistic="system.smd", low=-0.15, high=0.15)
    return check(criterion, Estimate("smd", value, n, value - half, value + half))


def test_every_sample_size_has_a_chance() -> None:
    found = smd(0.05, 0.15, 400)
    assert [each.n for each in found.assurance] == list(sizes(400)) == [500, 1000, 2000, 5000]
    assert (
        [each.new for each in found.assurance] == [each.ratings for each in found.assurance] == [100, 600, 1600, 4600]
    )
    error = 0.15 / 1.9659  # Student's t on 399 degrees of freedom
    expected = chances(0.20 / error, 0.10 / error, math.sqrt(400 / 2000), 1.9612)
    assert (found.assurance[2].met, found.assurance[2].not_met) == pytest.approx(expected, abs=1e-4)


def test_cheapest_design_is_minimal() -> None:
    found = smd(0.03, 0.15, 400)
    assert found.cheapest is not None
    assert found.cheapest.clear >= ENOUGH
    error, n = 0.15 / 1.9659, found.cheapest.n - 1
    assert sum(chances(0.18 / error, 0.12 / error, math.sqrt(400 / n), 1.961)) < ENOUGH + 1e-4
    assert f"With about {roughly(found.cheapest.n)} responses in total, the chance of a clear answer" in said(found)


def test_estimate_on_limit_has_chances() -> None:
    found = check(Criterion(statistic="system.qwk", low=0.70), Estimate("qwk", 0.70, 100, 0.6, 0.8))
    last = found.assurance[-1]
    assert found.cheapest == last, "no design is likely to settle it, but the largest one is worth a try"
    assert last.met == pytest.approx(last.not_met)
    assert f"2,000 responses in total, the chance of a clear answer is {100 * last.clear:.0f}%" in said(found)


def test_interval_is_extrapolated_on_its_symmetric_scale() -> None:
    """An interval that is asymmetric on Fisher's scale keeps its distance from the limit."""
    value, error = math.atanh(0.9), 0.2
    ends = math.tanh(value - 1.984 * error), math.tanh(value + 1.984 * error)
    low = math.tanh(value - 1.0 * error)
    found = check(Criterion(statistic="system.r", low=low), Estimate("r", 0.9, 100, *ends))
    expected = chances(1.0, math.inf, math.sqrt(100 / 500), 1.9647)
    assert (found.assurance[1].met, found.assurance[1].not_met) == pytest.approx(expected, abs=1e-3)


def beside(**values: Estimate) -> Callable[[str], Estimate | None]:
    return {key.replace("__", "."): value for key, value in values.items()}.get


def of_prmse(value: float, half: float, twice: int, everything: int) -> Check:
    lookup = beside(
        true_score__error_variance=Estimate("error_variance", 0.35, twice),
        true_score__true_variance=Estimate("true_variance", 0.65, twice),
        system__r=Estimate("r", 0.8, everything),
    )
    found = Estimate("prmse", value, twice, value - half, value + half, half / 1.97)
    return check(Criterion(statistic="true_score.prmse", low=0.70), found, rests_on="multiple", lookup=lookup)


def test_double_scoring_uses_existing_responses_first() -> None:
    found = of_prmse(0.76, 0.09, 200, 1000)
    assert {each.of for each in found.assurance} == {"double-scored responses"}
    items = {each.n: (each.new, each.ratings) for each in found.assurance}
    assert items[500] == (0, 300)
    assert items[1000] == (0, 800)
    assert items[2000] == (1000, 2800)
    shrink = prmse_standard_error(0.76, 0.65, 500, 1000) / prmse_standard_error(0.76, 0.65, 200, 1000)
    t = 1.9720  # Student's t on 199 degrees of freedom
    expected = chances(0.06 / 0.09 * t, math.inf, shrink, 1.9647)
    first = found.assurance[0]
    assert (first.met, first.not_met) == pytest.approx(expected, abs=1e-3)


def test_new_responses_are_cheaper_if_rater_error_is_small() -> None:
    """If the engine causes the uncertainty, double-scoring existing responses helps little."""
    lookup = beside(human__qwk=Estimate("qwk", 0.7, 400, standard_error=0.004), system__r=Estimate("r", 0.8, 600))
    found = check(
        Criterion(statistic="degradation.qwk", low=-0.10),
        Estimate("qwk", -0.07, 400, -0.11, -0.03, 0.0204, kind="difference"),
        rests_on="human",
        lookup=lookup,
    )
    assert found.cheapest is not None
    assert found.cheapest.new == found.cheapest.n - 400, "only new responses are scored twice"
    assert found.cheapest.ratings == 2 * found.cheapest.new


def test_decided_requirements_have_no_chances() -> None:
    assert smd(0.0, 0.05, 400).assurance == ()
    assert smd(0.5, 0.05, 400).assurance == ()
    few = check(Criterion(statistic="human.qwk", low=0.5), Estimate("qwk", 0.6, 4), min_n=10, rests_on="human")
    assert (few.waits_for, few.assurance) == ("double-scored responses", ())


def test_adjusted_groups_need_larger_difference() -> None:
    """Alone, the group does not meet the requirement; among others, it is inconclusive."""
    found = Estimate("dsm", -0.2, 200, -0.29, -0.11, 0.0456)
    wider = replace(found, low=-0.34, high=-0.06)
    alone, among = (outlook("system.dsm", found, (-0.1, 0.1), "system", lambda _: None, each) for each in (None, wider))
    assert among.offered[0].not_met < alone.offered[0].not_met
    assert among.offered[0].met == alone.offered[0].met
    assert among.cheapest is not None
    assert among.cheapest.n > 200
