"""What the metrics of rewritten text say of candidates whose worth is known: the tables of docs/evaluation.md.

    python benchmarks/evaluation_scales.py [overlap] [bert]

Needs the extras ``evaluation`` and ``torch``, and TEXTVEIL_SHARED for the study's encoder.
"""

from __future__ import annotations

import sys
from typing import Final

import numpy as np
from measure import SHARED

from textveil.models.encoder import TextEncoder
from textveil.research.evaluation.bert_score import bert_score, made_baseline
from textveil.research.evaluation.letter_bleu import letter_bleu
from textveil.research.evaluation.overlap import bleu, rouge_1
from textveil.research.evaluation.study_encoder import static_encoder, study_encoder
from textveil.research.evaluation.unchanged import n_w
from textveil.vocabulary.embedded import load_vocabulary

CORPORA: Final = {"Yelp": ("yelp/test.neg.txt", "yelp/test.pos.txt"), "Yahoo": ("yahoo/test.txt",)}
PAPER: Final = {"Yelp": "8.94, and 8.23 to 9.00 with noise", "Yahoo": "8.50, and 8.29 to 9.29 with noise"}
"""BLEU as the paper prints it: without noise, and over all cells of a corpus."""

TEXTS: Final = 1000
CONSTANTS: Final = 100
"""Sentences that are tried as the one answer to every input."""


def texts_of(name: str, count: int) -> list[str]:
    """Lines of a corpus, drawn without replacement under a seed."""
    folder = SHARED / "data/text"
    lines = [line.strip() for path in CORPORA[name] for line in (folder / path).read_text("utf-8").splitlines()]
    kept = [line for line in lines if line]
    return [kept[one] for one in np.random.default_rng(0).choice(len(kept), count, replace=False)]


def replaced(texts: list[str], share: float, words: list[str]) -> list[str]:
    """Texts with this share of their words replaced by draws from ``words``."""
    rng = np.random.default_rng(1)
    return [
        " ".join(words[rng.integers(len(words))] if rng.random() < share else word for word in text.split())
        for text in texts
    ]


def overlap() -> None:
    """ROUGE-1, BLEU and the paper's scale, for each corpus."""
    for name in CORPORA:
        texts = texts_of(name, TEXTS)
        words = [word for text in texts for word in text.split()]
        few = texts[:200]
        constants = {one: letter_bleu(few, [one] * len(few)) for one in texts[-CONSTANTS:]}
        best = max(constants, key=lambda one: constants[one])
        candidates = {
            "the text itself": texts,
            "every word of two characters or more made `zz`": [
                " ".join(word if len(word) == 1 else "zz" for word in text.split()) for text in texts
            ],
            "half of the words random": replaced(texts, 0.5, words),
            "all words random": replaced(texts, 1.0, words),
            f"`{best}` for every text": [best] * len(texts),
        }
        print(f"\n{name}, {TEXTS:,} sentences (paper's BLEU: {PAPER[name]})\n")
        print("| candidate | N_w | ROUGE-1 | BLEU | the paper's scale |\n|---|---|---|---|---|")
        for what, some in candidates.items():
            numbers = n_w(texts, some).by_place, rouge_1(texts, some).f1, bleu(texts, some, words="none").score
            print(
                f"| {what} | {numbers[0]:.3f} | {numbers[1]:.3f} | {numbers[2]:.1f} | {letter_bleu(texts, some):.2f} |"
            )
        above = np.mean([one > letter_bleu(few, few) for one in constants.values()])
        print(f"\nOf {CONSTANTS} single sentences given to every text, {above:.0%} have more than the text itself.")


def bert() -> None:
    """BERTScore with static vectors and with the study's encoder, raw and rescaled."""
    vocabulary = load_vocabulary()
    texts = texts_of("Yelp", 300)
    words = list(vocabulary.words)
    unit = vocabulary.vectors / np.linalg.norm(vocabulary.vectors, axis=1, keepdims=True)

    def neighbor(word: str) -> str:
        found = vocabulary.id_of(word)
        if found is None:
            return word
        near = unit @ unit[found]
        near[found] = -1
        return words[int(near.argmax())]

    rng = np.random.default_rng(2)
    chosen = [[(word, rng.random() < 0.4) for word in text.split()] for text in texts]
    candidates = {
        "the text itself": texts,
        "its words shuffled": [" ".join(rng.permutation(text.split()).tolist()) for text in texts],
        "40 % of words as their nearest": [" ".join(neighbor(w) if hit else w for w, hit in row) for row in chosen],
        "40 % of words random": replaced(texts, 0.4, words),
        "another text": texts[1:] + texts[:1],
        "nothing": [""] * len(texts),
    }
    encoders: list[TextEncoder] = [static_encoder(), study_encoder(0)]
    bases = [made_baseline(sorted(set(texts_of("Yahoo", 500))), encoder) for encoder in encoders]
    for encoder in encoders:
        print(encoder.name)
    print("\n| candidate | static, raw | static, rescaled | study's, raw | study's, rescaled |\n|---|---|---|---|---|")
    for what, some in candidates.items():
        cells = []
        for encoder, base in zip(encoders, bases, strict=True):
            cells += [bert_score(texts, some, encoder, baseline=one).mean.f1 for one in (None, base)]
        print(f"| {what} | " + " | ".join(f"{cell:.3f}" for cell in cells) + " |")


if __name__ == "__main__":
    asked = sys.argv[1:] or ["overlap", "bert"]
    for part in asked:
        {"overlap": overlap, "bert": bert}[part]()
