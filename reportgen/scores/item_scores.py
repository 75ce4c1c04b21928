"""Scores of the other items of the test, beside the item that is evaluated."""

from __future__ import annotations

from typing import Any

import numpy as np

from reportgen.design.readings import ColumnRoles
from reportgen.errors import InputError
from reportgen.scores.preparation import LARGEST, further_scores, told
from reportgen.scores.screening import Screened, numbers_in
from reportgen.sources.columns import Floats
from reportgen.sources.tabular import Reader


def scores_of_items(
    table: Any, cast: ColumnRoles, screened: Screened, reader: Reader
) -> tuple[Floats | None, list[str]]:
    """Return (n, items) scores on the responses that count, NaN where missing, and what was taken as missing.

    A 0 is a score: it is what a wrong answer gets.
    Raises InputError: A column holds no number at all, or one that no scale reaches.
    """
    names = cast.columns("item score")
    if not names:
        return None, []
    screening, found, sentences = screened.screening, [], list[str]()
    for name in names:
        scores = numbers_in(table, name)
        numbers, missing = further_scores(screening, scores, exclude_zeros=False)
        own = numbers[screening.kept]
        if np.isnan(own).all():
            raise InputError(f"column '{name}' holds no numbers; expected item scores; name others with --item-score.")
        absurd = screening.kept & (np.abs(numbers) > LARGEST)
        if absurd.any():
            row = reader.place(int(np.flatnonzero(absurd)[0]))
            raise InputError(
                f"row {row}: column '{name}' holds the item score {numbers[absurd][0]:g}; "
                f"expected scores within {LARGEST:,.0f} of 0; correct it, or leave the column out."
            )
        found.append(own)
        sentences += told(missing, reader.place)
    return np.column_stack(found), sentences
