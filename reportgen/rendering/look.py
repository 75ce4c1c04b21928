"""Configure the look of a report and the files its pages embed: logo, colors, fonts, and plotting library."""

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

from reportgen.charts.theme import Colours
from reportgen.errors import SettingsError, TemplateError
from reportgen.results import Report
from reportgen.settings import Settings, from_stored
from reportgen.storing.report_folder import SHARED
from reportgen.wording.filling import loader_of, page_environment

_PICTURES = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}


@dataclass(frozen=True)
class Look:
    """Templates, logo, colors, and paper of a report.

    plotly: Where the plotting library is: inside each page, in one file for many pages, or nowhere.
    sections: The file that the user named for each section; its template is next to it.
    """

    templates: Path | None = None  # the user's folder of templates, searched before the built-in ones
    logo: Path | None = None  # an image for the head of the report, which is embedded
    colours: Colours = field(default_factory=Colours)
    page: Literal["A4", "Letter"] = "A4"
    plotly: Literal["inside", "beside", "none"] = "inside"
    above: bool = False  # whether that one file is in the parent of the page's folder, and written there by others
    docx_template: Path | None = None  # a Word document whose styles, paper, header, and footer report.docx uses
    sections: Mapping[str, Path] = field(default_factory=dict)

    @property
    def library(self) -> str:
        """Relative address of the plotting library, or an empty string."""
        return "" if self.plotly != "beside" else f"../{SHARED}" if self.above else SHARED

    def check(self) -> None:
        """Reject missing templates (TemplateError) and a missing logo (SettingsError)."""
        if self.templates is not None and not self.templates.is_dir():
            raise TemplateError(f"--templates: '{self.templates}' is not a folder; give the path to a folder.")
        self.logo_address()

    def logo_address(self) -> str:
        """Return the logo as a data URL, or an empty string; SettingsError if it is not a readable image."""
        if self.logo is None:
            return ""
        kind = _PICTURES.get(self.logo.suffix.lower())
        if kind is None:
            raise SettingsError(f"--logo: '{self.logo}' is not an image; give a .svg, .png, or .jpg file.")
        try:
            content = self.logo.read_bytes()
        except OSError as error:
            why = f"--logo: '{self.logo}' cannot be read ({error.strerror}); give the path to an image."
            raise SettingsError(why) from error
        return f"data:{kind};base64,{base64.b64encode(content).decode()}"


LOOKS = ("formats", "colours", "page", "interactive", "plotly")  # look settings that a stored report keeps


def look_of(settings: Settings) -> Look:
    """Return the look that the settings describe."""
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
    """Return the look of a stored report: only values, nothing that leads to a file."""
    stored = report.evaluation.settings.get("report")
    kept = {key: stored[key] for key in LOOKS if key in stored} if isinstance(stored, Mapping) else {}
    return from_stored({"report": kept})


SANS, SERIF = "font_source_sans_pro", "font_source_serif_pro"  # packages that contain the font files

TYPED = frozenset(map(chr, range(0x20, 0x7F)))
"""Characters that a page's script can write, included in every subset so that few pages need a separate one."""

KEPT_NAMES = [0, 14]  # entries of a font's name table that a subset keeps: its copyright and the address of its license


@dataclass(frozen=True)
class Font:
    """One face of a typeface, and its file; `screen` determines whether HTML pages embed it."""

    family: str
    weight: int
    style: str
    path: Path
    screen: bool = True

    @property
    def address(self) -> str:
        """Address of the whole font file for the printed page."""
        return self.path.as_uri()

    @property
    def mark(self) -> str:
        """Placeholder for the embedded subset until the page is finished and its characters are known."""
        return f"font-{hashlib.sha256(self.path.name.encode()).hexdigest()}"


@cache
def fonts() -> tuple[Font, ...]:
    """Return the faces of the font packages that are installed with reportgen."""
    faces = (
        ("Report Sans", 400, "normal", SANS, "SourceSansPro-Regular.ttf", True),
        ("Report Sans", 600, "normal", SANS, "SourceSansPro-Semibold.ttf", True),
        ("Report Sans", 400, "italic", SANS, "SourceSansPro-It.ttf", False),
        ("Report Serif", 600, "normal", SERIF, "SourceSerifPro-Semibold.ttf", True),
    )
    return tuple(
        Font(family, weight, style, _folder(package) / "files" / file, screen)
        for family, weight, style, package, file, screen in faces
    )


def embedded(page: str) -> str:
    """Replace the font placeholders in an HTML page by subsets of its characters.

    >>> embedded("<p>no font placeholder</p>")
    '<p>no font placeholder</p>'
    """
    used = frozenset(html.unescape(page)) | TYPED
    for font in fonts():
        if font.mark in page:
            page = page.replace(font.mark, subset(font, used & characters(font)), 1)
    return page


@cache
def characters(font: Font) -> frozenset[str]:
    """Return the characters in a face."""
    from fontTools.ttLib import TTFont

    with TTFont(font.path, lazy=True) as opened:
        return frozenset(map(chr, opened.getBestCmap()))


@lru_cache(maxsize=32)
def subset(font: Font, used: Set[str]) -> str:
    """Return a subset of a face as WOFF2 in Base64.

    Only the serif of headings, where letters are large, keeps its kerning: kerning takes longer than everything else,
    and few letter pairs need it at text size.
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


def _folder(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None  # reportgen requires it
    return Path(str(spec.origin)).parent


class Library(NamedTuple):
    """A script: compressed, in Base64 as in the page, and the SHA-256 of its text.

    Templates write `packed`, a short placeholder, because two megabytes would be copied at every step of a page.
    """

    letters: bytes
    digest: bytes

    @property
    def packed(self) -> str:
        """Placeholder for the Base64 until the page is written."""
        return f"script-{self.digest.hex()}"


COMPRESSION = 4  # gzip level: half the time of level 6, for a page that is 2% larger

GZIP = 31  # zlib's value for the gzip format without a timestamp

BLOCK = 1 << 18  # bytes of a library to read at a time


@cache
def plotly() -> Library:
    """Return plotly.js from the installed plotly package, without importing plotly; once for all reports."""
    digest, packer, parts = hashlib.sha256(), zlib.compressobj(COMPRESSION, wbits=GZIP), []
    with (_folder("plotly") / "package_data" / "plotly.min.js").open("rb") as file:
        while block := file.read(BLOCK):  # in blocks, because the whole file would be the largest object in memory
            digest.update(block)
            parts.append(packer.compress(block))
    return Library(base64.b64encode(b"".join([*parts, packer.flush()])), digest.digest())


def write_library(look: Look, folder: Path) -> None:
    """Write the library file to a folder; pages run it only if its hash matches the library they expect."""
    environment = page_environment(loader_of(look.templates))
    library = plotly()
    script = environment.get_template("html/plotly.js").render().strip()
    page = environment.get_template("html/plotly.html.j2")
    text = page.render(library=library.packed, script=script, hashes=hashes_of(script))
    before, _, after = text.partition(library.packed)
    (folder / SHARED).write_bytes(before.encode() + library.letters + after.encode())


def hashes_of(*texts: str) -> tuple[str, ...]:
    """Return the hashes of scripts that a content security policy allows.

    >>> hashes_of("x")
    ("'sha256-LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE='",)
    """
    return tuple(policy_source(hashlib.sha256(text.encode()).digest()) for text in texts)


def policy_source(digest: bytes) -> str:
    """Format a SHA-256 for a content security policy."""
    return f"'sha256-{base64.b64encode(digest).decode()}'"
