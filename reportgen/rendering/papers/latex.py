r"""Tables as LaTeX: a float with ``\caption``, rules of booktabs, notes below; texts show letter for letter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from reportgen.charts.svg import clean
from reportgen.rendering.papers.model import PaperCell, PaperColumn, PaperRow, PaperTable

_WRITTEN = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", '"': r"\textquotedbl{}", "\N{NO-BREAK SPACE}": "~",
    "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "≤": r"$\leq$", "≥": r"$\geq$", "≠": r"$\neq$", "≈": r"$\approx$",
    "–": r"\textendash{}", "—": r"\textemdash{}", "…": r"\ldots{}", "·": r"\textperiodcentered{}", "→": r"$\to$",
    "‘": r"\textquoteleft{}", "’": r"\textquoteright{}", "“": r"\textquotedblleft{}", "”": r"\textquotedblright{}",
    "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}", "°": r"\textdegree{}", "§": r"\textsection{}",
    "▲": r"$\blacktriangle$", "◇": r"$\lozenge$", "√": r"$\surd$", "∞": r"$\infty$",
}  # fmt: skip
"""What stands for letters that LaTeX would read as commands, and for signs that few of its fonts have."""

_GREEK = {"ρ": "rho", "κ": "kappa", "α": "alpha", "σ": "sigma", "Φ": "Phi", "τ": "tau", "π": "pi", "β": "beta",
          "γ": "gamma", "δ": "delta", "Δ": "Delta", "μ": "mu", "λ": "lambda", "θ": "theta", "φ": "phi", "ε": "epsilon",
          "η": "eta", "χ": "chi", "ω": "omega", "Σ": "Sigma"}  # fmt: skip

_LETTERS = str.maketrans({**_WRITTEN, **{letter: f"$\\{name}$" for letter, name in _GREEK.items()}})

_LIGATURES = re.compile(r"(?<=([-,'?!]))(?=\1|`)")
"""Between letters that LaTeX would join into another sign."""

_TAKEN = re.compile(r"^(?=[\[*])", re.MULTILINE)
"""Before what a rule or the end of a row would take for an option of its own."""

_SPACES = re.compile(r"[ \t\r\n\f\v\u2028\u2029]+")

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage{iftex}
\ifPDFTeX\usepackage[T1]{fontenc}\else\usepackage{fontspec}\fi
\usepackage{textcomp,amssymb,array,booktabs,caption}
\usepackage[margin=20mm]{geometry}
\captionsetup{labelfont=bf,textfont=it,labelsep=newline,singlelinecheck=false,justification=raggedright}
\begin{document}
"""
"""What a document needs that holds these tables; the captions are those of the APA."""

SIZES = ((r"\small", 92), (r"\footnotesize", 104), (r"\scriptsize\setlength{\tabcolsep}{3pt}", 134))
"""Sizes of letters, and how many of them a line of a page has."""

SHORT, ONE_LINE = 24, 12
"""Letters of a column of words that needs no lines of its own, and of a heading over figures."""

END = "\\end{document}\n"


def latex(table: PaperTable) -> str:
    r"""Return a table as a float of LaTeX, for a document with the packages of `PREAMBLE`."""
    size, columns = _layout(table)
    headings = " & ".join(map(_heading, table.columns))
    lines = [
        r"\begin{table}[htbp]",
        f"\\caption{{{escaped(table.title)}}}",
        f"\\label{{tab:{place(table.key)}}}",
        size,
        f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        f"{headings} \\\\",
        r"\midrule",
        *(_row(row, len(table.columns)) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        *_notes(table),
        r"\end{table}",
    ]
    return _TAKEN.sub("{}", "\n".join(lines)) + "\n"


def document(names: Sequence[str]) -> str:
    """Return a document that holds tables, which stand in files of these names beside it."""
    return PREAMBLE + "".join(f"\\input{{{name}}}\n\\clearpage\n" for name in names) + END


def escaped(text: str) -> str:
    r"""Return a text as LaTeX that shows it letter for letter, on one line.

    Examples
    --------
    >>> print(escaped(r"\input{x} 50 % of R&D"))
    \textbackslash{}input\{x\} 50 \% of R\&D
    >>> print(escaped("−0.04 [0.66, 0.75] --force"))
    $-$0.04 [0.66, 0.75] -{}-force
    """
    plain = _SPACES.sub(" ", unicodedata.normalize("NFC", clean(text))).strip()
    return "{}".join(part.translate(_LETTERS) for part in _parts(plain))


def _parts(text: str) -> list[str]:
    """Return a text cut where LaTeX would join two letters into another sign."""
    cuts = [match.start() for match in _LIGATURES.finditer(text)]
    return [text[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(text)], strict=True)]


def place(key: str) -> str:
    """Return a key as the name of a place: letters, digits, points and hyphens.

    Examples
    --------
    >>> place("by_group.first language}")
    'by-group.first-language-'
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", key)


def _layout(table: PaperTable) -> tuple[str, str]:
    """Return the size of the letters and the columns: where lines would be too long, words have lines of their own."""
    columns = [(column.figures, width) for column, width in zip(table.columns, _widths(table), strict=True)]
    capped = [width if figures else min(width, SHORT) for figures, width in columns]
    size, room = next((each for each in SIZES if sum(capped) <= each[1]), SIZES[-1])
    long = [place for place, (figures, width) in enumerate(columns) if not figures and width > SHORT]
    wanted = sum(columns[place][1] for place in long)
    left = room - sum(width for place, width in enumerate(capped) if place not in long)
    if wanted <= left:
        return size, "".join("r" if figures else "l" for figures, _ in columns)
    share = {place: max(left * columns[place][1] / wanted, SHORT / 2) / room for place in long}
    return size, "".join(f">{{\\raggedright\\arraybackslash}}p{{{share[place]:.2f}\\linewidth}}" if place in share
                         else "r" if figures else "l" for place, (figures, _) in enumerate(columns))  # fmt: skip


def _widths(table: PaperTable) -> list[int]:
    """Return the letters of the longest line of each column, and the gap beside it."""
    rows = [row.cells for row in table.rows if not row.heading]
    return [max(map(len, (*_lines(column), *(cells[place].text for cells in rows)))) + 2
            for place, column in enumerate(table.columns)]  # fmt: skip


def _lines(column: PaperColumn) -> list[str]:
    """Return a heading in one line, or over figures in two that are about as long."""
    words = column.heading.split(" ")
    if not column.figures or len(column.heading) <= ONE_LINE or len(words) == 1:
        return [column.heading]
    halves = [(" ".join(words[:place]), " ".join(words[place:])) for place in range(1, len(words))]
    return list(min(halves, key=lambda lines: max(map(len, lines))))


def _heading(column: PaperColumn) -> str:
    lines = list(map(escaped, _lines(column)))
    joined = r" \\ ".join(lines)
    return joined if len(lines) == 1 else f"\\shortstack[r]{{{joined}}}"


def _row(row: PaperRow, columns: int) -> str:
    if row.heading:
        return f"\\multicolumn{{{columns}}}{{@{{}}l}}{{\\textbf{{{escaped(row.cells[0].text)}}}}} \\\\"
    return " & ".join(_cell(cell, strong=row.strong) for cell in row.cells) + r" \\"


def _cell(cell: PaperCell, *, strong: bool) -> str:
    text = escaped(cell.text)
    text = f"\\textbf{{{text}}}" if strong and text else text
    return f"{text}\\textsuperscript{{{escaped(cell.letter)}}}" if cell.letter else text


def _notes(table: PaperTable) -> list[str]:
    """Return the notes below a table: general ones in one paragraph, then those with letters."""
    lines = []
    if table.general:
        said = " ".join(map(escaped, table.general))
        lines.append(f"\\par\\medskip\\noindent\\footnotesize\\textit{{{escaped(table.note)}}} {said}")
    if table.specific:
        said = " ".join(f"\\textsuperscript{{{letter}}}~{escaped(reason)}." for letter, reason in table.specific)
        lines.append(f"\\par\\noindent\\footnotesize {said}")
    return lines
