"""How reliable the ratings are, where their variance comes from, and how many a response needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from report_sections.human_raters import reliability_chart
from report_sections.lookup import fact
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
            values={"leading": leading(evaluation)},
            tables=tuple(table for key in TABLES if (table := evaluation.tables.get(key)) is not None),
            charts=reliability_chart(evaluation),
        )


def leading(evaluation: Evaluation) -> Literal["generalizability", "dependability"]:
    """Return which coefficient is the reliability: severity cancels only where everyone rated everything."""
    everything = fact(evaluation, "n_raters") * fact(evaluation, "responses_kept")
    return "generalizability" if fact(evaluation, "ratings_given") == everything else "dependability"
