"""Layout decides nothing: a page is found alike in other systems' lines, spaces, accents, quotes, indents and cases."""

import re
import unicodedata
from collections.abc import Callable

import pytest

from textveil.detection.detectors import detect

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
    "double spaced": lambda text: text.replace("\n", "\n\n"),
    "breaks of HTML": lambda text: text.replace("\n", "<br>\n"),
    "paragraphs of HTML": lambda text: "".join(f"<p>{line}</p>" for line in text.split("\n")),
}
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
    found = (unicodedata.normalize("NFC", text[span.start : span.end]) for span in detect(text))
    return sorted("".join(filter(str.isalnum, value.replace("\u200b", ""))) for value in found)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("page", PAGES)
def test_layout_changes_nothing_that_is_found(page: str, layout: str) -> None:
    text = PAGES[page]
    assert _values(LAYOUTS[layout](text)) == _values(text)


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
    ],
)
def test_a_page_of_one_letter_case_is_read_with_capitals_too(text: str, values: list[str]) -> None:
    found = {text[span.start : span.end] for span in detect(text) if span.kind in ("person", "place")}
    assert found >= set(values)


@pytest.mark.parametrize("text", ["the kettle is on and the cat wants in", "npm run build && npm test", "1 and 2"])
def test_words_in_small_letters_name_nobody(text: str) -> None:
    assert not [span for span in detect(text) if span.kind in ("person", "place", "organization")]
