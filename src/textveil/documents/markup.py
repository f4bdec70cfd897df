"""XML of documents: elements and attributes are known, are text, or go; and which names formats have.

A ``Vocabulary`` says in tables which is which. Character data stays in elements of text alone; an attribute stays if
its value has a form that says nothing of anybody (a number, a color, a word of the format), if it is text that is
sanitized, or if it is a name that is written anew.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias
from xml.parsers import expat

from textveil.documents.model import PUBLIC, Passage, Piece
from textveil.documents.registry import take
from textveil.errors import InputError, MissingExtra

_OPEN_XML: Final = "http://schemas.openxmlformats.org/"
_STRICT: Final = "http://purl.oclc.org/ooxml/"
_MICROSOFT: Final = "http://schemas.microsoft.com/office/"
_PATHS: Final = {
    "wordprocessingml": "w", "spreadsheetml": "x", "presentationml": "p", "drawingml": "a", "drawingml/chart": "c",
    "drawingml/picture": "pic", "drawingml/wordprocessingDrawing": "wp", "drawingml/spreadsheetDrawing": "xdr",
    "drawingml/chartDrawing": "cdr", "officeDocument/relationships": "r", "officeDocument/math": "m",
    "drawingml/diagram": "dgm", "drawingml/lockedCanvas": "lc",
}  # fmt: skip
_OASIS: Final = "urn:oasis:names:tc:opendocument:xmlns:"
_OPEN_PATHS: Final = {
    **{name: name for name in ("office", "style", "text", "table", "meta", "chart", "dr3d", "presentation", "config")},
    "drawing": "draw", "xsl-fo-compatible": "fo", "svg-compatible": "svg", "datastyle": "number", "form": "form",
    "script": "script", "animation": "anim", "smil-compatible": "smil", "manifest": "manifest",
}  # fmt: skip
PREFIXES: Final = {
    **{
        f"{_OPEN_XML}{path}/{year}": prefix for path, prefix in _PATHS.items() for year in ("main", "2006/main", "2006")
    },
    **{f"{_STRICT}{path}{tail}": prefix for path, prefix in _PATHS.items() for tail in ("", "/main")},
    **{
        f"{_OPEN_XML}{path.partition('/')[0]}/2006/{path.partition('/')[2]}": prefix
        for path, prefix in _PATHS.items()
        if "/" in path
    },
    f"{_OPEN_XML}markup-compatibility/2006": "mc",
    f"{_OPEN_XML}package/2006/relationships": "rel",
    f"{_OPEN_XML}package/2006/content-types": "ct",
    f"{_MICROSOFT}word/2010/wordprocessingShape": "wps",
    f"{_MICROSOFT}word/2010/wordprocessingGroup": "wpg",
    f"{_MICROSOFT}word/2010/wordprocessingCanvas": "wpc",
    f"{_MICROSOFT}word/2010/wordprocessingDrawing": "wp14",
    f"{_MICROSOFT}word/2010/wordml": "w14",
    f"{_MICROSOFT}drawing/2010/main": "a14",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
    "urn:schemas-microsoft-com:office:word": "w10",
    "urn:schemas-microsoft-com:office:excel": "xl",
    "http://www.w3.org/XML/1998/namespace": "xml",
    **{f"{_OASIS}{path}:1.0": prefix for path, prefix in _OPEN_PATHS.items()},
    "http://www.w3.org/1999/xlink": "xlink",
    "http://purl.org/dc/elements/1.1/": "dc",
}
"""Namespaces that are known, and how tables spell them; both forms of Office Open XML are one."""
PUBLIC_PREFIXES: Final = re.compile(
    r"|(?:ns|x|w|a|p|c|xr)\d{0,2}|[wx]1\d[a-z]{0,3}|x14ac|" + "|".join(PREFIXES.values())
)
"""Prefixes of namespaces as programs write them."""


def listed(file: str) -> frozenset[str]:
    """Return the words of a list beside this file."""
    lines = Path(__file__).with_name(file).read_text("ascii").splitlines()
    return frozenset(name for line in lines if line[0] != "#" for name in line.split())


NAMES: Final = listed("names.txt")
"""Names of elements and attributes in the schemas of the formats. Any other name may hold anything."""
WORDS: Final = listed("words.txt")
"""Words that attributes have in the schemas of Office Open XML. Any other word may be anybody's."""


@cache
def short(tag: str) -> str:
    """Return the name of an element or attribute as tables spell it; empty if it, or its namespace, is not known."""
    namespace, _, name = tag[1:].partition("}") if tag[:1] == "{" else ("", "", tag)
    prefix = PREFIXES.get(namespace, "")
    return "" if name not in NAMES else f"{prefix}:{name}" if prefix else "" if namespace else name


def attribute(element: Any, name: str) -> str:
    """Return an attribute of an element by its short name; empty if there is none."""
    return next((value for key, value in element.attrib.items() if short(key) == name), "")


_NO_SHEET: Final = re.compile(r"[\[\]:*?/\\]|^'|'$")


def sheet_name(text: str) -> str:
    """Return a name that a sheet can have."""
    return _NO_SHEET.sub(" ", text)[:31].strip() or "Sheet"


with MissingExtra("lxml", "documents"):
    from lxml import etree

Element: TypeAlias = Any
PLAIN: Final = re.compile(
    r"-?\d{1,8}(?:\.\d{1,12})?(?:E-?\d{1,3})?(?:%|pt|in|cm|mm|pc|pi|px|em|ex)?|#?(?:[0-9A-F]{1,4}|[0-9A-Fa-f]{6}|[0-9A-F]{8}"
    r"|[01]{12}|[0-9A-F]{20})|[^\w\s]{1,2}|[a-z]{2,3}(?:-[A-Z][A-Za-z]{3})?-[A-Z]{2}|\{[0-9A-Fa-f-]{36}\}|#?_x0000_[a-z]\d{1,5}|"
)
"""Values of attributes that say nothing of anybody, and are no words."""


class Name(NamedTuple):
    """A name within a file: it stays if it is public, else it is ``label`` with a number, or alone."""

    label: str
    public: re.Pattern[str]
    numbered: bool = True


class Names:
    """Writes names anew, one for one, in all parts of a file."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._counts: Counter[str] = Counter()

    def of(self, name: Name, value: str) -> str:
        """Return what stands for a name."""
        if name.public.fullmatch(value):
            return value
        if not name.numbered:
            return name.label
        if (name.label, value) not in self._given:
            self._counts[name.label] += 1
            self._given[name.label, value] = f"{name.label}{self._counts[name.label]}"
        return self._given[name.label, value]


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The roles of elements and attributes of a kind of part; all are spelled as ``short`` does.

    Attributes:
        texts: elements whose character data is text.
        lines: elements of which all text is one passage.
        characters: elements that stand for a character.
        gone: elements that go with all that they hold.
        opened: elements that go, while what they hold stays.
        spoken: attributes that are text, as "element attribute".
        named: attributes that are names, likewise, or an attribute of all elements.
        plain: elements whose character data stays if it says nothing of anybody.
        lost: attributes that go, whatever they hold.
        worded: further values that an attribute may have.
        anchors: elements that go as a whole if what they refer to goes.
        filled: elements that go if nothing is in them.
        pieces: elements whose text is written in a form of their own, and such attributes of ``spoken``.
        spelled: attributes of ``spoken`` that take some texts only; each with what makes one of a text.
        values: values of all other attributes that say nothing of anybody.
        words: further such values, one by one.
        guides: attributes that are formulas of lengths, whose names are written anew.
        apart: elements whose lines are read behind all others.
        before: what parts the passage of an element of ``lines`` from the passage before.
    """

    texts: frozenset[str]
    lines: frozenset[str]
    characters: Mapping[str, str] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    spoken: frozenset[str] = frozenset()
    named: Mapping[str, Name] = field(default_factory=dict)
    plain: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    lost: frozenset[str] = frozenset()
    worded: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    anchors: frozenset[str] = frozenset()
    filled: frozenset[str] = frozenset()
    pieces: Mapping[str, Callable[[Element], list[Piece]]] = field(default_factory=dict)
    spelled: Mapping[str, Callable[[str], str]] = field(default_factory=dict)
    values: re.Pattern[str] = PLAIN
    words: frozenset[str] = WORDS
    guides: Mapping[str, Name] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    before: Callable[[Element], str] = field(default_factory=lambda: _before)

    def speaks(self, element: str, attribute: str, value: str) -> bool:
        """Tell whether an attribute is text: one of ``spoken`` whose value has not a form that says nothing."""
        if (both := f"{element} {attribute}") not in self.spoken:
            return False
        form = self.worded.get(both)
        return form is None or form.fullmatch(value) is None


def parsed(data: bytes) -> Element:
    """Return the root of an XML part. Raises InputError: it is damaged, has a document type, or is too deep."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    take("tags", data.count(b"<"))
    _refuse_types(data)
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        full = error.code == etree.ErrorTypes.ERR_NO_MEMORY
    if full:
        raise MemoryError
    raise InputError("a part of the document must be well-formed XML of moderate depth; it is not. Save it anew.")


def _refuse_types(data: bytes) -> None:
    """Refuse a document type, and so every entity, before anything is expanded."""

    def refused(*_: object) -> None:
        raise InputError("a part of the document must have no document type and no entities; it has. Save it anew.")

    head = expat.ParserCreate()
    head.StartDoctypeDeclHandler = refused
    head.EntityDeclHandler = refused
    try:
        head.Parse(data, True)
    except expat.ExpatError:
        pass  # told by who reads all of it
    except (ValueError, LookupError) as error:
        if isinstance(error, InputError):
            raise


def new_root(namespace: str, name: str, prefix: str | None = None, more: Mapping[str, str] = {}) -> Element:
    """Return the root of a new part in one namespace; ``more``: others, by their prefixes."""
    return etree.Element(f"{{{namespace}}}{name}", nsmap=dict([(prefix, namespace), *more.items()]))


def new_child(parent: Element, name: str, **attributes: str) -> Element:
    """Return a new element at the end of another; both are spelled with their namespaces."""
    return etree.SubElement(parent, name, **attributes)


def new_element(name: str) -> Element:
    """Return a new element that stands nowhere yet."""
    return etree.Element(name)


def serialized(root: Element, said: Mapping[str, str] | None = None) -> bytes:
    """Return a part's bytes, without namespaces that no element uses, but for those that values say by their prefix."""
    ignorable = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Ignorable"
    wanted = root.attrib.pop(ignorable, "").split()
    said = {prefix: path for prefix, path in (said or {}).items() if root.nsmap.get(prefix) == path}
    etree.cleanup_namespaces(root, keep_ns_prefixes=list(said))
    if kept := [prefix for prefix in wanted if prefix in root.nsmap]:
        root.set(ignorable, " ".join(kept))
    data: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, standalone=True)
    prefixes = set(_PREFIX.findall(data.decode("utf-8"))) - said.keys()
    if not all(map(PUBLIC_PREFIXES.fullmatch, prefixes)):
        data = etree.tostring(_in_plain_prefixes(root, said), encoding="UTF-8", xml_declaration=True, standalone=True)
    return data


_PREFIX: Final = re.compile(r'xmlns:([^\s=":]+)=')


def _in_plain_prefixes(root: Element, said: Mapping[str, str]) -> Element:
    """Return a part whose prefixes of namespaces are written anew, but for those that values say."""
    names = (name for part in root.iter() for name in (part.tag, *part.attrib) if name.startswith("{"))
    paths = dict.fromkeys(name[1:].partition("}")[0] for name in names)
    new = etree.Element(root.tag, root.attrib, nsmap={**{f"ns{n}": path for n, path in enumerate(paths)}, **said})
    new.text = root.text
    new.extend(list(root))
    etree.cleanup_namespaces(new, keep_ns_prefixes=list(said))
    return new


class Cleaner:
    """Makes the XML of one part known; ``ids`` are the relations that stay, by old name, with their new ones."""

    def __init__(self, vocabulary: Vocabulary, ids: Mapping[str, str], names: Names, removed: Counter[str]) -> None:
        self._of = vocabulary
        self._names = names
        self._ids = ids
        self._removed = removed

    def clean(self, root: Element) -> None:
        """Remove what is not known from a part."""
        self._attributes(root, short(root.tag))
        self._children(root)

    def _children(self, parent: Element) -> None:
        of, text = short(parent.tag), parent.text
        if text is not None and of in self._of.texts:
            if _OVERRIDE.search(text):
                parent.text = _OVERRIDE.sub("", text)
        elif text is not None and ((form := self._of.plain.get(of)) is None or form.fullmatch(text) is None):
            self._lose_text(text)
            parent.text = None
        for child in list(parent):
            name = short(child.tag) if isinstance(child.tag, str) else ""
            if child.tail is not None:
                self._lose_text(child.tail)
                child.tail = None
            if name == "mc:AlternateContent":
                self._alternative(parent, child)
            elif not name or name in self._of.gone or self._dangling(child):
                self._removed[_called(name)] += 1
                parent.remove(child)
            elif name in self._of.opened:
                self._children(child)
                _open(parent, child)
            else:
                self._attributes(child, name)
                self._children(child)
                if name in self._of.filled and not len(child):
                    parent.remove(child)

    def _alternative(self, parent: Element, element: Element) -> None:
        """Keep the first form that this program knows, and no other."""
        known = [choice for choice in element if short(choice.tag) in ("mc:Choice", "mc:Fallback")]
        for choice in known:
            needs = choice.get("Requires", "").split()
            if all(short(f"{{{choice.nsmap.get(prefix, '?')}}}x") for prefix in needs):
                choice.tail = None
                self._children(choice)
                if len(choice):
                    _open(parent, element, choice)
                    return
        self._removed["alternative form"] += 1
        parent.remove(element)

    def _dangling(self, element: Element) -> bool:
        """Tell whether an element refers to what is gone; one of ``anchors`` also if something in it does."""
        if short(element.tag) in _ALONE:
            return False
        within = element.iter() if short(element.tag) in self._of.anchors else (element,)
        return any(
            short(key).startswith("r:") and value and value not in self._ids
            for part in within
            for key, value in part.attrib.items()
        )

    def _attributes(self, element: Element, name: str) -> None:
        vocabulary = self._of
        for key, value in list(element.attrib.items()):
            own = short(key)
            both = f"{name} {own}"
            if own.startswith("r:"):
                if value and value not in self._ids:
                    del element.attrib[key]
                else:
                    element.set(key, self._ids.get(value, ""))
            elif own == "mc:Ignorable" or own == "xml:space" or vocabulary.speaks(name, own, value):
                continue
            elif not own or own in vocabulary.lost or both in vocabulary.lost:
                self._removed["attribute of another vocabulary"] += not own
                del element.attrib[key]
            elif named := vocabulary.named.get(both) or vocabulary.named.get(own):
                element.set(key, self._names.of(named, value))
            elif form := vocabulary.worded.get(both) or vocabulary.worded.get(own):
                if form.fullmatch(value) is None:
                    del element.attrib[key]
            elif guide := vocabulary.guides.get(both):
                element.set(key, _GUIDE.sub(partial(self._guided, guide), value))
            elif value not in vocabulary.words and vocabulary.values.fullmatch(value) is None:
                self._removed["attribute"] += 1
                del element.attrib[key]

    def _guided(self, guide: Name, match: re.Match[str]) -> str:
        return self._names.of(guide, match[0])

    def _lose_text(self, text: str) -> None:
        if text.strip():
            self._removed["text of no element of text"] += 1


def _open(parent: Element, element: Element, inner: Element | None = None) -> None:
    """Put what an element holds in its place."""
    at = parent.index(element)
    parent.remove(element)
    for number, child in enumerate(list(element if inner is None else inner)):
        parent.insert(at + number, child)


def _called(name: str) -> str:
    return _NAMES.get(name, "element of another vocabulary" if not name else f"element {name}")


_OVERRIDE: Final = re.compile("[\u202d\u202e]")
"""Marks that show letters in another order than they are read."""
_GUIDE: Final = re.compile(r"[^\W\d]\w*|[^\w\s*/+?:-]+")
_ALONE: Final = ("x:pageSetup",)
"""Elements that say something without what they refer to."""
_NAMES: Final = {
    "w:del": "deleted text", "w:moveFrom": "moved text", "w:object": "embedded object", "p:oleObj": "embedded object",
    "a:extLst": "extension", "p:extLst": "extension", "c:extLst": "extension", "x:extLst": "extension",
}  # fmt: skip


def passages(root: Element, vocabulary: Vocabulary, part: str) -> Iterator[Passage]:
    """Yield the text of a part that was cleaned: its lines in order, then what attributes say."""
    spoken: list[Passage] = []
    lines: list[Passage] = []
    aside: list[Passage] = []
    stack: list[Passage] = []
    within = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name = short(element.tag)
        within += (name in vocabulary.apart) * (1 if event == "start" else -1)
        if event == "end":
            if name in vocabulary.lines:
                stack.pop()
            continue
        if name in vocabulary.lines:
            stack.append(Passage(part, before=vocabulary.before(element), level=_level(element, name)))
            (aside if within else lines).append(stack[-1])
        if name in vocabulary.texts or name in vocabulary.characters:
            if not stack:
                lines.append(Passage(part))
            made = vocabulary.pieces.get(name)
            pieces = [_piece(element, name, vocabulary)] if made is None else made(element)
            (stack or lines)[-1].pieces.extend(pieces)
        for key in element.attrib:
            own = short(key)
            if vocabulary.speaks(name, own, element.get(key)):
                made = vocabulary.pieces.get(f"{name} {own}")
                pieces = [_attribute(element, key, vocabulary)] if made is None else made(element)
                if pieces:
                    spoken.append(Passage(f"{part}: attribute", pieces))
    yield from (line for line in (*lines, *aside) if PUBLIC.fullmatch(line.text) is None)
    yield from spoken


_HEADING: Final = re.compile(r"Heading ?([1-9])")


def _level(element: Element, name: str) -> int:
    """Return the level of a heading, by the name of its style or by its place on a slide; 0 if it is none."""
    if name == "w:p":
        style = element.find("{*}pPr/{*}pStyle")
        named = "" if style is None else next(iter(style.attrib.values()), "")
        heading = _HEADING.fullmatch(named)
        return int(heading[1]) if heading is not None else int(named == "Title")
    if name == "a:p" and (body := element.getparent()) is not None and (shape := body.getparent()) is not None:
        place = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
        return int(place is not None and place.get("type") in ("title", "ctrTitle"))
    return 0


def _piece(element: Element, name: str, vocabulary: Vocabulary) -> Piece:
    if name in vocabulary.characters:
        return Piece(vocabulary.characters[name], lambda text: _replace_character(element, text))

    def write(text: str) -> None:
        element.text = text
        if name in _SPACED:
            element.set(_SPACE, "preserve")

    return Piece(element.text or "", write)


def _replace_character(element: Element, text: str) -> None:
    if (parent := element.getparent()) is not None and text and short(element.tag).startswith("w:"):
        namespace = element.tag[: element.tag.index("}") + 1]
        new = etree.Element(f"{namespace}t")
        new.text = text
        if short(new.tag) in _SPACED:
            new.set(_SPACE, "preserve")
        parent.replace(element, new)
    elif parent is not None:
        parent.remove(element)


def _attribute(element: Element, key: str, vocabulary: Vocabulary) -> Piece:
    spelled = vocabulary.spelled.get(f"{short(element.tag)} {short(key)}", str)

    def write(text: str) -> str:
        element.set(key, spelled(text))
        return spelled(text)

    return Piece(element.get(key), write)


_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_SPACED: Final = ("w:t", "x:t")
_CELLS: Final = ("w:tc", "a:tc")


def _before(element: Element) -> str:
    """Return a tab for the first line of a cell that is not the first of its row, else a new line."""
    if short(element.tag) == "x:c":
        return _before_cell(element)
    if (cell := element.getparent()) is not None and short(cell.tag) == "a:txBody":
        first, cell = cell.find(element.tag), cell.getparent()
    else:
        first = None if cell is None else cell.find(element.tag)
    if cell is None or short(cell.tag) not in _CELLS or first is not element:
        return "\n"
    before = cell.getprevious()
    return "\t" if before is not None and before.tag == cell.tag else "\n"


_MOST_GAPS: Final = 64
_COLUMN: Final = re.compile("[A-Z]{1,3}")


def _before_cell(cell: Element) -> str:
    """Return a tab for each column between a cell and the one before, in a new line for the first of a row."""
    before = cell.getprevious()
    gap = _column_of(cell) - (0 if before is None else _column_of(before))
    if before is not None:
        return "\t" * max(1, min(gap, _MOST_GAPS))
    return "\n" + "\t" * max(0, min(gap - 1, _MOST_GAPS))


def _column_of(cell: Element) -> int:
    """Return the number of a cell's column, from 1; 0 of one that does not tell."""
    match = _COLUMN.match(cell.get("r") or "")
    return 0 if match is None else column_number(match[0])


def column_number(letters: str) -> int:
    """Return the number of a column, from 1."""
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - 64
    return number
