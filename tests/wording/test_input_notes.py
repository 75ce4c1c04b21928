"""Test that reports word input notes without command options."""

import re
import tomllib

import pandas as pd
import pytest
from simulated import evaluation_of

from report_sections.data import Data
from reportgen.policies import load_policy, shipped_policies
from reportgen.testing import text_of
from reportgen.wording.vocabulary import TEMPLATES, Vocabulary

TEXTS = tomllib.loads((TEMPLATES / "words" / "input_notes.toml").read_text(encoding="utf-8"))["texts"]
WORDS = Vocabulary()
PART = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("told", TEXTS)
def test_report_note_has_all_parts_and_no_options(told: str) -> None:
    values = {name: f"part{place}" for place, name in enumerate(PART.findall(told))}
    shown = WORDS.say(PART.sub(lambda part: values[part[1]], told))
    assert shown == PART.sub(lambda part: values[part[1]], TEXTS[told])
    assert not re.search(r"--\w|exclude_zero|_", shown)
    assert shown.endswith(".")


def test_file_warnings_have_report_words() -> None:
    rows = [{"human1": n % 4, "human2": n % 4, "engine": n % 4 + 0.1, "prompt": f"p{n % 2}"} for n in range(60)]
    found = evaluation_of(pd.DataFrame(rows), system="engine", human=["human1", "human2"])
    assert any("--exclude-zero-scores" in each for each in found.warnings)
    told = text_of(Data(), found)
    assert "15 human scores are 0 and are used as scores." in told.annex or "30 human scores are 0" in told.annex
    assert "The column “prompt” contains items. They are not compared as groups." in told.annex
    assert not re.search(r"--\w|exclude_zero", told.words)


def test_policy_texts_have_report_words() -> None:
    texts = tomllib.loads((TEMPLATES / "words" / "policies.toml").read_text(encoding="utf-8"))["texts"]
    for name in shipped_policies():
        policy = load_policy(name)
        held = [policy.description]
        for criterion in policy.criteria:
            held += [criterion.source_in_words, *(band.meaning for band in criterion.bands)]
        assert [text for text in held if text and text not in texts] == []
