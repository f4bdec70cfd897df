"""Values that lines and labels announce in other scripts and in Turkish: writers, passwords, codes, and user names.

In Greek, Hebrew, Thai and Hindi, also what labels name, titles announce and addresses hold; names elsewhere in them are
not found.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, Phase, Row, words_in
from textveil.detection.gates import anywhere
from textveil.detection.people_in_records import is_plain_form, line_end
from textveil.detection.secrets import is_said_secret, looks_drawn
from textveil.text.patterns import check_time, lazy_regex, matches

_CODE: Final = r"(?=[^\s,;，。、；،]{0,40}[0-9_#@!%&*$-])[^\s,;，。、；،)）]{3,40}"
"""A value in which a digit or a mark stands: what a word alone cannot be."""
_PHRASE: Final = (
    r"[^\s,;.،()\"'«»]{2,24}(?: [^\s,;.،()\"'«»]{1,20}){0,3}(?=\s{0,2}(?:[,;.،)\n]|\Z))|[^\s,;،()\"'«»]{3,40}"
)
"""The value behind a colon: up to four words to the end of the clause, or one."""
_LABELS: Final = (
    r"(?:密码|密碼|口令|暗号|暗碼)[ ]?(?:是|为|為|改成|改为|：|:|=| (?=[^\s]{0,20}[0-9])){1,2}[ 　]?(?P<zh>[^\s\x80-\uffff,;)]{4,40}|[^\s，。；、,;）)]{3,40})",
    r"(?:パスワード|暗証番号|合言葉|パスコード|暗証|(?i:wi-?fi)|ワイファイ|無線LAN|宅配ボックス)[ 　]?(?:は|：|:|=)[ 　]?(?:「(?P<ja2>[^」\n]{3,30})」|(?P<ja>[!-~]{4,40}|[^\s、。，「]{2,24}?(?=です|でした|に|と|。|、|\s|$)))",
    r"(?:비밀번호|암호|패스워드|비번|비밀 번호|현관번호|와이파이(?: 비번| 비밀번호| 암호)?)(?:는|은)? ?(?:[:：=] ?)?(?P<ko>(?=[^\s,]{0,30}[0-9_#@!-])[^\s,.]{3,40}?|(?<=[는은:] )[가-힣]{4,16}?(?=입니다|이에요|예요|이고|이며))(?=입니다|이에요|예요|이고|이며|야|로|으로|[,.\s]|$)",
    rf"(?i:парол[ьяеию]{{1,2}}|токен[а-я]?|ключ api|api-ключ|пин-?код|кодовое слово|код (?:от|на|к|домофона|двери|подъезда|сейфа|ворот|калитки)(?: [а-я]{{1,20}}){{0,2}}|вай-?фай[а-я]{{0,2}})(?: (?:от|к|для) [а-яё-]{{1,30}}){{0,2}}(?: ?(?::|=|—) ?(?P<ru3>{_PHRASE})|(?: был| была| теперь| такой| -){{1,3}} ?(?P<ru>[^\s,;.]{{3,40}})| (?P<ru2>{_CODE}))",
    rf"(?:كلمة (?:المرور|السر|سر|مرور)|الرقم السري|رمز (?:الدخول|الباب|البوابة))(?: {'[ء-ي]'}{{2,12}}){{0,3}}?(?:(?: ?[:：]| هي| هو) ?(?P<ar>[^\s،,.]{{3,40}})| (?P<ar2>{_CODE}))",
    rf"(?i:şifre(?:si|niz|miz|m|n)?[iıy]?|parola(?:sı|nız|mız|m|n)?|(?:dış |iç )?kapı kodu|wi-?fi|gizli anahtar(?:ı|ım)?)(?: ise| olarak| de| da| şu| yeni| hâlâ| hala| artık){{0,2}}(?: ?[:=] ?(?P<tr2>{_PHRASE})| (?P<tr>{_CODE})|[^\n.:]{{0,24}}: ?(?P<tr4>(?=[^\s,;]{{0,24}}[0-9])(?=[^\s,;]{{0,24}}[a-zA-Z])[!-+.-~]{{6,40}})|[^\n.]{{0,24}}?[ ,:](?P<tr3>(?=[^\s,;]{{0,24}}[0-9])(?=[^\s,;]{{0,24}}[a-zA-Z])[!-+.-~]{{6,40}}(?= oldu| olarak)))",
)
_SECRET: Final = lazy_regex("|".join(f"(?:{label})" for label in _LABELS))
_SAID: Final = lazy_regex(
    r"(?:密码|密碼|口令|网络|无线|パスワード|暗証|パスコード|鍵|비밀번호|비번|암호|패스워드|와이파이|كلمة (?:ال)?(?:مرور|سر)|باسورد|الرقم السري|رمز|واي ?فاي|парол|(?i:wi-?fi)|(?i:şifre|parola))"
    r"(?:[^A-Za-z\n]{0,20}?(?:\n[^A-Za-z\n]{0,16}?)?|(?:(?<=ifre)|(?<=arola))[^\n:]{0,24}\n[^\n:]{1,24}: ?)(?<![^\s\x80-\uffff:=\"'`(])(?P<said>[0-9]{0,6}+[A-Za-z][^\s\x80-\uffff,;()\"'`<>|]{4,38})"
)
"""A value of Latin letters and digits behind a word for a password, or on the line that answers it."""
_OF_PROGRAMS: Final = lazy_regex(
    r"(?i)(?:sha|aes|utf|base|rsa|win(?:dows)?|ios|http|oauth|html|mysql|argon|bcrypt|pbkdf|ipv|wpa|802)-?[0-9]{1,4}[a-z]{0,2}|.{1,30}@.{1,30}\.[a-z]{2,9}|[a-z]{2,6}://.*|v?[0-9]{1,3}(?:\.[0-9]{1,3}){1,3}.{0,4}|[0-9]{1,3}-?[A-Za-z]{1,4}"
)
_DRAWN: Final = lazy_regex(r"[:：=][ \t]?[\"']?(?P<value>[A-Za-z0-9_-]{24,80})(?![A-Za-z0-9_./-])")
_HEXADECIMAL: Final = lazy_regex("[0-9a-fA-F-]+")
_USER: Final = lazy_regex(
    r"(?:(?i:логин[а-я]{0,2})|用户名|用戶名|账户名|登录名|商家号|(?:账号|帐号|账户|계정|アカウント|الدخول|üye girişi|site girişi|girişi)(?:은|는|m|miz)?(?=[ :：]{0,2}[a-z])|(?:用户|ユーザー|사용자)(?= ?[a-z])|ユーザー名|ユーザーID|ログインID|端末ID|会員ID|(?:微信号?|QQ号?|抖音号?|微博|LINE|카톡|카카오톡|블로그|인스타(?:그램)?|트위터|텔레그램|페이스북|깃허브)(?: ?ID| ?아이디)?[는은]?(?=[ :：=]{0,3}[A-Za-z][A-Za-z.-]{0,20}[0-9_.])|아이디[가는은]?|사용자명|اسم المستخدم|(?:سناب(?: ?شات)?|انستغرام|انستقرام|إنستغرام|تلغرام|تليجرام|تويتر|تيك ?توك|لينكد ?إن|حسابي|يوزري?)(?= ?[:：]? ?[A-Za-z.-]{1,24}[0-9_.])|(?i:(?:kullanıcı|üyelik) adı(?:m|n|nız)?)|(?<!\w)(?i:github|instagram|insta|ig|telegram|twitter|snapchat|linkedin|tiktok)(?:['’]?(?:da|ım|ı))?(?= ?:? ?[a-z.-]{1,24}(?:[0-9_]|\.[a-z]))|(?i:discord)(?= ?:? ?[\w.]{2,31}#[0-9])|(?<![A-Z_])[A-Z]{2,12}_USER(?:NAME)?(?=[:=]))(?: ?[:：=は是는은—-])? ?[\"']?(?P<user>[A-Za-z][A-Za-z0-9._-]{2,30}(?:#[0-9]{4})?)(?![A-Za-z0-9@])"
)
_ROLES: Final = frozenset("root admin postgres mysql app user guest test www-data nginx".split())
_EMAIL: Final = lazy_regex(
    "(?<=[\u3000-\u9fff\uac00-\ud7af\uff00-\uff20])[A-Za-z0-9][A-Za-z0-9._%+-]{0,62}@[A-Za-z0-9-]{1,62}(?:\\.[A-Za-z0-9-]{1,62}){1,5}"
)
"""An address right behind a character of a script without spaces."""
_NO_SECRET: Final = lazy_regex(
    r"(?i)(?:слишком|неверн|коротк|забыт|утерян|указан|измен|ист[её]к|не |нет\b|тот же|см\.?|смотри|прежн|стар|минимум|от [0-9]|из [0-9]|обязател|yok|aynı|hatalı|yanlış|en az|değiş|bilmiyor|zorunlu|unut|"
    r"نفس|غير|خاطئ|错误|太|无|没|忘|不|至少|至多|なし|同じ|未|別途|忘れ|아직|그대로|동일|없|모르|필수|변경|별도|[0-9]{1,2} ?(?:文字|桁|字|位|자리|글자)|생년월일|아래|다음|영문|숫자|틀렸)"
)


def find_secrets(text: str) -> Iterator[Found]:
    """Yield what a label for a password, a code or a user's name stands before, and what looks drawn behind a colon."""
    told = set()
    for match in matches(_SECRET, text):
        value = match[match.lastgroup or 0]
        if _NO_SECRET.match(value) is None:
            start, end = match.span(match.lastgroup or 0)
            told.add(start)
            yield Found(start, end - len(value) + len(value.rstrip(".!?)»\"'")), "secret", 0.9, "label")
    for match in matches(_SAID, text):
        value = match["said"].rstrip(".:")
        mixed = match.start("said") not in told and any(map(str.isdigit, value))
        if mixed and is_said_secret(value) and _OF_PROGRAMS.fullmatch(value) is None:
            yield Found(match.start("said"), match.start("said") + len(value), "secret", 0.85, "label")
    for match in matches(_DRAWN, text):
        if looks_drawn(match["value"], 24) and _HEXADECIMAL.fullmatch(match["value"]) is None:
            yield Found(*match.span("value"), "secret", 0.8, "label")
    for match in matches(_EMAIL, text):
        yield Found(*match.span(), "email", 0.9)
    for match in matches(_USER, text):
        if match["user"].lower() not in _ROLES:
            yield Found(*match.span("user"), "handle", 0.8, "label")


_MAILBOX: Final = lazy_regex(
    r"(?:^|[:：;,，]|\n)[ \t]{0,3}\"?(?P<name>[^\W\d_a-zA-Z][^\n<>:：;,，\"@]{1,30}?)\"? ?<[^<>\s@]{1,64}@[^<>\s]{3,80}>"
)
"""A name in other letters before an address: 도하율 <hayul@example.org>."""
_DIGIT: Final = "[0-9\u0660-\u0669]"
_CLOCK: Final = (
    rf"(?:(?:오전|오후|午前|午後|上午|下午) ?)?{_DIGIT}{{1,2}}[:.]{_DIGIT}{{2}}(?:[:.]{_DIGIT}{{2}})?"
    r"(?: ?(?:[AaPp]\.?[Mm]\.?|ص|م)(?!\w))?"
)
_STAMP: Final = rf"(?:{_DIGIT}{{1,4}}[./-] ?{_DIGIT}{{1,2}}[./-] ?{_DIGIT}{{1,4}}\.?[,،]? {{0,2}})?{_CLOCK}"
_WHO: Final = r"[~@]? ?(?P<name>[^\W\d_][^\n\t:：\[\]<>()|,،，。]{0,28}?)"
_LAYOUTS: Final = tuple(
    lazy_regex(layout)
    for layout in (
        rf"\[?{_STAMP}\]?(?: [-–])? {{0,2}}{_WHO}[:：] ",  # WhatsApp, Telegram
        rf"{_STAMP}\t{_WHO}\t",  # LINE
        rf"\[{_WHO}\] \[{_STAMP}\]",  # KakaoTalk
        rf"{_WHO} {{1,4}}[\[(]?{_STAMP}[\])]?(?: ?[:：]|(?=\s{{0,2}}(?:\n|\Z))|(?<=\]))",  # WeChat
        rf"{_WHO} {{1,2}}{_STAMP} (?=\S)",  # LINE, copied
        rf"{_WHO} ?[:：] ?(?=[^\s/])",
    )
)
_TALK: Final = lazy_regex(
    r"[?？!！~～؟]|[我你咱哈吗吧呢啊哦呀]|[ㅋㅎㅠ]|[가-힣](?:요|래|지|까|야|자|줘)(?:[ .,]|$)|(?<![가-힣])(?:나|난|저|너|우리)(?![가-힣])|[ねよ](?:[。、 ]|$)|です|って"
    r"|(?<![ء-ي])(?:أنا|أنت|نحن|يا|انت|بكرة|ماشي|طيب|مش|إحنا|احنا|ليش|شو|وين|فين|تمام|والله|خلاص|[اأ]يوه|كيفك|عندي|معاكم|معي|هات|تعال)(?![ء-ي])|(?<!\w)(?:ben|sen|biz|siz|hocam|abi|kanka|tamam|evet|hayır|yok|valla|hadi|lazım|olur|bana|sana|[a-zçğıöşü]{2,9}[ıiuü]yo(?:[mnz]|sun|lar)?|m[ıiuü](?:s[ıiuü]n|y[ıiuü]z)?)(?!\w)"
)
_ASKS: Final = words_in(
    """问 答 問 文 문 답 질문 답변 기자 의사 환자 고객 상담원 상담사 교사 학생 선생님 사회자 면접관 지원자 患者 医生 护士 客户 客服 记者 老师 学生 家长 面试官 候选人 警察 民警 法官 原告 被告 甲 乙 医師 看護師 記者
    先生 司会 面接官 生徒 店員 客 س ج سؤال جواب المريض الطبيب الصحفي الموظف العميل soru cevap hasta doktor öğretmen öğrenci müşteri muhabir hâkim"""
)
"""Who asks and answers in an interview, by no name."""
_WECHAT: Final = 3
_MOST: Final = 20  # writers who are looked for in what others say
_ROLE_BEFORE: Final = lazy_regex("(?:반장|총무|방장|회장|동대표|관리자|群主|管理员) ")
_ROLE_BEHIND: Final = lazy_regex(
    "(?i: (?:abla|abi|hanım|bey|teyze|amca|hoca|usta|baba|dayı))\\Z|['’]n?[ıiuü]n (?:annesi|babası)\\Z"
)


def find_writers(text: str) -> Iterator[Found]:
    """Yield whose address stands behind a name, and who writes the lines of a chat.

    The lines have one layout with times, and some have the same writer.
    """
    found: list[list[tuple[int, int]]] = [[] for _ in _LAYOUTS]
    said: set[int] = set()
    start, above = 0, -1
    while start < len(text):
        check_time()
        end = line_end(text, start)
        for number, layout in enumerate(_LAYOUTS):
            if line := layout.match(text, start, min(end, start + 80)):
                if number != _WECHAT or line[0].endswith((":", "：")) or line.end() < end or above != start:
                    found[number].append(line.span("name"))
                above = end + 1 if line.end() >= end else -1
                said |= (
                    {line.start("name")} if layout is _LAYOUTS[-1] and _TALK.search(text, line.end(), end) else set()
                )
                break
        start = end + 1
    for box in matches(_MAILBOX, text):
        yield Found(*box.span("name"), "person", 0.8, "field")
    for lines in found:
        often = Counter(text[slice(*span)] for span in lines)
        bare = lines is found[-1]  # without times
        if len(lines) < 3 or not bare < len(often) < len(lines):
            continue
        named = any(text.count(name) > times for name, times in often.most_common(_MOST) if len(name) > 1)
        if bare and not named and 3 * len(said & {begin for begin, _ in lines}) < len(lines):
            continue
        for begin, stop in lines:
            name = text[begin:stop]
            if bare and often[name] == 1 and begin not in said and not _ROLE_BEHIND.search(name):
                continue
            if (
                name.isupper()
                or is_plain_form(name.lower())
                or not _ASKS.isdisjoint((name.lower(), *name.lower().split()))
            ):
                continue
            role, behind = _ROLE_BEFORE.match(name), _ROLE_BEHIND.search(name)
            kind = "handle" if any(not letter.isalpha() and letter not in " .'-" for letter in name) else "person"
            yield Found(
                begin + (role.end() if role else 0), stop - (len(behind[0]) if behind else 0), kind, 0.8, "field"
            )


_NAME_HEADS: Final = words_in(
    """姓名 名字 患者 患者姓名 学生 学生姓名 员工 客户 联系人 负责人 收件人 姓 氏名 フリガナ ふりがな 名前 お名前 患者名 担当者 担当 生徒 이름 성명 성함 환자 환자명 학생 직원 담당자 고객
    家长 监护人 考生 学员 班主任 家長 監護人 保護者 生徒 利用者 보호자 학부모 담임 veli
    고객명 수령인 수취인 받는분 예금주 입주자 수강생 회원명 الاسم اسم المريض الطالب الموظف العميل фио имя фамилия пациент клиент сотрудник ученик ad isim soyad adı soyadı hasta
    müşteri öğrenci personel alıcı gönderen sürücü yolcu üye"""
) | {"ad soyad", "adı soyadı", "الاسم الكامل", "اسم المريض", "اسم الطالب", "ولي الأمر", "фамилия имя"}
_AGE_HEADS: Final = words_in("年龄 年齡 年齢 歳 나이 연령 العمر السن возраст лет yaş yaşı")
_PLACE_HEADS: Final = words_in(
    """籍贯 籍貫 城市 住址 地址 家庭住址 所在地 出生地 住所 都道府県 出身地 勤務地 도시 주소 거주지 출신지 출생지 المدينة العنوان مدينة
    город адрес şehir memleket adres ilçe köy teslimat semt mahalle city address hometown"""
) | {"doğum yeri", "مكان الميلاد", "محل السكن"}
_FIRM_HEADS: Final = words_in("работодатель компания организация işveren şirket kurum الشركة المؤسسة") | {
    "место работы", "çalıştığı yer", "جهة العمل", "مكان العمل", "اسم الشركة",
}  # fmt: skip
_NOTHING: Final = lazy_regex(
    r"(?i)(?:не|нет|там|тот|неизвестн[а-я]{0,3}|yok|aynı|bilinmiyor|belirtilmedi|غير|لا|نفس|بدون)(?!\w)|[^\W\d_]{0,40}[:：]"
)
_LINE: Final = lazy_regex(
    r"^[ \t>*-]{0,6}(?P<head>[^\W\d_][^\n:：|,;]{2,20}?) ?: ?(?P<value>[^\W_][^\n|;:]{1,80}?)(?=[ \t]{0,8}(?:$|[|;]))",
    re.MULTILINE,
)
"""A line of a form: Город: Псков."""
_ENGLISH_HEADS: Final = frozenset(("city", "address", "hometown"))
_CELL_END: Final = lazy_regex("[,;\t|，、]")
_NAME_CELL: Final = lazy_regex(r"[^\W\d_]{1,20}(?:[ 　·・.'-]{1,2}[^\W\d_]{1,20}){0,3}\.?")
_PLACE_CELL: Final = lazy_regex(r"(?=[^\n]{0,40}[\u0131\u0370-\uffff]|[A-ZÇĞİÖŞÜ])[^\W_][^\n]{1,80}")
_AGE_CELL: Final = lazy_regex("[0-9\u0660-\u0669]{1,3}")


def find_columns(text: str) -> Iterator[Found]:
    """Yield names and ages of a table whose first line has a cell that heads them, and under keys of JSON.

    Places and firms also stand behind such a head on a line: Город: Псков.
    """
    for pair in matches(_KEYED, text):
        key, name = (pair["key"] or pair["word"]).lower(), pair["name"] or ""
        elsewhere = name[:1] > "\u0370"  # in Latin letters other searches read them
        if (key in _NAME_HEADS or (key in ("name", "user") and elsewhere)) and _NAME_CELL.fullmatch(name):
            yield Found(*pair.span("name"), "person", 0.8, "column")
        elif key in _PLACE_HEADS and _PLACE_CELL.fullmatch(name) and (elsewhere or key not in _ENGLISH_HEADS):
            yield Found(*pair.span("name"), "place", 0.7, "column")
        elif pair["age"] and key in _AGE_HEADS:
            yield Found(*pair.span("age"), "age", 0.8, "column")
    for line in matches(_LINE, text):
        head, value = line["head"].lower(), line["value"]
        kind = "place" if head in _PLACE_HEADS - _ENGLISH_HEADS else "organization" if head in _FIRM_HEADS else ""
        if kind and (value[0].isupper() or value.upper() == value.lower()) and not _NOTHING.match(value):
            yield Found(line.start("value"), line.start("value") + len(value.rstrip(" .")), kind, 0.7, "column")
    heads: tuple[str, list[str]] = ("", [])
    start = 0
    while start < len(text):
        check_time()
        end = line_end(text, start)
        sign = _CELL_END.search(text, start, end)
        cells = list(_cells(text, start, end, sign[0])) if sign else []
        written = [text[slice(*cell)] for cell in cells]
        lows = [cell.lower() for cell in written]
        if len(cells) > 1 and not _NAME_HEADS.isdisjoint(lows):
            heads = (sign[0] if sign else "", lows)
        elif len(cells) != len(heads[1]) or (sign and sign[0] != heads[0]):
            heads = ("", []) if text[start:end].strip("|-: \t") else heads
        else:
            for head, cell, value in zip(heads[1], cells, written, strict=True):
                if head in _NAME_HEADS and _NAME_CELL.fullmatch(value):
                    yield Found(*cell, "person", 0.8, "column")
                elif (
                    head in _PLACE_HEADS
                    and _PLACE_CELL.fullmatch(value)
                    and (value[0] > "\u0370" or head not in _ENGLISH_HEADS)
                ):
                    yield Found(*cell, "place", 0.7, "column")
                elif head in _AGE_HEADS and _AGE_CELL.fullmatch(value):
                    yield Found(*cell, "age", 0.8, "column")
        start = end + 1


def _cells(text: str, start: int, end: int, sign: str) -> Iterator[tuple[int, int]]:
    for cell in text[start:end].split(sign):
        bare = cell.strip()
        begin = start + len(cell) - len(cell.lstrip())
        yield begin, begin + len(bare)
        start += len(cell) + 1


_KEYED: Final = lazy_regex(
    r'(?:"(?P<key>[^"\n]{1,12})" ?: ?|(?<![\w"])(?P<word>name|user|city|address)=)(?:"(?P<name>[^\W\d_][^"\n]{1,80})"|"?(?P<age>[0-9]{1,3})(?![0-9]))'
)
"""A key of JSON and its value."""
_AT: Final = lazy_regex(
    "(?<![\\w@.])@(?P<name>[\u4e00-\u9fff]{2,4}|[\u3041-\u30fa々ー\u4e00-\u9fff]{2,8}|[\uac00-\ud7a3]{2,4}?"
    "|[\u0400-\u04ff]{2,20}|[\u0620-\u064a]{2,20})(?=도요|도|님|씨|さん|\\W|\\Z)"
)


def find_called(text: str) -> Iterator[Found]:
    """Yield whom a message of a chat calls: @大鹏."""
    for match in matches(_AT, text):
        if match["name"] not in _EVERYBODY:
            yield Found(*match.span("name"), "person", 0.7, "field")


_EVERYBODY: Final = words_in("所有人 全体 全体成员 大家 みんな 全員 모두 전체 все الجميع")


# fmt: off
PHASE: Final = Phase("script-records", (
    Row("script-secret", find_secrets, anywhere, "email handle secret", 0.9, "label",
        "пароль: Снежинка2020", "пароль слишком короткий"),
    Row("script-writer", find_writers, anywhere, "handle person", 0.8, "field",
        "20:14 Тагир: да\n20:15 Ксюша: нет\n20:16 Тагир: да", "8:00 Завтрак: каша\n13:00 Обед: суп\n19:00 Ужин: чай"),
    Row("script-column", find_columns, anywhere, "age organization person place", 0.8, "column",
        "姓名,年龄\n戚美兰,71", "书名,年龄\n红楼梦,71"),
    Row("script-called", find_called, anywhere, "person", 0.7, "field",
        "@大鹏 看看", "@所有人 看看"),
))
"""Secrets and lines first: their words are names too."""
# fmt: on


_LETTER: Final = "[\u0370-\u03ff\u1f00-\u1fff\u0590-\u05ff\u0900-\u097f\u0e00-\u0e7f]"
_NAME: Final = rf"{_LETTER}{{2,24}}(?:[ -]{_LETTER}{{2,24}}){{0,3}}(?!{_LETTER})"
_START: Final = rf"(?<!{_LETTER})"
_SIGN: Final = r" ?[:：] {0,3}"
_PERSONS: Final = (
    "Ονοματεπώνυμο|Ονομ/νυμο|Όνομα|Επώνυμο|Ασθενής|Πελάτης|Αποστολέας|Παραλήπτης|Από|Προς|Ιατρός|Θεράπων ιατρός|Νοσηλεύτρια|Υπογραφή|Υπεύθυνος|Επαφή|Σύζυγος|Πατρώνυμο|Μητρώνυμο|Μάρτυρας|"
    "שם מלא|שם פרטי|שם משפחה|שם המטופלת?|שם|מטופלת?|לקוחה?|מאת|אל|רופאה? מטפלת?|רופאה?|אחות|חתימה|איש קשר|בן זוג|בת זוג|עד|"
    "ชื่อ-นามสกุล|ชื่อ-สกุล|ชื่อผู้ป่วย|ชื่อ|นามสกุล|ผู้ป่วย|ลูกค้า|ผู้ส่ง|ผู้รับ|แพทย์|พยาบาล|ลงชื่อ|ผู้ติดต่อ|คู่สมรส|พยาน|"
    "नाम|पूरा नाम|रोगी का नाम|रोगी|ग्राहक|प्रेषक|प्राप्तकर्ता|डॉक्टर|चिकित्सक|नर्स|हस्ताक्षर|पिता का नाम|माता का नाम|पति का नाम|संपर्क"
)
_TITLES: Final = r"(?:Κος|Κα|κος|κα|Δρ\.?|Καθ\.|κύριος|κυρία|κ\.|ד\"ר|ד״ר|פרופ'|מר|גב'|גברת|עו\"ד|นพ\.|พญ\.|นาย|นางสาว|นาง|คุณ|ดร\.|श्री|श्रीमती|डॉ\.?|कुमारी)"
_FIELD: Final = lazy_regex(rf"{_START}(?:{_PERSONS}){_SIGN}(?:{_TITLES} ?){{0,2}}(?P<name>{_NAME})")
_TITLED: Final = lazy_regex(
    rf"{_START}(?:{_TITLES.replace('นาย|นางสาว|นาง|คุณ|', '')}) (?P<name>{_LETTER}{{2,20}}(?: (?=[Α-Ω]){_LETTER}{{2,20}}){{0,2}})"
    rf"|{_START}(?:นาย|นางสาว|นาง|คุณ)(?P<thai>[\u0e01-\u0e4e]{{2,14}}(?: [\u0e01-\u0e4e]{{2,16}})?)(?=[ \n,.()]|\Z)"
)
_IDS: Final = lazy_regex(
    r"(?:ΑΦΜ|ΑΜΚΑ|Α\.?Δ\.?Τ\.?|ΑΔΤ|Αρ\. ?[Α-Ωα-ωά-ώ]{2,14}|Αριθμός [Α-Ωα-ωά-ώ]{2,16}|ת\.?ז\.?|תעודת זהות|מספר (?:זהות|תיק|לקוח|הזמנה|פוליסה|דרכון|חשבון)|ח\.פ\.|"
    r"เลข(?:บัตร)?ประจำตัวประชาชน|เลขบัตรประชาชน|เลขที่[ก-๙]{0,14}|HN|หมายเลข[ก-๙]{2,14}|आधार|पैन|पासपोर्ट|खाता (?:संख्या|नंबर)|रोगी (?:संख्या|आईडी)|(?:क्रमांक|संख्या))"
    r" ?[:：#]? {0,3}(?P<id>(?=[A-Z\u0391-\u03a90-9 ./-]{0,12}[0-9]{2})[A-Z\u0391-\u03a90-9](?:[ ./-]?[A-Z\u0391-\u03a90-9]){3,24})"
)
_PLACE: Final = lazy_regex(
    rf"{_START}(?:Διεύθυνση(?: κατοικίας)?|Κατοικία|Πόλη|כתובת|עיר|ที่อยู่|จังหวัด|पता|शहर){_SIGN}(?P<place>[^\n;|]{{3,90}})"
)
_PHONE: Final = lazy_regex(
    r"(?:Τηλ(?:έφωνο|\.)?|κιν(?:ητό|\.)?|Κιν(?:ητό|\.)?|טלפון|נייד|טל'|โทร(?:ศัพท์)?\.?|มือถือ|फ़?ोन|फोन|मोबाइल) ?[:：]? {0,2}(?P<phone>[+(0-9][0-9() -]{5,18}[0-9])"
)
_LABELLED_SECRET: Final = lazy_regex(
    r"(?:[Κκ]ωδικός(?: πρόσβασης)?|[Σσ]υνθηματικό|PIN|סיסמה|סיסמת [א-ת]{2,10}|קוד (?:כניסה|לדלת|סודי)|รหัสผ่าน|รหัส(?:ประตู|ลับ)|पासवर्ड|कूटशब्द) ?(?:[:：=]|είναι|היא|הוא|คือ|है) {0,2}(?P<secret>[^\s,;]{3,40})"
)
_MONTHS: Final = (
    "Ιανουαρίου|Φεβρουαρίου|Μαρτίου|Απριλίου|Μαΐου|Μαίου|Ιουνίου|Ιουλίου|Αυγούστου|Σεπτεμβρίου|Οκτωβρίου|Νοεμβρίου|Δεκεμβρίου|ב?(?:ינואר|פברואר|מרץ|אפריל|מאי|יוני|יולי|אוגוסט|ספטמבר|אוקטובר|נובמבר|דצמבר)|"
    "มกราคม|กุมภาพันธ์|มีนาคม|เมษายน|พฤษภาคม|มิถุนายน|กรกฎาคม|สิงหาคม|กันยายน|ตุลาคม|พฤศจิกายน|ธันวาคม|जनवरी|फ़रवरी|फरवरी|मार्च|अप्रैल|मई|जून|जुलाई|अगस्त|सितंबर|अक्टूबर|नवंबर|दिसंबर"
)
_DATE: Final = lazy_regex(rf"(?<![0-9])[0-3]?[0-9] (?:{_MONTHS})(?:,? (?:พ\.ศ\. )?[12][0-9]{{3}})?(?![0-9])")


def find_labelled(text: str) -> Iterator[Found]:
    """Yield what stands behind a label or a title, and dates with the name of a month."""
    for pattern, kind in (
        (_FIELD, "person"),
        (_TITLED, "person"),
        (_IDS, "id"),
        (_PLACE, "place"),
        (_PHONE, "phone"),
        (_LABELLED_SECRET, "secret"),
        (_DATE, "date"),
    ):
        for match in matches(pattern, text):
            start, end = match.span(match.lastgroup or 0)
            yield Found(start, start + len(text[start:end].rstrip(" .")), kind, 0.8, "" if kind == "date" else "label")


def mention_forms(name: str, kind: str) -> Iterator[str]:
    """Yield patterns of later mentions: the whole, and each part of a person's name."""
    for form in {name, *(name.split(" ") if kind == "person" else ())}:
        if len(form) > 2:
            yield rf"(?<!{_LETTER}){re.escape(form)}(?!{_LETTER})"


# fmt: off
PHASES: Final = (Phase("labelled", (
    Row("labelled", find_labelled, anywhere, "date id person phone place secret", 0.8, "label",
        "Όνομα: Ελευθερία", "Το όνομα αυτό"),
)),)
"""One search: labels do not lie in each other's values."""
# fmt: on
