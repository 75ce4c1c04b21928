"""Reader of promptfoo results, as ``promptfoo eval -o out.json`` writes them.

``results.results`` (in older files ``results``) lists one object per test case, provider, and prompt, with ``vars``,
``provider``, ``prompt``, ``testIdx``, ``response.output``, and ``gradingResult``, whose ``componentResults`` name each
assertion; a person's rating in the viewer is a component of type "human".  ``--repeat`` repeats a test case under
another ``testIdx``.  Documented at https://www.promptfoo.dev/docs/configuration/outputs and in the types
``EvaluateResult`` and ``GradingResult`` of https://www.promptfoo.dev/docs/configuration/reference.

If outputs are numbers, the providers are the judges, and the test cases are the responses.  If outputs are text that a
model-graded assertion scores, the assertion is the judge, and every output is a separate response.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from reportgen.errors import InputError, listed
from reportgen.judges.pivoting import Output, Row, by_response, chosen
from reportgen.judges.records import DescribedReader, field, is_number, mostly_numbers, rows_of, score_of, text_of
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.judge_readers import ReadScores

OUTPUT, TOTAL, HUMAN = "output", "score", "human"
ID, HUMAN_COLUMN = "output id", "human rating"

Result = Mapping[str, Any]


class Promptfoo(DescribedReader):
    """Reader of promptfoo results."""

    key = "promptfoo"
    graded: Sequence[str]

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per response."""
        results = sorted(
            rows_of(path, ("results",)), key=lambda result: (_index(result, "testIdx"), _index(result, "promptIdx"))
        )
        assertions = _assertions(results)
        judges = self._judges(results, assertions, data)
        return _of_outputs(results, data) if judges == [OUTPUT] else _of_assertions(results, assertions, judges, data)

    def _judges(self, results: Sequence[Result], assertions: Assertions, data: DataSettings) -> list[str]:
        """Return the scores to evaluate: "output", "score" (of all assertions together), or names of assertions."""
        every = [one for each in assertions for one in each if one.kind != HUMAN]
        names = list(dict.fromkeys(one.name for one in every))
        graded = list(dict.fromkeys(one.name for one in every if one.kind in self.graded))
        if mostly_numbers(map(_output, results)):
            candidates = [OUTPUT, *graded]
        elif names:
            candidates = graded or names
        else:
            candidates = [TOTAL] if any(is_number(text_of(result.get("score"))) for result in results) else []
        return chosen((OUTPUT, TOTAL, *names), data, candidates)


def _index(result: Result, key: str) -> int:
    value = result.get(key)
    return value if isinstance(value, int) else 0


def _output(result: Result) -> str | None:
    return score_of(field(result, "response.output"))


class Assertion(NamedTuple):
    """An assertion about one output, with its score."""

    kind: str
    name: str
    value: str | None
    score: str | None


Assertions = Sequence[Sequence[Assertion]]  # those about each output


def _assertions(results: Sequence[Result]) -> list[list[Assertion]]:
    """Return the assertions about each output; assertions that share a name are numbered.

    They are numbered by their question or, if it differs by test case, by their order.  If outputs have different
    numbers of assertions with different questions, the assertions cannot be matched and keep their names.
    """
    found = [_assertions_of(result) for result in results]
    for name in dict.fromkeys(one.name for each in found for one in each if one.name != HUMAN):
        places = [[place for place, one in enumerate(each) if one.name == name] for each in found]
        asked = [[each[place].value for place in same] for each, same in zip(found, places, strict=True)]
        most, numbers = max(map(len, asked)), _by_what_they_ask(asked)
        if most == 1 or (numbers is None and len(set(map(len, asked)) - {0}) > 1):
            continue
        for each, same, values in zip(found, places, asked, strict=True):
            for place, value, number in zip(same, values, range(1, most + 1), strict=False):
                each[place] = each[place]._replace(name=f"{name} {numbers[value] if numbers else number}")
    return found


def _by_what_they_ask(asked: Sequence[Sequence[str | None]]) -> dict[str | None, int] | None:
    """Return the number of each question in order of appearance; None if questions do not identify the assertions."""
    numbers = {value: number for number, value in enumerate(dict.fromkeys(v for each in asked for v in each), 1)}
    repeated = any(len(set(each)) < len(each) for each in asked)
    moved = len({(value, place) for each in asked for place, value in enumerate(each)}) > len(numbers)
    return numbers if not repeated and (moved or len(numbers) == max(map(len, asked))) else None


def _assertions_of(result: Result) -> list[Assertion]:
    """Return the assertions about one output, named by their metric or type."""
    listed = field(result, "gradingResult.componentResults")
    found = []
    for component in listed if isinstance(listed, list) else []:
        assertion = component.get("assertion") if isinstance(component, Mapping) else None
        if isinstance(assertion, Mapping):
            kind = str(assertion.get("type") or "")
            name = HUMAN if kind == HUMAN else str(assertion.get("metric") or kind or "assertion")
            found.append(Assertion(kind, name, text_of(assertion.get("value")), text_of(component.get("score"))))
    return found


def _vars(result: Result) -> dict[str, str | None]:
    every = [field(result, key) for key in ("testCase.metadata", "metadata", "testCase.vars", "vars")]
    return {str(name): text_of(value) for each in every if isinstance(each, Mapping) for name, value in each.items()}


def _provider(result: Result) -> str:
    return str(field(result, "provider.label", "provider.id", "provider") or "provider")


def _prompts(results: Iterable[Result]) -> list[str]:
    """Return a short name for the prompt of each result: its label, a number if that is the text, "" for one prompt."""
    names: dict[str, str] = {}
    given = []
    for result in results:
        label = str(field(result, "prompt.label") or "")
        raw = str(result.get("promptId") or label or result.get("promptIdx") or "")
        short = label if label != raw and len(label) <= 40 and label not in names.values() else ""
        names.setdefault(raw, short or f"prompt {len(names) + 1}")
        given.append(raw)
    return [names[raw] if len(names) > 1 else "" for raw in given]


def _of_outputs(results: Sequence[Result], data: DataSettings) -> ReadScores:
    """Return one row per test case, with a column per provider."""
    outputs = []
    id_column = column_names.first_of("id", dict.fromkeys(name for result in results for name in _vars(result)))
    for result, prompt in zip(results, _prompts(results), strict=True):
        known = _vars(result)
        key = (known.get(id_column) if id_column else None) or json.dumps(known, sort_keys=True)
        judge = ", ".join(filter(None, (_provider(result), prompt)))
        outputs.append(Output(key, known, {judge: _output(result)}))
    judges = list(dict.fromkeys(name for output in outputs for name in output.scores))
    text = f"promptfoo: the outputs of {listed(judges)} are used as scores, one row per test case."
    return by_response(outputs, data, judges=judges, id_column=id_column or "", notes=(text,))


def _of_assertions(
    results: Sequence[Result], assertions: Assertions, judges: Sequence[str], data: DataSettings
) -> ReadScores:
    """Return one row per output, with the assertion's score and a person's rating."""
    outputs = []
    rated = any(one.kind == HUMAN for each in assertions for one in each)
    for place, (result, given, prompt) in enumerate(zip(results, assertions, _prompts(results), strict=True)):
        key = f"{_index(result, 'testIdx')}-{_index(result, 'promptIdx')}-{place}"
        known = {ID: key, **_vars(result), "provider": _provider(result)}
        if prompt:
            known["prompt name"] = prompt
        scores = {OUTPUT: _output(result), **_scores(given, judges)}
        ratings = [one.score for one in given if one.kind == HUMAN]
        if rated:
            known[HUMAN_COLUMN] = ratings[-1] if ratings else None
        if not ratings:  # a person's rating replaces the total score
            scores[TOTAL] = text_of(result.get("score"))
        outputs.append(Output(key, known, scores))
    texts = [f"promptfoo: the scores of {listed(judges)} are used as the judge's scores, one row per output."]
    if rated and data.human is None:
        texts.append("promptfoo: ratings from its viewer are used as human scores, on a scale from 0 to 1.")
    return by_response(
        outputs, data, judges=judges, id_column=ID, notes=texts,
        human=(HUMAN_COLUMN,) if rated else (), scale={"low": 0.0, "high": 1.0} if rated else None,
    )  # fmt: skip


def _scores(assertions: Sequence[Assertion], judges: Sequence[str]) -> Row:
    found: Row = {}
    for each in assertions:
        if each.kind == HUMAN or each.name not in judges:
            continue
        if each.name in found:
            why = f"some outputs have more assertions named '{each.name[:60]}' than others, so it is not clear "
            raise InputError(f"{why}which is which; give each a metric in the promptfoo configuration.")
        found[each.name] = each.score
    return found
