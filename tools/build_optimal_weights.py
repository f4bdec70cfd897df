"""Search for optimal base weights of the embedded vocabulary at the shipped epsilons, or check those that are there.

    python tools/build_optimal_weights.py [EPSILON ...]    search and write (minutes an epsilon; goes on where it stood)
    python tools/build_optimal_weights.py --check          value and bound again from the stored weights and levels

A search is not repeated to the bit on every machine, since matrix products are added up in other orders. What a file
says can be checked all the same: the value follows from its weights in exact integers, the bound from its levels.
"""

import argparse
import hashlib
import json
import sys

import numpy as np

from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import word_frequencies
from textveil.vocabulary.table_files import encoded
from textveil_lab.mechanisms.sampling.optimal_weights import (
    LEVELS,
    NUMBERS,
    RECORD,
    SHIPPED,
    OptimumSetting,
    optimum_of,
    optimum_table,
    utility_of,
    value_of,
)
from textveil_lab.numerics.utility_sums import upper_bound
from textveil_lab.vocabulary import DATA

_LOOSE = 1.05
"""Bound over value, at most."""


def main() -> int:
    """Build or check, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("epsilons", nargs="*", type=float, default=list(SHIPPED), help="some of the shipped ones")
    parser.add_argument("--check", action="store_true", help="check the stored numbers; write nothing")
    given = parser.parse_args()
    return max(checked(one) if given.check else built(one) for one in given.epsilons)


def setting_of(epsilon: float) -> OptimumSetting:
    """What is shipped: cosine, Wikipedia's frequencies, names rare."""
    vocabulary = load_vocabulary()
    return OptimumSetting(
        vocabulary=vocabulary.digest,
        utility=utility_of(vocabulary, "cosine"),
        frequencies=word_frequencies(vocabulary),
        epsilon=epsilon,
        rare_names=True,
    )


def built(epsilon: float) -> int:
    """Search and write one file."""
    table = optimum_table(setting_of(epsilon))
    arrays = table.make(_Shown())
    if table.shipped is None:
        raise SystemExit(f"{epsilon:g} is not among the shipped epsilons")
    content = b"".join(encoded(table.key, arrays))
    table.shipped.write_bytes(content)
    value, bound, _ = arrays[NUMBERS].tolist()
    record = DATA / RECORD
    known = json.loads(record.read_text(encoding="ascii")) if record.is_file() else {}
    known[table.shipped.name] = {"sha256": hashlib.sha256(content).hexdigest(), "value": value, "bound": bound}
    record.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="ascii")
    print(f"\nepsilon {epsilon:g}: value {value:.6f}, bound {bound:.6f}")
    return 0


def checked(epsilon: float) -> int:
    """Whether one file's numbers are those of its weights and levels."""
    setting = setting_of(epsilon)
    table = optimum_table(setting).opened()
    if table is None:
        print(f"epsilon {epsilon:g}: no table")
        return 1
    stored = optimum_of(setting, table)
    value = value_of(setting, stored.weights)
    levels = table[LEVELS].astype(np.float64)
    bound, _ = upper_bound(setting.utility, setting.prior, levels, epsilon, rounds=1)
    same = abs(value - stored.value) < 1e-9 and abs(bound - stored.bound) < 1e-6
    fine = same and stored.bound < _LOOSE * stored.value and stored.weights.epsilon <= epsilon
    print(f"epsilon {epsilon:g}: value {value:.6f}, bound {bound:.6f}: {'as stored' if fine else 'NOT as stored'}")
    return 0 if fine else 1


class _Shown:
    """How far a search is, on stderr."""

    def __init__(self) -> None:
        self._text = ""

    def __call__(self, done: int, total: int | None) -> None:
        sys.stderr.write(f"\r{done} of {total} steps {self._text}")

    def note(self, text: str) -> None:
        """See ``textveil.types.Noting``."""
        self._text = text


if __name__ == "__main__":
    raise SystemExit(main())
