"""Attack a release whose originals are at hand."""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from textveil.detection.embedded import embedded_detector
from textveil.errors import InputError, need
from textveil.risk.attackers import Style, sentence_vectors
from textveil.risk.blanking import Blanked, blank_until
from textveil.risk.language_model import Asked, ModelAttack, attack_by_model
from textveil.risk.linkage import LEAST_PERSONS, Attacker, TfIdf, blanked, linkage, of_persons, words_of
from textveil.risk.population import Marginals, population
from textveil.risk.report import Kept, Release, RiskReport, riskiest
from textveil.risk.values import RecordValues, joined, others, record_values, unique
from textveil.sanitize.policy.choice import is_path, policy
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.english import FUNCTION_WORDS
from textveil.types import Ids, Progress, Vectors
from textveil.vocabulary.vocabulary import Vocabulary

T = TypeVar("T")
DOCUMENTS: Final = 1000  # Records that are attacked unless told otherwise: it bounds the time
_ALL: Final = "A limit is kept if all records are attacked."
_BLOCK: Final = 50  # records whose values are found together


def risk(
    released: Sequence[str],
    originals: Sequence[str],
    background: Sequence[str] | None = None,
    policies: Sequence[str] = (),
    encoder: Path | str | None = None,
    *,
    persons: Sequence[Hashable] | None = None,
    model: ModelAttack | None = None,
    marginals: Marginals | None = None,
    limit: float | None = None,
    documents: int = DOCUMENTS,
    vocabulary: Vocabulary | None = None,
    rng: np.random.Generator | None = None,
    progress: Progress | None = None,
) -> RiskReport:
    """Attack a release, and releases of the same originals by other policies.

    Args:
        released: records, in the order of their originals; those whose original is blank are left out.
        originals: as many.
        background: public texts, at least as many: the n-th is about the person of the n-th record; those behind them
            are about other persons. None attacks with the originals alone.
        policies: presets or TOML files to compare with; ``NAME:8`` takes epsilon 8, ``NAME:medium`` that level.
        encoder: folder of a sentence encoder; None leaves sentence vectors out.
        persons: who each record is about, as many; None: each record is about a person of its own. An attack names the
            right person if it names any of the person's texts, and persons are the sampled unit of every interval.
        model: a language model that is asked whom releases are about, with the background as its candidates. It is
            sent releases and the background, no original: it attacks neither these nor what ``policies`` make of them.
        marginals: public shares of a population, to estimate how many people share the attributes left.
        limit: blank further words of the release until at least 1 / limit persons fit each record as well as its own by
            tf-idf (with the background, if there is one), and attack the result by others; needs all records attacked.
        documents: if there are more records, so many are attacked (about as many if ``persons`` are given: all records
            of persons chosen at random). All texts are candidates.
        vocabulary: public words, where policies draw words; None is the embedded one.
        rng: of the choice and of policies' draws; None is the operating system's randomness.
        progress: called with records attacked and in all, over all attacks.

    Raises:
        InputError: there are no records, fewer originals, persons or background texts than records; or a language model
            would be asked without a background, or with one that holds originals.
        EndpointError: the language model does not answer.
        ModelError: the folder holds no encoder.
        UnknownNameError: no policy has that name.
    """
    _check(released, originals, background, persons)
    everything = released
    numbers, released, originals, background = _filled(released, originals, background)
    ids = _ids(persons, numbers)
    if limit is not None:
        need(len(numbers) <= documents, "documents", documents, f"at least the {len(numbers):,} records", _ALL)
    if model is not None:
        _check_sendable(released, originals, background)
    need(documents >= 1, "documents", documents, ">= 1")
    attackers: list[Attacker] = [TfIdf(), Style()]
    vectors = None if encoder is None else sentence_vectors(encoder)
    if vectors is not None:
        attackers.append(vectors)
    chosen = {name: _policy(name, vocabulary) for name in policies}
    rng_or_fresh = rng or np.random.default_rng()
    truth = _chosen(ids, documents, rng_or_fresh)
    shown = [released[row] for row in truth.tolist()]
    asked = None
    if model is not None and background is not None:
        public = _texts_of_persons(background, _with_others(ids, len(background)))
        asked = attack_by_model(model, shown, ids[truth], public, rng=rng_or_fresh)
    attacked = [originals[row] for row in truth.tolist()]
    known = {"originals": originals} if background is None else {"originals": originals, "background": background}
    attacks = _Attacks(attackers, known, truth, ids, attacked, progress)
    attacks.expect((len(chosen) + 1 if chosen else 0) + 2, len(chosen) + 1 + (limit is not None))
    release = attacks.on("release", shown)
    shuffled = attacks.shuffled
    as_it_is = attacks.on("originals", attacked)
    compared = [as_it_is] if chosen else []
    for name, each in chosen.items():
        stream = Sanitizer(each, rng=rng).stream(attacked)
        compared.append(attacks.on(name, [release.text for release in attacks.counted(stream)]))
    if chosen:
        compared.append(attacks.on("blank", [blanked(text) for text in attacked]))
    against, texts = list(known.items())[-1]
    blanks = None
    if limit is not None:
        blanks = _blanked_among(
            everything,
            numbers,
            blank_until(
                limit,
                shown,
                ids,
                texts,
                _with_others(ids, len(texts)),
                against=against,
                held_out=[attacker for attacker in attackers if not isinstance(attacker, TfIdf)],
                progress=attacks.count,
            ),
        )
    values = list(attacks.counted(_values(attacked, shown)))
    by_words = next(attack for attack in release.linkage if attack.against == against)
    return RiskReport(
        records=len(released),
        attacked=len(truth),
        persons=len(np.unique(ids[truth])),
        release=release,
        originals=as_it_is,
        compared=tuple(compared),
        by_model=asked,
        blanked=blanks,
        warnings=tuple(_warnings(originals, background, len(np.unique(ids[truth])), shuffled, asked)),
        encoder=None if vectors is None else vectors.encoder,
        unique=unique(values, ids[truth]),
        others=others(values, ids[truth]),
        population=None if marginals is None else population(marginals, attacked, shown, values, ids[truth]),
        joined=joined(values),
        riskiest=tuple(
            replace(record, number=numbers[record.number - 1]) for record in riskiest(by_words, truth, shown, texts)
        ),
    )


def kept(released: Sequence[str], originals: Sequence[str]) -> Kept:
    """The share of the originals' words that stand in the release, by document; 0 if there are no words."""
    held, total = np.zeros(2), np.zeros(2)
    for after, before in zip(released, originals, strict=True):
        was, now = Counter(words_of(before)), Counter(words_of(after))
        for counts, both in ((total, was), (held, was & now)):
            counts += both.total(), sum(number for word, number in both.items() if word not in FUNCTION_WORDS)
    words, content_words = (held / np.maximum(total, 1)).tolist()
    return Kept(words, content_words)


@dataclass(slots=True)
class _Attacks:
    attackers: Sequence[Attacker]
    known: Mapping[str, Sequence[str]]
    truth: Ids  # places of the attacked records among the originals
    persons: Ids  # of all originals, from 0
    attacked: Sequence[str]
    progress: Progress | None
    shuffled: bool = False  # whether most releases that were attacked first fit another record's original, one to one
    _done: int = 0
    _total: int = field(default=0)

    def expect(self, releases: int, others: int) -> None:
        """Say how many releases will be attacked, and how often else all records will be counted."""
        self._total = (releases * len(self.attackers) * len(self.known) + others) * len(self.truth)

    def counted(self, records: Iterator[T]) -> Iterator[T]:
        for record in records:
            yield record
            self.count(1)

    def on(self, name: str, released: Sequence[str]) -> Release:
        attacks = []
        for against, known in self.known.items():
            for attacker in self.attackers:
                scores = attacker.scores(released, known)
                if isinstance(attacker, TfIdf) and name == "release" and against == "originals":
                    self.shuffled = _fits_others(scores[:, self.truth])
                named = of_persons(scores, _with_others(self.persons, len(known)))
                attacks.append(linkage(named, self.persons[self.truth], attacker=attacker.name, against=against))
                self.count(len(released))
        return Release(name=name, kept=kept(released, self.attacked), linkage=tuple(attacks))

    def count(self, records: int) -> None:
        """Say that so many records more were counted, or attacked once."""
        self._done += records
        if self.progress is not None:
            self.progress(self._done, self._total)


def _blanked_among(released: Sequence[str], numbers: Sequence[int], blanks: Blanked) -> Blanked:
    """The same with the records whose original is blank, as they were, and with the numbers of all records."""
    texts = list(released)
    for number, text in zip(numbers, blanks.texts, strict=True):
        texts[number - 1] = text
    return replace(blanks, texts=tuple(texts), numbers=tuple(numbers[row - 1] for row in blanks.numbers))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _held(originals: Sequence[str], background: Sequence[str] | None) -> int:
    """Return how many originals a background holds verbatim."""
    plain = {_plain(text) for text in background or ()}
    return sum(_plain(text) in plain for text in originals)


def _check_sendable(released: Sequence[str], originals: Sequence[str], background: Sequence[str] | None) -> None:
    """Refuse a background with an original that is no release: it would be sent."""
    if background is None:
        raise InputError(
            "a language model is asked with a `background` alone: public texts, which are its candidates; got none."
        )
    plain = {_plain(text) for text in background}
    pairs = [(_plain(text), row) for row, text in enumerate(originals) if _plain(text) != _plain(released[row])]
    held = sum(text in plain or text in _plain(background[row]) for text, row in pairs)
    if held:
        raise InputError(
            f"the background must hold no original if a language model is asked: it would be sent; got {held:,}. Give "
            "public texts."
        )


def _texts_of_persons(texts: Sequence[str], persons: Ids) -> list[str]:
    """All texts of each person, by the persons' ids."""
    joined: list[list[str]] = [[] for _ in range(int(persons.max()) + 1)]
    for person, text in zip(persons.tolist(), texts, strict=True):
        joined[person].append(text)
    return [" ".join(of_person) for of_person in joined]


def _with_others(persons: Ids, texts: int) -> Ids:
    """The persons of texts of which the last ones are each about another person."""
    return np.concatenate([persons, persons.max() + 1 + np.arange(texts - len(persons))])


def _ids(persons: Sequence[Hashable] | None, numbers: Sequence[int]) -> Ids:
    """A number from 0 for each person, of the records with these numbers."""
    if persons is None:
        return np.arange(len(numbers))
    ids: dict[Hashable, int] = {}
    return np.array([ids.setdefault(persons[number - 1], len(ids)) for number in numbers])


def _chosen(persons: Ids, documents: int, rng: np.random.Generator) -> Ids:
    """The places of the records that are attacked: all of them, or those of persons drawn at random."""
    if len(persons) <= documents:
        return np.arange(len(persons))
    everybody = int(persons.max()) + 1
    drawn = rng.choice(everybody, max(1, everybody * documents // len(persons)), replace=False)
    return np.flatnonzero(np.isin(persons, drawn))


def _check(
    released: Sequence[str],
    originals: Sequence[str],
    background: Sequence[str] | None,
    persons: Sequence[Hashable] | None,
) -> None:
    if not released or len(released) != len(originals):
        raise InputError(
            f"a release must have one record for each original, at least one; got {len(released):,} records and "
            f"{len(originals):,} originals. Give both whole and in the same order."
        )
    if persons is not None and len(persons) != len(originals):
        raise InputError(
            f"persons must be one for each of {len(originals):,} records; got {len(persons):,}. Leave them out if each "
            "record is about a person of its own."
        )
    if background is not None and len(background) < len(released):
        raise InputError(
            f"the background must have a text for each of {len(released):,} records, in their order, and may have more "
            f"behind them; got {len(background):,}. Leave it out to attack with the originals alone."
        )


def _filled(
    released: Sequence[str], originals: Sequence[str], background: Sequence[str] | None
) -> tuple[list[int], list[str], list[str], list[str] | None]:
    """The same without records whose original is blank; first the numbers of those that are left."""
    rows = [row for row, text in enumerate(originals) if text.strip()]
    if not rows:
        raise InputError("the originals must hold text; got blank records alone. Is it the right file, or field?")
    public = None if background is None else [*(background[row] for row in rows), *background[len(originals) :]]
    return [row + 1 for row in rows], [released[row] for row in rows], [originals[row] for row in rows], public


def _policy(name: str, vocabulary: Vocabulary | None) -> Policy:
    plain, _, setting = ("", "", "") if is_path(name) else name.rpartition(":")
    if not plain:
        return policy(name, vocabulary)
    settings: dict[str, Any] = {"level": setting}
    with suppress(ValueError):
        settings = {"epsilon": float(setting)}
    return policy(plain, vocabulary, **settings)


def _values(originals: Sequence[str], released: Sequence[str]) -> Iterator[RecordValues]:
    detector = embedded_detector()
    for start in range(0, len(originals), _BLOCK):
        part = slice(start, start + _BLOCK)
        yield from record_values(originals[part], released[part], detector)


def _fits_others(scores: Vectors) -> bool:
    """Tell if most releases and originals of another record are each other's best fit, twice as good as their own."""
    best, back = scores.argmax(axis=1), scores.argmax(axis=0)
    rows = np.arange(len(scores))
    strayed = (best != rows) & (back[best] == rows) & (scores[rows, best] > 2 * np.diagonal(scores))
    return bool(strayed.sum() * 2 > len(scores))


def _warnings(
    originals: Sequence[str], background: Sequence[str] | None, persons: int, shuffled: bool, asked: Asked | None
) -> Iterator[str]:
    if persons < LEAST_PERSONS:
        yield f"{persons} persons are fewer than {LEAST_PERSONS}: no interval is given, and the shares say little."
    if shuffled:
        yield (
            "Most releases fit another record's original much better than their own. Is the order the same? "
            "If it is not, the numbers are too low."
        )
    if asked is not None and asked.unanswered:
        yield f"The language model's answer had another form for {asked.unanswered:,} of {asked.requests:,} records."
    held = _held(originals, background)
    if held:
        yield (
            f"The background holds {held:,} of {len(originals):,} originals verbatim: against the background means "
            "against the originals for these."
        )
