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
    title: ClassVar[str] = "Reproducibility"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what it takes to make the numbers again."""
        return Findings(
            headline="The data with this SHA-256, these settings and these versions give the numbers of this packet.",
            paragraphs=("The PDF holds results.json, every number unrounded, as an attached file.",),
            tables=tables(evaluation, "packet.reproducibility"),
        )
