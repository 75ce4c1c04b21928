"""The JSON files in a ZIP archive, read one at a time, Zstandard included, which Python's own reader may lack."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reportgen.errors import InputError

ZSTANDARD = 93
LARGEST = 1 << 30
"""A file of more bytes than this is no log of one sample."""

_LOCAL_HEADER = struct.Struct("<26xHH")
"""Lengths of name and extra field, where the header before a file's bytes says them (PKWARE APPNOTE 4.3.7)."""


class Archive:
    """A ZIP archive of JSON files."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with zipfile.ZipFile(path) as archive:
                self._infos = {info.filename: info for info in archive.infolist()}
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise InputError(f"not a readable archive: {str(error).rstrip('.')}.") from None

    @property
    def names(self) -> list[str]:
        """The files in it, in order."""
        return list(self._infos)

    def parsed(self, names: list[str]) -> Iterator[Any]:
        """Yield the contents of the named files.

        Raises
        ------
        InputError
            One is damaged, too large, or compressed in a way that cannot be read.
        """
        try:
            with zipfile.ZipFile(self._path) as archive, self._path.open("rb") as raw:
                for name in names:
                    info = self._infos[name]
                    if info.file_size > LARGEST:
                        raise InputError(
                            f"'{name[:60]}' in the archive has {info.file_size:,} bytes; too many to read."
                        )
                    packed = info.compress_type == ZSTANDARD
                    yield json.loads(_unpacked(raw, info) if packed else archive.read(info))
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, RecursionError, struct.error) as error:
            raise InputError(f"the archive cannot be read: {' '.join(str(error).split())[:120]}.") from None


def _unpacked(raw: Any, info: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a file compressed with Zstandard."""
    import pyarrow as pa

    raw.seek(info.header_offset)
    name, extra = _LOCAL_HEADER.unpack(raw.read(_LOCAL_HEADER.size))
    raw.seek(info.header_offset + _LOCAL_HEADER.size + name + extra)
    found = pa.decompress(raw.read(info.compress_size), info.file_size, codec="zstd", asbytes=True)
    return bytes(found)
