"""What singles a person out in English text: nationality, ethnicity, religion, occupation, family status and the like.

A listed word counts where the text says it of a person: "a Polish national", "he is Catholic", "works as a nurse",
"Occupation: glazier". "Turkish law", "in English" and "French fries" hold a listed word and no such evidence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from textveil.detection.found import Found, finding
from textveil.detection.gates import WithWords, either, holding, places_of, with_words
from textveil.text.patterns import lazy_regex, matches, search

_DATA: Final = Path(__file__).parent / "data"
FILE: Final = "demographics.txt"
OCCUPATIONS: Final = "occupations.txt"
OCCUPATION: Final = "occupation"
EITHER, ADJECTIVE, SINGULAR, PLURAL = "adjective or noun", "adjective", "noun", "plural"
"""How an entry is used; a word of the first form is both: a German lawyer, a German."""
_LETTERS: Final = lazy_regex(r"[A-Za-z]+")
_ONLY_FOUND: Final = "only found:"
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
    last_words: frozenset[bytes]  # those last words, as gates compare them
    modifiers: frozenset[str]  # words that may stand before an occupation and belong to it
    pools: Mapping[Form, tuple[str, ...]]  # what surrogates are drawn from, by form, sorted


@cache
def demographics() -> Demographics:
    """Return the embedded lists, read once."""
    forms: dict[Words, Form] = {}
    pools: dict[Form, set[str]] = {}
    occupations = _sections(OCCUPATIONS)
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
        frozenset(word.encode("ascii") for word in endings),
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
    for group, entries in _sections(FILE).items():
        drawn = True
        for entry in entries:
            if entry == _ONLY_FOUND:
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


def _sections(file: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    for line in (_DATA / file).read_text(encoding="ascii").splitlines():
        if line.startswith("["):
            entries = sections[line[1:-1]] = []
        elif line == _ONLY_FOUND:
            entries.append(line)
        elif line and not line.startswith("#"):
            entries += [entry for entry in map(str.strip, line.split(",")) if entry]
    return sections


KIND: Final = "demographic"


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SURE, _LIKELY, _GUESS = 0.8, 0.6, 0.3
_BACK: Final = 64
_AHEAD: Final = 40
_MODIFIERS: Final = 4

_LONGEST_WORD: Final = 20
_LAST_WORD: Final = lazy_regex(r"(?<![A-Za-z])([A-Za-z]{1,20}+)[ '-]\Z")

_KIN: Final = (
    "mother|father|mom|mum|dad|parents?|wife|husband|spouse|partner|fiancee?|son|daughter|brother|sister|uncle|aunt|boy"
    "|girl|man|woman|grandmother|grandfather|colleague|friend|neighbou?r|boyfriend|girlfriend|cousin|landlord"
)
_WHO: Final = (
    rf"\b(?:[Hh]e|[Ss]he|[Ww]ho|I|[Tt]hey|[Ww]e|[Yy]ou|applicants?|patient|[Pp]t|client|claimant|defendant|plaintiff"
    rf"|witness|victim|suspect|(?i:{_KIN}))"
)
_SUBJECT: Final = rf"(?:{_WHO}(?:,|\))?)"
_NAMED: Final = (
    r"(?:(?<![A-Za-z])(?!(?:It|This|That|There|Here|What|Which|The|And|But|How|Where|When)\b)[A-Z][a-z]{1,20}\)?)"
)
_BE: Final = r"(?:,? (?:both |all )?(?:is|was|are|were|am|has been|had been|be|being)|'m|'s|'re)"
_ADVERB: Final = (
    r"(?: (?:now|also|both|still|then|once|openly|originally|currently|previously|formerly|half|part|already|not|a|an"
    r"|the|of|from|one|only|himself|herself|retired|very|happily|recently|legally|clinically|long)){0,6}"
)
_OF_PERSON: Final = lazy_regex(rf"{_SUBJECT}{_BE}{_ADVERB} \Z")
_OF_NAMED: Final = lazy_regex(rf"(?:{_SUBJECT}|{_NAMED}){_BE}{_ADVERB} \Z")
_ARTICLE: Final = lazy_regex(r"\b[Aa]n? (?:[a-z]+ly )?\Z")
_STOPS: Final = lazy_regex(
    r"(?:\Z|[^A-Za-z0-9 -]| ?\n| (?:and|or|but|by|from|in|with|who|of|on|so|though|since|because|at|to|for|as|when"
    r"|whose|until|living|working|aged|before|after|while|I|he|she)\b| [^A-Za-z])"
)
_PEOPLE: Final = lazy_regex(
    r"[ -](?:nationals?|nationality|citizens?|citizenship|subjects?|passport|origins?|descent|ancestry|heritage"
    r"|extraction|background|roots|ethnicity|parentage|man|men|woman|women|males?|females?|boys?|girls?|lady"
    r"|ladies|gentlem[ae]n|persons?|people|child|children|kids?|family|families|couples?|parents?|mother|father"
    r"|wife|husband|spouse|partner|sons?|daughters?|brothers?|sisters?|uncle|aunt|immigrants?|migrants?|refugees?"
    r"|asylum|expats?|expatriates?|emigrants?|settlers?|community|minority|born|faith|converts?|adults?|teens?"
    r"|teenagers?|patients?|applicants?|defendants?|victims?|tourists?|veterans?|believers?|friends?|mom|dad"
    r"|neighbou?rs?|colleagues?|youth|widows?|pensioners?)\b"
)
_TAIL: Final = lazy_regex(r" (?:nationals?|citizens?)\b")
_BELONGS: Final = lazy_regex(
    r"\b(?:converted to|conversion to|raised(?: as)?(?: an?)?|brought up|(?:non-)?practi[sc]ing|devout|observant|lapsed"
    r"|baptized|baptised|fellow|self-described|ethnic|registered|lifelong|staunch|openly|avowed|identif(?:y|ies|ied) as"
    r"(?: an?)?|c[ao]me out as(?: an?)?|(?i:ethnicity|race|religion|faith|nationality|citizenship|status|denomination)"
    r" (?:is|was|as)|born(?: an?| into an?)|member of the|adherent of|follower of|joined the) \Z"
)
_LANGUAGES: Final = _set(
    """english french spanish german italian portuguese russian chinese japanese arabic dutch polish greek welsh irish
    swedish korean turkish"""
)
_OF_LANGUAGE: Final = lazy_regex(
    r" (?:language |literature )?(?:teachers?|professors?|tutors?|translators?|interpreters?|students?|majors?"
    r"|lecturers?|speakers?|shepherds?)\b"
)
_IN_A_NAME: Final = lazy_regex(r"[ -][A-Z]|'")
_AFTER_CAPITAL: Final = lazy_regex(r"(?:\b(?!(?:In|The|These|An?|On|For|With|Many|Some)\b)[A-Z][a-z]*|[a-z]\.)[ -]\Z")
_JOINED: Final = lazy_regex(r"(?:,? (?:and|or|but) (?:an? )?|, )\Z")
_NEXT_WORDS: Final = lazy_regex(r" ([a-z]{2,20})(?:[ -]([a-z]{2,20}))?(?: ([a-z]{2,20}))?")

_NUMBER: Final = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|several|[0-9]{1,2})"
_CHILD: Final = (
    r"(?:grand|step)?-?(?:children|child|kids?|kiddos?|sons?|daughters?|little ones?|boys|girls|toddlers?|twins"
    r"|bab(?:y|ies))"
)
_PARENT: Final = r"(?:grand|step)?(?:mother|father|mom|mum|mommy|mummy|dad|daddy|parent|ma|pa)s?"
_AS: Final = lazy_regex(
    rf"(?:{_BE}|\b(?:[Ii]s|[Ww]as|became|become|becomes|becoming|remained|remains))"
    r"(?: (?:now|currently|also|still|both|then|previously|formerly|once|already|himself|herself|retired|self-employed"
    r"|only|really|just))* an? (?:[A-Za-z-]{3,20} )?\Z"
)
_NOBODY: Final = lazy_regex(
    r"\b(?:[Ii]t|[Tt]his|[Tt]hat|[Tt]here|[Hh]ere|[Ww]hat|[Ww]hich|[Ee]ach|[Ee]very)(?:'s|[ ,](?:is|was|will be|be"
    r"|has been|had been))[a-z -]{0,120}\Z"
)
_WORKS_AS: Final = lazy_regex(
    r"(?:\b(?:work|works|worked|working|serve|serves|served|serving|employed|trained|training|trains|qualified"
    r"|practises"
    r"|practise|practised|practising|practices|practiced|practice|volunteers|volunteered|retired|hired|job|jobs|career"
    r"|careers|position|post|role|roles|profession|employment|life|living|background|status|experience|freelances"
    r"|registered|licensed|certified) (?:as|of)(?: an?| the)?(?: [a-z-]{3,20})? "
    rf"|{_PARENT} of [a-z0-9]{{1,6}} (?:and|&) an? (?:[a-z-]{{3,20}} )?"
    r"|(?:\A|[.!?\n:,;(\"'] ?)(?i:as) (?:an?|the) (?:[a-z-]{3,20} )?)\Z"
)
_STANDING: Final = lazy_regex(
    r"\b(?:[Rr]etired|[Ff]ormer|[Ee]x|[Tt]rainee|[Aa]spiring|[Ss]elf-employed|[Ff]reelance|[Uu]nemployed|[Qq]ualified"
    r"|[Pp]racti[sc]ing|[Ll]icensed|[Nn]ewly qualified)[ -]\Z"
)
_APPOSED: Final = lazy_regex(
    rf"(?:{_WHO}|{_NAMED}|[0-9]{{2}})(?:\)?,| -|:| \() (?:who (?:is|was) )?"
    r"(?:(?:now|then|formerly|currently|once) )?an? (?:[A-Za-z-]{3,20} )?\Z"
)
_RANKED: Final = lazy_regex(
    rf"(?:{_SUBJECT}|{_NAMED})(?:{_BE}(?: (?:then|also|now|still|currently|previously|formerly))*|,) the \Z"
)
_OFFICES: Final = _set(
    """owner editor principal director president chairman chairwoman chairperson mayor ceo cfo cto coo headmaster
    headmistress headteacher dean chancellor founder executive officer treasurer secretary registrar superintendent
    in-chief chief imam rabbi vicar pastor bishop bursar governor landlord landlady caretaker curator"""
)
_TOGETHER: Final = lazy_regex(r"(?:,| and| &|/| or)(?: an?| the)?(?: [a-z-]{3,20})? ?\Z")
_AS_A: Final = lazy_regex(
    r"(?<!such )(?<!same )(?<!acts )(?<!used )(?<!known )(?<!serves )(?<!act )(?<!functions )\bas an?"
    r" (?:[a-z-]{3,20} )?\Z"
)
_BY_TRADE: Final = lazy_regex(
    r" (?:by (?:profession|trade|training|occupation)|practi[sc]ing (?:in|at)|(?:working|employed) (?:in|at|for|by))\b"
)
_ABILITY: Final = lazy_regex(r" (?:of|for) (?:the )?(?:change|all|this)\b")
_OF_PEOPLE: Final = ("nationality", "ethnicity", "religion")
_VAGUE: Final = _set(
    """worker shepherd player assistant agent model guard operator official coach checker packer owner manager deputy
    controller examiner intern supervisor marine major servant developer handler turner officer"""
)
"""Last words that name an occupation only with a word before them, or where the text says that somebody works so."""

_CHILDREN: Final = rf"{_NUMBER}(?: [a-z]{{3,12}}){{0,2}} {_CHILD}"
_FAMILY: Final = lazy_regex(
    rf"\b(?P<parent>(?:(?:[Ss]ingle|[Ww]idowed|[Dd]ivorced|[Mm]arried) )?(?i:{_PARENT}) (?:of|to) (?:{_CHILDREN}"
    rf"|{_NUMBER}))(?![A-Za-z0-9])"
    r"|\b(?P<alone>(?:[Ss]ingle|[Dd]ivorced|[Ww]idowed|[Uu]nmarried|[Ss]tay-at-home|[Ff]oster|[Aa]doptive)"
    rf" {_PARENT})\b|\b(?P<status>(?:[Mm]arried|[Dd]ivorced|[Ww]idowed|[Ss]eparated) with (?:{_CHILDREN}|no children|no"
    rf" kids))\b|\b(?:[Hh]as|[Hh]ave|[Hh]ad|[Hh]aving|[Ww]ith|[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir|[Rr]ais(?:e|es|ed"
    rf"|ing)|leaving|&|and) (?P<number>{_CHILDREN})\b"
    r"|\b(?:[Ii]s|[Ww]as|[Aa]m|are|were|been|being|'m|'re|'s|not|never|got|getting|happily|currently|legally|recently"
    r"|now|,|still) (?P<married>(?:never )?married)\b(?! name)|(?:(?<=[.:!?\n|;] )|(?<=[\n:|;])|\A)(?P<life>Married"
    r"|Divorced|Widowed|Separated|Single)(?= life\b| with\b| to\b|[,.;\n]|\Z)|\b(?P<to>[Mm]arried)(?= life\b| to (?:an?"
    r"|the|my|his|her|[A-Z]))|\b(?P<left>[Ww]idows?|[Ww]idowers?|[Ww]idowed|[Dd]ivorc(?:ed|ee|ees))(?!'?s? (?:peak|web"
    r"|spider|maker))\b|\b(?P<care>(?:permanent|partial|total|severe|registered) disability|disability (?:pension"
    r"|benefits?|allowance)|permanently unfit (?:to|for) work)\b"
)
_FAMILY_WORDS: Final = _set(
    """single widowed divorced married unmarried home foster adoptive separated widow widows widower widowers divorcee
    divorcees disability unfit children child kids kid kiddos sons son daughters daughter ones grandchildren
    grandchild stepchildren boys girls toddlers twins baby babies mother father mom mum dad parent mothers fathers moms
    dads parents grandmother grandfather mommy mummy daddy"""
)
_HASHTAG: Final = lazy_regex(r"#(?:Proud)?((?:Single|Working)?(?:[A-Z][a-z]{2,20}))(?=[A-Z0-9]|\b)")
_TAGS: Final = _set(
    """married divorced widowed mom mum dad singlemom singledad singlemum singleparent workingmom workingdad parent
    widow widower"""
)
_LABEL: Final = lazy_regex(
    r"\b(?i:occupation|profession|job title|nationality|citizenship|ethnicity|ethnic (?:origin|group|background)|race"
    r"|religion|religious affiliation|faith|denomination|marital status|civil status|family status|sexual orientation"
    r"|political (?:affiliation|party)|veteran status|disability status)[ ]?[:=][ ]?\"?([A-Za-z][A-Za-z'&/()"
    r" -]{1,40}[A-Za-z)])(?=[,.;\n|\"<]|\Z| {2}|\0)"
)
_LABEL_WORDS: Final = _set(
    """occupation profession title nationality citizenship ethnicity origin group background race religion affiliation
    faith denomination status orientation party"""
)
_WITNESS: Final = lazy_regex(r"(?<![A-Za-z])Jehovah'?s'? Witness(?:es)?\b")
WITNESS_GATE: Final = with_words("jehovah jehovahs")
_COLON: Final = lazy_regex(r"[^A-Za-z0-9]?[:=]|[ ][A-Za-z]{2,12}[ ]?[:=]")
_NO_VALUE: Final = frozenset(("unknown", "none", "not stated", "not specified", "not given", "string", "text", "null"))
_WORK_CUES: Final = _set(
    """a an as of are were is was am be been both i'm he's she's they're we're you're retired former ex trainee aspiring
    self-employed freelance unemployed qualified practising practicing licensed the"""
)
_BELONG_CUES: Final = _set(
    """to as a an up practising practicing non-practising devout observant lapsed baptized baptised fellow
    self-described ethnic registered lifelong staunch openly avowed raised is was the of into joined born brought"""
)
_BE_CUES: Final = _set("""is was are were am be been being i'm he's she's who's they're we're you're 'm 's 're a an""")
_OTHER_STARTS: Final = frozenset(word.encode("ascii") for word in _FAMILY_WORDS | _LABEL_WORDS)


@cache
def _starts() -> frozenset[bytes]:
    return frozenset(word for word in _OTHER_STARTS | demographics().last_words if 1 < len(word) <= _LONGEST_WORD)


DEMOGRAPHIC_GATE: Final = either(holding("#"), WithWords(_starts))


def find_demographics(text: str) -> Iterator[Found]:
    """Yield what the text says of persons, by start."""
    taken = sorted((*_scanned(text), *_of_hashtags(text)), key=lambda span: (span.start, -span.end))
    reached = 0
    for span in taken:
        if span.start >= reached:
            reached = span.end
            yield span


find_witnesses: Final = finding(_WITNESS, KIND, _SURE, "religion")


def _scanned(text: str) -> Iterator[Found]:
    """Yield what words of the lists, of families and of the names of fields show; a span may come twice."""
    lists = demographics()
    endings = lists.endings.get
    before, families, fields = Found(0, 0, "", 0), 0, 0
    for start, end in places_of(text, _starts()):
        low = text[start:end].lower()
        if low in _FAMILY_WORDS and end > families:
            yield from _of_family(text, max(families, start - _BACK), end + _AHEAD)
            families = end + _AHEAD // 2
        if low in _LABEL_WORDS and end > fields and _COLON.match(text, end):
            yield from _stated(text, max(fields, start - _BACK // 2), end + 2 * _AHEAD)
            fields = end
        entries = endings(low)
        span = None if entries is None else _read(text, start, end, entries, lists, before)
        if span is not None:
            yield span
            before = span


def _stated(text: str, start: int, end: int) -> Iterator[Found]:
    end = min(end, len(text))
    for match in _LABEL.finditer(text, start, end):
        if match[1].lower() not in _NO_VALUE and (match.end() < end or end == len(text)):
            yield Found(*match.span(1), KIND, _SURE, "label")


def _of_family(text: str, start: int, end: int) -> Iterator[Found]:
    for match in _FAMILY.finditer(text, start, min(end, len(text))):
        name = match.lastgroup or 0
        yield Found(*match.span(name), KIND, _LIKELY, "disability" if name == "care" else "family")


def _of_hashtags(text: str) -> Iterator[Found]:
    if "#" not in text:
        return
    lists = demographics()
    for match in matches(_HASHTAG, text):
        low = match[1].lower()
        group = "family" if low in _TAGS else lists.forms.get((low,), Form("", "")).group
        if group in ("family", OCCUPATION):
            yield Found(*match.span(1), KIND, _LIKELY, group)


def _read(
    text: str, start: int, end: int, entries: tuple[Words, ...], lists: Demographics, last: Found
) -> Found | None:
    words, first = _longest(text, start, entries)
    if not words:
        return None
    form = lists.forms[words]
    if form.group == OCCUPATION:
        first, several = _with_modifiers(text, first, lists.modifiers)
        score = _of_work(text, first, end, form, len(words) + several, words[-1], last)
    else:
        if _NEEDS_CAPITAL[form.group] and not text[first].isupper():
            return None
        score = _RULES[form.group](text, first, end, form)
        if score < _LIKELY and _joined(text, last, first) and _STOPS.match(text, end):
            score = _LIKELY
        tail = _TAIL.match(text, end) if form.group == "nationality" else None
        end = tail.end() if tail else end
    return Found(first, end, KIND, score, _REASONS.get(form.group, form.group)) if score else None


def _joined(text: str, last: Found, start: int) -> bool:
    """Return whether a span follows another that is said of a person: "deaf and unemployed"."""
    between = text[last.end : start] if 0 < start - last.end < 8 else ""
    return last.score >= _LIKELY and bool(_JOINED.match(between))


def _longest(text: str, start: int, entries: tuple[Words, ...]) -> tuple[Words, int]:
    """Return the longest of the entries that stands in the text, and where it begins; ``start`` is of its last word."""
    for entry in entries:
        place = start
        for word in reversed(entry[:-1]):
            beginning = place - 1 - len(word)
            fits = beginning >= 0 and text[place - 1] in " -'" and text[beginning : place - 1].lower() == word
            if not fits or text[beginning - 1 : beginning].isalpha():
                break
            place = beginning
        else:
            return entry, place
    return (), start


def _with_modifiers(text: str, start: int, modifiers: frozenset[str]) -> tuple[int, int]:
    for count in range(_MODIFIERS):
        word = _LAST_WORD.search(text, max(0, start - 24), start)
        if word is None or word[1].lower() not in modifiers:
            if word is None or "-" not in word[0]:
                return start, count
            whole = re.search(r"[A-Za-z]{2,10}-[A-Za-z]{2,12}[ ]\Z", text[max(0, start - 26) : start])
            if whole is None or whole[0].strip().lower() not in modifiers:
                return start, count
            start -= len(whole[0])
            continue
        start = word.start()
    return start, _MODIFIERS


def _around(text: str, start: int) -> str:
    return text[max(0, start - _BACK) : start]


def _cued(before: str, cues: frozenset[str], words: int = 4) -> bool:
    """Return whether one of the last words before a span may be of a cue, so that patterns are worth a look."""
    return not cues.isdisjoint(before[-40:].lower().split()[-words:])


def _of_work(text: str, start: int, end: int, form: Form, words: int, last: str, previous: Found) -> float:
    before = _around(text, start)
    between = text[previous.end : start] if 0 < start - previous.end < 30 else ""
    if (between == " " and previous.why in _OF_PEOPLE) or (
        between and previous.why == OCCUPATION and _TOGETHER.match(between)
    ):
        return _LIKELY
    if not _cued(before, _WORK_CUES) and before.strip():
        return 0.0
    vague = words == 1 and last in _VAGUE
    if _WORKS_AS.search(before):
        return _SURE
    if form.use == PLURAL:
        return _LIKELY if not vague and _OF_NAMED.search(before) else 0.0
    if last in _OFFICES and _RANKED.search(before):
        return _LIKELY
    if vague:
        return 0.0
    if _STANDING.search(before) or (_BY_TRADE.match(text, end) and _ARTICLE.search(before)):
        return _SURE
    stated = _AS.search(before) and not _NOBODY.search(before)
    return _LIKELY if stated or _AS_A.search(before) or _APPOSED.search(before) else 0.0


def _of_people(text: str, start: int, end: int, form: Form) -> float:
    low = text[start:end].lower()
    if low in _LANGUAGES and _OF_LANGUAGE.match(text, end):
        return 0.0
    before = _around(text, start)
    in_language = low in _LANGUAGES and before.endswith(" in ")
    if not in_language and _cued(before, _BELONG_CUES) and _BELONGS.search(before):
        return _SURE
    if form.use not in (PLURAL, SINGULAR) and (_PEOPLE.match(text, end) or _before_work(text, end)):
        return _SURE
    said = _cued(before, _BE_CUES, 5) and _STOPS.match(text, end)
    if said and (_OF_NAMED.search(before) or (form.use != ADJECTIVE and _ARTICLE.search(before))):
        return _LIKELY
    guessed = form.use == PLURAL or form.group == "ethnicity"
    return _GUESS if guessed and not _IN_A_NAME.match(text, end) and not _AFTER_CAPITAL.search(before) else 0.0


def _before_work(text: str, end: int) -> bool:
    following = _NEXT_WORDS.match(text, end)
    if following is None:
        return False
    endings = demographics().endings
    forms = demographics().forms
    for word in filter(None, following.groups()):
        if word in endings and forms.get((word,), Form("", "")).group == OCCUPATION:
            return True
        if word not in demographics().modifiers:
            return False
    return False


def _of_faith(text: str, start: int, end: int, form: Form) -> float:
    before = _around(text, start)
    return _SURE if _BELONGS.search(before) or search(_FAITH_CUE, before) else 0.0


_FAITH_CUE: Final = lazy_regex(
    r"\b(?:practi[sc]es|adheres? to|follows|embraced|believes? in|turned to|left|renounced) \Z"
)


def _of_state(text: str, start: int, end: int, form: Form) -> float:
    """Return how sure it is that a state is a person's: "she is disabled", "a deaf woman"; what machines are too."""
    before = _around(text, start)
    if end - start > len("quadriplegics") or _BELONGS.search(before):
        return _LIKELY
    if form.use in (ADJECTIVE,) and _PEOPLE.match(text, end) and not _ABILITY.match(text, end):
        return _LIKELY
    if _STOPS.match(text, end) and _OF_PERSON.search(before):
        return _LIKELY
    return (
        _LIKELY
        if form.use == SINGULAR and _STOPS.match(text, end) and (_ARTICLE.search(before) or _WORKS_AS.search(before))
        else 0.0
    )


def _of_views(text: str, start: int, end: int, form: Form) -> float:
    before = _around(text, start)
    if _BELONGS.search(before):
        return _SURE
    return (
        _LIKELY
        if form.use != PLURAL and _STOPS.match(text, end) and _ARTICLE.search(before) and _OF_NAMED.search(before)
        else 0.0
    )


def _of_orientation(text: str, start: int, end: int, form: Form) -> float:
    before = _around(text, start)
    if text[start].isupper() and not before.endswith((". ", "\n")):
        return 0.0
    if _BELONGS.search(before) or _PEOPLE.match(text, end):
        return _SURE
    return (
        _LIKELY
        if _STOPS.match(text, end) and (_OF_NAMED.search(before) or (form.use != ADJECTIVE and _ARTICLE.search(before)))
        else 0.0
    )


_Rule: TypeAlias = Callable[[str, int, int, Form], float]
_RULES: Final[dict[str, _Rule]] = {
    "nationality": _of_people,
    "ethnicity": _of_people,
    "religion": _of_people,
    "faith": _of_faith,
    "orientation": _of_orientation,
    "politics": _of_views,
    "family": _of_state,
    "work": _of_state,
    "residence": _of_state,
    "military": _of_state,
    "disability": _of_state,
}
_NEEDS_CAPITAL: Final = {group: group in ("nationality", "ethnicity", "religion", "faith") for group in _RULES}
_REASONS: Final = {"faith": "religion"}


_OF_STATE: Final = lazy_regex(
    r"(?<![A-Za-z-])([A-Z][a-z]{2,15})(?= (?:[Gg]overnment|[Aa]uthorit(?:y|ies)|[Cc]onstitution(?:al)?|[Ss]tate|[Aa]rmy"
    r"|[Ee]mbassy|[Cc]onsulate|[Pp]arliament|(?:[Pp]enal|[Cc]ivil|[Cc]riminal) [Cc]ode|[Pp]rime [Mm]inister)\b)"
)
_STATE_WORDS: Final = (
    *(
        "overnment",
        "uthorit",
        "onstitution",
        "tate",
        "rmy",
        "mbassy",
        "onsulate",
        "arliament",
        " Code",
        " code",
        "inister",
    ),
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
        Found(*match.span(1), KIND, _LIKELY, "nationality")
        for match in matches(_OF_STATE, text)
        if match[1][:_STEM].lower() in stems
        and (form := forms.get((match[1].lower(),))) is not None
        and form.group == "nationality"
    ]
    free = [span for span in met if not any(span.start < other.end and other.start < span.end for other in spans)]
    return sorted([*spans, *free]) if free else list(spans)
