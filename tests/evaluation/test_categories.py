"""Sensitivity and related statistics of two score points, by response, candidate, and group, and in policies."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import jackknife_error
from simulated import evaluation_of

from reportgen import metrics
from reportgen.evaluation.contingency import CATEGORY_KEYS
from reportgen.results import WITHHELD, Estimate, Evaluation


def made(seed: int = 1, n: int = 240) -> pd.DataFrame:
    """Return failing and passing scores of an engine and two raters, in groups and by candidate."""
    rng = np.random.default_rng(seed)
    true = np.repeat(rng.random(n // 4) < 0.6, 4) ^ (rng.random(n) < 0.2)
    found = {name: (true ^ (rng.random(n) < share)).astype(int)
             for name, share in {"engine": 0.15, "first": 0.1, "second": 0.12}.items()}  # fmt: skip
    found["second"] = np.where(rng.random(n) < 0.3, np.nan, found["second"])
    return pd.DataFrame(found | {"candidate": np.repeat(np.arange(n // 4), 4), "place": rng.choice(list("abc"), n)})


def evaluated(data: pd.DataFrame | Path, **options: Any) -> Evaluation:
    options = {"scale": "0:1", "groups": ["place"], "candidate": None} | options
    given = {key: value for key, value in options.items() if value is not None}
    return evaluation_of(data, system="engine", human=["first", "second"], **given)


def numbers(evaluation: Evaluation) -> dict[str, tuple[Any, ...]]:
    return {
        key: (each.value, each.low, each.high, each.n)
        for key in CATEGORY_KEYS
        if (each := evaluation.estimates.get(key)) is not None
    }


def alone(data: pd.DataFrame) -> pd.DataFrame:
    """Return the data without candidates."""
    return data.drop(columns="candidate")


def test_category_estimates_match_public_function() -> None:
    data = alone(made())
    found = numbers(evaluated(data))
    of_system = metrics.two_categories(data["first"], data["engine"])
    of_raters = metrics.two_categories(data["first"], data["second"])
    assert set(found) == set(CATEGORY_KEYS)
    for key, statistic in CATEGORY_KEYS.items():
        each = getattr(of_system if key.startswith("system.") else of_raters, statistic.key)
        unit = 100 if statistic.kind == "percent" else 1  # functions return shares, reports show percentages
        assert found[key] == pytest.approx((unit * each.value, unit * each.low, unit * each.high, each.n)), key


def test_category_groups_match_responses() -> None:
    data = alone(made())
    table = evaluated(data).tables["categories.by.place"]
    for level, part in data.groupby("place"):
        each = metrics.two_categories(part["first"], part["engine"])
        row = table.row(str(level))
        assert row["sensitivity"].value == pytest.approx(100 * each.sensitivity.value)  # type: ignore[union-attr]
        assert row["sensitivity"].n == each.sensitivity.n  # type: ignore[union-attr]
        assert row["f1"].low == pytest.approx(each.f1.low)  # type: ignore[union-attr]


def test_category_intervals_by_candidate_are_wider() -> None:
    data = made(n=480)
    by_response, by_candidate = numbers(evaluated(alone(data))), numbers(evaluated(data, candidate="candidate"))
    for key, (value, _, _, n) in by_candidate.items():
        assert (value, n) == pytest.approx((by_response[key][0], by_response[key][3])), key
    # within candidates all truths are alike, so that shares of a category are far less certain
    for key in ("system.base_rate", "system.positive_share"):
        _, low, high, _ = by_candidate[key]
        assert high - low > 1.3 * (by_response[key][2] - by_response[key][1])


def test_category_errors_by_candidate_match_jackknife() -> None:
    """The delete-one jackknife differs from the infinitesimal one by a share of 1 / candidates."""
    data = made(n=480)
    estimates = evaluated(data, candidate="candidate").estimates
    keys = ("f1", "sensitivity", "balanced_accuracy", "negative_predictive_value")

    def left(kept: Any) -> list[float]:
        found = metrics.two_categories(data["first"][kept], data["engine"][kept])
        return [getattr(found, key).value for key in keys]

    for key, error in zip(keys, jackknife_error(left, data["candidate"]), strict=True):
        unit = 100 if estimates[f"system.{key}"].kind == "percent" else 1
        assert estimates[f"system.{key}"].standard_error == pytest.approx(unit * error, rel=0.03), key


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(1, 10_000))
def test_category_estimates_ignore_order_unit_and_batches(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    data = made(seed, 80)
    path = tmp_path_factory.mktemp("batches") / "scores.csv"
    data.to_csv(path, index=False)
    here = numbers(evaluated(data, candidate="candidate"))
    shuffled = data.sample(frac=1, random_state=seed)[list(reversed(data.columns))]
    tenfold = data.assign(**{name: 10 * data[name] + 5 for name in ("engine", "first", "second")})
    for other in (
        evaluated(shuffled, candidate="candidate"),
        evaluated(tenfold, candidate="candidate", scale="5:15:10"),
        evaluated(path, candidate="candidate", batches=True),
    ):
        theirs = numbers(other)
        assert theirs.keys() == here.keys()
        for key, each in here.items():
            assert theirs[key] == pytest.approx(each, abs=1e-12), key


def test_category_of_score_between_points_is_nearest() -> None:
    data = alone(made())
    between = data.assign(engine=np.where(data["engine"] == 1, 0.51, 0.5))
    assert numbers(evaluated(between)) == numbers(evaluated(data))


def test_category_without_responses_has_reason() -> None:
    data = alone(made()).assign(first=1, second=1)
    estimates = evaluated(data).estimates
    assert estimates["system.specificity"].value is None
    assert estimates["system.specificity"].reason == "no human score is the lower category"
    assert estimates["system.sensitivity"].value is not None
    assert estimates["human.negative_agreement"].reason == "neither side gives the lower category"


def test_category_statistics_of_few_responses_are_withheld() -> None:
    """Place c has one pass, so its sensitivity would reveal the engine score of one person."""
    data = alone(made())
    data.loc[data["place"] == "c", "first"] = 0
    data.loc[data.index[data["place"] == "c"][0], "first"] = 1
    table = evaluated(data).tables["categories.by.place"]
    cells = {metric: table.row("c")[metric] for metric in ("sensitivity", "specificity", "f1", "base_rate")}
    for metric in ("sensitivity", "specificity", "f1"):
        assert isinstance(cell := cells[metric], Estimate)
        assert (cell.value, cell.n, cell.reason) == (None, 0, WITHHELD)
    assert isinstance(base_rate := cells["base_rate"], Estimate)
    assert base_rate.value is not None
    shown = [row.cells[0] for row in table.rows if isinstance(row.cells[4], Estimate) and row.cells[4].defined]
    assert "All data" in shown
    assert len(shown) < len(table.rows) - 1  # nor by subtraction from all


def test_longer_scale_has_no_categories() -> None:
    evaluation = evaluated(alone(made()), scale="0:2")
    assert not numbers(evaluation)
    assert "categories" not in evaluation.facts
    assert not any("categories" in key for key in evaluation.tables)


@pytest.mark.parametrize(("low", "outcome"), [(10, "met"), (99.5, "not met")])
def test_policy_on_sensitivity_is_judged(tmp_path: Path, low: float, outcome: str) -> None:
    policy = tmp_path / "policy.toml"
    criterion = f'[[criteria]]\nstatistic = "system.sensitivity"\nlow = {low}\n'
    policy.write_text(f'name = "own"\n{criterion}{criterion}groups = true\n')
    checks = evaluated(alone(made()), policy=str(policy)).checks
    assert checks[0].outcome == outcome
    assert checks[0].target == "system_human.categories"
    assert {check.level for check in checks[1:]} == {"a", "b", "c"}
    assert all(check.estimate.value is not None for check in checks)


def test_policy_on_sensitivity_of_longer_scale_has_reason(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('name = "own"\n[[criteria]]\nstatistic = "system.sensitivity"\nlow = 80\n')
    (check,) = evaluated(alone(made()), policy=str(policy), scale="0:2").checks
    assert check.outcome == "insufficient"
    assert check.estimate.reason == "only for two categories"
