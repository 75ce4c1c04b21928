"""The experiments of Wisniewski (2013) on simulated judges, and ratings of a user."""

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import invoked
from simulated import framed, simulated

import reportgen
from report_sections.study_sections import StudyPublished, StudyRatingCompletion
from reportgen.errors import InputError
from reportgen.metrics import cohen_kappa, fleiss_kappa, kendall_tau_b
from reportgen.results import Evaluation
from reportgen.results.term import Term
from reportgen.studies.completion import low_rank_ratio, predictions
from reportgen.studies.rating_completion.experiments import ce_like, low_rank_limit, noisy_pair
from reportgen.studies.rating_completion.own import own_ratings, suspicious_table
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("rating-completion", draws=3, data_sets=1).evaluation


def test_simulated_judges_have_published_agreement() -> None:
    """Weighted kappa .39 to .50, Fleiss .25, tau-b .64 to .68 (section 3)."""
    ratings = ce_like(np.random.default_rng(1), 20_000)
    pairs = [(0, 1), (0, 2), (1, 2)]
    options: dict[str, Any] = {"categories": range(1, 6), "weights": "linear"}
    kappas = [cohen_kappa(ratings[:, a], ratings[:, b], **options).value for a, b in pairs]
    taus = [kendall_tau_b(ratings[:, a], ratings[:, b]) for a, b in pairs]
    fleiss = fleiss_kappa(ratings, categories=range(1, 6)).value
    found = [min(kappas), max(kappas), fleiss, min(taus), max(taus)]
    assert found == pytest.approx([0.39, 0.50, 0.25, 0.64, 0.68], abs=0.02)


@pytest.mark.parametrize(("strategy", "level", "value"), [(1, 1.0, 0.2132), (2, 1.0, 0.0536), (3, 2.0, 0.1538)])
def test_low_rank_ratio_approaches_limit(strategy: int, level: float, value: float) -> None:
    assert low_rank_limit(strategy, level) == pytest.approx(value, abs=2e-4)
    drawn = low_rank_ratio(noisy_pair(np.random.default_rng(2), strategy, level, 200_000))
    assert drawn == pytest.approx(value, abs=0.002)


def test_better_methods_reverse_finding(paper: Evaluation) -> None:
    table = paper.tables["study.three"].frame().set_index(["missing", "method"])["error"]
    for missing in (10, 40):
        normal, centred = (table[missing, f"method.{method}"] for method in ("gaussian", "centred"))
        assert normal < centred < table[missing, "method.mean"]
    assert table[40, "method.nuclear"] > table[40, "method.mean"]
    assert table[10, "method.gaussian"] == pytest.approx(0.46, abs=0.03)


def ratings_file(folder: Path, n: int = 90) -> Path:
    scores, file = simulated(n, 5, 3, mean=3, error=0.5, ends=(1, 5)), folder / "ratings.csv"
    scores.human[scores.rng.random((n, 3)) < 0.3] = np.nan
    ratings = framed(scores, "r").drop(columns="engine").astype("Int64")
    ratings.assign(system=["T", "=S"] * (n // 2)).to_csv(file, index_label="id")
    return file


def test_complete_fills_missing_ratings_only(tmp_path: Path) -> None:
    file, folder = ratings_file(tmp_path), tmp_path / "out"
    options = "--systems system --scale 1:5 --draws 3 --formats html"
    arguments = ["complete", str(file), str(folder), *options.split()]
    invoked(*arguments)
    report = reportgen.load(folder)
    assert "1 pair of engines change" in text_of(report.sections[0], report.evaluation)
    given, done = (list(csv.DictReader(each.read_text().splitlines())) for each in (file, folder / "completed.csv"))
    assert len(done) == len(given)
    rows = [*csv.DictReader((folder / "suspicious.csv").read_text().splitlines())]
    assert len(rows) == report.evaluation.tables["study.suspicious"].frame()["far"].sum()
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
    assert done[1]["system"] == "'=S"  # spreadsheets must not evaluate it
    invoked(*arguments, code=2)
    invoked(*arguments, "--force", "-q")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a,b\n" + "1,2\n" * 30, {"raters": ("a", "c")}, "human column 'c' does not exist"),
        ("a,b\n" + "1,2\n" * 30, {"raters": ("a", "a")}, "column 'a' is listed twice"),
        ("a,b\n1,2\n2,3\n", {"raters": ("a", "b")}, "expected at least 20 responses, found 2"),
        ("a\n" + "1\n2\n" * 20, {}, "requires two columns of ratings .*name each with rater=NAME"),
        ("a,b\n" + "1,\n2,\n" * 20, {"raters": ("a", "b")}, "column 'b' has 0 ratings"),
    ],
)
def test_incomplete_designs_raise(tmp_path: Path, text: str, options: dict[str, tuple[str, ...]], words: str) -> None:
    file = tmp_path / "r.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        reportgen.study("rating-completion", file=file, raters=options.get("raters", ()))


def test_raters_without_common_responses_warn(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("a,b,c\n" + "1,,2\n2,,3\n,3,1\n,1,2\n" * 10)
    report = reportgen.study("rating-completion", file=file, draws=2, missing=(0.1,))
    assert any("a and b" in warning for warning in report.evaluation.warnings)


@pytest.mark.parametrize("named", [(), ("rater_1", "rater_2")])
def test_rater_as_system_column_raises(named: tuple[str, ...], tmp_path: Path) -> None:
    rows = [f"{i},{i % 5 + 1},{(i + 1) % 5 + 1},{i % 4 + 1}" for i in range(30)]
    (tmp_path / "r.csv").write_text("\n".join(["id,rater_1,rater_2,rater_3", *rows]))
    with pytest.raises(InputError, match="'rater_1' is a column of ratings"):
        own_ratings(tmp_path / "r.csv", named, "rater_1", None)


def test_engines_are_not_raters_and_text_is_missing(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = [f"x{i},{rng.integers(1, 6)},{rng.integers(1, 6)},{rng.integers(1, 6)}" for i in range(60)]
    rows[4] = "x4,3,n/a,2"
    (tmp_path / "r.csv").write_text("id,h1,h2,engine\n" + "\n".join(rows) + "\n")
    report = reportgen.study("rating-completion", file=tmp_path / "r.csv", draws=4, missing=(0.1,))
    assert report.evaluation.facts["columns"] == ["h1", "h2"]
    first, second = report.evaluation.warnings
    assert first == "1 cell in 'h2' contains a missing-value code: n/a."
    assert second == "Columns with numbers that are not treated as raters: engine."
    assert set(report.evaluation.warnings) <= set(report.sections[0].findings.paragraphs)
    assert first in text_of(report.sections[0], report.evaluation)
    # independent ratings do not predict each other
    assert report.sections[0].findings.values["case"] in ("not shown", "worse")
    assert re.match(r"Predicting from other raters (does not clearly reduce|raises) the error: ",
                    text_of(report.sections[0], report.evaluation).finding)  # fmt: skip


def test_gain_is_paired_over_draws() -> None:
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
_RNG = np.random.default_rng(4)
DRAWN = np.clip(np.rint(3 + _RNG.normal(size=(40, 1)) + 0.5 * _RNG.normal(size=(40, 3))), 1, 5).astype(int)
"""Their ratings before gaps."""


def named_file(folder: Path, **columns: list[object]) -> Path:
    """Write ratings with gaps by three raters without recognizable names, and other columns."""
    texts = {name: ["" if (i + j) % 4 == 0 else DRAWN[i, j] for i in range(40)] for j, name in enumerate(RATERS)}
    table = {"id": list(range(1000, 1040)), **columns, **texts}
    file = folder / "r.csv"
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([list(table), *zip(*table.values(), strict=True)])
    return file


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("prompt", [i % 5 + 1 for i in range(40)]), ("year", [2019 + i % 2 for i in range(40)]),
        ("other", [1 + 0.37 * (i % 10) for i in range(40)]), ("other", [100 + 10 * (i % 20) for i in range(40)]),
        ("other", [i % 2 for i in range(40)]), ("other", [i % 20 for i in range(40)]),
    ],
)  # fmt: skip
def test_other_columns_are_not_raters(tmp_path: Path, name: str, values: list[object]) -> None:
    own = own_ratings(named_file(tmp_path, **{name: values}), (), None, None)
    assert own.names == RATERS
    assert [told for told in own.warnings if told.endswith(f": {name}.")]


def test_a_flag_that_follows_from_ratings_raises(tmp_path: Path) -> None:
    file = named_file(tmp_path, other=[int(each > 3) for each in DRAWN[:, 0]])
    with pytest.raises(InputError, match=r"'anna'.*'ben'.*'cleo'.*--rater NAME"):
        own_ratings(file, (), None, None)
    assert own_ratings(file, RATERS, None, None).names == RATERS


def test_lenient_rater_and_systems_are_detected(tmp_path: Path) -> None:
    own = own_ratings(named_file(tmp_path, dan=[4 + int(each > 3) for each in DRAWN[:, 0]]), (), None, None)
    assert set(own.names) == {*RATERS, "dan"}
    file = named_file(tmp_path, id=[i // 2 for i in range(40)], model=["m", "n"] * 20)
    assert own_ratings(file, (), "model", None).names == RATERS


def test_one_row_per_rating_raises(tmp_path: Path) -> None:
    rows = [f"e{i},{j},{(i + j) % 5 + 1}" for i in range(30) for j in range(3)]
    (tmp_path / "r.csv").write_text("\n".join(["essay_id,rater,score", *rows]))
    with pytest.raises(InputError, match="one row per rating"):
        own_ratings(tmp_path / "r.csv", (), None, None)


def test_complete_ratings_raise(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("a,b\n" + "1,2\n2,2\n3,4\n" * 10)
    result = invoked("complete", tmp_path / "r.csv", tmp_path / "out", code=2)
    assert "no ratings are missing (2 raters rated all 30 responses" in result.output
    assert not (tmp_path / "out").exists()


def test_published_numbers_are_compared(paper: Evaluation) -> None:
    """Table 1 by pairs of judges, with the second corpus. The design of the paper is first."""
    errors = Vocabulary().table(paper.tables["study.published.error"]).frame().set_index("what")
    assert len(errors) == 12 + 9
    assert len(paper.tables["study.published.tau"].rows) == 8
    assert len(paper.tables["study.published.opposite"].rows) == 6
    assert (np.diff((errors["here"] - errors["published"]).abs()) <= 1e-12).all()
    recovered = paper.tables["study.pairs"].frame().set_index(["missing", "method"])["error"]
    row = errors.loc["nuclear norm, 40% missing: error"]
    assert (row["published"], row["here"]) == (1.14, pytest.approx(recovered[40, "method.nuclear"]))
    assert row["three"] < row["here"]
    assert errors.loc["nuclear norm, 10% missing: error, second corpus", "published"] == 0.48


def test_statements_have_outcomes(paper: Evaluation) -> None:
    rows = paper.tables["study.statements"].frame()[["statement", "outcome"]].itertuples(index=False)
    outcome = {key.removeprefix("statement."): value for key, value in rows}
    for key in ("size_pairs", "beats_random_pairs", "ranks_beat_single_pairs", "ranks_beat_single_three",
                "turns_nuclear", "tides_nuclear"):  # fmt: skip
        assert outcome[key] == "statement_differs", key
    for key in ("size_three", "falls_quickly", "size_mean", "random_steady", "rank_weak", "errors_found"):
        assert outcome[key] == "statement_repeats", key
    assert outcome["other_corpora"] == "statement_untestable"
    told = text_of(StudyRatingCompletion(), paper)
    assert "it ranks responses worse than a single rating does" in told
    assert "of one of its method" not in text_of(StudyPublished(), paper)
    assert "Its good result here is not evidence for real ratings." in text_of(StudyPublished(), paper)


def test_simulated_corpora_match_published_ranges(paper: Evaluation) -> None:
    rows = {str(row.cells[0]): row.cells[1:] for row in paper.tables["study.corpora"].rows}
    assert len(rows) == 8
    ends = []
    for cell in rows["published.kappa_judges"]:
        assert isinstance(cell, Term)
        ends.append((cell.values["low"], cell.values["high"]))
    assert ends[0] == (0.39, 0.50)
    assert ends[1] == pytest.approx((0.39, 0.50), abs=0.03)
    apart = rows["published.disagree"][1]
    assert isinstance(apart, Term)
    assert apart.values["values"][0] == pytest.approx(36, abs=8)


def test_suspicious_ratings_are_listed(tmp_path: Path) -> None:
    ratings = simulated(200, 4, 3, mean=3, error=0.3, ends=(1, 5)).human.astype(int)
    ratings[17] = (5, 1, 5)
    file = tmp_path / "r.csv"
    file.write_text("r1,r2,r3\n" + "\n".join(",".join(map(str, row)) for row in ratings) + "\n")
    own = own_ratings(file, (), None, "1:5")
    assert predictions(own.ratings).far[17, 1]
    table = suspicious_table(own).frame().set_index("rater")
    assert int(table["far"]["r2"]) >= 1
    assert (table["checked"] == 200).all()
    report = reportgen.study("rating-completion", file=file, draws=2, missing=(0.1,), score_scale="1:5")
    assert "far from the value predicted from the other raters" in text_of(report.sections[0], report.evaluation)
