"""From filled templates to notebook cells, and to the file report.ipynb.

The text is Markdown.  A fence ``{code-cell}`` makes a code cell; a line ``+++`` with an object in
JSON begins a new cell and says which section the cells after it belong to.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.charts.svg import clean
from reportgen.errors import TemplateError
from reportgen.rendering.escaping import anchor
from reportgen.rendering.look import Look
from reportgen.rendering.templates import Templates, section_template
from reportgen.results import Report, Table
from reportgen.results.chart import Chart

Notebook = Any
"""An nbformat `NotebookNode`, version 4."""

_BREAK = re.compile(r"\+\+\+ (\{.*\})")
_OPEN = re.compile(r"```+\{code-cell\}[^`]*")
_FENCE = re.compile(r"(```+|~~~+).*")


@dataclass(frozen=True)
class NotebookPiece:
    """A cell to be: its kind, its text, and what the last break said."""

    kind: str
    text: str
    about: dict[str, str]


def build(report: Report, look: Look, templates: Templates, results: str = "results.json") -> Notebook:
    """Return the notebook of `report`, not yet executed; `results` is the file its first cell loads.

    Raises
    ------
    TemplateError
        If a template cannot be filled, or leaves a fence that cannot be placed.
    """
    text = templates.write(
        "notebook/report.md.j2",
        report=report,
        source=report.evaluation.source,
        sections=report.sections,
        template_of=section_template,
        show=show,
        show_output=show_output,
        link=lambda highlight: link(report, highlight.text, highlight.target),
    )
    pieces = split(text, lambda about: templates.file_of(_template_of(about)))
    return assemble(pieces, report, look, results)


def show(item: Table | Chart | str, kind: str = "") -> Any:
    """Return a code cell that shows a table, a chart, or what a key names."""
    from markupsafe import Markup

    if not isinstance(item, str):
        item, kind = item.key, "table" if isinstance(item, Table) else "chart"
    arguments = f"{item!a}, {kind!a}" if kind else ascii(item)
    return Markup(f"```{{code-cell}}\nreport.show({arguments})\n```")


def show_output(section: str, number: int) -> Any:
    """Return a code cell that shows one output of a section that is a notebook of its own."""
    from markupsafe import Markup

    return Markup(f"```{{code-cell}}\nreport.output({section!a}, {number})\n```")


def link(report: Report, text: str, target: str) -> Any:
    """Return `text` as a link to the table, chart or section that `target` names; unknown targets are not linked."""
    from markupsafe import Markup

    from reportgen.rendering.escaping import markdown

    address = find_anchor(report, target)
    return Markup('<a href="#{}">{}</a>').format(address, markdown(text)) if address else markdown(text)


def find_anchor(report: Report, target: str) -> str:
    """Return the id of what `target` names on the page, or nothing."""
    for section in report.sections:
        if target and target == section.name:
            return anchor("section", target)
        if any(target == table.key for table in section.findings.tables):
            return anchor("table", target)
        if any(target == chart.key for chart in section.findings.charts):
            return anchor("chart", target)
    return ""


def split(text: str, file_of: Any) -> Iterator[NotebookPiece]:
    """Yield the cells of a filled template, top to bottom.

    Raises
    ------
    TemplateError
        If a fence is not closed, or ``{code-cell}`` stands where it makes no cell.
    """
    about: dict[str, str] = {}
    lines: list[str] = []
    kind, closing = "markdown", ""
    for line in text.splitlines():
        begins = _BREAK.fullmatch(line)
        if closing and line.rstrip() == closing:
            if kind == "code":
                yield NotebookPiece(kind, "\n".join(lines), about)
                kind, lines = "markdown", []
            else:
                lines.append(line)
            closing = ""
        elif closing:
            if kind == "markdown" and "{code-cell}" in line:
                raise _stray(line, about, file_of)
            lines.append(line)
        elif begins or _OPEN.fullmatch(line):
            yield NotebookPiece("markdown", "\n".join(lines), about)
            lines = []
            if begins:
                about = _about(begins[1], line, about, file_of)
            else:
                kind, closing = "code", line.split("{")[0]
        elif "{code-cell}" in line:
            raise _stray(line, about, file_of)
        else:
            fence = _FENCE.fullmatch(line)
            closing = fence[1] if fence else ""
            lines.append(line)
    if closing:
        raise TemplateError(f"{file_of(about)}: a fence ``` is not closed; end the cell with a line of ``` alone.")
    yield NotebookPiece("markdown", "\n".join(lines), about)


def assemble(pieces: Iterator[NotebookPiece], report: Report, look: Look, results: str = "results.json") -> Notebook:
    """Return the pieces as a notebook, with the cell that loads the report first."""
    from nbformat import NotebookNode, v4

    texts = [NotebookPiece("code", setup(look, results), {}), *(piece for piece in pieces if piece.text.strip())]
    cells = []
    for number, piece in enumerate(texts, start=1):
        # a number and not a random id: the same report makes the same notebook
        cell = NotebookNode(id=f"cell-{number}", cell_type=piece.kind, source=piece.text.strip("\n"))
        cell["metadata"] = {"reportgen": piece.about}
        if piece.kind == "code":
            cell.update(execution_count=None, outputs=[])
        cells.append(cell)
    cells[0]["metadata"]["tags"] = ["setup"]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return v4.new_notebook(cells=cells, metadata={"title": clean(report.title), "kernelspec": kernel})


def write(notebook: Notebook, path: Path) -> Path:
    """Write the notebook to `path`: a cell on each line, so that a comparison of two tells the cells that differ."""
    cells = ",\n".join(_json(cell) for cell in notebook["cells"])
    rest = _json({key: value for key, value in notebook.items() if key != "cells"})
    path.write_text(f'{{"cells": [\n{cells}\n],\n{rest.removeprefix("{")}\n', encoding="utf-8")
    return path


def _json(value: Any) -> str:
    """Return a part of a notebook as JSON, its keys sorted."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def setup(look: Look, results: str, here: Path | None = None) -> str:
    """Return the code of the first cell: it lets a person run the notebook again, with the same look.

    Parameters
    ----------
    here
        The folder that relative paths are from; left out, they stay relative.
    """
    templates = look.templates if look.templates is None or here is None else here / look.templates
    options = "" if templates is None else f", templates={str(templates)!a}"
    if look.colours != Look().colours:
        options += f", colours={vars(look.colours)!a}"
    return f"from reportgen.rendering.show import load\n\nreport = load({results!a}{options})"


def _about(text: str, line: str, about: dict[str, str], file_of: Any) -> dict[str, str]:
    try:
        return {str(key): str(value) for key, value in json.loads(text).items()}
    except ValueError as error:
        raise TemplateError(
            f"{file_of(about)}: {line!r} is not a cell break; write +++ and an object in JSON."
        ) from error


def _template_of(about: dict[str, str]) -> str:
    return section_template(about["section"]) if "section" in about else "notebook/report.md.j2"


def _stray(line: str, about: dict[str, str], file_of: Any) -> TemplateError:
    """Return the error for a fence that makes no cell, with the line of the template it stands on."""
    file = file_of(about)
    place = file
    if Path(file).is_file():
        source = Path(file).read_text(encoding="utf-8").splitlines()
        at = next(
            (number for number, text in enumerate(source, start=1) if "{code-cell}" in text and text.strip() in line),
            None,
        )
        place = f"{file}, line {at}" if at else file
    return TemplateError(
        f"{place}: {line.strip()!r} makes no cell; write ```{{code-cell}} at the start of a line of its own, outside "
        "other fences."
    )
