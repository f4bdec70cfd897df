"""Documents of offices: what is planted in a file must not be in its release. One part a run.

    python benchmarks/documents.py canaries|files|boxes|picture [FOLDER] [--seed S]

- ``canaries``: 20,000 strings are planted by a generator in files that other packages write (python-docx, odfpy):
  as text (addresses of mail, which detection finds), and in every other place that a part has, element by element:
  attributes, character data, comments, instructions, unknown elements, further parts, names of parts, the archive's own
  comment. Each released file is searched by five extractors of other makers; a canary that one of them recovers is a
  leak. Each file must open, and be undone by its map. ``planted_files`` makes mail, pages of HTML and PDF files, which
  are searched by email, html.parser, pdfium, pypdf and pdfminer.
- ``files``: every document under FOLDER, such as the unpacked source distributions of the three packages, is released
  whole, opened by its maker's library and undone, or refused in one line. Where LibreOffice is installed, it converts
  each office file and its release to PDF: a release that it does not open, though it opens the file, is broken.
- ``boxes``: of the glyphs of PDF files outside of changes, how many stand where they stood, by pdfium: less than 99 %
  within half a point fails. Of files of its own, or of all under FOLDER whose text pdfium reads in the same order.
- ``picture``: docs/figures/documents.png, a letter before and after, as LibreOffice shows both, for seed 0.
"""

import argparse
import email
import io
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias
from xml.etree import ElementTree

import docx
import numpy as np
import openpyxl
import planted_files
import pptx
import pypdfium2
import pypdfium2.raw
from odf import dc, draw, office, opendocument, style, table, teletype, text
from PIL import Image
from reportlab.pdfgen import canvas

import textveil as tv
from textveil.documents.apart import released, restored
from textveil.documents.model import joined
from textveil.documents.registry import reader_of
from textveil.errors import TextveilError

FILES: Final = 12  # of each format
PLANTED: Final = 280  # in each file
OPENED: Final[dict[str, Callable[[Any], Any]]] = {
    ".docx": docx.Document, ".xlsx": openpyxl.load_workbook, ".pptx": pptx.Presentation,
    **dict.fromkeys((".odt", ".ods", ".odp"), opendocument.load),
    ".eml": email.message_from_binary_file, ".html": io.TextIOWrapper, ".pdf": planted_files.opened,
}  # fmt: skip
_OPEN: Final = (".odt", ".ods", ".odp")
_OFFICE: Final = (".docx", ".xlsx", ".pptx", *_OPEN)
_CANARY: Final = re.compile(rb"[Xx]ylo|quill|cn:")
_KINDS: Final = ["text", "text", "text", "spoken", "value", "attribute", "comment", "element", "data", "instruction"]
_SAID: Final = (
    b"t v f formula1 oddHeader oddFooter evenHeader evenFooter firstHeader firstFooter p h span a title desc".split()
)
"""Elements whose character data is text: what detection does not find in it stays."""
_TEXT: Final = re.compile(rb"(<(?:w:t|a:t|t|text:p|text:span|text:h|svg:desc)(?: [^>]*[^>/])?>)([^<]*)(</)")
_TAG: Final = re.compile(rb"<([a-zA-Z][\w:]*)((?: [\w:]+=\"[^\"]*\")*)(/?)>")
_VALUE: Final = re.compile(rb"( (?!xmlns|r:|Id|Target|Type|PartName|ContentType|Extension)[\w:]+=\")([^\"]*)(\")")
_SPOKEN: Final = re.compile(rb"( (?:descr|title|tooltip|prompt|error|alt)=\")([^\"]*)(\")")


def made(suffix: str) -> bytes:
    """Return a file with many kinds of parts."""
    out = io.BytesIO()
    if suffix == ".docx":
        words = docx.Document()
        words.add_heading("Agreement", 1)
        for number in range(20):
            run = words.add_paragraph(f"Clause {number} says what ").add_run("is said")
            run.bold = True
            if number % 5 == 0:
                words.add_comment(run, text="Is this said?", author="Somebody", initials="S")
        for cell in words.add_table(4, 3)._cells:
            cell.text = "a cell"
        for part in (words.sections[0].header, words.sections[0].footer):
            part.paragraphs[0].text = "of every page"
        words.core_properties.author = "Somebody"
        words.save(out)
    elif suffix == ".xlsx":
        book = openpyxl.Workbook()
        for title in ("First", "Second"):
            sheet = book.create_sheet(title)
            for row in range(12):
                sheet.append([f"item {row}", row, row / 7, f"=B{row + 1}*2", "a note"])
            sheet["A3"].comment = openpyxl.comments.Comment("what is noted", "Somebody")
            sheet.oddHeader.center.text = "of every page"
            rule = openpyxl.worksheet.datavalidation.DataValidation("list", formula1='"one,two"', prompt="choose")
            rule.add("G2")
            sheet.add_data_validation(rule)
            chart = openpyxl.chart.BarChart()
            chart.add_data(openpyxl.chart.Reference(sheet, min_col=2, min_row=1, max_row=9))
            chart.title = "a chart"
            sheet.add_chart(chart, "J2")
        book.save(out)
    elif suffix in _OPEN:
        _open_document(suffix).save(out)
    else:
        show = pptx.Presentation()
        for number in range(4):
            slide = show.slides.add_slide(show.slide_layouts[1])
            slide.shapes.title.text = f"Slide {number}"
            slide.placeholders[1].text = "what is shown"
            slide.notes_slide.notes_text_frame.text = "what is said"
        show.save(out)
    return out.getvalue()


def _open_document(suffix: str) -> opendocument.OpenDocument:
    """Return a file of OpenDocument with many kinds of elements."""
    makers = (
        opendocument.OpenDocumentText,
        opendocument.OpenDocumentSpreadsheet,
        opendocument.OpenDocumentPresentation,
    )
    made = makers[_OPEN.index(suffix)]()
    layout = style.PageLayout(name="Layout")
    made.automaticstyles.addElement(layout)
    master = style.MasterPage(name="Standard", pagelayoutname=layout)
    made.masterstyles.addElement(master)
    looks = style.Style(name="Shouting", family="text")
    looks.addElement(style.TextProperties(fontweight="bold", fontname="Liberation Sans"))
    made.automaticstyles.addElement(looks)

    def line(said: str) -> text.P:
        one = text.P(text=f"{said} says what ")
        one.addElement(text.Span(stylename=looks, text="is said"))
        one.addText(" and what is not")
        return one

    def noted() -> office.Annotation:
        note = office.Annotation(name="Remark")
        note.addElement(dc.Creator(text="Somebody"))
        note.addElement(line("The note"))
        return note

    def sheet(name: str) -> table.Table:
        whole = table.Table(name=name)
        for number in range(8):
            row = table.TableRow()
            cells = [table.TableCell(valuetype="string"), table.TableCell(valuetype="float", value=number / 7)]
            cells.append(table.TableCell(formula=f"of:=[.B{number + 1}]*2", valuetype="float"))
            cells[0].addElement(line(f"Item {number}"))
            cells[1].addElement(text.P(text=str(number / 7)))
            if number == 3:
                cells[0].insertBefore(noted(), cells[0].firstChild)
            for cell in cells:
                row.addElement(cell)
            whole.addElement(row)
        return whole

    if suffix == ".odt":
        header = style.Header()
        header.addElement(line("The header"))
        master.addElement(header)
        for number in range(12):
            made.text.addElement(text.H(outlinelevel=1, text=f"Clause {number}"))
            one = line(f"Clause {number}")
            one.addElement(text.Bookmark(name=f"Mark of {number}"))
            one.addElement(text.A(href="https://example.net/there", text="there"))
            one.addElement(noted())
            made.text.addElement(one)
        made.text.addElement(sheet("Overview"))
    elif suffix == ".ods":
        for name in ("First", "Second"):
            made.spreadsheet.addElement(sheet(name))
    for number in range(4 if suffix == ".odp" else 0):
        page = draw.Page(name=f"Page {number}", masterpagename=master)
        frame = draw.Frame(name="Somebody", width="10cm", height="5cm")
        box = draw.TextBox()
        box.addElement(line(f"Slide {number}"))
        frame.addElement(box)
        page.addElement(frame)
        made.presentation.addElement(page)
    return made


def planted(data: bytes, rng: random.Random, words: Iterator[int]) -> tuple[bytes, list[str]]:
    """Return a file with canaries in it, and the canaries."""
    canaries: list[str] = []

    def canary(*, text: bool) -> bytes:
        number = next(words)
        canaries.append(
            f"quill{number:05d}" if text else rng.choice(("Xylotrope{:05d}", "xylotrope{:05d}")).format(number)
        )
        word = canaries[-1]
        return f"{word}@{word}.example.net".encode() if text else word.encode()

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    parts = [name for name in files if name.endswith(".xml") and name != "[Content_Types].xml"]
    while len(canaries) < PLANTED:
        name = rng.choice(parts)
        files[name] = _planted_in(files[name], rng, canary)
        if rng.random() < 0.01:
            files[f"word/{canary(text=False).decode()}.xml"] = b"<a>" + canary(text=False) + b"</a>"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.comment = canary(text=False)
    return out.getvalue(), canaries


def _planted_in(content: bytes, rng: random.Random, canary: Callable[..., bytes]) -> bytes:
    """Plant one canary in a part, in a place of some kind."""
    kind = rng.choice(
        ("text", "text", "text", "spoken", "value", "attribute", "comment", "element", "data", "instruction")
    )
    pattern = {"text": _TEXT, "spoken": _SPOKEN, "value": _VALUE}.get(kind, _TAG)
    places = [place for place in pattern.finditer(content) if _CANARY.search(place[0]) is None]
    if not places:
        return content
    place = rng.choice(places)
    start, end = place.span()
    new = place[0]
    if kind in ("text", "spoken"):
        new = place[1] + place[2] + b" " + canary(text=True) + place[3]
    elif kind == "value":
        # A value of a few characters steers a part: another one would break the file that is read.
        sheet = content.rfind(b"<", 0, start)
        named = content.startswith((b"<sheet ", b"<table:table "), sheet)
        if len(place[2]) < 6 or not place[2][:1].isupper() or named:
            return content
        new = place[1] + canary(text=False) + place[3]
    elif place[3] or kind == "attribute":
        new = b"<" + place[1] + place[2] + b' xmlns:cn="urn:cn" cn:x="' + canary(text=False) + b'"' + place[3] + b">"
    else:
        word = canary(text=False)
        wrapped = {"comment": b"<!--%s-->", "element": b'<cn:y xmlns:cn="urn:cn">%s</cn:y>', "instruction": b"<?x %s?>"}
        if kind == "data" and place[1].rpartition(b":")[2] in _SAID:
            kind = "comment"
        new += wrapped.get(kind, b"%s") % word
    return content[:start] + new + content[end:]


def extracted(suffix: str, data: bytes) -> dict[str, str]:
    """Return what extractors of other makers see in a file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        raw = b"\n".join((archive.comment, *(name.encode() + archive.read(name) for name in archive.namelist())))
        trees = [
            ElementTree.fromstring(archive.read(name))
            for name in archive.namelist()
            if name.endswith((".xml", ".rels"))
        ]
    bare = re.sub(rb"<[^>]*>", b"", raw)
    seen = [
        string
        for tree in trees
        for element in tree.iter()
        for string in (element.text, element.tail, *element.attrib.values())
    ]
    opened = OPENED[suffix](io.BytesIO(data))
    if suffix == ".docx":
        own = [
            paragraph.text for paragraph in opened.element.body.iter() if hasattr(paragraph, "text") and paragraph.text
        ]
        own += [comment.text for comment in opened.comments]
    elif suffix == ".xlsx":
        own = [str(cell.value) + str(cell.comment) for sheet in opened for row in sheet.iter_rows() for cell in row]
    elif suffix in _OPEN:
        own = [teletype.extractText(line) for line in opened.getElementsByType(text.P)]
    else:
        own = [shape.text_frame.text for slide in opened.slides for shape in slide.shapes if shape.has_text_frame]
    return {
        "bytes of every part": raw.decode("utf-8", "replace"),
        "the same without tags": bare.decode("utf-8", "replace"),
        "the file itself": data.decode("latin-1"),
        "ElementTree": "\n".join(filter(None, seen)),
        OPENED[suffix].__module__.partition(".")[0]: "\n".join(map(str, own)),
    }


def canaries(seed: int) -> int:
    """Measure what is recovered of what was planted."""
    rng, words = random.Random(seed), iter(range(10**6))
    sanitizer = tv.Sanitizer(tv.policy("identifiers"))
    leaks = count = undone = files = 0
    by_extractor: Counter[str] = Counter()
    took = []
    for suffix in OPENED:
        for _ in range(FILES):
            if suffix in _OFFICE:
                data, held = planted(made(suffix), rng, words)
            else:
                data, held = planted_files.planted(suffix, rng, words, PLANTED)
            start = time.perf_counter()
            release = released(f"a{suffix}", data, sanitizer)
            took.append(time.perf_counter() - start)
            count += len(held)
            files += 1
            lost = set[str]()
            seen_by = extracted if suffix in _OFFICE else planted_files.extracted
            for extractor, seen in seen_by(suffix, release.data).items():
                found = [word for word in held if word.lower() in seen.lower()]
                by_extractor[extractor] += len(found)
                lost.update(found)
            leaks += len(lost)
            back = restored(f"a{suffix}", release.data, release.private_map)
            texts = [joined(reader_of(f"a{suffix}")[0](file, "blank").passages) for file in (data, back.data)]
            undone += texts[0] == texts[1]
    print(
        f"{files} files, {count:,} canaries: {leaks} recovered; {undone} undone; {max(took):.2f} s at most for a file"
    )
    for extractor, number in by_extractor.items():
        print(f"  {extractor:26s} {number}")
    return leaks


def files(folder: Path) -> int:
    """Release every document under a folder; returns how many open broken or are not undone."""
    sanitizer = tv.Sanitizer(tv.policy("identifiers"))
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    pairs: list[tuple[str, bytes, bytes]] = []
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in OPENED):
        suffix, data = path.suffix.lower(), path.read_bytes()
        counts["files"] += 1
        try:
            release = released(path.name, data, sanitizer)
        except TextveilError as error:
            counts["refused"] += 1
            refused[str(error)] += 1
            continue
        try:
            OPENED[suffix](io.BytesIO(release.data))
        except Exception:
            counts["open broken"] += 1
            continue
        if suffix in _OFFICE:
            pairs.append((suffix, data, release.data))
        back = restored(path.name, release.data, release.private_map)
        texts = [joined(reader_of(path.name)[0](file, "blank").passages) for file in (data, back.data)]
        counts["released and undone" if texts[0] == texts[1] else "released, not undone"] += 1
    print(dict(counts))
    for reason, number in refused.most_common():
        print(f"  {number} {reason}")
    office = _converted(pairs)
    print(dict(office))
    return counts["open broken"] + counts["released, not undone"] + office["converts no more"]


def _converted(pairs: list[tuple[str, bytes, bytes]]) -> Counter[str]:
    """Count office files by what LibreOffice makes of a file and of its release, in pages."""
    counts: Counter[str] = Counter()
    program = shutil.which("soffice")
    if program is None:
        return Counter({"not converted: LibreOffice is not installed": len(pairs)})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, (suffix, *both) in enumerate(pairs):
            for which, data in zip("ab", both, strict=True):
                (folder / f"{number}{which}{suffix}").write_bytes(data)
        convert = [program, f"-env:UserInstallation=file://{name}/profile", "--headless", "--convert-to", "pdf"]
        for number, (suffix, *_) in enumerate(pairs):
            paths = [folder / f"{number}{which}{suffix}" for which in "ab"]
            subprocess.run([*convert, "--outdir", name, *paths], capture_output=True, timeout=300, check=False)
            before, after = (_pages_of(path.with_suffix(".pdf")) for path in paths)
            if after is None:
                counts["converts no more" if before else "does not convert either"] += 1
            else:
                counts["same number of pages" if before == after else "other number of pages"] += 1
    return counts


def _pages_of(path: Path) -> int | None:
    if not path.exists():
        return None
    with pypdfium2.PdfDocument(path.read_bytes()) as document:
        return len(document)


def picture(target: Path, seed: int) -> None:
    """Draw a letter and its release side by side."""
    letter = docx.Document()
    letter.styles["Normal"].font.size = docx.shared.Pt(13)
    letter.add_heading("Harbour Street Surgery", 1)
    for line in _LETTER.strip().split("\n\n"):
        words = letter.add_paragraph()
        for number, part in enumerate(" ".join(line.split()).split("*")):
            words.add_run(part).bold = number % 2 == 1
    table = letter.add_table(0, 3, style="Light Grid Accent 1")
    for row in (("Date", "Seen by", "Result"), *_VISITS):
        for cell, value in zip(table.add_row().cells, row, strict=True):
            cell.text = value
    out = io.BytesIO()
    letter.save(out)
    sanitizer = tv.Sanitizer("clinical", rng=np.random.default_rng(seed))
    files = [out.getvalue(), released("letter.docx", out.getvalue(), sanitizer).data]
    with tempfile.TemporaryDirectory() as name:
        pages = []
        for number, data in enumerate(files):
            path = Path(name) / f"{number}.docx"
            path.write_bytes(data)
            command = [f"-env:UserInstallation=file://{name}/profile", "--headless", "--convert-to", "pdf"]
            subprocess.run(["soffice", *command, "--outdir", name, path], capture_output=True, timeout=300, check=True)
            with pypdfium2.PdfDocument(path.with_suffix(".pdf").read_bytes()) as pdf:
                page = pdf[0].render(scale=1.3).to_pil()
            pages.append(page.crop((60, 60, page.width - 60, page.height // 2 - 60)))
    both = Image.new("RGB", (pages[0].width * 2 + 12, pages[0].height), (176, 176, 176))
    for number, page in enumerate(pages):
        both.paste(page, (number * (page.width + 12), 0))
    both.quantize(64).save(target, optimize=True)


_LETTER: Final = """
*Re: Mrs Hannah Whitlock*, born 4 May 1951, 12 Larch Road, Norwich NR2 4SX

Dear Dr Okonkwo, thank you for seeing *Mrs Whitlock*. She has been short of breath since 3 March 2025; her daughter
Ruth came with her. Blood pressure 148/92, furosemide 40 mg once daily.

Please ring 01603 555 0142 with any question. Dr Peter Lindqvist
"""
_VISITS: Final = (("3 March 2025", "Dr Lindqvist", "ECG normal"), ("17 March 2025", "Nurse Ruane", "weight 71.4 kg"))


def boxes(folder: Path | None, seed: int) -> int:
    """Measure how many glyphs outside of changes stay where they are in PDF files; returns 1 if less than 99 % do."""
    rng = random.Random(seed)
    sanitizer = tv.Sanitizer(tv.policy("identifiers"))
    given = [] if folder is None else [path.read_bytes() for path in sorted(folder.rglob("*.pdf"))]
    if folder is None:
        given = [_pages(rng) for _ in range(FILES)]
    counts: Counter[str] = Counter()
    for data in given:
        try:
            release = released("a.pdf", data, sanitizer)
        except TextveilError:
            counts["refused"] += 1
            continue
        old_text, new_text = [], []  # characters that are no space, and whether each is outside of changes
        at = 0
        for piece in release.private_map.replaced:
            kept = [(character, True) for character in release.private_map.released[at : piece.start]]
            old_text += [*kept, *((character, False) for character in piece.original)]
            new_text += [
                *kept,
                *((character, False) for character in release.private_map.released[piece.start : piece.end]),
            ]
            at = piece.end
        kept = [(character, True) for character in release.private_map.released[at:]]
        before = _outside([*old_text, *kept], _glyphs(data))
        after = _outside([*new_text, *kept], _glyphs(release.data))
        if before is None or after is None or len(before) != len(after):
            counts["in another order, or with glyphs of several characters"] += 1
            continue
        counts["measured"] += 1
        counts["glyphs"] += len(before)
        counts["moved"] += sum(
            one[0] != other[0] or max(abs(x - y) for x, y in zip(one[1], other[1], strict=True)) > 0.5
            for one, other in zip(before, after, strict=True)
        )
    share = 100 * (1 - counts["moved"] / max(counts["glyphs"], 1))
    print(dict(counts))
    print(f"{share:.3f} % of {counts['glyphs']:,} glyphs outside of changes unmoved by more than 0.5 pt")
    return int(share < 99)


def _pages(rng: random.Random) -> bytes:
    """Return a file of pages with names, addresses and numbers among other words, in several fonts and sizes."""
    out = io.BytesIO()
    page = canvas.Canvas(out)
    for _ in range(3):
        for line in range(40):
            size = rng.choice((8, 10, 12))
            page.setFont(rng.choice(("Helvetica", "Times-Roman", "Courier", "Helvetica-Bold")), size)
            name = f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
            page.drawString(
                40 + rng.randrange(60),
                800 - 18 * line,
                f"In the letter {name} ({name.replace(' ', '.').lower()}@example.org) asked for line {line}.",
            )
        page.showPage()
    page.save()
    return out.getvalue()


_FIRST: Final = ("Maria", "Thomas", "Ingrid", "Paul", "Zebedee", "Anneliese")
_LAST: Final = ("Smith", "Oberhausen", "Quillfeather", "Li", "Brandt", "van der Meer")
_Glyph: TypeAlias = tuple[int, tuple[float, ...]]
"""The page of a glyph, and its box in points."""


def _outside(text: list[tuple[str, bool]], glyphs: list[tuple[str, _Glyph]]) -> list[_Glyph] | None:
    """Return the glyphs of text outside of changes; None where pdfium reads other text on the pages."""
    text = [one for one in text if one[0].strip()]
    if [character for character, _ in text[: len(glyphs)]] != [character for character, _ in glyphs]:
        return None
    return [glyph for (_, kept), (_, glyph) in zip(text, glyphs, strict=False) if kept]


def _glyphs(data: bytes) -> list[tuple[str, _Glyph]]:
    """Return the characters of all pages that are no space, by pdfium."""
    found = []
    with pypdfium2.PdfDocument(data) as document:
        for number, page in enumerate(document):
            text = page.get_textpage()
            codes = [chr(pypdfium2.raw.FPDFText_GetUnicode(text, at)) for at in range(text.count_chars())]
            found += [
                (code, (number, text.get_charbox(at))) for at, code in enumerate(codes) if code.strip() and code != "\0"
            ]
    return found


def main() -> int:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=["canaries", "files", "boxes", "picture"])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.part == "picture":
        picture(given.folder or Path("docs/figures/documents.png"), given.seed)
        return 0
    if given.part == "boxes":
        return boxes(given.folder, given.seed)
    return 1 if (canaries(given.seed) if given.part == "canaries" else files(given.folder or Path())) else 0


if __name__ == "__main__":
    sys.exit(main())
