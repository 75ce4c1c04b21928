"""The engine in units of raters: how many ratings its score is worth, and whether it is one rater among others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.lookup import estimate_of
from reportgen.results import Part
from reportgen.sections import Evaluation, Findings, Section
from reportgen.verdicts import judge

RATINGS, EXCHANGE = "human_equivalence.ratings", "human_equivalence.exchange"
STATISTICS = ("qwk", "r")


@dataclass(frozen=True)
class HumanEquivalence(Section):
    """What the engine is worth in ratings, and its agreement beside a second rater's on the same responses.

    Parameters
    ----------
    margin
        The engine is not inferior when it agrees with raters by less than this below what they do with each other.
    """

    name: ClassVar[str] = "human_equivalence"
    part: ClassVar[Part] = "annex"
    needs: ClassVar[tuple[str, ...]] = ("system", "second_human", "order")

    margin: float = 0.10

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how many ratings the engine is worth, and whether it is one rater among others."""
        if RATINGS not in evaluation.tables:
            return Findings(values={"case": "one_rater"})
        exchange = evaluation.tables.get(EXCHANGE)
        beside = [(key, estimate_of(evaluation, f"exchangeability.{key}")) for key in STATISTICS]
        return Findings(
            values={
                "case": "raters",
                "margin": self.margin,
                "beside": [
                    {"statistic": key, "difference": found, "outcome": judge(found, -self.margin, None)}
                    for key, found in beside
                    if found is not None
                ],
            },
            tables=(exchange,) if exchange is not None else (),
        )
