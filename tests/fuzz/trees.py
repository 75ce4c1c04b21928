"""Change trees of settings and results, and write them as JSON, TOML, or YAML."""

import copy
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz.pieces import MARKER, VALUES, Draw, showable
from fuzz.spoiling import spoilt

Spot = tuple[Any, Any]
"""A dictionary or list, with a key or an index."""

NUMBERS = (0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, -1e300, 0.7, 1e-17, 5e-324, 1.7976931348623157e308, 99.99999)


def mutated(draw: Draw, tree: Any, most: int = 3) -> Any:
    """Return a copy of a tree with one to `most` changes.

    Half of the trees keep the types of their values, so they pass strict readers.
    """
    tree = copy.deepcopy(tree)
    changes = GENTLE if draw.happens(0.55) else ROUGH
    for _ in range(draw.randint(1, most)):
        spot = _spot(draw, tree, leaf=changes is GENTLE)
        if spot is None:
            return copy.deepcopy(draw.choice(VALUES))
        draw.choice(changes)(draw, tree, *spot)
    return tree


def _spot(draw: Draw, tree: Any, leaf: bool) -> Spot | None:
    """Return a random place in a tree; None if the tree is empty."""
    node, spot = tree, None
    while isinstance(node, dict | list) and node:
        key = draw.choice(list(node)) if isinstance(node, dict) else draw.randrange(len(node))
        spot = (node, key)
        if not leaf and draw.happens(0.12):
            break
        node = node[key]
    return spot


def _soften(draw: Draw, _: Any, box: Any, key: Any) -> None:
    """Replace a value with another value of its type."""
    value = box[key]
    if isinstance(value, bool):
        box[key] = not value
    elif isinstance(value, int):
        box[key] = draw.choice([0, 1, -1, 2, 7, 100, 10**15, 10**18, -(10**18), value + 1, value * 1000])
    elif isinstance(value, float):
        box[key] = draw.choice([*NUMBERS, value * 1e6, -value, value + 1])
    elif isinstance(value, str):
        text = draw.text()
        box[key] = draw.choice([text, text + value, value + text, value.upper(), value[::-1], value[: len(value) // 2]])
    else:
        box[key] = draw.choice([0, 0.5, "x", [], True, None])


def _replace(draw: Draw, _: Any, box: Any, key: Any) -> None:
    box[key] = copy.deepcopy(draw.choice(VALUES))


def _say(draw: Draw, _: Any, box: Any, key: Any) -> None:
    box[key] = draw.text()


def _remove(draw: Draw, _: Any, box: Any, key: Any) -> None:
    del box[key]


def _repeat(draw: Draw, _: Any, box: Any, key: Any) -> None:
    if isinstance(box, dict):
        box[draw.text() if draw.happens(0.5) else f"{key}x"] = box[key]
    else:
        box.insert(key, copy.deepcopy(box[key]))


def _move(draw: Draw, tree: Any, box: Any, key: Any) -> None:
    other = _spot(draw, tree, leaf=False)
    if other is not None:
        box[key] = copy.deepcopy(other[0][other[1]])


def _wrap(draw: Draw, _: Any, box: Any, key: Any) -> None:
    value = box[key]
    box[key] = str(value) if isinstance(value, int | float) else draw.choice([[value], {"a": value}])


def _halve(draw: Draw, tree: Any, box: Any, key: Any) -> None:
    value = box[key]
    if isinstance(value, dict):
        box[key] = dict(list(value.items())[: len(value) // 2])
    elif isinstance(value, list):
        box[key] = draw.choice([value[::-1], value * 2, value[1:]])
    else:
        _soften(draw, tree, box, key)


Change = Callable[[Draw, Any, Any, Any], None]
GENTLE: tuple[Change, ...] = (_soften,)
ROUGH: tuple[Change, ...] = (_replace, _say, _remove, _repeat, _move, _wrap, _halve)


def nested(draw: Draw) -> str:
    """Return extremely nested JSON."""
    depth = draw.choice([50, 900, 5000, 200_000])
    return "[" * depth + "]" * depth if draw.happens(0.5) else '{"a":' * depth + "1" + "}" * depth


def as_json(draw: Draw, tree: Any) -> bytes:
    """Write a tree as JSON, sometimes invalid."""
    text = json.dumps(tree, ensure_ascii=draw.happens(0.7), separators=draw.choice([(",", ":"), (", ", ": ")]))
    if draw.happens(0.03) and text.startswith("{"):
        text = '{"schema": 2, ' + text[1:]
    if draw.happens(0.03):
        at = text.find(":", draw.randrange(len(text))) + 1
        text = text[:at] + nested(draw) + text[at:]
    data = ("\ufeff" * draw.happens(0.02) + text).encode("utf-8", "surrogatepass")
    return spoilt(draw, data) if draw.happens(0.12) else data


def as_toml(tree: Any) -> bytes:
    """Write the part of a tree that TOML supports."""
    if not isinstance(tree, dict):
        return _toml_value(tree).encode()
    return "".join(f"{_toml_key(k)} = {_toml_value(v)}\n" for k, v in tree.items() if v is not None).encode()


def _toml_key(key: Any) -> str:
    return json.dumps(showable(str(key))).replace("\x7f", "\\u007f")


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"{value:#x}"[:4300] if abs(value) > 10**4000 else str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else str(value)
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(each) for each in value if each is not None) + "]"
    if isinstance(value, dict):
        parts = (f"{_toml_key(key)} = {_toml_value(each)}" for key, each in value.items() if each is not None)
        return "{" + ", ".join(parts) + "}"
    return _toml_key("" if value is None else value)


YAML_ENDS = (
    b"\n&a [*a]", b"\n--- 2", b"\n!!binary x", b"\n<<: *x", b"\n- a", b"\n%YAML 9",
    f"\n? !!python/object/apply:os.system ['touch {MARKER}']\n: 1".encode(),
)  # fmt: skip
YAML_CODE = f"data: !!python/object/apply:os.system ['touch {MARKER}']\n".encode()
YAML_BOMB = b"a: &a [1,1,1,1,1,1,1,1,1]\n" + b"".join(
    b"%c: &%c [%s]\n" % (98 + k, 98 + k, b",".join([b"*%c" % (97 + k)] * 9)) for k in range(9)
)


def as_yaml(draw: Draw, tree: Any) -> bytes:
    """Write a tree as YAML, sometimes with unsafe content."""
    if draw.happens(0.15):
        return draw.choice([YAML_CODE, YAML_BOMB])
    data = json.dumps(tree, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return data + draw.choice(YAML_ENDS) if draw.happens(0.2) else data


def write_settings(draw: Draw, tree: Any, place: Path, suffixes: tuple[str, ...] = (".toml", ".json", ".yaml")) -> str:
    """Write a tree as a settings file; return its name."""
    path = place.with_suffix(draw.choice(suffixes))
    data = {".toml": lambda: as_toml(tree), ".json": lambda: as_json(draw, tree), ".yaml": lambda: as_yaml(draw, tree)}
    content = data[path.suffix]()
    path.write_bytes(spoilt(draw, content) if draw.happens(0.2) else content)
    return path.name
