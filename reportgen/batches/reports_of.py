"""The reports that a folder of a batch holds, as runs to be set side by side."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import NamedTuple

from reportgen.batches import manifest
from reportgen.batches.folder import MANIFEST
from reportgen.errors import InputError


class BatchReports(NamedTuple):
    """Folders of the reports that a batch made, what each is about, and how many it could not make."""

    folders: tuple[Path, ...]
    names: tuple[str, ...]
    missing: int


def reports_of(folder: Path) -> BatchReports | None:
    """Return the reports of a batch; None where a folder is none of a batch.

    Raises
    ------
    InputError
        Its list of reports cannot be read, or holds no report that was made.
    """
    found = manifest.read(folder / MANIFEST) if folder.is_dir() else None
    if found is None:
        return None
    # the list may be a stranger's: its reports are in the folder, and nowhere else
    inside = [entry for entry in found.reports if PurePath(entry.folder).parts == (entry.folder,) != ("..",)]
    made = [entry for entry in inside if entry.status in ("finished", "with failed sections")]
    if not made:
        raise InputError(f"'{folder}' is the folder of a batch without a report; run the batch again.")
    return BatchReports(
        tuple(folder / entry.folder for entry in made),
        tuple(", ".join(entry.values.values()) or entry.folder for entry in made),
        sum(entry.status != "withheld" for entry in found.reports) - len(made),
    )
