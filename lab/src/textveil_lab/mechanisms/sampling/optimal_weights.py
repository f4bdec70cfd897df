"""Base weights of the optimal channel: solved once, kept as a public table with an upper bound on every channel."""

import contextlib
import hashlib
import io
import math
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InputError, need
from textveil.mechanisms.raised_rows import ByCosine, NestedOrder, made_rows
from textveil.numerics.base_weights import BaseWeights, base_weights
from textveil.types import Ids, Noting, Progress, Reals, Vectors
from textveil.vocabulary.facts import WordFrequencies
from textveil.vocabulary.grid import by_falling_score, integer_grid
from textveil.vocabulary.public_tables import OpenTable, PublicTable, grid_digest, tables_folder
from textveil.vocabulary.table_files import Arrays, ArrayShape, TableKey
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.numerics.optimal_channel import (
    STEPS,
    VERSION,
    WINDOW,
    Problem,
    Search,
    begun,
    capped,
    goal_of,
    most_steps,
    optimized,
    search_from,
)
from textveil_lab.numerics.optimal_exactly import Exact, of_identity, of_program
from textveil_lab.numerics.utility_sums import (
    KEPT_BYTES,
    NearestLists,
    UtilityTable,
    WholeTable,
    blocks,
    sample_cuts,
    upper_bound,
)
from textveil_lab.vocabulary import DATA

RANKED: Final = 1024  # neighbors that count under the utility of ranks
NAMES: Final = ("cosine", "content", "centered", "rank")
"""Named utilities; ``content`` is cosine with each word weighted by its information, -log of its probability."""

Function: TypeAlias = Callable[[Ids], NDArray[Any]]
"""Function from ids, shape (batch,), to utilities with every word, shape (batch, n)."""


class _Kind(Enum):
    COSINE, RANK, OWN = "cosine", "rank", "own"


@dataclass(frozen=True, eq=False)
class Utility:
    """Utility u(x, y), with the order in which it raises words.

    Attributes:
        name: for reports.
        digest: of all that decides it, for keys of derived tables.
        order: words by falling utility.
        kind: how scores of the order become utilities.
        weighs_information: whether an input is weighted by its information too, not only its probability.
    """

    name: str
    digest: str
    order: NestedOrder
    kind: _Kind
    weighs_information: bool = False
    _factors: NDArray[np.float32] = field(default_factory=lambda: np.ones(0, np.float32), repr=False)

    @property
    def size(self) -> int:
        """Number of words."""
        return self.order.size

    @property
    def own(self) -> bool:
        """Whether it is a user's own numbers."""
        return self.kind is _Kind.OWN

    def rows(self, ids: Ids) -> NDArray[np.float32]:
        """Return u(x, y) for these x and every y, finite float32, shape (batch, n).

        Raises:
            ParameterError: a user's function returns another shape or a number that is not finite.
        """
        scores = self.order.scores(ids, self.size)
        if self.kind is _Kind.OWN:
            return scores
        if self.kind is _Kind.COSINE:  # scores omit the common part of a row
            itself = np.arange(len(ids)), ids
            scores[itself] = 0  # not infinity, of which a zero vector's factor, 0, would make no number
            cosines = np.minimum(scores * self._factors[ids, None], np.float32(1))
            cosines[itself] = 1
            return cosines
        nearest = by_falling_score(scores, min(RANKED, self.size))
        out = np.zeros(scores.shape, dtype=np.float32)
        values = 1 / np.log2(2 + np.arange(nearest.shape[1]))
        np.put_along_axis(out, nearest, np.broadcast_to(values.astype(np.float32), nearest.shape), axis=1)
        return out


@dataclass(frozen=True, eq=False)
class ByValue:
    """Order of words by falling value of a table or a function, the lower id first in a tie.

    Attributes:
        size: number of words n.
        values: function from ids to utilities, or a table, shape (n, n).
    """

    size: int
    values: Function | NDArray[np.float32]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all values."""
        mixed = hashlib.sha256()
        for start in range(0, self.size, 256):
            ids = np.arange(start, min(start + 256, self.size), dtype=np.int64)
            mixed.update(np.ascontiguousarray(self.scores(ids, self.size), dtype="<f4").data)
        return mixed.hexdigest()

    @property
    def rule(self) -> str:
        return f"falling utility {self.digest}, ties to the lower id, until row_gain is spent; 1"

    def scores(self, words: Ids, wanted: int) -> NDArray[np.float32]:
        if isinstance(self.values, np.ndarray):
            return self.values[words]
        given = np.asarray(self.values(words))
        shape = (len(words), self.size)
        need(given.shape == shape, "utility", f"shape {given.shape}", f"{shape}, a number for every two words")
        return _finite(given)

    def neighbors(self, size: int) -> PublicTable | None:
        return None


def utility_of(vocabulary: Vocabulary, given: str | NDArray[Any] | Function) -> Utility:
    """Return the utility of that name, file, table or function.

    Args:
        vocabulary: public words and vectors.
        given: ``"cosine"``; ``"content"``; ``"centered"``, the cosine after subtracting the mean of all unit vectors;
            ``"rank"``, 1 / log2(1 + r) for the r-th nearest word by cosine (the word itself is the first), 0 beyond the
            1,024th; the path of a ``.npy`` file; a table of shape (n, n), whose rows are inputs; a deterministic
            function from ids to rows of such a table.

    Raises:
        ParameterError: a table has another shape, or a number that is not finite.
        InputError: the file cannot be read.
    """
    if isinstance(given, str) and given in NAMES:
        if given == "centered":
            vocabulary = centered(vocabulary)
        digest = f"{given} of {grid_digest(vocabulary)}, {vocabulary.digest}"
        kind = _Kind.RANK if given == "rank" else _Kind.COSINE
        factors = integer_grid(vocabulary).inverse_lengths.astype(np.float32)
        return Utility(given, digest, ByCosine(vocabulary), kind, given == "content", factors)
    if isinstance(given, str):
        given = _read(Path(given))
    if not callable(given):
        need(isinstance(given, np.ndarray), "utility", type(given).__name__, "a name, a file, an array or a function")
        need(given.dtype.kind in "fiub", "utility", f"dtype {given.dtype}", "real numbers")
        shape = (len(vocabulary), len(vocabulary))
        need(given.shape == shape, "utility", f"shape {given.shape}", f"{shape}, a row and a column for every word")
        given = _finite(given)
    order = ByValue(len(vocabulary), given)
    return Utility(f"own, {order.digest[:16]}", order.digest, order, _Kind.OWN)


def _finite(given: NDArray[Any]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):
        values = given.astype(np.float32)
    need(bool(np.isfinite(values).all()), "utility", "a number that is not", "finite in float32 for every two words")
    return values


def _read(path: Path) -> NDArray[Any]:
    try:
        return np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        kind = type(error).__name__
        raise InputError(f"the utility must be a readable .npy file of numbers; got {kind}. Check its path.") from None


_UNIT_BITS: Final = 40


def centered(vocabulary: Vocabulary) -> Vocabulary:
    """Return the same words with unit vectors minus their mean, by sums that do not depend on order."""
    grid = integer_grid(vocabulary)
    lengths = np.where(grid.lengths > 0, grid.lengths, 1.0)
    sums = np.zeros(grid.values.shape[1], dtype=np.int64)
    for start in range(0, grid.size, 4096):
        sums += _unit(grid.values, grid.scales / lengths, slice(start, start + 4096)).sum(axis=0)
    mean = sums / (grid.size * 2.0**_UNIT_BITS)
    moved: Vectors = np.empty(grid.values.shape, dtype=np.float32)
    for start in range(0, grid.size, 4096):
        part = slice(start, start + 4096)
        moved[part] = _unit(grid.values, grid.scales / lengths, part) * 2.0**-_UNIT_BITS - mean
    return Vocabulary(vocabulary.words, moved, f"{vocabulary.name}, centered", copy=False)


def _unit(values: NDArray[Any], factors: NDArray[np.float64], part: slice) -> NDArray[np.int64]:
    return np.rint(values[part].astype(np.float64) * factors[part, None] * 2.0**_UNIT_BITS).astype(np.int64)


BASE: Final = "base"
LEVELS: Final = "levels"
NUMBERS: Final = "numbers"

SLOTS_EACH: Final = 128
"""Mean number of slots of a word: words that are never useful get together less than 1 / 128 of the base mass."""

SHIPPED: Final = (8.0, 10.0)
"""Epsilons whose weights are shipped for the embedded vocabulary; made by ``tools/build_optimal_weights.py``."""

RECORD: Final = "optimal.json"  # their digests, values and bounds
_CODE: Final = 2.0**-11  # ln q is kept in steps of this, below 0: 32 nats on 16 bits
_NAME_SHARE: Final = 0.5  # A word that names people or places gets at most half of its flat weight
_CAPPED_STEPS: Final = 3 * WINDOW
_ROOM: Final = 4  # lists are this many times as long as rows are at the beginning
_LEAST_LIST: Final = 2048
"""Smallest number of words in a list: at the optimum many words have no base weight, and rows reach far past them."""

_MOST_WORDS: Final = 4096  # largest number of words at which the whole table is searched for equal words
_SHORT: Final = 4  # lists that are shorter than this part of a row take less time than whole rows


@dataclass(frozen=True, eq=False, kw_only=True)
class OptimumSetting:
    """All that decides the best channel; public.

    Attributes:
        vocabulary: digest of the words and their vectors.
        utility: u.
        frequencies: the prior, before weighting by information, and the names.
        epsilon: nats.
        rare_names: whether names keep a low base weight.
    """

    vocabulary: str
    utility: Utility
    frequencies: WordFrequencies
    epsilon: float
    rare_names: bool

    @property
    def capped(self) -> bool:
        """Whether there are names to be kept rare."""
        return self.rare_names and bool(self.frequencies.names.any())

    @property
    def prior(self) -> Reals:
        """Weight of each input, > 0, sum 1, shape (n,)."""
        counts = self.frequencies.counts.astype(np.float64)
        if self.utility.weighs_information:
            counts = counts * -np.log(counts / (counts.sum() * (1 + 2.0**-20)))
        return counts / math.fsum(counts.tolist())


class Optimum(NamedTuple):
    """Best channel found, with its bound.

    Attributes:
        weights: of the sampled channel.
        value: its mean utility, by the sampled integers.
        bound: upper bound on the mean utility of every epsilon-DP channel.
        uniform: mean utility of a uniform word, which reveals nothing.
    """

    weights: BaseWeights
    value: float
    bound: float
    uniform: float


def optimum_table(setting: OptimumSetting) -> PublicTable:
    """Return the table of base probabilities, levels, value and bound; building it is the search."""
    n = setting.utility.size
    maybe_exact = setting.utility.own or n <= _MOST_WORDS  # something else than the search may find the weights
    shipped = DATA / f"optimal-{setting.epsilon:g}.table" if setting.epsilon in SHIPPED else None
    key = TableKey(
        kind="optimal-channel",
        made_from={
            "vocabulary": setting.vocabulary,
            "utility": hashlib.sha256(setting.utility.digest.encode()).hexdigest(),
            "prior": setting.frequencies.digest,
            "information": setting.utility.weighs_information,
            "epsilon": setting.epsilon,
            "names": "rare" if setting.capped else "free",
            "solver": f"{VERSION}; {most_steps(n)} steps, {goal_of(n):g}" + "; exact" * maybe_exact,
        },
        arrays=(ArrayShape(BASE, "<u2", (n,)), ArrayShape(LEVELS, "<f4", (n,)), ArrayShape(NUMBERS, "<f8", (3,))),
    )
    return PublicTable(
        key=key,
        describe=f"the base weights of the optimal channel of {n:,} words",
        make=partial(_made, setting, key.digest),
        sound=partial(_sound, setting.epsilon),
        shipped=shipped,
    )


def optimum_of(setting: OptimumSetting, table: OpenTable) -> Optimum:
    """Return the weights and numbers of a table."""
    value, bound, uniform = table[NUMBERS].tolist()
    return Optimum(_weights(setting, _decoded(table[BASE])), value, bound, uniform)


def value_of(setting: OptimumSetting, weights: BaseWeights, progress: Progress | None = None) -> float:
    """Return the channel's mean utility with these integers, in float64: off by about 1e-12 of the largest utility."""
    utility, prior = setting.utility, setting.prior
    total = float(weights.total)
    base = weights.base / total
    value, done = 0.0, 0
    for rows in made_rows(utility.order, weights, np.arange(utility.size)):
        u = utility.rows(rows.words).astype(np.float64)
        place = np.repeat(np.arange(len(rows.words)), rows.lengths)
        gains = np.diff(rows.reached, prepend=0)
        firsts = np.cumsum(rows.lengths) - rows.lengths
        gains[firsts] = rows.reached[firsts]
        each = np.bincount(place, weights=gains * u[place, rows.outputs], minlength=len(rows.words))
        value += float(prior[rows.words] @ (u @ base + each * (weights.unit / total)))
        done += len(rows.words)
        if progress is not None:
            progress(done, utility.size)
    return value


def _decoded(codes: NDArray[Any]) -> Reals:
    return np.exp(-codes.astype(np.float64) * _CODE)


def _weights(setting: OptimumSetting, base: Reals) -> BaseWeights:
    least = math.exp(-setting.epsilon)
    mass = min(max(float(base.sum()), least + (1 - least) * 2.0**-20), 1 - (1 - least) * 2.0**-20)
    return base_weights(base / base.sum(), epsilon=setting.epsilon, base_mass=mass, slots_each=SLOTS_EACH)


def _sound(epsilon: float, arrays: Arrays) -> bool:
    """Tell whether arrays can be a table: any positive base weights keep the guarantee; the rest must be finite."""
    value, bound, uniform = arrays[NUMBERS].tolist()
    fine = bool(np.isfinite(arrays[LEVELS]).all()) and -math.inf < value <= bound < math.inf and math.isfinite(uniform)
    return fine and math.exp(-epsilon) * (1 - 1e-3) <= float(_decoded(arrays[BASE]).sum()) <= 1 + 1e-3


def _made(setting: OptimumSetting, digest: str, progress: Progress | None) -> Arrays:
    n, prior = setting.utility.size, setting.prior
    mean, spread = mean_and_spread(setting.utility, prior)
    hint = "Give another utility, or leave it out."
    need(spread > 0, "utility", "the same number for all outputs", "one that tells outputs apart", hint)
    start = np.sqrt(prior) if setting.capped else prior**0.75
    problem = Problem(
        table=_table(setting, start), mean_utility=mean, prior=prior, epsilon=setting.epsilon, spread=spread
    )
    free = begun(problem, start, 0.25)
    exact = _of_identity(setting)
    if exact is None:
        free = optimized(problem, _taken_up(digest, n) or free, tell=partial(_told, progress, digest))
        exact = _of_program(setting) if free.gap > goal_of(n) else None
    if exact is not None:
        free.best_base, free.best_levels = exact
    bound, levels = upper_bound(setting.utility, prior, free.best_levels, setting.epsilon, rounds=2)
    base = free.best_base
    if setting.capped:
        caps = _caps(setting, base)
        held = None if exact is None else _of_program(setting, caps)
        base = _with_caps(problem, free, caps, progress) if held is None else held.base
    codes = np.rint(np.clip(-np.log(np.maximum(base, 1e-300)) / _CODE, 0, 65535)).astype(np.uint16)
    weights = _weights(setting, _decoded(codes))
    value = value_of(setting, weights)
    with contextlib.suppress(OSError):
        _kept_at(digest).unlink(missing_ok=True)
    return {BASE: codes, LEVELS: levels, NUMBERS: np.array([value, max(bound, value), mean.mean()])}


def _of_identity(setting: OptimumSetting) -> Exact | None:
    utility = setting.utility
    if not utility.own:
        return None
    gains, rest = np.empty(utility.size), np.empty(utility.size)
    for ids, rows in blocks(utility):
        own = np.arange(len(ids)), ids
        gains[ids] = rows[own]
        rows = rows.copy()
        rows[own] = rows[np.arange(len(ids)), (ids + 1) % utility.size]
        rest[ids] = rows[:, 0]
        if (rows != rows[:, :1]).any() or not (gains[ids] > rest[ids]).all():
            return None
    return of_identity(gains - rest, rest, setting.prior, setting.epsilon)


def _of_program(setting: OptimumSetting, caps: Reals | None = None) -> Exact | None:
    n = setting.utility.size
    if n > _MOST_WORDS:
        return None
    rows = setting.utility.rows(np.arange(n)).astype(np.float64)
    return of_program(rows, setting.prior, setting.epsilon, caps)


def _caps(setting: OptimumSetting, base: Reals) -> Reals:
    names = setting.frequencies.names
    caps = np.ones(len(names))
    caps[names] = _NAME_SHARE * float(base.sum()) / len(names)
    return caps


def _with_caps(problem: Problem, free: Search, caps: Reals, progress: Progress | None) -> Reals:
    search = free.copy()
    search.best_base = np.minimum(free.best_base, caps)
    search.log_base = np.log(np.maximum(search.best_base, 1e-26))
    search.sum_base, search.sum_levels = np.zeros(len(caps)), np.zeros(len(caps))
    search.step, search.value = min(free.step, STEPS - _CAPPED_STEPS), -math.inf
    steps = search.step + _CAPPED_STEPS
    tell = partial(_told, progress, "")
    return optimized(capped(problem, caps), search, steps=steps, goal=-math.inf, tell=tell).best_base


def mean_and_spread(utility: Utility, prior: Reals) -> tuple[Reals, float]:
    """Return every output's mean utility, shape (n,), and the lead of an input's best output over its mean one."""
    mean, spread = np.zeros(utility.size), 0.0
    for ids, rows in blocks(utility):
        mean += prior[ids] @ rows.astype(np.float64)
        spread += float(prior[ids] @ (rows.max(axis=1) - rows.mean(axis=1, dtype=np.float64)))
    return mean, spread


def _table(setting: OptimumSetting, shares: Reals) -> UtilityTable:
    """Return a store of the utilities: lists if rows raise few outputs, else whole, as bytes if they are many.

    If not even bytes fit, every step makes the utilities again.
    """
    utility = setting.utility
    fits = 4 * utility.size**2 <= KEPT_BYTES
    base = 0.25 * shares / shares.sum()
    longest = max(_LEAST_LIST, _ROOM * sample_cuts(utility, base, 0.75 / math.expm1(setting.epsilon)))
    most = KEPT_BYTES // (utility.size * (4 + np.min_scalar_type(utility.size - 1).itemsize))
    if fits and _SHORT * longest > utility.size:
        return WholeTable(utility, np.float32)
    if longest <= most:
        return NearestLists(utility, longest)
    return WholeTable(utility, np.uint8 if utility.size**2 <= 2 * KEPT_BYTES else None)


def _told(progress: Progress | None, digest: str, search: Search) -> None:
    if isinstance(progress, Noting) and math.isfinite(search.value):
        progress.note(f"value {search.value:.4f}, bound {search.bound:.4f}")
    if progress is not None:
        progress(search.step, most_steps(len(search.levels)) + _CAPPED_STEPS)
    if digest and search.step % WINDOW == 0:
        with contextlib.suppress(OSError):  # it is only time that is lost
            _keep(digest, search)


def _kept_at(digest: str) -> Path:
    return tables_folder() / f".optimal-channel-{digest[:32]}.table-search.partial"


def _keep(digest: str, search: Search) -> None:
    stream = io.BytesIO()
    np.savez(stream, **search.arrays())  # type: ignore[arg-type]
    path = _kept_at(digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    hidden = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
    try:
        handle = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        with os.fdopen(handle, "wb") as out:
            out.write(stream.getbuffer())
        hidden.replace(path)
    finally:
        hidden.unlink(missing_ok=True)


def _taken_up(digest: str, size: int) -> Search | None:
    try:
        with _kept_at(digest).open("rb") as stream, np.load(stream, allow_pickle=False) as kept:
            return search_from({name: kept[name] for name in kept.files}, size)
    except (OSError, ValueError, EOFError, KeyError, ArithmeticError):
        return None
    except Exception as error:  # zipfile's own
        if type(error).__name__ != "BadZipFile":
            raise
        return None
