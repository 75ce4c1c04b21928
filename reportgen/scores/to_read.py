"""Every response that people scored, with what a reading list shows of it; held only where one is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.design.readings import ColumnRoles
from reportgen.scores.screening import Screened
from reportgen.sources.bridge import mask_to_arrow
from reportgen.sources.columns import Coded, Floats, as_text, encode
from reportgen.sources.tabular import Reader
from reportgen.sources.written import is_refusal

TEXT = "text"
"""The part of the column of the responses' texts."""


@dataclass(frozen=True)
class ResponsesToRead:
    """Responses, as they may be listed for people to read; never part of a report.

    names: What each is called: its id, else its row in the file.
    texts: What was written; empty without a column of texts.
    human: (n, k): ratings, NaN where missing.
    system: (n,): the system's score, NaN where it gave none.
    answers: What stands in the place of a score that is missing; empty where a score is there.
    refused: Which of these answers read like a refusal.
    groups: The subgroup columns by name.
    """

    names: tuple[str, ...]
    texts: tuple[str, ...]
    human: Floats
    system: Floats
    answers: tuple[str, ...]
    refused: tuple[bool, ...]
    groups: dict[str, Coded]


def responses_to_read(table: Any, cast: ColumnRoles, screened: Screened, reader: Reader) -> ResponsesToRead:
    """Return the responses that count, and those that people scored and the system did not."""
    rated = np.isfinite(screened.human).any(axis=1)
    bare = screened.unflagged & rated & ~np.isfinite(screened.system.numbers)
    here = screened.screening.kept | bare
    rows = np.flatnonzero(here)

    def texts(name: str) -> list[str]:
        return [value or "" for value in as_text(table[name], name).filter(mask_to_arrow(here)).to_pylist()]

    system = np.where(np.isfinite(screened.system.numbers), screened.system.numbers, np.nan)[rows]
    given = texts(screened.system.name)
    answers = tuple(text.strip() if missing else "" for text, missing in zip(given, np.isnan(system), strict=True))
    ids = cast.columns("id")
    column = cast.columns(TEXT)
    return ResponsesToRead(
        tuple(texts(ids[0])) if ids else tuple(f"row {reader.place(int(row))}" for row in rows),
        tuple(texts(column[0])) if column else (),
        np.where(np.isfinite(screened.human), screened.human, np.nan)[rows],
        system,
        answers,
        tuple(map(is_refusal, answers)),
        {name: encode(as_text(table[name], name).filter(mask_to_arrow(here)), name) for name in cast.columns("group")},
    )
