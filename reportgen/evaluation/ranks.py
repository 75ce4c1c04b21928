"""Rank correlations of scores as given: too many distinct ones are grouped, which bounds what they cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from reportgen.evaluation.counting import MOST_REFERENCE, RankTable
from reportgen.evaluation.statistics import corrected, interval_estimate
from reportgen.evaluation.tallied_scores import PrimaryScores, TalliedScores
from reportgen.metrics.two_scores import kendall_tau_b_of_table, spearman_rho_of_table
from reportgen.results import Estimate
from reportgen.tally import OVERALL, ClusteredRows
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


class _Units(NamedTuple):
    """What is independent: how many units, and what makes influences by place in a table, (k, places), sums of squares.

    clustered: Whether the units are candidates.
    """

    n: int
    squares: Callable[[Floats], Floats]
    clustered: bool = True


def unrounded_ranks(tallied: TalliedScores) -> Ranks | None:
    """Return the rank correlations of engine and first human score; None when the engine gives points of the scale."""
    if not (tallied.primary.type.continuous or tallied.points.continuous):
        return None
    ends, pairs = tallied.preparation.bounds, tallied.counts.pairs
    if tallied.scores is not None:
        own = tallied.scores.of(tallied.drawn)
        return _of_rows(own, np.clip(own.system, *ends), ends, tallied.level)
    rows = tallied.rows.get(tallied.primary.family)
    if pairs is None:
        return None
    return _of_table(pairs, tallied.level, None if rows is None else _of_pairs(pairs, rows, ends))


def rater_ranks(tallied: TalliedScores, first: int, second: int) -> Ranks | None:
    """Return the rank correlations of two raters, on every score they gave; None when they scored nothing both."""
    tally, rows = tallied.tally, tallied.rows.get(tallied.primary.family)
    overall = tally.slices[OVERALL]
    one, other = (tally.cells.ratings[overall.cell, rater] for rater in (first, second))
    both = np.isfinite(one) & np.isfinite(other)
    if not both.any():
        return None
    (reference, width), judged = _told_apart(one[both]), other[both]
    table = RankTable.of(reference, judged, (float(judged.min()), float(judged.max())), overall.sums[0][both])
    if rows is None:
        return _of_table(table, tallied.level, width=width)
    counted = np.zeros(len(tally.cells), np.bool_)
    counted[overall.cell[both]] = True

    def squares(influences: Floats) -> Floats:
        moved = np.zeros((len(influences), 3, len(both)))
        moved[:, 0, both] = influences[:, table.place(reference, judged)]
        return rows.squared(OVERALL, moved)

    units = _Units(round(rows.units(OVERALL, counted)[0]), squares, tallied.by_candidate)
    return _of_table(table, tallied.level, units, width)


def _of_rows(own: PrimaryScores, system: Floats, ends: tuple[float, float], level: float) -> Ranks:
    reference, width = _told_apart(own.human[:, 0])
    table = RankTable.of(reference, system, ends, own.weights)
    if own.units is None:
        return _of_table(table, level, width=width)
    codes, place = np.unique(own.units, return_inverse=True)[1], table.place(reference, system)
    weights = np.ones(len(system)) if own.weights is None else own.weights

    def squares(influences: Floats) -> Floats:
        return np.array([(np.bincount(codes, moved[place] * weights) ** 2).sum() for moved in influences])

    return _of_table(table, level, _Units(int(codes.max()) + 1, squares, own.by_candidate), width)


def _of_pairs(pairs: RankTable, rows: ClusteredRows, ends: tuple[float, float]) -> _Units:
    """Return the candidates of responses whose pairs of first human and engine score were counted."""
    cells = rows.tally.cells

    def squares(influences: Floats) -> Floats:
        total = np.zeros(len(influences))
        for block in rows.blocks():
            place = pairs.place(cells.ratings[block.cell, 0], np.clip(cells.system[block.cell] + block.u, *ends))
            total += (np.add.reduceat(influences[:, place], block.starts[:-1], axis=1) ** 2).sum(axis=1)
        return total

    return _Units(round(rows.units(OVERALL, np.ones(len(cells), np.bool_))[0]), squares)


def _told_apart(reference: Floats) -> tuple[Floats, float]:
    """Return reference scores, and the width of the groups whose lower ends they are if too many differ, or 0."""
    if len(np.unique(reference)) <= MOST_REFERENCE:
        return reference, 0.0
    low, width = reference.min(), float(np.ptp(reference)) / MOST_REFERENCE
    return np.asarray(low + width * np.minimum((reference - low) // width, MOST_REFERENCE - 1)), width


def _of_table(table: RankTable, level: float, units: _Units | None = None, width: float = 0.0) -> Ranks:
    """Return the rank correlations in a table, whose rows are groups of a width; responses are the usual units."""
    n, estimates = round(table.counts.sum()), {}
    linearised = {key: of_table(table.counts) for key, of_table in RANK_CORRELATIONS.items()}
    influences = np.stack([found.influence.ravel() / n for found in linearised.values()])
    squares = (table.counts.ravel() * influences**2).sum(axis=1) if units is None else units.squares(influences)
    for square, (key, found) in zip(squares.tolist(), linearised.items(), strict=True):
        n_units, clustered = (n, False) if units is None else (units.n, units.clustered)
        error = float(corrected(square, n_units))
        estimates[key] = interval_estimate(
            key, found.value, error, n, n_units, level, clustered=clustered, reason=found.reason
        )
    return Ranks(estimates, max(width, table.width))
