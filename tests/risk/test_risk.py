"""A whole run: what is kept, warnings about the inputs, other policies beside, and no text in the data."""

import json

import numpy as np
import pytest

from textveil.errors import InputError, UnknownNameError
from textveil.risk.attack import kept, risk

PLACES = ("Oslo", "Lagos", "Lima", "Turin", "Quito", "Cairo", "Perth", "Dhaka", "Leeds", "Hanoi", "Minsk", "Accra")
ORIGINALS = [
    f"{name} {trade} of {place} wrote about the {thing} of {place}, and was paid."
    for place in PLACES
    for name, trade, thing in (("Maria", "baker", "bread"), ("John", "sailor", "sea"))
]


def test_kept_counts_words_by_document_and_content_words_apart() -> None:
    assert kept(["The baker's bread", "sea"], ["bread of the baker", "the sea, the sea"]) == (4 / 8, 3 / 4)
    assert kept([""], ["..."]) == (0, 0)


def test_release_that_is_the_original_is_linked_and_blanks_are_not() -> None:
    report = risk(ORIGINALS, ORIGINALS)
    assert report.release.kept == (1, 1)
    assert report.release.linkage[0].top1 == 1
    blanks = risk(["..."] * len(ORIGINALS), ORIGINALS)
    assert blanks.release.kept == (0, 0)
    assert all(attack.top1 <= 1 / 20 for attack in blanks.release.linkage)


def test_background_answers_for_the_first_records_and_has_others_behind() -> None:
    public = [f"Everybody knows {text[:-14]} last year" for text in ORIGINALS]
    others = [f"Somebody in {number} sang." for number in range(30)]
    report = risk(ORIGINALS, ORIGINALS, [*public, *others])
    attack = report.release.linkage[2]
    assert (attack.attacker, attack.against, attack.candidates) == ("tf-idf", "background", len(ORIGINALS) + 30)
    assert attack.top1 == 1
    assert not report.warnings


def test_background_that_holds_originals_is_told() -> None:
    report = risk(ORIGINALS, ORIGINALS, [*ORIGINALS[:7], *["something else"] * 40])
    assert any("holds 7 of 24 originals verbatim" in line for line in report.warnings)


def test_release_in_another_order_is_told_and_a_weak_release_is_not() -> None:
    shuffled = risk(ORIGINALS[::-1], ORIGINALS)
    assert any("Is the order the same?" in line for line in shuffled.warnings)
    rng = np.random.default_rng(3)
    words = " ".join(ORIGINALS).split()
    noise = [" ".join(rng.choice(words, 12)) for _ in ORIGINALS]
    assert not risk(noise, ORIGINALS).warnings


def test_few_records_have_no_interval_and_the_report_says_so() -> None:
    report = risk(ORIGINALS[:19], ORIGINALS[:19])
    assert any("fewer than 20" in line for line in report.warnings)
    assert report.to_data()["linkage"][0]["low"] is None


def test_blank_records_are_left_out_in_their_places() -> None:
    public = [f"public {text}" for text in ORIGINALS]
    plain = risk(ORIGINALS, ORIGINALS, [*public, "other"])
    gaps = risk(["", *ORIGINALS], ["\n", *ORIGINALS], ["about nobody", *public, "other"])
    assert gaps.to_data() == plain.to_data()


@pytest.mark.parametrize(
    ("released", "originals", "background", "message"),
    [
        (["a"], ["a", "b"], None, "1 records and 2 originals"),
        ([], [], None, "0 records"),
        (["a", "b"], ["a", "b"], ["a"], "got 1"),
        (["a"], [" "], None, "blank"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(
    released: list[str], originals: list[str], background: list[str] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        risk(released, originals, background)


def test_policies_stand_between_the_originals_and_blanks() -> None:
    report = risk(ORIGINALS, ORIGINALS, policies=["identifiers", "all-words:3"], rng=np.random.default_rng(1))
    names = [release.name for release in report.compared]
    assert names == ["originals", "identifiers", "all-words:3", "blank"]
    shares = [release.kept.content_words for release in report.compared]
    assert shares[0] == 1 and shares[0] > shares[1] > shares[2] and shares[-1] == 0
    assert report.compared[0].linkage[0].top1 == 1 and report.compared[-1].linkage[0].top1 <= 1 / 20


def test_unknown_policy_is_refused_before_anything_is_attacked() -> None:
    steps: list[int] = []
    with pytest.raises(UnknownNameError):
        risk(ORIGINALS, ORIGINALS, policies=["identifers"], progress=lambda done, total: steps.append(done))
    assert not steps


def test_part_of_the_records_is_attacked_among_all_candidates() -> None:
    report = risk(ORIGINALS, ORIGINALS, documents=20, rng=np.random.default_rng(2))
    attack = report.release.linkage[0]
    assert (report.records, report.attacked, attack.records, attack.candidates) == (24, 20, 20, 24)
    assert attack.top1 == 1


def test_progress_ends_at_its_whole() -> None:
    steps: list[tuple[int, int | None]] = []
    policies = ["identifiers"]
    risk(ORIGINALS, ORIGINALS, ORIGINALS, policies, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1]
    assert [done for done, _ in steps] == sorted(done for done, _ in steps)


def test_data_holds_numbers_and_no_text() -> None:
    data = json.dumps(risk(ORIGINALS, ORIGINALS, ORIGINALS).to_data())
    assert not any(word in data for word in (*PLACES, "Maria", "baker"))


def test_values_of_many_records_are_those_of_their_own_records() -> None:
    """More records than are read together; each names a place of its own, and no release names one."""
    notes = [f"Maria Lopez of Oslo paid {number} euros." for number in range(110)]
    released = [note.replace("Maria Lopez of Oslo", "somebody") for note in notes[:-1]] + notes[-1:]
    report = risk(released, notes)
    assert report.unique is not None
    assert {kind: left.records for kind, left in report.unique.kinds.items() if kind in ("person", "place")} == {
        "person": 1,
        "place": 1,
    }


def test_riskiest_record_has_its_number_in_the_file() -> None:
    report = risk(["", *ORIGINALS], [" ", *ORIGINALS])
    for record in report.riskiest:
        assert ORIGINALS[record.number - 2] == record.release
