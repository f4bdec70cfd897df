"""A whole run: what is kept, warnings about the inputs, other policies beside, and no text in the data."""

import json

import numpy as np
import pytest

from textveil.errors import InputError, UnknownNameError
from textveil.risk.attack import kept, risk
from textveil.statistics import clopper_pearson

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


def test_any_text_of_the_right_person_is_a_hit_and_persons_are_the_sampled_unit() -> None:
    """Two records of each of 24 persons; a release names the place of the other record alone."""
    pairs = list(
        zip(ORIGINALS, [f"{place}town {number} has rain" for number, place in enumerate(PLACES * 2)], strict=True)
    )
    originals = [text for pair in pairs for text in pair]
    released = [text for pair in pairs for text in reversed(pair)]
    persons = [f"person {number // 2}" for number in range(48)]
    alone = risk(released, originals).release.linkage[0]
    assert (alone.top1, alone.persons, alone.candidates) == (0, 48, 48)
    report = risk(released, originals, persons=persons)
    attack = report.release.linkage[0]
    assert (attack.top1, attack.records, attack.persons, attack.candidates) == (1, 48, 24, 24)
    assert (attack.low, attack.high) == clopper_pearson(24, 24, 0.95)[::2]
    assert (report.attacked, report.persons) == (48, 24)


def test_a_person_with_many_records_counts_as_one_person() -> None:
    """One person is named in all of 100 records; 24 others, with one each, never are."""
    originals = [*ORIGINALS, *(f"Kiri of Suva rows boat {number}" for number in range(100))]
    released = [*(["nothing"] * 24), *originals[24:]]
    persons = [*range(24), *([99] * 100)]
    attack = risk(released, originals, persons=persons).release.linkage[0]
    assert attack.records == 124 and attack.persons == 25
    assert attack.top1 == pytest.approx((1 + 24 / 25) / 25, abs=0.02)
    assert attack.high is not None and attack.high < 0.4


def test_sample_has_all_records_of_the_persons_that_are_drawn() -> None:
    persons = [number // 4 for number in range(24)]
    report = risk(ORIGINALS, ORIGINALS, persons=persons, documents=8, rng=np.random.default_rng(2))
    assert (report.attacked, report.persons, report.release.linkage[0].candidates) == (8, 2, 6)


def test_each_attack_stands_beside_chance_and_the_same_attack_on_the_originals() -> None:
    public = [f"Everybody knows {text[:-14]} last year" for text in ORIGINALS]
    for attack in risk(["nothing"] * 24, ORIGINALS, public).to_data()["linkage"]:
        assert attack["chance"] == attack["top1"] == pytest.approx(1 / 24)
        named = 1 if attack["attacker"] == "tf-idf" else pytest.approx(1 / 24)  # all texts have one style
        assert attack["originals"]["top1"] == named
        assert attack["top5_low"] <= attack["top5"] <= attack["top5_high"]
        assert attack["median_low"] <= attack["median_rank"] <= attack["median_high"]


def test_persons_must_be_as_many_as_records() -> None:
    with pytest.raises(InputError, match="one for each of 24 records; got 2"):
        risk(ORIGINALS, ORIGINALS, persons=["a", "b"])
