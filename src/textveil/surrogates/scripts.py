"""Persons, places and organizations in Cyrillic, Arabic, Chinese, Japanese and Korean letters, drawn in the same; Polish cases.

Pools are the public lists by which names are found (``detection.lists.listed``), and firms' names made of public
syllables. What stays is named by ``writing.SCRIPT_FACTS``: the script, endings of cases, and words of closed lists for kinds of
places and institutions. Proof: privacy/proofs/pseudonyms.md.
"""

import re
import unicodedata
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np

from textveil.detection.chinese import COMMON as FAMILIES
from textveil.detection.chinese import family_of as chinese_family
from textveil.detection.cyrillic import lemmas
from textveil.detection.japanese import family_of as japanese_family
from textveil.detection.lists import listed
from textveil.surrogates.drawn import agreed
from textveil.surrogates.pools import names_of, place_pool
from textveil.surrogates.scopes import Scope
from textveil.surrogates.surrogate import Mention, Page
from textveil.surrogates.writing import OTHER_SCRIPT, in_case_of, key_of
from textveil.text.patterns import lazy_regex

_SCRIPTS: Final = {"CYRILLIC": "ru", "ARABIC": "ar", "HANGUL": "ko", "CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja"}
_KANA: Final = lazy_regex("[\u3041-\u30ff]")


def is_japanese(mentions: Sequence[Mention]) -> bool:
    """Return whether a text's released words are Japanese, kana stand in a mention or before one, or a name begins so."""
    if mentions and mentions[0].page.language in ("ja", "zh"):
        return mentions[0].page.language == "ja"
    return any(
        _KANA.search(mention.value) or _KANA.search(mention.before) or _has_japanese_family(mention.value)
        for mention in mentions
    )


def _has_japanese_family(value: str) -> bool:
    family = japanese_family(value)
    given = value[len(family) :].strip(" \u3000")
    return len(family) > 1 and (not given or given in listed("ja", "given"))


def script_of(value: str, *, japanese: bool = False) -> str:
    """Return the language whose letters and pools a value has: empty if its first letter is of no such script.

    Chinese characters are Japanese in a text with kana or with a listed Japanese name.
    """
    if value.isascii():
        return ""
    letter = next(filter(str.isalpha, value), "")
    language = _of_letter(letter) if letter else ""
    if not language and letter < "\u0250" and value[0] != letter and (other := OTHER_SCRIPT.search(value)):
        language = _of_letter(other[0])
    if language == "zh" and (japanese or _KANA.search(value) or "々" in value or _has_japanese_family(value)):
        return "ja"
    return language


def _of_letter(letter: str) -> str:
    return _SCRIPTS.get(unicodedata.name(letter, "").partition(" ")[0].partition("-")[0], "")


@cache
def entries(name: str) -> tuple[str, ...]:
    """Return a public pool, sorted: "zh given", "ru given f", "ja place"."""
    words = _PRODUCTS[name]() if name in _PRODUCTS else listed(*name.split(" ")[:2])
    return tuple(sorted(filter(re.compile(_FITS.get(name, ".+")).fullmatch, words)))


_PROVINCES: Final = tuple(
    "경기 강원 충북 충남 전북 전남 경북 경남 제주 경기도 강원도 충청북도 충청남도 전라북도 전라남도 경상북도 경상남도".split()
)
_CAPITALS: Final = "АБВГДЕИКЛМНОПРСТФ"


def _prefectures() -> set[str]:
    return {f"{name}県" for name in _PREFECTURES.split()} | {"東京都", "京都府", "大阪府", "北海道"}


_PREFECTURES: Final = "青森 岩手 宮城 秋田 山形 福島 茨城 栃木 群馬 埼玉 千葉 神奈川 新潟 富山 石川 福井 山梨 長野 岐阜 静岡 愛知 三重 滋賀 兵庫 奈良 和歌山 鳥取 島根 岡山 広島 山口 徳島 香川 愛媛 高知 福岡 佐賀 長崎 熊本 大分 宮崎 鹿児島 沖縄"


def _is_simplified(word: str) -> bool:
    try:
        word.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


def _is_open(name: str) -> bool:
    """Return whether the last syllable of a Korean name ends in a vowel."""
    return (ord(name[-1]) - 0xAC00) % 28 == 0


def _products(first: str, second: str, end: str = "") -> Callable[[], set[str]]:
    return lambda: {one + end + other for one in first.split() for other in second.split() if one != other}


_PRODUCTS: Final[dict[str, Callable[[], Collection[str]]]] = {
    "zh firm": _products("华 恒 瑞 宏 新 天 盛 嘉 德 安 博 凯 永 远 星 光 鼎 泰 启 睿", "华 恒 瑞 宏 新 天 盛 嘉 德 安 博 凯 永 远 星 光 鼎 泰 启 睿"),
    "ko firm": _products("한 대 신 동 미 우 세 현 태 은 청 누 가 해 솔", "빛 양 성 진 원 림 화 영 산 솔 온 담 누리 나라 별"),
    "ja firm": _products("青 朝 若 白 緑 光 星 東 南 北 高 明 清 和 大", "葉 日 雲 風 波 山 川 野 海 空 森 原 里 峰 陽"),
    "ar firm": _products("النور الأمل الفجر الوفاء السلام النجم الأفق الريادة الإتقان الواحة", "الحديث الذهبي الجديد الأول المتحد الدولي", " "),
    "zh place": lambda: set("""石家庄 唐山 秦皇岛 邯郸 保定 张家口 承德 沧州 廊坊 太原 大同 长治 晋城 临汾 包头 赤峰 通辽 沈阳 大连 鞍山 抚顺 本溪 丹东 锦州 长春 吉林 四平 哈尔滨 大庆 徐州 常州 南通 连云港
        盐城 扬州 镇江 温州 嘉兴 湖州 绍兴 金华 台州 合肥 芜湖 蚌埠 安庆 福州 厦门 泉州 漳州 南昌 九江 赣州 济南 青岛 淄博 烟台 潍坊 济宁 泰安 威海 郑州 开封 洛阳 安阳 新乡 南阳 宜昌
        襄阳 荆州 长沙 株洲 湘潭 衡阳 岳阳 常德 珠海 汕头 佛山 韶关 湛江 肇庆 惠州 东莞 中山 南宁 柳州 桂林 北海 海口 三亚 绵阳 泸州 乐山 宜宾 贵阳 遵义 昆明 曲靖 丽江 咸阳 宝鸡 延安
        兰州 天水 西宁 银川 乌鲁木齐""".split()),
    "zh 省": lambda: {name for name in listed("zh", "place") if name.endswith("省") and _is_simplified(name)},
    "zh family": lambda: {name for name in FAMILIES if _is_simplified(name)},
    "zh given": lambda: {name for name in listed("zh", "given") if _is_simplified(name)},
    "ja place": lambda: set("""函館 小樽 旭川 釧路 帯広 八戸 弘前 盛岡 一関 石巻 能代 酒田 鶴岡 米沢 会津若松 郡山 日立 土浦 宇都宮 足利 前橋 高崎 桐生 川越 熊谷 所沢 船橋 柏 成田 町田 調布 立川 八王子 藤沢
        平塚 小田原 長岡 上越 高岡 金沢 小松 敦賀 甲府 松本 上田 諏訪 大垣 高山 浜松 沼津 豊橋 岡崎 豊田 四日市 津 彦根 大津 宇治 舞鶴 堺 豊中 吹田 枚方 姫路 尼崎 西宮 明石 米子 倉吉
        松江 出雲 倉敷 津山 呉 福山 尾道 下関 宇部 岩国 鳴門 高松 丸亀 松山 今治 新居浜 久留米 大牟田 唐津 佐世保 諫早 八代 別府 中津 都城 延岡 鹿屋""".split()),
    **{f"ja {unit}": _prefectures for unit in "都道府県"},
    "ko place": lambda: set("""수원 성남 의정부 안양 부천 광명 평택 동두천 안산 고양 과천 구리 남양주 오산 시흥 군포 의왕 하남 용인 파주 이천 안성 김포 화성 양주 포천 여주 춘천 원주 강릉 동해 태백 속초 삼척
        청주 충주 제천 천안 공주 보령 아산 서산 논산 계룡 당진 전주 군산 익산 정읍 남원 김제 목포 여수 순천 나주 광양 포항 경주 김천 안동 구미 영주 영천 상주 문경 경산 창원 진주 통영
        사천 김해 밀양 거제 양산 서귀포""".split()),
    "ru place": lambda: set("""Томск Омск Псков Смоленск Курск Мурманск Брянск Липецк Саранск Ульяновск Хабаровск Челябинск Новосибирск
        Красноярск Иркутск Архангельск Магнитогорск Норильск Братск Ангарск Бийск Рубцовск Прокопьевск
        Новокузнецк Подольск Коломенск Обнинск Дзержинск Арзамасск Нефтекамск Стерлитамаксск Первоуральск
        Каменск Златоуст Миасск Новотроицк Орск Бузулукск Димитровград Волжск Камышинск Пятигорск Кисловодск
        Железноводск Новороссийск Туапсинск Северодвинск Котласск Воркутинск Ухтинск Нижневартовск Нефтеюганск
        Ханты-Мансийск Салаватск Белорецк Кунгурск Соликамск Березниковск Минусинск Канск Ачинск Черногорск
        Абаканск Кызылск Улан-Удэнск Усть-Илимск Благовещенск Находкинск Уссурийск Артёмовск Комсомольск
        Зеленогорск Железногорск Лесосибирск Свободненск""".split()) & listed("ru", "place"),
    "tr place": lambda: place_pool("town", Page("tr")),
    "tr street": lambda: set("""Akasya Bağlar Bahar Barış Begonya Cami Cumhuriyet Çamlık Çeşme Çınar Defne Değirmen Dere Fatih Fidan Gazi Gonca Gül Güneş Hürriyet Ihlamur İnönü İstiklal Kardelen Karanfil Kavak Kaya
        Kestane Lale Leylak Manolya Menekşe Meşe Mimoza Nergis Okul Papatya Park Pınar Selvi Söğüt Sümbül Şafak Tepe Umut Vatan Yayla Yeşil Yıldız Zafer Zambak Zeytin""".split()),
    "ko given vowel": lambda: {name for name in listed("ko", "given") if len(name) == 2 and _is_open(name)},
    "ko given consonant": lambda: {name for name in listed("ko", "given") if len(name) == 2 and not _is_open(name)},
    "ko 도": lambda: {name for name in _PROVINCES if name[-1] == "도"},
    "ru street ая": lambda: set("Лесная Школьная Зелёная Молодёжная Центральная Полевая Луговая Солнечная Парковая Речная Новая Садовая Цветочная Берёзовая Кленовая Рябиновая Северная Южная Восточная Западная".split()),
    "ko province": lambda: set(_PROVINCES),
    "ru initial": lambda: set(_CAPITALS),
    "ru firm": lambda: set("""Рассвет Горизонт Восход Вектор Альянс Меридиан Орион Кристалл Импульс Прогресс Спектр Эталон Магнит
        Парус Маяк Гранит Янтарь Бриз Феникс Атлант Сириус Родник Контур Маршрут Каскад Триумф Ориентир Форум
        Базис Формат""".split()),
    "ru given m": lambda: listed("ru", "given") & {"Иван", "Антон", "Максим", "Кирилл", "Роман", "Денис", "Егор", "Артём", "Никон", "Глеб", "Олег", "Борис", "Богдан", "Вадим", "Виктор", "Владимир", "Владислав", "Вячеслав", "Герман", "Давид", "Емельян", "Захар", "Константин", "Леонид", "Марк", "Мирон", "Назар", "Остап", "Руслан", "Семён", "Степан", "Тарас", "Тимур", "Фёдор", "Филипп", "Эдуард", "Ярослав", "Артур", "Мартин", "Станислав", "Ростислав", "Платон", "Прохор", "Родион", "Святослав", "Спартак", "Трофим", "Харитон", "Эрик", "Юлиан", "Ян", "Яромир", "Август", "Адам", "Альберт", "Арсен", "Демьян", "Макар", "Мстислав"},
    "ru given f": lambda: listed("ru", "given") & {"Анна", "Ирина", "Елена", "Светлана", "Марина", "Галина", "Нина", "Полина", "Алина", "Арина", "Карина", "Кристина", "Диана", "Инна", "Алла", "Жанна", "Лариса", "Людмила", "Тамара", "Вера", "Раиса", "Маргарита", "Валентина", "Екатерина", "Варвара", "Василиса", "Динара", "Зарина", "Камила", "Римма", "Регина", "Элла", "Эмма", "Яна", "Снежана", "Милана", "Ульяна", "Алёна", "Алена", "Мирослава", "Владислава", "Злата", "Лада", "Антонина", "Клара", "Сабина", "Эльвира", "Марта", "Роза", "Дина", "Надежда", "Таисья", "Анфиса"},
}  # fmt: skip
_FITS: Final = {
    "ru family": r"[А-Я][а-яё]{3,9}(?:ов|ев|[кнлрш]ин)",
    "ja family": "[\u3400-\u9fff々]{2,3}",
    "zh given": "[\u4e00-\u9fff]{2}",
    "ja given": "[\u3400-\u9fff々]{1,3}",
    "ja family kana": "[ァ-ヺー]{2,6}",
    "ja given kana": "[ァ-ヺー]{2,6}",
    "ko family": "[가-힣]",
    "ko given": "[가-힣]{2}",
    "ar given m": "[ء-ي]{3,}(?<![ةىء])",
    "ar given f": "[ء-ي]{2,}(?:ة|اء|ى)",
    "ar family": "ال[ء-ي]{3,}",
    "ar place": "ال[ء-ي]{3,8}",
}


def _place(scope: Scope, rng: np.random.Generator) -> Callable[[str, str], str]:
    def drawn(name: str, key: str) -> str:
        pool = entries(name)
        return pool[scope.place(f"script {name}", key, len(pool), rng)]

    return drawn


# Persons

_PATRONYMIC: Final = lazy_regex(
    r"(?P<stem>[А-ЯЁ][а-яё]+?)(?P<form>(?:[оеё]вич|ич)(?P<he>|а|у|ем|ом|е)|(?:[оеё]вн|ичн|иничн)(?P<she>а|ы|е|у|ой|ою))"
)
_OF_FAMILY: Final = {
    "ий": "", "ого": "а", "ому": "у", "им": "ым", "ая": "а", "ую": "у", "ой": "ой", "ие": "ы", "их": "ых", "ый": "", "ым": "ым", "ом": "е",
    "ем": "ым", "а": "а", "у": "у", "е": "е", "ы": "ы", "я": "а", "ю": "у", "ей": "ой", "ых": "ых", "ыми": "ыми", "ам": "ым", "ими": "ыми",
}  # fmt: skip
_FIXED: Final = lazy_regex(r".{0,40}(?:ко|о|и|э|ых)\Z")


_SKY: Final = lazy_regex(r"(.*[цс]к)(ий|ого|ому|им|ом|ая|ой|ую|ие|их|ими)")
_ENDED: Final = lazy_regex(r"(.{2,}?)(ыми|ым|ых|ом|ем|ой|ей|а|у|е|ы|я|ю|ь|й)?")
_CYRILLIC_WORD: Final = lazy_regex(r"[^\W_]+")
_CYRILLIC: Final = lazy_regex(r"[0-9]|[^\W_-](?:[^\W0-9_]|-(?=[^\W0-9_])){0,40}")


def _family(word: str) -> tuple[str, str]:
    """Return the stem of a Russian family name and the ending that a name in -ов has in the same case."""
    if _FIXED.match(word):
        return word, ""
    sky = _SKY.fullmatch(word)
    if sky:
        return sky[1], _OF_FAMILY[sky[2]]
    match = _ENDED.fullmatch(word)
    stem, end = (match[1], match[2] or "") if match else (word, "")
    return stem, "ым" if end == "ом" else _OF_FAMILY.get(end, "")


_HE: Final = {"": "", "й": "", "ь": "", "а": "а", "я": "а", "у": "у", "ю": "у", "ом": "ом", "ем": "ом", "е": "е", "и": "е"}  # fmt: skip
_SHE: Final = {"а": "а", "я": "а", "ы": "ы", "и": "ы", "е": "е", "у": "у", "ю": "у", "ой": "ой", "ей": "ой", "ою": "ой", "ь": "а", "ью": "ой"}  # fmt: skip


def _given(word: str) -> tuple[str, str, str] | None:
    """Return a listed Russian given name, whether it is a man's or a woman's, and its ending in this case."""
    lemma = next((form for form in (*lemmas(word), word + "а", word + "я") if form in listed("ru", "given")), "")
    if not lemma:
        return None
    stem = lemma.rstrip("аяйь") if lemma[-1] in "аяйь" else lemma
    end = word[len(stem) :] if word.startswith(stem) else ""
    she = lemma[-1] in "ая" and lemma not in _MEN
    return lemma, "f" if she else "m", (_SHE if lemma[-1] in "ая" else _HE).get(end, "а" if she else "")


_MEN: Final = frozenset(
    """Никита Илья Фома Лука Саша Женя Миша Дима Коля Вова Петя Паша Ваня Вася Гриша Лёша Леша Алёша Алеша Толя
        Гоша Лёня Лёва Сеня Тёма Жора Кеша Веня Сёма Филя Фима Лёха Юра Серёжа Сережа Костя Боря Федя Стёпа Степа Володя Митя Витя Слава Гена Савва""".split()
)


_PARTICLES: Final = frozenset(
    """Дядя Тётя Тетя Баба Бабушка Дед Дедушка дядя тётя тетя баба бабушка дед дедушка де ван фон да дель аль ибн бен оглы ди ла эль дер дю""".split()
)


_HERS_OF: Final = {"": "а", "а": "а", "ы": "ой", "е": "ой", "у": "у", "ой": "ой"}
"""Endings of a woman's family, by those of her given name."""


def _of_woman(value: str) -> tuple[str, list[str]]:
    """Return the ending of a woman's family, if a value has her given name, and its families without an ending."""
    ending, families = "", list[str]()
    for written in _CYRILLIC_WORD.findall(value):
        model = written.title()
        if (patronymic := _PATRONYMIC.fullmatch(model)) is not None:
            ending = ending or ("" if patronymic["he"] is not None else "а")
        elif (given := _given(model)) is not None:
            ending = _HERS_OF.get(given[2], "а") if given[1] == "f" else ""
        elif len(model) > 1 and not _family(model)[1]:
            families.append(_family(model)[0].lower())
    return ending, families


def _russian(value: str, drawn: Callable[[str, str], str], hers: Collection[str] = ()) -> str:
    of_woman, _ = _of_woman(value)

    def word(match: re.Match[str]) -> str:
        written = match[0]
        if len(written) == 1 and written.isupper():
            return drawn("ru initial", written)
        if written in _PARTICLES:
            return written
        small = written.islower()
        model = written.title() if written.isupper() or small else written
        if patronymic := _PATRONYMIC.fullmatch(model):
            stem = drawn("ru given m", f"of {patronymic['stem'].lower()}")
            end = "ович" + patronymic["he"] if patronymic["he"] is not None else "овн" + (patronymic["she"] or "")
            out = stem + end
        elif given := _given(model):
            lemma, gender, end = given
            name = drawn(f"ru given {gender}", lemma.lower())
            if gender == "f":
                out = name[:-1] + (end or "а")
            else:
                out = name + {"ы": "а", "ой": "ом"}.get(end, "" if model == lemma else end)
        else:
            stem, end = _family(model)
            out = drawn("ru family", stem.lower()) + (end or of_woman or "а" * (stem.lower() in hers))
        return out.upper() if written.isupper() else out.lower() if small else out

    return _CYRILLIC_WORD.sub(word, value)


_KEPT_ARABIC: Final = frozenset("""بن ابن بنت أبو ابو أم ام آل عبد""".split())


def _arabic(value: str, drawn: Callable[[str, str], str], gender: str = "") -> str:
    words = value.split(" ")
    names = [place for place, word in enumerate(words) if word not in _KEPT_ARABIC]
    out = list(words)
    for place in names:
        bare = "".join(filter(str.isalpha, words[place]))
        family = (bare.startswith("ال") and words[place - 1] != "عبد") or (len(names) > 1 and place == names[-1])
        sex = gender or ("f" if _is_hers(bare) else "m")
        out[place] = drawn("ar family" if family else f"ar given {sex}", bare)
    return " ".join(word for place, word in enumerate(out) if word != "عبد" or place == len(out) - 1)


_HERS: Final = frozenset(
    """مريم زينب نور هند سعاد ريم رنا مها هدى منى سلمى ليلى لبنى حنان أمل إيمان نوال دلال عبير رانيا دينا لينا
        سندس نريمان سوسن رغد فرح ملك غدير عبير أريج نادية ياسمين شهد ندى سمر نجلاء هالة أحلام جنى سحر إلهام ابتسام""".split()
)


def _is_hers(name: str) -> bool:
    return (
        name.endswith(("ة", "اء", "ى"))
        and name not in ("مصطفى", "عيسى", "موسى", "يحيى", "حمزة", "أسامة", "طلحة", "علاء", "بهاء", "ضياء")
    ) or name in _HERS


_GAPS: Final = lazy_regex(r"([ \u3000·・=＝]+)")
_FOND: Final = "小老阿"


def _unspaced(value: str, language: str, known: set[str], drawn: Callable[[str, str], str]) -> str:
    words = _GAPS.split(value)
    if len(words) > 1:
        return "".join(
            word if place % 2 else _whole(word, language, "family" if not place else "given", drawn)
            for place, word in enumerate(words)
        )
    family = _split(value, language, known)
    if language == "zh" and len(value) == 2 and value[0] in _FOND and value not in known and family != value:
        return value[0] + _whole(value[1], language, "family", drawn)
    given = value[len(family) :]
    return (_whole(family, language, "family", drawn) if family else "") + (
        _whole(given, language, "given", drawn) if given else ""
    )


def _split(value: str, language: str, known: set[str]) -> str:
    """Return the family name at the beginning of a name; empty if it is a given name alone."""
    if value in known:
        return ""
    if language == "ja":
        return (
            "" if value in listed("ja", "given") else japanese_family(value) or (value if len(value) < 3 else value[:2])
        )
    if language == "ko":
        if (
            len(value) > 4
            or value[:1] not in listed("ko", "family")
            or (len(value) == 2 and value in listed("ko", "given"))
        ):
            return ""
        return value[:2] if len(value) > 2 and value[:2] in listed("ko", "family") else value[:1]
    return chinese_family(value) if len(value) < 5 else value[:1]


def _whole(word: str, language: str, role: str, drawn: Callable[[str, str], str]) -> str:
    if language == "ja" and _KANA.fullmatch(word[:1]) and _KANA.match(word[-1:]):
        name = drawn(f"ja {role} kana", word)
        hiragana = "\u3041" <= word[0] <= "\u3096"
        return "".join(chr(ord(letter) - 0x60) if hiragana and "ァ" <= letter <= "ヶ" else letter for letter in name)
    return drawn(f"{language} {role}", word)


_PARTICLE: Final = lazy_regex(
    "(?:(?P<consonant>은|이[가는를도랑의]?|을|과|아)|(?P<vowel>는|가|를|와|야|랑))(?![가-힣])"
)
"""Korean particles that show with what the name before them ends."""


_KIN_BEFORE: Final = lazy_regex(
    r"(?i)(?<![^\W_])(?:(?P<f>дочь|дочери|дочка|дочки|дочку|внучка|внучку|сестра|сестры|сестру|жена|жены|жену|мама|мать)"
    r"|(?P<m>сын|сына|сыну|внук|внука|брат|брата|муж|мужа|отец|отца|папа))[:,]? \Z"
)
"""Russian words before a given name that stands alone."""
_ARABIC_KIN: Final = lazy_regex(
    r"(?<![^\W_])(?:(?P<f>[أا]خت(?:ي|ه|ها)|زوجت(?:ي|ه)|ابنت(?:ي|ه|ها)|والدت(?:ي|ه|ها)|(?:خال|عم)ت(?:ي|ه|ها))"
    r"|(?P<m>[أا]خ(?:ي|وه|وها)|زوج(?:ي|ها)|ابن(?:ي|ه|ها)|والد(?:ي|ه|ها)|(?:خال|عم)ي)) \Z"
)
"""The same in Arabic."""


def persons(mentions: Sequence[Mention], scope: Scope, rng: np.random.Generator) -> list[str | None]:
    """Return names in the script of each mention of one text; None for those of no such script."""
    drawn = _place(scope, rng)
    known, ends = scope.remembered("script given names"), scope.remembered("script ends")
    japanese = is_japanese(mentions)
    languages = [script_of(mention.value, japanese=japanese) for mention in mentions]
    hers = scope.remembered("script hers")
    for mention, behind, language in zip(mentions, (*mentions[1:], Mention("")), languages, strict=True):
        whole = f"{mention.value} {behind.value}" if mention.after == " " else mention.value
        case, families = _of_woman(whole) if language == "ru" and scope.remembers else ("", [])
        hers.update(dict.fromkeys(families if case else (), case))
    for mention, language in zip(mentions, languages, strict=True):
        if language in ("zh", "ko", "ja") and len(mention.value) > 2:
            family = _split(mention.value, language, set())
            if family and len(mention.value) - len(family) > 1:
                known.setdefault(mention.value[len(family) :], "")
    for mention, language in zip(mentions, languages, strict=True):
        if language == "ko" and (particle := _PARTICLE.match(mention.after)):
            value = unicodedata.normalize("NFC", mention.value)
            ends.setdefault(value[len(_split(value, "ko", set(known))) :], particle.lastgroup or "")

    def ending(name: str, key: str) -> str:
        by_end = name == "ko given" and scope.remembers  # elsewhere one name has one surrogate in all texts
        return drawn(f"{name} {ends.get(key, 'consonant')}" if by_end else name, key)

    out: list[str | None] = []
    for mention, language in zip(mentions, languages, strict=True):
        value = unicodedata.normalize("NFC", mention.value)
        if language == "ru":
            kin = _KIN_BEFORE.search(mention.before) if value.istitle() and not _given(value) else None
            if kin and value.isalpha() and scope.remembers:
                known.setdefault(f"ru {value}", kin.lastgroup or "")
            gender = known.get(f"ru {value}", "")
            out.append(drawn(f"ru given {gender}", value.lower()) if gender else _russian(value, drawn, hers))
        elif language == "ar":
            kin = _ARABIC_KIN.search(mention.before) if scope.remembers and " " not in value else None
            known.setdefault(f"ar {value}", (kin and kin.lastgroup) or "")
            out.append(_arabic(value, drawn, known[f"ar {value}"]))
        else:
            out.append(_unspaced(value, language, set(known), ending) if language else None)
    return out


# Places and organizations

_UNITS: Final = {
    "zh": "自治区|自治州|自治县|特别行政区|街道|大道|大街|胡同|号楼|號樓|单元|單元|新区|小区|花园|[省市县縣区區镇鎮乡鄉村路街巷弄号號楼樓栋棟幢室层層座院段F之]",
    "ja": "丁目|番地|号室|(?<=東京)都|(?<=京都|大阪)府|(?<=北海)道|[県市区町村郡番号室階駅のF]|〒",
    "ko": "특별자치시|특별자치도|특별시|광역시|아파트|빌딩|빌라|오피스텔|타워|대로|번길|번지|[도시군구읍면동로길호층리가역](?![가-힣])",
    "ru": "область|области|областью|район|района|районе|край|края|крае|улица|улице|улицы|ул|проспект|проспекта|проспекте|просп|пр|переулок|переулке|пер|"
    "площадь|площади|пл|набережная|набережной|наб|шоссе|ш|бульвар|бульваре|бул|аллея|аллее|алл|ал|тупик|туп|ст|к|клх|море|моря|озеро|озера|река|реки|город|города|городе|г|пос|с|д|п|дом|кв|квартира|корп|"
    "к|стр|оф|офис|этаж|подъезд|обл|р|н|мкр|микрорайон|проезд|тупик|острова|остров|республика|республики|округ|округа|империи|империя|т|й|я|го|ой",
    "tr": r"(?i:(?<![^\W\d_])(?:Mahallesi|Mah|Mh|Caddesi|Cadde|Cad|Cd|Sokağı|Sokak|Sok|Sk|Bulvarı|Bulv|Blv|Meydanı|Sitesi|Apartmanı|Apt|Numara|No|Kat|Daire|Blok|OSB|[DKABCE])(?![^\W\d_]))",
    "ar": r"(?<![^\W_])(?:شارع|مدينة|حي|طريق|رقم|شقة|عمارة|مبنى|محافظة|ولاية|منطقة|برج|الطابق|ص\.ب|ميدان|قرية|بلدة|دوار|المملكة|دولة)(?![^\W_])",
}
_HEADS: Final = {
    "zh": "有限责任公司|股份有限公司|有限公司|股份公司|集团公司|分公司|子公司|公司|集团|医科大学|大学|医学院|学院|人民医院|中心医院|儿童医院|中医院|医院|卫生院|诊所|门诊部|银行|支行|分行|附属|中学|小学|幼儿园|高中|研究所|研究院|实验室|"
    "人民法院|法院|检察院|委员会|公安局|分局|派出所|协会|学会|基金会|出版社|杂志社|报社|电视台|律师事务所|事务所|大酒店|酒店|饭店|餐厅|超市|药房|药店|俱乐部|科技|物业|工厂|集團|醫院|醫學中心|銀行|學院|國小|國中|診所|協會|基金會|事務所|大學|市|省|区|县",
    "ja": "株式会社|有限会社|合同会社|一般社団法人|公益社団法人|一般財団法人|医療法人(?:社団)?|学校法人|社会福祉法人|NPO法人|独立行政法人|国立大学法人|附属病院|総合病院|市民病院|中央病院|赤十字病院|医療センター|病院|大学院|短期大学|大学|高等学校|高校|中学校|小学校|"
    "幼稚園|保育園|クリニック|医院|歯科|薬局|銀行|信用金庫|研究所|財団|協会|市役所|区役所|警察署|消防署|裁判所|新聞社|新聞|放送|商事|製作所|工業|建設|不動産|製薬|ホテル|旅館|図書館|美術館|法律事務所|事務所|商店|学園|グループ|ホールディングス|㈱|（株）",
    "ko": "주식회사|유한회사|재단법인|사단법인|의료법인|학교법인|사회복지법인|대학교병원|대학병원|종합병원|병원|대학교|대학원|고등학교|중학교|초등학교|유치원|어린이집|의원|한의원|치과|약국|보건소|은행|전자|그룹|건설|물산|제약|화학|자동차|증권|생명|화재|카드|텔레콤|통신|백화점|"
    "호텔|구청|시청|경찰서|소방서|지방법원|법원|검찰청|연구소|연구원|협회|재단|공사|공단|신문|일보|방송|출판사|법무법인|요양원|복지관|도서관|미술관|박물관|시스템즈?|솔루션즈?|테크|소프트|바이오|유통|물류|상사|산업|식품|센터|㈜|\\(주\\)",
    "ru": "",
    "ar": "شركة|جامعة|مستشفى|بنك|مصرف|مؤسسة|مدرسة|كلية|معهد|جمعية|وزارة|مركز|عيادة|صيدلية|فندق|مكتب|هيئة|مجموعة|مصنع|نادي|نادى|صحيفة|قناة|محكمة|بلدية|مطعم|متجر|دار",
}
_NUMERALS: Final = "一二三四五六七八九"
_PIECES: Final = {
    language: lazy_regex(
        rf"(?P<unit>{units})|(?P<digit>[0-9])|(?P<numeral>[{_NUMERALS}](?=[号號段丁楼樓层層]))|(?P<mark>[^\w]|_)|(?P<other>.)",
        re.DOTALL,
    )
    for language, units in _UNITS.items()
}
TURKISH_STREET: Final = lazy_regex(
    r"(?i)(?<![^\W\d_])(?:Mahallesi|Mah|Mh|Caddesi|Cadde|Cad|Cd|Sokağı|Sokak|Sok|Sk|Bulvarı|Bulv|Blv)(?![^\W\d_])"
)
_PARTED: Final = {language: lazy_regex(f"({heads})") for language, heads in _HEADS.items() if heads}
_ARABIC_HEAD: Final = lazy_regex(rf"(?:ال)?(?:{_HEADS['ar']})")
_RUSSIAN_UNIT: Final = lazy_regex(_UNITS["ru"])
_NO_DIGIT: Final = lazy_regex("[^0-9]+")
_DIGITS: Final = str.maketrans("０１２３４５６７８９٠١٢٣٤٥٦٧٨٩", "01234567890123456789")


def place(value: str, language: str, scope: Scope, rng: np.random.Generator) -> str:
    """Return a place in a script: words of ``_UNITS`` and marks stay, digits are drawn, each name is a listed place."""
    draw, value = _place(scope, rng), value.translate(_DIGITS)
    groups = [len(group) for group in _NO_DIGIT.split(value) if group]
    digits = iter(agreed(scope, f"script digits {groups}", value, rng, lambda source: _numbers(groups, source)))
    if language == "ru":
        return _CYRILLIC.sub(
            lambda match: next(digits) if match[0] in "0123456789" else _russian_word(match, draw), value
        ).replace("\0 ", "")
    out: list[str] = []
    core = before = ""
    for match in _PIECES[language].finditer(value):
        kind, piece = match.lastgroup or "", match[0]
        begins = kind == "unit" and not core and before != "digit" and len(piece) == 1 and piece not in "〒の"
        begins = begins and language in ("ja", "zh") and value[match.end() : match.end() + 1].isalpha()  # 東京都町田市
        before = kind
        if kind == "other" or begins or (language in ("ar", "tr") and piece == " " and core):
            core += piece
            continue
        whole = f"{language} {piece}"
        if core:
            name = core.strip()
            listed_as = whole if whole in _PRODUCTS else f"{language} place"
            if language == "ko" and name in _PROVINCES:
                listed_as = "ko province"
            elif language == "tr" and kind == "unit":
                listed_as = "tr street"
            out.append(in_case_of(name, draw(listed_as, key_of(name))) + " " * core.endswith(" "))
        if not (core and whole in _PRODUCTS):
            if kind == "numeral":
                piece = _NUMERALS[scope.place("script numeral", piece, 9, rng)]
            out.append(next(digits) if kind == "digit" else piece)
        core = ""
    return "".join([*out, in_case_of(core, draw(f"{language} place", key_of(core.strip()))) if core else ""])


def _numbers(groups: Sequence[int], rng: np.random.Generator) -> str:
    """Draw as many digits as each group has, none of which is 0 at its beginning."""
    return "".join(
        str(rng.integers(1, 10)) + "".join(str(rng.integers(10)) for _ in range(size - 1)) for size in groups
    )


_CASES: Final = {
    "f": {"а": "", "я": "", "ы": "а", "и": "а", "е": "е", "у": "", "ю": "", "ой": "ом", "ей": "ом", "ью": "ом"},
    "m": {"": "", "ь": "", "й": "", "а": "а", "я": "а", "у": "у", "ю": "у", "ом": "ом", "ем": "ом", "е": "е", "и": "е"},
}


_ADJECTIVE: Final = lazy_regex(r"(.*[цс]к|.*[а-яё]н)(ая|ой|ую|ий|ый|ого|ому|им|ом|ое|ие|их|ым)")
_STREET: Final = lazy_regex(r"(?:ул|улиц[аеы]|пр|просп|пр-т|проспект[ае]?|пер|переул[а-я]{1,6}|наб|пл|б-р|ш)\.? \Z")


_DESCRIBED: Final = lazy_regex(
    r"(?P<adjective>[А-ЯЁ][а-яё]{2,16}(?:[яа]я|[иы][йех]|[ое][ейм]|[ое](?:го|му)|[ыи]м|[ую]ю)) "
    r"(?=[А-ЯЁ][а-яё]{2})"
)
"""An adjective that a town's name begins with: it is left out, and tells the case."""
_STEM: Final = lazy_regex("(?:[ое](?:го|му)|..)\\Z")
_NOMINATIVE: Final = ("яя", "ая", "ий", "ый", "ое", "ее", "ие", "ые")


def _russian_word(match: re.Match[str], drawn: Callable[[str, str], str]) -> str:
    """Return what stands for a word of a Russian place: a null character for an adjective before another."""
    value, start = match.string, match.start()
    if _DESCRIBED.match(value, start):
        return "\0"
    before = value[max(0, start - 24) : start]
    own = next((own for own in _DESCRIBED.finditer(f"{before}{match[0]}") if own.end() == len(before)), None)
    adjective = own["adjective"] if own else ""
    street = _STREET.search(before.removesuffix(f"{adjective} ")) is not None
    return _russian_place(match[0], drawn, street=street and not adjective, described=adjective)


def _russian_place(word: str, drawn: Callable[[str, str], str], *, street: bool, described: str = "") -> str:
    if _RUSSIAN_UNIT.fullmatch(word):
        return word
    if street and word[-2:] not in ("ая", "ой", "ий", "ый"):
        return drawn("ru family", f"street {word.lower()}") + "а"
    if word.islower():
        return _russian_place(word.capitalize(), drawn, street=street).lower()
    if word[-2:] == "ая" and word[-3:-2] != "к":
        return drawn("ru street ая", word.lower())
    forms = [form for form in lemmas(word) if form in listed("ru", "place")]
    lemma = forms[-1] if forms and word[-1] in "еуыюи" else next(iter(forms), "")
    adjective = _ADJECTIVE.fullmatch(word)
    if adjective and not (lemma and lemma[-1] not in "йяе"):
        return (
            drawn("ru place", f"{adjective[1].lower()}").removesuffix("ск").removesuffix("град").removesuffix("бург")
            + "ск"
            + {"ый": "ий", "ым": "им"}.get(adjective[2], adjective[2])
        )
    if lemma:
        stem = lemma.rstrip("аяйьо") if lemma[-1] in "аяйьо" else lemma
        end = word[len(stem) :] if word.startswith(stem) else ""
        ending = _CASES["f" if lemma[-1] in "ая" else "m"].get(end, "")
    else:
        stem, ending = _family(word)
        ending = {"ым": "ом", "ой": "", "ы": "", "ых": ""}.get(ending, ending)
        ending = "" if word[-2:] in ("ье", "ое") or described.endswith(_NOMINATIVE) else ending
    name = drawn("ru place", f"{_STEM.sub('', described)} {lemma or stem}".strip().lower()) + ending
    return name.upper() if word.isupper() and len(word) > 1 else name


_LEGAL: Final = lazy_regex(
    r"(?:ООО|ОАО|ЗАО|ПАО|НАО|АО|ИП|ТОО|ГУП|МУП|ФГУП|ФГБУ|ГБУЗ|ГБУ|МБУ|МБОУ|МАОУ|НКО|АНО|ТСЖ|СНТ|ФК|ХК|БК|НПО|КБ|ТД|ГК|УК|ЧОП|ЧП|ТОВ)(?![А-я])"
)
_INSTITUTION: Final = lazy_regex(
    r"(?:(?:[Гг]ородск|[Рр]айонн|[Оо]бластн|[Дд]етск|[Гг]осударственн|[Нн]ациональн|[Мм]едицинск)[а-яё]{2,3} )?(?:[Уу]ниверситет|[Ии]нститут|[Аа]кадеми|[Мм]инистерств|[Кк]омитет|[Сс]оюз|[Фф]едераци|[Аа]ссоциаци|[Пп]арти|[Сс]овет|[Тт]еатр|[Мм]узе|[Фф]онд|[Бб]анк|[Оо]бществ|[Оо]рганизаци|[Шш]кол|[Лл]ице|"
    r"[Гг]имнази|[Кк]олледж|[Бб]ольниц|[Пп]оликлиник|[Кк]линик|[Гг]оспитал|[Кк]орпораци|[Кк]омпани|[Зз]авод|[Аа]гентств|[Сс]лужб|[Дд]епартамент|[Уу]правлени|[Цц]ентр|[Бб]юро|[Бб]иблиотек|[Кк]омисси|[Пп]рокуратур|[Ии]здательств)[а-яё]{0,3}(?![а-яё])"
)


_NUMBERED: Final = lazy_regex(r"№ ?[0-9]+\Z")
_CASE: Final = lazy_regex(r"[^ ]+?[бвгджзклмнпрстфхцчшщ]((?<=банк)а|у|ом|е)")
_OF_PLACES: Final = frozenset("""大学 大學 医院 醫院 病院 법원 대학 병원 학교 役所 銀行 银行 中学 小学""".split())


def organization(value: str, language: str, scope: Scope, rng: np.random.Generator) -> str:
    """Return an organization in a script: words of ``_HEADS`` stay, its name becomes a made-up one or a listed place."""
    draw = _place(scope, rng)
    if language == "ru":
        form, head = _LEGAL.match(value), _INSTITUTION.search(value)
        core = value[form.end() if form else 0 :].strip(' «»„“"')
        if core.isupper() and len(core) < 7:
            letters = agreed(
                scope,
                f"script letters {len(core)}",
                core,
                rng,
                lambda source: "".join(_CAPITALS[int(source.integers(len(_CAPITALS)))] for _ in core),
                distinct=True,
            )
            return letters
        name = draw("ru firm", core.lower())
        if form:
            return f"{form[0]} «{name}»"
        number = _NUMBERED.search(value)
        if head and number:
            return f"{head[0]} № {scope.place('script number', value, 90, rng) + 10}"
        if head and value.count(" "):
            return f"{head[0]} «{name}»"
        case = _CASE.fullmatch(core)
        return f"«{name}»" if value.startswith("«") and value.endswith("»") else name + (case[1] if case else "")
    if language == "ar":
        words = value.split(" ")
        kept = next((word for word in words if _ARABIC_HEAD.fullmatch(word)), "")
        name = draw("ar firm" if not kept or "شركة" in kept else "ar place", value)
        return f"{kept} {name}".strip()
    pieces = _PARTED[language].split(value)
    schools = any(word in value for word in _OF_PLACES)
    cores = [piece for piece in pieces[::2] if any(map(str.isalpha, piece))]
    written = False
    for place_of_core in range(0, len(pieces), 2):
        if any(map(str.isalnum, pieces[place_of_core])):
            core = pieces[place_of_core]
            name = "" if written else draw(f"{language} {'place' if schools else 'firm'}", " ".join(cores))
            gap = " " if core[:1] == " " and place_of_core and not written else ""
            pieces[place_of_core], written = gap + name + " " * (core[-1:] == " " and not written), True
    return "".join(pieces) if written or len(pieces) == 1 else draw(f"{language} firm", value)


_SOFT: Final = {
    "t": "ci", "d": "dzi", "r": "rz", "\u0142": "l", "n": "ni", "s": "si", "z": "zi", "w": "wi", "b": "bi", "p": "pi",
    "m": "mi", "f": "fi", "k": "c", "g": "dz",
}  # fmt: skip
"""What ends of Polish stems become before an e: Marta, Marcie."""
_MELLOW: Final = {"\u0144": "ni", "\u015b": "si", "\u017a": "zi", "\u0107": "ci"}
_POLISH_SKY: Final = lazy_regex(r"(?P<stem>.*[sc]k)(?:(?P<he>i|iego|iemu|im)|(?P<she>a|iej|\u0105)|(?P<they>ich|imi))")
_POLISH_STREET: Final = lazy_regex(r"(?i)(?:ul\.|ulicy?|al\.|alei) .*ej")
_HE_SKY: Final = {"i": 0, "iego": 1, "iemu": 2, "im": 4}
_PLURAL: Final = {"ich": 7, "imi": 8}


@cache
def polish_forms(name: str) -> tuple[str, ...]:
    """Return a Polish name in its cases, from the nominative to the vocative, and those of several in two.

    A name that is none of the regular ones has one form.
    """
    stem, last = name[:-1], name[-2:-1]
    if name.endswith(("ice", "yce")):
        return (name, stem, f"{stem}om", name, f"{stem}ami", f"{stem}ach", name)
    if name.endswith(("owo", "ewo")):
        return (name, f"{stem}a", f"{stem}u", name, f"{stem}em", f"{stem}ie", name)
    if name.endswith("a"):
        soft = last in "ijlc\u017c"
        own = "i" if last in "kgijl" else "y"
        whole = f"{stem[:-1]}{_SOFT[last]}e" if last in _SOFT else f"{stem}{own}"
        return (
            name, f"{stem}{own}", whole, f"{stem}\u0119", f"{stem}\u0105", whole, f"{stem}{'u' if soft else 'o'}",
            f"{stem}\u00f3w", f"{stem}ami",
        )  # fmt: skip
    if not name or name[-1] in "eio\u0105\u0119\u00f3uy":
        return (name,)
    for ending in ("ek", "ec", "e\u0142"):
        stem = name.removesuffix(ending) + ending[1:] if name.endswith(ending) else ""
        if stem:
            break
    stem = stem or (f"{name[:-2]}ow" if name.endswith("\u00f3w") else f"{name[:-1]}{_MELLOW.get(name[-1], name[-1])}")
    hard = stem[-1] in _SOFT and stem[-1] not in "kg" and not name.endswith(("rz", "sz", "cz"))
    there = f"{stem[:-1]}{_SOFT[stem[-1]]}e" if hard else f"{stem}u"
    with_it = f"{stem}{'i' if stem[-1] in 'kg' else ''}em"
    return (name, f"{stem}a", f"{stem}owi", f"{stem}a", with_it, there, there, f"{stem}\u00f3w", f"{stem}ami")


def polish_nominative(written: str, known: Mapping[str, tuple[str, int]]) -> tuple[str, int]:
    """Return the nominative of a name, and the place of its form: by known forms, and by the ending of Kowalski."""
    key = key_of(written)
    sky = _POLISH_SKY.fullmatch(key)
    if sky is None:
        name, slot = known.get(key, (key, 0))
        return (written, 0) if name == key else (in_case_of(written, name.title()), slot)
    slot = _HE_SKY.get(sky["he"], _PLURAL.get(sky["they"], 0))
    return in_case_of(written, f"{sky['stem']}i".title()), slot


def polish_known(names: Iterable[str]) -> Mapping[str, tuple[str, int]]:
    """Return names of a scope, and listed ones, by their forms."""
    known = ChainMap[str, tuple[str, int]]({}, _polish_listed())
    own = {*map(key_of, names)}
    declined = {form for name in own for form in polish_forms(name)[1:]}
    for name in sorted(own, key=lambda name: (len(name), name in declined, name)):
        if name not in known:
            known |= {
                form: (name, slot) for slot, form in reversed([*enumerate(polish_forms(name))]) if form not in known
            }
    return known


@cache
def _polish_listed() -> dict[str, tuple[str, int]]:
    names = [*map(key_of, (*names_of("given", "pl"), *place_pool("town", Page("pl"))))]
    known = {name: (name, 0) for name in names}
    for name in names:
        for slot, form in enumerate(polish_forms(name)):
            known.setdefault(form, (name, slot))
    return known


@cache
def polish_regular(what: str, page: Page | None = None) -> tuple[str, ...]:
    """Return the names of persons, or of places of a page, whose cases are made by rule; families in ak, ik, uk, yk."""
    entries = names_of(what, "pl") if page is None else place_pool(what, page)
    return tuple(filter(_REGULAR[what.partition(" ")[0] if page is None else "town"].fullmatch, entries))


_REGULAR: Final = {
    "family": lazy_regex(r"\w{1,40}[aiyu]k"),
    "given": lazy_regex(r"\w{1,40}(?:[^cijl\u017c]a|[ai]n|[ae]l|usz|osz|asz|\u0142aw|rt|[^e]r)"),
    "town": lazy_regex(r"[^\W_]{4,40}(?:\u00f3w|ice|in|yn|owo|ewo)"),
}


def polish(drawn: str, slot: int) -> str:
    """Return a drawn name in a case; as it is where it has none."""
    forms = polish_forms(drawn)
    return forms[slot] if slot < len(forms) else drawn


def polish_street(written: str, drawn: str) -> str:
    """Return a street in the case of what it stands for: przy ul. D\u0142ugiej."""
    return f"{drawn[:-1]}ej" if _POLISH_STREET.fullmatch(written) and drawn.endswith("a") else drawn
