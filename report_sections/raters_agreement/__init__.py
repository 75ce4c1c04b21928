"""How the raters agree: every two of them, any two ratings of a response, and all at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.raters import agreement_of_pairs, grid, lowest_and_highest
from reportgen.sections import Evaluation, Findings, Section

TABLES = ("raters.pairs", "raters.coefficients")


@dataclass(frozen=True)
class RatersAgreement(Section):
    """Agreement of every two raters, and of all raters by every coefficient."""

    name: ClassVar[str] = "raters_agreement"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone",)

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how raters agree; labels without an order have kappa and no weights."""
        pairs, metric = evaluation.tables.get("raters.pairs"), "qwk" if evaluation.scale.ordered else "kappa"
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "metric": metric,
                "step": evaluation.scale.step,
                "pairs": lowest_and_highest(agreement_of_pairs(evaluation, pairs, metric)),
            },
            tables=tuple(table for key in TABLES if (table := evaluation.tables.get(key)) is not None),
            charts=grid(evaluation, pairs, metric),
        )
