"""Several traits in one source: a report of each, and a page for all of them that comes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from reportgen.evaluation.traits import traits_together
from reportgen.reports.batch_summary import TRAITS, Listed, table_of_reports, worst_first
from reportgen.reports.parts import (
    DOUBTS,
    Asked,
    Folders,
    Part,
    Slices,
    doubts_of,
    on_all,
    page_of,
    plain,
    titled,
    written,
)
from reportgen.reports.single import Outcome, provenance_of
from reportgen.results import Column, Report, Table
from reportgen.results.term import Term
from reportgen.scores import ScoreTable, paths_of
from reportgen.scores.traits import Traits
from reportgen.settings import Settings, override, write_config

_SECTIONS = ("summarize_traits", "summarize_halo", "summarize_agreement", "summarize_groups", "provenance")
"""The sections of the page for all traits."""


def slices_of_traits(asked: Asked, traits: Traits, tables: Sequence[ScoreTable]) -> Slices:
    """Return the traits of a source as parts, with the page for all of them; `tables` are their prepared scores."""
    source, settings, writing, say = asked

    def pages(made: Mapping[str, Outcome], folders: Folders, stage: Path | None) -> dict[str, Outcome]:
        say(f"page for all {len(made)} traits")
        page = _page(asked, traits, tables, made, folders)
        if stage is not None:
            file = paths_of(source)
            kept = traits.settings if file is None else override(traits.settings, file=file)
            write_config(kept, stage / "config.toml", writing.folder)
        return {"": written(page, settings, writing, stage, above=False)}

    def named(own: Settings, name: str, table: ScoreTable) -> Settings:
        if settings.report.title:
            return titled(own, name)
        return override(own, title=f"{name}: evaluation of {table.source.name}")

    every = zip(traits.parts, tables, strict=True)
    parts = [Part(each.name, table, named(each.settings, each.name, table)) for each, table in every]
    return Slices(parts, pages, "trait")


def _page(
    asked: Asked, traits: Traits, tables: Sequence[ScoreTable], made: Mapping[str, Outcome], folders: Folders
) -> Report:
    """Return the page for all traits: the composite, each trait with its verdict, and what they say together."""
    from reportgen.comparison.summarize import summarize_runs

    _, settings, writing, _ = asked
    kept = plain(settings)
    listed = [Listed.of(part.report, name, folders[name], part.failed_sections) for name, part in made.items()]
    runs = [each.run for each in listed if each.run is not None]
    statistics = settings.statistics
    weighed = {part.name: part.weight for part in traits.parts if part.weight}
    together = traits_together(
        [table for name, table in zip(made, tables, strict=True) if name in weighed], list(weighed),
        list(weighed.values()), statistics.confidence_level,
        by_row=traits.in_columns, least=statistics.min_n_per_group,
    )  # fmt: skip
    summed = summarize_runs(runs, kept, provenance_of(settings, writing.command), one_scale=False)
    page = page_of(settings, writing)
    worst = [listed[place] for place in worst_first(listed)]
    first = table_of_reports("traits.traits", Column("trait"), TRAITS, worst, f"{{}}/{page}" if page else "")
    own = (first, *together.tables)
    scales = {(run.scale.low, run.scale.high) for run in runs if run.name in weighed}
    evaluation = replace(
        summed,
        source=traits.source,
        estimates={**summed.estimates, **together.estimates},
        tables={**{key: _of_traits(table) for key, table in summed.tables.items()}, **{each.key: each for each in own}},
        facts={
            **summed.facts,
            "traits": list(made),
            "weights": weighed,
            "equal_weights": len(set(weighed.values())) == 1,
            "several_scales": len(scales) > 1,
            "composite_n": together.n,
            "composite_double": together.double,
            "composite_reason": together.reason,
            "parts": [[name, folder] for name, folder in folders.items()],
            "page": page,
            DOUBTS: doubts_of(made),
        },
        warnings=traits.told,
    )
    raters = [column for table in tables for column in table.raters]
    title = f"Evaluation of {len(made)} traits in {traits.source.name}"
    return on_all(evaluation, settings, title, raters, _SECTIONS)


def _of_traits(table: Table) -> Table:
    columns = tuple(replace(each, label=Term("trait_column")) if each.key == "run" else each for each in table.columns)
    return replace(table, columns=columns)
