"""Several reports of one source, of systems or of traits: each in a folder of its own, and a page that leads to all."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from reportgen import sections
from reportgen.reports.single import Outcome, composed, evaluate_scores, with_settings, write_files
from reportgen.results import Evaluation, Report, ReportKind
from reportgen.results.term import Term
from reportgen.scores import Account
from reportgen.scores.reading import settings_of_systems
from reportgen.settings import Settings, override
from reportgen.storing import report_folder
from reportgen.storing.report_folder import Writing
from reportgen.wording.names import folder_names, pattern_of, together
from reportgen.wording.vocabulary import Vocabulary, folders

if TYPE_CHECKING:
    from reportgen.evaluation import TalliedScores


DOUBTS = "doubts_of_systems"
"""Fact of pages about several systems, or traits: what puts the numbers of some in doubt."""


class Asked(NamedTuple):
    """What is asked for: scores, what is declared about them, where and how to write, and who is told what is made."""

    source: Any
    settings: Settings
    writing: Writing
    say: Callable[[str], None]


class Part(NamedTuple):
    """What one of several reports is about: a system or a trait, its prepared scores, and its settings."""

    name: str
    scores: Account
    settings: Settings
    tallied: TalliedScores | None = None


Folders = Mapping[str, str]
"""Name of a part -> folder of its report."""

Pages = Callable[[Mapping[str, Outcome], Folders, Path | None], Mapping[str, Outcome]]
"""Makes pages on all reports, from these, into a folder; the page that leads to all has no name, and comes last."""


class Slices(NamedTuple):
    """What a source is divided into.

    parts: Systems or traits, in order.
    pages: Makes the pages on all of them; None for the only one.
    kind: What a part is, for the folder of one whose name no folder can have.
    reserved: Folders of further pages.
    """

    parts: Sequence[Part]
    pages: Pages | None = None
    kind: Literal["system", "trait"] = "system"
    reserved: Sequence[str] = ()


def evaluate_parts(asked: Asked, slices: Slices) -> Outcome:
    """Write a report of every part of a source, and the page that leads to all, whose outcome has them as `parts`."""
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
    return replace(
        page,
        folder=writing.folder,
        failed_sections=(
            *(f"{name}: {section}" for name, each in named.items() for section in each.failed_sections),
            *page.failed_sections,
        ),
        parts=tuple(named.values()),
        tables=tuple(part.scores for part in parts),
        names=tuple(names),
    )


def each_system(
    source: Any, settings: Settings, folder: Path | None, reserved: Sequence[str]
) -> list[tuple[str, Settings, Path | None]]:
    """Return name, settings and folder of each system below a folder; the folder itself where no two are named."""
    every = settings_of_systems(source, settings)
    if not every or folder is None:
        return [("", settings, folder)]
    places = folder_names(list(every), "system", reserved)
    return [(name, own, folder / place) for (name, own), place in zip(every.items(), places, strict=True)]


def give_back(settings: Settings, writing: Writing) -> None:
    """Free the layout of a PDF that is made: its boxes point at each other, and wait for a search that comes late."""
    if writing.folder is not None and not writing.tables_only and "pdf" in settings.report.formats:
        gc.collect()


def titled(settings: Settings, name: str) -> Settings:
    """Return the settings of one part's report; a title of their own is shared by all, with the name behind it."""
    title = settings.report.title
    return override(settings, title=f"{title}: {name}") if title else settings


def plain(settings: Settings) -> Settings:
    """Return settings without the choice of sections, which is about the reports of single parts."""
    report = settings.report.model_copy(update={"sections": None})
    return settings.model_copy(update={"report": report, "sections": {}})


def on_all(
    evaluation: Evaluation,
    settings: Settings,
    title: str,
    raters: Sequence[str],
    shown: Sequence[str] | None,
    kind: ReportKind = "summary",
) -> Report:
    """Return a report about all parts, with the sections `shown`, all of its kind when left out."""
    evaluation = with_settings(evaluation, plain(settings), raters)
    return composed(evaluation, sections.load(shown, {}, kind), settings, title)


def page_of(settings: Settings, writing: Writing) -> str:
    """Return the name of the page of each report; nothing where none is written."""
    return "report.html" if "html" in settings.report.formats and not writing.tables_only else ""


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


def written(report: Report, settings: Settings, writing: Writing, folder: Path | None) -> Outcome:
    """Write a report on all parts into a folder that is staged already."""
    return Outcome(report, folder, None, write_files(report, folder, settings, writing))
