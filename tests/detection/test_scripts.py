"""Names and forms in Cyrillic, Arabic, Chinese, Japanese, Korean, and in Turkish; and that English pages load none."""

import re
import subprocess
import sys
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

import textveil as tv
from textveil.detection.cyrillic import lemmas
from textveil.detection.east_asian import my_number
from textveil.detection.embedded import HIGHEST_SCORES
from textveil.detection.found import Found, Row, settled
from textveil.detection.gates import glance
from textveil.detection.kinds import KINDS
from textveil.detection.labelled import PHASE, find_writers
from textveil.detection.languages import unfit
from textveil.detection.names_in_one_case import with_capitals
from textveil.detection.scripts import modules_for, stretches_of
from textveil.detection.spans import DetectedSpan
from textveil.detection.turkish import turkish_id

_MODULES = ("cyrillic", "arabic", "chinese", "japanese", "korean", "turkish", "labelled")
_ROWS = {
    row.name: row
    for phases in (*(import_module(f"textveil.detection.{name}").PHASES for name in _MODULES), (PHASE,))
    for phase in phases
    for row in phase.rows
}


@pytest.mark.parametrize("row", _ROWS.values(), ids=_ROWS)
def test_row_finds_its_example_and_ignores_the_other(row: Row) -> None:
    spans = settled(row.finds, row.search(row.finds))
    assert spans and row.gate(row.finds, glance(row.finds))
    for span in spans:
        assert span.kind in row.kinds.split() and span.kind in KINDS and span.score <= row.score
        assert span.why in {"", *row.evidence.split()}
    assert all(row.score <= HIGHEST_SCORES[kind] for kind in row.kinds.split())
    assert settled(row.ignores, row.search(row.ignores)) == []


def found(text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.kind) for span in tv.detect(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Пациентка Орлова Анна Сергеевна, 45 лет, из Томска. Орловой назначен аспирин.",
            ["Орлова Анна Сергеевна", "45", "Томска", "Орловой"],
        ),
        ("Договор с ООО «Ромашка» подписал И. П. Гусев 14 марта 2024 г.",
         ["ООО «Ромашка»", "И. П. Гусев", "14 марта 2024"]),
        ("Живёт: г. Омск, ул. Мира, д. 5, кв. 12, СНИЛС 112-233-445 95",
         ["г. Омск", "ул. Мира, д. 5, кв. 12", "112-233-445 95"]),
        ("Копия ушла в Прокуратуру и в Следственный комитет, приём: Аторвастатин", []),
        ("Квитанция KB-55120, код на воротах 7К319", ["KB-55120", "7К319"]),
        ("Лебедева Зоя Игоревна", ["Лебедева Зоя Игоревна"]),
        ("فوزي بن لقمش، ودود آل ستيوي", ["فوزي بن لقمش", "ودود آل ستيوي"]),
        ("Ковалев Парамон", ["Ковалев Парамон"]),
        ("a;Крылов;b", ["Крылов"]),
        ("Олег, перезвони", ["Олег"]),
        ("Роман читает роман. Пол мокрый.", []),
        ("Паспорт: 45 04 417190   СНИЛС: 112-233-445 95", ["45 04 417190", "112-233-445 95"]),
        ("姓名：李秀英  2019.07—至今 职员", ["李秀英", "2019.07"]),
        ("Учёный Сюй И и лингвист Голод спорили. Там пел Отто Ли.", ["Сюй И", "Голод", "Отто Ли"]),
        ("Приехал Абу аль-Кинани, а также Левит, Мельник и Пущин.", ["Абу аль-Кинани", "Левит", "Мельник", "Пущин"]),
        ("Участники: Оттосон (родился в 1911 году) и другие.", ["Оттосон", "1911"]),
        ("Компания «Вектор» и город Шуйское. Город Шуйское старый.", ["Вектор", "Шуйское", "Шуйское"]),
        ("Позже Союз северных рыбаков (ССР) закрыли.", ["Союз северных рыбаков", "ССР"]),
        ("Акт от РусТоргМаш подписан, а директор МЗЛК молчит.", ["РусТоргМаш", "МЗЛК"]),
        ("Вратарь «Берёзы» из липецкого «Слитка» забил в «Бристоль Роверс».", ["Берёзы", "Слитка", "Бристоль Роверс"]),
        ("Она поёт с Камерным хором и ушла из Рыбинского полка.", ["Камерным хором", "Рыбинского полка"]),
        ("Омск ждёт снега. Живём у НИИ-44, в группе «Dogs in a Hat».", ["Омск", "НИИ-44", "Dogs in a Hat"]),
        ("Он видел ВВП Казахстана.", ["Казахстана"]),
        ("姓名：李秀英，由女儿王晓燕陪同。秀英住在成都市。", ["李秀英", "王晓燕", "秀英", "成都市"]),
        ("请联系华盛科技有限公司的张医生，电话13912345678。", ["华盛科技有限公司", "张", "13912345678"]),
        ("氏名：田中 美咲。美咲さんは株式会社青空商事に勤務。", ["田中 美咲", "美咲", "株式会社青空商事"]),
        ("佐藤先生は京都大学から来た。2024年3月5日", ["佐藤", "京都大学", "2024年3月5日"]),
        ("성명: 김민수, 민수 씨는 부산에서 왔다. 010-1234-5678", ["김민수", "민수", "부산", "010-1234-5678"]),
        ("حضر السيد أحمد المصري من القاهرة. أحمد بخير.", ["أحمد المصري", "القاهرة", "أحمد"]),
        ("رافقها زوجها عبد الله بن سعد القحطاني يوم 14 مارس 2024", ["عبد الله بن سعد القحطاني", "14 مارس 2024"]),
        ("Sayın Hakan Demir, siparişiniz İzmir'den Bursa'ya yarın gönderilecek. Demir'e haber verin.",
         ["Hakan Demir", "İzmir", "Bursa", "Demir"]),
        ("The patient 王小明 came on Monday with 小明's wife.", ["王小明", "Monday", "小明"]),
    ],
)  # fmt: skip
def test_names_and_forms_are_found(text: str, expected: list[str]) -> None:
    assert [value for value, _ in found(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Вчера приехал врач и осмотрел больного. Интернет работает, договор подписан.",
        "У больного болезнь Паркинсона и синдром Дауна. Болезнь Паркинсона лечат.",
        "Сняли фильмы «Рассвет» и купили витамин С в аптеке. Группа А готова.",
        "В комиссию по труду (КПТ) подали жалобу.",
        "Сцена есть в «Бесах». Кнопки «Далее» и «Отмена» рядом. Директор ФГУП ждёт. Полиция молчит.",
        "Глаз болит. Игра началась. Тут сдуло ВВП.",
        "今天天气很好，我们公司的方法很简单，高兴就好。黄金价格上涨。",
        "今日は山の中を歩いた。お客さんが多かったので、会社の方法を変えた。",
        "이 문제는 정도가 심한 경우에 발생한다. 고객님께서 주문하신 상품이 도착했습니다.",
        "كان الجو جميلا في الصباح. لديه أمل كبير في النجاح والعمل صالح.",
        "Bloom filtresi öneriyor, Hashimoto tiroiditi var. Öykü: üç gündür öksürük.",
        "komşu teyze geldi, usta aradı, iyi geceler abla, gülmek güzel",
        "Приедет на белой Тойоте. Пенсионный фонд ждёт. Вера в людей есть. привет, хорошо",
        "البلدية قادمة. مجموعة واتساب جديدة. سيارة هيونداي جديدة",
        "副主任说没有。负责人：未定。老师来了",
        "妻の実家に帰る。父の会社。担当者　会議　記録。",
        "이 부장님 말고 고객님 드림",
        "Bugün hava çok güzel. Toplantı saat üçte başlayacak. Lütfen raporu bitirin.",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert [value for value, kind in found(text) if kind in ("person", "place", "organization")] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("selam ben berfin, ferit amca nerede? ferit uluçınar mı bu", ["berfin", "ferit", "ferit uluçınar"]),
        ("Tutanağı düzenleyen: Polis Memuru Emrah Söylemez, imza için bugün geldi", ["Emrah Söylemez"]),
        ("yeni evimiz gülseren sokak 21, akşam bize gel", ["gülseren sokak 21"]),
        ("вроде у тагира с третьего, это который сафиуллин", ["тагира", "сафиуллин"]),
        ("Понятые: Дзюба, она же и свидетель", ["Дзюба"]),
        ("живу: малая садовая 21. машина а379ко 16", ["малая садовая 21", "а379ко 16"]),
        ("سيارة تحمل لوحة رقم أ ب ح 3653 أمام البيت", ["أ ب ح 3653"]),
        ("هاتف ابنها حمد: 9555 0133", ["حمد", "9555 0133"]),
        ("询问人：祁国栋、戚敏", ["祁国栋", "戚敏"]),
        ("司机卞师傅说老魏在家。魏长青来了", ["卞", "老魏", "魏长青"]),
        ("妻の千夏と弟の蓮が来ました", ["千夏", "蓮"]),
        ("これは司法警察員　巡査部長　八木沢 徹", ["八木沢 徹"]),
        ("「辰雄」（亡夫）を呼んで", ["辰雄"]),
        ("방 과장님 안녕하세요. 도하율 드림", ["방", "도하율"]),
        ("From: 도하율 <a@example.org>", ["도하율", "a@example.org"]),
        ("Bugün hasta Gerede'de yalnız yaşıyor ve iyi", ["Gerede"]),
        (
            "Невролог Подкопаева. Тел. 8 84342 5 50 14, пр. Абая 14-22",
            ["Подкопаева", "8 84342 5 50 14", "пр. Абая 14-22"],
        ),
        (
            "Назначено: Мадопар 125 мг, Фенибут. Общество с ограниченной ответственностью «Волжские двери»",
            ["Общество с ограниченной ответственностью «Волжские двери»"],
        ),
        ("外婆撒桂兰问门卫老蒙。登记人签字：郝梦", ["撒桂兰", "老蒙", "郝梦"]),
        ("発行は東京（098-555-0162）、うるま市の方", ["東京", "098-555-0162", "うるま市"]),
        ("2024. 2. 17. 부산에서 22시 40분에 3시간 잤다", ["2024. 2. 17.", "부산", "22시 40분"]),
        (
            "مقيم 15 شارع مصدق، ويحمل بطاقة رقم 28702170104531، وائل اعتدى على جاره",
            ["شارع مصدق", "28702170104531", "وائل"],
        ),
        ("Sicil: 318774. Hasta Gönül geldi.\nDie Patientin lebt mit ihrem Mann bei uns", ["Gönül"]),
    ],
)
def test_names_of_chats_and_reports_are_found(text: str, expected: list[str]) -> None:
    assert [value for value, kind in found(text) if kind not in ("number", "demographic")] == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("身份证号码110101199003070011", "110101199003070011"),
        ("マイナンバー 1234 5678 9018", "1234 5678 9018"),
        ("주민등록번호 850312-1234567", "850312-1234567"),
        ("Kimlik numaram 10000000146, teşekkür ederim efendim.", "10000000146"),
        ("رقم الهوية: 1087654321", "1087654321"),
        ("ИНН 500100732259", "500100732259"),
    ],
)
def test_national_ids_are_found(text: str, value: str) -> None:
    assert (value, "id") in found(text)


@pytest.mark.parametrize(
    ("lines", "writers"),
    [
        (("[17.02.2024 20:14] Тагир: да", "[17.02.2024 20:15] Мадина: кто?", "[17.02.2024 20:16] Тагир: я"),
         ["Тагир", "Мадина", "Тагир"]),
        (("20:14\tみさき\t鍵は？", "20:15\tケンタ\tうん", "20:16\tみさき\tはい"), ["みさき", "ケンタ", "みさき"]),
        (("[준혁아빠] [오후 8:14] 네", "[라온] [오후 8:15] 왜요", "[라온] [오후 8:16] 아"),
         ["준혁아빠", "라온", "라온"]),
        (("老屈 20:14", "在吗", "小杜 20:15", "在的", "老屈 20:16", "好"), ["老屈", "小杜", "老屈"]),
        (("12.01.2025 20:14 - Cihan: ödev yaptın mı", "12.01.2025 20:15 - Şule Abla: evet",
          "12.01.2025 20:16 - Cihan: bu çok iyi"), ["Cihan", "Şule", "Cihan"]),
        (("吃药 8:00", "吃药 12:00", "睡觉 22:00"), []),
        (("2024-03-01 10:00:00 СБОЙ: диск", "2024-03-01 10:00:01 СБОЙ: диск", "2024-03-01 10:00:02 СБОЙ: сеть"), []),
    ],
)  # fmt: skip
def test_writers_of_chats_are_found(lines: tuple[str, ...], writers: list[str]) -> None:
    text = "\n".join(lines)
    assert [text[span.start : span.end] for span in find_writers(text)] == writers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("пароль от вайфая: ватрушка с вишней. Счёт позже", "ватрушка с вишней"),
        ("Wi-Fiは「takoyaki8ko」です。", "takoyaki8ko"),
        ("와이파이는 치킨무많이77", "치킨무많이77"),
        ("كلمة سر الواي فاي قهوة-بالهيل-5 شكرا", "قهوة-بالهيل-5"),
        ("# eski parola: Kar Taneleri 9, yenisi yukarıda", "Kar Taneleri 9"),
        ("# 토큰: dWANNsT0YFxrvb9O4TtBjqLs1RNKOFR3rY6it9Co", "dWANNsT0YFxrvb9O4TtBjqLs1RNKOFR3rY6it9Co"),
    ],
)
def test_secrets_of_words_behind_their_label_are_found(text: str, value: str) -> None:
    assert [text[span.start : span.end] for span in PHASE.rows[0].search(text)] == [value]


@pytest.mark.parametrize(
    "text",
    [
        "пароль: не менее восьми знаков",
        "密码：无",
        "비밀번호는 생년월일입니다",
        "# 校验和: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    ],
)
def test_what_is_said_of_a_password_is_none(text: str) -> None:
    assert list(PHASE.rows[0].search(text)) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ονοματεπώνυμο: Ελευθερία Παππά\nΑΦΜ: 094259216\nΔιεύθυνση: Ερμού 14, Αθήνα\nκωδικός: σταφύλι-22\nΗ Ελευθερία",
         ["Ελευθερία Παππά", "094259216", "Ερμού 14, Αθήνα", "σταφύλι-22", "Ελευθερία"]),
        ("שם: יעל כהן\nת.ז.: 123456782\nטלפון: 054-555-0148", ["יעל כהן", "123456782", "054-555-0148"]),
        ("ชื่อ: สมชาย ใจดี\nที่อยู่: 14/3 ถนนสุขุมวิท", ["สมชาย ใจดี", "14/3 ถนนสุขุมวิท"]),
        ("नाम: सुनीता शर्मा\nपासवर्ड: aam-ras-22", ["सुनीता शर्मा", "aam-ras-22"]),
    ],
)  # fmt: skip
def test_labelled_values_of_scripts_without_lists_are_found(text: str, expected: list[str]) -> None:
    assert [value for value, kind in found(text) if kind != "number"] == expected


def test_check_digits() -> None:
    assert turkish_id("10000000146") and not turkish_id("10000000147")
    assert my_number("123456789018") and not my_number("123456789019")


def test_lemmas_undo_the_endings_of_cases() -> None:
    for word, lemma in (("Москвы", "Москва"), ("Россией", "Россия"), ("Томске", "Томск"), ("Андрея", "Андрей")):
        assert lemma in lemmas(word)


def test_modules_follow_the_letters() -> None:
    assert modules_for("plain English", "en") == () == modules_for("Café in Zürich", "de")
    assert modules_for("東京の天気", "ja") == ("japanese",)
    assert modules_for("Ayşe geldi", "tr") == ("turkish",)


def test_english_page_loads_no_rules_of_other_scripts() -> None:
    code = (
        "import sys, textveil as tv; tv.Sanitizer(tv.policy('prompts'))('José met Anna in Zürich — “fine”.');"
        f"print([name for name in {_MODULES!r} if 'textveil.detection.' + name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_languages_with_lists_are_read_and_their_neighbors_are_not() -> None:
    read = ("Спасибо за письмо, я приеду в пятницу.", "شكرا على الرسالة وسنأتي غدا.", "谢谢你的来信，我们明天来。")
    others = ("Дякую за лист, я приїду у п'ятницю.", "از نامه شما متشکرم، فردا می‌آیم.", "Ευχαριστώ για το γράμμα.")
    assert not any(map(unfit, read)) and all(map(unfit, others))


@pytest.mark.parametrize("kind", ["person", "place", "organization"])
@pytest.mark.parametrize("module", _MODULES)
@given(name=st.text(st.sampled_from("김민李王田さИвأحمŞa[(*+|\\{.·^$?) "), min_size=1, max_size=6))
def test_no_mark_of_a_name_is_read_as_a_pattern(name: str, module: str, kind: str) -> None:
    forms = [re.compile(form) for form in import_module(f"textveil.detection.{module}").mention_forms(name, kind)]
    if module not in ("cyrillic", "turkish"):  # which decline names and write them in capitals
        text = f"{name} 小{name[:1]} [ ( aaaa \\ {name[1:]}"
        assert all(found[0].lstrip("小老وفبلك") in name for form in forms for found in form.finditer(text))


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("korean", "김민수 남궁솔 하윤맘"),
        ("chinese", "王小明 小李 欧阳建国"),
        ("japanese", "田中花子"),
        ("arabic", "كريم"),
        ("turkish", "Elif"),
    ],
)
def test_no_page_has_a_pattern_of_its_own_compiled(module: str, names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Mentions are looked for as words: patterns with the names of a page took most of the time of a short one."""
    forms = [
        form
        for name in names.split()
        for form in import_module(f"textveil.detection.{module}").mention_forms(name, "person")
    ]
    made: list[str] = []
    compiled = re.compile

    def noted(pattern: str) -> re.Pattern[str]:
        made.append(pattern)
        return compiled(pattern)

    with monkeypatch.context() as patched:
        patched.setattr(re, "compile", noted)
        found_whole = {names[slice(*span)] for span in stretches_of(names, forms)}
    assert found_whole >= set(names.split()) and not any(name in pattern for pattern in made for name in names.split())


@pytest.mark.parametrize(
    ("text", "name", "mentions"),
    [
        ("은우가 왔다. 은우한테 줘. 은우선생님, 은우용 컵", "은우", ["은우", "은우", "은우"]),
        ("老李来了。跟老李说。老李师傅", "李建国", ["老李", "老李"]),
        ("李某某称，古李某", "李建国", ["李某某"]),
    ],
)
def test_mentions_stand_beside_what_they_may(text: str, name: str, mentions: list[str]) -> None:
    module = modules_for(text, "")[0]
    forms = import_module(f"textveil.detection.{module}").mention_forms(name, "person")
    spans = [Found(*span, "person", 0.6) for span in stretches_of(text, forms)]
    assert [text[span.start : span.end] for span in settled(text, spans)] == mentions


def of_kind(text: str, kind: str) -> list[str]:
    return [text[span.start : span.end] for span in tv.detect(text) if span.kind == kind]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("汪楚涵、郭子墨、苗小玉三人参加了会议。", ["汪楚涵", "郭子墨", "苗小玉"]),
        ("亲爱的思琪，我一切都好。", ["思琪"]),
        ("快递放门口，取件人尚雯，谢谢。", ["尚雯"]),
        ("候选人是闻人杰，应聘前端。", ["闻人杰"]),
        ("@大鹏 看看接口。@所有人", ["大鹏"]),
        ("氏名,年齢,病棟\n榊原 道夫,71,内科\n楠木 ハナ,84,外科", ["榊原 道夫", "楠木 ハナ"]),
        ("原告 鬼頭 宏は損害賠償を求めた。", ["鬼頭 宏"]),
        ("美咲へ。元気にしています。", ["美咲"]),
        ("참석자: 변우석\n저는 표승우인데요, 주문이 안 왔어요.", ["변우석", "표승우"]),
        ("당번표\n수 홍석천\n목 회의실", ["홍석천"]),
        ("수진이랑 영호가 결혼한대.", ["수진", "영호"]),
        ("ФИО,Возраст\nПахомова Анна,71\nЗыков Пётр,66", ["Пахомова Анна", "Зыков Пётр"]),
        ("الاسم,العمر\nسالم الحربي,66", ["سالم الحربي"]),
        ('{"氏名":"柘植 健","年齢":71,"題名":"走れ"}', ["柘植 健"]),
        ("掃除の当番\n月 宍戸\n火 会議", ["宍戸"]),
        ("都築：明日誰が行く？\n議題：来年度の予算", ["都築"]),
        ("佐々木の印鑑がまだです。", ["佐々木"]),
        ("飯島先生、翔太が熱を出したので欠席します。", ["飯島", "翔太"]),
        ("사랑하는 지우에게, 잘 지낸다.", ["지우"]),
        ("마동철(52)은 떠났다.", ["마동철"]),
        ("민서 엄마가 간식을 가져왔다.", ["민서"]),
        ("지훈: 제가 갈게요.\n장소: 회의실", ["지훈"]),
        ("원고 피상구는 대금을 청구하였다.", ["피상구"]),
        ("我女儿诗涵对花生过敏。", ["诗涵"]),
        ("床号12 卜建国血压平稳，老卜今晚可进食。", ["卜建国", "老卜"]),
        ("原告：单雪梅。单某诉称如下。", ["单雪梅", "单某"]),
        ("值班表\n周二 佟丽娜\n周三 休息", ["佟丽娜"]),
        ("贺思远：我到了\n项目名：新楼", ["贺思远"]),
        ("妈，我是小敏，手机坏了。", ["小敏"]),
        ("请转告宋江涛，会议改期。", ["宋江涛"]),
        ("申込者 蒲池 典子（38）です", ["蒲池 典子"]),
        ("报警人车晓军称其车被盗。", ["车晓军"]),
    ],
)
def test_names_in_rows_columns_letters_and_calls(text: str, names: list[str]) -> None:
    assert of_kind(text, "person") == names


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("姓名,年龄\n戚美兰,71\n阮大勇,66", ["71", "66"]),
        ("通報者は三枝 勝（52）。", ["52"]),
        ("第三条（52）参照。", []),
        ("書名,年齢\n走れメロス,71", []),
    ],
)
def test_ages_under_their_head_and_behind_a_name(text: str, ages: list[str]) -> None:
    assert of_kind(text, "age") == ages


@pytest.mark.parametrize(
    "text",
    [
        "经理和主任都同意了，白天再说。",
        "北京、上海、天津三市下雨。",
        "亲爱的同学，你们好！",
        "오늘은 정말 기분이 좋다.",
        "تشكو من السكري والضغط.",
    ],
)
def test_words_beside_such_cues_are_no_persons(text: str) -> None:
    assert not of_kind(text, "person")


@pytest.mark.parametrize("text", ["患者由丈夫送来。", "患者由儿子陪同入院。", "患者由急诊转入。", "学生从慧来了"])
def test_a_preposition_behind_a_chinese_word_for_a_person_is_no_family_name(text: str) -> None:
    assert not [span for span in tv.detect(text) if span.kind == "person"]


def test_an_unlisted_chinese_name_behind_a_word_for_a_person_is_found() -> None:
    text = "患者单明辉诉胸痛"
    assert [text[span.start : span.end] for span in tv.detect(text) if span.kind == "person"] == ["单明辉"]


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("患者の妻節子に付き添われ、検察官若槻美穂が来た。", "person", ["節子", "若槻美穂"]),
        ("柏木さおりです。書類は上條へ。", "person", ["柏木さおり", "上條"]),
        ("深谷ゆかりと三原 健が来た。", "person", ["深谷ゆかり", "三原 健"]),
        ("返金の口座名義 カ）ミナトショウジ", "person", ["カ）ミナトショウジ"]),
        ('{"フリガナ": "ドイ ハルナ"}', "person", ["ドイ ハルナ"]),
        ("来月高松へ引っ越し、盛岡の祖母に会う。", "place", ["高松", "盛岡"]),
        ("住まいは群馬県太田市飯田町1250番地です。", "place", ["群馬県太田市飯田町1250番地"]),
        ("京都府京都市中京区上本能寺前町488 メゾン御池 305号室にいる。", "place",
         ["京都府京都市中京区上本能寺前町488 メゾン御池 305号室"]),
        ("埼玉県川越市内の路上", "place", ["埼玉県川越市"]),
        ("昨日は居酒屋とりまるで飲んだ。梅田支店", "organization", ["居酒屋とりまる", "梅田支店"]),
        ("在留カード番号はAB12345678CDです。", "id", ["AB12345678CD"]),
        ("户名应丽娜，代理人方晓波，由审判员车颖独任审理。", "person", ["应丽娜", "方晓波", "车颖"]),
        ("我姐夫龚强来了，由老傅接手。温洁下周调走。", "person", ["龚强", "老傅", "温洁"]),
        ("原告诉被告郎晓燕民间借贷纠纷。\n人事部 连慧", "person", ["郎晓燕", "连慧"]),
        ("他开了家餐厅，叫海之味小馆，生意好。", "organization", ["海之味小馆"]),
        ("王晓彤 and 佐藤花子 met", "person", ["王晓彤", "佐藤花子"]),
        ("함 대표가 왔다. 위소라 씨도 왔다.", "person", ["함", "위소라"]),
        ("위소라입니다. 반갑습니다.", "person", ["위소라"]),
        ("시장 옆 식당 '남도밥상'에 갔다.", "organization", ["남도밥상"]),
        ("ستتولى رنا حداد مهام الفرع.", "person", ["رنا حداد"]),
        ("أبو خالد: وصلت الآن؟\nسلطان: في الطريق", "person", ["أبو خالد", "سلطان"]),
        ("وعنده مطعم اسمه ديوان السلطان.", "organization", ["ديوان السلطان"]),
        ("يسكن في نابلس", "place", ["نابلس"]),
        ("لوحة السيارة د ر س 4821", "id", ["د ر س 4821"]),
        ("رجل ٥٥ عاماً، أُدخل أمس", "age", ["٥٥"]),
        ("seda: geliyor musun\nberk: evet geliyorum", "person", ["seda", "berk"]),
        ("ben yarın bursaya gidiyorum", "place", ["bursa"]),
        ("Dükkânının adı Bereket Kuruyemiş, yeni açıldı.", "organization", ["Bereket Kuruyemiş"]),
        ("Alıcı: Nurcan Yıldırımkaya Tel: 0533 412 00 87\nAdres: Gazi Cad. No: 18, Odunpazarı/Eskişehir", "person",
         ["Nurcan Yıldırımkaya"]),
        ("Ad Soyad;Birim;Memleket\nIşıl Kaya;Satış;Yozgat", "place", ["Yozgat"]),
        ("передай виктору степановичу и коля зуев", "person", ["виктору степановичу", "коля зуев"]),
        ("он приедет из твери", "place", ["твери"]),
        ("姓名,籍贯\n毕文静,芜湖县", "place", ["芜湖县"]),
        ('user="金子花子", city="福冈"', "place", ["福冈"]),
        ('staff = [("简宁", "柳州"), ("노은결", "청주")]', "person", ["简宁", "노은결"]),
        ("用户=戚薇 原因=密码错误", "person", ["戚薇"]),
        ("与买方宓春花签订合同，主管医师巫丽，我弟陶陶来了", "person", ["宓春花", "巫丽", "陶陶"]),
        ("丽丽：大伟，你来吗？\n大伟：来的", "person", ["丽丽", "大伟", "大伟"]),
        ("他住在颍上县，去过蚌埠。", "place", ["颍上县", "蚌埠"]),
        ("港澳通行证C12345678，营业执照91440300MA5F12AB3X", "id", ["C12345678", "91440300MA5F12AB3X"]),
        ("[ERROR] 決済失敗 顧客=乙部真帆 電話=1", "person", ["乙部真帆"]),
        ("貸主有限会社ひまわり管理は", "organization", ["有限会社ひまわり管理"]),
        ("前医：さつき内科に紹介", "organization", ["さつき内科"]),
        ("被害者は仙台市青葉区の人", "place", ["仙台市青葉区"]),
        ("伯母のヨシエが来た。", "person", ["ヨシエ"]),
        ("H12.3.4に手術、版はR5.99.1です", "date", ["H12.3.4"]),
        ("매도인 봉만수(550203)는 간호사 라은지와 만났다.", "person", ["봉만수", "라은지"]),
        ("참석: 국민재, 마서연, 단우진 (서기)", "person", ["국민재", "마서연", "단우진"]),
        ("응 경호오빠랑 사촌 태식이 왔다", "person", ["경호", "태식"]),
        ("停水时间22:00-次日6:00，有事", "time", ["22:00", "6:00"]),
        ("会議は14:30から、比率3:2です", "time", ["14:30"]),
        ("saat 21.40 geldi", "time", ["21.40"]),
        ("며느리 혜경씨에게 연락", "person", ["혜경"]),
        ("삼척에 들러 영월에 갔다", "place", ["삼척", "영월"]),
        ("대구광역시 수성구 달구벌대로 2450, 15층", "place", ["대구광역시 수성구 달구벌대로 2450, 15층"]),
        ("هيام: أين أنتم؟\nجود: في البيت", "person", ["هيام", "جود"]),
        ("المؤجر سليمان داود والمستأجرة هيام قاسم", "person", ["سليمان داود", "هيام قاسم"]),
        ("OĞLU KONYA'DAN 3 MART 2020 TARİHİNDE ŞEHRE GELDİ", "date", ["3 MART 2020"]),
    ],
)  # fmt: skip
def test_names_right_beside_what_tells_them(text: str, kind: str, values: list[str]) -> None:
    assert of_kind(text, kind) == values


@pytest.mark.parametrize(
    "text",
    [
        "仲間が集まり、出口の大家さんに会う。仲間は同じだ。",
        "図1-2を参照。町5つの条3項。居酒屋での飲み会、食堂はここ、ラーメンがおいしい。",
        "私は会社員です。名前は未定です。",
        "服务员高兴地说欢迎，管理员方便的话请重启。公司叫停了项目，开了家店，叫了外卖。",
        "老毛病又犯了，小金库没了。姓名栏空白，律师费，法官认为。",
        "PARKİNSON HASTALIĞI tanısı kondu, mobilyada çizik var.",
        "الاسم,القسم,المدينة",
        "он в общем из города",
    ],
)
def test_words_beside_such_signs_name_nobody(text: str) -> None:
    assert [value for value, kind in found(text) if kind in ("person", "place", "organization")] == []


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("单元门密码改成chl3902#了，无线密码还是cuihu8866", "secret", ["chl3902#", "cuihu8866"]),
        ('{"비번": "woosung77!"}', "secret", ["woosung77!"]),
        ("みぃ 19:31 Wi-Fiのパスワード教えて\nシマ 19:32 usagimimi55です", "secret", ["usagimimi55"]),
        ("ما كلمة سر الواي فاي؟\nأم ليان: layan2018jed، شكرا", "secret", ["layan2018jed"]),
        ("端口3306，账号ops_mai，口令gz_tianhe520。", "handle", ["ops_mai"]),
        ("糖糖：周六去吗？\n阿峰：去\n糖糖：带上我", "person", ["糖糖", "阿峰", "糖糖"]),
        ("까망이: 갈 사람?\n준: 나!\n까망이: 같이 가요", "person", ["까망이", "준", "까망이"]),
        ("ゆーき 19:20 行く？\nみぃ 19:21 行く\nゆーき 19:24 了解", "person", ["ゆーき", "みぃ", "ゆーき"]),
        ("女儿阿玲陪护，护工老秦请假。", "person", ["阿玲", "老秦"]),
        ("3床 邝美仪 肺炎\n5床 阿卜杜拉 胆囊结石", "person", ["邝美仪", "阿卜杜拉"]),
        ("民警关雪松、辅警哈斯巴根到场。", "person", ["关雪松", "哈斯巴根"]),
        ('嫌疑人绰号"黑皮"，宿管阿姨姓苗。', "person", ["黑皮", "苗"]),
        ("宝宝小名叫汤圆，大名蒲沐阳。", "person", ["汤圆", "蒲沐阳"]),
        ("患者庹爱莲，女，63岁。", "person", ["庹爱莲"]),
        ("房东胡姐和Jerry、铃木美穗都来了，找阮氏芳。", "person", ["胡", "Jerry", "阮氏芳"]),
        ("周六去白鹭洲公园，停车去万象汇。", "place", ["白鹭洲公园", "万象汇"]),
        ("搬到合肥市蜀山区望江西路与创新大道交口创谷科技园B座11层", "place",
         ["合肥市蜀山区望江西路与创新大道交口创谷科技园B座11层"]),
        ("在喜羊羊干洗店等你，吃饭去外婆的小厨。", "organization", ["喜羊羊干洗店", "外婆的小厨"]),
        ("302호 올가 님, 통역 텐 나탈리야, 며느리 응우옌 티 흐엉", "person",
         ["올가", "텐 나탈리야", "응우옌 티 흐엉"]),
        ("임차인: 마리아 산토스\n상담교사 원다빈, 보건교사 승보라", "person", ["마리아 산토스", "원다빈", "승보라"]),
        ("왕눈이라는 별명을 가진 사람, 밤톨이 엄마, 훈이 형", "person", ["왕눈이", "밤톨이", "훈이"]),
        ("접수원: 옥다빈\n인솔자: 궁예린", "person", ["옥다빈", "궁예린"]),
        ("민지도 가고 지수도 올랐다. 마이클 정 씨가 왔다.", "person", ["민지", "마이클 정"]),
        ("쑥쑥이네: 저요?\n별이: 네!\n쑥쑥이네: 쑥쑥이도 가요", "person", ["쑥쑥이네", "별이", "쑥쑥이네", "쑥쑥이"]),
        ("她闺蜜阿狸（本名黎阿丽），儿子叫果冻。", "person", ["阿狸", "黎阿丽", "果冻"]),
        ("푸른숲마을 3단지, 102동 1403호, 전주시 덕진동, 백석동에서", "place",
         ["푸른숲마을 3단지", "102동 1403호", "전주시 덕진동", "백석동"]),
        ("서울 성동구 아차산로 17길 48 성수낙낙 5층으로 이사", "place", ["서울 성동구 아차산로 17길 48 성수낙낙 5층"]),
        ("고인돌공원과 상록수역 앞에서", "place", ["고인돌공원", "상록수역"]),
        ("딸기랑 체험농장, 나운지구대, '만수네 철물'을 운영, 할매순대국 추천", "organization",
         ["딸기랑 체험농장", "나운지구대", "만수네 철물", "할매순대국"]),
        ("リカルドとたっくん、「ゴン」と呼ばれる男、長男 鵤 茂", "person", ["リカルド", "たっくん", "ゴン", "鵤 茂"]),
        ("助産師：オオタ ミノリ\n息子のこうきが着く", "person", ["オオタ ミノリ", "こうき"]),
        ("つつじが丘公園とコーポ若葉102", "place", ["つつじが丘公園", "コーポ若葉102"]),
        ("フードマート丸高の裏、うどん処 山家で", "organization", ["フードマート丸高", "うどん処 山家"]),
        ("تسكن في عمارة الياسمين الدور الثالث شقة 9.", "place", ["عمارة الياسمين الدور الثالث شقة 9"]),
        ('الملقب بـ"الديب"، زوجي جون، كنتها سفيتلانا.', "person", ["الديب", "جون", "سفيتلانا"]),
        ("الدكان في بقالة أبو الخير هنا.", "organization", ["بقالة أبو الخير"]),
        ("Dün gittik. Konyaaltı'ndaki evde, Gençlik Parkı'na yakın.", "place", ["Konyaaltı", "Gençlik Parkı"]),
        ("Lakabı \"Çakal\" olan geldi. Lara'cığım, gel.", "person", ["Lara"]),
    ],
)  # fmt: skip
def test_nicknames_small_places_and_values_of_latin_letters(text: str, kind: str, values: list[str]) -> None:
    assert of_kind(text, kind) == values


@pytest.mark.parametrize(
    "text",
    [
        "教育局通知大家在群里填信息，患者服用阿司匹林和阿莫西林，晚上吃火锅比饭店便宜。",
        "问：谁来？\n答：不知道。\n问：几点？\n答：下午。",
        "优点：便宜\n缺点：慢\n优点：好用",
        "密码使用SHA256，长度至少8位，用户名不能为空。",
        "今天老师和老板在公园跑步，学校图书馆关门。",
        "관리사무소에서 산업디자인 전시를 열고 돼지국밥을 먹었다. 행동에서 배운다.",
        "그는 사랑이라는 이름의 노래를 불렀다. 보호자 동의를 받았다. 3학년 2반 교실은 넓다.",
        "スーパーユーザーのパスワードは12文字以上です。ドラッグしたり。",
        "أغلق الباب. رمز الخطأ غير معروف.",
    ],
)
def test_words_beside_the_new_cues_stay(text: str) -> None:
    kinds = {"person", "place", "organization", "secret", "handle"}
    assert [value for value, kind in found(text) if kind in kinds] == []


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("내일 가람 군이랑 노을 쌤이 오세요.", "person", ["가람", "노을"]),
        ("단비도 온대. 은총이는 못 온대.", "person", ["단비", "은총"]),
        ("성명 육동칠 (무직)\n조사자 채가은,", "person", ["육동칠", "채가은"]),
        ("저는 97년생 한별입니다. 문의는 곰돌이에게 하세요. - 누리 드림", "person", ["한별", "곰돌이", "누리"]),
        ("왕눈이의 본명은 모른다. 가명 '여우'를 썼다.", "person", ["왕눈이", "여우"]),
        ("이장 판술, 미주 이모가 불렀다. 온달씨는 쏘카 (캄보디아) 씨와 왔다.", "person",
         ["판술", "미주", "온달", "쏘카"]),
        ("청산면 지전리에 산다. 장항읍에서 일한다. 묵호에서 만나자.", "place", ["청산면 지전리", "장항읍", "묵호"]),
        ("망상해변에서 보자. 송정맨션 1205호에 산다.", "place", ["망상해변", "송정맨션 1205호"]),
        ("행복문구 앞 청솔고시원에 맡겼다. 금강여인숙에서 잤다.", "organization",
         ["행복문구", "청솔고시원", "금강여인숙"]),
        ("전화는 공일공-칠칠사이-삼삼공구입니다.", "phone", ["공일공-칠칠사이-삼삼공구"]),
        ("이천이십사년 삼월 초이틀에, 천구백구십일년 팔월에", "date",
         ["이천이십사년 삼월 초이틀", "천구백구십일년 팔월"]),
        ("블로그는 starbyul_96, 인스타 yeo_ul91", "handle", ["starbyul_96", "yeo_ul91"]),
        ("받는분,주소\n윤슬,강릉시 사천면 방동리", "person", ["윤슬"]),
        ("deniz: kanka ne yapıyoruz\nKaptan: olur, umut da gelsin\ndeniz: bana uyar, söyle\nKaptan: söylerim", "person",
         ["deniz", "Kaptan", "umut", "deniz", "Kaptan"]),
        ("ana adı Döndü olan kişi, Satı dayı ve Poyraz'ın annesi geldi. Poyraz uyudu.", "person",
         ["Döndü", "Satı", "Poyraz", "Poyraz"]),
        ("Reis lakaplı adam ile Sümbül adlı kadın geldi.", "person", ["Reis", "Sümbül"]),
        ("yarın kuzguncuk'taki evde, sonra gölet başı'nda buluşalım", "place", ["kuzguncuk", "gölet başı"]),
        ("Geçen yıl Anadolu Döküm'de staj yaptım, kardeşim ağaç evler pansiyon'da kaldı.", "organization",
         ["Anadolu Döküm", "ağaç evler pansiyon"]),
        ("Okul numarası 1182, talebi #TS-88214, tesisat no: 40019288", "id", ["1182", "TS-88214", "40019288"]),
        ("on iki Mart iki bin yirmi dört günü geldi, bin dokuz yüz doksan dört yılında doğdu", "date",
         ["on iki Mart iki bin yirmi dört", "bin dokuz yüz doksan dört"]),
        ("Modem şifremi de kullanıyorlar: kader.ev34", "secret", ["kader.ev34"]),
        ("Köyü: Yukarıkızılca\nİki dönüm tarlası var, oğlu ile geldi", "place", ["Yukarıkızılca"]),
        ("حضر إلينا جبر هليل الشمري ومعه عكرمة.", "person", ["جبر هليل الشمري", "عكرمة"]),
        ("نجم الدوسري، فرع الملز", "person", ["نجم الدوسري"]),
        ("بكرة حلم وفجر جايين. أنا أم ورد.", "person", ["حلم", "فجر", "أم ورد"]),
        ("ويمثلها معن بن سطام. شكرا، سحر.", "person", ["معن بن سطام", "سحر"]),
        ("رايحين دهب الخميس، من سكان نويبع. نروح رأس شيطان؟", "place", ["دهب", "نويبع", "رأس شيطان"]),
        ("عربيتها س ن ج ٤٧١٢ ورقمها المدرسي 1182، ملف ٤٤١٧٢", "id", ["س ن ج ٤٧١٢", "1182", "٤٤١٧٢"]),
        ("يوم الثلاثاء ١٢ رمضان ١٤٤٥هـ، والخامس من محرم سنة ألف وأربعمائة وست وأربعين، وغرة صفر ١٤٤٥", "date",
         ["الثلاثاء ١٢ رمضان ١٤٤٥هـ", "الخامس من محرم سنة ألف وأربعمائة وست وأربعين", "غرة صفر ١٤٤٥"]),
        ("حضر إلينا دغيم هليل.", "person", ["دغيم هليل"]),
        ("زهدان كريري، مواليد جدة", "person", ["زهدان كريري"]),
        ("سيبيع دغيم بن هليل.", "person", ["دغيم بن هليل"]),
        ("ablam yıllardır kuzguncukta oturuyor, yarın gidiyoruz", "place", ["kuzguncuk"]),
        ("Dün gittiğimiz Bostancı şubesinin müdürü ilgilenmedi", "place", ["Bostancı"]),
        ("تلغرام teem_kh96 وسناب najm.q8x", "handle", ["teem_kh96", "najm.q8x"]),
    ],
)  # fmt: skip
def test_names_that_are_words_and_values_in_words(text: str, kind: str, values: list[str]) -> None:
    assert of_kind(text, kind) == values


@pytest.mark.parametrize(
    "text",
    [
        "바다가 푸르고 노을도 곱다. 이 나라 대표 선수가 말했다. 구름이 흘러간다.",
        "다시 설치하면 소리나는 문제가 있다. 둘을 구별하는 방법.",
        "아가씨가 마음씨도 곱고 날씨도 좋다. 미리 말해. 회장 선거와 기사 내용을 읽었다.",
        "docker'da ve github'a yükledim, excel'de açtım.",
        "Bahar geldi, yağmur yağıyor. Ürün kodu yanlış, posta kodu eksik.",
        "ذهب الذهب في السوق. هذا فرع واحد من الشركة. مشغل الطابعة معطل.",
        "القمر الصناعي يدور. كل شيء بنت عليه. الصفحة رقم ٤.",
    ],
)
def test_words_that_are_names_elsewhere_stay(text: str) -> None:
    kinds = {"person", "place", "organization", "secret", "handle", "id"}
    assert [value for value, kind in found(text) if kind in kinds] == []


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("구월 열이레에 간다. 동짓달 스무날, 팔칠년 유월 십사일이요. 초아흐레에 온다.",
         "date", ["구월 열이레", "동짓달 스무날", "팔칠년 유월 십사일", "초아흐레"]),
        ("올해 여든하나이신데 아들은 서른아홉 살, 만 칠십이 세입니다.", "age", ["여든하나", "서른아홉", "칠십이"]),
        ("환자 진술은 (F/64)와 (45/M)에 있다.", "age", ["64", "45"]),
        ("기사는 전남 86바 2274 와 충북 청주 라 2910 을 몰았다.", "id", ["전남 86바 2274", "충북 청주 라 2910"]),
        ("반달곰_77: 힘내세요", "handle", ["반달곰_77"]),
        ("인스타 sozzeok.studio 에 올렸다", "handle", ["sozzeok.studio"]),
        ("다울이는 왔다. 마루라는 청년이 저 미르예요 했다. 덕구 아주버님, 겨울이 누나, 솔 형이 왔다.",
         "person", ["다울", "마루", "미르", "덕구", "겨울", "솔"]),
        ("1. 빙현아님 / 설계사 탁솔찬 010, 저 동방희인데요", "person", ["빙현아", "탁솔찬", "동방희"]),
        ("꽃님이네 집에 음태섭 (45/M) 씨가 왔다. \"하루야 생일 축하해\"", "person", ["꽃님이", "음태섭", "하루"]),
        ("금별이는 반대해요.", "person", ["금별이"]),
        ("운암댁이 찬이도 불렀다. 나무늘보님 주문", "person", ["운암", "찬이", "나무늘보"]),
        ("이천공육년생, 정월 대보름에 왔다", "date", ["이천공육년", "정월 대보름"]),
        ("새 선생님 (덕산중), 광양제철소에 다닌다", "organization", ["덕산중", "광양제철소"]),
        ("참석: 국승환, 목다연, 주강\n", "person", ["국승환", "목다연", "주강"]),
        ("중개 황금들공인중개사 맹진호 ☎ 054-653-9908", "person", ["맹진호"]),
        ("임차인 즈엉 티 란 (1995년생, 베트남)", "person", ["즈엉 티 란"]),
        ("아직 판부면이라는데 반곡동 살잖아. 소백산 들렀다가 간다.", "place", ["판부면", "반곡동", "소백산"]),
        ("별빛채 3단지 옆 래미안 한강뷰 115동 2004호인데요", "place", ["별빛채 3단지", "래미안 한강뷰 115동 2004호"]),
        ("두레박 횟집에서 옥련갈비 들어가 있자. 한산조선에서 용접을 배우고 충렬여고를 나왔다.",
         "organization", ["두레박 횟집", "옥련갈비", "한산조선", "충렬여고"]),
        ("해질녘이라는 카페를 한다. 경력: 너른뜰조경 대리 (2017)", "organization", ["해질녘", "너른뜰조경"]),
        ("공사 업체: 한결누수, 담당의 예강훈", "organization", ["한결누수"]),
        ("poyraz: abi yok mu\ngamzeli: daha gelmedim\npoyraz: devrim de sizinle mi\ngamzeli: rüzgar'a"
         " sor, şavşat'ta",
         "person", ["poyraz", "gamzeli", "poyraz", "devrim", "gamzeli", "rüzgar"]),
        ("kızlar merhaba, eşim savaş askerde, görümcem hatçe geldi. maviş (kedimiz) hasta, servan"
         " abi uğradı",
         "person", ["savaş", "hatçe", "maviş", "servan"]),
        ("Zeliş teyzeme selam. Kamer bana sordu. Cemre'ye ver. Muhtar Abbas geldi.",
         "person", ["Zeliş", "Kamer", "Cemre", "Abbas"]),
        ("Katılanlar: Mualla Toros, Ronay ve Heja", "person", ["Mualla Toros", "Ronay", "Heja"]),
        ("en geç yedi Mayıs'a kadar, ayın on üçünde, 9 Mayıs Perşembe günü, on iki Mart bin dokuz"
         " yüz doksan.",
         "date", ["yedi Mayıs", "on üç", "9 Mayıs Perşembe", "on iki Mart bin dokuz yüz doksan"]),
        ("Hasta: Satı, 67 yaş, yirmi altı yaşında, 34 y, kadın", "age", ["67", "yirmi altı", "34"]),
        ("numarası sıfır beş yüz otuz iki beş yüz elli beş on dört on dört mü?",
         "phone", ["sıfır beş yüz otuz iki beş yüz elli beş on dört on dört"]),
        ("08 ht 451 plakalı araç, plakası 34 abc 12 idi", "id", ["08 ht 451", "34 abc 12"]),
        ("cevap lalezar_52: canım", "handle", ["lalezar_52"]),
        ("asya'yı kreşe verdim, gülizar teyzem boşan diyor", "person", ["asya", "gülizar"]),
        ("Derinsu Sondaj'da çalıştım. dün Usta Eller Tesisat (Cafer) yaptı. pati veteriner'e gittik.",
         "organization", ["Derinsu Sondaj", "Usta Eller Tesisat", "pati veteriner"]),
        ("Ben On Sekiz Mart Üniversitesi'nde okudum", "organization", ["On Sekiz Mart Üniversitesi"]),
        ("Birecik'e, Zeytinlik mah. 1042. sokak no 6 adresine taşındık. Akseki ilçesi Cevizli"
         " mevkii. Gürün'den geldim.",
         "place", ["Birecik", "Zeytinlik mah. 1042. sokak no 6", "Akseki", "Cevizli", "Gürün"]),
        ("Poyraz Limanı karşısında, ardanuçtayım", "place", ["Poyraz Limanı", "ardanuç"]),
        ("딸 노을이는 여든하나이신 할머니와 삽니다.", "person", ["노을"]),
        ("Oğlunuz Deniz yedi yaşında.", "person", ["Deniz"]),
    ],
)  # fmt: skip
def test_unlisted_names_of_korean_and_turkish_by_what_stands_beside_them(
    text: str, kind: str, values: list[str]
) -> None:
    assert [value for value, found_as in found(text) if found_as == kind] == values


@pytest.mark.parametrize(
    "text",
    [
        "사과 서른 개와 보름 동안. 이월 십일조를 냈다. 스물다섯 명이 열흘 뒤에 온다. 이십 세기",
        "고양이가 고양이 가능한 방에 있다. 고객님, 관리자님 안녕하세요. 대화형으로 복수형을 쓴다.",
        "동네 식당에서 만나 작은 카페에 갔다. 그는 사랑이라는 이름의 노래를 불렀다. 화면에서 측면으로 갔다.",
        "오류 1 (나노초), 줄번호 앞까지 지운다. 연결이 끊어졌다. 이상한 백분율",
        "매출_1, 보고서_2024 열을 보라. 친구네 집에 갔다. 생활영어에서 배웠다.",
        "Yazıcı'dan çıktı alın. HEAD'i belirtin, diff'i üretin. Valilik'ten yazı geldi. annem çiçek almış",
        "beyaz doblo geldi. Grafik Tasarım bölümü. Bülbül kuştur. Durağan tıkla. iki gün sonra beş kişi geldi",
        "Yeni öğretmene söyledim. Müşteri temsilcisi: iyi günler",
    ],
)
def test_words_in_the_place_of_such_names_stay(text: str) -> None:
    kinds = {"person", "place", "organization", "secret", "handle", "age", "date"}
    assert [value for value, kind in found(text) if kind in kinds] == []


def test_small_latin_letters_in_korean_tell_no_case() -> None:
    spans: list[DetectedSpan] = []
    korean = "어제 새로 산 공유기를 거실에 설치했는데 아직 안 된다 ada lovelace"
    assert with_capitals(korean, "en", spans, capitals=False) is None
    assert (
        with_capitals("i met ada lovelace in leeds, then 어제 we left for bath", "en", spans, capitals=False)
        is not None
    )


def test_classes_and_grades_are_numbering() -> None:
    for text in ("3학년 2반", "정보처리기사 1급", "운전면허 1종 보통", "四年级，2年级", "小学5年生"):
        assert {kind for _, kind in found(text)} <= {"numbering"}


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("田中太郎", "person", "田中太郎"),
        ("吉田、14号室", "person", "吉田"),
        ("花子のパソコン", "person", "花子"),
        ("지훈의 노트북", "person", "지훈"),
        ("점심 현주", "person", "현주"),
        ("万燕", "person", "万燕"),
        ("用户 左芳 登录成功", "person", "左芳"),
        ("2017年4月17日", "date", "2017年4月17日"),
        ("1963년 7월 13일", "date", "1963년 7월 13일"),
        ("عبد الحفيظ قال", "person", "عبد الحفيظ"),
        ("اسأل نضال", "person", "نضال"),
        ("هندية، غرفة 14", "person", "هندية"),
        ("Город: Псков", "place", "Псков"),
        ("Şehir: Muğla", "place", "Muğla"),
        ("المدينة: تعز", "place", "تعز"),
        ("市区町村：鎌倉", "place", "鎌倉"),
        ("Работодатель: Русэнергосбыт", "organization", "Русэнергосбыт"),
    ],
)
def test_values_that_stand_alone_or_behind_a_label_are_found(text: str, kind: str, value: str) -> None:
    assert (value, kind) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "進行中",
        "一月",
        "未来の車",
        "明日、会議",
        "质量的标准",
        "정의의 편",
        "확인 부탁드립니다",
        "Город: не указан",
        "المدينة: غير معروف",
    ],
)
def test_words_that_stand_alone_stay(text: str) -> None:
    assert not [value for value, kind in found(text) if kind in ("person", "place", "organization")]


@pytest.mark.parametrize("row", _ROWS.values(), ids=_ROWS)
def test_spans_lie_in_the_text_wherever_it_begins(row: Row) -> None:
    for start in range(len(row.finds)):
        text = row.finds[start:]
        assert all(0 <= span.start <= span.end <= len(text) for span in row.search(text)), text


@pytest.mark.parametrize("address", ["tanju@kervan.example.com.tr", "tanju.yaltirik@kervan.example.com.tr"])
def test_a_name_at_the_beginning_of_an_address_is_no_name_of_its_own(address: str) -> None:
    assert (address, "email") in found(f"Tanju Yalt\u0131r\u0131k, {address}, nerede kald\u0131n \u015fimdi")


def test_a_joined_word_is_a_firm_behind_what_belongs_to_it_alone() -> None:
    assert found("Акт от РусТоргМаш; вошли в РусТоргМаш") == [("РусТоргМаш", "organization")] * 2
    assert found("Тут есть ГосЛицо, и всё") == []


@pytest.mark.parametrize("space", ["", " ", "  ", "\u202f"])
def test_spans_begin_and_end_at_letters(space: str) -> None:
    text = f"السيد نبيل الملقب «{space}أبو شنب{space}» هنا"
    assert "أبو شنب" in [text[span.start : span.end] for span in tv.detect(text)]
