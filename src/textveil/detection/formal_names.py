"""Names as letters, charts and files write them: Mrs J Pettifer, Mrs Agnes PETTIFER, PETTIFER, Agnes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from textveil.detection import name_words as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import either, matching, with_words
from textveil.detection.lists import Marks, lists
from textveil.detection.person_fields import is_plain_form
from textveil.text.patterns import lazy_regex, matches

_WORD: Final = r"[A-Z][A-Za-z]*(?:['-][A-Za-z]+)*"
_TITLED: Final = lazy_regex(
    r"[MDPHFSRCN](?<![A-Za-z].)(?:(?<=M)(?:rs?|s|x|iss|RS?|S|ISS)|(?<=D)(?:r|R|ame)|(?<=P)(?:rof|ROF)|(?<=H)err"
    r"|(?<=F)rau|(?<=S)(?:ir|ister)|(?<=R)ev|(?<=C)llr|(?<=N)urse)\.? {1,2}"
    r"(?P<name>(?:(?:[A-Z]\.? ?){1,3}(?<= )|[A-Z][a-z]+(?:-[A-Z][a-z]+)? (?:[A-Z]\.? )?(?=[A-Z]['A-Z-]{2}))"
    rf"(?P<family>{_WORD}))(?![A-Za-z0-9_])"
)
"""Behind a title: initials, or a given name, and a family name; in the latter case in capitals."""

_FOLLOWING: Final = lazy_regex(r" ([A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?![A-Za-z0-9_])")
"""What may be another family name: a word that is not ordinary."""

_LABELED: Final = lazy_regex(
    r"(?<![A-Za-z])(?:P[Tt]|[Pp]atient|PATIENT|[Cc]lient|CLIENT|[Rr]esident|RESIDENT|[Rr]e|RE|[Nn]ames?|NAMES?)"
    r"\.?[\"']? ?[:=#][ \t\"'*]{0,4}"
    rf"(?P<name>(?:(?:v[ao]n|de[lnr]?|la|le|bin|al) ){{0,2}}(?P<family>{_WORD}(?: {_WORD})?), (?P<given>{_WORD})"
    r"(?: [A-Z]\b\.?)?)"
)
_FILED: Final = lazy_regex(r",(?<=[A-Z][A-Z],) (?P<given>[A-Z][a-z]+(?:-[A-Z][a-z]+)?)(?: [A-Z]\b\.?)?(?![A-Za-z0-9_])")
"""Behind a word in capitals: a comma and a given name."""

_ENDS_IN_CAPITALS: Final = lazy_regex(
    r"[A-Z](?<![\w'-].)(?P<given>[a-z]{2,20}(?:-[A-Z][a-z]+)?) (?P<family>[A-Z]['A-Z]['A-Z-]{2,24})(?![\w'-])"
)
"""A given name, and a family name in capitals."""

_IN_CAPITALS: Final = lazy_regex(r"[A-Z]['A-Z-]{3,24}(?<=[A-Z])$")
_SIGNED: Final = lazy_regex(
    r"[-~](?<=[.!?)\"] .) ?(?P<name>[A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,20}| [A-Z]\.?)?)(?=[\"']?[ \t]*(?:\n|$))"
)
"""Behind the end of a sentence and a dash, at the end of a line."""

_SENDER: Final = lazy_regex(
    r"(?<![^\n])\[?[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4},? [0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?"
    r"(?: ?[APap]\.?[Mm]\.?)?(?:\]| -) (?P<name>[A-Z][A-Za-z.'-]*(?: [A-Za-z.'-]{1,20}){0,3})(?=[^\w\n:]{0,6}: )"
)
"""Who wrote a line of a chat, behind its date and time."""

_LONGEST: Final = 25
_ACRONYM: Final = 4
"""Letters of a word in capitals that may be short for something."""

_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_ORDINARY: Final = int(Marks.COMMON | Marks.OTHER | Marks.SMALL)
_HONORS: Final = words_in(
    """md phd mbe obe cbe kbe dbe kc qc frcp frcs frcgp frcpch frcpsych mrcp mrcs mrcgp mrcpch mrcpsych mbbs mbchb bds
    dphil msc bsc mba llb llm jp mp msp ms rn np pa do dds dvm pharmd facs facp faan esq jnr snr cpa ceo cfo cto nhs"""
)
"""What stands behind a name in capitals and is none: honors, degrees, offices."""

FORMAL_GATE: Final = either(
    with_words(
        "mr mrs ms mx miss dr prof herr frau sir dame rev cllr sister nurse pt patient client resident re name names"
    ),
    matching(
        r"[] ,~-](?:(?<=[a-z] )[A-Z]['A-Z]['A-Z-]{2}|(?<=[A-Z][A-Z],) [A-Z][a-z]|(?<=[.!?)\"] [~-]) ?[A-Z]"
        r"|(?:(?<=[0-9Mm.]\])|(?<=[0-9Mm.] -)) [A-Z])"
    ),
)


def find_formal_names(text: str) -> Iterator[Found]:
    """Persons in these forms, by start, none overlapping."""
    reached = 0
    for start, end, why in sorted(chain(_names_behind_words(text), _names_without_title(text))):
        if start >= reached:
            reached = end
            yield Found(start, end, "person", 0.8, why)


def _names_behind_words(text: str) -> Iterator[tuple[int, int, str]]:
    marks_of = lists().words.get
    for match in matches(_TITLED, text):
        family = match["family"].lower()
        if family not in _HONORS and family not in known.FUNCTION_WORDS:
            end = match.end()
            for _ in range(2):
                following = _FOLLOWING.match(text, end)
                low = "" if following is None else following[1].lower()
                if following is None or low in known.FUNCTION_WORDS or _is_thing(marks_of(low, 0)):
                    break
                end = following.end()
            yield match.start("name"), end, "title"
    for match in matches(_LABELED, text):
        parts = [marks_of(part.lower(), 0) for part in (*match["family"].split(" "), match["given"])]
        place = all(part & Marks.KNOWN_PLACE for part in parts)
        if not place and not any(map(_is_thing, parts)) and match["given"].lower() not in known.FUNCTION_WORDS:
            yield *match.span("name"), "field"


def _names_without_title(text: str) -> Iterator[tuple[int, int, str]]:
    marks_of = lists().words.get
    for match in matches(_ENDS_IN_CAPITALS, text):
        given, family = marks_of(text[match.start() : match.end("given")].lower(), 0), match["family"].lower()
        if _is_only_given(given) and _is_family(family):
            yield *match.span(), "list"
    for match in matches(_SIGNED, text):
        if not any(is_plain_form(part) for part in match["name"].lower().rstrip(".").split(" ") if len(part) > 1):
            yield *match.span("name"), "cue"
    for match in matches(_SENDER, text):
        if not all(map(is_plain_form, match["name"].lower().split(" "))):
            yield *match.span("name"), "field"
    for match in matches(_FILED, text):
        family = _IN_CAPITALS.search(text, max(0, match.start() - _LONGEST), match.start())
        if family is None or not _is_only_given(marks_of(match["given"].lower(), 0)):
            continue
        low, alone = family[0].lower(), not text[family.start() - 1 : family.start()].isalnum()
        if alone and _is_family(low):
            yield family.start(), match.end(), "list"


def _is_only_given(marks: int) -> bool:
    return bool(marks & Marks.GIVEN) and not marks & (_ORDINARY | Marks.KNOWN_PLACE)


def _is_family(low: str) -> bool:
    """Whether a word in capitals is a family name, or may be one: it is no ordinary word and nothing short."""
    listed = bool(lists().words.get(low, 0) & Marks.FAMILY)
    return low not in _HONORS and not is_plain_form(low) and (listed or len(low) > _ACRONYM)


def _is_thing(marks: int) -> bool:
    return bool(marks & _ORDINARY) and not marks & _NAMES
