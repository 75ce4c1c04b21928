"""The three fairness analyses of Loukina, Madnani and Zechner (2019), from cell moments, and their tables.

Ordinary least squares of the squared error (overall score accuracy, OSA), of the error (overall score difference, OSD),
and of the error given the human score (conditional score difference, CSD) on the levels of a group, with treatment
coding against the largest level.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from reportgen.evaluation.differences import Fits, one_way, two_way
from reportgen.evaluation.levels import conditional_means
from reportgen.evaluation.points import names_of
from reportgen.evaluation.statistics import bounded
from reportgen.evaluation.tables.build import columns_of, table
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import METRICS
from reportgen.results import Cell, Column, Estimate, Kind, Row, Table, Term
from reportgen.tally import ErrorSums, Floats, error_sums, limits

KEYS = ("osa", "osd", "csd")  # the analyses, in order


class Analysis(NamedTuple):
    """One fairness analysis of a group, or of multiple items, in an additional first axis.

    r_squared: adjusted share of variance explained by the group (for CSD, beyond the human score).
    p: of the F test that no level differs.
    coefficients, errors (levels,): the first level's value, then contrasts with it, and their standard errors.
    freedom: residual degrees of freedom.
    """

    r_squared: Floats
    p: Floats
    coefficients: Floats
    errors: Floats
    freedom: Floats

    @property
    def p_of_levels(self) -> Floats:
        """Of the Student's t test that each coefficient is 0."""
        from scipy.special import stdtr

        with np.errstate(all="ignore"):
            t = np.abs(self.coefficients / self.errors)
            return np.asarray(2 * stdtr(np.maximum(self.freedom, 1.0)[..., None], -t))

    @classmethod
    def of(cls, full: Fits, null: Fits) -> Analysis:
        """Return the comparison of the full with the null model."""
        return cls(*full.explained_beyond(null), full.coefficients, full.errors, full.freedom)


def analyses(sums: ErrorSums, order: list[int]) -> dict[str, Analysis]:
    """Compute OSA, OSD, and CSD for one group; the first level in `order` is the reference."""
    found = stacked_analyses(sums.sums[:, order][:, None], sums.human[None])
    return {key: Analysis(*(each[0] for each in own)) for key, own in zip(KEYS, found, strict=True)}


def stacked_analyses(sums: Floats, human: Floats) -> tuple[Analysis, Analysis, Analysis]:
    """Compute OSA, OSD, and CSD of multiple items.

    sums (5, items, levels, scores): n and the sums of the first four powers of the error, the reference level first; no
        level is empty, and every item has the same number of scores.
    human (items, scores): the human scores; nan if they are continuous, for which CSD is undefined.
    """
    n, e1, e2, _, e4 = sums
    square = e2.sum((1, 2))
    with np.errstate(all="ignore"):
        osa = Analysis.of(one_way(n.sum(2), e2.sum(2), e4.sum((1, 2))), _mean_alone(n, e2, e4))
        osd = Analysis.of(one_way(n.sum(2), e1.sum(2), square), _mean_alone(n, e1, e2))
        given = n.sum(1)
        order = np.argsort(-given, axis=1, kind="stable")  # the most frequent human score is the reference
        order = order[:, : int((given[:1] > 0).sum())]  # excluded small groups can have others
        n, e1 = (np.take_along_axis(each, order[:, None, :], axis=2) for each in (n, e1))
        csd = Analysis.of(two_way(n, e1, square), one_way(n.sum(1), e1.sum(1), square))
    undefined = np.isnan(human).any(1)
    for values in (csd.r_squared, csd.p, csd.coefficients, csd.errors):
        values[undefined] = np.nan
    csd.freedom[undefined] = 0.0
    return osa, osd, csd


def _mean_alone(n: Floats, total: Floats, square: Floats) -> Fits:
    return one_way(n.sum((1, 2))[:, None], total.sum((1, 2))[:, None], square.sum((1, 2)))


LEVELS_SHOWN = 6  # levels of the table of conditional means that fit on paper; the CSV file has all

MOST_SCORES = 25  # largest number of distinct human scores for which conditional means are tabulated


NO_MEANS = Term("no_means_by_group")  # reason if there are groups, but no table of means


def fairness_tables(tallied: TalliedScores, grouping: str) -> list[Table]:
    """Return the tables of the three analyses for one group; none for a single level."""
    order = tallied.level_order(grouping)
    if len(order) < 2:
        return []
    sums = error_sums(tallied.tally, grouping, tallied.primary.form)
    results = analyses(sums, order)
    tables = [_summary(grouping, sums, order, results)]
    tables += [_contrasts(tallied, grouping, sums, order, key, analysis) for key, analysis in results.items()]
    if len(sums.human) <= MOST_SCORES and not np.isnan(sums.human).any():
        means = _conditional_means(tallied, grouping, sums, order)
        if any(cell is not None for row in means.rows for cell in row.cells[1:]):
            return [*tables, means]
        tables[0] = replace(tables[0], notes=(*tables[0].notes, NO_MEANS))
    return tables


def _summary(grouping: str, sums: ErrorSums, order: list[int], results: Mapping[str, Analysis]) -> Table:
    base, n = sums.labels[order[0]], round(sums.sums[0].sum())
    rows = []
    for key, analysis in results.items():
        share = _plain(analysis.r_squared, n, "the model leaves no residual variance to compare with")
        rows.append(Row((Term(key), share, _plain(analysis.p, n, "there is nothing to test", "p"), n, base)))
    columns = columns_of(analysis="text", r_squared="coefficient", p="p", n="count", base_group="text")
    negative = any(isinstance(row.cells[1], float) and row.cells[1] < 0 for row in rows)
    return table(f"fairness.explained.{grouping}", columns, rows, (Term("negative_r_squared"),) if negative else ())


def _plain(value: Floats, n: int, reason: str, kind: Kind = "coefficient") -> Cell:
    if np.isfinite(value):
        return float(value)
    return Estimate("r_squared", None, n, kind=kind, reason=reason)


def _contrasts(
    tallied: TalliedScores, grouping: str, sums: ErrorSums, order: list[int], key: str, analysis: Analysis
) -> Table:
    value, n = analysis.coefficients, sums.sums[0].sum(axis=1)
    low, high = limits(value, analysis.errors, np.full(len(order), analysis.freedom), "none", tallied.level)
    rows = []
    for place, (level, p) in enumerate(zip(order, analysis.p_of_levels.tolist(), strict=True)):
        estimate = bounded(
            "error", value[place], n[level], low[place], high[place], np.nan, tallied.level,
            "ordinary least squares, Student's t", "difference",
            "human scores are continuous, so they have no categories", "no residual degrees of freedom",
        )  # fmt: skip
        cells: tuple[Cell, ...] = (sums.labels[level], estimate.n, estimate, p if np.isfinite(p) else None)
        rows.append(Row(cells, "" if place else "reference"))
    columns = (Column("level", grouping), *columns_of(n="count", estimate="difference", p="p"))
    return table(f"fairness.{key}.{grouping}", columns, rows, (Term("reference_row", at_one_score=key == "csd"),))


def _conditional_means(tallied: TalliedScores, grouping: str, sums: ErrorSums, order: list[int]) -> Table:
    n = sums.sums[0]
    mean, error, units = conditional_means(tallied, grouping, sums)
    low, high = limits(mean, error, units - 1, "none", tallied.level)

    def shown(*at: int) -> Cell:
        withheld = tallied.withheld.hides_at(grouping, sums.labels[at[0]], float(sums.human[at[1]]))
        if withheld or not round(n[at]):
            return None
        return bounded(
            "system_mean", mean[at], n[at], low[at], high[at], np.nan, tallied.level, "Student's t",
            METRICS["system_mean"].kind, interval_reason="too few responses",
        )  # fmt: skip

    rows = [
        Row((name, *(shown(level, score) for level in order)))
        for score, name in enumerate(names_of(tallied.scale, sums.human))
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
    return table(key, columns, rows, more)
