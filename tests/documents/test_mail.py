"""Mail and pages of HTML: what is text is sanitized in place, everything else is known or gone."""

import base64
import email
import quopri
from email.message import EmailMessage

import pytest

import textveil as tv
from textveil.documents.apart import released, restored
from textveil.documents.model import joined
from textveil.documents.registry import reader_of
from textveil.documents.web import decoded
from textveil.errors import InputError

NAME, MAIL, PHONE = "Zebedee Quillfeather", "zebedee@quillfeather.example.net", "(617) 555-0143"
PAGE = f"""<html><head><title>Letter to {NAME}</title><meta name=author content="{NAME}"><!-- Xylotrope -->
<script>var x='Xylotrope'</script><style>.Xylotrope, p#xylotrope {{ color: red; font-family: Arial, "Xylotrope";
background: url(http://xylotrope) }} @import "xylotrope"; @media xylotrope {{ p {{ color: red }} }}</style></head>
<body onload="xylotrope()" data-x="Xylotrope"><p class="Xylotrope" style="color: xylotrope; margin: 3px">Dear
<b>Zebedee</b> Quillfeather,<br>call {PHONE} or write to <a href="mailto:{MAIL}" title="to {NAME}">{MAIL}</a></p>
<table><tr><td>Name</td><td>{NAME}</td></tr></table><img src="xylotrope.png" alt="{NAME}" width=20>
<xylotrope xylotrope="xylotrope">Bar</xylotrope><svg><text>Xylotrope</text></svg><?xylotrope?></body></html>"""


@pytest.fixture(scope="module")
def sanitizer() -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy("identifiers"))


def message() -> EmailMessage:
    made = EmailMessage()
    made["From"] = f"{NAME} <{MAIL}>"
    made["To"] = f'"Müller, Anna" <anna@quillfeather.example.net>, {MAIL}'
    made["Subject"] = f"Meeting with {NAME} – Grüße"
    made["Date"] = "Tue, 3 Mar 2026 10:11:12 +0100"
    made["Message-ID"], made["References"] = "<Xylotrope@host>", "<Xylotrope@host> <Xylotrope2@host>"
    made["Received"], made["X-Xylotrope"] = "from Xylotrope", "Xylotrope"
    made.set_content(
        f"Hi,\n\ncall Zebedee\nQuillfeather.\n\nAnna wrote:\n> I met Zebedee\n> Quillfeather at {PHONE}.\n"
    )
    made.add_alternative(PAGE, subtype="html")
    made.add_attachment(PAGE.encode(), maintype="text", subtype="html", filename=f"{NAME}.html")
    made.add_attachment(b"Xylotrope", maintype="application", subtype="octet-stream", filename="Xylotrope.bin")
    made.add_attachment(b"\x89PNGXylotrope", maintype="image", subtype="png", filename="a.png")
    inner = EmailMessage()
    inner["Subject"], inner["From"] = f"{NAME} again", MAIL
    inner.set_content(f"{NAME} was here.\n\nFrom here on\n")
    inner.add_attachment(PAGE.encode(), maintype="text", subtype="html", filename="a.html")
    made.add_attachment(inner)
    return made


def everything(data: bytes) -> str:
    parts = [part.get_payload(decode=True) or b"" for part in email.message_from_bytes(data).walk()]
    return b"\n".join([data, *(part for part in parts if isinstance(part, bytes))]).decode("utf-8", "replace")


FOLDER = b"".join(b"From x@y Tue Mar  3 10:11:12 2026\n" + message().as_bytes() + b"\n" for _ in range(2))


@pytest.mark.parametrize(
    ("name", "data"), [("a.html", PAGE.encode()), ("a.eml", message().as_bytes()), ("a.mbox", FOLDER)]
)
def test_every_part_is_sanitized_or_gone_and_the_map_undoes_it(name, data, sanitizer):
    done = released(name, data, sanitizer)
    seen = everything(done.data)
    for word in ("xylotrope", "quillfeather", "zebedee", PHONE, "müller"):
        assert word not in seen.lower()
    assert done.certificate.removed
    texts = [
        joined(reader_of(name)[0](file, "blank").passages)
        for file in (data, restored(name, done.data, done.private_map).data)
    ]
    assert texts[0] == texts[1]
    assert NAME in texts[0]


def test_what_looks_stays(sanitizer):
    seen = released("a.html", PAGE.encode(), sanitizer).data.decode()
    assert 'width="20"' in seen and "margin: 3px" in seen and ".c1, p#i1 { color: red }" in seen
    mail = email.message_from_bytes(released("a.eml", message().as_bytes(), sanitizer).data)
    assert mail.get_content_type() == "multipart/mixed" and len(mail.get_payload()) == 5
    assert mail["References"].split()[0] == mail["Message-ID"]


def test_a_broken_encrypted_or_deep_message_is_refused_in_one_line(sanitizer):
    deep = message()
    for _ in range(20):
        outer = EmailMessage()
        outer["Subject"] = "in another"
        outer.add_attachment(deep)
        deep = outer
    sealed = message()
    sealed.replace_header("Content-Type", 'multipart/encrypted; boundary="x"')
    for name, data in (
        ("a.eml", b"no headers"), ("a.mbox", b"no folder"), ("a.eml", deep.as_bytes()), ("a.eml", sealed.as_bytes()),
    ):  # fmt: skip
        with pytest.raises(InputError) as error:
            released(name, data, sanitizer)
        assert "\n" not in str(error.value)


def test_letters_that_hide_in_the_bytes_of_ascii_are_read() -> None:
    text = "Dr Priya Venkataraman, 0113 496 0123"
    for charset in ("utf-7", "iso-2022-jp"):
        assert decoded(text.encode(charset), charset) == text
    assert decoded("山田太郎さん".encode("iso-2022-jp"), "iso-2022-jp") == "山田太郎さん"
    assert decoded(b"+AFYAZQBuAGsAYQB0AGE-", "utf-7") == "Venkata"


@pytest.mark.parametrize("coding", ["base64", "quoted-printable", "7bit"])
def test_a_message_within_a_message_is_read_in_any_encoding(sanitizer, coding):
    inner = b"From: zebedee@quillfeather.example.net\nSubject: about Dr. Zebedee Quillfeather\n\nremains = so\n"
    encoded = {"base64": base64.encodebytes, "quoted-printable": quopri.encodestring}.get(coding, bytes)(inner)
    head = "From: a@b.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
    part = f"Content-Type: message/rfc822\nContent-Transfer-Encoding: {coding}\n\n"
    data = head.encode() + part.encode() + encoded + b"\n--b--\n"
    release = released("a.eml", data, sanitizer)
    assert b"uillfeather" not in release.data and b"remains" in release.data


def test_text_that_goes_on_in_the_next_line_and_packed_files_in_text(sanitizer):
    flowed = (
        "I met Zebedee \n> Quillfeather\nZebedee \nQuillfeather came, zebedee@quill \nfeather.example.net\n-- \nme\n"
    )
    for gap, text in (("no", flowed.split("zebedee@")[0]), ("yes", flowed.replace("Zebedee ", "Zebedee  "))):
        head = f"From: a@b.org\nContent-Type: text/plain; format=flowed; delsp={gap}\n\n"
        seen = released("a.eml", (head + text).encode(), sanitizer).data.lower()
        assert b"quillfeather" not in seen and b"feather.example" not in seen and b"i met" in seen
    packed = "hello\nbegin 644 Xylotrope.txt\n%6'EL;P``\n`\nend\nremains\n"
    seen = released("a.eml", f"From: a@b.org\n\n{packed}".encode(), sanitizer).data
    assert b"Xylo" not in seen and b"6'EL" not in seen and b"remains" in seen


def test_names_of_attachments_stay_where_their_words_are_everybodys(sanitizer):
    made = EmailMessage()
    made["From"] = "a@b.org"
    names = ["Xylotrope_letter.pdf", "cv-XylotropeQ.TXT", "annual report.txt", "C:\\Xylotrope\\x", "letter.txt"]
    for name in names:
        made.add_attachment("remains", filename=name)
    mail = email.message_from_bytes(released("a.eml", made.as_bytes(), sanitizer).data)
    kept = [part.get_filename() for part in mail.walk() if part.get_filename()]
    assert kept == ["attachment.pdf", "attachment.TXT", "annual report.txt", "attachment", "letter.txt"]


def test_targets_that_are_paths_and_letters_in_another_order_go(sanitizer):
    page = """<p><a href="/of/Xylotrope">one</a> <a href="Xylotrope.html">two</a> <a href="https://example.org/">three</a>
    <bdo dir=rtl>four</bdo></p><xmp>Dr. Zebedee Quillfeather</xmp><listing>Dr. Zebedee Quillfeather</listing>\u202efive"""
    seen = released("a.html", page.encode(), sanitizer).data.decode()
    assert not any(word in seen for word in ("Xylotrope", "bdo", "\u202e", "uillfeather"))
    assert 'href="#"' in seen and 'href="https://' in seen


def test_an_address_that_no_host_can_have_is_written(sanitizer):
    data = "From: a@b.org\nCc: a@d\u00f6m\ud800.org\n\nremains\n".encode("utf-8", "surrogatepass")
    assert b"remains" in released("a.eml", data, sanitizer).data
