"""Scores with two points, such as fail and pass."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.results import Evaluation

SYSTEM, HUMAN = "system_human.categories", "human_human.categories"
"""Keys of the tables of two categories."""


def names(evaluation: Evaluation) -> Mapping[str, str]:
    """Return what the lower and the higher category are called; empty on another scale."""
    found = evaluation.facts.get("categories")
    return found if isinstance(found, Mapping) else {}


def only_points(evaluation: Evaluation) -> bool:
    """Return whether the engine, too, gives nothing but two points: score levels then say nothing more."""
    primary = evaluation.facts.get("primary")
    return bool(names(evaluation)) and not any(
        form.continuous for form in evaluation.score_types if form.key == primary
    )
