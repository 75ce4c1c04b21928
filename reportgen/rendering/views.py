"""Display reports, verdicts, and charts in Jupyter: a few lines and images, without JavaScript."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from reportgen.charts.static import svg
from reportgen.charts.svg import clean
from reportgen.charts.theme import Colours
from reportgen.rendering import render
from reportgen.rendering.look import look_of, stored_look
from reportgen.rendering.notebook import first_finding
from reportgen.rendering.page_tables import check_views
from reportgen.rendering.papers import PaperTable, filled, great_table, latex, markdown, paper_table
from reportgen.rendering.templates import explained, prepare, title_of
from reportgen.results import WORST_FIRST, Chart, Check, Report, Table, Term, Verdict
from reportgen.storing import results_file
from reportgen.wording.filling import loader_of, page_environment
from reportgen.wording.vocabulary import ENGLISH, Vocabulary, english, language_of

TEMPLATE = "html/shown.html.j2"

MOST_ROWS = 8  # most requirements to show; `Verdict.checks` has all

MOST_LETTERS = 300  # most letters of a custom title or finding


def html_of_report(report: Report) -> str:
    """Return a report as HTML: title, answer, requirements, and the path of its page."""
    words, page = Vocabulary(None, report.labels, language_of(report)), report.page
    items = {
        "title": _short(title_of(report, words)),
        "created": _short(report.created),
        "headline": "" if report.verdict else _short(first_finding(report)),
        "address": "" if page is None else page.as_uri() if page.is_absolute() else quote(f"./{page.as_posix()}"),
        "page": "" if page is None else _short(page.name),
    }
    return _filled(words, report.language, report.verdict, **items)


def html_of_verdict(verdict: Verdict) -> str:
    """Return a verdict as HTML: answer and requirements, worst first."""
    return _filled(english(), ENGLISH, verdict)


def sentence_of_check(check: Check) -> str:
    """Return the result of one requirement in words."""
    return str(english().phrases("decision").check(check))


def sentence_of_verdict(verdict: Verdict) -> str:
    """Return a verdict in one line of words."""
    return str(english().phrases("decision").verdict(verdict))


def page_of_report(report: Report) -> str:
    """Return the HTML page of a report as one file, with its stored values and the built-in look."""
    look = look_of(stored_look(report))
    look = replace(look, plotly="none" if look.plotly == "none" else "inside")
    with TemporaryDirectory() as folder:
        render(report, Path(folder), formats=("html",), look=look)
        return (Path(folder) / "report.html").read_text("utf-8")


def dict_of_report(report: Report) -> Any:
    """Return the content of results.json."""
    return json.loads(results_file.dumps(report))


def html_of_chart(chart: Chart) -> str:
    """Return a chart as HTML: title and image."""
    said = english().said(chart)
    title = clean(said.title or english().title(chart.key))
    figure = Markup('<figure style="margin:0"><figcaption>{}</figcaption>'
                    '<div style="background:#fff;display:inline-block">{}</div></figure>')  # fmt: skip
    return str(figure.format(title, Markup(svg(said))))


def _filled(words: Vocabulary, language: str, verdict: Verdict | None, **told: str) -> str:
    if verdict is not None:
        verdict = replace(verdict, policy=_short(verdict.policy), checks=tuple(map(_cut, verdict.checks)))
    checks = sorted(verdict.checks if verdict else (), key=lambda check: WORST_FIRST.index(check.outcome))
    rows = check_views([words.said(check) for check in checks[:MOST_ROWS]], Colours(), words)
    told = dict.fromkeys(("title", "created", "headline", "address", "page"), "") | told
    environment = page_environment(loader_of(language=language))
    prepare(environment, words)
    with explained(TEMPLATE), words.styled():
        template = environment.get_template(TEMPLATE)
        return clean(template.render(verdict=verdict, rows=rows, left_out=len(checks) - len(rows), **told))


def _cut(check: Check) -> Check:
    names = {name: getattr(check, name) for name in ("label", "abbreviation", "group", "column", "level")}
    cut: dict[str, Any] = {name: text if isinstance(text, Term) else _short(text) for name, text in names.items()}
    estimate = check.estimate
    reason = estimate.reason if isinstance(estimate.reason, Term) else _short(estimate.reason)
    return replace(check, **cut, estimate=replace(estimate, reason=reason))


def _short(text: str) -> str:
    seen = clean(text)
    return seen if len(seen) <= MOST_LETTERS else f"{seen[:MOST_LETTERS]}…"


MOST_TABLE_ROWS = 60  # most rows in a notebook; files have all


def latex_of_table(table: Table) -> str:
    """Write a table as LaTeX."""
    return latex(_worded(table))


def markdown_of_table(table: Table) -> str:
    """Write a table as Markdown."""
    return markdown(_worded(table))


def great_table_of_table(table: Table) -> Any:
    """Convert a table to a great_tables table."""
    return great_table(_worded(table))


def html_of_table(table: Table) -> str:
    """Write a table as HTML without scripts, for a notebook."""
    found = _worded(table)
    rows, more = found.rows[:MOST_TABLE_ROWS], len(found.rows) > MOST_TABLE_ROWS
    return filled("papers/paper_table.html.j2", table=found, rows=rows, more=more)


def _worded(table: Table) -> PaperTable:
    words = english()
    return paper_table(words.table(table), words)
