"""Every error a user can cause, as one sentence with an exit code.

The command line prints the sentence and leaves with the code; a library user
catches `ReportgenError`.  A traceback that reaches a user is a defect.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar


class ReportgenError(Exception):
    """Something the user can mend; the message says what, where and how."""

    exit_code: ClassVar[int] = 2


class InputError(ReportgenError):
    """The data file cannot be evaluated as it is."""


class SettingsError(ReportgenError):
    """A setting is unknown, missing or contradicts another."""


class OutputError(ReportgenError):
    """The report cannot be written where it was asked for."""


class TemplateError(ReportgenError):
    """A template cannot be found, read or filled."""


class SectionError(ReportgenError):
    """A section cannot be loaded, or failed while it made its findings."""

    exit_code: ClassVar[int] = 3


class LogError(ReportgenError):
    """A tracker of experiments took nothing; the report itself is written."""

    exit_code: ClassVar[int] = 3


class BatchError(ReportgenError):
    """Some of many reports could not be made; the others are written."""

    exit_code: ClassVar[int] = 3


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of an error sentence that names the nearest known word.

    Examples
    --------
    >>> did_you_mean("sytem", ["system", "human"])
    "; did you mean 'system'?"
    >>> did_you_mean("zzz", ["system", "human"])
    "; known: 'human', 'system'."
    """
    known = sorted(known)
    near = nearest(word, known)
    if near:
        return f"; did you mean '{near}'?"
    return "; known: " + ", ".join(f"'{name}'" for name in known) + "."


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that a misspelt one stands for; empty when none is near.

    Examples
    --------
    >>> nearest("Gendre", ["gender", "age"]), nearest("GENDER", ["gender"]), nearest("zzz", ["gender"])
    ('gender', 'gender', '')
    """
    known = sorted(known)
    by_lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word, known, n=1)
    return near[0] if near else by_lower.get(word.lower(), "")
