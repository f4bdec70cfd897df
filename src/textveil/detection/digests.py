"""Values that machines write for machines: digests, error codes, sizes, time zones, URLs without a domain."""

import re
from collections.abc import Iterator
from typing import Final

from textveil.detection.found import Found, words_in
from textveil.detection.gates import at_digits, either, holding, holding_in_runs, matching
from textveil.detection.lists import Marks, lists
from textveil.detection.people_in_records import is_plain_form
from textveil.text.patterns import lazy_regex, matches

_HEXADECIMAL: Final = lazy_regex(
    r"(?<![A-Za-z0-9])(?:(?P<uuid>[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12})"
    r"|0[xX](?![0-9A-Fa-f]{40}(?![0-9A-Fa-f]))[0-9A-Fa-f]{2,128}|(?=[0-9]{0,40}[a-f])(?=[a-f]{0,40}[0-9])[0-9a-f]{7,128}"
    r"|(?=[0-9]{0,40}[A-F])(?=[A-F]{0,40}[0-9])[0-9A-F]{32,128}|(?:[0-9A-Fa-f]{2}:){7,63}[0-9A-Fa-f]{2}"
    r"|(?:[0-9A-F]{4} {1,2}){9}[0-9A-F]{4})(?![A-Za-z0-9@])"
)
_BASE64: Final = lazy_regex(
    r"(?<![A-Za-z0-9])(?:sha(?:1|256|384|512)-|h1:|SHA256:)[A-Za-z0-9+/]{27,88}(?![A-Za-z0-9+/])={0,2}"
)
_ALL_DIGITS: Final = lazy_regex(r"(?<![\w.,+-])[0-9]{7,12}(?![\w,-]|\.[0-9])")
_REGIONS: Final = "Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific"
_ZONE: Final = lazy_regex(rf"(?<![\w/])(?:{_REGIONS})/[A-Z][A-Za-z_-]{{2,24}}(?:/[A-Z][A-Za-z_]{{2,24}})?(?![\w/])")
_LOCAL_URL: Final = lazy_regex(
    r"(?:https?|wss?)://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|[a-z][a-z0-9-]{1,40})(?::[0-9]{2,5}(?![0-9@]))?(?=[/\s\"'`)>,;]|\Z)"
)
"""Matches the host of a program on its own machine or beside it: a host without a domain names nobody."""
_LOGGED: Final = lazy_regex(
    r"(?:(?<=HTTP/1\.[01]\" )|(?<=HTTP/[23]\" )|(?<=HTTP/2\.0\" ))[1-5][0-9]{2} [0-9]{1,12}(?![\w.-])"
    r"|(?<=[a-z]\[)[0-9]{1,7}(?=\]:)|(?<=\bRFC )[0-9]{3,5}(?!\w)",
    holds=("]:", "RFC ", "HTTP/"),
)
"""Status and size of an answer, and numbers of processes."""
_LAW: Final = lazy_regex(
    r"(?:(?<=\bAct )|(?<=\bActs )|(?<=\bRegulations ))(?:1[6-9]|20)[0-9]{2}(?![\w-])",
    holds=("Act ", "Acts ", "Regulations "),
)
_MEASURE: Final = lazy_regex(
    r"(?<![A-Za-z])(?:size|bytes|offset|len(?:gth)?|count|duration|elapsed|timeout|version|build|seq|mem(?:ory)?"
    r"|rss|heap"
    r"|limit|max|min|ttl|rows|line|block|capacity)(?:_[a-z]{1,8})?[\"']?(?:=|\" ?: ?| (?=[0-9]+$))\"?"
    r"(?P<number>[0-9]{5,19})(?![\w.-])",
    re.MULTILINE,
    small=(
        "size", "bytes", "offset", "len", "count", "duration", "elapsed", "timeout", "version", "build", "seq", "mem",
        "rss", "heap", "limit", "max", "min", "ttl", "rows", "line", "block", "capacity",
    ),
)  # fmt: skip
"""Keys of settings and logs whose number measures something of a machine."""
_PUBLIC_HOST: Final = lazy_regex(
    r"(?<![\w.@/-])(?=[a-z0-9+:/-]{1,64}+\.)(?:(?:git|registry|sparse)\+)?(?:(?:https?|oci|docker)://)?(?:"
    r"(?:registry\.(?:npmjs\.org|yarnpkg\.com|hub\.docker\.com|terraform\.io|k8s\.io)|(?:files\.)?pythonhosted\.org|pypi\.org"
    r"|(?:static\.|index\.)?crates\.io|(?:proxy\.)?golang\.org|rubygems\.org|repo1?\.maven\.(?:apache\.)?org|packagist\.org"
    r"|github\.com/rust-lang/crates\.io-index|docs\.python\.org|(?:www\.)?w3\.org|developer\.mozilla\.org|stackoverflow\.com"
    r"|schemas\.(?:xmlsoap\.org|openxmlformats\.org|microsoft\.com)|json-schema\.org|schema\.org|spdx\.org|kubernetes\.io"
    r"|(?:fonts|ajax)\.googleapis\.com|fonts\.gstatic\.com|cdn\.jsdelivr\.net|unpkg\.com|cdnjs\.cloudflare\.com"
    r"|hub\.docker\.com|docs\.docker\.com|(?:www\.)?apache\.org|maven\.apache\.org|opensource\.org|(?:www\.)?gnu\.org"
    r"|creativecommons\.org|(?:[0-9]\.)?(?:[a-z]{2,10}\.)?pool\.ntp\.org|time\.(?:google|windows|apple|cloudflare)\.com"
    r"|[a-z0-9-]{1,24}\.l\.google\.com|(?:[a-z-]{1,24}\.){1,2}(?:kubernetes|k8s)\.io|cert-manager\.io|argoproj\.io|helm\.sh"
    r"|(?:archive|security|ports)\.ubuntu\.com|(?:deb|security|ftp)\.debian\.org|dl-cdn\.alpinelinux\.org|apt\.postgresql\.org"
    r"|download\.docker\.com|packages\.microsoft\.com|repo\.anaconda\.com|mirrors\.kernel\.org|acme-v02\.api\.letsencrypt\.org"
    r"|(?:www\.|docs\.|dev\.)?(?:python|nodejs|postgresql|sqlite|nginx|kernel|rust-lang|ruby-lang|typescriptlang|semver|json|yaml"
    r"|ietf|rfc-editor|unicode|iana|letsencrypt|contributor-covenant|mariadb|haproxy)\.org|docs\.rs|(?:pkg\.)?go\.dev|git-scm\.com"
    r"|(?:www\.)?php\.net|redis\.io|react\.dev|keepachangelog\.com|learn\.microsoft\.com|docs\.(?:github|gitlab|aws\.amazon)\.com"
    r"|nvd\.nist\.gov|cve\.mitre\.org|www\.(?:gov|nhs)\.uk|(?:www\.)?(?:irs|ssa|cdc|fda)\.gov|(?:www\.)?who\.int)(?:/[\w.@+~-]{1,80}){0,8}/?"
    r"|api\.(?:openai|anthropic|stripe)\.com(?:/(?:v[0-9]|[a-z_]{2,24})){0,5}"
    r"|(?P<host>(?:[a-z0-9-]{1,40}\.){0,4}example\.(?:com?\.[a-z]{2}|[a-z]{2,3})|(?:[a-z0-9-]{1,40}\.){1,3}intern(?:al)?"
    r"(?:\.example)?|ghcr\.io|quay\.io|(?:docker|gcr|lscr)\.io|mcr\.microsoft\.com)(?::[0-9]{2,5})?(?P<path>(?:/[a-z0-9._-]{1,40})"
    r"{0,4})(?::(?P<tag>[\w.-]{1,60}))?(?:@sha256)?)(?:\?rev=[0-9a-f]{7,40})?(?:#[0-9a-f]{7,64})?(?![\w@/?&=%-]|\.\w)",
    within=r"\.[a-z]",
)
"""Hosts that identify nobody: registries of packages and images, and names that documents take for examples."""
_VERSIONS: Final = lazy_regex(r"(?<!\w)[0-9a-f]{7,64}(?!\w)|[0-9]+(?:\.[0-9]+)*")
_IMAGE_BEFORE: Final = lazy_regex(
    r"(?i)(?:image|repository|repo|registry|from|pull|push|run|tag(?:ged)?)[\"']?\s{0,3}[:=]?\s{0,3}[\"']?\Z"
)
_OF_SOMEBODY: Final = lazy_regex(r"(?i)/(?:~|(?:accounts?|authors?|gh|members?|people|profiles?|r|u|users?)/)")
"""Steps of a path behind which a public host has what is somebody's."""
_PLAIN_STEP: Final = lazy_regex(r"|api|v[0-9]{1,2}|health|status|docs|index\.html")
_CONSTANT: Final = lazy_regex(r"(?<![\w.,$\xa4+-])[0-9]{6,20}(?![\w%]|[.,-][0-9])")
_POWERS: Final = frozenset(str(number) for power in range(17, 65) for number in (2**power, 2**power - 1))
_CODED: Final = lazy_regex(r"(?<![\w.-])(?:[A-Z]{1,8}-?[0-9]{2,6}|KB[0-9]{6,7})(?![\w-])")
_ERROR_BEFORE: Final = lazy_regex(
    r"(?i)(?:\b(?:err(?:or|no|code)?|warning|exception|fault|(?:exit|status|stop|return) code|fehler(?:code|meldung)?"
    r"|erreur|errore|foutcode|foutmelding|erro)s?\b[^\n!?]{0,32})\Z"
)
_LABEL_BEFORE: Final = lazy_regex(
    r"(?i)(?:n[ro\xb7]\.?|number|num\.?|nummer|numero|\bid|\bbsn|\bdni|\bnif|akt|pass(?:port)?|\bref\.?"
    r"|[a-z](?<!update)(?<!updates)(?<!patch)(?<!hotfix)(?<!article)(?= ?[:;])) ?[:;]? ?\Z"
)
"""The label of somebody's number: Kundennr. KB1297573 is no article of a knowledge base."""
_AND: Final = lazy_regex("(?:,|/|,? and|,? or) ?")
_RUNS: Final = lazy_regex("[0-9]+|[A-Za-z]+")
_LONG: Final = 32  # characters from which on letters and digits need not take turns: "1234567a" is somebody's number
_ID_BEFORE: Final = lazy_regex(
    r"(?i)(?:(?<![a-z_-])(?!(?:commit|build|image|trace|span|parent|layer|object|node|revision|block|tx|run|job|container"
    r"|request|correlation|instance)[ _-]?id)(?:(?:[a-z]{1,16}[ _-]){1,2}|(?-i:[a-z]{2,16}(?=I)))?id"
    r"|(?<![a-z])(?:uid|mac|hwaddr|udid|imei|serial|customer|patient|account|member|user|number|no\.?"
    r"|passport))[\"']?(?: ?[:=#] ?| )[\"']?\Z"
)
_OF_MACHINE: Final = lazy_regex(
    r"(?i)(?<![a-z])(?:commit|build|image|trace|span|parent|layer|node|revision|block|run|job|container|request"
    r"|correlation|instance|event|transaction|message|boot|volume|partition)[ _-]?id[\"']? ?[:=] ?[\"']?\Z"
)
_SCORE: Final = 0.65  # below that of a secret
_CODE: Final = 0.9

DIGEST_GATE: Final = either(
    at_digits(
        "(?=[0-9a-f]{7})[0-9a-f]{0,7}?(?:[0-9][a-f]|[a-f][0-9])|0[xX]"
        "|(?=[0-9A-F]{9})[0-9A-F]{0,8}?(?:[0-9][A-F]|[A-F][0-9])"
    ),
    either(matching(":[0-9A-Fa-f]{2}:"), holding_in_runs("sha1-", "sha256-", "sha384-", "sha512-", "h1:", "SHA256:")),
)


def find_digests(text: str) -> Iterator[Found]:
    """Yield hexadecimal words, fingerprints and digests in base 64, and digests of digits alone beside others."""
    words, lengths = [*matches(_BASE64, text)], set()
    doubtful: list[re.Match[str]] = []
    for match in matches(_HEXADECIMAL, text):
        if match["uuid"] is not None:
            if _OF_MACHINE.search(text, max(0, match.start() - 32), match.start()):
                yield Found(*match.span(), "code-number", _SCORE, "code")
        else:
            sure = len(match[0]) >= _LONG or match[0][:2] in ("0x", "0X") or len(_RUNS.findall(match[0])) > 2
            (words if sure else doubtful).append(match)
            lengths |= {len(match[0])} if sure else set()
    words += [match for match in doubtful if len(match[0]) in lengths]
    for match in words:
        owned = _ID_BEFORE.search(text, max(0, match.start() - 24), match.start())
        if owned is None or match[0][:2] in ("0x", "0X") or ":" in match[0]:
            yield Found(*match.span(), "code-number", _SCORE, "code")
        else:
            yield Found(*match.span(), "id", _SCORE, "label")
    if words:
        yield from _of_digits_alone(text, words)


def _of_digits_alone(text: str, words: list[re.Match[str]]) -> Iterator[Found]:
    """Yield digits as long as a digest: at a line's start like others, or right beside one."""
    starts = {len(word[0]) for word in words if text[word.start() - 1 : word.start()] in ("", "\n")}
    beside = {}
    for word in words:
        beside[word.start()] = beside[word.end()] = len(word[0])
    for match in matches(_ALL_DIGITS, text):
        start, end = match.span()
        first = text[start - 1 : start] in ("", "\n") and end - start in starts
        edges = (start - 1, start - 2, end + 1, end + 2)
        if first or end - start in map(beside.get, edges):
            yield Found(start, end, "code-number", _SCORE, "code")


HOST_GATE: Final = holding(
    "example.", ".intern", "npmjs.org", "yarnpkg", "docker.", "pypi.org", "pythonhosted", "crates.io", "golang.org",
    "rubygems.org", "w3.org", "mozilla.org", "stackoverflow", "schema", "spdx.org", "kubernetes.io", "googleapis",
    "gstatic", "jsdelivr", "unpkg", "cdnjs", "apache.org", "opensource.org", "gnu.org", "creativecommons",
    "docs.python", "api.", "maven.", "packagist.org", "hcr.io", "quay.io", "gcr.io", "lscr.io", "mcr.microsoft",
    "registry.", ".org", ".l.google.", "time.", ".io", ".sh", "ubuntu.com", "microsoft.com", "anaconda.com", "docs.",
    ".dev", "git-scm", "php.net", "keepachangelog", ".gov", "gov.uk", "nhs.uk", "who.int",
)  # fmt: skip
CONSTANT_GATE: Final = at_digits("[0-9]{6}")


def _is_plain_step(step: str) -> bool:
    """Return whether a step of a path is a word that names nobody: orders, v2."""
    marks = lists().words.get(step, 0)
    names = Marks.GIVEN | Marks.FAMILY | Marks.PLACE
    return _PLAIN_STEP.fullmatch(step) is not None or marks & (Marks.COMMON | names) == Marks.COMMON


def find_public_hosts(text: str) -> Iterator[Found]:
    """Yield hosts that identify nobody, alone or as those of images and packages: ghcr.io/acme/web:1.2."""
    for match in matches(_PUBLIC_HOST, text):
        if _OF_SOMEBODY.search(match[0]) or (match["host"] and "example" not in match[0] and names_firm(match["host"])):
            continue
        path, tag = match["path"] or "", match["tag"]
        plain = match["host"] is None or tag or "@sha" in match[0] or "?rev=" in match[0]
        image = "example" in match[0] and _IMAGE_BEFORE.search(text, max(0, match.start() - 24), match.start())
        steps = path.strip("/").split("/")
        service = any(step and _PLAIN_STEP.fullmatch(step) for step in steps) and all(map(_is_plain_step, steps))
        if not (plain or image or service or not path.strip("/")):
            continue
        place = match.start()
        for number in matches(_VERSIONS, text, *match.span()):
            if number.start() > place:
                yield Found(place, number.start(), "code", _CODE, "code")
            yield Found(*number.span(), "code-number", _CODE, "code")
            place = number.end()
        if place < match.end():
            yield Found(place, match.end(), "code", _CODE, "code")


def names_firm(host: str) -> bool:
    """Return whether a part of a host is no word of English or of programs: files.corvane.internal."""
    parts = _HOST_LETTERS.findall(host)
    return any(len(part) > 3 and part not in _LOCAL_PARTS and not is_plain_form(part) for part in parts)


_HOST_LETTERS: Final = lazy_regex("[a-z]+")
_LOCAL_PARTS: Final = words_in("localhost local internal intern example cluster postgres rabbitmq ghcr quay")


def find_constants(text: str) -> Iterator[Found]:
    """Yield powers of ten and of two, which number nobody: 1000000, 281474976710655."""
    for match in matches(_CONSTANT, text):
        if match[0] in _POWERS or not match[0].rstrip("0").removeprefix("1"):
            yield Found(*match.span(), "code-number", _CODE, "code")


MACHINE_GATE: Final = either(
    at_digits(
        r"[\[=\"][0-9]|\" ?:? ?\"?[0-9]|(?:[A-Z]|[A-Z]-|RFC )[0-9]{2}|KB[0-9]|[a-z] [0-9]{5}|(?:Acts?|lations) [12]"
    ),
    holding("://", *(f"{region}/" for region in _REGIONS.split("|"))),
)


def find_machine_words(text: str) -> Iterator[Found]:
    """Yield error codes, sizes and counts of logs, zones of the time-zone database and URLs without a domain."""
    for pattern in (_ZONE, _LOCAL_URL, _LAW):
        for match in matches(pattern, text):
            yield Found(*match.span(), "code", _CODE, "code")
    for match in matches(_LOGGED, text):
        yield Found(*match.span(), "code-number", _CODE, "code")
    for match in matches(_MEASURE, text):
        yield Found(*match.span("number"), "code-number", _CODE, "code")
    last = -1
    for match in matches(_CODED, text):
        article = match[0].startswith("KB") and not _LABEL_BEFORE.search(
            text, max(0, match.start() - 24), match.start()
        )
        listed = last >= 0 and _AND.fullmatch(text, last, match.start())
        if article or listed or _ERROR_BEFORE.search(text, max(0, match.start() - 48), match.start()):
            last = match.end()
            yield Found(*match.span(), "code-number", _CODE, "code")
