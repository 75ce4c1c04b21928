"""The fairness analyses of a group as tables: variance explained, contrasts, conditional means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reportgen.evaluation.conditional_means import conditional_means
from reportgen.evaluation.fairness import Analysis, analyses
from reportgen.evaluation.points import names_of
from reportgen.evaluation.tables.build import table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS
from reportgen.results import Cell, Column, Estimate, Kind, Row, Table
from reportgen.results.term import Term
from reportgen.tally import error_sums, limits
from reportgen.tally.cells import Floats
from reportgen.tally.contingency_tables import ErrorSums

LEVELS_SHOWN = 6
"""Levels of the table of conditional means that fit on paper; the CSV has all."""

MOST_SCORES = 25
"""Distinct human scores up to which conditional means are tabulated."""


NO_MEANS = Term("no_means_by_group")
"""Why there is no table of means, although there are groups."""


def fairness_tables(tallied: TalliedScores, grouping: str) -> list[Table]:
    """Return the tables of the three analyses for one group; a single level has nothing to be compared with."""
    order = tallied.level_order(grouping)
    if len(order) < 2:
        return []
    sums = error_sums(tallied.tally, grouping, tallied.primary.form)
    results = analyses(sums, order)
    tables = [_summary(grouping, sums, order, results)]
    tables += [_contrasts(tallied, grouping, sums, order, analysis) for analysis in results]
    if len(sums.human) <= MOST_SCORES and not np.isnan(sums.human).any():
        means = _conditional_means(tallied, grouping, sums, order)
        if any(cell is not None for row in means.rows for cell in row.cells[1:]):
            return [*tables, means]
        tables[0] = replace(tables[0], notes=(*tables[0].notes, NO_MEANS))
    return tables


def _summary(grouping: str, sums: ErrorSums, order: list[int], results: tuple[Analysis, ...]) -> Table:
    """Return the share of variance that group membership explains, and the test of no difference."""
    base, n = sums.labels[order[0]], round(sums.sums[0].sum())
    rows = [
        Row((
            Term(analysis.key),
            _plain(analysis.r_squared, n, "the model leaves no residual variance to compare with"),
            _plain(analysis.p, n, "there is nothing to test", "p"),
            n,
            base,
        ))
        for analysis in results
    ]  # fmt: skip
    columns = (
        Column("analysis"),
        Column("r_squared", kind="coefficient"),
        Column("p", kind="p"),
        Column("n", kind="count"),
        Column("base_group"),
    )
    negative = any(isinstance(row.cells[1], float) and row.cells[1] < 0 for row in rows)
    notes = (Term("negative_r_squared"),) if negative else ()
    return table(f"fairness.explained.{grouping}", "", columns, rows, notes)


def _plain(value: float, n: int, reason: str, kind: Kind = "coefficient") -> Cell:
    """Return a number without an interval, or an undefined one with its reason."""
    if np.isfinite(value) and kind == "p":
        return float(value)
    if np.isfinite(value):
        return float(value)
    return Estimate("r_squared", None, n, kind=kind, reason=reason)


def _contrasts(tallied: TalliedScores, grouping: str, sums: ErrorSums, order: list[int], analysis: Analysis) -> Table:
    """Return the reference level's mean and every other level's contrast with it."""
    from scipy.special import stdtr

    size = len(order)
    value, error = analysis.coefficients, analysis.errors
    low, high = limits(value, error, np.full(size, analysis.freedom), "none", tallied.level)
    with np.errstate(all="ignore"):
        p = 2 * stdtr(max(analysis.freedom, 1.0), -np.abs(value / error))
    n = sums.sums[0].sum(axis=1)
    rows = []
    for index, level in enumerate(order):
        estimate = _contrast(float(value[index]), float(low[index]), float(high[index]), round(n[level]), tallied.level)
        p_value: Cell = float(p[index]) if np.isfinite(p[index]) else None
        rows.append(Row((sums.labels[level], round(n[level]), estimate, p_value), "reference" if index == 0 else ""))
    columns = (
        Column("level", grouping),
        Column("n", kind="count"),
        Column("estimate", kind="difference"),
        Column("p", kind="p"),
    )
    notes = (Term("reference_row", at_one_score=analysis.key == "csd"),)
    return table(f"fairness.{analysis.key}.{grouping}", "", columns, rows, notes)


def _contrast(value: float, low: float, high: float, n: int, level: float) -> Estimate:
    """Return a regression coefficient as an estimate."""
    if not np.isfinite(value):
        return Estimate(
            "error", None, n, kind="difference", reason="human scores are continuous: no categories to hold fixed"
        )
    has_interval = bool(np.isfinite(low) and np.isfinite(high))
    return Estimate(
        "error", value, n, low if has_interval else None, high if has_interval else None, None, level,
        "ordinary least squares, Student's t", "difference",
        interval_reason="" if has_interval else "no residual degrees of freedom",
    )  # fmt: skip


def _conditional_means(tallied: TalliedScores, grouping: str, sums: ErrorSums, order: list[int]) -> Table:
    """Return the mean engine score at every human score, level by level."""
    n = sums.sums[0]
    mean, error, units = conditional_means(tallied, grouping, sums)
    low, high = limits(mean, error, units - 1, "none", tallied.level)

    def _shown_mean(level: int, index: int) -> Cell:
        hidden = tallied.withheld.hides_at(grouping, sums.labels[level], float(sums.human[index]))
        return None if hidden else _mean(mean, low, high, n, level, index, tallied.level)

    rows = [
        Row((name, *(_shown_mean(level, index) for level in order)))
        for index, name in enumerate(names_of(tallied.scale, sums.human))
    ]
    columns = (
        Column("human_score"),
        *(Column(sums.labels[level], sums.labels[level], "score", shown=rank < LEVELS_SHOWN)
          for rank, level in enumerate(order)),
    )  # fmt: skip
    hidden = len(order) - LEVELS_SHOWN
    key = f"fairness.means.{grouping}"
    more: tuple[str, ...] = (Term("smaller_groups", n=hidden, file=f"{key}.csv"),) if hidden > 0 else ()
    if tallied.withheld.cells.get(grouping):
        more += (Term("blank_means"),)
    return table(key, "", columns, rows, more)


def _mean(mean: Floats, low: Floats, high: Floats, n: Floats, level: int, score: int, confidence: float) -> Cell:
    """Return one conditional mean; None where the level has no response at that score."""
    count = round(n[level, score])
    if not count:
        return None
    has_interval = bool(np.isfinite(low[level, score]))
    return Estimate(
        "system_mean", float(mean[level, score]), count,
        float(low[level, score]) if has_interval else None, float(high[level, score]) if has_interval else None,
        None, confidence, "Student's t", METRICS["system_mean"].kind,
        interval_reason="" if has_interval else "too few responses",
    )  # fmt: skip
