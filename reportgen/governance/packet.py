"""Build the review packet: a report, preceded by what a deployment review needs besides statistics.

Everything comes from a saved report, a card, and optionally an earlier report.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

from reportgen.governance.card import FIELDS, HEADINGS, NOT_SUPPLIED, Card
from reportgen.governance.requirements import PERSON, Answer, answers, cross_reference
from reportgen.metrics.catalogue import holds_across_raters
from reportgen.results import Column, Estimate, Evaluation, Kind, Report, Row, Table, Term
from reportgen.wording.vocabulary import short_name

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
    tables += cross_reference(found)
    return replace(
        evaluation,
        tables={**evaluation.tables, **{table.key: table for table in tables}},
        facts={**evaluation.facts, "packet": _facts(material, found)},
    )


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
