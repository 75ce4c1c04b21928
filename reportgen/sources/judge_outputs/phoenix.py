"""Annotations of spans, traces and sessions of Phoenix, and frames of its evaluators.

An annotation has ``name`` (in frames ``annotation_name``), ``annotator_kind`` (HUMAN, LLM or CODE), ``span_id``,
``trace_id`` or ``session_id``, ``result`` with ``label`` and ``score`` (in frames ``result.label`` and
``result.score``), ``identifier`` and ``user_id``; ``Client.spans.get_span_annotations_dataframe`` gives them.  Read
in the package arize-phoenix-client 3.5.0 (``phoenix.client.__generated__.v1``, ``phoenix.client.resources.spans``).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.settings import DataSettings
from reportgen.sources.judge_outputs.pivoting import Assessment, Words, compared
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import field, names_of, rows_of, score_of, text_of

KIND = "annotator_kind"
IDS = ("span_id", "context.span_id", "trace_id", "session_id")
WORDS = Words("Phoenix", "span_id", "annotation", "annotations")


class Phoenix:
    """Reads annotations of Phoenix."""

    title = "Phoenix annotations (.json, .jsonl, .csv, .parquet)"

    def recognises(self, path: Path) -> bool:
        """Return whether a table has the columns of annotations, or JSON begins like such."""
        names = set(names_of(path))
        return KIND in names and bool(names & set(IDS)) and bool(names & {"name", "annotation_name"})

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per annotation.

        Raises
        ------
        InputError
            It holds no annotations by people and by judges of one name, or of several.
        """
        rows = rows_of(path, KIND, ("data",))
        return compared([_assessment(row, number) for number, row in enumerate(rows, 1)], data, WORDS)


def _assessment(row: Any, number: int) -> Assessment:
    """Return an annotation as an assessment."""
    response = text_of(field(row, *IDS)) if isinstance(row, Mapping) else None
    name, kind = (field(row, *names) for names in (("annotation_name", "name"), (KIND,))) if response else (None, None)
    if not response or name is None or str(kind).upper() not in ("HUMAN", "LLM", "CODE"):
        raise InputError(
            f"row {number}: expected an annotation of Phoenix, with the id of a span, a name, and {KIND} HUMAN, LLM or "
            "CODE."
        )
    result = row.get("result")
    held = result if isinstance(result, Mapping) else {key: row.get(f"result.{key}") for key in ("score", "label")}
    human = str(kind).upper() == "HUMAN"
    by = text_of(field(row, "user_id", "identifier") if human else field(row, "identifier"))
    value = score_of(field(held, "score", "label"))
    return Assessment(response, str(name), by or ("" if human else str(kind).upper()), human, value)
