"""Moments when responses come in clusters: one candidate wrote several, so they do not vary independently.

Sums are those of the cells; what changes is which products describe their sampling variance.  The
unit is then the cluster: features are summed per cluster before they are multiplied.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.blocks import Groups, state_of
from reportgen.tally.cells import OVERALL, Floats, Integers, Tally, totals, unique_rows
from reportgen.tally.features import Moments, Units, feature_polynomials, moving, pilot_centre, system_offset
from reportgen.tally.forms import Form, formed_scores

BLOCK_ROWS = 1 << 15


@dataclass(frozen=True)
class Pairs:
    """The (level, cluster) pairs that occur, sorted by level, and the pair of each response.

    Responses in no level of the grouping have level -1.
    """

    level: Integers
    cluster: Integers
    of_row: Integers


@dataclass(frozen=True)
class ClusteredRows:
    """The responses behind one tally, with their clusters.

    Parameters
    ----------
    tally
        Counts the same responses.
    cell, u
        (n,): the cell of each response, and its score less its rounded score.
    clusters
        (n,): code of each response's cluster.
    groups
        Grouping column -> (codes, labels).
    """

    tally: Tally
    cell: Integers
    u: Floats
    clusters: NDArray[np.integer]
    groups: Groups
    _whole: dict[Form, Floats] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, tally: Tally, system: Floats, ratings: Floats, groups: Groups, clusters: NDArray[np.integer]
    ) -> ClusteredRows:
        """Return the rows that `tally` was counted from; arguments as for `tally_of`."""
        rounded = np.rint(system)
        missing = np.where(np.isnan(ratings), -np.inf, ratings)
        keys = np.column_stack([missing, rounded, state_of(system, ratings[:, 0], tally.bounds)])
        _, place = unique_rows(np.concatenate([tally.cells.keys(), keys]))
        codes = np.unique(clusters, return_inverse=True)[1]
        return cls(tally, place[len(tally.cells) :], system - rounded, codes, groups)

    def moments(self, grouping: str, form: Form) -> Moments:
        """Return the moments of every level of `grouping`, with clusters as units."""
        pairs, whole_pairs = self.pairs(grouping), self.pairs(OVERALL)
        if form not in self._whole:
            self._whole[form] = self.features(form, whole_pairs)
        whole = self._whole[form]
        own = whole if grouping == OVERALL else self.features(form, pairs)
        labels, size = self.tally.slices[grouping].labels, own.shape[1]
        sums, units = np.zeros((len(labels), size)), np.zeros((3, len(labels)))
        products, cross = np.zeros((2, len(labels), size, size))
        starts = np.searchsorted(pairs.level, np.arange(len(labels) + 1))
        for level in range(len(labels)):
            part = slice(starts[level], starts[level + 1])
            sums[level] = own[part].sum(axis=0)
            products[level] = own[part].T @ own[part]
            cross[level] = whole[pairs.cluster[part]].T @ own[part]
            units[:, level] = (own[part][:, Units.COLUMNS] > 0).sum(axis=0)
        centre, offset = self._measured_from(form)
        sums = sums @ moving(offset).T if offset else sums
        return Moments(labels, sums, products, centre, cross, Units(*units), offset)

    def _measured_from(self, form: Form) -> tuple[float, float]:
        """Return the ratings' centre, and how far from it system scores are measured."""
        centre = pilot_centre(self.tally)
        return centre, system_offset(self.tally, formed_scores(self.tally, form), centre)

    def pairs(self, grouping: str) -> Pairs:
        """Return the (level, cluster) pairs of a grouping."""
        clusters = int(self.clusters.max()) + 1
        pairs, of_row = np.unique(self.levels(grouping) * clusters + self.clusters, return_inverse=True)
        return Pairs(pairs // clusters, pairs % clusters, of_row)

    def levels(self, grouping: str) -> Integers:
        """Return each response's level of a grouping, numbered as in the tally."""
        if grouping == OVERALL:
            return np.zeros(len(self.cell), np.intp)
        codes, names = self.groups[grouping]
        number = {label: index for index, label in enumerate(self.tally.slices[grouping].labels)}
        levels: Integers = np.array([number.get(name, -1) for name in names], np.intp)[codes]
        return levels

    def features(self, form: Form, pairs: Pairs) -> Floats:
        """Return (pairs, features): the features of each pair, summed over its responses."""
        centre, offset = self._measured_from(form)
        polynomials = feature_polynomials(self.tally, formed_scores(self.tally, form), centre, offset=offset)
        total = np.zeros((len(pairs.level), polynomials.constant.shape[1]))
        order = np.argsort(pairs.of_row, kind="stable")
        for start in range(0, len(order), BLOCK_ROWS):
            rows = order[start : start + BLOCK_ROWS]
            cell, u = self.cell[rows], self.u[rows, None]
            features = polynomials.constant[cell] + u * (polynomials.linear[cell] + u * polynomials.square[cell])
            place, first = np.unique(pairs.of_row[rows], return_index=True)
            total[place] += np.add.reduceat(features, first, axis=0)
        return total

    def squared_influence(self, grouping: str, influence: Floats) -> Floats:
        """Return per level the sum over clusters of the squared influence.

        Parameters
        ----------
        influence
            (entries,): of each response of an entry of the tally's slices.
        """
        rows = self.inside(grouping)
        pairs = rows.pairs(grouping)
        total = totals(pairs.of_row, influence[rows.entries(grouping)], len(pairs.level))
        return totals(pairs.level, total**2, len(self.tally.slices[grouping].labels))

    def inside(self, grouping: str) -> ClusteredRows:
        """Return the responses that are in a level of the grouping: all, unless levels are withheld."""
        inside = self.levels(grouping) >= 0
        if inside.all():
            return self
        groups = {name: (codes[inside], labels) for name, (codes, labels) in self.groups.items()}
        return ClusteredRows(self.tally, self.cell[inside], self.u[inside], self.clusters[inside], groups)

    def entries(self, grouping: str) -> Integers:
        """Return the entry of the tally's slices that each response is counted in; all must be `inside`."""
        slices, cells = self.tally.slices[grouping], len(self.tally.cells)
        return np.searchsorted(slices.level * cells + slices.cell, self.levels(grouping) * cells + self.cell)
