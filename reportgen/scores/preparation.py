"""Which responses count: the exclusions in their order, each with its count and first rows.

The order is that of the field's reference implementation: flags, first human score, system score,
candidates.  A second human score never excludes a response.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.scores.table import Coded, Composition, Exclusion, Floats
from reportgen.scores.tabular import Place

FIRST_ROWS = 5
"""How many row numbers an exclusion names."""

Mask = NDArray[np.bool_]


@dataclass
class Screening:
    """The responses still in, and the account of those that are out."""

    kept: Mask
    place: Callable[[int], Place]
    exclusions: list[Exclusion] = field(default_factory=list)

    def exclude(self, out: Mask, reason: str) -> None:
        """Leave out the responses that are still in and marked in `out`."""
        rows = np.flatnonzero(self.kept & out)
        if rows.size:
            first = [self.place(int(row)) for row in rows[:FIRST_ROWS]]
            files = tuple(place.file for place in first) if first[0].file else ()
            self.exclusions.append(Exclusion(reason, int(rows.size), tuple(place.row for place in first), files))
            self.kept = self.kept & ~out

    def first_rows(self, marked: Mask) -> tuple[Place, ...]:
        """Return the rows of the first marked responses among those still in."""
        return tuple(self.place(int(row)) for row in np.flatnonzero(self.kept & marked)[:FIRST_ROWS])


@dataclass(frozen=True)
class Scores:
    """One column of scores: numbers (NaN where none) and where the cell is blank."""

    name: str
    numbers: Floats
    blank: Mask

    @property
    def text(self) -> Mask:
        """Where something other than a number stands."""
        return np.isnan(self.numbers) & ~self.blank


def screen_flags(screening: Screening, flags: Mapping[str, Coded], wanted: Mapping[str, Sequence[str | float]]) -> None:
    """Keep the responses whose flags have a wanted value; compared as numbers where both look like one."""
    for column, coded in flags.items():
        values = {_comparable(value) for value in wanted[column]}
        fits = np.array([_comparable(label) in values for label in coded.labels], dtype=np.bool_)
        screening.exclude(~fits[coded.codes], f"flag column '{column}' holds none of the kept values")


def screen_scores(screening: Screening, scores: Scores, title: str, exclude_zeros: bool) -> None:
    """Keep the responses with a finite score, other than 0 when zeros are excluded."""
    screening.exclude(scores.blank, f"no {title} score in '{scores.name}'")
    screening.exclude(scores.text, f"the {title} score in '{scores.name}' is not a number")
    screening.exclude(np.isinf(scores.numbers), f"the {title} score in '{scores.name}' is infinite")
    if exclude_zeros:
        screening.exclude(scores.numbers == 0, f"the {title} score in '{scores.name}' is 0")


def screen_candidates(screening: Screening, candidates: NDArray[np.int32], least: int) -> None:
    """Keep the candidates with at least `least` responses left."""
    left = np.bincount(candidates[screening.kept], minlength=int(candidates.max(initial=0)) + 1)
    screening.exclude(left[candidates] < least, f"the candidate has fewer than {least} responses left")


def further_scores(screening: Screening, scores: Scores, exclude_zeros: bool) -> tuple[Floats, list[str]]:
    """Return a further rater's scores with NaN for what is no usable score, and a sentence for each kind of those."""
    numbers, told = scores.numbers.copy(), []
    unusable = {"not numbers": scores.text, "infinite": np.isinf(numbers)}
    if exclude_zeros:
        unusable["0"] = numbers == 0
    for kind, marked in unusable.items():
        n = int((marked & screening.kept).sum())
        if n:
            rows = ", ".join(str(row) for row in screening.first_rows(marked))
            told.append(f"Scores in '{scores.name}' that are {kind} and count as missing: {n:,} (first rows: {rows}).")
        numbers[marked] = np.nan
    return numbers, told


def excluded_composition(human: Floats, system: Floats, zeros_kept: bool, by_candidate: bool) -> Composition:
    """Return excluded responses by human score (not 0, 0, no number) and system score (a number, none).

    A cell that cannot occur is None: a usable pair is excluded only with its candidate, a zero only
    when zeros are.
    """
    human_finite, system_finite = np.isfinite(human), np.isfinite(system)
    rows = (human_finite & (human != 0), human == 0, ~human_finite)
    cells = [[int((row & column).sum()) for column in (system_finite, ~system_finite)] for row in rows]
    first = (cells[0][0] if by_candidate else None, cells[0][1])
    second = (None if zeros_kept and not by_candidate else cells[1][0], cells[1][1])
    return first, second, (cells[2][0], cells[2][1])


def single_candidates(coded: Coded) -> NDArray[np.int32]:
    """Return candidate codes in which every response without a candidate is its own."""
    blank = np.array([not label.strip() for label in coded.labels], dtype=np.bool_)
    codes = coded.codes.copy()
    alone = np.flatnonzero(blank[codes]) if codes.size else np.empty(0, dtype=np.int64)
    codes[alone] = len(coded.labels) + np.arange(alone.size, dtype=np.int32)
    return codes


def _comparable(value: str | float) -> str | float:
    """Return a value as a number where it looks like one."""
    try:
        return float(value)
    except ValueError:
        return value
