"""The failure conditions of the Matterhorn Protocol 1.1 that are decided here, each under its number.

A condition is a check, which yields what is wrong with a PDF, and a way to spoil a good PDF so that the check must find
something.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pikepdf
from tagged_pdf import TaggedPdf

Check = Callable[[TaggedPdf], Iterator[str]]
Spoil = Callable[[pikepdf.Pdf], object]


@dataclass(frozen=True)
class Condition:
    """One failure condition."""

    check: Check
    spoil: Spoil


CONDITIONS: dict[str, Condition] = {}
"""Number -> condition."""


def condition(number: str, spoil: Spoil) -> Callable[[Check], Check]:
    """Register the check of a condition under its number, with what makes a PDF fail it."""

    def register(check: Check) -> Check:
        assert number not in CONDITIONS
        CONDITIONS[number] = Condition(check, spoil)
        return check

    return register


def paint(content: bytes) -> Spoil:
    """Return what adds operators to the first page; the font F is the first that the page has."""

    def add(pdf: pikepdf.Pdf) -> None:
        font = next(iter(pdf.pages[0].obj.Resources.Font.keys()))
        pdf.pages[0].contents_add(content.replace(b"/F ", font.encode() + b" "))

    return add


def note(subtype: str, **entries: Any) -> Spoil:
    """Return what adds an annotation to the first page."""

    def add(pdf: pikepdf.Pdf) -> None:
        made = pikepdf.Dictionary(Type=pikepdf.Name.Annot, Subtype=pikepdf.Name(f"/{subtype}"), Rect=[0, 0, 9, 9])
        for key, value in entries.items():
            made[f"/{key}"] = value
        page = pdf.pages[0].obj
        page["/Annots"] = pikepdf.Array([*page.get("/Annots", []), pdf.make_indirect(made)])

    return add


def catalog(**entries: Any) -> Spoil:
    """Return what changes entries of the catalog; None removes one."""

    def change(pdf: pikepdf.Pdf) -> None:
        for key, value in entries.items():
            if value is None:
                del pdf.Root[f"/{key}"]
            else:
                pdf.Root[f"/{key}"] = value

    return change


def first(pdf: pikepdf.Pdf, kind: str) -> Any:
    """Return the first element of a kind, as the PDF holds it."""
    return TaggedPdf(pdf).of(kind)[0].node


def renamed(kind: str, new: str, **entries: Any) -> Spoil:
    """Return what turns the first element of a kind into another kind, with further entries."""

    def rename(pdf: pikepdf.Pdf) -> None:
        node = first(pdf, kind)
        node["/S"] = pikepdf.Name(f"/{new}")
        for key, value in entries.items():
            node[f"/{key}"] = value

    return rename


def without(kind: str, *names: str) -> Spoil:
    """Return what removes entries of the first element of a kind."""

    def remove(pdf: pikepdf.Pdf) -> None:
        node = first(pdf, kind)
        for name in names:
            if f"/{name}" in node:
                del node[f"/{name}"]

    return remove


def both(*spoils: Spoil) -> Spoil:
    """Return what spoils in several ways."""
    return lambda pdf: [spoil(pdf) for spoil in spoils]


def dictionaries(pdf: pikepdf.Pdf) -> Iterator[Any]:
    """Yield every dictionary of a PDF, also those that stand within others, and of streams."""
    seen: set[tuple[int, int]] = set()
    waiting: list[Any] = [pdf.trailer]
    while waiting:
        each = waiting.pop()
        if not isinstance(each, pikepdf.Dictionary | pikepdf.Array | pikepdf.Stream):
            continue
        if each.is_indirect:
            if each.objgen in seen:
                continue
            seen.add(each.objgen)
        if isinstance(each, pikepdf.Array):
            waiting += list(each)
            continue
        yield each
        waiting += [value for _, value in each.items()]
