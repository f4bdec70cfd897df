"""A public linear map with normal entries that anybody makes again from its seed."""

from __future__ import annotations

import hashlib
import math

import numpy as np
from scipy.special import ndtri

from textveil.errors import need
from textveil.nearest.identical_rows import first_rows
from textveil.types import Reals, Vectors

_ROWS = 8192
_LARGEST = 2**28  # Entries: 2 GB of them


def random_map(seed: int, dim: int, map_dim: int) -> Reals:
    """Independent N(0, 1 / map_dim) entries, each a float32 number, float64, shape (map_dim, dim).

    Made from SHAKE-256 of the seed and the shape: public, and the same whatever the version of NumPy. It depends on no
    text, and protects none.

    Args:
        seed: an integer >= 0.
        dim: coordinates before, >= 1.
        map_dim: coordinates after, >= 1.
    """
    need(dim * map_dim <= _LARGEST, "map_dim", map_dim, f"at most {_LARGEST // dim} at {dim} dimensions")
    stream = hashlib.shake_256(f"textveil random map {seed} {dim} {map_dim}".encode()).digest(8 * dim * map_dim)
    uniform = (np.frombuffer(stream, dtype="<u8") >> np.uint64(11)).astype(np.float64)
    entries = ndtri((uniform + 0.5) * 2.0**-53) / math.sqrt(map_dim)
    return entries.astype(np.float32).astype(np.float64).reshape(map_dim, dim)


def digest(matrix: Reals) -> str:
    """The first 64 bits of SHA-256 of the entries as float32, in hexadecimal."""
    return hashlib.sha256(matrix.astype("<f4").tobytes()).hexdigest()[:16]


def mapped(vectors: Vectors, matrix: Reals) -> Vectors:
    """Each row under the map, rounded to float32; equal rows to equal ones; shape (n, map_dim)."""
    out = np.empty((len(vectors), len(matrix)), dtype=np.float32)
    for start in range(0, len(vectors), _ROWS):
        part = slice(start, start + _ROWS)
        out[part] = vectors[part].astype(np.float64) @ matrix.T
    first = first_rows(vectors).first
    return out if first is None else out[first]
