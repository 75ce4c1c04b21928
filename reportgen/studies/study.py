"""The base of every study, and the list of them.

A study is a design (options with defaults from its paper) that gives tables and facts; its sections show them, as in
any report. `reportgen study NAME` runs one, and so does `reportgen.study`.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from reportgen import sections
from reportgen.errors import SettingsError, did_you_mean
from reportgen.evaluation.tables.build import columns_of
from reportgen.reports.single import Outcome, composed, provenance_of, written_report
from reportgen.results import Column, Evaluation, Kind, Row, Scale, Source, Table
from reportgen.settings import Settings, stored
from reportgen.settings.kinds import problem
from reportgen.storing.report_folder import Writing

Floats = NDArray[np.float64]

STUDIES: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("studies.toml").read_text("utf-8"))
"""Name of a study -> its module and class, the question it answers, its title, sections, and options."""


def find(name: str) -> type[Study]:
    """Return the study of a name; raise a SettingsError if there is none."""
    if name not in STUDIES:
        raise SettingsError(f"study '{name}' does not exist{did_you_mean(name, STUDIES)}")
    module, _, cls = STUDIES[name]["study"].partition(":")
    study: type[Study] = getattr(import_module(module), cls)
    return study


Item = TypeVar("Item")
Result = TypeVar("Result")

Progress = Callable[[str, int, int], None]
"""(what is done, parts finished, parts in all); called from the thread that runs the study."""


@dataclass(frozen=True)
class Work:
    """Carries out independent parts, in this thread or by an executor.

    executor: any `concurrent.futures.Executor`; None does the parts one after the other. The results do not depend on
        it: every part must carry its own seed.

    >>> Work().map("squares", abs, [-3, 4])
    [3, 4]
    """

    executor: Executor | None = None
    progress: Progress = lambda *_: None  # hears of every finished part

    def map(self, what: str, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Return the function of every item, in order."""
        parts = list(items)
        self.progress(what, 0, len(parts))
        results: list[Result] = []
        for result in self.executor.map(function, parts) if self.executor is not None else map(function, parts):
            results.append(result)
            self.progress(what, len(results), len(parts))
        return results


@dataclass(frozen=True)
class StudyResults:
    """The findings of a study, before its sections run."""

    source: Source  # the user's file, or the simulation with its options
    scale: Scale
    tables: tuple[Table, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()  # caveats that a reader must know
    also: Callable[[Path], None] = lambda _: None  # writes additional files into the report folder


class Study(BaseModel):
    """Base of every study: subclass it; its fields are its options, their defaults the paper's design."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: ClassVar[str]

    seed: int = Field(default=20251121, ge=0, description="Seed of everything drawn at random.")

    def others(self, sets: int, **smaller: int) -> list[Self]:
        """Return the designs of data sets 1 to `sets` - 1, each with its own seed and of a `smaller` size."""
        seeds = [np.random.SeedSequence([self.seed, number]).generate_state(1)[0] for number in range(1, sets)]
        return [self.model_copy(update={**smaller, "seed": int(seed)}) for seed in seeds]

    def results(self, work: Work) -> StudyResults:
        """Return what the study finds; independent parts go through ``work.map``.

        Raises ReportgenError: When the design cannot be carried out, with what to change.
        """
        raise NotImplementedError


def simulated(design: Study, rows: int) -> Source:
    """Return a simulation as a source, whose hash is computed from the design that reproduces it."""
    told = json.dumps({"study": design.name, **design.model_dump(mode="json")}, sort_keys=True)
    return Source(f"simulation, seed {design.seed}", hashlib.sha256(told.encode()).hexdigest(), 0, rows, "simulation")


def known(value: float) -> float | None:
    """Return a number as a cell of a table, None where it is not finite."""
    return float(value) if np.isfinite(value) else None


def table(
    key: str, rows: Iterable[Row], *more: Column, notes: tuple[str, ...] = (), shown: int = 25, title: str = "",
    **kinds: Kind,
) -> Table:  # fmt: skip
    """Return a table with columns by the kinds of their numbers, whose headings the vocabulary has, and `more`."""
    return Table(f"study.{key}", title, (*columns_of(**kinds), *more), tuple(rows), notes, shown)


def design_of(name: str, options: Mapping[str, Any]) -> Study:
    """Return a study with its options set and checked."""
    cls = find(name)
    for key in options:
        if key not in cls.model_fields:
            raise SettingsError(f"study {name}: unknown option '{key}'{did_you_mean(key, cls.model_fields)}")
    try:
        return cls.model_validate(dict(options))
    except ValidationError as error:
        said = problem(cls, error)
        raise SettingsError(f"study {name}: {said}{'' if said.endswith('?') else '.'}") from error


def run(design: Study, settings: Settings, writing: Writing, work: Work) -> Outcome:
    """Run a study, and write its report with the settings of its title, sections, templates, and formats."""
    about, names = STUDIES[design.name], settings.report.sections
    names = (*about["sections"], "provenance") if names is None else names
    chosen = sections.load(names, settings.sections, "study")
    results = design.results(work)
    evaluation = Evaluation(
        source=results.source, roles=(), scale=results.scale, score_types=(), groups=(), raters=(), estimates={},
        settings={**stored(settings), "study": {"name": design.name, **design.model_dump(mode="json")}},
        facts={"study": design.name, **results.facts}, tables={table.key: table for table in results.tables},
        checks=(), warnings=results.warnings, kind="study",
        provenance={**provenance_of(settings, writing.command), "seed": design.seed},
    )  # fmt: skip
    report = composed(evaluation, chosen, settings, about["title"])
    if report.sections:  # the first says what the study warns of
        first, *others = report.sections
        findings = replace(first.findings, paragraphs=(*first.findings.paragraphs, *results.warnings))
        report = replace(report, sections=(replace(first, findings=findings), *others))
    return written_report(report, settings, writing, also=results.also, chosen=chosen)
