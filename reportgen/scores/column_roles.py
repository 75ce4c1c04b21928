"""The parts that columns play: given one by one, told in the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reportgen.errors import listed
from reportgen.results import Role

NAMED = "specified"
BY_NAME = "detected by name"
BY_CONTENTS = "detected by contents"

ROLES = (
    *("system", "run", "human", "rater", "time", "id", "candidate", "item", "item score", "length", "text", "position"),
    *("group", "flag"),
)
"""The parts a column can play, in the order they are told."""


@dataclass
class ColumnRoles:
    """The parts given so far, and why the other columns have none."""

    parts: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    runs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """For each system the columns of its further runs."""

    def copy(self) -> ColumnRoles:
        """Return the same parts, to be added to."""
        parts = {role: list(given) for role, given in self.parts.items()}
        return ColumnRoles(parts, dict(self.left_out), dict(self.runs))

    def of_system(self, system: str) -> ColumnRoles:
        """Return the parts when one of the systems is evaluated: the others and their runs play none."""
        parts = dict(self.parts)
        parts["system"] = [part for part in parts["system"] if part[0] == system]
        parts["run"] = [part for part in parts.get("run", ()) if part[0] in self.runs.get(system, ())]
        others = [name for name in self.columns("system") if name != system]
        left_out = dict.fromkeys(others, "another system")
        left_out |= {run: f"a run of another system, {name}" for name in others for run in self.runs.get(name, ())}
        return ColumnRoles(parts, {**self.left_out, **left_out}, self.runs)

    def of_record(self, place: int) -> ColumnRoles:
        """Return the parts with one human score before the others, and who gave each, and when, in the same order."""
        parts = dict(self.parts)
        for role in ("human", "rater", "time"):
            given = parts.get(role, [])
            if len(given) > place:
                parts[role] = [given[place], *given[:place], *given[place + 1 :]]
        return ColumnRoles(parts, self.left_out, self.runs)

    def without(self, role: str) -> ColumnRoles:
        """Return the parts without one."""
        parts = {name: given for name, given in self.parts.items() if name != role}
        return ColumnRoles(parts, dict(self.left_out), dict(self.runs))

    def retell(self, how: Mapping[str, str]) -> None:
        """Say of columns that they were found in another way."""
        self.parts = {
            role: [(column, how.get(column, told)) for column, told in given] for role, given in self.parts.items()
        }

    def give(self, role: str, columns: Sequence[str], how: str) -> None:
        """Give a part to columns."""
        self.parts.setdefault(role, []).extend((column, how) for column in columns)

    def columns(self, role: str) -> tuple[str, ...]:
        """Return the columns that play a part."""
        return tuple(column for column, _ in self.parts.get(role, ()))

    def free(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns without a part."""
        taken = self.taken()
        return {name: column for name, column in columns.items() if name not in taken}

    def taken(self) -> set[str]:
        """Return every column that plays a part."""
        return {column for role in self.parts for column in self.columns(role)}

    def roles(self) -> tuple[Role, ...]:
        """Return the parts as told in the report, one entry for each way they were found."""
        told: dict[tuple[str, str], list[str]] = {}
        for role in ROLES:
            for column, how in self.parts.get(role, ()):
                told.setdefault((role, how), []).append(column)
        return tuple(Role(role, tuple(columns), how) for (role, how), columns in told.items())


def ambiguous(title: str, option: str, found: Sequence[str]) -> str:
    """Return the sentence for more than one candidate."""
    example = listed(found[:1])
    return f"several columns may hold the {title}: {listed(found)}; name the right one, as in {option} {example}."
