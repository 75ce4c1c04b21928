"""Tables and checks prepared for printing: decimals, groups of rows, marks, links, and hidden columns."""

import re
from dataclasses import replace
from typing import get_args

import pytest
import sample_report as sample
from hypothesis import given
from hypothesis import strategies as st

from reportgen.charts.static import OUTLINES
from reportgen.charts.theme import Colours
from reportgen.rendering.filters import pictures, sign
from reportgen.rendering.look import Look
from reportgen.rendering.page_tables import (
    CheckView,
    TableView,
    check_views,
    column_decimals,
    digits,
    strip,
    thresholds_of,
)
from reportgen.rendering.show import ShownReport, plain
from reportgen.rendering.templates import Templates
from reportgen.results import Check, Column, Estimate, Findings, Kind, Outcome, Row, Table
from reportgen.wording.vocabulary import english


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


def test_columns_of_one_statistic_have_the_same_decimals() -> None:
    old, new = (Estimate("mse_true", value, 90, value - half, value + half, kind="number")
                for value, half in ((0.27, 0.06), (0.115, 0.04)))  # fmt: skip
    columns = Column("name"), Column("old"), Column("new"), Column("margin", kind="coefficient")
    (row,) = TableView(Table("t", "T", columns, (Row(("a", old, new, 0.0334)),))).rows
    assert [cell.text for cell in row.cells[1:]] == ["0.270", "0.115", "0.033"]


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


def test_table_view_formats_cells() -> None:
    printed = TableView(sample.agreement_table())
    given, rounded = printed.rows
    assert [cell.text for cell in given.cells] == ["As given", "4,812", "0.71", "–", "–", "< .001", "0.3123"]
    assert given.cells[2].limits == "[0.69, 0.73]"
    assert rounded.cells[4].text == "61.2"
    assert [column.figures for column in printed.columns] == [False] + [True] * 6


def test_links_lead_to_relative_files_only() -> None:
    columns = (Column("a", "A", link="to"), Column("to", "To", shown=False))
    rows = [Row((name, to)) for name, to in (("<i>", '../a b/"r".html'), ("x", "javascript:y()"), ("z", None))]
    page = Templates(sample.report(), Look()).page(
        "html/table.html.j2", table=TableView(Table("k", "c", columns, tuple(rows)))
    )
    assert '<a href="../a%20b/%22r%22.html">&lt;i&gt;</a>' in page
    assert '<a href="javascript%3Ay%28%29">x</a>' in page
    assert page.count("<a ") == 2


def test_percentages_in_mixed_column_are_marked() -> None:
    share, kappa = Estimate("exact_agreement", 61.2, 600, kind="percent"), Estimate("kappa", 0.4, 600)
    columns = (Column("a", "Metric"), Column("b", "Value", "coefficient"))
    mixed = Table("k", "c", columns, (Row(("Exact agreement", share)), Row(("Kappa", kappa)), Row(("Off (%)", share))))
    assert [row.cells[0].text for row in TableView(mixed).rows] == ["Exact agreement (%)", "Kappa", "Off (%)"]
    alone = replace(mixed, columns=(columns[0], Column("b", "Value", "percent", "%")))
    assert [row.cells[0].text for row in TableView(alone).rows] == ["Exact agreement", "Kappa", "Off (%)"]


def test_percentage_points_have_sign() -> None:
    columns = (Column("a", "Score"), Column("b", "Engine - human", "percent", "points"))
    change = Estimate("share", 6.0, 600, 1.2, 10.8, kind="percent")
    rows = TableView(Table("k", "c", columns, (Row(("1", change)), Row(("2", 1.04)), Row(("3", -1.04))))).rows
    assert [cell.text for row in rows for cell in row.cells[1:]] == ["+6.0", "+1.0", "\N{MINUS SIGN}1.0"]
    assert rows[0].cells[1].limits == "[+1.2, +10.8]"


def test_differences_of_percentages_have_sign() -> None:
    change = Estimate("exact_agreement", 4.26, 600, 1.1, 7.4, kind="percent")
    bare = replace(change, low=None, high=None)
    columns = (Column("a", "A"), Column("b", "Engine", "percent"), Column("c", "Difference", "difference"))
    rows = TableView(Table("k", "c", columns, (Row(("x", change, change)), Row(("y", bare, bare))))).rows
    assert [(cell.text, cell.limits) for cell in rows[0].cells[1:]] == [("4.3", "[1.1, 7.4]"), ("+4.3", "[+1.1, +7.4]")]
    assert [cell.text for cell in rows[1].cells[1:]] == ["4.3", "+4.3"]


def test_number_near_threshold_has_three_decimals() -> None:
    near = Estimate("dsm", 0.18, 300, 0.0975, 0.26, kind="difference")
    table = Table("k", "c", (Column("a", "A"), Column("d", "DSM", "difference")), (Row(("x", near)),))
    checks = (replace(sample.checks()[4], estimate=near),)
    cell = TableView(table, thresholds=thresholds_of(checks)).rows[0].cells[1]
    assert (cell.text, cell.limits) == ("+0.180", "[+0.098, +0.260]")
    assert TableView(table).rows[0].cells[1].limits == "[+0.10, +0.26]"


def test_equal_reasons_share_letter() -> None:
    printed = TableView(sample.agreement_table())
    notes = [[cell.note for cell in row.cells if cell.note] for row in printed.rows]
    assert notes == [["a", "a"], ["b"]]
    assert printed.reasons == (
        ("a", "not applicable: continuous scores"),
        ("b", "no interval for fewer than 10 responses"),
    )


def test_capped_table_keeps_marked_rows() -> None:
    rows = tuple(Row((f"group {i}", i), "flagged" if i == 40 else "reference" if i == 30 else "") for i in range(50))
    table = Table("k", "c", (Column("a", "A"), Column("n", "n", "count")), rows, max_rows=5)
    printed = TableView(table)
    assert [row.cells[0].text for row in printed.rows] == [f"group {i}" for i in (0, 1, 2, 3, 4, 30, 40)]
    assert printed.left_out == 43
    assert printed.elsewhere == "tables/k.csv"
    assert [row.sign for row in printed.rows[-2:]] == ["◇", "▲"]
    assert list(printed.marks) == ["flagged", "reference"]


def test_paper_shows_nine_columns() -> None:
    table = Table("k", "c", tuple(Column(f"c{place}", "A", "count") for place in range(11)), (Row(tuple(range(11))),))
    assert [column.on_paper for column in TableView(table).columns] == [True] * 9 + [False] * 2


def test_paper_names_columns_that_do_not_fit() -> None:
    wide = Estimate("dsm", -0.125, 90, -0.25, -0.15, kind="difference")
    columns = (Column("a", "A"), *(Column(f"c{place}", f"C{place}", "difference") for place in range(6)))
    table = Table("k", "c", columns, (Row(("a name of some words", *[wide] * 6)),))
    printed = TableView(table)
    on_paper = [column.on_paper for column in printed.columns]
    assert on_paper == sorted(on_paper, reverse=True)
    assert 2 <= sum(on_paper) < 7
    page = Templates(sample.report(), Look()).page("html/table.html.j2", table=printed)
    left = [column.label for column in printed.columns if not column.on_paper]
    assert f"Not shown here, but in tables/k.csv: {', '.join(left)}." in page
    assert page.count("screen-only") == len(left) * (1 + len(printed.rows))


@pytest.mark.parametrize("label", ["  ", "\u200b"])
def test_empty_heading_has_name_for_screen_readers(label: str) -> None:
    column = Column("first_seen", label)
    table = Table("k", "c", (Column("a", "A"), column), tuple(Row((name, "w")) for name in "xyz"))
    printed = TableView(table)
    assert (printed.columns[1].label, printed.columns[1].name) == ("", "first seen")
    report = replace(sample.report(), evaluation=replace(sample.report().evaluation, tables={"k": table}))
    html = ShownReport(Templates(report, Look())).show("k").data["text/html"]
    assert '<span class="unseen">first seen</span>' in html


def test_narrow_column_keeps_short_words() -> None:
    table = Table(
        "k", "c", (Column("a", "A"), Column("b", "B")), (Row(("Trimmed to 1", "x" * 300)), Row(("as given", "y")))
    )
    assert [column.word for column in TableView(table).columns] == [digits("Trimmed"), digits("x" * 16)]
    assert [column.whole for column in TableView(table).columns] == [digits("Trimmed to 1"), 20]


def test_table_without_rows_is_empty() -> None:
    assert TableView(Table("k", "c", (Column("a", "A"),), ())).rows == ()
    assert TableView(Table("k", "c", (), ())).columns == ()


def test_plain_text_has_shown_cells() -> None:
    lines = plain(sample.agreement_table()).splitlines()
    assert lines[1].startswith("Score type\tn\tQWK")
    assert "0.71 [0.69, 0.73]" in lines[2]
    assert "Not shown" not in lines[1]


def test_outcomes_have_words_and_signs() -> None:
    views = [CheckView(check, Colours(), english()) for check in sample.checks()]
    signs = {item.check.outcome: sign(item.check.outcome) for item in views}
    assert set(signs) == {"met", "not met", "not yet known", "insufficient"}
    assert len(set(signs.values())) == len(signs)
    assert all('aria-hidden="true"></span>' in drawn for drawn in signs.values())
    drawn = {sign(outcome) for outcome in get_args(Outcome)}
    assert set(signs.values()) < drawn
    assert all(any(f"sign-{name} " in f"{each} ".replace('"', " ") for each in drawn) for name in pictures())
    assert len(drawn) == len(pictures()) == len(get_args(Outcome))
    shown = {"id": "checks", "checks": views, "sources": (), "levels": "95", "criteria": ""}
    page = Templates(sample.report(), Look()).page("html/checks.html.j2", **shown)
    required = ["at least 0.70", "at least 0.70", "within ±0.15", "at least 0.70", "within ±0.10"]
    assert re.findall(r'class="bounds">([^<]*)', page) == required


def test_requirements_in_one_table_have_equal_decimals() -> None:
    qwk = Check("QWK", Estimate("qwk", 0.81, 90, 0.78, 0.84), "met", 0.7)
    smd = Check("SMD", Estimate("smd", 0.117, 90, 0.081, 0.153, kind="difference"), "not yet known", -0.15, 0.15)
    views = check_views([qwk, smd], Colours(), english())
    assert [(each.estimate.text, each.estimate.limits) for each in views] == [
        ("0.810", "[0.780, 0.840]"), ("+0.117", "[+0.081, +0.153]")
    ]  # fmt: skip


DOT = OUTLINES["circle"]


def drawn(check: Check) -> str:
    return strip(check, Colours(), english(), ())


def place_of_dot(check: Check) -> float:
    return float(drawn(check).split(DOT)[0].rpartition("M")[2].split(",")[0])


def test_strip_shows_estimate_interval_and_limits_without_repeating_numbers() -> None:
    found = [strip(check, Colours(), english(), ()) for check in sample.checks()]
    assert found[0].count(DOT) == 1
    assert not re.search(r"<text[^>]*>[^<]*\d", "".join(found))
    assert found[2].count("L") == 4  # axis, two limits, interval
    assert "not tested" in found[3]
    assert DOT not in found[3]
    assert all("not tested" not in each for each in (*found[:3], found[4]))


@given(st.floats(-3.0, 3.0), st.floats(-1e6, 1e6))
def test_strip_contains_every_value_and_cuts_only_wide_intervals(value: float, other: float) -> None:
    check = Check("QWK", Estimate("qwk", value, 90, min(other, value), value), "met", low=0.7)
    assert 15 <= place_of_dot(check) <= 153
    assert OUTLINES["left"] not in drawn(check)
    assert OUTLINES["right"] not in drawn(check)
    if min(value, other) >= 0.4:
        assert place_of_dot(check) == pytest.approx(15 + 138 * (value - 0.4) / 0.6, abs=0.051) or value > 1


def test_strip_marks_second_rater_and_best_engine() -> None:
    second, best = Estimate("qwk", 0.75, 90), Estimate("qwk", 0.9, 90)
    found = drawn(Check("QWK", Estimate("qwk", 0.8, 90, 0.7, 0.9), "met", low=0.7, second=second, best=best))
    alone = drawn(Check("QWK", Estimate("qwk", 0.8, 90, 0.7, 0.9), "met", low=0.7))
    assert OUTLINES["diamond"] in found
    assert OUTLINES["diamond"] not in alone
    assert found.count("stroke-dasharray") == alone.count("stroke-dasharray") + 1


@pytest.mark.parametrize(
    ("outcome", "ink", "hollow"),
    [("met", "engine", False), ("not met", "flag", False), ("not yet known", "engine", True),
     ("insufficient", "engine", True)],
)  # fmt: skip
def test_strip_marker_shows_outcome(outcome: Outcome, ink: str, hollow: bool) -> None:
    found = drawn(Check("QWK", Estimate("qwk", 0.8, 90, 0.7, 0.9), outcome, low=0.7))
    assert f'class="stroke-{ink} fill-{"paper" if hollow else ink}"' in found[found.index(DOT) :]


def test_strip_has_label() -> None:
    check = sample.checks()[4]
    assert 'aria-label="−0.19 [−0.25, −0.13]; required: within ±0.10; not met"' in drawn(check)


@pytest.mark.parametrize(
    "estimate",
    [Estimate("x", 0.0, 1), Estimate("x", 1e9, 1, -1e9, 1e12), Estimate("x", 0.0, 0, 0.0, 0.0, kind="difference")],
)
def test_strip_of_any_estimate_can_be_drawn(estimate: Estimate) -> None:
    drawn = strip(Check("l", estimate, "met"), Colours(), english(), ())
    assert "nan" not in drawn
    assert drawn.startswith("<svg")


def test_level_of_intervals_is_shown() -> None:
    check = replace(sample.checks()[0], estimate=replace(sample.QWK, level=0.9))
    section = replace(sample.report().sections[0], findings=Findings(checks=(check,)))
    report = replace(sample.report(), sections=(section,))
    html = ShownReport(Templates(report, Look())).show("sample_summary.checks").data["text/html"]
    assert "Intervals are 90% intervals" in html


def test_axis_shows_both_limits_although_their_labels_do_not_fit() -> None:
    near, far = (Check("DSM", Estimate("dsm", value, 90, value - 0.1, value + 0.1, kind="difference"), "not met",
                       low=-0.1, high=0.1) for value in (0.0, -0.9))  # fmt: skip
    alone, beside = (strip(near, Colours(), english(), along, axis=True) for along in ([near], [near, far]))
    assert "\N{MINUS SIGN}0.10" in alone
    assert "+0.10" in alone
    assert "±0.10" in beside
    assert "\N{MINUS SIGN}0.10" not in beside
