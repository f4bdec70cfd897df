"""Unchanged words (N_w), and the number of different outputs of a word (S_w).

Two papers count N_w differently and read it in opposite directions:

- Feyisetan et al. 2020 take one word w at a time: N_w is the probability that w comes out unchanged, S_w the number of
  different words that it becomes, over 100 draws. A larger N_w, or a smaller S_w, is *less* privacy.
- Huang et al. 2024 take a corpus: N_w is the share of its places whose word stayed. Frequent words weigh more, and a
  larger N_w is called better, since more of the text is kept.

Every metric of two lists of texts needs equal numbers of texts and no empty reference.

``letter_bleu`` is the scale on which the truncated-Laplace paper prints BLEU; it is not BLEU.

Words that two texts share: ROUGE-1 and BLEU, by the packages that keep their definitions.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence, Sized
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import zip_longest
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from textveil.errors import MissingExtra, need
from textveil.mechanisms.kinds import Channel, WordMechanism, checked_ids
from textveil.types import Ids, Reals

EXTRA: Final = "evaluation"


def check_pairs(before: Sequence[Sized], after: Sequence[Sized], names: tuple[str, str]) -> None:
    """Check that there are pairs, and that no first half is empty; a second half may be.

    Args:
        before: references.
        after: texts to judge.
        names: of both parameters.

    Raises:
        ParameterError: no pairs, different counts, a text in place of a list, or an empty first half.
    """
    first, second = names
    for name, some in ((first, before), (second, after)):
        need(not isinstance(some, str), name, "one text", "a list of texts", "Put it in a list.")
    need(len(before) > 0, first, "none", "one at least")
    need(len(after) == len(before), second, f"{len(after)}", f"as many as {first}, {len(before)}")
    empty = next((number for number, one in enumerate(before) if not _holds(one)), None)
    need(empty is None, first, f"an empty one at {empty}", "texts that hold a word at least", "Leave it out.")


def _holds(one: Sized) -> bool:
    return bool(one.strip()) if isinstance(one, str) else len(one) > 0


Words: TypeAlias = str | Sequence[Hashable] | Ids
"""A text as its words: between the spaces of a string, in a sequence, or as ids."""

DRAWS = 100  # Draws of each word in the source of both statistics


class Reading(Enum):
    """Meaning of a larger N_w."""

    UTILITY = "larger is better: more of the text is kept (Huang et al. 2024)"
    PRIVACY = "larger is worse: more words can be read off the release (Feyisetan et al. 2020)"


class Unchanged(NamedTuple):
    """N_w of a corpus and its release, in both ways of counting."""

    by_place: float  # share of all places whose word stayed, as Huang et al. count; a frequent word counts often.
    by_word: float  # mean over the different words of the share of each that stayed, as Feyisetan et al. count.
    places: int  # of the corpus
    words: int  # different ones in the corpus


class DifferentOutputs(NamedTuple):
    """S_w of a corpus and its release: different outputs of a word. It grows with how often a word occurs."""

    by_place: float  # mean over all places of the number of different outputs that the word there has in the corpus
    by_word: float  # mean over the different words of that number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WordStatistics:
    """N_w and S_w of single words under a mechanism, as Feyisetan et al. define them."""

    n_w: Reals  # probability that each word comes out unchanged, shape (words,)
    s_w: Reals  # number of different outputs in ``draws`` draws of each word, its mean if exact, shape (words,)
    draws: int  # of each word
    exact: bool  # computed from the channel; else counted in draws


def n_w(before: Sequence[Words], after: Sequence[Words]) -> Unchanged:
    """Return the number of words that stay at their position.

    Positions beyond the end of a shorter output count as changed; those that an output adds do not count.

    Args:
        before: texts as strings, words or ids, none empty.
        after: as many texts.

    Raises:
        ParameterError: no pairs, different counts, or an empty text before.
    """
    outputs = _outputs(before, after)
    stayed = {word: sum(one == word for one in some) for word, some in outputs.items()}
    places = sum(map(len, outputs.values()))
    shares = [count / len(outputs[word]) for word, count in stayed.items()]
    return Unchanged(sum(stayed.values()) / places, sum(shares) / len(shares), places, len(outputs))


def s_w(before: Sequence[Words], after: Sequence[Words]) -> DifferentOutputs:
    """Return the numbers of different outputs of words; all positions that shorter outputs lack count as one output.

    Args: as ``n_w``.
    """
    outputs = _outputs(before, after)
    different = {word: len(set(some)) for word, some in outputs.items()}
    places = sum(len(outputs[word]) * count for word, count in different.items())
    return DifferentOutputs(places / sum(map(len, outputs.values())), sum(different.values()) / len(different))


def word_statistics(
    mechanism: WordMechanism, ids: Ids, *, draws: int = DRAWS, rng: np.random.Generator | None = None
) -> WordStatistics:
    """Return N_w and S_w of words: exact for a channel, else counted in draws.

    Args:
        mechanism: draws for each word alone.
        ids: in [0, n), at least one, shape (words,).
        draws: of each word, >= 1.
        rng: None draws from the operating system's randomness; a channel needs none.

    Raises:
        ParameterError: ``draws`` below 1, no ids, or an id outside the vocabulary.

    Source: Feyisetan et al. 2020, section 4 (100 draws of each word).
    """
    need(draws >= 1, "draws", draws, ">= 1")
    some = checked_ids(ids, len(mechanism.vocabulary))
    need(len(some) > 0, "ids", "none", "one at least")
    if isinstance(mechanism, Channel):
        rows = [mechanism.probabilities(one) for one in some.tolist()]
        stays = np.array([row[one] for row, one in zip(rows, some.tolist(), strict=True)])
        different = np.array([_different(row, draws) for row in rows])
        return WordStatistics(n_w=stays, s_w=different, draws=draws, exact=True)
    drawn = mechanism.privatize(np.repeat(some, draws), rng).reshape(len(some), draws)
    different = np.array([len(np.unique(row)) for row in drawn], dtype=np.float64)
    return WordStatistics(n_w=(drawn == some[:, None]).mean(axis=1), s_w=different, draws=draws, exact=False)


def essential_support(probabilities: Reals, eta: float) -> int:
    """Return the smallest number of outputs that have together probability 1 - eta or more.

    Args:
        probabilities: of all outputs, >= 0, with sum 1, shape (outputs,).
        eta: in [0, 1).

    Source: Feyisetan et al. 2020, section 4 (the support that S_w counts).
    """
    need(0 <= eta < 1, "eta", eta, "in [0, 1)")
    need(bool((probabilities >= 0).all()), "probabilities", "a negative one", ">= 0")
    reached: Reals = np.cumsum(np.sort(probabilities)[::-1])
    need(bool(abs(reached[-1] - 1) < 1e-9), "probabilities", f"a sum of {reached[-1]:.6g}", "with sum 1")
    positive = int(np.count_nonzero(probabilities))
    return min(positive, 1 + int(np.searchsorted(reached, 1 - eta - 1e-12)))


def _different(probabilities: Reals, draws: int) -> float:
    with np.errstate(divide="ignore"):  # an output that is certain: the logarithm of 0
        missed = np.exp(draws * np.log1p(-np.minimum(probabilities, 1.0)))
    return float((1 - missed).sum())


def _outputs(before: Sequence[Words], after: Sequence[Words]) -> dict[Hashable, list[Hashable]]:
    """Return the later words at each position of each different word; None if the output is too short."""
    check_pairs(before, after, ("before", "after"))
    found: dict[Hashable, list[Hashable]] = {}
    for one, other in zip(before, after, strict=True):
        for word, output in zip_longest(words := _words(one), _words(other)[: len(words)]):
            found.setdefault(word, []).append(output)
    return found


def _words(text: Words) -> Sequence[Hashable]:
    """Return the words of a text; ids of an array as Python integers, which hash faster."""
    if isinstance(text, str):
        return text.split()
    return text.tolist() if isinstance(text, np.ndarray) else text


_ORDERS: Final = 4  # Runs of one to four words; smoothing looks at one more


def letter_bleu(references: Sequence[str], candidates: Sequence[str]) -> float:
    """Return the paper's score of rewritten texts, with the smoothing that its code prints last; a percentage.

    If no two single characters in a row stand inside a word of the reference, and the candidate has more words than the
    reference's word of nearest length has letters, a pair has 100 * 3^(-5/2) * (1 + 2 s) = 6.415 (1 + 2 s), with s the
    share of the candidate's words that are single characters found in the reference's words, and 0 where s is 0: a
    perfect copy of a sentence with one full stop in ten words has 7.7, and so has any other sentence with such a stop.

    Args:
        references: original texts, words between spaces, none empty.
        candidates: as many texts.

    Raises:
        ParameterError: no pairs, different counts, or an empty reference.

    Source: Skyyyy0920/Trlaplace, metric.py; itscassie/NLP_tools, bleu.py; Chen and Cherry 2014, smoothing 5, as in
    NLTK.
    """
    check_pairs(references, candidates, ("references", "candidates"))
    pairs = zip(references, candidates, strict=True)
    return 100 * math.fsum(_of_pair(one.split(), other.split()) for one, other in pairs) / len(references)


def _of_pair(reference: list[str], candidate: list[str]) -> float:
    words = set(reference)
    shares = [_matched(words, candidate, length) for length in range(1, _ORDERS + 2)]
    if shares[0] == 0:
        return 0.0
    logarithm, last = 0.0, shares[0] + 1
    for length in range(_ORDERS):
        last = (last + shares[length] + shares[length + 1]) / 3
        logarithm += math.log(last) / _ORDERS
    closest = min((abs(len(word) - len(candidate)), len(word)) for word in words)[1]
    brevity = 0.0 if len(candidate) > closest else 1 - closest / len(candidate)
    return math.exp(brevity + logarithm)


def _matched(words: set[str], candidate: list[str], length: int) -> float:
    runs = len(candidate) - length + 1
    starts = range(max(runs, 0))
    single = [start for start in starts if all(len(one) == 1 for one in candidate[start : start + length])]
    counts = Counter("".join(candidate[start : start + length]) for start in single)
    matched = sum(min(count, max(_occurrences(run, word) for word in words)) for run, count in counts.items())
    return matched / max(1, runs)


def _occurrences(run: str, word: str) -> int:
    return sum(word.startswith(run, start) for start in range(len(word) - len(run) + 1))


RougeWords: TypeAlias = Literal["ascii", "spaces"]
"""Words for ROUGE: runs of a-z and 0-9 in lower case, as published, or runs between spaces."""


BleuWords: TypeAlias = Literal["13a", "intl", "char", "none"]
"""Tokenizers of sacrebleu; "none" is for texts whose tokens are already separated by spaces."""


class Overlap(NamedTuple):
    """Means over pairs of texts, each in [0, 1]."""

    precision: float  # share of the candidate's words that the reference has, each as often as there
    recall: float  # the same share of the reference's words
    f1: float  # harmonic mean of both, taken for each pair


class Bleu(NamedTuple):
    """BLEU of a whole corpus."""

    score: float  # in [0, 100]
    precisions: tuple[float, ...]  # of runs of one to four words, each in [0, 100]
    brevity_penalty: float  # in [0, 1]
    signature: str  # sacrebleu's: to be printed with a score, for comparisons


def rouge_1(
    references: Sequence[str], candidates: Sequence[str], *, words: RougeWords = "ascii", stem: bool = False
) -> Overlap:
    """Return ROUGE-1: words shared by a reference and a candidate, each counted as often as both have it.

    A candidate without words scores 0 for all three, and so does a pair without words that ``words`` sees.

    Args:
        references: original texts, none empty.
        candidates: as many texts.
        words: "ascii" as published: other letters split words, or vanish. "spaces" compares tokens unchanged.
        stem: compare stems of words longer than three letters (Porter's); only with "ascii".

    Raises:
        ParameterError: no pairs, different counts, or an empty reference.

    Source: Lin 2004, section 2, by the package rouge-score.
    """
    check_pairs(references, candidates, ("references", "candidates"))
    need(words in ("ascii", "spaces"), "words", repr(words), "'ascii' or 'spaces'")
    need(not stem or words == "ascii", "stem", stem, "False where words are parted by spaces")
    scorer = _rouge(words, stem)
    pairs = zip(references, candidates, strict=True)
    found = [scorer.score(reference, candidate)["rouge1"] for reference, candidate in pairs]
    return Overlap(*(sum(column) / len(found) for column in zip(*found, strict=True)))


def bleu(references: Sequence[str], candidates: Sequence[str], *, words: BleuWords = "13a") -> Bleu:
    """Return BLEU of a corpus, one reference for each candidate, by sacrebleu with its defaults.

    Runs of one to four words are counted over the corpus, not averaged over texts; a corpus without a single common run
    of some length is smoothed as sacrebleu does it, and one whose candidates all have fewer than four words has 0.

    Args:
        references: original texts, none empty.
        candidates: as many texts.
        words: sacrebleu's tokenizer.

    Raises:
        ParameterError: no pairs, different counts, or an empty reference.

    Source: Papineni et al. 2002; Post 2018 (the signature).
    """
    check_pairs(references, candidates, ("references", "candidates"))
    need(words in ("13a", "intl", "char", "none"), "words", repr(words), "'13a', 'intl', 'char' or 'none'")
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise MissingExtra("sacrebleu", EXTRA) from None
    metric = BLEU(tokenize=words, force=True)  # force: no warning on texts that are parted into tokens already
    found = metric.corpus_score(list(candidates), [list(references)])
    precisions = tuple(map(float, found.precisions))
    return Bleu(float(found.score), precisions, float(found.bp), str(metric.get_signature()))


@cache
def _rouge(words: RougeWords, stem: bool) -> Any:
    try:
        from rouge_score import rouge_scorer
    except ImportError:
        raise MissingExtra("rouge-score", EXTRA) from None
    tokenizer = _Spaces() if words == "spaces" else None
    return rouge_scorer.RougeScorer(["rouge1"], use_stemmer=stem, tokenizer=tokenizer)


class _Spaces:
    def tokenize(self, text: str) -> list[str]:
        return text.split()
