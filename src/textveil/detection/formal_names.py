"""Names by how they are written: Mrs J Pettifer and PETTIFER, Agnes in letters; small letters in chats."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, compress
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import (
    Seen,
    both,
    either,
    holding,
    joined_words,
    matching,
    places_of,
    with_words,
)
from textveil.detection.lists import Marks, frequent_words, lists, marks_of_all
from textveil.detection.people_in_records import is_plain_form, is_plain_word, is_thing
from textveil.text.patterns import lazy_regex, matches, matches_at, words_of

_WORD: Final = r"[A-Z][A-Za-z]*(?:['-][A-Za-z]+)*"
_TITLED: Final = lazy_regex(
    r"[MDPHFSRCN](?<![A-Za-z].)(?:(?<=M)(?:rs?|s|x|iss|RS?|S|ISS)|(?<=D)(?:r|R|ame)|(?<=P)(?:rof|ROF)|(?<=H)err"
    r"|(?<=F)rau|(?<=S)(?:ir|ister)|(?<=R)ev|(?<=C)llr|(?<=N)urse)\.? {1,2}"
    r"(?P<name>(?:(?:[A-Z]\.? ?){1,3}(?<= )|[A-Z][a-z]+(?:-[A-Z][a-z]+)? (?:[A-Z]\.? )?(?=[A-Z]['A-Z-]{2}))"
    r"(?:(?:v[ao]n|de[lnr]?|di|da|du|la|le|te[rn]|zu|bin|al|el) ){0,3}"
    rf"(?P<family>{_WORD}))(?![A-Za-z0-9_])"
)
"""Behind a title: initials, or a given name, and a family name; in the latter case in capitals."""

_FOLLOWING: Final = lazy_regex(r" ([A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?![A-Za-z0-9_])")
"""A word that may be another family name: it is not ordinary."""

_LABELED: Final = lazy_regex(
    r"(?<![A-Za-z])(?:P[Tt]|[Pp]atient|PATIENT|[Cc]lient|CLIENT|[Rr]esident|RESIDENT|[Rr]e|RE|[Nn]ames?|NAMES?)"
    r"(?:\.?[\"']? ?[:=#]|(?<=P[Tt])\.?(?= ))[ \t\"'*]{0,4}"
    rf"(?P<name>(?:(?:v[ao]n|de[lnr]?|la|le|bin|al) ){{0,2}}(?P<family>{_WORD}(?: {_WORD})?), (?P<given>{_WORD})"
    r"(?: [A-Z]\b\.?)?)"
)
_LABELS: Final = joined_words("pt patient client resident re name names")
_FILED: Final = lazy_regex(r",(?<=[A-Z][A-Z],) (?P<given>[A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?: [A-Z]\b\.?)?(?![A-Za-z0-9_])")
"""Behind a word in capitals: a comma and a given name."""

_ENDS_IN_CAPITALS: Final = lazy_regex(
    r"[A-Z](?<![\w'-].)(?P<given>[a-z]{2,20}(?:-[A-Z][a-z]+)?) (?P<family>[A-Z]['A-Z]['A-Z-]{2,24})(?![\w'-])",
    within=" [A-Z]['A-Z]['A-Z-]",
)
"""A given name, and a family name in capitals."""

_IN_CAPITALS: Final = lazy_regex(r"[A-Z]['A-Z-]{3,24}(?<=[A-Z])$")
_SIGNED: Final = lazy_regex(
    r"[-~](?<=[.!?)\"] .) ?(?P<name>[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,20}| [A-Z]\.?)?)(?=[\"']?[ \t]*(?:\n|$))"
)
"""Behind the end of a sentence and a dash, at the end of a line."""

_TICKET: Final = lazy_regex(
    r"[A-Z](?<![A-Za-z0-9/].)[A-Z'-]{1,24}/[A-Z]{2,20}(?: [A-Z]{2,20})? ?(?<=[A-Z ])(?:MR|MRS|MS|MISS|MSTR|CHD|INF|DR)"
    r"(?![A-Za-z0-9])"
)
"""A passenger as tickets have it: SAYLE/IMOGEN MS."""

_JOINT: Final = r"(?:St\.? |(?:(?:van|von|der|den|de|del|di|du|la|le|al|ap|bin) ){1,3})"
_WORDED: Final = lazy_regex(
    r"[WMJATC](?<![\w.'-].)(?:ill|ay|une|pril|ugust|y|hristian|hase)(?<=Will|.May|June|pril|gust|..Ty|tian|hase)"
    r" (?=[A-Za-z])"
    rf"(?P<joint>{_JOINT})?(?P<last>{_WORD})(?![\w@])"
)
"""A given name that is a verb or a month, and a family name: Will Carpenter, June Field."""
_DATED: Final = lazy_regex(
    r"(?i)(?:(?:^|[^a-z])(?:in|since|until|till|during|this|next|last|early|late|mid|every|each|between"
    r"|(?<!thanks )(?<!spoke )(?<!ed )(?<!en )(?:by|of|from|to)|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)(?:,? (?:and|or|to|-))?|[0-9.,-]) \Z"
)
_NO_FAMILY: Final = words_in("day days bank fool fools ball fair fest festival sale sales board act bill holiday term")
_SUBJECT: Final = lazy_regex(
    r"'s |, | (?:[a-z]{2,12}s|[a-z]{3,12}ed|and (?=[A-Z])|had|came|went|said|told|left)(?![a-z])"
)
_ENDS: Final = lazy_regex(r":? ?(?:[\n(:;]|-(?= )|\Z)| (?:being|here|v|is|and|x)(?![a-z])")
_LONGEST: Final = 25
_ACRONYM: Final = 4  # letters of a word in capitals that may be short for something

_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_ORDINARY: Final = int(Marks.COMMON | Marks.OTHER | Marks.SMALL)
HONORS: Final = words_in(
    """md phd mbe obe cbe kbe dbe kc qc frcp frcs frcgp frcpch frcpsych mrcp mrcs mrcgp mrcpch mrcpsych mbbs mbchb bds
    dphil msc bsc mba llb llm jp mp msp ms rn np pa do mrcvs
    mrcog mrcpath frcvs frca frcr frcog frcpath rgn rmn dds dvm pharmd facs facp faan esq jnr snr cpa ceo cfo cto nhs"""
)
"""Capitals behind a name that are no part of it: honors, degrees, offices."""

FORMAL_GATE: Final = either(
    with_words(
        "mr mrs ms mx miss dr prof herr frau sir dame rev cllr sister nurse pt patient client resident re name names"
    ),
    matching(
        r"[A-Z](?:(?<=[a-z] .)['A-Z]['A-Z-]{2}|(?<=[A-Z][A-Z], .)[a-z]|(?<=[.!?)\"] [~-].)|(?<=[.!?)\"] [~-] .)"
        r"|/[A-Z]{2})"
    ),
)


def find_formal_names(text: str) -> Iterator[Found]:
    """Yield persons in these forms, by start, none overlapping."""
    reached = 0
    for start, end, why in sorted(chain(_names_behind_words(text), _names_without_title(text))):
        if start >= reached:
            reached = end
            yield Found(start, end, "person", 0.8, why)


def _names_behind_words(text: str) -> Iterator[tuple[int, int, str]]:
    marks_of = lists().words.get
    for match in matches(_TITLED, text):
        family = match["family"].lower()
        if family not in HONORS and family not in known.FUNCTION_WORDS:
            end = match.end()
            for _ in range(2):
                following = _FOLLOWING.match(text, end)
                low = "" if following is None else following[1].lower()
                if following is None or low in known.FUNCTION_WORDS or _is_thing(marks_of(low, 0)):
                    break
                end = following.end()
            yield match.start("name"), end, "title"
    for match in matches_at(_LABELED, text, (start for start, _ in places_of(text, _LABELS))):
        parts = [marks_of(part.lower(), 0) for part in (*match["family"].split(" "), match["given"])]
        place = all(part & Marks.KNOWN_PLACE for part in parts)
        # Behind the label of a person any word before a comma and a given name is a family: Patient: Constable, John.
        sure = _is_only_given(parts[-1]) and not match[0].lower().startswith(("re:", "re ", "re=", "re#"))
        named = sure or not any(map(_is_thing, parts))
        if not place and named and match["given"].lower() not in known.FUNCTION_WORDS:
            yield *match.span("name"), "field"


def _names_without_title(text: str) -> Iterator[tuple[int, int, str]]:
    marks_of = lists().words.get
    for match in matches(_ENDS_IN_CAPITALS, text):
        given, family = marks_of(text[match.start() : match.end("given")].lower(), 0), match["family"].lower()
        named = given & Marks.GIVEN and not given & (Marks.OTHER | Marks.KNOWN_PLACE) and family not in known.COMPANIES
        if named and _is_family(family):
            yield *match.span(), "list"
    for match in matches(_TICKET, text) if "/" in text else ():
        yield *match.span(), "field"
    for match in matches(_SIGNED, text):
        if not any(is_plain_form(part) for part in match["name"].lower().rstrip(".").split(" ") if len(part) > 1):
            yield *match.span("name"), "cue"
    for match in matches(_FILED, text):
        family = _IN_CAPITALS.search(text, max(0, match.start() - _LONGEST), match.start())
        if family is None or not _is_only_given(marks_of(match["given"].lower(), 0)):
            continue
        low, alone = family[0].lower(), not text[family.start() - 1 : family.start()].isalnum()
        if alone and _is_family(low):
            yield family.start(), match.end(), "list"


_ALONE_GIVEN: Final = lazy_regex(
    r", (?<=[A-Za-z], )(?P<given>[A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?: [A-Z]\.?)?"
    r"(?:(?P<cell>(?=[ \t]{0,8}(?:[\n\t|;]|\Z)))|(?=[:)*/,]| [-0-9(/]))"
)
_ALONE_FAMILY: Final = lazy_regex(rf"(?:\A|[\n\t|;(*]|(?<=[-.)]) )[ \t]{{0,8}}(?P<name>{_WORD})\Z")
"""A family name, a comma and a given name that are a whole line or cell, or begin one."""
_BYNAME: Final = lazy_regex(
    rf"[\"'(](?P<byname>[A-Z][a-z]{{1,14}})[\"')] (?P<family>{_WORD})(?: (?P<second>{_WORD}))?(?![\w])"
)
_GIVEN_BEFORE: Final = lazy_regex(r"(?<![\w.'-])(?P<name>[A-Z][a-z]{2,20}) \Z")
_HOUSEHOLD: Final = lazy_regex(
    r"he (?<=[Tt]he )(?P<name>[A-Z][a-z]{3,20}s)"
    r"(?= (?:and|who|have|had|were|are|came|moved|live|on|at|in|to|for|from|next) |[^\w ])"
)


_ASKED: Final = lazy_regex(r"(?<![a-z])(?:asked|told|invited|thanked|visited|phoned|rang|met|neighbours,?) [Tt]\Z")


def find_listed_names(text: str) -> Iterator[Found]:
    """Yield names by public lists: Zuse, Ada on a line alone; Ada "Dot" Zuse; the Zuses; by start."""
    spans = sorted(chain(_turned(text), _with_bynames(text), _households(text)))
    reached = 0
    for start, end in spans:
        if start >= reached:
            reached = end
            yield Found(start, end, "person", 0.7, "list")


def _turned(text: str) -> Iterator[tuple[int, int]]:
    marks_of = lists().words.get
    for match in matches(_ALONE_GIVEN, text):
        family = _ALONE_FAMILY.search(text, max(0, match.start() - _LONGEST - 8), match.start())
        if family is None or not _is_only_given(marks_of(match["given"].lower(), 0)):
            continue
        low = family["name"].lower()
        marks = marks_of(low, 0)
        sure = marks & Marks.FAMILY and not marks & (Marks.PLACE | Marks.KNOWN_PLACE)  # Wells, Brandon
        alone = match["cell"] is not None and not marks & (_ORDINARY | Marks.KNOWN_PLACE)
        if (sure or alone) and low not in known.FUNCTION_WORDS | known.closing_words():
            yield family.start("name"), match.end()


def _with_bynames(text: str) -> Iterator[tuple[int, int]]:
    marks_of = lists().words.get
    for match in matches(_BYNAME, text):
        given = _GIVEN_BEFORE.search(text, max(0, match.start() - _LONGEST), match.start())
        low = match["family"].lower()
        plain = low in known.FUNCTION_WORDS or _is_thing(marks_of(low, 0))
        if given and marks_of(given["name"].lower(), 0) & Marks.GIVEN and not plain:
            yield from (given.span("name"), match.span("byname"))
            two = match["second"] and not is_plain_form(match["second"].lower())
            yield match.start("family"), match.end("second" if two else "family")


def _households(text: str) -> Iterator[tuple[int, int]]:
    marks_of = lists().words.get
    for match in matches(_HOUSEHOLD, text):
        low = match["name"].lower()
        alone = marks_of(low.removesuffix("s"), 0) | marks_of(low.removesuffix("es"), 0)
        if marks_of(low, 0) or alone & (_ORDINARY | Marks.KNOWN_PLACE) or is_plain_form(low):
            continue
        if alone & Marks.FAMILY or _ASKED.search(text, max(0, match.start() - 16), match.start()):
            yield match.span("name")


LISTED_GATE: Final = either(matching(r", (?<=[A-Za-z], )[A-Z][a-z]|he (?<=[Tt]he )[A-Z]"), holding(' "', " '", " ("))


_SIGNATURE: Final = lazy_regex(
    r"(?<![^\n])[ \t]{0,8}(?:i\. ?[AV]\.|gez\.|p\.p\.|ppa\.|sgd\.?|/s/)[ \t]{0,3}(?:(?:Dr|Prof|med)\.[ \t]){0,3}"
    rf"(?P<name>(?:[A-Z][a-z]{{0,2}}\. ?){{0,3}}(?P<family>{_WORD})(?: {_WORD}){{0,2}})(?=[ \t]{{0,4}}(?:[,(\n]|\Z))"
)
"""The name of a person who signs for another: i.A. St. Hesselmann, p.p. R. Tindle."""
_SPACED_OUT: Final = lazy_regex(
    r"(?:(?:Frau|Herrn?|Mrs?|Ms|Miss|Dr|Prof)\.? (?:[A-Z][a-z]{1,20}(?:-[A-Z][a-z]{1,20})? )?)"
    r"(?P<name>[A-Z](?: [a-z]){2,24})(?![A-Za-z'])(?! [a-z] )"
)
"""A name whose letters stand apart: Z i m m e r m a n n."""
_CALLED: Final = lazy_regex(
    r"(?<![A-Za-z])(?:Mrs?|Ms|Miss|Dr|Prof)\.? [A-Z][A-Za-z' -]{1,40} \([\"'](?P<name>[A-Z][a-z]{2,14})[\"']\)"
)
"""A short form in brackets behind a name: Mr Adebayo-Cole ("Seun")."""
_OFFICES: Final = ("abteilung", "leitung", "verwaltung", "sekretariat", "dienst", "amt", "kanzlei", "team", "buro")
SIGNED_GATE: Final = either(
    holding("i.A.", "i. A.", "i.V.", "i. V.", "gez.", "p.p.", "ppa.", "sgd", "/s/", '("', "('"),
    both(with_words("frau herr herrn mr mrs ms miss dr prof"), matching(r"[A-Z] [a-z] [a-z]")),
)


def find_signed_names(text: str) -> Iterator[Found]:
    """Yield who signs for another, names whose letters stand apart, and short forms in brackets; by start."""
    marks_of, spans = lists().words.get, []
    apart = {match.span("name") for match in matches(_SPACED_OUT, text)}
    for match in matches(_SIGNATURE, text):
        low = match["family"].lower()
        plain = low in known.FUNCTION_WORDS or low.endswith(_OFFICES) or low in frequent_words("de")
        plain = plain or _is_thing(marks_of(low, 0))
        if not plain or (marks_of(low, 0) & _NAMES and low not in known.FUNCTION_WORDS) or "." in match["name"][:4]:
            spans.append(match.span("name"))
    spans += apart
    for match in matches(_CALLED, text) if "(" in text else ():
        low = match["name"].lower()
        if not (is_plain_form(low) or low in known.RELATIONS or marks_of(low, 0) & _ORDINARY):
            spans.append(match.span("name"))
    reached = 0
    for start, end in sorted(spans):
        if start >= reached:
            reached = end
            yield Found(start, end, "id" if (start, end) in apart else "person", 0.8, "field")


WORDED_GATE: Final = both(
    with_words("will may june april august ty christian chase"),
    matching(r"(?:Will|May|June|April|August|Ty|Christian|Chase) (?:[A-Z]|[a-z]{2,3} [A-Z])"),
)


def find_worded_names(text: str) -> Iterator[Found]:
    """Yield names whose given name is a verb or a month, by start: Will Carpenter, June Field."""
    for match in matches(_WORDED, text):
        if _is_worded_name(text, match):
            yield Found(*match.span(), "person", 0.8, "list")


def _is_worded_name(text: str, match: re.Match[str]) -> bool:
    """Return whether a verb or a month before a capitalized word is a given name there."""
    low, marks = match["last"].lower(), lists().words.get(match["last"].lower(), 0)
    if low in _NO_FAMILY or low in known.FUNCTION_WORDS or (marks and not (marks & Marks.FAMILY or match["joint"])):
        return False
    before, behind = text[max(0, match.start() - 24) : match.start()], text[match.end() : match.end() + 2]
    if match[0][0] == "C" and (marks & Marks.COMMON or before[:-1].rpartition(" ")[2].lower() in known.DETERMINERS):
        return False  # the Christian Church, Chase Bank
    if match[0][0] not in "WTC" and _DATED.search(before) is not None:
        return False
    if behind[:1] == " " and behind[1:].isupper() and not _SUBJECT.match(text, match.end()):
        return False
    if not before.strip() or before.rstrip(" \"'(").endswith((*".!?:;\n",)) or "\n" in before[-3:]:
        verb = match[0][0] in "WC"
        return _SUBJECT.match(text, match.end()) is not None or (verb and _ENDS.match(text, match.end()) is not None)
    return before[-1] == "(" or before.rstrip()[-1:].islower() or before[-2:] in (", ", '" ')


def _is_only_given(marks: int) -> bool:
    return bool(marks & Marks.GIVEN) and not marks & (_ORDINARY | Marks.KNOWN_PLACE)


def _is_family(low: str) -> bool:
    """Return whether a word in capitals is a family name, or may be one: it is no ordinary word and nothing short."""
    listed = bool(lists().words.get(low, 0) & Marks.FAMILY)
    return low not in HONORS and not is_plain_form(low) and (listed or len(low) > _ACRONYM)


def _is_thing(marks: int) -> bool:
    return bool(marks & _ORDINARY) and not marks & _NAMES


_SMALL_WORD: Final = lazy_regex(r"[a-z]{1,40}+(?:['-][a-z]{1,40}+){0,8}(?![A-Za-z0-9_@/(])")
_WORDS: Final = lazy_regex(r"[a-z](?<![A-Za-z0-9_@#./'-].)[a-z]*(?:['-][a-z]+)*(?![A-Za-z0-9_@/(])")
_NEXT: Final = lazy_regex(r"(\.? )([a-z]+(?:['-][a-z]+)*)(?![A-Za-z0-9_@/])")
_CUES: Final = lazy_regex(
    r"[NnCcMmDdPp](?<![A-Za-z].)(?:ame(?:'s| is|:|(?: on the account)?\? (?:[Uu]ser:)?|d (?:him|her))|alls? (?:me|him"
    r"|her)|(?:(?<=[MmDd])r|(?<=[Mm])(?:rs|s|iss)|(?<=[Pp])rof)\b\.?)[ \t]+(?=[a-z])"
)
_CUE_WORDS: Final = joined_words("ame amed all alls r rs s iss rof", begun_by="ncmdp")
"""One of these stands in each cue."""
_THING: Final = lazy_regex(
    r"[\"',]{0,2}[ \t]{0,4}\n[ \t-]{0,24}\"?(?i:version|description|image|uses|kind|type|value|valuefrom|run"
    r"|ports):?\"?[: ]"
)
"""The next key of data about a package, a container or a step."""
_LAST_WORD: Final = lazy_regex(r"([a-z]{1,24})[ ]$")
_INTRODUCING: Final = ("my name is ", "my name's ")
"""Behind these a given name is one, though it is a word: my name is mark."""
_CLAUSE_ENDS: Final = lazy_regex(r"\Z|[.,;!?\n]| (?:and|but|i|i'm|from|here)(?![a-z])")
_BACK: Final = 24
_FEW: Final = 24  # different names in a text up to which each is searched for by itself
_NOT_SMALL: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_NAMED: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE)
_GIVEN, _FAMILY, _PLACE, _KNOWN_PLACE = map(int, (Marks.GIVEN, Marks.FAMILY, Marks.PLACE, Marks.KNOWN_PLACE))
_NAMING: Final = bytes([bool(marks & _NAMED and not marks & _NOT_SMALL) for marks in range(1 << 8)])
_FUNCTION_WORDS: Final = words_of(" ".join(known.FUNCTION_WORDS))
_SHORTEST_PLACE: Final = 5
_MOST_WORDS: Final = 4


def _names_among(words: frozenset[str]) -> list[str]:
    """Return words that name somebody or some place, and are no English words in small letters."""
    before, named = _LAST[0]
    if words <= before:  # the rest of a text whose words were looked up
        return [word for word in named if word in words]
    naming = compress(words, marks_of_all(words).translate(_NAMING))
    named = [word for word in naming if len(word) > 2 and word not in _FUNCTION_WORDS]
    _LAST[0] = words, named
    return named


_LAST: Final[list[tuple[frozenset[str], list[str]]]] = [(frozenset(), [])]
"""The words last asked for, and those of them that name: the gate asks first, then the search."""


def SMALL_NAME_GATE(text: str, seen: Seen) -> object:  # noqa: N802
    """Tell whether a text has a name in small letters or a cue of one."""
    return not _CUE_WORDS.isdisjoint(seen.words) or _names_among(seen.words)


def find_small_names(text: str) -> Iterator[Found]:
    """Yield names of persons and places in small letters."""
    marks_of = lists().words.get
    words = words_of(text)
    cued = () if _CUE_WORDS.isdisjoint(words) else {match.end() for match in matches(_CUES, text)}
    starts = dict.fromkeys(cued, True)
    for start in _places(text, _names_among(words)):
        starts.setdefault(start, False)
    reached = 0
    for start, cue in sorted(starts.items()):
        word = _SMALL_WORD.match(text, start)
        if start < reached or word is None:
            continue
        low = word[0].removesuffix("'s")
        marks = marks_of(low, 0)
        introduced = cue and marks & _GIVEN and text[max(0, start - 11) : start].lower().endswith(_INTRODUCING)
        mister = cue and text[max(0, start - 6) : start].rstrip(". ").rpartition(" ")[2] in ("mr", "mrs")
        introduced = introduced or (mister and not is_thing(low) and low not in known.FUNCTION_WORDS)
        if (
            cue
            and not introduced
            and (
                marks & _NOT_SMALL
                or (is_plain_word(low) and not marks & _NAMED)
                or low in known.FUNCTION_WORDS
                or len(low) < 2
                or _is_key(text, start, low)
            )
        ):
            continue
        behind = text[word.end() : word.end() + 2]
        valued = behind == ":\n" or behind[1:].isdigit()  # a key, and a word that has a value: chol 6.1
        kind = "person" if cue else "" if valued else _kind(text, start, low, marks)
        if kind:
            end = end_of_small_name(text, word, low, cued=cue) if kind == "person" else start + len(low)
            reached = end
            yield Found(start, end, kind, 0.6 if cue else 0.4, "cue" if cue else "")


def _places(text: str, few: Sequence[str]) -> Iterator[int]:
    names = frozenset(few)
    if len(names) > _FEW:
        for match in matches(_WORDS, text):
            if match[0].removesuffix("'s") in names:
                yield match.start()
        return
    for name in names:
        start = text.find(name)
        while start >= 0:
            if start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "_@#./'-"):
                word = _SMALL_WORD.match(text, start)
                if word and word[0].removesuffix("'s") == name:
                    yield start
            start = text.find(name, start + len(name))


def _kind(text: str, start: int, low: str, marks: int) -> str:
    """Return what a word of the lists names in small letters; nothing as a rule."""
    before = _LAST_WORD.search(text, max(0, start - _BACK), start)
    if before is not None and before[1] in ("the", "a", "an"):
        return ""
    placed = before is not None and before[1] in known.BEFORE_PLACES
    if marks & _KNOWN_PLACE and len(low) > 3:
        return "place"
    if marks & _GIVEN and not (placed and marks & _PLACE and not marks & _FAMILY):
        return "person"
    return "place" if marks & _PLACE and placed and len(low) >= _SHORTEST_PLACE else ""


def _is_key(text: str, start: int, low: str) -> bool:
    """Return whether a word behind a colon names a thing of a program, and nobody: name: payments-worker, name: str."""
    if text[max(0, start - 2) : start].strip() != ":":
        return False
    parts = low.split("-")
    marks = [lists().words.get(part, 0) for part in parts]
    if len(parts) > 1:
        return not all(mark & (_GIVEN | _FAMILY) for mark in marks)
    return not marks[0] & _NAMED and (is_plain_word(low) or _THING.match(text, start + len(low)) is not None)


_CHATTING: Final = words_in(
    "texted messaged ghosted dmed reckons fancies emailed phoned facetimed whatsapped snapped tagged"
)
"""Verbs of chats that no list of words holds: brandon texted."""


def end_of_small_name(text: str, word: re.Match[str], low: str, *, cued: bool = False) -> int:
    """Return where a name ends: with family names, initials, and words that no list holds.

    Behind a cue a family name that is a word too belongs to it where the clause ends: my name is frank fields and I.
    """
    marks_of = lists().words.get
    end = word.start() + len(low)
    position, last = word.end(), word[0]
    for _ in range(_MOST_WORDS):
        following = _NEXT.match(text, position)
        if following is None or last.endswith("'s") or (following[1] == ". " and len(last) > 1):
            break
        last = following[2]
        plain = last.removesuffix("'s")
        initial = len(plain) == 1 and plain not in "ai"
        known_word = marks_of(plain, 0) & _NOT_SMALL or plain in known.FUNCTION_WORDS or plain in _CHATTING
        closing = cued and marks_of(plain, 0) & _FAMILY and _CLAUSE_ENDS.match(text, following.end())
        if not (initial or plain in known.PARTICLES or closing) and known_word:
            break
        position = following.end()
        if not initial and plain not in known.PARTICLES:
            end = following.start(2) + len(plain)
    return end
