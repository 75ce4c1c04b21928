"""Tables and charts for papers, as the APA has them: numbered as on the pages of the report, then all others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reportgen.rendering import notebook
from reportgen.rendering.execution import literal_call
from reportgen.rendering.look import Look
from reportgen.rendering.page_tables import NONE, CellView, RowView, TableView, Thresholds, thresholds_of, view
from reportgen.rendering.show import ShownReport
from reportgen.rendering.templates import Templates
from reportgen.results import Estimate, Report, Table
from reportgen.results.chart import Chart
from reportgen.wording.vocabulary import Vocabulary


@dataclass(frozen=True)
class PaperCell:
    """A cell: what is printed, and the letter of the note that explains it."""

    text: str
    letter: str = ""


@dataclass(frozen=True)
class PaperColumn:
    """A column: its heading, and whether its figures stand to the right."""

    heading: str
    figures: bool


@dataclass(frozen=True)
class PaperRow:
    """A row of cells; one with a single cell is a heading over the rows that follow."""

    cells: tuple[PaperCell, ...]
    strong: bool = False

    @property
    def heading(self) -> bool:
        """Whether it is the heading of rows."""
        return len(self.cells) == 1


@dataclass(frozen=True)
class PaperTable:
    """A table for a paper.

    Parameters
    ----------
    key
        As in results.json.
    number
        "Table 1"; empty for a table by itself.
    title, columns, rows
        What it holds.
    note
        The word that begins the notes.
    general, specific
        What is true of the whole table, and of the cells with a letter.
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
    """Return a table that is in words already as a paper prints it, with all its rows."""
    say = words.phrases("papers")
    whole = replace(table, max_rows=max(len(table.rows), 1))
    shown = view(whole, thresholds=thresholds)
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
            yield _row(row, int(shown.grouped and bool(group.title)), shown)


def _row(row: RowView, first: int, shown: TableView) -> PaperRow:
    cells = row.cells[first:]
    if shown.grouped and not first:  # a row with a name of its own, among rows of groups
        cells = (row.cells[0], *row.cells[2:])
    named, *others = (_cell(cell) for cell in cells)
    sign = f"{row.sign} " if row.sign else ""
    return PaperRow((replace(named, text=f"{sign}{named.text}"), *others), strong=row.mark == "overall")


def _cell(cell: CellView) -> PaperCell:
    return PaperCell(" ".join(filter(None, (cell.text, cell.limits))), cell.note)


def _general(table: Table, shown: TableView, words: Vocabulary) -> Iterator[str]:
    """Yield the notes on the whole table: conditions, n, intervals with their method, what the page says below it."""
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


@dataclass(frozen=True)
class PaperFigure:
    """A chart in words, with its number."""

    number: str
    place: int
    chart: Chart


@dataclass(frozen=True)
class ForPapers:
    """The tables and the figures of a report, in their order."""

    tables: tuple[PaperTable, ...]
    figures: tuple[PaperFigure, ...]


def for_papers(report: Report, look: Look, templates: Templates) -> ForPapers:
    """Return the tables and figures of a report: in the order of its pages, then what these do not show."""
    words, shown = templates.vocabulary, ShownReport(report, look, templates)
    items = list(_on_pages(report, look, templates, shown))
    keys = {item.key for item in items if isinstance(item, Table)}
    items += [shown.worded_table(table) for key, table in report.evaluation.tables.items() if key not in keys]
    thresholds, say = thresholds_of(report.evaluation.checks), words.phrases("papers")
    tables = [item for item in items if isinstance(item, Table)]
    charts = [item for item in items if isinstance(item, Chart)]
    return ForPapers(
        tuple(paper_table(table, words, place, thresholds) for place, table in enumerate(tables, start=1)),
        tuple(PaperFigure(str(say.figure(place)), place, chart) for place, chart in enumerate(charts, start=1)),
    )


def _on_pages(report: Report, look: Look, templates: Templates, shown: ShownReport) -> Iterator[Table | Chart]:
    """Yield what the cells of the notebook show, in their order; pictures of the brief come again with the evidence."""
    for cell in notebook.build(report, look, templates)["cells"]:
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
        except KeyError:  # the page says so in a box
            continue
