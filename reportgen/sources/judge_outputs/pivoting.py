"""Outputs of judges, one at a time, as one row per response: a column per judge, further ones for its runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reportgen.errors import InputError


class Output(NamedTuple):
    """One output: which response it is about, which judge gave it, and its score as text."""

    response: str
    judge: str
    score: str | None


def judged(outputs: Iterable[Output], responses: Mapping[str, Mapping[str, str | None]]) -> list[dict[str, str | None]]:
    """Return one row per response: what is known of it, then the score of every judge and of its further runs.

    Parameters
    ----------
    outputs
        In the order of their runs.
    responses
        Response -> its other columns; a column with the name of a judge is refused.

    Raises
    ------
    InputError
        A judge and a column of the responses have one name.

    Examples
    --------
    >>> outputs = [Output("a", "gpt", "3"), Output("a", "gpt", "4"), Output("b", "gpt", "2")]
    >>> judged(outputs, {"a": {"human": "3"}, "b": {"human": "2"}})
    [{'human': '3', 'gpt': '3', 'gpt run 2': '4'}, {'human': '2', 'gpt': '2'}]
    """
    rows: dict[str, dict[str, str | None]] = {response: dict(known) for response, known in responses.items()}
    count: dict[tuple[str, str], int] = {}
    for output in outputs:
        run = count[output.response, output.judge] = count.get((output.response, output.judge), 0) + 1
        name = output.judge if run == 1 else f"{output.judge} run {run}"
        row = rows[output.response]
        if name in row:
            raise InputError(f"'{name[:60]}' is the name of a judge and of a variable; rename the variable.")
        row[name] = output.score
    return list(rows.values())
