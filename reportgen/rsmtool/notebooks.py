"""Custom sections of RSMTool: notebooks that run once, after the tables are written, and are then only shown.

All notebooks of a report share one namespace, which holds the names RSMTool promises them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import SettingsError
from reportgen.results import Evaluation, Findings
from reportgen.rsmtool.run import PeerRun
from reportgen.sections import Found, Section

FRAMES = {
    "df_test_metadata": "test_metadata",
    "df_test_other_columns": "test_other_columns",
    "df_test_human_scores": "test_human_scores",
    "df_test_excluded": "test_excluded_responses",
    "df_test_responses_with_excluded_flags": "test_responses_with_excluded_flags",
    "df_pred_preproc": "pred_processed",
}
"""Name of a frame -> the table that it holds."""

_SETUP = """\
import itertools, math, os, platform, re, time, warnings
from functools import partial
from os.path import abspath, exists, join, relpath
import numpy as np
import pandas as pd
import matplotlib.pyplot as plt
from IPython.display import HTML, Image, Javascript, Markdown, SVG, display
%matplotlib inline
{assignments}

def _read(path):
    kind = os.path.splitext(path)[1].lower()
    if kind == ".xlsx":
        return pd.read_excel(path, dtype=_texts, keep_default_na=False, na_values=_blank)
    if kind == ".sas7bdat":
        return pd.read_sas(path, encoding="latin-1")
    if kind == ".jsonlines":
        return pd.read_json(path, lines=True)
    separator = "\\t" if kind == ".tsv" else ","
    return pd.read_csv(path, sep=separator, dtype=_texts, keep_default_na=False, na_values=_blank)

df_test_orig = _read(test_file_location)
for _frame, _name in {frames!r}.items():
    _path = join(output_dir, f"{{experiment_id}}_{{_name}}.{{file_format}}")
    if exists(_path):
        globals()[_frame] = _read(_path)
"""
"""The first cell: what RSMTool's header imports and defines; ids, candidates and subgroups are read as text."""

_HEADING = re.compile(r"\A\s*#{1,6}\s+(.+?)\s*#*\s*(?:\n|\Z)")
_FORMS = ("text/html", "text/markdown", "text/plain", "image/png", "image/svg+xml", "application/vnd.plotly.v1+json")
"""The forms of an output that a page can show."""


def with_notebooks(chosen: list[Found], run: PeerRun, output: Path, kernel: str | None) -> list[Found]:
    """Return the chosen sections with the run's notebooks, executed, in their places.

    Parameters
    ----------
    output
        The folder of the run's tables.
    kernel
        Jupyter kernel that runs the notebooks; None runs them in this process.

    Raises
    ------
    SettingsError
        A file is no notebook.
    """
    if not run.notebooks:
        return chosen
    notebooks = {path: _read(path) for path in run.notebooks}
    _execute(list(notebooks.values()), _setup(run, output), output, kernel)
    customs = {path: Found(_section(path, notebook), path.name) for path, notebook in notebooks.items()}
    general = {found.section.name: found for found in chosen}
    if set(general) != {entry for entry in run.order if isinstance(entry, str)}:
        return [*chosen, *customs.values()]  # the command line chose other sections
    return [customs[entry] if isinstance(entry, Path) else general[entry] for entry in run.order]


def _read(path: Path) -> Any:
    """Return a notebook."""
    import nbformat

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbformat warns of cells without ids, which older notebooks have not
            return nbformat.read(path, as_version=4)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, nbformat.ValidationError) as error:
        reason = " ".join(str(error).split())[:200]
        raise SettingsError(f"custom_sections: '{path}' is not a readable notebook: {reason}.") from None


def _setup(run: PeerRun, output: Path) -> str:
    """Return the code of the first cell."""
    fields = run.fields
    names: Mapping[str, Any] = {
        "experiment_id": run.id,
        "description": fields["description"],
        "context": "rsmeval",
        "use_scaled_predictions": fields["scale_with"] is not None,
        "exclude_zero_scores": fields["exclude_zero_scores"],
        "second_human_score_column": fields["second_human_score_column"],
        "groups_desc": fields["subgroups"],
        "groups_eval": fields["subgroups"],
        "min_items": fields["min_items_per_candidate"] or 0,
        "min_n_per_group": fields["min_n_per_group"] or {},
        "model_name": "",
        "use_thumbnails": False,
        "rater_error_variance": fields["rater_error_variance"],
        "file_format": run.format,
        "output_dir": str(output.resolve()),
        "figure_dir": str(output.resolve().parent / "figure"),
        "test_file_location": str(run.predictions.resolve()),
        "_texts": dict.fromkeys(_texts(run), "str"),
        "_blank": {"sc1": [""], "sc2": [""]},
    }
    assignments = "\n".join(f"{name} = {value!a}" for name, value in names.items())
    return _SETUP.format(assignments=assignments, frames=FRAMES)


def _texts(run: PeerRun) -> list[str]:
    """Return the columns that hold text, by their names in the input and in the tables."""
    given = (run.fields["id_column"], run.fields["candidate_column"], "spkitemid", "candidate")
    return [name for name in (*given, *run.fields["subgroups"]) if name]


def _execute(notebooks: Sequence[Any], setup: str, folder: Path, kernel: str | None) -> None:
    """Fill the outputs of every notebook's cells."""
    from nbformat.v4 import new_code_cell, new_notebook

    from reportgen.rendering.execution import run_in_kernel
    from reportgen.rendering.shell import CellShell

    cells = [cell for notebook in notebooks for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if kernel is not None:
        for number, cell in enumerate(cells):
            cell["id"] = f"cell-{number}"
        run_in_kernel(new_notebook(cells=[new_code_cell(setup), *cells]), folder, kernel)
        return
    with CellShell({}) as shell:
        shown = [output for output in shell.run(setup, 0) if output["output_type"] == "error"]
        for number, cell in enumerate(cells, start=1):
            cell["outputs"] = [*shown, *shell.run(cell["source"], number)]
            shown = []


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
