"""Scores of Langfuse: the list that its API gives, and the exports of its table of scores.

A score has ``name``, ``source`` (ANNOTATION, EVAL or API), ``dataType`` (NUMERIC, CATEGORICAL, BOOLEAN, TEXT or
CORRECTION), ``value``, ``stringValue``, ``authorUserId``, and what it is of: ``observationId``, ``traceId`` or
``sessionId``, in version 3 of the API a ``subject`` with ``kind`` and ``id``.  Exports to blob storage call the same
fields ``data_type``, ``string_value`` and so on.  Read in the types of the package langfuse 5.0.4
(``langfuse.api.commons.types.score``, ``langfuse.api.scores.types.score_v3``) and documented at
https://langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields.

ANNOTATION is a person, EVAL a judge.  What came by the API may be of either, and is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.settings import DataSettings
from reportgen.sources.judge_outputs.pivoting import Assessment, Words, compared
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import field, names_of, rows_of, score_of, text_of

WORDS = Words("Langfuse", "response")
HUMAN, JUDGE, EITHER = "ANNOTATION", "EVAL", "API"
TRACES = ("traceId", "trace_id", "sessionId", "session_id")
AT_THE_TRACE = (
    "Langfuse: people and judges scored other parts of a trace; their scores are taken as those of the trace."
)

NO_SCORE = ("TEXT", "CORRECTION")
"""Kinds of scores that are remarks."""


class Langfuse:
    """Reads scores of Langfuse."""

    title = "Langfuse scores, from its API or exported (.json, .jsonl, .csv, .parquet)"

    def recognises(self, path: Path) -> bool:
        """Return whether a table has the columns of scores, or JSON begins like such."""
        names = set(names_of(path))
        kinds = {"dataType", "data_type"} & names and {"traceId", "trace_id", "subject"} & names
        return bool(kinds) and {"source", "name", "value"} <= names

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per score.

        Raises
        ------
        InputError
            It holds no scores by people and by judges of one name, or of several, or does not tell who gave them.
        """
        rows = [_checked(row, number) for number, row in enumerate(rows_of(path, "source", ("data", "scores")), 1)]
        rows = [row for row in rows if _kind(row) not in NO_SCORE]
        numbered = _numbered(rows)
        found = [_assessment(row, data, numbered) for row in rows]
        told: tuple[str, ...] = ()
        if not _meet(found):
            of_traces = [_assessment(row, data, numbered, whole=True) for row in rows]
            if _meet(of_traces):
                found, told = of_traces, (AT_THE_TRACE,)
        scores = compared(found, data, WORDS)
        return replace(scores, told=(*scores.told, *told), used=_used(data))


def _used(data: DataSettings) -> tuple[str, ...]:
    """Return the settings that say who gave what came by the API, and no rater."""
    return ("human",) if EITHER in (data.human or ()) else ()


def _meet(found: Sequence[Assessment]) -> bool:
    """Return whether people and judges scored one and the same response."""
    people, judges = ({each.response for each in found if each.human is human} for human in (True, False))
    return bool(people & judges)


def _checked(row: Any, number: int) -> Mapping[str, Any]:
    """Return a row that is a score."""
    if not isinstance(row, Mapping) or not {"source", "name"} <= set(row):
        raise InputError(f"row {number}: expected a score of Langfuse, with 'name' and 'source'.")
    return row


def _kind(row: Mapping[str, Any]) -> str:
    return str(field(row, "dataType", "data_type") or "").upper()


def _numbered(rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return the names of scores each of whose categories has a number of its own."""
    numbers: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        if _kind(row) == "CATEGORICAL":
            word, number = _word(row), text_of(row.get("value"))
            numbers.setdefault(str(row["name"]), {}).setdefault(word or "", set()).add(number or "")
    return frozenset(
        name
        for name, words in numbers.items()
        if all(len(own) == 1 for own in words.values()) and len(set().union(*words.values())) == len(words) > 1
    )


def _word(row: Mapping[str, Any]) -> str | None:
    return text_of(field(row, "stringValue", "string_value"))


def _assessment(
    row: Mapping[str, Any], data: DataSettings, numbered: frozenset[str], *, whole: bool = False
) -> Assessment:
    """Return a score as an assessment."""
    source, name = str(row["source"]).upper(), str(row["name"])
    value = score_of(row.get("value"))
    if _kind(row) == "CATEGORICAL" and name not in numbered:
        value = _word(row) or value
    human = source == HUMAN or (source == EITHER and EITHER in (data.human or ()))
    if source == EITHER and not human and EITHER not in _named(data):
        raise InputError(
            "who gave the scores of source API cannot be told; type --system API when a judge gave them, --human API "
            "when people did, or export without them."
        )
    by = text_of(field(row, "authorUserId", "author_user_id")) if human else None
    return Assessment(_response(row, whole=whole), name, by or ("" if source == HUMAN else source), human, value)


def _named(data: DataSettings) -> Sequence[str | None]:
    return (data.system, *(data.systems or ()))


def _response(row: Mapping[str, Any], *, whole: bool) -> str:
    """Return what a score is of: an observation, a trace or a session; of a `whole` trace rather than a part of it."""
    subject = row.get("subject")
    place = subject if isinstance(subject, Mapping) else row
    parts = ("id",) if isinstance(subject, Mapping) else ("observationId", "observation_id")
    found = text_of(field(place, *((*TRACES, *parts) if whole else (*parts, *TRACES))))
    if not found:
        raise InputError("a score names no observation, trace or session; export scores of responses.")
    return found
