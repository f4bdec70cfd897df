"""Public lists of nationalities, faiths, occupations and the like: what entries are, and what surrogates draw from.

Other languages than English have rows of faith, marital status, orientation and descent: katholisch, veuve, gitano. A
surrogate is another word of the same row.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from textveil.detection import gates
from textveil.detection.found import Found, folded, words_in
from textveil.detection.lists import LANGUAGES, ONLY_FOUND, Marks, lists, sections, written
from textveil.text import patterns
from textveil.text.patterns import lazy_regex, matches

FILE: Final = "demographics.txt"
OCCUPATIONS: Final = "occupations.txt"
OCCUPATION: Final = "occupation"
KIND: Final = "demographic"
EITHER, ADJECTIVE, SINGULAR, PLURAL = "adjective or noun", "adjective", "noun", "plural"
"""The uses of an entry; a word of the first form has both: a German lawyer, a German."""
_LETTERS: Final = lazy_regex(r"[A-Za-z]+")
_SIBILANT: Final = lazy_regex(r"(?:s|x|z|ch|sh)\Z")
_CONSONANT_Y: Final = lazy_regex(r"[^aeiou]y\Z")
Words: TypeAlias = tuple[str, ...]
"""The runs of letters of an entry, in small letters."""


class Form(NamedTuple):
    """The class of an entry of the lists, and its uses."""

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
        for use, entry in entries:
            forms.setdefault(words_of(entry), Form(group, use))
            if drawn:
                for shared in (use,) if use != EITHER else (EITHER, ADJECTIVE, SINGULAR):
                    pools.setdefault(Form(group, shared), set()).add(entry)
    endings: dict[str, list[Words]] = {}
    for words in forms:
        endings.setdefault(words[-1], []).append(words)
    modifiers = frozenset(entry.lower() for entry in occupations["words before"])
    return Demographics(
        forms,
        {word: tuple(sorted(several, key=len, reverse=True)) for word, several in endings.items()},
        frozenset(endings),
        modifiers,
        {form: tuple(sorted(drawn)) for form, drawn in pools.items()},
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
"""Last words that name an occupation only with a word before them, or if the text says that somebody works so."""
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

    "the Turkish Government" tells what "a Turkish national" and "Republic of Turkey" hide, and is of their kind.
    """
    kinds = {
        word[:_STEM].lower(): kind
        for kind in ("place", KIND)
        for span in spans
        if span.kind == kind
        for word in text[span.start : span.end].split()
        if word[0].isupper()
    }
    if not kinds or not any(word in text for word in _STATE_WORDS):
        return list(spans)
    forms = demographics().forms
    met = [
        Found(*match.span(), kinds[match[0][:_STEM].lower()], 0.6, "nationality")
        for match in matches(_OF_STATE, text)
        if match[0][:_STEM].lower() in kinds
        and (form := forms.get((match[0].lower(),))) is not None
        and form.group == "nationality"
    ]
    free = [span for span in met if not any(span.start < other.end and other.start < span.end for other in spans)]
    return sorted([*spans, *free]) if free else list(spans)


_ROWS: Final = MappingProxyType(
    {"religion": "religion", "people": "religion", "marital": "family", "widowed": "family"}
    | {"orientation": "orientation", "ethnic": "ethnicity"}
)
"""The rows of a language's file, and the classes of what they hold; rows of women's words end in " f"."""
_ANYWHERE: Final = ("family", "orientation")
_WORD: Final = lazy_regex(r"(?<![\w'-])[A-Za-z]+(?:-[a-z]+)?(?![\w-])")
_BEFORE: Final = lazy_regex(r"(?<![A-Za-z'])([A-Za-z']{1,24})[ :,]{1,2}(?:[A-Za-z]{1,24} )?\Z")
_BACK: Final = 40
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)


def _rows(language: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for name, group in _ROWS.items():
        for row in (name, f"{name} f"):
            if words := written(language).get(row):
                yield row, group, tuple(words)


@cache
def _classes(language: str) -> tuple[Mapping[str, str], frozenset[str]]:
    """Return the class of each word of a language in plain form, and the words that stand before one."""
    groups = {folded(word): group for _, group, words in _rows(language) for word in words}
    return groups, frozenset(map(folded, written(language).get("attribute cues", ())))


def attribute_gate(language: str) -> gates.Gate:
    """Return the gate of the search."""
    return gates.WithWords(lambda: patterns.words_of(" ".join(_classes(language)[0])))


def attribute_search(language: str) -> Callable[[str], Iterator[Found]]:
    """Return the search for such words: those of faith and descent only behind a word that says so of somebody."""
    return partial(_found, language)


def _found(language: str, text: str) -> Iterator[Found]:
    groups, cues = _classes(language)
    last = -1
    for match in matches(_WORD, text):
        low = match[0].lower()
        group = groups.get(low)
        large = match[0][0].isupper()
        if group is None or (language == "de" and large != (low in _nouns())):
            continue
        if large and language != "de" and lists().words.get(low, 0) & _NAMES:
            continue  # Marie, not marie with an accent
        before = _BEFORE.search(text, max(0, match.start() - _BACK), match.start())
        cued = before is not None and any(word in cues for word in patterns.words_of(before[0]))
        joined = last >= 0 and match.start() - last < _JOINED
        if (group in _ANYWHERE and not low.startswith("separ")) or cued or joined:
            last = match.end()
            yield Found(*match.span(), "demographic", 0.6, group)


_JOINED: Final = 6  # characters between two such words that are joined: and, comma


@cache
def _nouns() -> frozenset[str]:
    return frozenset(folded(word) for _, _, words in _rows("de") for word in words if word[0].isupper())


@cache
def _pools() -> Mapping[str, tuple[str, str, tuple[str, ...]]]:
    """Return of each word its row, its class and what a surrogate is drawn from: what all rows hold that share it."""
    pools: dict[str, tuple[str, str, tuple[str, ...]]] = {}
    for language in LANGUAGES:
        for row, group, words in _rows(language):
            for word in words:
                key = unicodedata.normalize("NFC", word).lower()
                name, _, drawn = pools.get(key, (f"{row} {language}", group, words))
                shared = tuple(entry for entry in drawn if entry in words)
                pools[key] = (name, group, shared if len(shared) > 1 else drawn)
    return pools


def attribute_of(value: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Return the row, the class and the pool of a word of these lists, which is in composed form; None for another."""
    return _pools().get(value.lower())
