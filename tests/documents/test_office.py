"""Files of offices: their text is sanitized in place, everything else is known or gone, and nothing opens broken."""

import datetime
import io
import re
import zipfile
from collections.abc import Callable, Mapping

import docx
import openpyxl
import pptx
import pptx.chart.data
import pytest
from PIL import Image
from tests.helpers.growth import seconds_of

import textveil as tv
from textveil.documents.apart import Opened, ReleasedDocument, released, restored
from textveil.documents.model import joined
from textveil.documents.registry import Limits, entries, packed, reader_of
from textveil.errors import InputError, InternalError

NAME, MAIL, PHONE = "Zebedee Quillfeather", "zebedee@quillfeather.example.net", "(617) 555-0143"
CANARY = "Xylotrope"  # in places of no text: nothing needs to find it, it goes


@pytest.fixture(scope="module")
def sanitizer() -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy("identifiers"))


def saved(made) -> bytes:
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def changed(data: bytes, changes: Mapping[str, Callable[[str], str]], more: Mapping[str, str] = {}) -> bytes:
    """Return a file whose parts are changed, with more of them."""
    files = dict(entries(data))
    for name, change in changes.items():
        before = files[name].decode()
        files[name] = change(before).encode()
        assert files[name] != before.encode()
    return packed({**files, **{name: text.encode() for name, text in more.items()}})


def everything(data: bytes) -> str:
    """Return all that a file holds, with and without its tags."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        raw = "\n".join(archive.read(name).decode("utf-8", "replace") + name for name in archive.namelist())
    return raw + re.sub("<[^>]*>", "", raw)


def text_of(name: str, data: bytes) -> str:
    return joined(reader_of(name)[0](data, "blank").passages)


def undone(name: str, data: bytes, release: ReleasedDocument) -> bool:
    back = restored(name, release.data, release.private_map)
    return text_of(name, back.data) == text_of(name, data)


@pytest.fixture
def contract() -> bytes:
    made = docx.Document()
    made.core_properties.author = CANARY
    first = made.add_paragraph("Between Dr. ")
    first.add_run("Zebedee Quill").bold = True
    first.add_run("feather").italic = True
    first.add_run(f", {PHONE}, and the client; clause 4 stays.")
    table = made.add_table(2, 2)
    for cell, text in zip(table._cells, ("Name", "Email", NAME, MAIL), strict=True):
        cell.text = text
    made.sections[0].header.paragraphs[0].text = f"For {NAME} only"
    made.sections[0].footer.paragraphs[0].text = f"Write to {MAIL}"
    made.add_comment(first.runs[1], text=f"Call {PHONE}", author=CANARY, initials="XY")
    return saved(made)


def test_a_name_split_over_runs_is_one_and_keeps_its_looks(sanitizer, contract):
    release = released("c.docx", contract, sanitizer)
    made = docx.Document(io.BytesIO(release.data))
    runs = [run for run in made.paragraphs[0].runs if run.text or run.italic]
    assert runs[0].text == "Between Dr. " and runs[1].bold and runs[2].italic
    assert runs[3].text.endswith(", and the client; clause 4 stays.")
    shown = everything(release.data)
    for value in (NAME, "Quillfeather", MAIL, PHONE, CANARY):
        assert value not in shown
    assert made.tables[0].cell(1, 0).text == runs[1].text + runs[2].text == made.tables[0].cell(1, 0).text
    assert runs[1].text in made.sections[0].header.paragraphs[0].text
    assert undone("c.docx", contract, release)


BODY = "word/document.xml"
W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


_GOING = [
    f'<w:p><w:del w:id="1" w:author="{CANARY}"><w:r><w:delText>{CANARY}</w:delText></w:r></w:del></w:p>',
    f'<w:p><w:moveFrom w:id="1" w:author="a"><w:r><w:t>{CANARY}</w:t></w:r></w:moveFrom></w:p>',
    f'<w:p w:rsidR="{CANARY}"><w:ins w:id="1" w:author="{CANARY}" w:date="2024-01-01T00:00:00Z"><w:r><w:t>remains</w:t></w:r></w:ins></w:p>',
    f'<w:p><w:fldSimple w:instr=" AUTHOR {CANARY} "><w:r><w:t>remains</w:t></w:r></w:fldSimple></w:p>',
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>INCLUDETEXT "C:\\Xylo</w:instrText></w:r>'
    '<w:r><w:instrText>trope"</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>remains</w:t>'
    '</w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>',
    f'<w:sdt><w:sdtPr><w:alias w:val="{CANARY}"/><w:tag w:val="{CANARY}"/></w:sdtPr><w:sdtContent><w:p><w:r><w:t>remains</w:t></w:r></w:p></w:sdtContent></w:sdt>',
    f'<w:p><w:bookmarkStart w:id="3" w:name="{CANARY}"/><w:bookmarkEnd w:id="3"/><w:r><w:t>remains</w:t></w:r></w:p>',
    f'<w:p><w:r><w:rPr><w:rFonts w:ascii="{CANARY} Sans"/></w:rPr><w:t>remains</w:t></w:r></w:p>',
    f'<w:p><w:pPr><w:pStyle w:val="{CANARY}"/></w:pPr><w:r><w:t>remains</w:t></w:r></w:p>',
    f'<w:p><!-- {CANARY} --><?note {CANARY}?><w:r><w:t>remains</w:t></w:r></w:p>',
    f'<w:p><x:x xmlns:x="urn:x">{CANARY}</x:x><w:r>{CANARY}<w:t>remains</w:t></w:r></w:p>',
    f'<w:p xmlns:x="urn:{CANARY}" x:y="{CANARY}"><w:r><w:t>remains</w:t></w:r></w:p>',
    f'<w:tbl><w:tr><w:trPr><w:del w:id="4" w:author="a"/></w:trPr><w:tc><w:p><w:r><w:t>{CANARY}</w:t></w:r></w:p></w:tc></w:tr>'
    '<w:tr><w:tc><w:p><w:r><w:t>remains</w:t></w:r></w:p></w:tc></w:tr></w:tbl>',
    f'<w:p><w:pPr><w:jc w:val="{CANARY.lower()}"/></w:pPr><w:r><w:rPr><w:u w:val="{CANARY.lower()}"/></w:rPr><w:t>remains</w:t></w:r></w:p>',
    f'<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" fillcolor="{CANARY.lower()}" style="mso-{CANARY.lower()}:1;position:{CANARY.lower()}"><v:formulas><v:f eqn="sum {CANARY.lower()} 1"/></v:formulas></v:shape></w:pict></w:r><w:r><w:t>remains</w:t></w:r></w:p>',
    f'<{CANARY}:p xmlns:{CANARY}="{W}"><{CANARY}:r><{CANARY}:t>remains</{CANARY}:t></{CANARY}:r></{CANARY}:p>',
    '<w:p><w:bookmarkStart w:id="3" w:name="_Toc20240117"/><w:bookmarkEnd w:id="3"/><w:r><w:t>remains</w:t></w:r></w:p>',
    '<w:sdt><w:sdtPr><w:id w:val="2024011755"/><w:label w:val="20240117"/></w:sdtPr><w:sdtContent><w:p><w:pPr><w:ind w:left="2024011755"/></w:pPr><w:r><w:t>remains</w:t></w:r></w:p></w:sdtContent></w:sdt>',
    '<w:p><w:fldSimple w:instr=" PAGE 20 24 01 17 "><w:r><w:t>remains</w:t></w:r></w:fldSimple></w:p>',
    '<w:p><w:fldSimple w:instr=" SYMBOL 88 "><w:r><w:t>remains</w:t></w:r></w:fldSimple></w:p>',
]  # fmt: skip


def test_what_is_no_text_goes(sanitizer, contract):
    pieces = [piece.replace(CANARY, f"{CANARY}x{number}x") for number, piece in enumerate(_GOING)]
    pieces = [piece.replace(CANARY.lower(), f"{CANARY.lower()}x{number}x") for number, piece in enumerate(pieces)]
    data = changed(contract, {BODY: lambda xml: xml.replace("<w:body>", "<w:body>" + "".join(pieces), 1)})
    release = released("c.docx", data, sanitizer)
    docx.Document(io.BytesIO(release.data))
    shown = everything(release.data)
    assert re.findall(r"(?i)xylo(?:trope)?x?\d*|20 ?24 ?01 ?17|SYMBOL 88", shown) == []
    assert shown.count(">remains<") == sum("remains" in piece for piece in pieces)


_STAYING = [
    f"<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>{MAIL}</w:t></w:r></w:p>",
    '<w:p><w:r><w:t>zebedee@quill</w:t></w:r><w:r><w:softHyphen/></w:r><w:r><w:t>feather.example.net</w:t></w:r></w:p>',
    f'<w:p><w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="w14"><w:t>{MAIL}</w:t></mc:Choice><mc:Fallback><w:t>{MAIL}</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>',
    f'<w:p><w:r><w:pict><v:shape xmlns:v="urn:schemas-microsoft-com:vml" alt="{MAIL}" style="width:10pt"><v:textbox><w:txbxContent><w:p><w:r><w:t>{MAIL}</w:t></w:r></w:p></w:txbxContent></v:textbox><v:textpath string="{MAIL}"/></v:shape></w:pict></w:r></w:p>',
    '<w:p><w:r><w:t>zebedee</w:t></w:r><w:smartTag><w:r><w:t>@quillfeather.example.net</w:t></w:r></w:smartTag></w:p>',
]  # fmt: skip


def test_text_in_every_place_is_sanitized(sanitizer, contract):
    data = changed(contract, {BODY: lambda xml: xml.replace("<w:body>", "<w:body>" + "".join(_STAYING), 1)})
    release = released("c.docx", data, sanitizer)
    shown = everything(release.data).lower()
    assert "quillfeather" not in shown and "zebedee" not in shown
    assert text_of("c.docx", release.data).count("\n") == text_of("c.docx", data).count("\n")
    assert undone("c.docx", data, release)


def test_types_of_relations_that_nobody_knows_go_with_their_parts(sanitizer, contract):
    rels = "word/_rels/document.xml.rels"
    data = changed(
        contract,
        {
            rels: lambda xml: xml.replace(
                "http://schemas.openxmlformats.org/officeDocument/2006/relationships/header",
                f"http://{CANARY}.example/header",
            )
        },
    )
    release = released("c.docx", data, sanitizer)
    assert CANARY not in everything(release.data) and NAME not in everything(release.data)


def test_targets_of_links_are_text_and_what_is_outside_goes(sanitizer, contract):
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    rows = (
        f'<Relationship Id="rX" Type="{relation}/hyperlink" Target="mailto:{MAIL}" TargetMode="External"/>'
        f'<Relationship Id="rY" Type="{relation}/attachedTemplate" Target="file:///C:/{CANARY}.dotx" TargetMode="External"/>'
    )
    link = f'<w:p><w:hyperlink xmlns:r="{relation}" r:id="rX" w:tooltip="{MAIL}"><w:r><w:t>write</w:t></w:r></w:hyperlink></w:p>'
    data = changed(
        contract,
        {
            "word/_rels/document.xml.rels": lambda xml: xml.replace("</Relationships>", rows + "</Relationships>"),
            BODY: lambda xml: xml.replace("<w:body>", "<w:body>" + link, 1),
        },
        {f"word/{CANARY}.bin": CANARY, "customXml/item9.xml": f"<a>{CANARY}</a>"},
    )
    release = released("c.docx", data, sanitizer)
    assert CANARY not in everything(release.data) and "quillfeather" not in everything(release.data)
    made = docx.Document(io.BytesIO(release.data))
    assert any(rel.is_external and rel._target.startswith("mailto:") for rel in made.part.rels.values())
    assert release.certificate.removed["template"] == 1
    assert undone("c.docx", data, release)


def test_an_edited_document_is_restored_by_mention(sanitizer, contract):
    release = released("c.docx", contract, sanitizer)
    edited = changed(release.data, {BODY: lambda xml: xml.replace("clause 4 stays", "clause 5 came")})
    back = restored("c.docx", edited, release.private_map)
    assert back.replaced >= 6
    made = docx.Document(io.BytesIO(back.data))
    assert made.paragraphs[0].text == f"Between Dr. {NAME}, {PHONE}, and the client; clause 5 came."


def test_pictures_are_blank_or_refused(sanitizer):
    made = docx.Document()
    dots = Image.new("RGB", (40, 30), "red")
    picture = io.BytesIO()
    dots.save(picture, "png")
    made.add_picture(picture)
    data = saved(made)
    release = released("c.docx", data, sanitizer)
    shapes = docx.Document(io.BytesIO(release.data)).inline_shapes
    assert len(shapes) == 1 and shapes[0].width == docx.Document(io.BytesIO(data)).inline_shapes[0].width
    (name,) = [name for name in entries(release.data) if name.endswith(".png")]
    assert len(entries(release.data)[name]) < 100
    with pytest.raises(InputError, match="no pictures"):
        released("c.docx", data, sanitizer, images="refuse")


@pytest.fixture
def book() -> bytes:
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = f"Pay of {NAME}"
    for row in (
        ["Name", "Email", "Salary", "Start"],
        [NAME, MAIL, 84500, None],
        ["Karl Osterhagen", "k@o.org", 9, None],
    ):
        sheet.append(row)
    sheet["D2"] = datetime.date(2021, 3, 4)
    sheet["E2"] = f'=IF(A2="{NAME}",C2*2,0)'
    sheet["E3"] = f"=SUM(C2:C3)+'Pay of {NAME}'!C2+{CANARY}"
    made.defined_names[CANARY] = openpyxl.workbook.defined_name.DefinedName(CANARY, attr_text=f"'Pay of {NAME}'!$C$2")
    sheet["A2"].comment = openpyxl.comments.Comment(f"Call {PHONE}", CANARY)
    sheet.oddHeader.center.text = f"For {MAIL}"
    rule = openpyxl.worksheet.datavalidation.DataValidation("list", formula1=f'"{NAME},Karl Osterhagen"', prompt=MAIL)
    rule.add("F2")
    sheet.add_data_validation(rule)
    sheet.add_table(openpyxl.worksheet.table.Table(displayName=CANARY, ref="A1:D3"))
    hidden = made.create_sheet("Hidden")
    hidden.sheet_state = "hidden"
    hidden["B3"] = f"Dr. {NAME} called"
    hidden["B4"].hyperlink = f"mailto:{MAIL}"
    return saved(made)


def test_cells_keep_their_types_and_formulas_their_sense(sanitizer, book):
    release = released("b.xlsx", book, sanitizer)
    shown = everything(release.data)
    for value in (NAME, "Quillfeather", MAIL, PHONE, CANARY, "84500", "Osterhagen"):
        assert value not in shown
    made = openpyxl.load_workbook(io.BytesIO(release.data))
    sheet, hidden = made.worksheets
    name = sheet["A2"].value
    assert hidden.sheet_state == "hidden" and name in hidden["B3"].value and name in sheet.title
    assert isinstance(sheet["C2"].value, int) and sheet["D2"].is_date and sheet["C3"].value is not None
    assert sheet["E2"].value == f'=IF(A2="{name}",C2*2,0)'
    assert sheet["E3"].value == f"=SUM(C2:C3)+'{sheet.title}'!C2+Name_1"
    assert made.defined_names["Name_1"].attr_text == f"'{sheet.title}'!$C$2"
    assert [column.name for column in sheet.tables["Table1"].tableColumns] == ["Name", "Email", "Salary", "Start"]
    assert sheet["A2"].comment.author == "Author"
    assert undone("b.xlsx", book, release)


def test_values_that_were_stored_for_formulas_go(sanitizer, book):
    def stored(xml: str) -> str:
        return re.sub("(</f>)(<v ?/>|<v></v>)", rf"\1<v>{CANARY}</v>", xml)

    data = changed(book, {"xl/worksheets/sheet1.xml": stored})
    assert CANARY not in everything(released("b.xlsx", data, sanitizer).data)


def test_a_formula_of_another_file_becomes_its_value(sanitizer, book):
    def other(xml: str) -> str:
        head, _, tail = xml.partition('<c r="E2"')
        return f"{head}<c r=\"E2\"><f>'C:\\{CANARY}\\[x.xlsx]A'!B2</f><v>17</v></c>{tail.partition('</c>')[2]}"

    data = changed(book, {"xl/worksheets/sheet1.xml": other})
    release = released("b.xlsx", data, sanitizer)
    assert CANARY not in everything(release.data)
    assert isinstance(openpyxl.load_workbook(io.BytesIO(release.data)).worksheets[0]["E2"].value, int)


def test_names_and_numbers_in_formulas_and_codes_of_characters_are_read(sanitizer, book):
    formulas = [
        ("Oxlip(1)", None), ("_xlfn.LET(_xlpm.Oxlip,1,_xlpm.Oxlip)", None), ("#Oxlip!+A1", None),
        ("'Oxlip'!A1", None), ("Oxlip!A1", None), ("SUM(C2:C3,$A$1:B2)+1.5E3+LOG10(5)", "SUM(C2:C3,$A$1:B2)+1.5E3+LOG10(5)"),
        ("IF(ISERROR(C2),#N/A,SUM(2:1048576))", "IF(ISERROR(C2),#N/A,SUM(2:1048576))"),
    ]  # fmt: skip
    cells = "".join(f'<c r="{chr(65 + n)}9"><f>{formula}</f><v>17</v></c>' for n, (formula, _) in enumerate(formulas))
    coded = "Dr. _x005A_ebedee Q_x0075_illfeather"
    row = f'<row r="9">{cells}</row><row r="10"><c r="A10" t="inlineStr"><is><t>{coded}</t></is></c></row>'
    row += '<row r="11"><c r="A11"><f>6175550143+1</f><v>6175550144</v></c><c r="B11"><v>6175550143</v></c></row>'
    data = changed(book, {"xl/worksheets/sheet1.xml": lambda xml: xml.replace("</sheetData>", row + "</sheetData>")})
    release = released("b.xlsx", data, sanitizer)
    shown = everything(release.data)
    assert not any(value in shown for value in ("Oxlip", "ebedee", "illfeather", "6175550143"))
    sheet = openpyxl.load_workbook(io.BytesIO(release.data)).worksheets[0]
    for number, (_, kept) in enumerate(formulas):
        value = sheet.cell(9, number + 1).value
        assert value == f"={kept}" if kept else isinstance(value, int), number
    assert undone("b.xlsx", data, release)


def test_slides_notes_and_charts(sanitizer):
    made = pptx.Presentation()
    made.core_properties.author = CANARY
    slide = made.slides.add_slide(made.slide_layouts[1])
    slide.shapes.title.text = f"Plan of Dr. {NAME}"
    slide.shapes.title.name = CANARY
    slide.notes_slide.notes_text_frame.text = f"Write to {MAIL}"
    values = pptx.chart.data.CategoryChartData()
    values.categories = [NAME, "Others"]
    values.add_series("Pay", (84500, 12))
    kind = pptx.enum.chart.XL_CHART_TYPE.COLUMN_CLUSTERED
    slide.shapes.add_chart(kind, 0, 0, 999_999, 999_999, values)
    data = saved(made)
    release = released("s.pptx", data, sanitizer)
    shown = everything(release.data)
    assert not any(value in shown for value in (NAME, "Quillfeather", MAIL, CANARY))
    slide = pptx.Presentation(io.BytesIO(release.data)).slides[0]
    name = slide.shapes.title.text.removeprefix("Plan of Dr. ")
    chart = next(shape for shape in slide.shapes if shape.has_chart).chart
    assert list(chart.plots[0].categories) == [name, "Others"]
    assert "Click to edit Master title style" in shown
    assert undone("s.pptx", data, release)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.docm", b"", "macros"),
        ("a.doc", b"", "before 2007"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "encrypted"),
        ("a.docx", b"no archive", "damaged"),
        ("a.docx", packed({"x": b"x"}), "something else"),
        ("a.docx", packed({"[Content_Types].xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "entities"),
        ("a.docx", packed({"[Content_Types].xml": b"<a>" * 900 + b"</a>" * 900}), "depth"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_line(sanitizer, name, data, told):
    with pytest.raises(InputError, match=told) as error:
        released(name, data, sanitizer)
    assert "\n" not in str(error.value)


def test_a_bomb_is_refused_before_it_is_unpacked():
    with pytest.raises(InputError, match="at most 1 MB"):
        Opened("a.docx", packed({"[Content_Types].xml": bytes(2**21)}), limits=Limits(bytes=2**20))


def test_a_file_that_holds_a_value_is_not_handed_over(sanitizer, contract, monkeypatch):
    from textveil.documents.office import Word

    write = Word.written
    for place in (f"<w:t>{NAME}</w:t>", f'<w:t w:x="{MAIL}"/>', '<w:t w:x="Zebedee%20Quillfeather"/>'):

        def leaking(self: Word, place: str = place) -> bytes:
            return changed(write(self), {BODY: lambda xml: xml.replace("</w:r>", f"{place}</w:r>", 1)})

        monkeypatch.setattr(Word, "written", leaking)
        with pytest.raises(InternalError, match="kind document"):
            released("c.docx", contract, sanitizer)


def test_the_check_takes_time_that_is_linear_in_values_and_strings():
    from textveil.documents.model import Passage, Piece, Shown, check
    from textveil.surrogates.map_file import PrivateMap, Replaced

    values = [f"somebody{number:06d}" for number in range(20_000)]
    held = PrivateMap(released="", replaced=tuple(Replaced(0, 0, value, "email") for value in values))
    shown = [Shown("sheet", f"another{number}", False) for number in range(20_000)]
    passages = [Passage("sheet", [Piece("text", str)])]
    assert check(shown, passages, held) == (20_000, 20_000)
    assert seconds_of(lambda: check(shown, passages, held), 1) < 60  # about 0.1 s; quadratic time would take minutes
    with pytest.raises(InternalError):
        check([Shown("sheet", "x-somebody-019999-y", False)], passages, held)


def test_a_row_in_a_formula_is_no_value_and_a_string_in_it_is(sanitizer):
    from textveil.documents.strings import package_strings

    made = openpyxl.Workbook()
    made.active["A1"] = '=SUM($E1234:F1234)+1234:1235&"1234"+E5678'
    shown = [one.string for one in package_strings(saved(made)) if "SUM" in one.string]
    assert len(shown) == 1 and shown[0].count("1234") == 1 and "5678" not in shown[0]


def test_elements_and_attributes_whose_names_no_schema_has_go_and_are_told_by_no_name(sanitizer, contract):
    paragraph = (
        '<w:p w:quillfeather="1"><w:r><w:rPr><w:quillfeather/><w:b/></w:rPr><w:quillfeather w:val="1">'
        "<w:t>xylotrope</w:t></w:quillfeather><w:t>remains</w:t></w:r></w:p>"
    )
    data = changed(contract, {BODY: lambda xml: xml.replace("<w:body>", "<w:body>" + paragraph, 1)})
    release = released("c.docx", data, sanitizer)
    shown = everything(release.data)
    assert "quillfeather" not in shown and "xylotrope" not in shown and "remains" in shown and "<w:b/>" in shown
    told = release.certificate.to_data()["removed"]
    assert told["element of another vocabulary"] == 2 and told["attribute of another vocabulary"] == 1
    assert "quillfeather" not in str(told)


@pytest.mark.parametrize(
    "tag", ["w:zebedeequillfeather", "zebedeequillfeather:t", "w:t xmlns:zebedeequillfeather='urn:x'"]
)
def test_a_value_in_a_name_of_an_element_is_a_find_of_the_check(sanitizer, contract, monkeypatch, tag):
    from textveil.documents.office import Word

    write = Word.written

    def leaking(self: Word) -> bytes:
        return changed(write(self), {BODY: lambda xml: xml.replace("</w:body>", f"<{tag}/></w:body>", 1)})

    monkeypatch.setattr(Word, "written", leaking)
    with pytest.raises(InternalError, match="kind document"):
        released("c.docx", contract, sanitizer)


@pytest.mark.parametrize(
    "inserted",
    [
        '<w:p><w:r><w:rPr><w:rFonts w:ascii="Noto Quillfeather"/></w:rPr><w:t>remains</w:t></w:r></w:p>',
        '<w:p><w:r><w:rPr><w:rFonts w:ascii="Roboto Quillfeather"/></w:rPr><w:t>remains</w:t></w:r></w:p>',
        '<w:p><w:pPr><w:pStyle w:val="6175551 43"/></w:pPr><w:r><w:t>remains</w:t></w:r></w:p>',
        '<w:p><w:r><w:sym w:font="Symbol" w:char="F06B"/><w:sym w:font="Arial" w:char="004B"/><w:t>remains</w:t></w:r></w:p>',
        '<w:p><w:r><w:pict><v:rect xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"'
        ' o:title="Quillfeather"><v:textbox><div>Quillfeather</div></v:textbox></v:rect></w:pict><w:t>remains</w:t></w:r></w:p>',
    ],
)  # fmt: skip
def test_names_that_only_look_public_go(sanitizer, contract, inserted):
    data = changed(contract, {BODY: lambda xml: xml.replace("<w:body>", "<w:body>" + inserted, 1)})
    shown = everything(released("c.docx", data, sanitizer).data)
    assert "remains" in shown
    assert not any(word in shown for word in ("Quillfeather", "6175551", "F06B", "004B"))


def test_a_name_of_a_range_that_only_looks_built_in_is_written_anew(sanitizer, book):
    made = openpyxl.load_workbook(io.BytesIO(book))
    made.defined_names["_xlnm.Quillfeather"] = openpyxl.workbook.defined_name.DefinedName(
        "_xlnm.Quillfeather", attr_text="Hidden!$B$4"
    )
    assert "Quillfeather" not in everything(released("b.xlsx", saved(made), sanitizer).data)


def test_errors_and_truth_in_cells_stay_and_a_text_that_claims_to_be_one_is_text(sanitizer, book):
    cells = (
        '<row r="9"><c r="A9" t="e"><v>#CONNECT!</v></c><c r="B9" t="b"><v>true</v></c>'
        f'<c r="C9" t="e"><v>{NAME}</v></c></row></sheetData>'
    )
    data = changed(book, {"xl/worksheets/sheet1.xml": lambda xml: xml.replace("</sheetData>", cells, 1)})
    release = released("b.xlsx", data, sanitizer)
    shown = everything(release.data)
    assert "#CONNECT!" in shown and NAME not in shown
    assert undone("b.xlsx", data, release)
