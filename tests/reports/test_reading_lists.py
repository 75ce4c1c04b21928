"""Test review lists: outside the report folder, for their owner only, and safe to open."""

import csv
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command import refused, reportgen
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import simulated

import reportgen as package
from reportgen.errors import ReportgenError
from reportgen.metrics import expected_true_scores, standardized_disagreements
from reportgen.reports.reading_lists import Pick, picked
from reportgen.results import Scale
from reportgen.scores.table import ResponsesToRead
from reportgen.sources.columns import Coded

TEXT = "ZQTEXT <script>alert('x')</script> &amp; \N{RIGHT-TO-LEFT OVERRIDE}"


def essays(folder: Path, n: int = 80, *, long: bool = False) -> Path:
    file = folder / "essays.csv"
    rows = []
    for i in range(n):
        h1, h2, engine = 1 + i % 5, 1 + (i + i % 3 // 2) % 5, str(1 + (i + i % 7 // 5) % 5)
        engine = {3: "I'm sorry, I cannot.", 4: ""}.get(i, engine)
        own = [f"ZQID{i:03d}", "fm"[i % 2], f"={TEXT} {i}" + " word" * 60]
        if long:
            rows += [[*own, who, score] for who, score in (("ann", h1), ("bob", h2), ("gpt-4", engine))]
        else:
            rows.append([*own, h1, h2, engine])
    header = ["id", "gender", "essay", *(("rater", "score") if long else ("human1", "human2", "engine"))]
    with file.open("w", encoding="utf-8", newline="") as table:
        csv.writer(table).writerows([header, *rows])
    return file


ASKED = ("--read", "20", "--text", "essay", "--scale", "1:5")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
@pytest.mark.parametrize("long", [False, True])
def test_review_list_is_written_outside_the_report_folder(tmp_path: Path, long: bool) -> None:
    done = reportgen("evaluate", essays(tmp_path, long=long).name, "out", *ASKED, "--formats", "html", cwd=tmp_path)
    assert "out_reading/reading.html" in done.stdout
    assert "do not attach them to the report" in done.stdout
    rows = table(tmp_path / "out_reading" / "reading.csv")
    assert len(rows) == 20
    assert all(row["text"].startswith("'=ZQTEXT") for row in rows)  # no spreadsheet runs it
    assert {"refused", "no score", "agrees"} <= {row["reason"] for row in rows}
    for path in (tmp_path / "out").rglob("*"):
        assert path.is_dir() or not {b"ZQTEXT", b"ZQID"} & {
            word for word in (b"ZQTEXT", b"ZQID") if word in path.read_bytes()
        }
    assert "ZQ" not in done.stdout + done.stderr


@pytest.mark.slow
def test_only_the_owner_can_open_files_with_responses(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--tables-only", cwd=tmp_path)
    folder = tmp_path / "out_reading"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert sorted(path.name for path in folder.iterdir()) == ["reading.csv", "reading.html"]


@pytest.mark.slow
def test_the_page_has_no_scripts_and_states_its_purpose(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--tables-only", cwd=tmp_path)
    page = (tmp_path / "out_reading" / "reading.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert "This page contains responses. Do not attach it to the report" in page
    assert "Standardized disagreement" in page


@pytest.mark.slow
def test_blind_moves_scores_and_reasons_to_the_key(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--blind", "--tables-only", cwd=tmp_path)
    page = (tmp_path / "out_reading" / "reading.html").read_text(encoding="utf-8")
    for word in ("Engine", "Ratings", "Reason", "agrees", "refused", "sorry", "disagreement"):
        assert word not in page
    assert "ZQTEXT" in page
    assert table(tmp_path / "out_reading" / "reading.csv")[0]["reason"]


@pytest.mark.slow
def test_a_configuration_reproduces_the_list(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--tables-only", cwd=tmp_path)
    reportgen("evaluate", "out/config.toml", "again", "--tables-only", cwd=tmp_path)
    for name in ("reading.csv", "reading.html"):
        assert (tmp_path / "out_reading" / name).read_bytes() == (tmp_path / "again_reading" / name).read_bytes()


@pytest.mark.slow
def test_multiple_systems_have_one_list_each(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"systems": ["engine", "human2"], "human": "human1", "read": 5, "scale": "1:5"}
    package.evaluate(essays(tmp_path), tmp_path / "out", formats=[], **asked)
    for name in ("engine", "human2"):
        assert len(table(tmp_path / "out_reading" / name / "reading.csv")) == 5


@pytest.mark.slow
def test_multiple_traits_have_one_list_each_outside_the_report(tmp_path: Path) -> None:
    rows = [(f"ZQID{i:03d}", trait, 1 + i % 4, 1 + (i + shift) % 4, 1 + (i + i % 5 // 4) % 4)
            for i in range(60) for shift, trait in enumerate(("ideas", "style"))]  # fmt: skip
    with (tmp_path / "traits.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "trait", "human1", "human2", "engine"), *rows])
    package.evaluate(tmp_path / "traits.csv", tmp_path / "out", read=8, formats=[], scale="1:4")
    assert sorted(path.name for path in (tmp_path / "out_reading").iterdir()) == ["ideas", "style"]
    assert len(table(tmp_path / "out_reading" / "ideas" / "reading.csv")) == 8
    assert not [path for path in (tmp_path / "out").rglob("*") if "reading" in path.name]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("evaluate", "essays.csv", "out", "--blind"), "--blind requires a review list"),
        (("evaluate", "essays.csv", "out", "--text", "essay"), "--text requires a review list"),
        (("evaluate", "essays.csv", "out", "--read", "0"), "at least 1"),
        (("evaluate", "essays.csv", "out", "--read", "5", "--text", "esay"), "text column 'esay' does not exist"),
        (("evaluate", "essays.csv", "out", "--read", "5", "--batches"), "responses to read are picked from all rows"),
        (("evaluate", "essays.csv", "full", "--read", "5"), "already contains a review list"),
        (("evaluate", "essays.csv", "report/out", "--read", "5"), "write the review list outside it"),
    ],
)
def test_impossible_lists_are_errors_and_nothing_is_written(
    tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    essays(tmp_path)
    (tmp_path / "full_reading").mkdir()
    (tmp_path / "full_reading" / "reading.csv").write_text("mine", encoding="utf-8")
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "results.json").write_text("{}", encoding="utf-8")
    done = refused(*arguments, cwd=tmp_path)
    assert sentence in " ".join(done.split())
    assert (tmp_path / "full_reading" / "reading.csv").read_text(encoding="utf-8") == "mine"


def test_ratings_without_an_engine_have_no_list(tmp_path: Path) -> None:
    with (tmp_path / "ratings.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("id", "rater_1", "rater_2"), *((f"r{i}", 1 + i % 4, 1 + i % 3) for i in range(40))]
        )
    with pytest.raises(ReportgenError, match="read requires engine scores"):
        package.evaluate(tmp_path / "ratings.csv", tmp_path / "out", read=5, formats=[], ratings_only=True)
    assert not (tmp_path / "out").exists()


def test_without_a_report_there_is_no_list(tmp_path: Path) -> None:
    with pytest.raises(ReportgenError, match="read writes a review list next to the report"):
        package.evaluate(essays(tmp_path), read=5)
    with pytest.raises(ReportgenError, match="a review list requires a single report"):
        package.batch(essays(tmp_path), tmp_path / "many", by="gender", read=5)


@pytest.mark.slow
def test_summaries_and_packets_ignore_lists(tmp_path: Path) -> None:
    reportgen("evaluate", essays(tmp_path).name, "out", *ASKED, "--formats", "html", cwd=tmp_path)
    assert "does not contain a run" in refused("summarize", "out", "out_reading", "--out", "all", cwd=tmp_path)
    reportgen("packet", "out", "packed", cwd=tmp_path)
    for folder in ("out", "packed"):
        files = [path for path in (tmp_path / folder).rglob("*") if path.is_file()]
        assert files
        assert not any(b"ZQTEXT" in path.read_bytes() for path in files)


SCALE = Scale(1, 5, 1, assumed=False)


def responses(n: int = 200, seed: int = 3) -> ResponsesToRead:
    """Responses with planted disagreements: 0 and 1 far off, 2 without a score, 3 refused."""
    _, human, system, _ = simulated(n, seed, mean=3, error=0.5, noise=0.3, ends=(1, 5))
    human[::3, 1] = np.nan
    human[0], human[1], system[0], system[1] = 1, 5, 4.5, 2.0
    system[2:4] = np.nan
    answers = ["", "", "", "I cannot score this.", *[""] * (n - 4)]
    return ResponsesToRead(
        tuple(f"r{i:03d}" for i in range(n)), tuple(f"Text {i}." for i in range(n)), human, system, tuple(answers),
        tuple(bool(answer) for answer in answers),
        {"group": Coded(np.arange(n, dtype=np.int32) % 2, ("a", "b")),
         "small": Coded((np.arange(n) == 7).astype(np.int32), ("most", "one"))},
    )  # fmt: skip


def listed(found: ResponsesToRead, n: int = 40, seed: int = 1) -> list[Pick]:
    return picked(found, SCALE, n, seed=seed, min_n=10)


def by_name(picks: list[Pick]) -> dict[str, Pick]:
    return {pick.name: pick for pick in picks}


def test_every_reason_occurs() -> None:
    picks = listed(responses())
    assert len(picks) == 40
    found = by_name(picks)
    reasons = {name: {reason for reason, _ in pick.reasons} for name, pick in found.items()}
    assert "far" in reasons["r000"]
    assert "far" in reasons["r001"]
    assert reasons["r002"] == {"no score"}
    assert reasons["r003"] == {"refused"}
    assert found["r003"].answer == "I cannot score this."
    assert sum(own == {"agrees"} for own in reasons.values()) == 10
    about = {text for pick in picks for reason, text in pick.reasons if reason == "group"}
    assert about == {"group a", "group b", "small most"}  # one response is no group


def test_a_list_is_shuffled_by_the_seed_only() -> None:
    found = responses()
    names = [pick.name for pick in listed(found)]
    assert names != sorted(names)
    assert names == [pick.name for pick in listed(found)]
    assert names != [pick.name for pick in listed(found, seed=2)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 80))
def test_the_order_of_rows_does_not_matter(shuffle: int, n: int) -> None:
    found = responses(90)
    order = np.random.default_rng(shuffle).permutation(90)
    other = ResponsesToRead(
        tuple(found.names[i] for i in order), tuple(found.texts[i] for i in order), found.human[order],
        found.system[order], tuple(found.answers[i] for i in order), tuple(found.refused[i] for i in order),
        {name: Coded(coded.codes[order], coded.labels) for name, coded in found.groups.items()},
    )  # fmt: skip
    one, two = listed(found, n), listed(other, n)
    assert [(pick.name, pick.reasons) for pick in one] == [(pick.name, pick.reasons) for pick in two]
    assert len({pick.name for pick in one}) == len(one) <= n


def test_numbers_match_the_formulas() -> None:
    found = responses()
    expected = expected_true_scores(found.human, found.system)
    apart = standardized_disagreements(found.human, found.system)
    for pick in listed(found):
        i = found.names.index(pick.name)
        assert pick.expected == pytest.approx(expected[i])
        assert pick.disagreement == (None if np.isnan(apart[i]) else pytest.approx(apart[i]))


def test_expected_scores_are_as_accurate_as_a_regression_on_true_scores() -> None:
    draw = np.random.default_rng(0)
    true = draw.normal(3, 1, 100_000)
    human = true[:, None] + draw.normal(0, 0.7, (len(true), 2))
    human[::2, 1] = np.nan
    system = 0.5 + 0.8 * true + draw.normal(0, 0.5, len(true))
    expected = expected_true_scores(human, system)
    for rows in (slice(0, None, 2), slice(1, None, 2)):
        given_both = np.column_stack([np.ones(len(true)), np.nanmean(human, axis=1), system])[rows]
        best = given_both @ np.linalg.lstsq(given_both, true[rows], rcond=None)[0]
        error, least = (float(np.mean((each - true[rows]) ** 2)) for each in (expected[rows], best))
        assert error == pytest.approx(least, rel=0.005)
    assert float(np.mean(standardized_disagreements(human, system) ** 2)) == pytest.approx(1, abs=0.02)


def test_without_an_engine_the_expected_score_is_kelleys() -> None:
    human = np.array([[1.0, 2.0], [2.0, 3.0], [5.0, 4.0], [3.0, 3.0]])
    system = np.array([1.5, 2.0, 4.0, 3.5])
    alone = system.copy()
    alone[0] = np.nan
    error = 0.25
    rest = human[1:]
    mean, spread = rest.mean(), float(np.mean((rest.mean(axis=1) - rest.mean()) ** 2))
    true = spread - error / 2
    kelley = mean + true / (true + error / 2) * (1.5 - mean)
    assert expected_true_scores(human, alone, error_variance=error)[0] == pytest.approx(kelley)


def test_without_second_ratings_differences_select_responses() -> None:
    found = responses()
    found.human[:, 1] = np.nan
    picks = listed(found)
    assert all(pick.expected is None and pick.disagreement is None for pick in picks)
    assert "far" in {reason for reason, _ in by_name(picks)["r000"].reasons}


@pytest.mark.parametrize(
    ("low", "high", "step", "far"),
    [(1, 6, 1, 2), (0, 1, 1, 1), (0, 4, 0.5, 1), (1, 4, 0.1, 0.6), (0, 100, 1, 20), (0, 10, 0, 2)],
)
def test_a_large_error_is_two_steps_and_a_fifth_of_the_scale(low: float, high: float, step: float, far: float) -> None:
    n = 60
    human = np.full((n, 1), float(low))
    system = human[:, 0].copy()
    system[:2] = low + far - 0.01, low + far
    found = ResponsesToRead(tuple(f"r{i:02d}" for i in range(n)), (), human, system, ("",) * n, (False,) * n, {})
    picks = by_name(picked(found, Scale(low, high, step, assumed=False), 12, seed=1, min_n=10))
    assert picks["r01"].reasons == (("far", ""),)
    assert picks["r00"].reasons == (("difference", ""),)
