"""Whether a file has one row per response or one per rating, and which columns say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from reportgen.errors import SettingsError, did_you_mean
from reportgen.results import Role
from reportgen.scores.column_roles import BY_NAME, NAMED
from reportgen.scores.contents import Contents
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.columns import Codes, encode

RUN = "repeated run"
"""The part of the column that tells runs apart; the columns of runs that it makes are called runs."""

WHAT_TO_TYPE = {"id": "--id", "rater": "--rater", "score": "--score"}
"""Parts without which ratings cannot be read, and how each is named."""


class LongColumns(NamedTuple):
    """The columns of a file of ratings.

    Parameters
    ----------
    id, rater, score
        Which response, who rated it, the rating.
    time, run
        When, and which run of a system; None without.
    how
        For each part how it was found.
    """

    id: str
    rater: str
    score: str
    time: str | None
    run: str | None
    how: dict[str, str]

    def all(self) -> set[str]:
        """Return every one of these columns."""
        return {name for name in (self.id, self.rater, self.score, self.time, self.run) if name}

    def told(self) -> tuple[Role, ...]:
        """Return the parts that only a file of ratings has, as told in the report."""
        columns = {"rater": self.rater, "score": self.score, "time": self.time, RUN: self.run}
        return tuple(
            Role(part, (column,), self.how["run" if part == RUN else part])
            for part, column in columns.items()
            if column
        )


def long_columns(head: Any, data: DataSettings) -> LongColumns | None:
    """Return the columns of a file with one row per rating; None for one row per response.

    A file is taken for one of ratings when that is declared, or when its first rows name a response
    again, and a column each is named like a rater and like a score.

    Parameters
    ----------
    head
        Arrow table of the first rows.
    data
        What is declared.

    Raises
    ------
    SettingsError
        A column that is named does not exist, or ratings are declared and cannot be found.
    """
    if data.layout == "wide":
        return None
    names = head.schema.names
    given = {part: getattr(data, part) for part in ("id", "rater", "score", "time", "run")}
    for part, column in given.items():
        if column is not None and column not in names:
            raise SettingsError(f"{part} column '{column}' does not exist{did_you_mean(column, names)}")
    found = {part: column or _found(part, head, given) for part, column in given.items()}
    if data.layout is None and data.rater is None and not _looks_long(head, found, data):
        return None
    missing = [part for part in WHAT_TO_TYPE if found[part] is None]
    if missing:
        raise SettingsError(
            f"one row per rating needs the columns of response, rater and score; no {missing[0]} column was found; "
            f"name it with {WHAT_TO_TYPE[missing[0]]} NAME, or type --layout wide."
        )
    _refuse_two_parts(found)
    how = {part: NAMED if given[part] else BY_NAME for part in found}
    return LongColumns(str(found["id"]), str(found["rater"]), str(found["score"]), found["time"], found["run"], how)


def _found(part: str, head: Any, given: dict[str, str | None]) -> str | None:
    """Return the column whose name fits a part that is not declared."""
    taken = {column for column in given.values() if column}
    free = [name for name in head.schema.names if name not in taken]
    if part == "score":
        readable = (Contents(head[name], name) for name in free)
        free = [contents.name for contents in readable if contents.is_readable and contents.has_numbers]
    return column_names.first_of_long(part, free)


def _looks_long(head: Any, found: dict[str, str | None], data: DataSettings) -> bool:
    """Return whether first rows name a response again, with a rater and a score of their own."""
    if data.human is not None or not all(found[part] for part in WHAT_TO_TYPE):
        return False
    response, rater = (encode(head[found[part]]) for part in ("id", "rater"))
    again = len(response.labels) < len(response.codes)
    return again and len(rater.labels) > 1 and _apart(response.codes, rater.codes)


def _apart(responses: Codes, raters: Codes) -> bool:
    """Return whether a response that comes again mostly has another rater."""
    pairs = np.unique(np.stack([responses, raters]), axis=1).shape[1]
    distinct = np.unique(responses).size
    return bool(2 * (pairs - distinct) >= len(responses) - distinct)


def _refuse_two_parts(found: dict[str, str | None]) -> None:
    """Raise when one column is to play two parts."""
    seen: dict[str, str] = {}
    for part, column in found.items():
        if column in seen:
            raise SettingsError(
                f"column '{column}' cannot be both {seen[column]} and {part}; name another column for one of them."
            )
        if column is not None:
            seen[column] = part


def system_raters(labels: Sequence[str], data: DataSettings) -> dict[str, str]:
    """Return the raters that are systems and how each was found: as declared, else by their names.

    A list of systems is complete; beside a single one, other raters are still no humans when their names
    say that they are systems.
    """
    declared = [name for name in (data.system, *(data.systems or ())) if name in labels]
    found = dict.fromkeys((str(name) for name in declared), NAMED)
    if data.systems is None:
        by_name = (name for name in labels if column_names.is_system_rater(name) and name not in found)
        found |= dict.fromkeys(by_name, "found by the name of the rater")
    return found
