"""What a system put out: how often no score, how often words in its place, and repeated runs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from reportgen.errors import InputError
from reportgen.scores.bridge import mask_to_arrow
from reportgen.scores.cast import Cast
from reportgen.scores.columns import as_numbers, as_text, encode
from reportgen.scores.screening import LARGEST, Screened
from reportgen.scores.table import Floats, Outputs, Unscored
from reportgen.scores.tabular import Reader

_REFUSAL = re.compile(
    r"\b(sorry|apologi[sz]e|refus\w*|declin\w*|unable|as an ai|i (can ?not|can.?t|won.?t|will not)|not able to)\b",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Return whether words in the place of a score read like a refusal to score.

    Examples
    --------
    >>> is_refusal("I'm sorry, I can't score this."), is_refusal("Score: 4"), is_refusal("n/a")
    (True, False, False)
    """
    return _REFUSAL.search(text) is not None


def outputs(table: Any, screened: Screened) -> Outputs:
    """Return what the system put out for the responses that no flag leaves out."""
    system, here = screened.system, screened.unflagged
    texts = system.text & here
    refusals = 0
    if texts.any():
        coded = encode(as_text(table[system.name]).filter(mask_to_arrow(texts)))
        refused = np.array([is_refusal(label) for label in coded.labels], dtype=np.bool_)
        refusals = int(refused[coded.codes].sum())
    blank, infinite = (int((marked & here).sum()) for marked in (system.blank, np.isinf(system.numbers)))
    return Outputs(int(here.sum()), blank, int(texts.sum()), infinite, refusals)


def unscored(screened: Screened) -> Unscored | None:
    """Return the responses with a system score and a blank first human one; None when there are none."""
    numbers = screened.system.numbers
    here = screened.unflagged & screened.first.blank & (np.abs(numbers) <= LARGEST)
    if not here.any():
        return None
    return Unscored(numbers[here], None if screened.candidates is None else screened.candidates[here])


def refuse_unparseable(table: Any, screened: Screened, reader: Reader) -> None:
    """Raise when a system score that no flag leaves out is text and no number."""
    scores = screened.system
    texts = scores.text & screened.unflagged
    if texts.any():
        row = int(np.flatnonzero(texts)[0])
        found = as_text(table[scores.name]).slice(row, 1).to_pylist()[0]
        raise InputError(
            f"row {reader.place(row)}: column '{scores.name}' holds {found.strip()[:40]!r}, expected a number "
            f'({int(texts.sum()):,} such scores); correct it, or set unparseable = "missing".'
        )


def further_runs(table: Any, cast: Cast, screened: Screened) -> Floats | None:
    """Return (n, runs): repeated runs on the responses that count, the evaluated one first; None without.

    What is no number, infinite, or too large for any scale is missing.
    """
    names = cast.columns("run")
    if not names:
        return None
    kept = screened.screening.kept
    columns = [screened.system.numbers, *(as_numbers(table[name], name) for name in names)]
    runs = np.column_stack(columns)[kept]
    runs[~(np.abs(runs) <= LARGEST)] = np.nan
    return runs
