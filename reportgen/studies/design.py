"""What a study is: a design that can be asked for, and what it found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from reportgen.results import Estimate, Scale, Source, Table
from reportgen.studies.work import Work


@dataclass(frozen=True)
class StudyResults:
    """What a study found, before its sections speak.

    Parameters
    ----------
    source
        The file of the user, or the simulation by its options.
    scale
        The score scale.
    tables, estimates, facts
        As in an `Evaluation`.
    warnings
        What a reader must know before trusting a number.
    """

    source: Source
    scale: Scale
    tables: tuple[Table, ...]
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Study(BaseModel):
    """Base of every study: subclass it; its fields are its options, their defaults the paper's design.

    Class variables
    ---------------
    name, title
        As on the command line; heading of the report.
    sections
        Sections of its report, in order.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: ClassVar[str]
    title: ClassVar[str]
    sections: ClassVar[tuple[str, ...]]

    seed: int = Field(default=20251121, ge=0, description="Seed of everything drawn at random.")

    def with_seed_of(self, number: int) -> Self:
        """Return the design with the seed of another data set; number 0 is the design itself."""
        seed = int(np.random.SeedSequence([self.seed, number]).generate_state(1)[0]) if number else self.seed
        return self.model_copy(update={"seed": seed})

    def results(self, work: Work) -> StudyResults:
        """Return what the study finds; independent parts go through ``work.map``.

        Raises
        ------
        ReportgenError
            When the design cannot be carried out, with what to change.
        """
        raise NotImplementedError

    def write_more(self, folder: Path) -> None:
        """Write files of the study's own beside its tables; most have none."""


def simulated(design: Study, rows: int) -> Source:
    """Return a simulation as a source: its hash is that of the design, which makes it again."""
    told = json.dumps({"study": design.name, **design.model_dump(mode="json")}, sort_keys=True)
    return Source(f"simulation, seed {design.seed}", hashlib.sha256(told.encode()).hexdigest(), 0, rows, "simulation")
