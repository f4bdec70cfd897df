"""Names of people: each part of a name has a part of another name, the same in all mentions of a scope.

Parts are told apart by how the name is written and where they stand, never by what they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import numpy as np

from textveil.detection.found import folded, words_in
from textveil.detection.lists import FIRM_TITLES, LANGUAGES, written
from textveil.detection.mentions import full_names, short_names
from textveil.privacy.guarantees import PureDP
from textveil.registry.options import Option, named
from textveil.surrogates.drawn import agreed, proved
from textveil.surrogates.making import PSEUDONYMS, declared
from textveil.surrogates.pools import keys_of, names_of, pool
from textveil.surrogates.scopes import TAKEN, Scope, beside
from textveil.surrogates.shown import Sound, agreed_on, gender_of, sound_of, sounding
from textveil.surrogates.surrogate import A_SPAN, SURNAME_BEFORE, Counts, Mention
from textveil.surrogates.writing import SCRIPT_FACTS, has_other_script, in_case_of, key_of, without_possessive
from textveil.text.patterns import lazy_regex

_PIECE: Final = lazy_regex(r"[^\s.,;:\-\u2010-\u2015()\[\]{}<>\"\u201c\u201d\u201e/&|+*_#~]+")
_TITLES: Final = (
    r"mr|mrs|ms|miss|mx|dr|prof|professor|sir|herr|frau|monsieur|madame|mme|se\u00f1ora?|sra?|signora?|"
    r"judge|reverend|re?vd|uzm|cllr|councillor|sergeant|corporal|lieutenant|captain|colonel|inspector|constable|detective|"
    r"ma\u00eetre|mlle|dott|dottoressa|rag|avv|geom|ing|eng[\u00aa\u00ba]|dhr|mevr|mw|mevrouw|meneer"
)
_SHORT_TITLES: Final = r"rev|hon|capt|sgt|lt|col|gen"
_KIN: Final = lazy_regex(
    r"(?i)aunt(?:ie|y)?|uncle|cousin|baby|gran(?:ny|dma|dad|dpa)?|nan(?:na|ny)|grandmother|grandfather|onkel|tante|cousine|"
    r"oma|opa|oncle|nonn[ao]|abuel[ao]|m[gp]g?[mf]|nurse|sister|brother|father|t\xed[ao]"
)
"""What a person is called before a given name, which stays: Auntie Pru; MGM of a social worker is a grandmother."""
_KIN_OF: Final = {
    "es": lazy_regex("(?i)don|do\xf1a"),
    "it": lazy_regex("(?i)don|zi[ao]"),
    "pt": lazy_regex("(?i)dona|seu|ti[ao]"),
}
"""The same on pages of one language: words that are names elsewhere."""
_TITLES_OF: Final = {
    "es": frozenset(("Dra", "Lic", "Ing")),
    "pt": frozenset(("Dra", "Eng", "Arq")),
    "de": frozenset(("RA", "RAin", "StB", "Hr", "Fr", "O\xc4", "OA", "PD", "PHK", "KHK", "POK")),
}
_FRENCH_TITLE: Final = frozenset(("M", "MM"))
_FAMILY_OF: Final = {"es": "Los", "fr": "Les", "pt": "Os"}
"""Articles of a whole family, by language: Los Soto."""
_TWO_FAMILIES: Final = ("es", "pt")
_FAMILY_BEHIND_TITLES: Final = ("de", "es", "fr", "it", "nl")
_OF_WOMAN: Final = "\xaa"  # D.\xaa, for do\xf1a
_MASTER: Final = "Master"  # of a boy, before his whole name
_OPENING: Final = lazy_regex(_TITLES, re.IGNORECASE)
# Titles that are names too, and so stay only before a period.
_OPENING_WITH_PERIOD: Final = lazy_regex(_SHORT_TITLES, re.IGNORECASE)
_CLOSING: Final = lazy_regex(r"(?:jr|sr|ii|iii|iv|esq|phd|md|rn|dds|mba|msc|bsc)", re.IGNORECASE)
_DEGREES: Final = words_in("MD PhD RN DO DDS DMD JD MA BA BSc MSc PA NP EdD PsyD PharmD DVM")
_TITLE_BEFORE: Final = lazy_regex(
    rf"(?:^|[\s(\"'\u201c])(?:{_TITLES}|{_SHORT_TITLES}|dame|lord|lady|judge|pan(?:i|a|u|em|i\u0105)?|[hf]r|ra|"
    r"(?:dott|prof)\.ssa|dra|sig(?:\.ra|nor)?|l'(?:avvocat[oa]|ingegnere?)|fy[12]|"
    rf"(?:w?p|d)c (?:[0-9]{{1,6}}|{A_SPAN}))"
    r"\.?\s{0,3}\Z",
    re.IGNORECASE,
)
_WORD_BEFORE: Final = lazy_regex(r"(?<![^\W_])(?P<word>[^\W\d_]{1,20})(?P<mark>\.|\s?:)?\s{1,3}\Z")
_WIFE_BEFORE: Final = lazy_regex(
    r"(?:[MmDdSs]einer?|ihrer?|[Uu]nserer?|eurer?|[Mm]ia|tua|sua|[Mm]i|tu|su|[Mm]a|ta|sa|notre|[Mm]inha)\s"
    r"(?i:frau|se\u00f1ora|signora|dame|senhora)\s{0,3}\Z"
)
"""Words before the given name of a wife, which may be a title as well: seine Frau Gerda."""
_BORN_BEFORE: Final = lazy_regex(r"(?i)(?:^|[\s(,])(?:n\xe9e|nee|geb\.?|geborene|z domu)\s\Z")
"""Words before the family that somebody was born with."""
_NICKNAMED: Final = ('" ', "\u201d ", "\u201c ", "' ", "\u2019 ")
"""What stands between what somebody is called and the family."""
_GIVEN_BEFORE: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:(?:first|fore|given|vor|voor)[ _-]?names?|given|voornaam|pr\xe9noms?|nombres?|nomes?"
    r"|imi\u0119)\s?:?\s{1,3}\Z"
)
_OF_HOUSEHOLD: Final = lazy_regex(
    r"(?i)[ \t](?:twins|family|household|brothers|sisters|siblings|girls|boys|children|kids|couple)(?![^\W_])"
)
"""Words behind a family: the Brennan twins."""
_HOUSEHOLD: Final = words_in("Zwillinge Geschwister Br\xfcder Schwestern M\xe4dchen Jungs T\xf6chter")
"""The same behind a hyphen: die Brenner-Zwillinge."""
_QUOTES: Final = (',"', '="', '\n"', '\t"', ';"')
"""Before a quoted name of which the family stands first, before a comma and another name."""
_LONGEST_LABEL: Final = 24
_LONGEST_BEFORE: Final = 18  # characters that the patterns of titles, wives and births match at most
_MOST_INITIALS: Final = 3
_BEGUN: Final = lazy_regex(r"[^\W\d_][^\W\d_aeiouy]{0,2}[aeiouy]{1,2}[^\W\d_aeiouy]")
_SEVERAL: Final = "*"
_PET_ENDING: Final = lazy_regex("(?<=[a-z]{3})(?:ie|[iys])\\Z")
_SHORTEST_STEM: Final = 3
_GIVEN_TAKEN: Final = f"person given{TAKEN}"


class Role(Enum):
    """The role of a part of a name."""

    GIVEN = "given"
    FAMILY = "family"
    INITIAL = "initial"
    PARTICLE = "particle"
    KEPT = "kept"  # A title or a suffix that stands in the value: public


class Part(NamedTuple):
    """A part of a name."""

    mark: str  # what stands before it: white space and punctuation
    written: str
    role: Role | None
    key: str  # ``key_of(written)``, by which parts are compared
    case: int = 0  # on a Polish page, the place of its form among the cases of ``written``


class NameParts(NamedTuple):
    """A name in its parts; ``end`` is the punctuation and the possessive after the last."""

    parts: tuple[Part, ...]
    end: str


def letters_of(written: str) -> str:
    """Return the letters of a part as a reader counts them: composed, and without marks that no letter holds."""
    if written.isascii():
        return written
    composed = unicodedata.normalize("NFC", written)
    return "".join(character for character in composed if not unicodedata.combining(character))


def parts_of(value: str, before: str = "", language: str = "") -> NameParts:
    """Return the parts of a name, with the roles that the mention shows.

    Titles and suffixes by public lists; single capitals, and up to three capitals beside other letters, are
    initials, and so are two capitals alone, or two or three letters that no vowel is among (jh); what is written
    small beside capitals, or stands in a public list before a name (Le Goff), is a particle, but not behind a
    hyphen (Min-seo); a small word for "and" stays, and so does one letter (v/d). Of what is left, with hyphens as
    one, the last is the family and all before it are given names, the other way round if a comma, "<<" or in
    capitals a slash follows the first. One that is left alone is a family after a title, a particle or an initial
    and before several (Smith JA), given before one, else unknown; two with "and" between them are two people.
    """
    marks, words, roles, titled, end = _cut(value, before, language)
    names = _joined([index for index, role in enumerate(roles) if role is None], marks)
    if len(names) > 1:
        large = all(map(str.isupper, words))
        conjunction = next((index for index, role in enumerate(roles) if role is Role.KEPT and words[index] in _AND), 0)
        if conjunction and names[0][-1] < conjunction < names[1][0]:
            if len(names) > 2:
                _name_all(names[1:], words, marks, roles, all_large=large)
        else:
            _name_all(names, words, marks, roles, all_large=large)
            if language in _TWO_FAMILIES and len(names) > 2 and all(roles[index] is Role.GIVEN for index in names[-2]):
                for index in names[-2]:
                    roles[index] = Role.FAMILY
    elif names:
        initials = [index for index, role in enumerate(roles) if role is Role.INITIAL]
        led = any(
            role is Role.PARTICLE or (word.islower() and word not in _AND)
            for role, word in zip(roles[: names[0][0]], words, strict=False)
        )
        for index in names[0]:
            initial = initials[0] if initials else index
            turned = initial > index and ("," in marks[initial] or len(letters_of(words[initial])) > 1)
            if titled or led or turned or initial < index:
                roles[index] = Role.FAMILY
            elif initials:
                roles[index] = Role.GIVEN
    return NameParts(tuple(map(Part, marks, words, roles, map(key_of, words))), end)


def _cut(value: str, before: str, language: str) -> tuple[list[str], list[str], list[Role | None], bool, str]:
    """Return marks, parts and roles, all but whether a name is given; if a title stands there; and the end."""
    bare, ending = without_possessive(value)
    pieces = list(_PIECE.finditer(bare))
    ends = [0, *[piece.end() for piece in pieces]]
    marks = [bare[last : piece.start()] for last, piece in zip(ends, pieces, strict=False)]
    words = [piece[0] for piece in pieces]
    end = bare[ends[-1] :] + ending
    if len(words) == 1 and _SIGN.fullmatch(bare):
        return marks, words, [Role.INITIAL], False, end
    small, large = all(map(str.islower, words)), all(map(str.isupper, words))
    roles: list[Role | None] = [
        None
        if mark == "-" and word.islower() and word not in _LISTED_PARTICLES
        else Role.KEPT
        if mark == "-" and word in _HOUSEHOLD
        else _alone(word, all_small=small, all_large=large)
        for mark, word in zip(marks, words, strict=True)
    ]
    start = len(before) - _LONGEST_BEFORE
    titled = _keep_titles(words, marks, roles, language) or (
        before != ""
        and (
            (
                (_TITLE_BEFORE.search(before, start) is not None or _is_role(before, language))
                and _WIFE_BEFORE.search(before, start) is None
            )
            or _BORN_BEFORE.search(before, start) is not None
            or SURNAME_BEFORE.search(before, max(0, len(before) - _LONGEST_LABEL)) is not None
        )
    )
    if language == "de" and len(words) > 1 and words[0] in _GERMAN_ARTICLES:
        roles[0] = Role.KEPT
    if not small:
        _mark_particles(words, roles, opens=titled or language in _PARTICLES_OF)
    return marks, words, roles, titled, end


def _mark_particles(words: Sequence[str], roles: list[Role | None], *, opens: bool) -> None:
    """Mark listed particles with a capital before a name; the first word only if ``opens``, or before another."""
    for index in range(len(words) - 2, -1, -1):
        written = words[index] == _IRISH or (
            len(words[index]) > 1 and words[index][0].isupper() and roles[index] is None
        )
        listed = written and words[index].lower() in _LISTED_PARTICLES
        behind = roles[index + 1]
        inside = opens or behind is Role.PARTICLE or any(role in (None, Role.INITIAL) for role in roles[:index])
        if listed and behind in (None, Role.PARTICLE) and (inside or words[index] in _NEVER_GIVEN):
            roles[index] = Role.PARTICLE


def _joined(names: Sequence[int], marks: Sequence[str]) -> list[list[int]]:
    """Return the places of names, those with a hyphen between them as one: Adeyemi-Clarke, Brouwer-de Wit."""
    joined: list[list[int]] = []
    for index in names:
        if joined and any(mark in _HYPHENS for mark in marks[joined[-1][-1] + 1 : index + 1]):
            joined[-1].append(index)
        else:
            joined.append([index])
    return joined


def _name_all(
    names: Sequence[list[int]], words: Sequence[str], marks: Sequence[str], roles: list[Role | None], *, all_large: bool
) -> None:
    """Tell given names from families among several; those in capitals beside others are families (GARNIER Yvette)."""
    large = [] if all_large else [name for name in names if all(words[index].isupper() for index in name)]
    first = _families_first([marks[name[0]] for name in names], all_large=all_large)
    families = names[:first] or (large if 0 < len(large) < len(names) else names[-1:])
    for name in names:
        for index in name:
            roles[index] = Role.FAMILY if name in families else Role.GIVEN


def _families_first(marks: Sequence[str], *, all_large: bool) -> int:
    """Return how many names stand before the mark that turns a name: ZUSE, ADA; ZUSE/ADA; VAN<DYK<<ADA."""
    zone = next((index for index, mark in enumerate(marks) if index and ("<<" in mark or "," in mark)), 0)
    return zone or int(all_large and "/" in marks[1])


def _alone(word: str, *, all_small: bool, all_large: bool) -> Role | None:
    if word.islower() and not all_small:
        return Role.KEPT if word in _AND or (len(word) == 1 and word.isascii()) else Role.PARTICLE  # v/d
    if not word.isupper():
        return None
    letters = len(letters_of(word))
    return Role.INITIAL if letters == 1 or (letters <= _MOST_INITIALS and not all_large) else None


def _keep_titles(words: Sequence[str], marks: Sequence[str], roles: list[Role | None], language: str) -> bool:
    """Mark titles at the beginning and suffixes at the end, if a name remains; tell whether there is a title."""
    first, last = 0, len(words)
    while (
        first < last - 1
        and not _is_turned(words, marks, first)
        and (
            _OPENING.fullmatch(words[first])
            or (marks[first + 1].startswith(".") and _OPENING_WITH_PERIOD.fullmatch(words[first]))
            or (
                language == "fr" and words[first] in _FRENCH_TITLE and marks[first + 1][:1] == "." and roles[-1] is None
            )
            or (words[first] == _MASTER and last - first > 2)
            or (
                words[first] == "D"
                and last - first > (language == "es") + 1
                and language in _TWO_FAMILIES
                and marks[first + 1][:1] == "."
            )
            or words[first] == _OF_WOMAN
            or (first == 0 and _is_kin(words[0], language) and "-" not in marks[1])
            or (words[first] in _TITLES_OF.get(language, ()) and last - first > 1)
            or (first == 0 and words[0] == _FAMILY_OF.get(language))
        )
    ):
        first += 1
    while (length := _closing(words[first:last], marks[first:last])) > 0:
        last -= length
    while last - first > 2 and "/" in marks[first + 1] and _OPENING.fullmatch(words[last - 1]):
        last -= 1  # PENHALE/HARRIET MRS
    for index in (*range(first), *range(last, len(words))):
        roles[index] = Role.KEPT
    before_given = first == 1 and (_is_kin(words[0], language) or (language == "pt" and words[0] == "D"))
    return first > 0 and not before_given


def _is_turned(words: Sequence[str], marks: Sequence[str], index: int) -> bool:
    """Return whether a mark behind a word tells that it is the family, though a title too: Constable, John."""
    mark = marks[index + 1]
    slash = "/" in mark and words[index].isupper() and not _OPENING.fullmatch(words[index + 1])
    return slash or "," in mark or "<<" in mark


def _closing(words: Sequence[str], marks: Sequence[str]) -> int:
    """Return how many words at the end are a suffix: Jr; M.D. and Ph.D. behind two names and a comma."""
    if len(words) > 1 and _CLOSING.fullmatch(words[-1]):
        return 1
    for length in (2, 3) if marks[-1:] == ["."] else ():
        is_apart = len(words) - length > 1 and marks[-length][:1] == ","
        if is_apart and "".join(words[-length:]) in _DEGREES and {*marks[len(marks) - length + 1 :]} == {"."}:
            return length
    return 0


@cache
def _roles_of(language: str, others: str = "en") -> frozenset[str]:
    """Return the titles and roles, in plain small letters, behind which a name alone is a family on a page."""
    roles = {*written("any")["families behind"], *FIRM_TITLES}
    for page in (others, language) if language in LANGUAGES else (others,):
        roles.update(*(written(page).get(name, ()) for name in ("titles of roles", "short titles")))
    return frozenset(roles.difference(written("any")["given names behind"]))


def _is_role(before: str, language: str) -> bool:
    """Return whether the last word before a name is a title, or a role that is told by the family: Surgeon: Rao.

    In English a role in small letters is a noun (the plumber Ned), and elsewhere no English one (figlio di Ines).
    """
    last = _WORD_BEFORE.search(before, max(0, len(before) - 2 * _LONGEST_BEFORE))
    is_noun = last is not None and last["word"].islower() and not last["mark"]
    if last is None or (is_noun and language not in LANGUAGES):
        return False
    return folded(last["word"]) in _roles_of(language, language if is_noun else "en")


def _is_kin(word: str, language: str) -> bool:
    own = _KIN_OF.get(language)
    return _KIN.fullmatch(word) is not None or (own is not None and own.fullmatch(word) is not None)


_HYPHENS: Final = ("-", "\u2010", "\u2011")
_AND: Final = frozenset(("y", "e", "i", "und", "and", "et", "en"))
_LISTED_PARTICLES: Final = words_in(
    "van von der den de del della di da do dos das du des le la les los las ter ten zu zum zur dalla af av"
    " \xf3 n\xed u\xed nic"
)
_IRISH: Final = "\xd3"  # \xd3 Cuiv: no initial
_GERMAN_ARTICLES: Final = frozenset(("der", "die", "den", "dem"))
"""Before a name on a German page: nicht der Achleitner."""
_NEVER_GIVEN: Final = frozenset(("De", "Du", "Des", "Von", "Della", "Dalla"))
# What stands for one particle, and for all that follow it.
_PARTICLES: Final = (("de", "la"), ("de", "los"), ("von", "der"), ("van", "der"), ("van", "den"), ("van", "de"))
_PARTICLES_OF: Final = {
    "de": (("von", "der"), ("von", "dem"), ("zu", "der")),
    "fr": (("de", "la"), ("du", "de"), ("le", "de")),
    "es": (("de", "la"), ("de", "los"), ("de", "las"), ("del", "de")),
    "it": (("di", "de"), ("de", "la"), ("della", "di"), ("del", "di")),
    "pt": (("de", "la"), ("da", "de"), ("dos", "de"), ("do", "de")),
    "nl": (("van", "der"), ("van", "den"), ("van", "de"), ("de", "la")),
}
_INITIALS: Final = "ABCDEFGHIJKLMNOPRSTVW"
_SIGN: Final = lazy_regex("[A-Z]{2}|[B-DF-HJ-NP-TV-XZ]{3}|[b-df-hj-np-tv-xz]{2,3}")
_SIBILANT: Final = lazy_regex(r"(?i)(?:s|x|z|ch|sh)\Z")
_GIVEN: Final = (Role.GIVEN, None)
_NAMED: Final = (Role.FAMILY, *_GIVEN)
_PLAIN: Final = str.maketrans({"\xdf": "ss", "\xf8": "o", "\xe6": "ae", "\u0142": "l", "\u0111": "d", "\u0131": "i"})
_TWO_LETTERS: Final = str.maketrans({"\xe4": "ae", "\xf6": "oe", "\xfc": "ue", "\xe5": "aa", "\xf8": "oe"})
ROLES: Final = "person roles"
"""The label under which a scope remembers the parts of names, by key, and whether each is given or a family."""
BEARERS: Final = "person bearers"
"""That of given names, by family and initial."""
FAMILIES: Final = "person families"
"""That of families, by given name; ``_SEVERAL`` if it stands beside more than one."""
SECONDS: Final = "person second families"
"""That of what stands behind a family in one name: Amberley-Hart."""
_INITIALLED: Final = "person initialled"
"""That of initials beside a family, by both."""
LOGINS: Final = "person logins"
"""That of the parts of names, by the forms that logins write."""
LANGUAGE: Final = "person language"
"""That of the language of the page."""
PARTICLES: Final = "person particle"
"""That of what stands for a particle, and for all that follow it."""
_SCRIPTS: Final = ("arabic", "cyrillic", "devanagari", "greek", "han", "hangul", "hebrew")

_GENDER = Option(
    domain=named("drawn", "kept"),
    help="kept: a given name in the public list of women's or of men's names gets another of that list; that is public "
    "then.",
    metavar="NAME",
)
_SCRIPT = Option(
    domain=named("drawn", "kept"),
    help="kept: a name in one of seven other scripts gets one of that script; which it is, is public then.",
    metavar="NAME",
)


@declared(summary="Another name, part by part: given names, initials, families.", kinds=("person",), proof=PSEUDONYMS)
def person(*, gender: Annotated[str, _GENDER] = "drawn", script: Annotated[str, _SCRIPT] = "drawn") -> Person:
    """Pseudonyms of people that agree in all forms of a name within a scope."""
    return Person(keeps_gender=gender == "kept", keeps_script=script == "kept")


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class Person:
    """Each part of a name (given, family, initial, particle) is replaced by a part of a public pool.

    A part has one surrogate in a scope: "Maria Gonzalez", "Maria", "Ms. Gonzalez's" and "MARIA" agree. Whether a single
    name is given or family is read from public facts: a title or initials beside it, or that it equals a part of a
    longer name in the same scope; else it is given. Proof: privacy/proofs/pseudonyms.md.
    """

    keeps_gender: bool = False
    keeps_script: bool = False
    name: ClassVar[str] = "person"
    counts: ClassVar[Counts] = "value"
    consistent: ClassVar[bool] = True
    equality: ClassVar[str] = "which parts of names are equal, but for letter case"

    @property
    def parameters(self) -> Mapping[str, Any]:
        kept = {"gender": self.keeps_gender, "script": self.keeps_script}
        return {name: "kept" if is_kept else "drawn" for name, is_kept in kept.items()}

    @property
    def guarantee(self) -> PureDP:
        return proved(0.0, PSEUDONYMS)

    @property
    def entries(self) -> int:
        """Return the number of full names: given names times families."""
        return len(pool("given")) * len(pool("family"))

    @property
    def public(self) -> tuple[str, ...]:
        facts = [
            "how many parts it has, with the spaces, punctuation and possessive between and after them",
            "of each part its letter case, whether it is one capital, or two or three beside other letters, "
            "and whether it is written small beside capitals, or a particle of a public list (Van, Le)",
            "titles (Dr.), suffixes (Jr., M.D.), small words for 'and' and particles of one letter (v/d) in it",
            "whether an initial beside a family begins a given name that the scope has with it, whether two initials "
            "alone begin one name of the scope, and whether it is a name of the scope with s behind it, or a family of "
            "it with es",
            "whether a given name is in a public list of what bearers of another are called (Tom, of Thomas), or "
            "begins with three letters or more as another does (Vik, Toby, of Vikram, Tobiah), which the scope has "
            "beside a family, and with no other family than that",
            "which of its parts are equal, but for letter case; initials in a row (JA) are one part",
            'the width of a field that "<" fills up',
        ]
        if self.keeps_gender:
            facts.append("whether a given name stands in the public list of women's or of men's names")
        if self.keeps_script:
            facts += ["its script, of eight", SCRIPT_FACTS]
        return tuple(facts)

    def key(self, value: str) -> str:
        """Return the parts of a name that are drawn; how they are written tells initials and particles from names."""
        named = []
        _, words, roles, _, _ = _cut(value, "", "")
        for word, role in zip(words, roles, strict=True):
            if role is Role.INITIAL:
                named.append(f"{len(letters_of(word))} capitals {key_of(word)}")
            elif role is not Role.KEPT:
                named.append(f"{'particle' if role is Role.PARTICLE else 'name'} {key_of(word)}")
        return " ".join(named)

    def draw(self, mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str]:
        in_script: list[str | None] = [None] * len(mentions)
        if self.keeps_script and any(has_other_script(mention.value) for mention in mentions):
            from textveil.surrogates.scripts import persons

            in_script = persons(mentions, scope, rng)
        language = mentions[0].page.language if mentions and scope.remembers else ""
        names = [parts_of(mention.value, _before(mention), language) for mention in mentions]
        names = _turned(names, mentions, language)
        roles, bearers, borne = map(scope.remembered, (ROLES, BEARERS, FAMILIES))
        if self.keeps_script and language == "pl":
            written, names = names, _in_nominative(names)
            logins = scope.remembered(LOGINS)
            for part, own in zip(_parts_in(written), _parts_in(names), strict=True):
                for form in _login_forms(part.key) if own.role in _NAMED else ():
                    logins.setdefault(form, own.key)
        _note((*names, *_in_fields(names, mentions)), roles, bearers, borne, scope)
        pools = self._pools(_with_families(names, roles), mentions) if scope.remembers else {}
        scope.remembered(LANGUAGE)[""] = language
        drawing = _Drawing(self, roles, bearers, borne, pools, language, scope, rng)
        drawn = [drawing.name(name) for name in names]
        return [other or name for other, name in zip(in_script, drawn, strict=True)]

    def _pools(self, names: Sequence[NameParts], mentions: Sequence[Mention]) -> dict[str, tuple[str, Sound]]:
        """Return, by the key of a part, the gender and the first sound that released words show of it, if any."""
        shown: dict[str, tuple[list[str], list[str]]] = {}
        of_families: dict[str, list[str]] = {}
        for name, mention in zip(names, mentions, strict=True):
            sound = sound_of(mention)
            titles = [part.written for part in name.parts if part.role is Role.KEPT]
            is_dona = _OF_WOMAN in titles or (titles[:1] == ["D"] and mention.page.language == "pt")
            title = "do\xf1a" if is_dona else "don" if titles[:1] == ["D"] else "".join(titles[:1])
            gender = gender_of(mention, title)
            if gender and not any(part.role in _GIVEN for part in name.parts):
                of_families.setdefault(_family_of(name), []).append(gender)
                gender = ""
            for part in name.parts:
                sounds_here = sound and part is name.parts[-1 if sound.startswith("'") else 0]
                if gender or sounds_here:
                    genders, sounds = shown.setdefault(part.key, ([], []))
                    genders += [gender] if part.role in _GIVEN else []
                    sounds += [sound] if sounds_here else []
        for family, genders in of_families.items():  # Whitcombe, Harriet ... Mrs Whitcombe: the only one of that family
            bearers = {
                tuple(part.key for part in name.parts if part.role is Role.GIVEN)
                for name in names
                if family and _family_of(name) == family
            } - {()}
            for key in bearers.pop() if len(bearers) == 1 else ():
                told = shown.setdefault(key, ([], []))[0]
                told += [] if any(told) else genders
        return {key: (agreed_on(genders), agreed_on(sounds)) for key, (genders, sounds) in shown.items()}

    def pool(self, written: str, role: str, gender: str) -> str:
        """Return the name of the pool that a part of a name is drawn from."""
        if self.keeps_script and not written.isascii():
            begins = unicodedata.name(written[0], "").split(" ")[0].lower()
            script = {"cjk": "han"}.get(begins.split("-")[0], begins)
            if script in _SCRIPTS:
                return f"{role} {script}"
        if role == "given":
            for listed in ("given female", "given male"):
                if f"given {gender}" == listed or (
                    self.keeps_gender and not gender and key_of(written) in keys_of(listed)
                ):
                    return listed
        return role


def _note(
    names: Sequence[NameParts], roles: dict[str, str], bearers: dict[str, str], borne: dict[str, str], scope: Scope
) -> None:
    """Note what names tell of their parts: which are given and which families, of whom, and how logins write them."""
    logins = scope.remembered(LOGINS)
    for name in sorted(names, key=lambda name: -len(name.parts)):
        families = [part.key for part in name.parts if part.role is Role.FAMILY]
        if len(families) > 1 and scope.remembers:
            scope.remembered(SECONDS).setdefault(families[0], families[1])
        for part in name.parts:
            if part.role in _NAMED and scope.remembers:
                for form in _login_forms(part.key):
                    logins.setdefault(form, part.key)
            if part.role in (Role.GIVEN, Role.FAMILY):
                roles.setdefault(part.key, part.role.value)
            if part.role is Role.INITIAL and len(part.key) == 1 and len(families) == 1 and scope.remembers:
                scope.remembered(_INITIALLED)[f"{families[0]} {part.key}"] = part.key
            if part.role is Role.GIVEN and families:
                for letter in (part.key[:1], login_form(part.key)[:1]):
                    bearers.setdefault(f"{families[0]} {letter}", part.key)
                several = borne.setdefault(part.key, families[0]) != families[0]
                borne[part.key] = _SEVERAL if several else families[0]
    for part in _parts_in(names) if scope.remembers else ():
        if part.role is None:
            roles.setdefault(part.key, Role.GIVEN.value)


def _turned(names: Sequence[NameParts], mentions: Sequence[Mention], language: str) -> list[NameParts]:
    """Return names of two parts with the family first if a label or a title shows it: Tissot Aurore beside NOM: TISSOT.

    On pages of other languages than five a title shows it of names in capitals alone: Emily Carter may be Miss Emily.
    """
    alone = [
        (part.key, mention)
        for name, mention in zip(names, mentions, strict=True)
        for part in (name.parts if _is_family(name) else ())
    ]
    labelled = {key for key, mention in alone if SURNAME_BEFORE.search(mention.before)}
    titled = {key for key, _ in alone}

    def turned(name: NameParts) -> NameParts:
        own = [part for part in name.parts if part.role in (Role.GIVEN, Role.FAMILY)]
        if len(own) != 2 or own[0].role is Role.FAMILY or own[1].key in titled:
            return name
        by_title = language in _FAMILY_BEHIND_TITLES or all(part.written.isupper() for part in own)
        if own[0].key not in (titled if by_title else labelled):
            return name
        roles = {own[0]: Role.FAMILY, own[1]: Role.GIVEN}
        return name._replace(parts=tuple(part._replace(role=roles.get(part, part.role)) for part in name.parts))

    return [turned(name) for name in names]


def _is_family(name: NameParts) -> bool:
    return len(name.parts) > 0 and all(part.role is Role.FAMILY for part in name.parts)


def _in_fields(names: Sequence[NameParts], mentions: Sequence[Mention]) -> list[NameParts]:
    """Return whole names whose families and given names stand in fields or cells side by side, in either order."""
    whole: list[NameParts] = []
    last: tuple[NameParts, bool] | None = None  # a name that is no part of a whole one yet, and whether it is given
    for name, mention in zip(names, mentions, strict=True):
        is_whole = any(part.role is Role.FAMILY for part in name.parts)
        is_given = not is_whole and _GIVEN_BEFORE.search(mention.before[-_LONGEST_LABEL:]) is not None
        if last is not None and is_given != last[1] and (is_given or _is_family(name)):
            given, family = (name, last[0]) if is_given else (last[0], name)
            parts = tuple(part._replace(role=part.role or Role.GIVEN) for part in given.parts)
            whole.append(NameParts(parts + family.parts, ""))
            last = None
        else:
            last = (name, is_given) if is_given or _is_family(name) else None
    return whole


def _with_families(names: Sequence[NameParts], roles: Mapping[str, str]) -> list[NameParts]:
    """Return names whose parts that stand alone are families where longer names of the scope have them as such."""

    def told(part: Part) -> Part:
        return part._replace(role=Role.FAMILY) if part.role is None and roles.get(part.key) == "family" else part

    return [name._replace(parts=tuple(map(told, name.parts))) for name in names]


def _parts_in(names: Sequence[NameParts]) -> list[Part]:
    return [part for name in names for part in name.parts]


def _in_nominative(names: Sequence[NameParts]) -> list[NameParts]:
    """Return Polish names with each part in the nominative, and its case."""
    from textveil.surrogates.scripts import polish_known, polish_nominative

    def declined(part: Part) -> Part:
        if part.role not in _NAMED:
            return part
        written, case = polish_nominative(part.written, known)
        return part._replace(written=written, key=key_of(written), case=case)

    known = polish_known([part.written for part in _parts_in(names) if part.role in _NAMED])
    return [name._replace(parts=tuple(map(declined, name.parts))) for name in names]


def person_of(key: str, scope: Scope) -> str:
    """Return what a part of a name was drawn as in a scope, as kinds beside it see it; empty if it was not."""
    named = beside(scope, "person")
    return next(filter(None, (named.remembered(f"person {role}").get(key) for role in ("family", "given"))), "")


def login_form(name: str) -> str:
    """Return a name as logins write it: small letters from a to z."""
    if name.isascii():
        return "".join(filter(str.isalpha, name.lower()))
    plain = unicodedata.normalize("NFKD", name.lower().translate(_PLAIN))
    return "".join(letter for letter in plain if "a" <= letter <= "z")


def _login_forms(key: str) -> tuple[str, ...]:
    """Return both ways to write a name without accents: muller, mueller; without what is too short."""
    forms = (login_form(key),) if key.isascii() else (login_form(key), login_form(key.translate(_TWO_LETTERS)))
    return tuple(form for form in forms if len(form) > 1)


def _family_of(name: NameParts) -> str:
    return " ".join(part.key for part in name.parts if part.role is Role.FAMILY)


def _before(mention: Mention) -> str:
    """Return what stands before it; a title if a family stands first, or behind a nickname: |ZUSE^ADA, "Zuse, Ada"."""
    family = (mention.after[:1] == "^" and mention.before[-1:] in ("|", "~")) or mention.before in _NICKNAMED
    family = family or (mention.after == ", " and mention.before.endswith(_QUOTES))
    family = family or (mention.before[-4:].lower() == "the " and _OF_HOUSEHOLD.match(mention.after) is not None)
    return "Mr " if family else mention.before


class _Drawing(NamedTuple):
    """Draws the names of one text."""

    person: Person
    roles: Mapping[str, str]
    bearers: Mapping[str, str]
    borne: Mapping[str, str]
    pools: dict[str, tuple[str, Sound]]
    language: str
    scope: Scope
    rng: np.random.Generator

    def name(self, name: NameParts) -> str:
        pieces, run = [], 0
        self._agree(name)
        initials = self._initials_of(name)
        for index, part in enumerate(name.parts):
            pieces.append(part.mark)
            if part.role is Role.PARTICLE:
                drawn = self._particles(name.parts[index - run].key)[min(run, 1)]
                pieces.append(in_case_of(part.written, drawn.capitalize() if part.written.istitle() else drawn))
                run += 1
            elif part.role is Role.INITIAL and initials:
                count = len(letters_of(part.written))
                pieces.append(initials[:count].lower() if part.written.islower() else initials[:count])
                initials, run = initials[count:], 0
            else:
                pieces.append(self._part(part))
                run = 0
        last = name.parts[-1] if name.parts else None
        plural = last is not None and pieces[-1].lower().endswith("s") and self._stem(last)
        ending = name.end[:1] + name.end[2:] if plural and name.end[1:2] == "s" else name.end  # the Gonzalezes' flat
        ending = ending.upper() if name.parts and all(part.written.isupper() for part in name.parts) else ending
        body = "".join(pieces)
        if len(name.parts) > 1 and body.islower() and " " not in body:  # a login: karen.oduya
            body = body.replace("'", "")
        written = body + ending
        return _filled_up(written, name) if ending.endswith("<") else written

    def _agree(self, name: NameParts) -> None:
        """Note that further given names of a person are a woman's or a man's as the first one's surrogate is."""
        given = [part for part in name.parts if part.role in _GIVEN and self.roles.get(part.key) != "family"]
        if (
            len(given) < 2
            or not self.scope.remembers
            or any(part.role is Role.KEPT and part.key in _AND for part in name.parts)
        ):
            return
        first = key_of(self._part(given[0]))
        listed = [gender for gender in ("female", "male") if first in keys_of(f"given {gender}")]
        for part in given[1:] if len(listed) == 1 else ():
            gender, sound = self.pools.get(part.key, ("", ""))
            self.pools[part.key] = (gender or listed[0], sound)

    def _particles(self, key: str) -> tuple[str, str]:
        """Return what stands for a particle, and for all that follow it, as the language of the page has them."""
        if not self.scope.remembers:
            return _PARTICLES[self.scope.place(PARTICLES, key, len(_PARTICLES), self.rng)]
        pairs = tuple(map(" ".join, _PARTICLES_OF.get(self.language, _PARTICLES)))
        first, _, others = agreed(
            self.scope, PARTICLES, key, self.rng, lambda rng: pairs[rng.integers(len(pairs))], distinct=True
        ).partition(" ")
        return first, others

    def _initials_of(self, name: NameParts) -> str:
        """Return first letters of a bearer's surrogates, if the name is a family with initials, or two initials."""
        parts = [part for part in name.parts if part.role not in (Role.KEPT, Role.PARTICLE)]
        letters = "".join(part.key for part in parts if part.role is Role.INITIAL)
        families = [part.key for part in parts if part.role is Role.FAMILY]
        if not letters:
            return ""
        if families and len(parts) == len(letters) + len(families):
            own = [self.bearers.get(f"{families[0]} {letter}") for letter in letters]
            return "" if own[0] is None else "".join(map(self._initial, letters, own))
        if len(letters) != 2 or any(part.role is not Role.INITIAL for part in parts) or not self.scope.remembers:
            return ""
        known = self.scope.remembered("person sign")
        bearers = [pair.rpartition(" ")[0] for pair in self.bearers if pair[0] == letters[1] and pair[-1] == letters[0]]
        if letters not in known and len(bearers) == 1:
            given = self.bearers[f"{bearers[0]} {letters[0]}"]
            pairs = ((given, "given"), (bearers[0], "family"))
            known[letters] = "".join(self._drawn(key, key, role)[:1].upper() for key, role in pairs)
        pairs_of = self.scope.remembered(_INITIALLED)
        initialled = [pair for pair in pairs_of if pair[0] == letters[1] and pair[-1] == letters[0]]
        if letters not in known and not bearers and len(initialled) == 1:  # R. Mbeki signs RM
            family = initialled[0].rpartition(" ")[0]
            known[letters] = self._initial(letters[0], None) + self._drawn(family, family, "family")[:1]
        return known.setdefault(letters, "")

    def _initial(self, letter: str, bearer: str | None) -> str:
        """Return the first letter of what a name was drawn as; an initial's own draw where there is none."""
        if bearer is None:
            return initials_drawn(letter, 1, self.scope, self.rng)
        return self._drawn(bearer, bearer, "given")[:1].upper()

    def _part(self, part: Part) -> str:
        if part.role is Role.KEPT:
            return part.written
        if part.role is Role.INITIAL:
            drawn = initials_drawn(part.key, len(letters_of(part.written)), self.scope, self.rng)
            return drawn.lower() if part.written.islower() else drawn
        role = self.roles.get(part.key)
        if stem := self._stem(part):
            drawn = self._drawn(part.written, stem, self.roles[stem])
            plural = ("" if self.language in ("de", "nl") else "es") if _SIBILANT.search(drawn) else "s"
            return in_case_of(part.written, drawn + plural)
        short = "" if role == "family" else self._short(part.key)
        drawn = short or self._drawn(part.written, part.key, role or "given")
        if part.case:
            from textveil.surrogates.scripts import polish

            drawn = polish(drawn, part.case)
        return in_case_of(part.written, drawn)

    def _stem(self, part: Part) -> str:
        """Return the name of the scope that a part is with an ending: the Gonzalezes, Solveigs Bruder; or nothing."""
        for ending in ("es", "s") if part.role not in (Role.GIVEN, Role.KEPT) and self.scope.remembers else ():
            name = part.key.removesuffix(ending)
            known = self.roles.get(name) if name != part.key else None
            if known == "family" or (known == "given" and ending == "s"):
                return name
        return ""

    def _short(self, key: str) -> str:
        """Return what bearers of a surrogate are called, if ``key`` is what those of its original are; else nothing.

        It is a function of the surrogate, and of those that are taken.
        """
        known = self.scope.remembered("person given") if self.scope.remembers else {key: ""}
        if key in known:
            return ""
        own = self.borne.get(key)
        stem = _PET_ENDING.sub("", key)
        longer = [name for name in self.borne if len(name) > len(stem) + 1 and name.startswith(stem)]
        borne = {
            name
            for name in (*full_names(key), *(longer if len(stem) >= _SHORTEST_STEM else ()))
            if self.roles.get(name) == "given" and self.borne.get(name) and own in (None, self.borne[name])
        }
        full = [name for name in borne if name != key and borne.isdisjoint(full_names(name))]
        if len(full) != 1 or own == _SEVERAL:
            return ""
        drawn, taken = self._drawn(full[0], full[0], "given"), self.scope.remembered(_GIVEN_TAKEN)
        for form in (*map(str.capitalize, short_names(drawn.lower())), *_shortened(drawn)):
            if form not in taken and form != drawn:
                taken[form] = known[key] = form
                return form
        return ""

    def _drawn(self, written: str, key: str, role: str) -> str:
        gender, sound = self.pools.get(key, ("", ""))
        wanted = self.person.pool(written, role, gender)
        in_script = wanted.rpartition(" ")[2] in _SCRIPTS
        if not self.scope.remembers:
            entries = pool(wanted)
            return entries[self.scope.place(f"person {wanted}", key, len(entries), self.rng)]
        of_page = bool(self.language) and not in_script
        if of_page and self.language == "pl" and self.person.keeps_script:
            from textveil.surrogates.scripts import polish_regular

            entries = polish_regular(wanted)
        else:
            entries = names_of(wanted, self.language) if of_page else pool(wanted)
        fitting = sounding(entries, sound)
        label = f"person {wanted if in_script else role}"
        return agreed(self.scope, label, key, self.rng, lambda rng: fitting[rng.integers(len(fitting))], distinct=True)


def _filled_up(written: str, name: NameParts) -> str:
    """Return a name of a machine-readable zone in the width of its field: cut, or filled up with "<"."""
    width = sum(len(part.mark) + len(part.written) for part in name.parts) + len(name.end)
    return written.rstrip("<").replace("'", "").replace("-", "<").replace(" ", "<")[:width].ljust(width, "<")


def _shortened(name: str) -> tuple[str, ...]:
    """Return forms that are made of a name which no list shortens: Calista, Cal."""
    begun = _BEGUN.match(name)
    return () if begun is None or len(begun[0]) == len(name) else (begun[0], begun[0] + "y", begun[0] + "ie")


def initials_drawn(key: str, count: int, scope: Scope, rng: np.random.Generator) -> str:
    """Draw initials in a row (JA) all together: that JA and JB share a letter is not told."""
    place = scope.place(f"person initial {count}", key, len(_INITIALS) ** count, rng)
    return "".join(_INITIALS[place // len(_INITIALS) ** index % len(_INITIALS)] for index in range(count))
