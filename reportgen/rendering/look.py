"""How a report should look, and what its pages carry: logo, inks, typefaces, and the plotting library."""

import base64
import hashlib
import html
import io
import zlib
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

import jinja2

from reportgen.charts.theme import Colours
from reportgen.errors import SettingsError, TemplateError
from reportgen.results import Report
from reportgen.settings import Settings, from_stored
from reportgen.storing.report_folder import SHARED
from reportgen.wording.filling import loader_of

_PICTURES = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


@dataclass(frozen=True)
class Look:
    """Templates, logo, colours and paper of a report.

    templates: The user's folder of templates, searched before the shipped ones.
    logo: A picture for the head of the report, which is embedded.
    plotly: Where the library is that opens charts on the screen: inside each page, in one file for many pages, or
        nowhere.
    above: Whether that one file stands in the folder that holds the page's folder, and is written there by others.
    docx_template: A Word document whose styles, paper, header and footer a report as .docx takes over.
    sections: Section name -> the file that the one who renders named for it; its template stands beside it.
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
        """Refuse templates and a logo that are not there: TemplateError, SettingsError."""
        if self.templates is not None and not self.templates.is_dir():
            raise TemplateError(
                f"templates {self.templates}: expected a folder, found none; give the path of a folder."
            )
        self.logo_address()

    def logo_address(self) -> str:
        """Return the logo as a data address, or nothing; SettingsError if it is no picture that can be read."""
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


LOOKS = ("formats", "colours", "page", "interactive", "plotly")  # what is followed of how a stored report looks


def look_of(settings: Settings) -> Look:
    """Return how a report is to look."""
    report = settings.report
    return Look(
        templates=report.templates,
        logo=report.logo,
        colours=Colours(**report.colours.model_dump(exclude_none=True)),
        page=report.page,
        docx_template=report.docx_template,
        plotly=report.plotly if report.interactive else "none",
    )


def stored_look(report: Report) -> Settings:
    """Return how a stored report looks: values, and nothing that leads to a file."""
    stored = report.evaluation.settings.get("report")
    kept = {key: stored[key] for key in LOOKS if key in stored} if isinstance(stored, Mapping) else {}
    return from_stored({"report": kept})


SANS, SERIF = "font_source_sans_pro", "font_source_serif_pro"  # packages that hold the files

TYPED = frozenset(map(chr, range(0x20, 0x7F)))
"""What a script of the page may write, in every subset: few pages then need one of their own."""

KEPT_NAMES = [0, 14]  # entries of a font's name table that a subset keeps: its copyright and the address of its licence


@dataclass(frozen=True)
class Font:
    """One face of a typeface, and the file that holds it; `screen` says whether pages for the screen carry it."""

    family: str
    weight: int
    style: str
    path: Path
    screen: bool = True

    @property
    def address(self) -> str:
        """Where the printed page finds the whole file."""
        return self.path.as_uri()

    @property
    def mark(self) -> str:
        """What stands for the embedded subset until the page is finished and its characters are known."""
        return f"font-{hashlib.sha256(self.path.name.encode()).hexdigest()}"


@cache
def fonts() -> tuple[Font, ...]:
    """Return the faces that are installed: their packages come with reportgen, so every machine has the same.

    Without the packages a page is set in the fonts that its reader has.
    """
    faces = (
        ("Report Sans", 400, "normal", SANS, "SourceSansPro-Regular.ttf", True),
        ("Report Sans", 600, "normal", SANS, "SourceSansPro-Semibold.ttf", True),
        ("Report Sans", 400, "italic", SANS, "SourceSansPro-It.ttf", False),
        ("Report Serif", 600, "normal", SERIF, "SourceSerifPro-Semibold.ttf", True),
    )
    found = (
        Font(family, weight, style, folder / "files" / file, screen)
        for family, weight, style, package, file, screen in faces
        if (folder := _folder(package)) is not None
    )
    return tuple(font for font in found if font.path.is_file())


def embedded(page: str) -> str:
    """Return a page for the screen with its fonts in the places of their marks, cut to its own characters.

    Examples
    --------
    >>> embedded("<p>no font is asked for</p>")
    '<p>no font is asked for</p>'
    """
    used = frozenset(html.unescape(page)) | TYPED
    for font in fonts():
        if font.mark in page:
            page = page.replace(font.mark, subset(font, used & characters(font)), 1)
    return page


@cache
def characters(font: Font) -> frozenset[str]:
    """Return the characters that a face has."""
    from fontTools.ttLib import TTFont

    with TTFont(font.path, lazy=True) as opened:
        return frozenset(map(chr, opened.getBestCmap()))


@lru_cache(maxsize=32)
def subset(font: Font, used: Set[str]) -> str:
    """Return a face with some of its characters as WOFF2, in the letters of Base64.

    Kerning stays where letters are large, in the serif of headings: it takes longer than all else, and at the size of
    text few pairs of letters need it.
    """
    from fontTools import subset as cutting
    from fontTools.ttLib import TTFont

    options = cutting.Options()
    options.layout_features = ["kern"] if font.family == "Report Serif" else []
    options.drop_tables += ["BASE", "DSIG", "GDEF", "GSUB", *([] if options.layout_features else ["GPOS"])]
    options.name_IDs = KEPT_NAMES
    options.hinting = False
    content = io.BytesIO()
    with TTFont(font.path, lazy=True, recalcTimestamp=False) as opened:
        cutter = cutting.Subsetter(options)
        cutter.populate(unicodes=sorted(map(ord, used)))
        cutter.subset(opened)
        opened.flavor = "woff2"
        opened.save(content)
    return base64.b64encode(content.getvalue()).decode()


def _folder(package: str) -> Path | None:
    spec = find_spec(package)
    return Path(spec.origin).parent if spec is not None and spec.origin is not None else None


class Library(NamedTuple):
    """A script: compressed and in letters, as the page holds it, and the SHA-256 of its text.

    Templates write `packed`, a short mark in its place; two megabytes would be copied with every step of a page.
    """

    letters: bytes
    digest: bytes

    @property
    def packed(self) -> str:
        """The mark that stands for the letters until the page is written."""
        return f"script-{self.digest.hex()}"


COMPRESSION = 4  # level of gzip: half the time of 6, for a page that is 2 % larger

GZIP = 31  # what zlib calls the gzip format, without a time

BLOCK = 1 << 18  # bytes of a library that are read at a time


@cache
def plotly() -> Library:
    """Return plotly.js from the installed plotly package, without importing plotly; once for all reports."""
    digest, packer, parts = hashlib.sha256(), zlib.compressobj(COMPRESSION, wbits=GZIP), []
    home = _folder("plotly")
    if home is None:
        raise ModuleNotFoundError("the package 'plotly' is not installed", name="plotly")
    with (home / "package_data" / "plotly.min.js").open("rb") as file:
        while block := file.read(BLOCK):  # never whole: it would be the largest thing in memory
            digest.update(block)
            parts.append(packer.compress(block))
    packed = b"".join([*parts, packer.flush()])
    return Library(base64.b64encode(packed), digest.digest())


def write_library(look: Look, folder: Path) -> None:
    """Write the file into a folder; pages run what it holds only if it is the library that they know by its hash."""
    loader = loader_of(look.templates)
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    library = plotly()
    script = environment.get_template("html/plotly.js").render().strip()
    text = environment.get_template("html/plotly.html.j2").render(
        library=library.packed, script=script, hashes=hashes_of(script)
    )
    before, _, after = text.partition(library.packed)
    (folder / SHARED).write_bytes(before.encode() + library.letters + after.encode())


def hashes_of(*texts: str) -> tuple[str, ...]:
    """Return scripts as a content security policy names those that may run.

    Examples
    --------
    >>> hashes_of("x")
    ("'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='",)
    """
    return tuple(policy_source(hashlib.sha256(text.encode()).digest()) for text in texts)


def policy_source(digest: bytes) -> str:
    """Return a SHA-256 as a content security policy writes it."""
    return f"'sha256-{base64.b64encode(digest).decode()}'"
