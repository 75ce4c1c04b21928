"""A report of several parts: each in a folder of its own, and beside them what is said of all."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen.reports import single
from reportgen.reports.single import Outcome
from reportgen.results import Report
from reportgen.results.term import Term
from reportgen.scores import Account
from reportgen.settings import Settings, override
from reportgen.storing import report_folder, results_file
from reportgen.storing.csv_tables import write_tables
from reportgen.storing.report_folder import Writing
from reportgen.wording.names import pattern_of, together
from reportgen.wording.vocabulary import Vocabulary, english, folders

if TYPE_CHECKING:
    from reportgen.evaluation import TalliedScores
    from reportgen.runs import Run

DOUBTS = "doubts_of_systems"
"""Fact of pages about several systems, or traits: what puts the numbers of some in doubt."""


def of_one(
    source: Any,
    table: Account,
    settings: Settings,
    writing: Writing,
    folder: Path | None,
    home: Path | None,
    tallied: TalliedScores | None = None,
) -> Outcome:
    """Return the outcome of one part's report."""
    return single.evaluate(
        source, folder, settings, tables_only=writing.tables_only, force=writing.force, kernel=writing.kernel,
        command=writing.command, scores=table, tallied=tallied, home=home, above=home != writing.folder,
    )  # fmt: skip


def give_back(settings: Settings, writing: Writing) -> None:
    """Free the layout of a PDF that is made: its boxes point at each other, and wait for a search that comes late."""
    if writing.folder is not None and not writing.tables_only and "pdf" in settings.report.formats:
        gc.collect()


def refuse_folders(writing: Writing, names: Iterable[str]) -> None:
    """Raise before anything is made when a folder of a part cannot be written to."""
    if writing.folder is not None:
        for folder in (writing.folder, *(writing.folder / name for name in names)):
            report_folder.check(folder, writing.force)


def places(stage: Path | None, writing: Writing, name: str) -> tuple[Path | None, Path | None]:
    """Return where a part is written now, and where it will be."""
    if stage is None or writing.folder is None:
        return None, None
    return stage / name, writing.folder / name


def titled(settings: Settings, name: str) -> Settings:
    """Return the settings of one part's report; a title of their own is shared by all, with the name behind it."""
    title = settings.report.title
    return override(settings, title=f"{title}: {name}") if title else settings


def plain(settings: Settings) -> Settings:
    """Return settings without the choice of sections, which is about the reports of single parts."""
    report = settings.report.model_copy(update={"sections": None})
    return settings.model_copy(update={"report": report, "sections": {}})


def judged_by(runs: Sequence[Run], parts: Sequence[Outcome]) -> list[Run]:
    """Return runs with the verdicts of the reports that were made of them."""
    return [replace(run, verdict=part.report.verdict) for run, part in zip(runs, parts, strict=True)]


def doubts_of(parts: Mapping[str, Outcome]) -> list[tuple[str, list[str]]]:
    """Return every doubt in the reports of parts, once, and the parts it is about.

    Doubts that differ by their numbers alone are one, told with the least and the greatest of each.  Texts keep what to
    type, which pages leave out.
    """
    found: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for name, part in parts.items():
        words = Vocabulary(folders(language=part.report.language), part.report.labels)
        doubts = part.report.evaluation.facts.get("doubts") or ()
        for sentence in (words.say(doubt) if isinstance(doubt, Term) else doubt for doubt in doubts):
            found.setdefault(pattern_of(sentence), []).append((sentence, name))
    return [(together([sentence for sentence, _ in told]), [name for _, name in told]) for told in found.values()]


def written(
    report: Report, settings: Settings, writing: Writing, folder: Path | None, *, above: bool = False
) -> Outcome:
    """Write results, tables and pages into a folder that is staged already; what parts share may stand above it."""
    failed = {section.name for section in report.sections if section.error}
    if folder is not None:
        folder.mkdir(exist_ok=True)
        results_file.write(report, folder / "results.json")
        write_tables(map(english().file, report.evaluation.tables.values()), folder / "tables")
        if not writing.tables_only:
            failed |= single.write_pages(report, folder, settings, writing.kernel, above=above)
    return Outcome(report, folder, None, tuple(sorted(failed)))
