"""Words around a name that tell whether it names somebody, or nobody: one table, and forms of words."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from textveil.detection import lists as known
from textveil.detection.found import OTHER
from textveil.detection.institutions import Word
from textveil.detection.lists import Marks
from textveil.text.patterns import lazy_regex

BACK: Final = 24
"""Characters before a word that are looked at."""
PERSON, PLACE, ORGANIZATION = "person", "place", "organization"


class Judged(NamedTuple):
    """The kind of a name, its score and the reason; no kind if it is no name."""

    kind: str = ""
    score: float = 0.0
    why: str = ""


NOTHING: Final = Judged()


class Evidence(NamedTuple):
    """One way in which what stands before a name, or behind it, shows a person."""

    name: str
    pattern: re.Pattern[str]
    gate: Callable[[str, bool], bool]  # of what stands before the name, and whether the name heads a sentence
    back: int  # characters before the name that it looks at; 0: it looks behind the name
    score: float
    why: str
    finds: str  # what stands before a name, or behind it
    ignores: str


_CUE: Final = lazy_regex(
    r"(?:[Nn]ames?(?:'s| is|:)?|[Nn]amed|[Cc]all(?:ed|s)? (?:me|him|her)|[Dd]ear|[Uu]ser:|[Bb]y:|I am|I'm"
    r"|[Tt]his is|[Ss]tarring|[Ss]incerely|[Rr]egards|[Ss]igned|[Nn]ame\?|[Hh]ello|[Hh]i|[Hh]ey|[Tt]hanks"
    r"|[Pp]atient:|[Dd]octor:|[Cc]c:?|CC:?|[Cc]ontact|[Pp]ing(?:ed)?|[Tt]ell|[Aa]sk(?:ed)?|[Ee]mailed|[Pp]aged"
    r"|[Cc]alled"
    r"|(?:[Mm]eeting|[Ss]poke|[Ss]peak|[Tt]alked|[Mm]et|[Cc]hat|[Dd]iscussed|[Vv]isit|[Cc]onfirmed|[Rr]eviewed|[Ll]unch"
    r"|[Ii]nterview|[Dd]inner|[Cc]onsulted|[Ll]iaised|session) with|[Pp]atient of|[Bb]ehalf of|[Cc]are of|[Ww]ill see"
    r"|(?:[Rr]equested|[Rr]eferred|[Ss]een|[Oo]rdered|[Ss]igned|[Dd]ictated|[Aa]ccompanied|[Aa]ssigned|[Rr]eported"
    r"|[Pp]repared|[Aa]pproved|[Vv]erified|[Ww]ritten|[Ii]nterpreted|[Rr]ead|[Aa]dministered|[Pp]erformed|[Rr]ecorded"
    r"|[Ss]ubmitted|[Ww]itnessed|[Tt]riaged|[Ee]xamined) by),?[ \t\n]*$"
)
_ENDS_CUE: Final = (
    "name", "names", "'s", " is", "named", "me", "him", "her", "dear", "user", "by", "am", "i'm", "starring",
    "sincerely", "regards", "signed", "hello", "hi", "hey", "thanks", "patient", "doctor", "cc", "contact", "ping",
    "pinged", "tell", "ask", "asked", "emailed", "paged", "called", "with", "patient of", "behalf of", "care of",
    "will see",
)  # fmt: skip
"""Letters that each cue ends with, in small letters: the pattern takes long."""
_HEADING: Final = lazy_regex(
    r"(?:[A-Z][a-z]{1,20})?(?:[Dd]atum|[Nn]ummer|[Aa]dresse|[Aa]nschrift|[Ww]ohnort|[Kk]asse|[Bb]emerkung(?:en)?|[Gg]eschlecht"
    r"|[Tt]elefon|[Dd]iagnosen?|[Ss]trasse)(?![A-Za-z])"
)
"""Fields of a form or table in German, which stand beside that of the name: Name, Geburtsdatum, Bemerkung."""
_FIELD: Final = lazy_regex(
    r"(?:^|[\n|;,.*-] *)(?:(?:[Pp]atient|[Cc]lient|[Ss]tudent|[Ee]mployee|[Cc]ustomer|[Ff]ull|[Ff]irst|[Ll]ast|[Uu]ser)"
    r"(?:'s)?(?: [Nn]ame)?|[Nn]ame|NAME|PATIENT|[Ff]rom|[Cc]c|CC|[Bb]cc|[Aa]ttn|ATTN|[Aa]ttention|[Ss]eller|[Bb]uyer"
    r"|[Aa]uthor|[Cc]ontact|[Tt]enant|[Ll]andlord|[Pp]rovider|[Pp]hysician|[Ss]ender|[Rr]ecipient|[Aa]pplicant"
    r"|[Ww]itness|[Gg]uardian|[Nn]ext of kin|[Aa]ssignee|[Rr]eviewer|[Rr]eporter|[Ss]igned(?: by)?"
    r"|[Pp]repared by|[Rr]eviewed by|[Aa]pproved by|[Aa]ttending|[Ss]urgeon|[Tt]o|TO|FROM) ?[:#=][ \t\"'<*_]*$"
)
_ENDS_FIELD: Final = frozenset(":#=")
_BEHIND_FIELD: Final = "\n \t\"'<*_"  # what stands between a field and its value
_SIGNATURE: Final = lazy_regex(
    r"(?:[Rr]egards|[Ss]incerely(?: yours)?|[Bb]est(?: wishes)?|[Cc]heers|[Tt]hanks|[Tt]hank you|[Yy]ours(?: truly)?"
    r"|[Ll]ove|[Rr]espectfully|xx|xoxo)[,.!]?[ \t]*\n+[ \t-]*$"
)
_ACTS: Final = (
    r"said|says|thanks|thanked|on (?:nights|earlies|lates|leave)|told|asks|asked|called|replied|replies|shouted"
    r"|whispered|muttered|joked|laughed|smiled|cried|wept|sobbed|nodded|shrugged|sighed|swore|swears|sang|sings"
    r"|rang|phoned|texted|emailed|messaged|wrote|writes|drove|drives|slept|snored|woke|prayed|emigrated|remarried"
    r"|retired|apologi[sz]ed|complained|volunteered|thinks|thought|knows|knew|wants|wanted|loves|loved|hates"
    r"|hated|prefers|insists|insisted|reckons|reckoned|hopes|hoped|forgot|remembers|remembered|agrees|lives|lived"
    r"|works|worked|banked|baked|cooks|studied|studies|teaches|taught|went (?:as|to|home|back|off|round|with)"
    r"|is (?:away|ill|sick|poorly|late|off|out|on (?:leave|holiday|call|nights)|covering|coming|driving|bringing"
    r"|picking|taking)|to (?:ask|ring|call|email|phone|text|send|write|check|chase|bring|book|speak|talk|buy"
    r"|order|draft|arrange|circulate|organi[sz]e|confirm|mend|fix|tell|invite|pay|sign|contact|follow up"
    r"|look into|find out)|(?:has |have )?(?:joined|left) the (?:group|chat|call|meeting|house|flat|class|office)"
    r"|added (?:you|me|him|her|them|us)|reacted to|commented|being (?:duly )?sworn|aka|owes|owed|limped|scored"
    r"|here(?=!)|v the (?:Crown|State|King|Queen)|(?:has|had) (?:moved (?:out|in|to|away)|given up"
    r"|been (?:ill|unwell|off))"
    r"|will (?:bring|ring|call|pick|collect|cook|drive|email|text|phone|pay)|is (?:my|our|his|her|their) [a-z]{3,12}\."
    r"|was (?:late|ill|unwell|poorly|drunk|furious|tearful)|had an? (?:nosebleed|fall|fit|seizure|tantrum)"
    r"|drives|and I (?:went|are|have|were|had|will)|spoke|threw|drank|ate|heard|taught|bought|brought|paid|forgave|lent"
    r"|gave (?:me|you|him|her|us|them|it)|(?:had|did|fixed|took|made|got) (?:that|it)"
    r"|(?:did|do|does|was|is|has|had|wo|ca|could|would)n't"
)
ACTS: Final = lazy_regex(
    rf",? (?:(?:also|just|still|always|never|then|only|even) )?(?:{_ACTS})(?![A-Za-z])| \((?:she|he|they)/"
    r"|'s (?:mother|father|mum|dad|mom|wife|husband|son|daughter|brother|sister|car|phone|house|flat|birthday|mobile)"
    r"(?![A-Za-z])"
)
"""Verbs of persons alone, behind a name that is a word too and begins a sentence: Mercy emigrated, Dot to ring."""
_TELLS: Final = lazy_regex(
    r" \((?:[Hh]is |[Hh]er |[Pp]atient's |the )?(?:son|daughter|wife|husband|mother|father|mom|mum|dad|sister|brother"
    r"|spouse|partner|aunt|uncle|niece|nephew|cousin|friend|neighbou?r|fianc[e\xe9]e?|grandson|granddaughter"
    r"|grandmother|grandfather|carer|caregiver|guardian|next of kin|NOK|POA|she|he|they|her|him|RN|MD|PA|LPN|NP|PT|OT"
    r"|SLP|LCSW)(?:[/,][^)\n]{0,30})?\)|,? (?:said|says|told|asked|asks|wrote|replied|emailed|texted|phoned|lives|lived"
    r"|smiled|shouted|laughed|knows|prefers|was born|thinks|wants|who (?:is|was|has|had|said|lives))(?![A-Za-z])"
)


def _ends_as_field(back: str, opens: bool) -> bool:
    return opens and back.rstrip(_BEHIND_FIELD)[-1:] in _ENDS_FIELD


def _ends_line(back: str, opens: bool) -> bool:
    return opens and "\n" in back


def _ends_as_cue(back: str, opens: bool) -> bool:
    return back.rstrip(" \t\n,:?").lower().endswith(_ENDS_CUE)


def _always(back: str, opens: bool) -> bool:
    return True


EVIDENCE: Final = (
    Evidence("field", _FIELD, _ends_as_field, 2 * BACK, 0.6, "field", "\nPatient: ", "\nPatience: "),
    Evidence("signature", _SIGNATURE, _ends_line, 2 * BACK, 0.6, "cue", "Kind regards,\n", "Kind hearts,\n"),
    Evidence("cue", _CUE, _ends_as_cue, BACK, 0.6, "cue", "I spoke with ", "I slept with "),
    Evidence("tells", _TELLS, _always, 0, 0.5, "verb", " said no", " sad no"),
)
"""In order: the first that holds gives the reason."""


def person_evidence(text: str, word: Word, before: str, opens: bool, end: int = 0) -> Judged:
    """Return a person by what stands around a name: a relation, a field, a greeting, a signature, a verb of saying."""
    start = word.start
    if before in known.RELATIONS and text[start - 1 : start] == " ":
        return Judged(PERSON, 0.6, "cue")
    if word.marks & _COMMON and _SPEECH.match(text, word.end) and _SPEAKER.search(text, max(0, start - BACK), start):
        return NOTHING  # "Doctor: Good, so where are you living now?"
    back = text[max(0, start - 2 * BACK) : start]
    for row in EVIDENCE:
        near = back[-row.back :] if row.back else ""
        if not row.gate(near, opens):
            continue
        if row.name == "cue" and _HEADING.match(text, word.start):
            continue
        if row.pattern.search(near) if row.back else row.pattern.match(text, end or word.end):
            return Judged(PERSON, row.score, row.why)
    return NOTHING


_COMMON: Final = Marks.COMMON
_SPEAKER: Final = lazy_regex(r"(?:[Pp]atient|[Dd]octor): ?$")
_SPEECH: Final = lazy_regex(r"[,!?]|\.? [a-z]")
AFTER_SUBJECT: Final = lazy_regex(
    r"(?:'s|,? (?:and(?= [A-Z])|is|was|has|had|says|said|who|will|lives|lived|wrote|began|went|came|called|told|asked"
    r"|works|shouted|spent|joined|left|made|took|got|gave|died|moved|looked|smiled)(?![A-Za-z])|: [\"A-Z]|, can )"
)
_ORDER: Final = lazy_regex(
    r" (?:as|the|a|an|your|my|our|his|this|that|these|all|each|any|it|them|to|up|out|access)(?![A-Za-z])"
)
_OBJECT: Final = lazy_regex(" (?:the|it|them|each|both)(?![A-Za-z])")
_NAMES_NOT_THINGS: Final = lazy_regex(r": ?[\"']|,? (?:and|&) [A-Z]|'s (?!a |an |the )|,? (?:said|says|told|asked)")
_CAMEL: Final = lazy_regex(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_SYLLABLE: Final = (
    "(?:hyun?|min|ji|seo|jin|woo|young|yeong|eun|soo|su|hye|jae|jun|joon|sung|seung|kyung|gyeong|myung|sang|dong|ki"
    "|gi|hee"
    "|hui|ho|won|mi|na|ra|ah|yeon|yun|yoon|in|il|chul|cheol|tae|byung|bong|hwan|hoon|hun|hyeok|hyuk|ye|yu|a|ri|rim"
    "|sook|suk"
    "|jung|jeong|kwang|kyu|gyu|nam|sik|bin|bum|beom|chan|da|do|ha|han|jong|joo|ju|kun|man|mun|moon|nim|og|ok|rae"
    "|sun|wan|yong"
    "|mei|ming|wei|xiao|hong|hui|ying|yan|li|ling|yi|yu|jie|fang|hua|jia|lan|ping|qing|xin|yun|zhen|chih|ching|chun"
    "|fen|hsin"
    "|hsiu|kuo|shu|tsung|wen|ya|yen|yin|yung|chi|chia|chen|hao|hsiang|hung|jen|jui|kai|lung|mao|te|ting|wu)"
)
TWO_SYLLABLES: Final = lazy_regex(f"{_SYLLABLE}-{_SYLLABLE}")
"""Given names of two syllables, as Korean and Chinese ones are written in Latin letters."""
_INNER_CAPITAL: Final = lazy_regex(
    r"(?:Mc|Mac|O'|D'|De|Di|Du|La|Le|Van|Von|Fitz|St|Al|El|Jo|Ann|Mary)[A-Z][a-z]+(?:['-][A-Za-z]+)?"
)


def is_field(text: str, end: int) -> bool:
    """Return whether the label of a person's name, with its colon, ends here."""
    return _FIELD.search(text[max(0, end - 2 * BACK) : end]) is not None


def is_camel(word: str) -> bool:
    """Return whether a word has capitals inside, as names of programs have them: CardRecognizer, not McAllister."""
    return not word[1:].islower() and _CAMEL.search(word) is not None and _INNER_CAPITAL.fullmatch(word) is None


def stands_as_word(text: str, start: int, end: int, low: str) -> bool:
    """Return whether a name that is an ordinary word too heads a sentence as that word: Joy is just a word."""
    if low not in known.NOUNS and (low not in known.ADJECTIVES or AFTER_SUBJECT.match(text, end)):
        return False
    if _NAMES_NOT_THINGS.match(text, end) or ACTS.match(text, end):
        return False
    before = text[max(0, start - BACK) : start]
    bare = before.rstrip(" \t\"'([])*_>-")
    return not bare or bare[-1] in ".!?:;\n|" or bare[-1] == OTHER or "\n" in before[len(bare) :]


_NOUN: Final = lazy_regex(" (?P<noun>[a-z]{3,20})(?![\\w'-])")
_NO_NOUN: Final = lazy_regex(
    "(?:ed|ing|ly|ful|less|ous|ive|able|ible|ant|[^m]ent|al|ic|ish|ier|iest|(?<![tcrgph])y|body|thing|where|self|men)\\Z"
)
"""Ends of verbs, adjectives, adverbs and pronouns, which stand behind persons: Rose tearful."""
_ACTED_ON: Final = lazy_regex(
    "(?:did|does|do|will|would|can|could|should|may|might|must|let|lets|make|makes|made|help|helps|helped|saw|see|heard"
    "|watch|watched|have|had|tell|told|give|gave|gives|ask|asked|send|sent|show|showed|bring|brought|buy|bought|get|got"
    "|owe|owes|owed|pay|paid|call|called|find|found|keep|kept|teach|taught|lend|lent|wish|offer|offered|cost|fed) \\Z",
    re.IGNORECASE,
)
"""Words before a person who is given something, or whom a verb follows: gave Rose money."""


_FIRST_OF_TWO: Final = lazy_regex(r"[a-z,;] [A-Z][a-z]+ \Z")
"""A capital within a sentence before another: the Filthy Frank reaction."""


def modifies_thing(text: str, start: int, end: int) -> bool:
    """Return whether the noun of a thing stands right behind a name that is a word too: Gates kit."""
    behind = _NOUN.match(text, end)
    if behind is None or not _is_noun(behind["noun"]) or _ACTED_ON.search(text, max(0, start - 10), start):
        return False
    if _FIRST_OF_TWO.search(text, max(0, start - 20), start):
        return False
    return not (text[behind.end() - 1] == "s" and text[behind.end() : behind.end() + 1] in _STOPS)  # Max whines.


_STOPS: Final = frozenset(".!?")


@lru_cache(maxsize=1 << 12)
def _is_noun(low: str) -> bool:
    """Return whether a word behind a name can hardly be its verb, or tell of a person."""
    if low in known.FUNCTION_WORDS or low in known.behind_persons():
        return False
    if not low.endswith("s") or low.endswith("ss"):
        return _is_plain(low) and _NO_NOUN.search(low) is None
    verb = low[:-1].removesuffix("e")
    return _is_plain(low) and not any(map(_is_plain, (f"{verb}ed", f"{verb}ing", f"{verb[:-1]}ied")))


def _is_plain(low: str) -> bool:
    marks = known.lists().words.get(low, 0)
    return bool(marks & Marks.COMMON) or marks == Marks.SMALL


def begins_order(text: str, end: int, *, firm: bool, plain: bool) -> bool:
    """Return whether what stands behind a word makes it the verb of an order: mark the date, brown the mince.

    ``firm``: the word is a listed verb; ``plain``: it is an ordinary word, which only an object makes a verb.
    """
    return (firm and _ORDER.match(text, end) is not None) or (plain and _OBJECT.match(text, end) is not None)
