"""Results of an evaluation, as frozen plain data.

All classes here can be stored in results.json and read back unchanged (`reportgen.storing.results_file`). This package
computes nothing: it receives finished numbers, and templates and rendering only display them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any, Literal, cast

from reportgen.results.aspects import *
from reportgen.results.chart import *
from reportgen.results.term import *

if TYPE_CHECKING:  # pragma: no cover - frames are created when needed
    from pathlib import Path

    import pandas as pd
    from great_tables import GT

Kind = Literal[
    "text",  # a name or a word; left-aligned
    "count",  # a number of responses; with thousands separators
    "coefficient",  # QWK, r, kappa, PRMSE, R2; two decimals, three near a threshold
    "difference",  # SMD, DSM, degradation; two decimals, signed
    "score",  # on the score scale (means, SDs, RMSE); two decimals
    "percent",  # 0 to 100; one decimal
    "p",  # a p-value; three decimals, "< .001"
    "number",  # anything else (variances); four significant digits
]
"""How a number is formatted; only the filters of `reportgen.rendering` format numbers."""

ReportKind = Literal["evaluation", "raters", "comparison", "summary", "study", "packet"]
"""What a report covers: one system's scores, raters, compared runs, a collection of runs, or a simulated design."""

Outcome = Literal["met", "not met", "out of reach", "not yet known", "insufficient"]

Doubt = Literal["", "ceiling", "impossible", "reading", "second ratings"]
"""What puts an outcome in doubt.

ceiling: An engine without error could also fail.
impossible: The value is outside the possible range, so the outcome is not yet known.
reading: The columns or scales behind the value.
second ratings: The double-scored responses differ from the others."""


@dataclass(frozen=True)
class Estimate:
    """A statistic with the information needed to judge it.

    `value` is None if the statistic is undefined; `reason` explains why. `low` and `high` are None if there is no
    interval; `interval_reason` explains why. `n` is the number of responses behind the value.

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
        """Whether there is a value."""
        return self.value is not None

    def apart(self, low: float = 0.0, high: float = 0.0) -> bool:
        """Return whether the whole interval is on one side of a range; False without an interval."""
        return self.low is not None and self.high is not None and (self.high < low or self.low > high)


Cell = str | int | float | Estimate | None
"""A table cell: text, count, plain number, estimate, or None for a cell that does not apply."""


def number(cell: Cell) -> float | None:
    """Return the number in a cell, an estimate or plain; None for words and blanks."""
    cell = cell.value if isinstance(cell, Estimate) else cell
    return None if cell is None or isinstance(cell, str) else float(cell)


@dataclass(frozen=True)
class Column:
    """One column of a table; a column with `shown=False` appears only in the CSV.

    `label` is its heading. Default: the vocabulary's text for `key`. `link` is the key of the column that contains the
    file, relative to the report, that a cell links to.

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
    """One row; `mark` adds a sign and a word.

    Examples
    --------
    >>> Row(("a", 320), "reference").mark
    'reference'
    """

    cells: tuple[Cell, ...]
    mark: Mark = ""


class Record(dict[str, Cell]):
    """A row as a mapping from column key to cell, with its mark; missing cells are None.

    >>> row = Record({"level": "a", "n": 320, "qwk": Estimate("qwk", None, 3)})
    >>> row.count("n"), row.number("level"), row.estimate("qwk")
    (320, None, None)
    """

    def __init__(self, cells: Mapping[str, Cell] | Iterable[tuple[str, Cell]], mark: Mark = "") -> None:
        super().__init__(cells)
        self.mark = mark

    def number(self, key: str) -> float | None:
        """Return a number, including an estimate's value; None for words and blanks."""
        return number(self.get(key))

    def text(self, key: str) -> str:
        """Return a word or a name; a term is returned as a term."""
        cell = self.get(key)
        return cell if isinstance(cell, str) else str(cell)

    def count(self, key: str) -> int:
        """Return a whole number, or 0 if there is none."""
        return int(self.number(key) or 0)

    def estimate(self, key: str) -> Estimate | None:
        """Return an estimate that has a value."""
        cell = self.get(key)
        return cell if isinstance(cell, Estimate) and cell.defined else None

    def apart(self, key: str, low: float = 0.0, high: float = 0.0) -> bool:
        """Return whether the whole interval of an estimate is on one side of a range."""
        found = self.estimate(key)
        return found is not None and found.apart(low, high)


@dataclass(frozen=True)
class Table:
    """A table as data.

    `key` is unique in the report. A table of the evaluation also has a CSV file: ``system_human.agreement`` becomes
    ``tables/system_human.agreement.csv``. `caption` describes what is compared, on which responses. Default: the
    caption in the template, or the vocabulary's text for `key`. `max_rows` limits the rows in the report but not in
    the files; flagged, overall, and reference rows always appear.

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
        """Reject a row that does not fit the columns."""
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(f"table {self.key!r}: {len(row.cells)} cells for {len(self.columns)} columns")

    @property
    def file_name(self) -> str:
        """Name of the CSV in the folder ``tables``; an unsafe key is shortened and hashed."""
        safe = re.sub(r"[^\w.+ -]", "_", self.key, flags=re.ASCII).strip(". ")[:80]
        return f"{safe}.csv" if safe == self.key else f"{safe}-{hashlib.sha256(self.key.encode()).hexdigest()[:8]}.csv"

    def column(self, key: str) -> tuple[Cell, ...]:
        """Return the cells of one column, from top to bottom."""
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
        """Return header and rows, with each estimate split into value, low, high, and n."""
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
        r"""Return the table as a LaTeX float in APA style; it requires the package booktabs.

        Examples
        --------
        >>> table = Table("t", "Sizes", (Column("level", "Group"), Column("n", "n", "count")), (Row(("R&D", 3)),))
        >>> print(table.to_latex().splitlines()[8])
        R\&D & 3 \\
        """
        return str(shown(self, "latex_of_table"))

    def to_markdown(self) -> str:
        """Return the table as Markdown in APA style.

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
        """Return the table as a great_tables table; requires that package (``pip install great-tables``)."""
        return cast("GT", shown(self, "great_table_of_table"))

    def _repr_html_(self) -> str:
        return str(shown(self, "html_of_table"))


Basis = Literal["interval", "estimate", "lower", "upper"]
"""What a criterion evaluates: the whole interval, only the estimate, or one end of the interval."""

Needed = Literal["", "responses", "double-scored responses"]  # which responses an undecided criterion needs


ENOUGH = 0.8
"""The conventional probability of a clear answer that a design should have."""


@dataclass(frozen=True)
class Chance:
    """The probability of a clear answer with more data, averaged over plausible true values.

    n, of: total number of responses, and their kind.
    met, not_met: probabilities that the criterion is then met, and not met.

    >>> round(Chance(1000, "responses", 0.71, 0.06, 800, 800).clear, 2)
    0.77
    """

    n: int
    of: Needed
    met: float
    not_met: float
    new: int  # number of new responses; 0 if only second ratings are added
    ratings: int  # number of additional human ratings

    @property
    def clear(self) -> float:
        """Probability that the criterion is then met or not met."""
        return self.met + self.not_met

    @property
    def is_enough(self) -> bool:
        """Whether a clear answer is as probable as is conventional."""
        return self.clear >= ENOUGH

    @property
    def is_unfavorable(self) -> bool:
        """Whether the criterion is then at least twice as likely to be not met as to be met."""
        return self.not_met >= 2 * self.met


GIVEN_TRUE_SCORE = "true_score.group_difference"
"""Key of the difference between a group and the reference group, given the true score, in SDs of human scores."""

WITHHELD = "withheld, to protect a small group"
"""Why a group's number is hidden although it is known; reasons end with it."""

CONSTANT = "all system scores are equal to within rounding"


@dataclass(frozen=True)
class Check:
    """One criterion on one estimate: its bounds, and whether the estimate meets them.

    The outcome depends on the interval unless `by` is set: *met* if all of it is inside the bounds, *not met* if all of
    it is outside, *not yet known* if it crosses a bound, *insufficient* if there are too few responses. It is *out of
    reach* if an engine without error would also be outside. With `strict`, a value equal to a bound is outside.
    `source` is the source of the threshold.

    Parameters
    ----------
    group, column, level
        ``"column: level"`` as in the report, then both separately; empty for all responses.
    statistic, score_type
        Keys of the statistic and of the evaluated form of the engine's score.
    waits_for
        Which responses an unknown or insufficient criterion needs; "" for none.
    assurance
        For a criterion that is not yet known: the probabilities of a clear answer with more responses, fewest first.
    cheapest
        The design, among these and those between them, that reaches a probability of 80% with the fewest additional
        ratings; None if no design does.
    among, adjusted_p
        Number of groups tested together, 0 if each is tested separately; and the probability that at least one group is
        this far beyond the bound if all are exactly at it. None if the estimate is inside.
    best, second
        The values that an engine without error, and a second rater, would reach with these raters; None if unknown.
    given
        For DSM: the group's difference at equal true score; None if unknown.
    doubt
        Doubt about the outcome.

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
    second: Estimate | None = field(default=None, metadata=UNLESS_DEFAULT)
    given: Estimate | None = field(default=None, metadata=UNLESS_DEFAULT)
    doubt: Doubt = field(default="", metadata=UNLESS_DEFAULT)

    @property
    def beyond_alone(self) -> bool:
        """Whether the whole interval is beyond a bound, but chance among this many groups can explain it."""
        low, high = -inf if self.low is None else self.low, inf if self.high is None else self.high
        return self.outcome == "not yet known" and not self.doubt and self.among > 0 and self.estimate.apart(low, high)

    @property
    def explained(self) -> bool:
        """Whether at most half of a group's difference is clearly there at equal true score; False if unknown."""
        value, given = self.estimate.value or 0.0, self.given
        return given is not None and given.defined and (not given.apart() or 2 * (given.value or 0) * value < value**2)

    @property
    def sentence(self) -> str:
        """The finding in words: value, interval, outcome, and requirement."""
        return str(shown(self, "sentence_of_check"))

    @property
    def withheld(self) -> bool:
        """Whether there is a number that must stay hidden."""
        return not self.estimate.defined and self.estimate.reason.endswith(WITHHELD)


@dataclass(frozen=True)
class Band:
    """A range of a statistic, and what a value in it means; None for an open end."""

    low: float | None
    high: float | None
    meaning: str


Decision = Literal[
    "deploy", "do not deploy", "out of reach with these raters", "collect more ratings",
    "cannot be judged",
]  # fmt: skip
"""The decision that follows from the criteria of a policy."""


@dataclass(frozen=True)
class Ruling:
    """A policy's decision on an evaluation.

    `bands` contains the bands of each statistic in this policy. `of_raters` means that there is no engine to evaluate.
    `scope` contains the percentages of responses that the decision covers, if it does not cover all: those that the
    engine scores ("engine"), and those like the human-scored ones ("people"). "record": their column, if others exist.
    """

    policy: str
    description: str
    decision: Decision
    bands: Mapping[str, tuple[Band, ...]] = field(default_factory=dict)
    of_raters: bool = field(default=False, metadata=UNLESS_DEFAULT)
    scope: Mapping[str, Any] = field(default_factory=dict, metadata=UNLESS_DEFAULT)


@dataclass(frozen=True)
class Verdict(Ruling):
    """A ruling with its criteria."""

    checks: tuple[Check, ...] = ()

    @property
    def sentence(self) -> str:
        """The decision and the number of criteria met, in words."""
        return str(shown(self, "sentence_of_verdict"))

    def of(self, *outcomes: Outcome) -> tuple[Check, ...]:
        """Return the criteria with one of these outcomes."""
        return tuple(check for check in self.checks if check.outcome in outcomes)

    @property
    def tested(self) -> bool:
        """Whether at least one criterion was tested."""
        return any(check.outcome != "insufficient" for check in self.checks)

    def passes(self, *, strict: bool = False) -> bool:
        """Return whether a gate passes: none is not met or out of reach, and one was tested; `strict`, all are met."""
        return self.tested and not self.of(*WORST_FIRST[: -1 if strict else 2])

    def _repr_html_(self) -> str:
        return str(shown(self, "html_of_verdict"))


@dataclass(frozen=True)
class Series:
    """One statistic in every level of a grouping, for one form of the engine's score, as columns of numbers.

    statistic, score_type: its key, and the key of the score type; no score type if the statistic does not depend on the
        engine.
    metric, kind, confidence, method: as in `Estimate`; metric, kind and confidence level are the same for every level,
        the method for most.
    rests_on: responses behind it: "system" for all, "human" for those with two human scores, "multiple" for those with
        at least two.
    value, low, high, error: one number for each level, or None.
    n: responses of each level; empty if they are the counts of its `GroupStatistics`.
    reasons, no_interval: places of the levels without a value, or without an interval, by reason.
    other_methods: places of the levels whose interval uses another method, by method.
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
    """Every statistic of every level of one grouping column; if `column` is empty, of all responses.

    `counts` contains the responses of each level, by the kind of responses behind a statistic.
    """

    column: str
    levels: tuple[str, ...]
    counts: Mapping[str, tuple[int, ...]]
    series: tuple[Series, ...]


@dataclass(frozen=True)
class Highlight:
    """A sentence for the first page, and the table, chart, or section it links to.

    Examples
    --------
    >>> Highlight("Group a lies outside the limit.", "by_group.L1").target
    'by_group.L1'
    """

    text: str
    target: str = ""


@dataclass(frozen=True)
class Findings:
    """The findings of one section, which its template or the shared one displays.

    Parameters
    ----------
    headline
        The finding in one sentence; shown first.
    paragraphs
        Plain sentences, shown before the tables.
    values
        Estimates, counts, and words that a template can use in sentences.
    checks, tables, charts
        Shown in order.
    highlights, unknowns
        Notable findings, worst first; open questions, and what would settle them.
    notes
        Limits, shown last.
    outcome
        The outcome of the section's requirements, for the table of contents; empty if it has none.

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
"""The part of a report: the brief, the evidence (one question after the other), or the technical annex."""


@dataclass(frozen=True)
class SectionResult:
    """A section of the report: its package, its options, its findings, and its `part`."""

    name: str
    title: str
    provider: str
    options: Mapping[str, Any]
    findings: Findings
    error: str = ""
    part: Part = field(default="evidence", metadata=UNLESS_DEFAULT)


@dataclass(frozen=True)
class SourceFile:
    """One of several score files; `name` is its path within the source."""

    name: str
    sha256: str
    bytes: int
    rows: int


@dataclass(frozen=True)
class Source:
    """The source of the scores.

    For several files (`files`), `sha256` is computed from the list of their hashes, one per line.
    """

    name: str
    sha256: str
    bytes: int
    rows: int
    format: str
    files: tuple[SourceFile, ...] = ()


@dataclass(frozen=True)
class Role:
    """A role and the columns that have it; `how` is the source of the decision."""

    role: str
    columns: tuple[str, ...]
    how: str


@dataclass(frozen=True)
class Scale:
    """The score scale; `assumed` if it was inferred from the scores instead of declared.

    `labels` are the names of its points, lowest first, if scores are words; `ordered` is False if labels have no order,
    such as types or preferences.
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
    """One form of the system score: as given, trimmed, rounded, or rescaled."""

    key: str
    label: str
    continuous: bool


@dataclass(frozen=True)
class Evaluation:
    """All results computed from one score file, or from several finished runs (see `kind`).

    `tables` contains every evaluation table by key, `estimates` every headline number by key (``"system.qwk"``,
    ``"human.qwk"``, ``"true_score.prmse"``), `facts` plain counts and words (``"responses_kept"``). `checks` are the
    criteria, overall and by group, and `ruling` is the decision that follows from them. `statistics` contains every
    statistic of every score type and group, so another policy can check a stored evaluation (see
    `reportgen.results.group_statistics`). `measure` computes estimates with intervals for a section's own statistic
    (see `reportgen.evaluation.Measure`); it exists only while the scores are in memory, and is never stored.

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
        """Return its subject and size, without cells of tables or settings."""
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
        """Return a count among the facts, or 0."""
        return int(self.facts.get(key) or 0)

    def records(self, key: str) -> list[Record]:
        """Return the rows of a table as mappings from column key to cell; none if there is no such table."""
        return self.tables[key].records() if key in self.tables else []

    def present(self, *keys: str) -> tuple[Table, ...]:
        """Return the existing tables among these keys."""
        return tuple(self.tables[key] for key in keys if key in self.tables)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict of the policy, with its criteria; None without a policy."""
        return None if self.ruling is None else Verdict(**(vars(self.ruling) | {"checks": self.checks}))


@dataclass(frozen=True)
class Report:
    """An evaluation and the findings of its sections: the whole content of the report.

    `language` is the language of the pages; `labels` are the user's names for columns and groups. `page`, which is
    never stored, is the path of the HTML page.
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
        """The policy's verdict on the evaluation; None without a policy."""
        return self.evaluation.verdict

    def __repr__(self) -> str:
        """Return its title, decision, and table names."""
        texts = [f"  {self.verdict.sentence}"] if self.verdict is not None else []
        tables = ", ".join(self.evaluation.tables)
        return "\n".join([f"{self.title} ({self.created})", *texts, f"  tables: {tables}"])

    def to_html(self) -> str:
        """Return the HTML page, one file that needs no network; nothing is written.

        >>> import reportgen
        >>> reportgen.load("report").to_html()[:15]  # doctest: +SKIP
        '<!DOCTYPE html>'
        """
        return str(shown(self, "page_of_report"))

    def to_dict(self) -> dict[str, Any]:
        """Return the content of results.json as plain data; nothing is written."""
        return dict(shown(self, "dict_of_report"))

    def _repr_html_(self) -> str:
        return str(shown(self, "html_of_report"))
