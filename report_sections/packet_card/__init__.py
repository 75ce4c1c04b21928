"""The card of the engine: what only people know, and what nobody supplied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.packet import packet, tables
from reportgen.sections import Evaluation, Findings, Section


@dataclass(frozen=True)
class PacketCard(Section):
    """Every field of the card; an empty one is marked."""

    name: ClassVar[str] = "packet_card"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the card."""
        found = packet(evaluation)
        return Findings(values={"missing": len(found["missing"])}, tables=tables(evaluation, "packet.card"))
