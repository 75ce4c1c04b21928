"""Write the folder of an rsmeval run: ``output`` with the tables, ``report`` with the pages.

The folder ``report`` also contains our files, results.json and config.toml, named after the experiment, and the folder
of our tables, which have the intervals.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from reportgen.errors import OutputError, SettingsError
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.results import Evaluation, Findings
from reportgen.rsmtool.config import NAMES, PRIVATE, PeerRun
from reportgen.rsmtool.tables import composition_tables, evaluation_tables
from reportgen.rsmtool.write import SUFFIXES, candidate_count, row_tables, write_tables
from reportgen.scores import ScoreTable, read_columns
from reportgen.sections import Found, Section

OUTPUT, REPORT = "output", "report"


def refuse(folder: Path, force: bool) -> None:
    """Reject a folder whose ``output`` is not a folder, or not empty."""
    output = folder / OUTPUT
    if output.exists() and not output.is_dir():
        raise OutputError(f"'{output}' is a file; choose another folder.")
    if output.is_dir() and any(output.iterdir()) and not force:
        raise OutputError(
            f"'{output}' is not empty; choose another folder, or use --force to overwrite the experiment's files."
        )


def write_output(run: PeerRun, scores: ScoreTable, tallied: TalliedScores, folder: Path, *, private: bool) -> None:
    """Write the folder ``output``: RSMTool's tables (no rows of responses if `private`), and the configuration."""
    candidate = run.fields["candidate_column"]
    source = read_columns(run.predictions, run.settings.data.encoding)
    rows = row_tables(scores, source, tallied.preparation, candidate)
    tables = composition_tables(scores, tallied, candidate_count(rows["test_metadata"]))
    tables += evaluation_tables(tallied, fairness="fairness_analyses" in run.chosen)
    write_tables(tables, folder, run.id, run.format, {} if private else rows)
    # RSMTool has no field of privacy
    fields = {name: value for name, value in run.fields.items() if name != PRIVATE or value}
    text = json.dumps(fields, indent=4, ensure_ascii=False)
    (folder / f"{run.id}_rsmeval.json").write_text(text + "\n", encoding="utf-8")


def is_own(experiment_id: str, _: Path, place: PurePosixPath) -> bool:
    """Return whether a file name belongs to a table of the experiment."""
    prefix = f"{experiment_id}_"
    if place.parent.as_posix() != OUTPUT or place.suffix not in SUFFIXES or not place.name.startswith(prefix):
        return False
    table = place.stem.removeprefix(prefix)
    known: Mapping[str, list[str]] = NAMES["tables"]
    return table in known["whole"] or table.startswith(tuple(f"{name}_by_" for name in known["by_group"]))


_HEADING = re.compile(r"\A\s*#{1,6}\s+(.+?)\s*#*\s*(?:\n|\Z)")
_FORMS = ("text/html", "text/markdown", "text/plain", "image/png", "image/svg+xml", "application/vnd.plotly.v1+json")
"""The forms of an output that a page can show."""


def with_notebooks(
    chosen: list[Found], order: Sequence[str | Path], setup: str, folder: Path, kernel: str | None
) -> list[Found]:
    """Insert the notebooks of `order`, executed, among the chosen sections.

    order: Names of our sections, and notebooks.
    setup: Code of the first cell, which defines the names that notebooks expect (see `reportgen.rsmtool.config`).
    folder: Folder in which the kernel runs.
    kernel: Jupyter kernel for the notebooks; None for this Python.
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
    import nbformat

    try:
        notebook = nbformat.convert(nbformat.reader.reads(path.read_text(encoding="utf-8")), 4)
        if notebook["nbformat_minor"] >= 5:  # older notebooks, and other programs' notebooks, have cells without IDs
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
    heading, shown = _shown(notebook)

    class Notebook(Section):
        """One custom notebook."""

        name = f"custom_{path.stem}"
        title = heading or path.stem

        def findings(self, evaluation: Evaluation) -> Findings:  # noqa: ARG002 - the notebook has run already
            return Findings(values={"outputs": tuple(shown)})

    return Notebook()


def _shown(notebook: Any) -> tuple[str, list[dict[str, Any]]]:
    """Return the notebook's first heading, and all its outputs by MIME type, from top to bottom."""
    title, shown = "", list[dict[str, Any]]()
    for index, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "markdown":
            text = cell["source"]
            heading = _HEADING.match(text) if index == 0 else None
            if heading:
                title, text = heading[1], text[heading.end() :]
            if text.strip():
                below = re.sub(r"^#{1,2}(?=\s)", "###", text, flags=re.MULTILINE)  # the section's heading level
                shown.append({"text/markdown": below})
        elif cell["cell_type"] == "code":
            shown += [output for output in map(_output, cell["outputs"]) if output]
    return title, shown


def _output(output: Any) -> dict[str, Any]:
    """Return a cell output in the forms a page can show, an error as text; nothing if there are none."""
    if output["output_type"] == "error":
        return {"error": f"{output['ename']}: {output['evalue']}"}
    if output["output_type"] == "stream":
        return {"text/plain": output["text"]} if output["name"] == "stdout" else {}
    data = {form: output["data"][form] for form in _FORMS if form in output["data"]}
    if "text/html" in data:  # the page has its own table style; pandas sets borders
        data["text/html"] = data["text/html"].replace('<table border="1" class="dataframe">', "<table>")
    if "image/png" in data:
        data["text/plain"] = "A figure drawn by the code of this section."
    return data
