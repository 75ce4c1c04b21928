"""Every usual coefficient of agreement side by side, and why they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from report_sections.figures import dots_of
from report_sections.lookup import Record, apart_from, estimate_of, known, number, records
from reportgen.results import Part
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Panel, Section, Table, Term

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
    scale = evaluation.scale
    return bool(scale.ordered and scale.assumed and scale.step and scale.low != scale.high)


def parted(table: Table | None, apart: float) -> dict[str, Any]:
    """Return for each kind of weights whether kappa and AC of engine and rater differ, and why.

    Returns: `margin`; `differ`, a list of the weights by which they do, with numbers; `close`, that they do by none;
    `others`, in how many pairs or sets of raters they differ.
    """
    rows = records(table)
    first = rows[0]["pair"] if rows else ""
    mine = [row for row in rows if row["pair"] == first]
    found = [row for row in mine if apart_from(row["difference"], -apart, apart)]
    others = {str(row["pair"]) for row in rows if row["pair"] != first and apart_from(row["difference"], -apart, apart)}
    return {
        "margin": apart,
        "differ": [_why(row) for row in found],
        "close": bool(mine) and not found,
        "others": len(others),
    }


def _why(row: Record) -> dict[str, Any]:
    spread, unequal = (number(row[key]) or 0.0 for key in ("by_prevalence", "by_unequal_use"))
    return {
        "weights": row["weights"],
        "kappa": row["kappa"],
        "ac": row["ac"],
        "difference": row["difference"],
        "why": "prevalence" if abs(spread) >= abs(unequal) else "unequal_use",
        "by_prevalence": spread,
        "by_unequal_use": unequal,
        "chance_kappa": number(row["chance_kappa"]),
        "chance_ac": number(row["chance_ac"]),
        "prevalent": str(row["prevalent"]),
        "prevalence": number(row["prevalence"]),
        "shift": number(row["shift"]),
    }


WEIGHTED = {
    "linear": ("kappa_linear", "bp_linear", "ac2_linear", "alpha_ordinal"),
    "quadratic": ("kappa_quadratic", "bp_quadratic", "ac2_quadratic", "alpha_interval"),
    "by_rank": ("tau_b", "spearman", "tau_b_unrounded", "spearman_unrounded"),
}
"""How differences are weighed -> the coefficients that do so; the others have no weights."""

Pair = tuple[str, Estimate, Estimate | None]
"""A coefficient: its name, that of engine and first rater, and that of two raters where it is known."""


def coefficients_chart(table: Table) -> tuple[Chart, ...]:
    """Return the coefficients of engine and rater beside those of two raters, those of the same weights together."""
    groups: dict[str, list[Pair]] = {"unweighted": [], **{weights: [] for weights in WEIGHTED}}
    for record in records(table):
        name, engine, raters = record["coefficient"], *(_coefficient(record.get(who)) for who in ("engine", "human"))
        if isinstance(name, str) and engine is not None:
            weights = next((each for each, keys in WEIGHTED.items() if name in keys), "unweighted")
            groups[weights].append((name, engine, raters))
    every = [pair for found in groups.values() for pair in found]
    if not every:
        return ()
    ends = [end for _, *both in every for each in both if each for end in (each.value, each.low, each.high)]
    low, high = (pick(end for end in ends if end is not None) for pick in (min, max))
    panels = tuple(_panel(weights, found, low, high) for weights, found in groups.items() if found)
    lowest, highest = (pick(every, key=lambda pair: pair[1].value or 0.0) for pick in (min, max))
    told = {"low": lowest[1].value, "lowest": lowest[0], "high": highest[1].value, "highest": highest[0]}
    alt = Term("coefficients_alt", **told)
    return (Chart(f"{table.key}.chart", "", alt, Axis(""), Axis(""), (), panels=panels, stacked=True),)


def _panel(weights: str, found: list[Pair], low: float, high: float) -> Panel:
    names = tuple(name for name, _, _ in found)
    theirs = [(name, raters) for name, _, raters in found if raters is not None]
    layers = [dots_of(Term("engine_and_first_rater"), names, [engine for _, engine, _ in found], n=())]
    if theirs:
        places, raters = zip(*theirs, strict=True)
        layers.append(dots_of(Term("two_raters"), places, raters, n=(), ink="human"))
    return Panel(
        Term(f"weights.{weights}"),
        Axis("", low=low, high=high),
        tuple(layers),
        Axis("", categories=names),
    )


def _coefficient(cell: object) -> Estimate | None:
    """Return a defined coefficient; a percentage does not fit on the same axis."""
    found = known(cell)
    return found if found and found.kind == "coefficient" else None


OF_AGREEMENT, OF_RANKS = "degradation.ac2_quadratic", "degradation.tau_b"


def beside_ranks(evaluation: Evaluation) -> dict[str, Any]:
    """Return the pattern that the two differences from raters show, with the one that is low; nothing for neither.

    Yannakoudakis and Cummins (2015) recommend in section 5 to read agreement together with rank correlation. They say
    what low agreement with high rank correlation means, and the reverse, and give no number for low or high. Two raters
    stand in for it: *low* is clearly below what they reach (the whole interval of the difference), *high* is at least
    what they reach.

    Returns: `pattern`, "far_in_order" (low agreement, high rank correlation) or "near_out_of_order" (the reverse), and
    `low`, the difference.
    """
    agreement, ranks = (estimate_of(evaluation, key) for key in (OF_AGREEMENT, OF_RANKS))
    if agreement is None or ranks is None:
        return {}
    if _low(agreement) and _high(ranks):
        return {"pattern": "far_in_order", "low": agreement}
    if _high(agreement) and _low(ranks):
        return {"pattern": "near_out_of_order", "low": ranks}
    return {}


def _low(difference: Estimate) -> bool:
    return difference.high is not None and difference.high < 0


def _high(difference: Estimate) -> bool:
    return difference.value is not None and difference.value >= 0
