"""Records whose standard tells by position what a field is, and what they keep."""

from textveil.detection.segments import find_segments


def values(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.kind) for span in find_segments(text)]


def test_fields_of_hl7_are_found_by_their_position() -> None:
    text = (
        "MSH|^~\\&|LAB|ORRELBANK|EHR|ORRELBANK|20240101||ADT^A01|7|P|2.5\r"
        "PID|1||4417720^^^ORRELBANK^MR~99-1^^^^SS||Quillfeather^Odalys^M^^MRS||19470922|F|||3 Fell Lane^^Dent^^LA10 5QL"
        "||01539 555017^PRN|||M\r"
        "PV1|1|I|W7^2^B||||C44^Oyelaran^Tobi^^^DR\nOBX|1|NM|718-7^HB^LN||13.4|g/dL|13-17|N\nAL1|1|DA|PENICILLIN|MO|RASH"
    )
    assert values(text) == [
        *[("ORRELBANK", "organization")] * 2,
        ("4417720", "id"),
        ("ORRELBANK", "organization"),
        ("99-1", "id"),
        *[(part, "person") for part in ("Quillfeather", "Odalys", "M")],
        ("19470922", "date"),
        *[(part, "place") for part in ("3 Fell Lane", "Dent", "LA10 5QL")],
        ("01539 555017", "phone"),
        ("C44", "id"),
        *[(part, "person") for part in ("Oyelaran", "Tobi")],
    ]


def test_segments_of_x12_lines_of_cards_and_of_trees_are_found() -> None:
    loops = "ISA*00~NM1*IL*1*QUILL*ODALYS****MI*00221111~N3*9 FELL LANE~N4*DENT*PA*17111~DMG*D8*19430519*M~"
    assert [value for value, _ in values(loops)] == [
        "QUILL", "ODALYS", "00221111", "9 FELL LANE", "DENT", "PA", "17111", "19430519",
    ]  # fmt: skip
    card = "BEGIN:VCARD\nVERSION:3.0\nN:Quill;Odalys;;Dr.;\nADR;TYPE=HOME:;;9 Fell Row;Dent;;LA10\nORG:Merrow\n"
    assert [value for value, _ in values(card)] == ["Quill", "Odalys", "9 Fell Row", "Dent", "LA10", "Merrow"]
    tree = "0 @I1@ INDI\n1 NAME Josiah /Quill/\n1 SEX M\n2 PLAC Dent, England\n2 DATE 4 NOV 1802"
    named = [(value, kind) for value, kind in values(tree) if kind != "numbering"]
    assert [value for value, _ in named] == ["Josiah", "Quill", "Dent", "England"]
    kept = [value for value, kind in values(tree) if kind == "numbering"]
    assert kept == ["0", "@I1@", "1", "1", "2", "2"]


def test_text_that_only_looks_like_segments_is_left_alone() -> None:
    assert not values("PRE|1||8817204||Zuse^Ada")
    assert not values("a PID|1||8817204 in a line")
    assert not values("| PID | name |\n|---|---|")
    assert not values("N*4*5 is a product, N3 * 4 too; call NM1*x")
    assert not values('PID|1||""||||F')
    assert not values("PID|1||4417^^^^MRN|")[1:]
