"""Text in pictures: read by RapidOCR, and painted over in place. Pixels are of shape (height, width, 3), red first."""

from __future__ import annotations

import io
import warnings
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from textveil.errors import InternalError, MissingExtra

with MissingExtra("rapidocr", "ocr"):
    import cv2
    import onnxruntime  # noqa: F401  (what RapidOCR computes with)
    from PIL import Image, ImageOps
    from rapidocr import RapidOCR

Pixels: TypeAlias = np.ndarray[Any, np.dtype[np.uint8]]
MOST_PIXELS: Final = 50_000_000
"""Limit on a picture that is read; a larger one is blank."""
_SURE: Final = 0.85
"""The score from which on a line counts as read; below it, it is blank."""
_FORMATS: Final = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP")
_GRAY: Final = (0xB4, 0xB4, 0xB4)
_SMALLEST: Final = 0.55  # of the height of letters before, that of the new ones that still fit
_WEIGHT: Final = 400


class Read(NamedTuple):
    """A line in a picture: its corners, shape (4, 2), what was read, and whether that is sure."""

    corners: Pixels
    text: str
    sure: bool

    @property
    def height(self) -> float:
        """Points between its top and its bottom."""
        return float(np.linalg.norm(self.corners[3] - self.corners[0]))

    def is_beside(self, other: Read) -> bool:
        """Tell whether it stands in one row with another."""
        apart = abs(float(self.corners[:, 1].mean() - other.corners[:, 1].mean()))
        return apart < min(self.height, other.height) / 2


@cache
def _engine() -> Any:
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.text_score": 0.0,
            "Det.box_thresh": 0.3,
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def read(pixels: Pixels) -> list[Read]:
    """Return the lines of a picture in the order in which they are read: row by row, from the left."""
    found = _engine()(np.ascontiguousarray(pixels[:, :, ::-1]))
    if found is None or found.boxes is None or found.txts is None:
        return []
    lines = [
        Read(np.asarray(corners, np.float64), " ".join(text.split()), score >= _SURE and bool(text.strip()))
        for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
    ]
    rows: list[list[Read]] = []
    for line in sorted(lines, key=lambda one: float(one.corners[:, 1].mean())):
        if rows and line.is_beside(rows[-1][-1]):
            rows[-1].append(line)
        else:
            rows.append([line])
    return [line for row in rows for line in sorted(row, key=lambda one: float(one.corners[:, 0].min()))]


def painted(pixels: Pixels, lines: list[Read], texts: list[str | None]) -> Pixels:
    """Return a picture in which each line that changed has its new text; None, or one that does not fit, is gray."""
    new = pixels.copy()
    changed = [(line, text) for line, text in zip(lines, texts, strict=True) if text != line.text or not line.sure]
    for line, text in changed:
        _paint(new, pixels, line, text)
    return new


def _paint(new: Pixels, old: Pixels, line: Read, text: str | None) -> None:
    """Fill a box and a margin around it, and draw the text in it: no point of what stood there stays."""
    pad = max(2.0, line.height * 0.15)
    middle = line.corners.mean(axis=0)
    corners = np.rint(line.corners + np.sign(line.corners - middle) * (2 * pad, pad)).astype(np.int32)
    left, top = np.maximum(corners.min(axis=0), 0)
    right, bottom = corners.max(axis=0)
    inside = old[top:bottom, left:right].reshape(-1, 3).astype(np.float64)
    ground = np.median(inside, axis=0) if len(inside) else np.asarray(_GRAY, np.float64)
    level = abs(line.corners[1, 1] - line.corners[0, 1]) < line.height / 2
    size = _fitting(text, line) if text and level else 0
    cv2.fillPoly(new, [corners], _GRAY if text is None or not size else [float(part) for part in ground])
    if not size or text is None:
        return
    apart = np.abs(inside - ground).sum(axis=1)
    ink = inside[apart >= max(np.percentile(apart, 95), 1.0)]
    color = ink.mean(axis=0) if len(ink) else np.zeros(3)
    if np.abs(color - ground).sum() < 120:
        color = np.zeros(3) if ground.sum() > 380 else np.full(3, 255.0)
    at = (int(line.corners[:, 0].min()), int(line.corners[:, 1].max() - line.height * 0.22))
    cv2.putText(new, text, at, [float(part) for part in color], _face(), size, _WEIGHT)


@cache
def _face() -> Any:
    return cv2.FontFace("uni")


def _fitting(text: str, line: Read) -> int:
    """Return the size in which a text fits a line; 0 if it does not."""
    room = float(np.linalg.norm(line.corners[1] - line.corners[0]))
    size = line.height * 0.9
    (_, _, width, _) = cv2.getTextSize((2**15, 2**15), text, (0, 0), _face(), int(size), _WEIGHT)
    fits = size * min(1.0, room / max(width, 1))
    return int(fits) if fits >= max(size * _SMALLEST, 5) else 0


def pixels_of(data: bytes) -> Pixels | None:
    """Return the pixels of a picture, turned as it is shown; None if it is none that can be read, or too large."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
                if image.width * image.height > MOST_PIXELS:
                    return None
                return pixels_of_image(ImageOps.exif_transpose(image))
    except Exception:  # whatever a decoder raises: nobody reads the picture
        return None


def pixels_of_image(image: Image.Image) -> Pixels:
    """Return the pixels of a decoded picture, on white if it is transparent."""
    whole = Image.new("RGBA", image.size, "white")
    whole.alpha_composite(image.convert("RGBA"))
    return np.asarray(whole.convert("RGB")).copy()


def png_of(pixels: Pixels) -> bytes:
    """Return a PNG file of pixels, and of nothing else."""
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def jpeg_of(pixels: Pixels) -> bytes:
    """Return a JPEG file of pixels, and of nothing else."""
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "JPEG", quality=92)
    return out.getvalue()


def pixels_again(data: bytes) -> Pixels:
    """Return the pixels of a written picture, by another library than its writer's."""
    if (found := cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)) is None:
        raise InternalError("the written document holds a picture that does not open. No file was written.")
    return np.ascontiguousarray(found[:, :, ::-1])
