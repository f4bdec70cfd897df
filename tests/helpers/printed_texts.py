"""Texts that commands print by way of the table of messages, as the source code holds them."""

import ast
from collections.abc import Iterator, Mapping
from itertools import islice, product
from pathlib import Path

import textveil
from textveil.pages.messages import counted

PRINTING = {"said": 0, "row": 1, "warn": 0, "plain_row": 0, "Finding": 1, "tell_sender": 0}
"""Functions that print a text of theirs, with its place among their arguments."""
LABELLING = {"row": 0, "Finding": 0}
DIGIT = "7"  # stands for what the code computes: a number, a name, a guarantee
_MOST = 300  # combinations of one text's parts


def printed() -> Iterator[tuple[str, str]]:
    """Yield the place of each text with the text; a digit stands for what is computed."""
    root = Path(textveil.__file__).parent
    for path in sorted(root.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if path.name != "messages.py" and any(f"{name}(" in source for name in PRINTING):
            for node in ast.walk(ast.parse(source)):
                if isinstance(node, ast.FunctionDef):
                    yield from ((f"{path.relative_to(root)}:{line}", text) for line, text in _texts(node))


def _texts(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for places in (PRINTING, LABELLING):
                place = places.get(node.func.id)
                if place is not None and place < len(node.args):
                    for text in islice(_said(node.args[place], values), _MOST):
                        if any(map(str.isalpha, text)):
                            yield node.lineno, text


def _said(node: ast.expr, values: Mapping[str, list[ast.expr]], depth: int = 0) -> Iterator[str]:
    """Yield every text that an expression may be."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.IfExp):
        yield from _said(node.body, values, depth)
        yield from _said(node.orelse, values, depth)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        both = _said(node.left, values, depth), _said(node.right, values, depth)
        yield from map("".join, product(*both))
    elif isinstance(node, ast.JoinedStr):
        parts = [_said(part, values, depth) for part in node.values]
        yield from map("".join, product(*parts))
    elif isinstance(node, ast.FormattedValue):
        yield from _said(node.value, values, depth)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "counted":
        noun = node.args[1]
        if isinstance(noun, ast.Constant):
            yield from (counted(count, str(noun.value)) for count in (1, 2))
        else:
            yield "7 words"
    elif isinstance(node, ast.Name) and node.id in values and depth < 4:
        for value in values[node.id]:
            yield from _said(value, values, depth + 1)
    else:
        yield DIGIT


def part_names() -> Iterator[str]:
    """Yield what the parts of documents are called, where they stay and where they are removed."""
    for path in sorted((Path(textveil.__file__).parent / "documents").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Subscript) and _name(node.value).strip("_") in ("parts", "removed"):
                yield from _strings(node.slice)
            elif isinstance(node, ast.Call) and _name(node.func) == "Known":
                yield from _strings(node.args[0])
            elif isinstance(node, ast.Call) and _name(node.func) == "_remove":
                yield from _strings(node.args[1])
            elif isinstance(node, ast.Call) and _name(node.func) == "Counter" and node.args:
                yield from (each for key in getattr(node.args[0], "keys", ()) for each in _strings(key))
            elif isinstance(node, ast.AnnAssign) and _name(node.target) in _TABLES and isinstance(node.value, ast.Dict):
                yield from (each for value in node.value.values for each in _strings(value))
            elif isinstance(node, ast.Assign) and _name(node.targets[0]) == "told" and isinstance(node.value, ast.Dict):
                yield from (each for key in node.value.keys if key is not None for each in _strings(key))


_TABLES = ("_KINDS", "_RELATIONS", "_CALLED", "_FOLDERS", "_NAMES")


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _strings(node: ast.expr) -> Iterator[str]:
    """Yield the texts that an expression may be; of one with a value in it, what stands before."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _strings(node.body)
        yield from _strings(node.orelse)
    elif isinstance(node, ast.JoinedStr):
        yield from _strings(node.values[0])
