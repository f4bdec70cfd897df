"""Files of OpenDocument: text changes where it stands, numbers keep their types, and what is not known is gone."""

import io
import re
from collections.abc import Mapping

import pytest
from odf import opendocument, teletype
from odf.element import Element
from odf.table import Table, TableCell, TableRow
from odf.text import H, P
from tests.documents.test_office import everything, text_of, undone

import textveil as tv
from textveil.documents.apart import released
from textveil.documents.open_document import OpenDocument
from textveil.documents.registry import entries, packed
from textveil.errors import InputError, InternalError

NAME, MAIL, PHONE = "Zebedee Quillfeather", "zebedee@quillfeather.example.net", "(617) 555-0143"
CANARY = "Xylotrope"  # in places of no text: nothing needs to find it, it goes


@pytest.fixture(autouse=True)
def namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """odfpy keeps each namespace that any file had, the empty one too, and writes it into all that it saves later."""
    monkeypatch.setattr(Element, "namespaces", {})


@pytest.fixture(scope="module")
def sanitizer() -> tv.Sanitizer:
    return tv.Sanitizer(tv.policy("identifiers"))


def saved(made) -> bytes:
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def changed(data: bytes, changes: Mapping[str, tuple[str, str]], more: Mapping[str, str] = {}) -> bytes:
    """Return a file in whose parts something is put in front of something, with more parts."""
    files = dict(entries(data))
    for name, (mark, new) in changes.items():
        before = files[name].decode()
        assert mark in before
        files[name] = before.replace(mark, new + mark, 1).encode()
    return packed({**files, **{name: text.encode() for name, text in more.items()}})


def paragraphs(data: bytes) -> list[str]:
    return [teletype.extractText(one) for one in opendocument.load(io.BytesIO(data)).getElementsByType(P)]


_SPACES = (
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
    ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"'
    ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"'
    ' xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0"'
    ' xmlns:x="urn:x"'
)  # fmt: skip
_PART = (
    '<office:document-{kind} {spaces} office:version="1.3"><office:automatic-styles/>{body}</office:document-{kind}>'
)
_ROWS = (
    '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">{rows}</manifest:manifest>'
)


def written(kind: str, body: str, more: Mapping[str, bytes] = {}, rows: str = "") -> bytes:
    """Return a file of a kind, with the body of its content."""
    tag = {"text": "text", "spreadsheet": "spreadsheet", "presentation": "presentation"}[kind]
    content = _PART.format(
        kind="content", spaces=_SPACES, body=f"<office:body><office:{tag}>{body}</office:{tag}></office:body>"
    )
    rows = f'<manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.{kind}"/>{rows}'
    return packed(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
            "content.xml": content.encode(),
            "META-INF/manifest.xml": _ROWS.format(rows=rows).encode(),
            **more,
        }
    )


def test_a_name_split_over_spans_is_one_and_keeps_its_looks(sanitizer):
    data = written(
        "text",
        f'<text:h text:outline-level="1">For {NAME}</text:h><text:p>Between Dr. <text:span text:style-name="T1">Zebedee</text:span>'
        f'<text:s/>Quill<text:span text:style-name="T2">feather</text:span>,\n   {PHONE},  and<text:s text:c="2"/>the client.</text:p>'
        f"<table:table table:name='{CANARY}'><table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell>"
        f"<table:table-cell><text:p>{NAME}</text:p></table:table-cell></table:table-row></table:table>",
    )
    assert f"Between Dr. {NAME}, {PHONE}, and  the client." in text_of("a.odt", data)
    release = released("a.odt", data, sanitizer)
    shown = everything(release.data)
    for value in (NAME, "Quillfeather", "Zebedee", PHONE, CANARY):
        assert value not in shown
    made = opendocument.load(io.BytesIO(release.data))
    name = teletype.extractText(made.getElementsByType(H)[0]).removeprefix("For ")
    first, _, cell = paragraphs(release.data)
    assert first.startswith(f"Between Dr. {name}, ") and first.endswith(", and  the client.") and cell == name
    assert f'<text:span text:style-name="T1">{name}</text:span>' in shown
    assert undone("a.odt", data, release)


@pytest.mark.parametrize(
    "inserted",
    [
        f'<text:tracked-changes><text:changed-region text:id="c"><text:deletion><office:change-info><dc:creator>{CANARY}</dc:creator><dc:date>2024-01-01T00:00:00</dc:date></office:change-info><text:p>{CANARY}</text:p></text:deletion></text:changed-region></text:tracked-changes>',
        f'<text:p>rem<text:change-start text:change-id="c"/>ains<text:change text:change-id="{CANARY}"/></text:p>',
        f'<text:p>remains<office:annotation office:name="{CANARY}"><dc:creator>{CANARY}</dc:creator><dc:date>2024-01-01T00:00:00</dc:date><text:p>noted</text:p></office:annotation></text:p>',
        f'<text:p><text:user-defined text:name="{CANARY}">remains</text:user-defined></text:p>',
        f'<text:p><text:hidden-text text:condition="{CANARY}" text:string-value="{CANARY}" text:is-hidden="true">remains</text:hidden-text></text:p>',
        f'<text:p><text:database-display text:database-name="{CANARY}" text:table-name="{CANARY}" text:column-name="{CANARY}">remains</text:database-display></text:p>',
        f'<text:user-field-decls><text:user-field-decl text:name="{CANARY}" office:value-type="string" office:string-value="{CANARY}"/></text:user-field-decls><text:p>remains</text:p>',
        f'<text:section text:name="{CANARY}" text:display="none" text:condition="{CANARY}"><text:section-source xlink:href="{CANARY}.odt"/><text:p>remains</text:p></text:section>',
        f'<text:p text:style-name="{CANARY}">remains<text:bookmark text:name="{CANARY}"/></text:p>',
        f'<text:p>remains<!-- {CANARY} --><?note {CANARY}?></text:p>',
        f'<text:p x:y="{CANARY}">rem<x:x>{CANARY}</x:x>ains</text:p>',
        f'<text:p><text:script script:language="JavaScript">{CANARY}</text:script><text:a xlink:href="vnd.sun.star.script:{CANARY}">remains</text:a></text:p>',
        f'<text:p><text:a xlink:href="#{CANARY}|outline" office:name="{CANARY}">remains</text:a></text:p>',
        f'<text:p>remains<draw:frame draw:name="{CANARY}"><draw:object-ole xlink:href="./{CANARY}"/><draw:image xlink:href="Pictures/{CANARY}.svg"/></draw:frame></text:p>',
        f'<text:p>remains<draw:frame><draw:image><office:binary-data>{CANARY}</office:binary-data></draw:image></draw:frame></text:p>',
        f'<text:p>remains</text:p>{CANARY}<text:list xml:id="{CANARY}">{CANARY}<text:list-item/></text:list>',
        f'<text:{CANARY}/><text:p text:{CANARY}="1">remains</text:p>',
    ],
)  # fmt: skip
def test_what_is_no_text_goes(sanitizer, inserted):
    data = written("text", f"{inserted}<text:p>Call {PHONE}</text:p>", {f"{CANARY}/{CANARY}.bin": CANARY.encode()})
    release = released("a.odt", data, sanitizer)
    assert CANARY not in everything(release.data)
    assert ("remains" in everything(release.data)) == ("ains" in inserted)
    assert undone("a.odt", data, release)


@pytest.mark.parametrize(
    "inserted",
    [
        f'<text:p><draw:frame draw:name="Frame1"><draw:text-box><text:p>{MAIL}</text:p></draw:text-box><svg:title>{MAIL}</svg:title><svg:desc>{NAME}</svg:desc></draw:frame></text:p>',
        f'<text:p><office:annotation><text:p>Dr. {NAME}</text:p></office:annotation><office:annotation-end/></text:p>',
        f'<text:p>see<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>{MAIL}</text:p></text:note-body></text:note></text:p>',
        f'<text:p><text:a xlink:href="mailto:{MAIL}" office:title="to {MAIL}">write</text:a></text:p>',
        f'<text:section text:name="Section1" text:display="none"><text:p>{MAIL}</text:p></text:section>',
        f'<text:p><text:author-name>Dr. {NAME}</text:author-name> and <text:placeholder text:placeholder-type="text">{MAIL}</text:placeholder></text:p>',
        '<text:p>zebedee@quill<text:bookmark text:name="a"/>feather<text:span>.example</text:span>.net</text:p>',
        f'<text:list><text:list-item><text:p>{MAIL}</text:p></text:list-item></text:list>',
        f'<text:p><text:ruby><text:ruby-base>{MAIL}</text:ruby-base><text:ruby-text>{MAIL}</text:ruby-text></text:ruby></text:p>',
    ],
)  # fmt: skip
def test_text_in_every_place_is_sanitized(sanitizer, inserted):
    data = written("text", inserted)
    release = released("a.odt", data, sanitizer)
    assert "quillfeather" not in everything(release.data).lower()
    assert undone("a.odt", data, release)


def test_headers_of_pages_are_text_and_properties_settings_scripts_and_signatures_go(sanitizer):
    styles = _PART.format(
        kind="styles",
        spaces=_SPACES,
        body=f'<office:master-styles><style:master-page style:name="{CANARY}" style:display-name="{CANARY}"><style:header>'
        f"<text:p>For {MAIL}</text:p></style:header></style:master-page></office:master-styles>",
    )
    more = {
        "styles.xml": styles,
        **dict.fromkeys(("meta.xml", "settings.xml", "manifest.rdf", "META-INF/documentsignatures.xml", "Basic/Standard/Module1.xml", "Scripts/python/a.py", "Thumbnails/thumbnail.png", "Configurations2/menubar/a.xml", "ObjectReplacements/Object 1"), f"<a>{CANARY}</a>"),
    }  # fmt: skip
    data = written("text", f"<text:p>Call {PHONE}</text:p>", {name: text.encode() for name, text in more.items()})
    release = released("a.odt", data, sanitizer)
    shown = everything(release.data)
    assert CANARY not in shown and "quillfeather" not in shown and 'style:name="Style1"' in shown
    assert sorted(entries(release.data)) == ["META-INF/manifest.xml", "content.xml", "mimetype", "styles.xml"]
    removed = release.certificate.removed
    assert removed["script"] == 2 and removed["signature"] == removed["thumbnail"] == 1 and removed["properties"] == 2
    assert undone("a.odt", data, release)


def cell(kind: str, value: str, shown: str, formula: str = "") -> str:
    attribute = {"float": "value", "currency": "value", "date": "date-value", "string": "string-value"}.get(kind)
    typed = f' office:value-type="{kind}" office:{attribute}="{value}"' if attribute else ""
    formula = f' table:formula="{formula}"' if formula else ""
    return f"<table:table-cell{typed}{formula}><text:p>{shown}</text:p></table:table-cell>"


def sheet(name: str, *rows: str) -> str:
    inner = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    return f'<table:table table:name="{name}">{inner}</table:table>'


@pytest.fixture
def book() -> bytes:
    gap = '<table:table-cell table:number-columns-repeated="2"/>'
    return written(
        "spreadsheet",
        f'<table:content-validations><table:content-validation table:name="{CANARY}" table:base-cell-address="\'Pay of {NAME}\'.A1"'
        f' table:condition="of:cell-content-is-in-list(&quot;{NAME}&quot;;&quot;b&quot;)"><table:help-message table:title="{MAIL}"/></table:content-validation></table:content-validations>'
        + sheet(
            f"Pay of {NAME}",
            cell("", "", "Name") + cell("", "", "Email") + gap + cell("", "", "Salary") + cell("", "", "Start"),
            cell("string", NAME, NAME) + cell("", "", MAIL) + gap + cell("float", "84500", "84,500.00") + cell("date", "2021-03-04", "03/04/21"),
            cell("string", "", "Karl Osterhagen") + gap + cell("float", "9", CANARY, f"of:=IF([.A2]=&quot;{NAME}&quot;;[.E2]*2;0)")
            + cell("float", "9", CANARY, f"of:=SUM([.E2:.E3])+[$&apos;Pay of {NAME}&apos;.E2]+{CANARY}"),
            cell("float", "17", "17", f"of:=[&apos;file:///{CANARY}.ods&apos;#$A.B2]") + cell("float", "18", "18", f"oooc:={CANARY}"),
        )
        + f'<table:table table:name="Hidden" table:display="false"><table:table-row><table:table-cell><office:annotation><dc:creator>{CANARY}</dc:creator><text:p>Call {PHONE}</text:p></office:annotation><text:p>Dr. {NAME} called</text:p></table:table-cell></table:table-row></table:table>'
        f'<table:named-expressions><table:named-range table:name="{CANARY}" table:base-cell-address="$Hidden.$A$1" table:cell-range-address="$\'Pay of {NAME}\'.$E$2"/></table:named-expressions>'
        f'<table:database-ranges><table:database-range table:name="{CANARY}" table:target-range-address="Hidden.A1:Hidden.B2"/></table:database-ranges>',
    )  # fmt: skip


def cells(data: bytes) -> list[list[TableCell]]:
    made = opendocument.load(io.BytesIO(data))
    return [row.getElementsByType(TableCell) for row in made.getElementsByType(TableRow)]


def test_cells_keep_their_types_and_formulas_their_sense(sanitizer, book):
    text = text_of("a.ods", book)
    assert f"18\n\nDr. {NAME} called\nCall {PHONE}\n" in text
    assert text.startswith(
        f"\n\nName\tEmail\t\t\tSalary\tStart\n{NAME}\t{MAIL}\t\t\t84500\t2021-03-04\nKarl Osterhagen\n17\t18\n\n"
    )
    release = released("a.ods", book, sanitizer)
    shown = everything(release.data)
    for value in (NAME, "Quillfeather", MAIL, PHONE, CANARY, "84500", "84,500", "Osterhagen", "2021-03-04"):
        assert value not in shown
    rows = cells(release.data)
    name = teletype.extractText(rows[1][0])
    assert rows[1][3].getAttribute("valuetype") == "float" and float(rows[1][3].getAttribute("value")) != 84500
    assert rows[1][3].getAttribute("value") == teletype.extractText(rows[1][3])
    assert rows[1][4].getAttribute("valuetype") == "date" and rows[1][4].getAttribute("datevalue") != "2021-03-04"
    titles = [one.getAttribute("name") for one in opendocument.load(io.BytesIO(release.data)).getElementsByType(Table)]
    assert titles == [f"Pay of {name}", "Hidden"] and name in teletype.extractText(rows[4][0])
    assert rows[2][2].getAttribute("formula") == f'of:=IF([.A2]="{name}";[.E2]*2;0)'
    assert rows[2][3].getAttribute("formula") == f"of:=SUM([.E2:.E3])+[$'{titles[0]}'.E2]+Name_1"
    assert not rows[2][2].getAttribute("value") and teletype.extractText(rows[2][3]) == ""
    assert rows[3][0].getAttribute("formula") is None and rows[3][0].getAttribute("value") is not None
    assert f"$'{titles[0]}'.$E$2" in shown and f"is-in-list(&quot;{name}&quot;;&quot;b&quot;)" in shown
    assert (
        'xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"' in shown
    )  # a formula's prefix is one of a namespace
    assert undone("a.ods", book, release)


def test_what_a_typed_cell_shows_is_what_it_holds(sanitizer):
    data = written("spreadsheet", sheet("Sheet1", cell("float", "12", CANARY) + cell("float", CANARY, "13")))
    release = released("a.ods", data, sanitizer)
    assert CANARY not in everything(release.data)
    assert cells(release.data)[0][1].getAttribute("valuetype") == "string"


def test_charts_stay_and_other_objects_go(sanitizer):
    frame = '<draw:frame><draw:object xlink:href="./{name}"/><draw:image xlink:href="./ObjectReplacements/{name}"/></draw:frame>'
    chart = _PART.format(
        kind="content",
        spaces=_SPACES + ' xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0"',
        body=f'<office:body><office:chart><chart:chart chart:class="chart:bar"><chart:title><text:p>Pay of {NAME}</text:p></chart:title>'
        '<chart:plot-area><chart:series chart:values-cell-range-address="local-table.$B$2:.$B$3"/>'
        f'<chart:series chart:values-cell-range-address="{CANARY}.B2"/></chart:plot-area>'
        f"{sheet('local-table', cell('string', NAME, NAME) + cell('float', '84500', '84500'))}</chart:chart></office:chart></office:body>",
    )
    rows = "".join(
        f'<manifest:file-entry manifest:full-path="{name}/" manifest:media-type="application/vnd.oasis.opendocument.{kind}"/>'
        for name, kind in (("Object 7", "chart"), ("Object 8", "formula"))
    )
    more = {
        "Object 7/content.xml": chart,
        "Object 8/content.xml": f"<a>{CANARY}</a>",
        "ObjectReplacements/Object 7": CANARY,
    }
    body = f"<text:p>{frame.format(name='Object 7')}{frame.format(name='Object 8')}</text:p>"
    data = written("text", body, {name: text.encode() for name, text in more.items()}, rows)
    release = released("a.odt", data, sanitizer)
    shown = everything(release.data)
    assert CANARY not in shown and "Quillfeather" not in shown and 'xlink:href="./Object 1"' in shown
    assert "local-table.$B$2:.$B$3" in shown and 'chart:class="chart:bar"' in shown
    assert release.certificate.parts["object"] == 1 and release.certificate.removed["embedded object"] >= 1
    assert undone("a.odt", data, release)


def test_slides_with_notes_and_pictures(sanitizer):
    page = (
        f'<draw:page draw:name="{CANARY}"><draw:frame><draw:text-box><text:p>Plan of Dr. {NAME}</text:p></draw:text-box></draw:frame>'
        '<draw:frame svg:width="4cm"><draw:image xlink:href="Pictures/a.png"/><draw:image xlink:href="Pictures/a.svg"/></draw:frame>'
        '<presentation:notes xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"><draw:frame><draw:text-box>'
        f"<text:p>Write to {MAIL}</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>"
    )
    data = written("presentation", page, {"Pictures/a.png": CANARY.encode(), "Pictures/a.svg": CANARY.encode()})
    release = released("s.odp", data, sanitizer)
    shown = everything(release.data)
    assert not any(value in shown for value in (NAME, "Quillfeather", MAIL, CANARY))
    assert [name for name in entries(release.data) if name.startswith("Pictures/")] == [
        "Pictures/image1.png",
        "Pictures/image2.png",
    ]
    assert undone("s.odp", data, release)
    with pytest.raises(InputError, match="no pictures"):
        released("s.odp", data, sanitizer, images="refuse")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"no archive", "damaged"),
        (packed({"content.xml": b"<a/>"}), "something else"),
        (packed({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'}), "entities"),
        (packed({"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<a>" * 900 + b"</a>" * 900}), "depth"),
        (written("text", "", rows='<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>'), "encrypted"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_in_one_line(sanitizer, data, told):
    with pytest.raises(InputError, match=told) as error:
        released("a.odt", data, sanitizer)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "place", [f"<text:p>{NAME}</text:p>", f'<text:p text:style-name="{MAIL}"/>', '<text:p x="Zebedee%20Quillfeather"/>']
)
def test_a_file_that_holds_a_value_is_not_handed_over(sanitizer, monkeypatch, place):
    write = OpenDocument.written
    data = written("text", f"<text:p>Dr. {NAME}, {MAIL}</text:p>")

    def leaking(self: OpenDocument) -> bytes:
        return changed(write(self), {"content.xml": ("</office:text>", place)})

    monkeypatch.setattr(OpenDocument, "written", leaking)
    with pytest.raises(InternalError, match="kind content"):
        released("a.odt", data, sanitizer)


def test_a_file_that_does_not_open_is_not_handed_over(sanitizer, monkeypatch):
    data = written("text", f"<text:p>Call {PHONE}</text:p>")
    monkeypatch.setattr("odf.opendocument.load", lambda file: 1 / 0)
    with pytest.raises(InternalError, match="does not open"):
        released("a.odt", data, sanitizer)


def test_a_space_that_stands_for_millions_is_cut(sanitizer):
    data = written("text", f'<text:p>Call<text:s text:c="999999999"/>{PHONE}<text:s text:c="{CANARY}"/></text:p>')
    assert len(text_of("a.odt", data)) < 200
    release = released("a.odt", data, sanitizer)
    assert 'text:c="100"' in everything(release.data) and CANARY not in everything(release.data)


def test_frozen_rows_of_a_sheet_stay_and_no_other_setting(sanitizer):
    items = {
        "HorizontalSplitMode": "2",
        "HorizontalSplitPosition": "1",
        "VerticalSplitMode": "2",
        "ActiveTable": CANARY,
    }
    items |= {"VerticalSplitPosition": "3", "PositionBottom": CANARY, CANARY: "1"}
    row = "".join(f'<config:config-item config:name="{name}" config:type="int">{value}</config:config-item>' for name, value in items.items())  # fmt: skip
    entries_of = "".join(f'<config:config-item-map-entry config:name="{name}">{row}</config:config-item-map-entry>' for name in (f"Pay of {NAME}", CANARY))  # fmt: skip
    settings = f"""<office:document-settings xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    xmlns:config="urn:oasis:names:tc:opendocument:xmlns:config:1.0"><office:settings>
    <config:config-item-set config:name="{CANARY}"><config:config-item-map-indexed config:name="Views">
    <config:config-item-map-entry><config:config-item-map-named config:name="Tables">{entries_of}</config:config-item-map-named>
    </config:config-item-map-entry></config:config-item-map-indexed></config:config-item-set></office:settings>
    </office:document-settings>"""
    made = opendocument.OpenDocumentSpreadsheet()
    made.spreadsheet.addElement(Table(name=f"Pay of {NAME}"))
    data = packed({**entries(saved(made)), "settings.xml": settings.encode()})
    release = released("a.ods", data, sanitizer)
    shown = everything(release.data)
    assert CANARY not in shown and NAME not in shown
    (table,) = opendocument.load(io.BytesIO(release.data)).getElementsByType(Table)
    kept = entries(release.data)["settings.xml"].decode()
    assert f'<config:config-item-map-entry config:name="{table.getAttribute("name")}">' in kept
    assert re.findall(r'name="(\w+Split\w+)" config:type="(\w+)">(\d)<', kept) == [
        ("HorizontalSplitMode", "short", "2"), ("VerticalSplitMode", "short", "2"),
        ("HorizontalSplitPosition", "int", "1"), ("VerticalSplitPosition", "int", "3"),
    ]  # fmt: skip
    assert undone("a.ods", data, release)
