"""The scale on which the truncated-Laplace paper prints BLEU; it is not BLEU.

NLTK's ``sentence_bleu`` takes a list of references, each a list of words. The tool that the paper's public code calls
hands it the words of one reference instead: every word is taken for a reference, and its letters for that reference's
words. So a word of the candidate counts only if it is a single character (a full stop, a comma, "i", "a") that occurs
inside a word of the reference. Words of two characters or more never count, right or wrong.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from textveil_lab.evaluation.pairs import check_pairs

_ORDERS: Final = 4  # Runs of one to four words; smoothing looks at one more


def letter_bleu(references: Sequence[str], candidates: Sequence[str]) -> float:
    """The paper's number for rewritten texts, with the smoothing that its code prints last; a percentage.

    Where no two single characters in a row stand inside a word of the reference, and the candidate has more words than
    the reference's word of nearest length has letters, a pair has 100 * 3^(-5/2) * (1 + 2 s) = 6.415 (1 + 2 s), with s
    the share of the candidate's words that are single characters found in the reference's words, and 0 where s is 0: a
    perfect copy of a sentence with one full stop in ten words has 7.7, and so has any other one with such a stop.

    Args:
        references: texts as they were, words between spaces, none empty.
        candidates: as many texts.

    Raises:
        ParameterError: no pairs, different counts, or an empty reference.

    Source: Skyyyy0920/Trlaplace, metric.py; itscassie/NLP_tools, bleu.py; Chen and Cherry 2014, smoothing 5, as NLTK
    has it.
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
