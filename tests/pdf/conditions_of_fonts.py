"""Checkpoint 31: every font that a page uses.

WeasyPrint embeds each as a composite font (Type 0, Identity-H). What the protocol asks of Type 1 fonts and of simple
TrueType fonts holds because there are none, and that is what is checked.
"""

import io
import re
from collections.abc import Iterator
from typing import Any

import pikepdf
from fontTools.ttLib import TTFont
from matterhorn import condition, paint
from pdf_text import mappings
from pikepdf import Array, Dictionary, Name, String
from tagged_pdf import UNSEEN, TaggedPdf

IDENTITY = ("/Identity-H", "/Identity-V")
PREDEFINED = re.compile(
    r"/(GB-EUC|GBpc-EUC|GBK-EUC|GBKp-EUC|GBK2K|UniGB-(UCS2|UTF16)|B5pc|HKscs-B5|ETen-B5|ETenms-B5|CNS-EUC|"
    r"UniCNS-(UCS2|UTF16)|83pv-RKSJ|90ms-RKSJ|90msp-RKSJ|90pv-RKSJ|Add-RKSJ|EUC|Ext-RKSJ|UniJIS-(UCS2|UTF16|UCS2-HW)|"
    r"KSC-EUC|KSCms-UHC|KSCms-UHC-HW|KSCpc-EUC|UniKS-(UCS2|UTF16)|Identity)-[HV]|/[HV]"
)
"""The names of ISO 32000-1, Table 118, from memory."""
ZERO, REVERSED = "\0", ("\ufeff", "\ufffe")
UNIT = 1.0
"""How far a width may be from that of the font's program, in thousandths."""


class Used:
    """A font with the codes that pages show of it."""

    def __init__(self, font: Any) -> None:
        self.font = font
        self.codes: set[int] = set()
        self.kind = str(font["/Subtype"])
        self.composite = self.kind == "/Type0"
        self.inner = font["/DescendantFonts"][0] if self.composite else font
        self.descriptor = self.inner.get("/FontDescriptor", Dictionary())

    @property
    def name(self) -> str:
        """The name of the font."""
        return str(self.font.get("/BaseFont", ""))

    @property
    def program(self) -> Any:
        """The stream of the font's program, or None."""
        return next(
            (self.descriptor[key] for key in ("/FontFile2", "/FontFile3", "/FontFile") if key in self.descriptor), None
        )

    def opened(self) -> TTFont:
        """Return the font's program."""
        return TTFont(io.BytesIO(self.program.read_bytes()))


def fonts(pdf: TaggedPdf) -> list[Used]:
    """Return the fonts that pages use for text that is seen."""
    found: dict[Any, Used] = {}
    for each in pdf.painted:
        if each.font is not None and each.mode != UNSEEN:
            found.setdefault(each.font.objgen, Used(each.font)).codes.update(each.codes)
    return list(found.values())


def changed(**entries: Any) -> Any:
    """Return what changes entries of all fonts that are used; the first letter says in which dictionary."""

    def change(pdf: pikepdf.Pdf) -> None:
        for used in fonts(TaggedPdf(pdf)):
            for key, value in entries.items():
                place = {"t": used.font, "i": used.inner, "d": used.descriptor}[key[0]]
                made = pdf.make_stream(value) if isinstance(value, bytes) else value
                if made is not None:
                    place[f"/{key[1:]}"] = made
                elif f"/{key[1:]}" in place:
                    del place[f"/{key[1:]}"]

    return change


def _maps(pdf: TaggedPdf) -> Iterator[tuple[Used, Any]]:
    """Yield fonts whose codes are not the numbers of glyphs, with their map."""
    yield from (
        (each, each.font["/Encoding"])
        for each in fonts(pdf)
        if each.composite and each.font["/Encoding"] not in IDENTITY
    )


def _systems(pdf: TaggedPdf, key: str) -> Iterator[tuple[str, Any, Any]]:
    for each, mapped in _maps(pdf):
        if isinstance(mapped, pikepdf.Stream):
            yield each.name, each.inner["/CIDSystemInfo"][key], mapped.get("/CIDSystemInfo", Dictionary()).get(key)


def _mapped(registry: str = "Adobe", ordering: str = "Identity", supplement: int = 0, **entries: Any) -> Any:
    def change(pdf: pikepdf.Pdf) -> None:
        system = Dictionary(Registry=String(registry), Ordering=String(ordering), Supplement=supplement)
        made = pdf.make_stream(entries.pop("content", b""), CIDSystemInfo=system, **entries)
        changed(tEncoding=made)(pdf)

    return change


@condition("31-001", _mapped(registry="Other"))
def maps_of_another_registry(pdf: TaggedPdf) -> Iterator[str]:
    yield from (name for name, own, other in _systems(pdf, "/Registry") if own != other)


@condition("31-002", _mapped(ordering="Other"))
def maps_of_another_order(pdf: TaggedPdf) -> Iterator[str]:
    yield from (name for name, own, other in _systems(pdf, "/Ordering") if own != other)


@condition("31-003", _mapped(supplement=9))
def maps_of_a_later_supplement(pdf: TaggedPdf) -> Iterator[str]:
    yield from (name for name, own, other in _systems(pdf, "/Supplement") if int(own) < int(other or 0))


def _true_type(pdf: TaggedPdf) -> list[Used]:
    return [each for each in fonts(pdf) if each.composite and each.inner["/Subtype"] == "/CIDFontType2"]


@condition("31-004", changed(iSubtype=Name.CIDFontType2, iCIDToGIDMap=Name.Other))
def glyphs_by_an_unknown_map(pdf: TaggedPdf) -> Iterator[str]:
    for each in _true_type(pdf):
        mapped = each.inner.get("/CIDToGIDMap", Name.Identity)
        if not isinstance(mapped, pikepdf.Stream) and mapped != Name.Identity:
            yield each.name


@condition("31-005", changed(iSubtype=Name.CIDFontType2, iCIDToGIDMap=None))
def glyphs_by_no_map(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.name for each in _true_type(pdf) if "/CIDToGIDMap" not in each.inner)


@condition("31-006", changed(tEncoding=Name.Other))
def maps_that_are_not_there(pdf: TaggedPdf) -> Iterator[str]:
    for each, mapped in _maps(pdf):
        if not isinstance(mapped, pikepdf.Stream) and not PREDEFINED.fullmatch(str(mapped)):
            yield each.name


@condition("31-007", _mapped(WMode=1, content=b"/WMode 0 def"))
def maps_of_two_directions(pdf: TaggedPdf) -> Iterator[str]:
    for each, mapped in _maps(pdf):
        if isinstance(mapped, pikepdf.Stream):
            told = re.search(rb"/WMode\s+(\d)", mapped.read_bytes())
            if int(mapped.get("/WMode", 0)) != int(told[1] if told else 0):
                yield each.name


@condition("31-008", _mapped(UseCMap=Name.Other))
def maps_of_unknown_maps(pdf: TaggedPdf) -> Iterator[str]:
    for each, mapped in _maps(pdf):
        if isinstance(mapped, pikepdf.Stream) and "/UseCMap" in mapped:
            used = mapped["/UseCMap"]
            if isinstance(used, pikepdf.Stream) or not PREDEFINED.fullmatch(str(used)):
                yield each.name


@condition("31-009", changed(dFontFile2=None, dFontFile3=None))
def fonts_left_out(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.name for each in fonts(pdf) if each.kind != "/Type3" and each.program is None)


@condition("31-011", paint(b"/Artifact BMC BT /F 1 Tf <fffe> Tj ET EMC"))
def glyphs_left_out(pdf: TaggedPdf) -> Iterator[str]:
    for each in fonts(pdf):
        if each.composite and each.program is not None:
            many = each.opened()["maxp"].numGlyphs
            yield from (f"{each.name}: glyph {code} of {many}" for code in each.codes if code >= many)


def _simple(kind: str) -> Any:
    return changed(tSubtype=Name(f"/{kind}"))


def _type_1(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.name for each in fonts(pdf) if each.kind in ("/Type1", "/MMType1"))


def _simple_true_type(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.name for each in fonts(pdf) if each.kind == "/TrueType")


for number in ("31-012", "31-013"):
    condition(number, _simple("Type1"))(_type_1)
for number in (f"31-0{place}" for place in range(17, 27)):
    condition(number, _simple("TrueType"))(_simple_true_type)


def _listed(pdf: TaggedPdf) -> Iterator[tuple[Used, set[int], set[int]]]:
    """Yield fonts that list their glyphs, with those of the list and those of the program that are drawn."""
    for each in fonts(pdf):
        if "/CIDSet" in each.descriptor:
            bits = each.descriptor["/CIDSet"].read_bytes()
            listed = {8 * place + bit for place, byte in enumerate(bits) for bit in range(8) if byte >> (7 - bit) & 1}
            yield each, listed, set(range(each.opened()["maxp"].numGlyphs))


@condition("31-014", changed(dCIDSet=b"\x80"))
def glyphs_that_are_not_listed(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.name for each, listed, held in _listed(pdf) if held - listed)


@condition("31-015", changed(dCIDSet=b"\xff" * 9000))
def listed_glyphs_that_are_not_there(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.name for each, listed, held in _listed(pdf) if listed - held)


def _widths(widths: Any) -> Iterator[tuple[int, float]]:
    """Yield the widths that a composite font tells, by the number of the glyph."""
    place = 0
    while place < len(widths):
        start, following = int(widths[place]), widths[place + 1]
        if isinstance(following, Array):
            yield from ((start + step, float(width)) for step, width in enumerate(following))
            place += 2
        else:
            yield from ((glyph, float(widths[place + 2])) for glyph in range(start, int(following) + 1))
            place += 3


@condition("31-016", changed(iW=Array([0, 9999, 5000])))
def widths_of_other_fonts(pdf: TaggedPdf) -> Iterator[str]:
    for each in fonts(pdf):
        if each.composite and each.program is not None:
            program, told = each.opened(), dict(_widths(each.inner.get("/W", [])))
            names, unit = program.getGlyphOrder(), program["head"].unitsPerEm / 1000
            for code in each.codes:
                own = program["hmtx"][names[code]][0] / unit if code < len(names) else 0
                if abs(own - told.get(code, float(each.inner.get("/DW", 1000)))) > UNIT:
                    yield f"{each.name}: glyph {code}, {own} and {told.get(code)}"


@condition("31-027", changed(tToUnicode=None))
def fonts_without_characters(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.name for each in fonts(pdf) if "/ToUnicode" not in each.font)


def _characters(text: bytes) -> Any:
    return changed(tToUnicode=b"1 beginbfchar <0001> <" + text + b"> endbfchar")


def _texts(pdf: TaggedPdf) -> Iterator[tuple[str, str]]:
    for each in fonts(pdf):
        if "/ToUnicode" in each.font:
            yield from ((each.name, text) for _, text in mappings(each.font["/ToUnicode"]))


@condition("31-028", _characters(b"0000"))
def codes_that_stand_for_nothing(pdf: TaggedPdf) -> Iterator[str]:
    yield from (name for name, text in _texts(pdf) if ZERO in text)


@condition("31-029", _characters(b"FEFF"))
def codes_that_stand_for_marks_of_order(pdf: TaggedPdf) -> Iterator[str]:
    yield from (name for name, text in _texts(pdf) if any(each in text for each in REVERSED))


@condition("31-030", paint(b"/Artifact BMC BT /F 1 Tf <0000> Tj ET EMC"))
def glyphs_for_what_is_missing(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.name for each in fonts(pdf) if each.composite and 0 in each.codes)
