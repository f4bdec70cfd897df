"""Policies that keep common words: what stays, what a release depends on, and what is refused."""

import re
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

import textveil as tv
from textveil.errors import ParameterError
from textveil.mechanisms.randomized_response import CommonWordResponse
from textveil.privacy.guarantees import Status
from textveil.privacy.units import ONE_TOKEN
from textveil.randomness import seeded_generator
from textveil.sanitize.policy.choice import policy, policy_of
from textveil.sanitize.policy.policy import Action, Policy, Rule
from textveil.sanitize.sanitizer import Sanitizer
from textveil.sanitize.ways import Wanted
from textveil.text.english import common_words
from textveil.text.tokens import Kind, tokenize

ALPHA = 1e-6

KEPT = Rule(kind="common-word", action=Action.KEEP, words=("a", "end", "i", "it's", "may", "the"))
BLANK = Rule(kind="word", action=Action.PLACEHOLDER)
NAMES = frozenset({"may"})  # no shipped list says that it is no name
DRAWN = Rule(kind="common-word", action=Action.MECHANISM, name="randomized-response", epsilon=1.0, words=("end", "the"))


def made(*rules: Rule, **options) -> Policy:
    return Policy(name="made", rules=rules, **options)


def reference(text: str, kept: frozenset[str] = frozenset(KEPT.words)) -> list[str]:
    """The public part of a text, token by token: common words, marks and spaces as they are, else kinds."""
    public = []
    for start, end, kind in tokenize(text):
        surface = text[start:end].replace("\u2019", "'")
        begins = re.search(r"(?:\A|\n|[.!?\u2026][ \"'()\[\]-])[ \"'()\[\]-]*\Z", text[:start]) is not None
        common = surface in kept or surface == "I"
        if begins and surface[0].isupper() and surface[1:] == surface[1:].lower():
            common |= surface.lower() in kept - NAMES
        shown = common or kind in (Kind.SPACE, Kind.PUNCTUATION)
        public.append(surface.lower() if shown else f"<{kind.name}>")
    return public


TOKENS = ("the", "The", "THE", "End", "May", "I", "it\u2019s", "Bob", "cat", "7", "\u4e2d", "a@b.org")
GAPS = (" ", ". ", ", ", "\n", '." ', ".", " - ", '."', "... ")
TEXTS = [f"{a}{gap}{b}{after}{c}" for a, b, c in product(TOKENS, repeat=3) for gap, after in pairwise((*GAPS, " "))]


def test_a_release_of_blanks_is_a_function_of_kept_words_marks_and_kinds() -> None:
    """All texts of three tokens: equal public parts have equal releases. Kills a rule that looks at another word."""
    sanitizer = Sanitizer(made(KEPT, BLANK))
    releases = defaultdict(set)
    for text, release in zip(TEXTS, sanitizer.batch(TEXTS), strict=True):
        releases[tuple(reference(text))].add(release.text)
        assert release.guarantee.epsilon == 0
    assert len(releases) < len(TEXTS) / 3 and all(len(found) == 1 for found in releases.values())


def test_what_stays_is_what_the_reference_says() -> None:
    sanitizer = Sanitizer(made(KEPT, BLANK))
    for text, release in zip(TEXTS, sanitizer.batch(TEXTS), strict=True):
        kept = [one for one in reference(text) if one[0].isalpha()]
        assert re.findall(r"[a-z][a-z']*", release.text.lower()) == kept
        assert release.kinds.get("common-word", 0) == len(kept)
        assert not re.search(r"[^a-zA-Z'_ .,@\"\n-]", release.text)


def test_drawing_costs_the_tokens_that_differ(embedded) -> None:
    """The law for all texts with one public part, from the rows of the channel: kept words have none."""
    channel = tv.mechanism("randomized-response", embedded, epsilon=1.0)
    words = Rule(kind="word", action=Action.MECHANISM, name="randomized-response", epsilon=1.0)
    sanitizer = Sanitizer(made(KEPT, words))
    texts = [("the", *rest) for rest in product(("cat", "dog", "The"), repeat=2)]
    for first, second in product(texts, repeat=2):
        rows = [
            [channel.probabilities(one) for one in sanitizer._way.prepared([" ".join(text)]).words.ids]
            for text in (first, second)
        ]
        assert len(rows[0]) == len(rows[1]) == 2
        loss = sum(np.abs(np.log(one / two)).max() for one, two in zip(*rows, strict=True))
        assert loss <= sum(one != two for one, two in zip(first, second, strict=True)) + 1e-9
    assert sanitizer.setting.token.epsilon == 1.0


class _Script(np.random.Generator):
    """Answers the one question of randomized response such that these symbols come out."""

    def __init__(self, symbols: tuple[int, ...], response: CommonWordResponse) -> None:
        super().__init__(np.random.PCG64(0))
        self.symbols, self.weights = symbols, response.weights

    def integers(self, low, high=None, size=None, **more):
        return np.array(self.symbols[:size], dtype=np.int64) * self.weights.outside


def law(sanitizer: Sanitizer, response: CommonWordResponse, text: str) -> dict[str, Fraction]:
    """The exact probability of each release of a text of three words."""
    prepared = sanitizer._way.prepared([text])
    ids = prepared.words.ids.tolist()
    found: dict[str, Fraction] = defaultdict(Fraction)
    for symbols in product(range(response.size), repeat=len(ids)):
        weights = [
            response.weights.inside if x == y else response.weights.outside for x, y in zip(ids, symbols, strict=True)
        ]
        script = _Script(symbols, response)
        release = sanitizer._way.releases(prepared, sanitizer.setting, script, Wanted(spans=False))[0].text
        probability = Fraction(1)
        for weight in weights:
            probability *= Fraction(weight, response.weights.total)
        found[release] += probability
    return found


def test_the_stronger_form_hides_what_is_kept() -> None:
    """The exact law over all pairs of texts of three words: kept or not, a word costs epsilon, in every case.

    Kills an inside weight that is one half too large, and a common word that passes.
    """
    sanitizer, response = Sanitizer(made(DRAWN, BLANK)), CommonWordResponse(("end", "the"), 1.0)
    texts = list(product(("the", "end", "The", "Bob"), repeat=3))
    laws = [law(sanitizer, response, " ".join(text)) for text in texts]
    assert all(sum(one.values()) == 1 and one.keys() == laws[0].keys() for one in laws)
    bounds = [Fraction(exp(distance)) * (1 + Fraction(1, 10**12)) for distance in range(4)]
    for (first, one), (second, two) in product(zip(texts, laws, strict=True), repeat=2):
        bound = bounds[sum(a != b for a, b in zip(first, second, strict=True))]
        assert all(one[release] <= bound * two[release] for release in one)
    assert sanitizer.setting.token.adjacency == ONE_TOKEN and sanitizer.setting.token.epsilon == 1.0


def test_common_words_survive_as_often_as_stated() -> None:
    """A chi-square test at alpha 1e-6 of 30,000 draws; it kills an epsilon that is a tenth larger."""
    response = CommonWordResponse(("end", "the"), 1.0)
    drawn = np.bincount(response.privatize(np.zeros(30_000, dtype=np.int64), seeded_generator(3)), minlength=3)
    stays = exp(1) / (exp(1) + 2)
    expected = 30_000 * np.array([stays, (1 - stays) / 2, (1 - stays) / 2])
    assert chisquare(drawn, expected).pvalue > ALPHA


@pytest.mark.parametrize(
    ("text", "released"),
    [
        ("The cat, the dog and 3 birds. The END", "The _, the _. The _"),
        ("on the May end. May. end", "_ the _ end. _. End"),
        ('"The end," Bob wrote 1 000 000 times', '"The end," _'),
        ("I'm it’s I a end (see http://x.org)", "_ it's I a end (_)"),
        ("bob. the the_end", "_. The the_end"),
        ("cat\nthe dog-cat 中🙂 end", "_\nthe _-_ end"),
        ("", ""),
    ],
)
def test_blanks(text: str, released: str) -> None:
    """A run of blanks is one, and no capital follows a blank that begins a sentence."""
    assert Sanitizer(made(KEPT, BLANK))(text).text == released


def test_marks_as_they_are() -> None:
    assert Sanitizer(made(KEPT, BLANK, marks="keep"))("the  cat\t– bob… The end").text == "The  _\t– _… The end"


def test_classes_are_written_and_shared() -> None:
    chosen = made(KEPT, replace(BLANK, name="class"))
    release = Sanitizer(chosen)("the 12 xyzzyq 34 End")
    assert re.fullmatch(r"The \[number\] \[[a-z-]+\] \[number\] \[[a-z-]+\]", release.text)
    assert "the public class of every word" in release.setting.token.adjacency.text
    assert "the public class of every word" in release.setting.public


def test_the_report_says_what_stays_and_what_is_compared() -> None:
    release = Sanitizer("common-words")("The cat sat on 2 mats.")
    data = release.report().to_data()
    (rule,) = [one for one in data["policy"]["rules"] if one["kind"] == "common-word"]
    assert (rule["list"], rule["size"], len(rule["sha256"])) == ("shipped", len(common_words("low").words), 64)
    assert data["guarantee"]["per_document"]["epsilon"] == 0 and release.guarantee.status is Status.PROVED
    assert "same common words and token kinds" in data["guarantee"]["per_token"]["adjacency"]
    assert "common words, which are released as they are" in data["not_covered"] and data["vocabulary"] == {}
    summary = release.report().summary()
    assert "both have the same releases" in summary and f"sha256 {rule['sha256'][:16]}" in summary
    assert release.private_map is None


def test_drawn_words_cost_their_epsilon_and_numbers_too() -> None:
    release = Sanitizer(policy("common-words", others="draw", epsilon=3.0), rng=seeded_generator(1))("the xyzzyq is 12")
    assert release.guarantee.epsilon == 6.0 and release.text.startswith("The ") and release.text[-2:].isdigit()


def test_detectors_take_part_only_in_what_they_find() -> None:
    rules = (
        KEPT,
        BLANK,
        Rule(kind="person", action=Action.PLACEHOLDER),
        Rule(kind="number", action=Action.PLACEHOLDER),
    )
    release = Sanitizer(made(*rules, detectors=("embedded",)))("The cat of Maria Gonzalez is the end, 44.")
    assert release.text == "The _ [person] _ the end, [number]."
    text = release.report().summary()
    assert "same spans are found" in text and "so that it depends on what is found there" in text
    assert tv.restore(release.text, release.private_map) == "The cat of Maria Gonzalez is the end, 44."


DOCUMENTS = [f"the man {one} went home" for one in "bcdefghjklmnopqrstuvwxyz"]


@pytest.mark.parametrize("suffix", [".txt", ".jsonl"])
def test_a_background_makes_the_list(tmp_path: Path, suffix: str) -> None:
    lines = DOCUMENTS if suffix == ".txt" else [f'{{"text": "{one}"}}' for one in DOCUMENTS]
    path = tmp_path / f"public{suffix}"
    path.write_text("\n".join(lines), encoding="utf-8")
    chosen = policy("common-words", background=path)
    assert {"the", "went", "home"} <= chosen.rule("common-word").common_words.words
    assert str(path) not in str(chosen.to_data()) and '"list": "given"' in str(chosen.to_data()).replace("'", '"')
    assert Sanitizer(chosen)("xyzzyq went home").text == "_ went home"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "No such file"),
        ("one\n" * 19, "19 documents"),
        ("{]\n" * 30, "JSONDecodeError"),
        ('{"a": 1}\n' * 30, "KeyError"),
    ],
)
def test_a_bad_background_is_one_line(tmp_path: Path, content: str | None, told: str) -> None:
    path = tmp_path / "public.jsonl"
    if content is not None:
        path.write_text(content if "19" not in told else '{"text": "a"}\n' * 19, encoding="utf-8")
    with pytest.raises(ParameterError, match=f"^background must be .*{told}") as caught:
        policy("common-words", background=path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"level": "most"}, "level must be one of low, medium, high"),
        ({"others": "gone"}, "others must be one of blank, class, same-class, draw"),
        ({"epsilon": 3.0}, "the policy common-words draws no words"),
    ],
)
def test_options_that_do_not_fit(options: dict, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        policy("common-words", **options)


@pytest.mark.parametrize("option", ["level", "others", "background"])
def test_other_policies_take_none_of_these_options(option: str) -> None:
    with pytest.raises(ParameterError, match=f"^{option} must be left out: the policy identifiers keeps no common"):
        policy("identifiers", **{option: "low"})


_RULES = '[[rule]]\nkind = "common-word"\n{}\n[[rule]]\nkind = "word"\n{}\n'


@pytest.mark.parametrize(
    ("common", "word", "told"),
    [
        ("keep = true\nwords = []", "placeholder = true", "words must be a list of strings that is not empty"),
        ('keep = true\nwords = ["The"]', "placeholder = true", "words must be strings in lower case"),
        ('keep = true\nwords = ["a"]\nbackground = "x"', "placeholder = true", "words or a background; got both"),
        ("keep = true\nshare = 2", "placeholder = true", "share must be left out"),
        ("keep = true", "keep = true", "common-word must be left out where all words are kept"),
        ('mechanism = "neighborhood"', "placeholder = true", "mechanism must be randomized-response"),
        ('mechanism = "randomized-response"', 'placeholder = "class"', "word must be placeholder = true"),
        ("placeholder = true", "placeholder = true", "common-word must be kept or drawn"),
        ("keep = true", 'placeholder = "_"', "placeholder must be true or class"),
    ],
)
def test_rules_that_do_not_fit(common: str, word: str, told: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(told)):
        policy_of(f'name = "x"\n{_RULES.format(common, word)}'.encode(), "x.toml")


def test_words_have_a_placeholder_only_beside_common_words() -> None:
    with pytest.raises(ParameterError, match="one for common-word where words have a placeholder"):
        made(BLANK)
    with pytest.raises(ParameterError, match="function-word must be left out beside common-word"):
        made(BLANK, KEPT, Rule(kind="function-word", action=Action.KEEP))


def test_levels_grow() -> None:
    lists = [common_words(level) for level in ("low", "medium", "high")]
    assert all(one.words < two.words for one, two in pairwise(lists))
    assert all(one.names <= one.words or one.names for one in lists) and log(len(lists[0].words)) > 5


def test_counts_are_those_of_the_tokens() -> None:
    release = Sanitizer(made(KEPT, BLANK))("the cat cat 7 7 end")
    assert Counter(release.kinds) == Counter({"common-word": 2, "word": 2, "number": 1, "space": 5})
    assert [one.end - one.start for one in release.spans] == [3, 1, 1, 1, 3] and release.text == "The _ end"
