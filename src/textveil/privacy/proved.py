"""The code that a proof is about. Nothing is proved by default: ``status_of`` alone says so, of registered code.

Beside the proofs of a package lies ``code.json``: by proof, the modules that it was read against, each with the digest
of its code (without docstrings and comments). These are the modules that name the proof, and what they import of their
package (of textveil and the lab: of their folder, and what draws at random or computes laws in whole numbers), which
stand behind a plus sign: they make nothing that is proved.
``python -m textveil.privacy.proved PACKAGE --write`` renews it, after the proofs of what changed were read again;
``--check`` names those that were not. ``scripts/check`` runs it for textveil, so that textveil's own modules are looked
up without hashing; other packages' are hashed once.
"""

import argparse
import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from inspect import currentframe
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, TypeAlias

from textveil.json_text import json_file
from textveil.privacy.guarantees import Status
from textveil.registry.table import file_of

REGISTER: Final = "code.json"  # the file, beside a package's proofs
_OWN: Final = "textveil"
_LAYERED: Final = (_OWN, "textveil_lab")  # packages whose folders are layers
_IMPORTED: Final = "+"  # before a module that names no proof, and whose code one rests on: it makes nothing proved
_BELOW: Final = ("textveil.numerics.", "textveil.randomness")
Register: TypeAlias = Mapping[str, Mapping[str, str]]  # digests of code, by the file name of a proof and by module


def status_of(module: str, proof: str) -> Status:
    """``PROVED`` if a module's code is registered under a proof, and the proof is a file; else ``CLAIMED``.

    ``module``: by its full name, ``__name__`` of whoever states a guarantee; ``proof``: a path below the module's
    package.
    """
    return Status.PROVED if _is_registered(module, proof) else Status.CLAIMED


def status_of_maker(make: object, proof: str, *, own: bool) -> Status:
    """``status_of`` the module that a function's code stands in, whatever the function says of itself.

    Args:
        make: the function that was called, not one that it wraps.
        proof: as there.
        own: whether it is the very object that textveil's own table names; only such may be of textveil's modules.
    """
    module = _module_of(make.__globals__, make.__code__) if isinstance(make, FunctionType) else ""
    may_be = own or module.partition(".")[0] != _OWN
    return Status.PROVED if may_be and _is_registered(module, proof) else Status.CLAIMED


def module_of(function: object) -> str:
    """Return the module whose file a function's code stands in; empty for what is no function or of no file.

    ``__module__`` is not asked: anybody can set it, and ``functools.wraps`` copies it.
    """
    return _module_of(function.__globals__, function.__code__) if isinstance(function, FunctionType) else ""


def status_of_caller(proof: str) -> Status:
    """``status_of`` the module that calls the function which asks this: nobody names another's."""
    here = currentframe()
    frame = here and here.f_back and here.f_back.f_back
    return status_of(_module_of(frame.f_globals, frame.f_code), proof) if frame else Status.CLAIMED


def _module_of(names: Mapping[str, Any], code: CodeType) -> str:
    name = str(names.get("__name__", ""))
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None)
    return name if module is not None and vars(module) is names and file == code.co_filename else ""


def status_under(proof: str) -> Status:
    """Return ``status_of`` for functions that several makers share: some module must be registered under the proof.

    Whether that is the maker of the object is asked where its guarantee is reported (``catalog.guarantee_of``).
    """
    package = proof.partition("/")[0]
    if package in ("privacy", "proofs"):
        return _own_status(proof)
    page = _page(package, proof)
    return Status.PROVED if page is not None and registered(page.parent).get(page.name) else Status.CLAIMED


@cache
def _own_status(proof: str) -> Status:
    page = _page(_OWN, proof)
    return Status.PROVED if page is not None and registered(page.parent).get(page.name) else Status.CLAIMED


@cache
def _is_registered(module: str, proof: str) -> bool:
    page = _page(module, proof) if module else None
    if page is None:
        return False
    noted = registered(page.parent).get(page.name, {})
    if module not in noted or module.partition(".")[0] == _OWN:
        return module in noted
    return all(digest_of_module(name.removeprefix(_IMPORTED)) == digest for name, digest in noted.items())


def _page(module: str, proof: str) -> Path | None:
    """Return the file of a proof; textveil's own may leave out the folder ``privacy``."""
    package = module.partition(".")[0]
    if package not in sys.modules and find_spec(package) is None:
        return None
    if package == _OWN and proof.startswith("proofs/"):
        proof = f"privacy/{proof}"
    return file_of(module, proof)


@cache
def registered(folder: Path) -> Register:
    """Return what is registered in a folder of proofs; nothing if there is no such file."""
    try:
        register = json_file(folder / REGISTER)
    except (OSError, ValueError):
        return {}
    return register if isinstance(register, dict) else {}


def digest_of(source: str) -> str:
    """Return the SHA-256 of code, whatever its comments, docstrings and layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            # A text that stands alone: a docstring, of a function or of the name above it.
            node.body = [line for line in body if not _is_text(line)]  # type: ignore[attr-defined]
    return hashlib.sha256(_shown(tree).encode()).hexdigest()


def _shown(part: object) -> str:
    """A part of a syntax tree as text, the same in every version of Python: what is empty is left out."""
    if isinstance(part, ast.AST):
        fields = ((name, value) for name, value in ast.iter_fields(part) if value not in (None, []) and name != "kind")
        return f"{type(part).__name__}({', '.join(f'{name}={_shown(value)}' for name, value in fields)})"
    return f"[{', '.join(map(_shown, part))}]" if isinstance(part, list) else repr(part)


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


@cache
def digest_of_module(module: str) -> str:
    """Return ``digest_of`` a module's file, without importing it; empty if it has none."""
    package, *names = module.split(".")
    home = getattr(import_module(package), "__file__", None)
    path = Path(home or "").parent.joinpath(*names)
    files = [file for file in (path.parent / f"{path.name}.py", path / "__init__.py") if home and file.is_file()]
    return digest_of(files[0].read_text(encoding="utf-8")) if files else ""


def found(package: str, makers: Iterable[tuple[str, str]] = ()) -> dict[Path, dict[str, dict[str, str]]]:
    """By folder of proofs, what is to be registered in a package: each module, and its imports, under its proofs.

    ``makers``: further modules, each with a proof: those that make what the package registers.
    """
    home = Path(str(import_module(package).__file__)).parent
    pairs, texts = set(makers), dict[str, str]()
    for path in home.rglob("*.py"):
        names = path.relative_to(home).with_suffix("").parts
        module = ".".join((package, *(names[:-1] if names[-1] == "__init__" else names)))
        texts[module] = path.read_text(encoding="utf-8")
        pairs |= {(module, page.relative_to(home).as_posix()) for page in _named(home, texts[module])}
    imported = cache(partial(_imported, texts))
    waiting, named = list(pairs), frozenset(pairs)
    while waiting:
        module, proof = waiting.pop()
        new = {(name, proof) for name in imported(module)} - pairs
        pairs |= new
        waiting += new
    register: dict[Path, dict[str, dict[str, str]]] = {}
    for module, proof in sorted(pairs):
        page = _page(module, proof)
        if page is not None:
            row = module if (module, proof) in named else f"{_IMPORTED}{module}"
            register.setdefault(page.parent, {}).setdefault(page.name, {})[row] = digest_of_module(module)
    return register


def _imported(texts: Mapping[str, str], module: str) -> set[str]:
    """Return what a module imports, also of its own folder by dots, of the code that its proofs rest on."""
    package, *names = module.split(".")
    home = f"{package}." if package not in _LAYERED else f"{package}.{names[0]}." if names[1:] else f"{module}."
    inside = any(name.startswith(f"{module}.") for name in texts)  # a package: one dot means itself
    found = set()
    for node in ast.walk(ast.parse(texts.get(module, ""))):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            place = module.split(".")[: len(names) + 1 - node.level + inside] if node.level else []
            source = ".".join([*place, *filter(None, [node.module])])
            found |= {source, *(f"{source}.{name.name}" for name in node.names)}
    return {name for name in found if name in texts and name.startswith((home, *_BELOW))}


def _named(home: Path, text: str) -> Iterable[Path]:
    """Yield the proofs that a module's text names; a pattern with a gap names all that fit it."""
    for mention in set(re.findall(r"proofs/([a-z0-9_{}]+)\.md", text)):
        fits = re.compile(re.escape(mention).replace(r"\{\}", "[a-z0-9_]+")).fullmatch
        yield from (page for page in home.rglob("proofs/*.md") if fits(page.stem))


def stale(package: str, makers: Iterable[tuple[str, str]] = ()) -> list[str]:
    """List the proofs and modules that are not registered as they are, a line each."""
    lines = []
    for folder, register in found(package, makers).items():
        noted = registered(folder)
        for proof in sorted(register.keys() | noted.keys()):
            now, then = register.get(proof, {}), noted.get(proof, {})
            lines += [
                f"{proof}: {module}"
                for module in sorted(now.keys() | then.keys())
                if now.get(module) != then.get(module)
            ]
    return lines


def main() -> None:
    """Write or check the register of a package."""
    parser = argparse.ArgumentParser(description="Which code the proofs of a package are about.")
    parser.add_argument("package")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="renew code.json, once the proofs were read again")
    action.add_argument("--check", action="store_true", help="exit with 1 if code changed since its proof was read")
    given = parser.parse_args()
    makers = import_module("textveil.testing").makers(given.package)
    if given.write:
        for folder, register in found(given.package, makers).items():
            (folder / REGISTER).write_text(json.dumps(register, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    if lines := stale(given.package, makers):
        sys.exit("\n".join([*lines, "code changed since its proof was read: read it again, then run with --write"]))


if __name__ == "__main__":
    main()
