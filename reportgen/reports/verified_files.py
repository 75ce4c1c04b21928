"""Whether the files that lie in a report's folder agree with each other and with what was attested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from reportgen import sections
from reportgen.errors import InputError, shortened
from reportgen.reports import single
from reportgen.reports.review import (
    CONFIG,
    MOST_BYTES,
    Statement,
    apart,
    borne_out,
    configuration,
    predicate,
    prefix_of,
    read_statement,
)
from reportgen.results import Evaluation, Report, ReportKind, SectionResult, Table
from reportgen.settings import Settings, load
from reportgen.storing.csv_tables import says
from reportgen.storing.decoding import encode
from reportgen.storing.report_folder import ATTESTATION, TABLES, content_at, listed, place_of, sha256_at
from reportgen.storing.results_file import Difference, differences

Standing = Literal["belongs", "differs", "cannot be told"]


@dataclass(frozen=True)
class Answer:
    """Whether something belongs to a report.

    Parameters
    ----------
    about
        What: a file, or "numbers".
    standing
        The answer.
    why
        The reason for it, in a sentence without its stop.
    """

    about: str
    standing: Standing
    why: str


def compared(about: str, found: Sequence[Difference], same: str, other_versions: str) -> Answer:
    """Return whether something is as it was made again.

    Parameters
    ----------
    found
        Where the stored one and the one made now differ.
    same
        What is said where they do not.
    other_versions
        Which programs made the stored one in another version than they are here; differences may come from that.
    """
    if not found:
        return Answer(about, "belongs", same)
    first, places = found[0], f"{len(found):,} place{'s' if len(found) > 1 else ''}"
    said = f"{shortened(first.place.strip('.'), 90)} is {_said(first.old)} and should be {_said(first.new)}"
    if other_versions:
        return Answer(about, "cannot be told", f"{places} differ, but it was made by {other_versions}; first: {said}")
    return Answer(about, "differs", f"{said}" + (f"; first of {places}" if len(found) > 1 else ""))


def _said(value: object) -> str:
    """Return a value of a file, as a line can show it."""
    return "absent" if value is None else shortened(repr(value), 40)


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
        """What its configuration says; None where there is none."""
        there = content_at(self.folder, self.config) is not None
        return load(self.folder / self.config) if there else None

    def other_versions(self, *names: str) -> str:
        """Return which programs made it in another version than they have here, of all or of the named ones."""
        told = self.evaluation.provenance.get("versions")
        was: dict[str, Any] = dict(told) if isinstance(told, dict) else {}
        here = single.versions_here()
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
    return stored_otherwise(evaluation, single.check(stored.report))


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
    made = single.section_results(sections.load([section.name], {section.name: options}, kind), evaluation)
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
    evaluation, settings = stored.evaluation, settings.model_copy(update={"data": data})
    new = encode(single.with_settings(evaluation, settings, evaluation.raters).settings)
    old["data"] = {name: value for name, value in found_data.items() if name not in left_open}
    new["data"] = {name: value for name, value in new["data"].items() if name not in left_open}
    found = f"; the run found {', '.join(f'data.{name}' for name in left_open)}" if left_open else ""
    return compared(
        str(stored.config),
        list(differences(old, new, "settings")),
        f"it has the settings in the results{found}",
        stored.other_versions("reportgen"),
    )


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
    content = content_at(folder, PurePosixPath(name))
    try:
        return content is not None and says(content.decode("utf-8"), table)
    except UnicodeDecodeError:
        return False


def of_attestation(stored: Stored) -> Iterator[Answer]:
    """Yield whether files and verdict are those that were attested, and which files are not spoken of."""
    return iter(tuple(_answers(stored)))


def _answers(stored: Stored) -> Iterator[Answer]:
    place = PurePosixPath(f"{stored.prefix}{ATTESTATION}")
    content = content_at(stored.folder, place, MOST_BYTES)
    if content is None:
        yield Answer(str(place), "cannot be told", "there is none; reportgen attest writes one")
        return
    try:
        statement = read_statement(content)
        places = {name: place_of(name) for name in statement.subjects}
    except ValueError as error:
        what = shortened(error) if len(error.args) == 1 else error
        raise InputError(f"'{stored.folder / place}' is no attestation of a report: {what}.") from None
    wrong = list(_other_files(stored, statement, places)) or list(_other_verdict(stored, statement))
    if wrong:
        yield Answer(str(place), "differs", wrong[0] + (f"; first of {len(wrong)}" if len(wrong) > 1 else ""))
    else:
        said = f"{len(places)} files and the verdict {statement.predicate['result']} are those attested"
        yield Answer(str(place), "belongs", said)
    unspoken = [name for name in stored.names if name not in places]
    if unspoken:
        more = f" and {len(unspoken) - 1} more" if len(unspoken) > 1 else ""
        yield Answer(unspoken[0] + more, "cannot be told", "the attestation does not speak of it")


def _other_files(stored: Stored, statement: Statement, places: Mapping[str, PurePosixPath]) -> Iterator[str]:
    """Yield which attested files are missing or have changed, and that the results are not among them."""
    if stored.results.name not in places:
        yield f"it does not speak of {stored.results.name}"
    for name, sha256 in statement.subjects.items():
        found = sha256_at(stored.folder, places[name])
        if found != sha256:
            yield f"{name} is missing" if found is None else f"{name} has changed since"


def _other_verdict(stored: Stored, statement: Statement) -> Iterator[str]:
    """Yield in what the attested verdict is not that of the results."""
    try:
        verdict = borne_out(stored.report, stored.results)
    except InputError as error:
        yield str(error).rstrip(".")
        return
    now = predicate(verdict, configuration(stored.evaluation, statement.subjects, stored.prefix))
    for key, said in now.items():
        attested = statement.predicate[key]
        if key == "configuration":
            if _digests(attested) != _digests(said):
                yield "its configuration, policy or data have other hashes than the results tell"
        elif attested != said:
            yield (
                f"its {key} are not those of the results"
                if isinstance(said, list)
                else f"it says {attested}, the results {said}"
            )


def _digests(configuration: list[Mapping[str, Any]]) -> list[Any]:
    return [each.get("digest") for each in configuration]
