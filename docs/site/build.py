"""Builds the site from the Markdown of the project: `make site`.

Sphinx reads the pages under the paths that they have in the checkout, so that their links hold on a forge and on the
site alike. Two pages are made here: the front page, with the navigation, and the gallery of the example reports.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fontTools.ttLib import TTFont

from reportgen.rendering.look import fonts

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = ROOT / "example_reports"
PLACES = ("*.md", "docs/**/*.md", "docs/**/*.png", "docs/**/*.svg", "benchmarks/*.md")
"""What Sphinx finds."""

ROW = re.compile(r"^\| \[(?P<name>\w+)\]\(\w+\) \| (?P<shows>.+?) \| (?P<command>.+?) \|$", re.MULTILINE)
FOLDER = re.compile(r"\]\(example_reports(?:/(\w+))?\)")


def front() -> str:
    """Return the front page, with pages of docs that its navigation does not name at the end of the reference."""
    text = (HERE / "index.md").read_text(encoding="utf-8")
    others = [f"docs/{page.stem}" for page in sorted((ROOT / "docs").glob("*.md"))]
    return text.replace("OTHERS", "\n".join(name for name in others if f"{name}\n" not in text))


def gallery() -> str:
    """Return the gallery: of each example, as example_reports/README.md lists it, page one and its files."""
    page = "# Gallery\n\nThe reports of the examples, as reportgen writes them. A picture opens its report.\n"
    for each in ROW.finditer((EXAMPLES / "README.md").read_text(encoding="utf-8")):
        folder, shows = f"examples/{each['name']}", each["shows"]
        page += (
            f"\n## {each['name'].replace('_', ' ')}\n\n{shows[0].upper()}{shows[1:]}.\n\n"
            f'<p><a href="{folder}/report.html"><img src="{folder}/page.png" width="900" height="1273" loading="lazy" '
            f'alt="Page one of the report {each["name"]}"></a></p>\n\n'
            f'<p><a href="{folder}/report.html">HTML</a> · <a href="{folder}/report.pdf">PDF</a> · '
            f'<a href="{folder}/results.json">results.json</a></p>\n\nMade with {each["command"]}.\n'
        )
    return page


def readme() -> str:
    """Return the README; its links to folders of examples lead to the gallery."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return FOLDER.sub(lambda link: f"](gallery.md#{(link[1] or 'gallery').replace('_', '-')})", text)


def lay_out(folder: Path) -> None:
    """Put the pages and pictures of the project into a folder, and the pages that are made here."""
    for source in (path for place in PLACES for path in ROOT.glob(place) if HERE not in path.parents):
        target = folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    for name, text in {"index": front(), "gallery": gallery(), "README": readme()}.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def copy_examples(out: Path) -> None:
    """Copy the files of every example next to the pages, with an image of page one."""
    import pypdfium2

    for report in EXAMPLES.glob("*/report.pdf"):
        folder = out / "examples" / report.parent.name
        folder.mkdir(parents=True)
        for name in ("report.html", "report.pdf", "results.json"):
            shutil.copy(report.parent / name, folder)
        page = pypdfium2.PdfDocument(report)[0]
        page.render(scale=900 / page.get_width()).to_pil().quantize(64).save(folder / "page.png", optimize=True)


def copy_fonts(folder: Path) -> None:
    """Copy the typefaces of the reports in the form of the web."""
    folder.mkdir()
    for face in fonts():
        font = TTFont(face.path)
        font.flavor = "woff2"
        font.save(folder / f"{face.path.stem}.woff2")


def build(out: Path) -> None:
    """Build the site into a folder; a broken link, a page outside the navigation, any warning fails."""
    shutil.rmtree(out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        lay_out(Path(folder))
        options = ("-q", "-W", "--keep-going", "-c", str(HERE), "-d", f"{folder}/.trees")
        subprocess.run([sys.executable, "-m", "sphinx", *options, folder, str(out)], check=True)
    copy_examples(out)
    copy_fonts(out / "_static" / "fonts")


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site")
