"""Packages of Office Open XML: every part is known by its content type, or is removed with what refers to it."""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from textveil.documents import markup
from textveil.documents.model import Images, Passage, Piece
from textveil.documents.pictures import Painted, Pictures
from textveil.documents.registry import entries, packed
from textveil.errors import InputError

_CONTENT_TYPES: Final = "[Content_Types].xml"
_TYPES_NAMESPACE: Final = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS_NAMESPACE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_RELATIONS_TYPE: Final = "application/vnd.openxmlformats-package.relationships+xml"
OFFICE: Final = "application/vnd.openxmlformats-officedocument."
IMAGE: Final = "image"
_SPOKEN_TARGETS: Final = frozenset(("hyperlink",))
"""Kinds of relations to outside whose target is text; others go."""
_OUTSIDE: Final = re.compile(r"(?i)(?:https?|mailto|tel|ftp):")
"""Targets that are text: the path of a file may be anybody's, and is found by nobody."""
_TYPE_OF_RELATION: Final = re.compile(
    r"http://(?:schemas\.openxmlformats\.org/officeDocument/2006|purl\.oclc\.org/ooxml/officeDocument)/relationships/(?:"
    r"officeDocument|hyperlink|image|theme|themeOverride|settings|styles|numbering|fontTable|header|footer|footnotes|endnotes"
    r"|comments|chart|chartUserShapes|worksheet|sharedStrings|table|drawing|vmlDrawing|slide|slideLayout|slideMaster"
    r"|notesSlide|notesMaster|commentAuthors|presProps|viewProps|tableStyles)"
)
"""Types of relations to what stays; another is an address that may be anybody's."""


class Known(NamedTuple):
    """A part that is known: what it is called in reports, its words, and what else is done with its XML."""

    kind: str
    vocabulary: markup.Vocabulary
    prepare: Callable[[markup.Element, Any], None] | None = None
    optional: bool = False  # removed, too, where it is no well-formed XML


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of a part to another part, or to something outside; ``target`` is a part's name or an address."""

    id: str
    kind: str
    type: str
    target: str
    outside: bool


@dataclass(slots=True)
class _Part:
    name: str
    content_type: str
    data: bytes
    relations: list[Relation] = field(default_factory=list)
    root: markup.Element = None
    known: Known | None = None
    picture: Painted | None = None
    new_name: str = ""
    targets: dict[str, Passage] = field(default_factory=dict)


class Package:
    """A file of Office Open XML, with tables of the parts that its format knows."""

    known: Mapping[str, Known]
    """By content type, without ``OFFICE``."""
    suffix: str

    def __init__(self, data: bytes, images: Images = "blank") -> None:
        self.parts: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self.passages: list[Passage] = []
        self._pictures = Pictures(images, self.parts)
        self.names = markup.Names()
        files = entries(data)
        if _CONTENT_TYPES not in files:
            raise InputError(f"the document must be a {self.suffix} file; it is something else, or damaged.")
        self._read(files)
        for part in [part for part in self.order if part.known is not None and part.known.optional]:
            try:
                self.root(part)
            except InputError:
                self.order.remove(part)
                self.removed[part.known.kind if part.known else ""] += 1
        self.begin()
        self._prepare()

    def begin(self) -> None:
        """Read what other parts are read by."""

    def root(self, part: _Part) -> markup.Element:
        """Return the XML of a part, parsed once."""
        if part.root is None:
            part.root = markup.parsed(part.data)
        return part.root

    def _read(self, files: Mapping[str, bytes]) -> None:
        types = _Types(markup.parsed(files[_CONTENT_TYPES]))
        if any("macroenabled" in kind.lower() or "vbaproject" in kind.lower() for kind in types.all()):
            raise InputError("the document must hold no macros; it does. Save it without them.")
        start = _relations(files, "")
        seen: dict[str, _Part] = {}
        self.order: list[_Part] = []
        waiting = [relation.target for relation in start if relation.kind == "officeDocument"][:1]
        self._main = waiting[0] if waiting else ""
        self.removed.update(_kind_of(relation) for relation in start if relation.kind != "officeDocument")
        lower = {name.lower(): name for name in files}
        while waiting:
            name = lower.get(waiting.pop(0).lower(), "")
            content_type = types.of(name)
            known = self.known.get(content_type.removeprefix(OFFICE))
            if not name or name in seen or (known is None and not content_type.startswith("image/")):
                continue
            part = seen[name] = _Part(name, content_type, files[name], _relations(files, name), known=known)
            self.order.append(part)
            waiting += [
                relation.target
                for relation in part.relations
                if not relation.outside and _TYPE_OF_RELATION.fullmatch(relation.type)
            ]
        if not self.order or self.order[0].known is None or not self.order[0].known.kind.startswith("body"):
            raise InputError(f"the document must be a {self.suffix} file; it is something else, or damaged.")
        self._by_name = seen
        reached = {name.lower() for name in seen} | {_CONTENT_TYPES.lower()}
        for name in files:
            if name.lower() not in reached and not name.endswith(".rels"):
                self.removed[_called(name, types.of(name))] += 1

    def _prepare(self) -> None:
        """Clean every part and gather its passages; names of parts are written anew."""
        count: Counter[str] = Counter()
        for part in self.order:
            image = part.known is None
            folder, stem, ending = _new_stem(part, image)
            count[folder + stem] += 1
            number = (
                "" if count[folder + stem] == 1 and part.name == f"{folder}{stem}{ending}" else count[folder + stem]
            )
            part.new_name = f"{folder}{stem}{number}{ending}"
            if part.known is not None:
                self.parts[part.known.kind] += 1
        pages = Counter[str]()
        for part in self.order:
            if part.known is None:
                part.picture, part.content_type, part.relations = self._pictures.take(part.data), "image/png", []
                continue
            self.root(part)
            self._relate(part)
            if part.known.prepare is not None:
                part.known.prepare(part.root, self)
            ids = {relation.id: f"rId{number}" for number, relation in enumerate(part.relations, start=1)}
            markup.Cleaner(part.known.vocabulary, ids, self.names, self.removed).clean(part.root)
            if own := list(markup.passages(part.root, part.known.vocabulary, part.known.kind)):
                own[0].before = "\n\n"
                pages[part.known.kind] += 1
            for line in own:
                line.page = pages[part.known.kind]
            self.passages += own
            for relation in part.relations:
                if relation.outside:
                    place = Passage("target of a link")
                    place.pieces.append(Piece(relation.target, lambda text: None))
                    part.targets[relation.id] = place
                    self.passages.append(place)
        self.passages += self._pictures.passages

    def _relate(self, part: _Part) -> None:
        kept, names = [], {part.name.lower() for part in self.order}
        for relation in part.relations:
            stays = relation.kind in _SPOKEN_TARGETS if relation.outside else relation.target.lower() in names
            stays = stays and _TYPE_OF_RELATION.fullmatch(relation.type) is not None
            if stays and relation.outside and _OUTSIDE.match(relation.target) is None:
                relation = replace(relation, target="about:blank")
                self.removed["target of a link"] += 1
            if stays:
                kept.append(relation)
            else:
                self.removed[_kind_of(relation)] += relation.outside
        part.relations = kept

    def written(self) -> bytes:
        files: dict[str, bytes] = {_CONTENT_TYPES: b""}
        main = self.order[0]
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
        files["_rels/.rels"] = _relations_xml([("rId1", kind, main.new_name, False)])
        for part in self.order:
            files[part.new_name] = markup.serialized(part.root) if part.picture is None else part.picture()
            folder, name = posixpath.split(part.new_name)
            rows = [
                (
                    f"rId{number}",
                    relation.type,
                    part.targets[relation.id].text
                    if relation.outside
                    else posixpath.relpath(self.part_of(relation.target).new_name, folder),
                    relation.outside,
                )
                for number, relation in enumerate(part.relations, start=1)
            ]
            if rows:
                files[f"{folder}/_rels/{name}.rels"] = _relations_xml(rows)
        files[_CONTENT_TYPES] = _types_xml({part.new_name: part.content_type for part in self.order})
        return packed(files)

    def part_of(self, name: str) -> _Part:
        return next(part for part in self.order if part.name.lower() == name.lower())


class _Types:
    def __init__(self, root: markup.Element) -> None:
        self._endings = {
            str(child.get("Extension", "")).lower(): child.get("ContentType", "")
            for child in root
            if markup.short(child.tag) == "ct:Default"
        }
        self._names = {
            child.get("PartName", "").lstrip("/").lower(): child.get("ContentType", "")
            for child in root
            if markup.short(child.tag) == "ct:Override"
        }

    def of(self, name: str) -> str:
        return self._names.get(name.lower()) or self._endings.get(name.rpartition(".")[2].lower(), "")

    def all(self) -> set[str]:
        return {*self._endings.values(), *self._names.values()}


def _relations(files: Mapping[str, bytes], name: str) -> list[Relation]:
    folder, stem = posixpath.split(name)
    if (data := files.get(posixpath.join(folder, "_rels", f"{stem}.rels"))) is None:
        return []
    found = []
    for child in markup.parsed(data):
        if markup.short(child.tag) != "rel:Relationship":
            continue
        target, kind = child.get("Target", ""), child.get("Type", "")
        if not (outside := child.get("TargetMode") == "External"):
            target = posixpath.normpath(posixpath.join("/" + folder, unquote(target.partition("#")[0])))[1:]
        found.append(Relation(child.get("Id", ""), kind.rpartition("/")[2], kind, target, outside))
    return found


def _relations_xml(rows: list[tuple[str, str, str, bool]]) -> bytes:
    root = markup.new_root(_RELATIONS_NAMESPACE, "Relationships")
    for own, kind, target, outside in rows:
        child = markup.new_child(root, f"{{{_RELATIONS_NAMESPACE}}}Relationship", Id=own, Type=kind, Target=target)
        if outside:
            child.set("TargetMode", "External")
    return markup.serialized(root)


def _types_xml(types: Mapping[str, str]) -> bytes:
    root = markup.new_root(_TYPES_NAMESPACE, "Types")
    for ending, kind in (("rels", _RELATIONS_TYPE), ("xml", "application/xml"), ("png", "image/png")):
        markup.new_child(root, f"{{{_TYPES_NAMESPACE}}}Default", Extension=ending, ContentType=kind)
    for name, kind in types.items():
        if not name.endswith(".png"):
            markup.new_child(root, f"{{{_TYPES_NAMESPACE}}}Override", PartName=f"/{name}", ContentType=kind)
    return markup.serialized(root)


_STEM: Final = re.compile(r"[a-zA-Z]+")


def _new_stem(part: _Part, image: bool) -> tuple[str, str, str]:
    """Return folder, name and ending of a part: of its content type and its format alone."""
    top = part.name.partition("/")[0] if "/" in part.name else ""
    top = top if top in ("word", "xl", "ppt") else "parts"
    if image:
        return f"{top}/media/", "image", ".png"
    stem = _STEM.findall(part.content_type.removeprefix(OFFICE).removesuffix("+xml"))
    return f"{top}/", stem[-1] if stem[-1] != "main" else stem[-2], ".xml"


_KINDS: Final = {
    "docProps": "properties", "customXml": "custom XML", "embeddings": "embedded object", "fonts": "font",
    "activeX": "control", "printerSettings": "printer settings", "media": "picture, sound or film",
    "externalLinks": "external link", "glossary": "building blocks", "diagrams": "diagram",
}  # fmt: skip
_RELATIONS: Final = {
    "core-properties": "properties", "extended-properties": "properties", "custom-properties": "properties",
    "thumbnail": "thumbnail", "attachedTemplate": "template", "image": "linked picture", "oleObject": "linked object",
}  # fmt: skip


def _called(name: str, content_type: str) -> str:
    """Return what a part is called in reports: never by its own name."""
    for folder in name.split("/")[:-1]:
        if folder in _KINDS:
            return _KINDS[folder]
    stem = _STEM.findall(content_type.removesuffix("+xml"))
    return f"part: {stem[-1][:40]}" if content_type.startswith(OFFICE) and stem else "part of another kind"


def _kind_of(relation: Relation) -> str:
    return _RELATIONS.get(relation.kind, "relation to another kind of part")
