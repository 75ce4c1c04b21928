"""What Casabianca et al. (2023) print and conclude beside what is found in the simulated test.

``published.csv`` has every number of tables 2 to 5, a row for each condition; its columns are named ``table:number``,
or ``table.form:number`` with the forms counted from 1, the full test first.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

import numpy as np

from reportgen.metrics import cronbach_alpha, pearson_r
from reportgen.results import Kind, Table
from reportgen.results.term import Term
from reportgen.studies.score_impact.forms import AUTOMATED, HUMAN, SELECTED, Analysed, FormResult
from reportgen.studies.statements import NEAR, Statement, gaps_table, in_table, near, of_what, stand_in_table

SD = ((60.0, 61.0), (62.0, 65.0), (65.0, 72.0))
"""Lowest and highest standard deviation of scale scores over conditions, by form (section on results)."""

ITEM_SHARES = (4.65, 5.56, 8.70)
"""Percentage of the total possible score that the studied item contributes, by form (section on the design)."""

CALIBRATION = {"alpha_reading": 0.82, "alpha_writing": 0.81, "alpha_all": 0.87, "r_two_raters": 0.823,
               "rho": 0.993, "prmse": 0.986}  # fmt: skip
"""Alpha of reading, writing and both, agreement of two raters, accuracy of the engine (sections on data and design)."""

IDENTITY_TOLERANCE = 9e-4
"""Printed rho, delta and gamma have three decimals; that is how far PRMSE from them may be off."""

ALMOST_ALL = 0.9
"""Share of conditions that counts as almost all."""

LIMIT = 0.70
"""PRMSE that the paper looks at as a threshold."""

NOISE = ("pi95", "pi90", "pi85", "pi80", "pi75", "pi70")
MUCH_NOISE = NOISE[1:]
MATCHED, BIAS, SPREAD = "Mean & SD match", "delta_x30", "gamma_plus_0.5"
RESULTS, DISCUSSION = Term("printed.results"), Term("printed.discussion")
FORMS = (1, 2, 3)

MEASURES: tuple[tuple[str, tuple[str, ...], Kind], ...] = (
    ("rmsd", ("3:rmsd_human", "3:rmsd_engine"), "score"),
    ("mean", ("3:mean_human", "3:mean_engine"), "difference"),
    ("exact", ("5:exact",), "percent"),
    ("levels", tuple(f"5:level_{level}" for level in (1, 2, 3, 4)), "percent"),
    ("alpha", ("4:alpha",), "number"),
    ("csem", ("4:csem",), "score"),
    ("accuracy", ("2:prmse", "2:rho", "2:delta", "2:gamma", "2:qwk"), "number"),
    ("item", ("2:share_0", "2:share_1", "2:share_2", "2:mean", "2:sd"), "coefficient"),
)
"""Columns of print that are set beside ours in one table, and how their numbers are written."""

SHOWN = 8
"""Rows of each table on the page; the CSV file has all."""

Columns = Mapping[str, Mapping[str, float]]
"""Column of ``published.csv`` -> condition -> number."""

Numbers = Callable[..., Mapping[str, float]]
"""(column, form) -> condition -> number, in print or here."""


@cache
def numbers() -> Columns:
    """Return every number that is printed.

    Examples
    --------
    >>> numbers()["3.3:rmsd_human"]["pi70"], sum(map(len, numbers().values()))
    (16.72, 856)
    """
    with (Path(__file__).parent / "published.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return MappingProxyType({
        column: {row["condition"]: float(row[column]) for row in rows if row[column]}
        for column in rows[0] if column != "condition"
    })  # fmt: skip


def _reader(columns: Columns) -> Numbers:
    """Return what reads columns by their table and number and, if the table has forms, the form."""

    def read(column: str, form: int | None = None) -> Mapping[str, float]:
        table, _, number = column.partition(":")
        return columns[column if form is None else f"{table}.{form}:{number}"]

    return read


def printed(column: str, form: int | None = None) -> Mapping[str, float]:
    """Return condition -> number of a column, such as ("3:rmsd_human", 1).

    Examples
    --------
    >>> printed("2:prmse")["pi85"], printed("5:exact", 3)["delta_x30"]
    (0.701, 92.17)
    """
    return _reader(numbers())(column, form)


def _found_here(here: Analysed) -> Columns:
    """Return every number of the paper's tables 2 to 5 as it comes out here, by the names of ``published.csv``.

    The difference of means (delta) has the sign that it has in print: human minus engine.
    """
    whole, parts = here.whole, {name: each.components for name, each in here.items.items()}
    found = {
        f"2:share_{point}": {name: float((scores == point).mean()) for name, scores in whole.items()}
        for point in range(here.test.most[here.test.studied] + 1)
    } | {
        "2:mean": {name: float(scores.mean()) for name, scores in whole.items()},
        "2:sd": {name: float(scores.std(ddof=1)) for name, scores in whole.items()},
        "2:rho": {name: each.rho for name, each in parts.items()},
        "2:delta": {name: -each.delta for name, each in parts.items()},
        "2:gamma": {name: each.gamma for name, each in parts.items()},
        "2:prmse": {name: each.prmse for name, each in parts.items()},
        "2:qwk": {HUMAN: 1.0} | {name: each.qwk for name, each in here.items.items()},
    }
    for place, form in enumerate(here.forms, start=1):
        found |= _of_form(form, place)
    return found


def _of_form(form: FormResult, place: int) -> dict[str, dict[str, float]]:
    """Return tables 3 to 5 of one form, by column and condition."""
    found: dict[str, dict[str, float]] = {}
    for reference, whom in ((AUTOMATED, "engine"), (HUMAN, "human")):
        both = {name: form.difference(name, reference) for name in form.reported}
        found[f"3.{place}:mean_{whom}"] = {name: mean for name, (mean, _) in both.items()}
        found[f"3.{place}:rmsd_{whom}"] = {name: rmsd for name, (_, rmsd) in both.items()}
    found[f"4.{place}:alpha"] = {name: each.alpha for name, each in form.reported.items()}
    found[f"4.{place}:csem"] = {name: each.standard_error for name, each in form.reported.items()}
    found[f"5.{place}:exact"] = {name: form.exact_agreement(name) for name in form.reported}
    for level in range(4):
        found[f"5.{place}:level_{level + 1}"] = {
            name: 100 * float((each.levels == level).mean()) for name, each in form.reported.items()
        }
    return found


def beside_tables(here: Analysed) -> list[Table]:
    """Return a table for each measure: every printed number beside ours with the ratio, the largest gap first."""
    found, names = _found_here(here), [form.name for form in here.forms]
    return [gaps_table(key, kind, _pairs(columns, found, names), SHOWN) for key, columns, kind in MEASURES]


def _pairs(
    columns: Iterable[str], found: Columns, forms: Sequence[str]
) -> Iterator[tuple[Term, Term, float, float, tuple[()]]]:
    """Yield where a number of a measure is printed, what it is, and both numbers."""
    own = _reader(found)
    for column in columns:
        table, _, number = column.partition(":")
        for place in [None] if table == "2" else FORMS:
            for condition, value in printed(column, place).items():
                of = Term(f"condition.{condition}")
                of = of if place is None else Term("on_form", condition=of, form=forms[place - 1])
                yield in_table(table), of_what(of, number), value, own(column, place)[condition], ()


def stand_in(here: Analysed) -> Table:
    """Return what is printed of the paper's test beside the simulated one: how near the stand-in comes."""
    test, engine = here.test, here.items[AUTOMATED].components
    twice = np.isfinite(test.second)
    own = {
        "alpha_reading": cronbach_alpha(test.scores[:, :SELECTED]).value,
        "alpha_writing": cronbach_alpha(test.scores[:, SELECTED:]).value,
        "alpha_all": cronbach_alpha(test.scores).value,
        "r_two_raters": pearson_r(test.scores[twice, test.studied].astype(float), test.second[twice]),
        "rho": engine.rho,
        "prmse": engine.prmse,
    }
    rows: list[tuple[Term, Sequence[float], Sequence[float], Kind]] = [
        (Term(f"published.{name}"), [value], [own[name]], "number") for name, value in CALIBRATION.items()
    ]
    for form, ends in zip(here.forms, SD, strict=True):
        spreads = [float(each.scores.std()) for each in form.reported.values()]
        rows.append((Term("published.scale_sd", form=form.name), ends, spreads, "score"))
    return stand_in_table("study.stand_in", rows)


def statements_of(analysed: Analysed) -> list[Statement]:
    """Return every statement with its outcome."""
    scale_sd = [max(float(each.scores.std()) for each in form.reported.values()) for form in analysed.forms]
    here = _reader(_found_here(analysed))
    return [
        *_of_accuracy(here),
        *_of_sizes(here, scale_sd),
        *_of_precision(here),
        *_of_levels(here),
        # what one item of a simulated test cannot show
        *(Statement(DISCUSSION, key, None)
          for key in ("construct", "evidence", "several_items", "other_item", "operational")),
    ]  # fmt: skip


def _said(
    here: Numbers, place: Term, key: str, what: Callable[[Numbers], Iterable[float]],
    holds: Callable[[list[float]], bool] | None = None, kind: Kind = "score",
) -> Statement:  # fmt: skip
    """Return a statement on the same numbers in print and here; without a rule these must be near those in print."""
    old, own = list(what(printed)), list(what(here))
    return Statement(place, key, near(old, own) if holds is None else bool(holds(own)), old, own, kind)


def _of_accuracy(here: Numbers) -> Iterator[Statement]:
    """Yield what is said of PRMSE itself."""
    rho, delta, gamma, prmse = (printed(f"2:{name}") for name in ("rho", "delta", "gamma", "prmse"))
    gap = max(
        abs(rho[name] ** 2 - rho[name] ** 2 * (1 - gamma[name]) ** 2 - delta[name] ** 2 - prmse[name]) for name in rho
    )
    yield Statement(in_table("2"), "identity", gap <= IDENTITY_TOLERANCE, (), (gap,), "coefficient")
    start = here("2:prmse")[AUTOMATED]
    yield _said(here, DISCUSSION, "bias_hardly", lambda of: [of("2:prmse")[f"delta_x{k}"] for k in (10, 20, 30)],
                lambda own: own[0] > start - 0.05 and own[1] < start - 0.1, "number")  # fmt: skip
    yield _said(here, DISCUSSION, "matching_hardly", lambda of: [of("2:prmse")[name] for name in (AUTOMATED, MATCHED)],
                lambda own: own[0] - own[1] <= 0.02, "number")  # fmt: skip
    best = max(value for value in here("2:qwk").values() if value < 1)
    yield _said(here, in_table("2"), "matching_qwk", lambda of: [of("2:qwk")[name] for name in (AUTOMATED, MATCHED)],
                lambda own: own[1] == best, "number")  # fmt: skip

    def straight(of: Numbers) -> list[float]:
        rho, prmse = ([of(f"2:{column}")[name] for name in NOISE] for column in ("rho", "prmse"))
        return [float(np.corrcoef(rho, prmse)[0, 1])]

    yield _said(here, DISCUSSION, "linear", straight, lambda own: own[0] > 0.99, "coefficient")


def _of_sizes(here: Numbers, scale_sd: Sequence[float]) -> Iterator[Statement]:
    """Yield what is said of how far scale scores move (RMSD), and of their mean."""

    def rmsd(of: Numbers, form: int) -> Mapping[str, float]:
        return of("3:rmsd_human", form)

    def times(of: Numbers, names: Iterable[str], forms: Iterable[int] = FORMS) -> list[float]:
        """Return how many times as far as with the engine's score as it is."""
        return [rmsd(of, form)[name] / rmsd(of, form)[AUTOMATED] for form in forms for name in names]

    def mildest_by_others(of: Numbers) -> list[float]:
        moved = [rmsd(of, form) for form in FORMS]
        others = [max(value for name, value in each.items() if name not in NOISE) for each in moved]
        return [min(each[name] for name in MUCH_NOISE) / most for each, most in zip(moved, others, strict=True)]

    def engine(of: Numbers) -> list[float]:
        return [rmsd(of, form)[AUTOMATED] for form in FORMS]

    def noisy(of: Numbers, form: int) -> list[float]:
        return [rmsd(of, form)[name] for name in MUCH_NOISE]

    yield _said(here, in_table("3"), "engine_moves", engine)
    yield _said(here, RESULTS, "shorter_more", engine, lambda own: own == sorted(own))
    yield _said(here, RESULTS, "noise_most", mildest_by_others, lambda own: min(own) > 1, "coefficient")
    for form in FORMS:
        yield _said(here, RESULTS, f"noise_moves_{form}", partial(noisy, form=form))
    below = [name for name in NOISE if here("2:prmse")[name] < LIMIT]
    yield _said(here, DISCUSSION, "below_notable", lambda of: [min(times(of, below, [form])) for form in FORMS],
                lambda own: min(own) > 1.5, "coefficient")  # fmt: skip
    yield _said(here, RESULTS, "below_similar", lambda of: times(of, (BIAS, SPREAD)),
                lambda own: max(own) < 1 + NEAR, "coefficient")  # fmt: skip
    yield _said(here, RESULTS, "short_doubled", lambda of: times(of, ["pi70"], [3]), lambda own: own[0] > 2,
                "coefficient")  # fmt: skip
    shares = [100 * rmsd(here, form)[name] / scale_sd[form - 1] for form in FORMS for name in below]
    ends = (min(shares), max(shares))
    yield Statement(RESULTS, "share_of_sd", near((11, 23), ends), (11, 23), ends, "percent")
    old, own = 100 * rmsd(printed, 3)[AUTOMATED] / SD[2][1], 100 * rmsd(here, 3)[AUTOMATED] / scale_sd[2]
    yield Statement(DISCUSSION, "some_at_98", own > 5, [old], [own], "percent")
    yield _said(here, DISCUSSION, "matching_moves", lambda of: times(of, [MATCHED]), lambda own: max(own) < 1.1,
                "coefficient")  # fmt: skip
    yield _said(here, in_table("3"), "bias_mean", lambda of: [of("3:mean_human", form)[BIAS] for form in FORMS],
                kind="difference")  # fmt: skip
    yield _said(here, in_table("3"), "noise_mean", lambda of: [of("3:mean_human", 1)["pi70"]], kind="difference")


def _of_precision(here: Numbers) -> Iterator[Statement]:
    """Yield what is said of reliability and standard errors."""
    yield _said(
        here,
        RESULTS,
        "alpha_full",
        lambda of: of("4:alpha", 1).values(),
        lambda own: sum(abs(value - 0.875) <= 0.005 for value in own) >= ALMOST_ALL * len(own),
        "number",
    )
    yield _said(here, RESULTS, "alpha_short", lambda of: [of("4:alpha", 3)[AUTOMATED] - of("4:alpha", 3)["pi70"]],
                kind="number")  # fmt: skip
    yield _said(here, in_table("4"), "csem", lambda of: [of("4:csem", form)[AUTOMATED] for form in FORMS])

    def spread(of: Numbers) -> list[float]:
        return [100 * (max(each.values()) / min(each.values()) - 1) for each in (of("4:csem", k) for k in FORMS)]

    yield _said(here, RESULTS, "csem_steady", spread, lambda own: max(own) < 5, "percent")


def _of_levels(here: Numbers) -> Iterator[Statement]:
    """Yield what is said of performance levels."""

    def lowest(of: Numbers, form: int, keep: Callable[[float], bool] = lambda _: True) -> float:
        return min(of("5:exact", form)[name] for name, value in of("2:prmse").items() if keep(value))

    exact, bias = in_table("5"), printed("5:exact", 3)[BIAS]
    yield _said(here, exact, "levels_long", lambda of: [lowest(of, form) for form in (1, 2)],
                lambda own: min(own) > 96, "percent")  # fmt: skip
    yield _said(here, RESULTS, "levels_below", lambda of: [lowest(of, 3, lambda prmse: prmse < LIMIT)],
                lambda own: own[0] < 95, "percent")  # fmt: skip
    yield _said(here, exact, "levels_above", lambda of: [lowest(of, 3, lambda prmse: prmse >= LIMIT)],
                lambda own: own[0] > 95, "percent")  # fmt: skip
    yield _said(here, RESULTS, "levels_spread", lambda of: [of("5:exact", 3)[SPREAD]], lambda own: own[0] > 98,
                "percent")  # fmt: skip
    yield _said(here, RESULTS, "levels_bias", lambda of: [of("5:exact", 3)[BIAS]], lambda own: abs(own[0] - bias) <= 2,
                "percent")  # fmt: skip
