"""What reportgen does with a report that is to be signed: state which files it consists of, and what was decided."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reportgen import reports
from reportgen.errors import InputError, OutputError
from reportgen.gates.statement import SHA256, Statement, descriptor, predicate
from reportgen.policies import shipped_policies, shipped_text
from reportgen.results import Evaluation, Report, Verdict
from reportgen.storing import results_file, write_file
from reportgen.storing.folder_contents import place_of, sha256_at
from reportgen.storing.report_folder import ATTESTATION, listed
from reportgen.verbs.own_numbers import apart

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

    Raises
    ------
    InputError
        There is no verdict to state, or it is not what its own statistics say; or a file is a link.
    OutputError
        The file is there already, or cannot be written.
    """
    results = reports.results_of(run)
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
    """Return the verdict of a report, held anew against its statistics.

    Raises
    ------
    InputError
        There is none, or the stored one, or a headline number, is another than the stored statistics say.
    """
    from reportgen.verdicts import stored_otherwise

    if report.evaluation.ruling is None:
        raise InputError(f"'{results}' has no verdict to state; name the folder of one evaluated engine's report.")
    verdict = reports.check(report)
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
