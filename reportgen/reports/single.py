"""Create a report from scores; load, check, render, and cite saved reports."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from reportgen import sections
from reportgen.errors import DISTRIBUTION, SectionError, SettingsError, did_you_mean
from reportgen.plugins import explain, version
from reportgen.rendering.look import look_of, stored_look, write_library
from reportgen.results import Evaluation, Findings, Report, SectionResult, Verdict
from reportgen.scores import Account, paths_of, read, resolved, sha256_of
from reportgen.scores.table import ANY
from reportgen.settings import CONFIG_SUFFIXES, Settings, from_keywords, is_path, is_policy_path, override, stored
from reportgen.settings.loading import load as load_settings
from reportgen.settings.loading import write_config
from reportgen.sources.column_names import WILD
from reportgen.storing import RESULTS_FILE, report_folder, results_file
from reportgen.storing.report_folder import REFERENCES, Writing, staged, write_tables
from reportgen.wording.vocabulary import english

if TYPE_CHECKING:
    from reportgen.evaluation import TalliedScores
    from reportgen.policies import Policy


@dataclass(frozen=True)
class Outcome:
    """The result of a run.

    tables: The prepared scores of the system, or of each of several systems or traits; none after `render`.
    """

    report: Report
    folder: Path | None = None  # folder of the files; None if nothing was written
    failed_sections: tuple[str, ...] = ()  # sections that failed; the report shows the error in their place
    prefix: str = ""  # prefix of the names of the pages
    parts: tuple[Outcome, ...] = ()  # with several systems, the result for each, and their comparison last
    tables: tuple[Account, ...] = ()
    names: tuple[str, ...] = ()
    to_read: tuple[Path, ...] = ()  # pages of the responses to review, next to the report

    def raise_failures(self) -> None:
        """Raise if a part of the requested report failed."""
        if self.failed_sections:
            errors = {section.name: section.error.partition("; ")[0].rstrip(".") for section in self.report.sections}
            why = ", ".join(f"{name} ({errors.get(name) or 'see the report'})" for name in self.failed_sections)
            way = "fix custom sections and add --force, or report the failure of a built-in one"
            raise SectionError(f"the report was written, but these sections failed: {why}; {way}.")

    def shown(self) -> Report:
        """Return the report, with the path of its page if one was written."""
        page = None if self.folder is None else self.folder / f"{self.prefix}report.html"
        return replace(self.report, page=page) if page is not None and page.is_file() else self.report

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts by trait or system name; a single one has an empty name."""
        found = zip(self.names, self.parts, strict=False) if self.names else [("", self)]
        return {name: part.report.verdict for name, part in found if part.report.verdict is not None}


PACKET = "packet_"  # prefix of the names of packet sections

FONTS = ("font-source-sans-pro", "font-source-serif-pro")

VERSIONS = ("numpy", "scipy", "pyarrow", "jinja2", "nbconvert", "plotly", "weasyprint", *FONTS)
"""Distributions whose versions can change a number or a page."""


def report_of(made: Evaluation, scores: Account, settings: Settings, chosen: list[sections.Found]) -> Report:
    """Make the report on an evaluation of prepared scores; a subset of rows is named after the title."""
    system, only = next(iter(scores.columns("system")), None), settings.data.only
    title = f"Evaluation of {system} scores in" if system else "The raters of"
    report = composed(
        with_settings(made, settings, made.raters), chosen, settings, f"{title} {scores.source.name}",
        labels=dict(settings.labels),
    )  # fmt: skip
    selected = f": {', '.join(f'{name} {value}' for name, value in only.items())}" if only else ""
    return replace(report, title=report.title + selected)


def composed(
    evaluation: Evaluation, chosen: list[sections.Found], settings: Settings, title: str, **more: Any
) -> Report:
    """Make a report on an evaluation with the findings of every section; `title` is the default title."""
    about = settings.report
    return Report(**{
        "title": about.title or title,
        "description": about.description,
        "language": about.language,
        "created": (about.created or date.today()).isoformat(),
        "evaluation": evaluation,
        "sections": tuple(section_results(chosen, evaluation)),
        **more,
    })  # fmt: skip


def section_results(chosen: list[sections.Found], evaluation: Evaluation) -> list[SectionResult]:
    """Return the findings of every section; a section that fails shows its error and does not stop the others."""
    results = []
    for found in chosen:
        section, options, findings, error = found.section, {}, Findings(), found.error
        if not error:
            if sections.unmet_need(section, evaluation):
                continue
            options = {name: getattr(section, name) for name in getattr(section, "__dataclass_fields__", {})}
            try:
                findings = _checked_findings(section.findings(_read_only(evaluation)), found)
            except KeyboardInterrupt:
                raise
            except BaseException as problem:  # noqa: BLE001 - a section is anyone's code; the page shows its failure
                error = explain(problem)
        results.append(
            SectionResult(section.name, section.title, found.provider, options, findings, error, section.part)
        )
    return results


def _checked_findings(findings: object, found: sections.Found) -> Findings:
    from reportgen.storing.results_file import decode, encode

    if not isinstance(findings, Findings):
        raise TypeError(f"findings() returned {type(findings).__name__}, expected Findings")
    if not found.own:
        decode(encode(findings), Findings, "findings")
    return findings


def _read_only(evaluation: Evaluation) -> Evaluation:
    own: dict[str, Any] = {name: dict(getattr(evaluation, name)) for name in ("tables", "estimates")}
    own |= {name: deepcopy(dict(getattr(evaluation, name))) for name in ("facts", "settings", "provenance")}
    frozen: dict[str, Any] = {name: MappingProxyType(each) for name, each in own.items()}
    return replace(evaluation, **frozen)


def provenance_of(settings: Settings, command: str) -> dict[str, Any]:
    """Return versions, seed, and command; for a custom policy, also the SHA-256 of its file."""
    policy = settings.verdict.policy
    own = {"policy_sha256": sha256_of(Path(policy))} if is_policy_path(policy) and Path(policy).is_file() else {}
    return {"versions": versions_here(), "seed": settings.statistics.seed, "command": command, **own}


def versions_here() -> dict[str, str]:
    """Return the installed versions of packages that can change a number or a page."""
    here = {"python": platform.python_version(), "reportgen": version(DISTRIBUTION)}
    return here | {name: version(name) for name in VERSIONS}


NAMING = ("--human", "--record")  # options that can name raters


def with_settings(evaluation: Evaluation, settings: Settings, columns: Sequence[str]) -> Evaluation:
    """Add settings to an evaluation in the form that a report shows.

    In a file with one row per rating, ``--human`` and ``--record`` name raters; both the settings and the command omit
    these names unless rater names are shown. Patterns, and the `columns` of human scores, do not name anyone.
    """
    told, data = stored(settings), settings.data
    names = [name for name in data.human or () if name not in columns and not WILD.search(name)]
    if data.layout != "wide" and data.record not in (None, ANY, *columns):
        names.append(str(data.record))
    if data.show_rater_names or not names:
        return replace(evaluation, settings=told)
    kept = [name for name in told["data"].pop("human", ()) if name not in names]
    told["data"] |= {"human": kept} if kept else {}
    if data.record in names:
        del told["data"]["record"]
    provenance = dict(evaluation.provenance)
    if "command" in provenance:
        provenance["command"] = _without(str(provenance["command"]), names)
    return replace(evaluation, settings=told, provenance=provenance)


def _without(command: str, names: Collection[str]) -> str:
    """Remove rater names from a command.

    >>> _without("reportgen evaluate s.csv --human Anna '--record=Bo B' --human 'R*'", ["Anna", "Bo B"])
    "reportgen evaluate s.csv --human ... --record=... --human 'R*'"
    """
    words = shlex.split(command)
    hidden = {f"{option}={name}": f"{option}=..." for option in NAMING for name in names}
    behind = dict.fromkeys(names, "...")
    pairs = zip(["", *words], words, strict=False)
    return shlex.join((behind if before in NAMING else hidden).get(word, word) for before, word in pairs)


def cite(report: Report | None = None, form: str = "text") -> str:
    """Cite reportgen and the works behind a report's numbers as "bibtex", "csl" (CSL-JSON), or "text"."""
    from reportgen.citations import FORMATS, SOFTWARE, works_behind
    from reportgen.wording.bibliography import work

    if form not in FORMATS:
        raise SettingsError(f"--format: unknown format {form!r}{did_you_mean(form, FORMATS)}")
    keys = () if report is None else works_behind(report.evaluation)
    return FORMATS[form]([SOFTWARE, *map(work, keys)])


def write_pages(
    report: Report, folder: Path, settings: Settings, writing: Writing, chosen: Sequence[sections.Found] = ()
) -> set[str]:
    """Write notebook, pages, and references; return the sections that could not be displayed.

    `chosen` are the sections of this run; those named by file also provide their templates. The PDF of a packet has
    results.json attached.
    """
    from reportgen.rendering import render

    look = replace(
        look_of(settings), above=writing.above, sections={each.section.name: each.file for each in chosen if each.file}
    )
    failed = render(
        report, folder, formats=settings.report.formats, look=look, kernel=writing.kernel, prefix=writing.prefix,
        attach=any(section.name.startswith(PACKET) for section in report.sections),
    )  # fmt: skip
    for name, text in zip(REFERENCES, (cite(report, "bibtex"), cite(report, "csl")), strict=True):
        (folder / f"{writing.prefix}{name}").write_text(text, encoding="utf-8")
    return set(failed)


def write_shared(folder: Path, settings: Settings) -> None:
    """Write the files that reports in a folder share, if any."""
    look = look_of(settings)
    if look.library and "html" in settings.report.formats:
        write_library(look, folder)


def evaluate_scores(
    source: Any, scores: Account, settings: Settings, writing: Writing, tallied: TalliedScores | None = None
) -> Outcome:
    """Evaluate prepared or counted scores, and write the report; `source` is for config.toml."""
    from reportgen import evaluation

    chosen = sections.load(settings.report.sections, settings.sections)
    if not scores.systems and settings.report.sections is None:
        chosen = sections.load(None, settings.sections, "raters")
    settings = resolved(settings, scores, paths_of(source))
    made = evaluation.evaluate(scores, settings, provenance_of(settings, writing.command), tallied)
    report = report_of(made, scores, settings, chosen)
    return replace(written_report(report, settings, writing, chosen=chosen, config=True), tables=(scores,))


def written_report(
    report: Report, settings: Settings, writing: Writing, *, also: Callable[[Path], None] = lambda _: None, **how: Any
) -> Outcome:
    """Write a report into the folder in `writing`, atomically; without a folder, nothing is written.

    `also` writes more files into the folder; other arguments are those of `write_files`.
    """
    with nullcontext() if writing.folder is None else staged(writing.folder, writing.force) as stage:
        if stage is not None:
            also(stage)
        return Outcome(report, writing.folder, write_files(report, stage, settings, writing, **how))


def write_files(
    report: Report,
    folder: Path | None,
    settings: Settings,
    writing: Writing,
    *,
    chosen: Sequence[sections.Found] = (),
    config: bool = False,
) -> tuple[str, ...]:
    """Write results, tables, pages, and with `config` settings into a staging folder; return failed sections."""
    failed = {section.name for section in report.sections if section.error}
    if folder is None:
        return tuple(sorted(failed))
    folder.mkdir(parents=True, exist_ok=True)
    write_tables(map(english().file, report.evaluation.tables.values()), folder / "tables")
    results_file.write(report, folder / f"{writing.prefix}results.json")
    if config:
        write_config(settings, folder / f"{writing.prefix}config.toml", writing.home or writing.folder)
    if not writing.tables_only:
        failed |= write_pages(report, folder, settings, writing, chosen)
    return tuple(sorted(failed))


def refuse_early(settings: Settings) -> None:
    """Raise for impossible settings before anything is read."""
    from reportgen import rendering
    from reportgen.policies import load_policy

    if settings.runs.kind is not None:
        verb = {"comparison": "compare", "summary": "summarize"}[settings.runs.kind]
        raise SettingsError(f"the configuration is for existing reports; run: reportgen {verb} CONFIG OUT_DIR")
    load_policy(settings.verdict.policy)
    rendering.check(look_of(settings), settings.report.formats)


def is_judge_outputs(source: Any, wanted: str | None = None) -> bool:
    """Return whether a source is a file of judge outputs: according to the `wanted` reader, or detected."""
    from reportgen.sources.judge_readers import has_scores

    return isinstance(source, str | Path) and has_scores(Path(source), wanted)


def is_rsmtool(source: Any) -> bool:
    """Return whether a source is an RSMTool configuration: JSON, its content, or a reportgen file with one."""
    if isinstance(source, Mapping):
        possible = any(isinstance(value, str) for value in source.values())  # otherwise these are columns
    else:
        possible = str(source).lower().endswith(CONFIG_SUFFIXES) and not is_judge_outputs(source)
    if not possible:
        return False
    from reportgen.rsmtool.config import answers_rsmeval, tool_of, tool_of_file

    if isinstance(source, Mapping):
        return tool_of(source) is not None
    return answers_rsmeval(Path(source)) or tool_of_file(Path(source)) is not None


def evaluate_rsmeval(source: Path | Mapping[str, Any], given: Mapping[str, Any], writing: Writing) -> Outcome:
    """Evaluate the scores of an rsmeval configuration, and write RSMTool's folders.

    source: The configuration: a JSON file, or its content.
    given: Settings that override the configuration, by keyword.
    writing: Tables go into the folder ``output`` of its folder, pages and results.json into ``report``.
    """
    from reportgen.evaluation import evaluate, tally_screened
    from reportgen.rsmtool import layout
    from reportgen.rsmtool.config import load_run, of_rsmeval, spelled_out

    run = load_run(source, given)
    settings, folder, force = run.settings, writing.folder, writing.force
    refuse_early(settings)
    if folder is not None:
        report_folder.check(folder, force, layout.refuse)
    chosen = sections.load(settings.report.sections, settings.sections)
    scores = run.prepared(read(run.predictions, settings))
    settings = spelled_out(settings, scores, run)
    tallied = tally_screened(scores, settings)
    private = settings.privacy.peer_tables
    of_peer = tallied if private or not tallied.withheld.least else tally_screened(scores, settings, withhold=False)
    made = evaluate(scores, settings, provenance_of(settings, writing.command), tallied)
    if folder is None:
        return Outcome(report_of(made, scores, settings, chosen), tables=(scores,))
    with staged(folder, force, partial(layout.is_own, run.id), layout.refuse) as stage:
        output, pages = stage / layout.OUTPUT, stage / layout.REPORT
        layout.write_output(run, scores, of_peer, output, private=private)
        if not writing.tables_only:
            chosen = layout.with_notebooks(chosen, run.order, of_rsmeval(run, output), output, writing.kernel)
        report = report_of(made, scores, settings, chosen)
        home = folder / layout.REPORT
        writing = replace(writing, prefix=run.prefix, home=home)
        failed = write_files(report, pages, settings, writing, chosen=chosen, config=True)
    return Outcome(report, home, failed, run.prefix, tables=(scores,))


def load(path: str | Path) -> Report:
    """Load the report in a results.json, or in the folder of a report or of an rsmeval run."""
    results = results_of(Path(path))
    page = results.with_name(results.name.removesuffix(RESULTS_FILE) + "report.html")
    report = results_file.read(results)
    return replace(report, page=page) if page.is_file() else report


def results_of(path: Path) -> Path:
    """Find the results.json of a report, given the file or the folder of a report or of an rsmeval run."""
    if not path.is_dir():
        return path
    named = sorted(path.glob("report/*_results.json"))
    return named[0] if len(named) == 1 else path / RESULTS_FILE


def check(report: Report, policy: str | Path | Policy | None = None) -> Verdict:
    """Check a report against a policy.

    policy: A policy, its built-in name, or its path; None checks the report's statistics against its own policy again.
    """
    from reportgen.policies import Policy, load_policy
    from reportgen.verdicts import again, verdict

    ruling = report.evaluation.ruling if policy is None else None
    if ruling is not None:
        return again(report.evaluation, ruling)
    return verdict(report.evaluation, policy if isinstance(policy, Policy) else load_policy(policy or "default"))


def render_report(
    report: Report, folder: Path, settings: Settings, *, force: bool = False, kernel: str | None = None
) -> Outcome:
    """Rebuild the pages of a report, without its scores.

    settings: ``report`` settings (language, formats, colours, page, interactive, plotly) override those of the first
        run; templates, logo, and sections count only if they are given here. A section is a file whose template
        displays the stored findings.
    """
    named = settings.report.sections or ()
    for name in named:
        if not is_path(name):
            why = f"--sections: '{name}' is not a file; to show a section of a saved report with your template, "
            raise SettingsError(f"{why}name its file.")
    chosen = sections.load(named, {})
    for each in chosen:
        if each.error:
            raise SectionError(each.error)
    report, settings = as_asked(report, settings)
    with staged(folder, force) as stage:
        results_file.write(report, stage / "results.json")
        failed = write_pages(report, stage, settings, Writing(kernel=kernel), chosen)
    return Outcome(report, folder, tuple(sorted(failed)))


def as_asked(report: Report, settings: Settings) -> tuple[Report, Settings]:
    """Return a stored report in the requested language, with its look; `settings` override the stored ones."""
    if "language" in settings.report.model_fields_set:
        report = replace(report, language=settings.report.language)
    wanted = settings.report.model_dump(exclude_unset=True, exclude={"sections"})
    return report, override(stored_look(report), **wanted)


def configured(source: Any, keywords: Mapping[str, Any]) -> tuple[Any, Settings]:
    """Return the scores, or their query, and the settings; keywords override a configuration.

    Any frame is returned as an Arrow table.

    source: One or more score files, a frame, a query, or a configuration.
    """
    from reportgen.sources.databases import Query, query_of

    if isinstance(source, Query):
        return source, from_keywords(**{**keywords, "connection": source.connection, "query": source.sql})
    if paths_of(source) is None:
        from reportgen.sources.tabular import arrow_table

        source = arrow_table(source)
    is_file = isinstance(source, str | Path) and str(source).lower().endswith(CONFIG_SUFFIXES)
    if not is_file or is_judge_outputs(source, keywords.get("format")):
        return source, from_keywords(**keywords)

    settings = override(load_settings(source), **keywords)
    query = query_of(settings.data)
    if query is None and settings.data.file is None and settings.runs.kind is None:
        raise SettingsError(f'{source} has no score file; add file = "scores.csv" under [data].')
    return query or settings.data.file or source, settings
