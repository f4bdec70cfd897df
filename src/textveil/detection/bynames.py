"""Nicknames of persons, and names of animals, boats and caravans, in nine languages.

Such names are ordinary words as often as not. Only the words beside them tell: everyone calls him Spud; her father,
"Old Tam", died; a dog called Biscuit; Bateau : Korrigan.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from textveil.cuts import held_by
from textveil.detection import lists as known
from textveil.detection.dates import is_day_or_month
from textveil.detection.found import Found, words_in
from textveil.detection.gates import WithWords, both, either, holding, matching, places_of
from textveil.detection.lists import Marks, lists
from textveil.text.patterns import lazy_regex, matches

_THE: Final = r"(?:(?:[Tt]he|[Ii]l|[Ll][aeo]|[Ee]l|[OoAa]|[Dd](?:e[rnm]?|ie|as)|[Hh]et) )?"
_ONE: Final = r"[A-Z][a-z]{1,20}(?:['-][A-Za-z]{1,20}){0,2}"
_CALLED: Final = (
    rf" ?[\"']?{_THE}(?P<name>{_ONE}(?: (?:d[aeo] |del |della |z )?(?:{_ONE}|[A-Z]\b\.?)){{0,2}})(?![A-Za-z0-9_@])"
)
_QUOTED: Final = rf"[\"']{_THE}(?P<name>{_ONE}(?: {_ONE}){{0,2}})[\"']"

_VERBS: Final = "call calls called know knows knew"
_ALL: Final = lazy_regex(
    r"(?:^|[^a-z])(?:every(?:one|body)|people|friends|mates|famil(?:y|ies)|lads|girls|boys|kids|children"
    r"|grandkids|pals"
    r"|neighbours|neighbors|staff|they|we|all|who|she|he|wife|husband|mum|mam|dad|ma|brother|sister"
    r"|(?:wife|husband|mum|dad|brother|sister|daughter|son|gran|friend),? [A-Z][a-z]+|i|I|[Cc]an)"
    r",? (?:(?:all|just|always|still|only|usually|here|also|sometimes|both) ){0,2}\Z"
)
_HIM: Final = lazy_regex(rf" (?:him|her|them|me)(?: as| by the name| just| simply)?{_CALLED}")
_AS: Final = lazy_regex(
    rf"(?: (?:locally|fondly|affectionately|mostly|usually|simply|also|only|widely"
    rf"|(?:to|by|among|around|in|at) [a-z' ]{{2,30}}?)){{0,2}} (?:simply |just |only )?as{_CALLED}"
)
_PERSON_BEFORE: Final = lazy_regex(
    r"(?:(?P<last>[A-Z][a-z'-]+)(?:, | (?:is |was |who is |who was |better |best ))|, (?<=[0-9], )"
    r"|\b(?:man|woman|fella|guy|bloke|lad|lass|lady|neighbou?r|patient|[Pp]t|boy|girl|friend|mate|uncle|aunt|cousin"
    r"|brother|sister|father|mother|dad|mum|son|daughter|husband|wife|grandfather|grandmother|everybody"
    r"|everyone|him|her)"
    r"(?: [a-z]{1,10}){0,4},? )(?:(?:is|was|who is|who was|better|best|also|though|and|but|now|usually|locally"
    r"|everybody|everyone|people) ){0,2}\Z"
)
_BEHIND_ROLE: Final = lazy_regex(rf"(?:-in-law)?,? (?:is |was )?{_QUOTED}")
_TO_FRIENDS: Final = lazy_regex(
    r"(?<![A-Za-z0-9_'-])[\"']?(?P<name>[A-Z][a-z]{2,14})[\"']? to (?:(?:all )?(?:his|her|their|my|our|the) |every)\Z"
)
_FRIENDS: Final = "friends mates pals family brothers sisters grandkids colleagues neighbours neighbors one body"

_EPITHETS: Final = "big old young wee little fat mad auld baby daft tall ginger lazy grumpy"
_BEHIND_EPITHET: Final = lazy_regex(r" (?P<name>[A-Z][a-z]{2,14})(?=[.,;:!?)\n]|'s\b| [a-z(&]| {2}| [A-Z]\b|\Z)")
_NO_BEARER: Final = words_in("ben bailey boy lady glory")

_OTHER_CALLS: Final = (
    (
        "appelle appelait appellent appelaient surnomme surnomment surnommait surnommee",
        lazy_regex(
            r"(?:tout le monde|on|(?:ses|mes|nos|leurs|les) [a-z]{3,12}|qu'on|nous|je) (?:l'|le |la |les )?\Z"
            r"|(?:est|etait|,) \Z"
        ),
        lazy_regex(rf"(?: juste| toujours)?{_CALLED}"),
    ),
    ("chiamano chiamiamo chiamavano soprannominato soprannominata", None, lazy_regex(rf"(?: solo| sempre)?{_CALLED}")),
    (
        "llaman llamamos llamaban dicen decimos apodado apodada",
        lazy_regex(r"(?:todos|todo el mundo|que|le|lo|la|les|amigos|,) (?:le |lo |la |les )?\Z"),
        _CALLED_BEHIND := lazy_regex(_CALLED),
    ),
    (
        "chamam chama conhecem chamamos apelidado apelidada",
        lazy_regex(r"(?:todos|toda a gente|todo mundo|gente|amigos|lhe|,) (?:lhe |o |a )?\Z"),
        lazy_regex(rf"(?: de| por| como)?{_CALLED}"),
    ),
    ("vulgo zwany zwana zwanego zwanym przezwany", None, _CALLED_BEHIND),
    (
        "alias detto detta",
        None,
        lazy_regex(
            rf" (?:[\"']{_THE}|[Ii]l |[Ll][aeo] |[Ee]l |[Dd](?:er|ie) )"
            rf"(?P<name>{_ONE}(?: (?:d[aeo] )?{_ONE}){{0,2}})(?!\w)"
        ),
    ),
    ("nennt nennen nannten ruft rufen riefen", None, None),
    ("noemt noemen noemde noemden", None, None),
    (
        "wolaja mowia wolamy mowimy nazywaja",
        lazy_regex(r"(?:na niego|na nia|go|ja|wszyscy|koledzy|znajomi|my)(?: wszyscy)? \Z"),
        lazy_regex(rf"(?: na (?:niego|nia|mnie))?{_CALLED}"),
    ),
)
_ANSWERS_TO: Final = lazy_regex(rf" to(?: the name(?: of)?)?{_CALLED}")
_NAME_FIRST: Final = lazy_regex(
    r"(?:den|die|der|ihn|sie|hem|haar|dat) (?:alle|jeder|jede|man|wir|iedereen|we|wij|ze|(?:seine|ihre|meine"
    r"|zijn|haar"
    rf"|mijn) [A-Za-z]{{3,12}})(?: (?:nur|hier|immer|bloss|altijd|gewoon)){{0,2}} [\"']?{_THE}"
    rf"(?P<name>{_ONE}(?: {_ONE})?)[\"']? \Z"
)

_ANIMALS: Final = """dog cat puppy kitten pony horse mare hamster rabbit parrot budgie tortoise goldfish hound terrier
    labrador spaniel collie whippet greyhound donkey ferret pup moggy
    hund hundin katze kater pferd stute hase kaninchen wellensittich hengst wallach dackel
    chien chienne chat chatte chaton cheval jument lapin perroquet poney
    perro perra gato gata caballo yegua loro mascota perrito perrita gatito conejo
    cane cagnolino cagnolina gatto gatta gattino cavallo cavalla coniglio
    cao cadela gato gata cachorro cachorra cavalo egua coelho papagaio
    hond hondje poes kater kat paard konijn papegaai merrie
    pies piesek psa psem psu psie pieska pieskiem kot kota kotem kotu kotka kotke kotki kotek suczka suczke suczki klacz
    szczeniak
    hunden katten hast hasten kissa koira hevonen hesten"""
_CRAFT: Final = """boat barge narrowboat yacht dinghy ketch sloop trawler houseboat ship cruiser
    boot segelboot kutter schiff kahn jacht bateau voilier peniche chalutier barco velero lancha barca veliero gommone
    embarcacao veleiro lodz schip zeilboot"""
_IS_CALLED: Final = lazy_regex(
    r"(?: (?:of|de|di|d'|do|da|van|von|del|della)? ?(?:[A-Z][a-z]+|mine|ours|hers|his|theirs))?"
    r"(?:(?:,? (?:called|named|who is called|we called|nammens|namens|genannt|heist|heisst|hiess|heet|genaamd"
    r"|s'appelle"
    r"|se llama|llamad[oa]|si chiama|che si chiama|chiamat[oa]|se chama|chamad[oa]|nomme|nommee|appele"
    r"|appelee|wabi sie"
    r"|o imieniu|imieniem|som heter|heter|heder|nimeltaan))"
    r"|, (?:the |der |die |das |le |la |il |el |o |a |de )?|,? ?(?P<aside>\()(?:the )?| \"| (?:is|was|ist|war"
    r"|is|era|est) (?=the |[A-Z])"
    rf"(?:the )?)[ ]?[\"']?(?P<name>{_ONE}(?: (?:of the |of |the |and |& )?{_ONE}){{0,2}})(?=[\"')]|'s\b"
    rf"|[.,;:!?\n]| [a-z(&-]|\Z)"
)
_BESIDE: Final = lazy_regex(rf" (?P<name>{_ONE})(?=[.,;:!?)\n]|'s\b| [a-z(&]|\Z)")
_OURS: Final = lazy_regex(
    r"(?i:(?<![a-z])(?:my|our|his|her|their|your|'s|the|a|an|w|with|and|unsere?|meine?|seine?|ihre?|der|die"
    r"|dem|den|mon"
    r"|ma|mes|notre|son|sa|leur|le|la|l'|un|une|mi|su|nuestr[oa]|el|tu|il|mio|suo|nostr[oa]|o|a|meu|minha|seu"
    r"|sua|mijn"
    r"|onze|zijn|haar|de|het|hun|een|moj|moja|twoj|nasz|nasza|jego|jej|z|ze|i|avec|con|com|met|mit|min|var|vores|hans|hennes|deres)"
    r"(?: (?:late|old|little|new|big|deaf|beloved|rescue|first|alter|alte|kleiner|kleine|neue|vieux|petit|petite|oude"
    r"|kleine|nowy))?)[ ]?\Z"
)
_POSSESSED: Final = lazy_regex(r"[A-Za-z](?:'s|s'|n) \Z")
_PROPER: Final = words_in(
    "hund hundin katze kater pferd stute hase kaninchen hengst wallach dackel boot segelboot schiff kutter kahn jacht"
)
"""Nouns of German, which have a capital."""
_LABELS: Final = (
    _CRAFT
    + """ craft vessel pet dog cat horse pony tier hund pferd katze animal mascota perro barco bateau boot schip paard
    hond nickname byname mote apodo surnom alcunha apelido spitzname rufname kosename bijnaam roepnaam soprannome
    przezwisko ksywa smeknamn kaldenavn okanavn lempinimi"""
)
_LABEL: Final = lazy_regex(
    r"(?:'s)?(?: (?:[Nn]ame|Hund|Pferd|Tier|Katze|nom))?\"? ?[:=] {0,16}"
    rf"[\"']?{_THE}(?P<name>{_ONE}(?: (?:(?:of|the|d[aeoi]s?|del|du|des|d'|van|von|de la) ){{0,2}}(?:{_ONE}"
    rf"|[IVX]{{1,4}}\b)){{0,3}})[\"']?"
    r"(?=[ \t]{2}|[ \t]?(?:[\n,;|(]|\Z)|\. )"
)
_LINE: Final = lazy_regex(r"(?:\A|[\n|;>\t.]|[ ]{2})[ \t>*-]{0,8}(?:[A-Z][a-z']{1,14} )?\Z")
_NONE: Final = words_in(
    """yes no none unknown dog cat horse pony type size make model type small large brown black white rescue hund
    katze pferd chien chat perro gato cane gatto nein ja oui non si not vaccinated registered same other various
    labrador spaniel collie terrier poodle whippet greyhound beagle shetland connemara westerly"""
)
_NO_BYNAME: Final = (known.FUNCTION_WORDS | known.TITLES | known.INSTITUTIONS | _NONE) - {"father", "sister", "major"}
_BACK: Final = 60
_HERE: Final = "byname"


@cache
def _animals() -> frozenset[str]:
    return words_in(_ANIMALS)


@cache
def _craft() -> frozenset[str]:
    return words_in(_CRAFT)


@cache
def _calls() -> dict[str, int]:
    return {word: number for number, (words, _, _) in enumerate(_OTHER_CALLS) for word in words.split()}


@cache
def _roles() -> frozenset[str]:
    english = known.written("en")
    return frozenset(
        (*english["kin"], *english["known by"], *english["titles of roles"], *words_in("fella guy bloke lad"))
    )


@cache
def _telling() -> frozenset[str]:
    words = (*words_in(_VERBS), *words_in(_FRIENDS), *words_in(_LABELS), *words_in(_EPITHETS))
    return frozenset((*words, "known", "nicknamed", "answers")) | _animals() | _craft() | _calls().keys()


@cache
def _words() -> frozenset[str]:
    return _telling() | _roles()


BYNAME_GATE: Final = either(
    both(WithWords(_telling), matching('[a-z:"],? {0,8}[("\']?[A-Z]')),
    both(WithWords(_roles), holding(' "', " '")),
)


def find_bynames(text: str) -> Iterator[Found]:
    """Yield what persons, animals and boats are called, by start or not."""
    verbs, labels, friends = words_in(_VERBS), words_in(_LABELS), words_in(_FRIENDS)
    epithets = words_in(_EPITHETS)
    for start, end in places_of(text, _words()):
        low = text[start:end].lower()
        before = max(0, start - _BACK), start
        match = None
        named = _BEHIND_EPITHET.match(text, end) if low in epithets and text[start].isupper() else None
        if named is not None and _bears_epithet(named["name"].lower()):
            yield Found(start, named.end(), "person", 0.6, _HERE)
        if low in verbs and _ALL.search(text, *before):
            match = _HIM.match(text, end)
        elif low in ("nicknamed", "answers"):
            match = (_CALLED_BEHIND if low == "nicknamed" else _ANSWERS_TO).match(text, end)
        elif low == "known":
            match = _AS.match(text, end)
            match = match if match is not None and _is_of_person(text, match, *before) else None
        elif low in _calls():
            _, earlier, behind = _OTHER_CALLS[_calls()[low]]
            if behind is None:
                match = _NAME_FIRST.search(text, max(0, start - 90), start)
            elif earlier is None or earlier.search(text, *before):
                match = behind.match(text, end)
        elif low in friends:
            match = _TO_FRIENDS.search(text, max(0, start - 40), start)
        if match is None and low in _roles() and text[start].islower():
            match = _BEHIND_ROLE.match(text, end)
        if match is None and (low in _animals() or low in _craft()):
            match = _of_animal(text, start, end, low)
        if match is None and low in labels and _LINE.search(text, *before):
            match = _LABEL.match(text, end)
        if match is not None and _can_be_byname(match["name"]):
            yield Found(*match.span("name"), "person", 0.6, _HERE)


def _bears_epithet(low: str) -> bool:
    """Return whether a given name stands behind an epithet: Big Alan, Old Bill; not Little Hope, Old Windsor."""
    marks = lists().words.get(low, 0)
    return bool(marks & Marks.GIVEN) and not (marks & Marks.KNOWN_PLACE or low in known.NOUNS or low in _NO_BEARER)


def _is_of_person(text: str, match: "re.Match[str]", start: int, end: int) -> bool:
    """Return whether a person stands before "known as", or quotation marks around what follows."""
    if match[0].rstrip("\"'").endswith(match["name"]) and text[match.start("name") - 1] in "\"'":
        return True
    if (earlier := _PERSON_BEFORE.search(text, start, end)) is None or not earlier["last"]:
        return earlier is not None
    low = earlier["last"].lower()
    marks = 0 if low in known.FUNCTION_WORDS else lists().words.get(low, 0)
    return bool(marks & (Marks.GIVEN | Marks.FAMILY)) and not marks & (Marks.OTHER | Marks.KNOWN_PLACE)


def _of_animal(text: str, start: int, end: int, low: str) -> "re.Match[str] | None":
    """Return the name of an animal or a boat that somebody has."""
    if text[start].isupper() and low not in _PROPER and not text[start - 1 : start].isspace():
        return None
    owned = _OURS.search(text, max(0, start - 24), start) or _POSSESSED.search(text, max(0, start - 4), start)
    if owned is None:
        return None
    if (named := _IS_CALLED.match(text, end)) is not None and named["aside"] and low in _craft():
        return None  # a boat (Westerly): its make
    if named is None and low in _animals() and (text[start].islower() or low in _PROPER):
        named = _BESIDE.match(text, end)
    return named


def _can_be_byname(name: str) -> bool:
    lows = name.lower().split()
    if lows[0] in _NO_BYNAME and not (len(lows) > 1 and lows[0] in ("old", "big", "new")):
        return False
    marks = lists().words.get(lows[0], 0)
    return not (is_day_or_month(lows[0]) or (marks & Marks.OTHER and not marks & Marks.GIVEN))


def with_bynames(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return disjoint spans of a plain text, by start, with each other mention of a byname whole: Big Ron's van."""
    phrases: dict[str, set[str]] = {}
    for span in spans:
        if span.why == _HERE:
            phrase = text[span.start : span.end]
            of_word = phrases.setdefault(phrase.split(" ", 1)[0].split("-")[0].split("'")[0], set())
            if len(of_word) < _MOST_PHRASES:
                of_word.add(phrase)
    if not phrases:
        return list(spans)
    met: list[Found] = []
    names = {place for span in spans if span.kind in _NAME_KINDS for place in (span.start, span.end)}
    whole = {(span.start, span.end) for span in spans if span.kind == "person"}
    taken = bytearray(len(text))
    for span in spans:
        taken[span.start : span.end] = (b"\1" if span.kind in _NAME_KINDS else b"\2") * (span.end - span.start)
    for match in matches(_CAPITAL, text):
        start = match.start()
        for phrase in phrases.get(match[0], ()):
            end = start + len(phrase)
            if not text.startswith(phrase, start) or text[end : end + 1].isalnum() or 2 in taken[start:end]:
                continue
            cut = (taken[start] and start not in names) or (taken[end - 1] and end not in names)
            if not (cut or (start, end) in whole or (met and met[-1].end > start)):
                met.append(Found(start, end, "person", 0.6, "mention"))
    held = held_by(text, met)
    return sorted([*(span for span in spans if 1 not in held[span.start : span.end]), *met])


_CAPITAL: Final = lazy_regex(r"[A-Z](?<![A-Za-z0-9_@#'-].)[a-z]*+")
_NAME_KINDS: Final = frozenset(("person", "place", "organization"))
_MOST_PHRASES: Final = 4
