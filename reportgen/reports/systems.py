"""Report on several systems or traits in one file: a report for each, a comparison of systems, and an overview page."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from reportgen.errors import InputError, QuestionError, SettingsError
from reportgen.evaluation.traits import traits_together
from reportgen.machine.progress import Silent
from reportgen.reports import reading_lists
from reportgen.reports.parts import TRAITS, Listed, on_all, page_of, plain, table_of_reports, worst_first
from reportgen.reports.single import Outcome, evaluate_scores, provenance_of, refuse_early, write_files
from reportgen.results import Column, Report, Term, Verdict
from reportgen.scores import Account, ScoreTable, all_resolved, paths_of, read_tables
from reportgen.scores.looking import read_parts, settled
from reportgen.scores.reading import Opened, named, opened
from reportgen.scores.table import RatingTable
from reportgen.scores.traits import Traits, traits_in
from reportgen.settings import Settings, override, write_config
from reportgen.sources.databases import Fetched, Query
from reportgen.sources.files import MANY_ROWS
from reportgen.sources.readers import is_large
from reportgen.storing import report_folder
from reportgen.storing.report_folder import Writing
from reportgen.wording.names import folder_names, pattern_of, together
from reportgen.wording.vocabulary import Vocabulary, language_of

if TYPE_CHECKING:
    from reportgen.evaluation import TalliedScores
    from reportgen.passes import InPasses
    from reportgen.runs.model import Run

COMPARISON = "comparison"  # folder of the comparison of all systems

OF_SYSTEMS = ("summarize_systems", "summarize_agreement", "summarize_groups", "provenance")
OF_TRAITS = ("summarize_traits", "summarize_halo", "summarize_agreement", "summarize_groups", "provenance")
"""The sections of the overview page, by kind of part."""

BESIDE = ("old", "new", "case", "primary", "margin", "before", "after", "gain")  # facts about two engines

DOUBTS = "doubts_of_systems"  # the fact about doubts in the numbers of some systems or traits


Say = Callable[[str], None]
"""Receives a progress message."""


class Asked(NamedTuple):
    """A request: scores, declared settings, where and how to write, and progress callbacks."""

    source: Any
    settings: Settings
    writing: Writing
    say: Say


class Part(NamedTuple):
    """The subject of one of several reports: a system or a trait, its prepared scores, and its settings."""

    name: str
    scores: Account
    settings: Settings
    tallied: TalliedScores | None = None


Folders = Mapping[str, str]  # folder of each part's report

Pages = Callable[[Mapping[str, Outcome], Folders, Path | None], Mapping[str, Outcome]]
"""Makes the pages about all reports in a folder; the overview has no name, and comes last."""


class Slices(NamedTuple):
    """The parts of a source; `kind` names the folder of a part whose name is not a valid folder name."""

    parts: Sequence[Part]  # systems or traits, in order
    pages: Pages | None = None  # makes the pages about all parts; None for a single part
    kind: Literal["system", "trait"] = "system"
    reserved: Sequence[str] = ()  # folders of additional pages


def evaluate_parts(asked: Asked, slices: Slices) -> Outcome:
    """Write a report for every part of a source, and the overview page, whose outcome contains them as `parts`."""
    (parts, pages, kind, reserved), writing = slices, asked.writing
    assert pages is not None
    names = [part.name for part in parts]
    called = folder_names(names, kind, (*reserved, report_folder.TABLES, *report_folder.OWN_FILES))
    places = dict(zip(names, called, strict=True))
    for each in (writing.folder / name for name in ("", *called, *reserved)) if writing.folder is not None else ():
        report_folder.check(each, writing.force)
    made: dict[str, Outcome] = {}
    with nullcontext() if writing.folder is None else report_folder.staged(writing.folder, writing.force) as stage:
        for number, part in enumerate(parts, start=1):
            asked.say(f"report {number} of {len(parts)}: {part.name}")
            folder, home = (each and each / places[part.name] for each in (stage, writing.folder))
            own = replace(writing, folder=folder, home=home, above=True)
            made[part.name] = evaluate_scores(asked.source, part.scores, part.settings, own, part.tallied)
            give_back(part.settings, writing)
        *others, (_, page) = pages(made, places, stage).items()
    named = made | dict(others)
    failed = [f"{name}: {section}" for name, each in named.items() for section in each.failed_sections]
    return replace(
        page,
        folder=writing.folder,
        failed_sections=(*failed, *page.failed_sections),
        parts=tuple(named.values()),
        tables=tuple(part.scores for part in parts),
        names=tuple(names),
    )


@dataclass(frozen=True)
class Reading:
    """How to read a source.

    batches: Whether to count rows in batches without keeping them; None decides by size, and by whether rows are
        needed.
    status: Receives the current step, and the number of rows read.
    told: Receives the preparation of each system's or trait's scores before they are evaluated.
    say: Receives progress messages.
    """

    batches: bool | None = None
    status: Silent = field(default_factory=Silent)
    told: Callable[[Sequence[Account], Traits | None], None] = lambda *_: None
    say: Say = lambda _: None


def evaluate_source(source: Any, settings: Settings, writing: Writing, reading: Reading | None = None) -> Outcome:
    """Read a file once, and write the report of its system, or of each system with a comparison.

    Returns the outcome of the single system, or of the overview page with the systems as `parts`.
    """
    refuse_early(settings)
    if settings.data.by:
        raise SettingsError("the configuration is for multiple reports (by = ...); run: reportgen batch CONFIG OUT_DIR")
    if settings.reading.read is not None:
        reading_lists.refuse_early(writing.folder, writing.force)
    if settings.data.scales is not None:
        raise SettingsError("--scales: a single report has one scale; use --scale, or run: reportgen batch")
    reading = reading or Reading()
    with ExitStack() as stack:
        status = stack.enter_context(reading.status)

        def aside(sentence: str) -> None:
            status.clear()
            reading.say(sentence)

        if isinstance(source, Query):
            status.stage("reading the rows of the query")
            with named(source):
                source = stack.enter_context(closing(Fetched(source, 0 if reading.batches else MANY_ROWS)))
        asked = Asked(source, settings, writing, aside)
        try:
            slices = _slices(asked, reading)
            if slices.pages is None:
                status.stage("writing the report")
                [part] = slices.parts
                outcome = evaluate_scores(source, part.scores, part.settings, writing, part.tallied)
            else:
                status.stage("writing the reports")
                outcome = evaluate_parts(asked, slices)
        except QuestionError as question:
            status.stage("reading all rows")
            raise (question if is_large(source) else settled(source, question, settings, read_as_evaluated)) from None
        if settings.reading.read is None or writing.folder is None:
            return outcome
        names = outcome.names or [" ".join(table.columns("system")) for table in outcome.tables]
        listed = reading_lists.write(dict(zip(names, outcome.tables, strict=True)), settings, writing.folder)
        return replace(outcome, to_read=listed)


def read_as_evaluated(source: Any, settings: Settings) -> tuple[Opened, Traits | None, tuple[RatingTable, ...]]:
    """Return what `read_parts` returns, and raise the questions of an evaluation."""
    from reportgen.evaluation import refuse_unlike

    fits, found = False, read_parts(source, settings)
    for table in found[2]:
        try:
            if isinstance(table, ScoreTable):
                refuse_unlike(table, settings)
                fits = True
        except QuestionError as question:
            if fits:  # the scales of engines differ
                question.choices = [*question.choices[-1:], *question.choices[:-1]]
            raise
    return found


def _slices(asked: Asked, reading: Reading) -> Slices:
    """Read or count the systems or traits of a source; the status receives every step."""
    source, settings, status = asked.source, asked.settings, reading.status
    data = settings.data
    # a large source is not searched for traits without a hint of them
    unhinted = is_large(source) and data.only and not (settings.traits or data.trait or data.trait_column)
    with named(source):
        door = None if unhinted else opened(source, settings)
        if asked.writing.folder is not None:  # report a misspelled path first
            report_folder.check(asked.writing.folder, asked.writing.force)
        traits = None if door is None else traits_in(door)
    if traits is not None:
        return _of_traits(asked, traits, reading)
    counted = _in_passes(asked, reading)
    if not counted:
        status.stage("reading all rows")
    tables = () if counted else read_tables(source, settings, None if is_large(source) else door)
    held = tuple(table for table in tables if isinstance(table, ScoreTable))
    if settings.reading.read is not None and len(held) < len(tables):
        raise SettingsError("--read requires engine scores, but the file has none; remove --read.")
    parts = [Part("", each.account, settings, each.tallied) for each in counted]
    parts += [Part("", table, settings) for table in tables]
    status.clear()
    reading.told([part.scores for part in parts], None)
    if len(parts) == 1:
        return Slices(parts)
    every = ((part.scores.columns("system")[0], part) for part in parts)
    named_parts = [part._replace(name=name, settings=titled(settings, name)) for name, part in every]
    return Slices(named_parts, _pages_of_systems(asked, parts, counted, held), reserved=(COMPARISON,))


def titled(settings: Settings, name: str) -> Settings:
    """Return the settings of one part's report; a custom title is shared by all, followed by the part's name."""
    title = settings.report.title
    return override(settings, title=f"{title}: {name}") if title else settings


def give_back(settings: Settings, writing: Writing) -> None:
    """Free the layout of a finished PDF: its boxes refer to each other, and garbage collection comes late."""
    if writing.folder is not None and not writing.tables_only and "pdf" in settings.report.formats:
        gc.collect()


def doubts_of(parts: Mapping[str, Outcome]) -> list[tuple[str, list[str]]]:
    """Return every doubt in the reports of parts once, with the parts it concerns.

    Doubts that differ only in numbers are merged, with the smallest and largest of each number. Texts keep their
    commands, which pages omit.
    """
    found: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name, part in parts.items():
        words = Vocabulary(None, part.report.labels, language_of(part.report))
        doubts = part.report.evaluation.facts.get("doubts") or ()
        for sentence in (words.say(doubt) if isinstance(doubt, Term) else doubt for doubt in doubts):
            found.setdefault(pattern_of(sentence), []).append((sentence, name))
    return [(together([sentence for sentence, _ in told]), [name for _, name in told]) for told in found.values()]


def written(report: Report, settings: Settings, writing: Writing, folder: Path | None) -> Outcome:
    """Write a report on all parts into an existing staging folder."""
    return Outcome(report, folder, write_files(report, folder, settings, writing))


def _pages_of_systems(
    asked: Asked, parts: Sequence[Part], counted: Sequence[InPasses], held: Sequence[ScoreTable]
) -> Pages:
    from reportgen.comparison.compare import compare_runs
    from reportgen.runs import ours

    source, settings, writing, say = asked
    accounts = [part.scores for part in parts]
    if counted:
        shared = [each.shared for each in counted if each.shared is not None]
        notes = ours.not_compared(shared[0].n, accounts[0].read, accounts, settings)
        on_shared, on_own = (
            [ours.run_of_scores(each, settings, rows) for each, rows in zip(accounts, counts, strict=True)]
            for counts in (shared, [each.own for each in counted])
        )
    else:
        on_shared, notes = ours.runs_on_shared(held, settings)
        on_own = [ours.run_of_scores(table, settings) for table in held]

    def pages(made: Mapping[str, Outcome], folders: Folders, stage: Path | None) -> dict[str, Outcome]:
        say(f"comparing {len(made)} engines; baseline: {next(iter(made))} (to use another, add --baseline NAME)")
        compared, own = (
            [replace(run, verdict=part.report.verdict) for run, part in zip(runs, made.values(), strict=True)]
            for runs in (on_shared, on_own)
        )
        found = compare_runs(compared, settings, provenance_of(settings, writing.command))
        facts = {**found.facts, DOUBTS: doubts_of(made)}
        found = replace(found, warnings=(*found.warnings, *notes), source=accounts[0].source, facts=facts)
        title = f"Comparison of {len(made)} systems in {accounts[0].source.name}"
        comparison = on_all(found, settings, title, found.raters, None)
        other = written(comparison, settings, replace(writing, above=True), stage and stage / COMPARISON)
        give_back(settings, writing)
        page = written(_overview(asked, accounts, own, compared, comparison, folders), settings, writing, stage)
        if stage is not None:
            write_config(all_resolved(settings, accounts, paths_of(source)), stage / "config.toml", writing.folder)
        return {COMPARISON: other, "": page}

    return pages


def _overview(
    asked: Asked, accounts: Sequence[Account], runs: list[Run], compared: list[Run], comparison: Report,
    folders: Folders,
) -> Report:  # fmt: skip
    """Return the overview with links to every report; it ranks systems on the responses that all scored."""
    from reportgen.comparison.compare import summarize_runs
    from reportgen.evaluation.tables.data import outputs_table

    _, settings, writing, _ = asked
    found, first = comparison.evaluation, accounts[0]
    evaluation = summarize_runs(
        runs, settings, provenance_of(settings, writing.command),
        compared=compared, ranking=found.tables.get("comparison.ranking"),
    )  # fmt: skip
    outputs = outputs_table(accounts, settings.statistics.confidence_level)
    sizes = [run.n for run in runs]
    summary = next((each.findings for each in comparison.sections if each.name == "comparison_summary"), None)
    pairs = summary.values.get("pairs", ()) if summary is not None else ()
    evaluation = replace(
        evaluation,
        source=first.source,
        raters=first.raters,
        tables={**evaluation.tables, outputs.key: outputs},
        facts={
            **evaluation.facts,
            "parts": [*folders.items(), (COMPARISON, COMPARISON)],
            "page": page_of(settings, writing),
            "baseline": runs[0].name,
            "beside": [{key: pair[key] for key in BESIDE if key in pair} for pair in pairs],
            "of_systems": True,
            "verdicts": [_said(run.verdict) for run in runs],
            **{key: found.facts[key] for key in (DOUBTS, "design")},
        },
        warnings=(Term("own_responses", least=min(sizes), most=max(sizes)),) if min(sizes) < max(sizes) else (),
    )
    title = f"Evaluation of {len(runs)} systems in {first.source.name}"
    return on_all(evaluation, settings, title, evaluation.raters, OF_SYSTEMS)


def _said(verdict: Verdict | None) -> list[Any]:
    if verdict is None:
        return []
    return [verdict.decision, [check.group or check.abbreviation or check.label for check in verdict.of("not met")]]


def _of_traits(asked: Asked, traits: Traits, reading: Reading) -> Slices:
    if reading.batches:
        raise InputError("--batches is not possible, because traits require all rows; remove --batches.")
    wanted = asked.settings.data.trait
    reading.status.stage("reading all rows")
    with named(asked.source):
        if wanted is not None:
            part = traits.only(wanted)
            slices = Slices([Part(part.name, part.read(), part.settings)])
        else:
            traits, tables = traits.read()
            slices = _slices_of_traits(asked, traits, tables)
    reading.status.clear()
    reading.told([part.scores for part in slices.parts], None if wanted else traits)
    return slices


def _slices_of_traits(asked: Asked, traits: Traits, tables: Sequence[ScoreTable]) -> Slices:
    """Return the traits of a source as parts, with the overview page; `tables` are their prepared scores."""
    source, settings, writing, say = asked

    def pages(made: Mapping[str, Outcome], folders: Folders, stage: Path | None) -> dict[str, Outcome]:
        say(f"page for all {len(made)} traits")
        page = _page_of_traits(asked, traits, tables, made, folders)
        if stage is not None:
            file = paths_of(source)
            kept = traits.settings if file is None else override(traits.settings, file=file)
            write_config(kept, stage / "config.toml", writing.folder)
        return {"": written(page, settings, writing, stage)}

    parts = []
    for trait, table in zip(traits.parts, tables, strict=True):
        own = titled(trait.settings, trait.name)
        if not settings.report.title:
            own = override(own, title=f"{trait.name}: evaluation of {table.source.name}")
        parts.append(Part(trait.name, table, own))
    return Slices(parts, pages, "trait")


def _page_of_traits(
    asked: Asked, traits: Traits, tables: Sequence[ScoreTable], made: Mapping[str, Outcome], folders: Folders
) -> Report:
    from reportgen.comparison.compare import summarize_runs

    _, settings, writing, _ = asked
    listed = [Listed.of(part.report, name, folders[name], part.failed_sections) for name, part in made.items()]
    runs = [each.run for each in listed if each.run is not None]
    statistics = settings.statistics
    weighed = {part.name: part.weight for part in traits.parts if part.weight}
    together = traits_together(
        [table for name, table in zip(made, tables, strict=True) if name in weighed], list(weighed),
        list(weighed.values()), statistics.confidence_level,
        by_row=traits.in_columns, least=statistics.min_n_per_group,
    )  # fmt: skip
    summed = summarize_runs(runs, plain(settings), provenance_of(settings, writing.command), one_scale=False)
    page = page_of(settings, writing)
    worst = [listed[place] for place in worst_first(listed)]
    first = table_of_reports("traits.traits", Column("trait"), TRAITS, worst, f"{{}}/{page}" if page else "")
    tables_of_runs = {
        key: replace(table, columns=tuple(
            replace(each, label=Term("trait_column")) if each.key == "run" else each for each in table.columns
        ))
        for key, table in summed.tables.items()
    }  # fmt: skip
    evaluation = replace(
        summed,
        source=traits.source,
        estimates={**summed.estimates, **together.estimates},
        tables={**tables_of_runs, **{each.key: each for each in (first, *together.tables)}},
        facts={
            **summed.facts,
            "traits": list(made),
            "weights": weighed,
            "equal_weights": len(set(weighed.values())) == 1,
            "several_scales": len({(run.scale.low, run.scale.high) for run in runs if run.name in weighed}) > 1,
            "composite_n": together.n,
            "composite_double": together.double,
            "composite_reason": together.reason,
            "parts": [[name, folder] for name, folder in folders.items()],
            "page": page,
            DOUBTS: doubts_of(made),
        },
        warnings=traits.notes,
    )
    raters = [column for table in tables for column in table.raters]
    title = f"Evaluation of {len(made)} traits in {traits.source.name}"
    return on_all(evaluation, settings, title, raters, OF_TRAITS)


def _in_passes(asked: Asked, reading: Reading) -> tuple[InPasses, ...]:
    """Return the batch counts of each system of a source; nothing if rows must be kept."""
    if reading.batches is False or (reading.batches is None and not is_large(asked.source)):
        return ()
    from reportgen.passes import NeedsRowsError, count_systems

    try:
        return count_systems(asked.source, asked.settings, reading.status)
    except NeedsRowsError as reason:
        if reading.batches:
            raise InputError(f"--batches is not possible, because {reason}; remove --batches.") from None
        asked.say(f"reading all rows into memory, because {reason}")
        return ()
