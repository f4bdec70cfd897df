"""Word: .docx files, all of their text, with what is deleted or tracked gone."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from textveil.documents.drawing import CHARTS, DRAWING, FONT
from textveil.documents.markup import Element, Name, attribute, short
from textveil.documents.opc import Known, Package

_GONE: Final = (
    "w:del w:moveFrom w:rPrChange w:pPrChange w:sectPrChange w:tblPrChange w:tcPrChange w:trPrChange w:tblGridChange"
    " w:numberingChange w:tblPrExChange w:cellDel w:cellIns w:cellMerge w:moveFromRangeStart w:moveFromRangeEnd"
    " w:moveToRangeStart w:moveToRangeEnd w:customXmlInsRangeStart w:customXmlInsRangeEnd w:customXmlDelRangeStart"
    " w:customXmlDelRangeEnd w:customXmlMoveFromRangeStart w:customXmlMoveFromRangeEnd w:customXmlMoveToRangeStart"
    " w:customXmlMoveToRangeEnd w:customXmlPr w:smartTagPr w:proofErr w:permStart w:permEnd w:object w:control"
    " w:altChunk w:subDoc w:dataBinding w:alias w:tag w:placeholder w:docPartObj w:docPartList w:textInput w:helpText"
    " w:statusText w:entryMacro w:exitMacro w:contentPart w:rubyPr w:rt w:rsids w:docVars w:attachedTemplate w:mailMerge"
    " w:documentProtection w:writeProtection w:revisionView w:trackRevisions w:linkStyles w:saveThroughXslt"
    " w:schemaLibrary w:smartTagType w:hdrShapeDefaults w:shapeDefaults w:captions w:stylePaneFormatFilter"
    " w:activeWritingStyle w:clickAndTypeStyle w:lsdException w:embedRegular w:embedBold w:embedItalic w:embedBoldItalic"
    " w:delText w:delInstrText w:attachedSchema w:divId w:aliases w:proofState w:altName w:nsid w:tmpl w:rsid"
    " w:annotationRef w:id w:label w:forceUpgrade w:savePreviewPicture w:lastRenderedPageBreak w:fldData w14:docId"
)
STYLE: Final = Name(
    "Style",
    re.compile(
        r"(?:Normal|Heading|Title|Subtitle|List|Bullet|Number|Continue|Body|Text|Indent|First|Table|Grid|Light|Medium|Dark"
        r"|Colorful|Shading|Accent|Plain|Simple|Footnote|Endnote|Comment|Annotation|Reference|Header|Footer|Hyperlink"
        r"|Followed|Page|Line|Strong|Emphasis|Intense|Subtle|Quote|Caption|TOC|Index|Default|Paragraph|Font|No|Spacing"
        r"|Web|HTML|Macro|Balloon|Char|Placeholder|Book|Block|Date|Salutation|Closing|Signature|Message|Envelope|Address"
        r"|Document|Map|Preformatted|Code|Sample|Variable|Definition|Keyboard|Typewriter|Cite|Acronym|Unresolved|Mention"
        r"|heading|toc|index|annotation|footnote|endnote|header|footer|page|line|number|reference|text|table|of|and|authorities"
        r"|figures|toa|caption|macro|envelope|return|address|subject|a|(?<![1-9])[1-9]| |\(|\)|-|Strict|Revision|Bibliography)++"
    ),
)
_BOOKMARK: Final = Name("Bookmark", re.compile(r"_(?:Toc|Ref|Hlk)\d{1,12}|_GoBack|"))
_NUMBERED: Final = re.compile(r"\b(_(?:Toc|Ref|Hlk))(\d{1,12})\b")
_NUMBER: Final = Name("", re.compile(r"(?!)"))
_AUTHOR: Final = Name("Author", re.compile("Author"), numbered=False)
_FIELD_NAME: Final = Name("Field", re.compile(r"(?:Text|Check|Dropdown)\d{1,4}|"))
_STYLES: Final = (
    "w:pStyle w:val", "w:rStyle w:val", "w:tblStyle w:val", "w:basedOn w:val", "w:next w:val", "w:link w:val",
    "w:styleLink w:val", "w:numStyleLink w:val", "w:style w:styleId", "w:lvl w:tplc", "w:style w:name",
)  # fmt: skip
_SIMPLE: Final = re.compile(
    r"\s{0,20}(?:PAGE|NUMPAGES|SECTION|SECTIONPAGES|NUMCHARS|NUMWORDS|DATE|TIME|TOC|SEQ (?:Figure|Table|Equation|\\\*)"
    r"|(?:PAGE|NOTE)?REF _(?:Toc|Ref)\d{1,12}|HYPERLINK \\l \"_(?:Toc|Ref)\d{1,12}\"|FORM(?:TEXT|CHECKBOX|DROPDOWN))"
    r"(?:\s{1,20}(?:\\[a-z*#@!]|MERGEFORMAT|ARABIC|roman|ROMAN|\"[1-9]-[1-9]\"|\"[dMyHhms :./,-]{1,30}\"|[1-9])){0,9}+\s{0,20}"
)
"""Fields that say nothing of anybody. Any other is its result from now on."""
_COMPATIBLE: Final = (
    "compatibilityMode|overrideTableStyleFontSizeAndJustification|enableOpenTypeFeatures|doNotFlipMirrorIndents"
    "|differentiateMultirowTableHeaders|useWord2013TrackBottomHyphenation|allowHyphenationAtTrackBottom"
)
WORDS: Final = replace(
    DRAWING,
    texts=DRAWING.texts | {"w:t", "m:t"},
    lines=DRAWING.lines | {"w:p"},
    characters={
        **DRAWING.characters, "w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-", "w:softHyphen": "",
    },
    gone=DRAWING.gone | frozenset(_GONE.split()),
    opened=frozenset(("w:ins", "w:moveTo", "w:smartTag", "w:customXml", "w:ruby", "w:rubyBase", "w:bdo")),
    spoken=DRAWING.spoken
    | {"w:lvlText w:val", "w:listItem w:displayText", "w:listItem w:value", "w:listEntry w:val", "w:hyperlink w:tooltip",
       "w:tblCaption w:val", "w:tblDescription w:val"},
    named={
        **DRAWING.named,
        **dict.fromkeys(_STYLES, STYLE),
        "w:name w:val": STYLE,
        **dict.fromkeys(("w:ascii", "w:hAnsi", "w:cs", "w:eastAsia", "w:font w:name", "w:sym w:font", "w14:font", "m:mathFont m:val"), FONT),
        **dict.fromkeys(("w:bookmarkStart w:name", "w:hyperlink w:anchor"), _BOOKMARK),
        "w:author": _AUTHOR,
        "w:ffName w:val": _FIELD_NAME,
    },
    plain={**DRAWING.plain, "w:instrText": _SIMPLE},
    lost=DRAWING.lost
    | {f"w:{name}" for name in ["rsidR", "rsidRPr", "rsidRDefault", "rsidP", "rsidTr", "rsidDel", "rsidSect", "date", "initials", "fullDate", "uri", "element", "userId", "providerId", "docLocation", "tgtFrame", "fldData"]} | {"w14:paraId", "w14:textId"},
    worded={**DRAWING.worded, "w:instr": _SIMPLE, "w:lvlText w:val": re.compile(r"(?:%\d|[\W_]|o)*+"), "w:compatSetting w:uri": re.compile("http://schemas.microsoft.com/office/word"),
            "w:compatSetting w:name": re.compile(_COMPATIBLE), "w:char": re.compile("[0-9A-Fa-f]{4}")},
)  # fmt: skip
_TYPE: Final = "wordprocessingml."


class Word(Package):
    """A file of Word."""

    suffix = ".docx"

    def marked(self, text: str) -> str:
        """Return a bookmark, or a field that refers to one, with the number of the bookmark written anew."""
        return _NUMBERED.sub(lambda match: match[1] + self.names.of(_NUMBER, match[2]), text)


_SYMBOL: Final = re.compile(r"(?i)F0[A-F][0-9A-F]|F0(?:4A|52|54|6E|6F|71|76)")
"""Symbols of fonts of symbols: ticks, boxes, arrows and bullets. Others spell words that no reader of text sees."""


def _prepare(root: Element, package: Any) -> None:
    _prepare_marks(root, package)
    for symbol in [element for element in root.iter() if short(element.tag) == "w:sym"]:
        if _SYMBOL.fullmatch(attribute(symbol, "w:char")) is None:
            package.removed["symbol"] += 1
            symbol.getparent().remove(symbol)
    for row in [mark.getparent().getparent() for mark in root.iter() if _is_deleted_row(mark)]:
        if row.getparent() is not None:
            row.getparent().remove(row)
    for simple in [element for element in root.iter() if short(element.tag) == "w:fldSimple"]:
        if _SIMPLE.fullmatch(attribute(simple, "w:instr")) is None:
            package.removed["field"] += 1
            parent, at = simple.getparent(), simple.getparent().index(simple)
            parent.remove(simple)
            for number, child in enumerate(list(simple)):
                parent.insert(at + number, child)
    for marks, instruction in list(_fields(root)):
        if _SIMPLE.fullmatch(instruction) is None:
            package.removed["field"] += 1
            for mark in marks:
                if mark.getparent() is not None:
                    mark.getparent().remove(mark)


def _prepare_marks(root: Element, package: Any) -> None:
    """Write the numbers of bookmarks anew, and of them in fields, whose words may be split."""
    for mark in root.iter():
        for key in mark.attrib if short(mark.tag) in ("w:bookmarkStart", "w:hyperlink", "w:fldSimple") else ():
            mark.set(key, package.marked(mark.get(key)))
    for marks, instruction in list(_fields(root)):
        said = [mark for mark in marks if short(mark.tag) == "w:instrText"]
        for number, mark in enumerate(said):
            mark.text = None if number else package.marked(instruction)


def _is_deleted_row(mark: Element) -> bool:
    return short(mark.tag) in ("w:del", "w:moveFrom") and short(mark.getparent().tag) == "w:trPr"


def _fields(root: Element) -> Iterator[tuple[list[Element], str]]:
    """Yield the marks of each field with its instruction; what never ends is a field too."""
    open_fields: list[tuple[list[Element], list[str]]] = []
    behind: list[bool] = []
    for element in root.iter():
        name = short(element.tag)
        if name == "w:fldChar":
            kind = attribute(element, "w:fldCharType")
            if kind == "begin":
                open_fields.append(([], []))
                behind.append(False)
            if open_fields:
                open_fields[-1][0].append(element)
                behind[-1] = behind[-1] or kind == "separate"
            if kind == "end" and open_fields:
                marks, words = open_fields.pop()
                behind.pop()
                yield marks, "".join(words)
        elif name == "w:instrText" and open_fields:
            open_fields[-1][0].append(element)
            open_fields[-1][1].append(element.text or "")
    for marks, _ in open_fields:
        yield marks, ""


_KINDS: Final = {
    "document.main": "body", "header": "header", "footer": "footer", "footnotes": "footnotes", "endnotes": "endnotes",
    "comments": "comments", "styles": "styles", "numbering": "numbering", "settings": "settings", "fontTable": "fonts",
}  # fmt: skip
Word.known = {
    **{f"{_TYPE}{name}+xml": Known(kind, WORDS, _prepare) for name, kind in _KINDS.items()},
    f"{_TYPE}template.main+xml": Known("body", WORDS, _prepare),
    **CHARTS,
}
