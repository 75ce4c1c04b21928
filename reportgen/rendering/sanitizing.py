"""What a cell of somebody's notebook showed, made harmless: text, tables and pictures stay, nothing else does.

Outputs are stored in results.json and travel with it, so they are data: no script, style, form or frame of theirs, no
address that leads out of the page, and nothing that could lay itself over it.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import Any

from reportgen.rendering import foreign

_TAGS = frozenset(
    {
        *("a", "b", "br", "code", "em", "hr", "i", "img", "p", "pre", "s", "samp", "small", "span", "strong", "sub"),
        *("sup", "u", "blockquote", "dd", "div", "dl", "dt", "figcaption", "figure", "h3", "h4", "h5", "h6", "li"),
        *("ol", "ul", "caption", "col", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr"),
    }
)

_ATTRIBUTES = frozenset({"colspan", "rowspan", "scope", "headers", "alt", "title", "lang", "dir"})

_PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\s]+")

_HIDDEN = re.compile(r"<(script|style|template|title)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
"""Elements whose text no reader sees; what is left of one is cleaned like everything else."""

_SVG = re.compile(r"<svg\b.*?</svg\s*>", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r'aria-label="([^"<>]*)"')
_PLACE = re.compile("\ue000([0-9]+)\ue001")
"""Drawings in HTML; what they say of themselves; what stands for one while the rest is cleaned."""

_LINKS = re.compile(r"<\s*/?\s*a\b[^>]*>", re.IGNORECASE)
"""Links in the labels of a Plotly figure, which has a small HTML of its own."""


def harmless(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the forms of an output that a page may show, by MIME type.

    Parameters
    ----------
    data
        The forms of one output, as stored; any of them may be of any kind.

    Examples
    --------
    >>> harmless({"text/html": '<p onclick="go()">a<script>b</script></p><meta http-equiv="refresh">'})
    {'text/html': '<p>a</p>'}
    """
    made = {_SHOWN_AS.get(form, form): _MADE[form](content) for form, content in data.items() if form in _MADE}
    return {form: content for form, content in made.items() if content}


def clean_html(text: Any) -> str:
    """Return HTML with text, tables and embedded pictures, and nothing that acts or leads elsewhere."""
    import bleach

    drawings: list[str] = []

    def kept(found: re.Match[str]) -> str:
        drawings.append(_drawing(found[0]))
        return f"\ue000{len(drawings) - 1}\ue001"

    text = _HIDDEN.sub("", _SVG.sub(kept, _PLACE.sub("", str(text))))
    text = str(bleach.clean(text, tags=_TAGS, attributes=_allowed, protocols={"data"}, strip=True))
    return _PLACE.sub(lambda place: drawings[int(place[1])], text)


def _allowed(tag: str, name: str, value: str) -> bool:
    """Return whether an element may have an attribute."""
    if tag == "img" and name == "src":
        return _PICTURE.fullmatch(value) is not None
    if tag == "a" and name == "href":
        return value.startswith("#")
    return name in _ATTRIBUTES


def _html_of_markdown(text: Any) -> str:
    """Return Markdown as HTML."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    return clean_html(markdown2html_mistune(str(text)))


def _picture(content: Any) -> str:
    """Return a picture's letters, when they are those of one."""
    letters = "".join(str(content).split())
    try:
        base64.b64decode(letters, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return letters


def _drawing(content: Any) -> str:
    """Return a drawing as a picture, in which no script runs and nothing is fetched."""
    drawing = str(content)
    letters = base64.b64encode(drawing.encode("utf-8", "replace")).decode()
    label = _LABEL.search(drawing.partition(">")[0])
    return f'<img alt="{label[1] if label else ""}" src="data:image/svg+xml;base64,{letters}">'


def _figure(content: Any) -> Any:
    """Return a Plotly figure without links in its texts and without pictures from elsewhere."""
    if isinstance(content, Mapping):
        return {str(key): _figure(value) for key, value in content.items() if key not in ("images", "source")}
    if isinstance(content, list | tuple):
        return [_figure(value) for value in content]
    return _LINKS.sub("", content) if isinstance(content, str) else content


_SHOWN_AS = {"text/markdown": "text/html"}
"""Forms that become another: cleaned HTML is not read as Markdown once more, which could make links of its text."""

_MADE: dict[str, Callable[[Any], Any]] = {
    "text/html": clean_html,
    "text/markdown": _html_of_markdown,
    "text/plain": str,
    "image/png": _picture,
    "image/svg+xml": _drawing,
    foreign.PLOTLY: lambda figure: _figure(figure) if isinstance(figure, Mapping) else None,
}
