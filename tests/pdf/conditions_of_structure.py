"""Checkpoints 09, 13 to 15, 17 and 19: how elements are nested, and what they must say."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pikepdf
from matterhorn import both, condition, first, renamed, without
from pikepdf import Array, Dictionary, Name, String
from tagged_pdf import Content, Element, TaggedPdf

PARTS = ("THead", "TBody", "TFoot")
TABLE_KIDS = {
    "Table": {"Caption", "TR", *PARTS}, "THead": {"TR"}, "TBody": {"TR"}, "TFoot": {"TR"}, "TR": {"TH", "TD"}
}  # fmt: skip
TABLE_PARENTS = {"TR": {"Table", *PARTS}, "TH": {"TR"}, "TD": {"TR"}} | {part: {"Table"} for part in PARTS}
LIST_KIDS = {"L": {"Caption", "L", "LI"}, "LI": {"Lbl", "LBody"}}
LIST_PARENTS = {"LI": {"L"}, "LBody": {"LI"}}
CONTENTS_KIDS = {"TOC": {"Caption", "TOC", "TOCI"}, "TOCI": {"Lbl", "Reference", "NonStruct", "P", "TOC"}}
CONTENTS_PARENTS = {"TOCI": {"TOC"}}
RUBY = ({"Ruby": {"RB", "RT", "RP"}}, {"RB": {"Ruby"}, "RT": {"Ruby"}, "RP": {"Ruby", "Warichu"}})
WARICHU = ({"Warichu": {"WT", "WP"}}, {"WT": {"Warichu"}, "WP": {"Warichu"}})
NUMBERED = [f"H{level}" for level in range(1, 7)]


def _misplaced(pdf: TaggedPdf, kids: dict[str, set[str]], parents: dict[str, set[str]]) -> Iterator[str]:
    for element in pdf.elements:
        around = element.parent.kind if element.parent else ""
        if element.kind in parents and around not in parents[element.kind]:
            yield f"{element.kind} in {around}"
        if element.kind in kids:
            yield from (
                f"{kid.kind} in {element.kind}" for kid in element.elements if kid.kind not in kids[element.kind]
            )
            if any(isinstance(kid, Content) for kid in element.kids):
                yield f"content in {element.kind}"


@condition("09-004", renamed("TH", "P"))
def tables_against_the_grammar(pdf: TaggedPdf) -> Iterator[str]:
    yield from _misplaced(pdf, TABLE_KIDS, TABLE_PARENTS)
    for table in pdf.of("Table"):
        kinds = [kid.kind for kid in table.elements]
        if "Caption" in kinds[1:-1] or kinds.count("THead") > 1 or kinds.count("TFoot") > 1:
            yield f"a table of {kinds}"
        if {"THead", "TFoot"} & set(kinds) and "TBody" not in kinds:
            yield "a table of a head alone"


@condition("09-005", renamed("LI", "P"))
def lists_against_the_grammar(pdf: TaggedPdf) -> Iterator[str]:
    yield from _misplaced(pdf, LIST_KIDS, LIST_PARENTS)


@condition("09-006", renamed("P", "TOCI"))
def contents_against_the_grammar(pdf: TaggedPdf) -> Iterator[str]:
    yield from _misplaced(pdf, CONTENTS_KIDS, CONTENTS_PARENTS)


@condition("09-007", renamed("P", "RB"))
def ruby_against_the_grammar(pdf: TaggedPdf) -> Iterator[str]:
    yield from _misplaced(pdf, *RUBY)
    allowed = (["RB", "RT"], ["RB", "RP", "RT", "RP"])
    yield from ("Ruby" for each in pdf.of("Ruby") if [kid.kind for kid in each.elements] not in allowed)


@condition("09-008", renamed("P", "WT"))
def warichu_against_the_grammar(pdf: TaggedPdf) -> Iterator[str]:
    yield from _misplaced(pdf, *WARICHU)
    yield from ("Warichu" for each in pdf.of("Warichu") if [kid.kind for kid in each.elements] != ["WP", "WT", "WP"])


@condition("13-004", without("Figure", "Alt", "ActualText"))
def figures_without_words(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {each.page}" for each in pdf.of("Figure") if not (each.says("Alt") or each.says("ActualText")))


@condition("13-005", renamed("Figure", "Figure", ActualText=String("words")))
def figures_with_actual_text(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {each.page}" for each in pdf.of("Figure") if each.says("ActualText"))


def _headings(pdf: TaggedPdf) -> list[Element]:
    return pdf.of(*NUMBERED)


@condition("14-002", renamed("H1", "H2"))
def first_heading_of_a_lower_level(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.kind for each in _headings(pdf)[:1] if each.kind != "H1")


@condition("14-003", renamed("H2", "H4"))
def levels_left_out(pdf: TaggedPdf) -> Iterator[str]:
    for one, next_one in pairwise(_headings(pdf)):
        if int(next_one.kind[1]) > int(one.kind[1]) + 1:
            yield f"{next_one.kind} after {one.kind}: {pdf.text(next_one)[:40]!r}"


@condition("14-004", renamed("H2", "Heading"))
def headings_of_other_numerals(pdf: TaggedPdf) -> Iterator[str]:
    yield from (element.raw for element in pdf.elements if element.raw[:1] == "H" and element.raw not in NUMBERED)


def _in_one_node(pdf: pikepdf.Pdf) -> None:
    node = first(pdf, "H1")
    one, other = (pdf.make_indirect(Dictionary(S=Name.H, P=node["/P"], K=[])) for _ in range(2))
    node["/P"]["/K"] = Array([*node["/P"]["/K"], one, other])


@condition("14-006", _in_one_node)
def several_headings_in_a_node(pdf: TaggedPdf) -> Iterator[str]:
    yield from (each.kind for each in pdf.elements if [kid.kind for kid in each.elements].count("H") > 1)


@condition("14-007", renamed("H1", "H"))
def headings_of_both_kinds(pdf: TaggedPdf) -> Iterator[str]:
    if pdf.of("H") and _headings(pdf):
        yield "H and H1 to H6"


def _names(pdf: TaggedPdf) -> set[bytes]:
    """Return the names of elements as the tree of names has them."""
    held = pdf.catalog["/StructTreeRoot"].get("/IDTree", Dictionary()).get("/Names", [])
    return {bytes(held[place]) for place in range(0, len(held), 2)}


def _headers(cell: Element) -> set[bytes]:
    return {bytes(each) for each in cell.attribute("Headers") or []}


def _cells(table: Element, kind: str) -> list[Element]:
    return [each for each in table.walk() if each.kind == kind]


def _no_way_to_headers(pdf: pikepdf.Pdf) -> None:
    for table in TaggedPdf(pdf).of("Table"):
        for cell in [*_cells(table, "TH"), *_cells(table, "TD")]:
            cell.node["/A"] = Dictionary(O=Name.Table)


@condition("15-003", _no_way_to_headers)
def headers_that_do_not_say_where_they_hold(pdf: TaggedPdf) -> Iterator[str]:
    names = _names(pdf)
    for table in pdf.of("Table"):
        organised = all(_headers(cell) and _headers(cell) <= names for cell in _cells(table, "TD"))
        scopes = [str(cell.attribute("Scope")) for cell in _cells(table, "TH")]
        if not organised and not set(scopes) <= {"/Column", "/Row", "/Both"}:
            yield f"page {table.page}: {pdf.text(table)[:40]!r}"


def _one_cell_alone(pdf: pikepdf.Pdf) -> None:
    cell = TaggedPdf(pdf).of("TD")[0]
    cell.node["/A"]["/Headers"] = Array([String("nowhere")])


@condition("15-005", _one_cell_alone)
def cells_whose_headers_are_not_told(pdf: TaggedPdf) -> Iterator[str]:
    names = _names(pdf)
    heads = {bytes(cell.node["/ID"]): cell for cell in pdf.of("TH") if "/ID" in cell.node}
    for cell in pdf.of("TD"):
        told = _headers(cell)
        kinds = {str(heads[each].attribute("Scope")) for each in told & set(heads)}
        if not told or not told <= names & set(heads) or "/Column" not in kinds:
            yield f"page {cell.page}: {pdf.text(cell)[:40]!r} has {told}"


def _numbered_without_a_word(numbering: Any = None) -> Any:
    def add(pdf: pikepdf.Pdf) -> None:
        around = pdf.Root.StructTreeRoot.K[0]
        labels = [Dictionary(S=Name.Lbl, ActualText=String(text)) for text in "12"]
        items = [pdf.make_indirect(Dictionary(S=Name.LI, K=[pdf.make_indirect(label)])) for label in labels]
        made = pdf.make_indirect(Dictionary(S=Name.L, P=around, K=items))
        if numbering is not None:
            made["/A"] = Dictionary(O=Name.List, ListNumbering=numbering)
        around.K.append(made)

    return add


def _numbered(pdf: TaggedPdf) -> Iterator[tuple[int | None, Any]]:
    """Yield lists whose labels differ, each with its page and what it says of its numbers."""
    for each in pdf.of("L"):
        labels = [kid for item in each.elements for kid in item.elements if kid.kind == "Lbl"]
        if len({pdf.text(label) or label.says("ActualText") for label in labels}) > 1:
            yield each.page, each.attribute("ListNumbering")


@condition("16-001", _numbered_without_a_word())
def numbered_lists_that_do_not_say_so(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {page}" for page, numbering in _numbered(pdf) if numbering is None)


@condition("16-002", _numbered_without_a_word(Name.Disc))
def numbered_lists_of_bullets(pdf: TaggedPdf) -> Iterator[str]:
    known = ("/Decimal", "/UpperRoman", "/LowerRoman", "/UpperAlpha", "/LowerAlpha")
    yield from (
        f"page {page}" for page, numbering in _numbered(pdf) if numbering is not None and numbering not in known
    )


@condition("17-002", both(renamed("Figure", "Formula"), without("Formula", "Alt")))
def formulas_without_words(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {each.page}" for each in pdf.of("Formula") if not each.says("Alt"))


@condition("19-003", renamed("P", "Note"))
def notes_without_a_name(pdf: TaggedPdf) -> Iterator[str]:
    yield from (f"page {each.page}" for each in pdf.of("Note") if "/ID" not in each.node)


@condition("19-004", both(renamed("P", "Note", ID=String("a")), renamed("P", "Note", ID=String("a"))))
def notes_of_one_name(pdf: TaggedPdf) -> Iterator[str]:
    named: Counter[Any] = Counter(each.says("ID") for each in pdf.of("Note"))
    yield from (name for name, times in named.items() if times > 1)
