"""Show everything needed to reproduce and interpret the numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from reportgen.citations import works_behind
from reportgen.sections import Column, Evaluation, Findings, Row, Section, Table, Term
from reportgen.settings import Settings, stored
from reportgen.settings.loading import as_toml
from reportgen.wording.numbers import count


class Provenance(Section, title="Provenance", part="annex"):
    """Show the input with its SHA-256, configuration, versions, command, interval methods, and references."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return input, settings, versions and methods."""
        versions = evaluation.provenance.get("versions") or {}
        line = {"versions": ", ".join(f"{name} {version}" for name, version in versions.items())}
        told = _flat({name: line.get(name, value) for name, value in evaluation.provenance.items()})
        usual = dict(_flat(stored(Settings())))  # results.json has all settings; the page omits defaults
        chosen = {name: value for name, value in _flat(evaluation.settings) if usual.get(name) != value}
        source = evaluation.source
        read = {
            Term("run_files" if source.files else "run_file"): source.name,
            **({Term("run_format"): source.format} if source.bytes else {}),
            Term("run_rows"): count(source.rows),
            **({Term("run_bytes"): count(source.bytes)} if source.bytes else {}),
            Term("run_sha256"): source.sha256,
            **{Term(f"run_{name}"): value for name, value in told if value != source.sha256},
        }
        files = [(file.name, file.rows, file.bytes, file.sha256) for file in source.files]
        file_columns = (Column("file"), Column("rows", "", "count"), Column("bytes", "", "count"), Column("sha256"))
        facts_columns = (Column("name"), Column("value"))
        tables = (
            Table("provenance.run", "", facts_columns, tuple(map(Row, read.items()))),
            Table("provenance.files", "", file_columns, tuple(map(Row, files))),
            Table("provenance.settings", "", facts_columns, tuple(map(Row, chosen.items()))),
        )
        return Findings(
            values=_methods(evaluation) | {"kind": evaluation.kind, "references": list(works_behind(evaluation))},
            tables=tuple(replace(table, max_rows=1000) for table in tables if table.rows),
        )


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
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
        "clustered": bool(evaluation.facts.get("clustered")),
        "unit": evaluation.facts.get("unit"),
    }
