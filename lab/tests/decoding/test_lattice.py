"""The search against brute force: best paths and marginals of the reference cases and of made-up trigram models."""

import itertools

import numpy as np
import pytest
from tests.helpers.golden import release_reference
from tests.helpers.language_models import TableChannel, TrigramModel, reference_model, reference_vocabulary

from textveil_lab.decoding.lattice import NONE, Candidates, CandidateTable, Sentences, Trellis, TrellisSearch, likeliest
from textveil_lab.mechanisms.channel_columns import columns_of
from textveil_lab.mechanisms.sampling.output_columns import Columns

DATA = release_reference()


def reference_places(case: int, *texts: list[int]) -> tuple[Trellis, Sentences]:
    channel = columns_of(TableChannel(reference_vocabulary(), np.array(DATA["cases"][case]["rows"])))
    outputs = np.array([word for text in texts for word in text])
    candidates = CandidateTable(channel, np.full(6, 1 / 6), 6).of(outputs)
    lengths = np.array([len(text) for text in texts])
    return Trellis(candidates, np.zeros(len(outputs), bool)), Sentences(np.cumsum(lengths) - lengths, lengths)


@pytest.mark.parametrize("case", range(3))
def test_the_best_path_is_that_of_brute_force(case: int) -> None:
    for one in DATA["cases"][case]["viterbi"]:
        found = TrellisSearch(reference_model(), 6).best(*reference_places(case, one["released"]))
        assert found.tolist() == one["original"]


@pytest.mark.parametrize("case", range(3))
def test_marginals_are_those_of_brute_force(case: int) -> None:
    for one in DATA["cases"][case]["posterior"]:
        places, sentences = reference_places(case, one["released"])
        words, chances = TrellisSearch(reference_model(), 6).marginals(places, sentences)
        table = np.zeros_like(chances)
        np.put_along_axis(table, words, chances, 1)
        np.testing.assert_allclose(table, one["by_position"], atol=2e-6)


def test_sentences_side_by_side_are_those_alone() -> None:
    texts = [[0, 2, 1, 4, 3], [5, 3, 0, 0], [1, 1, 1, 2], [2]]
    together = TrellisSearch(reference_model(), 6).best(*reference_places(1, *texts))
    alone = [TrellisSearch(reference_model(), 6).best(*reference_places(1, text)).tolist() for text in texts]
    assert together.tolist() == list(itertools.chain(*alone))
    words, chances = TrellisSearch(reference_model(), 6).marginals(*reference_places(1, *texts))
    single = [TrellisSearch(reference_model(), 6).marginals(*reference_places(1, text))[1] for text in texts]
    np.testing.assert_allclose(chances, np.concatenate(single), atol=1e-6)
    assert words.tolist() == reference_places(1, *texts)[0].candidates.words.tolist()


def trigram_case(seed: int, length: int, fixed: int | None) -> tuple[Trellis, np.ndarray, np.ndarray]:
    """Trellis with four candidates of six words each, and by brute force the best path and the marginals."""
    rng = np.random.default_rng(seed)
    words = np.array([rng.permutation(6)[:4] for _ in range(length)], dtype=np.int32)
    words[length // 2, 3] = NONE
    ratios = rng.gamma(1.0, size=(length, 4)).astype(np.float32)
    still = np.zeros(length, bool)
    if fixed is not None:
        still[fixed], words[fixed], ratios[fixed] = True, [7, NONE, NONE, NONE], 0
    model = TrigramModel(6)
    best, marginals = (-np.inf, ()), np.zeros((length, 4))
    for choice in itertools.product(range(4), repeat=length):
        ids = words[np.arange(length), choice]
        if (ids == NONE).any():
            continue
        score, context = 0.0, [6, 6]
        for place, word in enumerate(ids.tolist()):
            if not still[place]:
                score += model.table[context[0], context[1], word] + ratios[place, choice[place]]
            context = [context[1], word]
        best = max(best, (score, ids.tolist()))
        marginals[np.arange(length), choice] += np.exp(score)
    return (
        Trellis(Candidates(words, ratios), still),
        np.array(best[1]),
        marginals / marginals.sum(axis=1, keepdims=True),
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("fixed", [None, 0, 2])
def test_trigrams_and_fixed_places_are_exact_with_all_states(seed: int, fixed: int | None) -> None:
    places, best, marginals = trigram_case(seed, 5, fixed)
    sentence = Sentences(np.array([0]), np.array([5]))
    assert TrellisSearch(TrigramModel(6), 16).best(places, sentence).tolist() == best.tolist()
    np.testing.assert_allclose(TrellisSearch(TrigramModel(6), 16).marginals(places, sentence)[1], marginals, atol=2e-6)
    # With fewer states the sum runs over fewer paths, and still over paths: rows sum to 1.
    few = TrellisSearch(TrigramModel(6), 3).marginals(places, sentence)[1]
    np.testing.assert_allclose(few.sum(axis=1), 1, atol=1e-5)


def test_a_model_weight_of_zero_leaves_the_channel_alone() -> None:
    places, _, _ = trigram_case(1, 5, None)
    found = TrellisSearch(TrigramModel(6), 4, model_weight=0.0).best(places, Sentences(np.array([0]), np.array([5])))
    ratios = np.where(places.candidates.words == NONE, -np.inf, places.candidates.log_ratios)
    assert found.tolist() == places.candidates.words[np.arange(5), np.argmax(ratios, axis=1)].tolist()


def test_candidates_are_the_most_probable_by_prior_and_column() -> None:
    rng = np.random.default_rng(3)
    prior = rng.dirichlet(np.full(30, 0.4))
    table = np.where(rng.random((5, 30)) < 0.3, rng.gamma(2.0, size=(5, 30)), 0)
    place, inputs = np.nonzero(table)
    starts = np.searchsorted(place, np.arange(6))
    columns = Columns(starts, inputs, table[place, inputs], np.zeros(5))
    frequent = np.sort(np.argsort(-prior)[:8])
    found = likeliest(columns, np.log(prior), frequent, 8)
    for row in range(5):
        wanted = np.argsort(-(np.log(prior) + table[row]), kind="stable")[:8]
        assert found.words[row].tolist() == wanted.tolist()
        np.testing.assert_allclose(found.log_ratios[row], table[row, wanted], rtol=1e-6)
