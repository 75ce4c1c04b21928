"""Find the files of a source: a single file, a list, a pattern, or a partitioned folder."""

import glob
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from reportgen.errors import InputError
from reportgen.wording.names import natural

MANY_ROWS = 1_000_000  # rows of Parquet files; a report on as many in memory needs about 600 MB

_ENDINGS = "csv tsv txt tab dat xls xlsx jsonl jsonlines ndjson json parquet sas7bdat xpt dta sav zsav feather arrow"
SUFFIXES = tuple(f".{ending}" for ending in [*_ENDINGS.split(), "gz", "zip"])
"""Extensions of score files."""

DATASET = ".parquet"  # the format read from a folder; files of other formats need a name or a pattern

_NULL = "__HIVE_DEFAULT_PARTITION__"  # the name of a folder with a missing value in partitioned datasets


@dataclass(frozen=True)
class Part:
    """One of multiple files.

    path, name: Its path, and its name for messages: the path within the source.
    columns: Values for all its rows from folder names such as ``grade=6``; None for a missing value.
    """

    path: Path
    name: str
    columns: Mapping[str, str | None] = field(default_factory=dict)


def paths_of(source: Any) -> Path | tuple[Path, ...] | None:
    """Return the path or paths of a source; None for a frame.

    >>> paths_of("a.csv"), paths_of(["a.csv", Path("b.csv")]), paths_of({"human": [1]})
    (PosixPath('a.csv'), (PosixPath('a.csv'), PosixPath('b.csv')), None)
    """
    if isinstance(source, str | Path):
        return Path(source)
    if isinstance(source, list | tuple) and source and all(isinstance(path, str | Path) for path in source):
        return tuple(Path(path) for path in source)
    return None


def called(source: Path | tuple[Path, ...]) -> str:
    """Return the name of a source of files for messages.

    >>> called(Path("scores/part-*.csv")), called((Path("a.csv"), Path("b.csv")))
    ('scores/part-*.csv', '2 files')
    """
    return str(source) if isinstance(source, Path) else f"{len(source)} files"


def parts_of(source: Path | tuple[Path, ...]) -> tuple[str, tuple[Part, ...]] | None:
    """Return the name of a source of multiple files, and the files in natural order; None for one file."""
    try:
        if isinstance(source, tuple):
            return called(source), _parts(source)
        if source.is_dir():
            if files := sorted(_walk(source, set()), key=_in_order):
                return source.resolve().name, _parts(files, source)
            text = f"this folder does not contain {DATASET} files"
            raise InputError(f"{text}; for other score files, use '{source}/*.csv'.")
        if glob.has_magic(str(source)) and not source.exists():
            if files := sorted(_matching(source), key=_in_order):
                return source.name, _parts(files)
            raise InputError("no file matches this pattern; check the path.")
    except (OSError, ValueError) as error:
        raise InputError(f"the files cannot be listed: {getattr(error, 'strerror', None) or error}.") from None
    return None


def files_of(source: Path | tuple[Path, ...]) -> list[Path]:
    """Return every file of a source; errors as for `parts_of`."""
    several = parts_of(source)
    return [part.path for part in several[1]] if several else [Path(str(source))]


def sha256_of(source: Path | tuple[Path, ...], labels: Path | None = None) -> str:
    """Return the SHA-256 of a source and the joined file of `labels`, as in `Source`."""
    if labels is None and parts_of(source) is None:
        return sha256_of_file(Path(str(source)))
    return sha256_of_files(sha256_of_file(path) for path in (*files_of(source), *filter(None, (labels,))))


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of the bytes of a file; pipes, which would block, are rejected."""
    if path.exists() and not path.is_file():
        raise IsADirectoryError(21, "not an ordinary file", str(path))
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_files(digests: Iterable[str]) -> str:
    r"""Return the SHA-256 of the list of the files' digests, one per line.

    ``sha256sum FILES | cut -c 1-64 | sha256sum`` gives the same.

    >>> sha256_of_files(["ab", "cd"]) == hashlib.sha256(b"ab\ncd\n").hexdigest()
    True
    """
    return hashlib.sha256("".join(f"{digest}\n" for digest in digests).encode()).hexdigest()


def _matching(pattern: Path) -> list[Path]:
    """Return the files that match a pattern, and folders named like score files if no matching file can be read."""
    found = [Path(path) for path in glob.glob(str(pattern), recursive=True)]  # noqa: PTH207 - Path.glob takes no absolute one
    folders = {path for path in found if path.is_dir()}
    inside = {parent for path in found if path not in folders for parent in path.parents}
    return [path for path in found if path not in folders or (path.suffix.lower() in SUFFIXES and path not in inside)]


def _walk(folder: Path, seen: set[str]) -> Iterator[Path]:
    """Yield the Parquet files below a folder, except hidden files and metadata of writers."""
    seen.add(os.path.realpath(folder))
    for entry in os.scandir(folder):
        if entry.name.startswith(".") or (entry.name.startswith("_") and "=" not in entry.name):
            continue
        if entry.is_dir():
            if os.path.realpath(entry.path) not in seen:
                yield from _walk(Path(entry.path), seen)
        elif entry.name.lower().endswith(DATASET):
            yield Path(entry.path)


def _parts(paths: Iterable[Path], root: Path | None = None) -> tuple[Part, ...]:
    """Return files with names and columns relative to a folder, by default their common one; raise for duplicates."""
    root, found = root or _common(paths), dict[str, Part]()
    for path in paths:
        inside = path.relative_to(root) if path.is_relative_to(root) else Path(path.name)
        pairs = [name.partition("=") for name in inside.parent.parts]  # folder names such as ``grade=6``
        columns = {unquote(key): None if text == _NULL else unquote(text) for key, sign, text in pairs if key and sign}
        part = Part(path, inside.as_posix(), columns)
        if found.setdefault(os.path.realpath(path), part) is not part:
            raise InputError(f"'{part.name}' is listed twice; list each file once.")
    return tuple(found.values())


def _common(paths: Iterable[Path]) -> Path:
    try:
        return Path(os.path.commonpath([path.parent for path in paths]))
    except ValueError:  # two drives, or a mix of relative and absolute paths
        return Path()


def _in_order(path: Path) -> Any:
    return [natural(name) for name in path.parts]
