"""Ages: in digits and words, by a unit, a word before them, or where they stand; in English and other languages."""

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, near, near_places
from textveil.detection.gates import at_digits, either, holding, joined_words, places_of, with_words
from textveil.detection.lists import Marks, lists
from textveil.detection.units import BELOW_HUNDRED, spelled_before
from textveil.text.patterns import lazy_regex, matches

_IN_MONTH: Final = (
    "(?:[12][0-9]{3}|January|February|March|April|May|June|July|August|September|October|November|December)"
)
_NUMBER: Final = r"(?:1[0-4][0-9]|[1-9]?[0-9])"
_UNIT: Final = r"(?:years?|yrs?|yr|months?|mos?|weeks?|wks?|days?)"
_OLD: Final = lazy_regex(
    rf"(?<![\w.,$\xa4/-])(?P<age>{_NUMBER}(?:\.[0-9]|[ -][1-9]/[1-9])?|(?i:{BELOW_HUNDRED})(?: and (?:a )?half)?)"
    rf"(?:[ -]?{_UNIT}[ -](?:and (?:a )?half )?(?:olds?\b|of age\b)|[ -]?(?:y\.?/?o\.?|yo)(?:[ -]?[mfMF])?(?!\w))"
)
_TO_TURN: Final = (
    r"(?<!\ba )(?<!\b(?:in|at|on|of|by) )(?<!\b(?:the|per|one|for|and) )(?<!\b(?:each|this|that|next|last|from|your) )"
    r"(?<!\b(?:every|first|after|since|until) )turn"
)
"""The verb, as in "will turn 30"; not the noun, as in "Turn 0:" or "in turn 3"."""
_AGED: Final = lazy_regex(
    rf"(?<![A-Za-z])(?:[Aa]ged?(?:s| of| is|:)?|AGED?:?|[Aa]t (?:the )?age(?: of)?|[Tt]urn(?:ed|s|ing)|{_TO_TURN}"
    r"|[Ww]hen (?:he|she|I) was|(?:I am|I'm|she is|he is|she's|he's|She is|He is|She's|He's)"
    rf"(?: only| just| about| around)?)"
    rf" (?P<age>(?>{_NUMBER}|(?i:{BELOW_HUNDRED})))(?![\w%]|[.,:/-][0-9]| ?(?:percent|feet|miles|pounds|kg|cm|lbs?"
    rf"|hours?"
    rf"|minutes?|days?|weeks?|months?|inches|foot|and a half|of (?:the|them|my|our)|more|times|in\b(?! {_IN_MONTH})))"
)
_KIN: Final = (
    "sons?|daughters?|mother|father|mum|mom|dad|wife|husband|brother|sister|uncle|aunt|grandmother|grandfather|granny"
    "|grandson|granddaughter|boy|girl|man|woman|patient|child|twins?|cousin|niece|nephew|partner|neighbou?r|friend"
)
_TWO_DIGITS: Final = r"(?:1[0-4][0-9]|[1-9][0-9]|(?i:(?!(?:one|two|three|four|five|six|seven|eight|nine)\b)(?:{0})))"
_SAID: Final = lazy_regex(
    rf"(?<![A-Za-z])(?:(?:[Hh]e|[Ss]he|who|(?i:{_KIN}))(?: [A-Z][a-z]{{1,14}}| \xb7{{2,24}})? (?:is|was|turned"
    rf"|turns|will be)|who(?: had| has)? turned)"
    rf" (?:only |just |about |nearly |almost |now |already )?(?P<age>(?>{_TWO_DIGITS.format(BELOW_HUNDRED)}))"
    r"(?=[,.;)]|\Z|\n| (?:at|when|that|last|this|next|today|now)\b"
    rf"| in {_IN_MONTH}\b"
    r"| and (?:a|an|the|his|her|lives?|works?|has|still)\b)(?![.,][0-9])"
    rf"|\b[Aa]t (?P<half>(?i:{BELOW_HUNDRED}) and a half),"
)
"""Words that are said of a person and of nothing else: she was nineteen at her wedding."""
_SMALL_UNIT: Final = lazy_regex(r"[ -]?(?:months?|mos?|weeks?|wks?|days?)\b")
_AGED_SMALL: Final = lazy_regex(
    rf"(?<![A-Za-z])(?:[Aa]ged|[Aa]ge:|[Aa]ge of|[Aa]t age) (?P<age>(?:{_NUMBER}|(?i:{BELOW_HUNDRED}))"
    r" (?:months?|mos?|weeks?|wks?|days?))\b"
)
_OLD_WORD: Final = lazy_regex(r"old(?![a-rt-z])|of age|y\.?/?o(?![a-z])", holds=("old", "of age", "yo", "y.", "y/"))
_AGED_WORD: Final = lazy_regex(
    r"[AaTtHhI](?:(?<=[Aa])ged?(?: of| is|:)?|(?<=A)GED?:?|(?<=[Tt])urn(?:ed|s|ing)?|(?<=h)en (?:he|she|I) was"
    r"|(?:(?<=I)(?: am|'m)|(?<=[Hh])e(?: is|'s))(?: only| just| about| around)?)"
    rf" (?=[0-9]|(?i:{BELOW_HUNDRED}))"
)
"""Words that announce an age, up to the number."""
_AGE_DECADE: Final = lazy_regex(
    r"[Ii](?<![A-Za-z].)n (?:his|her|their|my|your|our) (?:early |mid[ -]?|late )?"
    r"(?P<age>[1-9]0|(?:twen|thir|for|fif|six|seven|eigh|nine)ties)(?=s?\b|'s)"
)
AGED_GATE: Final = either(
    with_words("age aged ages turn turned turns turning"),
    holding("I am ", "I'm ", "e is ", "e's ", "hen he was ", "hen she was ", "hen I was "),
)
_AFTER_NAME: Final = lazy_regex(
    r"[1-9](?:(?<=[a-z], .)[0-9](?=, (?:MRN|DOB|SSN|ID|NHS)\b|, (?![A-Z0-9]))|(?<=[a-z] \(.)[0-9](?=\)|, [A-Z]{2,4}\b))"
)
_HEADS_LINE: Final = lazy_regex(
    r"(?<![^\n])[ \t>*-]{0,8}(?P<name>[A-Z][a-z]{2,14})(?: [A-Z][a-z'-]{1,20})?, (?P<age>[1-9][0-9])(?=, [A-Z]| ?[\n|])"
)
"""An age that people give of themselves at the head of a line: Marcus, 34, Leith."""
_CODE: Final = lazy_regex(r"[1-9](?<![\w.,/-].)[0-9](?=[ -]?[MF](?![\w.'/-]))")
DECADE_GATE: Final = either(at_digits("(?<![0-9])[1-9]0(?![0-9])"), holding("ties"))
AFTER_NAME_GATE: Final = at_digits(r"[a-z](?:, | \()[1-9][0-9](?:, |\)| ?[\n|])")
CODE_GATE: Final = at_digits("[1-9][0-9][ -]?[MF]")


def find_ages(text: str) -> Iterator[Found]:
    """Ages such as 42 years old, 42-year-old, 42 yo, forty-two years old; with a unit that is no year (6 weeks)."""
    for match in near(_OLD, text, _OLD_WORD, 50, 8):
        unit = _SMALL_UNIT.match(text, match.end("age"))
        yield Found(match.start("age"), unit.end() if unit else match.end("age"), "age", 0.9)


def find_ages_after_words(text: str) -> Iterator[Found]:
    """Ages that a word before them tells: aged, age, turned, I am."""
    places = [match.span() for match in matches(_AGED_WORD, text)]
    yield from _found(near_places(_AGED, text, places, 10, 60), 0.7)
    yield from _found(near_places(_AGED_SMALL, text, places, 10, 60), 0.8)


def find_said_ages(text: str) -> Iterator[Found]:
    """Ages that are said of somebody: her son was thirty-two in May, who is ninety-four."""
    reached = 0
    for start, _ in places_of(text, _BEGINS_SAYING):
        match = _SAID.match(text, start) if start >= reached else None
        if match is not None:
            reached = match.end()
            yield Found(*match.span(match.lastgroup or 0), "age", 0.7)


def find_ages_of_languages(text: str) -> Iterator[Found]:
    """Ages in other languages, with their unit: tiene 85 anos, quatre-vingt-deux ans, 88-jahrige, ma 85 lat."""
    for unit in matches(_YEARS_OF_LANGUAGE, text):
        gap = unit.start() - (text[unit.start() - 1 : unit.start()] in (" ", "-"))
        digits = _DIGITS_BEFORE.search(text, max(0, gap - 4), gap)
        start = digits.start() if digits else spelled_before(text, gap) if gap < unit.start() else gap
        if start == gap:
            behind = _DIGITS_BEHIND.match(text, unit.end())
            if behind is not None and _FIRST.search(text, max(0, unit.start() - 4), unit.start()):
                yield Found(*behind.span("age"), "age", 0.8)
            continue
        glued, few = "rig" in unit[0].lower(), gap - start == 1
        before = text[max(0, start - 32) : start]
        verb = {"anni": "ha ", "ans": "" if few else " a "}.get(unit[0].lower())
        has = _HAS.search(before) or (verb and before.lower().endswith(verb)) or _OLD_BEHIND.match(text, unit.end())
        apposed = _ENDS.match(text, unit.end()) and (_APPOSED.search(before) if not few else _bracketed(before))
        born = not few and _BORN.search(text, max(0, start - 56), start) and _ENDS_BORN.match(text, unit.end())
        of_somebody = born or (not few and _COVERED.search(before) is not None)
        if glued or has or apposed or of_somebody:
            yield Found(start, gap if glued else unit.end(), "age", 0.8)
    yield from _found(matches(_BORN_AND_AGED, text), 0.9)


def find_decades_of_age(text: str) -> Iterator[Found]:
    """Yield the number in "in her 40s"."""
    yield from _found(matches(_AGE_DECADE, text), 0.8)


def find_ages_after_names(text: str) -> Iterator[Found]:
    """Yield the number in "Maria, 42, said", and in "42F"."""
    yield from _found(matches(_AFTER_NAME, text), 0.6)
    for match in matches(_HEADS_LINE, text):
        if lists().words.get(match["name"].lower(), 0) & Marks.GIVEN:
            yield Found(*match.span("age"), "age", 0.6)


def find_coded_ages(text: str) -> Iterator[Found]:
    """Yield the number in "42F"."""
    yield from _found(matches(_CODE, text), 0.5)


def _found(matches: Iterator[re.Match[str]], score: float) -> Iterator[Found]:
    yield from (Found(*match.span(match.lastgroup or 0), "age", score) for match in matches)


_UNITS: Final = "anos|ano|ans|anni|jaar|jahren?|lat|lata|ar"
_YEARS_OF_LANGUAGE: Final = lazy_regex(rf"(?<![A-Za-z])(?i:{_UNITS}|jahrige[rsnm]?|jarigen?)(?![A-Za-z])")
_DIGITS_BEFORE: Final = lazy_regex(r"(?<![\w.,$\xa4/-])(?:1[0-4][0-9]|[1-9]?[0-9])\Z")
_OLD_BEHIND: Final = lazy_regex(r" (?:alte?[rsnm]?|oud|d'age|de edad|d'eta|de idade|gammal|gamle?)\b")
_HAS: Final = lazy_regex(
    r"\b(?i:ten(?:go|ia|ian|ho)|tiene|cumpl\w{1,5}|edad(?: de)?:?|a los|ai|aura|avait|eu|fete(?:ra)?|agee?(?:"
    r" de)?:?|a l'age de"
    r"|aveva|compi\w{1,4}|compiuto|all'eta di|eta:?|tem|tinha|faz|fez|complet\w{1,3}|idade:?|aos"
    r"|ist|war|bin|wird|wurde|alter:?|im alter von|is|was|ben|wordt|werd|leeftijd:?"
    r"|ma|mam|mial[ao]?|skonczyl[ao]?|w wieku|wiek:?|(?:pere|mere|fils|fille|frere|soeur|mari|femme|il|elle|qui"
    r"|grand-mere|grand-pere|epoux|epouse) a"
    r"|(?:patiente?s?|pa[cz]iente|femme|homme|dame|monsieur|fille|garcon|enfant|mujer|hombre|varon|nin[oa]|senora?"
    r"|joven|ancian[oa]|eleve|alunn[oa]|alumn[oa]|alun[oa]|leerling|suspecte?"
    r"|donna|uomo|signora?|ragazz[oa]|bambin[oa]|mulher|homem|menin[oa]|idos[oa]|hij[oa]|fils|filh[oa]|figli[oa]"
    r"|sohn|tochter"
    r"|frau|mann|vrouw|man|jongen|meisje|kobieta|mezczyzna|pacjent(?:ka)?) (?:de|di|d'|com|con|von|van|mit|met|w"
    r" wieku))"
    r"(?: (?:ya|deja|gia|ja|al|juz|schon|nu|im|em|en|in) ?(?:[A-Za-z]{3,10})?)? ?\Z"
)
"""Words before an age in seven languages: to have or to turn, or a person and "of"."""
_APPOSED: Final = lazy_regex(
    r"(?:[A-Z][a-z]{1,20}|\xb7{2,24}|(?i:opa|oma|abuel[oa]|nonn[oa]|avo|pere|mere|vater|mutter|padre|madre|pai|mae|moeder|vader"
    r"|patientin?|babcia|dziadek|suspecte?|sospettat[oa]|sospechos[oa]|suspeit[oa]|verdachte|podejrzan[ya]|victime|vittima"
    r"|victima|slachtoffer|ofiara|eleve|alunn[oa]|alumn[oa]|alun[oa]|leerling|uczen|uczennica"
    r"|conducteur|conducente|conductora?|condutora?|bestuurder|kierowca)|\b(?i:ne|nee|nato|nata|nacid[oa]|nascid[oa]|geb\.?"
    r"|geboren|ur\.|urodzon[ya])(?: (?:le|il|el|em|in|en|nel|op|am|a|w))? (?:\xb7{1,20}|[12][0-9]{3}))(?:, ?| ?\()"
    r"(?:de |d'|di )?\Z"
)
_IN_BRACKETS: Final = lazy_regex(r"(?P<name>[A-Z][a-z]{1,20}) \(\Z")


def _bracketed(before: str) -> bool:
    """Return whether a given name stands before what is in parentheses: Mia (7 ans)."""
    named = _IN_BRACKETS.search(before)
    return named is not None and lists().words.get(named["name"].lower(), 0) & Marks.GIVEN > 0


_BORN: Final = lazy_regex(
    r"(?i)(?<![A-Za-z])(?:geb(?:\.|oren)|nee? (?:le|en)|nat[oa] (?:il|nel|a)|nascid[oa] (?:a|em)|nacid[oa] (?:el|en)"
    r"|ur(?:\.|odzon[ya]) )[^\n]{0,40}?(?:, ?| ?\()\Z"
)
"""A birth before an age: geb. 17.08.1957 (66 Jahre), nata il 14/09/1938 a Vicenza, 85 anni."""
_BORN_AND_AGED: Final = lazy_regex(
    r"(?i)(?<![A-Za-z])(?:geb(?:\.|oren)|nee?|nat[oa]|nascid[oa]|nacid[oa]|ur(?:\.|odzon[ya])) (?:[a-z]{1,3} )?"
    r"(?:\xb7{1,24}|[12][0-9]{3})(?: (?:in|te|a|en|em|w) [a-z]{2,20})?"
    r"(?: \((?P<age>[1-9][0-9])(?: ?(?:j|jr|l)\.?)?\)|, (?P<short>[1-9][0-9]) jr?\.?(?![a-z]))"
)
"""A birth with an age that has no unit, or a short one: geb. 3.4.1957 (66); geboren 1957, 66 jr."""
_FIRST: Final = lazy_regex(r"(?:[,(] ?|\b[Dd][i'] ?)\Z")
_DIGITS_BEHIND: Final = lazy_regex(r" (?P<age>[1-9][0-9])(?=[,;.)]|\n|\Z)(?![.,][0-9])")
"""An age behind its unit: lat 69, di anni 67."""
_COVERED: Final = lazy_regex(r"\xb7,? (?:de|di|d'|com|con|von|van|mit|met) \Z")
"""Behind somebody, or a noun for a person, that an earlier search covered."""
_ENDS: Final = lazy_regex(r" ?[,)]")
_ENDS_BORN: Final = lazy_regex(r" ?[,.;)]|\n|\Z")
_SUBJECTS: Final = "he she who " + " ".join(
    f"{word.replace('?', '')} {re.sub('.[?]', '', word)}" for word in _KIN.split("|")
)
_BEGINS_SAYING: Final = joined_words(f"{_SUBJECTS} at")
SAID_GATE: Final = with_words(f"{_SUBJECTS} half")
LANGUAGE_GATE: Final = with_words(
    "anos ano ans anni jaar jahre jahren jarige jarigen jahrige jahriger jahriges jahrigen jahrigem lat lata ar geb"
    " geboren ne nee nato nata nascido nascida nacido nacida ur urodzony urodzona"
)
