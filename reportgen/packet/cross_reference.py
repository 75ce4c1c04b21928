"""Which number, field or person answers each item of the frameworks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.packet.card import FIELDS, NOT_SUPPLIED, Card
from reportgen.packet.items import GROUPS, ITEMS, SEEN_NOTES, STARS, Item
from reportgen.results import Column, Evaluation, Row, Table
from reportgen.wording.numbers import with_interval
from reportgen.wording.vocabulary import english, short_name

AUTOMATIC, PARTLY, FROM_CARD, PERSON = "automatic", "partly automatic", "card", "person"


@dataclass(frozen=True)
class Answer:
    """What answers an item.

    Parameters
    ----------
    text
        In words, with values.
    by
        Any of "automatic", "partly automatic", "card", "person"; "not supplied" where something is missing.
    complete
        Whether no number and no field of the card is missing.
    """

    item: Item
    text: str
    by: tuple[str, ...]
    complete: bool


def answers(evaluation: Evaluation, card: Card, tables: Mapping[str, Table]) -> tuple[Answer, ...]:
    """Return what answers every item; `tables` are those of the packet."""
    everything = {**evaluation.tables, **tables}
    return tuple(_answer(item, evaluation, card, everything) for item in ITEMS)


def cross_reference(found: tuple[Answer, ...]) -> list[Table]:
    """Return one table for each framework."""
    columns = (
        Column("item", "Item"), Column("asks", "Asks for"), Column("answer", "Answer"), Column("by", "Answered by"),
    )  # fmt: skip
    tables = []
    for number, framework in enumerate(dict.fromkeys(answer.item.framework for answer in found), start=1):
        of_it = [answer for answer in found if answer.item.framework == framework]
        rows = [
            Row((
                answer.item.number + STARS[answer.item.seen], answer.item.asks, answer.text,
                " + ".join(answer.by),
            ))
            for answer in of_it
        ]  # fmt: skip
        notes = tuple(note for seen, note in SEEN_NOTES.items() if any(answer.item.seen == seen for answer in of_it))
        caption = f"What of this packet answers {framework}"
        tables.append(Table(f"packet.items.{number}", caption, columns, tuple(rows), notes, max_rows=100))
    return tables


def _answer(item: Item, evaluation: Evaluation, card: Card, tables: Mapping[str, Table]) -> Answer:
    """Return what answers an item: numbers, tables, fields of the card, a person."""
    labels = {field.key: field.label for field in FIELDS}
    texts, by, missing = [], [], []
    numbers = [evaluation.estimates[key] for key in item.estimates if key in evaluation.estimates]
    said = [
        f"{short_name(key)} {with_interval(estimate)} (n {estimate.n:,})"
        for key in item.estimates
        if (estimate := evaluation.estimates.get(key)) is not None and estimate.defined
    ]
    named = [english().table(table).caption for key in item.tables for name, table in tables.items() if _is(name, key)]
    there = list(filter(None, named))
    if said:
        texts.append("; ".join(said))
    if there:
        texts.append(f"table{'s' if len(there) > 1 else ''}: {'; '.join(there[:3])}" + (" ..." if there[3:] else ""))
    hidden = _withheld(evaluation) if set(item.estimates) & set(GROUPS) else ""
    if said or there:
        by.append(PARTLY if hidden else AUTOMATIC)
        texts += [hidden] if hidden else []
    elif item.estimates or item.tables:
        undefined = [estimate.reason for estimate in numbers if estimate.reason]
        missing.append(f"not in the data{': ' + undefined[0] if undefined else ''}")
    for key in item.fields:
        texts.append(f"{labels[key]}: {_short(card[key]) if key in card else NOT_SUPPLIED}")
        if key not in card:
            missing.append(key)
    if any(key in card for key in item.fields):
        by.append(FROM_CARD)
    if item.person:
        texts.append(f"a person has to {item.person}")
        by.append(PERSON)
    texts += [each for each in missing if each not in item.fields]
    if missing:
        by.append(NOT_SUPPLIED)
    return Answer(item, "; ".join(text.rstrip(".") for text in texts), tuple(by), not missing and not hidden)


def _withheld(evaluation: Evaluation) -> str:
    """Say that numbers of groups leave some groups out; nothing when all are shown."""
    groups = sum(len(levels) for levels in (evaluation.facts.get("groups_withheld") or {}).values())
    return f"not known of {groups:,} group{'s' if groups > 1 else ''} withheld for privacy" if groups else ""


def _is(name: str, wanted: str) -> bool:
    """Return whether a table is the wanted one, or one of its family for each grouping."""
    return name == wanted or name.startswith(f"{wanted}.")


def _short(text: str) -> str:
    """Return a text that fits a cell; the card has all of it."""
    return text if len(text) <= 120 else text[:117].rstrip() + "..."
