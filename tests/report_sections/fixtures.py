"""Evaluations made by hand: full, without a second rater, without groups, undefined, hostile, many groups."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from fixture_tables import DOUBLE, VALUES, N, data_tables, estimate, group_tables, human_tables, system_tables

from reportgen.results import Check, Estimate, Evaluation, Outcome, Role, Ruling, Scale, ScoreType, Source
from reportgen.verdicts.judging import decision_of

HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" 'name'",
    "line\nbreak\ttab",
    "עברית",
    "x" * 300,
    "😀 {{ 7*7 }} {% raw %}",
    "=cmd()|'/c calc'!A0",
    "**bold** `code` | pipe",
)


def evaluation(
    *,
    second_human: bool = True,
    groups: Mapping[str, Sequence[tuple[str, int, float]]] | None = None,
    undefined: bool = False,
    assumed: bool = False,
) -> Evaluation:
    """Return an evaluation; `groups` maps a column to its levels with n and DSM."""
    if groups is None:
        groups = {"L1": [("Hindi", 2000, 0.02), ("Spanish", 1500, -0.19), ("Thai", 1262, 0.11), ("Urdu", 50, 0.3)]}
    estimates = _estimates(second_human, undefined)
    tables = {
        each.key: each
        for each in (*data_tables(groups), *system_tables(undefined), *human_tables(second_human, undefined))
    }
    for column, levels in groups.items():
        tables |= {each.key: each for each in group_tables(column, levels, second_human, undefined)}
    checks = [*_overall_checks(estimates), *_group_checks(groups, undefined)]
    return Evaluation(
        source=Source(
            "scores.csv", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 180_000, 4824, "csv"
        ),
        roles=(
            Role("id", ("ID",), "found by name"),
            Role("system", ("engine score",), "given on the command line"),
            Role("human", ("h1", "h2") if second_human else ("h1",), "found by name"),
            *((Role("group", tuple(groups), "found by content"),) if groups else ()),
        ),
        scale=Scale(1.0, 6.0, 1.0, assumed),
        score_types=(
            ScoreType("raw", "as given", True),
            ScoreType("raw_trim", "trimmed", True),
            ScoreType("raw_trim_round", "trimmed and rounded", False),
        ),
        groups=tuple(groups),
        raters=("h1", "h2") if second_human else ("h1",),
        settings={"system": "engine score", "human": ["h1", "h2"], "trim": {"low": 1, "high": 6}},
        facts=_facts(second_human, groups),
        estimates=estimates,
        tables=tables,
        checks=tuple(checks),
        warnings=("2 scale points were used by nobody.",) if undefined else (),
        provenance={
            "versions": {"reportgen": "0.1.0", "python": "3.11.2", "numpy": "1.26.4"},
            "command": "reportgen evaluate scores.csv",
            "seed": 20,
            "created": "2025-03-01T12:00:00+00:00",
        },
    )


@cache
def cases() -> dict[str, Evaluation]:
    """Return every kind of evaluation that a section must be able to show, each with what its requirements decide."""
    return {name: ruled(each) for name, each in _cases().items()}


def ruled(found: Evaluation) -> Evaluation:
    """Return an evaluation with the decision of its requirements."""
    return replace(found, ruling=Ruling("default", "", decision_of(found.checks)))


def _cases() -> dict[str, Evaluation]:
    hostile = {
        HOSTILE[0]: [(HOSTILE[i], 900 - i, 0.3 * (-1) ** i) for i in range(len(HOSTILE))],
        "second\ncolumn": [("plain", 4812, 0.0)],
    }
    many = {"school": [(f"School {i}", 300 - i, 0.01 * (i - 30)) for i in range(60)]}
    full = evaluation()
    return {
        "full": full,
        "no second human": evaluation(second_human=False),
        "no groups": evaluation(groups={}),
        "bare": evaluation(second_human=False, groups={}, assumed=True),
        "undefined": evaluation(undefined=True),
        "hostile": evaluation(groups=hostile),
        "many groups": evaluation(groups=many),
        "empty": replace(full, facts={}, estimates={}, tables={}, checks=(), provenance={}, settings={}, groups=()),
    }


def _facts(second_human: bool, groups: Mapping[str, Sequence[tuple[str, int, float]]]) -> dict[str, Any]:
    largest = max(((abs(dsm), c, lv) for c, ls in groups.items() for lv, n, dsm in ls if n >= 100), default=None)
    return {
        "rows_read": 4824,
        "responses_kept": N,
        "responses_excluded": 12,
        "responses_flagged_out": 0,
        "responses_double_scored": DOUBLE if second_human else 0,
        "candidates": None,
        "n_raters": 2 if second_human else 1,
        "primary": "raw_trim",
        "primary_rounded": "raw_trim_round",
        "trim_low": 0.5002,
        "trim_high": 6.4998,
        "min_n_per_group": 100,
        "limit_given_true_score": 0.1,
        "confidence_level": 0.95,
        "zero_rule": "Human scores of 0 are excluded.",
        "columns_left_out": (("comment", "free text"),),
        "rater_error_variance_given": None,
        "largest_group_difference_group": largest[1:] if largest else None,
    }


def _estimates(second_human: bool, undefined: bool) -> dict[str, Estimate]:
    def made(prefix: str, metrics: Mapping[str, float], n: int, named: str = "{}") -> dict[str, Estimate]:
        return {
            f"{prefix}.{metric}": replace(
                estimate(metric, None if undefined else value, n), metric=named.format(metric)
            )
            for metric, value in metrics.items()
        }

    result = made("system", VALUES, N)
    shared = ("qwk", "r", "smd", "kappa", "exact_agreement", "adjacent_agreement")
    if second_human:
        result |= made("human", {key: VALUES[key] * 0.97 for key in shared}, DOUBLE)
        result |= made("degradation", {key: VALUES[key] * 0.03 for key in shared}, N, "degradation_{}")
        result["disattenuated.r"] = estimate("disattenuated_r", None if undefined else 0.94)
        result |= made(
            "true_score", {"prmse": 0.71, "error_variance": 0.14, "true_variance": 0.61, "mse_true": 0.17}, N
        )
    return result


def _overall_checks(estimates: Mapping[str, Estimate]) -> list[Check]:
    criteria: list[tuple[str, str, str, float | None, float | None, str]] = [
        ("system.qwk", "Quadratic weighted kappa", "QWK", 0.7, None, "system_human.association"),
        ("system.r", "Pearson correlation", "r", 0.7, None, "system_human.association"),
        ("system.smd", "Standardized mean difference", "SMD", -0.15, 0.15, "system_human.descriptives"),
        ("true_score.prmse", "Proportional reduction in mean squared error", "PRMSE", 0.7, None, "true_score.prmse"),
        ("degradation.qwk", "Degradation of QWK", "", -0.1, None, "human_human.degradation"),
        ("system.exact_agreement", "Exact agreement", "", 50.0, None, "system_human.agreement"),
    ]
    return [
        Check(
            label,
            found,
            judged(found, low, high),
            low,
            high,
            short,
            source="Williamson et al., 2012",
            target=target,
            statistic=key,
        )
        for key, label, short, low, high, target in criteria
        if (found := estimates.get(key)) is not None
    ]


def judged(found: Estimate, low: float | None, high: float | None, min_n: int = 0) -> Outcome:
    """Return the outcome by the interval, as the evaluation does."""
    if found.low is None or found.high is None or found.n < min_n:
        return "insufficient"
    bottom, top = (low if low is not None else -9e9), (high if high is not None else 9e9)
    if bottom <= found.low and found.high <= top:
        return "met"
    return "not met" if found.high < bottom or found.low > top else "not yet known"


def _group_checks(groups: Mapping[str, Sequence[tuple[str, int, float]]], undefined: bool) -> list[Check]:
    result = []
    for column, levels in groups.items():
        for level, n, dsm in levels:
            found = estimate("dsm", None if undefined else dsm, n, 0.05)
            result.append(
                Check(
                    "Difference of standardized means",
                    found,
                    judged(found, -0.1, 0.1, 100),
                    -0.1,
                    0.1,
                    "DSM",
                    f"{column}: {level}",
                    "Williamson et al., 2012",
                    target=f"by_group.{column}",
                    statistic="system.dsm",
                    column=column,
                    level=level,
                )
            )
    return result
