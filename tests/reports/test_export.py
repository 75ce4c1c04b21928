"""An export: files for a paper in one folder, whole or not at all."""

from pathlib import Path
from xml.etree import ElementTree as ET

import docx
import pypdfium2
import pytest
import sample_report as sample

from reportgen.errors import InputError, OutputError, ReportgenError, SettingsError
from reportgen.office.export import export
from reportgen.rendering import pdf
from reportgen.settings import from_keywords
from reportgen.storing import results_file

SETTINGS = from_keywords()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    results_file.write(sample.report(), folder / "results.json")
    return folder


@pytest.fixture(scope="module")
def made(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "paper"
    written = export(run, folder, SETTINGS, tables=("latex", "docx", "md"), figures=("svg", "png", "pdf"))
    assert sorted(written) == sorted(path for path in folder.rglob("*") if path.is_file())
    return folder


@pytest.mark.slow
def test_every_table_is_a_file_of_each_kind(made: Path) -> None:
    latex = {path.stem for path in (made / "tables").glob("table_*.tex")}
    assert latex == {path.stem for path in (made / "tables").glob("table_*.md")}
    together = (made / "tables" / "tables.tex").read_text("utf-8")
    assert all(f"\\input{{{name}.tex}}" in together for name in latex)
    document = docx.Document(str(made / "tables" / "tables.docx"))
    assert len(document.tables) == len(latex)
    titles = [text for each in document.paragraphs if (text := each.text).startswith("Table ")]
    assert titles == [f"Table {place + 1}" for place in range(len(latex))]


def test_every_figure_is_a_file_that_other_programs_open(made: Path) -> None:
    home = made / "figures"
    names = {path.stem for path in home.glob("*.svg")}
    assert names
    assert names == {path.stem for path in home.glob("*.png")} == {path.stem for path in home.glob("*.pdf")}
    for name in names:
        assert ET.parse(home / f"{name}.svg").getroot().get("aria-label")
        assert (home / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        document = pypdfium2.PdfDocument((home / f"{name}.pdf").read_bytes())
        assert len(document) == 1
        document.close()
    assert (home / "captions.md").read_text("utf-8").count("**Figure ") == len(names)


def test_default_formats_need_no_package(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "find_spec", lambda name: None)
    written = export(run, tmp_path / "paper", SETTINGS)
    assert {path.suffix for path in written} == {".tex", ".md", ".svg", ".pdf"}


@pytest.mark.parametrize("how", [{"tables": ("docx",)}, {"figures": ("png",)}])
def test_without_the_package_nothing_is_written(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: dict[str, tuple[str, ...]]
) -> None:
    monkeypatch.setattr(pdf, "find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"-m pip install .*'python-docx>="):
        export(run, tmp_path / "paper", SETTINGS, tables=how.get("tables", ()), figures=how.get("figures", ()))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", [{"tables": ("latx",)}, {"figures": ("gif",)}])
def test_an_unknown_format_is_an_error(run: Path, tmp_path: Path, how: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(SettingsError, match="unknown format"):
        export(run, tmp_path / "paper", SETTINGS, tables=how.get("tables", ()), figures=how.get("figures", ()))
    assert not list(tmp_path.iterdir())


def test_existing_files_are_replaced_only_with_force(run: Path, tmp_path: Path) -> None:
    own = tmp_path / "notes.txt"
    own.write_text("mine")
    first = export(run, tmp_path, SETTINGS, tables=("md",), figures=())
    first[0].write_text("changed")
    with pytest.raises(OutputError, match="--force"):
        export(run, tmp_path, SETTINGS, tables=("md",), figures=())
    assert first[0].read_text() == "changed"
    export(run, tmp_path, SETTINGS, tables=("md",), figures=(), force=True)
    assert first[0].read_text("utf-8") != "changed"
    assert own.read_text() == "mine"


def test_words_follow_the_language(run: Path, tmp_path: Path) -> None:
    written = export(run, tmp_path, from_keywords(language="es"), tables=("md",), figures=())
    assert written[0].read_text("utf-8").startswith("**Tabla 1**")


def test_a_folder_without_a_report_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text("{}")
    with pytest.raises(ReportgenError):
        export(tmp_path, tmp_path / "paper", SETTINGS)
    with pytest.raises((InputError, ReportgenError)):
        export(tmp_path / "nowhere", tmp_path / "paper", SETTINGS)
    assert not (tmp_path / "paper").exists()
