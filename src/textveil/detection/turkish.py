"""Names, dates, ages, addresses and ids in Turkish: capitals, the apostrophe before endings, titles behind names."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from textveil.detection.found import OTHER, Found, Phase, Row
from textveil.detection.gates import anywhere
from textveil.detection.lists import COMPANIES, Marks, listed, lists, written
from textveil.detection.people_in_records import is_plain_form, line_end
from textveil.text.patterns import check_time, lazy_regex, matches

_U: Final = "[A-ZÇĞİÖŞÜÂÎÛÄÉ]"
_L: Final = "[a-zçğıöşüâîûäéèß]"
_LETTER: Final = "[A-Za-zÇĞİÖŞÜÂÎÛÄÉçğıöşüâîûäéèß]"
_NAME: Final = rf"{_U}{_L}+(?:-{_U}{_L}+)?"
_WORD: Final = lazy_regex(
    rf"(?<![\w'’.@/-])(?:(?:Dr|Prof|Doç|Av|Op|Uzm|Sn|Yrd|Arş|Öğr)\.|{_NAME}|{_U}\.|{_U}{{2,18}})(?![\w@])"
)
_OPENS: Final = ".!?…:;•*|>\n\t"
_SKIPPED: Final = " \"'“(—–-[0123456789"
_IN_COMPOUND: Final = lazy_regex(r"['’]nd[ae]")
_NICKNAME: Final = lazy_regex(
    rf"(?:lakabı|lakaplı|namıdiğer|takma adı) [\"“](?P<name>[^\"”\n]{{2,16}})[\"”]|(?<![\w'’])(?P<dear>{_NAME})(?=['’]?c[iıuü](?:ğ[iıuü])?m(?![a-zçğıöşü]))|(?:ana|anne|baba) (?:adı|ismi) (?P<parent>{_NAME})|(?<![\w'’])(?P<alias>{_NAME}(?: {_NAME})?)[\"”]? (?:lakaplı|lakabıyla|namlı|(?:adlı|isimli|denilen|denen|dedikleri) (?:kadın|adam|kişi|şahıs|genç|çocuk|kız|öğrenci|hasta|biri|sürücü))|(?<![\w'’])(?P<kin>{_NAME}|{_L}{{3,14}})(?=['’]n?[ıiuü]n (?:anne|baba|abla|kardeş|eş|kız|oğl|öğretmen|arkadaş|dede|teyze)[a-zçğıöşü]{{1,6}}(?!\w))"
)
"""What somebody is called by, and to whom a letter is fond: Lara'cığım."""
_SIGNED: Final = lazy_regex('["”]')
_SMALL_SHOP: Final = lazy_regex(
    rf"(?<![\w'’-])(?P<name>(?:{_L}{{4,14}} (?={_L}{{2,10}}l[ae]r ))?(?P<first>{_L}{{4,14}}) (?:(?:anaokulu|kreşi|eczanesi|fırını|okulu|lisesi|hastanesi)|(?P<own>veteriner(?=['’])|kuaför(?=['’])|market(?=['’])|kırtasiye(?=['’])|lokantası|pastanesi|kıraathanesi|kuaförü|marketi|pansiyonu|büfesi|kafesi)))(?=['’]|(?:n[dy]?[ae]n?)?(?![\w]))"
)
_ENDS: Final = lazy_regex(r"\s{0,40}\Z")
_BEHIND: Final = lazy_regex(
    r" (?:(?i:bey|hanım|hoca|hocam|efendi|abi|abla|teyze|amca|usta|dayı|yenge|dede|nine)|Beyefendi|Hanımefendi|Paşa)(?![a-zçğıöşü])"
)
_HONORED: Final = frozenset("bey hanım hoca hocam efendi abi abla teyze amca usta dede nine dayı hala yenge".split())
_TITLES: Final = frozenset(written("tr")["titles"])
_LABELS: Final = (
    "Adı Soyadı|Ad Soyad|Adı ve Soyadı|Ad|Adı|Soyadı|Soyad|Hasta|Hasta Adı|Hastanın Adı|İsim|İsim Soyisim|Doktor|Hekim|Hemşire|Müşteri|Müşteri Adı|Gönderen|Alıcı|Kimden|Kime|Yetkili|İmza|Veli|Öğrenci|Kiracı|Kiraya Veren|Davacı|Davalı|Sanık|Tanık|Vekili?|Yazar|Hazırlayan|"
    "Onaylayan|Sorumlu|İletişim Kişisi|Acil Durum Kişisi|Hesap Sahibi|Sigortalı|Refakatçi|Yakını|Anne Adı|Baba Adı|Eşi|Düzenleyen|Teslim Alan|Başvuran|Şahit|İfade Veren|Emlakçı|Nöbetçi Hekim|Memur|Katılımcılar|Bilgi"
)
_LABELLED: Final = lazy_regex(
    rf"(?<!{_LETTER})(?:(?:Hasta|Hastanın|Müşteri|Öğrenci|Yolcu|Veli) )?(?i:{_LABELS}) ?: {{0,3}}(?:(?:Dr|Prof|Av|Uzm|Op|Sn)\. ?){{0,3}}(?P<name>(?:{_NAME}|{_U}{{2,15}})(?: (?:{_NAME}|{_U}{{2,15}}|{_U}\.)(?! ?:|{_LETTER})){{0,3}})"
)
_BEFORE: Final = lazy_regex(rf"({_LETTER}{{1,30}})\.? \Z")
_SUFFIX: Final = lazy_regex(rf"['’]({_L}{{1,8}}|{_U}{{1,8}})(?!{_LETTER})")
_IN: Final = frozenset("""da de ta te dan den tan ten daki deki taki teki nda nde ndan nden ndaki ndeki""".split())
_ORGANIZATIONS: Final = (
    "Üniversitesi|Hastanesi|Bankası|Lisesi|Okulu|İlkokulu|Ortaokulu|Fakültesi|Enstitüsü|Müdürlüğü|Belediyesi|Mahkemesi|Derneği|Şubesi|Vakfı|Partisi|Kulübü|Kliniği|Merkezi|Eczanesi|Holding|Holdingi|Şirketi|Sigorta|Otel|Oteli|Restoran|Kurumu|Odası|Sendikası|Ajansı|"
    "Gazetesi|Yayınevi|Yayınları|Tıp Merkezi|Market|Kargo|Lojistik|Tekstil|İnşaat|Elektronik|Teknoloji|Teknolojileri|Yazılım|Bilişim|Gıda|Otomotiv|Turizm|Ticaret|Anaokulu|Karakolu|Birliği|Konseyi|Mobilya|Danışmanlık|Havayolları|Hukuk Bürosu|Emniyeti|Dershanesi|Koleji|Akademisi|Kütüphanesi|Müzesi|Salonu|Kıraathanesi|Pansiyonu?|Büfe(?:si)?|Kafe(?:si)?|Lokantası|Köftecisi|Kuaförü?|Veteriner|Kursu|Camii|Düğün Salonu|Bakkalı|Emlak|Pastanesi|Fırını|Kasabı|Dershanesi|Kreşi|Sahnesi|Marketi|Berberi|Eczane|Petrol|Evi|Durağı|Sofrası|Ocakbaşı|Konağı|Bahçesi|Mutfağı|Nakliyat|Kırtasiye|Mobilyaları?"
)
_INSTITUTION: Final = lazy_regex(
    rf"(?<![\w'’-])(?P<name>(?:(?:{_NAME}|{_U}{{2,12}}|[0-9]{{1,3}}\.) (?:(?:ve|ile) )?){{1,6}}(?:{_ORGANIZATIONS})(?: (?:{_ORGANIZATIONS}|Tıp Fakültesi)){{0,2}}(?: (?:San|Tic|Ltd|A|Ş|ve|Şti|Paz|İth|İhr)\.?){{0,8}}(?: ?A\.Ş\.| ?Ltd\. ?Şti\.)?)(?!{_L})"
)
_TRADE: Final = lazy_regex(
    r" (?:Sondaj|Tesisat|Rulman|Tasarım|Mimarlık|Mühendislik|Yapı|Döküm|Kalıp|Makine|Makina|Metal|Plastik|Ambalaj|Matbaa(?:cılık)?|Reklam(?:cılık)?|Medya|Butik|Giyim|Ayakkabı|Kuyumculuk|Optik|Züccaciye|Hırdavat|Nalburiye|Tarım|Çiçekçilik|Pide|Kebap|Döner|Balık|Kahve|Yıkama|Temizleme|Oto|Servis|Otopark|Spor|Mermer|Seramik|Cam|Enerji|Elektrik|Klima|Tur|Seyahat|Taksi|Bilgisayar|Organizasyon|Prodüksiyon|Film|Güvenlik|Temizlik|Dağıtım|Peyzaj|Fidancılık|Çiftliği|Atölyesi|Stüdyosu|Kitabevi|Yerbilimleri|Otoparkı|Camii|Tesisleri|Kampı)(?!\w)"
)
"""A firm by its trade, if what stands before is no word, or behind it an apostrophe or a parenthesis: Derinsu Sondaj'da."""
_OWN_BEFORE: Final = lazy_regex(rf"(?<![\w'’-]){_NAME}(?: {_NAME}){{0,2}}\Z")
_FIRM: Final = lazy_regex(
    rf"(?<![\w'’-])(?P<name>(?:(?:{_NAME}|{_U}{{2,12}}|&|ve) |(?:San|Tic|Paz|İnş|Ltd)\. ?){{1,7}}(?:A\. ?Ş\.|Ltd\. ?Şti\.|AŞ(?!{_LETTER})|Limited Şirketi|Anonim Şirketi))"
)
_STREET_END: Final = r"(?:Mahallesi|Mah\.?|Mh\.|Caddesi|Cadde|Cad\.?|Cd\.|Sokağı|Sokak|Sok\.?|Sk\.|Bulvarı|Blv\.|Bulv\.|Meydanı|Sitesi|Apartmanı|Apt\.?|Yolu|Çıkmazı|Mevkii)"
_LINE: Final = lazy_regex(
    rf"(?<![\w'’-])(?:(?:(?:{_NAME}|{_U}{{2,12}}|[0-9]{{1,4}}\.?) ){{1,4}}?{_STREET_END}|(?P<small>{_NAME}) (?:{_NAME} )?(?:mahallesi|mah\.?|mh\.|sokağı|sok\.|sk\.|caddesi|cad\.|bulvarı|sitesi|apartmanı|apt\.?|sokak(?= (?:no|[0-9]))))(?!{_L})(?:,? ?(?:(?:(?:{_NAME}|{_U}{{2,12}}|[0-9]{{1,4}}\.?) ){{1,4}}?(?i:{_STREET_END})(?!{_L}))){{0,3}}"
    rf"(?:,? ?[A-Z] Blok)?(?: [0-9]{{1,3}}(?:/[0-9A-Z]{{1,4}})?(?=,? (?:D|Daire|K|Kat)\b|[\n,;]|$| {_NAME}))?(?:,? ?(?i:no|numara|d|daire|kat|k|blok|iç kapı no)[.:]? ?[0-9]{{1,4}}[A-Z]?(?:/[0-9A-Z]{{1,4}})?){{0,4}}(?:,? ?[0-9]{{5}})?(?:,? ?{_NAME} ?/ ?(?:{_NAME}|{_U}{{3,12}}))?"
)
_TOWN: Final = lazy_regex(
    rf"(?<![\w'’-])(?!(?:Europe|Asia|America|Africa|Pacific|Atlantic|Australia)/)(?P<name>(?:[0-9]{{5}} )?{_NAME} ?/ ?(?:{_NAME}|{_U}{{4,12}}))(?![\w/])"
)
_AREA: Final = lazy_regex(
    rf"(?<![\w'’-])(?P<name>{_NAME}(?: {_NAME})?)['’]?(?:nin|nın|nun|nün|in|ın|un|ün)? (?:ilçesi|ili|köyü|mahallesi|kasabası|semti|beldesi|şehri|kenti|adası|gölü|nehri|dağı|bölgesi|ovası)|(?<![\w'’-])(?P<spot>{_NAME}(?: {_NAME})?) (?:mevkii|durağı|iskelesi|istasyonu|garı|otogarı|yaylası|mezrası|camii|camisi|mezarlığı|tepesi|vadisi|koyu|köprüsü|sahili|plajı|parkı|merası|deresi|mahallesi|kavşağı|tüneli|geçidi)(?!{_L})|(?<![\w'’-])(?P<branch>(?!Merkez|Ana|Yeni|Banka|Diğer|İlgili){_NAME}) şube(?:si|miz|ye|de)|(?<![\w'’-])(?P<whole>(?:{_NAME} ){{1,3}}(?:Parkı|Plajı|Barajı|Köprüsü|Sahili|Çarşısı|Pazarı|Köyü|Limanı|İskelesi|Kalesi|Meydanı|Durağı|Stadı|Stadyumu|Plaza|Plazası|AVM|Terminali|Otogarı|Gölü|Dağı|Yaylası|Kampüsü|Evleri|Konutları|Rezidans|İş Merkezi|Mezarlığı|Tesisleri|Adası|Deresi|Tepesi|Kavşağı)(?:,? [A-Z] Blok)?(?: (?:No:? ?)?[0-9]{{1,3}})?)(?!{_L})"
)
_MONTHS: Final = "OCAK|ŞUBAT|MART|NİSAN|MAYIS|HAZİRAN|TEMMUZ|AĞUSTOS|EYLÜL|EKİM|KASIM|ARALIK|Ocak|Şubat|Mart|Nisan|Mayıs|Haziran|Temmuz|Ağustos|Eylül|Ekim|Kasım|Aralık|ocak|şubat|mart|nisan|mayıs|haziran|temmuz|ağustos|eylül|ekim|kasım|aralık"
_NO_NAMED: Final = "(?! (?:Üniv|Cadd|Cad|Mah|Lise|Sta[dt]|Bulv|Köprü|Meydan|İlkok|Ortaok|Okul|Sok|Park|Zafer))"
_WEEKDAYS: Final = "Pazartesi|Salı|Çarşamba|Perşembe|Cumartesi|Cuma|Pazar"
_DATE: Final = lazy_regex(
    rf"(?<![\w.])(?:[0-3]?[0-9] (?:{_MONTHS}){_NO_NAMED}(?: [12][0-9]{{3}})?(?: (?:{_WEEKDAYS})(?!\w))?|(?:{_MONTHS}) [12][0-9]{{3}}|[12][0-9]{{3}}(?=['’]?(?:de|da|te|ta|den|dan|ten|tan)?(?: yılı| senesi)))(?![\w])"
)
_UNIT: Final = "bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz"
_WORDED: Final = lazy_regex(
    r"(?:[İi]ki bin|İKİ BİN|[Bb]in dokuz ?yüz|BİN DOKUZ ?YÜZ)(?i:(?: (?:on|yirmi|otuz|kırk|elli|altmış|yetmiş|seksen|doksan))?"
    rf"(?: (?:{_UNIT}))?)(?= (?:yıl|sene|gün|tarih|doğum)|['’]|[.,)\n]|\Z)"
)
"""A year in words: iki bin yirmi dört."""
_COUNT: Final = rf"(?i:(?:on|yirmi|otuz|kırk|elli|altmış|yetmiş|seksen|doksan)(?: ?(?:{_UNIT}))?|{_UNIT})"
_COUNT_BEFORE: Final = lazy_regex(rf"(?<!\w){_COUNT}\Z")
_DAY_BEFORE: Final = lazy_regex(rf"(?<!\w){_COUNT} (?:{_MONTHS}) \Z")
_COUNTED: Final = lazy_regex(
    rf" (?P<month>(?:{_MONTHS})(?!\w){_NO_NAMED})| yaş(?:ında|ım|ına|lar)|(?:ayın|(?:{_MONTHS})['’]?[ıiuü]n) (?P<day>{_COUNT})(?=s?[ıiuü])"
)
"""What stands behind a number in words, which is looked for backwards: yedi Mayıs, yirmi altı yaşında."""
_AGE: Final = lazy_regex(
    r"(?<![\w.,])(?P<years>[1-9][0-9]?)(?= ?[yY][,.] ?(?:[kKeE]|kadın|erkek))|"
    r"(?<![\w.,])(?P<age>[0-9]{1,3})(?=(?: yaş(?:ında|larında|ındaki|ına|ım|lı|ındayım|(?=[,.;)\n]))|['’](?:li|lı|lu|lü) yaş))|(?:[Yy]aş[ıi]?|YAŞ) ?: ?(?P<field>[0-9]{1,3})(?![0-9])"
)
_PHONE: Final = lazy_regex(
    r"(?<![\w+])(?:[+]90[ -]?|0 ?)[(]?[2-5][0-9]{2}[)]?[ -]?[0-9]{3}[ -]?[0-9]{2}[ -]?[0-9]{2}(?![0-9])|(?<![\w+])[(]0[2-5][0-9]{2}[)] ?[0-9]{3} ?[0-9]{2} ?[0-9]{2}(?![0-9])|(?<!\w)(?:sıfır|beş yüz)(?: (?:sıfır|bir|iki|üç|dört|beş|altı|yedi|sekiz|dokuz|on|yirmi|otuz|kırk|elli|altmış|yetmiş|seksen|doksan|yüz)){5,20}(?!\w)|(?<![0-9])(?:444|0850) ?[0-9]{3} ?[0-9]{2} ?[0-9]{2}(?![0-9])"
)
_TCKN: Final = lazy_regex(r"(?<![\w.])[1-9][0-9]{10}(?![\w])")
_LABELLED_ID: Final = lazy_regex(
    r"(?<![\w])(?:T\.?C\.?(?: Kimlik)? ?(?:No|Numarası|numaram|numarası)?|TCKN|VKN|(?:HES|PNR|[Rr]eferans|[Rr]ezervasyon|HES|REFERANS|REZERVASYON) (?:[Kk]odu|KODU)"
    rf"|(?i:(?!(?:hata|posta|ürün|model|sayfa|madde|bölüm|kapı|daire|bina|oda|kat|satır|adım|sürüm|port|tel|cep|faks|alan|ülke|renk|durum|stok|parça|sıra|soru|masa|peron|hat|koltuk|forma|ayakkabı|sokak|ders|kanun|karar|resmi){_L}{{0,8}} ){_LETTER}{{3,16}}(?: kimlik)? (?:no|numaras[ıi]|numara(?:m|nız|mız)))(?:['’](?:m|su|muz|nuz))?|[Tt]alebi(?= ?#)|(?:[Kk]ayıt|[Ss]ipariş|[Tt]alep)(?= ?#))"
    r" ?[:#]? ?(?P<id>(?=[A-Za-z0-9/-]{0,12}[0-9])[A-Za-z0-9][A-Za-z0-9/-]{3,24})"
)
_PLATE: Final = lazy_regex(
    r"(?<![\w.])(?:0[1-9]|[1-7][0-9]|8[01]) ?[A-Z]{1,3} ?[0-9]{2,4}(?![\w])|(?<![\w.])(?:0[1-9]|[1-7][0-9]|8[01]) ?[a-zA-Z]{1,3} ?[0-9]{2,5}(?= plaka)|[Pp]laka[a-zıs]{0,3}:? (?P<plate>(?:0[1-9]|[1-7][0-9]|8[01]) ?[a-zA-Z]{1,3} ?[0-9]{2,5})(?!\w)"
)


def turkish_id(value: str) -> bool:
    """Return whether both check digits of a Turkish identity number are right."""
    digits = [int(digit) for digit in value]
    tenth = (7 * sum(digits[0:9:2]) - sum(digits[1:8:2])) % 10
    return tenth == digits[9] and sum(digits[:10]) % 10 == digits[10]


def find_forms(text: str) -> Iterator[Found]:
    """Yield dates, ages, telephone numbers, plates, and ids by check digits or label."""
    for match in matches(_TCKN, text):
        if turkish_id(match[0]):
            yield Found(*match.span(), "id", 0.9, "check")
    for match in matches(_WORDED, text):
        before = _DAY_BEFORE.search(text, max(0, match.start() - 24), match.start())
        yield Found(before.start() if before else match.start(), match.end(), "date", 0.9)
    for match in matches(_COUNTED, text):
        if match["day"]:
            yield Found(*match.span("day"), "date", 0.9)
        elif before := _COUNT_BEFORE.search(text, max(0, match.start() - 16), match.start()):
            dated = match["month"] is not None
            yield Found(before.start(), match.end() if dated else match.start(), "date" if dated else "age", 0.9)
    for pattern, kind in (
        (_DATE, "date"),
        (_AGE, "age"),
        (_PHONE, "phone"),
        (_LABELLED_ID, "id"),
        (_PLATE, "id"),
    ):
        for match in matches(pattern, text):
            yield Found(*match.span(match.lastgroup or 0), kind, 0.9)


_FIELD: Final = lazy_regex(
    rf"(?<!{_LETTER})(?:(?:Ev |İş |Teslimat |Fatura |Açık )?[Aa]dres[i]?|ADRES[İI]?|Doğum(?: [Yy]eri)?|İkamet(?:gâh|gah)?|İlçe(?:si)?|Memleket[i]?|Olay [Yy]eri|Kaza [Yy]eri|Semt[i]?|Köy[ü]?|Mahallesi?|Mevkii?|Şehir) ?: {{0,16}}"
    rf"(?P<place>{_U}[^\n:;|]{{2,70}}?)(?=\s{{2}}|[ ]?[\n;|]|$|, (?:[Tt]el|[0-9]{{1,2}}\.)|,? [0-9]{{1,2}}\.[0-9])"
)
"""Labels of addresses and of places of birth."""
_SMALL_LINE: Final = lazy_regex(
    rf"(?<![\w'’-])(?:{_L}{{3,16}} ){{1,2}}(?:sokak|sokağı|sok\.?|sk\.?|caddesi|cad\.?|bulvarı|mahallesi|mah\.?)(?: [0-9]{{1,4}}\.? (?:sokak|sok\.?|sk\.?))?(?: no:?)? [0-9]{{1,4}}(?:/[0-9]{{1,3}})?(?![\w])(?:(?: kat [0-9]{{1,2}})?(?: daire [0-9]{{1,3}})?(?![\w:]))|(?<![\w'’-])(?:{_L}{{3,16}} )(?:sitesi|apartmanı)(?: [a-z0-9]\.? blok)?(?: kat [0-9]{{1,2}})?(?: (?:no:? ?|daire )?[0-9]{{1,3}}(?![\w:.]))?|(?<![\w'’-])[a-zA-Z] blok (?:no:? ?|daire )?[0-9]{{1,3}}(?![\w:])"
)


def find_places(text: str) -> Iterator[Found]:
    """Yield addresses, towns with their province, and names before a word such as "ilçesi"."""
    for match in matches(_FIELD, text):
        if not _is_ordinary(match["place"].split(" ")[0].rstrip(",.")):
            yield Found(
                match.start("place"), match.start("place") + len(match["place"].rstrip(" ,.")), "place", 0.8, "street"
            )
    for match in matches(_SMALL_LINE, text):
        first, _, rest = match[0].partition(" ")
        two = (
            _is_ordinary(first)
            and rest.count(" ") > 1
            and not rest.startswith(("sok", "sk", "cad", "bul", "mah", "sit", "apa"))
        )
        yield Found(match.start() + (len(first) + 1 if two else 0), match.end(), "place", 0.8, "street")
    for match in matches(_LINE, text):
        if match["small"] and _is_ordinary(match["small"]):
            continue
        yield Found(*match.span(), "place", 0.8, "street")
    for match in matches(_AREA, text):
        if match["spot"] and _is_ordinary(match["spot"].split(" ")[0]):
            continue
        yield Found(*match.span(match.lastgroup or 0), "place", 0.8, "street")
    for match in matches(_TOWN, text):
        if any(_is_listed(part.strip(), "place") for part in re.split("[/ ]", match["name"])):
            yield Found(*match.span("name"), "place", 0.8, "list")


_TOLD: Final = (" (", " [")


def find_organizations(text: str) -> Iterator[Found]:
    """Yield firms with their legal form, and institutions with a name before the word for their sort."""
    for match in matches(_FIRM, text):
        yield Found(match.start("name"), match.end("name"), "organization", 0.8, "company-end")
    for match in matches(_TRADE, text):
        own = _OWN_BEFORE.search(text, max(0, match.start() - 48), match.start())
        told = text[match.end() : match.end() + 2] in _TOLD or text[match.end() : match.end() + 1] in ("'", "’")
        words = own[0].split(" ") if own else []
        start = own.start() if own else 0
        if len(words) > 1 and _opens(text, start) and _is_ordinary(words[0]):
            start += len(words[0]) + 1
        if words and (told or not all(map(_is_ordinary, words))) and not _is_listed(words[0], "given"):
            yield Found(start, match.end(), "organization", 0.6, "institution")
    for match in matches(_WORKPLACE, text):
        if not _is_listed(match["name"].split(" ")[0], "given"):
            yield Found(*match.span(), "organization", 0.7, "cue")
    for match in matches(_SMALL_HOUSE, text):
        first, _, rest = match[0].partition(" ")
        start = match.start() + (len(first) + 1 if first in _BEFORE_HOUSE and " " in rest else 0)
        if (start > match.start() or first not in _BEFORE_HOUSE) and not first.endswith("ki"):
            yield Found(start, match.end(), "organization", 0.6, "institution")
    for match in matches(_SHOP, text):
        yield Found(*match.span("name"), "organization", 0.7, "cue")
    for match in matches(_SMALL_SHOP, text):
        if match["first"] not in _FUNCTION and (match["own"] or not _is_frequent(match["first"])):
            yield Found(*match.span("name"), "organization", 0.6, "institution")
    for match in matches(_INSTITUTION, text):
        start = match.start("name")
        first = match["name"].split(" ")[0]
        if (
            _opens(text, start)
            and _is_ordinary(first)
            and match["name"].count(" ") > 1
            and not _is_listed(first, "place")
            and text[start - 1 : start] not in ('"', "“")
            and text[max(0, start - 2) : start] != ": "
        ):
            start += len(first) + 1
        yield Found(start, match.end("name"), "organization", 0.7, "institution")


class _Word(NamedTuple):
    start: int
    end: int
    text: str


@cache
def lowered(word: str) -> str:
    """Return a word in small letters, as Turkish has them: İ is i, I is ı."""
    return word.replace("İ", "i").replace("I", "ı").lower()


def _titled(word: str) -> str:
    low = lowered(word)
    return ("İ" if low[0] == "i" else low[0].upper()) + low[1:]


def _is_listed(word: str, section: str) -> bool:
    return word in listed("tr", section) or (
        word.isupper() and len(word) > 2 and _titled(word) in listed("tr", section)
    )


def _is_placed(text: str, word: _Word) -> bool:
    """Return whether a listed place, or one of two words, stands before the ending of "in": Alanya'daki."""
    suffix = _SUFFIX.match(text, word.end)
    listed_too = (
        suffix is not None
        and lowered(suffix[1]) in _IN
        and (_is_listed(word.text, "place") or _is_listed(word.text, "town"))
    )
    return listed_too or _IN_COMPOUND.match(text, word.end) is not None


def _is_ordinary(word: str) -> bool:
    return _is_word(lowered(word)) or _is_bent(lowered(word))


def _is_bent(low: str) -> bool:
    low = f"oğul{low[3:]}" if low.startswith("oğl") else low  # oğlunuz: a son
    cuts = [cut for cut in range(1, min(9, len(low) - 2)) if low[:-cut] in _vocabulary()]
    return any(_ENDINGS.fullmatch(low[-cut:]) for cut in cuts)


@cache
def _vocabulary() -> frozenset[str]:
    return listed("tr", "frequent") | listed("tr", "ordinary") | _FUNCTION


def _is_worded(word: str) -> bool:
    """Return whether a word is frequent, or one with an ending: rarer words are names too."""
    return _is_frequent(lowered(word)) or _is_bent(lowered(word))


def _is_frequent(low: str) -> bool:
    return low in listed("tr", "frequent") or low in _FUNCTION


def _is_word(low: str) -> bool:
    return low in _vocabulary()


_ENDINGS: Final = lazy_regex(
    r"(?:l[ae]r)?(?:[ıiuü]m(?:[ıiuü]z)?|[ıiuü]n(?:[ıiuü]z)?|s?[ıiuü])?(?:n?[ıiuü]n|[yn]?[aeıiuü]|n?[dt][ae]n?|y?l[ae]|n[cç]a)?(?:ki)?(?:[dt][ıiuü]r|y?[dt][ıiuü]|y?m[ıiuü]ş)?"
)


_BRANDS: Final = frozenset(written("tr")["brands"])
_LOOSE: Final = frozenset(written("tr")["given names too"])
"""Given names that are words: alone at a sentence's start they name nobody."""
_DIRECTIONS: Final = frozenset(("kuzey", "güney"))
_FUNCTION: Final = frozenset(written("tr")["function"])


_NO_GUESS: Final = lazy_regex(" ?:| [0-9]")
"""Behind a label or a type: Sicil: 318774, Typ 2."""
_TO_ME: Final = lazy_regex(r" (?:bana|sana|bize|size)(?!\w)")
_OFFICE: Final = lazy_regex(r"(?:l[ıiuü][kğ]|[sşz][iı]|t[ay]|loji|syon|at|um|[cç][ıiuü])\Z")
_EPONYM: Final = lazy_regex(
    r"(?:['’]?[ns]?[ıiuü]n)? (?:filtresi|algoritması|hastalığı|sendromu|testi|skoru|skalası|ölçeği|belirtisi|formülü|kanunu|yasası|yöntemi|refleksi|diyagramı|indeksi|teoremi|sınıflaması|tiroiditi|anemisi|lenfoması|fraktürü|kırığı|ağacı|mesafesi)(?![a-zçğıöşü])"
)


def _opens(text: str, start: int) -> bool:
    at = start - 1
    if text[max(0, at - 1) : start] in (' "', " “"):
        return True
    while at >= 0 and text[at] in _SKIPPED:
        at -= 1
    return at < 0 or text[at] in _OPENS


def _runs(text: str) -> Iterator[list[_Word]]:
    run: list[_Word] = []
    for match in matches(_WORD, text):
        word = _Word(*match.span(), match[0])
        shouted = bool(run) and len(word.text) > 1 and word.text.isupper() and not run[-1].text.isupper()
        if (
            run
            and (shouted or text[run[-1].end : word.start] != " ")
            and not (run[-1].text.endswith(".") and word.start - run[-1].end < 2)
        ):
            yield run
            run = []
        if run and lowered(word.text) in _HONORED:  # Hacer Teyze Üsküdar'da
            yield run
            run = []
            continue
        run.append(word)
    if run:
        yield run


def _told(text: str) -> Iterator[Found]:
    """Yield names behind labels, of whom a list names, and beside what somebody is to the writer."""
    for match in matches(_LABELLED, text):
        if not any(lowered(word) in _TITLES for word in match["name"].split(" ")):
            yield Found(*match.span("name"), "person", 0.8, "field")
    for match in matches(_NICKNAME, text):
        if not match["dear"] or text[match.end()] in "'’":
            yield Found(*match.span(match.lastgroup or 0), "person", 0.7, "title")
    for match in matches(_PRESENT, text):
        for part in matches(_PART, text[match.start("names") : match.end("names")]):
            if not _is_frequent(lowered(part[0])) or lowered(part[0]) in _LOOSE:
                start = match.start("names") + part.start()
                yield Found(start, start + len(part[0]), "person", 0.7, "field")
    for match in matches(_GLOSSED, text):
        before = _SMALL_BEFORE.search(text, max(0, match.start() - 16), match.start())
        if before and (not _is_ordinary(before["name"]) or lowered(before["name"]) in _LOOSE):
            yield Found(*before.span("name"), "person", 0.6, "title")


def find_names(text: str) -> Iterator[Found]:
    """Yield persons and places by lists, titles, capitals, and the endings behind an apostrophe."""
    yield from _told(text)
    yield from _in_small(text)
    yield from _places_in_small(text)
    lines: dict[int, bool] = {}
    for run in _runs(text):
        line = text.rfind("\n", 0, run[0].start) + 1
        if line not in lines:
            lines[line] = _is_foreign(text[line : line_end(text, line)])
        if lines[line] and not any(
            _is_listed(word.text, "given") or _is_listed(word.text, "place") or not word.text.isascii() for word in run
        ):
            continue
        opens = _opens(text, run[0].start)
        words = run
        titled = False
        while words and (
            lowered(words[0].text).rstrip(".") in _TITLES or (words[0].text.endswith(".") and len(words[0].text) > 2)
        ):
            titled, words, opens = True, words[1:], False
        role = next((n for n, word in enumerate(words[:-1]) if lowered(word.text) in _TITLES), -1)
        if role > 0 and all(_is_ordinary(word.text) for word in words[:role]):
            titled, words, opens = True, words[role + 1 :], False  # Polis Memuru Emrah Söylemez
        signed = len(words) == 2 and not _is_ordinary(words[1].text) and _SIGNED.match(text, words[1].end)
        if opens and len(words) == 1 and _is_placed(text, words[0]):
            yield Found(*words[0][:2], "place", 0.6, "list")
            words = []
        alone = len(words) == 1
        honored = words and (
            _honored(text, words[0]) or (alone and (_is_own(text, words[0]) or _is_asked(text, words[0])))
        )
        if (
            opens
            and words
            and _is_ordinary(words[0].text)
            and not (honored or signed or _is_listed(words[0].text, "given"))
        ):
            words, opens = words[1:], False
        elif opens and len(words) == 1 and _is_ordinary(words[0].text) and not honored:
            words = []
        while words and lowered(words[-1].text) in _FUNCTION:
            words = words[:-1]
        ill = (
            n for n in (1, 2) if n <= len(words) and _EPONYM.match(lowered(text[words[-n].end : words[-n].end + 24]))
        )
        words = words[: len(words) - next(ill, 0)]
        if words:
            yield from _judged(text, words, opens=opens, titled=titled)


_SMALL_WORD: Final = lazy_regex(rf"(?<![\w'’.@/-]){_L}{{2,20}}(?![\w@])")


def _is_foreign(line: str) -> bool:
    """Return whether most words in small letters of a line are not Turkish: names there need a list or Turkish letters."""
    words = _SMALL_WORD.findall(line)
    return len(words) > 2 and 2 * sum(map(_is_ordinary, words)) < len(words)


def _is_own(text: str, word: _Word) -> bool:
    """Return whether a word before an apostrophe is a name: no frequent word, nor an office."""
    low = lowered(word.text)
    own = low in _LOOSE or not (_is_frequent(low) or _OFFICE.search(low))
    return own and not word.text.isupper() and _SUFFIX.match(text, word.end) is not None


def _is_asked(text: str, word: _Word) -> bool:
    return lowered(word.text) in _LOOSE and _TO_ME.match(text, word.end) is not None


def _honored(text: str, word: _Word) -> bool:
    """Return whether a title or kin stands behind a word: Zeliş teyzeme."""
    named = lowered(word.text) in _LOOSE or not _is_ordinary(word.text)
    return _BEHIND.match(text, word.end) is not None or (named and _KIN_BEHIND.match(text, word.end) is not None)


def _judged(text: str, words: list[_Word], *, opens: bool, titled: bool) -> Iterator[Found]:
    first, last = words[0], words[-1]
    before = _BEFORE.search(text, max(0, first.start - 24), first.start)
    cue = lowered(before[1]) if before else ""
    suffix = _SUFFIX.match(text, last.end)
    named = [word for word in words if len(word.text) > 2]
    if not named or (lowered(first.text) in COMPANIES | _BRANDS and not titled):
        return
    behind = _honored(text, last)
    if titled and len(named) == 1 and not behind and (kind := _behind_title(first, suffix)) != "person":
        yield from [Found(first.start, last.end, kind, 0.6, "cue")] if kind else ()
        return
    if titled or behind or cue in _TITLES:
        yield Found(first.start, last.end, "person", 0.8, "title")
        return
    if len(named) == 1 and named[0].text.isupper() and not suffix:
        if _is_listed(first.text, "place") and len(first.text) > 4 and not _is_ordinary(first.text):
            yield Found(first.start, last.end, "place", 0.5, "list")
        return
    given = _is_listed(named[0].text, "given")
    if first.text.isupper() and len(named) > 1 and not given:
        return
    place = _is_listed(" ".join(word.text for word in named), "place") or all(
        _is_listed(word.text, "place") or ((suffix or not opens) and _is_listed(word.text, "town")) for word in named
    )
    if place and not (given and len(named) > 1) and not (given and not (suffix and lowered(suffix[1]) in _IN)):
        if not (opens and len(named) == 1 and _is_ordinary(first.text) and not suffix):
            yield Found(first.start, last.end, "place", 0.7, "list")
    elif len(named) == 1 and opens and not suffix and lowered(first.text) in _LOOSE:
        if (first.start and _ENDS.match(text, last.end)) or _is_asked(text, first):  # who signs
            yield Found(first.start, last.end, "person", 0.5, "cue")
    elif given and (len(named) > 1 or suffix or not (opens and _is_ordinary(first.text))):
        yield Found(first.start, last.end, "person", 0.7, "list")
    elif (
        (
            len(named) > 1
            and (
                _is_listed(named[-1].text, "family")
                or not all(_is_ordinary(word.text) for word in named)
                or (
                    not opens
                    and lowered(first.text) in _LOOSE
                    and lowered(first.text) not in _DIRECTIONS
                    and last.text[-1] not in "ıiuü"
                )
            )
        )
        or (_is_listed(named[0].text, "family") and (suffix or not (opens or _is_ordinary(named[0].text))))
        or (len(words) > 1 and words[0].text.endswith(".") and len(named) == 1 and not _is_ordinary(named[0].text))
    ):
        yield Found(first.start, last.end, "person", 0.5, "list")
    elif len(named) == 1 and suffix and (_is_own(text, first) or not _is_word(lowered(first.text))):
        yield Found(first.start, last.end, "place" if lowered(suffix[1]) in _IN else "person", 0.5, "guess")
    elif (
        len(named) == 1
        and (not opens or _PERSONAL.match(text, last.end))
        and (not _is_ordinary(first.text) or _is_foreign_given(lowered(first.text)))
        and not first.text.isupper()
        and not set(first.text) & set("ßäéè")
        and not _NO_GUESS.match(text, last.end)
    ):
        yield Found(first.start, last.end, "person", 0.4, "guess")


def _is_foreign_given(low: str) -> bool:
    """Return whether a word that is none without its ending is an English given name: Elena is no case of "elen"."""
    return bool(lists().words.get(low, 0) & Marks.GIVEN) and not _is_word(low)


_SHOP: Final = lazy_regex(
    rf"(?:[Dd]ükk[aâ]n|[Ll]okanta|[Rr]estoran|[Kk]afe|[Mm]ağaza|[Şş]irket|[Ff]irma|[İi]şletme|[Kk]uaför|[Ff]ırın|[Oo]tel|[Pp]ansiyon|[Aa]tölye|[Bb]üro)[a-zçğıöşüâ]{{0,10}} (?:adı|ismi|adımız)(?: da| ise)? (?P<name>{_NAME}(?: {_NAME}){{0,3}})"
)
_WORKPLACE: Final = lazy_regex(
    rf"(?<![\w'’-])(?P<name>{_NAME}(?: {_NAME}){{1,3}})(?=['’][dt][ae]n? (?:{_L}{{2,10}} ){{0,2}}(?:staj|çalış|işe|müdür|usta|görev))"
)
"""Where somebody works: Anadolu Döküm'de staj yaptım."""
_SMALL_HOUSE: Final = lazy_regex(
    rf"(?<![\w'’.@/-])(?P<name>(?:{_L}{{3,14}} ){{1,2}}(?:pansiyon|otel|hotel|kamping|kafe|cafe|market|bar|restoran|büfe|koyu|plajı|sahili|yaylası|parkı|konakları|evleri|meydanı|kalesi|şelalesi))(?=['’]|[dt][ae] (?:çalış|buluş|otur))|(?<![\w'’.@/-])(?P<shop>(?:{_L}{{3,10}}[cç][ıiuü]|kasap|berber|terzi|bakkal|manav|kuaför|usta) {_L}{{3,12}})(?=['’])"
)
"""A house or a spot in small letters before the ending of a case."""
_SPOKEN: Final = lazy_regex("[b-df-hj-np-tvyzçğş]?(?:[aeıioöuü][b-df-hj-np-tvyzçğş]{1,2}){1,6}[aeıioöuü]?")
"""How words of Turkish are made: no pixbuf, no stdin."""
_COMPOUND: Final = lazy_regex(
    rf"(?<![\w'’.@/-])(?P<name>{_L}{{3,14}} (?P<last>{_L}{{2,12}}[ıiuü]))(?=['’]n(?:d?[ae](?:n|ki)?|[ıiuü]n)(?!\w))"
)
"""A name of two words in small letters: only behind names does an apostrophe part an ending."""
_BEFORE_HOUSE: Final = frozenset(
    "yeni eski aynı bizim sizin güzel büyük küçük ucuz yakın diğer hangi her bir bu şu ilk son iyi".split()
)
_SMALL_NAME: Final = lazy_regex(
    rf"(?<![\w'’.@/-])(?P<name>{_L}{{4,14}})['’](?P<end>[yn]?[ae]|y?[ıiuü]|n?[dt][ae](?:n|ki)?|n?[ıiuü]n|y?l[ae])(?!\w)"
)
"""A name in small letters before an apostrophe, behind which only endings of names stand: gölbaşı'na."""
_DOES: Final = lazy_regex(
    rf"(?<![\w'’.@/-])(?P<name>{_L}{{3,14}})(?= (?:d[ae] )?(?:(?:sizin|bizim|benim|senin|onun)(?:l[ae])(?!\w)|(?:{_L}{{2,10}} ){{0,3}}(?:git(?:sin|ti|miş|ecek|iyor)|gel(?:sin|mesin|iyor|ir|ecek|miyor)|söyle(?:di|sin|miş)|arasın|ara(?:dı|yacak)|getir(?:sin|di|ir|ecek)|istiyor|diyor|dedi|demiş|bekliyor|biliyor|uyuyor|yaz(?:dı|sın|mış))(?!\w)))"
)
"""A name in small letters before what persons do."""
_LIVED: Final = lazy_regex(
    rf"(?<![\w'’.@/-])(?P<name>{_L}{{4,14}}?)['’]?[dt][ae](?=y[ıi][mz](?!\w)|ym[ıi]ş| (?:çalışıyor|oturuyor|yaşıyor|kalıyor|kalacağ|buluş|tatil)[a-zçğıöşü]{{0,6}}(?!\w))"
)
_SMALL_PLACE: Final = lazy_regex(
    rf"(?<![\w'’.@/-])(?P<name>{_L}{{4,14}}?)(?P<end>(?:y[ae]|[dt][ae]n?|[dt][ae]ki)(?![\w@'’/-]))"
)
_WRITER: Final = lazy_regex(rf"^(?P<name>{_LETTER}{{3,14}})(?=: [^\n])", re.MULTILINE)
_SMALL: Final = lazy_regex(
    rf"(?<![\w'’.@/-])(?:(?P<cue>ben|adım|ismim) )?(?P<name>{_L}{{3,16}})(?: (?P<family>{_L}{{3,18}}))?"
    r"(?![\w@/-]|\.[\w.-]{1,30}@|['’](?![dty][aei]))"
)
_CASE: Final = "(?:(?:s[ıi]|[mn](?:[ıi]z)?|m[ıi]z)?(?:[yn]?[aeıiuü]|n?[ıiuü]n|n?[dt][ae]n?|y?l[ae])?|gil(?:[dt]?[ae]n?|e)?|l[ae]r(?:[ae]|[ıi]n?)?)"
_KIN: Final = "abla|ağabey|abi|amca|teyze|hala|dayı|yenge|dede|nine|enişte|anneanne|babaanne|öğretmen|hoca|usta|hemşire"
_KIN_BEHIND: Final = lazy_regex(rf" (?:{_KIN}){_CASE}(?!\w)")
"""Kin with an ending behind a name: Zeliş teyzeme."""
_PRESENT: Final = lazy_regex(
    rf"(?:[Kk]atıl(?:anlar|ımcılar)|[Gg]el(?:enler|meyenler)|[Hh]azır bulunanlar|[Dd]avetliler|[İi]mzalar|[Ee]kip|[Kk]adro|[Nn]öbetçiler) ?: ?(?P<names>{_NAME}(?: {_NAME}){{0,3}}(?:(?:, ?| ve ){_NAME}(?: {_NAME}){{0,3}}){{1,30}})"
)
_PART: Final = lazy_regex(rf"{_NAME}(?: {_NAME}){{0,3}}")
_GLOSSED: Final = lazy_regex(
    r"[(](?:bizim |benim )?(?:kedi|köpe|kuş|eşi|oğl|kız|anne|baba|abla|abi|kardeş|teyze|dayı|amca|hala|torun|komşu|arkadaş|ortağ|kuzen|yeğen|gelin|damad|nişanlı|sevgili)(?:m|miz|mız|muz|n|niz|ğim|ğimiz|ım|im|um|ımız|imiz|umuz|si|sı|i|ı)?[),]"
)
_SMALL_BEFORE: Final = lazy_regex(rf"(?<![\w'’./@-])(?P<name>{_LETTER}{{3,16}}) ?\Z")
_SMALL_HANDLE: Final = lazy_regex(r"_[0-9]{1,4}(?=: |['’]|[,.!?]?\s|\Z)")
_SMALL_BEHIND: Final = lazy_regex(rf"(?:bey|hanım|baba|{_KIN}){_CASE}")
_PERSONAL: Final = lazy_regex(
    r" (?:ile|bana|bize|sana|size|nasıl|(?:\w{1,12} )?(?:aradı|gelsin|dedi|söyledi|yazdı|istedi|uğradı|sordu|arayacak))(?!\w)"
)
"""What stands behind who does something: Kamer bana."""
_OF_MINE: Final = lazy_regex(
    rf"(?<!\w)(?:(?:eş|kardeş|oğl|kız|kuzen|arkadaş|torun|yeğen|gelin|damad|nişanlı|sevgili|komşu|koca|karı|elti|baldız|görümce|kayınvalide|kaynana|kayınpeder|kayınbirader|bebe[kğ]|abla|abi|teyze|hala|amca|dayı|yenge|dede|nine|enişte|patron|kanka|köpe[kğ]|kedi)[ıiuü]?m(?:[ıiuü]z)?|adı|ismi) (?P<name>{_L}{{3,14}})(?=['’ .,;!?\n]|\Z)(?P<next>['’]| {_L}{{1,14}})?"
)
"""Whom somebody calls the own, in small letters: görümcem hatçe."""
_VERB: Final = lazy_regex(
    r".*(?:yor|yo|[dt][ıiuü]|m[ıiuü]ş|[ae]c[ae][kğ]|[ıiuü]p|ken|[ıiuü]nc[ae]|[ae]r[ae]k|m[ae]z|[ae]r|[ıiuü]r|m[ae]y[ae]|m[ae]k|s[ae])(?:[ıiuü]?[mnkz]|l[ae]r|s[ıiuü]n)?"
)


def _in_small(text: str) -> Iterator[Found]:
    """Yield persons in small letters: a listed name that is no word, "ben berfin", "ferit bey" of a name met again."""
    often = Counter(match["name"] for match in matches(_WRITER, text))
    lines = [match for match in matches(_WRITER, text) if match["name"].islower() or often[match["name"]] > 1]
    by_lines = text.count(f"{OTHER}: ") > 2  # found by their lines
    chat = by_lines or (len(lines) > 1 and any(_titled(match["name"]) in listed("tr", "given") for match in lines))
    for match in (match for match in lines if chat and not by_lines and not _is_frequent(match["name"])):
        yield Found(*match.span("name"), "person", 0.6, "field")
    for match in matches(_DOES, text) if chat else ():
        name = match["name"]
        if (name in _LOOSE or _titled(name) in listed("tr", "given")) and name not in _FUNCTION:
            yield Found(*match.span("name"), "person", 0.5, "guess")
    for match in matches(_SMALL_HANDLE, text):
        before = _SMALL_BEFORE.search(text, max(0, match.start() - 18), match.start())
        if before and before[0].islower() and not (_is_ordinary(before[0]) or is_plain_form(before[0])):
            yield Found(before.start(), match.end(), "handle", 0.6)
    for match in matches(_OF_MINE, text):
        name, behind = match["name"], (match["next"] or "").strip()
        loose = name in _LOOSE or (_titled(name) in listed("tr", "given") and not _is_frequent(name))
        told = behind.startswith(("di", "de")) or _VERB.fullmatch(behind if loose else name)  # teyzem boşan diyor
        if not told and (loose or not _is_ordinary(name)):
            yield Found(*match.span("name"), "person", 0.5, "title")
    met = -1
    for match in _small_words(text):
        name, behind = match["name"], lowered(match["family"] or "")
        frequent = name in listed("tr", "frequent") or name in _FUNCTION
        kin = _SMALL_BEHIND.fullmatch(behind) is not None
        given = not frequent and name in listed("tr", "small") and name not in _LOOSE
        if kin and (name in _LOOSE or (not frequent and _titled(name) in listed("tr", "given"))):
            given = True
        told = (kin or (match["cue"] and not behind)) and not frequent and name not in _TITLES
        if match.start("name") < met or not (
            given or (told and not _is_ordinary(name)) or (kin and told and text.count(name) > 1)
        ):
            continue
        met = match.end("family") if behind and not kin and _is_made_of_words(behind) else match.end("name")
        yield Found(match.start("name"), met, "person", 0.5, "list")


def _places_in_small(text: str) -> Iterator[Found]:
    """Yield listed places in small letters before the ending of a case: bursaya."""
    for match in matches(_SMALL_PLACE, text):
        name = match["name"]
        if _titled(name) in listed("tr", "place") and not _is_ordinary(name) and not _is_ordinary(match[0]):
            yield Found(*match.span("name"), "place", 0.5, "list")
    for match in matches(_LIVED, text):
        if not _is_ordinary(match["name"]) and not _is_ordinary(match[0]):
            yield Found(*match.span("name"), "place", 0.5, "guess")
    for match in matches(_COMPOUND, text):
        if match["last"] not in _TITLES and match["name"].split(" ")[0] not in _FUNCTION:
            yield Found(*match.span("name"), "place", 0.5, "guess")
    for match in matches(_SMALL_NAME, text):
        name = match["name"]
        if (
            len(match["end"]) + (match["end"] in ("a", "e")) > 1
            and _SPOKEN.fullmatch(name)
            and not _is_ordinary(name)
            and not is_plain_form(name)
        ):
            yield Found(*match.span("name"), "place" if match["end"][0] in "ydt" else "person", 0.4, "guess")
        if name in _LOOSE and (match["end"][0] not in "dt" or not _is_frequent(name)):
            yield Found(*match.span("name"), "person", 0.5, "guess")
        for kind in ("place", "given"):
            if _titled(match["name"]) in listed("tr", kind):
                yield Found(*match.span("name"), "place" if kind == "place" else "person", 0.5, "guess")


def _small_words(text: str) -> Iterator[re.Match[str]]:
    place = 0
    while match := _SMALL.search(text, place):
        check_time()
        yield match
        place = match.end("name")


@cache
def _is_made_of_words(low: str) -> bool:
    """Return whether a word that is none is made of two, as family names are: uluçınar, karabıyıkoğlu."""
    ends = (low[cut:] for cut in range(2, len(low) - 3))
    return _titled(low) in listed("tr", "family") or (
        not _is_ordinary(low)
        and any(_is_word(end) or _titled(end) in listed("tr", "given") | listed("tr", "family") for end in ends)
    )


def _behind_title(word: _Word, suffix: re.Match[str] | None) -> str:
    """Return what a word behind a title is: nobody ("dear colleague"), a place ("the patient in ..."), or a person."""
    if _is_listed(word.text, "given"):
        return "person"
    return "" if _is_worded(word.text) else "place" if suffix and lowered(suffix[1]) in _IN else "person"


def mention_forms(name: str, kind: str) -> Iterator[str]:
    """Yield patterns of later mentions: the whole, and each part of a person's name."""
    words = [name, *name.split(" ")] if kind == "person" else [name]
    for word in words:
        if (
            len(word) > 2
            and "." not in word
            and (
                " " in word
                or not (_is_worded if name.startswith(word) else _is_ordinary)(word)
                or _is_listed(word, "given")
                or lowered(word) in _LOOSE
            )
        ):
            forms = {word, word.replace("i", "İ").replace("ı", "I").upper()}
            if kind == "person" and len(word) > 3 and not _is_ordinary(word) and lowered(word) not in _LOOSE:
                forms.add(lowered(word))
            yield from (rf"(?<![\w.@-]){re.escape(form)}(?!{_LETTER})" for form in sorted(forms))
        elif kind == "person" and len(word) > 3 and word.islower() and " " not in name:  # who writes in a chat
            yield rf"(?<![\w.@-]){re.escape(word)}(?!{_LETTER})"
        elif kind == "person" and len(word) > 2 and "." not in word:  # a word that is a name before an apostrophe
            yield rf"(?<![\w.@-]){re.escape(word)}(?=['’]{_L})"


# fmt: off
PHASES: Final = (
    Phase("turkish-forms", (
        Row("turkish-form", find_forms, anywhere, "age date id phone", 0.9, "check", "10000000146", "10000000147"),
    )),
    Phase("turkish-places", (
        Row("turkish-organization", find_organizations, anywhere, "organization", 0.8, "company-end institution",
            "Yıldız Tekstil A.Ş. ile", "bir tekstil şirketi"),
        Row("turkish-place", find_places, anywhere, "place", 0.8, "list street",
            "Atatürk Mah. Gül Sok. No: 5 D: 3", "5. sokak"),
    )),
    Phase("turkish-names", (
        Row("turkish-name", find_names, anywhere, "handle person place", 0.8, "cue field guess list title",
            "Dün Ayşe Yılmaz geldi", "Dün hasta geldi"),
    )),
)
"""Addresses and organizations first: their words have capitals too."""
# fmt: on
