"""What the sections of an evaluation say in Spanish, for files of many shapes."""

import re
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from typing import Any

import pytest
from cited_works import without_works
from holes import hole
from rated import known
from test_accuracy_said import shapes
from test_agreement_said import drawn_raters as rated

from reportgen.results import Estimate, Evaluation
from reportgen.sections import DEFAULT_ORDERS, load, unmet_need
from reportgen.testing import Prose, text_of

SECTIONS = sorted({*DEFAULT_ORDERS["evaluation"], *DEFAULT_ORDERS["raters"]})
ENGLISH = re.compile(r"\b(the|of|and|with|is|are|was|were|than|for|from|this|that|which|by)\b")
FROM_THE_DATA = re.compile(r"«.*?»|`.*?`|tables/\S+")


@cache
def evaluations() -> dict[str, Evaluation]:
    """Return files of every shape: with an engine, with raters only, and with repeated runs."""
    more = {
        "runs": rated(60, 3, 5, 0.0, 1, 3, 0.5, 1, alone=False, labels=False),
        "gaps": rated(40, 4, 5, 0.4, 2, 0, 0.5, 2, alone=True, labels=False),
        "labels of raters": rated(40, 3, 3, 0.0, 2, 0, 0.5, 3, alone=True, labels=True),
        "labels": rated(40, 2, 3, 0.0, 2, 0, 0.5, 4, alone=False, labels=True),
    }
    return {**shapes(), **known(), **{shape: each for shape, each in more.items() if each is not None}}


def prose(value: Any) -> Iterator[str]:
    """Return the sentences that an evaluation itself holds: its words are tried elsewhere."""
    if isinstance(value, str) and " " in value:
        yield value
    elif isinstance(value, Estimate):
        yield from prose([value.reason, value.interval_reason])
    elif isinstance(value, Mapping):
        yield from prose(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from prose(each)


def without_prose(line: str, found: Evaluation) -> str:
    """Return a line without the sentences of its evaluation, however they begin."""
    held = sorted(prose([found.facts, found.estimates, found.warnings]), key=len, reverse=True)
    return reduce(lambda text, words: re.sub(re.escape(words), "eso", text, flags=re.IGNORECASE), held, line)


def pages(section: str, found: Evaluation) -> tuple[Prose, Prose] | None:
    """Return what a section says in Spanish and in English; None where it is not in the report."""
    loaded = load([section], {})[0].section
    return None if unmet_need(loaded, found) else (text_of(loaded, found, language="es"), text_of(loaded, found))


@pytest.mark.slow
@pytest.mark.parametrize("section", SECTIONS)
def test_each_shape_of_file_has_complete_sentences_in_spanish(section: str) -> None:
    items = {shape: page for shape, each in evaluations().items() if (page := pages(section, each)) is not None}
    assert items
    for shape, (spanish, english) in items.items():
        assert bool(spanish.finding) == bool(english.finding), shape
        assert len(spanish.lines) == len(english.lines), shape
        for line in without_works(spanish.lines):
            if line.startswith("report.show(") or "hostile" in shape:
                continue
            plain = FROM_THE_DATA.sub("eso", without_prose(line, evaluations()[shape]))
            assert not ENGLISH.search(plain), line
            assert not hole(plain), line
