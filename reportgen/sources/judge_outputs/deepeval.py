"""Test runs of DeepEval, as it saves them (``results_folder``, or ``.deepeval/.latest_test_run.json``).

``testCases`` and ``conversationalTestCases`` list objects with ``name``, ``input``, ``actualOutput``, ``metadata`` and
``metricsData``: objects with ``name``, ``score``, ``success`` and ``evaluationModel``.  Read in the package
deepeval 4.3.1 (``deepeval.test_run.test_run.TestRun``, ``deepeval.test_run.api``, ``deepeval.tracing.api.MetricData``).

People's scores may stand in the ``metadata`` of test cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.settings import DataSettings
from reportgen.sources.judge_outputs.pivoting import Row, flat, graded
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import opening, parsed, score_of, text_of

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
            It holds no test cases, or several metrics could be meant, or a test case has one twice.
        """
        cases = list(_cases(parsed(path)))
        if not cases:
            raise InputError("the test run holds no test cases; there is nothing to evaluate.")
        names = [text_of(case.get("name")) for case in cases]
        named = all(names) and len(set(names)) == len(names)
        known: list[Row] = []
        for place, (case, name) in enumerate(zip(cases, names, strict=True), 1):
            own = {title: text_of(case.get(key)) for key, title in TEXTS.items() if key in case}
            known.append({ID: name if named else str(place), **own, **flat(case.get("metadata"))})
        scores = [_scores(case, place) for place, case in enumerate(cases, 1)]
        return graded(known, scores, data, tool="DeepEval", id_column=ID)


def _cases(content: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the test cases of a run, which may lie under a key of its own."""
    inner = [content, *content.values()] if isinstance(content, Mapping) else []
    run = next((each for each in inner if isinstance(each, Mapping) and set(CASES) & set(each)), None)
    if run is None:
        raise InputError("expected a test run of DeepEval: an object with a list 'testCases'.")
    for key in CASES:
        listed = run.get(key)
        for case in listed if isinstance(listed, list) else ():
            if not isinstance(case, Mapping):
                raise InputError(f"expected objects in the list '{key}' of a test run.")
            yield case


def _scores(case: Mapping[str, Any], place: int) -> Row:
    """Return the score of every metric of a test case."""
    listed = case.get("metricsData")
    found: Row = {}
    for metric in listed if isinstance(listed, list) else ():
        name = str(metric.get("name") or "metric") if isinstance(metric, Mapping) else None
        if name is None or name in found:
            raise InputError(f"test case {place} has a metric twice, or one that is no object; name metrics apart.")
        found[name] = score_of(metric.get("score"))
    return found
