"""Statistics of unordered labels without an engine, whatever the names of the labels."""

import itertools
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import value
from simulated import evaluation_of
from test_ratings_alone import long, numbers

from report_sections.raters_report import RatersSummary
from reportgen import metrics
from reportgen.errors import ReportgenError
from reportgen.testing import text_of

LABELS = ("cause", "part", "kind", "other")
EXIST = {"human.exact_agreement", "human.kappa", "raters.exact_agreement", "raters.kappa", "raters.scott", "raters.bp",
         "raters.ac1", "raters.alpha_nominal"}  # fmt: skip
NEED_AN_ORDER = ("qwk", "severity", "mean", "sd", "adjacent", "error_variance", "icc", "quadratic", "linear")


def codes(n: int = 90, raters: int = 3, gaps: float = 0.2, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    true = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    found = np.where(rng.random((n, raters)) < 0.3, rng.integers(0, 4, (n, raters)), true[:, None]).astype(float)
    found[rng.random(found.shape) < gaps] = np.nan
    found[np.isnan(found).all(axis=1), 0] = 1
    return found


def wide(found: np.ndarray, **more: Any) -> pa.Table:
    columns = {
        f"rater_{j + 1}": [None if np.isnan(x) else LABELS[int(x)] for x in found[:, j]] for j in range(found.shape[1])
    }
    return pa.table({"essay_id": [f"e{i}" for i in range(len(found))], **columns, **more})


evaluated = partial(evaluation_of, unordered=True, groups=[], ratings_only=True)


def test_label_statistics_match_public_functions() -> None:
    found = codes(gaps=0)
    estimates = evaluated(wide(found)).estimates
    assert set(estimates) == EXIST
    pairs = list(itertools.combinations(range(3), 2))
    exact = np.mean([(found[:, a] == found[:, b]).mean() for a, b in pairs])
    chance = sum(((found == label).mean()) ** 2 for label in range(4))
    expected = {
        "human.exact_agreement": 100 * exact,
        "human.kappa": (exact - chance) / (1 - chance),
        "raters.scott": (exact - chance) / (1 - chance),  # Fleiss's kappa
        "raters.ac1": metrics.gwet_ac(found, categories=range(4)).value,
        "raters.alpha_nominal": metrics.krippendorff_alpha(found, categories=range(4)).value,
    }
    for key, number in expected.items():
        assert value(estimates[key]) == pytest.approx(number, abs=1e-12), key


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.permutations(LABELS), st.permutations(range(3)), st.integers(0, 99))
def test_label_statistics_ignore_order_and_layout(order: list[str], columns: list[int], seed: int) -> None:
    found = codes(seed=seed)
    table = wide(found)
    plain = numbers(evaluated(table, labels=list(LABELS)))
    turned = table.select(["essay_id", *(f"rater_{j + 1}" for j in columns)])
    for other in (
        evaluated(turned, labels=order),
        evaluated(long(found, seed, LABELS), labels=order),
        evaluated(table),
    ):
        again = numbers(other)
        assert again.keys() == plain.keys()
        for key, values in plain.items():
            assert again[key] == pytest.approx(values, abs=1e-12), key


def test_label_report_has_no_ordered_statistics() -> None:
    found = codes(gaps=0)
    groups = ["a", "b"] * 45
    evaluation = evaluated(wide(found, place=groups), groups=["place"])
    assert set(evaluation.estimates) == EXIST
    keys = [key for table in evaluation.tables.values() for key in (table.key, *(each.key for each in table.columns))]
    assert not [key for key in keys for word in NEED_AN_ORDER if word in key.split(".") or f"_{word}" in key]
    assert "reliability.icc" not in evaluation.tables
    level = evaluation.tables["raters.by.place"].row("a")
    own = found[::2]
    own = own[(~np.isnan(own)).sum(axis=1) > 1]
    same = [np.mean([x == y for x, y in itertools.combinations(row[~np.isnan(row)], 2)]) for row in own]
    assert value(level["exact_agreement"]) == pytest.approx(100 * np.mean(same))


def test_label_tables_have_shares_and_kappa() -> None:
    found = codes(gaps=0)
    evaluation = evaluated(wide(found), labels=list(LABELS))
    columns = evaluation.tables["raters.distribution"].columns
    assert [each.label for each in columns[2:]] == list(LABELS)
    pair = evaluation.tables["raters.pairs"].row("rater_1, rater_2")
    assert value(pair["kappa"]) == pytest.approx(
        metrics.cohen_kappa(found[:, 0], found[:, 1], categories=range(4)).value
    )


def test_policy_on_weighted_kappa_of_labels_is_insufficient(tmp_path: Any) -> None:
    policy = tmp_path / "own.toml"
    policy.write_text(
        'name = "own"\ndescription = "x"\n[[criteria]]\nstatistic = "human.qwk"\nlow = 0.7\nsource = "x"\n'
        '[[criteria]]\nstatistic = "human.kappa"\nlow = 0.9\nsource = "x"\n'
    )
    checks = evaluated(wide(codes()), policy=str(policy)).checks
    assert [check.outcome for check in checks] == ["insufficient", "not met"]
    with pytest.raises(ReportgenError):
        evaluated(wide(codes()), policy=str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("raters", "named"), [(2, "Both raters together: Scott's pi 0."), (3, "All raters together: Fleiss's kappa 0.")]
)
def test_page_one_of_labels(raters: int, named: str) -> None:
    evaluation = evaluated(wide(codes(raters=raters, gaps=0)))
    page = text_of(RatersSummary(), evaluation)
    assert page.finding.startswith("Two raters give the same label in ")
    assert named in page
    assert "so reliability, severity, and weighted kappa are not defined" in page
