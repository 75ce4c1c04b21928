"""Test sections: whether a section works in a report, and what it displays."""

from __future__ import annotations

import inspect
import json
import tempfile
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from reportgen.errors import SectionError
from reportgen.results import Evaluation, Findings, Report, SectionResult
from reportgen.sections import Section, load


def check_section(
    section: type[Section] | str | Path, evaluation: Evaluation | None = None, **options: Any
) -> Findings:
    """Run a section as a report would, and return its findings.

    The section is created with `options`; its findings are computed, stored in results.json, read back, and displayed
    on a page by its template.

    Parameters
    ----------
    section
        The class, its name among the installed sections, or the path of its file.
    evaluation
        The evaluation to analyze. Default: `example_evaluation()`.
    **options
        The section's options.

    Returns
    -------
    Findings
        For checks that only the author can make.

    Raises
    ------
    SectionError
        If it is not a frozen dataclass, changes the evaluation, does not return `Findings`, contains something that
        results.json cannot, or cannot be displayed.

    Examples
    --------
    >>> from reportgen.testing import check_section
    >>> findings = check_section("provenance")
    >>> len(findings.tables) > 0
    True
    """
    evaluation = evaluation or example_evaluation()
    built, provider = _build(section, options)
    before = repr(evaluation)
    findings = built.findings(evaluation)
    if not isinstance(findings, Findings):
        raise SectionError(f"section {built.name!r}: expected findings() to return Findings, found {findings!r}.")
    if repr(evaluation) != before:
        raise SectionError(f"section {built.name!r}: changed the evaluation it was given; make new objects instead.")
    _show(SectionResult(built.name, built.title, provider, vars(built), findings, part=built.part), evaluation)
    return findings


def example_evaluation() -> Evaluation:
    """Return an evaluation of a small synthetic file: 120 responses, two raters, two groups, an item column.

    Examples
    --------
    >>> example_evaluation().groups
    ('language',)
    """
    import pyarrow as pa

    import reportgen

    rows = range(120)
    human = [1 + (7 * row // 5) % 5 for row in rows]
    table = pa.table(
        {
            "id": [f"response {row}" for row in rows],
            "system": [score + (row % 7 - 3) / 6 for row, score in zip(rows, human, strict=True)],
            "human": human,
            "human2": [min(5, score + (row % 6 == 0)) for row, score in zip(rows, human, strict=True)],
            "language": [("Mandarin", "Spanish", "Korean")[row % 3] for row in rows],
            "item": [f"item {row % 2 + 1}" for row in rows],
        }
    )
    return reportgen.evaluate(table, scale="1:5", sections=[]).evaluation


def _build(section: type[Section] | str | Path, options: dict[str, Any]) -> tuple[Section, str]:
    if isinstance(section, str | Path):
        name = str(section)
        known = load([name], {})[0]
        found = load([name], {known.section.name: options})[0]
        return found.section, found.provider
    known_options = {field.name for field in fields(section)}
    for name in options:
        if name not in known_options:
            raise SectionError(f"section {section.__name__}: has no option {name!r}.")
    return section(**options), inspect.getfile(section)


def _show(result: SectionResult, evaluation: Evaluation) -> None:
    """Store the section and display it on a page; raise if either fails."""
    from reportgen.rendering import render
    from reportgen.storing import results_file

    report = Report("Test of a section", "", "2026-01-01", replace(evaluation, measure=None), (result,))
    try:
        report = results_file.loads(results_file.dumps(report))
    except TypeError as error:
        raise SectionError(f"section {result.name!r}: {error}; use text, numbers, lists and results.") from error
    with tempfile.TemporaryDirectory() as folder:
        if render(report, Path(folder), formats=("html",)):
            page = json.loads(Path(folder, "report.ipynb").read_text(encoding="utf-8"))
            outputs = (output for cell in page["cells"] for output in cell.get("outputs", ()))
            first = next("{ename}: {evalue}".format(**each) for each in outputs if each["output_type"] == "error")
            raise SectionError(f"section {result.name!r}: a cell of its template failed: {first}.")


def text_of(section: Section | SectionResult, evaluation: Evaluation | None = None, *, language: str = "en") -> Prose:
    """Return the text of a section as plain text: its own part, and its annex.

    Parameters
    ----------
    section
        A section, or its findings.
    evaluation
        The evaluation. Default: `example_evaluation()`.
    language
        The language of the templates.

    Examples
    --------
    >>> from report_sections.provenance import Provenance
    >>> text_of(Provenance()).finding
    ''
    """
    from reportgen.rendering.notebook import cells

    evaluation = evaluation or example_evaluation()
    if isinstance(section, Section):
        found, options = (
            section.findings(evaluation),
            {each.name: getattr(section, each.name) for each in fields(section)},
        )
        section = SectionResult(section.name, section.title, "reportgen", options, found, part=section.part)
    report = Report("", "", "2026-01-01", evaluation, (section,), language=language)
    held = [(place, text) for name, place, text in cells(report) if name]
    main, annex = ("\n".join(text for where, text in held if where == place) for place in ("", "annex"))
    return Prose(main, annex)


@dataclass(frozen=True)
class Prose:
    """The text of a section as lines of plain text: `text` in its own part, and `annex` in the technical annex.

    A line that shows a table or a chart reads ``report.show('key', ...)``.
    """

    text: str
    annex: str = ""

    @property
    def lines(self) -> list[str]:
        """All lines that are not blank."""
        return [line for line in f"{self.text}\n{self.annex}".splitlines() if line.strip()]

    @property
    def finding(self) -> str:
        """The heading that states the finding; empty if the only heading is a noun."""
        from reportgen.rendering.notebook import finding

        return finding(self.text)

    @property
    def words(self) -> str:
        """The whole text on one line."""
        return " ".join(" ".join(self.lines).split())

    def __contains__(self, words: str) -> bool:
        """Return whether the text contains these words."""
        return words in self.words
