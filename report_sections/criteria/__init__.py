"""Show every requirement of the policy: its limit, its result, and the source of the limit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from reportgen.results import Chance, Mark
from reportgen.sections import Check, Column, Evaluation, Findings, Row, Section, Table, Term


@dataclass(frozen=True)
class Criteria(Section, title="Criteria", part="annex"):
    """Show each requirement of the policy, with the sources of its limits.

    Parameters
    ----------
    rows
        Number of requirements on a page; those that are not met or inconclusive are always shown.
    """

    rows: int = 40

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the requirements with their outcomes and sources."""
        ruling, checks = evaluation.ruling, evaluation.checks
        case = "raters" if evaluation.kind == "raters" and ruling else "engine"
        if ruling is None or not checks:
            return Findings(values={"case": case if case == "raters" else "none", "policy": ruling and ruling.policy})
        overall, groups = ([each for each in checks if bool(each.column) is of_groups] for of_groups in (False, True))
        most = max(self.rows, sum(each.outcome in OPEN for each in groups))
        tables = (
            Table("criteria.outcomes", "", *_lines(overall, CRITERION), _single(overall), self.rows),
            Table("criteria.groups", "", *_lines(self._open_first(groups), GROUP), _single(groups), most),
            *assurance_tables(overall, groups, self.rows),
            _sources(checks),
        )
        return Findings(
            values={
                "case": case,
                "policy": ruling.policy,
                "description": ruling.description,
                "out_of_reach": any(each.outcome == "out of reach" for each in checks),
                "of_every_group": _of_every_group(groups),
            },
            tables=tuple(table for table in tables if table.rows),
        )

    def _open_first(self, groups: list[Check]) -> list[Check]:
        """Return the requirements on groups; if they do not all fit, unmet and inconclusive ones come first."""
        if len(groups) <= self.rows:
            return groups
        rank = {outcome: place for place, outcome in enumerate((*OPEN, "insufficient"))}
        return sorted(groups, key=lambda each: rank.get(each.outcome, len(rank)))


OPEN = ("not met", "out of reach", "not yet known")  # outcomes that a reader must see, worst first

OUTCOMES = {
    "met": "met", "not met": "not_met", "out of reach": "unattainable", "not yet known": "undecided",
    "insufficient": "not_tested",
}  # fmt: skip
"""Names of outcomes."""

CRITERION, GROUP = Column("criterion"), Column("group")  # fields that name the rows of a table of requirements

Limits = tuple[float | None, float | None, bool, str]


def _lines(checks: Sequence[Check], first: Column) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """Return columns and rows of a table of requirements; values shared by all groups have no column."""
    of_groups, deciding = first is GROUP, [_deciding(each) for each in checks]
    same = of_groups and _of_every_group(checks) is not None
    columns = (
        first,
        replace(CRITERION if of_groups else GROUP, shown=of_groups and not same),
        Column("estimate", "", "coefficient"),
        Column("n", "", "count"),
        Column("bounds", shown=not same),
        Column("outcome"),
        Column("more", shown=sum(map(bool, deciding)) > 1),
    )
    rows = []
    for each, more in zip(checks, deciding, strict=True):
        names = (_group(each), each.label) if of_groups else (each.label, each.group)
        n = None if each.withheld else each.estimate.n
        bounds, outcome = Term("required", check=_bare(each)), Term(OUTCOMES[each.outcome])
        mark: Mark = "flagged" if each.outcome == "not met" else ""  # the other outcomes have a column
        rows.append(Row((*names, each.estimate, n, bounds, outcome, more), mark))
    return columns, tuple(rows)


def _of_every_group(checks: Sequence[Check]) -> Check | None:
    asked = {(each.label, _limits(each)) for each in checks}
    return _bare(checks[0]) if len(asked) == 1 else None


def _group(check: Check) -> str:
    return Term("group_of_column", column=check.column, level=check.level) if check.level else check.group


def _bare(check: Check) -> Check:
    """Return only the limits of a requirement, so that a term contains no estimate of a group."""
    kept = replace(check.estimate, value=None, low=None, high=None, standard_error=None, n=0, reason="")
    return Check(
        check.label, kept, "met", check.low, check.high, strict=check.strict, by=check.by, statistic=check.statistic
    )


def _limits(check: Check) -> Limits:
    return check.low, check.high, check.strict, check.by


def _deciding(check: Check) -> str:
    """Return the data that would probably decide an open requirement; empty if none is open."""
    if check.withheld:
        return Term("merge_groups")
    if check.outcome == "insufficient":
        return Term("more_needed", what=check.waits_for) if check.waits_for else ""
    if check.cheapest is not None:
        return Term("enough_of", n=check.cheapest.n, what=check.waits_for, chance=100 * check.cheapest.clear)
    if check.assurance:
        most = check.assurance[-1]
        return Term("not_enough_of", n=most.n, what=check.waits_for, chance=100 * most.clear)
    return ""


def _single(checks: Sequence[Check]) -> tuple[str, ...]:
    """Return the data that would decide the only open requirement, instead of a column with a single value."""
    found = [(each, what) for each in checks if (what := _deciding(each))]
    if len(found) != 1:
        return ()
    check, what = found[0]
    return (Term("what_decides", name=_group(check) if check.column else check.label, what=what),)


def _sources(checks: Sequence[Check]) -> Table:
    """Return each limit once, with its source and the statistic it is compared with."""
    found: dict[tuple[str, Limits, str], tuple[Check, list[str]]] = {}
    for each in checks:
        _, columns = found.setdefault((each.label, _limits(each), each.source), (each, []))
        if each.column and each.column not in columns:
            columns.append(each.column)
    rows = tuple(
        Row((
            each.label,
            Term("every_group_of", columns=columns) if columns else Term("on_all_responses"),
            Term("required", check=_bare(each)),
            each.source or Term("no_source"),
        ))
        for each, columns in found.values()
    )  # fmt: skip
    return Table("criteria.sources", "", tuple(map(Column, ("criterion", "scope", "bounds", "source"))), rows)


OVERALL, GROUPS = "criteria.assurance", "criteria.assurance_groups"

LEAST_SHOWN = 500  # designs with fewer responses than this are only in the CSV


def assurance_tables(overall: Sequence[Check], groups: Sequence[Check], most: int) -> Iterator[Table]:
    """Yield the tables, with at most `most` rows, if a requirement is open and more responses can be planned."""
    overall, groups = ([each for each in checks if each.assurance] for checks in (overall, groups))
    note = Term("assurance_note")
    if overall:
        named = (Column("criterion"), Column("group", shown=False))
        yield Table(OVERALL, "", *_rows_of(overall, named), (note, *_most(overall)), most)
    if groups:
        named = (Column("group"), Column("criterion", shown=len({each.label for each in groups}) > 1))
        yield Table(GROUPS, "", *_rows_of(groups, named), () if overall else (note,), most)


def _rows_of(checks: Sequence[Check], named: tuple[Column, Column]) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """Return columns and a row for each requirement: its name, value, sufficient size, and chance by size."""
    sizes = sorted({chance.n for each in checks for chance in each.assurance})
    least = LEAST_SHOWN if named[0].key == "criterion" else 0
    columns = (
        *named,
        Column("now", kind="text" if least else "count"),
        Column("enough", kind="count"),
        *(Column(f"clear_{n}", Term("count_of", n=n), "count", "%", shown=n >= least) for n in sizes),
        *(Column(f"met_{n}", Term("count_of", n=n), "count", "%", shown=False) for n in sizes),
    )
    rows = []
    for each in checks:
        names = {"criterion": each.label, "group": _group(each) if each.column else ""}
        chances: dict[int, Chance] = {chance.n: chance for chance in each.assurance}
        rows.append(Row((
            *(names[column.key] for column in named),
            Term("number_of", n=each.estimate.n, what=each.waits_for) if least else each.estimate.n,
            each.cheapest.n if each.cheapest and each.cheapest.is_enough else None,
            *(100 * chances[n].clear if n in chances else None for n in sizes),
            *(100 * chances[n].met if n in chances else None for n in sizes),
        )))  # fmt: skip
    return columns, tuple(rows)


def _most(open_: Sequence[Check]) -> Iterator[Term]:
    """Yield the requirement on all responses that needs the most ratings; all together need at least as many."""
    found = [(check, check.cheapest.ratings) for check in open_ if check.cheapest is not None]
    if len(found) > 1:
        check, ratings = max(found, key=lambda each: each[1])
        yield Term("needs_most", name=check.label, ratings=ratings)
