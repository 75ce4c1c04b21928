"""The experiments of Wisniewski (2013) on simulated judges, and one's own ratings."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import reportgen
from report_sections.study_sections import StudyPublished, StudyRatingCompletion
from reportgen.cli.app import app
from reportgen.errors import InputError
from reportgen.metrics import cohen_kappa, fleiss_kappa, kendall_tau_b
from reportgen.results import Evaluation
from reportgen.results.term import Term
from reportgen.sections import Line
from reportgen.studies.completion import low_rank_ratio, predictions
from reportgen.studies.rating_completion.experiments import ce_like, low_rank_limit, noisy_pair
from reportgen.studies.rating_completion.own import own_ratings, suspicious_table
from reportgen.testing import said
from reportgen.wording.vocabulary import Vocabulary

pytestmark = pytest.mark.slow


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
    assert low_rank_limit(strategy, level) == pytest.approx(value, abs=2e-4)
    drawn = low_rank_ratio(noisy_pair(np.random.default_rng(2), strategy, level, 200_000))
    assert drawn == pytest.approx(value, abs=0.002)


def test_better_methods_reverse_the_finding(paper: Evaluation) -> None:
    table = paper.tables["study.three"].frame().set_index(["missing", "method"])["error"]
    for missing in (10, 40):
        normal, centred = (table[missing, f"method.{method}"] for method in ("gaussian", "centred"))
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


def test_complete_writes_every_rating_and_never_over_one_that_was_given(tmp_path: Path) -> None:
    file, folder = ratings_file(tmp_path), tmp_path / "out"
    options = "--systems system --scale 1:5 --draws 3 --formats html"
    arguments = ["complete", str(file), str(folder), *options.split()]
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
        ("a,b\n" + "1,2\n" * 30, {"raters": ("a", "c")}, "human column 'c' does not exist"),
        ("a,b\n" + "1,2\n" * 30, {"raters": ("a", "a")}, "column 'a' is named twice"),
        ("a,b\n1,2\n2,3\n", {"raters": ("a", "b")}, "expected 20 responses or more, found 2"),
        ("a\n" + "1\n2\n" * 20, {}, "needs two columns of ratings .*name each with rater=NAME"),
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
    assert first == "1 cell of 'h2' says that there is no score: n/a."
    assert second == "Columns with numbers that are not taken as raters: engine."
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
    ("name", "values"),
    [
        ("prompt", [i % 5 + 1 for i in range(40)]),
        ("year", [2019 + i % 2 for i in range(40)]),
        ("other", [1 + 0.37 * (i % 10) for i in range(40)]),
        ("other", [100 + 10 * (i % 20) for i in range(40)]),
    ],
)
def test_columns_of_another_kind_are_no_raters(tmp_path: Path, name: str, values: list[object]) -> None:
    own = own_ratings(named_file(tmp_path, **{name: values}), (), None, None)
    assert own.names == RATERS
    assert [told for told in own.warnings if told.endswith(f": {name}.")]


@pytest.mark.parametrize("other", [range(2), range(20)])
def test_what_may_be_a_rater_or_not_is_asked(tmp_path: Path, other: range) -> None:
    file = named_file(tmp_path, other=[other[i % len(other)] for i in range(40)])
    with pytest.raises(InputError, match=r"'anna'.*'ben'.*'cleo'.*--rater NAME"):
        own_ratings(file, (), None, None)
    assert own_ratings(file, RATERS, None, None).names == RATERS


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("rater_1,rater_2\n1,2,3\n")
    with pytest.raises(InputError, match=r"^r\.csv: row 1: expected 2 values"):
        own_ratings(tmp_path / "r.csv", (), None, None)


def test_systems_answer_the_same_prompts(tmp_path: Path) -> None:
    file = named_file(tmp_path, id=[i // 2 for i in range(40)], model=["m", "n"] * 20)
    assert own_ratings(file, (), "model", None).names == RATERS


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
    assert "there is nothing to fill: 2 raters rated all 30 responses" in result.output
    assert not (tmp_path / "out").exists()


def test_every_printed_number_stands_beside_pairs_and_three(paper: Evaluation) -> None:
    """Table 1 over pairs of judges, the second corpus too; the paper's own design comes first."""
    errors = Vocabulary().table(paper.tables["study.published.error"]).frame().set_index("what")
    assert len(errors) == 12 + 9
    assert len(paper.tables["study.published.tau"].rows) == 8
    assert len(paper.tables["study.published.opposite"].rows) == 6
    assert (np.diff((errors["here"] - errors["published"]).abs()) <= 1e-12).all()
    recovered = paper.tables["study.pairs"].frame().set_index(["missing", "method"])["error"]
    row = errors.loc["smallest nuclear norm, 40% missing: mean absolute error"]
    assert (row["published"], row["here"]) == (1.14, pytest.approx(recovered[40, "method.nuclear"]))
    assert row["three"] < row["here"]
    assert errors.loc["smallest nuclear norm, 10% missing: mean absolute error, second corpus", "published"] == 0.48


def test_claims_that_do_not_repeat_are_told(paper: Evaluation) -> None:
    rows = paper.tables["study.statements"].frame()[["statement", "outcome"]].itertuples(index=False)
    outcome = {key.removeprefix("statement."): value for key, value in rows}
    for key in ("size_pairs", "beats_random_pairs", "ranks_beat_single_pairs", "ranks_beat_single_three",
                "turns_nuclear", "tides_nuclear"):  # fmt: skip
        assert outcome[key] == "statement_differs", key
    for key in ("size_three", "falls_quickly", "size_mean", "random_steady", "rank_weak", "errors_found"):
        assert outcome[key] == "statement_repeats", key
    assert outcome["other_corpora"] == "statement_untestable"
    told = said(StudyRatingCompletion(), paper)
    assert "The paper's own method ranks responses worse than one rating each does" in told
    assert "of one of its method" not in said(StudyPublished(), paper)
    assert "Its good result here is not evidence for real ratings." in said(StudyPublished(), paper)


def test_how_near_the_stand_in_comes_is_shown(paper: Evaluation) -> None:
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


def test_a_random_matrix_is_drawn_as_the_baseline(paper: Evaluation) -> None:
    chart = next(each for each in StudyRatingCompletion().findings(paper).charts if each.key == "study.low_rank.chart")
    line = next(each for each in chart.layers if isinstance(each, Line) and each.label == "noise.random_matrix")
    assert all(value == pytest.approx(11**-0.5, abs=0.01) for value in line.y)


def test_a_rating_is_predicted_from_the_others_of_its_response() -> None:
    """As the regression of one rater on the others, with the moments of all ratings; one alone is not."""
    rng = np.random.default_rng(3)
    ratings = rng.normal(3, 1, (400, 1)) + rng.normal(0, (0.3, 0.5, 0.7), (400, 3))
    found = predictions(ratings)
    design = np.column_stack([np.ones(400), ratings[:, [0, 2]]])
    fitted = design @ np.linalg.lstsq(design, ratings[:, 1], rcond=None)[0]
    np.testing.assert_allclose(found.values[:, 1], fitted, atol=1e-4)
    np.testing.assert_allclose(found.errors[0, 1], (ratings[:, 1] - fitted).std(), rtol=1e-4)
    gappy = ratings.copy()
    gappy[:50, 1:] = np.nan
    alone = predictions(gappy)
    assert not alone.checked[:50].any()
    assert alone.checked[50:].all()


def test_planted_slips_are_listed(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    quality = rng.normal(3, 1, 200)
    ratings = np.clip(np.rint(quality[:, None] + rng.normal(0, 0.3, (200, 3))), 1, 5).astype(int)
    ratings[17] = (5, 1, 5)
    file = tmp_path / "r.csv"
    file.write_text("r1,r2,r3\n" + "\n".join(",".join(map(str, row)) for row in ratings) + "\n")
    own = own_ratings(file, (), None, "1:5")
    assert predictions(own.ratings).far[17, 1]
    table = suspicious_table(own).frame().set_index("rater")
    assert int(table["far"]["r2"]) >= 1
    assert (table["checked"] == 200).all()
    report = reportgen.study("rating-completion", file=file, draws=2, missing=(0.1,), score_scale="1:5")
    assert "far from the other raters' prediction" in said(report.sections[0], report.evaluation)
