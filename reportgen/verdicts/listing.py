"""Which requirements of several are not met or open, named briefly for a list of many reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reportgen.results import Check, Outcome
from reportgen.results.term import Term
from reportgen.wording.vocabulary import english

MOST_PLACES = 6
"""Places, all responses or a group, whose requirements of one outcome are named; the others are counted."""

UNMET: tuple[Outcome, ...] = ("not met", "out of reach", "not yet known", "insufficient")
"""Outcomes that are listed, in this order."""

ShortNames = Callable[[Check], str]
"""How a requirement is called among others."""


def unmet(checks: Sequence[Check]) -> str:
    """Return the term that names the requirements not met, undecided or not tested, those on groups by their group.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> bad = Estimate("dsm", 0.3, 90, 0.2, 0.4, kind="difference")
    >>> zh = Check("DSM", bad, "not met", group="language: zh", column="language", level="zh")
    >>> english().say(unmet([Check("QWK", bad, "not yet known"), zh])), unmet([])
    ('not met: language zh: DSM; undecided: QWK', '')
    """
    short, found = _short_names(checks), []
    for outcome in UNMET:
        places: dict[tuple[str, str], list[str]] = {}
        for check in checks:
            if check.outcome == outcome:
                where = (check.column, check.level) if check.column else ("", check.group)
                places.setdefault(where, []).append(short(check))
        if places:
            listed: list[dict[str, Any]] = [
                {"column": column, "level": level, "names": names} for (column, level), names in places.items()
            ]
            more = max(len(listed) - MOST_PLACES, 0)
            found.append({"outcome": outcome, "places": listed[:MOST_PLACES], "more": more})
    return Term("unmet", found=found) if found else ""


def missed(checks: Sequence[Check]) -> tuple[str, ...]:
    """Return the short names of the requirements that are not met, each once: of all responses first, then of groups.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> bad = Estimate("dsm", 0.3, 90, 0.2, 0.4, kind="difference")
    >>> found = missed([Check("DSM", bad, "not met", group="l: zh"), Check("DSM", bad, "not met", group="l: de"),
    ...                 Check("SMD", bad, "not met"), Check("QWK", bad, "met")])
    >>> [english().say(each) for each in found]
    ['SMD', 'DSM of groups']
    """
    short, failed = _short_names(checks), [check for check in checks if check.outcome == "not met"]
    overall = [short(check) for check in failed if not check.group]
    of_groups = [Term("missed_of_groups", name=short(check)) for check in failed if check.group]
    return tuple(dict.fromkeys((*overall, *of_groups)))


def _short_names(checks: Sequence[Check]) -> ShortNames:
    """Return how a requirement is called where there is little room: by its label where two share a short name."""
    words = english()
    labels: dict[str, set[str]] = {}
    for check in checks:
        labels.setdefault(words.check_name(check, short=True), set()).add(words.check_name(check))
    return lambda check: _name(check, short=len(labels[words.check_name(check, short=True)]) == 1)


def _name(check: Check, *, short: bool) -> str:
    """Return what a policy calls a requirement, else the term of its statistic."""
    given = (check.abbreviation if short else "") or check.label
    if given and not isinstance(given, Term):
        return given
    return Term("called_short" if short else "called_in_full", key=check.statistic or check.estimate.metric)
