"""What reports of many designs say agrees with their own tables, and supposes no design but theirs."""

import pytest
from claim_rules import RULES
from claims import contradictions, pages_of
from situations import SITUATIONS


@pytest.mark.parametrize("name", SITUATIONS)
def test_no_sentence_contradicts_the_tables(name: str) -> None:
    found = [each for page in pages_of(SITUATIONS[name]()) for each in contradictions(page, RULES)]
    assert not found, "change these sentences, or a rule in tests/reports/claim_rules.py:\n" + "\n".join(found)
