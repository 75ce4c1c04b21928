"""Every statistic has a picture, and the pictures are those that the statistics make."""

import html
import re
import runpy
from pathlib import Path

import pytest
from scripts import loaded

from reportgen.metrics import METRICS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def pictures() -> dict[str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        made: dict[str, str] = runpy.run_path(str(DOCS / "build_pictures.py"))["pictures"]()
    return made


def test_the_pictures_match_the_statistics(pictures: dict[str, str]) -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in (DOCS / "pictures").glob("*.svg")}
    assert files == pictures, "type: make docs"


def test_every_statistic_has_a_picture(pictures: dict[str, str]) -> None:
    assert set(METRICS) - set(pictures) == set()


def test_the_page_of_each_family_shows_each_statistic_with_its_picture() -> None:
    files = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "statistics").glob("*.md")}
    assert files == loaded("docs/build_statistics.py").pages(), "type: make docs"
    shown = re.findall(r"\]\(\.\./pictures/(\w+)\.svg\)\n\n- Key: `(\w+)`", "".join(files.values()))
    assert sorted(shown) == sorted((key, key) for key in METRICS)


def test_every_picture_is_shown() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    shown = set(re.findall(r"pictures/(\w+)\.svg", pages))
    assert shown == {path.stem for path in (DOCS / "pictures").glob("*.svg")}


def test_the_architecture_names_every_room_and_only_functions_that_exist(pictures: dict[str, str]) -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    drawn = set(re.findall(r"(?:>|; )(\w+) imports", pictures["rooms"]))
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == drawn
    steps = re.findall(r"`([\w/]+\.py): (\w+)`", page)
    files = {name: (DOCS.parent / "reportgen" / name).read_text(encoding="utf-8") for name, _ in steps}
    assert [step for step in steps if not re.search(rf"^(?:def|class) {step[1]}\b", files[step[0]], re.MULTILINE)] == []


def test_no_word_is_outside_its_picture(pictures: dict[str, str]) -> None:
    word = re.compile(r'<text x="(\d+)" [^>]*text-anchor="(\w+)"([^>]*)>([^<]*)<')
    outside = []
    for name, picture in pictures.items():
        for x, anchor, bold, words in word.findall(picture):
            wide = len(html.unescape(words)) * (7.0 if bold else 6.6)
            left = int(x) - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
            if left < 0 or left + wide > 520:
                outside.append(f"{name}: {words}")
    assert outside == []
