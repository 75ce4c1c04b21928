"""The card and the headline numbers as Markdown with the metadata block that model hubs read (``model-index``)."""

from __future__ import annotations

import json

from reportgen.packet.card import FIELDS, HEADINGS, NOT_SUPPLIED, Card
from reportgen.results import Report
from reportgen.wording.numbers import with_interval
from reportgen.wording.vocabulary import short_name

HEADLINES = ("system.qwk", "system.r", "system.rmse", "system.smd", "system.exact_agreement", "true_score.prmse")
"""Estimates in the metadata block."""


def model_card(report: Report, card: Card) -> str:
    """Return a model card; texts of the card and names of the data are written as quoted or escaped text."""
    estimates = report.evaluation.estimates
    found = [(key, estimates[key]) for key in HEADLINES if key in estimates and estimates[key].value is not None]
    name = card.get("engine.name", NOT_SUPPLIED)
    lines = ["---", "model-index:", f"- name: {json.dumps(name)}", "  results:", "  - task:", "      type: scoring"]
    lines += ["    dataset:", f"      name: {json.dumps(report.evaluation.source.name)}"]
    lines += [f"      type: {json.dumps(report.evaluation.source.format)}", "    metrics:"]
    for key, estimate in found:
        lines += [
            f"    - type: {key}",
            f"      name: {json.dumps(short_name(key))}",
            f"      value: {estimate.value!r}",
        ]
    lines += ["---", "", f"# {_plain(name)}", ""]
    part = ""
    for field in FIELDS:
        if part != (part := field.key.split(".")[0]):
            lines += [f"## {HEADINGS[part]}", ""]
        lines += [f"**{field.label}**: {_plain(card.get(field.key, NOT_SUPPLIED))}", ""]
    lines += ["## Evaluation", "", f"{_plain(report.title)}, {report.created}", ""]
    lines += [f"- {short_name(key)}: {with_interval(estimate)}, n = {estimate.n:,}" for key, estimate in found]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Return text in which Markdown and HTML mean nothing."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()#+-!<>|~&" else letter for letter in text)
