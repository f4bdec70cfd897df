"""Public lists of nationalities, faiths, occupations and the like: what entries are, and what surrogates draw from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple, TypeAlias

from textveil.detection.found import Found, words_in
from textveil.detection.lists import ONLY_FOUND, sections
from textveil.text.patterns import lazy_regex, matches

FILE: Final = "demographics.txt"
OCCUPATIONS: Final = "occupations.txt"
OCCUPATION: Final = "occupation"
KIND: Final = "demographic"
EITHER, ADJECTIVE, SINGULAR, PLURAL = "adjective or noun", "adjective", "noun", "plural"
"""How an entry is used; a word of the first form is both: a German lawyer, a German."""
_LETTERS: Final = lazy_regex(r"[A-Za-z]+")
_SIBILANT: Final = lazy_regex(r"(?:s|x|z|ch|sh)\Z")
_CONSONANT_Y: Final = lazy_regex(r"[^aeiou]y\Z")
Words: TypeAlias = tuple[str, ...]
"""The runs of letters of an entry, in small letters."""


class Form(NamedTuple):
    """What an entry of the lists is: its class, and how it is used."""

    group: str
    use: str


@dataclass(frozen=True, slots=True, eq=False)
class Demographics:
    """The lists."""

    forms: Mapping[Words, Form]  # what each entry is, by its words
    endings: Mapping[str, tuple[Words, ...]]  # the entries that end in a word, the longest first
    last_words: frozenset[str]  # those last words, as gates compare them
    modifiers: frozenset[str]  # words that may stand before an occupation and belong to it
    pools: Mapping[Form, tuple[str, ...]]  # what surrogates are drawn from, by form, sorted


@cache
def demographics() -> Demographics:
    """Return the embedded lists, read once."""
    forms: dict[Words, Form] = {}
    pools: dict[Form, set[str]] = {}
    occupations = sections(OCCUPATIONS)
    for group, drawn, entries in _entries(occupations):
        for use, written in entries:
            forms.setdefault(words_of(written), Form(group, use))
            if drawn:
                for shared in (use,) if use != EITHER else (EITHER, ADJECTIVE, SINGULAR):
                    pools.setdefault(Form(group, shared), set()).add(written)
    endings: dict[str, list[Words]] = {}
    for words in forms:
        endings.setdefault(words[-1], []).append(words)
    modifiers = frozenset(entry.lower() for entry in occupations["words before"])
    return Demographics(
        forms,
        {word: tuple(sorted(several, key=len, reverse=True)) for word, several in endings.items()},
        frozenset(endings),
        modifiers,
        {form: tuple(sorted(written)) for form, written in pools.items()},
    )


def words_of(entry: str) -> Words:
    """Return the runs of letters of an entry or a value, in small letters."""
    return tuple(_LETTERS.findall(entry.lower()))


def plural_of(noun: str) -> str:
    """Return the plural of an occupation or another noun for a person."""
    if noun.endswith(("man", "woman")) and noun != "woman":
        return noun[:-2] + "en"
    if _CONSONANT_Y.search(noun):
        return noun[:-1] + "ies"
    return noun + ("es" if _SIBILANT.search(noun) else "s")


_Entry: TypeAlias = tuple[str, bool, list[tuple[str, str]]]


def _entries(occupations: Mapping[str, Iterable[str]]) -> Iterator[_Entry]:
    """Yield every entry of both files: its class, whether it is drawn, and its forms."""
    for group, entries in sections(FILE).items():
        drawn = True
        for entry in entries:
            if entry == ONLY_FOUND:
                drawn = False
            else:
                yield group, drawn, list(_forms_of(entry))
    for section in ("drawn", "only found"):
        for entry in occupations[section]:
            yield OCCUPATION, section == "drawn", [(SINGULAR, entry), (PLURAL, plural_of(entry))]


def _forms_of(entry: str) -> Iterator[tuple[str, str]]:
    adjective, _, rest = entry.partition("/")
    noun, _, plural = (rest or adjective).partition("/")
    if noun == adjective:
        yield EITHER, adjective
    else:
        if adjective != "-":
            yield ADJECTIVE, adjective
        if noun != "-":
            yield SINGULAR, noun
    if noun != "-":
        yield PLURAL, plural or plural_of(noun)


TONGUES: Final = words_in(
    """english french spanish german italian portuguese russian chinese japanese arabic dutch polish greek welsh irish
    swedish korean turkish"""
)
OFFICES: Final = words_in(
    """owner editor principal director president chairman chairwoman chairperson mayor ceo cfo cto coo headmaster
    headmistress headteacher dean chancellor founder executive officer treasurer secretary registrar superintendent
    in-chief chief imam rabbi vicar pastor bishop bursar governor landlord landlady caretaker curator"""
)
VAGUE: Final = words_in(
    """worker shepherd player assistant agent model guard operator official coach checker packer owner manager deputy
    controller examiner intern supervisor marine major servant developer handler turner officer"""
)
"""Last words that name an occupation only with a word before them, or where the text says that somebody works so."""
_OF_STATE: Final = lazy_regex(
    r"[A-Z](?<![A-Za-z-].)[a-z]{2,15}(?= (?:[Gg]overnment|[Aa]uthorit(?:y|ies)|[Cc]onstitution(?:al)?|[Ss]tate|[Aa]rmy"
    r"|[Ee]mbassy|[Cc]onsulate|[Pp]arliament|(?:[Pp]enal|[Cc]ivil|[Cc]riminal) [Cc]ode|[Pp]rime [Mm]inister)\b)"
)
_STATE_WORDS: Final = tuple(
    "overnment uthorit onstitution tate rmy mbassy onsulate arliament ode inister".split()  # noqa: SIM905
)
_STEM: Final = 4  # letters that a country and its adjective share: Turkey, Turkish


def with_states(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans by start, with adjectives before a state's bodies of nationalities and countries that were found.

    "the Turkish Government" tells what "a Turkish national" and "Republic of Turkey" hide.
    """
    named = [text[span.start : span.end] for span in spans if span.kind in (KIND, "place")]
    stems = {word[:_STEM].lower() for value in named for word in value.split() if word[0].isupper()}
    if not stems or not any(word in text for word in _STATE_WORDS):
        return list(spans)
    forms = demographics().forms
    met = [
        Found(*match.span(), KIND, 0.6, "nationality")
        for match in matches(_OF_STATE, text)
        if match[0][:_STEM].lower() in stems
        and (form := forms.get((match[0].lower(),))) is not None
        and form.group == "nationality"
    ]
    free = [span for span in met if not any(span.start < other.end and other.start < span.end for other in spans)]
    return sorted([*spans, *free]) if free else list(spans)
