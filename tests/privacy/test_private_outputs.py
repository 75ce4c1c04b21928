"""Ids, texts, and small groups in the data appear in no byte of the output."""

import base64
import csv
import json
import re
import zlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from command import pdf_text, reportgen

from reportgen.results import Estimate, Evaluation
from reportgen.storing import results_file

SMALL, PROTECTOR = "Quenya speakers", "Sindarin speakers"
SECRETS = ("RESP-", "CAND-", "lorem ipsum dolor")


def write_scores(path: Path, seed: int = 11, shift: float = 0.0) -> None:
    """Write 240 responses: a group of seven, its protector, and two large groups, crossed with a second column."""
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 7, 240)
    language = np.repeat([SMALL, PROTECTOR, "English", "French"], [7, 30, 110, 93])
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["response_id", "candidate", "essay", "engine", "rater_1", "rater_2", "language", "region"])
        for i in range(240):
            second = min(6, max(1, int(human[i]) + int(rng.integers(-1, 2)))) if rng.random() < 0.7 else ""
            writer.writerow([
                f"RESP-{i:05d}", f"CAND-{i // 2:04d}", f"lorem ipsum dolor {rng.integers(10**9)} " * 12,
                round(float(human[i] + rng.normal(shift, 0.6)), 6), human[i], second, language[i],
                ("north", "south")[i % 2],
            ])  # fmt: skip


def unpacked(data: bytes) -> Iterator[bytes]:
    """Yield bytes and their packed content: base64, gzip, and PDF streams."""
    yield data
    if data[:4] == b"%PDF":
        for stream in re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL):
            try:
                yield from unpacked(zlib.decompress(stream))
            except zlib.error:
                continue
    for packed in re.findall(rb"[A-Za-z0-9+/]{200,}={0,2}", data):
        try:
            inner = base64.b64decode(packed + b"=" * (-len(packed) % 4))
        except ValueError:
            continue
        yield inner
        if inner[:2] == b"\x1f\x8b":
            yield zlib.decompress(inner, 31)


def artefacts(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            for data in unpacked(path.read_bytes()):
                yield path.name, data


def pdf_words(folder: Path) -> str:
    return " ".join(pdf_text(path) for path in folder.rglob("*.pdf"))


def numbers_of(evaluation: Evaluation, levels: set[str]) -> set[bytes]:
    """Return the first nine digits of every number of some levels in a run without withholding."""
    found: set[float] = set()
    for table in evaluation.tables.values():
        for row in table.rows:
            inside = str(row.cells[0]).split(" (reference)")[0] in levels
            for column, cell in zip(table.columns, row.cells, strict=True):
                if inside or column.label in levels:
                    parts = [cell.value, cell.low, cell.high] if isinstance(cell, Estimate) else [cell]
                    found |= {part for part in parts if isinstance(part, float)}
    found |= {check.estimate.value or 0.0 for check in evaluation.checks if check.group.split(": ")[-1] in levels}
    # a share such as 7 / 240 can occur by chance, for example as a coordinate
    found = {number for number in found if abs(float(Fraction(number).limit_denominator(2000)) - number) > 1e-12}
    return {text[:11].encode() for number in found if len(text := repr(abs(number))) > 12 and "e" not in text}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("private")
    write_scores(folder / "scores.csv")
    options: tuple[str, ...] = ("--group", "language", "--group", "region", "--scale", "1:6", "--id", "response_id")
    options += ("--candidate", "candidate", "--system", "engine", "--human", "rater_1", "--human", "rater_2")
    said = reportgen("evaluate", "scores.csv", "out", "--formats", "html,brief", *options, cwd=folder)
    (folder / "out" / "said.txt").write_text(said.stdout + said.stderr, encoding="utf-8")
    reportgen("evaluate", "scores.csv", "open", *options, "--no-withhold", "--tables-only", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def left_behind(run: Path) -> list[tuple[str, bytes]]:
    """Return all files of the report and their packed content."""
    return list(artefacts(run / "out"))


@pytest.mark.parametrize("secret", SECRETS)
def test_report_contains_no_id_and_text(left_behind: list[tuple[str, bytes]], secret: str) -> None:
    for name, data in left_behind:
        assert secret.encode() not in data, name


@pytest.mark.slow
def test_pdf_contains_no_id_and_text(run: Path) -> None:
    reportgen("render", "out/results.json", "paper", "--formats", "pdf", cwd=run)
    text = pdf_words(run / "paper")
    assert not [secret for secret in SECRETS if secret in text]
    for name, data in artefacts(run / "paper"):
        assert not [secret for secret in SECRETS if secret.encode() in data], name


def test_report_contains_no_number_of_withheld_group(run: Path, left_behind: list[tuple[str, bytes]]) -> None:
    everything = results_file.read(run / "open" / "results.json").evaluation
    digits = numbers_of(everything, {SMALL, PROTECTOR})
    assert len(digits) > 60, "enough numbers to search"
    shown = numbers_of(everything, {"English", "French", "north", "south", "All data"})
    text = (run / "out" / "results.json").read_bytes()
    assert sum(each in text for each in shown) > len(shown) / 3, "the search finds shown numbers"
    for name, data in left_behind:
        leaked = [each for each in digits - shown if each in data]
        assert not leaked, (name, leaked)


def test_withheld_group_is_named_in_log_only(run: Path) -> None:
    evaluation = results_file.read(run / "out" / "results.json").evaluation
    assert evaluation.facts["groups_withheld"] == {"language": (SMALL, PROTECTOR)}
    for table in evaluation.tables.values():
        text = json.dumps(table.flat())
        assert (SMALL in text) == (PROTECTOR in text) == (table.key == "privacy.withheld"), table.key
    for path in (run / "out").glob("tables/*.csv"):
        assert (SMALL in path.read_text(encoding="utf-8")) == (path.name == "privacy.withheld.csv")
    sections = results_file.read(run / "out" / "results.json").sections
    charts = [chart for section in sections for chart in section.findings.charts]
    assert [chart.key for chart in charts if SMALL in repr(chart) or PROTECTOR in repr(chart)] == []


def test_withheld_remainder_is_large(run: Path) -> None:
    evaluation = results_file.read(run / "out" / "results.json").evaluation
    shown = evaluation.tables["data.groups.language"].column("n")
    rest = evaluation.facts["responses_kept"] - sum(int(str(n)) for n in shown)
    assert rest == 37


@pytest.mark.slow
def test_comparison_and_summary_withhold_groups(run: Path) -> None:
    write_scores(run / "other.csv", shift=0.4)
    options: tuple[str, ...] = ("--group", "language", "--scale", "1:6", "--id", "response_id", "--system", "engine")
    options += ("--human", "rater_1", "--human", "rater_2")
    reportgen("evaluate", "scores.csv", "first", *options, "--tables-only", cwd=run)
    reportgen("evaluate", "other.csv", "second", *options, "--tables-only", cwd=run)
    for verb in ("compare", "summarize"):
        reportgen(verb, "first", "second", "--out", verb, "--formats", "html", cwd=run)
        evaluation = results_file.read(run / verb / "results.json").evaluation
        assert "privacy.withheld" in evaluation.tables
        for table in evaluation.tables.values():
            text = json.dumps(table.flat())
            assert (SMALL in text) == (PROTECTOR in text) == (table.key == "privacy.withheld"), table.key
        for name, data in artefacts(run / verb):
            assert not [secret for secret in SECRETS if secret.encode() in data], name


@pytest.mark.slow
@pytest.mark.parametrize("private", [False, True])
def test_rsmtool_layout_is_private_on_request(run: Path, private: bool) -> None:
    configuration = {
        "experiment_id": "x", "predictions_file": "scores.csv", "system_score_column": "engine", "trim_min": 1,
        "trim_max": 6, "id_column": "response_id", "human_score_column": "rater_1",
        "second_human_score_column": "rater_2", "subgroups": ["language"], "privacy": private,
    }  # fmt: skip
    (run / "rsmeval.json").write_text(json.dumps(configuration), encoding="utf-8")
    folder = run / f"peer_{private}"
    reportgen("evaluate", "rsmeval.json", folder.name, "--formats", "html", cwd=run)
    peer = b"".join(path.read_bytes() for path in (folder / "output").iterdir())
    assert (b"RESP-" in peer) == (not private)
    assert (SMALL.encode() in peer) == (not private)
    for name, data in artefacts(folder / "report"):
        assert b"RESP-" not in data, name
