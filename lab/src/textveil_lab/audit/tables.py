"""Integers that textveil ships or draws by, as statements for the independent checker.

``checker.py`` trusts none of these statements: it computes every condition anew, without textveil and NumPy.
"""

import gzip
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from textveil.catalog import word_mechanism
from textveil.json_text import json_data, json_text
from textveil.mechanisms.neighborhood import WeightedNeighborhood
from textveil.numerics.base_weights import BaseWeights
from textveil.numerics.integer_weights import TwoLevelWeights, two_level_weights
from textveil.surrogates import pools
from textveil.vocabulary.embedded import DATA
from textveil.whole_files import write_whole

CHECKER: Final = Path(__file__).parents[1] / "checker.py"
EPSILONS: Final = (1.0, 3.0, 5.0, 8.0, 10.0, 12.0, 14.0)
TWO_LEVEL: Final = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_POOLS: Final = tuple(Path(pools.__file__).parent / "data" / name for name in ("pools.txt.gz", "places.txt.gz"))
_HEADER: Final = 4096  # bytes before the arrays of a table
_NEIGHBORS: Final = DATA / "neighbors.table"


def statements(epsilons: Sequence[float] = EPSILONS) -> Iterator[dict[str, Any]]:
    """Yield a statement for each shipped table and for the integers of the shipped mechanisms.

    Args:
        epsilons: of the default mechanism on the embedded vocabulary.
    """
    for path in _POOLS:
        yield from _pools(path)
    for epsilon in TWO_LEVEL:
        for size, members in ((10, 1), (50, 7), (32698, 1), (32698, 67)):
            weights = two_level_weights(size=size, members=members, epsilon=epsilon)
            yield _two_level(f"two-level-{size}-{members}-{epsilon:g}", weights, epsilon)
    for epsilon in epsilons:
        mechanism = word_mechanism(epsilon=epsilon)
        assert isinstance(mechanism, WeightedNeighborhood)
        name = f"neighborhood-{epsilon:g}"
        yield _raised(name, mechanism.weights, epsilon, with_orders=epsilon >= 8)
        words = {"rule": "adaptive product", "epsilon": _text(11 * epsilon), "parts": [{"of": name, "times": 11}]}
        yield {"id": f"{name}, eleven words", **words}


def _text(epsilon: float) -> str:
    return str(Fraction(epsilon))


def _two_level(name: str, weights: TwoLevelWeights, epsilon: float) -> dict[str, Any]:
    table = {
        "form": "two-level",
        "size": weights.size,
        "members": weights.members,
        "inside": weights.inside,
        "outside": weights.outside,
        "total": weights.total,
        "next": weights.inside + 1 if weights.epsilon >= epsilon - 1e-9 else 0,  # cut weights have room
    }
    return {"id": name, "rule": "equal totals", "epsilon": _text(epsilon), "table": table}


def _raised(name: str, weights: BaseWeights, epsilon: float, *, with_orders: bool) -> dict[str, Any]:
    counts, gains = weights.counts.tolist(), weights.gains.tolist()
    each = max(gain // count for count, gain in zip(counts, gains, strict=True))
    table: dict[str, Any] = {
        "form": "raised",
        "counts": counts,
        "gains": gains,
        "each": each,
        "shift": weights.shift,
        "unit": weights.unit,
        "row_gain": weights.row_gain,
        "total": weights.total,
    }
    if with_orders:  # below, rows are longer than the table and are made when they are drawn from
        size = len(counts)
        (_, _, (_, columns)), *_ = json_data(_NEIGHBORS.read_bytes()[:_HEADER])["arrays"]
        table["orders"] = {
            **_file(_NEIGHBORS),
            "rows": size,
            "columns": columns,
            "bytes": 2,
            "start": _HEADER,
        }
    return {"id": name, "rule": "equal totals", "epsilon": _text(epsilon), "table": table}


def _file(path: Path) -> dict[str, Any]:
    return {"file": str(path), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def _pools(path: Path) -> Iterator[dict[str, Any]]:
    text = gzip.decompress(path.read_bytes()).decode("utf-8")
    for name, body in re.findall(r"^\[(.+)\]\n((?:[^\[\n].*\n?)+)", text, flags=re.MULTILINE):
        size = len(body.rstrip("\n").split("\n"))
        pool = {**_file(path), "section": name}
        facts = {"rule": "uniform injection", "epsilon": 0, "pool": pool, "size": size, "values": size}
        yield {"id": f"{path.name.partition('.')[0]}: {name}", **facts}


def write_statements(path: Path, epsilons: Sequence[float] = EPSILONS) -> Path:
    """Write the statements to a file.

    Raises:
        OutputError: the file cannot be written.
    """
    data = {"type": "textveil-integers-1", "statements": list(statements(epsilons))}
    return write_whole(path, json_text(data).encode("utf-8"))


def run_checker(paths: Sequence[Path]) -> tuple[bool, str]:
    """Run the checker alone on files; return whether every statement follows, and its output."""
    command = [sys.executable, "-I", str(CHECKER), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout
