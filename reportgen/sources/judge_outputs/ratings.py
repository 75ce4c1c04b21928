"""Files with one row per rating: a reader for each tool says where things are, and all are read in one way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from reportgen.errors import InputError, write_command
from reportgen.settings import DataSettings
from reportgen.sources.judge_outputs.pivoting import Rating, by_rating, systems_of
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import field, names_of, quoted, rows_of, score_of, text_of

Fields = tuple[str, ...]
"""Paths of a value, such as ``result.score``; the first that holds something counts."""


class RatingsReader:
    """Reads a table with one row per rating; a subclass describes the table."""

    title = ""
    tool: ClassVar[str]
    id_column: ClassVar[str]
    """What the column of responses is called."""
    marks: ClassVar[tuple[Fields, ...]]
    """By which columns a table is recognized: one of each group."""
    inside: ClassVar[Fields] = ()
    """Names under which JSON may hold the list of rows."""
    columns: ClassVar[Fields | None] = None
    """What is read of a Parquet file; None for all."""
    response: ClassVar[Fields]
    whole: ClassVar[Fields] = ()
    """What a response is a part of, which people may have scored instead."""
    name: ClassVar[Fields]
    kind: ClassVar[Fields]
    """What kind of rater gave a rating."""
    value: ClassVar[Fields]
    person: ClassVar[Fields]
    judge: ClassVar[Fields] = ()
    people: ClassVar[Fields]
    """Kinds of raters that are people, and those that are judges; the user is asked about any other."""
    judges: ClassVar[Fields]

    def recognises(self, path: Path) -> bool:
        """Return whether a table has the columns of the tool, or JSON begins like such."""
        names = names_of(path)
        return all(names & set(group) for group in self.marks)

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per rating.

        Raises
        ------
        InputError
            A row is no rating, or the file leaves open who gave ratings, or which are compared.
        """
        rows = self.rows(path)
        found = [self.rating(row, number, data) for number, row in rows]
        told: tuple[str, ...] = ()
        if self.whole and not _meet(found):
            wholes = [
                each._replace(response=text_of(field(row, *self.whole)) or each.response)
                for each, (_, row) in zip(found, rows, strict=True)
            ]
            if _meet(wholes):
                found = wholes
                told = (
                    f"{self.tool}: people and judges scored other parts of a trace; their scores are taken as those of "
                    "the trace.",
                )
        scores = by_rating(found, data, tool=self.tool, id_column=self.id_column)
        kinds = {str(field(row, *self.kind)) for _, row in rows}
        return replace(scores, told=(*scores.told, *told), used=("human",) if kinds & set(data.human or ()) else ())

    def rows(self, path: Path) -> list[tuple[int, Mapping[str, Any]]]:
        """Return every rating with the number of its row in the file."""
        return list(enumerate(rows_of(path, self.inside, self.columns), 1))

    def rating(self, row: Mapping[str, Any], number: int, data: DataSettings) -> Rating:
        """Return a row as a rating."""
        response, name = (text_of(field(row, *paths)) for paths in (self.response, self.name))
        if not response or not name:
            raise InputError(
                f"row {number}: expected a rating of {self.tool}, with a name in {quoted(self.name)} and the response "
                f"in {quoted(self.response)}."
            )
        kind = text_of(field(row, *self.kind)) or ""
        human = self.is_human(kind, data)
        by = text_of(field(row, *(self.person if human else self.judge))) or ("" if human else kind)
        return Rating(response, name, by.strip(), human, score_of(field(row, *self.value)))

    def is_human(self, kind: str, data: DataSettings) -> bool:
        """Return whether people gave the ratings of a kind of rater; the user is asked if the file does not tell."""
        if kind.upper() in self.people or kind in (data.human or ()):
            return True
        if kind.upper() in self.judges or kind in systems_of(data):
            return False
        named = kind if 0 < len(kind) <= 30 and kind.isprintable() else "NAME"
        raise InputError(
            f"who gave the ratings of source '{named}' cannot be told; type {write_command('--system', named)} if a "
            f"judge gave them, {write_command('--human', named)} if people did, or export without them."
        )


def _meet(found: Sequence[Rating]) -> bool:
    """Return whether people and judges scored one and the same response."""
    people, judges = ({each.response for each in found if each.human is human} for human in (True, False))
    return bool(people & judges)
