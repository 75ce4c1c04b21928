"""Convert character codes of a PDF to text with the ToUnicode maps of its fonts."""

from collections.abc import Iterator
from typing import Any

import pikepdf


def operators(stream: Any) -> Iterator[tuple[Any, str]]:
    """Yield the operands and the name of every operator of a stream."""
    for each in pikepdf.parse_content_stream(stream):
        yield each.operands, str(each.operator)


class ToUnicode:
    """The characters of a font's codes."""

    def __init__(self, font: Any) -> None:
        self.width = 2 if font.get("/Subtype") == "/Type0" else 1
        self.characters = dict(mappings(font["/ToUnicode"])) if "/ToUnicode" in font else {}

    def codes(self, shown: bytes) -> Iterator[int]:
        """Yield the codes of a string."""
        for start in range(0, len(shown), self.width):
            yield int.from_bytes(shown[start : start + self.width], "big")

    def text(self, code: int) -> str:
        """Return the characters of a code; empty if the font has no entry."""
        return self.characters.get(code, "")


def mappings(stream: Any) -> Iterator[tuple[int, str]]:
    """Yield each code of a ToUnicode map with its characters."""
    for operands, operator in operators(stream):
        if operator == "endbfchar":
            for code, text in zip(operands[::2], operands[1::2], strict=True):
                yield _number(code), _characters(text)
        elif operator == "endbfrange":
            for first, last, text in zip(operands[::3], operands[1::3], operands[2::3], strict=True):
                yield from _of_range(_number(first), _number(last), text)


def _of_range(first: int, last: int, text: Any) -> Iterator[tuple[int, str]]:
    for step in range(last - first + 1):
        if isinstance(text, pikepdf.Array):
            yield first + step, _characters(text[step])
        else:
            start = _characters(text)
            yield first + step, start[:-1] + chr(ord(start[-1]) + step)


def _number(string: Any) -> int:
    return int.from_bytes(bytes(string), "big")


def _characters(string: Any) -> str:
    return bytes(string).decode("utf-16-be")
