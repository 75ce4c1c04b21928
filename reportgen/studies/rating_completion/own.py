"""One's own matrix of ratings, from a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, write_command
from reportgen.results import Source
from reportgen.scores.scale import score_scale
from reportgen.settings import from_keywords
from reportgen.sources import column_names
from reportgen.sources.columns import as_numbers, is_blank
from reportgen.sources.tabular import file_source
from reportgen.studies.files import table_of_file
from reportgen.studies.rating_completion.rating_columns import is_rating, rating_columns

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
    """Return the ratings of a file: the named columns, else those that `rating_columns` finds.

    A text in a column of ratings counts as missing, as in an evaluation, and is told with its rows.

    Raises
    ------
    InputError
        When a column is not there, or there are too few of anything.
    """
    table = table_of_file(file, (*raters, *([systems] if systems else [])))
    names = list(table.schema.names)
    if systems and (systems in raters or (column_names.is_human_name(systems) and is_rating(table[systems]))):
        raise InputError(
            f"{file}: --systems: '{systems}' is a column of ratings; name the column that says whose response it is, "
            "or leave --systems out."
        )
    declared = from_keywords(scale=scale).data.scale if scale else None
    ends = None if declared is None else (declared.low, declared.high)
    others = [name for name in names if name != systems]
    chosen, left_out = (tuple(raters), ()) if raters else rating_columns(table, others, ends, file)
    if len(chosen) < 2:
        raise InputError(
            f"{file}: expected two columns of ratings or more, found {len(chosen)}; name them, as in --rater h1 "
            "--rater h2."
        )
    if len(set(chosen)) < len(chosen):
        raise InputError(f"{file}: a column of ratings is named twice; name every one once.")
    read = [_ratings(table, name) for name in chosen]
    ratings = np.column_stack([numbers for numbers, _ in read])
    if len(ratings) < FEWEST_RESPONSES:
        raise InputError(f"{file}: expected {FEWEST_RESPONSES} responses or more, found {len(ratings)}.")
    for name, given in zip(chosen, np.isfinite(ratings).sum(axis=0), strict=True):
        if given < 2:
            raise InputError(f"{file}: column '{name}' has {given} ratings; leave it out, or add ratings.")
    found = score_scale(declared, ratings)
    return OwnRatings(
        file_source(file, len(ratings), "ratings"),
        table,
        ratings,
        chosen,
        np.asarray(table[systems].to_pylist(), dtype=str) if systems else None,
        (found.low, found.high),
        found.step,
        found.assumed,
        (*left_out, *(told for _, told in read if told), *_warnings(ratings, chosen)),
    )


def refuse_complete(own: OwnRatings, file: Path) -> None:
    """Refuse ratings without a gap, which leave nothing to fill.

    Raises
    ------
    InputError
        When every rater rated every response.
    """
    if np.isfinite(own.ratings).all():
        responses, raters = own.ratings.shape
        typed = write_command("reportgen", "study", "rating-completion", "--file", file.name)
        raise InputError(
            f"{file.name}: nothing is to be filled: {raters} raters rated all {responses:,} responses. How well hidden "
            f"ratings would be recovered says: {typed}"
        )


def _ratings(table: Any, name: str) -> tuple[Floats, str]:
    """Return a column's numbers, NaN where there is none, and a sentence on texts that count as missing."""
    numbers = as_numbers(table[name], name)
    wrong = np.flatnonzero(~np.isfinite(numbers) & ~is_blank(table[name], name))
    numbers = np.where(np.isfinite(numbers), numbers, np.nan)
    if not len(wrong):
        return numbers, ""
    rows = ", ".join(str(row + 2) for row in wrong[:3])
    return (
        numbers,
        f"Ratings in '{name}' that are not numbers and count as missing: {len(wrong):,} (first rows: {rows}).",
    )


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
