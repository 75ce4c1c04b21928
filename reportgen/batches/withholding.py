"""Parts of a source of which no report is made: few responses, or what would tell of these by subtraction."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import InputError, OutputError, ReportgenError
from reportgen.privacy.slices import withheld_slices
from reportgen.scores.items import Items
from reportgen.sources.parted_rows import PartedRows

READ = 10
"""Parts of fewer rows than this many times the least are read to count their responses; others are taken as large.
Of a part that cannot be read no report is made, whatever its size: the reason is told when it is due."""


def withheld_parts(parts: Items) -> frozenset[int]:
    """Return the numbers of the parts of which no report may be made.

    Raises
    ------
    InputError
        These are all.
    """
    settings = parts.settings
    if not settings.privacy.protects_slices:
        return frozenset()
    least = settings.statistics.min_n_per_group
    names = [tuple(values.values()) for values in parts.values]
    sizes = {name: _responses(parts, number, READ * least) for number, name in enumerate(names)}
    hidden = withheld_slices({name: n for name, n in sizes.items() if n is not None}, least)
    if len(hidden) == len(names):
        raise InputError(
            f"every value of {', '.join(settings.data.by)} has fewer than {least} responses, or would tell of one that "
            "has: no report is made. Name a smaller number with --min-n, or make them all with --unprotected."
        )
    return frozenset(number for number, name in enumerate(names) if name in hidden)


def _responses(parts: Items, number: int, most: int) -> int | None:
    """Return how many responses of a part count; its rows where these are many, None where they cannot be read."""
    rows = parts.sizes[number]
    if rows >= most or not isinstance(parts.rows, PartedRows):
        return rows
    try:
        return parts.part(number).read(parts.settings_of(number)).kept
    except ReportgenError:
        return None


def refuse_report(folder: Path) -> None:
    """Raise where an earlier run left a report of a part that is now withheld."""
    if (folder / "results.json").exists():
        raise OutputError(
            f"'{folder}' holds a report of few responses, which is now withheld; remove it, name another folder, or "
            "keep such reports with --unprotected."
        )
