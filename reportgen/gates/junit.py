"""A verdict as JUnit XML: one test case for each criterion, so that CI lists them like tests."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

from reportgen.charts.svg import written_out
from reportgen.results import Check, Verdict
from reportgen.wording.vocabulary import Vocabulary

COUNTS = ("tests", "failures", "skipped", "errors")


def junit_xml(verdicts: Mapping[str, Verdict], *, strict: bool = False) -> str:
    """Return verdicts as JUnit XML.

    Parameters
    ----------
    verdicts
        Each by the name of its system; one alone needs no name.
    strict
        Whether criteria that are not yet known or insufficient count as failures instead of being skipped, as they
        do for the exit code.

    Examples
    --------
    >>> from reportgen.results import Estimate
    >>> check = Check("QWK", Estimate("qwk", 0.6, 90, 0.5, 0.69), "not met", low=0.7, statistic="system.qwk")
    >>> verdict = Verdict("ours", "", "do not deploy", checks=(check,))
    >>> print(junit_xml({"": verdict}).splitlines()[4].strip().partition(">")[0])
    <failure type="not met" message="not met; required: at least 0.70"
    """
    root = ElementTree.Element("testsuites", name="reportgen")
    words = Vocabulary()
    root.extend(_suite(words, name, verdict, strict) for name, verdict in verdicts.items())
    for key in COUNTS:
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    return "<?xml version='1.0' encoding='UTF-8'?>\n" + ElementTree.tostring(root, encoding="unicode") + "\n"


def _suite(words: Vocabulary, system: str, verdict: Verdict, strict: bool) -> ElementTree.Element:
    """Return the test cases of one verdict."""
    title = f"reportgen {verdict.policy}" + (f": {system}" if system else "")
    suite = ElementTree.Element("testsuite", name=written_out(title))
    said, decision = words.phrases("say"), words.phrases("decision")
    failures = skipped = 0
    for check in verdict.checks:
        case = ElementTree.SubElement(suite, "testcase", _named(words, system, verdict.policy, check))
        if check.outcome == "met":
            continue
        failed = check.outcome in ("not met", "out of reach") or strict
        failures, skipped = failures + failed, skipped + (not failed)
        message = decision.junit(check)
        element = ElementTree.SubElement(
            case, "failure" if failed else "skipped", type=said.outcome(check), message=written_out(message)
        )
        element.text = written_out(decision.check(check))
    for key, number in zip(COUNTS, (len(verdict.checks), failures, skipped, 0), strict=True):
        suite.set(key, str(number))
    ElementTree.SubElement(suite, "system-out").text = written_out(
        decision.verdict(verdict.decision, verdict.checks, verdict.policy, verdict.of_raters)
    )
    return suite


def _named(words: Vocabulary, system: str, policy: str, check: Check) -> dict[str, str]:
    """Return what tells the test case of a criterion from all others."""
    wanted = words.phrases("say").required(check)
    where = f" [{check.group}]" if check.group else ""
    by = "" if check.by == "interval" else check.by
    parts = ("reportgen", system, policy, check.statistic, check.score_type, by)
    return {
        "classname": written_out(".".join(part for part in parts if part)),
        "name": written_out(f"{words.check_name(check)} {wanted}{where}"),
        "time": "0",
    }
