"""Commands that read texts read documents too, each as one record; its columns are the names of file and folder."""

import io
import json
from pathlib import Path

import docx
import lxml.html
import openpyxl
import pikepdf
import pytest

from textveil.detection.spans import DetectedSpan
from textveil.pages.layout import Line, sections

NAME = "Zebedee Quillfeather"


def word(text: str) -> bytes:
    made, out = docx.Document(), io.BytesIO()
    made.add_paragraph(text)
    made.save(out)
    return out.getvalue()


def sheet(text: str) -> bytes:
    made, out = openpyxl.Workbook(), io.BytesIO()
    made.active.append(["note", text])
    made.save(out)
    return out.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(12):
        path = (
            tmp_path / "in" / ("cats" if number % 2 else "dogs") / f"{number:02d}.{'xlsx' if number == 3 else 'docx'}"
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        said = f"the {'cat' if number % 2 else 'dog'} was at home"
        path.write_bytes(sheet(said) if path.suffix == ".xlsx" else word(said))
    return tmp_path / "in"


@pytest.mark.parametrize(("unit", "most"), [("document", 12), ("file", 12), ("folder", 2)])
def test_counts_of_documents_by_document_file_or_folder(command, folder, tmp_path, unit, most) -> None:
    """At epsilon 1,000 no count is off by one, but with probability below 1e-9."""
    out = tmp_path / "c.csv"
    privacy = ("--epsilon", "1000", "--delta", "1e-6")
    run = ("count", f"{folder}/**/*", "--unit", unit, *privacy, "-o", out, "--ngrams", "1")
    code, _, told = command(*run)
    assert code == 0, told
    counts = dict(line.split(",")[:2] for line in out.read_text("utf-8").splitlines()[1:])
    assert (counts["home"], counts["cat"]) == (str(most), "6" if most == 12 else "1")


def test_a_classifier_of_the_folders_of_documents(command, folder, tmp_path) -> None:
    run = ("learn", f"{folder}/**/*", "--unit", "file", "--label", "folder", "--labels", "cats,dogs", "--epsilon", "9")
    run = (*run, "--delta", "1e-6")
    code, _, told = command(*run, "-o", tmp_path / "model")
    assert code == 0, told
    code, out, _ = command("predict", tmp_path / "model", f"{folder}/**/*", "--label", "folder")
    assert code == 0 and out.split() and set(out.split()) <= {b"cats", b"dogs"}


def test_risk_compares_documents(command, folder, tmp_path) -> None:
    pattern = f"{folder}/**/*"
    code, out, told = command("risk", pattern, "--original", pattern, "--json")
    assert code == 0, told
    assert json.loads(out)["records"] == 12


def test_detection_in_several_documents_tells_which_cannot_be_read(command, folder, tmp_path) -> None:
    (folder / "a.docx").write_bytes(word(f"Dr. {NAME} came."))
    code, out, _ = command("detect", folder / "a.docx", folder / "cats/01.docx", "--json")
    assert code == 0 and [len(json.loads(line)) > 0 for line in out.splitlines()] == [True, False]
    (folder / "b.pptx").write_bytes(b"none")
    code, _, told = command("detect", folder / "a.docx", folder / "b.pptx")
    assert code == 1 and "input 2, " in told and told.count("\n") == 1


def test_columns_and_options_that_documents_do_not_have_are_refused(command, folder) -> None:
    for arguments in (
        ("count", f"{folder}/cats/*.docx", "--unit", "person", "--epsilon", "1", "--delta", "1e-6"),
        ("count", f"{folder}/cats/*.docx", "--unit", "file", "--field", "text", "--epsilon", "1", "--delta", "1e-6"),
        ("detect", folder / "cats/01.docx", "--field", "text"),
        ("detect", folder / "cats/01.docx", "--encoding", "cp1252"),
    ):
        code, _, told = command(*arguments)
        assert code == 2 and told.count("\n") == 1, told


def test_the_page_of_a_document_shows_its_headings_tables_sheets_and_pages(command, tmp_path) -> None:
    made = docx.Document()
    made.add_heading("The visit", 2)
    made.add_paragraph(f"Dr. {NAME} came.")
    table = made.add_table(1, 2)
    table._cells[0].text, table._cells[1].text = "Email", "zeb@quillfeather.example.net"
    made.save(tmp_path / "a.docx")
    book = openpyxl.Workbook()
    book.active.append(["Name", NAME])
    book.create_sheet().append(["Count", 7])
    book.save(tmp_path / "b.xlsx")
    (tmp_path / "c.html").write_text(f"<h1>Report</h1><p>by {NAME}</p><table><tr><td>a</td><td>b</td></tr></table>")
    (tmp_path / "d.pdf").write_bytes(pages(f"Seen by {NAME} today.", "The second page."))
    inputs = [tmp_path / name for name in ("a.docx", "b.xlsx", "c.html", "d.pdf")]
    code, _, told = command("detect", *inputs, "--html", tmp_path / "p.html")
    assert code == 0, told
    page = lxml.html.fromstring((tmp_path / "p.html").read_text("utf-8"))
    word, sheet, web, pdf = page.iter("article")
    heading = word.xpath(".//p[@role='heading'][@aria-level='5']")
    assert [one.text_content() for one in heading] == ["The visit"]
    assert next(word.iter("td")).text_content() == "Email"
    assert [mark.text for mark in word.iter("mark")] == [NAME, "zeb@quillfeather.example.net"]
    assert [title.text for title in sheet.iter("h3")][-2:] == ["sheet 1", "sheet 2"]
    assert [mark.text for mark in sheet.xpath(".//td/mark")] == [NAME, "7"]
    assert [one.text_content() for one in web.xpath(".//p[@role='heading'][@aria-level='4']")] == ["Report"]
    assert [title.text for title in pdf.iter("h3")] == ["text of a page 1", "text of a page 2"]
    assert [mark.text for mark in pdf.iter("mark")] == [NAME]


def pages(*texts: str) -> bytes:
    pdf, out = pikepdf.new(), io.BytesIO()
    font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
    for text in texts:
        page = pdf.add_blank_page(page_size=(612, 792))
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=pdf.make_indirect(font)))
        page.Contents = pdf.make_stream(f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET".encode())
    pdf.save(out)
    return out.getvalue()


def test_lines_cut_spans_that_go_over_them() -> None:
    text, lines = (
        "\nab\tcd\nef",
        [Line(1, 3, "body", 0, 0, False), Line(4, 6, "body", 0, 0, True), Line(7, 9, "x", 2, 1, False)],
    )
    spans = [DetectedSpan(2, 8, "person", 1.0, "d")]
    first, second = sections(text, spans, lines)
    assert first == (
        "body",
        [([[([("a", ""), ("b", "person"), ("", "")], 0), ([("", ""), ("cd", "person"), ("", "")], 0)]], True)],
    )
    assert second == ("x 2", [([[([("", ""), ("e", "person"), ("f", "")], 1)]], False)])


def test_a_review_compares_documents(command, folder, tmp_path) -> None:
    (folder / "a.docx").write_bytes(word(f"Dr. {NAME} came."))
    (folder / "b.docx").write_bytes(word("Dr. Ann Other came."))
    page = tmp_path / "review.html"
    code, _, told = command("review", folder / "b.docx", "--original", folder / "a.docx", "-o", page)
    assert code == 0 and "1 document" in told and NAME in page.read_text("utf-8"), told
