"""Check an evaluation against a policy, criterion by criterion.

The first page, results.json, the terminal, JUnit, Markdown, and the exit code all use the `Verdict` that `verdict`
returns, so they cannot differ. It needs no scores: a stored evaluation contains every statistic that a policy can use.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reportgen.errors import InputError
from reportgen.metrics.catalogue import requires_second_ratings
from reportgen.policies import Policy, bands_of, load_policy, shipped_policies
from reportgen.results import Band, Check, Decision, Doubt, Evaluation, Ruling, Term, Verdict
from reportgen.verdicts.bench import Bench, check
from reportgen.verdicts.judging import decision_of, impossible, judge, missed, unmet, with_flags
from reportgen.wording.vocabulary import english

__all__ = ["again", "check", "impossible", "judge", "judged", "missed", "stored_otherwise", "unmet", "verdict"]

LEAST_SHARE = 1.0
"""If at least this percentage of responses has no engine score, a decision names the responses it covers."""

OF_RATERS = ("human.", "raters.", "reliability.", "true_score.error_variance")
"""Prefixes of the keys of statistics that depend only on ratings."""

MOST_PLACES = 10  # most folders that a sentence names; it counts the others


def judged(evaluation: Evaluation, policy: Policy) -> Evaluation:
    """Add a policy's ruling and checks to the evaluation, and mark groups beyond a bound."""
    found = verdict(evaluation, policy)
    flagged = {(check.column, check.level) for check in found.checks if check.outcome == "not met" and check.column}
    tables = {
        key: with_flags(table, {level for column, level in flagged if key == f"by_group.{column}"})
        for key, table in evaluation.tables.items()
    }
    ruling = Ruling(
        found.policy, found.description, found.decision, found.bands, of_raters=found.of_raters, scope=found.scope
    )
    return replace(evaluation, ruling=ruling, checks=found.checks, tables=tables)


def verdict(evaluation: Evaluation, policy: Policy) -> Verdict:
    """Compute the verdict of a policy on the evaluation, new or stored, of one engine's scores."""
    _refuse_unjudgeable(evaluation)
    bench = Bench(evaluation)
    criteria = policy.criteria
    if evaluation.kind == "raters":
        criteria = tuple(each for each in criteria if each.statistic.startswith(OF_RATERS))
    checks = [each for criterion in criteria for each in bench.checks(criterion, policy.name)]
    checks.sort(key=lambda check: bool(check.column))  # a stable sort: all responses first, then groups
    return _verdict(evaluation, policy.name, policy.description, bands_of(policy), checks)


def again(evaluation: Evaluation, ruling: Ruling) -> Verdict:
    """Recompute the verdict of a stored evaluation's policy from its stored statistics.

    evaluation: Stored evaluation of one engine's scores.
    ruling: The stored verdict. A built-in policy is used in its current version; for any other policy, the stored
        criteria are used, because its file may not be available.
    """
    asked = evaluation.settings.get("verdict")
    if isinstance(asked, Mapping) and asked.get("policy") == ruling.policy in shipped_policies():
        return verdict(evaluation, load_policy(ruling.policy))
    _refuse_unjudgeable(evaluation)
    checks = Bench(evaluation).again(evaluation.checks)
    return _verdict(evaluation, ruling.policy, ruling.description, ruling.bands, checks)


def stored_otherwise(evaluation: Evaluation, found: Verdict) -> str:
    """Return the error for a stored verdict that differs from its own statistics; empty if they agree."""
    stored = evaluation.verdict
    if stored is None or _outcomes(stored) == _outcomes(found):
        return ""
    (was, before), (is_, now) = _outcomes(stored), _outcomes(found)
    changed = len(before ^ now) if was == is_ else 0
    return english().say(Term("told_stored", stored=stored.decision, found=found.decision, changed=changed))


def _outcomes(found: Verdict) -> tuple[str, frozenset[tuple[str, ...]]]:
    checks = ((each.label, each.statistic, each.score_type, each.group, each.outcome) for each in found.checks)
    return found.decision, frozenset(checks)


def _verdict(
    evaluation: Evaluation, policy: str, about: str, bands: Mapping[str, tuple[Band, ...]], checks: Sequence[Check]
) -> Verdict:
    """Combine criteria to a verdict; a raters-only evaluation has no decision on an engine."""
    of_raters = evaluation.kind == "raters"
    design, in_doubt = evaluation.facts.get("design") or {}, evaluation.facts.get("reading_in_doubt")
    chosen = {phase for phase in ("first", "second") if (design.get(phase) or {}).get("how") == "chosen"}
    unlike = "second" in chosen and not of_raters
    checks = [replace(each, second=None, best=None) for each in checks] if unlike else checks
    doubt: Doubt = "reading" if in_doubt else "second ratings"
    if in_doubt:  # intervals of columns whose contents are unclear are not shown
        checks = [replace(each, estimate=replace(each.estimate, low=None, high=None)) for each in checks]
    checks = [
        replace(each, outcome="insufficient", doubt=doubt, waits_for="", assurance=())
        if in_doubt or (unlike and requires_second_ratings(each.statistic))
        else each
        for each in checks
    ]
    decision: Decision = "cannot be judged" if of_raters else decision_of(checks)
    scope = {} if of_raters else _scope(evaluation, "first" in chosen)
    return Verdict(policy, about, decision, bands, of_raters=of_raters, scope=scope, checks=tuple(checks))


def _scope(evaluation: Evaluation, chosen: bool) -> dict[str, Any]:
    """Return the percentages of responses that a decision covers, if it does not cover all."""
    found: dict[str, Any] = {}
    for row in evaluation.records("data.outputs"):
        if (share := row.estimate("share")) and (share.value or 0.0) >= LEAST_SHARE:
            found["engine"] = 100.0 - (share.value or 0.0)
    first = (evaluation.facts.get("design") or {}).get("first") or {}
    if chosen or first.get("record"):
        found["people"] = 100.0 * first["n"] / first["of"]
        found |= {"record": first["record"]} if first.get("record") else {}
    return found


def _refuse_unjudgeable(evaluation: Evaluation) -> None:
    if evaluation.kind not in ("evaluation", "raters"):
        parts, judged = evaluation.facts.get("parts") or (), evaluation.facts.get("verdicts")  # one for each system
        places = [str(place) for _, place in (parts if judged is None else parts[: len(judged)])]
        named = ", ".join(places[:MOST_PLACES]) + (", ..." if len(places) > MOST_PLACES else "")
        raise InputError(
            f"this is a {evaluation.kind} of multiple runs, but a policy requires one evaluation; give the folder of "
            f"one of its reports{f', relative to its own: {named}' if places else ''}."
        )
    if not evaluation.statistics:
        raise InputError(
            "these results do not contain the statistics that a policy requires; run `reportgen evaluate` again."
        )
