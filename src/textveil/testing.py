"""Checks that third parties run on their own backends and mechanisms: what textveil demands of its own.

from textveil.testing import check_language_model, check_mechanism, check_projection

check_projection(my_backend, vectors)          # raises AssertionError with what is wrong
check_mechanism(my_constructor, vocabulary)
check_language_model(my_model)
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.catalog import entries
from textveil.errors import ParameterError
from textveil.mechanisms.capabilities import IntegerWeights
from textveil.mechanisms.declaration import CatalogEntry, entry_of
from textveil.mechanisms.kinds import (
    Channel,
    Mechanism,
    SequenceMechanism,
    SetMechanism,
    TextMechanism,
    VectorMechanism,
    WordMechanism,
)
from textveil.mechanisms.options import Option, options_of
from textveil.models.language_model import ContinuationModel, LanguageModel
from textveil.nearest.exact_numpy import exact_numpy
from textveil.nearest.projection import Projection
from textveil.privacy.guarantees import Status
from textveil.privacy.proved import module_of
from textveil.randomness import seeded_generator
from textveil.surrogates.making import surrogate_entries
from textveil.types import Ids, Reals, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

_BATCHES = (0, 1, 7, 64, 513)
_SEED = 20_260


def check_projection(
    make: Callable[[Vectors], Projection], vectors: Vectors | None = None, *, seed: int = _SEED
) -> None:
    """Hold a nearest-word backend against brute force in float64, and against NumPy's.

    Asked are points near rows, far from all rows, the rows themselves and the origin, in batches of several
    sizes, over the given vectors, over few and many made ones, over identical rows, over rows of very
    different lengths, and over small integers, where ties are real. An exact backend must return a row whose
    distance is least, up to the rounding of a float32 inner product; of identical rows, the first. An
    approximate one must return ids of the right shape. Both must refuse queries of another dimension.

    Args:
        make: makes the backend from vectors, float32, shape (n, dim).
        vectors: a table to check as well; None checks the made ones alone.
        seed: of the made vectors and of the queries.

    Raises:
        AssertionError: the backend fails; the message says on what.
    """
    rng = np.random.default_rng(seed)
    tables = _tables(rng)
    if vectors is not None:
        tables["the given vectors"] = vectors
    assert callable(make), f"make must be a function from vectors to a backend; got {type(make).__name__}"
    for name, table in tables.items():
        backend = make(table)
        _check_kind(backend)
        for batch in _BATCHES:
            _check_batch(backend, name, table, _queries(table, batch, rng))
        _check_refusal(backend, table.shape[1])


def _check_kind(backend: object) -> None:
    """A backend is called and says whether it is exact: a plain function does not."""
    kind = type(backend).__name__
    assert callable(backend), f"make must return a backend, which can be called on queries; it returned {kind}"
    exact = getattr(backend, "exact", None)
    assert isinstance(exact, bool | np.bool_), (
        f"a backend must have a property `exact`, True or False; the {kind} that make returned has "
        f"{'none' if exact is None else type(exact).__name__}. See textveil.nearest.projection.Projection."
    )


def _tables(rng: np.random.Generator) -> dict[str, Vectors]:
    plain = rng.normal(size=(3000, 40)).astype(np.float32)
    return {
        "one row": plain[:1],
        "two rows": plain[:2],
        "few rows": plain[:33],
        "many rows": plain,
        "rows far from the origin": plain[:1500] + 40,
        "rows of very different lengths": plain[:2000] * np.geomspace(1e-3, 1e3, 2000, dtype=np.float32)[:, None],
        "one dimension": plain[:1200, :1],
        "identical rows": np.repeat(plain[:400], 5, axis=0)[rng.permutation(2000)],
        "small integers": rng.integers(-2, 3, size=(1500, 6)).astype(np.float32),
        "all rows zero": np.zeros((40, 8), dtype=np.float32),
    }


def _queries(table: Vectors, batch: int, rng: np.random.Generator) -> Vectors:
    """Rows themselves, rows with little and with much noise, and the origin."""
    near = table[rng.integers(0, len(table), batch)]
    noise = rng.normal(size=near.shape) * table.std() * np.resize([0.0, 0.1, 1.0, 20.0], batch)[:, None]
    points = (near + noise).astype(np.float32)
    if np.array_equal(table, np.rint(table)):
        points = np.rint(points)
    points[:1] = 0
    return points


def _check_batch(backend: Projection, name: str, table: Vectors, queries: Vectors) -> None:
    what = f"{name}, batch {len(queries)}"
    kept = queries.copy()
    ids: Ids = backend(queries)
    assert isinstance(ids, np.ndarray) and ids.dtype == np.int64, f"{what}: ids must be an int64 array"
    assert ids.shape == (len(queries),), f"{what}: ids must have shape ({len(queries)},); got {ids.shape}"
    assert np.array_equal(queries, kept), f"{what}: queries must not be written to"
    if not len(queries):
        return
    assert int(ids.min()) >= 0 and int(ids.max()) < len(table), f"{what}: ids must be in [0, {len(table)})"
    if not backend.exact:
        return
    excess, allowed = _excess(table, queries, ids)
    worst = int(np.argmax(excess - allowed))
    assert excess[worst] <= allowed[worst], (
        f"{what}: the row must be the nearest; query {worst} got one whose score is {excess[worst]:.3g} below "
        f"the best, and {allowed[worst]:.3g} is rounding"
    )
    _, first, which = np.unique(table, axis=0, return_index=True, return_inverse=True)
    assert np.array_equal(first[which.reshape(-1)[ids]], ids), f"{what}: of identical rows the first must be returned"
    reference = exact_numpy(table)(queries)
    differ = ids != reference
    close, rounding = _excess(table, queries, reference)
    assert np.all((excess - close)[differ] <= rounding[differ]), f"{what}: differs from NumPy's beyond rounding"


def _excess(table: Vectors, queries: Vectors, ids: Ids) -> tuple[Reals, NDArray[np.float64]]:
    """By how much the scores z.v - ||v||^2 / 2 of what was found stay below the best, and what rounding allows."""
    rows, points = table.astype(np.float64), queries.astype(np.float64)
    halves = (rows**2).sum(axis=1) / 2
    scores = points @ rows.T - halves
    excess = scores.max(axis=1) - scores[np.arange(len(points)), ids]
    longest = np.sqrt(2 * halves.max())
    allowed = 4 * (table.shape[1] + 8) * 2.0**-24 * longest * (np.linalg.norm(points, axis=1) + longest)
    return excess, allowed


def _check_refusal(backend: Projection, dim: int) -> None:
    for shape in ((3, dim + 1), (dim,)):
        try:
            backend(np.zeros(shape, dtype=np.float32))
        except ParameterError:
            continue
        except Exception as error:
            instead = f"it raised {type(error).__name__}"
        else:
            instead = "it answered"
        raise AssertionError(
            f"queries of shape {shape} must be refused with a ParameterError where dim is {dim}; {instead}"
        )


def check_mechanism(
    constructor: Callable[..., Mechanism], vocabulary: Vocabulary, *, seed: int = _SEED, **options: Any
) -> Mechanism:
    """Hold a declared mechanism against its declaration and against what mechanisms promise.

    The declaration has a proof that exists, where the status needs one, and options with help and a domain. What is
    made states the name, the status and the source that are declared, and names every option that was given. Its draws
    are ids of the vocabulary, sets of them, texts or vectors, by the kind of mechanism, the same under the same seed,
    also of a pickled copy; ids outside, and vectors that are none, are refused. A channel's rows are probabilities, and
    its integer weights give them. Whether the guarantee is true is another question: ask ``textveil.audit``.

    Args:
        constructor: a function that ``textveil.mechanisms.declaration.declared`` decorates.
        vocabulary: to make it with.
        seed: of the draws.
        **options: of the mechanism; epsilon is 1 where it is an option and none is given.

    Returns:
        The mechanism that was made.

    Raises:
        AssertionError: the mechanism fails; the message says where.
    """
    entry = entry_of(constructor)
    assert entry is not None, "the constructor must be decorated with textveil.mechanisms.declaration.declared"
    declarations = options_of(constructor)
    _check_declaration(entry, declarations)
    if "epsilon" in declarations and not options.keys() & {"epsilon", "epsilon_per_distance"}:
        options["epsilon"] = 1.0
    mechanism = constructor(vocabulary, **options)
    assert isinstance(mechanism, Mechanism), (
        f"the constructor must make a Mechanism; it made a {type(mechanism).__name__}"
    )
    assert mechanism.name == entry.name, f"name is {mechanism.name!r}, and {entry.name!r} is declared"
    stated = (mechanism.guarantee.status, mechanism.guarantee.source)
    assert stated == (entry.status, entry.proof), f"{stated} is stated, and {(entry.status, entry.proof)} declared"
    missing = {name for name, value in options.items() if value is not None} - set(mechanism.parameters)
    assert not missing, f"parameters must hold every option that was given; {sorted(missing)} are missing"
    json.dumps(dict(mechanism.parameters))
    size = len(getattr(mechanism, "vocabulary", vocabulary))  # some bring words of their own
    _check_draws(mechanism, size, seed)
    _check_rows(mechanism, size)
    return mechanism


def makers(package: str) -> set[tuple[str, str]]:
    """The modules of a package that make what the catalog and the table of surrogates hold, each with its proof."""
    made = [(entry.target.partition(":")[0], entry.proof) for entry in entries().values()]
    made += [(module_of(entry.make), entry.proof) for entry in surrogate_entries().values()]
    return {(module, proof) for module, proof in made if module.partition(".")[0] == package}


def _check_declaration(entry: CatalogEntry, options: Mapping[str, Option]) -> None:
    assert entry.summary.endswith("."), "the summary must be a sentence"
    if entry.status in (Status.PROVED, Status.REFUTED):
        assert entry.proof_file() is not None, f"there is no file {entry.proof!r}, and the status says that there is"
    for name, option in options.items():
        assert option.help.endswith("."), f"option {name} must have a help text, a sentence"
        assert option.domain.wanted, f"option {name} must have a domain"


def _check_draws(mechanism: Mechanism, size: int, seed: int) -> None:
    """Shapes, types and repeatability of draws, and the refusal of ids that are no words."""
    if isinstance(mechanism, TextMechanism):
        _check_texts(mechanism, seed)
        return
    if isinstance(mechanism, VectorMechanism):
        _check_vectors(mechanism, seed)
        return
    ids = np.arange(5 * size, dtype=np.int64) % size
    drawn = _drawn(mechanism, ids, seed)
    shape = (len(ids), *drawn.shape[1:2]) if isinstance(mechanism, SetMechanism) else ids.shape
    assert drawn.dtype == np.int64 and drawn.shape == shape, f"draws must be int64 of shape {shape}"
    assert bool((drawn >= 0).all() and (drawn < size).all()), f"draws must be in [0, {size})"
    assert np.array_equal(ids, np.arange(5 * size) % size), "ids must not be written to"
    assert len(_drawn(mechanism, ids[:0], seed)) == 0, "no ids must give no draws"
    copy = pickle.loads(pickle.dumps(mechanism))
    for instance, which in ((mechanism, "the mechanism"), (copy, "a pickled copy")):
        assert np.array_equal(_drawn(instance, ids, seed), drawn), f"{which} must draw the same under the same seed"
    for outside in ([size], [-1], [0.5], [[0]]):
        try:
            _drawn(mechanism, np.array(outside), seed)
        except ParameterError:
            continue
        raise AssertionError(f"ids {outside} must be refused with a ParameterError")


def _drawn(mechanism: WordMechanism | SequenceMechanism | SetMechanism, ids: NDArray[Any], seed: int) -> NDArray[Any]:
    """Draws for words, in documents of three words and one of the rest where the mechanism looks at documents."""
    rng = seeded_generator(seed)
    if isinstance(mechanism, SequenceMechanism):
        return mechanism.privatize_documents(ids, np.append(np.arange(0, len(ids), 3), len(ids)), rng)
    return mechanism.privatize_sets(ids, rng) if isinstance(mechanism, SetMechanism) else mechanism.privatize(ids, rng)


def _check_vectors(mechanism: VectorMechanism, seed: int) -> None:
    """A vector for each vector, the same under the same seed; what is no vector of finite numbers is refused."""
    vectors = np.linspace(-1.0, 1.0, 7 * mechanism.dim).reshape(7, mechanism.dim)
    kept = vectors.copy()
    drawn = mechanism.privatize_vectors(vectors, seeded_generator(seed))
    assert drawn.dtype == np.float64, f"draws must be float64; got {drawn.dtype}"
    assert drawn.shape == (7, mechanism.released_dim), (
        f"draws must have shape {(7, mechanism.released_dim)}; got {drawn.shape}"
    )
    assert bool(np.isfinite(drawn).all()), "draws must be finite"
    assert np.array_equal(vectors, kept), "vectors must not be written to"
    assert mechanism.privatize_vectors(vectors[:0], seeded_generator(seed)).shape == (0, mechanism.released_dim)
    copy = pickle.loads(pickle.dumps(mechanism))
    for instance, which in ((mechanism, "the mechanism"), (copy, "a pickled copy")):
        again = instance.privatize_vectors(vectors, seeded_generator(seed))
        assert np.array_equal(again, drawn), f"{which} must draw the same under the same seed"
    for wrong in (vectors[0], np.zeros((1, mechanism.dim + 1)), np.full((1, mechanism.dim), np.nan)):
        try:
            mechanism.privatize_vectors(wrong)
        except ParameterError:
            continue
        raise AssertionError(f"vectors of shape {wrong.shape} that are wrong must be refused with a ParameterError")


def _check_texts(mechanism: TextMechanism, seed: int) -> None:
    """A text for each text, the same under the same seed."""
    texts = ["", "one word", "One word, and 2 more.", "one word"]
    drawn = mechanism.privatize_texts(texts, seeded_generator(seed))
    assert len(drawn) == len(texts) and all(isinstance(text, str) for text in drawn), "a str must come for each text"
    assert mechanism.privatize_texts([], seeded_generator(seed)) == [], "no texts must give no draws"
    copy = pickle.loads(pickle.dumps(mechanism))
    for instance, which in ((mechanism, "the mechanism"), (copy, "a pickled copy")):
        again = instance.privatize_texts(texts, seeded_generator(seed))
        assert again == drawn, f"{which} must draw the same under the same seed"


def _check_rows(mechanism: Mechanism, size: int) -> None:
    """Rows of a channel are probabilities; integer weights have positive sums below 2^62 and give these rows."""
    words = np.unique(np.linspace(0, size - 1, min(size, 50)).astype(np.int64))
    rows = [mechanism.probabilities(int(word)) for word in words] if isinstance(mechanism, Channel) else []
    for row in rows:
        assert row.shape == (size,) and bool((row >= 0).all()), f"rows must have shape ({size},) and no negative entry"
        assert abs(float(row.sum()) - 1) < 1e-9, f"rows must sum to 1; one sums to {float(row.sum())}"
    if isinstance(mechanism, IntegerWeights):
        weights = mechanism.integer_weights(words)
        totals = weights.astype(object).sum(axis=1)
        assert weights.shape == (len(words), size) and weights.dtype == np.int64, "weights must be int64, a row a word"
        assert all(0 < total < 2**62 for total in totals), "sums of weights must be above 0 and below 2^62"
        assert bool((weights >= 0).all()), "weights must not be negative"
        shares = weights / totals[:, None].astype(np.float64)
        assert not rows or np.allclose(shares, rows, rtol=1e-9, atol=0), "weights must give the rows of probabilities"


def check_language_model(
    model: LanguageModel, *, contexts: int = 7, tolerance: float = 0.01, seed: int = _SEED
) -> None:
    """Hold a language model to its protocol: probabilities of words, the same however they are asked for.

    Asked is for every word after made-up contexts, and after one of boundaries alone. The probabilities must sum to 1;
    they must not depend on what else is asked for; ids that are none, and contexts of another length, must be refused.
    A model that lists continuations must say the same by them.

    Args:
        model: over a vocabulary of any size.
        contexts: how many are made up.
        tolerance: how far a sum may be from 1.
        seed: of the contexts.

    Raises:
        AssertionError: the model fails; the message says on what.
    """
    assert isinstance(model, LanguageModel), f"{type(model).__name__} must have name, digest, size, order and be asked"
    n, length = model.size, model.order - 1
    rng = np.random.default_rng(seed)
    asked = np.vstack([np.full((1, length), n), rng.integers(0, n + 2, (contexts, length))])
    every = np.broadcast_to(np.arange(n), (len(asked), n))
    logs = model.log_probabilities(asked, every)
    assert logs.dtype == np.float32, f"log probabilities must be float32; got {logs.dtype}"
    assert logs.shape == every.shape, f"log probabilities must have shape {every.shape}; got {logs.shape}"
    assert not np.isnan(logs).any() and logs.max() < tolerance, "log probabilities must be below 0, and not NaN"
    off = np.abs(np.exp(logs.astype(np.float64)).sum(axis=1) - 1).max()
    assert off < tolerance, f"probabilities after a context must sum to 1; one sum is off by {off:.3g}"
    order = rng.permutation(n)[: max(2, n // 3)]
    for row in range(len(asked)):
        alone = model.log_probabilities(asked[row : row + 1], order[None])
        same = np.allclose(alone[0], logs[row, order], rtol=0, atol=1e-3)
        assert same, f"what is said of a word must not depend on what else is asked for; context {row} differs"
    nothing = model.log_probabilities(asked[:0], every[:0])
    assert nothing.shape == (0, n), f"no contexts must give shape {(0, n)}; got {nothing.shape}"
    _refuses(lambda: model.log_probabilities(asked, every + 1), f"the word id {n}")
    _refuses(lambda: model.log_probabilities(asked, every[:-1]), "fewer rows of words than contexts")
    if length:
        _refuses(lambda: model.log_probabilities(asked + 2, every), f"the context id {n + 2}")
    if isinstance(model, ContinuationModel):
        _check_continuations(model, asked, logs)


def _refuses(call: Callable[[], object], what: str) -> None:
    """See that a call raises ``ParameterError``."""
    try:
        call()
    except ParameterError:
        return
    raise AssertionError(f"the model must refuse {what} with a ParameterError; it did not")


def _check_continuations(model: ContinuationModel, asked: Ids, logs: Vectors) -> None:
    """What is listed and what is left to other words must be the log probabilities."""
    starts, words, probabilities, rest = model.continuations(asked)
    for row in range(len(asked)):
        here = slice(starts[row], starts[row + 1])
        assert len(np.unique(words[here])) == len(words[here]), f"a word is listed twice after context {row}"
        law = rest[row] * np.exp(model.unigram.astype(np.float64))
        law[words[here]] = probabilities[here]
        same = np.allclose(law, np.exp(logs[row].astype(np.float64)), rtol=1e-3, atol=1e-9)
        assert same, f"continuations must say what log_probabilities say; context {row} differs"
