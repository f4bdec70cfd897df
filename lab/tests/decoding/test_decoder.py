"""Decoding of texts: what comes back in which places, sentence by sentence, for channels and sequences."""

import numpy as np
import pytest
from tests.helpers.golden import release_reference
from tests.helpers.language_models import (
    BigramModel,
    TableChannel,
    TrigramModel,
    reference_model,
    reference_vocabulary,
)
from tests.helpers.vocabularies import lettered_vocabulary

from textveil.catalog import mechanism
from textveil.errors import InputError, ParameterError, UnsupportedGuarantee
from textveil.sanitize.sanitizer import Sanitizer
from textveil_lab.decoding.decoder import TextDecoder
from textveil_lab.decoding.evidence import DecoderOptions
from textveil_lab.posterior.words import WordPosterior
from textveil_lab.vocabulary.documents import ReleaseReader
from textveil_lab.vocabulary.geometry import normalize

EXACT = DecoderOptions(choose="text", candidates=6, width=6, model_weight=1)


def reference_decoder(case: int = 1, options: DecoderOptions = EXACT, **other) -> TextDecoder:
    channel = TableChannel(reference_vocabulary(), np.array(release_reference()["cases"][case]["rows"]))
    return TextDecoder(channel, reference_model(), options=options, workers=1, **other)


@pytest.mark.parametrize("case", range(3))
def test_texts_come_back_as_the_reference_says_with_all_else_in_its_place(case: int) -> None:
    data = release_reference()
    for one in data["cases"][case]["viterbi"]:
        released = [data["words"][word] for word in one["released"]]
        wanted = [data["words"][word] for word in one["original"]]
        texts = [form(released) for form in (plain, marked)]
        assert reference_decoder(case).texts(texts) == [form(wanted) for form in (plain, marked)]


def plain(words: list[str]) -> str:
    return capital(" ".join(words))


def marked(words: list[str]) -> str:
    """Two sentences of the same words, with marks that end none and a line that goes on."""
    first, *rest = words
    return f"({capital(first)}, {'  '.join(rest)}): \t{first}!\n".replace(f"\t{first}", "") + plain(words) + "?..."


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def test_the_language_decides_what_the_channel_leaves_open() -> None:
    """After "cat", only "the" follows, and "of" after a number: whatever was released, it says so little."""
    table = np.full((6, 6), 0.001)
    table[:, 0] = 1
    table[2, :] = [1e-6, 0.9, 1e-6, 0.1, 1e-6, 1e-6]
    model = BigramModel(table, np.array([0.01, 0.01, 1, 0.01, 0.01, 0.01]))
    channel = TableChannel(reference_vocabulary(), np.full((6, 6), 5) + np.eye(6, dtype=int))
    decoder = TextDecoder(channel, model, options=EXACT, workers=1)
    assert decoder.texts(["Dog dog dog. Car car", "12 dog dog [email] van"]) == [
        "Cat of the. Cat of",
        "12 cat of [email] cat",
    ]


@pytest.mark.parametrize("order", [2, 4])
def test_models_that_reach_far_see_the_sentence_before(order: int) -> None:
    seen: list[np.ndarray] = []

    class Spy(BigramModel):
        def log_probabilities(self, contexts, words):
            seen.append(contexts)
            return super().log_probabilities(contexts, words)

    model = Spy(np.ones((6, 6)), np.ones(6), order)
    channel = TableChannel(reference_vocabulary(), 1 + 10**6 * np.eye(6, dtype=int))
    TextDecoder(channel, model, options=EXACT, workers=1).texts(["Cat dog... 12 the!"])
    contexts = {tuple(row) for batch in seen for row in batch.tolist()}
    if order == 2:
        assert {(6,), (2,), (7,)} <= contexts
    else:
        assert {(6, 6, 6), (6, 6, 2), (3, 6, 7)} <= contexts


def test_the_most_probable_words_are_those_of_the_marginals() -> None:
    data = release_reference()
    one = data["cases"][1]["posterior"][0]
    text = plain([data["words"][word] for word in one["released"]])
    wanted = np.argmax(np.array(one["by_position"]), axis=1)
    decoder = reference_decoder(1, DecoderOptions(candidates=6, width=6, model_weight=1))
    read = ReleaseReader(data["words"]).read([text])
    assert decoder.words(read).tolist() == wanted.tolist()
    found = decoder.chances(read)
    np.testing.assert_allclose(found.chances.sum(axis=1), 1, atol=1e-5)
    vectors = reference_vocabulary().vectors
    np.testing.assert_allclose(decoder.vectors([text])[0], np.array(one["by_position"]) @ vectors, atol=1e-5)


def test_without_a_language_the_vectors_are_those_of_each_word_alone() -> None:
    vocabulary = lettered_vocabulary(40)
    channel = mechanism("neighborhood", vocabulary, epsilon=3.0)
    counts = 1 / (np.arange(40) + 2.7)
    model = BigramModel(np.tile(counts, (40, 1)), counts)
    texts = ["Waa wab. Wac", "", "12", "wbb"]
    decoder = TextDecoder(channel, model, options=DecoderOptions(candidates=40, width=40, model_weight=1), workers=1)
    found = decoder.vectors(texts)
    assert [one.shape for one in found] == [(3, 8), (0, 8), (0, 8), (1, 8)]
    words = ReleaseReader(vocabulary.words).read(texts).words
    wanted = WordPosterior(channel, counts).means(words)
    np.testing.assert_allclose(np.concatenate(found), wanted, atol=1e-4)


@pytest.mark.parametrize("choose", ["words", "text", "cosine"])
@pytest.mark.parametrize("name", ["neighborhood", "consistent-neighborhood"])
def test_batches_and_threads_change_nothing(choose, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = lettered_vocabulary(40)
    drawn = mechanism(name, vocabulary, epsilon=4.0)
    rng = np.random.default_rng(3)
    texts = [". ".join(" ".join(rng.choice(vocabulary.words, 4)) for _ in range(1 + i % 3)) for i in range(30)]
    released = [one.text for one in Sanitizer(drawn, rng=rng).batch(texts)]
    options = DecoderOptions(choose=choose, candidates=12, width=5)
    alone = TextDecoder(drawn, TrigramModel(40), options=options, workers=1)
    wanted = [alone.texts([text])[0] for text in released]
    assert alone.texts(released) == wanted
    monkeypatch.setattr("textveil_lab.decoding.decoder._CELLS", 300)
    monkeypatch.setattr("textveil_lab.decoding.decoder._CHARACTERS", 50)
    assert TextDecoder(drawn, TrigramModel(40), options=options, workers=3).texts(released) == wanted
    assert wanted != released


def test_the_model_weighs_less_where_releases_say_less() -> None:
    vocabulary = lettered_vocabulary(40)
    weights = [DecoderOptions().weight_for(mechanism("neighborhood", vocabulary, epsilon=e).guarantee) for e in (3, 12)]
    assert weights == [pytest.approx(0.3), 0.8]
    counts = 1 / (np.arange(40) + 2.7)
    model = BigramModel(np.random.default_rng(1).gamma(0.1, size=(40, 40)) + 1e-6, counts)
    channel = mechanism("neighborhood", vocabulary, epsilon=3.0)
    alone = TextDecoder(channel, model, options=DecoderOptions(candidates=40, width=40, model_weight=0), prior=counts)
    read = ReleaseReader(vocabulary.words).read(["waa wab wbc waf. wae wac"])
    assert alone.words(read).tolist() == WordPosterior(channel, counts).most_probable(read.words).tolist()


def test_the_greatest_expected_cosine_is_that_of_brute_force() -> None:
    vocabulary = lettered_vocabulary(40)
    channel = mechanism("neighborhood", vocabulary, epsilon=3.0)
    options = DecoderOptions(choose="cosine", candidates=12, width=12)
    decoder = TextDecoder(channel, TrigramModel(40), options=options, workers=1)
    read = ReleaseReader(vocabulary.words).read(["waa wab wbc waf. wae wac"])
    found, units = decoder.chances(read), normalize(vocabulary.vectors)
    for row, word in enumerate(decoder.words(read)):
        there = found.words[row] >= 0
        words, chances = found.words[row, there], found.chances[row, there]
        expected = units[words] @ (chances @ units[words])
        assert expected[words == word][0] == pytest.approx(expected.max(), abs=1e-6)


@pytest.mark.slow
def test_a_second_look_knows_what_the_texts_are_about() -> None:
    """Texts of four words alone, in a language that says nothing: these are thought likelier everywhere."""
    vocabulary = lettered_vocabulary(40)
    channel = mechanism("randomized-response", vocabulary, epsilon=3.0)
    original = np.random.default_rng(3).integers(30, 34, 10_000)
    words = np.array(vocabulary.words)[channel.privatize(original, np.random.default_rng(4))]
    read = ReleaseReader(vocabulary.words).read([". ".join(" ".join(part) for part in words.reshape(-1, 5))])
    model = BigramModel(np.ones((40, 40)), np.ones(40))
    chances = []
    for adapt in (False, True):
        options = DecoderOptions(candidates=40, width=40, adapt=adapt)
        found = TextDecoder(channel, model, prior=np.ones(40), options=options, workers=1).chances(read)
        chances.append(found.chances[found.words == original[:, None]].mean())
    assert chances[0] == pytest.approx(0.34**2 + 0.66 * 0.66 / 39, abs=0.01)
    # By half of what these texts say, for the prior counts as 10,000 words too: 1.5 for each of the four.
    assert chances[1] > 1.2 * chances[0]


def test_decoding_comes_nearer_to_the_original() -> None:
    """A language in which every word has one successor, and a channel that keeps a third of the words."""
    vocabulary = lettered_vocabulary(40)
    order = np.random.default_rng(2).permutation(40)
    follows = np.full((40, 40), 1e-3)
    follows[order, np.roll(order, -1)] = 1
    channel = mechanism("randomized-response", vocabulary, epsilon=3.0)
    original = np.tile(order, 20)
    released = channel.privatize(original, np.random.default_rng(1))
    texts = [" ".join(vocabulary.words[word] for word in released)]
    decoder = TextDecoder(channel, BigramModel(follows, np.ones(40)), options=DecoderOptions(model_weight=1), workers=1)
    found = decoder.words(ReleaseReader(vocabulary.words).read(texts))
    assert (released == original).mean() < 0.45
    assert (found == original).mean() > 0.95


def test_what_cannot_be_decoded_is_refused_in_one_line() -> None:
    decoder = reference_decoder()
    with pytest.raises(InputError, match="document 2 must be a release in words of this vocabulary; got 1 of other"):
        decoder.texts(["cat", "cat bird"])
    with pytest.raises(ParameterError, match="texts must be strings; got int as number 2"):
        decoder.texts(["cat", 3])
    with pytest.raises(UnsupportedGuarantee, match="offers no columns"):
        TextDecoder(mechanism("gaussian", lettered_vocabulary(6), epsilon=1.0, delta=1e-5), reference_model())
    with pytest.raises(ParameterError, match="model must be over the vocabulary's 6 words; got one of 7 words"):
        TextDecoder(TableChannel(reference_vocabulary(), np.ones((6, 6), int)), TrigramModel(7))
    with pytest.raises(ParameterError, match="prior must be above 0 for a word"):
        reference_decoder(prior=np.zeros(6))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"choose": "best"}, "choose must be 'words', 'text' or 'cosine'; got 'best'"),
        ({"candidates": 0}, "candidates must be an integer >= 1; got 0"),
        ({"proposals": -1}, "proposals must be an integer >= 0; got -1"),
        ({"width": 0}, "width must be an integer >= 1; got 0"),
        ({"model_weight": float("nan")}, "model_weight must be between 0 and 1, or None; got nan"),
    ],
)
def test_options_outside_their_domain_are_refused(options, message) -> None:
    with pytest.raises(ParameterError, match=message):
        DecoderOptions(**options)
