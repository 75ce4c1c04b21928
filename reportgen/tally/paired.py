"""Two systems' scores of the same responses, counted together: all that a comparison of them needs of the rows.

A *joint cell* is one distinct combination of ratings and both systems' rounded scores and states.  For each slice and
joint cell the tally keeps the sums of ``u^i w^j`` up to the fourth degree that products of features have, where u is
what rounding took from the first score and ``u + w`` what it took from the second: kept as a change, what the two
systems share cancels exactly and not by subtraction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.tally.cells import OVERALL, Cells, Slices, Tally, merged
from reportgen.tally.sums import Floats

MONOMIALS = ((0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 1), (1, 1), (2, 1), (3, 1), (0, 2), (1, 2), (2, 2), (0, 3),
             (1, 3), (0, 4))  # fmt: skip
"""Powers of u and of w whose sums are kept; the first five are the power sums of the first system's own tally."""

NEITHER = np.full(1, np.inf), np.full(1, -np.inf)
"""Smallest and largest score of a level, where nobody asks for them."""

Bounds = tuple[float, float]


@dataclass(frozen=True)
class PairedTally:
    """Mergeable sufficient statistics of two systems' scores of the same responses.

    first, second (cells,): the joint cells, as cells of either system; their ratings are the same.
    slices: Grouping column -> occupied (level, joint cell) pairs, their sums those of `MONOMIALS`; `OVERALL` is always
        there.  Smallest and largest scores are not known.
    bounds: Lowest and highest score after trimming of either system.

    Examples
    --------
    >>> from reportgen.tally.kernel import PairedTallier
    >>> human, one, other = np.array([[4.0], [3.0], [4.0]]), np.array([4.25, 3.0, 4.0]), np.array([4.0, 3.0, 4.5])
    >>> tallier = PairedTallier(((1, 6), (1, 6)))
    >>> tallier.add(human, one, other, {})
    >>> tally = tallier.tally()
    >>> tally.n, len(tally.first), tally.slices[""].sums[:3].tolist()
    (3, 3, [[1.0, 1.0, 1.0], [0.0, 0.0, 0.25], [0.0, 0.0, 0.0625]])
    """

    first: Cells
    second: Cells
    slices: Mapping[str, Slices]
    bounds: tuple[Bounds, Bounds]

    @property
    def n(self) -> int:
        """Number of responses."""
        return int(self.slices[OVERALL].sums[0].sum())

    @property
    def entries(self) -> int:
        """How many sums there are of each kind: what memory goes by."""
        return sum(len(each.cell) for each in self.slices.values())

    def side(self, number: int) -> Tally:
        """Return the first (0) or second (1) system's own cells, with the slices of both.

        What rests on counts of cells, and on features of cells, is right; the power sums are those of the first.
        """
        return Tally((self.first, self.second)[number], self.slices, self.bounds[number])

    def keys(self) -> Floats:
        """Return the joint cells as rows of one matrix."""
        return np.column_stack([self.first.keys(), self.second.system, self.second.state])


def merge_paired(tallies: Iterable[PairedTally]) -> PairedTally:
    """Return the tally of all responses of `tallies`; the order does not matter.

    Raises ValueError: When there is none, or they differ in bounds, raters or groupings.
    """
    parts = list(tallies)
    if len({(part.bounds, part.first.ratings.shape[1], frozenset(part.slices)) for part in parts}) != 1:
        raise ValueError("paired tallies to merge must be some, of the same bounds, raters and groupings")
    keys, slices = merged([part.keys() for part in parts], [part.slices for part in parts])
    own, other = keys[:, :-2], keys[:, -2:]
    first = Cells.from_keys(own)
    return PairedTally(first, Cells.from_keys(np.column_stack([first.ratings, other])), slices, parts[0].bounds)
