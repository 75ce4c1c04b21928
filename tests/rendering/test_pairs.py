"""Small tables and charts share a line on paper."""

from pathlib import Path
from typing import Any

import pytest
import sample_report as sample

from reportgen.charts import layout
from reportgen.charts.layout import HALF, TEXT
from reportgen.charts.panels import level
from reportgen.charts.theme import Colours
from reportgen.rendering.filters import HEADLINE, anchor, parted
from reportgen.rendering.notebook import NotebookPiece, balance
from reportgen.rendering.page_filling import DRAWING, paired
from reportgen.results.chart import Axis, Chart, Line, Rule

WORDS: dict[str, Any] = {"cell_type": "markdown", "source": "words", "metadata": {}}


def chart_cell(chart: Chart) -> dict[str, Any]:
    about = {"kind": "chart", "id": anchor("chart", chart.key)}
    outputs = [{"data": {DRAWING: "<svg/>"}, "metadata": {"reportgen": about}}]
    return {"cell_type": "code", "metadata": {}, "outputs": outputs}


def table_cell(small: int) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "metadata": {},
        "outputs": [{"data": {}, "metadata": {"reportgen": {"kind": "table", "small": small}}}],
    }


def sizes(*cells: dict[str, Any], charts: tuple[Chart, ...] = ()) -> list[int]:
    lines = paired(cells, charts, Colours())
    assert [cell["cell_type"] for line in lines for cell in line] == [cell["cell_type"] for cell in cells]
    return [len(line) for line in lines]


def test_two_small_tables_share_line() -> None:
    assert sizes(table_cell(30), table_cell(40), table_cell(20)) == [2, 1]


def test_text_and_wide_tables_separate_pairs() -> None:
    assert sizes(table_cell(30), WORDS, table_cell(30)) == [1, 1, 1]
    assert sizes(table_cell(30), table_cell(0), table_cell(30), table_cell(90)) == [1, 1, 1, 1]


def test_wider_table_has_its_own_line() -> None:
    chart = sample.dsm_chart(("a", "b"))
    assert sizes(chart_cell(chart), table_cell(55), charts=(chart,)) == [1, 1]


@pytest.mark.parametrize(("kind", "width"), [("two-columns", HALF.width), ("evidence", TEXT.width)])
def test_charts_in_template_columns_have_their_width(kind: str, width: float) -> None:
    chart = sample.dsm_chart(("a", "b"))
    cell = chart_cell(chart)
    cell["outputs"][0]["metadata"]["reportgen"].update(id=anchor("brief", chart.key), alt="What it shows here.")
    begin, end = f'<div class="brief"><div class="{kind}">\n<div>', "</div></div></div>"
    texts = [("markdown", begin), ("code", "show"), ("code", "show"), ("markdown", end)]
    columns = balance(NotebookPiece(of, text, {}) for of, text in texts)
    cells = [cell | {"metadata": {"reportgen": piece.about}} for piece in columns]
    lines = paired([*cells, chart_cell(chart)], (chart,), Colours())
    assert [len(line) for line in lines] == [1] * 3
    inside, behind = (lines[place][0]["outputs"][0]["data"][DRAWING] for place in (1, 2))
    assert f'width="{width:.0f}"' in inside
    assert "What it shows here." in inside
    assert 'width="640"' in behind


def test_charts_are_drawn_for_their_width() -> None:
    chart = sample.dsm_chart(("a", "b"))
    alone, pair = (paired([chart_cell(chart)] * n, (chart,), Colours()) for n in (1, 2))
    assert 'width="640"' in alone[0][0]["outputs"][0]["data"][DRAWING]
    assert all(f'width="{HALF.width:.0f}"' in cell["outputs"][0]["data"][DRAWING] for cell in pair[0])


def test_custom_figures_are_kept() -> None:
    cell = chart_cell(sample.dsm_chart(("a", "b")))
    assert paired([cell, cell], (), Colours())[0] == (cell,)


@pytest.mark.parametrize(
    ("headline", "opening"),
    [
        (f"First sentence. Second [0.1, 0.2] sentence. {'x' * 200}", "First sentence. Second [0.1, 0.2] sentence."),
        (f"Outside lies St. Louis {'x' * 190} end.", f"Outside lies St. Louis {'x' * 190} end."),
    ],
)
def test_long_headline_ends_with_sentence(headline: str, opening: str) -> None:
    first, rest = parted(headline)
    assert first == opening
    assert not rest or len(first) <= HEADLINE
    letters = [character.lower() for character in first + rest if character.isalnum()]
    assert letters == [character.lower() for character in headline if character.isalnum()]


def test_tight_style_overrides_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reportgen.rendering import pdf

    weasyprint = pytest.importorskip("weasyprint")
    seen: list[str] = []
    make = weasyprint.HTML

    def spy(**options: Any) -> Any:
        seen.append(options["string"])
        return make(**options)

    monkeypatch.setattr(weasyprint, "HTML", spy)
    page = "<html lang='en'><head><title>t</title><style>p { font-size: 40pt }</style></head><body>{}</body></html>"
    body = "<p>" + "word " * 700 + "</p><nav id='contents' style='break-before: page'>c</nav>"
    pdf.write(page.replace("{}", body), tmp_path / "a.pdf", b"0" * 16, "p { font-size: 8pt }")
    assert len(seen) == 2
    assert seen[1].index("40pt") < seen[1].index("8pt") < seen[1].index("</head>")


def test_paired_plots_have_same_height() -> None:
    line = Line("reliability", (1.0, 5.0), (0.7, 0.9))
    high = Chart("a", "t", "a", Axis("Ratings"), Axis("Reliability"), (line,))
    low = Chart("b", "t", "a", Axis("Score"), Axis("Variance"), (line, Rule(0.8, "of all the responses", "y")))
    assert layout.frame(high, HALF).height > layout.frame(low, HALF).height
    whole_pixels = round(layout.frame(high, HALF).height)
    assert [layout.frame(chart, HALF).height for chart in level((high, low))] == [whole_pixels] * 2
