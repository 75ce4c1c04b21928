"""Text from strangers is shown letter for letter, and is never markup."""

from html import unescape

import pytest
import sample_report as sample
from hypothesis import given, settings
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from reportgen.charts.svg import clean
from reportgen.charts.theme import shorten_words
from reportgen.rendering.filters import anchor, markdown


def shown(source: str) -> str:
    """Return the HTML of Markdown; a space inside a number may have become one that keeps the line together."""
    html: str = MarkdownWithMath(renderer=IPythonRenderer(escape=False)).render(source)
    return html.replace("\N{NO-BREAK SPACE}", " ")


def expected(text: str) -> str:
    return " ".join(clean(text).split())


@pytest.mark.parametrize("text", [*sample.HOSTILE, "1. a", "- a", "+ a", ": a", "---", "===", "    a", "www.example.org", "http://a.b", "a@b.c", r"\(x\)", "[ ] a", "&amp;", "&#42;"])  # fmt: skip  # noqa: E501
def test_markdown_shows_hostile_text_as_it_is(text: str) -> None:
    html = shown(str(markdown(text)))
    assert unescape(html) == f"<p>{expected(shorten_words(text))}</p>\n"
    assert html.count("<") == 2


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.sampled_from("a1 .-*_`[]()<>#+!|~$&\\{}\"'=^@:/\nw"), min_size=1))
def test_markdown_shows_any_text_as_it_is(text: str) -> None:
    if expected(text):
        html = shown(str(markdown(text)))
        assert unescape(html) == f"<p>{expected(text)}</p>\n"
        assert html.count("<") == 2


@pytest.mark.parametrize("text", sample.HOSTILE)
def test_no_line_of_escaped_text_is_a_fence_or_a_break(text: str) -> None:
    escaped = str(markdown(text))
    assert "\n" not in escaped
    assert not escaped.startswith(("```", "+++", "~~~"))


def test_ids_are_plain_and_differ_when_keys_differ() -> None:
    keys = ["by_group.a b", "by_group.a-b", "by_group.a_b", "by_group.<b>", "by_group.b", *sample.HOSTILE]
    ids = [anchor("table", key) for key in keys]
    assert len(set(ids)) == len(keys)
    assert all(all(letter.isalnum() or letter in "-_." for letter in name) and name.isascii() for name in ids)
