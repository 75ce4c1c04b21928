"""What a section is, and where sections come from: the one module a section author imports.

A section is a frozen dataclass: its options are fields, its one method `findings` turns an
`Evaluation` into `Findings`.  A file ``section.md.j2`` beside it may say them in its own words;
without one the shared template shows everything.  Built-in sections, sections of installed
packages (entry-point group ``reportgen.sections``) and one-file sections given by path are equals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from reportgen.charts.spec import Axis, Bars, Cells, Chart, Dots, Line, Rule
from reportgen.results import (
    Check,
    Column,
    Estimate,
    Evaluation,
    Findings,
    Highlight,
    Row,
    Table,
)

__all__ = [
    "Axis",
    "Bars",
    "Cells",
    "Chart",
    "Check",
    "Column",
    "Dots",
    "Estimate",
    "Evaluation",
    "Findings",
    "Highlight",
    "Line",
    "Row",
    "Rule",
    "Section",
    "Table",
]

ENTRY_POINT_GROUP = "reportgen.sections"


@dataclass(frozen=True)
class Section:
    """Base of every section: subclass it as a frozen dataclass whose fields are the options.

    Class variables
    ---------------
    name
        Identifier, as in ``sections = ["agreement"]`` of the configuration.
    title
        Heading on the page.
    needs
        What the data must offer: any of ``"second_human"``, ``"groups"``, ``"item"``, ``"candidate"``.
        A section whose needs are not met is left out, and the summary says so.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what this section shows; must not change `evaluation`."""
        raise NotImplementedError
