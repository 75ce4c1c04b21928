"""Verify that the files of a report, its numbers, and its data match.

The only path it follows from a report leads to the scores, which must have the stored hash.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from pathlib import Path, PurePosixPath
from typing import Any, Literal, NamedTuple

from pydantic.alias_generators import to_camel

from reportgen import sections
from reportgen.errors import DISTRIBUTION, InputError, ReportgenError, SettingsError, describe_failure, shortened
from reportgen.governance import review
from reportgen.policies import shipped_policies
from reportgen.reports import single
from reportgen.results import Evaluation, Report, ReportKind, SectionResult, Table
from reportgen.scores import sha256_of
from reportgen.settings import RESCALED, Settings, from_stored, load, override
from reportgen.storing import report_folder, results_file
from reportgen.storing.report_folder import ATTESTATION, REFERENCES, TABLES, Writing, content_at, says
from reportgen.storing.results_file import Difference, differences, encode
from reportgen.verdicts import again, stored_otherwise

Outcome = Literal["match", "mismatch", "not checked"]


@dataclass(frozen=True)
class Answer:
    """Whether a file, or "numbers", matches the report, and why, in a sentence without a period."""

    about: str
    result: Outcome
    why: str


def compared(about: str, found: Sequence[Difference], same: str, other_versions: str) -> Answer:
    """Return the answer for an item and its rebuilt version; changed program versions may explain differences."""
    if not found:
        return Answer(about, "match", same)
    first, places = found[0], f"{len(found):,} place{'s' if len(found) > 1 else ''}"
    text = f"{shortened(first.place.strip('.'), 90)} is {_value(first.old)} and should be {_value(first.new)}"
    if other_versions:
        return Answer(about, "not checked", f"{places} differ, but it was made by {other_versions}; first: {text}")
    return Answer(about, "mismatch", text + (f"; first of {places}" if len(found) > 1 else ""))


def _value(value: object) -> str:
    return "absent" if value is None else shortened(repr(value), 40)


ONE = ("evaluation", "raters")  # kinds of reports about one score file, whose settings they contain


class Stored:
    """A report as read, and its file; `names` are those of its existing files, which start with `prefix`."""

    def __init__(self, report: Report, results: Path) -> None:
        self.report, self.evaluation = report, report.evaluation
        self.results, self.folder = results, results.parent
        self.prefix = review.prefix_of(results)
        self.names = report_folder.listed(self.folder, self.evaluation.tables.values(), self.prefix)
        self.config = PurePosixPath(f"{self.prefix}{review.CONFIG}")

    @cached_property
    def settings(self) -> Settings | None:
        """Settings in its configuration, or None."""
        return load(self.folder / self.config) if content_at(self.folder, self.config) is not None else None

    def other_versions(self, *names: str) -> str:
        """Return the programs whose versions differ from the installed ones, of all or of the named ones."""
        told = self.evaluation.provenance.get("versions")
        was: dict[str, Any] = dict(told) if isinstance(told, dict) else {}
        here = single.versions_here()
        other = [name for name in (names or here) if was.get(name) != here[name]]
        return ", ".join(f"{name} {was.get(name, 'of an unknown version')} (here {here[name]})" for name in other)


def of_results(stored: Stored) -> Answer:
    """Check whether the verdict and the sections of a report follow from its numbers."""
    about, evaluation = stored.results.name, stored.evaluation
    if evaluation.ruling is not None and evaluation.statistics:
        wrong = stored_otherwise(evaluation, single.check(stored.report))
        if wrong:
            return Answer(about, "mismatch", wrong.rstrip("."))
    made = {section.name: _section_apart(section, evaluation) for section in stored.report.sections}
    found = [*review.apart(evaluation), *(each for others in made.values() for each in others or ())]
    follows = "the verdict, headline numbers, and sections follow from the statistics"
    answer = compared(about, found, follows, stored.other_versions("reportgen"))
    unknown = ", ".join(name for name, others in made.items() if others is None)
    if answer.result == "match" and unknown:
        return Answer(about, "not checked", f"sections from other packages cannot be rebuilt: {unknown}")
    return answer


def _section_apart(section: SectionResult, evaluation: Evaluation) -> list[Difference] | None:
    """Return where a section differs from its rebuilt version, or None if it is not a built-in section."""
    kind: ReportKind = "packet" if section.name.startswith(single.PACKET) else evaluation.kind
    if section.error or section.name not in sections.providers(kind):
        return None
    plain = sections.load([section.name], {}, kind)
    if not plain[0].own:
        return None
    known = {field.name for field in fields(plain[0].section)}
    options = {name: value for name, value in section.options.items() if name in known}
    made = single.section_results(sections.load([section.name], {section.name: options}, kind), evaluation)
    place, error = f"sections.{section.name}", made[0].error if made else "it requires data that the report lacks"
    if error:
        return [Difference(place, "there", f"an error ({error})")]
    return list(differences(encode(section.findings), encode(made[0].findings), place))


def of_configuration(stored: Stored) -> Answer | None:
    """Check whether config.toml matches the settings in the results; None if it is missing, or is for many reports.

    Columns that a handwritten configuration leaves to detection are not compared. A different column would change the
    numbers, which are computed with the configuration.
    """
    settings = stored.settings
    if settings is None or stored.evaluation.kind not in ONE:
        return None
    old = encode(stored.evaluation.settings)
    found_data: dict[str, Any] = old.get("data", {})
    left_open = [name for name in found_data if getattr(settings.data, name, "unknown") is None]
    layout = settings.data.layout or found_data.get("layout")
    data = settings.data.model_copy(update={"layout": layout})  # the settings of raters in the results follow from it
    evaluation, settings = stored.evaluation, settings.model_copy(update={"data": data})
    new = encode(single.with_settings(evaluation, settings, evaluation.raters).settings)
    for told in (old, new):
        told["data"] = {name: value for name, value in told.get("data", {}).items() if name not in left_open}
    found = f"; the run found {', '.join(f'data.{name}' for name in left_open)}" if left_open else ""
    same = f"same settings as in {stored.results.name}{found}"
    other = stored.other_versions("reportgen")
    return compared(str(stored.config), list(differences(old, new, "settings")), same, other)


def of_tables(stored: Stored) -> Iterator[Answer]:
    """Check whether the CSV tables match the results: one answer for all tables, none if there are none."""
    tables = {f"{TABLES}/{table.file_name}": table for table in stored.evaluation.tables.values()}
    there = [name for name in stored.names if name in tables]
    other = (name for name in there if not _holds(stored.folder, name, tables[name]))
    wrong = [f"{name} does not match {stored.results.name}" for name in other]
    if there:
        yield _first_of(TABLES, wrong, f"{len(there)} of {len(tables)} are present and match {stored.results.name}")


def _first_of(about: str, wrong: Sequence[str], same: str) -> Answer:
    more = f"; first of {len(wrong)}" if len(wrong) > 1 else ""
    return Answer(about, "mismatch", wrong[0] + more) if wrong else Answer(about, "match", same)


def _holds(folder: Path, name: str, table: Table) -> bool:
    content = content_at(folder, PurePosixPath(name))
    try:
        return content is not None and says(content.decode("utf-8"), table)
    except UnicodeDecodeError:
        return False


def of_attestation(stored: Stored) -> Iterator[Answer]:
    """Check the attested files and verdict, and list the files that the attestation does not cover."""
    place = PurePosixPath(f"{stored.prefix}{ATTESTATION}")
    content = content_at(stored.folder, place, review.MOST_BYTES)
    if content is None:
        yield Answer(str(place), "not checked", "missing; to write it, run: reportgen attest")
        return
    try:
        statement = review.read_statement(content)
        places = {name: report_folder.place_of(name) for name in statement.subjects}
    except ValueError as error:
        why = describe_failure(error)
        raise InputError(f"'{stored.folder / place}' is not an attestation of a report: {why}.") from None
    wrong = list(_other_files(stored, statement, places)) or list(_other_verdict(stored, statement))
    text = f"{len(places)} files and the verdict {statement.predicate.result} match the attestation"
    yield _first_of(str(place), wrong, text)
    unspoken = [name for name in stored.names if name not in places]
    if unspoken:
        more = f" and {len(unspoken) - 1} more" if len(unspoken) > 1 else ""
        yield Answer(unspoken[0] + more, "not checked", "the attestation does not cover it")


def _other_files(stored: Stored, statement: review.Statement, places: Mapping[str, PurePosixPath]) -> Iterator[str]:
    """Yield attested files that are missing or have changed, and whether the results are not covered."""
    if stored.results.name not in places:
        yield f"it does not cover {stored.results.name}"
    for name, sha256 in statement.subjects.items():
        found = report_folder.sha256_at(stored.folder, places[name])
        if found != sha256:
            yield f"{name} is missing" if found is None else f"{name} has changed since"


def _other_verdict(stored: Stored, statement: review.Statement) -> Iterator[str]:
    """Yield differences between the attested verdict and the verdict of the results and attested files."""
    try:
        verdict = review.borne_out(stored.report, stored.results)
    except InputError as error:
        yield str(error).rstrip(".")
        return
    attested = statement.predicate
    now = review.predicate(verdict, review.configuration(stored.evaluation, statement.subjects, stored.prefix))
    if attested.result != now.result:
        yield f"it shows {attested.result}, the results {now.result}"
    for key in ("passed_tests", "warned_tests", "failed_tests"):
        if getattr(attested, key) != getattr(now, key):
            yield f"its {to_camel(key)} differ from the results"
    if [each.digest for each in attested.configuration] != [each.digest for each in now.configuration]:
        yield "its configuration, policy, or data hashes differ from the results"


def verify(run: Path, data: Data, looks: Mapping[str, Path]) -> tuple[Answer, ...]:
    """Verify that the files of a report, its numbers, and its data match.

    run: A report folder, or its results.json.
    data: The scores. Default: the file in the report's configuration, if it exists and has not changed.
    looks: The custom templates, logo, or Word document that the report used.
    """
    results = single.results_of(run)
    stored = Stored(results_file.read(results), results)
    configured = of_configuration(stored)
    told, found = of_data(stored, data, configured)
    of_files = (*([configured] if configured else []), *of_tables(stored), *of_pages(stored, looks))
    return (of_results(stored), *of_attestation(stored), *of_files, told, of_numbers(stored, found, told))


IN_MEMORY = ("frame", "duckdb", "postgresql")  # formats of sources that are not files

UNTOLD = "the score file was not found; add --data FILE"  # why data or numbers cannot be checked


class Data(NamedTuple):
    """Score files and their companions, as far as they are available."""

    files: tuple[Path, ...] = ()
    labels_file: Path | None = None
    training_file: Path | None = None

    @property
    def source(self) -> Path | tuple[Path, ...]:
        """The scores as a source: one file, a pattern, a folder, or several files."""
        return self.files[0] if len(self.files) == 1 else self.files


def of_data(stored: Stored, data: Data, configured: Answer | None) -> tuple[Answer, Data | None]:
    """Check whether scores belong to a report, and return the data if numbers can be computed from them.

    If no data are given, the file in the configuration is used if the configuration matches the results and the file
    has not changed.
    """
    source, named = stored.evaluation.source, bool(data.files)
    if not named:
        settings = stored.settings
        if settings is None or settings.data.file is None or configured is None or configured.result != "match":
            return Answer(source.name, "not checked", UNTOLD), None
        files = settings.data.file if isinstance(settings.data.file, tuple) else (settings.data.file,)
        scaling = settings.preparation.scale_with
        training = data.training_file or (None if scaling is None or scaling in RESCALED else Path(scaling))
        data = Data(files, data.labels_file or settings.data.labels_file, training)
    try:
        sha256 = sha256_of(data.source, data.labels_file)
    except (OSError, InputError) as error:
        if not named:
            return Answer(source.name, "not checked", UNTOLD), None
        if isinstance(error, InputError):
            raise
        raise InputError(f"--data: '{error.filename or data.source}' cannot be read: {error.strerror}.") from None
    if sha256 == source.sha256:
        return Answer(source.name, "match", f"same SHA-256 as the scores of the report, {sha256}"), data
    if not named:
        why = f"the file in {stored.config} has changed since; add --data FILE"
        return Answer(source.name, "not checked", why), None
    if source.format in IN_MEMORY:
        why = "the report was made from a data frame or a query, so no file has its SHA-256"
        return Answer(source.name, "not checked", why), data
    joined = data.labels_file is None and len(source.files) > len(data.files)
    labels = " If human scores were joined, add --labels-file FILE." if joined else ""
    why = f"the SHA-256 of --data is {sha256}, not {source.sha256} as recorded.{labels}".rstrip(".")
    return Answer(source.name, "mismatch", why), None


ABOUT = "numbers"

FOLLOWED = ("data", "preparation", "statistics", "impact", "privacy", "traits")
"""Tables of settings that determine numbers. Other settings are ignored, so nothing is logged, loaded, or written."""

OF_THE_SOURCE = ("file", "connection", "query", "labels_file", "scales", "by")
"""Data settings that lead to a source; the user names the source instead."""

COMPARED = ("scale", "score_types", "groups", "estimates", "statistics", "tables", "checks")
"""Parts of an evaluation to compare; of its facts, only numbers."""

COMPUTING = ("python", "reportgen", "numpy", "scipy", "pyarrow")  # programs that can change a number

OF_PACKETS = "packet."  # prefix of the keys of tables that a packet adds


def of_numbers(stored: Stored, data: Data | None, told: Answer) -> Answer:
    """Check whether the scores give the numbers of a report."""
    if stored.evaluation.kind not in ONE:
        return Answer(ABOUT, "not checked", f"this is a {stored.evaluation.kind}; give the folder of one report")
    if data is None:
        why = "the scores differ, so the numbers were not recomputed" if told.result == "mismatch" else UNTOLD
        return Answer(ABOUT, "not checked", why)
    try:
        fresh = _computed(stored, data)
    except InputError as error:
        return Answer(ABOUT, "not checked", f"the scores cannot be read as before: {error}".rstrip("."))
    old, new = _numbers(stored.evaluation), _numbers(fresh)
    # some rsmeval settings do not exist in reportgen
    of_rsmeval = bool(stored.prefix) or (stored.settings is not None and stored.settings.rsmeval is not None)
    why_not = stored.other_versions(*COMPUTING) or ("a configuration of rsmeval" if of_rsmeval else "")
    same = f"{_count(old):,} recomputed numbers match the stored ones"
    return compared(ABOUT, list(differences(old, new)), same, why_not)


def _computed(stored: Stored, data: Data) -> Evaluation:
    """Evaluate the scores with the report's settings and requirements; its policy can be in another place."""
    from reportgen.reports import systems

    old = stored.evaluation
    try:
        outcome = systems.evaluate_source(data.source, _settings(stored, data), Writing())
    except ReportgenError as error:
        raise InputError(str(error)) from None
    if outcome.parts:
        raise InputError("they contain multiple systems or traits, and the report does not identify its own")
    fresh = outcome.report.evaluation
    if old.ruling is None or not old.statistics:
        return fresh
    return replace(fresh, checks=again(replace(fresh, checks=old.checks, settings=old.settings), old.ruling).checks)


def _settings(stored: Stored, data: Data) -> Settings:
    """Return the settings that determine numbers, with the given source."""
    told = stored.settings.model_dump(exclude_unset=True) if stored.settings is not None else stored.evaluation.settings
    kept = deepcopy({name: told[name] for name in FOLLOWED if told.get(name)})
    kept["data"] = {key: value for key, value in kept.get("data", {}).items() if key not in OF_THE_SOURCE}
    if data.labels_file is not None:
        kept["data"]["labels_file"] = data.labels_file
    scaling = kept.get("preparation", {}).get("scale_with")
    if scaling is not None and scaling not in RESCALED:
        if data.training_file is None:
            raise SettingsError("the scores were rescaled with a training file; add --training-file FILE.")
        kept["preparation"]["scale_with"] = str(data.training_file)
    asked = told.get("verdict")
    policy = asked.get("policy") if isinstance(asked, Mapping) else None
    shipped = {"policy": policy} if policy in shipped_policies() else {}
    return from_stored({**kept, "verdict": shipped, "report": {"sections": [], "formats": []}})


def _numbers(evaluation: Evaluation) -> dict[str, Any]:
    content = {name: encode(getattr(evaluation, name)) for name in COMPARED}
    tables = {key: table for key, table in content["tables"].items() if not key.startswith(OF_PACKETS)}
    for table in tables.values():
        for row in table["rows"]:
            row.pop("mark", None)
    facts = {key: value for key, value in encode(evaluation.facts).items() if isinstance(value, int | float)}
    return {**content, "tables": tables, "facts": facts}


def _count(value: Any) -> int:
    if isinstance(value, Mapping | list):
        return sum(map(_count, value.values() if isinstance(value, Mapping) else value))
    return int(isinstance(value, int | float) and not isinstance(value, bool))


PAGES = {"report.html": "html", "report.pdf": "pdf", "brief.pdf": "brief", "report.docx": "docx"}
PAGES |= dict.fromkeys(("report.ipynb", *REFERENCES), "")
"""Pages to rebuild and compare byte by byte, with the format of each; "" matches any format."""

LOOKS = ("templates", "logo", "docx_template")
"""Settings of the look of pages that lead to files; used only if the user passes them."""


def of_pages(stored: Stored, given: Mapping[str, Path]) -> Iterator[Answer]:
    """Check whether the results produce each page, byte by byte, with the `given` looks."""
    names = [name for name in stored.names if name.removeprefix(stored.prefix) in PAGES]
    if not names:
        return
    equal, reason = _made_again(stored, names, given), _may_differ(stored, set(given))
    for name in names:
        if name in equal:
            yield Answer(name, "match", f"identical to the file rebuilt from {stored.results.name}")
        elif reason:
            yield Answer(name, "not checked", f"differs from the rebuilt file, but it was made {reason}")
        else:
            yield Answer(name, "mismatch", f"differs from the file rebuilt from {stored.results.name}")


def _made_again(stored: Stored, names: list[str], given: Mapping[str, Path]) -> set[str]:
    """Return the pages whose rebuilt bytes match, trying each way in which pages can be made."""
    there = {name: content_at(stored.folder, PurePosixPath(name)) for name in names}
    look = override(single.as_asked(stored.report, Settings())[1], **given)
    of_names = (PAGES[name.removeprefix(stored.prefix)] for name in names)
    ways = dict.fromkeys((tuple(look.report.formats), tuple(filter(None, of_names))))
    equal: set[str] = set()
    for formats, above in product(ways, (False, True) if look.report.plotly == "beside" else (False,)):
        with tempfile.TemporaryDirectory() as made:
            writing = Writing(prefix=stored.prefix, above=above)
            single.write_pages(stored.report, Path(made), override(look, formats=formats), writing)
            found = {name: Path(made) / name for name in names}
            equal |= {name for name, path in found.items() if path.is_file() and path.read_bytes() == there[name]}
        if equal == set(names):
            break
    return equal


def _may_differ(stored: Stored, given: set[str]) -> str:
    other = stored.other_versions()
    if other:
        return f"by {other}"
    foreign = [each.name for each in stored.report.sections if not each.provider.startswith(f"{DISTRIBUTION} ")]
    if foreign:
        return f"with sections of other programs ({', '.join(foreign)})"
    command = str(stored.evaluation.provenance.get("command")).split()
    options = {key: f"--{key.replace('_', '-')}" for key in LOOKS if key not in given}
    config, typed = stored.settings, {word.partition("=")[0] for word in command}
    set_ = {key for key in options if config is not None and getattr(config.report, key) is not None}
    own = [option for key, option in options.items() if key in set_ or option in typed]
    return f"with custom files; name them with {' and '.join(own)}" if own else ""
