"""Ratings without an engine: statistics match public functions for any order and layout."""

import itertools
import json
import random
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import evaluation_of

from reportgen import metrics
from reportgen.errors import SettingsError
from reportgen.evaluation.ratings_alone import ratings_for
from reportgen.results import Evaluation

EXACT = 1e-12
ENGINES = ("system", "engine", "prmse", "degradation")


def drawn(n: int = 60, raters: int = 4, gaps: float = 0.3, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    true = rng.normal(3, 1, n)
    scores = np.clip(np.rint(true[:, None] + rng.normal(0, 0.3, raters) + rng.normal(0, 0.7, (n, raters))), 1, 5)
    scores[rng.random((n, raters)) < gaps] = np.nan
    scores[np.isnan(scores).all(axis=1), 0] = 3
    return scores


def wide(scores: np.ndarray, **more: Any) -> pa.Table:
    columns = {f"rater_{j + 1}": [None if np.isnan(x) else x for x in scores[:, j]] for j in range(scores.shape[1])}
    return pa.table({"essay_id": [f"e{i}" for i in range(len(scores))], **columns, **more})


def long(scores: np.ndarray, seed: int = 0, labels: tuple[str, ...] = ()) -> pa.Table:
    """Return one row per rating, shuffled, with labels for codes if there are any."""
    cells = [(i, j, scores[i, j]) for i, j in np.argwhere(~np.isnan(scores))]
    rows = [(f"e{i}", f"rater_{j + 1}", labels[int(score)] if labels else score) for i, j, score in cells]
    random.Random(seed).shuffle(rows)
    return pa.table(dict(zip(("essay_id", "rater", "score"), map(list, zip(*rows, strict=True)), strict=True)))


evaluated = partial(evaluation_of, scale="1:5", groups=[], ratings_only=True)


def numbers(found: Evaluation) -> dict[str, tuple[Any, ...]]:
    return {key: (each.value, each.low, each.high, each.n) for key, each in found.estimates.items()}


def alike(one: Evaluation, other: Evaluation) -> None:
    ours, theirs = numbers(one), numbers(other)
    assert ours.keys() == theirs.keys()
    for key, values in ours.items():
        for a, b in zip(values, theirs[key], strict=True):
            assert (a is None and b is None) or a == pytest.approx(b, abs=EXACT, rel=EXACT), key


def test_rating_statistics_match_public_functions() -> None:
    scores = drawn(gaps=0)
    found = {key: each.value for key, each in evaluated(wide(scores)).estimates.items()}
    assert found["reliability.icc_a1"] == pytest.approx(metrics.intraclass_correlation(scores).icc21)
    assert found["reliability.icc_ck"] == pytest.approx(metrics.cronbach_alpha(scores).value)
    components = metrics.generalizability(scores)
    single = components.person / (components.person + components.residual)
    assert found["reliability.generalizability"] == pytest.approx(single)
    assert found["raters.alpha_interval"] == pytest.approx(metrics.krippendorff_alpha(scores, level="interval").value)
    assert found["true_score.error_variance"] == pytest.approx(metrics.rater_error_variance(scores))


def test_rating_statistics_with_gaps_match_public_functions() -> None:
    scores = drawn()
    found, components = evaluated(wide(scores)).estimates, metrics.generalizability(scores)
    expected = {
        "raters.alpha_ordinal": metrics.krippendorff_alpha(scores, categories=[1, 2, 3, 4, 5], level="ordinal").value,
        "reliability.dependability": components.person / (components.person + components.rater + components.residual),
        "true_score.error_variance": metrics.rater_error_variance(scores),
    }
    assert {key: found[key].value for key in expected} == pytest.approx(expected)


def test_kappa_is_expectation_over_pairs() -> None:
    scores = drawn(n=25)
    drawn_pairs = []
    for row in scores:
        known = row[~np.isnan(row)]
        c = len(known)
        drawn_pairs += [(*two, 1 / (c * (c - 1))) for two in itertools.permutations(known, 2)]
    x, y, w = np.array(drawn_pairs).T
    mean = (w * x).sum() / w.sum()
    chance = 2 * ((w * x**2).sum() / w.sum() - mean**2)
    expected = 1 - (w * (x - y) ** 2).sum() / w.sum() / chance
    found = evaluated(wide(scores)).estimates
    assert found["human.qwk"].value == pytest.approx(expected)
    assert found["human.exact_agreement"].value == pytest.approx(100 * (w * (x == y)).sum() / w.sum())


def test_rater_pairs_use_common_responses() -> None:
    scores = drawn()
    table = evaluated(wide(scores)).tables["raters.pairs"]
    assert len(table.rows) == 6
    for row in table.rows:
        first, second = (int(name[-1]) - 1 for name in str(row.cells[0]).split(", "))
        both = scores[:, [first, second]][~np.isnan(scores[:, [first, second]]).any(axis=1)]
        assert row.cells[1] == len(both)
        assert row.cells[2].value == pytest.approx(metrics.quadratic_weighted_kappa(*both.T))  # type: ignore[union-attr]


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), raters=st.integers(2, 6), gaps=st.sampled_from([0.0, 0.2, 0.5]))
def test_rating_statistics_ignore_order_and_layout(seed: int, raters: int, gaps: float) -> None:
    scores = drawn(40, raters, gaps, seed)
    rng = np.random.default_rng(seed)
    found = evaluated(wide(scores))
    table = wide(scores)
    columns = rng.permutation(table.column_names).tolist()
    alike(found, evaluated(table.select(columns).take(pa.array(rng.permutation(len(scores))))))
    alike(found, evaluated(long(scores, seed), show_rater_names=True))
    renamed = wide(scores).rename_columns(["essay_id", *(f"h{j + 1}" for j in reversed(range(raters)))])
    alike(found, evaluated(renamed))


def test_ratings_report_does_not_mention_engine() -> None:
    groups = {"gender": ["f", "m"] * 30}
    found = evaluated(wide(drawn(), **groups), groups=["gender"])
    names = [*found.estimates, *found.tables, *(column.key for t in found.tables.values() for column in t.columns)]
    assert not [name for name in names if any(word in name for word in ENGINES)]
    assert not found.score_types
    text = json.dumps([[row.cells for row in t.rows] for t in found.tables.values()], default=str).lower()
    assert not [word for word in ENGINES if word in text]
    assert found.verdict is not None
    assert found.verdict.sentence == (
        "No engine scores were used, so the report is about the raters. To evaluate an engine, add --system NAME."
    )


def test_ratings_for_reaches_reliability() -> None:
    for single in (0.05, 0.3, 0.5, 0.79):
        k = ratings_for(0.8, single)
        assert k is not None
        assert metrics.spearman_brown(single, k) >= 0.8 - 1e-9 > metrics.spearman_brown(single, k - 1) - 1e-9
    assert ratings_for(0.9, 0.01) is None
    assert ratings_for(0.9, -0.2) is None


def test_random_rater_is_detected() -> None:
    scores = drawn(200, 5, 0.3, 3)
    given_ratings = ~np.isnan(scores[:, 3])
    scores[given_ratings, 3] = np.random.default_rng(5).integers(1, 6, given_ratings.sum())
    found = evaluated(wide(scores)).facts
    assert [(each["name"], each["how"]) for each in found["raters_doubted"]] == [("rater_4", "random")]
    assert found["qwk_without_doubted"][0] > 0.4


def test_small_groups_of_ratings_are_withheld() -> None:
    scores = drawn(60)
    groups = ["a"] * 33 + ["b"] * 22 + ["c"] * 5
    found = evaluated(wide(scores, school=groups), groups=["school"])
    assert set(found.facts["groups_withheld"]["school"]) >= {"b", "c"}
    assert [row.cells[0] for row in found.tables["raters.by.school"].rows] == ["a"]


def test_rater_names_in_cells_require_option() -> None:
    scores = drawn()
    assert "rater_2" not in json.dumps(numbers(evaluated(long(scores))) | {"raters": evaluated(long(scores)).raters})
    assert "rater_2" in evaluated(long(scores), show_rater_names=True).raters


def test_ratings_take_candidates_as_units() -> None:
    scores = drawn(60, gaps=0)
    students = [f"s{i // 3}" for i in range(60)]
    found = evaluated(wide(scores, student=students), candidate="student")
    assert "cluster" in found.estimates["human.qwk"].method
    assert found.estimates["human.qwk"].value == pytest.approx(evaluated(wide(scores)).estimates["human.qwk"].value)


def test_policy_of_ratings_ignores_engine_criteria(tmp_path: Any) -> None:
    policy = tmp_path / "p.toml"
    policy.write_text(
        'name = "p"\n[[criteria]]\nstatistic = "human.qwk"\nlow = 0.1\n'
        '[[criteria]]\nstatistic = "system.qwk"\nlow = 0.7\n'
    )
    found = evaluated(wide(drawn(200)), policy=str(policy))
    assert [(check.statistic, check.outcome) for check in found.checks] == [("human.qwk", "met")]
    assert found.verdict is not None
    assert found.verdict.decision == "cannot be judged"
    assert "1 of 1 requirements met" in found.verdict.sentence


def test_ambiguous_numbers_are_rejected() -> None:
    rated = drawn(20, 2, 0)
    scores = wide(rated, turbo=(rated[:, 0] + [0, 1, 0, -1] * 5).tolist())
    answers = r"1\. the engine scores are in 'turbo': .* 2\. all scores are human ratings: ratings_only=True"
    with pytest.raises(SettingsError, match=answers):
        evaluated(scores, ratings_only=False)
    assert "system.qwk" not in evaluated(scores).estimates


def test_ambiguous_rater_names_are_rejected() -> None:
    scores = drawn(20, 2, 0)
    who = ["rater_1", "rater_2", "zzz 9 q"]
    people = pa.table({"id": ["a"] * 3 + ["b"] * 3, "rater": who * 2, "score": [1, 2, 3, 3, 2, 2]})
    with pytest.raises(
        SettingsError, match=r"1. 'zzz 9 q' is a person: layout='long' ratings_only=True; 2. .* system='zzz 9 q'"
    ):
        evaluated(people, ratings_only=False)
    assert evaluated(people, human="*").raters == evaluated(people).raters
    assert evaluated(people).raters == ("Rater 1", "Rater 2", "Rater 3")
    with pytest.raises(SettingsError, match="contradict"):
        evaluated(wide(scores), system="rater_1")


def test_continuous_ratings_have_no_exact_agreement() -> None:
    scores = drawn(40, 3, 0) + np.random.default_rng(1).uniform(-0.4, 0.4, (40, 3))
    found = evaluated(wide(scores), scale="0:6:0", human=["rater_1", "rater_2", "rater_3"]).estimates
    assert found["human.qwk"].value is not None
    assert "not applicable" in found["human.exact_agreement"].reason
    assert "not applicable" in found["raters.kappa"].reason


@pytest.mark.parametrize("scores", [np.full((5, 2), 3.0), np.array([[1, np.nan], [np.nan, 2], [3, np.nan]])])
def test_degenerate_ratings_have_reasons(scores: np.ndarray) -> None:
    found = evaluated(wide(scores))
    assert found.estimates["human.qwk"].value is None or found.estimates["human.qwk"].value != 0
    assert all(each.value is not None or each.reason for each in found.estimates.values())


def test_rating_without_rater_counts_for_all_raters_only() -> None:
    essays = [f"e{place // 2}" for place in range(80)]
    raters = ["ann", "bob"] * 36 + ["ann", None] * 4
    rows = {"essay_id": essays, "rater": raters, "score": [place % 5 + 1 for place in range(80)]}
    table = evaluated(pa.table(rows), show_rater_names=True).tables["raters.distribution"]
    n = {str(row.cells[0]): row.cells[1] for row in table.rows}
    assert n == {"all_raters": 80, "ann": 40, "bob": 36}
