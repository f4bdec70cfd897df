"""spaCy: a component that releases documents, by the factory `textveil`.

nlp.add_pipe("textveil", config={"policy": "identifiers"})
nlp("Maria has 2 cats.")._.textveil.text

The entry point that tells spaCy of the factory imports this file whenever a pipeline is made, so what the component
needs is imported when one is added.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from textveil.detection.spacy import load_spacy
from textveil.errors import ParameterError, need
from textveil.json_text import json_data

if TYPE_CHECKING:
    from textveil.detection.spans import DetectedSpan
    from textveil.sanitize.policy.policy import Policy
    from textveil.sanitize.release import Release
    from textveil.sanitize.sanitizer import Sanitizer
    from textveil.surrogates.map_file import PrivateMap

spacy: Any = load_spacy()
FACTORY: Final = "textveil"
_KEY: Final = "textveil"
_FILE: Final = "textveil.json"
_ENTITIES: Final = "entities"
_REPORTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class ReleasedDocument:
    """The value of ``doc._.textveil``.

    ``drawn_spans``: start, end and kind in ``text`` of what was drawn for each span, under a policy with spans;
    ``private_map``: how to put the originals back, for ``tv.restore``; private, as the document itself is. None if
    nothing can be undone.
    """

    text: str  # the release: what may be handed over
    report: Mapping[str, Any] = field(repr=False)  # what was spent on what, as JSON data (docs/guarantees.md)
    drawn_spans: tuple[tuple[int, int, str], ...] = field(repr=False)
    private_map: PrivateMap | None = field(repr=False)


def released(doc: Any) -> ReleasedDocument | None:
    """The component's result for a document; None if it did not see it."""
    from textveil.surrogates.map_file import PrivateMap, Replaced

    if (data := doc.user_data.get(_KEY)) is None:
        return None
    pieces = data["replaced"]
    return ReleasedDocument(
        data["text"],
        json_data(data["report"]),
        tuple((start, end, kind) for start, end, kind in data["spans"]),
        None
        if pieces is None
        else PrivateMap(released=data["text"], replaced=tuple(Replaced(*piece) for piece in pieces)),
    )


def _kept(release: Release, reports: dict[Any, str]) -> dict[str, Any]:
    """Return a release as data that spaCy can write: documents travel between processes as bytes.

    ``reports`` has those that were made, by what they count: one takes longer than the release of a short text.
    """
    private = release.private_map
    counts = frozenset(release.kinds.items()), release.mapped
    if counts not in reports:
        if len(reports) >= _REPORTS:
            reports.clear()
        reports[counts] = json.dumps(release.report().to_data())
    return {
        "text": release.text,
        "report": reports[counts],
        "spans": [list(span) for span in release.drawn_spans],
        "replaced": None if private is None else [list(piece) for piece in private.replaced],
    }


if not spacy.tokens.Doc.has_extension(_KEY):
    spacy.tokens.Doc.set_extension(_KEY, getter=released)


class _Entities:
    name = "doc.ents"

    def __init__(self, labels: Mapping[str, str | None]) -> None:
        from textveil.detection.detectors import KINDS_OF_LABELS, kinds_of_labels

        self._labels, self._made = dict(labels), kinds_of_labels
        own = {kind for kind in labels.values() if kind is not None}
        self.kinds = tuple(sorted({*filter(None, KINDS_OF_LABELS.values()), *own}))
        self._documents: Sequence[Any] = ()

    def of(self, documents: Sequence[Any]) -> None:
        """Take these documents for those of the next texts."""
        self._documents = documents

    def detect(self, texts: Sequence[str]) -> list[list[DetectedSpan]]:
        from textveil.detection.spans import DetectedSpan

        entities = [entity for document in self._documents for entity in document.ents]
        present = {entity.label_ for entity in entities}
        labels = {label: kind for label, kind in self._labels.items() if label in present}
        kinds = self._made(present, labels, "the pipeline")
        return [
            [
                DetectedSpan(entity.start_char, entity.end_char, kinds[entity.label_], 1.0, self.name)
                for entity in document.ents
                if entity.label_ in kinds
            ]
            for document in self._documents
        ]


class TextveilComponent(spacy.pipeline.Pipe):  # type: ignore[misc]
    """Releases the text of each document under a policy or by a mechanism; the document itself stays as it is.

    Made by ``nlp.add_pipe("textveil", config=...)``; ``make`` says what a configuration has. A pipeline that is saved
    holds the policy, with the words of its lists, so that it needs no other file; never a key and no private map.
    """

    def __init__(self, name: str, config: Mapping[str, Any]) -> None:
        self.name = name
        self._config = dict(config)
        self._policy: Policy | None = None
        self._sanitizer: Sanitizer | None = None
        self._entities: _Entities | None = None
        self._reports: dict[Any, str] = {}
        wanted = self._config["policy"]
        one_given = (wanted is None) != (self._config["mechanism"] is None)
        need(one_given, "policy", "both, or neither", "given, or `mechanism` in its place")
        if wanted is None:
            need(not self._config[_ENTITIES], _ENTITIES, True, "left out beside a mechanism")
            self._ready()
        elif not _missing(wanted):
            from textveil.sanitize.policy.choice import policy

            self._take(policy(wanted))

    def __call__(self, doc: Any) -> Any:
        (released_doc,) = self.pipe([doc])
        return released_doc

    def pipe(self, stream: Iterable[Any], *, batch_size: int = 128) -> Iterator[Any]:
        """Release documents, ``batch_size`` of them together."""
        for documents in spacy.util.minibatch(stream, batch_size):
            try:
                self._release(documents)
            except Exception as error:
                self.get_error_handler()(self.name, self, documents, error)
            yield from documents

    def _release(self, documents: Sequence[Any]) -> None:
        sanitizer = self._ready()
        if self._entities is not None:
            self._entities.of(documents)
        releases = sanitizer.batch([document.text for document in documents], spans=False)
        for document, release in zip(documents, releases, strict=True):
            document.user_data[_KEY] = _kept(release, self._reports)

    def _take(self, policy: Policy) -> None:
        self._policy, self._sanitizer = policy, None
        self._reports.clear()
        self._ready()

    def _ready(self) -> Sanitizer:
        if self._sanitizer is None:
            self._sanitizer = self._made()
        return self._sanitizer

    def _made(self) -> Sanitizer:
        from dataclasses import replace

        from textveil.catalog import mechanism
        from textveil.sanitize.sanitizer import Sanitizer

        config = self._config
        if config["mechanism"] is not None:
            epsilon = {} if config["epsilon"] is None else {"epsilon": config["epsilon"]}
            return Sanitizer(mechanism(config["mechanism"], **epsilon, **config["options"]))
        if self._policy is None:
            raise ParameterError(
                f"policy must be a preset or a file that is there; got {Path(config['policy']).name}. Give its path, "
                "or load the pipeline from where it was saved."
            )
        chosen = self._policy
        if config[_ENTITIES]:
            self._entities = _Entities(config["labels"])
            chosen = replace(chosen, detectors=(self._entities, *chosen.detectors))
        return Sanitizer(chosen)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the policy, as JSON."""
        return json.dumps(None if self._policy is None else self._policy.whole_data()).encode("utf-8")

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> TextveilComponent:
        """Take over a policy that ``to_bytes`` wrote."""
        from textveil.sanitize.policy.choice import policy_of_data

        if (stored := json_data(data)) is not None:
            self._take(policy_of_data(stored))
        return self

    def to_disk(self, path: Path | str, *, exclude: Iterable[str] = ()) -> None:
        """Write the policy into a folder."""
        where = Path(path)
        where.mkdir(parents=True, exist_ok=True)
        (where / _FILE).write_bytes(self.to_bytes())

    def from_disk(self, path: Path | str, *, exclude: Iterable[str] = ()) -> TextveilComponent:
        """Take over a policy that ``to_disk`` wrote."""
        return self.from_bytes((Path(path) / _FILE).read_bytes())


def _missing(policy: str) -> bool:
    """Tell whether a policy is a file that is not there: the pipeline may have been saved on another machine."""
    from textveil.sanitize.policy.choice import is_path

    return is_path(policy) and not Path(policy).is_file()


@spacy.Language.factory(  # type: ignore[untyped-decorator]
    FACTORY,
    assigns=[f"doc._.{_KEY}"],
    default_config={
        "policy": "identifiers",
        "mechanism": None,
        "epsilon": None,
        "options": {},
        "entities": False,
        "labels": {},
    },
)
def make(
    nlp: Any,
    name: str,
    policy: str | None,
    mechanism: str | None,
    epsilon: float | None,
    options: dict[str, Any],
    entities: bool,
    labels: dict[str, str | None],
) -> TextveilComponent:
    """Return the component, for ``nlp.add_pipe``.

    Args:
        nlp: the pipeline.
        name: of the component in it.
        policy: a preset or a TOML file; None if there is a mechanism.
        mechanism: of the catalog, for all words; `policy` must then be None.
        epsilon: nats for one word, beside a mechanism.
        options: more options of the mechanism.
        entities: whether the entities that other components put on the documents are spans for the policy too.
        labels: kinds by the labels of entities, before the table of ``detection.detectors``; None leaves spans out.

    Raises ParameterError: the policy or the mechanism cannot be made.
    """
    config = {"policy": policy, "mechanism": mechanism, "epsilon": epsilon, "options": options}
    return TextveilComponent(name, {**config, _ENTITIES: entities, "labels": labels})
