"""A `Report` as results.json, and back.

The file holds every number unrounded, so the pages can be made again without the scores.
JSON has no NaN: an undefined number is null, and the reason stands beside it.  Reading is strict:
the type hints of `reportgen.results` are the schema, and what does not fit them is refused with
the place in the file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from reportgen.errors import InputError, describe_failure
from reportgen.machine.memory import refuse_above
from reportgen.results import Report
from reportgen.storing import refuse_set_aside
from reportgen.storing.decoding import MisfitError, decode, encode

SCHEMA = 3
"""Version of the layout of results.json, the only one that is read."""

MEMORY_OF_BYTE = 10
"""Bytes of memory that a byte of results.json takes once it is read."""

NAME = "results.json"
"""Name of the file in the folder of a report."""


def write(report: Report, path: Path) -> None:
    """Write `report` to `path` as UTF-8 JSON, every number unrounded; `Evaluation.measure` is left out."""
    path.write_text(dumps(report), encoding="utf-8")


def dumps(report: Report) -> str:
    """Return `report` as the text of results.json; NaN and infinity become null."""
    content = {"schema": SCHEMA, "report": encode(report)}
    return json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")) + "\n"


def read(path: Path) -> Report:
    """Return the report stored in `path`."""
    refuse_set_aside(path)
    if path.is_symlink() and path.name == NAME:  # of a folder that somebody else may have made
        raise InputError(f"{path}: is a link; give the path of the results.json that it leads to.")
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise InputError(f"{path}: is no file; give the path of a results.json that reportgen wrote.")
    try:
        refuse_above(path.stat().st_size * MEMORY_OF_BYTE, f"{path}: reading it needs")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InputError(
            f"{path}: cannot be read ({reason}); give the path of a results.json that reportgen wrote."
        ) from error
    return loads(text, str(path))


def loads(text: str, name: str = "results.json") -> Report:
    """Return the report in `text`; `name` is said in errors."""
    try:
        content = json.loads(text)
        if not isinstance(content, dict) or not {"schema", "report"} <= content.keys():
            raise MisfitError("expected an object with the keys 'schema' and 'report', found something else")
        if content["schema"] != SCHEMA or isinstance(content["schema"], bool):
            raise MisfitError(f"schema: expected {SCHEMA}, found {content['schema']!r}, which another version wrote")
        report: Report = decode(content["report"], Report, "report")
    except (MisfitError, ValueError, RecursionError) as error:
        told = {MisfitError: str(error), RecursionError: "nested too deeply"}.get(
            type(error), f"not valid JSON ({describe_failure(error)})"
        )
        raise InputError(f"{name}: {told}; run `reportgen evaluate` again to write it.") from error
    return report


CLOSE = 1e-9
"""Numbers that differ by no more than this share of their size, or this much, are one number."""


class Difference(NamedTuple):
    """A place where two values differ, and what stands there in both."""

    place: str
    old: Any
    new: Any

    def __str__(self) -> str:
        """Return it in a line."""
        return f"{self.place}: {self.old!r} became {self.new!r}"


def differences(
    old: Any, new: Any, place: str = "", ignored: Callable[[Any, str], bool] = lambda _value, _place: False
) -> Iterator[Difference]:
    """Yield the places where two values of JSON differ, but for what is `ignored` by its old value and place.

    Examples
    --------
    >>> [str(each) for each in differences({"a": [1.0, 2]}, {"a": [1.0 + 1e-12, 3]})]
    ['.a[1]: 2 became 3']
    """
    if ignored(old, place):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from differences(old.get(key), new.get(key), f"{place}.{key}", ignored)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, after, f"{place}[{index}]", ignored)
    elif not _same(old, new):
        yield Difference(place, old, new)


def _same(old: Any, new: Any) -> bool:
    """Return whether two plain values are one."""
    numbers = [each for each in (old, new) if isinstance(each, int | float) and not isinstance(each, bool)]
    if len(numbers) == 2 and any(isinstance(each, float) for each in numbers):
        return math.isclose(*numbers, rel_tol=CLOSE, abs_tol=CLOSE)
    return bool(old == new)
