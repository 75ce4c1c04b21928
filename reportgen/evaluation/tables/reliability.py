"""Reliability of the ratings as tables: intraclass correlations, variance components, what more ratings buy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.evaluation.human_raters import HumanRaters
from reportgen.evaluation.reliability import ICC_KEYS, METHOD_F, ONE_WAY, CrossedDesign
from reportgen.evaluation.tables.build import count_column, table
from reportgen.results import Column, Estimate, Row, Table
from reportgen.results.term import Term


def reliability_tables(found: HumanRaters) -> list[Table]:
    """Return the tables on reliability."""
    return [_intraclass(found), *(crossed_tables(found.crossed) if found.crossed is not None else ())]


def _intraclass(found: HumanRaters) -> Table:
    two_way = any(key in found.intraclass for key in ICC_KEYS.values() if key not in ONE_WAY)
    by_f = intraclass_notes(found.intraclass) or (Term("icc_by_influence"),)
    more = (
        Term("icc_of_columns") if not two_way else Term("icc_columns_are_a_sample") if by_f[0] == "icc_by_f" else None
    )
    return intraclass_table(found.intraclass, (*by_f, *((more,) if more is not None else ())))


def intraclass_table(found: Mapping[str, Estimate], notes: Sequence[str]) -> Table:
    """Return the intraclass correlations (McGraw and Wong 1996), and what each is the reliability of."""
    shown = [key for key in ICC_KEYS.values() if key in found]
    rows = [Row((Term(f"reliability.{key}"), Term(f"meaning.{key}"), found[key].n, found[key])) for key in shown]
    columns = (Column("icc"), Column("meaning"), count_column(), Column("value", kind="coefficient"))
    return table("reliability.icc", "", columns, rows, notes)


def intraclass_notes(found: Mapping[str, Estimate]) -> tuple[Term, ...]:
    """Return how the intervals of intraclass correlations are made, where the F distribution makes them."""
    return (Term("icc_by_f"),) if any(each.method == METHOD_F for each in found.values()) else ()


def crossed_tables(found: CrossedDesign) -> tuple[Table, Table]:
    """Return the variance components, and what more ratings buy."""
    total = sum(max(each.value or 0.0, 0.0) for each in (found.person, found.rater, found.residual))
    rows = [
        Row((label, each, 100 * max(each.value or 0.0, 0.0) / total if total else None))
        for label, each in (
            (Term("source_responses"), found.person),
            (Term("source_raters" if found.named else "source_columns"), found.rater),
            (Term("source_rest"), found.residual),
        )
    ]
    columns = (Column("source"), Column("variance", kind="number"), Column("share", kind="percent", unit="%"))
    notes = (
        Term("components_rest_on", n=found.n, raters=found.n_raters, ratings=found.n_ratings, named=found.named),
        Term("components_method"),
        Term("raters_are_persons" if found.named else "raters_are_columns"),
    )
    components = table("reliability.components", "", columns, rows, notes)
    gains = (None, *found.gain)
    more = [
        Row((k, found.coefficient[k - 1], gains[k - 1], found.dependability[k - 1], found.error[k - 1]))
        for k in range(1, len(found.coefficient) + 1)
    ]
    more_columns = (
        Column("k", kind="count"),
        Column("generalizability", kind="coefficient"),
        Column("gain", kind="difference"),
        Column("dependability", kind="coefficient"),
        Column("rating_error", kind="score"),
    )
    whose = Term("phi_of_raters", sampled=found.sampled)
    return components, table("reliability.more_ratings", "", more_columns, more, (whose,))
