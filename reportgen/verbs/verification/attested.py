"""Whether the files of a report, and its verdict, are those that were attested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from reportgen.errors import InputError, shortened
from reportgen.gates.statement import MOST_BYTES, Statement, predicate, read_statement
from reportgen.storing.folder_contents import content_at, place_of, sha256_at
from reportgen.storing.report_folder import ATTESTATION
from reportgen.verbs.attesting import borne_out, configuration
from reportgen.verbs.verification.answers import Answer
from reportgen.verbs.verification.stored import Stored


def of_attestation(stored: Stored) -> Iterator[Answer]:
    """Yield whether files and verdict are those that were attested, and which files are not spoken of.

    Raises
    ------
    InputError
        The attestation is none, or names files that no report has.
    """
    return iter(tuple(_answers(stored)))


def _answers(stored: Stored) -> Iterator[Answer]:
    place = PurePosixPath(f"{stored.prefix}{ATTESTATION}")
    content = content_at(stored.folder, place, MOST_BYTES)
    if content is None:
        yield Answer(str(place), "cannot be told", "there is none; reportgen attest writes one")
        return
    try:
        statement = read_statement(content)
        places = {name: place_of(name) for name in statement.subjects}
    except ValueError as error:
        what = shortened(error) if len(error.args) == 1 else error
        raise InputError(f"'{stored.folder / place}' is no attestation of a report: {what}.") from None
    wrong = list(_other_files(stored, statement, places)) or list(_other_verdict(stored, statement))
    if wrong:
        yield Answer(str(place), "differs", wrong[0] + (f"; first of {len(wrong)}" if len(wrong) > 1 else ""))
    else:
        said = f"{len(places)} files and the verdict {statement.predicate['result']} are those attested"
        yield Answer(str(place), "belongs", said)
    unspoken = [name for name in stored.names if name not in places]
    if unspoken:
        more = f" and {len(unspoken) - 1} more" if len(unspoken) > 1 else ""
        yield Answer(unspoken[0] + more, "cannot be told", "the attestation does not speak of it")


def _other_files(stored: Stored, statement: Statement, places: Mapping[str, PurePosixPath]) -> Iterator[str]:
    """Yield which attested files are missing or have changed, and that the results are not among them."""
    if stored.results.name not in places:
        yield f"it does not speak of {stored.results.name}"
    for name, sha256 in statement.subjects.items():
        found = sha256_at(stored.folder, places[name])
        if found != sha256:
            yield f"{name} is missing" if found is None else f"{name} has changed since"


def _other_verdict(stored: Stored, statement: Statement) -> Iterator[str]:
    """Yield in what the attested verdict is not that of the results."""
    try:
        verdict = borne_out(stored.report, stored.results)
    except InputError as error:
        yield str(error).rstrip(".")
        return
    now = predicate(verdict, configuration(stored.evaluation, statement.subjects, stored.prefix))
    for key, said in now.items():
        attested = statement.predicate[key]
        if key == "configuration":
            if _digests(attested) != _digests(said):
                yield "its configuration, policy or data have other hashes than the results tell"
        elif attested != said:
            yield (
                f"its {key} are not those of the results"
                if isinstance(said, list)
                else f"it says {attested}, the results {said}"
            )


def _digests(configuration: list[Mapping[str, Any]]) -> list[Any]:
    """Return the hashes of resource descriptors."""
    return [each.get("digest") for each in configuration]
