"""What a review needs of a report: its packet, and a statement of its files and verdict, to be signed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reportgen import sections
from reportgen.errors import InputError, OutputError
from reportgen.packet import Material, evaluation_of, model_card, read_card
from reportgen.policies import shipped_policies, shipped_text
from reportgen.reports import single
from reportgen.reports.single import Outcome, load, section_results, stored_look, written_report
from reportgen.results import Check, Evaluation, Report, Verdict
from reportgen.settings import Settings, override
from reportgen.storing import results_file, write_file
from reportgen.storing.report_folder import ATTESTATION, Writing, listed, place_of, sha256_at
from reportgen.storing.results_file import Difference

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
    """
    report = _evaluation_report(source)
    _refuse_edited(report, source)
    chosen = sections.load(settings.report.sections, settings.sections, "packet")
    said, signatories = read_card(card) if card is not None else ({}, ())
    earlier = _evaluation_report(previous) if previous is not None else None
    own = tuple(found.section.name for found in chosen)
    material = Material(report, said, signatories, _hashes(source), earlier, own)
    made = _packet(material, chosen, settings)
    home = source if source.is_dir() else source.parent
    if folder is not None and folder.resolve() == home.resolve():
        raise OutputError(f"'{folder}' is the report that the packet is made from; name another folder.")
    look = override(stored_look(report), **settings.report.model_dump(exclude_unset=True, exclude={"sections"}))

    def write_card(stage: Path) -> None:
        (stage / MODEL_CARD).write_text(model_card(report, said), encoding="utf-8")

    writing = Writing(folder, force=force, kernel=kernel)
    return written_report(made, look, writing, also=write_card, chosen=chosen, attach=True)


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


CONFIG = "config.toml"


def attest(run: Path, out: Path | None = None, *, force: bool = False) -> Path:
    """Write a statement about the files of a report and its verdict; return its path.

    Parameters
    ----------
    run
        The folder of a report, or its results.json.
    out
        The file to write; attestation.json beside the results when left out.
    force
        Replace a statement that is there.
    """
    results = single.results_of(run)
    report = results_file.read(results)
    prefix = prefix_of(results)
    target = out or results.parent / f"{prefix}{ATTESTATION}"
    if target.exists() and not force:
        raise OutputError(f"'{target}' is there already; name another file with --out, or replace it with --force.")
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise OutputError(f"'{target}' cannot be written: name a file in a folder that exists.")
    write_file(target, statement_of(report, results).text())
    return target


def statement_of(report: Report, results: Path) -> Statement:
    """Return what is stated of a report that was read from a file; arguments and errors are those of `attest`."""
    verdict = borne_out(report, results)
    names = listed(results.parent, report.evaluation.tables.values(), prefix_of(results))
    subjects = {name: sha256_at(results.parent, place_of(name)) or "" for name in names}
    return Statement(subjects, predicate(verdict, configuration(report.evaluation, subjects, prefix_of(results))))


def prefix_of(results: Path) -> str:
    """Return what the names of the files of a report begin with, from that of its results."""
    return results.name.removesuffix(results_file.NAME) if results.name.endswith(results_file.NAME) else ""


def borne_out(report: Report, results: Path) -> Verdict:
    """Return the verdict of a report, held anew against its statistics."""
    from reportgen.verdicts import stored_otherwise

    if report.evaluation.ruling is None:
        raise InputError(f"'{results}' has no verdict to state; name the folder of one evaluated engine's report.")
    verdict = single.check(report)
    remark = stored_otherwise(report.evaluation, verdict)
    if remark:
        raise InputError(f"'{results}': {remark} Run `reportgen evaluate` again.")
    other = next(apart(report.evaluation), None)
    if other is not None:
        raise InputError(
            f"'{results}': {other.place} is {other.old}, its own statistics say {other.new}. Run `reportgen evaluate` "
            "again."
        )
    return verdict


def configuration(evaluation: Evaluation, subjects: Mapping[str, str], prefix: str = "") -> list[dict[str, Any]]:
    """Return what the requirements were held against: settings, policy and data, by their SHA-256 where it is known."""
    config = f"{prefix}{CONFIG}"
    found = [descriptor(config, subjects[config])] if config in subjects else []
    policy = _policy(evaluation)
    found += [policy] if policy else []
    source = evaluation.source
    for each in source.files or (source,):
        if SHA256.fullmatch(each.sha256):
            found.append(descriptor(each.name, each.sha256) | {"annotations": {"format": source.format}})
    return found


def _policy(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return the policy: a shipped one by its file, any other by the hash that was stored; None where there is none."""
    ruling = evaluation.ruling
    if ruling is None:
        return None
    told = evaluation.provenance.get("policy_sha256")
    if isinstance(told, str) and SHA256.fullmatch(told):
        return descriptor(f"policy {ruling.policy}", told)
    if ruling.policy in shipped_policies():
        text = shipped_text(ruling.policy).encode("utf-8")
        return descriptor(f"policy {ruling.policy}", hashlib.sha256(text).hexdigest())
    return None


Number = tuple[float | None, float | None, float | None]
"""A value and the ends of its interval."""


def apart(evaluation: Evaluation) -> Iterator[Difference]:
    """Yield the headline numbers that none of the stored statistics of all responses is.

    What is no statistic that policies may ask for stands in the results once, and has nothing to be held against.
    """
    stored = _of_all_responses(evaluation)
    for key, estimate in evaluation.estimates.items():
        found = stored.get(key)
        if found and (estimate.value, estimate.low, estimate.high) not in found:
            there = next((value for value, _, _ in found if value is not None), None)
            yield Difference(f"estimates.{key}.value", estimate.value, there)


def _of_all_responses(evaluation: Evaluation) -> dict[str, list[Number]]:
    """Return the numbers of every statistic of all responses, of each form of the engine's score, by its key."""
    found: dict[str, list[Number]] = {}
    for groups in evaluation.statistics:
        if not groups.column:
            for each in groups.series:
                found.setdefault(each.statistic, []).append((each.value[0], each.low[0], each.high[0]))
    return found


STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"

PASSED, WARNED, FAILED = "passedTests", "warnedTests", "failedTests"

LISTS: Mapping[str, str] = MappingProxyType({
    "met": PASSED,
    "not met": FAILED,
    "out of reach": FAILED,
    "not yet known": WARNED,
    "insufficient": WARNED,
})  # fmt: skip
"""In which list of the predicate a requirement of each outcome stands: it fails where an open gate would not pass."""

SHA256 = re.compile(r"[0-9a-f]{64}")

MOST_BYTES = 10_000_000
"""A statement takes less: a report has a few hundred files and requirements."""


@dataclass(frozen=True)
class Statement:
    """What a statement says.

    Parameters
    ----------
    subjects
        Name -> SHA-256 of every file.
    predicate
        The verdict, its requirements and what they were held against.
    """

    subjects: Mapping[str, str]
    predicate: Mapping[str, Any]

    def text(self) -> str:
        """Return it as JSON, as the specification has it."""
        content = {
            "_type": STATEMENT,
            "subject": [descriptor(name, sha256) for name, sha256 in self.subjects.items()],
            "predicateType": TEST_RESULT,
            "predicate": dict(self.predicate),
        }
        return json.dumps(content, indent=2, ensure_ascii=True) + "\n"


def descriptor(name: str, sha256: str) -> dict[str, Any]:
    """Return a file as a resource descriptor."""
    return {"name": name, "digest": {"sha256": sha256}}


def predicate(verdict: Verdict, configuration: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a verdict as a test result.

    Parameters
    ----------
    verdict
        With its requirements.
    configuration
        Resource descriptors of what they were held against.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> check = Check("QWK", Estimate("qwk", 0.6, 90), "not yet known", low=0.7, statistic="system.qwk")
    >>> predicate(Verdict("ours", "", "collect more ratings", checks=(check,)), ())["warnedTests"]
    ['system.qwk >= 0.7']
    """
    lists: dict[str, list[str]] = {PASSED: [], WARNED: [], FAILED: []}
    for check in verdict.checks:
        lists[LISTS[check.outcome]].append(name_of(check))
    result = "FAILED" if lists[FAILED] else "WARNED" if lists[WARNED] or not verdict.checks else "PASSED"
    return {"result": result, "configuration": [dict(each) for each in configuration], **lists}


def name_of(check: Check) -> str:
    """Return what a requirement is called in a statement, whatever the language of the report."""
    about = ".".join(part for part in (check.statistic, check.score_type) if part)
    group = f"[{check.group}]" if check.group else ""
    bounds = [
        f"{sign}{'' if check.strict else '='} {bound:.10g}"
        for sign, bound in ((">", check.low), ("<", check.high))
        if bound is not None
    ]
    by = "" if check.by == "interval" else check.by
    return " ".join(filter(None, [f"{about}{group}", *bounds, by]))


def read_statement(content: bytes) -> Statement:
    """Return what a statement says."""
    try:
        found = json.loads(content.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict) or found.get("_type") != STATEMENT:
        raise ValueError(f"_type: expected {STATEMENT}")
    if found.get("predicateType") != TEST_RESULT or not isinstance(found.get("predicate"), dict):
        raise ValueError(f"predicateType: expected {TEST_RESULT}, with a predicate")
    return Statement(_subjects(found.get("subject")), _predicate(found["predicate"]))


def _subjects(found: Any) -> dict[str, str]:
    """Return name and SHA-256 of every subject."""
    if not isinstance(found, list) or not found:
        raise ValueError("subject: expected a list of files")
    subjects: dict[str, str] = {}
    for number, each in enumerate(found):
        name = each.get("name") if isinstance(each, dict) else None
        digest = each.get("digest") if isinstance(each, dict) else None
        sha256 = digest.get("sha256") if isinstance(digest, dict) else None
        if not isinstance(name, str) or not isinstance(sha256, str) or not SHA256.fullmatch(sha256):
            raise ValueError(f"subject[{number}]: expected a name and a digest sha256 of 64 small hexadecimal digits")
        if name in subjects:
            raise ValueError(f"subject[{number}]: a second file of one name")
        subjects[name] = sha256
    return subjects


def _predicate(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a predicate that are known; what is besides is passed over, as the specification asks."""
    known = {key: found.get(key, []) for key in ("configuration", PASSED, WARNED, FAILED)}
    if found.get("result") not in ("PASSED", "WARNED", "FAILED"):
        raise ValueError("predicate.result: expected PASSED, WARNED or FAILED")
    for key, given in known.items():
        kind = dict if key == "configuration" else str
        if not isinstance(given, list) or not all(isinstance(each, kind) for each in given):
            raise ValueError(f"predicate.{key}: expected a list of {'objects' if kind is dict else 'texts'}")
    return {"result": found["result"], **known}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys stand there once: of two, each reader may take another."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("an object has a key twice")
    return dict(pairs)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
