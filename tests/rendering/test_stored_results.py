"""Results of others are data: rendering follows no path in them and runs no code."""

import base64
import json
import random
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pypdf
import pytest
import tinyhtml5
from command import page_text
from command import reportgen as run
from score_files import SIXTY

import reportgen
from reportgen.errors import ReportgenError, SettingsError
from reportgen.settings.models import Format

CODE = "```{code-cell}\nfrom pathlib import Path\nPath('PWNED').touch()\n```\n"

SECTION = """
from dataclasses import dataclass
from reportgen.sections import Evaluation, Findings, Section


@dataclass(frozen=True)
class Workload(Section):
    name, title = "workload", "Work that is saved"

    def findings(self, evaluation: Evaluation) -> Findings:
        return Findings(headline="Much work is saved.", values={"hours": 7})
"""

Content = dict[str, Any]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Content:
    home = tmp_path_factory.mktemp("stored")
    (home / "s.csv").write_text(SIXTY)
    reportgen.evaluate(home / "s.csv", home / "out", formats=[], sections=["summary", "data"])
    content: Content = json.loads((home / "out" / "results.json").read_text())
    return content


@pytest.fixture
def render(tmp_path: Path, stored: Content, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that changes stored results, renders them in an empty folder, and returns the page."""
    monkeypatch.chdir(tmp_path)

    def rendered(change: Callable[[Content], None], formats: tuple[Format, ...] = ("html",), **settings: Any) -> str:
        content = json.loads(json.dumps(stored))
        change(content["report"])
        Path("results.json").write_text(json.dumps(content))
        reportgen.render("results.json", "pages", formats=formats, force=True, **settings)
        assert not list(tmp_path.rglob("PWNED"))
        return Path("pages/report.html").read_text() if "html" in formats else ""

    return rendered


def notebook_that_shows(*outputs: Content) -> Callable[[Content], None]:
    """Return a change that adds a section of a notebook to a report."""

    def change(report: Content) -> None:
        section = report["sections"][-1]
        section |= {"name": "custom_x", "title": "Custom", "provider": "x.ipynb"}
        section["findings"] = {"values": {"outputs": list(outputs)}}

    return change


def test_templates_of_results_are_ignored(render: Callable[..., str], tmp_path: Path) -> None:
    place = tmp_path / "theirs" / "sections" / "data"
    place.mkdir(parents=True)
    (place / "section.md.j2").write_text(CODE + "\nTHEIRS")

    def change(report: Content) -> None:
        report["evaluation"]["settings"]["report"]["templates"] = "theirs"

    assert "THEIRS" not in render(change)


@pytest.mark.parametrize("provider", ["./theirs.py", "theirs.py", "../theirs.py", "/theirs.py"])
def test_provider_of_results_is_not_imported(render: Callable[..., str], tmp_path: Path, provider: str) -> None:
    (tmp_path / "theirs.py").write_text("open('PWNED', 'w')")
    (tmp_path / "section.md.j2").write_text(CODE + "\nTHEIRS")

    def change(report: Content) -> None:
        report["sections"][-1] |= {"name": "theirs", "provider": provider.replace("/theirs", f"{tmp_path}/theirs")}

    assert "THEIRS" not in render(change)


@pytest.mark.parametrize("logo", ["secret.png", "/etc/hostname.png", "../secret.png"])
def test_logo_of_results_is_not_embedded(render: Callable[..., str], tmp_path: Path, logo: str) -> None:
    (tmp_path / "secret.png").write_bytes(b"SECRETSECRET")

    def change(report: Content) -> None:
        report["evaluation"]["settings"]["report"]["logo"] = logo

    assert base64.b64encode(b"SECRETSECRET").decode() not in render(change)


def test_section_that_is_not_installed_is_shown(render: Callable[..., str]) -> None:
    def change(report: Content) -> None:
        report["sections"][-1] |= {"name": "elsewhere", "title": "Elsewhere", "provider": "elsewhere 1.0"}

    assert ">Elsewhere</h2>" in render(change)


HOSTILE = (
    '<meta http-equiv="refresh" content="0;url=https://example.org">',
    "<base href='https://example.org'>",
    "<script>fetch('https://example.org')</script>",
    '<form action="https://example.org"><input name="a"></form>',
    '<iframe src="https://example.org"></iframe>',
    '<img src="https://example.org/x.png">',
    '<img src="file:///etc/hostname">',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="https://example.org">x</a>',
    '<a rel="attachment" href="file:///etc/hostname">x</a>',
    '<link rel="attachment" href="file:///etc/hostname">',
    '<p style="position:fixed;inset:0">deploy</p>',
    '<style>body{background:url("https://example.org")}</style>',
    '<svg><image href="file:///etc/hostname"/><script>1</script></svg>',
    '<object data="file:///etc/hostname"></object>',
    '<p onclick="go()" id="main" class="verdict">x</p>',
)
ACTS = re.compile(
    r"example\.org|/etc/hostname|javascript:alert|position:fixed|onclick|http-equiv=.?refresh|<iframe|<form|<base|<object"
)


@pytest.mark.parametrize("form", ["text/html", "text/markdown"])
def test_markup_of_results_is_inactive(render: Callable[..., str], form: str) -> None:
    outputs = [{form: f"before\n\n{each}\n\nafter"} for each in HOSTILE]
    page = render(notebook_that_shows(*outputs, {"image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg'/>"}))
    body = page[page.index("<body") :]
    assert not ACTS.search(body), ACTS.findall(body)
    assert body.count("after") >= len(HOSTILE)


def test_cleaned_markdown_is_not_parsed_again(render: Callable[..., str]) -> None:
    hidden = "<div><x>\n\n[x](javascript:alert(1)) ![p](https://example.org/y)\n\n</x></div>\n<x>[y](javascript:a)</x>"
    page = render(notebook_that_shows({"text/markdown": hidden}))
    assert not re.search(r'(href|src)="(javascript|https)', page[page.index("<body") :])


def test_pdf_of_results_has_no_attachment_and_action(render: Callable[..., str]) -> None:
    outputs = [{"text/html": f"<p>before</p>{each}<p>after</p>"} for each in HOSTILE]
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/hostname"/></svg>'
    render(notebook_that_shows(*outputs, {"image/svg+xml": drawing}), formats=("pdf",))
    reader = pypdf.PdfReader("pages/report.pdf")
    assert not reader.attachments
    root: Any = reader.trailer["/Root"]
    assert "/OpenAction" not in root
    links: list[Any] = [each.get_object() for page in reader.pages for each in page.get("/Annots", ())]
    assert not [each for each in links if "/A" in each or each["/Subtype"] != "/Link"]
    assert "example.org" not in "".join(page.extract_text() for page in reader.pages)


def test_tables_and_images_of_notebook_are_kept(render: Callable[..., str]) -> None:
    letters = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()
    body = '<tbody><tr><td colspan="2">1.5</td></tr></tbody>'
    table = f'<table><thead><tr><th scope="col">a</th></tr></thead>{body}</table>'
    page = render(notebook_that_shows({"text/html": table}, {"image/png": letters, "text/plain": "A figure."}))
    assert '<th scope="col">a</th>' in page
    assert '<td colspan="2">1.5</td>' in page
    assert f"data:image/png;base64,{letters}" in page


@pytest.mark.parametrize("outputs", ["x", [1], [{"text/html": 5}], [{"image/png": '"><script>'}], [{"error": []}], 3])
def test_outputs_of_any_shape_are_shown_or_raise(render: Callable[..., str], outputs: Any) -> None:
    def change(report: Content) -> None:
        notebook_that_shows()(report)
        report["sections"][-1]["findings"]["values"]["outputs"] = outputs

    with suppress(ReportgenError):
        assert '"><script>' not in render(change)


def test_custom_section_uses_template_if_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.csv").write_text(SIXTY)
    Path("workload.py").write_text(SECTION)
    Path("workload").mkdir()
    Path("workload/section.md.j2").write_text("## Mine\n\n{{ findings.values.hours }} hours in MY words\n")
    reportgen.evaluate("s.csv", "out", formats=["html"], sections=["data", "./workload.py"])
    assert "in MY words" in Path("out/report.html").read_text()
    assert str(tmp_path) not in Path("out/results.json").read_text()
    reportgen.render("out/results.json", "plain", formats=["html"])
    assert "in MY words" not in Path("plain/report.html").read_text()
    assert "Much work is saved." in Path("plain/report.html").read_text()
    reportgen.render("out/results.json", "named", formats=["html"], sections=["./workload.py"])
    assert "in MY words" in Path("named/report.html").read_text()
    with pytest.raises(SettingsError, match="is not a file"):
        reportgen.render("out/results.json", "other", sections=["data"])


def test_section_that_cannot_be_imported_is_reported(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(SIXTY)
    (tmp_path / "broken.py").write_text("import a_package_that_nobody_has")
    arguments = ["evaluate", "s.csv", "out", "--formats", "html", "--sections", "data,./broken.py"]
    assert "these sections failed: broken" in run(*arguments, cwd=tmp_path, code=3).stderr
    assert "a_package_that_nobody_has" in page_text(tmp_path / "out" / "report.html")


@pytest.mark.slow
def test_pdf_leaves_no_temporary_files(tmp_path: Path, stored: Content) -> None:
    (tmp_path / "temporary").mkdir()
    (tmp_path / "results.json").write_text(json.dumps(stored))
    environment = {"TMPDIR": str(tmp_path / "temporary")}
    run("render", "results.json", "pages", "--formats", "pdf", cwd=tmp_path, environment=environment)
    assert not list((tmp_path / "temporary").iterdir())


CASES, PRINTED = 2500, 120
"""Number of mutated outputs on the page and in the PDF."""

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


@pytest.mark.slow
def test_mutated_markup_does_not_act_on_the_page(render: Callable[..., str]) -> None:
    page = tinyhtml5.parse(render(notebook_that_shows(*outputs(CASES))), namespace_html_elements=False)
    section = next(each for each in page.iter("section") if each.get("id") == "section-custom_x")
    heading = next(section.iter("h2"))
    found = {each for part in section if part is not heading for each in acting(part)}
    assert not found
    assert len(list(section.iter("img"))) > CASES / 20  # drawings stay, as pictures


@pytest.mark.slow
def test_mutated_markup_does_not_act_in_the_pdf(render: Callable[..., str]) -> None:
    render(notebook_that_shows(*outputs(PRINTED)), formats=("pdf",))
    reader = pypdf.PdfReader("pages/report.pdf")
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


def test_markup_deeper_than_a_page_can_lay_out_is_shown_as_its_text(render: Callable[..., str]) -> None:
    render(notebook_that_shows({"text/html": "<blockquote>" * 400 + "deep words"}), formats=("pdf",))
    assert "deep words" in "".join(page.extract_text() for page in pypdf.PdfReader("pages/report.pdf").pages)
