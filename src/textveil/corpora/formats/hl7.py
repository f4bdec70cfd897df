r"""HL7 v2 messages: by segments and fields, with the delimiters and escapes that MSH declares.

A field that no rule here names is emptied, a segment that none names (Z segments too) is left out, and so are batch
headers. Source: HL7 v2.5.1, chapters 2 (delimiters, escapes), 3 (ADT), 4 and 7 (orders, observations).
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Final, NamedTuple

from textveil.corpora.formats import records as base
from textveil.corpora.formats.fhir import SYSTEMS, UNITS
from textveil.corpora.formats.fields import (
    BORN,
    DATE,
    KINDS,
    PHONE,
    PLACE,
    Slots,
    Written,
    digest_of,
    joined,
    records_of,
)
from textveil.corpora.formats.text_lines import BOM, pieces

_BEGIN: Final = re.compile(rb"(?:\A|(?<=[\r\n\x1c\x0b]))MSH(?=[^A-Za-z0-9\s])")
_ENDS: Final = re.compile(r"[\r\n\x0b\x1c]+")
_STAMP: Final = re.compile(r"(\d{4})(\d\d)?(\d\d)?(?:(\d\d)(\d\d)(\d\d(?:\.\d{1,4})?)?)?([+-]\d{4})?")
_ESCAPE_HEX: Final = re.compile(r"X((?:[0-9A-Fa-f]{2}){1,200})")
_SYSTEMS: Final[Mapping[str, str]] = {
    "LN": SYSTEMS["http://loinc.org"],
    "SCT": SYSTEMS["http://snomed.info/sct"],
    "I10": SYSTEMS["http://hl7.org/fhir/sid/icd-10"],
    "I10C": SYSTEMS["http://hl7.org/fhir/sid/icd-10-cm"],
    "I9C": SYSTEMS["http://hl7.org/fhir/sid/icd-9-cm"],
    "RXNORM": SYSTEMS["http://www.nlm.nih.gov/research/umls/rxnorm"],
    "CVX": SYSTEMS["http://hl7.org/fhir/sid/cvx"],
    "C4": SYSTEMS["http://www.ama-assn.org/go/cpt"],
}
"""Forms of the codes of public systems, by the names that HL7 v2 has for them."""
_TEXTS: Final = ("ST", "TX", "FT")


class _Delimiters(NamedTuple):
    field: str
    component: str
    repetition: str
    escape: str
    sub: str

    @classmethod
    def of(cls, message: str) -> "_Delimiters | None":
        """Return those that a message declares; None if they cannot be told apart."""
        field, declared = message[3:4], message[4:].split(message[3:4], 1)[0]
        marks = (field + declared)[:5]
        plain = all(33 <= ord(mark) < 127 and not mark.isalnum() for mark in field + declared)
        return cls(*marks) if plain and len(declared) in (4, 5) and len(set(field + declared)) > len(declared) else None

    def read(self, text: str) -> str:
        """Return a text without escapes; formatting is left out, a line break is one."""
        parts = text.split(self.escape)
        read = [parts[0]]
        for place in range(1, len(parts), 2):
            code = parts[place]
            read.append(self._meant(code) + (parts[place + 1] if place + 1 < len(parts) else ""))
        return "".join(read)

    def _meant(self, code: str) -> str:
        known = {"F": self.field, "S": self.component, "T": self.sub, "R": self.repetition, "E": self.escape}
        if code in known:
            return known[code]
        if found := _ESCAPE_HEX.fullmatch(code):
            data = bytes.fromhex(found[1])
            try:
                return data.decode("utf-8")
            except UnicodeDecodeError:
                return data.decode("latin-1")
        return "\n" if code.startswith((".br", ".sp", ".ce")) else ""

    def write(self, text: str) -> str:
        marks = {mark: f"{self.escape}{letter}{self.escape}" for mark, letter in zip(self, "FSRET", strict=True)}
        marks |= {"\n": f"{self.escape}.br{self.escape}", "\r": ""}
        return "".join(marks.get(letter, letter) for letter in text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hl7(base.LimitedText):
    """Messages, each of which begins with MSH; framing of MLLP is taken off."""

    choice: ClassVar[None] = None
    unit: ClassVar[str] = "message"
    kinds: ClassVar[frozenset[str]] = KINDS
    public: ClassVar[tuple[str, ...]] = (
        "of each message: its type and delimiters, its segments of known names, which of their fields have a value "
        "that is drawn, numbers of up to five digits, units, flags, code words of HL7, codes of public code systems and offsets from UTC",
        "which ids are equal, and which values of one patient are",
    )

    def cut(self, stream: BinaryIO, size: int) -> Iterator[base.Cut]:
        held, first = b"", 1
        for piece in pieces(base.recoded(stream, self.encoding), size):
            held += piece
            starts = [match.start() for match in _BEGIN.finditer(held)]
            if len(starts) > 1:
                yield base.Cut(held[: starts[-1]], first, len(starts) - 1)
                held, first = held[starts[-1] :], first + len(starts) - 1
            if len(held) > self.max_document_bytes + size:
                yield base.Cut(b"", first, 0, base.too_large(f"message {first}", self.max_document_bytes))
                return
        if held.strip(b"\r\n\x0b\x1c\t "):
            yield base.Cut(held, first, max(len(_BEGIN.findall(held)), 1))

    def records(self, payload: bytes, first: int) -> base.Records:
        starts = [match.start() for match in _BEGIN.finditer(payload)] or [0]
        read: list[tuple[int, Slots, Written]] = []
        faults, patients = list[base.RecordError](), list[str | None]()
        for place, start in enumerate(starts):
            data = payload[start : starts[place + 1] if place + 1 < len(starts) else len(payload)].removeprefix(BOM)
            try:
                text = data.decode("utf-8")
            except UnicodeDecodeError:
                faults.append(
                    base.RecordError(first + place, f"message {first + place} must be UTF-8. Give `encoding`.")
                )
                continue
            marks = _Delimiters.of(text)
            if not text.startswith("MSH") or marks is None:
                reason = f"message {first + place} must begin with MSH and delimiters that can be told apart."
                faults.append(base.RecordError(first + place, reason))
                continue
            message = _Message(text, marks, digest_of(data))
            read.append((first + place, message.slots, message.write))
            patients.append(message.patient)
        return records_of(read, faults, patients)


class _Message:
    """One message: slots for what is drawn or searched, and what writes it."""

    def __init__(self, text: str, marks: _Delimiters, digest: str) -> None:
        self._marks, self._type = marks, ""
        segments = [line.split(marks.field) for line in _ENDS.split(text) if line.strip()]
        self.patient = next(filter(None, (self._patient(fields) for fields in segments)), None)
        self.slots = Slots(self.patient or digest)
        self._end = "\r" if "\r" in text and "\n" not in text else "\n"
        lines = [self._segment(fields) for fields in segments if fields[0] in RULES]
        self._line = joined([piece for line in lines for piece in (line, self._end)])

    def write(self, released: object) -> bytes:
        return str(self._line(released)).encode("utf-8", "backslashreplace")  # type: ignore[arg-type]

    def _patient(self, fields: list[str]) -> str | None:
        if fields[0] != "PID" or len(fields) < 4:
            return None
        first = fields[3].split(self._marks.repetition)[0].split(self._marks.component)[0]
        return f"patient {self._marks.read(first)}" if first.strip() else None

    def _segment(self, fields: list[str]) -> Written:
        name, marks = fields[0], self._marks
        rules = RULES[name]
        if name == "OBX":
            self._type = fields[2] if len(fields) > 2 else ""
        head = name
        if name == "MSH":  # whose first field is the delimiter itself
            head, fields = f"MSH{marks.field}{''.join(marks[1:])}", ["", "", "", *fields[2:]]
        made = [self._field(rules.get(number), value) for number, value in enumerate(fields) if number > 0]
        if name == "MSH":
            made = made[2:]
        return joined([head, *(piece for value in made for piece in (marks.field, value))])

    def _field(self, rule: "_Rule | None", value: str) -> Written | str:
        if rule is None or not value or value == '""':
            return value if value == '""' and rule is not None else ""
        written = [rule(self, repeated) for repeated in value.split(self._marks.repetition)]
        between = self._marks.repetition
        return joined([piece for each in written for piece in (each, between)][:-1])

    def components(self, value: str) -> list[str]:
        """Return the components of a value, read; sub-components are parts of one."""
        marks = self._marks
        return [marks.read(part.replace(marks.sub, " ")).strip() for part in value.split(marks.component)]

    def put(self, made: Written | str) -> Written | str:
        return self._marks.write(made) if isinstance(made, str) else lambda released: self._marks.write(made(released))

    def together(self, values: list[Written | str]) -> Written:
        return joined([piece for value in values for piece in (self.put(value), self._marks.component)][:-1])

    def observed(self, value: str) -> Written | str:
        """Return a value of OBX-5, by the type that OBX-2 says."""
        rule = {"NM": _number, "SN": _number, "CE": _code, "CWE": _code, "DT": _stamp, "TS": _stamp, "DTM": _stamp}
        if self._type in _TEXTS:
            return _free(self, value)
        return rule[self._type](self, value) if self._type in rule else ""


_Rule = Callable[[_Message, str], Written | str]


def _like(pattern: str) -> _Rule:
    """Keep a value of this form; another is left out."""
    form = re.compile(pattern)
    return lambda message, value: value if form.fullmatch(value) else ""


def _kinds(kind: str) -> _Rule:
    def rule(message: _Message, value: str) -> Written:
        return message.together([message.slots.drawn(part, kind) for part in message.components(value)])

    return rule


def _person(message: _Message, value: str) -> Written:
    """Draw a name: family, given, further given names; titles and all behind are left out."""
    family, *given = [*message.components(value), ""][:3]
    given = [part for part in given if part]
    made = message.slots.person([*given, *([family] if family else [])]) if given or family else []
    return message.together([made[-1] if family else "", *made[: len(given)]])


def _clinician(message: _Message, value: str) -> Written:
    """Draw an id and the name behind it."""
    identity, _, name = value.partition(message._marks.component)
    return (
        message.together([_identity_of(message, identity), ""])
        if not name
        else joined([message.put(_identity_of(message, identity)), message._marks.component, _person(message, name)])
    )


def _identity_of(message: _Message, value: str) -> Written | str:
    if not (read := message.components(value)[0]):
        return ""
    if len(read) > 4:
        message.slots.known.append((read, "id"))
    return message.slots.identity(f"id {read}")


def _id(message: _Message, value: str) -> Written | str:
    """Draw an id, everywhere the same; check digit and authority are left out."""
    return message.put(_identity_of(message, value))


def _stamp_with(before: str) -> _Rule:
    def rule(message: _Message, value: str) -> Written | str:
        if (found := _STAMP.fullmatch(message.components(value)[0])) is None:
            return ""
        day = "-".join(part for part in found.group(1, 2, 3) if part)
        made = message.slots.drawn(day, DATE, before)
        digits = [lambda released: made(released).replace("-", "")]
        if found[4] is None:
            return digits[0]
        clock = message.slots.clock(f"{found[4]}:{found[5]}")
        return joined(
            [
                *digits,
                lambda released: clock(released).replace(":", ""),
                re.sub(r"\d", "0", found[6] or ""),
                found[7] or "",
            ]
        )

    return rule


_stamp = _stamp_with("")


def _free(message: _Message, value: str) -> Written | str:
    """Search a free text; its components are one text."""
    text = message._marks.read(value.replace(message._marks.component, " ").replace(message._marks.sub, " "))
    return message.put(message.slots.searched(text)) if text.strip() else ""


def _code(message: _Message, value: str) -> Written | str:
    """Keep a code of a public system; its text is left out."""
    code, _, system = [*message.components(value), "", ""][:3]
    pattern = _SYSTEMS.get(system)
    return message.together([code, "", system]) if pattern and re.fullmatch(pattern, code) else ""


_number: Final = _like(r"[<>=]{0,2}\^?-?\d{1,5}(?:\.\d{1,5})?")
_set: Final = _like(r"\d{1,4}")
_phone, _place = _kinds(PHONE), _kinds(PLACE)


def _unit(message: _Message, value: str) -> Written | str:
    unit = message.components(value)[0]
    return message.put(unit) if unit in UNITS else ""


_ORDER: Final[dict[int, _Rule]] = {1: _like(r"NW|OK|CA|DC|SC|RE|XO|SN|\d{1,4}"), 2: _id, 3: _id}
RULES: Final[Mapping[str, Mapping[int, _Rule]]] = {
    "MSH": {
        7: _stamp, 9: _like(r"[A-Z]{3}(?:.[A-Z]\d\d)?(?:.[A-Z]{3}_[A-Z]\d\d)?"), 10: _id, 11: _like("[DPT]"),
        12: _like(r"2(?:\.\d){1,2}"),
    },
    "EVN": {1: _like(r"[A-Z]\d\d"), 2: _stamp, 6: _stamp},
    "PID": {
        1: _set, 2: _id, 3: _id, 4: _id, 5: _person, 6: _person, 7: _stamp_with(BORN), 8: _like("[FMOUAN]"), 9: _person,
        11: _place, 13: _phone, 14: _phone, 18: _id, 19: _id, 29: _stamp, 30: _like("[YN]"),
    },
    "MRG": {1: _id, 2: _id, 3: _id, 4: _id, 5: _id, 6: _id, 7: _person},
    "NK1": {1: _set, 2: _person, 4: _place, 5: _phone, 6: _phone},
    "PV1": {
        1: _set, 2: _like("[EIOPRBCNU]"), 7: _clinician, 8: _clinician, 9: _clinician, 17: _clinician, 19: _id,
        44: _stamp, 45: _stamp, 52: _clinician,
    },
    "PV2": {3: _code},
    "GT1": {1: _set, 3: _person, 5: _place, 6: _phone, 8: _stamp_with(BORN)},
    "IN1": {1: _set, 16: _person, 18: _stamp_with(BORN), 19: _place, 36: _id, 49: _id},
    "AL1": {1: _set, 3: _code, 5: _free, 6: _stamp},
    "DG1": {1: _set, 3: _code, 4: _free, 5: _stamp, 6: _like("[AWF]"), 16: _clinician},
    "PR1": {1: _set, 3: _code, 5: _stamp, 11: _clinician},
    "ORC": {**_ORDER, 9: _stamp, 10: _clinician, 12: _clinician, 15: _stamp},
    "OBR": {
        **_ORDER, 4: _code, 6: _stamp, 7: _stamp, 8: _stamp, 14: _stamp, 16: _clinician, 22: _stamp,
        25: _like("[OISAPCRFXYZ]"), 28: _clinician, 32: _clinician,
    },
    "OBX": {
        1: _set, 2: _like("NM|SN|ST|TX|FT|CE|CWE|DT|TS|DTM"), 3: _code, 5: _Message.observed, 6: _unit,
        7: _like(r"[<>=]{0,2}[\d.]{1,8}(?: ?- ?[\d.]{1,8})?"), 8: _like("[HLNA]{1,2}"), 11: _like("[CDFINOPRSUWX]"),
        14: _stamp, 16: _clinician,
    },
    "NTE": {1: _set, 2: _like("[LPO]"), 3: _free},
    "TXA": {1: _set, 4: _stamp, 5: _clinician, 9: _clinician, 12: _id},
}  # fmt: skip
"""The treatment of each field of each segment, by its number."""
