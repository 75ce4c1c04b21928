"""Build the review packet: a report, preceded by what a deployment review needs besides statistics, item by item.

Everything comes from a saved report, a card, and optionally an earlier report.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any, Literal

from reportgen.governance.card import FIELDS, HEADINGS, NOT_SUPPLIED, Card
from reportgen.metrics.catalogue import holds_across_raters
from reportgen.results import Column, Estimate, Evaluation, Kind, Report, Row, Table, Term
from reportgen.wording.numbers import with_interval
from reportgen.wording.vocabulary import english, short_name

CHANGES = "packet_changes"  # the section about an earlier report

DEFAULT_SIGNATORIES = ("", "", "")  # blank signature lines if the card names no roles


@dataclass(frozen=True)
class Material:
    """The inputs of a packet, including the engine's card and the roles that sign."""

    report: Report  # the saved report
    card: Card
    signatories: tuple[str, ...]
    files: tuple[tuple[str, str], ...]  # (name, SHA-256) of the files of the report
    previous: Report | None = None  # an earlier report, or None
    sections: tuple[str, ...] = ()  # the names of the packet's own sections

    @property
    def parts(self) -> set[str]:
        """Names of the sections in the packet: its own, and the report's."""
        own = {name for name in self.sections if name != CHANGES or self.previous is not None}
        return own | {section.name for section in self.report.sections if not section.error}


def evaluation_of(material: Material) -> Evaluation:
    """Add the tables and facts of the packet to the evaluation."""
    evaluation = material.report.evaluation
    tables = list(_tables(material))
    if material.previous is not None:
        tables += change_tables(material.previous.evaluation, evaluation)
    found = answers(evaluation, material.card, {table.key: table for table in tables}, material.parts)
    every = {**evaluation.tables, **{table.key: table for table in (*tables, *cross_reference(found))}}
    return replace(evaluation, tables=every, facts={**evaluation.facts, "packet": _facts(material, found)})


def _facts(material: Material, found: tuple[Answer, ...]) -> dict[str, Any]:
    """Return the facts that the packet's sections use in sentences."""
    previous = material.previous
    return {
        "card": dict(material.card),
        "fields": len(FIELDS),
        "missing": [field.label for field in FIELDS if field.key not in material.card],
        "items": len(found),
        "incomplete": sum(not answer.complete for answer in found),
        "person": sum(answer.complete and PERSON in answer.by for answer in found),
        "answered": sum(answer.complete and PERSON not in answer.by for answer in found),
        "numbers": _places(material.report.evaluation, found),
        "previous": previous and {
            "title": previous.title, "created": previous.created,
            "paired": previous.evaluation.source.sha256 == material.report.evaluation.source.sha256,
        },
    }  # fmt: skip


def _places(evaluation: Evaluation, found: tuple[Answer, ...]) -> list[list[str]]:
    """Return (key, name, key of the table that shows it) of every number that answers an item."""
    places: dict[str, str] = {}
    for answer in found:
        shown = [name for wanted in answer.item.tables for name in evaluation.tables if name.startswith(wanted)]
        for key in answer.item.estimates:
            estimate = evaluation.estimate(key)
            holding = (name for name in shown for row in evaluation.tables[name].rows if estimate in row.cells)
            if estimate is not None and (first := next(holding, None)):
                places.setdefault(key, first)
    return [[key, short_name(key), table] for key, table in places.items()]


def _tables(material: Material) -> Iterator[Table]:
    """Yield the tables: card, fields, identification of data, settings, and programs, and signature lines."""
    evaluation = material.report.evaluation
    fields = (
        Row((HEADINGS[field.key.split(".")[0]], field.label, material.card.get(field.key, NOT_SUPPLIED)))
        for field in FIELDS
    )
    columns = (Column("part", "Part"), Column("field", "Field"), Column("text", "What is supplied"))
    yield Table("packet.card", "Card of the engine, as supplied", columns, tuple(fields), max_rows=200)
    source, told = evaluation.source, evaluation.provenance
    lines = (
        ("Data", source.name), ("Data, SHA-256", source.sha256), ("Data, rows", f"{source.rows:,}"),
        *((f"{name}, SHA-256", digest) for name, digest in material.files),
        ("Evaluated on", material.report.created), ("Seed", str(told.get("seed", NOT_SUPPLIED))),
        ("Command", str(told.get("command") or NOT_SUPPLIED)),
        *((f"Version of {name}", str(value)) for name, value in told.get("versions", {}).items()),
    )  # fmt: skip
    yield _table("packet.reproducibility", ("what", "value"), map(Row, lines), max_rows=200)
    signed = (Row((role, "", "", Term("sign_here"), "")) for role in material.signatories or DEFAULT_SIGNATORIES)
    yield _table("packet.signatures", ("role", "name", "date", "decision", "signature"), signed)


def _table(key: str, columns: Iterable[str], rows: Iterable[Row], max_rows: int = 25) -> Table:
    return Table(key, "", tuple(map(Column, columns)), tuple(rows), max_rows=max_rows)


SAME_DATA = Term("packet.same_data")
HEADLINES = frozenset({"system", "human", "degradation", "true_score", "disattenuated", "largest_group_difference"})
"""Families of the statistics to compare; those in criteria are always compared."""

OTHER_RATINGS = Term("packet.other_ratings")
NO_ERROR = Term("packet.no_error")
UNCHANGED = Term("packet.unchanged")

OF_HUMANS = ("human", "raters", "reliability")  # families of the statistics that do not depend on an engine

TRUE_SCORES = ("true_score.true_variance", "true_score.error_variance", "true_score.human_reliability")
"""Other statistics that do not depend on an engine."""


def change_tables(old: Evaluation, new: Evaluation) -> list[Table]:
    """Return the headline statistics of both reports with their change, and the criteria whose outcome changed."""
    paired = old.source.sha256 == new.source.sha256
    # based on rating digests; if a report has none (few responses, or counted ones), on the file
    digests = [each.facts.get("ratings_sha256") for each in (old, new)]
    same_ratings = digests[0] == digests[1] if all(digests) else paired
    rows = []
    judged = {id(check.estimate) for check in new.checks}
    for key in dict.fromkeys((*new.estimates, *old.estimates)):
        if key.split(".")[0] not in HEADLINES and id(new.estimates.get(key)) not in judged:
            continue
        before, after = old.estimates.get(key), new.estimates.get(key)
        change = difference(before, after, paired=paired)
        if change is not None:
            bare = Estimate(change.metric, None, change.n, kind=change.kind, level=change.level)
            if not (same_ratings or holds_across_raters(key)):
                change = replace(bare, reason=OTHER_RATINGS)
            elif not paired and _same_humans(key, before, after):
                change = replace(bare, value=0.0, interval_reason=UNCHANGED)
        rows.append(Row((Term(key), before, after, change)))
    kinds = (Column("old", kind="coefficient"), Column("new", kind="coefficient"), Column("change", kind="difference"))
    return [Table("packet.changes", "", (Column("number"), *kinds), tuple(rows), max_rows=200), _outcomes(old, new)]


def _same_humans(key: str, old: Estimate | None, new: Estimate | None) -> bool:
    of_humans = key.split(".")[0] in OF_HUMANS or key in TRUE_SCORES
    if not of_humans or old is None or new is None or old.value is None or new.value is None:
        return False
    return old.n == new.n and math.isclose(old.value, new.value, rel_tol=1e-12, abs_tol=1e-15)


def difference(old: Estimate | None, new: Estimate | None, *, paired: bool) -> Estimate | None:
    """Return new minus old, with a normal interval if the two use different responses.

    >>> before, after = (Estimate("r", v, 100, standard_error=0.03) for v in (0.70, 0.75))
    >>> change = difference(before, after, paired=False)
    >>> round(change.value, 3), round(change.low, 3), round(change.high, 3)
    (0.05, -0.033, 0.133)
    """
    if old is None or new is None or old.value is None or new.value is None:
        return None
    kind: Kind = new.kind if new.kind in ("percent", "score", "number") else "difference"
    bare = Estimate(new.metric, new.value - old.value, min(old.n, new.n), kind=kind, level=new.level)
    if paired or old.standard_error is None or new.standard_error is None:
        return replace(bare, interval_reason=SAME_DATA if paired else NO_ERROR)
    error = math.hypot(old.standard_error, new.standard_error)
    half = NormalDist().inv_cdf(0.5 + new.level / 2) * error
    low, high = bare.value - half, bare.value + half  # type: ignore[operator]
    return replace(bare, low=low, high=high, standard_error=error, method="root of the summed squared standard errors")


def _outcomes(old: Evaluation, new: Evaluation) -> Table:
    """Return the criteria whose outcome changed, or that only one report has."""
    before = {(check.label, check.group): check for check in old.checks}
    after = {(check.label, check.group): check for check in new.checks}
    rows = []
    for place in dict.fromkeys((*after, *before)):
        outcomes = [found[place].outcome if place in found else "absent" for found in (before, after)]
        if outcomes[0] != outcomes[1]:
            items = [Term(f"outcome.{outcome}") for outcome in outcomes]
            rows.append(Row((*place, *items), "flagged" if outcomes[1] == "not met" else ""))
    return _table("packet.outcomes", ("criterion", "group", "old", "new"), rows, max_rows=200)


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
