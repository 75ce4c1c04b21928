"""Format text for pages: escaping, unbroken numbers, outcome signs, and template filters."""

import hashlib
import re
from typing import Any
from urllib.parse import quote

from markupsafe import Markup, escape

from reportgen.charts import theme
from reportgen.charts.svg import clean, element, one_line
from reportgen.charts.theme import shorten, shorten_words
from reportgen.results import Cell, Kind, Outcome
from reportgen.wording import filling, numbers
from reportgen.wording.names import capital

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#+|~$&!\"'=^@]|:(?=/)|(?<=www)\.")
"""Characters that Markdown or HTML could read as markup, or turn into a link."""

_LEADING = re.compile(r"^(\d{0,9})([-.):+])")
"""Characters that start a list, a rule, or a definition at the beginning of a line."""

_TOGETHER = re.compile(
    r"(?<=\d)[,;]? (?=%|[−+]?[\d.,]+\])"  # before a percent sign, inside an interval
    r"|(?<=[\w²)]) (?=[=<>≤≥] ?[−+.\d])"  # "p = .283", on both sides of the sign
    r"|(?<=[=<>≤≥]) (?=[−+.\d])"
)
"""Spaces within a number and its context, where no line may break."""


def markdown(value: object) -> Markup:
    r"""Convert text to Markdown that displays it literally, on one line.

    Special characters become numeric references, which Markdown, HTML, and Jupyter all read as text.

    >>> str(markdown("**a**\n<b>"))
    '&#42;&#42;a&#42;&#42; &#60;b&#62;'
    >>> str(markdown("1. no list")), str(markdown("p = .283."))
    ('1&#46; no list', 'p\xa0&#61;\xa0.283.')
    """
    if isinstance(value, Markup):
        return value
    text = _SPECIAL.sub(lambda match: f"&#{ord(match[0])};", together(one_line(str(value))))
    return Markup(_LEADING.sub(lambda match: match[1] + f"&#{ord(match[2])};", text))


def together(text: str) -> str:
    """Keep numbers and intervals unbroken, and shorten endless words.

    >>> together("0.71 [0.66, 0.75], p = .283").replace(chr(160), "~")
    '0.71 [0.66,~0.75], p~=~.283'
    """
    return _TOGETHER.sub(lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), shorten_words(text))


def anchor(kind: str, key: str) -> str:
    """Return the ID of a table, chart, or section on the page: plain letters, unique for each key.

    >>> anchor("table", "system_human.agreement")
    'table-system_human.agreement'
    >>> anchor("table", "by_group.<b>")
    'table-by_group.-b-dd6271c9'
    """
    plain = re.sub(r"[^A-Za-z0-9_.]+", "-", key).strip("-")
    if plain != key:
        plain += "-" + hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{kind}-{plain}"


LINES: dict[Outcome, str] = theme.LOOK["signs"]
"""A check mark, a cross, an arrow below a ceiling, a hollow circle, and a dash, on 13 by 13."""


def sign(outcome: Outcome) -> Markup:
    """Return the sign of an outcome, hidden from screen readers because its word follows it.

    >>> print(sign("not met"))
    <span class="drawn-sign sign-not-met" aria-hidden="true"></span>
    """
    return Markup('<span class="drawn-sign sign-{}" aria-hidden="true"></span>').format(outcome.replace(" ", "-"))


def pictures() -> dict[str, Markup]:
    """Return the images of all signs as data URLs for a style sheet, by class suffix."""
    return {outcome.replace(" ", "-"): Markup(_address(line)) for outcome, line in LINES.items()}


def _address(line: str) -> str:
    how: dict[str, str | float] = {"stroke_width": 1.9, "stroke_linecap": "round", "stroke_linejoin": "round"}
    path = element("path", d=line, fill="none", stroke=theme.TEXT, **how)
    picture = element("svg", path, xmlns="http://www.w3.org/2000/svg", viewBox="0 0 13 13")
    return f"data:image/svg+xml,{quote(picture)}"


SHORT = 48  # most columns of a title in a running head next to another title of that length

HEADLINE = 200  # most letters of a headline: three lines on screen and paper

_SENTENCE = re.compile(r"(?<=[\w)\]”’]{3}\.) ")
"""The end of a sentence: not after a short word, which may be an abbreviation (“St. Louis”)."""

_LONG_PARENTHESIS = re.compile(r"([^()]+?) \(([^()]+)\)\. ?(.*)$")
"""A first sentence that ends with a parenthesis: the words before it, those in it, and the rest."""

_LONG_NAME = re.compile(r"\S{15,}")
_JOINT = re.compile(r"[._/](?=\w)")
_ENDLESS = re.compile(r"(\S{21,}|(?<!\S)--\S+)")
"""A word too long to stay whole in a table column (up to 20 letters get enough room), and an option of a command."""


def num(value: Cell, kind: Kind | None = None, *thresholds: float | None, places: int | None = None) -> Markup:
    """Format a number, an estimate without its interval, or a word."""
    return markdown(value) if isinstance(value, str) else Markup(numbers.num(value, kind, *thresholds, places=places))


def breakable(value: str) -> Markup:
    """Allow line breaks in a long name after dots, underscores, and slashes; inside words only if they are endless.

    >>> print(breakable("statistics.min_n_per_group"), breakable("0.7105 of 12"))
    statistics.<wbr>min_<wbr>n_<wbr>per_<wbr>group 0.7105 of 12
    >>> print(breakable("a incomprehensibilities"))
    a <span class="endless">incomprehensibilities</span>
    """
    parts = _LONG_NAME.sub(lambda match: _JOINT.sub("\\g<0>\0", match[0]), value).split("\0")
    return Markup("<wbr>").join(map(_endless_marked, parts))


def _endless_marked(text: str) -> Markup:
    """Escape text and mark its endless words, which may break anywhere on paper, and its options, which never break.

    To find the minimum width of a cell, WeasyPrint measures every letter of text that breaks anywhere. If that were all
    text of all tables, it would take a third of the time of a printed page.
    """
    marked = Markup('<span class="{}">{}</span>').format
    return Markup("").join(
        marked("option" if word[:2] == "--" else "endless", word) if place % 2 else escape(word)
        for place, word in enumerate(_ENDLESS.split(text))
    )


def parted(value: str) -> tuple[str, str]:
    """Split a headline into the sentences that fit three lines, and the rest, which becomes a paragraph.

    A first sentence that is too long ends at the last semicolon that fits, or before a parenthesis that does not fit; a
    parenthesis is never split.

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
        return f"{value[:end]}.", capital(value[end + 2 :])
    if found := _LONG_PARENTHESIS.match(value):
        return f"{found[1]}.", f"{capital(found[2])}. {found[3]}".rstrip()
    return value, ""


def _open_at(value: str, place: int) -> bool:
    return value.count("(", 0, place) > value.count(")", 0, place)


FILTERS: dict[str, Any] = {
    "parted": parted,
    "breakable": breakable,
    "short": lambda title, limit=SHORT: re.sub(r"(?<=[a-z])'(?=s\b)", "’", shorten(clean(title), limit)),  # at the top
    "shown": clean,
    "num": num,
    **{key: lambda *a, to=filling.FILTERS[key], **b: Markup(to(*a, **b)) for key in ("interval", "limits", "count")},
    "other_limit": numbers.other_limit,
    "p": lambda value: markdown(numbers.p_value(value)),
    "sign": sign,
}
