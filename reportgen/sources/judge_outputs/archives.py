"""The JSON files in a ZIP archive, read one at a time, Zstandard included, which Python's own reader may lack."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.machine.memory import refuse_above
from reportgen.sources.json_texts import MEMORY_OF_BYTE, json_of

ZSTANDARD = 93
BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTANDARD)
"""Compressions that are unpacked to no more than the declared size."""

LARGEST = 1 << 29
"""Bytes of all files of an archive together, unpacked; more is no log."""

MOST = 200_000
"""Files in an archive; more are no log."""

_LOCAL_HEADER = struct.Struct("<26xHH")
"""Lengths of name and extra field, where the header before a file's bytes says them (PKWARE APPNOTE 4.3.7)."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, OSError, EOFError, ValueError)


class Archive:
    """A ZIP archive of JSON files.

    Raises
    ------
    InputError
        It is damaged, or holds more than any log, or than a run may take.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with zipfile.ZipFile(path) as archive:
                infos = archive.infolist()
        except _DAMAGED as error:
            raise InputError(f"not a readable archive: {_said(error)}.") from None
        declared = sum(info.file_size for info in infos)
        if declared > LARGEST or len(infos) > MOST:
            raise InputError(
                f"the archive declares {len(infos):,} files of {declared / (1 << 20):,.0f} MiB; expected {MOST:,} "
                f"files and {LARGEST >> 20} MiB at most; export fewer samples into it."
            )
        refuse_above(declared * MEMORY_OF_BYTE, "reading it needs", "export fewer samples")
        self._infos = {info.filename: info for info in infos}

    @property
    def names(self) -> list[str]:
        """The files in it, in order."""
        return list(self._infos)

    def parsed(self, names: list[str]) -> Iterator[Any]:
        """Yield the contents of the named files.

        Raises
        ------
        InputError
            One is damaged, encrypted, or compressed in a way that cannot be read.
        """
        try:
            with zipfile.ZipFile(self._path) as archive, self._path.open("rb") as raw:
                for name in names:
                    info = self._infos[name]
                    if info.compress_type not in BOUNDED or info.flag_bits & 1:
                        raise InputError("the archive is encrypted or compressed unusually; expected deflate or zstd.")
                    packed = info.compress_type == ZSTANDARD
                    yield json_of(_unpacked(raw, info) if packed else _inflated(archive, info))
        except _DAMAGED as error:
            raise InputError(f"the archive cannot be read: {_said(error)}.") from None


def _inflated(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a file, no more than are declared; checked against its sum."""
    with archive.open(info) as file:
        found = file.read(info.file_size)
        file.read(1)  # the sum is compared at the end
    return found


def _unpacked(raw: Any, info: zipfile.ZipInfo) -> bytes:
    """Return the bytes of a file compressed with Zstandard."""
    import pyarrow as pa

    end = raw.seek(0, 2)
    raw.seek(info.header_offset)
    name, extra = _LOCAL_HEADER.unpack(raw.read(_LOCAL_HEADER.size))
    raw.seek(info.header_offset + _LOCAL_HEADER.size + name + extra)
    found = pa.decompress(raw.read(min(info.compress_size, end)), info.file_size, codec="zstd", asbytes=True)
    return bytes(found)


def _said(error: Exception) -> str:
    """Return what a library says of a damaged archive."""
    return " ".join(str(error).split()).rstrip(".")[:120] or "it is damaged"
