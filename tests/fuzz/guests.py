"""Generate broken templates and sections, which must not break the run."""

from pathlib import Path

from fuzz.cases import WITH_SECTIONS, Case
from fuzz.pieces import Draw
from fuzz.sound import Sound
from fuzz.spoiling import spoilt

BASES = {
    "sections/data/section.md.j2": "notebook/base_section.md.j2",
    "sections/summary/section.md.j2": "notebook/base_section.md.j2",
    "notebook/report.md.j2": "notebook/base_report.md.j2",
    "notebook/section.md.j2": "notebook/base_section.md.j2",
    "html/index.html.j2": "html/base_page.html.j2",
    "html/table.html.j2": "html/table.html.j2",
    "html/checks.html.j2": "html/checks.html.j2",
    "html/page.css": "html/page.css",
    "html/page.js": "html/page.js",
}
"""Template -> the built-in template that it extends."""

BLOCKS = ("lead", "heading", "headline", "findings", "title", "sections", "main", "style", "head", "nope")
LINES = (
    "{{ 7*7 }}", "{{ report.title }}", "{{ nope }}", "{{ report.nope.x }}", "{% for i in range(10**9) %}{% endfor %}",
    "{% for i in range(3000) %}{% for j in range(3000) %}{% endfor %}{% endfor %}", "{{ 'x' * 100000 }}",
    "{{ super() }}",
    "{% include 'sections/data/section.md.j2' %}", "{% if %}", "{{", "{% endblock %}", '+++ {"section": "data"}',
    "+++ {bad",
    "{{ '' | interval }}", "{{ 1 | date }}", "{{ report | count }}", "{{ 1/0 }}", "{{ raise }}", "{{ '\\ud800' }}",
    "\x00",
    "{% set x = namespace() %}{{ x.y }}", "{{ [].__class__.__base__.__subclasses__() | length }}", "```{code-cell}",
    "<script>alert(2)</script>", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{{ 10**10**8 }}",
    "{{ 'a' * 10**10 }}",
)  # fmt: skip
CELLS = (
    "1/0", "print('a')", "raise SystemExit(5)", "import sys; sys.stdout.close()", "report.show('zz')",
    "%%bash\necho hi",
    "input()", "import os; os.chdir('/')", "raise KeyError", "x = '\\ud800'; print(x)", "def", "raise MemoryError",
)  # fmt: skip


def template(draw: Draw, work: Path, given: Sound) -> Case:
    given.put(work, "slim", "s.csv")
    name = draw.choice(list(BASES))
    lines = "\n".join(draw.choice([*LINES, *(f"```{{code-cell}}\n{c}\n```" for c in CELLS)]) for _ in range(2))
    block = f"{{% block {draw.choice(BLOCKS)} %}}\n{lines}\n{{% endblock %}}\n"
    text = draw.choice(
        [
            f'{{% extends "shipped/{BASES[name]}" %}}{block}', f'{{% extends "shipped/{BASES[name]}" %}}{block}',
            lines, "",
            f'{{% extends "{name}" %}}', f'{{% include "{name}" %}}',
        ]
    )  # fmt: skip
    path = work / "t" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(spoilt(draw, text.encode()) if draw.happens(0.3) else text.encode())
    command = draw.choice(["render slim/results.json out", "render slim/results.json out", "evaluate s.csv out"])
    return Case([*command.split(), "--templates", "t", "--formats", "html"], WITH_SECTIONS, names_asked=True)


SECTION = """
from dataclasses import dataclass
from typing import ClassVar

from reportgen.sections import Column, Evaluation, Findings, Row, Section, Table


@dataclass(frozen=True)
class Own(Section):
    name: ClassVar[str] = "own"
    title: ClassVar[str] = "Own"

    def findings(self, evaluation: Evaluation) -> Findings:
        {body}
        columns = (Column("a", "A"), Column("b", "B"))
        table = Table(key={key}, caption="c", columns=columns, rows=(Row(({one}, {other})),))
        return Findings(headline={headline}, tables=(table,))
"""
BODIES = (
    "pass", "pass", "pass", "raise SystemExit(9)", "raise ValueError('\\x1b[31m\\nx')", "1/0", "return None",
    "return 5",
    "evaluation.tables.clear()", "import sys; sys.stdout.close()", "import os; os.chdir('/')", "raise BaseException",
    "assert False", "evaluation.facts['x'] = 1", "raise RecursionError", "raise MemoryError",
    "raise KeyError('x' * 9000)",
    "import a_package_that_nobody_has", "raise OSError(28, 'No space left on device')", "raise GeneratorExit",
    "return self.findings(evaluation)", "raise UnicodeDecodeError('utf-8', b'x', 0, 1, 'y')",
)  # fmt: skip
THINGS = (
    "'x'", "1", "None", "float('nan')", "[]", "{}", "object()", "'\\ud800'", "10**400", "b'x'", "lambda: 1",
    "evaluation",
    "'a' * 10**6", "(1, (2,))", "1e400", "{1: 2}", "Exception", "'\\x00'", "'<script>alert(1)</script>'", "'\\x1b[2J'",
)  # fmt: skip
KEYS = ("'k'", "''", "'../x'", "'a/b'", "'<b>'", "1", "'k' * 300", "'\\x00'", "'data.groups'", "'.reportgen-z'")


def section(draw: Draw, work: Path, given: Sound) -> Case:
    given.put(work, "s.csv")
    one, other, headline = (draw.choice(THINGS) for _ in range(3))
    text = SECTION.format(body=draw.choice(BODIES), key=draw.choice(KEYS), one=one, other=other, headline=headline)
    (work / "own.py").write_bytes(spoilt(draw, text.encode()) if draw.happens(0.2) else text.encode())
    pages = ["--formats", "html"] if draw.happens(0.25) else ["--tables-only"]
    command = ["evaluate", "s.csv", "out", "--sections", "summary,./own.py", *pages]
    return Case(command, WITH_SECTIONS, names_asked="evaluation" in (one, other, headline))
