"""Names in Korean: a family name of one syllable with two behind it, titles, labels and particles, addresses, firms."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from textveil.detection.east_asian import FORMS
from textveil.detection.found import Found, Phase, Row
from textveil.detection.gates import anywhere
from textveil.detection.lists import listed, written
from textveil.text.patterns import lazy_regex, matches

_G: Final = "[가-힣]"
_COMMON: Final = "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민나진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용예봉피빈"
_NAME: Final = rf"(?:(?:남궁|황보|제갈|사공|선우|독고){_G}{{1,2}}|[{_COMMON}]{_G}{{1,2}})"
_FULL: Final = rf"(?:(?:남궁|황보|제갈|사공|선우|독고){_G}{{1,2}}|[{_COMMON}]{_G}{{2}})"
_TITLES: Final = (
    "씨|님|기사님|선생님|선생|교수님|교수|박사님?|과장님?|부장님?|대리님?|사장님?|이사님?|원장님?|의사|간호사님?|환자분?|군(?![가-힣])|양(?![가-힣])|변호사님?|기자|대표님?|팀장님?|차장님?|실장님?|위원장?|의원|장관|대통령|회장님?|감독|선수|"
    "학생|어르신|할머니|할아버지|사원|주임님?|본부장님?|센터장|총장|판사|검사(?!를|가|결과)|형님?|누나|언니|오빠|아저씨|아주머니|수간호사|전문의|레지던트|연구원|매니저님?|고객님?|사모님|여사|소장님?|관리소장님?|이장님?|통장님?|총무님?|감사님|교감|교장|담임|원감|목사님?|신부님?|작가|배우|시장|도지사|총리|경위|경장|순경|강사|조교|코치"
)
_PARTICLES: Final = "은|는|이|가|을|를|의|에게서|에게|께서|께|와|과|도|만|랑|이랑|한테|한테서|으로|로|입니다|이고|이며|이라고|라고|이라는|라는|이다|이었다|였다|까지|부터|보다|처럼|야|아|이는|이가|이를|이의|이도|이한테|이에게"
_ROLE_FULL: Final = rf"(?:{_FULL}|[라승단좌감계경복태팽범상온옹목견동부형호화]{_G}{{2}})"
"""A full name of a rarer family too, as it stands behind a role."""
_LABELS: Final = (
    "성명|성함|이름|환자명|환자 ?성명|환자|회장|총무|감사|관리소장|소장|담임교사|담임|교장|교감|원장|추천|상사|팀장|가해자|피해자|신고자|목격자|진술자|조사관|작성|예금 ?주|학부모|아버지|어머니|자녀|형제|성함|세대주|입주자|관리자|운전자|동승자|매수자|상담자|내담자|통역|접수자|세입자|집주인|참석|불참|사회|서기|담당자|담당의|담당 ?의사|담당 ?간호사|보호자|신청인|신청자|대표자|대표이사|대표|수신인?|수신자|발신인?|발신자|작성자|예금주|계약자|주치의|고객명|고객|수령인|받는 ?사람|받는 ?분|보내는 ?사람|직원|학생|학생명|"
    "임대인|임차인|매도인|매수인|원고|피고|피고인|증인|변호인|의뢰인|긴급 ?연락처|비상 ?연락처|배우자|부|모|집도의|기록자|보고자|참석자|발표자|저자|지원자|면접관|추천인|예약자|주문자|승객|의사|간호사|검사자|확인자|서명|강사"
)
_LABELLED: Final = lazy_regex(
    rf"(?<!{_G})(?:{_LABELS})(?: ?[(（][^()（）\n]{{0,10}}[)）])?[ ]?[:：][ ]{{0,3}}(?P<name>{_G}{{2,4}}|{_G} {_G}{{2}}|{_G}{{2,8}} {_G}{{2,8}})(?=\s|[,.(（·/]|{_PARTICLES}|$|님|씨)"
)
_ATTENDING: Final = ("참석", "불참", "출석", "결석")
_ANOTHER: Final = lazy_regex(
    rf"(?: ?[(（][^()（）\n]{{1,10}}[)）])?(?: {_G}{{2}})?[,、] ?(?P<name>{_G}{{3}})(?=[,、 .(（\n]|\Z)"
)
"""A further name behind a label: 참석: 마서연, 단우진."""
_SPACED_LABEL: Final = lazy_regex(rf"성[ ]{{1,6}}명[ ]?[:：]?[ ]{{0,3}}(?P<name>{_FULL})(?!{_G})")
_TITLED: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_NAME}|(?:[{_COMMON}]|남궁|황보|제갈|사공|선우|독고)(?= ?(?:{_TITLES}))) ?(?:{_TITLES})"
)
_BEHIND_TITLE: Final = lazy_regex(
    rf"(?<!{_G})(?:환자|원고|피고인?|매도인|매수인|임대인|임차인|대표이사|소송대리인|간병인|요양보호사|활동지원사|가사도우미|위임인|수임인|의뢰인|보증인|상속인|증여자|수증자|갑|을|신고자|용의자|신고인|고발인|보호자|남편|아내|딸|아들|어머니|아버지|친구|동료|교수|박사|의사|간호사|변호사|대표|팀장|과장|부장|대리|선생님|기자|배우|가수|감독|작가|회장|사장|원장|대통령|장관|의원|선수|고객|학생|동생|언니|오빠|형|누나|할머니|할아버지|이모|삼촌|저는|제 이름은|이름은|예금주|수취인|대표자|담당자|보호자|신청인|총무|(?<=[,:] )감사|소장|관리소장|부녀회장|통장|이장|반장|원장|교감|교장|담임|담임교사|교사|사서|영양사|주임|사원|사무장|간사|이사장|남동생|여동생|형님|올케|외삼촌|작은아버지|큰아버지|윗집|옆집|아랫집|이웃|피의자|피해자|고소인|진술자|목격자|참고인|증인|경위|경사|경장|순경|경감|형사|계장|주무관|주치의|간호사|며느리|사위|손녀|손자|조카|시누이|올케|형수|매형|처제) (?=(?P<name>{_ROLE_FULL})(?:(?:{_PARTICLES})?(?:\s|[,.!?)(]|$)|님|씨))"
)
_FREE: Final = lazy_regex(rf"(?<!{_G})(?P<name>{_FULL})(?P<particle>(?:{_PARTICLES})?)(?!{_G})")
_CLOSING: Final = lazy_regex(rf"(?<!{_G})(?P<name>{_FULL}) (?:올림|드림|배상|拜上)(?=\s|[.(]|$)")
_I_AM: Final = lazy_regex(
    rf"(?<!{_G})(?:저는|나는|전|제 이름은|이름은) (?P<name>{_FULL})(?=인데요?|입니다|이에요|예요|이라고|라고|이고|고)"
    rf"|(?:사랑하는|보고 싶은|친애하는|그리운) (?P<dear>{_G}{{2}})(?=에게|이?야?[,! ]|아[,! ]|이)"
    rf"|(?<!{_G})(?P<aged>{_FULL})(?= ?\([1-9][0-9]\))|(?<!{_G})(?P<child>{_G}{{2}})(?= ?(?:엄마|아빠|맘)(?!{_G}{{2}}))"
    rf"|^(?P<said>{_FULL})(?=입니다|이에요|예요|이라고 합니다|라고 합니다)"
    rf"|^(?P<writer>{_G}{{2}})(?= ?[:：] [^\n])|^(?:[월화수목금토일](?:요일)?)[ :：]{{1,3}}(?P<duty>[{_COMMON}라]{_G}{{2}})(?=[ ,]|$)",
    re.MULTILINE,
)
"""Who says the own name, and whose turn a day is: 수 홍석천."""
_RELATED: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_G}{{2,4}}) ?[（(](?:아내|남편|딸|아들|어머니|아버지|모친|부친|형|동생|누나|언니|오빠|배우자|본인|친구|동료|며느리|사위|손자|손녀|보호자)[)）]"
)
_OF_KIN: Final = lazy_regex(
    rf"(?<!{_G})(?:아버지|어머니|남편|아내|딸|아들|형|누나|언니|오빠|동생|할머니|할아버지|손자|손녀|친구|며느리|사위|이모|고모|삼촌|조카|사촌|큰딸|작은딸|큰아들|작은아들|막내|둘째|외삼촌|외숙모|큰아버지|작은아버지|큰어머니|작은어머니|시어머니|시아버지|장모|장인) (?P<name>{_G}{{2,3}}?)(?=(?:{_PARTICLES}|씨|님)?(?:{_PARTICLES})?(?:\s|[,.!?)(]|$))"
)
_GENERIC_BEFORE: Final = lazy_regex(
    "(?:동네|근처|인근|단골|유명|대형|우리|사내|교내|학교|회사|수학|영어|미술|음악|피아노|논술|입시|보습|무인|키즈|애견|한인|프랜차이즈|저희|해당|전문)"
)
_GIVEN: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_G}{{2}})(?:(?:씨|님|랑|한테|하고|이(?:가|는|를|도|랑|한테|에게)|아(?=[,!. ])|야(?=[,!. ]))(?!{_G})| ?(?:오빠|언니|누나|형|선배)(?=[ ,이가는은랑도한!?.]))"
)


_CELL: Final = lazy_regex(
    rf"(?:(?P<first>(?:(?<=[\[, ]\()['\"]|(?:user|name|client|customer|고객|사용자|회원|환자|이름|성명)=['\"]?))|(?<=[=\[]['\"])|(?<=[^A-Z_]=))(?P<name>{_FULL})(?=['\"]|[ ,;]|\Z)"
)
"""What a value of code or of a log is, and nothing else: user=방하랑, ('목진우', ...)."""
_GIVEN_ALONE: Final = frozenset(("child", "writer"))
"""Groups that hold a given name, which a list must know."""
_JOINED: Final = lazy_regex(rf"(?<=[랑고와과] )(?P<name>{_G}{{2}})(?=[가이는은](?: |$))")
"""A given name that another one is joined to: 수진이랑 영호가."""


@cache
def _words() -> frozenset[str]:
    """Return frequent words but names of persons whom everybody knows."""
    words = listed("ko", "ordinary") | listed("ko", "frequent")
    given = listed("ko", "given")
    return frozenset(word for word in words if not (len(word) == 3 and word[0] in _COMMON and word[1:] in given))


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
                yield Found(*match.span("name"), "person", 0.8, "field")
                end = match.end("name")
                while text.startswith(_ATTENDING, match.start()) and (other := _ANOTHER.match(text, end)):
                    end = other.end("name")
                    if not _no_name(other["name"]):
                        yield Found(*other.span("name"), "person", 0.7, "field")
    for pattern in (_BEHIND_TITLE, _CLOSING, _RELATED):
        for match in matches(pattern, text):
            bent = match["name"][-1] in "가를은는이와과도의" and match["name"][:-1] in _words()
            if not (bent or _no_name(match["name"])) and match["name"][-1] != "님":
                yield Found(*match.span("name"), "person", 0.7, "title")
    yield from _titled(text)


def _titled(text: str) -> Iterator[Found]:
    """Yield names before a title, behind a relative, of who speaks, and beside a particle."""
    for match in matches(_TITLED, text):
        name = match["name"]
        if (
            (_no_name(name) and not (_is_made_like_one(name) or (len(name) == 2 and name in listed("ko", "family"))))
            or _no_name(match[0].replace(" ", ""))
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
        if len(name) == 2 and not (set(name[1:]) <= _syllables()):
            continue
        if len(name) == 3 and name[-1] in _NO_END and name[1:] not in listed("ko", "given"):
            continue
        yield Found(*match.span("name"), "person", 0.8, "title")
    yield from _of_kin(text)
    for match in matches(_I_AM, text):
        name = match[match.lastgroup or 0]
        unmade = match.lastgroup == "said" and not _is_made_like_one(name)
        if not (unmade or _no_name(name)) and (match.lastgroup not in _GIVEN_ALONE or name in listed("ko", "given")):
            yield Found(*match.span(match.lastgroup or 0), "person", 0.7, "cue")
    for match in matches(_CELL, text):
        if (match["first"] or _is_made_like_one(match["name"])) and not _no_name(match["name"]):
            yield Found(*match.span("name"), "person", 0.6, "field")
    for pattern in (_GIVEN, _JOINED):
        for match in matches(pattern, text):
            if match["name"] in listed("ko", "given") and not _no_name(match["name"]):
                yield Found(*match.span("name"), "person", 0.6, "list")


def _of_kin(text: str) -> Iterator[Found]:
    """Yield listed given names behind a relative, with an unlisted family or none."""
    for match in matches(_OF_KIN, text):
        name = match["name"]
        listed_too = name[-2:] in listed("ko", "given") or (len(name) == 2 and set(name) <= _syllables())
        fits = listed_too and (len(name) == 2 or name[0] in listed("ko", "family"))
        if fits and name not in _NOBODY and name not in listed("ko", "frequent"):
            yield Found(*match.span("name"), "person", 0.7, "title")


def find_free(text: str) -> Iterator[Found]:
    """Yield names of three syllables with a listed given name, or made like one, before a particle."""
    for match in matches(_FREE, text):
        name = match["name"]
        given = name[len(family_of(name)) :]
        bent = not match["particle"] and name[-1] in "이가은는을를의도만" and name[:-1] in _NOBODY
        if (
            bent
            or _no_name(name)
            or _no_name(name + match["particle"])
            or (name[:2] in _words() and given not in listed("ko", "given"))
        ):
            continue
        if given in listed("ko", "given"):
            yield Found(*match.span("name"), "person", 0.7, "list")
        elif (
            match["particle"]
            and len(given) == 2
            and set(given) <= _syllables()
            and name[0] in "김이박최정강조윤장임오서신권황송류유홍손배백허남심곽"
        ):
            yield Found(*match.span("name"), "person", 0.5, "guess")


_ADDRESS: Final = lazy_regex(
    rf"(?<!{_G})(?:{_G}{{2,4}}(?:특별시|광역시|특별자치시|특별자치도|도|시)? )?(?:{_G}{{1,5}}(?:시|군|구) ){{0,2}}(?:{_G}{{1,4}}(?:읍|면) )?"
    rf"(?:{_G}{{1,8}}(?:[0-9]{{1,3}})?(?:로|길|대로)(?:[0-9]{{1,3}}(?:번)?길)?|{_G}{{1,6}}[0-9]?(?:동|리|가))(?: ?산)? ?[0-9]{{1,5}}(?:-[0-9]{{1,4}})?(?:번지|번길 [0-9]{{1,4}})?(?![0-9년월일시분%세])"
    rf"(?:,? ?[가-힣A-Za-z]{{2,12}}(?:아파트|빌라|빌딩|타워|오피스텔|맨션|타운|자이|푸르지오|래미안|힐스테이트))?(?:,? ?[0-9]{{1,4}}동)?(?:,? ?[0-9]{{1,3}}층)?(?:,? ?[0-9]{{1,4}}호)?"
)
_UNITS: Final = lazy_regex(
    rf"(?<!{_G})(?:{_G}{{2,4}}(?:특별시|광역시|특별자치시|특별자치도)|(?:경기|강원|충청[남북]|전라[남북]|경상[남북]|제주|전[남북]|경[남북]|충[남북])도?)(?: {_G}{{1,5}}(?:시|군|구)(?!{_G}{{3}})){{0,2}}(?: {_G}{{1,5}}(?:읍|면|동)(?!{_G}{{3}}))?"
)
_TOWN: Final = lazy_regex(
    rf"(?<!{_G})(?P<name>{_G}{{2,4}}(?:시|군|구|읍|면|동))(?=(?:에서|에|으로|로|의|까지|부터|은|는|이|가|을|를|와|과|,|\.| )(?!{_G}{{3}})|$)"
)
_WORD: Final = lazy_regex(rf"(?<!{_G}){_G}{{2,12}}")
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
    for match in matches(_UNITS, text):
        yield Found(*match.span(), "place", 0.7, "list")
    places = listed("ko", "place")
    for match in matches(_WORD, text):
        word = match[0]
        length = next((n for n in range(min(8, len(word)), 1, -1) if word[:n] in places), 0)
        if length and (tail := _BEHIND_PLACE.match(text, match.start() + length)):
            unit = tail[0][:1] if tail[0][:1] in ("시", "군", "구", "역", "항") and tail[0][:1] else ""
            yield Found(match.start(), match.start() + length + len(unit), "place", 0.6, "list")


_FIRM: Final = lazy_regex(
    rf"(?:주식회사|㈜|\((?:[주유재의합]|사)\)|농업회사법인|영농조합법인|유한회사|재단법인|사단법인|의료법인|학교법인|사회복지법인) ?[가-힣A-Za-z0-9&]{{2,15}}?(?=(?:에서는?|에게?|으로|[은는을를])?(?:[^가-힣A-Za-z0-9&]|$))|[가-힣A-Za-z0-9&]{{2,15}}(?: ?㈜| ?\(주\)|(?<![는은가를을의]) ?주식회사(?! ?{_G}))"
)
_QUOTED: Final = lazy_regex(
    r"(?:식당|카페|가게|회사|학원|미용실|펜션|빵집|술집|서점|공방|한식당|분식집) ?['‘“\"「](?P<name>[가-힣A-Za-z0-9 ]{2,16})['’”\"」]"
)
_KINDS: Final = (
    "대학교병원|대학병원|종합병원|병원|대학교|대학원|고등학교|중학교|초등학교|유치원|어린이집|의원|한의원|치과|약국|보건소|은행|전자|그룹|건설|물산|제약|화학|자동차|증권|생명|화재|카드|텔레콤|통신|백화점|호텔|"
    "구청|시청|경찰서|소방서|법원|지방법원|검찰청|연구소|연구원|협회|재단|공사|공단|신문|일보|방송|출판사|법무법인|요양원|복지관|도서관|미술관|박물관|테크|소프트|시스템즈?|솔루션즈?|바이오|푸드|유통|물류|상사|산업|식품|항공|여행사|컴퍼니|스튜디오|센터|대|"
    "아파트|빌라|오피스텔|맨션|연립|농장|체험장|관광|정형외과|내과|소아과|피부과|안과|이비인후과|학원|태권도|미용실|식당|카페|교회|성당|세탁소|정비소|부동산|문구점|서점|꽃집|빵집|엘리베이터|포장|인쇄|목공소|철물점|유치원|공방"
)
_INSTITUTION: Final = lazy_regex(
    rf"(?<![가-힣A-Za-z])(?P<name>[가-힣A-Za-z0-9]{{2,10}}?(?:{_KINDS})(?:병원)?)(?=(?:에서|에|의|으로|로|을|를|이|가|은|는|와|과|도|까지|부터|입니다)?(?:[\s,.()]|$))"
)
_GENERIC: Final = frozenset(written("ko")["generic"])


def find_organizations(text: str) -> Iterator[Found]:
    """Yield firms with their legal form, and institutions with a name before the word for their sort."""
    for match in matches(_FIRM, text):
        yield Found(*match.span(), "organization", 0.8, "company-end")
    for match in matches(_QUOTED, text):
        yield Found(*match.span("name"), "organization", 0.7, "institution")
    for match in matches(_INSTITUTION, text):
        name = match["name"]
        if (
            name not in _GENERIC
            and name not in _words()
            and _GENERIC_BEFORE.match(name) is None
            and (not name.endswith("대") or name[:-1] in listed("ko", "place") | _SHORT)
        ):
            yield Found(*match.span("name"), "organization", 0.8, "institution")


_SHORT: Final = frozenset(written("ko")["short places"])


def mention_forms(name: str, kind: str) -> Iterator[str]:
    """Yield patterns of later mentions: the whole, and the given name of two syllables before a particle."""
    bare = name.replace(" ", "")
    if kind == "person":
        yield rf"(?<!{_G}){re.escape(name)}(?=(?:{_PARTICLES}|{_TITLES})?(?!{_G}))"
        family = family_of(bare)
        given = bare[len(family) :] if len(bare) < 5 else ""
        if len(family) == 2:
            yield rf"(?<!{_G}){family}(?= (?:{_TITLES}|총무|감사))"
        if len(given) == 2:
            yield rf"(?<!{_G}){re.escape(given)}(?= ?(?:씨|님|군|양)(?!{_G}{{2}}))"
        if len(given) == 2 and (given not in _words() or given in listed("ko", "given")):
            yield rf"(?<!{_G}){re.escape(given)}(?=(?:{_PARTICLES}|{_TITLES}|이)?(?!{_G}))"
        yield from (rf"(?<!{_G}){re.escape(part)}" for part in name.split(" ") if len(part) > 2)
    else:
        yield rf"(?<!{_G}){re.escape(name)}"


# fmt: off
PHASES: Final = (
    FORMS,
    Phase("korean-places", (
        Row("korean-organization", find_organizations, anywhere, "organization", 0.8, "company-end institution",
            "주식회사 푸른나무에 다닌다", "동네병원에 다닌다"),
        Row("korean-title", find_titled, anywhere, "person", 0.8, "cue field list title", "김민수 씨가 왔다", "고객님이 왔다"),
        Row("korean-place", find_places, anywhere, "place", 0.8, "list street",
            "서울특별시 강남구 테헤란로 152", "정말로 15"),
    )),
    Phase("korean-names", (
        Row("korean-name", find_free, anywhere, "person", 0.7, "guess list", "어제 이지은이 왔다", "어제 이야기가 길었다"),
    )),
)
"""Organizations and addresses first: their syllables make family names too."""
# fmt: on
