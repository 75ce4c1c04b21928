"""Several systems in one file: a report of each, their comparison, and a page that leads to all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen.errors import InputError, SettingsError
from reportgen.machine.progress import Silent
from reportgen.reports import reading_lists
from reportgen.reports.parts import (
    DOUBTS,
    Folders,
    Part,
    Slices,
    doubts_of,
    evaluate_parts,
    give_back,
    on_all,
    page_of,
    refuse_folders,
    titled,
    written,
)
from reportgen.reports.single import Outcome, evaluate_scores, provenance_of, refuse_early
from reportgen.reports.traits import slices_of_traits
from reportgen.results import Report, Source
from reportgen.results.term import Term
from reportgen.scores import Account, ScoreTable, all_resolved, paths_of, read_tables
from reportgen.scores.reading import Opened, named, opened
from reportgen.scores.traits import Traits, traits_in
from reportgen.settings import Settings, write_config
from reportgen.sources.databases import Query
from reportgen.sources.files import MANY_ROWS
from reportgen.sources.several import is_large
from reportgen.storing.report_folder import Writing

if TYPE_CHECKING:
    from reportgen.passes import InPasses
    from reportgen.runs.model import Run

COMPARISON = "comparison"
"""Folder of the comparison of all systems."""

_SECTIONS = ("summarize_systems", "summarize_agreement", "summarize_groups", "provenance")
"""The sections of the page that leads to all reports."""


@dataclass(frozen=True)
class Reading:
    """How a source is read.

    batches: Whether rows are counted in batches and never held; None where a source is large and nothing needs its
        rows.
    status: Is told what is being done, and how many rows are read.
    told: Is told how the scores of each system are prepared, before they are evaluated.
    told_traits: Is told which traits there are, and how their scores are prepared.
    """

    batches: bool | None = None
    status: Silent = field(default_factory=Silent)
    told: Callable[[Sequence[Account]], None] = lambda _: None
    told_traits: Callable[[Traits, Sequence[Account]], None] = lambda *_: None


def evaluate_source(
    source: Any,
    settings: Settings,
    writing: Writing,
    say: Callable[[str], None] | None = None,
    reading: Reading | None = None,
) -> Outcome:
    """Read a file once, and write the report of its system, or of each of its systems with their comparison.

    source: Path or paths of a data file, or a frame.
    settings: What is declared; systems are those of ``systems``, or all that are found.
    writing: Where and how.
    say: Is told what is being made; nobody when left out.
    reading: Whether rows are counted in batches, and who is told of it.

    The outcome is of the one system; with several, of the page that leads to their reports, its `parts` theirs.
    """
    refuse_early(settings)
    if settings.data.by:
        raise SettingsError("the configuration is about many reports (by = ...); type: reportgen batch CONFIG OUT_DIR")
    if settings.reading.read is not None:
        reading_lists.refuse_early(settings, writing.folder, writing.force)
    if settings.data.scales is not None:
        raise SettingsError("scales: one report has one scale; declare it with scale, or make a report for each item.")
    reading = reading or Reading()
    with ExitStack() as stack:
        status = stack.enter_context(reading.status)

        def aside(sentence: str) -> None:
            status.clear()
            if say is not None:
                say(sentence)

        if isinstance(source, Query):
            from reportgen.sources.fetched import Fetched

            status.stage("reading the rows of the query")
            with named(source):
                source = stack.enter_context(closing(Fetched(source, 0 if reading.batches else MANY_ROWS)))
        slices = _slices(source, settings, writing, aside, reading)
        if slices.pages is None:
            status.stage("making the report")
            [part] = slices.parts
            outcome = evaluate_scores(source, part.scores, part.settings, writing, part.tallied)
        else:
            status.stage("making the reports")
            outcome = evaluate_parts(source, slices, writing, aside)
        return replace(outcome, to_read=_to_read(outcome, settings, writing))


def _slices(source: Any, settings: Settings, writing: Writing, say: Callable[[str], None], reading: Reading) -> Slices:
    """Return the systems or traits of a source, read or counted; the status hears of every step."""
    with named(source):
        door = _opened(source, settings)
        refuse_folders(writing, ())  # a path that is misspelled is the first thing to know
        traits = None if door is None else traits_in(door)
    if traits is not None:
        return _of_traits(source, traits, settings, writing, say, reading)
    status, counted = reading.status, _in_passes(source, settings, reading, say)
    if not counted:
        status.stage("reading all rows")
    tables = () if counted else read_tables(source, settings, None if is_large(source) else door)
    if settings.reading.read is not None and tables and not tables[0].systems:
        raise SettingsError("--read: a reading list needs an engine's score beside the ratings; leave it out.")
    held = tuple(table for table in tables if isinstance(table, ScoreTable))
    if settings.reading.read is not None and len(held) < len(tables):
        raise SettingsError("read: responses to read are those where engine and people part; the file has no engine.")
    parts = [Part("", each.account, settings, each.tallied) for each in counted]
    parts += [Part("", table, settings) for table in tables]
    status.clear()
    reading.told([part.scores for part in parts])
    return Slices(parts) if len(parts) == 1 else _of_systems(source, parts, counted, held, settings, writing, say)


def _of_systems(
    source: Any,
    parts: Sequence[Part],
    counted: Sequence[InPasses],
    held: Sequence[ScoreTable],
    settings: Settings,
    writing: Writing,
    say: Callable[[str], None],
) -> Slices:
    """Return several systems by their names, `counted` or with rows that are `held`, with the pages on all of them."""
    from reportgen.runs import ours

    accounts = [part.scores for part in parts]
    if counted:
        shared = [each.shared for each in counted if each.shared is not None]
        compared, notes = ours.runs_counted_on_shared(accounts, shared, settings)
        own = [ours.run_of_counts(each, one.own, settings) for each, one in zip(accounts, counted, strict=True)]
    else:
        compared, notes = ours.runs_on_shared(held, settings)
        own = [ours.run_of_scores(table, settings) for table in held]
    every = [(each.scores.columns("system")[0], each) for each in parts]
    named_parts = [part._replace(name=name, settings=titled(settings, name)) for name, part in every]

    def pages(made: Mapping[str, Outcome], folders: Folders, stage: Path | None) -> dict[str, Outcome]:
        say(f"comparison of {len(made)} systems with {next(iter(made))}")
        beside = _judged_by(compared, made)
        comparison = _comparison(beside, notes, accounts[0].source, settings, writing, doubts_of(made))
        other = written(comparison, settings, writing, stage and stage / COMPARISON, above=True)
        give_back(settings, writing)
        overview = _overview(accounts, _judged_by(own, made), beside, comparison, made, folders, settings, writing)
        page = written(overview, settings, writing, stage, above=False)
        if stage is not None:
            write_config(all_resolved(settings, accounts, paths_of(source)), stage / "config.toml", writing.folder)
        return {COMPARISON: other, "": page}

    return Slices(named_parts, pages, reserved=(COMPARISON,))


def _judged_by(runs: Sequence[Run], parts: Mapping[str, Outcome]) -> list[Run]:
    """Return runs with the verdicts of the reports that were made of them."""
    return [replace(run, verdict=part.report.verdict) for run, part in zip(runs, parts.values(), strict=True)]


def _to_read(outcome: Outcome, settings: Settings, writing: Writing) -> tuple[Path, ...]:
    """Write the responses to read, where they are asked for, beside the report; return the pages."""
    if settings.reading.read is None or writing.folder is None:
        return ()
    tables = outcome.tables or ((outcome.scores,) if outcome.scores is not None else ())
    names = outcome.names or tuple(" ".join(table.columns("system")) for table in tables)
    return reading_lists.write(dict(zip(names, tables, strict=True)), settings, writing.folder)


def _opened(source: Any, settings: Settings) -> Opened | None:
    """Return a source opened, to look for traits; None where that would take reading a large one for nothing."""
    data = settings.data
    if is_large(source) and data.only and not (settings.traits or data.trait or data.trait_column):
        return None
    return opened(source, settings)


def _of_traits(
    source: Any, traits: Traits, settings: Settings, writing: Writing, say: Callable[[str], None], reading: Reading
) -> Slices:
    """Return the traits of a source, read, or the one that the settings name."""
    if reading.batches:
        raise InputError("this cannot be counted in batches: traits need all rows; leave --batches out.")
    wanted = settings.data.trait
    reading.status.stage("reading all rows")
    if wanted is not None:
        part = traits.only(wanted)
        with named(source):
            table = part.read()
        reading.status.clear()
        reading.told([table])
        return Slices([Part(part.name, table, part.settings)])
    with named(source):
        traits, tables = traits.read()
    reading.status.clear()
    reading.told_traits(traits, tables)
    return slices_of_traits(source, traits, tables, settings, writing, say)


def _in_passes(source: Any, settings: Settings, reading: Reading, say: Callable[[str], None]) -> tuple[InPasses, ...]:
    """Return what is counted of each system of a source in batches; nothing when its rows are to be held."""
    if reading.batches is False or (reading.batches is None and not is_large(source)):
        return ()
    from reportgen.passes import NeedsRowsError, count_systems

    try:
        return count_systems(source, settings, reading.status.rows)
    except NeedsRowsError as reason:
        if reading.batches:
            raise InputError(f"this cannot be counted in batches: {reason}; leave --batches out.") from None
        say(f"all rows are held in memory: {reason}")
        return ()


def _comparison(
    runs: list[Run],
    notes: tuple[str, ...],
    source: Source,
    settings: Settings,
    writing: Writing,
    doubts: list[tuple[str, list[str]]],
) -> Report:
    """Return the comparison of all systems with the first, on the responses that all of them scored."""
    from reportgen.comparison.compare import compare_runs

    found = compare_runs(runs, settings, provenance_of(settings, writing.command))
    facts = {**found.facts, DOUBTS: doubts}
    found = replace(found, warnings=(*found.warnings, *notes), source=source, facts=facts)
    return on_all(
        found, settings, f"Comparison of {len(runs)} systems in {source.name}", found.raters, None, "comparison"
    )


def _overview(
    accounts: Sequence[Account],
    runs: list[Run],
    compared: list[Run],
    comparison: Report,
    made: Mapping[str, Outcome],
    folders: Folders,
    settings: Settings,
    writing: Writing,
) -> Report:
    """Return the page that leads to every report: the systems side by side, each on the responses that it scored.

    Which is better it says as their comparison does, on the responses that all of them scored.
    """
    from reportgen.comparison.summarize import summarize_runs
    from reportgen.evaluation.tables.data import outputs_table

    found, source = comparison.evaluation, accounts[0].source
    evaluation = summarize_runs(
        runs, settings, provenance_of(settings, writing.command),
        compared=compared, ranking=found.tables.get("comparison.ranking"),
    )  # fmt: skip
    outputs = outputs_table(accounts, settings.statistics.confidence_level)
    sizes = [run.n for run in runs]
    warnings = (Term("own_responses", least=min(sizes), most=max(sizes)),)
    evaluation = replace(
        evaluation,
        source=source,
        raters=accounts[0].raters,
        tables={**evaluation.tables, outputs.key: outputs},
        facts={
            **evaluation.facts,
            "parts": [*folders.items(), (COMPARISON, COMPARISON)],
            "page": page_of(settings, writing),
            "baseline": runs[0].name,
            "beside": _beside(comparison),
            "of_systems": True,
            "verdicts": [_said(part) for part in made.values()],
            DOUBTS: found.facts[DOUBTS],
        },
        warnings=warnings if min(sizes) < max(sizes) else (),
    )
    title = f"Evaluation of {len(made)} systems in {source.name}"
    return on_all(evaluation, settings, title, evaluation.raters, _SECTIONS)


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
