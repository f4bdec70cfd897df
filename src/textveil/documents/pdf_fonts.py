"""Values of PDF that say nothing of anybody, and its fonts.

Values are numbers, words of the format, colors, functions, shadings. Fonts are copied without names, with a map of what
they show; and there are fonts of new text.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from textveil.documents.pdf_text import IDENTITY, Font, Matrix
from textveil.errors import MissingExtra

with MissingExtra("pikepdf", "documents"):
    import pikepdf
    from pikepdf import Array, Dictionary, Name, Stream

_STATE: Final = frozenset(("LW LC LJ ML D RI OP op OPM FL SM SA CA ca AIS TK BM").split())
_SHADING: Final = frozenset(
    (
        "ShadingType Coords Domain Extend BBox Background AntiAlias Matrix FunctionType C0 C1 N Range Encode"
        " Bounds Size BitsPerSample Order Decode"
    ).split()
)
WORDS: Final = frozenset(
    (
        "DeviceGray DeviceRGB DeviceCMYK Pattern Normal Compatible Multiply Screen Overlay Darken Lighten"
        " ColorDodge ColorBurn HardLight SoftLight Difference Exclusion Hue Saturation Color Luminosity Identity"
        " Default None Perceptual Saturation AbsoluteColorimetric RelativeColorimetric Transparency WinAnsiEncoding"
        " MacRomanEncoding MacExpertEncoding StandardEncoding Identity-H Identity-V All"
    ).split()
)
_HUGE: Final = 10**7  # no length on a page
_DEVICES: Final = {1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK"}
_CALCULATED: Final = re.compile(
    rb"(?:[{}\s]|[-+]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})|(?:abs|add|atan|ceiling|cos|cvi|cvr|div|exp|floor|idiv|ln|log|mod|mul|neg|round|sin|sqrt|sub"
    rb"|truncate|and|bitshift|eq|false|ge|gt|le|lt|ne|not|or|true|xor|if|ifelse|copy|dup|exch|index|pop|roll)(?![a-z]))*+"
)


def known(item: Any, keys: frozenset[str]) -> Any:
    """Return what is known of a dictionary: numbers, and words of the format."""
    kept = Dictionary()
    for key in keys:
        value = item.get(f"/{key}")
        if isinstance(value, Name) and str(value)[1:] in WORDS:
            kept[f"/{key}"] = value
        elif value is not None and (number := numbers(value)) is not None:
            kept[f"/{key}"] = number
    return kept


def numbers(value: Any, depth: int = 0) -> Any:
    """Return a number, or an array of numbers within arrays; None if it is something else."""
    if isinstance(value, (bool, int, float, Decimal)):
        return value if -_HUGE < float(value) < _HUGE else None
    if isinstance(value, Array) and depth < 4:
        made = [numbers(one, depth + 1) for one in value]
        return None if any(one is None for one in made) else Array(made)
    return None


def matrix(value: Any) -> Matrix:
    """Return six numbers, or those that change nothing."""
    try:
        a, b, c, d, e, f = (float(one) for one in value)
    except (TypeError, ValueError):
        return IDENTITY
    return (a, b, c, d, e, f)


def array(value: Any) -> list[Any]:
    """Return what an array holds; nothing of what is none."""
    return list(value) if isinstance(value, Array) else []


def function(new: pikepdf.Pdf, item: Any) -> Any:
    """Return a function of numbers."""
    if isinstance(item, Array):
        made = [function(new, one) for one in item]
        return None if None in made else Array(made)
    kept = known(item, _SHADING)
    if (kind := item.get("/FunctionType")) == 3:
        if (made := function(new, item.Functions)) is None:
            return None
        kept.Functions = made
    if kind == 2 or kind == 3:
        return kept
    data = item.read_bytes()
    return None if kind != 0 and _CALCULATED.fullmatch(data) is None else new.make_stream(data, kept)


def space(new: pikepdf.Pdf, item: Any) -> Any:
    """Return a space of colors without profiles and names; None if it is none."""
    if isinstance(item, Name):
        return item if str(item)[1:] in WORDS else None
    if not isinstance(item, Array) or not len(item):
        return None
    if (kind := str(item[0])) == "/ICCBased":
        return Name("/" + _DEVICES.get(int(item[1].get("/N", 3)), "DeviceRGB"))
    if kind in ("/CalGray", "/CalRGB", "/Lab"):
        return Name("/DeviceGray" if kind == "/CalGray" else "/DeviceRGB")
    if kind == "/Indexed":
        base = space(new, item[1])
        table = item[3].read_bytes() if isinstance(item[3], Stream) else bytes(item[3])
        return None if base is None else Array([Name(kind), base, int(item[2]), pikepdf.String(table[: 4 * 256])])
    if kind == "/Pattern":
        base = space(new, item[1]) if len(item) > 1 else None
        return Array([Name(kind), base]) if base is not None else Array([Name(kind)])
    if kind in ("/Separation", "/DeviceN"):
        base, tint = space(new, item[2]), function(new, item[3])
        if base is None or tint is None:
            return None
        inks = [Name(f"/Ink{at}") for at, _ in enumerate(item[1])] if kind == "/DeviceN" else []
        return Array([Name(kind), Array(inks) if inks else Name("/Ink"), base, tint])
    return None


def shading(new: pikepdf.Pdf, item: Any) -> Any:
    """Return a shading of numbers; one that is a mesh goes."""
    kept, colors = known(item, _SHADING), space(new, item.get("/ColorSpace"))
    made = function(new, item.Function) if "/Function" in item else None
    if item.get("/ShadingType") not in (1, 2, 3) or colors is None or made is None:
        return None
    kept.ColorSpace, kept.Function = colors, made
    return new.make_indirect(kept)


def state(new: pikepdf.Pdf, item: Any) -> Any:
    """Return parameters of graphics; masks, which are pictures, go."""
    kept = known(item, _STATE)
    kept.SMask = Name("/None")
    return new.make_indirect(kept)


_DESCRIPTOR: Final = frozenset(
    (
        "Flags FontBBox ItalicAngle Ascent Descent Leading CapHeight XHeight StemV StemH AvgWidth MaxWidth MissingWidth"
    ).split()
)
_GLYPH: Final = re.compile(r"(?:uni[0-9A-F]{4}|u[0-9A-F]{4,6}|[a-zA-Z]{1,3}\d{1,5}|\.notdef|[A-Z][a-z]{0,3}\d{0,3})")
_MAPS: Final = re.compile(
    r"/(?:(?:GB|GBpc|GBK|GBKp|CNS|KSC|KSCpc)-EUC|GBK2K|Uni(?:GB|CNS|JIS|KS)-(?:UCS2|UTF16|UTF8|UTF32)|UniJIS-UCS2-HW|B5pc"
    r"|HKscs-B5|ETen(?:ms)?-B5|(?:83pv|90msp?|90pv|Add|Ext)-RKSJ|EUC|KSCms-UHC(?:-HW)?|Identity)-[HV]|/[HV]"
)
"""Maps of codes that every reader of PDF has."""
_FORMS: Final = frozenset(
    "alt alt1 alt2 alt3 case dnom fina fitted init isol liga lf locl medi numr oldstyle onum ornm pnum sc small smcp ss01 ss02"
    " ss03 ss04 ss05 sub sup sups superior inferior swash swsh taboldstyle tabular titl tnum tf tosf osf zero notdef".split()
)
"""Suffixes behind the dot in the name of a glyph."""
_ORDERINGS: Final = ("Japan1", "GB1", "CNS1", "Korea1", "KR", "Identity", "UCS")


def write_font(pdf: pikepdf.Pdf, font: Font, new: Any, old: Any) -> None:  # noqa: C901
    """Write the copy of a font."""
    kind = str(old.get("/Subtype", Name("/Type1")))
    kind = kind if kind in ("/Type0", "/Type1", "/MMType1", "/TrueType", "/Type3") else "/Type1"
    new.Subtype = Name(kind)
    descendant = old.DescendantFonts[0] if kind == "/Type0" else None
    within = old if descendant is None else descendant
    descriptor = within.get("/FontDescriptor")
    copied, embedded = _descriptor(pdf, descriptor) if isinstance(descriptor, Dictionary) else (None, False)
    name = Name(f"/AAAAAA+Font{old.objgen[0]}" if embedded else f"/{font.style}")
    for key in ("FirstChar", "LastChar", "Widths", "FontMatrix", "FontBBox"):
        if (number := numbers(old.get("/" + key))) is not None:
            new["/" + key] = number
    encoding = old.get("/Encoding")
    if isinstance(encoding, Name):
        new.Encoding = (
            encoding if str(encoding)[1:] in WORDS or _MAPS.fullmatch(str(encoding)) else Name("/WinAnsiEncoding")
        )
    elif isinstance(encoding, Dictionary) and not isinstance(encoding, Stream):
        new.Encoding = Dictionary()
        if isinstance(base := encoding.get("/BaseEncoding"), Name) and str(base)[1:] in WORDS:
            new.Encoding.BaseEncoding = base
        new.Encoding.Differences = Array(
            [glyph_name(str(one)) if isinstance(one, Name) else int(one) for one in array(encoding.get("/Differences"))]
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
            if (number := numbers(descendant.get("/" + key))) is not None:
                sub["/" + key] = number
        given = descendant.get("/CIDToGIDMap")
        if isinstance(given, Stream):
            sub.CIDToGIDMap = pdf.make_stream(given.read_bytes())
        elif given is not None:
            sub.CIDToGIDMap = Name("/Identity")
        if copied is not None:
            sub.FontDescriptor = copied
        new.DescendantFonts = Array([pdf.make_indirect(sub)])
    elif copied is not None and kind != "/Type3":
        new.FontDescriptor = copied
    if font.texts and (kind != "/Type0" or "/ToUnicode" in old or "/Identity" in str(encoding)):
        new.ToUnicode = pdf.make_stream(_unicode_map(font.texts))


def _descriptor(pdf: pikepdf.Pdf, item: Any) -> tuple[Any, bool]:
    kept = known(item, _DESCRIPTOR)
    kept.Type = Name("/FontDescriptor")
    for key in ("/FontFile", "/FontFile2", "/FontFile3"):
        if isinstance(program := item.get(key), Stream) and (bare := _nameless(program.read_bytes())):
            made = pdf.make_stream(bare, known(program, frozenset(("Length1", "Length2", "Length3"))))
            if key == "/FontFile2":
                made.Length1 = len(bare)
            if key == "/FontFile3":
                made.Subtype = Name(
                    str(program.get("/Subtype", ""))
                    if str(program.get("/Subtype", "")) in ("/Type1C", "/CIDFontType0C", "/OpenType")
                    else "/Type1C"
                )
            kept[key] = made
            return pdf.make_indirect(kept), True
    return pdf.make_indirect(kept), False


def standard_font(style: str) -> Any:
    """Return one of the fonts that every viewer has."""
    return Dictionary(
        {
            "/Type": Name("/Font"),
            "/Subtype": Name("/Type1"),
            "/BaseFont": Name(f"/{style}"),
            "/Encoding": Name("/WinAnsiEncoding"),
        }
    )


def wide_font(pdf: pikepdf.Pdf, characters: set[str]) -> Any:
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
    """Return the program of a font without names, and without what its head says in words; empty of what is none."""
    if program[:4] in (b"\x00\x01\x00\x00", b"true", b"OTTO"):
        return _of_tables(program)
    if program[:1] == b"\x01":
        data = bytearray(program)
        at = _index(program, program[2], lambda start, end: data.__setitem__(slice(start, end), b"A" * (end - start)))
        at = _index(program, at, lambda start, end: None)

        def blank(start: int, end: int) -> None:
            name = program[start:end].decode("latin-1")
            if str(glyph_name(name)) != f"/{name}":
                data[start:end] = b"A" * (end - start)

        _index(program, at, blank)
        return bytes(data)
    if program[:2] == b"%!":
        head, found, rest = program.partition(b"eexec")
        head = re.sub(rb"\([^()]*\)", lambda match: b"(" + b" " * (len(match[0]) - 2) + b")", head)
        head = re.sub(rb"%[^\r\n]*+", lambda match: match[0][:14].ljust(len(match[0])), head)
        return head + found + rest
    return b""


_TABLES: Final = frozenset(
    (
        b"cmap glyf loca head hhea hmtx maxp cvt fpgm prep OS/2 post CFF VORG vhea vmtx gasp kern GSUB GPOS GDEF BASE"
        b" hdmx VDMX LTSH"
    ).split()
)
"""Tables by which a font draws; others, and what lies between tables, may say anything."""


def _of_tables(program: bytes) -> bytes:
    """Return a font of the tables that draw, in their order."""
    tables = []
    for at in range(12, min(12 + 16 * int.from_bytes(program[4:6], "big"), len(program) - 15), 16):
        start, length = (int.from_bytes(program[at + off : at + off + 4], "big") for off in (8, 12))
        table = bytearray(program[start : start + length])
        if program[at : at + 4].rstrip() in _TABLES and len(table) == length:
            if program[at : at + 4] == b"post":
                _blank_names(table, 0, length)
            tables.append((program[at : at + 8], bytes(table)))
    if not any(head[:4] in (b"glyf", b"CFF ") for head, _ in tables):
        return b""
    widest = len(tables).bit_length() - 1
    sizes = (len(tables), 16 << widest, widest, 16 * len(tables) - (16 << widest))
    head, body = program[:4] + b"".join(size.to_bytes(2, "big") for size in sizes), b""
    for name, drawn in tables:
        place = 12 + 16 * len(tables) + len(body)
        head += name + place.to_bytes(4, "big") + len(drawn).to_bytes(4, "big")
        body += drawn + bytes(-len(drawn) % 4)
    return head + body


def _blank_names(data: bytearray, start: int, end: int) -> None:
    """Blank the names of glyphs in a table that say more than which glyph they are of."""
    if data[start : start + 4] != b"\x00\x02\x00\x00":
        return
    at = start + 34 + 2 * int.from_bytes(data[start + 32 : start + 34], "big")
    while at < end and at + data[at] < end:
        size = data[at]
        name = data[at + 1 : at + 1 + size].decode("latin-1")
        if str(glyph_name(name)) != f"/{name}":
            data[at + 1 : at + 1 + size] = b"A" * size
        at += 1 + size


def _index(program: bytes, at: int, take: Callable[[int, int], object]) -> int:
    """Go through an index of a compact font; returns where it ends."""
    count, size = int.from_bytes(program[at : at + 2], "big"), program[at + 2 : at + 3]
    if not count or not size or size[0] not in (1, 2, 3, 4):
        return at + 2
    starts = [
        int.from_bytes(program[at + 3 + size[0] * number : at + 3 + size[0] * (number + 1)], "big")
        for number in range(count + 1)
    ]
    base = at + 2 + size[0] * (count + 1)
    for start, end in pairwise(starts):
        if start <= end <= len(program) - base:
            take(base + start, base + end)
    return base + starts[-1]


def glyph_name(name: str) -> Name:
    """Return the name of a glyph if it says nothing but which one it is."""
    from pdfminer.glyphlist import glyphname2unicode

    plain = name.removeprefix("/")
    base, _, form = plain.partition(".")
    known = _GLYPH.fullmatch(plain) or (base in glyphname2unicode and (not form or form in _FORMS))
    return Name(f"/{plain}" if known else "/.notdef")
