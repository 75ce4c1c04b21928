"""Whether results, configuration and tables of a report say the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from reportgen import reports, sections
from reportgen.results import Evaluation, Report, ReportKind, SectionResult, Table
from reportgen.settings import Settings, load
from reportgen.storing.csv_tables import says
from reportgen.storing.differences import Difference, differences
from reportgen.storing.folder_contents import content_at
from reportgen.storing.json_values import encode
from reportgen.storing.report_folder import TABLES, listed
from reportgen.verbs.attesting import CONFIG, prefix_of
from reportgen.verbs.own_numbers import apart
from reportgen.verbs.verification.answers import Answer, compared

ONE = ("evaluation", "raters")
"""Kinds of reports about one file of scores, whose settings they tell."""

PACKET = "packet_"
"""What the names of the sections of a packet begin with."""


@dataclass(frozen=True)
class Stored:
    """A report as it was read, and the file it was read from."""

    report: Report
    results: Path

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of the report."""
        return self.report.evaluation

    @property
    def folder(self) -> Path:
        """The folder of the report."""
        return self.results.parent

    @property
    def prefix(self) -> str:
        """What the names of its files begin with."""
        return prefix_of(self.results)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its files that are there."""
        return listed(self.folder, self.evaluation.tables.values(), self.prefix)

    @property
    def config(self) -> PurePosixPath:
        """The place of its configuration."""
        return PurePosixPath(f"{self.prefix}{CONFIG}")

    @cached_property
    def settings(self) -> Settings | None:
        """What its configuration says; None where there is none.

        Raises
        ------
        SettingsError
            It cannot be read.
        """
        there = content_at(self.folder, self.config) is not None
        return load(self.folder / self.config) if there else None

    def other_versions(self, *names: str) -> str:
        """Return which programs made it in another version than they have here, of all or of the named ones."""
        told = self.evaluation.provenance.get("versions")
        was: dict[str, Any] = dict(told) if isinstance(told, dict) else {}
        here = reports.versions_here()
        other = [name for name in (names or here) if was.get(name) != here[name]]
        return ", ".join(f"{name} {was.get(name, 'of an unknown version')} (here {here[name]})" for name in other)


def of_results(stored: Stored) -> Answer:
    """Return whether the verdict and the sections of a report follow from its numbers."""
    about = stored.results.name
    wrong = _verdict_otherwise(stored)
    if wrong:
        return Answer(about, "differs", wrong.rstrip("."))
    found: list[Difference] = list(apart(stored.evaluation))
    unknown: list[str] = []
    for section in stored.report.sections:
        again = _again(section, stored.evaluation)
        if again is None:
            unknown.append(section.name)
        else:
            found += _apart(section, again)
    answer = compared(
        about,
        found,
        "its verdict, headline numbers and sections follow from its statistics",
        stored.other_versions("reportgen"),
    )
    if answer.standing == "belongs" and unknown:
        return Answer(
            about, "cannot be told", f"its sections of other programs cannot be made again: {', '.join(unknown)}"
        )
    return answer


def _verdict_otherwise(stored: Stored) -> str:
    """Return that the stored verdict is not that of the stored statistics; nothing where it is, or there is none."""
    from reportgen.verdicts import stored_otherwise

    evaluation = stored.evaluation
    if evaluation.ruling is None or not evaluation.statistics:
        return ""
    return stored_otherwise(evaluation, reports.check(stored.report))


def _again(section: SectionResult, evaluation: Evaluation) -> SectionResult | None:
    """Return a section made again from the stored numbers; None where it is not one of reportgen's own."""
    kind: ReportKind = "packet" if section.name.startswith(PACKET) else evaluation.kind
    if section.error or section.name not in sections.providers(kind):
        return None
    plain = sections.load([section.name], {}, kind)
    if not plain[0].own:
        return None
    known = {field.name for field in fields(plain[0].section)}
    options = {name: value for name, value in section.options.items() if name in known}
    made = reports.section_results(sections.load([section.name], {section.name: options}, kind), evaluation)
    return made[0] if made else replace(section, error="it needs what the report has not")


def _apart(section: SectionResult, again: SectionResult) -> Iterator[Difference]:
    """Yield where a stored section and the same made again differ."""
    place = f"sections.{section.name}"
    if again.error:
        yield Difference(place, "there", f"an error ({again.error})")
    else:
        yield from differences(encode(section.findings), encode(again.findings), place)


def of_configuration(stored: Stored) -> Answer | None:
    """Return whether config.toml has the settings in the results; None if it is missing, or is of many reports.

    A configuration that was written by hand leaves columns open, and the run finds them: these are not compared.
    Numbers are computed with the configuration, so another column would show there.
    """
    settings = stored.settings
    if settings is None or stored.evaluation.kind not in ONE:
        return None
    old = encode(stored.evaluation.settings)
    found_data: dict[str, Any] = old.get("data", {})
    left_open = [name for name in found_data if getattr(settings.data, name, "unknown") is None]
    layout = settings.data.layout or found_data.get("layout")
    data = settings.data.model_copy(update={"layout": layout})  # what results tell of raters follows from it
    new = encode(_told(settings.model_copy(update={"data": data}), stored.evaluation))
    old["data"] = {name: value for name, value in found_data.items() if name not in left_open}
    new["data"] = {name: value for name, value in new["data"].items() if name not in left_open}
    found = f"; the run found {', '.join(f'data.{name}' for name in left_open)}" if left_open else ""
    return compared(
        str(stored.config),
        list(differences(old, new, "settings")),
        f"it has the settings in the results{found}",
        stored.other_versions("reportgen"),
    )


def _told(settings: Settings, evaluation: Evaluation) -> Any:
    """Return settings as results tell them."""
    return reports.with_settings(evaluation, settings, evaluation.raters).settings


def of_tables(stored: Stored) -> Iterator[Answer]:
    """Yield whether the CSV tables hold what the results say: one answer for all, none where there are none."""
    tables = {f"{TABLES}/{table.file_name}": table for table in stored.evaluation.tables.values()}
    there = [name for name in stored.names if name in tables]
    other = [name for name in there if not _holds(stored.folder, name, tables[name])]
    if other:
        more = f"; first of {len(other)}" if len(other) > 1 else ""
        yield Answer(TABLES, "differs", f"{other[0]} does not hold the numbers of the results{more}")
    elif there:
        yield Answer(TABLES, "belongs", f"{len(there)} of {len(tables)} are there and hold the numbers of the results")


def _holds(folder: Path, name: str, table: Table) -> bool:
    """Return whether a CSV file holds what a table says."""
    content = content_at(folder, PurePosixPath(name))
    try:
        return content is not None and says(content.decode("utf-8"), table)
    except UnicodeDecodeError:
        return False
