"""What an evaluation found, as frozen plain data.

Everything here can be stored in results.json and read back unchanged
(`reportgen.storing.results_file`).  Nothing here computes: numbers arrive finished, and what
comes after (sections' templates, rendering) only says them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

from reportgen.results.aspects import *
from reportgen.results.chart import *
from reportgen.results.term import *

if TYPE_CHECKING:  # pragma: no cover - a frame is made only when asked for
    from pathlib import Path

    import pandas as pd
    from great_tables import GT

Kind = Literal[
    "text",  # a name or a word; left-aligned
    "count",  # a number of responses; thousands separators
    "coefficient",  # QWK, r, kappa, PRMSE, R2; two decimals, three near a threshold
    "difference",  # SMD, DSM, degradation; two decimals, signed
    "score",  # on the score scale (means, SDs, RMSE); two decimals
    "percent",  # 0 to 100; one decimal
    "p",  # a p-value; three decimals, "< .001"
    "number",  # anything else (variances); four significant digits
]
"""How a number is written; the filters of `reportgen.rendering` are the only place that does it."""

ReportKind = Literal["evaluation", "raters", "comparison", "summary", "study", "packet"]
"""What a report is about: one system's scores, raters, runs side by side, a collection of runs, a simulated design."""

Outcome = Literal["met", "not met", "out of reach", "not yet known", "insufficient"]

Doubt = Literal["", "ceiling", "impossible", "reading", "second ratings"]
"""What is in doubt about an outcome.

ceiling: an engine without any error may fail, too; impossible: the value is beyond what the quantity can be, so the
outcome is not yet known; reading: the columns or scales that the value rests on; second ratings: the responses scored
twice are unlike the others.
"""


@dataclass(frozen=True)
class Estimate:
    """A statistic with what is needed to trust it.

    `value` is None when the statistic is undefined, and then `reason` says why.
    `low` and `high` are None when no interval can be given; `interval_reason` says why.
    `n` is the number of responses the value rests on.

    Examples
    --------
    >>> Estimate("qwk", 0.71, 320, 0.66, 0.75).defined
    True
    """

    metric: str
    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    level: float = 0.95
    method: str = ""
    kind: Kind = "coefficient"
    reason: str = ""
    interval_reason: str = ""

    @property
    def defined(self) -> bool:
        """Whether there is a value to show."""
        return self.value is not None

    def apart(self, low: float = 0.0, high: float = 0.0) -> bool:
        """Return whether the whole interval lies on one side of a range; not without an interval."""
        return self.low is not None and self.high is not None and (self.high < low or self.low > high)


Cell = str | int | float | Estimate | None
"""A table cell: text, count, plain number, estimate, or None for a cell that does not apply."""


def number(cell: Cell) -> float | None:
    """Return the number in a cell, estimate or plain; None for words and blanks."""
    cell = cell.value if isinstance(cell, Estimate) else cell
    return None if cell is None or isinstance(cell, str) else float(cell)


@dataclass(frozen=True)
class Column:
    """One column of a table; `shown=False` keeps it for the CSV and leaves it off the page.

    `label` is its heading; left out, the vocabulary has it by `key`.  `link` is the key of the column of the same table
    that says which file, relative to the page, a cell leads to.

    Examples
    --------
    >>> Column("share", "Share", "percent", "%").kind
    'percent'
    """

    key: str
    label: str = ""
    kind: Kind = "text"
    unit: str = ""
    shown: bool = True
    link: str = ""


Mark = Literal["", "overall", "reference", "flagged", "insufficient"]


@dataclass(frozen=True)
class Row:
    """One row; `mark` is shown with a sign and a word.

    Examples
    --------
    >>> Row(("a", 320), "reference").mark
    'reference'
    """

    cells: tuple[Cell, ...]
    mark: Mark = ""


class Record(dict[str, Cell]):
    """A row as a mapping from column key to cell, with its mark; what it has no cell for is None.

    Examples
    --------
    >>> row = Record({"level": "a", "n": 320, "qwk": Estimate("qwk", None, 3)})
    >>> row.count("n"), row.number("level"), row.estimate("qwk")
    (320, None, None)
    """

    def __init__(self, cells: Mapping[str, Cell] | Iterable[tuple[str, Cell]], mark: Mark = "") -> None:
        super().__init__(cells)
        self.mark = mark

    def number(self, key: str) -> float | None:
        """Return a number, that of an estimate too; None for words and blanks."""
        return number(self.get(key))

    def text(self, key: str) -> str:
        """Return a word or a name; a term stays one."""
        cell = self.get(key)
        return cell if isinstance(cell, str) else str(cell)

    def count(self, key: str) -> int:
        """Return a whole number, 0 where there is none."""
        return int(self.number(key) or 0)

    def estimate(self, key: str) -> Estimate | None:
        """Return an estimate that has a value."""
        cell = self.get(key)
        return cell if isinstance(cell, Estimate) and cell.defined else None

    def apart(self, key: str, low: float = 0.0, high: float = 0.0) -> bool:
        """Return whether the whole interval of an estimate lies on one side of a range."""
        found = self.estimate(key)
        return found is not None and found.apart(low, high)


@dataclass(frozen=True)
class Table:
    """A table as data.

    `key` is unique in the report and names the CSV (``system_human.agreement`` becomes
    ``tables/system_human.agreement.csv``).  `caption` says what is compared, on which responses; left out, the
    template that shows the table says it, or the vocabulary by `key`.
    `max_rows` caps the page, never the CSV; flagged, overall and reference rows always stay.

    Examples
    --------
    >>> table = Table("sizes", "Sizes", (Column("level", "Group"), Column("n", "n", "count")), (Row(("a", 320)),))
    >>> table.row("a")["n"], table.file_name
    (320, 'sizes.csv')
    """

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    max_rows: int = 25

    def __post_init__(self) -> None:
        """Refuse a row that does not fit the columns."""
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"table {self.key!r}: {len(row.cells)} cells for {len(self.columns)} columns")

    @property
    def file_name(self) -> str:
        """Name of the CSV in the folder ``tables``; a key that is no safe file name is shortened and hashed."""
        safe = re.sub(r"[^\w.+ -]", "_", self.key, flags=re.ASCII).strip(". ")[:80]
        return f"{safe}.csv" if safe == self.key else f"{safe}-{hashlib.sha256(self.key.encode()).hexdigest()[:8]}.csv"

    def column(self, key: str) -> tuple[Cell, ...]:
        """Return the cells of one column, top to bottom."""
        index = [column.key for column in self.columns].index(key)
        return tuple(row.cells[index] for row in self.rows)

    def row(self, first: str) -> Mapping[str, Cell]:
        """Return the row whose first cell is `first`, as a mapping from column key to cell."""
        for row in self.rows:
            if row.cells[0] == first:
                return dict(zip((column.key for column in self.columns), row.cells, strict=True))
        raise KeyError(first)

    def records(self) -> list[Record]:
        """Return every row as a mapping from column key to cell."""
        keys = [column.key for column in self.columns]
        return [Record(zip(keys, row.cells, strict=True), row.mark) for row in self.rows]

    def flat(self) -> tuple[list[str], list[list[str | int | float | None]]]:
        """Return header and rows with every estimate spread over value, low, high and n columns."""
        wide = [any(isinstance(row.cells[place], Estimate) for row in self.rows) for place in range(len(self.columns))]
        header = [column.key + suffix for column, spread in zip(self.columns, wide, strict=True)
                  for suffix in (("", "_low", "_high", "_n") if spread else ("",))]  # fmt: skip
        body: list[list[str | int | float | None]] = []
        for row in self.rows:
            body.append([])
            for cell, spread in zip(row.cells, wide, strict=True):
                if isinstance(cell, Estimate):
                    body[-1] += [cell.value, cell.low, cell.high, cell.n]
                else:
                    body[-1] += [cell, None, None, None] if spread else [cell]
        return header, body

    def frame(self) -> pd.DataFrame:
        """Return the table as a pandas frame, unrounded, one column per number."""
        header, body = self.flat()
        import pandas as pd

        return pd.DataFrame(body, columns=header)

    def to_latex(self) -> str:
        r"""Return the table as a float of LaTeX, in the style of the APA; it needs the package booktabs.

        Examples
        --------
        >>> table = Table("t", "Sizes", (Column("level", "Group"), Column("n", "n", "count")), (Row(("R&D", 3)),))
        >>> print(table.to_latex().splitlines()[8])
        R\&D & 3 \\
        """
        return str(shown(self, "latex_of_table"))

    def to_markdown(self) -> str:
        """Return the table as Markdown, in the style of the APA.

        Examples
        --------
        >>> table = Table("t", "Sizes", (Column("level", "Group"), Column("n", "n", "count")), (Row(("a", 3)),))
        >>> print(table.to_markdown())
        *Sizes*
        <BLANKLINE>
        | Group | n |
        | :-- | --: |
        | a | 3 |
        <BLANKLINE>
        """
        return str(shown(self, "markdown_of_table"))

    def great_table(self) -> GT:
        """Return the table as one of great_tables, where that package is installed (``pip install great-tables``)."""
        return cast("GT", shown(self, "great_table_of_table"))

    def _repr_html_(self) -> str:
        """Return what a notebook shows of it: title, rows, notes."""
        return str(shown(self, "html_of_table"))


Basis = Literal["interval", "estimate", "lower", "upper"]
"""What a criterion judges by: the whole interval, the estimate alone, or one end of the interval."""

Needed = Literal["", "responses", "double-scored responses"]  # which responses a criterion that is open waits for


@dataclass(frozen=True)
class Chance:
    """How probable a clear answer is with more data, over what the data make plausible of the true value.

    Parameters
    ----------
    n, of
        How many responses, of which kind, there would be in all.
    met, not_met
        The probability that the criterion is then met, and that it is then not met.
    new
        How many of all responses are not there yet; second ratings of those that are there need none.
    ratings
        How many further human ratings that takes.

    Examples
    --------
    >>> round(Chance(1000, "responses", 0.71, 0.06, 800, 800).clear, 2)
    0.77
    """

    n: int
    of: Needed
    met: float
    not_met: float
    new: int
    ratings: int

    @property
    def clear(self) -> float:
        """The probability that the criterion is then met or not met."""
        return self.met + self.not_met


GIVEN_TRUE_SCORE = "true_score.group_difference"
"""Key of the difference of a group from the reference group, given the true score, in SDs of human scores."""

WITHHELD = "withheld, to protect a small group"
"""Why a number of a group is not there, although it is known; reasons end with it."""


@dataclass(frozen=True)
class Check:
    """One criterion on one estimate: where it should lie, and whether it does.

    The outcome goes by the interval unless `by` says otherwise: *met* when all of it lies inside the bounds, *not
    met* when all of it lies outside, *not yet known* when it straddles, *insufficient* when there are too few
    responses.  It is *out of reach* when an engine without any error would not be inside either.  With `strict` a
    value right at a bound lies outside.  `source` says where the threshold comes from.

    Parameters
    ----------
    group, column, level
        ``"column: level"`` as a page says it, and both apart; empty for all responses.
    statistic, score_type
        Key of the statistic, and of the form of the engine's score that was judged.
    waits_for
        Which responses a criterion that is not yet known, or insufficient, waits for; "" where it waits for none.
    assurance
        Of a criterion that is not yet known: the chances of a clear answer with more responses, the fewest first.
    cheapest
        Of these designs, and those between them, the one that takes the fewest further ratings to a chance of 80 %;
        None where none does.
    among, adjusted_p
        How many groups are held against the bounds together, 0 where each stands alone; and the chance that one of
        them or more lies as far beyond, if all lay right at the bound.  None where the estimate lies inside.
    best
        What an engine without any error would reach with these raters; None where that is not known.
    doubt
        What is in doubt about the outcome.

    Examples
    --------
    >>> Check("QWK", Estimate("qwk", 0.71, 320, 0.66, 0.75), "not yet known", low=0.7).outcome
    'not yet known'
    """

    label: str
    estimate: Estimate
    outcome: Outcome
    low: float | None = None
    high: float | None = None
    abbreviation: str = ""
    group: str = ""
    source: str = ""
    target: str = ""
    strict: bool = False
    by: Basis = "interval"
    statistic: str = ""
    score_type: str = ""
    column: str = ""
    level: str = ""
    waits_for: Needed = field(default="", metadata=UNLESS_DEFAULT)
    assurance: tuple[Chance, ...] = field(default=(), metadata=UNLESS_DEFAULT)
    cheapest: Chance | None = field(default=None, metadata=UNLESS_DEFAULT)
    among: int = field(default=0, metadata=UNLESS_DEFAULT)
    adjusted_p: float | None = field(default=None, metadata=UNLESS_DEFAULT)
    best: Estimate | None = field(default=None, metadata=UNLESS_DEFAULT)
    doubt: Doubt = field(default="", metadata=UNLESS_DEFAULT)

    @property
    def beyond_alone(self) -> bool:
        """Whether all of the interval lies beyond a bound, which chance among so many groups explains."""
        low, high = self.estimate.low, self.estimate.high
        if self.outcome != "not yet known" or self.doubt or not self.among or low is None or high is None:
            return False
        return (self.low is not None and high < self.low) or (self.high is not None and low > self.high)

    @property
    def sentence(self) -> str:
        """What was found, in words: value, interval, outcome, and what is required."""
        return str(shown(self, "sentence_of_check"))

    @property
    def withheld(self) -> bool:
        """Whether there is a number that must not be shown."""
        return not self.estimate.defined and self.estimate.reason.endswith(WITHHELD)


@dataclass(frozen=True)
class Band:
    """A range of a statistic and what a value in it means; None for no end."""

    low: float | None
    high: float | None
    meaning: str


Decision = Literal[
    "deploy", "do not deploy", "out of reach with these raters", "collect more ratings",
    "cannot be judged",
]  # fmt: skip
"""What the criteria of a policy say together."""


@dataclass(frozen=True)
class Ruling:
    """What a policy says about an evaluation: its decision.

    `bands` holds, by key of the statistic, what its values mean by
    this policy.   `of_raters` says that there is no engine to judge.  `scope` holds the percentages of responses that
    the decision is about, where it is not about all: those that the engine scores ("engine"), and those like the ones
    that people scored ("people").
    """

    policy: str
    description: str
    decision: Decision
    bands: Mapping[str, tuple[Band, ...]] = field(default_factory=dict)
    of_raters: bool = field(default=False, metadata=UNLESS_DEFAULT)
    scope: Mapping[str, float] = field(default_factory=dict, metadata=UNLESS_DEFAULT)


@dataclass(frozen=True)
class Verdict(Ruling):
    """A ruling with the criteria that it rests on."""

    checks: tuple[Check, ...] = ()

    @property
    def sentence(self) -> str:
        """The decision and how many criteria are met, in words."""
        return str(shown(self, "sentence_of_verdict"))

    def of(self, *outcomes: Outcome) -> tuple[Check, ...]:
        """Return the criteria that have one of these outcomes."""
        return tuple(check for check in self.checks if check.outcome in outcomes)

    def passes(self, *, strict: bool = False) -> bool:
        """Return whether a gate lets this pass: no criterion is not met or out of reach; when `strict`, all are met."""
        if strict and not self.checks:
            return False  # nothing was held against anything
        return not self.of("not met", "out of reach", *(("not yet known", "insufficient") if strict else ()))

    def _repr_html_(self) -> str:
        """Return what a notebook shows of it: the answer, and the requirements, the worst first."""
        return str(shown(self, "html_of_verdict"))


@dataclass(frozen=True)
class Series:
    """One statistic in every level of a grouping, for one form of the engine's score, as columns of numbers.

    Parameters
    ----------
    statistic, score_type
        Its key, and the key of the score type; no score type where the engine plays no part.
    metric, kind, confidence, method
        As in `Estimate`; metric, kind and confidence level are the same for every level, the method for most.
    rests_on
        Which responses it rests on: "system" for all, "human" for those with two human scores, "multiple" for
        those with at least two.
    value, low, high, error
        One number for each level, None where there is none.
    n
        Responses of each level; empty where they are the counts of its `GroupStatistics`.
    reasons, no_interval
        Reason -> places of the levels without a value, or without an interval, for that reason.
    other_methods
        Method -> places of the levels whose interval was made by it.
    """

    statistic: str
    score_type: str
    metric: str
    kind: Kind
    confidence: float
    method: str
    rests_on: str
    value: tuple[float | None, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    error: tuple[float | None, ...]
    n: tuple[int, ...] = ()
    reasons: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    no_interval: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    other_methods: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class GroupStatistics:
    """Every statistic of every level of one grouping column; of all responses where `column` is empty.

    `counts` holds the responses of each level by what a statistic rests on.
    """

    column: str
    levels: tuple[str, ...]
    counts: Mapping[str, tuple[int, ...]]
    series: tuple[Series, ...]


@dataclass(frozen=True)
class Highlight:
    """A sentence worth the first page, and the table, chart or section it leads to.

    Examples
    --------
    >>> Highlight("Group a lies outside the limit.", "by_group.L1").target
    'by_group.L1'
    """

    text: str
    target: str = ""


@dataclass(frozen=True)
class Findings:
    """What one section found: its template and the shared one can say all of it.

    Parameters
    ----------
    headline
        The finding in one sentence; shown first.
    paragraphs
        Plain sentences, shown before the tables.
    values
        Estimates, counts and words a template may put into its own sentences.
    checks, tables, charts
        Shown in order.
    highlights, unknowns
        What stands out, worst first; what could not be judged, and what would settle it.
    notes
        Limits, shown last.
    outcome
        The outcome of the requirements that the section answers, for the contents; none where it answers none.

    Examples
    --------
    >>> Findings(headline="All is well.").tables
    ()
    """

    headline: str = ""
    paragraphs: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    highlights: tuple[Highlight, ...] = ()
    unknowns: tuple[Highlight, ...] = ()
    notes: tuple[str, ...] = ()
    outcome: Outcome | Literal[""] = field(default="", metadata=UNLESS_DEFAULT)


Part = Literal["decision", "evidence", "annex"]
"""Where in a report a section stands: the brief, the evidence one question after the other, the technical annex."""


@dataclass(frozen=True)
class SectionResult:
    """A section of the report: who provides it, with which options, and what it found.

    `part` is where it stands.
    """

    name: str
    title: str
    provider: str
    options: Mapping[str, Any]
    findings: Findings
    error: str = ""
    part: Part = field(default="evidence", metadata=UNLESS_DEFAULT)


@dataclass(frozen=True)
class SourceFile:
    """One of several files that scores came from; `name` is its path within the source."""

    name: str
    sha256: str
    bytes: int
    rows: int


@dataclass(frozen=True)
class Source:
    """Where the scores came from.

    Of several files (`files`), `sha256` is that of the list of theirs, one a line.
    """

    name: str
    sha256: str
    bytes: int
    rows: int
    format: str
    files: tuple[SourceFile, ...] = ()


@dataclass(frozen=True)
class Role:
    """A part in the evaluation and the user's columns that play it; `how` says who decided."""

    role: str
    columns: tuple[str, ...]
    how: str


@dataclass(frozen=True)
class Scale:
    """The score scale; `assumed` when it was read off the scores instead of declared.

    `labels` are what its points are called, lowest first, where scores came as words; they are not `ordered` where
    no label lies above another, as with types or preferences.
    """

    low: float
    high: float
    step: float
    assumed: bool
    labels: tuple[str, ...] = field(default=(), metadata=UNLESS_DEFAULT)
    ordered: bool = field(default=True, metadata=UNLESS_DEFAULT)

    def points(self) -> tuple[float, ...]:
        """Return every score point, lowest first; none on a continuous scale, whose step is 0."""
        if self.step == 0:
            return ()
        return tuple(round(self.low + self.step * i, 12) for i in range(round((self.high - self.low) / self.step) + 1))


@dataclass(frozen=True)
class ScoreType:
    """One form of the system score: as given, trimmed, rounded, rescaled."""

    key: str
    label: str
    continuous: bool


@dataclass(frozen=True)
class Evaluation:
    """Everything that was computed from one file of scores, or from several finished runs (see `kind`).

    `tables` holds every evaluation table by key, `estimates` every headline number by key
    (``"system.qwk"``, ``"human.qwk"``, ``"true_score.prmse"``), `facts` plain counts and words
    (``"responses_kept"``).  `checks` are the criteria, overall and by group, and `ruling` what they say together.
    `statistics` holds every statistic of every score type and group, so that another policy can judge a stored
    evaluation (see `reportgen.results.group_statistics`).
    `measure`, present while the scores are still in memory and never stored, gives a section's own
    statistic its estimates with intervals (see `reportgen.evaluation.Measure`).

    Examples
    --------
    >>> from reportgen.testing import example_evaluation
    >>> evaluation = example_evaluation()
    >>> evaluation.estimates["system.qwk"].n, evaluation.facts["responses_kept"]
    (120, 120)
    """

    source: Source
    roles: tuple[Role, ...]
    scale: Scale
    score_types: tuple[ScoreType, ...]
    groups: tuple[str, ...]
    raters: tuple[str, ...]
    settings: Mapping[str, Any]
    facts: Mapping[str, Any]
    estimates: Mapping[str, Estimate]
    tables: Mapping[str, Table]
    checks: tuple[Check, ...]
    warnings: tuple[str, ...]
    provenance: Mapping[str, Any]
    kind: ReportKind = "evaluation"
    ruling: Ruling | None = None
    statistics: tuple[GroupStatistics, ...] = ()
    measure: Callable[..., Any] | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        """Return what it is about, and how much it contains: no cell of a table and no setting."""
        decision = f", {self.ruling.decision!r}" if self.ruling else ""
        n = self.facts.get("responses_kept")
        responses = f"{n:,} responses, " if isinstance(n, int) else ""
        return (
            f"<{type(self).__name__} of {self.source.name}: {responses}{len(self.estimates)} estimates, "
            f"{len(self.tables)} tables{decision}>"
        )

    def estimate(self, key: str) -> Estimate | None:
        """Return a headline number that has a value, or None."""
        found = self.estimates.get(key)
        return found if found is not None and found.defined else None

    def count(self, key: str) -> int:
        """Return a count among the facts, 0 where it is not given."""
        return int(self.facts.get(key) or 0)

    def records(self, key: str) -> list[Record]:
        """Return the rows of a table, each a mapping from column key to cell; none where there is no such table."""
        return self.tables[key].records() if key in self.tables else []

    def present(self, *keys: str) -> tuple[Table, ...]:
        """Return the tables of these keys that are there."""
        return tuple(self.tables[key] for key in keys if key in self.tables)

    @property
    def verdict(self) -> Verdict | None:
        """What the policy says, with its criteria; None where no policy was asked."""
        return None if self.ruling is None else Verdict(**(vars(self.ruling) | {"checks": self.checks}))


@dataclass(frozen=True)
class Report:
    """An evaluation and what its sections made of it: the whole content of the pages.

    `language` is that of the pages, `labels` what the user calls columns and groups on them.
    `page`, never stored, is where the page for the screen is.
    """

    title: str
    description: str
    created: str
    evaluation: Evaluation
    sections: tuple[SectionResult, ...]
    language: str = field(default="en", metadata=UNLESS_DEFAULT)
    labels: Mapping[str, str] = field(default_factory=dict)
    page: Path | None = field(default=None, compare=False, repr=False)

    @property
    def verdict(self) -> Verdict | None:
        """What the policy says about the evaluation; None where no policy was asked."""
        return self.evaluation.verdict

    def __repr__(self) -> str:
        """Return what a person wants to know of it: title, decision, and the names of the tables."""
        told = [f"  {self.verdict.sentence}"] if self.verdict is not None else []
        tables = ", ".join(self.evaluation.tables)
        return "\n".join([f"{self.title} ({self.created})", *told, f"  tables: {tables}"])

    def to_html(self) -> str:
        """Return the page for the screen, one file that needs no network; nothing is written.

        Examples
        --------
        >>> import reportgen
        >>> reportgen.load("report").to_html()[:15]  # doctest: +SKIP
        '<!DOCTYPE html>'
        """
        return str(shown(self, "page_of_report"))

    def to_dict(self) -> dict[str, Any]:
        """Return what results.json contains, as plain data; nothing is written."""
        return dict(shown(self, "dict_of_report"))

    def _repr_html_(self) -> str:
        """Return what a notebook shows of it."""
        return str(shown(self, "html_of_report"))
