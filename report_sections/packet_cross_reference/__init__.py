"""Which number, field or person answers which item of the frameworks a reviewer works with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.packet import packet
from reportgen.sections import Evaluation, Findings, Highlight, Section
from reportgen.wording.numbers import with_interval


@dataclass(frozen=True)
class PacketCrossReference(Section):
    """One table for each framework, and links from its numbers to the tables that show them.

    Parameters
    ----------
    frameworks
        Words in the names of the frameworks to show; empty for all.
    """

    name: ClassVar[str] = "packet_cross_reference"
    title: ClassVar[str] = "What answers which requirement"

    frameworks: tuple[str, ...] = ()

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the cross-reference."""
        found = packet(evaluation)
        tables = [table for key, table in evaluation.tables.items() if key.startswith("packet.items.")]
        shown = [
            table for table in tables
            if not self.frameworks or any(word.lower() in table.caption.lower() for word in self.frameworks)
        ]  # fmt: skip
        return Findings(
            headline=f"Of {found['items']} items, {found['incomplete']} lack a number or a field of the card; "
            f"{found['person']} need a person besides.",
            paragraphs=(
                "“automatic” is answered from the scores, “partly automatic” too, but for groups that are withheld, "
                "“card” by what was supplied, “person” needs somebody to write, judge or sign. "
                "This helps to find things; it is no statement of conformity.",
            ),
            highlights=tuple(
                Highlight(f"{words} {with_interval(evaluation.estimates[key])}", table)
                for key, words, table in found["numbers"]
            ),
            tables=tuple(shown),
        )
