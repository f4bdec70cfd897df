"""Greek, Hebrew, Thai and Hindi: what labels name, titles announce and addresses hold. Names elsewhere are not found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, Phase, Row
from textveil.detection.gates import anywhere
from textveil.text.patterns import lazy_regex, matches

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
_SECRET: Final = lazy_regex(
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
        (_SECRET, "secret"),
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
