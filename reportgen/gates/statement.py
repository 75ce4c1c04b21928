"""A verdict and the files it is about as an in-toto statement, and such a statement read as a stranger's.

The statement is version 1, https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md, its predicate the
test result of version 0.1, .../spec/predicates/test-result.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from reportgen.results import Check, Outcome, Verdict

STATEMENT = "https://in-toto.io/Statement/v1"
TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"

PASSED, WARNED, FAILED = "passedTests", "warnedTests", "failedTests"

LISTS: Mapping[Outcome, str] = MappingProxyType({
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
    """Return what a statement says.

    Raises
    ------
    ValueError
        It is no statement of a test result on files, each by its name and SHA-256; the message says what is not right.
    """
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
    for key, listed in known.items():
        kind = dict if key == "configuration" else str
        if not isinstance(listed, list) or not all(isinstance(each, kind) for each in listed):
            raise ValueError(f"predicate.{key}: expected a list of {'objects' if kind is dict else 'texts'}")
    return {"result": found["result"], **known}


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys stand there once: of two, each reader may take another."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("an object has a key twice")
    return dict(pairs)


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")
