"""Readers of files with one object per response, scored by a metric, a model, or an answer."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, listed
from reportgen.judges.pivoting import Output, Row, by_response, flat, human_columns, systems_of
from reportgen.judges.records import DescribedReader, mostly_numbers, rows_of, score_of, text_of
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.judge_readers import ReadScores

CASE = "test case"
TEXTS = {"input": "input", "actualOutput": "actual output", "expectedOutput": "expected output", "scenario": "scenario"}


class DeepEval(DescribedReader):
    """Reader of DeepEval test runs: one row per test case, whose ``metadata`` may contain human scores."""

    key = "deepeval"

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per test case."""
        cases = rows_of(path, self.inside)
        names = [text_of(case.get("name")) for case in cases]
        named = all(names) and len(set(names)) == len(names)
        outputs = []
        for number, (case, name) in enumerate(zip(cases, names, strict=True), 1):
            case_id = name if named and name else str(number)
            texts = {title: text_of(case.get(key)) for key, title in TEXTS.items() if key in case}
            known = {CASE: case_id, **texts, **flat(case.get("metadata") or case.get("additionalMetadata"))}
            outputs.append(Output(case_id, known, _scores(case, number)))
        return by_response(outputs, data, tool=self.tool, id_column=CASE)


def _scores(case: Mapping[str, Any], number: int) -> Row:
    listed = case.get("metricsData")
    found: Row = {}
    for metric in listed if isinstance(listed, list) else ():
        name = str(metric.get("name") or "metric") if isinstance(metric, Mapping) else None
        if name is None or name in found:
            raise InputError(f"test case {number} has two metrics with the same name, or an invalid metric; rename it.")
        found[name] = score_of(metric.get("score"))
    return found


ROW = "row"


class Ragas(DescribedReader):
    """Reader of Ragas results: the fields of a sample, and a column for every metric."""

    key = "ragas"
    sample: Sequence[str]

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per sample."""
        rows = rows_of(path)
        names = [name for name in dict.fromkeys(str(name) for row in rows for name in row) if name]
        metrics = [name for name in names if self._is_metric(name, rows, data)]
        own = column_names.first_of("id", names)
        outputs = []
        for number, row in enumerate(rows, 1):
            known = {name: text_of(row.get(name)) for name in names if name not in metrics}
            scores = {name: score_of(row.get(name)) for name in metrics}
            outputs.append(Output(str(number), known if own else {ROW: str(number), **known}, scores))
        return by_response(outputs, data, tool=self.tool, id_column=own or ROW, join_by=own or "user_input")

    def _is_metric(self, name: str, rows: Sequence[Mapping[str, Any]], data: DataSettings) -> bool:
        """Return whether a column contains values of a metric: numbers that are not sample fields or human scores."""
        if name in self.sample or name in (data.human or ()) or name == data.id:
            return False
        if human_columns([name]) or column_names.first_of("id", [name]) or column_names.is_group_name(name):
            return False
        return mostly_numbers(score_of(row.get(name)) for row in rows)


DOCUMENT, TARGET, ANSWER = "doc_id", "target", "answer"

Sample = Mapping[str, Any]


class LmEvaluationHarness(DescribedReader):
    """Reader of lm-evaluation-harness samples.

    If targets and answers are numbers, the model is the judge, and the target is the human score.  Otherwise a metric
    is the judge, and ``doc`` may contain human scores.
    """

    key = "lm-evaluation-harness"

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per document."""
        samples = rows_of(path)
        for number, sample in enumerate(samples, 1):
            if not {DOCUMENT, "filtered_resps"} <= set(sample):
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
        if not answers:
            return by_response(outputs, data, tool=self.tool, id_column=DOCUMENT)
        every = tuple(dict.fromkeys(name for output in outputs for name in output.scores))
        human = (TARGET, *human_columns(name for output in outputs for name in output.known))
        text = f"{self.tool}: the answers ({listed(every)}) are used as scores, and the targets as human scores."
        return by_response(outputs, data, judges=every, id_column=DOCUMENT, human=human, notes=(text,))


def _outputs(sample: Sample, *, answers: bool, filters: int) -> list[Output]:
    """Return the outputs of a sample: the answer of each run, or the value of each metric."""
    response = text_of(sample[DOCUMENT]) or ""
    own = {name: value for name, value in flat(sample.get("doc")).items() if name not in (DOCUMENT, TARGET)}
    known = {DOCUMENT: response, **own} | ({TARGET: text_of(sample.get(TARGET))} if _answers(sample) else {})
    if answers:
        judge = _filter(sample) if filters > 1 else ANSWER
        return [Output(response, known, {judge: answer}) for answer in _answers(sample)]
    suffix = f", {_filter(sample)}" if filters > 1 else ""
    return [Output(response, known, {f"{name}{suffix}": score_of(sample.get(name)) for name in _metrics(sample)})]


def _answers(sample: Sample) -> list[str | None]:
    given = sample["filtered_resps"]
    first = given[0] if isinstance(given, list) and given else given
    pair = first if isinstance(first, list) else given
    if isinstance(pair, list) and str(pair[-1:]) in _GREEDY:
        return []  # log-likelihoods of choices, and whether each is the likeliest
    return [score_of(answer) for answer in (first if isinstance(first, list) else [first])]


_GREEDY = ("[True]", "[False]", "['True']", "['False']")


def _metrics(sample: Sample) -> list[str]:
    listed = sample.get("metrics")
    return [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []


def _filter(sample: Sample) -> str:
    return str(sample.get("filter") or "none")
