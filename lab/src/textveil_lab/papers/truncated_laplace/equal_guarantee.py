"""Beyond the paper: its baselines and the catalog's mechanisms at one verified guarantee, on the paper's task."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from textveil.catalog import entries, word_mechanism
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.whole_audit import audit_mechanism
from textveil_lab.downstream.corpora import read_corpus, training_frequencies
from textveil_lab.downstream.network import FAST, NetworkLearner
from textveil_lab.downstream.scorers import BERT_SCORE, COSINE, UNCHANGED, bert_scorer, word_scorer
from textveil_lab.evaluation.encoder import TextEncoder
from textveil_lab.evaluation.study_encoder import static_encoder, study_encoder
from textveil_lab.frontiers.cells import Values
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.frontiers.downstream.accuracy import LinearLearner
from textveil_lab.frontiers.downstream.measured import (
    ON_RELEASES,
    ON_TEXTS,
    Measured,
    Scorer,
    accuracy_scorer,
    measured,
)
from textveil_lab.frontiers.downstream.tasks import LabelledTask, task_of
from textveil_lab.papers.setting import ItemOutcome, StudySetting
from textveil_lab.papers.truncated_laplace.results import kept_cells
from textveil_lab.papers.truncated_laplace.who_leads import LeaderRow, reported
from textveil_lab.vocabulary.geometry import normalize

EPSILONS: Final = (2.0, 3.0, 5.0, 8.0, 10.0)  # Nats of one word, for any two words
QUICK_EPSILONS: Final = (2.0, 8.0)
DELTA: Final = 1e-5  # Of the baselines that need one; the catalog's channels have none
CLIP: Final = 1.0  # Vectors are shortened to this norm: only directions are protected and measured
CORPUS: Final = "agnews"


class Contender(NamedTuple):
    """Mechanism of the comparison."""

    label: str  # name in the report
    name: str  # in the catalog
    options: Mapping[str, Any]  # beside epsilon, delta and clip
    baseline: bool  # whether the paper compares with it, or proposes it


CONTENDERS: Final = (
    Contender("neighborhood", "neighborhood", {}, False),
    Contender("neighborhood, flat", "neighborhood", {"base_weights": "flat"}, False),
    Contender("optimal", "optimal", {}, False),
    Contender("truncated Laplace, valid", "truncated-laplace", {}, True),
    Contender("Laplace", "laplace", {}, True),
    Contender("Gaussian, analytic", "gaussian", {}, True),
    Contender("CMP", "spherical-laplace", {}, True),
    Contender("Gaussian, classical formula", "gaussian-classical-published", {}, True),
    Contender("Mahalanobis", "mahalanobis", {}, True),
    Contender("PTE", "pte", {}, True),
)
"""Add new contenders at the end: a contender's position is the stream of its draws."""


SCORES: Final = (
    COSINE,
    BERT_SCORE,
    *(f"{name}, {tested}" for name in ("linear", "network") for tested in (ON_RELEASES, ON_TEXTS)),
    UNCHANGED,
)
"""Scores in the order of the report; larger is better, except for the last."""


class ComparisonSize(NamedTuple):
    """Size of the measurements."""

    words: int  # of the vocabulary, its first ones
    runs: int  # repetitions that share no document
    train: int  # documents of a run to learn from
    test: int  # documents of a run to test on
    longest: int  # words of a document that are kept
    scored: int  # test documents of a run of which BERTScore is taken
    trained_encoder: bool  # whether its encoder is trained here; else it is the words' own vectors


DEFAULT_SIZE: Final = ComparisonSize(10_000, runs=5, train=1600, test=500, longest=24, scored=100, trained_encoder=True)
QUICK_SIZE: Final = ComparisonSize(1000, runs=3, train=200, test=100, longest=12, scored=20, trained_encoder=False)


@dataclass(frozen=True, slots=True)
class GuaranteeCell:
    """One mechanism at one epsilon; ``contender``: index in ``CONTENDERS``, None for the original texts."""

    contender: int | None
    epsilon: float

    @property
    def name(self) -> str:
        if self.contender is None:
            return "as-they-are"
        return f"{self.contender:02d}-{CONTENDERS[self.contender].name}-{self.epsilon:g}"


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonStudy:
    """Data shared by all cells."""

    vocabulary: Vocabulary
    task: LabelledTask
    size: ComparisonSize
    seed: int
    device: str = "cpu"


def equal_guarantee(setting: StudySetting) -> ItemOutcome:
    """Measure cosine, accuracies and the attacker's success of every contender at every epsilon, and who leads."""
    size = QUICK_SIZE if setting.quick else DEFAULT_SIZE
    epsilons = QUICK_EPSILONS if setting.quick else EPSILONS
    whole = max(setting.vocabularies, key=len) if setting.named else load_vocabulary()
    vocabulary = first_words(whole, size.words)
    corpus = read_corpus(CORPUS, setting.text(CORPUS).parent)
    task = task_of(
        corpus,
        vocabulary.words,
        setting.generator(7),
        runs=size.runs,
        train=size.train,
        test=size.test,
        longest=size.longest,
    )
    cells = [GuaranteeCell(None, 0.0)]
    cells += [GuaranteeCell(number, epsilon) for epsilon in epsilons for number in range(len(CONTENDERS))]
    terms = {
        **size._asdict(),
        "vocabulary": vocabulary.digest,
        "networks": FAST.to_data() | ({} if setting.device == "cpu" else {"device": setting.device}),
        "seed": setting.seed,
        "delta": DELTA,
        "clip": CLIP,
    }
    study = ComparisonStudy(vocabulary, task, size, setting.seed, setting.device)
    found = kept_cells(setting, "equal-guarantee", terms, cells, partial(measured_cell, study))
    clean, *others = (_row(cell, found[cell.name]) for cell in cells)
    return reported(clean, others, facts={**terms, "corpus": corpus.name, "vocabulary": vocabulary.name})


def measured_cell(study: ComparisonStudy, cell: GuaranteeCell) -> Values:
    """Measure one cell: release, scores, attack, and the audit's verdict on the claim."""
    scorers = _scorers(study)
    if cell.contender is None:
        return measured(None, study.task, scorers, study.seed).to_data()
    one = CONTENDERS[cell.contender]
    known = entries()[one.name].options()
    given = {key: value for key, value in (("clip", CLIP), ("delta", DELTA)) if key in known}
    mechanism = word_mechanism(one.name, study.vocabulary, epsilon=cell.epsilon, **given, **one.options)
    stream = (71, cell.contender, round(1000 * cell.epsilon))
    prior = training_frequencies(study.task, len(study.vocabulary))
    found = measured(mechanism, study.task, scorers, study.seed, *stream, prior=prior)
    lead = audit_mechanism(mechanism, attacks=False).leading
    return {
        **found.to_data(),
        "guarantee": str(mechanism.guarantee),
        "verdict": lead.verdict.value,
        "audited_epsilon": lead.epsilon.upper,
        "audited_delta": lead.delta.upper,
    }


def _scorers(study: ComparisonStudy) -> list[Scorer]:
    vocabulary, classes = study.vocabulary, study.task.classes
    units = normalize(vocabulary.vectors)
    network = NetworkLearner(vectors=units, settings=FAST, device=study.device)
    return [
        word_scorer(vocabulary),
        bert_scorer(vocabulary.words, _encoder(study), study.size.scored),
        accuracy_scorer("linear", LinearLearner(units), classes, study.seed),
        accuracy_scorer("network", network, classes, study.seed),
    ]


def _encoder(study: ComparisonStudy) -> TextEncoder:
    """Return the encoder of BERTScore: trained here, since no published one is available; if quick, word vectors."""
    return study_encoder() if study.size.trained_encoder else static_encoder(study.vocabulary)


def _row(cell: GuaranteeCell, values: Values) -> LeaderRow:
    found = Measured.of_dict(values)
    scores = {name: found.scores[name] for name in SCORES if name in found.scores}  # files of cells sort them
    one = None if cell.contender is None else CONTENDERS[cell.contender]
    return LeaderRow(
        label="as they are" if one is None else one.label,
        baseline=one is not None and one.baseline,
        epsilon=cell.epsilon,
        measured=Measured(scores, found.recovered),
        verdict=str(values.get("verdict", "")),
        audited_epsilon=values.get("audited_epsilon"),
        audited_delta=values.get("audited_delta"),
    )
