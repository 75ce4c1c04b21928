"""Show all usual agreement coefficients side by side, and why they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from report_sections.figures import dots_of, stacked
from reportgen.results import Record
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Panel, Section, Term

AGREEMENT, PAIRS, DIVERGENCE = "panel.agreement", "panel.pairs", "panel.divergence"

Case = Literal["points", "ranks", "labels", "undefined", "none"]
"""Coefficients on points of the scale, rank correlations without points, of labels, none defined, no panel."""


@dataclass(frozen=True)
class AgreementPanel(Section, title="Other agreement coefficients", part="annex", needs=("system",)):
    """Percent agreement, kappas, Scott, Brennan-Prediger, AC, alpha and rank correlations, with intervals.

    Parameters
    ----------
    apart
        Kappa and AC differ if the whole interval of their difference is beyond this.
    """

    apart: float = 0.1

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the coefficients, and the differences between kappa and AC with their reasons."""
        if AGREEMENT not in evaluation.tables:
            return Findings(values={"case": "none", "seen": False, "ranks": {}, **_parted(evaluation, self.apart)})
        case, scale = _case(evaluation), evaluation.scale
        reasons = (each.reason for key, each in evaluation.estimates.items() if key.startswith("panel."))
        return Findings(
            values={
                "case": case,
                "reason": next(filter(None, reasons), "") if case == "undefined" else "",
                "shown": [
                    {
                        "coefficient": key,
                        "engine": evaluation.estimate(f"panel.{key}"),
                        "raters": evaluation.estimate(f"panel.human.{key}"),
                    }
                    for key in LEADING[case]
                ],
                "has_points": bool(scale.step),
                "low": scale.low,
                "high": scale.high,
                "seen": bool(scale.ordered and scale.assumed and scale.step and scale.low != scale.high),
                "ranks": beside_ranks(evaluation),
                **_parted(evaluation, self.apart),
            },
            tables=evaluation.present(PAIRS),
            charts=coefficients_chart(evaluation.records(AGREEMENT)),
        )


LEADING: Mapping[Case, tuple[str, ...]] = {
    "points": ("kappa_quadratic", "ac2_quadratic"), "ranks": ("spearman",), "labels": ("kappa", "ac1"), "undefined": (),
}  # fmt: skip
"""The coefficients that a sentence names in each case."""


def _case(evaluation: Evaluation) -> Case:
    wanted: tuple[Case, ...] = ("points", "ranks") if evaluation.scale.ordered else ("labels",)
    found = (case for case in wanted if all(evaluation.estimate(f"panel.{key}") for key in LEADING[case]))
    return next(found, "undefined")


def _parted(evaluation: Evaluation, apart: float) -> dict[str, Any]:
    """Return whether kappa and AC of engine and rater differ for each kind of weights, and why.

    Returns: `margin`; `differ`, a list of the weights with which they differ, with numbers; `close`, whether they
    differ with none; `others`, the number of pairs or sets of raters for which they differ.
    """
    rows = evaluation.records(DIVERGENCE)
    differ = [row for row in rows if row.apart("difference", -apart, apart)]
    found = [row for row in differ if row["pair"] == rows[0]["pair"]]
    others = {row["pair"] for row in differ} - {row["pair"] for row in found}
    items = [_why(row) for row in found]
    return {"margin": apart, "differ": items, "close": bool(rows) and not found, "others": len(others)}


def _why(row: Record) -> dict[str, Any]:
    spread, unequal = (row.number(key) or 0.0 for key in ("by_prevalence", "by_unequal_use"))
    return {
        **{key: row[key] for key in ("weights", "kappa", "difference")},
        "why": "prevalence" if abs(spread) >= abs(unequal) else "unequal_use",
        **{key: row.number(key) for key in ("chance_kappa", "chance_ac")},
        "prevalent": str(row["prevalent"]),
        **{key: row.number(key) for key in ("prevalence", "shift")},
    }


WEIGHTED = {
    "linear": ("kappa_linear", "bp_linear", "ac2_linear", "alpha_ordinal"),
    "quadratic": ("kappa_quadratic", "bp_quadratic", "ac2_quadratic", "alpha_interval"),
    "by_rank": ("tau_b", "spearman", "tau_b_unrounded", "spearman_unrounded"),
}
"""Coefficients by their weights; other coefficients have no weights."""

Pair = tuple[str, Estimate, Estimate | None]
"""A coefficient: its name, its value for engine and first rater, and its value for two raters if known."""


def coefficients_chart(rows: Sequence[Record]) -> tuple[Chart, ...]:
    """Draw the coefficients of engine and rater next to two raters' coefficients, grouped by weights."""
    groups: dict[str, list[Pair]] = {"unweighted": [], **{weights: [] for weights in WEIGHTED}}
    for row in rows:
        name, (engine, raters) = row.text("coefficient"), map(row.estimate, ("engine", "human"))
        if engine and engine.kind == "coefficient":  # a percentage does not fit on the same axis
            weights = next((each for each, keys in WEIGHTED.items() if name in keys), "unweighted")
            groups[weights].append((name, engine, raters))
    every = [pair for found in groups.values() for pair in found]
    if not every:
        return ()
    both = [each for _, *both in every for each in both if each]
    ends = [end for each in both for end in (each.value, each.low, each.high) if end is not None]
    lowest, highest = (pick(every, key=lambda pair: pair[1].value or 0.0) for pick in (min, max))
    items = {"low": lowest[1].value, "lowest": lowest[0], "high": highest[1].value, "highest": highest[0]}
    margin = 0.05 * (max(ends) - min(ends))
    x = Axis("", low=min(ends) - margin, high=max(ends) + margin)
    panels = (_panel(weights, found, x) for weights, found in groups.items() if found)
    return (stacked(f"{AGREEMENT}.chart", Term("coefficients_alt", **items), panels),)


def _panel(weights: str, found: list[Pair], x: Axis) -> Panel:
    names, engine, _ = zip(*found, strict=True)
    layers = [dots_of(Term("engine_and_first_rater"), names, engine, n=())]
    if theirs := [(name, raters) for name, _, raters in found if raters is not None]:
        layers.append(dots_of(Term("two_raters"), *zip(*theirs, strict=True), n=(), ink="human"))
    return Panel(Term(f"weights.{weights}"), x, tuple(layers), Axis("", categories=names))


OF_AGREEMENT, OF_RANKS = "degradation.ac2_quadratic", "degradation.tau_b"


def beside_ranks(evaluation: Evaluation) -> dict[str, Any]:
    """Return the pattern of the two differences from raters, and the low one; empty without a pattern.

    Yannakoudakis and Cummins (2015) recommend in section 5 to read agreement together with rank correlation. They
    interpret low agreement with high rank correlation, and the reverse, but give no number for low or high. Two raters
    replace it: *low* is clearly below their value (the whole interval of the difference), *high* is at least their
    value.

    Returns: `pattern`, "far_in_order" (low agreement, high rank correlation) or "near_out_of_order" (the reverse), and
    `low`, the difference.
    """
    agreement, ranks = (evaluation.estimate(key) for key in (OF_AGREEMENT, OF_RANKS))
    for pattern, low, high in (("far_in_order", agreement, ranks), ("near_out_of_order", ranks, agreement)):
        if low and high and low.high is not None and low.high < 0 and (high.value or 0.0) >= 0:
            return {"pattern": pattern, "low": low}
    return {}
