"""Public English word lists: words that keep a capital, function words, and common words that tell little of anybody.

The embedded common words are chosen by ``tools/build_common_words.py`` from public biographies; ``common_words_of``
makes such a list from public text of your own. ``Passing`` says how a token must be written to be one that a release
shows as it is: by its letters, their case and, for a capital, the marks and spaces before it, and no other word.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from textveil.errors import InputError, need
from textveil.json_text import json_file
from textveil.text.patterns import lazy_regex
from textveil.types import Flags, Ids

ALWAYS_CAPITAL: Final = frozenset(
    """
    i monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays
    fridays saturdays sundays january february april june july august september october november december
    christmas easter halloween hanukkah passover ramadan diwali thanksgiving

    africa antarctica asia australia europe america americas oceania scandinavia caribbean balkans
    atlantic pacific mediterranean arctic antarctic

    afghanistan albania algeria argentina armenia austria azerbaijan bahamas bahrain bangladesh barbados
    belarus belgium belize bolivia bosnia botswana brazil britain bulgaria cambodia cameroon canada chile
    china colombia congo croatia cuba cyprus denmark ecuador egypt england eritrea estonia ethiopia fiji
    finland france gambia germany ghana greece grenada guatemala guyana haiti honduras hungary iceland india
    indonesia iran iraq ireland israel italy jamaica japan jordan kazakhstan kenya korea kosovo kuwait laos
    latvia lebanon liberia libya lithuania luxembourg macedonia madagascar malawi malaysia maldives malta
    mauritius mexico moldova monaco mongolia montenegro morocco mozambique myanmar namibia nepal netherlands
    nicaragua nigeria norway pakistan palestine panama paraguay peru philippines poland portugal qatar
    romania russia rwanda scotland senegal serbia seychelles singapore slovakia slovenia somalia spain sudan
    sweden switzerland syria taiwan tanzania thailand tibet trinidad tunisia uganda ukraine uruguay
    uzbekistan venezuela vietnam wales yemen yugoslavia zambia zimbabwe

    afghan african albanian algerian american americans arab arabs arabic argentine armenian asian asians
    australian australians austrian belgian bolivian bosnian brazilian british bulgarian cambodian canadian
    canadians catalan celtic chilean chinese colombian croatian cuban czech danish dutch egyptian english
    englishman estonian ethiopian european europeans filipino finnish french frenchman georgian german
    germanic germans greek greeks gujarati haitian hebrew hindi hispanic hungarian icelandic indian
    indians indonesian iranian iraqi irish irishman israeli israelis italian italians jamaican japanese
    javanese jordanian kenyan korean koreans kurdish latin latino lebanese lithuanian malaysian
    mexican mexicans mongolian moroccan nepali nigerian nordic norwegian pakistani palestinian
    palestinians persian peruvian portuguese punjabi roman romanian romans russian russians sanskrit saudi
    scandinavian scottish serbian sicilian slavic slovak somali spaniard spanish sudanese swahili swedish
    swiss syrian taiwanese tamil telugu thai tibetan turkish turks ukrainian urdu venezuelan vietnamese
    welsh yiddish

    christian christianity christians catholic catholics protestant jewish judaism muslim muslims islam
    islamic hindu hinduism buddhist buddhism bible quran jesus christ buddha allah

    alabama alaska arizona arkansas california colorado connecticut delaware florida hawaii idaho illinois
    indiana iowa kansas kentucky louisiana maryland massachusetts michigan minnesota mississippi missouri
    montana nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia
    wisconsin wyoming ontario quebec manitoba saskatchewan

    amsterdam athens atlanta baghdad bangkok barcelona beijing berlin boston brooklyn brussels budapest
    cairo chicago copenhagen dallas delhi detroit dubai dublin edinburgh geneva glasgow hollywood houston
    istanbul jakarta jerusalem kabul karachi lisbon liverpool london madrid manhattan manila melbourne
    miami milan montreal moscow mumbai munich oslo paris philadelphia prague rome seattle seoul shanghai
    stockholm sydney tehran tokyo toronto vancouver vienna warsaw washington zurich
    """.split()  # noqa: SIM905 - a list of its words would take a line each
)
"""English words that are written with a capital wherever they stand; none that is also a common word."""
FUNCTION_WORDS: Final = frozenset(
    """
    a an the this that these those each every either neither both all any some no none such another other others
    several few fewer many more most much less least enough half own same

    i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
    herself it its itself they them their theirs themselves one oneself who whom whose whoever which whichever what
    whatever someone somebody something anyone anybody anything everyone everybody everything nobody nothing

    aboard about above across after against along alongside amid among amongst around as at before behind below
    beneath beside besides between beyond but by concerning despite down during except for from in inside into like
    near of off on onto opposite out outside over past per plus regarding since than through throughout till to
    toward towards under underneath unlike until unto up upon versus via with within without

    and or nor so yet although though because if unless while whilst whereas whether lest once provided when whenever
    where wherever whereby wherein why how however

    am is are was were be been being do does did doing done have has had having can cannot could may might must ought
    shall should will would used

    not never ever also too very just only even still already again almost always anyway anywhere apart away back
    else elsewhere everywhere far forth further furthermore hence here indeed instead later maybe meanwhile moreover
    nearly nevertheless nonetheless now nowhere often otherwise perhaps quite rather really seldom somehow
    sometimes somewhat somewhere soon then thence there thereafter thereby therefore thus together usually well yes

    aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't shouldn't wasn't weren't won't
    wouldn't i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd it's it'll we're we've
    we'll we'd they're they've they'll they'd that's there's here's what's who's where's how's let's
    """.split()  # noqa: SIM905 - a list of its words would take a line each
)
"""Determiners, pronouns, prepositions, conjunctions, auxiliary verbs, particles and the adverbs that join sentences, in
lower case. Written for textveil; no text was counted for it."""

NAMES_TOO: Final = frozenset(["an", "can", "do", "even", "may", "more", "per", "so", "than", "will"])
"""Those that are names of people as well: with a capital they are no function words."""
DATA: Final = Path(__file__).parent / "data"
FILE: Final = "common_words.txt"
RECORD: Final = "common_words.json"
LEVELS: Final = ("low", "medium", "high")
"""The linkage that a list allows; ``measured`` holds what was measured. Each list holds the one before it."""

# For ``common_words_of``: the largest ln(documents / documents with the word) sqrt(uses per document with it).
_LARGEST_SCORE: Final = {"low": 1.5, "medium": 2.2, "high": 3.3}
_FEWEST: Final = 20  # documents that a list can be made from
_WORDS: Final = lazy_regex(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*")

# Words that do not begin in a-z and follow a word in lower case, a comma or a semicolon: they begin no sentence.
_CAPITALS: Final = lazy_regex(r"(?<=[a-z,;] )[^\W\d_a-z][^\W\d_]*(?:['\u2019][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class CommonWords:
    """A list of words that stay."""

    words: frozenset[str]  # in lower case
    names: frozenset[str]  # those of ``words`` that are also names or months: with a capital they do not stay


@cache
def _entries() -> tuple[tuple[str, str, bool], ...]:
    data = (DATA / FILE).read_bytes()
    if hashlib.sha256(data).hexdigest() != measured()["file"]:
        raise InputError(f"the embedded file {FILE} must be intact; got another. Install textveil again.")
    lines = (line.split() for line in data.decode("ascii").splitlines())
    return tuple((level, word, bool(name)) for level, word, *name in lines)


@cache
def measured() -> dict[str, Any]:
    """The rule of the embedded lists, and for each level the linkage that was measured (a copy of the record)."""
    record: dict[str, Any] = json_file(DATA / RECORD)
    return record


@cache
def common_words(level: str = "low") -> CommonWords:
    """Return the embedded list of a level. Raises ParameterError for another level, InputError for a changed file."""
    need(level in LEVELS, "level", level, f"one of {', '.join(LEVELS)}")
    levels = LEVELS[: LEVELS.index(level) + 1]
    entries = [(word, name) for entry, word, name in _entries() if entry in levels]
    return CommonWords(frozenset(word for word, _ in entries), frozenset(word for word, name in entries if name))


def common_words_of(documents: Iterable[str], level: str = "low") -> tuple[str, ...]:
    """Words that are common and evenly used in public documents, sorted.

    A word is listed if ln(documents / documents with it) sqrt(uses per document with it) is at most a number that the
    level sets, and if it is written in lower case more often than with a capital inside a sentence. Lists made from 302
    biographies and measured on 302 others had about the linkage of the embedded levels. The linkage of a list from
    other text is not known: measure it with ``textveil risk``.

    ``documents``: public ones, none of them the text to be released or chosen by it; ``level``: one of ``LEVELS``.
    Raises ParameterError: the level is unknown, there are fewer than 20 documents, or no word is common.
    """
    need(level in LEVELS, "level", level, f"one of {', '.join(LEVELS)}")
    uses, holders, capitals = (Counter[str]() for _ in range(3))
    total = 0
    for document in documents:
        total += 1
        written = Counter(_WORDS.findall(document))
        words = {word: times for word, times in written.items() if word.islower()}
        uses.update(words)
        holders.update(words.keys())
        capitals.update(word.lower() for word in _CAPITALS.findall(document) if not word.islower())
    need(total >= _FEWEST, "background", f"{total} documents", f"at least {_FEWEST} public documents")
    words_in_order = sorted(holders)
    held = np.array([holders[word] for word in words_in_order], dtype=np.float64)
    used = np.array([uses[word] for word in words_in_order], dtype=np.float64)
    even = np.log(total / held) * np.sqrt(used / held) <= _LARGEST_SCORE[level]
    chosen = tuple(
        word.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        for word, common in zip(words_in_order, even.tolist(), strict=True)
        if common and capitals[word] < uses[word]
    )
    need(bool(chosen), "background", "documents without a common word", "documents that share words")
    return tuple(sorted(set(chosen)))


OTHER, BETWEEN, STOP, LINE_END = range(4)
"""The class of a code before a word: a word, number or other mark; a space, quote or bracket; the end of a sentence;
the end of a line."""

_STOPS: Final = frozenset(".!?\u2026")
_LINE_ENDS: Final = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_BETWEEN: Final = frozenset(
    "\"'\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a\u00bf\u00a1"
    "()[]{}*_#>~\u2022\u00b7\u2013\u2014-"
)


class Passing(NamedTuple):
    """Words that pass."""

    kind: str  # of their tokens, in counts and policies
    words: tuple[str, ...]  # in lower case, sorted
    # how a token is written that is one, wherever it stands, with the word's place in ``words``
    anywhere: Mapping[str, int]
    at_starts: Mapping[str, int]  # how it is written where it is one only at the start of a sentence


def passing_common_words(words: Collection[str], names: Collection[str]) -> Passing:
    """Return common words, with a capital at the start of a sentence alone and unless it makes a name; "I" too."""
    ordered = tuple(sorted(words))
    anywhere = {word: place for place, word in enumerate(ordered)}
    at_starts = {word[:1].upper() + word[1:]: place for place, word in enumerate(ordered) if word not in names}
    firsts = {word: at_starts.pop(word) for word in list(at_starts) if word == "I" or word.startswith("I'")}
    return Passing("common-word", ordered, anywhere | firsts, at_starts)


_FUNCTION: Final = tuple(sorted(FUNCTION_WORDS))

PASSING_FUNCTION_WORDS: Final = Passing(
    "function-word",
    _FUNCTION,
    {
        form: place
        for place, word in enumerate(_FUNCTION)
        for form in (word, word[:1].upper() + word[1:])
        if form == word or word not in NAMES_TOO
    },
    {},
)
"""Function words in lower case, or with their first letter alone a capital ("The", not "WHO"; not "Will", a name)."""


def role(character: str, *, blank: bool) -> int:
    """Return what a mark, or a space if ``blank``, is to the word behind it."""
    if blank:
        return LINE_END if character in _LINE_ENDS else BETWEEN
    return STOP if character in _STOPS else BETWEEN if character in _BETWEEN else OTHER


def begin_sentences(roles: NDArray[np.uint8], bounds: Ids, places: Ids) -> Flags:
    """Return whether each of some places is where a sentence begins: told by public marks and spaces alone.

    A text and a line begin a sentence; so does what follows a full stop, "!" or "?" and a space. Quotes, brackets and
    dashes may stand between.
    """
    last = np.arange(len(roles))
    last[roles == BETWEEN] = -1
    np.maximum.accumulate(last, out=last)
    before = np.where(places > 0, last[places - 1], -1)
    first = before < bounds[np.searchsorted(bounds, places, side="right") - 1]
    before_roles = roles[before]
    return first | (before_roles == LINE_END) | ((before_roles == STOP) & (before < places - 1))
