"""One's own matrix of ratings, from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.results import Source
from reportgen.scores.columns import as_numbers, is_blank
from reportgen.scores.scale import score_scale
from reportgen.scores.tabular import file_source
from reportgen.settings import from_keywords
from reportgen.studies.files import numbers_of, table_of_file

Floats = NDArray[np.float64]

FEWEST_RESPONSES = 20


@dataclass(frozen=True)
class OwnRatings:
    """A file's ratings.

    Parameters
    ----------
    table
        Every column of the file, as Arrow strings.
    ratings
        (n, raters): NaN where missing.
    names
        The columns of ratings.
    systems
        (n,): whose response each is, or None.
    scale, step, assumed
        Lowest and highest score, distance of points, and whether they were read off the ratings.
    """

    source: Source
    table: Any
    ratings: Floats
    names: tuple[str, ...]
    systems: NDArray[Any] | None
    scale: tuple[float, float]
    step: float
    assumed: bool
    warnings: tuple[str, ...] = ()


def own_ratings(file: Path, raters: Sequence[str], systems: str | None, scale: str | None) -> OwnRatings:
    """Return the ratings of a file: the named columns, or all that hold nothing but numbers and blanks.

    Raises
    ------
    InputError
        When a column is not there or holds something else than numbers, or there are too few of anything.
    """
    table = table_of_file(file, (*raters, *([systems] if systems else [])))
    names = list(table.schema.names)
    chosen = tuple(raters) or tuple(name for name in names if name != systems and _is_rating(table[name]))
    if len(chosen) < 2:
        raise InputError(f"{file}: expected two columns of ratings or more, found {len(chosen)}; name them.")
    ratings = np.column_stack([numbers_of(table, name, file) for name in chosen])
    if len(ratings) < FEWEST_RESPONSES:
        raise InputError(f"{file}: expected {FEWEST_RESPONSES} responses or more, found {len(ratings)}.")
    for name, given in zip(chosen, np.isfinite(ratings).sum(axis=0), strict=True):
        if given < 2:
            raise InputError(f"{file}: column '{name}' has {given} ratings; leave it out, or add ratings.")
    found = score_scale(from_keywords(scale=scale).data.scale if scale else None, ratings)
    return OwnRatings(
        file_source(file, len(ratings), "ratings"),
        table,
        ratings,
        chosen,
        np.asarray(table[systems].to_pylist(), dtype=str) if systems else None,
        (found.low, found.high),
        found.step,
        found.assumed,
        _warnings(ratings, chosen),
    )


def _is_rating(column: Any) -> bool:
    """Return whether a column holds numbers and blanks only, with some number twice: ids do not."""
    numbers = as_numbers(column)
    known = np.isfinite(numbers)
    return bool(known.any() and (known | is_blank(column)).all() and len(np.unique(numbers[known])) < known.sum())


def _warnings(ratings: Floats, names: Sequence[str]) -> tuple[str, ...]:
    """Say which raters share no response: what they have in common cannot be learnt."""
    given = np.isfinite(ratings).astype(np.float64)
    together = given.T @ given
    apart = [
        f"{names[a]} and {names[b]}" for a in range(len(names)) for b in range(a + 1, len(names)) if together[a, b] < 2
    ]
    if not apart:
        return ()
    some = ", ".join(apart[:5]) + (f" and {len(apart) - 5} more pairs" if len(apart) > 5 else "")
    return (
        f"These raters rated fewer than two responses together, so how they go together is not in the data: {some}.",
    )
