"""Are the human raters fit to judge by: the conditions that true-score statistics rest on, and reliability."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.figures import dots_of, estimates_chart, shortened
from report_sections.human_raters.conditions import (
    Condition,
    chance,
    conditions,
    conditions_table,
    shape_along_the_scale,
)
from report_sections.lookup import estimates_in, lowest_and_highest
from report_sections.raters import grid, spread_of_severity
from reportgen.results import Part
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Rule, Section, Term
from reportgen.wording.numbers import num

STATES = ("met", "not_met", "undecided")
"""Outcomes of conditions in the order in which they are told."""

SHOWN = ("human_raters.raters", "reliability.components")
"""Tables of the evaluation that stand on the page; the CSV files have the others."""

HARDLY = 0.005
"""PRMSE that differs by less is said to be hardly changed."""


@dataclass(frozen=True)
class HumanRaters(Section):
    """Tests of what PRMSE supposes of raters, their reliability, and each rater where ratings say who gave them.

    Parameters
    ----------
    mean_margin
        Rater means are alike when they differ by less than this many standard deviations.
    spread_ratio
        Rater standard deviations are alike when the larger is at most this many times the smaller.
    agreement_margin
        Raters agree alike with the engine when their correlations with it differ by less than this.
    balance_margin
        Responses scored more than once are like the rest when they differ by less than this many standard deviations.
    error_margin
        Rater error variance is alike along the scale when it changes by less than this share per standard
        deviation of the engine's score.
    level_ratio
        Rater error variance is alike along the scale when that of the largest band of the engine's score is at most
        this many times that of the smallest.
    error_ratio
        Rater error variance is alike in groups when none has more than this many times that of all, or less than
        its inverse.
    """

    part: ClassVar[Part] = "annex"
    needs: ClassVar[tuple[str, ...]] = ("system", "order")

    mean_margin: float = 0.15
    spread_ratio: float = 1.25
    agreement_margin: float = 0.10
    balance_margin: float = 0.10
    error_margin: float = 0.25
    level_ratio: float = 1.5
    error_ratio: float = 1.5

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what the ratings say about the raters, or that a single rating says nothing."""
        if "human_raters.pairs" not in evaluation.tables:
            return Findings(values={"case": "one_rater"})
        found = conditions(evaluation, self)
        # without a grid, rater error along the scale is the figure of the section on rater agreement
        error = error_chart(evaluation) if grid(evaluation, "human_human.agreement", "qwk") else ()
        return Findings(
            values={
                "case": "raters",
                **counted(found),
                "shape": shape_along_the_scale(evaluation),
                "chance": chance(evaluation),
                "reliability": reliability(evaluation),
                "severity": _severity(evaluation),
                "raters": _raters(evaluation),
            },
            tables=(conditions_table(found), *evaluation.present(*SHOWN)),
            charts=(*reliability_chart(evaluation), *error, *severity_chart(evaluation)),
        )


def counted(found: tuple[Condition, ...]) -> dict[str, Any]:
    """Return how many conditions were tested, how many have each outcome, and which fail."""
    states = [each.state for each in found if each.state in STATES]
    counts = [{"state": state, "n": states.count(state)} for state in STATES if state in states]
    return {"tested": len(states), "counts": counts, "failing": [each.key for each in found if each.state == "not_met"]}


def reliability(evaluation: Evaluation) -> dict[str, Any]:
    """Return the reliability of one rating, what a second and a third add, and that with severity as error."""
    rows = evaluation.records("reliability.more_ratings")
    values = [row.estimate("gain" if place else "generalizability") for place, row in enumerate(rows[:3])]
    found: dict[str, Any] = dict(zip(("one", "second", "third"), values, strict=False)) if all(values) else {}
    for key in ("icc_a1", "icc_1"):
        if (icc := evaluation.estimate(f"reliability.{key}")) is not None:
            return {**found, "icc": key, "with_severity": icc}
    return found


def _severity(evaluation: Evaluation) -> dict[str, Any]:
    """Return rater error variance and PRMSE with and without constant differences in severity."""
    rows, rise = evaluation.records("human_raters.severity"), evaluation.estimate("raters.prmse_rise_by_severity")
    if not rows:
        return {}
    changed = None if rise is None else abs(rise.value or 0.0) >= HARDLY
    return {"counted": rows[0]["variance"], "left_out": rows[1]["variance"], "rise": rise, "changed": changed}


def _raters(evaluation: Evaluation) -> dict[str, Any]:
    """Return how much raters differ, and who stands out, where ratings say who gave them."""
    facts = evaluation.facts.get("rater_ids")
    if not isinstance(facts, Mapping):
        return {}
    rows = evaluation.records("human_raters.raters")
    sd, error = spread_of_severity(evaluation), facts.get("error_variance")
    spread = {} if sd is None or error is None else {"spread": sd, "error_sd": float(error) ** 0.5}
    return {
        "n": int(facts.get("raters") or 0),
        "reason": str(facts.get("reason") or ""),
        **{key: int(facts.get(key) or 0) for key in ("alone", "parts")},
        **spread,
        "shown": bool(rows),
        "severity": _standing_out(estimates_in(rows, "rater", "expected")),
        "drift": _standing_out(estimates_in(rows, "rater", "drift")),
    }


def _standing_out(found: list[tuple[str, Estimate]]) -> dict[str, Any]:
    """Return how many raters were tested, and those whose whole interval lies on one side of 0, farthest first."""
    tested = [(rater, each) for rater, each in found if each.low is not None]
    out = sorted((pair for pair in tested if pair[1].apart()), key=lambda pair: -abs(pair[1].value or 0.0))
    return {"tested": len(tested), "out": [{"rater": rater, "value": each} for rater, each in out]} if tested else {}


MOST_RATERS = 40
"""Raters drawn; the table has all."""


def reliability_chart(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return reliability and dependability by number of ratings."""
    rows, layers = evaluation.records("reliability.more_ratings"), []
    for key, name, ink in (
        ("generalizability", "reliability_not_counting", "engine"), ("dependability", "reliability_counting", "human"),
    ):  # fmt: skip
        if found := [(num(row["k"]), cell) for row in rows if (cell := row.estimate(key))]:
            layers.append(dots_of(Term(name), *zip(*found, strict=True), along="y", ink=ink))
    if not layers or not all(isinstance(row["generalizability"], Estimate) for row in (rows[0], rows[-1])):
        return ()
    first, last = rows[0], rows[-1]
    return (
        Chart(
            "reliability.more_ratings.chart",
            Term("reliability_of_means"),
            Term("reliability_alt", one=first["generalizability"], last=last["generalizability"], ratings=last["k"]),
            Axis(Term("axis_ratings"), tuple(num(row["k"]) for row in rows)),
            Axis(Term("axis_reliability")),
            tuple(layers),
            Term("dependability_counts_severity"),
        ),
    )


def error_chart(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return rater error variance by band of the engine's score."""
    found = estimates_in(evaluation.records("human_raters.error_variance"), "band", "variance")
    whole, least = evaluation.estimate("true_score.error_variance"), evaluation.count("min_n_per_group")
    if len(found) < 2:
        return ()
    hollow = [each.n < least for _, each in found]
    rules = [Rule(whole.value or 0.0, Term("all_responses"), axis="y", ink="muted")] if whole else []
    low, high = lowest_and_highest(found, "band", "value")
    return (
        estimates_chart(
            "human_raters.error_variance.chart",
            Term("error_variance_by_score"),
            Term("error_variance_alt", low=low, high=high),
            Axis(Term("axis_error_variance"), low=0.0),
            Term("axis_engine_score"),
            found,
            Term("rater_error_variance"),
            *rules,
            along="y",
            hollow=hollow,
            caption=Term("error_variance_caption", least=least, hollow=any(hollow)),
        ),
    )


def severity_chart(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return the severity of the raters farthest from the others, most lenient first.

    Raters who are named in a sentence are among them: those in doubt, and those who surely differ.
    """
    rows = evaluation.records("human_raters.raters")
    drawn = estimates_in(rows, "rater", "expected")
    doubted = {str(each["name"]) for each in evaluation.facts.get("raters_doubted") or ()}
    found = sorted(
        drawn or estimates_in(rows, "rater", "severity"),
        key=lambda pair: (pair[0] not in doubted and not pair[1].apart(), -abs(pair[1].value or 0.0)),
    )[:MOST_RATERS]
    if not found:
        return ()
    found = shortened(sorted(found, key=lambda pair: -(pair[1].value or 0.0)))
    ends = {end: {"rater": found[at][0], "value": found[at][1]} for end, at in (("lenient", 0), ("severe", -1))}
    return (
        estimates_chart(
            "human_raters.raters.chart",
            Term("severity_of_raters"),
            Term("severity_alt", **ends, n=len(found)),
            Axis(Term("axis_severity")),
            Term("axis_rater"),
            found,
            Term("severity"),
            Rule(0.0, Term("as_the_others"), ink="muted"),
            caption=Term("severity_caption", drawn=bool(drawn), shown=len(found), raters=len(rows)),
        ),
    )
