"""The first page of a report on raters: how far their ratings can be relied on, and how many a response needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.lookup import estimate_of, fact, records
from report_sections.raters_each import doubted
from report_sections.raters_reliability import leading
from reportgen.results import Part
from reportgen.sections import Estimate, Evaluation, Findings, Section

SHOWN_P = 0.05
"""Groups whose rater errors differ by chance less often than this stand out."""

OF_LABELS = ("scott", "ac1", "alpha_nominal")
"""Coefficients of all raters together, of labels without an order."""


@dataclass(frozen=True)
class RatersSummary(Section):
    """One page that says how reliable ratings are, how raters agree, and who is unlike the others."""

    name: ClassVar[str] = "raters_summary"
    part: ClassVar[Part] = "decision"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone",)

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return reliability, agreement, what stands out and what is not known."""
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "one": estimate_of(evaluation, f"reliability.{leading(evaluation)}"),
                "needs": _needs(evaluation),
                "of_labels": _of_labels(evaluation),
                "doubted": doubted(evaluation),
                "without_doubted": _without_doubted(evaluation),
                "severe": _severe(evaluation),
                "groups": _groups(evaluation),
                "unknown": _unknown(evaluation),
            },
            checks=tuple(check for check in evaluation.checks if not check.group),
        )


def _needs(evaluation: Evaluation) -> list[dict[str, Any]]:
    found = (each for each in evaluation.facts.get("ratings_needed") or () if isinstance(each, Mapping))
    key = "ratings" if leading(evaluation) == "generalizability" else "absolute"
    return [{"target": each["target"], "ratings": each[key]} for each in found if each[key] is not None]


def _of_labels(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the coefficients of all raters together, of labels without an order."""
    if evaluation.scale.ordered:
        return []
    several = len(evaluation.raters) > 2
    names = {"scott": "fleiss"} if several else {}
    found = [(key, estimate_of(evaluation, f"raters.{key}")) for key in OF_LABELS]
    return [{"coefficient": names.get(key, key), "value": each} for key, each in found if each is not None]


def _without_doubted(evaluation: Evaluation) -> Estimate | None:
    """Return the agreement of two ratings without the raters in doubt."""
    rest = evaluation.facts.get("qwk_without_doubted")
    if not isinstance(rest, list | tuple) or not rest:
        return None
    value, low, high, n = rest
    return Estimate("qwk", value, int(n), low, high)


def _severe(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the raters who are clearly more severe or lenient than the others, the farthest first."""
    table = evaluation.tables.get("human_raters.raters")
    found = [(str(row["rater"]), row["expected"]) for row in records(table)] if table else []
    out = [
        {"rater": rater, "value": each}
        for rater, each in found
        if isinstance(each, Estimate) and each.low is not None and each.high is not None and each.low * each.high > 0
    ]
    return sorted(out, key=lambda each: -abs(each["value"].value or 0.0))


def _groups(evaluation: Evaluation) -> list[dict[str, Any]]:
    tested = evaluation.facts.get("groups_differ_p") or {}
    return [{"column": column, "p": float(p)} for column, p in tested.items() if float(p) < SHOWN_P]


def _unknown(evaluation: Evaluation) -> list[str]:
    """Return codes of what could not be said."""
    double, ordered = fact(evaluation, "responses_double_scored"), evaluation.scale.ordered
    reliable = estimate_of(evaluation, "reliability.generalizability") is not None
    cases = {
        "no_second": not double,
        "not_linked": bool(double) and ordered and not reliable,
        "never_reliable": bool(double) and ordered and reliable and not _needs(evaluation),
        "alone": bool(fact(evaluation, "raters_alone")),
        "parts": fact(evaluation, "raters_parts") > 1,
        "nameless": not evaluation.facts.get("raters_named"),
        "as_found": bool(evaluation.facts.get("raters_reason")),
    }
    return [case for case, holds in cases.items() if holds]
