"""How the metrics of one system change with its raters, and how many double scores PRMSE needs, by simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.lookup import Record, fact, number, records
from report_sections.study_figures import STYLES, Series, Spread, as_printed, lines_of, spread_rows
from reportgen.results import Cell
from reportgen.sections import Axis, Chart, Dots, Evaluation, Findings, Line, Rule, Section, Table, Term
from reportgen.wording.numbers import count

STABILITY, RANKING, RANKED, JOINING = "study.stability", "study.ranking", "study.ranked", "study.joining"
R, QWK, R2, PRMSE, DEGRADATION = (f"short_name.{key}" for key in ("r", "qwk", "r_squared", "prmse", "degradation"))
"""How rows of the tables name metrics."""

REPLAYED = ".replayed"
"""End of the keys of tables of the paper's own data."""

SCALES = {DEGRADATION: (-0.4, 0.4)}
"""Ends of the axes of metrics that are not from 0.40 to 1.00."""

PRINTED_SCALES = {R: (0.4, 1.0), QWK: (0.4, 1.0), R2: (0.2, 0.8), DEGRADATION: (-0.4, 0.2)}
"""What figure 1 of the paper shows, and the ends of its axes."""

STEADY = 0.5
"""PRMSE is told as steady where it moves by less than this part of what r moves."""


@dataclass(frozen=True)
class StudyPrmseStability(Section):
    """One system under different raters; the ranking of systems; more and more raters.

    Parameters
    ----------
    ranked_by
        Keys of metrics whose ranking of the systems is drawn.
    """

    name: ClassVar[str] = "study_prmse_stability"

    ranked_by: tuple[str, ...] = ("r", "qwk", "r_squared", "degradation", "prmse")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far each metric moves with the raters, and which rank systems rightly."""
        tables = evaluation.tables
        rows = [row for row in records(tables[STABILITY]) if row["reference"] == "against_mean"]
        ends = {key: _ends(rows, metric) for key, metric in (("r", R), ("r_squared", R2), ("prmse", PRMSE))}
        more = (_references(tables.get(STABILITY + REPLAYED, tables[STABILITY]), evaluation),
                *(_ranks(tables[RANKED], metric) for metric in self.ranked_by),
                *(_joining(tables[JOINING], metric, evaluation) for metric in (R, QWK, R2)))  # fmt: skip
        if STABILITY + REPLAYED in tables:  # else the first figure shows it
            more = (*more, _with_prmse(tables[STABILITY + REPLAYED], evaluation))
        order = (RANKING, STABILITY, "study.raters", "study.systems", "study.assignment", RANKING + REPLAYED)
        return Findings(
            values={
                "case": _case(ends, len(evaluation.facts["agreement"])),
                **ends,
                "known": float(evaluation.facts["known"]),
                "sets": fact(evaluation, "replicates"),
                "replayed": bool(evaluation.facts["replayed"]),
                **_ranked_rightly(evaluation),
                "misranked": _misranked(tables[RANKED]),
                "n_engines": len(tables[RANKED].rows),
                "more_charts": [chart.key for chart in more],
            },
            tables=tuple(tables[key] for key in order if key in tables),
            charts=(_stability(rows, evaluation), *more),
        )


def _ends(rows: Sequence[Record], metric: str) -> list[float]:
    """Return the lowest and highest mean of a metric over the categories of raters."""
    means = [number(row["mean"]) or 0.0 for row in rows if row["metric"] == metric]
    return [min(means), max(means)]


def _case(ends: Mapping[str, Sequence[float]], categories: int) -> str:
    """Return whether there is one category of raters, PRMSE is steady beside r, or it moves too."""
    if categories == 1:
        return "one"
    moved = {key: high - low for key, (low, high) in ends.items()}
    return "steady" if moved["prmse"] < STEADY * moved["r"] else "moves"


def _ranked_rightly(evaluation: Evaluation) -> dict[str, Any]:
    """Return the metrics that rank every system into its category in all data sets, and whether these are all."""
    rows = records(evaluation.tables[RANKING])
    right = [row["metric"] for row in rows if number(row["in_order"]) == fact(evaluation, "replicates")]
    return {"right": right, "all_right": len(right) == len(rows)}


def _misranked(table: Table) -> list[dict[str, Any]]:
    """Return the measures that rank an engine of the worst category above the others, and its highest rank."""
    rows = records(table)
    worst = [row for row in rows if row["category"] == rows[0]["category"]]
    found = []
    for column in table.columns:
        if column.shown and column.key not in ("category", "raters", "known"):
            highest = max(int(number(row[column.key]) or 0) for row in worst)
            if highest > len(worst):
                found.append({"by": Term(f"short_name.{column.key}"), "rank": highest})
    return found


def _stability(rows: Sequence[Record], evaluation: Evaluation) -> Chart:
    """Return every metric of the one system by the agreement of its raters, each on a scale that never moves."""
    known, axes = float(evaluation.facts["known"]), {}
    for metric in dict.fromkeys(_text(row["metric"]) for row in rows):
        low, high = SCALES.get(metric, (0.4, 1.0))
        axes[metric] = Axis("", low=low, high=high, fixed=True), known if metric in (R2, PRMSE) else None
    plots, told = _plots(rows, axes, fact(evaluation, "pairs"))
    return spread_rows(
        f"{STABILITY}.chart", "", Term("stability_alt", metrics=told), plots, Term("raters_axis"),
        Term("spreads", known=known, drawn=evaluation.tables[STABILITY].notes[0]),
    )  # fmt: skip


def _references(table: Table, evaluation: Evaluation) -> Chart:
    """Return every metric against one rater and against the mean of two: figure 1 of the paper."""
    axes = {metric: (Axis("", low=low, high=high), None) for metric, (low, high) in PRINTED_SCALES.items()}
    rows = [
        {**row, "category": Term("raters_and_reference", raters=row["category"], reference=row["reference"])}
        for row in records(table)
    ]
    plots, told = _plots(rows, axes, fact(evaluation, "pairs"))
    return spread_rows(
        f"{STABILITY}.references", Term("references_title"), Term("references_alt", metrics=told), plots,
        Term("raters_axis"), Term("pairs_spread", drawn=as_printed(table, "1")),
    )  # fmt: skip


def _with_prmse(table: Table, evaluation: Evaluation) -> Chart:
    """Return R2 and PRMSE against the mean of two: figure 4 of the paper."""
    known = float(evaluation.facts["with_true"]["r_squared"])
    rows = [row for row in records(table) if row["reference"] == "against_mean"]
    axes = {metric: (Axis("", low=0.4, high=0.9), known) for metric in (R2, PRMSE)}
    plots, told = _plots(rows, axes, fact(evaluation, "pairs"))
    return spread_rows(
        f"{STABILITY}.prmse", Term("with_prmse_title"), Term("stability_alt", metrics=told), plots,
        Term("raters_axis"), Term("spreads", known=known, drawn=as_printed(table, "4")),
    )  # fmt: skip


def _plots(
    rows: Sequence[Record], axes: Mapping[str, tuple[Axis, float | None]], pairs: int
) -> tuple[list[tuple[str, Axis, list[Spread], float | None]], list[dict[str, Any]]]:
    """Return what each metric was over the pairs of each category, on its axis, and the same as told in words."""
    plots: list[tuple[str, Axis, list[Spread], float | None]] = []
    told: list[dict[str, Any]] = []
    for metric, (axis, known) in axes.items():
        spreads = [
            Spread(_text(row["category"]), number(row["mean"]), number(row["low"]), number(row["high"]), pairs)
            for row in rows
            if row["metric"] == metric
        ]
        plots.append((Term(metric), axis, spreads, known))
        told.append({"name": Term(metric), "found": [{"of": each.at, "value": each.value} for each in spreads]})
    return plots, told


def _text(cell: Cell) -> str:
    """Return a cell that is a word or a name."""
    return cell if isinstance(cell, str) else str(cell)


def _ranks(table: Table, metric: str) -> Chart:
    """Return rank by a metric against true rank: figure 2 of the paper."""
    rows = records(table)
    known = tuple(float(number(row["known"]) or 0) for row in rows)
    own, same = (tuple(number(row[key]) for row in rows) for key in (metric, f"{metric}_same"))
    moved = max(abs((rank or 0) - true) for rank, true in zip(own, known, strict=True))
    ends, name = (1.0, float(len(rows))), Term(f"short_name.{metric}")
    return Chart(
        f"{RANKED}.{metric}",
        Term("ranks_title", metric=name),
        Term("ranks_alt", metric=name, moved=int(moved)),
        Axis(Term("true_rank")),
        Axis(Term("ranked_by", metric=name)),
        (
            Line(Term("same_order"), ends, ends, ink="muted", dashes="dash"),
            Dots(Term("own_raters"), known, own, along="y"),
            Dots(Term("same_raters"), known, same, along="y", ink="human"),
        ),
        as_printed(table, "2"),
    )


def _joining(table: Table, metric: str, evaluation: Evaluation) -> Chart:
    """Return a metric against the mean of more and more raters: figure 3 of the paper."""
    rows = [row for row in records(table) if row["metric"] == metric]
    x = tuple(float(number(row["raters"]) or 0) for row in rows)
    found = [Series(each.label, x, tuple(number(row[each.key]) for row in rows)) for each in table.columns[2:]]
    told = [{"of": each.name, "first": each.y[0], "last": each.y[-1]} for each in found]
    key = metric.removeprefix("short_name.")
    known = float(evaluation.facts["with_true"][key])
    rule = Rule(known, Term("with_true_scores", known=known), axis="y")
    return Chart(
        f"{JOINING}.{key}",
        Term("joining_title", metric=Term(metric)),
        Term("joining_alt", metric=Term(metric), found=told),
        Axis(Term("raters_averaged")),
        Axis(Term(metric)),
        (rule, *lines_of(found)),
        as_printed(table, "3"),
    )


DOUBLE = "study.double_scoring"
MARKERS = ("circle", "square", "diamond", "triangle", "cross")


@dataclass(frozen=True)
class StudyPrmseDoubleScoring(Section):
    """PRMSE by the number of double-scored responses, and the number for a wanted half-width."""

    name: ClassVar[str] = "study_prmse_double_scoring"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the numbers of double scores that are needed, the table and the charts."""
        table = evaluation.tables[DOUBLE]
        rows = records(table)
        replayed = evaluation.tables.get(DOUBLE + REPLAYED)
        more = [_spread(evaluation, table), _spread(evaluation, table, alone=True)]
        if replayed is not None:
            more += [_spread(evaluation, replayed), _spread(evaluation, replayed, alone=True)]
        return Findings(
            values={
                "half_width": float(evaluation.facts["half_width"]),
                "needed": _needed(evaluation, "needed"),
                "needed_alone": _needed(evaluation, "needed_alone"),
                "most": max(int(number(row["double"]) or 0) for row in rows),
                "alone": _alone(evaluation, rows),
                "more_charts": [chart.key for chart in more],
            },
            tables=(table,),
            charts=(_width(evaluation, rows), *more),
        )


def _needed(evaluation: Evaluation, key: str) -> list[dict[str, Any]]:
    """Return the double scores that are needed (None for more than were tried) by the raters' correlation."""
    correlations, needed = evaluation.facts["agreement"], evaluation.facts[key]
    found = [{"r": float(correlations[name]), "n": _about(needed[name])} for name in correlations]
    return sorted(found, key=lambda each: each["r"] or 0.0)


def _alone(evaluation: Evaluation, rows: Sequence[Record]) -> dict[str, Any]:
    """Return how many times as far PRMSE spreads without the responses scored once, by the raters' correlation.

    Nothing where no response was scored once.  "nearly" says whether the number of double scores is all that counts.
    """
    found, nearly = [], float(evaluation.facts["nearly"])
    some = [row for row in rows if (number(row["double"]) or 0) < fact(evaluation, "responses")]
    for correlation, category in zip(evaluation.facts["agreement"].values(), _categories(some), strict=False):
        own = [row for row in some if row["category"] == category]
        found.append({"r": float(correlation), "times": _total(own, "range_alone") / _total(own, "range")})
    if not found:
        return {}
    found.sort(key=lambda each: each["times"])
    return {"least": found[0], "most": found[-1],
            "nearly": all(1 / nearly < each["times"] < nearly for each in found)}  # fmt: skip


def _categories(rows: Sequence[Record]) -> list[Any]:
    return list(dict.fromkeys(row["category"] for row in rows))


def _about(value: float | None) -> int | None:
    """Return a number of double scores with two significant digits: the simulation gives no more."""
    if value is None:
        return None
    size = 10 ** max(0, len(str(int(value))) - 2)
    return int(round(value / size) * size)


def _total(rows: Sequence[Record], column: str) -> float:
    return sum(number(row[column]) or 0.0 for row in rows)


def _spread(evaluation: Evaluation, table: Table, *, alone: bool = False) -> Chart:
    """Return PRMSE of all pairs by double scores and raters: figure 5 of the paper, left or right."""
    of_paper, pairs = table.key.endswith(REPLAYED), fact(evaluation, "pairs")
    known = float(evaluation.facts["with_true"]["r_squared"] if of_paper else evaluation.facts["known"])
    rows, which = records(table), "_alone" if alone else ""
    low, high = (end(number(row[key]) or 0.0 for row in rows for key in (name, f"{name}_alone"))
                 for name, end in (("low", min), ("high", max)))  # fmt: skip
    axis = Axis(Term("short_name.prmse"), low=low, high=high)
    plots = []
    for category in _categories(rows):
        own = [row for row in rows if row["category"] == category]
        plots.append(
            (Term("raters_of", category=category), axis, [_spread_of(row, which, pairs) for row in own], known)
        )
    ends = [
        {"of": row["category"], "double": row["double"], "low": row[f"low{which}"], "high": row[f"high{which}"]}
        for row in (rows[0], rows[-1])
    ]
    drawn = as_printed(table, Term("right" if alone else "left", at="5"))
    return spread_rows(
        f"{table.key}.spread{which}", Term(f"double_scores_title{which}"),
        Term("double_scores_alt", known=known, ends=ends), plots, Term("double_scored_axis"),
        Term("spreads", known=known, drawn=drawn),
    )  # fmt: skip


def _spread_of(row: Record, which: str, pairs: int) -> Spread:
    mean, low, high = (number(row[f"{key}{which}"]) for key in ("mean", "low", "high"))
    return Spread(count(number(row["double"]) or 0), mean, low, high, pairs)


def _width(evaluation: Evaluation, rows: Sequence[Record]) -> Chart:
    """Return the half-width by the number of double scores, a line for each category of raters."""
    wanted = float(evaluation.facts["half_width"])
    layers: list[Line | Rule] = [Rule(wanted, Term("wanted_width", width=wanted), axis="y")]
    told = []
    for place, category in enumerate(dict.fromkeys(row["category"] for row in rows)):
        own = [row for row in rows if row["category"] == category]
        x, y = (tuple(number(row[key]) for row in own) for key in ("double", "half_width"))
        ink, dashes = STYLES[place % len(STYLES)]
        label = category if isinstance(category, str) else str(category)
        layers.append(Line(label, x, y, ink, dashes, MARKERS[place % len(MARKERS)]))  # type: ignore[arg-type]
        told.append({"of": category, "first": y[0], "last": y[-1], "least": x[0], "most": x[-1]})
    return Chart(
        f"{DOUBLE}.width", "", Term("half_width_alt", found=told), Axis(Term("double_scored_responses"), low=0),
        Axis(Term("half_width_axis"), low=0), tuple(layers), evaluation.tables[DOUBLE].notes[0],
    )  # fmt: skip
