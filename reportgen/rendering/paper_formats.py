"""Tables for papers as LaTeX, Markdown, and tables of great_tables; charts as SVG, PNG, and PDF."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape
from importlib.util import find_spec
from typing import Any
from xml.etree import ElementTree

from reportgen.charts.static import svg
from reportgen.charts.svg import clean
from reportgen.errors import OutputError, install_command
from reportgen.rendering.look import Look, characters, fonts, subset
from reportgen.rendering.paper_tables import PaperCell, PaperColumn, PaperFigure, PaperRow, PaperTable
from reportgen.rendering.pdf import as_pdf, as_png, drawing_of
from reportgen.rendering.templates import Templates

_WRITTEN = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': r"\textquotedbl{}", "\N{NO-BREAK SPACE}": "~",
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$", "≠": r"$\neq$", "≈": r"$\approx$",
    "–": r"\textendash{}", "—": r"\textemdash{}", "…": r"\ldots{}", "·": r"\textperiodcentered{}", "→": r"$\to$",
    "‘": r"\textquoteleft{}", "’": r"\textquoteright{}", "“": r"\textquotedblleft{}", "”": r"\textquotedblright{}",
    "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}", "°": r"\textdegree{}", "§": r"\textsection{}",
    "▲": r"$\blacktriangle$", "◇": r"$\lozenge$", "√": r"$\surd$", "∞": r"$\infty$",
}  # fmt: skip
"""What stands for letters that LaTeX would read as commands, and for signs that few of its fonts have."""

_GREEK = {"ρ": "rho", "κ": "kappa", "α": "alpha", "σ": "sigma", "Φ": "Phi", "τ": "tau", "π": "pi", "β": "beta",
          "γ": "gamma", "δ": "delta", "Δ": "Delta", "μ": "mu", "λ": "lambda", "θ": "theta", "φ": "phi", "ε": "epsilon",
          "η": "eta", "χ": "chi", "ω": "omega", "Σ": "Sigma"}  # fmt: skip

_LETTERS = str.maketrans({**_WRITTEN, **{letter: f"$\\{name}$" for letter, name in _GREEK.items()}})

_LIGATURES = re.compile(r"(?<=([-,'?!]))(?=\1|`)")
"""Between letters that LaTeX would join into another sign."""

_TAKEN = re.compile(r"^(?=[\[*])", re.MULTILINE)
"""Before what a rule or the end of a row would take for an option of its own."""

_SPACES = re.compile(r"[ \t\r\n\f\v\u2028\u2029]+")

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\else\usepackage{fontspec}\fi
\usepackage{textcomp,amssymb,array,booktabs,caption}
\usepackage[margin=20mm]{geometry}
\captionsetup{labelfont=bf,textfont=it,labelsep=newline,singlelinecheck=false,justification=raggedright}
\begin{document}
"""
"""What a document needs that holds these tables; the captions are those of the APA."""

SIZES = ((r"\small", 92), (r"\footnotesize", 104), (r"\scriptsize\setlength{\tabcolsep}{3pt}", 134))
"""Sizes of letters, and how many of them a line of a page has."""

SHORT, ONE_LINE = 24, 12
"""Letters of a column of words that needs no lines of its own, and of a heading over figures."""

END = "\\end{document}\n"


def latex(table: PaperTable) -> str:
    r"""Return a table as a float of LaTeX, for a document with the packages of `PREAMBLE`."""
    size, columns = _layout(table)
    headings = " & ".join(map(_heading, table.columns))
    lines = [
        r"\begin{table}[htbp]",
        f"\\caption{{{latex_text(table.title)}}}",
        f"\\label{{tab:{place(table.key)}}}",
        size,
        f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        f"{headings} \\\\",
        r"\midrule",
        *(_latex_row(row, len(table.columns)) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *_latex_notes(table),
        r"\end{table}",
    ]
    return _TAKEN.sub("{}", "\n".join(lines)) + "\n"


def document(names: Sequence[str]) -> str:
    """Return a document that holds tables, which stand in files of these names beside it."""
    return PREAMBLE + "".join(f"\\input{{{name}}}\n\\clearpage\n" for name in names) + END


def latex_text(text: str) -> str:
    r"""Return a text as LaTeX that shows it letter for letter, on one line.

    Examples
    --------
    >>> print(latex_text(r"\input{x} 50 % of R&D"))
    \textbackslash{}input\{x\} 50 \% of R\&D
    >>> print(latex_text("−0.04 [0.66, 0.75] --force"))
    $-$0.04 [0.66, 0.75] -{}-force
    """
    plain = _SPACES.sub(" ", unicodedata.normalize("NFC", clean(text))).strip()
    return "{}".join(part.translate(_LETTERS) for part in _unjoined(plain))


def _unjoined(text: str) -> list[str]:
    """Return a text cut where LaTeX would join two letters into another sign."""
    cuts = [match.start() for match in _LIGATURES.finditer(text)]
    return [text[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def place(key: str) -> str:
    """Return a key as the name of a place: letters, digits, points and hyphens.

    Examples
    --------
    >>> place("by_group.first language}")
    'by-group.first-language-'
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", key)


def _layout(table: PaperTable) -> tuple[str, str]:
    """Return the size of the letters and the columns: where lines would be too long, words have lines of their own."""
    columns = [(column.figures, width) for column, width in zip(table.columns, _widths(table), strict=True)]
    capped = [width if figures else min(width, SHORT) for figures, width in columns]
    size, room = next((each for each in SIZES if sum(capped) <= each[1]), SIZES[-1])
    long = [place for place, (figures, width) in enumerate(columns) if not figures and width > SHORT]
    wanted = sum(columns[place][1] for place in long)
    left = room - sum(width for place, width in enumerate(capped) if place not in long)
    if wanted <= left:
        return size, "".join("r" if figures else "l" for figures, _ in columns)
    share = {place: max(left * columns[place][1] / wanted, SHORT / 2) / room for place in long}
    return size, "".join(f">{{\\raggedright\\arraybackslash}}p{{{share[place]:.2f}\\linewidth}}" if place in share
                         else "r" if figures else "l" for place, (figures, _) in enumerate(columns))  # fmt: skip


def _widths(table: PaperTable) -> list[int]:
    rows = [row.cells for row in table.rows if not row.heading]
    return [max(map(len, (*_lines(column), *(cells[place].text for cells in rows)))) + 2
            for place, column in enumerate(table.columns)]  # fmt: skip


def _lines(column: PaperColumn) -> list[str]:
    words = column.heading.split(" ")
    if not column.figures or len(column.heading) <= ONE_LINE or len(words) == 1:
        return [column.heading]
    halves = [(" ".join(words[:place]), " ".join(words[place:])) for place in range(1, len(words))]
    return list(min(halves, key=lambda lines: max(map(len, lines))))


def _heading(column: PaperColumn) -> str:
    lines = list(map(latex_text, _lines(column)))
    joined = r" \\ ".join(lines)
    return joined if len(lines) == 1 else f"\\shortstack[r]{{{joined}}}"


def _latex_row(row: PaperRow, columns: int) -> str:
    if row.heading:
        return f"\\multicolumn{{{columns}}}{{@{{}}l}}{{\\textbf{{{latex_text(row.cells[0].text)}}}}} \\\\"
    return " & ".join(_latex_cell(cell, strong=row.strong) for cell in row.cells) + r" \\"


def _latex_cell(cell: PaperCell, *, strong: bool) -> str:
    text = latex_text(cell.text)
    text = f"\\textbf{{{text}}}" if strong and text else text
    return f"{text}\\textsuperscript{{{latex_text(cell.letter)}}}" if cell.letter else text


def _latex_notes(table: PaperTable) -> list[str]:
    lines = []
    if table.general:
        said = " ".join(map(latex_text, table.general))
        lines.append(f"\\par\\medskip\\noindent\\footnotesize\\textit{{{latex_text(table.note)}}} {said}")
    if table.specific:
        said = " ".join(f"\\textsuperscript{{{letter}}}~{latex_text(reason)}." for letter, reason in table.specific)
        lines.append(f"\\par\\noindent\\footnotesize {said}")
    return lines


_SPECIAL = re.compile(r"[\\`*_{}#|~$^]|\[(?![−+\d., \N{NO-BREAK SPACE}]+\](?![(\[:]))")
"""What Markdown reads as markup; an interval in brackets is none."""

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_ADDRESS = re.compile(r":(?=/)|(?<=www)\.", re.IGNORECASE)
"""Where a text would become a link."""


def markdown_text(text: str) -> str:
    r"""Return a text as Markdown that shows it letter for letter, on one line, and reads well as it is.

    Examples
    --------
    >>> markdown_text("**a** | <b> & 0.71 [0.66, 0.75]"), markdown_text("[x](http://y)")
    ('\\*\\*a\\*\\* \\| &lt;b&gt; &amp; 0.71 [0.66, 0.75]', '\\[x](http&#58;//y)')
    """
    plain = " ".join(clean(text).split())
    plain = "".join(_HTML.get(letter, letter) for letter in _SPECIAL.sub(lambda found: f"\\{found[0]}", plain))
    return _ADDRESS.sub(lambda found: f"&#{ord(found[0])};", plain)


def markdown(table: PaperTable) -> str:
    """Return a table as Markdown with the tables that GitHub, Quarto and Pandoc read."""
    blocks = [f"**{markdown_text(table.number)}**"] if table.number else []
    blocks += [f"*{markdown_text(table.title)}*"] if table.title else []
    lines = [
        _markdown_line([markdown_text(column.heading) for column in table.columns]),
        _markdown_line(["--:" if column.figures else ":--" for column in table.columns]),
        *(_markdown_row(row, len(table.columns)) for row in table.rows),
    ]
    blocks.append("\n".join(lines))
    if table.general:
        blocks.append(f"*{markdown_text(table.note)}* {' '.join(map(markdown_text, table.general))}")
    if table.specific:
        blocks.append(" ".join(f"<sup>{letter}</sup> {markdown_text(reason)}." for letter, reason in table.specific))
    return "\n\n".join(blocks) + "\n"


def _markdown_row(row: PaperRow, columns: int) -> str:
    cells = [_markdown_cell(cell, strong=row.strong) for cell in row.cells]
    return _markdown_line([*cells, *[""] * (columns - len(cells))])


def _markdown_cell(cell: PaperCell, *, strong: bool) -> str:
    text = markdown_text(cell.text)
    text = f"**{text}**" if strong and text else text
    return f"{text}<sup>{markdown_text(cell.letter)}</sup>" if cell.letter else text


def _markdown_line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def great_table(table: PaperTable) -> Any:
    """Return a table as a ``great_tables.GT``, with its title, headings, groups of rows and notes.

    Raises OutputError if the package is not installed.
    """
    if find_spec("great_tables") is None:
        raise OutputError(f"great_table() needs one more package; type: {install_command('great-tables')}")
    import pyarrow as pa
    from great_tables import GT, html

    names = [f"column {place}" for place in range(len(table.columns))]
    group, lines, groups = "", [], []
    for row in table.rows:
        if row.heading:
            group = row.cells[0].text
        else:
            lines.append([_html(cell) for cell in row.cells])
            groups.append(group)
    parted = any(groups)
    held = {name: [line[place] for line in lines] for place, name in enumerate(names)}
    frame = pa.table(held | ({"group": groups} if parted else {})).to_pandas()
    headings: dict[str, Any] = {
        name: html(escape(column.heading)) for name, column in zip(names, table.columns, strict=True)
    }
    figures = [name for name, column in zip(names, table.columns, strict=True) if column.figures]
    found = GT(frame, groupname_col="group") if parted else GT(frame)
    found = found.fmt(str, columns=names).cols_label(headings)  # cells are HTML already
    found = found.cols_align("right", columns=figures) if figures else found
    found = found.tab_header(title=html(f"<i>{escape(table.title)}</i>"))
    for note in _html_notes(table):
        found = found.tab_source_note(html(note))
    return found


def _html_notes(table: PaperTable) -> list[str]:
    general = [f"<i>{escape(table.note)}</i> {escape(' '.join(table.general))}"] if table.general else []
    return [*general, *(f"<sup>{escape(letter)}</sup> {escape(reason)}." for letter, reason in table.specific)]


def _html(cell: PaperCell) -> str:
    return f"{escape(cell.text)}<sup>{escape(cell.letter)}</sup>" if cell.letter else escape(cell.text)


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
    font = next((each for each in fonts() if (each.family, each.weight) == ("Report Sans", 400)), None)
    if font is None:
        return picture.encode()
    letters = subset(font, frozenset(picture) & characters(font))
    face = f'@font-face{{font-family:"{font.family}";src:url("data:font/woff2;base64,{letters}")}}'
    start = picture.index(">") + 1
    return f"{picture[:start]}<style>{face}</style>{picture[start:]}".encode()


def figure_captions(figures: Sequence[PaperFigure], templates: Templates) -> str:
    """Return the figure_captions of figures as Markdown: number, title, note, and what each shows."""
    note = templates.vocabulary.phrases("papers").note()
    blocks = []
    for figure in figures:
        chart = figure.chart
        blocks.append(f"**{markdown_text(figure.number)}**")
        blocks.append(f"*{markdown_text(chart.title)}*")
        blocks.append(
            f"*{markdown_text(str(note))}* {markdown_text(' '.join(filter(None, (chart.caption, chart.alt))))}"
        )
    return "\n\n".join(blocks) + "\n"
