"""Column roles and the choice between readings of a file.

A reading is proposed with its evidence.  Each kind of evidence has one weight, on the scale of log odds, and one reason
in words.  The best reading is chosen if it leads every other reading by `MARGIN`.  Otherwise the run prints the two
best.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from reportgen.errors import QuestionError
from reportgen.results import Role
from reportgen.wording.names import natural

NAMED = "specified"
BY_NAME = "detected by name"
BY_CONTENTS = "detected from its contents"
BY_STEM = "detected by the common beginning of their names"

JOINED = " + "  # joins the names of columns whose values together are an ID

RUN = "repeated run"  # the role of the column that distinguishes runs; the columns made from it have the role of runs

ROLES = (
    "system", "run", "human", "rater", "time", "id", "candidate", "cluster", "item", "item score", "length", "text",
    "position", "weight", "double_weight", "group", "flag",
)  # fmt: skip
"""The roles of columns, in display order."""

EVIDENCE: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""The weight of each kind of evidence, and the kinds that lead to a question even for a single reading."""

MARGIN = 1.5  # the lead over every other reading that the best reading needs


class LongColumns(NamedTuple):
    """The columns of a file of ratings: response, rater, score, and optionally time and run."""

    id: str
    rater: str
    score: str
    time: str | None
    run: str | None
    how: dict[str, str]  # how each of them was detected

    def all(self) -> set[str]:
        """Return all of these columns."""
        return {name for name in (self.id, self.rater, self.score, self.time, self.run) if name}

    def summary(self) -> tuple[Role, ...]:
        """Return the roles that only a file of ratings has, as shown in the report."""
        columns = {"rater": self.rater, "score": self.score, "time": self.time, RUN: self.run}
        found = [(part, name) for part, name in columns.items() if name]
        return tuple(Role(part, (name,), self.how["run" if part == RUN else part]) for part, name in found)


class Candidate(NamedTuple):
    """A possible reading, or a part of one.

    means, options: The reading in words, and the options that select it.
    """

    value: Any  # the reading
    means: str
    options: tuple[str, ...]
    evidence: tuple[str, ...]  # kinds of evidence for and against it

    @property
    def weight(self) -> float:
        """The sum of its evidence."""
        return float(sum(EVIDENCE["weights"][each] for each in self.evidence))


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Sort candidates by weight, the best first."""
    return sorted(candidates, key=lambda each: (-each.weight, natural(each.means)))


def choose(candidates: Sequence[Candidate], question: str, otherwise: str = "") -> Candidate:
    """Return the best candidate; a question between two ends with the hint `otherwise`."""
    best, *others = ranked(candidates)
    close = [each for each in others if each.weight > best.weight - MARGIN]
    if close or set(EVIDENCE["doubted"]).intersection(best.evidence):
        mirrored = len(close) > 1 and {*close[0].options} == {*close[1].options}  # human and engine are exchanged
        shown = close[: 1 + mirrored]
        raise QuestionError(question, [(each.means, each.options) for each in (best, *shown)], otherwise)
    return best


@dataclass
class ColumnRoles:
    """Roles of columns, and why the other columns have none."""

    parts: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    runs: dict[str, tuple[str, ...]] = field(default_factory=dict)  # system -> the columns of its repeated runs

    def copy(self) -> ColumnRoles:
        """Return a copy, to be added to."""
        return deepcopy(self)

    def of_system(self, system: str) -> ColumnRoles:
        """Return the roles for the evaluation of one system; the other systems and their runs have no role."""
        parts = dict(self.parts)
        parts["system"] = [part for part in parts["system"] if part[0] == system]
        parts["run"] = [part for part in parts.get("run", ()) if part[0] in self.runs.get(system, ())]
        others = [name for name in self.columns("system") if name != system]
        left_out = dict.fromkeys(others, "another system")
        left_out |= {run: f"a run of another system, {name}" for name in others for run in self.runs.get(name, ())}
        return ColumnRoles(parts, {**self.left_out, **left_out}, self.runs)

    def of_record(self, place: int) -> ColumnRoles:
        """Return the roles with one human score moved first, and the raters and times in the same order."""
        parts = dict(self.parts)
        for role in ("human", "rater", "time"):
            given = parts.get(role, [])
            if len(given) > place:
                parts[role] = [given[place], *given[:place], *given[place + 1 :]]
        return ColumnRoles(parts, self.left_out, self.runs)

    def without(self, role: str) -> ColumnRoles:
        """Return the roles without one role."""
        parts = {name: given for name, given in self.parts.items() if name != role}
        return ColumnRoles(parts, dict(self.left_out), dict(self.runs))

    def relabel(self, how: Mapping[str, str]) -> None:
        """Replace how columns were detected."""
        for role, given in self.parts.items():
            self.parts[role] = [(column, how.get(column, known)) for column, known in given]

    def assign(self, role: str, columns: Sequence[str], how: str) -> None:
        """Assign a role to columns."""
        self.parts.setdefault(role, []).extend((column, how) for column in columns)

    def columns(self, role: str) -> tuple[str, ...]:
        """Return the columns of a role."""
        return tuple(column for column, _ in self.parts.get(role, ()))

    def unassigned(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns without a role that may have one."""
        taken = {*self.assigned(), *self.left_out}
        return {name: column for name, column in columns.items() if name not in taken}

    def assigned(self) -> set[str]:
        """Return every column with a role."""
        return {column for role in self.parts for column in self.columns(role)}

    def summary(self) -> tuple[Role, ...]:
        """Return the roles as shown in the report, one entry for each way of detection."""
        return merge_roles((role, *part) for role in ROLES for part in self.parts.get(role, ()))


def merge_roles(parts: Iterable[tuple[str, str, str]]) -> tuple[Role, ...]:
    """Return roles from (role, column, how it was detected), one for each role and way."""
    items: dict[tuple[str, str], dict[str, None]] = {}
    for role, column, how in parts:
        items.setdefault((role, how), {})[column] = None
    return tuple(Role(role, tuple(columns), how) for (role, how), columns in items.items())
