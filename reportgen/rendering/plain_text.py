"""Markdown of filled templates as a reader sees it."""

from __future__ import annotations

import html
import re

_ENDS = re.compile(r"</(li|t[dh]|p|h\d)>")
_TAG = re.compile(r"<[^>]*>")


def plain(markdown: str) -> str:
    """Return Markdown as a reader sees it, headings with their signs: no tags, references as characters.

    Examples
    --------
    >>> plain("## It is <b>met</b> &#40;0.8&#41;")
    '## It is met (0.8)'
    """
    return html.unescape(_TAG.sub("", _ENDS.sub("\n", markdown))).replace("\N{NO-BREAK SPACE}", " ")


def finding(text: str) -> str:
    r"""Return the heading of a text that stands below its kicker; nothing where a noun is the heading.

    Examples
    --------
    >>> finding("Agreement\n\n## The engine agrees."), finding("## Agreement")
    ('The engine agrees.', '')
    """
    lines = [line for line in text.splitlines() if line.strip()]
    heads = [place for place, line in enumerate(lines) if line.startswith("## ")]
    return lines[heads[0]].removeprefix("## ") if heads and heads[0] > 0 else ""
