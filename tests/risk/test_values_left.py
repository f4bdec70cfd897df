"""What is left of records' values in their releases, whom it singles out, and which documents drawn values join."""

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from textveil.detection.embedded import embedded_detector
from textveil.risk.values import LISTED, RecordValues, Value, joined, others, record_values, unique
from textveil.statistics import clopper_pearson


def of(original: str, release: str) -> RecordValues:
    """The values of one record."""
    return record_values([original], [release], embedded_detector())[0]


def made(
    original: dict[Value, int] | set[Value], left: set[Value] = frozenset(), drawn: set[Value] = frozenset()
) -> RecordValues:
    """A record's values, without dates and ages."""
    nothing: frozenset[Value] = frozenset()
    return RecordValues(Counter(original), frozenset(left), frozenset(drawn), nothing, nothing)


def person(words: str) -> Value:
    return Value("person", words)


def test_value_found_in_both_texts_is_left_and_a_new_one_is_drawn() -> None:
    values = of("Dr. Maria Gonzalez moved to Leeds in 2019.", "Dr. Anna Kowalczyk moved to Leeds in 2016.")
    assert Value("place", "leeds") in values.left
    assert values.drawn == {person("anna kowalczyk"), Value("date", "2016")}
    assert values.original[person("maria gonzalez")] == 1


def test_value_that_the_release_alone_does_not_tell_is_left_where_its_words_stand() -> None:
    values = of("Mr. Adeyemi is here.", "it is adeyemi there")
    assert values.left == {person("adeyemi")}


def test_short_number_is_not_left_where_it_is_another_quantity() -> None:
    values = of("He is a 59-year-old man.", "He is a 31-year-old man who takes 59 mg.")
    assert Value("age", "59") in values.original
    assert not values.left


def test_medicine_on_a_public_list_is_no_person() -> None:
    text = "Mrs. Hernandez is given Flexeril 5 mg and Taxol for the pain. Prescription for Flexeril follows."
    kinds = {value.kind for value in of(text, text).left if "flexeril" in value.words}
    assert kinds <= {LISTED}


def test_age_drawn_in_the_same_decade_and_date_in_the_same_year_are_left_coarsely() -> None:
    values = of("A 41-year-old man, seen on 3/4/2019.", "A 47-year-old man, seen on May 8, 2019.")
    assert not values.left
    assert values.coarse == {Value("age", "40s"), Value("date", "2019")}


def test_groups_are_all_records_that_hold_what_is_left() -> None:
    """Against the definition, record by record."""
    chance = random.Random(5)
    pool = [Value(kind, word) for kind in ("place", "organization", "duration") for word in "abcd"]
    records = []
    for _ in range(40):
        original = set(chance.sample(pool, 5))
        records.append(made(original, set(chance.sample(sorted(original), chance.randrange(4)))))
    sizes = [sum(record.left <= set(other.original) for other in records) for record in records]
    result = unique(records, np.arange(40))
    assert 0 < sizes.count(1) < 40
    assert result.alone.share == sizes.count(1) / 40
    assert result.small.share == sum(size < 5 for size in sizes) / 40
    places = [{value for value in record.left if value.kind == "place"} for record in records]
    assert result.kinds["place"].records == sum(map(bool, places))
    assert result.kinds["place"].values == sum(map(len, places))
    assert result.alone.low < result.alone.share < result.alone.high


def test_coarse_groups_count_dates_by_year_and_ages_by_decade() -> None:
    originals = ["A 41-year-old man, seen on 3/4/2019.", "A 47-year-old man, seen on May 8, 2019."]
    result = unique(record_values(originals, originals, embedded_detector()), np.arange(2))
    assert (result.alone.share, result.coarse.share) == (1.0, 0.0)


def test_few_records_have_no_interval() -> None:
    data = unique([made({person("anna")}, {person("anna")})] * 19, np.arange(19)).to_data()
    assert (data["low"], data["high"], data["share"]) == (None, None, 0.0)
    assert data["kinds"] == {"person": {"records": 19, "values": 19, "alone": 0, "low": None, "high": None}}


def test_a_value_that_one_person_alone_has_in_several_records_singles_these_out() -> None:
    """Forty persons with two records each: half of them have a place of their own in both."""
    persons = np.repeat(np.arange(40), 2)
    places = [Value("place", f"town {person}" if person < 20 else "leeds") for person in persons]
    result = unique([made({place}, {place}) for place in places], persons)
    assert (result.alone.share, result.alone.records, result.alone.persons) == (0.5, 80, 40)
    assert (result.alone.low, result.alone.high) == clopper_pearson(20, 40, 0.95)[::2]
    assert unique([made({place}, {place}) for place in places], np.arange(80)).alone.share == 0


def test_other_persons_are_all_but_the_one_named_most_often() -> None:
    mentions = {person("maria gonzalez"): 1, person("gonzalez"): 2, person("john smith"): 2, person("li wei"): 1}
    left = {person("maria gonzalez"), person("gonzalez"), person("li wei")}
    result = others(
        [made(mentions, left), made({person("maria gonzalez"): 3}, {person("maria gonzalez")})], np.arange(2)
    )
    assert (result.names, result.left, result.records, result.share.share) == (2, 1, 1, 0.5)


@pytest.mark.parametrize("words", ["anna kowalczyk", "kowalczyk"])
def test_equal_drawn_names_join_documents(words: str) -> None:
    """Four records: the first two share a person, and so do their releases; the last two share a place alone."""
    records = [
        made({person("maria gonzalez")}, drawn={person("anna kowalczyk")}),
        made({person("gonzalez")}, drawn={person(words)}),
        made({person("li wei"), Value("place", "leeds")}, drawn={person("omar haddad"), Value("date", "2019")}),
        made({person("mary jones"), Value("place", "leeds")}, drawn={person("anna haas"), Value("date", "2019")}),
    ]
    result = joined(records)
    pairs = {
        pair
        for pair in combinations(range(4), 2)
        if {word for value in records[pair[0]].drawn if value.kind == "person" for word in value.words.split()}
        & {word for value in records[pair[1]].drawn if value.kind == "person" for word in value.words.split()}
    }
    assert result.pairs == len(pairs)
    assert result.right == 1
    assert result.by_chance == 2 * (len(pairs) - 1) / 4


def test_initials_join_nothing_and_a_place_whose_surrogate_passes_for_a_person_is_joined_rightly() -> None:
    records = [
        made({Value("place", "republic of turkey")}, drawn={person("a munnellyside")}),
        made({Value("place", "republic of turkey")}, drawn={person("munnellyside")}),
        made({person("mary jones")}, drawn={person("a haddad")}),
    ]
    result = joined(records)
    assert (result.values, result.pairs, result.right, result.by_chance) == (1, 1, 1, 0.0)
