"""The tables of an evaluation, made by hand with the keys and columns that the real one has."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reportgen.results import Cell, Column, Estimate, Kind, Mark, Row, Table

N = 4812
DOUBLE = 600
POINTS = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
KINDS: Mapping[str, Kind] = {
    "smd": "difference",
    "dsm": "difference",
    "rmse": "score",
    "mae": "score",
    "exact_agreement": "percent",
    "adjacent_agreement": "percent",
    "error_variance": "number",
    "true_variance": "number",
    "mse_true": "number",
}


DISCRETE = frozenset({"kappa", "exact_agreement", "adjacent_agreement"})
VALUES = {
    "qwk": 0.83,
    "r": 0.84,
    "smd": -0.04,
    "rmse": 0.52,
    "mae": 0.41,
    "r_squared": 0.69,
    "kappa": 0.55,
    "exact_agreement": 66.2,
    "adjacent_agreement": 98.4,
}


def estimate(metric: str, value: float | None, n: int = N, half: float = 0.02, kind: Kind | None = None) -> Estimate:
    """Return an estimate with a symmetric interval, or an undefined one."""
    kind = kind or KINDS.get(metric, "coefficient")
    if value is None:
        return Estimate(metric, None, n, kind=kind, reason="all engine scores are equal")
    return Estimate(metric, value, n, value - half, value + half, half / 2, method="jackknife", kind=kind)


def table(
    key: str,
    columns: Sequence[tuple[str, Kind]],
    rows: Sequence[tuple[Cell, ...]],
    marks: Sequence[Mark] = (),
    hidden: Sequence[str] = (),
) -> Table:
    """Return a table whose labels are its keys."""
    blank: Mark = ""
    return Table(
        key,
        f"Caption of {key}.",
        tuple(Column(each, each.replace("_", " "), kind, shown=each not in hidden) for each, kind in columns),
        tuple(Row(cells, mark) for cells, mark in zip(rows, marks or [blank] * len(rows), strict=True)),
    )


def data_tables(groups: Mapping[str, Sequence[tuple[str, int, float]]]) -> list[Table]:
    counted: Sequence[tuple[str, Kind]] = [("what", "text"), ("responses", "count"), ("share", "percent")]
    return [
        table("data.composition", counted, [("read", 4824, 100.0), ("kept", N, 99.75), ("excluded", 12, 0.25)]),
        table(
            "data.exclusions",
            [("reason", "text"), ("responses", "count"), ("first_rows", "text")],
            [("human score is not a number", 9, "14, 90, 112"), ("human score is zero", 3, "7, 8, 9")],
        ),
        table(
            "data.exclusion_composition",
            [("human", "text"), ("numeric_system", "count"), ("non_numeric_system", "count")],
            [("not a number", 9, 0), ("zero", 3, 0)],
        ),
        *(
            table(
                f"data.groups.{column}",
                [("level", "text"), ("n", "count"), ("share", "percent")],
                [(level, n, 100 * n / N) for level, n, _ in levels],
            )
            for column, levels in groups.items()
        ),
    ]


def system_tables(undefined: bool) -> list[Table]:
    def value(metric: str, wanted: float, half: float = 0.02) -> Estimate:
        return estimate(metric, None if undefined else wanted, N, half)

    continuous = Estimate("kappa", None, N, reason="not applicable: continuous scores")
    descriptives: Sequence[tuple[str, Kind]] = [
        ("score_type", "text"),
        ("n", "count"),
        *((f"{who}_{what}", "score") for what in ("mean", "sd", "min", "max") for who in ("human", "system")),
        ("smd", "difference"),
    ]
    forms = ("as given", "trimmed", "trimmed and rounded")
    association = ("qwk", "r", "r_squared", "rmse", "mae")
    agreement = ("kappa", "exact_agreement", "adjacent_agreement")
    counts = [[40 if abs(i - j) == 1 else 600 * (i == j) + 2 for j in range(5)] + [0] for i in range(5)] + [[0] * 6]
    shares = (5.0, 20.0, 30.0, 30.0, 15.0, 0.0)
    engine = (4.0, 19.0, 36.5, 28.5, 12.0, 0.0)
    scores: Sequence[tuple[str, Kind]] = [
        ("score", "text"),
        ("human_n", "count"),
        ("human_percent", "percent"),
        ("system_n", "count"),
        ("system_percent", "percent"),
        ("difference", "percent"),
    ]
    return [
        table(
            "system_human.descriptives",
            descriptives,
            [(form, N, 3.41, 3.38, 0.87, 0.77, 1.0, 0.62, 5.0, 5.4, value("smd", -0.04)) for form in forms],
            hidden=("human_min", "human_max", "system_min", "system_max"),
        ),
        table(
            "system_human.association",
            [("score_type", "text"), ("n", "count"), *((m, KINDS.get(m, "coefficient")) for m in association)],
            [(form, N, *(value(m, VALUES[m]) for m in association)) for form in forms],
        ),
        table(
            "system_human.agreement",
            [("score_type", "text"), ("n", "count"), *((m, KINDS.get(m, "coefficient")) for m in agreement)],
            [
                *((form, N, continuous, continuous, continuous) for form in forms[:2]),
                (forms[2], N, *(value(m, VALUES[m]) for m in agreement)),
            ],
        ),
        confusion("confusion.system", counts),
        table(
            "distribution",
            scores,
            [
                (f"{point:g}", round(48.12 * h), h, round(48.12 * s), s, s - h)
                for point, h, s in zip(POINTS, shares, engine, strict=True)
            ],
        ),
        table(
            "calibration",
            [("band", "text"), ("n", "count"), ("mean_system", "score"), ("mean_human", "score")],
            [
                (f"{b}–{b + 1}", 800, b + 0.5, estimate("mean", b + 0.45 + 0.2 * (b == 4), 800, 0.05, "score"))
                for b in range(1, 6)
            ],
        ),
    ]


def confusion(key: str, counts: Sequence[Sequence[int]]) -> Table:
    """Return a confusion matrix over the whole scale with a total column."""
    labels = [f"{point:g}" for point in POINTS]
    columns: Sequence[tuple[str, Kind]] = [
        ("human", "text"),
        *((label, "count") for label in labels),
        ("total", "count"),
    ]
    return table(key, columns, [(label, *row, sum(row)) for label, row in zip(labels, counts, strict=True)])


def human_tables(second_human: bool, undefined: bool) -> list[Table]:
    if not second_human:
        return []

    def value(metric: str, wanted: float, n: int = DOUBLE) -> Estimate:
        return estimate(metric, None if undefined else wanted, n, 0.03)

    metrics = ("qwk", "r", "kappa", "exact_agreement", "adjacent_agreement", "smd")
    rater: Sequence[tuple[str, Kind]] = [
        ("rater", "text"),
        ("n", "count"),
        *((what, "score") for what in ("mean", "sd", "min", "max")),
    ]
    degradation = [
        (
            metric,
            form,
            value(metric, VALUES[metric] * 0.97),
            value(metric, VALUES[metric], N),
            replace(value(f"degradation_{metric}", VALUES[metric] * 0.03), kind="difference"),
        )
        for metric, form in ((m, "trimmed and rounded" if m in DISCRETE else "trimmed") for m in metrics)
    ]
    return [
        table(
            "human_human.descriptives",
            rater,
            [
                ("h1, all", N, 3.41, 0.87, 1.0, 5.0),
                ("h1, double-scored", DOUBLE, 3.4, 0.86, 1.0, 5.0),
                ("h2, double-scored", DOUBLE, 3.37, 0.89, 1.0, 5.0),
            ],
        ),
        table(
            "human_human.agreement",
            [("pair", "text"), ("n", "count"), *((m, KINDS.get(m, "coefficient")) for m in metrics)],
            [("h1, h2", DOUBLE, *(value(m, VALUES[m] * 0.97) for m in metrics))],
            hidden=("smd",),
        ),
        table(
            "human_human.degradation",
            [
                ("metric", "text"),
                ("score_type", "text"),
                *((k, "coefficient") for k in ("human_human", "system_human", "difference")),
            ],
            degradation,
        ),
        table(
            "human_human.disattenuated",
            [
                ("score_type", "text"),
                *((k, "coefficient") for k in ("corr_HM", "corr_HH", "sqrt_HH", "corr_disattenuated")),
            ],
            [
                (form, value("r", 0.84), value("r", 0.8), value("r", 0.89), value("r", 0.94))
                for form in ("as given", "trimmed")
            ],
        ),
        confusion("confusion.human", [[90 * (i == j) + 5 * (abs(i - j) == 1) for j in range(6)] for i in range(6)]),
        table(
            "true_score.prmse",
            [
                ("score_type", "text"),
                *((k, "count") for k in ("n", "n_raters", "n_single", "n_multiple")),
                *((k, "number") for k in ("error_variance", "true_variance", "mse_true")),
                ("prmse", "coefficient"),
            ],
            [
                (
                    form,
                    N,
                    2,
                    N - DOUBLE,
                    DOUBLE,
                    *(
                        value(m, v, N)
                        for m, v in (("error_variance", 0.14), ("true_variance", 0.61), ("mse_true", 0.17))
                    ),
                    value("prmse", 0.71, N),
                )
                for form in ("as given", "trimmed", "trimmed and rounded")
            ],
            hidden=("n_raters", "n_single"),
        ),
    ]


def group_tables(
    column: str, levels: Sequence[tuple[str, int, float]], second_human: bool, undefined: bool
) -> list[Table]:
    def value(metric: str, wanted: float, n: int, kind: Kind | None = None) -> Estimate:
        return estimate(metric, None if undefined else wanted, n, 0.05, kind)

    metrics = ("dsm", "qwk", "r", "r_squared", "rmse", "kappa", "exact_agreement", "adjacent_agreement")
    everything = [("All data", N, 0.0), *levels]
    marks: list[Mark] = ["overall", "reference", *(("insufficient" if n < 100 else "") for _, n, _ in levels[1:])]
    by_group = table(
        f"by_group.{column}",
        [
            ("level", "text"),
            ("n", "count"),
            *((k, "score") for k in ("human_mean", "system_mean", "human_sd", "system_sd")),
            *((m, KINDS.get(m, "coefficient")) for m in metrics),
        ],
        [
            (level, n, 3.4, 3.4 + dsm, 0.9, 0.8, value("dsm", dsm, n), *(value(m, VALUES[m], n) for m in metrics[1:]))
            for level, n, dsm in everything
        ],
        marks,
        ("human_sd", "system_sd", *metrics[3:]),
    )
    human = table(
        f"human_human.by.{column}",
        [
            ("level", "text"),
            ("n", "count"),
            ("h1_mean", "score"),
            ("h2_mean", "score"),
            *((m, KINDS.get(m, "coefficient")) for m in ("dsm", "qwk", "r")),
        ],
        [
            (level, n // 8, 3.4, 3.5, value("dsm", 0.02, n // 8), value("qwk", 0.8, n // 8), value("r", 0.8, n // 8))
            for level, n, _ in everything
        ],
        marks,
    )
    return [by_group, *([human] if second_human else []), *_fairness_tables(column, levels, undefined)]


def _fairness_tables(column: str, levels: Sequence[tuple[str, int, float]], undefined: bool) -> list[Table]:
    analyses = ("Overall score accuracy (OSA)", "Overall score difference (OSD)", "Conditional score difference (CSD)")
    base = levels[0][0]
    estimates: Sequence[tuple[str, Kind]] = [("level", "text"), ("n", "count"), ("estimate", "score"), ("p", "p")]
    result = [
        table(
            f"fairness.explained.{column}",
            [("analysis", "text"), ("r_squared", "coefficient"), ("p", "p"), ("n", "count"), ("base_group", "text")],
            [(analysis, None if undefined else 0.012, None if undefined else 0.0004, N, base) for analysis in analyses],
        ),
        table(
            f"fairness.means.{column}",
            [("human_score", "text"), *((level, "score") for level, _, _ in levels)],
            [
                (
                    f"{point:g}",
                    *(estimate("mean", None if undefined else point, n // 6, 0.1, "score") for _, n, _ in levels),
                )
                for point in POINTS
            ],
        ),
    ]
    result.append(_given_true_score(column, levels, undefined))
    for analysis in ("osa", "osd", "csd"):
        rows: list[tuple[Cell, ...]] = [
            (
                f"{level} (reference)" if level == base else level,
                n,
                estimate(analysis, None if undefined else dsm, n, 0.06, "score"),
                None if undefined else 0.02,
            )
            for level, n, dsm in levels
        ]
        blank: Mark = ""
        marks: list[Mark] = ["reference", *[blank] * (len(rows) - 1)]
        result.append(table(f"fairness.{analysis}.{column}", estimates, rows, marks))
    return result


def _given_true_score(column: str, levels: Sequence[tuple[str, int, float]], undefined: bool) -> Table:
    """Return differences given the true score: half of the difference of standardized means."""

    def value(wanted: float, n: int) -> Estimate:
        return estimate("difference_given_true_score", None if undefined else wanted, n, 0.05, "difference")

    rows: list[tuple[Cell, ...]] = [(levels[0][0], levels[0][1], None, None, None, None, None)]
    rows += [
        (level, n, 2 * dsm, value(dsm / 2, n), 0.08, value(dsm / 2, n), value(dsm, n)) for level, n, dsm in levels[1:]
    ]
    marks: list[Mark] = ["reference", *(("insufficient" if n < 100 else "") for _, n, _ in levels[1:])]
    columns: Sequence[tuple[str, Kind]] = [
        ("level", "text"), ("n", "count"), ("gap", "difference"), ("standardized", "difference"),
        ("detectable", "coefficient"), ("rater_error", "difference"), ("from_others", "difference"),
    ]  # fmt: skip
    return table(f"fairness.given_true_score.{column}", columns, rows, marks, ("from_others",))
