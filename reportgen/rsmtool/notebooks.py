"""Custom sections of RSMTool: notebooks that run once, after the tables are written, and are then only shown.

All notebooks of a report share one namespace, which holds the names RSMTool promises them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import SettingsError
from reportgen.results import Evaluation, Findings
from reportgen.sections import Found, Section

_HEADING = re.compile(r"\A\s*#{1,6}\s+(.+?)\s*#*\s*(?:\n|\Z)")
_FORMS = ("text/html", "text/markdown", "text/plain", "image/png", "image/svg+xml", "application/vnd.plotly.v1+json")
"""The forms of an output that a page can show."""


def with_notebooks(
    chosen: list[Found], order: Sequence[str | Path], setup: str, folder: Path, kernel: str | None
) -> list[Found]:
    """Return the chosen sections with the notebooks of `order`, executed, in their places.

    Parameters
    ----------
    order
        Names of our sections, and notebooks.
    setup
        Code of the first cell, which defines what notebooks expect (see `reportgen.rsmtool.names`).
    folder
        Where the kernel runs.
    kernel
        Jupyter kernel that runs the notebooks; None for one of this Python.

    Raises
    ------
    SettingsError
        A file is no notebook.
    """
    notebooks = {path: _read(path) for path in order if isinstance(path, Path)}
    if not notebooks:
        return chosen
    _execute(list(notebooks.values()), setup, folder, kernel)
    customs = {path: Found(_section(path, notebook), path.name) for path, notebook in notebooks.items()}
    general = {found.section.name: found for found in chosen}
    if set(general) != {entry for entry in order if isinstance(entry, str)}:
        return [*chosen, *customs.values()]  # the command line chose other sections
    return [customs[entry] if isinstance(entry, Path) else general[entry] for entry in order]


def _read(path: Path) -> Any:
    """Return a notebook."""
    import nbformat

    try:
        notebook = nbformat.convert(nbformat.reader.reads(path.read_text(encoding="utf-8")), 4)
        if notebook["nbformat_minor"] >= 5:  # notebooks of before, and of other programs, have cells without ids
            for number, cell in enumerate(notebook["cells"]):
                cell.setdefault("id", f"cell-{number}")
        nbformat.validate(notebook)
        return notebook
    except (OSError, ValueError, KeyError, TypeError, AttributeError, nbformat.ValidationError) as error:
        reason = " ".join(str(error).split())[:200]
        raise SettingsError(f"custom_sections: '{path}' is not a readable notebook: {reason}.") from None


def _execute(notebooks: Sequence[Any], setup: str, folder: Path, kernel: str | None) -> None:
    """Fill the outputs of every notebook's cells."""
    from nbformat.v4 import new_code_cell, new_notebook

    from reportgen.rendering.execution import run_in_kernel

    cells = [cell for notebook in notebooks for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    first = new_code_cell(setup)
    run_in_kernel(new_notebook(cells=[first, *cells]), folder, kernel)
    if cells:
        failed = [output for output in first["outputs"] if output["output_type"] == "error"]
        cells[0]["outputs"] = [*failed, *cells[0]["outputs"]]


def _section(path: Path, notebook: Any) -> Section:
    """Return the section that shows an executed notebook."""
    heading, shown = _shown(notebook)

    class Notebook(Section):
        """One custom notebook."""

        name = f"custom_{path.stem}"
        title = heading or path.stem

        def findings(self, evaluation: Evaluation) -> Findings:  # noqa: ARG002 - the notebook has run already
            """Return what the notebook's cells showed."""
            return Findings(values={"outputs": tuple(shown)})

    return Notebook()


def _shown(notebook: Any) -> tuple[str, list[dict[str, Any]]]:
    """Return the heading a notebook begins with, and everything it shows, by MIME type, top to bottom."""
    title, shown = "", list[dict[str, Any]]()
    for index, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "markdown":
            text = cell["source"]
            heading = _HEADING.match(text) if index == 0 else None
            if heading:
                title, text = heading[1], text[heading.end() :]
            if text.strip():
                shown.append({"text/markdown": _below_section(text)})
        elif cell["cell_type"] == "code":
            shown += [output for output in map(_output, cell["outputs"]) if output]
    return title, shown


def _output(output: Any) -> dict[str, Any]:
    """Return an output of a cell in the forms a page can show, an error as text; nothing when there are none."""
    if output["output_type"] == "error":
        return {"error": f"{output['ename']}: {output['evalue']}"}
    if output["output_type"] == "stream":
        return {"text/plain": output["text"]} if output["name"] == "stdout" else {}
    data = {form: output["data"][form] for form in _FORMS if form in output["data"]}
    if "text/html" in data:  # the page draws its own rules; pandas asks for boxes
        data["text/html"] = data["text/html"].replace('<table border="1" class="dataframe">', "<table>")
    if "image/png" in data:
        data["text/plain"] = "A figure drawn by the code of this section."
    return data


def _below_section(text: str) -> str:
    """Return Markdown whose headings all stand below that of a section."""
    return re.sub(r"^#{1,2}(?=\s)", "###", text, flags=re.MULTILINE)
