"""Convert a page to a tagged PDF with WeasyPrint; only the report's fonts are loaded."""

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from reportgen.errors import OutputError, SettingsError, install_command
from reportgen.machine.temporary import temporary_files
from reportgen.rendering import glyphs, tagging
from reportgen.rendering.filters import together
from reportgen.rendering.look import fonts
from reportgen.rendering.page_filling import fill, halve
from reportgen.rendering.templates import Templates

STILL = "/* The same, when it would still spill. */"  # before the part of the style that saves even more room

CONTENTS = "contents"  # ID of the table of contents, which starts the page after the summary

SVG = "{http://www.w3.org/2000/svg}"

LINE = 40  # letters of a text that may need more than one line

_SET_IN_LINES = {"h1", "h2", "h3", "p", "li", "caption", "span"}  # elements whose text fills lines

_LAST_WORD = re.compile(r" (?=\S{1,8}\s*$)")  # the space before a short last word

_LETTER = re.compile(r"@page \{[^}]*size: Letter")  # the paper size, if it is not A4

_BROKEN = re.compile(r"(?<![\w.])\.(?=\d)|(?<=\b\w)/(?=\w\b)")  # where Pango would break ".05" and "N/A"

_MAY_LEAD = re.compile(r"#|https?://|mailto:|data:image/|(?![a-z][a-z0-9+.-]*:)[^/\\\\]", re.IGNORECASE)
"""Addresses that a PDF can link to: its own targets, the web, embedded images, reports next to it."""

_PDF_UA = Path(__file__).with_name("pdf_ua.xml").read_bytes()
"""The PDF/UA-1 claim, and the declaration of its vocabulary, which PDF/A requires for every other claim."""


def write(
    source: str, path: Path, identifier: bytes, tight: str, attachments: Sequence[Path] = (), date: str = ""
) -> None:
    """Write the page `source` as PDF/UA-1 to `path`; `tight` is a style that saves room on the first page.

    With attached files, dated with the report's `date` (YYYY-MM-DD), it is also PDF/A-3a. Raises OutputError if the
    system libraries that draw text are missing, or there is no room for temporary files.
    """
    variant = "pdf/a-3a" if attachments else "pdf/ua-1"
    options = {"pdf_variant": variant, "pdf_tags": True, "pdf_identifier": identifier}

    def written(text: str, *, spelled_out: bool = False) -> bytes:
        files = [_attachment(file, date) for file in attachments]
        with temporary_files(path.name), _font_configuration() as configuration:
            laid_out = options | {"font_config": configuration}
            pages, spoken = _pages(text, tight, laid_out, spelled_out=spelled_out)

            def finish(_: Any, pdf: Any) -> None:
                tagging.mend(pdf, spoken)
                if files:
                    _claim_accessibility(pdf)
                    tagging.end_clearly(pdf)

            return bytes(pages.write_pdf(**options, attachments=files, finisher=finish))

    with glyphs.missing_characters() as missing:
        content = written(source)
    if missing:
        # A character without a font would leave an unreadable glyph, which PDF/UA forbids.
        content = written(glyphs.spell_out(source, missing), spelled_out=True)
        glyphs.warn_missing(missing, path.name)
    path.write_bytes(content)


@contextmanager
def _font_configuration() -> Iterator[Any]:
    configuration = _weasyprint().text.fonts.FontConfiguration()
    try:
        yield configuration
    finally:
        # otherwise it is freed with the pages, in reference cycles that the process may end before collecting
        configuration.__del__()


def _attachment(path: Path, date: str) -> Any:
    when = datetime.fromisoformat(date)
    return _weasyprint().Attachment(
        file_obj=io.BytesIO(path.read_bytes()),
        name=path.name,
        description="Every number of this report, unrounded",
        created=when,
        modified=when,
        relationship="Data",
    )


def _claim_accessibility(pdf: Any) -> None:
    stream = pdf.objects[int(pdf.catalog["Metadata"].split()[0])].stream
    end = b"</rdf:RDF>"
    if not any(end in part for part in stream):
        raise OutputError("report.pdf: the metadata have an unknown form, so PDF/UA cannot be claimed.")
    stream[:] = [part.replace(end, _PDF_UA + end) for part in stream]
    files = pdf.catalog["AF"]
    files[:] = dict.fromkeys(files)  # each is listed twice


def _pages(source: str, tight: str, options: dict[str, Any], *, spelled_out: bool) -> tuple[Any, dict[str, str]]:
    """Return the page layout and the link texts; a summary that does not fit its page is set tighter."""
    spoken: dict[str, str] = {}

    def laid_out(text: str) -> Any:
        page = parsed(text)
        body = page.etree_element.find("body")
        _keep_numbers_whole(body)
        _keep_last_words_company(body)
        _turn_labels(body)
        _fit_group_titles(body)
        spoken.update(tagging.spoken(body))
        halve(body)
        fill(body, "Letter" if _LETTER.search(text) else "A4")
        if spelled_out:
            glyphs.fit_labels(body, SVG)
        return page.render(**options)

    best = laid_out(source)
    for style in (tight.partition(STILL)[0], tight):
        if summary_pages(best) <= 1:
            break
        # In the page, because a style sheet passed to WeasyPrint cannot override the page's styles.
        tighter = laid_out(source.replace("</head>", f"<style>\n{style}</style>\n</head>", 1))
        best = tighter if summary_pages(tighter) < summary_pages(best) else best
    return best, spoken


def parsed(source: str) -> Any:
    """Parse a page, keeping only links to its own targets, the web, and files next to it."""
    page = _weasyprint().HTML(string=source, url_fetcher=_fetcher())  # only the report's fonts are read
    _keep_links_inside(page.etree_element)
    return page


def _weasyprint() -> Any:
    try:
        import weasyprint
    except OSError as error:  # Pango is not installed
        raise OutputError(
            "report.pdf: the Pango library is not installed; install it (Debian: apt-get install "
            "libpangoft2-1.0-0 libharfbuzz-subset0) or skip the PDF with --formats html."
        ) from error
    return weasyprint


def summary_pages(document: Any) -> int:
    """Count the pages before the table of contents, or all pages if there is none."""
    return next((number for number, page in enumerate(document.pages) if CONTENTS in page.anchors), len(document.pages))


def _keep_numbers_whole(body: Any) -> None:
    """Prevent line breaks inside numbers in all text of a page; charts have no line breaks."""
    for node in body.iter():
        if str(node.tag).startswith(SVG):
            continue
        for place in ("text", "tail"):
            words = getattr(node, place)
            if words:
                setattr(node, place, _BROKEN.sub("\\g<0>\N{WORD JOINER}", together(words)))


def _keep_last_words_company(body: Any) -> None:
    for node in body.iter():
        if node.tag not in _SET_IN_LINES:
            continue
        last = node[-1] if len(node) else node
        place = "tail" if len(node) else "text"
        words = getattr(last, place)
        if words and len("".join(node.itertext())) > LINE:
            setattr(last, place, _LAST_WORD.sub("\N{NO-BREAK SPACE}", words))


def _turn_labels(body: Any) -> None:
    for node in body.iter(f"{SVG}text"):
        if node.text:
            node.text = glyphs.as_seen(node.text)


def _fit_group_titles(body: Any) -> None:
    for table in body.iter("table"):
        for head in table.iterfind("tbody/tr/th[@scope='rowgroup']"):
            heads = [
                (each.get("class", "").split(), each.get("colspan", "1")) for each in table.iterfind("thead/tr[1]/th")
            ]
            head.set("colspan", str(sum(int(n) for names, n in heads if not {"screen-only", "grouped-by"} & {*names})))


def _keep_links_inside(page: Any) -> None:
    """Keep only the links of a PDF to its own targets and the web; remove attachments and actions."""
    for node in page.iter():
        if node.tag == "link":
            node.attrib.clear()
        if "attachment" in node.get("rel", "").lower():
            del node.attrib["rel"]
            node.attrib.pop("href", None)
        for name in [name for name in node.attrib if name.rpartition("}")[2] in ("href", "src", "action")]:
            if not _MAY_LEAD.match(node.get(name, "").strip()):
                del node.attrib[name]


def _fetcher() -> Any:
    """Return WeasyPrint's URL fetcher, which reads only the report's fonts and embedded data."""
    from weasyprint.urls import URLFetcher

    served = frozenset(font.address for font in fonts())

    class Served(URLFetcher):  # type: ignore[misc]
        """Serve only what the report created."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            if not url.startswith("data:") and url not in served:
                raise ValueError("not a part of this report")
            return super().fetch(url, headers)

    return Served(allowed_protocols=("file", "data"))


PAGE = "html/pictures.html.j2"

DOTS_PER_INCH = 288  # resolution of printed images: four dots per pixel of the page

LARGEST = 4000.0  # largest width or height of a drawing in pixels of the page

_BOX = re.compile(r"[-\d.]+[ ,]+[-\d.]+[ ,]+([\d.]+)[ ,]+([\d.]+)")
_LENGTH = re.compile(r"([\d.]+)(px|pt)?")


class Drawing(NamedTuple):
    """A drawing as SVG, with its size in page pixels, its alt text, and whether its background is transparent."""

    svg: str
    width: float
    height: float
    alt: str = ""
    clear: bool = False


def drawing_of(node: Any) -> Drawing:
    """Convert an SVG element of a parsed page to a drawing.

    >>> node = ElementTree.fromstring('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><g/></svg>')
    >>> drawing_of(node)
    Drawing(svg='<svg viewBox="0 0 20 10"><g /></svg>', width=20.0, height=10.0, alt='', clear=False)
    """
    bare = deepcopy(node)
    bare.tail = None
    for each in bare.iter():
        if isinstance(each.tag, str):
            each.tag = each.tag.removeprefix(SVG)
    box = _BOX.fullmatch(node.get("viewBox", "").strip())
    width, height = (
        min(max(_length(node.get(name, "")) or (float(box[place]) if box else 300.0), 1.0), LARGEST)
        for place, name in enumerate(("width", "height"), start=1)
    )
    return Drawing(ElementTree.tostring(bare, encoding="unicode"), width, height, node.get("aria-label", ""))


def as_pdf(drawings: Sequence[Drawing], templates: Templates) -> bytes:
    """Write a PDF with each drawing on a page of the drawing's size."""
    source = templates.page(PAGE, drawings=drawings, fonts=fonts())
    with temporary_files("pictures"), _font_configuration() as configuration:
        page = parsed(source)
        _turn_labels(page.etree_element)
        return bytes(page.write_pdf(font_config=configuration))


def as_png(drawings: Sequence[Drawing], templates: Templates, dots: int = DOTS_PER_INCH) -> Iterator[bytes]:
    """Yield each drawing as a PNG at this resolution; SettingsError if its package is missing."""
    require("pypdfium2", "pictures in PNG")
    if not drawings:
        return
    import pypdfium2

    document = pypdfium2.PdfDocument(as_pdf(drawings, templates))
    try:
        for page, drawing in zip(document, drawings, strict=True):
            ground = (255, 255, 255, 0 if drawing.clear else 255)
            picture = page.render(scale=dots / 72, fill_color=ground, maybe_alpha=drawing.clear).to_pil()
            page.close()
            file = io.BytesIO()
            picture.save(file, format="PNG", optimize=True, dpi=(dots, dots))
            yield file.getvalue()
    finally:
        document.close()


def require(package: str, what: str) -> None:
    """Check that an optional package is installed; the SettingsError contains the install command."""
    if find_spec(package) is None:
        raise SettingsError(f"{what} requires an extra package; run: {install_command(extra='docx')}")


def _length(text: str) -> float:
    found = _LENGTH.fullmatch(text.strip())
    return float(found[1]) / (tagging.POINTS if found[2] == "pt" else 1.0) if found else 0.0
