"""Words that two texts share: ROUGE-1 and BLEU, by the packages that keep their definitions."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

from textveil.errors import MissingExtra, need
from textveil_lab.evaluation.pairs import EXTRA, check_pairs

RougeWords: TypeAlias = Literal["ascii", "spaces"]
"""What ROUGE takes for words: runs of a-z and 0-9 in lower case, as published, or whatever stands between spaces."""

BleuWords: TypeAlias = Literal["13a", "intl", "char", "none"]
"""Tokenizers of sacrebleu; "none" is for texts whose tokens stand between spaces already."""


class Overlap(NamedTuple):
    """Means over pairs of texts, each in [0, 1]."""

    precision: float  # share of the candidate's words that stand in the reference, each as often as there
    recall: float  # the same share of the reference's words
    f1: float  # harmonic mean of both, taken for each pair


class Bleu(NamedTuple):
    """BLEU of a whole corpus."""

    score: float  # in [0, 100]
    precisions: tuple[float, ...]  # of runs of one to four words, each in [0, 100]
    brevity_penalty: float  # in [0, 1]
    signature: str  # sacrebleu's: what a score must be printed with to be compared with another


def rouge_1(
    references: Sequence[str], candidates: Sequence[str], *, words: RougeWords = "ascii", stem: bool = False
) -> Overlap:
    """ROUGE-1: words shared by a reference and a candidate, each counted as often as both have it.

    A candidate without words has 0 for all three; so has a pair whose texts hold no word that ``words`` can see.

    Args:
        references: texts as they were, none empty.
        candidates: as many texts.
        words: "ascii" as published; other letters part words, or vanish. "spaces" compares tokens as they are.
        stem: compare stems of words longer than three letters (Porter's), which "ascii" alone allows.

    Raises:
        ParameterError: no pairs, different counts, or an empty reference.
        MissingExtra: rouge-score is not installed.

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
    """BLEU of a corpus, one reference for each candidate, by sacrebleu with its defaults.

    Runs of one to four words are counted over the corpus, not averaged over texts; a corpus without a single common
    run of some length is smoothed as sacrebleu does it, and one whose candidates all have fewer than four words has 0.

    Args:
        references: texts as they were, none empty.
        candidates: as many texts.
        words: sacrebleu's tokenizer.

    Raises:
        ParameterError: no pairs, different counts, or an empty reference.
        MissingExtra: sacrebleu is not installed.

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
