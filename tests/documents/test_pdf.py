"""PDF: text is written at its place, everything else is known or gone, and the file is whole and new."""

import io

import pikepdf
import pypdf
import pypdfium2
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen import canvas

import textveil as tv
from textveil.documents.apart import Opened, released, restored
from textveil.documents.model import joined
from textveil.documents.pdf_fonts import _nameless
from textveil.documents.pdf_strings import strings
from textveil.documents.registry import Limits, reader_of
from textveil.errors import InputError, InternalError

NAME, MAIL, PHONE = "Zebedee Quillfeather", "zebedee@quillfeather.example.net", "(617) 555-0143"


@pytest.fixture(scope="module")
def sanitizer() -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy("identifiers"))


def made(pages: int = 2) -> bytes:
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A4)
    page.setTitle("Xylotrope")
    for number in range(pages):
        page.bookmarkPage(f"Xylotrope{number}")
        page.addOutlineEntry(f"About {NAME}", f"Xylotrope{number}")
        page.setFont("Helvetica", 12)
        page.drawString(72, 760, f"Dear {NAME}, please call {PHONE} tomorrow.")
        text = page.beginText(72, 730)
        text.textLine("The contract was signed by Zebedee")
        text.textLine("Quillfeather in spring.")
        page.drawText(text)
        page.setFont("Helvetica-Bold", 12)  # one name in two fonts
        page.drawString(72, 690, "Zebedee ")
        page.setFont("Helvetica", 12)
        page.drawString(72 + page.stringWidth("Zebedee ", "Helvetica-Bold", 12), 690, "Quillfeather (again)")
        page.saveState()
        page.translate(300, 400)
        page.rotate(45)
        page.drawString(0, 0, f"{NAME} turned")
        page.restoreState()
        page.linkURL(f"mailto:{MAIL}", (72, 600, 300, 620))
        page.beginForm(f"Xylotrope{number}")
        page.drawString(72, 40, f"Footer of {NAME}")
        page.endForm()
        page.doForm(f"Xylotrope{number}")
        page.acroForm.textfield(name="Xylotrope", value=NAME, x=72, y=500, width=200, height=20)
        page.showPage()
    page.save()
    return out.getvalue()


def planted(data: bytes) -> bytes:
    """Plant words in places that are no text of a page."""
    file = pikepdf.open(io.BytesIO(data))
    root = file.Root
    root.Xylotrope = pikepdf.String("Xylotrope")
    root.OpenAction = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS="Xylotrope()")
    root.Lang = pikepdf.String("Xylotrope")
    file.attachments["Xylotrope.txt"] = b"Xylotrope"
    with file.open_metadata() as metadata:
        metadata["dc:title"] = "Xylotrope"
    page = file.pages[0]
    page.Xylotrope = pikepdf.Name("/Xylotrope")
    note = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=[0, 0, 9, 9], Contents="Xylotrope", T="Xylotrope"
    )
    page.Annots.append(file.make_indirect(note))
    page.contents_add(
        b"/Span <</ActualText (Xylotrope) /Xylotrope 1>> BDC EMC /Xylotrope MP % Xylotrope\n"
        b"q 9 0 0 9 0 0 cm BI /W 9 /H 1 /CS /G /BPC 8 ID Xylotrope EI Q (Xylotrope) Xylotrope\n"
    )
    image = file.make_stream(b"Xylotrope", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image, Width=9, Height=1)
    image.ColorSpace, image.BitsPerComponent = pikepdf.Name.DeviceGray, 8
    page.Resources.XObject["/Xylotrope"] = image
    page.contents_add(b"q 9 0 0 9 90 90 cm /Xylotrope Do Q")
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()


def everything(data: bytes) -> str:
    shown = [one.string for one in strings(data)]
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]
    return "\n".join([*shown, *pages, data.decode("latin-1")])


def text_of(data: bytes) -> str:
    return joined(reader_of("a.pdf")[0](data, "blank").passages)


def boxes(data: bytes, words: str) -> list[list[float]]:
    """Return where the letters of a text stand on the first page."""
    text = pypdfium2.PdfDocument(data)[0].get_textpage()
    start = text.get_text_range().index(words)
    return [[round(side, 1) for side in text.get_charbox(at)] for at in range(start, start + len(words))]


def test_text_is_written_in_its_place_and_undone(sanitizer):
    data = made()
    done = released("a.pdf", data, sanitizer)
    seen = everything(done.data).lower()
    for word in ("quillfeather", "zebedee", "555-0143", "xylotrope"):
        assert word not in seen
    assert text_of(done.data) == done.private_map.released
    assert text_of(restored("a.pdf", done.data, done.private_map).data) == text_of(data)
    assert "The contract was signed by Zebedee\nQuillfeather in spring." in text_of(data)
    for words in ("The contract was signed by", "tomorrow.", "(again)", "in spring."):
        assert boxes(done.data, words) == boxes(data, words)


def test_what_is_no_text_of_a_page_is_gone_and_told(sanitizer):
    data = planted(made(1))
    assert "Xylotrope" in everything(data)
    done = released("a.pdf", data, sanitizer)
    assert "xylotrope" not in everything(done.data).lower()
    removed = +done.certificate.removed
    told = "attachment", "script or action", "note on a page", "metadata (XMP)", "spoken text", "picture within text"
    assert all(removed[what] for what in told)
    assert done.certificate.parts["picture, blank"] == 1


def test_a_hidden_layer_and_text_that_cannot_be_read_go(sanitizer):
    file = pikepdf.open(io.BytesIO(made(1)))
    layer = file.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.OCG, Name="Xylotrope"))
    file.Root.OCProperties = pikepdf.Dictionary(OCGs=[layer], D=pikepdf.Dictionary(OFF=[layer]))
    page = file.pages[0]
    page.Resources.Properties = pikepdf.Dictionary(L=layer)
    inner = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.CIDFontType2, BaseFont=pikepdf.Name.Xylotrope,
        CIDSystemInfo=pikepdf.Dictionary(Registry="Adobe", Ordering="Identity", Supplement=0),
    )  # fmt: skip
    page.Resources.Font["/U"] = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type0, BaseFont=pikepdf.Name.Xylotrope,
        Encoding=pikepdf.Name("/Identity-H"), DescendantFonts=[file.make_indirect(inner)],
    )  # fmt: skip
    page.contents_add(b"/OC /L BDC BT /F1 9 Tf (Xylotrope) Tj ET EMC BT /U 9 Tf <00580059> Tj ET")
    out = io.BytesIO()
    file.save(out)
    done = released("a.pdf", out.getvalue(), sanitizer)
    assert "xylotrope" not in everything(done.data).lower()
    assert done.certificate.removed["hidden layer"] == done.certificate.removed["text that cannot be read"] == 1


def test_characters_that_standard_fonts_lack_are_written_and_read(sanitizer):
    content = reader_of("a.pdf")[0](made(1), "blank")
    content.passages[0].pieces[0].write("Ольга Ћирић 山田")
    assert "Ольга Ћирић 山田" in text_of(content.written())


def test_broken_encrypted_and_packed_files_are_refused_in_one_line(sanitizer, monkeypatch):
    monkeypatch.setattr("textveil.documents.registry.Limits", lambda: Limits(bytes=2**20))
    encrypted, bomb = io.BytesIO(), io.BytesIO()
    pikepdf.open(io.BytesIO(made(1))).save(encrypted, encryption=pikepdf.Encryption(owner="x", user=""))
    file = pikepdf.open(io.BytesIO(made(1)))
    file.pages[0].contents_add(b" " * 2**21)
    file.save(bomb)
    for data in (b"", b"%PDF-1.7 Xylotrope", made(1)[:700], encrypted.getvalue(), bomb.getvalue()):
        with pytest.raises(InputError) as error:
            released("a.pdf", data, sanitizer)
        assert "\n" not in str(error.value) and "Xylotrope" not in str(error.value)
    pictures = planted(made(1))
    with pytest.raises(InputError, match="pictures"):
        released("a.pdf", pictures, sanitizer, images="refuse")


def test_the_check_finds_a_value_that_was_left(sanitizer, monkeypatch):
    from textveil.documents import pdf

    monkeypatch.setattr(
        pdf.Lines, "spread", lambda lines: [setattr(part, "new", None) for line in lines.parts for part in line]
    )
    with pytest.raises(InternalError, match="a value that was drawn"):
        released("a.pdf", made(1), sanitizer)


def test_colors_and_patterns_stay_without_their_names(sanitizer):
    file = pikepdf.open(io.BytesIO(made(1)))
    page, name = file.pages[0], pikepdf.Name
    tint = pikepdf.Dictionary(FunctionType=2, Domain=[0, 1], C0=[1, 1, 1], C1=[1, 0, 0], N=1)
    shading = pikepdf.Dictionary(ShadingType=2, ColorSpace=name.DeviceRGB, Coords=[0, 0, 9, 9], Function=tint)
    tile = file.make_stream(
        b"BT /F1 9 Tf (Zebedee Quillfeather) Tj ET 0 0 9 9 re f", PatternType=1, PaintType=1, TilingType=1,
        BBox=[0, 0, 99, 99], XStep=99, YStep=99, Resources=page.Resources,
    )  # fmt: skip
    page.Resources.Pattern = pikepdf.Dictionary(P=pikepdf.Dictionary(PatternType=2, Shading=shading), T=tile)
    page.Resources.ColorSpace = pikepdf.Dictionary(C=[name.Separation, name.Xylotrope, name.DeviceRGB, tint])
    page.Resources.Shading = pikepdf.Dictionary(S=shading)
    page.contents_add(b"/Pattern cs /P scn 0 0 9 9 re f /T scn 0 0 9 9 re f /C cs 1 scn 9 9 9 9 re f /S sh")
    out = io.BytesIO()
    file.save(out)
    done = released("a.pdf", out.getvalue(), sanitizer)
    seen = everything(done.data).lower()
    assert "xylotrope" not in seen and "quillfeather" not in seen
    whole = pikepdf.open(io.BytesIO(done.data))
    resources = whole.pages[0].Resources
    assert len(resources.Pattern) == 2 and resources.ColorSpace["/C1"][1] == name.Ink and len(resources.Shading) == 1


def test_names_in_fonts_that_say_more_than_a_glyph_go():
    from textveil.documents.pdf_fonts import glyph_name

    for name in ("A", "a.sc", "uni0041", "g123", "Euro"):
        assert str(glyph_name(name)) == f"/{name}"
    for name in ("Zebedee", "a.Zebedee", "A.Quillfeather.sc", "zebedee1"):
        assert str(glyph_name(name)) == "/.notdef"


def test_marks_beside_a_value_stay_where_they_are(sanitizer):
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A4)
    page.drawString(72, 700, f"so it was ({MAIL}) in spring")
    page.save()

    def marks(data: bytes) -> list[tuple[float, ...]]:
        with pypdfium2.PdfDocument(data) as document:
            text = document[0].get_textpage()
            return [text.get_charbox(at) for at, mark in enumerate(text.get_text_range()) if mark in "()"]

    new = released("a.pdf", out.getvalue(), sanitizer).data
    assert MAIL not in text_of(new) and len(marks(new)) == 2
    for before, after in zip(marks(out.getvalue()), marks(new), strict=True):
        assert after == pytest.approx(before, abs=0.1)


def test_a_font_keeps_the_tables_that_draw_and_nothing_else():
    def font(*tables: tuple[bytes, bytes]) -> bytes:
        head, body = b"\0\1\0\0" + len(tables).to_bytes(2, "big") + bytes(6), b""
        for name, data in tables:
            place = 12 + 16 * len(tables) + len(body) + 9
            head += name + b"sums" + place.to_bytes(4, "big") + len(data).to_bytes(4, "big")
            body += data + b"slack"
        return head + b"Xylotrope" + body

    drawn = _nameless(font((b"glyf", b"outlines!"), (b"Xylo", b"Xylotrope"), (b"name", b"Xylotrope"), (b"cvt ", b"12")))
    assert b"Xylo" not in drawn and b"slack" not in drawn and b"name" not in drawn
    assert drawn[4:12] == bytes((0, 2, 0, 32, 0, 1, 0, 0)) and b"outlines!" in drawn and drawn[28:32] == b"cvt "
    for program in (font((b"Xylo", b"Xylotrope")), b"\0\1\0\0 Xylotrope", b"Xylotrope", font((b"glyf", b"x"))[:-7]):
        assert _nameless(program) == b""


def test_letters_that_stand_in_boxes_are_a_word(sanitizer):
    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A4)
    page.drawString(72, 760, "Dr. Zebedee ")
    for at, letter in enumerate("Quillfeather"):
        page.drawString(150 + 11 * at, 760, letter)
    page.setFont("Helvetica", 0)
    page.drawString(72, 700, "Dr. Zebedee Quillfeather")
    page.save()
    assert "Quillfeather" in text_of(out.getvalue())
    seen = everything(released("a.pdf", out.getvalue(), sanitizer).data)
    assert "uillfeather" not in seen and "illf" not in seen


def test_a_file_that_reads_otherwise_once_it_is_written_says_that_it_is_restored_by_mention(sanitizer):
    opened = Opened("a.pdf", made(1))
    (release,) = sanitizer.batch([opened.text], spans=False)
    told = "file that is restored by mention alone"
    assert told not in Opened("a.pdf", made(1)).rewritten(release.private_map).certificate.to_data()["parts"]
    opened._again = reader_of("a.html")[0]
    assert opened.rewritten(release.private_map).certificate.parts[told] == 1
