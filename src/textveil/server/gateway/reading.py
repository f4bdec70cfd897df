"""Tells apart what a request says: text is released before it goes on; plain facts go on; everything else stays.

A reader makes the body that goes on as a copy with a ``Slot`` wherever the request has text. A body with a slot
cannot be written, so no text goes on that was not released. Facts are numbers, truth values and words of a known
form; their readers check each.
"""

import contextlib
import hashlib
import json
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final, Literal, NamedTuple, NoReturn, Protocol, TypeAlias

from textveil.json_text import Leaf, LeafKind, leaves
from textveil.server.bodies import parsed
from textveil.server.errors import ApiError, too_many_texts
from textveil.server.foreign import Call, Context, Origin
from textveil.server.gateway.json_text import with_quoted_draws
from textveil.server.service import DOCUMENT
from textveil.text.escapes import BORDER

Reader: TypeAlias = "Callable[[RequestReading, Any, str], Any]"
"""Takes the value at a place of a request, and returns what goes on there."""

MODEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}")
NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,127}")
"""The name of a function, or a value that the API knows."""

TEXTS: Final = 20_000
"""Maximum number of texts of a request, unless the configuration says otherwise."""

_FIELD: Final = re.compile(r"[$A-Za-z_][$A-Za-z0-9_-]{0,39}")
_LARGEST: Final = 2**53


class Piece(NamedTuple):
    """A text of a request."""

    text: str  # private
    # its place, told only by what the upstream knows: its sort, the upstream's answer before it, and its number since.
    # Equal texts at two places are two texts.
    label: str
    origin: Origin | None = None  # where it comes from; None if the client wrote it
    context: Context | None = None  # the JSON that it is a string of


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a text, by its number among the pieces; the release of a tool's ``output`` may become JSON."""

    number: int
    is_output: bool = False


@dataclass(frozen=True, slots=True)
class JsonSlots:
    """The place of a JSON text whose leaves are released one by one."""

    parts: tuple[str | tuple[Slot, Leaf], ...]


class SentDocument(NamedTuple):
    """A document of a request, as it came."""

    ending: str  # of its format
    data: bytes  # private
    place: str  # of the data, for errors
    head: str = ""  # what goes on before its data, if the file itself goes on
    is_string: bool = False  # whether it goes on as a string, and not in base64
    name: str = ""  # what it is called where it goes on, whatever its name was


class Memory(Protocol):
    """The memory of a request's conversation; ``bodies.RequestMemory`` outside of tests."""

    def answer(self, place: str, text: str, behind: str = "", handle: str = "") -> str | None:
        """Return what the upstream wrote if the client read this text; None if it wrote no such thing.

        ``place``: of a message; ``text``: private; ``behind``: what stands before it in the history; ``handle``: of the
        call whose arguments it is.
        """

    def called(self, handle: str) -> Call | None:
        """Return the call of this handle, if the upstream made one."""

    def handle(self, text: str) -> str:
        """Return the identifier that goes on in place of one that the client may have chosen."""


class RequestReading:
    """Collects the texts of one request.

    ``memory``: of its conversation; ``escapes``: whether a release reads texts through their escapes: it does if words
    are kept; ``most``: maximum number of texts; ``takes_documents``: what goes on of documents.

    Attributes:
        pieces: texts to be released, in order; those that go on in the next are released with it (``wholes``).
        documents: by the number of the piece that stands for its text, which nobody has read so far.
        left_out: names of fields that do not go on.
        functions: names of the functions that the request declares.
        parameters: names of their parameters.
        call: the handle of the call that is being read.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        escapes: bool = False,
        most: int = TEXTS,
        takes_documents: Literal["refuse", "text", "file"] = "refuse",
    ) -> None:
        self.memory = memory
        self.takes_documents = takes_documents
        self.documents: dict[int, SentDocument] = {}
        self._most = most
        self.escapes = escapes
        self.pieces: list[Piece] = []
        self._going_on: set[int] = set()
        self.left_out: dict[str, None] = {}
        self.functions: set[str] = set()
        self.parameters: set[str] = set()
        self.call = ""
        self._origin: Origin | None = None
        self._under: list[str] = []
        self._stands: dict[str, str] = {}
        self._behind: dict[str, str] = {}
        self._since: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()

    def text(self, value: Any, place: str, what: str = "text") -> Slot | str:
        """Return the slot of a text; an empty one goes on as it is.

        ``value``: a string; ``place``: where it stands, for errors; ``what``: its sort: equal texts of two sorts are
        released apart.

        Raises:
            ApiError: it is no string, or no Unicode text; or one text more than the request may hold.
        """
        if not isinstance(value, str):
            refuse(place, "a string", code="invalid_type")
        if not value:
            return ""
        if not value.isascii():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                refuse(place, "Unicode text, without lone surrogates", code="invalid_text")
        return Slot(self._stand(value, place, what), is_output=self.escapes and what == "output")

    def document(self, document: SentDocument, place: str) -> Slot:
        """Return the slot of a document, whose name is made here; its text is a piece by itself.

        Raises ApiError: one text more than the request may hold.
        """
        number = self._stand("", place, DOCUMENT)
        of_request = len(self.documents) + 1
        name = f"document{'' if of_request == 1 else f'-{of_request}'}{document.ending}"
        self.documents[number] = document._replace(name=name)
        return Slot(number)

    def _stand(self, value: str, place: str, what: str) -> int:
        if len(self.pieces) >= self._most:
            raise too_many_texts(self._most)
        field = _field(place)
        self._since[field] = since = self._since[field] + 1
        self._stands[field] = stands = f"{field} {since} {self._behind.get(field, '')}"
        self.pieces.append(Piece(value, f"{what} {stands}", self._origin))
        return len(self.pieces) - 1

    @contextlib.contextmanager
    def foreign(self, place: str, handle: Any = None) -> Iterator[None]:
        """Mark what is read meanwhile as written by others: by the upstream itself, or by a tool that it called.

        ``place``: of a message; ``handle``: of the call that is answered.
        """
        call = self.memory.called(handle) if isinstance(handle, str) else None
        before, self._origin = self._origin, Origin(f"{handle} {place} {self.stands(place)}", call)
        try:
            yield
        finally:
            self._origin = before

    def stands(self, place: str) -> str:
        """Return the key of the last text of this field: the upstream's next answer stands behind it."""
        return self._stands.get(_field(place), "")

    def go_on(self, slots: Sequence[Any], place: str) -> None:
        """Note that each text goes on in the next, unless something else stands between: a name may be cut there.

        Raises ApiError: one of them has the character that stands for a cut.
        """
        for slot, following in pairwise(slot for slot in slots if slot != ""):
            if not (isinstance(slot, Slot) and isinstance(following, Slot)):
                continue
            if self.escapes and self.documents.keys().isdisjoint((slot.number, following.number)):
                if any(BORDER in self.pieces[each.number].text for each in (slot, following)):
                    refuse(place, "text without U+FDD0, which is no character", code="invalid_text")
                self._going_on.add(slot.number)

    def wholes(self) -> list[list[Piece]]:
        """Return the pieces, grouped into texts."""
        wholes: list[list[Piece]] = []
        for number, piece in enumerate(self.pieces):
            if number - 1 in self._going_on:
                wholes[-1].append(piece)
            else:
                wholes.append([piece])
        return wholes

    def answer(self, value: Any, place: str, what: str) -> Slot | str:
        """Read a text that the upstream may have written: its own go back as it wrote them; others are released."""
        if (known := self.known(value, place, what)) is not None:
            return known
        with self.foreign(place):
            return self.text(value, place, what)

    def known(self, value: Any, place: str, what: str, handle: str = "") -> str | None:
        """Return what the upstream wrote if the client read this; None if it wrote no such thing."""
        written = self.memory.answer(what, value, self.stands(place), handle) if isinstance(value, str) else None
        if written is not None:
            self.goes_on_behind(place, f"{what} {written}")
        return written

    def goes_on_behind(self, place: str, answer: str) -> None:
        """Note that what follows in a field stands behind an answer of the upstream, and is counted from there."""
        self._answers[answer] += 1
        told, field = f"{self._answers[answer]} {answer}".encode("utf-8", "surrogatepass"), _field(place)
        self._behind[field], self._since[field] = hashlib.sha256(told).hexdigest(), 0

    def json_text(self, value: Any, place: str, what: str) -> JsonSlots | Slot | str:
        """Read JSON inside a string: its leaves are released one by one; a string that is none, as a text.

        What a leaf is, is read from all of the JSON: {"password": "walnut-quarry"}.
        """
        parts = leaves(value) if isinstance(value, str) else None
        if parts is None:
            return self._alone(value, place, what)
        slots: list[str | tuple[Slot, Leaf]] = []
        said, starts = self._head(), dict[int, int]()
        for part in parts:
            if isinstance(part, str):
                slots.append(part)
                said.append(part)
                continue
            plain = part.kind is LeafKind.KEY and part.text in self.parameters
            slot = None if plain else self.text(part.text, place, what)
            quote = '"' if part.kind in (LeafKind.KEY, LeafKind.STRING) else ""
            said += [quote, part.text, quote]
            if isinstance(slot, Slot):
                starts[slot.number] = len(said) - 2
                slots.append((slot, part))
            else:
                slots.append(part.written)
        self._stand_in(said, starts)
        return JsonSlots(tuple(slots))

    @contextlib.contextmanager
    def under(self, name: str) -> Iterator[None]:
        """Note that what is read meanwhile is a value of the parameter of this name."""
        self._under.append(name)
        try:
            yield
        finally:
            self._under.pop()

    def _alone(self, value: Any, place: str, what: str, quote: str = "") -> Slot | str:
        slot = self.text(value, place, what)
        if isinstance(slot, Slot) and self._under:
            self._stand_in([*self._head(), quote, value, quote], {slot.number: len(self._under) + 1})
        return slot

    def _head(self) -> list[str]:
        return [f'{{"{name}": ' for name in self._under]

    def _stand_in(self, said: list[str], starts: Mapping[int, int]) -> None:
        """Note in which text pieces stand: by their numbers, the places in ``said``."""
        ends = list(accumulate(map(len, said), initial=0))
        text = "".join(said)
        for number, place in starts.items():
            self.pieces[number] = self.pieces[number]._replace(context=Context(text, ends[place]))

    def values(self, value: Any, place: str, what: str = "value") -> Any:
        """Read JSON data whose strings, numbers and truth values are all text."""
        if isinstance(value, str):
            return self._alone(value, place, what, '"')
        if value is None:
            return None
        return _Parsed(self.json_text(json.dumps(value, ensure_ascii=False), place, what))

    def fields(
        self, value: Any, place: str, readers: Mapping[str, Reader], needed: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Read an object of known fields; others are left out, and so are those that are null.

        Raises ApiError: it is no object, or a needed field is not there.
        """
        need_object(value, place or "the body")
        for name in needed:
            if value.get(name) is None:
                refuse(under(place, name), "given", code="missing_field", got="none")
        for name in value:
            if name not in readers:
                self.leave_out(under(place, name))
        read: dict[str, Any] = {}
        for name, reader in readers.items():  # in their order: what tools declare is known before messages are read
            if (said := value.get(name)) is not None:
                read[name] = reader(self, said, under(place, name))
        return read

    def leave_out(self, place: str) -> None:
        """Note a field that does not go on, without the numbers of list items."""
        self.left_out[re.sub(r"\[\d+\]", "", place)] = None


@dataclass(frozen=True, slots=True)
class _Parsed:
    text: JsonSlots | Slot | str


def written(template: Any, released: Sequence[str]) -> Any:
    """Return the body that goes on: the template with released texts in its slots."""
    if isinstance(template, Slot):
        text = released[template.number]
        return with_quoted_draws(text) if template.is_output else text
    if isinstance(template, JsonSlots):
        return "".join(
            part if isinstance(part, str) else part[1].with_text(released[part[0].number]) for part in template.parts
        )
    if isinstance(template, _Parsed):
        said = written(template.text, released)
        return parsed(said) if isinstance(template.text, JsonSlots) else _scalar(said)
    if isinstance(template, dict):
        return {name: written(part, released) for name, part in template.items()}
    return [written(part, released) for part in template] if isinstance(template, list) else template


def _scalar(said: str) -> str | int | float | bool:
    # A number or truth value if the release is such again, else the text.
    try:
        scalar = parsed(said)
    except ValueError:
        return said
    return scalar if isinstance(scalar, bool | int | float) else said


def refuse(
    place: str, wanted: str, *, code: str = "invalid_value", got: str = "something else", hint: str = ""
) -> NoReturn:
    """Refuse a request; nothing goes on.

    Args:
        place: the wrong field.
        wanted: the end of "... must be".
        code: for programs.
        got: never text of the request.
        hint: the next step, a full sentence.

    Raises ApiError: always.
    """
    tail = f" {hint}" if hint else ""
    raise ApiError(400, code, f"{place} must be {wanted}; got {got}.{tail}", param=place)


def need_object(value: Any, place: str) -> None:
    """Refuse a value that is no object. Raises ApiError: it is none."""
    if not isinstance(value, dict):
        refuse(place, "an object", code="invalid_type")


def _field(place: str) -> str:
    return place.partition(".")[0].partition("[")[0]


def under(place: str, name: str) -> str:
    """Return the place of a field of an object, for messages: a name that may be text is not in it."""
    shown = name if _FIELD.fullmatch(name) else "(a field)"
    return f"{place}.{shown}" if place else shown


def list_of(reader: Reader, least: str = "") -> Reader:
    """Return a reader of lists, item by item; ``least`` names what an empty one lacks, if it is refused."""

    def read(reading: RequestReading, value: Any, place: str) -> list[Any]:
        if least and value == []:
            refuse(place, f"at least one {least}", got="none")
        if not isinstance(value, list):
            refuse(place, "a list", code="invalid_type")
        return [reader(reading, item, f"{place}[{number}]") for number, item in enumerate(value)]

    return read


def object_of(readers: Mapping[str, Reader], needed: Sequence[str] = ()) -> Reader:
    """Return a reader of objects: see ``RequestReading.fields``."""

    def read(reading: RequestReading, value: Any, place: str) -> dict[str, Any]:
        return reading.fields(value, place, readers, needed)

    return read


def text_or(plain: Reader, other: Reader) -> Reader:
    """Return a reader that reads strings by one reader, and anything else by another."""

    def read(reading: RequestReading, value: Any, place: str) -> Any:
        return (plain if isinstance(value, str) else other)(reading, value, place)

    return read


def number(low: float, high: float) -> Reader:
    """Return a reader of numbers between two, both allowed."""

    def reader(reading: RequestReading, value: Any, place: str) -> float:
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if not plain or not low <= value <= high:  # which no infinity and no NaN is
            refuse(place, f"a number from {low:g} to {high:g}")
        return value

    return reader


def count(low: int = 0, high: int = _LARGEST) -> Reader:
    """Return a reader of whole numbers between two, both allowed."""

    def reader(reading: RequestReading, value: Any, place: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            refuse(place, f"a whole number from {low} to {high}")
        return value

    return reader


def flag(reading: RequestReading, value: Any, place: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        refuse(place, "true or false", code="invalid_type")
    return value


def one_of(*names: str) -> Reader:
    """Return a reader of words that the API knows."""

    def reader(reading: RequestReading, value: Any, place: str) -> str:
        if value not in names:
            refuse(place, " or ".join(names))
        return value

    return reader


def matching(form: re.Pattern[str], wanted: str) -> Reader:
    """Return a reader of words of a known form, which say nothing about anybody."""

    def reader(reading: RequestReading, value: Any, place: str) -> str:
        if not isinstance(value, str) or not form.fullmatch(value):
            refuse(place, wanted)
        return value

    return reader


model_name = matching(MODEL, "the name of a model: up to 128 letters, digits and ._:/@+-")
name = matching(NAME, "a name: up to 128 letters, digits, underscores, points and hyphens")


def text(reading: RequestReading, value: Any, place: str) -> JsonSlots | Slot | str:
    """Read a text; of JSON that hides characters its leaves are released, unless escapes are read."""
    if not reading.escapes and isinstance(value, str) and "\\u" in value:
        return reading.json_text(value, place, "text")
    return reading.text(value, place)


def handle(reading: RequestReading, value: Any, place: str) -> str:
    """Read an identifier that ties two parts of a request; one that the upstream did not give is replaced."""
    if not isinstance(value, str) or not value:
        refuse(place, "a string", code="invalid_type")
    return reading.memory.handle(value)


def _is_mark(character: str) -> bool:
    # Symbols are none: words can be spelled with them.
    return character.isspace() or character in string.punctuation or unicodedata.category(character)[0] in "PZ"


def stops(reading: RequestReading, value: Any, place: str) -> Any:
    """Read where the upstream stops: marks and white space go on, texts are released."""
    if isinstance(value, str):
        return value if all(_is_mark(character) for character in value) else reading.text(value, place, "stop")
    return list_of(stops)(reading, value, place) if value else None
