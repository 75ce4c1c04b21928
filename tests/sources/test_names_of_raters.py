"""Names of models, of people, and patterns of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.sources.column_names import engines_among, kind_of, matched, may_name_engine, names_engine, pattern_of

MODELS = [
    *("gpt", "chatgpt_few", "gemini_flash", "claude_sonnet", "sonnet", "opus", "haiku", "o1", "o3", "o4-mini"),
    *("phi_mini", "command-r", "llama", "mistral", "mixtral", "qwen", "deepseek", "grok", "jurassic", "t5", "erater"),
    *("e-rater", "E-Rater", "intellimetric", "gpt4o", "gpt-4o-mini", "claude-3.5-Sonnet", "bert-base", "roberta_large"),
    *("LLaMA-2", "DeepSeek-R1", "flan_t5", "nova-pro", "phi3", "Qwen2.5-7B", "chatgpt_lenient_run3"),
]
PEOPLE = [
    *("Anna", "Bob", "Chen", "R17", "annotator_01", "expert_b", "teacher", "17", "O'Brien", "T1", "r1", "Robert"),
    *("Albertine", "Phil", "Novak", "Rosa_2", "rater2", "x"),
]
OTHERS = ["gpt2_perplexity", "bert_score", "gpt_explanation", "llama_tokens", "gemini_cost", "human_gpt_difference"]


@pytest.mark.parametrize("name", MODELS)
def test_names_of_models_are_recognized_with_and_without_a_number(name: str) -> None:
    assert names_engine(name)
    assert names_engine(name.upper())


@pytest.mark.parametrize("name", [*PEOPLE, *OTHERS])
def test_names_of_people_and_measurements_are_not_models(name: str) -> None:
    assert not names_engine(name)


@pytest.mark.parametrize("name", ["Claude", "Bert", "Roberta", "Gemma", "Nova", "Claude_Monet", "Ernie", "Yi"])
def test_names_of_models_and_people_are_ambiguous(name: str) -> None:
    assert may_name_engine(name)
    assert not names_engine(name)


def test_a_letter_and_a_number_in_a_series_is_a_rater() -> None:
    assert engines_among(["O1", "O2", "O3"]) == ()
    assert engines_among([f"T{number}" for number in range(1, 9)]) == ()
    assert engines_among(["o1", "o3", "R1"]) == ("o1", "o3")


@given(st.integers(0, 999), st.sampled_from(["annotator_{:02d}", "R{}", "expert-{}", "Rater {}", "alpha_{}", "{}"]))
def test_renaming_within_a_pattern_keeps_the_kind(number: int, pattern: str) -> None:
    assert kind_of(pattern.format(number)) == kind_of(pattern.format(7))


@given(st.lists(st.text("abR_19", min_size=1, max_size=6), min_size=1, max_size=6, unique=True), st.integers(0, 6))
def test_a_proposed_pattern_separates_the_two_sides(names: list[str], size: int) -> None:
    own, others = names[:size], names[size:]
    pattern = pattern_of(own, others)
    if pattern:
        assert matched(pattern, names) == own
