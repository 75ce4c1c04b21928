"""Tables and checks made ready to print."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sample_report as sample

from reportgen.charts.theme import Colours
from reportgen.rendering.look import Look
from reportgen.rendering.page_tables import check_views, thresholds_of, view
from reportgen.rendering.show import ShownReport, plain
from reportgen.rendering.strip import said, strips
from reportgen.rendering.templates import Templates
from reportgen.results import Check, Column, Estimate, Findings, Row, Table


def test_cells_are_finished_texts() -> None:
    printed = view(sample.agreement_table())
    given, rounded = printed.rows
    assert [cell.text for cell in given.cells] == ["As given", "4,812", "0.71", "–", "–", "< .001", "0.3123"]
    assert given.cells[2].limits == "[0.69, 0.73]"
    assert rounded.cells[4].text == "61.2"
    assert [column.figures for column in printed.columns] == [False] + [True] * 6


def test_a_link_leads_to_files_beside_the_page_only() -> None:
    columns = (Column("a", "A", link="to"), Column("to", "To", shown=False))
    rows = [Row((name, to)) for name, to in (("<i>", '../a b/"r".html'), ("x", "javascript:y()"), ("z", None))]
    page = Templates(sample.report(), Look()).page(
        "html/table.html.j2", table=view(Table("k", "c", columns, tuple(rows)))
    )
    assert '<a href="../a%20b/%22r%22.html">&lt;i&gt;</a>' in page
    assert '<a href="javascript%3Ay%28%29">x</a>' in page
    assert page.count("<a ") == 2


def test_percentages_among_other_numbers_are_called_so_in_the_name_of_their_row() -> None:
    share, kappa = Estimate("exact_agreement", 61.2, 600, kind="percent"), Estimate("kappa", 0.4, 600)
    columns = (Column("a", "Metric"), Column("b", "Value", "coefficient"))
    mixed = Table("k", "c", columns, (Row(("Exact agreement", share)), Row(("Kappa", kappa)), Row(("Off (%)", share))))
    assert [row.cells[0].text for row in view(mixed).rows] == ["Exact agreement (%)", "Kappa", "Off (%)"]
    alone = replace(mixed, columns=(columns[0], Column("b", "Value", "percent", "%")))
    assert [row.cells[0].text for row in view(alone).rows] == ["Exact agreement", "Kappa", "Off (%)"]


def test_percentage_points_have_a_sign_with_and_without_an_interval() -> None:
    columns = (Column("a", "Score"), Column("b", "Engine - human", "percent", "points"))
    change = Estimate("share", 6.0, 600, 1.2, 10.8, kind="percent")
    rows = view(Table("k", "c", columns, (Row(("1", change)), Row(("2", 1.04)), Row(("3", -1.04))))).rows
    assert [cell.text for row in rows for cell in row.cells[1:]] == ["+6.0", "+1.0", "\N{MINUS SIGN}1.0"]
    assert rows[0].cells[1].limits == "[+1.2, +10.8]"


def test_a_difference_of_percentages_has_a_sign() -> None:
    change = Estimate("exact_agreement", 4.26, 600, 1.1, 7.4, kind="percent")
    bare = replace(change, low=None, high=None)
    columns = (Column("a", "A"), Column("b", "Engine", "percent"), Column("c", "Difference", "difference"))
    rows = view(Table("k", "c", columns, (Row(("x", change, change)), Row(("y", bare, bare))))).rows
    assert [(cell.text, cell.limits) for cell in rows[0].cells[1:]] == [("4.3", "[1.1, 7.4]"), ("+4.3", "[+1.1, +7.4]")]
    assert [cell.text for cell in rows[1].cells[1:]] == ["4.3", "+4.3"]


def test_a_number_near_the_threshold_of_its_check_has_three_decimals() -> None:
    near = Estimate("dsm", 0.18, 300, 0.0975, 0.26, kind="difference")
    table = Table("k", "c", (Column("a", "A"), Column("d", "DSM", "difference")), (Row(("x", near)),))
    checks = (replace(sample.checks()[4], estimate=near),)
    cell = view(table, thresholds=thresholds_of(checks)).rows[0].cells[1]
    assert (cell.text, cell.limits) == ("+0.180", "[+0.098, +0.260]")
    assert view(table).rows[0].cells[1].limits == "[+0.10, +0.26]"


def test_equal_reasons_share_a_letter() -> None:
    printed = view(sample.agreement_table())
    notes = [[cell.note for cell in row.cells if cell.note] for row in printed.rows]
    assert notes == [["a", "a"], ["b"]]
    assert printed.reasons == (
        ("a", "not applicable: continuous scores"),
        ("b", "no interval for fewer than 10 responses"),
    )


def test_a_capped_table_keeps_what_is_marked() -> None:
    rows = tuple(Row((f"group {i}", i), "flagged" if i == 40 else "reference" if i == 30 else "") for i in range(50))
    table = Table("k", "c", (Column("a", "A"), Column("n", "n", "count")), rows, max_rows=5)
    printed = view(table)
    assert [row.cells[0].text for row in printed.rows] == [f"group {i}" for i in (0, 1, 2, 3, 4, 30, 40)]
    assert printed.left_out == 43
    assert printed.elsewhere == "tables/k.csv"
    assert [row.word for row in printed.rows[-2:]] == ["reference", "▲ flagged"]


def test_more_than_seven_columns_leave_paper() -> None:
    assert [column.on_paper for column in view(sample.group_table()).columns] == [True] * 7 + [False] * 2


def test_wide_tables_put_intervals_below_and_narrow_ones_beside() -> None:
    table = sample.group_table()
    assert view(table).stacked
    narrow = replace(
        table, columns=table.columns[:5], rows=tuple(replace(row, cells=row.cells[:5]) for row in table.rows)
    )
    assert not view(narrow).stacked


@pytest.mark.parametrize("label", ["", "  ", "\u200b"])
def test_an_empty_heading_is_read_aloud_and_never_a_button(label: str) -> None:
    column = Column("first_seen", label)
    table = Table("k", "c", (Column("a", "A"), column), tuple(Row((name, "w")) for name in "xyz"))
    printed = view(table)
    assert (printed.columns[1].label, printed.columns[1].name) == ("", "first seen")
    report = replace(sample.report(), evaluation=replace(sample.report().evaluation, tables={"k": table}))
    html = ShownReport(report, Look(), Templates(report, Look())).show("k").data["text/html"]
    assert '<span class="unseen">first seen</span>' in html


def test_words_of_a_narrow_column_stay_whole_up_to_a_length() -> None:
    table = Table(
        "k", "c", (Column("a", "A"), Column("b", "B")), (Row(("Trimmed to 1", "x" * 300)), Row(("as given", "y")))
    )
    assert [column.word for column in view(table).columns] == [7, 16]
    assert [column.whole for column in view(table).columns] == [12, 20]


def test_a_table_without_rows_can_be_shown() -> None:
    assert view(Table("k", "c", (Column("a", "A"),), ())).rows == ()
    assert view(Table("k", "c", (), ())).columns == ()


def test_plain_text_holds_what_is_shown() -> None:
    lines = plain(sample.agreement_table()).splitlines()
    assert lines[1].startswith("Score type\tn\tQWK")
    assert "0.71 [0.69, 0.73]" in lines[2]
    assert "Not shown" not in lines[1]


def test_an_outcome_has_a_word_and_a_sign_of_its_own() -> None:
    views = check_views(sample.checks(), Colours())
    assert {(item.outcome, item.sign) for item in views} == {
        ("met", "✓"),
        ("not met", "✗"),
        ("not yet known", "○"),
        ("insufficient", "–"),
    }
    assert [item.bounds for item in views] == ["at least 0.70"] * 2 + [
        "−0.15 to +0.15",
        "at least 0.70",
        "−0.10 to +0.10",
    ]


def test_a_strip_shows_estimate_interval_and_thresholds_on_a_shared_axis() -> None:
    drawn = strips(sample.checks(), Colours())
    assert drawn[3] == ""
    assert drawn[0].count("<circle") == 1
    assert drawn[2].count("<line") == 4  # axis, two thresholds, interval
    threshold = [
        part.split('x1="')[1].split('"')[0]
        for part in (drawn[0], drawn[1])
        for part in [part.split("stroke-text")[0].split("<line")[-1]]
    ]
    assert threshold[0] == threshold[1]


def test_a_strip_can_be_heard() -> None:
    check = sample.checks()[4]
    assert said(check) == "−0.19 [−0.25, −0.12]; should be −0.10 to +0.10: not met"


@pytest.mark.parametrize(
    "estimate",
    [Estimate("x", 0.0, 1), Estimate("x", 1e9, 1, -1e9, 1e12), Estimate("x", 0.0, 0, 0.0, 0.0, kind="difference")],
)
def test_a_strip_of_any_estimate_can_be_drawn(estimate: Estimate) -> None:
    (drawn,) = strips((Check("l", estimate, "met"),), Colours())
    assert "nan" not in drawn
    assert drawn.startswith("<svg")


def test_the_level_of_the_intervals_is_said() -> None:
    check = replace(sample.checks()[0], estimate=replace(sample.QWK, level=0.9))
    section = replace(sample.report().sections[0], findings=Findings(checks=(check,)))
    report = replace(sample.report(), sections=(section,))
    html = ShownReport(report, Look(), Templates(report, Look())).show("summary.checks").data["text/html"]
    assert "Intervals are 90&nbsp;% intervals" in html
