"""Claims of the field as data: source, verdict, a witness that replays it, and the cost of a repair.

``claims.toml`` holds them. A third party adds claims by the entry point ``textveil.package_adapters``: a function
without arguments that returns a folder with a ``claims.toml`` and the folder ``witnesses`` beside it.
"""

import json
import math
import subprocess
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final

from textveil.errors import InputError, need
from textveil.statistics import clopper_pearson
from textveil_lab.audit.field.field_audit import about_claims

GROUP: Final = "textveil.package_adapters"  # of entry points
HERE: Final = Path(__file__).parent
CONFIDENCE: Final = 0.999  # of a verdict on draws: a claim that is exactly met is refuted once in a thousand at most
TIME_LIMIT: Final = 300.0  # seconds that one witness may take
SEEN: Final = ("package", "code", "paper", "abstract", "reported")


class Ruling(Enum):
    """Outcome of testing a claim; there are no others."""

    HOLDS = "holds"
    FALSE = "claim false"
    DEPARTS = "code departs from the paper"
    CONTESTED = "contested reading"
    UNDECIDED = "not decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldClaim:
    """One claim, as the page shows it."""

    id: str  # its address on the page; it never changes
    work: str
    part: str
    year: int
    place: str  # where the claim is quoted from
    seen: str  # one of SEEN: the available sources
    unit: str  # unit that the claim protects
    claim: str
    verdict: Ruling
    found: str  # claimed and found, with numbers
    why: str
    version: str = ""
    reading: str = ""  # why the verdict needs a reading that others may not share, or which source is missing
    repair: str = ""
    cost: str = ""  # cost of the repair
    audit: str = ""  # the row of `textveil audit-field` that replays it
    script: str = ""  # the witness that replays it
    requires: tuple[str, ...] = ()  # requirements of the script for pip
    dependencies: bool = False  # whether pip adds their dependencies
    heavy: bool = False  # whether that is too much for a test
    same: str = ""  # ID of the same claim, replayed in another way: both count once
    folder: Path = HERE

    def __post_init__(self) -> None:
        need(bool(self.audit) != bool(self.script), self.id, "no replay, or two", "a row to audit, or a script")
        need(not self.script or self.witness.is_file(), self.id, "no such script", "a file in witnesses/")
        need(self.seen in SEEN, self.id, repr(self.seen), f"one of {', '.join(SEEN)}")
        refuted = self.verdict in (Ruling.FALSE, Ruling.DEPARTS)
        need(not refuted or bool(self.repair), self.id, "no repair", "what would mend a claim that fails")
        open_ = self.verdict in (Ruling.CONTESTED, Ruling.UNDECIDED)
        need(open_ == bool(self.reading), self.id, "a reading or none", "a reading exactly where the verdict is open")

    @property
    def witness(self) -> Path:
        """Path of the witness script."""
        return self.folder / "witnesses" / f"{self.script}.py"

    @property
    def package(self) -> str:
        """Name of the package that the script needs; empty if it needs none."""
        return self.requires[0].partition("==")[0] if self.requires else ""

    @property
    def replay(self) -> str:
        """Command that replays the claim."""
        if self.audit:
            return f"textveil audit-field {self.audit}"
        if self.package:
            return f"textveil audit-package {self.package} {self.id}"
        return f"python {'/'.join(self.witness.parts[-7:])}" if self.folder == HERE else f"python {self.witness.name}"


@cache
def field_claims() -> tuple[FieldClaim, ...]:
    """Return all claims of this package, in their order."""
    return read_claims(HERE)


def read_claims(folder: Path) -> tuple[FieldClaim, ...]:
    """Read the claims of a folder.

    Raises:
        InputError: ``claims.toml`` is missing or invalid; the message names the claim.
    """
    try:
        rows = tomllib.loads((folder / "claims.toml").read_text(encoding="utf-8"))["claim"]
    except (OSError, KeyError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"claims.toml must hold [[claim]] tables; got {type(error).__name__}.") from None
    about = about_claims() if any("audit" in row for row in rows) else {}
    claims = tuple(_claim(row, about, folder) for row in rows)
    ids = [claim.id for claim in claims]
    need(len(set(ids)) == len(ids), "claims.toml", "an ID twice", "one claim an ID")
    return claims


_WRITTEN: Final = {field.name for field in fields(FieldClaim)} - {"folder"}


def _claim(row: Mapping[str, Any], about: Mapping[str, Any], folder: Path) -> FieldClaim:
    name = str(row.get("id"))
    unknown = sorted(row.keys() - _WRITTEN)
    need(not unknown, name, ", ".join(unknown), f"keys among {', '.join(sorted(_WRITTEN))}")
    words = [one.value for one in Ruling]
    need(row.get("verdict") in words, name, repr(row.get("verdict")), f"one of {', '.join(words)}")
    known: dict[str, Any] = {}
    if "audit" in row:
        need(row["audit"] in about, name, repr(row["audit"]), "a row of textveil audit-field")
        source = about[row["audit"]]
        seen = {"formula of the paper": "paper", "formula as others report it": "reported"}
        known = {key: getattr(source, key) for key in ("work", "part", "claim", "why", "repair", "reading")}
        known |= {"place": source.source, "seen": seen.get(source.basis.value, "code")}
    values = {**known, **row, "verdict": Ruling(row["verdict"]), "requires": tuple(row.get("requires", ()))}
    try:
        return FieldClaim(**values, folder=folder)
    except TypeError:
        missing = ", ".join(sorted({"work", "place", "seen", "unit", "claim", "found", "why"} - values.keys()))
        raise InputError(f"claim {name} of claims.toml lacks {missing}.") from None


def adapted_claims() -> tuple[FieldClaim, ...]:
    """Return the claims of this package that need a package, and those of third parties' adapters.

    Raises:
        InputError: an adapter's folder has no valid claims.
    """
    own = [claim for claim in field_claims() if claim.package]
    for point in sorted(entry_points(group=GROUP), key=lambda one: one.name):
        own.extend(read_claims(Path(point.load()())))
    return tuple(own)


@dataclass(frozen=True, slots=True)
class Replayed:
    """Output of a witness, and whether it contradicts the claim."""

    refuted: bool
    open: bool  # one reading is contradicted and another is not
    data: Mapping[str, Any]

    def agrees(self, verdict: Ruling) -> bool:
        """Tell whether the replay shows what the row says."""
        if verdict in (Ruling.CONTESTED, Ruling.UNDECIDED):
            return self.open
        return not self.open and self.refuted == (verdict is not Ruling.HOLDS)


def replay(claim: FieldClaim, python: str) -> Replayed:
    """Run a claim's script in another interpreter, isolated from this process's modules.

    Args:
        python: path of an interpreter with the packages that the claim requires.

    Raises:
        InputError: the script fails, takes longer than five minutes, or prints no finding.
    """
    try:
        done = subprocess.run(
            [python, "-I", str(claim.witness)], capture_output=True, text=True, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"the witness of {claim.id} took more than {TIME_LIMIT:g} s. Run it alone.") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"--python must be an interpreter; got {reason}. Name another.") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise InputError(f"the witness of {claim.id} ended with {last[:200]!r}. Run it alone: python {claim.witness}")
    try:
        return judged_witness(json.loads(done.stdout.strip().splitlines()[-1]))
    except (ValueError, KeyError, IndexError, TypeError):
        raise InputError(
            f"the witness of {claim.id} printed no finding. Run it alone: python {claim.witness}"
        ) from None


def judged_witness(data: Mapping[str, Any]) -> Replayed:
    """Judge what a witness printed.

    Args:
        data: computed numbers ``claimed`` and ``found``; or ``epsilon``, ``delta``, ``hits`` of two inputs and the
            number of draws ``trials``; or ``readings``, such data by reading.
    """
    if "readings" in data:
        refuted = [judged_witness(one).refuted for one in data["readings"].values()]
        return Replayed(all(refuted), any(refuted) and not all(refuted), data)
    if "hits" in data:
        more, less = (clopper_pearson(int(hits), int(data["trials"]), CONFIDENCE) for hits in data["hits"])
        return Replayed(more.lower > math.exp(data["epsilon"]) * less.upper + data["delta"], False, data)
    claimed, found = float(data["claimed"]), float(data["found"])
    need(not math.isnan(claimed + found) or claimed == found, "found", found, "a number")
    return Replayed(found > claimed * (1 + 1e-9) + 1e-15, False, data)


def counted(claims: Iterable[FieldClaim], *rulings: Ruling) -> int:
    """Count claims with one of these verdicts, each claim once."""
    return sum(not claim.same and (not rulings or claim.verdict in rulings) for claim in claims)


def works(claims: Sequence[FieldClaim]) -> tuple[str, ...]:
    """Return the works that make these claims, each once."""
    return tuple(dict.fromkeys(claim.work for claim in claims))
