"""Judge outputs in the formats of promptfoo, Inspect and MLflow, made of one small set of scores.

Twelve essays, two raters, a judge whose scores are known; files have the keys that the tools write.
"""

import csv
import functools
import json
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

IDS = [f"essay-{i:02d}" for i in range(12)]
H1 = [1, 2, 3, 4, 2, 3, 4, 1, 2, 3, 3, 4]
H2 = [1, 2, 3, 3, 2, 3, 4, 2, 2, 3, 4, 4]
JUDGE = [1, 2, 3, 4, 3, 3, 4, 1, 2, 2, 3, 4]
SECOND_RUN = [1, 2, 3, 4, 2, 3, 4, 2, 2, 3, 3, 4]
REFUSAL = "I'm sorry, I cannot score this essay."
FIXTURES = Path(__file__).parent / "judges" / "judge_fixtures"


def written(content: Any, path: Path) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def promptfoo_judges(path: Path, *, repeat: int = 1, providers: tuple[str, ...] = ("openai:gpt-4o-mini",)) -> Path:
    """A judge prompt run by promptfoo: outputs are the scores, humans are variables."""
    runs = [JUDGE, SECOND_RUN][:repeat]
    results: list[dict[str, Any]] = []
    test = 0
    for i, essay in enumerate(IDS):
        for scores in runs:
            for place, provider in enumerate(providers):
                output = REFUSAL if i == 11 and place == 0 and scores is JUDGE else str(scores[i])
                variables = {"essay_id": essay, "essay": f"Text {i}.", "human1": H1[i], "human2": H2[i]}
                results.append(
                    {
                        "cost": 0.0001, "error": None, "failureReason": 0, "gradingResult": None,
                        "id": f"{test:08d}-0000-4000-8000-{place:012d}", "latencyMs": 700, "namedScores": {},
                        "prompt": {"raw": f"Score: Text {i}.", "label": "Score: {{essay}}"}, "promptId": "c0ffee",
                        "promptIdx": place, "provider": {"id": provider, "label": ""},
                        "response": {"output": output, "tokenUsage": {"total": 90, "prompt": 89, "completion": 1}},
                        "score": 1, "success": True, "testCase": {"vars": variables, "assert": []},
                        "testIdx": test, "vars": variables, "metadata": {},
                    }
                )  # fmt: skip
            test += 1
    results.reverse()  # promptfoo writes results as they finish
    return _promptfoo(path, results)


def promptfoo_rubric(path: Path, *, second_rubric: bool = False, rated: bool = True) -> Path:
    """An llm-rubric scores outputs; a person rated them in the viewer, which replaces the total score."""
    results = []
    for i in range(12):
        rubric = {"type": "llm-rubric", "value": "is helpful"}
        components: list[dict[str, Any]] = [
            {"pass": True, "score": 1, "reason": "ok", "assertion": {"type": "contains", "value": "."}},
            {"pass": JUDGE[i] > 2, "score": (JUDGE[i] - 1) / 3, "reason": "r", "assertion": rubric},
        ]
        if second_rubric:
            components.append({"pass": True, "score": 1, "reason": "r", "assertion": {**rubric, "metric": "tone"}})
        if rated:
            human = {
                "pass": H1[i] > 2,
                "score": int(H1[i] > 2),
                "reason": "Manual result",
                "assertion": {"type": "human"},
            }
            components.append(human)
        grading = {"pass": H1[i] > 2, "score": int(H1[i] > 2), "reason": "", "componentResults": components}
        results.append(
            {
                "gradingResult": grading, "id": str(i), "namedScores": {}, "testIdx": i, "promptIdx": 0,
                "prompt": {"raw": f"Answer question {i}", "label": "answer"}, "provider": {"id": "openai:gpt-4o"},
                "response": {"output": f"An answer, number {i}."}, "score": int(H1[i] > 2), "success": H1[i] > 2,
                "testCase": {"vars": {"question": f"What is {i}?"}}, "vars": {"question": f"What is {i}?"},
            }
        )  # fmt: skip
    return _promptfoo(path, results)


def _promptfoo(path: Path, results: list[dict[str, Any]]) -> Path:
    stats = {"successes": len(results), "failures": 0, "errors": 0, "tokenUsage": {}}
    inner = {"version": 3, "timestamp": "2026-05-04T10:00:00.000Z", "prompts": [], "results": results, "stats": stats}
    content = {
        "evalId": "eval-abc-2026-05-04T10:00:00", "results": inner, "config": {"description": ""},
        "shareableUrl": None, "metadata": {"promptfooVersion": "0.118.0"},
    }  # fmt: skip
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def inspect_log(*, mode: str = "answer", epochs: int = 1, scorers: tuple[str, ...] = ("match",)) -> dict[str, Any]:
    """An Inspect log: "answer" for a judge as solver and match as scorer, "value" for a scorer that is the judge."""
    samples = []
    for epoch in range(1, epochs + 1):
        scores = JUDGE if epoch == 1 else SECOND_RUN
        for i, essay in enumerate(IDS):
            given = {
                "match": {"value": "C" if scores[i] == H1[i] else "I", "answer": str(scores[i]), "explanation": "..."},
                "essay_rubric": {"value": scores[i], "answer": "prose", "explanation": "because"},
                "model_graded_qa": {"value": "CI"[scores[i] < 3], "answer": "prose", "explanation": "GRADE"},
                "tone": {"value": {"warm": 1, "clear": 2}},
                "human_expert": {"value": H1[i]},
            }
            target = str(H1[i]) if mode == "answer" else "a reference answer"
            samples.append(
                {
                    "id": essay, "epoch": epoch, "input": f"Essay {i}", "target": target, "messages": [], "output": {},
                    "scores": {name: given[name] for name in scorers}, "store": {}, "events": [],
                    "metadata": {"human2": H2[i]} if mode == "answer" else {"human1": H1[i], "human2": H2[i]},
                }
            )  # fmt: skip
    header = {"run_id": "r", "task": "essay_scoring", "model": "openai/gpt-4o-mini", "dataset": {"samples": 12}}
    return {
        "version": 2, "status": "success", "eval": header, "plan": {"name": "plan", "steps": []},
        "results": {"total_samples": 12, "scores": []}, "stats": {}, "samples": samples,
    }  # fmt: skip


def as_eval(log: dict[str, Any], path: Path) -> Path:
    """Write a log as an ``.eval`` archive."""
    header = {key: value for key, value in log.items() if key != "samples"}
    with zipfile.ZipFile(path, "w", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({key: header[key] for key in ("version", "eval", "plan")}))
        for sample in log["samples"]:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps(header))
    return path


def mlflow_traces(*, names: tuple[str, ...] = ("quality",), yes_no: bool = False) -> list[dict[str, Any]]:
    """Rows of ``mlflow.search_traces()``: feedback of a judge and of two people for every trace."""

    def value(score: int) -> Any:
        return ("yes" if score > 2 else "no") if yes_no else score

    rows = []
    for i, essay in enumerate(IDS):
        sources = [
            ("LLM_JUDGE", "openai:/gpt-4o-mini", JUDGE[i]),
            ("HUMAN", "ann@example.org", H1[i]),
            ("HUMAN", "bob@example.org", H2[i]),
        ]
        assessments = [
            {
                "assessment_id": f"a-{essay}-{name}-{by}", "assessment_name": name, "trace_id": f"tr-{essay}",
                "source": {"source_type": kind, "source_id": by}, "create_time": "2026-05-04T10:00:00Z",
                "last_update_time": "2026-05-04T10:00:00Z", "feedback": {"value": value(score)},
                "rationale": "It's \"clear\".", "metadata": {}, "valid": True,
            }
            for name in names
            for kind, by, score in sources
        ]  # fmt: skip
        assessments.append({**assessments[0], "assessment_id": "old", "feedback": {"value": value(1)}, "valid": False})
        state = {"state": "OK", "request": {"essay": f"Text {i}"}, "tags": {}}
        rows.append({"trace_id": f"tr-{essay}", **state, "assessments": assessments})
    return rows


def as_csv(rows: list[dict[str, Any]], path: Path, *, python: bool) -> Path:
    """Write traces as pandas does: lists as Python writes them, or as JSON."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        for row in rows:
            told = repr(row["assessments"]) if python else json.dumps(row["assessments"])
            writer.writerow({**row, "assessments": told})
    return path


def bytes_of(write: Callable[[Path], Any]) -> bytes:
    """Return what a function writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder) / "f")
        return (Path(folder) / "f").read_bytes()


def _fixture(name: str) -> Any:
    return json.loads((FIXTURES / name).read_text(encoding="utf-8"))


@functools.cache
def outputs() -> dict[str, Any]:
    """Return small outputs of every tool, by the name of its reader and what else tells them apart."""
    return {
        "promptfoo": json.loads(bytes_of(promptfoo_judges)), "promptfoo rubric": json.loads(bytes_of(promptfoo_rubric)),
        "inspect": inspect_log(epochs=2),
        "inspect scorer": inspect_log(mode="value", scorers=("essay_rubric", "human_expert")),
        "mlflow": mlflow_traces(), "mlflow columns": {"trace_id": {"0": "a"}, "assessments": {"0": []}},
        "deepeval": _fixture("deepeval.json"), "langfuse": _fixture("langfuse.json")["data"][:9],
        "langfuse subjects": _fixture("langfuse_v3.json"),
        "langfuse categories": _fixture("langfuse_categories.json")[:9],
        "langsmith": _fixture("langsmith_feedback.json")[:9], "phoenix": _fixture("phoenix_annotations.json"),
        "ragas": _fixture("ragas.json"),
    }  # fmt: skip
