"""Format tables and charts for papers in APA style: those in the report with its numbers, then all others.

LaTeX, Markdown, and notebook output come from ``templates/papers``.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import jinja2

from reportgen.charts.static import svg
from reportgen.charts.svg import clean, one_line
from reportgen.errors import OutputError, install_command
from reportgen.rendering import notebook
from reportgen.rendering.execution import literal_call
from reportgen.rendering.look import characters, fonts, subset
from reportgen.rendering.page_tables import NONE, TableView, Thresholds, thresholds_of
from reportgen.rendering.pdf import as_pdf, as_png, drawing_of
from reportgen.rendering.show import ShownReport
from reportgen.rendering.templates import Templates, explained
from reportgen.results import Chart, Estimate, Table
from reportgen.wording.filling import loader_of
from reportgen.wording.vocabulary import Vocabulary


class PaperCell(NamedTuple):
    """A cell: its text, and the letter of its note."""

    text: str
    letter: str = ""


class PaperColumn(NamedTuple):
    """A column: its heading, and whether its numbers are right-aligned."""

    heading: str
    figures: bool


class PaperRow(NamedTuple):
    """A row of cells; a row with a single cell is a heading over the following rows."""

    cells: tuple[PaperCell, ...]
    strong: bool = False

    @property
    def heading(self) -> bool:
        """Whether it is a heading of rows."""
        return len(self.cells) == 1


class PaperTable(NamedTuple):
    """A table for a paper; its `number` is "Table 1", or empty for a single table.

    `note` is the word that starts the notes; `general` notes cover the whole table, `specific` ones the cells with a
    letter.
    """

    key: str
    number: str
    title: str
    columns: tuple[PaperColumn, ...]
    rows: tuple[PaperRow, ...]
    note: str
    general: tuple[str, ...]
    specific: tuple[tuple[str, str], ...]


def paper_table(table: Table, words: Vocabulary, number: int = 0, thresholds: Thresholds = NONE) -> PaperTable:
    """Convert a table in words to a paper table, with all rows."""
    say = words.phrases("papers")
    whole = replace(table, max_rows=max(len(table.rows), 1))
    shown = TableView(whole, thresholds=thresholds)
    return PaperTable(
        key=table.key,
        number=str(say.table(number)) if number else "",
        title=shown.title,
        columns=tuple(PaperColumn(each.label + (f" ({each.unit})" if each.unit else ""), each.figures and bool(place))
                      for place, each in enumerate(shown.columns[int(shown.grouped) :])),
        rows=tuple(_rows(shown)),
        note=str(say.note()),
        general=tuple(_general(whole, shown, words)),
        specific=shown.reasons,
    )  # fmt: skip


def _rows(shown: TableView) -> Iterator[PaperRow]:
    for group in shown.groups:
        if group.title:
            yield PaperRow((PaperCell(group.title),), strong=True)
        for row in group.rows:
            # the first cell is not repeated below a heading; a single row among groups has its name there
            cells = row.cells[1:] if group.title else (row.cells[0], *row.cells[2:]) if shown.grouped else row.cells
            found = [PaperCell(" ".join(filter(None, (cell.text, cell.limits))), cell.note) for cell in cells]
            if row.sign:
                found[0] = found[0]._replace(text=f"{row.sign} {found[0].text}")
            yield PaperRow(tuple(found), strong=row.mark == "overall")


def _general(table: Table, shown: TableView, words: Vocabulary) -> Iterator[str]:
    """Yield the notes on the whole table: conditions, n, intervals with their method, and the report's notes."""
    say = words.phrases("papers")
    if shown.conditions:
        yield f"{shown.conditions[:1].upper()}{shown.conditions[1:]}."
    shown_places = [place for place, column in enumerate(table.columns) if column.shown]
    cells = (row.cells[place] for place in shown_places for row in table.rows)
    estimates = [each for each in cells if isinstance(each, Estimate) and each.defined]
    counts = {each.n for each in estimates if each.n}
    if counts and not any(column.key == "n" and column.shown for column in table.columns):
        yield str(say.counted(min(counts), max(counts)))
    ranged = [each for each in estimates if each.low is not None or each.high is not None]
    if ranged:
        methods = list(dict.fromkeys(each.method for each in ranged if each.method))
        yield str(say.intervals(sorted({each.level for each in ranged}), methods))
    for name, sign in shown.marks.items():
        yield f"{sign} {say.mark(name)}."
    for label, reason in shown.empty:
        if reason:
            yield str(say.not_shown(label, reason))
    yield from shown.notes


class PaperFigure(NamedTuple):
    """A chart in words, with its number."""

    number: str
    chart: Chart


class ForPapers(NamedTuple):
    """The tables and figures of a report, in order."""

    tables: tuple[PaperTable, ...]
    figures: tuple[PaperFigure, ...]


def for_papers(templates: Templates) -> ForPapers:
    """Return the tables and figures of a report in the order of its pages, then those that the pages do not show."""
    report, words, shown = templates.report, templates.vocabulary, ShownReport(templates)
    with words.styled():
        items = list(_on_pages(templates, shown))
        keys = {item.key for item in items if isinstance(item, Table)}
        items += [shown.worded_table(table) for key, table in report.evaluation.tables.items() if key not in keys]
        thresholds, say = thresholds_of(report.evaluation.checks), words.phrases("papers")
        tables = [item for item in items if isinstance(item, Table)]
        charts = [item for item in items if isinstance(item, Chart)]
        return ForPapers(
            tuple(paper_table(table, words, place, thresholds) for place, table in enumerate(tables, start=1)),
            tuple(PaperFigure(str(say.figure(place)), chart) for place, chart in enumerate(charts, start=1)),
        )


def _on_pages(templates: Templates, shown: ShownReport) -> Iterator[Table | Chart]:
    """Yield what the cells of the notebook show, in order; charts of the brief also appear with the evidence."""
    for cell in notebook.build(templates)["cells"]:
        call = literal_call(cell["source"]) if cell["cell_type"] == "code" else None
        if call is None or call[0] != "show" or call[2].get("brief"):
            continue
        (key, *kind), how = call[1], call[2]
        title, note = how.get("title", ""), how.get("note", "")
        try:
            item = shown.item(key, *kind[:1] or [how.get("kind", "")])
            if isinstance(item, Table):
                yield shown.worded_table(item, how.get("columns", ()), title, note)
            elif isinstance(item, Chart):
                yield shown.worded_chart(item, title, note, how.get("alt", ""))
        except KeyError:  # the report shows a box instead
            continue


_LETTERS = str.maketrans(tomllib.loads(Path(__file__).with_name("latex.toml").read_text(encoding="utf-8")))

_LIGATURES = re.compile(r"(?<=([-,'?!]))(?=\1|`)")  # between letters that LaTeX would join

_TAKEN = re.compile(r"^(?=[\[*])", re.MULTILINE)
"""Positions where a rule or the end of a row would read the next text as an option."""

_SPACES = re.compile(r"[ \t\r\n\f\v\u2028\u2029]+")

SIZES = ((r"\small", 92), (r"\footnotesize", 104), (r"\scriptsize\setlength{\tabcolsep}{3pt}", 134))
"""Font sizes, and how many letters fit a line."""

SHORT, ONE_LINE = 24, 12  # letters of a word column without line breaks, and of a heading over numbers


def filled(name: str, loader: jinja2.BaseLoader | None = None, **context: Any) -> str:
    """Fill a template of papers. Default `loader`: the built-in templates."""
    environment = jinja2.Environment(
        loader=loader or loader_of(),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    with explained(name):
        return environment.get_template(name).render(**context, tex=latex_text, md=markdown_text, place=place)


def latex(table: PaperTable, loader: jinja2.BaseLoader | None = None) -> str:
    """Write a table as a LaTeX float, for a document with the packages of ``papers/document.tex.j2``."""
    size, layout = _layout(table)
    headings = list(map(_lines, table.columns))
    text = filled("papers/paper_table.tex.j2", loader, table=table, size=size, layout=layout, headings=headings)
    return _TAKEN.sub("{}", text)


def markdown(table: PaperTable, loader: jinja2.BaseLoader | None = None) -> str:
    """Write a table as Markdown that GitHub, Quarto, and Pandoc can read."""
    return filled("papers/paper_table.md.j2", loader, table=table)


def latex_text(text: str) -> str:
    r"""Convert text to LaTeX that displays it literally, on one line.

    >>> print(latex_text(r"\input{x} 50 % of R&D"))
    \textbackslash{}input\{x\} 50 \% of R\&D
    >>> print(latex_text("−0.04 [0.66, 0.75] --force"))
    $-$0.04 [0.66, 0.75] -{}-force
    """
    plain = _SPACES.sub(" ", unicodedata.normalize("NFC", clean(text))).strip()
    cuts = [match.start() for match in _LIGATURES.finditer(plain)]
    parts = (plain[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(plain)], strict=True))
    return "{}".join(part.translate(_LETTERS) for part in parts)


def place(key: str) -> str:
    """Convert a key to a label: letters, digits, points, and hyphens.

    >>> place("by_group.first language}")
    'by-group.first-language-'
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", key)


def _layout(table: PaperTable) -> tuple[str, str]:
    """Return the font size and the columns; if lines would be too long, words wrap."""
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


_SPECIAL = re.compile(r"[\\`*_{}#|~$^]|\[(?![−+\d.,; \u00a0\u202f]+\](?![(\[:]))")
"""Characters that Markdown reads as markup, except for the brackets of an interval."""

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_ADDRESS = re.compile(r":(?=/)|(?<=www)\.", re.IGNORECASE)  # where a text would become a link


def markdown_text(text: str) -> str:
    r"""Convert text to readable Markdown that displays it literally, on one line.

    >>> markdown_text("**a** | <b> & 0.71 [0.66, 0.75]"), markdown_text("[x](http://y)")
    ('\\*\\*a\\*\\* \\| &lt;b&gt; &amp; 0.71 [0.66, 0.75]', '\\[x](http&#58;//y)')
    """
    plain = one_line(text)
    plain = "".join(_HTML.get(letter, letter) for letter in _SPECIAL.sub(lambda found: f"\\{found[0]}", plain))
    return _ADDRESS.sub(lambda found: f"&#{ord(found[0])};", plain)


def great_table(table: PaperTable) -> Any:
    """Convert a table to a ``great_tables.GT``, with title, headings, row groups, and notes."""
    if find_spec("great_tables") is None:
        raise OutputError(f"great_table() requires an extra package; run: {install_command('great-tables')}")
    import pyarrow as pa
    from great_tables import GT, html

    columns = {f"column {place}": column for place, column in enumerate(table.columns)}
    held: dict[str, list[str]] = {name: [] for name in (*columns, "group")}
    group = ""
    for row in table.rows:
        if row.heading:
            group = row.cells[0].text
        else:
            texts = (escape(it.text) + f"<sup>{escape(it.letter)}</sup>" * bool(it.letter) for it in row.cells)
            for name, text in zip(held, (*texts, group), strict=True):
                held[name].append(text)
    if not any(held["group"]):
        del held["group"]
    headings: dict[str, Any] = {name: html(escape(column.heading)) for name, column in columns.items()}
    found = GT(pa.table(held).to_pandas(), groupname_col="group" if "group" in held else None)
    found = found.fmt(str, columns=list(columns)).cols_label(headings)  # cells are already HTML
    if figures := [name for name, column in columns.items() if column.figures]:
        found = found.cols_align("right", columns=figures)
    found = found.tab_header(title=html(f"<i>{escape(table.title)}</i>"))
    notes = [f"<i>{escape(table.note)}</i> {escape(' '.join(table.general))}"] if table.general else []
    notes += [f"<sup>{escape(letter)}</sup> {escape(reason)}." for letter, reason in table.specific]
    for note in notes:
        found = found.tab_source_note(html(note))
    return found


DOTS = 300


def drawn(figures: Sequence[PaperFigure], kind: str, templates: Templates) -> Iterator[bytes]:
    """Yield each chart as an SVG, PNG, or PDF file."""
    with templates.vocabulary.styled():
        pictures = [svg(figure.chart, templates.look.colours) for figure in figures]
    drawings = [drawing_of(ElementTree.fromstring(picture)) for picture in pictures]
    if kind == "png":
        yield from as_png(drawings, templates, DOTS)
    elif kind == "pdf":
        yield from (as_pdf([drawing], templates) for drawing in drawings)
    else:
        yield from map(alone, pictures)


def alone(picture: str) -> bytes:
    """Return a drawing as a file with its fonts embedded."""
    font = next(each for each in fonts() if (each.family, each.weight) == ("Report Sans", 400))
    letters = subset(font, frozenset(picture) & characters(font))
    face = f'@font-face{{font-family:"{font.family}";src:url("data:font/woff2;base64,{letters}")}}'
    start = picture.index(">") + 1
    return f"{picture[:start]}<style>{face}</style>{picture[start:]}".encode()
