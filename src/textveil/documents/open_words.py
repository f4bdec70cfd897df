"""The roles of elements and attributes of OpenDocument: text, names, words of the format; the rest goes."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from textveil.documents.markup import Element, Name, Vocabulary, new_child, new_element, short
from textveil.documents.model import Piece
from textveil.documents.office import FONT, SHAPE
from textveil.errors import MissingExtra

with MissingExtra("odfpy", "documents"):
    from odf import grammar

_GONE: Final = (
    "office:scripts office:script office:event-listeners office:forms office:change-info office:dde-source office:meta"
    " office:settings office:binary-data dc:date meta:date-string text:tracked-changes text:change text:change-start"
    " text:change-end text:number text:soft-page-break text:variable-decls text:user-field-decls text:dde-connection-decls"
    " text:alphabetical-index-auto-mark-file text:alphabetical-index-mark text:alphabetical-index-mark-start"
    " text:alphabetical-index-mark-end text:toc-mark text:toc-mark-start text:toc-mark-end text:user-index-mark"
    " text:user-index-mark-start text:user-index-mark-end text:section-source text:bibliography-configuration"
    " text:database-next text:database-row-select text:script text:execute-macro text:page-sequence text:dde-connection"
    " table:tracked-changes table:data-pilot-tables table:database-ranges table:consolidation table:dde-links table:scenario"
    " table:detective table:table-source table:cell-range-source table:label-ranges table:error-macro draw:applet draw:plugin"
    " draw:floating-frame draw:object-ole draw:control draw:image-map draw:param presentation:event-listener"
    " presentation:settings presentation:sound presentation:animations presentation:show-shape presentation:show-text"
    " presentation:hide-shape presentation:hide-text presentation:dim presentation:play presentation:animation-group"
    " style:font-face-src svg:font-face-src svg:font-face-uri svg:definition-src style:handout-master xforms:model math:math"
)
_GONE_PREFIXES: Final = ("anim", "form", "script", "xforms", "smil", "config", "meta", "")
MIXED: Final = frozenset(("text:p text:h text:span text:a text:ruby-base text:meta text:meta-field").split())
"""Elements in which text stands beside elements."""
FIELDS: Final = frozenset(
    (
        "text:page-number text:page-count text:sheet-name text:chapter text:date text:time text:sequence"
        " text:bookmark-ref text:reference-ref text:sequence-ref text:note-ref"
    ).split()
)
"""Fields that say nothing of anybody; any other is its result from now on."""
SPECIAL: Final = {"text:tab": "\t", "text:line-break": "\n"}
_LINES: Final = frozenset(
    (
        "text:p text:h svg:title svg:desc table:title table:desc text:note-citation text:ruby-text"
        " text:index-title-template text:index-entry-span presentation:header-decl presentation:footer-decl"
        " presentation:date-time-decl text:note-continuation-notice-backward"
        " text:note-continuation-notice-forward text:linenumbering-separator"
    ).split()
)
STYLE: Final = Name(
    "Style",
    re.compile(
        r"(?:Standard|Default|Text|body|Body|Heading|Title|Subtitle|List|Index|Table|Contents|Header|Footer|Footnote|Endnote"
        r"|Internet|link|Visited|Link|Bullet|Symbols|Numbering|Graphics|Frame|Formula|Quotations|Preformatted|Page|Character"
        r"|Source|Emphasis|Strong|Caption|Outline|Illustration|Drawing|Figure|Marginalia|Signature|Salutation|Sender|Addressee"
        r"|First|line|indent|left|right|Left|Right|Hanging|Horizontal|Line|numbering|Notes|notes|Note|Accent|Bad|Good|Neutral"
        r"|Error|Warning|Status|Result|Blank|Slide|Object|without|fill|with|no|No|objects|background|Background|and|of|the|default"
        r"|standard|graphic|paragraph|Converted|Mpm|Mdp|Mgr|Mpr|MT|MP|ML|WWNum|Sect|AL|T|P|L|N|F|C|R|ce|co|ro|ta|gr|pr|dp|fr|pm|ch|a"
        r"|_20_|_5f_|_2a_|-|_|\d{1,5}| )*+"
    ),
)
FONT_NAME: Final = Name("Font", re.compile(rf"(?:{FONT.public.pattern})\d{{0,2}}"))
_FAMILY: Final = Name("Arial", re.compile(rf"'?(?:{FONT.public.pattern})'?"), numbered=False)
MARK: Final = Name(
    "Mark",
    re.compile(
        r"_?_?(?:Toc|Ref|RefHeading|DdeLink|RefNumPara)_{0,3}\d{1,12}(?:_\d{1,12})?|ref(?:Illustration|Table|Text|Drawing|Figure)\d{1,5}|Mark\d{1,6}"
    ),
)
SEQUENCE: Final = Name("Sequence", re.compile("Illustration|Table|Text|Drawing|Figure"))
TABLE: Final = Name("Table", re.compile(r"(?:Table|Sheet|Tabelle|Feuille|Hoja|Foglio|Blad)\d{1,5}|local-table"))
DEFINED: Final = Name("Name_", re.compile(r"Name_\d{1,6}"))
_AUTHOR: Final = re.compile("Author")
_ID: Final = Name("id", re.compile("id\\d{1,9}"))
_LOOK: Final = Name("Look", re.compile("(?!)"))
_STYLED: Final = frozenset(
    (
        "style:name style:parent-style-name style:next-style-name style:data-style-name style:list-style-name"
        " style:style-name style:apply-style-name style:percentage-data-style-name"
        " style:register-truth-ref-style-name style:font-style-name style:master-page-name style:page-layout-name"
        " style:leader-text-style chart:style-name draw:style-name draw:text-style-name draw:master-page-name"
        " text:master-page-name presentation:style-name table:style-name presentation:presentation-page-layout-name"
        " table:default-cell-style-name table:paragraph-style-name text:style-name text:citation-style-name"
        " text:citation-body-style-name text:cond-style-name text:default-style-name"
        " text:main-entry-style-name text:visited-style-name text:continue-list table:template-name"
    ).split()
)  # fmt: skip
_LOOKS: Final = (
    "draw:gradient draw:name", "draw:hatch draw:name", "draw:fill-image draw:name", "draw:opacity draw:name",
    "draw:marker draw:name", "draw:stroke-dash draw:name", "svg:linearGradient draw:name", "svg:radialGradient draw:name",
    "draw:fill-gradient-name", "draw:fill-hatch-name", "draw:fill-image-name", "draw:opacity-name", "draw:marker-start",
    "draw:marker-end", "draw:stroke-dash", "draw:stroke-dash-names",
)  # fmt: skip
_NUMBER: Final = r"[-+]?\d{0,8}(?:\.\d{1,15})?(?:[eE]-?\d{1,3})?(?:%|pt|in|cm|mm|pc|px|em|ex|\*|deg)?"
_TERM: Final = (
    rf"(?:#[0-9A-Fa-f]{{3,8}}(?![\w])|{_NUMBER}(?![\w.%])|(?:solid|dashed|dotted|double|groove|ridge|inset|outset|none|hidden"
    r"|auto|transparent|thin|medium|thick|super|sub|rect|rotate|translate|scale|skewX|skewY|matrix)(?![\w-]))"
)
VALUES: Final = re.compile(
    rf"(?:{_TERM}[ ,()]{{0,3}})*+|[^\w\s]{{1,2}}"
    r"|P(?:T|\d{1,4}[YMD]){0,4}(?:\d{1,6}(?:[.,]\d{1,9})?[HMS]){0,3}"
)
"""Numbers with units, colors, and lists of these."""
_PATH: Final = re.compile(
    r"(?:[a-zA-Z]{1,2}+(?![a-zA-Z])|[?$][a-z]?\d{1,5}|[-+]?\d++|[., ]|(?:left|top|right|bottom|width|height)(?![a-z]))*+"
)
_GUIDE: Final = re.compile(
    r"(?:(?:sin|cos|tan|atan2?|sqrt|abs|min|max|if|pi|left|top|right|bottom|xstretch|ystretch|hasfill|hasstroke|width|height"
    r"|logwidth|logheight)(?![a-z])|[?$][a-z]?\d{1,5}|[-+*/(),. \d])*+"
)
_IMAGE: Final = re.compile(r"Pictures/image\d{1,6}\.png|\./Object \d{1,5}|#")
_OWN_LINK: Final = re.compile(rf"#(?:{MARK.public.pattern})|#")
_CONDITION: Final = re.compile(r"(?:value|cell-content)\(\)(?:<|>|=|<=|>=|!=)-?\d{1,15}(?:\.\d{1,15})?")
_AFFIX: Final = re.compile(r"[\W_]{0,8}")


def known(tag: str) -> bool:
    """Tell whether an element is one of OpenDocument's that may stay."""
    name = short(tag)
    return (
        _split(tag) in grammar.allowed_children and name not in _LOST and name.partition(":")[0] not in _GONE_PREFIXES
    )


_LOST: Final = frozenset(_GONE.split())


def known_attribute(tag: str, key: str) -> bool:
    """Tell whether an element may have an attribute, by the grammar of OpenDocument."""
    allowed = grammar.allowed_attributes.get(_split(tag))
    return allowed is not None and (_split(key) in allowed or short(key) in ("xml:id",))


def _split(tag: str) -> tuple[str, str]:
    namespace, _, name = tag[1:].partition("}")
    return namespace, name


def put(element: Element, text: str) -> None:
    """Write text into an element of ``MIXED``: what XML would lose of its spaces and lines is written in elements."""
    parts = re.split(r"(\n|\t|(?<= ) +)", text)
    element.text = parts[0]
    namespace = element.tag[: element.tag.index("}") + 1]
    for number in range(1, len(parts), 2):
        mark = parts[number]
        if mark in "\n\t":
            new = new_element(f"{namespace}{'tab' if mark == chr(9) else 'line-break'}")
        else:
            new = new_element(f"{namespace}s")
            new.set(f"{namespace}c", str(len(mark)))
        element.insert(number - 1, new)
        span = new_element(f"{namespace}span")
        span.text = parts[number + 1]
        element.insert(number, span)


def mixed(element: Element) -> list[Piece]:
    """Return the place of the text that an element of ``MIXED`` begins with."""
    return [Piece(element.text or "", lambda text: put(element, text))]


def count_of(space: Element) -> int:
    """Return how many spaces an element stands for."""
    count = next((value for key, value in space.attrib.items() if short(key) == "text:c"), "1")
    return min(int(count[:8]), _MOST_SPACES) if count.isdecimal() else 1


def _special(element: Element) -> list[Piece]:
    name = short(element.tag)
    shown = SPECIAL.get(name) or " " * count_of(element)

    def write(text: str) -> None:
        parent = element.getparent()
        if text:
            span = new_child(parent, f"{element.tag[: element.tag.index('}') + 1]}span")
            parent.replace(element, span)
            put(span, text)
        else:
            parent.remove(element)

    return [Piece(shown, write)]


_MOST_SPACES: Final = 100


def vocabulary(
    pieces: dict[str, Callable[[Element], list[Piece]]],
    before: Callable[[Element], str],
    spelled: Callable[[str], str],
    addresses: re.Pattern[str],
) -> Vocabulary:
    """Return what all three kinds of files have, with the pieces that cells and formulas are written in."""
    return replace(
        _WORDS,
        pieces={**dict.fromkeys(MIXED, mixed), **dict.fromkeys(("text:s", *SPECIAL), _special), **pieces},
        before=before,
        spelled={"table:table table:name": spelled},
        worded={**_WORDS.worded, **dict.fromkeys(ADDRESSES, addresses)},
    )


ADDRESSES: Final = (
    "table:cell-range-address", "table:base-cell-address", "table:cell-address", "table:end-cell-address", "table:print-ranges",
    "style:base-cell-address", "table:cell-range", "chart:values-cell-range-address", "chart:label-cell-address",
    "chart:error-lower-range", "chart:error-upper-range", "draw:notify-on-update-of-ranges",
)  # fmt: skip
FORMULAS: Final = ("table:table-cell table:formula", "table:covered-table-cell table:formula",
                   "table:content-validation table:condition", "table:named-expression table:expression")  # fmt: skip
_WORDS: Final = Vocabulary(
    texts=_LINES | MIXED | FIELDS | {"presentation:header", "presentation:footer", "presentation:date-time"},
    lines=_LINES,
    apart=frozenset(("office:annotation",)),
    characters={"text:s": " ", **SPECIAL},
    gone=frozenset(_GONE.split()),
    spoken=frozenset(
        ("text:note-citation text:label", "text:a xlink:href", "draw:a xlink:href", "text:a office:title", "draw:a office:title", "table:table table:name",
         "table:help-message table:title", "table:error-message table:title", "text:list-level-style-number style:num-prefix",
         "text:list-level-style-number style:num-suffix", "text:list-level-style-bullet style:num-prefix",
         "text:list-level-style-bullet style:num-suffix", "text:outline-level-style style:num-prefix",
         "text:outline-level-style style:num-suffix", "text:notes-configuration style:num-prefix",
         "text:notes-configuration style:num-suffix", *FORMULAS)
    ),
    named={
        **dict.fromkeys(_STYLED, STYLE),
        **dict.fromkeys(_LOOKS, _LOOK),
        **dict.fromkeys((f"style:font-name{tail}" for tail in ("", "-asian", "-complex")), FONT_NAME),
        "style:font-face style:name": FONT_NAME,
        **dict.fromkeys(("svg:font-family", "fo:font-family", "style:font-family-asian", "style:font-family-complex"), _FAMILY),
        **dict.fromkeys((f"text:{name}{tail} text:name" for name in ("bookmark", "reference-mark") for tail in ("", "-start", "-end")), MARK),
        "text:ref-name": MARK, "office:name": MARK, "text:sequence-decl text:name": SEQUENCE, "text:sequence text:name": SEQUENCE,
        "text:caption-sequence-name": SEQUENCE, "text:section text:name": Name("Section", re.compile(r"Section\d{1,5}")),
        "text:name": Name("Index", re.compile(r"(?:Table of Contents|Index|Illustration Index|Index of Tables|User-Defined|Bibliography)\d{0,4}")),
        "table:named-range table:name": DEFINED, "table:named-expression table:name": DEFINED,
        **dict.fromkeys(("table:content-validation table:name", "table:content-validation-name"), Name("val", re.compile(r"val\d{1,6}"))),
        "draw:page draw:name": Name("Slide ", re.compile(r"page\d{1,5}|Slide \d{1,5}")),
        **dict.fromkeys(("draw:layer", "draw:layer draw:name"), Name("layer", re.compile("layout|background|backgroundobjects|controls|measurelines"))),
        "draw:equation draw:name": Name("f", re.compile(r"f\d{1,5}")),
        "draw:name": SHAPE, "chart:name": SHAPE, "draw:chain-next-name": SHAPE,
        **dict.fromkeys((f"presentation:{kind}-decl presentation:name" for kind in ("header", "footer", "date-time")), Name("decl", re.compile("(?!)"))),
        **dict.fromkeys((f"presentation:use-{kind}-name" for kind in ("header", "footer", "date-time")), Name("decl", re.compile("(?!)"))),
        **dict.fromkeys(("xml:id", "draw:id", "text:id", "draw:shape-id", "draw:start-shape", "draw:end-shape", "form:id", "table:database-table-name"), _ID),
    },
    plain={
        "dc:creator": _AUTHOR, "number:text": re.compile(r"[\W_]{0,12}"), "number:embedded-text": re.compile(r"[\W_]{0,12}"),
        "number:currency-symbol": re.compile(r"[^\w]{0,3}|[A-Z]{3}|kr|Kr|R|CHF|z\u0142|K\u010d|Ft|lei"),
    },
    lost=frozenset(
    (
        "style:display-name draw:display-name text:class-names draw:class-names presentation:class-names"
        " xlink:title office:target-frame-name table:protection-key table:protected text:protection-key"
        " table:protection-key-digest-algorithm text:protected text:change-id text:filter-name text:condition"
        " form:id text:date-value text:time-value table:comment table:user-name draw:filter-name"
        " draw:caption-id text:database-name text:table-name text:column-name table:index text:string-value"
        " style:filter-name style:paper-tray-name number:title text:is-hidden draw:mime-type chart:symbol-name svg:name"
        " draw:code draw:archive draw:object draw:corners table:table-name"
    ).split()
),
    worded={
        **dict.fromkeys(("fo:country", "number:country", "table:country", "style:country-asian", "style:country-complex"), re.compile("[A-Z]{2}|none")),
        **dict.fromkeys(("fo:script", "number:script"), re.compile("[A-Z][a-z]{3}")),
        "style:num-format": re.compile("[1aAiI]?"),
        "text:bullet-char": re.compile(r"[^\w]{1,2}|[a-zA-Z]"),
        **dict.fromkeys((f"text:{element} style:num-{end}" for element in ("list-level-style-number", "list-level-style-bullet", "outline-level-style", "notes-configuration") for end in ("prefix", "suffix")), _AFFIX),
        **dict.fromkeys(("style:num-prefix", "style:num-suffix", "style:char", "style:leader-text"), _AFFIX),
        **dict.fromkeys(("svg:d", "draw:points", "svg:viewBox", "draw:enhanced-path", "draw:modifiers", "draw:text-areas", "draw:glue-points",
                         "draw:handle-position", "draw:handle-polar", "draw:glue-point-leaving-directions", "svg:points"), _PATH),
        "draw:formula": _GUIDE,
        "xlink:href": _IMAGE,
        "text:a xlink:href": _OWN_LINK, "draw:a xlink:href": _OWN_LINK,
        "style:condition": _CONDITION,
        "table:table table:name": TABLE.public,
        "text:sequence text:formula": re.compile(rf"ooow:(?:{SEQUENCE.public.pattern}|Sequence\d{{1,5}})\+1"),
        **dict.fromkeys(("office:date-value", "table:date-value"), re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?)?")),
        "office:currency": re.compile("[A-Z]{3}"), "table:null-date table:date-value": re.compile(r"\d{4}-\d\d-\d\d"),
        "chart:class": re.compile(r"chart:[a-z-]{1,20}"), "office:version": re.compile(r"1\.\d"),
        "chart:attached-axis": re.compile(r"(?:primary|secondary)-[xyz]"),
        "text:display": re.compile("none|true|condition|value|formula|[a-z-]{1,24}"),
    },
    filled=frozenset(("table:named-expressions", "table:content-validations", "text:sequence-decls")),
    values=VALUES,
)  # fmt: skip
