"""No release in words of the embedded vocabulary holds a slur or an obscenity, whatever the text and the draws."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from tests.helpers.constant import Constant
from tests.helpers.shared import needs_lab

from textveil.detection.demographic_lists import demographics
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.pools import places, pool
from textveil.text.codes import TextCodes
from textveil.text.tokens import Kind
from textveil.vocabulary.embedded import load_vocabulary
from textveil.vocabulary.facts import milder_words
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
    anal barf beanbag bondage bong booby boonies butt chug chunky clitoris cocky dipstick domination dong dope
    erotic escort eunuch fellatio fu gables geez geezer genitals gora grope haji hardcore ho humping incest
    intercourse jeez jig kinky looser lovemaking masturbating masturbation muff nip nipple nipples nude nudity
    orgasm panties panty penis playboy pollock pom pornography puss quickie rape rectum reefer scat semen sex
    sexual sexuality sexually shylock slave snatch snowballing spit suck sucker sucks swastika tang topless
    undressing vagina vibrator vomit voyeur weenie welfare whiz willie xx yank yanks
"""


def listed(words: Iterable[str]) -> set[str]:
    """Those of the words that a public list of coarse words has."""
    return {w for w in words if hashlib.sha256(f"textveil {w.lower()}".encode()).hexdigest()[:12] in LISTED}


def test_what_can_be_written_of_public_lists_is_ordinary() -> None:
    written = TextCodes(WORDS, written_as=MILDER).legend.written[: 2 * len(WORDS)]
    assert listed(written) == set(ORDINARY.split())


DEMEANING = frozenset(
    """homosexual homosexuals queer gays transvestite transsexual gypsy gypsies savages heathens crippled moron morons
    imbecile idiot idiots cretins lunatic lunatics psycho freaks prostitute harlot pervert pedophile rapist illegals hag
    bum junkie scum swine hillbilly sissy wimp hermaphrodite dimwit stupid dumb degenerate loser""".split()  # noqa: SIM905
)


@pytest.mark.parametrize("name", ["all-words", "content-words"])
def test_no_demeaning_word_can_be_written_under_a_preset(name: str) -> None:
    """All words of the vocabulary, whatever weight a row of the channel gives them."""
    made = Sanitizer(name)
    assert made.mechanism is not None and made.mechanism.vocabulary.words == WORDS
    written = TextCodes(WORDS, written_as=milder_words(made.mechanism.vocabulary)).legend.written[: 2 * len(WORDS)]
    assert not {word.lower() for word in written} & (DEMEANING | {WORDS[coarse] for coarse in MILDER})


def test_no_pool_of_surrogates_holds_a_coarse_word() -> None:
    drawn = [names for name, names in places().pools.items() if name != "large"]
    towns = {word.lower() for names in drawn for place in names for word in place.split()}
    entries = {entry for name in ("given", "family", "town", "country", "state") for entry in pool(name)}
    entries |= {word for form in demographics().pools.values() for entry in form for word in entry.split()}
    coarse = listed(entries | towns)
    demeaning = {entry for entry in entries if entry.lower() in DEMEANING}
    assert (coarse, demeaning) == (set(), set())


def test_the_lists_find_coarse_words() -> None:
    assert len(listed(WORDS[coarse] for coarse in MILDER)) > len(MILDER) // 3


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


@needs_lab
def test_keywords_of_a_document_are_none_of_them() -> None:

    from textveil_lab.mechanisms.document.keywords import keywords

    coarse = max(MILDER)
    made = keywords(load_vocabulary(), epsilon=60.0, keywords=3, candidates=1)
    (shown,) = made.privatize_texts([WORDS[coarse]])
    assert shown.split() == [WORDS[MILDER[coarse]]] * 3
