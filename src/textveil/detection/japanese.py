"""Names in Japanese: family and given names, honorifics, labels, kana readings, addresses and organizations."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from textveil.detection.east_asian import ALONE, FORMS, HAN, back_to
from textveil.detection.found import OTHER, Found, Phase, Row
from textveil.detection.gates import anywhere
from textveil.detection.lists import listed, written
from textveil.text.patterns import lazy_regex, matches

_H: Final = f"[{HAN}]"
_KATA: Final = "[ァ-ヺー]"
_HIRA: Final = "[ぁ-ゖ]"
_NAME: Final = rf"(?:{_H}|ヶ|ノ|{_KATA}|{_HIRA})"
_LABELS: Final = (
    "貸主|借主|売主|買主|連帯保証人|保証人|委任者|受任者|氏名|お名前|名前|患者氏名|患者名|患者様|患者|担当者名|担当者|担当医|担当|主治医|宛名|宛先|差出人|送信者|受信者|代表者|代表取締役|保護者|契約者|申込者|申請者|著者|記入者|緊急連絡先|看護師|医師|学生|生徒|"
    "担任|園長|園児名?|児童名?|組合員|理事長|監事|議長|書記|司会|立会人|被害者|届出者|通報者|目撃者|利用者名?|入居者|保護者名|店長|校長|教頭|顧問|施主|運転者|同乗者|相続人|故人|喪主|紹介者|推薦者|面接官|欠席者?|出席|"
    "社員|名義|名義人|口座名義|配偶者|続柄|本人|世帯主|被保険者|受取人|依頼人|届出人|参加者|出席者|講師|作成者|報告者|発行者|責任者|お客様名|予約者|候補者|フリガナ|ふりがな|カナ|氏名（カナ）|お届け先|From|差出人名"
)
_LABELLED: Final = lazy_regex(
    rf"(?<![{HAN}])(?:{_LABELS})(?:[（(][^()（）\n]{{0,10}}[)）])?[ 　]?[:：][ 　]{{0,3}}"
    rf"(?P<name>{_NAME}{{1,6}}(?:[ 　・]{_NAME}{{1,8}})?)(?=[ 　]?(?:様|殿|さん|氏|先生|医師)|[ 　\n\r、,（(）)／/。]|$)"
)
_SPACED_LABEL: Final = lazy_regex(
    rf"氏[ 　]{{0,4}}名[ 　]?[:：]?[ 　]{{1,3}}(?P<name>{_NAME}{{1,5}}(?:[ 　]{_NAME}{{1,5}})?)(?=[ 　\n\r、（(]|$)"
)
_KANA_LABEL: Final = lazy_regex(
    rf"(?:ふりがな|フリガナ|よみがな|読み仮名)[ 　]{{0,3}}[:：]?[ 　]{{0,8}}(?P<name>(?:{_HIRA}{{2,6}}|{_KATA}{{2,6}})(?:[ 　]{{1,4}}(?:{_HIRA}{{2,6}}|{_KATA}{{2,6}}))?)(?=[ 　\n\r）)]|$)"
)
_ANOTHER: Final = lazy_regex(
    rf"(?:[（(][^()（）\n]{{1,12}}[)）])?(?:さん|様|氏|先生|理事長|委員)?[、,][ 　]?(?P<name>{_H}{{2,4}}(?:[ 　](?:{_H}{{1,3}}|{_HIRA}{{2,4}}|{_KATA}{{2,5}}))?|{_H}[ 　]{_H}{{1,3}}|{_KATA}{{1,6}}・{_KATA}{{1,8}})(?=[、,（(\n]|さん|様|氏|先生|$)"
)
"""A further name behind a label: 出席者：鵜飼、久保田 はるか."""
_HONORIFIC: Final = lazy_regex(
    r"[ 　]?(?:さん|さま|様|氏(?![名族神])|先生|くん|君(?![が主])|ちゃん|殿(?![下堂])|教授|准教授|医師|社長|専務|常務|部長|課長|係長|主任|店長|監督|選手|容疑者|被告|看護師|博士|院長|会長|代表|議員|知事|市長|大臣|首相|弁護士|"
    r"校長|助教|研究員|技師|薬剤師|理学療法士|記者|アナウンサー|夫妻|家(?=[のに])|マネージャー|リーダー|本部長|次長|取締役|刑事|巡査)"
)
_KIN: Final = "妻|夫|内縁の妻|長女|長男|次女|次男|三女|三男|娘|息子|弟|妹|兄|姉|甥|姪|孫|嫁|婿|母|父|祖母|祖父|友人|同僚|部下|上司|先輩|後輩|叔父|叔母|伯父|伯母|いとこ|旦那|主人|友達|義母|義父|義姉|義兄|義弟|義妹"
_AFTER_ROLE: Final = lazy_regex(
    rf"(?:原告|被告人?|容疑者|証人|被害者|通報者は|喪主は|記録者?|主治医|担当医?|助手|秘書|[貸借売買施]主|代表(?:取締役|理事)?|社長|[医看護教薬技弁理税介検警裁判研記][{HAN}]{{0,4}}[師士員官者]|{_KIN})[ 　：:]?(?P<name>{_H}{{2,5}}(?:[ 　](?:{_H}{{1,3}}|{_KATA}{{2,6}}|{_HIRA}{{2,4}}))?|{_H}[ 　](?:{_H}{{1,3}}|{_HIRA}{{2,4}})|{_KATA}{{2,5}})(?!{_H}|{_KATA})"
)
_OF_KIN: Final = lazy_regex(
    rf"(?:{_KIN})の(?P<name>{_H}{{1,4}}(?:[ 　](?:{_H}{{1,3}}|{_KATA}{{2,5}}|{_HIRA}{{2,4}}))?|{_KATA}{{2,5}}|{_HIRA}{{2,4}}?)(?=[とがはもにをへのか、。，,（(\n]|や|から|です|[ 　](?!{_H}|{_KATA}|{_HIRA})|\Z)"
)
_RELATED: Final = lazy_regex(
    rf"(?<![{HAN}])(?P<name>{_H}{{1,5}}(?:[ 　](?:{_H}|{_KATA}|{_HIRA}){{1,4}})?|{_KATA}{{2,5}})」?[ 　]?[（(](?:続柄[:：])?亡?(?:{_KIN}|本人|配偶者)[)）]"
)
_NICKNAME: Final = lazy_regex(
    rf"(?:(?<!{_HIRA})|(?<=[とやはもの]))(?<!{_KATA})(?P<short>(?:(?![とやはもの]){_HIRA}|{_KATA}){{1,2}}[っッー](?:くん|ちゃん|ち(?=[、。とがはも\n！!])))|「(?P<called>[^」\n]{{2,12}}?)(?:さん|くん|ちゃん)?」(?:と(?:呼ば|名乗|いう(?:あだ名|名前|人))|というあだ名)"
)
_LETTER_TO: Final = lazy_regex(
    rf"(?:^|[\n。：:「])(?P<name>{_H}{{1,3}}|{_HIRA}{{2,4}}|{_KATA}{{2,5}})(?=へ[。、\n]|、お)"
)
"""To whom a letter is written by the given name: 美咲へ。"""
_LINE: Final = lazy_regex(
    rf"^(?:[月火水木金土日](?:曜日?)?[ 　：:]{{1,2}}(?P<duty>{_H}{{2,3}})(?=[ 　、（(]|$)|(?P<writer>{_H}{{2,3}})(?=[：:][^\n]))",
    re.MULTILINE,
)
"""Whose turn a day is, and who writes a line of a chat: 月 宍戸; 都築：明日誰が行く？"""
_RANKED: Final = lazy_regex(
    rf"(?:{_H}|[ァ-ヺー]){{0,6}}(?:長|師|員|士|官|医|者|係|査|補|監)(?P<mark>[:：][ 　]?|[ 　]{{1,3}})(?=(?P<name>{_H}{{1,4}}(?:[ 　]{_NAME}{{1,4}})?)[ 　]?(?:印|㊞|様|先生|[、。，（(\n]|\Z|[ 　]))"
)
_BEFORE: Final = lazy_regex(
    rf"(?:(?P<kata>{_KATA}{{2,10}}(?:・{_KATA}{{1,10}}){{0,2}})|(?P<han>{_H}{{1,5}}(?:[ 　]?(?:{_H}{{1,3}}|{_HIRA}{{2,4}}|{_KATA}{{2,5}}))?)|(?P<hira>{_HIRA}{{2,4}}))\Z"
)
_NOBODY: Final = frozenset(written("ja")["nobody"])
_PARTICLE: Final = "はがのをにもとへやで、。，．・）)」』】（(「『 　\n\t"


@cache
def _families() -> frozenset[str]:
    return listed("ja", "family") | frozenset(written("ja")["family"])


@cache
def _given() -> frozenset[str]:
    return listed("ja", "given") | frozenset(written("ja")["given"])


@cache
def _foreign() -> frozenset[str]:
    return frozenset(written("ja")["foreign given"])


@cache
def _words() -> frozenset[str]:
    return listed("ja", "ordinary") | listed("ja", "frequent")


@cache
def _no_names() -> frozenset[str]:
    return _words() | _NOBODY


def family_of(name: str) -> str:
    """Return the listed family name that a name begins with, the longest, in old characters too; empty if none."""
    new, families = name.translate(_NEW), _families()
    lengths = (length for length in (4, 3, 2, 1) if len(name) >= length)
    return next((name[:length] for length in lengths if name[:length] in families or new[:length] in families), "")


_NEW: Final = str.maketrans(
    "條澤邊邉廣濱濵齋齊櫻眞瀧嶋國髙﨑德惠榮龍冨曾藏圓", "条沢辺辺広浜浜斎斉桜真滝島国高崎徳恵栄竜富曽蔵円"
)
"""Characters of the register as they are written elsewhere: 上條."""


_AS_KATAKANA: Final = {letter: letter + 0x60 for letter in range(0x3041, 0x3097)}


def find_titled(text: str) -> Iterator[Found]:
    """Yield names behind a label, and before an honorific."""
    for pattern in (_LABELLED, _SPACED_LABEL, _KANA_LABEL):
        for match in matches(pattern, text):
            name = match["name"].removesuffix("様").removesuffix("殿").rstrip()
            name = name.removesuffix("理事長").removesuffix("園長")
            if not _is_department(name) and name[-2:] not in ("さん", "先生"):
                end = match.start("name") + len(name)
                yield Found(match.start("name"), end, "person", 0.8, "field")
                end = match.end("name")
                while (other := _ANOTHER.match(text, end)) and not _is_department(other["name"]):
                    yield Found(*other.span("name"), "person", 0.8, "field")
                    end = other.end("name")
    yield from _of_kin(text)
    for match in matches(_RANKED, text):
        name = match["name"]
        family = family_of(name)
        named = family and (name == family or name in _given() or _is_given(name[len(family) :].strip(" 　")))
        apart = name.replace("　", " ").partition(" ")[2]
        fits = named and len(family) > 1 if match["mark"].isspace() else named or len(name) > 2
        fits = fits or apart in _given()
        if (
            fits
            and not _is_department(name)
            and name not in _words()
            and name not in _NOBODY
            and name not in listed("ja", "place")
        ):
            yield Found(*match.span("name"), "person", 0.7, "title")
    for match in matches(_AFTER_ROLE, text):
        family = family_of(match["name"])
        apart = match["name"].replace("　", " ").partition(" ")[2]
        rest = match["name"][len(family) :].strip(" 　")
        alone = {match["name"], match["name"][2:], match["name"][3:]} & _given() and match["name"] not in _no_names()
        if (
            (family and len(family) > 1 and _is_given(rest))
            or apart in _given()
            or alone
            or (apart and len(match["name"]) == 3)
        ):
            yield Found(*match.span("name"), "person", 0.7, "title")
    for match in matches(_HONORIFIC, text):
        length = _before_honorific(text[max(0, match.start() - 13) : match.start()], match[0].strip())
        if length and text[match.start() - length : match.end()] not in _words():
            yield Found(match.start() - length, match.start(), "person", 0.8, "title")


def _of_kin(text: str) -> Iterator[Found]:
    """Yield names that kin announce, that stand before who somebody is, that begin a line, or that a letter greets."""
    lines = list(matches(_LINE, text))
    for match in lines:
        name = match[match.lastgroup or 0]
        family = family_of(name)
        named = name == family or name in _given() or (len(lines) > 1 and len(family) > 1)
        if named and name not in _words() and name not in _NOBODY:
            yield Found(*match.span(match.lastgroup or 0), "person", 0.7, "field")
    for match in matches(_OF_KIN, text):
        name = match["name"]
        if name not in _NOBODY and (
            name in _given()
            or name.translate(_AS_KATAKANA) in _given()
            or " " in name.replace("　", " ")
            or (1 < len(name) < 4 and name not in _words() and _looks_given(name))
        ):
            yield Found(*match.span("name"), "person", 0.7, "title")
    for match in matches(_NICKNAME, text):
        name = match[match.lastgroup or 0]
        if match.lastgroup == "called" or (
            name not in _no_names() and (match.lastgroup == "short" or name in _given())
        ):
            yield Found(*match.span(match.lastgroup or 0), "person", 0.7, "cue")
    for match in matches(_LETTER_TO, text):
        if match["name"] in _given() and match["name"] not in _words():
            yield Found(*match.span("name"), "person", 0.7, "cue")
    for match in matches(_RELATED, text):
        if match["name"] not in _words() and match["name"] not in _NOBODY:
            yield Found(*match.span("name"), "person", 0.7, "title")


def _before_honorific(before: str, honorific: str) -> int:
    if (match := _BEFORE.search(before)) is None:
        return 0
    name = match[0]
    common = honorific in ("さん", "さま", "様", "氏", "先生", "くん", "君", "ちゃん", "殿")
    if match["kata"]:
        return len(name) if common and name not in _NOBODY else 0
    if match["hira"]:
        opens = len(before) == len(name) or not _is_kana(before[-len(name) - 1])
        if honorific in ("くん", "ちゃん") and len(name) < 4 and opens and name not in _no_names():
            return len(name)
        tails = (name[cut:] for cut in range(len(name) - 1))
        return next((len(tail) for tail in tails if tail in _given()), 0) if common else 0
    if name in _NOBODY or (honorific == "家" and len(name) < 2):
        return 0
    whole = name.strip(" 　")
    if (
        common
        and len(parts := whole.replace("　", " ").split(" ")) == 2
        and not _NOBODY & {*parts}
        and parts[0] not in _words()
    ):
        return len(name)
    unknown = (
        common and 2 <= len(whole) <= 4 and whole not in listed("ja", "frequent") and not any(map(_is_kana, whole))
    )
    last = whole.replace("　", " ").rpartition(" ")[2]
    if not common and last != whole and 1 < len(last) < 4 and last not in _no_names() and not family_of(whole):
        return len(last)
    unknown = unknown and not any(whole.endswith(word) for word in _NOBODY)
    for cut in range(len(name)):
        if (tail := name[cut:]) in _NOBODY:
            return 0
        family = family_of(tail)
        if (
            family
            and _is_given(tail[len(family) :].strip(" 　"))
            and not (cut and len(family) == 1 and common is False)
        ):
            return len(tail)
        if tail in _given() and not unknown and (len(tail) > 1 or not cut):
            return len(tail)
    return len(name) if unknown else 0


def _is_department(name: str) -> bool:
    return name in _words() or name in _NOBODY or (name[-1] in "部課係室局中会し" and not family_of(name))


def _looks_given(name: str) -> bool:
    return name[-1] in _GIVEN_ENDS and set(name) <= _given_characters()


@cache
def _given_characters() -> frozenset[str]:
    return frozenset("".join(_given()))


def _is_kana(character: str) -> bool:
    return "ぁ" <= character <= "ヺ"


def _is_given(rest: str) -> bool:
    return not rest or rest in _given() or (len(rest) <= 3 and rest not in _words() and rest not in _NOBODY)


_FREE: Final = lazy_regex(
    rf"(?<![{HAN}])(?P<run>{_H}{{2,7}}(?:ヶ{_H}{{1,3}})?)(?P<rest>[ 　](?:{_H}{{1,3}}|{_KATA}{{2,5}}|{_HIRA}{{2,4}})(?![{HAN}ァ-ヺー]))?(?=[{_PARTICLE}]|か?ら|です|でし|だ|より|まで|も|$|[a-zA-Z0-9]|\W)"
)
_IN_KANA: Final = lazy_regex(
    rf"(?<![{HAN}])(?P<family>{_H}{{1,4}})[ 　]?(?P<given>{_HIRA}{{2,4}}|{_KATA}{{2,5}})(?![ァ-ヺー])"
)
_FOREIGN: Final = lazy_regex(rf"(?<![ァ-ヺー・]){_KATA}{{2,10}}(?:[・＝]{_KATA}{{1,10}}){{1,3}}(?![ァ-ヺー・])")
_KATAKANA: Final = lazy_regex(rf"(?<![ァ-ヺー・]){_KATA}{{2,10}}(?![ァ-ヺー・])")
_KANA_NAME: Final = lazy_regex(
    rf"(?:[（(]|名義(?:人)?[:：は 　]?|口座名[:：は 　]?|[0-9]{{4}}[ 　])(?P<name>{_KATA}{{2,6}}[ 　]{_KATA}{{2,6}}|{_HIRA}{{2,6}}[ 　]{_HIRA}{{2,6}}|(?<=[義人名][:：は 　])(?:[カユドシイザ][）)])?{_KATA}{{4,20}})(?=[)）\s、。でに]|\Z)"
)
_I_AM: Final = lazy_regex(
    rf"(?:私は|わたしは|名前は|名は)(?P<name>{_NAME}{{2,6}}?)(?:です|と申し|といい|と言い)|(?P<said>{_H}{{2,5}})(?:と申します|と申しまし)"
    rf"|(?<=[会社店部課科係局所室校院組{OTHER}]の)(?P<of>{_H}{{2,4}})(?:です(?![かが])|でございます)"
    rf"|(?<=[。！\n])(?P<signed>{_H}{{2,3}}|{_HIRA}{{2,4}})(?=」?\s{{0,9}}(?:\Z|\n))|(?<=[：:は])[ 　]?(?P<kana>{_KATA}{{2,6}}[ 　]{_KATA}{{2,6}})(?=[ 　\n。、（]|\Z)"
    rf"|(?<={OTHER}の)(?P<hers>{_HIRA}{{2,4}}?)(?=[とがはもに、])"
)


def _in_kanji(text: str) -> Iterator[Found]:
    """Yield listed family names with a given name behind them, and names alone before a particle."""
    for match in matches(_FREE, text):
        run, rest = match["run"], (match["rest"] or "")[1:]
        run = run[len(_when(run)) :]
        family = family_of(run)
        given = run[len(family) :]
        if rest in _words() or given in _given() or (len(run) == 4 and run[2:] in _given()):
            rest = ""  # 乙部真帆 電話
        end = match.end("run")
        start = end - len(run)
        if run != family and rest in _given() and 2 <= len(run) <= 3 and run not in _words():
            yield Found(start, match.end("rest"), "person", 0.6, "list")  # an unlisted family before a listed name
            continue
        if not family and not rest and len(run) == 4 and run[2:] in _given() and run not in _words():
            yield Found(start, end, "person", 0.5, "list")
            continue
        if run in _given() and len(run) > 1 and not rest and text[end : end + 1] in _OF_ONE and run not in _words():
            yield Found(start, end, "person", 0.5, "list")
            continue
        if not family or run in _words() or (run in listed("ja", "place") and not rest):
            continue
        if rest and not given and (rest in _given() or len(family) > 1):
            yield Found(start, match.end("rest"), "person", 0.7, "list")
        elif given in _given() and not (len(family) == 1 and len(given) == 1):
            yield Found(start, end, "person", 0.7, "list")
        elif not given and len(family) > 1:
            yield Found(start, end, "person", 0.5, "list")
        elif given and len(family) > 1 and len(given) <= 2 and given not in _words() and given[-1] in _GIVEN_ENDS:
            yield Found(start, end, "person", 0.6, "list")


def find_free(text: str) -> Iterator[Found]:
    """Yield listed family names with a given name behind them, or alone before a particle, and foreign names."""
    yield from _in_kanji(text)
    for match in matches(ALONE, text):
        name = match["name"]
        if name in _given() and name not in _no_names() and (_looks_given(name) or _is_kana(name[-1])):  # not 未来の車
            yield Found(*match.span("name"), "person", 0.5, "list")
    for match in matches(_IN_KANA, text):
        given = match["given"]
        lengths = (n for n in range(len(given), 1, -1) if n == len(given) or given[n] in "でだはがのをにともやへさよ")
        length = next((n for n in lengths if given[:n] in _given()), 0)
        family = match["family"]
        unlisted = len(family) == 2 and match.end() == match.start("given") + length and "ァ" <= given[0] <= "ヺ"
        if length and (family == family_of(family) or (unlisted and family not in _no_names())):
            yield Found(match.start(), match.start("given") + length, "person", 0.7, "list")
    for match in matches(_KATAKANA, text):
        if match[0] in _foreign():
            yield Found(*match.span(), "person", 0.6, "list")
    for match in matches(_FOREIGN, text):
        if match[0] not in listed("ja", "place"):
            yield Found(*match.span(), "person", 0.6, "list")
    yield from (Found(*match.span("name"), "person", 0.7, "field") for match in matches(_KANA_NAME, text))
    for match in matches(_I_AM, text):
        group = match.lastgroup or ""
        name = match[group]
        known = group == "of" or name in _given()
        known = known or (
            group not in ("signed", "hers", "kana") and (family_of(name) != "" or "ァ" <= name[0] <= "ヺ")
        )
        known = known or (group == "kana" and not _given().isdisjoint(name.replace("　", " ").split(" ")))
        if known and name not in _no_names() and name[-1] != "員":
            yield Found(*match.span(group), "person", 0.7, "cue")


_OF_ONE: Final = frozenset("がはもと")
"""Particles behind who does something."""
_GIVEN_ENDS: Final = "子美香奈恵代江郎朗男夫雄介助太斗人輝樹希也哉平和一二三司志史明彦彰之哲実郎葉花菜乃音華織里莉衣愛緒穂帆羽海真吾悟翔大貴紀典則弘浩広宏博秀英俊健剛"

_ADDRESS_START: Final = (
    rf"(?:〒?[0-9０-９]{{3}}[-－ー‐−][0-9０-９]{{4}}[ 　\n]{{0,2}})?(?:東京都|北海道|(?:京都|大阪)府|{_H}{{2,3}}県)?"
)
_NUMBER: Final = "[0-9０-９一二三四五六七八九十]"
_ADDRESS: Final = lazy_regex(
    rf"(?<![{HAN}]){_ADDRESS_START}(?:(?:{_H}|[ヶケノぁ-んァ-ヺー]){{1,6}}?[市区町村郡])?(?:(?:{_H}|[ヶケノァ-ヺー]){{1,6}}?[区町村])?(?:{_H}|[ヶケノのァ-ヺー]){{1,8}}?"
    rf"(?:(?<=[町条字甲乙])(?P<bare>[0-9０-９]{{1,4}})(?![0-9０-９年月日円人名歳時分件個回つ%-]|[丁番]|号線)|{_NUMBER}{{1,4}}(?:丁目|番地|番)(?:の)?(?:{_NUMBER}{{1,4}}(?:番地|番|号)?(?:の)?(?:[-－ー‐−]?{_NUMBER}{{1,4}}号?)?)?|[0-9０-９]{{1,4}}(?:[-－‐−][0-9０-９]{{1,4}}){{1,3}})(?![0-9０-９-])"
    rf"(?:[ 　]?(?:{_H}|{_KATA}|[A-Za-z]){{2,14}}[ 　]?(?:[0-9０-９]{{1,3}}(?:棟|号棟)[ 　]?)?(?:[0-9０-９A-Z]{{1,4}}(?:号室|号|階|F)?)(?![0-9年月日]))?(?:[ 　]?[0-9０-９]{{2,4}}号室)?"
)
_BUILDING: Final = lazy_regex(
    rf"(?<!{_HIRA}){_HIRA}{{2,6}}[がヶケ](?:丘|原|台|浜|崎)(?:公園|団地|[1-9一二三四五六]丁目|駅)?|{_H}{{2,3}}[都道府県]{_H}{{1,5}}[市郡区町村](?:{_H}|[ヶケノ]){{1,8}}[0-9]{{1,5}}(?![0-9年月日円人名-]|番|丁)|"
    rf"(?<!{_KATA})(?:コーポ|メゾン|ハイツ|ハイム|レジデンス|シャトー|ヴィラ|パーク|グラン|サン|第[一二三1-9])(?:{_KATA}|{_H}){{1,10}}[ 　]?(?:[0-9０-９]{{1,2}}(?:棟|号棟)|[A-ZＡ-Ｚ]棟)?[0-9０-９]{{2,4}}(?:号室?)?(?![0-9０-９年月日円人])"
)
_PARTICLE_BEFORE: Final = lazy_regex(rf"{_HIRA}{{0,5}}[はがをにでもとへ](?={_H})")
_POSTAL: Final = lazy_regex("〒[ 　]?[0-9０-９]{3}[-－ー‐−]?[0-9０-９]{4}")
_UNIT: Final = lazy_regex(rf"(?:(?:{_H}|[ヶケノ]){{1,5}}?[市区町村郡](?![場長立民役])){{1,3}}")
_PREFECTURE: Final = lazy_regex(rf"(?<![{HAN}])(?:東京都|北海道|京都府|大阪府|{_H}{{2,3}}県)")
_PLACED: Final = lazy_regex(
    rf"(?<![{HAN}])(?P<name>(?!代表|患者|被告|原告|医師|担当|社長|妻|夫|長[男女]){_H}{{2,4}}[市区町村](?![場長立民役内]))"
)
_IN_HIRAGANA: Final = lazy_regex(rf"(?<!{_HIRA})(?P<name>{_HIRA}{{2,5}})[市町村]")
_KANJI_RUN: Final = lazy_regex(rf"(?:{_H}|ヶ|{_KATA}){{2,20}}")


_WHEN: Final = "昨日 今日 明日 先日 来週 先週 今週 来月 先月 今月 去年 今年 来年 現在 当時 以前 最近 昨年 毎年 毎日 今朝 昨夜".split()


def _when(run: str) -> str:
    """Return the word for a day or a time that a run begins with: 来月高松へ."""
    return next((head for head in _WHEN if run.startswith(head)), "")


def find_places(text: str) -> Iterator[Found]:
    """Yield addresses with their numbers, prefectures with what is within them, towns by their ending, listed places."""
    for match in matches(_ADDRESS, text):
        if any(mark in match[0] for mark in ("市区県都府郡" if match["bare"] else "市区町村県都府丁番郡")):
            particle = _PARTICLE_BEFORE.match(match[0])
            yield Found(match.start() + (particle.end() if particle else 0), match.end(), "place", 0.8, "street")
    for pattern in (_POSTAL, _BUILDING):
        yield from (Found(*match.span(), "place", 0.7, "street") for match in matches(pattern, text))
    for match in matches(_PREFECTURE, text):
        unit = _UNIT.match(text, match.end())
        yield Found(match.start(), unit.end() if unit else match.end(), "place", 0.7, "list")
    for match in matches(_IN_HIRAGANA, text):
        if match["name"] in listed("ja", "place") or match[0] in listed("ja", "place"):
            yield Found(*match.span(), "place", 0.7, "list")
    for match in matches(_PLACED, text):
        if match["name"] not in _words():
            yield Found(*match.span("name"), "place", 0.6, "place-end")
    places = listed("ja", "place")
    for run in matches(_KANJI_RUN, text):
        when = _when(run[0])
        word, start = run[0][len(when) :], run.start() + len(when)
        length = next((n for n in range(min(12, len(word)), 1, -1) if word[:n] in places), 0)
        tail = word[length:]
        if (
            length
            and not (word[:length] in _families() and (tail or _is_family_here(text, run.end())))
            and (length == len(word) or not _is_kana(tail[0]))
        ):
            stop = start + length + (tail[:1] in tuple("都道府県市区町村駅"))
            within = _UNIT.match(text, stop) if text[stop - 1] in "都道府県市" else None
            yield Found(start, within.end() if within else stop, "place", 0.6, "list")


def _is_family_here(text: str, end: int) -> bool:
    """Return whether a given name stands behind what is a family and a place: 深谷ゆかり, 三原 健."""
    given = _GIVEN_BEHIND.match(text, end)
    return given is not None and (given[1] in _given() or (not given[0].isalpha() and given[1] not in _words()))


_GIVEN_BEHIND: Final = lazy_regex(rf"[ 　]?({_H}{{1,3}}|{_HIRA}{{2,4}}|{_KATA}{{2,5}})(?![{HAN}ァ-ヺー])")
_FORM: Final = "(?:株式会社|有限会社|合同会社|合資会社|一般社団法人|公益社団法人|一般財団法人|公益財団法人|医療法人(?:社団)?|学校法人|社会福祉法人|NPO法人|特定非営利活動法人|独立行政法人|国立大学法人|宗教法人|㈱|（株）|\\(株\\))"
_FIRM: Final = lazy_regex(
    rf"{_FORM}[ 　]?(?:{_H}|{_KATA}|[A-Za-z0-9&・ー]|(?!との|への|での|には|とは|から|まで|にも|ので|のは|より|です|では|にて){_HIRA}{{2,6}}(?={_H}|{_KATA}|[ 　、。\n])){{1,20}}|(?!(?:[貸借売買施]主|甲|乙|[一-龥]{{2}}者){_FORM})(?:{_H}|{_KATA}|[A-Za-z0-9&・]){{2,20}}(?:株式会社|有限会社|合同会社|㈱|（株）)"
)
_INSTITUTION: Final = lazy_regex(
    "(?:大学医学部附属病院|大学附属病院|大学病院|総合病院|市民病院|中央病院|赤十字病院|医療センター|病院|大学院|大学|短期大学|高等学校|高校|中学校|小学校|幼稚園|保育園|クリニック|(?:整形外|産婦人|小児|耳鼻|皮膚|内|外|眼)科(?!医|的|系|病|学|手)|医院|歯科|薬局|銀行|信用金庫|研究所|研究センター|財団|"
    "協会|市役所|区役所|町役場|県庁|警察署|消防署|裁判所|新聞社|新聞|放送|出版|商事|製作所|工業|建設|不動産|製薬|電機|電力|ホテル|旅館|図書館|美術館|博物館|法律事務所|事務所|保健所|税務署|支店|支社|営業所|出張所|工場|商店|商会|工務店|工房|運送|運輸|印刷|木工|水産|塗装|酒造|農園|牧場|食堂|美容室|理容室|整骨院|接骨院|こども園|児童館|公民館|学童クラブ|公園|植物園|動物園|水族館|文化園|遊園地|キャンプ場|海水浴場|商店街|神社|温泉旅館|スーパー(?![ァ-ヺー])|マンション|アパート|ハイツ|団地|学園|学院|グループ|ホールディングス)"
)
_TAVERN: Final = lazy_regex(
    rf"(?:居酒屋|喫茶店?|カフェ|食堂|酒場|割烹|旅館|民宿|ペンション|スナック|焼肉|ラーメン|美容室|もつ焼き|焼き?鳥|手打ち(?:そば|うどん)|(?:そば|うどん|お?食事|味)処|寿司|鮨|弁当|お好み焼き?|(?:スーパー|ドラッグ|クリーニング|パン工房)(?:[ 　]|(?![ァ-ヺー])))[ 　]?(?!した|する|して|でき)(?P<name>「[^」\n]{{2,16}}」|{_KATA}{{2,12}}|(?<=[ 　]){_H}{{1,2}}(?:の{_H}|(?![にでのとがはへをもね]){_HIRA}{{1,3}})?|{_H}{{2,3}}(?= ?店)|(?![はがのをにもでへや]|と[のはか]|から|まで|より|など|だけ){_HIRA}{{3,8}}?)(?=[にでのとがはへ、。！!\n]|ね[！!。]|\Z)"
)
_STORE: Final = lazy_regex(
    rf"(?<!{_KATA}){_KATA}{{0,6}}(?:マート|ドラッグ|ストア|マーケット)(?:[ 　]{_KATA}{{2,8}}|[ 　]?{_H}{{2,5}})(?:[ 　]?{_H}{{1,4}}店)?(?=[のでにへとがは、。 　\n]|\Z)"
)
"""A store by its sort and its name: フードマート丸高."""
_ORG_STOPS: Final = (
    "の は が を に で と も へ や から まで より 勤務先 所属 元 現在 昨日 今日 明日 同 当 本 弊 御 年 月 日"
)
_GENERIC: Final = frozenset(written("ja")["generic"])
_ADJECTIVE: Final = lazy_regex(rf"{_H}し?[いな]$")


def find_organizations(text: str) -> Iterator[Found]:
    """Yield firms with their legal form, and institutions with a name before the word for their sort."""
    yield from (Found(*match.span(), "organization", 0.8, "company-end") for match in matches(_FIRM, text))
    for pattern in (_TAVERN, _STORE):
        for match in matches(pattern, text):
            yield Found(*match.span(), "organization", 0.6, "institution")
    for match in matches(_INSTITUTION, text):
        start = back_to(text, match.start(), _ORG_STOPS, 16)
        start += len(text[start : match.start()]) - len(text[start : match.start()].lstrip("ぁ・（）()"))
        if start == match.start() and text[start - 1 : start] == "の" and match[0].endswith("園"):  # 花の文化園
            start = back_to(text, start - 1, _ORG_STOPS, 8)
        name = text[start : match.start()]
        kana_only = all("ぁ" <= character <= "ゖ" for character in name)
        if (
            len(name) >= 2
            and name not in _GENERIC
            and not _ADJECTIVE.search(name)
            and (not kana_only or text[start - 1 : start] in ("：", ":"))
        ):
            yield Found(start, match.end(), "organization", 0.7, "institution")


def mention_forms(name: str, kind: str) -> Iterator[str]:
    """Yield patterns of later mentions: the whole, and of a person the family and the given name."""
    yield re.escape(name)
    if kind == "person":
        family = family_of(name)
        parts = name.replace("　", " ").replace("・", " ").split(" ")
        parts = parts if len(parts) > 1 else [family, name[len(family) :]]
        for part in parts:
            if len(part) > 1 and part not in _words() and part not in listed("ja", "place"):
                yield rf"(?<![{HAN}ァ-ヺー]){re.escape(part)}(?![ァ-ヺー])"
    elif kind == "organization" and len(core := _CORE.sub("", name).strip(" 　")) > 2:
        yield re.escape(core)


_CORE: Final = lazy_regex(_FORM)

# fmt: off
PHASES: Final = (
    FORMS,
    Phase("japanese-places", (
        Row("japanese-organization", find_organizations, anywhere, "organization", 0.8, "company-end institution",
            "株式会社青空商事に勤務", "会社に勤務"),
        Row("japanese-title", find_titled, anywhere, "person", 0.8, "cue field title", "田中さんが来た", "お客さんが来た"),
        Row("japanese-place", find_places, anywhere, "place", 0.8, "list place-end street",
            "東京都新宿区西新宿2-8-1", "二つの区別"),
    )),
    Phase("japanese-names", (
        Row("japanese-name", find_free, anywhere, "person", 0.7, "cue field list", "山田太郎は元気です", "山の中は静かです"),
    )),
)
"""Organizations and addresses first: their characters make family names too."""
# fmt: on
