"""Tables of labels without an order: agreement of engine and raters, label by label and by group."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.evaluation.tables.build import called, count_column, estimate_cells, metric_column, table
from reportgen.evaluation.tables.data import data_tables
from reportgen.evaluation.tables.distribution import distribution_tables
from reportgen.evaluation.tables.groups import all_data, compared
from reportgen.evaluation.tables.panel import panel_results
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.evaluation.unordered import differences_of_groups, of_each_label
from reportgen.metrics.panel import OF_LABELS
from reportgen.results import Cell, Column, Estimate, Row, Table
from reportgen.results.term import Term
from reportgen.scores import Account
from reportgen.tally import OVERALL

SYSTEM, HUMAN, DEGRADATION = "labels.system", "labels.human", "labels.degradation"
"""Keys of the tables of all responses."""


def results_of_labels(scores: Account, tallied: TalliedScores) -> tuple[list[Table], dict[str, Estimate]]:
    """Return every table of labels without an order, and the headline numbers."""
    panel, estimates = panel_results(tallied)
    several = tallied.estimates(tallied.primary_rounded).sums.human.n[0] > 0
    tables = [
        *data_tables(scores, tallied),
        *distribution_tables(tallied),
        _of_engine(tallied),
        *([_of_raters(tallied), _degradation(tallied)] if several else []),
        *panel,
        *(_by_group(tallied, grouping) for grouping in tallied.groups),
    ]
    return tables, dict(_estimates(tallied)) | estimates


def _estimates(tallied: TalliedScores) -> Iterator[tuple[str, Estimate]]:
    """Yield agreement of the engine, of two raters, and their difference."""
    families = ("system", "human", "degradation") if len(tallied.raters) > 1 else ("system",)
    slices = tallied.estimates(tallied.primary_rounded)
    for family in families:
        for metric in OF_LABELS:
            yield f"{family}.{metric}", slices.estimate(f"{family}.{metric}")


def _of_engine(tallied: TalliedScores) -> Table:
    """Return what the engine makes of every label."""
    rows = [
        Row((name, each["recall"].n, each["recall"], each["precision"].n, each["precision"], each["f1"],
             each["share"], each["share_second"]))
        for name, each in zip(tallied.points.names, of_each_label(tallied), strict=True)
    ]  # fmt: skip
    columns = (
        Column("label"),
        count_column("human_n", ""),
        metric_column("recall"),
        count_column("system_n", ""),
        metric_column("precision"),
        metric_column("f1"),
        Column("human_share", "", "percent", "%", shown=False),
        Column("system_share", "", "percent", "%", shown=False),
    )
    return table(SYSTEM, "", columns, rows)


def _of_raters(tallied: TalliedScores) -> Table:
    """Return how the first two raters agree on every label."""
    rows = [
        Row((name, each["recall"].n, each["precision"].n, each["agreement"]))
        for name, each in zip(tallied.points.names, of_each_label(tallied, 1), strict=True)
    ]
    first, second = tallied.raters[:2]
    columns = (
        Column("label"),
        count_column("first_n", first),
        count_column("second_n", second),
        Column("agreement", "", "coefficient"),
    )
    return table(HUMAN, "", columns, rows)


def _degradation(tallied: TalliedScores) -> Table:
    """Return agreement of engine and rater less that of two raters."""
    slices = tallied.estimates(tallied.primary_rounded)
    rows = []
    for metric in OF_LABELS:
        parts = [slices.estimate(f"{family}.{metric}") for family in ("human", "system", "degradation")]
        rows.append(Row((called(metric), *parts)))
    columns = (
        Column("metric"),
        Column("human_human", "", "coefficient"),
        Column("system_human", "", "coefficient"),
        Column("difference", "", "difference"),
    )
    return table(DEGRADATION, "", columns, rows)


def _by_group(tallied: TalliedScores, grouping: str) -> Table:
    """Return agreement in every level, largest first, and how it differs from that of all other responses."""
    keys = [f"system.{metric}" for metric in OF_LABELS]
    of_raters = ["human.kappa"] if len(tallied.raters) > 1 else []
    whole, slices = (tallied.estimates(tallied.primary_rounded, each) for each in (OVERALL, grouping))
    apart = differences_of_groups(tallied, grouping) if grouping in compared(tallied) else {}

    def cells(which: str, level: int) -> tuple[Cell, ...]:
        of = whole if which == OVERALL else slices
        exact, kappa, *raters = estimate_cells(of, [*keys, *of_raters], level)
        other = [apart[metric][level] if which and apart else None for metric in OF_LABELS]
        return (round(of.sums.system.n[level]), exact, other[0], kappa, other[1], *raters)

    rows = [Row((all_data(tallied, grouping), *cells(OVERALL, 0)), "overall")]
    rows += [
        Row((slices.labels[level], *cells(grouping, level)),
            "insufficient" if slices.sums.system.n[level] < tallied.min_n_of(grouping) else "")
        for level in tallied.level_order(grouping)
    ]  # fmt: skip
    columns = (
        Column("level", grouping),
        count_column(),
        metric_column("exact_agreement"),
        Column("exact_difference", "", "percent", Term("points")),
        metric_column("kappa"),
        Column("kappa_difference", "", "difference"),
        *(metric_column("kappa", "human_kappa", shown=False) for _ in of_raters),
    )
    return table(f"labels.by.{grouping}", "", columns, rows)
