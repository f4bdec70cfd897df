"""Writers and receivers: headers of mails in all languages, and the lines of a chat.

A line of a chat tells its writer only beside other such lines: one alone may be a field of a form.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from textveil.detection import lists as known
from textveil.detection.found import Found, words_in
from textveil.detection.gates import holding
from textveil.detection.language_words import names_nobody
from textveil.detection.languages import language_of
from textveil.detection.lists import Marks, lists
from textveil.detection.people_in_records import (
    is_plain_form,
    is_plain_word,
    is_role,
    is_thing,
    line_end,
    names_somebody,
)
from textveil.text.patterns import check_time, lazy_regex, matches

SENDER_GATE: Final = holding(":")

_CLOCK: Final = r"[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?: ?[APap]\.?[Mm]\.?)?"
_WHO: Final = r"[@~]?[A-Za-z][\w.'-]{1,24}(?: [A-Z][\w.'-]{0,20}| \([A-Z][a-z]{1,20}\)){0,3}"
_DATED: Final = lazy_regex(
    rf"\[?[0-9]{{1,4}}[./-][0-9]{{1,2}}[./-][0-9]{{1,4}},? {_CLOCK}(?:\]| -) (?P<name>[A-Z][A-Za-z.'-]*"
    r"(?: [A-Za-z.'/-]{1,20}){0,3})(?=(?: [0-9][\w./-]{0,5}(?: [A-Z]{1,3})?)?[^\w\n:]{0,6}: )"
)
_TODAY: Final = (
    r"(?:(?: -)? ?(?:[Tt]oday|[Yy]esterday|[Hh]eute|[Gg]estern|[Hh]oy|[Aa]yer|[Oo]ggi|[Ii]eri)(?: at| um)?)?"
)
_CLOCKED: Final = lazy_regex(
    rf"(?:(?P<name>{_WHO}){_TODAY}(?: {{1,4}}|\t)\[?{_CLOCK}\]?(?=:? |[\t\n]|\Z)"
    rf"|\[?{_CLOCK}\]? [<]?(?P<second>{_WHO})(?:>|: ))"
)
_SPOKEN: Final = lazy_regex(r"[ \t>*-]{0,4}(?P<name>[@]?[A-Za-z][\w.'-]{1,24}(?: [A-Z][\w.'-]{0,20}){0,2}) ?: +(?=\S)")
_PART: Final = lazy_regex("[A-Za-z]+")
_HEADER: Final = lazy_regex(
    r"[ \t>*]{0,8}(?P<label>[A-Za-z][A-Za-z -]{0,14}?)\*{0,2} ?: ?\*{0,2}[ \t]{0,4}(?P<value>[^\n]*)"
)
_SUBJECTS: Final = words_in(
    """subject betreff objet oggetto asunto assunto onderwerp temat emne amne konu aihe predmet subiect targy
    naslov sent date datum gesendet envoye fecha data inviato verzonden wyslano skickat sendt tarih lahetetty
    perihal enviado"""
)
_SENDERS: Final = words_in(
    """from to cc bcc sender reply-to von an kopie de a para da per aan van od do komu fra til fran till kopia
    kimden kime kenden lahettaja vastaanottaja dari kepada catre felado cimzett prima kdo komu mittente
    destinatario remitente remetente afzender absender empfanger expediteur destinataire nadawca odbiorca
    posiljatelj salje"""
)
_MAILBOX: Final = lazy_regex(
    r"(?:^|(?<=[;,>\]])|(?<=; )|(?<=, ))[ \"']{0,3}"
    r"(?P<name>[A-Za-z][^<>;\[\]\"\n@():/]{1,60}?)[\"']?[ \t]*(?=[<;\[(]|$)"
)
_WORD_MARKS: Final = int(Marks.COMMON | Marks.SMALL | Marks.OTHER)
_MOST_LINES: Final = 8
_SHORTEST_IN_CAPITALS: Final = 5  # letters; shorter words in capitals stand for something


def find_senders(text: str) -> Iterator[Found]:
    """Yield who sends and who receives a mail, and who writes the lines of a chat, by start."""
    spans = []
    clocked: list[re.Match[str]] = []
    spoken: list[re.Match[str]] = []
    start = 0
    while start < len(text):
        check_time()
        dated = _DATED.match(text, start) if text[start] in "[0123456789" else None
        if dated is not None:
            if not all(map(is_plain_form, dated["name"].lower().split(" "))) or _is_given(dated["name"].lower()):
                spans.append(Found(*dated.span("name"), "person", 0.8, "field"))
        elif line := _CLOCKED.match(text, start):
            clocked.append(line)
        elif line := _SPOKEN.match(text, start):
            spoken.append(line)
        start = line_end(text, start) + 1
    spans += _in_headers(text, spoken)
    spans += _titled(text, spoken)
    spans += _posters(text, spoken)
    spans += _writers(
        text,
        [line.span("name" if line["name"] else "second") for line in clocked],
        firm=True,
        talk=_is_lively(text, clocked),
    )
    spans += _writers(text, [line.span("name") for line in spoken], firm=False, talk=_is_talk(text, spoken))
    yield from sorted(spans)


def _titled(text: str, spoken: list[re.Match[str]]) -> Iterator[Found]:
    """Yield who speaks by a title and a name in capitals: MR LOCKE: in the transcript of a hearing."""
    for line in spoken:
        title, _, name = line["name"].partition(" ")
        if title.isupper() and name.isupper() and title.lower() in known.FIRM_TITLES:
            other = name.lower() in known.TITLES or name.lower() in known.INSTITUTIONS or is_role(name.lower())
            if not other and name.lower() not in _PARTS_OF_TALK:
                yield Found(line.end("name") - len(name), line.end("name"), "person", 0.7, "field")


def _posters(text: str, spoken: list[re.Match[str]]) -> Iterator[Found]:
    """Yield who writes the posts of a page by a handle, if two of them at least say something: nana_pat: who is it."""
    lines = [line for line in spoken if _POSTER.fullmatch(line["name"]) and not _has_part(line["name"])]
    said = [_says(text, line.end()) for line in lines]
    if 2 * sum(said) > len(lines) > 1 and any(not line["name"].isalpha() for line in lines):
        yield from (Found(*line.span("name"), "handle", 0.7, "field") for line in lines)


_POSTER: Final = lazy_regex(r"(?=[a-z_.-]{0,24}[0-9_.])[a-z][a-z0-9_.-]{3,24}")


def _says(text: str, start: int) -> bool:
    """Return whether a sentence stands from here to the end of the line."""
    words = text[start : min(line_end(text, start), start + _SAID)].lower().replace(",", " ").split()
    return len(words) > 1 and not _TALKING.isdisjoint(word.strip(".!?") for word in words)


def _writers(text: str, lines: list[tuple[int, int]], *, firm: bool, talk: bool = False) -> Iterator[Found]:
    """Yield the writers of lines that begin alike, of which there must be two.

    ``firm``: a time stands beside them; ``talk``: they are a chat in small letters.
    """
    if len(lines) < 2:
        return
    written = [text[start:end] for start, end in lines]
    often = Counter(written)
    sure = [name for name in often if _is_writer(name, firm=False)]
    if not sure and not firm and not talk:
        return
    repeated = len(lines) > len(often)
    chat = firm or (len(often) > 1 and repeated)
    if talk and firm:
        sure += [name for name in often if name.isalpha() and not _has_part(name.lower())]
    elif talk:  # beside a name, or in a longer talk, also a name that is a word: kev
        named = sure or [name for name in often if not is_plain_form(name.lower()) and _is_writer(name, firm=True)]
        named = named or [name for name in often if often[name] > 1 and _is_given(name)]
        if not named and len(lines) >= _MOST_LINES - 2:
            named = [name for name in often if often[name] > 1 and name.islower() and not _has_part(name)]
        words = [name for name in often if often[name] > 1 and (_is_called(name) or _is_given(name))] if named else []
        if named and len(often) <= _MOST_WRITERS and all(map(str.islower, often)):
            words = [name for name in often if often[name] > 1 and not _has_part(name)]
        sure, chat = [*named, *words], False
    for (start, end), name in zip(lines, written, strict=True):
        again = often[name] > 1 or (firm and (repeated or _is_given(name.lower())))
        if name in sure or (chat and again and _is_writer(name, firm=True)):
            handle = not name.replace("'", "").replace("-", "").replace(" ", "").replace(".", "").isalpha()
            yield Found(start, end, "handle" if handle else "person", 0.7, "field")


def _is_talk(text: str, lines: list[re.Match[str]]) -> bool:
    """Return whether lines in small letters are a chat: few begin alike, and behind most stands a sentence."""
    often = Counter(line["name"] for line in lines)
    small = sum(line["name"].islower() for line in lines)
    if len(lines) < _MOST_LINES // 2 or not 1 < len(often) <= len(lines) * 2 // 3 or 2 * small <= len(lines):
        return False
    if _is_lively(text, lines):
        return True
    return sum(_says(text, line.end()) for line in lines) * 2 > len(lines)


def _is_lively(text: str, lines: list[re.Match[str]]) -> bool:
    """Return whether few writers in small letters take turns, and half of the lines ask, call or chat."""
    names = [line[line.lastgroup or 0] for line in lines]
    turns = sum(one != other for one, other in pairwise(names))
    few = 0 < len(set(names)) <= min(_MOST_WRITERS, 2 * len(names) // 3)
    if not few or 2 * turns < len(names) or not all(map(str.islower, names)):
        return False
    said = (text[line.end() : min(line_end(text, line.end()), line.end() + _SAID)].strip() for line in lines)
    lively = (
        words[-1:] in ("?", "!", ")") or not _TALKING.isdisjoint(words.lower().rstrip(".,!?").split()) for words in said
    )
    return 2 * sum(lively) >= len(names)


_MOST_WRITERS: Final = 5
_TALKING: Final = (
    known.FUNCTION_WORDS | known.chat_words() | words_in("ok okay yes yeah no hi hey hello thanks bye sure")
)
_SAID: Final = 120
_BYNAMES: Final = words_in("big little wee lil old young mad fat tall slim lady king uncle auntie aunty nan nana gran")
_PARTS_OF_TALK: Final = words_in(
    "agent caller operator customer visitor host guest interviewer interviewee respondent question answer system bot"
    " assistant human teacher student doctor nurse patient tutor coach boss seller buyer client user me you"
    " support staff speaker reporter moderator participant admin edit update note tags image title"
)


def _has_part(name: str) -> bool:
    """Return whether a writer's name is a part in a talk, a relation, a role or a key of data."""
    other = name in _PARTS_OF_TALK or name in known.RELATIONS or name in known.TITLES or name in known.FUNCTION_WORDS
    return other or is_role(name) or name in _KEYS


_KEYS: Final = words_in(
    """name id key value type date time size color status state error warning info debug level path file line host port
    from to subject title text body url link price total count number code version step note question answer yes no"""
)


def _is_called(name: str) -> bool:
    """Return whether a writer of a chat can bear a word as a name: it is no part in a talk."""
    other = name in _PARTS_OF_TALK or name in known.RELATIONS or name in known.TITLES or name in known.NOUNS
    return lists().words.get(name, 0) & _WORD_MARKS == Marks.COMMON and not other and not is_thing(name)


def _is_given(name: str) -> bool:
    """Return whether a writer of a chat is a given name in small letters, whatever word it is too: rose."""
    return name.islower() and bool(lists().words.get(name, 0) & Marks.GIVEN) and not is_thing(name)


def _is_writer(name: str, *, firm: bool) -> bool:
    """Return whether a name is a person's: listed as one and no ordinary word; ``firm``: a listed one, or unknown."""
    parts = [part.lower() for part in _PART.findall(name) if len(part) > 1]
    if firm and len(parts) > 1 and parts[0] in _BYNAMES and name[0].isupper():
        return True  # Big Col
    parts = parts[1:] if len(parts) > 1 and parts[0] in _BYNAMES else parts
    marks = [lists().words.get(part, 0) for part in parts]
    given = [bool(mark & (Marks.GIVEN | Marks.FAMILY)) for mark in marks]
    plain = list(map(is_plain_form, parts))
    if name.isupper() and len(name) < _SHORTEST_IN_CAPITALS:
        return False  # ROM: pain with flexion
    if not parts or any(part in known.FUNCTION_WORDS or part in known.INSTITUTIONS for part in parts) or name in _KEYS:
        return False
    if firm and given[0] and name[0].isalpha():
        return True
    if (
        firm
        and name.islower()
        and len(parts) == 1
        and marks[0] & _WORD_MARKS == Marks.COMMON
        and not is_thing(parts[0])
    ):
        return parts[0] not in known.NOUNS
    if firm and "_" in name and not (all(plain) or any(map(is_thing, parts))):
        return True
    unknown = firm and not any(plain)
    return (
        any(is_given and not word for is_given, word in zip(given, plain, strict=True))
        and not any(word and not is_given for is_given, word in zip(given, plain, strict=True))
    ) or (unknown and not any(mark & Marks.KNOWN_PLACE for mark in marks))


def _in_headers(text: str, spoken: list[re.Match[str]]) -> Iterator[Found]:
    """Yield the persons of the lines of a header around its subject or its date."""
    reached = 0
    for line in spoken:
        if line["name"].lower() not in _SUBJECTS or line.start() < reached:
            continue
        first = line.start()
        for _ in range(_MOST_LINES):
            above = text.rfind("\n", 0, first - 1) + 1 if first else 0
            if above < reached or above == first or not _HEADER.match(text, above, first):
                break
            first = above
        for _ in range(2 * _MOST_LINES):
            header = _HEADER.match(text, first)
            if header is None:
                break
            if header["label"].lower().replace(" ", "-").strip("-") in _SENDERS:
                language = language_of(text)
                for start, end in _mailboxes(header["value"]):
                    if names_nobody(header["value"][start:end], language):
                        continue  # Aan: Tandarts
                    offset = header.start("value")
                    yield Found(offset + start, offset + end, "person", 0.8, "field")
            first = reached = line_end(text, first) + 1
            if first >= len(text):
                break


def _mailboxes(value: str) -> Iterator[tuple[int, int]]:
    """Yield where the names of a header's value stand: Ada Zuse <a@z>, "Zuse, Ada"; or "Ada Zuse, Bea Noor"."""
    for box in matches(_MAILBOX, value):
        start, name = box.start("name"), box["name"].split(" via ", 1)[0].rstrip(" ,")
        parts = name.split(", ")
        several = len(parts) > 2 or all(" " in part for part in parts)
        for part in parts if several else [name]:
            titles = [word for word in part.split(" ") if word.rstrip(".").lower() in known.TITLES]
            bare = part[len(" ".join(titles)) + bool(titles) :] if titles and part.startswith(titles[0]) else part
            begin = start + len(part) - len(bare)
            if _can_be_sender(bare):
                yield begin, begin + len(bare)
            start += len(part) + 2


def _can_be_sender(name: str) -> bool:
    words = _PART.findall(name)
    if not words or not name[0].isalpha() or sum(map(len, words)) < 2:
        return False
    if name.islower():
        return len(words) > 1 and not any(map(is_plain_word, words))
    turned = ", " in name and len(words) <= _MOST_WORDS and not any(map(str.islower, words))
    lows = [word.lower() for word in words]
    return names_somebody(name) or (turned and not (all(map(is_plain_form, lows)) or any(map(_names_group, lows))))


def _names_group(low: str) -> bool:
    return low in known.INSTITUTIONS or low in known.COMPANY_ENDS or low in known.FUNCTION_WORDS


_MOST_WORDS: Final = 4
