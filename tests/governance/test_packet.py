"""The review packet: fields, missing fields, changes, and the attached results."""

import html
import json
import math
import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pypdf
import pytest
from command import invoked, page_text, pdf_text, refused, reportgen
from hypothesis import given
from hypothesis import strategies as st
from oracles import ends, value

from reportgen.errors import SettingsError
from reportgen.governance.card import FIELDS, checked, read_card, starter
from reportgen.governance.packet import change_tables, difference, items
from reportgen.results import Estimate, Report
from reportgen.storing import results_file
from reportgen.wording.numbers import with_interval

HOSTILE = "Scorer <script>alert(1)</script> | **bold**"
CARD = f"""
[engine]
name = '{HOSTILE}'
version = "2.3"
[use]
intended = "Second score of practice essays."
users = ["teachers", "schools"]
[monitoring]
next_review = 2027-03-01
[review]
signatories = ["Psychometrician", "Product owner"]
"""


def write_scores(path: Path, seed: int, n: int, noise: float) -> None:
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 7, n)
    second = np.clip(human + rng.integers(-1, 2, n), 1, 6)
    group = np.repeat(["north", "south", "islet"], [n // 2, n - n // 2 - 4, 4])
    system = human + rng.normal(0, noise, n)
    pd.DataFrame({"system": system, "h1": human, "h2": second, "region": group}).round(4).to_csv(path, index=False)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two reports, the HTML packet of the newer one, and the PDF packet of one section."""
    folder = tmp_path_factory.mktemp("packet")
    (folder / "card.toml").write_text(CARD, encoding="utf-8")
    options = ("--tables-only", "--scale", "1:6", "--group", "region", "--quiet")
    for name, seed, n, noise in (("old", 1, 150, 1.2), ("new", 2, 200, 0.5)):
        write_scores(folder / f"{name}.csv", seed, n, noise)
        reportgen("evaluate", f"{name}.csv", name, *options, cwd=folder)
    reportgen("evaluate", "new.csv", "short", *options, "--sections", "system_human_agreement", cwd=folder)
    given = ("--card", str(folder / "card.toml"), "--previous", str(folder / "old/results.json"))
    for report, name, kind in (("new", "packet", "html"), ("short", "paper", "pdf")):
        words = ["packet", str(folder / report), str(folder / name), *given, "--formats", kind]
        invoked(*words)  # in this process, where open files fail the test
    return folder


@pytest.fixture(scope="module")
def made(home: Path) -> Report:
    return results_file.read(home / "packet" / "results.json")


def test_card_shows_every_field_and_missing_fields(home: Path, made: Report) -> None:
    table = made.evaluation.tables["packet.card"]
    fields = dict(zip(table.column("field"), table.column("text"), strict=True))
    assert len(fields) == len(FIELDS)
    assert (fields["Engine"], fields["Users"]) == (HOSTILE, "teachers; schools")
    assert sum(text == "not supplied" for text in fields.values()) == len(FIELDS) - 5
    signatures = made.evaluation.tables["packet.signatures"]
    assert signatures.column("role") == ("Psychometrician", "Product owner")
    assert set(signatures.column("signature")) == {""}
    for text in (page_text(home / "packet" / "report.html"), pdf_text(home / "paper" / "report.pdf")):
        assert text.count("not supplied") >= len(FIELDS) - 5
        assert "2027-03-01" in text


def test_card_is_escaped(home: Path) -> None:
    page = (home / "packet" / "report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    assert html.escape("<script>alert(1)</script>") in page
    assert "<strong>bold</strong>" not in page
    assert "\\<script\\>" in (home / "packet" / "packet_card.md").read_text(encoding="utf-8")


def test_cross_reference_matches_report(home: Path, made: Report) -> None:
    found = [table.flat() for key, table in made.evaluation.tables.items() if key.startswith("packet.items")]
    text = json.dumps(found, ensure_ascii=False)
    for key in ("system.qwk", "system.r", "degradation.qwk", "true_score.prmse"):
        estimate = made.evaluation.estimates[key]
        assert f"{with_interval(estimate)} (n {estimate.n:,})" in text, key
    page = (home / "packet" / "report.html").read_text(encoding="utf-8")
    start = page.index("Where to find the numbers")
    links = re.findall(r'href="#(table-[^"]+)"', page[start : start + 8000])
    assert len(links) > 6
    for target in links:
        assert f'id="{target}"' in page, target


def test_items_appear_once_with_stars(made: Report) -> None:
    tables = [table for key, table in made.evaluation.tables.items() if key.startswith("packet.items.")]
    assert len(tables) == 4
    assert sum(len(table.rows) for table in tables) == len(items())
    for table in tables:
        stars = {"*" * str(number).count("*") for number in table.column("item")}
        assert ("checked in public copies" in " ".join(table.notes)) == ("" in stars)
        assert ("summaries by others" in " ".join(table.notes)) == ("*" in stars)
        assert ("could not be checked" in " ".join(table.notes)) == ("**" in stars)


def test_changes_are_new_minus_old(home: Path, made: Report) -> None:
    old, new = (results_file.read(home / name / "results.json").evaluation.estimates for name in ("old", "new"))
    table = made.evaluation.tables["packet.changes"]
    change = table.row("true_score.prmse")["change"]
    before, after = old["true_score.prmse"], new["true_score.prmse"]
    assert value(change) == pytest.approx(value(after) - value(before), abs=1e-15)
    error = math.hypot(after.standard_error or 0, before.standard_error or 0)
    assert (ends(change)[1] - ends(change)[0]) / 2 == pytest.approx(1.959963985 * error, rel=1e-8)
    outcomes = made.evaluation.tables["packet.outcomes"]
    assert outcomes.rows
    assert all(row.cells[2] != row.cells[3] for row in outcomes.rows)


def test_changes_require_same_ratings(home: Path) -> None:
    old, new = (results_file.read(home / name / "results.json").evaluation for name in ("old", "new"))
    follow = ("system.qwk", "system.r", "system.rmse", "system.smd", "degradation.qwk")
    other = change_tables(old, new)[0]
    for key in follow:
        found = other.row(key)["change"]
        assert isinstance(found, Estimate)
        assert (found.value, found.low) == (None, None)
        assert "other_ratings" in found.reason
    same = replace(new, facts={**new.facts, "ratings_sha256": "a"})
    known = change_tables(replace(old, facts={**old.facts, "ratings_sha256": "a"}), same)[0]
    assert all(value(known.row(key)["change"]) is not None for key in follow)


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.001, 1), st.floats(0.001, 1))
def test_difference_is_antisymmetric(a: float, b: float, se_a: float, se_b: float) -> None:
    first, second = (Estimate("r", v, 50, standard_error=se) for v, se in ((a, se_a), (b, se_b)))
    there, back = difference(first, second, paired=False), difference(second, first, paired=False)
    assert value(there) == -value(back)
    assert ends(there)[0] == pytest.approx(-ends(back)[1])
    same = difference(first, second, paired=True)
    assert same is not None
    assert same.low is None
    assert "packet.same_data" in same.interval_reason


def test_pdf_attaches_results_and_conforms(home: Path) -> None:
    pdf = pypdf.PdfReader(home / "paper" / "report.pdf")
    stored = (home / "paper" / "results.json").read_bytes()
    assert pdf.attachments["results.json"] == [stored]
    root: Any = pdf.trailer["/Root"]
    assert "/Filter" not in root["/Metadata"]  # plain bytes
    metadata = root["/Metadata"].get_data().decode()
    for claim in ('pdfaid:part="3"', 'pdfaid:conformance="A"', "<pdfuaid:part>1</pdfuaid:part>"):
        assert claim in metadata
    assert metadata.count("</rdf:RDF>") == 1
    assert root["/MarkInfo"]["/Marked"]
    intent = root["/OutputIntents"][0].get_object()
    assert (intent["/S"], intent["/DestOutputProfile"]["/N"]) == ("/GTS_PDFA1", 3)
    (held,) = (file.get_object() for file in root["/AF"])
    assert (held["/AFRelationship"], held["/UF"], held["/F"]) == ("/Data", "results.json", "results.json")
    assert held["/Desc"]
    assert held["/EF"]["/F"]["/Subtype"] == "/application/json"
    assert held["/EF"]["/F"]["/Params"]["/Size"] == len(stored)
    assert "/StructTreeRoot" in root
    pages: Any = pdf.pages
    for page in pages:
        for font in page["/Resources"].get("/Font", {}).values():
            descendant = font.get_object()["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object()
            assert {"/FontFile2", "/FontFile3"} & set(descendant)


def test_packet_of_edited_verdict_raises(home: Path) -> None:
    content = json.loads((home / "new" / "results.json").read_text(encoding="utf-8"))
    evaluation = content["report"]["evaluation"]
    assert evaluation["ruling"]["decision"] != "deploy"
    evaluation["ruling"]["decision"] = "deploy"
    for check in evaluation["checks"]:
        check["outcome"] = "met"
    (home / "edited.json").write_text(json.dumps(content), encoding="utf-8")
    assert "its own statistics give" in refused("packet", "edited.json", "never", cwd=home)


@pytest.mark.slow
def test_packet_is_reproducible_and_can_be_nested(home: Path, made: Report) -> None:
    for report, kept, kind in (("new", "packet", "html"), ("short", "paper", "pdf")):
        options = ("--card", "card.toml", "--previous", "old", "--formats", kind)
        reportgen("packet", report, f"{kept} again", *options, cwd=home)
        for name in (f"report.{kind}", "results.json"):
            assert (home / f"{kept} again" / name).read_bytes() == (home / kept / name).read_bytes(), name
    reportgen("packet", "packet", "nested", "--card", "card.toml", "--formats", "", cwd=home)
    nested = results_file.read(home / "nested" / "results.json")
    names = [section.name for section in nested.sections]
    assert len(names) == len(set(names))
    assert (names[0], names[-1]) == ("packet_summary", "packet_decision")


@pytest.mark.slow
def test_rendered_packet_attaches_results(home: Path) -> None:
    reportgen("render", "paper/results.json", "rendered", "--formats", "pdf", cwd=home)
    pdf = pypdf.PdfReader(home / "rendered" / "report.pdf")
    assert pdf.attachments["results.json"] == [(home / "rendered" / "results.json").read_bytes()]


def test_packet_withholds_groups(made: Report) -> None:
    for key, table in made.evaluation.tables.items():
        if key == "packet.outcomes":
            assert not [row for row in table.rows if "islet" in str(row.cells[1])]
        elif key != "privacy.withheld":
            assert "islet" not in json.dumps(table.flat()), key


@pytest.mark.slow
def test_packet_sections_can_be_overridden(home: Path) -> None:
    folder = home / "mine" / "sections" / "packet_decision"
    folder.mkdir(parents=True)
    template = '{% extends "shipped/notebook/base_section.md.j2" %}{% block headline %}Board of 2027{% endblock %}'
    (folder / "section.md.j2").write_text(template, encoding="utf-8")
    options = ("--templates", "mine", "--formats", "html", "--sections", "packet_card,packet_decision")
    reportgen("packet", "new", "custom", *options, cwd=home)
    text = page_text(home / "custom" / "report.html")
    assert "Board of 2027" in text
    assert "Requirements coverage" not in text


def test_starter_card_has_every_field(tmp_path: Path) -> None:
    reportgen("packet", "--starter", "card.toml", cwd=tmp_path)
    content = tomllib.loads((tmp_path / "card.toml").read_text(encoding="utf-8"))
    assert {f"{table}.{key}" for table, fields in content.items() for key in fields} == {
        field.key for field in FIELDS
    } | {"review.signatories"}
    assert read_card(tmp_path / "card.toml") == ({}, ("Psychometrician", "Product owner"))
    assert starter() == (tmp_path / "card.toml").read_text(encoding="utf-8")
    assert "--force" in refused("packet", "--starter", "card.toml", cwd=tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"engine": {"nme": "x"}}, ["engine.nme", "engine.name"]),
        ({"name": "x"}, ["'name'", "[engine]"]),
        ({"engine": {"name": {"a": 1}}}, ["engine.name", "dict"]),
        ({"engine": {"name": True}}, ["engine.name", "bool"]),
        ({"use": {"users": [1, None]}}, ["use.users", "NoneType"]),
        ({"use": {"intended": "x" * 30_000}}, ["use.intended", "30,000"]),
        ({"review": {"signatories": 3.5}}, []),
    ],
)
def test_invalid_card_raises(content: dict[str, object], words: list[str]) -> None:
    if not words:
        assert checked(content, "card.toml") == ({}, ("3.5",))
        return
    with pytest.raises(SettingsError) as caught:
        checked(content, "card.toml")
    for word in ("card.toml", *words):
        assert word in str(caught.value)


def test_invalid_packet_writes_nothing(home: Path) -> None:
    (home / "bad.toml").write_text("[engine]\nnme = 'x'\n", encoding="utf-8")
    assert "engine.name" in refused("packet", "new", "bad", "--card", "bad.toml", cwd=home)
    compared = Path(__file__).parents[2] / "example_reports" / "two_engines"
    assert "comparison" in refused("packet", compared, "bad", cwd=home)
    assert "--force" in refused("packet", "new", "packet", cwd=home)
    before = (home / "new" / "results.json").read_bytes()
    assert "another folder" in refused("packet", "new", "new", "--force", cwd=home)
    assert (home / "new" / "results.json").read_bytes() == before
    assert "--starter" in refused("packet", cwd=home)


def test_changes_of_same_human_scores_have_no_interval(made: Report) -> None:
    old = replace(made.evaluation, facts={**made.evaluation.facts, "ratings_sha256": "a"})
    other = replace(old, source=replace(old.source, sha256="0" * 64))
    table = change_tables(old, other)[0]
    human, engine = (table.row(name)["change"] for name in ("human.qwk", "system.qwk"))
    assert isinstance(human, Estimate)
    assert (human.value, human.low) == (0, None)
    assert human.interval_reason
    assert ends(engine)
