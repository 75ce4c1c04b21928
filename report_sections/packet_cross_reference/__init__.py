"""Which part, number, field or person answers which item of the frameworks a reviewer works with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.packet import packet
from reportgen.sections import Evaluation, Findings, Section


@dataclass(frozen=True)
class PacketCrossReference(Section):
    """One table for each framework, and links from its numbers to the tables that show them.

    Parameters
    ----------
    frameworks
        Words in the names of the frameworks to show; empty for all.
    """

    name: ClassVar[str] = "packet_cross_reference"

    frameworks: tuple[str, ...] = ()

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the cross-reference."""
        found = packet(evaluation)
        tables = [table for key, table in evaluation.tables.items() if key.startswith("packet.items.")]
        shown = [
            table for table in tables
            if not self.frameworks or any(word.lower() in table.caption.lower() for word in self.frameworks)
        ]  # fmt: skip
        keys = [(key, place) for key, _, place in found["numbers"]]
        return Findings(
            values={
                "asked": found["items"],
                "incomplete": found["incomplete"],
                "numbers": [{"key": key, "estimate": evaluation.estimates[key], "table": place} for key, place in keys],
            },
            tables=tuple(shown),
        )
