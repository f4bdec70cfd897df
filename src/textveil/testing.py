"""Checks that third parties run on their own mechanisms: what textveil demands of its own.

from textveil.testing import check_mechanism

check_mechanism(my_constructor, vocabulary)  # raises AssertionError with what is wrong
"""

import json
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textveil.catalog import entries
from textveil.errors import ParameterError
from textveil.mechanisms.declaration import CatalogEntry, entry_of
from textveil.mechanisms.kinds import (
    Channel,
    IntegerWeights,
    Mechanism,
    SequenceMechanism,
    SetMechanism,
    TextMechanism,
    VectorMechanism,
    WordMechanism,
)
from textveil.privacy.guarantees import Status
from textveil.privacy.proved import module_of
from textveil.randomness import seeded_generator
from textveil.registry.options import Option, options_of
from textveil.surrogates.making import surrogate_entries
from textveil.vocabulary.vocabulary import Vocabulary

_SEED = 20_260


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
        **options: of the mechanism; epsilon is 1 if it is an option and none is given.

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
