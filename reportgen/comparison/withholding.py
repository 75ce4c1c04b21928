"""Which groups of several runs are not shown."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.evaluation.suppression import withheld_table
from reportgen.results import Table
from reportgen.runs import Run


def withheld_from(runs: Sequence[Run]) -> list[Table]:
    """Return the log of the groups that any of the runs withholds; a group is then withheld from all of them."""
    groups = {(grouping, level) for run in runs for grouping in run.groups for level in run.withheld(grouping)}
    table = withheld_table(groups, (), max(run.min_n for run in runs))
    return [table] if table is not None else []
