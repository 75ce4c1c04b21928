"""The page of rating-completion says all that Wisniewski (2013) prints and claims, over pairs of judges and three."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import reportgen
from report_sections.study_published import StudyPublished
from report_sections.study_rating_completion import StudyRatingCompletion
from reportgen.results import Evaluation
from reportgen.results.term import Term
from reportgen.sections import Line
from reportgen.studies.gaussian import predictions
from reportgen.studies.rating_completion.own import own_ratings, suspicious_table
from reportgen.studies.rating_completion.statements import DISAGREE, KAPPA
from reportgen.testing import said
from reportgen.wording.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("rating-completion", draws=3, data_sets=1).evaluation


@pytest.mark.slow
def test_every_printed_number_stands_beside_pairs_and_three(paper: Evaluation) -> None:
    """Table 1 over pairs of judges, the second corpus too; the paper's own design comes first."""
    errors = Vocabulary().table(paper.tables["study.published.error"]).frame().set_index("what")
    assert len(errors) == 12 + 9
    assert len(paper.tables["study.published.tau"].rows) == 8
    assert len(paper.tables["study.published.opposite"].rows) == 6
    assert (np.diff((errors["here"] - errors["published"]).abs()) <= 1e-12).all()
    recovered = paper.tables["study.pairs"].frame().set_index(["missing", "method"])["error"]
    row = errors.loc["smallest nuclear norm, 40 % missing: mean absolute error"]
    assert (row["published"], row["here"]) == (1.14, pytest.approx(recovered[40, "method.nuclear"]))
    assert row["three"] < row["here"]
    assert errors.loc["smallest nuclear norm, 10 % missing: mean absolute error, second corpus", "published"] == 0.48


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
    assert "That it does best here is no evidence for real ratings." in said(StudyPublished(), paper)


def test_how_near_the_stand_in_comes_is_shown(paper: Evaluation) -> None:
    rows = {str(row.cells[0]): row.cells[1:] for row in paper.tables["study.corpora"].rows}
    assert len(rows) == 8
    ends = []
    for cell in rows["published.kappa_judges"]:
        assert isinstance(cell, Term)
        ends.append((cell.values["low"], cell.values["high"]))
    assert ends[0] == KAPPA
    assert ends[1] == pytest.approx(KAPPA, abs=0.03)
    apart = rows["published.disagree"][1]
    assert isinstance(apart, Term)
    assert apart.values["values"][0] == pytest.approx(DISAGREE, abs=8)


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
    assert "far from what the other raters predict" in said(report.sections[0], report.evaluation)
