"""The coefficients of agreement as dots."""

from __future__ import annotations

from report_sections.lookup import records
from report_sections.pictures import dots_of
from reportgen.results import Estimate, Table
from reportgen.sections import Axis, Chart, Panel, Term

WEIGHTED = {
    "linear": ("kappa_linear", "bp_linear", "ac2_linear", "alpha_ordinal"),
    "quadratic": ("kappa_quadratic", "bp_quadratic", "ac2_quadratic", "alpha_interval"),
    "by_rank": ("tau_b", "spearman", "tau_b_unrounded", "spearman_unrounded"),
}
"""How differences are weighed -> the coefficients that do so; the others have no weights."""

Pair = tuple[str, Estimate, Estimate | None]
"""A coefficient: its name, that of engine and first rater, and that of two raters where it is known."""


def coefficients_chart(table: Table) -> tuple[Chart, ...]:
    """Return the coefficients of engine and rater beside those of two raters, those of the same weights together."""
    groups: dict[str, list[Pair]] = {"unweighted": [], **{weights: [] for weights in WEIGHTED}}
    for record in records(table):
        name, engine, raters = record["coefficient"], *(_coefficient(record.get(who)) for who in ("engine", "human"))
        if isinstance(name, str) and engine is not None:
            weights = next((each for each, keys in WEIGHTED.items() if name in keys), "unweighted")
            groups[weights].append((name, engine, raters))
    every = [pair for found in groups.values() for pair in found]
    if not every:
        return ()
    ends = [end for _, *both in every for each in both if each for end in (each.value, each.low, each.high)]
    low, high = (pick(end for end in ends if end is not None) for pick in (min, max))
    panels = tuple(_panel(weights, found, low, high) for weights, found in groups.items() if found)
    lowest, highest = (pick(every, key=lambda pair: pair[1].value or 0.0) for pick in (min, max))
    told = {"low": lowest[1].value, "lowest": lowest[0], "high": highest[1].value, "highest": highest[0]}
    alt = Term("coefficients_alt", **told)
    return (Chart(f"{table.key}.chart", "", alt, Axis(""), Axis(""), (), panels=panels, stacked=True),)


def _panel(weights: str, found: list[Pair], low: float, high: float) -> Panel:
    """Return the coefficients of one kind of weights, on the axis of all."""
    names = tuple(name for name, _, _ in found)
    theirs = [(name, raters) for name, _, raters in found if raters is not None]
    layers = [dots_of(Term("engine_and_first_rater"), names, [engine for _, engine, _ in found], n=())]
    if theirs:
        places, raters = zip(*theirs, strict=True)
        layers.append(dots_of(Term("two_raters"), places, raters, n=(), ink="human"))
    return Panel(
        Term(f"weights.{weights}"),
        Axis("", low=low, high=high),
        tuple(layers),
        Axis("", categories=names),
    )


def _coefficient(cell: object) -> Estimate | None:
    """Return a defined coefficient; a percentage does not fit on the same axis."""
    return cell if isinstance(cell, Estimate) and cell.defined and cell.kind == "coefficient" else None
