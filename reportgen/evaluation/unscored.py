"""Candidates whose responses were counted: as units of intervals, also with what only the engine scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics.calibrated_means import ClusterProducts
from reportgen.tally import TRIMMED, ClusteredRows, Tally
from reportgen.tally.cells import Floats
from reportgen.tally.cluster_blocks import Block
from reportgen.tally.forms import formed_scores


@dataclass(frozen=True)
class AloneBlock:
    """Whole candidates, with the responses that only the engine scored.

    Parameters
    ----------
    scored
        The responses with human scores.
    candidates
        How many candidates there are; those without human scores come last.
    cluster, cell, u
        (m,): candidate, cell and score less rounded score of each response that only the engine scored.
    """

    scored: Block
    candidates: int
    cluster: NDArray[np.integer]
    cell: NDArray[np.integer]
    u: Floats


@dataclass(frozen=True)
class Candidates:
    """Responses by candidate.

    Parameters
    ----------
    rows
        Family of scores -> responses with their candidates.
    steps
        The same, in steps of the scale; None where its points are whole numbers.
    n
        Candidates with responses that count.
    clustered
        Whether any of them has several.
    blocks
        All responses, those of the primary family and those that only the engine scored.
    """

    rows: Mapping[str, ClusteredRows]
    steps: ClusteredRows | None
    n: int
    clustered: bool
    blocks: Callable[[], Iterator[AloneBlock]]

    def products(self, scored: Tally, alone: Tally, means: tuple[float, float, float]) -> ClusterProducts:
        """Return what candidates contribute to the variance of a calibrated mean.

        Parameters
        ----------
        scored, alone
            Tallies of the responses with human scores, and of those that only the engine scored.
        means
            Of human and engine scores of the former, and of engine scores of the latter, all trimmed.
        """
        ours, theirs = formed_scores(scored, TRIMMED), formed_scores(alone, TRIMMED)
        human, engine, other = means
        products, everyone = np.zeros((2, 2)), 0
        for block in self.blocks():
            cell, u, size = block.scored.cell, block.scored.u, block.candidates
            of_row = block.scored.of_row
            h = np.bincount(of_row, scored.cells.ratings[cell, 0] - human, size) / scored.n
            m = np.bincount(of_row, ours.alpha[cell] + ours.beta[cell] * u - engine, size) / scored.n
            o = theirs.alpha[block.cell] + theirs.beta[block.cell] * block.u - other
            part = np.stack([h, np.bincount(block.cluster, o, size) / alone.n - m])
            products += part @ part.T
            everyone += size
        return ClusterProducts(products, everyone, self.n)
