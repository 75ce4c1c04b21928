"""Every trait with its answer, the worst first, and the composite of all traits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.changes import tables_of
from report_sections.lookup import doubts_of_runs, fact
from report_sections.summarize_summary import answers
from reportgen.sections import Evaluation, Findings, Section


@dataclass(frozen=True)
class SummarizeTraits(Section):
    """Traits with their answers, headline numbers and links to their reports, the worst first, and the composite."""

    name: ClassVar[str] = "summarize_traits"
    title: ClassVar[str] = "Traits"
    part: ClassVar[Any] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the answers of the traits, and what the composite is worth."""
        return Findings(
            values={
                **answers(evaluation),
                "composite": _composite(evaluation),
                "doubts": doubts_of_runs(evaluation),
                "notes": list(evaluation.warnings),
                "reports": _places(evaluation),
            },
            tables=tables_of(evaluation, "traits.traits", "summary.runs", "summary.criteria"),
        )


def _composite(evaluation: Evaluation) -> dict[str, Any]:
    """Return how well the composite predicts its true score, or why that is not known, and its weights."""
    prmse, rho = (evaluation.estimates.get(f"composite.{key}") for key in ("prmse", "rho"))
    weights = evaluation.facts.get("weights") or {}
    reason = evaluation.facts.get("composite_reason") or (prmse.reason if prmse is not None else "") or ""
    return {
        "prmse": prmse if prmse is not None and prmse.defined else None,
        "rho": rho if rho is not None and rho.defined else None,
        "reason": reason,
        "n": fact(evaluation, "composite_n"),
        "double": fact(evaluation, "composite_double"),
        "equal": bool(evaluation.facts.get("equal_weights")),
        "weights": [{"trait": trait, "weight": float(weight)} for trait, weight in weights.items()],
        "several_scales": bool(evaluation.facts.get("several_scales")),
    }


def _places(evaluation: Evaluation) -> list[dict[str, str]]:
    """Return the places of the reports, where the table does not lead to them."""
    if evaluation.facts.get("page"):
        return []
    return [{"name": label, "place": folder} for label, folder in evaluation.facts.get("parts") or ()]
