"""Slides: .pptx files, with their notes, masters, comments, tables and charts."""

import re
from dataclasses import replace
from typing import Final

from textveil.documents.drawing import CHARTS, DRAWING
from textveil.documents.markup import Name
from textveil.documents.opc import Known, Package

_GONE: Final = (
    "p:extLst p:custDataLst p:tags p:controls p:embeddedFontLst p:custShowLst p:photoAlbum p:modifyVerifier p:smartTags"
    " p:kinsoku p:oleObj p:contentPart p:timing p:handoutMasterIdLst p:sndAc p:htmlPubPr p:webPr p:progTags"
)
SLIDES: Final = replace(
    DRAWING,
    texts=DRAWING.texts | {"p:text"},
    lines=DRAWING.lines | {"p:text"},
    gone=DRAWING.gone | frozenset(_GONE.split()),
    worded={
        **DRAWING.worded,
        **dict.fromkeys(("p:sldMasterId id", "p:sldLayoutId id"), re.compile(r"2147[4-9]\d{5}")),
    },
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
_TYPE: Final = "presentationml."


class Slides(Package):
    """A file of slides."""

    suffix = ".pptx"


_KINDS: Final = {
    "presentation.main": "body", "template.main": "body", "slideshow.main": "body", "slide": "slide", "slideLayout": "layout",
    "slideMaster": "master", "notesSlide": "notes", "notesMaster": "master of notes", "comments": "comments",
    "commentAuthors": "authors", "presProps": "properties of the show", "viewProps": "view", "tableStyles": "styles",
}  # fmt: skip
Slides.known = {
    **CHARTS,
    **{f"{_TYPE}{name}+xml": Known(kind, SLIDES) for name, kind in _KINDS.items()},
}
