"""Cells of a notebook are complete, so other programs can show each of them."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from score_files import two_hundred

import reportgen

EMPTY = {"br", "hr", "img", "input", "link", "meta", "col", "source", "wbr"}


class Balance(HTMLParser):
    """Record unclosed elements and images without alternative text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag not in EMPTY:
            self.open.append(tag)
        if (tag == "img" and not found.get("alt")) or (
            tag == "svg" and not (found.keys() & {"aria-label", "aria-hidden"})
        ):
            self.wrong.append(f"<{tag}> without words")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Pass over an element that closes itself."""

    def handle_endtag(self, tag: str) -> None:
        if tag in EMPTY:
            return
        if self.open[-1:] == [tag]:
            self.open.pop()
        else:
            self.wrong.append(f"</{tag}>")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("notebook") / "out"
    known: dict[str, Any] = {"id": "id", "system": "engine", "human": ["h1", "h2"], "groups": ["group"]}
    reportgen.evaluate(two_hundred(), out, formats=["html"], **known)
    return out


@pytest.mark.slow
def test_cells_close_their_elements(folder: Path) -> None:
    cells = nbformat.read(folder / "report.ipynb", as_version=4)["cells"]
    shown = [
        text
        for cell in cells
        for text in [
            *([cell["source"]] if cell["cell_type"] == "markdown" else []),
            *(
                output["data"][form]
                for output in cell.get("outputs", ())
                for form in ("text/html", "image/svg+xml")
                if form in output.get("data", {})
            ),
        ]
    ]
    assert len(shown) > 50
    for text in shown:
        found = Balance(text)
        assert (found.open, found.wrong) == ([], []), text[:200]


def test_page_has_the_elements_around_cells(folder: Path) -> None:
    page = (folder / "report.html").read_text(encoding="utf-8")
    body = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert Balance(body).open == []
    assert body.count('<div class="brief">') == 1
    assert '<div class="two-columns">' in body
    assert reportgen.load(folder).to_html() == page


@pytest.mark.slow
def test_page_of_notebook_without_cell_is_complete(folder: Path) -> None:
    from reportgen.rendering import Look, page_of

    report = reportgen.load(folder)
    whole = nbformat.read(folder / "report.ipynb", as_version=4)
    for key in ("opens", "closes"):
        cells = [cell for cell in whole["cells"] if key not in cell["metadata"].get("reportgen", {})]
        changed = nbformat.from_dict({**whole, "cells": cells})
        body = re.sub(r"<(script|style)\b.*?</\1>", "", page_of(changed, report, Look()), flags=re.DOTALL)
        assert Balance(body).open == []
        assert "</div>" not in Balance(body).wrong
