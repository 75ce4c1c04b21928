"""Rows counted in batches give the report that rows in memory give: counts exactly, numbers to 1e-12."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from reportgen.evaluation import evaluate
from reportgen.passes import count
from reportgen.reports.single import report_of
from reportgen.scores import read
from reportgen.sections import load
from reportgen.settings import Settings, from_keywords
from reportgen.storing import results_file

Columns = dict[str, list[Any]]


def drawn(n: int, seed: int, *, step: float = 1.0, decimals: int = 3, high: float = 6) -> Columns:
    """Draw scores with everything that is odd: missing, words, infinite ones, zeros, flags, blanks, padded labels."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    h1, h2 = (
        np.clip(np.rint((3.5 + truth + rng.normal(0, 0.5, n)) / step) * step, 1, high).astype(object) for _ in range(2)
    )
    system = np.round(np.clip(3.5 + truth + rng.normal(0, 0.4, n), 0, high + 1), decimals).astype(object)
    for column, share, values in (
        (h1, 0.05, ["", "x", "0", "inf", " "]),
        (h2, 0.6, ["", "", "", "n/a", "0", "-inf"]),
        (system, 0.04, ["", "I'm sorry", "nan", "inf", "1e400"]),
    ):
        rows = rng.random(n) < share
        column[rows] = rng.choice(np.array(values, object), rows.sum())
    labels = np.array(["f", "m", " f", "m ", "", "other"], object)
    return {
        "id": [f"r{row:06}" for row in rng.permutation(n)],
        "h1": h1.tolist(),
        "h2": h2.tolist(),
        "engine": system.tolist(),
        "gender": rng.choice(labels, n, p=[0.4, 0.4, 0.05, 0.05, 0.05, 0.05]).tolist(),
        "item": rng.choice(["P1", "P2", "P3"], n).tolist(),
        "grade": rng.choice([6, 7, 8], n).tolist(),
        "flag": rng.choice(["0", "1", "0.0"], n, p=[0.8, 0.1, 0.1]).tolist(),
        "note": [f"note {row % 97}" for row in range(n)],
    }


def with_candidates(columns: Columns, seed: int, most: int = 60) -> Columns:
    """Give the responses to candidates, a few of whom wrote many; some have no name, or one with a blank."""
    rng = np.random.default_rng(seed)
    n = len(columns["h1"])
    who = (most * rng.random(n) ** 2).astype(int)
    names = np.array([f"c{each}" for each in who], object)
    names[rng.random(n) < 0.1] = ""
    names[rng.random(n) < 0.05] = "  "
    names[rng.random(n) < 0.05] = "c1 "
    return columns | {"student": names.tolist(), "number": (who * 7 - 30).tolist()}


def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make blocks of a few responses of candidates, and files that are written in many pieces."""
    for module in ("reportgen.tally.clusters", "reportgen.passes.candidates"):
        monkeypatch.setattr(f"{module}.BLOCK_ROWS", 40)
    monkeypatch.setattr("reportgen.sources.digests.BATCH_ROWS", 50)


def texts(columns: Columns) -> Any:
    return pa.table({name: pa.array([str(value) for value in values]) for name, values in columns.items()})


def numbers(columns: Columns) -> Any:
    """The same with numbers as numbers, as Parquet files have them; words and blanks are missing."""
    made = {}
    for name, values in columns.items():
        if name in ("h1", "h2", "engine"):
            parsed = [number(value) for value in values]
            made[name] = pa.array(parsed, pa.float64())
        else:
            made[name] = pa.array(values)
    return pa.table(made)


def number(value: Any) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def written(table: Any, folder: Path, suffix: str, files: int = 1) -> Any:
    paths = []
    for part in range(files):
        path = folder / f"part-{part}{suffix}"
        own = table.slice(
            part * table.num_rows // files, (part + 1) * table.num_rows // files - part * table.num_rows // files
        )
        if suffix == ".parquet":
            pq.write_table(own, path, row_group_size=37)
        else:
            pa_csv.write_csv(own, path)
        paths.append(path)
    return paths[0] if files == 1 else paths


def both(source: Any, settings: Settings, rows: int = 23, sections: tuple[str, ...] | None = ()) -> tuple[Any, Any]:
    """The report of rows in memory, and of rows in batches, as results.json has them."""
    chosen = load(sections, {})
    scores = read(source, settings)
    held = report_of(evaluate(scores, settings, {}), scores, settings, chosen)
    counted = count(source, settings, rows=rows)
    batched = report_of(evaluate(counted.account, settings, {}, counted.tallied), counted.account, settings, chosen)
    return tuple(json.loads(results_file.dumps(report)) for report in (held, batched))


def assert_alike(one: Any, other: Any, where: str = "") -> None:
    """Compare two JSON trees: numbers to 1e-12 of their size, everything else exactly.

    Rows that are counted in batches are in no order of their ids, and have no digest of their ratings.
    """
    if isinstance(one, dict):
        keys = [key for key in one if key != "ratings_sha256"]
        assert keys == [key for key in other if key != "ratings_sha256"], where
        for key in keys:
            assert_alike(one[key], other[key], f"{where}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            assert_alike(left, right, f"{where}[{index}]")
    elif isinstance(one, float) and isinstance(other, float):
        assert math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other)), (
            where, one, other,
        )  # fmt: skip
    else:
        assert one == other, where


CASES: dict[str, dict[str, Any]] = {
    "found": {"exclude_zero_scores": False},
    "declared": {
        "system": "engine", "human": ["h1", "h2"], "groups": ["gender", "item"], "id": "id", "scale": "1:6",
        "exclude_zero_scores": True,
    },
    "flags and zeros": {"flags": {"flag": [0]}, "scale": "0:6"},
    "crossed": {"groups": ["item", "grade"], "min_n_per_group": 20, "intersections": "all pairs", "missing": "none"},
    "nothing withheld": {"withhold_small_groups": False, "trim_min": 0.5, "trim_max": 7, "exclude_zero_scores": False},
    "one rater": {"human": ["h1"], "rater_error_variance": 0.2},
}  # fmt: skip


SLOW = pytest.mark.slow
EVERY = [(case, suffix) for case in CASES for suffix in (".csv", ".parquet")]
Units = Callable[[Columns, int], Columns]


@pytest.fixture(params=["responses", pytest.param("candidates", marks=SLOW)])
def units(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Units:
    """Responses that are units, or responses of candidates who are."""
    if request.param == "responses":
        return lambda columns, _: columns
    short_blocks(monkeypatch)
    return with_candidates


@pytest.mark.parametrize(
    ("case", "suffix"), [*EVERY[::2], EVERY[1], *(pytest.param(*each, marks=SLOW) for each in EVERY[3::2])]
)
def test_the_two_ways_agree(case: str, suffix: str, units: Units, tmp_path: Path) -> None:
    columns = units(drawn(400, 7), 7)
    table = texts(columns) if suffix == ".csv" else numbers(columns)
    sections = None if case == "found" else ()
    held, batched = both(written(table, tmp_path, suffix), from_keywords(**CASES[case]), sections=sections)
    assert held["report"]["evaluation"]["facts"].get("clustered", False) == ("student" in columns)
    assert_alike(held, batched)


@pytest.fixture
def short_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first look sees a few rows, so that later ones can change what columns seem to hold."""
    monkeypatch.setattr("reportgen.sources.parquet.FIRST_LOOK", 7)
    monkeypatch.setattr("reportgen.sources.readers.FIRST_LOOK", 7)
    monkeypatch.setattr("reportgen.sources.delimited._BLOCK", 600)


@pytest.mark.slow
@pytest.mark.usefixtures("short_look")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("seed", range(4))
def test_misleading_first_rows_do_not_matter(seed: int, suffix: str, tmp_path: Path) -> None:
    """Columns are in another order and have other names, so that some parts are found by what all rows hold."""
    rng = np.random.default_rng(seed)
    columns = drawn(300, seed)
    late = columns["grade"][:50] + [9.5 if row % 7 else None for row in range(250)]
    columns |= {
        "unnamed": [f"u{row}" for row in range(300)],
        "late": [late[row] if row > 40 else 2 for row in range(300)],
        "near": [f"n{max(row, 12)}" for row in range(300)],
        "measured": [float(row) for row in range(299)] + [0.25],
        "always": ["one"] * 299 + ["two"],
    }
    if seed % 2:
        columns["x"] = columns.pop("id")
    table = texts(columns) if suffix == ".csv" else numbers(columns)
    table = table.select(rng.permutation(table.column_names).tolist())
    settings = {} if seed % 2 else {"groups": ["late", "gender", "always"], "min_n_per_group": 2}
    assert_alike(*both(written(table, tmp_path, suffix), from_keywords(exclude_zero_scores=False, **settings)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "decimals", "high", "settings"),
    [
        (0.5, 3, 6, {"exclude_zero_scores": False}),
        (0.5, 0, 6, {"scale": "1:6:0.5", "exclude_zero_scores": True, "withhold_small_groups": False}),
        (1, 0, 4, {"scale": "1:4", "exclude_zero_scores": True, "groups": []}),
        (1, 2, 40, {"scale": "0:40", "human": ["h1", "h2"]}),
        (0.25, 3, 5, {"scale": "1:5:0", "exclude_zero_scores": True}),
        (1, 3, 6, {"scale": "0:6", "trim_tolerance": 0, "exclude_zero_scores": False}),
    ],
)
def test_every_kind_of_scale_agrees(
    step: float, decimals: int, high: float, settings: dict[str, Any], units: Units, tmp_path: Path
) -> None:
    table = numbers(units(drawn(350, 3, step=step, decimals=decimals, high=high), 3))
    assert_alike(*both(written(table, tmp_path, ".parquet"), from_keywords(**settings)))


@pytest.mark.slow
def test_rescaled_scores_agree(units: Units, tmp_path: Path) -> None:
    (tmp_path / "training.csv").write_text("sc1,prediction\n1,1.5\n2,2\n5,4.5\n3,3.5\n", encoding="utf-8")
    source = written(numbers(units(drawn(300, 5), 5)), tmp_path, ".parquet")
    for scale_with in ("asis", "raw", str(tmp_path / "training.csv")):
        assert_alike(*both(source, from_keywords(scale_with=scale_with, scale="1:6", exclude_zero_scores=True)))


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_several_files_agree(suffix: str, units: Units, tmp_path: Path) -> None:
    columns = units(drawn(500, 11), 11)
    table = texts(columns) if suffix == ".csv" else numbers(columns)
    source = written(table, tmp_path, suffix, files=3)
    held, batched = both(source, from_keywords(flags={"flag": [0]}, exclude_zero_scores=False))
    assert_alike(held, batched)
    assert [each["rows"] for each in batched["report"]["evaluation"]["source"]["files"]] == [166, 167, 167]


def test_a_partitioned_dataset_agrees(tmp_path: Path) -> None:
    table = numbers(drawn(300, 13))
    for grade in (6, 7, 8):
        folder = tmp_path / "data" / f"grade={grade}"
        folder.mkdir(parents=True)
        own = table.filter(pc.equal(table["grade"], grade)).drop(["grade"])
        if grade == 7:  # one type in one file, another in the next
            own = own.set_column(own.schema.get_field_index("h1"), "h1", own["h1"].cast(pa.float32()))
            own = own.set_column(own.schema.get_field_index("item"), "item", own["item"].dictionary_encode())
        pq.write_table(own, folder / "part.parquet", row_group_size=29)
    assert_alike(*both(tmp_path / "data", from_keywords(exclude_zero_scores=False)))


def test_rank_correlations_of_very_many_scores_agree(
    units: Units, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("reportgen.evaluation.counting.MOST_CELLS", 1 << 9)
    monkeypatch.setattr("reportgen.tally.clusters.MOST_PRODUCTS", 0)
    table = numbers(units(drawn(400, 17, decimals=6), 17))
    held, batched = both(written(table, tmp_path, ".parquet"), from_keywords(scale="1:6", exclude_zero_scores=True))
    assert "width" in json.dumps(held)
    assert_alike(held, batched)


def test_a_column_given_twice_is_questioned_both_ways(tmp_path: Path) -> None:
    columns = drawn(300, 19)
    source = written(numbers({**columns, "h2": columns["h1"]}), tmp_path, ".parquet")
    held, batched = both(source, from_keywords(human=["h1", "h2"], exclude_zero_scores=False))
    assert "one may be a copy" in json.dumps(batched)
    assert_alike(held, batched)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "end", "mark", "told"),
    [("utf-8-sig", "\r\n", ";", None), ("utf-16", "\n", ",", None), ("latin-1", "\n", "\t", "latin-1")],
)
def test_delimited_files_of_every_kind_agree(
    encoding: str, end: str, mark: str, told: str | None, tmp_path: Path
) -> None:
    columns = drawn(200, 23)
    columns["note"] = [f'é "{row}"{end} of ""' if row % 9 == 0 else f"n{row % 5}" for row in range(200)]
    lines = [mark.join(columns)]
    for row in zip(*columns.values(), strict=True):
        lines.append(mark.join('"' + str(value).replace('"', '""') + '"' for value in row))
        lines += [""] if len(lines) % 31 == 0 else []
    path = tmp_path / ("scores.tsv" if mark == "\t" else "scores.csv")
    path.write_bytes((end.join(lines) + end).encode(encoding))
    assert_alike(*both(path, from_keywords(encoding=told, exclude_zero_scores=False)))
