"""What categories and metrics are called in tables, and where a table's numbers come from."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.results.term import Term
from reportgen.studies.prmse_stability.measures import Measures

CATEGORIES = ("poor", "low", "moderate", "average", "medium", "high", "perfect")
"""Categories of the paper, which have words; others are named by their numbers."""

REPLAYED, AFRESH = Term("replayed"), Term("drawn_afresh")
"""Headings of columns: from the paper's own random numbers, or from new ones."""


def metric_name(metric: str) -> Term:
    """Return the short name of a metric as a word of the vocabulary."""
    return Term(f"short_name.{metric}")


def category(name: str) -> str:
    """Return what a category of raters or systems is called."""
    return Term(f"category.{name}") if name in CATEGORIES else name


def assigned(run: Measures, systems: str, raters: Mapping[str, float]) -> tuple[int, ...]:
    """Return how many systems of a category were evaluated with raters of each category."""
    return tuple(sum(each.category == systems and each.raters == name for each in run.ranking) for name in raters)


def drawn_note(sets: int) -> tuple[Term, ...]:
    """Return the note of a table of data drawn afresh: means over so many data sets."""
    return (Term("note.drawn_afresh", sets=sets),)


def one_note(sets: int, *, replayed: bool) -> tuple[Term, ...]:
    """Return the note of a table of one data set: the paper's own, or the first drawn afresh."""
    return (Term("note.replayed"),) if replayed else (Term("note.first_drawn", sets=sets),)
