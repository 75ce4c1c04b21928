"""Assessments of MLflow traces, as JSON, JSON lines, CSV or Parquet.

``mlflow.search_traces()`` and ``mlflow.genai.evaluate(...).result_df`` have the columns ``trace_id`` and
``assessments``, a list of objects with ``assessment_name``, ``source`` (``source_type`` HUMAN, LLM_JUDGE or
CODE; ``source_id``) and ``feedback`` or ``expectation``, each with a ``value``; `Trace.to_json` has them in
``info``.  ``valid`` is false where a later assessment overrides one.  Documented at
https://mlflow.org/docs/latest/api_reference/python_api/mlflow.entities.html (Assessment, Feedback,
Expectation, AssessmentSource) and https://mlflow.org/docs/latest/genai/assessments/feedback/.  In a CSV file
the list is text, as JSON or as Python writes it.

The assessments of one name are compared: those of source type HUMAN with the others.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.settings import DataSettings
from reportgen.sources.json_texts import json_of
from reportgen.sources.judge_outputs.pivoting import Assessment, Words, compared
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import names_of, rows_of, score_of

HUMAN = "HUMAN"
ID = "trace_id"
WORDS = Words("MLflow", ID, "assessment", "assessments", "traces hold")


class MlflowAssessments:
    """Reads assessments of MLflow traces."""

    title = "MLflow traces with assessments (.json, .jsonl, .csv, .parquet)"

    def recognises(self, path: Path) -> bool:
        """Return whether a table has the columns of traces and assessments, or JSON begins like such."""
        return {ID, "assessments"} <= set(names_of(path))

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per assessment.

        Raises
        ------
        InputError
            It holds no assessments by people and by judges of one name, or of several.
        """
        found = [
            assessment for place, trace in enumerate(_traces(path), 1) for assessment in _assessments(trace, place)
        ]
        return compared(found, data, WORDS)


def _traces(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield every trace as an object with ``trace_id`` and ``assessments``."""
    rows = rows_of(path, ID, ("traces",), (ID, "assessments"))
    for number, row in enumerate(rows, 1):
        info = row.get("info") if isinstance(row, Mapping) else None
        trace = info if isinstance(info, Mapping) else row
        if not isinstance(trace, Mapping) or ID not in trace:
            raise InputError(f"trace {number} of the file has no '{ID}'; expected traces of MLflow.")
        yield trace


def _assessments(trace: Mapping[str, Any], place: int) -> Iterator[Assessment]:
    """Yield the assessments of a trace that no later one overrides."""
    for given in _listed(trace.get("assessments"), place):
        source = given.get("source")
        source = source if isinstance(source, Mapping) else {}
        kind = str(source.get("source_type") or "").upper()
        held = given.get("feedback") or given.get("expectation") or {}
        if given.get("valid") is False or not isinstance(held, Mapping):
            continue
        name = str(given.get("assessment_name") or given.get("name") or "")
        value = held.get("value")
        if value is None and isinstance(held.get("serialized_value"), Mapping):
            value = held["serialized_value"].get("value")
        by = str(source.get("source_id") or kind.lower() or "unknown")
        yield Assessment(str(trace[ID]), name, by, kind == HUMAN, score_of(value))


def _listed(cell: Any, place: int) -> list[Mapping[str, Any]]:
    """Return a cell of assessments as a list of objects."""
    if isinstance(cell, str):
        cell = _read_text(cell, place)
    if cell is None:
        return []
    if not isinstance(cell, list) or not all(isinstance(each, Mapping) for each in cell):
        raise InputError(f"trace {place}: expected a list of objects as its assessments.")
    return cell


def _read_text(text: str, place: int) -> Any:
    """Return a list that stands as text, as JSON or as Python writes it."""
    for read in (json_of, _python):
        try:
            return read(text) if text.strip() else None
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    raise InputError(f"trace {place}: its assessments are no list as JSON or Python writes it.")


def _python(text: str) -> Any:
    """Return what a literal of Python holds, of what JSON can hold."""
    return json_of(json.dumps(ast.literal_eval(text)))
