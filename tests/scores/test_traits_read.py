"""Test that a file with multiple traits is read trait by trait in any layout, or raises a question."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from trait_files import NAMES, long, on_points, ratings, shuffled, wide

from reportgen.errors import InputError, QuestionError, SettingsError
from reportgen.evaluation.traits import NO_IDS, NO_SHARED, NOT_TWICE, Together, traits_together
from reportgen.results import Estimate
from reportgen.scores.reading import opened
from reportgen.scores.traits import Traits, traits_in
from reportgen.settings import from_keywords

PLANTED = on_points()


def found(source: Any, **settings: Any) -> Traits | None:
    return traits_in(opened(source, from_keywords(**settings)))


def there(source: Any, **settings: Any) -> Traits:
    traits = found(source, **settings)
    assert traits is not None
    return traits


def together(traits: Traits, least: int = 10) -> Together:
    names, weights = zip(*((part.name, part.weight) for part in traits.parts), strict=True)
    return traits_together(
        [part.read() for part in traits.parts], names, weights, 0.95, by_row=traits.in_columns, least=least
    )


def numbers(traits: Traits) -> list[float]:
    """Return every number that traits say together."""
    said = together(traits)
    cells = [cell for table in said.tables for row in table.rows for cell in row.cells]
    estimates = [*said.estimates.values(), *(cell for cell in cells if isinstance(cell, Estimate))]
    return [number or 0.0 for each in estimates for number in (each.value, each.low, each.high, each.n)]


EXPECTED = numbers(there(pa.table(wide(PLANTED))))


@pytest.mark.parametrize("layout", [wide, long, ratings])
def test_layouts_give_the_same_result(layout: Any) -> None:
    traits = there(pa.table(layout(PLANTED)))
    assert [part.name for part in traits.parts] == list(NAMES)
    assert numbers(traits) == pytest.approx(EXPECTED, rel=1e-9)


@pytest.mark.slow
@examples(deadline=None, max_examples=15)
@given(st.sampled_from([wide, long, ratings]), st.integers(0, 10**6))
def test_the_order_of_rows_and_columns_does_not_matter(layout: Any, seed: int) -> None:
    assert numbers(there(shuffled(layout(PLANTED), seed))) == pytest.approx(EXPECTED, rel=1e-9)


def test_a_trait_is_read_without_the_columns_of_others() -> None:
    scores = there(pa.table(wide(PLANTED))).only("voice").read()
    assert scores.columns("system") == ("voice_system",)
    assert scores.raters == ("voice_human1", "voice_human2")
    assert scores.columns("group") == ("gender",)
    assert not scores.left_out


def test_all_rows_of_a_long_file_sorted_by_trait_are_examined() -> None:
    """The first rows contain a single trait."""
    n = 10_500
    columns = {
        "trait": ["a"] * n + ["b"] * n, "id": [*range(n), *range(n)], "human": [1, 2, 3] * (2 * n // 3),
        "system": [1.2, 2.1, 3.3] * (2 * n // 3),
    }  # fmt: skip
    assert [part.name for part in there(pa.table(columns)).parts] == ["a", "b"]


def test_numbers_name_traits_only_if_ids_repeat() -> None:
    table = long(PLANTED)
    table["trait"] = [NAMES.index(name) for name in table["trait"]]
    assert [part.name for part in there(pa.table(table)).parts] == ["0", "1", "2"]
    table["id"] = list(range(len(table["id"])))
    assert found(pa.table(table)) is None


@pytest.mark.parametrize(
    ("layout", "settings"),
    [
        (wide, {"trait_column": ""}),
        (wide, {"system": "ideas_system", "human": ["ideas_human1"]}),
        (wide, {"human": ["ideas_human1"]}),
        (wide, {"systems": ["ideas_system", "voice_system"]}),
        (long, {"trait_column": ""}),
        (long, {"groups": ["trait"]}),
        (long, {"item": "trait"}),
    ],
)
def test_traits_are_not_detected_if_columns_are_named(layout: Any, settings: dict[str, Any]) -> None:
    assert found(pa.table(layout(PLANTED)), **settings) is None


def test_other_files_have_no_traits() -> None:
    assert found(pa.table({"id": [1, 2, 3], "h1": [1, 2, 3], "h2": [1, 2, 2], "system": [1.1, 2.2, 3.1]})) is None


def test_declared_traits_have_scales_and_weights() -> None:
    declared = [
        {"name": "A", "human": ["ideas_human1", "ideas_human2"], "system": "voice_system", "scale": "1:6", "weight": 2},
        {"name": "B", "human": "voice_human1", "system": "ideas_system"},
    ]
    traits = there(pa.table(wide(PLANTED)), traits=declared, scale="0:7")
    scores = [part.read() for part in traits.parts]
    assert [(part.name, part.weight) for part in traits.parts] == [("A", 2), ("B", 1)]
    assert [(each.scale.low, each.scale.high, each.scale.assumed) for each in scores] == [(1, 6, False), (0, 7, False)]
    assert scores[0].columns("system") == ("voice_system",)


def test_declared_traits_of_a_column_are_the_only_ones() -> None:
    declared = [{"name": "voice", "weight": 3}, {"name": "ideas", "scale": "1:6"}]
    traits = there(pa.table(long(PLANTED)), traits=declared)
    assert {part.name: part.weight for part in traits.parts} == {"voice": 3, "ideas": 1}
    assert "'organization'" in traits.notes[-1]
    assert not traits.only("ideas").read().scale.assumed


def test_detected_settings_reproduce_the_traits() -> None:
    for layout in (wide, long, ratings):
        table = pa.table(layout(PLANTED))
        first = there(table)
        again = traits_in(opened(table, first.settings))
        assert again is not None
        assert numbers(again) == EXPECTED or numbers(again) == pytest.approx(EXPECTED, rel=1e-9)
        if first.in_columns:
            voice = first.only("voice")
            kept = traits_in(opened(table, voice.settings))
            assert kept is not None
            assert kept.only("voice").read().system.tolist() == voice.read().system.tolist()


def test_one_of_multiple_engines_can_be_named() -> None:
    table = wide(PLANTED)
    table |= {f"{name}_gpt4": table[f"{name}_system"] for name in NAMES}
    with pytest.raises(SettingsError, match=r"the engines 'gpt4' and 'system'. Which engine should be evaluated"):
        found(pa.table(table))
    assert there(pa.table(table), system="gpt4").only("ideas").read().columns("system") == ("ideas_gpt4",)


@pytest.mark.parametrize(
    ("change", "settings", "said"),
    [
        ({}, {"trait": "tone"}, "trait 'tone' does not exist"),
        ({}, {"trait": "idea"}, "did you mean 'ideas'"),
        (
            {name: [1, 2] * 40 for name in NAMES},
            {},
            "it is unclear which trait 'ideas', 'organization', and 1 more rate",
        ),
        ({}, {"traits": [{"name": "A", "human": "x", "system": "ideas_system"}]}, "column 'x' does not exist"),
        ({}, {"traits": [{"name": "A"}]}, "no trait column was found"),
        ({}, {"trait_column": "traits"}, "column 'traits' does not exist"),
        ({"trait": ["a", "b"] * 40, "aspect": ["c", "d"] * 40}, {}, "the traits could be in"),
    ],
)
def test_unclear_traits_raise_a_question(change: dict[str, Any], settings: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError) as error:
        there(pa.table(wide(PLANTED) | change), **settings).only(settings["trait"])
    assert said in str(error.value)
    assert len(str(error.value)) <= error.value.longest


def test_naming_a_trait_without_traits_is_an_error() -> None:
    with pytest.raises(SettingsError, match="no traits were found"):
        found(pa.table({"id": [1, 2], "human": [1, 2], "system": [1.0, 2.0]}), trait="ideas")


@pytest.mark.parametrize(
    ("traits", "said"),
    [
        ([{"name": "a"}, {"name": "a"}], "'a' occurs twice"),
        ([{"name": "a", "human": "h"}], "set both human and system"),
        ([{"name": "a", "human": "h", "system": "s"}, {"name": "b"}], "for every trait, or for none"),
        ([{"name": "a", "weight": 0}], "a weight above 0"),
        ([{"name": "a", "weight": -1}], "weight"),
    ],
)
def test_declarations_that_do_not_fit_are_errors(traits: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        from_keywords(traits=traits)


def test_scores_of_the_whole_response_have_no_weight() -> None:
    table = wide(PLANTED)
    table |= {"human1": table["ideas_human1"], "system": table["ideas_system"]}
    traits = there(pa.table(table))
    assert {part.name: part.weight for part in traits.parts} == {"overall": 0} | dict.fromkeys(NAMES, 1)
    assert any("'overall': a score of the whole response" in sentence for sentence in traits.notes)


def test_an_unreadable_trait_is_reported_and_others_are_read() -> None:
    blank = wide(PLANTED) | {f"voice_human{n}": [None] * 80 for n in (1, 2)}
    traits, tables = there(pa.table(blank)).read()
    assert [part.name for part in traits.parts] == ["ideas", "organization"]
    assert len(tables) == 2
    assert traits.notes[-1].startswith("Not evaluated: trait 'voice': column '")
    blank |= {f"ideas_human{n}": [None] * 80 for n in (1, 2)}
    with pytest.raises(InputError, match="trait 'ideas'"):
        there(pa.table(blank)).read()


def test_ratings_of_traits_without_an_engine_raise_a_question() -> None:
    table = {name: cells for name, cells in wide(PLANTED).items() if "system" not in name}
    with pytest.raises(SettingsError, match=r"scored the traits 'ideas', .*but no engine did"):
        found(pa.table(table))
    assert found(pa.table(table), human=["ideas_human1"]) is None
    assert found(pa.table(table), trait_column="") is None


def test_rows_with_ratings_only_require_one_trait() -> None:
    table = pa.table(ratings(PLANTED)).filter(pc.field("rater") != "gpt-4o")
    with pytest.raises(SettingsError, match=r"a raters-only report covers one trait; .* only = \{"):
        there(table).read()


def test_rows_of_traits_without_an_engine_raise_the_question_which_column_is_one() -> None:
    table = {name: each for name, each in long(PLANTED).items() if name != "system"}
    first = next(name for name in table if name.startswith("h"))
    table["grader_score"] = [*table[first][1:], table[first][0]]
    table["expert_score"] = table.pop(first)
    with pytest.raises(QuestionError, match="Are all scores human ratings") as asked:
        there(pa.table(table))
    assert asked.value.choices[0][1][-2:] == ("--system", "grader_score")


def test_results_for_all_traits_have_a_reason_if_missing() -> None:
    table = long(PLANTED)
    del table["id"]
    assert together(there(pa.table(table))).reason == NO_IDS
    table["id"] = list(range(len(table["trait"])))
    assert together(there(pa.table(table))).reason == NO_SHARED
    table = wide(PLANTED)
    table |= {f"{name}_human2": [None] * 80 for name in NAMES}
    assert together(there(pa.table(table))).reason == NOT_TWICE
    few = together(there(pa.table(wide(PLANTED))), least=41)
    assert few.reason == "only 40 responses were scored twice by raters who scored every trait"
    assert not few.tables
    assert not few.estimates


@pytest.mark.parametrize("layout", [wide, long, ratings])
def test_copies_of_rows_count_once(layout: Any) -> None:
    whole = pa.table(layout(PLANTED))
    once, twice = (there(pa.concat_tables([whole] * times)).parts[0].read() for times in (1, 2))
    assert once.kept == twice.kept
    assert any("once" in each for each in twice.warnings)


def test_traits_of_rated_systems_raise_a_question_on_the_trait() -> None:
    ratings = {f"{trait} {i}": [(k + i) % 3 for k in range(40)] for trait in ("Engaging", "Relevant") for i in (1, 2)}
    table = pa.table({"system": ["Meena", "Mitsuku"] * 20, **ratings})
    with pytest.raises(QuestionError, match=r"the traits .*, but no engine did") as asked:
        traits_in(opened(table, from_keywords()))
    assert asked.value.choices[0][1] == ("--ratings-only", "--human", "Engaging 1", "--human", "Engaging 2")


def test_ratings_in_rows_of_traits_need_no_known_name_of_the_id() -> None:
    rows = [(f"s{i}", trait, who, (i * 3 + k) % 5 + (who == "ann2") * (i % 3 == 0)) for i in range(30)
        for k, trait in enumerate(("fluency", "relevance")) for who in ("ann1", "ann2", "G-Eval")]  # fmt: skip
    table = pa.table(dict(zip(("summary_id", "dimension", "annotator", "score"), zip(*rows, strict=True), strict=True)))
    found = traits_in(opened(table, from_keywords()))
    assert found is not None
    assert [part.read().columns("system") for part in found.parts] == [("G-Eval",)] * 2


def test_traits_of_different_engines_raise_a_question() -> None:
    table = {name.replace("voice_system", "voice_gpt4"): cells for name, cells in wide(PLANTED).items()}
    with pytest.raises(QuestionError, match="no engine scored all 3 traits") as asked:
        found(pa.table(table))
    human = ("--human", "ideas_human1", "--human", "ideas_human2")
    assert asked.value.choices[0] == ("evaluate 'ideas'", (*human, "--system", "ideas_system"))
