"""Tables of the agreement panel: coefficients by pair, and where kappa and AC part company."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.evaluation.panel import (
    MOST_RATERS,
    Agreement,
    Divergence,
    coefficients_of,
    engine_panel,
    everyone_panel,
    rater_panels,
)
from reportgen.evaluation.ranks import RANK_CORRELATIONS, Ranks, unrounded_ranks
from reportgen.evaluation.tables.build import called, count_column, metric_column, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Cell, Column, Estimate, Row, Table
from reportgen.results.term import Term


def panel_results(tallied: TalliedScores) -> tuple[list[Table], dict[str, Estimate]]:
    """Return the tables of the panel, and its overall estimates: engine, first two raters, all raters."""
    ranks = unrounded_ranks(tallied) if tallied.scale.ordered else None
    shown, pairs = _shown(tallied)
    return _panel_tables(tallied, shown, pairs, ranks), _estimates(shown, ranks)


def panel_of_points(tallied: TalliedScores) -> list[Table]:
    """Return the tables of the panel without the rank correlations of unrounded scores, which need rows."""
    return _panel_tables(tallied, *_shown(tallied), None)


def _shown(tallied: TalliedScores) -> tuple[dict[str, Agreement], tuple[Agreement, ...]]:
    """Return whose agreement is shown side by side, and that of every pair of raters."""
    engine, pairs, everyone = engine_panel(tallied), rater_panels(tallied), everyone_panel(tallied)
    first = {"human": pairs[0]} if pairs else {}
    return {"engine": engine, **first, **({"raters": everyone} if everyone else {})}, pairs


def _panel_tables(
    tallied: TalliedScores, shown: Mapping[str, Agreement], pairs: tuple[Agreement, ...], ranks: Ranks | None
) -> list[Table]:
    """Return the coefficients, those of every pair where there are several, and where kappa and AC part."""
    tables = [_coefficients(tallied, shown, ranks)]
    if len(pairs) > 1 and not tallied.points.continuous:
        tables.append(_pairs(pairs, coefficients_of(tallied)))
    agreements = (shown["engine"], *pairs, *([shown["raters"]] if "raters" in shown else []))
    apart = [(each, divergence) for each in agreements for divergence in each.divergences]
    if apart:
        tables.append(_divergences(apart))
    return tables


def _estimates(shown: Mapping[str, Agreement], ranks: Ranks | None) -> dict[str, Estimate]:
    """Return every coefficient by key: the engine's directly under "panel", the raters' under their name."""
    found: dict[str, Estimate] = {}
    for name, agreement in shown.items():
        start = "panel." if name == "engine" else f"panel.{name}."
        found |= {start + key: estimate for key, estimate in agreement.estimates.items()}
    return found | {f"panel.{key}_unrounded": estimate for key, estimate in (ranks.estimates if ranks else {}).items()}


def _coefficients(tallied: TalliedScores, shown: Mapping[str, Agreement], ranks: Ranks | None) -> Table:
    """Return one row per coefficient, one column per pair."""
    continuous = tallied.points.continuous
    keys = [key for key in coefficients_of(tallied) if not continuous or key in (*RANK_CORRELATIONS, "alpha_interval")]
    rows = [Row((called(key), *(each.estimates[key] for each in shown.values()))) for key in keys]
    if ranks and not continuous:
        blanks: tuple[Cell, ...] = (None,) * (len(shown) - 1)
        rows += [Row((Term(f"{key}_unrounded"), estimate, *blanks)) for key, estimate in ranks.estimates.items()]
    columns = (Column("coefficient"), *(Column(key, "", "coefficient") for key in shown))
    notes = (*_notes(tallied, len(shown)), *([Term("ranks", width=ranks.width)] if ranks else []))
    return table("panel.agreement", "", columns, rows, notes)


def _notes(tallied: TalliedScores, shown: int) -> tuple[str, ...]:
    notes = []
    if not tallied.points.declared and not tallied.points.continuous:
        notes.append(Term("scale_not_declared"))
    if tallied.points.step != 1 and not tallied.points.continuous:
        notes.append(Term("points_apart", step=tallied.points.step, whole=not tallied.preparation.rounding.both))
    if len(tallied.raters) > MOST_RATERS:
        notes.append(Term("first_two_of_many", raters=len(tallied.raters), most=MOST_RATERS))
    if shown > 2 and not tallied.points.continuous:
        notes.append(Term("kappa_of_several"))
    return tuple(notes)


def _pairs(pairs: tuple[Agreement, ...], keys: tuple[str, ...]) -> Table:
    """Return one row per pair of raters."""
    rows = [Row((pair.name, pair.n, *(pair.estimates[key] for key in keys))) for pair in pairs]
    on_page = {"exact_agreement", "kappa", "kappa_quadratic", "ac1", "ac2_quadratic"}
    columns = (Column("pair"), count_column(), *(metric_column(key, shown=key in on_page) for key in keys))
    return table("panel.pairs", "", columns, rows)


def _divergences(apart: list[tuple[Agreement, Divergence]]) -> Table:
    """Return how far kappa and AC lie apart, and the numbers that tell why."""
    rows = [Row(tuple(_record(each, divergence).values())) for each, divergence in apart]
    columns = (
        Column("pair"),
        Column("weights"),
        count_column(),
        Column("kappa", "", "coefficient", shown=False),
        Column("ac", "", "coefficient", shown=False),
        Column("difference", "", "difference"),
        Column("by_prevalence", "", "difference", shown=False),
        Column("by_unequal_use", "", "difference", shown=False),
        Column("chance_kappa", "", "percent", "%"),
        Column("chance_ac", "", "percent", "%"),
        Column("prevalent", shown=False),
        Column("prevalence", "", "percent", "%"),
        Column("shift", "", "percent", "%", shown=False),
    )
    return table("panel.divergence", "", columns, rows)


def _record(each: Agreement, divergence: Divergence) -> Mapping[str, Cell]:
    return {
        "pair": each.name,
        "weights": Term(divergence.weights),
        "n": each.n,
        "kappa": divergence.kappa,
        "ac": divergence.ac,
        "difference": divergence.difference,
        "by_prevalence": divergence.by_prevalence,
        "by_unequal_use": divergence.by_unequal_use,
        "chance_kappa": 100 * divergence.chance_kappa,
        "chance_ac": 100 * divergence.chance_ac,
        "prevalent": each.prevalent,
        "prevalence": each.prevalence,
        "shift": each.shift,
    }
