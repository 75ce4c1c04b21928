"""Rows of a text file that are exact copies of earlier ones, as when a file was exported or joined twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from reportgen.errors import shortened, write_command

TEXTS = frozenset({".csv", ".tsv", ".txt", ".jsonl"})

MOST_LINES = 2_000_000
"""Different lines that are compared: each takes some sixty bytes."""


def copies(source: Any) -> int:
    r"""Return how many lines of a file are exact copies of earlier ones.

    0 where that is not known: of frames, of files that are no plain text, of those whose values go over several lines.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "s.csv")
    ...     _ = file.write_text("id,h\n1,2\n2,2\n1,2\n")
    ...     copies(file)
    1
    """
    if not isinstance(source, str | Path) or Path(source).suffix.lower() not in TEXTS:
        return 0
    seen, found = set[bytes](), 0
    try:
        with Path(source).open("rb") as file:
            for line in file:
                text = line.rstrip(b"\r\n")
                if b"\0" in text or text.count(b'"') % 2 or len(seen) >= MOST_LINES:
                    return 0
                found += bool(text) and text in seen
                seen.add(text)
    except OSError:
        return 0
    return found


def copies_told(source: Any) -> str:
    """Return what is said of exact copies, and what drops them; nothing where there are none."""
    found = copies(source)
    if not found:
        return ""
    rows = (
        "1 row is an exact copy of an earlier one; drop it"
        if found == 1
        else (f"{found:,} rows are exact copies of earlier ones; drop them")
    )
    path = Path(source)
    name = str(path) if len(str(path)) <= 80 else shortened(path.name)
    return f"{rows}, as by: {write_command('awk', '!seen[$0]++', name)} > {write_command(f'once{path.suffix}')}"
