"""Presidio's anonymizer: textveil's surrogates as its operators, and every text back as it was.

veil = Veil(policy("identifiers"))
result = veil.anonymize(text, analyzer.analyze(text, "en"))
assert veil.deanonymize(result.text) == text

Beside Presidio's own operators in one engine: ``anonymizer_engine`` with ``Veil.prepared`` and ``Veil.operators``,
``deanonymizer_engine`` with ``Veil.restorers``.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from textveil.cuts import between
from textveil.detection.detectors import kinds_of_labels
from textveil.detection.presidio import EXTRA, load_analyzer
from textveil.detection.spans import DetectedSpan, checked_spans, covering
from textveil.errors import MissingExtra, ParameterError, need
from textveil.randomness import resolve
from textveil.sanitize.by_policy import BEFORE, check_outside, draw_mentions, paying_draws, protected
from textveil.sanitize.policy.choice import policy as policy_named
from textveil.sanitize.policy.making import parts_of
from textveil.sanitize.policy.policy import Policy, ScopeName
from textveil.sanitize.ways import joined
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.restoring import restore
from textveil.surrogates.scopes import KEY_BYTES, KeyedScope, KindScope, MemoryScope, Scope
from textveil.surrogates.surrogate import Mention, Surrogate

with MissingExtra("presidio-anonymizer", EXTRA):
    from presidio_anonymizer import AnonymizerEngine, DeanonymizeEngine
    from presidio_anonymizer.entities import EngineResult, OperatorConfig, OperatorResult
    from presidio_anonymizer.operators import Operator, OperatorType

ANONYMIZE: Final = "textveil"  # the operator's name in an ``OperatorConfig``
RESTORE: Final = "textveil_restore"
_VEIL: Final = "veil"


class Veil:
    """The surrogates of one text, or of the texts of one scope, for Presidio's engines; holds private text.

    Values of an entity type are drawn by the policy's surrogate for its kind; if the policy has no rule for it, a
    placeholder stands there. One value has one surrogate if the policy says so. What it costs, and what stays
    public, is in ``costs``: it covers the drawing, never what was found.

    Args:
        policy: its rules for spans are used; a name or a file, or an object.
        labels: kinds by entity types, before the table of ``detection.detectors``; None leaves values as they are.
        scope: shared by the veils of texts in which one value has one surrogate; None is one of its own.
        key: of a policy whose scope is a corpus, and only there: 32 secret bytes, under which every veil gives a value
            the same surrogate. In its place ``scope`` may be a ``KeyedScope``.
        rng: None is the operating system's randomness; anything else is for experiments.

    Raises:
        ParameterError: the policy cannot be made; or its scope is a corpus, and there is no key.
    """

    def __init__(
        self,
        policy: str | Policy = "identifiers",
        *,
        labels: Mapping[str, str | None] | None = None,
        scope: Scope | None = None,
        key: bytes | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        self._policy = policy if isinstance(policy, Policy) else policy_named(policy)
        parts = parts_of(self._policy, found_elsewhere=True)
        self._surrogates: dict[str, Surrogate] = dict(parts.surrogates)
        self._kept = parts.kept
        self._labels = dict(labels or {})
        self._kinds: dict[str, str | None] = {}
        self._scopes = parts.scopes
        self._scope = _scope_of(self._policy, scope, key)
        self._rng = rng
        self._maps: list[PrivateMap] = []
        self._originals: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._waiting: dict[tuple[str, str], deque[str]] = defaultdict(deque)
        self._restored: Counter[tuple[str, str]] = Counter()
        self._drawn: dict[str, list[str]] = {}

    def __repr__(self) -> str:
        return f"Veil({self._policy.name}, {sum(map(len, self._drawn.values()))} values)"

    def anonymize(self, text: str, analyzer_results: Iterable[Any]) -> EngineResult:
        """Draw a surrogate for each result; overlapping results are resolved first, and nothing of them stays.

        Returns:
            What ``AnonymizerEngine.anonymize`` returns.

        Raises InputError: a result lies outside the text (named by its number); ParameterError: an entity type has no
        kind; InternalError: the last gate refuses the release (``sanitize.by_policy``).
        """
        spans = disjoint_spans(text, analyzer_results)
        values = [text[span.start : span.end] for span in spans]
        drawn = self._values(text, spans)
        released, places = joined(between(text, spans), drawn)
        check_outside(text, spans, released, places, normalized=False)
        items, pieces = [], []
        for (start, end), span, value, surrogate in zip(places, spans, values, drawn, strict=True):
            items.append(OperatorResult(start, end, span.kind, surrogate, ANONYMIZE, span.score))
            pieces.append(Replaced(start, end, value, self._kind(span.kind) or ""))
        self._maps.append(PrivateMap(released=released, replaced=tuple(pieces)))
        # Presidio's engines go through a text from its end.
        for span, value, surrogate in reversed(list(zip(spans, values, drawn, strict=True))):
            self._originals[span.kind, surrogate].append(value)
        return EngineResult(text=released, items=items[::-1])

    def deanonymize(self, text: str) -> str:
        """Put the originals back: into what ``anonymize`` released, character for character, and into answers to it.

        See ``tv.restore`` for what is done with other texts than releases.
        """
        for private_map in self._maps:
            if private_map.released == text:
                return private_map.original()
        return restore(text, self._maps)

    @property
    def private_maps(self) -> tuple[PrivateMap, ...]:
        """The private maps of all texts that ``anonymize`` released, for ``tv.restore``."""
        return tuple(self._maps)

    @property
    def costs(self) -> dict[str, dict[str, Any]]:
        """For each kind drawn so far, JSON data: the surrogate, its guarantee, and what is public.

        ``draws`` is how many draws pay the guarantee's epsilon; ``pays`` says what pays once: a mention, a value or a
        scope, as in reports (docs/guarantees.md); ``mentions`` is how many values were replaced.
        """
        return {
            kind: self._cost(kind, surrogate, self._drawn[kind])
            for kind, surrogate in self._surrogates.items()
            if kind in self._drawn
        }

    def _cost(self, kind: str, surrogate: Surrogate, values: list[str]) -> dict[str, Any]:
        within = self._within(kind)
        part, paying = protected(kind, surrogate, within), paying_draws(surrogate, values, within)
        return {
            "surrogate": surrogate.name,
            "parameters": dict(surrogate.parameters),
            "guarantee": part.guarantee.to_data(),
            "public": list(part.public),
            "pays": part.pays,
            "draws": len(values) if paying is None else paying,
            "mentions": len(values),
        }

    def operators(self) -> dict[str, OperatorConfig]:
        """Return, for ``AnonymizerEngine.anonymize`` of what ``prepared`` returns, this veil for every entity type."""
        return {"DEFAULT": OperatorConfig(ANONYMIZE, {_VEIL: self})}

    def restorers(self) -> dict[str, OperatorConfig]:
        """For ``DeanonymizeEngine.deanonymize``: this veil for the entity types that it drew; all else stays."""
        types = sorted({entity_type for entity_type, _ in self._originals})
        return {
            "DEFAULT": OperatorConfig("deanonymize_keep"),
            **{entity_type: OperatorConfig(RESTORE, {_VEIL: self}) for entity_type in types},
        }

    def prepared(self, text: str, analyzer_results: Iterable[Any]) -> list[Any]:
        """Results that share no character (``disjoint_results``), for each of which a surrogate waits.

        Presidio hands its operators one value after the other, from the end of a text, and nothing of what stands
        around: surrogates of names agree better when they are drawn for all of a text together. Raises InputError,
        ParameterError: as ``anonymize``.
        """
        spans = disjoint_spans(text, analyzer_results)
        for span, drawn in reversed(list(zip(spans, self._values(text, spans), strict=True))):
            self._waiting[span.kind, text[span.start : span.end]].append(drawn)
        return _results(spans)

    def surrogate(self, entity_type: str, value: str) -> str:
        """Return a surrogate for one value of one entity type: the one that waits for it, else another.

        Raises ParameterError: the entity type has no kind.
        """
        if waiting := self._waiting[entity_type, value]:
            drawn = waiting.popleft()
        else:
            (drawn,) = self._values(value, [DetectedSpan(0, len(value), entity_type, 1.0, "presidio")])
        self._originals[entity_type, drawn].append(value)
        return drawn

    def original(self, entity_type: str, surrogate: str) -> str:
        """Return the value that ``surrogate`` was drawn for.

        If it was drawn for several, they are given in the order in which they were drawn for, over and over. Raises
        ParameterError: the veil never drew it for that entity type.
        """
        key = entity_type, surrogate
        if not (known := self._originals.get(key)):
            raise ParameterError(
                f"veil must have drawn what it restores; got another value of {entity_type}. Restore changed texts by "
                "`veil.deanonymize(text)`."
            )
        self._restored[key] += 1
        return known[(self._restored[key] - 1) % len(known)]

    def _values(self, text: str, spans: Sequence[DetectedSpan]) -> list[str]:
        """Return what is released for each span, in order; the spans' kinds are entity types."""
        kinds = [self._kind(span.kind) for span in spans]
        released = [text[span.start : span.end] for span in spans]
        ends = [0, *(span.end for span in spans)]
        before = [text[max(end, span.start - BEFORE) : span.start] for end, span in zip(ends, spans, strict=False)]
        rng = resolve(self._rng)
        for kind in dict.fromkeys(kinds):
            if kind is None:
                continue
            if kind not in self._surrogates:
                self._surrogates[kind] = make_surrogate("placeholder", options={"text": f"[{kind}]"[:40]})
            places = [place for place, other in enumerate(kinds) if other == kind]
            mentions = [Mention(released[place], before[place]) for place in places]
            self._drawn.setdefault(kind, []).extend(mention.value for mention in mentions)
            own = draw_mentions(self._surrogates[kind], mentions, self._within(kind), KindScope(self._scope, kind), rng)
            for place, value in zip(places, own, strict=True):
                released[place] = value
        return released

    def _within(self, kind: str) -> ScopeName:
        return self._scopes.get(kind, self._policy.scope)

    def _kind(self, entity_type: str) -> str | None:
        if entity_type not in self._kinds:
            own = {label: kind for label, kind in self._labels.items() if label == entity_type}
            kind = kinds_of_labels([entity_type], own, "Presidio").get(entity_type)
            left_out = entity_type in own and own[entity_type] is None
            need(kind is not None or left_out, "labels", f"none for {entity_type}", "given for every entity type")
            self._kinds[entity_type] = None if kind in self._kept else kind
        return self._kinds[entity_type]


def _scope_of(policy: Policy, scope: Scope | None, key: bytes | None) -> Scope:
    if key is not None:
        need(policy.scope == "corpus", "key", "one", "left out where the scope is no corpus")
        need(scope is None, "scope", "one", "left out beside a key")
        need(len(key) == KEY_BYTES, "key", "another length", f"{KEY_BYTES} bytes")
        return KeyedScope(key)
    hint = "Pass key=secrets.token_bytes(32), the same to every veil."
    keyed = policy.scope != "corpus" or isinstance(scope, KeyedScope)
    need(keyed, "key", "none", "given where the scope is a corpus", hint)
    return MemoryScope() if scope is None else scope


class _Results:
    name = "presidio"

    def __init__(self, results: Iterable[Any]) -> None:
        self._results = list(results)
        self.kinds = tuple(dict.fromkeys(str(result.entity_type) for result in self._results))

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        spans = [
            DetectedSpan(result.start, result.end, result.entity_type, result.score, self.name)
            for result in self._results
            if result.start != result.end
        ]
        return [covering(text, spans) for text in texts]


def disjoint_spans(text: str, results: Iterable[Any]) -> list[DetectedSpan]:
    """Results of Presidio's analyzer as spans that share no character; their kinds are the entity types.

    Raises InputError: a result lies outside the text, or has no entity type or score (named by its number).
    """
    return checked_spans(_Results(results), [text])[0]


def disjoint_results(text: str, results: Iterable[Any]) -> list[Any]:
    """Results of Presidio's analyzer that share no character, and of which no letter or digit is lost.

    For any of Presidio's operators: its engine replaces characters of two results twice unless it is told to remove
    intersections, and then a text does not come back as it was. Raises InputError: as ``disjoint_spans``.
    """
    return _results(disjoint_spans(text, results))


def _results(spans: Iterable[DetectedSpan]) -> list[Any]:
    make = load_analyzer().RecognizerResult
    return [make(span.kind, span.start, span.end, float(span.score)) for span in spans]


class _OfVeil(Operator):  # type: ignore[misc]
    NAME = ""
    TYPE = OperatorType.Anonymize

    def validate(self, params: dict[str, Any] | None = None) -> None:
        _veil(params or {})

    def operator_name(self) -> str:
        return self.NAME

    def operator_type(self) -> OperatorType:
        return self.TYPE


class Pseudonymize(_OfVeil):
    """Presidio's operator that draws surrogates: ``OperatorConfig("textveil", {"veil": veil})``."""

    NAME = ANONYMIZE

    def operate(self, text: str = "", params: dict[str, Any] | None = None) -> str:
        given = params or {}
        return _veil(given).surrogate(given["entity_type"], text)


class Restore(_OfVeil):
    """Presidio's operator that puts originals back: ``OperatorConfig("textveil_restore", {"veil": veil})``."""

    NAME = RESTORE
    TYPE = OperatorType.Deanonymize

    def operate(self, text: str = "", params: dict[str, Any] | None = None) -> str:
        """The value that the surrogate ``text`` was drawn for."""
        given = params or {}
        return _veil(given).original(given["entity_type"], text)


def _veil(params: Mapping[str, Any]) -> Veil:
    veil = params.get(_VEIL)
    if not isinstance(veil, Veil):
        raise ParameterError(f"veil must be a Veil; got {type(veil).__name__}. Take `operators=veil.operators()`.")
    return veil


def anonymizer_engine() -> AnonymizerEngine:
    """Presidio's anonymizer with the operator ``textveil`` beside its own."""
    engine = AnonymizerEngine()
    engine.add_anonymizer(Pseudonymize)
    return engine


def deanonymizer_engine() -> DeanonymizeEngine:
    """Presidio's deanonymizer with the operator ``textveil_restore`` beside its own."""
    engine = DeanonymizeEngine()
    engine.add_deanonymizer(Restore)
    return engine
