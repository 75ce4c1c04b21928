"""Shipped templates are found by name, wherever the package is."""

from pathlib import Path

import pytest
import sample_report as sample

from reportgen.errors import TemplateError
from reportgen.rendering.look import Look
from reportgen.rendering.templates import TEMPLATES, Templates, shipped


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("screen.css", "html/screen.css"),
        ("html/print.css", "html/print.css"),
        ("table", "html/table.html.j2"),
        ("base_section", "notebook/base_section.md.j2"),
        ("index.html", "html/index.html.j2"),
        ("provenance", "sections/provenance/section.md.j2"),
        ("group_differences", "sections/group_differences/section.md.j2"),
    ],
)
def test_a_template_is_found_by_its_name(name: str, place: str) -> None:
    file, where = shipped(name)
    assert file.is_file()
    assert where.as_posix() == place


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(TemplateError, match=r"did you mean 'html/screen\.css'"):
        shipped("html/scren.css")


def test_every_shipped_template_can_be_extended_and_compiles() -> None:
    templates = Templates(sample.report(), Look())
    pages = [path for path in TEMPLATES.rglob("*.j2") if path.relative_to(TEMPLATES).parts[0] != "gates"]
    assert len(pages) > 20
    for path in pages:  # those of gates are no pages, and are filled by `reportgen.verdicts.gate`
        name = path.relative_to(TEMPLATES).as_posix()
        assert Path(templates.pages.get_template(f"shipped/{name}").filename or "") == path
