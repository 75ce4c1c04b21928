"""The experiments of Wisniewski (2013) on simulated judges, and one's own ratings."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import reportgen
from reportgen.cli.app import app
from reportgen.errors import InputError
from reportgen.metrics import cohen_kappa, fleiss_kappa, kendall_tau_b
from reportgen.results import Evaluation
from reportgen.studies.rating_completion.experiments import ce_like, low_rank_limit, noisy_pair
from reportgen.studies.rating_completion.own import own_ratings
from reportgen.testing import said


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("rating-completion", draws=3, data_sets=1).evaluation


def test_simulated_judges_agree_as_the_paper_reports() -> None:
    """Weighted kappa .39 to .50, Fleiss .25, tau-b .64 to .68 (section 3)."""
    ratings = ce_like(np.random.default_rng(1), 20_000)
    pairs = [(0, 1), (0, 2), (1, 2)]
    kappas = [
        cohen_kappa(ratings[:, a], ratings[:, b], categories=range(1, 6), weights="linear").value for a, b in pairs
    ]
    taus = [kendall_tau_b(ratings[:, a], ratings[:, b]) for a, b in pairs]
    assert min(kappas) == pytest.approx(0.39, abs=0.02)
    assert max(kappas) == pytest.approx(0.50, abs=0.02)
    assert fleiss_kappa(ratings, categories=range(1, 6)).value == pytest.approx(0.25, abs=0.02)
    assert min(taus) == pytest.approx(0.64, abs=0.02)
    assert max(taus) == pytest.approx(0.68, abs=0.02)


@pytest.mark.parametrize(("strategy", "level", "value"), [(1, 1.0, 0.2132), (2, 1.0, 0.0536), (3, 2.0, 0.1538)])
def test_the_low_rank_ratio_tends_to_its_limit(strategy: int, level: float, value: float) -> None:
    from reportgen.studies.completion import low_rank_ratio

    assert low_rank_limit(strategy, level) == pytest.approx(value, abs=2e-4)
    drawn = low_rank_ratio(noisy_pair(np.random.default_rng(2), strategy, level, 200_000))
    assert drawn == pytest.approx(value, abs=0.002)


@pytest.mark.slow
def test_better_methods_reverse_the_finding(paper: Evaluation) -> None:
    table = paper.tables["study.three"].frame().set_index(["missing", "method"])["error"]
    for missing in (10, 40):
        normal, centred = (
            table[missing, "method.gaussian"],
            table[missing, "method.centred"],
        )
        assert normal < centred < table[missing, "method.mean"]
    assert table[40, "method.nuclear"] > table[40, "method.mean"]
    assert table[10, "method.gaussian"] == pytest.approx(0.46, abs=0.03)


def ratings_file(folder: Path, n: int = 90) -> Path:
    rng = np.random.default_rng(5)
    quality = rng.normal(3, 1, n)
    lines = ["id,system,r1,r2,r3"]
    for i in range(n):
        texts = [
            "" if rng.random() < 0.3 else f"{int(np.clip(np.rint(quality[i] + rng.normal(0, 0.5)), 1, 5))}"
            for _ in range(3)
        ]
        lines.append(f"e{i},{'=S' if i % 2 else 'T'},{','.join(texts)}")
    file = folder / "ratings.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


@pytest.mark.slow
def test_complete_writes_every_rating_and_never_over_one_that_was_given(tmp_path: Path) -> None:
    file, folder = ratings_file(tmp_path), tmp_path / "out"
    arguments = [
        "complete",
        str(file),
        str(folder),
        "--systems",
        "system",
        "--scale",
        "1:5",
        "--draws",
        "3",
        "--formats",
        "html",
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    report = reportgen.load(folder)
    assert "1 pair of engines change" in said(report.sections[0], report.evaluation)
    given, done = (list(csv.DictReader(each.read_text().splitlines())) for each in (file, folder / "completed.csv"))
    assert len(done) == len(given)
    rows = [*csv.DictReader((folder / "suspicious.csv").read_text().splitlines())]
    far = report.evaluation.tables["study.suspicious"].frame()["far"].sum()
    assert len(rows) == far
    for row in rows:
        assert given[int(row["row"]) - 2][row["rater"]] == row["rating"]
        assert abs(float(row["distance"])) >= 3
    for before, after in zip(given, done, strict=True):
        assert after["id"] == before["id"]
        for name in ("r1", "r2", "r3"):
            if before[name]:
                assert (after[name], after[f"{name}_filled"], after[f"{name}_error"]) == (before[name], "0", "")
            else:
                assert 1 <= float(after[name]) <= 5
                assert after[f"{name}_filled"] == "1"
                assert float(after[f"{name}_error"]) > 0
    assert done[1]["system"] == "'=S"  # a spreadsheet must not run it
    again = CliRunner().invoke(app, arguments)
    assert again.exit_code == 2
    assert CliRunner().invoke(app, [*arguments, "--force", "-q"]).exit_code == 0


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a,b\n" + "1,2\n" * 30, {"raters": ("a", "c")}, "there is no column 'c'"),
        ("a,b\n" + "1,2\n" * 30, {"raters": ("a", "a")}, "a column of ratings is named twice"),
        ("a,b\n1,2\n2,3\n", {"raters": ("a", "b")}, "expected 20 responses or more, found 2"),
        ("a\n" + "1\n2\n" * 20, {}, "expected two columns of ratings or more, found 1"),
        ("a,b\n" + "1,\n2,\n" * 20, {"raters": ("a", "b")}, "column 'b' has 0 ratings"),
    ],
)
def test_files_that_cannot_be_completed_are_refused(
    tmp_path: Path, text: str, options: dict[str, tuple[str, ...]], words: str
) -> None:
    file = tmp_path / "r.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        reportgen.study("rating-completion", file=file, raters=options.get("raters", ()))


def test_raters_who_share_nothing_are_told(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("a,b,c\n" + "1,,2\n2,,3\n,3,1\n,1,2\n" * 10)
    report = reportgen.study("rating-completion", file=file, draws=2, missing=(0.1,))
    assert any("a and b" in warning for warning in report.evaluation.warnings)


@pytest.mark.parametrize("named", [(), ("rater_1", "rater_2")])
def test_a_rater_is_no_column_of_systems(named: tuple[str, ...], tmp_path: Path) -> None:
    rows = [f"{i},{i % 5 + 1},{(i + 1) % 5 + 1},{i % 4 + 1}" for i in range(30)]
    (tmp_path / "r.csv").write_text("\n".join(["id,rater_1,rater_2,rater_3", *rows]))
    with pytest.raises(InputError, match="'rater_1' is a column of ratings"):
        own_ratings(tmp_path / "r.csv", named, "rater_1", None)


def test_systems_are_no_raters_and_texts_are_missing(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [f"x{i},{rng.integers(1, 6)},{rng.integers(1, 6)},{rng.integers(1, 6)}" for i in range(60)]
    rows[4] = "x4,3,n/a,2"
    (tmp_path / "r.csv").write_text("id,h1,h2,engine\n" + "\n".join(rows) + "\n")
    report = reportgen.study("rating-completion", file=tmp_path / "r.csv", draws=4, missing=(0.1,))
    assert report.evaluation.facts["columns"] == ["h1", "h2"]
    first, second = report.evaluation.warnings
    assert first.endswith("names are those of systems: engine.")
    assert second == "Ratings in 'h2' that are not numbers and count as missing: 1 (first rows: 6)."
    assert set(report.evaluation.warnings) <= set(report.sections[0].findings.paragraphs)
    assert first in said(report.sections[0], report.evaluation)
    # independent ratings tell nothing of each other
    assert report.sections[0].findings.values["case"] in ("not shown", "worse")
    assert re.match(r"Predicting from other raters (does not clearly reduce|raises) the error: ",
                    said(report.sections[0], report.evaluation).finding)  # fmt: skip


def test_the_gain_is_paired_over_the_draws() -> None:
    from reportgen.studies.rating_completion import _better
    from reportgen.studies.rating_completion.experiments import Recovery

    pairs = [(0.9, 0.8), (0.7, 0.55), (1.2, 1.1), (0.5, 0.45)]
    found = [
        Recovery(method, 0.2, error, 0.0)
        for pair in pairs
        for method, error in zip(("mean", "gaussian"), pair, strict=True)
    ]
    value, low, high = _better(found)["0.2"]
    gaps = np.array([a - b for a, b in pairs])
    half = 3.182446305 * gaps.std(ddof=1) / 2  # t(3)
    assert (value, low, high) == pytest.approx((gaps.mean(), gaps.mean() - half, gaps.mean() + half))


RATERS = ("anna", "ben", "cleo")


def named_file(folder: Path, **columns: list[object]) -> Path:
    """Write ratings by three raters of no telling names, with gaps, and further columns before and after them."""
    rng = np.random.default_rng(4)
    ratings = np.clip(np.rint(3 + rng.normal(size=(40, 1)) + 0.5 * rng.normal(size=(40, 3))), 1, 5).astype(int)
    texts = {name: ["" if (i + j) % 4 == 0 else ratings[i, j] for i in range(40)] for j, name in enumerate(RATERS)}
    table = {"id": list(range(1000, 1040)), **columns, **texts}
    file = folder / "r.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([list(table), *zip(*table.values(), strict=True)])
    return file


@pytest.mark.parametrize(
    ("name", "values", "scale"),
    [
        ("prompt", [i % 5 + 1 for i in range(40)], None),
        ("year", [2019 + i % 2 for i in range(40)], None),
        ("words", [100 + 10 * (i % 20) for i in range(40)], "1:5"),
    ],
)
def test_columns_of_another_kind_are_no_raters(
    tmp_path: Path, name: str, values: list[object], scale: str | None
) -> None:
    own = own_ratings(named_file(tmp_path, **{name: values}), (), None, scale)
    assert own.names == RATERS
    assert [told for told in own.warnings if told.endswith(f": {name}.")]


@pytest.mark.parametrize(
    "values",
    [[100 + 10 * (i % 20) for i in range(40)], [i % 2 for i in range(40)], [1 + 0.37 * (i % 10) for i in range(40)]],
)
def test_what_may_be_a_rater_or_not_is_asked(tmp_path: Path, values: list[object]) -> None:
    file = named_file(tmp_path, other=values)
    with pytest.raises(InputError, match=r"'anna', 'ben', 'cleo' \(1 to 5\); 'other'.*--rater NAME"):
        own_ratings(file, (), None, None)
    assert own_ratings(file, RATERS, None, None).names == RATERS


def test_a_lenient_rater_is_a_rater(tmp_path: Path) -> None:
    own = own_ratings(named_file(tmp_path, dan=[4 + i % 2 for i in range(40)]), (), None, None)
    assert set(own.names) == {*RATERS, "dan"}


def test_one_row_per_rating_is_told(tmp_path: Path) -> None:
    rows = [f"e{i},{j},{(i + j) % 5 + 1}" for i in range(30) for j in range(3)]
    (tmp_path / "r.csv").write_text("\n".join(["essay_id,rater,score", *rows]))
    with pytest.raises(InputError, match="one row per rating"):
        own_ratings(tmp_path / "r.csv", (), None, None)


def test_nothing_to_fill_is_said_at_once(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("a,b\n" + "1,2\n2,2\n3,4\n" * 10)
    result = CliRunner().invoke(app, ["complete", str(tmp_path / "r.csv"), str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "nothing is to be filled: 2 raters rated all 30 responses" in result.output
    assert not (tmp_path / "out").exists()
