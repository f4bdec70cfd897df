"""No release in words of the embedded vocabulary holds a slur or an obscenity, whatever the text and the draws."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.constant import Constant

from textveil.mechanisms.document.keywords import keywords
from textveil.sanitize.sanitizer import Sanitizer
from textveil.text.codes import TextCodes
from textveil.text.tokens import Kind
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.milder import milder_words
from textveil.vocabulary.vocabulary import Vocabulary

WORDS = load_vocabulary().words
MILDER = milder_words(load_vocabulary())

LISTED = frozenset(
    token
    for line in Path(__file__).parents[1].joinpath("text/coarse_words.txt").read_text("ascii").splitlines()
    if not line.startswith("#")
    for token in line.split()
)

# On the lists, yet said by ordinary, clinical, legal or historical text, or names of people and places.
ORDINARY = """
    anal barf beanbag bondage bong booby boonies booty butt chug chunky clitoris cocky dipstick domination dong dope
    dumb erotic escort eunuch fellatio fu gables geez geezer genitals gora grope gypsies gypsy haji hardcore hillbillies
    hillbilly ho hobo humping idiot incest intercourse jeez jig kinky looser loser lovemaking masturbating masturbation
    moron muff nip nipple nipples nude nudity orgasm pansy panties panty pedophile penis playboy pollock pom poop
    pornography puke puss quickie rape raping rapist rectum reefer scat semen sex sexual sexuality sexually sexy shylock
    sissy slave snatch snowballing sodomy spit stupid suck sucker sucks swastika tang topless transvestite undressing
    vagina vibrator vomit voyeur weenie welfare whiz willie xx yank yanks
"""


def listed(words: Iterable[str]) -> set[str]:
    """Those of the words that a public list of coarse words has."""
    return {w for w in words if hashlib.sha256(f"textveil {w.lower()}".encode()).hexdigest()[:12] in LISTED}


def test_what_can_be_written_of_public_lists_is_ordinary() -> None:
    written = TextCodes(WORDS, written_as=MILDER).legend.written[: 2 * len(WORDS)]
    assert listed(written) == set(ORDINARY.split())


def test_the_lists_find_coarse_words() -> None:
    assert len(listed(WORDS[coarse] for coarse in MILDER)) > len(MILDER) // 2


def test_a_milder_word_is_a_word_that_is_written() -> None:
    assert list(MILDER) == sorted(MILDER)
    assert not set(MILDER.values()) & set(MILDER)


def test_a_word_outside_the_vocabulary_becomes_no_coarse_one() -> None:
    codes = TextCodes(WORDS, written_as=MILDER)
    unknown = [WORDS[coarse] + ending for coarse in MILDER for ending in ("", "s", "ing", "x", "xyz")]
    places = codes.encode([" ".join(unknown)]).codes
    drawn = codes.words(places).ids  # as a mechanism that changes nothing draws them
    assert not {WORDS[coarse] for coarse in MILDER} & {one.lower() for one in codes.legend.written[drawn]}
    assert set(MILDER) <= set(drawn.tolist())


@pytest.mark.parametrize("letter", [*"abcdefghijklmnopqrstuvwxyz", "\u00df", "\u00e5", "\u00f8", "\u00b5"])
def test_a_word_of_one_letter_stands_for_a_short_word(letter: str) -> None:
    codes = TextCodes(WORDS, written_as=MILDER)
    (shown,) = codes.legend.written[codes.encode([letter]).codes]
    assert len(shown) <= 2
    assert not listed([shown])


def test_the_first_words_of_the_vocabulary_have_the_same_rule() -> None:
    part = load_vocabulary(limit=20_000)
    kept = milder_words(part)
    assert kept == {coarse: milder for coarse, milder in MILDER.items() if coarse < 20_000 and milder < 20_000}


def test_words_that_a_user_brings_are_written_as_they_are() -> None:
    coarse = next(iter(MILDER))
    own = Vocabulary([WORDS[coarse], "cat"], np.eye(2, dtype=np.float32), name=load_vocabulary().name)
    assert milder_words(own) == {}


@pytest.mark.parametrize("coarse", [min(MILDER), max(MILDER)])
def test_what_a_mechanism_draws_is_written_milder(coarse: int) -> None:
    release = Sanitizer(Constant(load_vocabulary(), WORDS[coarse]))("One word; two.")
    milder = WORDS[MILDER[coarse]]
    assert release.text == f"{milder.capitalize()} {milder}; {milder}."
    assert [release.text[start:end].lower() for start, end, kind in release.spans if kind is Kind.WORD] == [milder] * 3


def test_keywords_of_a_document_are_none_of_them() -> None:
    coarse = max(MILDER)
    made = keywords(load_vocabulary(), epsilon=60.0, keywords=3, candidates=1)
    (shown,) = made.privatize_texts([WORDS[coarse]])
    assert shown.split() == [WORDS[MILDER[coarse]]] * 3
