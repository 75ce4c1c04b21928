"""Read and write engine cards, which contain facts that only people know, such as intended use."""

import json
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from reportgen.errors import SettingsError, did_you_mean
from reportgen.results import Report
from reportgen.settings import parse
from reportgen.wording.vocabulary import Vocabulary, short_name

NOT_SUPPLIED = "not supplied"  # shown for fields that the card does not fill in

LONGEST = 20_000  # most characters of one field; a longer text belongs in a separate document, linked by its address


class Field(NamedTuple):
    """One field of the card."""

    key: str  # ``table.key`` in the file
    label: str  # label in the report
    asks: str  # instruction for the author, shown as a comment in the starter file


_CARD = tomllib.loads((Path(__file__).parent / "card.toml").read_text(encoding="utf-8"))

FIELDS = tuple(Field(f"{table}.{key}", **told) for table, part in _CARD.items() for key, told in part["fields"].items())
"""All fields of the card, in the order of the report."""

HEADINGS: Mapping[str, str] = {table: part["heading"] for table, part in _CARD.items()}
"""Heading of each table in the file."""

SIGNATORIES = "review.signatories"  # the roles that sign; a list

Card = Mapping[str, str]  # text of each field by key; empty fields are absent


def read_card(path: Path) -> tuple[Card, tuple[str, ...]]:
    """Read a card and its signatory roles."""
    return checked(parse(path, "card"), str(path))


def checked(content: Mapping[str, Any], where: str) -> tuple[Card, tuple[str, ...]]:
    """Check the content of a card; the arguments are its tables and a name for messages.

    >>> checked({"engine": {"name": "Scorer"}, "use": {"users": ["teachers", "schools"]}}, "card.toml")
    ({'engine.name': 'Scorer', 'use.users': 'teachers; schools'}, ())
    """
    known = {field.key for field in FIELDS} | {SIGNATORIES}
    card: dict[str, str] = {}
    signatories: tuple[str, ...] = ()
    for table, fields in content.items():
        if not isinstance(fields, Mapping):
            raise SettingsError(f"{where}: '{table}' is outside a table; move it to [engine], [use], or another one.")
        for name, value in fields.items():
            key = f"{table}.{name}"
            if key not in known:
                raise SettingsError(f"{where}: '{key}' is not a field of a card{did_you_mean(key, known)}")
            texts = tuple(_text(each, where, key) for each in (value if isinstance(value, list) else [value]))
            if key == SIGNATORIES:
                signatories = texts
            elif text := "; ".join(texts):
                card[key] = text
    return card, signatories


def _text(value: object, where: str, key: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float | date):
        raise SettingsError(f"{where}: {key}: expected text, found {type(value).__name__}.")
    text = " ".join(str(value).split())
    if len(text) > LONGEST:
        raise SettingsError(f"{where}: {key}: {len(text):,} characters, more than {LONGEST:,}; refer to a document.")
    return text


def starter() -> str:
    """Write a commented card to fill in."""
    return Vocabulary().write("gates/card.toml.j2", card=_CARD) + "\n"


HEADLINES = ("system.qwk", "system.r", "system.rmse", "system.smd", "system.exact_agreement", "true_score.prmse")
"""Estimates in the metadata block."""


def model_card(report: Report, card: Card) -> str:
    """Write a model card; card texts and data names are quoted or escaped."""
    words, every = Vocabulary(), ((key, short_name(key), report.evaluation.estimate(key)) for key in HEADLINES)
    words.environment.filters.update(json=json.dumps, plain=_plain, exact=repr)
    return words.write(
        "gates/model_card.md.j2", report=report, card=card, parts=_CARD, name=card.get("engine.name", NOT_SUPPLIED),
        missing=NOT_SUPPLIED, found=[each for each in every if each[-1]],
    )  # fmt: skip


def _plain(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()#+-!<>|~&" else letter for letter in text)
