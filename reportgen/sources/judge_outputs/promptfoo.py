"""Results of promptfoo, as ``promptfoo eval -o out.json`` writes them.

``results.results`` (in older files ``results``) lists one object per test case, provider and prompt, with
``vars``, ``provider``, ``prompt``, ``testIdx``, ``response.output`` and ``gradingResult``, whose
``componentResults`` name each assertion; a person's rating in the viewer is a component of type "human".
``--repeat`` repeats a test case under another ``testIdx``.  Documented at
https://www.promptfoo.dev/docs/configuration/outputs and in the types ``EvaluateResult`` and
``GradingResult`` of https://www.promptfoo.dev/docs/configuration/reference.

Two uses are told apart.  Where outputs are numbers, providers are the judges, and responses are the test
cases.  Where outputs are texts that a model-graded assertion scores, that assertion is the judge, and
every output is a response of its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, write_command
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.judge_outputs.pivoting import Output, judged
from reportgen.sources.judge_outputs.plugin import ReadScores
from reportgen.sources.judge_outputs.records import (
    columns_of,
    is_number,
    mostly_numbers,
    opening,
    parsed,
    quoted,
    score_of,
    text_of,
)

OUTPUT, TOTAL, HUMAN = "output", "score", "human"
HUMAN_COLUMN = "human rating"

MODEL_GRADED = frozenset(
    (
        *("llm-rubric", "g-eval", "agent-rubric", "search-rubric", "conversation-relevance", "pi", "answer-relevance"),
        *("model-graded-closedqa", "model-graded-factuality", "factuality", "context-faithfulness", "context-recall"),
        *("context-relevance", "select-best", "max-score", "trajectory:goal-success"),
    )
)
"""Types of assertions that a model scores."""

Result = dict[str, Any]


class Promptfoo:
    """Reads results of promptfoo."""

    title = "promptfoo results, promptfoo eval -o out.json (.json)"

    def recognises(self, path: Path) -> bool:
        """Return whether a file is a JSON file that begins like results of promptfoo."""
        if path.suffix.lower() != ".json":
            return False
        start = opening(path)
        return '"results"' in start and any(mark in start for mark in ('"testIdx"', '"evalId"', '"promptIdx"'))

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return one row per response.

        Raises
        ------
        InputError
            It holds no results, or more than one score could be meant.
        """
        results = _results(parsed(path))
        assertions = _assertions(results)
        wanted = _wanted(results, assertions, data)
        return _of_outputs(results) if wanted == OUTPUT else _of_assertions(results, assertions, wanted, data)


def _results(content: Any) -> list[Result]:
    """Return the list of results in the order of their test cases."""
    inner = content.get("results") if isinstance(content, dict) else None
    found = inner.get("results") if isinstance(inner, dict) else inner
    if not isinstance(found, list) or not found or not all(isinstance(result, dict) for result in found):
        raise InputError("expected results of promptfoo: a list under results.results with an object for each output.")
    return sorted(found, key=lambda result: (_index(result, "testIdx"), _index(result, "promptIdx")))


def _index(result: Result, key: str) -> int:
    """Return a number that places a result; 0 when there is none."""
    value = result.get(key)
    return value if isinstance(value, int) else 0


def _output(result: Result) -> str | None:
    """Return what the provider put out, as a score."""
    response = result.get("response")
    return score_of(response.get("output")) if isinstance(response, dict) else None


@dataclass(frozen=True)
class Assertion:
    """An assertion about one output, with the score that it gave."""

    kind: str
    name: str
    value: str
    score: Any


def _assertions(results: Sequence[Result]) -> list[list[Assertion]]:
    """Return the assertions about each output; those that share a name are numbered.

    They are told apart by their values or, if a value differs from output to output, by their order.
    """
    found = [_assertions_of(result) for result in results]
    most = Counter[str]()
    for each in found:
        most |= Counter(one.name for one in each)
    for name in (name for name, count in most.items() if count > 1 and name != HUMAN):
        same = [[one for one in each if one.name == name] for each in found]
        values = list(dict.fromkeys(one.value for each in same for one in each))
        if len(values) == most[name]:
            numbers = {id(one): values.index(one.value) for each in same for one in each}
        elif {len(each) for each in same} <= {0, most[name]}:
            numbers = {id(one): place for each in same for place, one in enumerate(each)}
        else:
            continue  # which is which cannot be known: they may only be passed over
        found = [
            [replace(one, name=f"{name} {numbers[id(one)] + 1}") if id(one) in numbers else one for one in each]
            for each in found
        ]
    return found


def _assertions_of(result: Result) -> list[Assertion]:
    """Return the assertions about one output as they are named: by their metric or their type."""
    grading = result.get("gradingResult")
    listed = grading.get("componentResults") if isinstance(grading, dict) else None
    found = []
    for component in listed if isinstance(listed, list) else []:
        assertion = component.get("assertion") if isinstance(component, dict) else None
        if isinstance(assertion, dict):
            kind = str(assertion.get("type") or "")
            name = HUMAN if kind == HUMAN else str(assertion.get("metric") or kind or "assertion")
            value = json.dumps(assertion.get("value"), sort_keys=True, default=str)
            found.append(Assertion(kind, name, value, component.get("score")))
    return found


def _wanted(results: Sequence[Result], assertions: Sequence[Sequence[Assertion]], data: DataSettings) -> str:
    """Return which score is meant: "output", "score" (of all assertions together), or the name of an assertion."""
    every = [one for each in assertions for one in each if one.kind != HUMAN]
    names = list(dict.fromkeys(one.name for one in every))
    graded = list(dict.fromkeys(one.name for one in every if one.kind in MODEL_GRADED))
    if data.score is not None:
        if data.score not in (OUTPUT, TOTAL, *names):
            raise InputError(f"no score is named '{data.score}'; there are {quoted((OUTPUT, TOTAL, *names))}.")
        return data.score
    if mostly_numbers(map(_output, results)):
        if graded:
            raise InputError(
                f"the outputs are numbers, and {quoted(graded)} scores them too; say which is the judge's score: "
                f"{write_command('--score', OUTPUT)}, or {write_command('--score', graded[0])}."
            )
        return OUTPUT
    chosen = [name for name in (data.system, *(data.systems or ())) if name in names]
    if chosen:
        return str(chosen[0])
    for kinds in (graded, names):
        if len(kinds) == 1:
            return kinds[0]
        if kinds:
            typed = write_command("--score", kinds[0])
            raise InputError(f"several assertions give scores: {quoted(kinds)}; name one, as in {typed}.")
    if not any(is_number(text_of(result.get("score"))) for result in results):
        raise InputError("no output is a number and no assertion gives a score; there is nothing to evaluate.")
    return TOTAL


def _vars(result: Result) -> dict[str, str | None]:
    """Return the variables of a test case as columns."""
    case = result.get("testCase")
    found = result.get("vars") or (case.get("vars") if isinstance(case, dict) else None)
    return {str(name): text_of(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _provider(result: Result) -> str:
    """Return what a provider is called."""
    provider = result.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return str(provider or "provider")


def _prompts(results: Iterable[Result]) -> dict[str, str]:
    """Return a short name for every prompt text: its label, or its number where the label is the text."""
    names: dict[str, str] = {}
    for result in results:
        raw, label = _prompt(result)
        if raw not in names:
            short = label if label and label != raw and len(label) <= 40 and label not in names.values() else ""
            names[raw] = short or f"prompt {len(names) + 1}"
    return names


def _prompt(result: Result) -> tuple[str, str]:
    """Return the identity of a prompt, before variables are filled in where that is told, and its label."""
    prompt = result.get("prompt")
    label = str(prompt.get("label") or "") if isinstance(prompt, dict) else ""
    return str(result.get("promptId") or label or result.get("promptIdx") or ""), label


def _of_outputs(results: Sequence[Result]) -> ReadScores:
    """Return one row per test case, a column per provider."""
    prompts, outputs = _prompts(results), []
    responses: dict[str, dict[str, str | None]] = {}
    first = column_names.first_id(dict.fromkeys(name for result in results for name in _vars(result)))
    for result in results:
        known = _vars(result)
        key = (known.get(first) if first else None) or json.dumps(known, sort_keys=True)
        if responses.setdefault(key, known) != known:
            raise InputError(
                f"two test cases, one of them with testIdx {_index(result, 'testIdx')}, have one '{first}' and differ "
                "in other variables; make ids unique."
            )
        several = len(prompts) > 1
        judge = f"{_provider(result)}, {prompts[_prompt(result)[0]]}" if several else _provider(result)
        outputs.append(Output(key, judge, _output(result)))
    judges = tuple(dict.fromkeys(output.judge for output in outputs))
    rows = judged(outputs, responses)
    return ReadScores(
        columns_of(rows),
        {"layout": "wide", "systems": judges},
        (f"promptfoo: the outputs of {quoted(judges)} are taken as scores, one row per test case.",),
    )


def _of_assertions(
    results: Sequence[Result], assertions: Sequence[Sequence[Assertion]], wanted: str, data: DataSettings
) -> ReadScores:
    """Return one row per output, with the score that an assertion gave it and a person's rating."""
    prompts, rows = _prompts(results), []
    for place, result in enumerate(results):
        row = {"output id": f"{_index(result, 'testIdx')}-{_index(result, 'promptIdx')}-{place}", **_vars(result)}
        row |= {"provider": _provider(result)}
        if len(prompts) > 1:
            row["prompt name"] = prompts[_prompt(result)[0]]
        scores = _scores(assertions[place], (*_judges(wanted, data), HUMAN_COLUMN))
        if wanted == TOTAL and HUMAN_COLUMN not in scores:
            scores[TOTAL] = text_of(result.get("score"))
        both = sorted(set(row) & set(scores))
        if both:
            raise InputError(f"'{both[0][:60]}' is the name of an assertion and of a variable; rename the variable.")
        rows.append(row | scores)
    rated = any(HUMAN_COLUMN in row for row in rows)
    human = {"human": (HUMAN_COLUMN,), "scale": {"low": 0, "high": 1}} if rated else {}
    told = f"promptfoo: the score of '{wanted}' is taken as the judge's, one row per output."
    people = (
        ("promptfoo: ratings given in its viewer are taken as human scores, on a scale of 0 to 1.",) if rated else ()
    )
    found = {"layout": "wide", "id": "output id", "systems": _judges(wanted, data), **human}
    return ReadScores(columns_of(rows), found, (told, *people))


def _judges(wanted: str, data: DataSettings) -> tuple[str, ...]:
    """Return the assertions that are judges."""
    return data.systems or (wanted,)


def _scores(assertions: Sequence[Assertion], names: Sequence[str]) -> dict[str, str | None]:
    """Return the scores of the named assertions, and a person's rating (the last one counts)."""
    found: dict[str, str | None] = {}
    for each in assertions:
        label = HUMAN_COLUMN if each.kind == HUMAN else each.name
        if label not in names:
            continue
        if each.kind != HUMAN and label in found:
            raise InputError(
                f"some outputs have more assertions named '{label[:60]}' than others, so that it is not clear which is "
                "which; give each a metric in the configuration of promptfoo."
            )
        found[label] = text_of(each.score)
    return found
