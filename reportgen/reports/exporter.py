"""Convert a report's notebook to its page in Jupyter: ``jupyter nbconvert --to reportgen report.ipynb``.

The exporter is the entry point ``reportgen`` of the group ``nbconvert.exporters``, and also appears in the menu of
JupyterLab.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbconvert.utils.exceptions import ConversionException
from traitlets import Unicode, default

from reportgen.errors import ReportgenError
from reportgen.storing.report_folder import SHARED


class ReportExporter(Exporter):
    """Converts an executed notebook, possibly edited, to report.html.

    The results file that the notebook loads determines the subject and the look. The templates and the logo in it are
    not used; pass your own.

    >>> page, _ = ReportExporter().from_filename("report/report.ipynb")  # doctest: +SKIP
    """

    export_from_notebook = "Evaluation report (reportgen)"
    output_mimetype = "text/html"

    templates = Unicode("", help="A folder of templates that override the built-in ones.").tag(config=True)
    logo = Unicode("", help="A logo for the top of the report.").tag(config=True)

    @default("file_extension")
    def _file_extension(self) -> str:
        return ".html"

    def from_notebook_node(self, nb: Any, resources: Any = None, **kw: Any) -> tuple[Any, Any]:
        """Return the page of a notebook, and nbconvert's resources."""
        _refuse_invalid(nb)
        made, resources = super().from_notebook_node(nb, resources, **kw)
        about = resources["metadata"]
        folder = Path(about.get("path") or ".")
        try:
            return self._page(made, folder, str(about.get("name") or "report")), resources
        except ReportgenError as error:
            raise ConversionException(str(error)) from error

    def _page(self, notebook: Any, folder: Path, name: str) -> str:
        from reportgen import rendering
        from reportgen.rendering.execution import results_of
        from reportgen.rendering.look import look_of, stored_look
        from reportgen.storing import results_file

        report = results_file.read(folder / results_of(notebook))
        pdf = f"{name}.pdf" if (folder / f"{name}.pdf").is_file() else ""
        look = replace(  # the stored look, with the user's files
            look_of(stored_look(report)),
            templates=Path(self.templates) if self.templates else None,
            logo=Path(self.logo) if self.logo else None,
            above=not (folder / SHARED).is_file() and (folder.absolute().parent / SHARED).is_file(),
        )
        return rendering.page_of(notebook, report, look, pdf)


def _refuse_invalid(notebook: Any) -> None:
    """Reject anything but a version 4 notebook, because the following code relies on its structure."""
    import nbformat

    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError as error:
        sentence = str(error).splitlines()[0]
        raise ConversionException(f"the notebook is not valid ({sentence}); open and save it in Jupyter.") from error
