"""The review packet: a report, preceded by what a deployment review asks for besides numbers.

Everything is made from a stored report, a card of fields and, if there is one, an earlier report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from reportgen.packet.card import FIELDS, HEADINGS, NOT_SUPPLIED, Card, read_card, starter
from reportgen.packet.changes import change_tables
from reportgen.packet.cross_reference import PERSON, Answer, answers, cross_reference
from reportgen.packet.model_card import model_card
from reportgen.results import Column, Evaluation, Report, Row, Table
from reportgen.results.term import Term
from reportgen.wording.vocabulary import short_name

__all__ = ["Card", "Material", "evaluation_of", "model_card", "read_card", "starter"]

CHANGES = "packet_changes"
"""The section that is about an earlier report."""

DEFAULT_SIGNATORIES = ("", "", "")
"""Blank lines for signatures where the card names no roles."""


@dataclass(frozen=True)
class Material:
    """What a packet is made of.

    Parameters
    ----------
    report
        The stored report.
    card, signatories
        What people say about the engine, and the roles that sign.
    files
        (name, SHA-256) of the files of the report.
    previous
        An earlier report, or None.
    sections
        The names of the packet's own sections.
    """

    report: Report
    card: Card
    signatories: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    previous: Report | None = None
    sections: tuple[str, ...] = ()

    @property
    def parts(self) -> set[str]:
        """The names of the sections that the packet has: its own, and those of the report."""
        own = {name for name in self.sections if name != CHANGES or self.previous is not None}
        return own | {section.name for section in self.report.sections if not section.error}


def evaluation_of(material: Material) -> Evaluation:
    """Return the evaluation with the tables and facts of the packet added."""
    evaluation = material.report.evaluation
    tables = [_card(material.card), _reproducibility(material), _signatures(material)]
    if material.previous is not None:
        tables += change_tables(material.previous.evaluation, evaluation)
    found = answers(evaluation, material.card, {table.key: table for table in tables}, material.parts)
    tables += cross_reference(found)
    return replace(
        evaluation,
        tables={**evaluation.tables, **{table.key: table for table in tables}},
        facts={**evaluation.facts, "packet": _facts(material, found)},
    )


def _facts(material: Material, found: tuple[Answer, ...]) -> dict[str, Any]:
    """Return what the sections of the packet put into sentences."""
    previous = material.previous
    return {
        "card": dict(material.card),
        "fields": len(FIELDS),
        "missing": [field.label for field in FIELDS if field.key not in material.card],
        "items": len(found),
        "incomplete": sum(not answer.complete for answer in found),
        "person": sum(answer.complete and PERSON in answer.by for answer in found),
        "answered": sum(answer.complete and PERSON not in answer.by for answer in found),
        "numbers": _places(material.report.evaluation, found),
        "previous": None
        if previous is None
        else {
            "title": previous.title,
            "created": previous.created,
            "paired": previous.evaluation.source.sha256 == material.report.evaluation.source.sha256,
        },
    }


def _places(evaluation: Evaluation, found: tuple[Answer, ...]) -> list[list[str]]:
    """Return (key, name, key of the table that shows it) of every number that answers an item."""
    places: dict[str, str] = {}
    for answer in found:
        shown = [name for wanted in answer.item.tables for name in evaluation.tables if name.startswith(wanted)]
        for key in answer.item.estimates:
            estimate = evaluation.estimates.get(key)
            if estimate is None or not estimate.defined:
                continue
            holding = [name for name in shown if _holds(evaluation.tables[name], estimate)]
            if holding:
                places.setdefault(key, holding[0])
    return [[key, short_name(key), table] for key, table in places.items()]


def _holds(table: Table, estimate: object) -> bool:
    """Return whether a table has an estimate among its cells."""
    return any(cell == estimate for row in table.rows for cell in row.cells)


def _card(card: Card) -> Table:
    """Return the card, every field; what is missing says so."""
    rows = [
        Row((HEADINGS[field.key.split(".")[0]], field.label, card.get(field.key, NOT_SUPPLIED))) for field in FIELDS
    ]
    columns = (Column("part", "Part"), Column("field", "Field"), Column("text", "What is supplied"))
    return Table("packet.card", "Card of the engine, as supplied", columns, tuple(rows), max_rows=200)


def _reproducibility(material: Material) -> Table:
    """Return what identifies the data, the settings and the programs."""
    evaluation = material.report.evaluation
    versions = evaluation.provenance.get("versions", {})
    lines = [
        ("Data", evaluation.source.name),
        ("Data, SHA-256", evaluation.source.sha256),
        ("Data, rows", f"{evaluation.source.rows:,}"),
        *((f"{name}, SHA-256", digest) for name, digest in material.files),
        ("Evaluated on", material.report.created),
        ("Seed", str(evaluation.provenance.get("seed", NOT_SUPPLIED))),
        ("Command", str(evaluation.provenance.get("command") or NOT_SUPPLIED)),
        *((f"Version of {name}", str(value)) for name, value in versions.items()),
    ]
    columns = (Column("what"), Column("value"))
    return Table("packet.reproducibility", "", columns, tuple(Row(line) for line in lines), max_rows=200)


def _signatures(material: Material) -> Table:
    """Return the lines to sign by hand."""
    rows = [Row((role, "", "", Term("sign_here"), "")) for role in (material.signatories or DEFAULT_SIGNATORIES)]
    columns = tuple(Column(key) for key in ("role", "name", "date", "decision", "signature"))
    return Table("packet.signatures", "", columns, tuple(rows))
