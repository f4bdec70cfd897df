"""Results of attacks on a release, as data; and the riskiest records, for the sender alone."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from markupsafe import Markup, escape

from textveil.pages.rendering import heading, results_page, shown, table, text
from textveil.risk.blanking import Blanked
from textveil.risk.language_model import Asked
from textveil.risk.linkage import CONFIDENCE, LEAST_PERSONS, Linkage, evidence, grams_of, strongest, words_of
from textveil.risk.population import Population
from textveil.risk.values import Joined, Others, Unique
from textveil.types import Ids
from textveil.version import VERSION
from textveil.whole_files import write_whole

PAGE: Final = "riskiest.html"

_PRIVATE: Final = (
    "FOR THE SENDER ONLY: this page quotes the release beside its true record. Its file is readable by its owner "
    "alone; keep it so."
)

_ABOUT: Final = (
    "An attacker who compares words named these records at the first try, with the largest lead over everybody else. "
    "The words and pairs of words below gave them away; they are marked in the release."
)

_NOBODY: Final = "The attacker named no record at the first try. An attack that failed is no guarantee."
_RECORDS: Final = 3
_TERMS: Final = 12
_LONGEST: Final = 6000  # characters of a release that the page shows
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Riskiest:
    """A record that an attacker names; private."""

    number: int  # of the record, from 1
    margin: float  # how far the right text scores above the best of the others
    # words and pairs of words with the largest shares of the similarity, the largest first
    terms: tuple[tuple[str, float], ...]
    release: str  # its text


def riskiest(
    attack: Linkage, truth: Ids, released: Sequence[str], background: Sequence[str], count: int = _RECORDS
) -> tuple[Riskiest, ...]:
    """Return the records with the largest margins among those that an attack names.

    What gave a record away is told by tf-idf, as ``TfIdf`` has it, whatever the attack. ``attack``: on some records;
    ``truth``: places of their own texts in the background, which are those of the records among all.
    """
    order = np.argsort(-attack.margins, kind="stable")[:count]
    chosen = [int(number) for number in order if attack.margins[number] > 0]
    grams = {number: (grams_of(released[number]), grams_of(background[truth[number]])) for number in chosen}
    common = {gram for ours, theirs in grams.values() for gram in ours.keys() & theirs.keys()}
    holders = Counter(gram for text in background for gram in grams_of(text).keys() & common)
    rarity = {gram: log((1 + len(background)) / (1 + holders[gram])) + 1 for gram in common}
    return tuple(
        Riskiest(
            int(truth[number]) + 1,
            float(attack.margins[number]),
            tuple(evidence(*grams[number], rarity)[:_TERMS]),
            released[number],
        )
        for number in chosen
    )


def write_riskiest(records: Sequence[Riskiest], folder: Path) -> Path:
    """Write the page of the riskiest records, which nobody but its owner may open.

    Raises OutputError: it cannot be written.
    """
    page = results_page("The records that are recognized most surely", _parts(records))
    return write_whole(folder / PAGE, page.encode("utf-8", "backslashreplace"), private=True)


def _parts(records: Sequence[Riskiest]) -> Iterator[Markup]:
    yield text("", lead=_PRIVATE)
    yield text(_ABOUT if records else _NOBODY)
    for record in records:
        yield heading(f"Record {record.number}")
        yield text(f"Its text scores {record.margin:.2f} above the next person's (1 is the same text).")
        shares = [(term, f"{share:.1%}") for term, share in record.terms]
        yield table(("word or pair of words", "share of the similarity"), shares)
        tell = Markup("<mark style='--c:var(--c1)'>{}</mark>")
        release = Markup().join(tell.format(piece) if tells else escape(piece) for piece, tells in _marked(record))
        yield Markup("<article class='text'><p>{}</p></article>").format(release)


def _marked(record: Riskiest) -> Iterator[tuple[str, bool]]:
    text = record.release[:_LONGEST]
    words = list(_WORD.finditer(text))
    keys = [" ".join(words_of(word[0])) for word in words]
    terms = {term for term, _ in record.terms}
    telling = [key in terms for key in keys]
    for place, pair in enumerate(pairwise(keys)):
        if " ".join(pair) in terms:
            telling[place : place + 2] = [True, True]
    position = 0
    for word, tells in zip(words, telling, strict=True):
        if tells:
            yield shown(text[position : word.start()]), False
            yield shown(word[0]), True
            position = word.end()
    yield shown(text[position:]) + (" …" if len(record.release) > _LONGEST else ""), False


ABOUT: Final = (
    "An attack, never a guarantee: another attacker may know more. A setting chosen by these numbers on private text "
    "tells of that text; choose it on a public sample."
)


class Kept(NamedTuple):
    """Shares of words that the release has as the originals had them, by document, whatever their place."""

    words: float  # share of the originals' words
    content_words: float  # share of those that are no function words


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Release:
    """One release of the originals, attacked."""

    name: str  # "release"; of the ends of the curve "originals" and "blank"; else the policy's name
    kept: Kept  # what stands in it
    linkage: tuple[Linkage, ...]  # one for each attacker and background

    def to_data(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kept": self.kept._asdict(),
            "linkage": [attack.to_data() for attack in self.linkage],
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskReport:
    """The measured risk of a release."""

    records: int  # of the release
    attacked: int  # of these; chosen at random where they are fewer
    persons: int  # whom the attacked records are about
    release: Release  # what was given
    originals: Release  # the originals themselves, attacked likewise: what the release is compared with
    by_model: Asked | None = None  # the attack of a language model on the release; None if none was asked
    blanked: Blanked | None = None  # the release with further blanks; None if no limit was asked for
    # releases of the same originals: the originals themselves, each policy's, and blanks for all words; empty if no
    # policy was named
    compared: tuple[Release, ...] = ()
    warnings: tuple[str, ...] = ()  # lines about the inputs, without any text of them
    # of the sentence vectors, with the first digits of its files' SHA-256; None if there was none
    encoder: str | None = None
    unique: Unique | None = None  # quasi-identifiers that are left, and the share of records that they make unique
    population: Population | None = None  # how many people share the attributes left; None without public shares
    others: Others | None = None  # names of other persons that are left
    joined: Joined | None = None  # equal surrogates that join documents
    release_sha256: str = ""  # of the file of the release; empty if its texts were given
    riskiest: tuple[Riskiest, ...] = ()  # the riskiest records with what gives them away; private: in no ``to_data``

    @property
    def linkage(self) -> tuple[Linkage, ...]:
        """All attacks on the release."""
        return (*self.release.linkage, *(() if self.by_model is None else (self.by_model.linkage,)))

    def attack(self, attacker: str, against: str) -> Linkage:
        """One attack on the release, by its name and by what it compares with."""
        return next(attack for attack in self.linkage if (attack.attacker, attack.against) == (attacker, against))

    def strongest(self, against: str) -> Linkage:
        """The attack on the release that names most of those with these texts, as ``linkage.strongest``."""
        return strongest([attack for attack in self.linkage if attack.against == against])

    def on_originals(self, attack: Linkage) -> Linkage | None:
        """The same attack on the originals; None for a language model, which is not sent them."""
        same = (attack.attacker, attack.against)
        return next((other for other in self.originals.linkage if (other.attacker, other.against) == same), None)

    def _compared(self, attack: Linkage) -> dict[str, Any]:
        before = self.on_originals(attack)
        same = None if before is None else {"top1": before.top1, "low": before.low, "high": before.high}
        return {**attack.to_data(), "originals": same}

    def to_data(self) -> dict[str, Any]:
        """JSON data, without any text of release or originals."""
        backgrounds = dict.fromkeys(attack.against for attack in self.linkage)
        return {
            "version": VERSION,
            "about": ABOUT,
            "for_release": False,
            "release_sha256": self.release_sha256,
            "records": self.records,
            "attacked": self.attacked,
            "persons": self.persons,
            "confidence": CONFIDENCE if self.persons >= LEAST_PERSONS else None,
            "encoder": self.encoder,
            "language_model": None if self.by_model is None else self.by_model.to_data(),
            "blanked": None if self.blanked is None else self.blanked.to_data(),
            "linkage": [self._compared(attack) for attack in self.linkage],
            "strongest": [self._compared(self.strongest(against)) for against in backgrounds],
            "kept": self.release.kept._asdict(),
            "unique": None if self.unique is None else self.unique.to_data(),
            "population": None if self.population is None else self.population.to_data(),
            "others": None if self.others is None else asdict(self.others),
            "joined": None if self.joined is None else asdict(self.joined),
            "curve": [release.to_data() for release in self.compared],
            "warnings": list(self.warnings),
        }
