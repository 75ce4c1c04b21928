"""Damage bytes: flipped bits, lost and repeated ranges, pieces of other files, and other encodings."""

from collections.abc import Callable

from fuzz.pieces import Draw

ALIEN = (
    b"\x00", b"\xff", b'"', b"'", b"\n", b"\r", b"\r\n", b",", b";", b"\t", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"{",
    b"[",
    b"}", b"]", b"#", b"1e999", b"\x1b",
)  # fmt: skip
WHOLE = ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32")
PARTIAL = ("latin-1", "cp1252", "utf-7")


def _flip(draw: Draw, data: bytearray, at: int) -> None:
    data[at] ^= 1 << draw.randrange(8)


def _change(draw: Draw, data: bytearray, at: int) -> None:
    data[at] = draw.randrange(256)


def _lose(draw: Draw, data: bytearray, at: int) -> None:
    del data[at : at + draw.choice([1, 2, 7, 80, 800])]


def _put_in(draw: Draw, data: bytearray, at: int) -> None:
    data[at:at] = draw.choice([*ALIEN, draw.text().encode("utf-8", "surrogatepass")])


def _double(draw: Draw, data: bytearray, at: int) -> None:
    data[at:at] = data[at : at + draw.choice([1, 5, 60, 600])]


def _end(draw: Draw, data: bytearray, at: int) -> None:
    if draw.happens(0.3):
        del data[at:]


def _swap(draw: Draw, data: bytearray, at: int) -> None:
    to = draw.randrange(len(data))
    data[at : at + 8], data[to : to + 8] = data[to : to + 8], data[at : at + 8]


FAULTS: tuple[Callable[[Draw, bytearray, int], None], ...] = (_flip, _change, _lose, _put_in, _double, _end, _swap)


def spoilt(draw: Draw, data: bytes, most: int = 4) -> bytes:
    """Return the data with one to `most` faults."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, most)):
        if changed:
            draw.choice(FAULTS)(draw, changed, draw.randrange(len(changed)))
    return bytes(changed)


def encoded(draw: Draw, text: str) -> bytes:
    """Encode a text as UTF-8, sometimes in another encoding."""
    if draw.happens(0.6):
        return text.encode("utf-8", "surrogatepass")
    if draw.happens(0.6):
        return text.encode(draw.choice(WHOLE), "surrogatepass")
    return text.encode(draw.choice(PARTIAL), "replace")
