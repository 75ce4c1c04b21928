"""Reports of a run, with their texts, tables and estimates, and everything on them that breaks a rule."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from situations import Situation

from reportgen.rendering import Look
from reportgen.rendering.notebook import cells
from reportgen.rendering.show import ShownReport
from reportgen.rendering.templates import Templates
from reportgen.reports import systems
from reportgen.reports.single import Outcome, configured
from reportgen.results import Estimate, Evaluation, Report
from reportgen.results.chart import Chart
from reportgen.results.group_statistics import Statistics
from reportgen.storing.report_folder import Writing

NUMBER = r"[−+]?\d[\d,]*(?:\.\d+)?"
Rule = Callable[["Page"], Iterator[str]]


def pages_of(situation: Situation) -> list[Page]:
    """Return every report that a run makes of a file: of one system, or of each system or trait and of all together."""
    frame, settings = configured(situation.frame, dict(situation.settings))
    return [Page(report) for report in _reports(systems.evaluate_source(frame, settings, Writing(None)))]


def _reports(outcome: Outcome) -> Iterator[Report]:
    yield outcome.report
    for part in outcome.parts:
        yield from _reports(part)


@dataclass(frozen=True)
class Page:
    """A report, the text of its sections, and its HTML."""

    report: Report

    @property
    def evaluation(self) -> Evaluation:
        """What was computed."""
        return self.report.evaluation

    @cached_property
    def _parts(self) -> tuple[list[tuple[str, str]], list[str]]:
        """Section and text of everything that a reader sees, and the HTML of its tables."""
        shown = ShownReport(Templates(self.report, Look()))
        texts, tables = [], []
        for section, place, text in cells(self.report):
            if text.startswith("report.show("):
                call = ast.parse(text, mode="eval").body
                assert isinstance(call, ast.Call)
                (key, *kind), how = (
                    map(ast.literal_eval, call.args),
                    {str(e.arg): ast.literal_eval(e.value) for e in call.keywords},
                )
                item = shown.item(key, *kind)
                if isinstance(item, Chart):
                    chart = shown.worded_chart(item, how.get("title", ""), how.get("note", ""))
                    axes = [chart.x.title, chart.y.title, *chart.x.categories, *chart.y.categories]
                    text = "\n".join([chart.title, chart.alt, chart.caption, *axes])
                else:
                    tables.append(shown.show(key, *kind, **how).data["text/html"])
                    text = "\n".join(str(how.get(each, "")) for each in ("title", "note"))
            texts.append((section, f"{place} {text}"))
        return texts, tables

    @property
    def texts(self) -> list[tuple[str, str]]:
        """Section and text of all words that a reader sees, titles and notes of tables and charts among them."""
        return self._parts[0]

    @property
    def tables(self) -> list[str]:
        """The HTML of every table."""
        return self._parts[1]

    @cached_property
    def text(self) -> str:
        """All of these texts."""
        return "\n".join(text for _, text in self.texts)

    @cached_property
    def brief(self) -> str:
        """The text and charts of page one."""
        first = {each.name for each in self.report.sections if each.part == "decision"}
        return "\n".join(text for section, text in self.texts if section in first and not text.startswith("annex"))

    @cached_property
    def estimates(self) -> list[Estimate]:
        """Every estimate that is stored: headline numbers, cells of tables, requirements, statistics of groups."""
        tables = [*self.evaluation.tables.values(), *(t for s in self.report.sections for t in s.findings.tables)]
        found = [*self.evaluation.estimates.values()]
        found += [cell for table in tables for row in table.rows for cell in row.cells if isinstance(cell, Estimate)]
        checks = [*self.evaluation.checks, *(c for s in self.report.sections for c in s.findings.checks)]
        checks += [check for each in self.evaluation.facts.get("decisions") or () for check in each["checks"]]
        found += [each for check in checks for each in (check.estimate, check.best) if each is not None]
        found += _estimates_in(self.evaluation.facts.get("beside"))
        found += [e for s in self.report.sections if s.part != "decision" for e in _estimates_in(s.findings.values)]
        statistics = Statistics(self.evaluation.statistics)
        for group in self.evaluation.statistics:
            for series in group.series:
                levels = statistics.levels(series.statistic, series.score_type, group.column)
                found += [each.estimate for each in levels]
        return found

    @property
    def raters(self) -> int:
        return len(self.evaluation.raters)

    @property
    def interchangeable(self) -> bool:
        design = self.evaluation.facts.get("design")
        return isinstance(design, dict) and design.get("record", "") is None

    @property
    def two_points(self) -> bool:
        scale = self.evaluation.scale
        return scale.step > 0 and round((scale.high - scale.low) / scale.step) == 1


def _estimates_in(value: object) -> Iterator[Estimate]:
    """Yield the estimates in values of any depth."""
    if isinstance(value, Estimate):
        yield value
    elif isinstance(value, Mapping):
        yield from (found for each in value.values() for found in _estimates_in(each))
    elif isinstance(value, (list, tuple)):
        yield from (found for each in value for found in _estimates_in(each))


def contradictions(page: Page, rules: Iterable[Rule]) -> list[str]:
    """Return everything on a page that breaks a rule."""
    return [f"{each} breaks the rule {rule.__name__}: {rule.__doc__}" for rule in rules for each in rule(page)]


def as_number(text: str) -> tuple[float, float]:
    """Return a written number and half of its last decimal."""
    plain = text.replace(",", "").replace("−", "-")
    return float(plain), 0.5 * 10.0 ** -len(plain.partition(".")[2]) + 1e-9


def same(text: str, value: float | None) -> bool:
    number, half = as_number(text)
    return value is not None and (abs(number - value) <= half or (abs(number + value) <= half and text[0] not in "−+"))
