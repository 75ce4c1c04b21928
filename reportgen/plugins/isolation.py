"""What code of others may do while it runs inside a report: a section, a cell, a template of one's own.

It may fail, print and change its own things.  When it is done, the current folder and the standard streams
are as they were.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from reportgen.results import Evaluation


class _Lent:
    """A stream that its borrower cannot close."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def close(self) -> None:
        """Leave it open."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def nothing_compiled() -> Iterator[None]:
    """Let modules be imported without compiled files beside them: a folder of the user's stays as it is."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


@contextmanager
def guest() -> Iterator[None]:
    """Run the block, then return to the folder and the streams there were before.

    Examples
    --------
    >>> before = os.getcwd()
    >>> with guest():
    ...     os.chdir("/")
    ...     sys.stdout.close()
    >>> os.getcwd() == before
    True
    """
    here, streams = os.getcwd(), (sys.stdout, sys.stderr)  # noqa: PTH109 - as text, to return to it
    sys.stdout, sys.stderr = _Lent(sys.stdout), _Lent(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
        os.chdir(here)


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
