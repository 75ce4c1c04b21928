"""Annotations of spans, traces and sessions of Phoenix, and frames of its evaluators.

An annotation has ``name`` (in frames ``annotation_name``), ``annotator_kind`` (HUMAN, LLM or CODE), ``span_id``,
``trace_id`` or ``session_id``, ``result`` with ``label`` and ``score`` (in frames ``result.label`` and
``result.score``), ``identifier`` and ``user_id``; ``Client.spans.get_span_annotations_dataframe`` gives them.  Read
in the package arize-phoenix-client 3.5.0 (``phoenix.client.__generated__.v1``, ``phoenix.client.resources.spans``).
"""

from __future__ import annotations

from reportgen.sources.judge_outputs.ratings import RatingsReader


class Phoenix(RatingsReader):
    """Reads annotations of Phoenix."""

    title = "Phoenix annotations (.json, .jsonl, .csv, .parquet)"
    tool, id_column = "Phoenix", "span_id"
    inside = ("data",)
    response = ("span_id", "context.span_id", "trace_id", "session_id")
    name = ("annotation_name", "name")
    kind = ("annotator_kind",)
    marks = (response, name, kind)
    value = ("result.score", "result.label")
    person, judge = ("user_id", "identifier"), ("identifier",)
    people, judges = ("HUMAN",), ("LLM", "CODE")
