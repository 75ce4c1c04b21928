"""Export the tables and figures of a finished report as files for a paper."""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from reportgen.errors import OutputError, SettingsError, did_you_mean
from reportgen.rendering import check, look_of, papers
from reportgen.rendering.papers import ForPapers
from reportgen.rendering.templates import Templates
from reportgen.reports import single
from reportgen.settings import Settings
from reportgen.storing import added
from reportgen.storing.report_folder import check_writable

TABLES = ("latex", "docx", "md")
FIGURES = ("svg", "png", "pdf")  # file formats of tables and figures

USUAL_TABLES, USUAL_FIGURES = ("latex", "md"), ("svg", "pdf")  # default formats, which need no optional package


def export(
    source: Path,
    folder: Path,
    settings: Settings,
    *,
    tables: Sequence[str] | None = None,
    figures: Sequence[str] | None = None,
    force: bool = False,
) -> tuple[Path, ...]:
    """Write every table and figure of a report as files; return their paths in `folder`.

    source: The folder of a report, or its results.json.
    folder: Output folder; its other files stay, and files of the same names require `force`.
    settings: Language, templates, paper, and Word document. Default: the report's.
    tables, figures: File formats. Default: the usual ones.
    """
    if tables is None and figures is None:
        tables, figures = USUAL_TABLES, USUAL_FIGURES
    tables, figures = _known(tables or (), TABLES, "tables"), _known(figures or (), FIGURES, "figures")
    check_writable(folder)
    report, settings = single.as_asked(single.load(source), settings)
    look = look_of(settings)
    check(look, ("docx",) if "docx" in tables else ())
    templates = Templates(report, look)
    found = papers.for_papers(templates)
    with added(folder, lambda: _refuse(folder, names, force=force)) as stage:
        _write_tables(found, tables, templates, stage)
        _write_figures(found, figures, templates, stage)
        names = sorted(path.relative_to(stage) for path in stage.rglob("*") if path.is_file())
        _refuse(folder, names, force=force)
    return tuple(folder / name for name in names)


def _known(wanted: Sequence[str], kinds: Collection[str], option: str) -> tuple[str, ...]:
    for name in wanted:
        if name not in kinds:
            raise SettingsError(f"--{option}: unknown format {name!r}{did_you_mean(name, list(kinds))}")
    return tuple(dict.fromkeys(wanted))


def _refuse(folder: Path, names: Sequence[Path], *, force: bool) -> None:
    there = next((name for name in names if (folder / name).exists()), None)
    if there is not None and not force:
        raise OutputError(f"'{folder / there}' already exists; choose another folder, or add --force to overwrite.")


def _write_tables(found: ForPapers, kinds: Sequence[str], templates: Templates, stage: Path) -> None:
    home = stage / "tables"
    home.mkdir(exist_ok=True)
    names = _names("table", [table.key for table in found.tables])
    for kind, ending, write in (("latex", "tex", papers.latex), ("md", "md", papers.markdown)):
        for name, table in zip(names, found.tables, strict=True) if kind in kinds else ():
            (home / f"{name}.{ending}").write_text(write(table, templates.loader), encoding="utf-8")
    if "latex" in kinds:
        whole = papers.filled("papers/document.tex.j2", templates.loader, names=[f"{name}.tex" for name in names])
        (home / "tables.tex").write_text(whole, encoding="utf-8")
    if "docx" in kinds:
        from reportgen.rendering.word import write_document

        write_document(found.tables, templates, home / "tables.docx")


def _write_figures(found: ForPapers, kinds: Sequence[str], templates: Templates, stage: Path) -> None:
    home = stage / "figures"
    if not kinds or not found.figures:
        return
    home.mkdir()
    names = _names("figure", [figure.chart.key for figure in found.figures])
    for kind in kinds:
        for name, content in zip(names, papers.drawn(found.figures, kind, templates), strict=True):
            (home / f"{name}.{kind}").write_bytes(content)
    note = templates.vocabulary.phrases("papers").note()
    captions = papers.filled("papers/captions.md.j2", templates.loader, figures=found.figures, note=note)
    (home / "captions.md").write_text(captions, encoding="utf-8")


def _names(kind: str, keys: Sequence[str]) -> list[str]:
    plain = (re.sub(r"[^A-Za-z0-9]+", "_", key).strip("_")[:60].rstrip("_") for key in keys)
    return [f"{kind}_{place:02d}_{key}" for place, key in enumerate(plain, start=1)]
