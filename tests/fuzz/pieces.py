"""Draw hostile texts and values from a seed."""

import random
from typing import Any

PLANTED = "ZQID"
"""Prefix of planted response and candidate names; no output may contain it."""

MARKER = "PWNED"
"""File that hostile input tries to create."""

NUMBERS = (
    "", " ", "NaN", "inf", "-inf", "1e308", "1e309", "-0.0", "0", "1e-320", "9" * 25, "9" * 400, "007", "1,5", "٣",
    "３", "1_000", "0x10", "1e5", "+1", " 3 ", "3\u00a0", "1/2", "½", "1e", ".", "-", "1..2", "--1", "𝟛", "TRUE",
    "null", "NA",
    "2026-01-01", "2026-01-01T00:00:00Z", "12:30",
)  # fmt: skip
MARKUP = (
    "<script>alert(1)</script>", "{{ 7*7 }}", "{% raw %}", "{{ report.__class__.__mro__ }}", "`x`", "[b](javascript:b)",
    f"```{{code-cell}}\nopen('{MARKER}', 'w')\n```", "$x$", "%s%n", "\\", "'", '"', "''", "=1+1", "@SUM(1)", "#N/A",
    f"=cmd|' /C touch {MARKER}'!A0", "-1+1", "a|b", "+++", '</style><meta http-equiv="refresh" content="0">',
)  # fmt: skip
LETTERS = (
    "\u202eabc", "\u200b", "\ufeff", "\x00", "\x07", "\x1b]52;c;aGk=\x07", "\x1b[2J", "a\nb", "a\rb", "a\u2028b", "é",
    "e\u0301", "ﬁ", "😀", "x" * 5000, "a" * 300, "\u2066x", "\x85", "\x9b31m",
)  # fmt: skip
NAMES = (
    "../../x", "/etc/passwd", "CON", "a/b", ".", "..", "-", "--", "--force", "No info", "All data", "engine", "h1",
    "x × y", "×", ".reportgen-z", "results.json",
)  # fmt: skip
TEXTS = (*NUMBERS, *MARKUP, *LETTERS, *NAMES)

VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 0.5, -0.0, 1e308, -1e308, 10**18, 10**19, 10**400, 2**63, float("nan"),
    float("inf"),
    "", "x", [], {}, [[]], [None], {"a": 1}, {"$type": "Estimate"}, {"$type": "Table"}, "\ud800", "\x00", [1, 2],
    {"": ""}, "a" * 3000,
)  # fmt: skip
"""Values for JSON and similar trees."""


class Draw(random.Random):
    """The random generator of one case."""

    def text(self) -> str:
        """Return a hostile text."""
        return self.choice(TEXTS)

    def happens(self, share: float) -> bool:
        """Return True with this probability."""
        return self.random() < share

    def perhaps(self, share: float, *words: str) -> list[str]:
        """Return the words with this probability, otherwise nothing."""
        return list(words) if self.happens(share) else []


def showable(text: str) -> str:
    """Return a text that strict file formats and command lines accept."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")
