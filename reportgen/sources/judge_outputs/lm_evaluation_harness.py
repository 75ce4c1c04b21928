"""Samples of lm-evaluation-harness, ``lm_eval --log_samples``: ``samples_TASK_TIME.jsonl``.

Each line has ``doc_id``, ``doc``, ``target``, ``resps``, ``filtered_resps``, ``filter``, ``metrics`` (names) and the
value of every metric under its name.  Read in the package lm_eval 0.4.13 (``lm_eval.evaluator``,
``lm_eval.loggers.evaluation_tracker``).

Where targets and answers are numbers, the model is the judge and the target is the human score; elsewhere a metric is
the judge, and people's scores may stand in ``doc``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.judge_outputs.pivoting import Output, Row, flat, graded, is_of_people, judged
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import (
    columns_of,
    mostly_numbers,
    names_of,
    quoted,
    rows_of,
    score_of,
    text_of,
)

ID, TARGET, ANSWER, NO_FILTER = "doc_id", "target", "answer", "none"

Sample = Mapping[str, Any]


class LmEvaluationHarness:
    """Reads samples of lm-evaluation-harness."""

    title = "lm-evaluation-harness samples, lm_eval --log_samples (.jsonl)"

    def recognises(self, path: Path) -> bool:
        """Return whether a file is JSON lines that begin like samples."""
        lines = path.suffix.lower() in (".jsonl", ".jsonlines")
        return lines and {ID, "filtered_resps", TARGET} <= set(names_of(path))

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per document.

        Raises
        ------
        InputError
            It holds no samples, or several metrics could be meant.
        """
        samples = list(_samples(path))
        answers = [answer for sample in samples for answer in _answers(sample)]
        targets = [text_of(sample.get(TARGET)) for sample in samples]
        metrics = {name for sample in samples for name in _metrics(sample)}
        named = {data.score, data.system, *(data.systems or ())} & metrics
        if not named and mostly_numbers(answers) and mostly_numbers(targets):
            return _of_answers(samples)
        return _of_metrics(samples, data)


def _samples(path: Path) -> Iterator[Sample]:
    """Yield every sample."""
    found = False
    for number, row in enumerate(rows_of(path, ID), 1):
        if not isinstance(row, Mapping) or not {ID, "filtered_resps"} <= set(row):
            raise InputError(f"line {number}: expected a sample of lm-evaluation-harness, with 'doc_id'.")
        found = True
        yield row
    if not found:
        raise InputError("the file holds no samples; there is nothing to evaluate.")


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
    return str(sample.get("filter") or NO_FILTER)


def _id(sample: Sample) -> str:
    return text_of(sample[ID]) or ""


def _known(sample: Sample) -> Row:
    """Return what is known of a document."""
    own = {name: value for name, value in flat(sample.get("doc")).items() if name not in (ID, TARGET)}
    return {ID: _id(sample), **own}


def _of_answers(samples: Sequence[Sample]) -> ReadScores:
    """Return one row per document, a column for the answers of each filter."""
    responses = {_id(sample): {**_known(sample), TARGET: text_of(sample.get(TARGET))} for sample in samples}
    several = len({_filter(sample) for sample in samples}) > 1
    outputs = [
        Output(_id(sample), _filter(sample) if several else ANSWER, answer)
        for sample in samples
        for answer in _answers(sample)
    ]
    judges = tuple(dict.fromkeys(output.judge for output in outputs))
    told = (f"lm-evaluation-harness: the answers ({quoted(judges)}) are taken as scores, targets as human ones.",)
    columns = columns_of(judged(outputs, responses))
    further = sorted((name for name in columns if is_of_people(name)), key=column_names.rater_order)
    return ReadScores(columns, {"layout": "wide", "id": ID, "systems": judges, "human": (TARGET, *further)}, told)


def _of_metrics(samples: Sequence[Sample], data: DataSettings) -> ReadScores:
    """Return one row per document, a column for the metric that is meant."""
    several = len({_filter(sample) for sample in samples}) > 1
    known: dict[str, Row] = {}
    scores: dict[str, Row] = {}
    for sample in samples:
        own = known.setdefault(_id(sample), _known(sample))
        given = scores.setdefault(_id(sample), {})
        for name in _metrics(sample):
            called = f"{name}, {_filter(sample)}" if several else name
            if called in given:
                raise InputError("a document stands in two samples; name one file of samples of one run.")
            given[called] = score_of(sample.get(name))
        if TARGET not in own:
            own[TARGET] = text_of(sample.get(TARGET))
    return graded(list(known.values()), list(scores.values()), data, tool="lm-evaluation-harness", id_column=ID)
