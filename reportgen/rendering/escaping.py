"""Text from strangers, made harmless: in Markdown, in HTML, and as the name of a place on a page."""

from __future__ import annotations

import hashlib
import re

from markupsafe import Markup

from reportgen.charts.svg import clean
from reportgen.charts.text import shorten_words

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#+|~$&!\"'=^@]|:(?=/)|(?<=www)\.")
"""What Markdown or HTML could read as markup, or turn into a link."""

_LEADING = re.compile(r"^(\d{0,9})([-.):+])")
"""What begins a list, a rule or a definition when it stands at the start of a line."""


_TOGETHER = re.compile(
    r"(?<=\d),? (?=%|[−+]?[\d.,]+\])"  # before a percent sign, inside an interval
    r"|(?<=[\w²)]) (?=[=<>≤≥] ?[−+.\d])"  # "p = .283", on both sides of the sign
    r"|(?<=[=<>≤≥]) (?=[−+.\d])"
)
"""Spaces inside a number and what belongs to it: no line ends there."""


def markdown(value: object) -> Markup:
    r"""Return any text as Markdown that shows it letter for letter, on one line.

    Characters with a meaning become numeric references, which Markdown, HTML and Jupyter read
    alike and never as markup.

    Examples
    --------
    >>> str(markdown("**a**\n<b>"))
    '&#42;&#42;a&#42;&#42; &#60;b&#62;'
    >>> str(markdown("1. no list")), str(markdown("Exact agreement is 61.2 %."))
    ('1&#46; no list', 'Exact agreement is 61.2\xa0%.')
    """
    if isinstance(value, Markup):
        return value
    text = together(" ".join(clean(str(value)).split()))
    text = _SPECIAL.sub(_reference, text)
    return Markup(_LEADING.sub(lambda match: match[1] + f"&#{ord(match[2])};", text))


def together(text: str) -> str:
    """Return text whose lines break at no space inside a number or an interval, without the middle of endless words.

    Examples
    --------
    >>> together("0.71 [0.66, 0.75], p = .283").replace(chr(160), "~")
    '0.71 [0.66,~0.75], p~=~.283'
    """
    return _TOGETHER.sub(lambda match: match[0].replace(" ", "\N{NO-BREAK SPACE}"), shorten_words(text))


def anchor(kind: str, key: str) -> str:
    """Return the id of a table, chart or section on the page: plain letters, unique for each key.

    Examples
    --------
    >>> anchor("table", "system_human.agreement")
    'table-system_human.agreement'
    >>> anchor("table", "by_group.<b>")
    'table-by_group.-b-dd6271c9'
    """
    plain = re.sub(r"[^A-Za-z0-9_.]+", "-", key).strip("-")
    if plain != key:
        plain += "-" + hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{kind}-{plain}"


def _reference(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
