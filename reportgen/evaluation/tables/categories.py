"""Tables of two categories: what the engine finds of each, and how raters agree on each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.evaluation.points import names_of
from reportgen.evaluation.tables.build import called, count_column, estimate_cells, metric_column, table
from reportgen.evaluation.tables.groups import all_data
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Column, Estimate, Row, Table
from reportgen.results.term import Term
from reportgen.tally import OVERALL

SYSTEM, HUMAN = "system_human.categories", "human_human.categories"
"""Keys of the tables of all responses."""

OF_HUMAN, OF_ENGINE, OF_ALL = Term("human_score"), Term("engine_score"), Term("all_responses")

ROWS = {
    "sensitivity": ("higher", OF_HUMAN), "specificity": ("lower", OF_HUMAN), "balanced_accuracy": ("", OF_ALL),
    "f1": ("higher", OF_ALL), "matthews": ("", OF_ALL), "positive_predictive_value": ("higher", OF_ENGINE),
    "negative_predictive_value": ("lower", OF_ENGINE), "base_rate": ("higher", OF_ALL),
    "positive_share": ("higher", OF_ALL),
}  # fmt: skip
"""Statistic of the engine -> its category, and among which responses: with this human or engine score, or all."""

OF_RATERS = {"positive_agreement": "higher", "negative_agreement": "lower"}
"""Statistic of two raters -> its category."""

BY_GROUP = ("base_rate", "positive_share", "sensitivity", "specificity", "balanced_accuracy", "f1",
            "positive_predictive_value", "negative_predictive_value", "matthews")  # fmt: skip
PAPER = 4
"""Statistics of a group that a page shows; the CSV file has all."""


def names_of_categories(tallied: TalliedScores) -> dict[str, str]:
    """Return what the lower and the higher category are called; empty on another scale."""
    if "system.sensitivity" not in tallied.estimates(tallied.primary_rounded).numbers:
        return {}
    lower, higher = names_of(tallied.scale, np.array(tallied.scale.points()))
    return {"lower": lower, "higher": higher}


def category_tables(tallied: TalliedScores) -> Iterator[Table]:
    """Yield the engine's table, the raters' and one for each group column; none unless the scale has two points."""
    names = names_of_categories(tallied)
    if names:
        yield _of_system(tallied, names)
        if tallied.estimates(tallied.primary_rounded).sums.human.n[0] > 0:
            yield _of_raters(tallied, names)
        for grouping in tallied.groups:
            if "system.sensitivity" in tallied.estimates(tallied.primary_rounded, grouping).numbers:
                yield _by_group(tallied, grouping)


def _of_system(tallied: TalliedScores, names: dict[str, str]) -> Table:
    """Return every statistic of the engine beside the first human score, with the counts behind shares."""
    slices = tallied.estimates(tallied.primary_rounded)
    rows = []
    for metric, (which, among) in ROWS.items():
        found = slices.estimate(f"system.{metric}")
        rows.append(Row((called(metric), names.get(which, ""), among, found.n, _counted(found), found)))
    columns = (
        Column("statistic"),
        Column("category"),
        Column("among"),
        count_column(),
        count_column("counted", ""),
        Column("value", "", "coefficient"),
    )
    return table(SYSTEM, "", columns, rows)


def _counted(found: Estimate) -> int | None:
    """Return the responses that a percentage counts."""
    return round(found.value * found.n / 100) if found.kind == "percent" and found.value is not None else None


def _of_raters(tallied: TalliedScores, names: dict[str, str]) -> Table:
    """Return the agreement of the first two raters on each category, beside that of engine and first rater."""
    slices = tallied.estimates(tallied.primary_rounded)
    rows = []
    for metric, which in OF_RATERS.items():
        raters, engine = (slices.estimate(f"{family}.{metric}") for family in ("human", "system"))
        rows.append(Row((names[which], raters.n, raters, engine.n, engine)))
    columns = (
        Column("category"),
        count_column("n_raters"),
        Column("raters", "", "coefficient"),
        count_column("n_system"),
        Column("system", "", "coefficient"),
    )
    return table(HUMAN, "", columns, rows)


def _by_group(tallied: TalliedScores, grouping: str) -> Table:
    """Return the engine's statistics of every level, largest first; the whole set comes first."""
    keys = [f"system.{metric}" for metric in BY_GROUP]
    whole, slices = (tallied.estimates(tallied.primary_rounded, each) for each in (OVERALL, grouping))
    rows = [Row((all_data(tallied, grouping), tallied.tally.n, *estimate_cells(whole, keys)), "overall")]
    rows += [
        Row((slices.labels[level], round(slices.sums.system.n[level]), *estimate_cells(slices, keys, level)),
            "insufficient" if slices.sums.system.n[level] < tallied.min_n_of(grouping) else "")
        for level in tallied.level_order(grouping)
    ]  # fmt: skip
    columns = (
        Column("level", grouping),
        count_column(),
        *(metric_column(metric, shown=place < PAPER) for place, metric in enumerate(BY_GROUP)),
    )
    return table(f"categories.by.{grouping}", "", columns, rows)
