"""Mutation testing: small changes to the source, one at a time, each of which a test must notice.

    python tools/mutants.py privacy                                  every module of a package
    python tools/mutants.py numerics/integer_weights.py --lines 20-60
    python tools/mutants.py privacy mechanisms --minutes 20 --seed 3   a random part, as many as time allows
    python tools/mutants.py textveil_lab/audit                       a package of the lab
    python tools/mutants.py privacy --list                           what would be run

The operators are cosmic-ray's, those that ``[tool.mutants]`` of pyproject.toml names; which tests judge a module stands
there too. A mutant that survives is printed, and the command fails unless ``tests/mutants/accepted.toml`` has it with
a reason. Each mutant lives in a fork of a process that has imported the packages it needs, and nothing is written to
the source; processes that a test spawns read the source unchanged. Mutants that do not compile, or that differ from
the source in annotations or docstrings alone, are left out.
"""

import argparse
import ast
import difflib
import importlib
import importlib.abc
import importlib.machinery
import os
import random
import signal
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {"textveil": ROOT / "src" / "textveil", "textveil_lab": ROOT / "lab" / "src" / "textveil_lab"}
ACCEPTED = ROOT / "tests" / "mutants" / "accepted.toml"

LEAST_SECONDS = 20.0
"""A mutant may take this long at least, else five times as long as the tests take without one: loops may be endless."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: the lines it takes out and puts in, stripped, and the whole mutated source."""

    file: str
    number: int
    before: str
    after: str
    operator: str
    source: str

    def __str__(self) -> str:
        return f"{self.file}:{self.number} {self.operator}\n    - {self.before}\n    + {self.after}"


class Accepted(NamedTuple):
    """A mutant that may live: where, which line, what it becomes ("*" for anything), and why."""

    file: str
    line: str
    mutant: str
    reason: str

    def covers(self, mutant: Mutant) -> bool:
        """Whether the mutant is this one."""
        return (self.file, self.line) == (mutant.file, mutant.before) and self.mutant in ("*", mutant.after)


def settings() -> dict[str, Any]:
    """``[tool.mutants]`` of pyproject.toml: operators, and tests by package or module."""
    with (ROOT / "pyproject.toml").open("rb") as stream:
        found: dict[str, Any] = tomllib.load(stream)["tool"]["mutants"]
    return found


def accepted() -> list[Accepted]:
    """The mutants that may live."""
    with ACCEPTED.open("rb") as stream:
        return [Accepted(**one) for one in tomllib.load(stream).get("accepted", [])]


def path_of(target: str) -> Path:
    """Where a module or package lies: ``numerics/grid.py`` of textveil, ``textveil_lab/audit`` of the lab."""
    first, _, rest = target.partition("/")
    return SOURCES[first] / rest if first in SOURCES else SOURCES["textveil"] / target


def files_of(target: str) -> list[str]:
    """The modules of a package or file, by their path below src/textveil, or below lab/src for the lab's."""
    path = path_of(target)
    if path.is_file():
        return [target]
    found = sorted(f"{target.rstrip('/')}/{one.relative_to(path).as_posix()}" for one in path.rglob("*.py"))
    if not found:
        raise SystemExit(f"mutants: {target} is no package and no file below src/textveil or lab/src.")
    return found


def tests_of(file: str, tests: dict[str, list[str]]) -> list[str]:
    """The tests that judge a module: those of its own entry, else of the nearest package around it that has one."""
    parts = Path(file).parts
    for key in (file, *("/".join(parts[:depth]) for depth in range(len(parts) - 1, 0, -1))):
        if key in tests:
            return tests[key]
    raise SystemExit(f"mutants: [tool.mutants.tests] of pyproject.toml has no tests for {file}.")


def mutants_of(file: str, operators: Sequence[str], skipped: Sequence[str]) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of the operators, but for lines that begin with one of ``skipped``."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    code = path_of(file).read_text(encoding="utf-8")
    seen = {_meaning(code)}
    for name in operators:
        operator = get_operator(f"core/{name}")()
        occurrence = 0
        while (made := mutate_code(code, operator, occurrence)) is not None:
            occurrence += 1
            meaning = _meaning(made)
            if meaning is None or meaning in seen:
                continue
            seen.add(meaning)
            number, before, after = _change(code, made)
            if not before.startswith(tuple(skipped)):
                yield Mutant(file, number, before, after, name, made)


def _meaning(code: str) -> str | None:
    """The source without annotations and docstrings; None where it does not compile."""
    try:
        tree = ast.parse(code)
        compile(code, "mutant", "exec")
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign | ast.arg):
            node.annotation = ast.Constant(None) if isinstance(node, ast.AnnAssign) else None
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _change(code: str, made: str) -> tuple[int, str, str]:
    """The number of the first changed line, and the changed lines before and after."""
    old, new = code.splitlines(), made.splitlines()
    spans = [one for one in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if one[0] != "equal"]
    first, last = spans[0], spans[-1]
    before = " ".join(" ".join(old[first[1] : last[2]]).split())
    after = " ".join(" ".join(new[first[3] : last[4]]).split())
    return first[1] + 1, before, after


class _OneModule(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from the mutated source in place of the file's."""

    def __init__(self, file: str, source: str) -> None:
        self._path, self._source = path_of(file), source
        parts = Path(file).with_suffix("").parts
        parts = parts if parts[0] in SOURCES else ("textveil", *parts)
        self._name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self._name:
            return None
        package = self._path.name == "__init__.py"
        spec = importlib.machinery.ModuleSpec(name, self, origin=str(self._path), is_package=package)
        if package:
            spec.submodule_search_locations = [str(self._path.parent)]
        spec.has_location = True
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        code: CodeType = compile(self._source, str(self._path), "exec", dont_inherit=True)
        exec(code, module.__dict__)


def _forked(mutant: Mutant | None, tests: Sequence[str]) -> int:
    """Starts the tests in a fork, with the mutant in place of its module; its process id."""
    child = os.fork()
    if child:
        return child
    code = 3
    try:
        os.setsid()
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        if mutant is not None:
            sys.meta_path.insert(0, _OneModule(mutant.file, mutant.source))
        sys.dont_write_bytecode = True
        import pytest

        options = ["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        code = int(pytest.main([*options, "-W", "ignore::pytest.PytestAssertRewriteWarning", *tests]))
    finally:
        os._exit(code)


def survives(mutant: Mutant | None, tests: Sequence[str], limit: float) -> bool:
    """Whether the tests pass within the time."""
    child, end = _forked(mutant, tests), time.monotonic() + limit
    try:
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                child = 0
                return os.waitstatus_to_exitcode(status) == 0
            time.sleep(0.02)
        return False
    finally:
        if child:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)


def main() -> int:
    """Runs the mutants that the command line names; 1 where one survives that is not accepted."""
    arguments = _arguments()
    chosen, known = settings(), accepted()
    files = [file for target in arguments.targets for file in files_of(target)]
    lines = (
        range(*(int(part) + end for end, part in enumerate(arguments.lines.split("-")))) if arguments.lines else None
    )
    mutants = [one for file in files for one in mutants_of(file, chosen["operators"], chosen["skipped"])]
    whole = lines is None and not arguments.minutes
    mutants = [one for one in mutants if lines is None or one.number in lines]
    if arguments.list:
        print(*mutants, f"{len(mutants)} mutants", sep="\n")
        return 0
    random.Random(arguments.seed).shuffle(mutants)
    roots = [str(source.parent) for source in SOURCES.values()]
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(roots)}
    os.chdir(ROOT)
    sys.path[:0] = [*roots, str(ROOT)]
    for name in chosen["imported"]:
        importlib.import_module(name)
    end = time.monotonic() + 60 * arguments.minutes if arguments.minutes else float("inf")
    limits: dict[tuple[str, ...], float] = {}
    ran, survivors, used = 0, [], set[Accepted]()
    for mutant in mutants:
        if time.monotonic() > end:
            break
        ran += 1
        covering = [one for one in known if one.covers(mutant)]
        if covering:
            used.update(covering)
            continue
        tests = tuple(tests_of(mutant.file, chosen["tests"]))
        if tests not in limits:
            start = time.monotonic()
            if not survives(None, tests, 600):
                raise SystemExit(f"mutants: without a mutant these must pass, and do not: {' '.join(tests)}")
            limits[tests] = max(LEAST_SECONDS, 5 * (time.monotonic() - start))
        if survives(mutant, tests, limits[tests]):
            survivors.append(mutant)
            print(mutant, flush=True)
        elif ran % 50 == 0:
            print(f"{ran} of {len(mutants)} mutants, {len(survivors)} survive", file=sys.stderr, flush=True)
    stale = [one for one in known if one.file in files and one not in used] if whole else []
    for one in stale:
        print(f"no such mutant any more: {one.file}: {one.line}")
    print(
        f"{ran} of {len(mutants)} mutants run: {len(survivors)} survive, {len(used)} accepted as {ACCEPTED.name} says."
    )
    return 1 if survivors or stale else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Mutation testing of textveil's core.")
    parser.add_argument("targets", nargs="+", metavar="PACKAGE", help="package or file below src/textveil or lab/src")
    parser.add_argument("--lines", metavar="A-B", help="only mutants of these lines")
    parser.add_argument("--minutes", type=float, help="stop after this long")
    parser.add_argument("--seed", type=int, default=0, help="of the order of the mutants  [default: 0]")
    parser.add_argument("--list", action="store_true", help="print the mutants and run none")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
