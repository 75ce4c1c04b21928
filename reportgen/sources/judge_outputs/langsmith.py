"""Feedback of LangSmith, and its experiments as tables.

A feedback has ``run_id``, ``key``, ``score``, ``value`` and ``feedback_source`` with ``type`` (app, model, auto_eval
or api), ``user_id`` and ``user_name``; ``Client.list_feedback`` gives them.  An experiment as a frame
(``ExperimentResults.to_pandas``) has ``inputs.*``, ``outputs.*``, ``reference.*``, ``feedback.*``,
``execution_time``, ``example_id`` and ``id``.  Read in the package langsmith 0.15.0 (``langsmith.schemas.Feedback``,
``langsmith.evaluation._runner``) and documented at https://docs.langchain.com/langsmith/feedback-data-format.

Feedback of source app is a person's, of model and auto_eval a judge's; api may be either, and is asked about.
"""

from __future__ import annotations

from pathlib import Path

from reportgen.settings import DataSettings
from reportgen.sources.judge_outputs.pivoting import Output, by_response, chosen, human_columns
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.ratings import RatingsReader
from reportgen.sources.judge_outputs.records import names_of, rows_of, score_of, text_of

FEEDBACK = "feedback."


class LangSmith(RatingsReader):
    """Reads feedback, and tables of experiments, of LangSmith."""

    title = "LangSmith feedback, and experiments as tables (.json, .jsonl, .csv, .parquet)"
    tool, id_column = "LangSmith", "run_id"
    inside = ("feedback", "data")
    response, name, value = ("run_id", "trace_id"), ("key",), ("score", "value")
    kind, person = ("feedback_source.type",), ("feedback_source.user_id", "feedback_source.user_name")
    marks = (("run_id",), name, ("score",), ("feedback_source", *kind))
    people, judges = ("APP",), ("MODEL", "AUTO_EVAL")

    def recognises(self, path: Path) -> bool:
        """Return whether a table has the columns of feedback or of an experiment, or JSON begins like such."""
        return super().recognises(path) or _is_experiment(path)

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per feedback, or one per run of an experiment.

        Raises
        ------
        InputError
            As for any file of ratings, or an experiment leaves open which score is meant.
        """
        if not _is_experiment(path):
            return super().read(path, data)
        rows = rows_of(path)
        people = {*(data.human or ()), *human_columns(name for row in rows for name in row)}
        outputs = []
        for number, row in enumerate(rows):
            scores = {name for name in row if name.startswith(FEEDBACK) and name not in people}
            known = {name: text_of(value) for name, value in row.items() if name and name not in scores}
            outputs.append(Output(str(number), known, {name: score_of(row[name]) for name in row if name in scores}))
        judges = chosen((name for output in outputs for name in output.scores), data)
        has_id = any("id" in output.known for output in outputs)
        return by_response(outputs, judges, data, tool=self.tool, id_column="id" if has_id else "example_id")


def _is_experiment(path: Path) -> bool:
    names = names_of(path)
    return {"example_id", "execution_time"} <= names and any(name.startswith(FEEDBACK) for name in names)
