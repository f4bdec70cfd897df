"""Put originals back in the place of surrogates: in an untouched release, in an answer, in a stream.

As far as a text begins like the release, it is restored by position. Behind that, it is restored by mention: a
surrogate is recognized by its words (docs/restoring.md says which mentions stay as they are). Escapes are read in both
the release and the text (``text.escapes``); an original gets the escapes of the place where it is put.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeAlias

from textveil.cuts import replaced
from textveil.detection.lists import FIRM_TITLES, SUFFIXES
from textveil.errors import ParameterError
from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.mentions import (
    Form,
    FoundMention,
    KnownSurrogate,
    Mentions,
    compared_form,
    folded_forms,
    inflected,
    mentionable,
)
from textveil.surrogates.urls import LONGEST_HOST, InUrls, UrlRule, UrlScanner, named_hosts
from textveil.text.escapes import Places, Quotes, open_end, read

Maps: TypeAlias = PrivateMap | Iterable[PrivateMap]
"""The map of one release, or of several: those of a conversation, or a map file."""

# Surrogates that a release mentions by chance, with one such mention; the flag says whether it is in small letters.
_Met: TypeAlias = "dict[tuple[KnownSurrogate, bool], str]"
MARGIN: Final = 16
"""A piece is restored by position if the text agrees with the release for so many characters behind it."""

_CONTEXT: Final = 256  # characters around a place that show its escapes, and whether a mention begins there
# A stream that holds back only an unfinished escape stops waiting for its end after so many characters.
_LONGEST_ESCAPE: Final = 4096
_READ_AGAIN: Final = 16
"""A text that is held back beyond any mention, for an escape that does not end, is read again when it has grown by this
part: else each character of it would take as long as all before it."""
_NAMES_WITH_PARTS = ("person",)
_POSSESSIVES = ("'s", "\u2019s", "'S", "\u2019S")
_NO_NAMES = FIRM_TITLES | SUFFIXES  # words of a person's name that name nobody by themselves


class RestoredPlace(NamedTuple):
    """The characters ``text[start:end]`` of a restored text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Restored:
    """A text with originals in it: private."""

    text: str = field(repr=False)
    replaced: int  # mentions that were restored
    # places of mentions that stay in ``text``: they may stand for several originals, or for none
    ambiguous: tuple[RestoredPlace, ...]
    unused: int  # surrogates that the text does not mention
    originals: tuple[RestoredPlace, ...] = ()  # places of restored originals in ``text``, in order
    in_urls: int = 0  # mentions that stay because they stand in a URL (``urls``)


def restore(text: str, private_map: Maps, *, in_urls: InUrls = "named-hosts") -> str:
    """Put originals back into a release, or into a text that was made from it.

    An untouched release gives back its text, character for character. In any other text every mention of a surrogate
    is replaced: in other cases, inflected, as a part of a name, broken over lines; only whole words. A mention that
    may stand for several originals, or may be none, stays as it is; so does one in a URL to a host that no URL of the
    original texts names: whoever shows the text may fetch it, and send the original there.

    Args:
        private_map: of the release; several where the text answers several releases of one scope.
        in_urls: "named-hosts"; "never" restores nothing within URLs, and "everywhere" all of it, which lets the writer
            of an answer have originals sent to any host.

    Raises ParameterError: one of them is of another type or value.
    """
    return Restorer(private_map, in_urls=in_urls).restore(text).text


class Restorer:
    """Restores texts by one map or several; making it takes as long as reading the releases once.

    An iterable of maps that is no sequence (a map file) is read twice, and only its surrogates are kept: it restores by
    mention only. ``in_urls`` is as for ``restore``. Raises ParameterError: an argument is of another type or value.
    """

    def __init__(self, private_map: Maps, *, in_urls: InUrls = "named-hosts") -> None:
        maps = _checked(private_map)
        self._rule = UrlRule(in_urls)
        self._mentions = Mentions()
        self._wholes = 0
        self._kept: tuple[PrivateMap, ...] = ()
        self._read: list[PrivateMap] = []
        self._met: list[_Met] = []
        self._where: dict[str, list[int]] = {}  # the numbers of releases, by token
        if isinstance(maps, Sequence):
            self.extend(maps)
            return
        hosts: set[str] = set()
        for kept_map in maps:
            hosts |= named_hosts(kept_map)
            self._learn(_as_read(kept_map))
        self._rule = UrlRule(in_urls, frozenset(hosts))
        for kept_map in maps:
            _note(self._by_chance(_as_read(kept_map)))

    def __repr__(self) -> str:
        return f"Restorer({self._wholes} surrogates)"

    @property
    def maps(self) -> tuple[PrivateMap, ...]:
        """The maps that it restores by, in order; empty if they came from an iterable that is no sequence."""
        return self._kept

    def extend(self, maps: Iterable[PrivateMap]) -> None:
        """Add maps; the restorer then works like a new one made of all maps. No stream of it may be open.

        An earlier release is read again only if it may mention a new surrogate.
        """
        added = tuple(maps)
        if self._rule.mode == "named-hosts":
            self._rule = replace(self._rule, hosts=self._rule.hosts.union(*map(named_hosts, added)))
        read_now = [_as_read(kept_map) for kept_map in added]
        new: set[Form] = set()
        for kept_map in read_now:
            new |= self._learn(kept_map)
        for number in self._mentioning(new):
            _note(self._met[number], -1)
            self._met[number] = _note(self._by_chance(self._read[number]))
        for number, kept_map in enumerate(read_now, len(self._read)):
            for token in mentionable(kept_map.released):
                self._where.setdefault(token, []).append(number)
        self._met += [_note(self._by_chance(kept_map)) for kept_map in read_now]
        self._read += read_now
        self._kept += added

    def _mentioning(self, new: Iterable[Form]) -> set[int]:
        """Return the numbers of the earlier releases that may mention a surrogate in one of these forms."""
        found: set[int] = set()
        for form in new:
            rarest, *others = sorted((self._where.get(token, ()) for token in form.tokens), key=len)
            for number in set(rarest).intersection(*others) - found:
                folded = self._read[number].released.casefold()
                if all(word in folded for word in form.words):
                    found.add(number)
        return found

    @property
    def reach(self) -> int:
        """The most characters that a stream holds back, apart from an unfinished escape at its end."""
        lengths = (piece.end - piece.start for private_map in self._kept for piece in private_map.replaced)
        return max(self._mentions.reach, max(lengths, default=0) + MARGIN)

    def restore(self, text: str) -> Restored:
        if not isinstance(text, str):
            raise ParameterError(f"text must be a string; got {type(text).__name__}.")
        stream = self._stream(self._by_position(text))
        return stream.restored(stream.feed(text) + stream.close())

    def stream(self, *, rule: UrlRule | None = None, alone: bool = False) -> RestoringStream:
        """Restore a text that comes in pieces; the result is that of ``restore`` on the whole text.

        With several maps, a stream restores by mention only: it would know only at the end which release the text is. A
        ``rule`` for URLs replaces the restorer's own; ``alone`` says that the text is a value by itself, as in JSON.
        """
        return self._stream(self._kept[0] if len(self._kept) == 1 else None, rule, alone=alone)

    def _stream(
        self, release: PrivateMap | None, rule: UrlRule | None = None, *, alone: bool = False
    ) -> RestoringStream:
        return RestoringStream(self._mentions, release, self._wholes, UrlScanner(rule or self._rule, alone=alone))

    def _by_position(self, text: str) -> PrivateMap | None:
        """Return the map that restores this text by position; None if no map does."""
        if len(self._kept) == 1:
            return self._kept[0]
        same = [private_map for private_map in self._kept if private_map.released == text]
        return same[0] if same and len({private_map.original() for private_map in same}) == 1 else None

    def _learn(self, private_map: PrivateMap) -> set[Form]:
        """Note the surrogates of a release; returns the forms of those that are new, or new for their original."""
        new: set[Form] = set()
        for piece in private_map.replaced:
            surface = private_map.released[piece.start : piece.end]
            if piece.kind and any(character.isalnum() for character in surface):
                new |= self._add(surface, piece.original)
                for part, original in name_parts(surface, piece):
                    if self._mentions.known(part).add(part, original):
                        new |= folded_forms(part)
        return new

    def _add(self, surface: str, original: str) -> set[Form]:
        """Note a surrogate; returns its forms if it is new, or new for this original."""
        for ending in _POSSESSIVES:
            if surface.endswith(ending) and original.endswith(_POSSESSIVES):
                surface, original = surface[:-2], original[:-2]
                break
        surface, original = surface.strip(), original.strip()
        known = self._mentions.known(surface)
        new = known.add(surface, original)
        if len(surface) == 1:  # a digit or an initial: any text has some that were never released
            known.met_by_chance(surface)
        self._wholes += not known.whole
        known.whole = True
        return folded_forms(surface) if new else set()

    def _by_chance(self, private_map: PrivateMap) -> _Met:
        """Return the surrogates that this release mentions in places where the original text had something else."""
        met: _Met = {}
        starts, ends = [piece.start for piece in private_map.replaced], [piece.end for piece in private_map.replaced]
        for mention in self._mentions.in_text(private_map.released, 0, len(private_map.released)):
            first, last = bisect_right(ends, mention.start), bisect_left(starts, mention.end)
            pieces = private_map.replaced[first:last]
            piece = pieces[0] if pieces else None
            if piece and piece.start <= mention.start and mention.end <= piece.end and piece[:2] != mention[:2]:
                continue  # a part of it
            before = _before(private_map, pieces, mention)
            restored = _restored(private_map.released, mention, mention.known.replaced)
            if before is None or (restored is not None and compared_form(before) != compared_form(restored)):
                surface = private_map.released[mention.start : mention.end]
                met[mention.known, surface.islower()] = surface
        return met


def _note(met: _Met, times: int = 1) -> _Met:
    """Count surrogates that a release mentions by chance; ``times`` is -1 to undo it."""
    for (known, _), surface in met.items():
        known.met_by_chance(surface, times)
    return met


def _checked(private_map: Maps) -> Iterable[PrivateMap]:
    if isinstance(private_map, PrivateMap):
        return (private_map,)
    if isinstance(private_map, Iterable) and not isinstance(private_map, str | bytes):
        maps = tuple(private_map) if isinstance(private_map, Iterator) else private_map
        if not isinstance(maps, Sequence):
            return maps
        if not (others := [type(given).__name__ for given in maps if not isinstance(given, PrivateMap)]):
            return maps
        got = others[0]
    else:
        got = type(private_map).__name__
    raise ParameterError(
        f"private_map must be a PrivateMap, or several of them; got {got}. A release that can be undone has one."
    )


def _as_read(private_map: PrivateMap) -> PrivateMap:
    released, original = read(private_map.released), read(private_map.original())
    if not released.escaped and not original.escaped:
        return private_map
    pieces: list[Replaced] = []
    shift = 0  # from places of the release to those of the original
    for piece in private_map.replaced:
        start, end = released.inner(piece.start)[0], released.inner(piece.end)[1]
        start = max(start, pieces[-1].end if pieces else 0)  # both may lie in what the draws made an escape
        begin = piece.start + shift
        value = original.value(begin, begin + len(piece.original)) if piece.original else ""
        if piece.kind == "secret" and _has_own_percent(private_map.released[piece.start : piece.end], piece.original):
            value = piece.original
        pieces.append(Replaced(start, max(start, end), value, piece.kind))
        shift += len(piece.original) - (piece.end - piece.start)
    return PrivateMap(released=released.text, replaced=tuple(pieces))


def _has_own_percent(surface: str, original: str) -> bool:
    """Tell whether the percent sign of a secret is its own (Kg7%cctgz30), no escape, which surrogates keep (p%40ss)."""
    return "%" in original and not any(mark in surface + original for mark in ("\\", "&")) and "%" not in surface


def name_parts(surface: str, piece: Replaced) -> list[tuple[str, str]]:
    """Pairs of a name's words and those of its original, if both have as many; without titles and particles."""
    words, originals = surface.split(), piece.original.split()
    if piece.kind not in _NAMES_WITH_PARTS or len(words) < 2 or len(words) != len(originals):
        return []
    pairs = ((_bare(word), _bare(original)) for word, original in zip(words, originals, strict=True))
    return [
        (word, original)
        for word, original in pairs
        if len(word) > 1 and word[0].isalpha() and not word.islower() and word.casefold() not in _NO_NAMES
    ]


def _bare(word: str) -> str:
    for ending in _POSSESSIVES:
        word = word.removesuffix(ending)
    return word.strip(".,;")


def _before(private_map: PrivateMap, pieces: Sequence[Replaced], mention: FoundMention) -> str | None:
    """Return the original text of a mention in a release; None if the mention begins or ends inside a piece."""
    if any(piece.start < mention.start or piece.end > mention.end for piece in pieces):
        return None
    edits = [(piece.start - mention.start, piece.end - mention.start, piece.original) for piece in pieces]
    return replaced(private_map.released[mention.start : mention.end], edits)


def _restored(text: str, mention: FoundMention, original_of: Callable[[str], str | None]) -> str | None:
    end = mention.end - mention.suffix
    original = original_of(text[mention.start : end])
    return None if original is None else inflected(original, text[end : mention.end])


class RestoringStream:
    """Restores a text that comes in pieces; made by ``Restorer.stream``. The restored text is private.

    ``replaced``, ``ambiguous`` and ``originals`` are as in ``Restored``, of what was returned so far; ``in_urls``
    counts mentions that stay because they stand in a URL.
    """

    def __init__(self, mentions: Mentions, release: PrivateMap | None, wholes: int, urls: UrlScanner) -> None:
        self.replaced = 0
        self.in_urls = 0
        self._urls = urls
        self.ambiguous: list[RestoredPlace] = []
        self.originals: list[RestoredPlace] = []
        self._mentions = mentions
        self._release = release
        self._wholes = wholes
        self._used: set[int] = set()
        self._held = ""
        self._unread = 0  # characters of it that came since it was read
        self._begun = 0  # characters of the text before ``_held``
        self._behind = ""  # the last of them
        self._quotes = Quotes()
        self._piece = 0  # the first that is not given back, of the release's
        self._agrees = 0  # characters of the release that the text has begun with
        self._given = 0
        self._closed = False

    def feed(self, piece: str, *, last: bool = False) -> str:
        """Take the next characters, the last ones if ``last``; returns the text that is settled."""
        if self._closed:
            raise ParameterError("a stream must be fed before it is closed; it is closed. Make another.")
        self._held += piece
        parts: list[str] = []
        if self._release is not None:
            self._agree(self._release, piece, parts, last=last)
        self._unread += len(piece)
        if self._release is None and (last or self._unread * _READ_AGAIN >= len(self._held) - 2 * self._mentions.reach):
            self._unread = 0
            self._by_mention(parts, last=last)
        self._closed = last
        return "".join(parts)

    def close(self) -> str:
        """End the stream; returns the rest of the text."""
        return self.feed("", last=True)

    def restored(self, text: str) -> Restored:
        """Return the counts and places of this stream, with ``text``, all that it returned."""
        unused = self._wholes - len(self._used)
        return Restored(text, self.replaced, tuple(self.ambiguous), unused, tuple(self.originals), self.in_urls)

    def _give(self, parts: list[str], text: str) -> None:
        parts.append(text)
        self._urls.feed(text)
        self._given += len(text)

    def _pass(self, count: int) -> None:
        passed = self._held[:count]
        self._behind = (self._behind + passed)[-_CONTEXT:]
        self._quotes.feed(passed)
        self._held = self._held[count:]
        self._begun += count

    def _agree(self, release: PrivateMap, piece: str, parts: list[str], *, last: bool) -> None:
        """Restore by position as far as the text agrees with the release; forget the release if they differ."""
        released = release.released
        same = released.startswith(piece, self._agrees)
        self._agrees += len(piece) if same else _common(released, self._agrees, piece)
        whole = last and same and self._agrees == len(released)
        until = self._agrees
        if not whole:
            until = max(self._begun, until - MARGIN)
            until -= open_end(released[max(self._begun, until - _CONTEXT) : until])
        pieces = release.replaced
        at = self._begun
        while self._piece < len(pieces) and pieces[self._piece].end <= until:
            shown = pieces[self._piece]
            self._give(parts, released[at : shown.start])
            if self._counts(released[shown.start : shown.end], shown):
                self._put_back(parts, shown.original)
            else:
                self._give(parts, shown.original)
            at = shown.end
            self._piece += 1
        if self._piece < len(pieces):
            until = min(until, pieces[self._piece].start)
        self._give(parts, released[at:until])
        self._pass(until - self._begun)
        if last or not same:
            self._release = None

    def _counts(self, surface: str, piece: Replaced) -> bool:
        if not piece.kind or not any(character.isalnum() for character in surface):
            return False
        self._used.update(id(mention.known) for mention in self._mentions.in_text(surface, 0, 1) if mention.known.whole)
        return True

    def _put_back(self, parts: list[str], original: str) -> None:
        self.replaced += 1
        self.originals.append(RestoredPlace(self._given, self._given + len(original)))
        self._give(parts, original)

    def _by_mention(self, parts: list[str], *, last: bool) -> None:
        written = self._behind + self._held
        reading = read(written)
        text, begin = reading.text, reading.inner(len(self._behind))[1]
        stop = len(text)
        if not last:
            settled = reading.inner(len(written) - open_end(written[-_CONTEXT:]))[0]
            settled = min(settled, len(text) - open_end(text[-_CONTEXT:]))
            stop = max(begin, settled - self._mentions.reach)
            if stop == begin and len(self._held) > _LONGEST_ESCAPE:
                stop = len(text)
        places = Places(reading, len(self._behind), self._quotes)
        at = len(self._behind)
        for mention in self._mentions.in_text(text, begin, stop):
            start, end = reading.written(mention.start, mention.end)
            self._give(parts, written[at:start])
            if mention.known.whole:
                self._used.add(id(mention.known))
            if (original := _restored(text, mention, mention.known.original)) is None:
                self.ambiguous.append(RestoredPlace(self._given, self._given + end - start))
                self._give(parts, written[start:end])
            else:
                original = places.written(original, start, end)
                allowed = self._urls.allows(original, written[end : end + LONGEST_HOST], last=last)
                if allowed is None:  # until the host is known
                    at, stop = start, mention.start
                    break
                if allowed:
                    self._put_back(parts, original)
                else:
                    self.in_urls += 1
                    self._give(parts, written[start:end])
            at = end
        until = max(at, reading.start(stop))
        self._give(parts, written[at:until])
        self._pass(until - len(self._behind))


def _common(released: str, start: int, piece: str) -> int:
    """Return how many characters of ``piece`` agree with the release from ``start`` on."""
    low, high = 0, len(piece)  # agrees up to low; not up to high
    while low < high - 1:
        middle = (low + high) // 2
        if released.startswith(piece[:middle], start):
            low = middle
        else:
            high = middle
    return low
