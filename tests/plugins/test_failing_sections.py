"""A section that misbehaves is told in its place and stops no other."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from reportgen.reports.single import section_results
from reportgen.sections import Evaluation, Findings, Found, Section
from reportgen.testing import example_evaluation


def leave() -> Findings:
    raise SystemExit(0)


def wrong_type() -> Any:
    return 3


def not_storable() -> Findings:
    return Findings(values={"answer": object()})


def not_a_table() -> Any:
    return Findings(tables=("abc",))  # type: ignore[arg-type]


@pytest.mark.parametrize("misbehave", [leave, wrong_type, not_storable, not_a_table])
def test_its_place_says_what_went_wrong(misbehave: Callable[[], Findings]) -> None:
    @dataclass(frozen=True)
    class Misbehaving(Section):
        name: ClassVar[str] = "misbehaving"
        title: ClassVar[str] = "Misbehaving"

        def findings(self, evaluation: Evaluation) -> Findings:
            return misbehave()

    (result,) = section_results([Found(Misbehaving(), "a test")], example_evaluation())
    assert result.error
    assert result.findings == Findings()
