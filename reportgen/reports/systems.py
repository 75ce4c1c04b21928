"""Several systems in one file: a report of each, their comparison, and a page that leads to all of them.

The verb reads as its story, as in `reportgen.reports`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import closing, nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen import sections
from reportgen.errors import InputError, SettingsError
from reportgen.machine.progress import Silent
from reportgen.reports import single
from reportgen.reports.parts import (
    DOUBTS,
    doubts_of,
    give_back,
    judged_by,
    of_one,
    places,
    plain,
    refuse_folders,
    titled,
    written,
)
from reportgen.reports.single import Outcome
from reportgen.reports.traits import evaluate_traits
from reportgen.results import Evaluation, Report, ReportKind
from reportgen.results.term import Term
from reportgen.scores import Account, ScoreTable, all_resolved, paths_of, read_tables
from reportgen.scores.reading import Opened, named, opened
from reportgen.scores.traits import Traits, traits_in
from reportgen.settings import Settings, write_config
from reportgen.sources.databases import Query
from reportgen.sources.files import MANY_ROWS
from reportgen.sources.size import is_large
from reportgen.storing import report_folder
from reportgen.storing.report_folder import Writing
from reportgen.wording.names import folder_names

if TYPE_CHECKING:
    from reportgen.evaluation import TalliedScores
    from reportgen.passes import InPasses
    from reportgen.runs import Run

COMPARISON = "comparison"
"""Folder of the comparison of all systems."""

_SECTIONS = ("summarize_systems", "summarize_agreement", "summarize_groups", "provenance")
"""The sections of the page that leads to all reports."""


@dataclass(frozen=True)
class Reading:
    """How a source is read.

    Parameters
    ----------
    batches
        Whether rows are counted in batches and never held; None where a source is large and nothing needs its rows.
    executor
        Counts rows in batches, instead of this process.
    status
        Is told what is being done, and how many rows are read.
    told
        Is told how the scores of each system are prepared, before they are evaluated.
    told_traits
        Is told which traits there are, and how their scores are prepared.
    """

    batches: bool | None = None
    executor: Executor | None = None
    status: Silent = field(default_factory=Silent)
    told: Callable[[Sequence[Account]], None] = lambda _: None
    told_traits: Callable[[Traits, Sequence[Account]], None] = lambda *_: None


@dataclass(frozen=True)
class Systems:
    """Every system of a source, the one that others are compared with first.

    Parameters
    ----------
    accounts
        How their scores were prepared; with the rows where these are held.
    tallied
        Their counted scores; None where rows are held.
    runs
        Gives them as runs, each on the responses that it scored.
    compared
        Gives them as runs on the responses that all of them scored, and what to say of the others.
    """

    accounts: tuple[Account, ...]
    tallied: tuple[TalliedScores | None, ...]
    runs: Callable[[Settings], list[Run]]
    compared: Callable[[Settings], tuple[list[Run], tuple[str, ...]]]

    @classmethod
    def of_tables(cls, tables: tuple[ScoreTable, ...]) -> Systems:
        """Return the systems of tables that hold the rows of one file."""
        from reportgen.runs import runs_of_tables, runs_on_shared

        return cls(tables, (None,) * len(tables), partial(runs_of_tables, tables), partial(runs_on_shared, tables))

    @classmethod
    def of_counts(cls, counted: tuple[InPasses, ...]) -> Systems:
        """Return the systems of what was counted of one source."""
        from reportgen.runs import runs_counted_on_shared, runs_of_counts

        accounts = tuple(each.account for each in counted)
        own = [each.own for each in counted]
        shared = [each.shared for each in counted if each.shared is not None]
        return cls(
            accounts,
            tuple(each.tallied for each in counted),
            partial(runs_of_counts, accounts, own),
            partial(runs_counted_on_shared, accounts, shared),
        )


def evaluate(
    source: Any,
    settings: Settings,
    writing: Writing,
    say: Callable[[str], None] | None = None,
    reading: Reading | None = None,
) -> Outcome:
    """Read a file once, and write the report of its system, or of each of its systems with their comparison.

    Parameters
    ----------
    source
        Path or paths of a data file, or a frame.
    settings
        What is declared; systems are those of ``systems``, or all that are found.
    writing
        Where and how.
    say
        Is told what is being made; nobody when left out.
    reading
        Whether rows are counted in batches, and by whom.

    Returns
    -------
    Outcome
        Of the one system; with several, of the page that leads to their reports, its `parts` theirs.

    Raises
    ------
    ReportgenError
        When the input, a setting or the output folder is not what it should be.
    """
    single.refuse_early(settings)
    if settings.data.by:
        raise SettingsError("the configuration is about many reports (by = ...); type: reportgen batch CONFIG OUT_DIR")
    if settings.reading.read is not None:
        from reportgen.reports.reading_lists import refuse_early

        refuse_early(settings, writing.folder, writing.force)
    if settings.data.scales is not None:
        raise SettingsError("scales: one report has one scale; declare it with scale, or make a report for each item.")
    reading = reading or Reading()
    with reading.status as status:

        def aside(sentence: str) -> None:
            status.clear()
            if say is not None:
                say(sentence)

        outcome = _evaluated(source, settings, writing, aside, reading)
        return replace(outcome, to_read=_to_read(outcome, settings, writing))


def _evaluated(
    source: Any, settings: Settings, writing: Writing, say: Callable[[str], None], reading: Reading
) -> Outcome:
    """Return the outcome of a source; the status hears of every step."""
    status = reading.status
    if isinstance(source, Query):
        from reportgen.sources.fetched import Fetched

        status.stage("reading the rows of the query")
        with named(source):
            rows = Fetched(source, 0 if reading.batches else MANY_ROWS)
        with closing(rows):
            return _evaluated(rows, settings, writing, say, reading)
    with named(source):
        door = _opened(source, settings)
        refuse_folders(writing, ())  # a path that is misspelled is the first thing to know
        traits = None if door is None else traits_in(door)
    if traits is not None:
        return _of_traits(source, traits, settings, writing, say, reading)
    counted = _in_passes(source, settings, reading, say)
    if not counted:
        status.stage("reading all rows")
    tables = () if counted else read_tables(source, settings, None if is_large(source) else door)
    if tables and not tables[0].systems and settings.reading.read is not None:
        raise SettingsError("--read: a reading list needs an engine's score beside the ratings; leave it out.")
    status.clear()
    if settings.reading.read is not None and not all(isinstance(table, ScoreTable) for table in tables):
        raise SettingsError("read: responses to read are those where engine and people part; the file has no engine.")
    reading.told([each.account for each in counted] if counted else tables)
    if len(counted or tables) == 1:
        status.stage("making the report")
        account, tallied = (counted[0].account, counted[0].tallied) if counted else (tables[0], None)
        return of_one(source, account, settings, writing, writing.folder, writing.folder, tallied)
    systems = (
        Systems.of_counts(counted)
        if counted
        else Systems.of_tables(tuple(table for table in tables if isinstance(table, ScoreTable)))
    )
    status.stage("making the reports")
    return _of_several(source, systems, settings, writing, say)


def _to_read(outcome: Outcome, settings: Settings, writing: Writing) -> tuple[Path, ...]:
    """Write the responses to read, where they are asked for, beside the report; return the pages."""
    if settings.reading.read is None or writing.folder is None:
        return ()
    from reportgen.reports.reading_lists import write

    tables = outcome.tables or ((outcome.scores,) if outcome.scores is not None else ())
    names = outcome.traits or tuple(" ".join(table.columns("system")) for table in tables)
    return write(dict(zip(names, tables, strict=True)), settings, writing.folder)


def _opened(source: Any, settings: Settings) -> Opened | None:
    """Return a source opened, to look for traits; None where that would take reading a large one for nothing."""
    data = settings.data
    if is_large(source) and data.only and not (settings.traits or data.trait or data.trait_column):
        return None
    return opened(source, settings)


def _of_traits(
    source: Any, traits: Traits, settings: Settings, writing: Writing, say: Callable[[str], None], reading: Reading
) -> Outcome:
    """Return the outcome of a source with several traits, or of the one that the settings name."""
    if reading.batches:
        raise InputError("this cannot be counted in batches: traits need all rows; leave --batches out.")
    status, wanted = reading.status, settings.data.trait
    status.stage("reading all rows")
    if wanted is not None:
        part = traits.only(wanted)
        with named(source):
            table = part.read()
        status.clear()
        reading.told([table])
        status.stage("making the report")
        return of_one(source, table, part.settings, writing, writing.folder, writing.folder)
    with named(source):
        traits, tables = traits.read()
    status.clear()
    reading.told_traits(traits, tables)
    status.stage("making the reports")
    return evaluate_traits(source, traits, tables, settings, writing, say)


def _in_passes(source: Any, settings: Settings, reading: Reading, say: Callable[[str], None]) -> tuple[InPasses, ...]:
    """Return what is counted of each system of a source in batches; nothing when its rows are to be held."""
    if reading.batches is False or (reading.batches is None and not is_large(source)):
        return ()
    from reportgen.passes import NeedsRowsError, count_systems

    try:
        return count_systems(source, settings, reading.executor, reading.status.rows)
    except NeedsRowsError as reason:
        if reading.batches:
            raise InputError(f"this cannot be counted in batches: {reason}; leave --batches out.") from None
        say(f"all rows are held in memory: {reason}")
        return ()


def _of_several(
    source: Any, systems: Systems, settings: Settings, writing: Writing, say: Callable[[str], None]
) -> Outcome:
    """Return the outcome of every system's report, their comparison, and the page that leads to them."""
    tables = systems.accounts
    names = [table.columns("system")[0] for table in tables]
    folders = dict(
        zip(
            names,
            folder_names(names, "system", (COMPARISON, report_folder.TABLES, *report_folder.OWN_FILES)),
            strict=True,
        )
    )
    refuse_folders(writing, (*folders.values(), COMPARISON))
    compared, notes = systems.compared(settings)
    parts = []
    with nullcontext() if writing.folder is None else report_folder.staged(writing.folder, writing.force) as stage:
        every = zip(names, tables, systems.tallied, strict=True)
        for number, (name, table, tallied) in enumerate(every, start=1):
            say(f"report {number} of {len(names)}: {name}")
            own = titled(settings, name)
            parts.append(of_one(source, table, own, writing, *places(stage, writing, folders[name]), tallied))
            give_back(own, writing)
        say(f"comparison of {len(names)} systems with {names[0]}")
        compared = judged_by(compared, parts)
        made = _comparison(
            compared, notes, tables[0], settings, writing, doubts_of(dict(zip(names, parts, strict=True)))
        )
        comparison = written(made, settings, writing, places(stage, writing, COMPARISON)[0], above=True)
        give_back(settings, writing)
        page = _overview(systems, compared, made, parts, folders, settings, writing)
        outcome = written(page, settings, writing, stage)
        if stage is not None and writing.folder is not None:
            write_config(all_resolved(settings, tables, paths_of(source)), stage / "config.toml", writing.folder)
    named = {**dict(zip(names, parts, strict=True)), COMPARISON: comparison}
    return replace(
        outcome,
        folder=writing.folder,
        failed_sections=(
            *(f"{name}: {section}" for name, part in named.items() for section in part.failed_sections),
            *outcome.failed_sections,
        ),
        parts=(*parts, comparison),
        tables=tuple(tables),
    )


def _comparison(
    runs: Any,
    notes: tuple[str, ...],
    table: Account,
    settings: Settings,
    writing: Writing,
    doubts: list[tuple[str, list[str]]],
) -> Report:
    """Return the comparison of all systems with the first, on the responses that all of them scored."""
    from reportgen.comparison.compare import compare_runs

    evaluation = compare_runs(runs, settings, single.provenance_of(settings, writing.command))
    evaluation = replace(
        evaluation,
        warnings=(*evaluation.warnings, *notes),
        source=table.source,
        facts={**evaluation.facts, DOUBTS: doubts},
    )
    title = f"Comparison of {len(runs)} systems in {table.source.name}"
    return _report(evaluation, title, settings, "comparison")


def _overview(
    systems: Systems,
    compared: Sequence[Run],
    comparison: Report,
    parts: Sequence[Outcome],
    folders: dict[str, str],
    settings: Settings,
    writing: Writing,
) -> Report:
    """Return the page that leads to every report: the systems side by side, each on the responses that it scored.

    Which is better it says as their comparison does, on the responses that all of them scored.
    """
    from reportgen.comparison.summarize import summarize_runs
    from reportgen.evaluation.tables.data import outputs_table

    tables, runs = systems.accounts, judged_by(systems.runs(settings), parts)
    evaluation = summarize_runs(
        runs, settings, single.provenance_of(settings, writing.command),
        compared=compared, ranking=comparison.evaluation.tables.get("comparison.ranking"),
    )  # fmt: skip
    found = outputs_table(tables, settings.statistics.confidence_level)
    pages = "report.html" if "html" in settings.report.formats and not writing.tables_only else ""
    sizes = [run.n for run in runs]
    warnings = (Term("own_responses", least=min(sizes), most=max(sizes)),)
    evaluation = replace(
        evaluation,
        source=tables[0].source,
        raters=tables[0].raters,
        tables={**evaluation.tables, found.key: found},
        facts={
            **evaluation.facts,
            "parts": [*folders.items(), (COMPARISON, COMPARISON)],
            "page": pages,
            "baseline": runs[0].name,
            "beside": _beside(comparison),
            "of_systems": True,
            "verdicts": [_said(part) for part in parts],
            DOUBTS: doubts_of(dict(zip(folders, parts, strict=True))),
        },
        warnings=warnings if min(sizes) < max(sizes) else (),
    )
    title = f"Evaluation of {len(parts)} systems in {tables[0].source.name}"
    return _report(evaluation, title, settings, "summary")


def _beside(comparison: Report) -> list[dict[str, Any]]:
    """Return how each system stands beside the first, as the first page of their comparison has it."""
    found = next((each.findings for each in comparison.sections if each.name == "comparison_summary"), None)
    pairs = found.values.get("pairs", ()) if found is not None else ()
    return [{key: pair[key] for key in ("old", "new", "case", "better_on", "worse_on")} for pair in pairs]


def _said(part: Outcome) -> list[Any]:
    """Return what the policy says of one system, its decision and what is not met; [] without a policy."""
    verdict = part.report.verdict
    if verdict is None:
        return []
    missed = [check.group or check.abbreviation or check.label for check in verdict.of("not met")]
    return [verdict.decision, missed]


def _report(evaluation: Evaluation, title: str, settings: Settings, kind: ReportKind) -> Report:
    """Return a report about all systems: every section says its findings."""
    kept = plain(settings)
    names = _SECTIONS if kind == "summary" else None
    evaluation = single.with_settings(evaluation, kept, evaluation.raters)
    return Report(
        title=settings.report.title or title,
        description=settings.report.description,
        created=(settings.report.created or date.today()).isoformat(),
        evaluation=evaluation,
        sections=tuple(single.section_results(sections.load(names, {}, kind), evaluation)),
    )
