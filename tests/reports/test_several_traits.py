"""Several traits or systems in one file: a report for each, an overview, and settings that reproduce them."""

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import page_text, refused
from command import reportgen as run
from simulated import evaluation_of, framed, simulated
from trait_files import NAMES, long, on_points, ratings, wide

import reportgen
from reportgen.errors import InputError, SettingsError
from reportgen.results import Estimate, Report
from reportgen.runs.ours import runs_of_columns
from reportgen.settings import from_keywords, load
from reportgen.storing import results_file
from reportgen.wording.names import together

PLANTED = on_points()


def written(columns: dict[str, Any], path: Path) -> Path:
    """Write columns as a CSV file."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(
            zip(*([("" if cell is None else cell) for cell in column] for column in columns.values()), strict=True)
        )
    return path


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return written(wide(PLANTED), tmp_path / "scores.csv")


def numbers(report: Report) -> dict[str, tuple[float | None, ...]]:
    """Return every estimate of a report, including its tables."""
    found = dict(report.evaluation.estimates)
    for table in report.evaluation.tables.values():
        cells = [cell for row in table.rows for cell in row.cells]
        found |= {f"{table.key} {place}": cell for place, cell in enumerate(cells) if isinstance(cell, Estimate)}
    return {key: (each.value, each.low, each.high) for key, each in found.items()}


@pytest.mark.slow
def test_one_folder_with_a_page_for_all(scores: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = run("evaluate", scores, out, "--formats", "html", "--scale", "1:6", cwd=tmp_path)
    assert "3 traits were detected by column name" in done.stdout
    assert re.search(r"traits +ideas: human ideas_human1, ideas_human2; system ideas_system; 1 to 6", done.stdout)
    assert "report 3 of 3: voice" in done.stderr
    assert re.search(r"verdict +voice: (Yes|No|Not yet)", done.stdout)
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == sorted([*NAMES, "tables"])
    page = (out / "report.html").read_text()
    for name in NAMES:
        assert f'href="{name}/report.html"' in page
        assert (out / name / "report.html").is_file()
        assert name in results_file.read(out / name / "results.json").title
    text = page_text(out / "report.html")
    assert "The composite of 3 traits has a PRMSE of" in text
    assert "One rater's errors on two traits correlate" in text.replace("’", "'")
    assert (
        text.index("The composite of") < text.index("Every trait and its answer") < text.index("errors on two traits")
    )
    for path in (*out.rglob("*.html"), *out.rglob("*.json"), *out.rglob("*.csv")):
        assert "ZQ~" not in path.read_text(), path  # no response is named


def test_the_worst_comes_first(scores: Path) -> None:
    table = wide(PLANTED)
    table["voice_system"] = list(reversed(table["voice_system"]))
    scores = written(table, scores)
    report = reportgen.evaluate(scores, scale="1:6")
    rows = report.evaluation.tables["traits.traits"].rows
    assert rows[0].cells[:2] == ("voice", "do not deploy")
    assert rows[0].mark == "flagged"


@pytest.mark.slow
@pytest.mark.parametrize("layout", [wide, long, ratings])
def test_configurations_reproduce_the_reports(layout: Any, tmp_path: Path) -> None:
    scores = written(layout(PLANTED), tmp_path / "scores.csv")
    out = tmp_path / "out"
    report = reportgen.evaluate(scores, out, scale="1:6", formats=())
    assert numbers(reportgen.evaluate(out / "config.toml")) == numbers(report)
    part = results_file.read(out / "voice" / "results.json")
    assert numbers(reportgen.evaluate(out / "voice" / "config.toml")) == numbers(part)


@pytest.mark.slow
def test_one_trait_has_a_separate_report(scores: Path, tmp_path: Path) -> None:
    run("evaluate", scores, "all", "--formats", "", "--scale", "1:6", cwd=tmp_path)
    run("evaluate", scores, "one", "--formats", "", "--scale", "1:6", "--trait", "voice", cwd=tmp_path)
    one, part = (results_file.read(tmp_path / path / "results.json") for path in ("one", "all/voice"))
    assert one.evaluation.kind == "evaluation"
    assert numbers(one) == numbers(part)
    assert "did you mean 'voice'?" in refused("evaluate", scores, "none", "--trait", "voise", cwd=tmp_path)


@pytest.mark.slow
def test_each_trait_equals_a_file_with_only_its_columns(scores: Path) -> None:
    report = reportgen.evaluate(scores, scale="1:6")
    alone = reportgen.evaluate(
        scores, system="voice_system", human=["voice_human1", "voice_human2"], groups=["gender"], id="id", scale="1:6"
    )
    place = list(NAMES).index("voice") + 1
    for key in ("system.qwk", "system.r", "true_score.prmse"):
        found, expected = report.evaluation.estimates[f"run{place}.{key}"], alone.evaluation.estimates[key]
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)


def test_a_folder_that_contains_a_report_is_kept(scores: Path, tmp_path: Path) -> None:
    (tmp_path / "out" / "voice").mkdir(parents=True)
    (tmp_path / "out" / "voice" / "results.json").write_text("{}")
    assert "--force" in refused("evaluate", scores, "out", cwd=tmp_path)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["voice"]


def test_traits_need_all_rows(scores: Path) -> None:
    with pytest.raises(InputError, match="remove batches"):
        reportgen.evaluate(scores, batches=True)


@pytest.mark.slow
def test_a_title_is_shared(scores: Path, tmp_path: Path) -> None:
    report = reportgen.evaluate(scores, tmp_path / "out", title="Pilot", formats=(), scale="1:6")
    assert report.title == "Pilot"
    assert results_file.read(tmp_path / "out" / "voice" / "results.json").title == "Pilot: voice"


def test_look_shows_the_traits(tmp_path: Path) -> None:
    written(long(PLANTED), tmp_path / "scores.csv")
    said = run("look", "scores.csv", cwd=tmp_path).stdout
    assert "scores.csv: 240 rows read" in said
    assert "Column 'trait' names 3 traits" in said
    assert "composite of the traits" in said
    written(wide(PLANTED) | dict.fromkeys(NAMES, [1, 2] * 40), tmp_path / "scores.csv")
    assert re.search(r"question +it is unclear which trait", run("look", "scores.csv", cwd=tmp_path).stdout)


N = 60


@pytest.fixture
def wide_systems(tmp_path: Path) -> Path:
    """Write three systems, one of them with blanks and refusals."""
    scores, path = simulated(N, 3, error=0.5, noise=0.4), tmp_path / "scores.csv"
    model, llm = (scores.true + scores.rng.normal(0, spread, N) for spread in (0.6, 0.9))
    frame = framed(scores, model=model, llm=llm, gender=list("fm" * (N // 2))).round(3).astype({"llm": object})
    frame.loc[7, "model"] = np.nan
    frame.loc[3::10, "llm"] = "I'm sorry but I cannot score this"
    frame.to_csv(path, index_label="id")
    return path


def test_every_system_found_is_evaluated_and_compared(wide_systems: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--formats", "html", "--scale", "1:6", "--baseline", "model", "--sections", "summary,data")
    done = run("evaluate", wide_systems, out, *options, cwd=tmp_path)
    assert "report 3 of 3: llm" in done.stderr
    assert "model (detected by name; baseline): 59 responses used, 1 without a score" in done.stdout
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == [
        "comparison", "engine", "llm", "model", "tables",
    ]  # fmt: skip
    page = (out / "report.html").read_text()
    for place in ("engine/report.html", "llm/report.html", "model/report.html", "comparison/report.html"):
        assert f'href="{place}"' in page
        assert (out / place).is_file()
        if place != "comparison/report.html":  # the board groups engines by decision
            own = results_file.read(out / place.replace("report.html", "results.json")).verdict
            assert own is not None
            word = {"deploy": "Yes", "do not deploy": "No"}.get(own.decision, "Not yet")
            assert f"{word}:" in page
    assert "% of responses no usable score." in page_text(out / "llm" / "report.html")
    assert "no usable score." not in page_text(out / "engine" / "report.html")
    overview = results_file.read(out / "results.json").evaluation
    assert list(overview.facts["runs"]) == ["model", "engine", "llm"]
    shares = {row.cells[0]: row.cells[2] for row in overview.tables["data.outputs"].rows}
    assert isinstance(shares["llm"], Estimate)
    assert shares["llm"].value == pytest.approx(10)
    # Wilson (1927) with Student's t instead of z: the bounds solve |p - P| = t sqrt(P(1 - P)/n)
    assert shares["llm"].low is not None
    t = 2.0009954  # 59 degrees of freedom
    assert abs(0.1 - shares["llm"].low / 100) == pytest.approx(
        t * np.sqrt(shares["llm"].low / 100 * (1 - shares["llm"].low / 100) / N), rel=1e-4
    )
    # each report is the one that the system alone would have
    alone = evaluation_of(wide_systems, system="llm", scale="1:6")
    assert results_file.read(out / "llm" / "results.json").evaluation.estimates == alone.estimates
    assert load(out / "llm" / "config.toml").data.file is not None
    assert (out / "llm" / load(out / "llm" / "config.toml").data.file).resolve() == wide_systems.resolve()  # type: ignore[operator]
    # the comparison is on what all of them scored
    comparison = results_file.read(out / "comparison" / "results.json").evaluation
    assert all(pair["shared"] == 53 for pair in comparison.facts["pairs"])
    assert any("on the 53 responses that all of them scored" in warning for warning in comparison.warnings)


@pytest.mark.slow
def test_settings_reproduce_the_reports(wide_systems: Path, tmp_path: Path) -> None:
    first, again = tmp_path / "first", tmp_path / "again"
    options = ("--tables-only", "--system", "llm", "--system", "engine")
    run("evaluate", wide_systems, first, *options, cwd=tmp_path)
    run("evaluate", first / "config.toml", again, "--tables-only", cwd=tmp_path)
    for place in ("results.json", "llm/results.json", "engine/results.json", "comparison/results.json"):
        one, two = (results_file.read(folder / place).evaluation for folder in (first, again))
        assert one.estimates == two.estimates
    assert not (first / "model").exists()
    one_of_them = tmp_path / "one"
    run("evaluate", first / "llm" / "config.toml", one_of_them, "--tables-only", cwd=tmp_path)
    assert not (one_of_them / "llm").exists()


@pytest.mark.slow
def test_a_folder_with_a_report_stops_a_run_before_anything_is_written(wide_systems: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "llm").mkdir(parents=True)
    (out / "llm" / "results.json").write_text("{}")
    assert "already contains a report" in refused("evaluate", wide_systems, out, "--tables-only", cwd=tmp_path)
    assert [path.name for path in out.iterdir()] == ["llm"]
    run("evaluate", wide_systems, out, "--tables-only", "--force", cwd=tmp_path)


def test_a_frame_with_systems_gives_the_overview(wide_systems: Path) -> None:
    report = reportgen.evaluate(wide_systems, systems=["engine", "llm"], scale="1:6")
    assert report.evaluation.kind == "summary"
    assert list(report.evaluation.facts["runs"]) == ["engine", "llm"]
    assert report.evaluation.estimates["run1.system.qwk"].n == N


def test_wrong_systems(wide_systems: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'llm' is listed twice"):
        reportgen.evaluate(wide_systems, systems=["llm", "llm"])
    with pytest.raises(SettingsError, match="baseline 'h9' is not one of"):
        reportgen.evaluate(wide_systems, baseline="h9")
    alone = tmp_path / "alone.csv"
    alone.write_text("id,h1,engine,engine_v2\n" + "".join(f"r{i},{i % 3 + 1},{i / 9},{i / 8}\n" for i in range(30)))
    with pytest.raises(SettingsError, match=r"the only one is 'engine'; .* system='engine' system='engine_v2'\."):
        reportgen.evaluate(alone, baseline="engine")
    left_out = dict(evaluation_of(alone).facts["columns_left_out"])
    assert "if it is another engine, add --system engine --system engine_v2" in left_out["engine_v2"]
    with pytest.raises(SettingsError, match="engine column 'nobody' does not exist"):
        reportgen.evaluate(wide_systems, systems=["llm", "nobody"])
    apart = tmp_path / "apart.csv"
    apart.write_text(
        "id,h1,a,b\n" + "".join(f"r{i},{i % 3 + 1},{'' if i % 2 else 2},{2 if i % 2 else ''}\n" for i in range(9))
    )
    with pytest.raises(InputError, match="only 0 of 9 responses have scores from all 2 engines"):
        runs_of_columns(apart, ["a", "b"], from_keywords(groups=[]))


@pytest.mark.slow
def test_raters_in_a_file_of_ratings_can_be_systems(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    lines = ["response_id,rater,score,date,run"]
    for i in range(40):
        true = random.normal(3.5, 1)
        for rater in random.choice(9, 2, replace=False):
            score = int(np.clip(np.rint(true + random.normal(0, 0.5)), 1, 6))
            lines.append(f"r{i},R{rater},{score},2026-03-{i % 28 + 1:02d},")
        lines += [f"r{i},gpt-4o,{true + random.normal(0, 0.5):.3f},,{run}" for run in (1, 2)]
        lines.append(f"r{i},engine,{true + random.normal(0, 0.4):.3f},,")
    random.shuffle(rows := lines[1:])
    (tmp_path / "ratings.csv").write_text("\n".join([lines[0], *rows]) + "\n")
    done = run("evaluate", "ratings.csv", "out", "--formats", "html", "--baseline", "engine", cwd=tmp_path)
    assert "read 80 ratings of 40 responses by 9 raters (one row per rating)" in done.stdout
    assert "gpt-4o (detected by rater name): 40 responses used, 2 runs" in done.stdout
    page = page_text(tmp_path / "out" / "gpt-4o" / "report.html")
    assert "When it scores a response again, the engine gives a different score: its SD from run to run is" in page
    assert "80 ratings by 9 raters" in page
    assert "R7" not in page  # names of persons
    run("evaluate", "out/engine/config.toml", "again", "--tables-only", cwd=tmp_path)
    one, two = (results_file.read(tmp_path / place / "results.json").evaluation for place in ("out/engine", "again"))
    assert one.estimates == two.estimates


@pytest.mark.slow
def test_a_starter_configuration_names_every_system(wide_systems: Path, tmp_path: Path) -> None:
    run("init", wide_systems, "--out", "start.toml", cwd=tmp_path)
    assert load(tmp_path / "start.toml").data.systems == ("engine", "llm", "model")
    run("evaluate", "start.toml", "out", "--tables-only", cwd=tmp_path)
    assert (tmp_path / "out" / "llm" / "results.json").is_file()


def test_settings_also_apply_to_the_comparison(wide_systems: Path, tmp_path: Path) -> None:
    lines = wide_systems.read_text().splitlines()
    text = "\n".join([lines[0] + ",site", *(f"{line},{'ab'[i < 25]}" for i, line in enumerate(lines[1:]))])
    wide_systems.write_text(text + "\n")
    settings = from_keywords(
        groups=["gender", "site"], scale="1:6", min_n_by_group={"site": 40}, rater_error_variance=0.25
    )
    for each in runs_of_columns(wide_systems, ["engine", "model"], settings)[0]:
        assert (each.min_n_of("site"), each.min_n_of("gender")) == (40, 10)
        assert each.tallied is not None
        assert each.tallied.rater_error_variance == 0.25


ONE_AT_A_TIME = "2 are named; run it once for each, with separate folders: system='engine', then system='llm'."


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"systems": ["engine", "llm"]}, ONE_AT_A_TIME),
        ({"system": ["engine", "llm"]}, "expected one column, found 2; to evaluate multiple engines, use systems"),
    ],
)
def test_multiple_systems_are_an_error_in_python(
    wide_systems: Path, tmp_path: Path, keywords: dict[str, Any], words: str
) -> None:
    for make in (reportgen.batch, reportgen.item_tables):
        with pytest.raises(SettingsError, match=re.escape(words)):
            make(wide_systems, tmp_path / "out", by="gender", **keywords)
    assert not (tmp_path / "out").exists()


def test_a_system_on_the_command_line_overrides_the_configuration(wide_systems: Path, tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(
        f'[data]\nfile = "{wide_systems.name}"\nsystems = ["engine", "llm"]\nby = "gender"\nscale = "1:6"\n'
    )
    run("batch", "run.toml", "out", "--system", "model", "--tables-only", "--workers", "1", cwd=tmp_path)
    roles = results_file.read(tmp_path / "out" / "f" / "results.json").evaluation.roles
    assert [role.columns for role in roles if role.role == "system"] == [("model",)]


@pytest.mark.slow
def test_check_of_a_summary_names_the_folders_to_check(wide_systems: Path, tmp_path: Path) -> None:
    options = ("--system", "engine", "--system", "model", "--scale", "1:6", "--tables-only")
    run("evaluate", wide_systems, "out", *options, cwd=tmp_path)
    said = refused("check", "out", cwd=tmp_path)
    assert said.endswith("give the folder of one of its reports, relative to its own: engine, model\n")


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--batches",)])
def test_doubts_about_systems_are_on_overview_pages(tmp_path: Path, options: tuple[str, ...]) -> None:
    random = np.random.default_rng(8)
    item = np.arange(300) % 3
    true = random.normal(3.5, 0.7, 300) + 1.2 * (item - 1)
    human, one, two = (np.clip(np.rint(true + random.normal(0, s, 300)), 0, 7) for s in (0.6, 0.6, 1.2))
    path, out = tmp_path / "scores.csv", tmp_path / "out"
    columns = {"human": human, "engine": one, "judge": two, "prompt": np.array(["p0", "p1", "p2"])[item]}
    pd.DataFrame({**columns, "gender": list("fm" * 150)}).to_csv(path, index=False)
    given = ("--system", "engine", "--system", "judge", "--group", "gender", "--scale", "0:7", "--formats", "html")
    done = run("evaluate", path, out, *given, *options, cwd=tmp_path)
    items = [
        results_file.read(out / system / "results.json").evaluation.facts["doubts"] for system in ("engine", "judge")
    ]
    assert all("Differences among the 3 items of 'prompt'" in each for (each,) in items)
    once = together([each for (each,) in items])
    assert f"all 2 systems: {once}" in " ".join(done.stdout.split())
    for place in ("results.json", "comparison/results.json"):
        doubts = results_file.read(out / place).sections[0].findings.values["doubts"]["told"]
        assert [tuple(each["runs"]) for each in doubts if each["sentence"] == once] == [("engine", "judge")]
    for place in ("report.html", "comparison/report.html"):
        page = page_text(out / place)
        assert page.count("The items of “prompt” differ in scale or difficulty: 57% of the variance") == 1
        assert "--by" not in page, "pages say nothing that is typed"
