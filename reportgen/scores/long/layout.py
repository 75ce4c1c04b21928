"""Whether a file has one row per response or one per rating, and which columns say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from reportgen.errors import QuestionError, SettingsError, did_you_mean
from reportgen.results import Role
from reportgen.scores.column_roles import BY_CONTENTS, BY_NAME, NAMED
from reportgen.scores.contents import Contents
from reportgen.scores.long.crossing import crossing
from reportgen.scores.long.prints import prints_of_all, prints_of_head
from reportgen.settings import DataSettings
from reportgen.settings.kinds import MOST_LABELS
from reportgen.sources import column_names
from reportgen.sources.fingerprints import Fingerprints
from reportgen.sources.naming_patterns import matched
from reportgen.sources.tabular import Reader

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


def long_columns(reader: Reader, data: DataSettings) -> LongColumns | None:
    """Return the columns of a file with one row per rating; None for one row per response.

    A file is taken for one of ratings when that is declared, or when its rows name a response again, under another
    rater, and a column each is named like a rater and like a score; a column of responses may have any name where
    raters cross it.  All rows are looked at where the first do not say it: a file may be sorted by rater.

    Parameters
    ----------
    reader
        The source.
    data
        What is declared.

    Raises
    ------
    SettingsError
        A column that is named does not exist.
    QuestionError
        Ratings are declared and cannot be found, or it is not certain what each row is.
    """
    if data.layout == "wide":
        return None
    names = reader.head.schema.names
    given = {part: getattr(data, part) for part in ("id", "rater", "score", "time", "run")}
    for part, column in given.items():
        if column is not None and column not in names:
            raise SettingsError(f"{part} column '{column}' does not exist{did_you_mean(column, names)}")
    found = {part: column or _found(part, reader.head, given) for part, column in given.items()}
    again, by_contents = _named_again(reader, found, given["id"], data), False
    if data.layout == "long" or not _names_columns(data, reader.head, found):
        crossed = crossing(reader, data, given, again)
        if crossed is not None:
            again, found, by_contents = crossed.id, found | crossed._asdict(), again is None and given["id"] is None
    if data.layout is None and data.rater is None and again is None:
        return None
    found["id"] = again or found["id"]
    missing = [part for part in WHAT_TO_TYPE if found[part] is None]
    if missing:
        raise QuestionError(
            f"one row per rating needs the columns of response, rater and score; no {missing[0]} column was found; "
            f"name it with {WHAT_TO_TYPE[missing[0]]} NAME, or type --layout wide."
        )
    _refuse_two_parts(found)
    how = {part: NAMED if given[part] else BY_NAME for part in found}
    how |= {"id": BY_CONTENTS} if by_contents else {}
    return LongColumns(str(found["id"]), str(found["rater"]), str(found["score"]), found["time"], found["run"], how)


def _found(part: str, head: Any, given: dict[str, str | None]) -> str | None:
    """Return the column whose name fits a part that is not declared."""
    taken = {column for column in given.values() if column}
    free = [name for name in head.schema.names if name not in taken]
    if part == "score":
        readable = (Contents(head[name], name) for name in free)
        texts = [contents for contents in readable if contents.is_readable]
        numeric = [contents.name for contents in texts if contents.has_scores]
        labels = [contents.name for contents in texts if contents.n_distinct <= MOST_LABELS]
        return column_names.first_of_long(part, numeric) or column_names.first_of_long(part, labels)
    return column_names.first_of_long(part, free)


def _named_again(reader: Reader, found: Mapping[str, str | None], given: str | None, data: DataSettings) -> str | None:
    """Return the likeliest column of ids that names a response again under another rater; None when none does."""
    rater, names = found["rater"], reader.head.schema.names
    if rater is None or found["score"] is None or (data.layout is None and _names_columns(data, reader.head, found)):
        return None
    ids = [given] if given else [name for name in column_names.all_of_long("id", names) if name not in found.values()]
    ids = ids if given else [*filter(None, [found["id"]]), *ids]
    if not ids:
        return None
    first = prints_of_head(reader, [*ids, rater])
    for name in ids:
        if _apart(first[name], first[rater]):
            return name
    every = prints_of_all(reader, [*ids, rater])
    return next((name for name in ids if _apart(every[name], every[rater])), None)


def _names_columns(data: DataSettings, head: Any, found: Mapping[str, str | None]) -> bool:
    """Return whether a human score is named that is a column, or by a pattern of columns with numbers."""
    names = head.schema.names
    free = (Contents(head[name], name) for name in names if name not in found.values())
    numeric = [each.name for each in free if each.is_readable and each.has_scores]
    return any(each in names or matched(each, numeric) for each in data.human or ())


def _apart(responses: Fingerprints, raters: Fingerprints) -> bool:
    """Return whether responses come again, most of them under another rater; one rater may come again, in runs."""
    distinct, rows = np.unique(responses, return_inverse=True)
    again = int((np.bincount(rows) > 1).sum())
    names, codes = np.unique(raters, return_inverse=True)
    if not again or len(names) < 2:
        return False
    pairs = np.unique(rows.astype(np.int64) * len(names) + codes)
    by_several = int((np.bincount(pairs // len(names), minlength=len(distinct)) > 1).sum())
    return 2 * by_several >= again


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
