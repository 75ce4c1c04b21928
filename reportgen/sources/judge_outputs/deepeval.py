"""Test runs of DeepEval, as it saves them (``results_folder``, or ``.deepeval/.latest_test_run.json``).

``testCases`` and ``conversationalTestCases`` list objects with ``name``, ``input``, ``actualOutput``, ``metadata`` and
``metricsData``: objects with ``name``, ``score``, ``success`` and ``evaluationModel``.  Read in the package
deepeval 4.3.1 (``deepeval.test_run.test_run.TestRun``, ``deepeval.test_run.api``, ``deepeval.tracing.api.MetricData``).

People's scores may stand in the ``metadata`` of test cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.settings import DataSettings
from reportgen.sources.judge_outputs.pivoting import Output, Row, by_response, chosen, flat
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import opening, rows_of, score_of, text_of

CASES = ("testCases", "conversationalTestCases")
ID = "test case"
TEXTS = {"input": "input", "actualOutput": "actual output", "expectedOutput": "expected output", "scenario": "scenario"}


class DeepEval:
    """Reads test runs of DeepEval."""

    title = "DeepEval test runs (.json)"

    def recognises(self, path: Path) -> bool:
        """Return whether a file is JSON that begins like a test run."""
        start = opening(path) if path.suffix.lower() == ".json" else ""
        return any(f'"{name}"' in start for name in CASES) and '"metricsData"' in start

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per test case.

        Raises
        ------
        InputError
            It holds no scores, or several metrics could be meant, or a test case has one twice.
        """
        cases = rows_of(path, CASES)
        names = [text_of(case.get("name")) for case in cases]
        named = all(names) and len(set(names)) == len(names)
        outputs = []
        for number, (case, name) in enumerate(zip(cases, names, strict=True), 1):
            case_id = name if named and name else str(number)
            texts = {title: text_of(case.get(key)) for key, title in TEXTS.items() if key in case}
            known = {ID: case_id, **texts, **flat(case.get("metadata"))}
            outputs.append(Output(case_id, known, _scores(case, number)))
        judges = chosen((name for output in outputs for name in output.scores), data)
        return by_response(outputs, judges, data, tool="DeepEval", id_column=ID)


def _scores(case: Mapping[str, Any], number: int) -> Row:
    """Return the score of every metric of a test case."""
    listed = case.get("metricsData")
    found: Row = {}
    for metric in listed if isinstance(listed, list) else ():
        name = str(metric.get("name") or "metric") if isinstance(metric, Mapping) else None
        if name is None or name in found:
            raise InputError(f"test case {number} has a metric twice, or one that is no object; name metrics apart.")
        found[name] = score_of(metric.get("score"))
    return found
