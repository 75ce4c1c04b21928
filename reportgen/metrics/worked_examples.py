"""Data of published worked examples, used by the examples in docstrings and by the tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from reportgen.tally.sums import Floats

_ = np.nan

GWET_FOUR_RATERS: Floats = np.array([
    [1, 1, _, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [_, 5, 5, 5], [_, _, 1, 1], [_, _, 3, _],
])  # fmt: skip
"""(12, 4): four raters, five categories (Gwet 2014; `cac.raw4raters` of the R package irrCAC)."""

ABSTRACTORS: Floats = np.array([[13.0, 0, 0], [0, 20, 7], [0, 4, 56]])
"""(3, 3): counts of two abstractors' three categories (Gwet 2014; `cont3x3abstractors` of irrCAC)."""

KRIPPENDORFF_C: Floats = np.array([
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]).T  # fmt: skip
"""(12, 4): four observers, twelve units (Krippendorff 2011, example C)."""

SHROUT_FLEISS: Floats = np.array([
    [9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7],
], float)  # fmt: skip
"""(6, 4): six targets, four judges (Shrout and Fleiss 1979, table 2)."""

HUMAN: Floats = np.array([8.0, 4, 6, 3])
SYSTEM: Floats = np.array([9.0, 4, 5, 12])
"""(4,): the small pair that RSMTool 12 tests its own utilities with."""

PRMSE_SYSTEM: Floats = np.array([1.0, 2, 5])
PRMSE_HUMAN: Floats = np.array([2.0, 3, 5])
"""(3,): one rater, rater error variance .5, PRMSE 10/11 (RSMTool 12's tests; benchmark by M. Johnson)."""


def ratings_of_table(table: ArrayLike) -> Floats:
    """Return (n, 2) labels 1..K of two raters from their (K, K) table of counts.

    Examples
    --------
    >>> ratings_of_table([[1, 0], [2, 0]]).tolist()
    [[1.0, 1.0], [2.0, 1.0], [2.0, 1.0]]
    """
    counts = np.asarray(table, int)
    rows, columns = np.indices(counts.shape)
    pairs = np.column_stack([rows.ravel(), columns.ravel()]) + 1.0
    return np.repeat(pairs, counts.ravel(), axis=0)
