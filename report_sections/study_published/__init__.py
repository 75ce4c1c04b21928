"""The numbers a paper prints beside those found here, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.lookup import records
from report_sections.words import first_few
from reportgen.sections import Evaluation, Findings, Section
from reportgen.wording.numbers import many

KEY = "study.published"
AGREES, STAND_IN = "yes", "stand-in"


@dataclass(frozen=True)
class StudyPublished(Section):
    """Published, here, difference; with the reason where they differ.

    Parameters
    ----------
    named
        How many numbers that differ the headline names.
    """

    name: ClassVar[str] = "study_published"
    title: ClassVar[str] = "Published and repeated numbers"

    named: int = 4

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the table, and a headline that counts what agrees."""
        table = evaluation.tables.get(KEY)
        if table is None:
            return Findings(headline="The design is not the paper's, so there is nothing printed to compare with.")
        every_row = records(table)
        rows = [row for row in every_row if row["agrees"] != STAND_IN]
        other = [f"{row['place']}: {row['what']}" for row in rows if row["agrees"] != AGREES]
        agreeing = len(rows) - len(other)
        counted = (
            f"{agreeing} of {many(len(rows), 'published number')}" if other else f"All {len(rows)} published numbers"
        )
        verb = "is" if agreeing == 1 else "are"
        differ = f"; different: {first_few(other, self.named)}" if other else ""
        beside = len(every_row) - len(rows)
        differ += f"; {beside} more stand beside numbers of a stand-in" if beside else ""
        notes = evaluation.facts.get("published_notes") or ()
        return Findings(
            headline=f"{counted} {verb} repeated{differ}.", paragraphs=tuple(map(str, notes)), tables=(table,)
        )
