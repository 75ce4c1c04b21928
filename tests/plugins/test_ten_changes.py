"""Test the ten changes in docs/customize.md as written."""

import re
from pathlib import Path

import pytest
from command import page_text, reportgen

DOCUMENT = Path(__file__).parents[2] / "docs" / "customize.md"

SCORES = "id,engine,rater_1,rater_2,L1\n" + "".join(
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
    4: "greement index",
    5: "L1 Responses Difference (DSM)",
    6: "As agreed in May.",
    7: "Difference (DSM) MAE All responses",
    8: None,
    9: "Decision of the board",
    10: "Confidential until 1 June.",
}
"""Text that appears only after the change."""

GONE = {8: "Engine, raters, and data", 2: "Is the engine ready for use?", 4: "QWK"}
"""Text that appears only before the change."""


def made(home: Path, config: str) -> str:
    (home / "scores.csv").write_text(SCORES, encoding="utf-8")
    start = '[data]\nfile = "scores.csv"\nscale = "1:5"\ngroups = ["L1"]\n'
    (home / "config.toml").write_text(
        f'{start}[report]\nformats = ["html"]\nplotly = "none"\n{config}', encoding="utf-8"
    )
    reportgen("evaluate", "config.toml", "out", "--force", cwd=home)
    return page_text(home / "out" / "report.html")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    return made(tmp_path_factory.mktemp("plain"), "")


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
    text = made(tmp_path, config)
    if (seen := SEEN[number]) is not None:
        assert seen in text
        assert seen not in plain
    if (gone := GONE.get(number)) is not None:
        assert gone in plain
        assert gone not in text
