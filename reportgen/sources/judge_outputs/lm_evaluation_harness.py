"""Samples of lm-evaluation-harness, ``lm_eval --log_samples``: ``samples_TASK_TIME.jsonl``.

Each line has ``doc_id``, ``doc``, ``target``, ``resps``, ``filtered_resps``, ``filter``, ``metrics`` (names) and the
value of every metric under its name.  Read in the package lm_eval 0.4.13 (``lm_eval.evaluator``,
``lm_eval.loggers.evaluation_tracker``).

Where targets and answers are numbers, the model is the judge and the target is the human score; elsewhere a metric is
the judge, and people's scores may stand in ``doc``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.settings import DataSettings
from reportgen.sources.judge_outputs.pivoting import Output, by_response, chosen, flat, human_columns, systems_of
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import mostly_numbers, names_of, quoted, rows_of, score_of, text_of

TOOL = "lm-evaluation-harness"
ID, TARGET, ANSWER = "doc_id", "target", "answer"

Sample = Mapping[str, Any]


class LmEvaluationHarness:
    """Reads samples of lm-evaluation-harness."""

    title = "lm-evaluation-harness samples, lm_eval --log_samples (.jsonl)"

    def recognises(self, path: Path) -> bool:
        """Return whether a file is JSON lines that begin like samples."""
        lines = path.suffix.lower() in (".jsonl", ".jsonlines")
        return lines and {ID, "filtered_resps", TARGET} <= names_of(path)

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per document.

        Raises
        ------
        InputError
            It holds no samples, or several metrics could be meant.
        """
        samples = rows_of(path)
        for number, sample in enumerate(samples, 1):
            if not {ID, "filtered_resps"} <= set(sample):
                raise InputError(f"row {number}: expected a sample of lm-evaluation-harness, with 'doc_id'.")
        metrics = {name for sample in samples for name in _metrics(sample)}
        named = {data.score, *systems_of(data)} & metrics
        answers = (
            not named
            and mostly_numbers(answer for sample in samples for answer in _answers(sample))
            and mostly_numbers(text_of(sample.get(TARGET)) for sample in samples)
        )
        filters = {_filter(sample) for sample in samples}
        outputs = [output for sample in samples for output in _outputs(sample, answers=answers, filters=len(filters))]
        every = dict.fromkeys(name for output in outputs for name in output.scores)
        if not answers:
            return by_response(outputs, chosen(every, data), data, tool=TOOL, id_column=ID)
        human = (TARGET, *human_columns(name for output in outputs for name in output.known))
        told = f"{TOOL}: the answers ({quoted(every)}) are taken as scores, targets as human ones."
        return by_response(outputs, tuple(every), data, tool=TOOL, id_column=ID, human=human, told=(told,))


def _outputs(sample: Sample, *, answers: bool, filters: int) -> list[Output]:
    """Return what a sample says of its document: the answer of each run, or the value of each metric."""
    response = text_of(sample[ID]) or ""
    own = {name: value for name, value in flat(sample.get("doc")).items() if name not in (ID, TARGET)}
    known = {ID: response, **own, TARGET: text_of(sample.get(TARGET))}
    if answers:
        judge = _filter(sample) if filters > 1 else ANSWER
        return [Output(response, known, {judge: answer}) for answer in _answers(sample)]
    suffix = f", {_filter(sample)}" if filters > 1 else ""
    return [Output(response, known, {f"{name}{suffix}": score_of(sample.get(name)) for name in _metrics(sample)})]


def _answers(sample: Sample) -> list[str | None]:
    """Return what the model answered, once for each run."""
    given = sample["filtered_resps"]
    first = given[0] if isinstance(given, list) and given else given
    return [score_of(answer) for answer in (first if isinstance(first, list) else [first])]


def _metrics(sample: Sample) -> list[str]:
    """Return the names of the metrics of a sample."""
    listed = sample.get("metrics")
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []


def _filter(sample: Sample) -> str:
    return str(sample.get("filter") or "none")
