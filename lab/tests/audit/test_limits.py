"""Utility limits: what they refute, what they leave alone, and that true mechanisms never exceed them."""

import pytest

from textveil.catalog import mechanism
from textveil.errors import InputError, ParameterError
from textveil.mechanisms.kinds import WordMechanism
from textveil.sanitize.sanitizer import Sanitizer
from textveil.statistics import Bound
from textveil_lab.audit.limits import Decoder, check_unchanged, unchanged_share
from textveil_lab.audit.report.report import Claim, Verdict
from textveil_lab.numerics.guarantee_limits import unchanged_limit

PUBLISHED = Claim(epsilon=0.05, log_delta=-300 * 1.3862943611198906)
ZIPF = 1 / sum(1 / rank for rank in range(1, 10_001))
"""Share of the most frequent of 10,000 words under Zipf's distribution."""


def test_the_published_cell_is_impossible_word_by_word() -> None:
    """81.3 % unchanged at epsilon 0.05, delta 4^-300, 10,000 words: the truncated-Laplace paper's table 1."""
    uniform = check_unchanged(0.813, PUBLISHED, words=10_000)
    zipf = check_unchanged(0.813, PUBLISHED, max_prior=ZIPF)
    assert uniform.verdict is zipf.verdict is Verdict.REFUTED
    assert zipf.witness["limit"] == pytest.approx(0.1074, abs=5e-4)
    assert zipf.delta.lower == pytest.approx(0.7056, abs=5e-4)
    assert uniform.delta.lower > 0.81


def test_how_far_each_bound_reaches() -> None:
    share = 0.813
    assert check_unchanged(share, PUBLISHED, decoder=Decoder.CONTEXT, predictability=0.5).verdict is Verdict.REFUTED
    allowed = check_unchanged(share, PUBLISHED, decoder=Decoder.CONTEXT, predictability=0.8)
    assert allowed.verdict is Verdict.NOT_REFUTED
    forced = check_unchanged(share, PUBLISHED, decoder=Decoder.TEACHER_FORCED)
    assert forced.verdict is Verdict.NOT_REFUTED
    assert "no bound" in forced.notes[0]


def _kept(made: WordMechanism) -> Bound:
    before = ["water people doctor monday time house music paper " * 60] * 4
    return unchanged_share(before, [release.text for release in Sanitizer(made).batch(before)])


@pytest.mark.parametrize(("name", "options"), [("neighborhood", {"base_weights": "flat"}), ("randomized-response", {})])
def test_true_mechanisms_do_not_trip(embedded, name: str, options: dict[str, str]) -> None:
    share = _kept(mechanism(name, embedded, epsilon=8.0, **options))
    assert check_unchanged(share, Claim(epsilon=8.0), max_prior=1 / 8).verdict is Verdict.NOT_REFUTED
    assert check_unchanged(share, Claim(epsilon=8.0), words=len(embedded)).verdict is Verdict.NOT_REFUTED


def test_a_mechanism_that_favors_frequent_words_is_put_to_the_limit_under_a_prior(embedded) -> None:
    """The limit for equally likely words is one of the mean over the vocabulary; these eight words are frequent."""
    share = _kept(mechanism("neighborhood", embedded, epsilon=8.0))
    assert check_unchanged(share, Claim(epsilon=8.0), max_prior=1 / 8).verdict is Verdict.NOT_REFUTED
    assert share.lower > unchanged_limit(len(embedded), 8.0)


def test_a_text_that_came_back_as_it_was_trips() -> None:
    before = ["water people doctor monday time house music paper " * 30]
    share = unchanged_share(before, [before[0].upper()])
    assert share.estimate == 1.0
    assert check_unchanged(share, Claim(epsilon=1.0), max_prior=1 / 8).verdict is Verdict.REFUTED
    assert check_unchanged(share, Claim(epsilon=1.0), words=10_000).verdict is Verdict.REFUTED


def test_texts_must_be_aligned_and_are_not_quoted() -> None:
    with pytest.raises(InputError, match="text 2 must keep its 2 words; got 1"):
        unchanged_share(["one", "secret words"], ["two", "gone"])
    with pytest.raises(InputError, match="as many texts"):
        unchanged_share(["one"], [])
    with pytest.raises(InputError, match="at least one word"):
        unchanged_share(["12"], ["13"])


def test_what_a_bound_needs_must_be_given() -> None:
    with pytest.raises(ParameterError, match="words or max_prior"):
        check_unchanged(0.5, PUBLISHED)
    with pytest.raises(ParameterError, match="predictability"):
        check_unchanged(0.5, PUBLISHED, decoder=Decoder.CONTEXT)
    with pytest.raises(ParameterError, match="share"):
        check_unchanged(1.5, PUBLISHED, words=10)
