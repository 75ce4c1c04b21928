"""From measures to the tables of the report, and every printed number beside ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from reportgen.results import Column, Row, Table
from reportgen.results.term import Term
from reportgen.studies import columns
from reportgen.studies.prmse_stability import claims, measures
from reportgen.studies.prmse_stability.measures import ALONE, EVERYONE, METRICS, Measures
from reportgen.studies.prmse_stability.simulation import Size
from reportgen.studies.statements import in_figure, in_section, in_table, of_what, published_columns, statements_table

REFERENCES = {"first": Term("against_first"), "mean": Term("against_mean")}
"""What a metric compares the system with."""

CATEGORIES = ("poor", "low", "moderate", "average", "medium", "high", "perfect")
"""Categories of the paper, which have words; others are named by their numbers."""

REPLAYED, AFRESH = Term("replayed"), Term("drawn_afresh")
"""Headings of columns: from the paper's own random numbers, or from new ones."""

ROUNDING = 1e-4
"""Printed numbers were rounded from floats: half a unit of print may come out either way."""

Runs = Sequence[Measures]
Notes = tuple[Term, ...]


def tables_of(size: Size, replayed: Measures | None, fresh: Runs) -> tuple[Table, ...]:
    """Return every table: of the fresh data sets, and of the paper's where it is replayed; each says which."""
    afresh = (Term("note.drawn_afresh", sets=len(fresh)),)
    one = (Term("note.replayed") if replayed is not None else Term("note.first_drawn", sets=len(fresh)),)
    first = replayed or fresh[0]
    tables = [
        _raters(size, fresh, afresh),
        _systems(size, fresh, afresh),
        _stability(fresh, afresh),
        _assignment(size, first, one),
        _ranking(fresh, afresh),
        _ranked(first, one),
        _joining(first, one),
        _double(size, fresh, afresh),
    ]
    if replayed is not None:
        again = [_stability([replayed], one), _ranking([replayed], one), _double(size, [replayed], one)]
        tables += [replace(table, key=f"{table.key}.{REPLAYED}") for table in again]
        found = (Column("here", REPLAYED), Column("fresh", AFRESH))
        tables += [statements_table(claims.statements(replayed, fresh), found), _published_table(size, replayed, fresh)]
    return tuple(tables)


def facts_of(size: Size, replayed: Measures | None, fresh: Runs, half_width: float, studied: str) -> dict[str, Any]:
    """Return what sections put into sentences."""
    return {
        "responses": size.responses,
        "raters_each": size.raters,
        "pairs": size.pairs,
        "replicates": len(fresh),
        "replayed": replayed is not None,
        "studied": studied,
        "known": _mean([each.known for each in fresh]),
        "agreement": dict(size.agreement),
        "accuracy": dict(size.accuracy),
        "half_width": half_width,
        **{
            key: {name: measures.needed(size.double, fresh, name, half_width, which) for name in size.agreement}
            for key, which in (("needed", EVERYONE), ("needed_alone", ALONE))
        },
        "nearly": measures.NEARLY,
        "with_true": dict((replayed or fresh[0]).with_true),
    }


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


_coefficients, _counts, _scores = (partial(columns, kind) for kind in ("coefficient", "count", "score"))


def _metric(metric: str) -> Term:
    """Return the short name of a metric as a word of the vocabulary."""
    return Term(f"short_name.{metric}")


def _category(name: str) -> str:
    """Return what a category of raters or systems is called."""
    return Term(f"category.{name}") if name in CATEGORIES else name


def _raters(size: Size, fresh: Runs, notes: Notes) -> Table:
    columns = (*_counts("raters"), *_coefficients("r"), *_scores("mean", "sd"))
    return _described_table("raters", size.agreement, size.raters, fresh, columns, notes)


def _systems(size: Size, fresh: Runs, notes: Notes) -> Table:
    columns = (*_counts("systems"), *_coefficients("r_squared", "r", "r_raters"))
    return _described_table("systems", size.accuracy, size.systems, fresh, columns, notes)


def _described_table(
    of: str, wanted: Mapping[str, float], number: int, fresh: Runs, columns: tuple[Column, ...], notes: Notes
) -> Table:
    """Return the numbers that describe the "raters" or "systems" of every category."""
    rows = []
    for name, asked in wanted.items():
        means = (_mean([_described(of, name, k, run) for run in fresh]) for k in range(3))
        rows.append(Row((_category(name), asked, number, *means)))
    return Table(f"study.{of}", "", (Column("category"), *_coefficients("wanted"), *columns), tuple(rows), notes)


def _stability(fresh: Runs, notes: Notes) -> Table:
    """Return what figures 1 and 4 of the paper show: every metric of one system, by its raters."""
    rows = [
        Row((_metric(metric), REFERENCES[reference], _category(name), *measures.spread([
            each.stability[reference, metric][name] for each in fresh])))
        for (reference, metric), by_raters in fresh[0].stability.items()
        for name in by_raters
    ]  # fmt: skip
    columns = (
        Column("metric"), Column("reference"), Column("category"), *_coefficients("mean", "low", "high", "sd"),
    )  # fmt: skip
    return Table("study.stability", "", columns, tuple(rows), notes, max_rows=60)


def _assigned(run: Measures, systems: str, raters: str) -> int:
    """Return how many systems of a category were evaluated with raters of a category."""
    return sum(each.category == systems and each.raters == raters for each in run.ranking)


def _assignment(size: Size, run: Measures, notes: Notes) -> Table:
    rows = [
        Row((_category(name), *(_assigned(run, name, raters) for raters in size.agreement))) for name in size.accuracy
    ]
    columns = (Column("category"), *(Column(name, _category(name), "count") for name in size.agreement))
    return Table("study.assignment", "", columns, tuple(rows), notes)


def _ranking(fresh: Runs, notes: Notes) -> Table:
    rows = []
    for metric in METRICS:
        cells: list[float] = []
        for same in (False, True):
            cells.append(_mean([measures.concordance(run, metric, same=same) for run in fresh]))
            cells.append(sum(measures.misplaced(run, metric, same=same) == 0 for run in fresh))
        rows.append(Row((_metric(metric), *cells)))
    columns = (
        Column("metric"), *_coefficients("tau"), *_counts("in_order"), *_coefficients("tau_same"),
        *_counts("in_order_same"),
    )  # fmt: skip
    return Table("study.ranking", "", columns, tuple(rows), notes)


def _ranked(run: Measures, notes: Notes) -> Table:
    """Return every system's rank by each metric: figure 2 of the paper."""
    found = {"known": measures.ranks([each.known for each in run.ranking])}
    columns = [Column("category"), Column("raters"), *_counts("known")]
    for metric in METRICS:
        for key, same in ((metric, False), (f"{metric}_same", True)):
            found[key] = measures.ranks(measures.merits(run, metric, same=same))
            columns.append(Column(key, Term("ranked_by", metric=_metric(metric)), "count", shown=not same))
    rows = [
        Row((_category(each.category), _category(each.raters), *(of[place] for of in found.values())))
        for place, each in enumerate(run.ranking)
    ]
    return Table("study.ranked", "", tuple(columns), tuple(rows), notes, max_rows=60)


def _joining(run: Measures, notes: Notes) -> Table:
    """Return figure 3 of the paper: metrics against the mean of more and more raters."""
    rows = [
        Row((_metric(metric), k, *map(float, values)))
        for metric, by_category in run.joining.items()
        for k, values in enumerate(zip(*by_category.values(), strict=True), start=1)
    ]
    names = next(iter(run.joining.values()))
    columns = (
        Column("metric"), *_counts("raters"), *(Column(name, _category(name), "coefficient") for name in names),
    )  # fmt: skip
    return Table("study.joining", "", columns, tuple(rows), notes, max_rows=12)


def _double(size: Size, fresh: Runs, notes: Notes) -> Table:
    """Return table 4 of the paper and what it means: how far PRMSE varies with the number of double scores."""
    rows = []
    for count in size.double:
        for name in size.agreement:
            everyone, alone = ([each.double[count, name][which] for each in fresh] for which in (EVERYONE, ALONE))
            mean, low, high, sd = measures.spread(everyone)
            ranges = [_mean([float(np.ptp(each)) for each in values]) for values in (everyone, alone)]
            rows.append(Row((
                count, _category(name), mean, low, high, ranges[0], measures.NORMAL * sd, sd, ranges[1],
                *measures.spread(alone),
            )))  # fmt: skip
    columns = (
        *_counts("double"), Column("category"),
        *_coefficients("mean", "low", "high", "range", "half_width", "sd", "range_alone"),
        *_coefficients("mean_alone", "low_alone", "high_alone", "sd_alone", shown=False),
    )  # fmt: skip
    return Table("study.double_scoring", "", columns, tuple(rows), notes, max_rows=60)


Printed = Iterator[tuple[Term, Term, float, Callable[[Measures], float]]]
"""Where a number is printed, what it is, its value, and how to get it from measures."""


def _published_table(size: Size, replayed: Measures, fresh: Runs) -> Table:
    """Return every number the paper prints, beside the replay and the fresh data sets."""
    rows = []
    for numbers, half_unit in ((_in_tables([*size.agreement]), 0.005), (_in_text(), 0.005), (_to_one_decimal(), 0.05)):
        for place, what, printed, value in numbers:
            here = float(value(replayed))
            agrees = Term("yes" if abs(here - printed) <= half_unit + ROUNDING else "no")
            rows.append(Row((place, what, printed, here, here - printed, agrees, _mean([value(run) for run in fresh]))))
    columns = tuple(replace(each, label=REPLAYED) if each.key == "here" else each for each in published_columns())
    return Table("study.published", "", (*columns, Column("fresh", AFRESH, "score")), tuple(rows), max_rows=100)


def _in_tables(raters: Sequence[str]) -> Printed:
    """Yield the numbers of tables 1 to 4."""
    described: tuple[tuple[str, Mapping[str, Sequence[float]], str, tuple[str, ...]], ...] = (
        ("1", claims.RATERS, "raters", ("r_two_raters", "mean", "sd")),
        ("2", claims.SYSTEMS, "systems", ("r_squared_true", "r_true", "r_raters")),
    )
    for table, numbers, of, words in described:
        for name, printed in numbers.items():
            for k, word in enumerate(words):
                yield in_table(table), of_what(_category(name), word), printed[k], partial(_described, of, name, k)
    for systems, counts in claims.ASSIGNMENT.items():
        for name, count in zip(raters, counts, strict=True):
            what = Term("published.assigned", systems=_category(systems), raters=_category(name))
            yield in_table("3"), what, count, partial(_assigned, systems=systems, raters=name)
    for double, ranges in claims.RANGES.items():
        for name, printed_range in zip(raters, ranges, strict=True):
            what = Term("published.range", double=double, raters=_category(name))
            yield in_table("4"), what, printed_range, partial(claims.range_of, count=double, name=name)


def _described(of: str, name: str, place: int, run: Measures) -> float:
    """Return a number of the described "raters" or "systems" of a category."""
    found: float = getattr(run, of)[name][place]
    return found


def _in_text() -> Printed:
    """Yield the numbers of the text that have two decimals."""
    for (metric, name), printed in claims.TEXT.items():
        what = Term("published.metric", metric=_metric(metric), raters=_category(name))
        # of degradation the end of the range over all pairs, of other metrics the mean of the category
        value = partial(_end, metric, name == "high") if metric == "degradation" else partial(_average, metric, name)
        yield in_figure("1"), what, printed, value
    for metric, limits in claims.LIMITS.items():
        for k, which in enumerate(("smallest_pair", "largest_pair")):
            yield in_figure("4"), of_what(_metric(metric), which), limits[k], partial(_end, metric, k)
    for k, which in enumerate(("worst_rmse", "best_rmse")):
        yield in_section("3"), Term(f"published.{which}"), claims.RMSE[k], lambda run, k=k: claims.rmse_ends(run)[k]  # type: ignore[misc]


def _end(metric: str, high: int, run: Measures) -> float:
    """Return the lowest or the highest value of a metric over all pairs."""
    return claims.ends_of(run, metric)[high]


def _average(metric: str, name: str, run: Measures) -> float:
    return float(run.stability["mean", metric][name].mean())


def _to_one_decimal() -> Printed:
    """Yield the numbers of the text that have one decimal."""
    yield in_section("3"), Term("published.mse_share"), claims.MSE_SHARE[0], claims.mse_share
    yield in_figure("5"), Term("published.highest"), claims.HIGHEST[0], claims.highest
