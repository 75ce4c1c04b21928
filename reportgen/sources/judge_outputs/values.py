"""Values of JSON as the texts of columns: numbers as they stand, answers in words left in words."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from reportgen.errors import InputError
from reportgen.machine.memory import refuse_above
from reportgen.sources.json_texts import MEMORY_OF_BYTE, json_of

YES_OR_NO = {"yes": "1", "true": "1", "no": "0", "false": "0"}
"""Answers that stand for 1 and 0, in lower case."""


def parsed(path: Path) -> Any:
    """Return the content of a JSON file.

    Raises
    ------
    InputError
        It is no JSON, or more than a run may take.
    """
    refuse_above(path.stat().st_size * MEMORY_OF_BYTE, "reading it needs", "export fewer responses")
    try:
        return json_of(path.read_bytes())
    except ValueError as error:
        raise InputError(f"not a readable JSON file: {' '.join(str(error).split())[:120]}.") from None


def opening(path: Path, size: int = 1 << 16) -> str:
    """Return the first characters of a file, without what is no text; empty when it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(size).decode("utf-8-sig", "ignore")
    except OSError:
        return ""


def text_of(value: Any) -> str | None:
    """Return a JSON value as the text of a cell: true and false as 1 and 0, lists and objects as JSON.

    Examples
    --------
    >>> text_of(4), text_of(4.5), text_of(True), text_of(None), text_of(" x "), text_of([1])
    ('4', '4.5', '1', None, ' x ', '[1]')
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def score_of(value: Any) -> str | None:
    """Return what a judge put out as the text of a score: of an object, or of text that is one, its ``score``.

    Words stay as they are: they are counted as unparseable.

    Examples
    --------
    >>> score_of('{"score": 4, "reason": "clear"}'), score_of({"score": 2}), score_of(" 3 "), score_of("I can't")
    ('4', '2', '3', "I can't")
    """
    if isinstance(value, str):
        stripped = value.strip()
        if stripped.startswith("{"):
            try:
                value = json_of(stripped)
            except ValueError:
                return stripped
        else:
            return stripped or None
    if isinstance(value, dict) and "score" in value:
        return text_of(value["score"])
    return text_of(value)


def is_number(text: str | None) -> bool:
    """Return whether a text is a finite number."""
    try:
        return text is not None and math.isfinite(float(text))
    except ValueError:
        return False


def mostly_numbers(texts: Iterable[str | None]) -> bool:
    """Return whether at least half of the texts that are there are numbers, and there is one."""
    here = [is_number(text) for text in texts if text is not None and text.strip()]
    return bool(here) and 2 * sum(here) >= len(here)


def quoted(names: Iterable[str]) -> str:
    """Return names in quotes, the first ten of them."""
    listed = list(names)
    return ", ".join(f"'{name[:60]}'" for name in listed[:10]) + (", ..." if len(listed) > 10 else "")


def columns_of(rows: Sequence[dict[str, str | None]]) -> dict[str, list[str | None]]:
    """Return rows as columns, in the order in which their names appear.

    Examples
    --------
    >>> columns_of([{"a": "1"}, {"a": "2", "b": "x"}])
    {'a': ['1', '2'], 'b': [None, 'x']}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
