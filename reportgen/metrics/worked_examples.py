"""Data of published worked examples, for docstrings and tests."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from reportgen.tally.sums import Floats

_TOLD = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_DATA = {name: np.array(table, np.float64) for name, table in _TOLD.items()}

GWET_FOUR_RATERS = _DATA["GWET_FOUR_RATERS"]
"""(12, 4): four raters, five categories (Gwet 2014; `cac.raw4raters` of the R package irrCAC)."""

ABSTRACTORS = _DATA["ABSTRACTORS"]
"""(3, 3): counts of two abstractors' three categories (Gwet 2014; `cont3x3abstractors` of irrCAC)."""

KRIPPENDORFF_C = _DATA["KRIPPENDORFF_C"]  # (12, 4): four observers, twelve units (Krippendorff 2011, example C)

SHROUT_FLEISS = _DATA["SHROUT_FLEISS"]  # (6, 4): six targets, four judges (Shrout and Fleiss 1979, table 2)

HUMAN, SYSTEM = _DATA["HUMAN"], _DATA["SYSTEM"]  # (4,): the small pair that RSMTool 12 tests its own utilities with

PRMSE_SYSTEM, PRMSE_HUMAN = _DATA["PRMSE_SYSTEM"], _DATA["PRMSE_HUMAN"]
"""(3,): one rater, rater error variance .5, PRMSE 10/11 (RSMTool 12's tests; benchmark by M. Johnson)."""


def ratings_of_table(table: ArrayLike) -> Floats:
    """Return (n, 2) labels 1..K of two raters from their (K, K) table of counts.

    >>> ratings_of_table([[1, 0], [2, 0]]).tolist()
    [[1.0, 1.0], [2.0, 1.0], [2.0, 1.0]]
    """
    counts = np.asarray(table, int)
    rows, columns = np.indices(counts.shape)
    return np.repeat(np.column_stack([rows.ravel(), columns.ravel()]) + 1.0, counts.ravel(), axis=0)
