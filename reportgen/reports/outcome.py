"""What a run made: the report, where it is, and what failed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from reportgen.errors import SectionError
from reportgen.results import Report, Verdict
from reportgen.scores import Account


@dataclass(frozen=True)
class Outcome:
    """What a run made.

    Parameters
    ----------
    report
        Everything the pages say.
    folder
        Where they are; None when nothing was written.
    scores
        The prepared scores, for what is said aloud in the terminal; None after `render`.
    failed_sections
        Sections that could not be made or shown; their place in the report says what went wrong.
    prefix
        What the names of the pages begin with.
    parts
        With several systems, what was made for each of them, and their comparison last.
    tables
        With several systems, or traits, the prepared scores of each.
    traits
        The traits, where the parts are their reports; empty for any others.
    to_read
        Pages of responses to read, beside the report.
    """

    report: Report
    folder: Path | None = None
    scores: Account | None = None
    failed_sections: tuple[str, ...] = ()
    prefix: str = ""
    parts: tuple[Outcome, ...] = ()
    tables: tuple[Account, ...] = ()
    traits: tuple[str, ...] = ()
    to_read: tuple[Path, ...] = ()

    def raise_failures(self) -> None:
        """Raise when the report is not all that was asked for.

        Raises
        ------
        SectionError
            A section could not be made or shown.
        """
        if self.failed_sections:
            failed = ", ".join(self.failed_sections)
            raise SectionError(f"the report was written, but not every section could be made: {failed}.")

    def shown(self) -> Report:
        """Return the report, with the place of its page where one was written."""
        page = None if self.folder is None else self.folder / f"{self.prefix}report.html"
        return replace(self.report, page=page) if page is not None and page.is_file() else self.report

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What the policy says: of each trait or system by its name, or of the only one without."""
        if self.tables:
            names = list(self.traits) or [table.columns("system")[0] for table in self.tables]
            found = {name: part.report.verdict for name, part in zip(names, self.parts, strict=False)}
        else:
            found = {"": self.report.verdict}
        return {name: verdict for name, verdict in found.items() if verdict is not None}
