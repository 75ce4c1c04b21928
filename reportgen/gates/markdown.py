r"""A verdict as Markdown, for the summary of a CI step or a comment; names from the data are escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reportgen.results import Outcome, Verdict
from reportgen.wording.names import joined
from reportgen.wording.vocabulary import Vocabulary

MOST_ROWS = 100
"""Requirements in the table; those that are met are left out first."""

SIGNS: dict[Outcome, str] = {"met": "✓", "not met": "✗", "out of reach": "⊘", "not yet known": "○", "insufficient": "–"}
ORDER: tuple[Outcome, ...] = ("not met", "out of reach", "not yet known", "insufficient", "met")

NAME_LENGTH = 120
"""Letters of a group's name; results.json has all."""

_ACTIVE = re.compile(r"([#$&*<>@\[\\\]_`|~]|:(?=//|\w+:)|(?<=www)\.|^[-+=]|(?<=^\d)[.)])")
"""What Markdown, GitHub's autolinks, mentions and formulas included, would not show as it is."""


def markdown(verdicts: Mapping[str, Verdict]) -> str:
    r"""Return verdicts as GitHub-flavoured Markdown (``templates/gates/verdict.md.j2``): answer, table, what is open.

    Parameters
    ----------
    verdicts
        Each by the name of its system; one alone needs no name.

    Examples
    --------
    >>> from reportgen.results import Check, Estimate
    >>> check = Check("QWK", Estimate("qwk", 0.8, 90, 0.75, 0.84), "met", low=0.7, group="a|b: <b>")
    >>> print(markdown({"": Verdict("ours", "", "deploy", checks=(check,))}).splitlines()[6])
    | ✓ met | QWK | a\|b: \<b\> | 0.80 [0.75, 0.84] | 90 | at least 0.70 |
    """
    words = Vocabulary()
    words.environment.filters.update(
        escaped=escaped, name=lambda text: escaped(text, NAME_LENGTH), sign=lambda check: SIGNS[check.outcome]
    )
    return "".join(_of_one(words, system, verdict) for system, verdict in verdicts.items())


def _of_one(words: Vocabulary, system: str, verdict: Verdict) -> str:
    """Return the Markdown of one verdict."""
    listed = sorted(verdict.checks, key=lambda check: ORDER.index(check.outcome))[:MOST_ROWS]
    text = words.write(
        "gates/verdict.md.j2",
        system=system,
        verdict=verdict,
        of_raters=verdict.of_raters,
        listed=listed,
        left_out=max(0, len(verdict.checks) - MOST_ROWS),
        told=[check for check in listed if check.outcome != "met"],
        sources=joined(check.source for check in verdict.checks),
    )
    return text.rstrip("\n") + "\n\n"


def escaped(text: str, most: int = 2000) -> str:
    r"""Return text that Markdown shows as it is, on one line: no link, table cell, code or HTML.

    Examples
    --------
    >>> print(escaped("a|b\n`<i>` https://x.example"))
    a\|b \`\<i\>\` https\://x.example
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return _ACTIVE.sub(r"\\\1", line)
