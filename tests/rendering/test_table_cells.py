"""Cells of a printed table: decimals, groups of rows, marks, and hidden columns."""

from dataclasses import replace

import sample_report as sample
from hypothesis import given
from hypothesis import strategies as st

from reportgen.rendering.look import Look
from reportgen.rendering.page_tables import TableView, column_decimals
from reportgen.rendering.templates import Templates
from reportgen.results import Column, Estimate, Kind, Row, Table


def test_column_has_common_precision() -> None:
    values = [0.698, 0.8, 0.75, 0.9]
    rows = tuple(Row((f"g{value}", Estimate("qwk", value, 90, value - 0.1, value + 0.1))) for value in values)
    table = Table("k", "c", (Column("a", "A"), Column("b", "B", "coefficient")), rows)
    assert [row.cells[1].text for row in TableView(table).rows] == ["0.70", "0.80", "0.75", "0.90"]
    near = TableView(table, thresholds={("qwk", "coefficient"): (0.7,)}).rows
    assert [row.cells[1].text for row in near] == ["0.698", "0.800", "0.750", "0.900"]
    assert near[0].cells[1].limits == "[0.598, 0.798]"
    tiny = replace(table, rows=(*rows, Row(("tiny", Estimate("qwk", 0.0003, 90)))))
    assert [row.cells[1].text for row in TableView(tiny).rows] == ["0.698", "0.800", "0.750", "0.900", "<0.001"]


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=9), st.sampled_from(["coefficient", "difference", "score"]))
def test_column_has_no_negative_zero(values: list[float], kind: Kind) -> None:
    rows = tuple(Row((f"g{place}", Estimate("m", value, 90, kind=kind))) for place, value in enumerate(values))
    table = Table("k", "c", (Column("a", "A"), Column("b", "B", kind)), rows)
    cells = [row.cells[1].text for row in TableView(table).rows]
    assert len({len(cell.partition(".")[2]) for cell in cells}) == 1
    signed = [cell for cell in cells if cell[0] in "+\N{MINUS SIGN}<>"]
    assert 0 not in [float(cell.replace("\N{MINUS SIGN}", "-").lstrip("<>")) for cell in signed]


def test_empty_column_is_hidden_with_reason() -> None:
    none = Estimate("kappa", None, 9, reason="for rounded scores only")
    columns = (Column("a", "A"), Column("b", "κ"), Column("c", "n", "count"), Column("d", "Note"))
    table = Table("k", "c", columns, (Row(("x", none, 5, "")), Row(("y", none, 6, None))))
    printed = TableView(table)
    assert [column.label for column in printed.columns] == ["A", "n"]
    assert printed.empty == (("κ", "for rounded scores only"), ("Note", ""))
    assert printed.reasons == ()
    page = Templates(sample.report(), Look()).page("html/table.html.j2", table=printed)
    assert "Not shown: κ (for rounded scores only)." in page
    assert "Note" not in page
    bare = replace(table, columns=columns[:2], rows=tuple(Row(row.cells[:2]) for row in table.rows))
    assert [column.label for column in TableView(bare).columns] == ["A", "κ"]


def test_rows_with_same_first_cell_are_grouped() -> None:
    columns = (Column("a", "Metric"), Column("b", "Form"), Column("c", "Value", "coefficient"))
    rows = tuple(Row((metric, form, 0.5)) for metric in ("QWK", "r") for form in ("A", "B"))
    table = Table("k", "c", columns, (Row(("All", "", 0.4), "overall"), *rows))
    printed = TableView(replace(table, rows=rows))
    assert [(group.title, len(group.rows)) for group in printed.groups] == [("QWK", 2), ("r", 2)]
    page = Templates(sample.report(), Look()).page("html/table.html.j2", table=printed)
    assert page.count('<tr class="stub"><th scope="rowgroup" colspan="2"') == 2
    assert page.count('<td class="grouped-by">QWK</td>') == 2  # for copies of the table
    alone = Templates(sample.report(), Look()).page("html/table.html.j2", table=TableView(table))
    assert '<th scope="row">All</th>' in alone
    assert alone.count('class="stub"') == 2
    assert not TableView(replace(table, rows=(rows[0], rows[2], rows[1], rows[3]))).grouped


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["", "x", "y"])), max_size=7))
def test_groups_keep_every_row_in_order(names: list[tuple[str, str]]) -> None:
    rows = tuple(Row((*name, place)) for place, name in enumerate(names))
    printed = TableView(Table("k", "c", (Column("a", "A"), Column("b", "B"), Column("n", "n", "count")), rows))
    assert [row.cells[-1].text for row in printed.rows] == [str(place) for place in range(len(rows))]
    if printed.grouped:
        assert all(row.cells[1].text or not group.title for group in printed.groups for row in group.rows)


def test_marks_have_signs_and_words() -> None:
    table = Table("k", "c", (Column("a", "A"), Column("n", "n", "count")), (Row(("x", 1), "flagged"), Row(("y", 2))))
    page = Templates(sample.report(), Look()).page("html/table.html.j2", table=TableView(table))
    assert '<span aria-hidden="true">▲</span><span class="unseen">beyond the limit: </span></span>x</th>' in page
    assert '<p class="marks"><span class="flagged"><span class="mark">▲</span> beyond the limit</span></p>' in page
    plain_rows = replace(table, rows=tuple(replace(row, mark="") for row in table.rows))
    assert "mark" not in Templates(sample.report(), Look()).page("html/table.html.j2", table=TableView(plain_rows))


def test_conditions_of_long_caption_are_second_line() -> None:
    long = "Agreement on score points, engine and rater (engine score rounded; n = 200)"
    table = Table("k", long, (Column("a", "A"),), ())
    assert (TableView(table).title, TableView(table).conditions) == (long[:43], "engine score rounded; n = 200")
    assert TableView(replace(table, caption="Groups (n)")).conditions == ""


def test_zeros_do_not_reduce_decimals() -> None:
    """Changes of 0 must not reduce the decimals of other changes."""
    changes = [Estimate("error_variance", 0.0, 90, kind="number"), Estimate("true_variance", 0.0, 90, kind="number"),
               Estimate("mse_true", -0.1574, 90, -0.1988, -0.1160, kind="number")]  # fmt: skip
    rows = [Row((change,)) for change in changes]
    assert column_decimals(rows, 0, Column("change", kind="difference"), {})["number"] >= 2


@given(st.lists(st.one_of(st.just(0.0), st.floats(0.01, 9.0)), min_size=1, max_size=8))
def test_nonzero_numbers_are_not_rounded_to_zero(values: list[float]) -> None:
    rows = [Row((Estimate("x", value, 90, kind="number"),)) for value in values]
    places = column_decimals(rows, 0, Column("x", kind="number"), {}).get("number")
    assert places is None or all(round(value, places) > 0 for value in values if value)
