"""The mergeable sufficient statistics: one pass over the scores, then algebra.

>>> import numpy as np
>>> tally = tally_of([4.2, 3.1, 2.4], [[4, 4], [3, np.nan], [2, 3]])
>>> tally.n, tally.raters
(3, 2)
>>> (tally + tally).n
6
"""

import numpy as np
from numpy.typing import ArrayLike

from reportgen.tally.cells import AS_GIVEN, OVERALL, ROUNDED, TRIMMED, Form, Slices, Tally, merge
from reportgen.tally.clusters import ClusteredRows
from reportgen.tally.contingency_tables import human_contingency, system_contingency
from reportgen.tally.features import Moments, Polynomial, Sums, moments
from reportgen.tally.intervals import (
    Influence,
    Statistics,
    covariances,
    derivatives,
    fieller,
    limits,
    quantiles,
    standard_errors,
)
from reportgen.tally.joint import CellScores, JointNumbers, joint
from reportgen.tally.kernel import Groups, Tallier
from reportgen.tally.sums import PairSums, RatingSums

__all__ = [
    "AS_GIVEN", "OVERALL", "ROUNDED", "TRIMMED", "CellScores", "ClusteredRows", "Form", "Groups", "Influence",
    "JointNumbers", "Moments", "PairSums", "Polynomial", "RatingSums", "Slices", "Statistics", "Sums", "Tallier",
    "Tally", "covariances", "derivatives", "fieller", "human_contingency", "joint", "limits", "merge", "moments",
    "quantiles", "standard_errors", "system_contingency", "tally_of",
]  # fmt: skip


def tally_of(
    system: ArrayLike, ratings: ArrayLike, groups: Groups | None = None, bounds: tuple[float, float] = (-np.inf, np.inf)
) -> Tally:
    """Return the tally of scores held in memory.

    system (n,): finite system scores.
    ratings (n,): or (n, raters): human scores, NaN where missing.
    groups: Grouping column -> (integer code of each response, label of each code).
    bounds: Lowest and highest score after trimming (tolerance included).
    """
    tallier = Tallier(bounds)
    tallier.add(ratings, system, groups)
    return tallier.tally()
