"""Surrogates in other scripts: the same script and form, forms of one name agree, and undo restores."""

import re
import unicodedata
from collections import Counter

import numpy as np
import pytest
import scipy.stats

import textveil as tv
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.pools import pool
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.scripts import entries, organization, persons, place, script_of
from textveil.surrogates.surrogate import Mention, Page

TEXTS = (
    "Пациент Петров Иван Сергеевич живёт в Томске. Петрову назначен аспирин, Иван Сергеевич согласен. ООО «Ромашка»",
    "姓名：李秀英。秀英住在北京市海淀区中关村大街27号，她在华盛科技有限公司工作。2024年3月5日",
    "氏名：田中 美咲（タナカ ミサキ）、東京都新宿区西新宿2-8-1。美咲さんは株式会社青空商事に勤務。",
    "성명: 김민수, 서울특별시 강남구 테헤란로 152. 민수 씨는 한빛전자에 다닌다. 2024년 3월 5일",
    "حضر السيد أحمد المصري من القاهرة. أحمد يعمل في شركة النور للتجارة منذ 14 مارس 2024.",
)
_LATIN = re.compile("[A-Za-z]")


@pytest.mark.parametrize("policy", ["prompts", "identifiers", "clinical"])
@pytest.mark.parametrize("text", TEXTS)
def test_release_has_no_latin_letter_and_is_undone(text: str, policy: str) -> None:
    release = tv.Sanitizer(tv.policy(policy), rng=tv.seeded_generator(5))(text)
    assert _LATIN.search(release.text) is None and release.text != text
    assert tv.restore(release.text, release.private_map) == text


def drawn(*values: str, seed: int = 3) -> list[str | None]:
    return persons([Mention(value) for value in values], MemoryScope(), tv.seeded_generator(seed))


def test_cases_of_one_name_agree() -> None:
    for seed in range(20):
        whole, dative, instrumental, hers = drawn("Петров Иван", "Петрову", "Иваном Петровым", "Петрова", seed=seed)
        family, given = str(whole).split(" ")
        assert (dative, instrumental, hers) == (f"{family}у", f"{given}ом {family}ым", f"{family}а")


@pytest.mark.parametrize(("whole", "part"), [("王小明", "小明"), ("김민수", "민수"), ("田中 美咲", "美咲")])
def test_given_name_alone_agrees_with_the_whole(whole: str, part: str) -> None:
    for seed in range(20):
        full, alone = drawn(whole, part, seed=seed)
        assert str(full).endswith(str(alone)) and full != alone


def test_script_follows_the_letters() -> None:
    assert [script_of(value) for value in ("Иван", "王小明", "김", "أحمد", "カナ", "José", "佐藤")] == [
        *("ru", "zh", "ko", "ar", "ja", "", "ja")
    ]
    assert script_of("美咲", japanese=True) == "ja"


def test_words_for_kinds_of_places_and_institutions_stay() -> None:
    rng, scope = tv.seeded_generator(4), MemoryScope()
    assert re.fullmatch(r"г\. [А-Я][а-яё-]+", place("г. Москва", "ru", scope, rng))
    assert re.fullmatch(
        r"ул\. [А-Яа-яё-]+, д\. [1-9], кв\. [1-9]\d", place("ул. Ленина, д. 5, кв. 12", "ru", scope, rng)
    )
    assert re.fullmatch(r".+市.+区.+大街[1-9]\d号", place("北京市海淀区中山大街27号", "zh", scope, rng))
    assert organization("华盛科技有限公司", "zh", scope, rng).endswith("有限公司")
    assert organization("ООО «Ромашка»", "ru", scope, rng).startswith("ООО «")
    assert organization("서울대학교병원", "ko", scope, rng).endswith("대학교병원")


@pytest.mark.parametrize(
    "name", ["ru family", "zh given", "ko given", "ja family", "ar family", "zh place", "ja place", "ko place"]
)
def test_pools_are_large_enough(name: str) -> None:
    assert len(entries(name)) >= 40


def test_family_names_are_uniform() -> None:
    pool = entries("ru given f")
    counts = Counter(
        str(persons([Mention("Анна")], MemoryScope(), rng)[0]) for rng in [tv.seeded_generator(9)] for _ in range(4000)
    )
    assert set(counts) <= set(pool)
    assert scipy.stats.chisquare([counts[name] for name in pool]).pvalue > 1e-6


def _drawn(kind: str, mentions: list[Mention], seed: int = 3) -> list[str]:
    options = {"script": "kept"} | ({} if kind == "person" else {"level": "kept"})
    return make_surrogate(kind, options=options).draw(mentions, MemoryScope(), np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(4))
def test_turkish_names_fit_the_endings_behind_them(seed: int) -> None:
    page = Page("tr")
    near, to = _drawn(
        "place",
        [Mention("Akhisar", page=page, after="'dan geldi"), Mention("Bursa", page=page, after="'ye gitti")],
        seed,
    )
    assert re.search("[aıou][^aeıioöuüfstkçşhp]*\\Z", near) and re.search("[ei]\\Z|[öü][^aeıou]*[eiü]\\Z", to)
    (street,) = _drawn("place", [Mention("Zeytinlik Mah. Değirmen Sok. No: 14/3", page=page)], seed)
    assert re.fullmatch(r"\w+ Mah\. \w+ Sok\. No: [0-9]{2}/[0-9]", street)
    wife, husband = _drawn(
        "person", [Mention("Nur", page=page, after=" Hanım"), Mention("Can", page=page, after=" Bey")], seed
    )
    assert wife in pool("given female tr") and husband in pool("given male tr")


@pytest.mark.parametrize("seed", range(4))
def test_korean_given_names_fit_the_particle_behind_them(seed: int) -> None:
    page = Page("ko")
    first, second = _drawn(
        "person", [Mention("금별이", page=page, after="는 반대"), Mention("김민준", page=page, after="이 갔다")], seed
    )
    assert (ord(first[-1]) - 0xAC00) % 28 == 0 < (ord(second[-1]) - 0xAC00) % 28


def test_number_plates_keep_their_script() -> None:
    plates = [Mention(plate) for plate in ("苏E·4K719", "飛騨 330 さ 44-71", "47가 1902", "أ ب ح 3653", "К471ХВ116")]
    for plate, drawn in zip(plates, _id_of(plates), strict=True):
        assert drawn != plate.value
        for letter, other in zip(plate.value, drawn, strict=True):
            assert unicodedata.name(letter)[:3] == unicodedata.name(other)[:3] or letter.isdigit()


def _id_of(mentions: list[Mention]) -> list[str]:
    return make_surrogate("id").draw(mentions, MemoryScope(), np.random.default_rng(3))


def test_address_in_chinese_characters_on_a_japanese_page_is_japanese() -> None:
    (drawn,) = _drawn("place", [Mention("長野県諏訪市湖畔町3-14-7", page=Page("ja"))])
    assert set(re.split("[県市町都府道0-9-]+", drawn)) & set(entries("ja place"))


def test_small_russian_names_stay_small_and_kin_stays() -> None:
    uncle, tagir, family = _drawn("person", [Mention("Дядя Боря"), Mention("тагира"), Mention("сафиуллин")])
    assert uncle.startswith("Дядя ") and tagir.islower() and tagir.endswith("а") and family.islower()


@pytest.mark.parametrize("value", ["京都府京都市", "東京都町田市", "東京都府中市"])
def test_a_letter_of_a_name_is_no_unit_of_a_japanese_address(value: str) -> None:
    for seed in (1, 2, 3):
        drawn = place(value, "ja", MemoryScope(), tv.seeded_generator(seed))
        prefecture = next(name for name in entries("ja 県") if drawn.startswith(name))
        assert drawn.removeprefix(prefecture).removesuffix("市") in entries("ja place")
