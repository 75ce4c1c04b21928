"""What groups will cost in memory and time, estimated before they are evaluated; too much is refused in a sentence.

The factors are peaks and seconds of reports of 1 to 300 group columns and 5 to 200,000 levels, each measured in a
process of its own; they lie within a third of what is estimated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.errors import InputError, shortened
from reportgen.machine.memory import refuse_above
from reportgen.results import Scale
from reportgen.tally import Slices
from reportgen.tally.cells import Floats, totals
from reportgen.tally.contingency_tables import MOST_POINTS

PROCESS = 150e6
"""Bytes that every run takes."""

PAGES, COLUMN_OF_PAGES = 300e6, 12.5e6
"""Bytes that the pages of a report and the layout of its PDF take, and further ones for every group column."""

MOST_MINUTES = 10.0
"""Minutes of computing after which nobody waits any more."""

NAME = 40
"""Characters of a column's name that fit into the sentence."""


@dataclass(frozen=True)
class Each:
    """What a level costs.

    Parameters
    ----------
    shown, withheld
        Bytes of one that is shown, and of one that is not.
    table
        Bytes, for every two score points, of one that is shown; counted where they are more than `shown`.
    seconds
        Seconds of one that is shown.
    """

    shown: float
    withheld: float
    table: float
    seconds: float

    def memory(self, shown: float, withheld: float, points: int) -> float:
        """Return the bytes of so many levels."""
        return shown * max(self.shown, self.table * points**2) + withheld * self.withheld


OF_REPORT = Each(88e3, 10.5e3, 80, 2.5e-3)
"""Levels of a report."""

OF_TABLES = Each(4.5e3, 700, 0, 1e-4)
"""Levels of groups within items, of which there are tables only."""


def sizes_of(slices: Slices) -> Floats:
    """Return how many responses each level has."""
    return totals(slices.level, slices.sums[0], len(slices.labels))


def refuse_costly_groups(
    sizes: Mapping[str, Floats], least: int, scale: Scale, combinations: int = 0, each: Each = OF_REPORT
) -> None:
    """Raise when groups need more memory than a run may take, or more time than anybody waits.

    Parameters
    ----------
    sizes
        Group column, or columns that are crossed -> (levels,): responses of each.
    least
        Fewest responses of a level that is shown; 0 where all are.
    scale
        The score scale.
    combinations
        Distinct combinations of levels, among which it is searched what must be withheld; 0 where nothing is.
    each
        What a level costs.

    Raises
    ------
    NeedsMemoryError, InputError
        As said; names the column of most levels.
    """
    if not sizes:
        return
    shown = {name: int((counts >= least).sum()) for name, counts in sizes.items()}
    levels = sum(map(len, sizes.values()))
    points = _points(scale)
    largest = max(sizes, key=lambda name: each.memory(shown[name], len(sizes[name]) - shown[name], points))
    what = f"the {levels:,} levels of '{shortened(largest, NAME)}' need"
    if len(sizes) > 1:
        most = f"{len(sizes[largest]):,} of them in '{shortened(largest, NAME)}'"
        what = f"{len(sizes):,} group columns of {levels:,} levels, {most}, need"
    instead = "name fewer columns with --group"
    refuse_above(PROCESS + each.memory(sum(shown.values()), levels - sum(shown.values()), points), what, instead)
    minutes = (sum(shown.values()) * each.seconds + _seconds_of_search(len(sizes), combinations)) / 60
    if minutes > MOST_MINUTES:
        raise InputError(f"{what} about {minutes:,.0f} minutes of computing, above {MOST_MINUTES:.0f}; {instead}.")


def refuse_costly_pages(columns: int) -> None:
    """Raise when the PDF of a report with so many group columns needs more memory than a run may take.

    Raises
    ------
    NeedsMemoryError
        As said.
    """
    needed = PROCESS + PAGES + columns * COLUMN_OF_PAGES
    instead = "leave it out with --formats html, or name fewer with --group"
    refuse_above(needed, f"the PDF of {columns:,} group columns needs", instead)


def _points(scale: Scale) -> int:
    """Return how many score points a table of two scores has in each direction; 0 where there is none."""
    points = int(scale.high - scale.low) + 1
    return points if points <= MOST_POINTS else 0


def _seconds_of_search(columns: int, combinations: int) -> float:
    """Return how long it takes to find what must be withheld, which grows with pairs of columns."""
    if not combinations:
        return 0.0
    return columns * combinations * 7e-6 + columns**2 * (8e-4 + 5e-8 * combinations)
