"""Where and how a report is written, as all verbs are told it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Writing:
    """Where and how a report is written.

    Parameters
    ----------
    folder
        None computes and writes nothing.
    tables_only
        Write results.json and tables, and no pages.
    force
        Replace a report that is there.
    kernel
        Jupyter kernel that executes the notebook; None executes it in this process.
    command
        The command line, for the provenance section.
    """

    folder: Path | None = None
    tables_only: bool = False
    force: bool = False
    kernel: str | None = None
    command: str = ""
