"""Mutated markup is inactive on the page and in the PDF, leads nowhere, and has no style."""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdf
import pytest
import tinyhtml5

import reportgen
from reportgen.settings.models import Format

CASES, PRINTED = 2500, 120
"""Number of mutated outputs on the page and in the PDF."""

DATA = "id,human,human2,system\n" + "".join(
    f"r{i},{i % 5 + 1},{(i + 1) % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(40)
)

KNOWN = (
    "<a title='<svg aria-label=\" href=https://evil.example/ x=\">a</svg>'>x</a>",
    "<div title='<svg aria-label=\" style=position:fixed;inset:0 x=\">a</svg>'>x</div>",
    "<<a>a href=https://evil.example/>x</a>",
    "\ue0009\ue001<svg></svg>\ue0000\ue001",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=go()&gt;'>",
    "<svg><desc><a href=https://evil.example/>x</a></desc></svg>",
    "<noscript><p title='</noscript><img src=x onerror=go()>'></noscript>",
)
NAMES = (
    *("a", "div", "p", "img", "table", "td", "b", "svg", "math", "mtext", "mglyph", "annotation-xml", "foreignObject"),
    *("desc", "title", "style", "script", "template", "noscript", "iframe", "form", "input", "object", "embed", "base"),
    *("meta", "link", "textarea", "select", "option", "xmp", "plaintext", "svg:a", "x", "image", "use", "body", "html"),
)
VALUES = (
    *(
        "https://evil.example/", "javascript:go()", "java&#10;script:go()", "//evil.example/", "data:text/html,x",
        "#here",
    ),
    *(
        "data:image/svg+xml;base64,PHN2Zy8+", "position:fixed;inset:0", "go()", "file:///etc/hostname",
        "0;url=//evil.example",
    ),
    *(
        "attachment", '"><a href=https://evil.example/>', "'><img src=x onerror=go()>", "<svg aria-label=",
        "</svg>", "1", "x",
    ),
)  # fmt: skip
ATTRIBUTES = (
    *("href", "src", "style", "class", "id", "onclick", "onerror", "title", "alt", "aria-label", "xlink:href", "rel"),
    *("http-equiv", "content", "srcdoc", "action", "formaction", "target", "name", "colspan", "dir", "background"),
)
PIECES = (
    *("<!--", "-->", "--!>", "<![CDATA[", "]]>", "<?x ?>", "<!doctype html>", "&lt;", "&#60;", "&#x3c;a href=x&#62;"),
    *(
        "</", "<", ">", "'", '"', "`", "=", "\x00", "\n\n", "\t", "/", "\ue000", "\ue0000\ue001", "\ue0011\ue000",
        "words",
    ),
    *("[x](https://evil.example/)", "![x](https://evil.example/)", "<https://evil.example/>", "```", "    ", "$x$"),
)  # fmt: skip
SAFE = {
    *("a", "b", "br", "code", "em", "hr", "i", "img", "p", "pre", "s", "samp", "small", "span", "strong", "sub", "sup"),
    *(
        "u", "blockquote", "dd", "div", "dl", "dt", "figcaption", "figure", "h2", "h3", "h4", "h5", "h6", "li",
        "ol", "ul",
    ),
    *("caption", "col", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr"),
}  # fmt: skip
PLAIN = {"colspan", "rowspan", "scope", "headers", "alt", "title", "lang", "dir"}
TEXT_CLASSES = {"about", "caveat", "headline", "particulars"}
OURS = {("figure", "class", "chart")}
"""Elements of the templates around an output."""


def mutated(chance: random.Random, depth: int = 0) -> str:
    """Return nested and broken markup in several languages."""
    kind = chance.randrange(8)
    if depth > 4 or kind == 0:
        return chance.choice(PIECES)
    if kind == 1:
        return "".join(mutated(chance, depth + 1) for _ in range(3))
    if kind == 2:
        text = mutated(chance, depth + 1)
        at = chance.randrange(len(text) + 1)
        return text[:at] + chance.choice((*PIECES, *KNOWN)) + text[at + chance.randrange(3) :]
    name = chance.choice(NAMES)
    attributes = (
        f" {chance.choice(ATTRIBUTES)}={quote}{chance.choice((*VALUES, mutated(chance, depth + 2)))}{quote}"
        for quote in chance.choices(("'", '"', ""), k=chance.randrange(4))
    )
    end = chance.choice((f"</{name}>", f"</{name}>", f"</{name.upper()} x>", f"</{chance.choice(NAMES)}>", ""))
    return f"<{name}{''.join(attributes)}{chance.choice(('>', '/>', ' '))}{mutated(chance, depth + 1)}{end}"


def outputs(number: int) -> list[dict[str, Any]]:
    """Return outputs of cells in every form of markup."""
    chance = random.Random(20260331)
    forms = ("text/html", "text/html", "text/markdown", "image/svg+xml")
    made = [{form: text} for text in KNOWN for form in forms[1:]]
    return [*made, *({chance.choice(forms): mutated(chance)} for _ in range(number))]


def acting(node: Any) -> Iterator[str]:
    """Yield active elements, external links, and styles in a part of a parsed page."""
    for each in node.iter():
        name = str(each.tag).rpartition("}")[2]
        if name not in SAFE:
            yield name
        for key, value in each.attrib.items():
            allowed = (
                key in PLAIN
                or (name, key, value) in OURS
                or ((name, key) == ("p", "class") and set(value.split()) <= TEXT_CLASSES)
                or ((name, key) == ("h3", "id") or (name, key) == ("h4", "id"))
                or ((name, key) == ("a", "href") and value.startswith("#"))
                or ((name, key) == ("img", "src") and re.match(r"data:image/(png|jpeg|gif|svg\+xml);base64,", value))
            )
            if not allowed:
                yield f"{name} {key}={value}"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("stored")
    (home / "s.csv").write_text(DATA)
    reportgen.evaluate(home / "s.csv", home / "out", formats=[], sections=["data"])
    content: dict[str, Any] = json.loads((home / "out" / "results.json").read_text())
    return content


def render(stored: dict[str, Any], shown: list[dict[str, Any]], folder: Path, form: Format) -> Path:
    section = stored["report"]["sections"][-1]
    section |= {
        "name": "custom_x",
        "title": "Custom",
        "provider": "x.ipynb",
        "findings": {"values": {"outputs": shown}},
    }
    (folder / "results.json").write_text(json.dumps(stored))
    reportgen.render(folder / "results.json", folder / "pages", formats=[form])
    return folder / "pages" / f"report.{form}"


@pytest.mark.slow
def test_mutated_markup_does_not_act_on_the_page(stored: dict[str, Any], tmp_path: Path) -> None:
    shown = outputs(CASES)
    page = tinyhtml5.parse(render(stored, shown, tmp_path, "html").read_text(), namespace_html_elements=False)
    section = next(each for each in page.iter("section") if each.get("id") == "section-custom_x")
    heading = next(section.iter("h2"))
    found = {each for part in section if part is not heading for each in acting(part)}
    assert not found
    assert len(list(section.iter("img"))) > CASES / 20  # drawings stay, as pictures


@pytest.mark.slow
def test_mutated_markup_does_not_act_in_the_pdf(stored: dict[str, Any], tmp_path: Path) -> None:
    reader = pypdf.PdfReader(render(stored, outputs(PRINTED), tmp_path, "pdf"))
    root: Any = reader.trailer["/Root"]
    assert not {"/OpenAction", "/AA"} & set(root)
    assert not reader.attachments
    notes: list[Any] = [each.get_object() for page in reader.pages for each in page.get("/Annots", ())]
    assert not [each for each in notes if "/A" in each or "/AA" in each or each["/Subtype"] != "/Link"]


@pytest.mark.parametrize(
    "figure",
    [
        {"layout": {"title": {"text": "<<a>a href='https://evil.example/'>x</a>"}}},
        {"layout": {"title": {"text": "<b>kept</b><extra></extra><span style='font-size:900px'>x</span>"}}},
        {"layout": {"xaxis": {"tickprefix": "<a href='https://evil.example/'", "ticksuffix": ">x"}}},
        {"layout": {"xaxis": {"tickprefix": "<", "ticksuffix": "a href='https://evil.example/'>x"}}},
    ],
)
def test_texts_of_a_plotly_figure_have_no_links_however_they_are_put_together(figure: dict[str, Any]) -> None:
    from reportgen.rendering.foreign import harmless

    made = harmless({"application/vnd.plotly.v1+json": figure})["application/vnd.plotly.v1+json"]
    texts = re.findall(r'": "([^"]*)"', json.dumps(made))
    assert "<" not in re.sub(r"</?(b|extra)>", "", "".join(texts))


def test_markup_deeper_than_a_page_can_lay_out_is_shown_as_its_text(stored: dict[str, Any], tmp_path: Path) -> None:
    path = render(stored, [{"text/html": "<blockquote>" * 400 + "deep words"}], tmp_path, "pdf")
    assert "deep words" in "".join(page.extract_text() for page in pypdf.PdfReader(path).pages)
