"""Intervals of what traits say together are those of a jackknife, by response or by candidate."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from trait_files import NAMES, drawn, on_points, wide

from reportgen import metrics
from reportgen.evaluation import evaluate
from reportgen.evaluation.traits import Together, traits_together
from reportgen.results import Estimate
from reportgen.scores import read
from reportgen.settings import from_keywords

N = 240


def said(planted: Any, **more: Any) -> Together:
    """Return what traits say together, of a file with two raters and an engine."""
    table = pa.table(wide(planted) | more)
    tables = [
        read(
            table,
            from_keywords(
                system=f"{name}_system", human=[f"{name}_human1", f"{name}_human2"], scale="-9:18:0", id="id",
                candidate="student" if more else "",
            ),
        )
        for name in NAMES
    ]  # fmt: skip
    return traits_together(tables, NAMES, [1, 1, 1], 0.95, by_row=True, least=10)


def cell(found: Together, key: str, column: str) -> Estimate:
    """Return the estimate in the first row of a table."""
    table = next(each for each in found.tables if each.key == key)
    place = [each.key for each in table.columns].index(column)
    estimate = table.rows[0].cells[place]
    assert isinstance(estimate, Estimate)
    return estimate


def statistics(system: Any, ratings: Any) -> dict[str, float]:
    """Return what is estimated, by the functions on arrays; correlations are without the raters' severity."""
    apart = np.nanmean(ratings[:, 1] - ratings[:, 0], axis=0) / 2
    r = metrics.trait_correlations(system, ratings - np.stack([-apart, apart]))
    value = metrics.added_value(system, ratings)
    return {
        "prmse": metrics.composite_prmse(system, ratings), "halo": r.errors[0, 1], "true": r.true[0, 1],
        "excess": r.system[0, 1] - r.true[0, 1], "gain": value.own[0] - value.total[0],
    }  # fmt: skip


def estimates(found: Together) -> dict[str, Estimate]:
    return {
        "prmse": found.estimates["composite.prmse"], "halo": cell(found, "traits.pairs", "halo"),
        "true": cell(found, "traits.pairs", "trait_r_true"), "excess": cell(found, "traits.pairs", "trait_r_excess"),
        "gain": cell(found, "traits.added_value", "added_value"),
    }  # fmt: skip


def test_a_harsher_rater_is_no_bond_between_traits() -> None:
    """Two independent traits, the second rater 0.9 lower on both."""
    rng = np.random.default_rng(41)
    true = 3.5 + rng.normal(size=(3000, 2))
    columns: dict[str, Any] = {"id": [f"R{row}" for row in range(len(true))]}
    for place, name in enumerate(NAMES[:2]):
        columns[f"{name}_system"] = true[:, place] + rng.normal(0, 0.4, len(true))
        for rater, severity in (("human1", 0.0), ("human2", 0.9)):
            columns[f"{name}_{rater}"] = np.rint(true[:, place] - severity + rng.normal(0, 0.6, len(true)))
    tables = [
        read(
            pa.table(columns),
            from_keywords(
                system=f"{name}_system", human=[f"{name}_human1", f"{name}_human2"], scale="-9:18:0", id="id"
            ),
        )
        for name in NAMES[:2]
    ]
    found = traits_together(tables, NAMES[:2], [1, 1], 0.95, by_row=True, least=10)
    assert cell(found, "traits.pairs", "trait_r_true").value == pytest.approx(0, abs=0.06)
    assert cell(found, "traits.pairs", "halo").value == pytest.approx(0, abs=0.06)
    rho = found.estimates["composite.rho"].value
    assert rho == pytest.approx(1 / np.sqrt(1 + 0.4**2), abs=0.02)


@pytest.mark.parametrize("clustered", [False, True])
def test_standard_errors_are_those_of_leaving_units_out(clustered: bool) -> None:
    """The infinitesimal jackknife and the one that leaves units out differ by the order of 1 / units."""
    planted = drawn(N, 8)
    planted.ratings[1::3, 1] = np.nan
    units = np.arange(N) // (2 if clustered else 1)
    found = estimates(said(planted, **({"student": [f"S{unit}" for unit in units]} if clustered else {})))
    whole = statistics(planted.system, planted.ratings)
    assert {name: estimate.value for name, estimate in found.items()} == pytest.approx(whole, rel=1e-9)
    left = [statistics(planted.system[units != out], planted.ratings[units != out]) for out in range(units[-1] + 1)]
    n = len(left)
    for name, estimate in found.items():
        values = np.array([each[name] for each in left])
        error = np.sqrt((n - 1) / n * ((values - values.mean()) ** 2).sum())
        assert estimate.standard_error == pytest.approx(error, rel=0.05), name
        assert ("clusters" in estimate.method) is clustered


def test_the_table_says_which_scores_say_more() -> None:
    found = said(on_points(200))
    table = next(each for each in found.tables if each.key == "traits.added_value")
    answers = {row.cells[0]: row.cells[-1] for row in table.rows}
    for row in table.rows:
        gain = row.cells[3]
        assert isinstance(gain, Estimate)
        assert gain.low is not None
        assert gain.high is not None
        expected = "yes" if gain.low > 0 else "no" if gain.high < 0 else "not yet known"
        assert answers[row.cells[0]] == expected


def test_the_composite_of_one_weight_has_the_interval_of_its_trait() -> None:
    """Fieller's, as every PRMSE has; a trait's own report rests on the same responses."""
    planted = on_points(120)
    table = pa.table(wide(planted))
    settings = from_keywords(system="ideas_system", human=["ideas_human1", "ideas_human2"], scale="1:6", id="id")
    tables = [read(table, settings)] * 2
    found = traits_together(tables, ["a", "b"], [1, 0], 0.95, by_row=True, least=10).estimates["composite.prmse"]
    expected = evaluate(tables[0], settings, {}).estimates["true_score.prmse"]
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high), rel=1e-9
    )
    assert found.method == expected.method
