"""Create the packet and the signable statement that a review needs."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from reportgen import sections
from reportgen.errors import InputError, OutputError
from reportgen.governance.card import model_card, read_card
from reportgen.governance.packet import Material, evaluation_of
from reportgen.policies import shipped_policies, shipped_text
from reportgen.reports import single
from reportgen.results import Check, Evaluation, Report, Verdict
from reportgen.settings import Settings
from reportgen.sources.documents import without_repeats
from reportgen.storing import RESULTS_FILE, results_file, write_file
from reportgen.storing.report_folder import ATTESTATION, Writing, listed, place_of, sha256_at

FILES = ("results.json", "config.toml")  # report files whose hashes a packet shows

MODEL_CARD = "packet_card.md"  # the card as Markdown, with the metadata block that model hubs read


def packet(
    source: Path, settings: Settings, writing: Writing, *, card: Path | None = None, previous: Path | None = None
) -> single.Outcome:
    """Create the review packet of a finished report.

    source: A results.json, or the folder of a report.
    settings: ``report`` settings that replace the report's own; ``sections`` names sections of the packet.
    card: What people wrote about the engine; None leaves every field "not supplied".
    previous: An earlier results.json, or its folder.
    """
    folder = writing.folder
    report = _evaluation_report(source)
    if report.evaluation.ruling is not None and report.evaluation.statistics:
        _recompute_verdict(report, source)
    chosen = sections.load(settings.report.sections, settings.sections, "packet")
    said, signatories = read_card(card) if card is not None else ({}, ())
    earlier = _evaluation_report(previous) if previous is not None else None
    own = tuple(found.section.name for found in chosen)
    made = _packet(Material(report, said, signatories, _hashes(source), earlier, own), chosen, settings)
    home = source if source.is_dir() else source.parent
    if folder is not None and folder.resolve() == home.resolve():
        raise OutputError(f"'{folder}' is the folder of the report itself; choose another folder for the packet.")

    def write_card(stage: Path) -> None:
        (stage / MODEL_CARD).write_text(model_card(report, said), encoding="utf-8")

    return single.written_report(made, single.as_asked(report, settings)[1], writing, also=write_card, chosen=chosen)


def _evaluation_report(source: Path) -> Report:
    """Load the saved evaluation of one system, without packet sections."""
    report = single.load(source)
    if report.evaluation.kind == "raters":
        raise InputError(f"'{source}' is a raters-only report; a packet requires the report of an evaluated engine.")
    if report.evaluation.kind != "evaluation":
        raise InputError(f"'{source}' is a {report.evaluation.kind}; a packet requires the report of an evaluation.")
    kept = tuple(section for section in report.sections if not section.name.startswith(single.PACKET))
    return replace(report, sections=kept)


def _recompute_verdict(report: Report, source: Path) -> Verdict:
    from reportgen.verdicts import stored_otherwise

    verdict = single.check(report)
    if remark := stored_otherwise(report.evaluation, verdict):
        raise InputError(f"'{source}': {remark.rstrip('.')}; run `reportgen evaluate` again.")
    return verdict


def _packet(material: Material, chosen: list[sections.Found], settings: Settings) -> Report:
    evaluation, report, asked = evaluation_of(material), material.report, settings.report
    own = single.section_results(chosen, evaluation)
    last = [section for section in own if section.name == "packet_decision"]
    first = [section for section in own if section not in last]
    return replace(
        report,
        title=asked.title or f"Review packet: {material.card.get('engine.name') or report.title}",
        description=asked.description or report.description,
        created=asked.created.isoformat() if asked.created else report.created,
        evaluation=evaluation,
        sections=(*first, *report.sections, *last),
    )


def _hashes(source: Path) -> tuple[tuple[str, str], ...]:
    home = source if source.is_dir() else source.parent
    paths = [home / name for name in FILES] if source.is_dir() else [source, home / "config.toml"]
    return tuple((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in paths if path.is_file())


CONFIG = "config.toml"


def attest(run: Path, out: Path | None = None, *, force: bool = False) -> Path:
    """Write a statement about a report's files and verdict, by default next to its results; return its path."""
    results = single.results_of(run)
    report = results_file.read(results)
    prefix = prefix_of(results)
    target = out or results.parent / f"{prefix}{ATTESTATION}"
    if target.exists() and not force:
        raise OutputError(f"'{target}' already exists; choose another file with --out, or use --force to overwrite it.")
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise OutputError(f"'{target}' cannot be written; choose a file in an existing folder.")
    verdict = borne_out(report, results)
    names = listed(results.parent, report.evaluation.tables.values(), prefix)
    subjects = {name: sha256_at(results.parent, place_of(name)) or "" for name in names}
    content = {
        "_type": STATEMENT, "predicateType": TEST_RESULT,
        "subject": tuple(descriptor(*each) for each in subjects.items()),
        "predicate": predicate(verdict, configuration(report.evaluation, subjects, prefix)),
    }  # fmt: skip
    write_file(target, Statement.model_validate(content).text())
    return target


def prefix_of(results: Path) -> str:
    """Return the prefix of a report's file names, from the name of its results."""
    return results.name.removesuffix(RESULTS_FILE) if results.name.endswith(RESULTS_FILE) else ""


def borne_out(report: Report, results: Path) -> Verdict:
    """Return the verdict of a report, recomputed from its statistics."""
    if report.evaluation.ruling is None:
        raise InputError(f"'{results}' has no verdict; name the report of one evaluated engine.")
    verdict = _recompute_verdict(report, results)
    other = next(apart(report.evaluation), None)
    if other is not None:
        why = f"'{results}': {other.place} is {other.old}, but its statistics give {other.new}"
        raise InputError(f"{why}; run `reportgen evaluate` again.")
    return verdict


def configuration(evaluation: Evaluation, subjects: Mapping[str, str], prefix: str) -> list[Descriptor]:
    """Return what requirements were checked against: settings, policy, and data, by SHA-256 if known."""
    config, source = f"{prefix}{CONFIG}", evaluation.source
    found = [descriptor(config, subjects[config])] if config in subjects else []
    if (ruling := evaluation.ruling) is not None:
        told = str(evaluation.provenance.get("policy_sha256"))
        if not SHA256.fullmatch(told) and ruling.policy in shipped_policies():
            told = hashlib.sha256(shipped_text(ruling.policy).encode("utf-8")).hexdigest()
        found += [descriptor(f"policy {ruling.policy}", told)] if SHA256.fullmatch(told) else []
    files = [each for each in source.files or (source,) if SHA256.fullmatch(each.sha256)]
    return found + [descriptor(each.name, each.sha256, format=source.format) for each in files]


def apart(evaluation: Evaluation) -> Iterator[results_file.Difference]:
    """Yield headline numbers that match no saved statistic of all responses, if they are saved twice."""
    every = [series for groups in evaluation.statistics if not groups.column for series in groups.series]
    for key, estimate in evaluation.estimates.items():
        found = [(each.value[0], each.low[0], each.high[0]) for each in every if each.statistic == key]
        if found and (estimate.value, estimate.low, estimate.high) not in found:
            there = next((value for value, _, _ in found if value is not None), None)
            yield results_file.Difference(f"estimates.{key}.value", estimate.value, there)


STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"

LISTS: Mapping[str, str] = {
    "met": "passedTests", **dict.fromkeys(("not met", "out of reach"), "failedTests"),
    **dict.fromkeys(("not yet known", "insufficient"), "warnedTests"),
}  # fmt: skip
"""The predicate's list for each outcome; "fail" contains the outcomes that `--gate` would not pass."""

SHA256 = re.compile(r"[0-9a-f]{64}")

MOST_BYTES = 10_000_000  # enough for a statement, since a report has a few hundred files and requirements


class _Camel(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)


class Digest(_Camel):
    """SHA-256 of a file."""

    sha256: Annotated[str, Field(pattern=f"^{SHA256.pattern}$")]


class Descriptor(_Camel):
    """A file as an in-toto resource descriptor."""

    name: str
    digest: Digest
    annotations: dict[str, str] | None = None


class TestResult(_Camel):
    """A verdict as a test result, with what the requirements were checked against."""

    result: Literal["PASSED", "WARNED", "FAILED"]
    configuration: tuple[Descriptor, ...] = ()
    passed_tests: tuple[str, ...] = ()
    warned_tests: tuple[str, ...] = ()
    failed_tests: tuple[str, ...] = ()


class Statement(_Camel):
    """The statement: the files of a report, and its verdict. Other content of the file is ignored."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(alias="_type")
    subject: tuple[Descriptor, ...] = Field(min_length=1)
    predicate_type: Literal["https://in-toto.io/attestation/test-result/v0.1"]
    predicate: TestResult

    @property
    def subjects(self) -> dict[str, str]:
        """SHA-256 of every file by name."""
        return {each.name: each.digest.sha256 for each in self.subject}

    def text(self) -> str:
        """Return the statement as JSON, in the format of the specification."""
        return self.model_dump_json(indent=2, by_alias=True, exclude_none=True) + "\n"


def read_statement(content: bytes) -> Statement:
    """Parse a statement; a ValueError describes what is wrong."""
    try:
        statement = Statement.model_validate_json(content)
        json.loads(content, object_pairs_hook=without_repeats)
    except ValidationError as refused:
        [first, *_] = refused.errors()
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    if len(statement.subjects) < len(statement.subject):
        raise ValueError("subject: two files have the same name")
    return statement


def descriptor(name: str, sha256: str, **annotations: str) -> Descriptor:
    """Describe a file as a resource descriptor."""
    return Descriptor(name=name, digest=Digest(sha256=sha256), annotations=annotations or None)


def predicate(verdict: Verdict, configuration: Sequence[Descriptor]) -> TestResult:
    """Convert a verdict to a test result, checked against what `configuration` describes.

    >>> from reportgen.results import Estimate
    >>> check = Check("QWK", Estimate("qwk", 0.6, 90), "not yet known", low=0.7, statistic="system.qwk")
    >>> predicate(Verdict("ours", "", "collect more ratings", checks=(check,)), ()).warned_tests
    ('system.qwk >= 0.7',)
    """
    lists = {
        name: tuple(name_of(check) for check in verdict.checks if LISTS[check.outcome] == name)
        for name in ("passedTests", "warnedTests", "failedTests")
    }
    result = "PASSED" if verdict.passes(strict=True) else "WARNED" if verdict.passes() else "FAILED"
    return TestResult.model_validate({"result": result, "configuration": tuple(configuration), **lists})


def name_of(check: Check) -> str:
    """Return the name of a requirement in a statement, which does not depend on the report's language."""
    about = ".".join(part for part in (check.statistic, check.score_type) if part)
    group = f"[{check.group}]" if check.group else ""
    bounds = [
        f"{sign}{'' if check.strict else '='} {bound:.10g}"
        for sign, bound in ((">", check.low), ("<", check.high))
        if bound is not None
    ]
    by = "" if check.by == "interval" else check.by
    return " ".join(filter(None, [f"{about}{group}", *bounds, by]))
