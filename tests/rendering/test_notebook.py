"""Filled templates become notebook cells; what cannot be placed is refused with its place."""

from dataclasses import replace
from pathlib import Path

import pytest
import sample_report as sample

from reportgen.errors import TemplateError
from reportgen.rendering.look import Look
from reportgen.rendering.notebook import build, find_anchor, split
from reportgen.rendering.templates import Templates
from reportgen.results import Report


def pieces(text: str) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in split(text, lambda about: "file.md.j2") if piece.text.strip()]


def test_fences_make_code_cells_and_breaks_make_sections() -> None:
    text = 'one\n+++ {"section": "a"}\ntwo\n```{code-cell}\nreport.show("k")\n```\nthree'
    found = list(split(text, str))
    assert [(piece.kind, piece.text, piece.about) for piece in found] == [
        ("markdown", "one", {}),
        ("markdown", "two", {"section": "a"}),
        ("code", 'report.show("k")', {"section": "a"}),
        ("markdown", "three", {"section": "a"}),
    ]


def test_other_fences_stay_in_the_text() -> None:
    text = "```python\n+++ {}\n```\nafter"
    assert pieces(text) == [("markdown", text)]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a ```{code-cell}\n```", "does not start a cell"),
        ("  ```{code-cell}\n  ```", "does not start a cell"),
        ("```python\n```{code-cell}\n```", "does not start a cell"),
        ("```{code-cell}\nreport.show('k')", "is not closed"),
        ("+++ {section: a}", "is not a cell break"),
    ],
)
def test_misplaced_cells_raise(text: str, sentence: str) -> None:
    with pytest.raises(TemplateError, match=sentence) as caught:
        pieces(text)
    assert str(caught.value).startswith("file.md.j2")


def notebook(report: Report, look: Look | None = None) -> list[tuple[str, str, str]]:
    look = look or Look()
    cells = build(Templates(report, look))["cells"]
    return [(cell["cell_type"], cell["metadata"]["reportgen"].get("section", ""), cell["source"]) for cell in cells]


def test_hostile_text_makes_no_cell() -> None:
    report = sample.report()
    harmless = replace(report.sections[3].findings, paragraphs=("a", "b", "c"))
    tame = replace(report, sections=(*report.sections[:3], replace(report.sections[3], findings=harmless)))
    cells = notebook(replace(report, sections=report.sections[:4]))
    assert [cell[:2] for cell in cells] == [cell[:2] for cell in notebook(tame)]
    assert not any("SystemExit" in source for kind, _, source in cells if kind == "code")


def test_keys_in_cells_are_literals() -> None:
    report = sample.report()
    table = replace(sample.group_table(), key="by_group.\"+__import__('os')+\"\n```")
    findings = replace(report.sections[3].findings, tables=(table,), charts=())
    cells = notebook(replace(report, sections=(replace(report.sections[3], findings=findings),)))
    code = [source for kind, section, source in cells if kind == "code" and section]
    assert code == [f"report.show({table.key!a}, 'table')"]


def test_cell_ids_are_numbered() -> None:
    ids = [cell["id"] for cell in build(Templates(sample.report(), Look()))["cells"]]
    assert ids == [f"cell-{number}" for number in range(1, len(ids) + 1)]


def test_find_anchor_of_tables_charts_and_sections() -> None:
    report = sample.report()
    kinds = {"groups.table": "table-", "groups.dsm": "chart-", "sample_groups": "section-"}
    assert {key: find_anchor(report, key) for key in kinds} == {key: f"{kind}{key}" for key, kind in kinds.items()}
    assert [find_anchor(report, key) for key in ("nowhere", "")] == ["", ""]


# --- the user's templates ------------------------------------------------------------------------


def own(tmp_path: Path, name: str, text: str) -> Look:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return Look(templates=tmp_path)


SECTION = "sections/sample_groups/section.md.j2"
CHILD = '{% extends "shipped/notebook/base_section.md.j2" %}\n'


def test_section_template_replaces_one_block(tmp_path: Path) -> None:
    look = own(tmp_path, SECTION, CHILD + "{% block lead %}\nOur words on {{ section.title }}.\n{% endblock %}")
    before, after = notebook(sample.report()), notebook(sample.report(), look)
    text = "\n".join(source for _, _, source in after)
    assert "Our words on Group differences." in text
    assert "not a list" not in text
    assert "Two of 14 groups lie beyond the threshold." in text
    first, same = ([cell for cell in cells if cell[1] == "sample_agreement"] for cells in (before, after))
    assert first == same


def test_shared_template_applies_to_all_sections(tmp_path: Path) -> None:
    look = own(
        tmp_path, "notebook/section.md.j2", CHILD + "{% block heading %}## No. {{ section.title }}\n{% endblock %}"
    )
    headings = [source.splitlines()[0] for _, section, source in notebook(sample.report(), look) if "## No." in source]
    assert len(headings) == 5


def test_section_template_can_extend_shipped_template(tmp_path: Path) -> None:
    look = own(
        tmp_path, SECTION, f'{{% extends "shipped/{SECTION}" %}}\n{{% block caveats %}}Mind the gap.{{% endblock %}}'
    )
    assert any("Mind the gap." in source for _, _, source in notebook(sample.report(), look))


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        (CHILD + "{% block lead %}\n{{ nothing }}\n{% endblock %}", 3, "'nothing' is undefined"),
        (CHILD + "{% block lead %}\n{{ findings.lead }}\n{% endblock %}", 3, "no attribute 'lead'"),
        (CHILD + "{% block lead %}\n{{ 1 + }}\n{% endblock %}", 3, "unexpected"),
        (CHILD + "{% block lead %}\n", 2, "end"),
        (CHILD + "{% block lead %}\n\n{{ 1 / 0 }}\n{% endblock %}", 4, "division by zero"),
        (CHILD + "{% block lead %}\n{% for a in range(10 ** 30) %}{% endfor %}\n{% endblock %}", 3,
         "its loops use more than 1,000,000 steps of range()"),
        (CHILD + "{% block lead %}{% for a in range(9000) %}\n{% for b in range(9000) %}{% endfor %}\n{% endfor %}"
         "{% endblock %}", 3, "more than 1,000,000 steps"),
        (CHILD + "{% block lead %}\ntext ```{code-cell}\n```\n{% endblock %}", 3, "does not start a cell"),
        ('{% extends "shipped/notebook/bass.md.j2" %}', 1, "is not built in"),
        (f'{{% extends "{SECTION}" %}}', 1, "extends or includes itself"),
    ],
)  # fmt: skip
def test_broken_template_names_file_and_line(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    look = own(tmp_path, SECTION, text)
    with pytest.raises(TemplateError) as caught:
        notebook(sample.report(), look)
    assert sentence in str(caught.value)
    assert str(tmp_path / SECTION) in str(caught.value)
    assert f"line {line}" in str(caught.value)


def test_missing_template_folder_raises(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match="is not a folder"):
        Templates(sample.report(), Look(templates=tmp_path / "none"))


def test_custom_section_uses_template_next_to_file(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "section.md.j2").write_text(CHILD + "{% block lead %}From beside the file.{% endblock %}")
    section = replace(sample.report().sections[3], name="own", provider=str(file))
    report = replace(sample.report(), sections=(section,))
    assert any("From beside the file." in source for _, _, source in notebook(report, Look(sections={"own": file})))
    assert not any("From beside the file." in source for _, _, source in notebook(report)), "a provider is not a path"
