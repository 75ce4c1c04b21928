"""Whether the scores at hand are those that a report was made of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import InputError
from reportgen.results import Source
from reportgen.scores import sha256_of
from reportgen.verbs.verification.answers import Answer
from reportgen.verbs.verification.stored import Stored

IN_MEMORY = ("frame", "duckdb", "postgresql")
"""Formats of sources that are no files."""

UNTOLD = "the scores are not there; name them with --data"
"""Why nothing can be told of data, or of numbers."""


@dataclass(frozen=True)
class Data:
    """Files of scores, and what goes with them, as far as they are at hand."""

    files: tuple[Path, ...] = ()
    labels_file: Path | None = None
    training_file: Path | None = None

    @property
    def source(self) -> Path | tuple[Path, ...]:
        """The scores as they are read: one file, a pattern or a folder, or several files."""
        return self.files[0] if len(self.files) == 1 else self.files


@dataclass(frozen=True)
class FoundData:
    """Whether data are those of a report; the data, where numbers can be computed from them."""

    answer: Answer
    data: Data | None = None


def of_data(stored: Stored, data: Data, configured: Answer | None) -> FoundData:
    """Return whether scores are those that a report was made of.

    Where none are named, those that its configuration names are taken, if that is the one of the results and they are
    unchanged.

    Raises
    ------
    InputError
        Files that were named cannot be read.
    """
    source = stored.evaluation.source
    if not data.files:
        return _as_configured(stored, source, data, configured)
    try:
        sha256 = sha256_of(data.source, data.labels_file)
    except OSError as error:
        raise InputError(f"--data: '{error.filename or data.source}' cannot be read: {error.strerror}.") from None
    if sha256 == source.sha256:
        return FoundData(Answer(source.name, "belongs", f"its SHA-256 is the stored one, {sha256}"), data)
    if source.format in IN_MEMORY:
        why = "the report was made of a table in memory or a query, whose hash no file has"
        return FoundData(Answer(source.name, "cannot be told", why), data)
    labels = " Human labels that were joined are named with --labels-file." if _joined(stored, data) else ""
    why = f"the SHA-256 of what was named is {sha256}, and {source.sha256} is stored.{labels}".rstrip(".")
    return FoundData(Answer(source.name, "differs", why))


def _joined(stored: Stored, data: Data) -> bool:
    """Return whether a second file may be missing."""
    return data.labels_file is None and len(stored.evaluation.source.files) > len(data.files)


def _as_configured(stored: Stored, source: Source, data: Data, configured: Answer | None) -> FoundData:
    """Return the scores that the configuration of a report names, if they are there unchanged."""
    untold = FoundData(Answer(source.name, "cannot be told", UNTOLD))
    settings = stored.settings
    if settings is None or settings.data.file is None or configured is None or configured.standing != "belongs":
        return untold
    files = settings.data.file if isinstance(settings.data.file, tuple) else (settings.data.file,)
    training = data.training_file or _training(stored)
    named = Data(files, data.labels_file or settings.data.labels_file, training)
    try:
        same = sha256_of(named.source, named.labels_file) == source.sha256
    except (OSError, InputError):
        return untold
    if same:
        return FoundData(Answer(source.name, "belongs", f"its SHA-256 is the stored one, {source.sha256}"), named)
    why = f"what {stored.config} names has changed since; name the scores with --data"
    return FoundData(Answer(source.name, "cannot be told", why))


def _training(stored: Stored) -> Path | None:
    """Return the training file that the configuration names."""
    from reportgen.settings import RESCALED

    named = stored.settings.preparation.scale_with if stored.settings is not None else None
    return Path(named) if named is not None and named not in RESCALED else None
