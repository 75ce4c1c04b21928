"""A verdict for pipelines: files that CI shows, and whether the run passes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import OutputError, SettingsError
from reportgen.gates.junit import junit_xml
from reportgen.gates.markdown import markdown
from reportgen.results import Verdict
from reportgen.storing import write_file
from reportgen.wording.vocabulary import Vocabulary

__all__ = ["FAILED", "Gate", "junit_xml", "markdown"]

FAILED = 1
"""Exit code when the verdict does not pass."""

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""Environment variable that names the file in which GitHub collects what a step says."""


@dataclass(frozen=True)
class Gate:
    """What a pipeline asks of a verdict.

    Parameters
    ----------
    closed
        Whether a verdict that does not pass ends with exit code 1; open, the files are written and nothing more.
    strict
        Whether only a verdict with every criterion met passes.
    junit, markdown
        Files to write; None for none.
    """

    closed: bool = False
    strict: bool = False
    junit: Path | None = None
    markdown: Path | None = None

    def check(self) -> None:
        """Refuse options that contradict each other, and files that cannot be written, before anything is done.

        Raises
        ------
        SettingsError
            Strict without a gate, or both files in one place.
        OutputError
            The folder of a file does not exist, or its place is taken by a folder.
        """
        if self.strict and not self.closed:
            raise SettingsError("--strict requires --gate; add --gate.")
        if self.junit is not None and self.junit == self.markdown:
            raise SettingsError(f"--junit and --markdown both name '{self.junit}'; name two files.")
        for file in (self.junit, self.markdown):
            if file is not None and (file.is_dir() or not file.absolute().parent.is_dir()):
                raise OutputError(f"'{file}' cannot be written: name a file in a folder that exists.")

    def report(self, verdicts: Mapping[str, Verdict]) -> int:
        """Write the files, add to GitHub's summary of the step, and return the exit code.

        Parameters
        ----------
        verdicts
            Each by the name of its system; all must pass.

        Raises
        ------
        OutputError
            A file cannot be written.
        """
        if self.junit is not None:
            write_file(self.junit, junit_xml(verdicts, strict=self.strict))
        if self.markdown is not None:
            write_file(self.markdown, markdown(verdicts))
        summary = os.environ.get(STEP_SUMMARY)
        if self.closed and summary:
            _append(Path(summary), markdown(verdicts))
        return FAILED if self.closed and not self._passes(verdicts) else 0

    def remark(self, verdicts: Mapping[str, Verdict]) -> str:
        """Say that a closed gate passes although groups are not judged; nothing when it fails or all are."""
        checks = [check for verdict in verdicts.values() for check in verdict.checks if check.group]
        unjudged = {check.group for check in checks if check.outcome in ("not yet known", "insufficient")}
        if not (self.closed and unjudged and self._passes(verdicts)):
            return ""
        withheld = {check.group for check in checks if check.withheld}
        remark: str = Vocabulary().phrases("decision").gate_remark(len(unjudged), len(withheld))
        return remark

    def _passes(self, verdicts: Mapping[str, Verdict]) -> bool:
        return all(verdict.passes(strict=self.strict) for verdict in verdicts.values())


def _append(file: Path, text: str) -> None:
    """Append text as UTF-8, whatever the letters."""
    try:
        with file.open("a", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            stream.write(text)
    except OSError as error:
        raise OutputError(f"'{file}' cannot be written: {error.strerror}.") from None
