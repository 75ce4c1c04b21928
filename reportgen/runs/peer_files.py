"""The files of one RSMTool experiment: ``output/<id>_<name>.csv``, ``.tsv`` or ``.xlsx``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.errors import InputError, describe_failure
from reportgen.sources.workbooks import first_sheet

SUFFIXES = (".csv", ".tsv", ".xlsx")
TOOLS = ("rsmeval", "rsmtool")
"""Tools whose experiments hold the evaluation of a system, as their configuration files are named."""

INDEX = ""
"""Column of row names: the first one, which has no name."""

Record = dict[str, str]


@dataclass(frozen=True)
class Experiment:
    """One experiment of rsmeval or rsmtool.

    Parameters
    ----------
    folder
        The folder that holds ``output``.
    id
        What its files begin with.
    tool
        "rsmeval" or "rsmtool".
    configuration
        Its settings; empty when the file is not there.
    """

    folder: Path
    id: str
    tool: str
    configuration: dict[str, Any]

    def path(self, name: str) -> Path | None:
        """Return the file of a table, or None when the experiment did not write it."""
        candidates = (self.folder / "output" / f"{self.id}_{name}{suffix}" for suffix in SUFFIXES)
        return next((path for path in candidates if path.is_file()), None)

    @property
    def kind(self) -> str:
        """The format of its tables: csv, tsv or xlsx."""
        path = self.path("eval")
        return path.suffix[1:] if path else "csv"

    def table(self, name: str) -> list[Record]:
        """Return the rows of a table, every cell as text; none when the experiment did not write it."""
        path = self.path(name)
        return [] if path is None else list(_records(path))

    def names(self, start: str) -> list[str]:
        """Return the names of the tables that begin with `start`."""
        prefix = f"{self.id}_"
        files = (self.folder / "output").glob(f"{_literal(prefix + start)}*")
        return sorted({file.stem.removeprefix(prefix) for file in files if file.suffix.lower() in SUFFIXES})


def experiments(folder: Path) -> list[Experiment]:
    """Return the experiments in a folder, by the configurations in its ``output``.

    Raises
    ------
    InputError
        A configuration is no JSON.
    """
    return [
        Experiment(folder, file.stem.removesuffix(f"_{tool}"), tool, _configuration(file))
        for file in sorted((folder / "output").glob("*.json"))
        for tool in TOOLS
        if file.stem.endswith(f"_{tool}")
    ]


def experiment(folder: Path, name: str) -> Experiment:
    """Return the experiment of a name in a folder.

    Raises
    ------
    InputError
        The folder, its ``output`` or the experiment's files are not there, or come in several formats.
    """
    output = folder / "output"
    if not output.is_dir():
        raise InputError(f"'{folder}' holds no folder 'output'; name the folder that an experiment was written to.")
    suffixes = {file.suffix.lower() for file in output.glob(f"{_literal(name)}_*")} & set(SUFFIXES)
    if not suffixes:
        there = ", ".join(f"'{each.id}'" for each in experiments(folder)) or "none"
        raise InputError(f"'{output}' holds no tables of the experiment '{name}'; experiments there: {there}.")
    if len(suffixes) > 1:
        raise InputError(f"'{output}' holds tables of '{name}' as {' and '.join(sorted(suffixes))}; keep one format.")
    known = {each.id: each for each in experiments(folder)}
    return known.get(name) or Experiment(folder, name, "rsmeval", {})


def _literal(text: str) -> str:
    """Return text as a pattern that matches itself alone."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in text)


def _configuration(file: Path) -> dict[str, Any]:
    """Return the settings an experiment kept."""
    try:
        content = json.loads(_text_of(file, "utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(
            f"{file}: cannot be read as JSON ({describe_failure(error)}); run the experiment again."
        ) from None
    return content if isinstance(content, dict) else {}


def _text_of(path: Path, encoding: str) -> str:
    """Return the text of an ordinary file; a pipe would be waited for."""
    if not path.is_file():
        raise OSError(f"{path.name} is not an ordinary file")
    return path.read_text(encoding=encoding)


def _records(path: Path) -> Iterator[Record]:
    """Yield the rows of a table as text."""
    lines = _sheet(path) if path.suffix == ".xlsx" else _delimited(path)
    if not lines:
        return
    header, *body = lines
    for line in body:
        yield dict(zip(header, line, strict=False))


def _delimited(path: Path) -> list[list[str]]:
    """Return a CSV or TSV file as text."""
    try:
        text = _text_of(path, "utf-8-sig")
        return list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if path.suffix == ".tsv" else ","))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"'{path}' cannot be read as a table ({error}); run the experiment again.") from None


def _sheet(path: Path) -> list[list[str]]:
    """Return the first sheet of a workbook as text."""
    try:
        return [[cell or "" for cell in row] for row in first_sheet(path)]
    except InputError as error:
        raise InputError(f"'{path}': {error}") from None
