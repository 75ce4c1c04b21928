"""The first page of a packet: what is reviewed, what the report found, what is still missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from report_sections.groups import beyond
from report_sections.packet import packet, supplied
from report_sections.words import first_few, mention, name, stated
from reportgen.sections import Evaluation, Findings, Highlight, Section
from reportgen.wording.numbers import many

MOST_GROUPS = 4
"""Groups that do not meet a criterion which are named; the section on criteria has all."""


@dataclass(frozen=True)
class PacketSummary(Section):
    """Engine, outcomes of criteria, missing fields, and where to read on."""

    name: ClassVar[str] = "packet_summary"
    title: ClassVar[str] = "Review packet"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what a reviewer has to know first."""
        found = packet(evaluation)
        return Findings(
            headline=f"{_engine(evaluation)}: {_outcomes(evaluation)}.",
            paragraphs=(
                *([evaluation.verdict.sentence] if evaluation.verdict is not None else []),
                *_groups_not_met(evaluation),
                f"Intended use: {supplied(evaluation, 'use.intended').rstrip('.')}.",
                "What the criteria say is no decision: the last section of the packet is for the people who decide.",
            ),
            highlights=(
                Highlight(_missing(found["missing"], found["fields"]), "packet.card"),
                Highlight(
                    f"Of {found['items']} items of four frameworks, {found['automatic']} are answered from the data, "
                    f"in whole or in part; {found['person']} need a person, and {found['incomplete']} lack a number or "
                    "a field (an item may count in more than one of these).",
                    "packet_cross_reference",
                ),
                Highlight(_since(found["previous"]), "packet_changes"),
                Highlight("Decision and signatures.", "packet.signatures"),
            ),
        )


def _engine(evaluation: Evaluation) -> str:
    """Return what is reviewed."""
    engine, version = (supplied(evaluation, f"engine.{key}") for key in ("name", "version"))
    return f"Engine {name(engine)}, version {name(version)}"


def _outcomes(evaluation: Evaluation) -> str:
    """Count the outcomes of all criteria."""
    counts = Counter(check.outcome for check in evaluation.checks)
    said = [f"{counts[outcome]} {outcome}" for outcome in ("met", "not met", "not yet known", "insufficient")]
    return f"of {many(len(evaluation.checks), 'criterion', 'criteria')}, {', '.join(said)}"


def _groups_not_met(evaluation: Evaluation) -> list[str]:
    """Name the groups that do not meet a criterion, the farthest outside its bounds first; withheld ones have none."""
    found = [check for check in evaluation.checks if check.group and check.outcome == "not met" and not check.withheld]
    found.sort(key=lambda check: -beyond(check))
    named = [
        f"{name(check.group, 40)} ({mention(check)} {stated(check.estimate, check.low, check.high)})" for check in found
    ]
    return [f"Not met for {first_few(named, MOST_GROUPS)}."] if named else []


def _missing(missing: list[str], fields: int) -> str:
    if not missing:
        return f"All {fields} fields of the card are supplied."
    return f"{len(missing)} of {fields} fields of the card are not supplied: {first_few(list(missing), 8)}."


def _since(previous: dict[str, str] | None) -> str:
    if previous is None:
        return "No earlier report was given, so change over time is not told."
    return f"Changes since the report of {previous['created']}."
