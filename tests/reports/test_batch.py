"""Test many reports from one file: each equals the report of its rows, for any worker and any number of runs."""

import html
import json
import os
import shutil
import urllib.parse
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from command import page_text, refused
from command import reportgen as run
from simulated import evaluation_of, framed, simulated

import reportgen
from reportgen.errors import BatchError, OutputError, SettingsError
from reportgen.reports import batches as verbs
from reportgen.results import Report
from reportgen.scores import items
from reportgen.scores.items import open_items
from reportgen.settings import from_keywords
from reportgen.sources.tabular import Place
from reportgen.storing import results_file
from reportgen.testing import text_of
from reportgen.verdicts import unmet
from reportgen.wording.vocabulary import english

ITEMS = ("P1", "P2", "P10", "a/../b")
"""The last is not a valid folder name."""


def write_scores(path: Path, items: tuple[str, ...] = ITEMS, n: int = 40) -> Path:
    """Write `n` responses to each item, mixed; the second human score is missing now and then."""
    rng = np.random.default_rng(11)
    lines = []
    for item in items:
        for i in range(n):
            true = rng.normal(3.5, 1)
            h1, h2 = (int(np.clip(np.rint(true + rng.normal(0, 0.5)), 1, 6)) for _ in range(2))
            second = "" if i % 5 == 0 else h2
            lines.append(
                f"{item}-{i},{h1},{second},{true + rng.normal(0, 0.4):.3f},{item},{'fm'[i % 2]},{6 + i % 3 % 2}"
            )
    rng.shuffle(lines)
    path.write_text("\n".join(["id,h1,h2,engine,item,gender,grade", *lines]) + "\n")
    return path


QUICK = ("--formats", "html", "--sections", "summary")


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file by its place."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which a batch was made by one process; its reports are in `out`."""
    home = tmp_path_factory.mktemp("batch")
    write_scores(home / "s.csv")
    run("batch", "s.csv", "out", "--by", "item", "--workers", "1", *QUICK, "--scale", "1:6", cwd=home)
    return home


@pytest.mark.slow
def test_a_summary_of_a_batch_covers_its_reports(done: Path, tmp_path: Path) -> None:
    one = reportgen.summarize(done / "out").evaluation
    assert one.facts["runs"] == list(ITEMS)
    alone = reportgen.summarize(*(done / "out" / name for name in ("P1", "P2", "P10", "a-..-b"))).evaluation
    assert [row.cells[1:] for row in one.tables["summary.association"].rows] == [
        row.cells[1:] for row in alone.tables["summary.association"].rows
    ]
    shutil.copytree(done / "out", tmp_path / "other")
    content = json.loads((tmp_path / "other/batch.json").read_text())
    content["batch"]["reports"][1]["status"] = "not made"
    content["batch"]["reports"][3]["folder"] = "../out/P1"  # not one of its folders
    (tmp_path / "other/batch.json").write_text(json.dumps(content))
    two = reportgen.summarize(done / "out", tmp_path / "other").evaluation
    assert two.facts["runs"] == [*(f"out: {item}" for item in ITEMS), "other: P1", "other: P10"]
    assert [warning for warning in two.warnings if "'other' could not create these reports: 2" in warning]


def test_every_item_has_the_same_report_as_a_file_with_only_its_rows(done: Path, tmp_path: Path) -> None:
    header, *lines = (done / "s.csv").read_text().splitlines()
    for item, folder in zip(ITEMS, ("P1", "P2", "P10", "a-..-b"), strict=True):
        alone = tmp_path / "s.csv"
        alone.write_text("\n".join([header, *(line for line in lines if line.split(",")[4] == item)]) + "\n")
        expected = evaluation_of(alone, scale="1:6", groups=["gender", "grade"])
        found = results_file.read(done / "out" / folder / "results.json")
        assert found.evaluation.estimates == expected.estimates
        assert found.evaluation.tables == expected.tables
        assert found.title.endswith(f"item {item}")
        assert (done / "out" / folder / "report.html").is_file()
    assert sorted(path.name for path in (done / "out").iterdir()) == [
        "P1", "P10", "P2", "a-..-b", "batch.json", "summary",
    ]  # fmt: skip


def test_the_configuration_of_one_report_reproduces_it(done: Path, tmp_path: Path) -> None:
    again = evaluation_of(done / "out" / "P10" / "config.toml")
    found = results_file.read(done / "out" / "P10" / "results.json").evaluation
    assert again.estimates == found.estimates
    assert again.source == found.source
    assert again.facts == found.facts


def test_the_summary_links_to_every_report(done: Path) -> None:
    page = html.unescape((done / "out" / "summary" / "report.html").read_text())
    for folder in ("P1", "P2", "P10", "a-..-b"):
        assert f'href="../{folder}/report.html"' in page
    report = reportgen.load(done / "out" / "summary")
    rows = report.evaluation.tables["summary.items"].rows
    assert [row.cells[0] for row in rows] == list(ITEMS)  # item 2 before item 10
    qwk = {row.cells[0]: row.cells[2] for row in report.evaluation.tables["summary.association"].rows}
    for item, folder in zip(ITEMS, ("P1", "P2", "P10", "a-..-b"), strict=True):
        part = results_file.read(done / "out" / folder / "results.json").evaluation
        assert qwk[item] == part.estimates["system.qwk"]


@pytest.mark.slow
def test_the_table_of_verdicts_has_reasons_and_links_to_each_report(tmp_path: Path) -> None:
    data = write_scores(tmp_path / "s.csv", ("A", "B <b>"), n=120)
    lines = [line.split(",") for line in data.read_text().splitlines()]
    for line in lines[1:]:
        line[3] = f"{float(line[3]) + 1.5 * (line[4] == 'A' and line[5] == 'f'):.3f}"
    data.write_text("\n".join(map(",".join, lines)) + "\n")
    report = reportgen.batch(data, tmp_path / "out", by="item", scale="1:6", groups=["gender"], formats=["html"])
    table = report.evaluation.tables["summary.items"]
    assert [column.key for column in table.columns if column.shown][:3] == ["item", "decision", "unmet"]
    why = dict(zip(table.column("item"), map(english().say, table.column("unmet")), strict=True))
    assert why["A"].startswith("not met: ")
    assert "gender f: DSM" in why["A"].partition(";")[0]
    assert not why["B <b>"].startswith("not met")
    for item, folder in zip(table.column("item"), table.column("folder"), strict=True):
        part = results_file.read(tmp_path / "out" / str(folder) / "results.json").evaluation
        assert why[str(item)] == english().say(unmet(part.checks))
    page = (tmp_path / "out" / "summary" / "report.html").read_text()
    for item, place in zip(table.column("item"), table.column("page"), strict=True):
        assert (tmp_path / "out" / "summary" / str(place)).is_file()
        link = f'<a href="{urllib.parse.quote(str(place))}">{html.escape(str(item))}</a>'
        assert link in page
    assert page.count('/report.html">') == 2  # no list next to a table with all links


@pytest.mark.slow
def test_the_same_bytes_whatever_the_number_of_workers(done: Path, tmp_path: Path) -> None:
    write_scores(tmp_path / "s.csv")
    options = ("--by", "item", "--workers", "2", *QUICK, "--scale", "1:6", "-q")
    run("batch", "s.csv", "out", *options, cwd=tmp_path)
    assert tree(tmp_path / "out") == tree(done / "out")


@pytest.mark.slow
@pytest.mark.parametrize(("workers", "large"), [(1, False), (2, False), (1, True), (2, True)])
def test_rows_written_to_a_file_give_the_same_bytes(
    workers: int, large: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: dict[str, Any] = {"by": "item", "scale": "1:6", "tables_only": True, "human": ["h1", "h2"]}
    for name, held in (("held", verbs.HELD), ("laid down", 0)):
        monkeypatch.setattr(items, "is_large", lambda _, never_held=large and held == 0: never_held)
        monkeypatch.setattr(items, "BATCH_ROWS", 23)
        (tmp_path / name).mkdir()
        write_scores(tmp_path / name / "s.csv")
        with (tmp_path / name / "s.csv").open("a") as file:
            file.write("x,3,1,2.5,broken,f,6\nx,2,1,2.5,broken,f,6\n")
            file.writelines(f"y{row},3,1,2.5,broken,f,6\n" for row in range(10))  # too many to be withheld
        monkeypatch.chdir(tmp_path / name)
        monkeypatch.setattr(verbs, "HELD", held)
        monkeypatch.setattr(items, "RUN_ROWS", 50)
        with pytest.raises(BatchError, match=r"broken \(.* rows 162 and 163"):
            reportgen.batch("s.csv", "out", workers=workers if held == 0 else 1, **settings)
        assert not list(Path("out").rglob("*.arrow"))
    assert tree(tmp_path / "held" / "out") == tree(tmp_path / "laid down" / "out")


@pytest.mark.slow
def test_finished_reports_are_not_rebuilt(tmp_path: Path) -> None:
    data = write_scores(tmp_path / "s.csv")
    settings: dict[str, Any] = {"by": "item", "scale": "1:6", "tables_only": True, "groups": []}
    reportgen.batch(data, tmp_path / "out", **settings)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").glob("P*/results.json")}
    notes = tmp_path / "out" / "P2" / "notes.txt"
    notes.write_text("mine")
    (tmp_path / "out" / "P2" / "tables" / "calibration.csv").unlink()
    reportgen.batch(data, tmp_path / "out", **settings)
    after = {path: path.stat().st_mtime_ns for path in before}
    changed = [path.parent.name for path in before if before[path] != after[path]]
    assert changed == ["P2"]  # a file of it was gone
    assert notes.read_text() == "mine"
    assert (tmp_path / "out" / "P2" / "tables" / "calibration.csv").is_file()
    table = tmp_path / "out" / "P1" / "tables" / "calibration.csv"
    written = table.read_bytes()
    table.write_bytes(written[::-1])  # changed, and as long as it was
    reportgen.batch(data, tmp_path / "out", **settings)
    assert table.read_bytes() == written
    after = {path: path.stat().st_mtime_ns for path in before}
    for path in (tmp_path / "out").rglob("*.csv"):
        path.touch()  # as after a copy: the same files at another time
    reportgen.batch(data, tmp_path / "out", **settings)
    assert {path: path.stat().st_mtime_ns for path in before} == after
    reportgen.batch(data, tmp_path / "out", **{**settings, "confidence_level": 0.9})
    assert all(path.stat().st_mtime_ns != after[path] for path in after)  # another setting: all again
    assert results_file.read(tmp_path / "out" / "P1" / "results.json").evaluation.facts["confidence_level"] == 0.9


@pytest.mark.slow
def test_a_finished_batch_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_scores(tmp_path / "s.csv")
    command = (
        "batch", "s.csv", "out", "--by", "item", "--scale", "1:6", "--workers", "1", "--tables-only", "--no-groups",
        "-q",
    )  # fmt: skip
    run(*command, cwd=tmp_path)
    before = times(tmp_path / "out")
    run(*command, cwd=tmp_path)
    assert times(tmp_path / "out") == before
    settings: dict[str, Any] = {"by": "item", "scale": "1:6", "tables_only": True, "groups": []}
    reportgen.batch(data, tmp_path / "out", **settings)
    before = times(tmp_path / "out")
    reads, read = list[Path](), results_file.read

    def noted(path: Path) -> Report:
        reads.append(path)
        return read(path)

    monkeypatch.setattr(results_file, "read", noted)
    summary = reportgen.batch(data, tmp_path / "out", **settings)
    assert [path.parent.name for path in reads] == ["summary"]  # for the caller alone
    assert times(tmp_path / "out") == before
    assert summary == read(tmp_path / "out" / "summary" / "results.json")


@pytest.mark.slow
@pytest.mark.parametrize("harm", ["a file is gone", "other results", "another verdict in the list"])
def test_a_changed_summary_is_rebuilt(harm: str, tmp_path: Path) -> None:
    data = write_scores(tmp_path / "s.csv", ITEMS[:2])
    settings: dict[str, Any] = {"by": "item", "scale": "1:6", "tables_only": True, "groups": []}
    reportgen.batch(data, tmp_path / "out", **settings)
    before, summary = tree(tmp_path / "out"), tmp_path / "out" / "summary"
    if harm == "a file is gone":
        (summary / "config.toml").unlink()
    elif harm == "other results":
        text = (summary / "results.json").read_text()
        (summary / "results.json").write_text(text.replace("Summary of 2", "Summary of 3"))
    else:
        listed = tmp_path / "out" / "batch.json"
        listed.write_text(listed.read_text().replace('"rows": 40', '"rows": 41', 1))
    reportgen.batch(data, tmp_path / "out", **settings)
    after = tree(tmp_path / "out")
    changed = {name for name in before if before[name] != after[name]}
    told = {"summary/results.json", "summary/tables/summary.items.csv", "batch.json"}
    assert changed == (told if harm == "another verdict in the list" else set())


def times(folder: Path) -> dict[Path, int]:
    """Return when every file but the list of reports was last written."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "batch.json")
    return {path: path.stat().st_mtime_ns for path in files}


@pytest.mark.slow
def test_one_broken_item_does_not_stop_others(tmp_path: Path) -> None:
    data = write_scores(tmp_path / "s.csv", ("A", "B"))
    with data.open("a") as file:
        file.write("x,9,1,2.5,broken,f,6\n")
    options = ("--by", "item", "--scale", "1:6", "--formats", "html", "--workers", "1", "--no-groups")
    said = run("batch", "s.csv", "out", *options, cwd=tmp_path, code=3).stderr
    assert said.startswith("error: 2 of 3 reports are complete")
    assert "broken (1 of 1 responses can be used" in said
    assert said.count("\n") <= 2
    entries = json.loads((tmp_path / "out" / "batch.json").read_text())["batch"]["reports"]
    assert [(entry["folder"], entry["status"]) for entry in entries] == [
        ("A", "finished"), ("B", "finished"), ("broken", "not made"),
    ]  # fmt: skip
    assert not (tmp_path / "out" / "broken").exists()
    assert "1 report could not be made" in page_text(tmp_path / "out" / "summary" / "report.html")
    data.write_text(data.read_text().replace("x,9,1,2.5,broken,f,6\n", ""))
    run("batch", "s.csv", "out", *options, cwd=tmp_path)


def test_two_columns_give_a_report_for_each_pair_that_occurs(tmp_path: Path) -> None:
    data = write_scores(tmp_path / "s.csv", ("A", "B"), n=120)
    report = reportgen.batch(data, tmp_path / "out", by=["item", "grade"], scale="1:6", tables_only=True)
    table = report.evaluation.tables["summary.items"]
    assert list(zip(table.column("item"), table.column("folder"), strict=True)) == [
        ("A · 6", "A-6"), ("A · 7", "A-7"), ("B · 6", "B-6"), ("B · 7", "B-7"),
    ]  # fmt: skip
    assert sum(int(str(cell)) for cell in table.column("rows")) == 240
    part = results_file.read(tmp_path / "out" / "A-7" / "results.json").evaluation
    assert [role.columns for role in part.roles if role.role == "group"] == [("gender",)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--by is required"),
        (["--by", "itm"], "column 'itm' does not exist\nhint: did you mean 'item'?"),
        (["--by", "item", "--system", "nobody"], "nobody"),
    ],
)
def test_an_invalid_batch_writes_nothing(tmp_path: Path, arguments: list[str], words: str) -> None:
    write_scores(tmp_path / "s.csv", ("A",))
    assert words in refused("batch", "s.csv", "out", *arguments, cwd=tmp_path)


def test_a_report_from_outside_the_batch_is_not_replaced(tmp_path: Path) -> None:
    data = write_scores(tmp_path / "s.csv", ("A", "B"))
    reportgen.evaluate(data, tmp_path / "out" / "A", formats="html", scale="1:6")
    before = tree(tmp_path / "out")
    said = refused("batch", "s.csv", "out", "--by", "item", "--tables-only", cwd=tmp_path)
    assert "already contains a report" in said
    assert tree(tmp_path / "out") == before


def test_a_batch_does_not_touch_a_folder_in_use(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    (out := tmp_path / "out").mkdir()
    before, descriptor = out.stat().st_mtime_ns, os.open(out, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with pytest.raises(OutputError, match="another batch is writing to"):
        reportgen.batch(write_scores(tmp_path / "s.csv"), out, by="item")
    os.close(descriptor)
    assert out.stat().st_mtime_ns == before


def test_a_frame_and_a_file_of_ratings(tmp_path: Path) -> None:
    scores = simulated(60, 2, mean=3, error=0.5, noise=0.3, ends=(1, 5))
    wide = framed(scores, item=np.repeat(["A", "B"], 30), response=[f"e{row}" for row in range(60)])
    frame = wide.melt(["response", "engine", "item"], ["h1", "h2"], "rater", "score")
    entries: dict[str, Any] = {
        "layout": "long", "id": "response", "rater": "rater", "score": "score", "system": "engine", "scale": "1:5",
    }  # fmt: skip
    report = reportgen.batch(frame, tmp_path / "out", by="item", tables_only=True, **entries)
    assert list(report.evaluation.tables["summary.items"].column("n")) == [30, 30]
    found = results_file.read(tmp_path / "out" / "B" / "results.json").evaluation
    assert found.estimates == evaluation_of(frame[frame["item"] == "B"], **entries).estimates


def test_rows_are_numbered_as_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(
        "id,h1,engine,item\n"
        + "".join(f"r{i},{i % 4 + 1},{i % 4 + 1.3},{'AB'[i % 2]}\n" for i in range(40))
        + "z,x,1,B\n"
    )
    parts = open_items(tmp_path / "s.csv", from_keywords(by="item", scale="1:4"))
    scores = parts.part(1).read(parts.settings_of(1))
    assert [(out.n, out.first_rows) for out in scores.exclusions] == [(1, (Place(42),))]


def test_items_on_different_scales_are_summarized_with_a_warning(tmp_path: Path) -> None:
    lines = [f"r{i},{i % 4 + 1},{i % 4 + 1.3},A" for i in range(40)] + [
        f"q{i},{i % 9},{i % 9 + 0.2},B" for i in range(45)
    ]
    (tmp_path / "s.csv").write_text("\n".join(["id,h1,engine,item", *lines]) + "\n")
    report = reportgen.batch(tmp_path / "s.csv", tmp_path / "out", by="item", tables_only=True)
    assert "The items are on 2 different scales" in text_of(report.sections[0], report.evaluation)


def test_python_raises_for_failed_reports(tmp_path: Path) -> None:
    data = write_scores(tmp_path / "s.csv", ("A",), n=1)
    with pytest.raises(BatchError, match="0 of 1 reports are complete"):
        reportgen.batch(data, tmp_path / "out", by="item", system="engine", human="h1", groups=[])
    with pytest.raises(SettingsError, match="reportgen batch CONFIG"):
        reportgen.evaluate(data, by="item")  # type: ignore[call-arg]


@pytest.mark.slow
def test_many_reports_are_shown_worst_first_with_links_after_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reportgen.reports.parts.MOST_ROWS_SHOWN", 2)
    names = tuple(f"P{k:02}" for k in range(12))
    data = write_scores(tmp_path / "s.csv", names, n=60)
    lines = [line.split(",") for line in data.read_text().splitlines()]
    rng = np.random.default_rng(1)
    for line in lines[1:]:
        if line[4] in ("P05", "P08"):  # scores that say nothing, and scores turned around
            line[3] = f"{rng.uniform(1, 6) if line[4] == 'P05' else 6 - float(line[1]):.3f}"
    data.write_text("\n".join(map(",".join, lines)) + "\n")
    settings: dict[str, Any] = {"scale": "1:6", "system_scale": "1:6", "groups": []}
    report = reportgen.batch(data, tmp_path / "out", by="item", formats=["html"], **settings)
    facts, stored = report.evaluation.facts, report.evaluation.tables["summary.items"]
    assert [row.cells[0] for row in stored.rows] == list(names)  # the CSV is in the order of the names
    findings = next(section.findings for section in report.sections if section.name == "summarize_items")
    table = next(table for table in findings.tables if table.key == "summary.items")
    assert [row.cells[0] for row in table.rows][:2] == ["P08", "P05"]
    refused = [row for row in stored.rows if row.cells[1] == "do not deploy"]
    assert len(table.rows) == max(2, len(refused))
    assert [each["name"] for each in findings.values["far_below"]] == ["P08", "P05"]
    counted = {english().say(name): n for name, n in facts["missed"]}
    parts = [results_file.read(tmp_path / "out" / item / "results.json").evaluation for item in names]
    for short, key in (("QWK", "system.qwk"), ("r", "system.r")):
        unmet_in = [any(c.statistic == key and c.outcome == "not met" for c in part.checks) for part in parts]
        assert counted[short] == sum(unmet_in) >= 2
    page_says = text_of(report.sections[0], report.evaluation)
    assert f"QWK in {counted['QWK']} reports" in page_says
    assert "Agreement (QWK) is far lower than the others for P08 (" in page_says
    page = html.unescape((tmp_path / "out" / "summary" / "report.html").read_text())
    assert all(page.count(f'href="../{item}/report.html"') == 1 for item in names)
    assert page.index('<ul class="reports">') > page.index("Every report and its answer")
    assert "summary.ranking" not in report.evaluation.tables  # the items are different responses


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="this Arrow has no views")
def test_string_views_are_split(tmp_path: Path) -> None:
    rows = [(f"r{i}", "ab"[i % 2], i % 5 + 1, i % 5 + 1.25) for i in range(60)]
    ids, names, human, engine = (list(column) for column in zip(*rows, strict=True))
    table = {"id": pa.array(ids, pa.string_view()), "item": pa.array(names, pa.string_view())}
    pa.parquet.write_table(pa.table({**table, "human": human, "engine": engine}), tmp_path / "s.parquet")
    reportgen.batch(tmp_path / "s.parquet", tmp_path / "all", by="item", tables_only=True)
    assert (tmp_path / "all" / "a" / "results.json").is_file()
