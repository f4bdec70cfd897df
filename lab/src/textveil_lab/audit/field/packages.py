"""Installed packages tested against their claims, each in an environment of its own, by scripts without textveil."""

import subprocess
import sys
import venv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from textveil.errors import InputError, UnknownNameError, need
from textveil.types import Progress
from textveil_lab.audit.field.claims import FieldClaim, Replayed, adapted_claims, replay

INSTALL_LIMIT: Final = 1800.0  # seconds that pip may take
_VERSION: Final = "import importlib.metadata as m, sys; print(m.version(sys.argv[1]))"


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageRow:
    """One claim of a package, and the result of its replay."""

    claim: FieldClaim
    version: str  # that was tested
    replayed: Replayed

    @property
    def stated(self) -> bool:
        """Whether the row of the field is about this version."""
        return not self.claim.requires or self.claim.requires[0].partition("==")[2] in ("", self.version)

    @property
    def agrees(self) -> bool:
        """Whether the replay agrees with the row; a row about another version says nothing."""
        return not self.stated or self.replayed.agrees(self.claim.verdict)

    @property
    def shown(self) -> str:
        """Finding in words."""
        if self.agrees and self.stated:
            return self.claim.verdict.value
        seen = "readings differ" if self.replayed.open else "refuted" if self.replayed.refuted else "not refuted"
        return seen if self.stated else f"{seen}; the row is about {self.claim.version}"

    def to_data(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return {
            "id": self.claim.id,
            "package": self.claim.package,
            "version": self.version,
            "claim": self.claim.claim,
            "place": self.claim.place,
            "verdict": self.claim.verdict.value,
            "shown": self.shown,
            "agrees": self.agrees,
            "witness": str(self.claim.witness),
            "data": dict(self.replayed.data),
        }


def packages() -> tuple[str, ...]:
    """Return the names of all packages that have claims here or in an adapter."""
    return tuple(sorted({claim.package for claim in adapted_claims()}))


def audit_package(
    name: str, only: Sequence[str] = (), *, python: str | None = None, progress: Progress | None = None
) -> tuple[PackageRow, ...]:
    """Test the claims of a package.

    Args:
        name: of the package on PyPI.
        only: IDs of claims; empty: all claims of the package.
        python: path of an interpreter that has the package. None: pip makes a temporary environment for each version
            that claims name.

    Raises:
        UnknownNameError: there is no claim of that name.
        InputError: pip or a witness failed, or ``python`` lacks the package.
    """
    claims = [claim for claim in adapted_claims() if claim.package == name]
    need(bool(claims), "name", repr(name[:60]), f"one of {', '.join(packages())}", kind=UnknownNameError)
    unknown = sorted(set(only) - {claim.id for claim in claims})
    wanted = ", ".join(claim.id for claim in claims)
    need(not unknown, "only", ", ".join(unknown)[:100], f"among {wanted}", kind=UnknownNameError)
    chosen = [claim for claim in claims if not only or claim.id in only]
    rows = []
    for interpreter, group in _environments(chosen, python):
        version = _version(interpreter, name)
        for claim in group:
            rows.append(PackageRow(claim=claim, version=version, replayed=replay(claim, interpreter)))
            if progress is not None:
                progress(len(rows), len(chosen))
    return tuple(rows)


def _environments(claims: Sequence[FieldClaim], python: str | None) -> Iterator[tuple[str, list[FieldClaim]]]:
    if python is not None:
        yield python, list(claims)
        return
    groups: dict[tuple[tuple[str, ...], bool], list[FieldClaim]] = {}
    for claim in claims:
        groups.setdefault((claim.requires, claim.dependencies), []).append(claim)
    for (requires, dependencies), group in groups.items():
        with TemporaryDirectory(prefix="textveil-package-") as folder:
            venv.create(folder, with_pip=True)
            interpreter = str(Path(folder, "Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
            _install(interpreter, requires, dependencies)
            yield interpreter, group


def _install(interpreter: str, requires: Sequence[str], dependencies: bool) -> None:
    options = [] if dependencies else ["--no-deps"]
    command = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options, *requires]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        raise InputError(f"pip took more than {INSTALL_LIMIT:g} s for {requires[0]}. Use --python.") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["no reason given"]
        raise InputError(f"pip could not install {' '.join(requires)}: {lines[-1][:200]}. Use --python.")


def _version(interpreter: str, name: str) -> str:
    command = [interpreter, "-I", "-c", _VERSION, name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"--python must be an interpreter; got {type(error).__name__}. Name another.") from None
    if done.returncode:
        raise InputError(f"--python must have {name}; it does not. Install it there, or leave --python out.")
    return done.stdout.strip()
