"""Scores of test documents' words and texts, beside those of a classifier."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.evaluation.bert_score import bert_score
from textveil_lab.evaluation.cosine import mean_cosine
from textveil_lab.evaluation.encoder import TextEncoder
from textveil_lab.frontiers.downstream.measured import Scorer
from textveil_lab.frontiers.downstream.tasks import Repetition

COSINE, BERT_SCORE, UNCHANGED = "cosine", "BERTScore", "unchanged"


def word_scorer(vocabulary: Vocabulary) -> Scorer:
    """Return a scorer: mean cosine of test documents' words and their outputs, and the share of unchanged words."""

    def score(clean: Repetition, released: Repetition) -> Mapping[str, float]:
        before, after = clean.test.documents.ids, released.test.documents.ids
        return {COSINE: mean_cosine(vocabulary, before, after), UNCHANGED: float(np.mean(before == after))}

    return score


def bert_scorer(words: Sequence[str], encoder: TextEncoder, documents: int) -> Scorer:
    """Return a scorer: mean BERTScore (F1, raw) of released test documents against the originals, words in a row.

    Args:
        words: of the vocabulary, in the order of their ids.
        encoder: of the score; reports print its name.
        documents: number of test documents to score, the first of a run; empty ones are skipped.
    """

    def texts(run: Repetition) -> list[str]:
        ids, bounds = run.test.documents.ids, run.test.documents.bounds.tolist()
        rows = (ids[start:end].tolist() for start, end in pairwise(bounds[: documents + 1]))
        return [" ".join(words[one] for one in row) for row in rows if row]

    def score(clean: Repetition, released: Repetition) -> Mapping[str, float]:
        return {BERT_SCORE: bert_score(texts(clean), texts(released), encoder).mean.f1}

    return score
