"""Pages of HTML: their text and what their attributes say are sanitized; scripts, comments and what is unknown go."""

import base64
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from textveil.documents.model import Images, Passage, Piece
from textveil.documents.office import FONT
from textveil.documents.pictures import BLANK, Painted, Pictures
from textveil.documents.registry import take
from textveil.errors import InputError, MissingExtra

with MissingExtra("lxml", "documents"):
    from lxml import etree, html

_BLANK: Final = "data:image/gif;base64,R0lGODlhAQABAIAAAMzMzAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
INLINE: Final = frozenset(
    (
        "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd mark q s samp small span"
        " strike strong sub sup time tt u var wbr"
    ).split()
)
"""Elements that a line of text goes through; at every other one it ends."""
_BLOCKS: Final = frozenset(
    (
        "html head title body address article aside blockquote button caption center col colgroup dd details dialog"
        " dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr input label legend"
        " li link main menu meta nav ol optgroup option p pre rp rt ruby section select style summary table tbody td"
        " textarea tfoot th thead tr ul"
    ).split()
)
_GONE: Final = frozenset(
    (
        "script noscript iframe frame frameset noframes object embed applet template svg math canvas video audio"
        " source track noembed link base bgsound portal slot map area picture param xml"
    ).split()
)
_BARE: Final = ("xmp", "listing", "plaintext")
_SPOKEN: Final = frozenset(
    ("title alt placeholder aria-label aria-description label summary abbr cite value datetime content").split()
)
_WORDS: Final = frozenset(
    (
        "left right center justify start end top bottom middle baseline sub super char none normal bold bolder"
        " lighter italic oblique underline overline line-through solid dashed dotted double groove ridge inset"
        " outset hidden visible collapse separate block inline inline-block flex inline-flex grid inline-grid table"
        " table-row table-cell table-caption list-item contents auto inherit initial unset revert transparent"
        " currentcolor static relative absolute fixed sticky nowrap wrap wrap-reverse pre pre-wrap pre-line"
        " break-word break-all keep-all anywhere both row column row-reverse column-reverse space-between space-around"
        " space-evenly stretch flex-start flex-end border-box content-box padding-box cover contain repeat no-repeat"
        " repeat-x repeat-y scroll pointer default text move help disc circle square decimal lower-roman upper-roman"
        " lower-alpha upper-alpha small-caps uppercase lowercase capitalize small medium large x-small xx-small"
        " x-large xx-large smaller larger thin thick serif sans-serif monospace cursive fantasy system-ui ltr rtl"
        " always avoid page ellipsis clip inside outside white black red green blue yellow gray grey silver maroon"
        " purple fuchsia lime olive navy teal aqua orange pink brown gold cyan magenta lightgray lightgrey darkgray"
        " darkgrey darkblue darkred darkgreen lightblue whitesmoke button submit reset checkbox radio password email"
        " tel url number date time datetime-local month week color range file search image col colgroup rowgroup all"
        " screen print and only not on off true false yes no checked disabled selected readonly multiple required"
        " open presentation navigation main banner heading list listitem dialog form alert status img a i utf-8"
        " text/css one void above below box lhs rhs rows groups cols any exactly mso-line-height-rule"
    ).split()
)
"""Words of HTML and CSS that say nothing of anybody."""
_ATTRIBUTES: Final = frozenset(
    (
        "colspan rowspan span width height border cellpadding cellspacing align valign bgcolor color size dir type"
        " start reversed checked disabled selected readonly multiple required rows cols maxlength minlength min max"
        " step hidden open scope role charset nowrap clear noshade hspace vspace link vlink alink text lang media"
        " frame rules wrap tabindex aria-hidden aria-expanded aria-level aria-checked aria-disabled aria-selected"
        " aria-required"
    ).split()
)
_PROPERTIES: Final = re.compile(
    r"(?:-(?:webkit|moz|ms)-)?(?:align|justify|place)-(?:content|items|self)|(?:min-|max-)?(?:width|height)|background"
    r"(?:-(?:color|position|repeat|size|clip|attachment))?|border(?:-(?:top|right|bottom|left))?(?:-(?:color|style|width"
    r"|radius|collapse|spacing))?|border-(?:top|bottom)-(?:left|right)-radius|(?:margin|padding)(?:-(?:top|right|bottom"
    r"|left))?|bottom|box-(?:shadow|sizing)|caption-side|clear|color|column-(?:count|gap)|columns|cursor|direction|display"
    r"|empty-cells|flex(?:-(?:basis|direction|flow|grow|shrink|wrap))?|float|font(?:-(?:family|size|style|variant|weight))?"
    r"|gap|grid-(?:column|row|template-columns|template-rows)|left|letter-spacing|line-height|list-style(?:-(?:position"
    r"|type))?|opacity|order|orphans|outline(?:-(?:color|style|width))?|overflow(?:-[xy]|-wrap)?|page-break-(?:after|before"
    r"|inside)|position|right|row-gap|table-layout|text-(?:align|decoration|indent|overflow|shadow|transform|size-adjust)"
    r"|top|vertical-align|visibility|white-space|widows|word-(?:break|spacing|wrap)|z-index"
)
_UNIT: Final = r"[-+]?(?:\d{1,5}(?:\.\d{0,9})?|\.\d{1,9})(?:[a-z]{1,4}|%|\*)?"
_NUMBER: Final = re.compile(rf"{_UNIT}|#?[0-9A-Fa-f]{{3,8}}|")
_VALUE: Final = re.compile(
    rf"{_UNIT}|#[0-9A-Fa-f]{{3,8}}|[a-z/]+(?:-[a-z0-9]+)*|(?:rgba?|hsla?|calc|minmax|repeat)\(|[\s,)/*+-]|!important"
)
_SELECTOR: Final = re.compile(
    r"[.#][ci]\d+|[a-z]+[1-6]?|\*|::?(?:hover|visited|link|active|focus|before|after|first-child|last-child|root"
    r"|nth-child\((?:odd|even|\d+n?)\)|first-letter|first-line)(?![\w-])|[>+~,\s]"
)
_OUTSIDE: Final = re.compile(r"(?i)(?:https?|mailto|tel|ftp|sms):")
"""Targets that are text: a path alone may be anybody's, and is found by nobody."""
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-[A-Z]{2})?")
_SPACES: Final = re.compile(r"[ \t\r\n\f]+")
_CONTROLS: Final = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127, 0x202D, 0x202E], "")


def decoded(data: bytes, charset: str = "") -> str:
    """Return the text of a page by what it says of its characters: a mark, UTF-8, a declaration."""
    declared = re.search(rb"(?i)charset=[\"']?([\w-]{1,40})", data[:4096])
    says = charset or ("" if declared is None else declared[1].decode("ascii", "replace"))
    marked = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    # Other letters in ASCII's bytes, which UTF-8 would read as they are written.
    hidden = (says,) if re.match(r"(?i)(?:unicode-1-1-)?utf-?7|(?:cs)?iso-?2022|hz", says) else ()
    for encoding in (*hidden, marked, says, "cp1252"):
        try:
            return data.decode(encoding).translate(_CONTROLS)
        except (LookupError, ValueError):
            continue
    return data.decode("latin-1").translate(_CONTROLS)


class Page:
    """A page of HTML that was read; see the package's docstring."""

    def __init__(self, data: bytes, images: Images, charset: str = "") -> None:
        self.passages: list[Passage] = []
        self.parts: Counter[str] = Counter({"page of HTML": 1})
        self.removed: Counter[str] = Counter()
        self._pictures = Pictures(images, self.parts)
        self._painted: list[tuple[Any, Painted]] = []
        self._names: dict[tuple[str, str], str] = {}
        take("tags", data.count(b"<"))
        text = re.sub(r"\A\s{0,9}<\?xml[^>]{0,200}>", "", decoded(data, charset))
        try:
            self._root = html.document_fromstring(text if text.strip() else "<p></p>")
        except (etree.ParserError, etree.XMLSyntaxError, ValueError):
            self._root = None
        if self._root is None:
            raise InputError("the document must be a page of HTML; it is something else, or damaged.")
        self._clean()
        self._gather()
        self.passages += self._pictures.passages

    def _clean(self) -> None:
        for element in list(self._root.iter()):
            tag = element.tag
            if not isinstance(tag, str):
                self.removed["comment or instruction"] += 1
                _without(element)
            elif tag in _GONE:
                self.removed[f"element {tag}"] += 1
                _without(element)
            elif tag == "bdo" or tag in _BARE:
                element.attrib.clear()
                element.tag = "span" if tag == "bdo" else "pre"
            elif tag not in INLINE and tag not in _BLOCKS:
                self.removed["element of another vocabulary"] += 1
                element.attrib.clear()
                element.tag = "span"
            elif tag == "style":
                element.text = self._sheet(element.text or "")
                element.attrib.clear()
            else:
                self._attributes(element, tag)
        if (head := self._root.find("head")) is None:
            head = etree.Element("head")
            self._root.insert(0, head)
        for meta in self._root.xpath("//meta[not(@content) or @charset]"):
            _without(meta)
        head.insert(0, etree.Element("meta", charset="utf-8"))

    def _attributes(self, element: Any, tag: str) -> None:
        meta = tag == "meta" and element.get("http-equiv") is None
        for key, value in list(element.attrib.items()):
            new: str | None = None
            if key in ("class", "id", "for", "headers", "aria-labelledby", "aria-describedby") or (key, tag) == (
                "name",
                "a",
            ):
                kind = "c" if key == "class" else "i"
                new = " ".join(self._named(kind, name) for name in value.split())
            elif (key in _SPOKEN and (key != "content" or meta)) or (
                (key, tag) == ("name", "meta") and value.lower() in ("author", "description", "keywords", "viewport")
            ):
                new = value
            elif key == "style":
                new = self._declarations(value)
            elif key == "href" and value.startswith("#"):
                new = "#" + self._named("i", value[1:]) if value[1:] else "#"
            elif key == "href" and tag == "a":
                new = value.strip() if _OUTSIDE.match(value.strip()) is not None else "#"
                self.removed["target of a link"] += new == "#"
            elif key == "src" and tag in ("img", "input"):
                self._painted.append((element, self._pictures.take(_data_of(value))))
                new = _BLANK
            elif (
                (key == "face" and FONT.public.fullmatch(value) is not None)
                or (key in _ATTRIBUTES and (value.lower() in _WORDS or _NUMBER.fullmatch(value.strip())))
                or (key in ("lang", "xml:lang") and _LANGUAGE.fullmatch(value) is not None)
            ):
                new = value
            if new is None:
                del element.attrib[key]
                data = key.startswith("data-")
                self.removed[
                    "attribute of data" if data else "attribute of a script" if key[:2] == "on" else "attribute"
                ] += 1
            else:
                element.set(key, new)

    def _named(self, kind: str, name: str) -> str:
        own = [key for key in self._names if key[0] == kind]
        return self._names.setdefault((kind, name), f"{kind}{len(own) + 1}")

    def _declarations(self, text: str) -> str:
        kept = []
        for declaration in text.split(";"):
            name, _, value = (part.strip() for part in declaration.partition(":"))
            name = name.lower()
            if _PROPERTIES.fullmatch(name) and self._harmless(name, value):
                kept.append(f"{name}: {value}")
            elif name:
                self.removed["declaration of style"] += 1
        return "; ".join(kept)

    def _harmless(self, name: str, value: str) -> bool:
        if name == "font-family":
            fonts = [font.strip(" \t\n\"'") for font in value.removesuffix("!important").split(",")]
            return all(FONT.public.fullmatch(font) or font.lower() in _WORDS for font in fonts)
        return _made_of(
            _VALUE, value.lower(), lambda word: word in _WORDS or not word[0].isalpha() or word.endswith("(")
        )

    def _sheet(self, text: str) -> str:
        """Return a sheet of styles without what is not known."""
        kept = []
        for prelude, body in _rules(re.sub("<!--|-->", "", _without_comments(text))):
            inner = ""
            if prelude.startswith("@media"):
                words = re.sub(r"[(),:]|(?:min|max)-(?:width|height)", " ", prelude[6:])
                if all(word in _WORDS or _NUMBER.fullmatch(word) for word in words.split()):
                    inner = self._sheet(body)
            elif "{" not in body:
                selector = re.sub(
                    r"(?<![\w)-])([\w-]{0,64}+)([.#])([A-Za-z_-][\w-]{0,64}+)",
                    lambda match: match[1] + match[2] + self._named("c" if match[2] == "." else "i", match[3]),
                    prelude,
                )
                selector = re.sub(r"(?<=\d)([.#])(?![ci]\d)[\w-]{0,64}+", "", selector)
                known = _made_of(
                    _SELECTOR, selector, lambda word: not word[0].isalpha() or word in _BLOCKS or word in INLINE
                )
                if known or prelude == "@page":
                    prelude, inner = selector, self._declarations(body)
            if inner:
                kept.append(f"{prelude} {{ {inner} }}")
            else:
                self.removed["rule of style"] += 1
        return "\n".join(kept)

    def _gather(self) -> None:
        """Gather the lines of text, then what attributes say."""
        lines: list[Passage] = [Passage("text")]
        spoken: list[Passage] = []
        pre = 0

        def add(element: Any, name: str) -> None:
            if (text := getattr(element, name)) and not pre:
                text = _SPACES.sub(" ", text)
                setattr(element, name, text)
            if text:
                lines[-1].pieces.append(Piece(text, lambda new: setattr(element, name, new)))

        for event, element in etree.iterwalk(self._root, events=("start", "end")):
            if (tag := element.tag) not in INLINE and lines[-1].pieces:
                cell = event == "start" and tag in ("td", "th") and element.getprevious() is not None
                lines.append(Passage("text", before="\t" if cell else "\n\n" if tag == "p" else "\n"))
            if tag in _HEADINGS:
                lines[-1].level = _HEADINGS.index(tag) + 1 if event == "start" else 0
            if event == "start":
                pre += tag in ("pre", "textarea")
                if tag == "br":
                    lines[-1].pieces.append(Piece("\n", lambda new: "\n"))
                elif tag != "style":
                    add(element, "text")
                for key in element.attrib:
                    if key in _SPOKEN or (key == "href" and element.get(key)[:1] != "#"):
                        part = "target of a link" if key == "href" else "attribute"
                        spoken.append(Passage(part, [_attribute(element, key)]))
            else:
                pre -= tag in ("pre", "textarea")
                add(element, "tail")
        self.passages = [line for line in (*lines, *spoken) if line.text.strip()]

    def written(self) -> bytes:
        for element, picture in self._painted:
            if (painted := picture()) != BLANK:
                element.set("src", "data:image/png;base64," + base64.b64encode(painted).decode("ascii"))
        data: bytes = html.tostring(self._root, encoding="utf-8", doctype="<!DOCTYPE html>")
        return data


def _data_of(address: str) -> bytes:
    """Return the picture that an address holds; empty if it names one that lies elsewhere."""
    head, _, data = address.partition(",")
    if not head.startswith("data:image/") or not head.endswith(";base64"):
        return b""
    try:
        return base64.b64decode(data)
    except ValueError:
        return b""


def _without(element: Any) -> None:
    """Take an element out, while the text behind it stays."""
    if (parent := element.getparent()) is None:
        return
    before = element.getprevious()
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    element.tail = None
    parent.remove(element)


def _attribute(element: Any, key: str) -> Piece:
    return Piece(element.get(key), lambda new: element.set(key, new))


def _made_of(form: re.Pattern[str], text: str, known: Any) -> bool:
    at = 0
    while at < len(text):
        if (match := form.match(text, at)) is None or match.end() == at or not known(match[0]):
            return False
        at = match.end()
    return True


def _without_comments(text: str) -> str:
    """Return a sheet of styles without comments; one that does not end is the rest."""
    first, *others = text.split("/*")
    return first + "".join(other.partition("*/")[2] for other in others)


def _rules(text: str) -> Iterator[tuple[str, str]]:
    depth = start = 0
    prelude = ""
    for match in re.finditer(r"[{};]", text):
        if match[0] == "{":
            depth += 1
            if depth == 1:
                prelude, start = text[start : match.start()].strip(), match.end()
        elif match[0] == "}" and depth:
            depth -= 1
            if not depth:
                yield prelude, text[start : match.start()]
                start = match.end()
        elif not depth:
            yield "@other", ""
            start = match.end()
