"""Detectors by name, as policies and the command line write them; those of numbers and of tokens; what adapters share.

Third parties add one by an entry point in the group ``textveil.detectors``: a function or class that makes it, called
without arguments, or with the folder that stands behind a colon.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, cast

from textveil.detection.kinds import OWN, checked_kind, plain_label
from textveil.detection.spans import CombinedDetector, DetectedSpan, Detector, covering
from textveil.errors import InputError, ModelError, ParameterError, TextveilError, need
from textveil.registry.table import Table
from textveil.text.numbers import marked_numerals
from textveil.text.patterns import lazy_regex, matches
from textveil.text.tokens import Kind, tokenize

ENTRY_POINT_GROUP: Final = "textveil.detectors"


class DetectorEntry(NamedTuple):
    """The name of a detector, and what makes it: of nothing, or of the folder of a model."""

    name: str
    make: Callable[..., Any]

    def detector(self, folder: str) -> Detector:
        """Return the detector, with the folder that stands behind the name.

        Raises:
            ParameterError: the folder is missing, or given although it takes none; or what is made is no detector.
        """
        try:
            parameters = inspect.signature(self.make).parameters.values()
        except ValueError:  # of a builtin, which says nothing
            parameters = ()  # type: ignore[assignment]
        places = [parameter for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
        if places and places[0].default is inspect.Parameter.empty:
            hint = "Name the folder of a model on this machine."
            need(bool(folder), "detector", self.name, f"{self.name}:FOLDER", hint)
        need(bool(places) or not folder, "detector", f"{self.name} with a folder", f"{self.name} alone")
        detector = self.make(folder) if folder else self.make()
        if not isinstance(detector, Detector):
            raise ParameterError(f"entry point {self.name} must make a detector; got {type(detector).__name__}.")
        return detector


DETECTORS: Final[Table[DetectorEntry]] = Table(
    "detector",
    ENTRY_POINT_GROUP,
    {
        "embedded": "textveil.detection.embedded:embedded_detector",
        "numbers": "textveil.detection.detectors:NumberDetector",
        "presidio": "textveil.detection.presidio:presidio_detector",
        "spacy": "textveil.detection.spacy:spacy_detector",
        "transformers": "textveil.detection.transformers:transformers_detector",
        "gliner": "textveil.detection.gliner:gliner_detector",
    },
    lambda name, make: DetectorEntry(name, make) if callable(make) else None,
    "a function or class that makes a detector",
)
"""textveil's own; the folder of a model follows the name of some: "spacy:models/en_core_web_sm"."""

DEFAULT: Final = ("embedded", "numbers")
"""Names of the detectors that ``tv.detect`` and ``textveil detect`` use."""

_WANTED: Final = "names of detectors, or objects with `detect`"


def detector_of(name: str) -> Detector:
    """Return the detector of a name, made with its defaults.

    Args:
        name: one of ``DETECTORS``, or one that an installed package adds; of spacy, transformers and gliner with a
            colon and the folder of a model.

    Raises:
        UnknownNameError: there is none of that name.
        ParameterError: the folder is missing, or given if there is none; or a package adds what is no detector.
        MissingExtra: its package is not installed.
    """
    written, _, folder = name.partition(":")
    return DETECTORS.find(written).detector(folder)


def detect(
    text: str, detectors: str | Detector | Sequence[str | Detector] = DEFAULT, *, min_score: float = 0.0
) -> list[DetectedSpan]:
    """Return detectors' spans of a text: ``start``, ``end``, ``kind``, ``score``, by start, none overlapping.

    What is found is no guarantee: recall is measured, never proved.

    Args:
        text: any string.
        detectors: names (``DETECTORS``) or objects, by rank where spans of one length overlap.
        min_score: spans with a lower score are left out, from 0 to 1; 0.35 leaves out guesses without evidence.

    Raises:
        ParameterError: an unknown detector, or none at all; a score that no span has.
        InputError: a detector's answer is not one of spans of the text.
    """
    need(isinstance(text, str), "text", type(text).__name__, "one string", "Call it once for each text.")
    single = isinstance(detectors, str | Detector)
    need(single or isinstance(detectors, Iterable), "detectors", type(detectors).__name__, _WANTED)
    given = [cast(str | Detector, detectors)] if single else list(cast(Iterable[str | Detector], detectors))
    need(bool(given), "detectors", "none", "at least one")
    return combined(given, min_score).detect([text])[0]


def combined(detectors: Sequence[str | Detector], min_score: float = 0.0) -> CombinedDetector:
    """Return several detectors by rank as one; spans with a score below ``min_score`` count as not found.

    Raises:
        ParameterError: an unknown detector, or an object that is none; a score that no span has.
    """
    for detector in detectors:
        need(isinstance(detector, str | Detector), "detectors", f"one of type {type(detector).__name__}", _WANTED)
    return CombinedDetector(
        [detector_of(detector) if isinstance(detector, str) else detector for detector in detectors], min_score
    )


TOKEN_SPANS: Final = MappingProxyType({"emoji": Kind.EMOJI, "symbol": Kind.SYMBOL, "script": Kind.SCRIPT})
"""Kinds of spans that are kinds of tokens: emoji in a row, other symbols, and words of other writings."""
_HAS_OTHERS: Final = re.compile(r"[^\t-\r\x20-\x7e]").search
"""Most texts have nothing that could be one: of ASCII only control characters are symbols."""


class TokenKindDetector:
    """Finds every token of some kinds of ``TOKEN_SPANS``, by default all, as ``text.tokens`` reads them."""

    def __init__(self, kinds: Sequence[str] | None = None) -> None:
        wanted = tuple(TOKEN_SPANS if kinds is None else kinds)
        for kind in wanted:
            need(kind in TOKEN_SPANS, "kinds", repr(kind)[:40], f"among {', '.join(TOKEN_SPANS)}")
        self.name = "tokens"
        self.kinds = wanted
        self._names = {TOKEN_SPANS[kind]: kind for kind in wanted}

    def __reduce__(self) -> tuple[type[TokenKindDetector], tuple[tuple[str, ...]]]:
        return type(self), (self.kinds,)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        return [self._found(text) if _HAS_OTHERS(text) else [] for text in texts]

    def _found(self, text: str) -> list[DetectedSpan]:
        names = self._names
        return [
            DetectedSpan(start, end, names[kind], 1.0, self.name)
            for start, end, kind in tokenize(text)
            if kind in names
        ]


_NUMBERS: Final = lazy_regex(r"\d+(?:[.,]\d+)*")


class NumberDetector:
    """Finds runs of digits and numerals of any writing but letters, with '.' and ',' between them."""

    name = "numbers"
    kinds = ("number",)

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        return [list(self._found(text)) for text in texts]

    def _found(self, text: str) -> Iterator[DetectedSpan]:
        for match in matches(_NUMBERS, marked_numerals(text)):
            yield DetectedSpan(*match.span(), "number", 1.0, self.name)


_SHOWN: Final = 12  # hexadecimal digits of a digest that stand in a detector's name

SHARED: Final = 200
"""Characters that a piece of a long text shares with the one before it, and up to twice as many."""

_LONE: Final = lazy_regex("[\ud800-\udfff]")


def encodable(text: str) -> str:
    """``text`` with U+FFFD for each half of a surrogate pair: they have no UTF-8, and positions stay what they are."""
    return _LONE.sub("\ufffd", text)


def pieces(text: str, most: int) -> Iterator[tuple[int, str]]:
    """Yield places and pieces of a text, of ``most`` characters at the longest, each with the end of the one before it.

    Foreign detectors take time or memory that grows faster than a text, and some refuse long ones. Pieces begin and end
    at white space if there is some; a span of up to ``SHARED`` characters stands whole in one of them.
    """
    start = 0
    while len(text) - start > most:
        window = text[start : start + most]
        end = 1 + max((window.rfind(space, most // 2) for space in "\n "), default=-1) or most
        yield start, window[:end]
        start += end - SHARED
        # Not in the middle of a word, if the word began shortly before.
        start = 1 + max(text.rfind(space, start - SHARED, start) for space in "\n ") or start
    yield start, text[start:]


def by_pieces(
    name: str, texts: Sequence[str], most: int, find: Callable[[list[str]], Iterable[Iterable[DetectedSpan]]]
) -> list[list[DetectedSpan]]:
    """Return what a foreign package finds in texts that it gets in pieces of ``most`` characters, without overlaps.

    Raises:
        InputError: the package failed; its own message is not repeated, for some quote the text.
    """
    whole = [encodable(text) for text in texts]
    cut = [(number, start, piece) for number, text in enumerate(whole) for start, piece in pieces(text, most)]
    detected: list[list[DetectedSpan]] = [[] for _ in texts]
    try:
        for (number, start, _), spans in zip(cut, find([piece for *_, piece in cut]), strict=True):
            detected[number] += [span._replace(start=span.start + start, end=span.end + start) for span in spans]
    except TextveilError:
        raise
    except Exception as error:  # whatever a foreign package makes of a text
        raise InputError(
            f"detector {name} must read {len(texts)} documents; got {type(error).__name__} from its package. Leave out "
            "one after the other to see which it is."
        ) from None
    return [covering(text, spans) for text, spans in zip(whole, detected, strict=True)]


def folder_name(folder: Path | str) -> str:
    """Return a model's folder by name and digest, ``ner@0123456789ab``; raise ModelError if there is no such folder."""
    where = Path(folder)
    if not where.is_dir():
        raise ModelError(
            f"a model must be a folder on this machine; got none named {where.name}. Nothing is ever downloaded: save "
            "the model in a folder first."
        )
    total = hashlib.sha256()
    for path in sorted(where.rglob("*")):
        if path.is_file():
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            total.update(f"{path.relative_to(where).as_posix()} {digest}\n".encode())
    return f"{where.resolve().name}@{total.hexdigest()[:_SHOWN]}"


_LEFT_OUT: Final = "EVENT PRODUCT WORK_OF_ART LAW LANGUAGE MISC MISCELLANEOUS CREATIVE_WORK"
"""Labels whose spans are left out unless a user gives them a kind: none of textveil's fits, and no surrogate replaces
them."""
KINDS_OF_LABELS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{plain_label(label): kind.name for kind in OWN for label in kind.labels.split()},
        **{plain_label(label): "" for label in _LEFT_OUT.split()},
    }
)
"""Kinds by label, in small letters without marks; empty for what is left out."""


def kind_of_label(label: str) -> str | None:
    """Return the kind that a label means; empty if it is left out, None if it is not known."""
    return KINDS_OF_LABELS.get(plain_label(label))


def kinds_of_labels(
    labels: Iterable[str], own: Mapping[str, str | None] | None = None, detector: str = "the model"
) -> dict[str, str]:
    """Return the kind of each label of a detector; ``own`` goes before the table, and None in it leaves a label out.

    Raises ParameterError: a label has no kind, ``own`` names one that the detector does not have, or a kind is no name.
    """
    own = own or {}
    known = {plain_label(label): label for label in labels}
    chosen = {plain_label(label): None if kind is None else checked_kind(kind) for label, kind in own.items()}
    if strange := sorted(label for label in own if plain_label(label) not in known):
        raise ParameterError(
            f"labels must name what {detector} finds; got {', '.join(strange)}. It finds: "
            f"{', '.join(sorted(known.values())) or 'nothing'}."
        )
    kinds: dict[str, str] = {}
    unknown = []
    for plain, label in known.items():
        kind = chosen[plain] if plain in chosen else KINDS_OF_LABELS.get(plain)
        if kind is None and plain not in chosen:
            unknown.append(label)
        elif kind:
            kinds[label] = kind
    if unknown:
        raise ParameterError(
            f"labels must give a kind to everything that {detector} finds; got none for {', '.join(sorted(unknown))}. "
            "Name one, as in labels={'" + min(unknown) + "': 'id'}, or None to leave its spans in the text as they are."
        )
    return kinds
