"""Releases a sample by every candidate, and measures what each keeps and hides.

Candidates are policies and mechanisms by name, each at every epsilon that it takes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from textveil.catalog import entries, mechanism
from textveil.errors import InputError, UnsupportedGuarantee, need
from textveil.mechanisms.kinds import Mechanism
from textveil.models.language_model import LanguageModel
from textveil.sanitize.policy.choice import is_path, policy
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.types import Progress
from textveil.version import VERSION
from textveil.vocabulary.vocabulary import Vocabulary
from textveil_lab.audit.recovery import Recovery, measure_recovery
from textveil_lab.tuning.accuracy import Accuracy, Learner, Task, accuracy, task_of
from textveil_lab.tuning.verbatim import TuningSample, VerbatimShare, verbatim


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One way to release the sample."""

    policy: str
    # nats of one word; None if it draws no words, so that the policy says what each kind costs
    epsilon: float | None
    sanitizer: Sanitizer


def candidates(
    names: Sequence[str],
    epsilons: Sequence[float],
    vocabulary: Vocabulary,
    rng: np.random.Generator | None,
    progress: Progress | None = None,
) -> list[Candidate]:
    """Return every policy at every epsilon; a policy that draws no words once.

    Args:
        names: of policies, their files, or mechanisms of the catalog, each once.
        epsilons: nats of one word, each once.

    Raises:
        UnknownNameError: a name is none of them.
        ParameterError: a name or an epsilon is repeated, missing or does not fit.
    """
    for what, given in (("policies", names), ("epsilons", epsilons)):
        need(0 < len(set(given)) == len(given), what, f"{len(given)} of them", "one or more, each once")
    all_candidates = []
    for number, name in enumerate(names):
        all_candidates += _of(name, epsilons, vocabulary, rng)
        if progress is not None:
            progress(number + 1, len(names))
    return all_candidates


def _of(
    name: str, epsilons: Sequence[float], vocabulary: Vocabulary, rng: np.random.Generator | None
) -> list[Candidate]:
    made_of: list[tuple[float | None, Mechanism | Policy]]
    if name in entries():
        made_of = [(epsilon, mechanism(name, vocabulary, epsilon=epsilon)) for epsilon in epsilons]
    elif policy(name, vocabulary).epsilon_kinds:
        made_of = [(epsilon, policy(name, vocabulary, epsilon=epsilon)) for epsilon in epsilons]
    else:
        made_of = [(None, policy(name, vocabulary))]
    return [Candidate(_shown(name), epsilon, Sanitizer(mechanism, rng=rng)) for epsilon, mechanism in made_of]


def _shown(name: str) -> str:
    return Path(name).stem if is_path(name) else name


CONFIDENCE: Final = 0.95  # Of each interval, on its own
REPEATS: Final = 5  # Splits into training and test documents
DECODED: Final = 50  # Documents at most that a decoder reads: it takes longer than everything else
DECODED_CHARACTERS: Final = 4000  # Of each, at most
EXAMPLES: Final = 3
_SHORTEST, _LONGEST = 40, 200  # Characters of an example


class Example(NamedTuple):
    """A sentence of the sample with its form under each candidate: for the sender only."""

    text: str
    releases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateOutcome:
    """Measurements of one candidate; no text."""

    policy: str
    epsilon: float | None  # nats of one word; None if no words are drawn
    mechanism: str  # the mechanism of words or spans, as reports name it
    accuracy: Accuracy | None  # of a classifier that learned from its releases; None without a task
    verbatim: tuple[VerbatimShare, ...]  # remaining entities; empty if none were searched for
    # a decoder's recovery of words; None if not all of them are drawn, or none can be decoded
    recovery: Recovery | None

    @property
    def name(self) -> str:
        return self.policy if self.epsilon is None else f"{self.policy} {self.epsilon:g}"

    def to_data(self) -> dict[str, Any]:
        return {
            "policy": self.policy,
            "epsilon": self.epsilon,
            "mechanism": self.mechanism,
            "accuracy": None if self.accuracy is None else self.accuracy.to_data(),
            "verbatim": [share.to_data() for share in self.verbatim],
            "recovery": None if self.recovery is None else self.recovery.to_data(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """A run: everything except ``examples`` is numbers."""

    documents: int
    public: bool  # whether the sample is said to be public
    found_by: str  # source of the entities: "labels", a detector, or empty
    task: Task | None  # labels and splits; None without a task
    raw: Accuracy | None  # of a classifier that learned from the texts themselves
    outcomes: tuple[CandidateOutcome, ...]  # in the order of the candidates
    examples: tuple[Example, ...]
    seed: int | None

    def facts(self) -> dict[str, Any]:
        """Return JSON data without any text."""
        task = self.task
        return {
            "version": VERSION,
            "for_release": False,
            "documents": self.documents,
            "public": self.public,
            "entities_found_by": self.found_by or None,
            "confidence": CONFIDENCE,
            "seed": self.seed,
            "task": None
            if task is None
            else {
                "splits": len(task.splits),
                "train": len(task.splits[0].train),
                "test": len(task.splits[0].test),
                "left_out": task.left_out,
                "majority": task.majority,
                "raw": None if self.raw is None else self.raw.on_texts._asdict(),
            },
            "outcomes": [outcome.to_data() for outcome in self.outcomes],
        }


def tune(
    sample: TuningSample,
    candidates: Sequence[Candidate],
    *,
    rng: np.random.Generator,
    learner: Learner | None = None,
    model: LanguageModel | None = None,
    repeats: int = REPEATS,
    public: bool = False,
    seed: int | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Release the sample by every candidate and measure; pick none.

    With a private sample the results reveal private text: so does a choice based on them, and no guarantee covers that.

    Args:
        candidates: at least one.
        learner: of the task; needed if the sample has labels.
        model: of the decoder; None: no recovery.
        repeats: number of splits, at least two.
        public: whether the sample is public.
        seed: of ``rng``, for the record.

    Raises:
        InputError: labels without two classes of enough documents.
    """
    need(len(candidates) > 0, "candidates", "none", "one or more")
    task = None if sample.labels is None else task_of(sample.labels, repeats, rng)
    steps = iter(range(1, 2 + 3 * len(candidates)))

    def done() -> None:
        if progress is not None:
            progress(next(steps), 1 + 3 * len(candidates))

    raw = None
    if task is not None:
        need(learner is not None, "learner", "none", "given where the sample has labels")
        raw = accuracy(task, sample.texts, sample.texts, learner, CONFIDENCE) if learner is not None else None
    done()
    outcomes = [_outcome(sample, candidate, task, learner, model, rng, done) for candidate in candidates]
    return Tuning(
        documents=len(sample.texts),
        public=public,
        found_by=sample.found_by,
        task=task,
        raw=raw,
        outcomes=tuple(outcomes),
        examples=tuple(_examples(sample, candidates, rng)),
        seed=seed,
    )


def _outcome(
    sample: TuningSample,
    candidate: Candidate,
    task: Task | None,
    learner: Learner | None,
    model: LanguageModel | None,
    rng: np.random.Generator,
    done: Callable[[], None],
) -> CandidateOutcome:
    releases = [release.text for release in candidate.sanitizer.stream(sample.texts)]
    done()
    learned = None
    if task is not None and learner is not None:
        learned = accuracy(task, sample.texts, releases, learner, CONFIDENCE)
    done()
    recovery = None if model is None else _recovery(sample, candidate, model, rng)
    done()
    return CandidateOutcome(
        policy=candidate.policy,
        epsilon=candidate.epsilon,
        mechanism=candidate.sanitizer.setting.mechanism,
        accuracy=learned,
        verbatim=verbatim(sample.entities, releases, CONFIDENCE) if sample.entities else (),
        recovery=recovery,
    )


def _recovery(
    sample: TuningSample, candidate: Candidate, model: LanguageModel, rng: np.random.Generator
) -> Recovery | None:
    words = candidate.sanitizer.mechanism
    if words is None or candidate.sanitizer.setting.policy is not None:
        return None  # the decoder takes every word for a drawn one
    texts = [text[:DECODED_CHARACTERS] for text in sample.part(DECODED, rng).texts]
    try:
        return measure_recovery(words, texts, model, rng=rng, confidence=CONFIDENCE)
    except (UnsupportedGuarantee, InputError):  # no channel, or too few words of the vocabulary
        return None


def _examples(sample: TuningSample, candidates: Sequence[Candidate], rng: np.random.Generator) -> Iterator[Example]:
    order = rng.permutation(len(sample.texts)).tolist()
    if sample.entities:
        order.sort(key=lambda index: -len({kind for kind, _ in sample.entities[index]}))
    count = 0
    for place in order:
        named = [value for _, value in sample.entities[place]] if sample.entities else []
        sentence = _sentence(sample.texts[place], named)
        if sentence:
            yield Example(sentence, tuple(candidate.sanitizer(sentence).text for candidate in candidates))
            count += 1
        if count == EXAMPLES:
            return


def _sentence(text: str, named: Sequence[str]) -> str:
    sentences = [line.strip() for line in text.replace("\n", " ").replace(". ", ".\n").split("\n")]
    fitting = [sentence for sentence in sentences if _SHORTEST <= len(sentence) <= _LONGEST]
    return max(fitting, key=lambda sentence: sum(value in sentence for value in named), default="")
