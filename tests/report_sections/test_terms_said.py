"""What the sections on the data, on requirements and on methods say, of files of many shapes."""

import re
from collections.abc import Mapping
from functools import cache

import pandas as pd
import pytest
from cited_works import without_works
from holes import hole
from rated import evaluated, labels, on_six_points
from simulated import framed, simulated

from report_sections.criteria import Criteria
from report_sections.data import Data
from report_sections.provenance import Provenance
from reportgen.results import Evaluation
from reportgen.sections import Section
from reportgen.testing import example_evaluation, text_of

SECTIONS = (Data, Criteria, Provenance)


def drawn(n: int, *, raters: int = 2, groups: int = 0, low: int = 1, high: int = 6, seed: int = 5) -> pd.DataFrame:
    scores = simulated(n, seed, raters, mean=(low + high) / 2, sd=(high - low) / 5, ends=(low, high))
    frame = framed(scores, "human").clip(low, high)
    return frame.assign(first_language=[f"Language {place % groups}" for place in range(n)]) if groups else frame


def gaps() -> pd.DataFrame:
    data = drawn(90, groups=2).astype(object)
    data.loc[3:10, "engine"] = "I cannot score this response."
    data.loc[20:23, "engine"] = None
    data.loc[30:60, "human2"] = None
    data.loc[33:40, "human1"] = 0
    return data


@cache
def shapes() -> Mapping[str, Evaluation]:
    return {
        "example": example_evaluation(),
        "one rater": on_six_points(drawn(60, raters=1)),
        "three raters": on_six_points(drawn(60, raters=3)),
        "no groups, no scale": evaluated(drawn(60)),
        "many groups": on_six_points(drawn(900, groups=40), groups=["first_language"]),
        "withheld": on_six_points(drawn(65, groups=9), groups=["first_language"]),
        "five responses": on_six_points(drawn(5)),
        "half points": evaluated(drawn(80), scale="0:6:0.5"),
        "two categories": evaluated(labels(["fail", "pass"])),
        "no order": evaluated(labels(["letter", "story", "essay"]), labels="letter,story,essay", unordered=True),
        "gaps": on_six_points(gaps(), exclude_zero_scores=True),
        "test takers": evaluated(drawn(80).assign(person=[f"p{each // 2}" for each in range(80)]), candidate="person"),
    }


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize(
    "shape",
    ["example", "one rater", "three raters", "no groups, no scale", "many groups", "withheld", "five responses",
     "half points", "two categories", "no order", "gaps", "test takers"],
)  # fmt: skip
def test_every_sentence_is_complete(section: type[Section], shape: str) -> None:
    found = shapes()[shape]
    told = text_of(section(), found)
    own = set(found.warnings)
    for line in without_works(told.lines):
        if line.startswith("report.show(") or line in own:
            continue
        assert not hole(line), line
        assert re.search(r"[.?]$", line) or line.startswith("## ") or line == told.lines[0], line


@pytest.mark.parametrize(
    ("shape", "finding"),
    [
        ("example", "All 120 responses were evaluated, and two raters scored each one."),
        ("one rater", "All 60 responses were evaluated, each with one rating."),
        ("three raters", "All 60 responses were evaluated, and at least two raters scored each one."),
        ("gaps", "70 of 90 responses were evaluated; 47 of them have two ratings."),
    ],
)
def test_the_finding_shows_how_many_were_evaluated_and_scored_twice(shape: str, finding: str) -> None:
    found = shapes()[shape]
    assert text_of(Data(), found).finding == finding
    assert found.facts["responses_kept"] == int(re.search(r"(\d+)(?: of \d+)? responses", finding)[1])  # type: ignore[index]


@pytest.mark.parametrize(
    ("shape", "sentence"),
    [
        ("example", "Score scale: 1 to 5 in whole points, as declared by the user."),
        ("no groups, no scale", "in whole points, detected from the scores in the file. The full scale may be wider."),
        ("half points", "Score scale: 0 to 6 in steps of 0.5, as declared by the user."),
        ("two categories", "Means and differences treat them as numbers: “fail” = 0 and “pass” = 1."),
        ("no order", "The labels are “letter”, “story”, and “essay”. No label ranks above another."),
        ("many groups", "By first_language, there are 40 groups of 22 to 23 responses."),
        ("withheld", "Numbers based on fewer than 10 responses of a group are hidden, and so is any number from which"),
        ("gaps", "A human score of 0 is treated as “not scored”; such responses are excluded."),
        ("gaps", "words instead of a number. 8 of these entries look like an error message or a refusal to score."),
        ("test takers", "The responses come from 40 test takers."),
    ],
)
def test_the_data_are_described(shape: str, sentence: str) -> None:
    assert sentence in text_of(Data(), shapes()[shape])


def test_empty_parts_are_omitted() -> None:
    told = text_of(Data(), shapes()["one rater"])
    for words in ("excluded", "test taker", "group", "hidden", "flag", "score of 0", "rows", "not used"):
        assert words not in told.text.partition("\n## ")[2], words
