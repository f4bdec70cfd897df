"""Estimates on public text of how often a word is guessed from all other words.

The limit for a decoder that sees the released context needs the mean, over contexts, of the largest probability of a
word given the others. No guesser is right more often than that, so any guesser's share of right guesses is an estimate
from below. This guesser interpolates counts of words between the same neighbors, longest context first, each context
with the weight of Witten and Bell (1991): tokens / (tokens + kinds of words). It learns from the training part of a
corpus and is tested on sentences of the other part that it has not seen.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from textveil.errors import InputError
from textveil.statistics import Bound, clopper_pearson
from textveil.types import Reals
from textveil_lab.papers.truncated_laplace.facts import WORDS

Sentence: TypeAlias = tuple[str, ...]
CONFIDENCE = 0.99
_START, _END = ("<s>", "<s>"), ("</s>", "</s>")
_KEPT = 50  # Words of a context that can be guessed: its most frequent ones


class Guessed(NamedTuple):
    """Result of guessing."""

    share: Bound  # of tokens guessed right; its interval is one of independent tokens, and those of a sentence are not
    tokens: int  # that were guessed
    learned: int  # sentences that the counts are from


class _Context(NamedTuple):
    weight: float
    words: tuple[tuple[str, float], ...]


def guessed_share(
    training: Sequence[Sentence], held_out: Sequence[Sentence], rng: np.random.Generator, most: int = 20_000
) -> Guessed:
    """Return the share of words in held-out sentences that are guessed from all other words.

    Args:
        training: at least one sentence, for the counts.
        held_out: sentences to guess; those of ``training`` are left out.
        rng: of the choice of sentences.
        most: largest number of guessed tokens; at least one sentence is used.

    Raises:
        InputError: no sentence is left.
    """
    known = frozenset(training)
    fresh = [sentence for sentence in held_out if sentence and sentence not in known]
    if not fresh or not known:
        raise InputError("the corpus must have sentences to learn from and others to guess; got none. Check its files.")
    chosen: list[tuple[Sentence, int]] = []
    for index in rng.permutation(len(fresh)):
        chosen += [(fresh[index], place) for place in range(len(fresh[index]))]
        if len(chosen) >= most:
            break
    contexts = _learned(training, {one for sentence, place in chosen for one in _contexts(sentence, place)})
    right = sum(_guess(contexts, sentence, place) == sentence[place] for sentence, place in chosen)
    return Guessed(clopper_pearson(right, len(chosen), CONFIDENCE), len(chosen), len(training))


def frequencies(sentences: Sequence[Sentence], words: int = WORDS) -> Reals:
    """Return shares of the most frequent words among their uses, most frequent first; at most ``words`` of them."""
    counts = Counter(token for sentence in sentences for token in sentence).most_common(words)
    found = np.array([count for _, count in counts], dtype=np.float64)
    return found / found.sum()


def sentences_of(folder: Path, part: str) -> list[Sentence]:
    """Return the sentences of one part of a corpus, ``train`` or ``test``, from lines of words between white space.

    Raises:
        InputError: a file cannot be read, or there is none.
    """
    found: list[Sentence] = []
    for path in sorted(folder.glob(f"{part}*.txt")):
        try:
            lines = path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            kind = type(error).__name__
            raise InputError(f"{path.name} must be a readable UTF-8 text; got {kind}. Check the folder.") from None
        found += [words for words in (tuple(line.split()) for line in lines) if words]
    if not found:
        raise InputError(f"{folder.name} must hold {part} files of sentences; got none. Check the folder.")
    return found


def _contexts(sentence: Sentence, place: int) -> Iterator[tuple[str | int, ...]]:
    """Yield neighbors of a position, the longest context first; the first entry separates contexts of equal length."""
    second_left, left = (*_START, *sentence[:place])[-2:]
    right, second_right = (*sentence[place + 1 : place + 3], *_END)[:2]
    yield 5, second_left, left, right, second_right
    yield 4, second_left, left, right
    yield 3, left, right, second_right
    yield 2, left, right
    yield 1, left
    yield 0, right
    yield (-1,)


def _learned(training: Sequence[Sentence], wanted: set[tuple[str | int, ...]]) -> dict[tuple[str | int, ...], _Context]:
    counts: dict[tuple[str | int, ...], Counter[str]] = {}
    for sentence in training:
        for place, word in enumerate(sentence):
            for context in _contexts(sentence, place):
                if context in wanted:
                    counts.setdefault(context, Counter())[word] += 1
    found = {}
    for context, counter in counts.items():
        total = counter.total()
        words = tuple((word, count / total) for word, count in counter.most_common(_KEPT))
        found[context] = _Context(total / (total + len(counter)), words)
    return found


def _guess(contexts: dict[tuple[str | int, ...], _Context], sentence: Sentence, place: int) -> str:
    scores: dict[str, float] = {}
    left = 1.0
    for key in _contexts(sentence, place):
        if (context := contexts.get(key)) is not None:
            for word, probability in context.words:
                scores[word] = scores.get(word, 0.0) + left * context.weight * probability
            left *= 1 - context.weight
    return max(scores, key=lambda word: scores[word])
