"""Values of PDF that say nothing of anybody: numbers, words of the format, colors, functions, shadings."""

import re
from decimal import Decimal
from typing import Any, Final

from textveil.documents.pdf_text import IDENTITY, Matrix
from textveil.errors import MissingExtra

try:
    import pikepdf
    from pikepdf import Array, Dictionary, Name, Stream
except ImportError:
    raise MissingExtra("pikepdf", "documents") from None

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
    """Return a number, or an array of numbers within arrays; None where it is something else."""
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
    kind = item.get("/FunctionType")
    if kind == 3:
        made = function(new, item.Functions)
        if made is None:
            return None
        kept.Functions = made
    if kind == 2 or kind == 3:
        return kept
    data = item.read_bytes()
    if kind != 0 and _CALCULATED.fullmatch(data) is None:
        return None
    return new.make_stream(data, kept)


def space(new: pikepdf.Pdf, item: Any) -> Any:
    """Return a space of colors without profiles and names; None where it is none."""
    if isinstance(item, Name):
        return item if str(item)[1:] in WORDS else None
    if not isinstance(item, Array) or not len(item):
        return None
    kind = str(item[0])
    if kind == "/ICCBased":
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
