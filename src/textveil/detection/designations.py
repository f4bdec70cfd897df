"""Public designations with numbers: norms, protocols, releases of programs, laws, books of the Bible.

They name nobody. Drawn, their numbers tell of a norm or a program that does not exist: ISO 2721, UTF-5, World War 7.
"""

from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found
from textveil.detection.gates import at_digits, both, joined_words, places_of, with_words
from textveil.text.patterns import lazy_regex

_YEAR: Final = "(?:19|20)[0-9]{2}"
_RELEASE: Final = r"[0-9]{1,2}(?:\.[0-9]{1,3}){1,3}"
_OF: Final = r"(?:,? (?:[Nn][or]?)?[.o\xb7 ]{0,3})"
_SLASHED: Final = rf"(?:[0-9]{{1,4}}/{_YEAR}|{_YEAR}/[0-9]{{1,4}}|[0-9]{{2}}/[0-9]{{1,4}})"
_UNION: Final = "EU|EC|EG|EEC|EWG|EEG|UE|CE|CEE|WE"
_SINCE: Final = (
    r"(?:,? (?:du|del|de|vom|van|di|of|z dnia) (?:1er|[0-9]{1,2}\.?)(?: de)? [A-Za-z]{3,11}"
    r"(?:(?: del?)? [0-9]{4}(?: r\.)?)?)"
)
"""The day of a law, which is public: du 6 juillet 1989, z dnia 29 sierpnia 1997 r."""
_DESIGNATIONS: Final = (
    # the words with which a designation begins, and the whole of it
    ("iso iec din en ansi astm ieee nfpa bs rfc ecma etsi pep nen abnt vde uni pn",
     r"(?:ISO|IEC|DIN|(?:UNI |PN-)?EN|ANSI|ASTM|IEEE|NFPA|BS|RFC|ECMA|ETSI|PEP|NEN|ABNT NBR|VDE)"
     r"(?:[/ ](?:IEC|TS|TR|EN|ISO|VDE)){0,2}[ -][A-Z]?(?:[0-9]{3,5}|(?<=PEP )[0-9]{1,2})"
     r"(?:[.:-][0-9]{1,4}){0,3}[a-z]{0,2}"),
    ("iso utf windows cp latin",
     "(?i:iso-8859-[0-9]{1,2}|utf-?(?:8|16|32)|windows-125[0-8]|cp(?:125[0-8]|437|850)|latin-?[1-9])"),
    ("http https sip rtsp tls ssl tlsv mime usb hdmi bluetooth oauth wi wifi sha aes rsa md mpeg wpa ipv x base web",
     r"(?:HTTPS?|SIP|RTSP)/[0-3](?:\.[0-9])?|TLS ?v?1(?:\.[0-3])?|SSL ?v?[23]|MIME(?:-Version:)? 1\.0"
     r"|(?:USB|HDMI|Bluetooth) [1-5]\.[0-9]|OAuth ?[12](?:\.[0-9])?|Wi-?Fi [4-7]|SHA-?(?:1|224|256|384|512)"
     r"|AES-?(?:128|192|256)|RSA-?(?:1024|2048|4096)"
     r"|MD[45]|MPEG-[24]|WPA[23]|IPv[46]|x86_64|(?i:base ?(?:16|32|58|64|85))|Web [23]\.0"),
    ("version versione versie versao wersja wersji apiversion",
     r"(?i:versione?|versie|versao|wersj[ai])(?: |: (?P<own>(?=v?[0-9]{1,2}\.)))v?[0-9]{1,2}(?:\.[0-9]{1,3}){1,2}"
     r"|apiVersion: v[0-9](?:(?:alpha|beta)[0-9])?"),
    ("u", r"U\+[0-9A-F]{4,6}"),
    ("python java php ruby perl node nodejs ubuntu debian fedora centos rhel macos ios ipados android mysql mariadb"
     " postgresql postgres mongodb redis nginx apache tomcat django rails react angular numpy pandas pytorch tensorflow"
     " cuda opengl openssl openssh chrome firefox safari kubernetes docker gcc clang cmake git linux",
     rf"(?i:[a-z]{{3,12}})(?:[ /@-]v?|(?<=[Pp]ython)){_RELEASE}"),
    ("windows ubuntu debian macos ios ipados android java php",
     rf"Windows(?: Server)? (?:{_YEAR}|[378]|8\.1|1[01]|9[58])|(?:Ubuntu|Debian|macOS|iOS|iPadOS|Android|Java|PHP)"
     r" [1-9][0-9]?"),
    ("office excel word autocad outlook sharepoint exchange",
     rf"(?:Office|Excel|Word|AutoCAD|Outlook|SharePoint|Exchange) (?:365|97|{_YEAR})"),
    ("ps playstation xbox iphone gtx rtx core ryzen raspberry boeing airbus apollo prince covid world area",
     r"(?i:ps[1-5]|playstation ?[1-5]|xbox (?:360|one)|iphone (?:[4-9]|1[0-9])|covid 19)|[GR]TX ?[0-9]{3,4}"
     r"|Core i[3579]|Ryzen [3579]|Raspberry Pi [0-5]|Boeing 7[0-9]7|Airbus A3[0-9]{2}|Apollo 1[13]|PRINCE2"
     r"|World War [12]|Area 51"),
    ("cfr usc u c",
     r"(?:CFR|C\.F\.R\.|USC|U\.S\.C\.)(?: Part)? (?:\xa7{1,2} ?)?[0-9]{1,5}[a-z]?(?:\.[0-9]{1,4})?"
     r"(?:\([0-9A-Za-z]{1,4}\)){0,4}"),
    ("krs ors rcw nrs mcl orc mca cgs ocga rsmo cplr ilcs",
     r"(?:KRS|ORS|RCW|NRS|MCL|ORC|MCA|CGS|OCGA|RSMo|CPLR|ILCS) (?:\xa7{1,2} ?)?[0-9]{1,3}[A-Za-z]?"
     r"(?:[.:-][0-9]{1,4}[a-z]?){1,3}"),
    ("genesis exodus leviticus deuteronomy chronicles psalms proverbs ecclesiastes romans corinthians galatians"
     " ephesians philippians colossians thessalonians hebrews revelation sura surah sure",
     r"[A-Z][a-z]{3,13} [0-9]{1,3}(?::[0-9]{1,3}(?:-[0-9]{1,3})?)?"),
    ("form forms w i",
     r"(?i:forms? )?(?:W-[2489]|I-(?:9|94|130|485|765|864))[A-Z]{0,3}"
     r"|(?i:forms?) (?:1040|1065|1095|1098|1099|1120|941|990)(?:-?[A-Z]{1,4})?"),
    ("ley lei legge loi ustawa ustawy ustawie wet real regio decreto decret ordonnance d lgs dpr p r rd rdl lo",
     rf"(?:(?:[Ll]ey(?: Organica)?|[Ll]ei(?: Complementar)?|[Ll]egge|[Rr]eal [Dd]ecreto(?:[- ][Ll]ey)?"
     rf"|[Dd]ecreto[- ](?:[Ll]egge|[Ll]egislativo|[Ll]ey|[Ll]ei)|D\.? ?Lgs\.?|D\.? ?P\.? ?R\.?|RDL?|LO){_OF}"
     rf"(?:{_SLASHED}|[0-9]{{1,2}}\.[0-9]{{3}}(?:/[0-9]{{2,4}})?)|(?:[Ll]oi|[Dd]ecret|[Oo]rdonnance){_OF}"
     rf"(?:{_YEAR}|[0-9]{{2}})-[0-9]{{1,4}}|[Uu]staw[aeyo](?= z)){_SINCE}?"),
    ("directive directives richtlinie direttiva directiva diretiva richtlijn dyrektywa regulation verordnung reglamento"
     " regolamento reglement regulamento verordening rozporzadzenie beschluss eg eu ue ce we",
     rf"(?:(?i:[a-z]{{8,14}}) (?:\((?:{_UNION})\){_OF})?|(?:{_UNION})\){_OF}){_SLASHED}(?:/(?:{_UNION}))?{_SINCE}?"),
    ("dz bgbl sgb", r"Dz\. ?U\.(?: z)? [0-9]{4}(?: r\.)?(?: [Nn]r [0-9]{1,3})?,? poz\. [0-9]{1,4}"
     r"|BGBl\. I{1,3}(?: [0-9]{4})?,?(?: Nr\. [0-9]{1,3}| S\. [0-9]{1,4}){1,2}|SGB [IVX]{1,4}"),
    ("ral cas wcag proposition", r"RAL [1-9][0-9]{3}|CAS(?:[ -]N[or]\.?)?:? [0-9]{2,7}-[0-9]{2}-[0-9]|WCAG [1-3]\.[0-2]"
     r"|Proposition [0-9]{1,3}"),
    ("cve", "CVE-(?:19|20)[0-9]{2}-[0-9]{4,6}"),
)  # fmt: skip
_WORDS: Final = " ".join(words for words, _ in _DESIGNATIONS)
_PATTERNS: Final = tuple(
    (joined_words(words), lazy_regex(rf"(?<![\w.@/-])(?:{pattern})(?![\w%@]|[.,:/-][0-9])"))
    for words, pattern in _DESIGNATIONS
)
_TITLED: Final = joined_words("cfr corinthians")
_TITLE: Final = lazy_regex(r"(?<![\w.,/-])[0-9]{1,2} \Z")
"""The number before a code of law or a letter: 34 CFR, 1 Corinthians."""
DESIGNATION_GATE: Final = both(with_words(_WORDS), at_digits("[0-9]"))


def find_designations(text: str) -> Iterator[Found]:
    """Yield public designations whole: ISO 9001, UTF-8, Ubuntu 22.04, 34 CFR 300.320, 1 Corinthians 13."""
    for words, pattern in _PATTERNS:
        for start, _ in places_of(text, words):
            if (named := pattern.match(text, start)) is not None:
                title = _TITLE.search(text, max(0, start - 4), start) if words & _TITLED else None
                own = named.start("own") if named.groupdict().get("own") is not None else start  # Version: 2.1
                yield Found(title.start() if title else own, named.end(), "numbering", 0.95, "sequence")
