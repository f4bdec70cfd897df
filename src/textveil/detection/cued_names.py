"""Persons that a word of any language in Latin letters announces: kin, titles, labels, closings, headers of mails.

A document may mix languages, so the words of all of them are looked up together, in one scan. What stands behind a word
is a name only where it is written as one and is no ordinary word of that language.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from textveil.detection import lists as known
from textveil.detection.dates import is_day_or_month
from textveil.detection.firms import FORM
from textveil.detection.formal_names import HONORS
from textveil.detection.found import Found, words_in
from textveil.detection.gates import WithWords, places_of
from textveil.detection.language_words import is_compound, names_nobody
from textveil.detection.languages import ORDINARY, language_of
from textveil.detection.lists import LANGUAGES, Marks, by_language, frequent_words, lists, ordinary_words, small_words
from textveil.detection.name_evidence import is_camel
from textveil.detection.names_in_one_case import is_small
from textveil.detection.people_in_records import is_plain_form, is_plain_word, is_role, is_thing
from textveil.text.patterns import check_time, lazy_regex


class Cue(NamedTuple):
    """One way in which words announce a person."""

    name: str
    before: re.Pattern[str]  # what must stand before the word
    behind: re.Pattern[str]  # what stands between it and the name
    score: float
    why: str
    finds: str
    ignores: str
    words: str  # the name of their list in the files of languages


_ONE: Final = r"[A-Z][A-Za-z]{0,40}+(?:['-][A-Za-z]{1,40}+){0,4}+"
_PARTICLE: Final = (
    r"(?:(?:v[oa]n|zu|zum|den|de[rlnm]?|della|d[aio]s?|du|des|la|las|los|le|y|ten?|ter|'t|(?:in|op)(?= 't)|af|bin|al"
    r"|el) |d'(?=[A-Z]))"
)
_NAME: Final = lazy_regex(
    rf"{_PARTICLE}{{0,3}}(?:(?:[A-Z]\.[ -]?){{1,3}}{_PARTICLE}{{0,3}})?"
    rf"{_ONE}(?:(?: | [A-Z]\. ){_PARTICLE}{{0,3}}{_ONE}){{0,3}}"
    r"(?![A-Za-z0-9_@])"
)
_WORD: Final = lazy_regex(r"[A-Za-z]+(?:['-][A-Za-z]+)*")
_TITLES: Final = (
    r"(?:(?:[DdPp]rs?|[Pp]rof|[Dd]ott(?:\.?s?sa)?|[Mm]rs?|[Mm]s|[Mm]me|[Ss]ra?|[Hh]r|[Dd]hr|[Ii]ng|[Ii]r|[Dd]ra|[Mm]gr"
    r"|[Cc]llr|[Rr]ev|[Hh]ab|[Mm]ed|[Dd]ipl|[Hh]err|[Ff]rau|[Hh]errn|[Pp]an[iau]?|[Aa]vv|[Rr]ag|[Gg]eom|[Ss]ig|[Aa]rch"
    r"|i\. ?[AV]|gez|Maitre|Me)\.?[ -]+)"
)
"""Titles between a cue and the name; they stay."""
_TITLE: Final = lazy_regex(_TITLES)
_LINE: Final = r"(?:\A|[\n|;>\t{}]|[.!?]['\")]?[ ]|[ ]{2})[ \t>*_#\"'-]{0,8}"
_ANY: Final = lazy_regex(r"")
_BESIDE_KIN: Final = lazy_regex(
    rf"(?:[- ]in[- ]law)?(?:\.? (?:of|von|des|de|di|do|da|van|af|av) |, (?:o|a|der|die|den|dem|il|la|el) |,? "
    rf"| \((?=[A-Z][A-Za-z'. -]{{1,40}}\)))"
    rf"{_TITLES}{{0,2}}(?=[A-Za-z])"
)
_OURS: Final = lazy_regex(
    r"(?i:\b(?:my|our|his|her|their|your|its|the|mein|unser|sein|ihr|dein|euer|der|die|dem|den|mon|ma|mes|son|sa|notre|votre"
    r"|leur|le|la|mi|su|tu|nuestr[oa]|el|il|lo|mi[oa]|su[oa]|nostr[oa]|o|a|meu|minha|seu|sua|nosso|nossa|mijn|zijn|haar|onze"
    r"|ons|de|moj|moja|nasz|nasza|jego|jej)(?:e|er|en|em|es)? (?:[a-z]{2,12} )?|l')\Z"
)
_APPOSED: Final = lazy_regex(
    rf"(?:, (?:o|a|der|die|den|dem|il|la|el|de|le) |, | \(){_TITLES}{{0,2}}(?=[A-Z][a-z]|[a-z]{{3,12}}\))"
)
_ENDS_APPOSED: Final = lazy_regex(r"[,;.)(:](?![A-Za-z])")
_KIN_BEHIND: Final = lazy_regex(
    rf"(?<![A-Za-z0-9])(?![A-Z][a-z]{{0,4}}'(?:m|s|re|ve|ll|d) )"
    rf"(?P<name>{_PARTICLE}{{0,2}}{_ONE}(?: {_PARTICLE}{{0,2}}{_ONE}){{0,3}}), "
    r"(?:his|her|their|my|our|seine?|ihre?|meine?|unsere?"
    r"|son|sa|mon|ma|leur|su|mi|il suo|la sua|suo|sua|o seu|a sua|o meu|a minha|zijn|haar|mijn|jego|jej)"
    r"(?: (?:late|eldest|older|elder|younger|youngest|only|former|step|defunte?|difunt[oa]|defunt[oa]"
    r"|verstorben(?:er|e)|overleden|big|little))?"
    r" (?:[a-z]{1,10}-)?\Z"
)
_OF_BIRTH: Final = lazy_regex(r"\.?:? {1,2}(?![A-Z][a-z]{2,10}\.?,? [0-9])(?=[A-Zvd])")
_BORN_BEHIND: Final = lazy_regex(
    rf"(?<![A-Za-z0-9])(?P<name>{_PARTICLE}{{0,2}}{_ONE}(?: {_PARTICLE}{{0,2}}{_ONE}){{0,3}}),? [(]?\Z"
)
_AFTER_KIN: Final = lazy_regex(r"(?P<name>[A-Z][a-z]{1,20})(?:'s)?(?=[,.:;!?')\n]| [a-z]|\Z)")
_ONLY_BEHIND: Final = words_in("ne dit dite detta nato nacido nascido ur")
"""Words for birth that a name stands before, not behind."""
_CALLED_KIN: Final = words_in(
    """uncle aunt auntie aunty granny grandad granddad nan nana nanna gran
    grandma grandpa tante onkel oom ome oma opa tia tio tito tita zia zio nonno nonna vo ciocia wujek tonton papi mamie
    abuela abuelo"""
)
"""Relatives whom a name follows when they are called by it: Aunt Peg."""
_FOLLOWS_NAME: Final = lazy_regex(
    r" (?:is|was|has|had|died|said|says|will|can|and|who|called|texted|messaged|lives|works|came|went|does|did|rang"
    r"|rings|screaming|crying|never|always|just)\b"
    r"|[,.!?\n]|\Z"
)
_WHO_IS: Final = lazy_regex(
    r"(?:\b(?:girl|boy|man|woman|lady|guy|bloke|friend|child|kid|baby|someone|somebody|patient|colleague|chap|fella|nurse"
    r"|neighbou?r|driver|student|person|lad|lass|kind|mann|frau|homme|femme|fille|mujer|hombre|nin[ao]|uomo|donna|ragazz[ao]"
    r"|homem|mulher|menin[ao]|meisje|jongen|vrouw|known|also)(?:,? (?:is|was|who is|who was|she|he|now))? )\Z"
)
_NAMED: Final = lazy_regex(rf" (?:as )?(?:\"|')?{_TITLES}{{0,2}}(?=[A-Za-z])")
_SPACE: Final = lazy_regex(rf" {_TITLES}{{0,3}}(?=[A-Zavdlebt])(?!te )")
_POINT: Final = lazy_regex(rf"\. ?(?:(?:ra|ssa|na|as?|os?)\.? )?{_TITLES}{{0,3}}(?=[A-Zavdlebt])")
_LABEL: Final = lazy_regex(
    r"(?:(?:/?(?:e?[rn]|in|rin|a)|/[A-Za-z]{4,12})?(?: [A-Za-z'&/]{1,14}){0,3})?(?: [0-9]{1,2})?"
    r"(?: \([A-Za-z ]{1,20}\))?\.?"
    r"[\"'*_]{0,2}(?: ?[:=][ \t*_\"']{0,8}(?:\n[ \t]{0,8})?|(?: {3,40}|\t{1,4})"
    r"(?=[A-Z][^\n\t]{1,60}(?:\n|\Z))(?![^\n]{1,60}   ))"
    rf"{_TITLES}{{0,3}}(?=[A-Zavdlebt])"
)
_LABEL_BEFORE: Final = lazy_regex(rf"(?:{_LINE}|, | / )(?:[A-Za-z][A-Za-z'/-]{{0,20}}\.? ){{0,3}}\Z")
_CLOSING: Final = lazy_regex(
    r"(?:[,.!;-]{0,2}[ \t]{0,4}(?:\n[ \t>*_-]{0,8}){1,3}|, "
    r"| (?=[A-Z][a-z'-]{1,20}(?: [A-Z][a-z'-]{1,20})?+[.!]?\s*(?:\n|\Z)))"
    rf"(?:Your(?: [a-z]{{3,10}})? )?{_TITLES}{{0,3}}(?=[A-Zvd])"
)
_CLOSING_BEFORE: Final = lazy_regex(rf"(?P<line>{_LINE})(?:[A-Za-z][A-Za-z'.]{{0,20}},? ){{0,5}}\Z")
_OPENING: Final = lazy_regex(rf" {_TITLES}{{0,3}}(?=[A-Zvd])")
_AT_LINE: Final = lazy_regex(rf"{_LINE}\Z")
_ENDS_VALUE: Final = lazy_regex(
    r"['\"*_]{0,2}(?:\Z|[ \t]{0,20}[\n,;<(|/)}]|[ \t]{2}|\.?[ \t]{0,20}(?:\n|\Z)|\. [A-Z]| - | \(|[ \t]{1,20}[+0-9\[])"
)
_ENDS_GREETING: Final = lazy_regex(r"[,!:;.]|[ \t]{0,20}(?:\n|\Z)| (?:og|und|en|et|y|e|i|a|och|ja|ve) [A-Z]| - ")
_ENDS_LINE: Final = lazy_regex(r"[,.]?(?: \([A-Za-z /]{1,20}\))?[ \t]{0,20}(?:\n|\Z)|, |[,.]? {1,20}\|")
_ALSO: Final = "(?:and|und|et|e|y|en|och|og|i|ja|ve|si|es)"
_AND: Final = lazy_regex(
    rf"(?: \([^()\n]{{1,20}}\))?,? (?P<and>{_ALSO}) (?=[A-Z])|(?: \([^()\n]{{1,20}}\), )(?=[A-Z])"
    rf"|, (?=[A-Z][a-z]+(?:,| {_ALSO} [A-Z]))"
)
_MOST_LISTED: Final = 6
_SHORTEST_ROLE: Final = 4  # letters from which on a role may be written in small letters
_BACK: Final = 80
_NEAR: Final = 28  # characters before a relative in which a comma stands that a name precedes


# fmt: off
CUES: Final = (
    Cue("kin", _ANY, _BESIDE_KIN, 0.6, "cue", "his wife, Orla", "his wife, a nurse", "kin"),
    Cue("apposed", _OURS, _APPOSED, 0.6, "cue", "our driver, Poldi, is late", "our driver, Friday, went", "known by"),
    Cue("called", _WHO_IS, _NAMED, 0.6, "cue", "a girl called tash", "a tool called tash", "called"),
    Cue("role", _ANY, _SPACE, 0.6, "title", "Overlege Solveig Bakke", "overlege og Lege", "titles of roles"),
    Cue("short", _ANY, _POINT, 0.7, "title", "dal rag. Brunelli", "The rag. Brunelli", "short titles"),
    Cue("birth", _ANY, _OF_BIRTH, 0.6, "cue", "geb. Wuttke, wohnt", "geb. am 4. Mai", "born"),
    Cue("label", _LABEL_BEFORE, _LABEL, 0.7, "field", "Firmado: G. Ibarra", "Firmado: Tesoreria", "labels"),
    Cue("closing", _CLOSING_BEFORE, _CLOSING, 0.7, "cue", "Groet,\nSjoerd", "Groet aan allen", "closings"),
    Cue("greeting", _AT_LINE, _OPENING, 0.6, "cue", "Hej Solveig,", "Hej igen,", "greetings"),
)
"""The example that is found is found by the cue of its row."""
# fmt: on
_KIN_CUE, _APPOSED_CUE, _CALLED_CUE, _ROLE_CUE, _SHORT_CUE, _BIRTH_CUE, _LABEL_CUE, _CLOSING_CUE, _GREETING_CUE = CUES


@cache
def _cues() -> dict[str, tuple[tuple[Cue, str], ...]]:
    by_word: dict[str, list[tuple[Cue, str]]] = {}
    for cue in CUES:
        for language, words in by_language(cue.words).items():
            for word in words:
                by_word.setdefault(word.rpartition("-")[2], []).append((cue, language))
    return {word: tuple(cues) for word, cues in by_word.items()}


@cache
def _words() -> frozenset[str]:
    return frozenset(_cues())


@cache
def label_words() -> frozenset[str]:
    """Return the words that a label of a person's name holds, in any language."""
    return frozenset().union(*by_language("labels").values())


CUED_GATE: Final = WithWords(_words)


def find_cued_names(text: str) -> Iterator[Found]:
    """Yield the persons that a word announces, and as ordinary the closings and labels that announced them."""
    reached = 0
    cues_of = _cues()
    for start, end in places_of(text, _words()):
        check_time()
        if start < reached or text[start - 1 : start] in _INSIDE:
            continue
        for cue, language in cues_of[text[start:end].lower()]:
            behind = cue.behind.match(text, end)
            if behind is None and cue not in (_KIN_CUE, _BIRTH_CUE):
                continue
            for span in _announced(text, start, end, cue, language, behind):
                reached = max(reached, span.end)
                yield span
            if reached > start:
                break


_SAYS_WHO: Final = (
    r"(?P<says>)(?i:(?:it'?s|it is|this is)(?: only| just)?|(?P<de>hier(?: ist| spricht| is)?(?: der| die)?)"
    r"|(?P<fr>c'est|ici)|(?P<es>(?:soy|habla)(?: la| el)?)"
    r"|(?P<it>(?:sono|parla|qui)(?: la| il)?)|(?P<pt>aqui e(?: a| o)?)|(?P<nl>met))"
)
_SPEAKER: Final = (
    r"(?P<name>[A-Za-z][a-z]{1,20}(?:-[a-z]{2,12})?)(?![.'@_-]?[A-Za-z0-9_]| [A-Z]| (?:v[ao]n|de|del|di|da) )"
)
"""A single word: names of several have lists and capitals to tell them."""
_GREETED: Final = lazy_regex(
    rf"(?:,? (?P<to>[A-Za-z-]{{2,20}}))?(?:,? [A-Za-z-]{{2,20}}){{0,2}}?[,!.]{{0,2}}(?: um| er| yeah)?"
    rf" {_SAYS_WHO} {_SPEAKER}"
)
"""Behind a greeting, who says so: hi it's penny from, hallo moni hier ist atze."""
_SPOKEN_TO: Final = lazy_regex(
    rf" (?i:to|with) {_SPEAKER}(?=[.,!?\n]|\Z)"
    rf"| (?P<de>(?i:ist|spricht)(?: der| die)?) {_SPEAKER.replace('name', 'other')}"
)
_HERE: Final = lazy_regex(
    r"(?:\A|\n|: |[.!?,\"'] ?|\b(?i:hi|hello|hey|hiya|morning|alright|mate|all) )(?P<name>[A-Za-z][a-z'-]{2,20}) \Z"
)
_HERE_FROM: Final = lazy_regex(r" (?:from|at|again|calling|ringing)\b|[,.!]? (?:just|only) (?:ringing|calling)\b")
_BESIDE: Final = 3  # characters between who is greeted and who says it
_GREETINGS: Final = words_in(
    "hi hiya hello hey hallo hola ciao oi ola allo coucou salut hoi moin morning alright yo servus bonjour bongiorno"
)
_SPEAKING: Final = words_in("speaking talking through hier here")
INTRODUCED_GATE: Final = WithWords(lambda: _GREETINGS | _SPEAKING)


def find_introduced(text: str) -> Iterator[Found]:
    """Yield who says to others who it is, whatever word the name is: dusty here from the shop, hi it's Norm."""
    for start, end in places_of(text, _GREETINGS | _SPEAKING):
        low = text[start:end].lower()
        if low == "here":
            named = _HERE.search(text, max(0, start - 40), start) if _HERE_FROM.match(text, end) else None
        else:
            named = (_GREETED if low in _GREETINGS else _SPOKEN_TO).match(text, end)
        if named is None:
            continue
        group = "name" if named["name"] else "other"
        language = next((key for key in LANGUAGES if key in named.groupdict() and named[key]), "en")
        if _can_speak(text, named[group].lower(), named.end(group), language, strong=low in ("here", *_GREETINGS)):
            yield Found(*named.span(group), "person", 0.6, "cue")
            to = named["to"] if low in _GREETINGS and named["to"] else ""
            greeted = to and named.start("says") - named.end("to") < _BESIDE
            if greeted and _can_speak(text, to.lower(), named.end("to"), language, strong=False):
                yield Found(*named.span("to"), "person", 0.6, "cue")


def _can_speak(text: str, low: str, end: int, language: str, *, strong: bool) -> bool:
    """Return whether somebody may say that this is the name; ``strong``: words beside it leave little else."""
    marks = lists().words.get(low, 0)
    other = low in known.FUNCTION_WORDS or low in known.chat_words() or low in known.RELATIONS or low in known.TITLES
    if other or is_role(low) or marks & Marks.OTHER or is_day_or_month(low):
        return False
    if marks & Marks.GIVEN or not (is_plain_form(low) or _is_ordinary(low, language)):
        return True
    plain = low in known.ADJECTIVES or is_thing(low) if language == "en" else low in ordinary_words("nl")
    return strong and not plain and _SPEAKS_ON.match(text, end) is not None


_SPEAKS_ON: Final = lazy_regex(
    r" (?:here|from|at|calling|ringing|speaking)\b|,"
    r"|[.!]? (?:du|ich|je|el|il|o|ik|no|en|do|da|del|della|von|vom|van|de)\b"
)
_AT_HOUSE: Final = lazy_regex(r"(?:del|d[aio]|du|des|della|de la) [A-Z]{3,}(?![A-Za-z])")
_INSIDE: Final = frozenset("0123456789_@/.\\$#")
_NAME_LABELS: Final = words_in(
    """name names nom prenom nome nombre naam vorname nachname forename forenames surname known alias nickname cognome
    apellido apellidos apelido achternaam voornaam imie nazwisko jmeno prijmeni navn namn fornavn etternavn"""
)
"""Labels of nothing but names."""
_NOT_ONLY_PERSONS: Final = words_in("triage signature contact host operator worker")
"""Labels behind which words stand too, as behind those in -ed: Triage: Green."""
_WHOLE_VALUE: Final = lazy_regex(r"[A-Z][a-z]+(?=[ \t]*(?:\n|\Z|[;(|<]|[ ]{2}|, [A-Z]))")
_MARKS_OF_WORD: Final = int(Marks.COMMON | Marks.SMALL)
_PLAIN: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_EARLIER: Final = lazy_regex(r"([A-Za-z]{1,40})[ -]\Z")


def _announced(
    text: str, start: int, end: int, cue: Cue, language: str, behind: re.Match[str] | None
) -> Iterator[Found]:
    if cue is _KIN_CUE and text.rfind(", ", max(0, start - _NEAR), start) >= 0:
        yield from _named_before_kin(text, start, language)
    if cue is _BIRTH_CUE and text[start].islower():
        yield from _named_before_birth(text, start, language)
        behind = None if text[start:end].lower() in _ONLY_BEHIND else behind
    if behind is None or cue.before.search(text, max(0, start - _BACK), start) is None:
        return
    low = text[start:end].lower()
    if cue is _ROLE_CUE and language == "en" and end - start < _SHORTEST_ROLE and not text[start:end].isupper():
        return  # di Marco, but DI Marco
    if cue is _ROLE_CUE and text[start:end].isupper() and text[behind.end() : behind.end() + 2].isupper():
        return  # LETTERA DI DIMISSIONE
    if cue is _ROLE_CUE and (_AT_HOUSE.match(text, behind.end()) or _is_word_here(text, start, low, language)):
        return  # la enfermera del HUCA
    if language != "en" and low in _ENGLISH_TOO and not (_amid_others(text, start) or low in _NAME_LABELS):
        return
    silent = cue in (_CLOSING_CUE, _GREETING_CUE, _ROLE_CUE) and language != "en" and text[start].isupper()
    if silent and not lists().words.get(low, 0) & _NAMES:
        yield Found(start, end, ORDINARY, 0.0)  # Groet, Merhaba, Herr Kollege
        silent = False
    at = behind.end()
    stop = _announced_end(text, start, end, at, cue, language)
    ends = cue is not _APPOSED_CUE or _ENDS_APPOSED.match(text, stop)
    if not stop or not ends or (cue in (_ROLE_CUE, _SHORT_CUE) and _is_word_of_page(text, at, stop, language)):
        return
    if cue is _LABEL_CUE and (number := _NUMBER.match(text, end)):
        yield Found(number.start("number"), number.end(), "numbering", 0.7, "sequence")
    stays = text[start].isupper() and low not in known.TITLES
    silent = silent or (stays and (cue is _SHORT_CUE or (low in _CALLED_KIN and cue is _KIN_CUE)))
    if cue is _LABEL_CUE or silent or (cue is _CLOSING_CUE and language == "en"):
        yield Found(start, end, ORDINARY, 0.0)
    for _ in range(_MOST_LISTED):
        elided = 2 * (cue is _KIN_CUE and text.startswith("d'", at))  # l'épouse d'Isabeau Lagardère
        yield Found(at + elided, stop, "person", cue.score, cue.why)
        joint = _AND.match(text, stop) if cue in (_KIN_CUE, _LABEL_CUE, _GREETING_CUE) else None
        if joint is None or (joint["and"] == "en" and language not in ("nl", "en")):
            return  # in Spanish and French, "en" is where somebody lives
        following = _listed_end(text, joint.end(), language, cue)
        if not following:
            return
        at, stop = joint.end(), following


def _listed_end(text: str, at: int, language: str, cue: Cue) -> int:
    """Return where a name ends that stands behind another; 0 for none: her husband Sam (70), COPD."""
    end = _name_end(text, at, language, cue)
    return 0 if text[at:end].isupper() and not lists().words.get(text[at:end].lower(), 0) & _NAMES else end


def _announced_end(text: str, start: int, end: int, at: int, cue: Cue, language: str) -> int:
    """Return where the name at ``at`` ends that the word from ``start`` to ``end`` announces; 0 if none does."""
    low = text[start:end].lower()
    if text[at].islower() and cue in (_CALLED_CUE, _APPOSED_CUE):
        return _small_end(text, at)
    near = cue is _KIN_CUE and language == "en" and text[end:at] in _RIGHT_BESIDE
    owned = near and _POSSESSIVE.search(text, max(0, start - 8), start) is not None
    if text[at].islower() and near:
        stop = _small_end(text, at, related=owned)
        fits = owned and _FOLLOWS_NAME.match(text, stop)
        return 0 if not fits or _VERB_ENDING.search(text, at, stop) else stop
    of_kin = cue is _KIN_CUE and low in _CALLED_KIN and text[end:at] == " "
    if of_kin and text[start].islower() and text[at].islower() and is_small(text):
        word = _SMALL_NAME.match(text, at)
        return word.end() if word and _can_be_called(word[0], {language, language_of(text)}) else 0
    aside = cue is _KIN_CUE and text[start].islower() and text[at - 2 : at] == ", "
    small = aside or (cue is _KIN_CUE and language != "en")
    person = language == "en" and low not in _NOT_ONLY_PERSONS and (not low.endswith("ed") or " by" in text[end:at])
    sure = cue is _LABEL_CUE and (
        low in _NAME_LABELS
        or (person and _WHOLE_VALUE.match(text, at) is not None)
        or (low not in known.written("en")["labels"] and _shouts_name(text, at))
    )
    stop = _name_end(text, at, language, cue, small=small, sure=sure)
    if cue is _LABEL_CUE and stop and not _SIGN.search(text, end, at):
        return stop if _is_form(text, start, at, stop) else 0
    related = owned or (of_kin and text[start].isupper())
    if not stop and (related or cue is _CALLED_CUE):
        called = _AFTER_KIN.match(text, at)
        name = called["name"].lower() if called else "the"
        other = name in known.FUNCTION_WORDS or (owned and (_is_other(name) or is_day_or_month(name)))
        return called.end("name") if called and not other else 0
    return stop


def _is_form(text: str, label: int, value: int, stop: int) -> bool:
    """Return whether a value stands below or above another one, in a form of two columns; a single word is listed."""
    if " " not in text[value:stop] and not lists().words.get(text[value:stop].lower(), 0) & _NAMES:
        return False  # Name   Stadt: heads of columns
    line = text.rfind("\n", 0, label) + 1
    above, below = text.rfind("\n", 0, max(0, line - 1)) + 1, text.find("\n", value) + 1
    rows = (_GAP.match(text, start) for start in (above, below) if start != line and start)
    return any(row is not None and row.end() - row.start() == value - line for row in rows)


_SIGN: Final = lazy_regex("[:=]")
_GAP: Final = lazy_regex(r"[^\W\d_](?:[^\n\t ]| (?! )){1,30}(?: {2,40}|\t{1,4})(?=\S)")


_ENGLISH_TOO: Final = words_in(
    """cousin far faster femme isa make man mere mor nicht partner prima zone client don doctor inspector maestro
    meester mm patient professor minister arch cap des dip doc eng ing med pr rag sen ver wed arts contact nom
    nome rapporteur specialist titular tutor cordial respect vous gentile caro toi ad fam rector rev hon col gen
    maj insp comm ds sour kind past"""
)
"""Words of English that announce a person in another language: there, a word of that language stands before them."""


def _amid_others(text: str, start: int) -> bool:
    """Return whether the word before is none of English, so that an English word may be a title: dal rag. Bruni."""
    earlier = _EARLIER.search(text, max(0, start - 24), start)
    low = "" if earlier is None else earlier[1].lower()
    return bool(low) and not lists().words.get(low, 0) & Marks.COMMON and low not in known.FUNCTION_WORDS


def _name_end(text: str, at: int, language: str, cue: Cue, *, small: bool = False, sure: bool = False) -> int:
    """Return where the name ends that begins here; 0 if none does.

    ``small``: it may be an ordinary word; ``sure``: a label says that a name stands here.
    """
    match = _NAME.match(text, at)
    if match is None:
        return 0
    bare = cue in (_KIN_CUE, _ROLE_CUE, _SHORT_CUE, _APPOSED_CUE, _BIRTH_CUE)
    parts = [part for part in _WORD.finditer(text, at, match.end()) if part[0][0].isupper() and len(part[0]) > 1]
    lows = [part[0].lower().removesuffix("'s") for part in parts]
    if lows and label_words().issuperset(lows):
        return 0  # Hasta Adi Soyadi: a label goes on
    marks = [lists().words.get(low, 0) or _of_parts(low) for low in lows]
    end = count = 0
    for number, (part, low, mark) in enumerate(zip(parts, lows, marks, strict=True)):
        is_title = text.startswith(".", part.end()) and _TITLE.match(text, part.start()) is not None
        honor = number > 0 and (is_title or (low in HONORS and part[0].isupper()))
        if honor or is_camel(part[0]) or low in known.FUNCTION_WORDS or mark & Marks.OTHER or _names_none(low):
            break
        last = number > 1 and cue is _LABEL_CUE and _ENDS_CELL.match(text, match.end()) is not None
        if not mark & _NAMES and (mark & _PLAIN or _is_ordinary(low, language)):
            following = lows[number + 1] if number + 1 < len(lows) else ""
            rare = not (mark & _PLAIN or not following or _is_english(following) or _is_ordinary(following, language))
            if number == 0 and (bare or cue is _CLOSING_CUE) and not mark & _PLAIN and not _NOUN_ENDING.search(low):
                pass  # Groet, Marjolein: listed among the words of Dutch
            elif number == 0 and bare and (small or language != "en") and not _NOUN_ENDING.search(low):
                pass  # Kollege Ruprecht, her niece, Saffron,
            elif (number == 0 and not rare) or (
                number and not (number == 1 and len(parts) == 2 and marks[0] & Marks.GIVEN) and not last
            ):
                break
        if cue is _LABEL_CUE and not mark & _NAMES and is_plain_form(low) and not last:
            break
        end, count = part.start() + len(low), number + 1
    if not end or (not bare and not _fits(text, end, cue, marks[:count], parts, sure=sure or text[at + 1] == ".")):
        return 0
    if (form := FORM.search(text, end, match.end() + 12)) and _CAPITALS.fullmatch(text, end, form.start()):
        end = match.start() + len(_LINK.split(text[match.start() : end], 1)[0])  # Frau Matthiesen von der Deichbau GmbH
    if count == 1 and not bare and marks[0] & Marks.KNOWN_PLACE and not marks[0] & Marks.GIVEN:
        return 0
    if cue is _LABEL_CUE and count < 4 and (turned := _GIVEN_BEHIND.match(text, end)):
        low = turned["given"].lower()
        if not (is_plain_form(low) or _OF_MEDICINE.search(low)) or lists().words.get(low, 0) & Marks.GIVEN:
            return turned.end("given")
    return end


def _is_ordinary(low: str, language: str) -> bool:
    return language in LANGUAGES and low in ordinary_words(language)


def _can_be_called(low: str, languages: set[str]) -> bool:
    """Return whether a word in small letters beside a relative can be that one's name: zio peppe."""
    others = languages.intersection(LANGUAGES)
    plain = any(low in frequent_words(language) or low in known.cues(language).function for language in others)
    english = not others and is_plain_form(low) and not lists().words.get(low, 0) & Marks.GIVEN
    return not (plain or english or low in known.FUNCTION_WORDS or low in known.chat_words())


def _is_word_here(text: str, start: int, low: str, language: str) -> bool:
    """Return whether a role of another language is a word of the document's: rechter, a judge in Dutch."""
    here = language_of(text) if text[start].islower() else language
    return here != language and _is_ordinary(low, here)


def _is_word_of_page(text: str, at: int, stop: int, language: str) -> bool:
    """Return whether an ordinary word of the page stands behind a title of another, or in a label: Enf. Chefe:."""
    page = language_of(text)
    return (page != language or text[stop : stop + 1] == ":") and names_nobody(text[at:stop], page)


def _names_none(low: str) -> bool:
    if any(cue is _ROLE_CUE for cue, _ in _cues().get(low, ())):
        return not lists().words.get(low, 0) & _NAMES  # Herr Kollege, but Herr Richter
    return low in known.TITLES or low in known.INSTITUTIONS or low in known.COMPANY_ENDS


_CAPITALS: Final = lazy_regex("(?: [A-Z][A-Za-z-]{1,40}){0,4}")
_ENDS_CELL: Final = lazy_regex(r"[ \t]{0,20}(?:\n|\Z)|[ ]{2}")
_NUMBER: Final = lazy_regex(r" (?P<number>[0-9]{1,2})(?= ?[:=.(])")
_LINK: Final = lazy_regex(" (?:von|van|de|del|della|di|da|do) ")
_SMALL_NAME: Final = lazy_regex(r"[a-z]{3,20}(?![A-Za-z0-9_@.-])")


_POSSESSIVE: Final = lazy_regex(r"\b(?:my|his|her|our|their|your) \Z")
_VERB_ENDING: Final = lazy_regex("(?:ed|ing|ly)\\Z")


def _named_before_kin(text: str, kin: int, language: str) -> Iterator[Found]:
    """Yield the name before a relative: Orla Fenn, his sister."""
    named = _KIN_BEHIND.search(text, max(0, kin - _BACK), kin)
    if named is not None and _name_end(text, named.start("name"), language, _KIN_CUE) == named.end("name"):
        yield Found(*named.span("name"), "person", 0.6, "cue")


def _named_before_birth(text: str, birth: int, language: str) -> Iterator[Found]:
    """Yield the name before a word for birth: Marguerite, née en 1838; no ordinary word that is none."""
    named = _BORN_BEHIND.search(text, max(0, birth - _BACK), birth)
    if named is not None:
        first = named["name"].split(" ", 1)[0].lower()
        marks = lists().words.get(first, 0)
        listed = marks & Marks.GIVEN or not (marks & _PLAIN or _is_ordinary(first, language))
        if listed and _name_end(text, named.start("name"), language, _KIN_CUE) == named.end("name"):
            yield Found(*named.span("name"), "person", 0.6, "cue")


def _small_end(text: str, at: int, *, related: bool = False) -> int:
    """Return the end of a name in small letters that is no ordinary word: a girl called tash.

    ``related``: it is right beside whose relative somebody is, and may be a word that is rare or a name: my son buzz.
    """
    word = _SMALL_NAME.match(text, at)
    if word is None or word[0] in known.FUNCTION_WORDS:
        return 0
    marks = lists().words.get(word[0], 0)
    rare = related and (marks & Marks.GIVEN or marks == Marks.SMALL) and word[0] not in known.chat_words()
    return word.end() if rare or not is_plain_form(word[0]) else 0


def _is_other(low: str) -> bool:
    return bool(lists().words.get(low, 0) & (Marks.OTHER | Marks.KNOWN_PLACE)) or low in known.RELATIONS


_RIGHT_BESIDE: Final = (" ", "-in-law ", " in law ")


def _is_english(word: str) -> bool:
    return bool(lists().words.get(word, 0) & _MARKS_OF_WORD) or word in known.FUNCTION_WORDS


_NOUN_ENDING: Final = lazy_regex(
    "(?:ung|heit|keit|schaft|tion|nahme|tat|ismus|zione|cion|cao|heid|ing|tie|ment|age)s?$"
)
_OF_MEDICINE: Final = lazy_regex(r"(?:ology|iatry|iatrics|etrics|surgery|therapy|medicine)\Z")
_GIVEN_BEHIND: Final = lazy_regex(
    r", (?P<given>[A-Z][a-z]+(?:['-][A-Za-z]+)*)(?: [A-Z]\.?)?(?=[ \t]*(?:\Z|[\n;(\[<|]|[ \t]{2}))"
)


def _fits(text: str, end: int, cue: Cue, marked: list[int], parts: list[re.Match[str]], *, sure: bool) -> bool:
    """Return whether what stands behind a name fits a label's value, a line of its own, or a greeting."""
    if cue is _CLOSING_CUE:
        return len(marked) == len(parts) and _ENDS_LINE.match(text, end) is not None
    if cue is _GREETING_CUE:
        return _ENDS_GREETING.match(text, end) is not None
    if len(marked) > 1:
        return True
    written = text[parts[0].start() : parts[0].end()]
    if written.isupper() and not (marked[0] & _NAMES or (sure and len(written) > 3)):
        return False
    plain = is_plain_word(written.lower()) and not (sure and marked[0] & _NAMES)
    return _ENDS_VALUE.match(text, end) is not None and not plain


def _shouts_name(text: str, at: int) -> bool:
    """Return whether a long word in capitals is one of no language, nor made of two: Firmado: ZUBIAURRENA."""
    word = _WORD.match(text, at)
    low = "" if word is None or not word[0].isupper() else word[0].lower()
    if len(low) < _LONG or lists().words.get(low, 0) or low in known.letters() or low in known.public_bodies():
        return False
    if any(low in ordinary_words(language) or low in small_words(language) for language in LANGUAGES):
        return False
    return not any(is_compound(low, ordinary_words(language)) for language in ("de", "nl"))


_LONG: Final = 6


def _of_parts(low: str) -> int:
    """Return the marks of a name with a hyphen: those of its parts, but for ordinary words."""
    if "-" not in low:
        return 0
    marks = [lists().words.get(part, 0) for part in low.split("-")]
    return (marks[0] | marks[-1]) & ~_PLAIN if any(mark & _NAMES or not mark for mark in marks) else marks[-1]
