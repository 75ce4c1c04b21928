"""Match the requirements of review frameworks to the sections, numbers, fields, and people that answer them."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from reportgen.governance.card import FIELDS, NOT_SUPPLIED, Card
from reportgen.results import Column, Evaluation, Row, Table
from reportgen.wording.numbers import with_interval
from reportgen.wording.vocabulary import english, short_name

Seen = Literal["reproduction", "summary", "notes"]
"""How the number of an item was checked: in a public reproduction of the text, in a summary by others, or not."""

_TOLD = tomllib.loads(Path(__file__).with_name("requirements.toml").read_text(encoding="utf-8"))
STARS: dict[Seen, str] = {"reproduction": "", "summary": "*", "notes": "**"}  # mark after the number of an item
SEEN_NOTES: dict[Seen, str] = _TOLD["seen"]  # table notes about the numbers of items

GROUPS = ("largest_group_difference",)  # estimates that exclude hidden groups


@dataclass(frozen=True)
class Item:
    """One requirement.

    framework, number: The framework, and the number of the item in it.
    estimates, tables: Keys of the statistics to repeat, and of the tables that contain them.
    """

    framework: str
    number: str
    asks: str  # the requirement
    parts: tuple[str, ...] = ()  # sections of a report or packet that answer it
    estimates: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()  # fields of the card that answer it
    person: str = ""  # additional task of a person
    seen: Seen = "notes"  # how its number was checked

    @property
    def starred(self) -> str:
        """Number of the item, with a mark for how it was checked."""
        return self.number + STARS[self.seen]

    @property
    def unanswered(self) -> bool:
        """Whether nothing answers it: no section, number, table, field, or person."""
        return not (self.parts or self.estimates or self.tables or self.fields or self.person)


@cache
def items() -> tuple[Item, ...]:
    """Return all items, framework by framework.

    >>> next(item.asks for item in items() if item.number == "MEASURE 2.11")
    'fairness and bias'
    """
    return tuple(_item(framework["name"], each) for framework in _TOLD["framework"] for each in framework["items"])


def _item(framework: str, told: dict[str, Any]) -> Item:
    content: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in told.items()}
    return Item(framework, **content)


AUTOMATIC, PARTLY, FROM_CARD, PERSON, NOTHING = "automatic", "partly automatic", "card", "person", "nothing"

MOST_NAMES = 5  # most sections or tables that a cell names


@dataclass(frozen=True)
class Answer:
    """The answer to an item.

    by: One or more of "automatic", "partly automatic", "card", "person"; "not supplied" if something is missing;
        "nothing" if a packet cannot answer it.
    """

    item: Item
    text: str  # description with values
    by: tuple[str, ...]
    complete: bool  # whether something answers it, and no number or field of the card is missing


def answers(
    evaluation: Evaluation, card: Card, tables: Mapping[str, Table], parts: Collection[str]
) -> tuple[Answer, ...]:
    """Return the answers to all items; `tables` and `parts` are the packet's tables and sections."""
    everything = {**evaluation.tables, **tables}
    return tuple(_answer(item, evaluation, card, everything, parts) for item in items())


def cross_reference(found: tuple[Answer, ...]) -> list[Table]:
    """Return one table for each framework."""
    columns = (
        Column("item", "Item"), Column("asks", "Requirement"), Column("answer", "Answer"), Column("by", "Answered by"),
    )  # fmt: skip
    tables = []
    for number, framework in enumerate(dict.fromkeys(answer.item.framework for answer in found), start=1):
        of_it = [answer for answer in found if answer.item.framework == framework]
        rows = [Row((answer.item.starred, answer.item.asks, answer.text, " + ".join(answer.by))) for answer in of_it]
        notes = tuple(note for seen, note in SEEN_NOTES.items() if any(answer.item.seen == seen for answer in of_it))
        caption = f"{framework}: answers in this packet"
        tables.append(Table(f"packet.items.{number}", caption, columns, tuple(rows), notes, max_rows=100))
    return tables


def _answer(
    item: Item, evaluation: Evaluation, card: Card, tables: Mapping[str, Table], parts: Collection[str]
) -> Answer:
    if item.unanswered:
        return Answer(item, "nothing in a packet answers it", (NOTHING,), complete=False)
    texts, missing = _from_data(item, evaluation, tables, parts)
    by, hidden = [], _withheld(evaluation) if set(item.estimates) & set(GROUPS) else ""
    if texts:
        by.append(PARTLY if hidden else AUTOMATIC)
        texts += [hidden] if hidden else []
    texts += [f"not in this report: {english().section(part)}" for part in item.parts if part not in parts]
    labels = {field.key: field.label for field in FIELDS}
    texts += [f"{labels[key]}: {_short(card.get(key, NOT_SUPPLIED))}" for key in item.fields]
    missing += [key for key in item.fields if key not in card]
    if any(key in card for key in item.fields):
        by.append(FROM_CARD)
    if item.person:
        texts.append(f"a person must {item.person}")
        by.append(PERSON)
    texts += [each for each in missing if each not in item.fields and each]
    if missing:
        by.append(NOT_SUPPLIED)
    return Answer(item, "; ".join(text.rstrip(".") for text in texts), tuple(by), not missing and not hidden)


def _from_data(
    item: Item, evaluation: Evaluation, tables: Mapping[str, Table], parts: Collection[str]
) -> tuple[list[str], list[str]]:
    """Return the sections and tables that answer it, and why expected ones are missing."""
    texts = [
        f"{short_name(key)} {with_interval(estimate)} (n {estimate.n:,})"
        for key in item.estimates
        if (estimate := evaluation.estimate(key))
    ]
    captions = [
        english().table(table).caption
        for key in item.tables
        for name, table in tables.items()
        if f"{name}.".startswith(f"{key}.")
    ]
    entries = [english().section(part) for part in item.parts if part in parts]
    found = ["; ".join(texts), _counted("part", entries), _counted("table", [] if item.parts else captions)]
    if any(found) or not (item.parts or item.estimates or item.tables):
        return [text for text in found if text], []
    found_none = (evaluation.estimates[key].reason for key in item.estimates if key in evaluation.estimates)
    if undefined := next(filter(None, found_none), ""):
        return [], [f"not in the data: {undefined}"]
    return [], ["" if item.parts else "not in the data"]


def _counted(what: str, names: Sequence[str]) -> str:
    there = [name for name in names if name]
    more = " ..." if there[MOST_NAMES:] else ""
    return f"{what}{'s' if len(there) > 1 else ''}: {'; '.join(there[:MOST_NAMES])}{more}" if there else ""


def _withheld(evaluation: Evaluation) -> str:
    groups = sum(len(levels) for levels in (evaluation.facts.get("groups_withheld") or {}).values())
    return f"unknown for {groups:,} group{'s' if groups > 1 else ''} hidden for privacy" if groups else ""


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117].rstrip() + "..."
