"""What puts numbers in doubt, on pages about several systems."""

from __future__ import annotations

from report_sections.words import first_few, name
from reportgen.results import Highlight
from reportgen.sections import Evaluation

MOST_DOUBTS = 4
"""Doubts on a page that leads to reports, or compares; the reports have all."""


def doubts_of_systems(evaluation: Evaluation) -> tuple[Highlight, ...]:
    """Return the doubts in the reports of systems, each once, with the systems it is about."""
    told = evaluation.facts.get("doubts_of_systems") or ()
    found = [f"{first_few([name(system, 40) for system in systems])}: {sentence}" for sentence, systems in told]
    more = len(found) - MOST_DOUBTS
    if more > 0:
        found[MOST_DOUBTS:] = [f"{more} more doubts are told in the reports of the systems."]
    return tuple(Highlight(sentence) for sentence in found)
