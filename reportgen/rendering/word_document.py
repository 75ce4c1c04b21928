"""Create Word documents: styles and paper, custom templates, and reproducible bytes."""

import io
import zipfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import docx
from docx.enum.text import WD_TAB_ALIGNMENT
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from docx.shared import Mm
from docx.styles.style import StyleFactory

from reportgen.charts import theme
from reportgen.charts.svg import clean
from reportgen.errors import SettingsError
from reportgen.results import Report

STYLES = Path(__file__).with_name("word_styles.xml")  # all styles in use, as Word XML, without text colors

TABLE, RULED = "Report Table", "APA Table"  # styles of tables: of a report, and of a paper


def made(name: str, /, *children: Any, **attributes: str | int) -> Any:
    """Create a Word element with these children, except None; its attributes are in its own namespace.

    >>> made("w:jc", val="right").tag.rpartition("}")[2]
    'jc'
    """
    element = OxmlElement(name)
    for key, value in attributes.items():
        element.set(qn(f"w:{key}"), str(value))
    element.extend(child for child in children if child is not None)
    return element


def field_around(instruction: str) -> list[Any]:
    """Return the elements before and after the text of a field, which a word processor can update."""
    asked = made("w:instrText")
    asked.text = f" {instruction} "
    asked.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    begin, separate, end = (made("w:fldChar", fldCharType=kind) for kind in ("begin", "separate", "end"))
    return [made("w:r", each) for each in (begin, asked, separate, end)]


def add_field(paragraph: Any, instruction: str, shown: str) -> None:
    """Add a field to a paragraph, with the text to show until a word processor updates it."""
    *before, end = field_around(instruction)
    paragraph._p.extend(before)
    paragraph.add_run(shown)
    paragraph._p.append(end)


def prepare_styles(document: Any, language: str, *, ours: bool) -> None:
    """Add the styles in use to a document: all if it is `ours`, otherwise those that a template lacks."""
    styles = document.styles.element
    for old in styles.findall(qn("w:style")) if ours else ():
        if old.get(qn("w:type")) == "table" and old.get(qn("w:default")) is None:
            styles.remove(old)
    known = {style.name: style.element for style in document.styles}
    inks = {name: ink[1:].upper() for name, ink in theme.NEUTRAL.items()}
    names: dict[str, str] = {}
    for fresh in list(parse_xml(STYLES.read_text(encoding="utf-8").format(**inks))):
        name = names[fresh.styleId] = StyleFactory(fresh).name
        if name not in known:
            for other in fresh.xpath("w:next | w:link | w:pPr/w:numPr"):  # related styles that a template may lack
                other.getparent().remove(other)
            if fresh.basedOn is not None:
                fresh.basedOn.val = known.get(names[fresh.basedOn.val], known["Normal"]).styleId
            styles.append(fresh)
        elif ours:
            styles.replace(known[name], fresh)
        else:
            continue
        known[name] = fresh
    for defaults in styles.xpath("w:docDefaults/w:rPrDefault/w:rPr"):
        for old in defaults.findall(qn("w:lang")):
            defaults.remove(old)
        defaults.append(made("w:lang", val=language, eastAsia=language, bidi=language))


LARGEST = 100_000_000  # most unpacked bytes of all parts of a template

LONGEST = 255  # most letters of a document property

PAGES = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
SIDES = {"A4": 22.5, "Letter": 25.4}  # width and height of paper, and its side margins, in millimeters

OLDEST = (1980, 1, 1, 0, 0, 0)  # the date of every part in the file, so that rewritten files are identical

LEFT_BEHIND = ("image", "hyperlink", "oleObject", "package", "chart", "comments", "thumbnail")
"""Parts of a template that belong to its text, and are removed with it."""


def opened(template: Path | None) -> Any:
    """Open a document without text: the user's template, or an empty one."""
    document = docx.Document() if template is None else _read(template)
    body = document.element.body
    for child in list(body)[:-1]:
        body.remove(child)
    for part in (document.part, document.part.package):  # parts that only the template's text needs are removed with it
        for key, link in list(part.rels.items()):
            if link.reltype.rpartition("/")[2] in LEFT_BEHIND:
                del part.rels[key]
    return document


def set_page(document: Any, page: Literal["A4", "Letter"]) -> None:
    """Set the paper of a new document."""
    section = document.sections[-1]
    section.page_width, section.page_height = map(Mm, PAGES[page])
    section.left_margin = section.right_margin = Mm(SIDES[page])
    section.top_margin, section.bottom_margin = Mm(22), Mm(20)
    section.header_distance = section.footer_distance = Mm(11)


def write_margins(document: Any, room: int, words: Mapping[str, str], report: Report) -> None:
    """Write the header and footer of a new document: title, data, page number."""
    section = document.sections[-1]
    section.different_first_page_header_footer = True
    section.header.paragraphs[0].add_run(clean(report.title))
    for footer in (section.footer, section.first_page_footer):
        paragraph = footer.paragraphs[0]
        paragraph.style = "Footer"
        paragraph.paragraph_format.tab_stops.add_tab_stop(room, WD_TAB_ALIGNMENT.RIGHT)
        paragraph.add_run(f"{words['data']} {report.evaluation.source.sha256[:8]}\t")
        add_field(paragraph, "PAGE", "1")
        paragraph.add_run(f" {words['of']} ")
        add_field(paragraph, "NUMPAGES", "1")


def save(document: Any, path: Path, report: Report) -> None:
    """Save a document with its title, language, and date."""
    about, created = document.core_properties, datetime.fromisoformat(report.created)
    about.title, about.subject = clean(report.title)[:LONGEST], clean(report.description)[:LONGEST]
    about.language = report.language
    about.comments = about.keywords = about.author = about.last_modified_by = ""
    about.created = about.modified = created
    about.revision = 1
    packed = io.BytesIO()
    document.save(packed)
    with zipfile.ZipFile(packed) as parts, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        for part in parts.infolist():
            written.writestr(zipfile.ZipInfo(part.filename, OLDEST), parts.read(part), zipfile.ZIP_DEFLATED)


def _read(template: Path) -> Any:
    try:
        content = template.read_bytes()
    except OSError as error:
        raise SettingsError(
            f"--docx-template: '{template}' cannot be read ({error.strerror}); give the path to a Word document."
        ) from error
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > LARGEST:
            raise ValueError(f"unpacked, it has {size} bytes")
        return docx.Document(io.BytesIO(content))
    except Exception:  # noqa: BLE001 - a damaged file can raise anything in what unpacks and parses it
        raise SettingsError(f"--docx-template: '{template}' is not a Word document; save it as .docx.") from None
