"""Pictures by themselves: .png and .jpg files, whose text is read and painted over."""

from collections import Counter
from collections.abc import Iterator

from textveil.documents.check import Shown
from textveil.documents.model import Images
from textveil.documents.ocr import jpeg_of, pixels_again, pixels_of, png_of, read
from textveil.documents.pictures import Pictures, is_bare, said
from textveil.errors import InputError, InternalError


class PictureFile:
    """A picture that was read; see the package's docstring."""

    def __init__(self, data: bytes, images: Images) -> None:
        if images != "ocr":
            raise InputError(f"a picture alone needs `images` ocr, which reads it; got {images}.")
        self.parts: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        pixels = pixels_of(data)
        if pixels is None:
            raise InputError("the document must be a whole picture of moderate size; it is damaged, or something else.")
        pictures = Pictures(images, self.parts)
        self._painted = pictures.take_pixels(lambda: pixels)
        self._png = data.startswith(b"\x89PNG")
        self.passages = pictures.passages
        self.removed["data beside pixels"] += not is_bare(data)

    def written(self) -> bytes:
        """Return the file, made of its pixels alone."""
        if self._painted is None:
            raise InternalError("a picture that was read must be painted over; it was not. No file was written.")
        return (png_of if self._png else jpeg_of)(self._painted())


def strings(data: bytes, images: Images = "blank") -> Iterator[Shown]:
    """Yield what is read in the written picture."""
    if not is_bare(data):
        raise InternalError("the written picture holds more than pixels. No file was written.")
    yield Shown("picture", said(read(pixels_again(data))), False)
