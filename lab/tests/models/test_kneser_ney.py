"""Interpolated modified Kneser-Ney by hand, and against a slow reading of its formulas."""

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest

from textveil_lab.models.pruning import TrigramCounter, discounts, estimate

SIZE, BOUNDARY, OTHER = 6, 6, 7


def text(length: int, seed: int) -> np.ndarray:
    """Ids as a text has them: a boundary first, words of unlike frequencies, boundaries and others among them."""
    rng = np.random.default_rng(seed)
    shares = np.array([8, 5, 3, 2, 1, 0, 3, 2]) / 24
    return np.concatenate([[BOUNDARY], rng.choice(8, size=length, p=shares)])


def counted(ids: np.ndarray, parts: int = 1) -> TrigramCounter:
    counter = TrigramCounter(SIZE)
    for part in np.array_split(ids, parts) if parts == 1 else [ids[:50], np.array([BOUNDARY]), ids[50:]]:
        counter.add(part)
    return counter


def test_discounts_are_those_of_chen_and_goodman() -> None:
    counts = np.array([1] * 10 + [2] * 5 + [3] * 3 + [4] * 2 + [9])
    scale = 10 / (10 + 2 * 5)
    expected = [0, 1 - 2 * scale * 5 / 10, 2 - 3 * scale * 3 / 5, 3 - 4 * scale * 2 / 3]
    assert discounts(counts).tolist() == pytest.approx(expected)


def test_small_texts_get_the_usual_discounts() -> None:
    assert discounts(np.array([1, 1, 2])).tolist() == [0, 0.5, 1.0, 1.5]
    assert discounts(np.array([1] + [2] * 9 + [3, 4])).tolist()[1:] == [
        pytest.approx(1 - 2 / 19 * 9),
        pytest.approx(2 - 3 / 19 / 9),
        pytest.approx(3 - 4 / 19),
    ]


def test_a_text_by_hand() -> None:
    # Ids of "a b a b c . a c": 6 0 1 0 1 2 6 0 2. No number of counts is complete, so the discounts are .5, 1, 1.5.
    counter = TrigramCounter(3)
    counter.add(np.array([3, 0, 1, 0, 1, 2, 3, 0, 2]))
    counts = counter.counts()
    made = estimate(counts)
    # Pairs: (b, a) 2, (a, b) 2, (a, c) 1, (b, a) 1, (b, c) 1 with b the boundary 3 where it is the context.
    assert counts.pairs.tolist() == [0 * 3 + 1, 0 * 3 + 2, 1 * 3 + 0, 1 * 3 + 2, 3 * 3 + 0]
    assert counts.pair_counts.tolist() == [2, 1, 1, 1, 2]
    # Contexts seen before a: 1 and 3; before b: 0; before c: 0 and 1. Taken off: 1 + .5 + 1 of 5.
    unigram = [Fraction(1, 5) + Fraction(1, 2) / 3, Fraction(1, 10) + Fraction(1, 2) / 3]
    assert made.unigram.tolist() == pytest.approx([float(one) for one in [*unigram, unigram[0]]])
    # Before (a, b) stand 3 and 1, before (a, c) stands 3: continuation counts 2 and 1, of which 1 and .5 are taken.
    b_after_a = Fraction(1, 3) + Fraction(1, 2) * unigram[1]
    assert made.bigram[0] == pytest.approx(float(b_after_a))
    # After (3, a): b once, c once, so half a count of two is taken twice.
    assert counts.triples.tolist()[-2:] == [(3 * 5 + 0) * 3 + 1, (3 * 5 + 0) * 3 + 2]
    assert made.trigram[-2] == pytest.approx(float(Fraction(1, 4) + Fraction(1, 2) * b_after_a))


def slow(ids: list[int], left_out: set[tuple[int, ...]]) -> dict[tuple[int, ...], float]:
    """P(w | v) and P(w | u v) of every context and word, from the formulas, by dictionaries."""
    triples, plain = Counter(), Counter()
    for u, v, w in zip([BOUNDARY, *ids], ids, ids[1:], strict=False):
        if w < SIZE:
            plain[v, w] += 1
            if v < SIZE:
                triples[u, v, w] += 1
    pairs: Counter = Counter()
    for (u, v, w), count in triples.items():
        pairs[v, w] += count if (u, v, w) in left_out else 1
    pairs.update({key: count for key, count in plain.items() if key[0] >= SIZE})
    single = Counter(w for _, w in plain)
    lower = {(w,): 1 / SIZE for w in range(SIZE)}
    found: dict[tuple[int, ...], float] = {}
    for counts in ({(w,): count for w, count in single.items()}, pairs, triples):
        taken = discounts(np.array(list(counts.values())))
        groups: dict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
        for (*context, w), count in counts.items():
            groups[tuple(context)][w] = count
        level = {}
        for context, words in groups.items():
            total = sum(words.values())
            back = sum(taken[min(count, 3)] for count in words.values()) / total
            for w in range(SIZE):
                own = words.get(w, 0)
                below = lower[w,] if len(context) < 1 else found.get((*context[1:], w), 0.0)
                level[*context, w] = (own - taken[min(own, 3)]) / total + back * below
        found.update(level)
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("pruned", [False, True])
def test_estimates_are_the_formulas(seed: int, pruned: bool) -> None:
    ids = text(400, seed)
    counts = counted(ids).counts()
    left_out = (np.arange(len(counts.triples)) % 3 == 0) & pruned
    made = estimate(counts, left_out)
    u, v, w = counts.triples // SIZE // 8, counts.triples // SIZE % 8, counts.triples % SIZE
    keys = list(zip(u.tolist(), v.tolist(), w.tolist(), strict=True))
    expected = slow(ids.tolist(), {key for key, out in zip(keys, left_out.tolist(), strict=True) if out})
    assert made.trigram.tolist() == pytest.approx([expected[key] for key in keys], rel=1e-12)
    below = list(zip((counts.pairs // SIZE).tolist(), (counts.pairs % SIZE).tolist(), strict=True))
    assert made.bigram.tolist() == pytest.approx([expected[key] for key in below], rel=1e-12)
    assert made.unigram.tolist() == pytest.approx([expected[word,] for word in range(SIZE)], rel=1e-12)
    assert made.unigram[5] > 0  # a word that the text does not hold


def test_texts_may_come_in_parts() -> None:
    ids = text(400, 9)
    led = np.concatenate([ids[:50], [BOUNDARY], ids[50:]])
    whole, parts = counted(led).counts(), counted(ids, parts=3).counts()
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_context_reaches_past_a_boundary_or_an_unknown_word() -> None:
    counts = counted(np.array([BOUNDARY, 0, BOUNDARY, 1, 2, OTHER, 3, 4])).counts()
    contexts = (counts.triples // SIZE % 8).tolist()
    assert contexts == [1, 3]
    assert (counts.triples // SIZE // 8).tolist() == [BOUNDARY, OTHER]
    assert (counts.pairs // SIZE).tolist() == [1, 3, BOUNDARY, BOUNDARY, OTHER]
