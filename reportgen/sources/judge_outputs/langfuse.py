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

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.sources.judge_outputs.ratings import RatingsReader
from reportgen.sources.judge_outputs.records import field, text_of

KIND = ("dataType", "data_type")
WORD = ("stringValue", "string_value")
TRACES = ("traceId", "trace_id", "sessionId", "session_id")
REMARKS = ("TEXT", "CORRECTION")
"""Kinds of scores that are no scores."""


class Langfuse(RatingsReader):
    """Reads scores of Langfuse."""

    title = "Langfuse scores, from its API or exported (.json, .jsonl, .csv, .parquet)"
    tool, id_column = "Langfuse", "response"
    marks = (KIND, ("traceId", "trace_id", "subject"), ("source",), ("name",), ("value",))
    inside = ("data", "scores")
    response = ("subject.id", "observationId", "observation_id", *TRACES)
    whole = (*(f"subject.{name}" for name in TRACES), *TRACES, *response)
    name, kind, value = ("name",), ("source",), ("value",)
    person = ("authorUserId", "author_user_id")
    people, judges = ("ANNOTATION",), ("EVAL",)

    def rows(self, path: Path) -> list[tuple[int, Mapping[str, Any]]]:
        """Return the scores, without remarks; categories as numbers if each of a name has one, otherwise as words."""
        rows = [(number, row) for number, row in super().rows(path) if _kind(row) not in REMARKS]
        pairs = defaultdict[str, set[tuple[str | None, str | None]]](set)
        for _, row in rows:
            if _kind(row) == "CATEGORICAL":
                pairs[str(row.get("name"))].add((text_of(field(row, *WORD)), text_of(row.get("value"))))
        words = {
            name
            for name, found in pairs.items()
            if len(found) < 2 or any(len(set(each)) < len(found) for each in zip(*found, strict=True))
        }
        return [
            (number, {**row, "value": field(row, *WORD, "value")})
            if _kind(row) == "CATEGORICAL" and str(row.get("name")) in words
            else (number, row)
            for number, row in rows
        ]


def _kind(row: Mapping[str, Any]) -> str:
    return str(field(row, *KIND) or "").upper()
