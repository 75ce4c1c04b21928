"""The card of the engine: what only people know, and what nobody supplied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.packet import packet, tables
from reportgen.sections import Evaluation, Findings, Section
from reportgen.wording.numbers import many


@dataclass(frozen=True)
class PacketCard(Section):
    """Every field of the card; a missing one is marked "not supplied"."""

    name: ClassVar[str] = "packet_card"
    title: ClassVar[str] = "Engine card"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the card."""
        found = packet(evaluation)
        missing = len(found["missing"])
        return Findings(
            headline=f"{many(missing, 'field is', 'fields are')} not supplied."
            if missing
            else "Every field is supplied.",
            paragraphs=("The card is printed as it was supplied; nothing in it was checked.",),
            tables=tables(evaluation, "packet.card"),
        )
