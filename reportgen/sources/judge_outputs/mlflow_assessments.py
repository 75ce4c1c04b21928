"""Assessments of MLflow traces, as JSON, JSON lines, CSV or Parquet.

``mlflow.search_traces()`` and ``mlflow.genai.evaluate(...).result_df`` have the columns ``trace_id`` and
``assessments``, a list of objects with ``assessment_name``, ``source`` (``source_type`` HUMAN, LLM_JUDGE or
CODE; ``source_id``) and ``feedback`` or ``expectation``, each with a ``value``; `Trace.to_json` has them in
``info``.  ``valid`` is false where a later assessment overrides one.  Documented at
https://mlflow.org/docs/latest/api_reference/python_api/mlflow.entities.html (Assessment, Feedback,
Expectation, AssessmentSource) and https://mlflow.org/docs/latest/genai/assessments/feedback/.  In a CSV file
the list is text, as JSON or as Python writes it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.sources.jsonlines import json_of
from reportgen.sources.judge_outputs.ratings import RatingsReader

ASSESSMENTS = "assessments"


class MlflowAssessments(RatingsReader):
    """Reads assessments of MLflow traces."""

    title = "MLflow traces with assessments (.json, .jsonl, .csv, .parquet)"
    tool, id_column = "MLflow", "trace_id"
    marks = (("trace_id",), (ASSESSMENTS,))
    inside = ("traces",)
    columns = ("trace_id", ASSESSMENTS)
    response, name = ("trace_id",), ("assessment_name", "name")
    kind = ("source.source_type",)
    value = (
        *("feedback.value", "feedback.serialized_value.value"),
        *("expectation.value", "expectation.serialized_value.value"),
    )
    person = judge = ("source.source_id",)
    people, judges = ("HUMAN",), ("LLM_JUDGE", "AI_JUDGE", "CODE")

    def rows(self, path: Path) -> list[tuple[int, Mapping[str, Any]]]:
        """Return the assessments of all traces that no later one overrides."""
        return [
            (number, {**each, "trace_id": trace.get("trace_id")})
            for number, row in super().rows(path)
            for trace in [row["info"] if isinstance(row.get("info"), Mapping) else row]
            for each in _listed(trace.get(ASSESSMENTS), number)
            if each.get("valid") is not False
        ]


def _listed(cell: Any, number: int) -> list[Mapping[str, Any]]:
    """Return a cell of assessments as a list of objects."""
    found = _read_text(cell) if isinstance(cell, str) else cell
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise InputError(f"row {number}: expected a list of objects as its assessments, as JSON or Python writes it.")
    return found


def _read_text(text: str) -> Any:
    """Return a list that is text, as JSON or as Python writes it; the text if it is neither."""
    if not text.strip():
        return None
    for read in (json_of, lambda text: json_of(json.dumps(ast.literal_eval(text)))):
        try:
            return read(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return text
