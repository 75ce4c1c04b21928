"""What more double scores would buy, in a sentence."""

from __future__ import annotations

from report_sections.lookup import number, records
from report_sections.words import listed
from reportgen.sections import Evaluation
from reportgen.wording.numbers import count, small

KEY = "true_score.double_scoring"


def planning_sentence(evaluation: Evaluation) -> tuple[str, ...]:
    """Say how narrow the interval of PRMSE would be with more double scores; nothing where no plan is possible."""
    table = evaluation.tables.get(KEY)
    rows = [row for row in records(table) if number(row["half_width"]) is not None] if table else []
    if len(rows) < 2:
        return ()
    now, *more = rows[:3]
    said = listed(f"±{small(number(row['half_width']) or 0.0, 3)} with {_twice(row['n_multiple'])}" for row in more)
    return (
        f"PRMSE is known to about ±{small(number(now['half_width']) or 0.0, 3)}; expect {said} responses scored twice.",
    )


def _twice(cell: object) -> str:
    return count(int(cell)) if isinstance(cell, int) else str(cell)
