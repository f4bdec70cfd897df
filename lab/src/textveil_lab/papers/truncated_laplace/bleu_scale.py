"""Meaning of the paper's BLEU: its scale, applied to candidates of known quality.

The tool that the public code calls counts only single characters (``textveil_lab.evaluation.unchanged``). So a perfect
copy scores like the paper's texts without noise, a text without one right word scores the same, and some fixed
sentences, as the output for every text, score more.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from textveil.errors import InputError
from textveil_lab.evaluation.unchanged import bleu, letter_bleu, n_w, rouge_1
from textveil_lab.papers.setting import Comparison, ItemOutcome, StudySetting
from textveil_lab.papers.truncated_laplace.facts import BLOCKS, cells, value
from textveil_lab.plots import Chart, new_figure
from textveil_lab.tables import Cell, Table

FILES: Final = {"yelp": ("test.neg.txt", "test.pos.txt"), "yahoo": ("test.txt",)}  # Of each corpus, sentences a line
TEXTS, QUICK_TEXTS = 1000, 100
CONSTANTS, QUICK_CONSTANTS = 100, 10  # Sentences that are tried as the one answer to every text
_OTHERS: Final = 200  # Texts that each of those is scored on
SHARES: Final = (0.1, 0.25, 0.5, 0.75, 1.0)  # Of words that are replaced by random ones
COPY, HOLLOW = "the text itself", "every word of two characters or more made zz"
ANSWER: Final = "i was there ."  # One answer to every text, made here: none of the corpora's sentences is printed
CONSTANT: Final = f'"{ANSWER}" for every text'


class _Scored(NamedTuple):
    candidate: str
    unchanged: float
    rouge: float
    bleu: float
    scale: float


class _Constant(NamedTuple):
    rouge: float
    scale: float


class _Scores(NamedTuple):
    corpus: str
    texts: int
    rows: list[_Scored]
    constants: list[_Constant]
    copy: float

    @property
    def above(self) -> int:
        return sum(one.scale > self.copy for one in self.constants)


def bleu_scale(setting: StudySetting) -> ItemOutcome:
    """Score candidates of known quality on the paper's scale, beside N_w, ROUGE-1 and BLEU."""
    found = []
    for number, corpus in enumerate(FILES):
        found.append(_corpus(setting, corpus, number))
        setting.progress((number + 1) / len(FILES))
    rows: list[tuple[Cell, ...]] = [(one.corpus, *row) for one in found for row in one.rows]
    columns = ("corpus", "candidate", "N_w", "ROUGE-1 (F1, percent)", "BLEU (sacrebleu)", "the paper's scale")
    return ItemOutcome(
        tables={"": Table(columns=columns, rows=tuple(rows))},
        charts={"": _chart(found)},
        findings=tuple(_finding(one) for one in found),
        comparisons=tuple(_compared(one) for one in found),
        settings={
            "texts": min(one.texts for one in found),
            "single sentences tried": min(len(one.constants) for one in found),
            "share of words that are random": SHARES,
        },
    )


def _corpus(setting: StudySetting, corpus: str, stream: int) -> _Scores:
    rng = setting.generator(20, stream)
    texts = _texts(setting, corpus, QUICK_TEXTS if setting.quick else TEXTS, rng)
    words = [word for text in texts for word in text.split()]
    tried = rng.choice(len(texts), min(len(texts), QUICK_CONSTANTS if setting.quick else CONSTANTS), replace=False)
    few = texts[:_OTHERS]
    constants = []
    for one in sorted({texts[place] for place in tried.tolist()}):
        answers = [one] * len(few)
        rouge = 100 * rouge_1(few, answers, words="spaces").f1
        constants.append(_Constant(rouge, letter_bleu(few, answers)))
    candidates = {
        COPY: texts,
        HOLLOW: [" ".join(word if len(word) == 1 else "zz" for word in text.split()) for text in texts],
        **{f"{share:.0%} of words random": _replaced(texts, share, words, rng) for share in SHARES},
        CONSTANT: [ANSWER] * len(texts),
    }
    rows = [_scored(what, texts, some) for what, some in candidates.items()]
    return _Scores(corpus, len(texts), rows, constants, letter_bleu(few, few))


def _texts(setting: StudySetting, corpus: str, count: int, rng: np.random.Generator) -> list[str]:
    folder = setting.text(corpus)
    lines: list[str] = []
    for name in FILES[corpus]:
        try:
            lines += (folder / name).read_text(encoding="utf-8").split("\n")
        except (OSError, ValueError) as error:
            raise InputError(
                f"corpus {corpus} must have {name}, UTF-8 with a sentence a line; got {type(error).__name__}. "
                "Put the file there."
            ) from error
    kept = [line.strip() for line in lines if line.strip()]
    if not kept:
        raise InputError(f"corpus {corpus} must have sentences; got none. Put them there, one a line.")
    return [kept[place] for place in rng.choice(len(kept), min(count, len(kept)), replace=False).tolist()]


def _replaced(texts: Sequence[str], share: float, words: Sequence[str], rng: np.random.Generator) -> list[str]:
    return [
        " ".join(words[int(rng.integers(len(words)))] if rng.random() < share else word for word in text.split())
        for text in texts
    ]


def _scored(what: str, texts: Sequence[str], candidates: Sequence[str]) -> _Scored:
    rouge = 100 * rouge_1(texts, candidates, words="spaces").f1
    known = bleu(texts, candidates, words="none").score
    return _Scored(what, n_w(texts, candidates).by_place, rouge, known, letter_bleu(texts, candidates))


def _printed(corpus: str) -> tuple[float, list[float]]:
    plain = [one for block in BLOCKS if block.corpus == corpus and (one := value(block, "bleu")) is not None]
    noisy = [one.value for one in cells("bleu") if one.block.corpus == corpus and one.mechanism is not None]
    return float(np.mean(plain)), noisy


def _finding(found: _Scores) -> str:
    of = {row.candidate: row for row in found.rows}
    copy, hollow, constant = of[COPY], of[HOLLOW], of[CONSTANT]
    _, noisy = _printed(found.corpus)
    return (
        f"{found.corpus.capitalize()}: on the paper's scale a perfect copy has {copy.scale:.2f}, and a text of which "
        f"nothing but single characters is left has {hollow.scale:.2f} (its BLEU is {hollow.bleu:.1f}). "
        f'"{ANSWER}" as the answer to every text has {constant.scale:.2f}; of {len(found.constants)} sentences of the '
        f"corpus, each given as the one answer, {found.above} have more than a copy. The paper's numbers with noise, "
        f"{min(noisy):.2f} to {max(noisy):.2f}, count full stops, commas, i and a; they say nothing of how much of a "
        "text was kept."
    )


def _compared(found: _Scores) -> Comparison:
    plain, _ = _printed(found.corpus)
    return Comparison(
        what=f"{found.corpus}: BLEU without noise, the paper's scale",
        paper=f"{plain:.2f}",
        ours=f"{found.rows[0].scale:.2f} for a perfect copy",
        note="sacrebleu gives a perfect copy 100; other sentences of the same kind of corpus",
    )


def _chart(found: Sequence[_Scores]) -> Chart:
    chart = new_figure(
        [one.corpus.capitalize() for one in found],
        x=["ROUGE-1, percent"] * len(found),
        y=["BLEU, the paper's scale"] * len(found),
        panel_size=(6.0, 4.2),
    )
    for panel, one in zip(chart.panels, found, strict=True):
        mixed = [row for row in one.rows if row.candidate == COPY or row.candidate.endswith("words random")]
        panel.line([row.rouge for row in mixed], [row.scale for row in mixed], "words replaced by random ones", style=0)
        panel.points(
            [c.rouge for c in one.constants], [c.scale for c in one.constants], "one sentence for all", style=1
        )
        pairs = zip(cells("rouge1"), cells("bleu"), strict=True)
        paper = [(x.value, y.value) for x, y in pairs if x.block.corpus == one.corpus and x.mechanism is not None]
        panel.points([x for x, _ in paper], [y for _, y in paper], "the paper's cells", style=2)
        panel.level(one.rows[0].scale, "a perfect copy")
        panel.legend("below", columns=2)
    return chart
