"""How traits go together: rater errors (halo), true scores and the engine's scores, and what each trait score adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import tables_of
from report_sections.lookup import Record, number, records
from reportgen.sections import Estimate, Evaluation, Findings, Section

MOST_NAMED = 4
"""Pairs of traits that a sentence names."""


@dataclass(frozen=True)
class SummarizeHalo(Section):
    """Correlations of errors, true scores and engine scores for every two traits, and the added value of each."""

    name: ClassVar[str] = "summarize_halo"
    title: ClassVar[str] = "How traits go together"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how much rater errors go together, how the engine separates traits, and which scores add something."""
        tables = tables_of(evaluation, "traits.pairs", "traits.added_value")
        if not tables:
            return Findings(values={"known": False, "reason": evaluation.facts.get("composite_reason") or ""})
        pairs = records(evaluation.tables["traits.pairs"]) if "traits.pairs" in evaluation.tables else []
        added = records(evaluation.tables["traits.added_value"])
        by_answer = {
            key: [str(row["trait"]) for row in added if row["adds"] == answer]
            for key, answer in (("adds", "yes"), ("adds_nothing", "no"))
        }
        known = sum(map(len, by_answer.values()))
        return Findings(
            values={
                "known": True,
                "halo": _halo(pairs),
                "pairs": len(pairs),
                "blurred": _blurred(pairs),
                **by_answer,
                "undecided": len(added) - known,
            },
            tables=tables,
        )


def _halo(pairs: Sequence[Record]) -> dict[str, Any]:
    """Return the least and the greatest correlation of errors of one rater, and how many are clearly above 0."""
    cells = [row["halo"] for row in pairs]
    known = sorted((each for each in cells if isinstance(each, Estimate) and each.defined), key=lambda e: e.value or 0)
    if not known:
        return {"n": 0}
    above = sum(each.low is not None and each.low > 0 for each in known)
    return {"n": len(known), "above": above, "least": known[0], "most": known[-1]}


def _blurred(pairs: Sequence[Record]) -> dict[str, Any]:
    """Return the pairs of traits whose engine scores go together clearly more than true scores, the most first."""
    clear: list[dict[str, Any]] = [
        {"trait": str(row["trait"]), "other": str(row["other"]), "excess": each}
        for row in pairs
        if isinstance(each := row["trait_r_excess"], Estimate) and each.low is not None and each.low > 0
    ]
    clear.sort(key=lambda pair: -(number(pair["excess"]) or 0.0))
    return {"n": len(clear), "named": clear[:MOST_NAMED]}
