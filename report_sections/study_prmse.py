"""How the metrics of one system change with its raters, and how many double scores PRMSE needs, by simulation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any, Literal

from report_sections.study_figures import as_printed, column, grouped, lines_by, lines_of, spread_chart
from reportgen.results import Record
from reportgen.sections import Axis, Chart, Dots, Evaluation, Findings, Line, Rule, Section, Table, Term
from reportgen.wording.numbers import count

STABILITY, RANKING, RANKED, JOINING = "study.stability", "study.ranking", "study.ranked", "study.joining"
R, QWK, R2, PRMSE, DEGRADATION = (f"short_name.{key}" for key in ("r", "qwk", "r_squared", "prmse", "degradation"))
"""How rows of the tables name metrics."""

REPLAYED = ".replayed"
"""End of the keys of tables of the paper's own data."""

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

    ranked_by: tuple[str, ...] = ("r", "qwk", "r_squared", "degradation", "prmse")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far each metric moves with the raters, and which rank systems rightly."""
        tables, replayed = evaluation.tables, evaluation.tables.get(STABILITY + REPLAYED)
        rows = _against_mean(tables[STABILITY])
        by_metric = grouped(rows, "metric")
        ends = {}
        for key in ("r", "r_squared", "prmse"):
            means = [row.number("mean") or 0.0 for row in by_metric[f"short_name.{key}"]]
            ends[key] = [min(means), max(means)]
        more = [
            _references(replayed or tables[STABILITY], evaluation),
            *(_ranks(tables[RANKED], metric) for metric in self.ranked_by),
            *(_joining(tables[JOINING], metric, evaluation) for metric in ("r", "qwk", "r_squared")),
            *([_with_prmse(replayed, evaluation)] if replayed else []),  # else the first figure shows it
        ]
        sets, ranked = evaluation.count("replicates"), tables[RANKING].records()
        right = [row["metric"] for row in ranked if row.number("in_order") == sets]
        moved = {key: high - low for key, (low, high) in ends.items()}
        steady = "steady" if moved["prmse"] < STEADY * moved["r"] else "moves"
        return Findings(
            values={
                "case": "one" if len(evaluation.facts["agreement"]) == 1 else steady,
                **ends,
                "known": float(evaluation.facts["known"]),
                "sets": sets,
                "replayed": bool(evaluation.facts["replayed"]),
                "right": right,
                "all_right": len(right) == len(ranked),
                "misranked": _misranked(tables[RANKED]),
                "n_engines": len(tables[RANKED].rows),
                "more_charts": [chart.key for chart in more],
            },
            tables=evaluation.present(
                RANKING, STABILITY, "study.raters", "study.systems", "study.assignment", RANKING + REPLAYED
            ),
            charts=(_stability(rows, evaluation), *more),
        )


def _against_mean(table: Table) -> list[Record]:
    return [row for row in table.records() if row["reference"] == "against_mean"]


def _misranked(table: Table) -> list[dict[str, Any]]:
    """Return the measures that rank an engine of the worst category above the others, and its highest rank."""
    worst = next(iter(grouped(table.records(), "category").values()))
    ranks = {each.key: max(row.count(each.key) for row in worst) for each in table.columns[3:] if each.shown}
    return [{"by": Term(f"short_name.{key}"), "rank": rank} for key, rank in ranks.items() if rank > len(worst)]


def _stability(rows: Sequence[Record], evaluation: Evaluation) -> Chart:
    """Return every metric of the one system by the agreement of its raters, each on a scale that never moves."""
    ends = {metric: (-0.4, 0.4) if metric == DEGRADATION else (0.4, 1.0) for metric in grouped(rows, "metric")}
    axes = {metric: Axis("", low=low, high=high, fixed=True) for metric, (low, high) in ends.items()}
    drawn, known = evaluation.tables[STABILITY].notes[0], float(evaluation.facts["known"])
    return _by_raters("chart", rows, axes, evaluation, "", Term("spreads", known=known, drawn=drawn), known)


def _references(table: Table, evaluation: Evaluation) -> Chart:
    """Return every metric against one rater and against the mean of two: figure 1 of the paper."""
    axes = {metric: Axis("", low=low, high=high) for metric, (low, high) in PRINTED_SCALES.items()}
    rows = table.records()
    for row in rows:
        row["category"] = Term("raters_and_reference", raters=row["category"], reference=row["reference"])
    caption = Term("pairs_spread", drawn=as_printed(table, "1"))
    chart = _by_raters("references", rows, axes, evaluation, Term("references_title"), caption)
    return replace(chart, alt=Term("references_alt", **chart.alt.values)) if isinstance(chart.alt, Term) else chart


def _with_prmse(table: Table, evaluation: Evaluation) -> Chart:
    """Return R2 and PRMSE against the mean of two: figure 4 of the paper."""
    known = float(evaluation.facts["with_true"]["r_squared"])
    axes = dict.fromkeys((R2, PRMSE), Axis("", low=0.4, high=0.9))
    caption = Term("spreads", known=known, drawn=as_printed(table, "4"))
    return _by_raters("prmse", _against_mean(table), axes, evaluation, Term("with_prmse_title"), caption, known)


def _by_raters(
    key: str, rows: Iterable[Record], axes: Mapping[str, Axis], evaluation: Evaluation, title: str, caption: str,
    known: float | None = None,
) -> Chart:  # fmt: skip
    """Return what each metric was over the pairs of each category; R2 and PRMSE beside the value that is known."""
    of = grouped(rows, "metric")
    told = [
        {"name": Term(metric), "found": [{"of": row["category"], "value": row.number("mean")} for row in of[metric]]}
        for metric in axes
    ]
    true = dict.fromkeys((R2, PRMSE), known)
    plots = [(Term(metric), axis, of[metric], true.get(metric)) for metric, axis in axes.items()]
    return spread_chart(
        plots, Term("raters_axis"), n=evaluation.count("pairs"), key=f"{STABILITY}.{key}", title=title,
        alt=Term("stability_alt", metrics=told), caption=caption,
    )  # fmt: skip


def _ranks(table: Table, metric: str) -> Chart:
    """Return rank by a metric against true rank: figure 2 of the paper."""
    known, own, same = (column(table.records(), key) for key in ("known", metric, f"{metric}_same"))
    at = tuple(rank or 0.0 for rank in known)
    moved = max(abs((rank or 0) - true) for rank, true in zip(own, at, strict=True))
    ends, name = (1.0, float(len(at))), Term(f"short_name.{metric}")
    layers = (
        Line(Term("same_order"), ends, ends, ink="muted", dashes="dash"),
        Dots(Term("own_raters"), at, own, along="y"),
        Dots(Term("same_raters"), at, same, along="y", ink="human"),
    )
    title, alt = Term("ranks_title", metric=name), Term("ranks_alt", metric=name, moved=int(moved))
    axes = Axis(Term("true_rank")), Axis(Term("ranked_by", metric=name))
    return Chart(f"{RANKED}.{metric}", title, alt, *axes, layers, as_printed(table, "2"))


def _joining(table: Table, metric: str, evaluation: Evaluation) -> Chart:
    """Return a metric against the mean of more and more raters: figure 3 of the paper."""
    name, known = Term(f"short_name.{metric}"), float(evaluation.facts["with_true"][metric])
    rows = grouped(table.records(), "metric")[name]
    lines = lines_of((each.label, column(rows, "raters"), column(rows, each.key)) for each in table.columns[2:])
    told = [{"of": line.label, "first": line.y[0], "last": line.y[-1]} for line in lines]
    title, alt = Term("joining_title", metric=name), Term("joining_alt", metric=name, found=told)
    rule = Rule(known, Term("with_true_scores", known=known), axis="y")
    axes = Axis(Term("raters_averaged")), Axis(name)
    return Chart(f"{JOINING}.{metric}", title, alt, *axes, (rule, *lines), as_printed(table, "3"))


DOUBLE = "study.double_scoring"
MARKERS: tuple[Literal["circle", "square", "diamond", "triangle", "cross"], ...] = (
    "circle", "square", "diamond", "triangle", "cross",
)  # fmt: skip


@dataclass(frozen=True)
class StudyPrmseDoubleScoring(Section):
    """PRMSE by the number of double-scored responses, and the number for a wanted half-width."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the numbers of double scores that are needed, the table and the charts."""
        table = evaluation.tables[DOUBLE]
        rows = table.records()
        drawn = evaluation.present(DOUBLE, DOUBLE + REPLAYED)
        more = [_spread(evaluation, each, which) for each in drawn for which in ("", "_alone")]
        return Findings(
            values={
                "half_width": float(evaluation.facts["half_width"]),
                "needed": _needed(evaluation, "needed"),
                "needed_alone": _needed(evaluation, "needed_alone"),
                "most": max(row.count("double") for row in rows),
                "alone": _alone(evaluation, rows),
                "more_charts": [chart.key for chart in more],
            },
            tables=(table,),
            charts=(_width(evaluation, rows), *more),
        )


def _needed(evaluation: Evaluation, key: str) -> list[dict[str, Any]]:
    """Return the double scores that are needed (None for more than were tried) by the raters' correlation."""
    needed = evaluation.facts[key]
    found = [{"r": float(r), "n": _about(needed[name])} for name, r in evaluation.facts["agreement"].items()]
    return sorted(found, key=lambda each: each["r"] or 0.0)


def _about(value: float | None) -> int | None:
    """Return a number of double scores with two significant digits: the simulation gives no more."""
    if value is None:
        return None
    size = 10 ** max(0, len(str(int(value))) - 2)
    return int(round(value / size) * size)


def _alone(evaluation: Evaluation, rows: Sequence[Record]) -> dict[str, Any]:
    """Return how many times as far PRMSE spreads without the responses scored once, by the raters' correlation.

    Nothing where no response was scored once.  "nearly" says whether the number of double scores is all that counts.
    """
    nearly = float(evaluation.facts["nearly"])
    some = grouped((row for row in rows if row.count("double") < evaluation.count("responses")), "category")
    found = []
    for r, own in zip(evaluation.facts["agreement"].values(), some.values(), strict=False):
        alone, whole = (sum(row.number(key) or 0.0 for row in own) for key in ("range_alone", "range"))
        found.append({"r": float(r), "times": alone / whole})
    if not found:
        return {}
    found.sort(key=lambda each: each["times"])
    return {"least": found[0], "most": found[-1],
            "nearly": all(1 / nearly < each["times"] < nearly for each in found)}  # fmt: skip


def _spread(evaluation: Evaluation, table: Table, which: str) -> Chart:
    """Return PRMSE of all pairs by double scores and raters: figure 5 of the paper, left or right ("_alone")."""
    of_paper = table.key.endswith(REPLAYED)
    known = float(evaluation.facts["with_true"]["r_squared"] if of_paper else evaluation.facts["known"])
    rows = table.records()
    low, high = (end(value or 0.0 for key in (name, f"{name}_alone") for value in column(rows, key))
                 for name, end in (("low", min), ("high", max)))  # fmt: skip
    axis = Axis(Term("short_name.prmse"), low=low, high=high)
    named = grouped((Record({**row, "double": count(row.count("double"))}) for row in rows), "category")
    plots = [(Term("raters_of", category=category), axis, own, known) for category, own in named.items()]
    ends = [
        {"of": row["category"], "double": row["double"], "low": row[f"low{which}"], "high": row[f"high{which}"]}
        for row in (rows[0], rows[-1])
    ]
    drawn = as_printed(table, Term("right" if which else "left", at="5"))
    return spread_chart(
        plots, Term("double_scored_axis"), of="double", which=which, n=evaluation.count("pairs"),
        key=f"{table.key}.spread{which}", title=Term(f"double_scores_title{which}"),
        alt=Term("double_scores_alt", known=known, ends=ends), caption=Term("spreads", known=known, drawn=drawn),
    )  # fmt: skip


def _width(evaluation: Evaluation, rows: Sequence[Record]) -> Chart:
    """Return the half-width by the number of double scores, a line for each category of raters."""
    wanted = float(evaluation.facts["half_width"])
    plain = lines_by(rows, "category", "double", "half_width")
    lines = [replace(line, markers=marker) for line, marker in zip(plain, cycle(MARKERS), strict=False)]
    told = [{"of": line.label, "first": line.y[0], "last": line.y[-1], "least": line.x[0], "most": line.x[-1]}
            for line in lines]  # fmt: skip
    return Chart(
        f"{DOUBLE}.width", "", Term("half_width_alt", found=told), Axis(Term("double_scored_responses"), low=0),
        Axis(Term("half_width_axis"), low=0), (Rule(wanted, Term("wanted_width", width=wanted), axis="y"), *lines),
        evaluation.tables[DOUBLE].notes[0],
    )  # fmt: skip
