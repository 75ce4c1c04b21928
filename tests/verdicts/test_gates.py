"""Test that other programs read the gate's files, even with hostile names, and that the files agree."""

import html
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reportgen.errors import OutputError, SettingsError
from reportgen.results import Check, Estimate, Outcome, Verdict
from reportgen.verdicts.gate import FAILED, MOST_ROWS, Gate, escaped, junit_xml, markdown

HOSTILE = (
    "a|b", "`code`", "line\nbreak | more", "<script>alert(1)</script>", "]]>", "&amp;", "\x00\x1b[31m\x07", "\ud800",
    "[click](https://x.example)", "![x](https://x.example/i.png)", "@someone #12", "**bold** _it_ ~~no~~ $x$",
    "https://x.example www.x.example", "x" * 5000, "# head", "- item", "1. item", "\u202eright", '" onload="x',
)  # fmt: skip


def verdict_of(*checks: tuple[Outcome, str]) -> Verdict:
    estimate = Estimate("dsm", 0.2, 50, 0.1, 0.3, kind="difference")
    made = tuple(
        Check("Difference of standardized means", estimate, outcome, -0.1, 0.1, "DSM", f"column: {group}",
              source="someone (2012)", statistic="system.dsm", score_type="raw_trim", column="column", level=group)
        for outcome, group in checks
    )  # fmt: skip
    return Verdict("ours", "", "do not deploy", checks=made)


EVERY = verdict_of(("met", "a"), ("not met", "b"), ("not yet known", "c"), ("insufficient", "d"))


@pytest.mark.parametrize(("strict", "failures", "skipped"), [(False, 1, 2), (True, 3, 0)])
def test_junit_counts_match_cases(strict: bool, failures: int, skipped: int) -> None:
    root = ElementTree.fromstring(junit_xml({"": EVERY}, strict=strict))
    suite = root[0]
    for node in (root, suite):
        assert (node.get("tests"), node.get("failures"), node.get("skipped")) == ("4", str(failures), str(skipped))
    assert [len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "skipped")] == [failures, skipped]
    names = [(case.get("classname"), case.get("name")) for case in suite.findall("testcase")]
    assert len(set(names)) == 4
    messages = {node.get("type"): node.get("message") for node in suite.iter() if node.tag in ("failure", "skipped")}
    assert set(messages) == {"not met", "inconclusive", "not tested"}
    assert all("within ±0.10" in str(message) for message in messages.values())


def test_junitparser_reads_file(tmp_path: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    (tmp_path / "junit.xml").write_text(junit_xml({"": EVERY}), encoding="utf-8")
    suites = list(junitparser.JUnitXml.fromfile(str(tmp_path / "junit.xml")))
    assert [(suite.tests, suite.failures, suite.skipped) for suite in suites] == [(4, 1, 2)]
    results = [[type(result).__name__ for result in case.result] for case in suites[0]]
    assert results == [[], ["Failure"], ["Skipped"], ["Skipped"]]


@pytest.mark.parametrize("name", HOSTILE)
def test_column_names_are_escaped_in_xml(name: str) -> None:
    root = ElementTree.fromstring(junit_xml({"": verdict_of(("not met", name))}).encode())
    cases = root.findall("testsuite/testcase")
    assert len(cases) == 1
    allowed = {"testsuites", "testsuite", "testcase", "failure", "system-out"}
    assert {node.tag for node in root.iter()} == allowed
    assert set(cases[0].attrib) == {"classname", "name", "time"}
    if name.isprintable() and name.isascii():
        assert name in str(cases[0].get("name"))


@pytest.mark.parametrize("name", HOSTILE)
def test_column_names_are_escaped_in_markdown(name: str) -> None:
    lines = markdown({"": verdict_of(("not met", name))}).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 3
    assert len(re.findall(r"(?<!\\)\|", table[2])) == 7, "six cells"
    assert len(lines) == len(markdown({"": verdict_of(("not met", "plain"))}).splitlines())
    for line in lines:
        bare = re.sub(r"\\.", "", line)
        assert not re.search(r"[<>`@~$]|\]\(|https?://|www\.", bare), line
        assert all(letter.isprintable() for letter in line)


def test_escaped_text_round_trips() -> None:
    """Removing backslashes, as Markdown does, restores the text."""
    text = "a|b `c` <d> *e* _f_ [g](h) #i @j https://k.l www.m.n :o: $p$ \\q & r"
    assert re.sub(r"\\(.)", r"\1", escaped(text)) == text
    assert html.escape(escaped("<b>")) != escaped("<b>"), "brackets are escaped by a backslash, not lost"


def test_long_table_keeps_unmet_requirements() -> None:
    many: list[tuple[Outcome, str]] = [("met", f"m{i}") for i in range(MOST_ROWS + 20)]
    text = markdown({"": verdict_of(*many, ("not met", "last one"))})
    assert "last one" in text
    assert "21 more requirements are in results.json" in text


def test_gate_exit_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    open_only, met = {"": verdict_of(("met", "a"), ("not yet known", "b"))}, {"": verdict_of(("met", "a"))}
    assert [Gate(closed=True).report(each) for each in ({"": EVERY}, open_only)] == [FAILED, 0]
    assert [Gate(closed=True, strict=True).report(each) for each in (open_only, met)] == [FAILED, 0]
    assert Gate(closed=False).report({"": EVERY}) == 0
    nothing = {"a": verdict_of(("insufficient", "c")), "b": verdict_of()}
    assert Gate(closed=True).report(nothing) == FAILED
    assert Gate(closed=True).remark(nothing) == "fails, because no requirement could be tested for a and b."
    assert ElementTree.fromstring(junit_xml(nothing)).get("failures") == "1"


def test_gate_requires_every_system() -> None:
    passing = verdict_of(("met", "a"))
    both = {"first": passing, "second <b>": EVERY}
    assert Gate(closed=True).report(both) == FAILED
    assert Gate(closed=True).report({"first": passing, "second": passing}) == 0
    root = ElementTree.fromstring(junit_xml(both))
    assert [suite.get("name") for suite in root] == ["reportgen ours: first", "reportgen ours: second <b>"]
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("5", "1", "2")
    heads = [line for line in markdown(both).splitlines() if line.startswith("## ")]
    assert heads == ["## reportgen, first: No", "## reportgen, second \\<b\\>: No"]


def test_step_summary_is_appended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "summary.md"
    file.write_text("before\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    Gate(closed=True).report({"": EVERY})
    Gate(closed=False).report({"": EVERY})
    assert file.read_text(encoding="utf-8") == "before\n" + markdown({"": EVERY})


def test_unwritable_outputs_raise_before_run(tmp_path: Path) -> None:
    for gate in (Gate(junit=tmp_path / "no" / "j.xml"), Gate(markdown=tmp_path)):
        with pytest.raises(OutputError, match="choose a file in an existing folder"):
            gate.check()
    with pytest.raises(SettingsError, match="add --gate"):
        Gate(strict=True).check()
    with pytest.raises(SettingsError, match="use different files"):
        Gate(junit=tmp_path / "a", markdown=tmp_path / "a").check()
