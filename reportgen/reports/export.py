"""The story of an export: the tables and figures of a finished report, as files for a paper."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import OutputError, SettingsError, did_you_mean
from reportgen.reports import single
from reportgen.results import Report
from reportgen.settings import Settings, override
from reportgen.storing import added
from reportgen.storing.report_folder import check_writable

if TYPE_CHECKING:
    from reportgen.rendering import Look
    from reportgen.rendering.paper_tables import ForPapers
    from reportgen.rendering.templates import Templates

TABLES = ("latex", "docx", "md")
FIGURES = ("svg", "png", "pdf")
"""Kinds of files that tables and figures can be."""

USUAL_TABLES, USUAL_FIGURES = ("latex", "md"), ("svg", "pdf")
"""Kinds that need no further package, made where none are named."""


def export(
    source: Path,
    folder: Path,
    settings: Settings,
    *,
    tables: Sequence[str] | None = None,
    figures: Sequence[str] | None = None,
    force: bool = False,
) -> tuple[Path, ...]:
    """Write every table and figure of a report as files; return their places in `folder`.

    Parameters
    ----------
    source
        The folder of a report, or its results.json.
    folder
        Where to write; its files stay, and of the same names none may be there without `force`.
    settings
        Language, templates, paper and Word document; the report's own where they are not set.
    tables, figures
        Kinds of files; the usual ones where neither is given.
    """
    from reportgen.rendering import check, papers_of

    if tables is None and figures is None:
        tables, figures = USUAL_TABLES, USUAL_FIGURES
    tables, figures = _known(tables or (), TABLES, "tables"), _known(figures or (), FIGURES, "figures")
    check_writable(folder)
    report = single.load(source)
    if "language" in settings.report.model_fields_set:
        report = replace(report, language=settings.report.language)
    wanted = settings.report.model_dump(exclude_unset=True)
    look = single.look_of(override(single.stored_look(report), **wanted))
    check(look, ("docx",) if "docx" in tables else ())
    found, templates = papers_of(report, look)
    with added(folder, lambda: _refuse(folder, names, force=force)) as stage:
        _write_tables(found, tables, report, look, stage)
        _write_figures(found, figures, look, templates, stage)
        names = sorted(path.relative_to(stage) for path in stage.rglob("*") if path.is_file())
        _refuse(folder, names, force=force)
    return tuple(folder / name for name in names)


def _known(wanted: Sequence[str], kinds: Collection[str], option: str) -> tuple[str, ...]:
    for name in wanted:
        if name not in kinds:
            raise SettingsError(
                f"{option}: expected {', '.join(kinds)}, found {name!r}{did_you_mean(name, list(kinds))}"
            )
    return tuple(dict.fromkeys(wanted))


def _refuse(folder: Path, names: Sequence[Path], *, force: bool) -> None:
    there = next((name for name in names if (folder / name).exists()), None)
    if there is not None and not force:
        raise OutputError(f"'{folder / there}' is there already; name another folder, or replace it with --force.")


def _write_tables(found: ForPapers, kinds: Sequence[str], report: Report, look: Look, stage: Path) -> None:
    from reportgen.rendering import paper_formats

    home = stage / "tables"
    home.mkdir(exist_ok=True)
    names = [f"table_{place:02d}_{_plain(table.key)}" for place, table in enumerate(found.tables, start=1)]
    for name, table in zip(names, found.tables, strict=True):
        if "latex" in kinds:
            (home / f"{name}.tex").write_text(paper_formats.latex(table), encoding="utf-8")
        if "md" in kinds:
            (home / f"{name}.md").write_text(paper_formats.markdown(table), encoding="utf-8")
    if "latex" in kinds:
        (home / "tables.tex").write_text(paper_formats.document([f"{name}.tex" for name in names]), encoding="utf-8")
    if "docx" in kinds:
        from reportgen.rendering.word_papers import write_document

        write_document(found.tables, report, look, home / "tables.docx")


def _write_figures(found: ForPapers, kinds: Sequence[str], look: Look, templates: Templates, stage: Path) -> None:
    from reportgen.rendering import paper_formats

    home = stage / "figures"
    if not kinds or not found.figures:
        return
    home.mkdir()
    names = [f"figure_{figure.place:02d}_{_plain(figure.chart.key)}" for figure in found.figures]
    for kind in kinds:
        drawn: Iterator[bytes] = paper_formats.drawn(found.figures, kind, look, templates)
        for name, content in zip(names, drawn, strict=True):
            (home / f"{name}.{kind}").write_bytes(content)
    (home / "captions.md").write_text(paper_formats.figure_captions(found.figures, templates), encoding="utf-8")


def _plain(key: str) -> str:
    """Return a key as a part of a file's name that every program takes."""
    return re.sub(r"[^A-Za-z0-9]+", "_", key).strip("_")[:60].rstrip("_")
