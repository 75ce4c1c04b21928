"""Every number that the paper prints beside the replay and the data drawn afresh."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from reportgen.results import Column, Row, Table
from reportgen.results.term import Term
from reportgen.studies.printed import in_figure, in_section, in_table, of_what, published_columns
from reportgen.studies.prmse_stability import published
from reportgen.studies.prmse_stability.measures import Measures
from reportgen.studies.prmse_stability.naming import AFRESH, REPLAYED, assigned, category, metric_name
from reportgen.studies.prmse_stability.on_metrics import ends_of, mse_share, rmse_ends
from reportgen.studies.prmse_stability.on_prmse import highest
from reportgen.studies.prmse_stability.simulation import Size

ROUNDING = 1e-4
"""Printed numbers were rounded from floats: half a unit of print may come out either way."""

Value = Callable[[Measures], float]


def published_table(size: Size, replayed: Measures, fresh: Sequence[Measures]) -> Table:
    """Return every number the paper prints, beside the replay and the fresh data sets."""
    rows = []
    for place, what, printed, value in (*_in_tables(size), *_in_text()):
        here, afresh = value(replayed), float(np.mean([value(run) for run in fresh]))
        rows.append(_row(place, what, printed, here, afresh))
    for place, what, printed, value in _to_one_decimal():
        here, afresh = value(replayed), float(np.mean([value(run) for run in fresh]))
        rows.append(_row(place, what, printed, here, afresh, half_unit=0.05))
    columns = tuple(replace(each, label=REPLAYED) if each.key == "here" else each for each in published_columns())
    return Table("study.published", "", (*columns, Column("fresh", AFRESH, "score")), tuple(rows), max_rows=100)


def _row(place: Term, what: Term, printed: float, here: float, afresh: float, half_unit: float = 0.005) -> Row:
    return Row((place, what, printed, here, here - printed, agreement(printed, here, half_unit), afresh))


def agreement(printed: float, here: float, half_unit: float = 0.005) -> Term:
    """Return whether a number is the printed one, but for the rounding of print."""
    return Term("yes" if abs(here - printed) <= half_unit + ROUNDING else "no")


Printed = Iterator[tuple[Term, Term, float, Value]]
"""Where a number is printed, what it is, its value, and how to get it from measures."""


def _in_tables(size: Size) -> Printed:
    """Yield the numbers of tables 1 to 4."""
    for name, numbers in published.RATERS.items():
        for k, what in enumerate(("r_two_raters", "mean", "sd")):
            yield in_table("1"), of_what(category(name), what), numbers[k], lambda run, n=name, k=k: run.raters[n][k]  # type: ignore[misc]
    for name, numbers in published.SYSTEMS.items():
        for k, what in enumerate(("r_squared_true", "r_true", "r_raters")):
            yield in_table("2"), of_what(category(name), what), numbers[k], lambda run, n=name, k=k: run.systems[n][k]  # type: ignore[misc]
    for name, counts in published.ASSIGNMENT.items():
        for k, raters in enumerate(size.agreement):
            what_ = Term("published.assigned", systems=category(name), raters=category(raters))
            yield in_table("3"), what_, counts[k], lambda run, n=name, k=k: float(assigned(run, n, size.agreement)[k])  # type: ignore[misc]
    for count, numbers4 in published.RANGES.items():
        for k, name in enumerate(size.agreement):
            what_ = Term("published.range", double=count, raters=category(name))
            yield in_table("4"), what_, numbers4[k], lambda run, c=count, n=name: float(np.ptp(run.double[c, n][0]))  # type: ignore[misc]


def _in_text() -> Printed:
    """Yield the numbers of the text that have two decimals."""
    for (metric, name), printed in published.TEXT.items():
        what = Term("published.metric", metric=metric_name(metric), raters=category(name))
        at_end = _end if metric == "degradation" else _average
        yield in_figure("1"), what, printed, lambda run, m=metric, n=name, f=at_end: f(run, m, n)  # type: ignore[misc]
    for metric, limits in published.LIMITS.items():
        for k, which in enumerate(("smallest_pair", "largest_pair")):
            what = of_what(metric_name(metric), which)
            yield in_figure("4"), what, limits[k], lambda run, m=metric, k=k: ends_of(run, m)[k]  # type: ignore[misc]
    for k, which in enumerate(("worst_rmse", "best_rmse")):
        yield in_section("3"), Term(f"published.{which}"), published.RMSE[k], lambda run, k=k: rmse_ends(run)[k]  # type: ignore[misc]


def _to_one_decimal() -> Printed:
    """Yield the numbers of the text that have one decimal."""
    yield in_section("3"), Term("published.mse_share"), published.MSE_SHARE[0], mse_share
    yield in_figure("5"), Term("published.highest"), published.HIGHEST[0], highest


def _average(run: Measures, metric: str, name: str) -> float:
    return float(run.stability["mean", metric][name].mean())


def _end(run: Measures, metric: str, name: str) -> float:
    """Return the end of the range of a metric over all pairs that belongs to a category: lowest or highest."""
    low, high = ends_of(run, metric)
    return low if name == "low" else high
