"""Mail, pages of HTML and PDF files with canaries in every part, and what extractors of other makers see in them."""

import email
import io
import random
import re
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from html.parser import HTMLParser
from typing import Any

import pikepdf
import pypdf
import pypdfium2
from pdfminer.high_level import extract_text
from reportlab.pdfgen import canvas

Canary = Callable[..., str]


def planted(suffix: str, rng: random.Random, words: Iterator[int], many: int) -> tuple[bytes, list[str]]:
    """Return a file with about so many canaries in it, and the canaries."""
    held: list[str] = []

    def canary(*, text: bool = False) -> str:
        number = next(words)
        held.append(f"quill{number:05d}" if text else rng.choice(("Xylotrope", "xylotrope")) + f"{number:05d}")
        return f"{held[-1]}@{held[-1]}.example.net" if text else held[-1]

    makers: dict[str, Callable[[Canary, int], bytes]] = {".html": _page, ".eml": _mail, ".pdf": _pdf}
    return makers[suffix](canary, many), held


def _page(canary: Canary, many: int) -> bytes:
    rows = []
    for _ in range(many // 14):
        rows.append(
            f"<!-- {canary()} --><?{canary()}?><script>var a='{canary()}'</script><style>.{canary()} {{ color: red;"
            f" font-family: '{canary()}' }} /* {canary()} */</style><p class={canary()} id={canary()}"
            f" data-{canary()}='{canary()}' onclick='{canary()}()' style='color: {canary()}'"
            f" title='to {canary(text=True)}'>Write to {canary(text=True)} or <a href='mailto:{canary(text=True)}'>"
            f"us</a><img src='{canary()}.png'><svg><text>{canary()}</text></svg><{canary()}>a word</p>"
        )
    return f"<html><head><meta name={canary()} content='a word'></head><body>{''.join(rows)}</body></html>".encode()


def _mail(canary: Canary, many: int) -> bytes:
    def made(depth: int) -> EmailMessage:
        message = EmailMessage()
        message["From"], message["Subject"] = canary(text=True), f"About {canary(text=True)}"
        message["Message-ID"], message["Received"] = f"<{canary()}@host>", f"from {canary()}"
        message[f"X-{canary()}"] = canary()
        message.set_content(f"Write to {canary(text=True)}.\n\n> Or to {canary(text=True)}\n")
        message.add_alternative(_page(canary, 28).decode(), subtype="html")
        message.add_attachment(canary().encode(), maintype="application", subtype="x-any", filename=f"{canary()}.bin")
        message.add_attachment(canary().encode(), maintype="image", subtype="png", filename="a.png")
        if depth:
            message.add_attachment(made(depth - 1))
        return message

    return made(many // 60).as_bytes()


def _pdf(canary: Canary, many: int) -> bytes:
    out = io.BytesIO()
    page = canvas.Canvas(out)
    page.setTitle(canary())
    page.setAuthor(canary())
    for _ in range(many // 24):
        mark = canary()
        page.bookmarkPage(mark)
        page.addOutlineEntry(f"about {canary(text=True)}", mark)
        for row in range(5):
            page.drawString(72, 700 - 20 * row, f"Write to {canary(text=True)} today.")
        page.linkURL(f"mailto:{canary(text=True)}", (72, 600, 300, 620))
        form = canary()
        page.beginForm(form)
        page.drawString(72, 40, f"or to {canary(text=True)}")
        page.endForm()
        page.doForm(form)
        page.acroForm.textfield(name=canary(), value=canary(text=True), x=72, y=500, width=300, height=20)
        page.showPage()
    page.save()
    file = pikepdf.open(io.BytesIO(out.getvalue()))
    root = file.Root
    root[f"/{canary()}"] = pikepdf.String(canary())
    root.OpenAction = pikepdf.Dictionary(S=pikepdf.Name.JavaScript, JS=canary())
    file.attachments[f"{canary()}.txt"] = canary().encode()
    with file.open_metadata() as metadata:
        metadata["dc:title"] = canary()
    for one in file.pages:
        one[f"/{canary()}"] = pikepdf.Name(f"/{canary()}")
        note = pikepdf.Dictionary(
            Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Text, Rect=[0, 0, 9, 9], Contents=canary(), T=canary()
        )
        one.Annots.append(file.make_indirect(note))
        name = canary()
        picture = pikepdf.Dictionary(Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Image, Width=9, Height=1)
        one.Resources.XObject[f"/{name}"] = file.make_stream(canary().encode(), picture)
        said = f"/Span <</ActualText ({canary()}) /{canary()} 1>> BDC EMC /{canary()} MP % {canary()}\n"
        shown = f"({canary()}) {canary()} q 9 0 0 9 0 0 cm BI /W 15 /H 1 /CS /G /BPC 8 ID {canary()} EI /{name} Do Q"
        one.contents_add((said + shown).encode())
    whole = io.BytesIO()
    file.save(whole)
    return whole.getvalue()


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen += [tag, *(f"\n{name} {value}\n" for name, value in attrs)]

    def handle_data(self, data: str) -> None:
        self.seen.append(data)


def extracted(suffix: str, data: bytes) -> dict[str, str]:
    """Return what extractors of other makers see in a file."""
    raw = {f"bytes of a {suffix} file": data.decode("latin-1")}
    if suffix == ".pdf":
        reader = pypdf.PdfReader(io.BytesIO(data))
        streams = [
            item
            for number in range(1, int(str(reader.trailer["/Size"])))
            if (item := _object(reader, number)) is not None
        ]
        pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data)]
        return raw | {
            "pypdf": "\n".join(page.extract_text() for page in reader.pages) + "\n".join(streams),
            "pdfminer": extract_text(io.BytesIO(data)),
            "pdfium": "\n".join(pages),
        }
    if suffix == ".eml":
        message = email.message_from_bytes(data)
        parts = [part.get_payload(decode=True) or b"" for part in message.walk()]
        texts = [part.decode("utf-8", "replace") for part in parts if isinstance(part, bytes)]
        heads = [
            str(email.header.make_header(email.header.decode_header(value)))
            for part in message.walk()
            for value in part.values()
        ]
        return raw | {"email": "\n".join((*texts, *heads, *(re.sub("<[^>]*>", "", text) for text in texts)))}
    parser = _Texts()
    parser.feed(data.decode())
    return raw | {"html.parser": "".join(parser.seen), "the page without tags": re.sub("<[^>]*>", "", data.decode())}


def _object(reader: pypdf.PdfReader, number: int) -> str | None:
    try:
        item: Any = reader.get_object(number)
    except Exception:
        return None
    return str(item) + (item.get_data().decode("latin-1") if hasattr(item, "get_data") else "")


def opened(data: Any) -> int:
    """Open a PDF file as a viewer does; returns how many pages it has."""
    document = pypdfium2.PdfDocument(data)
    for page in document:
        page.render(scale=0.2)
    return len(document)
