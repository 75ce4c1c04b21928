"""Writes the smallest .sas7bdat files a reader takes: 32 bits, little-endian, not compressed.

The layout is that of Shotwell (2014), SAS7BDAT Database Binary Format.
"""

import struct
from collections.abc import Mapping, Sequence

PAGE, HEADER = 4096, 1024
MAGIC = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
WIDTH = 8
"""Bytes of every value."""


def sas_file(columns: Mapping[str, Sequence[str | float]]) -> bytes:
    """Return a file of text columns (at most 8 Latin-1 letters a value) and number columns."""
    rows = list(zip(*columns.values(), strict=True))
    header = bytearray(HEADER)
    header[: len(MAGIC)] = MAGIC
    header[37], header[70] = 1, 29  # little-endian, Latin-1
    struct.pack_into("<III", header, 196, HEADER, PAGE, 2)
    return bytes(header) + _metadata(columns, len(rows)) + _data(rows)


def _metadata(columns: Mapping[str, Sequence[str | float]], n_rows: int) -> bytes:
    """Return the page that says what the columns are."""
    row_size = bytearray(480)
    struct.pack_into("<I", row_size, 0, 0xF7F7F7F7)
    struct.pack_into("<II", row_size, 20, WIDTH * len(columns), n_rows)
    struct.pack_into("<I", row_size, 36, len(columns))
    column_size = struct.pack("<III", 0xF6F6F6F6, len(columns), 0)
    names, text = bytearray(12), bytearray(60)  # the first bytes of the text are the proper place of other things
    attributes, formats = bytearray(12), list[bytes]()
    struct.pack_into("<I", names, 0, 0xFFFFFFFF)
    struct.pack_into("<I", attributes, 0, 0xFFFFFFFC)
    for number, (name, values) in enumerate(columns.items()):
        names += struct.pack("<HHHH", 0, len(text), len(name), 0)
        text += name.encode("latin-1").ljust(4 * -(-len(name) // 4), b"\0")
        kind = 2 if isinstance(values[0], str) else 1
        attributes += struct.pack("<IIHBB", number * WIDTH, WIDTH, 4, kind, 0)
        formats.append(struct.pack("<I", 0xFFFFFBFE) + bytes(48))
    struct.pack_into("<H", text, 0, len(text))
    text_block = struct.pack("<I", 0xFFFFFFFD) + text
    headers = [row_size, column_size, text_block, names + bytes(8), attributes + bytes(8), *formats]
    return _page(0, 0, [bytes(header) for header in headers])


def _page(kind: int, n_rows: int, headers: Sequence[bytes]) -> bytes:
    """Return a page of subheaders, which are at its end, with pointers to them at its beginning."""
    page, end = bytearray(PAGE), PAGE
    struct.pack_into("<HHH", page, 16, kind, n_rows or len(headers), len(headers))
    for number, header in enumerate(headers):
        end -= len(header)
        page[end : end + len(header)] = header
        struct.pack_into("<IIBB", page, 24 + 12 * number, end, len(header), 0, 0)
    return bytes(page)


def _data(rows: Sequence[Sequence[str | float]]) -> bytes:
    """Return the page of the rows."""
    page = bytearray(_page(0x0100, len(rows), ()))
    for number, value in enumerate(value for row in rows for value in row):
        packed = value.encode("latin-1").ljust(WIDTH) if isinstance(value, str) else struct.pack("<d", value)
        page[24 + WIDTH * number : 24 + WIDTH * (number + 1)] = packed
    return bytes(page)
