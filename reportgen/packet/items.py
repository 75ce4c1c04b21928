"""Which requirement asks for what: items of four frameworks, and what of a report answers each.

They stand in requirements.toml beside this module, told in our own words.  `Item.seen` says how the number of each was
checked.  The official editions were not at hand.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

Seen = Literal["reproduction", "summary", "notes"]
"""How the number of an item was checked: in a public reproduction of the text, in a summary by others, or not."""

STARS: dict[Seen, str] = {"reproduction": "", "summary": "*", "notes": "**"}
"""What stands after the number of an item."""

SEEN_NOTES: dict[Seen, str] = {
    "reproduction": "Numbers without a star were seen in public reproductions of the text, not in the official "
    "edition.",
    "summary": "* The number was seen in summaries by others only.",
    "notes": "** The number, or its threshold, could not be checked against the text: hold it against the original "
    "before you quote it.",
}
"""What a table says about the numbers of its items."""

GROUPS = ("largest_group_difference",)
"""Estimates that leave out groups that are withheld."""


@dataclass(frozen=True)
class Item:
    """One requirement.

    Parameters
    ----------
    framework, number
        Where it stands.
    asks
        What it asks for.
    parts
        Sections of a report or packet that answer it.
    estimates, tables
        Keys of the numbers that are repeated beside them, and of the tables that hold these.
    fields
        Fields of the card that answer it.
    person
        What a person has to do besides.
    seen
        How its number was checked.
    """

    framework: str
    number: str
    asks: str
    parts: tuple[str, ...] = ()
    estimates: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    person: str = ""
    seen: Seen = "notes"

    @property
    def starred(self) -> str:
        """Its number, with what says how that was checked."""
        return self.number + STARS[self.seen]

    @property
    def unanswered(self) -> bool:
        """Whether nothing answers it: no part, number or table, no field, no person."""
        return not (self.parts or self.estimates or self.tables or self.fields or self.person)


@cache
def items() -> tuple[Item, ...]:
    """Return every item, framework by framework.

    Examples
    --------
    >>> next(item.asks for item in items() if item.number == "MEASURE 2.11")
    'fairness and bias'
    """
    content = tomllib.loads((Path(__file__).parent / "requirements.toml").read_text(encoding="utf-8"))
    return tuple(_item(framework["name"], each) for framework in content["framework"] for each in framework["items"])


def _item(framework: str, told: dict[str, Any]) -> Item:
    """Return an item as it is told."""
    content: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in told.items()}
    return Item(framework, **content)
