"""JSON as anyone may write it, read or refused in one way."""

from __future__ import annotations

import json
import re
from typing import Any

MEMORY_OF_BYTE = 10
"""Bytes of memory that a byte of JSON takes once it is read: 2 of long texts, 10 of small objects and numbers."""

_HALF = re.compile(r"\\u[dD][89abABcdefCDEF]")
"""An escape of half a character, which may lack the other half."""


def json_of(text: str | bytes) -> Any:
    r"""Return the value of a JSON text; half of a character in it becomes a question mark.

    Raises
    ------
    ValueError
        It is no JSON, no UTF-8, or nested too deeply.

    Examples
    --------
    >>> json_of('{"a": "\\ud83d"}'), json_of('"\\ud83d\\ude00"') == chr(0x1F600)
    ({'a': '?'}, True)
    """
    try:
        whole = text if isinstance(text, str) else text.decode("utf-8-sig")
        found = json.loads(whole)
        if _HALF.search(whole):
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("not UTF-8 text") from None
    return found


def json_kind(value: Any) -> str:
    """Return what a value of JSON is, without its contents.

    Examples
    --------
    >>> [json_kind(value) for value in ({}, [], "a", 1.5, True, None)]
    ['an object', 'a list', 'text', 'a number', 'true or false', 'null']
    """
    kinds = ((dict, "an object"), (list, "a list"), (str, "text"), (bool, "true or false"), ((int, float), "a number"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "null")
