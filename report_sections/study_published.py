"""What a paper says and prints beside what is found here, and where the two differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from reportgen.results import Part, Record
from reportgen.sections import Evaluation, Findings, Section

STATEMENTS, KEY = "study.statements", "study.published"
AGREES, STAND_IN = "yes", "stand_in"


@dataclass(frozen=True)
class StudyPublished(Section):
    """Statements and numbers of a paper, each beside what is found here; the reason where they differ.

    Parameters
    ----------
    named
        How many numbers that differ are named.
    """

    part: ClassVar[Part] = "annex"

    named: int = 4

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the statements by outcome, how many numbers agree, which do not, and the tables."""
        beside = [table for key, table in evaluation.tables.items() if key.startswith(f"{KEY}.")]
        tables = [*evaluation.present(STATEMENTS, KEY), *beside]
        if not tables:
            return Findings(values={"case": "own"})
        return Findings(
            values={
                "case": "paper",
                "study": evaluation.facts["study"],
                "statements": outcomes(evaluation),
                **self._numbers(evaluation.records(KEY)),
                "n_beside": sum(len(table.rows) for table in beside),
                "more_tables": [table.key for table in beside],
            },
            tables=tuple(tables),
        )

    def _numbers(self, every_row: Sequence[Record]) -> dict[str, Any]:
        """Return how many printed numbers agree with those here, and which do not."""
        rows = [row for row in every_row if row["agrees"] != STAND_IN]
        other = [{"place": row["place"], "what": row["what"]} for row in rows if row["agrees"] != AGREES]
        return {
            "n": len(rows),
            "agreeing": len(rows) - len(other),
            "others": other[: self.named],
            "more": len(other[self.named :]),
            "stand_in": len(every_row) - len(rows),
        }


def outcomes(evaluation: Evaluation) -> dict[str, int]:
    """Return how many statements there are, and how many of each outcome; 0 where there are none."""
    rows = evaluation.records(STATEMENTS)
    found = Counter(str(row["outcome"]).removeprefix("statement_") for row in rows)
    return {"n": len(rows), **{name: found[name] for name in ("repeats", "differs", "mixed", "untestable")}}
