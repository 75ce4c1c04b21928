"""Manage the folder of a report: its own files, when it can be replaced, and CSV files that no spreadsheet executes.

A run that fails leaves the folder unchanged. Files that are not part of the report stay.
"""

from __future__ import annotations

import csv
import filecmp
import hashlib
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from reportgen.errors import InputError, OutputError
from reportgen.storing import RESULTS_FILE, Replaces, check_replaceable, in_the_way, replaced

if TYPE_CHECKING:
    from reportgen.results import Table

SHARED = "plotly.html"  # a file that reports may share; without others it is not a report

ATTESTATION = "attestation.json"  # the statement of `reportgen attest` about the other files and the verdict

REFERENCES = ("references.bib", "references.json")  # the works behind a report's numbers, as BibTeX and as CSL-JSON

OWN_FILES = (
    "report.html", "report.pdf", "report.docx", "brief.pdf", "report.ipynb", *REFERENCES, SHARED, RESULTS_FILE,
    "config.toml", "completed.csv", "packet_card.md", ATTESTATION,
)  # fmt: skip
"""The files of a report, in addition to its folder of tables."""

TABLES = "tables"


def _refuse(folder: Path, force: bool) -> None:
    blocked = [name for name in OWN_FILES if (folder / name).is_dir()]
    if (folder / TABLES).is_symlink() or ((folder / TABLES).exists() and not (folder / TABLES).is_dir()):
        blocked.append(TABLES)
    if blocked:
        raise in_the_way(folder / blocked[0])
    there = [name for name in (*OWN_FILES, TABLES) if name != SHARED and (folder / name).exists()]
    if there and not force:
        raise OutputError(
            f"'{folder}' already contains a report ({there[0]}); choose another folder, or add --force to overwrite."
        )


def check(folder: Path, force: bool = False, refuse: Callable[[Path, bool], None] = _refuse) -> None:
    """Reject a folder that cannot receive a report; `force` allows replacing an existing report."""
    check_writable(folder)
    check_replaceable(folder)
    refuse(folder, force)


def check_writable(folder: Path) -> None:
    """Reject a folder that is not writable; it need not exist."""
    try:
        folder.resolve()
        if folder.is_symlink() and not folder.exists():
            raise OutputError(f"'{folder}' is a broken symbolic link; choose another folder for the report.")
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"'{folder}' is a file; choose a folder for the report.")
        home = next((place for place in (folder, *folder.absolute().parents) if place.exists()), folder)
    except (OSError, RuntimeError, ValueError) as error:  # too long, a loop of links, a null byte
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"'{folder}' cannot be a folder ({reason}); choose another folder for the report.") from None
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise OutputError(f"'{home}' is not a writable folder; choose another folder for the report.")


@contextmanager
def staged(
    folder: Path, force: bool = False, replaces: Replaces | None = None, refuse: Callable[[Path, bool], None] = _refuse
) -> Iterator[Path]:
    """Yield an empty folder that replaces `folder` if the block succeeds, and is deleted otherwise.

    With `force`, the files of an existing report are replaced; all other files stay. If it has the same results, its
    pages and tables without a successor also stay. `replaces` and `refuse` are for folders of other files.
    """
    check(folder, force, refuse)
    folder = folder.absolute()

    def is_replaced(new: Path, place: PurePosixPath) -> bool:
        fresh, old = new / RESULTS_FILE, folder / RESULTS_FILE  # of the old file, only bytes are read
        there = fresh.is_file() and old.is_file() and not old.is_symlink()
        return _is_own(new, place) and not (there and filecmp.cmp(fresh, old, shallow=False))

    with replaced(folder, replaces or is_replaced, lambda: refuse(folder, force)) as new:
        yield new


def _is_own(new: Path, place: PurePosixPath) -> bool:
    is_table = place.parent.name == TABLES and place.suffix == ".csv"
    home = place.parent.parent if is_table else place.parent
    return (is_table or place.name in OWN_FILES) and (not home.parts or (new / home / RESULTS_FILE).is_file())


def listed(folder: Path, tables: Iterable[Table], prefix: str = "") -> tuple[str, ...]:
    """Return the names of a report's files in a folder, without the attestation; `prefix` is of files but tables."""
    names = [f"{prefix}{name}" for name in OWN_FILES if name != ATTESTATION]
    names += sorted(f"{TABLES}/{table.file_name}" for table in tables)
    return tuple(name for name in names if os.path.lexists(folder / name))


def place_of(name: str) -> PurePosixPath:
    """Return the path of a report file from its name.

    >>> str(place_of("tables/by_group.csv"))
    'tables/by_group.csv'
    """
    place = PurePosixPath(name)
    if str(place) != name or not name.isprintable() or any(part[0] in "./" or "\\" in part for part in place.parts):
        raise ValueError(name)
    return place


def sha256_at(folder: Path, place: PurePosixPath) -> str | None:
    """Return the SHA-256 of a file in a folder, or None if it does not exist. Errors are those of `content_at`."""
    content = content_at(folder, place)
    return None if content is None else hashlib.sha256(content).hexdigest()


def content_at(folder: Path, place: PurePosixPath, most: int | None = None) -> bytes | None:
    """Return the content of a file in a folder, or None if it does not exist."""
    path = folder / place
    steps = [folder.joinpath(*place.parts[:number]) for number in range(1, len(place.parts) + 1)]
    try:
        if not os.path.lexists(path):
            return None
        if any(step.is_symlink() for step in steps) or not path.is_file():
            raise InputError(f"'{path}' is not a regular file; replace it with a regular file.")
        with path.open("rb") as file:
            content = file.read() if most is None else file.read(most + 1)
    except OSError as error:
        raise InputError(f"'{path}' cannot be read: {error.strerror or error}.") from None
    if most is not None and len(content) > most:
        raise InputError(f"'{path}' is larger than {most:,} bytes; is it another file?")
    return content


@dataclass(frozen=True)
class Writing:
    """Where and how to write a report.

    Without a `folder`, nothing is written; `tables_only` omits the pages, and `force` replaces an existing report.
    `kernel` executes the notebook (None: this process); `command` is the command line, for the provenance. File names
    start with `prefix`. `home` is the final location of the report, if it differs from the folder: paths in its
    settings are relative to it. `above` means that the files that reports share are in the parent folder.
    """

    folder: Path | None = None
    tables_only: bool = False
    force: bool = False
    kernel: str | None = None
    command: str = ""
    prefix: str = ""
    home: Path | None = None
    above: bool = False


_FORMULA = re.compile(
    r"(?:^|[;\t\r\n])(?=[\s\x00-\x1f\u200b\ufeff]*([=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b][^;\t\r\n]*))|^(?=[\t\r\n])"
)
"""Positions where a spreadsheet could start a formula: the beginning, and after a possible cell separator."""


def write_tables(tables: Iterable[Table], folder: Path) -> None:
    """Write every table to ``folder/<key>.csv``, unrounded, UTF-8; an estimate has the columns value, low, high, n."""
    folder.mkdir(parents=True, exist_ok=True)
    for table in tables:
        (folder / table.file_name).write_text(csv_text(table), encoding="utf-8", newline="")


def csv_text(table: Table) -> str:
    """Write a table as CSV text."""
    header, body = table.flat()
    return csv_of([header, *body])


def csv_of(rows: Iterable[Iterable[Any]]) -> str:
    """Write rows as CSV text that no spreadsheet executes; None is a blank cell."""
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(map(harmless, row) for row in rows)
    return file.getvalue()


def says(text: str, table: Table) -> bool:
    """Return whether a CSV text matches a table, in any words for its terms."""
    from reportgen.results import Term

    _, body = table.flat()
    try:
        lines = list(csv.reader(io.StringIO(text, newline="")))
    except (ValueError, csv.Error):
        return False
    expected = list(csv.reader(io.StringIO(csv_text(table), newline="")))
    free = [[False] * len(line) for line in expected[:1]] + [[isinstance(cell, Term) for cell in line] for line in body]
    return [len(line) for line in lines] == [len(line) for line in expected] and all(
        found == written or said
        for line in zip(lines, expected, free, strict=True)
        for found, written, said in zip(*line, strict=True)
    )


def harmless(cell: Any) -> Any:
    """Make a cell safe for spreadsheets: text that looks like a formula gets an apostrophe in front.

    >>> harmless("=cmd()"), harmless("a;\uff1d1+1"), harmless("-1.5"), harmless(-1.5), harmless("female")
    ("'=cmd()", "a;'\uff1d1+1", '-1.5', -1.5, 'female')
    """
    return _FORMULA.sub(_with_apostrophe, cell) if isinstance(cell, str) else cell


def _with_apostrophe(found: re.Match[str]) -> str:
    try:
        float(found[1] or "")
    except ValueError:
        return found[0] + "'"
    return found[0]
