"""Do raters differ by group: ratings, agreement and rater error of every group that may be shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from report_sections.groups import for_page
from reportgen.sections import Evaluation, Findings, Section

SHOWN_P = 0.05
"""Groups whose rater errors differ by chance less often than this are named."""


@dataclass(frozen=True)
class RatersGroups(Section):
    """Mean ratings, agreement of raters and rater error variance by group."""

    name: ClassVar[str] = "raters_groups"
    needs: ClassVar[tuple[str, ...]] = ("raters_alone", "groups")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how raters agree in each group."""
        by = "qwk" if evaluation.scale.ordered else "kappa"
        found = (evaluation.tables.get(f"raters.by.{column}") for column in evaluation.groups)
        tested = evaluation.facts.get("groups_differ_p") or {}
        return Findings(
            values={
                "ordered": evaluation.scale.ordered,
                "withheld": not evaluation.groups,
                "tested": list(tested),
                "differ": [column for column, p in tested.items() if float(p) < SHOWN_P],
            },
            tables=tuple(for_page(table, by) for table in found if table is not None),
        )
