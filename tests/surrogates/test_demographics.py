"""Demographics: the draw is uniform in the public list, reads well behind its article, and can be a class word."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare
from tests.helpers.surrogates import outputs

from textveil.detection.demographic_lists import OCCUPATION, SINGULAR, Form, demographics
from textveil.sanitize.policy.choice import policy
from textveil.sanitize.sanitizer import Sanitizer
from textveil.surrogates.making import make_surrogate
from textveil.surrogates.scopes import MemoryScope
from textveil.surrogates.surrogate import Mention

ALPHA = 1e-6


def test_draws_are_uniform_over_the_entries_of_one_class_and_sound() -> None:
    entries = [entry for entry in demographics().pools[Form(OCCUPATION, SINGULAR)] if entry[0] in "aeiou"]
    surrogate, rng = make_surrogate("demographic"), np.random.default_rng(5)
    drawn = Counter(surrogate.draw([Mention("author")], MemoryScope(), rng)[0] for _ in range(20_000))
    counts = [count for entry, count in drawn.items()]
    assert set(entries) - set(drawn) <= {entry for entry in entries if entry.startswith(("uni", "uro"))}
    assert chisquare(counts).pvalue > ALPHA


@pytest.mark.parametrize(
    ("value", "article"),
    [
        ("Polish national", "a"),
        ("Austrian", "an"),
        ("nurse", "a"),
        ("engineer", "an"),
        ("Ukrainian", "a"),
        ("DANE", "a"),
    ],
)
def test_the_article_before_a_draw_stays_right(value: str, article: str) -> None:
    vowels = ("a", "e", "i", "o", "un", "um", "up", "us", "uz")
    for seed in range(60):
        (drawn,) = outputs(make_surrogate("demographic"), [value], seed)
        said_with_vowel = drawn.lower().startswith(vowels) and not drawn.lower().startswith(("eu", "uni", "usa", "use"))
        assert said_with_vowel == (article == "an"), drawn
        assert drawn.endswith(" national") == value.endswith(" national")
        assert drawn.isupper() == value.isupper()


def test_equal_values_have_one_surrogate_and_others_another() -> None:
    first, again, other = outputs(make_surrogate("demographic"), ["Polish national", "POLISH", "Danish"], 3)
    assert first.removesuffix(" national").upper() == again != other.upper()


def test_generalized_values_tell_their_class_alone() -> None:
    surrogate = make_surrogate("demographic", options={"generalize": True})
    drawn = outputs(surrogate, ["Polish", "nurses", "Islam", "dad of 4", "blind", "Zzz"], 1)
    assert drawn == ["[nationality]", "[occupation]", "[religion]", "[family]", "[disability]", "[demographic]"]


@pytest.mark.parametrize(("name", "stays"), [("identifiers", False), ("clinical", False), ("prompts", True)])
def test_presets_draw_demographics_but_for_prompts(name: str, stays: bool) -> None:
    text = "She is a nurse and a Catholic, and has three kids."
    released = Sanitizer(policy(name), rng=np.random.default_rng(2))(text).text
    assert (released == text) is stays
    assert released.startswith("She is a ") and "Catholic" not in released.replace("Catholic", "", int(stays))


def test_each_listed_form_is_drawn():
    sanitizer = Sanitizer(policy("clinical"))
    words = {form: " ".join(words) for words, form in demographics().forms.items()}
    assert len(words) > 30
    for word in words.values():
        assert sanitizer(f"The patient is a {word}.").text


def test_a_widower_is_never_a_widow() -> None:
    for value, never in (("widower", "widow"), ("widow", "widower")):
        assert never not in {outputs(make_surrogate("demographic"), [value], seed)[0] for seed in range(60)}
