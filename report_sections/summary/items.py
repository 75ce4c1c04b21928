"""Items on which the engine agrees with raters clearly less than the policy asks of all responses together."""

from __future__ import annotations

from report_sections.lookup import least_size, number, overall_check, records
from report_sections.words import bounds, first_few, name, stated
from reportgen.results import Estimate, Evaluation, Highlight
from reportgen.wording.numbers import many

MOST_ITEMS = 4
"""Items named on the first page; the table by item has all."""


def low_items(evaluation: Evaluation) -> tuple[Highlight, ...]:
    """Name the items whose whole interval of QWK lies below the bound on all responses, worst first."""
    item, check = str(evaluation.facts.get("item") or ""), overall_check(evaluation, "system.qwk")
    table = evaluation.tables.get(f"by_group.{item}")
    if item not in evaluation.groups or table is None or check is None or check.low is None:
        return ()
    low = sorted(_below(evaluation, item, check.low), key=lambda pair: pair[1].value or 0.0)
    if not low:
        return ()
    said = first_few([f"{name(label, 30)} ({stated(found, check.low)})" for label, found in low], MOST_ITEMS)
    lie = "lies" if len(low) == 1 else "lie"
    text = (
        f"By themselves {many(len(low), 'item')} {lie} outside the bound on QWK of all responses ({bounds(check)}) "
        f"with the whole interval: {said}."
    )
    return (Highlight(text, table.key),)


def _below(evaluation: Evaluation, item: str, bound: float) -> list[tuple[object, Estimate]]:
    """Return the items, large enough to be judged, whose QWK is below a bound with the whole interval."""
    found: list[tuple[object, Estimate]] = []
    for row in records(evaluation.tables[f"by_group.{item}"])[1:]:  # the first is of all data
        qwk, n = row["qwk"], number(row["n"])
        if isinstance(qwk, Estimate) and qwk.high is not None and qwk.high < bound:
            found += [(row["level"], qwk)] if n is not None and n >= least_size(evaluation, item) else []
    return found
