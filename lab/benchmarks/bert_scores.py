"""What BERTScore by the study's own encoders says of candidates whose worth is known: a table of docs/evaluation.md.

    TEXTVEIL_SHARED=../shared python lab/benchmarks/bert_scores.py

Needs the extra ``torch``.
"""

import os
from pathlib import Path
from typing import Final

import numpy as np

from textveil.vocabulary.embedded import load_vocabulary
from textveil_lab.evaluation.bert_score import bert_score, made_baseline
from textveil_lab.evaluation.encoder import TextEncoder
from textveil_lab.evaluation.study_encoder import static_encoder, study_encoder

CORPORA: Final = {"Yelp": ("yelp/test.neg.txt", "yelp/test.pos.txt"), "Yahoo": ("yahoo/test.txt",)}


def texts_of(name: str, count: int) -> list[str]:
    """Lines of a corpus, drawn without replacement under a seed."""
    folder = Path(os.environ["TEXTVEIL_SHARED"]) / "data/text"
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


def main() -> None:
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
    main()
