"""Reports can be customized as the guides show: options, order, words, templates, and sections."""

import base64
import json
import re
from pathlib import Path

import pytest
from command import page_text, refused, reportgen

from reportgen.results import Report
from reportgen.settings import Settings
from reportgen.storing import results_file

FAKE_PLUGIN = Path(__file__).parent / "fake_plugin"
SCORES = "id,engine,rater_1,rater_2\n" + "".join(
    f"r{i},{1 + i % 5 + (i % 7 - 3) / 5:.1f},{1 + i % 5},{1 + (i + (i % 9 == 0)) % 5}\n" for i in range(90)
)
DATA = "All 90 responses were evaluated, and two raters scored each one."
"""The finding of the data section for these scores."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A working folder with scores.csv."""
    (tmp_path / "scores.csv").write_text(SCORES, encoding="utf-8")
    return tmp_path


def made(home: Path, config: str = "", *options: str, environment: dict[str, str] | None = None) -> Path:
    """Write config.toml, make its HTML report, and return the folder."""
    file = '[data]\nfile = "scores.csv"\nscale = "1:5"\n[report]\nformats = ["html"]\n'
    (home / "config.toml").write_text(file + config, encoding="utf-8")
    reportgen("evaluate", "config.toml", "out", "--force", *options, cwd=home, environment=environment)
    return home / "out"


def stored(folder: Path) -> Report:
    return results_file.read(folder / "results.json")


def headings(folder: Path) -> list[str]:
    """Return the headings of the report above the terms."""
    page = (folder / "report.html").read_text(encoding="utf-8").partition('id="terms-title"')[0]
    return re.findall(r"<h2[^>]*>(.+?)</h2>", page)


@pytest.mark.slow
def test_section_options(home: Path) -> None:
    config = 'sections = ["score_distributions", "system_human_agreement"]\n[sections.system_human_agreement]\n'
    with_confusion = stored(made(home, config, "--tables-only")).sections[1]
    without = stored(made(home, config + "confusion = false\n", "--tables-only")).sections[1]
    assert without.options["confusion"] is False
    keys = {chart.key for chart in with_confusion.findings.charts}
    assert keys - {chart.key for chart in without.findings.charts} == {"confusion.system.chart"}


def test_sections_order_words_and_template_block_can_change(home: Path) -> None:
    folder = made(home, 'sections = ["provenance", "data", "score_distributions"]\n')
    questions = re.findall(r'<p class="kicker">(.*?)</p>', (folder / "report.html").read_text(encoding="utf-8"))
    assert questions == ["What was scored and what was excluded?", "Does it score like raters overall?"]
    assert "Settings and methods" in headings(folder)[2:], "what belongs to the annex stands there"
    before, sections = page_text(folder / "report.html"), stored(folder).sections
    assert [section.name for section in sections] == ["provenance", "data", "score_distributions"]
    own = home / "templates" / "sections" / "data" / "section.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text(
        '{% extends "shipped/sections/data/section.md.j2" %}'
        "{% block scale %}\nThe board asked for {{ findings.tables | length }} tables of data.\n{% endblock %}",
        encoding="utf-8",
    )
    (home / "templates" / "words").mkdir()
    question = '[sections]\ndata = "Which essays did the board see?"\n'
    (home / "templates" / "words" / "own.toml").write_text(question, encoding="utf-8")
    after = page_text(made(home, 'sections = ["data"]\ntemplates = "templates"\n') / "report.html")
    assert "Which essays did the board see?" in after
    assert f"The board asked for {len(sections[1].findings.tables)} tables of data." in after
    replaced = "Score scale: 1 to 5 in whole points, as declared by the user."
    assert replaced in before
    assert replaced not in after
    assert DATA in after, "other blocks stay"


@pytest.mark.slow
def test_unchanged_ejected_templates_give_same_report(home: Path) -> None:
    shown = 'sections = ["data", "group_differences"]\n'  # not provenance, which shows the template folder
    before = (made(home, shown) / "report.html").read_bytes()
    for name in ("data", "group_differences", "screen.css", "index.html"):
        assert (home / reportgen("eject", name, "mine", cwd=home).stdout.splitlines()[0]).is_file()
        assert "already exists" in refused("eject", name, "mine", cwd=home)
    assert (made(home, shown, "--templates", "mine") / "report.html").read_bytes() == before


@pytest.mark.slow
def test_ejected_template_can_be_edited(home: Path) -> None:
    ejected = home / reportgen("eject", "data", "mine", cwd=home).stdout.splitlines()[0]
    text = ejected.read_text(encoding="utf-8")
    assert text.count("as declared by the user.") == 1
    ejected.write_text(text.replace("as declared by the user.", "The board saw this."), encoding="utf-8")
    assert "The board saw this." in page_text(made(home, "", "--templates", "mine") / "report.html")


def test_section_from_one_file(home: Path) -> None:
    code = (FAKE_PLUGIN / "fake_plugin.py").read_text(encoding="utf-8")
    (home / "length.py").write_text(code, encoding="utf-8")
    folder = made(home, 'sections = ["data", "./length.py"]\n[sections.essay_length]\nunit = "letters"\n')
    assert headings(folder)[:2] == [DATA, "Essay length"]
    assert "The length of 90 essays is counted in letters." in page_text(folder / "report.html")


@pytest.mark.slow
def test_section_file_leaves_no_bytecode(home: Path) -> None:
    code = (FAKE_PLUGIN / "fake_plugin.py").read_text(encoding="utf-8")
    (home / "length.py").write_text(code, encoding="utf-8")
    made(home, 'sections = ["./length.py"]\n', "--tables-only", environment={"PYTHONDONTWRITEBYTECODE": ""})
    assert {path.name for path in home.iterdir()} == {"config.toml", "length.py", "out", "scores.csv"}


@pytest.mark.slow
def test_section_from_installed_package(home: Path) -> None:
    environment = {"PYTHONPATH": str(FAKE_PLUGIN)}
    folder = made(home, 'sections = ["essay_length", "data"]\n', environment=environment)
    assert headings(folder)[:2] == ["Essay length", DATA]
    assert stored(folder).sections[0].provider == "fake-plugin 1.2"
    listed = reportgen("sections", cwd=home, environment=environment).stdout
    assert re.search(r"essay_length +fake-plugin 1\.2", listed)


@pytest.mark.slow
def test_installed_section_is_off_by_default(home: Path) -> None:
    folder = made(home, "", "--tables-only", environment={"PYTHONPATH": str(FAKE_PLUGIN)})
    assert "essay_length" not in [section.name for section in stored(folder).sections]


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@pytest.mark.slow
def test_render_keeps_logo_colors_and_title(home: Path) -> None:
    (home / "logo.png").write_bytes(PIXEL)
    look = 'title = "For the board <draft>"\nlogo = "logo.png"\npage = "Letter"\ninteractive = false\n'
    folder = made(home, f'{look}[report.colours]\nengine = "#7a1f5c"\n')
    source = (folder / "report.html").read_text(encoding="utf-8")
    assert "<title>For the board &lt;draft&gt;</title>" in source
    assert base64.b64encode(PIXEL).decode() in source
    assert "#7a1f5c" in source
    reportgen("render", "out/results.json", "again", "--formats", "html", "--logo", "logo.png", cwd=home)
    assert (home / "again" / "report.html").read_text(encoding="utf-8") == source


def test_schema_matches_configuration(home: Path) -> None:
    schema = json.loads(reportgen("schema", cwd=home).stdout)
    assert set(schema["properties"]) == {*Settings.TABLES, "sections", "rsmeval", "traits", "labels"}


DOCUMENT = Path(__file__).parents[2] / "docs" / "customize.md"

SOME_SCORES = "id,engine,rater_1,rater_2,L1\n" + "".join(
    f"r{i},{1 + i % 5 + (i % 7 - 3) / 5:.1f},{1 + i % 5},{1 + (i + (i % 9 == 0)) % 5},{('vi', 'es')[i % 2]}\n"
    for i in range(120)
)

TEN = re.split(r"^## (?:Ten changes|Another language).*$", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)[1]

_PARTS = re.split(r"^### (\d+)\. .*$", TEN, flags=re.MULTILINE)
CHANGES = [(int(number), body) for number, body in zip(_PARTS[1::2], _PARTS[2::2], strict=True)]

SEEN = {
    1: "The engine uses the scale as our raters do.",
    2: "May the engine score the spring administration?",
    3: "first language: Vietnamese",
    4: "uadratically weighted kappa",
    5: "L1 Responses Difference (DSM)",
    6: "As agreed in May.",
    7: "Difference (DSM) MAE All responses",
    8: None,
    9: "Board decision",
    10: "Confidential until June 1.",
}
"""Text that appears only after the change."""

GONE = {8: "Engine, raters, and data", 2: "Is the engine ready for use?", 4: "QWK"}
"""Text that appears only before the change."""


def made_with(home: Path, config: str) -> str:
    (home / "scores.csv").write_text(SOME_SCORES, encoding="utf-8")
    start = '[data]\nfile = "scores.csv"\nscale = "1:5"\ngroups = ["L1"]\n'
    (home / "config.toml").write_text(
        f'{start}[report]\nformats = ["html"]\nplotly = "none"\n{config}', encoding="utf-8"
    )
    reportgen("evaluate", "config.toml", "out", "--force", cwd=home)
    return page_text(home / "out" / "report.html")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made_with(tmp_path_factory.mktemp("plain"), "")


def test_page_lists_ten_changes() -> None:
    assert [number for number, _ in CHANGES] == list(range(1, 11))


@pytest.mark.slow
@pytest.mark.parametrize(("number", "body"), CHANGES)
def test_change_works(number: int, body: str, plain: str, tmp_path: Path) -> None:
    place = re.search(r"^`([^`]+)`:$", body, re.MULTILINE)
    fences = re.findall(r"^(`{3,4})\w+\n(.*?)^\1$", body, re.MULTILINE | re.DOTALL)
    config = ""
    if place is None:
        config = fences[0][1]
    else:
        file = tmp_path / "my_templates" / place[1]
        file.parent.mkdir(parents=True)
        file.write_text(fences[0][1], encoding="utf-8")
        config = 'templates = "my_templates"\n'
    text = made_with(tmp_path, config)
    if (seen := SEEN[number]) is not None:
        assert seen in text
        assert seen not in plain
    if (gone := GONE.get(number)) is not None:
        assert gone in plain
        assert gone not in text
