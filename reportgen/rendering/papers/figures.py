"""Charts as files by themselves: SVG that carries its fonts, PNG with 300 dots per inch, PDF; and their captions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from reportgen.charts.static import svg
from reportgen.rendering import typefaces
from reportgen.rendering.look import Look
from reportgen.rendering.papers.listed import PaperFigure
from reportgen.rendering.papers.markdown import escaped
from reportgen.rendering.pictures import as_pdf, as_png, drawing_of
from reportgen.rendering.templates import Templates

DOTS = 300


def drawn(figures: Sequence[PaperFigure], kind: str, look: Look, templates: Templates) -> Iterator[bytes]:
    """Yield each chart as a file of a kind: svg, png or pdf."""
    pictures = [svg(figure.chart, look.colours) for figure in figures]
    drawings = [drawing_of(ElementTree.fromstring(picture)) for picture in pictures]
    if kind == "png":
        yield from as_png(drawings, templates, DOTS)
    elif kind == "pdf":
        yield from (as_pdf([drawing], templates) for drawing in drawings)
    else:
        yield from map(alone, pictures)


def alone(picture: str) -> bytes:
    """Return a drawing as a file that carries the letters it uses."""
    font = next((each for each in typefaces.fonts() if (each.family, each.weight) == ("Report Sans", 400)), None)
    if font is None:
        return picture.encode()
    letters = typefaces.subset(font, frozenset(picture) & typefaces.characters(font))
    face = f'@font-face{{font-family:"{font.family}";src:url("data:font/woff2;base64,{letters}")}}'
    start = picture.index(">") + 1
    return f"{picture[:start]}<style>{face}</style>{picture[start:]}".encode()


def captions(figures: Sequence[PaperFigure], templates: Templates) -> str:
    """Return the captions of figures as Markdown: number, title, note, and what each shows."""
    note = templates.vocabulary.phrases("papers").note()
    blocks = []
    for figure in figures:
        chart = figure.chart
        blocks.append(f"**{escaped(figure.number)}**")
        blocks.append(f"*{escaped(chart.title)}*")
        blocks.append(f"*{escaped(str(note))}* {escaped(' '.join(filter(None, (chart.caption, chart.alt))))}")
    return "\n\n".join(blocks) + "\n"
