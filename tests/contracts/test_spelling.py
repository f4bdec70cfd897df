"""The library does not know the command line, modules use no private names of others, classes are abstract or final."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

import textveil

PACKAGE = Path(textveil.__file__).parent
LIBRARY = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] != "cli"]

STARTS_THE_COMMAND = {"bench/memory.py", "detection/credentials.py", "privacy/proved.py"}
"""Files that run ``textveil`` as a process, or are a command themselves; and what finds passwords in commands."""

_FLAG = re.compile(r"(?<![\w|-])(?<!var\()--(?=[a-z]|$)(?![a-z]+:)")
"""Two dashes before a name, or at the end of a piece of a string that a name may follow; not a property of CSS."""


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def _flags(text: str) -> list[str]:
    """Strings that spell an option; two dashes alone are a line style."""
    return [f"line {line}" for line, value in _strings(ast.parse(text)) if value != "--" and _FLAG.search(value)]


def test_the_library_spells_no_option_of_the_command_line() -> None:
    texts = {str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8") for path in LIBRARY}
    spelled = {name for name, text in texts.items() if "--" in text and _flags(text)}
    assert spelled <= STARTS_THE_COMMAND


def test_an_option_in_a_string_is_found() -> None:
    assert _flags('"Raise --limit."\nf"got (--{name})"\nx = "--"\ny = "a -- b"\n"|---|--|"\n"var(--c);--c:red"') == [
        "line 1",
        "line 2",
    ]


_PUBLIC = {"_asdict", "_replace", "_fields", "_make"}
"""Of named tuples: underscored, so that they clash with no field, and public."""


def _private(nodes: list[ast.AST], own_packages: set[str]) -> list[str]:
    """Private names of other modules' objects that a module uses, and private names that it imports."""
    made = {name for node in nodes for name in _defined(node)}
    found = []
    for node in nodes:
        if isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in made | _PUBLIC:
            base = node.value.id if isinstance(node.value, ast.Name) else ""
            if base not in own_packages:
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textveil"):
            found += [f"line {node.lineno}: {one.name}" for one in node.names if _is_private(one.name)]
    return found


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def _defined(node: ast.AST) -> Iterator[str]:
    """Names that a module gives to its own things: functions, classes, fields, and attributes of ``self``."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr


FOREIGN = {"os", "torch"}
"""Packages of others in which the function that is needed has such a name."""


@pytest.fixture(scope="module")
def modules() -> dict[str, list[ast.AST]]:
    """The nodes of each module's tree, read once."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {str(path): list(ast.walk(ast.parse(path.read_text(encoding="utf-8")))) for path in paths}


def test_modules_use_no_private_names_of_others(modules: dict[str, list[ast.AST]]) -> None:
    private = {name: _private(nodes, FOREIGN) for name, nodes in modules.items()}
    assert {name: uses for name, uses in private.items() if uses} == {}


def test_classes_are_abstract_or_final(modules: dict[str, list[ast.AST]]) -> None:
    """What others derive from makes no objects itself: what a class says of itself holds wherever it is used."""
    defined, bases, made = set[str](), set[str](), set[str]()
    for node in chain.from_iterable(modules.values()):
        if isinstance(node, ast.ClassDef):
            defined.add(node.name)
            bases |= {ast.unparse(base).split("[")[0].rpartition(".")[2] for base in node.bases}
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            made.add(node.func.id)
    errors = {name for name in defined if name.endswith(("Error", "Exhausted"))} | {"WrongModel"}
    assert defined & bases & made - errors <= {"Request", "Converted", "JsonLinesWriter"}, "and these, seen to be alike"


def test_a_private_name_of_another_module_is_found() -> None:
    code = (
        "from textveil.x import _y\nclass A:\n    _z: int\n    def f(self, other):\n        self._own = other._z\n"
        "        return other._hidden, self._own._deep, other._asdict(), self.__dict__, torch._mm()\n"
    )
    assert _private(list(ast.walk(ast.parse(code))), {"torch"}) == [
        "line 1: _y",
        "line 6: other._hidden",
        "line 6: self._own._deep",
    ]


def _cut_words(text: str) -> list[str]:
    """Words that a list has up to their hyphen alone, as where a line was broken there: "break-" and "word"."""
    calls = [node.func.value for node in ast.walk(ast.parse(text)) if _is_split(node)]
    return [word for value in calls for word in value.value.split() if re.fullmatch(r"[\w:-]*[a-z]-", word)]


def _is_split(node: ast.AST) -> bool:
    split = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split"
    return split and isinstance(getattr(node.func.value, "value", None), str)


def test_no_word_of_a_list_is_cut_at_its_hyphen() -> None:
    assert _cut_words('"pre-line break-" " word".split()') == ["break-"]
    assert not [word for path in sorted(PACKAGE.rglob("*.py")) for word in _cut_words(path.read_text("utf-8"))]
