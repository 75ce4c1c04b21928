"""Run RSMTool's Analyzer on arrays; for the peer's own Python, called by analyzer.py.

python benchmarks/analyzer_peer.py ARRAYS.npz RESULT.json
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import pandas as pd
from rsmtool.analyzer import Analyzer
from rsmtool.configuration_parser import Configuration
from rsmtool.container import DataContainer


def main(arrays: str, result: str) -> None:
    data = np.load(arrays)
    ids = [f"R{number}" for number in range(len(data["system"]))]
    groups = [name for name in data.files if name.startswith("group_")]
    bounds = data["bounds"]
    trimmed = np.clip(data["system"], *bounds)
    scores = {"raw": data["system"], "raw_trim": trimmed, "raw_trim_round": np.rint(trimmed)}
    frames = {
        "pred_test": pd.DataFrame({"spkitemid": ids, "sc1": data["human1"], **scores}),
        "test_metadata": pd.DataFrame({"spkitemid": ids, **{name: data[name].astype(str) for name in groups}}),
        "test_human_scores": pd.DataFrame({"spkitemid": ids, "sc1": data["human1"], "sc2": data["human2"]}),
    }
    container = DataContainer([{"name": name, "frame": frame} for name, frame in frames.items()])
    configuration = Configuration(
        {
            "experiment_id": "analyzer", "predictions_file": "none", "system_score_column": "raw", "trim_min": 1,
            "trim_max": 6, "subgroups": groups, "second_human_score_column": "sc2",
        },
        context="rsmeval",
    )  # fmt: skip
    configuration["use_scaled_predictions"] = False
    begin = time.process_time()
    _, found = Analyzer().run_prediction_analyses(container, configuration)
    seconds = time.process_time() - begin
    wanted = {name: found[name] for name in found if name == "eval" or name.startswith("eval_by_")}
    tables = {name: json.loads(frame.to_json(orient="index", double_precision=15)) for name, frame in wanted.items()}
    with open(result, "w", encoding="utf-8") as file:  # noqa: PTH123 - the peer's Python may be old
        json.dump({"seconds": seconds, "tables": tables}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
