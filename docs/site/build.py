"""Builds the site from the Markdown of the project: `make site`.

The pages are laid out for Sphinx under the paths that they have in the checkout, so that their links hold on a forge
and on the site alike. Example reports are copied beside them, with a picture of each first page.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NAVIGATION = HERE / "navigation.toml"
EXAMPLES = ROOT / "example_reports"
GALLERY = "gallery"
"""The one page that is made here."""

LINK = re.compile(r"(?<!!)\[([^\]\n]+)\]\(([^)\s#:]+)(#[^)\s]*)?\)")
ROW = re.compile(r"^\| \[(?P<name>\w+)\]\(\w+\) \| (?P<shows>.+?) \| (?P<command>.+?) \|$", re.MULTILINE)


def parts() -> list[dict[str, object]]:
    """Return the parts of the navigation, each with its title and its pages."""
    return list(tomllib.loads(NAVIGATION.read_text(encoding="utf-8"))["part"])


def pages() -> list[str]:
    """Return every page of the navigation: its path in the checkout, without the suffix."""
    return [str(page) for part in parts() for page in part["pages"]]  # type: ignore[attr-defined]


def examples() -> list[dict[str, str]]:
    """Return the examples that example_reports/README.md lists: name, what it shows, command."""
    return [found.groupdict() for found in ROW.finditer((EXAMPLES / "README.md").read_text(encoding="utf-8"))]


def front() -> str:
    """Return the front page: the README, with the navigation."""
    trees = [
        f"```{{toctree}}\n:hidden:\n:caption: {part['title']}\n\n" + "\n".join(part["pages"]) + "\n```\n"  # type: ignore[call-overload]
        for part in parts()
    ]
    return "# reportgen\n\n```{include} README.md\n:start-line: 1\n```\n\n" + "\n".join(trees)


def gallery() -> str:
    """Return the gallery: of each example page one, what it shows, and its files."""
    page = "# Gallery\n\nReports of the shipped examples, as reportgen writes them. A picture opens the page.\n"
    for each in examples():
        folder = f"examples/{each['name']}"
        page += (
            f"\n## {each['name'].replace('_', ' ')}\n\n{each['shows'][0].upper()}{each['shows'][1:]}.\n\n"
            f'<p><a href="{folder}/report.html"><img class="page" src="{folder}/page.png" '
            f'alt="Page one of the report {each["name"]}"></a></p>\n\n'
            f'<p><a href="{folder}/report.html">HTML</a> · <a href="{folder}/report.pdf">PDF</a> · '
            f'<a href="{folder}/results.json">results.json</a></p>\n\nMade with {each["command"]}.\n'
        )
    return page


def on_the_site(text: str, page: Path) -> str:
    """Return a page without links to what the site does not hold; links to folders lead to the gallery."""

    def replaced(link: re.Match[str]) -> str:
        words, target, anchor = link[1], link[2], link[3] or ""
        place = (page.parent / target).resolve()
        name = place.relative_to(ROOT).as_posix() if place.is_relative_to(ROOT) else ""
        up = "../" * len(page.relative_to(ROOT).parent.parts)
        if place.parent == EXAMPLES and place.is_dir():
            return f"[{words}]({up}{GALLERY}.md#{place.name.replace('_', '-')})"
        if place == EXAMPLES:
            return f"[{words}]({up}{GALLERY}.md)"
        return f"[{words}]({target}{anchor})" if name.removesuffix(".md") in pages() else words

    return LINK.sub(replaced, text)


def lay_out(folder: Path) -> None:
    """Put the pages, the pictures and the examples into a folder that Sphinx reads."""
    for page in pages():
        if page == GALLERY:
            continue
        source = ROOT / f"{page}.md"
        target = folder / f"{page}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(on_the_site(source.read_text(encoding="utf-8"), source), encoding="utf-8")
    for picture in (ROOT / "docs").glob("*.png"):
        shutil.copy(picture, folder / "docs")
    (folder / "index.md").write_text(front(), encoding="utf-8")
    (folder / f"{GALLERY}.md").write_text(gallery(), encoding="utf-8")
    shutil.copytree(HERE / "_static", folder / "_static")
    shutil.copy(HERE / "conf.py", folder)
    for each in examples():
        target = folder / "extra" / "examples" / each["name"]
        target.mkdir(parents=True)
        for name in ("report.html", "report.pdf", "results.json"):
            shutil.copy(EXAMPLES / each["name"] / name, target)
        picture_of_page_one(target / "report.pdf", target / "page.png")


def picture_of_page_one(report: Path, picture: Path) -> None:
    """Draw page one of a PDF, 900 points wide."""
    import pypdfium2

    page = pypdfium2.PdfDocument(report)[0]
    page.render(scale=900 / page.get_width()).to_pil().convert("P").save(picture, optimize=True)


def build(out: Path) -> None:
    """Build the site into a folder; a broken link, a page outside the navigation, any warning fails."""
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        shutil.rmtree(out, ignore_errors=True)
        command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-d", f"{folder}/.trees"]
        subprocess.run([*command, folder, str(out)], check=True)


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site")
