"""Comparisons of many groups, the expected DSM of a fair engine, and shrunken intersections."""

import itertools
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from oracles import value
from scipy import stats
from simulated import evaluation_of, framed, simulated

from report_sections.group_differences import GroupDifferences
from report_sections.summary import Summary
from reportgen.evaluation.differences import Judged, beyond_together, looked_at_together
from reportgen.metrics import shrunken_differences
from reportgen.policies import load_policy
from reportgen.results import Estimate, Evaluation
from reportgen.testing import text_of
from reportgen.verdicts import judged


def difference(value: float, error: float = 0.05, n: int = 200) -> Estimate:
    half = float(stats.t.ppf(0.975, n - 1)) * error
    return Estimate("dsm", value, n, value - half, value + half, error, kind="difference")


def test_one_of_twenty_groups_apart_is_explained_by_chance() -> None:
    groups = [Judged("l1", "odd", difference(0.12)), *(Judged("l1", f"g{k}", difference(0.01)) for k in range(19))]
    found = looked_at_together(groups, {"l1": 20})
    assert (found["n"], found["by_chance"], found["apart"], found["listed"]) == (20, 1.0, 1, ())
    assert found["p"] == pytest.approx(20 * 2 * stats.t.sf(0.12 / 0.05, 199))
    assert abs(found["largest"]["shrunken"]) < 0.12
    wide = stats.t.ppf(1 - 0.025 / 20, 199) * 0.05
    assert (found["largest"]["low"], found["largest"]["high"]) == pytest.approx((0.12 - wide, 0.12 + wide))


def test_two_groups_of_column_are_one_comparison() -> None:
    pair = [Judged("sex", "f", difference(0.2)), Judged("sex", "m", difference(-0.2))]
    assert looked_at_together(pair, {"sex": 2}) == {}
    third = [*pair, Judged("l1", "a", difference(0.0))]
    assert looked_at_together(third, {"sex": 2, "l1": 3})["n"] == 2


def test_beyond_together_adjusts_for_groups() -> None:
    alone = difference(0.22)
    assert beyond_together([alone], 0.1) == [True]
    assert not any(beyond_together([alone, *[difference(0.0)] * 30], 0.1))
    assert beyond_together([difference(0.4), difference(-0.3), difference(0.1)], 0.1) == [True, True, False]


@cache
def scored(gap: float, seed: int = 4) -> Evaluation:
    """Return an evaluation of a fair engine, raters of reliability .50, a group `gap` SDs of true scores lower."""
    rng = np.random.default_rng(seed)
    n = 20_000
    low = rng.random(n) < 0.27
    true = rng.normal(0, 1, n) - gap * low
    rating = true[:, None] + rng.normal(0, np.sqrt(true.var()), (n, 2))
    frame = pd.DataFrame({"h1": rating[:, 0], "h2": rating[:, 1], "engine": true + rng.normal(0, 0.38, n),
                          "l1": np.where(low, "low", "high")})  # fmt: skip
    return evaluation_of(frame, system="engine", human=["h1", "h2"], groups=["l1"])


@pytest.mark.slow
def test_dsm_of_fair_engine_follows_from_gap_in_ability() -> None:
    """With gap .8, rater reliability .50, and PRMSE .87: (mean T - mean of all) (1 / SD M - 1 / SD H)."""
    row = scored(0.8).tables["by_group.l1"].row("low")
    spread = np.sqrt(1 + 0.27 * 0.73 * 0.8**2)
    expected = -0.8 * 0.73 * (1 / np.sqrt(spread**2 + 0.38**2) - 1 / (spread * np.sqrt(2)))
    assert expected == pytest.approx(-0.129, abs=0.001)
    assert row["dsm_fair"] == pytest.approx(expected, abs=0.01)
    assert value(row["dsm"]) == pytest.approx(expected, abs=0.02)
    assert "rater error would account for −0.13, which leaves +0.01" in text_of(GroupDifferences(), scored(0.8)).words
    assert abs(float(str(scored(0.0).tables["by_group.l1"].row("low")["dsm_fair"]))) < 0.01
    assert "rater error would account for" not in text_of(GroupDifferences(), scored(0.0)).words


def crossed(a: int, b: int) -> Any:
    """Return indicators of both groups of every intersection."""
    return np.array([[float(i == k) for k in range(a)] + [float(j == k) for k in range(b)]
                     for i, j in itertools.product(range(a), range(b))])  # fmt: skip


@pytest.mark.parametrize("spread", [0.0, 0.05, 0.2])
def test_shrunken_differences_cover_and_are_closer(spread: float) -> None:
    rng = np.random.default_rng(5)
    held, near, design = [], [], crossed(2, 9)
    for _ in range(300):
        error = rng.uniform(0.04, 0.2, 18)
        truth = np.add.outer(rng.normal(0, 0.1, 2), rng.normal(0, 0.1, 9)).ravel() + rng.normal(0, spread, 18)
        seen = truth + rng.normal(0, error)
        found = shrunken_differences(seen, error, design=design)
        held.append(np.abs(found.value - truth) < 1.96 * found.error)
        near.append([((found.value - truth) ** 2).mean(), ((seen - truth) ** 2).mean()])
    assert 0.93 < np.mean(held) < 0.975
    mine, plain = np.mean(near, axis=0)
    assert mine < plain


def test_shrunken_differences_of_few_groups_are_undefined() -> None:
    assert np.isnan(shrunken_differences([0.1, 0.2], [0.1, 0.1]).value).all()
    assert np.isnan(shrunken_differences([0.1] * 6, [0.1] * 6, design=crossed(2, 3)).value).all()
    with pytest.raises(ValueError, match="above 0"):
        shrunken_differences([0.1, 0.2], [0.1, 0.0])


@pytest.mark.slow
def test_only_intersections_have_shrunken_column() -> None:
    scores = simulated(3000, 8, sd=0.9, error=0.5, noise=0.3)
    sex, l1 = (scores.rng.choice(list(each), 3000) for each in ("fm", "abcdefgh"))
    frame = framed(scores, sex=sex, l1=l1)
    groups: dict[str, Any] = {"groups": ["sex", "l1"], "intersections": [["sex", "l1"]]}
    found = evaluation_of(frame, system="engine", human=["h1", "h2"], scale="1:6", **groups)
    assert "dsm_shrunken" not in [column.key for column in found.tables["by_group.l1"].columns]
    table = found.tables["by_group.sex × l1"]
    drawn = [cell for cell in table.column("dsm_shrunken") if isinstance(cell, Estimate)]
    plain = [cell for cell in table.column("dsm")[1:] if isinstance(cell, Estimate)]
    assert len(drawn) == len(plain) == 16
    assert np.std([each.value or 0.0 for each in drawn]) < np.std([each.value or 0.0 for each in plain])


def test_fairness_policy_uses_equal_ability() -> None:
    """The engine scores the group like others of equal ability, so a gap in ability meets the requirement."""
    found = judged(scored(0.8), load_policy("fairness"))
    assert [(each.level, each.outcome) for each in found.checks] == [("low", "met")]
    words = text_of(GroupDifferences(), found).words
    assert "within the limit of ±0.10" in words
    assert "No requirement applies to groups" not in words


def test_page_explains_disagreement_of_comparisons() -> None:
    words = text_of(GroupDifferences(), judged(scored(0.8), load_policy("default"))).words
    assert "The two comparisons disagree for low, because they answer different questions." in words


def test_no_page_calls_a_group_scored_too_low_against_the_evidence_at_equal_true_score() -> None:
    found = judged(scored(0.8), load_policy("default"))
    (check,) = (each for each in found.checks if each.outcome == "not met" and each.column)
    brief, section = text_of(Summary(), found).words, text_of(GroupDifferences(), found).words
    assert check.explained
    assert "most of the observed difference comes from differences in ability and from rater error" in brief
    assert "Decide whether this difference may remain" in brief
    assert "Group low (l1) is beyond the limit of ±0.10" in section
    assert "scored too" not in brief + section
    unknown = replace(found, checks=tuple(replace(each, given=None) for each in found.checks))
    assert "scored too low" in text_of(GroupDifferences(), unknown).words


def test_one_group_apart_does_not_flag_others() -> None:
    """The group moves the mean of all others. Only this group differs from the largest group."""
    scores = simulated(6000, 3, sd=0.9, error=0.5, noise=0.3)
    frame = framed(scores, l1=scores.rng.choice(list("aaaabcd"), 6000))
    frame.loc[frame["l1"] == "d", "engine"] -= 0.5
    found = evaluation_of(frame, system="engine", human=["h1", "h2"], groups=["l1"], scale="1:6")
    together = found.facts["groups_together"]["at_equal_true_score"]
    assert together["listed"] == (("l1", "d"),)
    assert (together["apart"] > 1, together["p"] < 0.001) == (True, True)
    words = text_of(GroupDifferences(), found).words
    assert "Clearly different from the largest group at equal true score: d." in words
