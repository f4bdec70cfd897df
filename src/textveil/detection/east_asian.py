"""Forms of Chinese, Japanese and Korean texts: dates, ages, telephone numbers, ids, and what their labels name."""

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import OTHER, Found, Phase, Row, finding
from textveil.detection.gates import anywhere
from textveil.detection.national_ids import weighted
from textveil.text.patterns import lazy_regex, matches

HAN: Final = "\u3400-\u9fff々〆"
_DIGIT: Final = "0-9０-９"
_TENS: Final = "(?:열|스물|서른|마흔|쉰|예순|일흔|여든|아흔)"
_NUMERAL: Final = "〇零一二三四五六七八九十廿卅元"
_KOREAN: Final = "[일이삼사오육유칠팔구시십정공영]"
_DAYS: Final = "(?:하루|이틀|사흘|나흘|닷새|엿새|이레|여드레|아흐레|열흘)"
_DAY: Final = rf"(?:초{_DAYS}|(?:열|스무)(?:{_DAYS}|날)|열흘|대?보름|그믐|[일이삼사오육칠팔구십]{{1,4}}일)"
_MONTH: Final = "(?:(?:정|일|이|삼|사|오|유|육|칠|팔|구|시|십|십일|십이)월|동짓달|섣달)"
_ERA: Final = "(?:民國|民国|明治|大正|昭和|平成|令和)"

_MONTH_PART: Final = rf"[{_DIGIT}]{{1,2}} ?月(?:份|末|上旬|中旬|下旬|[ 　]?[{_DIGIT}]{{1,2}} ?[日号號])?"
_DATE: Final = lazy_regex(
    rf"(?<![{_DIGIT}])(?:(?:{_ERA} ?)?[{_DIGIT}]{{1,4}} ?年(?:[ 　]?{_MONTH_PART}|(?![间間来來内內级級生前后後度目]))"
    rf"|[{_DIGIT}]{{1,2}} ?月(?:末|上旬|中旬|下旬|[ 　]?[{_DIGIT}]{{1,2}} ?[日号號])"
    rf"|(?:{_ERA})?[{_NUMERAL}]{{2,5}}年(?:[{_NUMERAL}]{{1,3}}月(?:[{_NUMERAL}]{{1,3}}[日号號])?|(?![间間来來内內级級前后後]))|[{_NUMERAL}]{{1,3}}月[{_NUMERAL}]{{1,3}}[日号號]"
    rf"|[{_DIGIT}]{{4}} ?년(?: ?[{_DIGIT}]{{1,2}} ?월(?: ?[{_DIGIT}]{{1,2}} ?일)?)?(?!간|차)|[{_DIGIT}]{{2}}(?=년생)|(?:(?:이천|일?천구백){_KOREAN}{{1,4}} ?년|[일이]?[구공][일이삼사오육칠팔구공]{{2}} ?년(?= ?{_MONTH}|생)|(?<![가-힣])[일이삼사오육칠팔구공]{{2}} ?년(?= ?{_MONTH}|생))(?: ?{_MONTH}(?: ?{_DAY})?)?|(?<![가-힣]){_MONTH} ?{_DAY}(?!조|간)|(?<![가-힣])(?:초{_DAYS}|(?:열|스무)(?:{_DAYS}|날))(?=[에,. ]|이[고다에라]|부터|까지|날|\Z)|[{_DIGIT}]{{1,2}} ?월 ?[{_DIGIT}]{{1,2}} ?일)"
)
_WEEKDAY: Final = lazy_regex(
    r"[ 　]?[（(](?:[月火水木金土日월화수목금토일]|周[一二三四五六日]|星期[一二三四五六日]|[月火水木金土日]曜日?)(?:・?祝)?[)）]"
)
_SLASHED: Final = lazy_regex(
    r"(?<![0-9./-])(?!1/[2-9]に|2/3に|3/4に)(?:1[0-2]|0?[1-9])/(?:3[01]|[12][0-9]|0?[1-9])(?=[ 　]?[（(][月火水木金土日월화수목금토일][)）]|(?:に|の(?!割)|から|まで|より|[〜～]|受診|入院|退院|来院|予定|일|에|자| (?:내원|외래|입원|퇴원|수술|방문|검사|예약)))(?![0-9/])"
)
"""A day that its weekday or a particle tells: 5/12（日）, 5/12に."""
_DOTTED: Final = lazy_regex(
    r"(?<![0-9A-Za-z.])[MTSHR][0-9]{1,2}[./](?:1[0-2]|0?[1-9])[./](?:3[01]|[12][0-9]|0?[1-9])(?![0-9./])|(?<![0-9.])[12][0-9]{3}\. ?[0-9]{1,2}\. ?[0-9]{1,2}(?:\.|(?![0-9]))"
)
_TIME: Final = lazy_regex(
    rf"(?<![{_DIGIT}])(?:(?:午前|午後|上午|下午|凌晨|晚上|早上|오전|오후) ?)?(?:[{_DIGIT}]{{1,2}}[時时](?![間间代期刻])|[{_DIGIT}]{{1,2}} ?시(?![간기대즌작])|(?<=[午晨上])[{_DIGIT}]{{1,2}}[点點])"
    rf"(?:半| ?반| ?[{_DIGIT}]{{1,2}} ?[分분])?"
    r"|(?<![A-Za-z0-9:：.,/-])(?:[01]?[0-9]|2[0-4])[:：][0-5][0-9](?:[:：][0-5][0-9])?(?![A-Za-z0-9:：.])"
)
_SHORT_YEAR: Final = lazy_regex(rf"[{_DIGIT}]{{1,2}} ?年\Z")
_AGE: Final = lazy_regex(
    rf"(?<![{_DIGIT}.])(?:만 ?|満|滿)?(?P<age>[{_DIGIT}]{{1,3}})(?= ?(?:岁|歲|歳|才(?![能])|세(?![기계트])|살))"
    rf"|(?<![A-Za-z])[FM남여]/(?P<sexed>[1-9][0-9]?)(?=[)）, ])|(?<=[(（])(?P<aged>[1-9][0-9]?)(?=/[FM남여][)）])|(?<![가-힣])(?:만 ?)?(?P<said>(?:{_TENS}(?:하나|둘|셋|넷|한|두|세|네|다섯|여섯|일곱|여덟|아홉)?|스무|[이삼사오육칠팔구]?십[일이삼사오육칠팔구]?)(?= ?(?:살|세(?![기계트대])))|{_TENS}(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)(?=이[신고라었며]|[,.)]|에 |의 |인 )|(?:예순|일흔|여든|아흔)(?=이[신고라었며]|에 |의 |[,.)]))"
)


def find_dates(text: str) -> Iterator[Found]:
    """Yield dates with words for year, month and day; not spans of years ("3年")."""
    for match in matches(_DOTTED, text):
        yield Found(*match.span(), "date", 0.9)
    for pattern in (_DATE, _SLASHED):
        for match in matches(pattern, text):
            if _SHORT_YEAR.fullmatch(match[0]) is None:
                weekday = _WEEKDAY.match(text, match.end())
                yield Found(match.start(), weekday.end() if weekday else match.end(), "date", 0.9)


def find_ages(text: str) -> Iterator[Found]:
    """Yield ages, in Korean words too: 여든하나이신."""
    for match in matches(_AGE, text):
        yield Found(*match.span(match.lastgroup or 0), "age", 0.9)


_PUBLIC: Final = lazy_regex(
    rf"(?<![{_DIGIT}年/.-])[{_DIGIT}]{{1,2}} ?[月월](?! ?[{_DIGIT}末上中下份간])|(?<=\n)[{_DIGIT}]{{1,2}}(?=[　、．])|(?<![{_DIGIT}.-])[{_DIGIT}](?:급|級|级|단)(?![가-힣{HAN}])|(?<![{_DIGIT}])[1-3]종(?= ?(?:보통|대형|특수))|(?<![{_DIGIT}])[1-6] ?학년(?: ?[{_DIGIT}]{{1,2}}반)?|(?<![{_DIGIT}])[1-9]年[级級]|(?<![{_DIGIT}])[1-6]年(?:生|[{_DIGIT}]組)|(?<![{_DIGIT}+-])(?:11[0-9]|12[0-9]|911)(?=番|に|에|报警|急救|신고|로)"
)
"""A month alone, as "May" is, numbers of paragraphs, and for emergencies."""


def _resident(value: str) -> bool:
    """Return whether the check digit of a Chinese resident id is right (GB 11643)."""
    rest = weighted(value[:17], [pow(2, 17 - place, 11) for place in range(17)]) % 11
    return "10X98765432"[rest] == value[17].upper()


def _taiwan(value: str) -> bool:
    """Return whether the check digit of a Taiwanese identity card is right."""
    first = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(value[0]) + 10
    return (first // 10 + first % 10 * 9 + weighted(value[1:9], range(8, 0, -1)) + int(value[9])) % 10 == 0


def my_number(value: str) -> bool:
    """Return whether the check digit of a Japanese My Number of 12 digits is right."""
    rest = weighted(value[:11], (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return int(value[11]) == (0 if rest <= 1 else 11 - rest)


_ASCII: Final = str.maketrans("０１２３４５６７８９ＸｘＡ", "0123456789XxA")
_RESIDENT: Final = lazy_regex(r"(?<![0-9A-Za-z０-９])[1-9０-９][0-9０-９]{16}[0-9０-９XxＸｘ](?![0-9A-Za-z０-９])")
_TAIWAN: Final = lazy_regex(r"(?<![0-9A-Za-z])[A-Z][1289][0-9]{8}(?![0-9A-Za-z])")
_MINE: Final = lazy_regex(r"(?<![0-9０-９-])(?P<id>[0-9０-９]{4}([ -]?)[0-9０-９]{4}\2[0-9０-９]{4})(?![0-9０-９-])")
_NAMED: Final = lazy_regex(r"マイナンバー|個人番号")
_REGISTERED: Final = lazy_regex(
    r"(?<![0-9-])[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]) ?- ?[1-8][0-9]{6}(?![0-9-])|(?<![0-9-])[1-9][0-9]{2}-[0-9]{2}-[0-9]{5}(?![0-9-])"
)
_PLATED: Final = "[가나다라마바사아자거너더러머버서어저고노도로모보소오조구누두루무부수우주허하호배]"
_REGION: Final = "(?:서울|부산|대구|인천|광주|대전|울산|세종|경기|강원|[충전경][남북]|제주)"
_PLATE: Final = lazy_regex(
    r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z][·•・ ]?[A-Z0-9]{5,6}(?![A-Z0-9])"
    rf"|(?<![{HAN}])[{HAN}]{{1,4}} ?[0-9]{{2,3}} ?[ぁ-ん] ?[0-9]{{1,2}}-[0-9]{{2}}(?![0-9])|(?:(?<![가-힣]){_REGION} ?)?(?<![0-9])[0-9]{{2,3}}{_PLATED} ?[0-9]{{4}}(?![0-9])|(?<![가-힣]){_REGION}(?: [가-힣]{{1,3}})? {_PLATED} ?[0-9]{{4}}(?![0-9])"
)
_LABEL: Final = (
    r"(?:尾号|末四位|病历号|病歷號|住院号|住院號|门诊号|就诊卡?号|身份证号?码?|身份證字?號?碼?|护照号?码?|通行证号?码?|(?:营业)?执照号?|车架号|发动机号|パスポート|旅券|護照號碼|医保卡?号|社保卡?号|健保卡號|订单号?|訂單(?:編號|號)?|账号|帳號|卡号|学号|"
    r"工号|编号|編號|保单号|合同号|案号|发票号码?|快递单号|运单号|单号|会员号|驾驶证号|执照号|登记号|注册号|统一社会信用代码|QQ号?|微信号?|"
    r"患者番号|カルテ番号|診察券番号|保険証番号|被保険者番号|パスポート番号|旅券番号|免許証番号|口座番号|注文番号|社員番号|学籍番号|会員番号|予約番号|契約番号|受付番号|請求書?番号|見積書?番号|"
    r"お客様番号|(?<![ァ-ヺー一-龥々])(?!型|品番|郵便番|電話番|部品番|暗証番|行番|問題番|章番|項番|背番|ポート番|バージョン番|エラー番|ページ番)[ァ-ヺー一-龥々]{0,9}番号|記号(?=[ 　:：]?[0-9]{4,5}(?![0-9]))|환자 ?번호|등록 ?번호|차트 ?번호|병록 ?번호|주민등록번호|여권 ?번호|운전면허(?: ?번호)?|계좌 ?번호|주문 ?번호|사번|학번|회원 ?번호|예약 ?번호|"
    r"사업자(?:등록)? ?번호|송장 ?번호|접수 ?번호|고객 ?번호|카드 ?번호)"
)
_LABELLED: Final = lazy_regex(
    rf"{_LABEL}(?:[（(][^()（）\n]{{0,12}}[)）])?[ 　]?(?:[:：#＃]|は|是|为|為|은|는)?[ 　]{{0,2}}(?P<id>[0-9]{{4}}(?: [0-9]{{3,4}}){{2,4}}(?: [0-9]{{1,3}})?(?![0-9])|第?(?=[A-Za-z0-9０-９-]{{0,20}}[0-9０-９])[A-Za-z0-9０-９][A-Za-z0-9０-９_-]{{3,29}}号?)"
)
_PHONE: Final = lazy_regex(
    r"(?<![0-9０-９-])(?:(?:[+＋]86|[(（][+＋]?86[)）])[ -]?)?1[3-9][0-9]([ -]?)[0-9]{4}\1[0-9]{4}(?![0-9])"
    r"|(?<![0-9０-９-])(?:[(（][0０][0-9０-９]{1,4}[)）]|[0０][0-9０-９]{1,4})[ -－ー‐−]?[0-9０-９]{2,4}[-－ー‐− ][0-9０-９]{3,4}(?![0-9０-９-])"
    r"|(?<![0-9-])0[0-9]{2,3}-[0-9]{7,8}(?:-[0-9]{1,5})?(?![0-9-])|(?<![0-9])[48]00-?[0-9]{3}-?[0-9]{4}(?![0-9])"
    r"|[＋+]8[126][- ]?[0-9]{1,3}[- ][0-9]{3,4}[- ][0-9]{4}(?![0-9])|(?<![0-9-])1[0-9]{3}-[0-9]{4}(?![0-9-])"
    r"|(?<![0-9０-９])0[789]0[0-9]{8}(?![0-9])|(?<![0-9０-９])０[７８９]０[０-９]{8}|(?<![0-9])010[0-9]{8}(?![0-9])|공일[공일육칠구][- ]?[공영일이삼사오육칠팔구]{3,4}[- ]?[공영일이삼사오육칠팔구]{4}"
)


def find_ids(text: str) -> Iterator[Found]:
    """Yield national ids with the right check digit, registration numbers by form, plates, and what a label names."""
    for pattern, check in ((_RESIDENT, _resident), (_TAIWAN, _taiwan)):
        for match in matches(pattern, text):
            if check(match[0].translate(_ASCII)):
                yield Found(*match.span(), "id", 0.95, "check")
    if _NAMED.search(text):
        for match in matches(_MINE, text):
            digits = "".join(filter(str.isdigit, match["id"].translate(_ASCII)))
            yield Found(*match.span("id"), "id", 0.95 if my_number(digits) else 0.7, "check")
    for match in matches(_REGISTERED, text):
        yield Found(*match.span(), "id", 0.9, "shape")
    for match in matches(_PLATE, text):
        yield Found(*match.span(), "id", 0.8, "shape")
    for match in matches(_LABELLED, text):
        yield Found(*match.span("id"), "id", 0.9, "label")


_LETTER: Final = f"[{HAN}ぁ-ヺ가-힣]"
_FIELD: Final = lazy_regex(
    rf"(?<!{_LETTER})(?:(?P<place>(?:家庭|现|現|联系|聯絡|通讯|通訊|收货|送货|施工|户籍|戶籍)?(?:住址|地址)|现居(?:地|住地)?|居住?地|籍贯|籍貫|(?:户籍|户口)(?:所在地)?"
    r"|城市|出生地|(?:案发|事发)地点|[現自]?住所|所在地|本籍地?|出身地?|市区町村|市町村|都市|送付先|配送先|勤務地|(?:현|자택 ?|집 ?)?주소지?|거주지|본적|배송지|수령지|도시|출생지|사는 곳|소재지)"
    r"|(?P<organization>(?:工作|就职|所属)单位|(?:就读|毕业)(?:学校|院校)|雇主|公司名称?|勤務先|会社名|学校名|施設名|園名|社名|法人名|事業所名?|(?:회사|학교|업체|병원|상호)명|(?:[가-힣]{2,4} )?(?:업체|거래처|병원|단체)|직장명?"
    r"|근무처|출신교))(?:[（(][^()（）\n]{0,10}[)）])?[ 　]?(?:[:：][ 　]{0,3}|[ 　]{2,12}|　)"
    r"(?P<value>[^\n，。；;|:：\t]{2,60}?)(?=[ 　]{2}|[ 　]?[\n，。；;|\t]|[ 　][一-龥가-힣]{2,5}[:：]|\.(?:[ \n]|$)|$|[（(]|[ 　](?:电话|電話|手机|TEL|연락처|전화|휴대))"
)

_LETTERS: Final = lazy_regex(_LETTER)


def find_fields(text: str) -> Iterator[Found]:
    """Yield the place or the organization that a label of a form stands before: 住址：柳河镇前进村二组."""
    for match in matches(_FIELD, text):
        value = match["value"]
        kind = "place" if match["place"] else "organization"
        value = value if match["place"] else value.partition(", ")[0]
        if len(_LETTERS.findall(value)) > 1 and OTHER not in value and not value.startswith(_NO_VALUE):
            yield Found(match.start("value"), match.start("value") + len(value), kind, 0.8, "field")


_NO_VALUE: Final = tuple(
    "同上 无 未 不详 なし 同じ 上記 없음 상동 위와 见 另行 请 填 线 网 参 アルバイト 募集 オン 아래 온라인 별도 해당".split()
)


# fmt: off
FORMS: Final = Phase("east-asian-forms", (
    Row("east-asian-field", find_fields, anywhere, "organization place", 0.8, "field",
        "住址：前进村二组", "住址：不详"),
    Row("east-asian-date", find_dates, anywhere, "date", 0.9, "", "2024年3月5日", "3年间"),
    Row("east-asian-age", find_ages, anywhere, "age", 0.9, "", "45岁", "21세기"),
    Row("east-asian-time", finding(_TIME, "time", 0.8), anywhere, "time", 0.8, "", "22時40分", "22時間"),
    Row("east-asian-phone", finding(_PHONE, "phone", 0.9), anywhere, "phone", 0.9, "", "13912345678", "139 个"),
    Row("east-asian-id", find_ids, anywhere, "id", 0.95, "check label shape",
        "110101199003070011", "110101199003070012"),
    Row("east-asian-public", finding(_PUBLIC, "numbering", 0.5, "sequence"), anywhere, "numbering", 0.5, "sequence",
        "4月に点検", "4月5日に点検"),
))
"""Numbers and dates, before names: a date's character may begin a family name."""
# fmt: on


ALONE: Final = lazy_regex(
    rf"(?:^(?:[-*\u2022\u30fb] ?)?|(?<=[ |\t(\uff08]))(?P<name>{_LETTER}{{2,4}}?)(?=$|[ |\t)\uff09,\uff0c\u3001]|\u306e|\u7684|\uc758 )",
    re.MULTILINE,
)
"""What fills a line, a cell or parentheses, stands between spaces, or before a comma or "of": 花子のパソコン."""


def back_to(text: str, end: int, stops: str, most: int) -> int:
    """Return where the run of Chinese characters, letters and digits before ``end`` begins, after the last stop word."""
    start = end
    while start > 0 and end - start < most and (text[start - 1].isalnum() or text[start - 1] in "々〆·・（）()"):
        if text[start - 1] == OTHER:
            break
        start -= 1
    run = text[start:end]
    cut = max((run.rfind(stop) + len(stop) for stop in stops.split() if stop in run), default=0)
    return start + cut
