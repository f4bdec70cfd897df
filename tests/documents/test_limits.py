"""Documents that blow up: each is refused in one line, in the process that reads it or at its end."""

import base64
import io
from collections.abc import Callable

import docx
import openpyxl
import pikepdf
import pytest

import textveil as tv
from textveil.documents.apart import Apart, Opened, released, restored
from textveil.documents.registry import Limits, entries, packed
from textveil.errors import InputError, InternalError

NAME = "Zebedee Quillfeather"


def words(inserted: str = "") -> bytes:
    """Return a file of Word with something inserted."""
    out = io.BytesIO()
    made = docx.Document()
    made.add_paragraph(f"Dr. {NAME} wrote.")
    made.save(out)
    files = dict(entries(out.getvalue()))
    files["word/document.xml"] = files["word/document.xml"].replace(b"<w:body>", b"<w:body>" + inserted.encode(), 1)
    return packed(files)


def shared_string(characters: int, cells: int) -> bytes:
    """Return a sheet whose cells all refer to one string."""
    out = io.BytesIO()
    openpyxl.Workbook().save(out)
    files = dict(entries(out.getvalue()))
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings"
    shared = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    rows = "".join(f'<row r="{row}"><c r="A{row}" t="s"><v>0</v></c></row>' for row in range(1, cells + 1))
    for name, before, after in (
        ("xl/worksheets/sheet1.xml", "<sheetData/>", f"<sheetData>{rows}</sheetData>"),
        ("xl/_rels/workbook.xml.rels", "</R", f'<Relationship Id="rX" Type="{kind}" Target="sharedStrings.xml"/></R'),
        ("[Content_Types].xml", "</T", f'<Override PartName="/xl/sharedStrings.xml" ContentType="{shared}"/></T'),
    ):
        old = files[name].decode().replace("<sheetData></sheetData>", "<sheetData/>")
        files[name] = old.replace(before, after, 1).encode()
        assert files[name] != old.encode()
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    files["xl/sharedStrings.xml"] = f'<sst xmlns="{main}"><si><t>{"Q" * characters}</t></si></sst>'.encode()
    return packed(files)


def page_of(content: bytes) -> bytes:
    """Return a PDF file of one page with this content."""
    made = pikepdf.Pdf.new()
    made.add_blank_page().obj.Contents = made.make_stream(content)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


@pytest.fixture(scope="module")
def sanitizer() -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy("identifiers"))


def test_a_process_of_its_own_releases_and_restores_several_documents(sanitizer):
    apart = Apart()
    for name, data in (("a.docx", words()), ("b.pdf", page_of(b"q Q")), ("c.docx", words("<w:p/>"))):
        release = released(name, data, sanitizer, apart=apart)
        assert Opened(name, release.data).text == release.private_map.released
        back = apart.restored(name, release.data, release.private_map)
        assert Opened(name, back.data).text == Opened(name, data).text
        assert back == restored(name, release.data, release.private_map)
    assert NAME not in release.private_map.released
    with pytest.raises(InputError, match="encrypted"):
        apart.opened("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    first, second = apart.opened("a.docx", words()), apart.opened("b.docx", words("<w:p/>"))
    drawn = sanitizer.batch([first.text], spans=False)[0].private_map
    assert first.rewritten(drawn).data == Opened("a.docx", words()).rewritten(drawn).data  # which is read again
    with pytest.raises(InternalError, match="of another"):
        second.rewritten(drawn)


@pytest.mark.parametrize(
    ("limits", "told"),
    [(Limits(seconds=0.02), "within 0.02 s"), (Limits(memory=2**24), "within 16 MB of memory")],
)
def test_a_document_that_takes_too_much_ends_its_process_and_is_refused(limits, told):
    apart = Apart(limits)
    bomb = words("<w:p><w:r><w:t>a</w:t></w:r></w:p>" * 100_000)
    for _ in range(2):
        with pytest.raises(InputError, match=told) as error:
            apart.opened("a.docx", bomb)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "make", "limits", "told"),
    [
        ("a.xlsx", lambda: shared_string(10**6, 200), Limits(), "16,777,216 characters"),
        ("a.xlsx", lambda: shared_string(9, 100), Limits(characters=899), "899 characters"),
        ("a.docx", lambda: words("<w:p><w:r><w:t>many words</w:t></w:r></w:p>" * 99), Limits(characters=900), "900 ch"),
        ("a.docx", lambda: words("<w:p/>" * 999), Limits(tags=900), "900 tags"),
        ("a.html", lambda: b"<p>" * 999, Limits(tags=900), "900 tags"),
        ("a.docx", words, Limits(parts=3), "3 parts"),
        ("a.docx", lambda: words("<w:p/>" * 400_000), Limits(bytes=2**20), "1 MB"),
        ("a.eml", lambda: b"Subject: a\n\n" + bytes(2**21), Limits(bytes=2**20), "1 MB"),
        ("a.pdf", lambda: page_of(b"q Q " * 999), Limits(operators_in_one=999), "999 operators in one page"),
        ("a.pdf", lambda: page_of(b"q Q " * 999), Limits(operators=999), "999 operators"),
    ],
)
def test_what_a_document_holds_is_counted_before_it_is_made(name: str, make: Callable[[], bytes], limits, told):
    with pytest.raises(InputError, match=told) as error:
        Opened(name, make(), limits=limits)
    assert "\n" not in str(error.value)


def test_attachments_count_as_parts_of_their_mail():
    base = base64.encodebytes(words()).decode()
    one = (
        "--b\nContent-Type: application/vnd.openxmlformats-officedocument.wordprocessingml.document\n"
        f"Content-Transfer-Encoding: base64\nContent-Disposition: attachment; filename=a.docx\n\n{base}\n"
    )
    mail = f"From: a@b.org\nContent-Type: multipart/mixed; boundary=b\n\n{one * 3}--b--\n".encode()
    most = 2 * len(entries(words()))
    assert NAME in Opened("a.eml", mail).text
    with pytest.raises(InputError, match="parts"):
        Opened("a.eml", mail, limits=Limits(parts=most))


def test_forms_within_forms_count_as_often_as_they_are_shown():
    made = pikepdf.Pdf.new()
    page = made.add_blank_page()
    inner = made.make_stream(b"q Q", Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 9, 9])
    for _ in range(12):
        inside = pikepdf.Dictionary(XObject=pikepdf.Dictionary(F=inner))
        box = {"Type": pikepdf.Name.XObject, "Subtype": pikepdf.Name.Form, "BBox": [0, 0, 9, 9]}
        inner = made.make_stream(b"/F Do " * 10, **box, Resources=inside)
    page.obj.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(F=inner))
    page.obj.Contents = made.make_stream(b"/F Do")
    out = io.BytesIO()
    made.save(out)
    with pytest.raises(InputError, match="operators"):
        Opened("a.pdf", out.getvalue())
