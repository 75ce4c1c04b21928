"""Draw charts as SVG, for print and for readers without JavaScript."""

from collections.abc import Iterable

from reportgen.charts import layout, panels, theme
from reportgen.charts.layout import PHONE, SCREEN, Sheet
from reportgen.charts.marks import Box, Dot, Mark, Path, Text
from reportgen.charts.svg import Attribute, attributes, element, number, words
from reportgen.charts.theme import Colours
from reportgen.results.chart import Chart

OUTLINES = {name: shape["outline"] for name, shape in theme.LOOK["shapes"].items()}
"""The outline of each shape around its position, in pixels."""


def drawn(marks: Iterable[Mark], colours: Colours) -> str:
    """Draw marks as SVG elements: outlines, then text; marks of one look share an element unless they overlap.

    >>> drawn([Path(((0, y), (9, y)), "grid") for y in (1, 2)], Colours())
    '<path d="M0,1L9,1M0,2L9,2" fill="none" stroke="#e3e7ec" class="stroke-grid" stroke-width="0.8"/>'
    """
    outlines: dict[str, list[str]] = {}
    texts: dict[str, list[str]] = {}
    for mark in marks:
        content, look = _text(mark, colours) if isinstance(mark, Text) else _outline(mark, colours)
        (texts if isinstance(mark, Text) else outlines).setdefault(look, []).append(content)
    found = [f'<path d="{"".join(parts)}"{look}/>' for look, parts in outlines.items()]
    found += [f"<g{look}>{''.join(parts)}</g>" for look, parts in texts.items()]
    return "".join(found)


def _text(mark: Text, colours: Colours) -> tuple[str, str]:
    look = attributes(
        text_anchor=mark.anchor, font_size=mark.size, fill=colours.of(mark.ink), fill_opacity=mark.opacity,
        class_=f"fill-{mark.ink}",
    )  # fmt: skip
    return element("text", words(mark.said) or " ", x=mark.x, y=mark.y), look


def _outline(mark: Path | Box | Dot, colours: Colours) -> tuple[str, str]:
    ink = colours.of(mark.ink)
    line: dict[str, Attribute] = {"fill": "none", "stroke": ink, "class_": f"stroke-{mark.ink}"}
    match mark:
        case Path():
            way = "L".join(f"{number(x)},{number(y)}" for x, y in mark.points)
            if mark.filled:
                return f"M{way}z", attributes(fill=ink, fill_opacity=mark.filled, class_=f"fill-{mark.ink}")
            return f"M{way}", attributes(
                **line, stroke_width=mark.width, stroke_dasharray=theme.LOOK["dashes"].get(mark.dashes)
            )
        case Box():
            width, height = number(mark.width), number(max(0.0, mark.height))
            way = f"M{number(mark.x)},{number(mark.y)}h{width}v{height}h-{width}z"
            if mark.framed:
                return way, attributes(**line, stroke_width=mark.framed)
            return way, attributes(fill=ink, fill_opacity=mark.opacity, class_=f"fill-{mark.ink}")
        case Dot():
            fill = "paper" if mark.hollow or mark.shape == "cross" else mark.ink
            line |= {"fill": colours.of(fill), "class_": f"stroke-{mark.ink} fill-{fill}"}
            way = f"M{number(mark.x)},{number(mark.y)}{OUTLINES[mark.shape]}"
            return way, attributes(**line, stroke_width=mark.width)


def svg(chart: Chart, colours: Colours | None = None, sheet: Sheet = SCREEN) -> str:
    """Draw `chart` as one SVG element, as wide as its sheet, with its alt text as title."""
    chart, _ = layout.trimmed(chart)
    colours, placed, shared = colours or Colours(), panels.places(chart, sheet), panels.shared_axis(chart)
    height = panels.total(placed, shared)
    phone = sheet.width == PHONE.width
    parts = [] if phone else [element("title", words(chart.alt))]  # not needed on a phone: the label has the same text
    for plot in placed:
        marks = "".join(drawn(group, colours) for group in plot.groups())
        moved = plot.x or plot.y
        parts.append(element("g", marks, transform=f"translate({plot.x:.1f},{plot.y:.1f})") if moved else marks)
    if shared:
        last = placed[-1]
        name = theme.shorten(shared, layout.letters(sheet.width))
        parts.append(drawn([Text(name, last.x + last.frame.right, height - 6, "end")], colours))
    return element(
        "svg", "".join(parts), xmlns="http://www.w3.org/2000/svg", role="img", aria_label=chart.alt,
        class_="picture narrow" if phone else "picture", viewBox=f"0 0 {sheet.width:.0f} {height:.0f}",
        width=sheet.width, height=round(height), font_family=None if phone else theme.FONTS, font_size=theme.SIZE,
    )  # fmt: skip
