"""Several traits in one source: a report of each, and a page for all of them that comes first.

The verb reads as its story, as in `reportgen.reports.systems`, which hands such a source over.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from typing import Any

from reportgen import sections
from reportgen.evaluation.tables.build import metric_column
from reportgen.evaluation.traits import traits_together
from reportgen.reports import single
from reportgen.reports.batch_jobs import FROM_RESULTS
from reportgen.reports.batch_summary import REFUSED, Listed, worst_first
from reportgen.reports.parts import DOUBTS, doubts_of, give_back, of_one, places, plain, refuse_folders, titled, written
from reportgen.reports.single import Outcome
from reportgen.results import Cell, Column, Estimate, Evaluation, Mark, Report, Row, Table
from reportgen.results.term import Term
from reportgen.runs import NumberPlace, Run
from reportgen.runs.ours import run_of_report
from reportgen.scores import ScoreTable, paths_of
from reportgen.scores.traits import Traits
from reportgen.settings import Settings, override, write_config
from reportgen.storing import report_folder
from reportgen.storing.report_folder import Writing
from reportgen.verdicts import missed, unmet
from reportgen.wording.names import folder_names

HEADLINES = ("system.qwk", "system.r", "system.smd", "true_score.prmse")
"""Statistics that stand beside each trait's verdict."""

_SECTIONS = ("summarize_traits", "summarize_halo", "summarize_agreement", "summarize_groups", "provenance")
"""The sections of the page for all traits."""


def evaluate_traits(
    source: Any,
    traits: Traits,
    tables: Sequence[ScoreTable],
    settings: Settings,
    writing: Writing,
    say: Callable[[str], None],
) -> Outcome:
    """Write a report of every trait of a source, and the page for all of them.

    Parameters
    ----------
    source
        Path or paths of a data file, or a frame.
    traits
        What was found in it.
    tables
        The prepared scores of each trait.
    settings
        What is declared.
    writing
        Where and how.
    say
        Is told what is being made.

    Returns
    -------
    Outcome
        Of the page for all traits, its `parts` the reports of single ones.

    Raises
    ------
    ReportgenError
        When the input, a setting or the output folder is not what it should be.
    """
    names = [part.name for part in traits.parts]
    folders = folder_names(names, "trait", (report_folder.TABLES, *report_folder.OWN_FILES))
    refuse_folders(writing, folders)
    made = []
    with nullcontext() if writing.folder is None else report_folder.staged(writing.folder, writing.force) as stage:
        for number, (part, table, folder) in enumerate(zip(traits.parts, tables, folders, strict=True), start=1):
            say(f"report {number} of {len(names)}: {part.name}")
            own = _named(part.settings, part.name, settings, table)
            made.append(of_one(source, table, own, writing, *places(stage, writing, folder)))
            give_back(own, writing)
        say(f"page for all {len(names)} traits")
        outcome = written(_page(traits, tables, made, folders, settings, writing), settings, writing, stage)
        if stage is not None and writing.folder is not None:
            file = paths_of(source)
            kept = traits.settings if file is None else override(traits.settings, file=file)
            write_config(kept, stage / "config.toml", writing.folder)
    failed = [f"{name}: {section}" for name, part in zip(names, made, strict=True) for section in part.failed_sections]
    return replace(
        outcome,
        folder=writing.folder,
        failed_sections=(*failed, *outcome.failed_sections),
        parts=tuple(made),
        tables=tuple(tables),
        traits=tuple(names),
    )


def _named(own: Settings, name: str, settings: Settings, table: ScoreTable) -> Settings:
    """Return the settings of one trait's report, whose title names the trait."""
    if settings.report.title:
        return titled(own, name)
    return override(own, title=f"{name}: evaluation of {table.source.name}")


def _page(
    traits: Traits,
    tables: Sequence[ScoreTable],
    made: Sequence[Outcome],
    folders: Sequence[str],
    settings: Settings,
    writing: Writing,
) -> Report:
    """Return the page for all traits: the composite, each trait with its verdict, and what they say together."""
    from reportgen.comparison.summarize import summarize_runs

    names, weights = [part.name for part in traits.parts], [part.weight for part in traits.parts]
    kept = plain(settings)
    runs = [run_of_report(part.report, name, None, FROM_RESULTS) for name, part in zip(names, made, strict=True)]
    statistics = settings.statistics
    weighed = {name: weight for name, weight in zip(names, weights, strict=True) if weight}
    together = traits_together(
        [table for name, table in zip(names, tables, strict=True) if name in weighed], list(weighed),
        list(weighed.values()), statistics.confidence_level,
        by_row=traits.in_columns, least=statistics.min_n_per_group,
    )  # fmt: skip
    summed = summarize_runs(runs, kept, single.provenance_of(settings, writing.command), one_scale=False)
    listed = [_listed(*each) for each in zip(names, folders, runs, made, strict=True)]
    page = "report.html" if "html" in settings.report.formats and not writing.tables_only else ""
    own = (_traits(listed, page), *together.tables)
    scales = {(run.scale.low, run.scale.high) for run in runs if run.name in weighed}
    evaluation = replace(
        summed,
        source=traits.source,
        estimates={**summed.estimates, **together.estimates},
        tables={**{key: _of_traits(table) for key, table in summed.tables.items()}, **{each.key: each for each in own}},
        facts={
            **summed.facts,
            "traits": names,
            "weights": weighed,
            "equal_weights": len(set(weighed.values())) == 1,
            "several_scales": len(scales) > 1,
            "composite_n": together.n,
            "composite_double": together.double,
            "composite_reason": together.reason,
            "parts": [[name, folder] for name, folder in zip(names, folders, strict=True)],
            "page": page,
            DOUBTS: doubts_of(dict(zip(names, made, strict=True))),
        },
        warnings=traits.told,
    )
    raters = [column for table in tables for column in table.raters]
    return _report(single.with_settings(evaluation, kept, raters), settings)


def _report(evaluation: Evaluation, settings: Settings) -> Report:
    """Return the page: every section says its findings."""
    assert evaluation.source is not None
    return Report(
        title=settings.report.title or f"Evaluation of {len(evaluation.facts['traits'])} traits in "
        f"{evaluation.source.name}",
        description=settings.report.description,
        created=(settings.report.created or date.today()).isoformat(),
        evaluation=evaluation,
        sections=tuple(single.section_results(sections.load(_SECTIONS, {}, "summary"), evaluation)),
    )  # fmt: skip


def _of_traits(table: Table) -> Table:
    """Return a table of runs side by side as one of traits."""
    columns = tuple(replace(each, label=Term("trait_column")) if each.key == "run" else each for each in table.columns)
    return replace(table, columns=columns)


def _listed(name: str, folder: str, run: Run, made: Outcome) -> Listed:
    """Return one trait as the page tells it."""
    verdict = made.report.verdict
    checks = verdict.checks if verdict is not None else ()
    failed = f"sections that could not be made: {', '.join(made.failed_sections)}" if made.failed_sections else ""
    decision = verdict.decision if verdict is not None else ""
    return Listed(name, folder, run.n, run, decision, unmet(checks), failed, missed(checks))


def _traits(listed: Sequence[Listed], page: str) -> Table:
    """Return one row for each trait, the worst first: what the policy says, and the headline numbers."""
    rows = []
    for place in worst_first(listed):
        each = listed[place]
        assert each.run is not None
        numbers: list[Estimate | None] = [each.run.estimate(NumberPlace(key)) for key in HEADLINES]
        there = f"{each.folder}/{page}" if page else None
        mark: Mark = "flagged" if each.decision == REFUSED or each.trouble else ""
        decision = Term(each.decision) if each.decision else None
        cells: tuple[Cell, ...] = (each.name, decision, each.run.n, *numbers, each.unmet or None)
        rows.append(Row((*cells, each.trouble or None, each.folder, there), mark))
    columns = (
        Column("trait", link="page"),
        Column("decision"),
        Column("n", kind="count"),
        *(metric_column(key.split(".")[1]) for key in HEADLINES),
        Column("unmet", shown=any(each.unmet for each in listed)),
        Column("trouble", shown=any(each.trouble for each in listed)),
        Column("folder", shown=False),
        Column("page", shown=False),
    )
    return Table("traits.traits", "", columns, tuple(rows), max_rows=500)
