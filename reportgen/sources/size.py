"""Whether a source is so large that its rows are better counted in batches than held."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.sources.fetched import Fetched
from reportgen.sources.files import MANY_ROWS, parts_of, paths_of

MANY_BYTES = 40_000_000
"""Bytes of delimited files, which are some 40 a row."""

_FEW_BYTES = 1_000_000
"""A Parquet file of fewer is not looked into."""


def is_large(source: Any) -> bool:
    """Return whether a source has more rows than are held; no when that cannot be told without reading it."""
    if isinstance(source, Fetched):
        return source.rows > MANY_ROWS
    try:
        paths = paths_of(source)
        several = None if paths is None else parts_of(paths)
        if several is not None:
            return _are_large([part.path for part in several.files])
        return isinstance(paths, Path) and _are_large([paths])
    except (OSError, InputError):
        return False  # said where it is read


def _are_large(paths: list[Path]) -> bool:
    """Return whether files together are large."""
    suffix = paths[0].suffix.lower()
    size = sum(path.stat().st_size for path in paths)
    if suffix in (".csv", ".tsv"):
        return size > MANY_BYTES
    return suffix == ".parquet" and size > _FEW_BYTES and sum(map(_rows, paths)) > MANY_ROWS


def _rows(path: Path) -> int:
    """Return how many rows a Parquet file says it has; 0 when it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError, ValueError):  # a ValueError is a name that is not UTF-8
        return 0
