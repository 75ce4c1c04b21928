"""Write a verdict for pipelines (JUnit XML, Markdown), and decide whether the run passes."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax import saxutils

from reportgen.charts.svg import written_out
from reportgen.errors import OutputError, SettingsError
from reportgen.results import WORST_FIRST, Outcome, Verdict
from reportgen.storing import write_file
from reportgen.wording.names import joined
from reportgen.wording.vocabulary import Vocabulary

FAILED = 1  # exit code if the verdict does not pass

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"  # environment variable with the file in which GitHub collects step summaries


class Gate(NamedTuple):
    """The options of a pipeline gate.

    junit, markdown: Files to write; None for none.
    """

    closed: bool = False  # whether a verdict that does not pass gives exit code 1; an open gate only writes the files
    strict: bool = False  # whether every criterion must be met
    junit: Path | None = None
    markdown: Path | None = None

    def check(self) -> None:
        """Reject contradictory options, and files that cannot be written, before the run."""
        if self.strict and not self.closed:
            raise SettingsError("--strict requires --gate; add --gate.")
        if self.junit is not None and self.junit == self.markdown:
            raise SettingsError(f"--junit and --markdown name the same file ('{self.junit}'); use different files.")
        for file in (self.junit, self.markdown):
            if file is not None and (file.is_dir() or not file.absolute().parent.is_dir()):
                raise OutputError(f"'{file}' cannot be written; choose a file in an existing folder.")

    def report(self, verdicts: Mapping[str, Verdict]) -> int:
        """Write the files and GitHub's step summary, and return the exit code; all verdicts, by system, must pass."""
        if self.junit is not None:
            write_file(self.junit, junit_xml(verdicts, strict=self.strict))
        if self.markdown is not None:
            write_file(self.markdown, markdown(verdicts))
        if self.closed and (summary := os.environ.get(STEP_SUMMARY)):
            try:
                with Path(summary).open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
                    stream.write(markdown(verdicts))
            except OSError as error:
                raise OutputError(f"'{summary}' cannot be written: {error.strerror}.") from None
        return FAILED if self.closed and not self._passes(verdicts) else 0

    def remark(self, verdicts: Mapping[str, Verdict]) -> str:
        """Return a note on the requirements without a clear answer that a closed gate ignores, or fails by."""
        passes, untested = self._passes(verdicts), [name for name, verdict in verdicts.items() if not verdict.tested]
        open_ = [each for verdict in verdicts.values() for each in verdict.of("not yet known", "insufficient")]
        withheld = sum(each.withheld for each in open_)
        noted = self.closed and (untested or (open_ and (passes or self.strict)))
        say = Vocabulary().phrases("decision")
        return str(say.gate_remark(passes, len(open_), withheld, untested)) if noted else ""

    def _passes(self, verdicts: Mapping[str, Verdict]) -> bool:
        return all(verdict.passes(strict=self.strict) for verdict in verdicts.values())


IN_ATTRIBUTES = {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#09;"}
"""Characters that need escapes in XML attributes, in addition to those in text."""


def junit_xml(verdicts: Mapping[str, Verdict], *, strict: bool = False) -> str:
    """Write verdicts as JUnit XML (``templates/gates/junit.xml.j2``).

    verdicts: Verdicts by system name; a single one needs no name.
    strict: Whether inconclusive or untested criteria count as failures, not as skipped; they do if none was tested.

    >>> from reportgen.results import Check, Estimate
    >>> check = Check("QWK", Estimate("qwk", 0.6, 90, 0.5, 0.69), "not met", low=0.7, statistic="system.qwk")
    >>> verdict = Verdict("ours", "", "do not deploy", checks=(check,))
    >>> print(junit_xml({"": verdict}).splitlines()[4].strip().partition(">")[0])
    <failure type="not met" message="not met; required: at least 0.70"
    """
    words = Vocabulary()
    words.environment.filters.update(
        xml=lambda text: saxutils.escape(written_out(text)),
        quoted=lambda text: f'"{saxutils.escape(written_out(text), IN_ATTRIBUTES)}"',
    )
    suites = []
    for system, verdict in verdicts.items():
        open_ = [check for check in verdict.checks if check.outcome != "met"]
        failed = [each for each in open_ if strict or not verdict.tested or each.outcome in ("not met", "out of reach")]
        suites.append((system, verdict, len(verdict.checks), failed, len(open_) - len(failed), len(failed)))
    return words.write("gates/junit.xml.j2", suites=suites) + "\n"


MOST_ROWS = 100  # most requirements in the table; met ones are dropped first

SIGNS: dict[Outcome, str] = {"met": "✓", "not met": "✗", "out of reach": "⊘", "not yet known": "○", "insufficient": "–"}

NAME_LENGTH = 120  # most letters of a group's name; results.json has all

_ACTIVE = re.compile(r"([#$&*<>@\[\\\]_`|~]|:(?=//|\w+:)|(?<=www)\.|^[-+=]|(?<=^\d)[.)])")
"""Characters that Markdown would interpret, including GitHub's autolinks, mentions, and formulas."""


def markdown(verdicts: Mapping[str, Verdict]) -> str:
    r"""Write verdicts as GitHub Markdown (``templates/gates/verdict.md.j2``): answer, table, open questions.

    verdicts: Verdicts by system name; a single one needs no name.

    >>> from reportgen.results import Check, Estimate
    >>> check = Check("QWK", Estimate("qwk", 0.8, 90, 0.75, 0.84), "met", low=0.7, group="a|b: <b>")
    >>> print(markdown({"": Verdict("ours", "", "deploy", checks=(check,))}).splitlines()[6])
    | ✓ met | QWK | a\|b: \<b\> | 0.80 [0.75, 0.84] | 90 | at least 0.70 |
    """
    words = Vocabulary()
    words.environment.filters.update(
        escaped=escaped, name=lambda text: escaped(text, NAME_LENGTH), sign=lambda check: SIGNS[check.outcome]
    )
    texts = []
    for system, verdict in verdicts.items():
        listed = sorted(verdict.checks, key=lambda check: WORST_FIRST.index(check.outcome))[:MOST_ROWS]
        text = words.write(
            "gates/verdict.md.j2", system=system, verdict=verdict, of_raters=verdict.of_raters, listed=listed,
            left_out=max(0, len(verdict.checks) - MOST_ROWS),
            told=[check for check in listed if check.outcome != "met"],
            sources=joined(check.source for check in verdict.checks),
        )  # fmt: skip
        texts.append(text.rstrip("\n") + "\n\n")
    return "".join(texts)


def escaped(text: str, most: int = 2000) -> str:
    r"""Escape text for one line of Markdown: no link, table cell, code, or HTML.

    >>> print(escaped("a|b\n`<i>` https://x.example"))
    a\|b \`\<i\>\` https\://x.example
    """
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    line = line if len(line) <= most else line[: most - 1] + "…"
    return _ACTIVE.sub(r"\\\1", line)
