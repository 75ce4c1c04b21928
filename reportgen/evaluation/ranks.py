"""Rank correlations of scores as given: too many distinct ones are grouped, which bounds what they cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reportgen.evaluation.counting import MOST_CELLS, MOST_REFERENCE, RankCounter, RankTable
from reportgen.evaluation.statistics import corrected, interval_estimate
from reportgen.evaluation.tallied_scores import PrimaryScores, TalliedScores
from reportgen.metrics.association import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.metrics.chance_corrected import Linearised
from reportgen.results import Estimate
from reportgen.tally import OVERALL, ClusteredRows, Tally
from reportgen.tally.cells import Integers
from reportgen.tally.sums import Floats

RANK_CORRELATIONS = {"tau_b": kendall_tau_b_of_table, "spearman": spearman_rho_of_table}


@dataclass(frozen=True)
class Ranks:
    """Rank correlations of two scores as they were given.

    estimates: Key in the catalogue -> estimate.
    width: Width of the groups that scores were taken in, whose scores are tied; 0 where every distinct score is its
        own.
    """

    estimates: dict[str, Estimate]
    width: float


def unrounded_ranks(tallied: TalliedScores) -> Ranks | None:
    """Return the rank correlations of engine and first human score; None when the engine gives points of the scale."""
    if not (tallied.primary.type.continuous or tallied.points.continuous):
        return None
    ends = tallied.preparation.bounds
    if tallied.scores is None:
        if tallied.pairs is None:
            return None
        table, rows = tallied.pairs.table(), tallied.rows.get(tallied.primary.family)
        if rows is None:
            return _of_table(table, tallied.level)
        return _of_table(table, tallied.level, units=_of_pairs(tallied.pairs, rows, ends))
    own = tallied.scores.of(tallied.drawn)
    return _ranks(own.human[:, 0], own._replace(system=np.clip(own.system, *ends)), ends, tallied.level)


def rater_ranks(tallied: TalliedScores, first: int, second: int) -> Ranks | None:
    """Return the rank correlations of two raters, on every score they gave; None when they scored nothing both."""
    if tallied.scores is None:
        return _of_cells(tallied.tally, first, second, tallied.level, tallied.rows.get(tallied.primary.family))
    own = tallied.scores.of(tallied.drawn)
    both = np.isfinite(own.human[:, first]) & np.isfinite(own.human[:, second])
    if not both.any():
        return None
    own, other = own.among(both), own.human[both, second]
    return _ranks(
        own.human[:, first], own._replace(system=other), (float(other.min()), float(other.max())), tallied.level
    )


def _ranks(reference: Floats, own: PrimaryScores, ends: tuple[float, float], level: float) -> Ranks:
    """Return the rank correlations of a reference and the engine scores beside it."""
    x, x_width = _groups(reference, MOST_REFERENCE, (float(reference.min()), float(reference.max())))
    rows = int(x.max()) + 1
    y, y_width = _groups(own.system, MOST_CELLS // rows, ends)
    columns = int(y.max()) + 1
    place = x * columns + y
    counts = np.bincount(place, own.weights, rows * columns).astype(np.float64).reshape(rows, columns)
    if own.units is None:
        return _of_table(RankTable(counts, y_width), level, x_width)
    codes = np.unique(own.units, return_inverse=True)[1]
    n, units, estimates = float(counts.sum()), int(codes.max()) + 1, {}
    for key, of_table in RANK_CORRELATIONS.items():
        found = of_table(counts)
        moved = (found.influence.ravel() / n)[place]
        square = float((np.bincount(codes, moved if own.weights is None else moved * own.weights) ** 2).sum())
        estimates[key] = _estimate(key, found, square, n, units, level, clustered=own.by_candidate)
    return Ranks(estimates, max(x_width, y_width))


class _Units(NamedTuple):
    """Candidates as units: how many, and what makes influences by place in a table, (k, places), sums of squares."""

    n: int
    squares: Callable[[Floats], Floats]


def _of_table(table: RankTable, level: float, reference_width: float = 0.0, units: _Units | None = None) -> Ranks:
    """Return the rank correlations in a table; responses are units of their own when none are told."""
    n, estimates = round(table.counts.sum()), {}
    linearised = {key: of_table(table.counts) for key, of_table in RANK_CORRELATIONS.items()}
    influences = np.stack([found.influence.ravel() / n for found in linearised.values()])
    squares = (table.counts.ravel() * influences**2).sum(axis=1) if units is None else units.squares(influences)
    for square, (key, found) in zip(squares.tolist(), linearised.items(), strict=True):
        n_units = n if units is None else units.n
        estimates[key] = _estimate(key, found, square, n, n_units, level, clustered=units is not None)
    return Ranks(estimates, max(reference_width, table.width))


def _of_pairs(pairs: RankCounter, rows: ClusteredRows, ends: tuple[float, float]) -> _Units:
    """Return the candidates of responses whose pairs of first human and engine score were counted."""
    cells = rows.tally.cells

    def squares(influences: Floats) -> Floats:
        total = np.zeros(len(influences))
        for block in rows.blocks():
            place = pairs.place(cells.ratings[block.cell, 0], np.clip(cells.system[block.cell] + block.u, *ends))
            total += (np.add.reduceat(influences[:, place], block.starts[:-1], axis=1) ** 2).sum(axis=1)
        return total

    return _Units(round(rows.units(OVERALL, np.ones(len(cells), np.bool_))[0]), squares)


def _of_cells(tally: Tally, first: int, second: int, level: float, rows: ClusteredRows | None) -> Ranks | None:
    """Return the rank correlations of two raters from the cells of a tally, which keep every score they gave."""
    overall = tally.slices[OVERALL]
    one, other = (tally.cells.ratings[overall.cell, rater] for rater in (first, second))
    both = np.isfinite(one) & np.isfinite(other)
    if not both.any():
        return None
    x, y = (np.unique(scores[both], return_inverse=True)[1] for scores in (one, other))
    counts = np.zeros((int(x.max()) + 1, int(y.max()) + 1))
    np.add.at(counts, (x, y), overall.sums[0][both])
    table = RankTable(counts, 0.0)
    if rows is None:
        return _of_table(table, level)
    counted = np.zeros(len(tally.cells), np.bool_)
    counted[overall.cell[both]] = True

    def squares(influences: Floats) -> Floats:
        moved = np.zeros((len(influences), 3, len(both)))
        moved[:, 0, both] = influences[:, x * counts.shape[1] + y]
        return rows.squared(OVERALL, moved)

    return _of_table(table, level, units=_Units(round(rows.units(OVERALL, counted)[0]), squares))


def _estimate(
    key: str, found: Linearised, square: float, n: float, units: int, level: float, *, clustered: bool
) -> Estimate:
    return interval_estimate(
        key, found.value, corrected(square, units), n, units, level, clustered=clustered, reason=found.reason
    )


def _groups(scores: Floats, most: int, ends: tuple[float, float]) -> tuple[Integers, float]:
    """Return the group of every score, and the width of the groups: 0 when each distinct score is its own."""
    distinct, place = np.unique(scores, return_inverse=True)
    if len(distinct) <= most:
        return place, 0.0
    groups, (low, high) = 1 << (most.bit_length() - 1), ends
    return np.clip(((scores - low) / (high - low) * groups).astype(np.intp), 0, groups - 1), (high - low) / groups
