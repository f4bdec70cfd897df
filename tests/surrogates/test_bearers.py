"""Addresses, logins and pages that are made of a person's name are made of its surrogate, at epsilon 0."""

import re
from collections.abc import Sequence

import numpy as np
import pytest
from tests.helpers.policies import Finds, small_policy, surrogate

from textveil.randomness import seeded_generator
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.person import login_form
from textveil.surrogates.restoring import restore
from textveil.surrogates.scopes import ApartScope, KeyedScope, KindScope, MemoryScope, Scope
from textveil.surrogates.surrogate import Mention

NAMES = ("Priya Venkatesan", "Jürgen Müller", "Dr. van den Berg", "Joan Moore")


def drawn(names: Sequence[str], values: Sequence[tuple[str, str]], scope: Scope, seed: int = 1) -> list[str]:
    """The surrogates of persons, then of values, each of a kind, in one scope."""
    rng = np.random.default_rng(seed)
    people = make_surrogate("person").draw(list(map(Mention, names)), KindScope(scope, "person"), rng)
    others = [make_surrogate(kind).draw([Mention(value)], KindScope(scope, kind), rng)[0] for kind, value in values]
    return [*people, *others]


MADE = [
    ("email", "priya.v@brightwater.com", r"{g}\.{f0}@example.com"),
    ("email", "Priya.Venkatesan@x.org", r"{G}\.{F}@example.com"),
    ("email", "pvenkatesan@x.org", r"{g0}{f}@example.com"),
    ("email", "venkatesanp@x.org", r"{f}{g0}@example.com"),
    ("email", "priyav@x.org", r"{g}{f0}@example.com"),
    ("email", "pv@x.org", r"{g0}{f0}@example.com"),
    ("email", "p.v@x.org", r"{g0}\.{f0}@example.com"),
    ("email", "priya@x.org", r"{g}@example.com"),
    ("email", "PRIYA_VENKATESAN84@x.org", r"{GU}_{FU}[0-9][0-9]@example.com"),
    ("email", "venkatesan-priya+lists@x.org", r"{f}-{g}\+[a-z]+@example.com"),
    ("email", "kavita.venkatesan@x.org", r"(?!{g}\.)[a-z]+\.{f}@example.com"),
    ("email", "juergen.mueller@x.org", r"{g1}\.{f1}@example.com"),
    ("email", "jurgenmuller@x.org", r"{g1}{f1}@example.com"),
    ("email", "h.vandenberg@x.org", r"[a-z]\.[a-z]+{f2}@example.com"),
    ("handle", "@priya_venkatesan", r"@{g}_{f}"),
    ("handle", "PVENKATESAN", r"{G0}{FU}"),
    (
        "url",
        "https://www.linkedin.com/in/priya-venkatesan-4a32/",
        r"https://www\.example\.com/{g}-{f}-[0-9][a-z][0-9][0-9]",
    ),
    ("url", "http://priyavenkatesan.com", r"http://{g}{f}\.example\.com"),
]


@pytest.mark.parametrize(("kind", "value", "written"), MADE)
def test_a_login_is_made_of_its_bearers_surrogate(kind: str, value: str, written: str) -> None:
    for seed in range(12):
        *people, own = drawn(NAMES, [(kind, value)], MemoryScope(), seed)
        (given, family), (given1, family1) = (map(login_form, name.split()) for name in people[:2])
        family2 = login_form(people[2].split()[-1])
        pattern = written.format(
            **{"g": given, "f": family, "g0": given[0], "f0": family[0], "G0": given[0].upper()},
            **{"G": given.capitalize(), "F": family.capitalize(), "GU": given.upper(), "FU": family.upper()},
            **{"g1": given1, "f1": family1, "f2": family2},
        )
        assert re.fullmatch(pattern, own)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("email", "info@x.org"),
        ("email", "berghof@x.org"),
        ("email", "moorland@x.org"),
        ("email", "jm@x.org"),  # of two
        ("email", "joanx@x.org"),
        ("url", "https://x.org/joan-wins-prize"),
        ("url", "https://joan.x.org/page"),
    ],
)
def test_what_is_made_of_no_name_or_of_several_is_a_pseudonym(kind: str, value: str) -> None:
    assert drawn((), [(kind, value)], MemoryScope())[-1:] != [value]
    for seed in range(8):
        *people, own = drawn(NAMES, [(kind, value)], MemoryScope(), seed)
        words = {login_form(word) for name in people for word in name.split() if len(word) > 3}
        assert not any(word in own.lower() for word in words)


PAIRS = [
    (("Priya Venkatesan", "Jim Roe"), ("Maria Gonzalez", "Zoltan Huy")),
    (("Jürgen Müller", "Ann Poe"), ("Ólafur Ng-Lopez", "Cora Dee")),
]
FORMS = [
    "{g}.{f}@x.org",
    "{g0}{f}@x.org",
    "{g}{f0}@x.org",
    "{g}@y.org",
    "{g}@z.org",
    "{g}@w.org",
    "{g}@v.org",
    "{g0}.{f}7@x.org",
]


@pytest.mark.parametrize("pair", PAIRS)
def test_texts_that_differ_in_a_name_and_its_logins_have_one_release(pair: tuple[tuple[str, str], ...]) -> None:
    for seed in range(30):
        releases = []
        for names in pair:
            values = []
            for name in names:
                given, family = map(login_form, name.split())
                fields = {"g": given, "f": family, "g0": given[0], "f0": family[0]}
                values += [("email", form.format(**fields)) for form in FORMS]
            people = [name.replace("Ng-Lopez", "Nglopez") for name in names]
            releases.append(drawn(people, values, MemoryScope(), seed))
        assert releases[0] == releases[1]


def test_no_two_logins_have_one_surrogate() -> None:
    values = [("email", f"priya.v@{place}.org") for place in "abcdefg"] + [
        ("handle", one) for one in ("priyav", "@priyav")
    ]
    own = drawn(NAMES, values, MemoryScope())[len(NAMES) :]
    assert len(set(own)) == len(own)
    assert [one.partition("@")[2] for one in own[:3]] == ["example.com", "example.org", "example.net"]


def test_scopes_without_memory_and_apart_do_not_tell_whose_a_login_is() -> None:
    for scope in (KeyedScope(b"k" * 32), ApartScope(MemoryScope(), by_mention=True)):
        kinds = KindScope(scope, "email") if isinstance(scope, KeyedScope) else KindScope(scope.mention(), "email")
        people = drawn(NAMES, (), scope)
        own = make_surrogate("email").draw([Mention("priya.v@x.org")], kinds, np.random.default_rng(2))[0]
        assert not own.startswith(people[0].split()[0].lower())


def test_a_login_keeps_what_it_was_drawn_as_before_its_bearer_came() -> None:
    scope = MemoryScope()
    (first,) = drawn((), [("email", "priya.v@x.org")], scope)
    assert drawn(NAMES, [("email", "Priya.V@x.org")], scope, seed=2)[-1] == first


def test_a_page_has_its_persons_in_its_addresses_wherever_they_stand() -> None:
    text = (
        "To: t.abernathy@brightwater.com\nFrom: Priya Venkatesan <pvenkatesan@brightwater.com>\n\n"
        "Dear Thomas Abernathy,\nmy login is pvenkatesan; see CV_Priya_Venkatesan.pdf.\n"
    )
    for seed in range(5):
        release = Sanitizer("prompts", rng=seeded_generator(seed))(text)
        own = re.search(r"From: (\S+) (\S+) <(\S+)@example", release.text)
        other = re.search(r"Dear (\S+) (\S+),", release.text)
        assert own is not None and other is not None
        given, family = map(login_form, own.groups()[:2])
        assert own[3] == given[0] + family
        assert f"To: {login_form(other[1])[0]}.{login_form(other[2])}@example" in release.text
        assert f"login is {given[0]}{family}; see CV_{given.capitalize()}_{family.capitalize()}.pdf" in release.text
        assert release.private_map is not None and restore(release.text, release.private_map) == text


def test_names_are_drawn_before_their_logins_whatever_the_order_of_rules() -> None:
    rules = (surrogate("email", "email"), surrogate("handle", "handle"), surrogate("person", "person"))
    finders = (Finds(r"[a-z.]+@x.org", "email"), Finds("@roe", "handle"), Finds("Ann Roe", "person"))
    text = "ann.roe@x.org met Ann Roe and @roe"
    release = Sanitizer(small_policy(*rules, detectors=finders), rng=seeded_generator(1))(text).text
    given, family = map(login_form, release.partition(" met ")[2].split()[:2])
    assert release.startswith(f"{given}.{family}@") and release.endswith(f"@{family}")


def test_the_mail_of_an_office_stays_one(rng: np.random.Generator) -> None:
    """Each at another domain, until all have one; then it gets a name."""
    values = ["info@a.org", "Billing@a.org", "INFO@a.org", "info@b.org", "info@c.org", "info@d.org"]
    first, billing, again, second, third, fourth = make_surrogate("email").draw(
        list(map(Mention, values)), MemoryScope(), rng
    )
    assert (first, billing, again) == ("info@example.com", "Billing@example.com", "INFO@example.com")
    assert (second, third) == ("info@example.org", "info@example.net") and not fourth.startswith("info@")


FIRMS = [
    ("Pettigrew Joinery Ltd", "www.pettigrewjoinery.co.uk", r"www\.{}joinery\.example\.com"),
    ("Pettigrew Joinery Ltd", "https://shop.pettigrew-joinery.com/oak", r"https://{}-joinery\.example\.com/[a-z]+"),
    ("Pettigrew Joinery Ltd", "pettigrew.com", r"{}\.example\.com"),
    ("Pettigrew Joinery Ltd", "pettigrews.com", r"[a-z]+\.[a-z]+\.example\.[a-z]+"),
    ("Pettigrew Joinery Ltd", "pettigrew.com/joinery", r"{}\.example\.com/[a-z]+"),
]


def of_firm(firm: str, urls: Sequence[str], seed: int, scope: Scope | None = None) -> list[str]:
    rng, scope = np.random.default_rng(seed), scope or MemoryScope()
    name = make_surrogate("organization", options={"level": "kept"})
    own = name.draw([Mention(firm)], KindScope(scope, "organization"), rng)
    return own + [make_surrogate("url").draw([Mention(url)], KindScope(scope, "url"), rng)[0] for url in urls]


@pytest.mark.parametrize(("firm", "url", "form"), FIRMS)
def test_a_host_is_called_as_its_firms_surrogate(firm: str, url: str, form: str) -> None:
    for seed in range(8):
        name, own = of_firm(firm, [url], seed)
        assert re.fullmatch(form.format(login_form(name.split()[0])), own)


def test_firms_with_hosts_of_one_form_have_one_release() -> None:
    urls = [
        "www.{}joinery.com",
        "{}.com",
        "{}.org",
        "{}.net",
        "{}.eu",
        "x.{}.com/page",
        "{}joinery.com/a",
        "{}joinery.com/b",
    ]
    for seed in range(20):
        one, other = (
            of_firm(f"{name.title()} Joinery Ltd", [url.format(name) for url in urls], seed)
            for name in ("pettigrew", "abernathy")
        )
        assert one == other and len(set(one)) == len(one)
    assert "joinery" not in of_firm("Pettigrew Joinery Ltd", ["pettigrewjoinery.com"], 1, KeyedScope(b"k" * 32))[1]
