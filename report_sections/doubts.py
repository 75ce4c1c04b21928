"""What puts numbers in doubt, on pages about several runs."""

from __future__ import annotations

from typing import Any

from reportgen.sections import Evaluation

MOST_DOUBTS = 4
"""Doubts on a page that leads to reports, or compares; the reports have all."""


def doubts_of_runs(evaluation: Evaluation) -> dict[str, Any]:
    """Return the doubts in the reports of engines, each once, with the engines it is about, and how many more."""
    told = evaluation.facts.get("doubts_of_systems") or ()
    found = [{"runs": list(runs), "sentence": sentence} for sentence, runs in told]
    kept = MOST_DOUBTS if len(found) <= MOST_DOUBTS else MOST_DOUBTS - 1
    return {"told": found[:kept], "more": len(found) - len(found[:kept])}
