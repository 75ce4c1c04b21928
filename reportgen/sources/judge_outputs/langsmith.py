"""Feedback of LangSmith, and its experiments as tables.

A feedback has ``run_id``, ``key``, ``score``, ``value`` and ``feedback_source`` with ``type`` (app, model, auto_eval
or api), ``user_id`` and ``user_name``; ``Client.list_feedback`` gives them.  An experiment as a frame
(``ExperimentResults.to_pandas``) has ``inputs.*``, ``outputs.*``, ``reference.*``, ``feedback.*``,
``execution_time``, ``example_id`` and ``id``.  Read in the package langsmith 0.15.0 (``langsmith.schemas.Feedback``,
``langsmith.evaluation._runner``) and documented at https://docs.langchain.com/langsmith/feedback-data-format.

Feedback of source app is a person's, of model and auto_eval a judge's; api may be either, and is asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, write_command
from reportgen.settings import DataSettings
from reportgen.sources.judge_outputs.pivoting import Assessment, Words, compared, graded, is_of_people
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import field, names_of, rows_of, score_of, text_of

WORDS = Words("LangSmith", "run_id", "feedback score", "feedback scores")
PEOPLE, JUDGES, EITHER = ("app",), ("model", "auto_eval"), "api"
KEY, EXAMPLE, FEEDBACK = "run_id", "example_id", "feedback."


class LangSmith:
    """Reads feedback, and tables of experiments, of LangSmith."""

    title = "LangSmith feedback, and experiments as tables (.json, .jsonl, .csv, .parquet)"

    def recognises(self, path: Path) -> bool:
        """Return whether a table has the columns of feedback or of an experiment, or JSON begins like such."""
        names = set(names_of(path))
        source = "feedback_source" in names or "feedback_source.type" in names
        experiment = {EXAMPLE, "execution_time"} <= names and any(name.startswith(FEEDBACK) for name in names)
        return (source and {KEY, "key", "score"} <= names) or experiment

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per feedback, or one per run of an experiment.

        Raises
        ------
        InputError
            Several keys could be meant, people or judges gave no feedback, or who gave it is not told.
        """
        rows = list(rows_of(path, KEY, ("feedback", "data"))) if KEY in names_of(path) else list(rows_of(path, EXAMPLE))
        for number, row in enumerate(rows, 1):
            if not isinstance(row, Mapping):
                raise InputError(f"row {number}: expected an object of LangSmith.")
        if rows and EXAMPLE in rows[0] and "key" not in rows[0]:
            return _experiment(rows, data)
        found = compared([_assessment(row, number, data) for number, row in enumerate(rows, 1)], data, WORDS)
        return replace(found, used=("human",) if EITHER in (data.human or ()) else ())


def _assessment(row: Mapping[str, Any], number: int, data: DataSettings) -> Assessment:
    """Return a feedback as an assessment."""
    source = row.get("feedback_source")
    flat = source if isinstance(source, Mapping) else {key: row.get(f"feedback_source.{key}") for key in _FIELDS}
    kind, run = str(field(flat, "type") or "").lower(), text_of(field(row, KEY, "trace_id"))
    if not run or not field(row, "key"):
        raise InputError(f"row {number}: expected feedback of LangSmith, with 'run_id' and 'key'.")
    human = kind in PEOPLE or (kind == EITHER and EITHER in (data.human or ()))
    if not human and kind not in JUDGES and kind not in (data.system, *(data.systems or ())):
        named = kind if 0 < len(kind) <= 30 and kind.isprintable() else "NAME"
        raise InputError(
            f"who gave the feedback of source '{named}' cannot be told; type {write_command('--system', named)} when a "
            "judge gave it, --human when people did, or export without it."
        )
    by = text_of(field(flat, "user_id", "user_name")) if human else None
    value = score_of(field(row, "score", "value"))
    return Assessment(run, str(row["key"]), by or ("" if human else kind), human, value)


_FIELDS = ("type", "user_id", "user_name")


def _experiment(rows: list[Any], data: DataSettings) -> ReadScores:
    """Return one row per run of an experiment."""
    metrics = [
        name
        for name in rows[0]
        if name.startswith(FEEDBACK) and name not in (data.human or ()) and not is_of_people(name)
    ]
    if data.score is not None and f"{FEEDBACK}{data.score}" in metrics:
        data = data.model_copy(update={"score": f"{FEEDBACK}{data.score}"})
    known = [{name: text_of(row.get(name)) for name in rows[0] if name and name not in metrics} for row in rows]
    scores = [{name: score_of(row.get(name)) for name in metrics} for row in rows]
    return graded(known, scores, data, tool="LangSmith", id_column="id" if "id" in rows[0] else EXAMPLE)
