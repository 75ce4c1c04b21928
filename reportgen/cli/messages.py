"""Print what a run wrote and decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.cli.printing import first, say
from reportgen.results import WORST_FIRST, Term
from reportgen.wording.names import capital
from reportgen.wording.vocabulary import Vocabulary

if TYPE_CHECKING:
    from reportgen.results import Report, Verdict

PAGES = ("report.html", "report.pdf", "report.docx", "brief.pdf", "results.json")  # files whose paths are printed


def say_written(folder: Path, prefix: str = "") -> None:
    """Print the paths of a report; file names start with `prefix`."""
    paths = (folder / f"{prefix}{name}" for name in PAGES)
    files = [str(path) for path in paths if path.is_file()]
    say([("report" if index == 0 else "", file) for index, file in enumerate(files)])


def say_to_read(pages: Sequence[Path]) -> None:
    """Print the paths of the responses to read, and which to keep apart."""
    if pages:
        words = Vocabulary()
        label, apart = words.say(Term("told_to_read")), words.say(Term("told_keep_apart"))
        say([*((label if index == 0 else "", str(page)) for index, page in enumerate(pages)), ("", apart)])


def say_headline(report: Report) -> None:
    """Print the first finding of a comparison or summary."""
    from reportgen.rendering.notebook import first_finding

    found = first_finding(report)
    say([("result", found)] if found else [])


def say_decisions(decisions: Sequence[str]) -> None:
    """Print how many reports have each decision, the most frequent first."""
    word = Vocabulary().phrases("decision").answer_word
    counted = Counter(word(decision) for decision in decisions if decision).most_common()
    say([("results", ", ".join(f"{n:,} {answer}" for answer, n in counted))] if counted else [])


def say_verdict(verdict: Verdict, system: str = "", *, briefly: bool = False) -> None:
    """Print a verdict and, unless `briefly`, the requirements that are not met or undecided."""
    words = Vocabulary()
    decision, said = words.phrases("decision"), words.phrases("say")
    lines = [("result", (f"{system}: " if system else "") + decision.verdict(verdict))]
    for outcome in WORST_FIRST[:-1]:
        found = [] if briefly else verdict.of(outcome)
        label = said.outcome(found[0]) if found else ""
        texts = ((str if check.column else capital)(decision.check(check)) for check in found)
        lines += first(label, texts, "requirement")
    say(lines)


def say_remark(label: str, remark: str) -> None:
    """Print a remark, if there is one."""
    say([(label, remark)] if remark else [])
