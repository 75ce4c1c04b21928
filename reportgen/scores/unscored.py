"""Responses that only the system, or only raters, scored."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.scores.preparation import LARGEST
from reportgen.scores.screening import Screened
from reportgen.scores.table import Unscored
from reportgen.sources.columns import Floats


def is_unscored(screened: Screened) -> NDArray[np.bool_]:
    """Return which responses have a system score and a blank first human one."""
    return screened.unflagged & screened.first.blank & (np.abs(screened.system.numbers) <= LARGEST)


def unscored(screened: Screened) -> Unscored | None:
    """Return the responses with a system score and a blank first human one; None when there are none."""
    here = is_unscored(screened)
    if not here.any():
        return None
    return Unscored(screened.system.numbers[here], None if screened.candidates is None else screened.candidates[here])


def ratings_alone(screened: Screened) -> Floats:
    """Return (m, raters): two or more ratings of responses without a system score."""
    human = screened.human
    here = screened.unflagged & np.isnan(screened.system.numbers) & (np.isfinite(human).sum(axis=1) > 1)
    return np.asarray(human[here & ~screened.screening.kept])
