"""What reportgen does with a review packet, as a function: make one from a stored report."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from reportgen import sections
from reportgen.errors import InputError, OutputError
from reportgen.packet import Material, evaluation_of, model_card, read_card
from reportgen.reports import Outcome, load, section_results, stored_look, write_pages
from reportgen.results import Report
from reportgen.settings import Settings, override
from reportgen.storing import results_file
from reportgen.storing.csv_tables import write_tables
from reportgen.storing.report_folder import staged
from reportgen.wording.vocabulary import english

FILES = ("results.json", "config.toml")
"""Files of a report whose hashes a packet tells."""

MODEL_CARD = "packet_card.md"
"""The card as Markdown, with the metadata block that model hubs read."""


def packet(
    source: Path,
    folder: Path | None,
    settings: Settings,
    *,
    card: Path | None = None,
    previous: Path | None = None,
    force: bool = False,
    kernel: str | None = None,
) -> Outcome:
    """Make the review packet of a finished report.

    Parameters
    ----------
    source
        A results.json, or the folder of a report.
    folder
        Where to write; None writes nothing.
    settings
        Those of ``report`` that are set replace the ones of the report; ``sections`` names sections of the
        packet.
    card
        What people say about the engine; None leaves every field "not supplied".
    previous
        An earlier results.json, or its folder.

    Raises
    ------
    ReportgenError
        When a file, the card or the output folder is not what it should be.
    """
    report = _evaluation_report(source)
    _refuse_edited(report, source)
    chosen = sections.load(settings.report.sections, settings.sections, "packet")
    said, signatories = read_card(card) if card is not None else ({}, ())
    earlier = _evaluation_report(previous) if previous is not None else None
    own = tuple(found.section.name for found in chosen)
    material = Material(report, said, signatories, _hashes(source), earlier, own)
    made = _packet(material, chosen, settings)
    failed = {section.name for section in made.sections if section.error}
    if folder is None:
        return Outcome(made, None, None, tuple(sorted(failed)))
    home = source if source.is_dir() else source.parent
    if folder.resolve() == home.resolve():
        raise OutputError(f"'{folder}' is the report that the packet is made from; name another folder.")
    look = override(stored_look(report), **settings.report.model_dump(exclude_unset=True, exclude={"sections"}))
    with staged(folder, force) as stage:
        results_file.write(made, stage / "results.json")
        write_tables(map(english().file, made.evaluation.tables.values()), stage / "tables")
        (stage / MODEL_CARD).write_text(model_card(report, said), encoding="utf-8")
        failed |= write_pages(made, stage, look, kernel, chosen=chosen, attach=True)
    return Outcome(made, folder, None, tuple(sorted(failed)))


def _evaluation_report(source: Path) -> Report:
    """Return a stored report of one system's evaluation, without the sections of a packet."""
    report = load(source)
    if report.evaluation.kind == "raters":
        raise InputError(f"'{source}' is a report on raters; a packet is made of the report of an engine's evaluation.")
    if report.evaluation.kind != "evaluation":
        raise InputError(f"'{source}' is a {report.evaluation.kind}; a packet is made of the report of an evaluation.")
    kept = tuple(section for section in report.sections if not section.name.startswith("packet_"))
    return replace(report, sections=kept)


def _refuse_edited(report: Report, source: Path) -> None:
    """Raise when the verdict that people are to sign is not that of the statistics stored beside it."""
    from reportgen.verdicts import again, stored_otherwise

    evaluation = report.evaluation
    if evaluation.ruling is not None and evaluation.statistics:
        remark = stored_otherwise(evaluation, again(evaluation, evaluation.ruling))
        if remark:
            raise InputError(f"'{source}': {remark} Run `reportgen evaluate` again.")


def _packet(material: Material, chosen: list[sections.Found], settings: Settings) -> Report:
    """Return the packet: its own sections, then those of the report, then the decision."""
    evaluation = evaluation_of(material)
    own = section_results(chosen, evaluation)
    last = [section for section in own if section.name == "packet_decision"]
    first = [section for section in own if section not in last]
    report = material.report
    engine = material.card.get("engine.name", "")
    title = settings.report.title or f"Review packet: {engine or report.title}"
    return replace(
        report,
        title=title,
        description=settings.report.description or report.description,
        created=settings.report.created.isoformat() if settings.report.created else report.created,
        evaluation=evaluation,
        sections=(*first, *report.sections, *last),
    )


def _hashes(source: Path) -> tuple[tuple[str, str], ...]:
    """Return names and SHA-256 of the files of a report that are there."""
    home = source if source.is_dir() else source.parent
    paths = [home / name for name in FILES] if source.is_dir() else [source, home / "config.toml"]
    return tuple((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths if path.is_file())
