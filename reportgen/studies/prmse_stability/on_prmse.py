"""What Loukina et al. (2020) say of PRMSE: sections 5 to 7 and appendix B."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.studies.printed import in_figure, in_section
from reportgen.studies.prmse_stability import published
from reportgen.studies.prmse_stability.claims import CLOSE, Claim, Numbers, close_to, falling
from reportgen.studies.prmse_stability.measures import Measures
from reportgen.studies.prmse_stability.on_metrics import ends_of, low_and_high
from reportgen.studies.prmse_stability.ranks import misplaced, ranks_of
from reportgen.studies.prmse_stability.spreads import NEARLY, NORMAL, alone_times

RELIABLE, FEWER = 1000, 500
"""Double scores that the paper recommends, and those that may do where raters agree well."""

HALF_WIDTH = 0.05
"""Half-width of the 95 % interval within which PRMSE keeps its first decimal."""


def claims_on_prmse() -> Iterator[Claim]:
    """Yield every statement, in the order of the paper."""
    yield from _on_raters()
    yield from _on_double_scores()
    yield from _on_practice()


def _on_raters() -> Iterator[Claim]:
    """Yield how PRMSE moves with raters and ranks systems: sections 5.1 and 5.2."""
    place, figure, limits = in_section("5.2"), in_figure("4"), published.LIMITS
    yield Claim(in_section("5.1"), "prmse_between", _of_systems, lambda found: found[0] >= 0 and found[1] <= 1, (0, 1))
    yield Claim(figure, "r_squared_ends", lambda run: ends_of(run, "r_squared"), close_to(limits["r_squared"]),
                limits["r_squared"])  # fmt: skip
    yield Claim(figure, "prmse_ends", lambda run: ends_of(run, "prmse"), close_to(limits["prmse"]), limits["prmse"])
    ranges = tuple(limits[metric][1] - limits[metric][0] for metric in ("prmse", "r_squared"))
    yield Claim(place, "prmse_steadier", lambda run: [float(np.ptp(ends_of(run, metric))) for metric in
                ("prmse", "r_squared")], lambda found: found[0] < found[1] / 2, ranges)  # fmt: skip
    yield Claim(place, "prmse_centred", _off_centre, lambda found: max(map(abs, found)) <= CLOSE, kind="difference")
    yield Claim(place, "prmse_ranks", lambda run: (misplaced(run, "prmse"),), lambda found: not found[0], (0,), "count")


def _on_double_scores() -> Iterator[Claim]:
    """Yield what the number of double scores does: section 5.3, figure 5 and table 4."""
    place, fewest = in_section("5.3"), min(published.RANGES)
    printed = published.RANGES
    yield Claim(place, "more_steadier", _range_left, lambda found: max(found) < 50,
                [100 * last / first for first, last in zip(printed[fewest], printed[max(printed)], strict=True)],
                "percent")  # fmt: skip
    yield Claim(place, "number_not_share", lambda run: [alone_times(run, name) for name in run.raters],
                lambda found: all(1 / NEARLY < each < NEARLY for each in found))  # fmt: skip
    yield Claim(place, "few_vary", lambda run: [float(np.ptp(run.double[fewest, name][0])) for name in run.raters],
                falling, printed[fewest])  # fmt: skip
    yield Claim(place, "first_decimal", lambda run: _ends_with(run, ("moderate", "average", "high")), _one_decimal)
    yield Claim(place, "low_needs_more", lambda run: _ends_with(run, ("low",)), lambda found: not _one_decimal(found))
    yield Claim(in_figure("5"), "highest_prmse", lambda run: (highest(run),), close_to(published.HIGHEST, 0.05),
                published.HIGHEST, of_these_data=True)  # fmt: skip
    yield Claim(in_figure("5"), "above_one", lambda run: (_most_above_one(run),), lambda found: found[0] < RELIABLE,
                kind="count")  # fmt: skip


def _on_practice() -> Iterator[Claim]:
    """Yield what is concluded and recommended: sections 6 and 7, and what the formulas promise: appendix B."""
    yield Claim(in_section("6"), "same_labels", lambda run: (_ranked_otherwise(run),), lambda found: not found[0],
                kind="count")  # fmt: skip
    yield Claim(in_section("6"), "not_harder", low_and_high, lambda found: found[0] < found[1])
    place = in_section("7")
    enough = ("moderate", "average", "high")
    yield Claim(place, "thousand", lambda run: [_half_width(run, RELIABLE, name) for name in enough],
                lambda found: max(found) <= HALF_WIDTH)  # fmt: skip
    yield Claim(place, "five_hundred", lambda run: (_half_width(run, FEWER, "high"),),
                lambda found: found[0] <= HALF_WIDTH)  # fmt: skip
    for which, key in enumerate(("unbiased_variance", "unbiased_error")):
        yield Claim(in_section("B"), key, lambda run, k=which: [each[k] for each in run.truths.estimates.values()],  # type: ignore[misc]
                    lambda found: max(abs(each - 1) for each in found) <= CLOSE)  # fmt: skip


def _of_systems(run: Measures) -> Numbers:
    """Return the lowest and the highest PRMSE of the systems, all responses double-scored."""
    every = [each.own_pair["prmse"] for each in run.ranking]
    return min(every), max(every)


def _off_centre(run: Measures) -> Numbers:
    """Return mean PRMSE less R2 with true scores, by rater category."""
    return [float(values.mean()) - run.known for values in run.stability["mean", "prmse"].values()]


def _range_left(run: Measures) -> Numbers:
    """Return the range of PRMSE with the most double scores in percent of that with the fewest, by category."""
    counts = [count for count, _ in run.double]
    ends = [[float(np.ptp(run.double[count, name][0])) for count in (min(counts), max(counts))] for name in run.raters]
    return [100 * last / first for first, last in ends]


def _ends_with(run: Measures, names: tuple[str, ...]) -> Numbers:
    """Return the lowest and the highest PRMSE of these raters with the double scores that the paper recommends."""
    every = np.concatenate([run.double[RELIABLE, name][0] for name in names])
    return float(every.min()), float(every.max())


def _one_decimal(found: Numbers) -> bool:
    """Return whether all numbers are the same to the first decimal."""
    return len({round(each, 1) for each in found}) == 1


def highest(run: Measures) -> float:
    """Return the highest PRMSE with the fewest double scores and the raters who agree least."""
    (count, name), _ = next(iter(run.double.items()))
    return float(max(values.max() for values in run.double[count, name]))


def _most_above_one(run: Measures) -> int:
    """Return the most double scores with which a PRMSE lies above 1."""
    return max((count for (count, _), both in run.double.items() if max(map(np.max, both)) > 1), default=0)


def _ranked_otherwise(run: Measures) -> int:
    """Return how many systems PRMSE ranks otherwise than R2 does, all with the same raters."""
    by = (
        [rank for name in run.systems for rank in ranks_of(run, key, name, same=True)] for key in ("prmse", "r_squared")
    )
    return sum(one != other for one, other in zip(*by, strict=True))


def _half_width(run: Measures, count: int, name: str) -> float:
    """Return the half-width of the 95 % interval of PRMSE over pairs."""
    return NORMAL * float(np.std(run.double[count, name][0], ddof=1))
