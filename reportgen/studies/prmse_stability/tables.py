"""From measures to the tables of the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from reportgen.results import Column, Row, Table
from reportgen.results.term import Term
from reportgen.studies.prmse_stability.beside import published_table
from reportgen.studies.prmse_stability.comparing import METRICS
from reportgen.studies.prmse_stability.measures import Measures
from reportgen.studies.prmse_stability.naming import (
    AFRESH,
    REPLAYED,
    assigned,
    category,
    drawn_note,
    metric_name,
    one_note,
)
from reportgen.studies.prmse_stability.ranks import concordance, in_order, merits, ranks
from reportgen.studies.prmse_stability.simulation import Floats, Size
from reportgen.studies.prmse_stability.spreads import ALONE, EVERYONE, NEARLY, NORMAL, needed, spread
from reportgen.studies.prmse_stability.statements import statements
from reportgen.studies.statements import statements_table

REFERENCES = {"first": Term("against_first"), "mean": Term("against_mean")}
"""What a metric compares the system with."""

Runs = Sequence[Measures]
Notes = tuple[Term, ...]


def tables_of(size: Size, replayed: Measures | None, fresh: Runs) -> tuple[Table, ...]:
    """Return every table: of the fresh data sets, and of the paper's where it is replayed; each says which."""
    afresh, one = drawn_note(len(fresh)), one_note(len(fresh), replayed=replayed is not None)
    tables = [
        _raters(size, fresh, afresh),
        _systems(size, fresh, afresh),
        _stability(fresh, afresh),
        _assignment(size, replayed or fresh[0], one),
        _ranking(fresh, afresh),
        _ranked(replayed or fresh[0], one),
        _joining(replayed or fresh[0], one),
        _double(size, fresh, afresh),
    ]
    if replayed is not None:
        again = [_stability([replayed], one), _ranking([replayed], one), _double(size, [replayed], one)]
        tables += [replace(table, key=f"{table.key}.{REPLAYED}") for table in again]
        found = (Column("here", REPLAYED), Column("fresh", AFRESH))
        tables += [statements_table(statements(replayed, fresh), found), published_table(size, replayed, fresh)]
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
        "needed": _needed(size, fresh, half_width, EVERYONE),
        "needed_alone": _needed(size, fresh, half_width, ALONE),
        "nearly": NEARLY,
        "with_true": dict((replayed or fresh[0]).truths.metrics),
    }


def _needed(size: Size, fresh: Runs, half_width: float, which: int) -> dict[str, float | None]:
    """Return the double scores for a half-width by rater category."""
    return {name: needed(size.double, fresh, name, half_width, which) for name in size.agreement}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _coefficients(*keys: str) -> tuple[Column, ...]:
    return tuple(Column(key, kind="coefficient") for key in keys)


def _raters(size: Size, fresh: Runs, notes: Notes) -> Table:
    rows = [
        Row((category(name), wanted, size.raters, *(_mean([each.raters[name][k] for each in fresh]) for k in range(3))))
        for name, wanted in size.agreement.items()
    ]
    columns = (
        Column("category"), *_coefficients("wanted"), Column("raters", kind="count"), *_coefficients("r"),
        Column("mean", kind="score"), Column("sd", kind="score"),
    )  # fmt: skip
    return Table("study.raters", "", columns, tuple(rows), notes)


def _systems(size: Size, fresh: Runs, notes: Notes) -> Table:
    rows = [
        Row(
            (
                category(name),
                wanted,
                size.systems,
                *(_mean([each.systems[name][k] for each in fresh]) for k in range(3)),
            )
        )
        for name, wanted in size.accuracy.items()
    ]
    columns = (
        Column("category"), *_coefficients("wanted"), Column("systems", kind="count"),
        *_coefficients("r_squared", "r", "r_raters"),
    )  # fmt: skip
    return Table("study.systems", "", columns, tuple(rows), notes)


def _stability(fresh: Runs, notes: Notes) -> Table:
    """Return what figures 1 and 4 of the paper show: every metric of one system, by its raters."""
    rows = []
    for reference, metric in fresh[0].stability:
        for name in fresh[0].stability[reference, metric]:
            values = [each.stability[reference, metric][name] for each in fresh]
            rows.append(Row((metric_name(metric), REFERENCES[reference], category(name), *spread(values))))
    columns = (
        Column("metric"), Column("reference"), Column("category"), *_coefficients("mean", "low", "high", "sd"),
    )  # fmt: skip
    return Table("study.stability", "", columns, tuple(rows), notes, max_rows=60)


def _assignment(size: Size, run: Measures, notes: Notes) -> Table:
    rows = [Row((category(name), *assigned(run, name, size.agreement))) for name in size.accuracy]
    columns = (Column("category"), *(Column(name, category(name), "count") for name in size.agreement))
    return Table("study.assignment", "", columns, tuple(rows), notes)


def _ranking(fresh: Runs, notes: Notes) -> Table:
    rows = []
    for metric in METRICS:
        own, same = (_mean([concordance(run, metric, same=same) for run in fresh]) for same in (False, True))
        kept, kept_same = (sum(in_order(run, metric, same=same) for run in fresh) for same in (False, True))
        rows.append(Row((metric_name(metric), own, kept, same, kept_same)))
    columns = (
        Column("metric"), *_coefficients("tau"), Column("in_order", kind="count"), *_coefficients("tau_same"),
        Column("in_order_same", kind="count"),
    )  # fmt: skip
    return Table("study.ranking", "", columns, tuple(rows), notes)


def _ranked(run: Measures, notes: Notes) -> Table:
    """Return every system's rank by each metric: figure 2 of the paper."""
    found = {"known": ranks([each.known for each in run.ranking])}
    for metric in METRICS:
        found[metric] = ranks(merits(run, metric))
        found[f"{metric}_same"] = ranks(merits(run, metric, same=True))
    rows = [
        Row((category(each.category), category(each.raters), *(found[key][place] for key in found)))
        for place, each in enumerate(run.ranking)
    ]
    columns = (
        Column("category"), Column("raters"), Column("known", kind="count"),
        *(Column(key, _by(key), "count", shown=not key.endswith("_same")) for key in list(found)[1:]),
    )  # fmt: skip
    return Table("study.ranked", "", columns, tuple(rows), notes, max_rows=60)


def _by(key: str) -> Term:
    """Return the heading of the ranks by a metric."""
    return Term("ranked_by", metric=metric_name(key.removesuffix("_same")))


def _joining(run: Measures, notes: Notes) -> Table:
    """Return figure 3 of the paper: metrics against the mean of more and more raters."""
    names = list(next(iter(run.joining.values())))
    rows = []
    for metric, by_category in run.joining.items():
        rows += [
            Row((metric_name(metric), k + 1, *(float(by_category[name][k]) for name in names)))
            for k in range(len(by_category[names[0]]))
        ]
    columns = (
        Column("metric"), Column("raters", kind="count"),
        *(Column(name, category(name), "coefficient") for name in names),
    )  # fmt: skip
    return Table("study.joining", "", columns, tuple(rows), notes, max_rows=12)


def _double(size: Size, fresh: Runs, notes: Notes) -> Table:
    """Return table 4 of the paper and what it means: how far PRMSE varies with the number of double scores."""
    rows = []
    for count in size.double:
        for name in size.agreement:
            everyone, alone = ([each.double[count, name][which] for each in fresh] for which in (EVERYONE, ALONE))
            mean, low, high, sd = spread(everyone)
            rows.append(Row((
                count, category(name), mean, low, high, _range(everyone), NORMAL * sd, sd, _range(alone),
                *spread(alone),
            )))  # fmt: skip
    columns = (
        Column("double", kind="count"), Column("category"),
        *_coefficients("mean", "low", "high", "range", "half_width", "sd", "range_alone"),
        *(replace(each, shown=False) for each in _coefficients("mean_alone", "low_alone", "high_alone", "sd_alone")),
    )  # fmt: skip
    return Table("study.double_scoring", "", columns, tuple(rows), notes, max_rows=60)


def _range(values: Sequence[Floats]) -> float:
    return _mean([float(np.ptp(each)) for each in values])
