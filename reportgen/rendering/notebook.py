"""Convert filled templates to notebook cells, and to the file report.ipynb.

The text is Markdown. A fence ``{code-cell}`` makes a code cell; a line ``+++`` with a JSON object starts a new cell and
names the section of the following cells.
"""

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from reportgen.charts.svg import clean
from reportgen.errors import TemplateError
from reportgen.rendering.filters import anchor, markdown
from reportgen.rendering.look import Look
from reportgen.rendering.templates import Templates, section_template
from reportgen.results import Chart, Estimate, Report, SectionResult, Table
from reportgen.wording.vocabulary import Vocabulary

Notebook = Any  # an nbformat `NotebookNode`, version 4

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}

LANGUAGE = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}
"""Information that Jupyter needs before a kernel has run: how to highlight cells, and save them as a script."""

_PART = re.compile(
    r"^(?P<fence>`{3,}+|~{3,}+)(?P<info>.*)(?P<rest>\n(?P<body>(?:.*\n)*?)(?P=fence)[^\S\n]*$)?"
    r"|^\+\+\+ (?P<about>\{.*\})$",
    re.MULTILINE,
)
"""The content of a fence, which may not be closed, and the start of a cell."""

_CODE = re.compile(r"\{code-cell\}[^`]*")
_SHOWN = re.compile(r"^report\.show\(('[^']*'|\"[^\"]*\")", re.MULTILINE)
_ELEMENT = re.compile(r'<div(?: class="(?P<name>[a-z-]+)")?(?:\s[^<>]*)?>|</div>')

PLAIN = "-"  # an open element without a class

REPORT, STORED_SECTION = "notebook/report.md.j2", "notebook/section.md.j2"
"""The template of the report, and of a section whose own template keeps its sentences, as in packages."""


class NotebookPiece(NamedTuple):
    """A future cell: its kind, its text, and the data of the last break."""

    kind: str
    text: str
    about: dict[str, str]


def build(templates: Templates, results: str = "results.json") -> Notebook:
    """Return a report's notebook, not yet executed; `results` is the file that its first cell loads."""
    report = templates.report
    with templates.vocabulary.styled():
        text = templates.write(REPORT, **_known(templates), sections=report.sections, template_of=template_of)
    shown = set(_SHOWN.findall(text))
    for section, kind, key in _items(report):  # links to items that no template shows lead to the item's section
        if kind != "section" and ascii(key) not in shown:
            text = text.replace(f'href="#{anchor(kind, key)}"', f'href="#{anchor("section", section.name)}"')

    def file_of(about: dict[str, str]) -> str:
        return templates.file_of(section_template(about["section"]) if "section" in about else REPORT)

    return assemble(split(text, file_of), templates, results)


def show(item: Table | Chart | str, kind: str = "", **how: Any) -> Any:
    """Return a code cell that displays a table, a chart, or the item of a key.

    `item`, `kind`: A table, a chart, or the key of one; "table", "chart" or "checks" if two items share the key.
    `**how`: Other arguments of `reportgen.rendering.show.ShownReport.show`: columns, title, note.
    """
    if not isinstance(item, str):
        item, kind = item.key, "table" if isinstance(item, Table) else "chart"
    plain = {name: html.unescape(str(value)) if isinstance(value, Markup) else value for name, value in how.items()}
    # the form in which results are stored
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}
    options = [f"{name}={value!a}" for name, value in plain.items() if value]
    arguments = ", ".join([ascii(str(item)), *([ascii(kind)] if kind else []), *options])
    return Markup(f"```{{code-cell}}\nreport.show({arguments})\n```")


def _is_empty(report: Report, item: Table | Chart | str, kind: str, columns: Sequence[str] = (), **_: object) -> bool:
    """Return whether an item is a table without rows, or with only row names."""
    if isinstance(item, str):
        own = (table for section in report.sections for table in section.findings.tables)
        found = {**report.evaluation.tables, **{table.key: table for table in own}}.get(item)
    else:
        found = item if isinstance(item, Table) else None
    if found is None or kind not in ("", "table"):
        return False
    asked = columns or [column.key for column in found.columns if column.shown]
    places = {column.key: place for place, column in enumerate(found.columns)}
    if not set(asked) <= set(places):
        return False  # a stored statistic becomes a column when the table is displayed
    cells = [row.cells[places[key]] for row in found.rows for key in asked[1:]]
    return all(
        cell in (None, "") or (isinstance(cell, Estimate) and not (cell.defined or cell.reason)) for cell in cells
    )


def link(report: Report, text: str, target: str, words: Vocabulary) -> Any:
    """Append a link to the table, chart, or section that `target` names, if there is one."""
    return Markup(" ").join(filter(None, [markdown(text), page_of(report, target, words)]))


def _known(templates: Templates) -> dict[str, Any]:
    report, words = templates.report, templates.vocabulary
    return {
        "report": report,
        "source": report.evaluation.source,
        "facts": report.evaluation.facts,
        "estimates": report.evaluation.estimates,
        "verdict": report.verdict,
        "title_of": lambda section: words.section(section.name, section.title, section.findings.values.get("leading")),
        "show": lambda item, kind="", **how: "" if _is_empty(report, item, kind, **how) else show(item, kind, **how),
        "show_output": lambda section, number: Markup(f"```{{code-cell}}\nreport.output({section!a}, {number})\n```"),
        "page_of": lambda target: page_of(report, target, words),
        "link": lambda highlight: link(report, highlight.text, highlight.target, words),
    }


def template_of(section: SectionResult) -> str:
    """Return the template of a section, or the shared one if the section failed."""
    return STORED_SECTION if section.error else section_template(section.name)


def page_of(report: Report, target: str, words: Vocabulary) -> Any:
    """Return a link to the evidence, which appears on paper as a page number; empty if there is none."""
    name, address = _named(report, target)
    title = words.title(name) or words.section(name)
    return Markup('<a class="page-of" href="#{}"><span>{}</span></a>').format(address, title) if address else ""


def _items(report: Report) -> Iterator[tuple[SectionResult, str, str]]:
    for section in report.sections:
        yield section, "section", section.name
        yield from ((section, "table", table.key) for table in section.findings.tables)
        yield from ((section, "chart", chart.key) for chart in section.findings.charts)


def _named(report: Report, target: str) -> tuple[str, str]:
    found = (each for each in _items(report) if target and each[2] == target)
    return next(((key if of.part == "decision" else of.name, anchor(kind, key)) for of, kind, key in found), ("", ""))


def find_anchor(report: Report, target: str) -> str:
    """Return the ID of `target` on the page, or an empty string."""
    return _named(report, target)[1]


def split(text: str, file_of: Callable[[dict[str, str]], str]) -> Iterator[NotebookPiece]:
    """Yield the cells of a filled template in order; raises TemplateError for an invalid fence."""
    text = "\n".join(text.splitlines())
    about: dict[str, str] = {}
    start = 0

    def markdown_until(end: int) -> NotebookPiece:
        lines = text[start:end].split("\n")
        if stray := next((line for line in lines if "{code-cell}" in line), ""):
            raise _stray(stray, file_of(about))
        return NotebookPiece("markdown", text[start:end].strip("\n"), about)

    for part in _PART.finditer(text):
        is_code = part["fence"] and part["fence"][0] == "`" and _CODE.fullmatch(part["info"])
        if part["fence"] and part["rest"] is None:
            markdown_until(part.start() if is_code else len(text))
            raise TemplateError(f"{file_of(about)}: a fence ``` is not closed; end the cell with a line of only ```.")
        if part["fence"] and not is_code:
            continue
        yield markdown_until(part.start())
        start = part.end()
        if is_code:
            yield NotebookPiece("code", part["body"].strip("\n"), about)
            continue
        try:
            about = {str(key): str(value) for key, value in json.loads(part["about"]).items()}
        except ValueError as error:
            raise TemplateError(
                f"{file_of(about)}: {part[0]!r} is not a cell break; write +++ followed by a JSON object."
            ) from error
    yield markdown_until(len(text))


def assemble(pieces: Iterator[NotebookPiece], templates: Templates, results: str) -> Notebook:
    """Combine the pieces to a notebook, with the cell that loads the report first."""
    from nbformat import NotebookNode, v4

    texts = [NotebookPiece("code", setup(templates.look, results), {}), *balance(pieces)]
    cells = []
    for number, piece in enumerate(texts, start=1):
        # a number and not a random ID: the same report makes the same notebook
        cell = NotebookNode(id=f"cell-{number}", cell_type=piece.kind, source=piece.text.strip("\n"))
        cell["metadata"] = {"reportgen": piece.about}
        if piece.kind == "code":
            cell.update(execution_count=None, outputs=[])
        cells.append(cell)
    cells[0]["metadata"]["tags"] = ["setup"]
    about = {"title": clean(templates.report.title), "kernelspec": KERNEL, "language_info": LANGUAGE}
    return v4.new_notebook(cells=cells, metadata=about)


def balance(pieces: Iterable[NotebookPiece]) -> list[NotebookPiece]:
    """Return the pieces that have text, and close in each piece the elements that it opens.

    An element around several cells is stored in their metadata: the first ``opens`` it, and the last ``closes`` it.
    Pages restore it; other programs display each cell separately.

    >>> pieces = [NotebookPiece("markdown", text, {}) for text in ('<div class="two">One.', "Two.</div>")]
    >>> [(each.text.strip(), each.about) for each in balance(pieces)]
    [('One.', {'opens': 'two'}), ('Two.', {'closes': '1'})]
    """
    found: list[NotebookPiece] = []
    opens: list[str] = []
    for piece in pieces:
        for part in _parts(piece.text) if piece.kind == "markdown" else [piece.text]:
            if isinstance(part, str):
                if part.strip():
                    about = piece.about | ({"opens": " ".join(opens)} if opens else {})
                    found.append(NotebookPiece(piece.kind, part, about))
                    opens = []
            elif not part[0].startswith("</"):
                opens.append(part["name"] or PLAIN)
            elif opens:
                opens.pop()
            elif found:
                last = found[-1]
                closes = str(int(last.about.get("closes", "0")) + 1)
                found[-1] = NotebookPiece(last.kind, last.text, last.about | {"closes": closes})
    return found


def _parts(text: str) -> list[str | re.Match[str]]:
    """Split off the elements that a text opens without closing, or closes without opening."""
    alone: list[re.Match[str]] = []
    for tag in _ELEMENT.finditer(text):
        if tag[0].startswith("</") and alone and not alone[-1][0].startswith("</"):
            alone.pop()
        else:
            alone.append(tag)
    parts: list[str | re.Match[str]] = []
    end = 0
    for tag in alone:
        parts += [text[end : tag.start()], tag]
        end = tag.end()
    return [*parts, text[end:]]


def write(notebook: Notebook, path: Path) -> None:
    """Write the notebook to `path`, one cell per line, so that a diff shows which cells differ."""
    cells = ",\n".join(_json(cell) for cell in notebook["cells"])
    rest = _json({key: value for key, value in notebook.items() if key != "cells"})
    path.write_text(f'{{"cells": [\n{cells}\n],\n{rest.removeprefix("{")}\n', encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def setup(look: Look, results: str, here: Path | None = None) -> str:
    """Return the code of the first cell, to rerun the notebook with the same look; paths start at `here`."""
    templates = look.templates if look.templates is None or here is None else here / look.templates
    options = "" if templates is None else f", templates={str(templates)!a}"
    if look.colours != Look().colours:
        options += f", colours={vars(look.colours)!a}"
    return f"from reportgen.rendering.show import load\n\nreport = load({results!a}{options})"


def _stray(line: str, file: str) -> TemplateError:
    source = Path(file).read_text(encoding="utf-8").splitlines() if Path(file).is_file() else []
    at = (n for n, text in enumerate(source, start=1) if "{code-cell}" in text and text.strip() in line)
    place = next((f"{file}, line {number}" for number in at), file)
    way = "write ```{code-cell} at the start of a line, outside other fences."
    return TemplateError(f"{place}: {line.strip()!r} does not start a cell; {way}")


_ENDS = re.compile(r"</(li|t[dh]|p|h\d)>")
_TAG = re.compile(r"<[^>]*>")


def plain(markdown: str) -> str:
    """Return Markdown as a reader sees it: headings keep their signs, tags are removed, references become characters.

    >>> plain("## It is <b>met</b> &#40;0.8&#41;")
    '## It is met (0.8)'
    """
    return html.unescape(_TAG.sub("", _ENDS.sub("\n", markdown))).replace("\N{NO-BREAK SPACE}", " ")


def finding(text: str) -> str:
    r"""Return the heading below the kicker of a text; empty if the heading is only a noun.

    >>> finding("Agreement\n\n## The engine agrees."), finding("## Agreement")
    ('The engine agrees.', '')
    """
    lines = [line for line in text.splitlines() if line.strip()]
    heads = [place for place, line in enumerate(lines) if line.startswith("## ")]
    return lines[heads[0]].removeprefix("## ") if heads and heads[0] > 0 else ""


def cells(report: Report, look: Look | None = None) -> Iterator[tuple[str, str, str]]:
    """Yield section, place ("annex" or ""), and text of every cell; for a cell that displays an item, its code."""
    for cell in build(Templates(report, look or Look()))["cells"][1:]:
        about = cell["metadata"]["reportgen"]
        text = plain(cell["source"]) if cell["cell_type"] == "markdown" else cell["source"]
        yield about.get("section", ""), about.get("place", ""), text


def first_finding(report: Report) -> str:
    """Return the first heading of a report that states a finding: below a section's name, or stored by the section."""
    kept = next((each.findings.headline for each in report.sections if each.findings.headline), "")
    return next((found for _, _, text in cells(report) if (found := finding(text))), kept)
