"""Names, dates, ages, addresses and ids in Arabic: listed names in a row, titles, labels, kunya and nasab."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from textveil.detection.found import OTHER, Found, Phase, Row
from textveil.detection.gates import anywhere
from textveil.detection.lists import listed, written
from textveil.text.patterns import lazy_regex, matches

_A: Final = "[\u0621-\u064a]"
_UNMARKED: Final = dict.fromkeys((*range(0x64B, 0x653), 0x640))
_D: Final = "[0-9\u0660-\u0669]"
_WORD: Final = lazy_regex(rf"(?<![\u0621-\u0652]){_A}[\u0621-\u0652]*")
_TITLES: Final = (
    "العروس|العريس|الصبي|العم|الخال|[ال]{0,2}أسطى|الطفلة?|السي|لالة|للا|معلمتي|أستاذتي|مدرستي|المؤجرة?|المستأجرة?|البائعة?|المشترية?|الوكيلة?|الكفيلة?|السيد|السيدة|سيد|سيدة|الآنسة|الدكتور|الدكتورة|دكتور|دكتورة|د\\.|أ\\.د\\.|الأستاذ|الأستاذة|أستاذ|أستاذة|أ\\.|المهندس|المهندسة|م\\.|الشيخ|الشيخة|الحاج|الحاجة|الأمير|الأميرة|الملك|الملكة|الرئيس|الوزير|الوزيرة|"
    "القاضي|المحامي|المحامية|المحام|الطبيب|الطبيبة|الممرض|الممرضة|المريض|المريضة|المعلم|المعلمة|المدير|المديرة|الكاتب|الكاتبة|الفنان|الفنانة|اللاعب|المدرب|الموظف|الموظفة|الطالب|الطالبة|العميل|العميلة|المواطن|المواطنة|الزميل|الزميلة|"
    "الأخ|الأخت|الست|عمو|خالتو|تيتا|ماما|بابا|جدو|الملازم|الرقيب|الرائد|المقدم|الضابط|الشاهد|الشاهدة|المشتكي|المتهم|المختار|المربية|المربي|العزيز|عزيزي|عزيزتي|العزيزة|البروفيسور|النقيب|العقيد|العميد|اللواء|السفير|النائب|الشاعر|الشاعرة|الصحفي|الصحفية|سعادة|معالي|فضيلة"
)
_KIN: Final = (
    "(?:زوجت?|ابنت?|بنت|أخ[ويا]?|أخت|والدت?|أم|صديقت?|جارت?|زميلت?|خالت?|عمت?|جدت?|حفيدت?|صهر|كنت|حمات?|خطيبت?|شقيقت?|أرملت|نسيب)(?:ه|ها|ي|هما?|كم?|نا)|عم|مدام|النادل|النادلة|العامل|العاملة|البواب|الحارس|المصرحة?|الملقبة?(?: بـ)?|زوجته|زوجتي|زوجها|زوجي|ابنه|ابنها|ابني|ابنته|ابنتها|ابنتي|أخوه|أخيه|أخي|أخته|أختها|أختي|والده|والدي|والدته|والدتي|والدها|والدتها|أمه|أمها|أبوه|صديقي|صديقتي|صديقه|صديقتها|صديقته|جاري|جارتي|زميلي|زميلتي|خالي|عمي|عمه|خالته|ابن عمه|جده|جدته|حفيده|حفيدته|"
    "متزوج من|متزوجة من|زوجة|أرملة|شقيقه|شقيقته|شقيقي|عمتي|خالتي|حفيدتي|حفيدي|صهره|كنته|خطيبها|خطيبته|خطيبي|ابن أخيه|ابنة أختي|ابنة اختي|ابن أختي|الملقب|الملقبة|المكنى|اسمي|اسمه|اسمها|يدعى|تدعى|المدعو|المدعوة|أنا|ويدعى|السائق|الجراح|المرافق|المرافقة|وقع عليه|بتوقيع|من قبل|إلى السيد"
)
_NEAR: Final = (*"خالتو عمو تيتا جدو العروس العريس الصبي العم الخال أسطى الأسطى الطفل الطفلة".split(),)
"""Words that names follow which no list holds."""
_FAMILIAR: Final = (
    *_NEAR,
    "الأخ",
    "الأخت",
    "الست",
    "ماما",
    "بابا",
    "زوجة",
    "من",
    "الشاهد",
    "الضابط",
    "المقدم",
    *(role + end for role in "المؤجر المستأجر البائع المشتري الوكيل الكفيل".split() for end in ("", "ة")),
)
"""Words that more than names follow: given names alone are told by them."""
_LABELS: Final = (
    "الطبيب المناوب|الطبيبة? المناوبة?|الممرضة? المناوبة?|الشرطية?|المصرحة?|الاسم|الاسم الكامل|اسم المريضة?|اسم الطالبة?|اسم العميلة?|اسم الموظفة?|المريض|المريضة|الطبيب|الطبيب المعالج|الطبيبة المعالجة|اسم الطبيب|المرسل|المستلم|من|إلى|المقدم|مقدم الطلب|صاحب الحساب|اسم المستفيد|المستفيد|ولي الأمر|جهة الاتصال|"
    "الموظف البديل|البديل|المشتكي|المشتكى عليه|المتهم|المحقق|الضابط|رئيس الجلسة|أمين السر|المقرر|ولي الأمر|المربية|المربي|العروس|العريس|المتوفى|السائق|المرافق|توقيع المشتكي|اسم المشترك|المشترك|الوكيل|الكفيل|الضامن|جهة اتصال الطوارئ|الزوج|الزوجة|الأب|الأم|المؤلف|الكاتب|المدعي|المدعى عليه|الشاهد|التوقيع|المحامي|الموقع|المدير|المسؤول|المؤجر|المستأجر|البائع|المشتري|الطرف الأول|الطرف الثاني|الممرضة|المعلمة?|اسم الأب|اسم الأم|اسم الزوج|المندوب|المشرف|الموظف"
)
_STOPS: Final = frozenset(written("ar")["function"])
_BRANDS: Final = frozenset(written("ar")["brands"])
_CONNECT: Final = frozenset("""بن ابن بنت بني بنو أبو ابو أبي أبا ابا أم ام آل عبد بو""".split())
_PROCLITICS: Final = ("", "و", "ف", "ب", "ل", "ك", "وب", "ول")


@cache
def _given() -> frozenset[str]:
    return _LOOSE | frozenset(
        map(_bare, (*listed("ar", "given"), *written("ar")["foreign given"], *written("ar")["native given"]))
    )


@cache
def _family() -> frozenset[str]:
    return frozenset(_bare(name) for name in listed("ar", "family"))


@cache
def _ordinary() -> frozenset[str]:
    """Return frequent words, those among them that are given names only without the article too."""
    return frozenset(map(_bare, listed("ar", "frequent") | listed("ar", "ordinary"))) - _given()


@cache
def _names() -> frozenset[str]:
    return _given() | _family()


@cache
def _common() -> frozenset[str]:
    return _ordinary() | _STOPS


_LOOSE: Final = frozenset(written("ar")["given names too"])
"""Given names that are words as well: alone they need more beside them."""


_VERB: Final = lazy_regex("ا(?:ست|[^ل]ت|نت|لت).{1,6}|(?:أبلغ|هدد|سرق|شاهد|ضرب|سدد)[ت]?\\Z")
"""Verbs of the eighth and tenth form, and a few more: اعتدى, استلم."""


def _bare(word: str) -> str:
    return word.translate(_UNMARKED)


_OF_NAMES: Final = frozenset("الله الدين الرحمن الإسلام".split())
"""Words that end a compound given name: هبة الله."""


class _Token:
    __slots__ = ("end", "low", "start")

    def __init__(self, start: int, end: int, low: str) -> None:
        self.start, self.end, self.low = start, end, low


def _tokens(text: str) -> list[_Token]:
    return [_Token(*match.span(), _bare(match[0])) for match in matches(_WORD, text)]


def _extent(text: str, tokens: list[_Token], first: int, *, most: int = 5, firm: bool, line: bool = False) -> int:
    """Return how many tokens from ``first`` on are one name; ``firm``: something beside them says that it is one."""
    count = named = 0
    sure = tokens[first].low in _given() - _LOOSE if first < len(tokens) else False
    while first + count < len(tokens) and named < most:
        token = tokens[first + count]
        if count and text[tokens[first + count - 1].end : token.start] not in (" ", "\u00a0", "-"):
            break
        if token.low in _CONNECT:
            count += 1
            continue
        behind = tokens[first + count - 1].low if count else ""
        known = token.low in _names() or behind in ("عبد", "جار") or (token.low in _OF_NAMES and behind in _given())
        nisba = token.low.startswith("ال") and token.low.endswith(("ي", "ية")) and len(token.low) > 4
        unknown = (firm or (count and sure)) and len(token.low) > 2 and token.low not in listed("ar", "frequent")
        unknown = unknown and _VERB.match(token.low) is None
        nisba = nisba or (
            count == 1 and token.low not in _ordinary() and token.low.startswith("الأ") and len(token.low) == 6
        )  # حسن الأعرج
        unknown = unknown and not (count and not known and token.low[0] in "بلوفيتس" and not line)
        unknown = unknown and (token.low not in _ordinary() or token.low[0] not in "يتنسبلكوف" or (firm and not count))
        family = (
            count == 1
            and firm
            and behind in _given()
            and token.low.startswith("ال")
            and text[token.end : token.end + 1] in (".", "،", "\n")
        )
        known = known or behind in ("أبو", "ابو", "بو", "أبا", "ابا", "بن", "آل") or family  # أبو الليل, بن لافي
        if not known and not (count and nisba and (firm or named)) and not (unknown):
            break
        if behind != "عبد" and (token.low in _STOPS or token.low.removeprefix("ال") in _BRANDS):
            break
        count += 1
        named += 1
    while count and tokens[first + count - 1].low in _CONNECT:
        count -= 1
    return count


_TITLE: Final = lazy_regex(rf"(?<![\u0621-\u0652])(?:[وفبلك]|لل)?(?:{_TITLES}|{_KIN}) ?(?:/ ?)?\Z")
_BEFORE_NAME: Final = lazy_regex(rf"(?<![\u0621-\u0652])(?:[وفبل]{{0,2}}|لل)(?:{_TITLES}|{_KIN})(?: ?[/:] ?| )(?={_A})")
_IS_TITLE: Final = lazy_regex(_TITLES)
_LABELLED: Final = lazy_regex(
    rf"(?<![\u0621-\u0652])(?:{_LABELS}) ?[:：] {{0,3}}(?:(?:{_TITLES}) ?/? ?){{0,2}}(?={_A})"
)


def find_names(text: str) -> Iterator[Found]:
    """Yield persons behind titles, kin and labels, and two listed names in a row; single ones that are no words."""
    tokens = _tokens(text)
    starts = {token.start: place for place, token in enumerate(tokens)}
    yield from _titled(text, tokens, starts)
    yield from _told(text, tokens, starts)
    yield from _writers(text)
    yield from _in_rows(text, tokens)


def _titled(text: str, tokens: list[_Token], starts: dict[int, int]) -> Iterator[Found]:
    for pattern, why in ((_LABELLED, "field"), (_BEFORE_NAME, "title")):
        for match in matches(pattern, text):
            first = starts.get(match.end())
            if first is None:
                continue
            while (
                _IS_TITLE.fullmatch(tokens[first].low)
                and first + 1 < len(tokens)
                and text[tokens[first].end : tokens[first + 1].start].strip(" /:") == ""
            ):
                first += 1
            low, before = tokens[first].low, match[0].strip(" :/")
            near = before.endswith(_NEAR) and low not in _common() and low[0] not in "بتين"
            if why == "title" and before.endswith(_FAMILIAR) and not (near or low in _given()):
                continue
            count = _extent(text, tokens, first, firm=True, line=why == "field")
            if count:
                yield Found(tokens[first].start, tokens[first + count - 1].end, "person", 0.8, why)
    for match in matches(_QUOTED, text):
        yield Found(*match.span("name"), "person", 0.7, "cue")


def _told(text: str, tokens: list[_Token], starts: dict[int, int]) -> Iterator[Found]:
    """Yield who came, speaks, signs, is born, or is somebody's son."""
    for match in matches(_TOLD, text):
        place = starts.get(match.end())
        if place is not None and (tokens[place].low in _given() or tokens[place].low not in _common()):
            asked = match["asked"] is not None
            count = _extent(text, tokens, place, firm=not asked)
            if count and (match["said"] or count > 1 or tokens[place].low in (_names() if asked else _given())):
                yield Found(tokens[place].start, tokens[place + count - 1].end, "person", 0.7, "cue")
    for match in matches(_ALONE, text):
        low = _bare(match["name"])
        if low in _family() and low not in _common() and low not in _places():
            yield Found(*match.span("name"), "person", 0.5, "list")
    for match in matches(_DOES, text):
        for group in ("name", "other"):
            if match[group] and _bare(match[group]) in _given():
                yield Found(*match.span(group), "person", 0.6, "cue")
    for match in matches(_SON, text):
        if not {_bare(match["name"].split(" ")[0]), match["father"]} & _common():
            yield Found(*match.span("name"), "person", 0.7, "list")
    for match in matches(_BORN, text):
        if not {_bare(word) for word in match["name"].split(" ")} & _STOPS:
            yield Found(*match.span("name"), "person", 0.7, "cue")
    for match in matches(_CLOSING, text):
        words = [_bare(word) for word in match["name"].split(" ")]
        if words[0] in _given() or (len(words) > 1 and not set(words) & _STOPS and words[0] not in _ordinary()):
            yield Found(*match.span("name"), "person", 0.6, "cue")


def _in_rows(text: str, tokens: list[_Token]) -> Iterator[Found]:
    taken = -1
    for place, token in enumerate(tokens):
        if token.start <= taken:
            continue
        cut = next(
            (
                len(p)
                for p in _PROCLITICS
                if token.low.startswith(p)
                and token.low[len(p) :] in _given()
                and (not p or len(token.low) > len(p) + 2)
            ),
            -1,
        )
        connects = token.low in _CONNECT and token.low not in ("عبد", "أم", "ام", "آل", "بو")
        if cut < 0 and not (
            connects
            or (
                token.low in ("عبد", "أم", "ام", "بو")
                and place + 1 < len(tokens)
                and _follows(token.low, tokens[place + 1].low)
            )
        ):
            continue
        bare = token.low[max(cut, 0) :]
        own = [_Token(token.start + max(cut, 0), token.end, bare), *tokens[place + 1 : place + 7]]
        count = _extent(text, own, 0, firm=False)
        named = sum(other.low not in _CONNECT for other in own[:count])
        if (
            named > 1
            and bare in _LOOSE
            and text[max(0, token.start - 8) : token.start].rstrip(" ")[-1:] != ":"
            and own[1].low not in _CONNECT
            and (own[1].low in _LOOSE or (own[1].low not in _names() and not own[1].low.startswith("ال")))
        ):
            continue
        if named > 1 or (named and count > 1 and own[0].low in _CONNECT):
            taken = own[count - 1].end
            yield Found(own[0].start, taken, "person", 0.7, "list")
        elif count == 1 and bare not in _LOOSE and bare not in listed("ar", "frequent") and (cut == 0 or len(bare) > 3):
            yield Found(own[0].start, own[0].end, "person", 0.5, "list")


def _follows(low: str, behind: str) -> bool:
    return behind in _given() or (low == "عبد" and behind.startswith("ال"))


_ALONE: Final = lazy_regex(rf"^(?:[-*•] ?)?(?P<name>{_A}[\u0621-\u0652]{{2,14}})(?=$|[،,] )", re.MULTILINE)
_ASKED: Final = r"(?<![\u0621-\u0652])(?:(?:اسأل|كلم|راسل|بلغ|نادِ?)ي?|ذك[ّ]?ري?|س[يت]أتي|هل وقعت?|أبلغ عنه|استلمها?|المستخدم|فاتورة)(?: ?:)? (?=[\u0621-\u064a])"
"""What stands before a name: whom one asks, who comes, whose a bill is."""
_TOLD: Final = lazy_regex(
    rf"{_ASKED}(?P<asked>)|(?<![\u0621-\u0652])(?:(?P<said>(?:حضرت?|تقدمت?|مثلت?) (?:إلينا|لدينا|أمامنا)|وأفادت?|بسؤال|بمواجهة|و?يمثله?ا?|نيابة عن|بتوكيل من)|و?معه|و?معها|برفقة|بصحبة|رفقة|أنا و|(?:قالت?|أكدت?|ذكرت?|صرحت?|أخبرني|أخبرتني)(?= {_A}{{3,10}} (?:إن|أن|بأن|لي|لنا)(?![ء-ي]))) ?(?:(?:{_TITLES}) )?(?={_A})"
)
"""Who came, and with whom."""
_DOES: Final = lazy_regex(
    rf"(?<![\u0621-\u0652])(?P<name>{_A}{{3,8}})(?: و(?P<other>{_A}{{3,8}}))? (?:قالت?|قالوا|هتيجي|هييجي|هيجي|جاي|جاية|جايين|جايه|بتقول|بيقول|عايزة?|عاوزة?|بدها|بده|يبي|تبي|غابت|تعبانة?|زعلانة?|كلمني|كلمتني|قالتلي|قاللي|شافت|شاف|اتصلت|اتصل)(?![\u0621-\u0652])"
)
"""A name before what persons do."""
_SON: Final = lazy_regex(
    rf"(?<![\u0621-\u0652])(?P<name>{_A}{{2,10}} بن (?P<father>{_A}{{2,10}})(?: (?:بن {_A}{{2,10}}|ال{_A}{{3,10}}))?)(?![\u0621-\u0652])"
)
"""A name with the father's: معن بن سطام."""
_BORN: Final = lazy_regex(
    rf"(?<![\u0621-\u0652])(?P<name>{_A}{{2,9}} (?:ال|بن |بنت |أبو |آل )?{_A}{{3,10}})(?=، ?(?:مواليد|من مواليد|المولودة?|{_D}{{2}} (?:سنة|عاما)))"
)
_CLOSING: Final = lazy_regex(
    rf"(?:شكرا(?: لكم| جزيلا)?|تحياتي|مع التحية|أخوكم|أختكم|ابنتكم|ابنكم|المرسلة?|دمتم)[،,.:]? ?\n?(?P<name>{_A}{{2,10}}(?: {_A}{{3,10}})?)(?=[\"»”.\n]|\Z)"
)
_QUOTED: Final = lazy_regex(
    '(?:الملقبة?|المعروفة?|المكناة?|لقبه|لقبها|الشهيرة?)(?: بـ?)? ?["«“](?P<name>[^"»”\\n]{2,20})["»”]'
)
_WRITER: Final = lazy_regex(rf"^(?P<name>(?:(?:أبو|أم|ابو|ام) )?{_A}{{3,12}})(?=: [^\n])", re.MULTILINE)


def _writers(text: str) -> Iterator[Found]:
    """Yield who writes the lines of a chat, if two lines or more begin with given names."""
    lines = list(matches(_WRITER, text))
    known = [match for match in lines if _bare(match["name"].split(" ")[-1]) in _given()]
    for match in (match for match in lines if len(lines) > 1 and known and _bare(match["name"]) not in _ordinary()):
        yield Found(*match.span("name"), "person", 0.6, "field")


_PLACE_NOUNS: Final = "مدينة|محافظة|منطقة|قرية|ولاية|إمارة|دولة|بلدة|مطار|ميناء|نهر|جبل|بحيرة|جزيرة|عاصمة|ضاحية|بلدية|مخيم|سوق|ساحة|ميدان|حي|شارع|طريق|دوار|جمهورية|مملكة|عمارة|برج|بناية|عزبة|نجع|كفر|حديقة|منتزه|شاليه|مجمع|منتجع|كمبوند|كورنيش|فرع|حارة"
_CUED: Final = lazy_regex(
    rf"(?<![\u0621-\u0652])[وفبل]{{0,2}}(?:ال)?(?P<noun>{_PLACE_NOUNS}) (?P<name>(?:أولاد|بني|عين|سيدي|أبو|أم|بير|تل|كفر) {_A}{{3,}}|{_A}{{3,}}(?: ال{_A}{{3,}})?)"
)
_GOING: Final = lazy_regex(
    rf"(?<![\u0621-\u0652])(?:(?:رايح(?:ين|ة)?|نروح|هنروح|رحنا|مسافر(?:ين|ة)?|سافرنا|وصلنا)(?: على| إلى| ل)?|(?:هتيجي|هييجي|جاي|جاية|جايين|راجع|راجعة|راجعين|قادم|قادمة|أصله|أصلها) من|(?:سنة|عاما)،? من|من سكان|من أهالي|من أبناء|(?:المقيمة?|[أي]سكن|تسكن|ساكنة?|ساكنين|ولدت?|نشأت?|[أيت]قيم)(?: الآن| حاليا)? (?:في|ب)|مواليد(?: {_D}{{4}})?(?: في)?) ?(?:مدينة )?(?P<name>(?P<spot>مرسى|رأس|شرم|وادي|عين|واحة|خليج|بيت|دير|تل|جبل|حمام|سيدي|أولاد|بني|كوم|منية|ميت|نجع|كفر) {_A}{{3,12}}|{_A}{{3,12}}(?: ال{_A}{{3,10}})?)(?=[ ،.؟?\n]|\Z)"
)
"""Where one goes, comes from or lives."""
_STREET: Final = lazy_regex(
    rf"(?<![\u0621-\u0652])(?:شارع|طريق|حي|ميدان|ساحة|نهج|زقاق|زنقة|درب|جادة|إقامة|تجزئة) (?:{_A}{{2,14}} ?){{1,4}}?(?:[،,] (?:شارع|طريق|حي) (?:{_A}{{2,14}} ?){{1,3}}?)?(?:[،,-] ?(?:{_A}{{2,12}} ){{0,2}}|رقم |عمارة |مبنى |بناية |منزل |فيلا ){{0,2}}{_D}{{1,5}}(?!{_D})(?:[،,]? ?(?:الطابق|شقة|مكتب|الدور)(?: رقم)? ?(?:{_D}{{1,4}}|{_A}{{4,8}})){{0,2}}"
)
_OF_HOUSES: Final = frozenset("الحيوان الحيوانات المنزل البيت المراقبة".split())
_BUILDINGS: Final = "دوار عمارة برج بناية عزبة نجع كفر حديقة منتزه شاليه مجمع منتجع كمبوند".split()
_REST: Final = lazy_regex(
    rf"(?: {_A}{{3,12}}(?= ?[،,]| (?:الدور|الطابق|شقة)))?(?:[،,]? (?:الدور|الطابق|شقة|مكتب|منزل)(?: رقم)? (?:{_D}{{1,4}}|ال{_A}{{4,8}})){{0,3}}"
)
_AFTER_IN: Final = lazy_regex(
    r"(?<![\u0621-\u0652])[وف]?(?:في|من|إلى|الى|مدينة|عبر|بين|نحو|جنوب|شمال|شرق|غرب|قرب|فرع|مغادرة|زيارة|يسكن|باتجاه|حتى)\Z"
)


_FIELD: Final = lazy_regex(
    rf"(?<![\u0621-\u0652])(?:عنوان(?:ه|ها|ي)?(?: (?:السكن|المنزل|العمل|التوصيل|المراسلة))?|العنوان(?: {_A}{{3,12}}){{0,2}}|العقار|الوحدة|موقع العقار|(?:مكان|محل) (?:الإقامة|الاقامة|الميلاد|الولادة|السكن|الحادث|الواقعة)|السكن)"
    rf" ?[:：] ?(?P<place>[^\n:：;؛|]{{3,70}}?)(?=\s{{2}}|[ ]?[\n;؛|]|$|[ ،]{{1,2}}(?:ال)?(?:هاتف|جوال|تلفون|موبايل|محمول))"
)
"""Labels of addresses and of places of birth."""


def find_places(text: str) -> Iterator[Found]:
    """Yield labelled places, streets with a number, listed places, and what a word such as "city" stands before."""
    for match in matches(_FIELD, text):
        word = match["place"].strip()
        if (
            (word.split()[0] not in _STOPS or _CUED.match(word))
            and OTHER not in word
            and not (" " not in word and word in _ordinary())
        ):
            yield Found(
                match.start("place"), match.start("place") + len(match["place"].rstrip(" .،")), "place", 0.8, "street"
            )
    for match in matches(_STREET, text):
        yield Found(*match.span(), "place", 0.8, "street")
    for match in matches(_CUED, text):
        first = match["name"].split(" ")[0]
        further = match["noun"] in ("قرية", "بلدة", "حي") and " ال" in match["name"]  # قرية عين الزعرور
        near = (
            match["noun"] in ("حي", "عمارة", "برج", "عزبة", "كفر", "حديقة", "منتزه", "حارة")
            and first not in _OF_HOUSES
            and text[match.start()] != "ا"
            and len(first) > 4
        )
        told = near and first.startswith("ال")
        told = told or (
            match["noun"] in _BUILDINGS and first.startswith("ال") and (_REST.match(text, match.end()) or [""])[0]
        )
        if (
            first not in _STOPS
            and first not in _ENDS
            and (first not in _ordinary() or further or told or " " in match["name"][:5])
        ):
            whole = match["noun"] in ("حي", "شارع", "طريق", "ميدان", "حارة", *_BUILDINGS)
            rest = _REST.match(text, match.end())
            end = rest.end() if rest and whole else match.end()
            yield Found(match.start("noun" if whole else "name"), end, "place", 0.7, "cue")
    for match in matches(_GOING, text):
        words = [_bare(word) for word in match["name"].split(" ")]
        if match["spot"] or (words[0] not in _common() and "ال" + words[0] not in _ordinary()):
            length = len(match["name"] if match["spot"] or words[-1] not in _common() else words[0])
            yield Found(match.start("name"), match.start("name") + length, "place", 0.6, "cue")
    places = _places()
    tokens = _tokens(text)
    reached = -1
    for place, token in enumerate(tokens):
        if token.start < reached:
            continue
        for count in (3, 2, 1):
            group = tokens[place : place + count]
            written = " ".join(other.low for other in group)
            if len(group) < count or text[token.start : group[-1].end].count(" ") != count - 1:
                continue
            cut = next(
                (
                    len(p)
                    for p in ("", "و", "ب", "ل", "وب")
                    if written.startswith(p) and written[len(p) :] in places and (not p or len(written) > 4)
                ),
                -1,
            )
            if cut < 0 and written.startswith("لل") and "ال" + written[2:] in places:
                cut = 1
            placed = _AFTER_IN.search(text[max(0, token.start - 12) : token.start].rstrip(" "))
            if cut < 0 or (count == 1 and written[cut:] in _ordinary() and not placed):
                continue
            reached = group[-1].end
            yield Found(token.start + cut, reached, "place", 0.7, "list")
            break


@cache
def _places() -> frozenset[str]:
    known = frozenset(map(_bare, listed("ar", "place")))
    return frozenset(name for name in known if len(name) > 3 or name in _SHORT_PLACES) - _STOPS - _given()


_SHORT_PLACES: Final = frozenset(written("ar")["short places"])
_HEADS: Final = "شركة|جامعة|مستشفى|بنك|مصرف|مؤسسة|مدرسة|ثانوية|كلية|معهد|جمعية|مركز|عيادة|صيدلية|فندق|مكتب|هيئة|مجموعة|مصنع|نادي|صحيفة|جريدة|قناة|محكمة|بلدية|مطعم|متجر|دار|حزب|اتحاد|منظمة|سفارة|أكاديمية|روضة|مختبر|محلات|مكتبة|مخبز|مخابز|ورشة|كراج|صالون|حضانة|مدارس|مستوصف|سوبرماركت|بقالة|مقهى|كافيه|معرض|مطبعة|ملحمة|مغسلة|شركات|كشك|قهوة|كوافير|حلاق|عصائر|حلويات|بوفيه|محطة|أسواق|معمل|فرن|أفران|شاليهات|شاليه|مزرعة|مشتل|جزارة|استراحة|مسجد|جامع|مشاوي|كباب|فلافل|شاورما|بروستد|معجنات|أسماك|مأكولات|لحوم"
_INSTITUTION: Final = lazy_regex(
    rf"(?<![\u0621-\u0652])(?:[وفبلك]{{0,2}}ـ?|ال)(?=(?P<name>(?:{_HEADS})(?: {_A}{{2,18}}){{1,5}}))"
)
_SHOPS: Final = frozenset(
    "محلات مكتبة مخبز مخابز ورشة كراج صالون حضانة مدارس بقالة مقهى كافيه معرض مطبعة ملحمة مغسلة كشك قهوة كوافير حلاق عصائر حلويات بوفيه محطة أسواق معمل فرن أفران شاليهات شاليه مزرعة مشتل جزارة استراحة مسجد جامع مشاوي كباب فلافل شاورما بروستد معجنات أسماك مأكولات لحوم".split()
)
"""Houses that words tell of as often as names: معرض الكتاب."""
_CALLED: Final = frozenset("اسمه اسمها يسمى تسمى يدعى تدعى باسم".split())
"""Words between a house and its name."""
_FORM: Final = lazy_regex(r" (?:ش\.م\.[ملع]|ش\.ذ\.م\.م|ذ\.م\.م|م\.م\.ح|ش\.م)\.?(?![\u0621-\u064a])")
"""A legal form behind a firm's name."""
_ENDS: Final = frozenset(written("ar")["ends"])
_GENERIC: Final = frozenset(written("ar")["generic"])


def find_organizations(text: str) -> Iterator[Found]:
    """Yield institutions: the word for their sort, and the words of their name behind it."""
    for match in matches(_INSTITUTION, text):
        words = match["name"].split(" ")
        if match[0].endswith("ال") and not words[1].startswith("ال"):
            continue  # البلدية قادمة: a word with the article bears no name
        end = 1
        while end < len(words) and words[end] not in _ENDS and end < 5:
            if words[end] in _CALLED:
                break
            if (
                end > 1
                and not words[end].startswith(("ال", "لل", "وال"))
                and words[end] not in _given()
                and words[end - 1] not in _GENERIC
            ) and not (end == 2 and words[1] in _CONNECT | _given()):
                break
            end += 1
        if words[1] in _CALLED and len(words) > 2:  # مطعم اسمه ديوان السلطان
            start = match.start("name") + len(words[0]) + len(words[1]) + 2
            yield Found(start, start + len(" ".join(words[2:4])), "organization", 0.6, "cue")
            continue
        if end < 2 or (end == 2 and words[1] in _GENERIC):
            continue
        own = {words[1], words[1].removeprefix("ال")}
        if words[0] in _SHOPS and own & _ordinary() and own.isdisjoint(_given() | {"أبو", "أم", "المعلم", "الحاج"}):
            continue
        start = match.start("name")
        stop = start + len(" ".join(words[:end]))
        form = _FORM.match(text, stop)
        yield Found(start, form.end() if form else stop, "organization", 0.7, "institution")


_MONTHS: Final = (
    "يناير|فبراير|مارس|أبريل|ابريل|إبريل|مايو|يونيو|يونيه|يوليو|يوليه|أغسطس|اغسطس|سبتمبر|أكتوبر|اكتوبر|نوفمبر|ديسمبر|كانون الثاني|شباط|آذار|نيسان|أيار|حزيران|تموز|آب|أيلول|تشرين الأول|تشرين الثاني|كانون الأول|جانفي|فيفري|أفريل|ماي|جوان|جويلية|أوت|"
    "محرم|صفر|ربيع الأول|ربيع الثاني|جمادى الأولى|جمادى الآخرة|رجب|شعبان|رمضان|شوال|ذو القعدة|ذو الحجة|ذي القعدة|ذي الحجة"
)
_SAID: Final = f"{_A}{{2,9}}(?: (?:مئة|مائة))?"
_DATE: Final = lazy_regex(
    rf"(?<!{_D})(?:(?:(?:الأحد|الاثنين|الإثنين|الثلاثاء|الأربعاء|الخميس|الجمعة|السبت) )?{_D}{{1,2}} (?:من )?(?:{_MONTHS})(?:،? ?(?:من )?(?:عام |سنة )?{_D}{{4}}(?:هـ)?)?|(?:غرة|سلخ|منتصف|أوائل|أواخر|مطلع) (?:شهر )?(?:{_MONTHS})(?: (?:عام |سنة )?{_D}{{4}}(?:هـ)?)?|(?:الأول|الثاني|الثالث|الرابع|الخامس|السادس|السابع|الثامن|التاسع|العاشر|الحادي|الثلاثين|العشرين)(?: (?:عشر|والعشرين|والثلاثين))? من (?:شهر )?(?:{_MONTHS})(?: (?:سنة|عام|لسنة|لعام) {_SAID}(?: و{_SAID}){{0,3}})?|(?<=عام )ألف(?:ين)? و{_SAID}(?: و{_SAID}){{0,2}}|(?<=سنة )ألف(?:ين)? و{_SAID}(?: و{_SAID}){{0,2}}|(?:(?<=شهر )|(?<=في ))(?:{_MONTHS}) (?:عام |سنة )?{_D}{{4}}|{_D}{{1,4}}[/-]{_D}{{1,2}}[/-]{_D}{{2,4}}|(?:(?<=عام )|(?<=سنة )|(?<=العام )){_D}{{4}})(?!{_D})"
)
_AGE: Final = lazy_regex(
    rf"(?:العمر ?[:：] ?|عمره |عمرها |العمر |يبلغ من العمر |تبلغ من العمر |البالغ من العمر |البالغة من العمر |عمري |بعمر |عن عمر )(?P<age>{_D}{{1,3}})|،? ?(?<!{_D})(?P<years>{_D}{{1,3}})(?= (?:عام[\u064b\u0627]{{0,2}}|سنة)(?:[،,.) \n]|\Z))"
)
_PHONE: Final = lazy_regex(
    rf"(?<![0-9\u0660-\u0669])(?:[+]|00|٠٠)(?:9[0-9]{{2}}|20|21[236]|٩[\u0660-\u0669]{{2}}|٢٠)[ -]?{_D}{{1,3}}(?:[ -]?{_D}{{3,4}}){{2}}(?!{_D})|(?<![0-9\u0660-\u0669])[0٠][15٥٠١7٧6٦9٩]{_D}(?:[ -]?{_D}){{7,8}}(?!{_D})"
    rf"|(?:هاتف|هاتفه|هاتفها|جوال|جواله|جوالها|موبايل|الهاتف|الجوال|تليفون|فاكس|محمول|رقم الهاتف|واتساب|للاتصال)(?: {_A}{{2,12}}){{0,2}} ?[:：]? ?(?P<phone>{_D}(?:[ -]?{_D}){{6,13}})"
)
_LABELLED_ID: Final = lazy_regex(
    r"(?:رقم (?:الهوية(?: الوطنية)?|البطاقة(?: الشخصية)?|القومي|الجواز|جواز السفر|الملف|الملف الطبي|المريض|الحساب|الطلب|الإقامة|العضوية|الموظف|الطالب|القضية|الفاتورة|البوليصة|السجل(?: التجاري| المدني)?|الرخصة|اللوحة|الشحنة|التذكرة|الحجز|الضمان الاجتماعي|المرجع)|رقم(?:ه|ها|ي)? ال(?!هاتف|جوال|صفحة|مادة|بند|طابق|دور|شقة|باب|غرفة|إصدار|سؤال|مرحلة|مقعد|خط|منزل|مبنى|طراز|موديل)[ء-ي]{3,9}(?: ال[ء-ي]{3,9})?|الرقم (?:القومي|الوطني|المدني|الجامعي|الوظيفي|الضريبي|التأميني|المرجعي)|"
    r"(?:لوحة|لوحته|لوحتها|اللوحة)(?: (?:رقم|تحمل))?|الهوية|هوية رقم|بطاقة رقم|البطاقة رقم|رخصة رقم|(?:ملف|ملفه|ملفها|معاملة|صك|إيصال|عداد|العداد|شحنة|حجز|[ال]{0,2}وكالة|رخصة|سجل)(?: رقم)?(?= ?[:：]? ?[0-9\u0660-\u0669/-]{4,14}(?![0-9\u0660-\u0669]))|محضر(?: ضبط)? رقم|القضية رقم|جواز سفر رقم|ملف رقم|طلب رقم|طلبكم رقم|فاتورة رقم|حساب رقم|قضية رقم)(?: هو)? ?[:：]? ?#?(?P<id>(?=[A-Za-z0-9\u0660-\u0669/-]{0,15}[0-9\u0660-\u0669])[A-Za-z0-9\u0660-\u0669](?:[A-Za-z0-9\u0660-\u0669/-]{3,24}|[0-9\u0660-\u0669]{1,8}/[ء-ي]))"
)


_PLATE: Final = lazy_regex(
    rf"(?<![ء-ي])(?P<bare>[أبحدرسصطعفقكلمنهويجثخزشضظغذت] (?:[أ-ي] ){{1,2}}{_D}{{3,4}})(?!{_D})|(?:لوح(?:ة|ته|تها)|اللوحة|نمرة|(?:ال)?سيارة(?= رقم))(?: (?:السيارة|المركبة|سيارته|سيارتها|سيارتي))?(?: تحمل)?(?: رقم)? ?[:：]? ?(?P<plate>(?:[ء-ي](?: |-)?){{1,3}}{_D}{{1,4}}|{_D}{{1,4}}(?: (?:[ء-ي] ?){{1,3}}))(?!{_D})"
)


def find_forms(text: str) -> Iterator[Found]:
    """Yield dates, ages, telephone numbers and labelled ids."""
    for match in matches(_DATE, text):
        yield Found(*match.span(), "date", 0.9)
    for pattern, kind in ((_AGE, "age"), (_PHONE, "phone"), (_LABELLED_ID, "id"), (_PLATE, "id")):
        for match in matches(pattern, text):
            yield Found(*match.span(match.lastgroup or 0), kind, 0.9)


def mention_forms(name: str, kind: str) -> Iterator[str]:
    """Yield patterns of later mentions: the whole, and each part of a person's name that is no word."""
    yield from (
        rf"(?<![\u0621-\u0652]){clitic}{re.escape(name)}(?![\u0621-\u0652])"
        for clitic in ("", *"وفبلك", "وب", "ول", "وك", "فب", "فل")
    )
    if kind == "person":
        for word in name.split(" "):
            if len(word) > 2 and _bare(word) not in _CONNECT and _bare(word) not in _ordinary():
                yield r"(?<![\u0621-\u0652])" + re.escape(word) + r"(?![\u0621-\u0652])"


# fmt: off
PHASES: Final = (
    Phase("arabic-forms", (
        Row("arabic-form", find_forms, anywhere, "age date id phone", 0.9, "", "14 مارس 2024", "14 كتابا"),
    )),
    Phase("arabic-places", (
        Row("arabic-organization", find_organizations, anywhere, "organization", 0.7, "institution",
            "يعمل في شركة النور للتجارة", "يعمل في شركة كبيرة"),
        Row("arabic-place", find_places, anywhere, "place", 0.8, "cue list street", "يسكن في الرياض", "يسكن في بيت"),
    )),
    Phase("arabic-names", (
        Row("arabic-name", find_names, anywhere, "person", 0.8, "field list title", "حضر السيد أحمد المصري", "حضر في الموعد"),
    )),
)
"""Organizations and places first: family names come of them."""
# fmt: on
