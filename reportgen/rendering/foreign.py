"""Sanitize figures drawn by custom templates and the outputs of notebooks.

Outputs are stored in results.json and travel with it, so they are data: they contain no script, style, form, or frame,
no address outside the page, and nothing that could cover the page.
"""

import base64
import binascii
import io
import json
import re
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

import nh3

PLOTLY = "application/vnd.plotly.v1+json"


def forms(figure: Any, alt: str) -> dict[str, Any]:
    """Convert a Plotly figure (anything with ``to_json``) or a Matplotlib figure (``savefig``) to MIME types.

    Raises ValueError without alt text, TypeError if it is neither.
    """
    if not alt.strip():
        raise ValueError("a figure requires alt text that gives its answer, such as report.show(figure, alt='...')")
    if hasattr(figure, "to_json"):
        return {PLOTLY: json.loads(figure.to_json()), "text/plain": alt}
    if hasattr(figure, "savefig"):
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None})
        drawing = file.getvalue()
        return {"image/svg+xml": drawing[drawing.index("<svg") :], "text/plain": alt}
    raise TypeError(f"cannot show a {type(figure).__name__}; give a key, or a Plotly or Matplotlib figure")


def picture(figure: dict[str, Any]) -> str:
    """Draw a Plotly figure as SVG with kaleido and Chrome, if both are installed."""
    try:
        import plotly.io

        drawing: str = plotly.io.to_image(figure, format="svg").decode()
    except Exception:  # noqa: BLE001 - no kaleido, no Chrome, or either fails: the page says so in words
        return ""
    return drawing[drawing.index("<svg") :]


_TAGS = {
    *("a", "b", "br", "code", "em", "hr", "i", "img", "p", "pre", "s", "samp", "small", "span", "strong", "sub"),
    *("sup", "u", "blockquote", "dd", "div", "dl", "dt", "figcaption", "figure", "h2", "h3", "h4", "h5", "h6", "li"),
    *("ol", "ul", "caption", "col", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr"),
}

_ATTRIBUTES = {"colspan", "rowspan", "scope", "headers", "alt", "title", "lang", "dir"}

_PICTURE = re.compile(r"data:image/(png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=\s]+")
"""Embedded images. In a drawing embedded like this, no script runs, no link works, and nothing is loaded."""

_TAG, _EMPTY = re.compile(r"<(/?)(\w+)"), ("br", "col", "hr", "img")
NESTED = 64  # most nested elements; deeper HTML, which no page could lay out, is reduced to its text

_SPAN = re.compile(r"[1-9][0-9]{0,2}")  # columns or rows that a cell can span

_SVG, _SVG_END = re.compile(r"(<svg\b)", re.IGNORECASE), re.compile(r"</svg\s*>", re.IGNORECASE)
_LABEL = re.compile(r'aria-label="([^"<>]*)"')


def harmless(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the forms of an output that are safe on a page, by MIME type.

    `data`: The forms of one output, as stored; each can be of any type.

    >>> harmless({"text/html": '<p onclick="go()">a<script>b</script></p><meta http-equiv="refresh">'})
    {'text/html': '<p>a</p>'}
    """
    made = {_SHOWN_AS.get(form, form): _MADE[form](content) for form, content in data.items() if form in _MADE}
    return {form: content for form, content in made.items() if content}


def clean_html(text: Any) -> str:
    """Reduce HTML to text, tables, and embedded images, without scripts or external links.

    Drawings become images first. The cleaner runs last and returns the tree that it parsed.
    """
    *drawn, rest = _SVG_END.split(str(text))
    made = _CLEANER.clean("".join(map(_with_picture, drawn)) + rest)
    nested = accumulate(-1 if end else name not in _EMPTY for end, name in _TAG.findall(made))
    return made if max(nested, default=0) <= NESTED else nh3.clean(made, tags=set())


def _with_picture(text: str) -> str:
    before, *drawing = _SVG.split(text, maxsplit=1)
    return before + (_element("".join([*drawing, "</svg>"])) if drawing else "")


def _permitted(_tag: str, name: str, value: str) -> str | None:
    if name == "src":
        allowed = _PICTURE.fullmatch(value) is not None
    elif name == "href":
        allowed = value.startswith("#")
    else:
        allowed = name not in ("colspan", "rowspan") or _SPAN.fullmatch(value) is not None
    return value if allowed else None


_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    clean_content_tags={"script", "style", "template", "title"},
    attributes={"*": _ATTRIBUTES, "img": {"src"}, "a": {"href"}},
    attribute_filter=_permitted,
    allowed_classes={"p": {"about", "caveat", "headline", "particulars"}},
    url_schemes={"data"},
    link_rel=None,
)
_LABELS = nh3.Cleaner(tags={"b", "br", "em", "extra", "i", "s", "sub", "sup", "u"}, attributes={}, link_rel=None)
"""Cleaners for pages, and for the small HTML in the texts of Plotly figures."""


def _html_of_markdown(text: Any) -> str:
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    return clean_html(markdown2html_mistune(str(text)))


def _picture(content: Any) -> str:
    letters = "".join(str(content).split())
    try:
        base64.b64decode(letters, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return letters


def _element(drawing: str) -> str:
    letters = base64.b64encode(drawing.encode("utf-8", "replace")).decode()
    label = _LABEL.search(drawing.partition(">")[0])
    return f'<img alt="{label[1] if label else ""}" src="data:image/svg+xml;base64,{letters}">'


def _figure(content: Any) -> Any:
    """Remove links and external images from a Plotly figure.

    Any text with an angle bracket is cleaned, even without a complete element, because Plotly concatenates texts, such
    as a tick with its prefix and suffix.
    """
    if isinstance(content, Mapping):
        return {str(key): _figure(value) for key, value in content.items() if key not in ("images", "source")}
    if isinstance(content, list | tuple):
        return [_figure(value) for value in content]
    return _LABELS.clean(content) if isinstance(content, str) and "<" in content else content


_SHOWN_AS = {"text/markdown": "text/html"}
"""Forms that change type: cleaned HTML is not read as Markdown, which could turn its text into links."""

_MADE: dict[str, Callable[[Any], Any]] = {
    "text/html": clean_html,
    "text/markdown": _html_of_markdown,
    "text/plain": str,
    "image/png": _picture,
    "image/svg+xml": lambda drawing: _CLEANER.clean(_element(str(drawing))),
    PLOTLY: lambda figure: _figure(figure) if isinstance(figure, Mapping) else None,
}
