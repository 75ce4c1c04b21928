"""Names of folders for what users call their systems and items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_OF_DEVICES = ("con", "aux", "nul", "prn", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)))
"""Names that Windows keeps for devices, also with an ending."""


def folder_names(names: Sequence[str], kind: str, reserved: Iterable[str] = ()) -> list[str]:
    """Return a folder's name for each name: plain letters, no two alike, none that is `reserved`.

    Parameters
    ----------
    names
        In order; of two that look alike the second gets a number.
    kind
        What they name, in one word, for names without a plain letter.
    reserved
        Names that the report needs itself.

    Examples
    --------
    >>> folder_names(["gpt-4o", "GPT 4o", "a/b", "tables", "é"], "system", ["tables"])
    ['gpt-4o', 'GPT-4o-2', 'a-b', 'system-tables', 'system']
    >>> folder_names(["con", "aux.txt", "contrast"], "item")
    ['item-con', 'item-aux.txt', 'contrast']
    """
    found: list[str] = []
    taken: set[str] = set()
    given = set(names)
    kept = {name.casefold() for name in reserved}
    next_number: dict[str, int] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name)[:60].strip("-.") or kind
        plain = re.sub(r"\.(previous)$", r"-\1", plain, flags=re.IGNORECASE)  # the earlier report's, for a moment
        if plain.casefold() in kept or plain.casefold().partition(".")[0] in _OF_DEVICES:
            plain = f"{kind}-{plain}"
        unique = plain
        while unique.casefold() in taken or (unique != plain and unique in given):
            number = next_number.get(plain.casefold(), 2)
            unique, next_number[plain.casefold()] = f"{plain}-{number}", number + 1
        taken.add(unique.casefold())
        found.append(unique)
    return found
