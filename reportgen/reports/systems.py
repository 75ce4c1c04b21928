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
    Asked,
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
from reportgen.results import Report, Verdict
from reportgen.results.term import Term
from reportgen.scores import Account, ScoreTable, all_resolved, paths_of, read_tables
from reportgen.scores.reading import named, opened
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
    told: Is told how the scores of each system, or of each of the traits, are prepared, before they are evaluated.
    """

    batches: bool | None = None
    status: Silent = field(default_factory=Silent)
    told: Callable[[Sequence[Account], Traits | None], None] = lambda *_: None


def evaluate_source(
    source: Any,
    settings: Settings,
    writing: Writing,
    say: Callable[[str], None] | None = None,
    reading: Reading | None = None,
) -> Outcome:
    """Read a file once, and write the report of its system, or of each of its systems with their comparison.

    say: Is told what is being made; nobody when left out.

    The outcome is of the one system; with several, of the page that leads to their reports, its `parts` theirs.
    """
    refuse_early(settings)
    if settings.data.by:
        raise SettingsError("the configuration is about many reports (by = ...); type: reportgen batch CONFIG OUT_DIR")
    if settings.reading.read is not None:
        reading_lists.refuse_early(writing.folder, writing.force)
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
            from reportgen.sources.databases import Fetched

            status.stage("reading the rows of the query")
            with named(source):
                source = stack.enter_context(closing(Fetched(source, 0 if reading.batches else MANY_ROWS)))
        asked = Asked(source, settings, writing, aside)
        slices = _slices(asked, reading)
        if slices.pages is None:
            status.stage("making the report")
            [part] = slices.parts
            outcome = evaluate_scores(source, part.scores, part.settings, writing, part.tallied)
        else:
            status.stage("making the reports")
            outcome = evaluate_parts(asked, slices)
        if settings.reading.read is None or writing.folder is None:
            return outcome
        tables = outcome.tables or ((outcome.scores,) if outcome.scores is not None else ())
        names = outcome.names or tuple(" ".join(table.columns("system")) for table in tables)
        listed = reading_lists.write(dict(zip(names, tables, strict=True)), settings, writing.folder)
        return replace(outcome, to_read=listed)


def _slices(asked: Asked, reading: Reading) -> Slices:
    """Return the systems or traits of a source, read or counted; the status hears of every step."""
    source, settings, status = asked.source, asked.settings, reading.status
    data = settings.data
    # a large source is not read for traits that nothing hints at
    unhinted = is_large(source) and data.only and not (settings.traits or data.trait or data.trait_column)
    with named(source):
        door = None if unhinted else opened(source, settings)
        refuse_folders(asked.writing, ())  # a path that is misspelled is the first thing to know
        traits = None if door is None else traits_in(door)
    if traits is not None:
        return _of_traits(asked, traits, reading)
    counted = _in_passes(asked, reading)
    if not counted:
        status.stage("reading all rows")
    tables = () if counted else read_tables(source, settings, None if is_large(source) else door)
    held = tuple(table for table in tables if isinstance(table, ScoreTable))
    if settings.reading.read is not None and tables and not tables[0].systems:
        raise SettingsError("--read: a reading list needs an engine's score beside the ratings; leave it out.")
    if settings.reading.read is not None and len(held) < len(tables):
        raise SettingsError("read: responses to read are those where engine and people part; the file has no engine.")
    parts = [Part("", each.account, settings, each.tallied) for each in counted]
    parts += [Part("", table, settings) for table in tables]
    status.clear()
    reading.told([part.scores for part in parts], None)
    if len(parts) == 1:
        return Slices(parts)
    every = ((part.scores.columns("system")[0], part) for part in parts)
    named_parts = [part._replace(name=name, settings=titled(settings, name)) for name, part in every]
    return Slices(named_parts, _Systems.of(asked, parts, counted, held).pages, reserved=(COMPARISON,))


@dataclass(frozen=True)
class _Systems:
    """Several systems of a source, and the pages on all of them.

    compared, notes: Their runs on the responses that all of them scored, and what to know of these.
    own: Their runs, each on its own responses.
    """

    asked: Asked
    accounts: Sequence[Account]
    compared: Sequence[Run]
    notes: tuple[str, ...]
    own: Sequence[Run]

    @classmethod
    def of(
        cls, asked: Asked, parts: Sequence[Part], counted: Sequence[InPasses], held: Sequence[ScoreTable]
    ) -> _Systems:
        """Return the systems of parts, `counted` or with rows that are `held`."""
        from reportgen.runs import ours

        settings, accounts = asked.settings, [part.scores for part in parts]
        if counted:
            shared = [each.shared for each in counted if each.shared is not None]
            compared, notes = ours.runs_counted_on_shared(accounts, shared, settings)
            own = [ours.run_of_counts(each, one.own, settings) for each, one in zip(accounts, counted, strict=True)]
        else:
            compared, notes = ours.runs_on_shared(held, settings)
            own = [ours.run_of_scores(table, settings) for table in held]
        return cls(asked, accounts, compared, notes, own)

    def pages(self, made: Mapping[str, Outcome], folders: Folders, stage: Path | None) -> dict[str, Outcome]:
        """Make the comparison, and the page that leads to all reports."""
        source, settings, writing, say = self.asked
        say(f"comparison of {len(made)} systems with {next(iter(made))}")
        verdicts = [part.report.verdict for part in made.values()]
        compared, own = (
            [replace(run, verdict=verdict) for run, verdict in zip(runs, verdicts, strict=True)]
            for runs in (self.compared, self.own)
        )
        comparison = self._comparison(compared, doubts_of(made))
        other = written(comparison, settings, writing, stage and stage / COMPARISON, above=True)
        give_back(settings, writing)
        overview = self._overview(own, compared, comparison, folders)
        page = written(overview, settings, writing, stage, above=False)
        if stage is not None:
            write_config(all_resolved(settings, self.accounts, paths_of(source)), stage / "config.toml", writing.folder)
        return {COMPARISON: other, "": page}

    def _comparison(self, runs: list[Run], doubts: list[tuple[str, list[str]]]) -> Report:
        """Return the comparison of all systems with the first, on the responses that all of them scored."""
        from reportgen.comparison.compare import compare_runs

        settings, source = self.asked.settings, self.accounts[0].source
        found = compare_runs(runs, settings, provenance_of(settings, self.asked.writing.command))
        warnings, facts = (*found.warnings, *self.notes), {**found.facts, DOUBTS: doubts}
        title = f"Comparison of {len(runs)} systems in {source.name}"
        found = replace(found, warnings=warnings, source=source, facts=facts)
        return on_all(found, settings, title, found.raters, None, "comparison")

    def _overview(self, runs: list[Run], compared: list[Run], comparison: Report, folders: Folders) -> Report:
        """Return the page that leads to every report: the systems side by side, each on the responses that it scored.

        Which is better it says as their comparison does, on the responses that all of them scored.
        """
        from reportgen.comparison.summarize import summarize_runs
        from reportgen.evaluation.tables.data import outputs_table

        _, settings, writing, _ = self.asked
        found, first = comparison.evaluation, self.accounts[0]
        evaluation = summarize_runs(
            runs, settings, provenance_of(settings, writing.command),
            compared=compared, ranking=found.tables.get("comparison.ranking"),
        )  # fmt: skip
        outputs = outputs_table(self.accounts, settings.statistics.confidence_level)
        sizes = [run.n for run in runs]
        warnings = (Term("own_responses", least=min(sizes), most=max(sizes)),)
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
                "beside": _beside(comparison),
                "of_systems": True,
                "verdicts": [_said(run.verdict) for run in runs],
                DOUBTS: found.facts[DOUBTS],
            },
            warnings=warnings if min(sizes) < max(sizes) else (),
        )
        title = f"Evaluation of {len(runs)} systems in {first.source.name}"
        return on_all(evaluation, settings, title, evaluation.raters, _SECTIONS)


def _of_traits(asked: Asked, traits: Traits, reading: Reading) -> Slices:
    """Return the traits of a source, read, or the one that the settings name."""
    if reading.batches:
        raise InputError("this cannot be counted in batches: traits need all rows; leave --batches out.")
    wanted = asked.settings.data.trait
    reading.status.stage("reading all rows")
    with named(asked.source):
        if wanted is not None:
            part = traits.only(wanted)
            slices = Slices([Part(part.name, part.read(), part.settings)])
        else:
            traits, tables = traits.read()
            slices = slices_of_traits(asked, traits, tables)
    reading.status.clear()
    reading.told([part.scores for part in slices.parts], None if wanted else traits)
    return slices


def _in_passes(asked: Asked, reading: Reading) -> tuple[InPasses, ...]:
    """Return what is counted of each system of a source in batches; nothing when its rows are to be held."""
    if reading.batches is False or (reading.batches is None and not is_large(asked.source)):
        return ()
    from reportgen.passes import NeedsRowsError, count_systems

    try:
        return count_systems(asked.source, asked.settings, reading.status)
    except NeedsRowsError as reason:
        if reading.batches:
            raise InputError(f"this cannot be counted in batches: {reason}; leave --batches out.") from None
        asked.say(f"all rows are held in memory: {reason}")
        return ()


def _beside(comparison: Report) -> list[dict[str, Any]]:
    """Return how each system stands beside the first, as the first page of their comparison has it."""
    found = next((each.findings for each in comparison.sections if each.name == "comparison_summary"), None)
    pairs = found.values.get("pairs", ()) if found is not None else ()
    return [{key: pair[key] for key in ("old", "new", "case", "better_on", "worse_on")} for pair in pairs]


def _said(verdict: Verdict | None) -> list[Any]:
    """Return what the policy says of one system, its decision and what is not met; [] without a policy."""
    if verdict is None:
        return []
    missed = [check.group or check.abbreviation or check.label for check in verdict.of("not met")]
    return [verdict.decision, missed]
