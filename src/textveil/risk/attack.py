"""Attack a release whose originals are at hand, by style and by meaning.

Attackers by style compare function words and marks (Burrows's Delta, by the cosine), those by meaning vectors.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from textveil.detection.embedded import embedded_detector
from textveil.errors import InputError, ModelError, need
from textveil.json_text import json_file
from textveil.models.foreign_files import ForeignModel, files_digest, load_libraries, read_model
from textveil.risk import linkage as linking
from textveil.risk.blanking import Blanked, blank_until
from textveil.risk.language_model import Asked, ModelAttack, attack_by_model
from textveil.risk.linkage import linkage
from textveil.risk.population import Marginals, population
from textveil.risk.report import Kept, Release, RiskReport, riskiest
from textveil.risk.values import RecordValues, joined, others, record_values, unique
from textveil.sanitize.policy.choice import is_path, policy
from textveil.sanitize.policy.policy import Policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.english import FUNCTION_WORDS
from textveil.types import Ids, Progress, Reals, Vectors
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
        vocabulary: public words, if policies draw words; None is the embedded one.
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
    attackers: list[linking.Attacker] = [linking.TfIdf(), Style()]
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
        compared.append(attacks.on("blank", [linking.blanked(text) for text in attacked]))
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
                held_out=[attacker for attacker in attackers if not isinstance(attacker, linking.TfIdf)],
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
        was, now = Counter(linking.words_of(before)), Counter(linking.words_of(after))
        for counts, both in ((total, was), (held, was & now)):
            counts += both.total(), sum(number for word, number in both.items() if word not in FUNCTION_WORDS)
    words, content_words = (held / np.maximum(total, 1)).tolist()
    return Kept(words, content_words)


@dataclass(slots=True)
class _Attacks:
    attackers: Sequence[linking.Attacker]
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
                if isinstance(attacker, linking.TfIdf) and name == "release" and against == "originals":
                    self.shuffled = _fits_others(scores[:, self.truth])
                named = linking.of_persons(scores, _with_others(self.persons, len(known)))
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
    if held := sum(text in plain or text in _plain(background[row]) for text, row in pairs):
        raise InputError(
            f"the background must hold no original if a language model is asked: it would be sent; got {held:,}. Give "
            "public texts."
        )


def _texts_of_persons(texts: Sequence[str], persons: Ids) -> list[str]:
    joined: list[list[str]] = [[] for _ in range(int(persons.max()) + 1)]
    for person, text in zip(persons.tolist(), texts, strict=True):
        joined[person].append(text)
    return [" ".join(of_person) for of_person in joined]


def _with_others(persons: Ids, texts: int) -> Ids:
    """The persons of texts of which the last ones are each about another person."""
    return np.concatenate([persons, persons.max() + 1 + np.arange(texts - len(persons))])


def _ids(persons: Sequence[Hashable] | None, numbers: Sequence[int]) -> Ids:
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
    if not (rows := [row for row, text in enumerate(originals) if text.strip()]):
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
    if persons < linking.LEAST_PERSONS:
        told = f"{persons} persons are fewer than {linking.LEAST_PERSONS}"
        yield f"{told}: no interval is given, and the shares say little."
    if shuffled:
        yield (
            "Most releases fit another record's original much better than their own. Is the order the same? "
            "If it is not, the numbers are too low."
        )
    if asked is not None and asked.unanswered:
        yield f"The language model's answer had another form for {asked.unanswered:,} of {asked.requests:,} records."
    if held := _held(originals, background):
        yield (
            f"The background holds {held:,} of {len(originals):,} originals verbatim: against the background means "
            "against the originals for these."
        )


_MARKS: Final = ".,;:!?()\"'-/&%\n"
_PLAIN: Final = {0x2013: "-", 0x2014: "-", 0x201C: '"', 0x201D: '"'}  # long dashes and curly quotation marks
_OUTSIDE: Final = re.compile(r"(?<!\w)'|'(?!\w)|[^\w\s']|\n")
_FEATURES: Final = {feature: place for place, feature in enumerate([*sorted(FUNCTION_WORDS), *_MARKS])}
_LEAST: Final = 1e-9  # A smaller deviation is rounding: the share does not vary


class _Usual(NamedTuple):
    """A background's mean shares, their deviations, and its texts in these: rows of length 1."""

    mean: Reals
    deviation: Reals
    rows: Vectors

    def rows_of(self, shares: Reals) -> Vectors:
        """Shares of texts in deviations, as rows of length 1; what does not vary counts for nothing."""
        varied = self.deviation > _LEAST
        rows = np.where(varied, shares - self.mean, 0) / np.where(varied, self.deviation, 1)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)


class Style:
    """Shares of function words and marks among all of these, each in standard deviations of the background.

    Source: Burrows 2002; the cosine is that of Evert and others 2017.
    """

    name: Final = "style"

    def __init__(self) -> None:
        self._fits = linking.Fits(_usual)

    def scores(self, released: Sequence[str], background: Sequence[str]) -> Vectors:
        usual = self._fits.of(background)
        scores: Vectors = usual.rows_of(_shares(released)) @ usual.rows.T
        return scores


def _usual(background: Sequence[str]) -> _Usual:
    shares = _shares(background)
    usual = _Usual(shares.mean(axis=0), shares.std(axis=0), np.zeros((0, shares.shape[1]), dtype=np.float32))
    return usual._replace(rows=usual.rows_of(shares))


def _shares(texts: Sequence[str]) -> Reals:
    counts = np.zeros((len(texts), len(_FEATURES)))
    for row, text in zip(counts, texts, strict=True):
        marks = _OUTSIDE.findall(linking.without_placeholders(text).strip().translate(_PLAIN))
        for feature, number in Counter([*linking.words_of(text), *marks]).items():
            if (place := _FEATURES.get(feature)) is not None:
                row[place] = number
    shares: Reals = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


WINDOWS: Final = 2  # of a document, at most: each is as long as the encoder can read

_BATCH: Final = 32


@dataclass(frozen=True, slots=True, eq=False)
class SentenceVectors:
    """An encoder as an attacker; made by ``sentence_vectors``."""

    encoder: str  # name of the folder and first digits of its files' SHA-256
    foreign: ForeignModel
    room: int  # tokens that it reads at once
    by_first: bool  # whether the first token's vector stands for a text, rather than the mean of all
    known: dict[str, Vectors] = field(default_factory=dict)
    """Vectors of texts that were read: several releases are compared with the same ones."""

    @property
    def name(self) -> str:
        return "vectors"

    def scores(self, released: Sequence[str], background: Sequence[str]) -> Vectors:
        fresh = [text for text in dict.fromkeys([*background, *released]) if text not in self.known]
        self.known.update(zip(fresh, self.vectors(fresh), strict=True))
        ours, theirs = (np.stack([self.known[text] for text in texts]) for texts in (released, background))
        scores: Vectors = ours @ theirs.T
        return scores

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """A vector of length 1 for each text, from at most ``WINDOWS`` windows of it.

        Raises ModelError: the encoder gives something other than finite numbers.
        """
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        vectors = np.zeros((len(texts), self.foreign.model.config.hidden_size), dtype=np.float32)
        for start in range(0, len(order), _BATCH):
            block = order[start : start + _BATCH]
            vectors[block] = self._block([texts[place] for place in block])
        if not np.isfinite(vectors).all():
            raise ModelError(f"the encoder {self.foreign.name} must give finite numbers; got others. Check it.")
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def _block(self, texts: list[str]) -> Vectors:
        torch, tokenizer = load_libraries().torch, self.foreign.tokenizer
        read = tokenizer(texts, truncation=True, max_length=self.room, return_overflowing_tokens=True)
        windows: list[tuple[int, list[int]]] = []
        for place, ids in zip(read["overflow_to_sample_mapping"], read["input_ids"], strict=True):
            if sum(text == place for text, _ in windows[-WINDOWS:]) < WINDOWS:
                windows.append((int(place), ids))
        longest = max(len(ids) for _, ids in windows)
        ids = torch.zeros((len(windows), longest), dtype=torch.long)
        mask = torch.zeros((len(windows), longest), dtype=torch.long)
        for row, (_, tokens) in enumerate(windows):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            mask[row, : len(tokens)] = 1
        with torch.inference_mode():
            states = self.foreign.model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            sums = states[:, 0] if self.by_first else (states * mask[..., None]).sum(dim=1)
        vectors = np.zeros((len(texts), sums.shape[1]), dtype=np.float32)
        np.add.at(vectors, [place for place, _ in windows], sums.numpy())
        return vectors


def sentence_vectors(folder: Path | str) -> SentenceVectors:
    """The sentence encoder in a folder, as an attacker.

    ``folder``: configuration, weights in safetensors and tokenizer; of sentence-transformers' own files, the length
    that it reads and how tokens are pooled (by the first one, else by their mean). Raises MissingExtra: torch or
    transformers is not installed; ModelError: the folder holds no encoder with weights and tokenizer.
    """
    foreign = read_model(folder, "encoder")
    if not foreign.tokenizer.is_fast:
        raise ModelError(f"the encoder {foreign.name} must have a tokenizer.json; got none. Save its tokenizer again.")
    limit = _settings(Path(folder) / "sentence_bert_config.json").get("max_seq_length")
    room = min(foreign.room, limit) if isinstance(limit, int) and limit > 2 else foreign.room
    by_first = _settings(Path(folder) / "1_Pooling/config.json").get("pooling_mode_cls_token") is True
    return SentenceVectors(f"{foreign.name} {files_digest(folder)[:12]}", foreign, room, by_first)


def _settings(path: Path) -> dict[str, Any]:
    try:
        settings = json_file(path)
    except (OSError, ValueError):
        return {}
    return settings if isinstance(settings, dict) else {}
