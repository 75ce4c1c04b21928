"""What a batch is about and which of its reports are finished, as a small file beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from reportgen.errors import InputError, describe_failure
from reportgen.machine.memory import refuse_above
from reportgen.settings import RESCALED, Settings, is_path, is_policy_path
from reportgen.storing.decoding import MisfitError, decode

SCHEMA = 1

MEMORY_OF_BYTE = 10
"""Bytes of memory that a byte of JSON takes."""

Status = Literal["to be made", "finished", "with failed sections", "not made", "withheld"]
"""Of a report that is withheld nothing but the name is known: it is of few responses, or would tell of one that is."""


@dataclass(frozen=True)
class Entry:
    """One report of a batch.

    Parameters
    ----------
    values
        What the parting columns hold in its rows.
    folder
        Its name.
    key
        Hash of everything its pages follow from: data, rows, settings, files that these name, versions; in that of
        the summary all reports.
    rows
        Rows of the source; 0 where the report is withheld.
    decision, error, failed_sections
        What became of it.
    files
        Path and size of each of its files.
    results
        SHA-256 of its results.json.
    contents
        SHA-256 of all its files.
    """

    values: Mapping[str, str]
    folder: str
    key: str
    rows: int
    status: Status = "to be made"
    decision: str = ""
    error: str = ""
    failed_sections: tuple[str, ...] = ()
    files: Mapping[str, int] = field(default_factory=dict)
    results: str = ""
    contents: str = ""

    def stands(self, folder: Path, told: int) -> bool:
        """Return whether the finished report is there as it was made.

        Parameters
        ----------
        folder
            Where it is.
        told
            When the manifest that tells of it was written, in ns: only files that changed later are read.
        """
        if self.status != "finished":
            return False
        try:
            found = [(folder / name).stat() for name in self.files]
            if [each.st_size for each in found] != list(self.files.values()):
                return False
            if any(each.st_mtime_ns > told for each in found) and contents_of(folder, self.files) != self.contents:
                return False
            return hashlib.sha256((folder / "results.json").read_bytes()).hexdigest() == self.results
        except OSError:
            return False


@dataclass(frozen=True)
class Manifest:
    """All reports of a batch, in order.

    Parameters
    ----------
    by
        The parting columns.
    name, sha256
        Of the source.
    summary
        The entry of their summary, when there is one of these reports.
    """

    by: tuple[str, ...]
    name: str
    sha256: str
    reports: tuple[Entry, ...]
    summary: Entry | None = None

    def text(self) -> str:
        """Return the text of the file."""
        return json.dumps({"schema": SCHEMA, "batch": asdict(self)}, indent=1) + "\n"


def read(path: Path) -> Manifest | None:
    """Return the manifest in a file; None when there is none.

    Raises
    ------
    InputError
        The file is no manifest.
    """
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise OSError("it is no ordinary file")
        if path.exists():
            refuse_above(path.stat().st_size * MEMORY_OF_BYTE, f"'{path}' needs", "name another folder")
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("schema") != SCHEMA:
            raise MisfitError(f"schema: expected {SCHEMA}")
        manifest: Manifest = decode(content["batch"], Manifest, "batch")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, RecursionError, MisfitError) as error:
        raise InputError(
            f"'{path}' is not the list of reports that a batch keeps ({describe_failure(error)}); "
            "name another folder, or remove it."
        ) from None
    return manifest


def contents_of(folder: Path, names: Iterable[str]) -> str:
    """Return the hash of some files of a folder."""
    found = hashlib.sha256()
    for name in names:
        if (folder / name).is_symlink() or not (folder / name).is_file():
            raise FileNotFoundError(2, "no ordinary file", str(folder / name))
        found.update(hashlib.sha256((folder / name).read_bytes()).digest())
    return found.hexdigest()


def key_of(settings: Settings, **facts: Any) -> str:
    """Return the hash of everything that the pages of a report follow from.

    Parameters
    ----------
    settings
        Those of the report; the files that they name count with their contents.
    facts
        What else, as JSON.
    """
    content = settings.model_dump(mode="json", exclude={"data": {"file"}})
    named = [hashlib.sha256(b"".join(_contents(path))).hexdigest() for path in _files_named(settings)]
    text = json.dumps([content, named, facts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def _files_named(settings: Settings) -> list[Path]:
    """Return the files and folders that settings name, beside the data."""
    report = settings.report
    named = [report.templates, report.logo, report.docx_template]
    named += [Path(name) for name in report.sections or () if is_path(name)]
    named += [Path(settings.verdict.policy)] if is_policy_path(settings.verdict.policy) else []
    scale = settings.preparation.scale_with
    named += [Path(scale)] if scale is not None and scale not in RESCALED else []
    return [path for path in named if path is not None]


def _contents(path: Path) -> Iterable[bytes]:
    """Yield names and contents of a file, or of the files in a folder."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            yield file.name.encode()
            yield file.read_bytes()
