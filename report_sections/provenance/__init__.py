"""Everything that is needed to make the same numbers again, and to know what they mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from reportgen.citations import works_behind
from reportgen.results import Cell, Part
from reportgen.sections import Column, Evaluation, Findings, Row, Section, Table, Term
from reportgen.settings import Settings, as_toml, stored
from reportgen.wording.numbers import count


@dataclass(frozen=True)
class Provenance(Section):
    """Input with its SHA-256, configuration, versions, command, how intervals are made, and the works behind it all.

    Parameters
    ----------
    definitions
        Whether the section says which of several definitions in use the numbers follow.
    """

    title: ClassVar[str] = "Provenance"
    part: ClassVar[Part] = "annex"

    definitions: bool = True

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return input, settings, versions and methods."""
        versions = evaluation.provenance.get("versions") or {}
        line = {"versions": ", ".join(f"{name} {version}" for name, version in versions.items())}
        told = {name: line.get(name, value) for name, value in evaluation.provenance.items()}
        usual = dict(_flat(stored(Settings())))  # results.json has all settings, the page those that are not as usual
        chosen = {name: value for name, value in _flat(evaluation.settings) if usual.get(name) != value}
        files = [(file.name, file.rows, file.bytes, file.sha256) for file in evaluation.source.files]
        file_columns = (Column("file"), Column("rows", "", "count"), Column("bytes", "", "count"), Column("sha256"))
        facts_columns = (Column("name"), Column("value"))
        found: tuple[tuple[str, tuple[Column, ...], Collection[tuple[Cell, ...]]], ...] = (
            ("provenance.run", facts_columns, (_input(evaluation) | dict(_flat(told))).items()),
            ("provenance.files", file_columns, files),
            ("provenance.settings", facts_columns, chosen.items()),
        )
        return Findings(
            values=_methods(evaluation)
            | {"kind": evaluation.kind, "definitions": self.definitions, "references": list(works_behind(evaluation))},
            tables=tuple(
                Table(key, "", columns, tuple(map(Row, rows)), max_rows=1000) for key, columns, rows in found if rows
            ),
        )


def _input(evaluation: Evaluation) -> dict[str, str]:
    source = evaluation.source
    return {
        Term("run_files" if source.files else "run_file"): source.name,
        Term("run_format"): source.format,
        Term("run_rows"): count(source.rows),
        Term("run_bytes"): count(source.bytes),
        Term("run_sha256"): source.sha256,
    }


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield every setting with its dotted name; what is not set is left out."""
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif value not in (None, "", [], ()):
            yield f"{prefix}{name}", _text(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(_text(each) for each in value)
    return as_toml(value) if isinstance(value, Mapping) else str(value)


def _methods(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "level": float(evaluation.facts.get("confidence_level") or 0.95),
        "methods": list(dict.fromkeys(each.method for each in evaluation.estimates.values() if each.method)),
        "least": evaluation.facts.get("min_n_per_group") or 0,
        "own_least": [[column, n] for column, n in (evaluation.facts.get("min_n_by_group") or {}).items()],
        "by_candidate": bool(evaluation.facts.get("clustered_by_candidate")),
    }
