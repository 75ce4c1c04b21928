"""Runs the notebook's cells: in this process, or in a Jupyter kernel of its own.

A cell that fails does not stop the run: its error is an output like any other, shown as a box in
its section.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from reportgen.errors import SettingsError, TemplateError, did_you_mean
from reportgen.rendering.look import Look
from reportgen.rendering.notebook import Notebook
from reportgen.rendering.templates import Templates
from reportgen.results import Report


def run_here(notebook: Notebook, report: Report, look: Look, templates: Templates) -> None:
    """Fill the outputs of `notebook` by running its cells in this process.

    The first cell, which loads results.json for a person who runs the notebook again, is not run:
    the report is already here.
    """
    from reportgen.rendering.shell import CellShell
    from reportgen.rendering.show import ShownReport

    with CellShell({"report": ShownReport(report, look, templates)}) as shell:
        for number, cell in enumerate(_code_cells(notebook), start=1):
            cell["execution_count"] = number
            if "setup" not in cell["metadata"].get("tags", ()):
                cell["outputs"] = shell.run(cell["source"], number)


def run_in_kernel(notebook: Notebook, folder: Path, kernel: str, setup: str = "") -> None:
    """Fill the outputs of `notebook` by running it in the Jupyter kernel `kernel`, inside `folder`.

    Parameters
    ----------
    setup
        What its setup cell runs there instead of its own code, which is for later and for other places.

    Raises
    ------
    SettingsError
        If there is no such kernel, or it dies or does not answer.
    """
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel
    from nbclient import NotebookClient
    from nbclient.exceptions import DeadKernelError

    client = NotebookClient(
        notebook,
        kernel_name=kernel,
        allow_errors=True,
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
    )
    first = next((cell for cell in _code_cells(notebook) if "setup" in cell["metadata"].get("tags", ())), None)
    kept = first["source"] if first else ""
    if first and setup:
        first["source"] = setup
    try:
        client.execute(stderr=subprocess.DEVNULL)  # a kernel's own warnings are not about the report
    except NoSuchKernel as error:
        known = list(KernelSpecManager().find_kernel_specs())
        raise SettingsError(
            f"kernel {kernel!r}: not installed{did_you_mean(kernel, known) if known else ''}"
        ) from error
    except (DeadKernelError, RuntimeError) as error:
        raise SettingsError(f"kernel {kernel!r}: died, or did not answer; leave out --kernel.") from error
    finally:
        if first:
            first["source"] = kept


def failed_sections(notebook: Notebook, report: Report) -> tuple[str, ...]:
    """Return the names of the sections that failed, while they computed or while they were shown."""
    failed = [section.name for section in report.sections if section.error]
    failed += [
        cell["metadata"].get("reportgen", {}).get("section", "report")
        for cell in _code_cells(notebook)
        if any(output["output_type"] == "error" for output in cell["outputs"])
    ]
    return tuple(dict.fromkeys(failed))


def raise_template_errors(notebook: Notebook) -> None:
    """Raise the error of a template that broke while a cell filled it: that is no section's failure.

    Raises
    ------
    TemplateError
        With the sentence the cell gave.
    """
    for cell in _code_cells(notebook):
        for output in cell["outputs"]:
            if output["output_type"] == "error" and output["ename"] == TemplateError.__name__:
                raise TemplateError(output["evalue"])


def _code_cells(notebook: Notebook) -> list[Any]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
