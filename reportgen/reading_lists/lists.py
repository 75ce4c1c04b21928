"""The story of a reading list: refused early or picked, and written for each system or trait."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reportgen.errors import SettingsError
from reportgen.reading_lists.files import check, folder_beside, put
from reportgen.reading_lists.picking import picked
from reportgen.scores import Account, ScoreTable
from reportgen.settings import Settings
from reportgen.wording.names import folder_names
from reportgen.wording.numbers import many


def refuse_early(settings: Settings, report: Path | None, force: bool) -> None:
    """Raise when the reading list that settings ask for cannot be written.

    Parameters
    ----------
    report
        The folder of the report; None when none is written.
    force
        Whether a list that is there is replaced.

    Raises
    ------
    SettingsError
        No report is written, beside which it could be.
    OutputError
        There is one already.
    """
    if settings.reading.read is None:
        return
    if report is None:
        raise SettingsError("read: responses to read are written beside a report; name the folder of the report.")
    check(report, force)


def write(accounts: Mapping[str, Account], settings: Settings, report: Path) -> tuple[Path, ...]:
    """Write the responses to read beside the report; return the pages.

    Parameters
    ----------
    accounts
        The prepared scores of every system, or of every trait, by its name; several have a folder each.
    settings, report
        What is asked for, and the folder of the report.

    Raises
    ------
    OutputError
        The disk refuses a file.
    """
    tables = {name: table for name, table in accounts.items() if isinstance(table, ScoreTable)}
    home = folder_beside(report)
    if len(tables) == 1:
        return tuple(_written(table, settings, home, "") for table in tables.values())
    folders = folder_names(list(tables), "part")
    return tuple(
        _written(table, settings, home / folder, name)
        for (name, table), folder in zip(tables.items(), folders, strict=True)
    )


def _written(table: ScoreTable, settings: Settings, folder: Path, name: str) -> Path:
    """Write one list."""
    assert table.to_read is not None
    statistics = settings.statistics
    picks = picked(
        table.to_read, table.scale, settings.reading.read or 0, seed=statistics.seed, min_n=statistics.min_n_per_group,
        error_variance=statistics.rater_error_variance,
    )  # fmt: skip
    title = f"{many(len(picks), 'response')} to read" + (f", {name}" if name else "")
    return put(picks, folder, title=title, blind=settings.reading.blind)
