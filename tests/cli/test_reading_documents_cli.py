"""Commands that read texts read documents too, each as one record; its columns are the names of file and folder."""

import io
import json
from pathlib import Path

import docx
import openpyxl
import pytest

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
