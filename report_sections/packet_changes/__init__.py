"""What changed since an earlier report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.packet import packet, tables
from report_sections.words import name
from reportgen.results import Estimate
from reportgen.sections import Evaluation, Findings, Section
from reportgen.wording.numbers import many


@dataclass(frozen=True)
class PacketChanges(Section):
    """Headline numbers before and now, and criteria whose outcome is another one."""

    name: ClassVar[str] = "packet_changes"
    title: ClassVar[str] = "Change since the earlier report"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return both tables, or that there is no earlier report."""
        previous = packet(evaluation)["previous"]
        if previous is None:
            return Findings(
                headline="No earlier report was given.",
                paragraphs=("`--previous results.json` adds what changed since then.",),
            )
        numbers, outcomes = (evaluation.tables[key] for key in ("packet.changes", "packet.outcomes"))
        changes = [cell for cell in numbers.column("change") if isinstance(cell, Estimate) and cell.low is not None]
        clear = sum(not (cell.low or 0.0) <= 0 <= (cell.high or 0.0) for cell in changes)
        return Findings(
            headline=f"Since {name(previous['title'])} ({previous['created']}), "
            f"{many(len(outcomes.rows), 'criterion has', 'criteria have')} another outcome.",
            paragraphs=(
                f"Of {many(len(changes), 'change')} with an interval, {many(clear, 'does', 'do')} not hold 0; "
                "of so many numbers some change by chance.",
            )
            if changes
            else (),
            tables=tables(evaluation, "packet.changes", *(["packet.outcomes"] if outcomes.rows else [])),
        )
