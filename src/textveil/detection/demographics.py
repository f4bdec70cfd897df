"""Words that single out a person in English text: nationality, ethnicity, religion, occupation, family status and more.

A listed word counts where the text says it of a person: "a Polish national", "he is Catholic", "works as a nurse",
"Occupation: glazier". "Turkish law", "in English" and "French fries" hold a listed word and no such evidence.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from textveil.detection.demographic_lists import (
    ADJECTIVE,
    EITHER,
    KIND,
    OCCUPATION,
    OFFICES,
    PLURAL,
    SINGULAR,
    TONGUES,
    VAGUE,
    Demographics,
    Form,
    Words,
    demographics,
)
from textveil.detection.found import Found, finding, words_in
from textveil.detection.gates import WithWords, either, holding, places_of, with_words
from textveil.text.patterns import lazy_regex, matches

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
_OF_LANGUAGE: Final = lazy_regex(
    r" (?:language |literature )?(?:teachers?|professors?|tutors?|translators?|interpreters?|students?|majors?"
    r"|lecturers?|speakers?|shepherds?)\b"
)
_TONGUE: Final = lazy_regex(r"\Z")
"""Stands for "is the name of a language"."""
_WORK: Final = lazy_regex(r"\Z")
"""Stands for "an occupation follows"."""
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
_OF_TOWNS: Final = frozenset(("mayor", "mayoress", "governor", "bishop", "archbishop"))
_OF_PLACE: Final = lazy_regex(r" of (?:the )?[A-Z]")  # the Mayor of Yeovil: no other trade could stand there
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
_FAMILY_WORDS: Final = words_in(
    """single widowed divorced married unmarried home foster adoptive separated widow widows widower widowers divorcee
    divorcees disability unfit children child kids kid kiddos sons son daughters daughter ones grandchildren
    grandchild stepchildren boys girls toddlers twins baby babies mother father mom mum dad parent mothers fathers moms
    dads parents grandmother grandfather mommy mummy daddy"""
)
_HASHTAG: Final = lazy_regex(r"#(?:Proud)?((?:Single|Working)?(?:[A-Z][a-z]{2,20}))(?=[A-Z0-9]|\b)")
_TAGS: Final = words_in(
    """married divorced widowed mom mum dad singlemom singledad singlemum singleparent workingmom workingdad parent
    widow widower"""
)
_LABEL: Final = lazy_regex(
    r"\b(?i:occupation|profession|job title|nationality|citizenship|ethnicity|ethnic (?:origin|group|background)|race"
    r"|religion|religious affiliation|faith|denomination|marital status|civil status|family status|sexual orientation"
    r"|political (?:affiliation|party)|veteran status|disability status)[ ]?[:=][ ]?\"?([A-Za-z][A-Za-z'&/()"
    r" -]{1,40}[A-Za-z)])(?=[,.;\n|\"<]|\Z| {2}|\0)"
)
_LABEL_WORDS: Final = words_in(
    """occupation profession title nationality citizenship ethnicity origin group background race religion affiliation
    faith denomination status orientation party"""
)
_WITNESS: Final = lazy_regex(r"(?<![A-Za-z])Jehovah'?s'? Witness(?:es)?\b")
WITNESS_GATE: Final = with_words("jehovah jehovahs")
_COLON: Final = lazy_regex(r"[^A-Za-z0-9]?[:=]|[ ][A-Za-z]{2,12}[ ]?[:=]")
_NO_VALUE: Final = frozenset(("unknown", "none", "not stated", "not specified", "not given", "string", "text", "null"))
_WORK_CUES: Final = words_in(
    """a an as of are were is was am be been both i'm he's she's they're we're you're retired former ex trainee aspiring
    self-employed freelance unemployed qualified practising practicing licensed the"""
)
_BELONG_CUES: Final = words_in(
    """to as a an up practising practicing non-practising devout observant lapsed baptized baptised fellow
    self-described ethnic registered lifelong staunch openly avowed raised is was the of into joined born brought"""
)
_BE_CUES: Final = words_in(
    """is was are were am be been being i'm he's she's who's they're we're you're 'm 's 're a an"""
)
_OTHER_STARTS: Final = frozenset(_FAMILY_WORDS | _LABEL_WORDS)


@cache
def _starts() -> frozenset[str]:
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
        if (low := text[start:end].lower()) in _FAMILY_WORDS and end > families:
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
        if form.group in _NEEDS_CAPITAL and not text[first].isupper():
            return None
        score = _score(text, first, end, form)
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
        if (word := _LAST_WORD.search(text, max(0, start - 24), start)) is None or word[1].lower() not in modifiers:
            if word is None or "-" not in word[0]:
                return start, count
            whole = re.search(r"[A-Za-z]{2,10}-[A-Za-z]{2,12}[ ]\Z", text[max(0, start - 26) : start])
            if whole is None or whole[0].strip().lower() not in modifiers:
                return start, count
            start -= len(whole[0])
            continue
        start = word.start()
    return start, _MODIFIERS


def _cued(before: str, cues: frozenset[str], words: int = 4) -> bool:
    """Return whether one of the last words before a span may be of a cue, so that patterns are worth a look."""
    return not cues.isdisjoint(before[-40:].lower().split()[-words:])


def _of_work(text: str, start: int, end: int, form: Form, words: int, last: str, previous: Found) -> float:
    before = text[max(0, start - _BACK) : start]
    between = text[previous.end : start] if 0 < start - previous.end < 30 else ""
    if (between == " " and previous.why in _OF_PEOPLE) or (
        between and previous.why == OCCUPATION and _TOGETHER.match(between)
    ):
        return _LIKELY
    if not _cued(before, _WORK_CUES) and before.strip():
        return 0.0
    vague = words == 1 and last in VAGUE
    if _WORKS_AS.search(before):
        return _SURE
    if form.use == PLURAL:
        return _LIKELY if not vague and _OF_NAMED.search(before) else 0.0
    if last in _OF_TOWNS and _OF_PLACE.match(text, end):
        return 0.0
    if last in OFFICES and _RANKED.search(before):
        return _LIKELY
    if vague:
        return 0.0
    if _STANDING.search(before) or (_BY_TRADE.match(text, end) and _ARTICLE.search(before)):
        return _SURE
    stated = _AS.search(before) and not _NOBODY.search(before)
    return _LIKELY if stated or _AS_A.search(before) or _APPOSED.search(before) else 0.0


def _before_work(text: str, end: int) -> bool:
    if (following := _NEXT_WORDS.match(text, end)) is None:
        return False
    endings = demographics().endings
    forms = demographics().forms
    for word in filter(None, following.groups()):
        if word in endings and forms.get((word,), Form("", "")).group == OCCUPATION:
            return True
        if word not in demographics().modifiers:
            return False
    return False


_FAITH_CUE: Final = lazy_regex(
    r"\b(?:practi[sc]es|adheres? to|follows|embraced|believes? in|turned to|left|renounced) \Z"
)


class Rule(NamedTuple):
    """Tells that a listed word is said of a person; the first rule of its class that fits decides."""

    groups: str  # classes of the lists, parted by spaces
    uses: str  # "but" and a use, or uses parted by commas; empty is any
    cues: frozenset[str]  # words of which one is among the last five before it; empty is no gate
    before: tuple[re.Pattern[str], ...]  # what stands before it: all of these
    behind: tuple[re.Pattern[str], ...]  # what stands behind it: all of these
    without: tuple[re.Pattern[str] | None, re.Pattern[str] | None]  # what must not stand before it, or behind it
    score: float  # 0: it is said of nobody
    finds: str  # a sentence with such a word, as it is found
    ignores: str  # one that looks alike


_PEOPLE_OF: Final = "nationality ethnicity religion"
_STATES: Final = "family work residence military disability"
_ANY: Final[frozenset[str]] = frozenset()
_NOTHING: Final = (None, None)
# fmt: off
RULES: Final = (
    Rule(_PEOPLE_OF, "", _ANY, (_TONGUE,), (_OF_LANGUAGE,), _NOTHING, 0.0, "", "The Spanish translator left."),
    Rule(_PEOPLE_OF, "", _BELONG_CUES, (_BELONGS,), (), (None, _IN_A_NAME), _SURE, "He was raised Catholic.",
        "He joined the Catholic League."),
    Rule(_PEOPLE_OF, f"{EITHER}, {ADJECTIVE}", _ANY, (), (_PEOPLE,), _NOTHING, _SURE,
        "Two Turkish nationals left.", "Turkish law"),
    Rule(_PEOPLE_OF, f"{EITHER}, {ADJECTIVE}", _ANY, (), (_WORK,), _NOTHING, _SURE,
        "A Polish nurse called.", "A Polish recipe"),
    Rule(_PEOPLE_OF, "", _BE_CUES, (_OF_NAMED,), (_STOPS,), _NOTHING, _LIKELY, "She is Polish.", "It is Polish."),
    Rule(_PEOPLE_OF, f"but {ADJECTIVE}", _BE_CUES, (_ARTICLE,), (_STOPS,), _NOTHING, _LIKELY,
        "I met a German.", "a German car"),
    Rule(_PEOPLE_OF, PLURAL, _ANY, (), (), (_AFTER_CAPITAL, _IN_A_NAME), _GUESS, "several Turks", "Young Turks Club"),
    Rule("ethnicity", "", _ANY, (), (), (_AFTER_CAPITAL, _IN_A_NAME), _GUESS, "a Kurdish village", "Kurdish Airlines"),
    Rule("faith", "", _ANY, (_BELONGS,), (), _NOTHING, _SURE, "She converted to Islam.", "Islam is a religion."),
    Rule("faith", "", _ANY, (_FAITH_CUE,), (), _NOTHING, _SURE, "He renounced Islam.", "Islam is a religion."),
    Rule("orientation politics", "", _ANY, (_BELONGS,), (), (None, _IN_A_NAME), _SURE, "a registered Democrat",
        "A Democrat"),
    Rule("orientation", "", _ANY, (), (_PEOPLE,), _NOTHING, _SURE, "a gay man", "a gay tune"),
    Rule("orientation", "", _ANY, (_OF_NAMED,), (_STOPS,), _NOTHING, _LIKELY, "He is gay.", "It is gay."),
    Rule("orientation", f"but {ADJECTIVE}", _ANY, (_ARTICLE,), (_STOPS,), _NOTHING, _LIKELY, "", ""),
    Rule("politics", f"but {PLURAL}", _ANY, (_ARTICLE, _OF_NAMED), (_STOPS,), _NOTHING, _LIKELY,
        "He is a liberal.", "This is a liberal estimate."),
    Rule(_STATES, "", _ANY, (_BELONGS,), (), _NOTHING, _LIKELY, "", ""),
    Rule(_STATES, ADJECTIVE, _ANY, (), (_PEOPLE,), (None, _ABILITY), _LIKELY, "a deaf woman", "a deaf ear"),
    Rule(_STATES, "", _ANY, (_OF_PERSON,), (_STOPS,), _NOTHING, _LIKELY, "She is deaf.", "The feature is disabled."),
    Rule(_STATES, SINGULAR, _ANY, (_ARTICLE,), (_STOPS,), _NOTHING, _LIKELY, "", ""),
    Rule(_STATES, SINGULAR, _ANY, (_WORKS_AS,), (_STOPS,), _NOTHING, _LIKELY, "", ""),
)
# fmt: on
_LONG_STATE: Final = len("quadriplegics")  # letters from which on a state says enough alone


@cache
def _rules_of(form: Form) -> tuple[Rule, ...]:
    def fits(uses: str) -> bool:
        return form.use != uses[4:] if uses.startswith("but ") else not uses or form.use in uses.split(", ")

    return tuple(rule for rule in RULES if form.group in rule.groups.split() and fits(rule.uses))


def _score(text: str, start: int, end: int, form: Form) -> float:
    """Return how sure it is that a listed word that is no occupation is said of a person."""
    before = text[max(0, start - _BACK) : start]
    if form.group == "orientation" and text[start].isupper() and not before.endswith((". ", "\n")):
        return 0.0
    if end - start > _LONG_STATE and form.group in _STATES:
        return _LIKELY
    for rule in _rules_of(form):
        if rule.cues and not _cued(before, rule.cues, 5):
            continue
        unless, unless_behind = rule.without
        stands = all(_stands(pattern, text, start, end, before) for pattern in rule.before)
        if not stands or not all(_follows(pattern, text, end) for pattern in rule.behind):
            continue
        if not (unless and unless.search(before)) and not (unless_behind and unless_behind.match(text, end)):
            return rule.score
    return 0.0


def _stands(pattern: re.Pattern[str], text: str, start: int, end: int, before: str) -> bool:
    return text[start:end].lower() in TONGUES if pattern is _TONGUE else pattern.search(before) is not None


def _follows(pattern: re.Pattern[str], text: str, end: int) -> bool:
    return _before_work(text, end) if pattern is _WORK else pattern.match(text, end) is not None


_NEEDS_CAPITAL: Final = words_in("nationality ethnicity religion faith")
_REASONS: Final = {"faith": "religion"}
