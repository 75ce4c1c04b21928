"""What each of several runs comes to: the verdict of its own report, or, without one, that on what was counted."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reportgen.evaluation.measure import kept_statistics
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.policies import load_policy, policy_of_labels
from reportgen.results import Check, Evaluation, Verdict
from reportgen.runs import Run
from reportgen.verdicts import verdict

ALL_CHECKS = 20
"""Runs up to which every requirement of each is kept; of more those that are not met."""


def decisions_of(runs: Sequence[Run], policy: str) -> list[dict[str, Any]]:
    """Return for each run its decision, the policy, the requirements, and whether they were judged `here`.

    The decision is empty where a run has neither a verdict nor scores to hold a policy against.  Requirements on a
    group that any of the runs withholds are left out.

    Parameters
    ----------
    policy
        Of the runs without a verdict of their own.
    """
    hidden = {(column, level) for run in runs for column in run.groups for level in run.withheld(column)}
    found = ((run, verdict_of(run, policy)) for run in runs)
    return [_decision(run, verdict, hidden, everything=len(runs) <= ALL_CHECKS) for run, verdict in found]


def verdict_of(run: Run, policy: str) -> Verdict | None:
    """Return the verdict of a run's own report, or of its scores; None where neither is there."""
    if run.verdict is not None or run.tallied is None:
        return run.verdict
    evaluation = _evaluation(run, run.tallied)
    return verdict(evaluation, load_policy(policy if run.scale.ordered else policy_of_labels(policy)))


def _decision(
    run: Run, found: Verdict | None, hidden: Collection[tuple[str, str]], *, everything: bool
) -> dict[str, Any]:
    if found is None:
        return {"run": run.name, "decision": "", "policy": "", "checks": [], "here": False, "n": run.n}
    kept = [
        check
        for check in found.checks
        if (check.column, check.level) not in hidden and (everything or check.outcome in ("not met", "out of reach"))
    ]
    return {
        "run": run.name,
        "decision": found.decision,
        "policy": found.policy,
        "checks": [replace(check, source="") for check in kept],
        "here": run.verdict is None,
        "n": run.n,
    }


def largest_difference(decision: Mapping[str, Any]) -> Check | None:
    """Return the requirement on the group that lies farthest from the others; None where no group is judged."""
    groups = [
        check
        for check in decision["checks"]
        if check.column
        and check.estimate.metric == "dsm"
        and check.estimate.defined
        and check.outcome != "insufficient"
    ]
    return max(groups, key=lambda check: abs(check.estimate.value or 0.0), default=None)


def _evaluation(run: Run, tallied: TalliedScores) -> Evaluation:
    """Return what a policy needs to know of scores that have no report of their own."""
    return Evaluation(
        source=run.source,
        roles=(),
        scale=run.scale,
        score_types=tuple(form.type for form in tallied.forms),
        groups=tallied.groups,
        raters=run.raters,
        settings={},
        facts={
            "primary": tallied.primary.type.key,
            "primary_rounded": tallied.primary_rounded.type.key,
            "min_n_per_group": tallied.min_n,
            "min_n_by_group": dict(tallied.min_n_by_group),
            "groups_withheld": tallied.withheld.names(),
            "rater_error_variance_given": tallied.rater_error_variance,
        },
        estimates={},
        tables={},
        checks=(),
        warnings=(),
        provenance={},
        statistics=kept_statistics(tallied, {}),
    )
