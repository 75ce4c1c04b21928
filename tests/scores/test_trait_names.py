"""Test that traits are identified by the names of their columns only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.scores.traits import NamedTraits, is_whole, named_traits

TEMPLATES = (
    "{trait}_human{n} {trait}_system", "{trait}_{n} {trait}_system", "human_{trait}_{n} machine_{trait}",
    "{trait}_h{n} {trait}_gpt4", "score_{trait}_rater{n} score_{trait}_system", "rater{n}_{trait} gpt-4o_{trait}",
    "score_rater{n}_{trait} score_system_{trait}", "{trait}.rater.{n} {trait}.engine", "{trait} {n} {trait} model",
    "{Trait}Human{n} {Trait}Machine",
)  # fmt: skip
TRAITS = ("ideas", "word choice", "voice", "grammar", "sentence_fluency", "content", "style", "clarity", "depth")
OTHERS = ("essay_id", "student", "prompt", "gender", "grade", "word_count", "essay_length", "text")


def _columns(template: str, trait: str, raters: int) -> tuple[list[str], str]:
    """Return the columns of ratings and of the engine of one trait."""
    words = {"trait": trait.replace(" ", "_"), "Trait": "".join(map(str.capitalize, trait.replace("_", " ").split()))}
    human, _, system = template.rpartition(" ") if template.count(" ") == 1 else template.partition(" {trait} m")
    system = system if template.count(" ") == 1 else "{trait} model"
    return [human.format(n=n, **words) for n in range(1, raters + 1)], system.format(**words)


@given(
    st.sampled_from(TEMPLATES),
    st.lists(st.sampled_from(TRAITS), min_size=2, max_size=6, unique=True),
    st.integers(1, 4),
    st.randoms(use_true_random=False),
)
def test_every_shape_is_recognized_in_any_order(template: str, traits: list[str], raters: int, random: object) -> None:
    wanted = {system: human for human, system in (_columns(template, trait, raters) for trait in traits)}
    names = [*OTHERS, *(name for system, human in wanted.items() for name in (*human, system))]
    random.shuffle(names)  # type: ignore[attr-defined]
    found = named_traits(names)
    assert isinstance(found, NamedTraits)
    assert {next(iter(each.systems.values())): list(each.human.values()) for each in found.traits} == wanted
    assert not found.unclear
    assert not found.incomplete


@pytest.mark.parametrize(
    "names",
    [
        "human1 human2 system",
        "h1 h2 gpt4_run1 gpt4_run2 claude3_run1 claude3_run2",
        "human_raw human_scaled machine_raw machine_scaled",
        "h1_time h2_time system_time h1 h2 system h1_length system_length",
        "score_1 score_2 system_1 system_2",
        "human_1 human_2 system_1 system_2",
        "annotator_01 annotator_02 gpt4_zero gpt4_few",
        "expert_1 expert_2 gpt4_a gpt4_b",
        "ideas_human1 ideas_human2 ideas_system",
        "ideas_system voice_system human1",
        "rater1_id rater2_id human1 human2 system",
        "hter_0 hter_1 hter_2 system",
        "",
    ],
)
def test_other_files_have_no_traits(names: str) -> None:
    assert named_traits(names.split()) is None


@pytest.mark.parametrize("template", ["{who} {trait} (x2)", "{trait}_{who}"])
def test_a_letter_beside_the_letter_of_people_is_an_engine(template: str) -> None:
    found = named_traits(
        [template.format(who=who, trait=trait) for who in "HM" for trait in ("Ideas", "Voice", "Total")]
    )
    assert isinstance(found, NamedTraits)
    assert [len(each.human) == len(each.systems) == 1 for each in found.traits] == [True] * 3


def test_traits_in_the_last_key_of_nested_scores_belong_together() -> None:
    keys = [f"expert annotations {n}" for n in (1, 2)] + ["metric_scores_1.g_eval"]
    found = named_traits([f"{key}.{trait}" for key in keys for trait in ("fluency", "relevance")])
    assert isinstance(found, NamedTraits)
    assert [(each.name, len(each.human), len(each.systems)) for each in found.traits] == [
        ("fluency", 2, 1), ("relevance", 2, 1),
    ]  # fmt: skip


def test_plain_columns_next_to_engine_columns_are_ratings() -> None:
    found = named_traits(["Cohesion", "Cohesion_pred", "Syntax", "Syntax_pred"])
    assert isinstance(found, NamedTraits)
    assert [(each.name, *each.human.values()) for each in found.traits] == [(n, n) for n in ("Cohesion", "Syntax")]


@pytest.mark.parametrize("number", ["1", "2.1"])
@pytest.mark.parametrize("engine", ["AI-assisted suggestion", "AI score", "Autograder"])
@pytest.mark.parametrize("title", ["Short answer", "Photosynthesis"])
def test_questions_are_paired_by_number_whatever_their_titles(title: str, engine: str, number: str) -> None:
    names = [f"{number}: {title} (4.0 pts)", f"{number}: {engine} (4.0 pts)", "3: Short answer (6.0 pts)"]
    found = named_traits([*names, f"3: {engine} (6.0 pts)", "Total Score", "Lateness (H:M:S)"])
    assert isinstance(found, NamedTraits)
    assert [[*each.human.values(), *each.systems.values()] for each in found.traits] == [
        names[:2], [names[2], f"3: {engine} (6.0 pts)"]
    ]  # fmt: skip
    assert not found.unclear
    assert not found.incomplete


@pytest.mark.parametrize(
    "names",
    [
        "ideas_anna ideas_ben ideas_system voice_anna voice_ben voice_system",
        "hum1_dev hum2_dev ai_dev hum1_org hum2_org ai_org",
        "M1_S1 M1_S2 M1_AI M2_S1 M2_S2 M2_AI",
        "Q1_human1 Q1_human2 Q1_ai Q2_human1 Q2_human2 Q2_ai",
        "item1_teacher item1_teacher2 item1_ai item2_teacher item2_teacher2 item2_ai",
        "T1-h1 T1-h2 T1-ai T2-h1 T2-h2 T2-ai",
        "rater1_c1 rater2_c1 engine_c1 rater1_c2 rater2_c2 engine_c2",
        "human1.task1 human2.task1 llm.task1 human1.task2 human2.task2 llm.task2",
        "h1_Band h2_Band SpeechRater_Band h1_LR h2_LR SpeechRater_LR",
        "h1.TA h2.TA gpt4.TA h1.ta_2 h2.ta_2 gpt4.ta_2",
        "expert1_fluency expert2_fluency fluency expert1_logic expert2_logic logic",
    ],
)
def test_ratings_of_every_trait_or_item_are_paired_with_its_engine(names: str) -> None:
    found = named_traits(names.split())
    assert isinstance(found, NamedTraits)
    assert [[*each.human.values(), *each.systems.values()] for each in found.traits] == [
        names.split()[:3], names.split()[3:]
    ]  # fmt: skip
    assert not found.unclear


@pytest.mark.parametrize(
    ("names", "unclear"),
    [
        ("ideas_anna ideas_ben ideas_system voice_anna voice_system", "ideas_anna ideas_ben voice_anna"),
        ("ideas_1 ideas_2 ideas ideas_system voice_1 voice_2 voice voice_system", "ideas voice"),
        ("ideas_human1 human1_ideas ideas_system voice_human1 voice_system", "ideas_human1"),
        ("ideas_1 ideas_score_1 ideas_system voice_1 voice_system", "ideas_score_1"),
        ("ideas ideas_score ideas_system voice voice_system", "ideas_score"),
    ],
)
def test_unclear_names_are_reported(names: str, unclear: str) -> None:
    found = named_traits(names.split())
    assert isinstance(found, NamedTraits)
    assert sorted(found.unclear) == unclear.split()


def test_scores_of_the_whole_response_are_a_separate_trait() -> None:
    found = named_traits(["human1", "system", "a_human1", "a_system", "b_human1", "b_system", "c_human1"])
    assert isinstance(found, NamedTraits)
    assert [each.name for each in found.traits] == ["a", "b", "overall"]
    assert found.incomplete == ("c",)
    assert [is_whole(each.name) for each in found.traits] == [False, False, True]


def test_ratings_of_traits_without_an_engine_are_detected() -> None:
    for names in ("a_h1 a_h2 b_h1 b_h2 id", "a_1 a_2 b_1 b_2 prompt_1 prompt_2"):
        found = named_traits(names.split())
        assert found is not None
        assert [each.name for each in found.traits] == ["a", "b"]
    assert not any(named_traits(each.split()) for each in ("a_h1 b_h1", "a_h1 a_h2 b_h1", "a_h1 a_h2 b_h1 b_h2 system"))


def test_the_word_for_engines_before_the_number_of_a_question_makes_it_the_engines() -> None:
    found = named_traits(
        ["1: Thesis (4.0 pts)", "2: Style (2.0 pts)", "AI 1: Thesis (4.0 pts)", "AI 2: Style (2.0 pts)"]
    )
    assert isinstance(found, NamedTraits)
    assert [[*each.human.values(), *each.systems.values()] for each in found.traits] == [
        ["1: Thesis (4.0 pts)", "AI 1: Thesis (4.0 pts)"], ["2: Style (2.0 pts)", "AI 2: Style (2.0 pts)"]
    ]  # fmt: skip


def test_letters_number_raters_of_a_trait_and_e_rater_is_an_engine() -> None:
    names = [f"{who} {trait}" for trait in ("Content", "Style") for who in ("Rater A -", "Rater B -", "e-rater")]
    found = named_traits(names)
    assert isinstance(found, NamedTraits)
    assert [[*each.human.values(), *each.systems.values()] for each in found.traits] == [names[:3], names[3:]]
