"""A Word document: its styles and paper, those that a template brings, and the same bytes for the same content."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import docx
from docx.enum.text import WD_TAB_ALIGNMENT
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Mm, Pt, RGBColor

from reportgen.charts import theme
from reportgen.charts.svg import clean
from reportgen.errors import SettingsError
from reportgen.rendering import word_text
from reportgen.rendering.word_text import Sheet, made
from reportgen.results import Report

SANS, SERIF, MONO = "Calibri", "Cambria", "Consolas"
"""Fonts that word processors have, or know a stand-in of the same widths for."""

WASH = "F5F7F9"

AFTER_BORDER = ("w:shd", "w:tabs", "w:suppressAutoHyphens", "w:spacing", "w:ind", "w:jc", "w:outlineLvl")
"""What stands after the border in the description of a paragraph."""

TABLE, RULED = "Report Table", "APA Table"
"""Styles of tables: of a report, and of a paper."""


@dataclass(frozen=True)
class Style:
    """How a style of paragraphs looks: sizes and distances in points; `beside` draws a line on its left."""

    name: str
    base: str = "Normal"
    size: float | None = None
    bold: bool | None = None
    italic: bool | None = None
    quiet: bool = False
    font: str = ""
    before: float | None = None
    after: float | None = None
    with_next: bool = False
    beside: bool = False
    indent: float | None = None


OWN = (
    Style("Report Kicker", size=9, quiet=True, before=18, after=0, with_next=True),
    Style("Report Headline", size=12, font=SERIF, after=6),
    Style("Report Question", size=9.5, quiet=True, before=10, after=0, with_next=True, beside=True),
    Style("Report Decision", base="Heading 1", size=17, before=0, after=0, with_next=True, beside=True),
    Style("Report Answer", size=10, before=0, after=6, beside=True),
    Style("Report Note", size=8.5, quiet=True, before=2, after=4),
    Style("Report Facts", size=9, quiet=True, before=4, after=8),
    Style("Report Cell", size=9, before=1.5, after=1.5),
    Style("Report Cell Heading", base="Report Cell", quiet=True),
    Style("Report Table Note", size=8.5, quiet=True, before=2, after=2),
    Style("Report Picture", before=2, after=8),
    Style("Report Preformatted", size=8.5, font=MONO, after=6),
)
"""Styles that Word has no name for; a template of the user that has them keeps its own."""

BUILT_IN = (
    Style("Normal", size=10, font=SANS, before=0, after=5),
    Style("Title", size=20, bold=True, font=SERIF, before=0, after=4),
    Style("Subtitle", size=10, italic=False, quiet=True, font=SANS, before=0, after=2),
    Style("Heading 1", size=15, bold=True, font=SERIF, before=6, after=5, with_next=True),
    Style("Heading 2", size=12, bold=True, font=SERIF, before=14, after=4, with_next=True),
    Style("Heading 3", size=10, bold=True, font=SANS, before=10, after=3, with_next=True),
    Style("Caption", size=9.5, bold=True, font=SANS, before=10, after=4, with_next=True),
    Style("TOC Heading", size=12, bold=True, font=SANS, before=12, after=4, with_next=True),
    Style("List Bullet", size=10, font=SANS, before=0, after=3, indent=14),
    Style("List Number", size=10, font=SANS, before=0, after=3, indent=14),
    Style("Header", size=8.5, quiet=True, font=SANS),
    Style("Footer", size=8.5, quiet=True, font=SANS),
)
"""How the styles that Word names look in a document of ours."""

CONTENTS = (
    Style("toc 1", size=10, before=4, after=2),
    Style("toc 2", size=10, before=0, after=2, indent=12),
)


def prepare_styles(document: Any, language: str, *, ours: bool) -> None:
    """Give a document the styles that are used: all of them where it is `ours`, else those that a template lacks."""
    known = {style.name for style in document.styles}
    if ours:
        _without_tables(document)
        for style in BUILT_IN:
            _bare(document.styles[style.name].element)
            _shape_style(document.styles[style.name], style)
    for style in (*(() if ours else BUILT_IN), *OWN, *CONTENTS):
        if style.name not in known:
            _shape_style(_added(document, style), style)
    for name, form in (("Report Quiet", _quiet), ("Report Code", _code)):
        if name not in known:
            form(document.styles.add_style(name, 2))
    for name, rows in ((TABLE, True), (RULED, False)):
        if name not in known:
            _add_table_style(document, name, rows=rows)
    _set_language(document, language)


def _added(document: Any, style: Style) -> Any:
    made_style = document.styles.add_style(style.name, 1)
    bases = {each.name for each in document.styles}
    if style.name != "Normal":
        made_style.base_style = document.styles[style.base if style.base in bases else "Normal"]
    made_style.quick_style = True
    return made_style


def _shape_style(found: Any, style: Style) -> None:
    font, paragraph = found.font, found.paragraph_format
    if style.size is not None:
        font.size = Pt(style.size)
    font.bold, font.italic = style.bold, style.italic
    if style.font:
        _set_font(found, style.font)
    if style.font or style.quiet or style.base != "Normal":
        font.color.rgb = RGBColor.from_string((theme.QUIET if style.quiet else theme.TEXT)[1:].upper())
    if style.before is not None:
        paragraph.space_before = Pt(style.before)
    if style.after is not None:
        paragraph.space_after = Pt(style.after)
    if style.name == "Normal":
        paragraph.line_spacing = 1.1
    if style.with_next:
        paragraph.keep_with_next = True
    if style.indent is not None:
        paragraph.left_indent = Pt(style.indent)
        if style.name.startswith("List"):
            paragraph.first_line_indent = -Pt(style.indent)
    if style.beside:
        paragraph.left_indent, paragraph.right_indent = Pt(12), Pt(6)
        _draw_beside(found.element.get_or_add_pPr())


def _bare(element: Any) -> None:
    """Take away how a style looks; what it numbers, and its level in the outline, stay."""
    for part, kept in ((element.rPr, ()), (element.pPr, ("w:numPr", "w:outlineLvl", "w:keepNext", "w:keepLines"))):
        for each in list(part) if part is not None else []:
            if each.tag not in map(qn, kept):
                part.remove(each)


def _set_font(found: Any, name: str) -> None:
    fonts = found.element.get_or_add_rPr().get_or_add_rFonts()
    fonts.attrib.clear()
    fonts.attrib.update(made("w:rFonts", ascii=name, hAnsi=name, eastAsia=name, cs=name).attrib)


def _draw_beside(about: Any) -> None:
    border = made("w:pBdr")
    border.append(made("w:left", val="single", sz=18, space=10, color=theme.TEXT[1:].upper()))
    shade = made("w:shd", val="clear", color="auto", fill=WASH)
    about.insert_element_before(border, *AFTER_BORDER)
    border.addnext(shade)


def _quiet(found: Any) -> None:
    found.font.color.rgb = RGBColor.from_string(theme.QUIET[1:].upper())
    found.font.bold = False


def _code(found: Any) -> None:
    _set_font(found, MONO)


def _add_table_style(document: Any, name: str, *, rows: bool) -> None:
    """Add a style of tables: rules above and below the headings and at the end, and pale ones between rows if asked."""
    dark, pale = theme.TEXT[1:].upper(), theme.GRID[1:].upper()
    top = "" if rows else f'<w:top w:val="single" w:sz="8" w:space="0" w:color="{dark}"/>'
    between = f'<w:insideH w:val="single" w:sz="4" w:space="0" w:color="{pale}"/>' if rows else ""
    document.styles.element.append(parse_xml(
        f'<w:style {nsdecls("w")} w:type="table" w:customStyle="1" w:styleId="{name.replace(" ", "")}">'
        f'<w:name w:val="{name}"/><w:uiPriority w:val="99"/><w:tblPr><w:tblBorders>{top}'
        f'<w:bottom w:val="single" w:sz="8" w:space="0" w:color="{dark}"/>{between}</w:tblBorders>'
        '<w:tblCellMar><w:left w:w="60" w:type="dxa"/><w:right w:w="60" w:type="dxa"/></w:tblCellMar></w:tblPr>'
        '<w:tblStylePr w:type="firstRow"><w:tcPr><w:tcBorders>'
        f'<w:bottom w:val="single" w:sz="8" w:space="0" w:color="{dark}"/></w:tcBorders></w:tcPr></w:tblStylePr>'
        "</w:style>"
    ))  # fmt: skip


def _without_tables(document: Any) -> None:
    for style in document.styles.element.findall(qn("w:style")):
        if style.get(qn("w:type")) == "table" and style.get(qn("w:default")) is None:
            document.styles.element.remove(style)


def _set_language(document: Any, language: str) -> None:
    for defaults in document.styles.element.xpath("w:docDefaults/w:rPrDefault/w:rPr"):
        for old in defaults.findall(qn("w:lang")):
            defaults.remove(old)
        defaults.append(made("w:lang", val=language, eastAsia=language, bidi=language))


LARGEST = 100_000_000
"""Bytes of all parts of a template, unpacked."""

LONGEST = 255
"""Letters that a property of a document may have."""

PAGES = {"A4": (210.0, 297.0), "Letter": (215.9, 279.4)}
SIDES = {"A4": 22.5, "Letter": 25.4}
"""Width and height of paper, and its margin beside the text, in millimetres."""

OLDEST = (1980, 1, 1, 0, 0, 0)
"""The date of every part in the file: what is written once looks as what is written again."""

LEFT_BEHIND = ("image", "hyperlink", "oleObject", "package", "chart", "comments", "thumbnail")
"""What a template may hold for its own text, which goes with it."""


def opened(template: Path | None) -> Any:
    """Return a document without text: the template of the user, or an empty one.

    Raises SettingsError if the file is not a Word document.
    """
    document = docx.Document() if template is None else _read(template)
    _emptied(document)
    return document


def set_page(document: Any, page: Literal["A4", "Letter"]) -> None:
    """Give a document of ours its paper."""
    section = document.sections[-1]
    section.page_width, section.page_height = map(Mm, PAGES[page])
    section.left_margin = section.right_margin = Mm(SIDES[page])
    section.top_margin, section.bottom_margin = Mm(22), Mm(20)
    section.header_distance = section.footer_distance = Mm(11)


def write_margins(sheet: Sheet, title: str, data: str) -> None:
    """Write what stands above and below the text of a document of ours: title, data, number of the page."""
    section, words = sheet.document.sections[-1], sheet.words
    section.different_first_page_header_footer = True
    section.header.paragraphs[0].add_run(clean(title))
    for footer in (section.footer, section.first_page_footer):
        paragraph = footer.paragraphs[0]
        paragraph.style = "Footer"
        paragraph.paragraph_format.tab_stops.add_tab_stop(sheet.room, WD_TAB_ALIGNMENT.RIGHT)
        paragraph.add_run(f"{words['data']} {data}\t")
        word_text.add_field(paragraph, "PAGE", "1")
        paragraph.add_run(f" {words['of']} ")
        word_text.add_field(paragraph, "NUMPAGES", "1")


def save(document: Any, path: Path, report: Report) -> None:
    """Write a document with its title, language and date."""
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
            f"docx_template {template}: cannot be read ({error.strerror}); give the path of a Word document."
        ) from error
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            size = sum(part.file_size for part in parts.infolist())
        if size > LARGEST:
            raise ValueError(f"unpacked, it has {size} bytes")
        return docx.Document(io.BytesIO(content))
    except Exception:  # noqa: BLE001 - a damaged file can raise anything in what unpacks and parses it
        raise SettingsError(
            f"docx_template {template}: not a readable Word document; save it as .docx and name that file."
        ) from None


def _emptied(document: Any) -> None:
    """Take away the text of a document, and what only its text needs; styles, page, header and footer stay."""
    body = document.element.body
    for child in list(body)[:-1]:
        body.remove(child)
    for part in (document.part, document.part.package):
        for key, link in list(part.rels.items()):
            if link.reltype.rpartition("/")[2] in LEFT_BEHIND:
                del part.rels[key]
