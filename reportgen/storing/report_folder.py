"""The folder of a report: written aside, moved into place only when everything succeeded.

A run that fails leaves the folder as it was.  Files that are not the report's own are never touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from reportgen.errors import OutputError, ReportgenError
from reportgen.results import Table
from reportgen.storing import recover, replaced

SHARED = "plotly.html"
"""What the pages of several reports may share; alone it is no report."""

ATTESTATION = "attestation.json"
"""What `reportgen attest` says of the other files, and the verdict."""

REFERENCES = ("references.bib", "references.json")
"""The works behind the numbers of a report, as BibTeX and as CSL-JSON."""

OWN_FILES = (
    "report.html",
    "report.pdf",
    "report.docx",
    "brief.pdf",
    "report.ipynb",
    *REFERENCES,
    SHARED,
    "results.json",
    "config.toml",
    "completed.csv",
    "packet_card.md",
    ATTESTATION,
)
"""What a report consists of, beside its folder of tables."""

TABLES = "tables"


def check(folder: Path, force: bool = False) -> None:
    """Refuse a folder that a report cannot be written to.

    Parameters
    ----------
    folder
        Where the report is to be; need not exist.
    force
        Whether a report that is there may be replaced.

    Raises
    ------
    OutputError
        It is a file, is not writable, or holds a report: also one that a killed run had set aside, which is put back.
    """
    check_writable(folder)
    recover(folder)
    _refuse(folder, force)


def _refuse(folder: Path, force: bool) -> None:
    """Refuse a folder that holds a report, or where something else stands in the place of its files."""
    blocked = [name for name in OWN_FILES if (folder / name).is_dir()]
    if (folder / TABLES).is_symlink() or ((folder / TABLES).exists() and not (folder / TABLES).is_dir()):
        blocked.append(TABLES)
    if blocked:
        raise OutputError(f"'{folder / blocked[0]}' stands where the report writes; move it, or name another folder.")
    there = [name for name in (*OWN_FILES, TABLES) if name != SHARED and (folder / name).exists()]
    if there and not force:
        raise OutputError(
            f"'{folder}' already holds a report ({there[0]}); name another folder, or replace the report with --force."
        )


def check_writable(folder: Path) -> None:
    """Refuse a folder that nothing can be written to; it need not exist.

    Raises
    ------
    OutputError
        It is a file, is not writable, or has a name that no folder can have.
    """
    try:
        folder.resolve()
        if folder.is_symlink() and not folder.exists():
            raise OutputError(f"'{folder}' is a link that leads nowhere; name another folder for the report.")
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"'{folder}' is a file; name a folder for the report.")
        home = _nearest_folder(folder)
    except (OSError, RuntimeError, ValueError) as error:  # too long, a loop of links, a null byte
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"'{folder}' cannot be a folder ({reason}); name another one for the report.") from None
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise OutputError(f"'{home}' is not a folder that can be written to; name another folder for the report.")


@contextmanager
def staged(folder: Path, force: bool = False) -> Iterator[Path]:
    """Yield an empty folder; move its files into `folder` when the block ends well, else drop them.

    With `force` the files of a report that is there are replaced, and those of them that belong to
    other results than the new ones are removed.

    Raises
    ------
    OutputError
        `folder` is refused (see `check`), or the disk refuses a file.
    """
    check(folder, force)
    folder = folder.absolute()
    with replaced(folder, _outdated, lambda: _refuse(folder, force)) as aside:
        yield aside


def _nearest_folder(folder: Path) -> Path:
    """Return the folder itself, or the nearest of its parents that exists."""
    return next((place for place in (folder, *folder.absolute().parents) if place.exists()), folder)


def _outdated(aside: Path, folder: Path) -> set[Path]:
    """Return the files of the report in `folder`, unless they say the same results as the new one."""
    old, new = folder / "results.json", aside / "results.json"
    if old.is_file() and new.is_file() and old.read_bytes() == new.read_bytes():
        return set()
    return outdated(folder)


def outdated(folder: Path) -> set[Path]:
    """Return the files of the report in a folder: its own, and the tables that it wrote and nobody has changed."""
    return {folder / name for name in OWN_FILES if (folder / name).is_file()} | _own_tables(folder)


def listed(folder: Path, tables: Iterable[Table], prefix: str = "") -> tuple[str, ...]:
    """Return the names of the files in a folder that a report consists of, but for what is attested of them.

    Parameters
    ----------
    tables
        Those of the report.
    prefix
        What the names of its other files begin with.
    """
    names = [f"{prefix}{name}" for name in OWN_FILES if name != ATTESTATION]
    names += sorted(f"{TABLES}/{table.file_name}" for table in tables)
    return tuple(name for name in names if os.path.lexists(folder / name))


def _own_tables(folder: Path) -> set[Path]:
    """Return the tables that the report in `folder` wrote: those that still hold what its results say."""
    from reportgen.storing import results_file
    from reportgen.storing.csv_tables import holds

    try:
        tables = results_file.read(folder / "results.json").evaluation.tables.values()
    except ReportgenError:
        return set()
    return {path for table in tables if (path := folder / TABLES / table.file_name).is_file() and holds(path, table)}
