"""Differences between two systems where candidates gave several responses, which lie in blocks of whole candidates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from reportgen.comparison.collecting import both_counted
from reportgen.comparison.counted import BASIS, PairedCounts
from reportgen.comparison.kappas import KappaDifference, kappa_differences
from reportgen.comparison.paired import Paired
from reportgen.tally import Moments, Statistics
from reportgen.tally.cells import Floats, Integers, totals
from reportgen.tally.features import Units
from reportgen.tally.paired import PairedBlock, PairedBlocks


@dataclass(frozen=True)
class PairedClusters(Paired):
    """Two systems' scores of the same responses; the candidate is the unit.

    Parameters
    ----------
    counts
        The same scores, counted together.
    blocks
        The responses by candidate.
    """

    counts: PairedCounts
    blocks: PairedBlocks
    _made: dict[str, Moments] = field(default_factory=dict, repr=False, compare=False)

    @property
    def statistics(self) -> tuple[Statistics, Statistics]:
        """What is computed from the sums of either system."""
        return self.counts.statistics

    def moments_of(self, grouping: str) -> Moments:
        """Return the moments of a grouping, features summed by candidate before they are multiplied."""
        if grouping not in self._made:
            self._made[grouping] = self._moments(grouping)
        return self._made[grouping]

    def kappas_of(self, grouping: str) -> dict[str, KappaDifference]:
        """Return the differences of Cohen's kappa, influences summed by candidate first."""
        sides = [(self.counts.tally.side(number), form) for number, form in enumerate(self.counts.forms)]
        return kappa_differences(sides, grouping, lambda every: self._errors(grouping, every))

    def _blocks(self, grouping: str) -> Iterator[tuple[PairedBlock, Integers]]:
        """Yield the blocks, and the candidate of each response."""
        for block in self.blocks.of(grouping):
            yield block, np.repeat(np.arange(len(block.starts) - 1), np.diff(block.starts))

    def _moments(self, grouping: str) -> Moments:
        labels, size = self.counts.tally.slices[grouping].labels, self.counts.features[1][0].shape[1]
        sums, counts = np.zeros((len(labels), size)), np.zeros((len(labels), len(Units.COLUMNS)))
        products, cross = np.zeros((2, len(labels), size, size))
        for block, units in self._blocks(grouping):
            level, unit, features = self._by_candidate(block, units)
            whole = features if len(level) == len(block.starts) - 1 else _summed(unit, features)[unit]
            ends = np.searchsorted(level, np.arange(len(labels) + 1))
            for place in np.unique(level).tolist():
                rows = slice(ends[place], ends[place + 1])
                own = features[rows]
                square = own.T @ own
                sums[place] += own.sum(axis=0)
                counts[place] += both_counted(own)
                products[place] += square
                cross[place] += square if whole is features else whole[rows].T @ own
        return Moments(labels, sums, products, self.counts.centre, cross, Units(*counts.T))

    def _by_candidate(self, block: PairedBlock, units: Integers) -> tuple[Integers, Integers, Floats]:
        """Return level and candidate of every pair of these, sorted by level, and the features of its responses summed.

        Features are those of the first system, then the change to those of the second.
        """
        from scipy.sparse import csr_array

        key = block.level.astype(np.intp) * len(block.starts) + units
        order = np.argsort(key, kind="stable")
        new = np.flatnonzero(np.diff(key[order], prepend=-1))
        starts, cells = np.append(new, len(key)), len(self.counts.tally.first)
        cell, u, w = block.cell[order], block.u[order], block.w[order]
        columns, coefficients = self.counts.features
        found = np.zeros((len(new), coefficients[0].shape[1]))
        for (i, j), own, part in zip(BASIS, columns, coefficients, strict=True):
            if len(own):
                rows = csr_array((u**i * w**j, cell, starts), (len(new), cells))
                found[:, own] += np.asarray(rows @ part)
        level, unit = np.divmod(key[order][new], len(block.starts))
        return level, unit, found

    def _errors(self, grouping: str, every: Sequence[Floats]) -> list[Floats]:
        """Return the standard errors that influences, by entry of the slices, amount to."""
        slices, cells = self.counts.tally.slices[grouping], len(self.counts.tally.first)
        entries, levels = slices.level * cells + slices.cell, len(slices.labels)
        n, squares = np.zeros(levels), np.zeros((len(every), levels))
        for block, units in self._blocks(grouping):
            level = block.level.astype(np.intp)
            entry = np.searchsorted(entries, level * cells + block.cell)
            pairs, of_row = np.unique(level * (int(units[-1]) + 1) + units, return_inverse=True)
            own = pairs // (int(units[-1]) + 1)
            n += np.bincount(own, minlength=levels)
            for square, moved in zip(squares, every, strict=True):
                square += totals(own, totals(of_row, moved[entry], len(pairs)) ** 2, levels)
        with np.errstate(all="ignore"):
            return [np.where(n > 1, np.sqrt(square * n / (n - 1)), np.nan) for square in squares]


def _summed(unit: Integers, features: Floats) -> Floats:
    """Return (units, features): the features of every unit's parts added up."""
    from scipy.sparse import csr_array

    size = int(unit.max()) + 1
    rows = csr_array((np.ones(len(unit)), (unit, np.arange(len(unit)))), (size, len(unit)))
    return np.asarray(rows @ features)
