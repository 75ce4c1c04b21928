"""From measures to the tables of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.metrics import METRICS, kendall_tau_b
from reportgen.results import Column, Row, Table
from reportgen.studies.prmse_stability import published
from reportgen.studies.prmse_stability.measures import METRICS as COMPARED
from reportgen.studies.prmse_stability.measures import Measures
from reportgen.studies.prmse_stability.simulation import Floats, Size

LABELS = {metric: METRICS[metric].abbreviation for metric in COMPARED if metric in METRICS} | {
    "degradation": "r degradation"
}
"""How the compared metrics are called."""

REFERENCE_LABELS = {"first": "first rater", "mean": "mean of two"}
NORMAL = 1.959963984540054
"""Half-width of a 95 % interval in standard errors."""

ROUNDING = 1e-4
"""Printed numbers were rounded from floats: half a unit of print may come out either way."""

Runs = Sequence[Measures]


def tables_of(size: Size, replayed: Measures | None, fresh: Runs, studied: str) -> tuple[Table, ...]:
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
        tables.append(_published(size, replayed, fresh, studied))
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


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def _coefficients(*named: tuple[str, str]) -> tuple[Column, ...]:
    return tuple(Column(key, label, "coefficient") for key, label in named)


def _raters(size: Size, fresh: Runs) -> Table:
    rows = [
        Row((name, wanted, size.raters, *(_mean([each.raters[name][k] for each in fresh]) for k in range(3))))
        for name, wanted in size.agreement.items()
    ]
    columns = (
        Column("category", "Raters"), Column("wanted", "r asked for", "coefficient"),
        Column("raters", "Raters in it", "count"), Column("r", "r of two raters", "coefficient"),
        Column("mean", "Mean", "score"), Column("sd", "SD", "score"),
    )  # fmt: skip
    return Table("study.raters", "Simulated raters: agreement, mean and spread of each category", columns, tuple(rows))


def _systems(size: Size, fresh: Runs) -> Table:
    rows = [
        Row((name, wanted, size.systems, *(_mean([each.systems[name][k] for each in fresh]) for k in range(3))))
        for name, wanted in size.accuracy.items()
    ]
    columns = (
        Column("category", "Systems"), Column("wanted", "R² asked for", "coefficient"),
        Column("systems", "Systems in it", "count"),
        *_coefficients(
            ("r_squared", "R² with true scores"), ("r", "r with true scores"), ("r_raters", "r with raters")
        ),
    )  # fmt: skip
    note = "Raters in the last column are of the middle category of agreement."
    caption = "Simulated systems: accuracy of each category"
    return Table("study.systems", caption, columns, tuple(rows), (note,))


def _stability(fresh: Runs) -> Table:
    """Return what figures 1 and 4 of the paper show: every metric of one system, by its raters."""
    rows = []
    for reference, metric in fresh[0].stability:
        for name in fresh[0].stability[reference, metric]:
            values = [each.stability[reference, metric][name] for each in fresh]
            rows.append(Row((LABELS[metric], REFERENCE_LABELS[reference], name, *_spread(values))))
    columns = (
        Column("metric", "Metric"), Column("reference", "Against"), Column("category", "Raters"),
        *_coefficients(("mean", "Mean"), ("low", "Smallest"), ("high", "Largest"), ("sd", "SD")),
    )  # fmt: skip
    caption = "Metrics of one system against pairs of raters of each category"
    notes = ("Smallest and largest of the pairs of one data set, mean over data sets. PRMSE uses both ratings; "
             "degradation is the raters' r less the system's r, the sign of the paper.",)  # fmt: skip
    return Table("study.stability", caption, columns, tuple(rows), notes, max_rows=60)


def _spread(values: Sequence[Floats]) -> tuple[float, float, float, float]:
    """Return mean, smallest, largest and SD over pairs, each averaged over data sets."""
    summaries = (np.mean, np.min, np.max, lambda each: np.std(each, ddof=1))
    mean, low, high, sd = (_mean([float(summary(each)) for each in values]) for summary in summaries)
    return mean, low, high, sd


def _assignment(size: Size, run: Measures) -> Table:
    rows = [Row((category, *_assigned(run, category, size.agreement))) for category in size.accuracy]
    columns = (Column("category", "Systems"), *(Column(name, name, "count") for name in size.agreement))
    return Table("study.assignment", "Systems evaluated with raters of each category", columns, tuple(rows))


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
        rows.append(Row((LABELS[metric], own, kept, same, kept_same)))
    columns = (
        Column("metric", "Ranked by"), Column("tau", "tau-b, own raters", "coefficient"),
        Column("in_order", "Categories in order", "count"), Column("tau_same", "tau-b, same raters", "coefficient"),
        Column("in_order_same", "Categories in order, same raters", "count"),
    )  # fmt: skip
    caption = "How well each metric ranks systems: every system with raters of its own, or all with the same"
    notes = (f"Agreement with the order by R² with true scores; counts are data sets of {len(fresh)} in which no "
             "system lies outside its category.",)  # fmt: skip
    return Table("study.ranking", caption, columns, tuple(rows), notes)


def _ranked(run: Measures) -> Table:
    """Return every system's rank by each metric: figure 2 of the paper."""
    ranks = {"known": _ranks([each.known for each in run.ranking])}
    for metric in COMPARED:
        ranks[metric] = _ranks(_merits(run, metric))
        ranks[f"{metric}_same"] = _ranks(_merits(run, metric, same=True))
    rows = [
        Row((each.category, each.raters, *(ranks[key][place] for key in ranks)))
        for place, each in enumerate(run.ranking)
    ]
    columns = (
        Column("category", "System"), Column("raters", "Its raters"), Column("known", "True rank", "count"),
        *(
            Column(key, f"By {LABELS[key.removesuffix('_same')]}", "count", shown=not key.endswith("_same"))
            for key in list(ranks)[1:]
        ),
    )  # fmt: skip
    return Table("study.ranked", "Rank of every system by each metric, 1 the worst", columns, tuple(rows), max_rows=60)


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
            Row((LABELS[metric], k + 1, *(float(by_category[name][k]) for name in names)))
            for k in range(len(by_category[names[0]]))
        ]
    columns = (
        Column("metric", "Metric"), Column("raters", "Raters averaged", "count"),
        *(Column(name, name, "coefficient") for name in names),
    )  # fmt: skip
    caption = "One system against the mean of more and more raters, by category of raters"
    return Table("study.joining", caption, columns, tuple(rows), max_rows=12)


def _double(size: Size, fresh: Runs) -> Table:
    """Return table 4 of the paper and what it means: how far PRMSE varies with the number of double scores."""
    rows = []
    for count in size.double:
        for name in size.agreement:
            both = [[each.double[count, name][which] for each in fresh] for which in (0, 1)]
            mean, low, high, sd = _spread(both[0])
            rows.append(Row((
                count, name, mean, low, high, _range(both[0]), NORMAL * sd, sd, _range(both[1]),
            )))  # fmt: skip
    columns = (
        Column("double", "Double-scored", "count"), Column("category", "Raters"),
        *_coefficients(
            ("mean", "Mean PRMSE"), ("low", "Smallest"), ("high", "Largest"), ("range", "Range"),
            ("half_width", "±95 %"), ("sd", "SD"), ("range_alone", "Range without single scores"),
        ),
    )  # fmt: skip
    caption = f"PRMSE by the number of double-scored responses among {size.responses:,}"
    notes = ("Range: largest less smallest of the pairs of one data set, mean over data sets. ±95 %: 1.96 SD. The "
             "last column uses the double-scored responses alone.",)  # fmt: skip
    return Table("study.double_scoring", caption, columns, tuple(rows), notes, max_rows=60)


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


def _published(size: Size, replayed: Measures, fresh: Runs, studied: str) -> Table:
    """Return every number the paper prints, beside the replay and the fresh data sets."""
    rows = []
    for place, what, printed, value in _printed(size):
        here, afresh = value(replayed), _mean([value(run) for run in fresh])
        rows.append(Row((place, what, printed, here, here - printed, agreement(printed, here), afresh)))
    columns = (
        Column("place", "Where"), Column("what", "What"), Column("published", "Published", "score"),
        Column("here", "Here", "score"), Column("difference", "Difference", "difference"),
        Column("agrees", "Repeated"), Column("fresh", "Drawn afresh", "score"),
    )  # fmt: skip
    notes = (f"{published.SOURCE}. Printed numbers have two decimals: a difference below .005 is rounding.",
             f"Studied is the second system of the category “{studied}”.",)  # fmt: skip
    return Table("study.published", "Published, repeated and fresh numbers", columns, tuple(rows), notes, max_rows=100)


def agreement(printed: float, here: float, half_unit: float = 0.005) -> str:
    """Return whether a number is the printed one, but for the rounding of print."""
    return "yes" if abs(here - printed) <= half_unit + ROUNDING else "no"


Value = Callable[[Measures], float]


def _printed(size: Size) -> Iterator[tuple[str, str, float, Value]]:
    """Yield where a number is printed, what it is, its value, and how to get it from measures."""
    for name, numbers in published.RATERS.items():
        for k, what in enumerate(("r of two raters", "mean", "SD")):
            yield "table 1", f"{name}: {what}", numbers[k], lambda run, n=name, k=k: run.raters[n][k]  # type: ignore[misc]
    for name, numbers in published.SYSTEMS.items():
        for k, what in enumerate(("R² with true scores", "r with true scores", "r with raters")):
            yield "table 2", f"{name}: {what}", numbers[k], lambda run, n=name, k=k: run.systems[n][k]  # type: ignore[misc]
    for name, counts in published.ASSIGNMENT.items():
        for k, raters in enumerate(size.agreement):
            yield (
                "table 3",
                f"{name} systems with {raters} raters",
                counts[k],
                (
                    lambda run, n=name, k=k: float(_assigned(run, n, size.agreement)[k])  # type: ignore[misc]
                ),
            )
    for count, numbers4 in published.RANGES.items():
        for k, name in enumerate(size.agreement):
            yield (
                "table 4",
                f"{count:,} double-scored, {name}: range",
                numbers4[k],
                (
                    lambda run, c=count, n=name: float(np.ptp(run.double[c, n][0]))  # type: ignore[misc]
                ),
            )
    for (metric, name), printed in published.TEXT.items():
        at_end = _end if metric == "degradation" else _average
        yield (
            "figure 1",
            f"{LABELS[metric]}, {name} raters",
            printed,
            (
                lambda run, m=metric, n=name, f=at_end: f(run, m, n)  # type: ignore[misc]
            ),
        )
    for metric, (low, high) in published.LIMITS.items():
        for what, printed, reduce in (("smallest", low, np.min), ("largest", high, np.max)):
            yield (
                "figure 4",
                f"{LABELS[metric]}, {what} of all pairs",
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
