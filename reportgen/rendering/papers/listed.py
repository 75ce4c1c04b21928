"""What a report holds for papers: its tables and charts, numbered as on its pages, then those that no page shows."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reportgen.rendering import notebook
from reportgen.rendering.look import Look
from reportgen.rendering.page_tables import thresholds_of
from reportgen.rendering.papers.model import PaperTable, paper_table
from reportgen.rendering.show import ShownReport
from reportgen.rendering.templates import Templates
from reportgen.results import Report, Table
from reportgen.results.chart import Chart


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
        key, kind, how = asked(cell["source"]) if cell["cell_type"] == "code" else ("", "", {})
        if not key or how.get("brief"):
            continue
        try:
            item = shown.item(key, kind)
            if isinstance(item, Table):
                yield shown.worded_table(item, how.get("columns", ()), how.get("title", ""), how.get("note", ""))
            elif isinstance(item, Chart):
                yield shown.worded_chart(item, how.get("title", ""), how.get("note", ""), how.get("alt", ""))
        except KeyError:  # the page says so in a box
            continue


def asked(source: str) -> tuple[str, str, dict[str, Any]]:
    """Return what a cell shows that only says ``report.show(...)``: key, kind, and how; nothing of any other cell.

    Examples
    --------
    >>> asked("report.show('a', 'chart', title='A')")
    ('a', 'chart', {'title': 'A'})
    >>> asked("print(report)")
    ('', '', {})
    """
    nothing: tuple[str, str, dict[str, Any]] = ("", "", {})
    try:
        call = ast.parse(source.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != "report.show":
            return nothing
        key, kind = ([ast.literal_eval(each) for each in call.args] + [""])[:2]
        how = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    except (SyntaxError, ValueError):
        return nothing
    return (key, how.pop("kind", kind), how) if isinstance(key, str) else nothing
