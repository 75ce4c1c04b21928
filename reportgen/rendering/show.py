"""What a notebook cell says: ``report.show("agreement.qwk")``.

Cells only show.  A table is one output with HTML and plain text; a chart one output with a Plotly
figure, a picture (SVG), its data as a table and its alt text.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen.charts.interactive import figure
from reportgen.charts.layout import printed, trimmed
from reportgen.charts.static import svg
from reportgen.charts.svg import clean
from reportgen.charts.table import data_table
from reportgen.charts.theme import Colours
from reportgen.errors import did_you_mean
from reportgen.rendering import foreign
from reportgen.rendering.escaping import anchor
from reportgen.rendering.look import Look
from reportgen.rendering.notebook import find_anchor
from reportgen.rendering.page_tables import check_views, thresholds_of, view
from reportgen.rendering.sanitizing import harmless
from reportgen.rendering.templates import Templates
from reportgen.results import Check, Estimate, Report, Table
from reportgen.results.chart import Cells, Chart
from reportgen.storing import results_file
from reportgen.wording.numbers import coverage, in_cell, with_interval
from reportgen.wording.references import joined


def load(path: str = "results.json", *, templates: str = "", colours: Mapping[str, str] | None = None) -> ShownReport:
    """Return the stored report at `path`, ready to be shown in a notebook."""
    look = Look(templates=Path(templates) if templates else None, colours=Colours(**(colours or {})))
    report = results_file.read(Path(path))
    return ShownReport(report, look, Templates(report, look))


class CellError(Exception):
    """A cell of a notebook that is a section failed when it ran."""


class Shown:
    """Something to see in a notebook, in every form a page may want (IPython's display protocol)."""

    def __init__(self, data: dict[str, Any], about: dict[str, Any]) -> None:
        self.data = data
        self.about = about

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.data, {"reportgen": self.about}


class ShownReport:
    """A report in a notebook: `show` for what is on the page, `content` for everything stored."""

    def __init__(self, report: Report, look: Look, templates: Templates) -> None:
        self.content = report
        self._look = look
        self._templates = templates
        self._items: dict[str, dict[str, Table | Chart | tuple[Check, ...]]] = {"table": {}, "chart": {}, "checks": {}}
        self._items["table"].update(report.evaluation.tables)
        for section in report.sections:
            self._items["table"].update({table.key: table for table in section.findings.tables})
            self._items["chart"].update({chart.key: chart for chart in section.findings.charts})
            self._items["checks"][f"{section.name}.checks"] = section.findings.checks

    def show(self, key: Any, kind: str = "", *, title: str = "", alt: str = "") -> Shown:
        """Return a table, a chart, or the checks of a section (``"summary.checks"``) by its key.

        Parameters
        ----------
        key
            As in results.json; or a Plotly or Matplotlib figure of your own, with its `title` and `alt` text.
        kind
            "table", "chart" or "checks"; only needed when a table and a chart share the key.

        Raises
        ------
        KeyError
            If nothing has this key; the nearest one is said.
        """
        if not isinstance(key, str):
            about = {"kind": "chart", "id": anchor("chart", title or "figure"), "title": title, "alt": alt}
            return Shown(foreign.forms(key, alt), {**about, "caption": "", "left_out": 0, "texts_left_out": False})
        found = {name: items[key] for name, items in self._items.items() if key in items and kind in ("", name)}
        if not found:
            known = [name for items in self._items.values() for name in items]
            raise KeyError(f"nothing to show is called {key!r}{did_you_mean(key, known)}")
        if len(found) > 1:
            raise KeyError(f"{key!r} names a {' and a '.join(found)}: say which, as in report.show({key!r}, 'chart')")
        item = next(iter(found.values()))
        if isinstance(item, Table):
            return self._table(item)
        return self._chart(item) if isinstance(item, Chart) else self._checks(key, item)

    def output(self, section: str, number: int) -> Shown:
        """Return output `number` of a section that is a notebook of its own, as it was when the notebook ran.

        Raises
        ------
        CellError
            If the notebook's cell failed.
        """
        findings = next(each for each in self.content.sections if each.name == section).findings
        data = findings.values["outputs"][number]
        if "error" in data:
            raise CellError(str(data["error"]))
        return Shown(harmless(data), {"kind": "output"})

    def _table(self, table: Table) -> Shown:
        listed = table.key in self.content.evaluation.tables
        thresholds = thresholds_of(self.content.evaluation.checks)
        printed = view(table, listed=listed, thresholds=thresholds)
        html = self._templates.page("html/table.html.j2", table=printed)
        return Shown({"text/html": html, "text/plain": plain(table)}, {"kind": "table", "small": printed.small})

    def _chart(self, chart: Chart) -> Shown:
        colours = self._look.colours
        _, left_out = trimmed(chart)
        data = {
            foreign.PLOTLY: figure(chart, colours),
            "image/svg+xml": svg(chart, colours),
            "text/html": self._templates.page("html/table.html.j2", table=view(data_table(chart), listed=False)),
            "text/plain": clean(chart.alt),
        }
        texts_left_out = any(isinstance(layer, Cells) and not printed(layer) for layer in chart.layers)
        about = {"id": anchor("chart", chart.key), "title": chart.title, "caption": chart.caption, "alt": chart.alt}
        return Shown(
            data,
            {
                "kind": "chart",
                "left_out": left_out,
                "texts_left_out": texts_left_out,
                **{key: clean(text) for key, text in about.items()},
            },
        )

    def _first_checks(self) -> str:
        """Return the key of the first checks of the report; below them stands where thresholds come from."""
        return next((f"{each.name}.checks" for each in self.content.sections if each.findings.checks), "")

    def _checks(self, key: str, checks: tuple[Check, ...]) -> Shown:
        sources = joined(clean(check.source) for check in checks)
        views = check_views(checks, self._look.colours)
        levels = sorted({check.estimate.level for check in checks})
        html = self._templates.page(
            "html/checks.html.j2",
            id=anchor("checks", key),
            checks=views,
            sources=sources,
            levels=" and ".join(map(coverage, levels)),
            criteria="" if self._first_checks() == key else find_anchor(self.content, "criteria"),
        )
        lines = [
            f"{check.label}: {with_interval(check.estimate, check.low, check.high)} ({check.outcome})"
            for check in checks
        ]
        return Shown({"text/html": html, "text/plain": clean("\n".join(lines))}, {"kind": "checks"})


def plain(table: Table) -> str:
    """Return a table as plain text: caption, then one line per row."""
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
