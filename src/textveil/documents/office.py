"""Word and slides: .docx and .pptx files, all of their text, with what is deleted or tracked gone; and their drawings.

DrawingML and VML are shapes, text boxes, tables of slides and themes, in sheets too; some names of fonts are public.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from textveil.documents.markup import PLAIN, Element, Name, Vocabulary, attribute, short
from textveil.documents.model import Piece
from textveil.documents.opc import Known, Package

FONT: Final = Name(
    "Arial",
    re.compile(
        r"(?:\+m[nj]-(?:lt|ea|cs)|Agency FB|Aharoni|Algerian|Andale Mono|Angsana New|Aptos|Arial|Bahnschrift|Baskerville"
        r"(?: Old Face)?|Batang|Bell MT|Bodoni MT|Book Antiqua|Bookman Old Style|Browallia New|Calibri|Calisto MT|Cambria"
        r"(?: Math)?|Candara|Carlito|Century(?: Gothic| Schoolbook)?|Charter|Chalkboard|Comic Sans(?: MS)?|Consolas"
        r"|Constantia|Cooper|Copperplate|Corbel|Cordia New|Courier(?: New)?|DaunPenh|David|DejaVu(?: Sans| Serif)?(?: Mono)?"
        r"|DengXian|Didot|DokChampa|Dotum|Ebrima|Euphemia|FangSong|Franklin Gothic(?: (?:Book|Demi|Demi Cond|Heavy|Medium|Medium Cond))?|Futura|Gadugi|Garamond|Gautami"
        r"|Geneva|Georgia(?: Pro)?|Gill Sans(?: MT| Nova)?|Gisha|Gloucester MT|Goudy Old Style|Gulim(?:Che)?|Haettenschweiler"
        r"|Helvetica(?: Neue)?|Hoefler Text|Impact|Inter|Iskoola Pota|Kalinga|Kartika|Khmer UI|KaiTi|Lao UI|Lato|Latha"
        r"|Leelawadee(?: UI)?|Liberation (?:Sans|Serif|Mono)(?: Narrow)?|Lucida (?:Bright|Calligraphy|Console|Fax|Handwriting"
        r"|Sans(?: Unicode| Typewriter)?)|Mangal|Meiryo(?: UI)?|Menlo|MingLiU|Microsoft (?:Himalaya|JhengHei|New Tai Lue"
        r"|PhagsPa|Sans Serif|Tai Le|Uighur|YaHei|Yi Baiti)|Miriam|Monaco|Mongolian Baiti|Monotype Corsiva|Montserrat"
        r"|MoolBoran|MS (?:Gothic|Mincho|PGothic|PMincho|Reference Sans Serif|Sans Serif|UI Gothic)|MT Extra|MV Boli|Myanmar Text"
        r"|Narkisim|Nirmala UI|Noto(?: (?:Color|Emoji|Kufi|Mono|Music|Naskh|Nastaliq|Sans|Serif|Symbols2?|CJK|JP|KR|SC|TC|HK|UI|Arabic|Armenian|Bengali"
        r"|Devanagari|Display|Ethiopic|Georgian|Gujarati|Gurmukhi|Hebrew|Kannada|Khmer|Lao|Malayalam|Math|Myanmar|Oriya|Sinhala"
        r"|Syriac|Tamil|Telugu|Thaana|Thai|Tibetan|Urdu)){1,4}|Nyala|OpenSymbol|Open Sans|Optima|Palatino(?: Linotype)?|Papyrus|Perpetua"
        r"|Plantagenet Cherokee|PMingLiU|Raavi|Raleway|Roboto(?: (?:Black|Condensed|Flex|Light|Medium|Mono|Serif|Slab|Thin))?|Rockwell|Sakkal Majalla|Segoe (?:Print|Script|UI"
        r"(?: (?:Emoji|Historic|Light|Semibold|Semilight|Symbol))?)|Shruti|SimHei|SimSun(?:-ExtB)?|Simplified Arabic|Source"
        r" (?:Code|Sans|Serif)(?: Pro)?|Sylfaen|Symbol|Tahoma|Times(?: New Roman)?|Traditional Arabic|Trebuchet MS|Tunga"
        r"|Tw Cen MT|Ubuntu|Univers|Utsaah|Verdana|Vijaya|Vrinda|Webdings|Wingdings(?: [23])?|Yu (?:Gothic|Mincho)"
        r"(?: UI| Light)?)(?: (?:Narrow|Black|Light|Bold|Condensed|Medium|Display|MT|Std|CE|Cyr|Greek|Baltic|Tur))?|"
    ),
    numbered=False,
)
"""A font that is not on the list may bear the name of a house, and becomes another."""
SHAPE: Final = Name(
    "Object ",
    re.compile(
        r"(?:Picture|Image|Grafik|Bild|Text ?Box|TextBox|Shape|Rectangle|Oval|Group|Chart|Diagram|Table|Title|Subtitle"
        r"|Content Placeholder|Text Placeholder|Picture Placeholder|Slide Number Placeholder|Date Placeholder"
        r"|Footer Placeholder|Header Placeholder|Notes Placeholder|Slide Image Placeholder|Line|Connector|Freeform"
        r"|Straight (?:Arrow )?Connector) ?\d{0,6}|"
    ),
)
_THEME_NAME: Final = Name("Theme", re.compile("Office(?: Theme)?|Default(?: Design)?|"), numbered=False)
_GUIDE: Final = Name(
    "g",
    re.compile(
        r"abs|at2|cat2|cos|max|min|mod|pin|sat2|sin|sqrt|tan|val|[lrtbwh]|[hvwc]c|[hw]d\d{1,2}|ssd?\d{0,2}|ls|(?:adj|g)\d{0,5}|hf|vf"
        r"|cd[248]|3cd[48]|5cd8|7cd8"
    ),
)
"""Names in formulas of shapes."""
_ID: Final = Name("90", re.compile(r"\d{0,8}"))
_GUIDES: Final = (
    "a:gd name",
    "a:gd fmla",
    "a:cxn ang",
    *(f"a:pt {at}" for at in "xy"),
    *(f"a:pos {at}" for at in "xy"),
    *(f"a:rect {at}" for at in "ltrb"),
    *(f"a:arcTo {of}" for of in ("wR", "hR", "stAng", "swAng")),
    *(
        f"a:ah{kind} {of}{at}"
        for kind, ends in (("XY", "XY"), ("Polar", ("R", "Ang")))
        for at in ends
        for of in ("gdRef", "min", "max")
    ),
)
_FORMULA: Final = re.compile(
    r"(?:(?:val|sum|product|mid|abs|min|max|if|mod|atan2|sin|cos|cosatan2|sinatan2|sqrt|sumangle|ellipse|tan|width|height|xcenter"
    r"|ycenter|xlimo|ylimo|hasstroke|hasfill|pixellinewidth|pixelwidth|pixelheight|emuwidth2?|emuheight2?|lineDrawn)(?!\w)"
    r"|[-@#]?\d{1,10}(?!\w)|[ ,])*+"
)
_URI: Final = re.compile(
    r"http://(?:schemas\.(?:openxmlformats\.org/(?:drawingml/2006/(?:picture|chart|table|diagram|main|compatibility)"
    r"|presentationml/2006/ole)|microsoft\.com/office/(?:word/2010/wordprocessing(?:Shape|Group|Canvas)|drawing/2014/chartex))"
    r"|purl\.oclc\.org/ooxml/drawingml/(?:picture|chart|table|diagram|main))"
)
_CSS: Final = re.compile(
    r"(?:(?:position|left|top|width|height|margin(?:-(?:left|right|top|bottom))?|z-index|visibility|flip|rotation"
    r"|mso-(?:(?:position|width|height)-(?:horizontal|vertical|percent|relative)(?:-relative|-percent)?|wrap-(?:style|edited)"
    r"|wrap-distance-(?:left|right|top|bottom)|(?:left|top)-percent|fit-(?:shape-to-text|text-to-shape)|layout-flow-alt|rotate|direction-alt)"
    r"|text-align|font-size|text-decoration|v-(?:text-(?:anchor|align|kern|spacing)|rotate-letters|same-letter-heights)"
    r"|layout-flow|direction):"
    r"(?:-?[0-9.]{1,12}(?:pt|in|px|cm|mm|%|f)?|(?:absolute|relative|static|visible|hidden|left|right|center|top|middle|bottom|text|page|char"
    r"|margin|line|column|(?:inner|outer|left|right|top|bottom)-margin-area|inside|outside|none|auto|square|t|f|x|y|xy|baseline"
    r"|(?:top|middle|bottom)-(?:center|baseline|center-baseline)|horizontal|vertical|vertical-ideographic|bottom-to-top|ltr|rtl"
    r"|justify|stretch-justify|letter-justify|underline|context)(?![\w-]))"
    r"(?:;|$)\s*+)*+"
)
_VML_PATH: Final = re.compile(
    r"(?:(?:[mlcxetrv]|n[fs]|a[etlr]|w[ar]|q[bxy]|h[a-i]){1,4}+(?![a-z])|@|-?\d{1,7}+(?=[^\d]|\Z)|[, ])*+"
)
_COLOR: Final = re.compile(
    r"(?:#[0-9A-Fa-f]{3,6}|black|silver|gray|white|maroon|red|purple|fuchsia|green|lime|olive|yellow|navy|blue|teal|aqua|none"
    r"|window(?:Text)?|infoBackground|buttonFace|fill|this|t|f|)(?: \[\d{1,4}\])?"
)

_DRAWING_GONE: Final = (
    "a:extLst wp:extLst a:snd a:wavAudioFile a:audioFile a:videoFile a:audioCd a:quickTimeFile a:legacy a:custDataLst"
    " v:textdata o:lock o:ink o:signatureline o:callout w10:wrapNone a:hlinkMouseOver a:objectDefaults"
)
DRAWING: Final = Vocabulary(
    texts=frozenset(("a:t",)),
    lines=frozenset(("a:p",)),
    characters={"a:br": "\n"},
    gone=frozenset(_DRAWING_GONE.split()),
    spoken=frozenset(
        f"{element} {name}"
        for element in ("wp:docPr", "pic:cNvPr", "p:cNvPr", "xdr:cNvPr", "wps:cNvPr", "wpg:cNvPr", "a:cNvPr", "cdr:cNvPr")
        for name in ("descr", "title")
    )
    | {"a:hlinkClick tooltip", "a:hlinkHover tooltip", "v:textpath string", "v:shape alt", "v:rect alt", "v:group alt"},
    named={
        **dict.fromkeys(
            (f"{prefix}:{name} name" for prefix in ("pic", "p", "xdr", "wps", "wpg", "a", "cdr") for name in ("cNvPr", "cNvPicPr")),
            SHAPE,
        ),
        "wp:docPr name": SHAPE,
        **dict.fromkeys(
            [f"{element} id" for element in ("wp:docPr", *(f"{prefix}:cNvPr" for prefix in ("pic", "p", "xdr", "wps", "wpg", "a", "cdr")), "a:stCxn", "a:endCxn")],
            _ID,
        ),
        **dict.fromkeys(("typeface",), FONT),
        **{f"a:{name} name": _THEME_NAME for name in ("theme", "clrScheme", "fontScheme", "fmtScheme", "extraClrScheme", "custClr")},
        "a:tblStyle styleName": _THEME_NAME,
    },
    guides=dict.fromkeys(_GUIDES, _GUIDE),
    plain={**dict.fromkeys(("wp:posOffset", "wp14:pctWidth", "wp14:pctHeight", "a:tableStyleId",
                            "wp14:pctPosHOffset", "wp14:pctPosVOffset"), PLAIN),
           "wp:align": re.compile("left|right|center|top|bottom|inside|outside")},
    lost=frozenset(
        ("invalidUrl", "action", "a:hlinkClick tgtFrame", "history", "o:title", "o:href", "o:spid", "o:gfxdata", "title",
         "alt", "href", "src", "class", "macro", "textlink", "target", "o:bullethref", "o:oned", "contentType", "bldStep")
    ),
    worded={**dict.fromkeys((f"v:{name} id" for name in "shape shapetype group rect line oval roundrect polyline arc curve image background".split()),
                            re.compile(r"_x0000_[a-z]\d{1,5}")),
            "a:font script": re.compile("[A-Z][a-z]{3}"), "uri": _URI, "style": _CSS, "v:f eqn": _FORMULA, "v:path v": _VML_PATH,
            "path": _VML_PATH, "a:path path": re.compile("circle|rect|shape"), "v:shape adj": _VML_PATH, "coordsize": _VML_PATH, "coordorigin": _VML_PATH,
            "v:path textboxrect": _VML_PATH, "inset": re.compile(r"(?:-?[\d.]{1,8}(?:pt|in|mm|cm|px|emu)?,?)*+"), "fillcolor": _COLOR,
            "strokecolor": _COLOR, "points": _VML_PATH, "o:connectlocs": _VML_PATH},
    anchors=frozenset(("w:drawing", "w:pict", "p:pic", "p:graphicFrame", "xdr:pic", "xdr:graphicFrame", "w:object")),
)  # fmt: skip

_FORMAT: Final = re.compile(
    r"(?:General|\[(?:Red|Blue|Black|White|Green|Yellow|Cyan|Magenta|[hms]{1,2}|[<>=]{1,2}\d{1,9}|\$[^\]\w]{0,3}-[0-9A-F]{1,8})\]"
    r"|[0#?,.%E+/:; dmyhsDMYHSaApPgGbBer$\u20ac\u00a3\u00a5@_*()\\\"\u00a0-])*+"
)
FORMAT: Final = Name("General", _FORMAT, numbered=False)
"""A format of numbers that holds words goes."""
CHART: Final = replace(
    DRAWING,
    texts=DRAWING.texts | {"c:v", "c:name"},
    lines=DRAWING.lines | {"c:v", "c:name"},
    gone=DRAWING.gone | {"c:extLst", "c:printSettings", "c:pivotSource", "c:pivotFmts", "c:externalData"},
    plain={**DRAWING.plain, "c:formatCode": _FORMAT, "c:separator": re.compile(r"[^\w]{0,3}"),
           "c:f": re.compile(r"Sheet1!\$A\$1"), "cdr:x": PLAIN, "cdr:y": PLAIN},
    named={**DRAWING.named, "c:axId val": _ID, "c:crossAx val": _ID, "c:numFmt formatCode": FORMAT, "c:pt formatCode": FORMAT},
    pieces={"c:v": lambda element: [number_piece(element)]},
)  # fmt: skip


def number_piece(element: Element) -> Piece:
    """Return the place of a value that stays a number if it is one."""
    text = element.text or ""

    def write(new: str) -> str:
        element.text = as_number(new) or text if as_number(text) else new
        return str(element.text)

    return Piece(text, write)


def as_number(text: str) -> str:
    """Return a number as files write it; empty if a text says none."""
    digits = text.strip().lstrip("$\u20ac\u00a3\u00a5").replace(",", "").replace(" ", "")
    return digits if _NUMBER.fullmatch(digits) else ""


_NUMBER: Final = re.compile(r"-?\d{1,20}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?")


def without_workbook(root: Element, package: object) -> None:
    """Take what a chart says of the workbook that it was made of out of it; its cached values are its values."""
    for element in root.iter():
        if short(element.tag) == "c:f":
            element.text = "Sheet1!$A$1"


CHARTS: Final = {
    "theme+xml": Known("theme", DRAWING),
    "drawingml.chart+xml": Known("chart", CHART, without_workbook),
    "drawingml.chartshapes+xml": Known("shapes of a chart", DRAWING),
}
"""Parts that files of all three programs have."""
_GONE: Final = (
    "p:extLst p:custDataLst p:tags p:controls p:embeddedFontLst p:custShowLst p:photoAlbum p:modifyVerifier p:smartTags"
    " p:kinsoku p:oleObj p:contentPart p:timing p:handoutMasterIdLst p:sndAc p:htmlPubPr p:webPr p:progTags"
)
SLIDES: Final = replace(
    DRAWING,
    texts=DRAWING.texts | {"p:text"},
    lines=DRAWING.lines | {"p:text"},
    gone=DRAWING.gone | frozenset(_GONE.split()),
    worded={**DRAWING.worded, **dict.fromkeys(("p:sldMasterId id", "p:sldLayoutId id"), re.compile(r"2147[4-9]\d{5}"))},
    named={
        **DRAWING.named,
        "p:cSld name": Name("Slide ", re.compile("Office Theme|Title Slide|Blank|Title Only|")),
        "p:cmAuthor name": Name("Author", re.compile("Author"), numbered=False),
        "p:cmAuthor initials": Name("A", re.compile("A"), numbered=False),
        "p:section name": Name("Section ", re.compile(r"Section \d+")),
    },
    lost=DRAWING.lost | {"p:cm dt", "p:sldLayout matchingName"},
    anchors=DRAWING.anchors | {"p:handoutMasterIdLst"},
    filled=frozenset(("p:notesMasterIdLst", "p:sldIdLst")),
)
_SLIDES_TYPE: Final = "presentationml."


class Slides(Package):
    """A file of slides."""

    suffix = ".pptx"


_KINDS: Final = {
    "presentation.main": "body", "template.main": "body", "slideshow.main": "body", "slide": "slide", "slideLayout": "layout",
    "slideMaster": "master", "notesSlide": "notes", "notesMaster": "master of notes", "comments": "comments",
    "commentAuthors": "authors", "presProps": "properties of the show", "viewProps": "view", "tableStyles": "styles",
}  # fmt: skip
Slides.known = {**CHARTS, **{f"{_SLIDES_TYPE}{name}+xml": Known(kind, SLIDES) for name, kind in _KINDS.items()}}
_GONE_FROM_WORD: Final = (
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
_WORD_NUMBER: Final = Name("", re.compile(r"(?!)"))
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
    gone=DRAWING.gone | frozenset(_GONE_FROM_WORD.split()),
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
_WORD_TYPE: Final = "wordprocessingml."


class Word(Package):
    """A file of Word."""

    suffix = ".docx"

    def marked(self, text: str) -> str:
        """Return a bookmark, or a field that refers to one, with the number of the bookmark written anew."""
        return _NUMBERED.sub(lambda match: match[1] + self.names.of(_WORD_NUMBER, match[2]), text)


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
        if (name := short(element.tag)) == "w:fldChar":
            if (kind := attribute(element, "w:fldCharType")) == "begin":
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


_WORD_KINDS: Final = {
    "document.main": "body", "header": "header", "footer": "footer", "footnotes": "footnotes", "endnotes": "endnotes",
    "comments": "comments", "styles": "styles", "numbering": "numbering", "settings": "settings", "fontTable": "fonts",
}  # fmt: skip
Word.known = {
    **{f"{_WORD_TYPE}{name}+xml": Known(kind, WORDS, _prepare) for name, kind in _WORD_KINDS.items()},
    f"{_WORD_TYPE}template.main+xml": Known("body", WORDS, _prepare),
    **CHARTS,
}
