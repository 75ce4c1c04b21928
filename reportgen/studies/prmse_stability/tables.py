"""From measures to the tables of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.metrics import kendall_tau_b
from reportgen.results import Column, Row, Table
from reportgen.results.term import Term
from reportgen.studies.printed import in_figure, in_table, of_what, published_columns
from reportgen.studies.prmse_stability import published
from reportgen.studies.prmse_stability.measures import METRICS as COMPARED
from reportgen.studies.prmse_stability.measures import Measures
from reportgen.studies.prmse_stability.simulation import Floats, Size

REFERENCES = {"first": Term("against_first"), "mean": Term("against_mean")}
"""What a metric compares the system with."""

CATEGORIES = ("poor", "low", "moderate", "average", "medium", "high", "perfect")
"""Categories of the paper, which have words; others are named by their numbers."""

NORMAL = 1.959963984540054
"""Half-width of a 95 % interval in standard errors."""

ROUNDING = 1e-4
"""Printed numbers were rounded from floats: half a unit of print may come out either way."""

Runs = Sequence[Measures]


def tables_of(size: Size, replayed: Measures | None, fresh: Runs) -> tuple[Table, ...]:
    """Return every table: of the fresh data sets, and beside the paper's where it is repeated."""
    tables = [
        _raters(size, fresh),
        _systems(size, fresh),
        _stability(fresh),
        _assignment(size, replayed or fresh[0]),
        _ranking(fresh),
        _ranked(replayed or fresh[0]),
        _joining(replayed or fresh[0]),
        _double(size, fresh),
    ]
    if replayed is not None:
        tables.append(_published(size, replayed, fresh))
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
        "needed": {name: _needed(size, fresh, name, half_width) for name in size.agreement},
    }


def _metric(metric: str) -> Term:
    """Return the short name of a metric as a word of the vocabulary."""
    return Term(f"short_name.{metric}")


def _category(name: str) -> str:
    """Return what a category of raters or systems is called."""
    return Term(f"category.{name}") if name in CATEGORIES else name


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _coefficients(*keys: str) -> tuple[Column, ...]:
    return tuple(Column(key, kind="coefficient") for key in keys)


def _raters(size: Size, fresh: Runs) -> Table:
    rows = [
        Row(
            (_category(name), wanted, size.raters, *(_mean([each.raters[name][k] for each in fresh]) for k in range(3)))
        )
        for name, wanted in size.agreement.items()
    ]
    columns = (
        Column("category"), *_coefficients("wanted"), Column("raters", kind="count"), *_coefficients("r"),
        Column("mean", kind="score"), Column("sd", kind="score"),
    )  # fmt: skip
    return Table("study.raters", "", columns, tuple(rows))


def _systems(size: Size, fresh: Runs) -> Table:
    rows = [
        Row(
            (
                _category(name),
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
    return Table("study.systems", "", columns, tuple(rows))


def _stability(fresh: Runs) -> Table:
    """Return what figures 1 and 4 of the paper show: every metric of one system, by its raters."""
    rows = []
    for reference, metric in fresh[0].stability:
        for name in fresh[0].stability[reference, metric]:
            values = [each.stability[reference, metric][name] for each in fresh]
            rows.append(Row((_metric(metric), REFERENCES[reference], _category(name), *_spread(values))))
    columns = (
        Column("metric"), Column("reference"), Column("category"), *_coefficients("mean", "low", "high", "sd"),
    )  # fmt: skip
    return Table("study.stability", "", columns, tuple(rows), max_rows=60)


def _spread(values: Sequence[Floats]) -> tuple[float, float, float, float]:
    """Return mean, smallest, largest and SD over pairs, each averaged over data sets."""
    summaries = (np.mean, np.min, np.max, lambda each: np.std(each, ddof=1))
    mean, low, high, sd = (_mean([float(summary(each)) for each in values]) for summary in summaries)
    return mean, low, high, sd


def _assignment(size: Size, run: Measures) -> Table:
    rows = [Row((_category(category), *_assigned(run, category, size.agreement))) for category in size.accuracy]
    columns = (Column("category"), *(Column(name, _category(name), "count") for name in size.agreement))
    return Table("study.assignment", "", columns, tuple(rows))


def _assigned(run: Measures, category: str, raters: Mapping[str, float]) -> tuple[int, ...]:
    return tuple(sum(each.category == category and each.raters == name for each in run.ranking) for name in raters)


def in_order(run: Measures, metric: str, *, same: bool = False) -> bool:
    """Return whether a metric sorts the systems into their categories without one out of place."""
    values = _merits(run, metric, same=same)
    found = [run.ranking[place].category for place in np.argsort(values, kind="stable")]
    return found == [each.category for each in run.ranking]


def _merits(run: Measures, metric: str, *, same: bool = False) -> list[float]:
    """Return a metric of every system such that more is better: the paper's degradation falls with quality."""
    sign = -1.0 if metric == "degradation" else 1.0
    return [sign * (each.same_pair if same else each.own_pair)[metric] for each in run.ranking]


def _concordance(run: Measures, metric: str, *, same: bool = False) -> float:
    """Return Kendall's tau-b of a metric with the true order of systems."""
    values = _merits(run, metric, same=same)
    return float(kendall_tau_b(np.array([each.known for each in run.ranking]), np.array(values)))


def _ranking(fresh: Runs) -> Table:
    rows = []
    for metric in COMPARED:
        own, same = (_mean([_concordance(run, metric, same=same) for run in fresh]) for same in (False, True))
        kept, kept_same = (sum(in_order(run, metric, same=same) for run in fresh) for same in (False, True))
        rows.append(Row((_metric(metric), own, kept, same, kept_same)))
    columns = (
        Column("metric"), *_coefficients("tau"), Column("in_order", kind="count"), *_coefficients("tau_same"),
        Column("in_order_same", kind="count"),
    )  # fmt: skip
    return Table("study.ranking", "", columns, tuple(rows))


def _ranked(run: Measures) -> Table:
    """Return every system's rank by each metric: figure 2 of the paper."""
    ranks = {"known": _ranks([each.known for each in run.ranking])}
    for metric in COMPARED:
        ranks[metric] = _ranks(_merits(run, metric))
        ranks[f"{metric}_same"] = _ranks(_merits(run, metric, same=True))
    rows = [
        Row((_category(each.category), _category(each.raters), *(ranks[key][place] for key in ranks)))
        for place, each in enumerate(run.ranking)
    ]
    columns = (
        Column("category"), Column("raters"), Column("known", kind="count"),
        *(Column(key, _by(key), "count", shown=not key.endswith("_same")) for key in list(ranks)[1:]),
    )  # fmt: skip
    return Table("study.ranked", "", columns, tuple(rows), max_rows=60)


def _by(key: str) -> Term:
    """Return the heading of the ranks by a metric."""
    return Term("ranked_by", metric=_metric(key.removesuffix("_same")))


def _ranks(values: Sequence[float]) -> list[int]:
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(order), int)
    ranks[order] = np.arange(1, len(order) + 1)
    return [int(rank) for rank in ranks]


def _joining(run: Measures) -> Table:
    """Return figure 3 of the paper: metrics against the mean of more and more raters."""
    names = list(next(iter(run.joining.values())))
    rows = []
    for metric, by_category in run.joining.items():
        rows += [
            Row((_metric(metric), k + 1, *(float(by_category[name][k]) for name in names)))
            for k in range(len(by_category[names[0]]))
        ]
    columns = (
        Column("metric"), Column("raters", kind="count"),
        *(Column(name, _category(name), "coefficient") for name in names),
    )  # fmt: skip
    return Table("study.joining", "", columns, tuple(rows), max_rows=12)


def _double(size: Size, fresh: Runs) -> Table:
    """Return table 4 of the paper and what it means: how far PRMSE varies with the number of double scores."""
    rows = []
    for count in size.double:
        for name in size.agreement:
            both = [[each.double[count, name][which] for each in fresh] for which in (0, 1)]
            mean, low, high, sd = _spread(both[0])
            rows.append(Row((
                count, _category(name), mean, low, high, _range(both[0]), NORMAL * sd, sd, _range(both[1]),
            )))  # fmt: skip
    columns = (
        Column("double", kind="count"), Column("category"),
        *_coefficients("mean", "low", "high", "range", "half_width", "sd", "range_alone"),
    )  # fmt: skip
    return Table("study.double_scoring", "", columns, tuple(rows), max_rows=60)


def _range(values: Sequence[Floats]) -> float:
    return _mean([float(np.ptp(each)) for each in values])


def _needed(size: Size, fresh: Runs, name: str, half_width: float) -> float | None:
    """Return the double scores for a half-width: between the counts tried the SD falls as 1 / sqrt(n2).

    None when the largest number tried does not reach it.
    """
    tried = []
    for count in size.double:
        widths = NORMAL * _spread([each.double[count, name][0] for each in fresh])[3]
        tried.append((count, widths))
    for place, (count, width) in enumerate(tried):
        if width <= half_width:
            by_this = count * (width / half_width) ** 2
            if place == 0:
                return by_this
            before, wider = tried[place - 1]
            by_before = before * (wider / half_width) ** 2
            return float(np.clip(np.sqrt(by_this * by_before), before, count))
    return None


def _published(size: Size, replayed: Measures, fresh: Runs) -> Table:
    """Return every number the paper prints, beside the replay and the fresh data sets."""
    rows = []
    for place, what, printed, value in _printed(size):
        here, afresh = value(replayed), _mean([value(run) for run in fresh])
        rows.append(Row((place, what, printed, here, here - printed, agreement(printed, here), afresh)))
    columns = (*published_columns(), Column("fresh", kind="score"))
    return Table("study.published", "", columns, tuple(rows), max_rows=100)


def agreement(printed: float, here: float, half_unit: float = 0.005) -> Term:
    """Return whether a number is the printed one, but for the rounding of print."""
    return Term("yes" if abs(here - printed) <= half_unit + ROUNDING else "no")


Value = Callable[[Measures], float]


def _printed(size: Size) -> Iterator[tuple[Term, Term, float, Value]]:
    """Yield where a number is printed, what it is, its value, and how to get it from measures."""
    for name, numbers in published.RATERS.items():
        for k, what in enumerate(("r_two_raters", "mean", "sd")):
            yield in_table("1"), of_what(_category(name), what), numbers[k], lambda run, n=name, k=k: run.raters[n][k]  # type: ignore[misc]
    for name, numbers in published.SYSTEMS.items():
        for k, what in enumerate(("r_squared_true", "r_true", "r_raters")):
            yield in_table("2"), of_what(_category(name), what), numbers[k], lambda run, n=name, k=k: run.systems[n][k]  # type: ignore[misc]
    for name, counts in published.ASSIGNMENT.items():
        for k, raters in enumerate(size.agreement):
            yield (
                in_table("3"),
                Term("published.assigned", systems=_category(name), raters=_category(raters)),
                counts[k],
                (
                    lambda run, n=name, k=k: float(_assigned(run, n, size.agreement)[k])  # type: ignore[misc]
                ),
            )
    for count, numbers4 in published.RANGES.items():
        for k, name in enumerate(size.agreement):
            yield (
                in_table("4"),
                Term("published.range", double=count, raters=_category(name)),
                numbers4[k],
                (
                    lambda run, c=count, n=name: float(np.ptp(run.double[c, n][0]))  # type: ignore[misc]
                ),
            )
    for (metric, name), printed in published.TEXT.items():
        at_end = _end if metric == "degradation" else _average
        yield (
            in_figure("1"),
            Term("published.metric", metric=_metric(metric), raters=_category(name)),
            printed,
            (
                lambda run, m=metric, n=name, f=at_end: f(run, m, n)  # type: ignore[misc]
            ),
        )
    for metric, (low, high) in published.LIMITS.items():
        for what, printed, reduce in (("smallest_pair", low, np.min), ("largest_pair", high, np.max)):
            yield (
                in_figure("4"),
                of_what(_metric(metric), what),
                printed,
                (
                    lambda run, m=metric, f=reduce: float(f(np.concatenate(list(run.stability["mean", m].values()))))  # type: ignore[misc]
                ),
            )


def _average(run: Measures, metric: str, name: str) -> float:
    return float(run.stability["mean", metric][name].mean())


def _end(run: Measures, metric: str, name: str) -> float:
    """Return the end of the range of a metric over all pairs that belongs to a category: lowest or highest."""
    every = np.concatenate(list(run.stability["mean", metric].values()))
    return float(every.min() if name == "low" else every.max())
