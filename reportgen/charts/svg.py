"""The few SVG elements that pictures are made of; every text and attribute is escaped."""

from __future__ import annotations

import re
from html import escape

_UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Control characters XML does not allow, and those that turn the direction of the text around them."""

Attribute = str | float | None


def element(name: str, content: str = "", /, **attributes: Attribute) -> str:
    """Return one element; `content` is markup, an attribute that is None is left out.

    Underscores in attribute names become hyphens (``stroke_width``), a trailing one is dropped
    (``class_``); lengths are written with one decimal.

    Examples
    --------
    >>> element("line", x1=0, x2=10.25, class_="grid")
    '<line x1="0" x2="10.2" class="grid"/>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def words(content: str) -> str:
    r"""Return text as markup, without the characters no page can show.

    Examples
    --------
    >>> words("a < b\x00")
    'a &lt; b'
    """
    return escape(clean(content))


def clean(content: str) -> str:
    """Return text without the characters no page can show."""
    return _UNSHOWABLE.sub("", content)


def _attribute(value: str | float) -> str:
    if isinstance(value, str):
        return words(value)
    return f"{value:.1f}".removesuffix(".0")
