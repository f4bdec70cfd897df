"""OpenDocument: .odt, .ods and .odp files, with the charts and documents in them; properties and settings go."""

import posixpath
import re
from collections import Counter
from collections.abc import Mapping
from typing import Final, NamedTuple, TypeAlias

from textveil.documents import cells, markup, open_words
from textveil.documents.model import Images, Passage, Piece
from textveil.documents.pictures import Painted, Pictures
from textveil.documents.registry import entries, packed
from textveil.errors import InputError

_TYPE: Final = "application/vnd.oasis.opendocument."
_MANIFEST: Final = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
_XLINK: Final = "{http://www.w3.org/1999/xlink}"
_TEXT: Final = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_DRAW: Final = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_TABLE: Final = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_SAID: Final = {"of": "urn:oasis:names:tc:opendocument:xmlns:of:1.2"}
_OBJECTS: Final = ("chart", "text", "spreadsheet", "presentation", "graphics")
"""Types of documents within documents that are read as these are."""
_PICTURED: Final = ("draw:image", "draw:fill-image", "style:background-image", "text:list-level-style-image")
_PARTS: Final = {"content.xml": "body", "styles.xml": "styles"}
_SPACES: Final = re.compile(r"[ \t\r\n]+")
_SCRIPTED: Final = re.compile(r"\s{0,9}(?:javascript|vnd\.sun\.star|macro|script|data|vbscript)", re.IGNORECASE)


def _line_pieces(element: markup.Element) -> list[Piece]:
    typed = cells.value_pieces(element)
    return open_words.mixed(element) if typed is None else typed


WORDS: Final = open_words.vocabulary(
    {"text:p": _line_pieces, **{both: cells.formula_pieces(both.partition(" ")[2]) for both in open_words.FORMULAS}},
    cells.before,
    markup.sheet_name,
    cells.ADDRESS,
)


class _Part(NamedTuple):
    name: str
    kind: str
    root: markup.Element


class OpenDocument:
    """A file of OpenDocument of any kind."""

    def __init__(self, data: bytes, images: Images = "blank") -> None:
        self.parts: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self.passages: list[Passage] = []
        self.names = markup.Names()
        self.defined_names: dict[str, str] = {}
        self._pictures: dict[str, str] = {}
        self._painted: dict[str, Painted] = {}
        self._taken = Pictures(images, self.parts)
        files = entries(data)
        self._type = files.get("mimetype", b"").decode("latin-1").strip().removesuffix("-template")
        if not self._type.startswith(_TYPE) or "content.xml" not in files:
            raise InputError("the document must be an OpenDocument file; it is something else, or damaged.")
        self._files = files
        self._objects = self._read_manifest(files)
        self._order = [
            _Part(f"{new}{name}", kind if not new else "object", markup.parsed(files[f"{old}{name}"]))
            for old, (new, _) in {"": ("", self._type), **self._objects}.items()
            for name, kind in _PARTS.items()
            if f"{old}{name}" in files
        ]
        for part in self._order:
            for element in part.root.iter(f"{_TABLE}named-range", f"{_TABLE}named-expression"):
                name = element.get(f"{_TABLE}name", "")
                self.defined_names[name.lower()] = self.names.of(open_words.DEFINED, name)
        for part in self._order:
            self._prepare(part)
        self._sheets = {
            element: element.get(f"{_TABLE}name", "")
            for part in self._order
            for element in part.root.iter(f"{_TABLE}table")
        }
        self._panes = panes_of(markup.parsed(files["settings.xml"])) if "settings.xml" in files else {}
        known_sheets = {name.lower() for name in self._sheets.values()}
        for part in self._order:
            for element, key in _places(part.root, open_words.ADDRESSES):
                if cells.sheets_of(element.get(key)) - known_sheets:
                    del element.attrib[key]
                    self.removed["address of another file"] += 1
            if own := list(markup.passages(part.root, WORDS, part.kind)):
                own[0].before = "\n\n"
            self.passages += own
        self.passages += self._taken.passages
        self._count(files)

    def _read_manifest(self, files: Mapping[str, bytes]) -> dict[str, tuple[str, str]]:
        """Return the documents within the document: by old folder the new one, and its type."""
        if (data := files.get("META-INF/manifest.xml")) is None:
            return {}
        root = markup.parsed(data)
        if any(markup.short(element.tag) == "manifest:encryption-data" for element in root.iter()):
            raise InputError("the document must not be encrypted; it is. Save it without a password.")
        found: dict[str, tuple[str, str]] = {}
        for element in root:
            path, kind = (
                markup.attribute(element, "manifest:full-path"),
                markup.attribute(element, "manifest:media-type"),
            )
            inner = path != "/" and path.endswith("/") and f"{path}content.xml" in files
            if inner and kind.startswith(_TYPE) and kind.removeprefix(_TYPE) in _OBJECTS:
                found[path] = f"Object {len(found) + 1}/", kind
        return found

    def _prepare(self, part: _Part) -> None:
        root = part.root
        _untail(root)
        self._grammar(root)
        for element in list(root.iter()):
            if (name := markup.short(element.tag)) in _PICTURED:
                self._picture(element, name, part.name)
            elif name == "draw:object":
                self._object(element, part.name)
            elif name in ("text:a", "draw:a"):
                self._link(element)
            elif name.startswith("text:") and element.getparent() is not None and _is_field(element, name):
                self.removed["field"] += 1
                element.tag = f"{_TEXT}span"
                element.attrib.clear()
            elif name == "text:s":
                count = str(open_words.count_of(element))
                element.attrib.clear()
                element.set(f"{_TEXT}c", count)
            elif name == "dc:creator":
                element.text = "Author"
        cells.prepare_tables(root, self)
        _collapse(root)
        markup.Cleaner(WORDS, {}, self.names, self.removed).clean(root)

    def _grammar(self, root: markup.Element) -> None:
        """Remove elements and attributes that are none of the format's."""
        for element in list(root.iter()):
            if (parent := element.getparent()) is not None and not open_words.known(element.tag):
                if len(element) or element.attrib or (element.text or "").strip():
                    self.removed[_CALLED.get(name := markup.short(element.tag), f"element {name}")] += 1
                element.clear()  # what is in it goes with it, and is no further part
                parent.remove(element)
                continue
            for key in list(element.attrib):
                if not open_words.known_attribute(element.tag, key):
                    self.removed["attribute"] += 1
                    del element.attrib[key]

    def _picture(self, element: markup.Element, name: str, part: str) -> None:
        target = _within(part, element.get(f"{_XLINK}href", ""))
        if name == "draw:image" and element.getparent().find(f"{_DRAW}object") is not None:
            element.getparent().remove(element)  # what shows the object is drawn anew
            return
        if not target and name == "style:background-image":
            return
        if target not in self._pictures:
            self._pictures[target] = f"Pictures/image{len(self._pictures) + 1}.png"
            self._painted[self._pictures[target]] = self._taken.take(self._files.get(target, b""))
        new = self._pictures[target]
        element.set(f"{_XLINK}href", f"{'../' * part.count('/')}{new}")
        element.set(f"{_XLINK}type", "simple")
        if part.count("/"):  # a document within has no pictures of its own: the outer one's are not its
            element.getparent().remove(element)

    def _object(self, element: markup.Element, part: str) -> None:
        """Refer to a document within by its new name; another object goes."""
        target = _within(part, element.get(f"{_XLINK}href", ""))
        if f"{target}/" in self._objects and not part.count("/"):
            element.set(f"{_XLINK}href", f"./{self._objects[f'{target}/'][0][:-1]}")
        else:
            self.removed["embedded object"] += 1
            element.getparent().remove(element)

    def _link(self, element: markup.Element) -> None:
        """Keep a link to a mark of the file itself by the mark's new name; what runs a program goes."""
        key = f"{_XLINK}href"
        target = element.get(key, "")
        if target.startswith("#"):
            mark = target[1:]
            element.set(key, "#" if "|" in mark or not mark else f"#{self.names.of(open_words.MARK, mark)}")
        elif _SCRIPTED.match(target):
            self.removed["script"] += 1
            element.set(key, "#")

    def _count(self, files: Mapping[str, bytes]) -> None:
        self.parts.update(part.kind for part in self._order)
        taken = {f"{old}{name}" for old in ("", *self._objects) for name in _PARTS} | {
            "mimetype",
            "META-INF/manifest.xml",
        }
        for name in files:
            if name not in taken and name not in self._pictures:
                self.removed[_FOLDERS.get(re.split(r"[/ ]", name)[0], "part of another kind")] += 1

    def written(self) -> bytes:
        """Return the file, whole, with the names of sheets that formulas and addresses have to share."""
        taken: Counter[str] = Counter()
        renamed: dict[str, str] = {}
        panes: dict[str, Panes] = {}
        for element, old in self._sheets.items():
            new = element.get(f"{_TABLE}name", "Sheet")
            key = f"{id(element.getroottree().getroot())} {new.lower()}"
            taken[key] += 1
            if taken[key] > 1:
                new = f"{new[:26]} {taken[key]}"
                element.set(f"{_TABLE}name", new)
            if new != old:
                renamed[old.lower()] = new
            self._sheets[element] = new
            if old.lower() in self._panes:
                panes[new] = self._panes[old.lower()]
        if renamed:
            for part in self._order:
                for element, key in _places(part.root, (*open_words.ADDRESSES, *open_words.FORMULAS)):
                    element.set(key, cells.readdressed(element.get(key), renamed))
        files = {"mimetype": self._type.encode()}
        files |= {part.name: markup.serialized(part.root, _SAID) for part in self._order}
        if panes:
            files["settings.xml"] = settings_of(panes)
        files |= {name: picture() for name, picture in self._painted.items()}
        files["META-INF/manifest.xml"] = self._manifest(files)
        return packed(files, frozenset(("mimetype",)))

    def _manifest(self, files: Mapping[str, bytes]) -> bytes:
        root = markup.new_root(_MANIFEST, "manifest", "manifest")
        rows = {"/": self._type, **dict(self._objects.values())}
        rows |= {name: "image/png" if name.endswith(".png") else "text/xml" for name in files if name != "mimetype"}
        root.set(f"{{{_MANIFEST}}}version", "1.3")
        for path, kind in rows.items():
            row = markup.new_child(root, f"{{{_MANIFEST}}}file-entry")
            row.set(f"{{{_MANIFEST}}}full-path", path)
            row.set(f"{{{_MANIFEST}}}media-type", kind)
        return markup.serialized(root)


def _within(part: str, target: str) -> str:
    """Return the name of an entry that a part refers to; empty if it is none."""
    if not target or ":" in target or target.startswith(("#", "/")):
        return ""
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), target))


def _places(root: markup.Element, wanted: tuple[str, ...]) -> list[tuple[markup.Element, str]]:
    """Return the attributes of some names, alone or with that of their element."""
    return [
        (element, key)
        for element in root.iter()
        for key in element.attrib
        if markup.short(key) in wanted or f"{markup.short(element.tag)} {markup.short(key)}" in wanted
    ]


def _untail(root: markup.Element) -> None:
    """Put text that follows an element into an element of its own."""
    for parent in list(root.iter()):
        name = markup.short(parent.tag)
        if name not in open_words.MIXED and name not in open_words.FIELDS and not _is_field(parent, name):
            continue
        for child in list(parent):
            if child.tail:
                span = markup.new_element(f"{_TEXT}span")
                span.text, child.tail = child.tail, None
                child.addnext(span)


def _is_field(element: markup.Element, name: str) -> bool:
    """Tell whether an element is a field of which what it shows stays alone."""
    above = element.getparent()
    return (
        name not in open_words.FIELDS | open_words.MIXED
        and name.startswith("text:")
        and name not in _NO_FIELDS
        and above is not None
        and markup.short(above.tag) in open_words.MIXED
    )


_NO_FIELDS: Final = frozenset(
    "text:s text:tab text:line-break text:note text:ruby text:bookmark text:bookmark-start text:bookmark-end"
    " text:reference-mark text:reference-mark-start text:reference-mark-end text:number text:soft-page-break text:change"
    " text:change-start text:change-end text:alphabetical-index-mark text:alphabetical-index-mark-start text:list"
    " text:alphabetical-index-mark-end text:toc-mark text:toc-mark-start text:toc-mark-end text:user-index-mark"
    " text:user-index-mark-start text:user-index-mark-end text:script text:execute-macro text:database-next"
    " text:database-row-select text:dde-connection".split()
)


def _collapse(root: markup.Element) -> None:
    """Have spaces as they are shown: one for many."""
    space = True
    for element in root.iter():
        if (name := markup.short(element.tag)) in ("text:p", "text:h"):
            space = True
        if name in open_words.MIXED and element.text:
            text = _SPACES.sub(" ", element.text)
            text = text[1:] if space and text[:1] == " " else text
            element.text = text
            space = text.endswith(" ") if text else space
        elif name in ("text:s", "text:tab"):
            space = False


_CALLED: Final = {
    "": "element of another vocabulary", "text:tracked-changes": "deleted text", "text:change": "deleted text", "office:forms": "form",
    "table:tracked-changes": "deleted text", "office:scripts": "script", "draw:object-ole": "embedded object", "draw:plugin": "picture, sound or film",
    "draw:applet": "script", "office:event-listeners": "script", "table:data-pilot-tables": "pivot table", "text:change-start": "mark of a change",
    "text:change-end": "mark of a change",
}  # fmt: skip
_FOLDERS: Final = {
    "Thumbnails": "thumbnail", "Basic": "script", "Scripts": "script", "Dialogs": "script", "Configurations2": "settings",
    "ObjectReplacements": "picture of an object", "Pictures": "picture, sound or film", "Media": "picture, sound or film", "Fonts": "font",
    "VersionList.xml": "earlier version", "Versions": "earlier version", "meta.xml": "properties", "settings.xml": "settings",
    "manifest.rdf": "properties", "layout-cache": "settings", "META-INF": "signature", "Object": "embedded object",
}  # fmt: skip
_OFFICE: Final = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_CONFIG: Final = "urn:oasis:names:tc:opendocument:xmlns:config:1.0"
_SETTINGS_SAID: Final = {"ooo": "http://openoffice.org/2004/office"}
_NAME: Final = f"{{{_CONFIG}}}name"
_MODE: Final = re.compile("[0-3]")
_PLACE: Final = re.compile(r"\d{1,7}")
_KEPT: Final = {
    **dict.fromkeys(("HorizontalSplitMode", "VerticalSplitMode", "ActiveSplitRange"), ("short", _MODE)),
    **dict.fromkeys(
        ("HorizontalSplitPosition", "VerticalSplitPosition", "PositionRight", "PositionBottom"), ("int", _PLACE)
    ),
}
Panes: TypeAlias = Mapping[str, str]
"""The settings of one sheet, by name."""

_NESTED: Final = (("set", "ooo:view-settings"), ("map-indexed", "Views"), ("map-entry", ""), ("map-named", "Tables"))
"""Elements from the root to the sheets, with their names."""


def panes_of(settings: markup.Element) -> dict[str, Panes]:
    """Return the frozen panes of each sheet that has some, by its name in small letters."""
    found: dict[str, Panes] = {}
    for tables in settings.iter(f"{{{_CONFIG}}}config-item-map-named"):
        if tables.get(_NAME) != "Tables":
            continue
        for sheet in tables:
            items = {item.get(_NAME): (item.text or "").strip() for item in sheet}
            kept = {name: items[name] for name, (_, form) in _KEPT.items() if form.fullmatch(items.get(name) or "")}
            if "2" in (kept.get("HorizontalSplitMode"), kept.get("VerticalSplitMode")):
                found[sheet.get(_NAME, "").lower()] = kept
    return found


def settings_of(panes: Mapping[str, Panes]) -> bytes:
    """Return the part of settings for these panes, by the new names of sheets."""
    root = markup.new_root(_OFFICE, "document-settings", "office", {"config": _CONFIG, **_SETTINGS_SAID})
    root.set(f"{{{_OFFICE}}}version", "1.3")
    place = markup.new_child(root, f"{{{_OFFICE}}}settings")
    for kind, name in _NESTED:
        if kind == "map-named":
            _item(place, "ViewId", "string", "view1")
        place = markup.new_child(place, f"{{{_CONFIG}}}config-item-{kind}")
        if name:
            place.set(_NAME, name)
    for sheet, items in panes.items():
        entry = markup.new_child(place, f"{{{_CONFIG}}}config-item-map-entry")
        entry.set(_NAME, sheet)
        for name, value in items.items():
            _item(entry, name, _KEPT[name][0], value)
    return markup.serialized(root, _SETTINGS_SAID)


def _item(place: markup.Element, name: str, kind: str, value: str) -> None:
    item = markup.new_child(place, f"{{{_CONFIG}}}config-item")
    item.set(_NAME, name)
    item.set(f"{{{_CONFIG}}}type", kind)
    item.text = value
