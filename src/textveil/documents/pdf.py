"""PDF: a new file of what is known of an old one; text of pages is written in its place, pictures are blank."""

from __future__ import annotations

import io
import logging
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Final

from textveil.documents.model import Images, Passage, Piece, slot
from textveil.documents.pdf_text import (
    IDENTITY,
    Font,
    Fonts,
    Lines,
    Matrix,
    Run,
    State,
    parts_of,
    times,
)
from textveil.errors import InputError, MissingExtra

try:
    import pikepdf
    from pdfminer.pdfdocument import PDFDocument
    from pdfminer.pdfinterp import PDFResourceManager
    from pdfminer.pdfparser import PDFParser
    from pikepdf import Array, ContentStreamInstruction, Dictionary, Name, Operator, Stream
except ImportError:
    raise MissingExtra("pikepdf", "documents") from None

_MOST_BYTES: Final = 2**27
_MOST_INFLATED: Final = 2**28
_MOST_PAGES: Final = 5_000
_DEEPEST: Final = 20
_NUMBERS: Final = frozenset(
    (
        "q Q cm w J j M d i m l c v y h re S s f F f* B B* b b* n W W* g G rg RG k K sc SC scn SCN d0 d1 BX EX Tc"
        " Tw Tz TL Tr Ts BT ET Td TD Tm T*"
    ).split()
)
"""Operators that take numbers alone, or nothing."""
_STATE: Final = frozenset(
    ["LW", "LC", "LJ", "ML", "D", "RI", "OP", "op", "OPM", "FL", "SM", "SA", "CA", "ca", "AIS", "TK", "BM"]
)
_SHADING: Final = frozenset(
    (
        "ShadingType Coords Domain Extend BBox Background AntiAlias Matrix FunctionType C0 C1 N Range Encode"
        " Bounds Size BitsPerSample Order Decode"
    ).split()
)
_DESCRIPTOR: Final = frozenset(
    (
        "Flags FontBBox ItalicAngle Ascent Descent Leading CapHeight XHeight StemV StemH AvgWidth MaxWidth MissingWidth"
    ).split()
)
_WORDS: Final = frozenset(
    (
        "DeviceGray DeviceRGB DeviceCMYK Pattern Normal Compatible Multiply Screen Overlay Darken Lighten"
        " ColorDodge ColorBurn HardLight SoftLight Difference Exclusion Hue Saturation Color Luminosity Identity"
        " Default None Perceptual Saturation AbsoluteColorimetric RelativeColorimetric Transparency WinAnsiEncoding"
        " MacRomanEncoding MacExpertEncoding StandardEncoding Identity-H Identity-V All"
    ).split()
)
_DEVICES: Final = {1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK"}
_GLYPH: Final = re.compile(r"(?:uni[0-9A-F]{4}|u[0-9A-F]{4,6}|[a-zA-Z]{1,3}\d{1,5}|\.notdef|[A-Z][a-z]{0,3}\d{0,3})")
_CALCULATED: Final = re.compile(
    rb"(?:[{}\s]|[-+]?\d*\.?\d+|(?:abs|add|atan|ceiling|cos|cvi|cvr|div|exp|floor|idiv|ln|log|mod|mul|neg|round|sin|sqrt|sub"
    rb"|truncate|and|bitshift|eq|false|ge|gt|le|lt|ne|not|or|true|xor|if|ifelse|copy|dup|exch|index|pop|roll)(?![a-z]))*+"
)
_ORDERINGS: Final = ("Japan1", "GB1", "CNS1", "Korea1", "KR", "Identity", "UCS")
_OUTSIDE: Final = re.compile(r"(?i)(?:https?|mailto|tel|ftp):")
_BROKEN: Final = "the document must be a whole PDF file; it is damaged, or something else."


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what libraries say of a file, which may be of its text, to themselves."""
    loggers = [logging.getLogger(name) for name in ("pdfminer", "pikepdf")]
    before = [logger.disabled for logger in loggers]
    children = [
        logger
        for name, logger in logging.root.manager.loggerDict.items()
        if name.startswith(("pdfminer", "pikepdf")) and isinstance(logger, logging.Logger) and not logger.disabled
    ]
    for logger in (*loggers, *children):
        logger.disabled = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.disabled = was
        for logger in children:
            logger.disabled = False


class Pdf:
    """A PDF file that was read; see the package's docstring."""

    def __init__(self, data: bytes, images: Images) -> None:
        self.passages: list[Passage] = []
        self.parts: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self._images = images
        self._lines = Lines()
        self._inflated = 0
        self._copies: dict[tuple[int, int], Any] = {}
        self._fonts: dict[tuple[int, int], tuple[Font, Any, Any]] = {}
        self._contents: list[_Content] = []
        self._wide: set[str] = set()
        self._outlines: list[tuple[list[str], int, int]] = []
        self._busy: set[tuple[int, int]] = set()
        if len(data) > _MOST_BYTES:
            raise InputError(f"a PDF file must have at most {_MOST_BYTES >> 20} MB; it has more.")
        with _quiet():
            try:
                self._read(data)
                return
            except pikepdf.PasswordError:
                encrypted = True
            except InputError:
                raise
            except Exception:  # whatever a library says of a broken file, it may say with words of the file
                encrypted = False
        raise InputError(
            "the document must not be encrypted; it is. Save it without a password." if encrypted else _BROKEN
        )

    def _read(self, data: bytes) -> None:
        old = pikepdf.open(io.BytesIO(data))
        if old.is_encrypted:
            raise pikepdf.PasswordError
        if not 0 < len(old.pages) <= _MOST_PAGES:
            raise InputError(f"a PDF file must have from 1 to {_MOST_PAGES} pages; it has another number.")
        self._tell_of(old)
        for stream in old.objects:
            if isinstance(stream, Stream):
                self._inflate(stream)
        old.generate_appearance_streams()
        old.flatten_annotations()
        for item in old.objects:  # a font that stands within another object has a number too
            if isinstance(item, (Dictionary, Stream)) and isinstance(fonts := item.get("/Font"), Dictionary):
                for key, font in list(fonts.items()):
                    if isinstance(font, Dictionary) and not font.is_indirect:
                        fonts[key] = old.make_indirect(font)
            resources = item.get("/Resources") if isinstance(item, (Dictionary, Stream)) else None
            if isinstance(resources, Dictionary) and isinstance(fonts := resources.get("/Font"), Dictionary):
                for key, font in list(fonts.items()):
                    if isinstance(font, Dictionary) and not font.is_indirect:
                        fonts[key] = old.make_indirect(font)
        whole = io.BytesIO()
        old.save(whole, object_stream_mode=pikepdf.ObjectStreamMode.disable)
        self._old = pikepdf.open(io.BytesIO(whole.getvalue()))
        self._reader = PDFDocument(PDFParser(io.BytesIO(whole.getvalue())))
        self._resources = PDFResourceManager()
        self._new = pikepdf.Pdf.new()
        self._hidden = _hidden_layers(self._old)
        for page in self._old.pages:
            self._page(page.obj)
        pages: Any = {page.objgen: number for number, page in enumerate(self._old.pages)}
        for number, page in enumerate(self._old.pages):
            self._links(page.obj, number, pages)
        self._outline(pages)
        self.passages = [*self._lines.passages, *self.passages]
        self.passages = [passage for passage in self.passages if passage.text.strip()]

    def _inflate(self, stream: Any) -> None:
        """Count the bytes of a stream without making them all at once."""
        filters = stream.get("/Filter", Name("/None"))
        names = [str(one) for one in filters] if isinstance(filters, Array) else [str(filters)]
        if sum(name in ("/FlateDecode", "/LZWDecode", "/RunLengthDecode") for name in names) > 1 or len(names) > 3:
            raise InputError("the document must hold no stream that is packed twice; it does.")
        raw = stream.read_raw_bytes()
        if names == ["/FlateDecode"]:
            engine, given = zlib.decompressobj(), raw
            try:
                while given and self._inflated <= _MOST_INFLATED:
                    self._inflated += len(engine.decompress(given, 2**20))
                    given = engine.unconsumed_tail
            except zlib.error:
                self._inflated += len(raw)
        else:
            self._inflated += len(raw) * (1 if names == ["/None"] else 4)
        if self._inflated > _MOST_INFLATED:
            raise InputError(f"the document must hold at most {_MOST_INFLATED >> 20} MB; it holds more.")

    def _tell_of(self, old: pikepdf.Pdf) -> None:
        root = old.Root
        names = root.get("/Names", Dictionary())
        told = {
            "document information": len(old.trailer.get("/Info", Dictionary())) if "/Info" in old.trailer else 0,
            "metadata (XMP)": "/Metadata" in root,
            "attachment": len(old.attachments),
            "script or action": ("/OpenAction" in root) + ("/AA" in root) + ("/JavaScript" in names),
            "structure and spoken text": "/StructTreeRoot" in root,
            "form, now text of the page": "/AcroForm" in root,
            "named destinations": "/Dests" in root or "/Dests" in names,
            "labels of pages": "/PageLabels" in root,
            "layers": "/OCProperties" in root,
        }
        for what, count in told.items():
            self.removed[what] += int(count)
        for page in old.pages:
            for note in _array(page.obj.get("/Annots")):
                if isinstance(note, Dictionary) and note.get("/Subtype") not in (Name("/Link"), Name("/Widget")):
                    self.removed["note on a page"] += 1
            self.removed["metadata (XMP)"] += "/Metadata" in page.obj
            self.removed["script or action"] += "/AA" in page.obj
            self.removed["thumbnail"] += "/Thumb" in page.obj

    def _page(self, page: Any) -> None:
        self._lines.turn()
        self.parts["page"] += 1
        kept = {}
        for key in ("/MediaBox", "/CropBox", "/Rotate"):
            value = _inherited(page, key)
            if value is not None and (number := _numbers(value)) is not None:
                kept[key] = number
        for key in ("/BleedBox", "/TrimBox", "/ArtBox", "/UserUnit"):
            if (number := _numbers(page.get(key))) is not None:
                kept[key] = number
        kept.setdefault("/MediaBox", Array([0, 0, 612, 792]))
        new = self._new.make_indirect(Dictionary({"/Type": Name("/Page"), **kept}))
        if isinstance(group := page.get("/Group"), Dictionary):
            new.Group = self._group(group)
        content = _Content(self, _inherited(page, "/Resources"), IDENTITY, 0)
        content.read(page)
        content.put_to(new)
        self._new.pages.append(pikepdf.Page(new))

    def _group(self, group: Any) -> Any:
        kept = Dictionary({"/Type": Name("/Group"), "/S": Name("/Transparency")})
        for key in ("/I", "/K"):
            if isinstance(value := group.get(key), bool):
                kept[key] = value
        if "/CS" in group and (space := self.space(group.CS)) is not None:
            kept.CS = space
        return kept

    def _links(self, page: Any, number: int, pages: dict[tuple[int, int], int]) -> None:
        kept = []
        for note in _array(page.get("/Annots")):
            if not isinstance(note, Dictionary) or note.get("/Subtype") != Name("/Link"):
                continue
            rectangle = _numbers(note.get("/Rect"))
            action = note.get("/A")
            new = Dictionary(
                {"/Type": Name("/Annot"), "/Subtype": Name("/Link"), "/Rect": rectangle or Array([0, 0, 0, 0])}
            )
            new.Border = Array([0, 0, 0])
            aim = note.get("/Dest")
            if isinstance(action, Dictionary) and action.get("/S") == Name("/GoTo"):
                aim = action.get("/D")
            if (
                isinstance(action, Dictionary)
                and action.get("/S") == Name("/URI")
                and _OUTSIDE.match(str(action.get("/URI")))
            ):
                new.A = Dictionary({"/S": Name("/URI"), "/URI": action.URI})
                self.passages.append(Passage("target of a link", [_target(new.A, str(action.URI))]))
            elif isinstance(aim, Array) and len(aim) and getattr(aim[0], "objgen", None) in pages:
                new.Dest = Array([self._new.pages[pages[aim[0].objgen]].obj, Name("/Fit")])
            else:
                self.removed["link of another kind"] += 1
                continue
            kept.append(self._new.make_indirect(new))
        if kept:
            self._new.pages[number].obj.Annots = Array(kept)
            self.parts["link"] += len(kept)

    def _outline(self, pages: dict[tuple[int, int], int]) -> None:
        """Read titles and the pages that they name; at most ``_MOST_PAGES`` of them."""
        seen: set[tuple[int, int]] = set()

        def walk(item: Any, level: int) -> None:
            while (
                isinstance(item, Dictionary)
                and item.objgen not in seen
                and len(seen) < _MOST_PAGES
                and level < _DEEPEST
            ):
                seen.add(item.objgen)
                aim = item.get("/Dest")
                if isinstance(action := item.get("/A"), Dictionary):
                    aim = action.get("/D")
                aimed = getattr(aim[0], "objgen", None) if isinstance(aim, Array) and len(aim) else None
                held = [" ".join(str(item.get("/Title", "")).split())]
                self._outlines.append((held, level, pages.get(aimed, 0) if aimed else 0))
                if held[0]:
                    self.passages.append(Passage("outline", [slot(held)]))
                walk(item.get("/First"), level + 1)
                item = item.get("/Next")

        outlines = self._old.Root.get("/Outlines")
        if isinstance(outlines, Dictionary):
            walk(outlines.get("/First"), 0)
        self.parts["outline"] += len(self._outlines)

    # What content streams refer to: each is copied once, with what is known of it.

    def once(self, item: Any, make: Callable[[Any], Any]) -> Any:
        """Return the copy of an object; None where it is not known, or is within itself."""
        if not item.is_indirect:
            return make(item)
        if item.objgen in self._copies:
            return self._copies[item.objgen]
        if item.objgen in self._busy:
            return None
        self._busy.add(item.objgen)
        made = make(item)
        self._busy.discard(item.objgen)
        self._copies[item.objgen] = made
        return made

    def form(self, item: Any, ctm: Matrix, depth: int, resources: Any) -> Any:
        """Return the copy of something that ``Do`` shows."""
        if item.get("/OC") is not None and _is_hidden(item.OC, self._hidden):
            self.removed["hidden layer"] += 1
            return None
        if item.get("/Subtype") == Name("/Image"):
            return self.once(item, self._picture)
        if item.get("/Subtype") != Name("/Form") or depth > _DEEPEST:
            self.removed["object of another kind"] += 1
            return None

        def make(form: Any) -> Any:
            matrix = _matrix(form.get("/Matrix"))
            kept = {
                "/Type": Name("/XObject"),
                "/Subtype": Name("/Form"),
                "/BBox": _numbers(form.get("/BBox")) or Array([0, 0, 0, 0]),
            }
            new = self._new.make_stream(b"", **{key[1:]: value for key, value in kept.items()})
            new.Matrix = Array([*matrix])
            if isinstance(group := form.get("/Group"), Dictionary):
                new.Group = self._group(group)
            content = _Content(self, form.get("/Resources", resources), times(matrix, ctm), depth + 1)
            content.read(form)
            content.put_to(new)
            self.parts["form"] += 1
            return new

        return self.once(item, make)

    def _picture(self, item: Any) -> Any:
        if self._images == "refuse":
            raise InputError("the document must hold no pictures where `images` is refuse; it does.")
        self.parts["picture, blank"] += 1
        mask = item.get("/ImageMask") is True
        named = {"Type": Name("/XObject"), "Subtype": Name("/Image"), "Width": 1, "Height": 1}
        if mask:
            return self._new.make_stream(b"\x80", **named, ImageMask=True, BitsPerComponent=1)
        return self._new.make_stream(b"\xd9", **named, ColorSpace=Name("/DeviceGray"), BitsPerComponent=8)

    def inline_picture(self) -> None:
        """Tell of a picture within a content stream, which goes."""
        if self._images == "refuse":
            raise InputError("the document must hold no pictures where `images` is refuse; it does.")
        self.removed["picture within text"] += 1

    def space(self, item: Any) -> Any:
        """Return a space of colors without profiles and names; None where it is none."""
        if isinstance(item, Name):
            return item if str(item)[1:] in _WORDS else None
        if not isinstance(item, Array) or not len(item):
            return None
        kind = str(item[0])
        if kind == "/ICCBased":
            return Name("/" + _DEVICES.get(int(item[1].get("/N", 3)), "DeviceRGB"))
        if kind in ("/CalGray", "/CalRGB", "/Lab"):
            return Name("/DeviceGray" if kind == "/CalGray" else "/DeviceRGB")
        if kind == "/Indexed":
            base = self.space(item[1])
            table = item[3].read_bytes() if isinstance(item[3], Stream) else bytes(item[3])
            return None if base is None else Array([Name(kind), base, int(item[2]), pikepdf.String(table[: 4 * 256])])
        if kind == "/Pattern":
            base = self.space(item[1]) if len(item) > 1 else None
            return Array([Name(kind), base]) if base is not None else Array([Name(kind)])
        if kind in ("/Separation", "/DeviceN"):
            base, tint = self.space(item[2]), self._function(item[3])
            if base is None or tint is None:
                return None
            inks = [Name(f"/Ink{at}") for at, _ in enumerate(item[1])] if kind == "/DeviceN" else []
            return Array([Name(kind), Array(inks) if inks else Name("/Ink"), base, tint])
        return None

    def _function(self, item: Any) -> Any:
        """Return a function of numbers."""
        if isinstance(item, Array):
            made = [self._function(one) for one in item]
            return None if None in made else Array(made)
        kept = _known(item, _SHADING)
        kind = item.get("/FunctionType")
        if kind == 3:
            made = self._function(item.Functions)
            if made is None:
                return None
            kept.Functions = made
        if kind == 2 or kind == 3:
            return kept
        data = item.read_bytes()
        if kind != 0 and _CALCULATED.fullmatch(data) is None:
            return None
        return self._new.make_stream(data, kept)

    def shading(self, item: Any) -> Any:
        """Return a shading of numbers; one that is a mesh goes."""
        kept, space = _known(item, _SHADING), self.space(item.get("/ColorSpace"))
        function = self._function(item.Function) if "/Function" in item else None
        if item.get("/ShadingType") not in (1, 2, 3) or space is None or function is None:
            self.removed["shading"] += 1
            return None
        kept.ColorSpace, kept.Function = space, function
        return self._new.make_indirect(kept)

    def pattern(self, item: Any, depth: int) -> Any:
        """Return a pattern: a shading, or a content stream of its own."""
        if item.get("/PatternType") == 2 and "/Shading" in item:
            shading = self.once(item.Shading, self.shading)
            if shading is None:
                return None
            made = Dictionary(
                {"/PatternType": 2, "/Shading": shading, "/Matrix": Array([*_matrix(item.get("/Matrix"))])}
            )
            return self._new.make_indirect(made)
        if not isinstance(item, Stream) or depth > _DEEPEST:
            return None
        new = self._new.make_stream(
            b"", _known(item, frozenset(["PatternType", "PaintType", "TilingType", "BBox", "XStep", "YStep", "Matrix"]))
        )
        content = _Content(self, item.get("/Resources"), _matrix(item.get("/Matrix")), depth + 1)
        content.read(item)
        content.put_to(new)
        return new

    def state(self, item: Any) -> Any:
        """Return parameters of graphics; masks, which are pictures, go."""
        kept = _known(item, _STATE)
        if isinstance(item.get("/SMask"), Dictionary):
            self.removed["mask"] += 1
        kept.SMask = Name("/None")
        return self._new.make_indirect(kept)

    def font(self, item: Any, depth: int) -> tuple[Font, Any]:
        """Return a font as it is read, and its copy."""
        if item.objgen not in self._fonts:
            inner = item.DescendantFonts[0] if "/DescendantFonts" in item else item
            descriptor = inner.get("/FontDescriptor", Dictionary())
            try:
                spec: Any = self._reader.getobj(item.objgen[0])
                read: Any = self._resources.get_font(item.objgen[0], spec)
            except Exception:  # a font that cannot be read: its text goes
                read = None
            font = Font(read, str(item.get("/BaseFont", "")), int(descriptor.get("/Flags", 0)))
            self._fonts[item.objgen] = (font, self._new.make_indirect(Dictionary({"/Type": Name("/Font")})), item)
            self.parts["font"] += 1
            if item.get("/Subtype") == Name("/Type3"):
                self._drawn_glyphs(item, self._fonts[item.objgen][1], depth)
        return self._fonts[item.objgen][:2]

    def _drawn_glyphs(self, item: Any, new: Any, depth: int) -> None:
        new.CharProcs = Dictionary()
        for number, (key, glyph) in enumerate(list(item.get("/CharProcs", Dictionary()).items())[:4096]):
            if depth > 3 or not isinstance(glyph, Stream):
                continue
            content = _Content(self, item.get("/Resources", Dictionary()), IDENTITY, depth + 5, texts=False)
            content.read(glyph)
            made = self._new.make_stream(b"")
            content.put_to(made, new if number == 0 else None)
            new.CharProcs[_glyph_name(key)] = made

    def _write_font(self, font: Font, new: Any, old: Any) -> None:  # noqa: C901
        kind = str(old.get("/Subtype", Name("/Type1")))
        kind = kind if kind in ("/Type0", "/Type1", "/MMType1", "/TrueType", "/Type3") else "/Type1"
        new.Subtype = Name(kind)
        descendant = old.DescendantFonts[0] if kind == "/Type0" else None
        within = old if descendant is None else descendant
        descriptor = within.get("/FontDescriptor")
        copied, embedded = self._descriptor(descriptor) if isinstance(descriptor, Dictionary) else (None, False)
        name = Name(f"/AAAAAA+Font{old.objgen[0]}" if embedded else f"/{font.style}")
        for key in ("FirstChar", "LastChar", "Widths", "FontMatrix", "FontBBox"):
            if (number := _numbers(old.get("/" + key))) is not None:
                new["/" + key] = number
        encoding = old.get("/Encoding")
        if isinstance(encoding, Name):
            new.Encoding = (
                encoding
                if str(encoding)[1:] in _WORDS
                or re.fullmatch(r"/[A-Za-z0-9]{2,12}(?:-[A-Za-z0-9]{1,8}){1,3}", str(encoding))
                else Name("/WinAnsiEncoding")
            )
        elif isinstance(encoding, Dictionary) and not isinstance(encoding, Stream):
            new.Encoding = Dictionary()
            if isinstance(base := encoding.get("/BaseEncoding"), Name) and str(base)[1:] in _WORDS:
                new.Encoding.BaseEncoding = base
            new.Encoding.Differences = Array(
                [
                    _glyph_name(str(one)) if isinstance(one, Name) else int(one)
                    for one in _array(encoding.get("/Differences"))
                ]
            )
        if kind != "/Type3":
            new.BaseFont = name
        if copied is not None:
            copied.FontName = name
        if descendant is not None:
            sub = Dictionary(
                {
                    "/Type": Name("/Font"),
                    "/BaseFont": name,
                    "/Subtype": Name(
                        str(descendant.get("/Subtype", ""))
                        if descendant.get("/Subtype") == Name("/CIDFontType0")
                        else "/CIDFontType2"
                    ),
                }
            )
            info = descendant.get("/CIDSystemInfo", Dictionary())
            ordering = str(info.get("/Ordering", "Identity"))
            sub.CIDSystemInfo = Dictionary(
                {
                    "/Registry": pikepdf.String("Adobe"),
                    "/Ordering": pikepdf.String(ordering if ordering in _ORDERINGS else "Identity"),
                    "/Supplement": int(info.get("/Supplement", 0)),
                }
            )
            for key in ("DW", "W", "DW2", "W2"):
                if (number := _numbers(descendant.get("/" + key))) is not None:
                    sub["/" + key] = number
            given = descendant.get("/CIDToGIDMap")
            if isinstance(given, Stream):
                sub.CIDToGIDMap = self._new.make_stream(given.read_bytes())
            elif given is not None:
                sub.CIDToGIDMap = Name("/Identity")
            if copied is not None:
                sub.FontDescriptor = copied
            new.DescendantFonts = Array([self._new.make_indirect(sub)])
        elif copied is not None and kind != "/Type3":
            new.FontDescriptor = copied
        if font.texts and (kind != "/Type0" or "/ToUnicode" in old or "/Identity" in str(encoding)):
            new.ToUnicode = self._new.make_stream(_unicode_map(font.texts))

    def _descriptor(self, item: Any) -> tuple[Any, bool]:
        kept = _known(item, _DESCRIPTOR)
        kept.Type = Name("/FontDescriptor")
        for key in ("/FontFile", "/FontFile2", "/FontFile3"):
            if isinstance(program := item.get(key), Stream):
                made = self._new.make_stream(
                    _nameless(program.read_bytes()), _known(program, frozenset(("Length1", "Length2", "Length3")))
                )
                if key == "/FontFile3":
                    made.Subtype = Name(
                        str(program.get("/Subtype", ""))
                        if str(program.get("/Subtype", "")) in ("/Type1C", "/CIDFontType0C", "/OpenType")
                        else "/Type1C"
                    )
                kept[key] = made
                return self._new.make_indirect(kept), True
        return self._new.make_indirect(kept), False

    def written(self) -> bytes:
        """Return the new file, whole: nothing of an earlier revision is in it."""
        with _quiet():
            self._lines.spread()
            for content in self._contents:
                content.write(self._wide)
            for font, new, old in self._fonts.values():
                self._write_font(font, new, old)
            wide = _wide_font(self._new, self._wide) if self._wide else None
            for content in self._contents:
                content.name_fonts(self._new, wide)
            with self._new.open_outline() as outline:
                stack: list[list[Any]] = [outline.root]
                for held, level, page in self._outlines:
                    item = pikepdf.OutlineItem(held[0], page)
                    del stack[level + 1 :]
                    stack[-1].append(item)
                    stack.append(item.children)
            out = io.BytesIO()
            self._new.save(out, deterministic_id=True, fix_metadata_version=False)
        return out.getvalue()


class _Content:
    """A content stream: what is known of it, with the runs of its text."""

    def __init__(self, pdf: Pdf, resources: Any, ctm: Matrix, depth: int, *, texts: bool = True) -> None:
        self._pdf, self._depth, self._texts = pdf, depth, texts
        self._old = resources if isinstance(resources, Dictionary) else Dictionary()
        self._new = Dictionary()
        self._named: dict[tuple[str, str], Name | None] = {}
        self._out: list[ContentStreamInstruction | Run] = []
        self._state = State(ctm)
        self._stack: list[State] = []
        self._text = self._line = IDENTITY
        self._marks: list[bool] = []
        self._target: Any = None
        self._fonts = Fonts(set())
        pdf._contents.append(self)

    def put_to(self, target: Any, fonts: Any = None) -> None:
        """Say what this is the content of, and what holds its resources if it is a glyph."""
        self._target = target
        if self._texts or fonts is not None:
            (target if fonts is None else fonts).Resources = self._new
        self._is_page = target.get("/Type") == Name("/Page")

    def read(self, item: Any) -> None:
        """Read a page or a stream."""
        try:
            rows = (
                pikepdf.parse_content_stream(item) if item.get("/Type") != Name("/Page") or "/Contents" in item else []
            )
        except (pikepdf.PdfError, TypeError):
            self._pdf.removed["content that cannot be read"] += 1
            return
        for row in rows:
            operator = str(row.operator)
            if operator == "INLINE IMAGE":
                self._pdf.inline_picture()
                continue
            if operator in ("BMC", "BDC", "EMC"):
                self._mark(operator, row.operands)
                continue
            if any(self._marks) and operator not in ("q", "Q", "cm", "BT", "ET"):
                continue
            try:
                self._take(operator, list(row.operands))
            except (TypeError, ValueError, AttributeError, KeyError, IndexError, pikepdf.PdfError, OverflowError):
                self._pdf.removed["operator that cannot be read"] += 1

    def _mark(self, operator: str, operands: Any) -> None:
        if operator == "EMC":
            if self._marks:
                self._marks.pop()
            return
        hidden = False
        if len(operands) == 2:
            given = operands[1]
            if isinstance(given, Name):
                given = self._old.get("/Properties", Dictionary()).get(str(given))
            if operands[0] == Name("/OC") and isinstance(given, Dictionary):
                hidden = _is_hidden(given, self._pdf._hidden)
            elif isinstance(given, Dictionary) and ("/ActualText" in given or "/Alt" in given):
                self._pdf.removed["spoken text"] += 1
        self._pdf.removed["hidden layer"] += hidden
        self._marks.append(hidden)

    def _resource(self, kind: str, old: Any, make: Callable[[Any], Any]) -> Name | None:
        """Return the new name of a resource; None where it is gone."""
        key = (kind, str(old))
        if key not in self._named:
            item = self._old.get(kind, Dictionary()).get(str(old))
            made = None if item is None else make(item)
            self._named[key] = None
            if made is not None:
                if kind not in self._new:
                    self._new[kind] = Dictionary()
                name = Name(f"{kind[:2]}{len(self._new[kind]) + 1}")
                self._new[kind][name] = made
                self._named[key] = name
        return self._named[key]

    def _take(self, operator: str, operands: list[Any]) -> None:  # noqa: C901
        pdf, state = self._pdf, self._state
        if operator in ("Tj", "TJ", "'", '"'):
            self._show(operator, operands)
        elif operator == "Tf":
            new = self._resource("/Font", operands[0], lambda item: pdf.font(item, self._depth)[1])
            state.font, state.size = None, float(operands[1])
            if new is not None:
                item = self._old.Font[str(operands[0])]
                state.font, state.name = pdf.font(item, self._depth)[0], str(new)
                self._put(operator, new, operands[1])
        elif operator == "Do":
            item = self._old.XObject[str(operands[0])]
            new = self._resource(
                "/XObject", operands[0], lambda item: pdf.form(item, state.ctm, self._depth, self._old)
            )
            if new is not None and item is not None:
                self._put(operator, new)
        elif operator == "gs":
            item = self._old.ExtGState[str(operands[0])]
            if "/Font" in item:
                pdf.removed["operator that cannot be read"] += 1
            if (new := self._resource("/ExtGState", operands[0], lambda item: pdf.once(item, pdf.state))) is not None:
                self._put(operator, new)
        elif operator in ("cs", "CS"):
            if str(operands[0])[1:] in _WORDS:
                self._put(operator, operands[0])
            elif (new := self._resource("/ColorSpace", operands[0], pdf.space)) is not None:
                self._put(operator, new)
        elif operator == "sh":
            if (new := self._resource("/Shading", operands[0], lambda item: pdf.once(item, pdf.shading))) is not None:
                self._put(operator, new)
        elif operator in ("scn", "SCN") and operands and isinstance(operands[-1], Name):
            make = lambda item: pdf.once(item, lambda one: pdf.pattern(one, self._depth))  # noqa: E731
            new = self._resource("/Pattern", operands[-1], make)
            if new is not None and _numbers(Array(operands[:-1])) is not None:
                self._put(operator, *operands[:-1], new)
        elif operator == "ri" and str(operands[0])[1:] in _WORDS:
            self._put(operator, operands[0])
        elif operator in _NUMBERS and all(_numbers(one) is not None for one in operands):
            self._move(operator, operands)
            if operator not in ("BX", "EX"):
                self._put(operator, *operands)
        elif operator not in ("MP", "DP"):
            pdf.removed["operator that is not known"] += 1

    def _put(self, operator: str, *operands: Any) -> None:
        self._out.append(ContentStreamInstruction(list(operands), Operator(operator)))

    def _move(self, operator: str, operands: Sequence[Any]) -> None:
        """Follow what moves the pen."""
        state = self._state
        if operator == "q":
            self._stack.append(state.copy())
        elif operator == "Q" and self._stack:
            self._state = self._stack.pop()
        elif operator == "cm":
            state.ctm = times(_matrix(operands), state.ctm)
        elif operator == "BT":
            self._text = self._line = IDENTITY
        elif operator == "Tm":
            self._text = self._line = _matrix(operands)
        elif operator in ("Td", "TD"):
            x, y = map(float, operands)
            if operator == "TD":
                state.leading = -y
            self._next(x, y)
        elif operator == "T*":
            self._next(0, -state.leading)
        elif operator in ("Tc", "Tw", "Tz", "TL"):
            value = float(operands[0])
            name = {"Tc": "letter", "Tw": "word", "Tz": "scale", "TL": "leading"}[operator]
            setattr(state, name, value / 100 if operator == "Tz" else value)

    def _next(self, x: float, y: float) -> None:
        self._text = self._line = times((1, 0, 0, 1, x, y), self._line)

    def _show(self, operator: str, operands: Sequence[Any]) -> None:
        state = self._state
        if operator == '"':
            for name, value in zip(("Tw", "Tc"), operands, strict=False):
                self._take(name, [value])
        if operator in ("'", '"'):
            self._move("T*", ())
            self._put("T*")
        shown = _array(operands[0]) if operator == "TJ" else [operands[-1]]
        strings = [float(one) if isinstance(one, (int, float, Decimal)) else bytes(one) for one in shown]
        parts = parts_of(strings, state) if self._texts else None
        if parts is None:
            self._pdf.removed["text that cannot be read" if self._texts else "text within a glyph"] += any(
                map(bool, strings)
            )
            return
        if not parts:
            return
        matrix = times(self._text, state.ctm)
        run = Run(state.copy(), (matrix[4], matrix[5]), (matrix[0], matrix[1]), parts)
        for part in parts:
            part.run = run
        self._out.append(run)
        if any(part.text for part in parts):
            self._pdf._lines.add(run)
        self._text = times((1, 0, 0, 1, run.width * state.scale, 0), self._text)

    def write(self, wide: set[str]) -> None:
        """Write all of it to what it is the content of."""
        self._fonts = Fonts(wide)
        rows: list[ContentStreamInstruction] = []
        for row in self._out:
            rows += row.instructions(self._fonts) if isinstance(row, Run) else [row]
        data = pikepdf.unparse_content_stream(rows)
        if self._is_page:
            self._target.Contents = self._pdf._new.make_stream(data)
        else:
            self._target.write(data)

    def name_fonts(self, pdf: pikepdf.Pdf, wide: Any) -> None:
        """Put the fonts of new text to the resources."""
        for style, name in self._fonts.used.items():
            if "/Font" not in self._new:
                self._new.Font = Dictionary()
            self._new.Font[name] = wide if style == "wide" else _standard_font(style)


def _standard_font(style: str) -> Any:
    return Dictionary(
        {
            "/Type": Name("/Font"),
            "/Subtype": Name("/Type1"),
            "/BaseFont": Name(f"/{style}"),
            "/Encoding": Name("/WinAnsiEncoding"),
        }
    )


def _wide_font(pdf: pikepdf.Pdf, characters: set[str]) -> Any:
    """Return a font of characters that standard fonts lack: whoever shows the page chooses one that has them."""
    name = Name("/ArialUnicodeMS")
    descriptor = Dictionary(
        {
            "/Type": Name("/FontDescriptor"),
            "/FontName": name,
            "/Flags": 4,
            "/FontBBox": Array([0, -200, 1000, 900]),
            "/ItalicAngle": 0,
            "/Ascent": 900,
            "/Descent": -200,
            "/CapHeight": 700,
            "/StemV": 80,
        }
    )
    info = Dictionary({"/Registry": pikepdf.String("Adobe"), "/Ordering": pikepdf.String("Identity"), "/Supplement": 0})
    sub = Dictionary(
        {
            "/Type": Name("/Font"),
            "/Subtype": Name("/CIDFontType2"),
            "/BaseFont": name,
            "/CIDSystemInfo": info,
            "/DW": 600,
            "/FontDescriptor": pdf.make_indirect(descriptor),
            "/CIDToGIDMap": Name("/Identity"),
        }
    )
    codes = {character.encode("utf-16-be")[:2]: character for character in characters}
    return pdf.make_indirect(
        Dictionary(
            {
                "/Type": Name("/Font"),
                "/Subtype": Name("/Type0"),
                "/BaseFont": name,
                "/Encoding": Name("/Identity-H"),
                "/DescendantFonts": Array([pdf.make_indirect(sub)]),
                "/ToUnicode": pdf.make_stream(_unicode_map(codes)),
            }
        )
    )


def _unicode_map(texts: dict[bytes, str]) -> bytes:
    """Return what the codes of a font read as, for those that the file shows."""
    size = max(map(len, texts), default=1)
    rows = [f"<{code.hex()}> <{text.encode('utf-16-be').hex()}>" for code, text in sorted(texts.items())]
    blocks = [rows[at : at + 100] for at in range(0, len(rows), 100)]
    body = "\n".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks)
    return (
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
        f"1 begincodespacerange\n<{'00' * size}> <{'ff' * size}>\nendcodespacerange\n{body}\nendcmap\nend\nend\n"
    ).encode()


def _nameless(program: bytes) -> bytes:
    """Return the program of a font with nothing in its table of names, or in what its head says in words."""
    if program[:4] in (b"\x00\x01\x00\x00", b"true", b"OTTO"):
        data = bytearray(program)
        for at in range(12, min(12 + 16 * int.from_bytes(program[4:6], "big"), len(program) - 15), 16):
            if program[at : at + 4] in (b"name", b"meta", b"DSIG"):
                start, length = (int.from_bytes(program[at + off : at + off + 4], "big") for off in (8, 12))
                data[start : start + length] = bytes(len(data[start : start + length]))
        return bytes(data)
    if program[:2] == b"%!":
        head, found, rest = program.partition(b"eexec")
        head = re.sub(rb"\([^()]*\)", lambda match: b"(" + b" " * (len(match[0]) - 2) + b")", head)
        head = re.sub(rb"%[^\r\n]*", lambda match: match[0][:14].ljust(len(match[0])), head)
        return head + found + rest
    return program


def _glyph_name(name: str) -> Name:
    from pdfminer.glyphlist import glyphname2unicode

    plain = name.removeprefix("/")
    return Name(f"/{plain}" if _GLYPH.fullmatch(plain) or plain.partition(".")[0] in glyphname2unicode else "/.notdef")


def _known(item: Any, keys: frozenset[str]) -> Any:
    """Return what is known of a dictionary: numbers, and words of the format."""
    kept = Dictionary()
    for key in keys:
        value = item.get(f"/{key}")
        if isinstance(value, Name) and str(value)[1:] in _WORDS:
            kept[f"/{key}"] = value
        elif value is not None and (number := _numbers(value)) is not None:
            kept[f"/{key}"] = number
    return kept


def _numbers(value: Any, depth: int = 0) -> Any:
    """Return a number, or an array of numbers within arrays; None where it is something else."""
    if isinstance(value, (bool, int, float, Decimal)):
        return value
    if isinstance(value, Array) and depth < 4:
        made = [_numbers(one, depth + 1) for one in value]
        return None if any(one is None for one in made) else Array(made)
    return None


def _matrix(value: Any) -> Matrix:
    try:
        a, b, c, d, e, f = (float(one) for one in value)
    except (TypeError, ValueError):
        return IDENTITY
    return (a, b, c, d, e, f)


def _array(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Array) else []


def _inherited(page: Any, key: str) -> Any:
    for _ in range(_DEEPEST):
        if key in page:
            return page[key]
        page = page.get("/Parent")
        if not isinstance(page, Dictionary):
            return None
    return None


def _target(action: Any, text: str) -> Piece:
    return Piece(text, lambda new: action.__setitem__("/URI", pikepdf.String(new)))


def _hidden_layers(pdf: pikepdf.Pdf) -> set[tuple[int, int]]:
    layers = pdf.Root.get("/OCProperties", Dictionary()).get("/D", Dictionary())
    return {layer.objgen for layer in _array(layers.get("/OFF"))}


def _is_hidden(layer: Any, hidden: set[tuple[int, int]]) -> bool:
    members = layer.get("/OCGs") if isinstance(layer, Dictionary) else None
    if isinstance(members, Array) and len(members):
        return all(one.objgen in hidden for one in members)
    return (layer if members is None else members).objgen in hidden
