"""What templates may write after a ``|``: the rules of `reportgen.wording.numbers`, as Jinja filters."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from reportgen.charts.svg import clean
from reportgen.charts.text import shorten
from reportgen.rendering.escaping import markdown
from reportgen.rendering.signs import sign
from reportgen.results import Cell, Estimate, Kind
from reportgen.wording import numbers

SHORT = 48
"""Columns of a title that fit a running head beside another one of that length."""

HEADLINE = 200
"""Letters of a headline at most: three lines on screen and paper."""

_SENTENCE = re.compile(r"(?<=[\w)\]”’]{3}\.) ")
"""Where a sentence ends: not behind a short word, which may be cut (“St. Louis”)."""

_LONG_PARENTHESIS = re.compile(r"([^()]+?) \(([^()]+)\)\. ?(.*)$")
"""A first sentence that ends with a parenthesis: the words before it, those in it, and what follows."""

_LONG_NAME = re.compile(r"\S{15,}")
_JOINT = re.compile(r"[._/](?=\w)")
_ENDLESS = re.compile(r"(\S{21,})")
"""A word too long to stay whole in a column of a table; those up to 20 letters are given their room."""


def num(value: Cell, kind: Kind | None = None, *thresholds: float | None) -> Markup:
    """Write a number, an estimate without its interval, or a word."""
    return markdown(value) if isinstance(value, str) else Markup(numbers.num(value, kind, *thresholds))


def interval(estimate: Estimate, *thresholds: float | None) -> Markup:
    """Write an estimate with its interval: ``0.71 [0.66, 0.75]``."""
    return Markup(numbers.with_interval(estimate, *thresholds))


def limits(estimate: Estimate, *thresholds: float | None) -> Markup:
    """Write the interval alone: ``[0.66, 0.75]``."""
    return Markup(numbers.interval(estimate, *thresholds))


def percent(value: float, n: int | None = None) -> Markup:
    """Write a percentage: ``61.2 %``."""
    return Markup(numbers.percent(value, n))


def count(value: int | float) -> Markup:
    """Write a number of responses: ``4,812``."""
    return Markup(numbers.count(value))


def p_value(value: float) -> Markup:
    """Write a p-value: ``&lt; .001``."""
    return markdown(numbers.p_value(value))


def text(value: object) -> Markup:
    """Write any text letter for letter; this is also what happens without a filter."""
    return markdown(value)


def short(value: str, limit: int = SHORT) -> str:
    """Cut a title so that it fits a running head."""
    return shorten(clean(value), limit)


def breakable(value: str) -> Markup:
    """Let a long name break after its dots, underscores and slashes, not inside its words, but for endless ones.

    Examples
    --------
    >>> print(breakable("statistics.min_n_per_group"), breakable("0.7105 of 12"))
    statistics.<wbr>min_<wbr>n_<wbr>per_<wbr>group 0.7105 of 12
    >>> print(breakable("a incomprehensibilities"))
    a <span class="endless">incomprehensibilities</span>
    """
    parts = _LONG_NAME.sub(lambda match: _JOINT.sub("\\g<0>\0", match[0]), value).split("\0")
    return Markup("<wbr>").join(map(_endless_marked, parts))


def _endless_marked(text: str) -> Markup:
    """Escape text and mark its endless words, the only ones that paper breaks anywhere.

    To find out how narrow a cell can be, WeasyPrint sets every letter of what breaks anywhere by itself: a third of
    the time a page of paper takes, when it is all text of all tables.
    """
    words = _ENDLESS.split(text)
    return Markup("").join(
        Markup('<span class="endless">{}</span>').format(word) if place % 2 else escape(word)
        for place, word in enumerate(words)
    )


def parted(value: str) -> tuple[str, str]:
    """Return the sentences of a headline that fit three lines, and those that stand below it as a paragraph.

    A first sentence that is too long by itself ends at its last semicolon that fits, or before a parenthesis that
    does not; nothing is parted inside a parenthesis.

    Examples
    --------
    >>> parted("One sentence. " + "x" * 300)[0]
    'One sentence.'
    >>> parted("x" * 100 + "; " + "y" * 200)[1][:3]
    'Yyy'
    >>> parted("They say: collect more (" + "x" * 100 + "; " + "y" * 100 + "). On 60 responses.")[0]
    'They say: collect more.'
    """
    value = " ".join(value.split())
    if len(value) <= HEADLINE:
        return value, ""
    sentences = (match.end() for match in _SENTENCE.finditer(value[: HEADLINE + 1]))
    end = max((place for place in sentences if not _open_at(value, place)), default=0)
    if end:
        return value[:end].rstrip(), value[end:]
    end = max((match.start() for match in re.finditer("; ", value[:HEADLINE]) if not _open_at(value, match.start())),
              default=0)  # fmt: skip
    if end:
        return f"{value[:end]}.", _as_sentence(value[end + 2 :])
    if found := _LONG_PARENTHESIS.match(value):
        return f"{found[1]}.", f"{_as_sentence(found[2])}. {found[3]}".rstrip()
    return value, ""


def _open_at(value: str, place: int) -> bool:
    """Return whether a place lies inside a parenthesis."""
    return value.count("(", 0, place) > value.count(")", 0, place)


def _as_sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


FILTERS = {
    "parted": parted,
    "breakable": breakable,
    "short": short,
    "shown": clean,
    "num": num,
    "interval": interval,
    "limits": limits,
    "percent": percent,
    "count": count,
    "p": p_value,
    "text": text,
    "sign": sign,
}
