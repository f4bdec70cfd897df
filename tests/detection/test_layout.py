"""Layout decides nothing: a page is found alike in other systems' lines, spaces, accents, quotes, indents and cases."""

import re
import textwrap
import unicodedata
from collections.abc import Callable

import pytest

from textveil.detection.detectors import detect
from textveil.text.escapes import straight

LAYOUTS: dict[str, Callable[[str], str]] = {
    "lines of Windows": lambda text: text.replace("\n", "\r\n"),
    "lines of old Macs": lambda text: text.replace("\n", "\r"),
    "line separators": lambda text: text.replace("\n", "\u2028"),
    "pages": lambda text: f"\f{text}",
    "accents apart": lambda text: unicodedata.normalize("NFD", text),
    "spaces that do not break": lambda text: text.replace(" ", "\xa0"),
    "narrow spaces": lambda text: text.replace(" ", "\u202f"),
    "spaces of no width": lambda text: text.replace(" ", " \u200b"),
    "many spaces of no width": lambda text: text.replace(" ", " " + "\u200b" * 20),
    "spaces of no width in words": lambda text: re.sub(
        r"(?<=[^\W\d_]{3})(?=[^\W\d_]{3})", "\u200b" * 20, text, count=40
    ),
    "marks of direction": lambda text: text.replace("\n", "\n\u200f"),
    "a mark of byte order": lambda text: f"\ufeff{text}",
    "quoted": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "quoted often": lambda text: "\n".join(f"{'>' * 20} {line}" for line in text.split("\n")),
    "as a comment": lambda text: "\n".join(f"// {line}" for line in [*text.split("\n"), "", "so", "it", "is"]),
    "indented": lambda text: "\n".join(f"    {line}" for line in text.split("\n")),
    "indented by tabs": lambda text: "\n".join(f"\t{line}" for line in text.split("\n")),
    "two spaces behind points": lambda text: re.sub(r"(?<=[.]) ", "  ", text),
    "double spaced": lambda text: text.replace("\n", "\n\n"),
    "breaks of HTML": lambda text: text.replace("\n", "<br>\n"),
    "paragraphs of HTML": lambda text: "".join(f"<p>{line}</p>" for line in text.split("\n")),
    "a change": lambda text: "@@ -12,7 +12,9 @@\n so it is\n" + "\n".join(f"+{line}" for line in text.split("\n")),
    "paragraphs with a style": lambda text: "".join(
        f'<p class="MsoNormal" style="margin:0cm 12px">{line}</p>\n' for line in text.split("\n")
    ),
    "divisions in divisions": lambda text: "\n".join(
        f"<div><DIV dir=ltr>{line}</DIV></div>" for line in text.split("\n")
    ),
    "rows of one cell": lambda text: (
        "<table border=0>\n"
        + "".join(f'<tr><td width="100%">{line}</td></tr>\n' for line in text.split("\n"))
        + "</table>"
    ),
    "bullets": lambda text: "\n".join(f"\u2022 {line}" for line in text.split("\n")),
    "boxes": lambda text: "\n".join(f"- [ ] {line}" for line in [*text.split("\n"), "so", "it", "is"]),
    "between emoji": lambda text: "\n".join(f"\U0001f600 {line} \U0001f600" for line in [*text.split("\n"), "so"]),
    "joined by backslashes": lambda text: " \\\n".join(text.split("\n")) + " \\",
    "numbered": lambda text: "\n".join(f"{number}. {line}" for number, line in enumerate(text.split("\n"), 1)),
    "numbered from 0": lambda text: "\n".join(f"{number:4}: {line}" for number, line in enumerate(text.split("\n"))),
    "numbered by cat": lambda text: "\n".join(f"{number:6}\t{line}" for number, line in enumerate(text.split("\n"), 1)),
    "numbers before bars": lambda text: "\n".join(
        f"{number:3} | {line}" for number, line in enumerate(text.split("\n"), 1)
    ),
    "a list of strings": lambda text: "[\n" + ",\n".join(f'  "{line}"' for line in [*text.split("\n"), "so"]) + "\n]",
    "a notebook": lambda text: ",\n".join(f'   "{line}\n"' for line in text.split("\n")),
    "a sum of strings": lambda text: " +\n  ".join(f'"{line}\n"' for line in text.split("\n")) + ";",
    "a cell of CSV": lambda text: 'no,text\n1,"' + text.replace('"', '""') + '\n\nok"\n2,"later\nthen"\n',
    "a value of JSON": lambda text: f'{{"is": "ok", "text": "{text}\n\nok", "of": 3}}',
    "a string of Python": lambda text: f'text = """{text}\n\nok"""\n',
}
EMPHASIS = (
    "**{}**",
    "*{}*",
    "***{}***",
    "_{}_",
    "~~{}~~",
    "<b>{}</b>",
    "<em>{}</em>",
    "<strong>{}</strong>",
    "<mark>{}</mark>",
    "<code>{}</code>",
    "`{}`",
    "``{}``",
    "={}=",
    "=={}==",
    "\u201c{}\u201d",
    "\u201e{}\u201c",
    "\u2018{}\u2019",
    "\xab{}\xbb",
    "\xab\xa0{}\xa0\xbb",
    "\xbb{}\xab",
    "{{{{{}}}}}",
    "\u3010{}\u3011",
    "\u2014{}\u2014",
    "`\u201c{}\u201d`",
)
OF_CODE = ("[{}]", "[[{}]]", "<{}>", '"{}"', "'{}'", '"`{}`"', "[{}](#top)")
PAGES = {
    "mail": "From: Ada Zuse\nSubject: keys\nHi Piet,\nthe alarm code is 4471.\nPASSWORD=amber pony staple\nBest,\nAda",
    "chat": "zuse_ada: who has the key\npiet_k: ask Noor\nzuse_ada: ok\nlater then",
    "de": "Sehr geehrte Frau Lohse,\nder Termin bei Dr. Pape ist am 4. März.\nTel. 0661 555019\nViele Grüße\nUte Quast",
    "fr": "Chère Nolwenn,\nj'habite 14 rue des Halles à Quimper.\nNé le 2 avril 1961.\nBisous,\nMaëlle",
    "nl": "Van: Jiska Baas\nAan: Redouan el Idrissi\nOnderwerp: slot\nIk kom om 4.\nTot zo\nJiska",
    "ru": "Лебедева Зоя Игоревна\nДата рождения: 02.04.1961\nАдрес: ул. Мира, 14\nЛечащий врач: Белов А.Н.",
    "ar": "الاسم: محمود الششتاوي\nمحل الميلاد: المنصورة\nقال عمر حمدان إنه سيأتي",
    "ja": "お客様名:日向野 健一\n電話:03-5550-1234\n担当の佐藤がうかがいます。",
    "ko": "이름: 김민준\n전화: 010-5550-1234\n김민준 고객님 안녕하세요",
}


def _values(text: str) -> list[str]:
    spans = (span for span in detect(text) if span.kind not in ("number", "numbering"))  # of lines
    found = (unicodedata.normalize("NFC", text[span.start : span.end]) for span in spans)
    return sorted("".join(filter(str.isalnum, value.replace("\u200b", ""))) for value in found)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("page", PAGES)
def test_layout_changes_nothing_that_is_found(page: str, layout: str) -> None:
    text = PAGES[page]
    assert _values(LAYOUTS[layout](text)) == _values(text)


PROSE = {
    "en": "When we met at the harbor last week, Priya Kapoor said that the door code is 4471 and that Mr Tom Brandt of "
    "12 Ferry Lane had called twice, once on 3 March 2021 and once more from 020 7946 0011, because nobody told him "
    "where the keys are; his daughter Noor Brandt has them now, and she lives near Kirkcudbright with Ada Zuse.",
    "de": "Wie besprochen hat Frau Karin Lohse am 4. März 2021 noch einmal angerufen und gesagt, dass ihr Mann Piet "
    "Lohse seit dem Umzug nach Fulda nicht mehr unter 0661 555019 erreichbar ist, sondern nur noch bei seiner "
    "Schwester Ute Quast in der Lindenstraße 14, die uns am 9. März 2021 geschrieben hat und um Rückruf bittet.",
}


@pytest.mark.parametrize("width", [56, 60, 66, 72, 78])
@pytest.mark.parametrize("page", PROSE)
def test_the_width_of_lines_changes_nothing_that_is_found(page: str, width: int) -> None:
    found = _values(PROSE[page])
    assert len(found) > 6
    assert _values(textwrap.fill(PROSE[page], width)) == found


@pytest.mark.parametrize("emphasis", EMPHASIS)
@pytest.mark.parametrize("page", PAGES)
def test_emphasis_changes_nothing_that_is_found(page: str, emphasis: str) -> None:
    if page == "ru" and emphasis[0] in "\u201c\u201e\xab":
        return  # they tell names of companies there
    assert _values(_marked(PAGES[page], emphasis)) == _values(PAGES[page])


def _marked(text: str, marks: str) -> str:
    """Return a text with marks around its values."""
    pieces, place = [], 0
    for span in detect(text):
        whole = span.start == 0 or not text[span.start - 1].isalnum()
        value = text[span.start : span.end]
        pieces += [text[place : span.start], marks.format(value) if whole and "@" not in value else value]
        place = span.end
    return "".join(pieces) + text[place:]


@pytest.mark.parametrize("marks", OF_CODE)
@pytest.mark.parametrize("page", PROSE)
def test_marks_of_code_around_many_values_change_nothing_that_is_found(page: str, marks: str) -> None:
    assert _values(_marked(PROSE[page], marks)) == _values(PROSE[page])


@pytest.mark.parametrize(
    "text",
    [
        "def zuse(*args, **kwargs):\n    return 2*args*3 + __init__ # __ada__",
        "**Date of birth** 3/4/1961",
        "<b>DOB</b> 3/4/1961",
        '<p class="Ada Zuse">x',
        '<p class="no 44712">x',
        '<p class="ada-zuse">x',
        '<p role="ada">x',
        '<p style="color:adazuse">x',
        "1991 Leeds\n1992 Filey\n1993 Otley\n1994 Selby",
        "+44 20 7946 0011\n+44 20 7946 0022\n+44 20 7946 0033\n+44 20 7946 0044",
        "#4471\n#4472\n#4473\n#4479",
        "\xa3 12\n\xa3 14\n\xa3 19\n\xa3 23",
        '"ada","zuse"\n"bea","kok"\n"cem","tan"\n"dora","ek"',
        '{"name": "Ada Zuse",\n"town": "Filey",\n"dob": "3/4/1961",\n"tel": "020 7946 0011"}',
        "the alarm of the house is 4471, as she\nnobody knows\nthe password is amber-pony-staple-7 or\nothers say",
        'she said: "Ada\ncame"',
        'the words "Ada" and "Rose" are short',
        "[12:04] [Nurse] Ada: so\n[12:05] [Nurse] Ada: and\n[12:06] [Nurse] Ada: then\n[12:07] [Nurse] Ada: ok",
        "\u041e\u041e\u041e \xab\u0421\u0435\u0432\u0435\u0440\xbb",
        "`DOB` 3/4/1961",
        "so \u201cada\u201d(x)",
        "INSERT INTO t VALUES ('Ada', 'Filey'), ('Bea', 'Otley'), ('Cem', 'Leeds')",
        "so it is \u201cAda] or {Bea\xbb and \u201eCem)",
    ],
)
def test_what_is_no_layout_is_read_as_it_is(text: str) -> None:
    assert straight(text).text == text


@pytest.mark.parametrize("marks", ["`{}`", "\u201c{}\u201d", "\xab{}\xbb", "\u201e{}\u201c", "[{}]"])
@pytest.mark.parametrize(
    "words", ["the password for the wifi is {} and it works", "the admin password {} is hard-coded"]
)
def test_quotes_tell_where_a_secret_ends(words: str, marks: str) -> None:
    text = words.format(marks.format("orange lantern at dusk"))
    assert "orange lantern at dusk" in [text[span.start : span.end] for span in detect(text) if span.kind == "secret"]


@pytest.mark.parametrize("marks", ["\xab{}\xbb", "\u201e{}\u201c", "{{{}}}"])
@pytest.mark.parametrize("before", ["Gentile Sig.ra ", "Caro Sig. ", "Passagiere: Sig. "])
def test_words_that_only_begin_as_a_secrets_do_tell_none(before: str, marks: str) -> None:
    text = f"{before}{marks.format('Ponchielli')}, suo marito ha ritirato il referto presso la clinica oggi."
    assert "Ponchielli" in [text[span.start : span.end] for span in detect(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('frag mal "Tomislav" bitte', "Tomislav"),
        ('Merci, "Eliza"', "Eliza"),
        ('betaald (door "Isis") en "Femke" ook', "Isis"),
        ('betaald door "Isis" en "Femke" ook', "Femke"),
        ("ask 'Tomislav' and [Eliza] first", "Tomislav"),
    ],
)
def test_quotes_around_one_value_of_a_short_text_hide_no_name(text: str, value: str) -> None:
    assert value in [text[span.start : span.end] for span in detect(text)]


def test_a_link_hides_no_name() -> None:
    assert straight("so [Ada](x)").text == "so Ada (x)"
    text = "we told Frau [Lohse](https://ada.example/lohse) and dr. [Pape](#pape) of it"
    assert [text[span.start : span.end] for span in detect(text) if span.kind == "person"] == ["Lohse", "Pape"]


@pytest.mark.parametrize("mark", ["_", "*", "**", "__", "~~"])
def test_a_name_in_marks_at_the_start_of_a_line_is_found_whole(mark: str) -> None:
    text = f"{mark}Maria Lopez{mark} came by"
    assert "Maria Lopez" in {text[span.start : span.end] for span in detect(text)}


@pytest.mark.parametrize("page", PAGES)
def test_each_page_has_something_to_find(page: str) -> None:
    assert len(_values(PAGES[page])) > 2


def test_a_table_of_two_columns_keeps_its_rows_apart() -> None:
    text = "  Name      Age\n  Ada Zuse   41\n\n\n  Piet Kok   52"
    assert [text[span.start : span.end] for span in detect(text) if span.kind == "person"] == ["Ada Zuse", "Piet Kok"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("so i told priya kapoor that k. osei is late again and she said ok", ["k. osei", "priya kapoor"]),
        ("we stay with mr brown in the house near kirkcudbright until sunday", ["brown", "kirkcudbright"]),
        ("PLEASE ASK FOR PRIYA KAPOOR WHEN YOU COME TO THE DOOR OF THE STAFF ROOM", ["PRIYA KAPOOR"]),
        (
            "we had tea with jane owusu-ansah and patience ollerenshaw in great yarmouth, it was good",
            [
                "jane owusu-ansah",
                "patience ollerenshaw",
                "great yarmouth",
            ],
        ),
        (
            "the letter is from dr p venkataraghavan, who lives at 3 almshouse lane with his sister",
            [
                "p venkataraghavan",
                "3 almshouse lane",
            ],
        ),
        ("the notes of the day were updated by jessamy pugh at the desk in the hall", ["jessamy pugh"]),
        ("the review is so lovely, says sandra p, and we all think the same of it", ["sandra p"]),
        ("the boiler was mended by peak lantern events ltd and nobody paid them for it", ["peak lantern events ltd"]),
        ("BITTE MELDEN SIE SICH BEI FRAU DR. ZSCHOCHE, SIE WOHNT IN HAMBURG UND IST IM BÜRO", ["ZSCHOCHE", "HAMBURG"]),
        (
            "LA PAZIENTE È STATA ACCOMPAGNATA DAL MARITO, FOSCO MENICHETTI, CHE VIVE A LODI DA ANNI",
            [
                "FOSCO MENICHETTI",
            ],
        ),
    ],
)
def test_a_page_of_one_letter_case_is_read_with_capitals_too(text: str, values: list[str]) -> None:
    found = {text[span.start : span.end] for span in detect(text) if span.kind in ("person", "place", "organization")}
    assert found >= set(values)


@pytest.mark.parametrize("text", ["the kettle is on and the cat wants in", "npm run build && npm test", "1 and 2"])
def test_words_in_small_letters_name_nobody(text: str) -> None:
    assert not [span for span in detect(text) if span.kind in ("person", "place", "organization")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my insurance number is h228841907 and i forgot to bring it along to the desk", "h228841907"),
        ("the van has the plate sv15 kpt and stands in the yard behind the shop all day", "sv15 kpt"),
    ],
)
def test_codes_in_small_letters_are_read_in_capitals(text: str, value: str) -> None:
    assert value in [text[span.start : span.end] for span in detect(text) if span.kind == "id"]


@pytest.mark.parametrize(
    "text",
    [
        "LE PATIENT EST SORTI AVEC SON TRAITEMENT ET IL REVIENDRA DANS DEUX SEMAINES POUR LE CONTRÔLE",
        "SI DIMETTE IL PAZIENTE IN BUONE CONDIZIONI CON LA TERAPIA CHE HA PRESO IN REPARTO",
        "THE LADY TOLD US THAT SHE WAS VERY WELL AND THAT SHE HAD NO FALLS SINCE SHE WAS LAST SEEN IN CLINIC",
        "i had the tortilla and a pedicure, and my hairnet was adorable, so the day was good",
        "container_name: frontdoor and hairnet_size: 4 are keys of the file that we read here every day",
    ],
)
def test_pages_in_one_letter_case_name_nobody(text: str) -> None:
    assert not [
        text[span.start : span.end] for span in detect(text) if span.kind in ("person", "place", "organization")
    ]
