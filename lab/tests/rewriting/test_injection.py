"""Noise at a stated place, and what it promises."""

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from tests.helpers.vocabularies import made_vocabulary

from textveil.catalog import mechanism
from textveil.errors import ParameterError
from textveil.privacy.guarantees import NoGuarantee, Status
from textveil.types import Ids
from textveil_lab.models.autoencoder.network import AutoencoderSettings
from textveil_lab.noise.gaussian import Gaussian
from textveil_lab.rewriting.injection import Feeding, Injection, Place
from textveil_lab.rewriting.rewriter import train_rewriter, views_of

VOCABULARY = made_vocabulary(12)
NOISE = Gaussian(dim=8, sigma=1.0)
DRAWS = mechanism("neighborhood", VOCABULARY, epsilon=4.0)
VECTORS = mechanism("gaussian", VOCABULARY, epsilon=4.0, delta=1e-3, clip=1.5)


def sentences() -> list[Ids]:
    rng = np.random.default_rng(3)
    return [rng.integers(0, 12, size=rng.integers(1, 5)) for _ in range(40)]


def test_words_that_are_drawn_promise_what_the_mechanism_does() -> None:
    for place in (Place.TOKENS, Place.ENCODER_INPUT):
        found = Injection(place=place, mechanism=DRAWS)
        assert found.guarantee() == DRAWS.guarantee
        assert isinstance(found.guarantee(Feeding.CLEAN), NoGuarantee)


@pytest.mark.parametrize(
    ("injection", "reason"),
    [
        (Injection.none(), "there is no noise"),
        (Injection(place=Place.EMBEDDING_TABLE, noise=NOISE), "not which of them a sentence uses"),
        (Injection(place=Place.ENCODER_INPUT, noise=NOISE, one_vector_a_batch=True), "leaves the differences"),
        (Injection(place=Place.ENCODER_INPUT, noise=NOISE), "without a bound on their length"),
        (Injection(place=Place.ENCODER_INPUT, noise=NOISE, clip=1.0), "has to be proved"),
    ],
)
def test_what_promises_nothing_says_why(injection: Injection, reason: str) -> None:
    found = injection.guarantee()
    assert isinstance(found, NoGuarantee)
    assert reason in found.reason


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"place": Place.ENCODER_INPUT, "mechanism": DRAWS, "noise": NOISE},
            "given, or else a mechanism",
        ),
        ({"place": Place.TOKENS, "noise": NOISE}, "Give a `mechanism`, which ends in a word"),
        ({"place": Place.EMBEDDING_TABLE, "mechanism": DRAWS}, "mechanism must be left out for a table"),
        ({"place": Place.ENCODER_INPUT, "noise": NOISE, "clip": 0.0}, "clip must be > 0"),
        ({"place": Place.TOKENS, "mechanism": DRAWS, "clip": 1.0}, "clip must be the mechanism's own"),
        ({"place": Place.TOKENS, "one_vector_a_batch": True}, "one_vector_a_batch must be of noise"),
    ],
)
def test_parts_that_do_not_go_together_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Injection(**parts)


def test_a_mechanism_gives_its_words_or_its_noise_by_the_place() -> None:
    assert Injection.of(VECTORS, Place.TOKENS).mechanism is VECTORS
    found = Injection.of(VECTORS, Place.ENCODER_INPUT)
    assert (found.mechanism, found.noise, found.clip) == (None, VECTORS.distribution, 1.5)
    assert Injection.of(DRAWS, Place.ENCODER_INPUT).mechanism is DRAWS
    with pytest.raises(ParameterError, match="Give `noise`"):
        Injection.of(DRAWS, Place.EMBEDDING_TABLE)


def test_where_each_token_is_drawn_nothing_but_released_words_is_seen() -> None:
    given = sentences()
    released = Injection(place=Place.TOKENS, mechanism=DRAWS)
    views = views_of(released, given, Feeding.RELEASED, np.random.default_rng(1))
    assert views.read is views.fed
    assert [len(one) for one in views.read] == [len(one) for one in given]
    assert not np.array_equal(np.concatenate(views.read), np.concatenate(given))
    free = views_of(released, given, Feeding.FREE, np.random.default_rng(1))
    assert np.array_equal(np.concatenate(free.read), np.concatenate(views.read))


def test_a_mechanism_that_draws_in_order_gets_each_sentence_as_a_document() -> None:
    class Shifts:
        """Draws, for each word, the place of its document."""

        name, parameters, guarantee, vocabulary = "shifts", MappingProxyType({}), DRAWS.guarantee, VOCABULARY

        def privatize_documents(self, ids: Ids, bounds: Ids, rng: np.random.Generator | None = None) -> Ids:
            return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))

    drawn = Injection(place=Place.TOKENS, mechanism=Shifts())
    released = drawn.released([np.array([3, 3]), np.array([4]), np.array([5, 5, 5])], np.random.default_rng(1))
    assert [one.tolist() for one in released] == [[0, 0], [1], [2, 2, 2]]
    claim = drawn.guarantee()  # no registered function made it
    assert (claim.status, str(claim)) == (Status.CLAIMED, str(DRAWS.guarantee))


def test_without_released_words_none_can_be_fed() -> None:
    with pytest.raises(ParameterError, match=r"feeding must be clean or free.*encoder-input"):
        views_of(
            Injection(place=Place.ENCODER_INPUT, noise=NOISE), sentences(), Feeding.RELEASED, np.random.default_rng(1)
        )


def test_vectors_are_clipped_and_then_moved(rng: np.random.Generator) -> None:
    torch = pytest.importorskip("torch")
    vectors = torch.from_numpy(rng.normal(size=(200, 8)).astype(np.float32))
    clipped = Injection(place=Place.ENCODER_INPUT, clip=1.0).disturbing(rng)
    assert clipped is not None
    norms = clipped(vectors).norm(dim=1)
    assert torch.allclose(norms, vectors.norm(dim=1).clamp(max=1.0), atol=1e-6)
    for one, apart in ((True, 0), (False, 200 * 199)):
        found = Injection(place=Place.ENCODER_INPUT, noise=NOISE, one_vector_a_batch=one).disturbing(rng)
        assert found is not None
        moved = (found(vectors) - vectors).numpy()
        # Sums in single precision are rounded by less than 1e-6; two moves of eight dimensions lie further apart.
        assert (np.abs(moved[:, None] - moved).max(axis=2) > 1e-4).sum() == apart


def test_the_table_is_noised_once(rng: np.random.Generator) -> None:
    vectors = VOCABULARY.vectors
    found = Injection(place=Place.EMBEDDING_TABLE, noise=NOISE, clip=1.0).table(vectors, rng)
    assert found.shape == vectors.shape
    assert found.dtype == np.float32
    assert np.linalg.norm(found - vectors) > 1
    assert Injection.none().table(vectors, rng) is vectors


@pytest.mark.parametrize(
    ("injection", "message"),
    [
        (Injection(place=Place.TOKENS, mechanism=mechanism("neighborhood", made_vocabulary(13), epsilon=4.0)), "words"),
        (Injection(place=Place.ENCODER_INPUT, noise=Gaussian(dim=9, sigma=1.0)), "noise of 8 coordinates"),
    ],
)
def test_an_injection_of_another_vocabulary_is_refused(injection: Injection, message: str) -> None:
    pytest.importorskip("torch")
    settings = AutoencoderSettings(hidden=4, code=2, batch=20, epochs=1)
    with pytest.raises(ParameterError, match=f"injection must be .*{message}"):
        train_rewriter(sentences(), VOCABULARY, settings, injection, seed=1)
