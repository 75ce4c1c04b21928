"""What changed since an earlier report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.packet import packet, tables
from reportgen.sections import Estimate, Evaluation, Findings, Section, Term

UNCHANGED = Term("packet.unchanged")
"""Why a change of a number of the raters alone has no interval."""

OTHER_RATINGS = Term("packet.other_ratings")
"""Why a number that follows the ratings has no change."""


@dataclass(frozen=True)
class PacketChanges(Section):
    """Headline numbers before and now, and criteria whose outcome is another one."""

    name: ClassVar[str] = "packet_changes"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return both tables, or that there is no earlier report."""
        previous = packet(evaluation)["previous"]
        if previous is None:
            return Findings(values={"previous": None, "outcomes": 0, "changes": 0, "certain": 0})
        numbers, outcomes = (evaluation.tables[key] for key in ("packet.changes", "packet.outcomes"))
        cells = [cell for cell in numbers.column("change") if isinstance(cell, Estimate)]
        changes = [cell for cell in cells if cell.low is not None]
        return Findings(
            values={
                "previous": previous,
                "outcomes": len(outcomes.rows),
                "changes": len(changes),
                "certain": sum(not (cell.low or 0.0) <= 0 <= (cell.high or 0.0) for cell in changes),
                "paired": previous["paired"],
                "shared": UNCHANGED in {cell.interval_reason for cell in cells},
                "other_ratings": OTHER_RATINGS in {cell.reason for cell in cells},
            },
            tables=tables(evaluation, "packet.changes", *(["packet.outcomes"] if outcomes.rows else [])),
        )
