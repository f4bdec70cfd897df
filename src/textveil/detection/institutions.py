"""Institutions by their words: where a company, a court or a hospital begins and ends, and its short forms; clubs.

A club's name is one thing, in every language: Hertha BSC, VfL Wolfsburg, the Miami Dolphins. Letters that stand for
more than clubs count only where the text tells of sport, and what a band may be called where it tells of music.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Final, NamedTuple

from textveil.detection import lists as known
from textveil.detection.found import ORDINARY, Found, words_in
from textveil.detection.gates import WithWords, either, holding, places_of, with_words
from textveil.detection.lists import Marks, lists
from textveil.text.patterns import lazy_regex, letters_and_words, matches

_LISTED: Final = int(Marks.GIVEN | Marks.FAMILY | Marks.PLACE)
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_COMMON, _SMALL, _OTHER = int(Marks.COMMON), int(Marks.SMALL), int(Marks.OTHER)
_HEADS: Final = known.COMPANY_ENDS | known.INSTITUTIONS
_MOST: Final = 9  # words that the name of an institution holds at most before or behind a link
_OF_A_PEOPLE: Final = frozenset(("party", "forces", "staff", "consulate", "embassy", "army", "navy", "bank", "front"))
"""Institutions of which a people has one: the Turkish Armed Forces."""
_OF_A_COUNTRY: Final = frozenset(("national", "royal"))
_FEWEST_OF_COUNTRY: Final = (
    2  # words of its name at most that are none: the Indian Institute, the National Rugby League
)
_SMALL_ENDS: Final = lazy_regex(
    r" (?:(?:special type|high security|maximum security|state|general|district|city|central|university) )?"
    r"(?:police station|hospital|prison|garrison|jail|university|barracks|police|courthouse|clinic|high school"
    r"|elementary school|primary school|airport)(?![A-Za-z])"
)
_GLOSS: Final = lazy_regex(r"[\"']? \((?:the )?[\"']?([A-Za-z\xde\xfe&' -]{2,80})[\"']?(?=[):;,])")
_BEFORE_GLOSS: Final = lazy_regex(r"(?<![A-Za-z0-9-])[A-Z][A-Za-z]{0,3}[A-Z-]{1,6} \((?:the )?[\"']?$")
_OF_STATE: Final = 2  # letters of a province, a state or a country: Rho (MI)
_ACRONYM: Final = lazy_regex(r"[A-Z]{1,2}[A-Za-z]{0,2}[A-Z-]{1,6}")
_SPOKEN_OF: Final = lazy_regex(
    r"(?<![A-Za-z])(?:members?(?:hip)? (?:of|in)|leaders? of|favour of|favor of|support(?:ed|ing|er|ers)? (?:of |for )?"
    r"|organi[sz]ations?,?(?: namely)?|propaganda for|behalf of|employed by|work(?:s|ed)? (?:for|at)"
    r"|(?:aired|airs|broadcast|premiered|premieres|debuted|televised) (?:on|by)"
    r"|(?:acquired|bought|owned|sued|fined|sponsored|licensed) by"
    r"|(?:studied|graduated|educated|enrolled|professor|degree|doctorate|lecturer|taught) (?:at|from)"
    r"|(?:signed|merged) with|drafted by|joined"
    r"|affiliate of|subsidiary of|division of|chair(?:man|woman)? of|president of) ?(?:the"
    r" )?(?P<name>[A-Z]{3,8}(?:-[A-Z]{1,3})?)(?![A-Za-z0-9-])",
    within="[A-Z]{3}",
)
_ENDS_WITH: Final = lazy_regex(
    r"(?P<name>[A-Z](?<![A-Za-z0-9-].)[A-Z]{2,7}(?:-[A-Z]{1,3})?)"
    r" (?:movement|militants?|leaders?hip|guerrillas?|headquarters|spokes(?:man|woman|person)|affiliates?|sitcom"
    r"|network's|scouts?|commissioner|draft pick)(?![A-Za-z])"
)


class Institution(NamedTuple):
    """Number of words of an institution's name, and whether one of them tells it from others of its sort."""

    length: int
    proper: bool
    why: str


class Word(NamedTuple):
    """One word of a run: where it stands without a possessive ending, in small letters, with the marks of the lists."""

    start: int
    end: int
    low: str
    marks: int
    capitals: bool


def institution(words: Sequence[Word], place: int) -> Institution | None:
    """Return the company or institution that begins at a word, or None."""
    if (stop := _part(words, place)) == place or words[place].low in known.LINKS:
        return None
    if (head := _last_head(words, place, stop)) < 0:
        return _joined_words(words, place, stop)
    company = words[head].low in known.COMPANY_ENDS and head > place
    while company and head + 1 < len(words) and words[head + 1].low in known.COMPANY_ENDS:
        head += 1
    end = head + 1
    if head == place and end < stop:
        end = _after_head(words, place, stop)
    elif end in (stop, len(words)) or words[end].low in known.LINKS:
        end = _with_links(words, end)
    if end - place < 2:
        return None
    firm = company and words[head].low in known.FIRM_ENDS
    proper = firm or any(_proper(words, at, end) for at in range(place, end))
    return Institution(end - place, proper, "company-end" if company else "institution")


def _part(words: Sequence[Word], place: int) -> int:
    """Return the end of the words that stand together without a link."""
    stop = place
    while stop < min(len(words), place + _MOST) and words[stop].low not in known.LINKS:
        stop += 1
    return stop


def _last_head(words: Sequence[Word], place: int, stop: int) -> int:
    """Return where the last word stands that ends an institution's name; -1: none does."""
    return next((at for at in range(stop - 1, place - 1, -1) if words[at].low in _HEADS), -1)


def _after_head(words: Sequence[Word], place: int, stop: int) -> int:
    """Return the end of a name that its sort begins: Prison Ranby, Bank Austria."""
    following = words[place + 1]
    return place + 2 if not following.marks & (_COMMON | _OTHER) and not following.marks & int(Marks.GIVEN) else place


def _joined_words(words: Sequence[Word], place: int, stop: int) -> Institution | None:
    """Equality and Human Rights Commission: words up to "and" whose sort stands behind it."""
    if stop + 1 >= len(words) or words[stop].low not in ("and", "&") or stop - place > 2:
        return None
    if words[stop].low == "and" and any(
        word.marks & int(Marks.GIVEN | Marks.KNOWN_PLACE) for word in words[place:stop]
    ):
        return None
    behind = _part(words, stop + 1)
    head = _last_head(words, stop + 1, behind)
    if head < stop + 1 or words[head].low not in _HEADS or words[head].capitals:
        return None
    end = head + 1
    return Institution(end - place, any(_proper(words, at, end) for at in range(place, end)), "institution")


def _with_links(words: Sequence[Word], end: int) -> int:
    """The end with what stands behind "of" or "for": Court of First Instance, Chamber of the Izmir Assize Court."""
    for _ in range(3):
        if end >= len(words) or words[end].low not in ("of", "for"):
            return end
        start = end + 1 + (end + 1 < len(words) and words[end + 1].low == "the")
        if (stop := _part(words, start)) == start:
            return end
        head = _last_head(words, start, stop)
        end = head + 1 if head >= start else stop
        following = words[end : end + 2]
        if len(following) == 2 and following[0].low in ("and", "&") and not following[1].marks & _LISTED:
            tail = _part(words, end + 1)
            end = tail if all(word.marks & _COMMON for word in words[end + 1 : tail]) else end
    return end


def _proper(words: Sequence[Word], at: int, end: int) -> bool:
    word = words[at]
    if word.low in _OF_A_COUNTRY:
        return end - at > _FEWEST_OF_COUNTRY and words[end - 1].low in _HEADS
    if word.low in known.LINKS or word.low in _HEADS or word.low in known.GENERIC or word.low in known.FUNCTION_WORDS:
        return False
    if word.marks & _OTHER:
        return end - at > _FEWEST_OF_COUNTRY or any(following.low in _OF_A_PEOPLE for following in words[at + 1 : end])
    if word.marks & _COMMON:
        medical = end > 1 and words[end - 1].low in ("center", "centre") and words[end - 2].low in ("medical", "health")
        if at + 1 < end and (medical or words[end - 1].low in known.NAMED_BY_WORDS) and word.low != "medical":
            return word.low not in known.GENERIC_CARE  # Mercy General Hospital, but Law School
        # Grace Church, Reading Hospital: a name that is a word too, right before the sort.
        return bool(word.marks & _NAMES) and at + 1 < end and words[at + 1].low in known.INSTITUTIONS
    return len(word.low) > 2 and not (word.marks & _SMALL and not word.marks & _LISTED)


def small_end(text: str, end: int) -> int:
    """The end of a place's name with an institution's sort in small letters behind it: Wronki police station; or 0."""
    match = _SMALL_ENDS.match(text, end)
    return match.end() if match else 0


def glosses(text: str, spans: Sequence[Found], marks_of: Mapping[str, int]) -> Iterator[Found]:
    """Yield what stands in parentheses beside an institution: its short form, or its name in another language."""
    for span in spans:
        if span.kind == "person":
            continue
        match = _GLOSS.match(text, span.end) if "(" in text[span.end : span.end + 3] else None
        if match is not None:
            inner = match[1]
            words = inner.lower().replace("-", " ").split() or [""]
            foreign = not any(marks_of.get(word, 0) & _COMMON for word in words if len(word) > 3) and len(words[-1]) > 3
            if _ACRONYM.fullmatch(inner) or (foreign and span.kind == "organization"):
                kind = "place" if span.kind == "place" and len(inner) == _OF_STATE else "organization"
                yield Found(match.start(1), match.start(1) + len(inner.rstrip()), kind, span.score, "gloss")
        opened = "(" in text[max(0, span.start - len("(the '\n")) : span.start]
        before = _BEFORE_GLOSS.search(text, max(0, span.start - 24), span.start) if opened else None
        if before is not None and span.kind == "organization":
            whole = before[0].partition(" (")[0].strip().lower()
            if marks_of.get(whole, 0) & Marks.KNOWN_PLACE:
                continue  # PARIS (Reuters)
            yield Found(before.start(), text.index(" (", before.start()), "organization", span.score, "gloss")


def find_acronyms(text: str) -> Iterator[Found]:
    """Organizations by capital letters alone, where what stands beside them tells that they are some."""
    for pattern in (_SPOKEN_OF, _ENDS_WITH):
        for match in matches(pattern, text):
            if match["name"].lower() not in known.letters():
                yield Found(*match.span("name"), "organization", 0.5, "cue")


_BODY_OF: Final = lazy_regex(
    r"(?:(?P<link> (?:d[eiou]|dos|das|del|della|van|von|der|w|we|of)(?: (?:la|las|los|les|the))? | (?:d|dell|de l)')| )"
    r"(?P<name>[A-Z][a-z]{1,24}+(?:[ -][A-Z][a-z]{1,24}+){0,2}+)(?![A-Za-z0-9_@:])"
)


_ARTICLES: Final = frozenset(
    (
        "Das",
        "Die",
        "Der",
        "Dem",
        "Den",
        "Des",
        "Beim",
        "Zum",
        "Vom",
        "Im",
        "La",
        "Le",
        "El",
        "Il",
        "Het",
        "De",
        "O",
        "A",
    )
)


@cache
def local_bodies() -> tuple[str, ...]:
    """Return the names of bodies of towns and regions in all languages, in plain small letters, the longest first."""
    words = chain.from_iterable(known.by_language("local bodies").values())
    return tuple(sorted({word.replace("_", " ") for word in words}, key=len, reverse=True))


@cache
def _bodies_by_word() -> Mapping[str, list[str]]:
    begun: dict[str, list[str]] = {}
    for body in local_bodies():
        begun.setdefault(body.replace("-", " ").split()[0], []).append(body)
    return begun


BODY_GATE: Final = WithWords(lambda: frozenset(_bodies_by_word()))


def find_bodies(text: str) -> Iterator[Found]:
    """Yield public bodies of all languages with their place (Ayuntamiento de Lugo); without one they are ordinary."""
    begun = _bodies_by_word()
    for start, first in places_of(text, frozenset(begun)):
        body = next((body for body in begun[text[start:first].lower()] if _stands(text, start, body)), "")
        if not body:
            continue
        end = start + len(body)
        article = text[max(0, start - 6) : start].rpartition("\n")[2].split(" ")[-2:-1]
        if text[start - 1 : start] == " " and not _ARTICLES.isdisjoint(article):
            yield Found(start - 1 - len(article[0]), start - 1, ORDINARY, 0.7, "")
        behind = _BODY_OF.match(text, end)
        before = _TOWN.search(text, max(0, start - 60), start - 1)
        if behind and (listed := _listed_part(behind["name"]) or (behind["name"].split()[0] if behind["link"] else "")):
            yield Found(start, behind.start("name") + len(listed), "organization", 0.8, "institution")
        elif before and (town := _town_of(before[0])):
            yield Found(start - 1 - len(town), end, "organization", 0.8, "institution")
        else:
            yield Found(start, end, ORDINARY, 0.7, "")


def _listed_part(name: str) -> str:
    """Return the longest beginning of a run of words that is a listed place; empty for none."""
    ends = [len(name), *(place for place in range(len(name) - 1, 0, -1) if name[place] in " -")]
    large, small = known.places()
    lows = [name[:end].lower() for end in ends]
    return next(
        (
            name[: len(low)]
            for low in lows
            if _is_town(low) or (plain := low.replace("-", " ")) in large or plain in small
        ),
        "",
    )


def _stands(text: str, start: int, body: str) -> bool:
    end = start + len(body)
    alone = not text[start - 1 : start].isalnum() and not text[end : end + 1].isalnum()
    return alone and text[start].isupper() and text[start:end].lower() == body


ACRONYM_GATE: Final = with_words(
    "member members membership leader leaders leadership favour favor support supported supporting supporter supporters"
    " organization organizations organisation organisations propaganda behalf employed work works worked movement"
    " militant militants guerrillas headquarters spokesman spokeswoman spokesperson aired airs broadcast premiered"
    " premieres debuted televised acquired bought owned sued fined sponsored licensed signed merged drafted joined"
    " affiliate affiliates subsidiary division chair chairman chairwoman president sitcom network scout scouts"
    " commissioner draft studied graduated educated enrolled professor degree doctorate lecturer taught"
)


_CLUB: Final = words_in("fc afc vfl vfb tus spvgg rufc rlfc")
"""What stands beside a club's name and is little else."""
_GREEK: Final = words_in(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi"
    " psi omega"
)
_LINE: Final = 60
_FIRST_LETTERS: Final = words_in("alpha beta gamma delta")
"""Letters that number things, and those of radio."""
_CLUB_TOO: Final = words_in(
    """ac as es sv sc sk nk ab sd ud cd cf sg ajr rc ssc us ec ae aek kv kaa ca cr se cs ks gks uc bk if ik tsv tsg fsv
    ssv msv ksc hsc hnk gnk rkc fk rcd bsc hsv rfc ogc sgs esv djk hc jc kc bc osc uec vfr"""
)
_ENDS: Final = words_in("fc afc rufc rlfc cf sv sc sk bk if ik hc bsc fk hsv tsv rfc kc ac bc cd")
"""Those of them that stand behind the name as well."""
_W: Final = r"[A-Z][a-z]{1,24}+(?:[-'][A-Za-z]{2,24}+){0,2}+"
_BEHIND: Final = lazy_regex(
    rf" (?P<name>(?:(?:de|da|do|del|van|of|0[0-9]) )?{_W}(?: {_W}){{0,2}}+)(?: (?:(?:18|19)[0-9]{{2}}|0[0-9]))?+"
    r"(?![A-Za-z0-9_@])"
)
_BEFORE: Final = lazy_regex(rf"(?<![A-Za-z0-9_@-])(?:{_W} ){{0,2}}+{_W}\Z")
_DOTTED: Final = lazy_regex(r" (?:[A-Z]\.){0,2}F\.C\.")
_TEAM: Final = lazy_regex(
    rf"(?<![A-Za-z-])(?:[Tt]he|die|den?|der|des|dos|dei|gli|l[oe]s|aos?|as|os) (?P<name>(?P<town>{_W}(?: {_W}){{0,2}}?)"
    r" (?:[A-Z][a-z]{2,9} )?[A-Z][a-z]{2,14}s)(?![A-Za-z0-9_@]| [A-Z])"
)
_TOWN: Final = lazy_regex(rf"(?<![A-Za-z0-9_@-]){_W}(?: {_W}){{0,2}}+(?: (?:Red|Blue|White|Maple|Golden|Trail))?+\Z")
_BAND: Final = lazy_regex(
    rf"(?P<name>(?:{_W} ){{1,3}}(?:&|and|und|et|y|e|en|i) the {_W}(?: {_W})?+)(?![A-Za-z0-9_@])"
    r"|(?<![A-Za-z])(?:by|with|of|for|and|like|joined|included|featuring|than|par|avec|des?|con|d[ei]i?|per|i|[lo]s|von"
    rf"|mit|und|et|[ey]|met|van|z|com) (?P<the>The {_W}(?: {_W}){{0,2}}+)"
    r"(?![A-Za-z0-9_@])"
    rf"|(?:groups?|bands?|duo|trio|quartet|label|supergroup) (?P<called>{_W}(?: (?:(?:of|and) )?(?:the )?{_W}){{1,3}}+)"
)
_STUDIO: Final = lazy_regex(
    rf"(?<![A-Za-z])(?:by|with|from|of|for|and|at|to|under) (?P<name>(?:{_W} ){{1,3}}(?P<end>[A-Z][a-z]{{3,13}}))"
    r"(?![A-Za-z0-9_@]| [A-Z])"
)
_STUDIOS: Final = words_in("films productions pictures records studios entertainment recordings publications designs")
_EVENTS: Final = words_in("games olympics championships finals masters nationals trials series awards times news")


@cache
def _telling(subject: str) -> frozenset[str]:
    """Return the words of a subject in all languages."""
    return frozenset(chain.from_iterable(known.by_language(subject).values()))


def club_words() -> frozenset[str]:
    """Return the words without which a text names no club or band."""
    return _CLUB | _GREEK | _STUDIOS | _telling("sport") | _telling("music") | _telling("nicknames")


CLUB_GATE: Final = either(WithWords(club_words), holding("F.C."))


def find_clubs(text: str) -> Iterator[Found]:
    """Yield clubs and teams, studios, and bands where the text tells of music."""
    words = letters_and_words(text)[1]
    sport = not words.isdisjoint(_telling("sport"))
    yield from _by_letters(text, sport=sport)
    yield from _by_nickname(text)
    if not words.isdisjoint(_GREEK):
        yield from _by_greek_letters(text)
    if sport:
        yield from _in_sport(text)
    if not words.isdisjoint(_STUDIOS):
        for studio in matches(_STUDIO, text):
            if studio["end"].lower() in _STUDIOS:
                yield Found(*studio.span("name"), "organization", 0.5, "company-end")
    if not words.isdisjoint(_telling("music")):
        for band in matches(_BAND, text):
            yield Found(*band.span(band.lastgroup or 0), "organization", 0.5, "cue")


def _by_letters(text: str, *, sport: bool) -> Iterator[Found]:
    for start, end in places_of(text, _CLUB | _CLUB_TOO if sport else _CLUB):
        letters = text[start:end]
        if letters[0].isupper() and letters != letters.capitalize() and text[start - 1 : start] in (" ", "", "\n", "("):
            yield from _beside(text, start, end, sport=sport)
    for dotted in matches(_DOTTED, text) if "F.C." in text else ():
        if (begin := _begun(text, dotted.start(), sport=True)) >= 0:
            yield Found(begin, dotted.end(), "organization", 0.6, "institution")


def _by_greek_letters(text: str) -> Iterator[Found]:
    """Yield societies of students: Sigma Chi, Zeta Tau Alpha; but Alpha Beta, and Honors: Phi Beta Kappa."""
    run: list[tuple[int, int]] = []
    for start, end in chain(places_of(text, _GREEK), ((len(text) + 1, 0),)):
        if run and text[run[-1][1] : start] != " ":
            letters = {text[one:other].lower() for one, other in run}
            honor = "honor" in text[max(0, run[0][0] - _LINE) : run[0][0]].lower()
            if len(letters) > 1 and not (honor or letters <= _FIRST_LETTERS):
                yield Found(run[0][0], run[-1][1], "organization", 0.6, "institution")
            run = []
        if text[start : start + 1].isupper():
            run.append((start, end))


def _by_nickname(text: str) -> Iterator[Found]:
    for start, end in places_of(text, _telling("nicknames")):
        run = _TOWN.search(text, max(0, start - 60), start - 1) if text[start].isupper() else None
        if run is not None and (town := _town_of(run[0])):
            yield Found(run.end() - len(town), end, "organization", 0.6, "institution")


def _in_sport(text: str) -> Iterator[Found]:
    for start, end in places_of(text, _telling("clubs")):
        behind = _BEHIND.match(text, end) if text[start].isupper() else None
        if behind is not None and _names_club(behind["name"].split()[0], sport=False):
            yield Found(start, behind.end(), "organization", 0.6, "institution")
    for team in matches(_TEAM, text):
        if _is_town(team["town"].lower()) and team["name"].rpartition(" ")[2].lower() not in _EVENTS:
            yield Found(*team.span("name"), "organization", 0.6, "institution")


def _is_town(low: str) -> bool:
    return low in lists().phrases or bool(lists().words.get(low, 0) & Marks.KNOWN_PLACE)


def _town_of(run: str) -> str:
    """Return the end of a run of words that a town begins: Toronto Blue; or nothing."""
    words = run.split()
    ends = (words[at:] for at in range(len(words)))
    return next(
        (" ".join(end) for end in ends for stop in range(1, len(end) + 1) if _is_town(" ".join(end[:stop]).lower())), ""
    )


def _beside(text: str, start: int, end: int, *, sport: bool) -> Iterator[Found]:
    """Yield the club whose letters stand here, before its name or else behind it."""
    if (behind := _BEHIND.match(text, end)) is not None and _names_club(behind["name"].split()[-1], sport=sport):
        yield Found(start, behind.end(), "organization", 0.6, "institution")
    elif text[start:end].lower() in _ENDS and (begin := _begun(text, start - 1, sport=sport)) >= 0:
        yield Found(begin, end, "organization", 0.6, "institution")


def _begun(text: str, end: int, *, sport: bool) -> int:
    """Return where the name of a club begins that ends here; -1 for none."""
    run = _BEFORE.search(text, max(0, end - 80), end)
    begin, place = -1, end
    for word in reversed(run[0].split() if run else ()):
        place -= len(word) + (begin >= 0)
        if not _names_club(word, sport=sport):
            break
        begin = place
    return begin


def _names_club(word: str, *, sport: bool) -> bool:
    low = word.lower()
    marks = lists().words.get(low, 0)
    if low in known.FUNCTION_WORDS or low in known.TITLES or low in _telling("sport") or low in _telling("function"):
        return False
    return sport or bool(marks & (Marks.PLACE | Marks.FAMILY)) or not marks & (Marks.COMMON | Marks.OTHER)
