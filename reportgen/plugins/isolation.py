"""What a section of another package gets, so that it changes no other section, and how its failure is written."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from types import MappingProxyType

from reportgen.results import Evaluation


def read_only(evaluation: Evaluation) -> Evaluation:
    """Return an evaluation for one section: what it changes in its mappings reaches no other section.

    Examples
    --------
    >>> from reportgen.testing import example_evaluation
    >>> read_only(example_evaluation()).tables.clear()
    Traceback (most recent call last):
        ...
    AttributeError: 'mappingproxy' object has no attribute 'clear'
    """
    return replace(
        evaluation,
        tables=MappingProxyType(dict(evaluation.tables)),
        estimates=MappingProxyType(dict(evaluation.estimates)),
        facts=MappingProxyType(deepcopy(dict(evaluation.facts))),
        settings=MappingProxyType(deepcopy(dict(evaluation.settings))),
        provenance=MappingProxyType(deepcopy(dict(evaluation.provenance))),
    )


def told(problem: BaseException) -> str:
    """Return an exception's type and its own words, if it has any.

    Examples
    --------
    >>> told(ValueError("no scores")), told(SystemExit())
    ('ValueError: no scores', 'SystemExit')
    """
    try:
        words = str(problem)
    except Exception:  # noqa: BLE001 - even the words of a stranger's exception may fail
        words = "its message cannot be read"
    words = words.encode("utf-8", "replace").decode()  # half of a surrogate pair is in no file
    return f"{type(problem).__name__}: {words}" if words else type(problem).__name__
