"""Names in Korean: a family name of one syllable with two behind it, titles, labels and particles, addresses, firms."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from textveil.detection.east_asian import ALONE, FORMS
from textveil.detection.found import OTHER, Found, Phase, Row
from textveil.detection.gates import anywhere
from textveil.detection.lists import listed, written
from textveil.text.patterns import lazy_regex, matches

_G: Final = "[가-힣]"
_COMMON: Final = "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민나진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용예봉피빈"
_DOUBLE: Final = "남궁|황보|제갈|사공|선우|독고|동방|서문|망절|어금|소봉|강전"
_NAME: Final = rf"(?:(?:{_DOUBLE}){_G}{{1,2}}|[{_COMMON}]{_G}{{1,2}})"
_FULL: Final = rf"(?:(?:{_DOUBLE}){_G}{{1,2}}|[{_COMMON}]{_G}{{2}})"
_TITLES: Final = (
    "씨|님|기사님|선생님|선생|교수님|교수|박사님?|과장님?|부장님?|대리님?|사장님?|이사님?|원장님?|의사|간호사님?|환자분?|군(?![가-힣])|양(?![가-힣])|변호사님?|기자|대표님?|팀장님?|차장님?|실장님?|위원장?|의원|장관|대통령|회장님?|감독|선수|"
    "학생|어르신|할머니|할아버지|사원|주임님?|본부장님?|센터장|총장|판사|검사(?!를|가|결과)|형님?|누나|언니|오빠|아저씨|아주머니|수간호사|전문의|레지던트|연구원|매니저님?|고객님?|사모님|여사|소장님?|관리소장님?|이장님?|통장님?|총무님?|감사님|교감|교장|담임|원감|목사님?|신부님?|작가|배우|시장|도지사|총리|경위|경장|순경|경사|경감|주무관|반장|조장|셰프|이사장|강사|조교|코치"
)
_PARTICLES: Final = "은|는|이|가|을|를|의|에게서|에게|께서|께|와|과|도|만|랑|이랑|한테|한테서|으로|로|입니다|이고|이며|이라고|라고|이라는|라는|이다|이었다|였다|까지|부터|보다|처럼|야|아|하고|이는|이가|이를|이의|이도|이한테|이에게"
_ROLE_FULL: Final = rf"(?:{_FULL}|{_G}{{3}})"
"""A full name, of a rarer family too, as it stands behind a role."""
_LABELS: Final = (
    "성명|성함|이름|담당|채권자|채무자|보증인|연대보증인|진술인|참고인|인계자|인수자|중개사|산모|환자명|환자 ?성명|환자|회장|총무|감사|관리소장|소장|담임교사|담임|교장|교감|원장|추천|상사|팀장|가해자|피해자|신고자|목격자|진술자|조사관|작성|예금 ?주|학부모|아버지|어머니|자녀|형제|성함|세대주|입주자|관리자|운전자|동승자|매수자|상담자|내담자|통역|접수자|세입자|집주인|참석|불참|사회|서기|담당자|담당의|담당 ?의사|담당 ?간호사|보호자|신청인|신청자|대표자|대표이사|대표|수신인?|수신자|발신인?|발신자|작성자|예금주|계약자|주치의|고객명|고객|수령인|받는 ?사람|받는 ?분|보내는 ?사람|직원|학생|학생명|"
    "임대인|임차인|매도인|매수인|원고|피고|피고인|증인|변호인|의뢰인|긴급 ?연락처|비상 ?연락처|배우자|부|모|집도의|기록자|보고자|참석자|발표자|저자|지원자|면접관|추천인|예약자|주문자|승객|의사|간호사|검사자|확인자|서명|강사"
)
_LABELLED: Final = lazy_regex(
    rf"(?<!{_G})(?:{_LABELS})(?: ?[(（][^()（）\n]{{0,10}}[)）])?[ ]?[:：][ ]{{0,3}}(?P<name>{_G}{{2,4}}|{_G} {_G}{{2}}|{_G}{{2,8}} {_G}{{2,8}})(?=\s|[,.(（·/]|{_PARTICLES}|$|님|씨)"
)
_ANY_LABEL: Final = lazy_regex(
    rf"(?<!{_G}){_G}{{0,5}}(?:인|자|원|사|관|장|의|조|주|객|생|모|부|님|사람|분)(?: ?[(（][^()（）\n]{{0,10}}[)）])? ?[:：] {{0,3}}(?P<name>{_G}{{2,5}})(?=\s|[,.(（·/]|$|{_PARTICLES}|님|씨)"
)
_ENTRY: Final = lazy_regex(
    rf"(?:^|[|/,(\[]|(?<=[.\]] )| {{2}}) ?(?:(?P<own>성명|이름|성함|환자명|고객명|학생명)|{_LABELS}|당직 ?의사?|{_G}{{1,3}}(?:자|관|인))(?: ?[:：])? (?P<name>{_G}{{2,4}})(?= ?(?:[,/()|\n]| {{2}}|\Z))",
    re.MULTILINE,
)
"""A field of a form without a colon: 성명 육동칠 (별명 ...)."""
_SECOND: Final = lazy_regex(rf" (?P<name>{_G}{{1,7}})(?: (?P<third>{_G}{{1,4}}))?(?=[,.(（<\n]| {{2}}|\Z)")
"""The further words of a name of another language that ends its field: 마리아 산토스."""
_ATTENDING: Final = ("참석", "불참", "출석", "결석")
_ANOTHER: Final = lazy_regex(
    rf"(?: ?[(（][^()（）\n]{{1,10}}[)）])?(?: {_G}{{2}})?[,、] ?(?P<name>{_G}{{2,3}})(?=[,、 .(（\n]|\Z)"
)
"""A further name behind a label: 참석: 마서연, 단우진."""
_SPACED_LABEL: Final = lazy_regex(rf"성[ ]{{1,6}}명[ ]?[:：]?[ ]{{0,3}}(?P<name>{_FULL})(?!{_G})")
_TITLED: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_NAME}|{_G}{{3}}(?= (?:선생님|교수|의사|간호사|경사|경위|과장|원장))|(?:[{_COMMON}]|{_DOUBLE})(?= ?(?:{_TITLES}))) ?(?:{_TITLES})"
)
_BEHIND_TITLE: Final = lazy_regex(
    rf"(?<!{_G})(?:(?<![\w>)\]'\"”])(?:갑|을)|형|저는|제 이름은|이름은|(?<=[,:] )(?:감사|부|모)|{_G}{{1,3}}(?:교사|팀장|반장|원장|강사|기사|직원|지구대|경찰서|사무소)|(?:큰|작은|둘째|막내|외)?(?:딸|아들|손자|손녀|며느리|사위|조카)|(?:담당|집도|전공)의|(?:환자|원고|피고인?|매도인|매수인|임대인|임차인|대표이사|소송대리인|간병인|요양보호사|활동지원사|가사도우미|위임인|수임인|의뢰인|보증인|상속인|증여자|수증자|신고자|용의자|신고인|고발인|보호자|남편|아내|딸|아들|어머니|아버지|친구|동료|교수|박사|의사|간호사|변호사|대표|팀장|과장|부장|대리|선생님|기자|배우|가수|감독|작가|회장|사장|원장|대통령|장관|의원|선수|고객|학생|동생|언니|오빠|누나|할머니|할아버지|이모|삼촌|예금주|수취인|대표자|담당자|보호자|신청인|총무|소장|관리소장|부녀회장|통장|이장|반장|원장|교감|교장|담임|담임교사|교사|사서|영양사|주임|사원|사무장|간사|이사장|남동생|여동생|형님|올케|외삼촌|작은아버지|큰아버지|윗집|옆집|아랫집|이웃|부반장|사무소|지구대|경찰서|피의자|피해자|고소인|진술자|목격자|참고인|증인|경위|경사|경장|순경|경감|형사|계장|주무관|주치의|간호사|통역|인솔|보조교사|종업원|알바생|매니저|점장|셰프|조사관|경찰관|채권자|채무자|연대보증인|세입자|집주인|며느리|사위|손녀|손자|조카|시누이|올케|형수|매형|처제)) (?=(?P<name>{_ROLE_FULL}|{_G}{{2}})(?:(?:{_PARTICLES})?(?:\s|[,.!?)(]|$)|님|씨))"
)
_FREE: Final = lazy_regex(rf"(?<!{_G})(?P<name>{_FULL})(?P<particle>(?:{_PARTICLES})?)(?!{_G})")
_CLOSING: Final = lazy_regex(rf"(?<!{_G})(?P<name>{_FULL}) (?:올림|드림|배상|拜上)(?=\s|[.(]|$)")
_I_AM: Final = lazy_regex(
    rf"(?<!{_G})(?:저는|나는|전|제 이름은|이름은|이름이|성함은|성함이) (?P<name>{_ROLE_FULL})(?=인데요?|입니다|이에요|예요|이라고|라고|이고|이시|이며|고)"
    rf"|(?:사랑하는|보고 싶은|친애하는|그리운) (?P<dear>{_G}{{2}})(?=에게|이?야?[,! ]|아[,! ]|이)"
    rf"|(?<!{_G})(?P<aged>{_FULL})(?= ?\([1-9][0-9]\))|(?<!{_G})(?P<pet>{_G}{{2,3}}이)(?= (?:엄마|아빠|어머님?|아버님?|할머니|어머니|아버지))|(?<!{_G})(?P<child>{_G}{{2}})(?= ?(?:엄마|아빠|맘)(?:(?!{_G}{{2}})|께서|한테|에게)|이네(?!{_G}{{3}}))"
    rf"|(?<!{_G})저는 (?:[0-9{OTHER}]{{2,4}}년생 |(?:{_G}{{1,8}} ){{1,3}})?(?P<intro>{_G}{{2}})(?=입니다|이에요|예요|이라고 |라고 (?:합니다|해요))|^(?P<said>{_FULL})(?=입니다|이에요|예요|이라고 합니다|라고 합니다)"
    rf"|^(?P<writer>{_G}{{2}})(?= ?[:：] [^\n])|^(?:[월화수목금토일](?:요일)?)[ :：]{{1,3}}(?P<duty>[{_COMMON}라]{_G}{{2}})(?=[ ,]|$)",
    re.MULTILINE,
)
"""Who says the own name, and whose turn a day is: 수 홍석천."""
_RELATED: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_G}{{2,4}}) ?[（(](?:아내|남편|딸|아들|어머니|아버지|모친|부친|형|동생|누나|언니|오빠|배우자|본인|친구|동료|며느리|사위|손자|손녀|보호자)[)）]"
)
_OF_KIN: Final = lazy_regex(
    rf"(?<!{_G})(?:엄마|아빠|아버지|어머니|남편|아내|딸|아들|형|누나|언니|오빠|동생|할머니|할아버지|손자|손녀|친구|며느리|사위|이모|고모|삼촌|조카|사촌|큰딸|작은딸|큰아들|작은아들|막내|둘째|외삼촌|외숙모|큰아버지|작은아버지|큰어머니|작은어머니|시어머니|시아버지|장모|장인) (?P<name>{_G}{{2,3}}?)(?=(?:{_PARTICLES}|씨|님)?(?:{_PARTICLES})?(?:\s|[,.!?)(]|$))"
)
_FIELD_ENDS: Final = frozenset((" (", ",", ", ", "\n", "", ")", "씨", " 씨", "님"))
_HONORS: Final = frozenset((" 선", " 씨", " 님"))
_WIDE: Final = (
    _COMMON
    + "복뇌궁판피단좌견풍승편초호내어옹갈필제빈당옥음형국기표라모방사상간감강개경계공괴교근난남낭돈두랑로뢰루류매묵미반범부비삼섭수순시신아애야양엽영예온요용운위윤응이자점정종준즙창채추평포피하학해허화환흥"
)
_KIN: Final = frozenset(
    "아버지 어머니 남편 아내 딸 아들 형 누나 언니 오빠 동생 할머니 할아버지 손자 손녀 친구 며느리 사위 이모 고모 삼촌 조카 사촌 어머님 아버님 부모님 통역 보호자 간병인 이웃 직원 종업원 알바생 담임 옆집 윗집 아랫집 시어머니 시아버지 장모 장인 아저씨 아주머니 엄마 아빠 저는 나는 제가 내가 우리 그리고 또 및 수고 감사 사장 주인 학교 총괄 초등 방과 여기 거기 학부모 학부형 고객 회원 손님 입주민 조합원 가족 교우 동문".split()
)
_NATIONS: Final = "베트남|캄보디아|네팔|미얀마|태국|필리핀|몽골|우즈베키스탄|중국|일본|미국|러시아|인도네시아|스리랑카|방글라데시|파키스탄|인도|카자흐스탄|라오스|우크라이나|키르기스스탄"
_ADDRESSED: Final = lazy_regex(
    rf"(?<!{_G})(?P<said>{_G}{{2,5}}) 씨(?!{_G}{{3}})|(?<!{_G})(?P<joined>(?!아가|아저|마음|눈|꽃|솜|맵|말){_G}{{2,3}})(?=씨(?:[는가를의와도]|께|에게|한테)?(?!{_G}))|(?<!{_G})(?P<abroad>{_G}{{2,6}}(?: {_G}{{1,6}}){{0,2}})(?<!어)(?= ?[(（](?:[0-9{OTHER}]{{2,12}}(?:년생?|생)?, ?)?(?:국적 ?)?(?:{_NATIONS})[,)])|(?:호실|(?<=[0-9{OTHER}])호) (?P<bed>[{_COMMON}]{_G}{{2}})(?= {_G}{{2}})|[0-9]{{2,4}}호 (?P<room>{_G}{{2,5}})(?= ?[(:：]| 님| 할머니| 할아버지| 어르신)"
    rf"|태명[은:]? ?(?P<womb>{_G}{{2,5}}?)(?=[,.(\s]|이고|이며|\Z)|(?:별명은|별명이|별명|일명|닉네임은?|가명|예명|필명|애칭) ?[‘“'\"](?P<quoted>{_G}{{2,6}})[’”'\"]"
    rf"|(?<=[번{OTHER}] )(?P<numbered>{_G}{{3}})(?=[\s,.(]|입니다|이고|이에요|예요|인데|\Z)|(?:아빠|엄마|어머니|아버지|남편|아내|딸|아들)[(（](?P<aside>{_G}{{2,4}})[)）]|(?:user|사용자|고객)=['\"]?(?P<user>{_G}{{2,6}})(?!{_G})|(?<!{_G})(?P<little>{_G}이)(?= (?:형|언니|누나|오빠)(?!{_G}{{2}}))|(?:^|[-–.\n] )(?P<closing>{_G}{{2,5}})(?= (?:올림|드림|배상)[\"”']?$)|(?<!{_G})(?P<old>{_G}{{2}})(?= (?:아저씨|아주머니|영감)(?!{_G}{{3}}))|(?<!{_G})(?P<taught>{_G}{{2,3}})(?= (?:셰프|(?:보건|담임|영양|체육|음악|미술|영어|과학)선생님?)(?!{_G}{{2}}))|(?:연락|문의|전화|입금|신청|예약)[은는] (?P<contact>{_G}{{2,5}}?)(?=에게|한테|께)|(?:본명|실명)[은:]? ?(?P<real>{_G}{{2,4}})(?=[)\],.\s]|입니다|\Z)|(?:보내는|보낸|받는|받을) 사람[은:]? (?P<sender>{_G}{{2,4}}?)(?=이랑|랑|과|와|[ ,.])|^(?P<greeted>{_G}{{2,6}})님(?=[,께!은])|(?<!{_G})(?P<one>[솔봄샘빛솜율준현건찬훈혁린랑환결슬훤빈웅욱숙희])(?= (?:형|누나|언니|오빠|삼촌|이모|쌤)(?!{_G}{{3}}))|(?<!{_G})(?P<soft>[찬윤준훈혁욱숙율]이)(?=(?:도|랑|네|한테|야)(?!{_G})|[는가] )|(?<!{_G})저 (?P<me>{_G}{{2,4}}?)(?:이에요|예요|인데요?|입니다)(?!{_G})",
    re.MULTILINE,
)
_NAMING: Final = lazy_regex(
    rf"(?P<item>님)(?!{_G}{{3}})|(?:라는|란) (?P<called>별명|사람|남자|여자|아이|친구|동생|형)|의 (?P<known>본명)|이?라고 (?P<so>불리|하는 (?:사람|동생|남자|여자|형))|이?라(?P<told>고 (?:적혀|했|소개|합니다)|는 (?:청년|학생|분|남성|여성|애|아저씨|아줌마|직원|선생))|(?P<lady>댁)(?=이|은|네|한테|[ ,.])|네 (?P<house>집|식구|가족|아들|딸|엄마|아빠|강아지|고양이|텃밭|마당|차)(?!{_G}{{3}})|[(（](?P<patient>[FM남여]/[0-9{OTHER}]{{1,3}}|[0-9{OTHER}]{{1,3}}/[FM남여])[)）]|[(（](?P<alias>본명|실명|별명|애칭)"
)
"""What stands behind a name, which is looked for backwards."""
_NAME_BEFORE: Final = lazy_regex(rf"(?<!{_G})(?P<name>{_G}{{2,5}})[’”'\" ]?\Z")
_WORD_RUN: Final = lazy_regex(rf"(?<!{_G}){_G}{{1,9}}(?: {_G}{{1,9}}){{0,12}}")
_WORD: Final = lazy_regex(rf"{_G}{{1,9}}")
_PARTICLE: Final = frozenset(
    (*_PARTICLES.split("|"), "이도", "이와", "씨", "님", "이랑", "하고", "네", "씨가", "씨는", "씨와")
)
_SINGLE: Final = frozenset("티 반 킴 텐 최 박 정 강 조 윤 리 빈 응옥 투 쑤언 김 쩐 팜 송".split())
_ENDING: Final = lazy_regex(r"(?<=.)(?:이랑|랑|도|에게|한테|는|가|와|하고)\Z")
_COPULA: Final = lazy_regex("이고|입니다|이에요|예요|인데")
_HONORED: Final = lazy_regex("씨|님|선생님|교수님?|박사|원장님?|강사")
_TITLE: Final = lazy_regex(rf"(?:{_TITLES})\Z")


@cache
def _doubtful() -> frozenset[str]:
    return frozenset(written("ko")["given names too"])


@cache
def _given() -> frozenset[str]:
    return _whole_given() | _doubtful()


@cache
def _whole_given() -> frozenset[str]:
    """Return given names that a family name alone tells: no words but those of the public list."""
    return listed("ko", "given") | frozenset(written("ko")["native given"])


@cache
def _foreign() -> frozenset[str]:
    return frozenset(written("ko")["foreign given"])


_GENERIC_BEFORE: Final = lazy_regex(
    "(?:동네|근처|인근|단골|유명|대형|우리|사내|교내|학교|회사|수학|영어|미술|음악|피아노|논술|입시|보습|무인|키즈|애견|한인|프랜차이즈|저희|해당|전문|고급|산업|그래픽|패션|실내|제품|시각)"
)
_GIVEN: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_G}{{2}})(?:(?: ?(?P<polite>씨|님|쌤|샘|군(?! ?인)|양|선배|(?P<kin>오빠|언니|누나|(?:작은|큰|외)?(?:이모|고모|삼촌|숙모)|이모부|고모부|삼춘|할머니|할아버지|할매|할배|아주머니|아주머님|아저씨|아줌마|아주버님|도련님|서방님|아가씨|형수|제수씨|매형|매부|어르신|여사|누님)님?|이네)|이? (?P<sibling>형|누나|언니|오빠)| (?P<role>{_TITLES}))(?=(?:{_PARTICLES}|도|네)?(?!{_G}))"
    rf"|(?P<fond>이(?:랑|한테|에게|하고|[가는를도와의네])[도는]?(?!{_G}))|(?:랑|한테|에게|하고)(?:도|는)?(?!{_G})|(?P<open>도|가|는|를|와)(?!{_G})(?P<does>(?: {_G}{{1,5}}){{0,2}} (?:온대|온댔|간대|올래|갈래|못 [온간]|온다고|간다고|말해|데려|좋대|싫대|잔대|바쁘대|아프대))?|(?P<voice>[아야])(?=[,!. ]))"
)
"""A given name before a title, before a particle that only names of persons have, or before what persons do."""

_HANDLE: Final = lazy_regex(
    rf"(?<![\w/.-])(?P<name>{_G}{{2,8}})_(?:[0-9]{{1,3}}|[a-z]{{1,6}}[0-9]{{0,4}})(?=[\s:：님,)]|\Z)"
)
_CELL: Final = lazy_regex(
    rf"(?:(?P<first>(?:(?<=[\[, ]\()['\"]|(?:user|name|client|customer|고객|사용자|회원|환자|이름|성명)=['\"]?))|(?<=[=\[]['\"])|(?<=[^A-Z_]=)|(?<={OTHER} ))(?P<name>{_FULL})(?=['\"]|[ ,;\n]|\Z)"
)
"""What a value of code or of a log is, and nothing else: user=방하랑, ('목진우', ...)."""
_PUBLIC_ROLE: Final = lazy_regex(
    "대표|선수|의원|위원|작가|배우|시장|장관|기자|감독|대통령|총리|검사|학생|코치|의사|사원|여사|연구원|도지사|조장|반장|선생(?!님)"
)
"""Whom a word for a thing stands before too: 나라 대표."""
_JOINED: Final = lazy_regex(rf"(?<=[랑고와과] )(?P<name>{_G}{{2}})(?=[가이는은](?: |$))")
"""A given name that another one is joined to: 수진이랑 영호가."""


@cache
def _words() -> frozenset[str]:
    """Return frequent words but names of persons whom everybody knows."""
    words = listed("ko", "ordinary") | listed("ko", "frequent")
    known = listed("ko", "given")
    return frozenset(word for word in words if not (len(word) == 3 and word[0] in _COMMON and word[1:] in known))


def _is_noun(word: str) -> bool:
    return word in _words() or word in listed("ko", "further")


@cache
def _syllables() -> frozenset[str]:
    return frozenset("".join(listed("ko", "given")))


def family_of(name: str) -> str:
    """Return the family name that a name begins with."""
    return name[:2] if name[:2] in listed("ko", "family") and len(name) > 2 else name[:1]


_NO_END: Final = "한된는은인운할던적의를을에가과와로도만고며서면"
_NOBODY: Final = frozenset(written("ko")["nobody"])


def _no_name(name: str) -> bool:
    return name in _words() or name in _NOBODY or name in listed("ko", "place")


@cache
def _ends() -> frozenset[str]:
    return frozenset([name[-1] for name in listed("ko", "given")]) | set(_OLD)


_OLD: Final = "구득출열녀심달판말춘술돌쇠삼칠억갑봉덕점필팔개끝막복배례"
"""Syllables of older given names that the list lacks."""


def _is_made_given(name: str) -> bool:
    """Return whether two syllables are made as given names are, and are no word."""
    fits = len(name) == 2 and (name[0] in _syllables() or name[0] in _OLD) and name[1] in _ends()
    return fits and not _no_name(name) and name not in _KIN


def _is_made_like_one(name: str) -> bool:
    return (
        len(name) == 3
        and name not in _NOBODY
        and name not in listed("ko", "frequent")
        and set(name[1:]) <= _syllables()
    )


def find_titled(text: str) -> Iterator[Found]:
    """Yield names behind a label or a word for a person, and before a title."""
    for pattern in (_LABELLED, _SPACED_LABEL):
        for match in matches(pattern, text):
            if match["name"] not in _words() and match["name"] not in _NOBODY:
                end = _longer(text, match.end("name"), match["name"])
                yield Found(match.start("name"), end, "person", 0.8, "field")
                while text.startswith(_ATTENDING, match.start()) and (other := _ANOTHER.match(text, end)):
                    end = other.end("name")
                    if not (_no_name(other["name"]) or _is_noun(other["name"])):
                        yield Found(*other.span("name"), "person", 0.7, "field")
    for match in matches(_ENTRY, text):
        name = match["name"]
        told = match["own"] and len(name) == 3 and name[0] in _WIDE and name[-1] not in _NO_END
        told = told or (_is_made_like_one(name) and name[0] in _COMMON)
        if (told or name in _given() or name[1:] in _given()) and not _no_name(name):
            yield Found(*match.span("name"), "person", 0.7, "field")
    for match in matches(_ANY_LABEL, text):
        name = match["name"]
        made = len(name) == 3 and name[0] in _WIDE and name[-1] not in _NO_END
        made = made and not _syllables().isdisjoint(name[1:])
        if (made or name in _foreign()) and not _no_name(name):
            yield Found(match.start("name"), _longer(text, match.end("name"), name), "person", 0.7, "field")
    yield from _addressed(text)
    yield from _named_behind(text)
    yield from _of_abroad(text)
    yield from _behind_titles(text)
    yield from _titled(text)


_ANY_ROLE: Final = lazy_regex(
    rf"(?:(?<!{_G})(?:{_G}{{1,4}}[사관장원자의]|기록|작성|담당|야간조|주간조|수익자 모|수익자 부)|(?<={OTHER})(?= {_G}{{3}} ?[(☎/,\n{OTHER}])) (?P<name>(?:(?:{_DOUBLE}){_G}|{_G}{_G}){_G})(?=(?:{_PARTICLES})?(?:[\s,.!?)(/]|\Z)|님|씨)"
)


_ENDS_ROLE: Final = ("", *"\n/,(")


def _behind_roles(text: str) -> Iterator[Found]:
    for match in matches(_ANY_ROLE, text):
        name = match["name"]
        made = name[0] in _WIDE and _is_named(name)
        made = made or (name[0] in _COMMON and not _is_noun(name) and text[match.end() : match.end() + 1] in _ENDS_ROLE)
        if made and name[-1] not in _NO_END and not (_is_noun(name[:2]) or _is_noun(name[1:])):
            yield Found(*match.span("name"), "person", 0.6, "title")


def _behind_titles(text: str) -> Iterator[Found]:
    for pattern in (_BEHIND_TITLE, _CLOSING, _RELATED):
        for match in matches(pattern, text):
            name = match["name"]
            behind = text[match.end("name") : match.end("name") + 2]
            short = pattern is _BEHIND_TITLE and len(name) == 2  # 이장 판술
            if short and not (name in _given() - _doubtful() or (_ENDED.match(behind) and _is_made_given(name))):
                continue
            rare = pattern is _BEHIND_TITLE and name[0] not in _COMMON and len(family_of(name)) == 1 and not short
            made = (
                set(name[1:]) <= _syllables()
                or (name[-1] in _syllables() and behind in _FIELD_ENDS)
                or behind in _HONORS
            )
            if rare and not (len(name) == 3 and made):
                continue
            bent = name[-1] in "가를은는이와과도의" and name[:-1] in _words()
            if not (bent or _no_name(name)) and name[-1] != "님":
                yield Found(*match.span("name"), "person", 0.7, "title")
                other = _ANOTHER.match(text, match.end("name"))
                if other and _is_made_like_one(other["name"]):
                    yield Found(*other.span("name"), "person", 0.6, "title")


_ENDED: Final = lazy_regex(rf"[,.(\n]| [0-9{OTHER}]|\Z")


def _longer(text: str, end: int, name: str) -> int:
    """Return where a name in a field ends that may have further words, if it is no Korean one."""
    more = _SECOND.match(text, end)
    if more is None or (len(name) == 3 and name[0] in _COMMON and name not in _foreign()):
        return end
    words = [word for word in more.groups() if word]
    return end if any(_TITLE.fullmatch(word) or _no_name(word) or word in _KIN for word in words) else more.end()


def _is_named(name: str) -> bool:
    """Return whether a word is no noun, and made as names are."""
    if name in _given():
        return True
    made = _is_made_given(name) or _is_made_like_one(name) or (len(name) > 2 and name[:2] in _DOUBLE.split("|"))
    return made and not _is_noun(name)


def _addressed(text: str) -> Iterator[Found]:
    """Yield any name before 씨, of who lies in a room, and by which somebody is called."""
    for match in matches(_ADDRESSED, text):
        group = match.lastgroup or ""
        name = match[group]
        unknown = group in ("quoted", "user", "closing") or name not in listed("ko", "frequent")
        unknown = unknown and (
            group not in ("numbered", "bed")
            or (_is_made_like_one(name) and name[-1] not in _NO_END)
            or _COPULA.match(text, match.end(group)) is not None
        )
        unknown = unknown and (group != "closing" or name in _given() or not _no_name(name))
        unknown = unknown and (group != "me" or _is_named(name))
        unknown = unknown and (group != "old" or set(name) <= _syllables() | {"돌", "쇠", "배"})
        if unknown and name not in _NOBODY and name not in _KIN and not _TITLE.search(name):
            yield Found(*match.span(group), "person", 0.7, "title")


def _named_behind(text: str) -> Iterator[Found]:
    """Yield names by what stands behind them: 마루라는 청년."""
    for match in matches(_NAMING, text):
        before = _NAME_BEFORE.search(text, max(0, match.start() - 7), match.start())
        name, group = before["name"] if before else "", match.lastgroup
        if before is None or name in _NOBODY or name in _KIN or _TITLE.search(name):
            continue
        if group in ("item", "told"):
            told = (_is_named(name) and (group == "told" or len(name) == 3)) or (
                group == "item"
                and len(name) > 3
                and not _is_noun(name)
                and name[-1] not in "자원장생분객손인사관민주모부들"
            )
        else:
            told = name not in listed("ko", "frequent") and not (
                group in ("house", "patient", "lady") and _is_noun(name)
            )
        if told:
            yield Found(*before.span("name"), "person", 0.7, "title")


def _of_abroad(text: str) -> Iterator[Found]:
    """Yield names of other languages: a listed word with its neighbors that are listed or one syllable."""
    for run in matches(_WORD_RUN, text):
        if not any(word[:size] in _foreign() for word in run[0].split(" ") for size in (2, 3, 4, 5)):
            continue
        words = [(run.start() + word.start(), word[0]) for word in _WORD.finditer(run[0])]
        place = 0
        while place < len(words):
            bare = _bare(words[place][1])
            first = last = place
            if bare in _foreign():
                while first and (words[first - 1][1] in _foreign() or words[first - 1][1] in _SINGLE):
                    first -= 1
                while bare == words[last][1] and last + 1 < len(words) and _goes_on(words[last + 1 :][:2]):
                    last, bare = last + 1, _bare(words[last + 1][1])
                if first != last or bare not in _doubtful():
                    yield Found(words[first][0], words[last][0] + len(bare), "person", 0.6, "list")
            place = last + 1


def _goes_on(words: list[tuple[int, str]]) -> bool:
    """Return whether the first of these words can be a further one of a name of another language."""
    bare = _bare(words[0][1])
    if words[0][1].startswith(("씨", "님")):
        return False
    honored = len(words) > 1 and _HONORED.match(words[1][1]) is not None
    return bare in _foreign() or bare in _SINGLE or (len(bare) < 4 and (honored or bare != words[0][1]))


def _bare(word: str) -> str:
    """Return a word without its particle if it is a name of another language then."""
    cuts = (word[:cut] for cut in range(len(word), 0, -1) if cut == len(word) or word[cut:] in _PARTICLE)
    return next((cut for cut in cuts if cut in _foreign() or cut in _SINGLE), _ENDING.sub("", word) or word)


def _titled(text: str) -> Iterator[Found]:
    """Yield names before a title, behind a relative, of who speaks, and beside a particle."""
    for match in matches(_TITLED, text):
        name = match["name"]
        if (
            name in _HONORING
            or (_no_name(name) and not (_is_made_like_one(name) or (len(name) == 2 and name in listed("ko", "family"))))
            or _no_name(match[0].replace(" ", ""))
            or (name[2:] == "자" and _is_noun(name[:2]) and name[1:] not in _given())
            or (len(name) == 1 and name in _NOBODY and "씨" not in match[0])
        ):
            continue
        if (
            len(name) == 1
            and not match[0].endswith("님")
            and name
            not in "김이박최정강조윤장임한오서신권황안송류유홍양손배백허심노곽성차함맹추엄염마길연표왕옥육탁편봉피석설변채천방공진민"
        ):
            continue
        if match[0].endswith("시장") and " " not in match[0] and name[1:] not in _given():
            continue
        if len(name) == 2 and not (set(name[1:]) <= _syllables()):
            continue
        if len(name) == 3 and name[0] not in _COMMON and not _is_made_like_one(name):
            continue
        if len(name) == 3 and name[-1] in _NO_END and name[1:] not in _given():
            continue
        yield Found(*match.span("name"), "person", 0.8, "title")
    yield from _of_kin(text)
    for match in matches(_I_AM, text):
        name = match[match.lastgroup or 0]
        unmade = (
            (match.lastgroup == "said" or name[0] not in _WIDE)
            and match.lastgroup in ("said", "name")
            and not _is_made_like_one(name)
        )
        if not (unmade or _no_name(name)) and _is_known(match.lastgroup or "", name):
            yield Found(*match.span(match.lastgroup or 0), "person", 0.7, "cue")
    yield from _in_cells(text)
    for pattern in (_GIVEN, _JOINED):
        for match in matches(pattern, text):
            name = match["name"]
            called = (
                pattern is _GIVEN and match["voice"] and text[match.start() - 1 : match.start()] in ('"', "“", "\n")
            )
            told = pattern is _GIVEN and (
                called or match["polite"] or match["sibling"] or match["does"] or match["role"]
            )
            plain = pattern is _JOINED or (
                (match["open"] or _PUBLIC_ROLE.match(match["role"] or "")) and not match["does"]
            )
            fond = pattern is _GIVEN and match["fond"] and (ord(name[-1]) - 0xAC00) % 28 and _is_named(name)
            known = (
                fond
                or name in _given()
                or (
                    told
                    and (match["kin"] or match["sibling"] or (match["role"] or "").endswith("님"))
                    and _is_made_given(name)
                )
            )
            known = known and name not in _HONORING
            if known and not (plain and name in _doubtful()) and (told or not _no_name(name)):
                ends_so = bool(fond) and name[0] in _COMMON and name[1:] + "이" in _given()  # 금별이는
                yield Found(match.start("name"), match.end("name") + ends_so, "person", 0.6, "list")


_HONORING: Final = frozenset(f"{stem}신" for stem in "이하계오가되사나주보쓰")  # 여든하나이신 할머니


def _in_cells(text: str) -> Iterator[Found]:
    """Yield handles, and names that are what a cell or a value of code is."""
    for match in matches(_HANDLE, text):
        if not _is_noun(match["name"]):
            yield Found(*match.span(), "handle", 0.7)
    for match in matches(_CELL, text):
        if (match["first"] or _is_made_like_one(match["name"])) and not _no_name(match["name"]):
            yield Found(*match.span("name"), "person", 0.6, "field")


def _is_known(group: str, name: str) -> bool:
    """Return whether a name may stand alone before a colon or before a word for a parent."""
    alone = group in ("child", "writer", "intro")
    return not alone or (name in _given() and not (group == "writer" and name in _doubtful()))


def _of_kin(text: str) -> Iterator[Found]:
    """Yield listed given names behind a relative, with an unlisted family or none."""
    for match in matches(_OF_KIN, text):
        name = match["name"]
        listed_too = name[-2:] in _given() or (len(name) == 2 and set(name) <= _syllables())
        fits = listed_too and (len(name) == 2 or name[0] in listed("ko", "family"))
        if fits and name not in _NOBODY and name not in listed("ko", "frequent"):
            yield Found(*match.span("name"), "person", 0.7, "title")


_SURE: Final = "김이박최정강조윤장임오서신권황송류유홍손배백허남심곽표복피염뇌당좌견편옹갈필채승풍"


def find_free(text: str) -> Iterator[Found]:
    """Yield names of three syllables with a listed given name, or made like one, before a particle; lone given names."""
    for match in matches(ALONE, text):
        if match["name"] in _whole_given() and not _no_name(match["name"]):
            yield Found(*match.span("name"), "person", 0.5, "list")
    yield from _behind_roles(text)
    for match in matches(_FREE, text):
        name = match["name"]
        given = name[len(family_of(name)) :]
        bent = not match["particle"] and name[-1] in "이가은는을를의도만" and name[:-1] in _NOBODY
        if (
            bent
            or _no_name(name)
            or _no_name(name + match["particle"])
            or (name[:2] in _words() and given not in _whole_given())
        ):
            continue
        if given in _whole_given():
            yield Found(*match.span("name"), "person", 0.7, "list")
        elif (
            (match["particle"] or text[match.end() : match.end() + 1] in (",", "("))
            and len(given) == 2
            and set(given) <= _syllables()
            and (name[0] in _SURE or not (_is_noun(name[:2]) or _is_noun(given) or _is_noun(name)))
        ):
            yield Found(*match.span("name"), "person", 0.5, "guess")


_NO_STATION: Final = "지구무통병영배면검용권유광내전반해성이번"
_ADDRESS: Final = lazy_regex(
    rf"(?<!{_G})(?:{_G}{{2,4}}(?:특별시|광역시|특별자치시|특별자치도|도|시)?(?<![은는이가을를]) )?(?:{_G}{{1,5}}(?:시|군|구) ){{0,2}}(?:{_G}{{1,4}}(?:읍|면) )?"
    rf"(?:{_G}{{1,8}}(?:[0-9]{{1,3}})?(?:로|길|대로)(?: ?[0-9]{{1,3}}(?:번|[가-하])?길)?|{_G}{{1,6}}[0-9]?(?:동|리|가))(?: ?산)? ?[0-9]{{1,5}}(?:-[0-9]{{1,4}})?(?:번지|번길 [0-9]{{1,4}})?(?![0-9년월일시분%세])"
    rf"(?:(?:,? ?[가-힣A-Za-z0-9]{{2,12}}){{0,2}}(?:,? ?(?:[0-9]{{1,4}}|[가-하A-Z])동|,? ?[0-9]{{1,2}}단지|,? ?(?:지하 ?)?[0-9]{{1,3}}층|,? ?(?:반지층|지층|반지하|옥탑)|,? ?[0-9]{{1,4}}호)(?![가-힣]{{3}}))?(?:,? ?(?:[0-9]{{1,4}}|[가-하A-Z])동)?(?:,? ?[0-9]{{1,3}}층)?(?:,? ?[0-9]{{1,4}}호)?"
    rf"(?:,? ?[가-힣A-Za-z]{{2,12}}(?:아파트|빌라|빌딩|타워|오피스텔|맨션|타운|자이|푸르지오|래미안|힐스테이트|플라자|상가))?"
)
_BUILT: Final = "써밋|아이파크|더샵|캐슬|센트럴|위브|휴먼빌|스위첸|데시앙|센트레빌|해모로|베르디움|휴먼시아|수자인|하늘채|스카이뷰|리버뷰|파크뷰|레이크|시티|포레|빌딩|타워"
_ESTATE: Final = lazy_regex(
    rf"(?<!{_G})(?:(?:{_G}{{2,5}}[시군구읍면동리] ){{0,3}}{_G}{{1,10}}(?:아파트|마을|빌라|빌리지|하이츠|하이빌|타운|맨션|자이|푸르지오|래미안|힐스테이트|오피스텔|연립|상가|플라자|{_BUILT}|빌|(?<={_G}{_G})(?= [0-9]{{1,2}}단지))(?: ?[0-9]{{1,2}}단지)?(?: ?(?:[0-9]{{1,4}}|[가-하A-Z])동)?(?: ?[0-9]{{1,2}}층)?(?: ?[0-9]{{1,4}}호)?(?: ?(?:지하)?주차장)?(?=(?:에서|에|의|으로|로|은|는|이|가|을|를|과|와|까지|인데|이?에요|예요|이?요|이?라고|입니다|이고|이며)?(?:[^가-힣]|\Z))"
    rf"|(?P<unit>(?:[0-9]{{2,4}}|[A-Z가-하])동 ?[0-9]{{2,4}}호)|(?<=집 )[0-9]{{3,4}}호)"
)
_ESTATE_BEFORE: Final = lazy_regex(rf"(?<!{_G}){_G}{{2,8}}(?: {_G}{{2,8}})? \Z")
_GROUNDS: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>(?:{_G}{{1,6}}[시군구읍면동리네랑의] ){{0,2}}{_G}{{1,9}}?(?:공원|수목원|식물원|동물원|휴양림|놀이터|유원지|해수욕장|해변|해안|계곡|저수지|선착장|포구|터미널|시장|사거리|삼거리|체험관|캠핑장|썰매장|스키장|골프장|야영장|낚시터|관(?= [0-9{OTHER}]{{1,2}}층)|[산골호봉강]사?(?= (?:근처|앞|옆|주변|인근|탑사|들렀|다녀|정상|등산|입구|기슭|자락|갔다|가는)|에서|에 (?:갔|다녀|오르|올라|들렀|있))|운동장|경기장|수영장|산장|등대|폭포|온천|휴게소|나들목|(?<![{_NO_STATION}])역(?= ?(?:앞|근처|부근|인근|[0-9{OTHER}]{{1,2}}번|에서|화장실|출구|개찰구|광장|대합실|승강장))))(?=(?:에서|에|의|으로|로|은|는|이|가|을|를|과|와|까지)?(?:[^가-힣]|\Z))"
)
_UNITS: Final = lazy_regex(
    rf"(?<!{_G})(?:{_G}{{2,4}}(?:특별시|광역시|특별자치시|특별자치도)|(?:경기|강원|충청[남북]|전라[남북]|경상[남북]|제주|전[남북]|경[남북]|충[남북])도?)(?: {_G}{{1,5}}(?:시|군|구)(?!{_G}{{3}})){{0,2}}(?: {_G}{{1,5}}(?:읍|면|동)(?!{_G}{{3}}))?(?: {_G}{{1,4}}리(?!{_G}))?"
)
_VILLAGE: Final = lazy_regex(
    rf"(?<!{_G})(?:{_G}{{1,3}}[시군구] )?(?:{_G}{{1,3}}(?:읍|면) {_G}{{1,4}}[0-9]?리|{_G}{{2,3}}읍)(?=에서|에|의|으로|로|은|는|이|가|을|를|과|와|까지|[^가-힣]|\Z)"
)
"""A village by what it belongs to."""
_HEARD_OF: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_G}{{1,3}}[포진호암산천곡주원성도강평양동촌항])(?=에서 (?:{_G}{{1,3}} )?(?:만나|보자|봐|온대|왔|올라|내려|출발|자라|태어|장사|일하|사[는세자]|살)|에 (?:살|사는|거주)|[ 에]?출신)"
)
_TOWN: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_G}{{1,3}}(?:(?<![행운활노이감충변작진협역율부])동|[면읍]))(?=에서|에 (?:살|사는|거주|있|왔)|이라는데|이래|으로 (?:이사|왔|와|가)| 출신|(?<=동) (?:살|사는|산다))"
)
_NO_TOWN: Final = frozenset("자동 공동 아동 전동 냉동 소동 합동 전자동 반자동 가동 유동 난동 파동 선동 구동".split())
_LONG_WORD: Final = lazy_regex(rf"(?<!{_G}){_G}{{2,12}}")
_WITHIN: Final = lazy_regex(
    rf"(?: {_G}{{1,5}}(?:시|군|구|동|읍|면|리|도|항)(?=[^가-힣]|에|의|로|으|을|를|은|는|이|가|\Z)){{1,3}}"
)
_PLACED: Final = lazy_regex(rf"(?<!{_G})(?P<before>{_G}{{1,3}}[동면읍리촌릉진천산포원주성곡평남북구군시암호]) \Z")


def _widened(text: str, start: int) -> int:
    """Return where a place begins before what is within it: 신촌 큰마음병원."""
    before = _PLACED.search(text, max(0, start - 6), start)
    return before.start() if before and not _is_noun(before["before"]) else start


_BEHIND_PLACE: Final = lazy_regex(
    rf"(?:시|군|구|도|역|공항|대교|항|동)?(?:에서는|에서|에는|에|으로|로|의|까지|부터|은|는|이|가|을|를|와|과|도|만|행|산|출신|지역|시내|여행|출장|지사|지점|본사|입니다|이며|이고|에서의)?(?!{_G})"
)


def find_places(text: str) -> Iterator[Found]:
    """Yield addresses, provinces with what is within them, and listed places with a particle behind them."""
    for match in matches(_ADDRESS, text):
        first = match[0].split(" ")[0]
        if match[0].count(" ") < 2 and (first in _words() or first[:-1] in _words()):
            continue  # 정말로 15
        yield Found(*match.span(), "place", 0.8, "street")
    for pattern in (_ESTATE, _GROUNDS):
        for match in matches(pattern, text):
            word = match[0].split(" ")[-1]
            if not (
                match[0] in _GENERIC
                or _no_name(word)
                or _is_noun(word)
                or _GENERIC_BEFORE.match(word)
                or (word.endswith(("호", "강", "봉")) and _is_noun(word[-2:]))
            ):
                housed = any(map(str.isdigit, match[0]))  # more than the name of an estate
                start = _widened(text, match.start())
                if pattern is _ESTATE and match["unit"]:
                    named = _ESTATE_BEFORE.search(text, max(0, start - 18), start)
                    start = named.start() if named else start
                yield Found(start, match.end(), "place", 0.8 if housed else 0.75, "place-end")
    for match in matches(_VILLAGE, text):
        yield Found(*match.span(), "place", 0.7, "list")
    for pattern in (_TOWN, _HEARD_OF):
        for match in matches(pattern, text):
            if not _is_noun(match["name"]) and not _no_name(match["name"]) and match["name"] not in _NO_TOWN:
                yield Found(*match.span("name"), "place", 0.6, "place-end")
    for match in matches(_UNITS, text):
        yield Found(*match.span(), "place", 0.7, "list")
    places = listed("ko", "place")
    for match in matches(_LONG_WORD, text):
        word = match[0]
        length = next((n for n in range(min(8, len(word)), 1, -1) if word[:n] in places), 0)
        if (
            length
            and not (length < len(word) and _is_noun(word))
            and (tail := _BEHIND_PLACE.match(text, match.start() + length))
        ):
            unit = tail[0][:1] if tail[0][:1] in ("시", "군", "구", "역", "항") and tail[0][:1] else ""
            end = match.start() + length + len(unit)
            within = _WITHIN.match(text, end)
            yield Found(match.start(), within.end() if within else end, "place", 0.6, "list")


_FIRM: Final = lazy_regex(
    rf"(?:주식회사|㈜|\((?:[주유재의합]|사)\)|농업회사법인|영농조합법인|유한회사|재단법인|사단법인|의료법인|학교법인|사회복지법인) ?[가-힣A-Za-z0-9&]{{2,15}}?(?=(?:에서는?|에게?|으로|[은는을를])?(?:[^가-힣A-Za-z0-9&]|$))|[가-힣A-Za-z0-9&]{{2,15}}(?: ?㈜| ?\(주\)|(?<![는은가를을의]) ?주식회사(?! ?{_G}))"
)
_QUOTED: Final = lazy_regex(
    r"(?:식당|카페|가게|회사|학원|미용실|펜션|빵집|술집|서점|공방|한식당|분식집) ?['‘“\"「](?P<name>[가-힣A-Za-z0-9 ]{2,16})['’”\"」]|['‘“\"「](?P<run>[가-힣A-Za-z0-9 ]{2,16})['’”\"」](?:[을를]|이?라는) ?(?:운영|경영|개업|차|열|식당|가게|카페|상호)|(?<![가-힣A-Za-z])(?P<said>[가-힣A-Za-z0-9]{2,10}?)이?라는 (?:카페|식당|가게|회사|학원|빵집|술집|미용실|펜션|민박|모임|동아리|동호회|서점|책방|병원|학교|업체|공방|농장|밴드)(?![가-힣]{3})"
)
_KINDS: Final = (
    "대학교병원|대학병원|종합병원|병원|대학교|대학원|고등학교|중학교|초등학교|유치원|어린이집|의원|한의원|치과|약국|보건소|은행|전자|그룹|건설|물산|제약|화학|자동차|증권|생명|화재|카드|텔레콤|통신|백화점|호텔|"
    "구청|시청|경찰서|소방서|법원|지방법원|검찰청|연구소|연구원|협회|재단|공사|공단|신문|일보|방송|출판사|법무법인|요양원|복지관|도서관|미술관|박물관|테크|소프트|시스템즈?|솔루션즈?|바이오|푸드|유통|물류|상사|산업|식품|항공|여행사|컴퍼니|스튜디오|센터|대|"
    "아파트|빌라|오피스텔|맨션|연립|농장|체험장|관광|정형외과|내과|소아과|피부과|안과|이비인후과|학원|태권도|미용실|식당|카페|교회|성당|세탁소|정비소|부동산|문구점|서점|꽃집|빵집|철물|인테리어|디자인|익스프레스|이삿짐|공인중개사(?:사무소)?|세무사|법무사|지구대|파출소|고속관광|정밀|조선기자재|기자재|금속|횟집|수산|축산|농원|과수원|화원|주물|정공|기전|섬유|로지스|제지|포차|노래방|당구장|찜질방|펜션|민박|모텔|게스트하우스|마트|슈퍼|고깃집|떡집|책방|찻집|밥집|상점|방앗간|카센터|공업사|엘리베이터|포장|인쇄|목공소|철물점|공방|문구|상회|다방|여인숙|여관|한복|서림|약방|철공소|건어물|건강원|다실|고시원|독서실|하숙|쉼터|경로당|요양병원|조리원|[동서남북중]부서|화물|택배|렌터카|제철소|조선소|정미소|렉카|양봉|주막|제재소|목장|영농|농협|축협|수협|신협"
)
_INSTITUTION: Final = lazy_regex(
    rf"(?<![가-힣A-Za-z])(?P<name>(?:{_G}{{1,6}}[네랑의] |{_G}{{2,6}} (?=(?:체험|주말|관광|캠핑|생태|문화|종합|민속|키즈)))?[가-힣A-Za-z0-9]{{2,10}}?(?:{_KINDS})(?:병원)?)(?=(?:장(?=[^가-힣]|\Z)|에서|에|의|으로|로|을|를|이|가|은|는|와|과|도|까지|부터|입니다|이요|이에요|예요|이고)?(?:[\s,.()]|$))"
)
_APART: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>(?P<own>{_G}{{2,5}}) (?:횟집|요양원|식당|카페|병원|의원|한의원|약국|미용실|세탁소|정비소|서점|책방|빵집|꽃집|공방|펜션|민박|모텔|산장|어린이집|유치원|학원|슈퍼|마트|농원|농장|철물점?|떡집|분식|치킨|포차|상회|문방구|기획|디자인|스튜디오))(?=에서|에|으로|로|은|는|이|가|을|를|과|와|도|의|[^가-힣]|\Z)"
)
"""A house with a space before the word for its sort: 두레박 횟집."""
_EMPLOYER: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_G}{{3,10}})(?= (?:대리|과장|차장|부장|팀장|사원|주임|인턴|점장|매니저|실장|연구원) ?[(（][12{OTHER}])"
)
"""Where somebody worked: 너른뜰조경 대리 (2017)."""
_LOOSE: Final = lazy_regex(
    rf"(?:조선|영어|수학|국어|논술|피아노|음악|미술|체육관|요가|헬스|필라테스|볼링장?|안경원?|가구|조명|전기|설비|누수|도배|타일|건축|토건|개발|기획|광고|미디어|교육원?|문고|운수|통상|무역|교통|렌탈|세차장?|모터스|타이어|주유소|충전소|골재|레미콘|철강|금형|사출|기계|중공업|에너지|환경|조경|정육점?|제과점?|베이커리|주점|호프|맥주|양조장?|한과|반찬가게|반찬|뷔페|레스토랑|키친|하우스|네일|헤어|뷰티|의상실|동물병원|클리닉|웨딩|상조|장례식장|예식장|웨딩홀|컨벤션|회관|게하|글램핑|캠핑장|리조트|콘도|연수원|수련원|학교|복지원|쉼터|지업사|사진관|만화방|오락실|피시방|PC방|독서논술)(?=(?P<works>에서 (?:{_G}{{1,6}} )?(?:일|근무|배우|알바)|에 (?:다니|다녔|취직|입사|근무|들어)|으?로 (?:옮|이직|출근))|에서|으?로 (?:와|오세|가)|에?[,.)]|[을를] (?:운영|차렸|열었|하는|하고|합니다|해요)|이라는| [0-9{OTHER}]| (?:대표|사장|원장|직원|팀장|담당))"
)
"""A house or a firm by its trade, if what stands before is no word: 빛나영어로 옮겼다."""
_OWN_BEFORE: Final = lazy_regex(rf"(?<![가-힣A-Za-z])(?P<own>{_G}{{2,6}}) ?\Z")
_MEALS: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>(?:{_G}{{1,4}}네 {_G}{{0,8}}|(?:{_G}{{1,4}}동 )?{_G}{{2,8}})(?:국밥|칼국수|순대국|순댓국|냉면|김밥|갈비|곱창|족발|치킨|떡볶이|막국수|짬뽕|손만두|해장국|삼겹살|감자탕|커피|순두부|식빵|베이커리))(?=에서| (?:먼저|들어가|문 |앞|옆|가요|가서|어때|근처|사장|추천|갑시다|가자|갈까|하셔|예약)|을 찾|점(?:[^가-힣]|\Z))"
)
"""A restaurant by what it cooks, as one goes there."""
_GENERIC: Final = frozenset(written("ko")["generic"])


def find_organizations(text: str) -> Iterator[Found]:
    """Yield firms with their legal form, and institutions with a name before the word for their sort."""
    for match in matches(_FIRM, text):
        yield Found(*match.span(), "organization", 0.8, "company-end")
    for pattern in (_QUOTED, _MEALS, _SCHOOL):
        for match in matches(pattern, text):
            name = match[match.lastgroup or 0]
            if not (_is_noun(name) or (len(name) == 3 and name[-1] in "초중고" and _is_noun(name[:2]))):
                yield Found(*match.span(match.lastgroup or 0), "organization", 0.7, "institution")
    for match in matches(_APART, text):
        own = match["own"]
        if not (own[-1] in _NO_END or _GENERIC_BEFORE.match(own) or _is_noun(own) or _no_name(own)):
            yield Found(*match.span("name"), "organization", 0.7, "institution")
    for match in matches(_LOOSE, text):
        before = _OWN_BEFORE.search(text, max(0, match.start() - 8), match.start())
        if before and not (before["own"][-1] in _NO_END or _GENERIC_BEFORE.match(before["own"])):
            named = not _is_noun(text[before.start() : match.end()]) and (match["works"] or not _is_noun(before["own"]))
            if named and not (_no_name(before["own"]) and not match["works"]):
                yield Found(before.start(), match.end(), "organization", 0.7, "institution")
    for match in matches(_EMPLOYER, text):
        if not (_is_made_like_one(match["name"]) or _is_noun(match["name"])):
            yield Found(*match.span("name"), "organization", 0.6, "cue")
    for match in matches(_INSTITUTION, text):
        name = match["name"]
        if (
            name not in _GENERIC
            and name not in _words()
            and _GENERIC_BEFORE.match(name) is None
            and (not name.endswith("대") or name.endswith("지구대") or name[:-1] in listed("ko", "place") | _SHORT)
        ):
            yield Found(_widened(text, match.start("name")), match.end("name"), "organization", 0.8, "institution")


_SHORT: Final = frozenset(written("ko")["short places"])


_PARENT: Final = lazy_regex(r"(?:맘|아빠|엄마|네)\Z")
_SCHOOL: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_G}{{2,4}}(?:[초중고](?= (?:[가-힣]{{2}} )?(?:선생|교사|학생|학부모|졸업|[1-6]학년|{OTHER}|다니|앞))|(?:[여남공상외과농]고|[여남]중)(?=[ ,.)]|[를을에의는은도]|출신)|(?<=[(（]{_G}{_G})[초중고](?=[)）,])|[초중고](?=[를을] (?:나|졸업|다니|거쳐)|에 (?:다니|입학|들어)|출신)|대(?=[를을] (?:나|졸업|다니)|에 (?:다니|입학|들어)| {_G}{{2,8}}(?:학과|학부|전공|과)(?!{_G}{{2}})| (?:재학|졸업|출신|대학원))))"
)
"""A school by its short name: 쌍봉초 체육 선생님."""


def mention_forms(name: str, kind: str) -> Iterator[str]:
    """Yield patterns of later mentions: the whole, and the given name of two syllables before a particle."""
    bare = name.replace(" ", "")
    if kind != "person":
        yield rf"(?<!{_G}){re.escape(name)}"
        return
    family = family_of(bare)
    given = bare[len(family) :] if len(bare) < 5 else ""
    parent = _PARENT.search(name)
    alone = {name, name[: parent.start()] if parent and parent.start() > 1 else name}
    alone |= {given} if len(given) == 2 and (given not in _words() or given in _given()) else set()
    yield from (rf"(?<!{_G}){re.escape(form)}{_BEHIND_NAME}" for form in alone)
    if len(family) == 2:
        yield rf"(?<!{_G}){family}{_BEFORE_TITLE}"
    if len(given) == 2:
        yield rf"(?<!{_G}){re.escape(given)}(?= ?(?:씨|님|군|양)(?!{_G}{{2}}))"
    yield from (rf"(?<!{_G}){re.escape(part)}" for part in name.split(" ") if len(part) > 2)


_BEHIND_NAME: Final = rf"(?=(?:{_PARTICLES}|{_TITLES}|이)?(?!{_G}))"
_BEFORE_TITLE: Final = rf"(?= (?:{_TITLES}|총무|감사))"


# fmt: off
PHASES: Final = (
    FORMS,
    Phase("korean-places", (
        Row("korean-organization", find_organizations, anywhere, "organization", 0.8, "company-end cue institution",
            "주식회사 푸른나무에 다닌다", "동네병원에 다닌다"),
        Row("korean-title", find_titled, anywhere, "person", 0.8, "cue field list title", "김민수 씨가 왔다", "고객님이 왔다"),
        Row("korean-place", find_places, anywhere, "place", 0.8, "list street",
            "서울특별시 강남구 테헤란로 152", "정말로 15"),
    )),
    Phase("korean-names", (
        Row("korean-name", find_free, anywhere, "person", 0.7, "guess list title", "어제 이지은이 왔다", "어제 이야기가 길었다"),
    )),
)
"""Organizations and addresses first: their syllables make family names too."""
# fmt: on
