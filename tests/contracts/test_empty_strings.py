"""No slice is looked for in a string: an empty one, at either end of a text, is in every string."""

import ast
from pathlib import Path

import pytest

_TREES = ("src", "lab/src")
_OF_STRINGS = ("lower", "upper", "strip", "rstrip", "lstrip", "casefold")


def _is_slice(node: ast.expr) -> bool:
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _OF_STRINGS:
        node = node.func.value
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def _is_string(node: ast.expr, known: set[str]) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_string(node.left, known) or _is_string(node.right, known)
    written = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
    return written or (isinstance(node, ast.Name) and node.id in known)


def slices_in_strings(source: str) -> list[int]:
    """Return the lines where a slice is looked for in a string that the module writes."""
    tree = ast.parse(source)
    known: set[str] = set()
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if value is not None and _is_string(value, known):
            known |= {target.id for target in targets if isinstance(target, ast.Name)}
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False)
        if isinstance(operator, ast.In | ast.NotIn) and _is_slice(left) and _is_string(right, known)
    ]


@pytest.mark.parametrize("tree", _TREES)
def test_no_slice_is_looked_for_in_a_string(tree: str) -> None:
    root = Path(__file__).parents[2] / tree
    found = {str(path.relative_to(root)): slices_in_strings(path.read_text("utf-8")) for path in root.rglob("*.py")}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_what_looks_for_slices_finds_them() -> None:
    source = (
        'MARKS = ".,"\nok = text[1:2] in (".", ",")\nbad = text[1:2] in MARKS\nworse = text[:1].lower() not in "ab"\n'
    )
    assert slices_in_strings(source) == [3, 4]
