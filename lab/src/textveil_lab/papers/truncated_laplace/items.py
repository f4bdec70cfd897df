"""Items of the paper on truncated Laplace noise, and items beyond them.

The paper's settings stand beside each item, under the names of the run's settings.
"""

from collections.abc import Mapping
from types import MappingProxyType

from textveil_lab.papers.report import Basis, Item, Paper
from textveil_lab.papers.truncated_laplace.facts import HIGH_EPSILONS, LOW_EPSILONS

_UNSTATED = "not stated"


_REWRITING: Mapping[str, str] = MappingProxyType(
    {
        "sentences trained": "its own splits; sizes in table-4",
        "words of the vocabulary": "10,000",
        "epochs": "100",
        "batch": "1,024",
        "hidden": f"{_UNSTATED}; one layer, bidirectional LSTM",
        "learning rate": "0.01 (Adam, betas 0.5 and 0.999)",
        "dropout": "0.5",
        "longest sentence": _UNSTATED,
        "dimensions": "300; with dummy ones 500 at epsilon 10 and 1,700 at 20",
        "delta": "4 to the power of minus the dimensions",
        "clip (C)": _UNSTATED,
    }
)
"""Settings of the auto-encoder and its noise."""


_DOWNSTREAM: Mapping[str, str] = MappingProxyType(
    {
        "network, learning_rate": "0.0001 (Adam)",
        "network, dropout": "0.2",
        "network, batch": "256",
        "network, epochs": "50 at most",
        "repetitions": "mean of five runs",
        "SST-2": "68,221 sentences, 80 : 20",
        "AG News": "6,000 documents a topic: 16,000 for training, 4,000 and 4,000 held out",
    }
)
"""Settings of the classifiers."""


def _with(epsilons: tuple[float, ...]) -> Mapping[str, str]:
    return {**_REWRITING, "epsilon": ", ".join(f"{epsilon:g}" for epsilon in epsilons)}


PAPER_SETTINGS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        **{
            name: _with(LOW_EPSILONS + HIGH_EPSILONS)
            for name in ("table-1", "table-5", "figure-2", "figure-3", "figure-5", "figure-6")
        },
        "figure-1": _with((0.1,)),
        "table-2": _with(LOW_EPSILONS),
        "table-3": _with(HIGH_EPSILONS),
        "figure-4": _DOWNSTREAM,
        "table-4": {"tokens": _UNSTATED},
        "limits": {"words of the vocabulary": "10,000"},
        "verdicts": {"clipping norm C": _UNSTATED},
        "variance": {
            "d": "300",
            "epsilon": ", ".join(f"{epsilon:g}" for epsilon in LOW_EPSILONS + HIGH_EPSILONS),
            "delta": "4^-d; the theorem asks for e^-d at most",
        },
    }
)
"""Settings by the name of the item; items without settings of their own are absent."""


_HERE = "textveil_lab.papers.truncated_laplace"


_BOTH = ("yelp", "yahoo")


def _item(
    name: str,
    title: str,
    basis: Basis,
    target: str,
    about: str,
    draws: bool = True,
    texts: tuple[str, ...] = (),
    trains: bool = False,
) -> Item:
    settings = PAPER_SETTINGS.get(name, {})
    return Item(
        name=name,
        title=title,
        basis=basis,
        about=about,
        target=f"{_HERE}.{target}",
        draws=draws,
        texts=texts,
        trains=trains,
        settings=settings,
    )


_WAYS = (
    "Three ways: as the public code does, as the text says, and as it would have to be for a guarantee. In the first a "
    "network is trained in every cell; in the others words are released one by one, nothing is trained for them, and "
    "the loss is that of the network without noise, told the released words. ROUGE-1, BLEU, BERTScore and N_w compare "
    "the original with the rewritten sentence in the first way and with the released words in the others."
)

_THREE_WAYS = (
    _item(
        "figure-1",
        "A restaurant sentence with a time in it, rewritten",
        Basis.PAPER,
        "tables:figure_1",
        "One sentence, rewritten by every mechanism of the three ways at the paper's epsilon.",
        draws=False,
        texts=("yelp",),
        trains=True,
    ),
    _item(
        "figure-2",
        "Words that stay, Yelp",
        Basis.PAPER,
        "curves:figure_2",
        f"N_w, the share of words that are not replaced, against epsilon. {_WAYS}",
        texts=("yelp",),
        trains=True,
    ),
    _item(
        "table-1",
        "Yelp with fastText, all epsilons",
        Basis.PAPER,
        "tables:table_1",
        f"Loss, ROUGE-1, BLEU, N_w and BERTScore. {_WAYS}",
        draws=False,
        texts=("yelp",),
        trains=True,
    ),
    _item(
        "table-2",
        "Yahoo and Yelp with GloVe, epsilon below 1",
        Basis.PAPER,
        "tables:table_2",
        f"As table 1. {_WAYS}",
        draws=False,
        texts=_BOTH,
        trains=True,
    ),
    _item(
        "table-3",
        "Yahoo and Yelp with GloVe, epsilon from 1",
        Basis.PAPER,
        "tables:table_3",
        f"As table 1. {_WAYS}",
        draws=False,
        texts=_BOTH,
        trains=True,
    ),
    _item(
        "figure-3",
        "Scores against epsilon, Yelp and Yahoo",
        Basis.PAPER,
        "curves:figure_3",
        f"The numbers of tables 2 and 3 as curves. {_WAYS}",
        texts=_BOTH,
        trains=True,
    ),
    _item(
        "figure-5",
        "Words that stay, Yahoo",
        Basis.PAPER,
        "curves:figure_5",
        f"As figure 2. {_WAYS}",
        texts=("yahoo",),
        trains=True,
    ),
    _item(
        "figure-6",
        "A warning of food poisoning, rewritten",
        Basis.PAPER,
        "tables:figure_6",
        "As figure 1, with another sentence.",
        draws=False,
        texts=("yelp",),
        trains=True,
    ),
    _item(
        "table-5",
        "Seconds an epoch",
        Basis.PAPER,
        "tables:table_5",
        "How long one pass over the sentences takes with noise at the encoder's input, as in the public code.",
        draws=False,
        texts=_BOTH,
        trains=True,
    ),
    _item(
        "noise-size",
        "The noise beside the vectors: why the public code gives the paper's pattern",
        Basis.BEYOND,
        "noise_size:noise_size",
        "The root mean square length of the noise over the mean length of the vectors to which it is added, in every "
        "way, and the scores at each ratio.",
        texts=_BOTH,
        trains=True,
    ),
)


PAPER = Paper(
    name="truncated-laplace",
    title="Private Language Models via Truncated Laplacian Mechanism",
    citation=(
        "Huang, Yang, Habernal, Hu and Wang, EMNLP 2024, pages 3980-3993, doi 10.18653/v1/2024.emnlp-main.231, "
        "arXiv 2410.08027"
    ),
    sources=(
        "The paper's tables were copied number by number, and what its figures show and its settings say was written "
        "down beside them; what it does not state is said where it matters."
    ),
    vocabularies=("fasttext-cc-300d-2000", "glove-840b-300d-33860"),
    texts=("agnews", "sst2", "yahoo", "yelp"),
    keeps_cells=True,
    notes=(
        "Stand-ins: the paper's own splits are not all public, and whole tables of vectors are large. Yelp is the "
        "public corpus of single sentences of Shen et al., Yahoo a set of sentences of Yahoo Answers, AG News and "
        "SST-2 the public rows of both; GloVe and fastText are public parts of larger tables, of the sizes above. So "
        "losses and scores compare with the paper's by their order and by what changes them, not digit by digit.",
        "Three ways: as the paper's text says; as its public code does; and as it would have to be for the stated "
        "guarantee to hold. The second is the one that gives numbers like the paper's, and it has no guarantee.",
    ),
    items=(
        *_THREE_WAYS,
        _item(
            "table-4",
            "The corpora",
            Basis.PAPER,
            "corpora:table_4",
            "Sizes of the paper's corpora by class, and the average number of tokens of a text, beside the corpora at "
            "hand. Where a corpus has other classes or none, its one number stands in the column of the negatives.",
            draws=False,
        ),
        _item(
            "limits",
            "What the printed shares of unchanged words would take",
            Basis.BEYOND,
            "limits:limits",
            "N_w is the share of words that come out unchanged. Every N_w that the paper prints is put to the largest "
            "share that the claimed guarantee allows: word by word, for a decoder that sees the released words, and "
            "for one that is fed the clean words.",
        ),
        _item(
            "verdicts",
            "The delta that each setting really has",
            Basis.BEYOND,
            "verdict_report:verdicts",
            "Every mechanism at every epsilon, with its dummy dimensions: the delta that is claimed, the exact one, "
            "and whether the claim is proved or refuted; for the noisy vector, for real words, and by draws for the "
            "released word.",
        ),
        _item(
            "variance",
            "Theorem 4: whose noise is smaller, and where",
            Basis.BEYOND,
            "variance:variance",
            "The paper's theorem says that truncated Laplace noise has less variance than Gaussian noise. The "
            "comparison as a function, the region where it holds, and both again with the bound that is valid.",
        ),
        _item(
            "contradictions",
            "Where the printed numbers go against each other",
            Basis.BEYOND,
            "contradictions:contradictions",
            "Checks of the tables against each other, against the paper's formulas and against its text: nothing is "
            "measured, cells are counted.",
        ),
        _item(
            "bleu-scale",
            "What the paper's BLEU can mean",
            Basis.BEYOND,
            "bleu_scale:bleu_scale",
            "The paper prints BLEU between 8.2 and 9.3, and the highest where the noise is strongest. Its public code "
            "hands a tool the words of one reference where a list of references is meant. The same call, given to "
            "candidates whose worth is known.",
            texts=_BOTH,
        ),
        _item(
            "figure-4",
            "Accuracy of classifiers on sanitized text",
            Basis.PAPER,
            "figure_4:figure_4",
            "Accuracy on SST-2 and AG News against epsilon, for fastText, GloVe and random vectors and all mechanisms, "
            "three ways; and what the paper lacks: what is learned from sanitized text, tested on clean text too.",
            texts=("sst2", "agnews"),
            trains=True,
        ),
        _item(
            "equal-guarantee",
            "The paper's comparison at one guarantee",
            Basis.BEYOND,
            "equal_guarantee:equal_guarantee",
            "Every mechanism at the same loss for any two words, its claim audited: the mean cosine of released words, "
            "BERTScore, the accuracy of classifiers that learned from releases, tested on releases and on clean text, "
            "and beside them the share of words that the best attacker on one released word names.",
            texts=("agnews",),
            trains=True,
        ),
    ),
)
