"""What Casabianca et al. (2023) conclude, statement by statement, held against the simulated test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from reportgen.results.term import Term
from reportgen.studies.printed import in_table
from reportgen.studies.score_impact import published
from reportgen.studies.score_impact.analysis import AUTOMATED, FormResult
from reportgen.studies.score_impact.beside import Found
from reportgen.studies.statements import NEAR, Statement, near

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

Numbers = Callable[..., Mapping[str, float]]
"""(column, form) -> condition -> number, in print or here."""


def statements(found: Found, forms: Sequence[FormResult]) -> list[Statement]:
    """Return every statement with its outcome.

    Parameters
    ----------
    found
        Numbers found here, by the names of ``published.csv``.
    forms
        What every test form reports.
    """
    scale_sd = [max(float(reported.scores.std()) for reported in form.reported.values()) for form in forms]

    def here(column: str, form: int | None = None) -> Mapping[str, float]:
        table, _, name = column.partition(":")
        return found[column if form is None else f"{table}.{form}:{name}"]

    return [
        *_of_accuracy(here),
        *_of_sizes(here, scale_sd),
        *_of_means(here),
        *_of_precision(here),
        *_of_levels(here),
        *_not_testable(),
    ]


def _both(here: Numbers, what: Callable[[Numbers], Iterable[float]]) -> tuple[list[float], list[float]]:
    """Return the same numbers in print and here."""
    return list(what(published.printed)), list(what(here))


def _forms() -> range:
    return range(1, published.FORMS + 1)


def _of_accuracy(here: Numbers) -> Iterator[Statement]:
    """Yield what is said of PRMSE itself."""
    parts = [published.printed(f"2:{name}") for name in ("rho", "delta", "gamma", "prmse")]
    gaps = [
        abs(rho**2 - rho**2 * (1 - gamma) ** 2 - delta**2 - prmse)
        for rho, delta, gamma, prmse in ([each[name] for each in parts] for name in parts[0])
    ]
    yield Statement(in_table("2"), "identity", max(gaps) <= IDENTITY_TOLERANCE, (), (max(gaps),), "coefficient")

    def biased(of: Numbers) -> list[float]:
        return [of("2:prmse")[name] for name in ("delta_x10", "delta_x20", BIAS)]

    old, own = _both(here, biased)
    start = here("2:prmse")[AUTOMATED]
    holds = own[0] > start - 0.05 and own[1] < start - 0.1
    yield Statement(DISCUSSION, "bias_hardly", holds, old, own, "number")
    old, own = _both(here, lambda of: [of("2:prmse")[AUTOMATED], of("2:prmse")[MATCHED]])
    yield Statement(DISCUSSION, "matching_hardly", own[0] - own[1] <= 0.02, old, own, "number")
    old, own = _both(here, lambda of: [of("2:qwk")[AUTOMATED], of("2:qwk")[MATCHED]])
    qwk = {name: value for name, value in here("2:qwk").items() if value < 1}
    best = qwk[MATCHED] == max(qwk.values())
    yield Statement(in_table("2"), "matching_qwk", best, old, own, "number")

    def straight(of: Numbers) -> list[float]:
        rho, prmse = ([of(f"2:{column}")[name] for name in NOISE] for column in ("rho", "prmse"))
        return [float(np.corrcoef(rho, prmse)[0, 1])]

    old, own = _both(here, straight)
    yield Statement(DISCUSSION, "linear", own[0] > 0.99, old, own, "coefficient")


def _of_sizes(here: Numbers, scale_sd: Sequence[float]) -> Iterator[Statement]:
    """Yield what is said of how far scale scores move (RMSD)."""

    def rmsd(of: Numbers, form: int) -> Mapping[str, float]:
        return of("3:rmsd_human", form)

    old, own = _both(here, lambda of: [rmsd(of, form)[AUTOMATED] for form in _forms()])
    yield Statement(in_table("3"), "engine_moves", near(old, own), old, own)
    yield Statement(RESULTS, "shorter_more", own == sorted(own), old, own)

    def mildest_by_others(of: Numbers) -> list[float]:
        moved = [rmsd(of, form) for form in _forms()]
        others = [max(value for name, value in each.items() if name not in NOISE) for each in moved]
        return [min(each[name] for name in MUCH_NOISE) / most for each, most in zip(moved, others, strict=True)]

    old, own = _both(here, mildest_by_others)
    yield Statement(RESULTS, "noise_most", min(own) > 1, old, own, "coefficient")
    for place in _forms():
        old, own = _both(here, lambda of, form=place: [rmsd(of, form)[name] for name in MUCH_NOISE])  # type: ignore[misc]
        yield Statement(RESULTS, f"noise_moves_{place}", near(old, own), old, own)
    below = [name for name in NOISE if here("2:prmse")[name] < LIMIT]
    old, own = _both(here, lambda of: [
        min(rmsd(of, form)[name] for name in below) / rmsd(of, form)[AUTOMATED] for form in _forms()])  # fmt: skip
    yield Statement(DISCUSSION, "below_notable", min(own) > 1.5, old, own, "coefficient")
    old, own = _both(here, lambda of: [
        rmsd(of, form)[name] / rmsd(of, form)[AUTOMATED] for form in _forms() for name in (BIAS, SPREAD)])  # fmt: skip
    yield Statement(RESULTS, "below_similar", max(own) < 1 + NEAR, old, own, "coefficient")
    old, own = _both(here, lambda of: [rmsd(of, 3)["pi70"] / rmsd(of, 3)[AUTOMATED]])
    yield Statement(RESULTS, "short_doubled", own[0] > 2, old, own, "coefficient")
    shares = [100 * rmsd(here, form)[name] / scale_sd[form - 1] for form in _forms() for name in below]
    ends = (min(shares), max(shares))
    yield Statement(RESULTS, "share_of_sd", near((11, 23), ends), (11, 23), ends, "percent")
    old = [100 * rmsd(published.printed, 3)[AUTOMATED] / published.SD[2][1]]
    own = [100 * rmsd(here, 3)[AUTOMATED] / scale_sd[2]]
    yield Statement(DISCUSSION, "some_at_98", own[0] > 5, old, own, "percent")
    old, own = _both(here, lambda of: [rmsd(of, form)[MATCHED] / rmsd(of, form)[AUTOMATED] for form in _forms()])
    yield Statement(DISCUSSION, "matching_moves", max(own) < 1.1, old, own, "coefficient")


def _of_means(here: Numbers) -> Iterator[Statement]:
    """Yield what is said of the mean of scale scores."""
    old, own = _both(here, lambda of: [of("3:mean_human", form)[BIAS] for form in _forms()])
    yield Statement(in_table("3"), "bias_mean", near(old, own), old, own, "difference")
    old, own = _both(here, lambda of: [of("3:mean_human", 1)["pi70"]])
    yield Statement(in_table("3"), "noise_mean", near(old, own), old, own, "difference")


def _of_precision(here: Numbers) -> Iterator[Statement]:
    """Yield what is said of reliability and standard errors."""
    old, own = _both(here, lambda of: of("4:alpha", 1).values())
    holds = float(np.mean([abs(value - 0.875) <= 0.005 for value in own])) >= ALMOST_ALL
    yield Statement(RESULTS, "alpha_full", holds, old, own, "number")
    old, own = _both(here, lambda of: [of("4:alpha", 3)[AUTOMATED] - of("4:alpha", 3)["pi70"]])
    yield Statement(RESULTS, "alpha_short", near(old, own), old, own, "number")
    old, own = _both(here, lambda of: [of("4:csem", form)[AUTOMATED] for form in _forms()])
    yield Statement(in_table("4"), "csem", near(old, own), old, own)

    def spread(of: Numbers) -> list[float]:
        return [100 * (max(each.values()) / min(each.values()) - 1) for each in (of("4:csem", k) for k in _forms())]

    old, own = _both(here, spread)
    yield Statement(RESULTS, "csem_steady", max(own) < 5, old, own, "percent")


def _of_levels(here: Numbers) -> Iterator[Statement]:
    """Yield what is said of performance levels."""

    def lowest(of: Numbers, form: int, keep: Callable[[float], bool]) -> float:
        return min(of("5:exact", form)[name] for name, value in of("2:prmse").items() if keep(value))

    old, own = _both(here, lambda of: [lowest(of, form, lambda _: True) for form in (1, 2)])
    yield Statement(in_table("5"), "levels_long", min(own) > 96, old, own, "percent")
    old, own = _both(here, lambda of: [lowest(of, 3, lambda prmse: prmse < LIMIT)])
    yield Statement(RESULTS, "levels_below", own[0] < 95, old, own, "percent")
    old, own = _both(here, lambda of: [lowest(of, 3, lambda prmse: prmse >= LIMIT)])
    yield Statement(in_table("5"), "levels_above", own[0] > 95, old, own, "percent")
    old, own = _both(here, lambda of: [of("5:exact", 3)[SPREAD]])
    yield Statement(RESULTS, "levels_spread", own[0] > 98, old, own, "percent")
    old, own = _both(here, lambda of: [of("5:exact", 3)[BIAS]])
    yield Statement(RESULTS, "levels_bias", abs(own[0] - old[0]) <= 2, old, own, "percent")


def _not_testable() -> Iterator[Statement]:
    """Yield what one item of a simulated test cannot show."""
    for key in ("construct", "evidence", "several_items", "other_item", "operational"):
        yield Statement(DISCUSSION, key, None)
