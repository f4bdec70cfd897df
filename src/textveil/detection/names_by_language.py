"""Names on pages in another language than English: capitals weighed by public lists and by words beside and in them.

Each run of capitalized words gets points as a person, a place, an organization, and as what is none of them (a work, an
event); the most points decide. The words that tell are in ``data/languages``, a file for each language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from textveil.detection import lists as known
from textveil.detection.firms import FORM, house_words
from textveil.detection.found import ORDINARY, OTHER, Found
from textveil.detection.gates import places_of
from textveil.detection.language_words import LanguageWords, phrase
from textveil.detection.lists import Marks, Words
from textveil.text.patterns import matches

_ADJECTIVE: Final = (
    "al|ale|ali|aux|ico|ica|iche|ique|ista|iste|ano|ana|ain|aine|ais|aise|ese|es|esa|ario|aria|ien|ienne|ivo|iva|olo|ola"
    "|ol|ole|ino|ina|no|na|aire|oise|ois|ski|ska|skie|owy|owa|owe|ny|ne"
)
_BEGINS_PLACE: Final = frozenset("lake mount mont fort cape gulf port puerto porto".split())  # noqa: SIM905
_POLISH_PLACE: Final = re.compile(r"[a-z]{2,40}(?:skie|ckie|owe|na|ny|ne|wy|wa|[iy]e)").fullmatch
_LIKE: Final = frozenset("come comme como wie zoals jak tels tales".split())  # noqa: SIM905
_AGENT: Final = re.compile(r"[a-z]{2,24}(?:tric[ei]s?|ari[oae]s?|[aei]nt(?:[ei]s?|es)?)").fullmatch
"""Words of Romance languages for who does something, which contracts write with a capital: il Comodante."""
_LED: Final = re.compile(
    r"(?:gitarr|guitar|chitarr|bass|bajist|baix|batter|drum|schlagz|saenger|sanger|zang|wokal|cantor|cantante|trainer|allenat|entren"
    r"|trein|trener|joueur|calciat|giocat|jugad|jogad|futbol|speler|fundador|fondat|grunder|members|membr|mitglied|spieler)"
).match
"""Beginnings of words for who belongs to a band, a club or a firm."""
_AND: Final = frozenset("y e i et und en".split())  # noqa: SIM905
_COUNTED: Final = re.compile(
    r"als|(?:k?ein|[mds]ein|ihr|unser|euer|dies|jen|jed|welch|all|viel|wenig|einig|mehrer|beid|manch)(?:e[mnrs]?)?"
    r"|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf"
).fullmatch
"""German words before a noun, beside the articles."""
_PLURAL: Final = re.compile(
    r"den|diesen|allen|vielen|beiden|einigen|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn"
).fullmatch
"""Those before a noun in the plural, whose case in -n a place may equal: nach zwei Siegen."""
_GERMAN_ADJECTIVE: Final = re.compile(r"[a-z-]{3,40}e[mnrs]?").fullmatch
_BARE: Final = frozenset("bei mit von fur durch gegen uber um ohne".split())  # noqa: SIM905
"""German prepositions: behind one, without an article, a word that no list holds is a name more often than a noun."""
_MELTED: Final = frozenset("im am zum zur als".split())  # noqa: SIM905
"""German words that no person's name follows."""
_SIDE_BY_SIDE: Final = frozenset((" ", ". ", ".", "-"))
_CLUB: Final = 5
_BEFORE_OFFICE: Final = re.compile(r"(?<![A-Za-z'-])(?:[A-Z][A-Za-z-]{1,24} ){1,2}\Z").search
_BEHIND_OFFICE: Final = re.compile(r" (?:[A-Za-z]{1,5}')?(?P<word>[A-Za-z][A-Za-z-]{0,30})(?![A-Za-z'-])").match
_MOST_OF_OFFICE: Final = 10
_QUOTES: Final = frozenset(('"', OTHER))
_GOES_ON_CAPITAL: Final = re.compile(r"[ -][A-Z][A-Za-z]").match
_SURE: Final = 5
_GUESS: Final = 0.3
_WORDS: Final = re.compile(r"[A-Za-z]{2,}")
_LISTED_BEHIND: Final = re.compile(
    r"(?:, | ?,? (?:e|ed|y|et|und|en|i|oraz|ou|o|oder|of|sowie|lub) )(?:(?:la|le|il|lo|i|gli|el|los|las|os?|as?"
    r"|die|der|de|den|het|das|les|nach|in|do|da|di|w) |l')?"
).fullmatch
"""Words that join two names of a kind."""
_FIRM_BEFORE: Final = re.compile(r"([A-Z][A-Za-z-]{1,40})(?:,| (?:e|y|et|und|en|i)) $")
_FIRM_AFTER: Final = re.compile(r"(?:,| (?:e|y|et|und|en|i)) ([A-Z][A-Za-z-]+)")
_WORD: Final = r"[A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+"
_PIECE: Final = re.compile(r"[A-Z][A-Za-z]*+(?:['-][A-Za-z]++)*+")
_ROMAN: Final = re.compile(r"[IVX]{1,5}").fullmatch
_ELIDED: Final = re.compile(r"(?:[LD]|Dell|All|Nell|Sull|Dall|Un|Quell|Qu)'(?=[A-Z])")
_ENDS_CLAUSE: Final = re.compile(r"[.!?;:,()\n\[\]|*/]").search
_BACK_WORD: Final = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*'?")
_SMALL_BEHIND: Final = re.compile(r" ([a-z]+(?:-[a-z]+)*)(?![a-z'-])").match
_TOLD: Final = re.compile(
    r",(?: (?:il|lo|la|o|a|le|el|un|une|una|um|uma))? (?:l')?(?P<role>[a-z]+)| (?P<verb>[a-z]+)"
    r"| \((?:[a-z]{1,5}\.? )?(?:[A-Z]|[12][0-9]{3}(?![0-9]))"
).match
"""What tells of a person behind a name that begins a sentence: a role, a verb, the place or the year of birth."""
_IN_LIST: Final = re.compile(r": (?:[A-Z][A-Za-z-]{0,24}[,;] ){1,5}\Z").search
"""Words with a capital behind a colon, which list things as often as persons: Terapia: Cardioaspirina, ..."""
_OF_THINGS: Final = frozenset("e ha a est es tem tiene".split())  # noqa: SIM905
"""Verbs behind persons that stand behind things as often."""
_OF: Final = frozenset(("di", "de", "d'"))
_BEFORE_THINGS: Final = frozenset(("di", "de", "d'", "do", "van", "over", "in", "em"))
"""Prepositions that stand before a thing without an article as often as before a name."""
_FIRST_AFTER: Final = re.compile(r",? ([a-z]+)")
_BETWEEN: Final = frozenset("tra fra entre zwischen tussen miedzy".split())  # noqa: SIM905
_LARGE: Final = 2
_ITEM: Final = re.compile(
    r"(?: \([^()\n]{1,30}\))?(?:, ?| (?:i|y|e|et|en|oraz|und|a) )(?P<name>[A-Z][A-Za-z-]{2,30})"
).match
"""What commas join to a name behind it, with what stands in parentheses between them."""
_MOST_LISTED: Final = 8
_ENDS_ITEM: Final = re.compile(r"[ \t]{0,4}(?:[\n;)|]|\Z)|\.(?:\s|\Z)|[ \t]{2}").match
"""The end of a line or an item, behind a place: Hotel Strandkorb, Westerland; 19.08.1991, Leck."""
_NOTED: Final = re.compile(r" - [a-z]{2,20} [a-z]").match
_BEHIND_FOUND: Final = re.compile(r"[a-z] \xb7+ \Z").search
_ABBREVIATED: Final = re.compile(r"(?<![A-Za-z])(?:[a-z]\. ?[a-z]{1,3}|np|tzw|bzw|resp|bijv)\.\Z").search
"""What ends with a full stop and no sentence: m.in., z. B., p. ej."""
_SPOKEN: Final = re.compile(r", [a-z]").match
_ADDRESSED: Final = frozenset(
    """gentili egregi egregie cari care estimados estimadas queridos queridas apreciados chers cheres prezados prezadas
    caros caras szanowni drodzy""".split()  # noqa: SIM905
)
"""First words of letters to several people: no name follows."""
_CODED: Final = re.compile(r" \([A-Z]{2}\)").match
"""The letters of a province behind a town: Rho (MI)."""
_YEARS: Final = re.compile(r" \((?:[^()\n]{0,24}[^0-9])?1[0-9]{3}[^0-9)]")
_BACK: Final = 64
_INSIDE: Final = frozenset("_@/.\\$#-")
_NO_NAME_AFTER: Final = frozenset("0123456789_@")
_SMALL: Final = re.compile(r"(?<![A-Za-z])[a-z]{3,}")
_NOUN: Final = re.compile(
    r"(?:ung|ungen|heit|heiten|keit|keiten|schaft|schaften|ion|ionen|tat|taten|ismus|isten|nis|nisse|nissen|tum|chen"
    r"|ling|linge|lingen|erin|innen|enz|anz|ien|iker|en|er|ern|e|es)$"
).search
"""Endings of German nouns: a single word with one of them that no list holds is no name without a cue."""
_LANDFORM: Final = re.compile(
    r"(?P<head>[a-z-]{3,20}?)(?:see|tal|fluss|gebirge|insel|wald|berg|bucht|heide|moor|bach|strasse|strase|platz|brucke)s?"
).fullmatch
"""German names of places behind an article, which no person has."""
_GIVEN, _FAMILY, _KNOWN_PLACE = int(Marks.GIVEN), int(Marks.FAMILY), int(Marks.KNOWN_PLACE)
_PLACE, _COMMON, _OTHER = int(Marks.PLACE), int(Marks.COMMON), int(Marks.OTHER)
_NAMES: Final = _GIVEN | _FAMILY
_LOAN: Final = _COMMON | int(Marks.SMALL)


class Token(NamedTuple):
    """A capitalized word of a run: where it stands, in small letters, what lists say of it."""

    start: int
    end: int
    low: str
    marks: int
    ordinary: int  # 2: a frequent ordinary word, 1: a rare one, 0: none
    capitals: bool
    roman: bool  # a number in Roman digits


class _Before(NamedTuple):
    words: tuple[str, ...]  # of the clause, the last word first, in small letters
    opens: bool  # nothing stands before it in its sentence
    quoted: bool
    sign: str  # before the clause
    beside: bool = False  # a capitalized ordinary word stands before it: Pronto Soccorso


class _Points(NamedTuple):
    person: int = 0
    place: int = 0
    organization: int = 0
    other: int = 0

    def plus(self, person: int = 0, place: int = 0, organization: int = 0, other: int = 0) -> _Points:
        """Return the sums."""
        return _Points(self.person + person, self.place + place, self.organization + organization, self.other + other)


_NONE: Final = _Points()


class NamesByLanguage:
    """The search for names in a language."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._german = language == "de"
        self._words = LanguageWords(language)
        self._cues = self._words.cues
        written = known.written(language)
        self._months = frozenset(written["months"])
        self._kin = frozenset(written["kin"])
        self._fields = frozenset(written["fields"])
        self._land = frozenset(written.get("land", ()))
        self._bearing = frozenset(written.get("bearings", ()))
        self._sorts = Words(written.get("kinds of places", ()))
        self._firsts = Words(written.get("begins places", ()))
        self._regions = frozenset(written.get("regions", ()))
        self._begun = frozenset(name.partition(" ")[0] for name in self._cues.place if " " in name)
        self._offices: dict[str, list[str]] = {}
        for name in written["no body"]:
            self._offices.setdefault(name.partition("_")[0], []).append(name.replace("_", " "))
        self.office_words = frozenset(self._offices)
        joints = sorted({*self._cues.joint, *self._cues.loose}, key=len, reverse=True)
        elided = "|".join(re.escape(joint) for joint in joints if joint.endswith("'")) or r"(?!)"
        joint = rf"(?:(?:{'|'.join(map(re.escape, joints))}) |(?:{elided})|(?:in|op) (?='t ))"
        saint = r"(?<=St)(?<![A-Za-z0-9]St)\. |" if self._german else ""
        self._run = re.compile(
            rf"[A-Z](?<![A-Za-z0-9_@#\\].)[A-Za-z]*+(?:['-][A-Za-z]++)*+"
            rf"(?:(?: |(?<=[A-Z])(?<![A-Za-z0-9][A-Z])\. ?|{saint} & )(?:{joint}){{0,3}}"
            rf"(?:(?:[aeu][a-z]{{1,2}})-)?{_WORD})*+"
        )
        tight = "|".join(re.escape(joint) for joint in self._cues.joint if not joint.endswith("'"))
        self._goes_on = re.compile(
            rf"(?: [a-z]{{2,16}}(?:{_ADJECTIVE})(?![a-z])){{0,2}}+"
            rf"(?: (?:(?:{tight}) |(?:{elided})){{1,2}}(?:{_WORD}|[a-z]{{4,24}}))?+"
        )

    def find(self, text: str) -> Iterator[Found]:
        """Yield names, and works and events as ordinary words, by start."""
        small: frozenset[str] | None = None
        last = Found(0, 0, ORDINARY, 0.0)
        for run in matches(self._run, text):
            if text[run.end() : run.end() + 1] in _NO_NAME_AFTER:
                continue
            before = _before(text, run.start())
            tokens = list(self._tokens(text, run.start(), run.end()))
            first = tokens[0]
            if before.opens and not (first.ordinary or first.marks & _NAMES):
                small = frozenset(_SMALL.findall(text)) if small is None else small
                if first.low in small:
                    tokens[0] = first._replace(ordinary=2)
            if first.ordinary and self._tells(before):
                tokens[0] = first._replace(ordinary=0)
            tokens[-1] = self._with_small(text, tokens, before.opens)
            if before.opens and len(tokens) > 1 and first.capitals and first.ordinary:
                tokens = self._in_heading(text, tokens)
            for part in self._parts(text, tokens):
                here = before if part[0].start == first.start else _before(text, part[0].start)
                if self._is_between(text, part, here):
                    last = Found(part[0].start, part[-1].end, "place", 0.5, "cue")
                    yield last
                    continue
                for span in self._found(text, part, here, last):
                    yield span
                    last = span

    def find_offices(self, text: str) -> Iterator[Found]:
        """Yield as ordinary words the courts, offices and boards that no name tells apart: Juzgado de lo Social."""
        reached = 0
        for start, end in places_of(text, self.office_words):
            if start < reached or not text[start].isupper() or text[start - 1 : start] in _INSIDE:
                continue
            names = self._offices[text[start:end].lower()]
            ends = [start + len(name) for name in names if text[start : start + len(name)].lower() == name]
            at = max((at for at in ends if not text[at : at + 1].isalpha()), default=0)
            for span in self._office(text, start, at) if at else ():
                reached = span.end
                yield span

    def _office(self, text: str, start: int, end: int) -> Iterator[Found]:
        """Yield an office with the ordinary words beside it, and the place behind it; nothing if it has a name."""
        begin = start
        if before := _BEFORE_OFFICE(text, max(0, start - _BACK), start):
            for low in before[0].lower().split():
                if not self._is_plain(low) or low in house_words() or low in self._cues.body:
                    return  # Jaime Guardia
            begin = before.start()
        at, ends, placed = end, [begin, end] if " " in text[start:end] else [end], (0, 0)
        for _ in range(_MOST_OF_OFFICE):
            behind = _BEHIND_OFFICE(text, at)
            low = "" if behind is None else behind["word"].lower()
            if behind is None or low in _AND:
                break
            at = behind.end()
            if low in self._cues.joint or (low in self._cues.function and low not in self._cues.in_):
                continue
            if not behind["word"][0].isupper() or len(low) == 1:
                break
            if self._is_plain(low):
                ends.append(at)
                continue
            place = self._words.is_place(low)
            placed = behind.span("word") if place else placed
            beside = place < 2 and behind.start("word") == ends[-1] + 1
            if beside and len(ends) > 1:
                ends.pop()  # Polizeiinspektion Bad Wurzbach
            if (not place and len(ends) < 2) or (beside and not self._german and self._words.marks(low) & _NAMES):
                return  # Comune di Zusendorf, which goes as a whole; Junta Pérez
            break
        end = ends[-1]
        sign = text[end : end + 3].lstrip(" ")[:1]
        alone = " " not in text[begin:end]  # Service: 4471, Sr. Guardia; but Ordine del Giorno: le quote
        named = alone and (sign == ":" or self._words.marks(text[begin:end].lower()) & _NAMES)
        if not (named or sign in _QUOTES or sign.isdigit() or FORM.match(text, end)):
            yield Found(begin, end, ORDINARY, 0.8)
            if placed[0] > end and not _GOES_ON_CAPITAL(text, placed[1]):
                yield Found(*placed, "place", 0.7, "list")

    def _is_plain(self, low: str) -> bool:
        """Tell whether a word is an ordinary one, no large place, and begins none."""
        known_word = self._words.is_ordinary(low) > self._german and self._words.is_place(low) < 2
        return known_word and low not in self._firsts

    def _tells(self, before: _Before) -> str:
        """Return the kind of whatever name stands behind these words: lago di ..., figlio di ...; empty for any."""
        b1, b2 = [*before.words, "", ""][:2]
        linked = b1 in self._cues.joint or b1 in self._cues.article
        if b1 in self._land or (linked and b2 in self._land):
            return "place"
        return "person" if b1 in _OF and b2 in self._kin else ""

    def _with_small(self, text: str, tokens: Sequence[Token], opens: bool) -> Token:
        """Return a word with the small one behind it if a place is called so: Impero romano, Alpi bergamasche."""
        token = tokens[-1]
        small = _SMALL_BEHIND(text, token.end)
        of_place = small is not None and (small[1] in self._bearing or self._words.is_of_place(small[1]))
        if small is None or not (of_place or token.low in self._begun):
            return token
        name = phrase(text, token.start, small.end())
        if of_place and not (opens and token.ordinary and len(tokens) < 2):  # Graça divina!
            alone = len(tokens) < 2 or text[tokens[-2].end : token.start] != " "
            placed = self._words.is_place(phrase(text, token.start if alone else tokens[0].start, token.end))
            of_place = placed > 0 or (alone and token.low in self._regions)
        else:
            of_place = False
        return token._replace(end=small.end(), low=name, ordinary=0) if of_place or name in self._cues.place else token

    def _is_between(self, text: str, tokens: Sequence[Token], before: _Before) -> bool:
        """Tell whether a large place ends the way that begins at an ordinary word: tra Ponte e Cuneo."""
        behind = _ITEM(text, tokens[-1].end) if before.words[:1] and before.words[0] in _BETWEEN else None
        return behind is not None and tokens[0].ordinary > 0 and self._words.is_place(behind["name"].lower()) == _LARGE

    def _is_told(self, text: str, end: int) -> bool:
        """Tell whether what stands behind a name tells of a person: nacque, ", vescovo di", ", il poeta"."""
        behind = _TOLD(text, end)
        if behind is None:
            return False
        word, verb = behind["role"], behind["verb"]
        return word in self._cues.role if word else verb is None or (verb in self._cues.said and verb not in _OF_THINGS)

    def _in_heading(self, text: str, tokens: list[Token]) -> list[Token]:
        """Return the words of a run, those of a heading in capitals as ordinary ones: KARTA WYPISOWA Marek Kowal."""
        first = tokens[0]
        if first.low in house_words() or first.low in self._cues.body or text[first.start - 1 : first.start].strip():
            return tokens
        ends = (
            at
            for at, token in enumerate(tokens)
            if not token.capitals or (token.marks & _NAMES and not token.ordinary) or self._words.is_place(token.low)
        )
        end = next(ends, len(tokens))
        return [*(token._replace(ordinary=2) for token in tokens[:end]), *tokens[end:]] if end > 1 else tokens

    def _tokens(self, text: str, start: int, end: int) -> Iterator[Token]:
        for piece in _PIECE.finditer(text, start, end):
            written, begin = piece[0], piece.start()
            elided = _ELIDED.match(written)
            if elided and self._words.is_place(written.lower()) < 2 and (elided[0] != "D'" or begin == start):
                written, begin = written[elided.end() :], begin + elided.end()
            if written.endswith("'s"):
                written = written[:-2]
            low = written.lower()
            capitals = len(written) > 1 and written.isupper()
            yield Token(
                begin, begin + len(written), low, *self._words.judged(low), capitals, _ROMAN(written) is not None
            )

    def _parts(self, text: str, tokens: list[Token]) -> Iterator[list[Token]]:
        """The words of a run, parted where a word joins nothing but a listed place, or further words of a body."""
        begin = 0
        for at in range(1, len(tokens)):
            gap = text[tokens[at - 1].end : tokens[at].start].replace("'", "' ").split()
            if self._german and gap and self._parts_here(gap[0], tokens[at - 1], tokens[at]):
                yield tokens[begin:at]
                begin = at
                continue
            if not gap or gap[0] not in self._cues.loose or gap[1:3] == ["'", "t"]:
                continue  # Joke in 't Veld
            if self._words.is_place(phrase(text, tokens[at - 1].start, tokens[at].end)):
                continue
            if gap[0] in _AND and tokens[at].ordinary and any(one.low in self._cues.body for one in tokens[begin:at]):
                continue
            yield tokens[begin:at]
            begin = at
        yield tokens[begin:]

    def _parts_here(self, joint: str, before: Token, token: Token) -> bool:
        """Tell whether a German word joins no name: mit den Packers den Pokal, Torhüter der Premier League."""
        described = before.ordinary and not (before.low in self._cues.body or before.low in self._cues.spot)
        return joint == "den" or bool(joint == "zu" and token.ordinary) or bool(joint == "der" and described)

    def _own_words(self, tokens: list[Token]) -> list[Token]:
        """Return the words of an organization less German nouns beside them: Filmstudio Paramount, AFC Tubize Profi."""
        cue = self._cues

        def describes(token: Token) -> bool:
            own = token.low in cue.body or token.low in cue.spot or token.low in cue.event or _is_end(token)
            named = own or token.capitals or token.roman or token.marks & _NAMES or self._words.is_place(token.low)
            return not named and (token.ordinary > 0 or token.low in cue.firm) and token.low not in cue.function

        if not any(token.low in cue.body or _is_end(token) for token in tokens):
            return tokens
        begin, end = 0, len(tokens)
        while end > 1 and describes(tokens[end - 1]):
            end -= 1
        while begin < end - 1 and describes(tokens[begin]) and self._is_noun(tokens[begin], tokens[begin + 1]):
            begin += 1
        return tokens[begin:end]

    def _is_noun(self, token: Token, following: Token) -> bool:
        """Tell whether a German word before a name is a noun: Aufsteiger SV Ried, but Hamburger SV, Deutsche Bank."""
        if not _GERMAN_ADJECTIVE(token.low) or token.low in self._cues.firm:
            return True
        proper = following.capitals or not following.ordinary
        return token.low.endswith("er") and proper and not self._words.is_of_place(token.low)

    def _found(self, text: str, tokens: list[Token], before: _Before, last: Found) -> Iterator[Found]:
        """The names among the words of a run, which function words, titles and ordinary words part."""
        at = 0
        while at < len(tokens):
            token = tokens[at]
            passed = self._is_passed(text, tokens, at, before)
            stop = at if passed else self._stop(text, tokens, at, before.opens)
            if stop == at:
                german = not passed and token.ordinary > 0 and self._german
                opens = before.opens and (german or token.low in _ADDRESSED)
                stop, before = (
                    at + 1,
                    before._replace(opens=opens, beside=token.ordinary > 0 and not passed),
                )
            else:
                named = self._own_words(tokens[at:stop]) if self._german else tokens[at:stop]
                here = before if named[0] is token else _before(text, named[0].start)
                for span in self._named(text, named, here, last):
                    yield span
                    last = span
                before = before._replace(opens=False, beside=False)
            if stop < len(tokens):
                start = tokens[stop].start
                beside = before.beside and text[start - 1 : start] == " " and text[token.end : start] == " "
                before = _before(text, start)._replace(opens=before.opens, beside=beside)
            at = stop

    def _is_passed(self, text: str, tokens: Sequence[Token], at: int, before: _Before) -> bool:
        """Tell whether a word is a function word or the title of the name behind it."""
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        beside = following is not None and text[token.end : following.start] == " "
        if token.low in self._cues.function:
            named = token.marks & _GIVEN and beside and following and not (before.opens or following.ordinary)
            if beside and following and self._words.is_place(phrase(text, token.start, following.end)) == 2:
                return False  # La Spezia
            return not ((token.capitals and at) or named or self._is_article_of(text, tokens, at, before))
        if token.low not in self._cues.role or following is None or token.marks & _GIVEN:
            return False
        return not self._words.is_place(phrase(text, token.start, following.end))

    def _is_article_of(self, text: str, tokens: Sequence[Token], at: int, before: _Before) -> bool:
        """Tell whether a word is the article that begins a place: in Den Helder."""
        token = tokens[at]
        if before.opens or at + 1 == len(tokens) or text[token.end : tokens[at + 1].start] != " ":
            return False
        shown = before.words and (before.words[0] in self._cues.in_ or before.words[0] in self._cues.spot)
        article = shown and token.low in self._cues.article and not (before.quoted or self._german)
        return bool(article or self._words.is_place(phrase(text, token.start, tokens[at + 1].end)))

    def _stop(self, text: str, tokens: Sequence[Token], at: int, opens: bool) -> int:
        """Return the end of the name that begins at a word; ``at`` for none."""
        body = self._cues.body
        rest = tokens[at:]
        if len(rest) > 1 and self._tells_sort(rest[0]):
            return at
        headed = next((place for place, token in enumerate(rest) if token.low in body or _is_end(token)), -1)
        apart = self._language in ("de", "nl") and not opens
        if headed == 0 or (headed > 0 and (apart or self._german or not any(one.ordinary for one in rest[:headed]))):
            return len(tokens)
        if len(rest) > 1 and self._is_club(text, rest[0], rest[1]):
            return len(tokens)
        if len(rest) > 1 and rest[0].low == "the":
            return len(tokens)
        if len(rest) > 1 and (rest[0].low in self._cues.event or rest[0].low in self._cues.spot):
            return len(tokens)
        given = tokens[at].marks & _GIVEN
        for stop in range(len(tokens), at + 1, -1):
            place = self._words.is_place(phrase(text, tokens[at].start, tokens[stop - 1].end))
            if place == 1 and given and stop < len(tokens) and tokens[stop].marks & _FAMILY:
                continue  # of somebody: Joaquim Gomes de Azevedo
            if place:
                if stop < len(tokens) and self._is_elided(text, tokens[stop - 1], tokens[stop]):
                    return stop + 1
                return (
                    stop
                    if stop == len(tokens) or not self._goes_on_as_club(text, tokens[stop - 1], tokens[stop])
                    else len(tokens)
                )
        if not self._begins(text, tokens, at, opens):
            return at
        stop = at + 1
        while stop < len(tokens) and self._continues(text, tokens, at, stop):
            stop += 1
        return stop

    def _is_elided(self, text: str, place: Token, token: Token) -> bool:
        """Tell whether "d'" joins a word to an Italian place: San Vito d'Asio, but la Roma d'Anna."""
        named = token.marks & _GIVEN and not self._words.is_place(token.low)
        return self._language == "it" and text[place.end : token.start] == " d'" and not named

    def _tells_sort(self, token: Token) -> bool:
        """Tell whether a German word before a name says what it is: Landkreis Celle, Punkband Zuse."""
        made = token.low in self._cues.firm or token.low in self._cues.work
        told = self._german and (made or (token.ordinary > 0 and token.low in self._sorts))
        named = token.marks & _NAMES or token.low in self._words.words_too or self._words.is_place(token.low) == 2
        return told and not (named or token.low in self._cues.body)

    def _is_club(self, text: str, token: Token, following: Token) -> bool:
        """Tell whether two to four letters in capitals stand before a name: AC Milan."""
        short = token.capitals and len(token.low) < _CLUB and not token.roman
        named = not following.capitals and following.ordinary < 2
        return short and named and text[token.end : following.start] == " " and not self._shouts(text, token)

    @staticmethod
    def _goes_on_as_club(text: str, before: Token, token: Token) -> bool:
        """Tell whether a word behind a place is none of this language and no given name: Los Angeles Lakers."""
        return text[before.end : token.start] == " " and not (token.ordinary or token.marks & _GIVEN)

    def _begins_place(self, token: Token) -> bool:
        """Tell whether an ordinary word begins places: Nowy Targ, but Nowak."""
        return token.ordinary > 0 and token.low in self._firsts

    def _begins(self, text: str, tokens: Sequence[Token], at: int, opens: bool) -> bool:
        """Tell whether a name may begin at a word."""
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.low in self._cues.article and following and not (opens or token.capitals):
            return True  # in Den Helder
        if not token.ordinary or token.low in known.public_bodies():
            return True
        if following and following.roman and token.ordinary < 2:
            return True
        if token.marks & _GIVEN and following and following.low not in self._cues.function:
            if self._german and text[token.end : following.start] != " ":
                return False
            if self._german and token.ordinary == 2 and (token.low in self._words.words_too or opens):
                return bool(following.marks & _FAMILY) and not following.ordinary  # Art Blakey
            return following.ordinary < 2 - self._german or bool(following.marks & _NAMES)
        if self._german and following and following.low in self._cues.spot and self._words.is_of_place(token.low):
            return True  # Neusiedler See
        if following and self._begins_place(token) and (self._german or not opens):
            return True  # St. Gilgen, Nowy Targ
        if self._german and token.ordinary == 2 and following:
            if opens and following.marks & _GIVEN and not token.marks:
                return False  # Kann Silke
            return self._words.is_place(token.low) > (text[token.end : following.start] != " ")  # Sieg von Hohenberg
        return bool(self._words.is_place(token.low)) or (token.ordinary == 1 and not opens and not self._german)

    def _continues(self, text: str, tokens: Sequence[Token], first: int, at: int) -> bool:
        """Tell whether a word belongs to the name that begins at ``first``."""
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.roman or (token.low in self._cues.joint and following):
            return True
        if token.capitals and len(token.low) < _CLUB and not token.ordinary:
            return True
        if token.low in self._cues.function:
            return token.capitals
        last = at - 1
        while last > first and tokens[last].low in self._cues.joint:
            last -= 1
        before, begun = tokens[last], tokens[first]
        gap = text[tokens[at - 1].end : token.start]
        if gap not in _SIDE_BY_SIDE and self._words.is_place(before.low) + self._words.is_place(token.low) > 2:
            given = begun.marks & _GIVEN or (before.marks & _GIVEN and token.marks & _FAMILY)
            return bool(given) or self._words.is_place(phrase(text, begun.start, token.end)) > 0
        if token.low in self._cues.event or token.low in self._cues.spot:
            return True
        if at == first + 1 and (begun.low in self._cues.article or self._begins_place(begun)):
            return True
        if token.ordinary:
            given = before.marks & _GIVEN and (self._german or begun.marks & _GIVEN)
            if gap == " " and given and not (begun.ordinary or (self._german and before.ordinary)):
                return True
            if self._german:
                return token.ordinary == 1 and not before.ordinary and gap == " "
            return not before.ordinary or token.ordinary == 1
        if token.marks & _GIVEN and last == first and following:
            return bool(begun.marks & _NAMES) or not self._words.is_place(begun.low)
        return True

    def _named(self, text: str, tokens: list[Token], before: _Before, last: Found) -> Iterator[Found]:
        start, end = tokens[0].start, tokens[-1].end
        whole = phrase(text, start, end)
        town = whole.partition(" d'")[0] if self._language == "it" else whole
        where = 2 if " " in tokens[-1].low else self._words.is_place(whole) or self._words.is_place(town)
        listed = last.kind != ORDINARY and _LISTED_BEHIND(text, last.end, start) is not None
        if not (listed or where or self._german or before.words) and self._lists_places(text, before, end):
            last, listed, before = Found(start, end, "place", 0.5), True, before._replace(opens=False)
        lies = before.sign == "," and not before.words and text[start - 3] == OTHER and _ENDS_ITEM(text, end)
        behind_found = len(tokens) > 1 and _BEHIND_FOUND(text, max(0, start - _BACK), start)
        house = bool(before.words) and before.words[0] in self._cues.body
        if before.quoted and (behind_found or house or _SPOKEN(text, end)):
            before = before._replace(quoted=False)  # "Dylan, come on", am 3. Mai 1850 Ludwig Zuse, teatro "Massimo"
        noted = before.sign == ":" and len(tokens) == 1 and tokens[0].ordinary < 2 and _NOTED(text, end)
        if noted and not where:
            yield Found(start, end, "person", 0.5, "cue")  # Kamer 3: Geertje - wil niet eten
            return
        if self._names_nobody(text, tokens, before._replace(sign="&" if listed or lies else before.sign), where):
            return
        points = self._of_lists(tokens, where).plus(*self._of_words_before(tokens, before, where))
        points = points.plus(*self._of_form(text, tokens, before, where, points))
        if listed and last.score > _GUESS:
            points = points.plus(**{last.kind: 3})
        if lies and not any(token.marks & _NAMES for token in tokens):
            points = points.plus(place=3)
        most = max(points)
        bare = before.words[:1] and before.words[0] in _BARE
        if most < 2 and (bare or not self._german):
            points, most = points._replace(person=2), 2
        if most < 2:
            return
        if points.other == most:
            yield Found(start, end, ORDINARY, 0.6)
            return
        kind = "organization" if points.organization == most else "place" if points.place == most else "person"
        if kind == "organization" and tokens[-1].low in self._cues.body and self._language not in ("de", "nl"):
            match = self._goes_on.match(text, end)
            end = match.end() if match else end
            if len(tokens) == 1 and end == tokens[0].end and not tokens[0].capitals:
                return
        score, why = (0.7, "list") if most >= _SURE else (0.5, "cue") if most > 2 else (0.3, "guess")
        yield Found(start, end, kind, score, why)

    def _lists_places(self, text: str, before: _Before, end: int) -> bool:
        """Tell whether a place is among the words that commas join behind a first or a further one of them."""
        if before.sign not in (",", ":"):
            return False
        for _ in range(_MOST_LISTED):
            item = _ITEM(text, end)
            if item is None:
                return False
            low = item["name"].lower()
            if self._words.is_place(low) and not self._words.judged(low)[1]:
                return True
            end = item.end()
        return False

    def _names_nobody(self, text: str, tokens: list[Token], before: _Before, where: int) -> bool:  # noqa: C901 (a list of reasons)
        """Tell whether capitals are those of ordinary words, letters, numbers or peoples."""
        cue = self._cues
        first = tokens[0]
        b1 = before.words[0] if before.words else ""
        headed = any(token.low in cue.body for token in tokens)
        shown = b1 in cue.role or b1 in cue.firm or b1 in cue.spot or first.low in known.public_bodies()
        shown |= bool(self._tells(before))
        if all(token.roman or len(token.low) == 1 for token in tokens[:-1]) and (
            tokens[-1].roman or len(tokens[-1].low) == 1 or (len(tokens) > 1 and tokens[-1].low in known.letters())
        ):
            return True
        if len(tokens) > 1:
            return self._name_nothing(text, tokens, before, where, headed=headed)
        heads = not first.marks & _NAMES and text[first.start - 1 : first.start] in ("", "\n")
        if heads and first.low in self._fields and text[first.end : first.end + 2].lstrip(" ").startswith(":"):
            return True  # Antecedents : HTA
        if (first.marks & _OTHER and not (first.capitals or first.low in cue.place)) or (
            first.low in known.EPONYMS and not shown
        ):
            return True
        word = first.low in self._words.words_too and not shown
        if word and (before.opens or not first.marks & _GIVEN or (self._german and first.marks & _COMMON)):
            behind = _FIRST_AFTER.match(text, first.end) if first.marks & _GIVEN else None
            if behind is None or behind[1] not in cue.said:
                return True  # Rosa il colorito
        if first.capitals:
            placed = where == 2 and not (first.ordinary == 2 and b1 in cue.article)
            if first.low in known.COUNTRY_LETTERS or first.low in known.public_bodies() or placed:
                return False
            if self._shouts(text, first):
                return not (first.marks & _NAMES and not first.ordinary)
            led = shown or headed or b1 in cue.article or b1 in cue.against or b1 in cue.by
            if first.low in known.letters() or (before.sign == "(" and not shown):
                return True
            led = led or (self._language == "pl" and b1 in cue.in_)
            return not led or first.ordinary > 0
        noun = self._language in ("de", "nl") and where < 2
        if noun and first.low in cue.body and first.low not in known.public_bodies():
            return True
        counted = self._german and (b1 in cue.article or _COUNTED(b1) is not None)
        if counted and first.low not in cue.place and not shown:
            plural = _PLURAL(b1) is not None and first.low.endswith("n")
            genitive = b1 in ("des", "eines") and first.low.endswith("s") and not first.marks & _GIVEN
            if (where and not first.marks & _NAMES) or (where and plural) or genitive or first.low in self._months:
                return True  # nach zwei Siegen, des Kerns
        named = first.marks & _GIVEN or (first.marks & _FAMILY and not first.ordinary)  # Factura Gimeno
        small = first.low in self._words.written_small
        listed = first.ordinary or (where < 2 and (small or where or first.marks))
        if before.beside and listed and not (self._german or shown or named):
            return True
        if b1 in cue.article and not (self._german or shown or where or first.marks & _NAMES) and _AGENT(first.low):
            return True
        led = small and self._language == "pl" and b1 in cue.in_  # w Krzyżowej
        if small and not (shown or headed or where or led or self._is_bare(text, first, b1)):
            behind = _FIRST_AFTER.match(text, first.end)
            if behind is None or behind[1] not in cue.said:
                return True  # el fontanero de la Panadería
        if first.ordinary and not (shown or headed):
            if where == 2 and not before.opens and (b1 in cue.in_ or before.sign == "&" or first.ordinary == 1):
                return False
            if (
                first.ordinary == 2
                or before.opens
                or self._german
                or b1 in cue.article
                or not (b1 or before.sign == "&")
            ):
                return True
            return self._language == "pl" and not (first.marks & _NAMES or where or led)
        if self._german and b1 in cue.in_ and self._is_landform(first):
            return False
        if self._german and not where and not shown:
            if counted:
                nobody = b1 in _MELTED or first.marks & (_GIVEN | _COMMON) != _GIVEN
                return nobody and not self._is_landform(first)
            if not first.marks & _NAMES:
                return bool(_NOUN(first.low) or len(first.low) > 12 or before.opens or (b1 and b1 not in cue.function))
        if where or first.marks & _NAMES or shown:
            return False
        if not before.opens:
            return (
                not b1
                and before.sign in (",", ";")
                and _IN_LIST(text, max(0, first.start - _BACK), first.start) is not None
            )
        return first.ordinary > 0 or not self._is_told(text, first.end)

    def _is_bare(self, text: str, token: Token, b1: str) -> bool:
        """Tell whether a word stands between words in small letters, without an article; Polish has none."""
        amid = text[token.start - 2 : token.start - 1].islower() and not text[token.end + 1 : token.end + 2].isupper()
        led = b1 in self._cues.article or b1 in _BEFORE_THINGS
        return amid and not led and self._language != "pl"

    def _name_nothing(self, text: str, tokens: list[Token], before: _Before, where: int, *, headed: bool) -> bool:
        """Tell whether several words with capitals are ordinary ones."""
        cue = self._cues
        first = tokens[0]
        b1 = before.words[0] if before.words else ""
        if first.low in cue.article and not first.capitals:
            return False  # in Den Helder
        if any(token.low in cue.event for token in tokens):
            return False
        if all(token.ordinary or token.low in cue.function for token in tokens) and not where:
            if headed or any(token.low in cue.spot for token in tokens):
                spot = first.low in cue.spot and self._words.is_place(tokens[-1].low)
                placed = spot or self._words.is_of_place(first.low)
                bodies = all(token.low in cue.body or token.low in cue.function for token in tokens)
                return not placed if self._german else bodies
            named = self._begins_place(first) and (b1 in cue.in_ or b1 in cue.spot or b1 in _OF)
            named = named or any(token.marks & _GIVEN or token.roman for token in tokens)
            sure = sum(token.ordinary == 2 for token in tokens)
            return not named and (self._german or before.opens or b1 in cue.article or sure > 0)
        plain_words = any(token.ordinary == 2 and not token.roman for token in tokens) and not any(
            token.marks & _NAMES for token in tokens
        )
        return before.opens and plain_words and not (headed or where or first.low in cue.spot)

    def _is_landform(self, token: Token) -> bool:
        """Tell whether a German word that no list holds is made as names of places are: Hotzenwald, but Mischwald."""
        made = _LANDFORM(token.low) if self._german and not token.ordinary else None
        return made is not None and not self._words.is_word_stem(made["head"])

    def _of_lists(self, tokens: list[Token], where: int) -> _Points:
        """Return what lists say of its words."""
        cue = self._cues
        first, last = tokens[0], tokens[-1]
        points = _NONE.plus(place=(0, 3, 5)[where])
        if not where and len(tokens) == 2 and last.ordinary and self._words.is_place(first.low) == 2:
            points = points.plus(place=5)  # Europa Central
        if len(tokens) == 1:
            points = points.plus(person=3 * bool(first.marks & _GIVEN) + 2 * bool(first.marks & _FAMILY))
            points = points.plus(place=3 * (self._is_landform(first) and not where))
            own = where < 2 and (first.ordinary == 2 or self._language != "pl")  # Senat, but Radom
            body = 8 * (own and first.low in cue.body) + 6 * (first.low in known.public_bodies())
            return points.plus(organization=body)
        if any(token.low in cue.body or _is_end(token) for token in tokens):
            points = points.plus(organization=9)
        spot = first.low in cue.spot or last.low in cue.spot or last.low in known.PLACE_ENDS
        spot = (
            spot
            or first.low in _BEGINS_PLACE
            or self._begins_place(first)
            or (self._language == "pl" and _POLISH_PLACE(last.low) is not None and not first.marks & _NAMES)
        )
        if spot:
            points = points.plus(place=6)
        else:
            given = bool(first.marks & _GIVEN)
            points = points.plus(person=given * (5 - 2 * (first.ordinary > 0)) + 2 * bool(last.marks & _FAMILY))
        if any(token.low in cue.event for token in tokens):
            listed = all(token.marks & _NAMES for token in tokens)
            points = points.plus(other=0 if listed else 9)
        if any(len(token.low) == 1 and not token.roman for token in tokens) or last.roman:
            points = points.plus(person=4)
        return points

    def _of_words_before(self, tokens: list[Token], before: _Before, where: int) -> _Points:
        """Return what the words before it say, the last of which may be an adjective, an article or a preposition."""
        cue = self._cues
        b1, b2, b3 = [*before.words, "", "", ""][:3]
        linked = b1 in cue.joint or b1 in cue.article
        adjective = b1 not in cue.function and not linked

        def shown(words: Words) -> bool:
            return b1 in words or (adjective and b2 in words)

        points = _NONE
        if shown(cue.role) or self._tells(before) == "person":
            points = points.plus(person=4)
        if shown(cue.spot) or (linked and (b2 in cue.spot or b3 in cue.spot)):
            points = points.plus(place=4)
        if shown(cue.firm):
            points = points.plus(organization=4)
        if linked and _LED(b2):
            points = points.plus(organization=4)
        if b1 in _LIKE and b2 in cue.firm:
            points = points.plus(organization=4)
        if shown(cue.work):
            points = points.plus(other=5)
        if before.quoted and not (len(tokens) > 1 and all(token.marks & _NAMES for token in tokens)):
            points = points.plus(other=5 - (where == 2))
        points = points.plus(person=b1 in cue.by, place=self._placed(b1, b2, linked))
        if b1 in cue.against or (linked and b2 in cue.against):
            points = points.plus(organization=2)
        return points

    def _placed(self, b1: str, b2: str, linked: bool) -> int:
        """Return the points of a word such as "in" before a name; fewer if it stands before persons as well."""
        if b1 in self._cues.in_:
            return 1 if b1 in self._cues.by else 3
        return int(linked and b2 in self._cues.in_)

    def _of_form(self, text: str, tokens: list[Token], before: _Before, where: int, points: _Points) -> _Points:
        """Return what its letters, its own words and the text behind it say."""
        cue = self._cues
        first, last = tokens[0], tokens[-1]
        b1 = before.words[0] if before.words else ""
        alone = len(tokens) == 1
        given = bool(first.marks & _GIVEN) and not first.ordinary
        form = _NONE
        if b1 in cue.article and before.words[1:2] == ("com",) and alone and not where:
            form = form.plus(person=3)  # com a Neide
        elif alone and b1 in cue.plural and first.marks & _FAMILY and not (first.ordinary or where or self._german):
            form = form.plus(person=2)  # los Zancada
        elif b1 in cue.article and not where and not (points.person or points.place > 3):
            region = alone and b1 not in cue.plural and not first.capitals
            form = form.plus(place=2) if region else form.plus(organization=2)
        if first.capitals and alone:
            form = form.plus(place=6) if first.low in known.COUNTRY_LETTERS else form.plus(organization=5)
        elif any(token.capitals and len(token.low) < 6 and not token.roman for token in tokens):
            form = form.plus(organization=4)
        if not alone and not where:
            form = form.plus(organization=self._of_club(text, tokens, b1))
            loans = [token.marks & _LOAN > 0 and not token.ordinary for token in tokens]
            foreign = all(loans) or (any(loans) and not given)
            form = form.plus(organization=3) if foreign else form.plus(person=2)
        if self._language == "it" and _CODED(text, last.end) and not (given or last.marks & _FAMILY):
            form = form.plus(place=4)
        if _is_listed_firm(text, first.start, last.end):
            form = form.plus(organization=4)
        behind = _FIRST_AFTER.match(text, last.end)
        said = behind is not None and behind[1] in cue.said
        return form.plus(person=said + 2 * (_YEARS.match(text, last.end) is not None))

    def _of_club(self, text: str, tokens: Sequence[Token], b1: str) -> int:
        """Return the points of a place with a word that is no name, and of several words behind a plural article."""
        first, last = tokens[0], tokens[-1]
        points = 5 * (b1 in self._cues.plural or first.low == "the")
        if text[tokens[-2].end : last.start] != " ":
            return points
        begins = max(self._words.is_place(phrase(text, first.start, token.end)) for token in tokens[:-1])
        if last.ordinary:
            return points
        if begins == 2 and not last.marks & _FAMILY:
            given = first.marks & _GIVEN and not first.ordinary
            points += 5 if not given else 7 * (b1 in self._cues.plural or last.marks & _LOAN > 0)
        elif self._words.is_place(last.low) == 2 and not first.marks & _NAMES and self._language != "pl":
            points += 5
        return points

    @staticmethod
    def _shouts(text: str, token: Token) -> bool:
        """Tell whether words in capitals stand beside a word in capitals."""
        before, after = text[max(0, token.start - 16) : token.start], text[token.end : token.end + 16]
        before = before.rpartition("\n")[2] if "\n" in before or token.start < 16 else before.partition(" ")[2]
        after = after.partition("\n")[0] if "\n" in after else after.rpartition(" ")[0]
        return sum(word.isupper() for word in _WORDS.findall(f"{before} {after}")) > 1


def _before(text: str, start: int) -> _Before:
    back = text[max(0, start - _BACK) : start]
    turned = back.removesuffix("\n")[::-1]
    ends = _ENDS_CLAUSE(turned)
    here = turned[: None if ends is None else ends.start()][::-1]
    sign = back[: len(back) - len(here)][-1:]
    words = [word.lower() for word in _BACK_WORD.findall(here)]
    quoted = here.rstrip(" ")[-1:] in ('"', OTHER)
    shortened = sign == "." and _ABBREVIATED(back, 0, len(back) - len(here)) is not None
    opens = not (words or shortened) and (quoted or not sign or sign in ".!?:;\n|*")
    return _Before(tuple(words[::-1]), opens, quoted, sign)


def _is_end(token: Token) -> bool:
    """Tell whether an English word ends the name of a company or an institution."""
    return token.low in known.INSTITUTIONS or token.low in known.FIRM_ENDS


def _is_listed_firm(text: str, start: int, end: int) -> bool:
    """Tell whether a company that everybody knows stands beside it in an enumeration."""
    before, after = _FIRM_BEFORE.search(text, max(0, start - 24), start), _FIRM_AFTER.match(text, end)
    return any(match is not None and match[1].lower() in known.public_bodies() for match in (before, after))
