"""Provide the sections of a review packet: first page, card, cross-reference, changes, and sign-off."""

from report_sections.lookup import beyond
from reportgen.governance.packet import OTHER_RATINGS, UNCHANGED
from reportgen.sections import Estimate, Evaluation, Findings, Section


class PacketSummary(Section, part="decision"):
    """Show the answer, the engine, missing fields, and where to read more."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the facts a reviewer needs first."""
        found = evaluation.facts["packet"]
        fields = {"engine": "engine.name", "version": "engine.version", "use": "use.intended"}
        groups = [each for each in evaluation.checks if each.group and each.outcome == "not met" and not each.withheld]
        return Findings(
            values={
                **{key: str(found["card"].get(field, "")) for key, field in fields.items()},
                "beyond": sorted(groups, key=beyond, reverse=True),
                "missing": list(found["missing"]),
                "asked": found["items"],
                **{key: found[key] for key in ("fields", "answered", "person", "incomplete", "previous")},
            }
        )


class PacketCard(Section):
    """Show every field of the card; empty fields are marked."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the card."""
        missing = len(evaluation.facts["packet"]["missing"])
        return Findings(values={"missing": missing}, tables=evaluation.present("packet.card"))


class PacketCrossReference(Section):
    """Show one table for each framework, with links from its numbers to the tables that contain them."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the cross-reference."""
        found = evaluation.facts["packet"]
        return Findings(
            values={
                "asked": found["items"],
                "incomplete": found["incomplete"],
                "numbers": [
                    {"key": key, "estimate": evaluation.estimates[key], "table": at} for key, _, at in found["numbers"]
                ],
            },
            tables=tuple(table for key, table in evaluation.tables.items() if key.startswith("packet.items.")),
        )


class PacketChanges(Section):
    """Show headline numbers before and now, and criteria whose outcome changed."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return both tables, or that there is no earlier report."""
        previous = evaluation.facts["packet"]["previous"]
        if previous is None:
            return Findings(values={"previous": None, "outcomes": 0, "changes": 0, "certain": 0})
        cells = [cell for cell in evaluation.tables["packet.changes"].column("change") if isinstance(cell, Estimate)]
        outcomes = evaluation.records("packet.outcomes")
        return Findings(
            values={
                "previous": previous,
                "outcomes": len(outcomes),
                "changes": sum(cell.low is not None for cell in cells),
                "certain": sum(cell.apart() for cell in cells),
                "paired": previous["paired"],
                "shared": UNCHANGED in {cell.interval_reason for cell in cells},
                "other_ratings": OTHER_RATINGS in {cell.reason for cell in cells},
            },
            tables=evaluation.present("packet.changes", *(["packet.outcomes"] if outcomes else [])),
        )


class PacketReproducibility(Section):
    """Show hashes of data and files, versions, seed, and command."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the files, versions, seed, and command that reproduce the numbers."""
        return Findings(tables=evaluation.present("packet.reproducibility"))


class PacketDecision(Section):
    """Show lines for name, role, date, decision, and signature."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the lines to sign."""
        return Findings(tables=evaluation.present("packet.signatures"))
