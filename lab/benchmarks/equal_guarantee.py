"""The comparison at one guarantee in minutes: smaller runs and no audits, which ``textveil reproduce`` has.

Prints, for each epsilon and score, the best mechanism of the catalog and its least lead over a baseline of the paper.

    TEXTVEIL_SHARED=../shared python lab/benchmarks/equal_guarantee.py
"""

import argparse
import os
from pathlib import Path
from typing import Any

from textveil.catalog import entries, word_mechanism
from textveil.randomness import seeded_generator
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.downstream.corpora import read_corpus, training_frequencies
from textveil_lab.downstream.scorers import UNCHANGED, bert_scorer, word_scorer
from textveil_lab.evaluation.study_encoder import static_encoder
from textveil_lab.frontiers.comparison import first_words
from textveil_lab.frontiers.downstream.accuracy import LinearLearner
from textveil_lab.frontiers.downstream.measured import Measured, accuracy_scorer, measured
from textveil_lab.frontiers.downstream.tasks import LabelledTask, task_of
from textveil_lab.papers.setting import DEFAULT_SEED
from textveil_lab.papers.truncated_laplace.equal_guarantee import CLIP, CONTENDERS, DELTA, EPSILONS, Contender
from textveil_lab.vocabulary.geometry import normalize

SEED = 1


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--epsilon", type=float, action="append", help="one or more; all of the study where none is given"
    )
    parser.add_argument("--words", type=int, default=10_000)
    given = parser.parse_args()
    shared = Path(os.environ["TEXTVEIL_SHARED"])
    vocabulary = first_words(load_vocabulary(), given.words)
    corpus = read_corpus("agnews", shared / "data" / "text")
    task = task_of(
        corpus, vocabulary.words, seeded_generator(DEFAULT_SEED, 7), runs=4, train=1200, test=500, longest=16
    )
    for epsilon in given.epsilon or EPSILONS:
        found = {one.label: _measured(one, number, epsilon, vocabulary, task) for number, one in enumerate(CONTENDERS)}
        for label, one in found.items():
            parts = [f"{name} {one.bound(name).estimate:.3f}" for name in one.scores]
            assert one.recovered is not None
            print(f"epsilon {epsilon:g}, {label}: {', '.join(parts)}, attacker {one.recovered.estimate:.3f}")
        for score in (name for name in next(iter(found.values())).scores if name != UNCHANGED):
            _print_lead(epsilon, score, found)


def _measured(one: Contender, number: int, epsilon: float, vocabulary: Vocabulary, task: LabelledTask) -> Measured:
    known = entries()[one.name].options()
    options: dict[str, Any] = {key: value for key, value in (("clip", CLIP), ("delta", DELTA)) if key in known}
    mechanism = word_mechanism(one.name, vocabulary, epsilon=epsilon, **options, **one.options)
    learner = LinearLearner(normalize(vocabulary.vectors))
    scorers = [
        word_scorer(vocabulary),
        bert_scorer(vocabulary.words, static_encoder(vocabulary), 50),
        accuracy_scorer("linear", learner, task.classes, SEED),
    ]
    prior, attacked = training_frequencies(task, len(vocabulary)), 40 if one.baseline else 4000
    return measured(mechanism, task, scorers, SEED, number, round(1000 * epsilon), prior=prior, attacked=attacked)


def _print_lead(epsilon: float, score: str, found: dict[str, Measured]) -> None:
    """The best mechanism of the catalog, and the baseline over which its lead is least sure."""
    ours, theirs = ([one.label for one in CONTENDERS if one.baseline is kind] for kind in (False, True))
    best = max(ours, key=lambda label: float(found[label].scores[score].mean()))
    leads = {label: found[best].lead(score, found[label]) for label in theirs}
    least = min(leads, key=lambda label: leads[label].lower)
    low, middle, high, _ = leads[least]
    print(
        f"epsilon {epsilon:g}, {score}: {best} {found[best].bound(score).estimate:.3f}, "
        f"{middle:+.3f} [{low:+.3f}, {high:+.3f}] above {least}; {sum(one.lower > 0 for one in leads.values())} of "
        f"{len(leads)} leads above 0"
    )


if __name__ == "__main__":
    main()
