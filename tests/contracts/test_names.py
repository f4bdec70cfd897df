"""Names: a class is known by its name alone, and no two have the same."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import textveil

PACKAGE = Path(textveil.__file__).parent


def class_names() -> Counter[str]:
    """Every class at the top of a module, private ones too."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")]
    return Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))


def test_no_two_classes_have_one_name() -> None:
    names = class_names()
    assert names["Sanitizer"] == 1
    assert [name for name, times in names.items() if times > 1] == []
