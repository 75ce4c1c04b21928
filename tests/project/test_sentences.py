"""Sentences of reports are short and plain, and begin as a native would: those of every example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sentences import MOST_ELSEWHERE, MOST_WORDS, OPTIONS, faults, sentences

from reportgen.rendering.plain_words import cells
from reportgen.results import Report
from reportgen.storing import results_file

EXAMPLES = sorted(path.parent for path in (Path(__file__).parents[2] / "example_reports").glob("*/results.json"))

TECHNICAL = ("provenance", "criteria", "packet_reproducibility", "packet_cross_reference")
"""Sections that quote settings, methods and sources."""


def found_in(report: Report) -> list[str]:
    found = []
    for section, place, text in cells(report):
        if section in TECHNICAL or not section:  # titles and descriptions are the user's
            continue
        brief = section.endswith("summary") and not place
        for line in text.splitlines():
            heading = line.startswith("## ")
            most = MOST_WORDS if brief or heading else MOST_ELSEWHERE
            for sentence in sentences(line):
                found += [f"{section} {place}: {fault}: {sentence}" for fault in faults(sentence, most)]
                if brief and OPTIONS.search(sentence) and not re.search(r"\.\w{2,4}\b", sentence):
                    found.append(f"{section}: an option or the name of a column: {sentence}")
    return found


@pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)
def test_sentences_of_an_example(folder: Path) -> None:
    found = found_in(results_file.read(folder / "results.json"))
    assert not found, "\n".join(found)
