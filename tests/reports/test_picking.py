"""What is worth reading: who is picked, why, in which order, and what the numbers beside it are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.metrics import expected_true_scores, standardized_disagreements
from reportgen.reports.reading_lists import Pick, picked
from reportgen.results import Scale
from reportgen.scores.to_read import ResponsesToRead
from reportgen.sources.columns import Coded

SCALE = Scale(1, 5, 1, assumed=False)


def responses(n: int = 200, seed: int = 3) -> ResponsesToRead:
    """Responses with planted disagreements: 0 and 1 far off, 2 without a score, 3 refused."""
    draw = np.random.default_rng(seed)
    true = draw.normal(3, 1, n)
    human = np.clip(np.rint(true[:, None] + draw.normal(0, 0.5, (n, 2))), 1, 5)
    human[::3, 1] = np.nan
    system = true + draw.normal(0, 0.3, n)
    human[0], human[1], system[0], system[1] = 1, 5, 4.5, 2.0
    system[2:4] = np.nan
    answers = ["", "", "", "I cannot score this.", *[""] * (n - 4)]
    return ResponsesToRead(
        tuple(f"r{i:03d}" for i in range(n)), tuple(f"Text {i}." for i in range(n)), human, system, tuple(answers),
        tuple(bool(answer) for answer in answers),
        {"group": Coded(np.arange(n, dtype=np.int32) % 2, ("a", "b")),
         "small": Coded((np.arange(n) == 7).astype(np.int32), ("most", "one"))},
    )  # fmt: skip


def listed(found: ResponsesToRead, n: int = 40, seed: int = 1) -> list[Pick]:
    return picked(found, SCALE, n, seed=seed, min_n=10)


def by_name(picks: list[Pick]) -> dict[str, Pick]:
    return {pick.name: pick for pick in picks}


def test_every_reason_is_there() -> None:
    picks = listed(responses())
    assert len(picks) == 40
    found = by_name(picks)
    reasons = {name: {reason for reason, _ in pick.reasons} for name, pick in found.items()}
    assert "far" in reasons["r000"]
    assert "far" in reasons["r001"]
    assert reasons["r002"] == {"no score"}
    assert reasons["r003"] == {"refused"}
    assert found["r003"].answer == "I cannot score this."
    assert sum(own == {"agrees"} for own in reasons.values()) == 10
    about = {text for pick in picks for reason, text in pick.reasons if reason == "group"}
    assert about == {"group a", "group b", "small most"}  # one response is no group


def test_a_list_is_shuffled_and_the_seed_and_nothing_else_decides_it() -> None:
    found = responses()
    names = [pick.name for pick in listed(found)]
    assert names != sorted(names)
    assert names == [pick.name for pick in listed(found)]
    assert names != [pick.name for pick in listed(found, seed=2)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 80))
def test_the_order_of_rows_decides_nothing(shuffle: int, n: int) -> None:
    found = responses(90)
    order = np.random.default_rng(shuffle).permutation(90)
    other = ResponsesToRead(
        tuple(found.names[i] for i in order), tuple(found.texts[i] for i in order), found.human[order],
        found.system[order], tuple(found.answers[i] for i in order), tuple(found.refused[i] for i in order),
        {name: Coded(coded.codes[order], coded.labels) for name, coded in found.groups.items()},
    )  # fmt: skip
    one, two = listed(found, n), listed(other, n)
    assert [(pick.name, pick.reasons) for pick in one] == [(pick.name, pick.reasons) for pick in two]
    assert len({pick.name for pick in one}) == len(one) <= n


def test_numbers_are_those_of_the_formulas() -> None:
    found = responses()
    expected = expected_true_scores(found.human, found.system)
    apart = standardized_disagreements(found.human, found.system)
    for pick in listed(found):
        i = found.names.index(pick.name)
        assert pick.expected == pytest.approx(expected[i])
        assert pick.disagreement == (None if np.isnan(apart[i]) else pytest.approx(apart[i]))


def test_expected_scores_err_as_little_as_a_regression_on_the_truth() -> None:
    draw = np.random.default_rng(0)
    true = draw.normal(3, 1, 100_000)
    human = true[:, None] + draw.normal(0, 0.7, (len(true), 2))
    human[::2, 1] = np.nan
    system = 0.5 + 0.8 * true + draw.normal(0, 0.5, len(true))
    expected = expected_true_scores(human, system)
    for rows in (slice(0, None, 2), slice(1, None, 2)):
        given_both = np.column_stack([np.ones(len(true)), np.nanmean(human, axis=1), system])[rows]
        best = given_both @ np.linalg.lstsq(given_both, true[rows], rcond=None)[0]
        error, least = (float(np.mean((each - true[rows]) ** 2)) for each in (expected[rows], best))
        assert error == pytest.approx(least, rel=0.005)
    assert float(np.mean(standardized_disagreements(human, system) ** 2)) == pytest.approx(1, abs=0.02)


def test_without_an_engine_the_expected_score_is_kelleys() -> None:
    human = np.array([[1.0, 2.0], [2.0, 3.0], [5.0, 4.0], [3.0, 3.0]])
    system = np.array([1.5, 2.0, 4.0, 3.5])
    alone = system.copy()
    alone[0] = np.nan
    error = 0.25
    rest = human[1:]
    mean, spread = rest.mean(), float(np.mean((rest.mean(axis=1) - rest.mean()) ** 2))
    true = spread - error / 2
    kelley = mean + true / (true + error / 2) * (1.5 - mean)
    assert expected_true_scores(human, alone, error_variance=error)[0] == pytest.approx(kelley)


def test_without_second_ratings_differences_decide() -> None:
    found = responses()
    found.human[:, 1] = np.nan
    picks = listed(found)
    assert all(pick.expected is None and pick.disagreement is None for pick in picks)
    assert "far" in {reason for reason, _ in by_name(picks)["r000"].reasons}


@pytest.mark.parametrize(
    ("low", "high", "step", "far"),
    [(1, 6, 1, 2), (0, 1, 1, 1), (0, 4, 0.5, 1), (1, 4, 0.1, 0.6), (0, 100, 1, 20), (0, 10, 0, 2)],
)
def test_far_off_is_two_steps_and_a_fifth_of_the_scale(low: float, high: float, step: float, far: float) -> None:
    n = 60
    human = np.full((n, 1), float(low))
    system = human[:, 0].copy()
    system[:2] = low + far - 0.01, low + far
    found = ResponsesToRead(tuple(f"r{i:02d}" for i in range(n)), (), human, system, ("",) * n, (False,) * n, {})
    picks = by_name(picked(found, Scale(low, high, step, assumed=False), 12, seed=1, min_n=10))
    assert picks["r01"].reasons == (("far", ""),)
    assert picks["r00"].reasons == (("difference", ""),)
