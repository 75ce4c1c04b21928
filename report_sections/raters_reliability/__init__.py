"""How reliable the ratings are, where their variance comes from, and how many a response needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.human_raters.pictures import reliability_chart
from reportgen.sections import Evaluation, Findings, Section

TABLES = ("reliability.needed", "reliability.components", "reliability.icc")


@dataclass(frozen=True)
class RatersReliability(Section):
    """Variance components, E rho squared and Phi by number of ratings, ratings needed, intraclass correlations."""

    name: ClassVar[str] = "raters_reliability"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone", "order")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how reliable one rating is, and what more ratings add."""
        return Findings(
            tables=tuple(table for key in TABLES if (table := evaluation.tables.get(key)) is not None),
            charts=reliability_chart(evaluation),
        )
