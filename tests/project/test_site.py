"""Test the site: every page is in its navigation, every link works, no other host is used."""

import html
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from scripts import loaded

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#{1,4} (.+)$", re.MULTILINE)
FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
TREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)


site_build = loaded("docs/site/build.py")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages that Sphinx reads."""
    folder = tmp_path_factory.mktemp("pages")
    site_build.lay_out(folder)
    return folder


def prose(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page, as forges and the site make them of headings."""
    words = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(prose(page)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in words}


def test_every_page_is_in_the_navigation_once(pages: Path) -> None:
    lines = [line for tree in TREE.findall(site_build.front()) for line in tree.splitlines()]
    listed = [re.sub(r".*<(.+)>", r"\1", line) for line in lines if line and not line.startswith(":")]
    found = {page.relative_to(pages).with_suffix("").as_posix() for page in pages.rglob("*.md")}
    assert sorted(listed) == sorted(found - {"index"})


def test_every_link_and_anchor_of_the_pages_works(pages: Path) -> None:
    broken = []
    for page in pages.rglob("*.md"):
        for target, anchor in LINK.findall(prose(page)):
            if re.match(r"\w+:", target):
                continue
            place = page.parent / target if target else page
            if not place.is_file() or (anchor and anchor not in anchors(place)):
                broken.append(f"{page.relative_to(pages)}: {target}#{anchor}")
    assert broken == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    for name in ("furo", "myst_parser", "pypdfium2"):
        pytest.importorskip(name, reason="not installed; `make site` installs what builds the site")
    folder = tmp_path_factory.mktemp("site")
    site_build.build(folder)
    return folder


def built(site: Path) -> dict[Path, str]:
    """Return the pages of the built site, without the reports in it."""
    found = (page for page in site.rglob("*.html") if "examples" not in page.parts)
    return {page: page.read_text(encoding="utf-8") for page in found}


def test_every_link_of_the_built_site_works(site: Path) -> None:
    texts = built(site)
    ids = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    broken = []
    for page, text in texts.items():
        for link in {html.unescape(found) for found in re.findall(r'\b(?:href|src)="([^"]+)"', text)}:
            if re.match(r"(?:https?|mailto|data):", link):
                continue
            target, _, anchor = unquote(link).partition("#")
            place = (page.parent / target.partition("?")[0]).resolve() if target else page
            known = not anchor or anchor in ids.get(place, {anchor}) or anchor.startswith("svg-")
            if not place.is_file() or not known:
                broken.append(f"{page.relative_to(site)}: {link}")
    assert broken == []


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    loads = re.compile(r'<(?:script|img|iframe|source)\b[^>]*\bsrc="(?:https?:)?//|<link\b[^>]*\bhref="(?:https?:)?//')
    assert [page.name for page, text in built(site).items() if loads.search(text)] == []
    sheets = {sheet: sheet.read_text(encoding="utf-8") for sheet in site.rglob("*.css")}
    assert [sheet.name for sheet, text in sheets.items() if re.search(r"@import|url\(['\"]?(?:https?:)?//", text)] == []
    faces = re.findall(r'url\("(fonts/[^"]+)"\)', (site / "_static" / "site.css").read_text(encoding="utf-8"))
    assert faces
    assert [face for face in faces if not (site / "_static" / face).is_file()] == []
