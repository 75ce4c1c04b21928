"""What is wrong with a sentence of a report: its length, its first words, words that no native would write."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_WORDS = 22
"""Words of a heading that states a finding, and of any sentence of the brief."""

MOST_ELSEWHERE = 32
"""Words of other sentences; what is longer is two."""

OPENINGS = re.compile(r"^(Judged|Asked|Named|Studied|Flagged|Shown|Drawn|Compared is|Outside .* lies?)\b")
REFUSED = (
    r"\bless (?:the|raters|human|engine)\b",
    r"\bholds? (?!across)",
    "told from",
    r"\bbuys?\b",
    r"\bregains?\b",
    r"\bmends?\b",
    r"\bsinks?\b",
    r"\bstray",
    r"\bcriteri(?:on|a)\b",
    r"\bsystem score",
    r"\bcandidates?\b(?! column)",
    r"\bnot yet known\b",
    r"\binsufficient\b",
    "cannot be settled",
)
WORDS = re.compile("|".join(REFUSED))
OPTIONS = re.compile(r"(?<!\w)--[a-z]|\b[a-z]+_[a-z_]+\b")
NEGATIVE_ZERO = re.compile(r"−0\.0+(?![0-9])")
_INTERVAL = re.compile(r"\[[^\]]*\]")
_ENDS = re.compile(r"(?<=[\w)\]%”’][.?!])\s+(?=[A-Z“0-9])")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without marks of headings and lists."""
    for line in text.splitlines():
        plain = re.sub(r"^[#\-\s]+", "", line).strip()
        if plain and not plain.startswith(("report.show", "report.output", "|")):
            yield from _ENDS.split(plain)


def faults(sentence: str, most: int) -> Iterator[str]:
    """Yield what is wrong with a sentence."""
    counted = len([word for word in _INTERVAL.sub("", sentence).split() if re.search(r"\w", word)])
    if counted > most:
        yield f"{counted} words"
    if OPENINGS.search(sentence):
        yield "begins as no native would"
    if found := WORDS.search(sentence):
        yield f"says {found[0]!r}"
    if NEGATIVE_ZERO.search(sentence):
        yield "minus nothing"
