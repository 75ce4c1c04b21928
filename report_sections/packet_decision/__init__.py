"""The decision, which people make and sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.packet import tables
from reportgen.sections import Evaluation, Findings, Section


@dataclass(frozen=True)
class PacketDecision(Section):
    """Lines for name, role, date, decision and signature."""

    name: ClassVar[str] = "packet_decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the lines to sign."""
        return Findings(tables=tables(evaluation, "packet.signatures"))
