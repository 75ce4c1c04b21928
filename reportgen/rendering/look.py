"""How a report should look: what a user may choose without writing a template."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from reportgen.charts.theme import Colours
from reportgen.errors import SettingsError, TemplateError
from reportgen.storing.report_folder import SHARED

_PICTURES = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


@dataclass(frozen=True)
class Look:
    """Templates, logo, colours and paper of a report.

    Parameters
    ----------
    templates
        The user's folder of templates, searched before the shipped ones.
    logo
        A picture for the head of the report: SVG, PNG or JPEG; it is embedded.
    colours
        The four inks.
    page
        The paper of the PDF.
    plotly
        Where the plotting library is that opens charts on the screen: inside each page, in one file for many pages, or
        nowhere, and charts are plain pictures.
    above
        Whether that one file stands in the folder that holds the page's folder, and is written there by others.
    docx_template
        A Word document whose styles, paper, header and footer a report as .docx takes over.
    sections
        Section name -> the file that the one who renders named for it; its template stands beside it.
    """

    templates: Path | None = None
    logo: Path | None = None
    colours: Colours = field(default_factory=Colours)
    page: Literal["A4", "Letter"] = "A4"
    plotly: Literal["inside", "beside", "none"] = "inside"
    above: bool = False
    docx_template: Path | None = None
    sections: Mapping[str, Path] = field(default_factory=dict)

    @property
    def library(self) -> str:
        """The address of the file of the plotting library, relative to a page; empty where none is used."""
        return "" if self.plotly != "beside" else f"../{SHARED}" if self.above else SHARED

    def check(self) -> None:
        """Refuse templates and a logo that are not there.

        Raises
        ------
        TemplateError, SettingsError
            With the path.
        """
        if self.templates is not None and not self.templates.is_dir():
            raise TemplateError(
                f"templates {self.templates}: expected a folder, found none; give the path of a folder."
            )
        self.logo_address()

    def logo_address(self) -> str:
        """Return the logo as a data address, or nothing.

        Raises
        ------
        SettingsError
            If it cannot be read or is not a picture of a known kind.
        """
        if self.logo is None:
            return ""
        kind = _PICTURES.get(self.logo.suffix.lower())
        if kind is None:
            raise SettingsError(f"logo {self.logo}: expected a .svg, .png or .jpg file, found {self.logo.suffix!r}.")
        try:
            content = self.logo.read_bytes()
        except OSError as error:
            raise SettingsError(
                f"logo {self.logo}: cannot be read ({error.strerror}); give the path of a picture."
            ) from error
        return f"data:{kind};base64,{base64.b64encode(content).decode()}"
