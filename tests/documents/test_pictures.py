"""Pictures: their text is read, painted over where it changed, and read again; or they are blank, or refused."""

import base64
import io
import sys
from email.message import EmailMessage

import docx
import numpy as np
import pikepdf
import pytest
from PIL import Image, ImageDraw, ImageFont, PngImagePlugin

import textveil as tv
from textveil.documents.apart import released, restored
from textveil.documents.model import joined
from textveil.documents.pictures import BLANK, is_bare
from textveil.documents.registry import entries, reader_of
from textveil.errors import InputError, InternalError, MissingExtra

NAME, MAIL, PHONE = "Zebedee Quillfeather", "zebedee@quillfeather.example.net", "(617) 555-0143"
CANARY = "Xylotrope"


@pytest.fixture(scope="module")
def sanitizer() -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy("identifiers"))


_FOUND: dict[bytes, object] = {}


@pytest.fixture
def ocr(monkeypatch):
    """Return the module that reads pictures, which reads the same pixels once in all tests."""
    pytest.importorskip("rapidocr")
    pytest.importorskip("onnxruntime")
    from textveil.documents import ocr

    engine = ocr._engine

    def found(pixels: np.ndarray) -> object:
        key = f"{pixels.shape}".encode() + pixels.tobytes()
        if key not in _FOUND:
            _FOUND[key] = engine()(pixels)
        return _FOUND[key]

    monkeypatch.setattr(ocr, "_engine", lambda: found)
    return ocr


def drawn(kind: str = "PNG") -> bytes:
    """Return a picture of a letter, with data beside its pixels."""
    image = Image.new("RGB", (480, 420), "white")  # nearly square: it is read in a third of the time of a wide one
    font = ImageFont.load_default(28)
    for row, text in enumerate((f"Dear Dr. {NAME},", f"please call {PHONE}", "the client agrees")):
        ImageDraw.Draw(image).text((20, 20 + 130 * row), text, "navy", font)
    out = io.BytesIO()
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Comment", CANARY)
    image.save(out, kind, pnginfo=notes, comment=CANARY, dpi=(300, 300))
    assert CANARY.encode() in out.getvalue()
    return out.getvalue()


def pixels(data: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


@pytest.mark.parametrize(("name", "kind"), [("a.png", "PNG"), ("a.jpg", "JPEG")])
def test_lines_that_changed_are_painted_over_and_data_beside_pixels_goes(ocr, sanitizer, name, kind):
    data = drawn(kind)
    release = released(name, data, sanitizer, images="ocr")
    text = release.private_map.released
    assert text.startswith("\n\nDear Dr. ") and text.endswith("\nthe client agrees") and "Quill" not in text
    again = [line.text for line in ocr.read(pixels(release.data))]
    assert len(again) == 3 and again[0].endswith(",") and again[2] == "the client agrees"
    assert not any(value in " ".join(again) for value in ("Zebedee", "Quillfeather", "0143"))
    assert is_bare(release.data) and CANARY.encode() not in release.data
    assert release.certificate.removed == {"data beside pixels": 1}
    if kind == "PNG":  # the line that stays is as it was
        assert (pixels(release.data)[260:] == pixels(data)[260:]).all()
    with pytest.raises(InputError, match="cannot be restored"):
        restored(name, release.data, release.private_map)


def test_a_scanned_page_is_a_picture(ocr, sanitizer):
    file = pikepdf.new()
    page = file.add_blank_page(page_size=(480, 420))
    shape = {"Width": 480, "Height": 420, "ColorSpace": pikepdf.Name.DeviceRGB, "BitsPerComponent": 8}
    scan = file.make_stream(pixels(drawn()).tobytes(), Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image, **shape)
    page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(Im0=scan))
    page.Contents = file.make_stream(b"q 480 0 0 420 0 0 cm /Im0 Do Q")
    out = io.BytesIO()
    file.save(out)
    release = released("a.pdf", out.getvalue(), sanitizer, images="ocr")
    file = pikepdf.open(io.BytesIO(release.data))
    (image,) = file.pages[0].Resources.XObject.values()
    again = " ".join(line.text for line in ocr.read(np.asarray(pikepdf.PdfImage(image).as_pil_image())))
    assert "the client agrees" in again and "Dear Dr." in again
    assert not any(value in again for value in ("Zebedee", "Quillfeather", "0143"))
    assert release.certificate.parts["picture, painted over"] == 1


@pytest.fixture
def reader(ocr, monkeypatch):
    """Read one line in each picture, where its pixels are what they were."""
    corners = np.array([[10, 10], [440, 10], [440, 40], [10, 40]], np.float64)
    was = pixels(drawn())
    seen = {"text": f"Dear Dr. {NAME}", "sure": True}

    def read(found: np.ndarray) -> list:
        same = found.shape == was.shape and (found[:40] == was[:40]).all()
        return [ocr.Read(corners, seen["text"], seen["sure"])] if same else []

    monkeypatch.setattr(ocr, "read", read)
    return seen


def as_docx() -> bytes:
    made = docx.Document()
    made.add_paragraph(f"Dr. {NAME} called {PHONE}.")
    made.add_picture(io.BytesIO(drawn()))
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def as_odt() -> bytes:
    from tests.documents.test_open_document import written

    body = f'<text:p>Dr. {NAME}</text:p><text:p><draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame></text:p>'
    return written("text", body, {"Pictures/a.png": drawn()})


def as_mail() -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = MAIL, f"About Dr. {NAME}"
    message.set_content("See the picture.")
    message.add_attachment(drawn(), maintype="image", subtype="png", filename="scan.png")
    return message.as_bytes()


def as_page() -> bytes:
    picture = base64.b64encode(drawn()).decode()
    return (
        f'<p>Dr. {NAME} <img src="data:image/png;base64,{picture}"><img src="https://example.net/a.png"></p>'.encode()
    )


@pytest.mark.parametrize(("name", "made"), [("a.docx", as_docx), ("a.odt", as_odt), ("a.eml", as_mail), ("a.html", as_page)])  # fmt: skip
def test_a_value_in_a_picture_has_the_surrogate_of_the_text_around_it(reader, sanitizer, name, made):
    data = made()
    release = released(name, data, sanitizer, images="ocr")
    lines = release.private_map.released.split("\n")
    (said,) = [line.removeprefix("Dear Dr. ") for line in lines if line.startswith("Dear Dr. ")]
    assert said != NAME and release.private_map.released.count(said) == 2
    assert release.certificate.parts["picture, painted over"] == 1
    text = [joined(reader_of(name)[0](file, "blank").passages) for file in (data, restored(name, release.data, release.private_map).data)]  # fmt: skip
    assert text[0] == text[1]
    with pytest.raises(InputError, match="no pictures"):
        released(name, data, sanitizer, images="refuse")


def test_a_line_that_is_not_surely_read_is_gray_and_counted(reader, sanitizer):
    reader["sure"] = False
    release = released("a.png", drawn(), sanitizer, images="ocr")
    assert (pixels(release.data)[12:38, 12:430] == 0xB4).all()
    assert release.certificate.parts["line in a picture, not surely read, blank"] == 1


def test_a_text_that_does_not_fit_leaves_gray(ocr):
    line = ocr.Read(np.array([[10, 10], [60, 10], [60, 40], [10, 40]], np.float64), "Bo", True)
    page = np.full((60, 400, 3), 255, np.uint8)
    assert (ocr.painted(page, [line], ["Maximiliane von Oberhausen"])[12:38, 12:58] == 0xB4).all()
    assert (ocr.painted(page, [line], ["Bo"]) == page).all()
    assert (ocr.painted(page, [line], ["Al"]) != page).any()


def test_a_picture_that_cannot_be_read_is_blank(ocr, sanitizer, monkeypatch):
    made = docx.Document()
    made.add_picture(io.BytesIO(drawn()))
    out = io.BytesIO()
    made.save(out)
    monkeypatch.setattr(ocr, "MOST_PIXELS", 100)
    release = released("a.docx", out.getvalue(), sanitizer, images="ocr")
    (name,) = [name for name in entries(release.data) if name.endswith(".png")]
    assert entries(release.data)[name] == BLANK and release.certificate.parts["picture, blank"] == 1
    with pytest.raises(InputError, match="moderate size"):
        released("a.png", drawn(), sanitizer, images="ocr")


@pytest.mark.parametrize(("name", "made"), [("a.docx", as_docx), ("a.png", drawn)])
def test_a_picture_that_still_shows_a_value_is_not_handed_over(reader, ocr, sanitizer, monkeypatch, name, made):
    data = made()
    monkeypatch.setattr(ocr, "painted", lambda pixels, lines, texts: pixels)
    with pytest.raises(InternalError, match="kind picture"):
        released(name, data, sanitizer, images="ocr")


def test_pixels_alone_are_bare():
    def saved(kind: str, **more: object) -> bytes:
        out = io.BytesIO()
        Image.new("RGB", (9, 9)).save(out, kind, **more)
        return out.getvalue()

    assert is_bare(saved("PNG")) and is_bare(saved("JPEG")) and is_bare(BLANK)
    exif = Image.Exif()
    exif[0x010E] = CANARY
    for data in (
        saved("PNG", exif=exif),
        saved("JPEG", exif=exif),
        saved("PNG", dpi=(1, 1)),
        saved("JPEG", comment=b"x"),
    ):
        assert not is_bare(data)
    assert not is_bare(saved("PNG") + b"more") and not is_bare(saved("JPEG") + b"more") and not is_bare(b"") and not is_bare(saved("GIF"))  # fmt: skip


def test_without_the_extra_a_line_says_what_to_install(sanitizer, monkeypatch):
    monkeypatch.setitem(sys.modules, "rapidocr", None)
    for module in ("ocr", "pictures"):
        monkeypatch.delitem(sys.modules, f"textveil.documents.{module}", raising=False)
    with pytest.raises(MissingExtra, match=r"textveil\[ocr\]"):
        released("a.png", drawn(), sanitizer, images="ocr")
    with pytest.raises(MissingExtra, match=r"textveil\[ocr\]"):
        released("a.docx", as_docx(), sanitizer, images="ocr")


def test_commands_that_read_texts_read_a_picture(ocr):
    from textveil.corpora.formats.document_file import Documents

    records = Documents(("scan.png",)).of(1).records(drawn(), 1)
    assert not records.faults and f"Dear Dr. {NAME}," in records.texts[0][0]
