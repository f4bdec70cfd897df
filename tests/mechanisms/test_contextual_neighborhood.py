"""Contextual neighborhoods: exact rows after every past, the exact law of short documents, and what draws look at."""

import itertools
import json
import math
import pickle
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.helpers.language_models import BigramModel
from tests.helpers.listing_models import TinyBigrams
from tests.helpers.sequence_laws import joint_law, p_value
from tests.helpers.shared import needs_lab
from tests.helpers.vocabularies import made_vocabulary

from textveil import catalog
from textveil.errors import ParameterError, UnsupportedGuarantee
from textveil.mechanisms.contextual_neighborhood import ContextualNeighborhood, reading_releases
from textveil.mechanisms.kinds import SequenceMechanism, WordMechanism
from textveil.mechanisms.word_filter import DocumentPlaces, Followed, _sums_by_word
from textveil.models.ngram import embedded_language_model
from textveil.numerics.base_weights import BaseWeights, GrowingWeights
from textveil.privacy.guarantees import Status
from textveil.randomness import seeded_generator
from textveil.sanitize.explanation import explain
from textveil.sanitize.sanitizer import Sanitizer
from textveil.types import Ids
from textveil.vocabulary.facts import WordFrequencies
from textveil.vocabulary.vocabulary import Vocabulary

ALPHA = 1e-6
SIZE = 5
WORDS = made_vocabulary(SIZE)


def frequencies(size: int) -> WordFrequencies:
    names = np.arange(size) % 5 == 3
    return WordFrequencies(np.arange(size, 0, -1) * 7, names, "made")


@cache
def made(epsilon: float = 2.0, *, size: int = SIZE, context_weight: float = 1.0, **options: Any) -> Any:
    words = WORDS if size == SIZE else made_vocabulary(size)
    model = TinyBigrams(size, listed=min(20, size // 2))
    return reading_releases(
        words, frequencies(size), epsilon=epsilon, model=model, context_weight=context_weight, **options
    )


def rows(mechanism: ContextualNeighborhood, past: tuple[int, ...]) -> np.ndarray:
    """Integer weights of all words after ``past``, as Python's integers."""
    size = len(mechanism.vocabulary)
    return mechanism.integer_weights_after(np.array(past, dtype=np.int64), np.arange(size)).astype(object)


def pasts(longest: int) -> list[tuple[int, ...]]:
    return [past for length in range(longest + 1) for past in itertools.product(range(SIZE), repeat=length)]


@pytest.mark.parametrize("epsilon", [0.3, 2.0, 9.0])
@pytest.mark.parametrize("context_weight", [0.0, 0.5, 16.0])
def test_every_row_after_every_past_keeps_epsilon_exactly(epsilon: float, context_weight: float) -> None:
    mechanism = made(epsilon, context_weight=context_weight)
    weights = mechanism.weights
    slot = 1 << weights.fixed.shift
    bound = Fraction(slot + weights.each * weights.fixed.unit, slot)
    assert math.log(bound) <= mechanism.guarantee.epsilon * (1 + 1e-12)
    assert mechanism.guarantee.status is Status.PROVED
    for past in pasts(3):
        table = rows(mechanism, past)
        assert len({int(total) for total in table.sum(axis=1)}) == 1
        assert max(Fraction(int(one), int(other)) for y in table.T for one in y for other in y) <= bound


def test_rows_are_those_of_the_page_for_what_is_lent() -> None:
    """One word at a time: its nearest first, each raised to what its slots allow, the last by what is missing."""
    mechanism = made(2.0)
    fixed, size = mechanism.weights.fixed, SIZE
    units = WORDS.vectors / np.linalg.norm(WORDS.vectors, axis=1, keepdims=True)
    for past in pasts(2):
        table = rows(mechanism, past)
        base = table.min(axis=0)
        slots = [int(one) >> fixed.shift for one in base]
        assert all(int(one) == slot << fixed.shift for one, slot in zip(base, slots, strict=True))
        for x in range(size):
            left, row = fixed.row_gain, [int(one) for one in base]
            for y in sorted(range(size), key=lambda y: (y != x, -float(units[x] @ units[y]))):
                gain = min(slots[y] * mechanism.weights.each, left)
                row[y] += gain * fixed.unit
                left -= gain
            assert left == 0 and row == [int(one) for one in table[x]]


def lent(mechanism: ContextualNeighborhood, past: tuple[int, ...]) -> np.ndarray:
    """Slots beyond the fixed ones after ``past``: the least weight of each output tells."""
    least = rows(mechanism, past).min(axis=0).astype(np.int64)
    return (least >> mechanism.weights.fixed.shift) - mechanism.weights.fixed.counts


def test_a_model_that_lists_every_word_or_promises_too_much_lends_no_more_than_there_is() -> None:
    start = np.array([5.0, 1.0, 2.0, 0.5, 1.5])
    model = BigramModel(np.random.default_rng(2).gamma(0.5, size=(SIZE, SIZE)) + 1e-3, start)
    for extra in (0.0, 1.0):
        model.table += extra
        mechanism = reading_releases(WORDS, frequencies(SIZE), epsilon=1.0, model=model, context_weight=0.05)
        drawn = mechanism.privatize_documents(np.arange(60) % SIZE, np.array([0, 25, 60]), seeded_generator(1))
        assert len(drawn) == 60
        slots = [int(lent(mechanism, past).sum()) for past in pasts(1)]
        assert 0 < max(slots) <= mechanism.weights.growth


def test_names_are_lent_nothing_and_no_word_more_than_a_row_can_raise() -> None:
    mechanism = made(2.0)
    weights = mechanism.weights
    seen = np.array([lent(mechanism, past) for past in pasts(2)])
    assert (seen[:, 3] == 0).all() and (seen >= 0).all()
    most = weights.fixed.row_gain // weights.each
    assert ((seen + weights.fixed.counts)[seen > 0] <= most).all()
    assert len(np.unique(seen, axis=0)) > SIZE


def test_the_first_place_follows_the_model_and_the_second_the_filter() -> None:
    """The exact filter by hand, with the two memories beside the model; slots to one in a thousand."""
    mechanism = made(2.0, context_weight=1.0)
    model = TinyBigrams(SIZE, listed=2)
    growth, room = mechanism.weights.growth, mechanism.weights.room
    unigram = np.exp(model.unigram.astype(float))
    listed = 0.9 * (model.table.astype(float) - 0.3 * unigram)
    listed[listed < 4e-5] = 0

    def expected(chances: np.ndarray) -> np.ndarray:
        whole = chances + (1 - chances.sum()) * unigram
        return np.where(chances > 0, np.minimum(whole * growth, room), 0)

    assert lent(mechanism, ()) == pytest.approx(expected(listed[SIZE]), rel=5e-3, abs=2)
    first = listed[SIZE] + (1 - listed[SIZE].sum()) * unigram
    table, bare = rows(mechanism, ()).astype(float), rows(made(2.0, context_weight=0.0), ()).astype(float)
    whole = table.diagonal() - table.min(axis=0) == table.sum(axis=1)[0] - table.min(axis=0).sum()
    for y in range(SIZE):
        looked_at = (bare[:, y] > bare[:, y].min()) & ~whole  # whose row could reach y, were nothing lent
        looked_at[y] = True
        likely = first * table[:, y] / table[:, y].min()
        posterior = likely / likely.sum()
        posterior[(listed[SIZE] == 0) & ~looked_at] = 0
        states = posterior @ listed[:SIZE]
        best = np.argsort(-posterior * looked_at)[:2]
        memorable = [word for word in best if looked_at[word] and room[word] > 0 and posterior[word] >= 0.05]
        states[memorable] += 0.05 * posterior[memorable]
        topical = np.flatnonzero((room > 0) & ~np.isin(np.arange(SIZE), np.argsort(-unigram)[: SIZE // 2]))
        if y in topical:
            around = [word for word in range(SIZE) if word != y]
            states[around] += 0.05 * np.sqrt(unigram[around]) / np.sqrt(unigram[around]).sum()
        assert lent(mechanism, (y,)) == pytest.approx(expected(states), rel=0.01, abs=2)


@pytest.mark.slow
@pytest.mark.parametrize("length", [2, 3])
def test_documents_that_differ_in_one_word_lose_epsilon_and_no_more(length: int) -> None:
    mechanism = made(1.0)
    weights = mechanism.weights
    slot = 1 << weights.fixed.shift
    bound = Fraction(slot + weights.each * weights.fixed.unit, slot)
    documents = list(itertools.product(range(SIZE), repeat=length))
    documents = documents if length == 2 else [one for one in documents if one[1] == 2]
    laws = {document: joint_law(mechanism, document) for document in documents}
    worst: dict[int, Fraction] = {}
    for one, other in itertools.permutations(laws, 2):
        differ = sum(a != b for a, b in zip(one, other, strict=True))
        ratio = max(laws[one][y] / laws[other][y] for y in laws[one])
        worst[differ] = max(worst.get(differ, Fraction(0)), ratio)
    assert all(ratio <= bound**differ for differ, ratio in worst.items())
    assert float(worst[1]) > math.exp(0.9) and worst[2] > bound


@pytest.mark.parametrize("document", [(2, 2), (0, 3)])
def test_draws_follow_the_exact_law_whatever_stands_beside(document: tuple[int, ...]) -> None:
    """Alpha 1e-6; a law with a little more lent is told apart."""
    mechanism = made(1.5)
    assert p_value(mechanism, joint_law(mechanism, document), document, 30_000) > ALPHA
    assert p_value(mechanism, joint_law(made(1.5, context_weight=0.6), document), document, 30_000) < ALPHA


def test_a_filter_that_is_fed_with_originals_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mutant reads the words of the document where it should read what was released for them."""
    mechanism = made(1.5)
    law = joint_law(mechanism, (0, 3))
    draw, released = DocumentPlaces.draw, Followed.released
    seen: dict[int, Ids] = {}

    def noted(places: DocumentPlaces, inputs: Ids, rng: Any) -> Ids:
        seen[id(places)] = inputs
        return draw(places, inputs, rng)

    monkeypatch.setattr(DocumentPlaces, "draw", noted)
    assert p_value(mechanism, law, (0, 3), 30_000) > ALPHA
    monkeypatch.setattr(Followed, "released", lambda self, outputs, places: released(self, seen[id(places)], places))
    assert p_value(mechanism, law, (0, 3), 30_000) < ALPHA


@needs_lab
def test_an_audit_computes_and_samples_it() -> None:
    from textveil_lab.audit.whole_audit import audit_mechanism

    found = audit_mechanism(made(1.0), samples=2000, seed=1).findings
    assert [(one.method, one.verdict.value) for one in found] == [
        ("exact sequences", "not refuted"),
        ("sampled", "not refuted"),
    ]
    assert found[0].epsilon.estimate == pytest.approx(1.0, rel=1e-6)


def documents(size: int, count: int, longest: int) -> list[np.ndarray]:
    rng = np.random.default_rng(8)
    return [rng.integers(0, size, length) for length in rng.integers(0, longest, count)]


def lent_beside(mechanism: ContextualNeighborhood, texts: list[np.ndarray]) -> list[tuple[list[int], list[int]]]:
    """Words and slots lent at every place of these releases, in the order in which words own slots."""
    outputs, edges = np.concatenate(texts), np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    lent: list[Any] = [None] * len(outputs)
    every = np.arange(len(mechanism.vocabulary))
    for step in mechanism.steps(edges):
        for document, place in enumerate(step.at.tolist()):
            own = step.places.lent.documents == document
            words, slots = step.places.lent.words[own], step.places.lent.slots[own]
            lent[place] = (words.tolist(), slots.tolist())
            expected = mechanism.weights.fixed.counts.copy()
            np.add.at(expected, words, slots)
            assert np.array_equal(step.places.counts(document, every), expected)
            assert step.places.lent.sums[document] == slots.sum() and len(set(words.tolist())) == len(words)
        step.followed.released(outputs[step.at], step.places)
    return lent


def test_all_slots_lent_side_by_side_are_those_lent_one_by_one() -> None:
    """Exact, with the order of their owners; kills sums over the lists of other documents, and words not forgotten."""
    mechanism = made(6.0, size=300)
    texts = documents(300, 24, 30)
    alone = [place for text in texts if len(text) for place in lent_beside(mechanism, [text])]
    assert lent_beside(mechanism, texts) == alone
    assert max(len(words) for words, _ in alone) > 40


def test_lists_are_added_up_word_by_word_in_their_order() -> None:
    """Against sums one by one, to the last bit; kills lists that are added in another order or to another document."""
    rng = np.random.default_rng(3)
    whose, lengths = rng.permutation(np.repeat(np.arange(5), 4)), rng.integers(0, 30, 20)
    words, chances = rng.integers(0, 12, lengths.sum()).astype(np.int32), rng.random(lengths.sum()) ** 8
    found = _sums_by_word(6, 12, whose, lengths, words, chances)
    expected, listed = np.zeros((6, 12)), np.zeros(6)
    for document, word, chance in zip(np.repeat(whose, lengths), words, chances, strict=True):
        expected[document, word] += chance
        listed[document] += chance
    assert found.words.toarray().tobytes() == expected.tobytes()
    assert found.listed.tobytes() == listed.tobytes()


def test_seeds_copies_and_empty_documents() -> None:
    mechanism = made(2.0, size=300)
    texts = documents(300, 20, 9)
    ids, bounds = np.concatenate(texts), np.concatenate([[0], np.cumsum([len(one) for one in texts])])
    drawn = mechanism.privatize_documents(ids, bounds, seeded_generator(4))
    assert drawn.dtype == np.int64 and drawn.shape == ids.shape and 0 <= drawn.min() <= drawn.max() < 300
    for one in (mechanism, pickle.loads(pickle.dumps(mechanism))):
        assert np.array_equal(one.privatize_documents(ids, bounds, seeded_generator(4)), drawn)
    assert not np.array_equal(mechanism.privatize_documents(ids, bounds, seeded_generator(5)), drawn)
    assert len(mechanism.privatize_documents(ids[:0], np.zeros(4, np.int64), seeded_generator(4))) == 0
    assert len(mechanism.privatize_documents(ids[:0], np.zeros(1, np.int64))) == 0
    assert mechanism.privatize_documents(ids[:1], np.array([0, 0, 1, 1]), seeded_generator(4)).shape == (1,)


def test_predicted_words_stay_more_often() -> None:
    """A document of the model's own likeliest words keeps more of them than without a context."""
    kept = []
    for context_weight in (0.0, 16.0):
        mechanism = made(6.0, size=300, context_weight=context_weight)
        table = TinyBigrams(300, listed=20).table.copy()
        table[:, 3::5] = 0  # names
        text = [int(table[300].argmax())]
        while len(text) < 30:
            text.append(int(table[text[-1]].argmax()))
        ids = np.tile(text, 200)
        drawn = mechanism.privatize_documents(ids, 30 * np.arange(201), seeded_generator(2))
        kept.append(float((drawn == ids).mean()))
    assert kept[1] > 1.5 * kept[0]


def test_the_protocols_tell_what_it_is() -> None:
    mechanism = made()
    assert isinstance(mechanism, SequenceMechanism) and not isinstance(mechanism, WordMechanism)
    assert mechanism.name == "neighborhood" and mechanism.parameters["context"] == "released"
    assert mechanism.parameters["language_model"] == "tiny bigrams"


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="model must be one of the vocabulary's 5 words; got one of 6 words"):
        reading_releases(WORDS, frequencies(SIZE), epsilon=2.0, model=TinyBigrams(6))
    with pytest.raises(ParameterError, match="vocabulary must be the embedded one"):
        reading_releases(WORDS, frequencies(SIZE), epsilon=2.0)
    with pytest.raises(ParameterError, match="base_mass must be more than"):
        reading_releases(WORDS, frequencies(SIZE), epsilon=2.0, model=TinyBigrams(SIZE), base_mass=0.1)
    mechanism = made()
    for bounds in ([0, 2], [1, 3], [0, 3, 2]):
        with pytest.raises(ParameterError):
            mechanism.privatize_documents(np.arange(3), np.array(bounds))
    with pytest.raises(ParameterError):
        mechanism.privatize_documents(np.array([SIZE]), np.array([0, 1]))


def test_who_needs_words_alone_is_told_what_to_leave_out() -> None:
    with pytest.raises(UnsupportedGuarantee, match=r"neighborhood, whose draws .* Leave out `context`"):
        explain(made(), "word")


def test_lent_slots_are_bounded() -> None:
    fixed = BaseWeights(counts=np.array([3, 1]), shift=4, gains=np.array([6, 4]), row_gain=6, unit=2)
    weights = GrowingWeights(fixed=fixed, each=4, room=np.array([0, 1]), growth=1)
    lent = weights.lent(np.array([0, 0]), np.array([0, 1]), np.array([9, 9]), 2)
    assert (lent.words.tolist(), lent.slots.tolist(), lent.sums.tolist()) == ([0, 1], [0, 1], [1, 0])
    with pytest.raises(ParameterError, match="wanted must be at most 0"):
        GrowingWeights(fixed=fixed, each=4, room=np.array([0, 1]), growth=0).lent(
            np.array([0]), np.array([1]), np.array([1]), 1
        )
    with pytest.raises(ParameterError, match="slots times each"):
        GrowingWeights(fixed=fixed, each=3, room=np.array([0, 1]), growth=1)


@pytest.mark.slow
def test_of_the_embedded_vocabulary_a_sanitizer_reports_it_and_it_draws_the_same_again(embedded: Vocabulary) -> None:
    mechanism: Any = catalog.mechanism("neighborhood", embedded, epsilon=8.0, context="released")
    assert isinstance(mechanism, ContextualNeighborhood)
    texts = ["The river rises in the mountains, and flows into 2 seas.", "", "Maria", "It was a cold day in the north."]
    releases = Sanitizer(mechanism, rng=seeded_generator(3)).batch(texts)
    assert [one.kinds.get("word", 0) for one in releases] == [10, 0, 1, 8]
    assert releases[0].guarantee_per_token.approximate().epsilon == pytest.approx(8.0)
    report = json.loads(json.dumps(releases[0].report().to_data()))
    parameters = report["mechanism"]["parameters"]
    assert (parameters["context"], parameters["language_model"]) == ("released", embedded_language_model().name)
    again: Any = catalog.mechanism("neighborhood", embedded, epsilon=8.0, context="released")
    ids, bounds = np.arange(40) * 211, np.array([0, 13, 40])
    drawn = mechanism.privatize_documents(ids, bounds, seeded_generator(9))
    assert np.array_equal(again.privatize_documents(ids, bounds, seeded_generator(9)), drawn)
    first, second = mechanism.integer_weights_after(drawn[:13], np.array([0, 4000])).astype(object)
    assert first.sum() == second.sum()
    worst = max(max(one, other) / min(one, other) for one, other in zip(first, second, strict=True))
    assert 7.9 < math.log(worst) <= 8.0
