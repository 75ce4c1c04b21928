"""Everything that is needed to make the same numbers again, and to know what they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from reportgen.citations import works_behind
from reportgen.results import Part
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

    name: ClassVar[str] = "provenance"
    title: ClassVar[str] = "Provenance"
    part: ClassVar[Part] = "annex"

    definitions: bool = True

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return input, settings, versions and methods."""
        run = {**_input(evaluation), **dict(_flat(_versions_in_a_line(evaluation.provenance)))}
        tables = (
            _facts_table("provenance.run", run),
            *((_files_table(evaluation),) if evaluation.source.files else ()),
            _facts_table("provenance.settings", _chosen(evaluation.settings)),
        )
        return Findings(
            values=_methods(evaluation)
            | {"kind": evaluation.kind, "definitions": self.definitions, "references": list(works_behind(evaluation))},
            tables=tuple(table for table in tables if table.rows),
        )


def _facts_table(key: str, facts: Mapping[str, str]) -> Table:
    """Return names and values as a table of two columns; values are text as they were given."""
    rows = tuple(Row((name, value)) for name, value in facts.items())
    return Table(key, "", (Column("name"), Column("value")), rows, max_rows=1000)


def _files_table(evaluation: Evaluation) -> Table:
    rows = tuple(Row((file.name, file.rows, file.bytes, file.sha256)) for file in evaluation.source.files)
    columns = (Column("file"), Column("rows", "", "count"), Column("bytes", "", "count"), Column("sha256"))
    return Table("provenance.files", "", columns, rows, max_rows=1000)


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


def _versions_in_a_line(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return where the numbers come from, with the versions of all programs as one text."""
    versions = provenance.get("versions") or {}
    line = ", ".join(f"{name} {version}" for name, version in versions.items())
    return {name: line if name == "versions" else value for name, value in provenance.items()}


def _chosen(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings that are not what they are when nobody sets them; results.json has all."""
    usual = dict(_flat(stored(Settings())))
    return {name: value for name, value in _flat(settings) if usual.get(name) != value}


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
