"""PDF: a new file of what is known of an old one; text of pages is written in its place, pictures are blank."""

import io
import logging
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from textveil.documents import pdf_fonts
from textveil.documents.model import Images, Passage, Piece, slot
from textveil.documents.pdf_content import Content, is_hidden
from textveil.documents.pdf_text import IDENTITY, Font, Lines, Matrix, times
from textveil.documents.pictures import Pictures
from textveil.documents.registry import take
from textveil.errors import InputError, MissingExtra

with MissingExtra("pikepdf", "documents"):
    import pikepdf
    from pdfminer.pdfdocument import PDFDocument
    from pdfminer.pdfinterp import PDFResourceManager
    from pdfminer.pdfparser import PDFParser
    from pikepdf import Array, Dictionary, Name, Stream

_CHUNK: Final = 2**20
_DEEPEST: Final = 20
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
        self._pictures = Pictures(images, self.parts)
        self._painted: list[tuple[Any, Callable[[], Any]]] = []
        self.lines = Lines()
        self._copies: dict[tuple[int, int], Any] = {}
        self._fonts: dict[tuple[int, int], tuple[Font, Any, Any]] = {}
        self.contents: list[Content] = []
        self.costs: dict[tuple[int, int], int] = {}
        """By form: how many operators show it, with those of the forms in it."""
        self._wide: set[str] = set()
        self._outlines: list[tuple[list[str], int, int]] = []
        self._busy: set[tuple[int, int]] = set()
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
        if not len(old.pages):
            raise InputError("a PDF file must have a page; it has none.")
        take("pages", len(old.pages))
        self._tell_of(old)
        for stream in old.objects:
            if isinstance(stream, Stream):
                self._inflate(stream)
        old.generate_appearance_streams()
        old.flatten_annotations()
        for item in old.objects:  # a font that stands within another object gets a number
            resources = item.get("/Resources", item) if isinstance(item, (Dictionary, Stream)) else None
            if isinstance(resources, Dictionary) and isinstance(fonts := resources.get("/Font"), Dictionary):
                for key, font in list(fonts.items()):
                    if isinstance(font, Dictionary) and not font.is_indirect:
                        fonts[key] = old.make_indirect(font)
        whole = io.BytesIO()
        old.save(whole, object_stream_mode=pikepdf.ObjectStreamMode.disable)
        self._old = pikepdf.open(io.BytesIO(whole.getvalue()))
        self._reader = PDFDocument(PDFParser(io.BytesIO(whole.getvalue())))
        self._resources = PDFResourceManager()
        self.new = pikepdf.Pdf.new()
        self.hidden = _hidden_layers(self._old)
        for page in self._old.pages:
            self._page(page.obj)
        pages: Any = {page.objgen: number for number, page in enumerate(self._old.pages)}
        for number, page in enumerate(self._old.pages):
            self._links(page.obj, number, pages)
        self._outline(pages)
        self.passages = [*self.lines.passages, *self.passages, *self._pictures.passages]
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
                while given:
                    take("bytes", len(engine.decompress(given, _CHUNK)))
                    given = engine.unconsumed_tail
            except zlib.error:
                take("bytes", len(raw))
        elif names != ["/None"]:
            take("bytes", len(raw) * 4)

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
            for note in pdf_fonts.array(page.obj.get("/Annots")):
                if isinstance(note, Dictionary) and note.get("/Subtype") not in (Name("/Link"), Name("/Widget")):
                    self.removed["note on a page"] += 1
            self.removed["metadata (XMP)"] += "/Metadata" in page.obj
            self.removed["script or action"] += "/AA" in page.obj
            self.removed["thumbnail"] += "/Thumb" in page.obj

    def _page(self, page: Any) -> None:
        self.lines.turn()
        self.parts["page"] += 1
        kept = {}
        for key in ("/MediaBox", "/CropBox", "/Rotate"):
            if (value := _inherited(page, key)) is not None and (number := pdf_fonts.numbers(value)) is not None:
                kept[key] = number
        for key in ("/BleedBox", "/TrimBox", "/ArtBox", "/UserUnit"):
            if (number := pdf_fonts.numbers(page.get(key))) is not None:
                kept[key] = number
        kept.setdefault("/MediaBox", Array([0, 0, 612, 792]))
        new = self.new.make_indirect(Dictionary({"/Type": Name("/Page"), **kept}))
        if isinstance(group := page.get("/Group"), Dictionary):
            new.Group = self._group(group)
        content = Content(self, _inherited(page, "/Resources"), IDENTITY, 0)
        content.read(page)
        take("operators", content.cost)
        content.put_to(new)
        self.new.pages.append(pikepdf.Page(new))

    def _group(self, group: Any) -> Any:
        kept = Dictionary({"/Type": Name("/Group"), "/S": Name("/Transparency")})
        for key in ("/I", "/K"):
            if isinstance(value := group.get(key), bool):
                kept[key] = value
        if "/CS" in group and (colors := pdf_fonts.space(self.new, group.CS)) is not None:
            kept.CS = colors
        return kept

    def _links(self, page: Any, number: int, pages: dict[tuple[int, int], int]) -> None:
        kept = []
        for note in pdf_fonts.array(page.get("/Annots")):
            if not isinstance(note, Dictionary) or note.get("/Subtype") != Name("/Link"):
                continue
            rectangle = pdf_fonts.numbers(note.get("/Rect"))
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
                new.Dest = Array([self.new.pages[pages[aim[0].objgen]].obj, Name("/Fit")])
            else:
                self.removed["link of another kind"] += 1
                continue
            kept.append(self.new.make_indirect(new))
        if kept:
            self.new.pages[number].obj.Annots = Array(kept)
            self.parts["link"] += len(kept)

    def _outline(self, pages: dict[tuple[int, int], int]) -> None:
        """Read titles and the pages that they name."""
        seen: set[tuple[int, int]] = set()

        def walk(item: Any, level: int) -> None:
            while isinstance(item, Dictionary) and item.objgen not in seen and level < _DEEPEST:
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
        """Return the copy of an object; None if it is not known, or is within itself."""
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
        if item.get("/OC") is not None and is_hidden(item.OC, self.hidden):
            self.removed["hidden layer"] += 1
            return None
        if item.get("/Subtype") == Name("/Image"):
            return self.once(item, self._picture)
        if item.get("/Subtype") != Name("/Form") or depth > _DEEPEST:
            self.removed["object of another kind"] += 1
            return None

        def make(form: Any) -> Any:
            own = pdf_fonts.matrix(form.get("/Matrix"))
            kept = {
                "/Type": Name("/XObject"),
                "/Subtype": Name("/Form"),
                "/BBox": pdf_fonts.numbers(form.get("/BBox")) or Array([0, 0, 0, 0]),
            }
            new = self.new.make_stream(b"", **{key[1:]: value for key, value in kept.items()})
            new.Matrix = Array([*own])
            if isinstance(group := form.get("/Group"), Dictionary):
                new.Group = self._group(group)
            content = Content(self, form.get("/Resources", resources), times(own, ctm), depth + 1)
            content.read(form)
            content.put_to(new)
            self.costs[form.objgen] = content.cost
            self.parts["form"] += 1
            return new

        return self.once(item, make)

    def _picture(self, item: Any) -> Any:
        mask = item.get("/ImageMask") is True
        painted = self._pictures.take_pixels(lambda: None if mask else _pixels(item))
        named = {"Type": Name("/XObject"), "Subtype": Name("/Image"), "Width": 1, "Height": 1}
        if mask:
            return self.new.make_stream(b"\x80", **named, ImageMask=True, BitsPerComponent=1)
        new = self.new.make_stream(b"\xd9", **named, ColorSpace=Name("/DeviceGray"), BitsPerComponent=8)
        if painted is not None:
            self._painted.append((new, painted))
        return new

    def inline_picture(self) -> None:
        """Tell of a picture within a content stream, which goes."""
        if self._images == "refuse":
            raise InputError("the document must hold no pictures where `images` is refuse; it does.")
        self.removed["picture within text"] += 1

    def pattern(self, item: Any, depth: int) -> Any:
        """Return a pattern: a shading, or a content stream of its own."""
        if item.get("/PatternType") == 2 and "/Shading" in item:
            if (shaded := self.once(item.Shading, lambda one: pdf_fonts.shading(self.new, one))) is None:
                return None
            made = Dictionary(
                {"/PatternType": 2, "/Shading": shaded, "/Matrix": Array([*pdf_fonts.matrix(item.get("/Matrix"))])}
            )
            return self.new.make_indirect(made)
        if not isinstance(item, Stream) or depth > _DEEPEST:
            return None
        new = self.new.make_stream(
            b"",
            pdf_fonts.known(
                item, frozenset(["PatternType", "PaintType", "TilingType", "BBox", "XStep", "YStep", "Matrix"])
            ),
        )
        content = Content(self, item.get("/Resources"), pdf_fonts.matrix(item.get("/Matrix")), depth + 1)
        content.read(item)
        take("operators", content.cost)
        content.put_to(new)
        return new

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
            self._fonts[item.objgen] = (font, self.new.make_indirect(Dictionary({"/Type": Name("/Font")})), item)
            self.parts["font"] += 1
            if item.get("/Subtype") == Name("/Type3"):
                self._drawn_glyphs(item, self._fonts[item.objgen][1], depth)
        return self._fonts[item.objgen][:2]

    def _drawn_glyphs(self, item: Any, new: Any, depth: int) -> None:
        new.CharProcs = Dictionary()
        for number, (key, glyph) in enumerate(list(item.get("/CharProcs", Dictionary()).items())[:4096]):
            if depth > 3 or not isinstance(glyph, Stream):
                continue
            content = Content(self, item.get("/Resources", Dictionary()), IDENTITY, depth + 5, texts=False)
            content.read(glyph)
            take("operators", content.cost)
            made = self.new.make_stream(b"")
            content.put_to(made, new if number == 0 else None)
            new.CharProcs[pdf_fonts.glyph_name(key)] = made

    def written(self) -> bytes:
        """Return the new file, whole: nothing of an earlier revision is in it."""
        with _quiet():
            self.lines.spread()
            for picture, painted in self._painted:
                pixels = painted()
                picture.Height, picture.Width = pixels.shape[:2]
                picture.ColorSpace = Name("/DeviceRGB")
                picture.write(pixels.tobytes())
            for content in self.contents:
                content.write(self._wide)
            for font, new, old in self._fonts.values():
                pdf_fonts.write_font(self.new, font, new, old)
            wide = pdf_fonts.wide_font(self.new, self._wide) if self._wide else None
            for content in self.contents:
                content.name_fonts(self.new, wide)
            with self.new.open_outline() as outline:
                stack: list[list[Any]] = [outline.root]
                for held, level, page in self._outlines:
                    item = pikepdf.OutlineItem(held[0], page)
                    del stack[level + 1 :]
                    stack[-1].append(item)
                    stack.append(item.children)
            out = io.BytesIO()
            self.new.save(out, deterministic_id=True, fix_metadata_version=False)
        return out.getvalue()


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
    return {layer.objgen for layer in pdf_fonts.array(layers.get("/OFF"))}


def _pixels(item: Any) -> Any:
    """Return the pixels of a picture; None if it cannot be decoded."""
    from textveil.documents.ocr import MOST_PIXELS, pixels_of_image

    try:
        if int(item.Width) * int(item.Height) > MOST_PIXELS or any(
            key in item for key in ("/SMask", "/Mask", "/Decode")
        ):
            return None  # a mask hides points, which would then be seen
        return pixels_of_image(pikepdf.PdfImage(item).as_pil_image())
    except Exception:  # whatever a decoder raises: nobody reads the picture
        return None
