"""The embedded detector: patterns with checks, public lists, letter case and context; no model, no download.

Its searches stand in phases, each a table whose rows may stand in any order. A phase is a phase of its own because a
later one would misread what it covers, or reads better once it is covered: its docstring says which.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from operator import gt, ne
from types import MappingProxyType
from typing import Final, NamedTuple

from textveil.cuts import held_by, replaced
from textveil.detection import (
    addresses,
    ages,
    bynames,
    credentials,
    cued_names,
    date_lists,
    dates,
    demographics,
    designations,
    digests,
    firms,
    formal_names,
    identifiers,
    institutions,
    labelled_places,
    logins,
    lone_names,
    lookalikes,
    machine_forms,
    measurements,
    names,
    names_in_one_case,
    national_ids,
    people_in_records,
    people_in_tables,
    quantities,
    said_secrets,
    secrets,
    segments,
    senders,
    streets,
    technical,
    trade_records,
)
from textveil.detection.addresses import REGIONS, find_addresses
from textveil.detection.demographic_lists import with_states
from textveil.detection.found import (
    LEAST_SCORE,
    Found,
    Phase,
    Phases,
    Plain,
    Row,
    checked_phases,
    in_phases,
    plain,
    unglued,
    without,
)
from textveil.detection.gates import anywhere
from textveil.detection.kinds import KINDS
from textveil.detection.languages import ORDINARY, blocks_of, language_of, rows_of
from textveil.detection.lists import LANGUAGES, Marks, lists, ordinary_words, places
from textveil.detection.mentions import (
    whole_login,
    with_enumerated,
    with_guesses,
    with_logins,
    with_mentions,
    with_possessive,
    with_second_mentions,
    without_owned,
)
from textveil.detection.scripts import SCRIPTS, TURKISH, found_in_scripts, in_plain, modules_for
from textveil.detection.signs import with_signs
from textveil.detection.spans import DetectedSpan, covering
from textveil.detection.tagger import tagged
from textveil.detection.whole_names import with_ends, with_initials, with_whole_names, with_whole_runs
from textveil.text.disguises import few_quoted
from textveil.text.escapes import Reading, straight
from textveil.text.patterns import lazy_regex, matches

NAME: Final = "embedded"

_NOUNS_IN_CAPITALS: Final = ("de", TURKISH)
"""Languages in which a capital beside a name shows no part of it."""

HIGHEST_SCORES: Final = MappingProxyType(
    {
        **dict.fromkeys(KINDS, 0.95),
        **dict.fromkeys(("person", "place", "organization", "time"), 0.8),
        **dict.fromkeys(("date", "age", "phone", "money"), 0.9),
    }
)
"""The highest score that spans of a kind have: a policy that asks for a higher one would find none of them."""


class EmbeddedDetector:
    """Finds every kind of span but ``number`` in English text, in linear time.

    A search sees what the ones before it left. What decides is stated in docs/detection.md.

    ``regions``: whose telephone numbers are known without a country code: ISO 3166 codes; ``tagger``: whether the
    learned tagger judges the names that no rule has evidence for.
    """

    def __init__(self, regions: Sequence[str] = REGIONS, *, tagger: bool = True) -> None:
        self.name = NAME
        self.highest_scores = HIGHEST_SCORES
        self._regions = tuple(regions)
        self._tagger = tagger
        self.kinds = tuple(kind for kind in KINDS if kind != "number")

    def __reduce__(self) -> tuple[Callable[..., EmbeddedDetector], tuple[tuple[str, ...]]]:
        return partial(type(self), tagger=self._tagger), (self._regions,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        """See ``Detector``."""
        return [self._detected_in(straight(text, credentials.names_secret)) for text in texts]

    def _detected_in(self, reading: Reading) -> list[DetectedSpan]:
        capitals = names_in_one_case.in_capitals(reading.text)
        language = language_of(reading.text.lower() if capitals else reading.text)
        spans = self._with_spaced(reading.text, language)
        blocks = blocks_of(reading.text, language)
        for other in {own for _, _, own in blocks}:
            places = [(start, end) for start, end, own in blocks if own == other]
            spans = [span for span in spans if not _lies_in(span, places)]
            spans += [span for span in self._with_spaced(reading.text, other) if _lies_in(span, places)]
        spans = sorted(spans) if blocks else spans
        if restored := names_in_one_case.with_capitals(reading.text, language, spans, capitals=capitals):
            if restored.capitals:
                spans = [span for span in spans if not (span.kind in _OF_NAMES and restored.is_sentence(span))]
            changed = list(map(ne, restored.text, reading.text))
            held = held_by(reading.text, spans)
            if any(map(gt, changed, held)):  # what is not found yet is written otherwise
                again = self._detected(restored.text, language)
                beyond = _beyond(again, spans, changed, held, capitals=capitals)
                spans = covering(reading.text, [*spans, *beyond])
        if quoted := few_quoted(reading.text, credentials.names_secret):
            spans = covering(reading.text, [*spans, *self._unquoted(reading.text, language, quoted, spans)])
        if "\n" in reading.text and [span.kind for span in spans].count("person") >= people_in_tables.FEWEST:
            ordinary = ordinary_words(language) if language in LANGUAGES else frozenset()
            spans = people_in_tables.with_columns(reading.text, spans, ordinary)
        if not reading.escaped:
            return spans
        ends = [(span, *reading.written(span.start, span.end)) for span in spans]
        found = [span._replace(start=start, end=end) for span, start, end in ends]
        counts = [count.span() for place in reading.unread() for count in matches(_COUNT, reading.source, *place)]
        if not counts:
            return found
        numbered = [DetectedSpan(*count, "numbering", _COUNT_SCORE, NAME, "sequence") for count in counts]
        return covering(reading.source, [*found, *numbered])

    def _unquoted(
        self, text: str, language: str, quoted: Sequence[tuple[int, int]], spans: Sequence[DetectedSpan]
    ) -> Iterator[DetectedSpan]:
        """Yield the names that quoted values are, read without their marks, if nothing is found of them."""
        held = held_by(text, spans)
        places = [(start, end) for start, end in quoted if 1 not in held[start:end]]
        if not places:
            return
        bare = replaced(text, [(at, at + 1, "") for start, end in places for at in (start - 1, end)])
        moved = {start - 2 * number - 1: start for number, (start, _) in enumerate(places)}
        ends = {end - 2 * number - 1 for number, (_, end) in enumerate(places)}
        for span in self._detected(bare, language):
            start = moved.get(span.start)
            if start is not None and span.end in ends and span.kind in _OF_NAMES:
                yield span._replace(start=start, end=start + span.end - span.start)

    def _with_spaced(self, text: str, language: str) -> list[DetectedSpan]:
        """Return what a text holds, read as written and, if no columns part its words, with one space between them."""
        found = self._detected(text, language)
        lines = list(segments.spaced_lines(text))
        if not lines:
            return found
        starts = list(accumulate([len(line.text) + 1 for line in lines], initial=0))
        wide: list[DetectedSpan] = []
        kind_at = [""] * len(text)
        for span in self._detected("\n".join([line.text for line in lines]), language):
            number = bisect_right(starts, span.start) - 1
            place = lines[number].place(span.start - starts[number], span.end - starts[number])
            if place is not None:
                wide.append(span._replace(start=place[0], end=place[1]))
                kind_at[place[0] : place[1]] = [span.kind] * (place[1] - place[0])
        kept = [span for span in found if {kind_at[span.start], kind_at[span.end - 1]} <= {"", span.kind}]
        return covering(text, [*kept, *wide]) if wide else found

    def _detected(self, text: str, language: str) -> list[DetectedSpan]:
        read = plain(unglued(text))
        modules = modules_for(text, language)
        spans = in_plain(read, found_in_scripts(text, modules)) if modules else []
        rest = without(read.text, [(span.start, span.end) for span in spans])
        found = self._judged(text, read, language, *in_phases(rest, phases_for(self._regions, language)), spans)
        again = list(self._read_again(text, read, language, found))
        if not again:
            return found
        kept = [span for span in found if span.kind not in _ONLY_DIGITS or not _meets(span, again)]
        return covering(text, [*kept, *again])

    def _read_again(
        self, text: str, read: Plain, language: str, found: Sequence[DetectedSpan]
    ) -> Iterator[DetectedSpan]:
        """Yield what else fields hold, read as lines of a form, and what the end of a line of prose parts."""
        held = bytearray(len(text))
        for span in found:
            if span.score >= LEAST_SCORE and span.kind not in _ONLY_DIGITS:
                held[span.start : span.end] = b"\1" * (span.end - span.start)
        fields = [piece for piece in _fields(read.text) if not _is_held(text, held, read, piece)]
        pieces = [*fields, *_joined_lines(read.text)]
        if not pieces:
            return
        written = "\n".join([piece.text for piece in pieces])
        starts = list(accumulate([len(piece.text) + 1 for piece in pieces], initial=0))
        for value in in_phases(written, _value_phases(self._regions, language))[0]:
            number = bisect_right(starts, value.start) - 1
            place = pieces[number].place(value.start - starts[number], value.end - starts[number], value.kind)
            if place is not None:
                yield DetectedSpan(*read.original(*place), value.kind, value.score, NAME, value.why)

    def _judged(
        self,
        text: str,
        read: Plain,
        language: str,
        candidates: list[Found],
        rest: str,
        in_scripts: Sequence[Found] = (),
    ) -> list[DetectedSpan]:
        eponyms = [span for span in candidates if span.why == lookalikes.EPONYM]
        candidates = sorted(span for span in candidates if span.kind not in (ORDINARY, technical.CODE))
        candidates = with_mentions(read.text, with_enumerated(read.text, candidates), eponyms)
        candidates = bynames.with_bynames(read.text, candidates)
        if self._tagger and language not in LANGUAGES and language != TURKISH:
            candidates = with_mentions(read.text, tagged(read.text, rest, candidates), eponyms)
            candidates = with_guesses(read.text, candidates)
        ordinary = ordinary_words(language) if language in LANGUAGES else frozenset()
        candidates = identifiers.with_guessed_ids(rest, candidates)
        candidates = with_states(read.text, people_in_records.with_addressed(read.text, candidates, ordinary))
        candidates = with_whole_names(read.text, candidates, ordinary, eponyms, language)
        if language in _NOUNS_IN_CAPITALS:
            candidates = without_owned(read.text, candidates, ordinary)
        candidates = with_second_mentions(read.text, candidates, ordinary, eponyms, language)
        candidates = with_logins(read.text, candidates)
        candidates = with_ends(read.text, candidates, ordinary)
        if language not in _NOUNS_IN_CAPITALS:
            candidates = with_whole_runs(read.text, candidates)
        candidates = labelled_places.with_kinds(read.text, candidates)
        candidates = firms.with_partners(read.text, firms.with_owned_houses(read.text, candidates))
        candidates = with_initials(read.text, sorted([*candidates, *in_scripts]), language)
        candidates = with_signs(read.text, candidates)
        candidates = [with_possessive(read.text, whole_login(read.text, span)) for span in candidates]
        spans = [
            DetectedSpan(*read.original(span.start, span.end), span.kind, span.score, NAME, span.why)
            for span in candidates
        ]
        # What a path of a URL may hold is nearly anything: also what covers an e-mail address that it runs into.
        met = any(after.start < before.end for before, after in pairwise(candidates))
        if read.places is not None:
            # An address may be one only by a mark or an invisible character that the plain form leaves out.
            written = [DetectedSpan(span.start, span.end, span.kind, span.score, NAME) for span in find_addresses(text)]
            if written:
                return covering(text, spans + written)
        return covering(text, spans) if met else spans


_COUNT: Final = lazy_regex("[0-9]++")
"""Of what is not read, the numbers of lines."""
_COUNT_SCORE: Final = 0.85


class _Piece(NamedTuple):
    """A text that is read again: characters of the source up to ``at`` and from ``goes_on``, and what joins them."""

    text: str
    first: int  # characters of the first part: a label, or the line up to its end
    joint: int  # characters between the parts
    at: int  # where the first part ends in the source
    goes_on: int  # where the second begins
    labelled: bool  # whether the first part is a label, which the source has elsewhere

    def place(self, start: int, end: int, kind: str) -> tuple[int, int] | None:
        """Return where a span stands in the source; None if another search finds its kind, or it is in one part."""
        second = self.first + self.joint
        if end <= second or end > len(self.text):
            return None
        if self.labelled:
            inside = start >= second and kind in _OF_FIELDS
            return (start - second + self.goes_on, end - second + self.goes_on) if inside else None
        parted = start < self.first and kind not in _NOT_ACROSS
        return (start - self.first + self.at, end - second + self.goes_on) if parted else None


def _is_held(text: str, held: bytearray, read: Plain, piece: _Piece) -> bool:
    start, end = read.original(piece.goes_on, piece.goes_on + len(piece.text) - piece.first - piece.joint)
    return not any(character.isalnum() and not held[place] for place, character in enumerate(text[start:end], start))


def _fields(text: str) -> Iterator[_Piece]:
    if not any(map(text.__contains__, _OF_MARKUP)):
        return
    for label, start, end in (*segments.form_lines(text), *people_in_tables.cells_of_forms(text)):
        for value in segments.readings_of(label, text[start:end]):
            yield _Piece(f"{label} {value}", len(label), 1, start, start, labelled=True)


def _joined_lines(text: str) -> Iterator[_Piece]:
    for wrap in matches(_WRAP, text) if "\n" in text else ():
        first = wrap.start()
        while text[first - 1] in " \t":
            first -= 1
        line = text[max(text.rfind("\n", 0, first) + 1, first - _LINE) : first]
        head = _HEAD.match(text, wrap.end())
        prose = len(line) > _LINE // 2 and " " in line[:-_TAIL] and not set(line) & set("|\t")
        prose = prose and sum(line.count(mark) - line.count(f"{mark} ") for mark in ",;") < _FEWEST_CELLS
        if head is None or not prose or (line[-1].isdigit() and _BEGINS_A_ROW.match(head[0])):
            continue
        if not (line[-1] in "-)0123456789" or head[0][0].isdigit() or _HOUSE.search(line, len(line) - _TAIL)):
            continue
        tail = line[-_TAIL:].partition(" ")[2] or line[-_TAIL:]
        joint = "" if tail.endswith("-") else " "
        yield _Piece(f"{tail}{joint}{head[0]}\n", len(tail), len(joint), first, wrap.end(), labelled=False)


_WRAP: Final = lazy_regex(r"(?:(?<=[\w)-])|(?<=[\w)-][ \t])|(?<=[\w)-][ \t]{2}))\n(?:[ \t]?>){0,4}[ \t]{0,2}(?=[\w(])")
_HEAD: Final = lazy_regex(r"(?![0-9]{1,3}[.)] |[\w -]{1,24}:|[A-Z]{2,6} [0-9])[\w(][^\n|\t]{0,40}")
_BEGINS_A_ROW: Final = lazy_regex("[0-9]{1,2}[/:.][0-9]|[0-9]{4}-[0-9]{2}-")  # a date or a time of a log
_HOUSE: Final = lazy_regex("(?<![\\w.,-])[0-9]{1,4}(?: [A-Z][a-z]{1,20}){1,2}\\Z")
_LINE, _TAIL, _FEWEST_CELLS = 72, 40, 3
_OF_MARKUP: Final = ("=", ":", "|", "\t", "->", " - ", "** ", " `", "   ", "</", ",", ";")
"""One of these stands in each text with fields."""
_OF_FIELDS: Final = frozenset(["age", "date", "handle", "id", "ip", "phone", "place", "secret", "time"])
_NOT_ACROSS: Final = frozenset(
    ("person", "organization", "number", "measurement", "quantity", "duration", "numbering", ORDINARY, technical.CODE)
)
"""Kinds that searches find across a line's end, or that are no more than their digits."""
_NO_VALUE: Final = frozenset(("number", ORDINARY, technical.CODE))
_ONLY_DIGITS: Final = frozenset(["code-number", "duration", "measurement", "number", "numbering", "quantity"])


def _lies_in(span: DetectedSpan, places: Sequence[tuple[int, int]]) -> bool:
    return any(start <= span.start and span.end <= end for start, end in places)


def _beyond(
    again: Sequence[DetectedSpan],
    spans: Sequence[DetectedSpan],
    changed: Sequence[bool],
    held: Sequence[int],
    *,
    capitals: bool,
) -> Iterator[DetectedSpan]:
    """Yield what the text with capitals holds that meets no span, and names that hold all names of one kind they meet.

    Ids are as in a text in small letters with its codes in capitals, and all other values as in one in small letters.
    """
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    for span in again:
        met = spans[bisect_right(ends, span.start) : bisect_left(starts, span.end)]
        if span.kind in _OF_NAMES:
            inside = all(span.start <= other.start and other.end <= span.end for other in met)
            inside = inside and (not met or any(map(gt, changed[span.start : span.end], held[span.start : span.end])))
            if (
                inside
                and len({other.kind for other in met}) < 2
                and all(
                    other.kind in _OF_NAMES or (other.kind == "handle" and other.start == span.start) for other in met
                )
            ):
                yield span
        elif not met and span.kind not in _ONLY_DIGITS and (span.kind == "id") != capitals:
            yield span


_OF_NAMES: Final = ("person", "place", "organization")


def _meets(span: DetectedSpan, others: Sequence[DetectedSpan]) -> bool:
    return any(other.start < span.end and span.start < other.end for other in others)


@lru_cache(maxsize=8)
def embedded_detector(*, regions: tuple[str, ...] = REGIONS) -> EmbeddedDetector:
    """Return the embedded detector; one object for equal regions."""
    return EmbeddedDetector(regions)


_SEED: Final = "witch collapse practice feed shame open despair creek road again ice least"
_LISTED: Final = "disability ethnicity family label military nationality occupation orientation politics religion work"
_NAMED: Final = "company-end cue field guess institution list place-end title verb"


# fmt: off
_ESCAPES: Final = Phase("escapes", (
    Row("private-key", secrets.find_private_keys, secrets.PEM_GATE, "secret", 0.95, "shape",
        "-----BEGIN PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----"),
    Row("user-of-url", credentials.find_users_of_urls, credentials.USER_GATE, "secret url", 0.9, "shape",
        "postgres://bob:s3cret@db", "postgres://localhost/db"),
    Row("token", secrets.find_tokens, secrets.TOKEN_GATE, "secret", 0.95, "shape",
        "AKIAIOSFODNN7EXAMPLE", "AKIA is a prefix"),
    Row("prefixed-token", secrets.find_prefixed, secrets.PREFIXED_GATE, "id secret", 0.9, "shape",
        "of cus_9s6XKzkN4iz8 now", "of cus_profile2024 now"),
    Row("variable-default", credentials.find_defaults, credentials.VARIABLE_GATE, "secret", 0.9, "label",
        'variable "db_password" { default = "walnut-quarry" }', 'variable "db_password" { type = string }'),
    Row("command-password", credentials.find_command_passwords, credentials.COMMAND_GATE, "secret", 0.9, "label",
        "mysql -u root -pS3cret app", "mysql -u root app"),
    Row("seed-phrase", credentials.find_seed_phrases, credentials.SEED_GATE, "secret", 0.7, "label",
        f"seed phrase: {_SEED}", "seed phrase: none yet"),
))
"""Secrets whose own form tells where they end, whatever stands in them."""
_FIELDS: Final = Phase("fields", (
    Row("code-like-value", technical.find_early, technical.EARLY_GATE, "code code-number", 0.9, "code",
        "@Override", "me@example.org"),
    Row("outline", quantities.find_outlines, quantities.OUTLINE_GATE, "numbering", 0.95, "sequence",
        "On\n1.2.1 Gout\n1.2.2 Asthma", "On\n10.0.0.1 gout\n10.0.0.2 asthma"),
    Row("machine-word", digests.find_machine_words, digests.MACHINE_GATE, "code code-number", 0.9, "code",
        "TZ=Europe/Paris", "in Europe and Paris"),
    Row("public-host", digests.find_public_hosts, digests.HOST_GATE, "code code-number", 0.9, "code",
        "image: ghcr.io/acme/web:1.2", "image: web.acme.io/web:1.2"),
    Row("constant", digests.find_constants, digests.CONSTANT_GATE, "code-number", 0.9, "code",
        "limit 1000000", "limit 1000200"),
    Row("digest", digests.find_digests, digests.DIGEST_GATE, "code-number id", 0.65, "code label",
        "commit 9f86d08", "call 9186508"),
    Row("credential", credentials.find_credentials, credentials.CREDENTIAL_GATE, "secret", 0.9, "label",
        "pw: Tr0ub4dor&3", "the password is too short"),
    Row("said-secret", said_secrets.find_said_secrets, said_secrets.SAID_GATE, "secret", 0.8, "label",
        "the gate code is 4821", "the area code is 303"),
    Row("drawn-value", secrets.find_drawn, secrets.DRAWN_GATE, "secret", 0.6, "shape",
        "klucz: WMdnQSPG4QRBn7JkMCNvw8WDv6NMCKy9", "suma: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"),
    Row("person-in-field", people_in_records.find_people_in_fields, people_in_records.PEOPLE_GATE, "handle person", 0.7,
        "field", "TODO(maria): test", "TODO: test"),
    Row("formal-name", formal_names.find_formal_names, formal_names.FORMAL_GATE, "person", 0.8,
        "cue field list title", "Dr A Smith MBE", "the doctor"),
    Row("listed-name", formal_names.find_listed_names, formal_names.LISTED_GATE, "person", 0.7, "list",
        'Ada "Dot" Zuse won', 'Oak "Dot" table won'),
    Row("worded-name", formal_names.find_worded_names, formal_names.WORDED_GATE, "person", 0.8, "list",
        "I met Will Carpenter there", "I met Will today"),
    Row("word-name", lone_names.find_word_names, lone_names.WORD_NAMES_GATE, "person", 0.6, "cue",
        "Happy birthday Hope!", "Happy birthday all!"),
    Row("signed-name", formal_names.find_signed_names, formal_names.SIGNED_GATE, "id person", 0.8, "field",
        "x\ni.A. St. Zuse, Arzt", "x\ni.A. Personalabteilung, Haus"),
    Row("labelled-phone", addresses.find_labelled_phones, addresses.LABELLED_PHONE_GATE, "phone", 0.85, "label",
        "Tel. 0 25 81 / 4 71 12", "Tel. 110"),
    Row("introduced", cued_names.find_introduced, cued_names.INTRODUCED_GATE, "person", 0.6, "cue",
        "hi it's penny from the shop", "hi it's late already"),
    Row("cued-name", cued_names.find_cued_names, cued_names.CUED_GATE, "numbering ordinary person", 0.7,
        "cue field sequence title",
        "met haar broer Wouter", "met haar broer"),
    Row("byname", bynames.find_bynames, bynames.BYNAME_GATE, "person", 0.6, "byname",
        "everyone calls him Spud", "everyone calls it Spud"),
    Row("sender", senders.find_senders, senders.SENDER_GATE, "handle person", 0.8, "field",
        "Van: Jiska Baas\nOnderwerp: regen\n", "Van: Marketing\nOnderwerp: regen\n"),
    Row("segment", segments.find_segments, segments.SEGMENT_GATE,
        "date id numbering organization person phone place", 0.8, "field sequence",
        "PID|1||8817204||Zuse^Ada\n", "PRE|1||8817204||Zuse^Ada\n"),
    Row("zone", machine_forms.find_zones, machine_forms.ZONE_GATE, "id ordinary person", 0.8, "field",
        "P<UTOZUSE<<ADA<<<<<<<<<<<<<<", "cout << name << endl;"),
    Row("traveller", machine_forms.find_travellers, machine_forms.TRAVELLER_GATE, "date id ordinary person", 0.8,
        "field", "1.1ZUSE/ADA MS", "TCP/IP MSS"),
    Row("tagged-value", machine_forms.find_tagged, machine_forms.TAGGED_GATE,
        "id numbering organization person place", 0.8,
        "field sequence", "8=FIX.4.4|116=ADA ZUSE|", "x=8=FIX"),
    Row("directory", machine_forms.find_in_directories, machine_forms.DIRECTORY_GATE, "handle id person secret", 0.8,
        "field label", "dn: uid=azuse,ou=People", "dn: ou=People,dc=org"),
    Row("logged-in", machine_forms.find_users, machine_forms.USERS_GATE, "handle", 0.8, "field",
        "azuse    pts/0", "root     pts/0"),
    Row("login", logins.find_logins, logins.LOGIN_GATE, "handle person", 0.65, "command",
        "ssh as azuse", "ssh as root"),
    Row("file-name", logins.find_file_names, logins.FILE_GATE, "person", 0.6, "field",
        "Kaczmarek_rota.pdf", "Kitchen_rota.pdf"),
    Row("on-air", machine_forms.find_on_air, machine_forms.AIR_GATE, "id ordinary person place", 0.8, "field",
        "CQ CQ DE EI4ABC", "CQ CQ and B12"),
    Row("craft", machine_forms.find_crafts, machine_forms.CRAFT_GATE, "id", 0.8, "field",
        "pilot of G-ABCD", "pilot of the B-TEAM"),
    Row("position", machine_forms.find_positions, machine_forms.POSITION_GATE, "id", 0.8, "shape",
        "51 deg 45' 7.27\" N, 1 deg 15' 27.64\" W", "5 N, 1 W"),
    Row("trade-record", trade_records.find_in_records, trade_records.RECORD_GATE,
        "email id numbering organization person phone place", 0.75, "field sequence",
        "CTA+IC+:Ada Zuse'", "CT^HEAD"),
    Row("certificate", trade_records.find_holders, trade_records.CERTIFICATE_GATE, "id organization person place", 0.75,
        "field label", "C = IE, O = Zuse Boats, CN = x", "O = n log n"),
    Row("player", trade_records.find_players, trade_records.PLAYER_GATE, "handle", 0.75, "field",
        "[INFO]: zuse99 joined the game", "he joined the game"),
    Row("registered", trade_records.find_registered, trade_records.REGISTER_GATE, "person", 0.75, "field",
        "bapt. Brigida, fil. Joannis", "the fil. and"),
    Row("turned-name", trade_records.find_turned, trade_records.TURNED_GATE, "id organization person", 0.75,
        "field label",
        '"Zuse, A"', '"Hepatitis, B"'),
    Row("graded-name", lone_names.find_graded_names, lone_names.GRADED_GATE, "person", 0.7, "title",
        "seen by R. Mbeki, FY1", "seen by nobody, FY1"),
    Row("body", institutions.find_bodies, institutions.BODY_GATE, "ordinary organization", 0.8, "institution",
        "Ayuntamiento de Lugo", "das jugendamt"),
    Row("gloss", lookalikes.find_glosses, lookalikes.GLOSS_GATE, ORDINARY, 0.8, "",
        "the Court (Oberster Gerichtshof)", "the Court (Zuse)"),
    Row("lone-name", lone_names.find_lone_names, lone_names.LONE_GATE, "person", 0.6, "pair",
        '{"as": "Ebony Kaczmarek"}', "Ebony wood"),
    Row("pair", trade_records.find_pairs, trade_records.PAIR_GATE, "id person place", 0.75, "field",
        "HALTER=Zuse;STR=Am Hang 9;", "NAME=$1;X=2;"),
    Row("payee", trade_records.find_payees, trade_records.MONEY_GATE, "ordinary person", 0.75, "field",
        "D1/2/2026\nPAda Zuse\n^", "Py\n^"),
    Row("person-in-table", people_in_tables.find_people_in_tables, people_in_tables.TABLE_GATE,
        "handle ordinary person", 0.7, "column", "x,last_name\nA,Zuse\n\ndollars", "x,color\nA,blue\n"),
    Row("value-in-table", people_in_tables.find_values_in_tables, people_in_tables.VALUE_TABLE_GATE,
        "date id phone place secret", 0.7, "column", "user,password\nbob,hunter\n", "user,password\nbob,yes\n"),
    Row("firm", firms.find_firms, firms.FIRM_GATE, "organization", 0.75, "company-end institution",
        "at Hawthorn Surgery", "at General Surgery"),
    Row("law", quantities.find_laws, quantities.LAW_GATE, "numbering", 0.95, "sequence",
        "Housing Act 1985", "acted in 1985"),
    Row("designation", designations.find_designations, designations.DESIGNATION_GATE, "numbering", 0.95, "sequence",
        "UTF-8 and ISO 9001", "utf and ISO 9"),
    Row("cited", quantities.find_cited, quantities.CITED_GATE, "numbering", 0.95, "sequence",
        "s.13 of it", "was 13 of it"),
    Row("place-under-key", streets.find_places_under_keys, streets.KEYED_GATE, "place", 0.8, "field",
        '{"street": "Rookery Nook"}', '{"street": "String"}'),
    Row("person-under-key", people_in_records.find_people_under_keys, people_in_records.KEY_GATE, "handle person", 0.6,
        "field", "Cc: Oduya\nSubject:", "Subject: rain\n"),
    Row("spoken-number", addresses.find_spoken_numbers, addresses.SPOKEN_GATE, "id", 0.75, "spoken",
        "oh seven seven double oh nine hundred", "one two three four"),
    Row("host-under-key", addresses.find_hosts_under_keys, addresses.HOST_KEY_GATE, "code url", 0.9, "code field",
        "DB_HOST=db1.tarnbrook.lan", "DB_HOST=db1.internal"),
    Row("mailbox-password", said_secrets.find_mailbox_passwords, said_secrets.MAILBOX_GATE, "secret", 0.8, "shape",
        "ada@zuse.org:walnut-Quarry", "git@zuse.org:ada/web.git"),
    Row("labelled-place", labelled_places.find_labelled_places, labelled_places.LABELLED_GATE,
        "organization place", 0.65, "field",
        "Town: Filey\n", "Town: unknown\n"),
    Row("dateline", labelled_places.find_datelines, labelled_places.DATELINE_GATE, "place", 0.7, "cue",
        "KILWHIN, 3 May - The mill closed.", "NOTICE, 3 May - The mill closed."),
    Row("owner", people_in_records.find_owners, people_in_records.OWNER_GATE, "handle", 0.7, "field",
        "-rw-r--r-- 1 maria staff", "-rw-r--r-- 1 root root"),
))
"""Values that a label, a key or a column tells, before anything looks at the values themselves."""
_ADDRESSES: Final = Phase("addresses", (
    Row("address", addresses.find_addresses, anywhere, "email handle url", 0.95, "", "me@example.org", "me at home"),
    Row("domain", addresses.find_domains, anywhere, "code-number url", 0.8, "code", "x.co.uk", "end.Then"),
    Row("wallet", addresses.find_wallets, addresses.WALLET_GATE, "id", 0.95, "check shape",
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"),
    Row("coordinates", addresses.find_coordinates, addresses.COORDINATE_GATE, "id", 0.9, "label shape",
        "40.7128, -74.0060", "40.7, 74.0"),
    Row("iban", identifiers.find_ibans, identifiers.IBAN_GATE, "id", 0.95, "check label",
        "NL91ABNA0417164300", "NL92ABNA0417164300"),
))
"""Addresses and numbers that hold what later phases look for: words, dates, numbers of cards."""
_FORMS: Final = Phase("forms", (
    Row("ip-address", addresses.find_ip_addresses, addresses.IP_GATE, "code-number ip", 0.95, "code",
        "2001:db8::1", "12:30"),
    Row("card-row", identifiers.find_card_rows, identifiers.CARD_GATE, "id", 0.9, "check",
        "4111 1111 1111 1111 123", "4111 1111 1111 1112 123"),
    Row("national-form", national_ids.find_forms, national_ids.FORM_GATE, "id", 0.95, "check shape",
        "12345678Z", "12345678A"),
    Row("case-number", identifiers.find_case_numbers, identifiers.CASE_GATE, "id", 0.6, "label shape",
        "36391/02", "1999/2000"),
    Row("booking", identifiers.find_bookings, identifiers.BOOKING_GATE, "id", 0.7, "label",
        "Booking reference: HJWQRT", "BOOKING REFERENCE WINDOW"),
    Row("plate", identifiers.find_plates, identifiers.PLATE_GATE, "id", 0.7, "label", "plate 7ABC123", "plate of rice"),
    Row("range-in-digits", date_lists.find_ranges_in_digits, date_lists.DIGITS_GATE, "date", 0.9, "",
        "1/2 - 5/2/2024", "1/2 - 5"),
    Row("coarse-date", dates.find_coarse_dates, dates.COARSE_GATE, "date", 0.9, "", "Q3 2024", "Q3 results"),
    Row("listed-day", dates.find_listed_days, dates.LISTED_GATE, "date", 0.9, "", "Jun  7 08:15:02", "Jun  7"),
    Row("date", dates.find_dates, dates.DATE_GATE, "date", 0.9, "", "3/4/2024", "33/44/2024"),
    Row("births", measurements.find_births, measurements.BIRTHS_GATE, "measurement", 0.9, "score", "G2P1,", "G20"),
))
"""Rows and forms of several parts: later phases would take one part for a whole value."""
_DATES: Final = Phase("dates", (
    Row("national-label", national_ids.find_labelled, national_ids.LABEL_GATE, "id", 0.95, "check",
        "PESEL: 44051401359", "PESEL: 44051401358"),
    Row("card-code", identifiers.find_card_codes, identifiers.CARD_CODE_GATE, "id", 0.8, "label", "CVC 123", "CVC 12"),
    Row("date-of-language", date_lists.find_dates_of_languages, date_lists.OTHER_GATE, "date", 0.9, "",
        "3 de mayo", "mayo on bread"),
))
"""Dates of other languages, and numbers behind their label: a row of digits would swallow theirs."""
_DAYS: Final = Phase("days", (
    Row("named-date", date_lists.find_dates_and_lists, dates.NAMED_DATE_GATE, "date", 0.9, "", "31 Mar", "mar the day"),
    Row("time", dates.find_times, dates.TIME_GATE, "time", 0.8, "", "2:15", "2:75"),
))
"""Days with an English month, and hours: a date of another language may end where one begins."""
_DIGITS: Final = Phase("digits", (
    Row("card", identifiers.find_cards, identifiers.CARD_GATE, "id", 0.9, "check label",
        "4111 1111 1111 1111", "4111 1111 1111 1112"),
    Row("fixed-form", identifiers.find_fixed_forms, identifiers.FIXED_GATE, "id", 0.9, "", "078-05-1120", "078-05-112"),
    Row("misread-row", identifiers.find_misread_rows, identifiers.MISREAD_GATE, "id", 0.5, "shape",
        "O77OO 9OO l53", "I 2 3 O 1"),
    Row("long-code", identifiers.find_long_codes, identifiers.LONG_CODE_GATE, "id", 0.6, "shape",
        "US-DL-4710485154", "RFC-471048"),
))
"""Rows of digits with a check or a form: an amount or a labelled number would take a part of them."""
_SIGNS: Final = Phase("signs", (
    Row("signed-money", quantities.find_signed_money, quantities.SIGNED_GATE, "money", 0.9, "", "$5", "$HOME"),
))
"""Money with its sign or code: an amount in words would take the number before the sign."""
_AMOUNTS: Final = Phase("amounts", (
    Row("named-money", quantities.find_named_money, quantities.NAMED_MONEY_GATE, "money", 0.9, "", "0142$", "142 dogs"),
    Row("age", ages.find_ages, anywhere, "age", 0.9, "", "3-week-old", "3-week holiday"),
    Row("age-of-language", ages.find_ages_of_languages, ages.LANGUAGE_GATE, "age", 0.9, "",
        "tiene 85 anos.", "hace 85 anos."),
    Row("measurement", measurements.find_measurements, measurements.MEASUREMENT_GATE, "measurement", 0.85,
        "dose laboratory score unit vital", "40 mg", "40 men"),
    Row("grade", measurements.find_grades, measurements.GRADED_GATE, "measurement", 0.8, "score",
        "type 2", "this type of"),
    Row("coded-measurement", measurements.find_coded_measurements, measurements.CODED_GATE, "measurement", 0.8,
        "dose score", "q4h", "q and a"),
    Row("named-number", quantities.find_named_numbers, quantities.NAMED_GATE, "quantity", 0.7, "list", "3D", "3 dogs"),
    Row("keyed-id", identifiers.find_keyed_ids, identifiers.KEYED_GATE, "id", 0.9, "label",
        "customer_id=48213", "size_id=48213"),
    Row("labelled-id", identifiers.find_labelled_ids, identifiers.LABELLED_GATE, "id", 0.6, "label",
        "Polis: KL 447190", "Polis: 2019"),
    Row("named-id", identifiers.find_named_ids, identifiers.NAMED_GATE, "id", 0.95, "check label",
        "file2024A", "record from 1983"),
))
"""Numbers that a unit or a word beside them tells: no part of a street or a telephone number."""
_STREETS: Final = Phase("streets", (
    Row("street", streets.find_lines, streets.LINE_GATE, "place", 0.8, "", "12 Main St", "12 Main ideas"),
    Row("street-of-language", streets.find_other_lines, streets.OTHER_LINE_GATE, "place", 0.7, "",
        "via Roma 3", "via Roma"),
    Row("numbered-street", streets.find_numbered, streets.NUMBERED_GATE, "place", 0.6, "",
        "10 Oak Apt. 4", "10 oak trees"),
    Row("named-house", labelled_places.find_named_houses, labelled_places.NAMED_GATE, "place", 0.65, "",
        "The Manse, Kilwhin.", "The manse, he said."),
    Row("flat", labelled_places.find_flats, labelled_places.FLAT_GATE, "place", 0.8, "",
        "Top floor, 202 Gasworks Mews", "top floor, 202 seats"),
    Row("street-alone", labelled_places.find_streets_alone, labelled_places.ALONE_GATE, "place", 0.55, "",
        "on Dockray Parade.", "on Wall Street."),
    Row("spoken-street", labelled_places.find_spoken_streets, labelled_places.SPOKEN_GATE, "place", 0.65, "",
        "forty one Rossall Gate", "forty one people at the gate"),
    Row("odd-street", streets.find_odd_lines, streets.ODD_GATE, "place", 0.6, "",
        "at 44 Ferry Loan, Tay", "at 44 Easy Steps"),
    Row("small-street", streets.find_small, streets.SMALL_GATE, "place", 0.6, "", "9 rose lane", "9 roses"),
    Row("address-after-word", streets.find_addresses_after_words, streets.AFTER_WORD_GATE, "place", 0.6, "",
        "wohnt An der Eiche 5.", "wohnt in Zimmer 5."),
    Row("address-before-code", streets.find_addresses_before_codes, streets.BEFORE_CODE_GATE, "place", 0.65, "",
        "Krumme Reihe 9, 24937 Flensburg", "Seite 9, 24937 Seiten"),
    Row("weak-small-street", streets.find_weak_small, streets.WEAK_SMALL_GATE, "place", 0.6, "",
        "at 12 larch walk", "a 12 minute walk"),
))
"""Street lines, with the apartments in them."""
_PLACES: Final = Phase("places", (
    Row("apartment", streets.find_units, streets.UNIT_GATE, "id place", 0.7, "", "Apt 5L", "apt to fail"),
    Row("town", streets.find_towns, streets.TOWN_GATE, "place", 0.7, "", "Salem, OR 97301", "Salem, 97301"),
    Row("british-town", streets.find_british_towns, streets.BRITISH_TOWN_GATE, "place", 0.7, "",
        "Close, Ludlow SY8 1PX,", "Close, Ludlow,"),
    Row("postal-code", streets.find_codes, streets.CODE_GATE, "place", 0.7, "", "K1A 0B1", "K1 and B1"),
    Row("small-postal-code", streets.find_small_codes, streets.SMALL_CODE_GATE, "place", 0.6, "", "ls6 3hn", "ls6 3rd"),
    Row("code-of-town", streets.find_codes_of_towns, streets.CODE_OF_TOWN_GATE, "place", 0.6, "",
        "in 34117 Kassel", "in 34117 Cases"),
    Row("code-after-word", streets.find_labelled_codes, streets.LABELLED_CODE_GATE, "place", 0.7, "",
        "PLZ 10115 ", "PLZ unknown"),
))
"""Apartments alone, and postal codes with their towns: their digits would be read as telephone numbers."""
_PHONES: Final = Phase("phones", (
    Row("phone", addresses.phone_search(), addresses.PHONE_GATE, "phone", 0.9, "", "+1 303 555 0142", "1000-1500"),
))
"""Telephone numbers: their groups of digits would be read as years and dates."""
_YEARS: Final = Phase("years", (
    Row("spaced-ssn", identifiers.find_spaced_ssns, identifiers.SPACED_SSN_GATE, "id", 0.5, "",
        "456 78 1234", "000 78 1234"),
    Row("age-after-word", ages.find_ages_after_words, ages.AGED_GATE, "age", 0.8, "",
        "will turn 30", "will turn left"),
    Row("said-age", ages.find_said_ages, ages.SAID_GATE, "age", 0.7, "", "who is ninety-four,", "who is one of"),
    Row("decade-of-age", ages.find_decades_of_age, ages.DECADE_GATE, "age", 0.8, "", "in her 40s", "in the 40s"),
    Row("age-after-name", ages.find_ages_after_names, ages.AFTER_NAME_GATE, "age", 0.6, "",
        "Maria (42) ", "Maria (420)"),
    Row("coded-age", ages.find_coded_ages, ages.CODE_GATE, "age", 0.5, "", "42F", "42X"),
    Row("year-list", date_lists.find_year_lists, date_lists.YEARS_GATE, "date", 0.5, "", "1991 to 1995,", "1991,"),
    Row("year", dates.find_years, dates.YEAR_GATE, "date", 0.5, "", "in 1981", "981"),
    Row("day", dates.find_days, dates.DAY_GATE, "date", 0.7, "", "Monday", "someday"),
    Row("day-column", date_lists.find_day_columns, date_lists.DAY_COLUMN_GATE, "date", 0.7, "column",
        "| Ada | 3/6 |\n| Bea | 14/7 |\n| Cem | 2/8 |", "| Ada | 3/6 |\n| Bea | 14/70 |\n| Cem | 2/80 |"),
    Row("short-day", dates.find_short_days, dates.SHORT_DAY_GATE, "date", 0.5, "", "echo 29/7 fine", "24/7"),
    Row("month", dates.find_months, dates.NAMED_DATE_GATE, "date", 0.7, "", "since May", "you may go"),
    Row("witness", demographics.find_witnesses, demographics.WITNESS_GATE, "demographic", 0.8, "religion",
        "Jehovah's Witness.", "a witness."),
    Row("home", technical.find_homes, technical.HOME_GATE, "handle person", 0.7, "path",
        "/home/maria/x", "/home/root/x"),
))
"""Years, ages and days that only their look tells, and users in paths: counts, words and code would take them."""
_CODE: Final = Phase("code", (
    Row("demographic", demographics.find_demographics, demographics.DEMOGRAPHIC_GATE, "demographic", 0.8, _LISTED,
        "she is married", "she is late"),
    Row("code", technical.find_code, technical.CODE_GATE, "code code-number", 0.8, "code", "get_name()", "get a name"),
    Row("section", quantities.find_sections, quantities.SECTION_GATE, "numbering", 0.7, "sequence",
        "(Rule 36)", "the rule"),
    Row("label-number", quantities.find_label_numbers, quantities.LABEL_NUMBER_GATE, "numbering", 0.7, "sequence",
        "Witness 2: nobody", "was 2: nobody"),
    Row("share", quantities.find_shares, quantities.SHARE_GATE, "quantity", 0.6, "count", "4 of 7", "4 of them"),
    Row("spoken-money", quantities.find_spoken_money, quantities.SPOKEN_GATE, "money", 0.7, "",
        "two cents", "two scents"),
))
"""Words of code and of groups, and numbers with a word before them: a count would take them for what it counts."""
_QUANTITIES: Final = Phase("quantities", (
    Row("duration", quantities.find_durations, quantities.DURATION_GATE, "duration", 0.8, "unit", "7 days", "7 dogs"),
    Row("fortnight", quantities.find_fortnights, quantities.FORTNIGHT_GATE, "duration", 0.8, "unit",
        "a fortnight", "fortnightly"),
    Row("short-duration", quantities.find_short_durations, quantities.SHORT_GATE, "duration", 0.7, "unit",
        "24h", "24x"),
    Row("spoken-measurement", measurements.find_spoken_measurements, measurements.SPOKEN_GATE, "measurement", 0.8,
        "unit", "ten mg", "ten men"),
    Row("percentage", quantities.find_percentages, quantities.PERCENT_GATE, "quantity", 0.9, "unit", "4%", "4 &"),
    Row("ordinal", quantities.find_ordinals, quantities.ORDINAL_GATE, "quantity", 0.8, "ordinal", "2nd", "2 and"),
    Row("version", quantities.find_versions, quantities.VERSION_GATE, "quantity", 0.8, "version", "v2", "v and w"),
    Row("list-number", quantities.find_list_numbers, quantities.LIST_GATE, "numbering", 0.85, "sequence",
        "1. Gout\n2. Asthma", "Gout\nAsthma"),
    Row("row-number", quantities.find_row_numbers, quantities.ROW_GATE, "numbering", 0.7, "sequence",
        "1 Oak\n2 Elm\n3 Ash", "1 Oak\n4 Elm\n3 Ash"),
    Row("count", quantities.find_counts, quantities.COUNT_GATE, "quantity", 0.6, "count", "5 runs", "runs"),
    Row("state", streets.find_states, streets.STATE_GATE, "place", 0.7, "", "Denver, CO", "Denver, XX"),
    Row("label", lookalikes.find_labels, lookalikes.LABEL_GATE, ORDINARY, 0.0, "",
        "Hosp. no.: 4", "Ottilie: no"),
    Row("spaced-head", lookalikes.find_spaced_heads, lookalikes.HEAD_GATE, ORDINARY, 0.0, "",
        "Qty   Item   Maria\n2     Oak    4\n", "Qty   Item   Maria\n"),
    Row("vehicle", lookalikes.find_vehicles, lookalikes.VEHICLE_GATE, ORDINARY, 0.0, "", "a Kia Ceed", "a Kia dealer"),
    Row("numbered-model", lookalikes.find_numbered_models, lookalikes.VEHICLE_GATE, "numbering", 0.6, "sequence",
        "a Peugeot 208", "a Peugeot 2019"),
    Row("misread-word", lookalikes.find_misread_words, lookalikes.MISREAD_GATE, "numbering person", 0.5,
        "list sequence",
        "REP0RT", "B10"),
    Row("level", lookalikes.find_levels, lookalikes.LEVEL_GATE, "numbering", 0.6, "sequence",
        "English C1", "block C1"),
    Row("make", lookalikes.find_goods, lookalikes.GOODS_GATE, ORDINARY, 0.0, "", "a Festo valve", "Orla's boots"),
    Row("drug", lookalikes.find_drugs, lookalikes.DRUG_GATE, ORDINARY, 0.0, "",
        "Meds: Laxido, iron", "Meds: Orla, iron"),
    Row("letters-behind-name", lookalikes.find_letters_behind_names, lookalikes.LETTERS_GATE, ORDINARY, 0.0, "",
        "Sian, MRCVS", "my ma"),
    Row("medicine", lookalikes.find_medicines, lookalikes.medicine_gate, ORDINARY, 0.0, "",
        "Upadacitinib daily", "Adalbert daily"),
    Row("eponym", lookalikes.find_eponyms, lookalikes.AFTER_GATE, ORDINARY, 0.0, lookalikes.EPONYM,
        "enfermedad de Paget", "enfermedad de la hija"),
    Row("statute", lookalikes.find_statutes, lookalikes.STATUTE_GATE, ORDINARY, 0.0, "",
        "the Housing Act", "Zuse will act"),
    Row("cued-firm", firms.find_cued_firms, firms.CUED_FIRM_GATE, "organization", 0.5, "cue",
        "works at The Copper Whisk", "works at the old mill"),
    Row("inn", firms.find_inns, firms.INN_GATE, "organization", 0.6, "institution",
        "in the Plough all night", "behind the plough all night"),
    Row("partners", firms.find_partners, firms.PARTNERS_GATE, "organization", 0.5, "pair",
        "a letter from Hale & Marsh, solicitors", "a letter from Bed & Breakfast, too"),
    Row("club", institutions.find_clubs, institutions.CLUB_GATE, "organization", 0.6, "company-end cue institution",
        "goals for Getafe CF last season", "goals for IF last season"),
    Row("acronym", institutions.find_acronyms, institutions.ACRONYM_GATE, "organization", 0.5, "cue",
        "member of the PKK", "member of the club"),
))
"""Counts with their words, and letters that stand for a state or a group: names would take the capitals."""
_NAMES: Final = Phase("names", (
    Row("name", names.find_names, anywhere, "organization person place", 0.8, _NAMED, "I met Jay", "I met him"),
))
"""Names, by lists, by evidence around them and by guesses, in what all others left."""
_SMALL_NAMES: Final = Phase("small-names", (
    Row("small-name", formal_names.find_small_names, formal_names.SMALL_NAME_GATE, "person place", 0.6, "cue",
        "my name is maria", "my name is unusual"),
    Row("spelled-name", names_in_one_case.find_spelled, names_in_one_case.SPELLED_GATE, "id person", 0.5, "pair",
        "that is P-E-T-T-I-F", "that is D-O-N-E"),
    Row("small-talk", names_in_one_case.find_small_talk, anywhere, "handle person place", 0.6, "cue",
        "is our tasha round gazza's place", "is our table round the corner"),
))
"""Names in small letters: beside those with a capital, which are read once."""
PHASES: Final = checked_phases(
    _ESCAPES, _FIELDS, _ADDRESSES, _FORMS, _DATES, _DAYS, _DIGITS, _SIGNS, _AMOUNTS, _STREETS, _PLACES, _PHONES, _YEARS,
    _CODE, _QUANTITIES, _NAMES, _SMALL_NAMES,
)
"""The phases for English, with telephone numbers of the usual regions."""
# fmt: on


def _shown_names(text: str) -> Iterator[Found]:
    """Yield the names that English words or signs beside them show, for a page in another language."""
    return (
        span
        for span in names.find_names(text)
        if span.score >= _SHOWN_SCORE
        and span.why in _SHOWN.split()
        and not _GENERAL.search(text, max(0, span.start - 24), span.start)
    )


_GENERAL: Final = lazy_regex("(?:Junta|Hospital|Asamblea|Consejo|Instituto|Archivo|Registro|Medicina) General \\Z")
"""Adjectives that English reads as a title: Junta General Ordinaria."""


def _demographics(text: str) -> Iterator[Found]:
    """Yield what tells of groups, but for names of places: Roma."""
    large, _ = places()
    return (span for span in demographics.find_demographics(text) if text[span.start : span.end].lower() not in large)


def _repeated_senders(text: str) -> Iterator[Found]:
    """Yield writers that write again, with a listed given name: Turkish labels are names too (Hasta, Konu)."""
    found = list(senders.find_senders(text))
    often = Counter(text[span.start : span.end] for span in found)
    words = lists().words
    for span in found:
        written = text[span.start : span.end]
        if often[written] > 1 and words.get(written.split()[0].lower(), 0) & Marks.GIVEN:
            yield span


_SHOWN: Final = "company-end cue field title"
_SHOWN_SCORE: Final = 0.5
_INSTEAD: Final = {
    "name": Row("shown-name", _shown_names, anywhere, "organization person place", 0.8, _SHOWN,
        "To: Jay", "I met Jay"),
    "demographic": Row("group", _demographics, demographics.DEMOGRAPHIC_GATE, "demographic", 0.8, _LISTED,
        "she is married", "a Roma"),
}  # fmt: skip
"""Rows for pages in another language, by the row that each replaces."""


@lru_cache(maxsize=64)
def _value_phases(regions: tuple[str, ...], language: str) -> Phases:
    """Return the phases but those of names; of the last one only the rows of kinds that may be told again."""
    *phases, last = phases_for(regions, language)[:-2]
    rows = tuple(row for row in last.rows if not _NO_VALUE.issuperset(row.kinds.split()))
    return checked_phases(*phases, last._replace(rows=rows))


@lru_cache(maxsize=64)
def phases_for(regions: tuple[str, ...], language: str) -> Phases:
    """Return the phases for a language; telephone numbers of these regions need no country code."""
    phone = addresses.phone_search(regions, language)
    added = rows_of(language) if language in LANGUAGES else {}
    left_out = (
        {"lone-name", "small-name", "small-talk"} if added or language in SCRIPTS else set()
    )  # they take words of other languages for names
    if language == TURKISH:
        left_out |= {"name"}
    phases = []
    for name, rows in PHASES:
        own = (row._replace(search=phone) if row.name == "phone" else row for row in rows if row.name not in left_out)
        if added:
            own = (_INSTEAD.get(row.name, row) for row in own)
        elif language == TURKISH:
            own = (row._replace(search=_repeated_senders) if row.name == "sender" else row for row in own)
        phases.append(Phase(name, (*own, *added.get(name, ()))))
    return checked_phases(*phases)
