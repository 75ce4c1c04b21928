"""Intervals of statistics of several traits match the jackknife, by response or by candidate."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from oracles import ends, jackknife_error
from trait_files import NAMES, drawn, on_points, wide

from reportgen import metrics
from reportgen.evaluation import evaluate
from reportgen.evaluation.traits import Together, traits_together
from reportgen.results import Estimate
from reportgen.scores import read
from reportgen.settings import Settings, from_keywords

N = 240


def evaluated(planted: Any, **more: Any) -> Together:
    """Return the statistics of several traits from a file with two raters and an engine."""
    table = pa.table(wide(planted) | more)
    tables = [read(table, settings_of(name, candidate="student" if more else "")) for name in NAMES]
    return traits_together(tables, NAMES, [1, 1, 1], 0.95, by_row=True, least=10)


def settings_of(name: str, scale: str = "-9:18:0", **more: Any) -> Settings:
    """Return the settings that read one trait."""
    return from_keywords(
        system=f"{name}_system", human=[f"{name}_human1", f"{name}_human2"], scale=scale, id="id", **more
    )


def cell(found: Together, key: str, column: str) -> Estimate:
    """Return the estimate in the first row of a table."""
    table = next(each for each in found.tables if each.key == key)
    place = [each.key for each in table.columns].index(column)
    estimate = table.rows[0].cells[place]
    assert isinstance(estimate, Estimate)
    return estimate


def statistics(system: Any, ratings: Any) -> dict[str, float]:
    """Return the statistics by public functions. Correlations exclude the severity of raters."""
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


def test_severe_rater_does_not_correlate_traits() -> None:
    """Two traits are independent, and the second rater is 0.9 harsher on both."""
    rng = np.random.default_rng(41)
    true = 3.5 + rng.normal(size=(3000, 2))
    columns: dict[str, Any] = {"id": [f"R{row}" for row in range(len(true))]}
    for place, name in enumerate(NAMES[:2]):
        columns[f"{name}_system"] = true[:, place] + rng.normal(0, 0.4, len(true))
        for rater, severity in (("human1", 0.0), ("human2", 0.9)):
            columns[f"{name}_{rater}"] = np.rint(true[:, place] - severity + rng.normal(0, 0.6, len(true)))
    tables = [read(pa.table(columns), settings_of(name)) for name in NAMES[:2]]
    found = traits_together(tables, NAMES[:2], [1, 1], 0.95, by_row=True, least=10)
    assert cell(found, "traits.pairs", "trait_r_true").value == pytest.approx(0, abs=0.06)
    assert cell(found, "traits.pairs", "halo").value == pytest.approx(0, abs=0.06)
    rho = found.estimates["composite.rho"].value
    assert rho == pytest.approx(1 / np.sqrt(1 + 0.4**2), abs=0.02)


@pytest.mark.parametrize("clustered", [False, True])
def test_trait_errors_match_jackknife(clustered: bool) -> None:
    """The infinitesimal and the delete-one jackknife differ by the order of 1 / units."""
    planted = drawn(N, 8)
    planted.ratings[1::3, 1] = np.nan
    units = np.arange(N) // (2 if clustered else 1)
    found = estimates(evaluated(planted, **({"student": [f"S{unit}" for unit in units]} if clustered else {})))
    whole = statistics(planted.system, planted.ratings)
    assert {name: estimate.value for name, estimate in found.items()} == pytest.approx(whole, rel=1e-9)
    errors = jackknife_error(lambda kept: [*statistics(planted.system[kept], planted.ratings[kept]).values()], units)
    for (name, estimate), error in zip(found.items(), errors, strict=True):
        assert estimate.standard_error == pytest.approx(error, rel=0.05), name
        assert ("clusters" in estimate.method) is clustered


def test_added_value_answers_follow_intervals() -> None:
    table = next(each for each in evaluated(on_points(200)).tables if each.key == "traits.added_value")
    for row in table.rows:
        low, high = ends(row.cells[3])
        assert row.cells[-1] == ("yes" if low > 0 else "no" if high < 0 else "not yet known")


def test_composite_of_one_trait_has_interval_of_trait() -> None:
    """Both intervals are Fieller intervals of the same responses."""
    planted = on_points(120)
    table = pa.table(wide(planted))
    settings = settings_of("ideas", "1:6")
    tables = [read(table, settings)] * 2
    found = traits_together(tables, ["a", "b"], [1, 0], 0.95, by_row=True, least=10).estimates["composite.prmse"]
    expected = evaluate(tables[0], settings, {}).estimates["true_score.prmse"]
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high), rel=1e-9
    )
    assert found.method == expected.method
