"""The screening of a table of scores: one step after the other, until only what counts is left."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError, SettingsError
from reportgen.scores import preparation
from reportgen.scores.cast import Cast
from reportgen.scores.columns import as_numbers, encode, is_blank
from reportgen.scores.preparation import Scores, Screening
from reportgen.scores.table import Codes, Composition, Floats
from reportgen.scores.tabular import Reader
from reportgen.settings import Settings

LARGEST = 1e6
"""No score scale reaches further from 0 than this."""


class Screened(NamedTuple):
    """The score columns of all rows, and which rows count."""

    screening: Screening
    unflagged: NDArray[np.bool_]
    system: Scores
    first: Scores
    human: Floats
    candidates: Codes | None
    warnings: list[str]


def screen(table: Any, cast: Cast, settings: Settings, reader: Reader) -> Screened:
    """Leave out what does not count, in order; raise when fewer than two responses are left."""
    screening = Screening(np.ones(table.num_rows, dtype=np.bool_), reader.place)
    flags = {name: encode(table[name], name) for name in cast.columns("flag")}
    preparation.screen_flags(screening, flags, settings.data.flags)
    unflagged = screening.kept
    zeros = excludes_zeros(settings)
    first, *further = (scores_in(table, name) for name in cast.columns("human"))
    system = scores_in(table, cast.columns("system")[0])
    _keep_usable(screening, table, first, "human", zeros)
    _keep_usable(screening, table, system, "system", False)
    candidates = _screen_candidates(screening, table, cast, settings.preparation.min_items_per_candidate)
    left = int(screening.kept.sum())
    if left < 2:
        raise InputError(f"{left} of {table.num_rows:,} responses left, expected at least 2; {_account(screening)}.")
    for scores in (system, first, *further):
        _refuse_absurd(screening, scores)
    others = [preparation.further_scores(screening, scores, zeros) for scores in further]
    human = np.column_stack([first.numbers, *(numbers for numbers, _ in others)])
    warnings = [sentence for _, told in others for sentence in told]
    return Screened(screening, unflagged, system, first, human, candidates, warnings)


def _refuse_absurd(screening: Screening, scores: Scores) -> None:
    """Raise when a finite score is too large for any scale: its square would drown all others."""
    absurd = screening.kept & np.isfinite(scores.numbers) & (np.abs(scores.numbers) > LARGEST)
    if absurd.any():
        row = screening.first_rows(absurd)[0]
        raise InputError(
            f"row {row}: column '{scores.name}' holds the score {scores.numbers[absurd][0]:g}; "
            f"expected scores within {LARGEST:,.0f} of 0; correct it, or name another column."
        )


def _keep_usable(screening: Screening, table: Any, scores: Scores, title: str, exclude_zeros: bool) -> None:
    """Keep the responses with a usable score; raise when that leaves none."""
    before = screening.kept
    preparation.screen_scores(screening, scores, title, exclude_zeros)
    if before.any() and not screening.kept.any():
        raise InputError(_nothing_left(table, scores.name, title, screening))


def _screen_candidates(screening: Screening, table: Any, cast: Cast, least: int | None) -> Codes | None:
    """Leave out candidates with too few responses; return the codes of the candidates of all rows."""
    name = next(iter(cast.columns("candidate")), None)
    if name is None:
        if least is not None:
            raise SettingsError("min_items_per_candidate needs a candidate column; name it with --candidate NAME.")
        return None
    candidates = preparation.single_candidates(encode(table[name], name))
    if least is not None:
        preparation.screen_candidates(screening, candidates, least)
    return candidates


def composition(screened: Screened, settings: Settings) -> Composition:
    """Return the excluded responses by what their scores are."""
    excluded = screened.unflagged & ~screened.screening.kept
    return preparation.excluded_composition(
        screened.first.numbers[excluded],
        screened.system.numbers[excluded],
        zeros_kept=not excludes_zeros(settings),
        by_candidate=settings.preparation.min_items_per_candidate is not None,
    )


def excludes_zeros(settings: Settings) -> bool:
    """Return whether a score of 0 means that there is none: as set, else unless the declared scale holds 0."""
    if settings.preparation.exclude_zero_scores is not None:
        return settings.preparation.exclude_zero_scores
    declared = settings.data.scale
    return declared is None or not declared.low <= 0 <= declared.high


def scores_in(table: Any, name: str) -> Scores:
    """Return a column as scores."""
    numbers = as_numbers(table[name], name)
    blank = np.isnan(numbers)
    if blank.any():
        blank &= is_blank(table[name], name)
    return Scores(name, numbers, blank)


def _nothing_left(table: Any, column: str, title: str, screening: Screening) -> str:
    """Return the sentence for a score column that leaves no response."""
    seen = [label for label in encode(table[column].slice(0, 1000)).labels if label.strip()][:3]
    values = "the first values are " + ", ".join(repr(value[:40]) for value in seen) if seen else "every cell is blank"
    return (
        f"no numeric {title} scores left in column '{column}' ({values}; {_account(screening)}); "
        f"correct them, or name another column with --{title} NAME."
    )


def _account(screening: Screening) -> str:
    """Return what was left out so far, in words."""
    reasons = "; ".join(f"{out.n:,} because {out.reason}" for out in screening.exclusions)
    return f"left out: {reasons or 'none'}"
