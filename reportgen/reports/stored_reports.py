"""A stored report: read, and held against a policy."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.results import Report, Verdict
from reportgen.storing import results_file

if TYPE_CHECKING:
    from reportgen.policies import Policy


def load(path: str | Path) -> Report:
    """Return the report stored in a results.json, or in the folder of a report or of an rsmeval run."""
    results = results_of(Path(path))
    page = results.with_name(results.name.removesuffix(results_file.NAME) + "report.html")
    report = results_file.read(results)
    return replace(report, page=page) if page.is_file() else report


def results_of(path: Path) -> Path:
    """Return the results.json of a report, from it or from the folder of a report or of an rsmeval run."""
    if not path.is_dir():
        return path
    named = sorted(path.glob("report/*_results.json"))
    return named[0] if len(named) == 1 else path / results_file.NAME


def check(report: Report, policy: str | Path | Policy | None = None) -> Verdict:
    """Return what a policy says about a report.

    Parameters
    ----------
    report
        An evaluation, fresh or stored.
    policy
        A policy, its shipped name or its path; None for what the report was judged by when it was made, held anew
        against the statistics in it.

    Raises
    ------
    ReportgenError
        It is a comparison or a summary, holds no statistics, or the policy is not what it should be.
    """
    from reportgen.policies import Policy, load_policy
    from reportgen.verdicts import again, verdict

    ruling = report.evaluation.ruling if policy is None else None
    if ruling is not None:
        return again(report.evaluation, ruling)
    return verdict(report.evaluation, policy if isinstance(policy, Policy) else load_policy(policy or "default"))
