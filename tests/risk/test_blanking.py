"""Further blanks: by the evidence, until as many persons fit as the limit says; others attack what is left."""

import json

import numpy as np
import pytest

from textveil.errors import ParameterError
from textveil.risk.attack import risk
from textveil.risk.blanking import Pieces, blank_until
from textveil.risk.linkage import TfIdf, blanked_words, linkage, without_intervals, words_of
from textveil.risk.page import to_html
from textveil.statistics import clopper_pearson

WORDS = np.array([f"common{number}" for number in range(12)])
NONE = without_intervals(linkage(np.eye(3), np.arange(3)))


def planted(records: int, *, bent: bool = False) -> tuple[list[str], list[str]]:
    """Originals, and releases that leave a common word, one rare word and maybe another form of a rare one."""
    rng = np.random.default_rng(4)
    originals = [f"{' '.join(rng.choice(WORDS, 9))} rare{number} quokka{number}s" for number in range(records)]
    return originals, [f"common1 RARE{number}'s{f' quokka{number}' if bent else ''}" for number in range(records)]


def blank(limit: float, originals: list[str], released: list[str], persons: np.ndarray | None = None):
    ids = np.arange(len(released)) if persons is None else persons
    return blank_until(limit, released, ids, originals, ids, against="originals")


def test_the_word_that_names_goes_first_and_the_others_stay_where_no_more_is_needed() -> None:
    originals, released = planted(40)
    found = blank(0.5, originals, released)
    assert all("RARE" not in text for text in found.texts)
    assert sum("common1" in text for text in found.texts) >= 36  # but for those who have it about as often as any
    assert len(found.numbers) == 40
    assert linkage(TfIdf().scores(released, originals), np.arange(40)).top1 == 1
    assert blank(1.0, originals, released).texts == tuple(released)
    nothing = blank(0.0, originals, released).texts
    assert not any(set(words_of(text)) & set(words_of(own)) for text, own in zip(nothing, originals, strict=True))


@pytest.mark.parametrize("limit", [0.5, 0.25, 0.1, 0.05])
def test_as_many_persons_fit_each_record_as_the_limit_says(limit: float) -> None:
    """By tf-idf itself, and by a distance: others are ahead of all that still have a word of their own text."""
    originals, _ = planted(40)
    released = [" ".join(text.split()[:6] + text.split()[9:10]) for text in originals]
    found = blank(limit, originals, released)
    scores = TfIdf().scores(list(found.texts), originals)
    as_well = (scores >= np.diagonal(scores)[:, None] - 1e-5).sum(axis=1)
    assert as_well.min() >= 1 / limit
    assert np.array([text.count("_") for text in found.texts]).max() <= 7
    assert found.words == sum(text.count("_") for text in found.texts)
    ahead = (scores >= np.diagonal(scores)[:, None] + 0.01).sum(axis=1) + 1
    left = [bool(set(words_of(text)) & set(words_of(own))) for text, own in zip(found.texts, originals, strict=True)]
    assert ahead[left].min(initial=40) >= 1 / limit
    all_words = blank(0.0, originals, released).words
    assert 0 < found.words < all_words or (limit, found.words) == (0.05, all_words)


def test_texts_of_one_person_count_as_one() -> None:
    """Twenty persons with two records each, of the same words: the other record is no other person who fits."""
    originals, released = planted(20)
    persons = np.repeat(np.arange(20), 2)
    twice = [text for text in originals for _ in range(2)], [text for text in released for _ in range(2)]
    found = blank(0.5, *twice, persons)
    assert all("RARE" not in text for text in found.texts)
    assert found.chosen_by.persons == found.chosen_by.candidates == 20


def test_attacker_who_was_held_out_finds_another_form_of_a_word() -> None:
    originals, released = planted(40, bent=True)
    found = blank(0.05, originals, released)
    assert found.chosen_by.top1 <= 0.1
    assert found.held_out.attacker == "pieces of words" and found.held_out.top1 > 0.8
    assert not found.holds and found.verdict == "The limit does not hold against the attacker who was held out."
    assert found.held_out_before.top1 == 1


def test_limit_holds_where_the_upper_end_of_the_interval_is_below_it() -> None:
    originals, _ = planted(300)
    loose, close = blank(0.1, originals, ["common1"] * 300), blank(0.01, originals, ["common1"] * 300)
    assert loose.held_out.high is not None and close.held_out.top1 <= 0.01 < loose.held_out.high <= 0.1
    assert loose.holds and not close.holds
    assert "is not shown to hold" in close.verdict


def test_the_attacker_that_chose_has_no_interval() -> None:
    found = blank(0.05, *planted(40))
    assert found.chosen_by.records == 40
    assert {name: getattr(found.chosen_by, name) for name in ("low", "high", "top5_low", "median_high")} == {
        name: getattr(NONE, name) for name in ("low", "high", "top5_low", "median_high")
    }
    named = round(found.held_out.top1 * 40)
    if named == found.held_out.top1 * 40:
        assert found.held_out.low == clopper_pearson(named, 40, 0.95).lower


def test_pieces_of_words_are_compared_and_never_across_words() -> None:
    scores = Pieces().scores(["abcdefgh"], ["zz abcdefg zz", "abc defg h", "other"])[0]
    assert scores[0] > scores[1] and scores[2] == 0


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("Anna's cat, ANNA and annas", {"anna"}, ("_ cat, _ and annas", 2)),
        ("a [person] person", {"person"}, ("a [person] _", 1)),
        ("don't go", {"don't"}, ("_ go", 1)),
        ("", {"a"}, ("", 0)),
    ],
)
def test_mentions_are_blanked_and_placeholders_stay(text: str, words: set[str], expected: tuple[str, int]) -> None:
    assert blanked_words(text, words) == expected


def test_report_keeps_the_order_of_all_records_and_quotes_nothing() -> None:
    originals, released = planted(30)
    originals.insert(2, " ")
    released.insert(2, "nobody's record")
    report = risk(released, originals, limit=0.0)
    assert report.blanked is not None
    assert report.blanked.texts[2] == "nobody's record" and len(report.blanked.texts) == 31
    assert 3 not in report.blanked.numbers and {1, 31} <= set(report.blanked.numbers)
    data, page = json.dumps(report.to_data()), to_html(report)
    assert "looked at private text" in data and "looked at private text" in page
    assert "rare" not in data.lower() and "rare1" not in page.lower()
    assert "RARE" not in repr(report.blanked)


def test_background_is_what_the_limit_is_about() -> None:
    originals, released = planted(30)
    public = [f"{text.split()[-1]} is known" for text in originals]
    report = risk(released, originals, public, limit=0.0)
    assert report.blanked is not None and report.blanked.against == "background"
    assert report.blanked.texts == tuple(released)  # no public text has the rare word


def test_limit_asks_for_all_records_and_lies_between_0_and_1() -> None:
    originals, released = planted(30)
    with pytest.raises(ParameterError, match="documents must be at least the 30 records"):
        risk(released, originals, limit=0.1, documents=20)
    with pytest.raises(ParameterError, match="limit must be from 0 to 1"):
        blank(1.1, originals, released)
