"""Display parts of a report in notebook cells: ``report.show("agreement.qwk")``.

Cells only display. A table is one output with HTML and plain text. A chart is one output with a Plotly figure, an image
(SVG), and its alt text; its data table is in the metadata, so that a notebook without Plotly shows the image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from reportgen.charts.interactive import figure
from reportgen.charts.layout import PAGE, PHONE, SCREEN, printed, trimmed
from reportgen.charts.static import svg
from reportgen.charts.svg import clean
from reportgen.charts.table import data_table
from reportgen.charts.theme import Colours, shorten_apart
from reportgen.errors import did_you_mean
from reportgen.rendering import foreign
from reportgen.rendering.filters import anchor
from reportgen.rendering.look import Look
from reportgen.rendering.notebook import find_anchor
from reportgen.rendering.page_tables import CheckView, TableView, check_views, strip, thresholds_of
from reportgen.rendering.templates import Templates
from reportgen.results import Cells, Chart, Check, Column, Estimate, Table
from reportgen.results.group_statistics import Statistics
from reportgen.storing import results_file
from reportgen.wording.names import joined
from reportgen.wording.numbers import coverage, in_cell, with_interval


def load(path: str = "results.json", *, templates: str = "", colours: Mapping[str, str] | None = None) -> ShownReport:
    """Load the stored report at `path`, ready to be displayed in a notebook."""
    look = Look(templates=Path(templates) if templates else None, colours=Colours(**(colours or {})))
    return ShownReport(Templates(results_file.read(Path(path)), look))


LONG_NAME, SHORT_NAME = 40, 18  # letters of the name of an engine on two lines, and on one if there are many

FEW = 12  # charts with at most this many rows are also drawn for a phone; longer ones scroll there


class CellError(Exception):
    """A cell of a notebook section failed when it ran."""


class Shown:
    """An object to display in a notebook, in every form that a page can use (IPython's display protocol)."""

    def __init__(self, data: dict[str, Any], about: dict[str, Any]) -> None:
        self.data = data
        self.about = about

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.data, {"reportgen": self.about}


class ShownReport:
    """A report in a notebook: `show` for what is on the page, `content` for everything stored."""

    def __init__(self, templates: Templates) -> None:
        self.content = report = templates.report
        self._templates = templates
        kinds = ("table", "chart", "checks", "questions", "board")
        self._items: dict[str, dict[str, Any]] = {kind: {} for kind in kinds}
        self._items["table"].update(report.evaluation.tables)
        for section in report.sections:
            self._items["table"].update({table.key: table for table in section.findings.tables})
            self._items["chart"].update({chart.key: chart for chart in section.findings.charts})
            self._items["checks"][f"{section.name}.checks"] = section.findings.checks
            self._items["questions"][f"{section.name}.checks"] = section.findings.checks
            if board := section.findings.values.get("board"):
                self._items["board"][f"{section.name}.board"] = board

    def show(
        self, key: Any, kind: str = "", *, title: str = "", note: str = "", alt: str = "", columns: Sequence[str] = (),
        brief: bool = False,
    ) -> Shown:  # fmt: skip
        """Return a table, a chart, or the checks of a section (``"summary.checks"``) by key.

        `key` is a key in results.json, or a Plotly or Matplotlib figure with `title` and `alt` text. `kind` ("table",
        "chart", "checks"; "questions" for checks by the questions that they answer; "board" for engines by decision) is
        required if a table and a chart share the key. `title` and `note` appear above and below the item. `columns` are
        the columns of a table in order; for a table by group, they can include statistics stored for every group, such
        as "system.mae". `brief` also shows a chart among the charts of the brief, without its data.
        Raises KeyError if nothing has this key.
        """
        if not isinstance(key, str):
            about = {"kind": "chart", "id": anchor("chart", title or "figure"), "title": title, "alt": alt}
            return Shown(foreign.forms(key, alt), {**about, "caption": "", "left_out": 0, "texts_left_out": False})
        item = self.item(key, kind)
        with self._templates.vocabulary.styled():
            if isinstance(item, Table):
                return self._table(self.worded_table(item, columns, title, note))
            if isinstance(item, Chart):
                return self._chart(self.worded_chart(item, title, note, alt), brief=brief)
            if kind == "board":
                return self._board(key, item, note)
            return self._checks(key, item, note, questions=kind == "questions")

    def item(self, key: str, kind: str = "") -> Any:
        """Return the stored item of a key; raises KeyError if there is none, or two and no `kind`."""
        kinds = (kind,) if kind else ("table", "chart", "checks")
        found = {name: self._items[name][key] for name in kinds if key in self._items[name]}
        if not found:
            known = [name for items in self._items.values() for name in items]
            raise KeyError(f"the report has no item {key!r}{did_you_mean(key, known)}")
        if len(found) > 1:
            raise KeyError(f"{key!r} is a {' and a '.join(found)}; choose one, such as report.show({key!r}, 'chart')")
        return next(iter(found.values()))

    def worded_table(self, table: Table, columns: Sequence[str] = (), title: str = "", note: str = "") -> Table:
        """Return a table in words, with these columns, this title, and one more note."""
        table = laid_out(self._with_statistics(table, columns), columns)
        table = self._templates.vocabulary.table(table)
        return replace(table, caption=title or table.caption, notes=(*table.notes, *([note] if note else [])))

    def worded_chart(self, chart: Chart, title: str = "", note: str = "", alt: str = "") -> Chart:
        """Return a chart in words, with this title, and one more note."""
        words = self._templates.vocabulary
        chart = words.said(chart)
        return replace(
            chart,
            title=title or chart.title or words.title(chart.key),
            caption=" ".join(filter(None, [chart.caption, note])),
            alt=alt or chart.alt,
        )

    def output(self, section: str, number: int) -> Shown:
        """Return output `number` of a notebook section, as it was when the notebook ran, or raise CellError."""
        findings = next(each for each in self.content.sections if each.name == section).findings
        data = findings.values["outputs"][number]
        if "error" in data:
            raise CellError(str(data["error"]))
        return Shown(foreign.harmless(data), {"kind": "output"})

    def _with_statistics(self, table: Table, columns: Sequence[str]) -> Table:
        evaluation = self.content.evaluation
        held, statistics = {column.key for column in table.columns}, Statistics(evaluation.statistics)
        group = next((each for each in evaluation.groups if table.key.endswith(f".{each}")), "")
        for key in (key for key in columns if group and key not in held and "." in key):
            primary = str(evaluation.facts["primary"])
            levels = {each.level: each.estimate for each in statistics.levels(key, primary, group)}
            if not levels:
                continue
            whole = statistics.one(key, primary)
            rows = tuple(
                replace(row, cells=(*row.cells, whole if row.mark == "overall" else levels.get(str(row.cells[0]))))
                for row in table.rows
            )
            column = Column(key, kind=next(iter(levels.values())).kind)
            table = replace(table, columns=(*table.columns, column), rows=rows)
        return table

    def _table(self, table: Table) -> Shown:
        listed = table.key in self.content.evaluation.tables
        thresholds = thresholds_of(self.content.evaluation.checks)
        printed = TableView(table, listed=listed, thresholds=thresholds)
        html = self._templates.page("html/table.html.j2", table=printed)
        return Shown({"text/html": html, "text/plain": plain(table)}, {"kind": "table", "small": printed.small})

    def _chart(self, chart: Chart, *, brief: bool = False) -> Shown:
        words = self._templates.vocabulary
        colours = self._templates.look.colours
        _, left_out = trimmed(chart)
        data: dict[str, Any] = {
            "image/svg+xml": svg(chart, colours, PAGE if brief else SCREEN),
            "text/plain": clean(chart.alt),
        }
        numbers = ""
        if not brief:  # the evidence has its data, and the chart that opens
            data[foreign.PLOTLY] = figure(chart, colours)
            table = data_table(chart)
            table = replace(table, caption=words.say(table.caption), notes=tuple(map(words.say, table.notes)))
            numbers = self._templates.page("html/table.html.j2", table=TableView(table, listed=False))
        texts_left_out = any(isinstance(layer, Cells) and not printed(layer) for layer in chart.every_layer())
        place = anchor("brief" if brief else "chart", chart.key)
        about = {"id": place, "title": chart.title, "caption": chart.caption, "alt": chart.alt}
        return Shown(
            data,
            {
                "kind": "chart",
                "left_out": left_out,
                "texts_left_out": texts_left_out,
                "numbers": numbers,
                "narrow": "" if len(chart.y.categories) > FEW else svg(chart, colours, PHONE),
                **{key: clean(text) for key, text in about.items()},
            },
        )

    def _checks(self, key: str, checks: tuple[Check, ...], note: str, *, questions: bool) -> Shown:
        words = self._templates.vocabulary
        items = tuple(map(words.said, checks))
        views = check_views(items, self._templates.look.colours, words)
        levels = [coverage(level) for level in sorted({check.estimate.level for check in checks})]
        if questions:
            rows = list(zip(checks, views, strict=True))
            pooled = self.content.evaluation.facts.get("items_differ")
            about: dict[str, Any] = {"rows": rows, "levels": levels, "note": note, "pooled": pooled}
        else:
            # the sources of thresholds appear below the first checks of the report
            first = next((f"{each.name}.checks" for each in self.content.sections if each.findings.checks), "")
            about = {
                "checks": views,
                "sources": joined(clean(check.source) for check in items),
                "levels": words.listed(levels),
                "criteria": "" if first == key else find_anchor(self.content, "criteria"),
            }
        lines = map(words.phrases("decision").check, checks)
        name = "questions" if questions else "checks"
        html = self._templates.page(f"html/{name}.html.j2", id=anchor(name, key), **about)
        return Shown({"text/html": html, "text/plain": clean("\n".join(lines))}, {"kind": "checks"})

    def _board(self, key: str, board: Mapping[str, Any], note: str) -> Shown:
        words, colours = self._templates.vocabulary, self._templates.look.colours
        rows = [row for group in board["groups"] for row in group["rows"]]
        columns = [[words.said(check) for row in rows if (check := row["cells"][place])]
                   for place in range(len(board["heads"]))]  # fmt: skip
        given = [row["run"] if len(row["run"]) > LONG_NAME else words.label(row["run"]) for row in rows]
        names = shorten_apart(given, LONG_NAME if len(rows) <= FEW else SHORT_NAME)
        views = [
            [
                check and CheckView(words.said(check), colours, words, each)
                for check, each in zip(row["cells"], columns, strict=True)
            ]
            for row in rows
        ]
        found = {row["run"]: parts for row, *parts in zip(rows, names, views, strict=True)}
        limits = [[(each.low, each.high) for each in column] for column in columns[: board["drawn"]]]
        usual = [column[of.index(max(of, key=of.count))] for column, of in zip(columns, limits, strict=False)]
        axes = [Markup(strip(each, colours, words, columns[at], axis=True)) for at, each in enumerate(usual)]
        drawn = [check for column in columns[: board["drawn"]] for check in column]
        known = {key: any((it := getattr(each, key)) and it.defined for each in drawn) for key in ("second", "best")}
        levels = sorted({coverage(check.estimate.level) for check in drawn})
        same = [len({(check.low, check.high, check.strict) for check in column}) == 1 for column in columns]
        html = self._templates.page(
            "html/board.html.j2", id=anchor("board", key), board=board, found=found, axes=axes, note=note,
            levels=levels, same=same, known=known, decisions=self.content.evaluation.facts.get("decisions") or (),
        )  # fmt: skip
        text = [f"{row['run']}: {group['decision']}" for group in board["groups"] for row in group["rows"]]
        return Shown({"text/html": html, "text/plain": clean("\n".join(text))}, {"kind": "checks"})


def laid_out(table: Table, columns: Sequence[str]) -> Table:
    """Show only these columns of a table, in this order; the others stay in its CSV file."""
    if not columns:
        return table
    places = {column.key: place for place, column in enumerate(table.columns)}
    for key in columns:
        if key not in places:
            raise KeyError(f"table {table.key!r} has no column {key!r}{did_you_mean(key, places)}")
    hidden = [place for key, place in places.items() if key not in columns]
    order = [*(places[key] for key in columns), *hidden]
    shown = tuple(replace(table.columns[place], shown=table.columns[place].key in columns) for place in order)
    rows = tuple(replace(row, cells=tuple(row.cells[place] for place in order)) for row in table.rows)
    return replace(table, columns=shown, rows=rows)


def plain(table: Table) -> str:
    """Write a table as plain text: caption, then one line per row."""
    lines = [table.caption, "\t".join(column.label for column in table.columns if column.shown)]
    for row in table.rows:
        cells = zip(row.cells, table.columns, strict=True)
        words = (
            in_cell(with_interval(cell)) if isinstance(cell, Estimate) else "" if cell is None else str(cell)
            for cell, column in cells
            if column.shown
        )
        lines.append("\t".join(words))
    return clean("\n".join(lines))
