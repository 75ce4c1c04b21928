"""The one verdict: an evaluation held against a policy, criterion by criterion.

The first page, results.json, the terminal, JUnit, Markdown and the exit code all say the `Verdict` that `verdict`
returns, so they cannot differ.  It needs no scores: a stored evaluation holds every statistic that a policy may ask
for.
"""

from __future__ import annotations

from dataclasses import replace

from reportgen.errors import InputError
from reportgen.policies import Policy, bands_of
from reportgen.results import Evaluation, Ruling, Table, Verdict
from reportgen.verdicts.bench import Bench, check
from reportgen.verdicts.judging import judge
from reportgen.verdicts.sentences import decision_of, more_needed, verdict_sentence

__all__ = ["check", "judge", "judged", "verdict"]


def judged(evaluation: Evaluation, policy: Policy) -> Evaluation:
    """Return the evaluation with what a policy says: its ruling, its checks, and groups outside a bound marked."""
    found = verdict(evaluation, policy)
    flagged = {(check.column, check.level) for check in found.checks if check.outcome == "not met" and check.column}
    tables = {
        key: _marked(table, {level for column, level in flagged if key == f"by_group.{column}"})
        for key, table in evaluation.tables.items()
    }
    ruling = _ruling(found)
    return replace(evaluation, ruling=ruling, checks=found.checks, tables=tables)


def verdict(evaluation: Evaluation, policy: Policy) -> Verdict:
    """Return what a policy says about an evaluation.

    Parameters
    ----------
    evaluation
        Of one engine's scores, fresh or stored.
    policy
        The criteria.

    Raises
    ------
    InputError
        It is a comparison or a summary, or was stored without the statistics that criteria are held against.
    SettingsError
        The policy asks for a statistic that there is not.
    """
    if evaluation.kind != "evaluation":
        raise InputError(
            f"this is a {evaluation.kind} of several runs, and a policy judges one evaluation; name the results.json "
            "of one run."
        )
    if not evaluation.statistics:
        raise InputError(
            "these results were stored without the statistics that a policy is held against; run `reportgen evaluate` "
            "again."
        )
    bench = Bench(evaluation)
    checks = [each for criterion in policy.criteria for each in bench.checks(criterion, policy.name)]
    checks.sort(key=lambda check: bool(check.column))  # a stable sort: all responses first, then groups
    decision = decision_of(checks)
    return Verdict(
        policy.name,
        policy.description,
        decision,
        verdict_sentence(policy.name, decision, checks),
        bands_of(policy),
        more_needed(checks),
        tuple(checks),
    )


def _ruling(found: Verdict) -> Ruling:
    """Return a verdict without its checks, as an evaluation keeps it."""
    return Ruling(found.policy, found.description, found.decision, found.sentence, found.bands, found.needed)


def _marked(table: Table, levels: set[str]) -> Table:
    """Return a table by group with the rows of some levels marked as flagged."""
    if not levels:
        return table
    rows = tuple(
        replace(row, mark="flagged") if row.mark != "overall" and row.cells[0] in levels else row for row in table.rows
    )
    return replace(table, rows=rows)
