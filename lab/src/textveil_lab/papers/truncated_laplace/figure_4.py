"""Figure 4: accuracy of classifiers on SST-2 and AG News against epsilon, three ways, for all mechanisms."""

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from textveil.catalog import entries, word_mechanism
from textveil.mechanisms.kinds import WordMechanism
from textveil.randomness import seeded_generator
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.downstream.corpora import read_corpus, training_frequencies
from textveil_lab.downstream.network import FAST, ClassifierSettings, NetworkLearner
from textveil_lab.downstream.scorers import word_scorer
from textveil_lab.frontiers.cells import Values, cell_seed
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.frontiers.downstream.accuracy import BatchNoise, Disturb, LinearLearner
from textveil_lab.frontiers.downstream.measured import ON_TEXTS, Measured, Scorer, accuracy_scorer, measured
from textveil_lab.frontiers.downstream.tasks import LabelledTask, task_of
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.papers.truncated_laplace.facts import EPSILONS, MECHANISMS
from textveil_lab.papers.truncated_laplace.figure_4_report import CALLED, Point, reported
from textveil_lab.papers.truncated_laplace.public_code import PUBLIC_CODE, clip_of, printed_mechanism, public_noise
from textveil_lab.papers.truncated_laplace.public_noises import ThereAndBack
from textveil_lab.papers.truncated_laplace.results import kept_cells
from textveil_lab.papers.truncated_laplace.verdicts import VALID_DELTA, ExperimentWay

CORPORA: Final = ("sst2", "agnews")
FASTTEXT, GLOVE, RANDOM = "fastText", "GloVe", "random"
METRIC: Final = ("spherical-laplace", "mahalanobis", "pte")
"""CMP, Mahalanobis and PTE: the baselines whose epsilon is per unit of distance."""

BEST: Final = "neighborhood"  # Of the catalog, beside the valid forms of the paper's mechanisms
ATTACKED: Final = 60  # Tokens that an attacker sees in a cell, if densities must be computed for each


class AccuracySize(NamedTuple):
    """Size of the measurements."""

    words: int  # of a vocabulary, its first ones
    runs: int  # repetitions that share no document
    train: int  # documents of a run to learn from
    test: int  # documents of a run to test on
    longest: int  # words of a document that are kept
    few: tuple[float, ...]  # epsilons of the embeddings other than GloVe
    all: tuple[float, ...]  # epsilons of GloVe
    networks: ClassifierSettings  # how networks are trained


QUICK_SIZE: Final = AccuracySize(500, 2, 120, 80, 10, (), (0.05, 20.0), FAST)
DEFAULT_SIZE: Final = AccuracySize(3000, 3, 600, 300, 16, (0.05, 0.5, 5.0, 20.0), EPSILONS, FAST)
GPU_SIZE: Final = AccuracySize(10_000, 5, 4000, 900, 40, EPSILONS, EPSILONS, ClassifierSettings())


def size_of(setting: StudySetting) -> AccuracySize:
    """Return the size of a run: small if quick; networks as trained in the paper if there is a GPU."""
    return QUICK_SIZE if setting.quick else DEFAULT_SIZE if setting.device == "cpu" else GPU_SIZE


@dataclass(frozen=True, slots=True)
class AccuracyCell:
    """One measurement; ``way``, ``mechanism`` and ``epsilon`` are None for the original texts."""

    corpus: str
    embeddings: str
    way: ExperimentWay | None = None
    mechanism: str | None = None
    epsilon: float | None = None

    @property
    def name(self) -> str:
        parts = [self.corpus, self.embeddings.lower()]
        if self.way is not None:
            parts += [self.way.short, str(self.mechanism), f"{self.epsilon:g}"]
        return "_".join(parts)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class AccuracyStudy:
    """Data shared by all cells."""

    vocabularies: MappingProxyType[str, Vocabulary] | dict[str, Vocabulary]  # by embeddings
    tasks: dict[tuple[str, str], LabelledTask]  # by corpus and embeddings
    size: AccuracySize  # how networks are trained
    seed: int  # of every draw
    device: str  # of the networks


def figure_4(setting: StudySetting) -> ItemOutcome:
    """Measure the accuracy of classifiers trained on releases, by corpus, embeddings, way, mechanism and epsilon."""
    size = size_of(setting)
    vocabularies = embeddings_at_hand(setting, size.words)
    corpora = {name: read_corpus(name, setting.text(name).parent) for name in CORPORA}
    tasks = {
        (name, kind): task_of(
            corpora[name],
            vocabulary.words,
            setting.generator(8, place),
            runs=size.runs,
            train=size.train,
            test=size.test,
            longest=size.longest,
        )
        for place, name in enumerate(CORPORA)
        for kind, vocabulary in vocabularies.items()
    }
    study = AccuracyStudy(vocabularies=vocabularies, tasks=tasks, size=size, seed=setting.seed, device=setting.device)
    cells = cells_of(tuple(vocabularies), size)
    terms = {
        **{
            name: value
            for name, value in size._asdict().items()
            if name in ("words", "runs", "train", "test", "longest")
        },
        "networks": {**size.networks.to_data(), "device": setting.device},
        "vocabularies": {kind: one.digest for kind, one in vocabularies.items()},
        "seed": setting.seed,
        "delta": VALID_DELTA,
        "attacked": ATTACKED,
    }
    found = kept_cells(setting, "figure-4", terms, cells, partial(measured_cell, study))
    points = [_point(cell, found[cell.name]) for cell in cells]
    names = {kind: one.name for kind, one in vocabularies.items()}
    return reported(points, {**terms, "vocabularies": names})


def embeddings_at_hand(setting: StudySetting, words: int) -> dict[str, Vocabulary]:
    """Return FastText if available, GloVe (else the embedded words), and random vectors for GloVe's words."""
    given = {one.name: one for one in setting.vocabularies}
    fast = next((one for name, one in given.items() if "fasttext" in name.lower()), None)
    glove = next((one for name, one in given.items() if "glove" in name.lower()), None)
    if glove is None:
        glove = max((one for one in given.values() if one is not fast), key=len, default=load_vocabulary())
    glove = first_words(glove, words)
    drawn = seeded_generator(setting.seed, 81).standard_normal((len(glove), glove.dim)).astype(np.float32)
    found = {} if fast is None else {FASTTEXT: first_words(fast, words)}
    return {**found, GLOVE: glove, RANDOM: Vocabulary(glove.words, drawn, f"random vectors, {len(glove):,} words")}


def cells_of(embeddings: tuple[str, ...], size: AccuracySize) -> list[AccuracyCell]:
    """Return every cell of a run, in the order of the report."""
    cells = []
    for corpus in CORPORA:
        for kind in embeddings:
            cells.append(AccuracyCell(corpus, kind))
            for way, names in (
                (ExperimentWay.TEXT, (*MECHANISMS, *METRIC)),
                (ExperimentWay.CODE, tuple(PUBLIC_CODE)),
                (ExperimentWay.VALID, (*MECHANISMS, *METRIC, BEST)),
            ):
                epsilons = size.all if kind == GLOVE else size.few
                cells += [AccuracyCell(corpus, kind, way, name, epsilon) for name in names for epsilon in epsilons]
    return cells


def measured_cell(study: AccuracyStudy, cell: AccuracyCell) -> Values:
    """Measure one cell: release or disturb, learn, test, attack."""
    vocabulary, task = study.vocabularies[cell.embeddings], study.tasks[cell.corpus, cell.embeddings]
    mechanism, noise, seed = None, None, cell_seed(cell, study.seed)
    if cell.way is ExperimentWay.CODE:
        noise = BatchNoise(disturbed_by(cell, vocabulary), study.size.networks.batch)
    elif cell.way is not None:
        mechanism = released_by(cell, vocabulary)
    linear = LinearLearner(vocabulary.vectors, noise)
    network = NetworkLearner(vectors=vocabulary.vectors, settings=study.size.networks, noise=noise, device=study.device)
    scorers: list[Scorer] = [
        accuracy_scorer("linear", linear, task.classes, seed),
        accuracy_scorer("network", network, task.classes, seed),
    ]
    if cell.way is not ExperimentWay.CODE:
        scorers.append(word_scorer(vocabulary))
    prior = training_frequencies(task, len(vocabulary))
    found = measured(mechanism, task, scorers, seed, prior=prior, attacked=ATTACKED)
    if cell.way is ExperimentWay.CODE:  # nothing is released there: documents are clean, and all are read through noise
        kept = {name: values for name, values in found.scores.items() if ON_TEXTS not in name}
        found = Measured(kept)
    return found.to_data()


def disturbed_by(cell: AccuracyCell, vocabulary: Vocabulary) -> Disturb:
    """Return the public code's change to the vectors of a batch's words."""
    assert cell.mechanism is not None
    assert cell.epsilon is not None
    noise = public_noise(cell.mechanism, cell.epsilon, vocabulary.vectors)
    if isinstance(noise, ThereAndBack):
        return noise.perturb
    return lambda vectors, rng: vectors + noise.sample(1 if noise.one_vector_a_batch else len(vectors), rng)


def released_by(cell: AccuracyCell, vocabulary: Vocabulary) -> WordMechanism:
    """Return the mechanism of words for a cell of the first or the third way."""
    assert cell.mechanism is not None
    assert cell.epsilon is not None
    name, clip = cell.mechanism, clip_of(vocabulary)
    if name in METRIC and cell.way is ExperimentWay.TEXT:
        return word_mechanism(name, vocabulary, epsilon_per_distance=cell.epsilon, clip=None)
    if cell.way is ExperimentWay.TEXT:
        return printed_mechanism(name, cell.epsilon, vocabulary)
    if name == BEST:
        return word_mechanism(name, vocabulary, epsilon=cell.epsilon, base_weights="flat")
    delta = {"delta": VALID_DELTA} if "delta" in entries()[name].options() else {}
    return word_mechanism(name, vocabulary, epsilon=cell.epsilon, clip=clip, **delta)


def _point(cell: AccuracyCell, values: Values) -> Point:
    return Point(
        corpus=cell.corpus,
        embeddings=cell.embeddings,
        way="" if cell.way is None else CALLED[cell.way],
        mechanism=cell.mechanism or "",
        epsilon=cell.epsilon,
        measured=Measured.of_dict(values),
    )
