"""Moments when responses come in clusters: one candidate wrote several, so they do not vary independently.

Sums are those of the cells; what changes is which products describe their sampling variance.  The
unit is then the cluster: features are summed per cluster before they are multiplied.  Responses come
in blocks of whole clusters, and what blocks give is added up, so that no matrix of all clusters is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.tally.blocks import Groups
from reportgen.tally.cells import OVERALL, Floats, Integers, Tally, totals
from reportgen.tally.cluster_blocks import MOST_PLACES, Block, Blocks, CellFinder, HeldBlocks, levels_of
from reportgen.tally.features import Moments, Units, feature_polynomials, moving, pilot_centre, system_offset
from reportgen.tally.forms import Form, formed_scores

MOST_OUTPUTS = 32
"""Influences that are followed at a time."""


class Summing:
    """Adds up, over runs of responses, polynomials in u that depend on each response's place (its cell, or its entry).

    Parameters
    ----------
    polynomials
        (3, places, outputs).

    Examples
    --------
    Two runs of responses with the polynomials 1 + 2 u and 3:

    >>> adds = Summing(np.array([[[1.0], [3.0]], [[2.0], [0.0]], [[0.0], [0.0]]]))
    >>> adds(np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([0.5, 0.25, 0.0])).tolist()
    [[5.0], [1.0]]
    """

    def __init__(self, polynomials: Floats) -> None:
        self.outputs = polynomials.shape[2]
        self._degrees = []
        for degree, coefficients in enumerate(polynomials):
            used = np.flatnonzero(coefficients.any(axis=0))  # features that do not go with u are most
            if used.size:
                self._degrees.append((degree, used, np.ascontiguousarray(coefficients[:, used])))

    def __call__(self, starts: Integers, place: NDArray[np.integer], u: Floats) -> Floats:
        """Return (runs, outputs); the responses of one run stand one behind the other from its start."""
        from scipy.sparse import csr_array

        runs = len(starts) - 1
        total = None
        for degree, used, coefficients in self._degrees:
            powers = np.ones(len(place)) if degree == 0 else u if degree == 1 else u * u
            sums = csr_array((powers, place, starts), (runs, len(coefficients))) @ coefficients
            if total is None and len(used) == self.outputs:
                total = sums
                continue
            total = np.zeros((runs, self.outputs)) if total is None else total
            total[:, used] += sums
        return np.zeros((runs, self.outputs)) if total is None else total


@dataclass(frozen=True)
class ClusteredRows:
    """The responses behind one tally, with their clusters.

    Parameters
    ----------
    tally
        Counts the same responses.
    source
        The responses in blocks of whole clusters.
    """

    tally: Tally
    source: Blocks
    _entries: dict[str, NDArray[np.int32]] = field(default_factory=dict, repr=False, compare=False)
    _overall: dict[Form, Moments] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, tally: Tally, system: Floats, ratings: Floats, groups: Groups, clusters: NDArray[np.integer]
    ) -> ClusteredRows:
        """Return the rows that `tally` was counted from; arguments as for `tally_of`, and (n,) codes of clusters."""
        cell, u = CellFinder(tally).find(system, ratings)
        return cls(tally, HeldBlocks.sorted_by(clusters, cell, u, levels_of(tally, groups)))

    def blocks(self, grouping: str = OVERALL) -> Iterator[Block]:
        """Yield all responses in blocks, with their levels of a grouping."""
        return self.source.of(grouping)

    def inside(self, grouping: str) -> Iterator[Block]:
        """Yield the responses that are in a level of the grouping: all, unless levels are withheld."""
        insides = (block.inside() for block in self.source.of(grouping))
        return (block for block in insides if block.clusters)

    def moments(self, grouping: str, form: Form) -> Moments:
        """Return the moments of every level of `grouping`, with clusters as units."""
        if grouping != OVERALL:
            return self._moments(grouping, form)
        if form not in self._overall:  # every grouping asks for it
            self._overall[form] = self._moments(OVERALL, form)
        return self._overall[form]

    def _moments(self, grouping: str, form: Form) -> Moments:
        offset, adds = self._offset(form), self._features(form)
        labels = self.tally.slices[grouping].labels
        size = adds.outputs
        sums, units = np.zeros((len(labels), size)), np.zeros((3, len(labels)))
        products, cross = np.zeros((2, len(labels), size, size))
        for block in self.blocks(grouping):
            whole = adds(block.starts, block.cell, block.u)
            if grouping == OVERALL:
                sums[0] += whole.sum(axis=0)
                products[0] += whole.T @ whole
                units[:, 0] += (whole[:, Units.COLUMNS] > 0).sum(axis=0)
                continue
            parts = block.parts(block.level, len(labels))
            own = adds(parts.starts, block.cell[parts.order], block.u[parts.order])
            starts = np.searchsorted(parts.place, np.arange(len(labels) + 1))
            for level in np.unique(parts.place):
                part = slice(starts[level], starts[level + 1])
                sums[level] += own[part].sum(axis=0)
                products[level] += own[part].T @ own[part]
                cross[level] += whole[parts.cluster[part]].T @ own[part]
                units[:, level] += (own[part][:, Units.COLUMNS] > 0).sum(axis=0)
        sums = sums @ moving(offset).T if offset else sums
        crossed = products if grouping == OVERALL else cross
        return Moments(labels, sums, products, pilot_centre(self.tally), crossed, Units(*units), offset)

    def features(self, form: Form, grouping: str = OVERALL) -> tuple[Integers, Integers, Floats]:
        """Return the (level, cluster) pairs of a grouping sorted by level, and their features, all at once.

        Clusters are numbered as they come, levels as in the tally; the features, (pairs, features), are summed over
        the pair's responses and measured from the ratings' centre.
        """
        adds, levels = self._features(form), len(self.tally.slices[grouping].labels)
        move = moving(self._offset(form)).T
        found: list[tuple[Integers, Integers, Floats]] = []
        clusters = 0
        for block in self.blocks(grouping):
            parts = block.parts(block.level, levels)
            own = adds(parts.starts, block.cell[parts.order], block.u[parts.order])
            found.append((parts.place, parts.cluster + clusters, own @ move))
            clusters += block.clusters
        place, cluster, own = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.argsort(place, kind="stable")
        return place[order], cluster[order], own[order]

    def _offset(self, form: Form) -> float:
        """Return how far from the ratings' centre system scores are measured."""
        return system_offset(self.tally, formed_scores(self.tally, form), pilot_centre(self.tally))

    def _features(self, form: Form) -> Summing:
        """Return what adds up the features of responses."""
        scores, centre = formed_scores(self.tally, form), pilot_centre(self.tally)
        polynomials = feature_polynomials(self.tally, scores, centre, offset=self._offset(form))
        return Summing(np.stack([polynomials.constant, polynomials.linear, polynomials.square]))

    def squared_influence(self, grouping: str, influences: Floats) -> Floats:
        """Return (influences, levels): in every level the sum over clusters of the squared sum of an influence there.

        Parameters
        ----------
        influences
            (influences, entries): of each response of an entry of the tally's slices.
        """
        levels = len(self.tally.slices[grouping].labels)
        adds = Summing(np.stack([influences.T, *np.zeros((2, *influences.T.shape))]))
        square = np.zeros((len(influences), levels))
        for block in self.inside(grouping):
            parts = block.parts(block.level, levels)
            entry = self.entries(grouping, block)
            own = adds(parts.starts, entry[parts.order], block.u[parts.order])
            square += [totals(parts.place, each**2, levels) for each in own.T]
        return square

    def squared(self, grouping: str, moved: Floats) -> Floats:
        """Return (outputs,): the sum over clusters of the squared sum of their responses' influences.

        Parameters
        ----------
        moved
            (outputs, 3, entries): influence of a response of an entry, as ``c[0] + c[1] u + c[2] u^2``.
        """
        outputs = range(0, len(moved), MOST_OUTPUTS)
        adds = [Summing(moved[first : first + MOST_OUTPUTS].transpose(1, 2, 0)) for first in outputs]
        square = np.zeros(len(moved))
        for block in self.inside(grouping):
            entry = self.entries(grouping, block)
            own = [(each(block.starts, entry, block.u) ** 2).sum(axis=0) for each in adds]
            square += np.concatenate(own)
        return square

    def units(self, grouping: str, counted: NDArray[np.bool_]) -> Floats:
        """Return (levels,): how many clusters have a response there that is in one of the `counted` cells, (cells,)."""
        levels = len(self.tally.slices[grouping].labels)
        units = np.zeros(levels)
        for block in self.inside(grouping):
            here = counted[block.cell]
            if grouping == OVERALL:
                units += np.count_nonzero(np.logical_or.reduceat(here, block.starts[:-1]))
            else:
                units += np.bincount(block.parts(np.where(here, block.level, -1), levels).place, minlength=levels)
        return units

    def entries(self, grouping: str, block: Block) -> NDArray[np.integer]:
        """Return the entry of the tally's slices that each response of a block is counted in; all must be `inside`."""
        slices, cells = self.tally.slices[grouping], len(self.tally.cells)
        place = block.level.astype(np.intp) * cells + block.cell
        if len(slices.labels) * cells > MOST_PLACES:
            return np.searchsorted(slices.level * cells + slices.cell, place)
        if grouping not in self._entries:
            entry = np.zeros(len(slices.labels) * cells, np.int32)
            entry[slices.level * cells + slices.cell] = np.arange(len(slices.cell))
            self._entries[grouping] = entry
        return self._entries[grouping][place]
