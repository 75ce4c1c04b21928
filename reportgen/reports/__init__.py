"""What reportgen does, as functions: evaluate scores, render a stored report, load one.

Each verb reads as its story; the command line and the Python API call the same ones.
"""

from __future__ import annotations

import platform
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen import sections, tracking
from reportgen.errors import LogError, ReportgenError, SectionError, SettingsError
from reportgen.plugins.installed import version
from reportgen.plugins.isolation import guest, read_only, told
from reportgen.results import Evaluation, Findings, Report, SectionResult, Verdict
from reportgen.scores import Account, paths_of, read, resolved
from reportgen.settings import (
    CONFIG_SUFFIXES,
    DataSettings,
    Settings,
    from_stored,
    is_path,
    override,
    stored,
    write_config,
)
from reportgen.storing import results_file
from reportgen.storing.csv_tables import write_tables
from reportgen.storing.report_folder import staged

if TYPE_CHECKING:
    from reportgen.evaluation import TalliedScores
    from reportgen.policies import Policy
    from reportgen.rendering import Look

LOOKS = ("formats", "colours", "page", "interactive")
"""What is followed of how a stored report looks."""

VERSIONS = ("reportgen", "numpy", "scipy", "pyarrow", "jinja2", "nbconvert", "plotly", "matplotlib", "weasyprint")
"""Distributions whose versions can change a number or a page."""


@dataclass(frozen=True)
class Outcome:
    """What a run made.

    Parameters
    ----------
    report
        Everything the pages say.
    folder
        Where they are; None when nothing was written.
    scores
        The prepared scores, for what is said aloud in the terminal; None after `render`.
    failed_sections
        Sections that could not be made or shown; their place in the report says what went wrong.
    prefix
        What the names of the pages begin with.
    parts
        With several systems, what was made for each of them, and their comparison last.
    tables
        With several systems, the prepared scores of each.
    not_logged
        A sentence for each tracker that took nothing.
    """

    report: Report
    folder: Path | None = None
    scores: Account | None = None
    failed_sections: tuple[str, ...] = ()
    prefix: str = ""
    parts: tuple[Outcome, ...] = ()
    tables: tuple[Account, ...] = ()
    not_logged: tuple[str, ...] = ()

    def raise_failures(self) -> None:
        """Raise when the report is not all that was asked for.

        Raises
        ------
        SectionError
            A section could not be made or shown.
        LogError
            A tracker took nothing.
        """
        if self.failed_sections:
            failed = ", ".join(self.failed_sections)
            raise SectionError(f"the report was written, but not every section could be made: {failed}.")
        if self.not_logged:
            raise LogError(f"the report was written, but not logged: {'; '.join(self.not_logged)}")

    def said(self) -> Report:
        """Return the report; warn of what was not logged."""
        for sentence in self.not_logged:
            warnings.warn(sentence, stacklevel=3)
        return self.report

    def logged(self, settings: Settings) -> Outcome:
        """Tell the trackers of the settings about the report; return the outcome with what they did not take."""
        return replace(self, not_logged=tracking.log(self.report, self.folder, settings, self.prefix))

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What the policy says: of each system by its name, or of the only one without."""
        if self.tables:
            names = [table.columns("system")[0] for table in self.tables]
            found = {name: part.report.verdict for name, part in zip(names, self.parts, strict=False)}
        else:
            found = {"": self.report.verdict}
        return {name: verdict for name, verdict in found.items() if verdict is not None}


def evaluate(
    source: Any,
    folder: Path | None,
    settings: Settings,
    *,
    tables_only: bool = False,
    force: bool = False,
    kernel: str | None = None,
    command: str = "",
    scores: Account | None = None,
    tallied: TalliedScores | None = None,
    home: Path | None = None,
) -> Outcome:
    """Read scores, evaluate them, and write the report.

    Parameters
    ----------
    source
        Path or paths of a data file, or a frame.
    folder
        Where to write; None computes and writes nothing.
    settings
        Resolved settings.
    tables_only
        Write results.json, tables and config.toml, and no pages.
    force
        Replace a report that is there.
    kernel
        Jupyter kernel that executes the notebook; None executes it in this process.
    command
        The command line, for the provenance section.
    scores
        What `source` holds, when it is read already.
    tallied
        The counted scores, when they are counted already.
    home
        Where the report is to be in the end, when that is not `folder`: paths in it are relative to this.

    Raises
    ------
    ReportgenError
        When the input, a setting or the output folder is not what it should be.
    """
    refuse_early(settings)
    chosen = sections.load(settings.report.sections, settings.sections)
    scores = scores or read(source, settings)
    if folder is not None and not tables_only and "pdf" in settings.report.formats:
        _refuse_costly_pages(scores, tallied)
    home = home or folder
    spelled_out = resolved(settings, scores, paths_of(source))
    report = make_report(scores, spelled_out, chosen, command, tallied)
    failed = {section.name for section in report.sections if section.error}
    if folder is None:
        return Outcome(report, None, scores, tuple(sorted(failed))).logged(settings)
    with staged(folder, force) as stage:
        results_file.write(report, stage / "results.json")
        write_tables(report.evaluation.tables.values(), stage / "tables")
        write_config(spelled_out, stage / "config.toml", home)
        if not tables_only:
            failed |= write_pages(report, stage, settings, kernel, chosen=chosen)
    return Outcome(report, folder, scores, tuple(sorted(failed))).logged(settings)


def _refuse_costly_pages(scores: Account, tallied: TalliedScores | None) -> None:
    """Raise when a PDF of so many groupings needs more memory than a run may take."""
    from reportgen.evaluation.outlay import refuse_costly_pages

    groups = tallied.groups if tallied is not None else getattr(scores, "groups", ())
    refuse_costly_pages(len(groups))


def refuse_early(settings: Settings) -> None:
    """Raise for settings that cannot be met, before anything is read.

    Raises
    ------
    SettingsError, TemplateError
        They are about finished runs, or name a tracker whose package, a folder of templates, a logo or a policy that
        is missing; or something in the policy is not right.
    """
    from reportgen.policies import load_policy

    if settings.runs.kind is not None:
        verb = {"comparison": "compare", "summary": "summarize"}[settings.runs.kind]
        raise SettingsError(f"the configuration is about finished runs; type: reportgen {verb} CONFIG OUT_DIR")
    tracking.check(settings.log.to)
    load_policy(settings.verdict.policy)
    look_of(settings).check()


def is_judge_outputs(source: Any, wanted: str | None = None) -> bool:
    """Return whether a source is a file of judge outputs: by the `wanted` reader, or as readers recognise it."""
    from reportgen.sources.judge_outputs import recognised

    return bool(isinstance(source, str | Path) and Path(source).is_file() and recognised(Path(source), wanted))


def query_of(data: DataSettings, *, allow_superuser: bool = False) -> Any:
    """Return the query to a database that settings name; None when they name none."""
    from reportgen.sources.databases import query_of as found

    return found(data, allow_superuser=allow_superuser)


def told_of_query(source: Any) -> dict[str, str]:
    """Return the settings that name a query, when the source is one; nothing of its credentials."""
    return {"connection": source.connection, "query": source.sql} if hasattr(source, "sql") else {}


def is_rsmtool(source: Any) -> bool:
    """Return whether a source is a configuration of RSMTool: a JSON file, what one says, or one that ours keeps."""
    if not isinstance(source, Mapping) and not str(source).lower().endswith(CONFIG_SUFFIXES):
        return False
    if is_judge_outputs(source):
        return False
    from reportgen import rsmtool

    if not isinstance(source, Mapping) and rsmtool.answers_rsmeval(Path(source)):
        return True
    return (rsmtool.tool_of(source) if isinstance(source, Mapping) else rsmtool.tool_of_file(Path(source))) is not None


def evaluate_rsmeval(
    source: Path | Mapping[str, Any],
    folder: Path | None,
    given: Mapping[str, Any],
    *,
    tables_only: bool = False,
    force: bool = False,
    kernel: str | None = None,
    command: str = "",
) -> Outcome:
    """Evaluate what an rsmeval configuration names, and write RSMTool's folders.

    Parameters
    ----------
    source
        The configuration: a JSON file, or what it says.
    folder
        Where to write: tables into its folder ``output``, pages and results.json into ``report``; None
        computes and writes nothing.
    given
        Settings that win over the configuration, by keyword.
    tables_only, force, kernel, command
        As for `evaluate`.

    Raises
    ------
    ReportgenError
        When the configuration, the input or the output folder is not what it should be.
    """
    from reportgen import rsmtool
    from reportgen.evaluation import tally_screened

    run = rsmtool.load_run(source, given)
    settings = run.settings
    refuse_early(settings)
    if folder is not None:
        rsmtool.check(folder, force)
    chosen = sections.load(settings.report.sections, settings.sections)
    scores = run.prepared(read(run.predictions, settings))
    settings = rsmtool.spelled_out(settings, scores, run)
    tallied = tally_screened(scores, settings)
    private = settings.privacy.peer_tables
    of_peer = tallied if private or not tallied.withheld.least else tally_screened(scores, settings, withhold=False)
    if folder is None:
        report = make_report(scores, settings, chosen, command, tallied)
        return Outcome(report, None, scores).logged(settings)
    with rsmtool.staged(folder, run, force) as stage:
        output, pages = stage / rsmtool.OUTPUT, stage / rsmtool.REPORT
        rsmtool.write_output(run, scores, of_peer, output, private=private)
        if not tables_only:
            chosen = rsmtool.with_notebooks(chosen, run.order, rsmtool.of_rsmeval(run, output), output, kernel)
        report = make_report(scores, settings, chosen, command, tallied)
        failed = {section.name for section in report.sections if section.error}
        write_tables(report.evaluation.tables.values(), pages / "tables")
        results_file.write(report, pages / f"{run.prefix}results.json")
        write_config(settings, pages / f"{run.prefix}config.toml", folder / rsmtool.REPORT)
        if not tables_only:
            failed |= write_pages(report, pages, settings, kernel, run.prefix, chosen=chosen)
    return Outcome(report, folder / rsmtool.REPORT, scores, tuple(sorted(failed)), run.prefix).logged(settings)


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
    evaluation = replace(made, settings=stored(settings))
    system = scores.columns("system")[0]
    return Report(
        title=(settings.report.title or f"Evaluation of {system} scores in {scores.source.name}") + _selected(settings),
        description=settings.report.description,
        created=(settings.report.created or date.today()).isoformat(),
        evaluation=evaluation,
        sections=tuple(section_results(chosen, evaluation)),
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
            results.append(SectionResult(section.name, section.title, found.provider, {}, Findings(), found.error))
            continue
        if sections.unmet_need(section, evaluation):
            continue
        findings, error = Findings(), ""
        try:
            with guest():
                findings = _checked_findings(section.findings(read_only(evaluation)), found)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:  # noqa: BLE001 - a section is anyone's code; its page tells its failure
            error = told(problem)
        options = {name: getattr(section, name) for name in getattr(section, "__dataclass_fields__", {})}
        results.append(SectionResult(section.name, section.title, found.provider, options, findings, error))
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


def write_pages(
    report: Report,
    folder: Path,
    settings: Settings,
    kernel: str | None,
    prefix: str = "",
    *,
    chosen: Sequence[sections.Found] = (),
    attach: bool = False,
) -> set[str]:
    """Write notebook, HTML and PDF, their names beginning with `prefix`; return the sections that failed in showing.

    `chosen` are the sections of this run: those that the user named by their file bring their templates.  `attach` puts
    results.json into the PDF, as an attached file.
    """
    from reportgen.rendering import render

    look = replace(look_of(settings), sections={each.section.name: each.file for each in chosen if each.file})
    rendered = render(
        report, folder, formats=settings.report.formats, look=look, kernel=kernel, prefix=prefix, attach=attach
    )
    return set(rendered.failed_sections)


def look_of(settings: Settings) -> Look:
    """Return how a report is to look."""
    from reportgen.charts.theme import Colours
    from reportgen.rendering.look import Look

    return Look(
        templates=settings.report.templates,
        logo=settings.report.logo,
        colours=Colours(**settings.report.colours.model_dump(exclude_none=True)),
        page=settings.report.page,
        interactive=settings.report.interactive,
    )


def render_report(
    path: Path, folder: Path, settings: Settings, *, force: bool = False, kernel: str | None = None
) -> Outcome:
    """Make the pages of a stored report again, without its scores.

    Parameters
    ----------
    path
        A results.json.
    folder
        Where to write the pages.
    settings
        Those of ``report`` that are set (formats, colours, page, interactive) replace the ones of the first run;
        templates, logo and sections are followed where they are named here, and nowhere else.  A section is the file of
        one whose template shows what is stored of it.
    """
    report = results_file.read(path)
    chosen = _named_by_file(settings)
    wanted = settings.report.model_dump(exclude_unset=True, exclude={"sections"})
    settings = override(stored_look(report), **wanted)
    with staged(folder, force) as stage:
        results_file.write(report, stage / "results.json")
        packet = any(section.name.startswith("packet_") for section in report.sections)
        failed = write_pages(report, stage, settings, kernel, chosen=chosen, attach=packet)
    return Outcome(report, folder, None, tuple(sorted(failed)))


def stored_look(report: Report) -> Settings:
    """Return how a stored report looks: values, and nothing that leads to a file."""
    stored = report.evaluation.settings.get("report")
    kept = {key: stored[key] for key in LOOKS if key in stored} if isinstance(stored, Mapping) else {}
    return from_stored({"report": kept})


def _named_by_file(settings: Settings) -> list[sections.Found]:
    """Return the sections whose files are named by the one who renders."""
    named = settings.report.sections or ()
    for name in named:
        if not is_path(name):
            raise SettingsError(
                f"--sections: '{name}' is no file; a stored report has its sections, name the file of one to show it "
                "with its template."
            )
    chosen = sections.load(named, {})
    for each in chosen:
        if each.error:
            raise SectionError(each.error)
    return chosen


def provenance_of(settings: Settings, command: str) -> dict[str, Any]:
    """Return versions, seed and command."""
    versions = {"python": platform.python_version()} | {name: version(name) for name in VERSIONS}
    return {"versions": versions, "seed": settings.statistics.seed, "command": command}


def load(path: str | Path) -> Report:
    """Return the report stored in a results.json, or in the folder of a report or of an rsmeval run."""
    path = Path(path)
    if path.is_dir():
        named = sorted(path.glob("report/*_results.json"))
        path = named[0] if len(named) == 1 else path / "results.json"
    return results_file.read(path)


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


def settings_of(keywords: Mapping[str, Any]) -> Settings:
    """Return settings from flat keywords; unknown ones are refused with the nearest right one."""
    from reportgen.settings import from_keywords

    try:
        return from_keywords(**keywords)
    except ReportgenError:
        raise
    except TypeError as error:
        raise SettingsError(str(error)) from error
