"""BERTScore: matches each token of one text with the most similar token of the other, by an encoder's vectors."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from textveil.errors import InputError, need
from textveil.randomness import seeded_generator
from textveil.types import Reals
from textveil_lab.evaluation.encoder import EncodedText, TextEncoder
from textveil_lab.evaluation.unchanged import Overlap, check_pairs

_PAIRS: Final = 256  # Pairs whose vectors are kept at a time
_LEAST: Final = 10  # Texts of which a baseline can be made


class Baseline(NamedTuple):
    """Mean scores of unrelated texts, each below 1; rescaled scores are 0 there and 1 at 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BertScores:
    """Scores of pairs of texts."""

    precision: Reals  # of each candidate's tokens, the mean similarity to the reference; shape (pairs,)
    recall: Reals  # of each reference's tokens, the mean similarity to the candidate; shape (pairs,)
    f1: Reals  # harmonic means, 0 if both are 0; shape (pairs,)
    setting: str  # to be printed with the scores: encoder, weights, scale

    @property
    def mean(self) -> Overlap:
        return Overlap(float(self.precision.mean()), float(self.recall.mean()), float(self.f1.mean()))


def bert_score(
    references: Sequence[str],
    candidates: Sequence[str],
    encoder: TextEncoder,
    *,
    idf: bool | Sequence[str] = False,
    baseline: Baseline | None = None,
) -> BertScores:
    """Return BERTScore as published: mean cosine of each token with the most similar token of the other text.

    The marks that an encoder adds have weight 0, but tokens may be matched with them; a candidate without tokens of its
    own scores 0 (before rescaling). The authors' package bert-score gives the same numbers, with one exception: if all
    of a text's tokens have weight 0 with ``idf``, they are weighted alike here; the package gives no number.

    Args:
        references: original texts, none empty.
        candidates: as many texts.
        encoder: ``text_encoder(folder)``, ``study_encoder(seed)``, or any other.
        idf: weight tokens by -log of the share of texts that have them: of the references if True, or of other texts.
            False weights all alike.
        baseline: scores are rescaled by it; None: raw scores, which most encoders put close to 1.

    Raises:
        ParameterError: no pairs, different counts, an empty reference, no texts for ``idf``, a baseline of 1 or more.
        ModelError: the encoder returns numbers that are not finite.

    Source: Zhang et al. 2020, section 3 (idf with one added to counts; rescaling: "Baseline Rescaling").
    """
    check_pairs(references, candidates, ("references", "candidates"))
    if baseline is not None:
        need(all(one < 1 for one in baseline), "baseline", "1 or more", "three numbers below 1")
    weights = _weights(references if idf is True else idf, encoder) if idf is not False else None
    rows = []
    for start in range(0, len(references), _PAIRS):
        block = slice(start, start + _PAIRS)
        texts = sorted({*references[block], *candidates[block]})
        read = dict(zip(texts, map(_unit, encoder.encode(texts)), strict=True))
        pairs = zip(references[block], candidates[block], strict=True)
        rows += [_score(read[reference], read[candidate], weights) for reference, candidate in pairs]
    raw = np.array(rows, dtype=np.float64)
    if baseline is not None:
        raw = (raw - np.array(baseline)) / (1 - np.array(baseline))
    kind = "no idf" if weights is None else f"idf of {weights.documents} texts"
    scale = "raw" if baseline is None else "rescaled by " + "/".join(f"{one:.4f}" for one in baseline)
    columns = dict(zip(("precision", "recall", "f1"), raw.T, strict=True))
    return BertScores(**columns, setting=f"{encoder.name}; {kind}; {scale}")


def read_baseline(path: Path | str, layer: int) -> Baseline:
    """Return the baseline of one layer from a file in bert-score's format, lines of LAYER,P,R,F.

    Args:
        layer: number in its line.

    Raises:
        InputError: the file is missing or has another format, or no line has that layer.
    """
    where = Path(path)
    wanted = f"the baseline file {where.name} must hold lines of LAYER,P,R,F"
    try:
        first, *lines = where.read_text(encoding="utf-8").splitlines()
        found = {int(line.split(",")[0]): tuple(map(float, line.split(",")[1:])) for line in lines if line.strip()}
    except (OSError, ValueError) as error:
        raise InputError(f"{wanted}; got {type(error).__name__} in reading it. Take one of bert-score's.") from error
    if first.strip() != "LAYER,P,R,F" or layer not in found or len(found[layer]) != 3:
        raise InputError(f"{wanted}; got none for layer {layer}. Take the file of this encoder.")
    return Baseline(*found[layer])


def made_baseline(texts: Sequence[str], encoder: TextEncoder, *, seed: int = 0) -> Baseline:
    """Return a new baseline: mean scores of unrelated texts.

    Each text is scored against the one after it in a random circle, so never against itself.

    Args:
        texts: public texts, at least ten, all different.
        encoder: as for the scores.
        seed: of the circle.

    Raises:
        ParameterError: fewer than ten texts, or one of them twice.
    """
    need(len(texts) >= _LEAST, "texts", len(texts), f"at least {_LEAST}")
    need(len(set(texts)) == len(texts), "texts", "one of them twice", "all different")
    mixed = [texts[one] for one in seeded_generator(seed).permutation(len(texts)).tolist()]
    return Baseline(*bert_score(mixed, mixed[1:] + mixed[:1], encoder).mean)


class _Weights(NamedTuple):
    by_token: Mapping[int, float]
    other: float
    documents: int

    def of(self, text: EncodedText) -> Reals:
        return np.array([self.by_token.get(token, self.other) for token in text.tokens.tolist()])


def _weights(texts: Sequence[str] | bool, encoder: TextEncoder) -> _Weights:
    """Return -log of (documents with the token + 1) / (documents + 1)."""
    documents = [] if isinstance(texts, bool) else list(texts)
    need(len(documents) > 0, "idf", "no texts", "False, True, or texts")
    counts: Counter[int] = Counter()
    for start in range(0, len(documents), _PAIRS):
        for read in encoder.encode(documents[start : start + _PAIRS]):
            counts.update(set(read.tokens.tolist()))
    whole = len(documents) + 1
    return _Weights({token: math.log(whole / (n + 1)) for token, n in counts.items()}, math.log(whole), len(documents))


def _unit(text: EncodedText) -> EncodedText:
    lengths = np.linalg.norm(text.vectors, axis=1, keepdims=True)
    return text._replace(vectors=np.divide(text.vectors, lengths, out=np.zeros_like(text.vectors), where=lengths > 0))


def _score(reference: EncodedText, candidate: EncodedText, weights: _Weights | None) -> tuple[float, float, float]:
    if reference.marks.all() or candidate.marks.all():
        return 0.0, 0.0, 0.0
    similar = (candidate.vectors @ reference.vectors.T).astype(np.float64)
    precision = _mean(similar.max(axis=1), candidate, weights)
    recall = _mean(similar.max(axis=0), reference, weights)
    both = precision + recall
    return precision, recall, 2 * precision * recall / both if both else 0.0


def _mean(similarities: Reals, text: EncodedText, weights: _Weights | None) -> float:
    own = ~text.marks
    heavy = own.astype(np.float64) if weights is None else weights.of(text)
    return float(np.average(similarities, weights=heavy if heavy.sum() > 0 else own))
