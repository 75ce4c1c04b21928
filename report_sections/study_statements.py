"""Count the statements of a paper that repeat."""

from __future__ import annotations

from collections import Counter

from report_sections.lookup import records
from reportgen.sections import Evaluation

STATEMENTS = "study.statements"


def outcomes(evaluation: Evaluation) -> dict[str, int]:
    """Return how many statements there are, and how many of each outcome; 0 where there are none."""
    table = evaluation.tables.get(STATEMENTS)
    rows = [] if table is None else records(table)
    found = Counter(str(row["outcome"]).removeprefix("statement_") for row in rows)
    return {"n": len(rows), **{name: found[name] for name in ("repeats", "differs", "mixed", "untestable")}}
