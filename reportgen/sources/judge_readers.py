"""Readers of foreign files, found by entry point and then by the file itself.

A reader returns columns of text and their roles; all later steps are the same as for any other file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Protocol, get_args, runtime_checkable

import pyarrow as pa

from reportgen.errors import InputError, SettingsError, did_you_mean
from reportgen.plugins import distribution_of, entry_points
from reportgen.settings import DataSettings
from reportgen.settings.models import Format
from reportgen.sources.columns import texts_to_arrow
from reportgen.sources.documents import has_rows
from reportgen.sources.tabular import TableReader, checked_names, file_source

GROUP = "reportgen.readers"
"""The entry-point group of readers; an entry is a class without arguments that is a `FileReader`."""


@dataclass(frozen=True)
class ReadScores:
    """What a reader found in a file.

    Parameters
    ----------
    columns
        Column name -> one text per row, None for no value; all of the same length.
    data
        Keys of `[data]` that follow from the file, such as ``systems``, ``human``, ``layout``, ``scale``.
        The user's settings win, except ``score``, which the reader has used, and ``layout``.
    notes
        Sentences about how columns were used.
    used
        Other keys that the reader has used.
    """

    columns: Mapping[str, Sequence[str | None]]
    data: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    used: tuple[str, ...] = ()


@runtime_checkable
class FileReader(Protocol):
    """Reader of one kind of file."""

    title: str  # what it reads, in a few words

    def recognises(self, path: Path) -> bool:
        """Return whether a file is of this kind, quickly and without raising an error."""

    def read(self, path: Path, data: DataSettings) -> ReadScores:
        """Return the columns of a file, given the user's settings `data`.

        Raises
        ------
        InputError
            If the file is invalid, or it is unclear which scores to use.
        """


def installed() -> dict[str, EntryPoint]:
    """Return every installed reader by name; raise if two packages provide readers with the same name.

    >>> sorted(installed())[:3]
    ['deepeval', 'inspect', 'langfuse']
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        if (other := found.setdefault(entry.name, entry)).value != entry.value:
            both = f"{provider_of(other)} and {provider_of(entry)}"
            raise SettingsError(f"two packages provide a reader named '{entry.name}': {both}; uninstall one of them.")
    return found


def provider_of(entry: EntryPoint) -> str:
    """Return the distribution that provides a reader, with its version."""
    return distribution_of(entry) or entry.module


def recognised(path: Path, wanted: str | None = None) -> str:
    """Return the name of a file's reader: the `wanted` one, otherwise the only one that recognizes it, or ""."""
    readers = installed()
    if wanted is not None:
        if wanted not in readers:
            is_page = set(wanted.split(",")) <= set(get_args(Format))
            hint = f"; did you mean --formats {wanted}?" if is_page else did_you_mean(wanted, readers)
            raise SettingsError(f"--format {wanted}: unknown reader{hint}")
        return wanted
    if not path.is_file():
        return ""
    names = [name for name in sorted(readers) if reader_for(name).recognises(path)]
    if len(names) > 1:
        text = f"more than one reader recognizes this file: {', '.join(names)}"
        raise InputError(f"{text}; choose one, such as --format {names[0]}.")
    return names[0] if names else ""


def has_scores(path: Path, wanted: str | None = None) -> bool:
    """Return whether a file contains judge outputs or rows of JSON, and is not a configuration."""
    return bool(path.is_file() and (recognised(path, wanted) or (path.suffix.lower() == ".json" and has_rows(path))))


def reader_for(name: str) -> FileReader:
    """Return an installed reader; raise if it cannot be loaded, or is not a reader."""
    entry = installed()[name]
    try:
        reader = entry.load()()
    except Exception as error:  # noqa: BLE001 - a reader is third-party code; report any failure
        text = f"reader '{name}' of {provider_of(entry)} cannot be loaded ({type(error).__name__}: {error}); "
        raise SettingsError(f"{text}uninstall or fix that package.") from None
    if not isinstance(reader, FileReader):
        raise SettingsError(f"reader '{name}' of {provider_of(entry)} has no title, recognises and read.")
    return reader


def in_force(data: DataSettings, found: ReadScores) -> DataSettings:
    """Return the user's settings for a file, completed by its reader."""
    given = data.model_dump(exclude_unset=True)
    theirs = {
        key: value
        for key, value in found.data.items()
        if key in ("score", "layout", *found.used)
        or (given.get(key) is None and not (key in ("system", "systems") and (data.system or data.systems)))
    }
    kept = given if "score" in theirs or data.score is None else given | {"score": None}
    return DataSettings.model_validate(kept | theirs)


def table_of(found: ReadScores, path: Path, kind: str) -> TableReader:
    """Return the result of a reader of judge outputs as a table; its first row is row 1."""
    names, lengths = checked_names(list(found.columns)), {len(column) for column in found.columns.values()}
    if len(lengths) != 1:
        raise InputError(f"the reader '{kind}' gives columns of different lengths, {sorted(lengths)}; expected one.")
    table = pa.table([*map(texts_to_arrow, found.columns.values())], names)
    return TableReader(table, file_source(path, lengths.pop(), kind))
