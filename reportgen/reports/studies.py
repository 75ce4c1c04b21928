"""What reportgen does with studies, as a function: run one, and write its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from reportgen import sections
from reportgen.errors import SettingsError, did_you_mean
from reportgen.reports.single import Outcome, composed, provenance_of, written_report
from reportgen.results import Evaluation, Report, SectionResult
from reportgen.settings import Settings, stored
from reportgen.settings.wording import problem
from reportgen.storing.report_folder import Writing
from reportgen.studies import Study, StudyResults, Work, find


def design_of(name: str, options: Mapping[str, Any]) -> Study:
    """Return a study with its options set and checked."""
    cls = find(name)
    for key in options:
        if key not in cls.model_fields:
            raise SettingsError(f"study {name}: there is no option '{key}'{did_you_mean(key, cls.model_fields)}")
    try:
        return cls.model_validate(dict(options))
    except ValidationError as error:
        said = problem(cls, error)
        raise SettingsError(f"study {name}: {said}{'' if said.endswith('?') else '.'}") from error


def study(design: Study, settings: Settings, writing: Writing, work: Work | None = None) -> Outcome:
    """Run a study, and write its report.

    Parameters
    ----------
    design
        The study with its options.
    settings
        Of the report: title, sections, templates, formats and the like.
    writing
        Where and how.
    work
        Executor and progress; this thread, silently, when left out.
    """
    names = settings.report.sections if settings.report.sections is not None else (*design.sections, "provenance")
    chosen = sections.load(names, settings.sections, "study")
    report = _report(design, design.results(work or Work()), chosen, settings, writing)
    return written_report(report, settings, writing, also=design.write_more, chosen=chosen)


def _report(
    design: Study, results: StudyResults, chosen: list[sections.Found], settings: Settings, writing: Writing
) -> Report:
    evaluation = Evaluation(
        source=results.source,
        roles=(),
        scale=results.scale,
        score_types=(),
        groups=(),
        raters=(),
        settings={**stored(settings), "study": {"name": design.name, **design.model_dump(mode="json")}},
        facts={"study": design.name, **results.facts},
        estimates=results.estimates,
        tables={table.key: table for table in results.tables},
        checks=(),
        warnings=results.warnings,
        provenance={**provenance_of(settings, writing.command), "seed": design.seed},
        kind="study",
    )
    report = composed(evaluation, chosen, settings, design.title)
    return replace(report, sections=_warned(report.sections, results.warnings))


def _warned(made: Sequence[SectionResult], warnings: Sequence[str]) -> tuple[SectionResult, ...]:
    """Return the sections, the first with the warnings of the study among its paragraphs."""
    if not made:
        return ()
    first, *others = made
    findings = replace(first.findings, paragraphs=(*first.findings.paragraphs, *warnings))
    return (replace(first, findings=findings), *others)
