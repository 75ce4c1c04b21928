"""Intersections of groups: the responses that are in one level of each of several group columns."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from reportgen.errors import SettingsError, did_you_mean
from reportgen.sources.columns import Coded

CROSS = " × "
"""Stands between the names of columns, and of levels, that are crossed."""

MOST_INTERSECTIONS = 100
"""Intersections of one run; more say nothing that anyone could read."""


def with_intersections(
    groups: Mapping[str, Coded], wanted: Sequence[Sequence[str]] | Literal["all pairs"]
) -> dict[str, Coded]:
    """Return the groups, and after them their intersections.

    Parameters
    ----------
    groups
        Group column -> code of each response and labels.
    wanted
        Lists of group columns to cross, or "all pairs".

    Raises
    ------
    SettingsError
        A column is no group column or stands twice, fewer than two are crossed, or there are too many.

    Examples
    --------
    >>> sex, place = Coded(np.array([0, 1, 1]), ("f", "m")), Coded(np.array([0, 0, 1]), ("farm", "town"))
    >>> found = with_intersections({"sex": sex, "place": place}, [["sex", "place"]])
    >>> list(found), found["sex × place"].labels, found["sex × place"].codes.tolist()
    (['sex', 'place', 'sex × place'], ('f × farm', 'm × farm', 'm × town'), [0, 1, 2])
    """
    chosen = list(itertools.combinations(groups, 2)) if wanted == "all pairs" else [tuple(each) for each in wanted]
    if len(chosen) > MOST_INTERSECTIONS:
        raise SettingsError(
            f"intersections: {len(chosen):,} are asked for, and at most {MOST_INTERSECTIONS} are made; name the ones "
            "that matter, as in --intersect gender,language."
        )
    found = dict(groups)
    for columns in dict.fromkeys(chosen):
        _check(columns, groups)
        found[_unlike(CROSS.join(map(_part, columns)), found)] = _crossed([groups[column] for column in columns])
    return found


def _check(columns: Sequence[str], groups: Mapping[str, Coded]) -> None:
    """Raise when columns cannot be crossed."""
    for column in columns:
        if column not in groups:
            raise SettingsError(
                f"intersections: '{column}' is no group column, or is not named as one with --group"
                f"{did_you_mean(column, tuple(groups))}"
            )
    if len(set(columns)) < max(len(columns), 2):
        raise SettingsError(
            f"intersections: expected two different group columns or more, found {', '.join(columns) or 'none'}."
        )


def _crossed(parts: Sequence[Coded]) -> Coded:
    """Return the combinations that occur, in the order of their parts."""
    sizes = [len(part.labels) for part in parts]
    codes = np.zeros(len(parts[0].codes), np.int64)
    for part, size in zip(parts, sizes, strict=True):
        codes = codes * size + part.codes
    occupied, crossed = np.unique(codes, return_inverse=True)
    labels: dict[str, None] = {}
    for combination in zip(*_places(occupied, sizes), strict=True):
        names = (_part(part.labels[place]) for part, place in zip(parts, combination, strict=True))
        labels[_unlike(CROSS.join(names), labels)] = None
    return Coded(crossed.astype(np.int32), tuple(labels))


def _places(codes: np.typing.NDArray[np.int64], sizes: Sequence[int]) -> list[list[int]]:
    """Return for every column the code of its level in each combination."""
    places = []
    for size in reversed(sizes):
        codes, place = np.divmod(codes, size)
        places.append(place.tolist())
    return places[::-1]


def parts_of(name: str) -> tuple[str, ...]:
    """Return the names that are crossed in the name of an intersection, or the name itself.

    Examples
    --------
    >>> parts_of("f × town"), parts_of("“a × b” × town"), parts_of("town")
    (('f', 'town'), ('a × b', 'town'), ('town',))
    """
    outside_quotes = r"(?=(?:[^“”]*“[^“”]*”)*[^“”]*$)"
    return tuple(part.removeprefix("“").removesuffix("”") for part in re.split(CROSS + outside_quotes, name))


def _part(name: str) -> str:
    """Return a name inside an intersection: in quotes when it holds the sign that separates parts."""
    return f"“{name}”" if CROSS.strip() in name else name


def _unlike(name: str, taken: Mapping[str, object]) -> str:
    """Return a name, with a number when it is taken."""
    return next(
        each
        for each in itertools.chain([name], (f"{name} ({number})" for number in itertools.count(2)))
        if each not in taken
    )
