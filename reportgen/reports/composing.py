"""A report of prepared scores: they are evaluated once, then every section says its findings."""

from __future__ import annotations

import platform
from copy import deepcopy
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from reportgen import sections
from reportgen.errors import DISTRIBUTION
from reportgen.plugins import told, version
from reportgen.reports.private_settings import with_settings
from reportgen.results import Evaluation, Findings, Report, SectionResult
from reportgen.scores import Account, sha256_of
from reportgen.settings import Settings, is_policy_path

if TYPE_CHECKING:
    from reportgen.evaluation import TalliedScores


FONTS = ("font-source-sans-pro", "font-source-serif-pro")

VERSIONS = ("numpy", "scipy", "pyarrow", "jinja2", "nbconvert", "plotly", "weasyprint", *FONTS)
"""Distributions whose versions can change a number or a page."""


def make_report(
    scores: Account,
    settings: Settings,
    chosen: list[sections.Found],
    command: str,
    tallied: TalliedScores | None = None,
) -> Report:
    """Return the report of prepared scores: evaluate once, then let every section say its findings.

    `tallied` holds the scores when they are counted already.
    """
    from reportgen.evaluation import evaluate as evaluate_scores

    made = evaluate_scores(scores, settings, provenance_of(settings, command), tallied)
    evaluation = with_settings(made, settings, made.raters)
    system = next(iter(scores.columns("system")), None)
    title = f"Evaluation of {system} scores in" if system else "The raters of"
    return Report(
        title=(settings.report.title or f"{title} {scores.source.name}") + _selected(settings),
        description=settings.report.description,
        created=(settings.report.created or date.today()).isoformat(),
        evaluation=evaluation,
        sections=tuple(section_results(chosen, evaluation)),
        language=settings.report.language,
        labels=dict(settings.labels),
    )


def _selected(settings: Settings) -> str:
    """Return which rows a report is about, to be said behind its title."""
    only = settings.data.only
    return f": {', '.join(f'{name} {value}' for name, value in only.items())}" if only else ""


def section_results(chosen: list[sections.Found], evaluation: Evaluation) -> list[SectionResult]:
    """Return what every section found; one that fails says so in its place and stops no other."""
    results = []
    for found in chosen:
        section = found.section
        if found.error:
            results.append(
                SectionResult(section.name, section.title, found.provider, {}, Findings(), found.error, section.part)
            )
            continue
        if sections.unmet_need(section, evaluation):
            continue
        findings, error = Findings(), ""
        try:
            findings = _checked_findings(section.findings(_read_only(evaluation)), found)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:  # noqa: BLE001 - a section is anyone's code; its page tells its failure
            error = told(problem)
        options = {name: getattr(section, name) for name in getattr(section, "__dataclass_fields__", {})}
        results.append(
            SectionResult(section.name, section.title, found.provider, options, findings, error, section.part)
        )
    return results


def _checked_findings(findings: object, found: sections.Found) -> Findings:
    """Return what a section returned, when it is findings that can be stored and read back: tests hold ours."""
    from reportgen.storing.decoding import decode
    from reportgen.storing.json_values import encode

    if not isinstance(findings, Findings):
        raise TypeError(f"findings() returned {type(findings).__name__}, expected Findings")
    if not found.own:
        decode(encode(findings), Findings, "findings")
    return findings


def provenance_of(settings: Settings, command: str) -> dict[str, Any]:
    """Return versions, seed and command; of a policy that is not shipped, the SHA-256 of its file."""
    policy = settings.verdict.policy
    own = {"policy_sha256": sha256_of(Path(policy))} if is_policy_path(policy) and Path(policy).is_file() else {}
    return {"versions": versions_here(), "seed": settings.statistics.seed, "command": command, **own}


def versions_here() -> dict[str, str]:
    """Return the versions of what can change a number or a page, as they are installed."""
    return {"python": platform.python_version(), "reportgen": version(DISTRIBUTION)} | {
        name: version(name) for name in VERSIONS
    }


def _read_only(evaluation: Evaluation) -> Evaluation:
    """Return an evaluation for one section: what it changes in its mappings reaches no other section."""
    return replace(
        evaluation,
        tables=MappingProxyType(dict(evaluation.tables)),
        estimates=MappingProxyType(dict(evaluation.estimates)),
        facts=MappingProxyType(deepcopy(dict(evaluation.facts))),
        settings=MappingProxyType(deepcopy(dict(evaluation.settings))),
        provenance=MappingProxyType(deepcopy(dict(evaluation.provenance))),
    )
