"""What reportgen does with studies, as a function: run one, and write its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from reportgen import sections
from reportgen.errors import SettingsError, did_you_mean
from reportgen.reports.single import Outcome, composed, provenance_of, written_report
from reportgen.results import Evaluation
from reportgen.settings import Settings, stored
from reportgen.settings.wording import problem
from reportgen.storing.report_folder import Writing
from reportgen.studies.study import Study, Work, find


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
    results = design.results(work or Work())
    evaluation = Evaluation(
        source=results.source,
        roles=(),
        scale=results.scale,
        score_types=(),
        groups=(),
        raters=(),
        settings={**stored(settings), "study": {"name": design.name, **design.model_dump(mode="json")}},
        facts={"study": design.name, **results.facts},
        estimates={},
        tables={table.key: table for table in results.tables},
        checks=(),
        warnings=results.warnings,
        provenance={**provenance_of(settings, writing.command), "seed": design.seed},
        kind="study",
    )
    report = composed(evaluation, chosen, settings, design.title)
    if report.sections:  # the first says what the study warns of
        first, *others = report.sections
        findings = replace(first.findings, paragraphs=(*first.findings.paragraphs, *results.warnings))
        report = replace(report, sections=(replace(first, findings=findings), *others))
    return written_report(report, settings, writing, also=results.also, chosen=chosen)
