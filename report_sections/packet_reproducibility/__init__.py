"""What identifies the data, the settings and the programs behind the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.packet import tables
from reportgen.sections import Evaluation, Findings, Section


@dataclass(frozen=True)
class PacketReproducibility(Section):
    """Hashes of data and files, versions, seed, command."""

    name: ClassVar[str] = "packet_reproducibility"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what it takes to make the numbers again."""
        return Findings(tables=tables(evaluation, "packet.reproducibility"))
