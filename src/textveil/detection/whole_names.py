"""No name is drawn in part: what stands right beside a person's given name, or is listed with it, is judged again.

Lines of code, cells without a header and markup hide a family from the searches of prose: author = {Orla Skelhorn and
M. D. Fenn}, Skelhorn;Orla, <i>Orla</i> <b>Skelhorn</b>. Last come initials beside a person, and the run of capitals
that a lone name stands in: Bunya Nut Bakehouse.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Final

from textveil.detection import lists as known
from textveil.detection.cued_names import label_words
from textveil.detection.dates import is_day_or_month
from textveil.detection.found import Found, words_in
from textveil.detection.lists import LANGUAGES, Marks, lists
from textveil.detection.mentions import EVIDENCE
from textveil.detection.people_in_records import is_plain_form, is_thing
from textveil.text.patterns import lazy_regex

_PART: Final = (
    r"(?:(?:Mc|Mac|O'|D'|Fitz)?[A-Z][a-z]{1,30}(?:['-][A-Z]?[a-z]{1,30}){0,3}|[A-Z]{2,30}(?:['-][A-Z]{1,30}){0,3})"
)
_LINKS: Final = "(?:(?:van|von|der|den|de|del|della|da|dal|dalla|di|do|dos|das|du|des|la|le|bin|al|el|ter|ten) ){0,3}"
_SURE_LINKS: Final = frozenset(["van", "von", "ter", "ten", "della", "dalla", "dos", "das", "bin"])
"""Particles that are no words of English where somebody stands before them: Charles van Beers."""
_TAGS: Final = r"(?:</?[A-Za-z][A-Za-z0-9]{0,10}(?: [^<>\n]{0,80})?>){1,4}"
_BEHIND: Final = lazy_regex(
    rf"(?P<joint> |{_TAGS} ?| {_TAGS}|[/;:|\t]|\"[,;] ?\"|'[,;] ?')(?P<name>{_LINKS}{_PART}(?: {_PART})?)"
    r"(?![A-Za-z0-9_(:=]|\.[A-Za-z]| ?[:=(])"
)
_BEFORE: Final = lazy_regex(
    rf"(?<![A-Za-z0-9_.-])(?<![A-Za-z]')(?P<name>{_LINKS}{_PART})"
    rf"(?P<joint>,? |, ?|{_TAGS} ?| {_TAGS}|[/;:|\t]|\"[,;] ?\"|'[,;] ?')\Z"
)
_BOUND: Final = frozenset(" \t\n;|/,\"'>]})<.!?")
_EDGES: Final = frozenset(("", *"\n{\"';|\t([=>"))
_HARD: Final = frozenset("/;:|\t\"'")
"""Marks that part cells."""
_AND: Final = r"(?:,? (?:and|und|et|y|e|en|og|och|i) |,? & |, |; ?| ?/ ?| ?\| ?)"
_INITIALS: Final = r"(?:[A-Z]\.(?:[ -]|(?=[A-Z]))){1,3}"
_LISTED: Final = lazy_regex(
    rf"{_AND}(?P<name>{_INITIALS}(?P<family>{_LINKS}{_PART})|(?P<first>{_PART}), (?:[A-Z]\.[ -]?){{1,3}}"
    rf"|(?P<given>{_PART}) (?P<last>{_LINKS}{_PART}))(?![A-Za-z0-9_(:=])"
)
_SHORTENING: Final = ("de", "nl", "af")
"""Languages that shorten particles: elsewhere "v." stands between two parties."""
_SHORT_PARTICLE: Final = lazy_regex(r"(?:(?<=[A-Za-z.] )|(?<![^\n(]))(?P<particle>v\. ?d\. ?|v\. ?|v/d |vd )\Z")
_VOWEL: Final = lazy_regex("[aeiouy]")
_WORDS: Final = lazy_regex("[A-Za-z]+")
_MOST: Final = 80  # characters before a name that are read
_MOST_LISTED: Final = 12
_NONE: Final = int(Marks.OTHER | Marks.KNOWN_PLACE)
_PLAIN: Final = int(Marks.COMMON | Marks.SMALL)
_NAMES: Final = int(Marks.GIVEN | Marks.FAMILY)
_SHORTEST: Final = 3
_SHORTEST_PART: Final = 4  # letters of a word of which a compound is made


def with_whole_names(
    text: str, spans: Sequence[Found], ordinary: Collection[str] = (), passed: Sequence[Found] = (), language: str = ""
) -> list[Found]:
    """Return disjoint spans of a plain text, by start, in which persons hold the parts of their names beside them.

    A part is capitalized, beside a given name, and no word of English, of programs or of ``ordinary``, nor a label or a
    title. Persons listed behind are found by their initials. None stands in what is ``passed``.
    """
    if not any(span.kind in ("person", "place", "organization") for span in spans):
        return list(spans)
    taken = bytearray(len(text))
    for span in (*spans, *passed):
        if span.kind != "number" and span.score > EVIDENCE:
            taken[span.start : span.end] = b"\1" * (span.end - span.start)
    judge = _Judge(ordinary if language in LANGUAGES else (), compounds=language in ("de", "nl"))
    met: list[Found] = []
    for span in spans:
        if (
            language in _SHORTENING
            and span.kind == "person"
            and (short := _SHORT_PARTICLE.search(text, max(0, span.start - 6), span.start))
        ):
            score = max(span.score, 0.5 * ("d" in short["particle"]))  # of v. it may be an abbreviation
            met.append(span._replace(start=short.start("particle"), score=score))  # Piet v. Rooij, dhr. v.d. Berg
        if span.kind == "person" and span.score > EVIDENCE and 1 not in taken[span.end : span.end + 1]:
            met += _parts(text, span, judge, taken)
    met += _whole_places(text, spans, judge, taken)
    if not met:
        return list(spans)
    held = bytearray(len(text))
    for span in met:
        held[span.start : span.end] = b"\1" * (span.end - span.start)
    return sorted([*(span for span in spans if 1 not in held[span.start : span.end]), *met])


_BEGUN_PLACE: Final = lazy_regex(
    r"(?<![A-Za-z0-9_-])(?:(?P<sure>Bad|Sankt|St\.|Santa|San|BAD|SANKT)|Saint|Sint|Los|Las|Ober|Unter|Upper|Lower|Nether|Great"
    r"|Little|Market|Kirkby|Central|Inner|Outer|Old|New|Lake|Mount|Fort|Port|Cape|Bay|Greater|(?:Nor|Sou)th(?:ern)?"
    r"|(?:Ea|We)st(?:ern)?) \Z"
)
_STREET_BEFORE: Final = lazy_regex(r"(?<![\w/.,-])[0-9]{1,4}[A-Za-z]? (?:[A-Z][a-z]+ )?(?P<last>[A-Z][a-z]{3,}), \Z")
_TOWN_BEHIND: Final = lazy_regex(r", (?P<town>[A-Z][a-z]{2,20}(?: [A-Z][a-z]{2,20})?)(?=, [(+]?[0-9])")
"""The town of a firm, before its number: Kessler Drugs, Pine Bluff, 870-555-0129."""
_FOUND_PLACE: Final = 0.5
_ARTICLE: Final = "(?:[AaEe][ln]|[Aa](?:[drstz]|sh|th)|[Ee][drsz])-"
_ARTICLE_BEFORE: Final = lazy_regex(rf"(?<![A-Za-z0-9_-]){_ARTICLE}\Z")
_ARTICLE_BEHIND: Final = lazy_regex(rf"[ -]{_ARTICLE}[A-Z][a-z]{{2,20}}(?![A-Za-z0-9_])")
"""Arabic articles within names: Tell el-Amarna, Deir ez-Zor."""


def _whole_places(text: str, spans: Sequence[Found], judge: "_Judge", taken: bytearray) -> Iterator[Found]:
    """Yield places, and what may be some, with the word that begins them, and streets: 9 Lindengate, Bad Ems."""
    for span in spans:
        town = _TOWN_BEHIND.match(text, span.end) if span.kind == "organization" and span.score > EVIDENCE else None
        if town is not None and 1 not in taken[town.start("town") : town.end("town")] and _are_parts(town["town"]):
            yield Found(*town.span("town"), "place", _FOUND_PLACE, "mention")
        if span.kind not in ("place", "person") or not text[span.start : span.start + 1].isupper():
            continue
        article = _ARTICLE_BEFORE.search(text, max(0, span.start - 4), span.start)
        joined = _ARTICLE_BEHIND.match(text, span.end)
        if (article is not None or joined is not None) and 1 not in taken[span.end : joined.end() if joined else 0]:
            yield span._replace(
                start=article.start() if article else span.start, end=joined.end() if joined else span.end
            )
        guess = span.why == "tagger" and not lists().words.get(text[span.start : span.end].lower(), 0) & _NAMES
        found = span.kind == "place" and span.score >= _FOUND_PLACE
        begun = _BEGUN_PLACE.search(text, max(0, span.start - 10), span.start) if guess or found else None
        amid = begun is not None and text[begun.start() - 2 : begun.start() - 1].islower()
        if begun is not None and (found or begun["sure"] or amid) and 1 not in taken[begun.start() : span.start]:
            yield span._replace(start=begun.start(), kind="place", score=max(span.score, 0.4))
        street = _STREET_BEFORE.search(text, max(0, span.start - _MOST), span.start) if span.kind == "place" else None
        if street is not None and 1 not in taken[street.start() : span.start]:
            low = street["last"].lower()
            if not (lists().words.get(low, 0) & (_NONE | Marks.GIVEN) or is_plain_form(low) or judge.is_ordinary(low)):
                yield Found(street.start(), street.end("last"), "place", _FOUND_PLACE, "mention")


def _parts(text: str, span: Found, judge: "_Judge", taken: bytearray) -> Iterator[Found]:
    """Yield the span with its missing parts, or these as spans of their own, and those who are listed behind it."""
    words = _WORDS.findall(text[span.start : span.end])
    whole, begun, end = [], span.start, span.end
    if words and judge.is_given(words[-2] if len(words) > 1 and len(words[-1]) == 1 else words[-1]):
        behind = _BEHIND.match(text, span.end)
        if behind is not None and (reached := _family_end(text, behind, words, judge, taken)):
            end = reached
            whole.append((behind["joint"], behind.start("name"), reached))
    else:
        earlier = words and _given_before(text, span, words, judge, taken)
        earlier = earlier or _particles_before(text, span)
        if earlier and 1 not in taken[earlier : span.start]:
            yield span._replace(start=earlier)
    if len(words) == 1 and end == span.end and judge.is_given(words[0]):
        before = _BEFORE.search(text, max(0, span.start - _MOST), span.start)
        if before is not None and _begins(text, before, words, judge, taken):
            whole.append((before["joint"], *before.span("name")))
            begun = before.start("name")
    joined = [(start, stop) for joint, start, stop in whole if joint in (" ", ", ")]
    if joined:
        yield span._replace(start=min(begun, span.start), end=max(end, span.end))
    for _, start, stop in whole:
        if (start, stop) not in joined:
            yield span._replace(start=start, end=stop, why="mention", score=min(span.score, 0.6))
    at = max(end, span.end)
    for _ in range(_MOST_LISTED):
        listed = _LISTED.match(text, at)
        if listed is None or 1 in taken[listed.start("name") : listed.end("name")] or not judge.is_listed(listed):
            return
        yield span._replace(start=listed.start("name"), end=listed.end("name"), why="enumeration", score=0.6)
        at = listed.end("name")


def _family_end(text: str, behind: "re.Match[str]", words: list[str], judge: "_Judge", taken: bytearray) -> int:
    """Return where the family ends that stands behind a given name; 0 if none does."""
    start, stop = behind.span("name")
    if 1 in taken[start:stop]:
        stop = start + taken[start:stop].find(1)
        stop = start + len(text[start:stop].rstrip())
    parts = text[start:stop].split(" ")
    if behind["joint"] == ":" and not (text[start:stop].isupper() and words[-1].isupper()):
        return 0
    beside = ["x"] if behind["joint"][0] in _HARD else words
    initial = (
        len(words[-1]) == 1 and text[behind.start() - 1] == words[-1] and parts[0].lower() not in _words_of_roles()
    )
    told = parts[0] in _SURE_LINKS or initial  # Martha S Bouts
    sure = behind["joint"] == " " and told and not judge.ordinary
    if sure:
        parts = parts[: 1 + next((at for at, part in enumerate(parts) if part[:1].isupper()), 0)]
    while parts and not sure and not all(judge.is_part(part, beside) for part in parts if part[:1].isupper()):
        parts.pop()
    if not parts or not parts[-1][:1].isupper():
        return 0
    stop = start + len(" ".join(parts))
    if behind["joint"][0] in _HARD and text[stop : stop + 1] not in _BOUND and stop < len(text):
        return 0
    following = _WORDS.match(text, stop + 1) if text[stop : stop + 1] == " " else None
    ends = following is not None and following[0].lower() in known.COMPANY_ENDS | known.PLACE_ENDS | known.INSTITUTIONS
    return 0 if ends and following is not None and following[0][0].isupper() else stop


def _given_before(text: str, span: Found, words: list[str], judge: "_Judge", taken: bytearray) -> int:
    """Return where the given name begins that stands before a family, though it may be a word: PRUDENCE SKELHORN."""
    before = _BEFORE.search(text, max(0, span.start - _MOST), span.start)
    if before is None or before["joint"] != " " or not (span.why == "mention" or before["name"].isupper()):
        return 0
    if 1 in taken[before.start("name") : span.start]:
        return 0
    name = before["name"]
    same = name.isupper() == words[-1].isupper() and len(words[-1]) > 1
    given = judge.is_given(name) and name.lower() not in _NO_GIVEN | judge.greetings
    unlisted = name.isupper() and len(name) > _SHORTEST_PART and judge.is_part(name, words)  # DEMELZA SKELHORN
    return before.start("name") if same and (given or unlisted) else 0


_PARTICLES: Final = lazy_regex(
    r"(?<![\w'-])(?:(?:V[ao]n|De[nlrs]?|D[aiou]s?|Della|L[aeo]s?|Te[nr]|El|Zu[mr]?) (?:(?:de[nlr]?|la) ){0,2}){1,2}\Z"
)


def _particles_before(text: str, span: Found) -> int:
    """Return where the capital particles begin that stand in small letters elsewhere: De Groot, after Henk de Groot."""
    before = _PARTICLES.search(text, max(0, span.start - _PARTICLES_LONGEST), span.start)
    return before.start() if before and f" {before[0].lower()}{text[span.start : span.end]}" in text else 0


_PARTICLES_LONGEST: Final = 24


def _begins(text: str, before: "re.Match[str]", words: list[str], judge: "_Judge", taken: bytearray) -> bool:
    """Return whether a family stands before a given name: Skelhorn, Orla; Skelhorn;Orla."""
    start, stop = before.span("name")
    part = before["name"].rpartition(" ")[2]
    if 1 in taken[start:stop] or before["joint"] == " " or not judge.is_part(part, words):
        return False
    if before["joint"] == ":" and not (part.isupper() and words[-1].isupper()):
        return False
    edge = text[start - 1 : start]
    if before["joint"][0] in "'\"":
        return edge == before["joint"][0]
    if "," in before["joint"]:  # in prose a comma parts anything: Kilwhin, Orla
        return edge in _EDGES
    return edge in ("", "\n", ";", "|", "\t", '"', "/", ">", " ", "{", "=", ":")


class _Judge:
    """Tells which words can be parts of names."""

    def __init__(self, ordinary: Collection[str], *, compounds: bool) -> None:
        self.ordinary, self.compounds = ordinary, compounds
        self.greetings = frozenset().union(*known.by_language("greetings").values())

    def is_ordinary(self, low: str) -> bool:
        """Return whether a word in small letters is an ordinary one of the page's language."""
        return low in self.ordinary

    def is_given(self, word: str) -> bool:
        """Return whether a word is a listed given name."""
        return bool(lists().words.get(word.lower(), 0) & Marks.GIVEN)

    def is_part(self, written: str, beside: Sequence[str]) -> bool:
        """Return whether a capitalized word beside a name can be another part of it."""
        lows = [low for low in _WORDS.findall(written.lower()) if len(low) > 1]
        if not lows or sum(map(len, lows)) < _SHORTEST:
            return False
        listed = lists().words.get(lows[-1], 0) & _NAMES
        if written.isupper() and not (listed or _VOWEL.search(lows[-1])):
            return False  # QTH
        short = len(written) < _SHORTEST_PART + (not listed) or written.lower() in known.letters()
        if written.isupper() and not beside[-1].isupper() and short:
            return False
        return not any(map(self._is_other, lows))

    def _is_other(self, low: str) -> bool:
        marks = lists().words.get(low, 0)
        if marks & _NONE or is_thing(low) or low in _words_of_roles():
            return True
        if marks & Marks.FAMILY and not marks & _PLAIN:
            return low in self.ordinary
        if is_plain_form(low) or low in self.ordinary:
            return True
        cuts = range(_SHORTEST, len(low) - _SHORTEST_PART + 1) if self.compounds else ()
        return any(low[cut:] in self.ordinary for cut in cuts)

    def is_listed(self, match: "re.Match[str]") -> bool:
        """Return whether what is listed behind a person is another: by initials, or by a given name."""
        family = match["family"] or match["first"]
        if family:
            return self.is_part(family.rpartition(" ")[2], ["x"])
        given = match["given"]
        marks = lists().words.get(given.lower(), 0)
        named = marks & Marks.GIVEN and not marks & (_PLAIN | _NONE)
        return bool(named) and self.is_part(match["last"].rpartition(" ")[2], [given])


@cache
def _words_of_roles() -> frozenset[str]:
    return _ROLES | label_words()


_NO_GIVEN: Final = (known.FUNCTION_WORDS | known.VERBS | known.ORDERS | known.TITLES | known.RELATIONS) - {"grace"}
_ROLES: Final = (
    known.FUNCTION_WORDS | known.TITLES | known.RELATIONS | known.INSTITUTIONS | known.COMPANY_ENDS | known.PLACE_ENDS
    | known.VERBS | known.NOUNS | known.ADJECTIVES | known.COMPANIES
)  # fmt: skip

_INITIALS_BEFORE: Final = lazy_regex(
    r"(?<![\w.'@/-])(?<!\bi\. )(?:[A-Z]\.(?:[ -]?[A-Z]\.){0,3} ?|(?<=[:,;(\n] )[B-HJ-WYZ] )\Z|(?<![^\n])[B-HJ-WYZ] \Z"
    r"|(?<=[,;|\t\"])[A-Z] \Z|(?<=  )[B-HJ-WYZ] \Z|(?:(?<![^\n])|(?<=[,;|\t])|(?<=  ))[A-Z] & [A-Z] \Z"
)
_INITIALS_BEHIND: Final = lazy_regex(
    r" (?:I(?! (?!of |and [A-Z])[a-z])|I{2,3}|I?V|VI{1,3}|I?X|X[IVX]{1,4})(?![\w'@/-])"
    r"|,? (?!D\.O\.B|P\.S|P\.P|N\.B|A\.K\.A|U\.[SK]|P\.O)[A-Z]\.(?:[ -]?[A-Z]\.){0,3}(?![\w'@/-])(?! [A-Z][a-z])"
)
_LETTERS_BEFORE: Final = lazy_regex(
    r"(?:(?<![A-Za-z])(?P<word>[a-z]{2,12}) |[\n:,;(|] ?|\A)(?P<letters>[B-HJ-WYZ]|[A-Z]{2}) \Z"
)
"""Letters without full stops before a listed family: Spoke to J Pettifer, SM Iqbal."""
_SORTED: Final = words_in(
    """vitamin plan type grade class team group block flat section option appendix exhibit unit room part level factor
    case hepatitis schedule form table figure gate bus platform line stage model series category tier band zone wing"""
)
"""Words before a letter that is a mark of a sort: plan B."""
_TWO_LETTERS: Final = words_in(
    """pc dc ds di ps dr mr ms mx st sr jr fr gp hr it uk us eu un tv ai pa ot pt rn md vp pm mp fc ac ad bc jp qc kc qa
    vc ag co re np gm nz dj mc hq ok no tb am ny la sw nw se ne id qr cv ip os pr er ed xl ml kg ft to of in on at by"""
)
_LONGEST_INITIALS: Final = 16
_EPITHET: Final = lazy_regex(r" the [A-Z][a-z]{3,20}(?=[,.;:)\n]|\Z| [a-z])")
"""Behind a given name alone: Ivo the Younger."""


def with_initials(text: str, spans: Sequence[Found], language: str) -> list[Found]:
    """Return spans by start, persons among them with initials and numerals beside them that are in no other span.

    In French, "M." is a title.
    """
    whole: list[Found] = []
    for number, span in enumerate(spans):
        start, end = span.start, span.end
        first = text[start:end].partition(" ")[0]
        if span.kind == "person" and (first[:1].isupper() or first in known.PARTICLES):
            low = max(start - _LONGEST_INITIALS, whole[-1].end if whole else 0)
            before = _INITIALS_BEFORE.search(text, low, start)
            titled = before is not None and language == "fr" and before[0].strip() == "M."
            start = start if before is None or titled else before.start()
            if before is None and language == "en" and " " not in text[span.start : span.end]:
                start = _with_letters(text, low, span)
            high = spans[number + 1].start if number + 1 < len(spans) else len(text)
            behind = _INITIALS_BEHIND.match(text, end)
            if behind is None and span.score > EVIDENCE and _is_given_alone(text[span.start : span.end]):
                behind = _EPITHET.match(text, end)
            end = end if behind is None or behind.end() > high else behind.end()
        whole.append(span if (start, end) == span[:2] else span._replace(start=start, end=end))
    return whole


def _is_given_alone(written: str) -> bool:
    return written.isalpha() and bool(lists().words.get(written.lower(), 0) & Marks.GIVEN)


def _with_letters(text: str, low: int, span: Found) -> int:
    """Return where the letters begin that stand before a lone family; where it begins for none."""
    letters = _LETTERS_BEFORE.search(text, low, span.start) if span.score > EVIDENCE else None
    if letters is None or (letters["word"] or "") in _SORTED or letters["letters"].lower() in _TWO_LETTERS:
        return span.start
    marks = lists().words.get(text[span.start : span.end].lower(), 0)
    family = marks & Marks.FAMILY or (not marks and len(letters["letters"]) == 1)
    return letters.start("letters") if family else span.start


_RUN_BEHIND: Final = lazy_regex(r"(?: [A-Z][a-z]{2,20}){1,3}(?![A-Za-z0-9_'@-]| ?:| [A-Z])")
_OWN_RUN: Final = lazy_regex(
    r"(?:'s)?(?: [A-Z][a-z]{2,20}){0,2}(?: & (?=[A-Z])| (?=[A-Z][a-z]{3,20}s(?![A-Za-z])))[A-Z][a-z]{2,20}"
    r"(?![A-Za-z0-9_'@-]| ?:| [A-Z])"
)
"""Behind somebody's name, what a firm of that name deals in: Sizeland's Minibuses, Prowse Drains."""
_BESIDE: Final = lazy_regex(
    r"(?P<owned> ?'s [A-Z][a-z]{2,20}(?=[,.;)]|\Z| [a-z]))"
    r"| [1-9](?=[,.;:)\n]|\Z| (?:and|at|for|from|in|of|on|was|is|to|until|with) )"
)
"""Behind somebody's name alone, a shop; behind letters, the number of a channel: Rusty's Barn, ZDX 3."""
_RUN_BEFORE: Final = lazy_regex(
    r"(?<![A-Za-z])(?P<by>[a-z]{1,12}|[a-z]+,|[A-Za-z]{1,20}\.?:) (?P<run>(?:[A-Z][a-z]{1,20} ){1,2})\Z"
)
_WEAK: Final = frozenset(("list", "guess", "tagger", "pair", "cue", "verb", "institution", "company-end", ""))
_LONGEST_RUN: Final = 64
_GOES_ON: Final = lazy_regex(
    r" (?:d[aeo]s?|de[il]|dell[ae]|degli|alle?|du|des|aux?|auf|z|ze|op|sur|upon|under|l[ae]|l[ao]s)"
    r" (?P<last>[A-Z][a-z]{2,20})(?![\w'@-]| [A-Z])"
)
"""The end of a place's or a house's name behind a small word: Poggio alle Ginestre."""
_PLACED: Final = frozenset(("in", "to", "from", "near"))
_OF_FIRM: Final = frozenset(("at", "of", "for", "by"))
_NO_PART: Final = frozenset((*known.FUNCTION_WORDS, *known.TITLES, *known.RELATIONS, *known.LINKS, *known.DETERMINERS))


def with_whole_runs(text: str, spans: Sequence[Found]) -> list[Found]:
    """Return spans by start, a lone name in a run of capitalized words with the whole run: Bunya Nut Bakehouse."""
    whole: list[Found] = []
    for number, span in enumerate(spans):
        whole.append(span)
        alone = (
            span.kind != "person"
            or " " not in text[span.start : span.end]
            or text[max(0, span.start - 4) : span.start] in ("the ", "The ")
        )
        if span.kind not in ("person", "place", "organization") or not alone:
            continue
        if span.kind == "person" and text[span.start].islower():
            continue  # mr. pollock Thu 3/8
        high = spans[number + 1].start if number + 1 < len(spans) else len(text)
        behind = _run_behind(text, span, min(span.end + _LONGEST_RUN, high))
        beside = _BESIDE.match(text, span.end, high) if behind is None else None
        if beside is not None and beside["owned"]:
            behind = beside if span.kind == "person" else None
        elif beside is not None and span.kind == "organization" and text[span.start : span.end].isupper():
            behind = beside
        heads = behind is not None and not behind[0].startswith(" & ") and _is_line(text, span.start, behind.end())
        if behind is not None and _are_parts(behind[0]) and not heads:
            kind = "organization" if _has_word(behind[0]) else span.kind
            whole[-1] = span = span._replace(end=behind.end(), kind=kind)
        ahead = text[max(0, span.start - 6) : span.start]
        if span.kind == "organization" and ahead[1:] == " The " and (ahead[0].islower() or ahead[0] == ","):
            whole[-1] = span = span._replace(start=span.start - 4)
        if span.why not in _WEAK:
            continue
        low = max(span.start - _LONGEST_RUN, whole[-2].end if len(whole) > 1 else 0)
        capital = text[text.rfind(" ", low, max(low, span.start - 1)) + 1].isupper() and text[span.start].isupper()
        before = _RUN_BEFORE.search(text, low, span.start) if capital else None
        if before is not None and _are_parts(before["run"]) and _can_begin(before, span):
            of_firm = "organization" if before["by"] in _OF_FIRM else span.kind
            kind = "place" if before["by"] in _PLACED else of_firm
            whole[-1] = span._replace(start=before.start("run"), kind=kind)
    return whole


def with_ends(text: str, spans: Sequence[Found], ordinary: Collection[str]) -> list[Found]:
    """Return spans by start, places and houses with the end of their names behind a small word: Wyk auf Foehr."""
    whole: list[Found] = []
    for span in spans:
        last = whole[-1] if whole else None
        if last is not None and span.start < last.end:
            continue
        house = span.kind in ("place", "organization") and span.score > EVIDENCE
        more = _GOES_ON.match(text, span.end) if house else None
        if more is not None and more["last"].lower() not in ordinary and not is_plain_form(more["last"].lower()):
            span = span._replace(end=more.end())
        whole.append(span)
    return whole


def _run_behind(text: str, span: Found, end: int) -> "re.Match[str] | None":
    if span.kind == "place" and span.why == "nationality":
        return None  # the Turkish Government is a body of its state
    return _OWN_RUN.match(text, span.end, end) or _RUN_BEHIND.match(text, span.end, end)


def _can_begin(before: "re.Match[str]", span: Found) -> bool:
    """Return whether capitals begin a name behind a word that is no preposition: no label, guess, adjective."""
    if before["by"] in _PLACED | _OF_FIRM:
        return True
    told = before["by"].endswith(":") and before["run"].split()[0].lower() in known.behind_persons()
    guessed = span.why == "tagger" and before["by"] in known.DETERMINERS and _has_word(before["run"])
    return not (told or guessed) and label_words().isdisjoint(before["run"].lower().split())


def _are_parts(run: str) -> bool:
    lows = [low for low in run.lower().split() if low not in ("'s", "&")]
    return not any(low in _NO_PART or is_day_or_month(low) for low in lows)


def _has_word(run: str) -> bool:
    return any(lists().words.get(low, 0) & Marks.COMMON for low in run.lower().split())


def _is_line(text: str, start: int, end: int) -> bool:
    """Return whether a run is all of its line: a heading."""
    return text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n")
