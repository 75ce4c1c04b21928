"""Results of Ragas as tables, ``evaluate(...).to_pandas()`` written as CSV, JSON, JSON lines or Parquet.

A row has the fields of a sample (``user_input``, ``response``, ``retrieved_contexts``, ``reference`` ...) and a column
for every metric.  Read in the package ragas 0.4.3 (``ragas.dataset_schema.SingleTurnSample`` and
``EvaluationResult.to_pandas``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.judge_outputs.pivoting import Output, by_response, chosen
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import mostly_numbers, names_of, rows_of, score_of, text_of

SAMPLE = frozenset(
    (
        *("user_input", "response", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference"),
        *("reference_context_ids", "multi_responses", "rubrics", "persona_name", "query_style", "query_length"),
        *("reference_tool_calls", "reference_topics"),
    )
)
"""Fields of samples."""

METRICS = frozenset(
    (
        *("faithfulness", "answer_relevancy", "context_precision", "context_recall", "answer_correctness"),
        *("factual_correctness", "semantic_similarity", "answer_similarity", "context_entity_recall"),
    )
)
"""Names of metrics that tell a table of Ragas where it has no contexts."""

ROW = "row"


class Ragas:
    """Reads results of Ragas."""

    title = "Ragas results as a table (.csv, .json, .jsonl, .parquet)"

    def recognises(self, path: Path) -> bool:
        """Return whether a table has the fields of samples and a metric, or JSON begins like such."""
        names = set(names_of(path))
        return {"user_input", "response"} <= names and bool(names & {"retrieved_contexts", *METRICS})

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per sample.

        Raises
        ------
        InputError
            It holds no scores, or several metrics could be meant.
        """
        rows = rows_of(path)
        names = [name for name in dict.fromkeys(str(name) for row in rows for name in row) if name]
        metrics = [name for name in names if _is_metric(name, rows, data)]
        judges = chosen(metrics, data)
        own = column_names.first_id(names)
        outputs = []
        for number, row in enumerate(rows, 1):
            known = {name: text_of(row.get(name)) for name in names if name not in metrics}
            scores = {name: score_of(row.get(name)) for name in judges}
            outputs.append(Output(str(number), known if own else {ROW: str(number), **known}, scores))
        return by_response(outputs, judges, data, tool="Ragas", id_column=own or ROW, join_by=own or "user_input")


def _is_metric(name: str, rows: Sequence[Mapping[str, Any]], data: DataSettings) -> bool:
    """Return whether a column holds the values of a metric: numbers, and neither a field of samples nor people's."""
    if name in SAMPLE or name in (data.human or ()) or name == data.id:
        return False
    if column_names.is_human_name(name) or column_names.first_id([name]) or column_names.is_group_name(name):
        return False
    return mostly_numbers(score_of(row.get(name)) for row in rows)
