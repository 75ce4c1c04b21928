"""Every usual coefficient of agreement side by side, and why they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from report_sections.agreement_panel.divergence import parted
from report_sections.agreement_panel.pictures import coefficients_chart
from report_sections.agreement_panel.ranks import beside_ranks
from report_sections.lookup import estimate_of
from reportgen.results import Estimate, Part
from reportgen.results.term import Term
from reportgen.sections import Evaluation, Findings, Section

AGREEMENT, PAIRS, DIVERGENCE = "panel.agreement", "panel.pairs", "panel.divergence"

Case = Literal["points", "ranks", "labels", "undefined", "none"]
"""Coefficients on points of the scale, rank correlations without points, of labels, none defined, no panel."""


@dataclass(frozen=True)
class AgreementPanel(Section):
    """Percent agreement, kappas, Scott, Brennan-Prediger, AC, alpha and rank correlations, with intervals.

    Parameters
    ----------
    apart
        Kappa and AC differ when the whole interval of their difference lies beyond this.
    """

    name: ClassVar[str] = "agreement_panel"
    title: ClassVar[str] = "Other agreement coefficients"
    part: ClassVar[Part] = "annex"
    needs: ClassVar[tuple[str, ...]] = ("system",)

    apart: float = 0.1

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the coefficients, and where kappa and AC differ and why."""
        table = evaluation.tables.get(AGREEMENT)
        if table is None:
            return Findings(values={"case": "none", "seen": False, "ranks": {}, **parted(None, self.apart)})
        case = _case(evaluation)
        pairs = evaluation.tables.get(PAIRS)
        return Findings(
            values={
                "case": case,
                "reason": _why_undefined(evaluation) if case == "undefined" else "",
                "shown": _leading(evaluation, case),
                "has_points": bool(evaluation.scale.step),
                "low": evaluation.scale.low,
                "high": evaluation.scale.high,
                "seen": _only_seen(evaluation),
                "ranks": beside_ranks(evaluation),
                **parted(evaluation.tables.get(DIVERGENCE), self.apart),
            },
            tables=(pairs,) if pairs else (),
            charts=coefficients_chart(table),
        )


def _case(evaluation: Evaluation) -> Case:
    """Return which coefficients there are."""
    wanted: tuple[tuple[Case, tuple[str, ...]], ...] = (
        (("labels", ("kappa", "ac1")),)
        if not evaluation.scale.ordered
        else (("points", ("kappa_quadratic", "ac2_quadratic")), ("ranks", ("spearman",)))
    )
    for case, keys in wanted:
        if all(estimate_of(evaluation, f"panel.{key}") for key in keys):
            return case
    return "undefined"


def _leading(evaluation: Evaluation, case: Case) -> list[dict[str, Any]]:
    """Return the coefficients that a sentence tells: of engine and rater, and of two raters where there are two."""
    keys = {
        "points": ("kappa_quadratic", "ac2_quadratic"), "labels": ("kappa", "ac1"), "ranks": ("spearman",)
    }.get(case, ())  # fmt: skip
    return [
        {
            "coefficient": key,
            "engine": estimate_of(evaluation, f"panel.{key}"),
            "raters": estimate_of(evaluation, f"panel.human.{key}"),
        }
        for key in keys
    ]


def _why_undefined(evaluation: Evaluation) -> str:
    """Return why no coefficient is defined; nothing where it is not said."""
    found: list[Estimate] = [each for key, each in evaluation.estimates.items() if key.startswith("panel.")]
    reasons: list[str | Term] = [each.reason for each in found if each.reason]
    return reasons[0] if reasons else ""


def _only_seen(evaluation: Evaluation) -> bool:
    """Return whether weights and chance rest on a scale that nobody declared."""
    scale = evaluation.scale
    return bool(scale.ordered and scale.assumed and scale.step and scale.low != scale.high)
