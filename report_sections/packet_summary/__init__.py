"""The first page of a packet: what the report decides, what is reviewed, what is still missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.groups import beyond
from report_sections.packet import packet, supplied
from reportgen.results import Part
from reportgen.sections import Check, Evaluation, Findings, Section


@dataclass(frozen=True)
class PacketSummary(Section):
    """The answer, the engine, missing fields, and where to read on."""

    name: ClassVar[str] = "packet_summary"
    part: ClassVar[Part] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what a reviewer has to know first."""
        found = packet(evaluation)
        return Findings(
            values={
                "engine": supplied(evaluation, "engine.name"),
                "version": supplied(evaluation, "engine.version"),
                "use": supplied(evaluation, "use.intended"),
                "beyond": _groups_not_met(evaluation),
                "missing": list(found["missing"]),
                "fields": found["fields"],
                "asked": found["items"],
                "answered": found["answered"],
                "person": found["person"],
                "incomplete": found["incomplete"],
                "previous": found["previous"],
            }
        )


def _groups_not_met(evaluation: Evaluation) -> list[Check]:
    """Return the groups that do not meet a requirement, the farthest beyond its limits first; hidden ones have none."""
    found = [check for check in evaluation.checks if check.group and check.outcome == "not met" and not check.withheld]
    return sorted(found, key=lambda check: -beyond(check))
